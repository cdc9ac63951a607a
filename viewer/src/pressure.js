// Pressure on compliant surfaces: each face that presses in the colour of its pressure, a little off the surface, and a scale of
// colours that covers the largest pressure so far. Where something is in front of a face it shines through.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Mesh,
  MeshBasicMaterial,
  SRGBColorSpace,
  Vector3,
} from 'three';
import { element } from './dom.js';
import { poseMatrix } from './matrix.js';

const FACE = 12; // numbers of a face in a frame: body, number (-1: a disc), pressure, three corners
const THROUGH = 0.5; // opacity of a face that something is in front of
const LIFT = 4e-4; // m off the surface
const SOLE = 0.1; // m above the lowest point that presses
const AROUND = 32; // triangles of a disc

// Plasma (van der Walt and Smith, 2015): as far apart for the eye as the numbers are, and lighter all the way.
const STOPS = ['#0d0887', '#46039f', '#7201a8', '#9c179e', '#bd3786', '#d8576b', '#ed7953', '#fb9f3a', '#fdca26', '#f0f921'];
const colours = STOPS.map((stop) => new Color().setStyle(stop, SRGBColorSpace));
const circle = Array.from({ length: AROUND + 1 }, (_, i) => {
  const angle = (2 * Math.PI * i) / AROUND;
  return [Math.cos(angle), Math.sin(angle)];
});

const STILL = [0, 0, 0, 1, 0, 0, 0]; // the pose of the world

/** The colour of a part of the scale, from 0 to 1. @param {number} part @param {Color} out */
function heatColour(part, out) {
  const at = Math.min(1, Math.max(0, part)) * (colours.length - 1),
    first = Math.min(Math.floor(at), colours.length - 2);
  return out.lerpColors(colours[first], colours[first + 1], at - first);
}

/** The least round number that is not below a number. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
  return (steps.find((step) => step * power >= value * (1 - 1e-6)) ?? 10) * power;
}

const UNITS = [
  [1e6, 'MPa'],
  [1e3, 'kPa'],
  [1, 'Pa'],
];

/** A pressure with the unit that suits it. */
function pressureText(value, digits = 3) {
  const [size, unit] = UNITS.find(([least]) => value >= least) ?? UNITS.at(-1);
  return `${Number((value / size).toPrecision(digits))} ${unit}`;
}

export class Pressure {
  constructor() {
    this.group = new Group();
    this.frames = new Float64Array(16); // of a body
    this.corner = new Float64Array(9); // world
    this.colour = new Color();
    this.most = 0; // Pa, the largest so far
    this.full = 1; // Pa, at which the last colour is
    const flat = { vertexColors: true, side: DoubleSide, fog: false, toneMapped: false };
    this.solid = new Mesh(undefined, new MeshBasicMaterial({ ...flat, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 }));
    this.through = new Mesh(
      undefined,
      new MeshBasicMaterial({ ...flat, transparent: true, depthTest: false, depthWrite: false }),
    );
    this.reserve(1024);
    for (const part of [this.solid, this.through]) {
      part.frustumCulled = false;
      part.renderOrder = 1;
      this.group.add(part);
    }
    this.card = new PressureCard(() => this.fit());
    this.shown = false;
    this.last = null;
    this.toggle(false);
  }

  /** Room for so many triangles. */
  reserve(triangles) {
    if (this.room >= triangles) return;
    this.room = Math.max(triangles, 2 * (this.room ?? 0));
    this.geometry?.dispose();
    this.geometry = new BufferGeometry();
    for (const [name, size] of [
      ['position', 3],
      ['color', 4],
    ]) {
      const attribute = new BufferAttribute(new Float32Array(3 * size * this.room), size);
      attribute.setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
    this.solid.geometry = this.through.geometry = this.geometry;
  }

  /** @param {import('./frame.js').Frame} frame */
  update(frame) {
    this.last = frame;
    const { face } = frame,
      count = Math.max(frame.nface, 0);
    let triangles = 0,
      now = 0;
    for (let i = 0; i < count; i++) {
      triangles += face[FACE * i + 1] < 0 ? AROUND : 1;
      now = Math.max(now, face[FACE * i + 2]);
    }
    if (now > this.most) this.stretch(now);
    if (!this.shown) return;
    this.reserve(triangles);
    this.drawn = 0;
    for (let i = 0; i < count; i++) this.addFace(frame, FACE * i);
    const { position, color } = this.geometry.attributes;
    position.needsUpdate = color.needsUpdate = true;
    this.geometry.setDrawRange(0, 3 * this.drawn);
    this.solid.visible = this.through.visible = this.drawn > 0;
    this.card.update(frame.nface, now, this.most);
  }

  addFace(frame, at) {
    this.place(frame, at);
    heatColour(frame.face[at + 2] / this.full, this.colour);
    if (frame.face[at + 1] < 0) this.addDisc(this.corner);
    else this.addTriangle(this.corner);
  }

  /** The corners of a face in the world. */
  place({ face, pose }, at) {
    const c = this.corner,
      m = this.frames;
    if (face[at] >= 0) poseMatrix(pose, 7 * face[at], m, 0);
    else poseMatrix(STILL, 0, m, 0);
    for (let k = 0; k < 9; k += 3) {
      const x = face[at + 3 + k],
        y = face[at + 4 + k],
        z = face[at + 5 + k];
      for (let j = 0; j < 3; j++) c[k + j] = m[j] * x + m[4 + j] * y + m[8 + j] * z + m[12 + j];
    }
  }

  /** Corners counter-clockwise from outside, moved outwards. */
  addTriangle(c) {
    const ux = c[3] - c[0],
      uy = c[4] - c[1],
      uz = c[5] - c[2],
      vx = c[6] - c[0],
      vy = c[7] - c[1],
      vz = c[8] - c[2];
    const nx = uy * vz - uz * vy,
      ny = uz * vx - ux * vz,
      nz = ux * vy - uy * vx,
      lift = LIFT / (Math.hypot(nx, ny, nz) || 1);
    const { position } = this.geometry.attributes,
      to = 9 * this.drawn;
    for (let k = 0; k < 9; k += 3) {
      position.array[to + k] = c[k] + lift * nx;
      position.array[to + k + 1] = c[k + 1] + lift * ny;
      position.array[to + k + 2] = c[k + 2] + lift * nz;
    }
    this.paint(this.drawn++, THROUGH);
  }

  /** A disc: its centre, and two of its points, at a right angle. It lies within both bodies, and is seen through them. */
  addDisc(c) {
    const { position } = this.geometry.attributes;
    for (let i = 0; i < AROUND; i++) {
      const to = 9 * this.drawn;
      for (let j = 0; j < 3; j++) {
        const u = c[3 + j] - c[j],
          v = c[6 + j] - c[j];
        position.array[to + j] = c[j];
        position.array[to + 3 + j] = c[j] + circle[i][0] * u + circle[i][1] * v;
        position.array[to + 6 + j] = c[j] + circle[i + 1][0] * u + circle[i + 1][1] * v;
      }
      this.paint(this.drawn++, 1);
    }
  }

  /** @param {number} opacity where something is in front of the triangle */
  paint(triangle, opacity) {
    const { array } = this.geometry.attributes.color;
    for (let at = 12 * triangle; at < 12 * triangle + 12; at += 4) {
      this.colour.toArray(array, at);
      array[at + 3] = opacity;
    }
  }

  /** A box around the faces that press lowest, which are soles; empty: nothing presses. @param {Box3} out */
  soles(frame, out) {
    const point = new Vector3();
    let lowest = Infinity;
    out.makeEmpty();
    for (let pass = 0; pass < 2; pass++) {
      for (let i = 0; i < frame.nface; i++) {
        this.place(frame, FACE * i);
        for (let k = 0; k < 9; k += 3) {
          if (pass === 0) lowest = Math.min(lowest, this.corner[k + 2]);
          else if (this.corner[k + 2] < lowest + SOLE) out.expandByPoint(point.fromArray(this.corner, k));
        }
      }
    }
    return out;
  }

  stretch(most) {
    this.most = most;
    this.full = most > 0 ? roundUp(most) : 1;
    this.card?.range(this.full);
  }

  /** The scale ends at the largest pressure of this moment. */
  fit() {
    this.stretch(0);
    if (this.last) this.update(this.last);
  }

  toggle(on) {
    this.shown = on;
    this.group.visible = on;
    this.card.root.hidden = !on;
  }

  dispose() {
    this.card.root.remove();
    this.geometry.dispose();
    this.solid.material.dispose();
    this.through.material.dispose();
  }
}

/** The scale of colours, the largest pressure now and so far; a click fits the scale to this moment. */
class PressureCard {
  constructor(fit) {
    const bar = element('i.bar');
    bar.style.background = `linear-gradient(to right, ${STOPS.join(', ')})`;
    this.ends = [element('span', {}, '0'), element('span')];
    this.values = [element('output', {}, '–'), element('output', {}, '–'), element('output', {}, '–')];
    const row = (label, value) => element('div.card-row', {}, element('span', {}, label), value);
    this.root = element(
      'div.pressure',
      { hidden: true, role: 'status', 'aria-label': 'pressure', title: 'click: the scale ends at the largest pressure now', onclick: fit },
      element('header', {}, 'pressure'),
      bar,
      element('div.card-row.muted', {}, ...this.ends),
      row('largest now', this.values[0]),
      row('largest so far', this.values[1]),
      row('faces that press', this.values[2]),
    );
  }

  range(full) {
    this.ends[1].textContent = pressureText(full);
  }

  /** The scale in the corner of a picture. @param {CanvasRenderingContext2D} context */
  paint(context, width, height, dark) {
    const s = Math.max(height, 200) / 720,
      [x, y, wide] = [width - 252 * s, height - 66 * s, 232 * s];
    const fill = context.createLinearGradient(x + 14 * s, 0, x + wide - 14 * s, 0);
    STOPS.forEach((stop, i) => fill.addColorStop(i / (STOPS.length - 1), stop));
    context.fillStyle = dark ? '#20262de0' : '#ffffffe0';
    context.beginPath();
    context.roundRect(x, y, wide, 52 * s, 9 * s);
    context.fill();
    context.fillStyle = fill;
    context.fillRect(x + 14 * s, y + 26 * s, wide - 28 * s, 12 * s);
    context.fillStyle = dark ? '#e8ecf0' : '#1d242b';
    context.font = `${13 * s}px system-ui, sans-serif`;
    context.textBaseline = 'alphabetic';
    context.textAlign = 'left';
    context.fillText('pressure', x + 14 * s, y + 18 * s);
    context.textAlign = 'right';
    context.fillText(`0 to ${this.ends[1].textContent}`, x + wide - 14 * s, y + 18 * s);
  }

  /** @param {number} count of faces; -1: nobody tells of pressures */
  update(count, now, most) {
    const texts = count < 0 ? ['–', '–', 'not known'] : [pressureText(now), pressureText(most), String(count)];
    texts.forEach((text, i) => {
      this.values[i].textContent = text;
    });
  }
}

/** What a frame tells of pressures, and the scale of colours; null: nothing. @param {Pressure} pressure */
export function pressureOf(frame, pressure) {
  if (!frame || frame.nface < 0) return null;
  const rows = Array.from({ length: frame.nface }, (_, i) => [...frame.face.subarray(FACE * i, FACE * i + FACE)]);
  const now = rows.reduce((most, row) => Math.max(most, row[2]), 0);
  return { faces: rows, now, most: pressure.most, full: pressure.full, drawn: pressure.shown ? pressure.drawn : 0 };
}
