/* The right-invariant extended Kalman filter. With X the matrix of attitude R, velocity v, position p and the feet's
 * places d, the error is xi in X^ = exp(xi) X, estimates having a hat, and zeta = b^ - b of the biases. Then
 *
 *   dxi_R/dt = -R^ zeta_g
 *   dxi_v/dt = g x xi_R - v^ x R^ zeta_g - R^ zeta_a
 *   dxi_p/dt = xi_v - p^ x R^ zeta_g
 *   dxi_d/dt = -d^ x R^ zeta_g
 *
 * and a leg's reading y = R'(d - p) + n gives r = d^ - p^ - R^ y = xi_d - xi_p - R^ n: no estimate is in the matrices but
 * through the biases, so that directions which cannot be observed stay so. Feet are taken one after the other. */
#include <math.h>
#include <string.h>

#include "gait/estimator.h"
#include "math/mat3.h"

enum { N = PK_BASE_ESTIMATOR_ERRORS };

/* ---- rotations ---- */

/* Exp(w) and the left Jacobian J(w), of which Exp(w) = 1 + [w] J(w); either may be NULL. */
static void exponential(const double w[3], double R[9], double J[9])
{
  const double t2 = pki_dot3(w, w), t = sqrt(t2);
  const bool small = t < 1e-4; /* series to the fourth power of the angle */
  const double a = small ? 1 - t2 / 6 : sin(t) / t, b = small ? 0.5 - t2 / 24 : (1 - cos(t)) / t2;
  const double c = small ? 1.0 / 6 - t2 / 120 : (1 - a) / t2;
  const double W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const double square = w[i] * w[j] - (i == j ? t2 : 0), one = i == j;
      R[3 * i + j] = one + a * W[3 * i + j] + b * square;
      J[3 * i + j] = one + b * W[3 * i + j] + c * square;
    }
  }
}

/* The quaternion of a rotation vector. */
static void quaternion_of(const double w[3], double q[4])
{
  const double t2 = pki_dot3(w, w), t = sqrt(t2), s = t < 1e-4 ? 0.5 - t2 / 48 : sin(0.5 * t) / t;
  q[0] = cos(0.5 * t), q[1] = s * w[0], q[2] = s * w[1], q[3] = s * w[2];
}

/* out = a b, of unit length; out may be a or b */
static void multiply_quaternions(const double a[4], const double b[4], double out[4])
{
  const double c[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                       a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                       a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                       a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  const double scale = 1 / sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
  for (int k = 0; k < 4; k++) {
    out[k] = scale * c[k];
  }
}

/* ---- prediction ---- */

/* Rows `to` += s [w] `from`, three rows each. */
static void add_cross_rows(double *P, int to, double s, const double w[3], const double *from)
{
  double *const x = P + N * to, *const y = x + N, *const z = y + N;
  const double a = s * w[0], b = s * w[1], c = s * w[2];
  for (int j = 0; j < N; j++) {
    x[j] += b * from[2 * N + j] - c * from[N + j];
    y[j] += c * from[j] - a * from[2 * N + j];
    z[j] += a * from[N + j] - b * from[j];
  }
}

/* Rows out = dt R times three rows. */
static void turn_rows(const double R[9], double dt, const double *from, double *out)
{
  for (int i = 0; i < 3; i++) {
    const double a = dt * R[3 * i], b = dt * R[3 * i + 1], c = dt * R[3 * i + 2];
    for (int j = 0; j < N; j++) {
      out[N * i + j] = a * from[j] + b * from[N + j] + c * from[2 * N + j];
    }
  }
}

/* P = Phi P, with Phi of the error over dt: rows in an order in which each reads others as they were. */
static void advance_rows(const pk_base_estimator *e, const double R[9], double dt,
                         const pk_base_estimator_state *s, double *P)
{
  double turned[3 * N], pushed[3 * N];
  turn_rows(R, dt, P + N * PKI_ERROR_BG, turned);
  turn_rows(R, dt, P + N * PKI_ERROR_BA, pushed);
  for (int j = 0; j < 3 * N; j++) {
    P[N * PKI_ERROR_P + j] += dt * P[N * PKI_ERROR_V + j];
  }
  add_cross_rows(P, PKI_ERROR_P, 0.5 * dt * dt, e->gravity, P + N * PKI_ERROR_R);
  add_cross_rows(P, PKI_ERROR_P, -1, s->position, turned);
  add_cross_rows(P, PKI_ERROR_V, dt, e->gravity, P + N * PKI_ERROR_R);
  add_cross_rows(P, PKI_ERROR_V, -1, s->velocity, turned);
  for (int j = 0; j < 3 * N; j++) {
    P[N * PKI_ERROR_V + j] -= pushed[j];
    P[N * PKI_ERROR_R + j] -= turned[j];
  }
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    if (s->stands[i] > 0) {
      add_cross_rows(P, PKI_ERROR_D + 3 * i, -1, s->feet + 3 * i, turned);
    }
  }
}

static void transpose_in_place(double *P)
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      const double swap = P[N * i + j];
      P[N * i + j] = P[N * j + i], P[N * j + i] = swap;
    }
  }
}

/* The gyroscope's noise turns the world about its origin: xi = (1, [v], [p], [d]) R w. Block i, j of B B', B the stack of
 * these, is [a][b]' = a'b 1 - b a', and with the first one [a]. */
static void add_turn_noise(double variance, const pk_base_estimator_state *s, double *P)
{
  const double *of[3 + PK_BASE_ESTIMATOR_FEET] = {NULL, s->velocity, s->position};
  int at[3 + PK_BASE_ESTIMATOR_FEET] = {PKI_ERROR_R, PKI_ERROR_V, PKI_ERROR_P}, n = 3;
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    if (s->stands[i] > 0) {
      of[n] = s->feet + 3 * i, at[n++] = PKI_ERROR_D + 3 * i;
    }
  }
  for (int k = 0; k < 3; k++) {
    P[(N + 1) * k] += variance;
  }
  for (int i = 1; i < n; i++) {
    const double *a = of[i];
    const double A[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    for (int k = 0; k < 9; k++) {
      P[N * (at[i] + k / 3) + k % 3] += variance * A[k];
      P[N * (k % 3) + at[i] + k / 3] += variance * A[k];
    }
    for (int j = 1; j < n; j++) {
      const double *b = of[j], dot = pki_dot3(a, b);
      for (int k = 0; k < 9; k++) {
        P[N * (at[i] + k / 3) + at[j] + k % 3] += variance * ((k % 4 == 0 ? dot : 0) - b[k / 3] * a[k % 3]);
      }
    }
  }
}

static void add_diagonal(double *P, int at, double variance)
{
  for (int k = 0; k < 3; k++) {
    P[(N + 1) * (at + k)] += variance;
  }
}

static void add_noise(const pk_base_estimator_options *o, double dt, const pk_base_estimator_state *s,
                      double *P)
{
  add_turn_noise(o->gyro_noise * o->gyro_noise * dt, s, P);
  add_diagonal(P, PKI_ERROR_V, o->acc_noise * o->acc_noise * dt);
  add_diagonal(P, PKI_ERROR_BG, o->gyro_walk * o->gyro_walk * dt);
  add_diagonal(P, PKI_ERROR_BA, o->acc_walk * o->acc_walk * dt);
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    if (s->stands[i] > 0) {
      add_diagonal(P, PKI_ERROR_D + 3 * i, o->foot_noise * o->foot_noise * dt);
    }
  }
}

void pki_filter_predict(const pk_base_estimator *e, const pk_base_estimator_input *in, const double *rolling,
                        pk_base_estimator_state *s)
{
  const double dt = in->dt;
  double R[9], step[4], turn[3], force[3], *const P = s->covariance;
  pki_quat_to_mat3(s->rotation, R);
  advance_rows(e, R, dt, s, P);
  transpose_in_place(P);
  advance_rows(e, R, dt, s, P);
  add_noise(&e->options, dt, s, P);
  for (int k = 0; k < 3; k++) {
    turn[k] = dt * (0.5 * (in->gyro[k] + (s->time > 0 ? s->gyro[k] : in->gyro[k])) - s->gyro_bias[k]);
    force[k] = in->acc[k] - s->acc_bias[k];
  }
  quaternion_of(turn, step);
  multiply_quaternions(s->rotation, step, s->rotation);
  pki_quat_to_mat3(s->rotation, R);
  pki_mat3_apply(R, force, force);
  for (int k = 0; k < 3; k++) {
    const double dv = dt * (force[k] + e->gravity[k]);
    s->position[k] += dt * (s->velocity[k] + 0.5 * dv);
    s->velocity[k] += dv;
    s->gyro[k] = in->gyro[k];
  }
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    for (int k = 0; k < 3 && s->stands[i] > 0; k++) {
      s->feet[3 * i + k] += dt * rolling[3 * i + k];
    }
  }
  s->time += dt;
}

/* ---- feet ---- */

/* World axes: the foot from the IMU by its leg, and the covariance of that. */
static void read_leg(const pk_base_estimator *e, const pki_estimator_foot *foot,
                     const pk_base_estimator_state *s, double arm[3], double noise[9])
{
  const double place = e->options.place_noise * e->options.place_noise;
  const double angle = e->options.joint_noise * e->options.joint_noise;
  double R[9], columns[3][3];
  pki_quat_to_mat3(s->rotation, R);
  pki_mat3_apply(R, foot->arm, arm);
  for (int k = 0; k < 3; k++) {
    pki_mat3_apply(R, foot->column[k], columns[k]);
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = i == j ? place : 0;
      for (int k = 0; k < 3; k++) {
        sum += angle * columns[k][i] * columns[k][j];
      }
      noise[3 * i + j] = sum;
    }
  }
}

void pki_filter_drop_foot(int leg, pk_base_estimator_state *s)
{
  const int at = PKI_ERROR_D + 3 * leg;
  for (int k = at; k < at + 3; k++) {
    for (int j = 0; j < N; j++) {
      s->covariance[N * k + j] = s->covariance[N * j + k] = 0;
    }
  }
  s->stands[leg] = 0;
}

/* d = p + R y: xi_d = xi_p + R n. */
void pki_filter_place_foot(const pk_base_estimator *e, int leg, const pki_estimator_foot *foot,
                           pk_base_estimator_state *s)
{
  const int at = PKI_ERROR_D + 3 * leg;
  double arm[3], noise[9], *const P = s->covariance;
  read_leg(e, foot, s, arm, noise);
  pki_filter_drop_foot(leg, s);
  for (int k = 0; k < 3; k++) {
    s->feet[3 * leg + k] = s->position[k] + arm[k];
    for (int j = 0; j < N; j++) {
      P[N * (at + k) + j] = P[N * (PKI_ERROR_P + k) + j];
    }
  }
  for (int k = 0; k < 3; k++) {
    for (int j = 0; j < N; j++) {
      P[N * j + at + k] = P[N * (at + k) + j];
    }
  }
  for (int k = 0; k < 9; k++) {
    P[N * (at + k / 3) + at + k % 3] = P[N * (PKI_ERROR_P + k / 3) + PKI_ERROR_P + k % 3] + noise[k];
  }
  s->stands[leg] = 1;
}

/* The inverse of a symmetric matrix that is positive definite. */
static void invert_symmetric(const double S[9], double out[9])
{
  const double a = S[4] * S[8] - S[5] * S[7], b = S[5] * S[6] - S[3] * S[8], c = S[3] * S[7] - S[4] * S[6];
  const double scale = 1 / (S[0] * a + S[1] * b + S[2] * c);
  out[0] = scale * a, out[1] = out[3] = scale * b, out[2] = out[6] = scale * c;
  out[4] = scale * (S[0] * S[8] - S[2] * S[6]);
  out[5] = out[7] = scale * (S[2] * S[3] - S[0] * S[5]);
  out[8] = scale * (S[0] * S[4] - S[1] * S[3]);
}

/* X = exp(-delta) X, and the biases less theirs. */
static void retract(const double *delta, pk_base_estimator_state *s)
{
  double turn[3], E[9], J[9], step[4];
  double *vectors[2 + PK_BASE_ESTIMATOR_FEET] = {s->velocity, s->position};
  const double *moves[2 + PK_BASE_ESTIMATOR_FEET] = {delta + PKI_ERROR_V, delta + PKI_ERROR_P};
  int n = 2;
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    if (s->stands[i] > 0) {
      vectors[n] = s->feet + 3 * i, moves[n++] = delta + PKI_ERROR_D + 3 * i;
    }
  }
  for (int k = 0; k < 3; k++) {
    turn[k] = -delta[PKI_ERROR_R + k];
    s->gyro_bias[k] -= delta[PKI_ERROR_BG + k];
    s->acc_bias[k] -= delta[PKI_ERROR_BA + k];
  }
  exponential(turn, E, J);
  quaternion_of(turn, step);
  multiply_quaternions(step, s->rotation, s->rotation);
  for (int i = 0; i < n; i++) {
    double turned[3], moved[3];
    pki_mat3_apply(E, vectors[i], turned);
    pki_mat3_apply(J, moves[i], moved);
    pki_sub3(turned, moved, vectors[i]);
  }
}

/* P -= K A', A = P H': the lower triangle, and the upper one by symmetry. */
static void shrink(const double K[3][N], const double A[3][N], double *P)
{
  for (int i = 0; i < N; i++) {
    const double x = K[0][i], y = K[1][i], z = K[2][i];
    for (int j = 0; j <= i; j++) {
      P[N * i + j] -= x * A[0][j] + y * A[1][j] + z * A[2][j];
    }
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      P[N * j + i] = P[N * i + j];
    }
  }
}

bool pki_filter_correct(const pk_base_estimator *e, int leg, const pki_estimator_foot *foot,
                        pk_base_estimator_state *s)
{
  const int at = PKI_ERROR_D + 3 * leg;
  double arm[3], S[9], inverse[9], r[3], weighted[3], A[3][N], K[3][N], delta[N];
  double *const P = s->covariance;
  read_leg(e, foot, s, arm, S);
  for (int k = 0; k < 3; k++) {
    r[k] = s->feet[3 * leg + k] - s->position[k] - arm[k];
    for (int j = 0; j < N; j++) {
      A[k][j] = P[N * (at + k) + j] - P[N * (PKI_ERROR_P + k) + j];
    }
  }
  for (int k = 0; k < 9; k++) {
    S[k] += A[k / 3][at + k % 3] - A[k / 3][PKI_ERROR_P + k % 3];
  }
  invert_symmetric(S, inverse);
  pki_mat3_apply(inverse, r, weighted);
  if (e->options.gate > 0 && pki_dot3(r, weighted) > e->options.gate * e->options.gate) {
    return false;
  }
  for (int j = 0; j < N; j++) {
    delta[j] = A[0][j] * weighted[0] + A[1][j] * weighted[1] + A[2][j] * weighted[2];
    for (int k = 0; k < 3; k++) {
      K[k][j] = inverse[3 * k] * A[0][j] + inverse[3 * k + 1] * A[1][j] + inverse[3 * k + 2] * A[2][j];
    }
  }
  retract(delta, s);
  shrink(K, A, P);
  return true;
}
