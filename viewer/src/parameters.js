// The scenario's parameters as sliders. Live ones act at once, others restart the run.
import { element } from './dom.js';

const PERIOD = 60; // ms between messages while a slider moves
const WIDEST = 1e4; // what a slider may span

const hasRange = ({ least, most }) => Number.isFinite(least) && Number.isFinite(most) && least < most;

/** From where to where its slider goes; null: none. From 0 to a million a hand finds no 0.5. */
function sliderRange({ least, most, value }) {
  if (most - least <= 100 * (Math.abs(value) || 1)) return most - least > WIDEST ? null : [least, most];
  if (!(value > 0) || 4 * value > WIDEST) return null;
  return [Math.max(least, value / 4), Math.min(most, 4 * value)];
}

/** A number as a field takes it. */
const plain = (value, digits) => String(Number(value.toPrecision(digits)));

export class Parameters {
  /** @param {(message: object) => void} send */
  constructor(send) {
    this.send = send;
    this.sent = 0;
    this.waiting = null;
    this.root = element('div.parameters');
    this.list = [];
    this.rows = new Map(); // key: {parameter, box, slider, mark, held}
  }

  hello(parameters, readOnly) {
    this.list = parameters ?? [];
    this.rows.clear();
    const groups = new Map();
    for (const parameter of this.list) {
      const group = parameter.group ?? (parameter.key.split('.').slice(0, -1).join('.') || 'scenario');
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(parameter);
    }
    const parts = [...groups].map(([group, members]) => {
      // What acts at once comes first.
      const rows = members.sort((a, b) => Number(b.live) - Number(a.live)).map((parameter) => this.row(parameter));
      // An actuator has many, and is closed at first.
      return members[0].group
        ? element('fieldset', { disabled: readOnly }, element('details', {}, element('summary', {}, group), ...rows))
        : element('fieldset', { disabled: readOnly }, element('legend', {}, group), ...rows);
    });
    if (readOnly) parts.unshift(element('p.muted', {}, 'Read-only: the server takes no changes.'));
    if (parts.length === 0)
      parts.push(element('p.muted', {}, 'A replay has no parameters to change; run the scenario live.'));
    this.root.replaceChildren(...parts);
  }

  row(parameter) {
    const name = parameter.key.split('.').at(-1);
    const numeric = typeof parameter.value === 'number';
    const bounded = numeric && hasRange(parameter);
    const change = (value, final) => this.change(parameter, value, final);
    const field = numeric ? this.numberField(parameter, bounded) : this.textField(parameter);
    const box = field.querySelector('.value') ?? field;
    const range = bounded ? sliderRange(parameter) : null;
    const slider = range ? this.slider(parameter, range) : null;
    const mark = element('span.mark', { title: 'a change starts the run again', hidden: parameter.live }, 'restarts');
    const row = { parameter, box, slider, mark, held: false };
    this.rows.set(parameter.key, row);
    box.addEventListener('input', () => {
      row.held = true;
    });
    if (slider) {
      slider.addEventListener('input', () => {
        row.held = true;
        box.value = plain(Number(slider.value), 4);
        change(box.value, false);
      });
      slider.addEventListener('change', () => {
        row.held = false;
        change(box.value, true);
      });
    }
    box.addEventListener('change', () => {
      row.held = false;
      const value = box.type === 'checkbox' ? String(box.checked) : box.value;
      if (slider) slider.value = box.value;
      change(value, true);
    });
    return element(
      'div.parameter',
      { title: parameter.key },
      element('div.row', {}, element('label', {}, name), mark, field),
      slider,
      parameter.doc ? element('p.muted', {}, parameter.doc) : null,
    );
  }

  /** Values as the server has them now; a hand on a slider is let be. */
  update(parameters) {
    for (const { key, value, live } of parameters ?? []) {
      const row = this.rows.get(key);
      if (!row) continue;
      row.parameter.value = value;
      row.parameter.live = live;
      row.mark.hidden = live;
      if (!row.held) this.show(row);
    }
  }

  /** The server refused what was asked for: the last good value comes back. */
  restore(key) {
    const row = this.rows.get(key);
    if (!row) return;
    row.held = false;
    this.show(row);
  }

  show({ parameter, box, slider }) {
    const { value } = parameter;
    if (box.type === 'checkbox') box.checked = Boolean(value);
    else box.value = typeof value === 'number' ? plain(value, 6) : (value ?? '');
    if (!slider) return;
    if (value < Number(slider.min)) slider.min = value;
    if (value > Number(slider.max)) slider.max = value;
    slider.value = value;
  }

  numberField(parameter, bounded) {
    const box = element('input.value', {
      type: 'number',
      step: parameter.integer ? 1 : 'any',
      'aria-label': parameter.key,
      min: bounded ? parameter.least : null,
      max: bounded ? parameter.most : null,
    });
    box.value = plain(parameter.value, 6);
    return element('span.field', {}, box, element('span.unit', {}, parameter.unit ?? ''));
  }

  textField(parameter) {
    if (typeof parameter.value === 'boolean') {
      return element('input', { type: 'checkbox', checked: parameter.value, 'aria-label': parameter.key });
    }
    if (parameter.choices) {
      return element(
        'select',
        { 'aria-label': parameter.key },
        ...parameter.choices.map((choice) => element('option', { selected: choice === parameter.value }, choice)),
      );
    }
    return element('input', { type: 'text', value: parameter.value ?? '', 'aria-label': parameter.key });
  }

  slider(parameter, [least, most]) {
    const slider = element('input', {
      type: 'range',
      min: least,
      max: most,
      step: parameter.integer ? 1 : (most - least) / 400,
      'data-key': parameter.key,
      'aria-label': `${parameter.key} slider`,
    });
    slider.value = parameter.value;
    return slider;
  }

  /** Send a value: at a bounded rate while it is dragged, and what restarts only when let go. */
  change(parameter, text, final) {
    if (!final && !parameter.live) return;
    clearTimeout(this.waiting);
    const message = { type: 'set', key: parameter.key, value: String(text) };
    const wait = final ? 0 : this.sent + PERIOD - performance.now();
    const go = () => {
      this.sent = performance.now();
      this.send(message);
    };
    if (wait <= 0) go();
    else this.waiting = setTimeout(go, wait);
  }
}
