// Where the page starts.
import './style.css';
import { element } from './dom.js';
import { pressureOf } from './pressure.js';
import { Render } from './render.js';
import { stanceOf } from './stability.js';
import { Vector3 } from 'three';
import { Viewer } from './viewer.js';

const query = new URLSearchParams(window.location.search);
const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('canvas'));
const errors = [];
let viewer = null;
let film = null;

/** The state, for tests and for the curious. It can be read, not set. */
const state = {
  get connected() {
    return viewer?.connected ?? film?.connection.state === 'connected';
  },
  get mode() {
    return viewer?.hello?.mode ?? film?.mode ?? null;
  },
  get readOnly() {
    return viewer?.hello?.read_only ?? false;
  },
  get time() {
    return (viewer ?? film)?.world?.frame.time || 0;
  },
  get dt() {
    return viewer?.hello?.dt ?? 0;
  },
  get step() {
    return (viewer ?? film)?.world?.frame.step ?? 0;
  },
  get frames() {
    return (viewer ?? film)?.frames ?? 0;
  },
  get drawn() {
    return viewer?.drawn ?? film?.number ?? 0;
  },
  get moveTime() {
    return viewer?.moveTime ?? 0;
  },
  get drawTime() {
    return viewer?.drawTime ?? 0;
  },
  get playing() {
    return Boolean(viewer?.status.playing);
  },
  get ended() {
    return Boolean(viewer?.status.ended);
  },
  get speed() {
    return viewer?.status.speed ?? 1;
  },
  get contacts() {
    return (viewer ?? film)?.world?.frame.ncontact ?? 0;
  },
  get bodies() {
    return viewer?.hello?.scene.bodies.map((body, i) => ({ name: body.name, position: placeOf(i) })) ?? [];
  },
  get selected() {
    return viewer && viewer.selected >= 0 ? viewer.hello.scene.bodies[viewer.selected].name : null;
  },
  get following() {
    return viewer?.camera.followed ?? -1;
  },
  get pushing() {
    return viewer?.push.body ?? -1;
  },
  get shown() {
    return { ...viewer?.world?.shown };
  },
  get plots() {
    return viewer?.plots.list.length ?? 0;
  },
  get curves() {
    return viewer?.plots.list.reduce((sum, plot) => sum + plot.curves.length, 0) ?? 0;
  },
  get points() {
    return viewer?.plots.points ?? 0;
  },
  /** By what bodies have their colours, and each one's part of its limit, by name. */
  get colours() {
    const { mode, part } = viewer?.tint ?? { mode: 'none', part: [] };
    const known = viewer?.hello?.scene.bodies.map(({ name }, i) => [name, part[i]]) ?? [];
    return { mode, parts: Object.fromEntries(known.filter((pair) => !Number.isNaN(pair[1]))) };
  },
  /** The motor whose torque is plotted against its speed. */
  get motor() {
    return viewer?.motors.state ?? null;
  },
  /** Points on the ground with their margins, S_H and edges; null: not known. */
  get stability() {
    return stanceOf((viewer ?? film)?.world?.frame);
  },
  /** Faces that press as the frame has them, the largest pressure now and so far, the end of the scale; null: not known. */
  get pressure() {
    const { frame, pressure } = (viewer ?? film)?.world ?? {};
    return pressureOf(frame, pressure);
  },
  get errors() {
    return [...errors, ...((viewer ?? film)?.errors ?? [])];
  },
  /** Where a body's origin is on the page, px. */
  screen(body) {
    const box = canvas.getBoundingClientRect();
    const p = new Vector3(...placeOf(body)).project(viewer.camera.camera);
    return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
  },
};

function placeOf(body) {
  return viewer ? [...viewer.world.frame.pose.subarray(7 * body, 7 * body + 3)] : [0, 0, 0];
}

const NO_WEBGL =
  'This browser offers no WebGL 2, which the viewer draws with. Allow hardware acceleration in its settings, or ' +
  'try another browser; Firefox and Chromium have it also without a graphics card.';

/** WebGL is missing or something broke before the first picture: say so. */
function explain(error) {
  errors.push(error.message);
  const test = document.createElement('canvas');
  const reason = test.getContext('webgl2') === null ? NO_WEBGL : `The viewer could not start: ${error.message}`;
  document.body.append(
    element(
      'div.overlay',
      {},
      element('div.help', { role: 'alert' }, element('h2', {}, 'No picture'), element('p', {}, reason)),
    ),
  );
}

function start() {
  window.addEventListener('error', (event) => errors.push(event.message));
  window.addEventListener('unhandledrejection', (event) => errors.push(String(event.reason)));
  Object.defineProperty(window, 'pronk', { value: Object.freeze(state), writable: false });
  try {
    if (query.get('render') === '1') {
      document.body.classList.add('render');
      film = new Render(canvas, query);
    } else {
      viewer = new Viewer(document.getElementById('app'), canvas);
    }
  } catch (error) {
    explain(error);
  }
}

start();
