/* The patch of two compliant surfaces that overlap: where and how they give way (found from a configuration alone), and
 * the forces there at a velocity.
 *
 *   find   shapes at poses  ->  elements: faces of meshes, or the one ellipse of Hertz
 *   press  relative twist   ->  wrench, its derivative by the twist, energy, pressure of each element
 *
 * An element has a depth g, normal n out of the first surface's partner... see docs/theory/compliance.md. With the
 * twist V = (angular, linear) of the first body relative to the second at the point `at`, v = V_lin + V_ang x arm is
 * the velocity of the first at the element, and with a step dt > 0 forces are those of the depth at its end,
 * g+ = g - dt n'v. */
#ifndef PKI_CONTACT_COMPLIANT_PATCH_H
#define PKI_CONTACT_COMPLIANT_PATCH_H

#include "base/arena.h"
#include "collision/shapes/geometry.h"
#include "pronk/compliance.h"

/* One of the two surfaces. */
typedef struct pki_soft_side {
  const pk_geometry *geometry;
  pk_pose pose; /* world */
  const pk_compliance *surface;
} pki_soft_side;

/* Elements in arrays, padded to whole vectors with elements that press nothing. */
typedef struct pki_patch {
  int n, room;
  bool hertz;         /* forces grow with g^(3/2), not with g */
  double at[3];       /* m, world: where twists are given and wrenches are asked for */
  double *arm[3];     /* m, world, from `at` to where the element's force acts */
  double *normal[3];  /* world, unit: the direction of the normal force on the first body */
  double *depth;      /* m, > 0 */
  double *stiffness;  /* N/m (N/m^(3/2) of Hertz), K a */
  double *area;       /* m^2, a: pressure is force over area */
  double dissipation[2]; /* s/m; of elements of the first and of the second surface's mesh */
  double mu_static[2], mu_dynamic[2], mu_viscous[2], transition[2];
  bool convex;        /* friction by convex potential */
  int *face;          /* the triangle in its mesh; -1: Hertz */
  unsigned char *side; /* 0: a face of the first surface, 1: of the second */
} pki_patch;

/* What a patch does at a velocity. */
typedef struct pki_press {
  double wrench[6];   /* N m, N: on the first body, at patch.at; the second gets the opposite */
  double slope[36];   /* C = -d wrench/d twist, row-major; symmetric and positive semidefinite */
  double energy;      /* J, stored */
  double power;       /* W, dissipated: at least 0 for dt = 0 */
  double normal_force; /* N, sum of |f_n| */
} pki_press;

/* How many elements two surfaces can have at most, and taking a patch's arrays from an arena. */
int pki_patch_room(const pk_geometry *a, const pk_geometry *b);
void pki_patch_carve(pki_patch *p, int room, pki_arena *arena);

/* Whether a law is there for two shapes: a message says which shapes it takes. */
pk_status pki_patch_supports(const pki_soft_side *a, const pki_soft_side *b, pk_error *err);

/* The elements at poses. Returns how many there are. Allocates nothing; `scratch` is of pki_patch_scratch(a, b) bytes. */
size_t pki_patch_scratch(const pk_geometry *a, const pk_geometry *b);
int pki_patch_find(const pki_soft_side *a, const pki_soft_side *b, void *scratch, pki_patch *out);

/* Forces at the twist of the first body relative to the second. dt = 0: at the depths as they are (explicit laws).
 * `forces`: NULL, or [n][3] N, world, on the first body at each element. `slope` is filled when `wants_slope`. */
void pki_patch_press(const pki_patch *p, const double twist[6], double dt, bool wants_slope, pki_press *out,
                     double (*forces)[3]);

#endif
