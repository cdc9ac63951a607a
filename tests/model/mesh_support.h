/* Reading meshes from strings in the tests. */
#ifndef PK_TESTS_MODEL_MESH_SUPPORT_H
#define PK_TESTS_MODEL_MESH_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh.h"

/* A failure as a test expects it. */
typedef struct expected_error {
  pk_status status;
  int line;
  const char *field;
  const char *message;
} expected_error;

/* The bytes in a block of exactly their size, so that a sanitizer sees a read beyond the end. */
static inline pk_status parse_block(const char *kind, const void *data, size_t size, pki_mesh *mesh,
                                    pk_error *err)
{
  void *block = malloc(size + !size);
  assert_non_null(block);
  memcpy(block, data, size);
  const pk_status status = pki_mesh_parse(kind, "test.file", block, size, mesh, err);
  free(block);
  return status;
}

static inline pki_mesh parse_good(const char *kind, const void *data, size_t size)
{
  pki_mesh mesh;
  pk_error err = {PK_OK, 0, "", "", ""};
  if (parse_block(kind, data, size, &mesh, &err) != PK_OK) {
    fail_msg("%s:%d: %s: %s", err.file, err.line, err.field, err.message);
  }
  return mesh;
}

static inline void assert_error(const pk_error *err, expected_error expected)
{
  assert_string_equal(err->message, expected.message);
  assert_int_equal(err->status, expected.status);
  assert_int_equal(err->line, expected.line);
  assert_string_equal(err->field, expected.field);
}

static inline void assert_refused(const char *kind, const void *data, size_t size, expected_error expected)
{
  pki_mesh mesh;
  memset(&mesh, 0xa5, sizeof mesh);
  pk_error err = {PK_OK, 0, "", "", ""};
  assert_int_equal(parse_block(kind, data, size, &mesh, &err), expected.status);
  assert_error(&err, expected);
  assert_string_equal(err.file, "test.file");
  assert_null(mesh.vertex);
  assert_null(mesh.triangle);
  assert_int_equal(mesh.nvertex, 0);
  assert_int_equal(mesh.ntriangle, 0);
}

/* The whole mesh: vertices in order of first use, triangles in the file's order. */
static inline void assert_mesh(pki_mesh *mesh, int nvertex, const double (*vertex)[3], int ntriangle,
                               const int (*triangle)[3])
{
  assert_int_equal(mesh->nvertex, nvertex);
  assert_int_equal(mesh->ntriangle, ntriangle);
  for (int i = 0; i < nvertex; i++) {
    for (int k = 0; k < 3; k++) {
      const double found = mesh->vertex[3 * i + k];
      if (!(fabs(found - vertex[i][k]) <= 1e-15)) {
        fail_msg("vertex %d has coordinate %d = %.17g; expected %.17g", i, k, found, vertex[i][k]);
      }
    }
  }
  assert_memory_equal(mesh->triangle, triangle, 3 * (size_t)ntriangle * sizeof(int));
  pki_mesh_free(mesh);
  assert_null(mesh->vertex);
}

#endif
