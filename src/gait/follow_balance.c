/* Balance along a motion by the linear inverted pendulum, its feedback by a periodic linear-quadratic regulator.
 *
 * A robot that keeps height and attitude of its motion leaves it only in the horizontal place e of its mass, as a pendulum does whose
 * support is off by d (Kajita et al. 2001):
 *
 *   e'' = w^2 (e - d),   d = sum s_f p_f + S n,   w^2 = (g + z'')/z
 *
 * p_f is the error of the place of foot f that stands, s_f its part of the load in the motion, and S n shifts the pressure between the
 * feet: S is the root of the second moments of the points that carry, so that on two points it acts along the line through them alone.
 * Without feet on the ground e'' = 0. Inputs are n at all times, and p_f of a foot when it lands, which then stays. Over a step of length t
 * with C = cosh wt, D = sinh wt,
 *
 *   e <- C e + D/w e' + (1 - C) d,   e' <- w D e + C e' - w D d
 *
 * The feedback minimises the sum over all time of
 *
 *   place |e|^2/h^2 + speed |e'|^2/(g h) + pressure |n|^2   in each sqrt(h/g),   and   foothold |p_f|^2/h^2   of each landing
 *
 * Its gains come from the Riccati equation backwards in time, round after round until they repeat (Bittanti, Colaneri and De Nicolao
 * 1991). What is known of the errors at one time tells by the closed loop where each foot should land that is still on its way. The
 * place of a foot in the air has no effect and is taken as zero. */
#include "gait/follow_balance.h"

#include <math.h>
#include <string.h>

enum { N = PKI_BALANCE_STATES, INPUTS = 2 };

typedef double square[N][N];

/* One step or one landing of the design: x <- A x + B u with the cost x' Q x + u' R u, Q and R diagonal. */
typedef struct stage {
  square A;
  double B[N][INPUTS], Q[N], R;
} stage;

size_t pki_balance_size(int feet)
{
  return (size_t)PKI_BALANCE_STEPS * (size_t)(1 + feet) * 2 * (size_t)(4 + 2 * feet);
}

/* ---- stages ---- */

static void set_identity(int n, square A)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      A[i][k] = i == k;
    }
  }
}

/* A step of the time t. Feet that do not stand are at zero after it. */
static void set_step(const pki_balance_sample *s, int feet, double t, double height, double gravity,
                     const pki_balance_weights *weights, stage *out)
{
  const double w = s->rate, C = w > 0 ? cosh(w * t) : 1, over = w > 0 ? sinh(w * t) / w : t,
               under = w > 0 ? w * sinh(w * t) : 0, unit = t * sqrt(gravity / height);
  const double spread[2][2] = {{s->spread[0], s->spread[1]}, {s->spread[1], s->spread[2]}};
  memset(out, 0, sizeof *out);
  for (int k = 0; k < 2; k++) {
    out->A[k][k] = C, out->A[k][2 + k] = over;
    out->A[2 + k][k] = under, out->A[2 + k][2 + k] = C;
    for (int f = 0; f < feet; f++) {
      const int p = 4 + 2 * f + k;
      out->A[p][p] = s->stands[f];
      out->A[k][p] = s->stands[f] ? (1 - C) * s->share[f] : 0;
      out->A[2 + k][p] = s->stands[f] ? -under * s->share[f] : 0;
    }
    for (int i = 0; i < INPUTS; i++) {
      out->B[k][i] = (1 - C) * spread[k][i];
      out->B[2 + k][i] = -under * spread[k][i];
    }
    out->Q[k] = unit * weights->place / (height * height);
    out->Q[2 + k] = unit * weights->speed / (gravity * height);
  }
  out->R = unit * weights->pressure;
}

/* Foot f lands: its place is the input. */
static void set_landing(int n, int f, double height, const pki_balance_weights *weights, stage *out)
{
  memset(out, 0, sizeof *out);
  set_identity(n, out->A);
  for (int k = 0; k < 2; k++) {
    out->A[4 + 2 * f + k][4 + 2 * f + k] = 0;
    out->B[4 + 2 * f + k][k] = 1;
  }
  out->R = weights->foothold / (height * height);
}

/* ---- the regulator ---- */

/* out = P [n][n] times X [n][m], X with `pitch` numbers in a row. */
static void multiply(int n, int m, const square P, const double *X, int pitch, double *out)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++) {
      double sum = 0;
      for (int j = 0; j < n; j++) {
        sum += P[i][j] * X[j * pitch + k];
      }
      out[i * pitch + k] = sum;
    }
  }
}

/* One stage of Riccati's equation, backwards: u = -K x, K = inv(R + B' P B) B' P A, P <- Q + A' P (A - B K). A becomes the closed
 * loop A - B K. */
static void go_back(int n, stage *s, square P, double K[INPUTS][N])
{
  double PB[N][INPUTS], G[INPUTS][INPUTS];
  square PA;
  multiply(n, INPUTS, P, s->B[0], INPUTS, PB[0]);
  for (int i = 0; i < INPUTS; i++) {
    for (int k = 0; k < INPUTS; k++) {
      G[i][k] = i == k ? s->R : 0;
      for (int j = 0; j < n; j++) {
        G[i][k] += s->B[j][i] * PB[j][k];
      }
    }
  }
  const double det = G[0][0] * G[1][1] - G[0][1] * G[1][0];
  for (int k = 0; k < n; k++) {
    double b[INPUTS] = {0, 0};
    for (int j = 0; j < n; j++) {
      b[0] += PB[j][0] * s->A[j][k], b[1] += PB[j][1] * s->A[j][k];
    }
    K[0][k] = (G[1][1] * b[0] - G[0][1] * b[1]) / det;
    K[1][k] = (G[0][0] * b[1] - G[1][0] * b[0]) / det;
  }
  square open;
  memcpy(open, s->A, sizeof open);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      s->A[i][k] -= s->B[i][0] * K[0][k] + s->B[i][1] * K[1][k];
    }
  }
  multiply(n, n, P, s->A[0], N, PA[0]);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      P[i][k] = i == k ? s->Q[i] : 0;
      for (int j = 0; j < n; j++) {
        P[i][k] += open[j][i] * PA[j][k];
      }
    }
  }
  for (int i = 0; i < n; i++) { /* rounding must not make it unsymmetric */
    for (int k = 0; k < i; k++) {
      P[i][k] = P[k][i] = 0.5 * (P[i][k] + P[k][i]);
    }
  }
}

/* A sweep over the motion, backwards. */
typedef struct sweep {
  const pki_balance_sample *samples;
  int feet, n;
  double step, height, gravity;
  bool repeats;
  const pki_balance_weights *weights;
  square P;
  double place[PKI_WHOLE_MOTION_FEET][2][N]; /* of errors now where each foot lands next; zero: it does not */
} sweep;

/* What is known at the end of a stage is known at its start by its closed loop. */
static void carry_back(sweep *w, const square closed)
{
  for (int f = 0; f < w->feet; f++) {
    for (int e = 0; e < 2; e++) {
      double row[N] = {0};
      for (int k = 0; k < w->n; k++) {
        row[k] = 0;
        for (int j = 0; j < w->n; j++) {
          row[k] += w->place[f][e][j] * closed[j][k];
        }
      }
      memcpy(w->place[f][e], row, (size_t)w->n * sizeof(double));
    }
  }
}

/* The landings between sample i and the one before it; the last one first. */
static void go_back_landings(sweep *w, int i)
{
  const int before = i > 0 ? i - 1 : PKI_BALANCE_STEPS - 1;
  for (int f = w->feet - 1; f >= 0; f--) {
    const bool lands = w->samples[i].stands[f] && !w->samples[before].stands[f] && (i > 0 || w->repeats);
    if (!lands) {
      continue;
    }
    stage s;
    double K[INPUTS][N];
    set_landing(w->n, f, w->height, w->weights, &s);
    go_back(w->n, &s, w->P, K);
    carry_back(w, s.A);
    for (int e = 0; e < 2; e++) {
      for (int k = 0; k < w->n; k++) {
        w->place[f][e][k] = -K[e][k];
      }
    }
  }
}

/* Over all samples once; gains NULL: they are not wanted yet. */
static void sweep_motion(sweep *w, double *gains)
{
  const size_t block = 2 * (size_t)w->n;
  for (int i = PKI_BALANCE_STEPS - 1; i >= 0; i--) {
    stage s;
    double K[INPUTS][N];
    set_step(&w->samples[i], w->feet, w->step, w->height, w->gravity, w->weights, &s);
    go_back(w->n, &s, w->P, K);
    carry_back(w, s.A);
    for (int f = -1; f < w->feet && gains != NULL; f++) {
      double *out = gains + ((size_t)i * (size_t)(1 + w->feet) + (size_t)(1 + f)) * block;
      for (int e = 0; e < 2; e++) {
        for (int k = 0; k < w->n; k++) {
          out[e * w->n + k] = f < 0 ? -K[e][k] : w->place[f][e][k];
        }
      }
    }
    go_back_landings(w, i);
  }
}

/* The cost of what follows a motion that ends: its last sample for ever. */
static void sweep_end(sweep *w)
{
  enum { ROUNDS = 4000 };
  /* on a support that cannot be balanced the cost has no bound: it is large enough then */
  const double most = 1e9 / (w->height * w->height);
  for (int round = 0; round < ROUNDS && w->P[0][0] < most && w->P[1][1] < most; round++) {
    stage s;
    double K[INPUTS][N];
    set_step(&w->samples[PKI_BALANCE_STEPS - 1], w->feet, w->step, w->height, w->gravity, w->weights, &s);
    go_back(w->n, &s, w->P, K);
  }
}

void pki_balance_design(const pki_balance_sample *samples, int feet, double length, bool repeats,
                        double height, double gravity, const pki_balance_weights *weights, double *gains,
                        pki_balance *out)
{
  enum { ROUNDS = 12 };
  sweep w = {.samples = samples,
             .feet = feet,
             .n = 4 + 2 * feet,
             .step = length / PKI_BALANCE_STEPS,
             .height = height,
             .gravity = gravity,
             .repeats = repeats,
             .weights = weights};
  if (!repeats) {
    sweep_end(&w);
  }
  for (int round = 0; round < (repeats ? ROUNDS : 1); round++) {
    sweep_motion(&w, round == (repeats ? ROUNDS : 1) - 1 ? gains : NULL);
  }
  *out = (pki_balance){.feet = feet, .states = w.n, .length = length, .samples = samples, .gains = gains};
}

/* ---- its use ---- */

void pki_balance_at(const pki_balance *b, double time, const double *errors, double acceleration[2],
                    double (*places)[2])
{
  const int i = (int)fmin(fmax(floor(time / b->length * PKI_BALANCE_STEPS), 0), PKI_BALANCE_STEPS - 1);
  const pki_balance_sample *s = &b->samples[i];
  double shift[2] = {0, 0};
  for (int f = -1; f < b->feet; f++) {
    const double *gain =
        b->gains + ((size_t)i * (size_t)(1 + b->feet) + (size_t)(1 + f)) * 2 * (size_t)b->states;
    double *out = f < 0 ? shift : places[f];
    for (int e = 0; e < 2; e++) {
      out[e] = 0;
      for (int k = 0; k < b->states; k++) {
        out[e] += gain[e * b->states + k] * errors[k];
      }
    }
  }
  for (int e = 0; e < 2; e++) {
    double support = s->spread[e] * shift[0] + s->spread[1 + e] * shift[1];
    for (int f = 0; f < b->feet; f++) {
      support += s->stands[f] ? s->share[f] * errors[4 + 2 * f + e] : 0;
    }
    acceleration[e] = s->rate * s->rate * (errors[e] - support);
  }
}
