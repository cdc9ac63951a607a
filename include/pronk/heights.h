/* Heights of ground, from a file or from a function, on an even grid.
 *
 *   pk_heights_options o = pk_heights_options_default();
 *   o.cell = 0.05, o.scale = 0.4;                             (5 cm apart, white is 40 cm above black)
 *   pk_heights h;
 *   if (pk_heights_load("hills.png", &o, &h, &err) == PK_OK) {
 *     pk_terrain_add_heights(t, (double[3]){-5, -5, 0}, h.nx, h.ny, h.cell, h.z, 0, &err);
 *     pk_heights_free(&h);
 *   }
 *
 * docs/formats/heights.md describes the files.
 *
 * Threads: all functions may run at the same time on different heights. */
#ifndef PRONK_HEIGHTS_H
#define PRONK_HEIGHTS_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_heights {
  /* How many along x. */
  int nx;
  /* How many along y. */
  int ny;
  /* m, from one to the next. */
  double cell;
  /* [ny][nx] m; owned: pk_heights_free. */
  double *z;
} pk_heights;

PK_API void pk_heights_free(pk_heights *h);

/* ---- files ---- */

typedef enum pk_heights_format {
  /* by the name's ending: .png, .csv .txt (text), .f32 (float32), .u16 .r16 (uint16) */
  PK_HEIGHTS_AUTO,
  /* a grey picture, 1 to 16 bits; its first row is the far side, as on a map */
  PK_HEIGHTS_PNG,
  /* rows of numbers, one for each line; the first row is y = 0 */
  PK_HEIGHTS_TEXT,
  /* nx ny numbers of 4 bytes, least byte first, rows along x; the first row is y = 0 */
  PK_HEIGHTS_FLOAT32,
  /* the same with whole numbers of 2 bytes */
  PK_HEIGHTS_UINT16,
  PK_HEIGHTS_FORMAT_COUNT
} pk_heights_format;

typedef struct pk_heights_options {
  /* Of the file. Default PK_HEIGHTS_AUTO: by the name's ending. */
  pk_heights_format format;
  /* m, from one height to the next; must be given. */
  double cell;
  /* m: what white is above black (png), 65535 above 0 (uint16); a factor of text and float32. Default 1. */
  double scale;
  /* Of float32 and uint16: must be given; of others 0, or what is expected. Default 0. */
  int nx;
  /* Likewise. Default 0. */
  int ny;
} pk_heights_options;

/* auto, no cell, scale 1 */
PK_API pk_heights_options pk_heights_options_default(void);

PK_API pk_status pk_heights_load(const char *path, const pk_heights_options *options, pk_heights *out,
                                 pk_error *err);

/* ---- functions ---- */

/* The height at a place, m from the corner of the field. */
typedef double (*pk_height_function)(double x, double y, void *user);

PK_API pk_status pk_heights_sample(int nx, int ny, double cell, pk_height_function height, void *user,
                                   pk_heights *out, pk_error *err);

typedef enum pk_heights_function {
  PK_HEIGHTS_NONE,
  /* a/2 (sin(2 pi x/length) + sin(2 pi y/length)) */
  PK_HEIGHTS_WAVES,
  /* square tiles of side `length`, each at a height of its own between -a and a */
  PK_HEIGHTS_STEPS,
  /* smooth noise between -a and a: four octaves, the longest of `length` */
  PK_HEIGHTS_ROUGH,
  PK_HEIGHTS_FUNCTION_COUNT
} pk_heights_function;

typedef struct pk_heights_pattern {
  /* Default PK_HEIGHTS_NONE. */
  pk_heights_function function;
  /* m, a in the formulas. Default 0.1. */
  double amplitude;
  /* m. Default 1. */
  double length;
  /* Of steps and rough; heights depend on it and on the place alone. Default 0. */
  int seed;
} pk_heights_pattern;

/* no function, 0.1 m, 1 m, seed 0 */
PK_API pk_heights_pattern pk_heights_pattern_default(void);

PK_API pk_status pk_heights_generate(const pk_heights_pattern *pattern, int nx, int ny, double cell,
                                     pk_heights *out, pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
