// Many copies of a small thing, whose number changes from frame to frame.
import { DynamicDrawUsage, InstancedMesh } from 'three';

/** An instanced mesh that grows. Write matrices into `matrix`, then finish(count). */
export class Instances {
  /**
   * @param {import('three').Object3D} parent
   * @param {import('three').BufferGeometry} geometry
   * @param {import('three').Material} material
   */
  constructor(parent, geometry, material, capacity = 32) {
    this.parent = parent;
    this.geometry = geometry;
    this.material = material;
    this.mesh = null;
    this.visible = true;
    this.reserve(capacity);
  }

  reserve(count) {
    if (this.mesh && this.capacity >= count) return;
    this.capacity = Math.max(count, 2 * (this.capacity ?? 0));
    if (this.mesh) {
      this.parent.remove(this.mesh);
      this.mesh.dispose();
    }
    this.mesh = new InstancedMesh(this.geometry, this.material, this.capacity);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
    this.mesh.renderOrder = this.material.depthTest ? 0 : 2;
    this.matrix = this.mesh.instanceMatrix.array;
    this.parent.add(this.mesh);
  }

  finish(count) {
    this.mesh.count = this.visible ? count : 0;
    this.mesh.visible = this.mesh.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose() {
    this.geometry.dispose();
    this.material.dispose();
    this.mesh.dispose();
  }
}
