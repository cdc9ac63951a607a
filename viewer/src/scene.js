// scene.json in the browser's terms: base64 to arrays, shapes to geometries.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  SphereGeometry,
} from 'three';
import { toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js';

/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {string} link
 * @property {number} body -1: fixed in the world
 * @property {boolean} visual
 * @property {'sphere'|'box'|'cylinder'|'capsule'|'ellipsoid'|'cone'|'mesh'|'convex'} kind
 * @property {number[]} size
 * @property {number} mesh
 * @property {number[]} pose x y z qw qx qy qz
 * @property {number[]} rgba
 */

/** @returns {ArrayBuffer} */
export function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

/** A triangle mesh of the scene, with sharp edges where faces meet at more than 35 degrees. */
export function meshGeometry(mesh) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(bytesOf(mesh.positions)), 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(bytesOf(mesh.triangles)), 1));
  return toCreasedNormals(geometry, (35 * Math.PI) / 180);
}

/**
 * What to draw a shape with: a geometry of unit size, shared by name, and its stretch.
 * @param {Shape} shape
 * @returns {{key: string, scale: number[]}}
 */
export function unitOf(shape) {
  const [a, b, c] = shape.size ?? [];
  switch (shape.kind) {
    case 'sphere':
      return { key: 'sphere', scale: [a, a, a] };
    case 'ellipsoid':
      return { key: 'sphere', scale: [a, b, c] };
    case 'box':
      return { key: 'box', scale: [a, b, c] };
    case 'cylinder':
      return { key: 'cylinder', scale: [a, a, b] };
    case 'cone':
      return { key: 'cone', scale: [a, a, b] };
    // The caps must stay round: one geometry for each ratio of length to radius.
    case 'capsule':
      return { key: `capsule ${(b / a).toFixed(4)}`, scale: [a, a, a] };
    // mesh, convex
    default:
      return { key: `mesh ${shape.mesh}`, scale: [1, 1, 1] };
  }
}

/** The geometry behind a key of unitOf. */
export function geometryOf(key, scene) {
  const [kind, parameter] = key.split(' ');
  switch (kind) {
    case 'sphere':
      return new SphereGeometry(1, 28, 18);
    case 'box':
      return new BoxGeometry(1, 1, 1);
    case 'cylinder':
      return new CylinderGeometry(1, 1, 1, 32).rotateX(Math.PI / 2);
    // three.js has the tip along y; it goes up along z.
    case 'cone':
      return new ConeGeometry(1, 1, 32).rotateX(Math.PI / 2);
    case 'capsule':
      return new CapsuleGeometry(1, Number(parameter), 10, 28).rotateX(Math.PI / 2);
    default:
      return meshGeometry(scene.meshes[Number(parameter)]);
  }
}

const massOf = (scene, robot) => {
  let mass = 0;
  for (let i = robot.body; i < robot.body + robot.nbody; i++) mass += scene.bodies[i]?.mass ?? 0;
  return mass;
};

/** The heaviest robot, null: none. */
export function heaviest(scene) {
  let best = null;
  for (const robot of scene.robots ?? []) if (!best || massOf(scene, robot) > massOf(scene, best)) best = robot;
  return best;
}

/** Its mass, kg: what forces and arrows are measured against. */
export function robotMass(scene) {
  const robot = heaviest(scene);
  return (robot && massOf(scene, robot)) || 1;
}

/** The first robot's root is free: the coordinates of its joints begin behind those of the root. */
export const isFree = (joints) => joints.length === 0 || Math.min(...joints.map((joint) => joint.q ?? 0)) > 0;

export const gravityOf = (scene) => Math.hypot(...(scene.gravity ?? [0, 0, -9.81])) || 9.81;
