/* Stability of periodic motion: fixed points of a return map, and the Floquet multipliers of its derivative there.
 *
 * A gait is a fixed point of its stride map: x, the state at some moment of the stride, goes to P(x), the state at the
 * same moment of the next one. A small error d goes to A d, A = dP/dx, and after k strides to A^k d: the gait is stable
 * when all eigenvalues of A, its multipliers, are inside of the unit circle (docs/theory/floquet.md).
 *
 *   pk_return_map map = {.nx = 2, .n = 2, .apply = one_stride, .user = &walker};
 *   pk_floquet_options o = pk_floquet_options_default();
 *   pk_floquet result = {0};
 *   pk_fixed_point_find(&map, &o, x, NULL, &err);            x: a guess before, the gait after
 *   pk_floquet_compute(&map, x, &o, &result, &err);
 *   printf("%g +- %g\n", result.radius, result.radius_error);
 *   pk_floquet_free(&result);
 *
 * The stride map of a world with its controller is a pk_stride_map:
 *
 *   pk_stride_map *stride;
 *   pk_stride_map_create(sim, controller, &(pk_stride_options){.steps = 320}, &stride, &err);
 *   pk_floquet_compute(pk_stride_map_get(stride), pk_stride_map_start(stride), &o, &result, &err);
 *
 * Threads: functions keep nothing; a map is used by one thread at a time unless its own functions say otherwise. */
#ifndef PRONK_FLOQUET_H
#define PRONK_FLOQUET_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_return_map pk_return_map;

/* A map of states onto states. Only nx, n and one of `apply` and `iterate` are required. */
struct pk_return_map {
  /* Numbers of a state. */
  int nx;
  /* Independent directions in which a state can change: nx, or fewer where states lie on a manifold (unit quaternions). */
  int n;
  /* out [nx] = P(x). A failure ends what asked for it. */
  pk_status (*apply)(const pk_return_map *self, const double *x, double *out);
  /* Several states and strides at once: out [strides][count][nx], P, P(P), ... of each of x [count][nx]; NULL: `apply`, again and
   * again. A map that remembers more than x, as a controller does, goes on with its memory from one stride to the next, and begins
   * every call with the same. */
  pk_status (*iterate)(const pk_return_map *self, int count, int strides, const double *x, double *out);
  /* out [nx] = x moved by d [n]; NULL: x + d. */
  void (*add)(const pk_return_map *self, const double *x, const double *d, double *out);
  /* d [n] with `b` moved by d = a; NULL: a - b. */
  void (*subtract)(const pk_return_map *self, const double *a, const double *b, double *d);
  /* J [n][n] row-major, the derivative at x, where it can be had exactly (variational equations); NULL: by differences. */
  pk_status (*differentiate)(const pk_return_map *self, const double *x, double *J);
  /* Whatever its functions need. */
  void *user;
};

/* Numbers that are 0 stand for their defaults: {0} is as good as pk_floquet_options_default. */
typedef struct pk_floquet_options {
  /* The largest change of a coordinate, in its own unit times `scale`, of which central differences are taken. Default 1e-3. */
  double step;
  /* [n] factors on `step`, above zero; NULL: 1. Default NULL. */
  const double *scale;
  /* How many changes are tried, each half of the last, 2 to 16; the best extrapolation to zero is taken. Default 6. */
  int levels;
  /* Strides that are looked at: 1 takes the map as one without memory; 2 p finds what it remembers, too, up to p times as many
   * numbers as x has directions. 1, or an even number up to 8. Default 1. */
  int strides;
  /* [nneutral] directions that a symmetry may have made neutral, as the place on flat ground; NULL: none. Those that turn out to be
   * neutral are left out of what is computed; their multipliers are 1. Default NULL. */
  const int *neutral;
  /* How many. */
  int nneutral;
  /* Largest component of P(x) - x at a fixed point. Default 1e-11. */
  double tolerance;
  /* Of Newton's method. Default 30. */
  int max_iterations;
} pk_floquet_options;

/* Defaults, and the first option that is out of its range by name. */
PK_API pk_floquet_options pk_floquet_options_default(void);
PK_API pk_status pk_floquet_options_validate(const pk_floquet_options *options, pk_error *err);

/* How Newton's method went. */
typedef struct pk_fixed_point {
  /* Derivatives that were taken. */
  int iterations;
  /* Largest component of P(x) - x, neutral directions left out. */
  double residual;
} pk_fixed_point;

/* A fixed point near x [nx], by Newton's method with shorter steps where a full one does not bring P(x) nearer to x. Neutral
 * directions stay as they are, and P(x) may differ from x there: the gait goes forward. PK_ERROR_CONVERGENCE: none was found, and x
 * is the best point that was seen. info may be NULL. */
PK_API pk_status pk_fixed_point_find(const pk_return_map *map, const pk_floquet_options *options, double *x,
                                     pk_fixed_point *info, pk_error *err);

/* One multiplier, re + i im. */
typedef struct pk_multiplier {
  /* Real part. */
  double re;
  /* Imaginary part. */
  double im;
  /* Its distance from zero: the factor by which an error in its direction grows in a stride. */
  double modulus;
  /* Estimate of how far it is from the true one, at first order in the errors of the derivative. */
  double error;
  /* How far it moves for a change of norm 1 of the derivative, directions over their scales; 1 at best. */
  double condition;
  /* It is 1 within 0.001 and three times its error, and there is a symmetry that makes one so. */
  bool neutral;
} pk_multiplier;

/* Whether a gait is stable, as far as errors let one tell. */
typedef enum pk_stability_verdict {
  PK_STABILITY_VERDICT_STABLE,    /* radius + radius_error < 1 */
  PK_STABILITY_VERDICT_UNSTABLE,  /* radius - radius_error > 1 */
  PK_STABILITY_VERDICT_UNDECIDED, /* neither */
  PK_STABILITY_VERDICT_COUNT
} pk_stability_verdict;

/* "stable", "unstable", "undecided". */
PK_API const char *pk_stability_verdict_name(pk_stability_verdict verdict);

/* What pk_floquet_compute finds. Start from {0}. */
typedef struct pk_floquet {
  /* Directions of the map. */
  int n;
  /* [count] by falling modulus, those of neutral directions left out. Where memory hides that a direction is neutral (a controller
   * that knows its place), as many of them as are missing are 1, and marked. */
  pk_multiplier *multipliers;
  /* How many. */
  int count;
  /* [n] which of the neutral directions that were asked for are neutral. */
  bool *neutral;
  /* How many are. */
  int nneutral;
  /* [n][n] row-major, the derivative of the map. */
  double *derivative;
  /* [n][n] estimates of its errors; zeros where it is exact. */
  double *error;
  /* Largest modulus, neutral ones left out; 0: there is no other. */
  double radius;
  /* Its error. */
  double radius_error;
  /* Of the gait. */
  pk_stability_verdict verdict;
  /* The norm of what is beyond errors in A_2 - A A, relative to that of A A, A_2 the derivative of two strides: what the map remembers
   * beside x. Above 0.001 it counts. NAN: one stride was looked at. */
  double memory;
  /* The norm of the errors of A_2 - A A, likewise. */
  double memory_error;
  /* Numbers that the next stride depends on and that states show, where memory counts; 0: it does not. */
  int order;
  /* Largest component of P(x) - x, neutral directions left out. */
  double residual;
  /* How many changes were tried; 0: the derivative is exact. */
  int levels;
  /* [levels] changes, of a direction whose scale is 1. */
  double *step;
  /* [levels] largest modulus by plain central differences with each of them: constant where they are neither too large nor too
   * small. */
  double *step_radius;
} pk_floquet;

/* The multipliers of the map at x [nx]. PK_OK also when x is no fixed point: result->residual tells. Free the result in any
 * case. */
PK_API pk_status pk_floquet_compute(const pk_return_map *map, const double *x,
                                    const pk_floquet_options *options, pk_floquet *result, pk_error *err);
PK_API void pk_floquet_free(pk_floquet *result);

/* The stride map of a world: its state x = (q, u) at the end of a stride as a function of that at its start. */
typedef struct pk_stride_map pk_stride_map;

typedef struct pk_stride_options {
  /* Steps of one stride. Required. */
  int steps;
  /* Threads that step worlds; 0: one for each processor. Default 0. */
  int threads;
  /* Worlds that are stepped together at most; 0: 256. Default 0. */
  int worlds;
} pk_stride_options;

/* From the present state of `sim`, which is copied with all that contacts, actuators and the controller remember, and every
 * stride begins with that memory. `controller` is the one that is set in it, or NULL. Model, ground, controller and what the
 * options of `sim` point to must outlive the map; sim itself need not, and does not change. Pushes do not act.
 *
 * Directions of a world with nu velocities, in this order, n = 2 nu: those of q, then those of u. Of a free body they are such that
 * places and headings on flat ground do not show in others: its place and its turn in axes that are turned with its heading, the
 * velocity of its origin in the body's axes. The first robot's own place x, y and heading are pk_stride_map_neutral. */
PK_API pk_status pk_stride_map_create(const pk_sim *sim, const pk_controller *controller,
                                      const pk_stride_options *options, pk_stride_map **out, pk_error *err);
PK_API void pk_stride_map_destroy(pk_stride_map *stride);

/* The map, for the functions above. */
PK_API const pk_return_map *pk_stride_map_get(const pk_stride_map *stride);

/* [nx] the state that it was made from. */
PK_API const double *pk_stride_map_start(const pk_stride_map *stride);

/* Directions that are neutral on flat ground; how many: 3 where the first body is free, else 0. */
PK_API int pk_stride_map_neutral(const pk_stride_map *stride, int directions[3]);

/* The name of a direction, as "base z", "base roll", "LF_HFE", "rate of LF_HFE", into room for `size` bytes. */
PK_API void pk_stride_map_direction(const pk_stride_map *stride, int direction, char *out, int size);

#ifdef __cplusplus
}
#endif
#endif
