/* <hfield>: heights on an even grid over a rectangle, from a picture, a binary file or the element itself. They are
 * stretched to go from 0 to 1, then to the height that the element gives. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/mjcf/mjcf.h"
#include "pronk/heights.h"

/* Heights of one field, and of all uses together; those of one that a file only gives numbers of rows and columns for. */
enum { CELL_MAX = 25000000, FLAT_MAX = 1000000 };

struct pki_mjcf_hfield {
  const pki_mjcf_node *node;
  pk_heights heights;
  double size[4];
  bool good;
  pki_mjcf_hfield *next;
};

/* Binary: int32 rows, int32 columns, float32 heights. */
static bool read_binary(pki_mjcf *m, const pki_mjcf_node *node, const char *path, pk_heights *h)
{
  size_t size = 0;
  char *data = pki_file_read(path, 4 * (size_t)CELL_MAX + 8, &size);
  int32_t head[2] = {0, 0};
  if (data != NULL && size >= sizeof head) {
    memcpy(head, data, sizeof head);
  }
  const bool good = data != NULL && head[0] > 1 && head[1] > 1 && (int64_t)head[0] * head[1] <= CELL_MAX &&
                    size == sizeof head + 4 * (size_t)head[0] * (size_t)head[1];
  const size_t count = good ? (size_t)head[0] * (size_t)head[1] : 0;
  h->z = good ? malloc(count * sizeof *h->z) : NULL;
  for (size_t i = 0; h->z != NULL && i < count; i++) {
    float value;
    memcpy(&value, data + sizeof head + 4 * i, sizeof value);
    h->z[i] = value;
  }
  h->ny = head[0], h->nx = head[1];
  free(data);
  if (!good) {
    pki_mjcf_error(m, node, "file", PK_ERROR_FILE,
                   "%s is no height field: its size does not fit its numbers of rows %s", path,
                   "and columns");
  }
  m->no_memory |= good && h->z == NULL;
  return h->z != NULL;
}

static bool read_heights_file(pki_mjcf *m, const pki_mjcf_node *node, const char *file, pk_heights *h)
{
  pk_error err;
  const char *name = pki_mjcf_asset_path(m, node, file);
  char *path = name != NULL ? pki_urdf_resolve(&m->folders, name, &err) : NULL;
  if (path == NULL) {
    pki_mjcf_error(m, node, "file", PK_ERROR_FILE,
                   "height field \"%s\" is not there, or not in the folder of the model",
                   pki_urdf_quoted(file).text);
    return false;
  }
  bool good;
  if (pki_ends_with(path, ".png") || pki_ends_with(path, ".PNG")) {
    pk_heights_options options = pk_heights_options_default();
    options.format = PK_HEIGHTS_PNG;
    options.cell = 1;
    good = pk_heights_load(path, &options, h, &err) == PK_OK;
    if (!good) {
      pki_mjcf_error(m, node, "file", err.status, "%.200s: %.400s", path, err.message);
    }
  } else {
    good = read_binary(m, node, path, h);
  }
  free(path);
  return good;
}

/* Written in the element: the first row is the far side, as in a picture. */
static bool read_elevation(pki_mjcf *m, const pki_mjcf_node *node, pk_heights *h)
{
  const char *text = pki_mjcf_own(node, "elevation");
  h->ny = pki_mjcf_int(m, node, "nrow", 0), h->nx = pki_mjcf_int(m, node, "ncol", 0);
  const int found = text != NULL ? pki_mjcf_scan_reals(text, 0, NULL) : 0;
  if (h->nx < 2 || h->ny < 2 || (int64_t)h->nx * h->ny > CELL_MAX || (found != 0 && found != h->nx * h->ny)) {
    pki_mjcf_error(m, node, "elevation", PK_ERROR_MODEL,
                   "a height field needs a file, or nrow and ncol above 1 and as many numbers of elevation");
    return false;
  }
  if (found == 0 && h->nx * h->ny > FLAT_MAX) {
    pki_mjcf_error(
        m, node, "nrow", PK_ERROR_LIMIT,
        "%d by %d heights without a file or elevation, expected at most %d: it is flat, use a plane", h->ny,
        h->nx, FLAT_MAX);
    return false;
  }
  const size_t count = (size_t)h->nx * (size_t)h->ny, row = (size_t)h->nx;
  double *given = calloc(count, sizeof *given);
  h->z = malloc(count * sizeof *h->z);
  if (given == NULL || h->z == NULL) {
    free(given);
    m->no_memory = true;
    return false;
  }
  if (text != NULL) {
    pki_mjcf_scan_reals(text, (int)count, given);
  }
  for (size_t r = 0; r < (size_t)h->ny; r++) {
    memcpy(h->z + r * row, given + ((size_t)h->ny - 1 - r) * row, row * sizeof *given);
  }
  free(given);
  return true;
}

/* From the lowest to the highest: 0 to `height`. */
static void stretch(pk_heights *h, double height)
{
  const size_t count = (size_t)h->nx * (size_t)h->ny;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    low = fmin(low, h->z[i]);
    high = fmax(high, h->z[i]);
  }
  for (size_t i = 0; i < count; i++) {
    h->z[i] = high - low > 1e-15 ? height * (h->z[i] - low) / (high - low) : 0;
  }
}

static bool read_hfield(pki_mjcf *m, pki_mjcf_hfield *field)
{
  const pki_mjcf_node *node = field->node;
  pk_heights *h = &field->heights;
  double *size = field->size;
  pki_mjcf_reals(m, node, "size", 4, size);
  if (!(size[0] > 0 && size[1] > 0 && size[2] > 0 && size[3] > 0)) {
    pki_mjcf_error(m, node, "size", PK_ERROR_MODEL, "the four numbers of size must be positive");
    return false;
  }
  const char *file = pki_mjcf_own(node, "file");
  if (!(file != NULL && file[0] != '\0' ? read_heights_file(m, node, file, h) : read_elevation(m, node, h))) {
    return false;
  }
  stretch(h, size[2]);
  const double dx = 2 * size[0] / (h->nx - 1), dy = 2 * size[1] / (h->ny - 1);
  if (fabs(dx - dy) > 1e-6 * dx) {
    pki_mjcf_error(
        m, node, "size", PK_ERROR_UNSUPPORTED,
        "the cells of the height field are %g by %g m: only square ones are read; change size or resample it",
        dx, dy);
    return false;
  }
  h->cell = dx;
  return true;
}

/* The field of an element, read once; NULL when it cannot be had (reported). */
static const pki_mjcf_hfield *get_hfield(pki_mjcf *m, const pki_mjcf_node *node, const char *name)
{
  pki_mjcf_hfield *field = pki_mjcf_find(m, "read hfield", name);
  if (field == NULL) {
    field = pki_mjcf_alloc(m, sizeof *field);
    if (field == NULL) {
      return NULL;
    }
    field->node = node;
    field->next = m->hfields;
    m->hfields = field;
    pki_mjcf_enter(m, node, "read hfield", name, field);
    field->good = read_hfield(m, field);
  }
  return field->good ? field : NULL;
}

void pki_mjcf_free_hfields(pki_mjcf *m)
{
  for (pki_mjcf_hfield *field = m->hfields; field != NULL; field = field->next) {
    pk_heights_free(&field->heights);
  }
}

bool pki_mjcf_heights(pki_mjcf *m, const pki_mjcf_geom *g, pk_shape_desc *shape)
{
  const char *name = pki_mjcf_text(m, g->node, "hfield");
  const pki_mjcf_node *node = pki_mjcf_find(m, "hfield", name);
  if (node == NULL) {
    pki_mjcf_unknown(m, g->node, "hfield", "hfield", name);
    return false;
  }
  const pki_mjcf_hfield *field = get_hfield(m, node, name);
  if (field == NULL) {
    return false;
  }
  m->ncell += (long long)field->heights.nx * field->heights.ny;
  if (m->ncell > CELL_MAX) {
    pki_mjcf_error(m, g->node, "hfield", PK_ERROR_LIMIT,
                   "the height fields of all geoms together have more than %d heights", CELL_MAX);
    return false;
  }
  shape->heights = &field->heights;
  /* MuJoCo's is centred at the geom, ours begins at its first height */
  for (int i = 0; i < 3; i++) {
    shape->pose.pos[i] -=
        field->size[0] * shape->pose.rot[3 * i] + field->size[1] * shape->pose.rot[3 * i + 1];
  }
  return true;
}
