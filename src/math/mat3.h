/* 3-vectors and 3x3 matrices of plain doubles, row-major: set-up code. The lane kernels have
 * their own (lane3.h). */
#ifndef PKI_MATH_MAT3_H
#define PKI_MATH_MAT3_H

#include <math.h>
#include <string.h>

/* out = a - b; out may be a or b */
static inline void pki_sub3(const double a[3], const double b[3], double out[3])
{
  out[0] = a[0] - b[0], out[1] = a[1] - b[1], out[2] = a[2] - b[2];
}

/* out = a + s b; out may be a or b */
static inline void pki_along3(const double a[3], double s, const double b[3], double out[3])
{
  out[0] = a[0] + s * b[0], out[1] = a[1] + s * b[1], out[2] = a[2] + s * b[2];
}

static inline double pki_dot3(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double pki_length3(const double a[3])
{
  return sqrt(pki_dot3(a, a));
}

static inline void pki_cross3(const double a[3], const double b[3], double out[3])
{
  const double x = a[1] * b[2] - a[2] * b[1];
  const double y = a[2] * b[0] - a[0] * b[2];
  const double z = a[0] * b[1] - a[1] * b[0];
  out[0] = x, out[1] = y, out[2] = z;
}

/* Velocity of the point at `arm` from where a twist (angular, then linear velocity) is taken; all in the same axes. */
static inline void pki_twist_at(const double twist[6], const double arm[3], double out[3])
{
  double turning[3];
  pki_cross3(twist, arm, turning);
  for (int k = 0; k < 3; k++) {
    out[k] = twist[3 + k] + turning[k];
  }
}

static inline void pki_mat3_identity(double out[9])
{
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memcpy(out, identity, sizeof identity);
}

/* out = A v; out may be v */
static inline void pki_mat3_apply(const double A[9], const double v[3], double out[3])
{
  const double x = pki_dot3(A, v), y = pki_dot3(A + 3, v), z = pki_dot3(A + 6, v);
  out[0] = x, out[1] = y, out[2] = z;
}

/* out = A' v; out may be v */
static inline void pki_mat3_apply_transposed(const double A[9], const double v[3], double out[3])
{
  const double x = A[0] * v[0] + A[3] * v[1] + A[6] * v[2];
  const double y = A[1] * v[0] + A[4] * v[1] + A[7] * v[2];
  const double z = A[2] * v[0] + A[5] * v[1] + A[8] * v[2];
  out[0] = x, out[1] = y, out[2] = z;
}

/* out = A B; out may be A or B */
static inline void pki_mat3_mul(const double A[9], const double B[9], double out[9])
{
  double C[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
  }
  memcpy(out, C, sizeof C);
}

static inline void pki_mat3_transpose(const double A[9], double out[9])
{
  const double T[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
  memcpy(out, T, sizeof T);
}

/* Full matrix from the six entries xx xy xz yy yz zz. */
static inline void pki_mat3_from_sym(const double s[6], double out[9])
{
  const double A[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
  memcpy(out, A, sizeof A);
}

/* out = R S R' for symmetric S, six entries. */
static inline void pki_sym3_rotate(const double R[9], const double s[6], double out[6])
{
  double S[9], Rt[9], T[9];
  pki_mat3_from_sym(s, S);
  pki_mat3_transpose(R, Rt);
  pki_mat3_mul(R, S, T);
  pki_mat3_mul(T, Rt, T);
  out[0] = T[0], out[1] = 0.5 * (T[1] + T[3]), out[2] = 0.5 * (T[2] + T[6]);
  out[3] = T[4], out[4] = 0.5 * (T[5] + T[7]), out[5] = T[8];
}

/* Rotation matrix of a quaternion (w, x, y, z) of any length but zero. */
static inline void pki_quat_to_mat3(const double q[4], double R[9])
{
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double s = 2 / (w * w + x * x + y * y + z * z);
  const double A[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                       s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                       s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
  memcpy(R, A, sizeof A);
}

/* Roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll). */
static inline void pki_mat3_to_rpy(const double R[9], double rpy[3])
{
  rpy[0] = atan2(R[7], R[8]);
  rpy[1] = asin(fmax(-1, fmin(1, -R[6])));
  rpy[2] = atan2(R[3], R[0]);
}

/* Unit quaternion (w >= 0) of a rotation matrix, by the largest component (Shepperd 1978). */
static inline void pki_quat_from_mat3(const double R[9], double q[4])
{
  const double t[4] = {R[0] + R[4] + R[8], R[0], R[4], R[8]};
  int k = 0;
  for (int i = 1; i < 4; i++) {
    k = t[i] > t[k] ? i : k;
  }
  double p[4];
  if (k == 0) {
    p[0] = 1 + t[0], p[1] = R[7] - R[5], p[2] = R[2] - R[6], p[3] = R[3] - R[1];
  } else {
    const int i = k - 1, j = (i + 1) % 3, l = (i + 2) % 3;
    p[0] = R[3 * l + j] - R[3 * j + l];
    p[1 + i] = 1 + R[4 * i] - R[4 * j] - R[4 * l];
    p[1 + j] = R[3 * j + i] + R[3 * i + j];
    p[1 + l] = R[3 * l + i] + R[3 * i + l];
  }
  const double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  const double scale = (p[0] < 0 ? -1 : 1) / norm;
  for (int i = 0; i < 4; i++) {
    q[i] = scale * p[i];
  }
}

/* Eigenvalues of a symmetric matrix, six entries, ascending: Jacobi's rotations (Golub and Van Loan,
 * Matrix Computations, section 8.5) on entries scaled by a power of two. Errors are roundings of
 * the largest, repeated eigenvalues included. */
static inline void pki_sym3_eigenvalues(const double s[6], double out[3])
{
  double size = 0, d[3], off[3]; /* off[k]: the entry that couples the other two axes */
  int exponent;
  for (int i = 0; i < 6; i++) {
    size = fmax(size, fabs(s[i]));
  }
  frexp(size, &exponent);
  for (int k = 0; k < 3; k++) {
    static const int diagonal[3] = {0, 3, 5}, coupling[3] = {4, 2, 1};
    d[k] = ldexp(s[diagonal[k]], -exponent), off[k] = ldexp(s[coupling[k]], -exponent);
  }
  /* each sweep cubes the couplings; the bound is never met */
  for (int sweep = 0; sweep < 20 && (off[0] != 0 || off[1] != 0 || off[2] != 0); sweep++) {
    for (int k = 0; k < 3; k++) {
      const int p = (k + 1) % 3, q = (k + 2) % 3;
      if (off[k] == 0) {
        continue;
      }
      const double cot = (d[q] - d[p]) / (2 * off[k]);
      const double tan = (cot < 0 ? -1 : 1) / (fabs(cot) + sqrt(cot * cot + 1));
      const double cosine = 1 / sqrt(tan * tan + 1), sine = tan * cosine;
      d[p] -= tan * off[k], d[q] += tan * off[k];
      off[k] = 0;
      const double kp = off[q], kq = off[p]; /* couplings of axis k with p and q */
      off[q] = cosine * kp - sine * kq, off[p] = sine * kp + cosine * kq;
    }
  }
  const double least = fmin(d[0], fmin(d[1], d[2])), most = fmax(d[0], fmax(d[1], d[2]));
  const double middle = fmax(fmin(d[0], d[1]), fmin(fmax(d[0], d[1]), d[2]));
  out[0] = ldexp(least, exponent), out[1] = ldexp(middle, exponent), out[2] = ldexp(most, exponent);
}

#endif
