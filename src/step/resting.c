#include "step/resting.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "step/contact.h"

static bool is_closed(const pk_sim *sim, const pki_contact *f)
{
  return f->gap <= pki_touching(sim);
}

/* The coefficient of a collision; -1: no contact approaches. */
static double collision_restitution(const pk_sim *sim)
{
  const pki_sim_contact *c = &sim->contact;
  double least = -1;
  for (int i = 0; i < c->nfound; i++) {
    if (is_closed(sim, &c->found[i]) && c->speed[i] < -1e-12) {
      const double own = c->speed[i] < -pki_bounce_speed(sim)
                             ? pki_contact_material(&sim->scene, &c->found[i])->restitution_n
                             : 0;
      least = least < 0 ? own : fmin(least, own);
    }
  }
  return least;
}

/* The impulse problem of all closed contacts: normals alone. */
static void assemble_collision(pk_sim *sim, double eps)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  pki_assembly_clear(a);
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    if (is_closed(sim, f)) {
      const int row = pk_contact_size(&a->problem);
      double second[3];
      const pki_ends ends = pki_contact_ends(f, second);
      pki_assembly_add_point(a, sim->workspace, &ends, f->normal, 0, INFINITY);
      c->row_found[row] = i;
      a->q[row] = (1 + eps) * c->speed[i];
      a->r[row] = 0;
    }
  }
  a->form = PKI_FORM_DENSE;
  pki_assembly_finish(a, sim->workspace);
}

static bool resting_collide(pk_sim *sim, double *u, pk_step_info *info, bool *any)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  double *jump = c->lcp_pyramid.jump;
  memset(c->lcp_pyramid.hit, 0, 3 * (size_t)c->nfound * sizeof *c->lcp_pyramid.hit);
  const double eps = collision_restitution(sim);
  *any = eps >= 0;
  if (!*any) {
    return true;
  }
  assemble_collision(sim, eps);
  if (!pki_lcp_pyramid_solve(sim, info)) {
    return false;
  }
  for (int row = 0; row < pk_contact_size(&a->problem); row++) {
    c->lcp_pyramid.hit[3 * c->row_found[row]] = a->r[row];
  }
  pki_assembly_response(a, sim->workspace, a->r, jump);
  for (int k = 0; k < sim->model->nu; k++) {
    u[k] += jump[k];
  }
  return true;
}

/* out += sign dJ/dt u of a body's point (world): its acceleration when no velocity changes. */
static void add_bias(const pk_sim *sim, int body, const double point[3], double sign, double out[3])
{
  const pki_work *w = &sim->workspace->work;
  const double *accel = w->accel + 6 * ((size_t)body + 1), *o = w->origin + 3 * ((size_t)body + 1),
               *spin = w->twist + 6 * ((size_t)body + 1);
  const double arm[3] = {point[0] - o[0], point[1] - o[1], point[2] - o[2]};
  double turning[3], swing[3], inward[3];
  pki_cross3(accel, arm, turning);
  pki_cross3(spin, arm, swing);
  pki_cross3(spin, swing, inward);
  for (int k = 0; k < 3; k++) {
    out[k] += sign * (accel[3 + k] + sim->model->gravity[k] + turning[k] + inward[k]);
  }
}

static void resting_shift(pk_sim *sim, int contact, const double *u, const double *u_free)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  const pki_contact *f = &c->found[c->row_found[contact]];
  double v[3], second[3], bias[3] = {0, 0, 0}, *q = a->q + 3 * contact,
                          *smooth = c->lcp_pyramid.smooth + 3 * contact;
  const pki_ends ends = pki_contact_ends(f, second);
  add_bias(sim, f->body, ends.point, 1, bias);
  if (f->other >= 0) {
    add_bias(sim, f->other, ends.other_point, -1, bias);
  }
  pki_assembly_contact_velocity(a, contact, u, v);
  pki_assembly_contact_velocity(a, contact, u_free, q);
  memcpy(smooth, q, 3 * sizeof *q);
  smooth[0] += sim->single.chains.published ? 0 : fmax(f->gap, 0) / sim->single.chains.reach;
  const double dt = sim->options.dt, slip = hypot(v[1], v[2]);
  const double change = q[0] + dt * pki_dot3(f->normal, bias) - v[0]; /* dt a_j along the normal */
  q[0] = change + fmax(v[0], 0);
  q[1] += dt * pki_dot3(f->tangent1, bias);
  q[2] += dt * pki_dot3(f->tangent2, bias);
  c->lcp_pyramid.slip[contact] = slip > a->mu[contact] * fabs(change) ? slip : 0;
}

/* Forces in accelerations; where there are none, impulses in velocities (4.40). */
static void resting_solve(pk_sim *sim, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  const pk_step_info before = *info;
  if (pki_lcp_pyramid_solve(sim, info)) {
    info->fell_back = false;
    return;
  }
  const int iterations = info->solver_iterations;
  *info = before;
  info->fell_back = true;
  info->solver_iterations = iterations;
  for (int i = 0; i < a->problem.ncontact; i++) {
    memcpy(a->q + 3 * i, c->lcp_pyramid.smooth + 3 * i, 3 * sizeof *a->q);
    c->lcp_pyramid.slip[i] = 0;
  }
  memset(a->r, 0, (size_t)pk_contact_size(&a->problem) * sizeof *a->r);
  pki_lcp_pyramid_solve(sim, info);
}

void pki_add_hits(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  for (int row = 0; row < 3 * c->assembly.problem.ncontact; row++) {
    sim->state.last_r[row] += c->lcp_pyramid.hit[3 * c->row_found[row / 3] + row % 3];
  }
}

const pki_law pki_law_lcp_pyramid_in_accelerations = {.name = "lcp-pyramid",
                                                      .prepare = pki_lcp_pyramid_align,
                                                      .collide = resting_collide,
                                                      .shift = resting_shift,
                                                      .solve = resting_solve,
                                                      .finish = pki_add_hits,
                                                      .judged = pki_lcp_pyramid_judged,
                                                      .linear = true,
                                                      .joins_closed = true};
