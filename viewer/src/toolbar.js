// The bar on top: name, transport, cameras, screenshot, help, panel.
import { element, icon, number } from './dom.js';
import { PRESETS } from './camera.js';

/** A button that does not keep the focus, so that keys go to the picture. */
export function button(name, title, act, more = '') {
  return element(
    `button.icon${more}`,
    {
      title,
      'aria-label': title,
      onclick: (event) => {
        act();
        if (event.detail > 0) event.currentTarget.blur();
      },
    },
    icon(name),
  );
}

export class Toolbar {
  constructor(viewer) {
    this.name = element('strong');
    this.mode = element('span.badge');
    this.back = button('back', 'one step back (←)', () => viewer.step(-1));
    this.play = button('play', 'play or pause (Space)', () => viewer.playPause(), '.primary');
    this.next = button('forward', 'one step (→)', () => viewer.step(1));
    this.again = button('reset', 'start again (Backspace)', () => viewer.reset());
    this.speed = element('output.speed', { title: 'speed' }, '×1');
    this.slower = button('slower', 'slower (−)', () => viewer.faster(0.5));
    this.faster = button('faster', 'faster (+)', () => viewer.faster(2));
    this.tool = button('push', 'push: drag a body (or hold ctrl)', () => viewer.pushTool(), '.push');
    this.cameras = element(
      'select',
      {
        'aria-label': 'camera',
        title: 'camera (1 to 6)',
        onchange: () => {
          viewer.look(this.cameras.value);
          this.cameras.blur();
        },
      },
      ...Object.keys(PRESETS).map((preset) => element('option', { value: preset }, preset)),
    );
    this.follow = button('follow', 'follow (V)', () => viewer.followFlip());
    this.root = element(
      'header.toolbar',
      {},
      element('div.title', {}, this.name, this.mode),
      element('div.group', {}, this.again, this.back, this.play, this.next),
      element('div.group.speeds', {}, this.slower, this.speed, this.faster),
      element(
        'div.group.looks',
        {},
        this.tool,
        this.follow,
        this.cameras,
        button('camera', 'screenshot (P)', () => viewer.screenshot()),
        button('help', 'keys (F1)', () => viewer.help.flip(), '.asks'),
        button('panel', 'panel (L)', () => viewer.panel.flip()),
      ),
    );
  }

  hello(hello) {
    this.name.textContent = hello.name ?? 'pronk';
    this.mode.textContent = hello.read_only ? `${hello.mode}, read-only` : hello.mode;
    this.back.hidden = hello.mode !== 'replay';
    this.tool.hidden = hello.mode !== 'live' || hello.read_only;
    for (const part of [this.play, this.next, this.again, this.slower, this.faster]) {
      part.disabled = hello.mode === 'live' && hello.read_only;
    }
  }

  status(status) {
    const name = status.playing ? 'pause' : 'play';
    if (this.play.dataset.shows !== name) {
      this.play.dataset.shows = name;
      this.play.replaceChildren(icon(name));
    }
    this.speed.textContent = `×${number(status.speed, 3)}`;
  }
}
