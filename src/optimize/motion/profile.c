/* Curves over the points of a phase, by name. */
#include "optimize/motion/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/finite.h"

enum { KEY = 48, COLUMNS = 4 };

/* Which curve: a variable's or a row's; rows of one name at one point are counted. */
typedef struct curve_key {
  char what[KEY], of[KEY];
  int row, phase, sub;
} curve_key;

/* Columns: place in the phase, then of a variable its value and two multipliers, of a row its multiplier. */
typedef struct curve {
  curve_key key;
  int count, capacity;
  double *columns[COLUMNS];
} curve;

struct pki_profile {
  curve *curves;
  int count, capacity;
  int cursor; /* where the last search ended; the next one most likely ends behind it */
};

static curve_key make_key(const pki_nlp_label *label, int row, int sub)
{
  curve_key key = {.row = row, .phase = label->phase, .sub = sub};
  strncpy(key.what, label->what, KEY - 1);
  strncpy(key.of, label->of != NULL ? label->of : "", KEY - 1);
  return key;
}

static bool is_key(const curve_key *a, const curve_key *b)
{
  return a->row == b->row && a->phase == b->phase && a->sub == b->sub && strcmp(a->what, b->what) == 0 &&
         strcmp(a->of, b->of) == 0;
}

static int find_curve(const pki_profile *profile, const curve_key *key, int from)
{
  for (int step = 0; step < profile->count; step++) {
    const int i = (from + step) % profile->count;
    if (is_key(&profile->curves[i].key, key)) {
      return i;
    }
  }
  return -1;
}

/* A row of Simpson's rule over the interval that begins at its point; the row of the middle has the same name and the next point. */
static bool is_simpson(const pki_nlp_label *label)
{
  return strncmp(label->what, "cubic", 5) == 0 && label->point % 2 == 0;
}

/* Rows of one label at one point follow each other. Those of Simpson's rule and of middles are curves of their own. */
static int count_sub(const pki_nlp_label *labels, int i)
{
  int sub = is_simpson(&labels[i]) ? 1 : 0;
  for (; i > 0 && labels[i - 1].what == labels[i].what && labels[i - 1].of == labels[i].of &&
         labels[i - 1].phase == labels[i].phase && labels[i - 1].point == labels[i].point;
       i--) {
    sub++;
  }
  return sub;
}

/* What a multiplier at a point is divided by. */
static double multiplier_unit(const pki_motion_program *program, const pki_nlp_label *label)
{
  if (label->point < 0 || label->phase < 0 || label->phase >= program->problem->nphase || is_simpson(label)) {
    return 1;
  }
  return fmax(pki_motion_grid_weight(program->grid, label->phase, label->point), 1e-9);
}

static double place_of(const pki_motion_program *program, const pki_nlp_label *label)
{
  return label->point < 0 || label->phase < 0 || label->phase >= program->problem->nphase
             ? 0
             : pki_motion_grid_at(program->grid, label->phase, label->point + (is_simpson(label) ? 1 : 0));
}

/* ---- making one ---- */

static bool grow_curve(curve *c)
{
  if (c->count < c->capacity) {
    return true;
  }
  const int capacity = c->capacity > 0 ? 2 * c->capacity : 16;
  for (int k = 0; k < COLUMNS; k++) {
    double *column = realloc(c->columns[k], (size_t)capacity * sizeof *column);
    if (column == NULL) {
      return false;
    }
    c->columns[k] = column;
  }
  c->capacity = capacity;
  return true;
}

/* A curve's next point; false: out of memory. */
static bool append_point(pki_profile *profile, const curve_key *key, const double values[COLUMNS])
{
  int i = find_curve(profile, key, profile->cursor);
  if (i < 0) {
    if (profile->count == profile->capacity) {
      const int capacity = profile->capacity > 0 ? 2 * profile->capacity : 256;
      curve *curves = realloc(profile->curves, (size_t)capacity * sizeof *curves);
      if (curves == NULL) {
        return false;
      }
      profile->curves = curves;
      profile->capacity = capacity;
    }
    i = profile->count++;
    profile->curves[i] = (curve){.key = *key};
  }
  curve *c = &profile->curves[i];
  if (!grow_curve(c)) {
    return false;
  }
  for (int k = 0; k < COLUMNS; k++) {
    c->columns[k][c->count] = values[k];
  }
  c->count++;
  profile->cursor = i;
  return true;
}

pki_profile *pki_profile_create(const pki_motion_program *program)
{
  const pki_nlp *nlp = program->nlp;
  pki_profile *profile = calloc(1, sizeof *profile);
  bool good = profile != NULL;
  for (int i = 0; i < nlp->nx && good; i++) {
    const pki_nlp_label *label = &nlp->x_label[i];
    const curve_key key = make_key(label, 0, 0);
    const double unit = multiplier_unit(program, label);
    const double values[COLUMNS] = {place_of(program, label), nlp->x[i], nlp->z_lower[i] / unit,
                                    nlp->z_upper[i] / unit};
    good = append_point(profile, &key, values);
  }
  for (int i = 0; i < nlp->ng && good; i++) {
    const pki_nlp_label *label = &nlp->row_label[i];
    const curve_key key = make_key(label, 1, count_sub(nlp->row_label, i));
    const double values[COLUMNS] = {place_of(program, label),
                                    nlp->lambda[i] / multiplier_unit(program, label)};
    good = append_point(profile, &key, values);
  }
  if (!good) {
    pki_profile_destroy(profile);
    return NULL;
  }
  return profile;
}

void pki_profile_destroy(pki_profile *profile)
{
  if (profile == NULL) {
    return;
  }
  for (int i = 0; i < profile->count; i++) {
    for (int k = 0; k < COLUMNS; k++) {
      free(profile->curves[i].columns[k]);
    }
  }
  free(profile->curves);
  free(profile);
}

/* ---- using it ---- */

/* A column between the points of a curve. */
static double curve_at(const curve *c, int column, double at)
{
  const double *x = c->columns[0], *y = c->columns[column];
  int k = 0;
  while (k + 2 < c->count && x[k + 1] < at) {
    k++;
  }
  if (c->count < 2 || x[k + 1] <= x[k]) {
    return y[c->count - 1 < k ? c->count - 1 : k];
  }
  const double part = fmin(fmax((at - x[k]) / (x[k + 1] - x[k]), 0), 1);
  return (1 - part) * y[k] + part * y[k + 1]; /* both ends to the last bit */
}

void pki_profile_apply(const pki_profile *profile, pki_motion_program *program)
{
  pki_nlp *const nlp = program->nlp;
  int cursor = 0;
  for (int i = 0; i < nlp->nx; i++) {
    const pki_nlp_label *label = &nlp->x_label[i];
    const curve_key key = make_key(label, 0, 0);
    const int found = find_curve(profile, &key, cursor);
    nlp->z_lower[i] = nlp->z_upper[i] = 0;
    if (found < 0) {
      continue;
    }
    cursor = found;
    const double at = place_of(program, label), unit = multiplier_unit(program, label);
    const curve *c = &profile->curves[found];
    nlp->x[i] = fmin(fmax(curve_at(c, 1, at), nlp->lower[i]), nlp->upper[i]);
    nlp->z_lower[i] = isfinite(nlp->lower[i]) ? curve_at(c, 2, at) * unit : 0;
    nlp->z_upper[i] = isfinite(nlp->upper[i]) ? curve_at(c, 3, at) * unit : 0;
  }
  for (int i = 0; i < nlp->ng; i++) {
    const pki_nlp_label *label = &nlp->row_label[i];
    const curve_key key = make_key(label, 1, count_sub(nlp->row_label, i));
    const int found = find_curve(profile, &key, cursor);
    nlp->lambda[i] = 0;
    if (found >= 0) {
      cursor = found;
      nlp->lambda[i] =
          curve_at(&profile->curves[found], 1, place_of(program, label)) * multiplier_unit(program, label);
    }
  }
}

/* ---- as bytes ---- */

typedef struct head {
  char magic[8];
  int curves, nphase;
  int intervals[PKI_MOTION_PHASES];
} head;

static const char magic[8] = "pkprof1";

void *pki_profile_pack(const pki_profile *profile, const pki_motion_grid *grid, int nphase, size_t *size)
{
  head h = {.curves = profile->count, .nphase = nphase};
  size_t total = sizeof h;
  memcpy(h.magic, magic, sizeof h.magic);
  for (int p = 0; p < nphase; p++) {
    h.intervals[p] = grid->intervals[p];
    total += (size_t)grid->intervals[p] * sizeof(double);
  }
  for (int i = 0; i < profile->count; i++) {
    total += sizeof(curve_key) + sizeof(int) + (size_t)profile->curves[i].count * COLUMNS * sizeof(double);
  }
  char *const bytes = malloc(total), *at = bytes;
  if (bytes == NULL) {
    return NULL;
  }
  memcpy(at, &h, sizeof h), at += sizeof h;
  for (int p = 0; p < nphase; p++) {
    const size_t n = (size_t)grid->intervals[p] * sizeof(double);
    memcpy(at, grid->share[p], n), at += n;
  }
  for (int i = 0; i < profile->count; i++) {
    const curve *c = &profile->curves[i];
    memcpy(at, &c->key, sizeof c->key), at += sizeof c->key;
    memcpy(at, &c->count, sizeof c->count), at += sizeof c->count;
    for (int k = 0; k < COLUMNS; k++) {
      const size_t n = (size_t)c->count * sizeof(double);
      memcpy(at, c->columns[k], n), at += n;
    }
  }
  *size = total;
  return bytes;
}

/* The next n bytes; false: there are not so many. */
static bool read_bytes(const char **at, const char *end, void *to, size_t n)
{
  if ((size_t)(end - *at) < n) {
    return false;
  }
  memcpy(to, *at, n);
  *at += n;
  return true;
}

/* Shares of a phase: positive, and 1 together. */
static bool are_shares(const double *share, int count)
{
  double sum = 0;
  bool positive = true;
  for (int k = 0; k < count; k++) {
    positive &= share[k] > 0;
    sum += share[k];
  }
  return positive && fabs(sum - 1) < 1e-9;
}

static bool read_grid(const char **at, const char *end, const head *h, pki_motion_grid *grid)
{
  for (int p = 0; p < h->nphase; p++) {
    if (h->intervals[p] < 1 || h->intervals[p] > 1000000) {
      return false;
    }
    const size_t n = (size_t)h->intervals[p] * sizeof(double);
    grid->intervals[p] = h->intervals[p];
    grid->share[p] = (size_t)(end - *at) >= n ? malloc(n) : NULL;
    if (grid->share[p] == NULL || !read_bytes(at, end, grid->share[p], n) ||
        !are_shares(grid->share[p], h->intervals[p])) {
      return false;
    }
  }
  return true;
}

static bool read_curve(const char **at, const char *end, curve *c)
{
  *c = (curve){0};
  if (!read_bytes(at, end, &c->key, sizeof c->key) || !read_bytes(at, end, &c->count, sizeof c->count) ||
      c->count < 1 || (size_t)c->count > (size_t)(end - *at) / (COLUMNS * sizeof(double))) {
    return false;
  }
  c->key.what[KEY - 1] = c->key.of[KEY - 1] = '\0';
  c->capacity = c->count;
  for (int k = 0; k < COLUMNS; k++) {
    const size_t n = (size_t)c->count * sizeof(double);
    c->columns[k] = malloc(n);
    if (c->columns[k] == NULL || !read_bytes(at, end, c->columns[k], n) ||
        !pki_all_finite(c->columns[k], c->count)) {
      return false;
    }
  }
  return true;
}

pki_profile *pki_profile_unpack(const void *bytes, size_t size, pki_motion_grid *grid)
{
  const char *at = bytes, *const end = at + size;
  head h;
  pki_profile *profile = calloc(1, sizeof *profile);
  *grid = (pki_motion_grid){0};
  bool good = profile != NULL && read_bytes(&at, end, &h, sizeof h) &&
              memcmp(h.magic, magic, sizeof magic) == 0 && h.nphase >= 1 && h.nphase <= PKI_MOTION_PHASES &&
              h.curves >= 1 && (size_t)h.curves <= size / sizeof(curve_key) && read_grid(&at, end, &h, grid);
  if (good) {
    profile->curves = calloc((size_t)h.curves, sizeof *profile->curves);
    good = profile->curves != NULL;
    profile->capacity = good ? h.curves : 0;
  }
  for (int i = 0; good && i < profile->capacity; i++) {
    good = read_curve(&at, end, &profile->curves[i]);
    profile->count++;
  }
  if (!good || at != end) {
    pki_profile_destroy(profile);
    pki_motion_grid_free(grid);
    return NULL;
  }
  return profile;
}
