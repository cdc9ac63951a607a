/* The ground of a scenario. */
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"
#include "step/sim.h"

pk_status pki_scenario_find_material(const pki_scenario *scenario, const pki_node *node, const char *name,
                                     int *out, pk_error *err)
{
  const char *words[PKI_MATERIAL_MAX];
  for (int i = 0; i < scenario->nmaterial; i++) {
    words[i] = scenario->materials[i].name;
  }
  return pki_read_choice(node, "material", name, words, scenario->nmaterial, out, err);
}

/* Rows along y of heights along x, all of one length. */
static pk_status read_heights(const pki_node *node, double **out, int *nx, int *ny, pk_error *err)
{
  const pki_node *rows = pki_node_find(node, "heights");
  if (rows == NULL) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "the key \"heights\" is missing: rows of heights");
  }
  pk_status status = pki_read_kind(rows, PKI_NODE_LIST, err);
  *ny = rows->count;
  *nx = rows->first != NULL && rows->first->kind == PKI_NODE_LIST ? rows->first->count : 0;
  if (status == PK_OK && (*nx < 2 || *ny < 2)) {
    status = pki_node_fail(rows, err, PK_ERROR_ARGUMENT,
                           "heights are %d rows of %d, expected two rows of two at least", *ny, *nx);
  }
  /* every height is a node, so their product is bounded by the size of the file once all rows agree */
  for (const pki_node *row = rows->first; row != NULL && status == PK_OK; row = row->next) {
    if (row->kind != PKI_NODE_LIST || row->count != *nx) {
      status = pki_node_fail(row, err, PK_ERROR_ARGUMENT, "this row has %d heights, the first one has %d",
                             row->count, *nx);
    }
  }
  if (status != PK_OK) {
    return status;
  }
  double *z = malloc((size_t)*nx * (size_t)*ny * sizeof *z);
  if (z == NULL) {
    return pki_node_fail(rows, err, PK_ERROR_MEMORY, "out of memory");
  }
  size_t k = 0;
  for (const pki_node *row = rows->first; row != NULL && status == PK_OK; row = row->next) {
    for (const pki_node *n = row->first; n != NULL && status == PK_OK; n = n->next) {
      status = pki_read_real(n, &z[k++], err);
    }
  }
  if (status != PK_OK) {
    free(z);
    return status;
  }
  *out = z;
  return PK_OK;
}

static pk_status add_heights(pk_terrain *t, const pki_node *node, const pki_solid *solid, int material,
                             pk_error *err)
{
  double *z = NULL;
  int nx = 0, ny = 0;
  pk_status status = read_heights(node, &z, &nx, &ny, err);
  if (status == PK_OK) {
    status = pk_terrain_add_heights(t, solid->position, nx, ny, solid->cell, z, material, err);
  }
  free(z);
  return status;
}

static pk_status add_solid(pk_terrain *t, const pki_node *node, const pki_solid *solid, int material,
                           pk_error *err)
{
  switch (solid->shape) {
  case PKI_SOLID_PLANE: return pk_terrain_add_plane(t, solid->position, solid->normal, material, err);
  case PKI_SOLID_BOX: {
    const pk_pose pose = pk_pose_from_xyz_rpy(solid->position, solid->rpy);
    return pk_terrain_add_box(t, &pose, solid->size, material, err);
  }
  case PKI_SOLID_STAIRS:
    return pk_terrain_add_stairs(t, solid->position, solid->depth, solid->height, solid->width, solid->count,
                                 material, err);
  default: return add_heights(t, node, solid, material, err);
  }
}

/* One solid: its shape says which table the rest follows. */
static void read_solid(const pki_scenario *s, pk_terrain *t, const pki_node *node, pki_problems *problems)
{
  static const struct {
    const pk_field *fields;
    const int *count;
  } tables[PKI_SOLID_COUNT] = {{pki_plane_fields, &pki_plane_field_count},
                               {pki_box_fields, &pki_box_field_count},
                               {pki_stairs_fields, &pki_stairs_field_count},
                               {pki_heights_fields, &pki_heights_field_count}};
  pki_solid solid = {.normal = {0, 0, 1}};
  pk_error err = {0};
  if (pki_expect_kind(node, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  const pki_node *shape = pki_node_find(node, "shape");
  if (shape == NULL) {
    pki_problem(problems, node, "the key \"shape\" is missing: plane, box, stairs or heights");
    return;
  }
  if (pki_problems_note(problems, pki_read_field(shape, pki_solid_shape_fields, &solid, &err), &err) !=
      PK_OK) {
    return;
  }
  const pki_binding binding = {tables[solid.shape].fields, *tables[solid.shape].count, &solid};
  int material = 0;
  pk_status status = pki_read_map(node, &binding, 1, problems);
  if (solid.material[0] != '\0') {
    const pki_node *named = pki_node_find(node, "material");
    const pk_status found = pki_scenario_find_material(s, named, solid.material, &material, &err);
    pki_problems_note(problems, found, &err);
    status = status == PK_OK ? found : status;
  }
  if (status != PK_OK) {
    return;
  }
  status = add_solid(t, node, &solid, material, &err);
  if (status != PK_OK && err.file[0] == '\0') {
    pki_node_place(status, node, "", &err);
  }
  pki_problems_note(problems, status, &err);
}

void pki_scenario_terrain(const pki_scenario *scenario, const pki_node *list, pk_terrain **out,
                          pki_problems *problems)
{
  *out = NULL;
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  *out = pk_terrain_create();
  if (*out == NULL) {
    pki_problem_memory(problems);
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    read_solid(scenario, *out, n, problems);
  }
}
