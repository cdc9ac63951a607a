/* Hertz: two round bodies that press an ellipse out of each other (Hertz 1881; Johnson, "Contact Mechanics", 1985, section
 * 4.2), with the dissipation of Hunt and Crossley (1975).
 *
 * Relative principal curvatures kappa_max >= kappa_min > 0 at the point of contact, R = 2/(kappa_max + kappa_min), axes of
 * the ellipse a >= b, k = a/b, complete elliptic integrals K(m), E(m) of the parameter m = 1 - 1/k^2. Pressure over the
 * ellipse p_0 sqrt(1 - (x/a)^2 - (y/b)^2) gives (Johnson 4.26 to 4.28)
 *
 *   kappa_max/kappa_min = (k^2 E - K)/(K - E)                       from which k
 *   x = p_0 b K/E*,  1/R = p_0 E/(E* b)   ->   b^2 = x R E/K
 *   f = 2/3 p_0 pi a b = 4/3 E* sqrt(R) sigma x^(3/2),  sigma = pi/2 k sqrt(E)/K^(3/2)
 *
 * and sigma = 1 for circles. The stored energy is 2/5 f x.
 *
 * Materials as Simbody mixes them: surface j alone has f = 4/3 k_j sqrt(R) x_j^(3/2). Equal forces of both share the depth,
 * x_j = s_j x: with e_j = k_j^(2/3), s_1 = e_2/(e_1 + e_2) and E* = k_1 s_1^(3/2). The force acts s_1 x inside the
 * undeformed surface 1. Dissipation is c_1 s_1 + c_2 s_2, f = f_H (1 + 3/2 c x'), friction the harmonic mean. */
#include <math.h>

#include "collision/narrow/narrow.h"
#include "contact/compliant/compliance_law.h"
#include "contact/compliant/ellipse.h"
#include "math/mat3.h"

static bool is_round(const pk_geometry *g)
{
  return g->kind == PK_SHAPE_SPHERE || g->kind == PK_SHAPE_ELLIPSOID;
}

static pk_status check_round(const pki_soft_side *a, const pki_soft_side *b, pk_error *err)
{
  const bool plane_a = a->geometry->kind == PK_SHAPE_PLANE, plane_b = b->geometry->kind == PK_SHAPE_PLANE;
  if ((is_round(a->geometry) && (is_round(b->geometry) || plane_b)) || (plane_a && is_round(b->geometry))) {
    return PK_OK;
  }
  return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "law"},
                  "the law hertz was asked for a %s on a %s, expected spheres and ellipsoids, on each other "
                  "or on a plane",
                  pk_shape_kind_name(a->geometry->kind), pk_shape_kind_name(b->geometry->kind));
}

/* s_1 and E*. */
static double share_depth(const pk_compliance *one, const pk_compliance *two, double share[2])
{
  const double e1 = one != NULL ? cbrt(one->stiffness * one->stiffness) : INFINITY;
  const double e2 = two != NULL ? cbrt(two->stiffness * two->stiffness) : INFINITY;
  share[0] = one == NULL ? 0 : two == NULL ? 1 : e2 / (e1 + e2);
  share[1] = 1 - share[0];
  const double e = one != NULL ? e1 * share[0] : e2 * share[1];
  return e * sqrt(e);
}

static void rub_round(const pki_soft_side *a, const pki_soft_side *b, pki_patch_law out[2])
{
  double share[2];
  (void)share_depth(a->surface, b->surface, share);
  pki_compliance_mix(a->surface, b->surface, share, &out[0]);
  out[0].dissipation *= 1.5;
  out[1] = out[0];
}

/* Add the curvatures of a surface at a point of it, along the tangents t1, t2 (all in the world): xx, xy, yy. Of the
 * ellipsoid sum (x_i/h_i)^2 = 1 with the gradient G_i = x_i/h_i^2 it is t' diag(1/h_i^2) t/|G|; along the normal n
 * |G| = 1/sqrt(sum (h_i n_i)^2). */
static void add_curvature(const pki_soft_side *side, const double normal[3], const double t1[3],
                          const double t2[3], double out[3])
{
  const pk_geometry *g = side->geometry;
  if (!is_round(g)) {
    return;
  }
  double n[3], a[3], b[3], square = 0, sum[3] = {0, 0, 0};
  pki_mat3_apply_transposed(side->pose.rot, normal, n);
  pki_mat3_apply_transposed(side->pose.rot, t1, a);
  pki_mat3_apply_transposed(side->pose.rot, t2, b);
  for (int k = 0; k < 3; k++) {
    const double h = g->kind == PK_SHAPE_SPHERE ? g->radius : g->half[k];
    square += h * n[k] * (h * n[k]);
    sum[0] += a[k] / h * (a[k] / h), sum[1] += a[k] / h * (b[k] / h), sum[2] += b[k] / h * (b[k] / h);
  }
  for (int k = 0; k < 3; k++) {
    out[k] += sum[k] * sqrt(square);
  }
}

static int find_ellipse(const pki_soft_side *a, const pki_soft_side *b, pki_patch *p)
{
  pk_proximity near;
  p->hertz = true;
  if (!pki_distance(a->geometry, &a->pose, b->geometry, &b->pose, p->margin, NULL, &near) ||
      !(near.distance < p->margin)) {
    return 0;
  }
  double share[2], t1[3], t2[3], curvature[3] = {0, 0, 0};
  const double modulus = share_depth(a->surface, b->surface, share), depth = -near.distance;
  pki_tangents(near.normal, t1, t2);
  add_curvature(a, near.normal, t1, t2, curvature);
  add_curvature(b, near.normal, t1, t2, curvature);
  /* eigenvalues of the relative curvature; the smaller one has no digits below rounding of the larger */
  const double middle = 0.5 * (curvature[0] + curvature[2]);
  const double reach = hypot(0.5 * (curvature[0] - curvature[2]), curvature[1]);
  const pki_ellipse e = pki_contact_ellipse(middle + reach, fmax(middle - reach, 1e-12 * middle));
  const double R = 1 / middle;
  p->depth[0] = depth;
  p->stiffness[0] = 4.0 / 3.0 * modulus * sqrt(R) * e.sigma;
  p->area[0] = acos(-1.0) * e.ratio * e.short_square * R * fmax(depth, 0);
  p->face[0] = -1, p->side[0] = 0;
  p->first_of_second = 1;
  for (int k = 0; k < 3; k++) {
    /* the undeformed point of a lies deepest in b, against the normal; the layers meet share x from there */
    p->arm[k][0] = near.point[0][k] + share[0] * depth * near.normal[k];
    p->normal[k][0] = near.normal[k];
  }
  return 1;
}

const pki_compliance_law_row pki_compliance_law_hertz = {
    .name = "hertz",
    .doc = "round bodies: one ellipse of contact (Hertz), dissipation by Hunt and Crossley",
    .supports = check_round,
    .find = find_ellipse,
    .rub = rub_round,
};
