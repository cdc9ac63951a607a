/* Heights from functions: a user's, and some that ground is often made of. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/random.h"
#include "collision/shapes/heights.h"
#include "collision/shapes/heights_file.h"
#include "math/smooth_step.h"

const char *const pki_heights_function_words[PK_HEIGHTS_FUNCTION_COUNT] = {"none", "waves", "steps", "rough"};
#define PATTERN(name) #name, offsetof(pk_heights_pattern, name)
const pk_field pki_heights_pattern_fields[] = {
    {PATTERN(function), PK_FIELD_ENUM, "", PK_HEIGHTS_NONE, 0, PK_HEIGHTS_FUNCTION_COUNT - 1,
     pki_heights_function_words, "what makes the heights, instead of a list or a file"},
    {PATTERN(amplitude), PK_FIELD_REAL, "m", 0.1, 0, 1e6, NULL,
     "of a function: its largest height and depth"},
    {PATTERN(length), PK_FIELD_REAL, "m", 1, 1e-6, 1e6, NULL, "of a function: of a wave, a tile, a hill"},
    {PATTERN(seed), PK_FIELD_INT, "", 0, 0, 2147483647, NULL, "of steps and rough"},
};
const int pki_heights_pattern_field_count = (int)(sizeof pki_heights_pattern_fields / sizeof(pk_field));

pk_heights_pattern pk_heights_pattern_default(void)
{
  pk_heights_pattern p;
  pki_fields_default(pki_heights_pattern_fields, pki_heights_pattern_field_count, &p, sizeof p);
  return p;
}

pk_status pk_heights_sample(int nx, int ny, double cell, pk_height_function height, void *user,
                            pk_heights *out, pk_error *err)
{
  *out = (pk_heights){0};
  if (height == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "height"},
                    "there is no function of heights, expected one");
  }
  if (!(cell > 0) || !isfinite(cell)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "cell"},
                    "cell is %g m, expected a positive length", cell);
  }
  const pk_status status = pki_heights_room(NULL, nx, ny, out, err);
  if (status != PK_OK) {
    return status;
  }
  out->cell = cell;
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      const double z = height(i * cell, j * cell, user);
      if (!(fabs(z) <= PKI_HEIGHTS_FAR)) {
        pk_heights_free(out);
        return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "height"},
                        "the height at (%g, %g) is %g m, expected a number of %g m at most", i * cell,
                        j * cell, z, PKI_HEIGHTS_FAR);
      }
      out->z[(size_t)j * (size_t)nx + (size_t)i] = z;
    }
  }
  return PK_OK;
}

/* ---- patterns ---- */

/* What the numbers of one lattice begin with. */
static uint64_t key_of(int seed, int octave)
{
  pki_random r = pki_random_seeded((uint64_t)seed * 8 + (uint64_t)octave);
  return pki_random_bits(&r);
}

/* A number between -1 and 1 for each place of a lattice. */
static double lattice_value(uint64_t key, double i, double j)
{
  const double far = 1e15; /* beyond, where no lattice of doubles reaches, all places are one */
  const int64_t x = (int64_t)fmin(fmax(i, -far), far), y = (int64_t)fmin(fmax(j, -far), far);
  pki_random r = pki_random_seeded(key ^ (uint64_t)x);
  r = pki_random_seeded(pki_random_bits(&r) ^ (uint64_t)y);
  return 2 * pki_random_unit(&r) - 1;
}

static double wave_height(double x, double y, void *user)
{
  const pk_heights_pattern *p = user;
  const double k = 2 * 3.14159265358979323846 / p->length;
  return 0.5 * p->amplitude * (sin(k * x) + sin(k * y));
}

static double step_height(double x, double y, void *user)
{
  const pk_heights_pattern *p = user;
  const double hair = 1e-9; /* a height on the border of tiles belongs to the one behind it */
  return p->amplitude *
         lattice_value(key_of(p->seed, 0), floor(x / p->length + hair), floor(y / p->length + hair));
}

/* Values at the corners of a lattice, blended by 6 t^5 - 15 t^4 + 10 t^3: the surface and its slopes have no kinks
 * (Perlin, "Improving noise", SIGGRAPH 2002). */
static double smooth_noise(uint64_t key, double x, double y)
{
  const double i = floor(x), j = floor(y), u = x - i, v = y - j;
  const double s = pki_smooth_step(u), t = pki_smooth_step(v);
  const double a = lattice_value(key, i, j), b = lattice_value(key, i + 1, j);
  const double c = lattice_value(key, i, j + 1), d = lattice_value(key, i + 1, j + 1);
  const double front = a + s * (b - a), back = c + s * (d - c);
  return front + t * (back - front);
}

static double rough_height(double x, double y, void *user)
{
  const pk_heights_pattern *p = user;
  double sum = 0, weight = 8.0 / 15; /* 8 + 4 + 2 + 1 */
  double per = 1 / p->length;
  for (int octave = 0; octave < 4; octave++, weight /= 2, per *= 2) {
    sum += weight * smooth_noise(key_of(p->seed, octave), x * per, y * per);
  }
  return p->amplitude * sum;
}

pk_status pk_heights_generate(const pk_heights_pattern *pattern, int nx, int ny, double cell, pk_heights *out,
                              pk_error *err)
{
  static const pk_height_function functions[PK_HEIGHTS_FUNCTION_COUNT] = {NULL, wave_height, step_height,
                                                                          rough_height};
  *out = (pk_heights){0};
  const pk_status status =
      pki_fields_validate(pki_heights_pattern_fields, pki_heights_pattern_field_count, pattern, err);
  if (status != PK_OK) {
    return status;
  }
  if (functions[pattern->function] == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "function"},
                    "function is none, expected waves, steps or rough");
  }
  pk_heights_pattern copy = *pattern;
  return pk_heights_sample(nx, ny, cell, functions[pattern->function], &copy, out, err);
}
