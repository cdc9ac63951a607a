// The camera: orbit, pan and zoom by hand, presets, and following a body.
import { MOUSE, PerspectiveCamera, TOUCH, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

/** Where a preset looks from, as a direction from what it looks at. */
export const PRESETS = {
  iso: [0.62, -0.85, 0.36],
  side: [0, -1, 0.16],
  front: [1, 0, 0.16],
  top: [-0.001, 0, 1],
  follow: [-0.9, 0, 0.42],
  below: [0.45, -0.5, -0.75],
};

const AIR = 1.35; // the picture, as a multiple of what should be in it

const moved = new Vector3();

export class Camera {
  /** @param {HTMLElement} element that takes the pointer */
  constructor(element, changed) {
    this.camera = new PerspectiveCamera(38, 1, 0.02, 500);
    this.camera.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.camera, element);
    this.orbit.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    this.orbit.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.orbit.maxPolarAngle = Math.PI * 0.98;
    this.orbit.minDistance = 0.05;
    this.orbit.maxDistance = 200;
    this.orbit.zoomSpeed = 1.4;
    this.orbit.zoomToCursor = false;
    this.orbit.addEventListener('change', changed);
    this.preset = 'iso';
    this.followed = -1;
    this.last = new Vector3();
    this.heading = 0;
    this.extent = 1; // m, radius of what should be in the picture
  }

  /** Look at a box from a preset's side. @param {import('three').Box3} box */
  frame(box, preset = this.preset) {
    this.preset = PRESETS[preset] ? preset : 'iso';
    const centre = box.getCenter(new Vector3()),
      size = box.getSize(new Vector3());
    this.extent = Math.max(size.length() / 2, 0.35);
    const direction = new Vector3(...PRESETS[this.preset]).normalize();
    if (this.preset === 'follow') direction.applyAxisAngle(this.camera.up, this.heading);
    this.orbit.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, this.distance(size, direction));
    this.orbit.update();
    this.camera.updateMatrixWorld(); // whoever picks before the next picture sees the same
  }

  /** From how far a box of that size is seen whole, with some air around it. */
  distance(size, direction) {
    const right = new Vector3().crossVectors(this.camera.up, direction).normalize(),
      up = new Vector3().crossVectors(direction, right);
    const high = Math.tan((this.camera.fov * Math.PI) / 360) / AIR,
      wide = high * this.camera.aspect;
    let distance = 0;
    for (let i = 0; i < 8; i++) {
      moved.set(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5).multiply(size);
      const across = Math.max(Math.abs(moved.dot(right)) / wide, Math.abs(moved.dot(up)) / high);
      distance = Math.max(distance, moved.dot(direction) + across);
    }
    return Math.max(distance, this.preset === 'below' ? 0.2 : 0.5);
  }

  /** @param {number} body -1: stand still */
  follow(body, pose) {
    this.followed = body;
    if (body >= 0) this.last.fromArray(pose, 7 * body);
    this.heading = body >= 0 ? headingOf(pose, 7 * body) : 0;
  }

  /** Go along with what is followed; heights are taken gently. @param {Float32Array} pose */
  update(pose) {
    if (this.followed < 0) return;
    moved.fromArray(pose, 7 * this.followed).sub(this.last);
    if (Math.abs(moved.z) < 0.25) moved.z *= 0.05;
    this.last.add(moved);
    this.camera.position.add(moved);
    this.orbit.target.add(moved);
    if (this.preset === 'follow') this.turn(headingOf(pose, 7 * this.followed));
    // OrbitControls reads the target in its next update only; looking there is enough here.
    this.camera.lookAt(this.orbit.target);
    this.camera.updateMatrixWorld();
  }

  /** Stay behind a robot that turns. */
  turn(heading) {
    const by = Math.atan2(Math.sin(heading - this.heading), Math.cos(heading - this.heading)) * 0.1;
    this.heading += by;
    moved.copy(this.camera.position).sub(this.orbit.target).applyAxisAngle(this.camera.up, by);
    this.camera.position.copy(this.orbit.target).add(moved);
  }

  size(width, height) {
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }
}

/** The angle of a body's x axis about the vertical, rad. */
function headingOf(pose, at) {
  const w = pose[at + 3],
    x = pose[at + 4],
    y = pose[at + 5],
    z = pose[at + 6];
  return Math.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z));
}
