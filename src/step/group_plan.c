/* What lanes need to know of a model on its ground. */
#include <math.h>
#include <string.h>

#include "collision/ground/terrain.h"
#include "collision/shapes/heights.h"
#include "math/mat3.h"
#include "model/joint_type.h"
#include "model/motion.h"
#include "step/contact.h"

/* What comes nearer faster than so many times sqrt(g L), L the world's length, is first met below the surface, and projected out: it has
 * fallen from eight times that length. */
static const double FASTEST = 4;

enum { SWEEPS = 4 }; /* what needs more is better off with Newton */

void pki_group_plan_carve_limits(pki_group_plan *plan, const pk_model *m, pki_arena *arena)
{
  const size_t joints = (size_t)pki_joint_model(m)->nu;
  plan->limit = pki_arena_take(arena, joints, sizeof *plan->limit);
  plan->arm = pki_arena_take(arena, joints, sizeof *plan->arm);
}

void pki_group_plan_carve(pki_group_plan *plan, const pk_model *m, pki_arena *arena)
{
  *plan = (pki_group_plan){.model = m};
  pki_group_plan_carve_limits(plan, m, arena);
  plan->path = pki_arena_take(arena, PKI_BALLS * (size_t)m->nu, sizeof *plan->path);
  plan->covers = pki_arena_take(arena, PKI_COVERS, sizeof *plan->covers);
  plan->pairs = pki_arena_take(arena, PKI_COVER_PAIRS, sizeof *plan->pairs);
  plan->pair_swing = pki_arena_take(arena, PKI_COVER_PAIRS, sizeof *plan->pair_swing);
  plan->runs = pki_arena_take(arena, PKI_COVER_PAIRS, sizeof *plan->runs);
  plan->swing = pki_arena_take(arena, (size_t)m->nbody, sizeof *plan->swing);
  plan->chain = pki_arena_take(arena, (size_t)m->nbody, sizeof *plan->chain);
  plan->below = pki_arena_take(arena, (size_t)m->nu, sizeof *plan->below);
  plan->dof_body = pki_arena_take(arena, (size_t)m->nu, sizeof *plan->dof_body);
}

/* Steps of this kind are what lanes are made for. */
static bool suits_lanes(const pk_sim *sim)
{
  const pk_model *m = sim->model;
  const pk_sim_options *o = &sim->options;
  bool plain = m->nu <= PKI_GROUP_NU && m->nbody > 0 && m->nconstraint == 0 && !m->has_mimic &&
               m->nplan == m->nu && !sim->joints.cut && pki_steppers[o->stepper]->contact &&
               o->implicit == PK_IMPLICIT_FORCES_ALL && o->contact == PK_CONTACT_STABILISED &&
               o->law == PK_CONTACT_LAW_HARD && o->solver == PK_SOLVER_AUTO &&
               o->stop == PK_SOLVER_STOP_RESIDUAL && sim->scene.soft == NULL;
  for (int k = 0; k < m->nu && plain; k++) {
    plain = m->plan_u[k] == k;
  }
  return plain;
}

/* ---- balls ---- */

/* Feet: balls of bodies that carry no others. */
static bool is_foot(const pk_sim *sim, const pki_collider *c)
{
  const pk_model *m = sim->model;
  bool leaf = true;
  for (int i = c->body + 1; i < m->nbody; i++) {
    leaf &= m->body_parent[i] != c->body;
  }
  return leaf && c->geometry->kind == PK_SHAPE_SPHERE;
}

static void add_ball(pki_group_plan *plan, const pk_sim *sim, const pki_collider *c)
{
  const pki_assembly *a = &sim->contact.assembly;
  const pk_model *m = sim->model;
  const int b = plan->nball++;
  plan->body[b] = c->body, plan->shape[b] = c->geom;
  plan->radius[b] = c->geometry->radius;
  memcpy(plan->centre[b], c->centre, sizeof plan->centre[b]);
  plan->extent[b] = sqrt(pki_dot3(c->centre, c->centre)) + plan->radius[b];
  const int last = m->body_u[c->body] + pki_motion_nu(m->body_motion[c->body]) - 1;
  plan->count[b] = a->level[last] + 1;
  for (int k = last; k >= 0; k = a->up[k]) {
    plan->path[b * plan->depth + a->level[k]] = k;
  }
}

/* Two balls share the unknowns up to where their paths part. */
static int shared_unknowns(const pki_group_plan *plan, int a, int b)
{
  const int *const x = plan->path + a * plan->depth, *const y = plan->path + b * plan->depth;
  int n = 0;
  while (n < plan->count[a] && n < plan->count[b] && x[n] == y[n]) {
    n++;
  }
  return n;
}

/* Ground that feet and covers know: one plane, or one upright height field. */
static bool is_simple_ground(const pk_terrain *t)
{
  static const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (t == NULL || t->nsolid != 1) {
    return false;
  }
  const pki_solid *s = &t->solids[0];
  bool turned = false;
  for (int k = 0; k < 9; k++) {
    turned |= s->pose.rot[k] != upright[k];
  }
  return s->geometry->kind == PK_SHAPE_PLANE || (s->geometry->kind == PK_SHAPE_HEIGHTS && !turned);
}

/* The plane, and what feet do on it. */
static void set_ground_plane(pki_group_plan *plan, const pk_sim *sim)
{
  const pki_scene *c = &sim->scene;
  const pki_collider *plane = &c->colliders.of[c->colliders.nmoving];
  const pki_solid *solid = &c->terrain->solids[0];
  plan->geom = plane->geom, plan->material = plane->material, plan->plane = c->colliders.nmoving;
  for (int k = 0; k < 3; k++) {
    plan->normal[k] = plane->pose.rot[3 * k + 2], plan->at[k] = plane->pose.pos[k];
  }
  if (solid->geometry->kind == PK_SHAPE_HEIGHTS) {
    plan->field = solid;
    plan->at[2] += solid->geometry->heights->top;
    plan->cell = solid->geometry->heights->cell;
  }
  pki_tangents(plan->normal, plan->tangent1, plan->tangent2);
  plan->level =
      plan->field == NULL && plan->normal[2] == 1 && plan->tangent1[0] == 1 && plan->tangent2[1] == 1;
  for (int b = 0; b < plan->nball; b++) {
    const pki_contact touch = {.geom = {plan->shape[b], plan->geom}, .material = plan->material};
    plan->friction[b] = pki_contact_coefficient(c, &touch);
  }
}

static bool has_restitution(const pk_material *m)
{
  return m->restitution_n > 0 || m->restitution_t > 0;
}

/* Some material of this world bounces: impacts are not for lanes. */
static bool world_has_restitution(const pki_scene *c)
{
  bool any = has_restitution(&c->body_material);
  for (int i = 0; i < c->nmaterial; i++) {
    any |= has_restitution(&c->materials[i]);
  }
  for (int i = 0; i < c->npair; i++) {
    any |= has_restitution(&c->pairs[i].law);
  }
  return any;
}

/* ---- covers ---- */

/* A point that is within a ball of the same body, with all around it. */
static bool is_in_ball(const pki_group_plan *plan, int body, const double at[3], double radius)
{
  for (int b = 0; b < plan->nball; b++) {
    const double *c = plan->centre[b], way[3] = {at[0] - c[0], at[1] - c[1], at[2] - c[2]};
    if (plan->body[b] == body && sqrt(pki_dot3(way, way)) + radius <= plan->radius[b] * (1 + 1e-12)) {
      return true;
    }
  }
  return false;
}

/* Around a shape: a ball or a capsule that it is or that it is in, a box around all others. */
static pki_cover cover_of(const pki_group_plan *plan, const pki_collider *c, bool on_ground)
{
  const pk_geometry *g = c->geometry;
  const bool axis = g->kind == PK_SHAPE_CAPSULE ||
                    (g->kind == PK_SHAPE_CYLINDER && g->half_length > g->radius); /* a disc is flat */
  pki_cover out = {.body = c->body, .box = !axis && g->kind != PK_SHAPE_SPHERE, .radius = g->radius};
  memcpy(out.rot, c->pose.rot, sizeof out.rot);
  double middle[3];
  for (int k = 0; k < 3; k++) {
    out.half[k] = 0.5 * (g->box.max[k] - g->box.min[k]);
    middle[k] = 0.5 * (g->box.max[k] + g->box.min[k]);
  }
  pki_mat3_apply(out.rot, middle, middle);
  out.reach = out.box ? pki_length3(out.half) : out.radius + (axis ? g->half_length : 0);
  for (int e = 0; e < 2; e++) {
    const double along = axis ? (e ? 1 : -1) * g->half_length : 0;
    for (int k = 0; k < 3; k++) {
      out.end[e][k] = out.box ? c->pose.pos[k] + middle[k] : c->centre[k] + along * c->pose.rot[3 * k + 2];
    }
    out.low[e] = on_ground && !is_in_ball(plan, c->body, out.end[e], out.box ? out.reach : out.radius);
  }
  out.extent = sqrt(pki_dot3(c->centre, c->centre)) + g->bound;
  out.slow = g->inner > 0 ? 0.5 * g->inner : 1e-4 * g->bound; /* as in swept.c */
  for (int k = 0; k < 3; k++) {                               /* other bodies turn against the first */
    const double *row = out.rot + 3 * k;
    const double half = fabs(row[0]) * out.half[0] + fabs(row[1]) * out.half[1] + fabs(row[2]) * out.half[2];
    out.span[k] = !out.box ? out.radius : c->body == 0 ? half : out.reach;
  }
  return out;
}

/* How far the joint of a body can move whatever hangs on it. */
static double reach_of(const pk_sim *sim, int body)
{
  const pk_model *m = sim->model;
  const pki_colliders *c = &sim->scene.colliders;
  double most = 0;
  for (int i = 0; i < c->nmoving; i++) {
    const double *at = c->of[i].centre;
    const double far = sqrt(pki_dot3(at, at)) + c->of[i].geometry->bound;
    most = c->of[i].body == body ? fmax(most, far) : most;
  }
  for (int i = body + 1; i < m->nbody; i++) {
    const double *at = m->body_pos + 3 * (size_t)i;
    most = m->body_parent[i] == body ? fmax(most, sqrt(pki_dot3(at, at)) + reach_of(sim, i)) : most;
  }
  return most;
}

/* How far a cover can move against the body `from`, which carries it, when all joints between them turn: each moves its farthest point on a lever of
 * at most so much. */
static double cover_swing(const pk_model *m, const pki_cover *c, int from)
{
  const double middle[3] = {0.5 * (c->end[0][0] + c->end[1][0]), 0.5 * (c->end[0][1] + c->end[1][1]),
                            0.5 * (c->end[0][2] + c->end[1][2])};
  double lever = pki_length3(middle) + c->reach, sum = 0;
  for (int i = c->body; i > from; i = m->body_parent[i]) {
    sum += lever;
    lever += pki_length3(m->body_pos + 3 * (size_t)i);
  }
  return sum;
}

/* The last body that carries both, or is one of them. */
static int common_ancestor(const pk_model *m, int a, int b)
{
  while (a != b) { /* parents come first */
    if (a > b) {
      a = m->body_parent[a];
    } else {
      b = m->body_parent[b];
    }
  }
  return a;
}

/* Where a body's limb begins: limbs are chains of bodies without a fork, as a leg, an arm, the trunk. */
static int limb_root_of(const pk_model *m, int body)
{
  for (int parent = m->body_parent[body]; parent >= 0; parent = m->body_parent[body]) {
    int children = 0;
    for (int i = parent + 1; i < m->nbody; i++) {
      children += m->body_parent[i] == parent;
    }
    if (children > 1) {
      break;
    }
    body = parent;
  }
  return body;
}

/* Limbs of covers, and runs of pairs of two limbs. Limbs only save looks (kernels/guard.h): any partition will do, and what would be
 * one limb too many belongs to the last. */
static void add_limbs(pki_group_plan *plan)
{
  int roots[PKI_LIMBS];
  for (int i = 0; i < plan->ncover; i++) {
    const int root = limb_root_of(plan->model, plan->covers[i].body);
    int limb = 0;
    while (limb < plan->nlimb && roots[limb] != root) {
      limb++;
    }
    if (limb == plan->nlimb && limb < PKI_LIMBS) {
      roots[plan->nlimb++] = root;
    }
    plan->covers[i].limb = limb < PKI_LIMBS ? limb : PKI_LIMBS - 1;
  }
  for (int k = 0; k < plan->npair; k++) {
    const short cover = plan->pairs[k][0], limb = (short)plan->covers[plan->pairs[k][1]].limb;
    const pki_cover_run *last = &plan->runs[plan->nrun > 0 ? plan->nrun - 1 : 0];
    if (plan->nrun == 0 || last->cover != cover || last->limb != limb) {
      plan->runs[plan->nrun++] = (pki_cover_run){cover, limb, k};
    }
    plan->runs[plan->nrun - 1].end = k + 1;
    double *const swing = &plan->limb_swing[plan->covers[cover].limb][limb];
    *swing = fmax(*swing, plan->pair_swing[k]);
  }
}

/* Bodies move against each other by hinges alone. */
static bool is_hinged(const pk_model *m)
{
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_parent[i] < 0 || m->body_motion[i] != PK_MOTION_REVOLUTE) {
      return false;
    }
  }
  return true;
}

/* All shapes and who may touch whom; false: too many for lanes. */
static bool add_covers(pki_group_plan *plan, const pk_sim *sim)
{
  const pki_colliders *c = &sim->scene.colliders;
  if (c->nmoving > PKI_COVERS) {
    return false;
  }
  plan->thin = INFINITY;
  for (int i = 0; i < c->nmoving; i++) {
    plan->thin = fmin(plan->thin, c->of[i].geometry->inner);
    const bool on_ground = plan->plane >= 0 && pki_colliders_want(c, i, plan->plane);
    plan->covers[plan->ncover++] = cover_of(plan, &c->of[i], on_ground);
    for (int j = i + 1; j < c->nmoving; j++) {
      if (pki_colliders_want(c, i, j)) {
        if (plan->npair == PKI_COVER_PAIRS) {
          return false;
        }
        plan->pairs[plan->npair][0] = (short)i;
        plan->pairs[plan->npair++][1] = (short)j;
      }
    }
  }
  for (int i = 0; i < plan->ncover && plan->hinged; i++) {
    plan->swing_most = fmax(plan->swing_most, cover_swing(sim->model, &plan->covers[i], 0));
  }
  for (int k = 0; k < plan->npair; k++) {
    const pki_cover *a = &plan->covers[plan->pairs[k][0]], *b = &plan->covers[plan->pairs[k][1]];
    const int fork = plan->hinged ? common_ancestor(sim->model, a->body, b->body) : 0;
    plan->pair_swing[k] =
        plan->hinged ? cover_swing(sim->model, a, fork) + cover_swing(sim->model, b, fork) + 1e-12 : 1;
  }
  add_limbs(plan);
  for (int i = 0; i < sim->model->nbody && plan->hinged; i++) {
    plan->swing[i] = reach_of(sim, i);
  }
  return true;
}

/* ---- all ---- */

/* Which unknowns move a body: its own and those of all that carry it. */
static void fill_chains(pki_group_plan *plan)
{
  const pk_model *m = plan->model;
  for (int i = 0; i < m->nbody; i++) {
    plan->chain[i] = m->body_parent[i] >= 0 ? plan->chain[m->body_parent[i]] : 0;
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      plan->chain[i] |= UINT64_C(1) << (m->body_u[i] + c);
      plan->dof_body[m->body_u[i] + c] = i;
    }
  }
  for (int e = 0; e < m->nu; e++) {
    plan->below[e] = 0;
    for (int k = e + 1; k < m->nu; k++) {
      plan->below[e] |= (plan->chain[plan->dof_body[k]] >> e & 1) << k;
    }
  }
}

/* Joint coordinates whose limits count. */
static void list_limits(pki_group_plan *plan, const pk_sim *sim)
{
  const pk_model *m = sim->joints.model;
  for (int k = 0; k < m->nu && sim->options.joint_limits; k++) {
    if (m->dof_q[k] >= 0 && (isfinite(m->dof_lower[k]) || isfinite(m->dof_upper[k]))) {
      const pk_model_joint *j = m->dof_joint[k] >= 0 ? &m->joints[m->dof_joint[k]] : NULL;
      const bool travels = j != NULL && pki_joint_is_length(j->kind, k - j->u);
      plan->arm[plan->nlimit] = travels ? 1 : sim->scene.length;
      plan->limit[plan->nlimit++] = k;
    }
  }
}

/* Balls at the ends of legs on a plane or a height field. */
static void add_feet(pki_group_plan *plan, const pk_sim *sim)
{
  const pki_colliders *c = &sim->scene.colliders;
  for (int i = 0; i < c->nmoving && plan->nball < PKI_BALLS; i++) {
    if (is_foot(sim, &c->of[i]) && pki_colliders_want(c, i, plan->plane)) {
      add_ball(plan, sim, &c->of[i]);
    }
  }
  bool fits = true;
  for (int a = 0; a < plan->nball; a++) {
    fits &= plan->count[a] <= PKI_PATH;
    for (int b = 0; b < plan->nball; b++) {
      plan->common[a][b] = shared_unknowns(plan, a, b);
    }
  }
  plan->nball = fits ? plan->nball : 0; /* then they are shapes as others are */
}

/* How far open the velocities may leave a contact that joins the active set nevertheless, m. In a world of several bodies every solution closes
 * some contacts that were left open before it, and another round costs more than rows that carry nothing. Bodies that are pushed or
 * released change their velocity by some g dt, hence their way by some reach g dt: with 4 of them the rounds of a step fall from 3.3
 * to 1.2 in scenarios/balls.yaml, from 2.6 to 1.4 in pile.yaml, from 1.1 to 1.0 in a stack of boxes. One robot has no use for it. */
static double joining_gap(const pk_sim *sim, double reach)
{
  static const double part = 4;
  const double *g = sim->model->gravity;
  return sim->contact.assembly.one_tree ? 0 : part * reach * sim->options.dt * sqrt(pki_dot3(g, g));
}

static bool has_friction(const pk_sim *sim)
{
  const pk_model *m = sim->joints.model;
  bool any = false;
  for (int k = 0; k < m->nu; k++) {
    any |= sim->options.joint_friction && m->dof_friction[k] > 0;
  }
  const pk_actuation *a = sim->options.actuation;
  return any || (a != NULL && a->dry && sim->options.joint_friction);
}

static bool has_springs(const pk_model *m)
{
  bool any = false;
  for (int k = 0; k < m->nu; k++) {
    any |= m->dof_stiffness[k] > 0;
  }
  return any;
}

/* What slots and chains have in common. */
static pki_group_plan begin_plan(const pk_sim *sim)
{
  const pk_sim_options *o = &sim->options;
  const bool midpoint = pki_steppers[o->stepper]->midpoint;
  return (pki_group_plan){.model = sim->model,
                          .joints = sim->joints.model,
                          .cut = sim->joints.cut,
                          .actuation = o->actuation,
                          .implicit = o->implicit == PK_IMPLICIT_FORCES_ALL,
                          .rubs = has_friction(sim),
                          .springs = has_springs(sim->joints.model),
                          .law = pki_law_of(o),
                          .published = o->contact == PK_CONTACT_GEHRING_2014,
                          .dt = o->dt,
                          .relinearise = o->relinearise,
                          .landing = o->landing_friction ? INFINITY : PKI_LANDING * sim->scene.length,
                          .yield = o->yield && !sim->joints.cut,
                          .inertia = sim->joints.inertia,
                          .midpoint = midpoint,
                          .reach = midpoint ? 0.5 * o->dt : o->dt,
                          .near = INFINITY,
                          .feet_near = INFINITY,
                          .tolerance = o->tolerance,
                          .allowed = pki_allowed_penetration(sim),
                          .length = sim->scene.length,
                          .touching = pki_touching(sim),
                          .deep = PKI_DEEP * sim->scene.length,
                          .iterations = o->max_iterations,
                          .depth = sim->model->nu,
                          .plane = -1};
}

void pki_group_plan_chains(pki_group_plan *plan, const pk_sim *sim)
{
  const pki_group_plan room = *plan;
  *plan = begin_plan(sim);
  plan->limit = room.limit, plan->arm = room.arm;
  list_limits(plan, sim);
  plan->joining = joining_gap(sim, plan->reach);
}

void pki_group_plan_make(pki_group_plan *plan, pk_sim *sim)
{
  const pk_sim_options *o = &sim->options;
  const pki_colliders *c = &sim->scene.colliders;
  const pk_terrain *t = sim->scene.terrain;
  const pki_group_plan room = *plan;
  *plan = begin_plan(sim);
  plan->sweeps = o->max_iterations < SWEEPS ? o->max_iterations : SWEEPS;
  plan->swept = o->swept;
  plan->path = room.path, plan->covers = room.covers, plan->pairs = room.pairs;
  plan->pair_swing = room.pair_swing, plan->swing = room.swing, plan->runs = room.runs;
  plan->chain = room.chain, plan->below = room.below, plan->dof_body = room.dof_body;
  plan->limit = room.limit, plan->arm = room.arm;
  list_limits(plan, sim);
  const double g = pki_length3(sim->model->gravity), fastest = FASTEST * sqrt(g * sim->scene.length);
  plan->near = g > 0 ? fmin(o->margin, fastest * plan->reach) : o->margin;
  plan->feet_near = o->relinearise > 0 && g > 0 ? fmax(plan->near, fastest * plan->reach) : plan->near;
  if (!suits_lanes(sim) || world_has_restitution(&sim->scene)) {
    return;
  }
  fill_chains(plan);
  plan->hinged = is_hinged(sim->model);
  plan->free = sim->model->body_motion[0] == PK_MOTION_FLOATING;
  const bool simple = is_simple_ground(t) && c->n == c->nmoving + 1;
  plan->scan = !simple && c->n > c->nmoving;
  if (simple) {
    plan->plane = c->nmoving;
    add_feet(plan, sim);
    set_ground_plane(plan, sim);
  }
  plan->usable = add_covers(plan, sim);
}
