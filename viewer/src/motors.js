// Torque against speed of one motor: what it did lately, within what voltage and current allow.
import { element, number } from './dom.js';

const HEIGHT = 240;
const PERIOD = 80; // ms between redraws
const EDGE = { left: 44, right: 10, top: 20, bottom: 34 };

/** N m, the most that a motor gives in the direction of `sign` at a speed; limits that there are not are null. */
export function lineAt({ constant, resistance, voltage, current }, sign, speed) {
  const volts = voltage === null ? Infinity : (constant * (voltage - sign * constant * speed)) / resistance;
  return sign * Math.min(volts, current === null ? Infinity : constant * current);
}

/** Steps of 1, 2 or 5 times a power of ten, about five up to `most`. */
function tickOf(most) {
  const rough = most / 2.5,
    power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((step) => step * power >= rough);
}

export class Motors {
  /** @param {import('./plots.js').Plots} plots whose history it shows @param {() => void} redraw */
  constructor(plots, redraw) {
    this.plots = plots;
    this.redraw = redraw;
    this.list = [];
    this.drawn = 0;
    this.speed = this.current = null; // slots
    this.select = element('select', { 'aria-label': 'motor', onchange: () => this.choose(this.select.value) });
    this.close = false; // the axes are for the points alone
    this.canvas = element('canvas.torque-speed', {
      role: 'img',
      'aria-label': 'torque against speed',
      title: 'click: all that the motor can do, or the points alone',
      onclick: () => {
        this.close = !this.close;
        this.drawn = 0;
        this.redraw();
      },
    });
    this.now = element('output.muted');
    this.root = element(
      'div',
      {},
      element('div.row', {}, this.select),
      this.canvas,
      element('p', {}, this.now),
      element(
        'p.muted',
        {},
        'At the joint’s side of the gear, for as many seconds as plots show. ' +
          'Dashed: what voltage and current allow at 25 °C.',
      ),
    );
  }

  get count() {
    return this.list.length;
  }

  /** For tests: the name, how many points there are, the last one, and where the axes end. */
  get state() {
    const { history } = this.plots;
    if (!this.motor || !this.speed) return null;
    const points = this.points(history.time[history.count - 1] ?? 0);
    const last = points.at(-1) ?? null;
    return { name: this.motor.name, points: points.length, last, ranges: this.ranges(points) };
  }

  hello({ motors, channels, scene }) {
    const find = (name) => (channels ?? []).find((channel) => channel.name === name)?.columns ?? [];
    this.columns = { current: find('actuators/current'), speed: find('actuators/rotor_velocity') };
    this.joints = scene.joints ?? [];
    this.list = (motors ?? []).filter(
      ({ name }) => this.columns.current.includes(name) && this.columns.speed.includes(name),
    );
    const kept = this.list.find(({ name }) => name === this.motor?.name) ?? this.list[0] ?? null;
    this.select.replaceChildren(
      ...this.list.map(({ name, kind }) => element('option', { value: name }, `${name} (${kind})`)),
    );
    this.motor = null;
    if (kept) this.choose(kept.name);
  }

  /** The motor that moves a body that was selected. */
  take(body) {
    const names = this.joints.filter((joint) => joint.body === body).map(({ name }) => name);
    const motor = this.list.find(({ name }) => names.includes(name));
    if (motor) this.choose(motor.name);
  }

  choose(name) {
    for (const slot of [this.speed, this.current]) if (slot) slot.users--;
    this.speed = this.current = null;
    this.motor = this.list.find((motor) => motor.name === name);
    this.select.value = name;
    this.select.blur();
    this.drawn = 0;
    this.redraw();
  }

  /** Ask for its values, once somebody looks. */
  subscribe() {
    const { history } = this.plots;
    this.speed = history.use('actuators/rotor_velocity', this.columns.speed.indexOf(this.motor.name));
    this.current = history.use('actuators/current', this.columns.current.indexOf(this.motor.name));
    this.plots.changed();
  }

  /** rad/s and N m of the last seconds. */
  points(time) {
    const { history, window } = this.plots,
      found = [];
    for (let i = history.after(time - window); this.speed && this.current && i < history.count; i++) {
      const speed = this.speed.values[i],
        torque = this.motor.constant * this.current.values[i];
      if (Number.isFinite(speed) && Number.isFinite(torque)) found.push([speed, torque]);
    }
    return found;
  }

  /** Called for each drawn frame; redrawn a few times a second, while it is seen. */
  draw(time) {
    const now = performance.now();
    if (!this.motor || now - this.drawn < PERIOD || this.canvas.offsetParent === null) return;
    this.drawn = now;
    if (!this.speed) this.subscribe();
    this.paint(this.points(time));
  }

  /** Largest speed and torque of the axes: those of the points, and the motor's own unless one looks closely. */
  ranges(points) {
    const { constant, voltage } = this.motor,
      limits = [voltage === null ? 0 : (1.05 * voltage) / constant, 1.15 * lineAt(this.motor, 1, 0)];
    return limits.map((limit, k) => {
      const most = points.reduce((sum, point) => Math.max(sum, 1.15 * Math.abs(point[k])), 1e-3);
      return (this.close && points.length > 0) || limit === Infinity ? most : Math.max(most, limit);
    });
  }

  paint(points) {
    const width = Math.max(this.canvas.clientWidth, 120),
      ratio = window.devicePixelRatio || 1,
      pen = this.canvas.getContext('2d'),
      style = getComputedStyle(document.documentElement),
      [most, top] = this.ranges(points);
    this.canvas.width = width * ratio;
    this.canvas.height = HEIGHT * ratio;
    pen.scale(ratio, ratio);
    const box = { x: EDGE.left, y: EDGE.top, w: width - EDGE.left - EDGE.right, h: HEIGHT - EDGE.top - EDGE.bottom };
    const at = (x, y) => [box.x + (box.w * (1 + x / most)) / 2, box.y + (box.h * (1 - y / top)) / 2];
    this.axes(pen, box, at, [most, top], (name) => style.getPropertyValue(name));
    pen.save();
    pen.beginPath();
    pen.rect(box.x, box.y, box.w, box.h);
    pen.clip();
    this.lines(pen, at, most, style.getPropertyValue('--bad'));
    pen.fillStyle = style.getPropertyValue('--accent');
    points.forEach(([x, y], i) => {
      const [px, py] = at(x, y);
      const last = i === points.length - 1;
      pen.globalAlpha = last ? 1 : 0.15 + (0.5 * i) / points.length; // older ones fade
      pen.beginPath();
      pen.arc(px, py, last ? 4.5 : 2, 0, 2 * Math.PI);
      pen.fill();
    });
    pen.restore();
    const [x, y] = points.at(-1) ?? [NaN, NaN];
    this.now.textContent = `${number(x, 3)} rad/s, ${number(y, 3)} N m, ${number(x * y, 3)} W`;
  }

  axes(pen, box, at, [most, top], colour) {
    pen.font = '11px system-ui, sans-serif';
    pen.lineWidth = 1;
    const rule = (from, to, strong) => {
      pen.strokeStyle = colour(strong ? '--muted' : '--line');
      pen.beginPath();
      pen.moveTo(...from);
      pen.lineTo(...to);
      pen.stroke();
    };
    pen.fillStyle = colour('--muted');
    pen.textAlign = 'center';
    for (let k = -5, step = tickOf(most); k <= 5; k++) {
      if (Math.abs(k * step) > most) continue;
      rule(at(k * step, -top), at(k * step, top), k === 0);
      pen.fillText(number(k * step, 3), at(k * step, 0)[0], box.y + box.h + 14);
    }
    pen.textAlign = 'right';
    for (let k = -5, step = tickOf(top); k <= 5; k++) {
      if (Math.abs(k * step) > top) continue;
      rule(at(-most, k * step), at(most, k * step), k === 0);
      pen.fillText(number(k * step, 3), box.x - 5, at(0, k * step)[1] + 4);
    }
    pen.fillText('rad/s', box.x + box.w, box.y + box.h + 29);
    pen.textAlign = 'left';
    pen.fillText('N m', box.x - 30, box.y - 7);
  }

  /** Both sides of what the motor can do. */
  lines(pen, at, most, colour) {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.setLineDash([6, 4]);
    for (const sign of [1, -1]) {
      pen.beginPath();
      for (let i = 0; i <= 100; i++) {
        const speed = most * (i / 50 - 1),
          torque = lineAt(this.motor, sign, speed);
        if (Number.isFinite(torque)) pen.lineTo(...at(speed, torque));
      }
      pen.stroke();
    }
    pen.setLineDash([]);
  }
}
