// The scenario's parameters as sliders. Live ones act at once, others restart the run.
import { element } from './dom.js';

const PERIOD = 60; // ms between messages while a slider moves

const hasRange = ({ least, most }) => Number.isFinite(least) && Number.isFinite(most) && least < most;

/** From where to where its slider goes; null: none. From 0 to a million a hand finds no 0.5. */
function sliderRange({ least, most, value }) {
  if (most - least <= 100 * (Math.abs(value) || 1)) return [least, most];
  return value > 0 ? [Math.max(least, value / 4), Math.min(most, 4 * value)] : null;
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
  }

  hello(parameters, readOnly) {
    this.list = parameters ?? [];
    const groups = new Map();
    for (const parameter of this.list) {
      const group = parameter.key.split('.').slice(0, -1).join('.') || 'scenario';
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(parameter);
    }
    const parts = [...groups].map(([group, members]) =>
      element(
        'fieldset',
        { disabled: readOnly },
        element('legend', {}, group),
        // What acts at once comes first.
        ...members.sort((a, b) => Number(b.live) - Number(a.live)).map((parameter) => this.row(parameter)),
      ),
    );
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
    if (slider) {
      slider.addEventListener('input', () => {
        box.value = plain(Number(slider.value), 4);
        change(box.value, false);
      });
      slider.addEventListener('change', () => change(box.value, true));
    }
    box.addEventListener('change', () => {
      const value = box.type === 'checkbox' ? String(box.checked) : box.value;
      if (slider) slider.value = box.value;
      change(value, true);
    });
    const mark = parameter.live ? null : element('span.mark', { title: 'a change starts the run again' }, 'restarts');
    return element(
      'div.parameter',
      { title: parameter.key },
      element('div.row', {}, element('label', {}, name), mark, field),
      slider,
      parameter.doc ? element('p.muted', {}, parameter.doc) : null,
    );
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
