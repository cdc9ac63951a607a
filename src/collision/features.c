#include "collision/features.h"

#include <math.h>

#include "math/mat3.h"

enum { RIM = 6, DIRECTIONS = 26 };

/* Features of one shape. `out` NULL: they are only counted. */
typedef struct sink {
  const pk_model_shape *shape;
  int index; /* of the shape */
  int count;
  pki_feature *out;
} sink;

/* A ball at (x, y, z) in the shape's frame. */
static void add(sink *s, double x, double y, double z, double radius)
{
  if (s->out != NULL) {
    pki_feature *f = &s->out[s->count];
    *f = (pki_feature){.body = s->shape->body, .shape = s->index, .centre = {x, y, z}, .radius = radius};
    pki_mat3_apply(s->shape->pose.rot, f->centre, f->centre);
    for (int k = 0; k < 3; k++) {
      f->centre[k] += s->shape->pose.pos[k];
    }
  }
  s->count++;
}

static void add_box(sink *s)
{
  const double *const size = s->shape->size;
  for (int c = 0; c < 8; c++) {
    add(s, c & 1 ? size[0] / 2 : -size[0] / 2, c & 2 ? size[1] / 2 : -size[1] / 2,
        c & 4 ? size[2] / 2 : -size[2] / 2, 0);
  }
}

static void add_capsule(sink *s)
{
  const double radius = s->shape->size[0], half = s->shape->size[1] / 2;
  add(s, 0, 0, -half, radius);
  if (half > 0) {
    add(s, 0, 0, half, radius);
  }
}

static void add_cylinder(sink *s)
{
  const double radius = s->shape->size[0], half = s->shape->size[1] / 2;
  const double apart = 6.283185307179586476925286766559 / RIM;
  for (int k = 0; k < 2 * RIM; k++) {
    add(s, radius * cos(apart * (k % RIM)), radius * sin(apart * (k % RIM)), k < RIM ? -half : half, 0);
  }
}

/* The vertex farthest along a direction, the first of equals. */
static int support(const pk_mesh *mesh, const double direction[3])
{
  int best = 0;
  for (int v = 1; v < mesh->nvertex; v++) {
    if (pki_dot3(direction, mesh->vertex + 3 * v) > pki_dot3(direction, mesh->vertex + 3 * best)) {
      best = v;
    }
  }
  return best;
}

static void add_mesh(sink *s, const pk_mesh *mesh)
{
  int taken[DIRECTIONS] = {0}, ntaken = 0;
  /* corners of a cube first, then edges and faces: {-1, 0, 1}^3 by how many are not zero */
  for (int nonzero = 3; nonzero >= 1; nonzero--) {
    for (int code = 0; code < 27; code++) {
      const int x = code % 3 - 1, y = code / 3 % 3 - 1, z = code / 9 - 1;
      const double d[3] = {x, y, z};
      if (x * x + y * y + z * z != nonzero) {
        continue;
      }
      const int v = support(mesh, d);
      bool known = false;
      for (int k = 0; k < ntaken; k++) {
        known |= taken[k] == v;
      }
      if (!known) {
        const double *const at = mesh->vertex + 3 * v;
        taken[ntaken++] = v;
        add(s, at[0], at[1], at[2], 0);
      }
    }
  }
}

static int add_all(const pk_model *model, pki_feature *out)
{
  sink s = {.out = out};
  for (int i = 0; i < model->nshape; i++) {
    const pk_model_shape *shape = &model->shapes[i];
    if (shape->visual || shape->body < 0) {
      continue;
    }
    s.shape = shape, s.index = i;
    switch (shape->kind) {
    case PK_SHAPE_SPHERE: add(&s, 0, 0, 0, shape->size[0]); break;
    case PK_SHAPE_BOX: add_box(&s); break;
    case PK_SHAPE_CYLINDER: add_cylinder(&s); break;
    case PK_SHAPE_CAPSULE: add_capsule(&s); break;
    case PK_SHAPE_MESH:
      if (shape->mesh >= 0 && model->meshes[shape->mesh].nvertex > 0) {
        add_mesh(&s, &model->meshes[shape->mesh]);
      }
      break;
    default: break;
    }
  }
  return s.count;
}

int pki_features_count(const pk_model *model)
{
  return add_all(model, NULL);
}

void pki_features_fill(const pk_model *model, pki_feature *out)
{
  add_all(model, out);
}

int pki_features_group(const pki_feature *features, int nfeature, pki_feature_group *out)
{
  int count = 0;
  for (int i = 0; i < nfeature;) {
    pki_feature_group *g = &out[count++];
    *g = (pki_feature_group){.body = features[i].body, .first = i};
    while (i < nfeature && features[i].shape == features[g->first].shape) {
      for (int k = 0; k < 3; k++) {
        g->centre[k] += features[i].centre[k];
      }
      g->count++, i++;
    }
    for (int k = 0; k < 3; k++) {
      g->centre[k] /= g->count;
    }
    for (int j = g->first; j < i; j++) {
      const double *c = features[j].centre;
      const double x = c[0] - g->centre[0], y = c[1] - g->centre[1], z = c[2] - g->centre[2];
      g->radius = fmax(g->radius, sqrt(x * x + y * y + z * z) + features[j].radius);
    }
  }
  return count;
}
