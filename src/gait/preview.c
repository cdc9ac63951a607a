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
#include <string.h>

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

void pki_preview_design(double error, double jerk, pki_preview *gains)
{
  static const double T = PKI_PREVIEW_STEP;
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
  gains->error = k[0];
  memcpy(gains->state, k + 1, sizeof gains->state);
  /* x = -(Fc')^j P (1, 0, 0, 0)' */
  for (int i = 0; i < N; i++) {
    x[i] = -P[N * i];
  }
  gains->ahead[0] = -k[0];
  for (int j = 1; j < PKI_PREVIEW; j++) {
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
    gains->ahead[j] = gain;
  }
}

void pki_preview_step(const pki_preview *gains, const double wanted[PKI_PREVIEW], pki_cart *cart)
{
  static const double T = PKI_PREVIEW_STEP;
  double *x = cart->x, v = -gains->error * cart->error, last = cart->wanted;
  for (int i = 0; i < 3; i++) {
    v -= gains->state[i] * (x[i] - cart->before[i]);
  }
  for (int j = 0; j < PKI_PREVIEW; j++) {
    v -= gains->ahead[j] * (wanted[j] - last);
    last = wanted[j];
  }
  const double u = cart->jerk + v;
  memcpy(cart->before, x, sizeof cart->before);
  cart->jerk = u;
  cart->wanted = wanted[0];
  x[0] += T * (x[1] + T * (0.5 * x[2] + T * u / 6));
  x[1] += T * (x[2] + 0.5 * T * u);
  x[2] += T * u;
  cart->error = x[0] - x[2] - wanted[0];
}
