/* A quadruped on level ground, stepped by the paper's own solvers: q goes on by q (+) dt v. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "control/reference.h"
#include "gait/stride.h"
#include "math/mat3.h"
#include "pronk/gait.h"
#include "study/feedback/feedback.h"

enum { NU = PKI_DENSE_NU, NQ = NU + 1, JOINTS = PKI_DENSE_JOINTS, LEGS = PKI_DENSE_CONTACTS };

static const double correction = 0.1; /* s, in which errors vanish, as the controllers have it */

typedef struct dense_world {
  const pki_dense_terms *terms;
  pki_scenario *scenario;
  pki_world world;
  pk_workspace *work;
  int dof[JOINTS], feet[LEGS];
  double q[NQ], u[NU], time, stature, mu;
  pki_stride_plan plan; /* of a trot */
  pki_stride stride;
  pki_reference ref; /* of a table */
  double *ref_memory, pose[JOINTS];
  pk_sim_contact contacts[LEGS];
  int ncontact;
  pki_slip_meter meter;
  double goal[JOINTS], rate[JOINTS]; /* references at the end of the step, and their rates over it */
  double errors;
  double shares, pushes; /* N s, sums of friction, and of what it could have been */
} dense_world;

/* ---- opening ---- */

static const pk_inverse_dynamics_options *options_of(const dense_world *d)
{
  return d->scenario->controller_options;
}

static pk_status open_motion(dense_world *d, pk_error *err)
{
  const pk_inverse_dynamics_options *o = options_of(d);
  if (d->terms->scene == PKI_SCENE_LINKS) {
    const pki_reference_options followed = {.loop = o->loop, .ramp = o->ramp};
    pki_reference_table table;
    pk_status status = pki_reference_read(o->file, d->world.model, &table, err);
    d->ref_memory = status == PK_OK ? malloc(pki_reference_size(&table)) : NULL;
    if (status == PK_OK && d->ref_memory == NULL) {
      status = pki_fail_memory(err, NULL);
    }
    status = status == PK_OK ? pki_reference_init(&table, &followed, d->ref_memory, &d->ref, err) : status;
    pki_reference_free(&table);
    return status;
  }
  d->plan =
      (pki_stride_plan){.kind = o->motion == PK_INVERSE_DYNAMICS_MOTION_SINUSOIDS ? PKI_STRIDE_SINUSOIDS
                                                                                  : PKI_STRIDE_CONSISTENT,
                        .forward = o->forward,
                        .start = o->start,
                        .cycle = o->cycle,
                        .lift = o->lift};
  return pki_stride_init(&d->plan, d->world.model, o->feet, o->height, err);
}

/* Joints in the order of their coordinates, feet by the links at the ends of legs. */
static pk_status list_parts(dense_world *d, pk_error *err)
{
  static const char *const names[LEGS] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  const pk_model *m = d->world.model;
  int joints = 0;
  bool found = m->nu == NU && m->nq == NQ;
  for (int k = 0; k < m->nu && found; k++) {
    if (m->dof_joint[k] >= 0 && joints < JOINTS) {
      d->dof[joints++] = k;
    }
  }
  for (int i = 0; i < LEGS; i++) {
    d->feet[i] = pk_model_find_link(m, names[i]);
    found = found && d->feet[i] >= 0;
  }
  if (!found || joints != JOINTS) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.file = d->scenario->file},
                    "the paper's solvers step quadrupeds of %d joints on a free trunk with feet LF_FOOT, "
                    "RF_FOOT, LH_FOOT, RH_FOOT",
                    (int)JOINTS);
  }
  return PK_OK;
}

static void close_dense(dense_world *d)
{
  free(d->ref_memory);
  pk_workspace_destroy(d->work);
  pki_world_free(&d->world);
  pki_scenario_destroy(d->scenario);
}

static pk_status open_dense(const pki_dense_terms *terms, dense_world *d, pk_error *err)
{
  const pki_feedback_case c = pki_feedback_leg_case(terms->scene, terms->method);
  char path[PKI_PATH_MAX];
  *d = (dense_world){.terms = terms};
  pk_status status = pki_scenario_locate(c.scenario, path, err);
  status = status == PK_OK ? pki_scenario_load(path, c.sets, c.nset, &d->scenario, err) : status;
  status = status == PK_OK ? pki_world_create(d->scenario, &d->world, err) : status;
  status = status == PK_OK ? pk_workspace_create(d->world.model, &d->work, err) : status;
  status = status == PK_OK ? list_parts(d, err) : status;
  status = status == PK_OK ? open_motion(d, err) : status;
  if (status == PK_OK) {
    memcpy(d->q, pk_sim_q(d->world.sim), sizeof d->q);
    d->stature = d->q[2];
    d->mu = d->scenario->materials[0].material.friction;
    for (int k = 0; k < JOINTS; k++) {
      d->pose[k] = d->q[d->world.model->dof_q[d->dof[k]]];
    }
  }
  return status;
}

/* ---- references ---- */

static void refer_to_stride(dense_world *d)
{
  const pk_observation seen = {.time = d->time,
                               .dt = d->terms->dt,
                               .model = d->world.model,
                               .q = d->q,
                               .u = d->u,
                               .workspace = d->work,
                               .contacts = d->contacts,
                               .ncontact = d->ncontact};
  pki_stride_goal goal;
  pki_stride_update(&d->plan, &d->stride, &seen, &goal);
  for (int k = 0; k < JOINTS; k++) {
    for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
      for (int h = 0; h < PKI_STRIDE_HINGES; h++) {
        if (d->dof[k] == d->plan.legs[i].u[h]) {
          d->goal[k] = goal.q[i][h], d->rate[k] = goal.u[i][h];
        }
      }
    }
  }
}

static void refer_to_table(dense_world *d)
{
  const pki_reference *ref = &d->ref;
  const pki_reference_place from = pki_reference_find(ref, d->time),
                            to = pki_reference_find(ref, d->time + d->terms->dt);
  for (int j = 0; j < ref->joints; j++) {
    for (int k = 0; k < JOINTS; k++) {
      if (ref->dof[j] == d->dof[k]) {
        const pki_goal a = pki_reference_from(ref, from, pki_reference_at(ref, from, j), d->pose[k]),
                       b = pki_reference_from(ref, to, pki_reference_at(ref, to, j), d->pose[k]);
        d->goal[k] = b.q, d->rate[k] = (b.q - a.q) / d->terms->dt;
      }
    }
  }
}

/* ---- a step ---- */

/* Numbers of one step as the solvers want them. */
typedef struct dense_numbers {
  double inverse[NU * NU], free[NU], wanted[JOINTS], most[JOINTS];
  double N[LEGS * NU], T[2 * LEGS * NU], gap[LEGS], down[LEGS];
  int foot[LEGS], contacts;
} dense_numbers;

/* Feet that may touch the ground within the step, at the lowest points of their balls. */
static void find_contacts(const dense_world *d, dense_numbers *n, double *sink)
{
  const double reach = fmax(0.02, 1.5 * d->terms->dt);
  for (int i = 0; i < LEGS; i++) {
    const pki_slip_foot *f = &d->meter.foot[i];
    const double gap = f->centre[2] - f->radius;
    *sink = fmax(*sink, -gap);
    if (gap < reach) {
      const pk_pose pose = pk_link_pose(d->work, f->link);
      const double apart[3] = {f->centre[0] - pose.pos[0], f->centre[1] - pose.pos[1],
                               f->centre[2] - f->radius - pose.pos[2]};
      double at[3], J[6 * NU];
      const int c = n->contacts++;
      pki_mat3_apply_transposed(pose.rot, apart, at);
      pk_link_jacobian(d->work, f->link, at, J);
      memcpy(n->T + (size_t)(2 * c) * NU, J + 3 * NU, 2 * NU * sizeof *J);
      memcpy(n->N + (size_t)c * NU, J + 5 * NU, NU * sizeof *J);
      n->gap[c] = gap / d->terms->dt;
      n->foot[c] = i;
    }
  }
}

static pk_status fill_numbers(dense_world *d, dense_numbers *n, double *sink)
{
  const double dt = d->terms->dt;
  double a[NU], tau[NU] = {0};
  const pk_model *m = d->world.model;
  *n = (dense_numbers){.contacts = 0};
  if (d->terms->scene == PKI_SCENE_LINKS) {
    refer_to_table(d);
  } else {
    refer_to_stride(d);
  }
  for (int k = 0; k < JOINTS; k++) {
    const double q = d->q[m->dof_q[d->dof[k]]];
    n->wanted[k] = d->rate[k] + (d->goal[k] - q - dt * d->rate[k]) / fmax(dt, correction);
    n->most[k] = dt * d->terms->limit;
  }
  pk_status status = pk_mass_matrix_inverse(d->work, d->q, n->inverse);
  status =
      status == PK_OK ? pk_forward_dynamics(d->work, PK_DYNAMICS_METHOD_AUTO, d->q, d->u, tau, a) : status;
  for (int k = 0; k < NU && status == PK_OK; k++) {
    n->free[k] = d->u[k] + dt * a[k];
  }
  pk_kinematics_compute(d->work, d->q, NULL);
  find_contacts(d, n, sink);
  return status;
}

/* What the references of the next step see of the contacts. */
static void note_contacts(dense_world *d, const dense_numbers *n, const pki_dense_result *r,
                          double push[LEGS])
{
  d->ncontact = 0;
  memset(push, 0, LEGS * sizeof *push);
  for (int c = 0; c < n->contacts; c++) {
    const int foot = n->foot[c];
    push[foot] = r->normal[c];
    if (r->normal[c] > 0) {
      const pki_slip_foot *f = &d->meter.foot[foot];
      d->contacts[d->ncontact++] =
          (pk_sim_contact){.link = d->feet[foot],
                           .other_link = -1,
                           .other_shape = -1,
                           .point = {f->centre[0], f->centre[1], 0},
                           .normal = {0, 0, 1},
                           .impulse = {r->tangent[c][0], r->tangent[c][1], r->normal[c]},
                           .friction = d->mu};
      d->shares += hypot(r->tangent[c][0], r->tangent[c][1]);
      d->pushes += d->mu * r->normal[c];
    }
  }
}

static bool is_finite(const double *v, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += fabs(v[i]);
  }
  return sum < 1e6;
}

/* False: it was the last. */
static bool dense_step(dense_world *d, pki_dense_run *out)
{
  const double dt = d->terms->dt;
  dense_numbers n;
  pki_dense_result r;
  double way[NU], next[NQ], push[LEGS];
  const double before = pki_clock();
  if (fill_numbers(d, &n, &out->sink) != PK_OK) {
    out->run.failed = true;
    return false;
  }
  const pki_dense_step step = {.nu = NU,
                               .joints = JOINTS,
                               .contacts = n.contacts,
                               .sides = 4,
                               .inverse = n.inverse,
                               .free = n.free,
                               .dof = d->dof,
                               .wanted = n.wanted,
                               .most = n.most,
                               .N = n.N,
                               .gap = n.gap,
                               .T = n.T,
                               .friction = d->mu};
  if (d->terms->method == PKI_LEG_MLCP) {
    pki_dense_mlcp(&step, d->terms->shift, PK_LCP_SOLVER_DANTZIG, &r);
  } else {
    pki_dense_qp(&step, &r);
  }
  for (int k = 0; k < NU; k++) {
    way[k] = dt * r.v[k];
  }
  out->run.wall += pki_clock() - before;
  out->run.steps++;
  out->solved += r.solved;
  out->run.residual = fmax(out->run.residual, r.residual);
  if (!is_finite(r.v, NU)) {
    out->run.failed = true;
    return false;
  }
  note_contacts(d, &n, &r, push);
  pk_config_add(d->world.model, d->q, way, next);
  memcpy(d->q, next, sizeof d->q);
  memcpy(d->u, r.v, sizeof d->u);
  d->time += dt;
  pk_kinematics_compute(d->work, d->q, NULL);
  pki_slip_step(&d->meter, d->work, push);
  for (int k = 0; k < JOINTS; k++) {
    d->errors += fabs(d->goal[k] - d->q[d->world.model->dof_q[d->dof[k]]]);
    out->run.torque = fmax(out->run.torque, fabs(r.motor[k]) / dt);
  }
  double R[9];
  pki_quat_to_mat3(d->q + 3, R);
  out->run.fell = R[8] < 0.5 || d->q[2] < 0.5 * d->stature;
  return !out->run.fell;
}

pk_status pki_dense_simulate(const pki_dense_terms *terms, pki_dense_run *out, pk_error *err)
{
  dense_world d;
  *out = (pki_dense_run){.run = {.dt = terms->dt, .speed = NAN, .between = NAN}};
  pk_status status = open_dense(terms, &d, err);
  if (status == PK_OK) {
    const long long steps = llround(terms->seconds / terms->dt);
    bool settled = false;
    double from[2] = {0, 0};
    pk_kinematics_compute(d.work, d.q, NULL);
    pki_slip_begin(&d.meter, d.work, d.feet, LEGS, terms->dt);
    for (long long i = 0; i < steps; i++) {
      if (!settled && d.time >= terms->settle - 1e-9) {
        settled = true, from[0] = d.q[0], from[1] = d.q[1];
        pki_slip_restart(&d.meter);
      }
      if (!dense_step(&d, out)) {
        break;
      }
    }
    pki_slip_end(&d.meter);
    out->run.ended = d.time;
    out->run.uncertified = out->run.steps - out->solved;
    out->run.error = d.errors / (JOINTS * fmax(1, (double)out->run.steps));
    out->run.slip = d.meter.most;
    out->run.stances = d.meter.stances;
    out->run.bad = d.meter.bad;
    out->run.slip_mean = d.meter.stances > 0 ? d.meter.sum / (double)d.meter.stances : NAN;
    out->friction = d.pushes > 0 ? d.shares / d.pushes : NAN;
    if (settled && d.time > terms->settle) {
      out->run.speed = hypot(d.q[0] - from[0], d.q[1] - from[1]) / (d.time - terms->settle);
    }
  }
  close_dense(&d);
  return status;
}
