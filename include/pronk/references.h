/* References of gaits, by themselves: oscillators that say when feet stand, and preview control of the zero moment
 * point, which says how the mass goes over them. The controllers `locomotion` and `gait-track` are made of both.
 *
 *   pk_rhythm trot, pace;
 *   pk_rhythm_of_gait(PK_GAIT_TROT, 4, 0.25, &trot, &err);   times in sqrt(h/g), here 0.25 s
 *   pk_rhythm_of_gait(PK_GAIT_PACE, 4, 0.25, &pace, &err);
 *   pk_cpg legs;
 *   pk_cpg_start(&legs, 4, &trot);
 *   for (int k = 0; k < 4000; k++) {
 *     pk_cpg_step(&legs, &pace, 1e-3);                 changes over within a few cycles
 *   }
 *   printf("%g cycles from the pace\n", pk_cpg_distance(&legs, &pace));
 *
 *   pk_preview_options o = pk_preview_options_default();
 *   o.height = 0.7;
 *   pk_preview *preview;
 *   pk_preview_create(&o, &preview, &err);
 *   pk_preview_plan(preview, zmp, n, com);             one axis: n points asked for, place, velocity, acceleration of the mass
 *   pk_preview_destroy(preview);
 *
 * docs/theory/locomotion.md has the equations. Nothing but pk_preview_create allocates.
 *
 * Threads: all functions may run at the same time on different oscillators and carts; a preview never changes. */
#ifndef PRONK_REFERENCES_H
#define PRONK_REFERENCES_H

#include "gait.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- oscillators ---- */

/* What the oscillators are drawn to. */
typedef struct pk_rhythm {
  /* When each foot lands, parts of the cycle: pair by pair from fore to hind, the left one first. */
  double footfall[PK_GAIT_LEGS];
  /* Part of the cycle that a foot is on the ground, 0 to 1. */
  double duty;
  /* s, of a cycle. */
  double cycle;
} pk_rhythm;

/* Coupled phase oscillators, one for each leg. */
typedef struct pk_cpg {
  /* Cycles since the start; a foot lands at whole numbers, and leaves `duty` later. */
  double phase[PK_GAIT_LEGS];
  /* The leg's part began in the air: its foot stands until its first landing. */
  bool late[PK_GAIT_LEGS];
  /* Cycles/s, of the last step. */
  double rate[PK_GAIT_LEGS];
  /* Now. */
  double duty;
  /* s, now. */
  double cycle;
  /* Four or six. */
  int legs;
} pk_cpg;

/* The rhythm of a gait for a robot whose sqrt(h/g) is `tau` s, h the height of its trunk. PK_ERROR_ARGUMENT: no gait with a
 * rhythm (PK_GAIT_STAND, PK_GAIT_JUMP) or none of so many legs, four or six; or tau is not positive. */
PK_API pk_status pk_rhythm_of_gait(pk_gait gait, int legs, double tau, pk_rhythm *out, pk_error *err);

/* So many legs, four or six, each at its place in the cycle. */
PK_API void pk_cpg_start(pk_cpg *cpg, int legs, const pk_rhythm *rhythm);

/* A step of dt s towards a rhythm. At a constant rhythm the differences of phase become those of its footfalls; the pull on a difference is
 * sin(pi e), e its error in cycles. */
PK_API void pk_cpg_step(pk_cpg *cpg, const pk_rhythm *goal, double dt);

/* Place of a leg in its cycle, 0 to 1, and whether its foot is on the ground there. */
PK_API double pk_cpg_place(const pk_cpg *cpg, int leg);
PK_API bool pk_cpg_stands(const pk_cpg *cpg, int leg);

/* Largest distance of a leg from its place in a rhythm, seen from the first leg; cycles, 0 to 0.5. */
PK_API double pk_cpg_distance(const pk_cpg *cpg, const pk_rhythm *rhythm);

/* ---- preview control of the zero moment point ---- */

enum { PK_PREVIEW_MOST = 1024 };

/* The cart on a table (Kajita et al. 2003): a mass at constant height. */
typedef struct pk_preview_options {
  /* m, of the mass over the ground. Default 1. */
  double height;
  /* m/s^2. Default 9.81. */
  double gravity;
  /* s, of a step. Default 0.01. */
  double step;
  /* References that are seen ahead, 1 to PK_PREVIEW_MOST. Default 200. */
  int count;
  /* Of squares of errors of the zero moment point, 1/m^2. Default 1. */
  double error_weight;
  /* Of squares of changes of the jerk from step to step, in units of (g/h)^3 s^6/m^2. Default 1e-3. */
  double jerk_weight;
} pk_preview_options;

typedef struct pk_preview pk_preview;

/* One axis of the mass. Zero: at rest at 0, the zero moment point below it. */
typedef struct pk_preview_cart {
  /* m, m/s, m/s^2: place, velocity, acceleration. */
  double x[3];
  /* The same a step before. */
  double before[3];
  /* m/s^3, of the last step. */
  double jerk;
  /* m, the zero moment point that was asked for last. */
  double wanted;
  /* m, how far off it was. */
  double error;
} pk_preview_cart;

PK_API pk_preview_options pk_preview_options_default(void);
/* options NULL: the defaults. */
PK_API pk_status pk_preview_create(const pk_preview_options *options, pk_preview **out, pk_error *err);
/* NULL is fine */
PK_API void pk_preview_destroy(pk_preview *preview);

/* Gains of
 *
 *   u = u_before - error e - state' (x - x_before) - sum_j ahead[j] (p(k + 1 + j) - p(k + j))
 *
 * u the jerk, e the error of the zero moment point, p those that are asked for; `ahead` [count] is the preview's own. Each may be NULL. */
PK_API void pk_preview_gains(const pk_preview *preview, double *error, double state[3], const double **ahead);

/* At rest at x m, the zero moment point below it. */
PK_API void pk_preview_rest(double x, pk_preview_cart *cart);

/* One step: wanted [count] m, the zero moment points at the end of this step and of those after it. */
PK_API void pk_preview_step(const pk_preview *preview, const double *wanted, pk_preview_cart *cart);

/* The way of the mass for n zero moment points asked for, at rest over the first of them at the start, and as if the last one stayed after the
 * end: com [n][3], place, velocity and acceleration when zmp[k] is asked for. Its own zero moment point is place - height/gravity acceleration. */
PK_API void pk_preview_plan(const pk_preview *preview, const double *zmp, int n, double *com);

#ifdef __cplusplus
}
#endif
#endif
