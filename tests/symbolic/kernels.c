/* Every kernel of compiled code against the generic one: on trees, on quadrupeds, whose legs have code of their own, on what only
 * looks like one, on a humanoid. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "dynamics/code.h"
#include "dynamics/workspace.h"
#include "model/grouped.h"
#include "model/inertia.h"
#include "pronk/code.h"
#include "support/bounds.h"
#include "support/named_model.h"
#include "support/pace.h"
#include "support/random_tree.h"
#include "support/worst.h"
#include "symbolic/code/limbs.h"

/* Largest difference of two arrays, relative to the largest number in them. */
static double apart(const double *a, const double *b, size_t n)
{
  double most = 1e-300, d = 0;
  for (size_t i = 0; i < n; i++) {
    most = larger(most, fabs(a[i])), d = larger(d, fabs(a[i] - b[i]));
  }
  return d / most;
}

/* A lane group, in memory that is free() with `memory`. */
static void *make_work(pki_work *w, const pk_model *m, int lanes)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  pki_work_carve(w, m, lanes, &arena);
  const size_t size = arena.used;
  void *memory = pki_aligned_alloc(size);
  arena = pki_arena_over(memory, size);
  pki_work_carve(w, m, lanes, &arena);
  return memory;
}

enum { MOST = 64 * 8, MOST_M = 8 * 1024 };

/* A state in each lane, and both works at it. */
typedef struct pair {
  const pk_model *m;
  int lanes;
  size_t nu, n, nM; /* numbers of all lanes */
  pki_work w, mine;
  const pki_kernels *g, *c; /* generic, compiled */
  void *memory[2];
  _Alignas(64) double q[MOST], u[MOST], tau[MOST], x[MOST], y[MOST], z[MOST], M[MOST_M];
} pair;

static void begin(pair *p, const pk_model *m, const pki_code_lanes *code, pki_random *rng)
{
  const int lanes = code->lanes;
  const size_t wide = (size_t)lanes;
  double one[64];
  p->m = m, p->lanes = lanes;
  p->nu = (size_t)m->nu * wide, p->n = (size_t)m->nbody * wide, p->nM = (size_t)m->nM * wide;
  assert_at_most(p->nM, MOST_M);
  assert_at_most(m->nq, 64);
  p->memory[0] = make_work(&p->w, m, lanes), p->memory[1] = make_work(&p->mine, m, lanes);
  p->g = pki_work_use(&p->w, NULL), p->c = pki_work_use(&p->mine, code);
  for (int l = 0; l < lanes; l++) {
    random_config(rng, m, one);
    for (int k = 0; k < m->nq; k++) {
      p->q[k * lanes + l] = one[k];
    }
  }
  random_vector(rng, (int)p->nu, 2, p->u);
  random_vector(rng, (int)p->nu, 5, p->tau);
  for (int i = 0; i < m->nbody; i++) { /* damping and gains on the diagonal of hinges */
    for (int l = 0; l < lanes && m->body_motion[i] <= PK_MOTION_PRISMATIC; l++) {
      const int e = m->body_u[i] * lanes + l;
      p->w.diag[e] = p->mine.diag[e] = p->w.params.armature[e] + 0.01 * (1 + l);
    }
  }
}

/* Every lane has inertias of its own: the model's bodies, heavier, and a weight somewhere on each. */
static void load_bodies(pair *p, pki_random *rng)
{
  const pk_model *m = p->m;
  const size_t count = 10 * (size_t)m->nbody;
  double *inertia = malloc(2 * count * sizeof *inertia), *const grouped = inertia + count;
  for (int l = 0; l < p->lanes; l++) {
    memcpy(inertia, m->body_inertia, count * sizeof *inertia);
    for (int i = 0; i < m->nbody; i++) {
      const pk_pose here = pk_pose_identity();
      pk_inertia weight = {.mass = 0.5 + pki_random_unit(rng)};
      random_vector(rng, 3, 0.2, weight.com);
      for (int k = 0; k < 10; k++) {
        inertia[10 * i + k] *= 1 + 0.1 * l;
      }
      pki_inertia_add(inertia + 10 * (size_t)i, &weight, &here);
    }
    pki_group_inertias(m, inertia, grouped);
    for (size_t e = 0; e < count; e++) {
      const size_t to = e * (size_t)p->lanes + (size_t)l;
      p->w.params.inertia[to] = p->mine.params.inertia[to] = inertia[e];
      p->mine.params.grouped[to] = grouped[e];
    }
  }
  p->w.params.varied = p->mine.params.varied = true;
  free(inertia);
}

static void finish(pair *p)
{
  pki_aligned_free(p->memory[0]);
  pki_aligned_free(p->memory[1]);
}

/* What is not written shows. */
static void forget(pair *p)
{
  const size_t real = sizeof(double), lanes = (size_t)p->lanes;
  memset(p->mine.pose + 12 * lanes, 0xff, 12 * p->n * real);
  memset(p->mine.origin + 3 * lanes, 0xff, 3 * p->n * real);
  memset(p->mine.twist + 6 * lanes, 0xff, 6 * p->n * real);
  memset(p->mine.M, 0xff, p->nM * real);
  memset(p->z, 0xff, sizeof p->z);
}

static void hold_places(const pair *p)
{
  const size_t n = p->n + (size_t)p->lanes;
  assert_less(apart(p->w.pose, p->mine.pose, 12 * n), 1e-14);
  assert_less(apart(p->w.origin, p->mine.origin, 3 * n), 1e-14);
}

/* All that precedes contacts, in parts and in one. */
static void compare_falls(pair *p)
{
  const double dt = 0.01, gain = 0.5;
  forget(p);
  p->g->kinematics(&p->w, p->q), p->c->kinematics(&p->mine, p->q);
  hold_places(p);
  forget(p);
  p->g->inertial(&p->w, p->q, p->u, p->x), p->c->inertial(&p->mine, p->q, p->u, p->y);
  hold_places(p);
  assert_less(apart(p->w.twist, p->mine.twist, 6 * (p->n + (size_t)p->lanes)), 1e-13);
  assert_less(apart(p->x, p->y, p->nu), 1e-12);
  assert_less(apart(p->w.M, p->mine.M, p->nM), 1e-13);
  memcpy(p->M, p->w.M, p->nM * sizeof *p->M);
  for (size_t k = 0; k < p->nu; k++) {
    p->x[k] = dt * (p->tau[k] - (gain + p->m->dof_damping[k / (size_t)p->lanes]) * p->u[k] - p->x[k]);
    p->y[k] = gain;
  }
  p->g->ltl_factor(&p->w), p->g->ltl_solve(&p->w, p->x);
  for (size_t k = 0; k < p->nu; k++) {
    p->x[k] += p->u[k];
  }
  forget(p);
  p->c->free_velocity(&p->mine, p->q, p->u, p->tau, p->y, dt, p->z);
  hold_places(p);
  assert_less(apart(p->w.twist, p->mine.twist, 6 * (p->n + (size_t)p->lanes)), 1e-13);
  assert_less(apart(p->x, p->z, p->nu), 1e-10);
  assert_less(apart(p->w.M, p->mine.M, p->nM), 1e-9);
}

/* The factor of the M that is in p->M, and solves with it. */
static void compare_solves(pair *p)
{
  const size_t size = p->nM * sizeof *p->M;
  memcpy(p->w.M, p->M, size), memcpy(p->mine.M, p->M, size);
  p->g->ltl_factor(&p->w), p->c->ltl_factor(&p->mine);
  assert_less(apart(p->w.M, p->mine.M, p->nM), 1e-9);
  memcpy(p->mine.M, p->w.M, size);
  memcpy(p->x, p->tau, sizeof p->x), memcpy(p->y, p->tau, sizeof p->y);
  p->g->ltl_solve(&p->w, p->x), p->c->ltl_solve(&p->mine, p->y);
  assert_less(apart(p->x, p->y, p->nu), 1e-12);
  p->g->ltl_finish(&p->w, p->x), p->c->ltl_finish(&p->mine, p->y);
  assert_less(apart(p->x, p->y, p->nu), 1e-12);
}

static void compare_forces(pair *p)
{
  const size_t size = p->nu * sizeof *p->w.diag;
  for (int damped = 0; damped < 2;
       damped++) { /* what else is on the diagonal, code leaves to the generic kernel */
    memcpy(p->w.diag, p->w.params.armature, size);
    p->w.diag[0] += damped, p->w.diag[p->nu - 1] += 2 * damped;
    memcpy(p->mine.diag, p->w.diag, size);
    memset(p->y, 0xff, sizeof p->y);
    p->g->acceleration(&p->w, p->q, p->u, p->tau, p->x);
    p->c->acceleration(&p->mine, p->q, p->u, p->tau, p->y);
    assert_less(apart(p->x, p->y, p->nu), 1e-9); /* the conditions of M */
  }
  p->g->inverse(&p->w, p->q, p->u, NULL, p->x), p->c->inverse(&p->mine, p->q, p->u, NULL, p->y);
  assert_less(apart(p->x, p->y, p->nu), 1e-12);
  p->g->inverse(&p->w, p->q, p->u, p->tau, p->x), p->c->inverse(&p->mine, p->q, p->u, p->tau, p->y);
  assert_less(apart(p->x, p->y, p->nu), 1e-12);
}

/* A model's code by one compiler, with one lane and others (pk_code_options.lanes). */
static void hold_code(const pk_model *m, const char *compiler, int lanes, const char *folder)
{
  static pair p;
  pki_random rng = pki_random_seeded(11);
  pk_code_options o = pk_code_options_default();
  pk_error err = {.message = ""};
  pk_code *code;
  o.lanes = lanes, o.compiler = compiler, o.folder = folder;
  if (pk_code_open(m, &o, &code, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(pk_code_get_info(code)->functions, pki_code_entry_count);
  for (int i = 0; i < PKI_LANE_COUNTS; i++) {
    if (i > 0 && !(lanes & pki_lane_counts[i])) {
      continue;
    }
    for (int round = 0; round < PACE(10, 2); round++) {
      begin(&p, m, pki_code_find(code, pki_lane_counts[i]), &rng);
      if (round % 2 == 1) {
        load_bodies(&p, &rng);
      }
      compare_falls(&p);
      compare_solves(&p);
      compare_forces(&p);
      finish(&p);
    }
  }
  pk_code_close(code);
}

/* The lane counts besides one that clang compiles for, and gcc; ALONE: one lane, NEVER: not at all. */
enum { NEVER = -1, ALONE = 0 };

static void hold(const pk_model *m, int limbs, int clang, int gcc)
{
  char folder[] = "/tmp/pronk-kernels-XXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(pki_limbs_find(m), limbs);
  hold_code(m, "clang", clang, folder);
  if (gcc != NEVER) {
    hold_code(m, "gcc", gcc, folder);
  }
  pki_folder_remove(folder);
}

static void a_tree_of_all_joints(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  const random_tree_options options = {.links = 5, .root = PK_ROOT_FREE};
  pk_model *m = random_tree(&rng, &options);
  hold(m, 0, 4 + 8, 4);
  pk_model_destroy(m);
}

/* The code of whole robots takes long to compile, and is not what a sanitizer looks at: it is not compiled with one. */
static void quadrupeds_whose_legs_are_lanes(void **state)
{
  (void)state;
  SKIP_WHEN_SLOW("the compiled code of quadrupeds");
  static const struct {
    const char *name;
    int joints;
  } robots[] = {{"starleth", 3}, {"thesis_quadruped", 4}};
  for (int i = 0; i < 2; i++) {
    pk_model *m = named_model(robots[i].name);
    hold(m, robots[i].joints, i == 0 ? 4 + 8 : ALONE, i == 0 ? ALONE : NEVER);
    pk_model_destroy(m);
  }
}

static void a_humanoid(void **state)
{
  (void)state;
  SKIP_WHEN_SLOW("the compiled code of a humanoid");
  pk_model *m = named_model("coman");
  hold(m, 0, ALONE, NEVER);
  pk_model_destroy(m);
}

/* Links on a free trunk: link i hangs on link parents[i], the trunk being 0. */
static pk_model *limbs_on_a_trunk(int count, const int *parents)
{
  static const char *const names[] = {"trunk", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8"};
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  pki_random rng = pki_random_seeded(13);
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const pk_robot_desc robot = {.name = "star", .root = PK_ROOT_FREE, .pose = pk_pose_identity()};
  bool good = pk_builder_add_robot(b, &robot, &err) == PK_OK;
  for (int i = 0; i <= count && good; i++) {
    const pk_link_desc link = {.name = names[i], .inertia = random_inertia(&rng)};
    good = pk_builder_add_link(b, &link, &err) == PK_OK;
  }
  for (int i = 1; i <= count && good; i++) {
    pk_joint_desc joint = pk_joint_desc_default();
    joint.name = joint.child = names[i], joint.parent = names[parents[i]], joint.kind = PK_JOINT_CONTINUOUS;
    joint.origin.pos[0] = 0.1 * i, joint.origin.pos[1] = i % 2 ? 0.2 : -0.2;
    joint.axis[0] = 0, joint.axis[1] = 1;
    good = pk_builder_add_joint(b, &joint, &err) == PK_OK;
  }
  if (!good || pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

static void eight_arms_are_not_four_legs(void **state)
{
  (void)state;
  pk_model *m = limbs_on_a_trunk(8, (const int[]){0, 0, 0, 0, 0, 0, 0, 0, 0});
  hold(m, 0, 4, NEVER);
  pk_model_destroy(m);
}

static void four_short_legs_are(void **state)
{
  (void)state;
  pk_model *m = limbs_on_a_trunk(4, (const int[]){0, 0, 0, 0, 0});
  hold(m, 1, 4, NEVER);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tree_of_all_joints), cmocka_unit_test(quadrupeds_whose_legs_are_lanes),
      cmocka_unit_test(a_humanoid),           cmocka_unit_test(eight_arms_are_not_four_legs),
      cmocka_unit_test(four_short_legs_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
