// The scale of colours from nothing to a limit.
import { Color, SRGBColorSpace } from 'three';
import { MODES } from './sources.js';
import { element } from './dom.js';

export const STOPS = ['#2f6fbf', '#3fb68b', '#f2d64b', '#d7261e']; // from none to all, evenly
const colours = STOPS.map((stop) => new Color().setStyle(stop, SRGBColorSpace));

/** The colour of a part of the limit; beyond it the last one. @param {number} part @param {Color} out */
export function scaleColour(part, out) {
  const at = Math.min(1, Math.max(0, part)) * (colours.length - 1),
    first = Math.min(Math.floor(at), colours.length - 2);
  return out.lerpColors(colours[first], colours[first + 1], at - first);
}

/** The legend. */
export class Scale {
  constructor() {
    const bar = element('i');
    bar.style.background = `linear-gradient(to right, ${STOPS.join(', ')})`;
    this.title = element('span');
    this.ends = [element('span'), element('span')];
    this.root = element('div.scale', { hidden: true, role: 'img' }, this.title, bar, element('div', {}, ...this.ends));
  }

  /** @param {string} mode of MODES @param {import('./sources.js').Source[]} sources none: there is no legend */
  show(mode, sources) {
    this.root.hidden = sources.length === 0;
    if (this.root.hidden) return;
    this.title.textContent = MODES[mode].title;
    MODES[mode].ends(sources).forEach((text, i) => {
      this.ends[i].textContent = text;
    });
    this.root.setAttribute('aria-label', `colours: ${this.title.textContent}`);
  }
}
