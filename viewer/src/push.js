// Pushing a body by hand: a spring from the point that was taken to the pointer.
import { Group, Matrix4, Plane, Raycaster, Vector2, Vector3 } from 'three';
import { Arrows } from './contacts.js';
import { gravityOf, robotMass } from './scene.js';

const REPEAT = 60; // ms; the server lets go after 250 ms of silence
const MOST = 2; // longest drag counted, m

const ray = new Raycaster();

/** A pointer's place in the picture: -1 to 1 to the right and up. @param {Vector2} out */
export function placeOf(event, canvas, out) {
  const box = canvas.getBoundingClientRect();
  return out.set(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
}

export class Push {
  /** @param {(message: object) => void} send */
  constructor(stage, send) {
    this.send = send;
    this.group = new Group();
    this.arrow = new Arrows(this.group, 0xff5a36, 0.009, true);
    stage.scene.add(this.group);
    this.body = -1;
    this.point = new Vector3(); // taken, in the body's frame
    this.place = new Vector3(); // the same in the world
    this.hand = new Vector3(); // the pointer in the world,
    this.pointer = new Vector2(); // and in the picture
    this.force = new Vector3();
    this.plane = new Plane();
    this.matrix = new Matrix4();
    this.normal = new Vector3();
    this.sent = 0;
  }

  get held() {
    return this.body >= 0;
  }

  /** Take a body at a point of the world. */
  start(world, body, point, camera) {
    this.world = world;
    // Half a metre of drag is a robot's weight.
    this.stiffness = 2 * robotMass(world.scene) * gravityOf(world.scene);
    this.body = body;
    this.matrix.fromArray(world.bodies.frames, 16 * body);
    this.point.copy(point).applyMatrix4(this.matrix.clone().invert());
    this.pointer.copy(this.normal.copy(point).project(camera));
    this.update(camera);
  }

  /** The body moved, the hand or the camera: the force follows, and the server hears of it. */
  update(camera) {
    if (!this.held) return;
    this.matrix.fromArray(this.world.bodies.frames, 16 * this.body);
    this.place.copy(this.point).applyMatrix4(this.matrix);
    // The hand is in the plane through the point that faces the camera.
    this.plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(this.normal), this.place);
    ray.setFromCamera(this.pointer, camera);
    if (!ray.ray.intersectPlane(this.plane, this.hand)) this.hand.copy(this.place);
    this.force.copy(this.hand).sub(this.place).clampLength(0, MOST);
    const length = this.force.length();
    this.arrow.put(
      0,
      this.place.x,
      this.place.y,
      this.place.z,
      this.force.x / (length || 1),
      this.force.y / (length || 1),
      length > 0 ? this.force.z / length : 1,
      Math.max(length, 1e-4),
    );
    this.arrow.finish(1);
    this.force.multiplyScalar(this.stiffness);
    this.repeat();
  }

  /** Say it again: the server forgets a push that is not renewed. */
  repeat() {
    const now = performance.now();
    if (!this.held || now - this.sent < REPEAT) return;
    this.sent = now;
    this.send({ type: 'push', body: this.body, point: this.point.toArray(), force: this.force.toArray() });
  }

  stop() {
    if (!this.held) return;
    this.body = -1;
    this.arrow.finish(0);
    this.send({ type: 'push', body: -1 });
  }
}
