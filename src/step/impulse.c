#include "step/impulse.h"

#include <math.h>
#include <string.h>

#include "contact/problem/problem.h"
#include "contact/problem/strike.h"
#include "step/contact.h"
#include "step/lcp_pyramid.h"
#include "step/resting.h"

/* The assembled rows, and the velocities u = W r + q of all of them. */
typedef struct train {
  pki_assembly *a;
  double *u; /* [rows] */
  int rows, struck;
} train;

static train train_of(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  train t = {.a = &c->assembly, .u = c->lcp_pyramid.w};
  t.rows = pk_contact_size(&t.a->problem);
  pk_contact_velocity(&t.a->problem, t.a->r, t.u);
  return t;
}

/* One more impulse in a row. */
static void add_impulse(train *t, int row, double impulse)
{
  t->a->r[row] += impulse;
  for (int i = 0; i < t->rows; i++) {
    t->u[i] += t->a->W[(size_t)i * (size_t)t->rows + (size_t)row] * impulse;
  }
}

/* The contact that approaches fastest; -1: none is faster than `slow`. */
static int fastest_contact(const train *t, double slow)
{
  int fastest = -1;
  double most = -slow;
  for (int i = 0; i < t->a->problem.ncontact; i++) {
    if (t->u[3 * i] < most) {
      most = t->u[3 * i];
      fastest = i;
    }
  }
  return fastest;
}

static void strike_contact(train *t, int contact, double e)
{
  double K[9], v[3], p[3];
  memcpy(v, t->u + 3 * contact, sizeof v);
  pki_block(&t->a->problem, contact, K);
  pki_strike(K, v, t->a->mu[contact], e, p);
  for (int d = 0; d < 3; d++) {
    add_impulse(t, 3 * contact + d, p[d]);
  }
  t->struck++;
}

/* ---- colliding ---- */

/* Rows of the closed contacts at the velocities u. */
static void assemble_closed(pk_sim *sim, const double *u)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  pki_assembly_clear(a);
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    if (f->gap > pki_touching(sim)) {
      continue;
    }
    double second[3];
    const int contact = a->problem.ncontact;
    const pki_ends ends = pki_contact_ends(f, second);
    pki_assembly_add_contact(a, sim->workspace, &ends, f->normal, f->tangent1, f->tangent2,
                             pki_contact_friction(sim, f));
    c->row_found[contact] = i;
    pki_assembly_contact_velocity(a, contact, u, a->q + 3 * contact);
    memset(a->r + 3 * contact, 0, 3 * sizeof *a->r);
  }
  a->form = PKI_FORM_DENSE;
  pki_assembly_finish(a, sim->workspace);
}

static bool any_collides(const pk_sim *sim)
{
  const pki_sim_contact *c = &sim->contact;
  bool any = false;
  for (int i = 0; i < c->nfound && !any; i++) {
    any = c->found[i].gap <= pki_touching(sim) && c->speed[i] < -pki_bounce_speed(sim);
  }
  return any;
}

/* The first train. One that has no end within max_iterations leaves the rest to the second. */
static bool impulse_collide(pk_sim *sim, double *u, pk_step_info *info, bool *any)
{
  pki_sim_contact *c = &sim->contact;
  pki_lcp_pyramid *e = &c->lcp_pyramid;
  memset(e->hit, 0, 3 * (size_t)c->nfound * sizeof *e->hit);
  e->struck = info->collisions = 0;
  *any = any_collides(sim);
  if (!*any) {
    return true;
  }
  assemble_closed(sim, u);
  train t = train_of(sim);
  const double slow = pki_bounce_speed(sim);
  for (int i; t.struck < sim->options.max_iterations && (i = fastest_contact(&t, slow)) >= 0;) {
    strike_contact(&t, i, pki_contact_material(&sim->scene, &c->found[c->row_found[i]])->restitution_n);
  }
  for (int row = 0; row < t.rows; row++) {
    e->hit[3 * c->row_found[row / 3] + row % 3] = t.a->r[row];
  }
  pki_assembly_response(t.a, sim->workspace, t.a->r, e->jump);
  for (int k = 0; k < sim->model->nu; k++) {
    u[k] += e->jump[k];
  }
  e->struck = info->collisions = t.struck;
  return true;
}

/* ---- resting ---- */

/* Restitution is that of collisions. */
static void impulse_shift(pk_sim *sim, int contact, const double *u, const double *u_free)
{
  pki_assembly *a = &sim->contact.assembly;
  const pki_group_plan *plan = &sim->single.chains;
  const pki_contact *f = &sim->contact.found[sim->contact.row_found[contact]];
  (void)u;
  pki_assembly_contact_velocity(a, contact, u_free, a->q + 3 * contact);
  a->q[3 * contact] += plan->published ? 0 : fmax(f->gap, 0) / plan->reach;
}

/* One step of projected Gauss-Seidel over the rows that are no contacts; how far, as a velocity, the worst was from its law. */
static double relax_joint_rows(train *t)
{
  const pk_contact_problem *p = &t->a->problem;
  double most = 0;
  for (int row = 3 * p->ncontact; row < t->rows; row++) {
    const double w = t->a->W[(size_t)row * ((size_t)t->rows + 1)], r = t->a->r[row];
    const double change = pki_clamp_box(p, row, r - t->u[row] / w) - r;
    most = fmax(most, fabs(change) * w);
    add_impulse(t, row, change);
  }
  return most;
}

/* The second train. */
static void impulse_solve(pk_sim *sim, pk_step_info *info)
{
  pki_assembly *a = &sim->contact.assembly;
  const pk_sim_options *o = &sim->options;
  const double slow = o->tolerance * pki_contact_scale(&a->problem);
  memset(a->r, 0, 3 * (size_t)a->problem.ncontact * sizeof *a->r);
  train t = train_of(sim);
  for (int i = 0; i < o->max_iterations; i++) {
    const double astray = relax_joint_rows(&t);
    const int contact = fastest_contact(&t, slow);
    info->solver_iterations++;
    if (contact >= 0) {
      strike_contact(&t, contact, 0);
    } else if (astray <= slow) {
      break;
    }
  }
  pk_contact_velocity(&a->problem, a->r, t.u);
  const pk_contact_certificate found = pki_certify_velocity(&a->problem, NULL, a->r, t.u);
  info->collisions = sim->contact.lcp_pyramid.struck + t.struck;
  info->solver = PK_SOLVER_AUTO;
  info->certified &= found.relative <= o->tolerance;
  info->certificate = found.relative >= info->certificate.relative ? found : info->certificate;
}

const pki_law pki_law_impulse = {
    .name = "impulse",
    .doc = "every contact a train of collisions, one after the other, each with its own impulse and Coulomb "
           "friction (Mirtich 1996)",
    .collide = impulse_collide,
    .shift = impulse_shift,
    .solve = impulse_solve,
    .finish = pki_add_hits,
    .reads = "restitution_n landing_friction margin swept",
    .room = pki_dense_room};
