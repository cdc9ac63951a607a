// Pressure on compliant surfaces: each face that presses in the colour of its pressure, a little off the surface, and a scale of
// colours that covers the largest pressure so far. Where something is in front of a face it shines through.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, Mesh, MeshBasicMaterial, SRGBColorSpace } from 'three';
import { element } from './dom.js';
import { poseMatrix } from './matrix.js';

const FACE = 12; // numbers of a face in a frame: body, number (-1: a disc), pressure, three corners
const LIFT = 4e-4; // m off the surface
const AROUND = 32; // triangles of a disc

// Plasma (van der Walt and Smith, 2015): as far apart for the eye as the numbers are, and lighter all the way.
const STOPS = ['#0d0887', '#46039f', '#7201a8', '#9c179e', '#bd3786', '#d8576b', '#ed7953', '#fb9f3a', '#fdca26', '#f0f921'];
const colours = STOPS.map((stop) => new Color().setStyle(stop, SRGBColorSpace));
const circle = Array.from({ length: AROUND + 1 }, (_, i) => {
  const angle = (2 * Math.PI * i) / AROUND;
  return [Math.cos(angle), Math.sin(angle)];
});

/** The colour of a part of the scale, from 0 to 1. @param {number} part @param {Color} out */
function heatColour(part, out) {
  const at = Math.min(1, Math.max(0, part)) * (colours.length - 1),
    first = Math.min(Math.floor(at), colours.length - 2);
  return out.lerpColors(colours[first], colours[first + 1], at - first);
}

/** The least of 1, 2, 5, 10, ... that is not below a number. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * (1 - 1e-6));
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
      new MeshBasicMaterial({ ...flat, transparent: true, opacity: 0.5, depthTest: false, depthWrite: false }),
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
    this.faces = 0;
    this.now = 0;
    this.toggle(false);
  }

  /** Room for so many triangles. */
  reserve(triangles) {
    if (this.room >= triangles) return;
    this.room = Math.max(triangles, 2 * (this.room ?? 0));
    this.geometry?.dispose();
    this.geometry = new BufferGeometry();
    for (const name of ['position', 'color']) {
      const attribute = new BufferAttribute(new Float32Array(9 * this.room), 3);
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
    this.faces = count;
    this.now = now;
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

  addFace({ face, pose }, at) {
    const body = face[at],
      c = this.corner;
    if (body >= 0) poseMatrix(pose, 7 * body, this.frames, 0);
    else poseMatrix([0, 0, 0, 1, 0, 0, 0], 0, this.frames, 0);
    const m = this.frames;
    for (let k = 0; k < 9; k += 3) {
      const x = face[at + 3 + k],
        y = face[at + 4 + k],
        z = face[at + 5 + k];
      for (let j = 0; j < 3; j++) c[k + j] = m[j] * x + m[4 + j] * y + m[8 + j] * z + m[12 + j];
    }
    heatColour(face[at + 2] / this.full, this.colour);
    if (face[at + 1] < 0) this.addDisc(c);
    else this.addTriangle(c);
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
    const { position, color } = this.geometry.attributes,
      to = 9 * this.drawn++;
    for (let k = 0; k < 9; k += 3) {
      position.array[to + k] = c[k] + lift * nx;
      position.array[to + k + 1] = c[k + 1] + lift * ny;
      position.array[to + k + 2] = c[k + 2] + lift * nz;
      this.colour.toArray(color.array, to + k);
    }
  }

  /** A disc: its centre, and two of its points, at a right angle. */
  addDisc(c) {
    const { position, color } = this.geometry.attributes;
    for (let i = 0; i < AROUND; i++) {
      const to = 9 * this.drawn++;
      for (let j = 0; j < 3; j++) {
        const u = c[3 + j] - c[j],
          v = c[6 + j] - c[j];
        position.array[to + j] = c[j];
        position.array[to + 3 + j] = c[j] + circle[i][0] * u + circle[i][1] * v;
        position.array[to + 6 + j] = c[j] + circle[i + 1][0] * u + circle[i + 1][1] * v;
      }
      for (let k = 0; k < 9; k += 3) this.colour.toArray(color.array, to + k);
    }
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
  return { faces: rows, now: pressure.now, most: pressure.most, full: pressure.full, drawn: pressure.shown ? pressure.drawn : 0 };
}
