/* What a sim holds for contact: sizes and memory. */
#include <math.h>
#include <string.h>

#include "contact/problem/islands.h"
#include "contact/solvers/solver.h"
#include "step/contact.h"
#include "step/impact.h"
#include "step/lcp_pyramid.h"

pk_solver_options pki_step_solver(const pk_sim_options *o)
{
  return (pk_solver_options){.solver = o->solver,
                             .tolerance = o->tolerance,
                             .max_iterations = o->max_iterations,
                             .alpha = o->alpha,
                             .stop = o->stop,
                             .change_rel = o->change_rel,
                             .change_abs = o->change_abs,
                             .succession = o->succession,
                             .bilateral_direct = o->bilateral == PK_BILATERAL_METHOD_SWEEP};
}

pk_contact_problem pki_largest_problem(const pk_model *model, const pk_sim_options *o)
{
  const pk_model *of = pki_joint_model(model);
  int joint_rows = of->nu;
  for (int k = 0; k < of->nu; k++) {
    joint_rows += o->joint_limits ? (isfinite(of->dof_lower[k]) != 0) + (isfinite(of->dof_upper[k]) != 0) : 0;
    joint_rows +=
        o->joint_friction && (of->dof_friction[k] > 0 || (o->actuation != NULL && o->actuation->dry));
  }
  return (pk_contact_problem){.ncontact = o->max_contacts,
                              .nbilateral =
                                  o->bilateral != PK_BILATERAL_METHOD_DIRECT ? model->nbilateral : 0,
                              .nbox = joint_rows};
}

/* Scratch for problems up to this shape: with W, up to PKI_DENSE_ROWS rows, and in velocities. */
static size_t solver_room(const pk_contact_problem *shape, pk_solver_options o)
{
  enum { PADDING = 4096 }; /* rows of other kinds, other paddings */
  const int rows = pk_contact_size(shape), dense = pki_dense_rows(shape);
  const int contacts = shape->ncontact < dense / 3 ? shape->ncontact : dense / 3;
  const int held = shape->nbilateral < dense ? shape->nbilateral : dense;
  const pk_contact_problem small[] = {
      {.ncontact = contacts, .nbox = dense - 3 * contacts, .factor = shape->factor},
      {.nbox = dense, .factor = shape->factor},
      {.nbilateral = held, .nbox = dense - held, .factor = shape->factor}};
  size_t most = 0, size = 0;
  for (size_t k = 0; k < sizeof small / sizeof small[0]; k++) {
    size = pk_contact_solve_memsize(&small[k], &o);
    most = size > most ? size : most;
  }
  o.solver = rows > dense ? pki_solver_for(o.solver, shape) : o.solver;
  size = rows > dense ? pk_contact_solve_memsize(shape, &o) : 0;
  return (size > most ? size : most) + PADDING;
}

double pki_allowed_penetration(const pk_sim *sim)
{
  return fmax(PKI_PENETRATION, PKI_SPEED_FLOOR * sim->options.tolerance) * sim->scene.length;
}

void pki_sim_contact_carve(pki_sim_contact *c, const pk_model *model, const pk_sim_options *options,
                           pki_arena *arena)
{
  const size_t nu = (size_t)model->nu, contacts = (size_t)options->max_contacts;
  pk_contact_problem shape = pki_largest_problem(model, options);
  const int rows = pk_contact_size(&shape);
  pk_solver_options o = pki_step_solver(options), projection = o;
  projection.solver = PK_SOLVER_AUTO; /* of positions, where a solver needs the factor */
  *c = (pki_sim_contact){.nfound = 0};
  c->found = pki_arena_take(arena, contacts, sizeof *c->found);
  c->followed =
      pki_arena_take(arena, options->relinearise > 0 ? PKI_BALLS + contacts : 0, sizeof *c->followed);
  c->speed = pki_arena_take(arena, contacts, sizeof *c->speed);
  c->slot_of = pki_arena_take(arena, contacts, sizeof *c->slot_of);
  c->row_found = pki_arena_take(arena, contacts, sizeof *c->row_found);
  c->row_slot = pki_arena_take(arena, (size_t)rows, sizeof *c->row_slot);
  c->dof_group = pki_arena_take(arena, nu, sizeof *c->dof_group);
  c->merged = pki_arena_take(arena, nu, sizeof *c->merged);
  c->impacts = pki_arena_take(arena, nu, sizeof *c->impacts);
  c->springs =
      pki_arena_take(arena, pki_laws[options->law]->force != NULL ? contacts : 0, sizeof *c->springs);
  c->swept = pki_arena_take(arena, contacts, sizeof *c->swept);
  pki_assembly_carve(&c->assembly, model, options->max_contacts, rows, arena);
  const pk_contact_factor factor = {.n = model->nplan, .stride = c->assembly.depth};
  const pk_contact_problem single = {.nbox = rows, .factor = &factor}; /* of positions: row by row */
  shape.factor = &factor;
  const size_t velocities = solver_room(&shape, o), positions = solver_room(&single, projection);
  c->solver_memory = pki_arena_take(arena, velocities > positions ? velocities : positions, 1);
  pki_lcp_pyramid_carve(&c->lcp_pyramid, options, model->nu, rows, options->max_contacts, arena);
  if (arena->base != NULL && !arena->overflow) {
    pki_impact_groups(model, c->assembly.up, c->assembly.path, c->dof_group);
  }
}
