/* The ground, and what surfaces do on it and to each other. */
#include <stdio.h>
#include <string.h>

#include "collision/ground/terrain.h"
#include "sim/memory.h"
#include "sim/reads.h"
#include "step/contact.h"
#include "step/soft.h"

const pk_field pki_material_fields[] = {
    {"friction", offsetof(pk_material, friction), PK_FIELD_REAL, "", 0.8, 0, 1e6, NULL,
     "Coulomb's coefficient"},
    {"restitution_n", offsetof(pk_material, restitution_n), PK_FIELD_REAL, "", 0, 0, 1, NULL,
     "Newton's coefficient, normal"},
    {"restitution_t", offsetof(pk_material, restitution_t), PK_FIELD_REAL, "", 0, 0, 1, NULL,
     "Newton's coefficient, tangential"},
    {"viscous", offsetof(pk_material, viscous), PK_FIELD_REAL, "N s/m", 0, 0, 1e12, NULL,
     "friction that grows with the slip (laws compliant, penalty, penalty-integral and lcp-pyramid)"},
};
const int pki_material_field_count = sizeof pki_material_fields / sizeof pki_material_fields[0];

pk_material pk_material_default(void)
{
  pk_material material;
  pki_fields_default(pki_material_fields, pki_material_field_count, &material, sizeof material);
  return material;
}

pk_status pk_material_validate(const pk_material *material, pk_error *err)
{
  return pki_fields_validate(pki_material_fields, pki_material_field_count, material, err);
}

/* Its numbers are in their ranges, and the world reads them. */
static pk_status check_material(const pk_sim *sim, const pk_material *material, pk_error *err)
{
  const pk_status status = pk_material_validate(material, err);
  return status == PK_OK ? pki_check_material_read(&sim->options, material, err) : status;
}

/* All materials of a terrain; the message counts them. */
static pk_status check_materials(const pk_sim *sim, const pk_terrain *terrain, const pk_material *materials,
                                 int count, pk_error *err)
{
  const pki_where where = {.field = "materials"};
  if (count < 1 || count > PKI_MATERIAL_MAX) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "there are %d materials, expected 1 to %d", count,
                    PKI_MATERIAL_MAX);
  }
  for (int i = 0; i < count; i++) {
    pk_error why = {.message = ""};
    const pk_status status = check_material(sim, &materials[i], &why);
    if (status != PK_OK) {
      const char *field = status == PK_ERROR_UNSUPPORTED ? why.field : where.field;
      return pki_fail(err, status, (pki_where){.field = field}, "material %d: %.400s", i, why.message);
    }
  }
  const int needed = terrain ? pki_terrain_materials(terrain) : 0;
  if (needed > count) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the terrain refers to material %d, but there are %d (counted from 0)", needed - 1,
                    count);
  }
  return PK_OK;
}

/* "compliant", "penalty": the laws whose contacts are forces. */
static void name_spring_laws(char *out, size_t size)
{
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; pki_laws[i] != NULL && used < size; i++) {
    if (pki_laws[i]->force != NULL) {
      used += (size_t)snprintf(out + used, size - used, "%s\"%s\"", used > 0 ? ", " : "", pki_laws[i]->name);
    }
  }
}

pk_status pk_sim_set_terrain(pk_sim *sim, const pk_terrain *terrain, const pk_material *materials, int count,
                             pk_error *err)
{
  const pk_material usual = pk_material_default();
  const pki_stepper *stepper = pki_steppers[sim->options.stepper];
  const pki_law *law = pki_laws[sim->options.law];
  if (terrain != NULL && !stepper->contact && law->force == NULL && sim->scene.soft == NULL) {
    char springs[160];
    name_spring_laws(springs, sizeof springs);
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "stepper"},
                    "the stepper \"%s\" knows no contact of the law \"%s\": use \"moreau\" or \"euler\", a "
                    "law of springs (%s), or set compliances first",
                    stepper->name, law->name, springs);
  }
  if (materials != NULL) {
    const pk_status status = check_materials(sim, terrain, materials, count, err);
    if (status != PK_OK) {
      return status;
    }
  } else {
    materials = &usual, count = 1;
  }
  const pk_status status = pki_colliders_set_ground(&sim->scene.colliders, terrain, err);
  if (status != PK_OK) {
    return status;
  }
  sim->scene.terrain = terrain;
  memcpy(sim->scene.materials, materials, (size_t)count * sizeof *materials);
  sim->scene.nmaterial = count;
  pki_memory_forget_impulses(sim);
  sim->single.stale = true;
  return pki_soft_plan(sim, err);
}

static pk_status check_index(int value, int count, const char *what, pk_error *err)
{
  if (value >= 0 && value < count) {
    return PK_OK;
  }
  return count > 0 ? pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = what},
                              "%s is %d, expected 0 to %d", what, value, count - 1)
                   : pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = what},
                              "%s is %d, but there are none", what, value);
}

pk_status pk_sim_set_surface(pk_sim *sim, int shape, int surface, pk_error *err)
{
  pk_status status = check_index(shape, sim->model->nshape, "shape", err);
  if (status == PK_OK) {
    status = check_index(surface, PKI_SURFACE_MAX, "surface", err);
  }
  if (status == PK_OK && sim->model->shapes[shape].visual) {
    status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "shape"},
                      "shape %d of the link \"%s\" is there to look at, expected one that collides", shape,
                      sim->model->links[sim->model->shapes[shape].link].name);
  }
  if (status == PK_OK) {
    sim->scene.surfaces[shape] = surface;
    sim->single.stale = true;
    status = pki_soft_plan(sim, err);
  }
  return status;
}

pk_status pk_sim_set_body_material(pk_sim *sim, const pk_material *material, pk_error *err)
{
  const pk_status status = check_material(sim, material, err);
  if (status == PK_OK) {
    sim->scene.body_material = *material;
    sim->single.stale = true;
  }
  return status;
}

static pk_status set_pair(pk_sim *sim, int surface, int material, int with, const pk_material *law,
                          pk_error *err)
{
  pki_scene *c = &sim->scene;
  const pk_status status = check_material(sim, law, err);
  if (status != PK_OK) {
    return status;
  }
  const int at = pki_find_pair(c, surface, material, with);
  if (at == PKI_PAIR_MAX) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "pair"},
                    "there are %d pairs of surfaces and materials already, which is the most", PKI_PAIR_MAX);
  }
  c->npair += at == c->npair;
  c->pairs[at] = (pki_surface_pair){.surface = surface, .material = material, .with = with, .law = *law};
  return PK_OK;
}

pk_status pk_sim_set_pair(pk_sim *sim, int surface, int material, const pk_material *pair, pk_error *err)
{
  pk_status status = check_index(surface, PKI_SURFACE_MAX, "surface", err);
  if (status == PK_OK) {
    status = check_index(material, PKI_MATERIAL_MAX, "material", err);
  }
  sim->single.stale = true;
  return status == PK_OK ? set_pair(sim, surface, material, -1, pair, err) : status;
}

pk_status pk_sim_set_surface_pair(pk_sim *sim, int surface_a, int surface_b, const pk_material *pair,
                                  pk_error *err)
{
  pk_status status = check_index(surface_a, PKI_SURFACE_MAX, "surface_a", err);
  if (status == PK_OK) {
    status = check_index(surface_b, PKI_SURFACE_MAX, "surface_b", err);
  }
  const int least = surface_a < surface_b ? surface_a : surface_b;
  sim->single.stale = true;
  return status == PK_OK ? set_pair(sim, least, -1, surface_a < surface_b ? surface_b : surface_a, pair, err)
                         : status;
}

void pki_scene_carve(pki_scene *c, const pk_model *model, const pk_sim_options *options, pki_arena *arena)
{
  *c = (pki_scene){.body_material = pk_material_default()};
  c->materials = pki_arena_take(arena, PKI_MATERIAL_MAX, sizeof *c->materials);
  c->surfaces = pki_arena_take(arena, (size_t)model->nshape, sizeof *c->surfaces);
  c->pairs = pki_arena_take(arena, PKI_PAIR_MAX, sizeof *c->pairs);
  pki_colliders_carve(&c->colliders, model, arena);
  const pk_contact_problem shape = pki_largest_problem(model, options);
  c->has_joint_rows = shape.nbox > pki_joint_model(model)->nu; /* more than commands */
  if (arena->base != NULL && !arena->overflow) {
    memset(c->surfaces, 0, (size_t)model->nshape * sizeof *c->surfaces);
  }
}
