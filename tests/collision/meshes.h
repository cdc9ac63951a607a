/* Meshes for tests. */
#ifndef PK_TESTS_COLLISION_MESHES_H
#define PK_TESTS_COLLISION_MESHES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "pronk/builder.h"

typedef struct mesh {
  int nvertex, ntriangle;
  double *vertex;
  int *triangle;
} mesh;

static inline mesh mesh_room(int nvertex, int ntriangle)
{
  mesh m = {nvertex, ntriangle, calloc(3 * (size_t)nvertex + 1, sizeof(double)),
            calloc(3 * (size_t)ntriangle + 1, sizeof(int))};
  return m;
}

static inline void mesh_free(mesh *m)
{
  free(m->vertex);
  free(m->triangle);
}

static inline pk_mesh mesh_view(const mesh *m)
{
  return (pk_mesh){"test", m->nvertex, m->ntriangle, m->vertex, m->triangle};
}

/* A box of half lengths h around c; vertex bits 0, 1, 2: the sides x, y, z. */
static inline mesh mesh_box(double hx, double hy, double hz, double cx, double cy, double cz)
{
  static const int face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                  {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  mesh m = mesh_room(8, 12);
  for (int i = 0; i < 8; i++) {
    m.vertex[3 * i] = cx + (i & 1 ? hx : -hx);
    m.vertex[3 * i + 1] = cy + (i & 2 ? hy : -hy);
    m.vertex[3 * i + 2] = cz + (i & 4 ? hz : -hz);
  }
  memcpy(m.triangle, face, sizeof face);
  return m;
}

/* Two meshes as one. */
static inline mesh mesh_join(mesh a, mesh b)
{
  mesh m = mesh_room(a.nvertex + b.nvertex, a.ntriangle + b.ntriangle);
  memcpy(m.vertex, a.vertex, 3 * (size_t)a.nvertex * sizeof(double));
  memcpy(m.vertex + 3 * a.nvertex, b.vertex, 3 * (size_t)b.nvertex * sizeof(double));
  memcpy(m.triangle, a.triangle, 3 * (size_t)a.ntriangle * sizeof(int));
  for (int i = 0; i < 3 * b.ntriangle; i++) {
    m.triangle[3 * a.ntriangle + i] = b.triangle[i] + a.nvertex;
  }
  mesh_free(&a);
  mesh_free(&b);
  return m;
}

static inline void mesh_turn(mesh *m, int i)
{
  const int v = m->triangle[3 * i + 1];
  m->triangle[3 * i + 1] = m->triangle[3 * i + 2];
  m->triangle[3 * i + 2] = v;
}

static inline void mesh_turn_all(mesh *m)
{
  for (int i = 0; i < m->ntriangle; i++) {
    mesh_turn(m, i);
  }
}

/* A surface over a torus of nu x nv quads: radius R, tube r. */
static inline mesh mesh_torus(double R, double r, int nu, int nv)
{
  mesh m = mesh_room(nu * nv, 2 * nu * nv);
  const double tau = 6.283185307179586;
  for (int i = 0; i < nu; i++) {
    for (int j = 0; j < nv; j++) {
      const double u = tau * i / nu, v = tau * j / nv;
      double *x = m.vertex + 3 * (i * nv + j);
      x[0] = (R + r * cos(v)) * cos(u), x[1] = (R + r * cos(v)) * sin(u), x[2] = r * sin(v);
      const int a = i * nv + j, b = (i + 1) % nu * nv + j, c = (i + 1) % nu * nv + (j + 1) % nv,
                d = i * nv + (j + 1) % nv;
      int *t = m.triangle + 6 * (i * nv + j);
      t[0] = a, t[1] = b, t[2] = c, t[3] = a, t[4] = c, t[5] = d;
    }
  }
  return m;
}

/* A ball, cut by meridians and parallels. */
static inline mesh mesh_ball(double r, int nu, int nv)
{
  mesh m = mesh_room(nu * (nv - 1) + 2, 2 * nu * (nv - 1));
  const double pi = 3.141592653589793;
  const int top = nu * (nv - 1), low = top + 1;
  int *t = m.triangle;
  m.vertex[3 * top + 2] = r, m.vertex[3 * low + 2] = -r;
  for (int j = 0; j < nv - 1; j++) {
    for (int i = 0; i < nu; i++) {
      const double u = 2 * pi * i / nu, v = pi * (j + 1) / nv;
      double *x = m.vertex + 3 * (j * nu + i);
      x[0] = r * sin(v) * cos(u), x[1] = r * sin(v) * sin(u), x[2] = r * cos(v);
      const int a = j * nu + i, b = j * nu + (i + 1) % nu;
      if (j == 0) {
        t[0] = top, t[1] = a, t[2] = b, t += 3;
      }
      if (j == nv - 2) {
        t[0] = low, t[1] = b, t[2] = a, t += 3;
      } else {
        t[0] = a, t[1] = a + nu, t[2] = b + nu, t += 3;
        t[0] = a, t[1] = b + nu, t[2] = b, t += 3;
      }
    }
  }
  return m;
}

/* A sheet over [-size, size]^2 of n x n cells, lines at random places, diagonals at random; heights by f (NULL: level). */
static inline mesh mesh_sheet(double size, int n, pki_random *rng, double (*f)(double, double))
{
  mesh m = mesh_room((n + 1) * (n + 1), 2 * n * n);
  for (int j = 0; j <= n; j++) {
    for (int i = 0; i <= n; i++) {
      double *x = m.vertex + 3 * (j * (n + 1) + i);
      const bool edge_x = i == 0 || i == n, edge_y = j == 0 || j == n;
      x[0] = size * (2.0 * i / n - 1) + (edge_x ? 0 : pki_random_between(rng, -0.3, 0.3) * 2 * size / n);
      x[1] = size * (2.0 * j / n - 1) + (edge_y ? 0 : pki_random_between(rng, -0.3, 0.3) * 2 * size / n);
      x[2] = f != NULL ? f(x[0], x[1]) : 0;
    }
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      const int a = j * (n + 1) + i, b = a + 1, c = b + n + 1, d = a + n + 1;
      const bool other = pki_random_unit(rng) < 0.5;
      const int cell[2][6] = {{a, b, c, a, c, d}, {a, b, d, b, c, d}};
      memcpy(m.triangle + 6 * (j * n + i), cell[other], sizeof cell[0]);
    }
  }
  return m;
}

#endif
