// The bodies: equal shapes are instances of one mesh, moved by writing matrices into its buffer.
import {
  Box3,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Matrix4,
  MeshStandardMaterial,
  SRGBColorSpace,
} from 'three';
import { geometryOf, unitOf } from './scene.js';
import { multiplyAffine, poseMatrix } from './matrix.js';
import { scaleColour } from './scale.js';

const HIGHLIGHT = new Color(0xff8a1f);
const COLLISION = new Color(0x2aa198);
const colour = new Color();
const scaled = new Color();

/** The instances that share a geometry and a material. */
class Batch {
  constructor(geometry, material, shapes) {
    this.shapes = shapes;
    this.body = Int32Array.from(shapes, (shape) => shape.body);
    this.local = new Float32Array(16 * shapes.length); // in the body's frame, stretch included
    shapes.forEach((shape, i) => poseMatrix(shape.pose, 0, this.local, 16 * i, ...unitOf(shape).scale));
    this.mesh = new InstancedMesh(geometry, material, shapes.length);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = material.opacity === 1;
    this.mesh.receiveShadow = true;
    this.mesh.userData.body = this.body;
    this.paint(-1, null);
  }

  /** Colours by shape; those of a selected body glow. @param {Float32Array|null} part of each body, for the scale */
  paint(selected, part) {
    this.shapes.forEach((shape, i) => {
      if (shape.visual) colour.setRGB(shape.rgba[0], shape.rgba[1], shape.rgba[2], SRGBColorSpace);
      else colour.copy(COLLISION);
      const share = part?.[shape.body] ?? NaN;
      if (!Number.isNaN(share)) colour.lerp(scaleColour(share, scaled), 0.92);
      else if (part) colour.setScalar(0.2126 * colour.r + 0.7152 * colour.g + 0.0722 * colour.b);
      if (selected >= 0 && shape.body === selected) colour.lerp(HIGHLIGHT, 0.7);
      this.mesh.setColorAt(i, colour);
    });
    this.mesh.instanceColor.needsUpdate = true;
  }

  /** @param {Float32Array} frames matrix of each body, the world last */
  update(frames, world) {
    const { body, local } = this,
      out = this.mesh.instanceMatrix.array;
    for (let i = 0; i < body.length; i++) {
      multiplyAffine(frames, 16 * (body[i] < 0 ? world : body[i]), local, 16 * i, out, 16 * i);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

export class Bodies {
  constructor(scene) {
    this.group = new Group();
    this.nbody = scene.bodies.length;
    this.frames = new Float32Array(16 * (this.nbody + 1));
    poseMatrix([0, 0, 0, 1, 0, 0, 0], 0, this.frames, 16 * this.nbody);
    const shapes = scene.shapes ?? [];
    const visual = shapes.filter((shape) => shape.visual);
    const collision = shapes.filter((shape) => !shape.visual);
    this.geometries = new Map();
    this.sets = { visual: this.batches(visual, scene), collision: this.batches(collision, scene) };
    this.selected = -1;
    this.part = null;
    // A model may come without anything to look at.
    this.hasVisual = visual.length > 0;
    this.show(false);
  }

  batches(shapes, scene) {
    const groups = new Map();
    for (const shape of shapes) {
      const opacity = shape.visual ? (shape.rgba[3] ?? 1) : 1;
      const key = `${unitOf(shape).key}|${opacity}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(shape);
    }
    return [...groups].map(([key, members]) => {
      const [unit, opacity] = key.split('|');
      if (!this.geometries.has(unit)) this.geometries.set(unit, geometryOf(unit, scene));
      const material = new MeshStandardMaterial({
        roughness: 0.5,
        metalness: 0.05,
        opacity: Number(opacity),
        transparent: Number(opacity) < 1,
      });
      const batch = new Batch(this.geometries.get(unit), material, members);
      this.group.add(batch.mesh);
      return batch;
    });
  }

  /** Collision shapes instead of visual ones. */
  show(collision) {
    const which = collision || !this.hasVisual ? 'collision' : 'visual';
    this.shown = this.sets[which];
    for (const batch of [...this.sets.visual, ...this.sets.collision]) {
      batch.mesh.visible = this.shown.includes(batch);
    }
    for (const batch of this.shown) batch.update(this.frames, this.nbody);
  }

  select(body) {
    this.selected = body;
    this.paint(this.part);
  }

  /** @param {Float32Array|null} part of a limit for each body; not a number: grey; null: all have their own colours */
  paint(part) {
    this.part = part;
    for (const batch of [...this.sets.visual, ...this.sets.collision]) batch.paint(this.selected, part);
  }

  /** @param {Float32Array} pose [nbody][7] */
  update(pose) {
    for (let i = 0; i < this.nbody; i++) poseMatrix(pose, 7 * i, this.frames, 16 * i);
    for (let i = 0; i < this.shown.length; i++) this.shown[i].update(this.frames, this.nbody);
  }

  /** A box around the shapes of some bodies as they are now; those that are fixed have body -1. */
  bounds(wanted) {
    const all = new Box3(),
      matrix = new Matrix4(),
      box = new Box3();
    for (const { mesh, body } of this.shown) {
      mesh.geometry.computeBoundingBox();
      for (let i = 0; i < body.length; i++) {
        if (!wanted(body[i])) continue;
        mesh.getMatrixAt(i, matrix);
        all.union(box.copy(mesh.geometry.boundingBox).applyMatrix4(matrix));
      }
    }
    return all;
  }

  /** The body under a ray and where, or null. @param {import('three').Raycaster} ray */
  pick(ray) {
    let best = null;
    for (const { mesh } of this.shown) {
      mesh.boundingSphere = null; // it moved
      for (const hit of ray.intersectObject(mesh, false)) {
        const body = mesh.userData.body[hit.instanceId];
        if (body >= 0 && (!best || hit.distance < best.distance))
          best = { body, point: hit.point, distance: hit.distance };
      }
    }
    return best;
  }

  dispose() {
    for (const geometry of this.geometries.values()) geometry.dispose();
    for (const batch of [...this.sets.visual, ...this.sets.collision]) {
      batch.mesh.material.dispose();
      batch.mesh.dispose();
    }
  }
}
