// Stability of the first robot: edges of its support coloured by S_H, GCoM, ZMP, FRI and capture point on the ground, and the
// margins of all of them in numbers.
import {
  BufferAttribute,
  BufferGeometry,
  CircleGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
} from 'three';
import { element } from './dom.js';
import { gravityOf, robotMass } from './scene.js';
import { STOPS, scaleColour } from './scale.js';

const MOST = 32; // edges
const LIFT = 0.006; // m above the ground, so that it is seen

/** Points on the ground: where they stand in a frame's stance, and how they are drawn. */
const POINTS = [
  { id: 'gcom', label: 'centre of mass', colour: '#ff4fa3', at: 0, margin: 12, make: () => new CircleGeometry(0.9, 24) },
  { id: 'zmp', label: 'ZMP', colour: '#ffb000', at: 3, margin: 13, make: () => new CircleGeometry(0.7, 24) },
  { id: 'fri', label: 'FRI', colour: '#12b5cf', at: 6, margin: 14, make: () => new RingGeometry(1, 1.4, 32) },
  { id: 'capture', label: 'capture point', colour: '#9a6bff', at: 9, margin: 15, make: () => new CircleGeometry(1.2, 4) },
];
const S_H = 16;

const flat = (more) => new MeshBasicMaterial({ side: DoubleSide, fog: false, toneMapped: false, ...more });

/** A geometry of so many corners that moves. */
function moving(corners, coloured) {
  const geometry = new BufferGeometry();
  for (const name of coloured ? ['position', 'color'] : ['position']) {
    const attribute = new BufferAttribute(new Float32Array(3 * corners), 3);
    attribute.setUsage(DynamicDrawUsage);
    geometry.setAttribute(name, attribute);
  }
  return geometry;
}

/** What is drawn on the ground. */
export class Stability {
  constructor(scene) {
    this.group = new Group();
    this.mass = robotMass(scene);
    this.gravity = gravityOf(scene);
    this.full = 1; // kg m^2/s, S_H from which an edge has the last colour
    this.size = 0.016; // m, of points
    this.colour = new Color();
    this.fill = new Mesh(moving(3 * MOST, false), flat({ color: 0x4aa3ff, transparent: true, opacity: 0.25, depthWrite: false }));
    this.ribbon = new Mesh(moving(6 * MOST, true), flat({ vertexColors: true, depthTest: false, transparent: true }));
    this.marks = POINTS.map(
      ({ colour, make }) => new Mesh(make(), flat({ color: colour, depthTest: false, transparent: true })),
    );
    for (const [i, part] of [this.fill, this.ribbon, ...this.marks].entries()) {
      part.frustumCulled = false;
      part.renderOrder = 1 + i;
      this.group.add(part);
    }
    this.card = new StabilityCard();
    this.toggle(false);
  }

  /** The first frame is here: colours end where the robot, at that height of its centre of mass, can take m h sqrt(g h) / 2. */
  weigh(height) {
    const h = Math.max(height, 0.02);
    this.full = 0.5 * this.mass * h * Math.sqrt(this.gravity * h);
    this.size = Math.min(0.016, 0.05 * h);
    this.card.range(this.full);
  }

  update(frame) {
    if (!this.shown) return;
    const known = frame.nedge >= 0;
    this.updateEdges(frame, known ? frame.nedge : 0);
    POINTS.forEach(({ at }, i) => this.put(this.marks[i], frame.stance, at, known));
    this.card.update(frame, known);
  }

  put(mark, stance, at, known) {
    mark.visible = known && Number.isFinite(stance[at]);
    if (!mark.visible) return;
    mark.position.set(stance[at], stance[at + 1], stance[at + 2] + LIFT);
    mark.scale.setScalar(this.size);
  }

  updateEdges(frame, count) {
    const { edge } = frame,
      ribbon = this.ribbon.geometry.attributes,
      fill = this.fill.geometry.attributes.position;
    for (let i = 0; i < count; i++) {
      const e = 7 * i;
      // Red at zero and below, where it tips; blue where it is far from it.
      scaleColour(1 - edge[e + 6] / this.full, this.colour);
      this.addRibbon(ribbon, i, edge, e);
      for (let k = 0; k < 3; k++) this.corner(fill.array, 3 * i + k, edge, k === 0 ? 0 : k === 1 ? e : e + 3, 0, 0);
    }
    this.ribbon.geometry.setDrawRange(0, 6 * count);
    this.fill.geometry.setDrawRange(0, count > 2 ? 3 * count : 0);
    ribbon.position.needsUpdate = ribbon.color.needsUpdate = fill.needsUpdate = true;
  }

  /** Two triangles along an edge, as wide as half a point. */
  addRibbon({ position, color }, i, edge, e) {
    const dx = edge[e + 3] - edge[e],
      dy = edge[e + 4] - edge[e + 1],
      wide = (0.4 * this.size) / Math.max(Math.hypot(dx, dy), 1e-6);
    const sideX = -dy * wide,
      sideY = dx * wide;
    for (let k = 0; k < 6; k++) {
      const from = k === 0 || k === 1 || k === 3 ? e : e + 3,
        left = k === 0 || k === 2 || k === 5 ? -1 : 1;
      this.corner(position.array, 6 * i + k, edge, from, left * sideX, left * sideY);
      this.colour.toArray(color.array, 3 * (6 * i + k));
    }
  }

  corner(out, at, edge, from, sideX, sideY) {
    out[3 * at] = edge[from] + sideX;
    out[3 * at + 1] = edge[from + 1] + sideY;
    out[3 * at + 2] = edge[from + 2] + LIFT;
  }

  toggle(on) {
    this.shown = on;
    this.group.visible = on;
    this.card.root.hidden = !on;
  }

  dispose() {
    this.card.root.remove();
    for (const part of this.group.children) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}

/** The margins in numbers, the colours of points, and the scale of S_H. */
class StabilityCard {
  constructor() {
    const row = (colour, label) => {
      const value = element('output', {}, '–'),
        mark = element('i.spot');
      mark.style.background = colour;
      this.rows.append(element('div.card-row', {}, element('span', {}, mark, label), value));
      return value;
    };
    this.rows = element('div');
    this.values = POINTS.map(({ colour, label }) => row(colour, label));
    this.least = row('none', 'S_H');
    const bar = element('i.bar');
    bar.style.background = `linear-gradient(to right, ${[...STOPS].reverse().join(', ')})`;
    this.ends = [element('span', {}, '0'), element('span')];
    this.root = element(
      'div.stability',
      { hidden: true, role: 'status', 'aria-label': 'stability' },
      element('header', {}, 'margins'),
      this.rows,
      bar,
      element('div.card-row.muted', {}, ...this.ends),
    );
  }

  /** @param {number} full kg m^2/s */
  range(full) {
    this.ends[1].textContent = `S_H ${full.toPrecision(2)} kg m²/s`;
  }

  update(frame, known) {
    const show = (output, value, digits, unit) => {
      const text = value.toFixed(digits);
      output.textContent = known && Number.isFinite(value) ? `${text.replace(/^-(?=[0.]+$)/, '')} ${unit}` : '–';
      output.classList.toggle('bad', known && Number(text) < 0);
    };
    POINTS.forEach(({ margin }, i) => show(this.values[i], 1000 * frame.stance[margin], 0, 'mm'));
    show(this.least, frame.stance[S_H], 2, 'kg m²/s');
  }
}

/** What a frame tells of stability, by name; null: nothing. */
export function stanceOf(frame) {
  if (!frame || frame.nedge < 0) return null;
  const points = POINTS.map(({ id, at, margin }) => [
    id,
    { place: [...frame.stance.subarray(at, at + 3)], margin: frame.stance[margin] },
  ]);
  const edges = Array.from({ length: frame.nedge }, (_, i) => [...frame.edge.subarray(7 * i, 7 * i + 7)]);
  return { ...Object.fromEntries(points), sh: frame.stance[S_H], edges };
}
