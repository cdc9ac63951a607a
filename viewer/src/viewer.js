// The viewer: it joins the connection, the world and the controls, and draws when something changed.
import { Box3, Vector3 } from 'three';
import { Camera } from './camera.js';
import { Card } from './card.js';
import { Connection } from './connection.js';
import { element, onTheme } from './dom.js';
import { Help } from './help.js';
import { listen } from './keys.js';
import { Motors } from './motors.js';
import { Panel } from './panel.js';
import { Parameters } from './parameters.js';
import { Plots } from './plots.js';
import { Pointer } from './pointer.js';
import { Push } from './push.js';
import { Stage } from './stage.js';
import { StatusBar } from './statusbar.js';
import { Timeline } from './timeline.js';
import { Tint } from './tint.js';
import { Toolbar } from './toolbar.js';
import { World } from './world.js';

export class Viewer {
  /** @param {HTMLElement} app @param {HTMLCanvasElement} canvas */
  constructor(app, canvas) {
    this.canvas = canvas;
    this.stage = new Stage(canvas);
    this.pointer = new Pointer(canvas, this);
    this.camera = new Camera(canvas, () => this.redraw());
    this.world = null;
    this.hello = null;
    this.status = { time: 0, playing: false, speed: 1, ended: false };
    this.selected = -1;
    this.errors = [];
    this.frames = 0; // received
    this.drawn = 0;
    this.moveTime = 0; // ms to move the world to a frame, and to draw it: running means
    this.drawTime = 0;
    this.fresh = false; // a frame came that is not on screen
    this.dirty = true; // draw
    this.send = (message) => this.connection?.send(message);
    this.push = new Push(this.stage, this.send);
    this.makePage(app);
    listen(this);
    onTheme((dark) => {
      this.dark = dark;
      this.stage.theme(dark);
      this.world?.theme(dark);
      this.plots.theme();
      this.redraw();
    });
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
    this.connection = new Connection({
      hello: (hello) => this.greet(hello),
      status: (status) => this.hear(status),
      frame: (buffer) => this.frame(buffer),
      series: (series) => this.series(series),
      parameters: (message) => this.changed(message),
      reset: () => this.cleared(),
      error: (message, key) => this.error(message, key),
      state: (state) => this.state(state),
    });
    setInterval(() => this.push.repeat(), 50);
    this.loop = () => {
      requestAnimationFrame(this.loop);
      this.draw();
    };
    requestAnimationFrame(this.loop);
  }

  makePage(app) {
    this.plots = new Plots(this.send, (time) => this.seek(time));
    this.tint = new Tint(this.plots.history, () => this.recolour());
    this.motors = new Motors(this.plots, () => this.redraw());
    this.parameters = new Parameters(this.send);
    this.timeline = new Timeline((time) => this.seek(time));
    this.statusBar = new StatusBar();
    this.card = new Card(this);
    this.toolbar = new Toolbar(this);
    this.panel = new Panel(this, {
      plots: this.plots.root,
      motors: this.motors.root,
      parameters: this.parameters.root,
    });
    this.notice = element('div.notice', { hidden: true, role: 'status' });
    app.prepend(this.toolbar.root);
    this.canvas.parentElement.append(this.card.root, this.tint.scale.root, this.notice);
    app.append(this.panel.root, element('div.bottom', {}, this.timeline.root, this.statusBar.root));
    this.help = new Help(document.body);
    this.state('connecting');
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (width === 0 || height === 0) return;
    this.stage.size(width, height);
    this.camera.size(width, height);
    this.draw(true);
  }

  redraw() {
    this.dirty = true;
  }

  /** Once for each refresh of the screen; does nothing when nothing changed. */
  draw(now = false) {
    if (!this.fresh && !this.dirty && !now && !this.push.held) return;
    const start = performance.now();
    if (this.world && this.fresh) {
      this.world.update();
      this.tint.update();
      if (this.tint.mode !== 'none') this.world.bodies.paint(this.tint.part);
      this.camera.update(this.world.frame.pose);
      this.timeline.update(this.world.frame.time);
      this.card.update(this.world.frame.pose);
    }
    this.fresh = this.dirty = false;
    this.push.update(this.camera.camera);
    this.stage.follow(this.camera.orbit.target);
    const moved = performance.now();
    this.stage.draw(this.camera.camera);
    const part = this.drawn++ === 0 ? 1 : 0.05;
    this.moveTime += part * (moved - start - this.moveTime);
    this.drawTime += part * (performance.now() - moved - this.drawTime);
    if (!this.world) return;
    this.plots.draw(this.world.frame.time);
    this.motors.draw(this.world.frame.time);
  }

  // What the connection hears.

  state(state) {
    this.connected = state === 'connected';
    this.statusBar.connection(state);
    document.body.dataset.connection = state;
    if (state !== 'connected') this.push.stop();
  }

  /** The server says what it runs: at the start, and again when the connection comes back. */
  greet(hello) {
    const text = JSON.stringify(hello.scene);
    this.hello = hello;
    document.title = `${hello.name ?? 'Pronk'} – Pronk`;
    if (text !== this.sceneText) this.build(hello.scene);
    this.sceneText = text;
    this.cleared();
    this.toolbar.hello(hello);
    this.timeline.hello(hello);
    this.parameters.hello(hello.mode === 'live' ? hello.parameters : [], hello.read_only);
    this.plots.hello(hello.channels ?? [], hello.mode === 'replay', hello.scene);
    this.equip();
    this.redraw();
  }

  /** Motors are as the server says. */
  equip() {
    this.tint.hello(this.hello);
    this.motors.hello(this.hello);
    this.panel.offer('Motors', this.motors.count > 0);
  }

  recolour() {
    this.plots.changed();
    if (this.tint.mode === 'none') this.world?.bodies.paint(null);
    this.redraw();
  }

  /** A new world; what was shown of the old one is shown of this one. */
  build(scene) {
    const shown = this.world?.shown;
    this.world?.dispose();
    this.world = new World(this.stage, scene, this.dark);
    this.canvas.parentElement.append(this.world.stability.card.root, this.world.pressure.card.root);
    for (const [id, on] of Object.entries(shown ?? {})) this.world.toggle(id, on);
    this.placed = false;
    this.select(-1);
  }

  hear(status) {
    this.status = status;
    this.toolbar.status(status);
    this.statusBar.update(status);
    document.body.classList.toggle('ended', Boolean(status.ended));
  }

  /** @param {ArrayBuffer} buffer */
  frame(buffer) {
    if (!this.world?.frame.decode(buffer)) return;
    this.frames++;
    this.fresh = true;
    this.plots.add(this.world.frame);
    this.world.trails.update(this.world.frame);
    if (!this.placed) this.place();
  }

  /** Somebody set a parameter. */
  changed({ parameters, duration, dt, motors }) {
    const same = JSON.stringify(motors) === JSON.stringify(this.hello.motors);
    Object.assign(this.hello, { parameters, duration, dt, motors });
    if (!same) this.equip();
    this.parameters.update(parameters);
    this.timeline.hello(this.hello);
    if (this.world) this.timeline.update(this.world.frame.time);
  }

  series(message) {
    this.plots.series(message);
    this.redraw();
  }

  cleared() {
    this.world?.trails.clear();
    this.world?.pressure.stretch(0);
    this.plots.clear();
    this.redraw();
  }

  /** @param {string} [key] of the parameter whose value was refused */
  error(message, key) {
    this.errors.push(message);
    if (key) this.parameters.restore(key);
    this.notice.textContent = message;
    this.notice.hidden = false;
    clearTimeout(this.noticeTimer);
    this.noticeTimer = setTimeout(() => {
      this.notice.hidden = true;
    }, 6000);
  }

  // What hands do.

  get replay() {
    return this.hello?.mode === 'replay';
  }

  get mayPush() {
    return this.hello?.mode === 'live' && !this.hello.read_only;
  }

  playPause() {
    this.send({ type: this.status.playing ? 'pause' : 'play' });
  }

  step(count) {
    if (count < 0 && !this.replay) return;
    this.send({ type: 'step', count });
  }

  faster(factor) {
    const value = Math.min(16, Math.max(1 / 64, (this.status.speed || 1) * factor));
    this.send({ type: 'speed', value });
  }

  reset() {
    this.send({ type: 'reset' });
  }

  seek(time) {
    if (this.replay) this.send({ type: 'seek', time });
  }

  toggle(id, on) {
    if (!this.world) return;
    this.world.toggle(id, on);
    this.panel.toggled(id, this.world.shown[id]);
    this.redraw();
  }

  select(body) {
    this.selected = body;
    this.world?.bodies.select(body);
    if (body >= 0) this.motors.take(body);
    if (this.world) this.card.show(this.world.scene, body);
    if (this.world) this.card.update(this.world.frame.pose);
    this.redraw();
  }

  release() {
    if (this.help.open) this.help.flip(false);
    else if (this.push.held) this.push.stop();
    else this.select(-1);
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    this.redraw();
  }

  /** For fingers, which have no ctrl key. */
  pushTool() {
    this.pointer.tool = !this.pointer.tool;
    this.toolbar.tool.setAttribute('aria-pressed', String(this.pointer.tool));
  }

  followFlip() {
    if (!this.world) return;
    const wanted = this.selected >= 0 ? this.selected : this.world.trunk;
    this.follow(this.camera.followed === wanted ? -1 : wanted);
    this.redraw();
  }

  follow(body) {
    this.camera.follow(body, this.world.frame.pose);
    this.toolbar.follow.setAttribute('aria-pressed', String(body >= 0));
  }

  /** The first frame is here: put the camera where everything is seen. */
  place() {
    this.placed = true;
    this.world.measure();
    this.world.update();
    this.look('iso');
    this.follow(this.world.walker);
  }

  look(preset) {
    if (!this.world) return;
    let box = preset === 'below' ? this.world.soles() : this.world.bounds();
    const centre = box.getCenter(new Vector3());
    const followed = this.camera.followed >= 0 ? this.camera.followed : this.world.trunk;
    if (preset === 'follow') this.follow(followed);
    // Following one of many: it alone fills the picture.
    if (preset !== 'below' && this.camera.followed >= 0 && (this.hello.scene.robots ?? []).length > 1) {
      centre.fromArray(this.world.frame.pose, 7 * this.camera.followed);
      box = new Box3().setFromCenterAndSize(centre, new Vector3(0.9, 0.6, 0.6));
    }
    this.camera.frame(box, preset);
    this.stage.cover(Math.max(1.2, 1.6 * this.camera.extent));
    this.toolbar.cameras.value = preset;
    this.redraw();
  }

  screenshot() {
    this.draw(true);
    this.canvas.toBlob((blob) => {
      const link = element('a', { href: URL.createObjectURL(blob), download: `${this.hello?.name ?? 'pronk'}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }
}
