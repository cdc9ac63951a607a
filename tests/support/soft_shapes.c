/* Meshes for tests of compliant surfaces. */
#include "support/soft_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Triangles with corners of their own become a mesh whose equal corners are one. */
static soft_mesh weld(const double *corner, int ntriangle)
{
  soft_mesh m = {0, ntriangle, malloc(9 * (size_t)ntriangle * sizeof(double)),
                 malloc(3 * (size_t)ntriangle * sizeof(int))};
  for (int i = 0; i < 3 * ntriangle; i++) {
    const double *c = corner + 3 * (size_t)i;
    int at = 0;
    while (at < m.nvertex && fabs(m.vertex[3 * at] - c[0]) + fabs(m.vertex[3 * at + 1] - c[1]) +
                                     fabs(m.vertex[3 * at + 2] - c[2]) >
                                 1e-9) {
      at++;
    }
    if (at == m.nvertex) {
      memcpy(m.vertex + 3 * (size_t)m.nvertex++, c, 3 * sizeof *c);
    }
    m.triangle[i] = at;
  }
  return m;
}

/* ---- ball ---- */

static void middle_of(const double *a, const double *b, double out[3])
{
  double square = 0;
  for (int k = 0; k < 3; k++) {
    out[k] = a[k] + b[k];
    square += out[k] * out[k];
  }
  for (int k = 0; k < 3; k++) {
    out[k] /= sqrt(square);
  }
}

static double *cut_in_four(double *corner, int n)
{
  double *out = malloc(36 * (size_t)n * sizeof *out);
  for (int i = 0; i < n; i++) {
    const double *a = corner + 9 * (size_t)i, *b = a + 3, *c = a + 6;
    double ab[3], bc[3], ca[3];
    middle_of(a, b, ab);
    middle_of(b, c, bc);
    middle_of(c, a, ca);
    const double *to[12] = {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca};
    for (int k = 0; k < 12; k++) {
      memcpy(out + 36 * (size_t)i + 3 * k, to[k], 3 * sizeof *out);
    }
  }
  free(corner);
  return out;
}

soft_mesh soft_ball(double radius, int levels)
{
  static const int face[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                  {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                  {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                  {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  const double p = (1 + sqrt(5)) / 2;
  const double vertex[12][3] = {{-1, p, 0},  {1, p, 0},  {-1, -p, 0}, {1, -p, 0}, {0, -1, p},  {0, 1, p},
                                {0, -1, -p}, {0, 1, -p}, {p, 0, -1},  {p, 0, 1},  {-p, 0, -1}, {-p, 0, 1}};
  int n = 20;
  double *corner = malloc(180 * sizeof *corner);
  for (int i = 0; i < 60; i++) {
    for (int k = 0; k < 3; k++) {
      corner[3 * i + k] = vertex[face[i / 3][i % 3]][k] / sqrt(1 + p * p);
    }
  }
  for (int level = 0; level < levels; level++, n *= 4) {
    corner = cut_in_four(corner, n);
  }
  soft_mesh m = weld(corner, n);
  free(corner);
  for (int i = 0; i < 3 * m.nvertex; i++) {
    m.vertex[i] *= radius;
  }
  return m;
}

/* ---- brick ---- */

static void corner_of_side(const double half[3], int axis, double sign, double s, double t, double out[3])
{
  const int x = (axis + 1) % 3, y = (axis + 2) % 3;
  out[axis] = sign * half[axis];
  out[x] = half[x] * (2 * s - 1) * sign; /* turned, so that all sides go round the same way */
  out[y] = half[y] * (2 * t - 1);
}

soft_mesh soft_brick(const double half[3], int cells)
{
  const double longest = fmax(half[0], fmax(half[1], half[2]));
  double *corner = malloc(6 * 2 * 9 * (size_t)cells * (size_t)cells * sizeof *corner);
  int n = 0;
  for (int side = 0; side < 6; side++) {
    const int axis = side / 2;
    const double sign = side % 2 == 0 ? 1 : -1;
    const int nx = (int)fmax(1, lround(cells * half[(axis + 1) % 3] / longest)),
              ny = (int)fmax(1, lround(cells * half[(axis + 2) % 3] / longest));
    for (int i = 0; i < nx; i++) {
      for (int j = 0; j < ny; j++) {
        double c[4][3];
        for (int k = 0; k < 4; k++) {
          corner_of_side(half, axis, sign, (i + (k == 1 || k == 2)) / (double)nx, (j + (k >= 2)) / (double)ny,
                         c[k]);
        }
        static const int order[6] = {0, 1, 2, 2, 3, 0};
        for (int k = 0; k < 6; k++) {
          memcpy(corner + 3 * (size_t)(6 * n + k), c[order[k]], sizeof c[0]);
        }
        n++;
      }
    }
  }
  soft_mesh m = weld(corner, 2 * n);
  free(corner);
  return m;
}

/* ---- foot ---- */

enum { AROUND = 32, RINGS = 9 };

/* Rings from the middle of the sole out to its rim, round it, up, and in to the middle of the top. */
static void foot_point(int ring, int at, double out[3])
{
  static const double part[RINGS + 1] = {0, 0.35, 0.7, 0.94, 0.985, 1, 1, 0.9, 0.5, 0},
                                   height[RINGS + 1] = {0, 0, 0, 0, 0.002, 0.006, 0.025, 0.04, 0.05, 0.05};
  const double angle = 2 * acos(-1.0) * (at % AROUND) / AROUND;
  const double x = cos(angle), y = sin(angle);
  out[0] = 0.035 + 0.095 * part[ring] * x;
  out[1] = part[ring] * (0.045 + 0.005 * x) * y;
  out[2] = height[ring];
}

soft_mesh soft_foot(void)
{
  double corner[9 * 2 * RINGS * AROUND];
  int n = 0;
  for (int ring = 0; ring < RINGS; ring++) {
    for (int at = 0; at < AROUND; at++) {
      double p[4][3];
      foot_point(ring, at, p[0]);
      foot_point(ring, at + 1, p[1]);
      foot_point(ring + 1, at + 1, p[2]);
      foot_point(ring + 1, at, p[3]);
      if (ring + 1 < RINGS) {
        memcpy(corner + 9 * n, p[0], sizeof p[0]);
        memcpy(corner + 9 * n + 3, p[2], sizeof p[0]);
        memcpy(corner + 9 * n + 6, p[3], sizeof p[0]);
        n++;
      }
      if (ring > 0) {
        memcpy(corner + 9 * n, p[0], sizeof p[0]);
        memcpy(corner + 9 * n + 3, p[1], sizeof p[0]);
        memcpy(corner + 9 * n + 6, ring + 1 < RINGS ? p[2] : p[3], sizeof p[0]);
        n++;
      }
    }
  }
  return weld(corner, n);
}

/* ---- all ---- */

void soft_mesh_free(soft_mesh *mesh)
{
  free(mesh->vertex);
  free(mesh->triangle);
  *mesh = (soft_mesh){0, 0, NULL, NULL};
}

pk_geometry *soft_geometry(const soft_mesh *mesh)
{
  const pk_mesh m = {.name = "test",
                     .nvertex = mesh->nvertex,
                     .ntriangle = mesh->ntriangle,
                     .vertex = mesh->vertex,
                     .triangle = mesh->triangle};
  pk_geometry *out = NULL;
  pk_error err;
  return pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &m}, &out, &err) == PK_OK
             ? out
             : NULL;
}
