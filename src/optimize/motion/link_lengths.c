/* Links that are stretched, in expressions and in numbers. */
#include "optimize/motion/link_lengths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"

int pki_lengths_row(const pki_motion_problem *problem, int n)
{
  for (int i = 0; i < problem->ndesign; i++) {
    if (problem->designs[i].kind == PKI_DESIGN_LENGTH && n-- == 0) {
      return i;
    }
  }
  return -1;
}

int pki_lengths_count(const pki_motion_problem *problem)
{
  int n = 0;
  while (pki_lengths_row(problem, n) >= 0) {
    n++;
  }
  return n;
}

int pki_lengths_body(const pk_model *model, int dof)
{
  int found = -1, count = 0;
  for (int i = 0; i < model->nbody; i++) {
    if (model->body_u[i] == dof) {
      found = i;
      count++;
    }
  }
  return count == 1 ? found : -1;
}

bool pki_lengths_axis(const pki_motion_problem *problem, int body, double axis[3], double *length)
{
  const pk_model *m = problem->model;
  double to[3] = {0, 0, 0};
  int children = 0;
  for (int i = 0; i < m->nbody; i++) {
    if (m->body_parent[i] == body) {
      children++;
      memcpy(to, m->body_pos + 3 * (size_t)i, sizeof to);
    }
  }
  for (int i = 0; i < problem->nfoot && children == 0; i++) {
    if (problem->feet[i].body == body) {
      memcpy(to, problem->feet[i].at, sizeof to);
    }
  }
  *length = pki_length3(to);
  for (int k = 0; k < 3; k++) {
    axis[k] = *length > 0 ? to[k] / *length : 0;
  }
  return children <= 1 && *length > 1e-6;
}

/* The length of a body's link as the n-th input; -1: it is the model's. */
static int find_length(const pki_motion_problem *problem, int body)
{
  const int n = pki_lengths_count(problem);
  for (int k = 0; k < n && body >= 0; k++) {
    if (problem->designs[pki_lengths_row(problem, k)].sign[problem->model->body_u[body]] != 0) {
      return k;
    }
  }
  return -1;
}

static bool keeps_mass(const pki_motion_problem *problem, int n)
{
  return problem->designs[pki_lengths_row(problem, n)].constant_mass;
}

/* ---- expressions ---- */

/* x + (c - 1)(e . x) e */
static pki_x3 stretch_vector(pki_graph *g, pki_x length, const double e[3], const double x[3])
{
  const pki_x more = pki_minus(g, length, pki_const(g, 1));
  const double along = pki_dot3(e, x);
  pki_x3 out = pki_x3_const(g, x);
  for (int k = 0; k < 3; k++) {
    out.v[k] = pki_plus_times(g, out.v[k], pki_const(g, along * e[k]), more);
  }
  return out;
}

pki_x3 pki_lengths_point(const pki_motion_problem *problem, pki_graph *g, const pki_x *lengths, int body,
                         const double at[3])
{
  const int n = find_length(problem, body);
  double e[3], length;
  if (n < 0 || !pki_lengths_axis(problem, body, e, &length)) {
    return pki_x3_const(g, at);
  }
  return stretch_vector(g, lengths[n], e, at);
}

/* Second moments Sigma = tr(I)/2 - I of ten numbers of an inertia, whole. */
static void second_moments(const double inertia[10], double out[9])
{
  const double *I = inertia + 4, half = (I[0] + I[3] + I[5]) / 2;
  const double whole[9] = {half - I[0], -I[1], -I[2], -I[1], half - I[3], -I[4], -I[2], -I[4], half - I[5]};
  memcpy(out, whole, sizeof whole);
}

/* S Sigma S = Sigma + (c - 1)(e s' + s e') + (c - 1)^2 (e . s) e e',   s = Sigma e */
static pki_inertia_x stretch_inertia(pki_graph *g, const double inertia[10], const double e[3], pki_x length,
                                     bool constant)
{
  const pki_x one = pki_const(g, 1), more = pki_minus(g, length, one), mu = constant ? one : length,
              squared = pki_times(g, more, more);
  const pki_x3 h = stretch_vector(g, length, e, inertia + 1);
  double sigma[9], s[3];
  second_moments(inertia, sigma);
  pki_mat3_apply(sigma, e, s);
  const double along = pki_dot3(e, s);
  pki_x stretched[9], in[10];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      pki_x x = pki_const(g, sigma[3 * i + j]);
      x = pki_plus_times(g, x, pki_const(g, e[i] * s[j] + s[i] * e[j]), more);
      x = pki_plus_times(g, x, pki_const(g, along * e[i] * e[j]), squared);
      stretched[3 * i + j] = pki_times(g, mu, x);
    }
  }
  in[0] = pki_times(g, mu, pki_const(g, inertia[0]));
  for (int k = 0; k < 3; k++) {
    in[1 + k] = pki_times(g, mu, h.v[k]);
  }
  in[4] = pki_plus(g, stretched[4], stretched[8]);
  in[7] = pki_plus(g, stretched[0], stretched[8]);
  in[9] = pki_plus(g, stretched[0], stretched[4]);
  in[5] = pki_neg(g, stretched[1]), in[6] = pki_neg(g, stretched[2]), in[8] = pki_neg(g, stretched[5]);
  return pki_inertia_in(g, in);
}

/* A body whose joint is further away from that of its parent. */
static void move_seat(const pki_motion_problem *problem, pki_robot *robot, int i, const pki_x *lengths)
{
  const pk_model *m = robot->m;
  pki_graph *const g = robot->g;
  const pki_x3 pos = pki_lengths_point(problem, g, lengths, m->body_parent[i], m->body_pos + 3 * (size_t)i);
  pki_x rot[9];
  for (int k = 0; k < 9; k++) {
    rot[k] = pki_const(g, pki_round_near_integer(m->body_rot[9 * i + k]));
  }
  pki_robot_place(robot, i, pos.v, rot, pki_const(g, m->body_offset[i]));
}

bool pki_lengths_draft(const pki_motion_problem *problem, pki_graph *g, pki_robot *robot, pki_x *lengths)
{
  const pki_robot_options options = {0};
  const int count = pki_lengths_count(problem);
  if (!pki_robot_init(robot, g, problem->model, &options)) {
    return false;
  }
  const int port = count > 0 ? pki_graph_port(g, "length", count, "lengths of links over the model's") : -1;
  for (int n = 0; n < count; n++) {
    lengths[n] = pki_input(g, port, n);
  }
  for (int i = 0; i < problem->model->nbody && count > 0; i++) {
    const double *inertia = problem->model->body_inertia + 10 * (size_t)i;
    const int n = find_length(problem, i);
    double e[3], length;
    if (n >= 0 && pki_lengths_axis(problem, i, e, &length)) {
      robot->inertia[i] = stretch_inertia(g, inertia, e, lengths[n], keeps_mass(problem, n));
    }
    robot->grouped[i] = robot->inertia[i]; /* what may be grouped depends on the lengths */
    if (problem->model->body_parent[i] >= 0 && find_length(problem, problem->model->body_parent[i]) >= 0) {
      move_seat(problem, robot, i, lengths);
    }
  }
  return true;
}

/* ---- numbers ---- */

static void stretch_numbers(double x[3], const double e[3], double c)
{
  pki_along3(x, (c - 1) * pki_dot3(e, x), e, x);
}

static void stretch_body(pk_model *m, int body, const double e[3], double c, double mu)
{
  double *inertia = (double *)m->body_inertia + 10 * (size_t)body, sigma[9], stretched[9], S[9], part[9];
  second_moments(inertia, sigma);
  for (int k = 0; k < 9; k++) {
    S[k] = (k % 4 == 0 ? 1 : 0) + (c - 1) * e[k / 3] * e[k % 3];
  }
  pki_mat3_mul(S, sigma, part);
  pki_mat3_mul(part, S, stretched);
  m->mass += (mu - 1) * inertia[0];
  inertia[0] *= mu;
  stretch_numbers(inertia + 1, e, c);
  for (int k = 0; k < 3; k++) {
    inertia[1 + k] *= mu;
  }
  inertia[4] = mu * (stretched[4] + stretched[8]);
  inertia[7] = mu * (stretched[0] + stretched[8]);
  inertia[9] = mu * (stretched[0] + stretched[4]);
  inertia[5] = -mu * stretched[1], inertia[6] = -mu * stretched[2], inertia[8] = -mu * stretched[5];
}

/* Joints, links and shapes on a body. */
static void stretch_parts(pk_model *m, int body, const double e[3], double c)
{
  for (int i = 0; i < m->nbody; i++) {
    if (m->body_parent[i] == body) {
      stretch_numbers((double *)m->body_pos + 3 * (size_t)i, e, c);
    }
  }
  for (int i = 0; i < m->nlink; i++) {
    if (m->links[i].body == body) {
      stretch_numbers(((pk_model_link *)m->links)[i].pose.pos, e, c);
    }
  }
  for (int i = 0; i < m->nshape; i++) {
    if (m->shapes[i].body == body) {
      stretch_numbers(((pk_model_shape *)m->shapes)[i].pose.pos, e, c);
    }
  }
}

void pki_lengths_apply(pki_motion_problem *problem, pk_model *model, const double *values)
{
  const int count = pki_lengths_count(problem);
  for (int n = 0; n < count; n++) {
    const int row = pki_lengths_row(problem, n);
    const double c = values[row];
    for (int k = 0; k < model->nu; k++) {
      const int body = problem->designs[row].sign[k] != 0 ? pki_lengths_body(model, k) : -1;
      double e[3], length;
      if (body < 0 || !pki_lengths_axis(problem, body, e, &length)) {
        continue;
      }
      stretch_body(model, body, e, c, keeps_mass(problem, n) ? 1 : c);
      stretch_parts(model, body, e, c);
      for (int i = 0; i < problem->nfoot; i++) {
        if (problem->feet[i].body == body) {
          stretch_numbers(problem->feet[i].at, e, c);
        }
      }
      for (int i = 0; i < 2 * problem->ngap; i++) {
        if (problem->gaps[i / 2].body[i % 2] == body) {
          stretch_numbers(problem->gaps[i / 2].at[i % 2], e, c);
        }
      }
    }
  }
}
