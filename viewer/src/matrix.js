// Matrices straight in the arrays that the graphics card reads: column-major, 16 numbers.

/**
 * The matrix of a pose (x y z qw qx qy qz) with a stretch along its own axes.
 * @param {ArrayLike<number>} pose @param {number} at
 * @param {Float32Array|Float64Array} out @param {number} to
 */
export function poseMatrix(pose, at, out, to, sx = 1, sy = 1, sz = 1) {
  const w = pose[at + 3],
    x = pose[at + 4],
    y = pose[at + 5],
    z = pose[at + 6];
  out[to] = (1 - 2 * (y * y + z * z)) * sx;
  out[to + 1] = 2 * (x * y + w * z) * sx;
  out[to + 2] = 2 * (x * z - w * y) * sx;
  out[to + 3] = 0;
  out[to + 4] = 2 * (x * y - w * z) * sy;
  out[to + 5] = (1 - 2 * (x * x + z * z)) * sy;
  out[to + 6] = 2 * (y * z + w * x) * sy;
  out[to + 7] = 0;
  out[to + 8] = 2 * (x * z + w * y) * sz;
  out[to + 9] = 2 * (y * z - w * x) * sz;
  out[to + 10] = (1 - 2 * (x * x + y * y)) * sz;
  out[to + 11] = 0;
  out[to + 12] = pose[at];
  out[to + 13] = pose[at + 1];
  out[to + 14] = pose[at + 2];
  out[to + 15] = 1;
}

/** out = a b, for matrices whose last row is 0 0 0 1. */
export function multiplyAffine(a, at, b, bt, out, to) {
  for (let column = 0; column < 4; column++) {
    const c = bt + 4 * column;
    const x = b[c],
      y = b[c + 1],
      z = b[c + 2],
      w = column === 3 ? 1 : 0;
    const o = to + 4 * column;
    out[o] = a[at] * x + a[at + 4] * y + a[at + 8] * z + a[at + 12] * w;
    out[o + 1] = a[at + 1] * x + a[at + 5] * y + a[at + 9] * z + a[at + 13] * w;
    out[o + 2] = a[at + 2] * x + a[at + 6] * y + a[at + 10] * z + a[at + 14] * w;
    out[o + 3] = w;
  }
}

/**
 * The matrix that puts what points along z at a place, along a unit direction, stretched.
 * Across the direction any turn will do: the things drawn so are round.
 */
export function alongMatrix(x, y, z, dx, dy, dz, width, length, out, to) {
  // Two axes across, by the construction of Duff et al. 2017 (no branch but the sign).
  const sign = dz >= 0 ? 1 : -1;
  const a = -1 / (sign + dz),
    b = dx * dy * a;
  out[to] = (1 + sign * dx * dx * a) * width;
  out[to + 1] = sign * b * width;
  out[to + 2] = -sign * dx * width;
  out[to + 3] = 0;
  out[to + 4] = b * width;
  out[to + 5] = (sign + dy * dy * a) * width;
  out[to + 6] = -dy * width;
  out[to + 7] = 0;
  out[to + 8] = dx * length;
  out[to + 9] = dy * length;
  out[to + 10] = dz * length;
  out[to + 11] = 0;
  out[to + 12] = x;
  out[to + 13] = y;
  out[to + 14] = z;
  out[to + 15] = 1;
}
