/* The ground of a scenario. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "scenario/terrain.h"
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

/* ---- shapes by their sizes ---- */

static const struct {
  pk_shape_kind kind;
  int nsize;
  const char *sizes;
} shapes[PKI_GROUND_COUNT] = {
    [PKI_GROUND_SPHERE] = {PK_SHAPE_SPHERE, 1, "its radius"},
    [PKI_GROUND_CYLINDER] = {PK_SHAPE_CYLINDER, 2, "its radius and its length"},
    [PKI_GROUND_CAPSULE] = {PK_SHAPE_CAPSULE, 2, "its radius and the length of its straight part"},
    [PKI_GROUND_ELLIPSOID] = {PK_SHAPE_ELLIPSOID, 3, "its half axes"},
    [PKI_GROUND_CONE] = {PK_SHAPE_CONE, 2, "the radius of its base and its height"},
};

/* One number, or a list of as many as the shape has. */
static pk_status read_size(const pki_node *node, pki_ground_kind shape, double size[3], pk_error *err)
{
  const pki_node *list = pki_node_find(node, "size");
  const int count = shapes[shape].nsize;
  if (list == NULL) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "the key \"size\" is missing: %s, m",
                         shapes[shape].sizes);
  }
  const int given = list->kind == PKI_NODE_LIST ? list->count : 1;
  if (given != count || list->kind == PKI_NODE_MAP) {
    return pki_node_fail(list, err, PK_ERROR_ARGUMENT, "size has %d number%s, expected %d: %s, m", given,
                         given == 1 ? "" : "s", count, shapes[shape].sizes);
  }
  const pki_node *n = list->kind == PKI_NODE_LIST ? list->first : list;
  for (int k = 0; k < count; k++, n = n->next) {
    const pk_status status = pki_read_real(n, &size[k], err);
    const bool may_be_zero = shape == PKI_GROUND_CAPSULE && k == 1;
    if (status != PK_OK) {
      return status;
    }
    if (!(size[k] >= 1e-6 && size[k] <= 1e6) && !(may_be_zero && size[k] == 0)) {
      return pki_node_fail(n, err, PK_ERROR_ARGUMENT, "size is %g m, expected 1e-06 to 1e+06", size[k]);
    }
  }
  return PK_OK;
}

static pk_status add_shape(pk_terrain *t, const pki_node *node, const pki_ground_solid *solid,
                           const pk_pose *pose, int material, pk_error *err)
{
  pk_geometry_desc desc = {.kind = shapes[solid->shape].kind};
  const pk_status status = read_size(node, solid->shape, desc.size, err);
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
  pki_ground_maker maker = {.scenario = scenario, .terrain = pk_terrain_create(), .hash = PKI_HASH_START};
  if (maker.terrain == NULL) {
    pki_problem_memory(problems);
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    read_solid(&maker, n, problems);
  }
  scenario->terrain = maker.terrain;
  scenario->ground_hash = maker.hash != PKI_HASH_START ? maker.hash : 0;
}
