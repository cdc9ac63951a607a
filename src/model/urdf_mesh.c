/* Meshes of one load: each file once for each scale. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh.h"
#include "model/urdf.h"

/* Bounds over a whole robot, so that many names of one file stay affordable. */
enum { MESH_COUNT_MAX = 10000 };

/* What the table of meshes holds; `view` points into `data`. */
typedef struct entry {
  bool good;
  bool said[2];     /* why it cannot be had, for a collision shape and for a visual */
  const char *kind; /* of the warning about a visual */
  pk_error why;
  pki_mesh data;
  pk_mesh view;
  char name[];
} entry;

static void free_entry(void *payload, const xmlChar *key)
{
  (void)key;
  entry *e = payload;
  pki_mesh_free(&e->data);
  free(e);
}

void pki_urdf_free_meshes(pki_urdf *u)
{
  xmlHashFree(u->meshes, free_entry);
  u->meshes = NULL;
}

/* Factors along x, y, z; false when they cannot be used (reported). */
static bool read_scale(pki_urdf *u, const xmlNode *node, bool visual, double scale[3])
{
  if (!pki_urdf_numbers(u, node, "scale", 3, scale)) {
    const char *text = pki_urdf_value(node, "scale");
    return text == NULL || text[strspn(text, " \t\r\n")] == '\0';
  }
  if (scale[0] == 0 || scale[1] == 0 || scale[2] == 0) {
    pki_urdf_warn(u, node, "scale", PK_ERROR_MODEL, "shape-empty", "scale of <mesh> is %g %g %g: %s",
                  scale[0], scale[1], scale[2], pki_urdf_left_out(visual));
    return false;
  }
  return true;
}

/* Scale the vertices; a mirror image keeps its outside outside. */
static bool apply_scale(pki_mesh *mesh, const double scale[3])
{
  bool finite = true;
  for (int i = 0; i < mesh->nvertex; i++) {
    for (int k = 0; k < 3; k++) {
      mesh->vertex[3 * i + k] *= scale[k];
      finite = finite && isfinite(mesh->vertex[3 * i + k]);
    }
  }
  const bool mirrored = (scale[0] < 0) != ((scale[1] < 0) != (scale[2] < 0));
  for (int i = 0; mirrored && i < mesh->ntriangle; i++) {
    int *t = mesh->triangle + 3 * i;
    const int second = t[1];
    t[1] = t[2];
    t[2] = second;
  }
  return finite;
}

/* Find, read and scale a file; why not is kept in the entry. */
static bool load_mesh_file(pki_urdf *u, const char *uri, const double scale[3], entry *e)
{
  pki_mesh *mesh = &e->data;
  pk_error err;
  char *path = pki_urdf_resolve(&u->folders, uri, &err);
  if (path == NULL) {
    e->kind = "mesh-missing";
    e->why = err;
    return false;
  }
  const pk_status status = pki_mesh_load(path, mesh, &err);
  if (status != PK_OK) {
    char line[24] = "";
    if (err.line > 0) {
      snprintf(line, sizeof line, ":%d", err.line);
    }
    e->kind = "mesh-unreadable";
    pki_fail(&e->why, status, (pki_where){0}, "mesh %.200s%s: %.300s", path, line, err.message);
    free(path);
    return false;
  }
  free(path);
  u->ntriangle += mesh->ntriangle;
  if (u->ntriangle > PKI_MESH_MAX_TRIANGLES) {
    pki_fail(&e->why, PK_ERROR_LIMIT, (pki_where){0}, "the meshes of this robot have more than %d triangles",
             (int)PKI_MESH_MAX_TRIANGLES);
    return false;
  }
  if (!apply_scale(mesh, scale)) {
    e->kind = "mesh-unreadable";
    pki_fail(&e->why, PK_ERROR_MODEL, (pki_where){0}, "a vertex of the scaled mesh is not finite");
    return false;
  }
  return true;
}

/* A mesh that cannot be had is left out, said once for visuals and once for what collides; bounds stay errors. */
static void report_mesh(pki_urdf *u, const xmlNode *node, bool visual, entry *e)
{
  if (e->said[visual]) {
    return;
  }
  e->said[visual] = true;
  if (e->why.status == PK_ERROR_LIMIT || e->why.status == PK_ERROR_MEMORY || e->kind == NULL) {
    e->said[!visual] = true;
    pki_urdf_error(u, node, "filename", e->why.status, "%s", e->why.message);
  } else {
    pki_urdf_warn(u, node, "filename", e->why.status, visual ? e->kind : "collision-missing", "%s; %s",
                  e->why.message, pki_urdf_left_out(visual));
  }
}

/* A new entry under `key`; NULL when there is no memory or there are too many (reported). */
static entry *add_entry(pki_urdf *u, const xmlNode *node, const char *uri, const char *key)
{
  if (xmlHashSize(u->meshes) >= MESH_COUNT_MAX) {
    pki_urdf_error(u, node, "filename", PK_ERROR_LIMIT, "this robot has more than %d different meshes",
                   MESH_COUNT_MAX);
    return NULL;
  }
  entry *e = calloc(1, sizeof *e + strlen(uri) + 1);
  if (e == NULL || xmlHashAddEntry2(u->meshes, (const xmlChar *)uri, (const xmlChar *)key, e) != 0) {
    free(e);
    pki_urdf_error(u, node, "filename", PK_ERROR_MEMORY, "out of memory");
    return NULL;
  }
  memcpy(e->name, uri, strlen(uri) + 1);
  return e;
}

const pk_mesh *pki_urdf_load_mesh(pki_urdf *u, const xmlNode *node, bool visual)
{
  const char *uri = pki_urdf_value(node, "filename");
  double scale[3] = {1, 1, 1};
  if (uri == NULL || uri[strspn(uri, " \t\r\n")] == '\0') {
    pki_urdf_warn(u, node, "filename", PK_ERROR_SYNTAX, visual ? "mesh-missing" : "collision-missing",
                  "<mesh> names no file: %s", pki_urdf_left_out(visual));
    return NULL;
  }
  if (!read_scale(u, node, visual, scale) || !u->options->load_meshes) {
    return NULL;
  }
  char key[96];
  snprintf(key, sizeof key, "%a %a %a", scale[0], scale[1], scale[2]);
  entry *e = xmlHashLookup2(u->meshes, (const xmlChar *)uri, (const xmlChar *)key);
  if (e == NULL) {
    e = add_entry(u, node, uri, key);
    if (e == NULL) {
      return NULL;
    }
    e->good = load_mesh_file(u, uri, scale, e);
    e->view = (pk_mesh){.name = e->name,
                        .nvertex = e->data.nvertex,
                        .ntriangle = e->data.ntriangle,
                        .vertex = e->data.vertex,
                        .triangle = e->data.triangle};
  }
  if (!e->good) {
    report_mesh(u, node, visual, e);
    return NULL;
  }
  return &e->view;
}
