/* What design parameters mean for a joint, in numbers, and what can be wrong with them. */
#include "optimize/motion/design.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "optimize/motion/link_lengths.h"

const char *const pki_design_words[] = {
    "parallel-stiffness", "parallel-rest", "series-stiffness", "gear", "length", NULL};

const char *pki_design_unit(pki_design_kind kind)
{
  static const char *const units[] = {"N m/rad", "rad", "N m/rad", "", ""};
  return units[kind];
}

double pki_design_floor(pki_design_kind kind)
{
  static const double floors[] = {0, -1e6, 1e-6, 1e-6, 1e-2};
  return floors[kind];
}

int pki_design_find(const pki_motion_problem *problem, pki_design_kind kind, int dof)
{
  for (int i = 0; i < problem->ndesign; i++) {
    if (problem->designs[i].kind == kind && problem->designs[i].sign[dof] != 0) {
      return i;
    }
  }
  return -1;
}

double pki_design_value(const pki_motion_problem *problem, const double *values, pki_design_kind kind,
                        int dof)
{
  const int row = pki_design_find(problem, kind, dof);
  if (row >= 0) {
    return problem->designs[row].sign[dof] * values[row];
  }
  return kind == PKI_DESIGN_PARALLEL_REST ? problem->pose[dof]
         : kind == PKI_DESIGN_GEAR        ? problem->motor[dof].gear
                                          : NAN;
}

pki_motion_rotor pki_design_rotor(const pki_motion_problem *problem, int dof)
{
  const pki_motion_motor *m = &problem->motor[dof];
  if (m->inertia > 0) {
    return (pki_motion_rotor){m->inertia, m->damping, m->gear};
  }
  const bool geared = pki_design_find(problem, PKI_DESIGN_GEAR, dof) >= 0;
  return (pki_motion_rotor){geared ? 0 : problem->model->dof_armature[dof], geared ? m->damping : 0,
                            geared ? m->gear : 1};
}

void pki_design_add_forces(const pki_motion_problem *problem, const double *values, const double *q,
                           const double *v, const double *a, double *rest)
{
  for (int k = 0; k < problem->model->nu && problem->ndesign > 0; k++) {
    const double stiffness = pki_design_value(problem, values, PKI_DESIGN_PARALLEL_STIFFNESS, k);
    const bool series = pki_design_find(problem, PKI_DESIGN_SERIES_STIFFNESS, k) >= 0;
    if (!isnan(stiffness)) {
      rest[k] += stiffness * (q[k] - pki_design_value(problem, values, PKI_DESIGN_PARALLEL_REST, k));
    }
    if (series || pki_design_find(problem, PKI_DESIGN_GEAR, k) >= 0) {
      rest[k] -= problem->model->dof_armature[k] * a[k];
    }
    if (!series && pki_design_find(problem, PKI_DESIGN_GEAR, k) >= 0) {
      const pki_motion_rotor rotor = pki_design_rotor(problem, k);
      const double N = pki_design_value(problem, values, PKI_DESIGN_GEAR, k);
      rest[k] += N * N * (rotor.inertia * a[k] + rotor.damping * v[k]);
    }
  }
}

void pki_design_apply(pki_motion_problem *problem, const double *values)
{
  for (int k = 0; k < problem->model->nu; k++) {
    pki_motion_motor *m = &problem->motor[k];
    const int row = pki_design_find(problem, PKI_DESIGN_GEAR, k);
    if (row >= 0) {
      const double factor = values[row] / m->gear;
      m->gear = values[row];
      m->stall *= factor;
      m->peak *= factor;
      m->speed /= factor;
    }
  }
}

/* ---- what can be wrong ---- */

static pk_status check_range(const pki_motion_problem *p, int row, pk_error *err)
{
  const pki_motion_design *d = &p->designs[row];
  const double least = pki_design_floor(d->kind);
  char field[32];
  snprintf(field, sizeof field, "design[%d]", row);
  if (!(isfinite(d->lower) && isfinite(d->upper) && d->lower <= d->start && d->start <= d->upper)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
                    "lies between %g and %g and starts at %g, expected lower <= start <= upper", d->lower,
                    d->upper, d->start);
  }
  if (!(d->lower >= least)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field}, "a %s of %g, expected at least %g",
                    pki_design_words[d->kind], d->lower, least);
  }
  if (!(d->scan >= 0 && d->scan < 1)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
                    "a scan of %g, expected 0 or more and less than 1", d->scan);
  }
  return PK_OK;
}

/* A joint of a row: it moves, has a motor where the row is about one, and is in no other row of the kind. */
static pk_status check_joint(const pki_motion_problem *p, int row, int dof, pk_error *err)
{
  const pki_motion_design *d = &p->designs[row];
  const char *name = p->model->dof_joint[dof] >= 0 ? p->model->joints[p->model->dof_joint[dof]].name : "";
  const bool driven = p->tau_upper[dof] > 0;
  char field[32];
  snprintf(field, sizeof field, "design[%d].joints", row);
  const pki_where where = {.field = field};
  if (p->model->dof_joint[dof] < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "a coordinate of the trunk, expected joints");
  }
  if (p->locked[dof] && d->kind != PKI_DESIGN_LENGTH) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "the joint \"%.60s\" is locked", name);
  }
  if (pki_design_find(p, d->kind, dof) != row) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "the joint \"%.60s\" has a %s already", name,
                    pki_design_words[d->kind]);
  }
  if (d->kind == PKI_DESIGN_PARALLEL_REST && pki_design_find(p, PKI_DESIGN_PARALLEL_STIFFNESS, dof) < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the joint \"%.60s\" has no parallel spring: a row `parallel-stiffness` makes one", name);
  }
  if (d->kind == PKI_DESIGN_GEAR && isnan(p->motor[dof].resistance)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the joint \"%.60s\" has no motor of the kind dc whose gear could be chosen", name);
  }
  double axis[3], length;
  if (d->kind == PKI_DESIGN_LENGTH &&
      (pki_lengths_body(p->model, dof) < 0 ||
       !pki_lengths_axis(p, pki_lengths_body(p->model, dof), axis, &length))) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the link behind \"%.60s\" has neither one next joint nor a foot: it has no length",
                    name);
  }
  if ((d->kind == PKI_DESIGN_GEAR || d->kind == PKI_DESIGN_SERIES_STIFFNESS) && !driven) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "the joint \"%.60s\" has no motor", name);
  }
  return PK_OK;
}

/* The second half of a cycle is the image of the first: a joint and its image have one value, a rest angle with the sign of the image. */
static pk_status check_image(const pki_motion_problem *p, const pki_motion_mirror *mirror, int row, int dof,
                             pk_error *err)
{
  const pki_motion_design *d = &p->designs[row];
  const int to = mirror->to[dof];
  const int sign = d->kind == PKI_DESIGN_PARALLEL_REST && mirror->sign[dof] < 0 ? -1 : 1;
  char field[32];
  snprintf(field, sizeof field, "design[%d].joints", row);
  if (d->sign[to] == 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
                    "has %s and not its mirror image %s, expected both in half a cycle",
                    p->model->joints[p->model->dof_joint[dof]].name,
                    p->model->joints[p->model->dof_joint[to]].name);
  }
  if (d->sign[to] != sign * d->sign[dof]) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
        "the rest angle of %s is that of its mirror image %s with the %s sign: `opposite` says so",
        p->model->joints[p->model->dof_joint[dof]].name, p->model->joints[p->model->dof_joint[to]].name,
        sign < 0 ? "opposite" : "same");
  }
  return PK_OK;
}

pk_status pki_design_validate(const pki_motion_problem *p, const pki_motion_mirror *mirror, pk_error *err)
{
  for (int row = 0; row < p->ndesign; row++) {
    const pki_motion_design *d = &p->designs[row];
    int joints = 0;
    pk_status status = check_range(p, row, err);
    for (int k = 0; k < p->model->nu && status == PK_OK; k++) {
      if (d->sign[k] != 0) {
        joints++;
        status = check_joint(p, row, k, err);
        status = status == PK_OK && mirror != NULL ? check_image(p, mirror, row, k, err) : status;
      }
    }
    if (status == PK_OK && joints == 0) {
      status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "design"},
                        "row %d has no joints, expected one at least", row + 1);
    }
    for (int other = 0; other < row && status == PK_OK; other++) {
      if (p->designs[other].kind == d->kind && strcmp(p->designs[other].name, d->name) == 0) {
        char field[32];
        snprintf(field, sizeof field, "design[%d].name", row);
        status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
                          "two rows are called %s \"%.60s\": `name` tells them apart",
                          pki_design_words[d->kind], d->name);
      }
    }
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}
