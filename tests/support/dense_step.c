#include "support/dense_step.h"

#include <math.h>
#include <string.h>

#include "collision/world/contacts.h"
#include "step/contact.h"

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

/* ---- dense matrices ---- */

/* A = L L', lower. */
static void factor(const double *A, int n, double *L)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      const double sum = A[n * i + j] - dot(L + n * i, L + n * j, j);
      L[n * i + j] = i == j ? sqrt(sum) : sum / L[n * j + j];
    }
  }
}

/* x = inv(L L') b */
static void solve(const double *L, int n, const double *b, double *x)
{
  for (int i = 0; i < n; i++) {
    x[i] = (b[i] - dot(L + n * i, x, i)) / L[n * i + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) {
      x[i] -= L[n * k + i] * x[k];
    }
    x[i] /= L[n * i + i];
  }
}

/* ---- the step's beginning ---- */

void dense_begin(dense_step *s, pk_sim *sim, const pk_sim_options *o, pk_workspace *w)
{
  const pk_model *m = pk_sim_model(sim);
  const bool midpoint = o->stepper == PK_STEPPER_MOREAU;
  double half[DENSE_NU];
  *s = (dense_step){.model = m, .w = w, .limits = o->joint_limits, .dt = o->dt};
  s->reach = midpoint ? 0.5 * o->dt : o->dt;
  memcpy(s->u, pk_sim_u(sim), (size_t)m->nu * sizeof s->u[0]);
  for (int k = 0; k < m->nu; k++) {
    half[k] = midpoint ? 0.5 * o->dt * s->u[k] : 0;
  }
  pk_config_add(m, pk_sim_q(sim), half, s->q);
  pk_mass_matrix(w, s->q, s->M);
  pk_inverse_dynamics(w, s->q, s->u, NULL, s->h);
  for (int k = 0; k < m->nu; k++) {
    const pk_command *c = &pk_sim_commands(sim)[k];
    const double kp = m->dof_q[k] >= 0 ? c->kp : 0, x = m->dof_q[k] >= 0 ? s->q[m->dof_q[k]] : 0;
    s->a[k] = c->tau + kp * (c->q_des - x) + c->kd * c->u_des;
    s->g[k] = kp * s->reach + c->kd;
    s->most[k] = c->tau_max > 0 ? c->tau_max : INFINITY;
    if (s->g[k] == 0) {
      s->a[k] = fmin(fmax(s->a[k], -s->most[k]), s->most[k]);
    }
  }
  pk_kinematics_compute(w, s->q, s->u);
}

int dense_search(pk_sim *probe, const double *q, double margin)
{
  pk_step_info info;
  probe->workspace->kernels->kinematics(&probe->workspace->work, q);
  pki_update_origins(&probe->workspace->work);
  probe->contact.nswept = 0;
  return pki_contact_find(probe, margin, &info) ? probe->contact.nfound : -1;
}

int dense_link(const pk_model *m, int shape)
{
  return shape < m->nshape ? m->shapes[shape].link : -1;
}

double dense_force(const dense_step *s, int k, const double *u_end)
{
  return fmin(fmax(s->a[k] - s->g[k] * u_end[k], -s->most[k]), s->most[k]);
}

/* ---- rows ---- */

/* A problem under assembly. */
typedef struct rows {
  int n, ncontact, nbox;
  double J[DENSE_ROWS][DENSE_NU], response[DENSE_ROWS][DENSE_NU];
  double q[DENSE_ROWS], r[DENSE_ROWS], soft[DENSE_ROWS];
  double mu[DENSE_CONTACTS], lower[DENSE_BOXES], upper[DENSE_BOXES];
  double W[DENSE_ROWS * DENSE_ROWS];
} rows;

/* Adds sign times the row of a link's point (world) along a direction. */
static void add_point_row(const dense_step *s, int link, const double point[3], const double along[3],
                          double sign, double *row)
{
  const int nu = s->model->nu;
  const pk_pose pose = pk_link_pose(s->w, link);
  const double way[3] = {point[0] - pose.pos[0], point[1] - pose.pos[1], point[2] - pose.pos[2]};
  double local[3], J[6 * DENSE_NU];
  for (int d = 0; d < 3; d++) {
    local[d] = pose.rot[d] * way[0] + pose.rot[3 + d] * way[1] + pose.rot[6 + d] * way[2];
  }
  pk_link_jacobian(s->w, link, local, J);
  for (int c = 0; c < nu; c++) {
    const double v[3] = {J[3 * nu + c], J[4 * nu + c], J[5 * nu + c]};
    row[c] += sign * dot(v, along, 3);
  }
}

static void fill_row(const dense_step *s, int link, int other, const double point[3], const double along[3],
                     double *row)
{
  memset(row, 0, DENSE_NU * sizeof *row);
  add_point_row(s, link, point, along, 1, row);
  if (other >= 0) {
    add_point_row(s, other, point, along, -1, row);
  }
}

static void add_contact(const dense_step *s, const pk_sim_contact *c, const double *u_free, rows *p)
{
  double axes[9];
  memcpy(axes, c->normal, sizeof c->normal);
  pki_tangents(c->normal, axes + 3, axes + 6);
  p->mu[p->ncontact++] = c->friction;
  for (int d = 0; d < 3; d++) {
    const int i = p->n++;
    fill_row(s, c->link, c->other_link, c->point, axes + 3 * d, p->J[i]);
    p->r[i] = dot(c->impulse, axes + 3 * d, 3);
    p->q[i] = dot(p->J[i], u_free, s->model->nu) + (d == 0 ? fmax(c->gap, 0) / s->reach : 0);
    p->soft[i] = 0;
  }
}

static void add_box(int k, double sign, double lower, double upper, double soft, double q, double r, rows *p)
{
  const int i = p->n++;
  memset(p->J[i], 0, sizeof p->J[i]);
  p->J[i][k] = sign;
  p->lower[p->nbox] = lower, p->upper[p->nbox++] = upper;
  p->soft[i] = soft, p->q[i] = q, p->r[i] = r;
}

/* Gap of a joint limit. */
static double limit_gap(const dense_step *s, int k, int side)
{
  const double x = s->q[s->model->dof_q[k]];
  return side ? s->model->dof_upper[k] - x : x - s->model->dof_lower[k];
}

/* Joint limits and commands whose rows have impulses, and limits that nothing but an impulse would keep. */
static void add_boxes(const dense_step *s, const double *joint, const double *u_free, const double *u_end,
                      rows *p, dense_verdict *v)
{
  const int nu = s->model->nu;
  for (int k = 0; k < nu; k++) {
    for (int side = 0; side < 2 && s->limits && s->model->dof_q[k] >= 0; side++) {
      const double sign = side ? -1 : 1, gap = limit_gap(s, k, side), r = joint[side * nu + k];
      const bool closes = gap <= 0 || gap + s->reach * sign * u_free[k] < 0;
      if (r != 0 || closes) {
        add_box(k, sign, 0, INFINITY, 0, sign * u_free[k] + fmax(gap, 0) / s->reach, r, p);
        v->limits++;
      } else {
        v->limit_broken = fmax(v->limit_broken, -(gap + s->reach * sign * u_end[k]));
      }
    }
    if (s->model->dof_friction[k] > 0) {
      const double rubs = s->dt * s->model->dof_friction[k], r = joint[PKI_ROW_FRICTION * nu + k];
      add_box(k, 1, -rubs, rubs, 0, u_free[k], r, p);
      v->holding += fabs(r) < rubs, v->sliding += fabs(r) >= rubs;
    }
    const double r = joint[PKI_ROW_TORQUE * nu + k], most = s->dt * s->most[k];
    if (r != 0) {
      add_box(k, 1, -most, most, 1 / (s->dt * s->g[k]), u_free[k] - s->a[k] / s->g[k], r, p);
      v->torques++;
    } else if (s->g[k] > 0) {
      v->torque_broken = fmax(v->torque_broken, fabs(s->a[k] - s->g[k] * u_end[k]) - s->most[k]);
    }
  }
}

/* ---- the verdict ---- */

/* M~, its factor and u_f, without the commands that are rows. */
static void free_velocity(const dense_step *s, const double *joint, double *A, double *L, double *u_free)
{
  const pk_model *m = s->model;
  const int nu = m->nu;
  double force[DENSE_NU] = {0};
  memcpy(A, s->M, (size_t)(nu * nu) * sizeof *A);
  for (int k = 0; k < nu; k++) {
    const bool row = joint[PKI_ROW_TORQUE * nu + k] != 0;
    const double a = row ? 0 : s->a[k], g = (row ? 0 : s->g[k]) + m->dof_damping[k];
    A[nu * k + k] += s->dt * g;
    force[k] = s->dt * (a + s->push[k] - g * s->u[k] - s->h[k]);
  }
  factor(A, nu, L);
  solve(L, nu, force, u_free);
  for (int k = 0; k < nu; k++) {
    u_free[k] += s->u[k];
  }
}

/* W = J inv(M~) J' + compliance, and u = u_f + inv(M~) J' r. */
static void respond(const double *L, int nu, rows *p, double *u)
{
  for (int i = 0; i < p->n; i++) {
    solve(L, nu, p->J[i], p->response[i]);
    for (int k = 0; k < nu; k++) {
      u[k] += p->response[i][k] * p->r[i];
    }
  }
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < p->n; j++) {
      p->W[p->n * i + j] = dot(p->J[i], p->response[j], nu) + (i == j ? p->soft[i] : 0);
    }
  }
}

dense_verdict dense_judge(const dense_step *s, const pk_sim_contact *contacts, int n, const double *joint,
                          const double *u_end)
{
  static rows p;
  const int nu = s->model->nu;
  double L[DENSE_NU * DENSE_NU] = {0}, u_free[DENSE_NU], u[DENSE_NU], scratch[DENSE_ROWS];
  dense_verdict v = {.contacts = n, .scale = 1e-3};
  p.n = p.ncontact = p.nbox = 0;
  free_velocity(s, joint, v.A, L, u_free);
  for (int i = 0; i < n; i++) {
    add_contact(s, &contacts[i], u_free, &p);
  }
  add_boxes(s, joint, u_free, u_end, &p, &v);
  memcpy(u, u_free, sizeof u);
  respond(L, nu, &p, u);
  const pk_contact_problem all = {.ncontact = p.ncontact,
                                  .nbox = p.nbox,
                                  .W = p.W,
                                  .q = p.q,
                                  .mu = p.mu,
                                  .lower = p.lower,
                                  .upper = p.upper};
  v.relative = p.n > 0 ? pk_contact_certify(&all, p.r, scratch).relative : 0;
  for (int i = 0; i < p.n; i++) {
    v.scale = fmax(v.scale, fabs(p.q[i]));
  }
  for (int k = 0; k < nu; k++) {
    v.apart = fmax(v.apart, fabs(u[k] - u_end[k]));
    v.gain += 0.5 * (dot(v.A + nu * k, u_end, nu) * u_end[k] - dot(v.A + nu * k, u_free, nu) * u_free[k]);
  }
  return v;
}

double dense_broken(const dense_step *s, int link, int other, const double point[3], const double normal[3],
                    double gap, const double *u_end)
{
  double row[DENSE_NU];
  fill_row(s, link, other, point, normal, row);
  return -(fmax(gap, 0) + s->reach * dot(row, u_end, s->model->nu));
}
