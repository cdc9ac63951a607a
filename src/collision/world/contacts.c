#include "collision/world/contacts.h"

#include <math.h>
#include <string.h>

#include "collision/world/hidden.h"
#include "math/mat3.h"

/* One search under way. */
typedef struct search {
  pki_colliders *c;
  const pki_work *w;
  int lane;
  double margin;
  pki_contact *out;
  int count, most;
  int first;         /* of the contacts of the shape at hand */
  int remembered;    /* of c->memory: the next one to look at */
  int next;          /* how many are in c->next */
  pki_ground ground; /* near the shape at hand */
} search;

/* What a pair remembered; pairs come in order. */
static pki_pair_memory recall_pair(search *s, const int pair[2])
{
  const pki_colliders *c = s->c;
  while (s->remembered < c->nmemory && pki_pair_before(c->memory[s->remembered].pair, pair)) {
    s->remembered++;
  }
  const bool known = s->remembered < c->nmemory && !pki_pair_before(pair, c->memory[s->remembered].pair);
  return known ? c->memory[s->remembered].memory : (pki_pair_memory){{0, 0}};
}

static void remember_pair(search *s, const int pair[2], pki_pair_memory memory)
{
  if ((memory.feature[0] != 0 || memory.feature[1] != 0) && s->next < s->c->memory_room) {
    s->c->next[s->next++] = (pki_remembered){.pair = {pair[0], pair[1]}, .memory = memory};
  }
}

/* By their ids. */
static void sort_touches(pk_touch_point *t, int n)
{
  for (int i = 1; i < n; i++) {
    if (t[i - 1].id <= t[i].id) { /* mostly they are */
      continue;
    }
    const pk_touch_point x = t[i];
    int k = i;
    for (; k > 0 && t[k - 1].id > x.id; k--) {
      t[k] = t[k - 1];
    }
    t[k] = x;
  }
}

/* Solids that join make the same contact twice where they meet. */
static bool is_repeated_touch(const search *s, const pk_touch_point *t)
{
  for (int i = s->first; i < s->count; i++) {
    const pki_contact *known = &s->out[i];
    const double *const p = t->point[0], *const q = known->point;
    double arm[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    pki_along3(arm, -pki_dot3(arm, t->normal), t->normal, arm); /* points are moved along the normal */
    if (known->other < 0 && pki_dot3(arm, arm) < 1e-12 && pki_dot3(known->normal, t->normal) > 1 - 1e-6) {
      return true;
    }
  }
  return false;
}

/* On the ground: of the first shape, nearest to it; between bodies: the middle of the gap. */
static void middle_of(const pk_touch_point *t, bool ground, double out[3])
{
  for (int k = 0; k < 3; k++) {
    out[k] = ground ? t->point[0][k] : 0.5 * (t->point[0][k] + t->point[1][k]);
  }
}

/* The deepest of the n touches of a pair that have the normal of t. */
static const pk_touch_point *deepest_touch(const pk_touch_point *touch, int n, const pk_touch_point *t)
{
  const pk_touch_point *deepest = t;
  for (int i = 0; i < n; i++) {
    if (touch[i].gap < deepest->gap && pki_dot3(touch[i].normal, t->normal) > 1 - 1e-12) {
      deepest = &touch[i];
    }
  }
  return deepest;
}

/* Where a touch acts: in the plane across its normal through the deepest touch of the pair that has this normal. The gaps of a flat face are
 * linear in the places of its corners, so that a rigid motion which moves none of these points along the plane closes all of them; with points at
 * different heights it would also slide them, by what corners fall times how far they turn, and a sole would have no motion in
 * which all its corners stick. */
static void place_contact(const pk_touch_point *t, const pk_touch_point *deepest, bool ground,
                          double point[3])
{
  middle_of(t, ground, point);
  if (deepest != t) {
    double at[3];
    middle_of(deepest, ground, at);
    pki_along3(point, pki_dot3(at, t->normal) - pki_dot3(point, t->normal), t->normal, point);
  }
}

static void keep_contact(search *s, int i, int j, const pk_touch_point *t, const pk_touch_point *deepest)
{
  const pki_collider *a = &s->c->of[i], *b = &s->c->of[j];
  pki_contact *to = &s->out[s->count++];
  to->geom[0] = a->geom, to->geom[1] = b->geom, to->id = t->id;
  to->body = a->body, to->other = b->body, to->material = b->material;
  to->gap = t->gap;
  memset(to->apart, 0, sizeof to->apart); /* bodies touch at one point */
  memcpy(to->normal, t->normal, sizeof to->normal);
  place_contact(t, deepest, b->body < 0, to->point);
  if (s->count > 1 && memcmp(to[-1].normal, to->normal, sizeof to->normal) == 0) {
    memcpy(to->tangent1, to[-1].tangent1, sizeof to->tangent1);
    memcpy(to->tangent2, to[-1].tangent2, sizeof to->tangent2);
  } else {
    pki_tangents(to->normal, to->tangent1, to->tangent2);
  }
}

/* The contacts of one pair; false when there is no room. */
static bool touch_pair(search *s, int i, int j)
{
  pki_colliders *c = s->c;
  const pki_collider *a = &c->of[i], *b = &c->of[j];
  const int pair[2] = {i, j};
  const bool ground = b->body < 0 && s->ground.count > 1;
  if (c->takes != NULL && c->takes(c->taken, i, j)) {
    return true;
  }
  const bool round = a->geometry->kind == PK_SHAPE_SPHERE || a->geometry->kind == PK_SHAPE_CAPSULE;
  const double rounding = round ? a->geometry->radius : 0;
  pki_pair_memory memory = recall_pair(s, pair);
  pk_touch_point touch[PK_TOUCH_MOST];
  const pki_side sides[2] = {{a->geometry, &c->pose[i], a->form}, {b->geometry, &c->pose[j], b->form}};
  const int n = pki_touch_by(c->narrow, &sides[0], &sides[1], s->margin, &memory, touch);
  if (n > 0) { /* whatever was looked at besides */
    remember_pair(s, pair, memory);
  }
  sort_touches(touch, n);
  const pk_touch_point *deepest = NULL;
  for (int k = 0; k < n; k++) {
    if (ground && (pki_touch_hidden(c, &s->ground, j, &touch[k], rounding, s->margin) ||
                   is_repeated_touch(s, &touch[k]))) {
      continue;
    }
    if (s->count == s->most) {
      return false;
    }
    if (deepest == NULL || memcmp(deepest->normal, touch[k].normal, sizeof deepest->normal) != 0) {
      deepest = deepest_touch(touch, n, &touch[k]);
    }
    keep_contact(s, i, j, &touch[k], deepest);
  }
  return true;
}

/* Whether a pair may be within the margin; most of them sleep. */
static inline bool is_near(search *s, int pair)
{
  pki_colliders *c = s->c;
  return !(c->clock + s->margin < c->wake[pair]) && pki_colliders_awake(c, s->w, s->lane, pair, s->margin);
}

/* Solids near shape i. A lone one hides nothing. */
static void find_ground(search *s, int i)
{
  const pki_colliders *c = s->c;
  const int begin = c->fixed[i], end = c->start[i + 1];
  s->ground.count = 0;
  for (int p = begin; p < end && end - begin > 1 && s->ground.count < PKI_GROUND_MOST; p++) {
    if (is_near(s, p)) {
      s->ground.collider[s->ground.count++] = c->pairs[p].b;
    }
  }
}

/* Pairs from `begin` to `end` of shape i; *first: who of them wakes first. False: no room. */
static bool touch_range(search *s, int i, int begin, int end, double *first)
{
  pki_colliders *c = s->c;
  const double now = c->clock + s->margin;
  double least = INFINITY;
  for (int p = begin; p < end; p++) {
    if (!(now < c->wake[p]) && pki_colliders_awake(c, s->w, s->lane, p, s->margin) &&
        !touch_pair(s, i, c->pairs[p].b)) {
      return false;
    }
    least = c->wake[p] < least ? c->wake[p] : least;
  }
  *first = least;
  return true;
}

/* All pairs of shape i, with what moves and with what is fixed; false: no room. */
static bool touch_shape(search *s, int i)
{
  pki_colliders *c = s->c;
  const double now = c->clock + s->margin;
  double *const first = c->first_wake[i];
  s->first = s->count;
  if (!(now < first[0]) && !touch_range(s, i, c->start[i], c->fixed[i], &first[0])) {
    return false;
  }
  if (!(now < first[1])) {
    find_ground(s, i);
    return touch_range(s, i, c->fixed[i], c->start[i + 1], &first[1]);
  }
  return true;
}

/* Shapes fixed in the world come after those that move: by the numbers of the shapes again. Few are out of place. */
static void sort_contacts(pki_contact *c, int n)
{
  for (int i = 1; i < n; i++) {
    const pki_contact x = c[i];
    int k = i;
    for (; k > 0 && c[k - 1].geom[0] == x.geom[0] && c[k - 1].geom[1] > x.geom[1]; k--) {
      c[k] = c[k - 1];
    }
    c[k] = x;
  }
}

/* What pairs remember of this search is what they remember from now on, if it came to its end. */
static void swap_memory(search *s, bool whole)
{
  pki_colliders *c = s->c;
  if (whole) {
    pki_remembered *last = c->memory;
    c->memory = c->next, c->next = last;
    c->nmemory = s->next;
  }
}

int pki_contacts_find(pki_colliders *c, const pki_work *w, int lane, double margin, pki_contact *out,
                      int most, bool *overflow)
{
  search s = {.c = c, .w = w, .lane = lane, .margin = margin, .out = out, .most = most};
  pki_colliders_move(c, w, lane);
  bool room = pki_colliders_pairs(c, w, lane, margin) >= 0;
  for (int i = 0; i < c->nmoving && room; i++) {
    room = touch_shape(&s, i);
  }
  *overflow = !room;
  if (c->nshape > c->nmoving) {
    sort_contacts(out, s.count);
  }
  swap_memory(&s, room);
  return s.count;
}

int pki_contacts_touch(pki_colliders *c, const pki_work *w, int lane, const pki_near_pair *pairs, int npair,
                       pki_contact *out, int most, bool *overflow)
{
  search s = {.c = c, .w = w, .lane = lane, .out = out, .most = most};
  bool room = true;
  c->placed = false;
  memset(c->ready, PKI_PLACED_NOTHING, (size_t)c->nmoving * sizeof *c->ready);
  for (int p = 0; p < npair && room; p++) {
    s.first = p == 0 || pairs[p].a != pairs[p - 1].a ? s.count : s.first;
    s.margin = pairs[p].margin;
    room = !pki_colliders_near(c, w, lane, pairs[p].a, pairs[p].b, s.margin) ||
           touch_pair(&s, pairs[p].a, pairs[p].b);
  }
  *overflow = !room;
  swap_memory(&s, room);
  return s.count;
}
