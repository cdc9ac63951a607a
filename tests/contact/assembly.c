/* The Delassus matrix on chains against the dense product, on random trees with followers too. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/rows/assembly.h"
#include "dynamics/workspace.h"
#include "math/mat3.h"
#include "support/bounds.h"
#include "support/random_tree.h"

enum {
  LINKS = 12,
  NU = 6 * (LINKS + 1),
  NQ = 7 * (LINKS + 1),
  CONTACTS = 5,
  BOXES = 4,
  ROWS = 3 * CONTACTS + BOXES
};

/* A random link that moves. */
static int moving_link(pki_random *rng, const pk_model *m)
{
  int link = (int)(m->nlink * pki_random_unit(rng));
  while (m->links[link].body < 0) {
    link = (link + 1) % m->nlink;
  }
  return link;
}

/* dense [3][nu] += sign R J, J of the point of a link that is at `point` in the world. */
static void add_dense(const pk_model *m, pk_workspace *w, int link, const double point[3], const double R[9],
                      double sign, double dense[][NU])
{
  static double J[6 * NU];
  const pk_pose pose = pk_link_pose(w, link);
  const double arm[3] = {point[0] - pose.pos[0], point[1] - pose.pos[1], point[2] - pose.pos[2]};
  double local[3];
  pki_mat3_apply_transposed(pose.rot, arm, local);
  pk_link_jacobian(w, link, local, J);
  for (int d = 0; d < 3; d++) {
    for (int k = 0; k < m->nu; k++) {
      for (int i = 0; i < 3; i++) {
        dense[d][k] += sign * R[3 * d + i] * J[(3 + i) * m->nu + k];
      }
    }
  }
}

/* Contacts of random links with random frames, every other one with another link (of the same body now and then), the
 * rest with the world; boxes on random coordinates; dense J beside. */
static void add_rows(pki_random *rng, const pk_model *m, pk_workspace *w, pki_assembly *a,
                     double dense[ROWS][NU])
{
  memset(dense, 0, ROWS * sizeof dense[0]);
  for (int c = 0; c < CONTACTS; c++) {
    const int link = moving_link(rng, m), other = c % 2 ? moving_link(rng, m) : -1;
    double quat[4], R[9], point[3];
    pki_random_quaternion(rng, quat);
    pki_quat_to_mat3(quat, R);
    const pk_pose pose = pk_link_pose(w, link);
    pki_mat3_apply(pose.rot, (const double[3]){0.1, 0.2, -0.3}, point);
    for (int i = 0; i < 3; i++) {
      point[i] += pose.pos[i];
    }
    /* every other pair at two points */
    const double apart = c % 4 == 3 ? 0.05 : 0, second[3] = {point[0] + apart, point[1], point[2] - apart};
    const pki_ends ends = {m->links[link].body, other < 0 ? -1 : m->links[other].body, point,
                           apart > 0 ? second : NULL};
    assert_true(pki_assembly_add_contact(a, w, &ends, R, R + 3, R + 6, 0.5));
    add_dense(m, w, link, point, R, 1, dense + 3 * c);
    if (other >= 0) {
      add_dense(m, w, other, second, R, -1, dense + 3 * c);
    }
  }
  for (int b = 0; b < BOXES; b++) {
    const int dof = (int)(m->nu * pki_random_unit(rng));
    assert_true(pki_assembly_add_box(a, dof, b % 2 ? -1 : 1, -1, 1, 0.25 * b));
    dense[3 * CONTACTS + b][dof] = b % 2 ? -1 : 1;
  }
  assert_false(pki_assembly_add_box(a, 0, 1, 0, 1, 0)); /* full */
}

static void the_matrix_is_j_inverse_m_j(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(21);
  static double Minv[NU * NU], dense[ROWS][NU];
  for (int k = 0; k < 100; k++) {
    const random_tree_options o = {.links = 2 + k % (LINKS - 2),
                                   .mimic = k % 3 == 2,
                                   .shapes = true,
                                   .robots = 1 + k % 4 / 2,
                                   .root = k % 2 ? PK_ROOT_FREE : PK_ROOT_CHAIN};
    pk_model *m = random_tree(&rng, &o);
    pk_workspace *w;
    pk_workspace_create(m, &w, NULL);
    double q[NQ], u[NU], f[NU], r[ROWS];
    random_config(&rng, m, q);
    random_vector(&rng, m->nu, 1, u);
    random_vector(&rng, ROWS, 1, r);
    pk_mass_matrix_inverse(w, q, Minv);
    pk_kinematics_compute(w, q, NULL);
    w->kernels->crba(&w->work);
    w->kernels->ltl_factor(&w->work);

    pki_assembly a;
    pki_arena count = pki_arena_over(NULL, 0);
    pki_assembly_carve(&a, m, CONTACTS, ROWS, &count);
    void *memory = pki_aligned_alloc(count.used);
    pki_arena arena = pki_arena_over(memory, count.used);
    memset(memory, 0xff, count.used);
    pki_assembly_carve(&a, m, CONTACTS, ROWS, &arena);
    assert_true(arena.used == count.used);
    add_rows(&rng, m, w, &a, dense);
    pki_assembly_finish(&a, w);
    pki_assembly_forces(&a, r, f);

    double scale = 0;
    for (int i = 0; i < ROWS; i++) {
      scale = fmax(scale, a.W[i * ROWS + i]);
    }
    for (int i = 0; i < ROWS; i++) {
      double along = 0;
      for (int e = 0; e < m->nu; e++) {
        along += dense[i][e] * u[e];
      }
      assert_less(fabs(pki_assembly_velocity(&a, i, u) - along), 1e-12 * (1 + fabs(along)));
      for (int j = 0; j < ROWS; j++) {
        double sum = i == j && i >= 3 * CONTACTS ? 0.25 * (i - 3 * CONTACTS) : 0;
        for (int e = 0; e < m->nu; e++) {
          for (int g = 0; g < m->nu; g++) {
            sum += dense[i][e] * Minv[e * m->nu + g] * dense[j][g];
          }
        }
        assert_less(fabs(sum - a.W[i * ROWS + j]), 1e-10 * scale);
      }
    }
    for (int e = 0; e < m->nu; e++) {
      double sum = 0;
      for (int i = 0; i < ROWS; i++) {
        sum += dense[i][e] * r[i];
      }
      assert_less(fabs(sum - f[e]), 1e-12 * (1 + fabs(sum)));
    }
    pki_aligned_free(memory);
    pk_workspace_destroy(w);
    pk_model_destroy(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_matrix_is_j_inverse_m_j),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
