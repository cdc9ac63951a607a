// Pictures for a film: no controls; each frame is asked for, drawn and sent back as a PNG.
//   ?render=1&fps=30&from=0&to=5&camera=iso&width=1280&height=720&theme=light&show=points,forces
import { Camera, PRESETS } from './camera.js';
import { Connection } from './connection.js';
import { Stage } from './stage.js';
import { TOGGLES, World } from './world.js';

/** The wishes in the address, within bounds. */
function wishesOf(query) {
  const number = (key, fallback, least, most) => {
    const value = Number(query.get(key) ?? NaN);
    return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : fallback;
  };
  return {
    fps: number('fps', 30, 0.01, 10000),
    from: number('from', 0, -1e9, 1e9),
    to: number('to', NaN, -1e9, 1e9),
    width: Math.round(number('width', 1280, 16, 8192)),
    height: Math.round(number('height', 720, 16, 8192)),
    camera: PRESETS[query.get('camera')] ? query.get('camera') : 'iso',
    dark: query.get('theme') === 'dark',
    show: query.get('show'),
  };
}

export class Render {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas, query) {
    this.canvas = canvas;
    this.wishes = wishesOf(query);
    this.stage = new Stage(canvas, { keep: true });
    this.stage.size(this.wishes.width, this.wishes.height, 1);
    this.camera = new Camera(document.createElement('div'), () => {});
    this.camera.size(this.wishes.width, this.wishes.height);
    this.world = null;
    this.frames = 0;
    this.errors = [];
    this.number = 0;
    this.done = false;
    this.connection = new Connection({
      hello: (hello) => this.hello(hello),
      frame: (buffer) => this.draw(buffer),
      error: (message) => this.errors.push(message),
      status: () => {},
      series: () => {},
      parameters: () => {},
      reset: () => {},
      state: () => {},
    });
  }

  hello(hello) {
    if (this.world) return;
    this.mode = hello.mode;
    this.world = new World(this.stage, hello.scene, this.wishes.dark);
    if (this.wishes.show !== null) {
      const wanted = new Set(this.wishes.show.split(','));
      for (const { id } of TOGGLES)
        this.world.toggle(id, wanted.has(id) || (['grid', 'shadows'].includes(id) && !wanted.has(`no-${id}`)));
    }
    if (Number.isNaN(this.wishes.to)) this.wishes.to = (hello.start ?? 0) + (hello.duration ?? 0);
    this.ask();
  }

  /** The time of a picture; the last one is before the end. */
  timeOf(number) {
    return this.wishes.from + number / this.wishes.fps;
  }

  ask() {
    const { from, to, fps } = this.wishes;
    if (this.number >= Math.max(1, Math.ceil((to - from) * fps - 1e-6))) {
      this.finish();
      return;
    }
    this.asked = true;
    this.connection.send({ type: 'frame', time: this.timeOf(this.number) });
  }

  /** @param {ArrayBuffer} buffer */
  draw(buffer) {
    // A frame that nobody asked for is none of ours.
    if (!this.asked || this.done || !this.world?.frame.decode(buffer)) return;
    this.asked = false;
    this.frames++;
    if (this.number === 0) this.world.measure();
    this.world.update();
    if (this.number === 0) this.place();
    this.camera.update(this.world.frame.pose);
    this.stage.follow(this.camera.orbit.target);
    this.stage.draw(this.camera.camera);
    this.paper().toBlob((blob) => {
      this.connection.sendBinary(blob);
      this.number++;
      this.ask();
    }, 'image/png');
  }

  /** The picture, with the scale of pressures where they are shown. */
  paper() {
    const { shown, pressure, frame } = this.world;
    if (!shown.pressure || frame.nface < 0) return this.canvas;
    const { width, height, dark } = this.wishes;
    this.copy ??= Object.assign(document.createElement('canvas'), { width, height });
    const context = this.copy.getContext('2d');
    context.drawImage(this.canvas, 0, 0);
    pressure.card.paint(context, width, height, dark);
    return this.copy;
  }

  /** Every preset goes along with a single robot that can walk away. */
  place() {
    this.camera.follow(this.wishes.camera === 'follow' ? this.world.trunk : this.world.walker, this.world.frame.pose);
    const box = this.wishes.camera === 'below' ? this.world.soles() : this.world.bounds();
    this.camera.frame(box, this.wishes.camera);
    this.stage.cover(Math.max(1.2, 1.6 * this.camera.extent));
  }

  finish() {
    this.done = true;
    this.connection.send({ type: 'pause' });
    document.title = 'done';
  }
}
