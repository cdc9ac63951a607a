#include "symbolic/code/kernels_source.h"

#include <stdlib.h>

#include "symbolic/code/limbs.h"
#include "symbolic/emit/emit.h"
#include "symbolic/robot/robot_parts.h"

enum { MOST_COORDINATES = 200 }; /* beyond, straight code no longer fits into caches */

typedef struct kernel {
  pki_graph *g;
  pki_robot robot;
  pki_function f;
  const pk_model *m;
} kernel;

/* ---- matrices in the plan's order ---- */

/* M [nu][nu] from an array in the plan's order, and back. */
static void spread_entries(const pk_model *m, const pki_x *entries, pki_x *M)
{
  for (int k = 0; k < m->nu; k++) {
    for (int e = m->M_row[k]; e < m->M_row[k + 1]; e++) {
      M[k * m->nu + m->M_col[e]] = entries[e];
    }
  }
}

static void collect_entries(const pk_model *m, const pki_x *M, pki_x *entries)
{
  for (int k = 0; k < m->nu; k++) {
    for (int e = m->M_row[k]; e < m->M_row[k + 1]; e++) {
      entries[e] = M[k * m->nu + m->M_col[e]];
    }
  }
}

static pki_x *square_of(const pk_model *m)
{
  return calloc((size_t)m->nu * (size_t)m->nu + 1, sizeof(pki_x));
}

/* L from its port. */
static pki_x *read_matrix(kernel *k, const char *name)
{
  pki_x *M = square_of(k->m), *entries = calloc((size_t)k->m->nM + 1, sizeof *entries);
  if (M != NULL && entries != NULL) {
    pki_function_read(&k->f, name, k->m->nM, "lower triangle in the order of the plan", entries);
    spread_entries(k->m, entries, M);
  } else {
    k->f.failed = true;
  }
  free(entries);
  return M;
}

/* ---- kernels ---- */

static void emit_kinematics(kernel *k)
{
  k->f.ports = PKI_PORT_Q;
  k->f.failed |= !pki_robot_add_world(&k->robot, &k->f, 0, false);
}

/* Inertias are inputs, so that worlds may have their own. */
static void read_inertias(kernel *k)
{
  const pk_model *m = k->m;
  pki_x *in = calloc(10 * (size_t)m->nbody + 1, sizeof *in);
  if (in == NULL) {
    k->f.failed = true;
    return;
  }
  pki_function_read(&k->f, "inertia", 10 * m->nbody, "[body][10] regrouped inertias", in);
  for (int i = 0; i < m->nbody; i++) {
    k->robot.grouped[i] = pki_inertia_grouped(k->g, m, i, in + 10 * (size_t)i);
  }
  free(in);
}

static void read_diagonal(kernel *k)
{
  pki_function_read(&k->f, "diag", k->m->nu, "what is added to the diagonal of M, armature included",
                    k->robot.diag);
}

static void emit_inertial(kernel *k)
{
  const pk_model *m = k->m;
  const pki_robot *robot = &k->robot;
  k->f.ports = PKI_PORT_Q | PKI_PORT_U;
  read_inertias(k);
  read_diagonal(k);
  k->f.failed |= !pki_robot_add_world(&k->robot, &k->f, 0, true);
  pki_x *const h = pki_function_add(&k->f, "h", m->nu, "bias forces");
  pki_x *const entries =
      pki_function_add(&k->f, "M", m->nM, "mass matrix: lower triangle in the order of the plan");
  pki_x *M = square_of(m);
  if (k->f.failed || M == NULL || !pki_robot_rnea(robot, robot->u, NULL, h) || !pki_robot_crba(robot, M)) {
    k->f.failed = true;
  } else {
    collect_entries(m, M, entries);
  }
  free(M);
}

/* All that a step needs before contacts, M itself left out. */
static void emit_free_velocity(kernel *k)
{
  pki_graph *const g = k->g;
  const pk_model *m = k->m;
  const pki_robot *robot = &k->robot;
  pki_x dt = 0, *M = square_of(m), *parts = calloc(3 * (size_t)m->nu + 1, sizeof *parts);
  if (M == NULL || parts == NULL) {
    k->f.failed = true;
    free(M);
    free(parts);
    return;
  }
  pki_x *const force = parts, *const gain = force + m->nu, *const h = gain + m->nu;
  k->f.ports = PKI_PORT_Q | PKI_PORT_U;
  read_inertias(k);
  read_diagonal(k);
  pki_function_read(&k->f, "force", m->nu, "joint forces at rest", force);
  pki_function_read(&k->f, "gain", m->nu, "what they lose by velocity", gain);
  pki_function_read(&k->f, "dt", 1, "s", &dt);
  k->f.failed |= !pki_robot_add_world(&k->robot, &k->f, 0, true);
  pki_x *const L = pki_function_add(&k->f, "L", m->nM, "factor of M + diag, in the order of the plan");
  pki_x *const x = pki_function_add(&k->f, "x", m->nu, "velocities at the end, without contacts");
  if (!k->f.failed && pki_robot_rnea(robot, robot->u, NULL, h) && pki_robot_crba(robot, M)) {
    pki_robot_factor(g, m->nu, 0, M);
    collect_entries(m, M, L);
    for (int i = 0; i < m->nu; i++) {
      const pki_x slope = pki_plus(g, gain[i], pki_const(g, m->dof_damping[i]));
      x[i] = pki_times(g, dt, pki_minus(g, pki_minus_times(g, force[i], slope, robot->u[i]), h[i]));
    }
    pki_robot_solve(g, m->nu, M, x);
    for (int i = 0; i < m->nu; i++) {
      x[i] = pki_plus(g, x[i], robot->u[i]);
    }
  } else {
    k->f.failed = true;
  }
  free(M);
  free(parts);
}

static void emit_factor(kernel *k)
{
  k->f.in_place = true;
  pki_x *M = read_matrix(k, "M"), *const out = pki_function_add(&k->f, "L", k->m->nM,
                                                                "M = L' D L, 1/D on the diagonal");
  if (M != NULL && out != NULL) {
    pki_robot_factor(k->g, k->m->nu, 0, M);
    collect_entries(k->m, M, out);
  }
  free(M);
}

static void solve_with(kernel *k, void (*solver)(pki_graph *g, int n, const pki_x *L, pki_x *x),
                       const char *about)
{
  k->f.in_place = true;
  pki_x *L = read_matrix(k, "L"), *const x = pki_function_add(&k->f, "x", k->m->nu, about);
  if (L != NULL && x != NULL) {
    pki_function_read(&k->f, "b", k->m->nu, "right side", x);
    solver(k->g, k->m->nu, L, x);
  }
  free(L);
}

static void emit_solve(kernel *k)
{
  solve_with(k, pki_robot_solve, "inv(M) b");
}

static void finish_all(pki_graph *g, int n, const pki_x *L, pki_x *x)
{
  pki_robot_finish(g, n, 0, L, x);
}

static void emit_finish(kernel *k)
{
  solve_with(k, finish_all, "inv(L) b");
}

/* Of the model's inertias, which are constants here; so is the armature, which is mostly zero. */
static void emit_acceleration(kernel *k)
{
  k->f.ports = PKI_PORT_Q | PKI_PORT_U | PKI_PORT_TAU;
  pki_x *const a = pki_function_add(&k->f, "a", k->m->nu, "accelerations");
  k->f.failed |= a == NULL || !pki_robot_forward(&k->robot, k->robot.u, k->robot.tau, a);
}

static void emit_bias(kernel *k)
{
  k->f.ports = PKI_PORT_Q | PKI_PORT_U;
  pki_x *const h = pki_function_add(&k->f, "h", k->m->nu, "bias forces");
  k->f.failed |= h == NULL || !pki_robot_rnea(&k->robot, k->robot.u, NULL, h);
}

static void emit_rnea(kernel *k)
{
  k->f.ports = PKI_PORT_Q | PKI_PORT_U | PKI_PORT_A;
  pki_x *const tau = pki_function_add(&k->f, "tau_out", k->m->nu, "joint forces M a + h");
  k->f.failed |= tau == NULL || !pki_robot_rnea(&k->robot, k->robot.u, k->robot.a, tau);
}

/* Where the model has no armature the diagonal has nothing: articulated inertias are smaller then. */
static void acceleration_open(kernel *k)
{
  read_inertias(k);
  read_diagonal(k);
  for (int i = 0; i < k->m->nu; i++) {
    k->robot.diag[i] = k->m->dof_armature[i] != 0 ? k->robot.diag[i] : pki_const(k->g, 0);
  }
  const unsigned ports = k->f.ports;
  emit_acceleration(k);
  k->f.ports |= ports;
}

static void rnea_open(kernel *k)
{
  read_inertias(k);
  pki_function_read(&k->f, "armature", k->m->nu, "on the diagonal of M", k->robot.diag);
  const unsigned ports = k->f.ports;
  emit_rnea(k);
  k->f.ports |= ports;
}

static const struct {
  const char *name, *about;
  void (*build)(kernel *k);
  bool by_limbs; /* limbs.h has it for models with limbs */
} kernels[] = {
    {"kinematics", "Poses and origins.", emit_kinematics, true},
    {"inertial", "Poses, twists, bias forces and the mass matrix.", emit_inertial, false},
    {"free_velocity", "Velocities after a step without contacts, and the factor of the mass matrix.",
     emit_free_velocity, true},
    {"factor", "The factor of the mass matrix.", emit_factor, false},
    {"solve", "A solve with that factor.", emit_solve, false},
    {"finish", "The last part of a solve.", emit_finish, false},
    {"acceleration", "Forward dynamics of the model's inertias.", emit_acceleration, false},
    {"bias", "Bias forces of the model's inertias.", emit_bias, false},
    {"rnea", "Inverse dynamics of the model's inertias.", emit_rnea, false},
    {"acceleration_open", "Forward dynamics.", acceleration_open, false},
    {"rnea_open", "Inverse dynamics.", rnea_open, false},
};

static bool emit_kernel(const pk_model *m, int i, pki_text *source)
{
  kernel k = {.g = pki_graph_create(false), .m = m};
  bool good = k.g != NULL && pki_robot_init(&k.robot, k.g, m, NULL);
  if (good) {
    pki_function_init(&k.f, k.g, kernels[i].name, kernels[i].about);
    kernels[i].build(&k);
    good = !k.f.failed && !pki_graph_failed(k.g) && pki_emit_simplified(&k.f, "robot", source);
    pki_function_free(&k.f);
    pki_robot_free(&k.robot);
  }
  pki_graph_destroy(k.g);
  return good;
}

pk_status pki_kernels_source(const pk_model *m, pki_text *source, pk_error *err)
{
  if (m->nconstraint > 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0},
                    "models with loops or cut joints are not compiled");
  }
  if (m->nu > MOST_COORDINATES) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0},
                    "a model with %d velocities is not compiled, at most %d are", m->nu, MOST_COORDINATES);
  }
  bool good = true;
  pki_emit_lanes("robot", source);
  const bool limbs = pki_limbs_find(m) > 0;
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0] && good; i++) {
    if (!limbs || !kernels[i].by_limbs) {
      good = emit_kernel(m, (int)i, source);
    }
  }
  good = good && (!limbs || pki_limbs_emit(m, source));
  return good ? PK_OK : pki_fail_memory(err, "the code of a robot");
}
