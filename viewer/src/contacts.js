// Contacts: points, force arrows, friction cones.
import { ConeGeometry, CylinderGeometry, DoubleSide, Group, MeshBasicMaterial, SphereGeometry } from 'three';
import { Instances } from './instances.js';
import { alongMatrix } from './matrix.js';
import { gravityOf, robotMass } from './scene.js';

const POINT = 0.013; // m, radius
const CONE = 0.14; // m, height of a friction cone

/** A cylinder or cone from the origin along z, unit length and radius. */
const upright = (geometry) => geometry.rotateX(Math.PI / 2).translate(0, 0, 0.5);

const flat = (color, more = {}) => new MeshBasicMaterial({ color, fog: false, toneMapped: false, ...more });

/** Arrows with a shaft and a head. */
export class Arrows {
  constructor(parent, color, width = 0.007, over = false) {
    const material = () => flat(color, { depthTest: !over, transparent: over });
    this.width = width;
    this.shaft = new Instances(parent, upright(new CylinderGeometry(1, 1, 1, 14)), material());
    this.head = new Instances(parent, upright(new ConeGeometry(1, 1, 20)), material());
  }

  reserve(count) {
    this.shaft.reserve(count);
    this.head.reserve(count);
  }

  /** Arrow i from a place along a unit direction. */
  put(i, x, y, z, dx, dy, dz, length) {
    const head = Math.min(5 * this.width, 0.5 * length),
      shaft = length - head;
    alongMatrix(x, y, z, dx, dy, dz, this.width, shaft, this.shaft.matrix, 16 * i);
    alongMatrix(x + shaft * dx, y + shaft * dy, z + shaft * dz, dx, dy, dz, 0.5 * head, head, this.head.matrix, 16 * i);
  }

  finish(count) {
    this.shaft.finish(count);
    this.head.finish(count);
  }

  dispose() {
    this.shaft.dispose();
    this.head.dispose();
  }
}

export class Contacts {
  constructor(scene) {
    this.group = new Group();
    this.weight = robotMass(scene) * gravityOf(scene); // N
    this.points = new Instances(
      this.group,
      new SphereGeometry(1, 16, 10),
      flat(0xffc233, { depthTest: false, transparent: true }),
    );
    this.arrows = new Arrows(this.group, 0x35c46a, 0.007, true);
    const cone = new ConeGeometry(1, 1, 36, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    this.cones = new Instances(
      this.group,
      cone,
      flat(0x4aa3ff, { transparent: true, opacity: 0.28, side: DoubleSide, depthWrite: false }),
    );
    this.weigh(0.5);
    this.show = { points: true, forces: true, cones: false };
  }

  /** The weight of a robot of that height (m) is an arrow of half of it. */
  weigh(high) {
    this.scale = (0.5 * high) / this.weight;
    this.arrows.width = Math.min(0.007, 0.016 * high);
  }

  /** @param {Float32Array} contact [count][10] */
  update(contact, count) {
    if (this.show.points) this.updatePoints(contact, count);
    if (this.show.forces) this.updateArrows(contact, count);
    if (this.show.cones) this.updateCones(contact, count);
  }

  updatePoints(contact, count) {
    this.points.reserve(count);
    for (let i = 0; i < count; i++) {
      const c = 10 * i;
      alongMatrix(contact[c], contact[c + 1], contact[c + 2], 0, 0, 1, POINT, POINT, this.points.matrix, 16 * i);
    }
    this.points.finish(count);
  }

  updateArrows(contact, count) {
    this.arrows.reserve(count);
    let drawn = 0;
    for (let i = 0; i < count; i++) {
      const c = 10 * i;
      const fx = contact[c + 6],
        fy = contact[c + 7],
        fz = contact[c + 8];
      const force = Math.sqrt(fx * fx + fy * fy + fz * fz),
        length = force * this.scale;
      if (!(length > 1e-3)) continue;
      this.arrows.put(
        drawn++,
        contact[c],
        contact[c + 1],
        contact[c + 2],
        fx / force,
        fy / force,
        fz / force,
        Math.min(length, 5),
      );
    }
    this.arrows.finish(drawn);
  }

  updateCones(contact, count) {
    this.cones.reserve(count);
    for (let i = 0; i < count; i++) {
      const c = 10 * i;
      alongMatrix(
        contact[c],
        contact[c + 1],
        contact[c + 2],
        contact[c + 3],
        contact[c + 4],
        contact[c + 5],
        CONE * contact[c + 9],
        CONE,
        this.cones.matrix,
        16 * i,
      );
    }
    this.cones.finish(count);
  }

  /** @param {'points'|'forces'|'cones'} what */
  toggle(what, on) {
    this.show[what] = on;
    if (on) return;
    if (what === 'points') this.points.finish(0);
    else if (what === 'forces') this.arrows.finish(0);
    else this.cones.finish(0);
  }

  dispose() {
    for (const part of [this.points, this.arrows, this.cones]) part.dispose();
  }
}
