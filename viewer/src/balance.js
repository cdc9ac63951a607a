// Balance: the centre of mass, its projection on the ground, and the support polygon, which is
// the hull of the contact points of each robot seen from above.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  SphereGeometry,
} from 'three';

const MOST = 512; // contacts looked at
const LIFT = 0.004; // m above the ground, so that it is seen

/** Indices of points sorted by x, then y: insertion sort, nearly sorted from frame to frame. */
function sortPoints(index, count, x, y) {
  for (let i = 1; i < count; i++) {
    const k = index[i];
    let j = i - 1;
    while (j >= 0 && (x[index[j]] > x[k] || (x[index[j]] === x[k] && y[index[j]] > y[k]))) {
      index[j + 1] = index[j];
      j--;
    }
    index[j + 1] = k;
  }
}

/** Whether points a, b, c turn counter-clockwise. */
function turnsLeft(a, b, c, x, y) {
  return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]) > 0;
}

/**
 * Andrew's monotone chain. Corners go counter-clockwise into `hull`; their number comes back.
 * @param {Int32Array} index which points; sorted here
 */
export function convexHull(index, count, x, y, hull) {
  sortPoints(index, count, x, y);
  if (count < 3) {
    for (let i = 0; i < count; i++) hull[i] = index[i];
    return count;
  }
  let n = 0;
  for (let pass = 0; pass < 2; pass++) {
    const least = pass === 0 ? 2 : n + 1;
    for (let i = 0; i < count; i++) {
      const k = pass === 0 ? index[i] : index[count - 1 - i];
      if (pass === 1 && i === 0) continue;
      while (n >= least && !turnsLeft(hull[n - 2], hull[n - 1], k, x, y)) n--;
      hull[n++] = k;
    }
  }
  return n - 1; // the first corner came again
}

export class Balance {
  constructor(scene) {
    this.group = new Group();
    this.trunks = (scene.robots ?? []).map((robot) => robot.trunk ?? robot.body);
    this.show = { com: false, support: false };
    this.makeCom();
    this.makeSupport();
    this.x = new Float32Array(MOST);
    this.y = new Float32Array(MOST);
    this.z = new Float32Array(MOST);
    this.owner = new Int32Array(MOST);
    this.index = new Int32Array(MOST);
    this.hull = new Int32Array(2 * MOST);
    this.toggle('com', false);
    this.toggle('support', false);
  }

  makeCom() {
    const flat = { depthTest: false, transparent: true, fog: false, toneMapped: false };
    this.com = new Group();
    this.ball = new Mesh(new SphereGeometry(0.022, 24, 16), new MeshBasicMaterial({ color: 0xff4fa3, ...flat }));
    this.ring = new Mesh(
      new RingGeometry(0.014, 0.024, 32),
      new MeshBasicMaterial({ color: 0xff4fa3, side: DoubleSide, ...flat }),
    );
    this.drop = new Line(
      new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array([0, 0, 0, 0, 0, -1]), 3)),
      new LineBasicMaterial({ color: 0xff4fa3, ...flat }),
    );
    this.drop.frustumCulled = false;
    for (const part of [this.ball, this.ring, this.drop]) part.renderOrder = 3;
    this.com.add(this.ball, this.ring, this.drop);
    this.group.add(this.com);
  }

  makeSupport() {
    const buffer = () => {
      const geometry = new BufferGeometry();
      const attribute = new BufferAttribute(new Float32Array(3 * 3 * MOST), 3);
      attribute.setUsage(DynamicDrawUsage);
      geometry.setAttribute('position', attribute);
      return geometry;
    };
    this.fill = new Mesh(
      buffer(),
      new MeshBasicMaterial({
        color: 0x4aa3ff,
        transparent: true,
        opacity: 0.3,
        side: DoubleSide,
        depthWrite: false,
        fog: false,
      }),
    );
    this.edge = new LineSegments(buffer(), new LineBasicMaterial({ color: 0x2f7fe0, fog: false }));
    for (const part of [this.fill, this.edge]) {
      part.frustumCulled = false;
      part.renderOrder = 1;
    }
    this.group.add(this.fill, this.edge);
  }

  update(frame, height) {
    if (this.show.com) {
      const x = frame.com[0],
        y = frame.com[1],
        z = frame.com[2];
      this.ball.position.set(x, y, z);
      this.ring.position.set(x, y, height + LIFT);
      this.drop.position.set(x, y, z);
      this.drop.scale.set(1, 1, Math.max(z - height, 1e-6));
    }
    if (this.show.support) this.updateSupport(frame);
  }

  updateSupport(frame) {
    const count = Math.min(frame.ncontact, MOST),
      { contact, pose } = frame;
    for (let i = 0; i < count; i++) {
      this.x[i] = contact[10 * i];
      this.y[i] = contact[10 * i + 1];
      this.z[i] = contact[10 * i + 2];
      this.owner[i] = this.nearest(pose, this.x[i], this.y[i]);
    }
    this.corners = 0;
    this.ends = 0;
    for (let robot = 0; robot < this.trunks.length; robot++) {
      let n = 0;
      for (let i = 0; i < count; i++) if (this.owner[i] === robot) this.index[n++] = i;
      if (n > 1) this.addHull(convexHull(this.index, n, this.x, this.y, this.hull));
    }
    this.fill.geometry.setDrawRange(0, this.corners);
    this.edge.geometry.setDrawRange(0, this.ends);
    this.fill.geometry.attributes.position.needsUpdate = true;
    this.edge.geometry.attributes.position.needsUpdate = true;
  }

  /** Contacts belong to the robot whose trunk is nearest. */
  nearest(pose, x, y) {
    let best = 0,
      least = Infinity;
    for (let robot = 0; robot < this.trunks.length; robot++) {
      const b = 7 * this.trunks[robot];
      const dx = pose[b] - x,
        dy = pose[b + 1] - y,
        d = dx * dx + dy * dy;
      if (d < least) {
        least = d;
        best = robot;
      }
    }
    return best;
  }

  addHull(n) {
    const fill = this.fill.geometry.attributes.position.array,
      edge = this.edge.geometry.attributes.position.array;
    for (let i = 1; i + 1 < n; i++) {
      this.corner(fill, this.corners++, this.hull[0]);
      this.corner(fill, this.corners++, this.hull[i]);
      this.corner(fill, this.corners++, this.hull[i + 1]);
    }
    for (let i = 0; i < n; i++) {
      this.corner(edge, this.ends++, this.hull[i]);
      this.corner(edge, this.ends++, this.hull[(i + 1) % n]);
    }
  }

  corner(out, at, point) {
    out[3 * at] = this.x[point];
    out[3 * at + 1] = this.y[point];
    out[3 * at + 2] = this.z[point] + LIFT;
  }

  /** @param {'com'|'support'} what */
  toggle(what, on) {
    this.show[what] = on;
    if (what === 'com') this.com.visible = on;
    else this.fill.visible = this.edge.visible = on;
  }

  dispose() {
    this.group.traverse((part) => {
      part.geometry?.dispose();
      part.material?.dispose();
    });
  }
}
