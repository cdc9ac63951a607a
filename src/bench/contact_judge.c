#include "bench/contact_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3 * PKI_FEET };

bool pki_contact_judge_create(pki_contact_judge *judge, const pki_contact_scene *scene)
{
  const size_t nq = (size_t)scene->model->nq, nu = (size_t)scene->model->nu;
  *judge = (pki_contact_judge){.scene = scene};
  pk_workspace_create(scene->model, &judge->workspace, NULL);
  judge->memory = calloc(nq + nu * nu + (6 + 2 * ROWS) * nu, sizeof *judge->memory);
  if (!judge->workspace || !judge->memory) {
    pki_contact_judge_destroy(judge);
    return false;
  }
  judge->q = judge->memory;
  judge->M = judge->q + nq;
  judge->J6 = judge->M + nu * nu;
  judge->J = judge->J6 + 6 * nu;
  judge->Y = judge->J + ROWS * nu;
  return true;
}

void pki_contact_judge_destroy(pki_contact_judge *judge)
{
  pk_workspace_destroy(judge->workspace);
  free(judge->memory);
  *judge = (pki_contact_judge){0};
}

/* Centres at the workspace's state. */
static void find_feet(pki_contact_judge *judge)
{
  for (int f = 0; f < PKI_FEET; f++) {
    const pk_pose pose = pk_link_pose(judge->workspace, judge->scene->feet[f].link);
    memcpy(judge->centre[f], pose.pos, sizeof pose.pos);
  }
}

void pki_contact_feet(pki_contact_judge *judge, const pki_contact_sample *sample)
{
  if (sample->has_feet) {
    memcpy(judge->centre, sample->foot, sizeof sample->foot);
    return;
  }
  pk_kinematics_compute(judge->workspace, sample->q, NULL);
  find_feet(judge);
}

/* Rows normal, x, y of a foot's lowest point: its arm from the centre is (0, 0, -radius). */
static void add_rows(pki_contact_judge *judge, int f, double *J)
{
  static const double origin[3] = {0, 0, 0};
  const int nu = judge->scene->model->nu;
  const double radius = judge->scene->feet[f].radius, *J6 = judge->J6;
  pk_link_jacobian(judge->workspace, judge->scene->feet[f].link, origin, judge->J6);
  for (int k = 0; k < nu; k++) {
    J[k] = J6[5 * nu + k];
    J[nu + k] = J6[3 * nu + k] - radius * J6[nu + k];
    J[2 * nu + k] = J6[4 * nu + k] + radius * J6[k];
  }
}

static double dot(const double *x, const double *y, int count)
{
  double sum = 0;
  for (int k = 0; k < count; k++) {
    sum += x[k] * y[k];
  }
  return sum;
}

/* M = L L', L in the lower triangle. */
static void factor(double *M, int n)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      const double rest = M[i * n + j] - dot(M + i * n, M + j * n, j);
      M[i * n + j] = i == j ? sqrt(rest) : rest / M[j * n + j];
    }
  }
}

/* y = inv(L) x. */
static void forward(const double *L, int n, const double *x, double *y)
{
  for (int i = 0; i < n; i++) {
    y[i] = (x[i] - dot(L + i * n, y, i)) / L[i * n + i];
  }
}

/* M + dt (kd + t kp) at judge->q, factored. */
static void prepare_mass(pki_contact_judge *judge, double t)
{
  const pki_contact_scene *s = judge->scene;
  const int nu = s->model->nu;
  pk_mass_matrix(judge->workspace, judge->q, judge->M);
  for (int k = 6; k < nu; k++) {
    judge->M[k * nu + k] += s->dt * (s->kd + t * s->kp);
  }
  factor(judge->M, nu);
}

pk_contact_certificate pki_contact_judge_step(pki_contact_judge *judge, const pki_contact_sample *before,
                                              const pki_contact_sample *after, double at)
{
  const pki_contact_scene *s = judge->scene;
  const int nu = s->model->nu;
  const double t = (1 - at) * s->dt;
  double r[ROWS], u[ROWS], q[ROWS], W[ROWS * ROWS], mu[PKI_FEET], scratch[ROWS];
  int n = 0;
  for (int k = 0; k < nu; k++) {
    judge->Y[k] = at * s->dt * before->u[k];
  }
  pk_config_add(s->model, before->q, judge->Y, judge->q);
  prepare_mass(judge, t);
  find_feet(judge);
  for (int f = 0; f < PKI_FEET; f++) {
    const double centre = before->has_feet ? before->foot[f][2] : judge->centre[f][2];
    const double gap = centre - s->feet[f].radius, *force = after->force[f], *v = after->velocity[f];
    double *J = judge->J + 3 * n * nu;
    if (!(gap <= 0 || force[2] > 0)) {
      continue;
    }
    add_rows(judge, f, J);
    const double impulse[3] = {s->dt * force[2], s->dt * force[0], s->dt * force[1]};
    const double measured[3] = {v[2], v[0], v[1]};
    for (int d = 0; d < 3; d++) {
      r[3 * n + d] = impulse[d];
      u[3 * n + d] = after->has_feet ? measured[d] : dot(J + d * nu, after->u, nu);
      forward(judge->M, nu, J + d * nu, judge->Y + (3 * n + d) * nu);
    }
    u[3 * n] += fmax(gap, 0) / t;
    mu[n++] = s->mu;
  }
  for (int i = 0; i < 3 * n; i++) {
    for (int j = 0; j < 3 * n; j++) {
      W[i * 3 * n + j] = dot(judge->Y + i * nu, judge->Y + j * nu, nu);
    }
    q[i] = u[i] - dot(W + i * 3 * n, r, 3 * n);
  }
  const pk_contact_problem p = {.ncontact = n, .W = W, .q = q, .mu = mu};
  return n > 0 ? pk_contact_certify(&p, r, scratch) : (pk_contact_certificate){.worst = -1};
}
