/* One COLLADA <geometry>: the points of its <vertices>, and triangles from <triangles>, <polylist>,
 * <polygons>, <trifans> and <tristrips>.
 *
 *   <mesh>
 *     <source id="s"> <float_array id="a" count="9"> ... <accessor source="#a" count="3" stride="3">
 *     <vertices id="v"> <input semantic="POSITION" source="#s"/>
 *     <triangles count="1"> <input semantic="VERTEX" source="#v" offset="0"/> ... <p>0 1 2</p>
 *
 * An index list holds, for each corner, one index for every offset that the inputs name; the one
 * at the offset of VERTEX is the point. */
#include <stdlib.h>
#include <string.h>

#include "model/mesh_dae.h"

/* ---- points ---- */

/* The child element of that name whose id is `id`. */
static const xmlNode *child_with_id(const xmlNode *node, const char *name, const char *id)
{
  const xmlNode *child = pki_dae_child(node, name);
  for (; child != NULL; child = pki_dae_next(child, name)) {
    const char *own = pki_dae_attribute(child, "id");
    if (own != NULL && strcmp(own, id) == 0) {
      return child;
    }
  }
  return NULL;
}

/* The input of that meaning. */
static const xmlNode *input_with_semantic(const xmlNode *node, const char *semantic)
{
  const xmlNode *input = pki_dae_child(node, "input");
  for (; input != NULL; input = pki_dae_next(input, "input")) {
    const char *own = pki_dae_attribute(input, "semantic");
    if (own != NULL && strcmp(own, semantic) == 0) {
      return input;
    }
  }
  return NULL;
}

/* A <float_array>: as many numbers as it says. The caller frees them. */
static pk_status read_array(const pki_mesh_input *in, const xmlNode *node, double **out, int *count)
{
  pki_dae_text text;
  pk_status status = pki_dae_count(in, node, "count", -1, count);
  status = status == PK_OK ? pki_dae_text_open(in, node, &text) : status;
  if (status != PK_OK) {
    return status;
  }
  /* Every number takes at least one character and a blank. */
  const size_t most = ((size_t)(text.end - text.p) + 1) / 2;
  if ((size_t)*count > most) {
    status = pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, node),
                      "count=\"%d\" numbers do not fit into this text of %zu characters", *count,
                      (size_t)(text.end - text.p));
  }
  double *value = status == PK_OK ? malloc((size_t)*count * sizeof *value + 1) : NULL;
  if (status == PK_OK && value == NULL) {
    status = pki_mesh_fail_memory(in);
  }
  int n = 0;
  for (; status == PK_OK && n < *count && pki_dae_text_more(&text); n++) {
    status = pki_dae_text_real(&text, &value[n]);
  }
  if (status == PK_OK && (n < *count || pki_dae_text_more(&text))) {
    status = pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, node),
                      "count=\"%d\", but there are %s numbers", *count, n < *count ? "fewer" : "more");
  }
  pki_dae_text_close(&text);
  *out = value;
  return status;
}

/* How an <accessor> finds element i: value[offset + stride i + axis[k]], k = 0 .. 2. */
typedef struct accessor {
  int count, stride, offset;
  int axis[3];
} accessor;

static pk_status read_accessor(const pki_mesh_input *in, const xmlNode *node, accessor *out)
{
  pk_status status = pki_dae_count(in, node, "count", -1, &out->count);
  status = status == PK_OK ? pki_dae_count(in, node, "stride", 1, &out->stride) : status;
  status = status == PK_OK ? pki_dae_count(in, node, "offset", 0, &out->offset) : status;
  if (status == PK_OK && out->stride < 3) {
    status = pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, node),
                      "positions have stride=\"%d\"; expected at least 3 (X, Y, Z)", out->stride);
  }
  /* Parameters named X, Y, Z say where the coordinates are; else they are the first three. */
  int named[3] = {-1, -1, -1}, i = 0;
  const xmlNode *param = pki_dae_child(node, "param");
  for (; param != NULL && i < out->stride; param = pki_dae_next(param, "param"), i++) {
    const char *name = pki_dae_attribute(param, "name");
    if (name != NULL && name[0] >= 'X' && name[0] <= 'Z' && name[1] == '\0') {
      named[name[0] - 'X'] = i;
    }
  }
  const bool all = named[0] >= 0 && named[1] >= 0 && named[2] >= 0;
  for (int k = 0; k < 3; k++) {
    out->axis[k] = all ? named[k] : k;
  }
  return status;
}

/* Gather the points out of their array. */
static pk_status gather_points(const pki_mesh_input *in, const xmlNode *node, const accessor *a,
                               const double *value, int nvalue, pki_dae_geometry *g)
{
  int axis = a->axis[0] > a->axis[1] ? a->axis[0] : a->axis[1];
  axis = a->axis[2] > axis ? a->axis[2] : axis;
  if (a->count > 0 && a->offset + a->stride * (a->count - 1LL) + axis >= nvalue) {
    return pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, node),
                    "count=\"%d\" with stride %d and offset %d reaches beyond the array of %d numbers",
                    a->count, a->stride, a->offset, nvalue);
  }
  g->point = malloc(3 * (size_t)a->count * sizeof *g->point + 1);
  if (g->point == NULL) {
    return pki_mesh_fail_memory(in);
  }
  g->npoint = a->count;
  for (int i = 0; i < a->count; i++) {
    for (int k = 0; k < 3; k++) {
      g->point[3 * (size_t)i + (size_t)k] =
          value[a->offset + (size_t)a->stride * (size_t)i + (size_t)a->axis[k]];
    }
  }
  return PK_OK;
}

static pk_status fail_missing(const pki_mesh_input *in, const xmlNode *node, const char *what)
{
  return pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, node), "%s is missing", what);
}

/* <vertices> -> POSITION -> <source> -> <accessor> -> <float_array> */
static pk_status read_points(const pki_mesh_input *in, const xmlNode *mesh, const xmlNode *vertices,
                             pki_dae_geometry *g)
{
  const char *id = NULL;
  const xmlNode *input = input_with_semantic(vertices, "POSITION");
  if (input == NULL) {
    return fail_missing(in, vertices, "an <input> with semantic POSITION");
  }
  pk_status status = pki_dae_reference(in, input, "source", &id);
  if (status != PK_OK) {
    return status;
  }
  const xmlNode *source = child_with_id(mesh, "source", id);
  const xmlNode *access = pki_dae_child(pki_dae_child(source, "technique_common"), "accessor");
  if (source == NULL || access == NULL) {
    return fail_missing(in, source ? source : input,
                        source ? "an <accessor>" : "the <source> that this input names");
  }
  accessor a;
  status = read_accessor(in, access, &a);
  status = status == PK_OK ? pki_dae_reference(in, access, "source", &id) : status;
  if (status != PK_OK) {
    return status;
  }
  const xmlNode *array = child_with_id(source, "float_array", id);
  if (array == NULL) {
    return fail_missing(in, access, "the <float_array> that this accessor names");
  }
  double *value = NULL;
  int nvalue = 0;
  status = read_array(in, array, &value, &nvalue);
  status = status == PK_OK ? gather_points(in, access, &a, value, nvalue, g) : status;
  free(value);
  return status;
}

/* ---- triangles ---- */

/* An index list, and which of the `stride` indices of a corner is the point's. */
typedef struct corners {
  pki_dae_text text;
  long long stride;
  int offset;
  int npoint;
} corners;

/* The layout of the indices, from the inputs of a primitive. */
static pk_status read_layout(const pki_mesh_input *in, const xmlNode *primitive, const xmlNode *vertices,
                             corners *c)
{
  const char *id = NULL, *own = pki_dae_attribute(vertices, "id");
  const xmlNode *vertex = input_with_semantic(primitive, "VERTEX");
  if (vertex == NULL) {
    return fail_missing(in, primitive, "an <input> with semantic VERTEX");
  }
  pk_status status = pki_dae_reference(in, vertex, "source", &id);
  if (status == PK_OK && (own == NULL || strcmp(own, id) != 0)) {
    return fail_missing(in, vertex, "the <vertices> that this input names");
  }
  status = status == PK_OK ? pki_dae_count(in, vertex, "offset", 0, &c->offset) : status;
  c->stride = 1;
  const xmlNode *input = pki_dae_child(primitive, "input");
  for (; input != NULL && status == PK_OK; input = pki_dae_next(input, "input")) {
    int offset = 0;
    status = pki_dae_count(in, input, "offset", 0, &offset);
    c->stride = offset >= c->stride ? offset + 1LL : c->stride;
  }
  return status;
}

/* Open an index list, whose text must have room for one corner at least unless it is empty. */
static pk_status open_corners(const pki_mesh_input *in, const xmlNode *p, corners *c)
{
  const pk_status status = pki_dae_text_open(in, p, &c->text);
  if (status != PK_OK || !pki_dae_text_more(&c->text)) {
    return status;
  }
  /* every index takes at least one character and a blank */
  const long long most = (c->text.end - c->text.p + 1) / 2;
  if (c->stride > most) {
    pki_dae_text_close(&c->text);
    return pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, p),
                    "an input has offset=\"%lld\", but this list has %lld indices at most", c->stride - 1,
                    most);
  }
  return PK_OK;
}

/* The point of the next corner. */
static pk_status read_corner(corners *c, int *point)
{
  for (long long i = 0; i < c->stride; i++) {
    long index = 0;
    const pk_status status = pki_dae_text_int(&c->text, &index);
    if (status != PK_OK) {
      return status;
    }
    if (i != c->offset) {
      continue;
    }
    if (index < 0 || index >= c->npoint) {
      return pki_fail(c->text.in->err, PK_ERROR_SYNTAX, pki_dae_where(c->text.in, c->text.node),
                      "a corner names vertex %ld; there are %d, counted from 0", index, c->npoint);
    }
    *point = (int)index;
  }
  return PK_OK;
}

static pk_status add_triangle(const pki_mesh_input *in, pki_dae_geometry *g, int a, int b, int c)
{
  int *corner = pki_mesh_grow(g->corner, g->ntriangle, 1, 3 * sizeof *corner, &g->corner_room);
  if (corner == NULL) {
    return pki_mesh_fail_memory(in);
  }
  g->corner = corner;
  corner += 3 * g->ntriangle++;
  corner[0] = a;
  corner[1] = b;
  corner[2] = c;
  return PK_OK;
}

/* One polygon of `most` corners (as many as there are when negative): a fan around its first
 * corner, or a strip in which every second triangle turns the other way. */
static pk_status read_polygon(corners *c, long most, bool strip, pki_dae_geometry *g)
{
  int first = 0, last = 0;
  for (long n = 0; most < 0 ? pki_dae_text_more(&c->text) : n < most; n++) {
    int point = 0;
    pk_status status = read_corner(c, &point);
    if (status == PK_OK && n >= 2) {
      const bool turned = strip && n % 2 == 1;
      status = add_triangle(c->text.in, g, turned ? last : first, turned ? first : last, point);
    }
    if (status != PK_OK) {
      return status;
    }
    first = n == 0 || strip ? (n == 0 ? point : last) : first;
    last = point;
  }
  return PK_OK;
}

/* <triangles>: three corners each, as many triangles as it says. */
static pk_status read_triangles(corners *c, int count, pki_dae_geometry *g)
{
  pk_status status = PK_OK;
  int n = 0;
  for (; status == PK_OK && n < count && pki_dae_text_more(&c->text); n++) {
    status = read_polygon(c, 3, false, g);
  }
  if (status == PK_OK && (n < count || pki_dae_text_more(&c->text))) {
    status = pki_fail(c->text.in->err, PK_ERROR_SYNTAX, pki_dae_where(c->text.in, c->text.node),
                      "count=\"%d\" triangles with %lld indices a corner need %lld indices, but there are %s",
                      count, c->stride, 3LL * count * c->stride, n < count ? "fewer" : "more");
  }
  return status;
}

/* <polylist>: <vcount> has the number of corners of each polygon. */
static pk_status read_polylist(corners *c, const xmlNode *vcount, int count, pki_dae_geometry *g)
{
  const pki_mesh_input *in = c->text.in;
  pki_dae_text sizes;
  pk_status status = pki_dae_text_open(in, vcount, &sizes);
  int n = 0;
  for (; status == PK_OK && pki_dae_text_more(&sizes); n++) {
    long size = 0;
    status = pki_dae_text_int(&sizes, &size);
    if (status == PK_OK && size < 0) {
      status =
          pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, vcount), "a polygon has %ld corners", size);
    }
    status = status == PK_OK ? read_polygon(c, size, false, g) : status;
  }
  if (status == PK_OK && n != count) {
    status = pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, vcount),
                      "there are %d polygons; expected count=\"%d\"", n, count);
  }
  if (status == PK_OK && pki_dae_text_more(&c->text)) {
    status = pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, c->text.node),
                      "there are more indices than the polygons in <vcount> have corners");
  }
  pki_dae_text_close(&sizes);
  return status;
}

/* All index lists of one primitive element. */
static pk_status read_primitive(const pki_mesh_input *in, const xmlNode *primitive, const xmlNode *vertices,
                                pki_dae_geometry *g)
{
  const bool triangles = pki_dae_is(primitive, "triangles"), polylist = pki_dae_is(primitive, "polylist");
  const xmlNode *vcount = pki_dae_child(primitive, "vcount"), *p = pki_dae_child(primitive, "p");
  const xmlNode *holes = pki_dae_child(primitive, "ph");
  if (holes != NULL) {
    return pki_fail(in->err, PK_ERROR_UNSUPPORTED, pki_dae_where(in, holes),
                    "polygons with holes are not read; export the mesh as triangles");
  }
  int count = 0;
  corners c = {.npoint = g->npoint};
  pk_status status = read_layout(in, primitive, vertices, &c);
  if (status == PK_OK && (triangles || polylist)) {
    status = pki_dae_count(in, primitive, "count", -1, &count);
  }
  if (status == PK_OK && p == NULL && count > 0) {
    return fail_missing(in, primitive, "the index list <p>");
  }
  if (status == PK_OK && p != NULL && polylist && vcount == NULL) {
    return fail_missing(in, primitive, "the list <vcount>");
  }
  for (; status == PK_OK && p != NULL; p = pki_dae_next(p, "p")) {
    status = open_corners(in, p, &c);
    if (status != PK_OK) {
      return status;
    }
    if (triangles) {
      status = read_triangles(&c, count, g);
    } else if (polylist) {
      status = read_polylist(&c, vcount, count, g);
    } else {
      status = read_polygon(&c, -1, pki_dae_is(primitive, "tristrips"), g);
    }
    pki_dae_text_close(&c.text);
    if (triangles || polylist) {
      break; /* these have one list */
    }
  }
  return status;
}

/* ---- geometry ---- */

static bool is_primitive(const xmlNode *node)
{
  return pki_dae_is(node, "triangles") || pki_dae_is(node, "polylist") || pki_dae_is(node, "polygons") ||
         pki_dae_is(node, "trifans") || pki_dae_is(node, "tristrips");
}

pk_status pki_dae_geometry_read(const pki_mesh_input *in, const xmlNode *node, pki_dae_geometry *out)
{
  memset(out, 0, sizeof *out);
  const xmlNode *mesh = pki_dae_child(node, "mesh");
  if (pki_dae_child(node, "convex_mesh") != NULL || pki_dae_child(node, "brep") != NULL) {
    return pki_fail(
        in->err, PK_ERROR_UNSUPPORTED, pki_dae_where(in, node),
        "a geometry made of <convex_mesh> or <brep> is not read; export it as a mesh of triangles");
  }
  const xmlNode *vertices = pki_dae_child(mesh, "vertices");
  pk_status status = PK_OK;
  for (const xmlNode *child = mesh ? mesh->children : NULL; child != NULL && status == PK_OK;
       child = child->next) {
    if (!is_primitive(child)) {
      continue;
    }
    if (vertices == NULL) {
      status = fail_missing(in, mesh, "the element <vertices>");
    } else if (out->point == NULL) {
      status = read_points(in, mesh, vertices, out);
    }
    status = status == PK_OK ? read_primitive(in, child, vertices, out) : status;
  }
  if (status != PK_OK) {
    pki_dae_geometry_free(out);
  }
  return status;
}

void pki_dae_geometry_free(pki_dae_geometry *geometry)
{
  free(geometry->point);
  free(geometry->corner);
  memset(geometry, 0, sizeof *geometry);
}
