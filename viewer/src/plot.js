// One plot: several curves over time. Live it shows the last seconds; in a replay the whole
// recording with a cursor, and a click seeks.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { element, icon, number } from './dom.js';
import { valueAt } from './history.js';

export const COLOURS = ['#2f7fe0', '#e0662f', '#2fa866', '#b04fd0', '#d0a52a', '#1ea7b5', '#d84a7a', '#7a8794'];

const HEIGHT = 150;
const themed = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name);

/** What all labels end with after their last dot: "LF_FOOT.normal", "RF_FOOT.normal" share ".normal". */
function sharedEnding(labels) {
  const ending = labels[0]?.match(/.(\.[^.]+)$/)?.[1] ?? '';
  return labels.length > 1 && labels.every((label) => label.endsWith(ending)) ? ending : '';
}

/**
 * @typedef {{slot: import('./history.js').Slot, label: string, unit: string, color: string, value: HTMLElement}} Curve
 */

export class Plot {
  /** @param {import('./plots.js').Plots} plots */
  constructor(plots) {
    this.plots = plots;
    /** @type {Curve[]} */
    this.curves = [];
    this.chart = null;
    this.hinted = ''; // what stands in the place of the chart
    this.stale = true;
    this.body = element('div.chart');
    this.legend = element('div.legend');
    this.title = element('span.plot-title');
    const close = element(
      'button.icon.small',
      { title: 'remove this plot', 'aria-label': 'remove this plot' },
      icon('close'),
    );
    close.addEventListener('click', (event) => {
      event.stopPropagation();
      plots.remove(this);
    });
    this.root = element(
      'section.plot',
      { onpointerdown: () => plots.activate(this) },
      element('header', {}, this.title, close),
      this.body,
      this.legend,
    );
    this.cursor = element('div.plot-cursor');
  }

  has(channel, column) {
    return this.curves.some(({ slot }) => slot.channel === channel && slot.column === column);
  }

  /** @returns {boolean} false: no room for more */
  add(channel, column) {
    const slot = this.plots.history.use(channel.name, column);
    if (!slot) return false;
    const used = new Set(this.curves.map((curve) => curve.color));
    const color = COLOURS.find((candidate) => !used.has(candidate)) ?? COLOURS[this.curves.length % COLOURS.length];
    this.curves.push({
      slot,
      color,
      label: channel.columns[column],
      unit: channel.units?.[column] ?? '',
      value: element('output'),
    });
    this.rebuild();
    return true;
  }

  drop(curve) {
    curve.slot.users--;
    this.curves = this.curves.filter((other) => other !== curve);
    this.rebuild();
    this.plots.changed();
  }

  /** Title, legend and chart after curves came or went. */
  rebuild() {
    const channels = [...new Set(this.curves.map((curve) => curve.slot.channel))];
    const units = [...new Set(this.curves.map((curve) => curve.unit))];
    const unit = units.length === 1 && units[0] ? ` (${units[0]})` : '';
    const ending = sharedEnding(this.curves.map((curve) => curve.label));
    this.title.textContent =
      channels.length > 0
        ? channels.join(', ') + (ending && ` ${ending.slice(1)}`) + unit
        : 'empty plot: choose curves above';
    this.legend.replaceChildren(...this.curves.map((curve) => this.chip(curve, ending, units.length > 1)));
    this.chart?.destroy();
    this.chart = null;
    this.stale = true;
    this.hinted = '';
    this.body.replaceChildren();
  }

  chip(curve, ending, withUnit) {
    const dot = element('i');
    dot.style.background = curve.color;
    return element(
      'button.chip',
      { title: `remove ${curve.slot.channel} ${curve.label}`, onclick: () => this.drop(curve) },
      dot,
      curve.label.slice(0, curve.label.length - ending.length) + (withUnit && curve.unit ? ` (${curve.unit})` : ''),
      curve.value,
    );
  }

  make(data) {
    this.hinted = '';
    this.body.replaceChildren();
    const axis = {
      stroke: themed('--muted'),
      grid: { stroke: themed('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    this.chart = new uPlot(
      {
        width: Math.max(this.body.clientWidth, 120),
        height: HEIGHT,
        legend: { show: false },
        padding: [8, 10, 0, 0],
        cursor: { sync: { key: 'pronk' }, drag: { x: false, y: false }, points: { size: 5 } },
        scales: { x: { time: false } },
        axes: [
          { ...axis, size: 24, space: 60 },
          { ...axis, size: 46, space: 26 },
        ],
        series: [
          {},
          ...this.curves.map((curve) => ({
            label: curve.label,
            stroke: curve.color,
            width: 1.5,
            points: { show: false },
            spanGaps: true,
          })),
        ],
      },
      data,
      this.body,
    );
    this.chart.over.append(this.cursor);
    this.chart.over.addEventListener('click', (event) => {
      const left = event.clientX - this.chart.over.getBoundingClientRect().left;
      this.plots.seek(this.chart.posToVal(left, 'x'));
    });
  }

  /** Bring data and cursor up to date. */
  draw(time) {
    if (this.curves.length === 0 || this.body.clientWidth === 0) return;
    if (this.plots.replay) this.drawReplay(time);
    else this.drawLive(time);
  }

  /** Nothing to draw yet: a word instead of axes that mean nothing. */
  hint(text) {
    if (this.hinted === text) return;
    this.chart?.destroy();
    this.chart = null;
    this.hinted = text;
    this.body.replaceChildren(element('p.hint', {}, text));
  }

  drawLive(time) {
    const { history, window } = this.plots;
    const first = history.after(time - window),
      { count } = history;
    for (const curve of this.curves)
      curve.value.textContent = count > 0 ? number(curve.slot.values[count - 1], 4) : '–';
    if (count - first < 2) {
      this.hint('the curves begin when it plays');
      return;
    }
    const data = [history.time.subarray(first, count)];
    for (const curve of this.curves) data.push(curve.slot.values.subarray(first, count));
    if (!this.chart) this.make(data);
    this.chart.setData(data, false);
    this.chart.setScale('x', { min: Math.max(0, time - window), max: Math.max(time, window) });
  }

  drawReplay(time) {
    if (this.curves.every(({ slot }) => (slot.series?.time.length ?? 0) < 2)) {
      this.hint(this.curves.some(({ slot }) => !slot.series) ? 'loading' : 'no curve: fewer than two samples');
      this.stale = true;
      return;
    }
    if (this.stale) {
      const known = this.curves.map(({ slot }) => slot.series ?? { time: [], values: [] });
      const data = uPlot.join(known.map((series) => [series.time, series.values]));
      if (!this.chart) this.make(data);
      else this.chart.setData(data);
      this.stale = false;
    }
    const x = this.chart.valToPos(time, 'x');
    const inside = x >= -1 && x <= this.chart.over.clientWidth + 1;
    this.cursor.style.display = inside ? 'block' : 'none';
    this.cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
    for (const { slot, value } of this.curves)
      value.textContent = slot.series ? number(valueAt(slot.series, time), 4) : '…';
  }

  resize() {
    const width = this.body.clientWidth;
    if (this.chart && width > 0 && width !== this.chart.width) this.chart.setSize({ width, height: HEIGHT });
  }

  close() {
    for (const curve of this.curves) curve.slot.users--;
    this.chart?.destroy();
    this.root.remove();
  }
}
