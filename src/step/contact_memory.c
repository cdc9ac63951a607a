/* What a sim holds for contact: its memory, and going back after a step that failed. */
#include <math.h>
#include <string.h>

#include "contact/islands.h"
#include "contact/solver.h"
#include "step/contact.h"
#include "step/exact.h"
#include "step/impact.h"

pk_solver_options pki_step_solver(const pk_sim_options *o)
{
  return (pk_solver_options){.solver = o->solver,
                             .tolerance = o->tolerance,
                             .max_iterations = o->max_iterations,
                             .alpha = o->alpha,
                             .stop = o->stop,
                             .change_rel = o->change_rel,
                             .change_abs = o->change_abs};
}

pk_contact_problem pki_largest_problem(const pk_model *model, const pk_sim_options *o)
{
  const pk_model *of = pki_joint_model(model);
  int joint_rows = of->nu;
  for (int k = 0; k < of->nu; k++) {
    joint_rows += o->joint_limits ? (isfinite(of->dof_lower[k]) != 0) + (isfinite(of->dof_upper[k]) != 0) : 0;
    joint_rows += o->joint_friction && of->dof_friction[k] > 0;
  }
  return (pk_contact_problem){.ncontact = o->max_contacts,
                              .nbilateral = o->bilateral == PK_BILATERAL_PROX ? model->nbilateral : 0,
                              .nbox = joint_rows};
}

/* Scratch for problems up to this shape: with W, up to PKI_DENSE_ROWS rows, and in velocities. */
static size_t solver_room(const pk_contact_problem *shape, pk_solver_options o)
{
  enum { PADDING = 4096 }; /* rows of other kinds, other paddings */
  const int rows = pk_contact_size(shape), dense = pki_dense_rows(shape);
  const int contacts = shape->ncontact < dense / 3 ? shape->ncontact : dense / 3;
  const pk_contact_problem small[2] = {
      {.ncontact = contacts, .nbox = dense - 3 * contacts, .factor = shape->factor},
      {.nbox = dense, .factor = shape->factor}};
  size_t most = pk_contact_solve_memsize(&small[0], &o), size = pk_contact_solve_memsize(&small[1], &o);
  most = size > most ? size : most;
  o.solver = rows > dense ? pki_solver_for(o.solver, shape) : o.solver;
  size = rows > dense ? pk_contact_solve_memsize(shape, &o) : 0;
  return (size > most ? size : most) + PADDING;
}

double pki_allowed_penetration(const pk_sim_options *options)
{
  static const double floor = 1e-3;
  return fmax(PKI_PENETRATION, floor * options->tolerance);
}

void pki_sim_contact_carve(pki_sim_contact *c, const pk_model *model, const pk_sim_options *options,
                           pki_arena *arena)
{
  const size_t nu = (size_t)model->nu, contacts = (size_t)options->max_contacts;
  const size_t joints = (size_t)pki_joint_model(model)->nu;
  pk_contact_problem shape = pki_largest_problem(model, options);
  const int rows = pk_contact_size(&shape);
  pk_solver_options o = pki_step_solver(options), projection = o;
  projection.solver = PK_SOLVER_AUTO; /* of positions, where a solver needs the factor */
  *c = (pki_sim_contact){.nmaterial = 0};
  c->materials = pki_arena_take(arena, PKI_MATERIAL_MAX, sizeof *c->materials);
  c->surfaces = pki_arena_take(arena, (size_t)model->nshape, sizeof *c->surfaces);
  c->pairs = pki_arena_take(arena, PKI_PAIR_MAX, sizeof *c->pairs);
  pki_colliders_carve(&c->colliders, model, options->max_contacts, arena);
  c->found = pki_arena_take(arena, contacts, sizeof *c->found);
  c->last = pki_arena_take(arena, contacts, sizeof *c->last);
  c->speed = pki_arena_take(arena, contacts, sizeof *c->speed);
  c->slot_of = pki_arena_take(arena, contacts, sizeof *c->slot_of);
  c->row_found = pki_arena_take(arena, contacts, sizeof *c->row_found);
  c->last_r = pki_arena_take(arena, 3 * contacts, sizeof *c->last_r);
  c->last_sticks = pki_arena_take(arena, contacts, sizeof *c->last_sticks);
  c->last_joint = pki_arena_take(arena, PKI_JOINT_ROWS * joints, sizeof *c->last_joint);
  c->last_bilateral = pki_arena_take(arena, (size_t)model->nbilateral, sizeof *c->last_bilateral);
  c->row_slot = pki_arena_take(arena, (size_t)rows, sizeof *c->row_slot);
  c->limited = pki_arena_take(arena, joints, sizeof *c->limited);
  c->dof_group = pki_arena_take(arena, nu, sizeof *c->dof_group);
  c->merged = pki_arena_take(arena, nu, sizeof *c->merged);
  c->impacts = pki_arena_take(arena, nu, sizeof *c->impacts);
  c->springs = pki_arena_take(arena, contacts, sizeof *c->springs);
  c->springs_next = pki_arena_take(arena, contacts, sizeof *c->springs_next);
  c->swept = pki_arena_take(arena, contacts, sizeof *c->swept);
  pki_assembly_carve(&c->assembly, model, options->max_contacts, rows, arena);
  const pk_contact_factor factor = {.n = model->nplan, .stride = c->assembly.depth};
  const pk_contact_problem single = {.nbox = rows, .factor = &factor}; /* of positions: row by row */
  shape.factor = &factor;
  const size_t velocities = solver_room(&shape, o), positions = solver_room(&single, projection);
  c->solver_memory = pki_arena_take(arena, velocities > positions ? velocities : positions, 1);
  pki_exact_carve(&c->exact, options, model->nu, rows, options->max_contacts, arena);
  c->kept.last = pki_arena_take(arena, contacts, sizeof *c->last);
  c->kept.last_r = pki_arena_take(arena, 3 * contacts, sizeof *c->last_r);
  c->kept.last_sticks = pki_arena_take(arena, contacts, sizeof *c->last_sticks);
  c->kept.last_joint = pki_arena_take(arena, PKI_JOINT_ROWS * joints, sizeof *c->last_joint);
  c->kept.last_bilateral = pki_arena_take(arena, (size_t)model->nbilateral, sizeof *c->last_bilateral);
  c->kept.limited = pki_arena_take(arena, joints, sizeof *c->limited);
  c->has_joint_rows = shape.nbox > (int)joints; /* more than commands */
  c->body_material = pk_material_default();
  c->friction = 1;
  if (arena->base != NULL && !arena->overflow) {
    memset(c->surfaces, 0, (size_t)model->nshape * sizeof *c->surfaces);
    pki_impact_groups(model, c->assembly.up, c->assembly.path, c->dof_group);
    pki_sim_contact_reset(c, model);
  }
}

void pki_sim_contact_reset(pki_sim_contact *c, const pk_model *model)
{
  const size_t joints = (size_t)pki_joint_model(model)->nu;
  c->nlast = c->nspring = c->nspring_next = 0;
  pki_colliders_forget(&c->colliders);
  memset(c->last_joint, 0, PKI_JOINT_ROWS * joints * sizeof *c->last_joint);
  memset(c->last_bilateral, 0, (size_t)model->nbilateral * sizeof *c->last_bilateral);
  memset(c->limited, 0, joints * sizeof *c->limited);
}

void pki_sim_contact_plain(pki_sim_contact *c, int joints)
{
  memset(c->last_joint, 0, PKI_JOINT_ROWS * (size_t)joints * sizeof *c->last_joint);
  memset(c->limited, 0, (size_t)joints * sizeof *c->limited);
}

/* The arrays of the last step beside their copies. */
static void copy_last(pki_sim_contact *c, const pk_model *model, bool back)
{
  const size_t joints = (size_t)pki_joint_model(model)->nu;
  const size_t n = (size_t)(back ? c->kept.nlast : c->nlast);
  const struct {
    void *now, *kept;
    size_t size;
  } parts[] = {
      {c->last, c->kept.last, n * sizeof *c->last},
      {c->last_r, c->kept.last_r, 3 * n * sizeof *c->last_r},
      {c->last_sticks, c->kept.last_sticks, n * sizeof *c->last_sticks},
      {c->last_joint, c->kept.last_joint, PKI_JOINT_ROWS * joints * sizeof *c->last_joint},
      {c->last_bilateral, c->kept.last_bilateral, (size_t)model->nbilateral * sizeof *c->last_bilateral},
      {c->limited, c->kept.limited, joints * sizeof *c->limited},
  };
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    memcpy(back ? parts[i].now : parts[i].kept, back ? parts[i].kept : parts[i].now, parts[i].size);
  }
  c->nlast = c->kept.nlast = (int)n;
}

void pki_sim_contact_keep(pki_sim_contact *c, const pk_model *model)
{
  copy_last(c, model, false);
  pki_colliders_keep(&c->colliders);
}

void pki_sim_contact_restore(pki_sim_contact *c, const pk_model *model)
{
  copy_last(c, model, true);
  pki_colliders_restore(&c->colliders);
}
