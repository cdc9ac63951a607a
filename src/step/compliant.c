#include "step/compliant.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "step/contact.h"

static const double STILL = 1e-3; /* m/s, a slip that is slower and slowing down has ended */

/* The spring of the last step between the same two partners; NULL: a new contact. */
static const pki_spring *find_spring(const pki_sim_contact *c, const pki_contact *f)
{
  for (int i = 0; i < c->nspring; i++) {
    if (pki_same_contact(c->springs[i].geom, c->springs[i].id, f)) {
      return &c->springs[i];
    }
  }
  return NULL;
}

/* The anchor now: where it was, moved on by what the contact point has rolled over its body since. */
static pki_spring carry_spring(const pki_sim_contact *c, const pki_work *w, const pki_contact *f)
{
  const double *R = w->pose + 12 * ((size_t)f->body + 1), *o = w->origin + 3 * ((size_t)f->body + 1);
  const pki_spring *old = find_spring(c, f);
  pki_spring s = old ? *old : (pki_spring){.geom = {f->geom[0], f->geom[1]}, .id = f->id};
  double arm[3], was[3] = {0, 0, 0};
  if (old != NULL) {
    pki_mat3_apply(R, old->point, was); /* the body's point that touched last */
  }
  for (int k = 0; k < 3; k++) {
    arm[k] = f->point[k] - o[k];
    s.anchor[k] = old ? s.anchor[k] + arm[k] - was[k] : f->point[k];
  }
  pki_mat3_apply_transposed(R, arm, s.point);
  return s;
}

/* lambda (normal, tangents) of one contact and its memory for the next step; v is the velocity in contact axes. */
static void contact_law(const pk_sim_options *o, const pki_contact *f, double mu, const double v[3],
                        pki_spring *s, double lambda[3])
{
  double away[3], trial[2];
  for (int k = 0; k < 3; k++) {
    away[k] = f->point[k] - s->anchor[k];
  }
  lambda[0] = fmax(-o->stiffness_n * f->gap - o->damping_n * v[0], 0);
  trial[0] = -o->stiffness_t * pki_dot3(f->tangent1, away) - o->damping_t * v[1];
  trial[1] = -o->stiffness_t * pki_dot3(f->tangent2, away) - o->damping_t * v[2];
  const double most = mu * lambda[0], force = hypot(trial[0], trial[1]), speed = hypot(v[1], v[2]);
  const bool slips = s->slip || force >= most;
  const double scale = speed > 0 ? -most / speed : 0;
  lambda[1] = slips ? scale * v[1] : trial[0];
  lambda[2] = slips ? scale * v[2] : trial[1];
  double way[3]; /* of the slip, world */
  for (int k = 0; k < 3; k++) {
    way[k] = v[1] * f->tangent1[k] + v[2] * f->tangent2[k];
  }
  const bool vanished = speed <= fmin(STILL, sqrt(pki_dot3(s->way, s->way))) || pki_dot3(way, s->way) < 0;
  if (s->slip && (vanished || force <= most)) {
    s->slip = false;
    memcpy(s->anchor, f->point, sizeof s->anchor);
  } else {
    s->slip = slips;
  }
  memcpy(s->way, way, sizeof way);
}

/* h -= J' lambda */
static void subtract_force(const pki_work *w, const pki_contact *f, const double lambda[3], double *scratch,
                           double *h)
{
  const int nu = w->model->nu;
  const double *o = w->origin + 3 * ((size_t)f->body + 1);
  double arm[3], wrench[6];
  for (int k = 0; k < 3; k++) {
    arm[k] = f->point[k] - o[k];
    wrench[3 + k] = lambda[0] * f->normal[k] + lambda[1] * f->tangent1[k] + lambda[2] * f->tangent2[k];
  }
  pki_cross3(arm, wrench + 3, wrench);
  memset(scratch, 0, (size_t)nu * sizeof *scratch);
  pki_add_wrench(w, f->body, wrench, scratch);
  for (int k = 0; k < nu; k++) {
    h[k] -= scratch[k];
  }
}

void pki_compliant_forces(pk_sim *sim, double *h)
{
  pki_sim_contact *c = &sim->contact;
  const pki_work *w = &sim->workspace->work;
  c->nspring_next = c->nlast = 0;
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    if (f->gap > 0) {
      continue;
    }
    double world[3], lambda[3];
    pki_contact_velocity(w, f, world);
    const double v[3] = {pki_dot3(f->normal, world), pki_dot3(f->tangent1, world),
                         pki_dot3(f->tangent2, world)};
    pki_spring s = carry_spring(c, w, f);
    contact_law(&sim->options, f, pki_contact_material(c, f)->friction, v, &s, lambda);
    subtract_force(w, f, lambda, pki_scratch(sim, 6), h);
    c->springs_next[c->nspring_next++] = s;
    c->last[c->nlast] = *f;
    for (int k = 0; k < 3; k++) {
      c->last_r[3 * c->nlast + k] = sim->options.dt * lambda[k];
    }
    c->nlast++;
  }
}

void pki_compliant_commit(pki_sim_contact *c)
{
  pki_spring *const old = c->springs;
  c->springs = c->springs_next;
  c->springs_next = old;
  c->nspring = c->nspring_next;
  c->nspring_next = 0;
}
