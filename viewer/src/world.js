// All that stands on the stage, made from one scene.json and moved by frames.
import { Box3, Vector3 } from 'three';
import { Axes } from './axes.js';
import { Balance } from './balance.js';
import { Bodies } from './robot.js';
import { Contacts } from './contacts.js';
import { Frame } from './frame.js';
import { Pressure } from './pressure.js';
import { Stability } from './stability.js';
import { Terrain } from './terrain.js';
import { Trails } from './trails.js';
import { heaviest, isFree } from './scene.js';

/** What can be shown or hidden: its key, its name, and whether it starts shown. */
export const TOGGLES = [
  { id: 'points', key: 'c', label: 'contact points', on: true },
  { id: 'forces', key: 'f', label: 'contact forces', on: true },
  { id: 'cones', key: 'k', label: 'friction cones', on: false },
  { id: 'support', key: 'u', label: 'support polygon', on: false },
  { id: 'stability', key: 'b', label: 'stability', on: false },
  { id: 'pressure', key: 'r', label: 'pressure', on: false },
  { id: 'com', key: 'm', label: 'centre of mass', on: false },
  { id: 'trails', key: 't', label: 'trails', on: false },
  { id: 'frames', key: 'e', label: 'body frames', on: false },
  { id: 'collision', key: 'x', label: 'collision shapes', on: false },
  { id: 'grid', key: 'g', label: 'ground grid', on: true },
  { id: 'shadows', key: 's', label: 'shadows', on: true },
];

export class World {
  /** @param {import('./stage.js').Stage} stage */
  constructor(stage, scene, dark) {
    this.stage = stage;
    this.scene = scene;
    this.frame = new Frame(scene.bodies.length);
    this.bodies = new Bodies(scene);
    this.terrain = new Terrain(scene);
    this.contacts = new Contacts(scene);
    this.balance = new Balance(scene);
    this.stability = new Stability(scene);
    this.pressure = new Pressure();
    this.axes = new Axes(scene.bodies.length);
    this.trails = new Trails(scene);
    this.parts = [
      this.bodies,
      this.terrain,
      this.contacts,
      this.balance,
      this.stability,
      this.pressure,
      this.axes,
      this.trails,
    ];
    for (const part of this.parts) stage.scene.add(part.group);
    this.shown = {};
    for (const toggle of TOGGLES) this.toggle(toggle.id, toggle.on);
    this.theme(dark);
  }

  theme(dark) {
    this.stage.theme(dark);
    this.terrain.theme(dark);
  }

  /** Move everything to the frame. Nothing here allocates. */
  update() {
    this.bodies.update(this.frame.pose);
    this.contacts.update(this.frame.contact, this.frame.ncontact);
    this.balance.update(this.frame, this.terrain.height);
    this.stability.update(this.frame);
    this.pressure.update(this.frame);
    this.axes.update(this.frame.pose);
    this.trails.update(this.frame);
  }

  /** @param {string} id of TOGGLES */
  toggle(id, on = !this.shown[id]) {
    this.shown[id] = on;
    switch (id) {
      case 'points':
      case 'forces':
      case 'cones':
        this.contacts.toggle(id, on);
        break;
      case 'com':
      case 'support':
        this.balance.toggle(id, on);
        break;
      case 'stability':
        this.stability.toggle(on);
        break;
      case 'pressure':
        this.pressure.toggle(on);
        break;
      case 'trails':
        this.trails.toggle(on);
        break;
      case 'frames':
        this.axes.toggle(on);
        break;
      case 'collision':
        this.bodies.show(on);
        break;
      case 'grid':
        this.terrain.grid(on);
        break;
      case 'shadows':
        this.stage.shadows(on);
        break;
      default:
        return;
    }
    this.update();
  }

  /** The first frame is here: a robot's weight is an arrow half as long as the robot is high. */
  measure() {
    this.bodies.update(this.frame.pose);
    const robot = heaviest(this.scene),
      box = this.bodies.bounds(robot ? (body) => body >= robot.body && body < robot.body + robot.nbody : () => true);
    const high = box.isEmpty() ? 0 : box.max.z - box.min.z;
    this.contacts.weigh(high > 0.02 ? high : 0.5);
    this.stability.weigh(this.frame.com[2] - this.terrain.height);
  }

  /** A box around all shapes and origins of bodies, and where a robot that is fixed can swing. */
  bounds() {
    const box = this.bodies.bounds(() => true),
      p = new Vector3();
    for (let i = 0; i < this.frame.nbody; i++) box.expandByPoint(p.fromArray(this.frame.pose, 7 * i));
    if (box.isEmpty()) box.expandByPoint(p.set(0, 0, 0));
    const { robots = [] } = this.scene;
    if (robots.length === 1 && this.walker < 0) this.addReach(box, robots[0]);
    return box;
  }

  /** What one wants to see from below: soles that press, else everything. */
  soles() {
    const box = this.pressure.soles(this.frame, new Box3());
    return box.isEmpty() ? this.bounds() : box.expandByScalar(0.01);
  }

  /** Most of the ball around its first joint that it reaches; not into the ground. */
  addReach(box, robot) {
    const pivot = new Vector3().fromArray(this.frame.pose, 7 * robot.body);
    const far = new Vector3().copy(box.max).sub(pivot).max(new Vector3().copy(pivot).sub(box.min));
    const reach = 0.45 * Math.max(far.x, far.y, far.z),
      low = box.min.z;
    box.expandByPoint(pivot.clone().addScalar(reach)).expandByPoint(pivot.clone().addScalar(-reach));
    if ((this.scene.terrain ?? []).length > 0) box.min.z = low;
  }

  /** The trunk of a single robot that can walk away, else -1: others are looked at from where one stands. */
  get walker() {
    const { robots = [], joints = [] } = this.scene;
    return robots.length === 1 && isFree(joints) ? this.trunk : -1;
  }

  /** The body that a camera follows when nothing is selected, -1: none. */
  get trunk() {
    const robot = this.scene.robots?.[0];
    return robot ? (robot.trunk ?? robot.body) : this.scene.bodies.length > 0 ? 0 : -1;
  }

  dispose() {
    for (const part of this.parts) {
      this.stage.scene.remove(part.group);
      part.dispose();
    }
  }
}
