/* The functions that there are, by name. */
#include "symbolic/robot/robot.h"

#include <stdlib.h>
#include <string.h>

#include "symbolic/robot/robot_parts.h"

bool pki_robot_forward(const pki_robot *robot, const pki_x *u, const pki_x *tau, pki_x *a)
{
  pki_graph *const g = robot->g;
  const int nu = robot->m->nu;
  if (!robot->m->has_mimic) {
    return pki_robot_aba(robot, u, tau, a);
  }
  pki_x *M = calloc((size_t)nu * (size_t)nu + 1, sizeof *M);
  const bool good = M != NULL && pki_robot_crba(robot, M) && pki_robot_rnea(robot, u, NULL, a);
  if (good) {
    pki_robot_factor(g, nu, 0, M);
    for (int k = 0; k < nu; k++) {
      a[k] = pki_minus(g, tau[k], a[k]);
    }
    pki_robot_solve(g, nu, M, a);
  }
  free(M);
  return good;
}

/* ---- functions ---- */

static bool add_kinematics(const pki_robot *robot, pki_function *f)
{
  const int n = robot->m->nbody;
  pki_x *const rotation = pki_function_add(f, "rotation", 9 * n, "[body][9] row-major, body to world axes");
  pki_x *const origin = pki_function_add(f, "origin", 3 * n, "[body][3] m, world axes");
  pki_x *pose = calloc(12 * (size_t)n + 1, sizeof *pose);
  const bool good =
      rotation != NULL && origin != NULL && pose != NULL && pki_robot_world(robot, NULL, pose, origin, NULL);
  for (int i = 0; i < n && good; i++) {
    memcpy(rotation + 9 * (size_t)i, pose + 12 * (size_t)i, 9 * sizeof *pose);
  }
  free(pose);
  return good;
}

static bool add_rnea(const pki_robot *robot, pki_function *f)
{
  pki_x *const tau = pki_function_add(f, "tau_out", robot->m->nu, "joint forces M a + h");
  return tau != NULL && pki_robot_rnea(robot, robot->u, robot->a, tau);
}

static bool add_bias(const pki_robot *robot, pki_function *f)
{
  pki_x *const h =
      pki_function_add(f, "h", robot->m->nu, "joint forces of gravity, Coriolis and centrifugal terms");
  return h != NULL && pki_robot_rnea(robot, robot->u, NULL, h);
}

static bool mass_matrix(const pki_robot *robot, pki_function *f, bool factor)
{
  const int nu = robot->m->nu;
  pki_x *M = calloc((size_t)nu * (size_t)nu + 1, sizeof *M);
  const bool good = M != NULL && pki_robot_crba(robot, M);
  if (good && factor) {
    pki_robot_factor(robot->g, nu, 0, M);
  }
  if (good) {
    pki_function_add_sparse(f, factor ? "L" : "M", nu, nu, M,
                            factor ? "lower triangle of L in M = L' D L, 1/D on the diagonal, whose own is 1"
                                   : "mass matrix, armature included: its lower triangle");
  }
  free(M);
  return good;
}

static bool add_crba(const pki_robot *robot, pki_function *f)
{
  return mass_matrix(robot, f, false);
}

static bool add_factor(const pki_robot *robot, pki_function *f)
{
  return mass_matrix(robot, f, true);
}

/* x = inv(M) tau: the articulated bodies of a robot at rest without gravity, or the factor of M. */
static bool add_solve(const pki_robot *robot, pki_function *f)
{
  const int nu = robot->m->nu;
  pki_x *const x = pki_function_add(f, "x", nu, "inv(M) tau");
  pki_x *rest = calloc((size_t)nu + 1, sizeof *rest); /* node 0 is zero */
  pki_robot still = *robot;
  still.gravity = pki_x3_zero(robot->g);
  const bool good = x != NULL && rest != NULL && pki_robot_forward(&still, rest, robot->tau, x);
  free(rest);
  return good;
}

static bool add_aba(const pki_robot *robot, pki_function *f)
{
  pki_x *const a = pki_function_add(f, "a_out", robot->m->nu, "accelerations inv(M) (tau - h)");
  return a != NULL && pki_robot_forward(robot, robot->u, robot->tau, a);
}

typedef struct row {
  const char *name, *about;
  unsigned ports;
  bool (*build)(const pki_robot *robot, pki_function *f);
} row;

static const row rows[] = {
    {"kinematics", "Where all bodies are.", PKI_PORT_Q, add_kinematics},
    {"velocities", "How all bodies move.", PKI_PORT_Q | PKI_PORT_U, pki_robot_velocities},
    {"jacobian", "Jacobians of all bodies: angular velocity, and velocity of the origin.", PKI_PORT_Q,
     pki_robot_jacobian},
    {"points", "Contact points: positions, velocities and their Jacobian.", PKI_PORT_Q | PKI_PORT_U,
     pki_robot_contacts},
    {"rnea", "Inverse dynamics: forces for accelerations, by recursive Newton-Euler.",
     PKI_PORT_Q | PKI_PORT_U | PKI_PORT_A, add_rnea},
    {"bias", "The forces that hold the robot's motion without accelerations.", PKI_PORT_Q | PKI_PORT_U,
     add_bias},
    {"crba", "The mass matrix, by composite rigid bodies.", PKI_PORT_Q, add_crba},
    {"factor", "The factor of the mass matrix, which follows the tree and fills nothing.", PKI_PORT_Q,
     add_factor},
    {"solve", "Accelerations of forces alone: inv(M) tau, without gravity and velocities.",
     PKI_PORT_Q | PKI_PORT_TAU, add_solve},
    {"aba", "Forward dynamics: accelerations for forces, by articulated bodies.",
     PKI_PORT_Q | PKI_PORT_U | PKI_PORT_TAU, add_aba},
    {"energy", "Kinetic and potential energy.", PKI_PORT_Q | PKI_PORT_U, pki_robot_energy},
    {"momentum", "Centre of mass and centroidal momentum.", PKI_PORT_Q | PKI_PORT_U, pki_robot_momentum},
    {"rnea_derivatives", "Derivatives of inverse dynamics by configuration, velocity and acceleration.",
     PKI_PORT_Q | PKI_PORT_U | PKI_PORT_A, pki_robot_rnea_derivatives},
    {"aba_derivatives", "Derivatives of forward dynamics by configuration, velocity and force.",
     PKI_PORT_Q | PKI_PORT_U | PKI_PORT_TAU, pki_robot_aba_derivatives},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

int pki_robot_function_count(void)
{
  return ROWS;
}

const char *pki_robot_function_name(int i)
{
  return rows[i].name;
}

const char *pki_robot_function_about(int i)
{
  return rows[i].about;
}

static pk_status fail_unknown_function(const char *name, pk_error *err)
{
  const char *names[ROWS];
  for (int i = 0; i < ROWS; i++) {
    names[i] = rows[i].name;
  }
  const char *near = pki_nearest_word(name, names, ROWS);
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "functions"},
                  "there is no function \"%s\"%s%s%s", name, near ? "; did you mean \"" : "",
                  near ? near : "", near ? "\"?" : "");
}

pk_status pki_robot_function(pki_graph *g, const pk_model *m, const pki_robot_options *options,
                             const char *name, pki_function *out, pk_error *err)
{
  const row *r = NULL;
  for (int i = 0; i < ROWS; i++) {
    r = strcmp(rows[i].name, name) == 0 ? &rows[i] : r;
  }
  if (r == NULL) {
    return fail_unknown_function(name, err);
  }
  pki_robot robot;
  pki_function_init(out, g, r->name, r->about);
  out->ports = r->ports;
  bool good = pki_robot_init(&robot, g, m, options);
  if (good) {
    good = r->build(&robot, out);
    pki_robot_free(&robot);
  }
  if (!good || out->failed || pki_graph_failed(g)) {
    pki_function_free(out);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for the code of %s", name);
  }
  return PK_OK;
}
