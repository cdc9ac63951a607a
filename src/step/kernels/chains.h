/* Rows on chains (step/chain_rows.h), as a row store: one world, whatever it has. Assembly, solvers and the laws of contact are plain
 * code of the world; here they meet the stages. */
#ifndef PKI_STEP_CHAINS_H
#define PKI_STEP_CHAINS_H

#include "step/impact.h"
#include "step/kernels/rounds.h"

/* Impulses of the last step are recalled with the rows. */
static void pki_chains_recall(pki_lanes *f)
{
  (void)f;
}

/* Where nothing can be a row there is a way in linear time, without the factor of M~. */
static void pki_chains_free_velocity(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  if (!f->needs_factor && pki_chain_smooth_velocity(g->world, g, q)) {
    pki_lap_lanes(g, PK_STEP_PART_DYNAMICS);
    return;
  }
  g->dynamics->inertial(g->work, q, g->u, g->h);
  if (!pki_is_cut(f)) {
    pki_sum_forces(f);
  }
  pki_chain_free_velocity(g->world, g);
}

static void pki_chains_find_contacts(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  pki_fail_step(f, pki_chain_find(g->world, g, q, g->info));
  f->nfound[0] = g->world->contact.nfound;
}

/* Contacts that are left open by little join those that must, but make no round of their own. */
static pk_i pki_chains_join_contacts(pki_lanes *f, const double *x, bool first)
{
  static const pki_joining waiting = {.must = false, .joins = false};
  int *const slot_of = f->g->slot_of[0];
  const int landing = first ? -1 : pki_next_landing(f, 0);
  bool more = false;
  (void)x;
  for (int i = 0; i < f->nfound[0]; i++) {
    if (slot_of[i] < 0) {
      const pki_lane_world *s = &f->lane_worlds[0];
      const int last = first ? pki_contact_search(s->last, *s->nlast, &f->g->found[0][i]) : -1;
      const bool pushed = pki_is_still_loaded(f, 0, i, last);
      const bool waits = !f->p->law->joins_closed &&
                         (pki_chain_waits(f->g->world, i) || (i != landing && pki_lands(f, 0, i)));
      const pki_joining by = waits ? waiting : pki_contact_joins(f, 0, i);
      slot_of[i] = pushed || by.joins ? 0 : -1;
      more |= pushed || by.must;
    }
  }
  return more ? pki_mask_all() : pki_mask_none();
}

/* Masks of the active set say enough. */
static void pki_chains_add_joint_rows(pki_lanes *f, pk_i lanes, int kind, int k, const pk_r *guess)
{
  (void)f, (void)lanes, (void)kind, (void)k, (void)guess;
}

static pk_i pki_chains_with_rows(const pki_lanes *f)
{
  return pki_chain_has_rows(f->g->world, f->g) ? pki_mask_all() : pki_mask_none();
}

/* Where velocities were found without the factor of M~ it is made now. */
static void pki_chains_assemble(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  if (!g->world->contact.factored) {
    f->needs_factor = true;
    pki_free_velocity(f, q);
    pki_place_rows(f);
  }
  pki_chain_assemble(g->world, g);
}

/* All rows are assembled in every round. */
static void pki_chains_invalidate(pki_lanes *f, pk_i lanes)
{
  (void)f, (void)lanes;
}

static void pki_chains_solve(pki_lanes *f, pk_i open)
{
  (void)open;
  pki_chain_solve(f->g->world, f->g->info);
  f->solved = true;
}

static void pki_chains_respond(pki_lanes *f)
{
  if (f->solved) {
    pki_chain_respond(f->g->world, f->g);
  } else {
    pki_end_at_free_velocity(f);
    pki_chain_correct(f->g->world, f->g->u_end);
  }
}

static bool pki_chains_press(pki_lanes *f)
{
  return pki_chain_press(f->g->world, f->g, f->g->info);
}

/* All rows are assembled in every round, at the configuration of the work. */
static void pki_chains_take_rows(pki_lanes *f, pk_i open)
{
  (void)open;
  pki_chain_forget_certificate(f->g->info);
}

static void pki_chains_restart(pki_lanes *f)
{
  f->solved = false;
  pki_chain_forget_certificate(f->g->info);
}

static pki_load pki_chains_load(const pki_lanes *f, int lane, int e)
{
  (void)lane;
  pki_load load = {.gap = INFINITY};
  if (f->solved && e >= PKI_BALLS) {
    pki_chain_load(f->g->world, e - PKI_BALLS, &load.gap, &load.mu, load.r);
  }
  return load;
}

/* Laws that collide before all else have no impacts among their rows. */
static bool pki_chains_impacts_gain(pki_lanes *f)
{
  return f->p->law->collide == NULL && f->solved && pki_impact_gains(f->g->world, f->g, f->g->info);
}

static void pki_chains_finish(pki_lanes *f, pk_i open)
{
  pk_sim *const world = f->g->world;
  f->unsettled = pki_any(open);
  if (!f->solved) {
    pki_chain_keep_nothing(world);
  }
  pki_chain_finish(world, f->g, f->g->info);
}

static void pki_chains_find_at_end(pki_lanes *f, pk_r margin, pk_i mask, double shallow)
{
  pk_sim *const world = f->g->world;
  (void)mask, (void)shallow;
  pki_fail_step(f, pki_chain_find_at_end(world, margin, &f->sunk, f->g->info));
  f->nend[0] = world->contact.nfound;
}

static void pki_chains_project(pki_lanes *f, pk_i deep, pk_r depth, pk_r band)
{
  pki_group *g = f->g;
  (void)deep, (void)depth;
  pki_chain_project(g->world, g, band, g->q_end, g->info);
}

/* Contacts, impulses of rows and pairs of shapes are the world's own already. */
static bool pki_chains_keep(pki_lanes *f, int lane)
{
  pki_keep_pins(f, lane);
  *f->lane_worlds[lane].plain = false;
  return true;
}

static const pki_row_store pki_chains = {.recall = pki_chains_recall,
                                         .free_velocity = pki_chains_free_velocity,
                                         .find_contacts = pki_chains_find_contacts,
                                         .join_contacts = pki_chains_join_contacts,
                                         .add_joint_rows = pki_chains_add_joint_rows,
                                         .with_rows = pki_chains_with_rows,
                                         .assemble = pki_chains_assemble,
                                         .invalidate = pki_chains_invalidate,
                                         .solve = pki_chains_solve,
                                         .respond = pki_chains_respond,
                                         .press = pki_chains_press,
                                         .take_rows = pki_chains_take_rows,
                                         .restart = pki_chains_restart,
                                         .load = pki_chains_load,
                                         .impacts_gain = pki_chains_impacts_gain,
                                         .finish = pki_chains_finish,
                                         .find_at_end = pki_chains_find_at_end,
                                         .project = pki_chains_project,
                                         .keep = pki_chains_keep};

#endif
