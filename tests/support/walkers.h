/* Passive walkers as return maps: the rimless wheel (McGeer 1990), the simplest walker (Garcia et al. 1998) and the compass gait
 * (Goswami, Thuilot, Espiau 1998). Each is smooth motion until a foot strikes, and a jump there.
 *
 * The motion is integrated by extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer), order 16, and the strike is found by
 * Newton's method on the length of the last step. All of it is computed in complex numbers, so that a change of 1e-30 i of
 * the state gives the exact derivative of the whole stride, the moment of the strike included (Squire and Trapp 1998). */
#ifndef PK_TESTS_WALKERS_H
#define PK_TESTS_WALKERS_H

#include <complex.h>

#include "pronk/floquet.h"

enum { WALKER_STATES = 4 };

typedef struct walker walker;
struct walker {
  int states; /* of the motion */
  /* Rates of change. */
  void (*move)(const walker *w, const double complex *s, double complex *rate);
  /* Zero when the foot strikes, and its rate of change. */
  double complex (*strike)(const walker *w, const double complex *s, const double complex *rate,
                           double complex *change);
  /* The strike counts: legs that pass each other do not. */
  bool (*counts)(const walker *w, const double complex *s);
  /* The state just after the strike. */
  void (*jump)(const walker *w, double complex *s);
  /* From the numbers of the section to those of the motion, and back. */
  void (*enter)(const walker *w, const double complex *x, double complex *s);
  void (*leave)(const walker *w, const double complex *s, double complex *x);
  double slope;                            /* rad */
  int spokes;                              /* of the wheel */
  double inertia;                          /* of the wheel: m l^2 / (I + m l^2) */
  double a, b, mass, hip, gravity, length; /* of compass and wheel */
  double time;                             /* s, of the last stride */
};

/* A wheel with spokes of 1 m; x = angular velocity just after a strike. */
walker walker_rimless(int spokes, double inertia, double slope);

/* x = (theta, theta') just after a strike. */
walker walker_simplest(double slope);

/* a = b = 0.5 m, legs of 5 kg, 10 kg at the hip; x = (th_ns, th_s, th_ns', th_s') just after a strike, on the manifold th_ns + th_s
 * = -2 slope: three directions (th_s, th_ns', th_s'). */
walker walker_compass(double slope);

/* The map of one stride of it; exact: with its derivative. */
pk_return_map walker_map(walker *w, bool exact);

#endif
