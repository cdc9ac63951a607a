// Colours of bodies by what drives them: the load of their joint, or how warm its motor is.
import { element, number } from './dom.js';
import { STOPS } from './scale.js';

const MOST = 48; // bodies with a colour; plots need some of what the server sends, too

/** N m, the largest torque of a joint: the lesser of the model's and that of its motor's current; 0: not known. */
export function loadLimit(joint, motor) {
  const known = [joint.effort, motor?.current == null ? null : motor.constant * motor.current];
  const limits = known.filter((limit) => Number.isFinite(limit) && limit > 0);
  return limits.length > 0 ? Math.min(...limits) : 0;
}

/**
 * What gives a body its colour: the part |value - least| / (most - least) of a column.
 * @typedef {{body: number, channel: string, column: number, least: number, most: number}} Source
 */

/** @returns {Source[]} */
function loads({ scene, motors, channels }) {
  if (!channels.some(({ name }) => name === 'joints/force')) return [];
  const found = (scene.joints ?? []).map((joint) => ({
    body: joint.body ?? -1,
    channel: 'joints/force',
    column: joint.column,
    least: 0,
    most: loadLimit(
      joint,
      motors.find(({ name }) => name === joint.name),
    ),
  }));
  return found.filter(({ body, most }) => body >= 0 && most > 0);
}

/** @returns {Source[]} */
function temperatures({ scene, motors, channels }) {
  const columns = channels.find(({ name }) => name === 'actuators/temperature')?.columns ?? [];
  const found = motors.map((motor) => ({
    body: (scene.joints ?? []).find((joint) => joint.name === motor.name)?.body ?? -1,
    channel: 'actuators/temperature',
    column: columns.indexOf(motor.name),
    least: motor.ambient,
    most: motor.temperature ?? NaN,
  }));
  return found.filter(({ body, column, least, most }) => body >= 0 && column >= 0 && most > least);
}

const MODES = {
  none: { label: 'nothing', find: () => [], title: () => '', ends: () => ['', ''] },
  load: { label: 'load', find: loads, title: () => 'torque, as part of its limit', ends: () => ['0', '100 %'] },
  temperature: {
    label: 'temperature',
    find: temperatures,
    title: () => 'temperature of windings',
    // Motors that differ share no scale in degrees.
    ends: (sources) =>
      sources.every(({ least, most }) => least === sources[0].least && most === sources[0].most)
        ? [`${number(sources[0].least)} °C`, `${number(sources[0].most)} °C`]
        : ['of the air', 'largest'],
  },
};

export class Tint {
  /**
   * @param {import('./history.js').History} history
   * @param {() => void} changed what is wanted of the server has changed
   */
  constructor(history, changed) {
    this.history = history;
    this.changed = changed;
    this.mode = 'none';
    this.sources = { none: [], load: [], temperature: [] };
    /** @type {{source: Source, slot: import('./history.js').Slot}[]} */
    this.used = [];
    this.part = new Float32Array(0); // of each body; not a number: it has none
    this.select = element(
      'select',
      { 'aria-label': 'colour by', onchange: () => this.choose(this.select.value) },
      ...Object.entries(MODES).map(([value, { label }]) => element('option', { value }, label)),
    );
    this.row = element('label.switch', {}, element('span', {}, 'colour by'), this.select, element('kbd', {}, 'H'));
    const bar = element('i');
    bar.style.background = `linear-gradient(to right, ${STOPS.join(', ')})`;
    this.title = element('span');
    this.ends = [element('span'), element('span')];
    this.legend = element(
      'div.scale',
      { hidden: true, role: 'img' },
      this.title,
      bar,
      element('div', {}, ...this.ends),
    );
  }

  /** What there is to show; called again when motors have changed. */
  hello({ scene, motors, channels }) {
    const all = { scene, motors: motors ?? [], channels: channels ?? [] };
    for (const option of this.select.options) {
      this.sources[option.value] = MODES[option.value].find(all).slice(0, MOST);
      option.disabled = option.value !== 'none' && this.sources[option.value].length === 0;
    }
    if (this.part.length !== scene.bodies.length) this.part = new Float32Array(scene.bodies.length).fill(NaN);
    this.choose(this.mode);
  }

  choose(wanted) {
    this.mode = this.sources[wanted].length > 0 ? wanted : 'none';
    for (const { slot } of this.used) slot.users--;
    this.used = [];
    for (const source of this.sources[this.mode]) {
      const slot = this.history.use(source.channel, source.column);
      if (slot) this.used.push({ source, slot });
    }
    this.select.value = this.mode;
    this.select.blur();
    this.legend.hidden = this.used.length === 0;
    const { title, ends } = MODES[this.mode];
    this.title.textContent = title();
    ends(this.sources[this.mode]).forEach((text, i) => {
      this.ends[i].textContent = text;
    });
    this.legend.setAttribute('aria-label', `colours: ${this.title.textContent}`);
    this.changed();
  }

  /** The next one that has something to show. */
  flip() {
    const there = Object.keys(MODES).filter((mode) => mode === 'none' || this.sources[mode].length > 0);
    this.choose(there[(there.indexOf(this.mode) + 1) % there.length]);
  }

  /** The parts of the frame that came last. */
  update() {
    this.part.fill(NaN);
    for (const { source, slot } of this.used) {
      const { body, least, most } = source,
        part = Math.abs(slot.values[this.history.count - 1] - least) / (most - least);
      // Several joints may move one body: the worst one counts.
      if (!(this.part[body] >= part)) this.part[body] = part;
    }
  }
}
