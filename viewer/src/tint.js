// Colours of bodies by what drives them: the load of their joint, or how warm its motor is.
import { element } from './dom.js';
import { MODES, spread } from './sources.js';
import { Scale } from './scale.js';

const MOST = 48; // bodies with a colour; plots need some of what the server sends, too

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
    this.taken = []; // of them, those that there is room for
    /** @type {import('./history.js').Slot[]} */
    this.used = [];
    this.part = new Float32Array(0); // of each body; not a number: it has none
    this.select = element(
      'select',
      { 'aria-label': 'colour by', onchange: () => this.choose(this.select.value) },
      ...Object.entries(MODES).map(([value, { label }]) => element('option', { value }, label)),
    );
    this.row = element('label.switch', {}, element('span', {}, 'colour by'), this.select, element('kbd', {}, 'H'));
    this.scale = new Scale();
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
    for (const slot of this.used) slot.users--;
    const pairs = this.sources[this.mode]
      .map((source) => ({ source, slot: this.history.use(source.channel, source.column) }))
      .filter(({ slot }) => slot);
    this.taken = pairs.map(({ source }) => source);
    this.used = pairs.map(({ slot }) => slot);
    this.select.value = this.mode;
    this.select.blur();
    this.scale.show(this.mode, this.sources[this.mode]);
    this.changed();
  }

  /** The next one that has something to show. */
  flip() {
    const there = Object.keys(MODES).filter((mode) => mode === 'none' || this.sources[mode].length > 0);
    this.choose(there[(there.indexOf(this.mode) + 1) % there.length]);
  }

  /** The parts of the frame that came last. */
  update() {
    const last = this.history.count - 1;
    spread(this.taken, (i) => this.used[i].values[last], this.part);
  }
}
