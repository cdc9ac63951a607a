#include "math/rotation.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

void pki_rotation_exp(const double v[3], double out[9])
{
  const double a2 = pki_dot3(v, v), a = sqrt(a2);
  const double s = a > 1e-4 ? sin(a) / a : 1 - a2 / 6, c = a > 1e-4 ? (1 - cos(a)) / a2 : 0.5 - a2 / 24;
  const double cross[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      out[3 * i + k] = (i == k) + s * cross[3 * i + k] + c * (v[i] * v[k] - (i == k ? a2 : 0));
    }
  }
}

void pki_rotation_log(const double R[9], double v[3])
{
  const double axial[3] = {0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])};
  const double s = pki_length3(axial), ratio = s > 1e-9 ? atan2(s, 0.5 * (R[0] + R[4] + R[8] - 1)) / s : 1;
  for (int k = 0; k < 3; k++) {
    v[k] = ratio * axial[k];
  }
}

void pki_rotation_mul_transposed(const double A[9], const double B[9], double out[9])
{
  double C[9];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      C[3 * i + k] = pki_dot3(A + 3 * i, B + 3 * k);
    }
  }
  memcpy(out, C, sizeof C);
}
