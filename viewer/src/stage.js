// The stage: renderer, sky, light with shadows. What stands on it comes from world.js.
import {
  BackSide,
  Color,
  DirectionalLight,
  Fog,
  HemisphereLight,
  Mesh,
  PCFShadowMap,
  Scene,
  ShaderMaterial,
  SphereGeometry,
  WebGLRenderer,
} from 'three';

const SUN = [1.6, -2.2, 4]; // where the light comes from

const LIGHT = { horizon: 0xe6ebf0, zenith: 0xa9c4de, ground: 0x8b8f94, sky: 0xf2f6fa, ambient: 1.5, sun: 2.3 };
const DARK = { horizon: 0x23282e, zenith: 0x0d1116, ground: 0x30343a, sky: 0xaebfd0, ambient: 1.15, sun: 2.2 };

/** A dome that goes from the colour of the horizon to that of the zenith. */
function skyDome() {
  const material = new ShaderMaterial({
    uniforms: { horizon: { value: new Color() }, zenith: { value: new Color() } },
    vertexShader: `varying vec3 vDirection;
      void main() {
        vDirection = position;
        gl_Position = (projectionMatrix * vec4(mat3(modelViewMatrix) * position, 1.0)).xyww;
      }`,
    fragmentShader: `varying vec3 vDirection;
      uniform vec3 horizon, zenith;
      void main() {
        float h = clamp(normalize(vDirection).z, 0.0, 1.0);
        gl_FragColor = vec4(mix(horizon, zenith, pow(h, 0.6)), 1.0);
        #include <colorspace_fragment>
      }`,
    side: BackSide,
    depthWrite: false,
    depthTest: false,
  });
  const dome = new Mesh(new SphereGeometry(1, 32, 16), material);
  dome.frustumCulled = false;
  dome.renderOrder = -1;
  return dome;
}

export class Stage {
  /** Throws when the browser has no WebGL. @param {HTMLCanvasElement} canvas */
  constructor(canvas, { keep = false } = {}) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: keep });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.scene.fog = new Fog(0, 12, 60);
    this.dome = skyDome();
    this.ambient = new HemisphereLight();
    this.sun = new DirectionalLight(0xffffff);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.normalBias = 0.01;
    this.sun.shadow.bias = -0.0002;
    this.sun.shadow.radius = 2.5;
    this.scene.add(this.dome, this.ambient, this.sun, this.sun.target);
    this.cover(2);
  }

  /** The light reaches this far around where the camera looks, m. */
  cover(reach) {
    this.reach = reach;
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.1;
    camera.far = 8 * reach + 10;
    camera.updateProjectionMatrix();
    this.scene.fog.near = Math.min(8 * reach, 150);
    this.scene.fog.far = Math.min(30 * reach, 500);
  }

  /** Light and shadow go where the camera looks, in steps, so that edges do not swim. */
  follow(target) {
    const cell = this.reach / 8,
      far = 2 * this.reach + 2;
    const x = Math.round(target.x / cell) * cell,
      y = Math.round(target.y / cell) * cell;
    const z = Math.round(target.z / cell) * cell;
    const length = Math.hypot(...SUN);
    this.sun.target.position.set(x, y, z);
    this.sun.position.set(x + (SUN[0] / length) * far, y + (SUN[1] / length) * far, z + (SUN[2] / length) * far);
  }

  theme(dark) {
    const look = dark ? DARK : LIGHT;
    this.dome.material.uniforms.horizon.value.set(look.horizon);
    this.dome.material.uniforms.zenith.value.set(look.zenith);
    this.scene.fog.color.set(look.horizon);
    this.ambient.color.set(look.sky);
    this.ambient.groundColor.set(look.ground);
    this.ambient.position.set(0, 0, 1);
    this.ambient.intensity = look.ambient;
    this.sun.intensity = look.sun;
  }

  shadows(on) {
    this.sun.castShadow = on;
  }

  size(width, height, ratio = Math.min(window.devicePixelRatio, 2)) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }

  draw(camera) {
    this.renderer.render(this.scene, camera);
  }
}
