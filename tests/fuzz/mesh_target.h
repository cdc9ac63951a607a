/* What the mesh readers promise for any bytes at all: a sound mesh or a message. */
#ifndef PK_FUZZ_MESH_TARGET_H
#define PK_FUZZ_MESH_TARGET_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mesh(const pki_mesh *mesh)
{
  if (mesh->nvertex < 1 || mesh->ntriangle < 1) {
    abort();
  }
  for (size_t i = 0; i < 3 * (size_t)mesh->nvertex; i++) {
    if (!isfinite(mesh->vertex[i])) {
      abort();
    }
  }
  for (size_t i = 0; i < 3 * (size_t)mesh->ntriangle; i++) {
    if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->nvertex) {
      abort();
    }
  }
}

static void try_mesh(const char *kind, const uint8_t *data, size_t size)
{
  pki_mesh mesh;
  pk_error err = {PK_OK, 0, "", "", ""};
  const pk_status status = pki_mesh_parse(kind, "input", data, size, &mesh, &err);
  if (status == PK_OK) {
    check_mesh(&mesh);
  } else if (err.status != status || err.message[0] == '\0' || mesh.vertex != NULL || mesh.triangle != NULL) {
    abort();
  }
  pki_mesh_free(&mesh);
}

#endif
