/* The ground of a scenario. */
#include <stdlib.h>
#include <string.h>

#include "scenario/section_terrain.h"

#include "scenario/section.h"
#include "sim/reads.h"
#include "step/world.h"

static const char *const ground_words[PKI_GROUND_COUNT] = {"plane",   "box",       "stairs", "heights",
                                                           "mesh",    "convex",    "sphere", "cylinder",
                                                           "capsule", "ellipsoid", "cone"};

#define SOLID(name) #name, offsetof(pki_ground_solid, name)
#define SHAPE \
  { \
    SOLID(shape), PK_FIELD_ENUM, "", -1, 0, PKI_GROUND_COUNT - 1, ground_words, "what it is" \
  }
#define SURFACE \
  PKI_TEXT("material", pki_ground_solid, material, 0, "a name from materials; default: the first of them")
#define POSITION(doc) \
  { \
    SOLID(position), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, doc \
  }
#define TURNED \
  { \
    SOLID(rpy), PK_FIELD_VEC3, "rad", 0, -1e6, 1e6, NULL, "its roll, pitch, yaw" \
  }
#define LENGTH(name, doc) \
  { \
    SOLID(name), PK_FIELD_REAL, "m", NAN, 1e-6, 1e6, NULL, doc \
  }

const pk_field pki_solid_shape_fields[] = {SHAPE};

static const pk_field plane_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("a point of it"),
    {SOLID(normal), PK_FIELD_VEC3, "", 0, -1e6, 1e6, NULL, "out of the ground; default: [0, 0, 1]"},
};
static const int plane_field_count = PKI_COUNT(plane_fields);

static const pk_field box_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("of its centre"),
    TURNED,
    {SOLID(size), PK_FIELD_VEC3, "m", NAN, 1e-6, 1e6, NULL, "full lengths along x, y, z"},
};
static const int box_field_count = PKI_COUNT(box_fields);

static const pk_field stairs_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("middle of the foot of the first riser; they go up along x"),
    LENGTH(depth, "of a step, along x"),
    LENGTH(height, "of a step"),
    LENGTH(width, "along y"),
    {SOLID(count), PK_FIELD_INT, "", 0, 1, 10000, NULL, "number of steps"},
};
static const int stairs_field_count = PKI_COUNT(stairs_fields);

/* with those of its file and function (collision/shapes/heights_file.h) */
static const pk_field heights_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("corner of the first height"),
    TURNED,
    PKI_PART("heights", "rows along y, each a list of heights along x, m"),
    PKI_TEXT("file", pki_ground_solid, file, 0, "instead of heights: a path from the scenario's folder"),
};
static const int heights_field_count = PKI_COUNT(heights_fields);

static const pk_field ground_mesh_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("of the file's origin"),
    TURNED,
    PKI_TEXT("file", pki_ground_solid, file, 1, "STL, OBJ or COLLADA: a path from the scenario's folder"),
    {SOLID(scale), PK_FIELD_REAL, "", 1, 1e-6, 1e6, NULL, "what the file's lengths are multiplied by"},
};
static const int ground_mesh_field_count = PKI_COUNT(ground_mesh_fields);

static const pk_field ground_shape_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("of its centre"),
    TURNED,
    PKI_PART("size",
             "sphere: radius; cylinder, capsule, cone: radius, length along z; ellipsoid: half axes; m"),
};
static const int ground_shape_field_count = PKI_COUNT(ground_shape_fields);

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
static int bind_shape_tables(pki_ground_solid *solid, pki_binding out[3])
{
  static const struct {
    const pk_field *fields;
    const int *count;
  } tables[PKI_GROUND_COUNT] = {
      [PKI_GROUND_PLANE] = {plane_fields, &plane_field_count},
      [PKI_GROUND_BOX] = {box_fields, &box_field_count},
      [PKI_GROUND_STAIRS] = {stairs_fields, &stairs_field_count},
      [PKI_GROUND_HEIGHTS] = {heights_fields, &heights_field_count},
      [PKI_GROUND_MESH] = {ground_mesh_fields, &ground_mesh_field_count},
      [PKI_GROUND_CONVEX] = {ground_mesh_fields, &ground_mesh_field_count},
  };
  const bool simple = tables[solid->shape].fields == NULL;
  out[0] = (pki_binding){simple ? ground_shape_fields : tables[solid->shape].fields,
                         simple ? ground_shape_field_count : *tables[solid->shape].count, solid};
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
  const int nbinding = bind_shape_tables(&solid, bindings);
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

static void read_terrain(pki_scenario *scenario, const pki_node *list, pki_problems *problems)
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

static pk_status set_ground(const pki_scenario *s, pk_sim *sim, pk_error *err)
{
  pk_material materials[PKI_MATERIAL_MAX];
  if (s->terrain == NULL) {
    return PK_OK;
  }
  for (int i = 0; i < s->nmaterial; i++) {
    materials[i] = s->materials[i].material;
    const pk_status status = pki_check_material_read(&sim->options, &materials[i], err);
    if (status != PK_OK) {
      return pki_node_place(status, s->materials[i].node, "", err);
    }
  }
  const pki_node *node = pki_node_find(pki_document_root(s->document), "terrain");
  return pki_node_place(
      pk_sim_set_terrain(sim, s->terrain, s->nmaterial > 0 ? materials : NULL, s->nmaterial, err), node, "",
      err);
}

static void set_terrain(pki_world *w, pki_problems *problems)
{
  pk_error err = {0};
  pki_problems_note(problems, set_ground(w->scenario, w->sim, &err), &err);
}

static void release_terrain(pki_scenario *s)
{
  pk_terrain_destroy(s->terrain);
}

static const pki_schema_table terrain_tables[] = {
    {"plane", "terrain: a half-space", plane_fields, &plane_field_count},
    {"box", "terrain: a box", box_fields, &box_field_count},
    {"stairs", "terrain: steps", stairs_fields, &stairs_field_count},
    {"heights", "terrain: a height field", heights_fields, &heights_field_count},
    {"heights", "its file", pki_heights_file_fields, &pki_heights_file_field_count},
    {"heights", "its function", pki_heights_pattern_fields, &pki_heights_pattern_field_count},
    {"mesh", "terrain: triangles from a file", ground_mesh_fields, &ground_mesh_field_count},
    {"convex", "terrain: the convex hull of a file", ground_mesh_fields, &ground_mesh_field_count},
    {"sphere", "terrain: a ball", ground_shape_fields, &ground_shape_field_count},
    {"cylinder", "terrain: a cylinder", ground_shape_fields, &ground_shape_field_count},
    {"capsule", "terrain: a capsule", ground_shape_fields, &ground_shape_field_count},
    {"ellipsoid", "terrain: an ellipsoid", ground_shape_fields, &ground_shape_field_count},
    {"cone", "terrain: a cone", ground_shape_fields, &ground_shape_field_count},
    {NULL, NULL, NULL, NULL},
};

const pki_section pki_section_terrain = {.name = "terrain",
                                         .doc = "the ground: a list of solids",
                                         .form = PKI_SECTION_IS_OWN,
                                         .tables = terrain_tables,
                                         .read = read_terrain,
                                         .release = release_terrain,
                                         .set = set_terrain};
