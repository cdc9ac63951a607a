// The panel: what is shown, plots, parameters. At the side on a desk, a sheet on a phone.
import { element } from './dom.js';
import { TOGGLES } from './world.js';

export class Panel {
  /** @param {any} viewer @param {Record<string, HTMLElement>} pages */
  constructor(viewer, pages) {
    this.viewer = viewer;
    this.switches = {};
    const show = element('div.switches', {}, ...TOGGLES.map((toggle) => this.makeSwitch(toggle)), viewer.tint.row);
    this.pages = { Plots: pages.plots, Motors: pages.motors, Show: show, Parameters: pages.parameters };
    this.tabs = {};
    const bar = element(
      'nav',
      { role: 'tablist' },
      ...Object.keys(this.pages).map((name) => {
        this.tabs[name] = element('button', { role: 'tab', onclick: () => this.turn(name) }, name);
        return this.tabs[name];
      }),
    );
    this.root = element(
      'aside.panel',
      {},
      bar,
      ...Object.values(this.pages).map((page) => {
        page.classList.add('page');
        return page;
      }),
    );
    this.turn('Plots');
    // A phone's picture comes first.
    this.flip(window.matchMedia('(min-width: 800px)').matches);
  }

  makeSwitch(toggle) {
    const box = element('input', {
      type: 'checkbox',
      'data-toggle': toggle.id,
      onchange: () => {
        this.viewer.toggle(toggle.id, box.checked);
        box.blur();
      },
    });
    box.checked = toggle.on;
    this.switches[toggle.id] = box;
    return element(
      'label.switch',
      {},
      box,
      element('span', {}, toggle.label),
      element('kbd', {}, toggle.key.toUpperCase()),
    );
  }

  toggled(id, on) {
    this.switches[id].checked = on;
  }

  turn(name) {
    for (const [other, page] of Object.entries(this.pages)) {
      page.hidden = other !== name;
      this.tabs[other].setAttribute('aria-selected', String(other === name));
    }
    this.viewer.redraw(); // what is drawn only where it is seen
  }

  /** A page that not every robot has. */
  offer(name, on) {
    this.tabs[name].hidden = !on;
    if (!on && !this.pages[name].hidden) this.turn('Plots');
  }

  flip(on = this.root.hidden) {
    this.root.hidden = !on;
    document.body.classList.toggle('with-panel', on);
  }
}
