/* What the height readers promise for any bytes at all: a sound field or a message. */
#ifndef PK_FUZZ_HEIGHTS_TARGET_H
#define PK_FUZZ_HEIGHTS_TARGET_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "collision/shapes/heights.h"
#include "collision/shapes/heights_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_heights(const pk_heights_options *o, const uint8_t *data, size_t size)
{
  pk_heights h;
  pk_error err = {PK_OK, 0, "", "", ""};
  const pk_status status = pki_heights_parse("input", data, size, o, &h, &err);
  if (status != PK_OK) {
    if (err.status != status || err.message[0] == '\0' || h.z != NULL) {
      abort();
    }
    return;
  }
  /* what was read makes a field that answers */
  const pk_geometry_desc desc = {
      .kind = PK_SHAPE_HEIGHTS, .nx = h.nx, .ny = h.ny, .cell = h.cell, .heights = h.z};
  pki_heights *field = NULL;
  double distance = NAN, normal[3];
  if (pki_heights_create(&desc, &field, &err) != PK_OK ||
      !pki_heights_ray(field, (const double[3]){0.05, 0.05, 2 * PKI_HEIGHTS_FAR}, (const double[3]){0, 0, -1},
                       INFINITY, &distance, normal) ||
      !isfinite(distance)) {
    abort();
  }
  pki_heights_destroy(field);
  pk_heights_free(&h);
}

#endif
