// Where the feet and the centre of mass were: the last seconds as lines.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, Line, LineBasicMaterial } from 'three';
import { poseMatrix } from './matrix.js';

const LENGTH = 900; // points of a trail
const MOST = 64; // trails
const JUMP = 0.5; // s; a larger step of time is a jump, not a motion

const m = new Float64Array(16);

/** A line that forgets its oldest points: twice the room, moved to the front when full. */
class Trail {
  constructor(color) {
    this.points = new Float32Array(2 * LENGTH * 3);
    this.count = 0;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(this.points, 3).setUsage(DynamicDrawUsage));
    this.line = new Line(geometry, new LineBasicMaterial({ color, fog: false, toneMapped: false }));
    this.line.frustumCulled = false;
    this.clear();
  }

  clear() {
    this.count = 0;
    this.line.geometry.setDrawRange(0, 0);
  }

  add(x, y, z) {
    if (this.count === 2 * LENGTH) {
      this.points.copyWithin(0, 3 * LENGTH);
      this.count = LENGTH;
    }
    this.points[3 * this.count] = x;
    this.points[3 * this.count + 1] = y;
    this.points[3 * this.count + 2] = z;
    this.count++;
    const first = Math.max(0, this.count - LENGTH);
    this.line.geometry.setDrawRange(first, this.count - first);
    this.line.geometry.attributes.position.needsUpdate = true;
  }
}

export class Trails {
  constructor(scene) {
    this.group = new Group();
    this.group.visible = false;
    this.feet = (scene.feet ?? []).slice(0, MOST - 1);
    this.trails = this.feet.map((foot, i) => new Trail(new Color().setHSL((0.58 + i * 0.19) % 1, 0.75, 0.52)));
    this.com = new Trail(new Color(0xff4fa3));
    for (const trail of [...this.trails, this.com]) this.group.add(trail.line);
    this.time = -Infinity;
  }

  clear() {
    for (const trail of this.trails) trail.clear();
    this.com.clear();
    this.time = -Infinity;
  }

  /** @param {import('./frame.js').Frame} frame */
  update(frame) {
    if (frame.time === this.time || Number.isNaN(frame.time)) return;
    if (frame.time < this.time || frame.time > this.time + JUMP) this.clear();
    this.time = frame.time;
    for (let i = 0; i < this.feet.length; i++) {
      const { body, point: p } = this.feet[i];
      poseMatrix(frame.pose, 7 * body, m, 0);
      this.trails[i].add(
        m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
        m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
        m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14],
      );
    }
    this.com.add(frame.com[0], frame.com[1], frame.com[2]);
  }

  toggle(on) {
    this.group.visible = on;
  }

  dispose() {
    for (const { line } of [...this.trails, this.com]) {
      line.geometry.dispose();
      line.material.dispose();
    }
  }
}
