/* Geoms, sites, and the assets that they need. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/convert/writer_mjcf.h"

/* A surface needs something below it, m. */
static const double BASE = 1;

/* ---- names ---- */

typedef struct shape_name {
  const char *prefix, *name;
  int shape;
} shape_name;

/* By whole name; a prefix and a name are compared as if they were one text. */
static int compare_names(const void *first, const void *second)
{
  const shape_name *a = first, *b = second;
  const char *p[2] = {a->prefix, b->prefix}, *rest[2] = {a->name, b->name};
  for (;;) {
    for (int k = 0; k < 2; k++) {
      if (*p[k] == '\0' && rest[k] != NULL) {
        p[k] = rest[k];
        rest[k] = NULL;
      }
    }
    if (*p[0] != *p[1] || *p[0] == '\0') {
      return (unsigned char)*p[0] - (unsigned char)*p[1];
    }
    p[0]++, p[1]++;
  }
}

/* Names must be unique in MJCF: those of several shapes are left out. */
static void find_unique_names(pki_writer *w)
{
  const pk_builder *b = w->b;
  int count = 0;
  shape_name *names = malloc(((size_t)b->nshape + 1) * sizeof *names);
  w->shape_named = calloc((size_t)b->nshape + 1, sizeof *w->shape_named);
  if (names == NULL || w->shape_named == NULL) {
    w->text.failed = true;
    free(names);
    return;
  }
  for (int i = 0; i < b->nshape; i++) {
    const char *prefix = b->robots[b->shapes[i].robot].desc.prefix, *name = b->shapes[i].desc.name;
    if (name != NULL && name[0] != '\0') {
      names[count++] = (shape_name){prefix != NULL ? prefix : "", name, i};
    }
  }
  qsort(names, (size_t)count, sizeof *names, compare_names);
  for (int i = 0; i < count; i++) {
    const bool twice = (i > 0 && compare_names(&names[i], &names[i - 1]) == 0) ||
                       (i + 1 < count && compare_names(&names[i], &names[i + 1]) == 0);
    w->shape_named[names[i].shape] = !twice;
    if (twice) {
      pki_write_lose(w, "names that several shapes have are left out", names[i].name);
    }
  }
  free(names);
}

/* ---- assets ---- */

static void put_mesh_asset(pki_writer *w, int mesh)
{
  if (w->meshes[mesh].name[0] != '\0') {
    return; /* another shape has it */
  }
  const char *file = pki_write_mesh(w, mesh);
  const char *slash = strrchr(file, '/');
  const char *stem = slash != NULL ? slash + 1 : file;
  pki_text_add(&w->text, "    <mesh name=\"");
  pki_text_add_bytes(&w->text, stem, strlen(stem) > 4 ? strlen(stem) - 4 : 0);
  pki_text_add(&w->text, "\"");
  pki_xml_text(&w->text, "file", file);
  pki_text_add(&w->text, "/>\n");
}

static void height_range(const pk_heights *h, double *lowest, double *highest)
{
  *lowest = INFINITY, *highest = -INFINITY;
  for (size_t i = 0; i < (size_t)h->nx * (size_t)h->ny; i++) {
    *lowest = fmin(*lowest, h->z[i]);
    *highest = fmax(*highest, h->z[i]);
  }
}

/* Rows from the far side on, as MuJoCo reads them; it scales what stands here to 0 to 1 and back by the size. */
static void put_field_asset(pki_writer *w, int shape)
{
  const pk_heights *h = w->b->shapes[shape].desc.heights;
  double lowest, highest;
  height_range(h, &lowest, &highest);
  const double size[4] = {(h->nx - 1) * h->cell / 2, (h->ny - 1) * h->cell / 2,
                          highest > lowest ? highest - lowest : BASE, BASE};
  pki_text_addf(&w->text, "    <hfield name=\"heights_%d\" nrow=\"%d\" ncol=\"%d\"", shape, h->ny, h->nx);
  pki_xml_reals(&w->text, "size", size, 4);
  pki_text_add(&w->text, " elevation=\"");
  for (int row = h->ny - 1; row >= 0; row--) {
    pki_text line = {0};
    pki_xml_reals(&line, "x", h->z + (size_t)row * (size_t)h->nx, h->nx);
    if (line.size > 5) {
      pki_text_add_bytes(&w->text, line.data + 4, line.size - 5);
    }
    pki_text_add(&w->text, row > 0 ? "\n" : "");
    w->text.failed = w->text.failed || line.failed;
    pki_text_free(&line);
  }
  pki_text_add(&w->text, "\"/>\n");
}

void pki_put_mjcf_assets(pki_writer *w)
{
  const pk_builder *b = w->b;
  bool assets = false, visuals = false;
  find_unique_names(w);
  for (int i = 0; i < b->nshape; i++) {
    const pki_shape *s = &b->shapes[i];
    visuals = visuals || s->desc.visual;
    w->grouped = w->grouped || s->desc.group != 0 || s->desc.mask != 0;
    assets = assets || s->mesh >= 0 || s->desc.kind == PK_SHAPE_HEIGHTS;
  }
  /* shapes to look at touch nothing; the others are hidden where there are such */
  pki_text_addf(&w->text,
                "  <default>\n    <default class=\"visual\"><geom contype=\"0\" conaffinity=\"0\" "
                "group=\"2\"/></default>\n    <default class=\"collision\"><geom group=\"%d\"/></default>\n"
                "  </default>\n",
                visuals ? 3 : 0);
  if (!assets) {
    return;
  }
  pki_text_add(&w->text, "  <asset>\n");
  for (int i = 0; i < b->nshape; i++) {
    if (b->shapes[i].mesh >= 0) {
      put_mesh_asset(w, b->shapes[i].mesh);
    } else if (b->shapes[i].desc.kind == PK_SHAPE_HEIGHTS && w->options->mujoco >= 3) {
      put_field_asset(w, i);
    }
  }
  pki_text_add(&w->text, "  </asset>\n");
}

/* ---- geoms ---- */

/* Type and size, in half lengths; the kind is one that MJCF has. */
static void put_solid(pki_writer *w, pk_shape_kind kind, const double size[3])
{
  const double box[3] = {size[0] / 2, size[1] / 2, size[2] / 2}, round[2] = {size[0], size[1] / 2};
  const bool point = kind == PK_SHAPE_CAPSULE && size[1] == 0;
  pki_xml_text(&w->text, "type", pk_shape_kind_name(point ? PK_SHAPE_SPHERE : kind));
  switch (kind) {
  case PK_SHAPE_BOX: pki_xml_reals(&w->text, "size", box, 3); break;
  case PK_SHAPE_ELLIPSOID: pki_xml_reals(&w->text, "size", size, 3); break;
  case PK_SHAPE_CYLINDER:
  case PK_SHAPE_CAPSULE: pki_xml_reals(&w->text, "size", round, point ? 1 : 2); break;
  default: pki_xml_reals(&w->text, "size", size, 1);
  }
}

static void put_mesh_geom(pki_writer *w, const pki_shape *shape)
{
  const char *file = w->meshes[shape->mesh].name, *slash = strrchr(file, '/');
  const char *stem = slash != NULL ? slash + 1 : file;
  pki_text_add(&w->text, " type=\"mesh\" mesh=\"");
  pki_text_add_bytes(&w->text, stem, strlen(stem) > 4 ? strlen(stem) - 4 : 0);
  pki_text_add(&w->text, "\"");
  if (!shape->desc.visual && shape->desc.kind == PK_SHAPE_MESH) {
    pki_write_lose(w, "that a mesh collides with its triangles: MuJoCo takes its convex hull",
                   shape->desc.link);
  }
}

/* The ground's kinds; the middle of a field is its origin in MuJoCo. */
static void put_ground_geom(pki_writer *w, int shape, pk_pose *pose)
{
  const pk_shape_desc *s = &w->b->shapes[shape].desc;
  if (s->kind == PK_SHAPE_PLANE) {
    pki_text_add(&w->text, " type=\"plane\" size=\"0 0 1\"");
    return;
  }
  double lowest, highest;
  const pk_heights *h = s->heights;
  height_range(h, &lowest, &highest);
  pk_pose middle = pk_pose_identity();
  middle.pos[0] = (h->nx - 1) * h->cell / 2, middle.pos[1] = (h->ny - 1) * h->cell / 2,
  middle.pos[2] = lowest;
  *pose = pki_pose_mul(pose, &middle);
  pki_text_addf(&w->text, " type=\"hfield\" hfield=\"heights_%d\"", shape);
}

/* Which shapes it meets, and how they slide. */
static void put_contact(pki_writer *w, const pk_shape_desc *s)
{
  if (s->pairs_only) {
    pki_text_add(&w->text, " contype=\"0\" conaffinity=\"0\"");
  } else if (s->group != 0 || s->mask != 0) {
    /* numbers of MJCF have a sign */
    pki_text_addf(&w->text, " contype=\"%d\" conaffinity=\"%d\"", (int)(s->group & 0x7fffffffu),
                  (int)(s->mask & 0x7fffffffu));
  } else if (w->grouped) {
    pki_text_add(&w->text, " contype=\"1\" conaffinity=\"2147483647\"");
  }
  if (s->friction != 0) {
    const double friction = fmax(s->friction, 0);
    pki_xml_reals(&w->text, "friction", &friction, 1);
  }
  if (s->priority != 0) {
    pki_text_addf(&w->text, " priority=\"%d\"", s->priority);
  }
}

static bool mjcf_has_shape(const pki_writer *w, pk_shape_kind kind)
{
  return kind != PK_SHAPE_CONE && (kind != PK_SHAPE_HEIGHTS || w->options->mujoco >= 3);
}

static void put_geom(pki_writer *w, int shape, const pk_pose *link, int depth)
{
  const pki_shape *kept = &w->b->shapes[shape];
  const pk_shape_desc *s = &kept->desc;
  const double plain[4] = {0.7, 0.7, 0.7, 1};
  if (!mjcf_has_shape(w, s->kind)) {
    pki_write_lose(w,
                   s->kind == PK_SHAPE_CONE
                       ? "cones are left out: MJCF has none"
                       : "height fields are left out: MuJoCo 2 reads them from files alone",
                   s->link);
    return;
  }
  pk_pose pose = pki_pose_mul(link, &s->pose);
  pki_xml_indent(&w->text, depth);
  pki_text_addf(&w->text, "<geom class=\"%s\"", s->visual ? "visual" : "collision");
  if (w->shape_named != NULL && w->shape_named[shape]) {
    pki_put_mjcf_name(w, "name", kept->robot, s->name);
  }
  if (kept->mesh >= 0) {
    put_mesh_geom(w, kept);
  } else if (s->kind == PK_SHAPE_PLANE || s->kind == PK_SHAPE_HEIGHTS) {
    put_ground_geom(w, shape, &pose);
  } else {
    put_solid(w, s->kind, s->size);
  }
  pki_put_mjcf_pose(&w->text, &pose);
  if (!s->visual) {
    put_contact(w, s);
  }
  if (s->visual || memcmp(s->rgba, plain, sizeof plain) != 0) {
    pki_xml_reals(&w->text, "rgba", s->rgba, 4);
  }
  pki_text_add(&w->text, "/>\n");
}

void pki_put_mjcf_shapes(pki_writer *w, int link, const pk_pose *pose, int depth)
{
  for (int s = w->shape_first[link]; s >= 0; s = w->shape_next[s]) {
    put_geom(w, s, pose, depth);
  }
}

/* ---- sites ---- */

void pki_put_mjcf_sites(pki_writer *w, int link, const pk_pose *pose, int depth)
{
  for (int i = 0; i < w->b->equipment.nsite; i++) {
    const pki_site *site = &w->b->equipment.sites[i];
    const pki_link *carrier = &w->b->links[link];
    if (site->robot != carrier->robot || strcmp(site->desc.link, carrier->desc.name) != 0) {
      continue;
    }
    const pk_pose placed = pki_pose_mul(pose, &site->desc.pose);
    pki_xml_indent(&w->text, depth);
    pki_text_add(&w->text, "<site");
    pki_put_mjcf_name(w, "name", site->robot, site->desc.name);
    pki_put_mjcf_pose(&w->text, &placed);
    if (!pki_is_zero(site->desc.size, 3)) {
      put_solid(w, site->desc.kind, site->desc.size);
    }
    pki_text_add(&w->text, "/>\n");
  }
}
