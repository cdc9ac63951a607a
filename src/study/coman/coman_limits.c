/* Where the limit of explicit steps comes from. The robot with its waist fixed is linear about its start pose: for each motor j
 *
 *   q' = u,   u' = inv(M) (k (th - q) + d (w - u)),   th' = w,
 *   J w' = NK i - D w - k (th - q) - d (w - u),   L i' = -R/NK kp th - R i - NK w
 *
 * k and d of the spring, kp the gain of the motor's angle by voltage (actuation.md). Gravity and the integral, which are slow, are left out.
 * A step h of RK4 multiplies the mode of an eigenvalue by R(z) = 1 + z + z^2/2 + z^3/6 + z^4/24, z = h lambda; it is stable while
 * |R| <= 1. A joint alone has the inertia 1/inv(M)_jj, all others being free. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actuation/actuation.h"
#include "math/eigen.h"
#include "scenario/scenario.h"
#include "study/coman/coman.h"
#include "tune/step_limit.h"

enum { STATES = 5 }; /* q, u, th, w, i of a motor */

static double growth_of(double complex z)
{
  return cabs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))));
}

double pki_coman_rk4_limit(double re, double im)
{
  const double complex lambda = re + im * I;
  const double size = cabs(lambda), fine = 1e-3;
  double stable = 0;
  if (!(re < 0)) {
    return 0;
  }
  while (growth_of((stable + fine) * lambda / size) <= 1) {
    stable += fine;
  }
  double unstable = stable + fine;
  for (int i = 0; i < 40; i++) {
    const double middle = 0.5 * (stable + unstable);
    if (growth_of(middle * lambda / size) <= 1) {
      stable = middle;
    } else {
      unstable = middle;
    }
  }
  return stable / size;
}

/* A world for its numbers alone. */
typedef struct robot {
  pki_scenario *scenario;
  pki_world world;
  pk_workspace *work;
} robot;

static void close_robot(robot *r)
{
  pk_workspace_destroy(r->work);
  pki_world_free(&r->world);
  pki_scenario_destroy(r->scenario);
}

static pk_status open_robot(const char *const *sets, int nset, robot *r, pk_error *err)
{
  char path[PKI_PATH_MAX];
  *r = (robot){0};
  pk_status status = pki_scenario_locate("coman-box", path, err);
  status = status == PK_OK ? pki_scenario_load(path, sets, nset, &r->scenario, err) : status;
  status = status == PK_OK ? pki_world_create(r->scenario, &r->world, err) : status;
  status = status == PK_OK ? pk_workspace_create(r->world.model, &r->work, err) : status;
  /* one step, after which commands have their gains */
  return status == PK_OK ? pki_world_step(&r->world, NULL) : status;
}

/* ---- the linear model ---- */

typedef struct linear {
  int n;           /* motors */
  double *inverse; /* [n][n] of inv(M) */
  const double *motor[PKI_COMAN_MOST_MODES];
  double kp[PKI_COMAN_MOST_MODES];
  int dof[PKI_COMAN_MOST_MODES];
} linear;

static pk_status read_linear(const robot *r, linear *out, pk_error *err)
{
  const pk_actuation *a = r->world.actuation;
  const size_t nu = (size_t)r->world.model->nu;
  if (a == NULL || a->nmotor > PKI_COMAN_MOST_MODES) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "actuators"},
                    "%d motors, expected 1 to %d", a != NULL ? a->nmotor : 0, (int)PKI_COMAN_MOST_MODES);
  }
  out->n = a->nmotor;
  double *full = malloc(nu * nu * sizeof *full);
  out->inverse = malloc((size_t)a->nmotor * (size_t)a->nmotor * sizeof *out->inverse);
  pk_status status = full != NULL && out->inverse != NULL
                         ? pk_mass_matrix_inverse(r->work, pk_sim_q(r->world.sim), full)
                         : pki_fail_memory(err, "a mass matrix");
  for (int j = 0; j < a->nmotor && status == PK_OK; j++) {
    out->dof[j] = a->list[a->order[j]].actuator.dof;
    out->motor[j] = a->constants + (size_t)j * PKI_MOTOR_CONSTANTS;
    out->kp[j] = pk_sim_commands(r->world.sim)[out->dof[j]].kp;
  }
  for (int j = 0; j < out->n * out->n && status == PK_OK; j++) {
    out->inverse[j] = full[(size_t)out->dof[j / out->n] * nu + (size_t)out->dof[j % out->n]];
  }
  free(full);
  return status;
}

/* The block of motor j in A [size][size] from row and column `at` on; u' has the torques of the spring times `inverse`, which all joints add to. */
static void add_motor(const linear *l, int j, double *A, int size, int at)
{
  const double *c = l->motor[j], k = c[PKI_MOTOR_SPRING], d = c[PKI_MOTOR_SPRING_D], J = c[PKI_MOTOR_J];
  const int q = 0, u = 1, th = 2, w = 3, i = 4;
  double *const block = A + (size_t)at * (size_t)size + at;
  double *const row_q = block, *const row_th = block + th * size, *const row_w = block + w * size,
                *const row_i = block + i * size;
  row_q[u] = 1;
  row_th[w] = 1;
  row_w[q] = k / J, row_w[u] = d / J, row_w[th] = -k / J, row_w[w] = -(c[PKI_MOTOR_D] + d) / J;
  row_w[i] = c[PKI_MOTOR_NK] / J;
  row_i[th] = -c[PKI_MOTOR_R] / c[PKI_MOTOR_NK] * l->kp[j] / c[PKI_MOTOR_L];
  row_i[w] = -c[PKI_MOTOR_NK] / c[PKI_MOTOR_L], row_i[i] = -c[PKI_MOTOR_R] / c[PKI_MOTOR_L];
}

/* The torque of motor j on the acceleration of the joint whose rows begin at `row`. */
static void add_torque(const linear *l, int j, double inverse, double *A, int size, int row, int at)
{
  const double k = l->motor[j][PKI_MOTOR_SPRING], d = l->motor[j][PKI_MOTOR_SPRING_D];
  double *const out = A + (size_t)(row + 1) * (size_t)size + at;
  out[0] -= inverse * k, out[1] -= inverse * d, out[2] += inverse * k, out[3] += inverse * d;
}

pk_status pki_coman_linear_limit(const double *A, int size, double *limit, double value[2], pk_error *err)
{
  static const double rounding = 1e-9; /* of the largest eigenvalue: one that is zero */
  pki_eigen e;
  if (!pki_eigen_compute(A, size, &e)) {
    pki_eigen_free(&e);
    return pki_fail(err, PK_ERROR_CONVERGENCE, (pki_where){0}, "no eigenvalues of the linear model");
  }
  double largest = 0, growth = 0;
  *limit = INFINITY;
  for (int k = 0; k < size; k++) {
    const double re = creal(e.value[k]), im = cimag(e.value[k]);
    largest = fmax(largest, cabs(e.value[k])), growth = fmax(growth, re);
    const double own = re < 0 ? pki_coman_rk4_limit(re, im) : INFINITY;
    if (own < *limit) {
      *limit = own, value[0] = re, value[1] = fabs(im);
    }
  }
  pki_eigen_free(&e);
  return growth <= rounding * largest
             ? PK_OK
             : pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){0},
                        "the linear model of the drives grows by itself (an eigenvalue has the real part %g "
                        "1/s), expected one that decays",
                        growth);
}

static pk_status limit_joint(const robot *r, const linear *l, int j, pki_coman_mode *out, pk_error *err)
{
  double A[STATES * STATES] = {0};
  const pk_model *m = r->world.model;
  const double inverse = l->inverse[(size_t)j * (size_t)l->n + (size_t)j];
  snprintf(out->joint, sizeof out->joint, "%s", m->joints[m->dof_joint[l->dof[j]]].name);
  out->spring = l->motor[j][PKI_MOTOR_SPRING], out->inertia = 1 / inverse;
  add_motor(l, j, A, STATES, 0);
  add_torque(l, j, inverse, A, STATES, 0, 0);
  return pki_coman_linear_limit(A, STATES, &out->limit, out->fastest, err);
}

static pk_status limit_whole(const linear *l, pki_coman_limits *out, pk_error *err)
{
  const int size = STATES * l->n;
  double *A = calloc((size_t)size * (size_t)size, sizeof *A);
  if (A == NULL) {
    return pki_fail_memory(err, "a linear model");
  }
  for (int j = 0; j < l->n; j++) {
    add_motor(l, j, A, size, STATES * j);
    for (int i = 0; i < l->n; i++) {
      add_torque(l, j, l->inverse[(size_t)i * (size_t)l->n + (size_t)j], A, size, STATES * i, STATES * j);
    }
  }
  const pk_status status = pki_coman_linear_limit(A, size, &out->whole, out->whole_value, err);
  free(A);
  return status;
}

static pk_status limit_springs(pki_coman_limits *out, pk_error *err)
{
  static const char *const fixed[] = {"model.root=fixed"};
  robot r;
  linear l = {0};
  pk_status status = open_robot(fixed, 1, &r, err);
  status = status == PK_OK ? read_linear(&r, &l, err) : status;
  for (int j = 0; j < l.n && status == PK_OK; j++) {
    status = limit_joint(&r, &l, j, &out->modes[j], err);
    out->nmode = j + 1;
  }
  status = status == PK_OK ? limit_whole(&l, out, err) : status;
  free(l.inverse);
  close_robot(&r);
  return status;
}

/* ---- friction of contacts ---- */

/* Steepest slope of Stribeck's curve, 1.875 mu_s N / v_t, v_t = 0.01 m/s, friction being 2ab/(a + b) of both surfaces. */
static double friction_slope(double a, double b, double load)
{
  static const double transition = 0.01;
  return 1.875 * 2 * a * b / (a + b) * load / transition;
}

/* kg: the least effective mass of a link's origin in the plane of the axes i and j (3, 4, 5: x, y, z), and that along the third axis. */
static pk_status effective_masses(const robot *r, const char *link, int i, int j, double *plane,
                                  double *normal)
{
  static const double at[3] = {0, 0, 0};
  double W[36];
  const double *q = pk_sim_q(r->world.sim);
  pk_kinematics_compute(r->work, q, NULL);
  const pk_status status =
      pk_link_response(r->work, q, pk_model_find_link(r->world.model, link), at, NULL, W);
  const double mean = 0.5 * (W[7 * i] + W[7 * j]), half = 0.5 * (W[7 * i] - W[7 * j]);
  const int k = 12 - i - j;
  *plane = 1 / (mean + hypot(half, W[6 * i + j]));
  *normal = 1 / W[7 * k];
  return status;
}

/* Table 2, with the layers of the public code; half the robot's weight on each sole, and the force of the grasp on a wrist. */
static pk_status limit_contacts(pki_coman_limits *out, pk_error *err)
{
  static const double area = 0.01272, layer = 1e5 / 2e-4 / 2, grasp = 15;
  double along = 0;
  robot r;
  pk_status status = open_robot(NULL, 0, &r, err);
  status =
      status == PK_OK ? effective_masses(&r, "r_sole", 3, 4, &out->sole_mass[0], &out->sole_mass[1]) : status;
  status = status == PK_OK ? effective_masses(&r, "r_wrist", 3, 5, &out->wrist_mass, &along) : status;
  if (status == PK_OK) {
    const double load = 0.5 * 9.81 * r.world.model->robots[0].mass;
    out->friction_rate = friction_slope(2.1, 1.1, load) / out->sole_mass[0];
    out->friction_limit = pki_coman_rk4_limit(-out->friction_rate, 0);
    out->wrist_rate = friction_slope(1.1, 1.1, grasp) / out->wrist_mass;
    out->wrist_limit = pki_coman_rk4_limit(-out->wrist_rate, 0);
    out->layer_rate = sqrt(layer * area / out->sole_mass[1]);
    out->layer_limit = 2 * sqrt(2) / out->layer_rate;
  }
  close_robot(&r);
  return status;
}

/* ---- by runs ---- */

/* The paper's scheme with the feet locked, up to the touch: no contact but that of box and table. */
static pk_status measure_limit(pki_coman_limits *out, pk_error *err)
{
  static const char *const sets[] = {"step.stepper=rk4", PKI_COMAN_LOCKED_FEET};
  const pki_step_limit_options o = {
      .from = 2e-4, .cap = 4e-3, .tolerance = 0.01, .factor = 3, .error = INFINITY, .duration = 1};
  char path[PKI_PATH_MAX];
  pki_scenario *scenario = NULL;
  pki_step_limit *found = calloc(1, sizeof *found);
  pk_status status =
      found != NULL ? pki_scenario_locate("coman-box-soft", path, err) : pki_fail_memory(err, NULL);
  status =
      status == PK_OK ? pki_scenario_load(path, sets, sizeof sets / sizeof sets[0], &scenario, err) : status;
  status = status == PK_OK ? pki_step_limit_find(scenario, &o, found, err) : status;
  if (status == PK_OK) {
    out->measured_stable = found->stable, out->measured_unstable = found->unstable;
  }
  pki_scenario_destroy(scenario);
  free(found);
  return status;
}

pk_status pki_coman_limits_compute(bool quick, pki_coman_limits *out, pk_error *err)
{
  out->measured_stable = out->measured_unstable = NAN;
  pk_status status = limit_springs(out, err);
  status = status == PK_OK ? limit_contacts(out, err) : status;
  return status == PK_OK && !quick ? measure_limit(out, err) : status;
}
