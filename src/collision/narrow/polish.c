/* Depth to the last digit from a normal that is nearly right.
 *
 * Move A out along the normal m (from B to A) by the depth and a gap s more, and ask GJK for the nearest points: the
 * direction between them is the next normal. When m is right that is m again, and the other way round: the nearest point
 * of A - B + (depth + s) m is s m exactly when the deepest is -depth m. Near a border of curvature radius R an error
 * shrinks by (depth + s)/(R + s) each time; on faces, edges and corners it goes at once. Depth is h(-m), an upper bound
 * whatever m is, so the best normal seen is an answer.
 *
 * Rates near one are met by Anderson's mixing of the last two steps ("Iterative procedures for nonlinear integral
 * equations", J. ACM 12, 1965): normals have two freedoms, so that two steps make it a secant method. */
#include <math.h>
#include <string.h>

#include "collision/narrow/minkowski.h"

enum { STEPS = 24, IDLE = 5 };

void pki_depth_answer(const double outward[3], double depth, const double a[3], const double b[3],
                      pk_proximity *out)
{
  out->distance = -depth;
  for (int k = 0; k < 3; k++) {
    const double middle = (a[k] + b[k]) / 2;
    out->normal[k] = -outward[k];
    out->point[0][k] = middle + depth / 2 * outward[k];
    out->point[1][k] = middle - depth / 2 * outward[k];
  }
}

static double depth_along(pki_difference *d, const double m[3])
{
  const double outward[3] = {-m[0], -m[1], -m[2]};
  pki_corner c;
  pki_difference_support(d, outward, &c);
  return pki_dot3(outward, c.w);
}

/* What the steps remember: normals and their residuals, the newest first. */
typedef struct history {
  int count;
  double m[3][3], r[3][3];
} history;

static void remember_iterate(history *h, const double m[3], const double r[3])
{
  memmove(h->m[1], h->m[0], sizeof h->m - sizeof h->m[0]);
  memmove(h->r[1], h->r[0], sizeof h->r - sizeof h->r[0]);
  memcpy(h->m[0], m, sizeof h->m[0]);
  memcpy(h->r[0], r, sizeof h->r[0]);
  h->count = h->count < 3 ? h->count + 1 : 3;
}

/* The mixed step: weights of residual differences that leave the least residual. False: nothing to mix. */
static bool mix_step(const history *h, double out[3])
{
  double dr[2][3], dm[2][3], g[2] = {0};
  for (int i = 0; i < h->count - 1; i++) {
    pki_sub3(h->r[0], h->r[i + 1], dr[i]);
    pki_sub3(h->m[0], h->m[i + 1], dm[i]);
  }
  const double p = h->count > 1 ? pki_dot3(dr[0], dr[0]) : 0;
  if (!(p > 0)) {
    return false;
  }
  const double x = pki_dot3(dr[0], h->r[0]);
  int n = 1;
  g[0] = x / p;
  if (h->count > 2) { /* both freedoms, unless only one of them moves */
    const double q = pki_dot3(dr[0], dr[1]), r = pki_dot3(dr[1], dr[1]), y = pki_dot3(dr[1], h->r[0]);
    const double det = p * r - q * q;
    if (det > 1e-3 * p * r) {
      n = 2;
      g[0] = (r * x - q * y) / det;
      g[1] = (p * y - q * x) / det;
    }
  }
  pki_along3(h->m[0], 1, h->r[0], out);
  for (int i = 0; i < n; i++) {
    pki_along3(out, -g[i], dm[i], out);
    pki_along3(out, -g[i], dr[i], out);
  }
  const double length = pki_length3(out);
  if (!(length > 0.5 && length < 2)) {
    return false;
  }
  for (int k = 0; k < 3; k++) {
    out[k] /= length;
  }
  return true;
}

/* One step from m: the next normal and its depth, the points that make it. */
static bool polish_step(const pki_difference *d, const double m[3], double depth, double scale,
                        pk_proximity *out)
{
  pki_difference moved = *d;
  const double out_by = fmax(depth, 0) + fmax(0.05 * fmax(depth, 0), 1e-3 * scale);
  pki_along3(moved.a.pose.pos, out_by, m, moved.a.pose.pos);
  pki_gjk_result r;
  if (pki_gjk_run(&moved, m, INFINITY, &r) != PKI_GJK_APART) {
    return false;
  }
  double outward[3], a[3];
  for (int k = 0; k < 3; k++) {
    outward[k] = -r.v[k] / r.distance;
  }
  pki_along3(r.a, -out_by, m, a);
  const double next[3] = {-outward[0], -outward[1], -outward[2]};
  pki_depth_answer(outward, depth_along(&moved, next) + out_by * pki_dot3(m, next), a, r.b, out);
  return true;
}

/* Less deep is better; of equals the one whose normal moved least, because its points fit it best. */
static bool is_better_normal(const pk_proximity *next, double change, const pk_proximity *best,
                             double best_change, double same)
{
  return next->distance > best->distance + same ||
         (next->distance > best->distance - same && change < best_change);
}

void pki_depth_polish(pki_difference *d, double scale, pk_proximity *io)
{
  double m[3], depth = -io->distance, best_change = INFINITY;
  history h = {.count = 0};
  memcpy(m, io->normal, sizeof m);
  for (int i = 0, idle = 0; i < STEPS && idle < IDLE; i++) {
    pk_proximity next;
    if (!polish_step(d, m, depth, scale, &next)) {
      return;
    }
    double r[3];
    pki_sub3(next.normal, m, r);
    const double change = pki_length3(r);
    idle += !(change < best_change / 2);
    if (is_better_normal(&next, change, io, best_change, 2e-10 * scale)) {
      *io = next;
      best_change = change;
    }
    if (change < 1e-7) { /* normals are good to the root of GJK's gap: below that they only dither */
      return;
    }
    remember_iterate(&h, m, r);
    depth = -next.distance;
    memcpy(m, next.normal, sizeof m);
    double mixed[3];
    if (mix_step(&h, mixed)) {
      const double there = depth_along(d, mixed);
      if (there < depth + 2e-10 * scale) {
        depth = there;
        memcpy(m, mixed, sizeof m);
      }
    }
  }
}
