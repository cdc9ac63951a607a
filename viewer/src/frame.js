// What the server sends for each moment, little endian:
//   u32 'PKF1', u32 nbody, u32 ncontact, u32 nvalue, f64 time, f64 step, f32 com[3], f32 nedge,
//   f32 pose[nbody][7], f32 contact[ncontact][10], f32 value[nvalue], and where nedge is not -1:
//   f32 edge[nedge][7], f32 stance[17]
// and where there are compliant surfaces: f32 nface, f32 face[nface][12]

const MAGIC = 0x31464b50;
const HEADER = 48;
const EDGES = 32,
  STANCE = 17,
  FACE = 12;

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
    this.nedge = -1; // edges of the support; -1: stability is not known
    this.edge = new Float32Array(7 * EDGES); // from x y z, to x y z, S_H
    this.stance = new Float32Array(STANCE); // GCoM, ZMP, FRI, capture point, their margins, S_H
    this.nface = -1; // faces that press; -1: pressures are not known
    this.face = new Float32Array(64 * FACE); // body, number, pressure (Pa), three corners in the body's frame
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
    this.decodeFaces(buffer, this.decodeStance(buffer, head.getFloat32(44, true), HEADER + 4 * count));
    return true;
  }

  /** What of the frame is about stability; where it ends. */
  decodeStance(buffer, nedge, at) {
    this.nedge = nedge >= 0 && nedge <= EDGES && buffer.byteLength >= at + 4 * (7 * nedge + STANCE) ? nedge : -1;
    if (this.nedge < 0) return at;
    this.edge.set(new Float32Array(buffer, at, 7 * nedge));
    this.stance.set(new Float32Array(buffer, at + 28 * nedge, STANCE));
    return at + 4 * (7 * nedge + STANCE);
  }

  /** What of the frame is about pressures: it ends before, or has their number there. */
  decodeFaces(buffer, at) {
    const nface = buffer.byteLength >= at + 4 ? new Float32Array(buffer, at, 1)[0] : -1;
    this.nface = nface >= 0 && buffer.byteLength >= at + 4 + 4 * FACE * nface ? nface : -1;
    if (this.nface < 0) return;
    if (this.face.length < FACE * nface) this.face = new Float32Array(2 * FACE * nface);
    this.face.set(new Float32Array(buffer, at + 4, FACE * nface));
  }
}
