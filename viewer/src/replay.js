// The replay inside a report: one script, no network. window.PronkReplay.mount(element, scene, data).
import { Camera } from './camera.js';
import { MODES, spread } from './sources.js';
import { Scale } from './scale.js';
import { bytesOf } from './scene.js';
import { element, icon, onTheme } from './dom.js';
import { Stage } from './stage.js';
import { World } from './world.js';
import style from './replay.css?inline';

/**
 * Samples of a run.
 * @typedef {object} Data
 * @property {number[]} time [n] s
 * @property {string} pose base64 float32 [n][nbody][7]
 * @property {{offset: number[], values: string}} contacts rows offset[i] to offset[i + 1] of base64 float32 [.][10]
 * @property {string} com base64 float32 [n][3]
 * @property {object[]} [motors] as in actuators.json
 * @property {{name: string, columns: string[], values: string}[]} [channels] base64 float32 [n][columns], for colours
 */

const TRAIL = 3; // s

/** The samples, and any moment between them. */
class Track {
  /** @param {Data} data */
  constructor(data, nbody) {
    this.time = data.time;
    this.nbody = nbody;
    this.pose = new Float32Array(bytesOf(data.pose));
    this.com = data.com ? new Float32Array(bytesOf(data.com)) : null;
    this.offset = data.contacts?.offset ?? null;
    this.contact = this.offset ? new Float32Array(bytesOf(data.contacts.values)) : null;
  }

  get start() {
    return this.time[0] ?? 0;
  }
  get end() {
    return this.time.at(-1) ?? 0;
  }

  /** The last sample at or before a time. */
  before(time) {
    let low = 0,
      high = this.time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Fill a frame: poses between two samples, contacts of the earlier one. */
  read(time, frame) {
    const low = this.before(time);
    const next = Math.min(low + 1, this.time.length - 1),
      span = this.time[next] - this.time[low];
    const part = span > 0 ? Math.min(1, Math.max(0, (time - this.time[low]) / span)) : 0;
    frame.time = time;
    this.blend(low, next, part, frame);
    const first = this.offset?.[low] ?? 0,
      count = (this.offset?.[low + 1] ?? first) - first;
    frame.reserve(count);
    frame.ncontact = count;
    for (let i = 0; i < 10 * count; i++) frame.contact[i] = this.contact[10 * first + i];
  }

  blend(low, next, part, frame) {
    const size = 7 * this.nbody;
    for (let i = 0; i < size; i += 7) {
      const a = low * size + i,
        b = next * size + i;
      let dot = 0,
        length = 0;
      for (let k = 3; k < 7; k++) dot += this.pose[a + k] * this.pose[b + k];
      const other = dot < 0 ? -part : part; // the shorter way round
      for (let k = 0; k < 7; k++)
        frame.pose[i + k] = (1 - part) * this.pose[a + k] + (k < 3 ? part : other) * this.pose[b + k];
      for (let k = 3; k < 7; k++) length += frame.pose[i + k] ** 2;
      const scale = 1 / (Math.sqrt(length) || 1);
      for (let k = 3; k < 7; k++) frame.pose[i + k] *= scale;
    }
    if (!this.com) return;
    for (let k = 0; k < 3; k++) frame.com[k] = (1 - part) * this.com[3 * low + k] + part * this.com[3 * next + k];
  }
}

/** Colours of bodies at any moment. */
class Colours {
  /** @param {Data} data */
  constructor(data, scene) {
    const { motors = [], channels = [] } = data;
    this.values = new Map(channels.map(({ name, values }) => [name, new Float32Array(bytesOf(values))]));
    this.columns = new Map(channels.map(({ name, columns }) => [name, columns.length]));
    this.sources = Object.fromEntries(
      Object.entries(MODES).map(([mode, { find }]) => [mode, find({ scene, motors, channels })]),
    );
    this.modes = Object.keys(MODES).filter((mode) => mode === 'none' || this.sources[mode].length > 0);
    this.mode = 'none';
    this.part = new Float32Array(scene.bodies.length);
  }

  /** @returns {Float32Array|null} the part of each body in a sample */
  at(sample) {
    if (this.mode === 'none') return null;
    const sources = this.sources[this.mode];
    const value = (i) => {
      const { channel, column } = sources[i];
      return this.values.get(channel)[sample * this.columns.get(channel) + column];
    };
    spread(sources, value, this.part);
    return this.part;
  }
}

class Replay {
  constructor(parent, scene, data) {
    this.track = new Track(data, scene.bodies.length);
    this.colours = new Colours(data, scene);
    this.time = this.track.start;
    this.playing = false;
    this.speed = 1;
    this.dirty = true;
    this.makePage(parent);
    this.stage = new Stage(this.canvas, { keep: true });
    this.camera = new Camera(this.canvas, () => {
      this.dirty = true;
    });
    this.world = new World(this.stage, scene, false);
    this.listen();
    this.track.read(this.time, this.world.frame);
    this.world.measure();
    this.world.update();
    this.resize();
    this.look();
    this.draw();
    this.loop(performance.now());
  }

  makePage(parent) {
    if (!document.getElementById('pronk-replay-style')) {
      document.head.append(element('style#pronk-replay-style', {}, style));
    }
    this.canvas = element('canvas', { 'aria-label': 'replay', tabindex: 0 });
    this.button = element(
      'button',
      { title: 'play or pause', 'aria-label': 'play or pause', onclick: () => this.play(!this.playing) },
      icon('play'),
    );
    this.slider = element('input', {
      type: 'range',
      min: this.track.start,
      max: this.track.end,
      step: 'any',
      'aria-label': 'time',
      oninput: () => this.seek(Number(this.slider.value)),
    });
    this.slider.value = this.time;
    this.text = element('output');
    const box = (id, label, on) => {
      const input = element('input', { type: 'checkbox', checked: on, onchange: () => this.toggle(id, input.checked) });
      return element('label', {}, input, label);
    };
    this.speeds = element(
      'select',
      {
        'aria-label': 'speed',
        onchange: () => {
          this.speed = Number(this.speeds.value);
        },
      },
      ...[0.1, 0.25, 0.5, 1, 2].map((value) => element('option', { value, selected: value === 1 }, `×${value}`)),
    );
    this.scale = new Scale();
    this.modes = element(
      'select',
      { 'aria-label': 'colour by', onchange: () => this.colour(this.modes.value) },
      ...this.colours.modes.map((mode) => element('option', { value: mode }, MODES[mode].label)),
    );
    const choice = this.colours.modes.length > 1 ? element('label', {}, 'colour by', this.modes) : null;
    this.root = element(
      'div.pronk-replay',
      {},
      element('div.pronk-picture', {}, this.canvas, this.scale.root),
      element(
        'div.pronk-bar',
        {},
        this.button,
        this.slider,
        this.text,
        this.speeds,
        box('forces', 'forces', true),
        box('trails', 'trails', true),
        box('support', 'support', false),
        choice,
      ),
    );
    parent.append(this.root);
  }

  listen() {
    onTheme((dark) => {
      this.world.theme(dark);
      this.dirty = true;
    });
    this.world.toggle('trails', true);
    new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement);
    // Figures of the report follow by "pronktime", and lead by "pronkseek".
    window.addEventListener('pronkseek', (event) => this.seek(Number(event.detail?.time)));
    // A wheel over the picture scrolls the report; with ctrl it zooms.
    this.camera.orbit.enableZoom = false;
    this.canvas.addEventListener(
      'wheel',
      (event) => {
        this.camera.orbit.enableZoom = event.ctrlKey;
      },
      { capture: true, passive: true },
    );
    this.canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    this.canvas.addEventListener('keydown', (event) => {
      if (event.key !== ' ') return;
      event.preventDefault();
      this.play(!this.playing);
    });
  }

  toggle(id, on) {
    this.world.toggle(id, on);
    if (id === 'forces') this.world.toggle('points', on);
    this.dirty = true;
  }

  colour(mode) {
    this.colours.mode = mode;
    this.scale.show(mode, this.colours.sources[mode]);
    this.dirty = true;
  }

  look() {
    this.camera.frame(this.world.bounds(), 'iso');
    this.camera.follow(this.world.walker, this.world.frame.pose);
    this.stage.cover(Math.max(1.2, 1.6 * this.camera.extent));
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (width === 0 || height === 0) return;
    this.stage.size(width, height);
    this.camera.size(width, height);
    this.draw();
  }

  play(on) {
    if (on && this.time >= this.track.end) this.seek(this.track.start);
    this.playing = on;
    this.button.replaceChildren(icon(on ? 'pause' : 'play'));
  }

  seek(time) {
    if (!Number.isFinite(time)) return;
    this.time = Math.min(this.track.end, Math.max(this.track.start, time));
    this.slider.value = this.time;
    this.dirty = true;
    window.dispatchEvent(new CustomEvent('pronktime', { detail: { time: this.time } }));
  }

  /** Trails show the seconds before, wherever a seek went. */
  lead() {
    const { trails, frame } = this.world,
      { time } = this.track;
    if (this.time < trails.time || this.time > trails.time + TRAIL) trails.clear();
    const from = Math.max(trails.time, this.time - TRAIL);
    for (let i = this.track.before(from); time[i] < this.time; i++) {
      this.track.read(time[i], frame);
      trails.update(frame);
    }
  }

  draw() {
    this.dirty = false;
    if (this.world.shown.trails) this.lead();
    const start = performance.now();
    this.track.read(this.time, this.world.frame);
    this.world.update();
    const part = this.colours.at(this.track.before(this.time));
    if (part || this.world.bodies.part) this.world.bodies.paint(part);
    this.camera.update(this.world.frame.pose);
    this.moveTime = performance.now() - start;
    this.text.textContent = `${this.time.toFixed(2)} s`;
    this.stage.follow(this.camera.orbit.target);
    this.stage.draw(this.camera.camera);
  }

  loop(now) {
    const passed = Math.min(0.1, (now - (this.last ?? now)) / 1000);
    this.last = now;
    if (this.playing) {
      this.seek(this.time + passed * this.speed);
      if (this.time >= this.track.end) this.play(false);
    }
    if (this.dirty) this.draw();
    requestAnimationFrame((next) => this.loop(next));
  }
}

/**
 * Put a replay into an element. Returns {play(on), seek(time), time, playing, parts, cost}, or null where there is
 * no WebGL, with a sentence in its place. The cost of the last picture: ms of script that moved the world,
 * and how many draw calls there were.
 * @param {HTMLElement} parent
 * @param {object} scene scene.json
 * @param {Data} data
 */
export function mount(parent, scene, data) {
  try {
    const replay = new Replay(parent, scene, data);
    return {
      play: (on = true) => replay.play(on),
      seek: (time) => replay.seek(time),
      get time() {
        return replay.time;
      },
      get playing() {
        return replay.playing;
      },
      /** The part of its limit that gives each body its colour; null: they have their own. */
      get parts() {
        return replay.world.bodies.part && [...replay.world.bodies.part];
      },
      get cost() {
        return { move: replay.moveTime, calls: replay.stage.renderer.info.render.calls };
      },
    };
  } catch (error) {
    parent.replaceChildren(
      element('p', {}, `The 3D replay needs WebGL 2, which this browser does not offer (${error.message}).`),
    );
    return null;
  }
}
