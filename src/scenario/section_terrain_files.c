/* Ground that comes from files and functions. */
#include <stdlib.h>

#include "base/hash.h"
#include "scenario/files.h"
#include "scenario/section_terrain.h"

pk_status pki_ground_mesh(pki_ground_maker *maker, const pki_node *node, const pki_ground_solid *solid,
                          const pk_pose *pose, int material, pk_error *err)
{
  const pki_node *named = pki_node_find(node, "file");
  pki_mesh read;
  pk_status status = pki_scenario_load_mesh(maker->scenario, named, solid->file, solid->scale, &read, err);
  const pk_mesh mesh = {.name = solid->file,
                        .nvertex = read.nvertex,
                        .ntriangle = read.ntriangle,
                        .vertex = read.vertex,
                        .triangle = read.triangle};
  const pk_geometry_desc desc = {.kind = solid->shape == PKI_GROUND_CONVEX ? PK_SHAPE_CONVEX : PK_SHAPE_MESH,
                                 .mesh = &mesh};
  if (status == PK_OK) {
    maker->hash = pki_hash_bytes(maker->hash, read.vertex, 3 * (size_t)read.nvertex * sizeof *read.vertex);
    maker->hash =
        pki_hash_bytes(maker->hash, read.triangle, 3 * (size_t)read.ntriangle * sizeof *read.triangle);
    status = pki_scenario_place_file(pk_terrain_add_geometry(maker->terrain, pose, &desc, material, err),
                                     named, solid->file, err);
  }
  pki_mesh_free(&read);
  return status;
}

/* ---- heights ---- */

/* Rows along y of heights along x, all of one length. */
static pk_status read_rows(const pki_node *rows, pk_heights *out, pk_error *err)
{
  pk_status status = pki_read_kind(rows, PKI_NODE_LIST, err);
  const int ny = rows->count;
  const int nx = rows->first != NULL && rows->first->kind == PKI_NODE_LIST ? rows->first->count : 0;
  if (status == PK_OK && (nx < 2 || ny < 2)) {
    status = pki_node_fail(rows, err, PK_ERROR_ARGUMENT,
                           "heights are %d rows of %d, expected two rows of two at least", ny, nx);
  }
  /* every height is a node, so their product is bounded by the size of the file once all rows agree */
  for (const pki_node *row = rows->first; row != NULL && status == PK_OK; row = row->next) {
    if (row->kind != PKI_NODE_LIST || row->count != nx) {
      status = pki_node_fail(row, err, PK_ERROR_ARGUMENT, "this row has %d heights, the first one has %d",
                             row->count, nx);
    }
  }
  if (status != PK_OK) {
    return status;
  }
  out->nx = nx, out->ny = ny;
  out->z = malloc((size_t)nx * (size_t)ny * sizeof *out->z);
  if (out->z == NULL) {
    return pki_node_fail(rows, err, PK_ERROR_MEMORY, "out of memory");
  }
  size_t k = 0;
  for (const pki_node *row = rows->first; row != NULL && status == PK_OK; row = row->next) {
    for (const pki_node *n = row->first; n != NULL && status == PK_OK; n = n->next) {
      status = pki_read_real(n, &out->z[k++], err);
    }
  }
  return status;
}

static pk_status load_heights(pki_ground_maker *maker, const pki_node *node, const pki_ground_solid *solid,
                              pk_heights *out, pk_error *err)
{
  char path[PKI_PATH_MAX];
  const pki_node *named = pki_node_find(node, "file");
  pk_status status = pki_scenario_find_file(maker->scenario, named, solid->file, path, err);
  if (status != PK_OK) {
    return status;
  }
  status = pki_scenario_place_file(pk_heights_load(path, &solid->heights, out, err), named, solid->file, err);
  if (status == PK_OK) {
    maker->hash = pki_hash_bytes(maker->hash, out->z, (size_t)out->nx * (size_t)out->ny * sizeof *out->z);
  }
  return status;
}

static pk_status make_heights(pki_ground_maker *maker, const pki_node *node, const pki_ground_solid *solid,
                              pk_heights *out, pk_error *err)
{
  const int nx = solid->heights.nx, ny = solid->heights.ny;
  if (nx < 2 || ny < 2) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT,
                         "a function needs nx and ny, 2 or more: how many heights there are along x and y");
  }
  maker->generated += (double)nx * ny;
  if (maker->generated > PKI_GROUND_GENERATED) {
    return pki_node_fail(
        node, err, PK_ERROR_LIMIT,
        "functions make %.0f heights up to here, at most %d are possible; a file may have more",
        maker->generated, PKI_GROUND_GENERATED);
  }
  return pki_node_place(pk_heights_generate(&solid->pattern, nx, ny, solid->heights.cell, out, err), node, "",
                        err);
}

/* Heights come from one place, and no key speaks of another. */
static pk_status check_keys(const pki_node *node, bool listed, bool loaded, bool made, pk_error *err)
{
  static const struct {
    const char *key, *of;
    bool listed, loaded, made; /* where it means something */
  } rows[] = {
      {"format", "a file", false, true, false},        {"scale", "a file", false, true, false},
      {"nx", "a file or function", false, true, true}, {"ny", "a file or function", false, true, true},
      {"amplitude", "a function", false, false, true}, {"length", "a function", false, false, true},
      {"seed", "a function", false, false, true},
  };
  if (listed + loaded + made != 1) {
    return pki_node_fail(
        node, err, PK_ERROR_ARGUMENT,
        listed + loaded + made == 0
            ? "the key \"heights\" is missing: rows of heights; or \"file\", or \"function\""
            : "heights come from one of \"heights\", \"file\" and \"function\", found %d of them",
        listed + loaded + made);
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const pki_node *given = pki_node_find(node, rows[i].key);
    if (given != NULL &&
        !((listed && rows[i].listed) || (loaded && rows[i].loaded) || (made && rows[i].made))) {
      return pki_node_fail(given, err, PK_ERROR_ARGUMENT, "\"%s\" is for heights from %s", rows[i].key,
                           rows[i].of);
    }
  }
  return PK_OK;
}

pk_status pki_ground_heights(pki_ground_maker *maker, const pki_node *node, const pki_ground_solid *solid,
                             const pk_pose *pose, int material, pk_error *err)
{
  const pki_node *rows = pki_node_find(node, "heights");
  const bool loaded = solid->file[0] != '\0', made = solid->pattern.function != PK_HEIGHTS_NONE;
  pk_heights h = {0};
  pk_status status = check_keys(node, rows != NULL, loaded, made, err);
  if (status != PK_OK) {
    return status;
  }
  status = rows != NULL ? read_rows(rows, &h, err)
           : loaded     ? load_heights(maker, node, solid, &h, err)
                        : make_heights(maker, node, solid, &h, err);
  if (status == PK_OK) {
    const pk_geometry_desc desc = {
        .kind = PK_SHAPE_HEIGHTS, .nx = h.nx, .ny = h.ny, .cell = solid->heights.cell, .heights = h.z};
    status = pk_terrain_add_geometry(maker->terrain, pose, &desc, material, err);
  }
  pk_heights_free(&h);
  return status;
}
