// The card of the selected body: name, mass, pose.
import { element, icon } from './dom.js';

const DEGREES = 180 / Math.PI;

export class Card {
  constructor(viewer) {
    this.name = element('strong');
    this.rows = {};
    const row = (id, label) => {
      this.rows[id] = element('output');
      return element('div.card-row', {}, element('span.muted', {}, label), this.rows[id]);
    };
    this.follow = element(
      'button',
      { onclick: () => viewer.followFlip(), title: 'the camera goes along (V)' },
      'follow',
    );
    this.root = element(
      'aside.card',
      { hidden: true, 'aria-label': 'selected body' },
      element(
        'header',
        {},
        this.name,
        element(
          'button.icon.small',
          { title: 'deselect (Esc)', 'aria-label': 'deselect', onclick: () => viewer.select(-1) },
          icon('close'),
        ),
      ),
      row('robot', 'robot'),
      row('mass', 'mass'),
      row('position', 'position'),
      row('angles', 'roll pitch yaw'),
      this.follow,
    );
    this.drawn = 0;
  }

  show(scene, body) {
    this.body = body;
    this.root.hidden = body < 0;
    if (body < 0) return;
    const { name, mass, robot } = scene.bodies[body];
    this.name.textContent = name;
    this.rows.robot.textContent = scene.robots?.[robot]?.name ?? '–';
    this.rows.mass.textContent = `${mass.toFixed(3)} kg`;
    this.drawn = 0;
  }

  /** A few times a second is enough for a reader. */
  update(pose) {
    const now = performance.now();
    if (this.root.hidden || now - this.drawn < 100) return;
    this.drawn = now;
    const p = 7 * this.body;
    const w = pose[p + 3],
      x = pose[p + 4],
      y = pose[p + 5],
      z = pose[p + 6];
    const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
    const pitch = Math.asin(Math.min(1, Math.max(-1, 2 * (w * y - z * x))));
    const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
    const places = (values, digits) => values.map((value) => value.toFixed(digits)).join('  ');
    this.rows.position.textContent = `${places([pose[p], pose[p + 1], pose[p + 2]], 3)} m`;
    this.rows.angles.textContent = `${places(
      [roll, pitch, yaw].map((angle) => angle * DEGREES),
      1,
    )}°`;
  }
}
