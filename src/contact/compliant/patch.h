/* The patch of two compliant surfaces that overlap: where and how they give way, found from a configuration alone, and
 * the forces there at a velocity.
 *
 *   find   shapes at poses  ->  elements: faces of meshes, or the one ellipse of Hertz
 *   press  relative twist   ->  wrench, its derivative by the twist, energy, pressure of each element
 *
 * An element is a place where one spring presses. It has a depth g > 0, an area a, a stiffness k = K a, the point P where
 * its force acts, and the direction n in which it pushes the first body. With the twist V = (angular, linear) of the first
 * body relative to the second at the point `at` and the arm r from there to P, the first body passes the element with
 *
 *   v = V_lin + V_ang x r,  it approaches with s = -n'v,  it slips with u = v + s n
 *
 * With a step dt >= 0 the force is that of the depth at its end, x = g + dt s:
 *
 *   e = k x            the spring (k x^(3/2) for Hertz)
 *   f = e (1 + c s)    Hunt and Crossley's dissipation; none where x <= 0 or 1 + c s <= 0: surfaces do not pull
 *   F = f n - f mu(|u|) u/|u|
 *
 * on the first body at P. The second gets the opposite, at the same point. By twist the wrench at `at` is
 * w = sum X'F, X = [-r~ 1], and the slope is C = sum X' B X with the symmetric and positive semidefinite part
 *
 *   B = b n n' + f (max(mu', 0) t t' + mu/|u| (1 - n n' - t t')),  b = df/ds = dt e' (1 + c s) + c e,  t = u/|u|
 *
 * of -dF/dv: what is left out is the unsymmetric -mu b t n' (friction grows with the pressure) and the falling branch of
 * mu. Newton's method with C descends towards the same w, only not quadratically there.
 *
 * Convex friction is mu = mu_d |u| / sqrt(u^2 + v_c^2). With a step dt > 0 it is borne by the load that the element had at
 * the start of the step, f_0 (`load`; pki_patch_lag), not by f. Then -w is the gradient of a convex potential of V,
 *
 *   Phi = sum int f ds + mu_d f_0 (sqrt(u^2 + v_c^2) - v_c) + mu_v f_0 u^2/2
 *
 * and C is its exact Hessian. A step is then the minimum of (v - v_free)'M (v - v_free)/2 + dt Phi, which is strictly convex:
 * there is one, and Newton's method with a line search finds it (after Castro, Han and Masterjohn, "Irrotational contact
 * fields", 2023). docs/theory/compliance.md derives all of this. */
#ifndef PKI_CONTACT_COMPLIANT_PATCH_H
#define PKI_CONTACT_COMPLIANT_PATCH_H

#include "base/arena.h"
#include "collision/shapes/geometry.h"
#include "pronk/compliance.h"

/* One of the two surfaces. */
typedef struct pki_soft_side {
  const pk_geometry *geometry;
  pk_pose pose;                 /* world */
  const pk_compliance *surface; /* NULL: rigid; not for both sides */
} pki_soft_side;

/* What all elements of one side's faces have in common. */
typedef struct pki_patch_law {
  double dissipation; /* s/m, c above: 3/2 of the surface's for Hertz */
  pk_compliance_friction friction;
  double mu_static, mu_dynamic, mu_viscous; /* 1, 1, s/m */
  double transition, creep;                 /* m/s */
} pki_patch_law;

/* Elements in arrays, padded to whole vectors with elements that press nothing. Those of the first side come first. */
typedef struct pki_patch {
  int n, room;
  int first_of_second;  /* elements from here on are faces of the second side */
  bool hertz;           /* forces grow with x^(3/2), not with x */
  bool keeps_pulled;    /* the energy of elements that let go, 1 + c s <= 0, is counted */
  double at[3];         /* m, world: where twists are given and wrenches are asked for; amid the elements */
  double *arm[3];       /* m, world, from `at` to where the element's force acts */
  double *normal[3];    /* world, unit: the direction of the normal force on the first body */
  double *depth;        /* m, > -margin; negative: open */
  double *stiffness;    /* N/m (N/m^(3/2) of Hertz), K a */
  double *area;         /* m^2, a: pressure is force over area; of Hertz the ellipse that is touched */
  double *load;         /* N, bears convex friction when dt > 0 */
  pki_patch_law law[2]; /* of elements of the first and of the second side */
  int *face;            /* the triangle in the side's pki_trimesh (pki_patch_faces); -1: Hertz */
  unsigned char *side;  /* 0: a face of the first surface, 1: of the second */
  /* m, 0 after carving: elements that are open by less are found too, since a step may close them */
  double margin;
  int threads; /* that look for elements where meshes are big; no bit depends on it. 1 after carving */
  const struct pki_press_kernels *kernels; /* of this machine's instruction set, since carving */
} pki_patch;

/* What a patch does at a velocity. */
typedef struct pki_press {
  double wrench[6];    /* N m, N: on the first body, at patch.at; the second gets the opposite */
  double slope[36];    /* C, row-major; symmetric and positive semidefinite */
  double energy;       /* J, stored */
  double power;        /* W, dissipated, at least 0 */
  double normal_force; /* N, sum of f */
} pki_press;

/* ---- once for each geometry or pair ---- */

/* Primitives have no faces of their own. Where no mesh takes part in an elastic law, one of the two (the smaller) is cut
 * into faces: call this for each geometry that gets a surface, before all else here. Shapes that are meshes already, that
 * cannot have faces (planes, height fields), and those that have them are left as they are. */
pk_status pki_patch_prepare(pk_geometry *geometry, pk_error *err);

/* The triangles that a geometry's elements count: its own mesh, or its facets. NULL: it has none. */
const pki_trimesh *pki_patch_faces(const pk_geometry *geometry);

/* How many elements two surfaces can have at most, and taking a patch's arrays from an arena. */
int pki_patch_room(const pk_geometry *a, const pk_geometry *b);
void pki_patch_carve(pki_patch *p, int room, pki_arena *arena);

/* Whether the law of a surface is one of springs on faces. */
bool pki_patch_has_faces(const pk_compliance *surface);

/* The largest coefficient of friction that elements of two surfaces have at any slip, without viscous friction. */
double pki_patch_friction(const pki_soft_side *a, const pki_soft_side *b);

/* Whether a law is there for two shapes: a message says which shapes it takes. */
pk_status pki_patch_supports(const pki_soft_side *a, const pki_soft_side *b, pk_error *err);

/* ---- in a step ---- */

/* The elements at poses. Returns how many there are. Allocates nothing; `scratch` is of pki_patch_scratch(a, b) bytes,
 * aligned to 64, and need not be kept. The result depends on the arguments alone. */
size_t pki_patch_scratch(const pk_geometry *a, const pk_geometry *b);
int pki_patch_find(const pki_soft_side *a, const pki_soft_side *b, void *scratch, pki_patch *out);

/* The loads that bear convex friction during a step: f at the twist at its start. After find they are those at rest. */
void pki_patch_lag(pki_patch *p, const double twist[6]);

/* Forces at the twist of the first body relative to the second. dt = 0: at the depths as they are (explicit laws).
 * `forces`: NULL, or [n][3] N, world, on the first body at each element. `slope` is filled when `wants_slope`. */
void pki_patch_press(const pki_patch *p, const double twist[6], double dt, bool wants_slope, pki_press *out,
                     double (*forces)[3]);

#endif
