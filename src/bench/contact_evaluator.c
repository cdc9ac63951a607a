#include "bench/contact_evaluator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3 * PKI_FEET };

bool pki_contact_evaluator_create(pki_contact_evaluator *evaluator, const pki_contact_scene *scene)
{
  const size_t nq = (size_t)scene->model->nq, nu = (size_t)scene->model->nu;
  *evaluator = (pki_contact_evaluator){.scene = scene};
  pk_workspace_create(scene->model, &evaluator->workspace, NULL);
  evaluator->memory = calloc(nq + nu * nu + (6 + 2 * ROWS) * nu, sizeof *evaluator->memory);
  if (!evaluator->workspace || !evaluator->memory) {
    pki_contact_evaluator_destroy(evaluator);
    return false;
  }
  evaluator->q = evaluator->memory;
  evaluator->M = evaluator->q + nq;
  evaluator->J6 = evaluator->M + nu * nu;
  evaluator->J = evaluator->J6 + 6 * nu;
  evaluator->Y = evaluator->J + ROWS * nu;
  return true;
}

void pki_contact_evaluator_destroy(pki_contact_evaluator *evaluator)
{
  pk_workspace_destroy(evaluator->workspace);
  free(evaluator->memory);
  *evaluator = (pki_contact_evaluator){0};
}

/* Centres at the workspace's state. */
static void find_feet(pki_contact_evaluator *evaluator)
{
  for (int f = 0; f < PKI_FEET; f++) {
    const pk_pose pose = pk_link_pose(evaluator->workspace, evaluator->scene->feet[f].link);
    memcpy(evaluator->centre[f], pose.pos, sizeof pose.pos);
  }
}

void pki_contact_feet(pki_contact_evaluator *evaluator, const pki_contact_sample *sample)
{
  if (sample->has_feet) {
    memcpy(evaluator->centre, sample->foot, sizeof sample->foot);
    return;
  }
  pk_kinematics_compute(evaluator->workspace, sample->q, NULL);
  find_feet(evaluator);
}

/* Rows normal, x, y of a foot's lowest point: its arm from the centre is (0, 0, -radius). */
static void add_rows(pki_contact_evaluator *evaluator, int f, double *J)
{
  static const double origin[3] = {0, 0, 0};
  const int nu = evaluator->scene->model->nu;
  const double radius = evaluator->scene->feet[f].radius, *J6 = evaluator->J6;
  pk_link_jacobian(evaluator->workspace, evaluator->scene->feet[f].link, origin, evaluator->J6);
  for (int k = 0; k < nu; k++) {
    J[k] = J6[5 * nu + k];
    J[nu + k] = J6[3 * nu + k] - radius * J6[nu + k];
    J[2 * nu + k] = J6[4 * nu + k] + radius * J6[k];
  }
}

static double dot_product(const double *x, const double *y, int count)
{
  double sum = 0;
  for (int k = 0; k < count; k++) {
    sum += x[k] * y[k];
  }
  return sum;
}

/* M = L L', L in the lower triangle. */
static void cholesky_factor(double *M, int n)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      const double rest = M[i * n + j] - dot_product(M + i * n, M + j * n, j);
      M[i * n + j] = i == j ? sqrt(rest) : rest / M[j * n + j];
    }
  }
}

/* y = inv(L) x. */
static void forward_substitute(const double *L, int n, const double *x, double *y)
{
  for (int i = 0; i < n; i++) {
    y[i] = (x[i] - dot_product(L + i * n, y, i)) / L[i * n + i];
  }
}

/* M + dt (kd + t kp) at evaluator->q, factored. */
static void prepare_mass(pki_contact_evaluator *evaluator, double t)
{
  const pki_contact_scene *s = evaluator->scene;
  const int nu = s->model->nu;
  pk_mass_matrix(evaluator->workspace, evaluator->q, evaluator->M);
  for (int k = 6; k < nu; k++) {
    evaluator->M[k * nu + k] += s->dt * (s->kd + t * s->kp);
  }
  cholesky_factor(evaluator->M, nu);
}

pk_contact_certificate pki_contact_evaluator_step(pki_contact_evaluator *evaluator,
                                                  const pki_contact_sample *before,
                                                  const pki_contact_sample *after, double at)
{
  const pki_contact_scene *s = evaluator->scene;
  const int nu = s->model->nu;
  const double t = (1 - at) * s->dt;
  double r[ROWS], u[ROWS], q[ROWS], W[ROWS * ROWS], mu[PKI_FEET], scratch[ROWS];
  int n = 0;
  for (int k = 0; k < nu; k++) {
    evaluator->Y[k] = at * s->dt * before->u[k];
  }
  pk_config_add(s->model, before->q, evaluator->Y, evaluator->q);
  prepare_mass(evaluator, t);
  find_feet(evaluator);
  for (int f = 0; f < PKI_FEET; f++) {
    const double centre = before->has_feet ? before->foot[f][2] : evaluator->centre[f][2];
    const double gap = centre - s->feet[f].radius, *force = after->force[f], *v = after->velocity[f];
    double *J = evaluator->J + 3 * n * nu;
    if (!(gap <= 0 || force[2] > 0)) {
      continue;
    }
    add_rows(evaluator, f, J);
    const double impulse[3] = {s->dt * force[2], s->dt * force[0], s->dt * force[1]};
    const double measured[3] = {v[2], v[0], v[1]};
    for (int d = 0; d < 3; d++) {
      r[3 * n + d] = impulse[d];
      u[3 * n + d] = after->has_feet ? measured[d] : dot_product(J + d * nu, after->u, nu);
      forward_substitute(evaluator->M, nu, J + d * nu, evaluator->Y + (3 * n + d) * nu);
    }
    u[3 * n] += fmax(gap, 0) / t;
    mu[n++] = s->mu;
  }
  for (int i = 0; i < 3 * n; i++) {
    for (int j = 0; j < 3 * n; j++) {
      W[i * 3 * n + j] = dot_product(evaluator->Y + i * nu, evaluator->Y + j * nu, nu);
    }
    q[i] = u[i] - dot_product(W + i * 3 * n, r, 3 * n);
  }
  const pk_contact_problem p = {.ncontact = n, .W = W, .q = q, .mu = mu};
  return n > 0 ? pk_contact_certify(&p, r, scratch) : (pk_contact_certificate){.worst = -1};
}
