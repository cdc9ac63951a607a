#include "step/compliant.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "step/contact.h"
#include "step/frames.h"

static const double STILL = 1e-3; /* m/s, a slip that is slower and slowing down has ended */

/* The spring of the last step between the same two partners; NULL: a new contact. Springs are in the order of contacts. */
static const pki_spring *find_spring(const pki_sim_state *c, const pki_contact *f)
{
  int from = 0, to = c->n.nspring;
  while (from < to) {
    const int middle = from + (to - from) / 2;
    const bool before = pki_contact_order(c->springs[middle].geom, c->springs[middle].id, f) < 0;
    from = before ? middle + 1 : from;
    to = before ? to : middle;
  }
  return from < c->n.nspring && pki_same_contact(c->springs[from].geom, c->springs[from].id, f)
             ? &c->springs[from]
             : NULL;
}

/* The spring with its anchor in the world: where the second body has taken it, moved on by what the contact point has
 * rolled over the first one since. */
static pki_spring carry_spring(const pki_sim_state *c, const pki_work *w, const pki_contact *f)
{
  const double *R = w->pose + 12 * ((size_t)f->body + 1), *o = w->origin + 3 * ((size_t)f->body + 1);
  const pki_spring *old = find_spring(c, f);
  pki_spring s = old ? *old : (pki_spring){.geom = {f->geom[0], f->geom[1]}, .id = f->id};
  double arm[3], was[3] = {0, 0, 0};
  if (old != NULL) {
    pki_mat3_apply(R, old->point, was); /* the body's point that touched last */
    pki_point_to_world(w, f->other, old->anchor, s.anchor);
  }
  for (int k = 0; k < 3; k++) {
    arm[k] = f->point[k] - o[k];
    s.anchor[k] = old ? s.anchor[k] + arm[k] - was[k] : f->point[k];
  }
  pki_mat3_apply_transposed(R, arm, s.point);
  return s;
}

/* The normal force lambda_N of one contact, and what its friction would be if it stuck; v is the velocity in contact
 * axes. */
static void spring_forces(const pk_sim_options *o, const pki_contact *f, const double v[3],
                          const pki_spring *s, double *lambda_N, double trial[2])
{
  double away[3];
  for (int k = 0; k < 3; k++) {
    away[k] = f->point[k] - s->anchor[k];
  }
  const double stiffness = o->stiffness_n + o->stiffness_cubic * f->gap * f->gap; /* secant */
  *lambda_N = fmax(s->push - stiffness * f->gap - o->damping_n * v[0], 0);
  trial[0] = -o->stiffness_t * pki_dot3(f->tangent1, away) - o->damping_t * v[1];
  trial[1] = -o->stiffness_t * pki_dot3(f->tangent2, away) - o->damping_t * v[2];
}

/* Viscous friction of a contact that presses. */
static double drag_of(const pk_material *m, double lambda_N)
{
  return lambda_N > 0 ? m->viscous : 0;
}

/* lambda (normal, tangents) of one contact and its memory for the next step. */
static void compliant_law(const pk_sim_options *o, double since, const pki_contact *f, const pk_material *m,
                          const double v[3], pki_spring *s, double lambda[3])
{
  (void)since;
  double trial[2];
  spring_forces(o, f, v, s, &lambda[0], trial);
  const double most = m->friction * lambda[0], force = hypot(trial[0], trial[1]), speed = hypot(v[1], v[2]);
  const bool slips = s->slip || force >= most;
  const double scale = speed > 0 ? -most / speed : 0;
  const double drag = drag_of(m, lambda[0]);
  lambda[1] = (slips ? scale * v[1] : trial[0]) - drag * v[1];
  lambda[2] = (slips ? scale * v[2] : trial[1]) - drag * v[2];
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

void pki_penalty_law(const pk_sim_options *o, double since, const pki_contact *f, const pk_material *m,
                     const double v[3], pki_spring *s, double lambda[3])
{
  (void)since;
  double trial[2];
  spring_forces(o, f, v, s, &lambda[0], trial);
  const double most = m->friction * lambda[0], force = hypot(trial[0], trial[1]);
  const bool slips = force > most;
  const double scale = slips ? most / force : 1, softness = o->stiffness_t > 0 ? 1 / o->stiffness_t : 0;
  s->slip = slips;
  for (int k = 0; k < 3 && slips; k++) {
    s->anchor[k] = f->point[k] + scale * softness * (trial[0] * f->tangent1[k] + trial[1] * f->tangent2[k]);
  }
  const double drag = drag_of(m, lambda[0]);
  lambda[1] = scale * trial[0] - drag * v[1];
  lambda[2] = scale * trial[1] - drag * v[2];
}

/* out += J' f of a force (world) on a body at a point. */
static void add_force(const pki_work *w, int body, const double point[3], const double force[3], double *out)
{
  const double *o = w->origin + 3 * ((size_t)body + 1);
  const double arm[3] = {point[0] - o[0], point[1] - o[1], point[2] - o[2]};
  double wrench[6] = {0, 0, 0, force[0], force[1], force[2]};
  pki_cross3(arm, force, wrench);
  pki_add_wrench(w, body, wrench, out);
}

/* out += J' lambda: on the first body, and against it on the second, at one point. */
static void add_contact_force(const pki_work *w, const pki_contact *f, const double lambda[3], double *out)
{
  double force[3], against[3];
  for (int k = 0; k < 3; k++) {
    force[k] = lambda[0] * f->normal[k] + lambda[1] * f->tangent1[k] + lambda[2] * f->tangent2[k];
    against[k] = -force[k];
  }
  add_force(w, f->body, f->point, force, out);
  if (f->other >= 0) {
    add_force(w, f->other, f->point, against, out);
  }
}

void pki_add_spring_forces(pk_sim *sim, pki_spring_law *law, bool hovering, double since, double *out)
{
  pki_sim_contact *c = &sim->contact;
  const pki_work *w = &sim->workspace->work;
  pki_sim_state *last = &sim->state;
  c->nspring = last->n.nlast = 0;
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    if (f->gap > 0 && !(hovering && f->gap <= pki_touching(sim) && find_spring(last, f) != NULL)) {
      continue;
    }
    double world[3], lambda[3];
    pki_contact_velocity(w, 0, f, world);
    const double v[3] = {pki_dot3(f->normal, world), pki_dot3(f->tangent1, world),
                         pki_dot3(f->tangent2, world)};
    pki_spring s = carry_spring(last, w, f);
    pk_material m = *pki_contact_material(&sim->scene, f);
    m.friction = pki_contact_friction(sim, f);
    law(&sim->options, since, f, &m, v, &s, lambda);
    add_contact_force(w, f, lambda, out);
    pki_point_to_body(w, f->other, s.anchor, c->springs[c->nspring].anchor);
    memcpy(s.anchor, c->springs[c->nspring].anchor, sizeof s.anchor);
    c->springs[c->nspring++] = s;
    last->last[last->n.nlast] = *f;
    last->last_sticks[last->n.nlast] = false; /* springs do not tell */
    for (int k = 0; k < 3; k++) {
      last->last_r[3 * last->n.nlast + k] = sim->options.dt * lambda[k];
    }
    last->n.nlast++;
  }
}

static void compliant_forces(pk_sim *sim, double since, double *out)
{
  pki_add_spring_forces(sim, compliant_law, false, since, out);
}

static void penalty_forces(pk_sim *sim, double since, double *out)
{
  pki_add_spring_forces(sim, pki_penalty_law, false, since, out);
}

void pki_compliant_commit(pk_sim *sim)
{
  pki_spring *const old = sim->state.springs;
  sim->state.springs = sim->contact.springs;
  sim->contact.springs = old;
  sim->state.n.nspring = sim->contact.nspring;
  sim->contact.nspring = 0;
}

const pki_law pki_law_compliant = {
    .name = "compliant",
    .doc = "springs and dampers to an anchor point, stick and slip (Gehring et al. "
           "2014, algorithm 1); explicit, needs small steps",
    .force = compliant_forces,
    .reads = PKI_SPRING_READS};

const pki_law pki_law_penalty = {
    .name = "penalty",
    .doc = "springs and dampers with Coulomb and viscous friction, the baseline of Ayit 2015; "
           "explicit, adds energy where it is stiff",
    .force = penalty_forces,
    .reads = PKI_SPRING_READS};
