/* What is measured beside the trot's speed: standing drift, the push, agreement of configurations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/starleth/starleth.h"

static const double arm = 0.25; /* m, hips from the trunk's origin: turns count as what they move there */

static pk_status fail_step(const pk_step_info *info, double time, pk_status status, pk_error *err)
{
  return pki_fail(err, status, (pki_where){0}, "a step of the robot failed at %g s (%s)", time, info->term);
}

/* --- standing -------------------------------------------------------------------------- */

pk_status pki_starleth_stand(const pki_starleth_lab *lab, const pk_sim_options *o, double seconds,
                             double *drift, pk_error *err)
{
  static const double settle = 3;
  pki_starleth_world w;
  double before[4], after[4];
  pk_step_info info;
  pk_status status = pki_starleth_start(lab, PKI_STARLETH_MINIMAL, o, INFINITY, 0, &w, err);
  if (status != PK_OK) {
    return status;
  }
  const int first = (int)lround(settle / o->dt), last = first + (int)lround(seconds / o->dt);
  for (int i = 0; i < last && status == PK_OK; i++) {
    if (i == first) {
      pki_starleth_feet(&w, before);
    }
    status = pki_starleth_step(&w, &info);
  }
  if (status != PK_OK) {
    status = fail_step(&info, pk_sim_time(w.sim), status, err);
  } else {
    pki_starleth_feet(&w, after);
    *drift = 0;
    for (int i = 0; i < 4; i++) {
      *drift += 60e6 * (before[i] - after[i]) / seconds / 4;
    }
  }
  pki_starleth_stop(&w);
  return status;
}

pk_status pki_starleth_opening(const pki_starleth_lab *lab, pki_starleth_set set, const pk_sim_options *o,
                               double seconds, double forward, double *gap_rate, double *velocity_rate,
                               pk_error *err)
{
  pki_starleth_world w;
  pk_step_info info;
  double sum = 0;
  pk_status status = pki_starleth_start(lab, set, o, 0, forward, &w, err);
  if (status != PK_OK) {
    return status;
  }
  const int n = (int)lround(seconds / o->dt);
  for (int i = 0; i < n && status == PK_OK; i++) {
    status = pki_starleth_step(&w, &info);
    sum += info.certificate.bilateral;
  }
  *gap_rate = 60 * info.closure / seconds;
  *velocity_rate = 60 * sum / n;
  if (status != PK_OK) {
    status = fail_step(&info, pk_sim_time(w.sim), status, err);
  }
  pki_starleth_stop(&w);
  return status;
}

/* --- the push -------------------------------------------------------------------------- */

static double trunk_speed(const pki_starleth_world *w)
{
  double speed = 0;
  for (int k = 0; k < 6; k++) {
    speed = fmax(speed, fabs(w->u[k]));
  }
  return speed;
}

/* After a fall the controller only damps the joints, 2 N m s/rad. Taken explicitly at 2.5 ms that is beyond what a leg
 * bears: dt times the largest eigenvalue of inv(M) D is 2.1 for a bent and 4.5 for a stretched free leg, and 2 is the
 * end. So joint forces are implicit here in all configurations. */
static pk_sim_options push_options(const pki_starleth_config *c, bool alpha_from_W)
{
  pk_sim_options o = pki_starleth_options(c);
  o.implicit = PK_IMPLICIT_FORCES_ALL;
  o.alpha = alpha_from_W ? 0 : o.alpha;
  return o;
}

pk_status pki_starleth_push_over(const pki_starleth_lab *lab, const pki_starleth_config *c, bool alpha_from_W,
                                 pki_starleth_push *out, pk_error *err)
{
  /* long enough for the compliant law, on whose springs a robot that lies on its corners rings for seconds */
  static const double seconds = 10, at = 0.5, lasts = 0.2, force[3] = {0, 500, 0}, centre[3] = {0, 0, 0};
  static const double calm = 0.01; /* m/s and rad/s: the trunk rests */
  const pk_sim_options o = push_options(c, alpha_from_W);
  pki_starleth_world w;
  pk_status status = pki_starleth_start(lab, c->set, &o, INFINITY, 0, &w, err);
  if (status != PK_OK) {
    return status;
  }
  *out = (pki_starleth_push){.done = true, .finite = true};
  const int n = (int)lround(seconds / o.dt);
  for (int i = 0; i < n && out->finite; i++) {
    const double middle = (i + 0.5) * o.dt;
    pk_step_info info;
    if (middle >= at && middle < at + lasts) {
      pk_sim_push(w.sim, w.trunk, centre, force);
    }
    out->finite = pki_starleth_step(&w, &info) == PK_OK && trunk_speed(&w) < 1e3;
    if (out->unfinished == 0) {
      out->trouble = middle;
      out->trouble_contacts = info.contacts;
    }
    if (out->finite) {
      out->steps++;
      out->uncertified += !info.certified;
      out->unfinished += info.solver_iterations >= o.max_iterations;
      out->contacts = info.contacts > out->contacts ? info.contacts : out->contacts;
      out->residual = fmax(out->residual, info.certificate.relative);
      out->penetration = fmax(out->penetration, info.penetration);
      out->fell = out->fell || pki_starleth_fallen(&w);
    }
  }
  out->speed = trunk_speed(&w);
  out->rests = out->finite && out->speed < calm;
  pki_starleth_stop(&w);
  return PK_OK;
}

/* --- agreement ------------------------------------------------------------------------- */

/* Position and attitude of the trunk, step by step: [n][7]; the largest residual. */
static pk_status record_trunk(const pki_starleth_lab *lab, pki_starleth_set set, const pk_sim_options *o,
                              int n, double *path, double *residual, pk_error *err)
{
  pki_starleth_world w;
  pk_step_info info;
  pk_status status = pki_starleth_start(lab, set, o, 0, PKI_STARLETH_FORWARD, &w, err);
  if (status != PK_OK) {
    return status;
  }
  for (int i = 0; i < n && status == PK_OK; i++) {
    status = pki_starleth_step(&w, &info);
    *residual = fmax(*residual, info.certificate.relative);
    memcpy(path + (size_t)7 * (size_t)i, w.q, 7 * sizeof *path);
  }
  if (status != PK_OK) {
    status = fail_step(&info, pk_sim_time(w.sim), status, err);
  }
  pki_starleth_stop(&w);
  return status;
}

/* How far two trunks are apart. */
static double trunk_distance(const double *a, const double *b)
{
  double dot = 0;
  for (int k = 3; k < 7; k++) {
    dot += a[k] * b[k];
  }
  double turn = 0; /* |p_a -+ p_b| is half the angle */
  for (int k = 3; k < 7; k++) {
    const double d = a[k] - copysign(b[k], dot * b[k]);
    turn += d * d;
  }
  const double away =
      sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
  return fmax(away, arm * 2 * sqrt(turn));
}

/* Every solver of a set to 1e-10, against `auto`. alpha has no part in the solution:
 * Table 1's, but no more than HmJ's, beyond which eliminated constraints leave steps that do not reach 1e-10. */
pk_status pki_starleth_agree(const pki_starleth_lab *lab, pki_starleth_set set, double seconds, double *apart,
                             double *residual, pk_error *err)
{
  pk_sim_options o = pk_sim_options_preset(PK_SIM_PRESET_GEHRING_2014);
  const int n = (int)lround(seconds / o.dt);
  double *path = malloc(2 * 7 * (size_t)n * sizeof *path);
  if (path == NULL) {
    return pki_fail_memory(err, NULL);
  }
  double *other = path + 7 * (size_t)n;
  o.stop = PK_SOLVER_STOP_RESIDUAL;
  o.tolerance = 1e-10;
  o.max_iterations = 100000;
  o.alpha = 0;
  o.solver = PK_SOLVER_AUTO;
  *apart = *residual = 0;
  pk_status status = record_trunk(lab, set, &o, n, path, residual, err);
  for (int i = 0; i < PKI_STARLETH_PAPER && status == PK_OK; i++) {
    const pki_starleth_config *c = &pki_starleth_configs[i];
    if (!c->hard || c->set != set) {
      continue;
    }
    const pk_sim_options own = pki_starleth_options(c);
    o.solver = own.solver, o.bilateral = own.bilateral, o.succession = own.succession;
    o.alpha = fmin(own.alpha, pki_starleth_configs[PKI_STARLETH_HMJ].alpha);
    status = record_trunk(lab, set, &o, n, other, residual, err);
    for (int k = 0; k < n && status == PK_OK; k++) {
      *apart = fmax(*apart, trunk_distance(path + (size_t)7 * (size_t)k, other + (size_t)7 * (size_t)k));
    }
  }
  free(path);
  return status;
}

pk_status pki_starleth_converge(const pki_starleth_lab *lab, double seconds,
                                double apart[PKI_STARLETH_SETS][PKI_STARLETH_HALVINGS + 1], pk_error *err)
{
  double residual = 0;
  pk_status status = PK_OK;
  for (int k = 0; k <= PKI_STARLETH_HALVINGS && status == PK_OK; k++) {
    pk_sim_options o = pk_sim_options_preset(PK_SIM_PRESET_GEHRING_2014);
    o.dt /= 1 << k;
    o.stop = PK_SOLVER_STOP_RESIDUAL;
    o.tolerance = 1e-10;
    o.solver = PK_SOLVER_AUTO;
    const int n = (int)lround(seconds / o.dt);
    double *path = malloc(7 * (size_t)n * sizeof *path), reference[7];
    if (path == NULL) {
      return pki_fail_memory(err, NULL);
    }
    for (int set = 0; set < PKI_STARLETH_SETS && status == PK_OK; set++) {
      status = record_trunk(lab, (pki_starleth_set)set, &o, n, path, &residual, err);
      const double *end = path + 7 * (size_t)(n - 1);
      if (set == PKI_STARLETH_MINIMAL) {
        memcpy(reference, end, sizeof reference);
      }
      apart[set][k] = trunk_distance(reference, end);
    }
    free(path);
  }
  return status;
}
