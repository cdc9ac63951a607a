// What the server sends for each moment, little endian:
//   u32 'PKF1', u32 nbody, u32 ncontact, u32 nvalue, f64 time, f64 step, f32 com[3], f32 flags,
//   f32 pose[nbody][7], f32 contact[ncontact][10], f32 value[nvalue]

const MAGIC = 0x31464b50;
const HEADER = 48;

/** One moment of the world. The buffers are reused from frame to frame. */
export class Frame {
  /** @param {number} nbody */
  constructor(nbody) {
    this.nbody = nbody;
    this.time = NaN; // s; not a number until the first frame is here
    this.step = 0;
    this.com = new Float32Array(3); // m
    this.pose = new Float32Array(nbody * 7); // x y z qw qx qy qz
    this.ncontact = 0;
    this.contact = new Float32Array(32 * 10); // x y z, nx ny nz, fx fy fz (N), friction
    this.nvalue = 0;
    this.value = new Float32Array(64);
    for (let i = 0; i < nbody; i++) this.pose[7 * i + 3] = 1;
  }

  /** Room for `count` contacts. */
  reserve(count) {
    if (this.contact.length >= count * 10) return;
    const larger = new Float32Array(2 * count * 10);
    larger.set(this.contact);
    this.contact = larger;
  }

  /**
   * Read a message into this frame. False: it is not a frame, or not one of this scene.
   * @param {ArrayBuffer} buffer
   */
  decode(buffer) {
    if (buffer.byteLength < HEADER) return false;
    const head = new DataView(buffer);
    const nbody = head.getUint32(4, true),
      ncontact = head.getUint32(8, true),
      nvalue = head.getUint32(12, true);
    const count = nbody * 7 + ncontact * 10 + nvalue;
    if (head.getUint32(0, true) !== MAGIC || nbody !== this.nbody) return false;
    if (nvalue > this.value.length || buffer.byteLength < HEADER + 4 * count) return false;
    this.time = head.getFloat64(16, true);
    this.step = head.getFloat64(24, true);
    for (let i = 0; i < 3; i++) this.com[i] = head.getFloat32(32 + 4 * i, true);
    this.reserve(ncontact);
    this.ncontact = ncontact;
    this.nvalue = nvalue;
    const body = new Float32Array(buffer, HEADER, count);
    const contacts = nbody * 7,
      values = contacts + ncontact * 10;
    for (let i = 0; i < contacts; i++) this.pose[i] = body[i];
    for (let i = contacts; i < values; i++) this.contact[i - contacts] = body[i];
    for (let i = 0; i < nvalue; i++) this.value[i] = body[values + i];
    return true;
  }
}
