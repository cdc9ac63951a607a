/* Model predictive control of one rigid body by the forces of its feet (the model of Di Carlo et al. 2018, "Dynamic
 * locomotion in the MIT Cheetah 3 through convex model-predictive control").
 *
 * Over a knot of length dt the accelerations are constant:
 *
 *   a = g + sum s_i f_i,   alpha = inv(I) sum s_i r_i x f_i,   s_i the share of the knot in which foot i stands
 *   (theta, p)+ = (theta, p) + dt (omega, v) + dt^2/2 (alpha, a),   (omega, v)+ = (omega, v) + dt (alpha, a)
 *
 * so x+ = A x + B u + c, with u the forces of the feet while they stand, and
 *
 *   min  1/2 sum |x_k - wanted_k|_Q^2 + 1/2 w dt sum s |f|^2,   f_i in truncated friction cones.
 *
 * Shares make the plan continuous in time: a foot that leaves within a knot fades out of it. Without the
 * cones this is a linear quadratic problem: one backward Riccati sweep for the matrices, a backward and a forward sweep
 * for the vectors. The cones come in by the alternating directions method of multipliers (Boyd et al. 2011): u has a term
 * rho/2 |u - z + y|^2, which changes only vectors, so the matrices are factored once for all rounds. z is the projection of
 * u + y on the cones. The result is z: always within the cones. */
#include "gait/mpc.h"

#include <math.h>
#include <string.h>

#include "gait/cone.h"
#include "math/cholesky.h"
#include "math/mat3.h"

enum { X = PKI_MPC_STATES, U = PKI_MPC_FORCES, N = PKI_MPC_KNOTS };
static const double rho = 0.3;
static const double close = 1e-3; /* forces this near have settled */

/* One knot of the sweep. */
typedef struct stage {
  int n;                   /* of forces that there are */
  int who[PKI_LEGS];       /* foot of each three */
  double B[X][U];          /* of the forces that there are */
  double H_inverse[U * U]; /* H = R + B' P B; rows of three for each leg */
  double G[U][X];          /* B' P A */
  double K[U][X];          /* inv(H) G */
  double P[X][X];          /* of the state after the knot */
  double c[X], Pc[X];      /* of gravity, and P c */
  double kff[U];
} stage;

typedef struct sweep {
  stage stages[N];
} sweep;

static void input_matrix(const pki_mpc *m, const pki_mpc_knot *knot, stage *s)
{
  const double dt = knot->dt;
  s->n = 0;
  memset(s->B, 0, sizeof s->B);
  for (int i = 0; i < m->legs; i++) {
    if (knot->share[i] <= 0) {
      continue;
    }
    for (int k = 0; k < 3; k++) {
      double unit[3] = {k == 0, k == 1, k == 2}, moment[3], alpha[3];
      pki_cross3(knot->arm[i], unit, moment);
      pki_mat3_apply(m->inertia_inverse, moment, alpha);
      for (int r = 0; r < 3; r++) {
        const double turn = knot->share[i] * alpha[r], push = knot->share[i] * unit[r];
        s->B[r][s->n + k] = 0.5 * dt * dt * turn;
        s->B[3 + r][s->n + k] = 0.5 * dt * dt * push;
        s->B[6 + r][s->n + k] = dt * turn;
        s->B[9 + r][s->n + k] = dt * push;
      }
    }
    s->who[s->n / 3] = i;
    s->n += 3;
  }
  for (int r = 0; r < 3; r++) {
    s->c[r] = s->c[6 + r] = 0;
    s->c[3 + r] = 0.5 * dt * dt * m->gravity[r];
    s->c[9 + r] = dt * m->gravity[r];
  }
}

/* Rows of M A: A adds dt of the first six columns to the last six. */
static void times_A(double dt, double *row)
{
  for (int k = 0; k < 6; k++) {
    row[6 + k] += dt * row[k];
  }
}

/* inv(H) from its factor, all columns at once: so rounds need no substitutions. Beyond n it is zero. */
static void invert_hessian(const double L[U][U], int n, int width, double *out)
{
  memset(out, 0, (size_t)(width * width) * sizeof *out);
  for (int i = 0; i < n; i++) {
    out[i * width + i] = 1;
  }
  pki_cholesky_solve(L[0], n, U, out, width);
}

/* H = R + rho + B' P B, G = B' P A and P of the state before the knot: Q + A' P A - G' K. */
static void sweep_matrices(const pki_mpc *m, const pki_mpc_knot *knot, stage *s, bool first,
                           double before[X][X])
{
  const int width = 3 * m->legs;
  double PB[U][X], L[U][U] = {{0}};
  memset(PB, 0, sizeof PB);
  for (int i = 0; i < s->n; i++) {
    for (int r = 0; r < X; r++) {
      const double b = s->B[r][i];
      for (int j = 0; j < X; j++) {
        PB[i][j] += b * s->P[r][j];
      }
    }
  }
  for (int i = 0; i < s->n; i++) {
    for (int r = 0; r < X; r++) {
      for (int j = 0; j <= i; j++) {
        L[i][j] += PB[i][r] * s->B[r][j];
      }
    }
    L[i][i] +=
        m->effort * knot->dt * knot->share[s->who[i / 3]] + rho * knot->dt * knot->share[s->who[i / 3]];
    memcpy(s->G[i], PB[i], sizeof s->G[i]);
    times_A(knot->dt, s->G[i]);
  }
  pki_cholesky(L[0], s->n, U);
  invert_hessian(L, s->n, width, s->H_inverse);
  memset(s->K, 0, sizeof s->K);
  for (int i = 0; i < s->n; i++) {
    for (int k = 0; k < s->n; k++) {
      for (int j = 0; j < X; j++) {
        s->K[i][j] += s->H_inverse[i * width + k] * s->G[k][j];
      }
    }
  }
  if (first) {
    return;
  }
  /* A' P A: columns, then rows */
  for (int r = 0; r < X; r++) {
    memcpy(before[r], s->P[r], sizeof before[r]);
    times_A(knot->dt, before[r]);
  }
  for (int r = 0; r < 6; r++) {
    for (int j = 0; j < X; j++) {
      before[6 + r][j] += knot->dt * before[r][j];
    }
  }
  for (int i = 0; i < s->n; i++) {
    for (int r = 0; r < X; r++) {
      const double g = s->G[i][r];
      for (int j = 0; j < X; j++) {
        before[r][j] -= g * s->K[i][j];
      }
    }
  }
  for (int r = 0; r < X; r++) {
    before[r][r] += m->weight[r];
  }
}

static void prepare_stages(const pki_mpc *m, sweep *w)
{
  for (int k = 0; k < N; k++) {
    input_matrix(m, &m->knots[k], &w->stages[k]);
  }
  memset(w->stages[N - 1].P, 0, sizeof w->stages[N - 1].P);
  for (int r = 0; r < X; r++) {
    w->stages[N - 1].P[r][r] = m->last * m->weight[r];
  }
  for (int k = N - 1; k >= 0; k--) {
    stage *s = &w->stages[k];
    for (int r = 0; r < X; r++) {
      s->Pc[r] = 0;
      for (int j = 0; j < X; j++) {
        s->Pc[r] += s->P[r][j] * s->c[j];
      }
    }
    sweep_matrices(m, &m->knots[k], s, k == 0, k > 0 ? w->stages[k - 1].P : NULL);
  }
}

size_t pki_mpc_guess_size(int legs)
{
  return 2 * N * 3 * (size_t)legs * sizeof(double);
}

/* The best forces towards z - y: backward for the offsets, forward for the motion. */
static void sweep_vectors(const pki_mpc *m, sweep *w, const pki_mpc_guess *g, double u[N][U])
{
  const int width = 3 * m->legs;
  const double *const z = g->zy, *const y = z + N * width;
  double p[X], s[X], h[U] = {0};
  for (int r = 0; r < X; r++) {
    p[r] = -m->last * m->weight[r] * m->knots[N - 1].wanted[r];
  }
  for (int k = N - 1; k >= 0; k--) {
    stage *at = &w->stages[k];
    const pki_mpc_knot *knot = &m->knots[k];
    for (int r = 0; r < X; r++) {
      s[r] = p[r] + at->Pc[r];
    }
    for (int i = 0; i < at->n; i++) {
      const int leg = at->who[i / 3], slot = 3 * leg + i % 3;
      h[i] = -rho * knot->dt * knot->share[leg] * (z[k * width + slot] - y[k * width + slot]);
    }
    for (int r = 0; r < X; r++) {
      for (int i = 0; i < at->n; i++) {
        h[i] += at->B[r][i] * s[r];
      }
    }
    memset(at->kff, 0, sizeof at->kff);
    for (int i = 0; i < at->n; i++) {
      for (int r = 0; r < width; r++) {
        at->kff[r] += at->H_inverse[i * width + r] * h[i];
      }
    }
    times_A(knot->dt, s);
    for (int r = 0; r < X && k > 0; r++) {
      p[r] = s[r] - m->weight[r] * m->knots[k - 1].wanted[r];
    }
    for (int i = 0; i < at->n && k > 0; i++) {
      for (int r = 0; r < X; r++) {
        p[r] -= at->G[i][r] * at->kff[i];
      }
    }
  }
  double x[X];
  memcpy(x, m->start, sizeof x);
  for (int k = 0; k < N; k++) {
    const stage *at = &w->stages[k];
    double next[X];
    for (int r = 0; r < X; r++) {
      next[r] = at->c[r] + x[r] + (r < 6 ? m->knots[k].dt * x[6 + r] : 0);
    }
    memset(u[k], 0, sizeof u[k]);
    for (int i = 0; i < at->n; i++) {
      double f = -at->kff[i];
      for (int r = 0; r < X; r++) {
        f -= at->K[i][r] * x[r];
      }
      u[k][3 * at->who[i / 3] + i % 3] = f;
      for (int r = 0; r < X; r++) {
        next[r] += at->B[r][i] * f;
      }
    }
    memcpy(x, next, sizeof x);
  }
}

/* z into the cones. A foot in the air has no force. */
static void project_into_cones(const pki_mpc *m, double *z)
{
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < m->legs; i++, z += 3) {
      if (m->knots[k].share[i] > 0) {
        pki_cone_project(m->normal, m->friction, m->least, m->limit, z);
      } else {
        memset(z, 0, 3 * sizeof *z);
      }
    }
  }
}

static void predict_states(pki_mpc *m, const sweep *w)
{
  double x[X];
  memcpy(x, m->start, sizeof x);
  for (int k = 0; k < N; k++) {
    const stage *at = &w->stages[k];
    for (int r = 0; r < X; r++) {
      double next = at->c[r] + x[r] + (r < 6 ? m->knots[k].dt * x[6 + r] : 0);
      for (int i = 0; i < at->n; i++) {
        next += at->B[r][i] * m->force[k][3 * at->who[i / 3] + i % 3];
      }
      m->state[k][r] = next;
    }
    memcpy(x, m->state[k], sizeof x);
  }
}

/* Feet in the air have no force in a guess. */
static void clear_swinging_feet(const pki_mpc *m, double *z, double *y)
{
  for (int i = 0; i < N * m->legs; i++, z += 3, y += 3) {
    if (m->knots[i / m->legs].share[i % m->legs] <= 0) {
      memset(z, 0, 3 * sizeof *z);
      memset(y, 0, 3 * sizeof *y);
    }
  }
}

void pki_mpc_solve(pki_mpc *m, pki_mpc_guess *g)
{
  const int width = 3 * m->legs, numbers = N * width;
  double *const z = g->zy, *const y = z + numbers;
  sweep w;
  double u[N][U], before[N * U];
  prepare_stages(m, &w);
  clear_swinging_feet(m, z, y);
  bool settled = false;
  for (int round = 0; round < m->rounds && !settled; round++) {
    memcpy(before, z, (size_t)numbers * sizeof *before);
    sweep_vectors(m, &w, g, u);
    for (int i = 0; i < numbers; i++) {
      z[i] = u[i / width][i % width] + y[i];
    }
    project_into_cones(m, z);
    settled = true;
    for (int i = 0; i < numbers; i++) {
      const double off = u[i / width][i % width] - z[i];
      y[i] += off;
      settled = settled && fabs(off) < close && fabs(z[i] - before[i]) < close;
    }
  }
  for (int i = 0; i < numbers; i++) {
    m->force[i / width][i % width] = z[i];
  }
  predict_states(m, &w);
}
