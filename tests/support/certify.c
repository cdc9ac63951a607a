#include "support/certify.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

/* ---- shapes ---- */

/* All planes through three points that have all points on one side. */
static void find_planes(certify_shape *s)
{
  s->nplane = 0;
  const double *const p = s->points;
  for (int i = 0; i < s->npoint; i++) {
    for (int j = i + 1; j < s->npoint; j++) {
      for (int k = j + 1; k < s->npoint; k++) {
        double e[3], f[3], n[3], low = INFINITY, high = -INFINITY;
        for (int c = 0; c < 3; c++) {
          e[c] = p[3 * j + c] - p[3 * i + c];
          f[c] = p[3 * k + c] - p[3 * i + c];
        }
        pki_cross3(e, f, n);
        const double length = sqrt(pki_dot3(n, n));
        for (int c = 0; c < 3; c++) {
          n[c] /= length;
        }
        for (int m = 0; m < s->npoint; m++) {
          if (m != i && m != j && m != k) {
            const double d = pki_dot3(n, &p[3 * m]) - pki_dot3(n, &p[3 * i]);
            low = fmin(low, d);
            high = fmax(high, d);
          }
        }
        if ((high <= 0 || low >= 0) && s->nplane < CERTIFY_PLANES) {
          const double sign = high <= 0 ? 1 : -1;
          double *const out = &s->planes[4 * s->nplane++];
          for (int c = 0; c < 3; c++) {
            out[c] = sign * n[c];
          }
          out[3] = sign * pki_dot3(n, &p[3 * i]);
        }
      }
    }
  }
}

void certify_random(pki_random *rng, pk_shape_kind kind, double least, double most, certify_shape *out)
{
  *out = (certify_shape){.desc = {.kind = kind}};
  double square = 0;
  for (int k = 0; k < 3; k++) {
    out->desc.size[k] = least * pow(most / least, pki_random_unit(rng));
    square += out->desc.size[k] * out->desc.size[k];
  }
  const double *const size = out->desc.size;
  switch (kind) {
  case PK_SHAPE_SPHERE: out->size = size[0]; break;
  case PK_SHAPE_BOX: out->size = sqrt(square) / 2; break;
  case PK_SHAPE_CAPSULE: out->size = size[0] + size[1] / 2; break;
  case PK_SHAPE_ELLIPSOID: out->size = fmax(size[0], fmax(size[1], size[2])); break;
  default: out->size = hypot(size[0], size[1] / 2); break;
  }
  if (kind == PK_SHAPE_CONVEX) {
    out->size = 0;
    out->npoint = 4 + (int)(pki_random_unit(rng) * (CERTIFY_POINTS - 3));
    for (int i = 0; i < out->npoint; i++) {
      double *const p = &out->points[3 * i];
      for (int k = 0; k < 3; k++) {
        p[k] = size[k] * pki_random_between(rng, -1, 1);
      }
      out->size = fmax(out->size, sqrt(pki_dot3(p, p)));
    }
    find_planes(out);
  }
  double q[4];
  pki_random_quaternion(rng, q);
  pki_quat_to_mat3(q, out->pose.rot);
}

/* A cube of edge `unit` or the octahedron with tips at +-unit. */
static void round_hull(certify_shape *s, bool cube, double unit)
{
  s->npoint = cube ? 8 : 6;
  s->nplane = cube ? 6 : 8;
  for (int i = 0; i < s->npoint; i++) {
    for (int k = 0; k < 3; k++) {
      const double tip = i / 2 == k ? (i % 2 ? 1 : -1) : 0, corner = i >> k & 1 ? 0.5 : -0.5;
      s->points[3 * i + k] = unit * (cube ? corner : tip);
    }
  }
  for (int i = 0; i < s->nplane; i++) {
    const double h = 1 / sqrt(3);
    for (int k = 0; k < 3; k++) {
      const double side = i / 2 == k ? (i % 2 ? 1 : -1) : 0, slope = i >> k & 1 ? h : -h;
      s->planes[4 * i + k] = cube ? side : slope;
    }
    s->planes[4 * i + 3] = unit * (cube ? 0.5 : h);
  }
}

void certify_aligned(pki_random *rng, pk_shape_kind kind, double unit, certify_shape *out)
{
  static const double sizes[4] = {0.5, 1, 1, 2};
  *out = (certify_shape){.desc = {.kind = kind}, .size = 3 * unit};
  for (int k = 0; k < 3; k++) {
    out->desc.size[k] = unit * sizes[pki_random_bits(rng) % 4];
    out->pose.pos[k] = unit * (0.25 * (double)(pki_random_bits(rng) % 9) - 1);
  }
  if (kind == PK_SHAPE_CONVEX) {
    round_hull(out, pki_random_bits(rng) % 2, unit);
  }
  double x[3] = {0}, y[3] = {0}, z[3], *const R = out->pose.rot;
  const int first = (int)(pki_random_bits(rng) % 3);
  x[first] = pki_random_bits(rng) % 2 ? 1 : -1;
  y[(first + 1) % 3] = pki_random_bits(rng) % 2 ? 1 : -1;
  pki_cross3(x, y, z);
  for (int k = 0; k < 3; k++) {
    R[3 * k] = x[k], R[3 * k + 1] = y[k], R[3 * k + 2] = z[k];
  }
  if (pki_random_bits(rng) % 4 == 0) { /* an eighth of a turn */
    const double h = sqrt(0.5), turn[9] = {h, -h, 0, h, h, 0, 0, 0, 1};
    pki_mat3_mul(R, turn, R);
  }
}

pk_geometry *certify_geometry(certify_shape *s)
{
  pk_geometry *g = NULL;
  pk_error err;
  s->mesh = (pk_mesh){.name = "points", .nvertex = s->npoint, .vertex = s->points};
  s->desc.mesh = s->desc.kind == PK_SHAPE_CONVEX ? &s->mesh : NULL;
  return pk_geometry_create(&s->desc, &g, &err) == PK_OK ? g : NULL;
}

void certify_support(const certify_shape *s, const double direction[3], double out[3])
{
  double d[3], x[3] = {0};
  pki_mat3_apply_transposed(s->pose.rot, direction, d);
  const double *const size = s->desc.size;
  switch (s->desc.kind) {
  case PK_SHAPE_SPHERE:
  case PK_SHAPE_CAPSULE: {
    const double length = sqrt(pki_dot3(d, d));
    x[2] = s->desc.kind == PK_SHAPE_SPHERE ? 0 : copysign(size[1] / 2, d[2]);
    for (int k = 0; k < 3; k++) {
      x[k] += size[0] * d[k] / length;
    }
    break;
  }
  case PK_SHAPE_BOX:
    for (int k = 0; k < 3; k++) {
      x[k] = copysign(size[k] / 2, d[k]);
    }
    break;
  case PK_SHAPE_ELLIPSOID: {
    const double y[3] = {size[0] * d[0], size[1] * d[1], size[2] * d[2]}, norm = sqrt(pki_dot3(y, y));
    for (int k = 0; k < 3; k++) {
      x[k] = size[k] * size[k] * d[k] / norm;
    }
    break;
  }
  case PK_SHAPE_CYLINDER:
  case PK_SHAPE_CONE: {
    const double flat = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (flat > 0) {
      x[0] = size[0] * d[0] / flat, x[1] = size[0] * d[1] / flat;
    }
    x[2] = s->desc.kind == PK_SHAPE_CONE ? -size[1] / 2 : copysign(size[1] / 2, d[2]);
    if (s->desc.kind == PK_SHAPE_CONE && d[2] * size[1] / 2 > pki_dot3(d, x)) {
      x[0] = x[1] = 0, x[2] = size[1] / 2;
    }
    break;
  }
  default:
    for (int i = 0; i < s->npoint; i++) {
      if (i == 0 || pki_dot3(&s->points[3 * i], d) > pki_dot3(x, d)) {
        memcpy(x, &s->points[3 * i], sizeof x);
      }
    }
  }
  pki_mat3_apply(s->pose.rot, x, out);
  for (int k = 0; k < 3; k++) {
    out[k] += s->pose.pos[k];
  }
}

double certify_outside(const certify_shape *s, const double point[3])
{
  double x[3] = {point[0] - s->pose.pos[0], point[1] - s->pose.pos[1], point[2] - s->pose.pos[2]}, out = 0;
  pki_mat3_apply_transposed(s->pose.rot, x, x);
  const double *const size = s->desc.size, flat = hypot(x[0], x[1]), half = size[1] / 2;
  switch (s->desc.kind) {
  case PK_SHAPE_SPHERE: return fmax(hypot(flat, x[2]) - size[0], 0);
  case PK_SHAPE_CAPSULE: return fmax(hypot(flat, fmax(fabs(x[2]) - half, 0)) - size[0], 0);
  case PK_SHAPE_BOX:
    for (int k = 0; k < 3; k++) {
      out = hypot(out, fmax(fabs(x[k]) - size[k] / 2, 0));
    }
    return out;
  case PK_SHAPE_ELLIPSOID: {
    const double level = hypot(hypot(x[0] / size[0], x[1] / size[1]), x[2] / size[2]);
    return level > 1 ? hypot(flat, x[2]) * (1 - 1 / level) : 0;
  }
  case PK_SHAPE_CYLINDER: return hypot(fmax(flat - size[0], 0), fmax(fabs(x[2]) - half, 0));
  case PK_SHAPE_CONE: { /* across its side, below its base */
    const double side = ((x[2] - half) * size[0] + flat * size[1]) / hypot(size[0], size[1]);
    return hypot(fmax(side, 0), fmax(-x[2] - half, 0));
  }
  default:
    for (int i = 0; i < s->nplane; i++) {
      out = fmax(out, pki_dot3(&s->planes[4 * i], x) - s->planes[4 * i + 3]);
    }
    return out;
  }
}

static void support_difference(const certify_shape *a, const certify_shape *b, const double n[3], double w[3])
{
  const double back[3] = {-n[0], -n[1], -n[2]};
  double p[3], q[3];
  certify_support(a, n, p);
  certify_support(b, back, q);
  for (int k = 0; k < 3; k++) {
    w[k] = p[k] - q[k];
  }
}

double certify_width(const certify_shape *a, const certify_shape *b, const double n[3])
{
  double w[3];
  support_difference(a, b, n, w);
  return pki_dot3(n, w);
}

/* ---- branch and bound ---- */

typedef struct direction {
  double n[3], w[3];
} direction;

typedef struct cell {
  direction corner[3];
} cell;

/* What a point of A - B says about all directions of a cell. */
static double bound(const cell *c, const double w[3])
{
  return fmin(pki_dot3(c->corner[0].n, w), fmin(pki_dot3(c->corner[1].n, w), pki_dot3(c->corner[2].n, w)));
}

/* The mixture of the corners' points that says the same in all three corners: where the shortest way out is across a face
 * or an edge, it is the point that makes it. */
static bool even_mixture(const cell *c, double out[3])
{
  double M[3][3], weight[3], sum = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      M[i][j] = pki_dot3(c->corner[i].n, c->corner[j].w);
    }
  }
  for (int j = 0; j < 3; j++) { /* M weight = (1, 1, 1), by Cramer's rule up to a factor */
    double u[3][3];
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < 3; i++) {
        u[k][i] = k == j ? 1 : M[i][k];
      }
    }
    double x[3];
    pki_cross3(u[1], u[2], x);
    weight[j] = pki_dot3(u[0], x);
    sum += weight[j];
  }
  memset(out, 0, 3 * sizeof(double));
  for (int j = 0; j < 3; j++) {
    const double share = weight[j] / sum;
    if (!(share >= 0)) {
      return false;
    }
    for (int k = 0; k < 3; k++) {
      out[k] += share * c->corner[j].w[k];
    }
  }
  return true;
}

/* Whether all directions of a cell are at least as deep as `depth`. */
static bool proven(const cell *c, double depth)
{
  double w[3];
  for (int k = 0; k < 3; k++) {
    w[k] = (c->corner[0].w[k] + c->corner[1].w[k] + c->corner[2].w[k]) / 3;
  }
  return bound(c, w) >= depth || bound(c, c->corner[0].w) >= depth || bound(c, c->corner[1].w) >= depth ||
         bound(c, c->corner[2].w) >= depth || (even_mixture(c, w) && bound(c, w) >= depth);
}

static direction ask(const certify_shape *a, const certify_shape *b, const double n[3])
{
  direction d;
  const double length = sqrt(pki_dot3(n, n));
  for (int k = 0; k < 3; k++) {
    d.n[k] = n[k] / length;
  }
  support_difference(a, b, d.n, d.w);
  return d;
}

static direction between(const certify_shape *a, const certify_shape *b, const direction *p,
                         const direction *q)
{
  return ask(a, b, (double[3]){p->n[0] + q->n[0], p->n[1] + q->n[1], p->n[2] + q->n[2]});
}

enum { STACK = 256, CELLS = 400000 };

static void search(const certify_shape *a, const certify_shape *b, double depth, double tolerance,
                   certificate *out)
{
  cell stack[STACK];
  int count = 0;
  for (int o = 0; o < 8; o++) {
    for (int k = 0; k < 3; k++) {
      double n[3] = {0};
      n[k] = o >> k & 1 ? 1 : -1;
      stack[count].corner[k] = ask(a, b, n);
    }
    count++;
  }
  for (; count > 0 && out->cells < CELLS && count + 4 < STACK; out->cells++) {
    const cell c = stack[--count];
    const direction *const p = c.corner;
    for (int k = 0; k < 3; k++) {
      out->better = fmax(out->better, depth - pki_dot3(p[k].n, p[k].w));
    }
    if (proven(&c, depth - tolerance)) {
      continue;
    }
    const direction x = between(a, b, &p[0], &p[1]), y = between(a, b, &p[1], &p[2]),
                    z = between(a, b, &p[2], &p[0]);
    stack[count++] = (cell){{p[0], x, z}};
    stack[count++] = (cell){{p[1], y, x}};
    stack[count++] = (cell){{p[2], z, y}};
    stack[count++] = (cell){{x, y, z}};
  }
  out->decided = count == 0;
}

certificate certify(const certify_shape *a, const certify_shape *b, const pk_proximity *p, double tolerance)
{
  certificate c = {.decided = true};
  const double back[3] = {-p->normal[0], -p->normal[1], -p->normal[2]};
  double miss[3];
  for (int k = 0; k < 3; k++) {
    miss[k] = p->point[0][k] - p->point[1][k] - p->distance * p->normal[k];
  }
  c.consistency = fmax(sqrt(pki_dot3(miss, miss)), fabs(sqrt(pki_dot3(back, back)) - 1));
  c.outside = fmax(certify_outside(a, p->point[0]), certify_outside(b, p->point[1]));
  c.gap = fabs(p->distance + certify_width(a, b, back));
  if (p->distance < 0 && tolerance > 0) {
    search(a, b, -p->distance, tolerance, &c);
  }
  return c;
}
