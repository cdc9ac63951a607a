/* Compliant pairs in an implicit step. With w_p(V) the wrench of patch p at the relative twist V = J_p v, n and arms those of the start,
 * and r the impulses of all hard rows, the step's velocities v obey
 *
 *   M~ (v - u) = drive + dt sum J_p' w_p(J_p v) + J_h' r.
 *
 * Newton: about a twist V_k the law is w_k - C_k (V - V_k), C_k = -dw/dV symmetric and positive semidefinite, hence
 *
 *   (M~ + dt sum J' C J)(v - u) = drive + dt sum J' (w_k + C_k (V_k - J u)) + J_h' r,
 *
 * which is another M~ and another free velocity for the same rows. A patch on the fixed world adds J' C J to entries that M has. One
 * between two moving bodies has no place there: with C = sum D_i G_i G_i' it has rows G_i' J v - G_i' V_k, of compliance 1/(dt D_i).
 *
 * Every solution obeys the momentum balance with the wrenches s_p = w_k - C_k (J v - V_k), whatever they are; what is left is that the
 * laws s_p = w_p(J v) hold. On the line from one solution to the next, V(a) = V_0 + a (V_1 - V_0) and s(a) alike,
 *
 *   phi'(a) = sum (V_1 - V_0)' (s(a) - w(V(a)))
 *
 * is the derivative of the potential that normal forces, and friction by a convex potential, are the gradients of (Castro et al. 2023).
 * Where the whole way would not lower that potential for certain, the next linearisation is taken where phi' is about to pass zero. Each
 * round then lowers it, by a part of what is possible along the way: such laws converge from anywhere, as long as rows and other forces
 * stay those of the round before. When these change, potential and search begin anew with a whole step. */
#include <math.h>
#include <string.h>

#include "contact/problem/speed_floor.h"
#include "math/mat3.h"
#include "step/contact.h"
#include "step/soft.h"

enum { NEWTON_MOST = 100, SEARCH_MOST = 40 };

/* Part of phi'(0) that may be left, and part of it by which phi falls at least. */
static const double LEFT = 0.1, LEAST = 1e-4;

/* ---- the law about a velocity ---- */

/* C = sum of D_i G_i G_i' by elimination, forces first: G_i is a column of L, and what is small beside the rest is left out, of C too. */
static void factor_slope(pki_soft_patch *p)
{
  static const int order[6] = {3, 4, 5, 0, 1, 2};
  static const double own = 1e-10,
                      least = 1e-8; /* of a row's own entry; of the largest of forces, m^2 for moments */
  double A[6][6], most = 0;
  for (int i = 0; i < 6; i++) {
    memcpy(A[i], p->press.slope + 6 * (size_t)i, sizeof A[i]);
    most = i >= 3 ? fmax(most, A[i][i]) : most;
  }
  p->nrow = 0;
  memset(p->press.slope, 0, sizeof p->press.slope);
  for (int n = 0; n < 6; n++) {
    const int k = order[n];
    const double D = A[k][k];
    if (!(D > least * most) || !(D > own * fabs(p->end.slope[7 * (size_t)k]))) {
      continue;
    }
    double *const G = p->G[p->nrow];
    for (int i = 0; i < 6; i++) {
      G[i] = A[i][k] / D;
    }
    for (int m = 0; m < n; m++) {
      G[order[m]] = 0; /* eliminated before: rounding alone */
    }
    p->D[p->nrow++] = D;
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 6; j++) {
        A[i][j] -= D * G[i] * G[j];
        p->press.slope[6 * i + j] += D * G[i] * G[j];
      }
    }
  }
}

/* The law about p->twist; its press is in p->end, with or without slopes. */
static void linearise_patch(pki_soft_patch *p, bool slopes)
{
  p->press = p->end;
  p->nrow = 0;
  if (p->between && slopes) {
    factor_slope(p);
  }
}

void pki_soft_press(pk_sim *sim, const double *u)
{
  struct pki_soft *s = sim->scene.soft;
  pki_assembly *a = &sim->contact.assembly;
  for (int i = 0; i < s->npatch; i++) {
    pki_soft_patch *p = &s->patches[i];
    const pki_ends ends = {.body = p->body[0], .other = p->body[1], .point = p->patch.at};
    pki_twist_rows_fill(&p->rows, a, sim->workspace, &ends);
    pki_twist_rows_velocity(&p->rows, a, u, p->start);
    memcpy(p->twist, p->start, sizeof p->twist);
    p->look = s->look;
    if (s->look > 0) {
      pki_patch_lag(&p->patch, p->start);
    }
    pki_patch_press(&p->patch, p->twist, p->look, s->look > 0, &p->end, NULL);
    memcpy(p->wrench, p->end.wrench, sizeof p->wrench);
    memcpy(p->end_twist, p->twist, sizeof p->twist);
    memcpy(p->end_wrench, p->wrench, sizeof p->wrench);
    linearise_patch(p, s->look > 0);
  }
}

/* out = C x. */
static void apply_slope(const double C[36], const double x[6], double out[6])
{
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int j = 0; j < 6; j++) {
      sum += C[6 * i + j] * x[j];
    }
    out[i] = sum;
  }
}

void pki_soft_stiffen(pk_sim *sim, double *x)
{
  const struct pki_soft *s = sim->scene.soft;
  const double dt = sim->options.dt;
  for (int i = 0; i < s->npatch; i++) {
    const pki_soft_patch *p = &s->patches[i];
    double f[6] = {0};
    if (!p->between) {
      double moved[6];
      for (int k = 0; k < 6; k++) {
        moved[k] = p->twist[k] - p->start[k];
      }
      apply_slope(p->press.slope, moved, f);
      if (!s->kept) {
        pki_twist_rows_add_inertia(&p->rows, sim->model, dt, p->press.slope, sim->workspace->work.M);
      }
    }
    for (int k = 0; k < 6; k++) {
      f[k] = dt * (f[k] + p->press.wrench[k]);
    }
    pki_twist_rows_add_force(&p->rows, &sim->contact.assembly, f, x);
  }
}

/* ---- rounds ---- */

/* Twists, wrenches and laws of the solution with velocities u_end. */
static void take_solution(pk_sim *sim, const double *u_end)
{
  struct pki_soft *s = sim->scene.soft;
  for (int i = 0; i < s->npatch; i++) {
    pki_soft_patch *p = &s->patches[i];
    double moved[6], given[6];
    pki_twist_rows_velocity(&p->rows, &sim->contact.assembly, u_end, p->end_twist);
    for (int k = 0; k < 6; k++) {
      moved[k] = p->end_twist[k] - p->twist[k];
    }
    apply_slope(p->press.slope, moved, given);
    for (int k = 0; k < 6; k++) {
      p->end_wrench[k] = p->press.wrench[k] - given[k];
    }
    pki_patch_press(&p->patch, p->end_twist, p->look, !s->near, &p->end, NULL);
  }
}

/* m/s, of any element at most. */
static double twist_speed(const pki_soft_patch *p, const double V[6])
{
  return sqrt(V[3] * V[3] + V[4] * V[4] + V[5] * V[5]) +
         p->extent * sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2]);
}

/* The residual of the laws as a velocity: by how much what they lack would move the patches, with the factor of M~ at hand. */
static void measure_residual(pk_sim *sim)
{
  struct pki_soft *s = sim->scene.soft;
  const double dt = sim->options.dt;
  memset(s->x, 0, (size_t)sim->model->nu * sizeof *s->x);
  s->scale = PKI_SPEED_FLOOR;
  s->residual = 0;
  for (int i = 0; i < s->npatch; i++) {
    const pki_soft_patch *p = &s->patches[i];
    double lack[6];
    for (int k = 0; k < 6; k++) {
      lack[k] = dt * (p->end.wrench[k] - p->end_wrench[k]);
    }
    pki_twist_rows_add_force(&p->rows, &sim->contact.assembly, lack, s->x);
    s->scale = fmax(s->scale, fmax(twist_speed(p, p->start), twist_speed(p, p->end_twist)));
  }
  pki_plan_solve(sim->workspace, s->x);
  for (int i = 0; i < s->npatch; i++) {
    double V[6];
    pki_twist_rows_velocity(&s->patches[i].rows, &sim->contact.assembly, s->x, V);
    s->residual = fmax(s->residual, twist_speed(&s->patches[i], V));
  }
}

/* phi'(a), presses of a into `end`. */
static double slope_along(pk_sim *sim, double a, bool wants_slope)
{
  struct pki_soft *s = sim->scene.soft;
  double sum = 0;
  for (int i = 0; i < s->npatch; i++) {
    pki_soft_patch *p = &s->patches[i];
    double V[6];
    for (int k = 0; k < 6; k++) {
      V[k] = p->twist[k] + a * (p->end_twist[k] - p->twist[k]);
    }
    pki_patch_press(&p->patch, V, p->look, wants_slope, &p->end, NULL);
    for (int k = 0; k < 6; k++) {
      const double carried = p->wrench[k] + a * (p->end_wrench[k] - p->wrench[k]);
      sum += (p->end_twist[k] - p->twist[k]) * (carried - p->end.wrench[k]);
    }
  }
  return sum;
}

/* phi'(0) and phi'(1), the presses of both being there. False: the first solution is none of this problem, because rows or other forces
 * have changed since. Of one problem (v_1 - v_0)' M~ (v_1 - v_0) = dt (V_1 - V_0)' (s_1 - s_0) plus what rows take, and both are at
 * least 0. */
static bool slopes_at_ends(const struct pki_soft *s, double *first, double *last)
{
  double inertia = 0;
  *first = *last = 0;
  for (int i = 0; i < s->npatch; i++) {
    const pki_soft_patch *p = &s->patches[i];
    for (int k = 0; k < 6; k++) {
      const double way = p->end_twist[k] - p->twist[k];
      *first += way * (p->wrench[k] - p->press.wrench[k]);
      *last += way * (p->end_wrench[k] - p->end.wrench[k]);
      inertia += way * (p->end_wrench[k] - p->wrench[k]);
    }
  }
  return inertia >= 0 && *first < 0;
}

/* Whether the whole way lowers phi, for certain. It does where phi' has not passed zero. Where it has, a convex phi rises by no more than
 * half of phi'(1/2) + phi'(1). */
static bool descends_all_the_way(pk_sim *sim, double first, double last)
{
  return last <= 0 || (last <= -LEFT * first && 0.5 * (slope_along(sim, 0.5, false) + last) <= LEAST * first);
}

/* How far to go towards the solution: all the way, where phi is lower there; else to the zero of phi', from below, by regula falsi
 * (Illinois). */
static double choose_step(pk_sim *sim)
{
  double low = 0, high = 1, at_low, at_high;
  if (!slopes_at_ends(sim->scene.soft, &at_low, &at_high)) {
    return 1;
  }
  const double enough = LEFT * at_low;
  if (descends_all_the_way(sim, at_low, at_high)) {
    if (at_high > 0) { /* presses half way were asked for */
      slope_along(sim, 1, true);
    }
    return 1;
  }
  for (int n = 0; n < SEARCH_MOST; n++) {
    const double a = (low * at_high - high * at_low) / (at_high - at_low);
    const double at = slope_along(sim, a, false);
    if (at >= enough && at <= 0) {
      return a;
    }
    if (at < 0) {
      low = a, at_low = at, at_high *= 0.5;
    } else {
      high = a, at_high = at, at_low *= 0.5;
    }
  }
  return low > 0 ? low : 0.5 * high;
}

/* The next linearisation is at this part of the way to the solution. */
static void move_patches(pk_sim *sim, double a)
{
  struct pki_soft *s = sim->scene.soft;
  if (a < 1) {
    slope_along(sim, a, true);
  }
  for (int i = 0; i < s->npatch; i++) {
    pki_soft_patch *p = &s->patches[i];
    for (int k = 0; k < 6; k++) {
      p->twist[k] += a * (p->end_twist[k] - p->twist[k]);
      p->wrench[k] += a * (p->end_wrench[k] - p->wrench[k]);
    }
    if (s->kept) {
      memcpy(p->press.wrench, p->end.wrench, sizeof p->press.wrench);
    } else {
      linearise_patch(p, true);
    }
  }
}

/* J, stored by a patch that moves with a twist for a time. */
static double energy_after(const pki_patch *p, const double twist[6], double time)
{
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    const double arm[3] = {p->arm[0][i], p->arm[1][i], p->arm[2][i]};
    double v[3];
    pki_twist_at(twist, arm, v);
    const double s = -(p->normal[0][i] * v[0] + p->normal[1][i] * v[1] + p->normal[2][i] * v[2]);
    const double x = fmax(p->depth[i] + time * s, 0);
    sum += p->stiffness[i] * x * x * (p->hertz ? 0.4 * sqrt(x) : 0.5);
  }
  return sum;
}

/* Whether a patch has given bodies and springs energy in the step. */
static bool gains_energy(const struct pki_soft *s, const pki_soft_patch *p, double dt)
{
  const double first = energy_after(&p->patch, p->start, -s->past);
  const double last = energy_after(&p->patch, p->end_twist, s->look - s->past);
  double work = 0;
  for (int k = 0; k < 6; k++) {
    work += 0.5 * dt * p->end_wrench[k] * (p->start[k] + p->end_twist[k]);
  }
  return work + last - first > 1e-9 * (first + last);
}

/* Patches that gain energy by looking farther than the step goes look to its end: they came about on the way to the middle of the
 * step, unforeseen. True: there are some, and their laws are taken anew. */
static bool shorten_looks(pk_sim *sim)
{
  const struct pki_soft *s = sim->scene.soft;
  bool any = false;
  for (int i = 0; i < s->npatch && s->past > 0; i++) {
    pki_soft_patch *p = &s->patches[i];
    if (p->look == s->look && gains_energy(s, p, sim->options.dt)) {
      p->look = s->look - s->past;
      pki_patch_press(&p->patch, p->end_twist, p->look, true, &p->end, NULL);
      any = true;
    }
  }
  return any;
}

/* What C leaves out makes the last rounds converge linearly, whatever is done about slopes: near the solution they stay as they are, and so
 * does the factor of M~, unless a round falls behind. */
bool pki_soft_relinearise(pk_sim *sim, const double *u_end)
{
  static const double near = 1e-3, behind = 0.25;
  struct pki_soft *s = sim->scene.soft;
  const double before = s->residual;
  take_solution(sim, u_end);
  measure_residual(sim);
  s->settled = s->residual <= sim->options.tolerance * s->scale;
  if (s->rounds >= NEWTON_MOST || !isfinite(s->residual)) {
    return false;
  }
  if (s->settled && !shorten_looks(sim)) {
    return false;
  }
  s->rounds++;
  const double a = s->settled ? 1 : choose_step(sim);
  s->kept = s->near && !s->settled && a == 1 && s->residual < behind * before;
  if (s->near && !s->kept && a == 1) {
    slope_along(sim, 1, true);
  }
  move_patches(sim, a);
  s->near = sim->model->nconstraint == 0 && s->residual < near * s->scale && (s->kept || !s->near);
  return true;
}

/* What the patches did in the step. */
static void count_work(const pk_sim *sim, const double *u_end, pk_step_info *info)
{
  const struct pki_soft *s = sim->scene.soft;
  const double dt = sim->options.dt;
  info->compliant_work = info->compliant_loss = 0;
  for (int i = 0; i < s->npatch; i++) {
    const pki_soft_patch *p = &s->patches[i];
    double V[6];
    pki_twist_rows_velocity(&p->rows, &sim->contact.assembly, u_end, V);
    for (int k = 0; k < 6; k++) {
      info->compliant_work += 0.5 * dt * p->end_wrench[k] * (p->start[k] + V[k]);
    }
    info->compliant_loss += dt * p->end.power;
  }
}

void pki_soft_finish(pk_sim *sim, const double *u_end, pk_step_info *info)
{
  const struct pki_soft *s = sim->scene.soft;
  const double relative = s->npatch > 0 && s->look > 0 ? s->residual / s->scale : 0;
  info->newton = s->rounds;
  info->certified &= s->settled;
  info->certificate.residual = fmax(info->certificate.residual, s->residual);
  info->certificate.relative = fmax(info->certificate.relative, relative);
  pki_soft_show(sim);
  count_work(sim, u_end, info);
}
