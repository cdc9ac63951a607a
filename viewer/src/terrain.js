// The ground: planes with a grid, and solids of any shape.
import {
  BackSide,
  BufferGeometry,
  Color,
  EdgesGeometry,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  Vector3,
} from 'three';
import { geometryOf, unitOf } from './scene.js';
import { poseMatrix } from './matrix.js';

const EXTENT = 2000; // m, of what is a plane without end; fog hides its edge

const EDGES = 300000; // corners of triangles up to which edges are drawn: finding them takes time

/** Lines every metre and every decimetre, drawn by the fragment shader, soft at any distance. */
function gridMaterial(uniforms) {
  const material = new MeshStandardMaterial({ roughness: 0.95, metalness: 0 });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec2 vGrid;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvGrid = position.xy;');
    shader.fragmentShader = shader.fragmentShader
      .replace(
        '#include <common>',
        `#include <common>
        varying vec2 vGrid;
        uniform vec3 gridColor;
        uniform float gridOn;
        float gridLine(vec2 p, float width) {
          vec2 w = fwidth(p);
          vec2 d = abs(fract(p - 0.5) - 0.5);
          vec2 l = 1.0 - smoothstep(vec2(width), vec2(width) + 1.5 * w, d);
          l *= clamp(1.0 - 1.6 * max(w.x, w.y), 0.0, 1.0);
          return max(l.x, l.y);
        }`,
      )
      .replace(
        '#include <color_fragment>',
        `#include <color_fragment>
        vec2 tile = floor(vGrid);
        float checker = mod(tile.x + tile.y, 2.0);
        vec2 soft = fwidth(vGrid);
        checker = mix(0.5, checker, clamp(1.0 - 1.5 * max(soft.x, soft.y), 0.0, 1.0));
        float lines = max(0.5 * gridLine(vGrid, 0.004), 0.15 * gridLine(vGrid * 10.0, 0.016));
        diffuseColor.rgb *= 1.0 + gridOn * 0.05 * (checker - 0.5);
        diffuseColor.rgb = mix(diffuseColor.rgb, gridColor, gridOn * lines);`,
      );
  };
  return material;
}

function planeMesh(plane, material) {
  const mesh = new Mesh(new PlaneGeometry(EXTENT, EXTENT), material);
  const normal = new Vector3(...plane.normal).normalize();
  mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
  mesh.position.set(...plane.point);
  return mesh;
}

/** A solid in its own size, at its pose; meshes of older files have none and lie in the world. */
function solidMesh(part, scene, material) {
  const { key, scale } = unitOf(part);
  const mesh = new Mesh(geometryOf(key, scene).scale(...scale), material);
  if (part.pose) {
    const matrix = new Float64Array(16);
    poseMatrix(part.pose, 0, matrix, 0);
    mesh.applyMatrix4(new Matrix4().fromArray(matrix));
  }
  return mesh;
}

export class Terrain {
  constructor(scene) {
    this.group = new Group();
    this.uniforms = { gridColor: { value: new Color() }, gridOn: { value: 1 } };
    this.ground = gridMaterial(this.uniforms);
    this.glass = gridMaterial(this.uniforms); // of planes from below: one looks through
    Object.assign(this.glass, { side: BackSide, transparent: true, opacity: 0.3, depthWrite: false });
    this.solid = new MeshStandardMaterial({ roughness: 0.85, metalness: 0 });
    this.edge = new LineBasicMaterial({ transparent: true, opacity: 0.5 });
    this.height = 0; // m, of the first level plane: where shadows of ideas fall
    for (const part of scene.terrain ?? []) this.add(part, scene);
    for (const mesh of this.group.children) mesh.receiveShadow = true;
    this.lines = null;
    if (!(scene.terrain ?? []).some((part) => part.kind === 'plane')) this.addLines();
  }

  add(part, scene) {
    if (part.kind === 'plane') {
      const mesh = planeMesh(part, this.ground);
      mesh.add(new Mesh(mesh.geometry, this.glass));
      this.group.add(mesh);
      if (part.normal[2] > 0.999) this.height = part.point[2];
      return;
    }
    const mesh = solidMesh(part, scene, this.solid);
    mesh.castShadow = true;
    if (mesh.geometry.attributes.position.count < EDGES) {
      mesh.add(new LineSegments(new EdgesGeometry(mesh.geometry, 20), this.edge));
    }
    this.group.add(mesh);
  }

  /** Where there is no ground, a grid of lines still says where down is. */
  addLines() {
    const points = [];
    for (let i = -5; i <= 5; i++) points.push(i, -5, 0, i, 5, 0, -5, i, 0, 5, i, 0);
    const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
    this.lines = new LineSegments(geometry, this.edge);
    this.group.add(this.lines);
  }

  grid(on) {
    this.uniforms.gridOn.value = on ? 1 : 0;
    if (this.lines) this.lines.visible = on;
  }

  theme(dark) {
    for (const material of [this.ground, this.glass]) material.color.set(dark ? 0x3a4048 : 0xc9cfd6);
    this.uniforms.gridColor.value.set(dark ? 0x8a97a6 : 0x6b7784);
    this.solid.color.set(dark ? 0x59626d : 0xb4b9bf);
    this.edge.color.set(dark ? 0x8a97a6 : 0x6b7784);
  }

  dispose() {
    this.group.traverse((part) => part.geometry?.dispose());
    for (const material of [this.ground, this.glass, this.solid, this.edge]) material.dispose();
  }
}
