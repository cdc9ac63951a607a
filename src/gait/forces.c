/* Which foot carries how much: a small convex problem in fixed memory.
 *
 * With f all forces, H = A' S A + w 1 and c = A' S b + w f_0, min 1/2 f' H f - c' f over a product K of truncated friction
 * cones. The free minimum inv(H) c is the answer when it lies in K. Otherwise the alternating directions method of
 * multipliers (Boyd et al. 2011, section 5.2): f solves with H + rho 1, factored once; z is the projection of
 * f + y on K, which is closed form; y gathers the difference. What comes out is z: always within K. */
#include <math.h>
#include <string.h>

#include "gait/cone.h"
#include "gait/locomotion.h"
#include "math/cholesky.h"
#include "math/mat3.h"

enum { SIZE = 3 * PKI_LEGS, ROUNDS = 80 };
static const double rho = 0.5;

bool pki_cone_project(const double normal[3], double mu, double least, double limit, double f[3])
{
  const double n = pki_dot3(normal, f);
  double t[3];
  for (int k = 0; k < 3; k++) {
    t[k] = f[k] - n * normal[k];
  }
  const double size = sqrt(pki_dot3(t, t));
  if (size <= mu * n && n >= least && n <= limit) {
    return true;
  }
  /* on the cone: its rim is the ray (mu, 1) */
  const double rim = size <= mu * n ? n : (n + mu * size) / (1 + mu * mu);
  const double up = fmax(least, fmin(limit, rim)), along = fmin(size, mu * up);
  for (int k = 0; k < 3; k++) {
    f[k] = up * normal[k] + (size > 0 ? along / size : 0) * t[k];
  }
  return false;
}

/* H and c. */
static void assemble(const pki_share *s, double H[SIZE][SIZE], double *c)
{
  for (int i = 0; i < 3 * s->count; i++) {
    c[i] = s->regular * s->prefer[i / 3][i % 3];
    for (int r = 0; r < 6; r++) {
      c[i] += s->A[i / 3][r][i % 3] * s->S[r] * s->b[r];
    }
    for (int j = 0; j <= i; j++) {
      double sum = i == j ? s->regular : 0;
      for (int r = 0; r < 6; r++) {
        sum += s->A[i / 3][r][i % 3] * s->S[r] * s->A[j / 3][r][j % 3];
      }
      H[i][j] = H[j][i] = sum;
    }
  }
}

static bool project_all(const pki_share *s, double *f)
{
  bool inside = true;
  for (int i = 0; i < s->count; i++) {
    inside = pki_cone_project(s->normal, s->friction, 0, s->limit[i], f + 3 * i) && inside;
  }
  return inside;
}

void pki_share_solve(pki_share *s)
{
  double H[SIZE][SIZE] = {{0}}, L[SIZE][SIZE], c[SIZE] = {0}, f[SIZE], z[SIZE], y[SIZE] = {0};
  const int n = 3 * s->count;
  assemble(s, H, c);
  memcpy(L, H, sizeof H);
  pki_cholesky(L[0], n, SIZE);
  memcpy(z, c, sizeof c);
  pki_cholesky_solve(L[0], n, SIZE, z, 1);
  if (!project_all(s, z)) {
    for (int i = 0; i < n; i++) {
      H[i][i] += rho;
    }
    pki_cholesky(H[0], n, SIZE);
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < n; i++) {
        f[i] = c[i] + rho * (z[i] - y[i]);
      }
      pki_cholesky_solve(H[0], n, SIZE, f, 1);
      for (int i = 0; i < n; i++) {
        z[i] = f[i] + y[i];
      }
      project_all(s, z);
      for (int i = 0; i < n; i++) {
        y[i] += f[i] - z[i];
      }
    }
  }
  memcpy(s->force, z, (size_t)n * sizeof z[0]);
}
