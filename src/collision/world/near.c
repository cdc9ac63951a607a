/* Which pairs may touch now, in few operations for most of them.
 *
 * For every pair a lower bound of its distance is known: of balls, of a ball and a box, of boxes in their own axes. Until
 * bodies can have come that much nearer, which the clock tells, the pair need not be looked at again: it sleeps. With many
 * colliders the broad phase finds the pairs whose boxes, grown by a skin, overlap; they stand while the clock has gone
 * on by less than the skin. Neither changes what is found. */
#include "collision/world/colliders.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

/* ---- who may touch at all ---- */

/* Groups and masks of the model's shapes: either one's group is in the other's mask. The ground is in all and meets all. */
static bool may_meet(const pk_model *m, const pki_collider *a, const pki_collider *b)
{
  const pk_model_shape *x = a->link >= 0 ? &m->shapes[a->geom] : NULL,
                       *y = b->link >= 0 ? &m->shapes[b->geom] : NULL;
  if ((x != NULL && x->pairs_only) || (y != NULL && y->pairs_only)) {
    return false;
  }
  const bool all = x == NULL || y == NULL || (x->group | x->mask) == 0 || (y->group | y->mask) == 0;
  return all || ((x->group & y->mask) | (y->group & x->mask)) != 0;
}

bool pki_colliders_want(const pki_colliders *c, int i, int j)
{
  const pki_collider *a = &c->of[i], *b = &c->of[j];
  if (a->body == b->body) {
    return false;
  }
  const bool grouped = (a->group & b->mask) != 0 && (b->group & a->mask) != 0 && may_meet(c->model, a, b);
  if (b->link < 0 || a->link < 0) { /* the ground */
    return grouped;
  }
  const pki_shape_rule *rule = pki_filter_shapes(&c->filter, a->geom, b->geom);
  if (rule != NULL) {
    return rule->collide;
  }
  const pki_filter_answer says = pki_filter_decide(&c->filter, a->link, a->body, b->link, b->body);
  return says == PKI_FILTER_INCLUDES || (says == PKI_FILTER_UNDECIDED && grouped);
}

static bool want_pair(int i, int j, const void *user)
{
  return pki_colliders_want(user, i, j);
}

void pki_colliders_refilter(pki_colliders *c)
{
  c->stale = true;
}

/* Where each shape's pairs begin; all are awake. */
static void index_pairs(pki_colliders *c)
{
  int p = 0;
  for (int i = 0; i < c->nmoving; i++) {
    c->start[i] = p;
    c->first_wake[i][0] = c->first_wake[i][1] = -INFINITY;
    for (; p < c->npair && c->pairs[p].a == i && c->pairs[p].b < c->nmoving; p++) {
      c->wake[p] = -INFINITY;
    }
    c->fixed[i] = p;
    for (; p < c->npair && c->pairs[p].a == i; p++) {
      c->wake[p] = -INFINITY;
    }
  }
  c->start[c->nmoving] = p;
}

/* The list of all pairs that may ever touch; or the broad phase begins anew. */
static void refresh_candidates(pki_colliders *c)
{
  c->stale = false;
  c->reach_of = -1;
  c->clock = 0;
  c->npair = 0;
  if (!c->listed) {
    pki_broad_reset(&c->broad);
    return;
  }
  for (int i = 0; i < c->nmoving; i++) {
    for (int j = i + 1; j < c->n; j++) {
      if (pki_colliders_want(c, i, j)) {
        c->pairs[c->npair++] = (pki_box_pair){i, j};
      }
    }
  }
  index_pairs(c);
}

bool pki_colliders_touch(pki_colliders *c)
{
  if (!c->listed) {
    return c->nmoving > 0 && c->nshape > 1;
  }
  if (c->stale) {
    refresh_candidates(c);
  }
  for (int p = 0; p < c->npair; p++) {
    if (c->pairs[p].b < c->nshape) {
      return true;
    }
  }
  return false;
}

int pki_colliders_pairs(pki_colliders *c, const pki_work *w, int lane, double margin)
{
  if (c->stale) {
    refresh_candidates(c);
  }
  const bool holds = margin <= c->reach_of && c->clock - c->built <= 0.999 * c->skin;
  if (c->listed || holds) {
    return c->npair;
  }
  const double grow = margin + c->skin;
  for (int i = 0; i < c->n; i++) {
    pki_colliders_box(c, w, lane, i);
    c->reach[i] = c->box[i];
    for (int k = 0; k < 3 && i < c->nmoving; k++) {
      c->reach[i].min[k] -= grow;
      c->reach[i].max[k] += grow;
    }
  }
  const int found = pki_broad_pairs(&c->broad, c->reach, want_pair, c, c->pairs, c->room);
  const bool room = found <= c->room;
  c->npair = room ? found : 0;
  c->reach_of = room ? margin : -1;
  c->built = c->clock;
  index_pairs(c);
  return room ? found : -1;
}

/* ---- how far apart at least ---- */

/* The ball of i over the half-space j. */
static double above_plane(const pki_colliders *c, int i, int plane)
{
  const double *const R = c->pose[plane].rot, *const o = c->pose[plane].pos, *const x = c->centre[i];
  return R[2] * (x[0] - o[0]) + R[5] * (x[1] - o[1]) + R[8] * (x[2] - o[2]) - c->of[i].geometry->bound;
}

/* The box around i, in its own axes, over the half-space j. */
static double box_above_plane(const pki_colliders *c, int i, int plane)
{
  const double *const P = c->pose[plane].rot, *const o = c->pose[plane].pos;
  const double *const R = c->pose[i].rot, *const x = c->pose[i].pos;
  const pki_aabb *box = &c->of[i].geometry->box;
  double height = P[2] * (x[0] - o[0]) + P[5] * (x[1] - o[1]) + P[8] * (x[2] - o[2]);
  for (int k = 0; k < 3; k++) {
    const double up = P[2] * R[k] + P[5] * R[3 + k] + P[8] * R[6 + k];
    height += up > 0 ? up * box->min[k] : up * box->max[k];
  }
  return height;
}

/* The ball of i beside the box around j, in j's own axes. */
static double beside_box(const pki_colliders *c, int i, int j)
{
  const double *const R = c->pose[j].rot, *const o = c->pose[j].pos, *const x = c->centre[i];
  const double arm[3] = {x[0] - o[0], x[1] - o[1], x[2] - o[2]};
  const pki_aabb *box = &c->of[j].geometry->box;
  double square = 0;
  for (int k = 0; k < 3; k++) {
    const double along = R[k] * arm[0] + R[3 + k] * arm[1] + R[6 + k] * arm[2];
    const double off = fmax(fmax(box->min[k] - along, along - box->max[k]), 0);
    square += off * off;
  }
  return sqrt(square) - c->of[i].geometry->bound;
}

/* The boxes around i and j along the axes of both (Gottschalk, Lin and Manocha, "OBBTree", 1996, without the cross
 * products); the middle and half lengths of each in its own axes. */
static double between_boxes(const pki_colliders *c, int i, int j)
{
  const int at[2] = {i, j};
  double middle[2][3], half[2][3], turn[9], arm[3], most = -INFINITY;
  for (int s = 0; s < 2; s++) {
    const pki_aabb *box = &c->of[at[s]].geometry->box;
    for (int k = 0; k < 3; k++) {
      half[s][k] = 0.5 * (box->max[k] - box->min[k]);
      middle[s][k] = 0.5 * (box->max[k] + box->min[k]);
    }
    pki_mat3_apply(c->pose[at[s]].rot, middle[s], middle[s]);
  }
  for (int k = 0; k < 3; k++) {
    arm[k] = c->pose[j].pos[k] + middle[1][k] - c->pose[i].pos[k] - middle[0][k];
  }
  const double *const A = c->pose[i].rot, *const B = c->pose[j].rot;
  for (int k = 0; k < 3; k++) { /* |A' B| */
    for (int l = 0; l < 3; l++) {
      turn[3 * k + l] = fabs(A[k] * B[l] + A[3 + k] * B[3 + l] + A[6 + k] * B[6 + l]);
    }
  }
  for (int k = 0; k < 3; k++) {
    const double along_a = A[k] * arm[0] + A[3 + k] * arm[1] + A[6 + k] * arm[2];
    const double along_b = B[k] * arm[0] + B[3 + k] * arm[1] + B[6 + k] * arm[2];
    const double *row = turn + 3 * k;
    most = fmax(most, fabs(along_a) - half[0][k] -
                          (row[0] * half[1][0] + row[1] * half[1][1] + row[2] * half[1][2]));
    most = fmax(most, fabs(along_b) - half[1][k] -
                          (turn[k] * half[0][0] + turn[3 + k] * half[0][1] + turn[6 + k] * half[0][2]));
  }
  return most;
}

/* A lower bound of the distance of two colliders; better ones are tried while it is not above the margin. Infinite where
 * something is not a number. */
static double lower_distance_bound(pki_colliders *c, const pki_work *w, int lane, int i, int j, double margin)
{
  const pk_geometry *a = c->of[i].geometry, *b = c->of[j].geometry;
  pki_colliders_ball(c, w, lane, i);
  pki_colliders_ball(c, w, lane, j);
  if (b->kind == PK_SHAPE_PLANE) {
    double height = above_plane(c, i, j);
    if (height <= margin && a->kind != PK_SHAPE_SPHERE) {
      pki_colliders_pose(c, w, lane, i);
      height = fmax(height, box_above_plane(c, i, j));
    }
    return isnan(height) ? INFINITY : height;
  }
  const double *const x = c->centre[i], *const y = c->centre[j];
  const double arm[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  double least = sqrt(pki_dot3(arm, arm)) - a->bound - b->bound;
  if (!(least <= margin)) {
    return isnan(least) ? INFINITY : least;
  }
  pki_colliders_pose(c, w, lane, i);
  pki_colliders_pose(c, w, lane, j);
  if (b->kind != PK_SHAPE_SPHERE) {
    least = fmax(least, beside_box(c, i, j));
  }
  if (least <= margin && a->kind != PK_SHAPE_SPHERE && isfinite(b->bound)) {
    least = fmax(least, beside_box(c, j, i));
    least = least <= margin && b->kind != PK_SHAPE_SPHERE ? fmax(least, between_boxes(c, i, j)) : least;
  }
  return least;
}

bool pki_colliders_near(pki_colliders *c, const pki_work *w, int lane, int i, int j, double margin)
{
  const bool near = lower_distance_bound(c, w, lane, i, j, margin) <= margin;
  if (near) {
    pki_colliders_pose(c, w, lane, i);
    pki_colliders_pose(c, w, lane, j);
  }
  return near;
}

bool pki_colliders_awake(pki_colliders *c, const pki_work *w, int lane, int pair, double margin)
{
  const int i = c->pairs[pair].a, j = c->pairs[pair].b;
  const double least = lower_distance_bound(c, w, lane, i, j, margin);
  /* a hair earlier: the clock's sums are rounded. Near with this margin, it may sleep with a smaller one */
  c->wake[pair] = c->clock + least - 1e-6 * c->skin;
  if (!(least <= margin)) {
    return false;
  }
  pki_colliders_pose(c, w, lane, i);
  pki_colliders_pose(c, w, lane, j);
  return true;
}
