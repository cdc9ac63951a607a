// The help overlay: every key and every move of the mouse.
import { element } from './dom.js';
import { KEYS, MOUSE } from './keys.js';
import { TOGGLES } from './world.js';

export class Help {
  constructor(parent) {
    const list = (title, rows) =>
      element(
        'section',
        {},
        element('h3', {}, title),
        element(
          'dl',
          {},
          ...rows.flatMap(([key, doc]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, doc)]),
        ),
      );
    this.root = element(
      'div.overlay',
      { hidden: true, onclick: () => this.flip(false) },
      element(
        'div.help',
        { role: 'dialog', 'aria-label': 'keys', onclick: (event) => event.stopPropagation() },
        element('h2', {}, 'Keys'),
        element(
          'div.columns',
          {},
          list(
            'Run',
            KEYS.slice(0, 8).map((key) => [key.shown, key.doc]),
          ),
          list(
            'Look',
            KEYS.slice(8).map((key) => [key.shown, key.doc]),
          ),
          list(
            'Show',
            TOGGLES.map((toggle) => [toggle.key.toUpperCase(), toggle.label]),
          ),
          list('Mouse and touch', MOUSE),
        ),
        element('button', { onclick: () => this.flip(false) }, 'Close'),
      ),
    );
    parent.append(this.root);
  }

  get open() {
    return !this.root.hidden;
  }

  flip(on = !this.open) {
    this.root.hidden = !on;
  }
}
