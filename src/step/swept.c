#include "step/swept.h"

#include <math.h>
#include <string.h>

#include "collision/world/colliders.h"
#include "math/mat3.h"
#include "step/contact.h"
#include "step/frames.h"

/* ---- who is fast ---- */

/* How far any point of a collider moves in a step at most, m. */
static double collider_travel(const pk_sim *sim, const pki_collider *c)
{
  if (c->body < 0) {
    return 0;
  }
  const double *twist = sim->workspace->work.twist + 6 * ((size_t)c->body + 1);
  const double extent = sqrt(pki_dot3(c->centre, c->centre)) + c->geometry->bound;
  return sim->options.dt * (sqrt(pki_dot3(twist + 3, twist + 3)) + extent * sqrt(pki_dot3(twist, twist)));
}

/* Of a fast pair one is fast by itself. Meshes have no ball inside; a part of their size stands for it, so that those at
 * rest are left alone. */
static bool is_fast(const pk_sim *sim, const pki_collider *c)
{
  static const double still = 1e-4;
  const pk_geometry *g = c->geometry;
  return collider_travel(sim, c) > (g->inner > 0 ? 0.5 * g->inner : still * g->bound);
}

static pki_motion motion_of(const pk_sim *sim, const pki_colliders *all, int i)
{
  const pki_work *w = &sim->workspace->work;
  pki_motion m = {.pose = all->pose[i]};
  const int body = all->of[i].body;
  if (body >= 0) {
    const double *twist = w->twist + 6 * ((size_t)body + 1), *o = w->origin + 3 * ((size_t)body + 1);
    const double arm[3] = {m.pose.pos[0] - o[0], m.pose.pos[1] - o[1], m.pose.pos[2] - o[2]};
    memcpy(m.angular, twist, sizeof m.angular);
    pki_cross3(twist, arm, m.linear);
    for (int k = 0; k < 3; k++) {
      m.linear[k] += twist[3 + k];
    }
  }
  return m;
}

/* ---- where a pair touches on its way ---- */

static double rounding_of(const pk_geometry *g)
{
  const pk_pose any = pk_pose_identity();
  return pki_is_convex(g) ? pki_convex_of(g, &any).rounding : 0;
}

/* Who keeps the plane: the larger one. It is flat beside the other. */
static int choose_plane_owner(const pki_collider *const of[2])
{
  return of[0]->geometry->bound > of[1]->geometry->bound ? 0 : 1;
}

/* A point and a direction that a shape has at the pose `at`, in the frame of its body, which is at the step's start. */
static void keep_point(const pki_work *w, int body, const pki_motion *m, const pk_pose *at,
                       const double point[3], double out[3])
{
  const double arm[3] = {point[0] - at->pos[0], point[1] - at->pos[1], point[2] - at->pos[2]};
  double local[3], start[3];
  pki_mat3_apply_transposed(at->rot, arm, local);
  pki_mat3_apply(m->pose.rot, local, start);
  for (int k = 0; k < 3; k++) {
    start[k] += m->pose.pos[k];
  }
  pki_point_to_body(w, body, start, out);
}

static void keep_direction(const pki_work *w, int body, const pki_motion *m, const pk_pose *at,
                           const double direction[3], double out[3])
{
  double local[3], start[3];
  pki_mat3_apply_transposed(at->rot, direction, local);
  pki_mat3_apply(m->pose.rot, local, start);
  pki_direction_to_body(w, body, start, out);
}

static int nearest_of(const pk_touch_point *touch, int n)
{
  int nearest = 0;
  for (int k = 1; k < n; k++) {
    nearest = touch[k].gap < touch[nearest].gap ? k : nearest;
  }
  return nearest;
}

/* The plane that parts the pair at the poses `at`, through the nearest of n touches. False when there is no room. */
static bool keep_plane(pk_sim *sim, const pki_colliders *all, const int pair[2], const pki_motion motion[2],
                       const pk_pose at[2], const pk_touch_point *touch, int n)
{
  pki_sim_contact *c = &sim->contact;
  const pki_work *w = &sim->workspace->work;
  const pki_collider *const of[2] = {&all->of[pair[0]], &all->of[pair[1]]};
  if (c->nswept == sim->options.max_contacts) {
    return false;
  }
  pki_swept *s = &c->swept[c->nswept++];
  *s = (pki_swept){.as = {.geom = {of[0]->geom, of[1]->geom},
                          .body = of[0]->body,
                          .other = of[1]->body,
                          .material = of[1]->material},
                   .keeper = choose_plane_owner(of)};
  const int keeper = s->keeper, mover = 1 - keeper, nearest = nearest_of(touch, n);
  const double *normal = touch[nearest].normal, out = keeper == 0 ? 1 : -1;
  const bool ball = of[keeper]->geometry->kind == PK_SHAPE_SPHERE;
  double core[3];
  s->collider = pair[mover];
  s->hollow = !pki_is_convex(of[0]->geometry) || !pki_is_convex(of[1]->geometry);
  s->rounding = rounding_of(of[keeper]->geometry);
  for (int k = 0; k < 3; k++) {
    core[k] = touch[nearest].point[keeper][k] + out * s->rounding * normal[k];
  }
  keep_point(w, of[keeper]->body, &motion[keeper], &at[keeper], core, s->point);
  s->frame = ball ? -1 : of[keeper]->body;
  memcpy(s->normal, normal, sizeof s->normal);
  if (s->frame >= 0) {
    keep_direction(w, s->frame, &motion[keeper], &at[keeper], normal, s->normal);
  }
  for (int k = 0; k < n && !pki_is_convex(of[mover]->geometry); k++) {
    s->id[s->nfixed] = touch[k].id;
    keep_point(w, of[mover]->body, &motion[mover], &at[mover], touch[k].point[mover], s->fixed[s->nfixed++]);
  }
  return true;
}

/* How far any point of one comes towards the other along the normal in the step, at most. Turning moves no ball. */
static double closing_distance(const pk_sim *sim, const pki_collider *const of[2], const pki_motion motion[2],
                               const double normal[3])
{
  double speed = pki_dot3(normal, motion[1].linear) - pki_dot3(normal, motion[0].linear);
  for (int k = 0; k < 2; k++) {
    const pk_geometry *g = of[k]->geometry;
    const double spin = sqrt(pki_dot3(motion[k].angular, motion[k].angular));
    const double reach = sqrt(pki_dot3(g->centre, g->centre)) + g->bound - rounding_of(g);
    speed += spin > 0 ? spin * reach : 0;
  }
  return sim->options.dt * speed;
}

/* A pair that may meet in the step: at once, or on its way. False when there is no room. */
static bool sweep_pair(pk_sim *sim, const pki_colliders *all, int i, int j, double most)
{
  const pki_collider *const of[2] = {&all->of[i], &all->of[j]};
  const pki_motion motion[2] = {motion_of(sim, all, i), motion_of(sim, all, j)};
  const pk_geometry *a = of[0]->geometry, *b = of[1]->geometry;
  pk_pose at[2] = {motion[0].pose, motion[1].pose};
  pk_touch_point touch[PK_TOUCH_MOST];
  int n = pki_touch(a, &at[0], b, &at[1], pki_touching(sim), NULL, touch);
  if (n > 0 && !(pki_is_convex(a) && pki_is_convex(b))) { /* and all that may follow in the step */
    n = pki_touch(a, &at[0], b, &at[1], most, NULL, touch);
  } else if (n == 0) {
    double when;
    pk_proximity near;
    if (!pki_first_touch(a, &motion[0], b, &motion[1], sim->options.dt, 0.5 * pki_touching(sim), &when,
                         &near)) {
      return true;
    }
    pki_motion_at(&motion[0], when, &at[0]), pki_motion_at(&motion[1], when, &at[1]);
    n = pki_touch(a, &at[0], b, &at[1], most, NULL, touch);
    if (n == 0) {
      n = 1;
      touch[0] = (pk_touch_point){.gap = near.distance};
      memcpy(touch[0].point, near.point, sizeof near.point);
      memcpy(touch[0].normal, near.normal, sizeof near.normal);
    }
  }
  /* one that mostly slides is found where it is */
  const double most_closing = closing_distance(sim, of, motion, touch[nearest_of(touch, n)].normal);
  return most_closing <= 0.5 * (a->inner + b->inner) ||
         keep_plane(sim, all, (const int[2]){i, j}, motion, at, touch, n);
}

/* All pairs of a fast collider that were not looked at before it. */
static bool sweep_collider(pk_sim *sim, pki_colliders *all, int i)
{
  const double own = collider_travel(sim, &all->of[i]);
  bool room = true;
  for (int j = 0; j < all->n && room; j++) {
    const pki_collider *other = &all->of[j];
    const double most = own + collider_travel(sim, other);
    const bool slow = !(most > 0.5 * (all->of[i].geometry->inner + other->geometry->inner));
    if (j == i || slow || (j < i && is_fast(sim, other))) {
      continue;
    }
    const int first = i < j ? i : j, second = i < j ? j : i;
    const bool taken = all->takes != NULL && all->takes(all->taken, first, second);
    if (!taken && pki_colliders_want(all, first, second) &&
        pki_colliders_near(all, &sim->workspace->work, 0, first, second, most)) {
      room = sweep_pair(sim, all, first, second, most);
    }
  }
  return room;
}

/* In the order of contacts. */
static void sort_swept(pki_swept *s, int n)
{
  for (int i = 1; i < n; i++) {
    const pki_swept moving = s[i];
    int to = i;
    for (; to > 0 && pki_contact_order(s[to - 1].as.geom, s[to - 1].as.id, &moving.as) > 0; to--) {
      s[to] = s[to - 1];
    }
    s[to] = moving;
  }
}

/* The workspace at a configuration, with the twists of the step's start. */
static void kinematics_at(pk_sim *sim, const double *q, const double *u)
{
  pk_workspace *w = sim->workspace;
  w->kernels->kinematics(&w->work, q);
  w->kernels->velocities(&w->work, u);
}

bool pki_swept_find(pk_sim *sim, const double *q, const double *u, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pki_colliders *all = &sim->scene.colliders;
  c->nswept = 0;
  const bool wanted = sim->options.swept && pki_laws[sim->options.law]->force == NULL &&
                      sim->options.contact == PK_CONTACT_STABILISED;
  bool any = false, room = true;
  for (int i = 0; i < all->nmoving && wanted && !any; i++) {
    any = is_fast(sim, &all->of[i]);
  }
  if (!any) {
    return true;
  }
  kinematics_at(sim, sim->state.q, u);
  pki_colliders_move(all, &sim->workspace->work, 0);
  for (int i = 0; i < all->nmoving && room; i++) {
    if (is_fast(sim, &all->of[i])) {
      room = sweep_collider(sim, all, i);
    }
  }
  kinematics_at(sim, q, u);
  sort_swept(c->swept, c->nswept);
  if (!room) {
    info->term = "max_contacts";
    info->contacts = c->nswept;
  }
  return room;
}

/* ---- in the step ---- */

/* A contact's pair where it is swept, NULL: it is not. */
static const pki_swept *swept_of(const pki_sim_contact *c, const pki_contact *f)
{
  int from = 0, to = c->nswept;
  while (from < to) {
    const int middle = from + (to - from) / 2, *geom = c->swept[middle].as.geom;
    const bool before = geom[0] < f->geom[0] || (geom[0] == f->geom[0] && geom[1] < f->geom[1]);
    from = before ? middle + 1 : from;
    to = before ? to : middle;
  }
  const pki_swept *s = from < c->nswept ? &c->swept[from] : NULL;
  return s != NULL && s->as.geom[0] == f->geom[0] && s->as.geom[1] == f->geom[1] ? s : NULL;
}

/* Whether a contact of a swept pair has nothing to do with its plane: a wall beside the floor of one mesh. */
static bool is_beside_swept_plane(const pki_work *w, const pki_swept *s, const pki_contact *f)
{
  double n[3];
  pki_direction_to_world(w, s->frame, s->normal, n);
  return s->hollow && fabs(pki_dot3(n, f->normal)) < 0.7;
}

/* The mover's points that are farthest along the normal's way in: of convex shapes where they are now, within a lean that
 * half a turn of a corner allows for; of others the points that touched. Their gaps are measured from the plane. */
static int points_of(const pki_colliders *all, const pki_work *w, const pki_swept *s, const double plane[3],
                     const double n[3], pk_touch_point out[PKI_FACE_MOST])
{
  static const double lean = 0.7; /* rad */
  const pki_collider *of = &all->of[s->collider];
  const double side = s->keeper == 1 ? -1 : 1, in[3] = {side * n[0], side * n[1], side * n[2]};
  pki_face face = {.count = s->nfixed};
  double rounding = 0;
  if (pki_is_convex(of->geometry)) {
    pk_pose pose = of->pose;
    if (of->body >= 0) {
      pki_mat3_mul(w->pose + 12 * ((size_t)of->body + 1), of->pose.rot, pose.rot);
      pki_point_to_world(w, of->body, of->pose.pos, pose.pos);
    }
    const pki_convex shape = pki_convex_of(of->geometry, &pose);
    rounding = shape.rounding;
    pki_convex_face(&shape, in, lean, &face);
  }
  for (int k = 0; k < face.count; k++) {
    double x[3], gap = 0;
    if (s->nfixed > 0) {
      pki_point_to_world(w, of->body, s->fixed[k], x);
    }
    for (int e = 0; e < 3; e++) {
      x[e] = s->nfixed > 0 ? x[e] : face.point[k][e] + rounding * in[e];
      gap -= in[e] * (x[e] - plane[e]);
    }
    out[k] = (pk_touch_point){.gap = gap, .id = s->nfixed > 0 ? s->id[k] : (unsigned)face.id[k]};
    for (int e = 0; e < 3; e++) { /* on the mover, and below it in the plane */
      out[k].point[1 - s->keeper][e] = x[e];
      out[k].point[s->keeper][e] = x[e] + gap * in[e];
      out[k].normal[e] = n[e];
    }
  }
  return pki_touch_reduce(out, face.count);
}

/* Contacts of a swept pair at the workspace's configuration; false when there is no room. */
static bool place_swept_contacts(pk_sim *sim, const pki_swept *s)
{
  pki_sim_contact *c = &sim->contact;
  const pki_work *w = &sim->workspace->work;
  const int keeper = s->keeper == 0 ? s->as.body : s->as.other;
  pk_touch_point touch[PKI_FACE_MOST];
  double plane[3], n[3];
  pki_direction_to_world(w, s->frame, s->normal, n);
  pki_point_to_world(w, keeper, s->point, plane);
  for (int k = 0; k < 3; k++) {
    plane[k] += (s->keeper == 0 ? -1 : 1) * s->rounding * n[k];
  }
  const int count = points_of(&sim->scene.colliders, w, s, plane, n, touch);
  /* a ball's plane does not turn with it: it is pushed where it is nearest */
  const bool ball = s->frame < 0 && keeper >= 0;
  if (c->nfound + count > sim->options.max_contacts) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    pki_contact *f = &c->found[c->nfound++];
    *f = s->as;
    f->id = touch[i].id, f->gap = touch[i].gap;
    for (int k = 0; k < 3; k++) {
      const double *p = s->keeper == 0 && ball ? plane : touch[i].point[0];
      f->point[k] = p[k];
      f->apart[k] = p[k] - (s->keeper == 1 && ball ? plane[k] : touch[i].point[1][k]);
      f->normal[k] = n[k];
    }
    pki_tangents(f->normal, f->tangent1, f->tangent2);
  }
  return true;
}

bool pki_swept_place(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  int kept = 0;
  for (int i = 0; i < c->nfound && c->nswept > 0; i++) {
    const pki_swept *s = swept_of(c, &c->found[i]);
    if (s == NULL || is_beside_swept_plane(&sim->workspace->work, s, &c->found[i])) {
      c->found[kept++] = c->found[i];
    }
  }
  c->nfound = c->nswept > 0 ? kept : c->nfound;
  bool room = true;
  for (int k = 0; k < c->nswept && room; k++) {
    room = place_swept_contacts(sim, &c->swept[k]);
  }
  return room;
}

void pki_swept_close(pk_sim *sim, double reach)
{
  pki_sim_contact *c = &sim->contact;
  for (int i = 0; i < c->nfound && c->nswept > 0; i++) {
    pki_contact *f = &c->found[i];
    if (f->gap > 0 && swept_of(c, f) != NULL) {
      f->gap = pki_contact_bounces(sim, i) && f->gap + reach * c->speed[i] < 0 ? 0 : f->gap;
    }
  }
}
