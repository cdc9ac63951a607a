/* The public functions over the one-lane kernels. */
#include "pronk/dynamics.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "dynamics/workspace.h"
#include "math/mat3.h"
#include "model/grouped.h"
#include "model/motion.h"

/* With a counting arena this counts, and NULL comes back. */
static pk_workspace *carve_workspace(const pk_model *model, pki_arena *arena)
{
  pk_workspace *w = pki_arena_take(arena, 1, sizeof *w);
  pki_work work;
  pki_work_carve(&work, model, 1, arena);
  double *scratch = pki_arena_take(arena, 6 * (size_t)model->nu, sizeof *scratch);
  double *grouped = pki_arena_take(arena, 10 * (size_t)model->nbody, sizeof *grouped);
  if (w != NULL) {
    *w = (pk_workspace){
        .model = model, .kernels = pki_kernels_get(1), .work = work, .scratch = scratch, .grouped = grouped};
    pki_group_inertias(model, model->body_inertia, grouped);
  }
  return w;
}

size_t pk_workspace_memsize(const pk_model *model)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  carve_workspace(model, &arena);
  return arena.used;
}

pk_status pk_workspace_init(const pk_model *model, void *memory, pk_workspace **out, pk_error *err)
{
  *out = NULL;
  if (!pki_is_aligned(memory)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "memory"},
                    "the memory begins at %p, expected a multiple of %d bytes", memory, PKI_ALIGN);
  }
  pki_arena arena = pki_arena_over(memory, pk_workspace_memsize(model));
  pk_workspace *w = carve_workspace(model, &arena);
  pk_kinematics_compute(w, model->q0, w->work.zero);
  *out = w;
  return PK_OK;
}

pk_status pk_workspace_create(const pk_model *model, pk_workspace **out, pk_error *err)
{
  *out = NULL;
  void *memory = pki_aligned_alloc(pk_workspace_memsize(model));
  return memory != NULL ? pk_workspace_init(model, memory, out, err) : pki_fail_memory(err, "a workspace");
}

void pk_workspace_destroy(pk_workspace *w)
{
  pki_aligned_free(w);
}

const pk_model *pk_workspace_model(const pk_workspace *w)
{
  return w->model;
}

void pk_kinematics_compute(pk_workspace *w, const double *q, const double *u)
{
  w->kernels->kinematics(&w->work, q);
  if (u != NULL) {
    w->kernels->velocities(&w->work, u);
  }
}

/* Body arrays have the world in front. */
static const double *body_entry(const double *array, int body, int size)
{
  return array + (size_t)(body + 1) * (size_t)size;
}

pk_pose pk_link_pose(const pk_workspace *w, int link)
{
  PK_ASSERT(link >= 0 && link < w->model->nlink);
  const pk_model_link *l = &w->model->links[link];
  const double *R = body_entry(w->work.pose, l->body, 12), *o = body_entry(w->work.origin, l->body, 3);
  pk_pose out;
  pki_mat3_mul(R, l->pose.rot, out.rot);
  pki_mat3_apply(R, l->pose.pos, out.pos);
  for (int i = 0; i < 3; i++) {
    out.pos[i] += o[i];
  }
  return out;
}

void pk_link_velocity(const pk_workspace *w, int link, double velocity[6])
{
  const pk_model_link *l = &w->model->links[link];
  const double *R = body_entry(w->work.pose, l->body, 12), *twist = body_entry(w->work.twist, l->body, 6);
  double arm[3], v[3], axes[9];
  pki_mat3_apply(R, l->pose.pos, arm);
  pki_twist_at(twist, arm, v);
  pki_mat3_mul(R, l->pose.rot, axes);
  pki_mat3_apply_transposed(axes, twist, velocity);
  pki_mat3_apply_transposed(axes, v, velocity + 3);
}

void pk_link_point_velocity(const pk_workspace *w, int link, const double point[3], double velocity[3])
{
  const pk_pose pose = pk_link_pose(w, link);
  double twist[6], arm[3];
  pk_link_velocity(w, link, twist);
  pki_sub3(point, pose.pos, arm);
  pki_mat3_apply_transposed(pose.rot, arm, arm);
  pki_twist_at(twist, arm, velocity);
  pki_mat3_apply(pose.rot, velocity, velocity);
}

/* A point of a link, in the frame of its body. */
static int body_point(const pk_workspace *w, int link, const double point[3], double out[3])
{
  PK_ASSERT(link >= 0 && link < w->model->nlink);
  const pk_model_link *l = &w->model->links[link];
  pki_mat3_apply(l->pose.rot, point, out);
  for (int i = 0; i < 3; i++) {
    out[i] += l->pose.pos[i];
  }
  return l->body;
}

void pk_link_jacobian(const pk_workspace *w, int link, const double point[3], double *J)
{
  double p[3];
  const int body = body_point(w, link, point, p);
  w->kernels->jacobian(&w->work, body, p, J);
}

void pk_link_jacobian_dot(const pk_workspace *w, int link, const double point[3], double *Jdot)
{
  double p[3];
  const int body = body_point(w, link, point, p);
  w->kernels->jacobian_dot(&w->work, body, p, Jdot);
}

void pk_link_jacobian_dot_u(pk_workspace *w, int link, const double point[3], const double *u,
                            double Jdot_u[6])
{
  const size_t nu = (size_t)w->model->nu;
  pk_link_jacobian_dot(w, link, point, w->scratch);
  for (size_t r = 0; r < 6; r++) {
    Jdot_u[r] = 0;
    for (size_t k = 0; k < nu; k++) {
      Jdot_u[r] += w->scratch[r * nu + k] * u[k];
    }
  }
}

void pki_update_origins(pki_work *work)
{
  const pk_model *m = work->model;
  double *const origin = work->origin + 3, *const pose = work->pose + 12;
  for (int i = 0; i < m->nbody; i++) {
    for (int e = 0; e < 3; e++) {
      origin[3 * i + e] = origin[3 * m->body_parent[i] + e] + pose[12 * i + 9 + e];
    }
  }
}

void pki_plan_spread(const pk_model *m, const double *x, double *plan)
{
  memset(plan, 0, (size_t)m->nplan * sizeof *plan);
  for (int k = 0; k < m->nu; k++) {
    plan[m->plan_u[k]] = x[k];
  }
}

void pki_plan_collect(const pk_model *m, const double *plan, double *x)
{
  for (int k = 0; k < m->nu; k++) {
    x[k] = plan[m->plan_u[k]];
  }
}

void pki_plan_solve(const pk_workspace *w, double *x)
{
  const pk_model *m = w->model;
  if (m->nplan == m->nu) {
    w->kernels->ltl_solve(&w->work, x);
    return;
  }
  pki_plan_spread(m, x, w->work.plan);
  w->kernels->ltl_solve(&w->work, w->work.plan);
  pki_plan_collect(m, w->work.plan, x);
}

void pki_body_columns(const pki_work *work, int i, const double moment[3], const double force[3],
                      double out[6])
{
  const pk_model *m = work->model;
  const double *R = work->pose + 12 * ((size_t)i + 1);
  const int motion = m->body_motion[i];
  if (motion <= PK_MOTION_PRISMATIC) {
    const double *v = motion == PK_MOTION_PRISMATIC ? force : moment;
    const int k = m->body_axis[i];
    out[0] = m->body_gain[i] * (R[k] * v[0] + R[3 + k] * v[1] + R[6 + k] * v[2]);
  } else if (motion == PK_MOTION_SPHERICAL) {
    pki_mat3_apply_transposed(R, moment, out);
  } else {
    pki_mat3_apply_transposed(work->pose + 12 * ((size_t)m->body_parent[i] + 1), force, out);
    pki_mat3_apply_transposed(m->body_rot + 9 * (size_t)i, out, out);
    pki_mat3_apply_transposed(R, moment, out + 3);
  }
}

void pki_add_wrench(const pki_work *work, int body, const double wrench[6], double *out)
{
  const pk_model *m = work->model;
  double moment[3] = {wrench[0], wrench[1], wrench[2]};
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    double columns[6], shift[3];
    pki_body_columns(work, i, moment, wrench + 3, columns);
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      out[m->body_u[i] + c] += columns[c];
    }
    /* the moment about the parent's origin */
    pki_cross3(work->pose + 12 * ((size_t)i + 1) + 9, wrench + 3, shift);
    for (int k = 0; k < 3; k++) {
      moment[k] += shift[k];
    }
  }
}

void pki_reset_diagonal(pki_work *work)
{
  memcpy(work->diag, work->params.armature, (size_t)work->model->nu * sizeof(double));
}

void pki_composite_acceleration(pk_workspace *w, const double *q, const double *u, const double *tau,
                                double *a)
{
  double *h = w->scratch;
  w->kernels->rnea(&w->work, q, u, NULL, h);
  w->kernels->crba(&w->work);
  w->kernels->ltl_factor(&w->work);
  for (int k = 0; k < w->model->nu; k++) {
    a[k] = tau[k] - h[k];
  }
  pki_plan_solve(w, a);
}

/* To the configuration q, at rest. */
static void kinematics_at_rest(pk_workspace *w, const double *q)
{
  w->kernels->kinematics(&w->work, q);
  memset(w->work.twist, 0, 6 * ((size_t)w->model->nbody + 1) * sizeof(double));
}

void pk_inverse_dynamics(pk_workspace *w, const double *q, const double *u, const double *a, double *tau)
{
  w->kernels->inverse(&w->work, q, u, a, tau);
  pki_update_origins(&w->work);
}

void pk_mass_matrix(pk_workspace *w, const double *q, double *M)
{
  const pk_model *m = w->model;
  const size_t nu = (size_t)m->nu;
  pki_reset_diagonal(&w->work);
  kinematics_at_rest(w, q);
  w->kernels->crba(&w->work);
  memset(M, 0, nu * nu * sizeof *M);
  for (size_t r = 0; r < nu; r++) {
    size_t c = 0; /* the plan keeps the order of velocities, with unknowns of constraints between them */
    for (int e = m->M_row[m->plan_u[r]]; e < m->M_row[m->plan_u[r] + 1]; e++) {
      while (m->plan_u[c] < m->M_col[e]) {
        c++;
      }
      if (m->plan_u[c] == m->M_col[e]) {
        M[r * nu + c] = M[c * nu + r] = w->work.M[e];
      }
    }
  }
}

pk_status pk_forward_dynamics(pk_workspace *w, pk_dynamics_method method, const double *q, const double *u,
                              const double *tau, double *a)
{
  const pk_model *m = w->model;
  if ((unsigned)method >= PK_DYNAMICS_METHOD_COUNT) {
    return PK_ERROR_ARGUMENT;
  }
  if (method == PK_DYNAMICS_METHOD_ABA && m->has_mimic) {
    return PK_ERROR_UNSUPPORTED;
  }
  pki_reset_diagonal(&w->work);
  if (method == PK_DYNAMICS_METHOD_CRBA || m->has_mimic) {
    pki_composite_acceleration(w, q, u, tau, a);
  } else {
    w->kernels->acceleration(&w->work, q, u, tau, a);
  }
  pki_update_origins(&w->work);
  for (int k = 0; k < m->nu; k++) {
    if (!isfinite(a[k])) {
      return PK_ERROR_NONFINITE;
    }
  }
  return PK_OK;
}

/* Factor M at q: articulated bodies, or the plan when there are followers. */
static void factor_mass_matrix(pk_workspace *w, const double *q)
{
  pki_reset_diagonal(&w->work);
  kinematics_at_rest(w, q);
  if (w->model->has_mimic) {
    w->kernels->crba(&w->work);
    w->kernels->ltl_factor(&w->work);
  } else {
    w->kernels->aba_factor(&w->work);
  }
}

/* x = inv(M) e_k */
static void solve_unit(pk_workspace *w, int k, double *x)
{
  const size_t bytes = (size_t)w->model->nu * sizeof *x;
  if (w->model->has_mimic) {
    memset(x, 0, bytes);
    x[k] = 1;
    pki_plan_solve(w, x);
    return;
  }
  double *unit = w->work.tmp;
  memset(unit, 0, bytes);
  unit[k] = 1;
  w->kernels->aba_solve(&w->work, unit, -1, NULL, x);
}

pk_status pk_mass_matrix_inverse(pk_workspace *w, const double *q, double *Minv)
{
  const size_t nu = (size_t)w->model->nu;
  factor_mass_matrix(w, q);
  for (size_t k = 0; k < nu; k++) {
    /* a column, which is a row; the upper part is mirrored so that the result is symmetric */
    solve_unit(w, (int)k, Minv + k * nu);
    for (size_t j = 0; j < k; j++) {
      Minv[k * nu + j] = Minv[j * nu + k];
    }
  }
  return PK_OK;
}

pk_status pk_link_response(pk_workspace *w, const double *q, int link, const double point[3], double *MinvJt,
                           double *JMinvJt)
{
  const size_t nu = (size_t)w->model->nu;
  double p[3], arm[3], *J = w->scratch, *x = w->work.tmp + nu;
  const int body = body_point(w, link, point, p);
  factor_mass_matrix(w, q);
  w->kernels->jacobian(&w->work, body, p, J);
  pki_mat3_apply(body_entry(w->work.pose, body, 12), p, arm);
  for (size_t c = 0; c < 6; c++) {
    if (w->model->has_mimic) {
      memcpy(x, J + c * nu, nu * sizeof *x);
      pki_plan_solve(w, x);
    } else {
      /* a unit moment, or a unit force at the tip of arm */
      double f[6] = {0};
      f[c] = 1;
      if (c >= 3) {
        pki_cross3(arm, f + 3, f);
      }
      w->kernels->aba_solve(&w->work, NULL, body, f, x);
    }
    for (size_t k = 0; k < nu && MinvJt != NULL; k++) {
      MinvJt[k * 6 + c] = x[k];
    }
    for (size_t r = 0; r < 6 && JMinvJt != NULL; r++) {
      double sum = 0;
      for (size_t k = 0; k < nu; k++) {
        sum += J[r * nu + k] * x[k];
      }
      JMinvJt[r * 6 + c] = sum;
    }
  }
  return PK_OK;
}

/* Sums over one robot, or over all bodies. */
static void robot_sums(const pk_workspace *w, int robot, double sums[12])
{
  PK_ASSERT(robot < w->model->nrobot);
  const int first = robot < 0 ? 0 : w->model->robots[robot].body;
  const int count = robot < 0 ? w->model->nbody : w->model->robots[robot].nbody;
  w->kernels->sums(&w->work, first, count, sums);
}

pk_energy pk_energy_compute(const pk_workspace *w, const double *u)
{
  double sums[12];
  robot_sums(w, -1, sums);
  for (int k = 0; k < w->model->nu; k++) {
    sums[10] += 0.5 * w->work.params.armature[k] * u[k] * u[k];
  }
  return (pk_energy){.kinetic = sums[10], .potential = sums[11]};
}

double pk_spring_energy(const pk_model *model, const double *q)
{
  double sum = 0;
  for (int k = 0; k < model->nu; k++) {
    if (model->dof_stiffness[k] > 0) {
      const double x = q[model->dof_q[k]] - model->dof_spring_ref[k];
      sum += 0.5 * model->dof_stiffness[k] * x * x;
    }
  }
  return sum;
}

void pk_com_compute(const pk_workspace *w, int robot, double pos[3], double vel[3])
{
  double sums[12];
  robot_sums(w, robot, sums);
  const double mass = sums[0] > 0 ? sums[0] : 1;
  for (int i = 0; i < 3; i++) {
    pos[i] = sums[1 + i] / mass;
    vel[i] = sums[4 + i] / mass;
  }
}

void pk_momentum_compute(const pk_workspace *w, int robot, double momentum[6])
{
  double sums[12];
  robot_sums(w, robot, sums);
  memcpy(momentum, sums + 7, 3 * sizeof *momentum);
  memcpy(momentum + 3, sums + 4, 3 * sizeof *momentum);
}

void pk_momentum_matrix(pk_workspace *w, double *A)
{
  w->kernels->momentum_matrix(&w->work, A);
}

void pk_config_add(const pk_model *model, const double *q, const double *v, double *q_out)
{
  pki_kernels_get(1)->config_add(model, q, 1, v, q_out);
}

/* v with from exp(v/2) = to: the logarithm of conj(from) to, the short way round. */
static void rotation_between(const double from[4], const double to[4], double v[3])
{
  double w = from[0] * to[0] + pki_dot3(from + 1, to + 1);
  double e[3];
  pki_cross3(to + 1, from + 1, e);
  for (int i = 0; i < 3; i++) {
    e[i] += from[0] * to[1 + i] - to[0] * from[1 + i];
  }
  const double sign = w < 0 ? -1 : 1, s = sqrt(pki_dot3(e, e));
  const double scale = s > 1e-150 ? 2 * atan2(s, sign * w) / s : 2;
  for (int i = 0; i < 3; i++) {
    v[i] = sign * scale * e[i];
  }
}

void pk_config_subtract(const pk_model *m, const double *q1, const double *q0, double *v)
{
  for (int i = 0; i < m->nbody; i++) {
    const double *a = q1 + m->body_q[i], *b = q0 + m->body_q[i];
    double *out = v + m->body_u[i];
    switch (m->body_motion[i]) {
    case PK_MOTION_SPHERICAL: rotation_between(b, a, out); break;
    case PK_MOTION_FLOATING:
      for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
      }
      rotation_between(b + 3, a + 3, out + 3);
      break;
    default: out[0] = a[0] - b[0];
    }
  }
}
