/* The ground of a scenario. */
#include <stdlib.h>
#include <string.h>

#include "scenario/section_terrain.h"
#include "step/world.h"

pk_status pki_scenario_find_material(const pki_scenario *scenario, const pki_node *node, const char *name,
                                     int *out, pk_error *err)
{
  const char *words[PKI_MATERIAL_MAX];
  for (int i = 0; i < scenario->nmaterial; i++) {
    words[i] = scenario->materials[i].name;
  }
  return pki_read_choice(node, "material", name, words, scenario->nmaterial, out, err);
}

/* ---- shapes by their sizes ---- */

static const pk_shape_kind kinds[PKI_GROUND_COUNT] = {
    [PKI_GROUND_SPHERE] = PK_SHAPE_SPHERE,   [PKI_GROUND_CYLINDER] = PK_SHAPE_CYLINDER,
    [PKI_GROUND_CAPSULE] = PK_SHAPE_CAPSULE, [PKI_GROUND_ELLIPSOID] = PK_SHAPE_ELLIPSOID,
    [PKI_GROUND_CONE] = PK_SHAPE_CONE,
};

static pk_status add_shape(pk_terrain *t, const pki_node *node, const pki_ground_solid *solid,
                           const pk_pose *pose, int material, pk_error *err)
{
  pk_geometry_desc desc = {.kind = kinds[solid->shape]};
  const pk_status status = pki_read_size(node, desc.kind, desc.size, err);
  return status == PK_OK ? pk_terrain_add_geometry(t, pose, &desc, material, err) : status;
}

/* ---- solids ---- */

static pk_status add_solid(pki_ground_maker *maker, const pki_node *node, const pki_ground_solid *solid,
                           int material, pk_error *err)
{
  pk_terrain *const t = maker->terrain;
  const pk_pose pose = pk_pose_from_xyz_rpy(solid->position, solid->rpy);
  switch (solid->shape) {
  case PKI_GROUND_PLANE: return pk_terrain_add_plane(t, solid->position, solid->normal, material, err);
  case PKI_GROUND_BOX: return pk_terrain_add_box(t, &pose, solid->size, material, err);
  case PKI_GROUND_STAIRS:
    return pk_terrain_add_stairs(t, solid->position, solid->depth, solid->height, solid->width, solid->count,
                                 material, err);
  case PKI_GROUND_HEIGHTS: return pki_ground_heights(maker, node, solid, &pose, material, err);
  case PKI_GROUND_MESH:
  case PKI_GROUND_CONVEX: return pki_ground_mesh(maker, node, solid, &pose, material, err);
  default: return add_shape(t, node, solid, &pose, material, err);
  }
}

/* The tables of a shape, with what they fill. */
static int bind(pki_ground_solid *solid, pki_binding out[3])
{
  static const struct {
    const pk_field *fields;
    const int *count;
  } tables[PKI_GROUND_COUNT] = {
      [PKI_GROUND_PLANE] = {pki_plane_fields, &pki_plane_field_count},
      [PKI_GROUND_BOX] = {pki_box_fields, &pki_box_field_count},
      [PKI_GROUND_STAIRS] = {pki_stairs_fields, &pki_stairs_field_count},
      [PKI_GROUND_HEIGHTS] = {pki_heights_fields, &pki_heights_field_count},
      [PKI_GROUND_MESH] = {pki_ground_mesh_fields, &pki_ground_mesh_field_count},
      [PKI_GROUND_CONVEX] = {pki_ground_mesh_fields, &pki_ground_mesh_field_count},
  };
  const bool simple = tables[solid->shape].fields == NULL;
  out[0] = (pki_binding){simple ? pki_ground_shape_fields : tables[solid->shape].fields,
                         simple ? pki_ground_shape_field_count : *tables[solid->shape].count, solid};
  if (solid->shape != PKI_GROUND_HEIGHTS) {
    return 1;
  }
  out[1] = (pki_binding){pki_heights_file_fields, pki_heights_file_field_count, &solid->heights};
  out[2] = (pki_binding){pki_heights_pattern_fields, pki_heights_pattern_field_count, &solid->pattern};
  return 3;
}

/* One solid: its shape says which tables the rest follows. */
static void read_solid(pki_ground_maker *maker, const pki_node *node, pki_problems *problems)
{
  pki_ground_solid solid = {.normal = {0, 0, 1},
                            .scale = 1,
                            .heights = pk_heights_options_default(),
                            .pattern = pk_heights_pattern_default()};
  pk_error err = {0};
  if (pki_expect_kind(node, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  const pki_node *shape = pki_node_find(node, "shape");
  if (shape == NULL) {
    pki_problem(problems, node, "the key \"shape\" is missing: plane, box, stairs, heights, mesh, ...");
    return;
  }
  if (pki_problems_note(problems, pki_read_field(shape, pki_solid_shape_fields, &solid, &err), &err) !=
      PK_OK) {
    return;
  }
  pki_binding bindings[3];
  const int nbinding = bind(&solid, bindings);
  int material = 0;
  pk_status status = pki_read_map(node, bindings, nbinding, problems);
  if (solid.material[0] != '\0') {
    const pki_node *named = pki_node_find(node, "material");
    const pk_status found =
        pki_scenario_find_material(maker->scenario, named, solid.material, &material, &err);
    pki_problems_note(problems, found, &err);
    status = status == PK_OK ? found : status;
  }
  if (status != PK_OK) {
    return;
  }
  status = add_solid(maker, node, &solid, material, &err);
  if (status != PK_OK && err.file[0] == '\0') {
    pki_node_place(status, node, "", &err);
  }
  pki_problems_note(problems, status, &err);
}

void pki_scenario_terrain(pki_scenario *scenario, const pki_node *list, pki_problems *problems)
{
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  pki_ground_maker maker = {.scenario = scenario, .hash = scenario->files_hash};
  if (pk_terrain_create(&maker.terrain, NULL) != PK_OK) {
    pki_problem_memory(problems);
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    read_solid(&maker, n, problems);
  }
  scenario->terrain = maker.terrain;
  scenario->files_hash = maker.hash;
}
