// The last minutes of the values that plots show, and what the server is asked to send.

const ROOM = 8192; // samples kept: two minutes at 60 Hz
const MOST = 64; // values that the server sends at most

/**
 * One value of the stream. A slot that nobody uses stays until room is needed: a subscription
 * only ever grows, so that the number of values in a frame tells which subscription it answers.
 * @typedef {{channel: string, column: number, values: Float64Array, users: number,
 *   series: {time: number[], values: number[]}|null}} Slot
 */

export class History {
  constructor() {
    /** @type {Slot[]} */
    this.slots = [];
    this.time = new Float64Array(2 * ROOM);
    this.count = 0;
  }

  find(channel, column) {
    return this.slots.find((slot) => slot.channel === channel && slot.column === column) ?? null;
  }

  /** A slot for a value, an old one when there is one; null when 64 are in use. */
  use(channel, column) {
    let slot = this.find(channel, column);
    if (!slot) {
      if (this.slots.length >= MOST) this.slots = this.slots.filter((other) => other.users > 0);
      if (this.slots.length >= MOST) return null;
      slot = { channel, column, values: new Float64Array(2 * ROOM).fill(NaN), users: 0, series: null };
      this.slots.push(slot);
    }
    slot.users++;
    return slot;
  }

  get subscription() {
    return this.slots.map((slot) => [slot.channel, slot.column]);
  }

  clear() {
    this.count = 0;
    for (const slot of this.slots) slot.values.fill(NaN);
  }

  /** @param {import('./frame.js').Frame} frame */
  add(frame) {
    if (frame.nvalue !== this.slots.length) return; // answers an older subscription
    if (this.count > 0 && frame.time === this.time[this.count - 1]) this.count--;
    else if (this.count > 0 && frame.time < this.time[this.count - 1]) this.clear();
    if (this.count === 2 * ROOM) {
      this.time.copyWithin(0, ROOM);
      for (const slot of this.slots) {
        slot.values.copyWithin(0, ROOM);
        slot.values.fill(NaN, ROOM);
      }
      this.count = ROOM;
    }
    this.time[this.count] = frame.time;
    for (let i = 0; i < this.slots.length; i++) this.slots[i].values[this.count] = frame.value[i];
    this.count++;
  }

  /** The first sample at or after a time. */
  after(time) {
    let low = 0,
      high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The value of a series at a time: that of the last sample before it. */
export function valueAt(series, time) {
  let low = 0,
    high = series.time.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series.time[middle] <= time + 1e-9) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? series.values[low - 1] : NaN;
}
