/* One run of the thesis quadruped. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "scenario/scenario.h"
#include "study/thesis/thesis.h"

enum { NU = 22, NQ = 23, MOST = 8, LEGS = 4 };
static const double HEIGHT = 0.745, FAR = 1000; /* m, of the standing trunk; where a run has burst */

const char *const pki_thesis_laws[PKI_THESIS_LAWS] = {"lcp-pyramid", "penalty"};
const char *const pki_thesis_outcome_names[PKI_THESIS_OUTCOMES] = {"stands", "falls over", "upside down",
                                                                   "flies up", "blows up"};

/* In the thesis' order of its figures: right back, left back, right front, left front. */
static const char *const feet[LEGS] = {"RH_FOOT", "LH_FOOT", "RF_FOOT", "LF_FOOT"};

/* What stepping needs. */
typedef struct track {
  pki_scenario *scenario;
  pki_world world;
  pk_workspace *work;
  int feet[LEGS];
  double q[NQ], u[NU];  /* before the step */
  double least, put_in; /* J: smallest energy without what joints put in, so far; what they have put in */
} track;

static void close_track(track *t)
{
  pk_workspace_destroy(t->work);
  pki_world_free(&t->world);
  pki_scenario_destroy(t->scenario);
}

/* Also what was opened before a failure is closed by close_track. */
static pk_status open_track(const char *name, const char *const *sets, int nset, track *t, pk_error *err)
{
  char path[PKI_PATH_MAX];
  *t = (track){0};
  pk_status status = pki_scenario_locate(name, path, err);
  status = status == PK_OK ? pki_scenario_load(path, sets, nset, &t->scenario, err) : status;
  status = status == PK_OK ? pki_world_create(t->scenario, &t->world, err) : status;
  if (status != PK_OK) {
    return status;
  }
  const pk_model *m = t->world.model;
  for (int i = 0; i < LEGS; i++) {
    t->feet[i] = pk_model_find_link(m, feet[i]);
  }
  if (m->nu != NU || m->nq != NQ || t->feet[0] < 0 || t->feet[1] < 0 || t->feet[2] < 0 || t->feet[3] < 0) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, (pki_where){0},
        "%s has %d velocities, the thesis quadruped has %d, and feet RH_FOOT, LH_FOOT, RF_FOOT, LF_FOOT",
        name, m->nu, (int)NU);
  }
  return pk_workspace_create(m, &t->work, err);
}

/* --- the work of contacts -------------------------------------------------------------- */

/* A point of the world in a link's frame. */
static void to_link(const pk_pose *pose, const double point[3], double out[3])
{
  const double arm[3] = {point[0] - pose->pos[0], point[1] - pose->pos[1], point[2] - pose->pos[2]};
  pki_mat3_apply_transposed(pose->rot, arm, out);
}

/* Impulses times the velocities that u gives to their points: P.(J u). */
static double contact_power(track *t, const double *u, const pk_sim_contact *c, int n)
{
  double sum = 0;
  pk_kinematics_compute(t->work, t->q, u);
  for (int i = 0; i < n; i++) {
    double v[3];
    pk_link_point_velocity(t->work, c[i].link, c[i].point, v);
    sum += pki_dot3(c[i].impulse, v);
  }
  return sum;
}

/* inv(M) J' P. */
static pk_status impulse_response(track *t, const pk_sim_contact *c, int n, double *out)
{
  memset(out, 0, NU * sizeof *out);
  for (int i = 0; i < n; i++) {
    double at[3], response[NU][6];
    pk_kinematics_compute(t->work, t->q, NULL);
    const pk_pose pose = pk_link_pose(t->work, c[i].link);
    to_link(&pose, c[i].point, at);
    const pk_status status = pk_link_response(t->work, t->q, c[i].link, at, &response[0][0], NULL);
    if (status != PK_OK) {
      return status;
    }
    for (int k = 0; k < NU; k++) {
      out[k] += pki_dot3(response[k] + 3, c[i].impulse);
    }
  }
  return PK_OK;
}

/* Both works of the step (thesis.h), and the way of feet that slide. */
static void count_work(track *t, const pk_sim_contact *c, int n, double dt, pki_thesis_run *out)
{
  double du[NU];
  const double *u = pk_sim_u(t->world.sim);
  if (n == 0 || impulse_response(t, c, n, du) != PK_OK) {
    return;
  }
  const double before = contact_power(t, t->u, c, n), bent = contact_power(t, du, c, n),
               after = contact_power(t, u, c, n);
  out->work_most = fmax(out->work_most, after - 0.5 * bent);
  out->given += 0.5 * (before + after);
  out->given_most = fmax(out->given_most, out->given);
  for (int i = 0; i < n; i++) {
    double v[3]; /* at u, from the last pass */
    pk_link_point_velocity(t->work, c[i].link, c[i].point, v);
    out->slip += c[i].slides ? dt * hypot(v[0], v[1]) : 0;
  }
}

static double total_energy(track *t)
{
  const double *u = pk_sim_u(t->world.sim);
  pk_kinematics_compute(t->work, pk_sim_q(t->world.sim), u);
  const pk_energy e = pk_energy_compute(t->work, u);
  return e.kinetic + e.potential;
}

static void count_energy(track *t, double dt, const pk_step_info *info, pki_thesis_run *out)
{
  const double *u = pk_sim_u(t->world.sim), *tau = pk_sim_tau(t->world.sim);
  for (int k = 0; k < NU; k++) {
    t->put_in += 0.5 * dt * tau[k] * (t->u[k] + u[k]);
  }
  out->stabilisation += info->stabilisation;
  const double own = total_energy(t) - t->put_in;
  out->rise = fmax(out->rise, own - t->least);
  t->least = fmin(t->least, own);
}

/* --- curves ---------------------------------------------------------------------------- */

static pk_status make_curves(pki_thesis_curves *c, long long steps, pk_error *err)
{
  const size_t n = (size_t)steps;
  double *block = calloc(n * (PKI_THESIS_CHANNELS + 2), sizeof *block);
  if (block == NULL) {
    return pki_fail_memory(err, "curves");
  }
  *c = (pki_thesis_curves){.time = block, .given = block + n};
  for (int i = 0; i < PKI_THESIS_CHANNELS; i++) {
    c->values[i] = block + n * (size_t)(i + 2);
  }
  return PK_OK;
}

static void keep_curve_point(const track *t, const pk_sim_contact *contacts, int n, double dt,
                             const pki_thesis_run *now, pki_thesis_curves *c)
{
  const int i = c->n++;
  c->time[i] = pk_sim_time(t->world.sim);
  c->given[i] = now->given;
  for (int k = 0; k < 3; k++) {
    c->values[k][i] = now->end[k];
    c->values[3 + k][i] = now->rpy[k];
  }
  for (int a = 0; a < n; a++) {
    for (int leg = 0; leg < LEGS; leg++) {
      for (int k = 0; k < 3 && contacts[a].link == t->feet[leg]; k++) {
        c->values[6 + 3 * leg + k][i] += contacts[a].impulse[k] / dt;
      }
    }
  }
}

/* --- a run ----------------------------------------------------------------------------- */

static void observe_trunk(const track *t, pki_thesis_run *out)
{
  const double *q = pk_sim_q(t->world.sim);
  double R[9];
  pki_quat_to_mat3(q + 3, R);
  memcpy(out->end, q, sizeof out->end);
  pki_mat3_to_rpy(R, out->rpy);
  out->upright = R[8];
  out->top = fmax(out->top, q[2]);
  out->ended = pk_sim_time(t->world.sim);
  out->finite = fabs(q[0]) < FAR && fabs(q[1]) < FAR && fabs(q[2]) < FAR;
}

static pki_thesis_outcome classify_outcome(const pki_thesis_scene *s, const pki_thesis_run *r)
{
  return !r->finite                                     ? PKI_THESIS_BURSTS
         : r->top > s->ceiling                          ? PKI_THESIS_FLIES
         : r->upright < -0.5                            ? PKI_THESIS_INVERTED
         : r->upright < 0.5 || r->end[2] < 0.5 * HEIGHT ? PKI_THESIS_FALLS
                                                        : PKI_THESIS_STANDS;
}

/* One step; false: it was the last. */
static bool thesis_step(track *t, double dt, pki_thesis_curves *curves, pki_thesis_run *out)
{
  pk_sim *sim = t->world.sim;
  pk_sim_contact contacts[MOST];
  pk_step_info info;
  memcpy(t->q, pk_sim_q(sim), sizeof t->q);
  memcpy(t->u, pk_sim_u(sim), sizeof t->u);
  if (pki_world_step(&t->world, &info) != PK_OK) {
    out->finite = false;
    return false;
  }
  out->steps++;
  out->uncertified += !info.certified;
  out->residual = fmax(out->residual, info.certificate.relative);
  int n = pk_sim_contacts(sim, contacts, MOST);
  n = n < MOST ? n : MOST;
  out->grounded += n > 0;
  for (int i = 0; i < n; i++) {
    out->peak = fmax(out->peak, contacts[i].impulse[2] / dt);
  }
  observe_trunk(t, out);
  if (curves != NULL && out->finite) {
    count_work(t, contacts, n, dt, out);
    count_energy(t, dt, &info, out);
    keep_curve_point(t, contacts, n, dt, out, curves);
  }
  return out->finite;
}

pk_status pki_thesis_run_scene(const pki_thesis_scene *scene, const char *const *sets, int nset,
                               double seconds, const pki_study_watch *watch, pki_thesis_curves *curves,
                               pki_thesis_run *out, pk_error *err)
{
  track t;
  *out = (pki_thesis_run){.work_most = -INFINITY, .finite = true};
  pk_status status = open_track(scene->scenario, sets, nset, &t, err);
  if (status == PK_OK) {
    const double dt = t.scenario->step.dt;
    const long long steps = llround(seconds / dt);
    status = curves != NULL ? make_curves(curves, steps, err) : PK_OK;
    t.least = total_energy(&t);
    for (long long i = 0; i < steps && status == PK_OK && thesis_step(&t, dt, curves, out); i++) {
      if (watch != NULL && i % 1000 == 0) {
        watch->tell(watch->user, (double)i / (double)steps);
      }
    }
    out->outcome = classify_outcome(scene, out);
  }
  close_track(&t);
  return status;
}

pk_status pki_thesis_foot(double *out, pk_error *err)
{
  static const double tip[3] = {0, 0, -0.22};
  track t;
  pk_status status = open_track("thesis-trot", NULL, 0, &t, err);
  if (status == PK_OK) {
    double W[36];
    const double *q = pk_sim_q(t.world.sim);
    pk_kinematics_compute(t.work, q, NULL);
    const pk_status found = pk_link_response(t.work, q, t.feet[0], tip, NULL, W);
    *out = W[35];
    status = found == PK_OK ? PK_OK : pki_fail(err, found, (pki_where){0}, "no response of a foot");
  }
  close_track(&t);
  return status;
}
