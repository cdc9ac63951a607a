/* COLLADA (.dae), geometry only: the meshes of the visual scene at their places, in metres.
 *
 *   <asset> <unit meter="0.001"/>
 *   <library_geometries> <geometry id="g"> ... (mesh_dae_geometry.c)
 *   <library_visual_scenes> <visual_scene> <node> <matrix> ... <instance_geometry url="#g"/>
 *   <scene> <instance_visual_scene url="#..."/>
 *
 * A file without a visual scene gives its geometries as they are. Coordinates are not turned after
 * <up_axis>: see docs/formats/meshes.md. Instances can multiply: a budget in proportion to the
 * file's size ends what only wants to be large. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/mesh_dae.h"

enum { NODE_DEPTH_MAX = 256, WORK_PER_BYTE = 8 };

/* Something with an id; a geometry is read when it is first used. */
typedef struct dae_id {
  const char *name;
  const xmlNode *node;
  size_t order; /* in the file */
  bool is_read;
  pki_dae_geometry geometry;
} dae_id;

typedef struct dae_scene {
  const pki_mesh_input *in;
  pki_mesh_sink *sink;
  dae_id *id; /* [nid], sorted by name */
  size_t nid, id_room;
  uint64_t work; /* what may still be done: triangles, nodes, text */
} dae_scene;

/* x -> A x + b, row-major [A b]. */
typedef struct dae_map {
  double m[12];
} dae_map;

static dae_map map_scale(double x, double y, double z)
{
  return (dae_map){{x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0}};
}

/* First b, then a. */
static dae_map map_compose(const dae_map *a, const dae_map *b)
{
  dae_map out;
  for (int i = 0; i < 3; i++) {
    const double *row = a->m + 4 * i;
    for (int j = 0; j < 4; j++) {
      out.m[4 * i + j] =
          row[0] * b->m[j] + row[1] * b->m[4 + j] + row[2] * b->m[8 + j] + (j == 3 ? row[3] : 0);
    }
  }
  return out;
}

static double map_determinant(const dae_map *map)
{
  const double *m = map->m;
  return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
         m[2] * (m[4] * m[9] - m[5] * m[8]);
}

/* ---- ids ---- */

/* By id, then by kind of element: some writers give a node and its geometry the same id. */
static int compare_name_and_kind(const dae_id *id, const char *name, const char *kind)
{
  const int order = strcmp(id->name, name);
  return order != 0 ? order : strcmp((const char *)id->node->name, kind);
}

static int compare_ids(const void *a, const void *b)
{
  const dae_id *x = a, *y = b;
  const int order = compare_name_and_kind(x, y->name, (const char *)y->node->name);
  return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

static bool can_be_named(const xmlNode *node)
{
  return pki_dae_is(node, "geometry") || pki_dae_is(node, "node") || pki_dae_is(node, "visual_scene");
}

/* Collect what can be referred to; the tree is at most as deep as the parser allows. */
static pk_status collect_ids(dae_scene *s, const xmlNode *parent)
{
  for (const xmlNode *node = parent->children; node != NULL; node = node->next) {
    const char *name = node->type == XML_ELEMENT_NODE ? pki_dae_attribute(node, "id") : NULL;
    if (name != NULL && can_be_named(node)) {
      dae_id *id = pki_mesh_grow(s->id, s->nid, 1, sizeof *id, &s->id_room);
      if (id == NULL) {
        return pki_mesh_fail_memory(s->in);
      }
      s->id = id;
      id[s->nid] = (dae_id){.name = name, .node = node, .order = s->nid};
      s->nid++;
    }
    const pk_status status = node->type == XML_ELEMENT_NODE ? collect_ids(s, node) : PK_OK;
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

/* ---- the budget ---- */

static pk_status spend_work(dae_scene *s, const xmlNode *node, size_t work)
{
  if (work > s->work) {
    return pki_fail(
        s->in->err, PK_ERROR_LIMIT, pki_dae_where(s->in, node),
        "the instances of nodes and geometries make more than %d triangles or nodes for each byte of the "
        "file; export the scene as one mesh",
        (int)WORK_PER_BYTE);
  }
  s->work -= work;
  return PK_OK;
}

/* What an instance refers to: the first element of kind `kind` with that id; NULL when `status` says
 * what is wrong. */
static dae_id *resolve_instance(dae_scene *s, const xmlNode *instance, const char *kind, pk_status *status)
{
  const char *name = NULL;
  *status = pki_dae_reference(s->in, instance, "url", &name);
  *status = *status == PK_OK ? spend_work(s, instance, strlen(name) / WORK_PER_BYTE) : *status;
  if (*status != PK_OK) {
    return NULL;
  }
  /* the first entry that is not less than the name */
  size_t low = 0, high = s->nid;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (compare_name_and_kind(&s->id[middle], name, kind) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == s->nid || compare_name_and_kind(&s->id[low], name, kind) != 0) {
    *status = pki_fail(s->in->err, PK_ERROR_SYNTAX, pki_dae_where(s->in, instance),
                       "url=\"#%s\" does not name a <%s> of this file",
                       pki_mesh_quote(name, name + strlen(name)).text, kind);
    return NULL;
  }
  return &s->id[low];
}

/* ---- placing geometry ---- */

static pk_status place_geometry(dae_scene *s, const xmlNode *node, const pki_dae_geometry *g,
                                const dae_map *map)
{
  pk_status status = spend_work(s, node, g->ntriangle);
  /* A map that mirrors turns triangles inside out; exchange two corners. */
  const bool mirrored = map_determinant(map) < 0;
  for (size_t i = 0; i < g->ntriangle && status == PK_OK; i++) {
    int corner[3] = {0, 0, 0};
    for (size_t k = 0; k < 3 && status == PK_OK; k++) {
      const double *p = g->point + 3 * (size_t)g->corner[3 * i + k];
      double x[3];
      for (int j = 0; j < 3; j++) {
        const double *row = map->m + 4 * j;
        x[j] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
      }
      if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
        return pki_fail(s->in->err, PK_ERROR_NONFINITE, pki_dae_where(s->in, node),
                        "a vertex is not finite after the transforms of its nodes and the unit");
      }
      status = pki_mesh_sink_vertex(s->sink, x, &corner[k]);
    }
    if (status == PK_OK) {
      status = pki_mesh_sink_triangle(s->sink, corner[0], corner[mirrored ? 2 : 1], corner[mirrored ? 1 : 2]);
    }
  }
  return status;
}

static pk_status place_instance(dae_scene *s, const xmlNode *instance, const dae_map *map)
{
  pk_status status = PK_OK;
  dae_id *id = resolve_instance(s, instance, "geometry", &status);
  if (id == NULL) {
    return status;
  }
  if (!id->is_read) {
    status = pki_dae_geometry_read(s->in, id->node, &id->geometry);
    id->is_read = status == PK_OK;
  }
  return status == PK_OK ? place_geometry(s, instance, &id->geometry, map) : status;
}

/* ---- transforms ---- */

/* `count` numbers and nothing else. */
static pk_status read_numbers(dae_scene *s, const xmlNode *node, int count, double *out)
{
  pki_dae_text text;
  pk_status status = pki_dae_text_open(s->in, node, &text);
  status = status == PK_OK ? spend_work(s, node, (size_t)(text.end - text.p) / WORK_PER_BYTE) : status;
  for (int i = 0; i < count && status == PK_OK; i++) {
    status = pki_dae_text_real(&text, &out[i]);
  }
  if (status == PK_OK && pki_dae_text_more(&text)) {
    status = pki_fail(s->in->err, PK_ERROR_SYNTAX, pki_dae_where(s->in, node),
                      "there are more than %d numbers", count);
  }
  pki_dae_text_close(&text);
  return status;
}

/* <matrix>: 16 numbers, row-major, for column vectors. */
static pk_status read_matrix(dae_scene *s, const xmlNode *node, dae_map *out)
{
  double m[16];
  const pk_status status = read_numbers(s, node, 16, m);
  if (status != PK_OK) {
    return status;
  }
  if (fabs(m[12]) > 1e-6 || fabs(m[13]) > 1e-6 || fabs(m[14]) > 1e-6 || fabs(m[15] - 1) > 1e-6) {
    return pki_fail(s->in->err, PK_ERROR_SYNTAX, pki_dae_where(s->in, node),
                    "the last row of the matrix is %g %g %g %g; expected 0 0 0 1", m[12], m[13], m[14],
                    m[15]);
  }
  memcpy(out->m, m, sizeof out->m);
  return PK_OK;
}

/* <rotate>: an axis and an angle in degrees, R = c 1 + s [n]x + (1 - c) n n' (Rodrigues). */
static pk_status read_rotation(dae_scene *s, const xmlNode *node, dae_map *out)
{
  double v[4];
  const pk_status status = read_numbers(s, node, 4, v);
  if (status != PK_OK) {
    return status;
  }
  const double length = hypot(hypot(v[0], v[1]), v[2]);
  if (length == 0 && v[3] != 0) {
    return pki_fail(s->in->err, PK_ERROR_SYNTAX, pki_dae_where(s->in, node),
                    "a rotation of %g degrees has the axis 0 0 0", v[3]);
  }
  if (length == 0) {
    *out = map_scale(1, 1, 1);
    return PK_OK;
  }
  const double pi = 3.14159265358979323846;
  const double x = v[0] / length, y = v[1] / length, z = v[2] / length;
  /* whole turns first: quarter turns then come out exact to rounding */
  const double angle = remainder(v[3], 360) * (pi / 180), c = cos(angle), d = sin(angle), e = 1 - c;
  *out = (dae_map){{c + e * x * x, e * x * y - d * z, e * x * z + d * y, 0, e * x * y + d * z, c + e * y * y,
                    e * y * z - d * x, 0, e * x * z - d * y, e * y * z + d * x, c + e * z * z, 0}};
  return PK_OK;
}

/* One child of a node: when it is a transform, compose it with `map`. */
static pk_status apply_transform(dae_scene *s, const xmlNode *node, dae_map *map)
{
  double v[3] = {0, 0, 0};
  dae_map own;
  pk_status status;
  if (pki_dae_is(node, "matrix")) {
    status = read_matrix(s, node, &own);
  } else if (pki_dae_is(node, "rotate")) {
    status = read_rotation(s, node, &own);
  } else if (pki_dae_is(node, "translate")) {
    status = read_numbers(s, node, 3, v);
    own = (dae_map){{1, 0, 0, v[0], 0, 1, 0, v[1], 0, 0, 1, v[2]}};
  } else if (pki_dae_is(node, "scale")) {
    status = read_numbers(s, node, 3, v);
    own = map_scale(v[0], v[1], v[2]);
  } else {
    return PK_OK;
  }
  if (status == PK_OK) {
    *map = map_compose(map, &own);
  }
  return status;
}

/* ---- the scene ---- */

static pk_status fail_unsupported(dae_scene *s, const xmlNode *node, const char *advice)
{
  return pki_fail(s->in->err, PK_ERROR_UNSUPPORTED, pki_dae_where(s->in, node), "<%s> is not read; %s",
                  (const char *)node->name, advice);
}

/* A node, or the visual scene: its transforms in order, then what it holds. `odd` is a transform
 * on the way here that is not understood; cameras may have such, geometry may not. */
static pk_status visit_node(dae_scene *s, const xmlNode *node, const dae_map *outer, const xmlNode *odd,
                            int depth)
{
  if (depth > NODE_DEPTH_MAX) {
    return pki_fail(
        s->in->err, PK_ERROR_LIMIT, pki_dae_where(s->in, node),
        "nodes are nested more than %d deep; does an <instance_node> name a node that it is part of?",
        (int)NODE_DEPTH_MAX);
  }
  dae_map map = *outer;
  pk_status status = spend_work(s, node, 1);
  for (const xmlNode *child = node->children; child != NULL && status == PK_OK; child = child->next) {
    status = spend_work(s, child, 1);
    odd = pki_dae_is(child, "lookat") || pki_dae_is(child, "skew") ? child : odd;
    status = status == PK_OK ? apply_transform(s, child, &map) : status;
  }
  for (const xmlNode *child = node->children; child != NULL && status == PK_OK; child = child->next) {
    if (pki_dae_is(child, "node")) {
      status = visit_node(s, child, &map, odd, depth + 1);
    } else if (pki_dae_is(child, "instance_node")) {
      const dae_id *id = resolve_instance(s, child, "node", &status);
      status = id ? visit_node(s, id->node, &map, odd, depth + 1) : status;
    } else if (pki_dae_is(child, "instance_geometry")) {
      status = odd ? fail_unsupported(s, odd, "use <matrix>") : place_instance(s, child, &map);
    } else if (pki_dae_is(child, "instance_controller")) {
      status =
          fail_unsupported(s, child, "apply the skin or morph (in Blender: the modifiers) and export again");
    }
  }
  return status;
}

/* No scene: every geometry once. */
static pk_status place_all(dae_scene *s, const xmlNode *root, const dae_map *map)
{
  pk_status status = PK_OK;
  const xmlNode *library = pki_dae_child(root, "library_geometries");
  for (; library != NULL && status == PK_OK; library = pki_dae_next(library, "library_geometries")) {
    const xmlNode *node = pki_dae_child(library, "geometry");
    for (; node != NULL && status == PK_OK; node = pki_dae_next(node, "geometry")) {
      pki_dae_geometry geometry;
      status = pki_dae_geometry_read(s->in, node, &geometry);
      status = status == PK_OK ? place_geometry(s, node, &geometry, map) : status;
      pki_dae_geometry_free(&geometry);
    }
  }
  return status;
}

/* Metres in one unit of length; COLLADA's own default is 1. */
static pk_status read_unit(const pki_mesh_input *in, const xmlNode *root, double *metre)
{
  const xmlNode *unit = pki_dae_child(pki_dae_child(root, "asset"), "unit");
  const char *text = unit ? pki_dae_attribute(unit, "meter") : NULL;
  *metre = 1;
  if (text == NULL) {
    return PK_OK;
  }
  const char *p = text, *end = text + strlen(text);
  pki_skip_blanks(&p, end);
  const bool number = pki_parse_real(&p, end, metre);
  pki_skip_blanks(&p, end);
  if (!number || p != end || !isfinite(*metre) || !(*metre > 0)) {
    return pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, unit),
                    "meter=\"%s\" is no positive number of metres", pki_mesh_quote(text, end).text);
  }
  return PK_OK;
}

static pk_status read_document(dae_scene *s, const xmlNode *root)
{
  double metre = 1;
  if (!pki_dae_is(root, "COLLADA")) {
    return pki_fail(s->in->err, PK_ERROR_SYNTAX, pki_dae_where(s->in, root),
                    "the root element is <%.32s>; expected <COLLADA>", (const char *)root->name);
  }
  pk_status status = read_unit(s->in, root, &metre);
  status = status == PK_OK ? collect_ids(s, root) : status;
  if (status != PK_OK) {
    return status;
  }
  if (s->nid > 0) {
    qsort(s->id, s->nid, sizeof *s->id, compare_ids);
  }
  /* The scene that the file shows, else the first it has. */
  const xmlNode *scene = pki_dae_child(pki_dae_child(root, "library_visual_scenes"), "visual_scene");
  const xmlNode *shown = pki_dae_child(pki_dae_child(root, "scene"), "instance_visual_scene");
  if (shown != NULL) {
    const dae_id *id = resolve_instance(s, shown, "visual_scene", &status);
    if (id == NULL) {
      return status;
    }
    scene = id->node;
  }
  const dae_map map = map_scale(metre, metre, metre);
  return scene ? visit_node(s, scene, &map, NULL, 0) : place_all(s, root, &map);
}

pk_status pki_mesh_read_dae(const pki_mesh_input *in, pki_mesh_sink *sink)
{
  xmlDoc *doc = NULL;
  pk_status status = pki_dae_parse(in, &doc);
  if (status != PK_OK) {
    return status;
  }
  dae_scene s = {.in = in, .sink = sink, .work = WORK_PER_BYTE * (uint64_t)in->size};
  status = read_document(&s, xmlDocGetRootElement(doc));
  for (size_t i = 0; i < s.nid; i++) {
    pki_dae_geometry_free(&s.id[i].geometry);
  }
  free(s.id);
  xmlFreeDoc(doc);
  return status;
}
