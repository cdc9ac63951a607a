/* One world in several sets of coordinates: rows, gaps and responses of cut joints against the tree's own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/rows/assembly.h"
#include "contact/rows/coordinates.h"
#include "dynamics/workspace.h"
#include "math/mat3.h"
#include "support/bounds.h"
#include "support/random_tree.h"

enum { LINKS = 10, NU = 12 * (LINKS + 1), NQ = 7 * (LINKS + 1) * 2, ROWS = 6 };

/* A random world, cut, at a state that its joints allow. */
typedef struct world {
  pk_model *model;
  pk_workspace *w, *tree;
  void *memory;
  pki_bilateral b;
  double q_tree[NQ], u_tree[NU], q[NQ], u[NU];
} world;

static world make_world(pki_random *rng, int k)
{
  world s;
  memset(&s, 0, sizeof s);
  const random_tree_options o = {.links = 2 + k % (LINKS - 1),
                                 .cut = 1 + k % 2,
                                 .shapes = true,
                                 .root = k % 3 == 0   ? PK_ROOT_FIXED
                                         : k % 3 == 1 ? PK_ROOT_FREE
                                                      : PK_ROOT_CHAIN};
  s.model = random_tree(rng, &o);
  pk_workspace_create(s.model, &s.w, NULL);
  pk_workspace_create(s.model->tree ? s.model->tree : s.model, &s.tree, NULL);
  pki_arena count = pki_arena_over(NULL, 0);
  pki_bilateral_carve(&s.b, s.model, &count);
  s.memory = pki_aligned_alloc(count.used + 64);
  memset(s.memory, 0xff, count.used);
  pki_arena arena = pki_arena_over(s.memory, count.used);
  pki_bilateral_carve(&s.b, s.model, &arena);
  if (s.model->tree != NULL) {
    random_config(rng, s.model->tree, s.q_tree);
    random_vector(rng, s.model->tree->nu, 1, s.u_tree);
    pki_joints_to_model(s.model, s.tree, s.q_tree, s.u_tree, s.q, s.u);
    pk_kinematics_compute(s.w, s.q, s.u);
    pki_bilateral_update(&s.b, &s.w->work, s.q);
  }
  return s;
}

static void free_world(world *s)
{
  pk_workspace_destroy(s->w), pk_workspace_destroy(s->tree);
  pk_model_destroy(s->model);
  pki_aligned_free(s->memory);
}

static void a_cut_world_starts_closed(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  for (int k = 0; k < 60; k++) {
    world s = make_world(&rng, k);
    pk_kinematics_compute(s.w, s.model->q0, NULL);
    pki_bilateral_update(&s.b, &s.w->work, s.model->q0);
    for (int i = 0; i < s.model->nbilateral; i++) {
      assert_less(fabs(s.b.gap[i]), 1e-14 * 10);
    }
    free_world(&s);
  }
}

static void what_joints_allow_breaks_no_row_and_drives_see_their_coordinates(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  int cuts = 0;
  for (int k = 0; k < 200; k++) {
    world s = make_world(&rng, k);
    const pk_model *m = s.model, *t = m->tree;
    double drives[NU], q[NQ], u[NU];
    for (int i = 0; i < m->nbilateral; i++) {
      assert_less(fabs(s.b.gap[i]), 1e-13);
      assert_less(fabs(pki_bilateral_velocity(&s.b, i, s.u)), 1e-12);
    }
    if (t != NULL) {
      for (int i = 0; i < m->nconstraint; i++) { /* one-axis turns count on from here: half a turn and more */
        for (int d = 0; d < m->constraints[i].ndrive; d++) {
          const pk_model_joint *j = &t->joints[m->constraints[i].joint];
          drives[m->constraints[i].drive + d] = s.q_tree[j->q + (d < j->nq ? d : 0)] + 0.3;
        }
      }
      pki_joints_from_model(m, &s.w->work, &s.b, s.q, s.u, drives, q, u);
      double away[NU];
      pk_config_subtract(t, q, s.q_tree, away);
      for (int i = 0; i < t->nu; i++) {
        assert_less(fabs(away[i]), 1e-12);
        assert_less(fabs(u[i] - s.u_tree[i]), 1e-11);
      }
      cuts += m->nconstraint;
    }
    free_world(&s);
  }
  assert_greater(cuts, 400);
}

static void rows_are_the_rates_of_gaps(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  for (int k = 0; k < 60; k++) {
    world s = make_world(&rng, k);
    const pk_model *m = s.model;
    double v[NU], rate[NU], ahead[NQ];
    const double h = 1e-6;
    random_vector(&rng, m->nu, 1, v);
    for (int i = 0; i < m->nbilateral; i++) {
      rate[i] = pki_bilateral_velocity(&s.b, i, v);
    }
    double step[NU], gap[NU];
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < m->nu; i++) {
        step[i] = (side ? -h : h) * v[i];
      }
      pk_config_add(m, s.q, step, ahead);
      pk_kinematics_compute(s.w, ahead, NULL);
      pki_bilateral_update(&s.b, &s.w->work, ahead);
      for (int i = 0; i < m->nbilateral; i++) {
        gap[i] = side ? gap[i] - s.b.gap[i] : s.b.gap[i];
      }
    }
    for (int i = 0; i < m->nbilateral; i++) {
      assert_less(fabs(gap[i] / (2 * h) - rate[i]), 1e-7);
    }
    free_world(&s);
  }
}

/* d/dt of J u along the motion with u kept, by central differences of fourth order. */
static void row_rates(world *s, double *out)
{
  const pk_model *m = s->model;
  static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, place[4] = {-2, -1, 1, 2};
  const double h = 1e-3;
  memset(out, 0, (size_t)m->nbilateral * sizeof *out);
  for (int p = 0; p < 4; p++) {
    double step[NU], at[NQ];
    for (int i = 0; i < m->nu; i++) {
      step[i] = place[p] * h * s->u[i];
    }
    pk_config_add(m, s->q, step, at);
    pk_kinematics_compute(s->w, at, NULL);
    pki_bilateral_update(&s->b, &s->w->work, at);
    for (int i = 0; i < m->nbilateral; i++) {
      out[i] += weight[p] / h * pki_bilateral_velocity(&s->b, i, s->u);
    }
  }
}

/* Drives carry armature and joint forces; M without them. */
static void factor(world *s, double *weights)
{
  const pk_model *m = s->model;
  for (int i = 0; i < m->nconstraint; i++) {
    const pk_model_constraint *c = &m->constraints[i];
    for (int k = 0; k < c->ndrive; k++) {
      weights[c->drive + k] = m->tree->dof_armature[m->tree->joints[c->joint].u + k];
    }
  }
  pki_reset_diagonal(&s->w->work);
  s->w->kernels->crba(&s->w->work);
  pki_bilateral_factor(&s->b, s->w, weights, true);
}

static void a_cut_world_accelerates_as_its_tree(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(8);
  for (int k = 0; k < 100; k++) {
    world s = make_world(&rng, k);
    const pk_model *m = s.model, *t = m->tree;
    if (t == NULL) {
      free_world(&s);
      continue;
    }
    double tau[NU], acc[NU], x[NU], rates[NU], weights[NU];
    random_vector(&rng, t->nu, 1, tau);
    memset(tau, 0, 6 * sizeof *tau);
    assert_int_equal(pk_forward_dynamics(s.tree, PK_DYNAMICS_METHOD_AUTO, s.q_tree, s.u_tree, tau, acc),
                     PK_OK);
    row_rates(&s, rates);
    pk_inverse_dynamics(s.w, s.q, s.u, NULL, x);
    pki_bilateral_update(&s.b, &s.w->work, s.q);
    for (int i = 0; i < m->nu; i++) {
      x[i] = -x[i];
    }
    /* joint forces: of joints in common on their coordinate, of cut ones on their drive */
    for (int i = 0; i < t->nu; i++) {
      const int j = t->dof_joint[i];
      if (j < 0) {
        continue;
      }
      const int d = i - t->joints[j].u, c = m->joints[j].constraint;
      if (c < 0) {
        x[m->joints[j].u + d] += tau[i];
      } else {
        pki_bilateral_add(&s.b, m->nbilateral + m->constraints[c].drive + d, tau[i], x);
      }
    }
    for (int i = 0; i < m->nbilateral; i++) {
      rates[i] = -rates[i];
    }
    factor(&s, weights);
    pki_bilateral_solve(&s.b, s.w, x, rates);
    double scale = 1;
    for (int i = 0; i < t->nu; i++) {
      scale = fmax(scale, fabs(acc[i]));
    }
    pk_kinematics_compute(s.tree, s.q_tree, s.u_tree);
    bool has_armature = false;
    for (int i = 0; i < m->ndrive; i++) {
      has_armature |= weights[i] > 0;
    }
    for (int i = 0; i < m->nconstraint && !has_armature; i++) {
      /* the freed body's acceleration is that of its link in the tree: J a + dJ/dt u */
      const int body = m->constraints[i].body[1], link = m->body_link[body];
      static double J[6 * NU];
      const double origin[3] = {0, 0, 0};
      double total[6], spin[3];
      pk_kinematics_compute(s.tree, s.q_tree, s.u_tree);
      pk_link_jacobian(s.tree, link, origin, J);
      pk_link_jacobian_dot_u(s.tree, link, origin, s.u_tree, total);
      for (int e = 0; e < 6; e++) {
        for (int g = 0; g < t->nu; g++) {
          total[e] += J[e * t->nu + g] * acc[g];
        }
      }
      const pk_pose pose = pk_link_pose(s.tree, link);
      pki_mat3_apply_transposed(pose.rot, total, spin);
      for (int e = 0; e < 3; e++) {
        assert_less(fabs(x[m->body_u[body] + e] - total[3 + e]), 1e-9 * scale);
        assert_less(fabs(x[m->body_u[body] + 3 + e] - spin[e]), 1e-9 * scale);
      }
    }
    free_world(&s);
  }
}

/* W of a few points of links, in the tree and in the cut world. */
static void delassus(const pk_model *m, pk_workspace *w, const int *links, void *memory, size_t size,
                     double *out)
{
  static const double ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0}, ez[3] = {0, 0, 1};
  pki_assembly a;
  pki_arena arena = pki_arena_over(memory, size);
  pki_assembly_carve(&a, m, ROWS / 3, ROWS, &arena);
  assert_false(arena.overflow);
  for (int i = 0; i < ROWS / 3; i++) {
    const pk_pose pose = pk_link_pose(w, links[i]);
    double point[3]; /* off every joint's axis */
    pki_mat3_apply(pose.rot, (const double[3]){0.1, 0.2, -0.3}, point);
    for (int k = 0; k < 3; k++) {
      point[k] += pose.pos[k];
    }
    /* the last one is between two bodies */
    const int other = i + 1 == ROWS / 3 ? m->links[links[0]].body : -1;
    const pki_ends ends = {m->links[links[i]].body, other, point, NULL};
    assert_true(pki_assembly_add_contact(&a, w, &ends, ez, ex, ey, 0.5));
  }
  pki_assembly_finish(&a, w);
  memcpy(out, a.W, ROWS * ROWS * sizeof *out);
}

static void a_cut_world_responds_as_its_tree(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(9);
  const size_t size = 1 << 22;
  void *memory = pki_aligned_alloc(size);
  for (int k = 0; k < 100; k++) {
    world s = make_world(&rng, k);
    if (s.model->tree == NULL) {
      free_world(&s);
      continue;
    }
    int links[ROWS / 3];
    for (int i = 0; i < ROWS / 3; i++) {
      links[i] = (int)(s.model->nlink * pki_random_unit(&rng));
      while (s.model->links[links[i]].body < 0 || s.model->tree->links[links[i]].body < 0) {
        links[i] = (links[i] + 1) % s.model->nlink;
      }
    }
    double weights[NU], cut[ROWS * ROWS], tree[ROWS * ROWS];
    pk_kinematics_compute(s.w, s.q, NULL);
    factor(&s, weights);
    delassus(s.model, s.w, links, memory, size, cut);
    pk_kinematics_compute(s.tree, s.q_tree, NULL);
    s.tree->kernels->crba(&s.tree->work);
    s.tree->kernels->ltl_factor(&s.tree->work);
    delassus(s.model->tree, s.tree, links, memory, size, tree);
    double scale = 0;
    for (int i = 0; i < ROWS * ROWS; i++) {
      scale = fmax(scale, fabs(tree[i]));
    }
    for (int i = 0; i < ROWS * ROWS; i++) {
      assert_less(fabs(cut[i] - tree[i]), 1e-10 * scale);
    }
    free_world(&s);
  }
  pki_aligned_free(memory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cut_world_starts_closed),
      cmocka_unit_test(what_joints_allow_breaks_no_row_and_drives_see_their_coordinates),
      cmocka_unit_test(rows_are_the_rates_of_gaps),
      cmocka_unit_test(a_cut_world_accelerates_as_its_tree),
      cmocka_unit_test(a_cut_world_responds_as_its_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
