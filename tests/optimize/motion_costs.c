/* What motions cost and what limits them, each by its formula at random points. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/mat3.h"
#include "optimize/motion/solution.h"
#include "support/bounds.h"
#include "support/motion_problems.h"

static const pki_motion_motor servo = {
    .resistance = 5, .constant = 0.01, .gear = 60, .efficiency = 0.8, .speed = 5, .stall = 0.9};

static void shake(pki_nlp *nlp)
{
  pki_random rng = pki_random_seeded(31);
  for (int i = 0; i < nlp->nx; i++) {
    nlp->x[i] += 0.1 * nlp->scale[i] * pki_random_between(&rng, -1, 1);
  }
}

/* The amble of the Sony quadruped near its first guess. */
static void build_amble(built_motion *m, const pk_model *model, pki_motion_objective objective)
{
  pki_motion_problem p;
  stand_sony(&p, model);
  amble(&p, 2);
  p.speed = 0.3;
  p.motor_lines = true;
  for (int k = 6; k < model->nu; k++) {
    p.motor[k] = servo;
    p.rate_upper[k] = 30;
  }
  p.objective = objective;
  build_motion(m, &p, NULL);
  shake(m->program->nlp);
}

/* ---- objectives ---- */

/* What is integrated, at one point. */
typedef double (*integrand)(const built_motion *m, pk_workspace *w, const pki_point_variables *at);

static double torque_at(const built_motion *m, pk_workspace *w, const pki_point_variables *at)
{
  double sum = 0;
  (void)w;
  for (int i = 0; i < m->robot->nmotor; i++) {
    sum += pow(m->program->nlp->x[at->tau + i], 2);
  }
  return sum;
}

/* Currents are torques of joints over gear and constant. */
static double heat_at(const built_motion *m, pk_workspace *w, const pki_point_variables *at)
{
  const double amperes = 1 / (servo.gear * servo.constant);
  return servo.resistance * amperes * amperes * torque_at(m, w, at);
}

static double power_at(const built_motion *m, pk_workspace *w, const pki_point_variables *at)
{
  double sum = 0;
  (void)w;
  for (int i = 0; i < m->robot->nmotor; i++) {
    sum += m->program->nlp->x[at->power + i];
  }
  return sum;
}

static double acceleration_at(const built_motion *m, pk_workspace *w, const pki_point_variables *at)
{
  double sum = 0;
  (void)w;
  for (int k = 6; k < m->robot->n; k++) {
    sum += pow(m->program->nlp->x[at->a + k], 2);
  }
  return sum;
}

static double one_at(const built_motion *m, pk_workspace *w, const pki_point_variables *at)
{
  (void)m, (void)w, (void)at;
  return 1;
}

/* (9): the middle of the normal forces, and the mass above the ground. */
static double polygon_at(const built_motion *m, pk_workspace *w, const pki_point_variables *at)
{
  const double *x = m->program->nlp->x;
  double c[3], speed[3], point[3], sum[2] = {0, 0}, all = 0;
  pk_kinematics_compute(w, x + at->q, x + at->v);
  pk_com_compute(w, 0, c, speed);
  for (int i = 0; i < 4; i++) {
    if (at->force[i] >= 0) {
      const double normal = x[at->force[i] + 2];
      pki_motion_place_foot(&m->problem, w, i, point);
      sum[0] += normal * point[0], sum[1] += normal * point[1], all += normal;
    }
  }
  return pow(sum[0] / all - c[0], 2) + pow(sum[1] / all - c[1], 2);
}

/* Over all intervals by Simpson's rule. */
static double integral(const built_motion *m, pk_workspace *w, integrand at)
{
  double sum = 0;
  for (int phase = 0; phase < m->problem.nphase; phase++) {
    for (int k = 0; k < m->grid.intervals[phase]; k++) {
      const pki_point_variables *points = &m->program->points[phase][2 * k];
      const double h = m->program->nlp->x[m->program->duration[phase]] * m->grid.share[phase][k];
      sum += h / 6 * (at(m, w, points) + 4 * at(m, w, points + 1) + at(m, w, points + 2));
    }
  }
  return sum;
}

static void objectives_are_their_integrals(void **state)
{
  (void)state;
  pk_model *model = chain_model("sony_quadruped");
  const struct {
    pki_motion_objective objective;
    integrand at;
    int metres; /* 1: for each metre; -1: also for the weight */
  } rows[] = {{{.torque = 2}, torque_at, 0},   {{.joule = 2}, heat_at, 1},
              {{.work = 2}, power_at, -1},     {{.time = 2}, one_at, 0},
              {{.polygon = 2}, polygon_at, 0}, {{.acceleration = 2}, acceleration_at, 0}};
  pk_workspace *w;
  assert_int_equal(pk_workspace_create(model, &w, NULL), PK_OK);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    built_motion m;
    double found;
    build_amble(&m, model, rows[i].objective);
    assert_true(pki_nlp_objective(m.program->nlp, m.program->nlp->x, &found));
    const double D = m.program->nlp->x[m.program->distance], weight = model->mass * 9.81;
    const double part = rows[i].metres > 0 ? 1 / D : rows[i].metres < 0 ? 1 / (weight * D) : 1;
    const double expected = 2 * part * integral(&m, w, rows[i].at);
    assert_near(found, expected, 1e-11 * fabs(expected));
    free_motion(&m);
  }
  pk_workspace_destroy(w);
  pk_model_destroy(model);
}

/* ---- rows ---- */

/* The first row of a name at the second point of a phase; its values there. */
static const double *rows_named(const pki_nlp *nlp, const char *what, const char *of, const double *rows)
{
  for (int i = 0; i < nlp->ng; i++) {
    const pki_nlp_label *l = &nlp->row_label[i];
    if (strcmp(l->what, what) == 0 && l->of != NULL && strcmp(l->of, of) == 0 && l->phase == 0 &&
        l->point == 1) {
      return rows + i;
    }
  }
  fail_msg("there is no row \"%s\"", what);
  return NULL;
}

static void rows_of_motors_and_cones_are_as_written(void **state)
{
  (void)state;
  pk_model *model = chain_model("sony_quadruped");
  built_motion m;
  build_amble(&m, model, (pki_motion_objective){.work = 1});
  const pki_nlp *nlp = m.program->nlp;
  const double *x = nlp->x;
  const pki_point_variables *at = &m.program->points[0][1];
  double *rows = calloc((size_t)nlp->ng, sizeof *rows);
  assert_true(rows != NULL && pki_nlp_constraints(nlp, x, rows));
  const double tau = x[at->tau], next = x[at[1].tau], v = x[at->v + m.robot->motor[0]], P = x[at->power];
  const char *joint = pki_motion_dof_name(model, m.robot->motor[0]);
  const double *line = rows_named(nlp, "torque-speed line", joint, rows);
  assert_near(line[0], tau + servo.stall / servo.speed * v, 1e-12);
  assert_near(line[1], tau - servo.stall / servo.speed * v, 1e-12);
  assert_near(nlp->row_upper[line - rows], servo.stall, 0);
  assert_near(nlp->row_lower[line - rows], -servo.stall, 0);
  const double *power = rows_named(nlp, "power", joint, rows);
  assert_near(power[0], P - tau * v, 1e-12);
  assert_near(power[1], P + tau * v, 1e-12);
  const double *rate = rows_named(nlp, "rate of torque", joint, rows);
  const double most = 30 * x[m.program->duration[0]] * 0.5 / 2; /* half of one of two intervals */
  assert_near(rate[0], most - (next - tau), 1e-12);
  assert_near(rate[1], most + (next - tau), 1e-12);
  const double *f = x + at->force[0], *cone = rows_named(nlp, "friction cone", "LF_FOOT", rows);
  assert_near(cone[0], pow(0.7 * f[2], 2) - f[0] * f[0] - f[1] * f[1], 1e-12);
  assert_near(nlp->lower[at->force[0] + 2], 0, 0);
  free(rows);
  free_motion(&m);
  pk_model_destroy(model);
}

/* (6), with the axes of the foot's link. */
static void moments_of_soles_are_within_their_edges(void **state)
{
  (void)state;
  pk_model *model = chain_model("hardt_biped");
  pki_motion_problem p;
  built_motion m;
  pk_workspace *w;
  stand_hardt(&p, model);
  add_phase(&p, 1, 1, 0.4, 0.4);
  build_motion(&m, &p, NULL);
  shake(m.program->nlp);
  const pki_nlp *nlp = m.program->nlp;
  const pki_point_variables *at = &m.program->points[0][1];
  double *rows = calloc((size_t)nlp->ng, sizeof *rows), F[3], T[3];
  assert_true(rows != NULL && pki_nlp_constraints(nlp, nlp->x, rows));
  assert_int_equal(pk_workspace_create(model, &w, NULL), PK_OK);
  pk_kinematics_compute(w, nlp->x + at->q, NULL);
  const pk_pose foot = pk_link_pose(w, pk_model_find_link(model, "L_FOOT"));
  pki_mat3_apply_transposed(foot.rot, nlp->x + at->force[0], F);
  pki_mat3_apply_transposed(foot.rot, nlp->x + at->force[0] + 3, T);
  const double most[3] = {0.08 / 2, 0.16 / 2, 0.02},
               *found = rows_named(nlp, "moment on the sole", "L_FOOT", rows);
  for (int k = 0; k < 3; k++) {
    assert_near(found[2 * k], most[k] * F[2] - T[k], 1e-10);
    assert_near(found[2 * k + 1], most[k] * F[2] + T[k], 1e-10);
  }
  free(rows);
  pk_workspace_destroy(w);
  free_motion(&m);
  pk_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objectives_are_their_integrals),
      cmocka_unit_test(rows_of_motors_and_cones_are_as_written),
      cmocka_unit_test(moments_of_soles_are_within_their_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
