/* Heaps of free bodies as contact problems in factor form, without a world: lattices of balls, walls,
 * towers and pyramids of blocks. M is diagonal, so Y = J and weight = 1/M. */
#ifndef TEST_CONTACT_HEAP_H
#define TEST_CONTACT_HEAP_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "pronk/contact.h"

enum { HEAP_STRIDE = 12 };

typedef struct heap {
  pk_contact_problem p;
  pk_contact_factor f;
  int nbody, max_bodies, max_contacts, max_boxes;
  double (*centre)[3];
  double *weight, *v; /* [6 bodies] 1/M, velocity without impulses */
  int *count, *col;
  double *Y, *extra, *q, *mu, *lower, *upper, *r;
} heap;

static void *heap_room(size_t count, size_t size)
{
  return calloc(count > 0 ? count : 1, size);
}

static heap *heap_create(int bodies, int contacts, int boxes)
{
  heap *h = heap_room(1, sizeof *h);
  const size_t rows = 3 * (size_t)contacts + (size_t)boxes, nb = (size_t)bodies;
  h->max_bodies = bodies, h->max_contacts = contacts, h->max_boxes = boxes;
  h->centre = heap_room(nb, sizeof *h->centre);
  h->weight = heap_room(6 * nb, sizeof(double));
  h->v = heap_room(6 * nb, sizeof(double));
  h->count = heap_room(rows, sizeof(int));
  h->col = heap_room(rows * HEAP_STRIDE, sizeof(int));
  h->Y = heap_room(rows * HEAP_STRIDE, sizeof(double));
  h->extra = heap_room(rows, sizeof(double));
  h->q = heap_room(rows, sizeof(double));
  h->r = heap_room(rows, sizeof(double));
  h->mu = heap_room((size_t)contacts, sizeof(double));
  h->lower = heap_room((size_t)boxes, sizeof(double));
  h->upper = heap_room((size_t)boxes, sizeof(double));
  return h;
}

static void heap_destroy(heap *h)
{
  void *const parts[] = {h->centre, h->weight, h->v,  h->count, h->col,   h->Y, h->extra,
                         h->q,      h->r,      h->mu, h->lower, h->upper, h};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    free(parts[i]);
  }
}

/* A body that falls for a step of dt; its number. */
static int heap_body(heap *h, const double centre[3], double mass, const double inertia[3], double dt)
{
  const int b = h->nbody++;
  memcpy(h->centre[b], centre, 3 * sizeof *centre);
  for (int k = 0; k < 3; k++) {
    h->weight[6 * b + k] = 1 / mass, h->weight[6 * b + 3 + k] = 1 / inertia[k];
    h->v[6 * b + k] = k == 2 ? -9.81 * dt : 0, h->v[6 * b + 3 + k] = 0;
  }
  return b;
}

/* The row of direction d at a point, b's motion less that of a (-1: the ground). */
static void heap_row(heap *h, int row, int a, int b, const double point[3], const double d[3], double q)
{
  const int first = a >= 0 && a < b ? a : b, second = first == a ? b : a;
  int *col = h->col + (size_t)row * HEAP_STRIDE, n = 0;
  double *Y = h->Y + (size_t)row * HEAP_STRIDE;
  h->q[row] = q;
  for (int side = 0; side < 2; side++) {
    const int body = side ? second : first;
    const double sign = body == b ? 1 : -1;
    if (body < 0) {
      continue;
    }
    double x[3], J[6];
    for (int k = 0; k < 3; k++) {
      x[k] = point[k] - h->centre[body][k], J[k] = sign * d[k];
    }
    J[3] = sign * (x[1] * d[2] - x[2] * d[1]);
    J[4] = sign * (x[2] * d[0] - x[0] * d[2]);
    J[5] = sign * (x[0] * d[1] - x[1] * d[0]);
    for (int k = 0; k < 6; k++, n++) {
      col[n] = 6 * body + k, Y[n] = J[k];
      h->q[row] += J[k] * h->v[6 * body + k];
    }
  }
  h->count[row] = n;
}

/* A contact whose normal points from a (-1: the ground) to b, open by `gap` over dt. */
static void heap_contact(heap *h, int a, int b, const double point[3], const double n[3], double mu,
                         double rate)
{
  const int i = h->p.ncontact++, k = fabs(n[0]) < 0.6 ? 0 : 1;
  double t[2][3], size = 0;
  for (int e = 0; e < 3; e++) {
    t[0][e] = (e == k) - n[k] * n[e];
    size += t[0][e] * t[0][e];
  }
  for (int e = 0; e < 3; e++) {
    t[0][e] /= sqrt(size);
  }
  t[1][0] = n[1] * t[0][2] - n[2] * t[0][1];
  t[1][1] = n[2] * t[0][0] - n[0] * t[0][2];
  t[1][2] = n[0] * t[0][1] - n[1] * t[0][0];
  h->mu[i] = mu;
  heap_row(h, 3 * i, a, b, point, n, rate);
  heap_row(h, 3 * i + 1, a, b, point, t[0], 0);
  heap_row(h, 3 * i + 2, a, b, point, t[1], 0);
}

static void heap_finish(heap *h)
{
  h->f = (pk_contact_factor){.n = 6 * h->nbody,
                             .stride = HEAP_STRIDE,
                             .count = h->count,
                             .col = h->col,
                             .Y = h->Y,
                             .weight = h->weight,
                             .extra = h->extra};
  h->p.q = h->q, h->p.mu = h->mu, h->p.lower = h->lower, h->p.upper = h->upper;
  h->p.factor = &h->f;
}

/* Balls of radius 0.1 in layers, each in the hollows of the last, n x n below, n - 1 x n - 1 above and so on
 * in turn, `layers` in all, within walls. */
static heap *heap_balls(int n, int layers, double mu, double dt, double stir, uint64_t seed)
{
  const double R = 0.1, m = 4.2, I = 0.4 * m * R * R;
  pki_random rng = pki_random_seeded(seed);
  heap *h = heap_create(n * n * layers, 8 * n * n * layers, 0);
  for (int l = 0; l < layers; l++) {
    const int side = n - l % 2;
    for (int i = 0; i < side * side; i++) {
      const double x[3] = {2 * R * (i % side) + (l % 2) * R, 2 * R * (i / side) + (l % 2) * R,
                           R + l * sqrt(2) * R};
      const int b = heap_body(h, x, m * pki_random_between(&rng, 0.9, 1.1), (const double[3]){I, I, I}, dt);
      for (int k = 0; k < 6; k++) {
        h->v[6 * b + k] += stir * pki_random_between(&rng, -1, 1);
      }
    }
  }
  for (int b = 0; b < h->nbody; b++) {
    const double *x = h->centre[b];
    for (int w = 0; w < 5; w++) { /* ground and walls */
      static const double normals[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
      const double *d = normals[w], wide = 2 * R * n - R;
      const double at = d[0] + d[1] + d[2] > 0 ? 0 : wide;
      const double gap = w == 0 ? x[2] - R : fabs(d[0] * x[0] + d[1] * x[1] + at) - (at > 0 ? 0 : R);
      const double touch =
          w == 0 ? gap : (d[0] + d[1] > 0 ? d[0] * x[0] + d[1] * x[1] : wide - R + d[0] * x[0] + d[1] * x[1]);
      if (touch < 1e-6) {
        const double point[3] = {x[0] - R * d[0], x[1] - R * d[1], x[2] - R * d[2]};
        heap_contact(h, -1, b, point, d, mu, 0);
      }
    }
    for (int a = 0; a < b; a++) {
      double d[3], size = 0, point[3];
      for (int k = 0; k < 3; k++) {
        d[k] = x[k] - h->centre[a][k], size += d[k] * d[k];
      }
      size = sqrt(size);
      if (size < 2 * R * (1 + 1e-6)) {
        for (int k = 0; k < 3; k++) {
          d[k] /= size, point[k] = h->centre[a][k] + R * d[k];
        }
        heap_contact(h, a, b, point, d, mu, 0);
      }
    }
  }
  heap_finish(h);
  return h;
}

/* Four corners of the face that two blocks share: block b lies on a (-1: the ground). */
static void heap_face(heap *h, int a, int b, const double lo[2], const double hi[2], double z, double mu)
{
  for (int k = 0; k < 4; k++) {
    const double point[3] = {k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1], z};
    heap_contact(h, a, b, point, (const double[3]){0, 0, 1}, mu, 0);
  }
}

/* Blocks of 0.2 x 0.1 x 0.1 m in a bond, `rows` high and `width` wide, half a block off in each course; a
 * pyramid loses one in each course. */
static heap *heap_wall(int width, int rows, bool pyramid, double mu, double dt, double stir, uint64_t seed)
{
  const double L = 0.2, B = 0.1, H = 0.1, m = 2;
  const double I[3] = {m / 12 * (B * B + H * H), m / 12 * (L * L + H * H), m / 12 * (L * L + B * B)};
  pki_random rng = pki_random_seeded(seed);
  heap *h = heap_create(width * rows, 8 * width * rows, 0);
  int below = 0, count_below = 0;
  for (int l = 0; l < rows; l++) {
    const int count = pyramid ? width - l : width, first = h->nbody;
    for (int i = 0; i < count; i++) {
      const double left = L * i + (pyramid ? 0.5 * L * l : 0.5 * L * (l % 2));
      const double x[3] = {left + 0.5 * L, 0, H * (l + 0.5)};
      const int b = heap_body(h, x, m, I, dt);
      for (int k = 0; k < 6; k++) {
        h->v[6 * b + k] += stir * pki_random_between(&rng, -1, 1);
      }
      if (l == 0) {
        heap_face(h, -1, b, (const double[2]){left, -B / 2}, (const double[2]){left + L, B / 2}, 0, mu);
      }
      for (int a = below; a < below + (l > 0 ? count_below : 0); a++) {
        const double other = h->centre[a][0] - 0.5 * L, lo = fmax(left, other), hi = fmin(left, other) + L;
        if (hi - lo > 1e-6) {
          heap_face(h, a, b, (const double[2]){lo, -B / 2}, (const double[2]){hi, B / 2}, H * l, mu);
        }
      }
    }
    below = first, count_below = count;
  }
  heap_finish(h);
  return h;
}

#endif
