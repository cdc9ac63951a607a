// The plots of the panel: a search over all channels, any number of plots with any curves.
import { element } from './dom.js';
import { History } from './history.js';
import { Plot } from './plot.js';
import { isFree } from './scene.js';

const RESULTS = 60; // shown of a search
const PERIOD = 80; // ms between redraws

export class Plots {
  /**
   * @param {(message: object) => void} send
   * @param {(time: number) => void} seek
   */
  constructor(send, seek) {
    this.send = send;
    this.seek = (time) => this.replay && seek(time);
    this.history = new History();
    /** @type {Plot[]} */
    this.list = [];
    this.active = null;
    this.channels = [];
    this.replay = false;
    this.window = 5;
    this.drawn = 0;
    this.points = 0; // samples received, for tests
    this.makePanel();
  }

  makePanel() {
    this.input = element('input', {
      type: 'search',
      placeholder: 'add a curve',
      title: 'a part of its name: force, pitch, LF …',
      'aria-label': 'search channels',
      autocomplete: 'off',
      oninput: () => this.search(),
      onfocus: () => this.search(),
    });
    this.results = element('div.results', { hidden: true });
    this.range = element(
      'select',
      {
        'aria-label': 'time window',
        onchange: () => {
          this.window = Number(this.range.value);
        },
      },
      ...[2, 5, 10, 30, 60].map((s) => element('option', { value: s, selected: s === this.window }, `${s} s`)),
    );
    const more = element('button', { onclick: () => this.activate(this.create()) }, '+ plot');
    this.stack = element('div.plots');
    this.root = element('div', {}, element('div.row', {}, this.input, this.range, more), this.results, this.stack);
    document.addEventListener('pointerdown', (event) => {
      if (!this.results.contains(event.target) && event.target !== this.input) this.results.hidden = true;
    });
    new ResizeObserver(() => this.list.forEach((plot) => plot.resize())).observe(this.stack);
  }

  /** What the server offers. Plots that were open stay open. */
  hello(channels, replay, scene) {
    this.channels = channels.filter((channel) => !channel.table);
    this.replay = replay;
    this.range.hidden = replay;
    this.history.clear();
    if (this.list.length === 0) this.suggest(scene);
    for (const slot of this.history.slots) slot.series = null;
    this.changed();
  }

  /** A first look: the load on each foot and how the trunk moves, or else how the joints do. */
  suggest(scene) {
    const feet = this.channels.find(({ name }) => name === 'feet');
    const trunk = this.channels.find(({ name }) => name.startsWith('trunk/'));
    const first = (scene?.joints ?? []).slice(0, 4);
    const pick = (channel, wanted) => {
      const columns =
        channel?.columns
          .map((name, i) => (wanted(name, i) ? i : -1))
          .filter((i) => i >= 0)
          .slice(0, 4) ?? [];
      if (columns.length === 0) return;
      const plot = this.create();
      for (const column of columns) plot.add(channel, column);
    };
    if (first.length === 0 || ((feet?.columns.length ?? 0) > 0 && isFree(scene.joints))) {
      pick(feet, (name) => name.endsWith('.normal'));
      pick(trunk, (name) => ['roll', 'pitch'].includes(name));
      pick(trunk, (name) => ['vx', 'vy'].includes(name));
    } else {
      const called = (name) => this.channels.find((channel) => channel.name === name);
      pick(called('state/q'), (name, i) => first.some((joint) => joint.q === i));
      pick(called('state/u'), (name, i) => first.some((joint) => joint.u === i));
      pick(called('energy'), (name) => ['kinetic', 'potential'].includes(name));
    }
    this.activate(this.list[0] ?? null);
  }

  create() {
    const plot = new Plot(this);
    plot.rebuild();
    this.list.push(plot);
    this.stack.append(plot.root);
    return plot;
  }

  activate(plot) {
    this.active = plot;
    for (const other of this.list) other.root.classList.toggle('active', other === plot);
  }

  remove(plot) {
    plot.close();
    this.list = this.list.filter((other) => other !== plot);
    if (this.active === plot) this.activate(this.list.at(-1) ?? null);
    this.changed();
  }

  /** Tell the server what to send now; in a replay ask for what is not here yet. */
  changed() {
    this.send({ type: 'subscribe', values: this.history.subscription });
    if (!this.replay) return;
    for (const { slot } of this.list.flatMap((plot) => plot.curves)) {
      if (!slot.series) this.send({ type: 'series', channel: slot.channel, column: slot.column });
    }
  }

  search() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    for (const channel of this.channels) {
      for (let column = 0; column < channel.columns.length && found.length < RESULTS; column++) {
        const name = `${channel.name} ${channel.columns[column]}`.toLowerCase();
        if (words.every((word) => name.includes(word))) found.push(this.result(channel, column));
      }
    }
    this.results.replaceChildren(
      ...(found.length > 0 ? found : [element('p.muted', {}, 'nothing has these words in its name')]),
    );
    this.results.hidden = false;
  }

  result(channel, column) {
    const unit = channel.units?.[column];
    const chosen = this.active?.has(channel.name, column) ?? false;
    return element(
      'button.result',
      { title: channel.doc, 'aria-pressed': chosen, onclick: () => this.flip(channel, column) },
      element('span.muted', {}, channel.name),
      ` ${channel.columns[column]}`,
      unit ? element('span.muted', {}, ` ${unit}`) : null,
    );
  }

  /** Add a curve to the active plot, or take it away. */
  flip(channel, column) {
    if (!this.active) this.activate(this.create());
    const there = this.active.curves.find(({ slot }) => slot.channel === channel.name && slot.column === column);
    if (there) this.active.drop(there);
    else if (this.active.add(channel, column)) this.changed();
    this.search();
  }

  /** @param {import('./frame.js').Frame} frame */
  add(frame) {
    if (frame.nvalue === 0) return;
    this.history.add(frame);
    if (!this.replay) this.points++;
  }

  /** The whole of a channel's column, in a replay. */
  series({ channel, column, time, values }) {
    const slot = this.history.find(channel, column);
    if (!slot) return;
    slot.series = { time, values };
    this.points += time.length;
    for (const plot of this.list) if (plot.curves.some((curve) => curve.slot === slot)) plot.stale = true;
    this.drawn = 0;
  }

  clear() {
    this.history.clear();
    this.drawn = 0;
  }

  /** Called for each drawn frame; charts are redrawn a few times a second. */
  draw(time) {
    const now = performance.now();
    if (now - this.drawn < PERIOD || this.stack.offsetParent === null) return;
    this.drawn = now;
    for (const plot of this.list) plot.draw(time);
  }

  theme() {
    for (const plot of this.list) plot.chart?.redraw(false);
  }
}
