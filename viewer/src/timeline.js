// The time slider: seeks in a replay, shows how far a live run is.
import { element } from './dom.js';

export class Timeline {
  /** @param {(time: number) => void} seek */
  constructor(seek) {
    this.seek = seek;
    this.dragged = false;
    this.slider = element('input.timeline', {
      type: 'range',
      min: 0,
      max: 1,
      step: 'any',
      value: 0,
      'aria-label': 'time',
    });
    this.slider.addEventListener('input', () => {
      this.fill();
      this.seek(Number(this.slider.value));
    });
    this.slider.addEventListener('pointerdown', () => {
      this.dragged = true;
    });
    for (const end of ['pointerup', 'pointercancel', 'change']) {
      this.slider.addEventListener(end, () => {
        this.dragged = false;
        this.slider.blur();
      });
    }
    this.text = element('output.time', {}, '0.000 s');
    this.end = element('span.muted');
    this.root = element('div.times', {}, this.text, this.slider, this.end);
  }

  hello(hello) {
    const known = Number.isFinite(hello.duration) && hello.duration > 0;
    this.start = hello.start ?? 0;
    this.slider.disabled = hello.mode !== 'replay';
    this.slider.hidden = !known;
    this.slider.min = this.start;
    this.slider.max = this.start + (known ? hello.duration : 1);
    this.end.textContent = known ? `${(this.start + hello.duration).toFixed(1)} s` : '';
  }

  fill() {
    const { min, max, value } = this.slider;
    const part = (Number(value) - Number(min)) / (Number(max) - Number(min) || 1);
    this.slider.style.setProperty('--part', `${(100 * Math.min(1, Math.max(0, part))).toFixed(2)}%`);
  }

  update(time) {
    this.text.textContent = `${time.toFixed(3)} s`;
    if (this.dragged || this.slider.hidden) return;
    this.slider.value = time;
    this.fill();
  }
}
