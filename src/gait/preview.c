/* The cart on a table (Kajita et al. 2003, "Biped walking pattern generation by using preview control of zero-moment
 * point"): a mass at constant height h has its zero moment point at p = x - (h/g) d2x/dt2. In units of sqrt(h/g) for time,
 *
 *   x+ = A x + b u,   p = c x,   A = [1 T T^2/2; 0 1 T; 0 0 1],   b = (T^3/6, T^2/2, T),   c = (1, 0, -1),   u the jerk.
 *
 * With differences between steps and the error e = p - p_wanted as states X = (e, x - x_before), and v = u - u_before,
 *
 *   X+ = F X + g v - (1, 0, 0, 0) (p_wanted+ - p_wanted),   F = [1 cA; 0 A],   g = (cb, b),
 *
 * and J = sum Q e^2 + R v^2 is least (Katayama et al. 1985) for
 *
 *   v = -G_e e - G_x (x - x_before) - sum_j G_j (p_wanted(k + j) - p_wanted(k + j - 1)),   j = 1, 2, ...
 *   (G_e, G_x) = inv(R + g'Pg) g'P F,   G_1 = -G_e,   G_{j+1} = -inv(R + g'Pg) g' (Fc')^j P (1, 0, 0, 0)',
 *
 * with Fc = F - g (G_e, G_x),
 * where P solves the discrete Riccati equation P = F'PF - F'Pg inv(R + g'Pg) g'PF + Q. It is found by doubling
 * (Chu et al. 2004), which squares the closed loop in each round. */
#include "gait/preview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "math/lu.h"

enum { N = 4, ROUNDS = 40 };

static void multiply_nxn(const double *A, const double *B, double *out)
{
  for (int i = 0; i < N * N; i++) {
    double sum = 0;
    for (int k = 0; k < N; k++) {
      sum += A[N * (i / N) + k] * B[N * k + i % N];
    }
    out[i] = sum;
  }
}

static void transpose_nxn(const double *A, double *out)
{
  for (int i = 0; i < N * N; i++) {
    out[i] = A[N * (i % N) + i / N];
  }
}

/* inv(1 + G H) B. */
static void solve_one_plus_gh(const double *G, const double *H, const double *B, double *out)
{
  double W[N * N], column[N] = {0};
  int pivot[N];
  multiply_nxn(G, H, W);
  for (int i = 0; i < N; i++) {
    W[N * i + i] += 1;
  }
  pki_lu_factor(W, N, pivot);
  pki_lu_divide(W, N, pivot, B, column, out);
}

/* P by doubling: A, G, H start as F, g g'/R, Q; H becomes P. */
static void solve_riccati(const double *F, const double *g, double Q, double R, double *P)
{
  double A[N * N], G[N * N], At[N * N], WA[N * N], WG[N * N], S[N * N], T[N * N];
  memcpy(A, F, sizeof A);
  memset(P, 0, sizeof A);
  P[0] = Q;
  for (int i = 0; i < N * N; i++) {
    G[i] = g[i / N] * g[i % N] / R;
  }
  double change = 1;
  for (int round = 0; round < ROUNDS && change > 1e-15; round++) {
    solve_one_plus_gh(G, P, A, WA);
    solve_one_plus_gh(G, P, G, WG);
    transpose_nxn(A, At);
    /* P + A' P inv(1 + G P) A and G + A inv(1 + G P) G A' */
    multiply_nxn(P, WA, S);
    multiply_nxn(At, S, T);
    double size = 0, most = 0;
    for (int i = 0; i < N * N; i++) {
      P[i] += T[i];
      most = fmax(most, fabs(T[i]));
      size = fmax(size, fabs(P[i]));
    }
    change = most / size;
    multiply_nxn(A, WG, S);
    multiply_nxn(S, At, T);
    for (int i = 0; i < N * N; i++) {
      G[i] += T[i];
    }
    multiply_nxn(A, WA, S);
    memcpy(A, S, sizeof A);
  }
}

/* Gains of the error, of changes of the state and of `count` references, for steps of T sqrt(h/g). */
static void design_gains(double T, double error, double jerk, double *of_error, double of_state[3],
                         double *ahead, int count)
{
  /* c A = (1, T, T^2/2 - 1), c b = T^3/6 - T */
  const double F[N * N] = {1, 1, T, 0.5 * T * T - 1, 0, 1, T, 0.5 * T * T, 0, 0, 1, T, 0, 0, 0, 1};
  const double g[N] = {T * T * T / 6 - T, T * T * T / 6, 0.5 * T * T, T};
  double P[N * N], Pg[N], k[N], Fc[N * N], x[N], size = jerk;
  solve_riccati(F, g, error, jerk, P);
  for (int i = 0; i < N; i++) {
    Pg[i] = 0;
    for (int j = 0; j < N; j++) {
      Pg[i] += P[N * i + j] * g[j];
    }
    size += g[i] * Pg[i];
  }
  for (int i = 0; i < N; i++) {
    k[i] = 0;
    for (int j = 0; j < N; j++) {
      k[i] += Pg[j] * F[N * j + i] / size;
    }
  }
  for (int i = 0; i < N * N; i++) {
    Fc[i] = F[i] - g[i / N] * k[i % N];
  }
  *of_error = k[0];
  memcpy(of_state, k + 1, 3 * sizeof *of_state);
  /* x = -(Fc')^j P (1, 0, 0, 0)' */
  for (int i = 0; i < N; i++) {
    x[i] = -P[N * i];
  }
  ahead[0] = -k[0];
  for (int j = 1; j < count; j++) {
    double next[N], gain = 0;
    for (int i = 0; i < N; i++) {
      next[i] = 0;
      for (int r = 0; r < N; r++) {
        next[i] += Fc[N * r + i] * x[r];
      }
    }
    memcpy(x, next, sizeof x);
    for (int i = 0; i < N; i++) {
      gain += g[i] * x[i] / size;
    }
    ahead[j] = gain;
  }
}

void pki_preview_design(double error, double jerk, pki_preview *gains)
{
  design_gains(PKI_PREVIEW_STEP, error, jerk, &gains->error, gains->state, gains->ahead, PKI_PREVIEW);
}

/* A step of T with the jerk u; `lever` is h/g. */
static void move_cart(double T, double lever, double u, double wanted, pki_cart *cart)
{
  double *x = cart->x;
  memcpy(cart->before, x, sizeof cart->before);
  cart->jerk = u;
  cart->wanted = wanted;
  x[0] += T * (x[1] + T * (0.5 * x[2] + T * u / 6));
  x[1] += T * (x[2] + 0.5 * T * u);
  x[2] += T * u;
  cart->error = x[0] - lever * x[2] - wanted;
}

static double next_jerk(double of_error, const double of_state[3], const double *ahead, int count,
                        const double *wanted, const pki_cart *cart)
{
  double v = -of_error * cart->error, last = cart->wanted;
  for (int i = 0; i < 3; i++) {
    v -= of_state[i] * (cart->x[i] - cart->before[i]);
  }
  for (int j = 0; j < count; j++) {
    v -= ahead[j] * (wanted[j] - last);
    last = wanted[j];
  }
  return cart->jerk + v;
}

void pki_preview_step(const pki_preview *gains, const double wanted[PKI_PREVIEW], pki_cart *cart)
{
  const double u = next_jerk(gains->error, gains->state, gains->ahead, PKI_PREVIEW, wanted, cart);
  move_cart(PKI_PREVIEW_STEP, 1, u, wanted[0], cart);
}

/* ---- by itself, in SI units ---- */

struct pk_preview {
  double step, lever, error, state[3];
  int count;
  double ahead[];
};

#define PREVIEW(name) #name, offsetof(pk_preview_options, name)
static const pk_field preview_fields[] = {
    {PREVIEW(height), PK_FIELD_REAL, "m", 1, 1e-3, 1e3, NULL, "of the mass over the ground"},
    {PREVIEW(gravity), PK_FIELD_REAL, "m/s^2", 9.81, 1e-3, 1e3, NULL, "gravity"},
    {PREVIEW(step), PK_FIELD_REAL, "s", 0.01, 1e-4, 1, NULL, "time of a step"},
    {PREVIEW(count), PK_FIELD_INT, "", 200, 1, PK_PREVIEW_MOST, NULL, "references that are seen ahead"},
    {PREVIEW(error_weight), PK_FIELD_REAL, "1/m^2", 1, 1e-12, 1e12, NULL,
     "of errors of the zero moment point"},
    {PREVIEW(jerk_weight), PK_FIELD_REAL, "(h/g)^3/m^2", 1e-3, 1e-12, 1e12, NULL, "of changes of the jerk"},
};
enum { PREVIEW_FIELDS = sizeof preview_fields / sizeof preview_fields[0] };

pk_preview_options pk_preview_options_default(void)
{
  pk_preview_options options;
  pki_fields_default(preview_fields, PREVIEW_FIELDS, &options, sizeof options);
  return options;
}

/* Gains are found in units of tau = sqrt(h/g) for time, and are those of 1, s, s^2 by s^3 then. */
pk_status pk_preview_create(const pk_preview_options *options, pk_preview **out, pk_error *err)
{
  *out = NULL;
  const pk_preview_options o = options != NULL ? *options : pk_preview_options_default();
  const pk_status status = pki_fields_validate(preview_fields, PREVIEW_FIELDS, &o, err);
  if (status != PK_OK) {
    return status;
  }
  pk_preview *p = malloc(sizeof *p + (size_t)o.count * sizeof *p->ahead);
  if (p == NULL) {
    return pki_fail_memory(err, "a preview");
  }
  const double lever = o.height / o.gravity, tau = sqrt(lever), cube = 1 / (tau * lever);
  *p = (pk_preview){.step = o.step, .lever = lever, .count = o.count};
  design_gains(o.step / tau, o.error_weight, o.jerk_weight, &p->error, p->state, p->ahead, o.count);
  p->error *= cube;
  p->state[0] *= cube, p->state[1] *= cube * tau, p->state[2] *= cube * lever;
  for (int j = 0; j < o.count; j++) {
    p->ahead[j] *= cube;
  }
  *out = p;
  return PK_OK;
}

void pk_preview_destroy(pk_preview *preview)
{
  free(preview);
}

void pk_preview_gains(const pk_preview *p, double *error, double state[3], const double **ahead)
{
  if (error != NULL) {
    *error = p->error;
  }
  if (state != NULL) {
    memcpy(state, p->state, sizeof p->state);
  }
  if (ahead != NULL) {
    *ahead = p->ahead;
  }
}

void pk_preview_rest(double x, pk_preview_cart *cart)
{
  *cart = (pk_preview_cart){.x = {x}, .before = {x}, .wanted = x};
}

void pk_preview_step(const pk_preview *p, const double *wanted, pk_preview_cart *cart)
{
  const double u = next_jerk(p->error, p->state, p->ahead, p->count, wanted, cart);
  move_cart(p->step, p->lever, u, wanted[0], cart);
}

void pk_preview_plan(const pk_preview *p, const double *zmp, int n, double *com)
{
  double wanted[PK_PREVIEW_MOST];
  pk_preview_cart cart;
  for (int k = 0; k < n; k++) {
    if (k == 0) {
      pk_preview_rest(zmp[0], &cart);
    } else {
      for (int j = 0; j < p->count; j++) {
        wanted[j] = zmp[k + j < n ? k + j : n - 1];
      }
      pk_preview_step(p, wanted, &cart);
    }
    memcpy(com + 3 * (size_t)k, cart.x, sizeof cart.x);
  }
}
