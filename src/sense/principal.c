#include "sense/principal.h"

#include <math.h>

#include "math/mat3.h"

/* Jacobi's rotations converge quadratically: more sweeps than these change nothing. */
enum { SWEEPS = 12 };

/* Make entry (i, j) of A zero by a turn in that plane; V collects the turns. */
static void turn_plane(double A[9], double V[9], int i, int j)
{
  if (A[3 * i + j] == 0) {
    return;
  }
  const double theta = (A[4 * j] - A[4 * i]) / (2 * A[3 * i + j]);
  const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  double turn[9], back[9];
  pki_mat3_identity(turn);
  turn[4 * i] = turn[4 * j] = c, turn[3 * i + j] = s, turn[3 * j + i] = -s;
  pki_mat3_transpose(turn, back);
  pki_mat3_mul(back, A, A);
  pki_mat3_mul(A, turn, A);
  pki_mat3_mul(V, turn, V);
}

void pki_principal_axes(const double moment[6], double axes[9])
{
  double A[9], V[9];
  int order[3] = {0, 1, 2};
  pki_mat3_from_sym(moment, A);
  pki_mat3_identity(V);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    turn_plane(A, V, 0, 1), turn_plane(A, V, 0, 2), turn_plane(A, V, 1, 2);
  }
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2 - i; k++) {
      if (A[4 * order[k + 1]] > A[4 * order[k]]) {
        const int first = order[k];
        order[k] = order[k + 1], order[k + 1] = first;
      }
    }
  }
  for (int e = 0; e < 3; e++) {
    axes[3 * e] = V[3 * e + order[0]], axes[3 * e + 1] = V[3 * e + order[1]];
  }
  /* right-handed */
  const double x[3] = {axes[0], axes[3], axes[6]}, y[3] = {axes[1], axes[4], axes[7]};
  double z[3];
  pki_cross3(x, y, z);
  for (int e = 0; e < 3; e++) {
    axes[3 * e + 2] = z[e];
  }
}
