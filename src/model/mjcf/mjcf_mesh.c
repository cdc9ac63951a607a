/* <mesh>: read when it is first used, placed and scaled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/mjcf/mjcf.h"

/* The part of a path behind its last slash. */
static const char *last_part(const char *path)
{
  const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');
  slash = back != NULL && (slash == NULL || back > slash) ? back : slash;
  return slash != NULL ? slash + 1 : path;
}

const char *pki_mjcf_stem(pki_mjcf *m, const char *file)
{
  const char *name = last_part(file), *dot = strrchr(name, '.');
  return dot != NULL ? pki_mjcf_print(m, "%.*s", (int)(dot - name), name) : name;
}

/* Where a file of an asset lies, from the folder of the model. */
const char *pki_mjcf_asset_path(pki_mjcf *m, const pki_mjcf_node *node, const char *file)
{
  const pki_mjcf_settings *s = node->settings;
  file = s->strip_path ? last_part(file) : file;
  const bool here = s->mesh_dir[0] == '\0' || file[0] == '/' || strstr(file, "://") != NULL;
  const bool slash = !here && s->mesh_dir[strlen(s->mesh_dir) - 1] == '/';
  return here ? file : pki_mjcf_print(m, "%s%s%s", s->mesh_dir, slash ? "" : "/", file);
}

/* ---- places of vertices ---- */

/* MuJoCo moves by refpos, turns by refquat, then scales. */
static bool place_vertices(pki_mjcf *m, pki_mjcf_mesh *mesh)
{
  double pos[3] = {0, 0, 0}, quat[4] = {1, 0, 0, 0}, scale[3] = {1, 1, 1}, rot[9];
  pki_mjcf_reals(m, mesh->node, "refpos", 3, pos);
  pki_mjcf_reals(m, mesh->node, "refquat", 4, quat);
  pki_mjcf_reals(m, mesh->node, "scale", 3, scale);
  if (!(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3] > 0)) {
    pki_mjcf_error(m, mesh->node, "refquat", PK_ERROR_MODEL, "refquat has no length");
    return false;
  }
  if (scale[0] == 0 || scale[1] == 0 || scale[2] == 0) {
    pki_mjcf_error(m, mesh->node, "scale", PK_ERROR_MODEL, "scale is %g %g %g: no factor may be 0", scale[0],
                   scale[1], scale[2]);
    return false;
  }
  pki_quat_to_mat3(quat, rot);
  bool finite = true;
  for (int i = 0; i < mesh->data.nvertex; i++) {
    double *v = mesh->data.vertex + 3 * (size_t)i;
    pki_sub3(v, pos, v);
    pki_mat3_apply_transposed(rot, v, v);
    for (int k = 0; k < 3; k++) {
      v[k] *= scale[k];
      finite = finite && isfinite(v[k]);
    }
  }
  /* a mirror image keeps its outside outside */
  const bool mirrored = (scale[0] < 0) != ((scale[1] < 0) != (scale[2] < 0));
  for (int i = 0; mirrored && i < mesh->data.ntriangle; i++) {
    int *t = mesh->data.triangle + 3 * (size_t)i;
    const int second = t[1];
    t[1] = t[2];
    t[2] = second;
  }
  if (!finite) {
    pki_mjcf_error(m, mesh->node, "scale", PK_ERROR_MODEL, "a vertex of the scaled mesh is not finite");
  }
  return finite;
}

/* ---- where they come from ---- */

/* Vertices and faces that are written in the element. */
static bool read_inline(pki_mjcf *m, pki_mjcf_mesh *mesh)
{
  const pki_mjcf_node *node = mesh->node;
  const char *vertex = pki_mjcf_own(node, "vertex"), *face = pki_mjcf_own(node, "face");
  const int nreal = pki_mjcf_scan_reals(vertex, 0, NULL),
            nindex = face != NULL ? pki_mjcf_scan_reals(face, 0, NULL) : 0;
  if (nreal < 12 || nreal % 3 != 0 || nindex % 3 != 0) {
    pki_mjcf_error(m, node, nindex % 3 != 0 ? "face" : "vertex", PK_ERROR_MODEL,
                   "a mesh needs 4 vertices or more, each of 3 numbers, and 3 vertices for each face");
    return false;
  }
  pki_mesh *data = &mesh->data;
  double *index = malloc(((size_t)nindex + 1) * sizeof *index);
  data->vertex = malloc((size_t)nreal * sizeof *data->vertex);
  data->triangle = malloc(((size_t)nindex + 1) * sizeof *data->triangle);
  if (index == NULL || data->vertex == NULL || data->triangle == NULL) {
    free(index);
    m->no_memory = true;
    return false;
  }
  data->nvertex = pki_mjcf_scan_reals(vertex, nreal, data->vertex) / 3;
  data->ntriangle = nindex / 3;
  bool good = true;
  if (face != NULL) {
    pki_mjcf_scan_reals(face, nindex, index);
  }
  for (int i = 0; i < nindex && good; i++) {
    good = index[i] >= 0 && index[i] < data->nvertex;
    data->triangle[i] = good ? (int)index[i] : 0;
    if (!good) {
      pki_mjcf_error(m, node, "face", PK_ERROR_MODEL, "face %d has vertex %g, expected 0 to %d", i / 3,
                     index[i], data->nvertex - 1);
    }
  }
  free(index);
  /* MuJoCo keeps vertices as floats */
  for (int i = 0; i < nreal; i++) {
    data->vertex[i] = (float)data->vertex[i];
  }
  return good && (nindex > 0 || pki_mjcf_hull(m, node, data));
}

/* A mesh of a file; one that is missing is left out, with a warning. */
static bool read_file(pki_mjcf *m, pki_mjcf_mesh *mesh, const char *file)
{
  pk_error err;
  const char *name = pki_mjcf_asset_path(m, mesh->node, file);
  if (name == NULL) {
    return false;
  }
  char *path = pki_urdf_resolve(&m->folders, name, &err);
  if (path == NULL) {
    pki_mjcf_warn(m, mesh->node, "file", "mesh-missing", "%s; its shapes are left out", err.message);
    return false;
  }
  const pk_status status = pki_mesh_load(path, &mesh->data, &err);
  if (status == PK_ERROR_UNSUPPORTED) {
    pki_mjcf_warn(m, mesh->node, "file", "mesh-missing", "mesh %.200s: %.400s; its shapes are left out", path,
                  err.message);
  } else if (status != PK_OK) {
    pki_mjcf_error(m, mesh->node, "file", status, "mesh %.200s: %.400s", path, err.message);
  }
  free(path);
  return status == PK_OK;
}

static bool read_mesh_data(pki_mjcf *m, pki_mjcf_mesh *mesh)
{
  const pki_mjcf_node *node = mesh->node;
  const char *file = pki_mjcf_own(node, "file");
  const char *builtin = pki_mjcf_own(node, "builtin");
  if (builtin != NULL && strcmp(builtin, "none") != 0) {
    pki_mjcf_error(m, node, "builtin", PK_ERROR_UNSUPPORTED,
                   "meshes that MuJoCo makes itself are not read: use a file");
    return false;
  }
  if (node->first != NULL) {
    pki_mjcf_error(m, node, NULL, PK_ERROR_UNSUPPORTED, "meshes of plugins are not read: use a file");
    return false;
  }
  if (file == NULL && pki_mjcf_own(node, "vertex") == NULL) {
    pki_mjcf_error(m, node, "file", PK_ERROR_SYNTAX, "<mesh> needs a file or vertices");
    return false;
  }
  return file != NULL ? m->options->load_meshes && read_file(m, mesh, file) : read_inline(m, mesh);
}

static void load_mesh(pki_mjcf *m, pki_mjcf_mesh *mesh)
{
  mesh->tried = true;
  if (!read_mesh_data(m, mesh) || !place_vertices(m, mesh)) {
    return;
  }
  m->ntriangle += mesh->data.ntriangle;
  if (m->ntriangle > PKI_MESH_MAX_TRIANGLES) {
    pki_mjcf_error(m, mesh->node, "file", PK_ERROR_LIMIT,
                   "the meshes of this model have more than %d triangles", (int)PKI_MESH_MAX_TRIANGLES);
    return;
  }
  mesh->view = (pk_mesh){.name = mesh->name,
                         .nvertex = mesh->data.nvertex,
                         .ntriangle = mesh->data.ntriangle,
                         .vertex = mesh->data.vertex,
                         .triangle = mesh->data.triangle};
  mesh->good = true;
}

pki_mjcf_mesh *pki_mjcf_get_mesh(pki_mjcf *m, const pki_mjcf_node *node)
{
  const char *name = pki_mjcf_text(m, node, "mesh");
  pki_mjcf_mesh *mesh = pki_mjcf_find(m, "mesh", name);
  if (mesh == NULL) {
    pki_mjcf_unknown(m, node, "mesh", "mesh", name);
    return NULL;
  }
  if (!mesh->tried) {
    load_mesh(m, mesh);
  }
  return mesh->good ? mesh : NULL;
}

void pki_mjcf_free_meshes(pki_mjcf *m)
{
  for (pki_mjcf_mesh *mesh = m->meshes; mesh != NULL; mesh = mesh->next) {
    pki_mesh_free(&mesh->data);
  }
}
