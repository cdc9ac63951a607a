/* Newton in velocities, for heaps: the equations of Alart and Curnier (1991) without W, in two parts.
 *
 * First full steps on active sets. With rho = 1/w, w = tr W_ii/3, d = r_k - rho u_k says the state of a contact:
 *
 *   open   d_N <= 0           r = 0
 *   stick  |d_T| <= mu d_N    u + s (r - r_k) = 0
 *   slip   else               r = r_N (n + mu t) + beta b,  t = d_T/|d_T|,  b _|_ t, n:
 *                             u_N + s (r - r_k)_N = 0,  b'(u + s (r - r_k)) + h w beta = 0,  h = |d_T|/(mu d_N) - 1
 *
 * and of a box row whether it is at a bound. s = sigma w makes redundant impulses definite: those nearest to r_k. A contact whose
 * state is wrong may fix more than its bodies can do, and with a small sigma impulses diverge by 1/sigma: so sigma is 1e-6 where a
 * contact's own residual |F_i|/rho_i is small, and in proportion to part = |F_i|/|r_i| where it is not, 1 at most. Where hundreds of
 * contacts change their state in one step, active sets may cycle nevertheless; part^(3/4), and 3e-4 at least, brings them to rest in some
 * hundred steps (pki_softening). With D = 1/weight, z = weight Y' r and u = Y z + q this is one sparse system over the bodies (elimination.h),
 *
 *   (D + Y' B Y) dz = Y' (B (s r_k - u_k) - r_k),   r = B (s r_k - u_k - Y dz),
 *
 * B = 1/s (stick), 0 (open), (n + mu t) n'/s + b b'/(s + h w) (slip). A row's own compliance e adds to s.
 *
 * Where the sets do not settle, a proximal-point loop as in newton.c: with r_k of the last round and R = kappa/W_ii, find z with
 *
 *   D z = Y' r(z),   x_i = r_k - R (Y_i z + q_i),   r_N = max(x_N, 0),  r_T = P_disc(mu r_N)(x_T)
 *
 * The derivative D + Y' C Y, C = -dr/d(Y z) a block for each contact, is regular however redundant the contacts are.
 * What is left after a round is |r - r_k|/R: kappa grows from round to round while they succeed. Box and bilateral rows
 * have intervals in place of cones. Rows with a compliance e of their own have x_i/(1 + R e). */
#include "contact/solvers/newton_velocity.h"

#include <math.h>
#include <string.h>

enum { ACTIVE_SET_STEPS = 20, NEWTON_STEPS = 40, HALVINGS = 12 };

const pki_softening pki_softening_quick = {.factor = 4, .least = 1e-6, .patience = 8};
const pki_softening pki_softening_yielding = {.yielding = true, .factor = 2, .least = 3e-4, .patience = 300};

typedef pki_newton_velocity newton;

pki_newton_velocity pki_newton_velocity_take(pki_arena *arena, const pk_contact_problem *p)
{
  newton w = {.s = pki_sparse_take(arena, p)};
  const size_t n = (size_t)w.s.n, rows = (size_t)pk_contact_size(p), groups = (size_t)w.s.groups;
  double **const of_n[] = {&w.D, &w.z, &w.zr, &w.dz};
  double **const of_rows[] = {&w.diagonal, &w.centre, &w.v, &w.dv, &w.r};
  for (size_t k = 0; k < sizeof of_n / sizeof of_n[0]; k++) {
    *of_n[k] = pki_arena_take(arena, n, sizeof(double));
  }
  for (size_t k = 0; k < sizeof of_rows / sizeof of_rows[0]; k++) {
    *of_rows[k] = pki_arena_take(arena, rows, sizeof(double));
  }
  w.residual = pki_arena_take(arena, groups, sizeof(double));
  w.R = pki_arena_take(arena, groups, sizeof(double));
  w.soft = pki_arena_take(arena, groups, sizeof(double));
  w.C = pki_arena_take(arena, 9 * groups, sizeof(double));
  w.e = pki_elimination_take(arena, p);
  return w;
}

static void reserve_newton_velocity(pki_arena *arena, const pk_contact_problem *p)
{
  pki_newton_velocity_take(arena, p);
}

/* Impulses of a contact at x, and C = R dr/dx when asked for. */
static void onto_disc(double mu, double R, const double x[3], double r[3], double *C)
{
  const double t = sqrt(x[1] * x[1] + x[2] * x[2]), limit = mu * x[0];
  const bool open = x[0] <= 0, stick = !open && t <= limit;
  const double side = stick ? 1 : open ? 0 : limit / t;
  r[0] = open ? 0 : x[0], r[1] = side * x[1], r[2] = side * x[2];
  if (C == NULL) {
    return;
  }
  memset(C, 0, 9 * sizeof *C);
  C[0] = open ? 0 : R, C[4] = C[8] = R * side;
  if (!open && !stick) {
    const double t1 = x[1] / t, t2 = x[2] / t;
    C[3] = R * mu * t1, C[6] = R * mu * t2;
    C[4] -= R * side * t1 * t1, C[8] -= R * side * t2 * t2;
    C[5] = C[7] = -R * side * t1 * t2;
  }
}

/* r at v + t dv; with C when asked for. */
static void impulses_at_velocity(newton *w, double t, bool derivative)
{
  const pk_contact_problem *p = w->s.p;
  for (int g = 0; g < w->s.groups; g++) {
    const int row = pki_first_row(w->s.p, g), lanes = g < w->s.contacts ? 3 : 1;
    const double k = 1 / (1 + w->R[g] * w->soft[g]);
    double x[3], *C = derivative ? w->C + 9 * (size_t)g : NULL;
    for (int d = row; d < row + lanes; d++) {
      x[d - row] = k * (w->centre[d] - w->R[g] * (t > 0 ? w->v[d] + t * w->dv[d] : w->v[d]));
    }
    if (lanes == 3) {
      onto_disc(p->mu[g], k * w->R[g], x, w->r + row, C);
    } else {
      w->r[row] = pki_clamp_box(p, row, x[0]);
      if (C != NULL) {
        C[0] = w->r[row] == x[0] ? k * w->R[g] : 0;
      }
    }
  }
}

/* |z - weight Y' r| in the norm of energy, at z + t dz. */
static double energy_distance(newton *w, double t)
{
  double sum = 0;
  impulses_at_velocity(w, t, false);
  pki_sparse_gather(&w->s, w->r, w->zr);
  for (int k = 0; k < w->s.n; k++) {
    const double apart = w->z[k] + t * w->dz[k] - w->zr[k];
    sum += fabs(w->D[k]) * apart * apart;
  }
  return sqrt(sum);
}

/* out = Y x */
static void project_coordinates(newton *w, const double *x, double *out)
{
  const pk_contact_problem *p = w->s.p;
  pki_sparse_velocity(&w->s, x, w->r, out);
  for (int i = 0; i < pk_contact_size(p); i++) {
    out[i] -= p->q[i] + p->factor->extra[i] * w->r[i];
  }
}

/* One Newton step from z, D (z - zr) being what is left; false when nothing falls along it. */
static bool velocity_newton_step(newton *w)
{
  double t = 1;
  for (int i = 0; i < w->s.n; i++) {
    w->dz[i] = -w->D[i] * (w->z[i] - w->zr[i]);
  }
  if (!pki_elimination_factor(&w->e, w->D, w->C)) {
    return false;
  }
  pki_elimination_solve(&w->e, w->dz);
  project_coordinates(w, w->dz, w->dv);
  const double before = energy_distance(w, 0);
  bool falls = false;
  for (int k = 0; k < HALVINGS && !falls; k++) {
    t = k > 0 ? 0.5 * t : 1;
    falls = energy_distance(w, t) < (1 - 1e-4 * t) * before;
  }
  for (int i = 0; falls && i < w->s.n; i++) {
    w->z[i] += t * w->dz[i];
  }
  for (int i = 0; falls && i < pk_contact_size(w->s.p); i++) {
    w->v[i] += t * w->dv[i];
  }
  return falls;
}

/* The residual of r(z); true when the run is over. *apart is how far z is from what r leaves, m/s. */
static bool evaluate_iterate(pki_solve *run, newton *w, double *apart)
{
  const int rows = pk_contact_size(run->p);
  impulses_at_velocity(w, 0, true);
  memcpy(run->r, w->r, (size_t)rows * sizeof *run->r);
  pki_sparse_gather(&w->s, w->r, w->zr);
  pki_sparse_velocity(&w->s, w->zr, w->r, run->u);
  for (int i = 0; i < w->s.n; i++) {
    w->dz[i] = w->z[i] - w->zr[i];
  }
  project_coordinates(w, w->dz, w->dv);
  *apart = 0;
  for (int i = 0; i < rows; i++) {
    *apart = fmax(*apart, fabs(w->dv[i]));
  }
  return pki_solve_check_diagonal(run, w->diagonal);
}

/* One round: Newton until what is left is the round's. True when the run is over. */
static bool newton_round(pki_solve *run, newton *w, double kappa, bool *good)
{
  const double *extra = run->p->factor->extra;
  pki_sparse_gather(&w->s, w->centre, w->z);
  pki_sparse_velocity(&w->s, w->z, w->centre, w->v);
  for (int g = 0; g < w->s.groups; g++) {
    const int row = pki_first_row(w->s.p, g), lanes = g < w->s.contacts ? 3 : 1;
    const double *d = w->diagonal + row;
    w->R[g] = kappa / (lanes == 3 ? (d[0] + d[1] + d[2]) / 3 : d[0]);
    w->soft[g] = lanes == 3 ? fmax(extra[row], fmax(extra[row + 1], extra[row + 2])) : extra[row];
    for (int i = row; i < row + lanes; i++) {
      w->v[i] -= w->soft[g] * w->centre[i];
    }
  }
  *good = false;
  for (int k = 0; k <= NEWTON_STEPS; k++) {
    double apart;
    if (evaluate_iterate(run, w, &apart)) {
      return true;
    }
    *good = k > 0 && apart <= 0.1 * run->now_at;
    if (*good || k == NEWTON_STEPS) {
      return false;
    }
    run->iterations++;
    if (!velocity_newton_step(w)) {
      return pki_solve_exhausted(run);
    }
  }
  return false;
}

bool pki_newton_velocity_begin(newton *w, const pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  w->e.timer = run->timer;
  w->s.p = p;
  pki_sparse_pack(&w->s);
  for (int k = 0; k < w->s.n; k++) {
    w->D[k] = w->s.weight[k] != 0 ? 1 / w->s.weight[k] : 1e200;
  }
  pki_sparse_diagonals(&w->s, w->diagonal);
  return pki_elimination_analyse(&w->e, &w->s);
}

/* ---- active sets ---- */

/* s of a row or contact: sigma w, more where its own residual is large beside its impulse. */
static double row_softness(const newton *w, int g, double mean, double impulse, double typical)
{
  static const double most = 1, small = 0.1;
  const double part = w->residual[g] / (mean * (fabs(impulse) + small * typical));
  const double power = w->softening.yielding ? sqrt(part) * sqrt(sqrt(part)) : part;
  return mean * fmin(fmax(w->softening.factor * power, w->softening.least), most);
}

/* B of a contact at d = r - u/w and a = B (s r - u); s with the compliance in it. */
static void contact_set(double mu, double s, double w, const double r[3], const double u[3], double B[9],
                        double a[3])
{
  const double d[3] = {r[0] - u[0] / w, r[1] - u[1] / w, r[2] - u[2] / w};
  const double x[3] = {s * r[0] - u[0], s * r[1] - u[1], s * r[2] - u[2]};
  const double size = sqrt(d[1] * d[1] + d[2] * d[2]), limit = mu * d[0];
  memset(B, 0, 9 * sizeof *B);
  a[0] = a[1] = a[2] = 0;
  if (d[0] <= 0) {
    return;
  }
  if (size <= limit) {
    B[0] = B[4] = B[8] = 1 / s;
  } else {
    const double t[2] = {d[1] / size, d[2] / size};
    const double side = limit / (s * limit + (size - limit) * w); /* 1/(s + h w) */
    B[0] = 1 / s, B[3] = mu * t[0] / s, B[6] = mu * t[1] / s;
    B[4] = side * t[1] * t[1], B[8] = side * t[0] * t[0], B[5] = B[7] = -side * t[0] * t[1];
  }
  for (int i = 0; i < 3; i++) {
    a[i] = B[3 * i] * x[0] + B[3 * i + 1] * x[1] + B[3 * i + 2] * x[2];
  }
}

/* The same of a single row: free, or at a bound. */
static void single_set(const pk_contact_problem *p, int row, double s, double w, double r, double u,
                       double *B, double *a)
{
  const double d = r - u / w, bound = pki_clamp_box(p, row, d);
  *B = d == bound ? 1 / s : 0;
  *a = d == bound ? (s * r - u) / s : bound;
}

/* States at run->r, whose velocities are run->u: B into w->C, B (s r_k - u_k) into w->r. */
static void find_active_sets(const pki_solve *run, newton *w)
{
  static const double least = 1e-6; /* s/w of single rows */
  const pk_contact_problem *p = run->p;
  const double *extra = p->factor->extra;
  double typical = 0;
  for (int g = 0; g < w->s.contacts; g++) {
    typical += fabs(run->r[3 * g]) / w->s.contacts;
  }
  pki_contact_residuals(p, w->diagonal, run->r, run->u, w->residual);
  for (int g = 0; g < w->s.groups; g++) {
    const int row = pki_first_row(p, g);
    const double *d = w->diagonal + row, *r = run->r + row, *u = run->u + row;
    double *B = w->C + 9 * (size_t)g;
    if (g < w->s.contacts) {
      const double mean = (d[0] + d[1] + d[2]) / 3;
      const double soft = fmax(extra[row], fmax(extra[row + 1], extra[row + 2]));
      contact_set(p->mu[g], row_softness(w, g, mean, *r, typical) + soft, mean, r, u, B, w->r + row);
    } else {
      single_set(p, row, least * d[0] + extra[row], d[0], *r, *u, B, w->r + row);
    }
  }
}

/* One full step; false when the system is singular. */
static bool active_set_step(pki_solve *run, newton *w)
{
  const int rows = pk_contact_size(run->p);
  find_active_sets(run, w);
  for (int i = 0; i < rows; i++) {
    w->dv[i] = w->r[i] - run->r[i];
  }
  pki_sparse_gather(&w->s, w->dv, w->dz); /* weight Y' (..) */
  for (int k = 0; k < w->s.n; k++) {
    w->dz[k] *= w->D[k];
  }
  if (!pki_elimination_factor(&w->e, w->D, w->C)) {
    return false;
  }
  pki_elimination_solve(&w->e, w->dz);
  for (int g = 0; g < w->s.groups; g++) {
    const int row = pki_first_row(run->p, g);
    const double *B = w->C + 9 * (size_t)g;
    double v[3];
    if (g < w->s.contacts) {
      pki_sparse_dot3(&w->s, g, w->dz, v);
      for (int i = 0; i < 3; i++) {
        run->r[row + i] = w->r[row + i] - (B[3 * i] * v[0] + B[3 * i + 1] * v[1] + B[3 * i + 2] * v[2]);
      }
    } else {
      run->r[row] = w->r[row] - (B[0] != 0 ? B[0] * pki_sparse_dot1(&w->s, g, w->dz) : 0);
    }
  }
  return true;
}

/* run->u from run->r, and the residual; true when the run is over. */
static bool evaluate_impulses(pki_solve *run, newton *w)
{
  pki_sparse_gather(&w->s, run->r, w->z);
  pki_sparse_velocity(&w->s, w->z, run->r, run->u);
  return pki_solve_check_diagonal(run, w->diagonal);
}

void pki_newton_velocity_active_set(pki_solve *run, newton *w, int steps, pki_softening softening)
{
  enum { TRIAL = 40 }; /* steps after which a contradiction shows */
  bool stop = !run->fresh && evaluate_impulses(run, w);
  w->softening = softening;
  for (int k = 0, idle = 0; k < steps && idle < softening.patience && !stop; k++) {
    const double before = run->residual;
    run->iterations++;
    stop = !active_set_step(run, w) || evaluate_impulses(run, w) || (k >= TRIAL && pki_is_contradictory(run));
    idle = run->residual < before ? 0 : idle + 1;
  }
  run->fresh = false;
}

/* ---- the run ---- */

void pki_newton_velocity_proximal(pki_solve *run, newton *w)
{
  enum { TRIAL = 20 }; /* rounds after which a contradiction shows */
  double kappa = 100;
  bool stop = false;
  memcpy(w->centre, run->r, (size_t)pk_contact_size(run->p) * sizeof *w->centre);
  for (int round = 1; !stop; round++) {
    bool good;
    stop = newton_round(run, w, kappa, &good);
    if (good) {
      memcpy(w->centre, run->r, (size_t)pk_contact_size(run->p) * sizeof *w->centre);
    }
    kappa = good ? fmin(3 * kappa, 1e9) : 0.1 * kappa;
    stop |= kappa < 1e-3 || (round >= TRIAL && pki_is_contradictory(run));
  }
  run->fresh = false;
}

static void solve_newton_velocity(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena), bytes = (size_t)pk_contact_size(run->p) * sizeof *run->r;
  newton w = pki_newton_velocity_take(&run->arena, run->p);
  if (pki_newton_velocity_begin(&w, run)) {
    pki_newton_velocity_active_set(run, &w, ACTIVE_SET_STEPS, pki_softening_quick);
    if (!pki_solve_over(run)) {
      memcpy(run->r, run->best, bytes);
      pki_newton_velocity_proximal(run, &w);
    }
  }
  run->fresh = false;
  pki_arena_release(&run->arena, mark);
}

const pki_solver_row pki_solver_newton_velocity = {.name = "newton-u",
                                                   .doc = "newton in velocities, from the factors of W",
                                                   .solve = solve_newton_velocity,
                                                   .reserve = reserve_newton_velocity,
                                                   .reads_factor = true};
