/* Functions that every motion is made of, whatever the robot: the cubic between two points, cones, motor lines, costs. */
#ifndef PKI_OPTIMIZE_MOTION_GRID_FUNCTIONS_H
#define PKI_OPTIMIZE_MOTION_GRID_FUNCTIONS_H

#include "optimize/nlp/function.h"

/* The share h/T of an interval in its phase is the parameter s. */
typedef struct pki_grid_functions {
  pki_nlp_function *simpson;        /* x0, x1, f0, fm, f1, T; s -> x1 - x0 - s T/6 (f0 + 4 fm + f1) */
  pki_nlp_function *middle;         /* xm, x0, x1, f0, f1, T; s -> xm - (x0 + x1)/2 - s T/8 (f0 - f1) */
  pki_nlp_function *scaled;         /* x; c -> c x */
  pki_nlp_function *cone;           /* fx, fy, fz; mu -> (mu fz)^2 - fx^2 - fy^2 */
  pki_nlp_function *line;           /* tau, v; k -> tau + k v, tau - k v */
  pki_nlp_function *rate;           /* u0, u1, T; k -> k T - (u1 - u0), k T + (u1 - u0) */
  pki_nlp_function *power;          /* P, tau, v -> P - tau v, P + tau v */
  pki_nlp_function *heat;           /* T, u; c -> c T u^2 */
  pki_nlp_function *heat_per_metre; /* T, D, u; c -> c T u^2/D */
  pki_nlp_function *work_per_metre; /* T, D, P; c -> c T P/D */
  /* design parameters (design.h) */
  pki_nlp_function *spring;          /* q, k, q0; s -> k (q - s q0) */
  pki_nlp_function *spring_at;       /* q, k; q0 -> k (q - q0) */
  pki_nlp_function *rotor;           /* N, v, a; J, b, m -> (N^2 J - m) a + N^2 b v */
  pki_nlp_function *rotor_jump;      /* N, v0, v1; J, m -> (N^2 J - m) (v1 - v0) */
  pki_nlp_function *series_speed;    /* w, v, r, k -> w - v - r/k */
  pki_nlp_function *series_torque;   /* t, tau, a, s, w, k; I, D -> t - tau - I (a + s/k) - D w */
  pki_nlp_function *series_geared;   /* t, tau, a, s, w, k, N; J, b -> t - tau - N^2 (J (a + s/k) + b w) */
  pki_nlp_function *series_boundary; /* v1, r1, v0, r0, k; c -> v1 + r1/k - c (v0 + r0/k) */
  pki_nlp_function *geared_heat;     /* T, D, t, N; c -> c T t^2/(N^2 D) */
  pki_nlp_function *geared_line;     /* t, w, N; s, c -> s N -+ (t + c N^2 w), s N -+ (t - c N^2 w) */
  pki_nlp_function *geared_limit;    /* t, N; i -> i N - t, i N + t */
} pki_grid_functions;

pk_status pki_grid_functions_create(pki_grid_functions *out, pk_error *err); /* to be freed also on failure */
void pki_grid_functions_free(pki_grid_functions *functions);

#endif
