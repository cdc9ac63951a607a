// The frames of the bodies: x red, y green, z blue.
import { BoxGeometry, BufferGeometry, Float32BufferAttribute, Group, MeshBasicMaterial } from 'three';
import { Instances } from './instances.js';
import { poseMatrix } from './matrix.js';

const COLOURS = [
  [0.9, 0.2, 0.2],
  [0.2, 0.75, 0.25],
  [0.2, 0.4, 1],
];

/** Three thin boxes as one geometry. */
function axesGeometry(length, width) {
  const position = [],
    normal = [],
    color = [],
    index = [];
  COLOURS.forEach((rgb, axis) => {
    const size = [width, width, width],
      centre = [0, 0, 0];
    size[axis] = length;
    centre[axis] = length / 2;
    const box = new BoxGeometry(...size).translate(...centre);
    const first = position.length / 3;
    position.push(...box.attributes.position.array);
    normal.push(...box.attributes.normal.array);
    for (let i = 0; i < box.attributes.position.count; i++) color.push(...rgb);
    for (const i of box.index.array) index.push(first + i);
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(position, 3));
  geometry.setAttribute('normal', new Float32BufferAttribute(normal, 3));
  geometry.setAttribute('color', new Float32BufferAttribute(color, 3));
  geometry.setIndex(index);
  return geometry;
}

export class Axes {
  constructor(nbody) {
    this.group = new Group();
    this.on = false;
    this.nbody = nbody;
    const material = new MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, fog: false });
    this.instances = new Instances(this.group, axesGeometry(0.12, 0.005), material, Math.max(nbody, 1));
  }

  update(pose) {
    if (!this.on) return;
    for (let i = 0; i < this.nbody; i++) poseMatrix(pose, 7 * i, this.instances.matrix, 16 * i);
    this.instances.finish(this.nbody);
  }

  toggle(on) {
    this.on = on;
    if (!on) this.instances.finish(0);
  }

  dispose() {
    this.instances.dispose();
  }
}
