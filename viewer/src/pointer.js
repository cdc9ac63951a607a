// The pointer on the picture: double-click selects, ctrl+drag pushes; the rest orbits (camera.js).
import { Raycaster, Vector2, Vector3 } from 'three';
import { placeOf } from './push.js';

const TAP = 300; // ms between two taps
const NEAR = 24; // px between two taps

const ray = new Raycaster();
const at = new Vector2();

export class Pointer {
  /** Register before the orbit controls: a push must not turn the camera. */
  constructor(canvas, viewer) {
    this.canvas = canvas;
    this.viewer = viewer;
    this.tool = false; // a plain drag pushes
    this.tap = { time: -Infinity, x: 0, y: 0 };
    this.id = null;
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    canvas.addEventListener('pointerup', (event) => this.up(event), { capture: true });
    canvas.addEventListener('pointercancel', (event) => this.up(event), { capture: true });
    canvas.addEventListener('lostpointercapture', (event) => this.up(event));
    canvas.addEventListener('dblclick', (event) => this.select(event));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    // A window that loses the keyboard may never see the end of a drag.
    window.addEventListener('blur', () => this.viewer.push?.stop());
  }

  hit(event) {
    const { world, camera } = this.viewer;
    if (!world) return null;
    ray.setFromCamera(placeOf(event, this.canvas, at), camera.camera);
    return world.bodies.pick(ray);
  }

  select(event) {
    this.viewer.select(this.hit(event)?.body ?? -1);
  }

  down(event) {
    this.canvas.focus({ preventScroll: true });
    if (this.twice(event)) this.select(event);
    const wants = event.button === 0 && (event.ctrlKey || event.metaKey || (this.tool && event.isPrimary));
    if (!wants || !this.viewer.world || !this.viewer.mayPush) return;
    const target = this.hit(event) ?? this.selected();
    if (!target) {
      if (!this.tool) event.stopImmediatePropagation();
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    this.id = event.pointerId;
    this.canvas.setPointerCapture(event.pointerId);
    this.viewer.push.start(this.viewer.world, target.body, target.point, this.viewer.camera.camera);
    this.viewer.redraw();
  }

  /** Off the robot, a push takes the selected body at its origin. */
  selected() {
    const { selected, world } = this.viewer;
    return selected >= 0 ? { body: selected, point: new Vector3().fromArray(world.frame.pose, 7 * selected) } : null;
  }

  /** Fingers have no double-click. */
  twice(event) {
    if (event.pointerType !== 'touch' || !event.isPrimary) return false;
    const { tap } = this,
      now = performance.now();
    const again = now - tap.time < TAP && Math.hypot(event.clientX - tap.x, event.clientY - tap.y) < NEAR;
    Object.assign(tap, { time: again ? -Infinity : now, x: event.clientX, y: event.clientY });
    return again;
  }

  move(event) {
    const { push } = this.viewer;
    if (event.pointerId !== this.id || !push?.held) return;
    event.stopImmediatePropagation();
    placeOf(event, this.canvas, push.pointer);
    push.update(this.viewer.camera.camera);
    this.viewer.redraw();
  }

  up(event) {
    if (event.pointerId !== this.id) return;
    this.id = null;
    this.viewer.push?.stop();
    this.viewer.redraw();
  }
}
