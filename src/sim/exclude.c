/* Links of one robot that overlap by design. Hulls of meshes are larger than what they stand for: the motors of a hip, one
 * inside the other, overlap over two joints and more, whatever the pose. As MoveIt's setup assistant does, such pairs are
 * found by looking: at the model's initial pose, and at random poses within the joint limits, of which a pair must overlap in
 * nearly all. A hand that can reach a thigh overlaps it in few of them, and collides with it.
 *
 * Only pairs of which a shape is a hull or a mesh are looked at: shapes of other kinds are drawn to collide. The poses are the
 * same for every world of a model. Pairs that do not overlap in the first few poses are out of it, so the cost is that of a few
 * configurations, and of the few pairs that are left in the others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "collision/shapes/trimesh.h"
#include "math/mat3.h"
#include "model/mesh.h"
#include "model/motion.h"
#include "sim/query.h"

enum {
  POSES = 40,
  MISSES = 2, /* poses of these in which a pair may be apart */
  SEED = 18
};

static const double FREE_TRAVEL = 3.14159265358979323846; /* rad, either way, of a joint without limits */

/* A pair of colliders of one robot, and in how many poses their links were apart. */
typedef struct link_pair {
  int link[2], misses;
  int collider; /* one of their robot that moves */
  bool seen;    /* they overlap in the pose at hand */
} link_pair;

typedef struct candidates {
  link_pair *links; /* [count] */
  int count, room;
} candidates;

static bool is_from_mesh(const pki_collider *c)
{
  return pki_shape_has_mesh(c->geometry->kind);
}

/* Triangle meshes against each other cost too much to be looked at in many poses. */
static bool is_cheap(const pki_collider *a, const pki_collider *b)
{
  const bool meshes[2] = {a->geometry->kind == PK_SHAPE_MESH && !a->geometry->mesh->convex,
                          b->geometry->kind == PK_SHAPE_MESH && !b->geometry->mesh->convex};
  return !(meshes[0] && meshes[1]);
}

/* Colliders are ordered by robot, those that move first, then those that are fixed. The first collider of a robot that moves,
 * and the next one of the robot of i after j; nshape: there is none. */
static int first_of_robot(const pki_colliders *c, int i)
{
  while (i > 0 && c->of[i - 1].robot == c->of[i].robot) {
    i--;
  }
  return i;
}

static int next_of_robot(const pki_colliders *c, int i, int j)
{
  do {
    j++;
    if (j < c->nmoving && c->of[j].robot != c->of[i].robot) {
      j = c->nmoving;
    }
  } while (j < c->nshape && c->of[j].robot != c->of[i].robot);
  return j;
}

/* Shapes of one robot that may be left out: nobody has spoken of them yet. */
static bool may_be_excluded(const pki_colliders *c, int i, int j)
{
  const pki_collider *a = &c->of[i], *b = &c->of[j];
  return a->robot == b->robot && a->robot >= 0 && (is_from_mesh(a) || is_from_mesh(b)) &&
         pki_colliders_want(c, i, j);
}

static bool overlap(pk_sim *sim, int i, int j)
{
  pki_colliders *c = &sim->scene.colliders;
  const double least = PKI_OVERLAP * sim->scene.length;
  pk_proximity near;
  return pki_colliders_near(c, &sim->workspace->work, 0, i, j, 0) &&
         pki_distance(c->of[i].geometry, &c->pose[i], c->of[j].geometry, &c->pose[j], 0, NULL, &near) &&
         near.distance < -least;
}

/* ---- pairs ---- */

static link_pair *find_links(const candidates *all, int a, int b)
{
  const int low = a < b ? a : b, high = a < b ? b : a;
  for (int k = 0; k < all->count; k++) {
    if (all->links[k].link[0] == low && all->links[k].link[1] == high) {
      return &all->links[k];
    }
  }
  return NULL;
}

/* The links of two colliders overlap in pose number `pose`; false: no memory. */
static bool note_links(candidates *all, const pki_colliders *c, int i, int j, int pose)
{
  const int a = c->of[i].link, b = c->of[j].link;
  link_pair *known = find_links(all, a, b);
  if (known == NULL) {
    if (all->count == all->room) {
      const int room = all->room > 0 ? 2 * all->room : 32;
      link_pair *more = realloc(all->links, (size_t)room * sizeof *more);
      if (more == NULL) {
        return false;
      }
      all->links = more, all->room = room;
    }
    known = &all->links[all->count++];
    *known = (link_pair){.link = {a < b ? a : b, a < b ? b : a}, .misses = pose, .collider = i};
  }
  known->seen = true;
  return true;
}

/* All pairs of one robot at the present pose, or those that are cheap; false: no memory. */
static bool look_at_all(pk_sim *sim, int pose, bool cheap, candidates *all)
{
  pki_colliders *c = &sim->scene.colliders;
  bool memory = true;
  pki_sim_place(sim);
  for (int i = 0; i < c->nmoving && memory; i++) {
    for (int j = next_of_robot(c, i, i); j < c->nshape && memory; j = next_of_robot(c, i, j)) {
      if (may_be_excluded(c, i, j) && (!cheap || is_cheap(&c->of[i], &c->of[j])) && overlap(sim, i, j)) {
        memory = note_links(all, c, i, j, pose);
      }
    }
  }
  return memory;
}

/* Those that are left, likewise. */
static void look_at_candidates(pk_sim *sim, candidates *all)
{
  pki_colliders *c = &sim->scene.colliders;
  pki_sim_place(sim);
  for (int k = 0; k < all->count; k++) {
    link_pair *p = &all->links[k];
    const int first = first_of_robot(c, p->collider);
    for (int i = first; i < c->nmoving && !p->seen; i = next_of_robot(c, first, i)) {
      const bool one = c->of[i].link == p->link[0], two = c->of[i].link == p->link[1];
      for (int j = next_of_robot(c, i, i); j < c->nshape && (one || two) && !p->seen;
           j = next_of_robot(c, i, j)) {
        p->seen = c->of[j].link == p->link[one ? 1 : 0] && may_be_excluded(c, i, j) &&
                  is_cheap(&c->of[i], &c->of[j]) && overlap(sim, i, j);
      }
    }
  }
}

/* The pose has been looked at: pairs that were apart in too many are out. */
static void count_misses(candidates *all)
{
  int kept = 0;
  for (int k = 0; k < all->count; k++) {
    link_pair p = all->links[k];
    p.misses += !p.seen;
    p.seen = false;
    if (p.misses <= MISSES) {
      all->links[kept++] = p;
    }
  }
  all->count = kept;
}

static pk_status exclude_links(pk_sim *sim, const candidates *all, pki_rule_kind kind, pk_error *err)
{
  pki_filter *f = &sim->scene.colliders.filter;
  pk_status status = PK_OK;
  for (int k = 0; k < all->count && status == PK_OK; k++) {
    status = pki_filter_set(f, all->links[k].link[0], all->links[k].link[1], kind, err);
  }
  return status;
}

/* ---- poses ---- */

/* A random configuration of the joints; roots stay where they are, and so do travels without limits. */
static void draw_pose(const pk_model *m, pki_random *rng, double *q)
{
  memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
  for (int i = 0; i < m->nbody; i++) {
    double *at = q + m->body_q[i];
    const int motion = m->body_motion[i];
    if (motion == PK_MOTION_SPHERICAL) {
      pki_random_quaternion(rng, at);
    }
    if (motion != PK_MOTION_REVOLUTE && motion != PK_MOTION_PRISMATIC) {
      continue;
    }
    const double lower = m->dof_lower[m->body_u[i]], upper = m->dof_upper[m->body_u[i]];
    const bool limited = isfinite(lower) && isfinite(upper);
    const double drawn =
        pki_random_between(rng, limited ? lower : -FREE_TRAVEL, limited ? upper : FREE_TRAVEL);
    *at = limited || motion == PK_MOTION_REVOLUTE ? drawn : *at;
  }
}

static bool has_mesh_pairs(const pki_colliders *c)
{
  for (int i = 0; i < c->nmoving; i++) {
    for (int j = next_of_robot(c, i, i); j < c->nshape; j = next_of_robot(c, i, j)) {
      if (may_be_excluded(c, i, j)) {
        return true;
      }
    }
  }
  return false;
}

/* Pairs that overlap in nearly all of the random poses are left in `all`. False: no memory. */
static bool sample_poses(pk_sim *sim, double *q, double *u, candidates *all)
{
  const pk_model *m = pki_joint_model(sim->model);
  pki_random rng = pki_random_seeded(SEED);
  bool memory = true;
  for (int pose = 0; pose < POSES && memory && (pose <= MISSES || all->count > 0); pose++) {
    draw_pose(m, &rng, q);
    pk_sim_set_joints(sim, q, u);
    if (pose <= MISSES) {
      memory = look_at_all(sim, pose, true, all);
    } else {
      look_at_candidates(sim, all);
    }
    count_misses(all);
  }
  return memory;
}

pk_status pki_sim_exclude_by_design(pk_sim *sim, pk_error *err)
{
  pki_colliders *c = &sim->scene.colliders;
  const pk_model *m = pki_joint_model(sim->model);
  if (!c->filter.self_collision || !has_mesh_pairs(c)) {
    return PK_OK;
  }
  candidates neutral = {0}, always = {0};
  double *q = calloc((size_t)m->nq + (size_t)m->nu + 1, sizeof *q), *u = q != NULL ? q + m->nq : NULL;
  bool memory = q != NULL && look_at_all(sim, 0, false, &neutral);
  pk_status status = memory ? exclude_links(sim, &neutral, PKI_RULE_NEUTRAL, err) : PK_OK;
  if (memory && status == PK_OK) {
    memory = sample_poses(sim, q, u, &always);
    status = memory ? exclude_links(sim, &always, PKI_RULE_ALWAYS, err) : PK_OK;
    pk_sim_reset(sim);
  }
  free(q), free(neutral.links), free(always.links);
  return memory ? status : pki_fail_memory(err, "links that overlap");
}

/* ---- who was left out ---- */

const char *pk_exclusion_reason_name(pk_exclusion_reason reason)
{
  static const char *const names[PK_EXCLUSION_REASON_COUNT] = {"named", "joined", "start", "neutral",
                                                               "always"};
  return (unsigned)reason < PK_EXCLUSION_REASON_COUNT ? names[reason] : "unknown";
}

/* A link that has shapes which collide; *at is where the last one was found. */
static bool link_collides(const pki_colliders *c, int link, int *at)
{
  for (int k = 0; k < c->nshape; k++) {
    const int i = (*at + k) % c->nshape;
    if (c->of[i].link == link) {
      *at = i;
      return true;
    }
  }
  return false;
}

/* Whether a pair is left out, and why. */
static bool is_excluded(const pki_filter *f, int a, int b, pk_exclusion_reason *reason)
{
  static const pk_exclusion_reason reasons[] = {[PKI_RULE_OFF] = PK_EXCLUSION_REASON_NAMED,
                                                [PKI_RULE_RELEASED] = PK_EXCLUSION_REASON_START,
                                                [PKI_RULE_NEUTRAL] = PK_EXCLUSION_REASON_NEUTRAL,
                                                [PKI_RULE_ALWAYS] = PK_EXCLUSION_REASON_ALWAYS};
  const pk_model_link *links = f->model->links;
  const pki_rule *rule = pki_filter_rule(f, a, b);
  *reason = rule != NULL ? reasons[rule->kind] : PK_EXCLUSION_REASON_JOINED;
  return rule != NULL ? rule->kind != PKI_RULE_ON : pki_filter_joins(f, links[a].body, links[b].body);
}

int pk_sim_exclusions(const pk_sim *sim, pk_sim_exclusion *out, int most)
{
  const pki_colliders *c = &sim->scene.colliders;
  const pk_model_link *links = sim->model->links;
  int count = 0;
  for (int a = 0, i = 0; a < sim->model->nlink; a++) {
    for (int b = a + 1; b < sim->model->nlink && links[b].robot == links[a].robot; b++) {
      pk_exclusion_reason reason;
      if (links[a].body == links[b].body || !is_excluded(&c->filter, a, b, &reason) ||
          !link_collides(c, a, &i) || !link_collides(c, b, &i)) {
        continue;
      }
      if (count < most) {
        out[count] = (pk_sim_exclusion){.link = {a, b}, .reason = reason};
      }
      count++;
    }
  }
  return count;
}
