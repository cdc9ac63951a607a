#include "step/impact.h"

#include <math.h>
#include <string.h>

#include "step/contact.h"

void pki_impact_groups(const pk_model *m, const int *up, int *root, int *dof_group)
{
  for (int k = 0; k < m->nplan; k++) {
    root[k] = up[k] >= 0 ? root[up[k]] : k; /* who is above comes before */
  }
  for (int u = 0; u < m->nu; u++) {
    dof_group[u] = root[m->plan_u[u]];
  }
  /* of a root, from now on: the first velocity below it */
  for (int u = m->nu - 1; u >= 0; u--) {
    root[dof_group[u]] = u;
  }
  for (int u = 0; u < m->nu; u++) {
    dof_group[u] = root[dof_group[u]];
  }
}

/* The group that group k is part of by now; the way there becomes shorter. */
static int find_group_root(int *into, int k)
{
  while (into[k] != k) {
    into[k] = into[into[k]];
    k = into[k];
  }
  return k;
}

/* The group of a velocity, of a body, of a contact. */
static int group_at(const pk_sim *sim, int u)
{
  return find_group_root(sim->contact.merged, sim->contact.dof_group[u]);
}

static int group_of_body(const pk_sim *sim, int body)
{
  return group_at(sim, sim->model->body_u[body]);
}

static pki_impact_group *group_of(const pk_sim *sim, const pki_contact *f)
{
  return &sim->contact.impacts[group_of_body(sim, f->body)];
}

/* An active contact makes one group of both bodies'. Active contacts stay so until the step's end, and so do the
 * groups. */
static void merge_contact_groups(pk_sim *sim, const pki_contact *f)
{
  pki_sim_contact *c = &sim->contact;
  const int a = group_of_body(sim, f->body), b = group_of_body(sim, f->other);
  const int to = a < b ? a : b, from = a < b ? b : a;
  c->merged[from] = to;
  c->impacts[to].strict |= c->impacts[from].strict;
  c->impacts[from].any &= from == to;
}

void pki_impact_begin(pk_sim *sim)
{
  memset(sim->contact.impacts, 0, (size_t)sim->model->nu * sizeof *sim->contact.impacts);
  for (int k = 0; k < sim->model->nu; k++) {
    sim->contact.merged[k] = k;
  }
  /* among constraints the energy that a group gains is not summed: it takes one coefficient at once */
  for (int k = 0; k < sim->model->nu && sim->model->nconstraint > 0; k++) {
    sim->contact.impacts[k].strict = true;
  }
}

/* What a contact brings into its group: friction makes the tangential coefficient matter. */
static void join_material(pki_impact_group *g, const pk_material *m, bool rubs)
{
  const double t = rubs ? m->restitution_t : m->restitution_n;
  g->n = g->any ? fmin(g->n, m->restitution_n) : m->restitution_n;
  g->t = g->any ? fmin(g->t, t) : t;
  g->least = fmin(g->any ? g->least : 1, fmin(m->restitution_n, t));
  g->most = fmax(g->any ? g->most : 0, fmax(m->restitution_n, t));
  g->any = true;
}

void pki_impact_choose(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  for (int i = 0; i < c->nfound; i++) {
    if (c->slot_of[i] >= 0 && c->found[i].other >= 0) {
      merge_contact_groups(sim, &c->found[i]);
    }
  }
  for (int i = 0; i < c->nfound; i++) {
    group_of(sim, &c->found[i])->any = false;
  }
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    if (c->slot_of[i] >= 0 && f->gap <= pki_touching(sim)) {
      join_material(group_of(sim, f), pki_contact_material(&sim->scene, f), pki_contact_friction(sim, f) > 0);
    }
  }
}

void pki_impact_eps(const pk_sim *sim, int i, double eps[3])
{
  const pki_contact *f = &sim->contact.found[i];
  const pki_impact_group *g = group_of(sim, f);
  if (sim->options.impact == PK_IMPACT_LAW_NEWTON) {
    const pk_material *m = pki_contact_material(&sim->scene, f);
    eps[0] = f->gap > 0 ? 0 : m->restitution_n;
    eps[1] = eps[2] = m->restitution_t;
  } else {
    /* open contacts that stop at the ground follow the group; alone they come to rest */
    eps[0] = !g->any ? 0 : g->strict ? g->least : g->n;
    eps[1] = eps[2] = !g->any ? 0 : g->strict ? g->least : g->t;
  }
}

/* r' J u_E, r' J u_S of the contacts and |du|_M^2, group by group. */
static void sum_groups(pk_sim *sim, const pki_group *f)
{
  pki_sim_contact *c = &sim->contact;
  const pki_assembly *a = &c->assembly;
  const pki_work *w = &sim->workspace->work;
  const int nu = sim->model->nu;
  double *const impulse = f->move;
  for (int k = 0; k < nu; k++) {
    c->impacts[k].end = c->impacts[k].start = c->impacts[k].change = 0;
  }
  for (int row = 0; row < 3 * a->problem.ncontact; row++) {
    pki_impact_group *g = group_of(sim, &c->found[c->row_found[row / 3]]);
    g->end += a->r[row] * pki_assembly_velocity(a, row, f->u_end);
    g->start += a->r[row] * pki_assembly_velocity(a, row, f->u);
  }
  pki_assembly_forces(a, a->r, impulse);
  for (int k = 0; k < nu; k++) {
    /* M du = M~ du - (M~ - M) du, and M~ du = drive + J' r */
    const double du = f->u_end[k] - f->u[k], added = w->diag[k] - w->params.armature[k];
    c->impacts[group_at(sim, k)].change += du * (f->drive[k] + impulse[k] - added * du);
  }
}

static double excess_energy(const pki_impact_group *g, double e)
{
  return (g->end + e * g->start - 0.5 * (1 - e) * g->change) / (1 + e);
}

bool pki_impact_gains(pk_sim *sim, const pki_group *f, pk_step_info *info)
{
  static const double nothing = 1e-6; /* of the energy that the impulses exchange: what a solver leaves */
  pki_sim_contact *c = &sim->contact;
  bool mixed = false, again = false;
  info->impact_gain = 0;
  for (int k = 0; k < sim->model->nu; k++) {
    mixed |= c->impacts[k].any && c->impacts[k].most > c->impacts[k].least && !c->impacts[k].strict;
  }
  if (!mixed) {
    return false;
  }
  sum_groups(sim, f);
  for (int k = 0; k < sim->model->nu; k++) {
    pki_impact_group *g = &c->impacts[k];
    const double gain = g->any ? fmin(excess_energy(g, g->least), excess_energy(g, g->most)) : 0;
    const bool gains = gain > nothing * (fabs(g->end) + fabs(g->start) + g->change) && !g->strict;
    const bool newton = sim->options.impact == PK_IMPACT_LAW_NEWTON;
    info->impact_gain += gains && newton ? gain : 0;
    again |= gains && !newton;
    g->strict |= gains && !newton;
  }
  return again;
}
