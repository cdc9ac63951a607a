/* Signed distances on a grid against exact ones. */
#include "help.h"

#include "collision/shapes/volume.h"
#include "meshes.h"
#include "support/bounds.h"
#include "support/pace.h"

static pki_trimesh *ready_free(mesh m)
{
  pki_trimesh *t = NULL;
  pk_error err = {PK_OK, 0, "", "", ""};
  const pk_mesh view = mesh_view(&m);
  if (pki_trimesh_create(&view, &t, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  mesh_free(&m);
  return t;
}

static double exact(const pki_trimesh *t, const double p[3])
{
  double x[3];
  assert_at_least(pki_trimesh_nearest(t, p, INFINITY, x), 0);
  const double r[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};
  return pki_trimesh_inside(t, p) ? -sqrt(pki_dot3(r, r)) : sqrt(pki_dot3(r, r));
}

static pki_volume *volume_of(const pki_trimesh *t, double cell)
{
  pki_volume *v = NULL;
  pk_error err = {PK_OK, 0, "", "", ""};
  if (pki_volume_create(t, cell, 2, &v, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return v;
}

static void nodes_are_exact_and_the_error_between_them_is_told(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(31);
  pki_trimesh *t[3] = {ready_free(mesh_torus(1, 0.4, 24, 16)), ready_free(mesh_box(1, 0.5, 0.3, 3, 0, 0)),
                       ready_free(mesh_join(mesh_box(1, 1, 1, 0, 0, 0), mesh_ball(0.8, 14, 9)))};
  for (int i = 0; i < 3; i++) {
    pki_volume *v = volume_of(t[i], t[i]->size / PACE(32, 12));
    for (int n = 0; n < PACE(2000, 200); n++) {
      int at[3];
      double p[3], d, gradient[3];
      for (int k = 0; k < 3; k++) {
        at[k] = (int)pki_random_between(&rng, 0, v->n[k] - 1e-9);
        p[k] = v->origin[k] + at[k] * v->step[k];
      }
      const double node = v->distance[(at[2] * v->n[1] + at[1]) * v->n[0] + at[0]];
      assert_near(node, exact(t[i], p), 1e-6 * t[i]->size);
      for (int k = 0; k < 3; k++) {
        p[k] = v->origin[k] + pki_random_unit(&rng) * (v->n[k] - 1) * v->step[k];
      }
      assert_true(pki_volume_distance(v, p, &d, gradient));
      const double true_d = exact(t[i], p);
      /* never off by more than the way to a corner of the cell; near the surface by little more than was told */
      assert_near(d, true_d, v->cell * sqrt(3));
      if (fabs(true_d) < v->cell) {
        assert_near(d, true_d, 2 * v->error + 1e-6);
      }
      double low, high;
      pki_volume_bounds(v, p, &low, &high);
      assert_at_most(low, true_d);
      assert_at_most(true_d, high);
      assert_at_most(high - low, 2.001 * v->cell);
    }
    assert_less(v->error, v->cell);
    pki_volume_destroy(v);
    pki_trimesh_destroy(t[i]);
  }
}

static void the_volume_of_a_ball_is_that_of_a_ball(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(32);
  pki_trimesh *t = ready_free(mesh_ball(1, 64, 32));
  pki_volume *v = volume_of(t, 2.0 / PACE(40, 16));
  for (int n = 0; n < PACE(5000, 500); n++) {
    double p[3], d, gradient[3];
    for (int k = 0; k < 3; k++) {
      p[k] = pki_random_between(&rng, -1, 1);
    }
    const double r = sqrt(pki_dot3(p, p));
    if (r < 0.5) {
      continue;
    }
    assert_true(pki_volume_distance(v, p, &d, gradient));
    assert_near(d, r - 1, PACE(0.006, 0.02)); /* the mesh itself is 0.005 m within the ball */
    for (int k = 0; k < 3; k++) {
      assert_near(gradient[k], p[k] / r, PACE(0.1, 0.25));
    }
  }
  pki_volume_destroy(v);
  pki_trimesh_destroy(t);
}

static void the_gradient_is_that_of_the_interpolation(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(33);
  pki_trimesh *t = ready_free(mesh_torus(1, 0.4, 12, 8));
  pki_volume *v = volume_of(t, 0.2);
  for (int n = 0; n < 500; n++) {
    double p[3], d, g[3], e[3], up, down;
    for (int k = 0; k < 3; k++) {
      /* within a cell */
      p[k] =
          v->origin[k] +
          ((int)(pki_random_unit(&rng) * (v->n[k] - 1)) + pki_random_between(&rng, 0.01, 0.99)) * v->step[k];
    }
    assert_true(pki_volume_distance(v, p, &d, g));
    for (int k = 0; k < 3; k++) {
      double q[3] = {p[0], p[1], p[2]};
      q[k] = p[k] + 1e-4;
      assert_true(pki_volume_distance(v, q, &up, e));
      q[k] = p[k] - 1e-4;
      assert_true(pki_volume_distance(v, q, &down, e));
      assert_near((up - down) / 2e-4, g[k], 1e-9);
    }
  }
  double d, g[3];
  assert_false(pki_volume_distance(v, V3(5, 0, 0), &d, g));
  assert_false(pki_volume_distance(v, V3(NAN, 0, 0), &d, g));
  pki_volume_destroy(v);
  pki_trimesh_destroy(t);
}

static void bounds_hold_outside_of_the_grid_too(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(34);
  pki_trimesh *t = ready_free(mesh_torus(1, 0.4, 24, 16));
  assert_non_null(t->volume); /* big enough to have one */
  for (int n = 0; n < PACE(3000, 300); n++) {
    double p[3], low, high;
    for (int k = 0; k < 3; k++) {
      p[k] = pki_random_between(&rng, -4, 4);
    }
    pki_volume_bounds(t->volume, p, &low, &high);
    const double d = exact(t, p);
    assert_at_most(low, d);
    assert_at_most(d, high);
  }
  pki_trimesh_destroy(t);
  t = ready_free(mesh_box(1, 1, 1, 0, 0, 0));
  assert_null(t->volume);
  pki_trimesh_destroy(t);
}

static void bad_volumes_are_refused(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(35);
  pki_trimesh *box = ready_free(mesh_box(1, 1, 1, 0, 0, 0)),
              *sheet = ready_free(mesh_sheet(1, 3, &rng, NULL));
  pki_volume *v = NULL;
  pk_error err;
  assert_int_equal(pki_volume_create(sheet, 0.1, 2, &v, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "border"));
  const double bad[4] = {0, -1, NAN, INFINITY};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pki_volume_create(box, bad[i], 2, &v, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.field, "cell");
  }
  assert_int_equal(pki_volume_create(box, 1e-4, 2, &v, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "more than 16777216 nodes"));
  assert_int_equal(pki_volume_create(box, 1e-300, 2, &v, &err), PK_ERROR_ARGUMENT);
  assert_null(v);
  pki_trimesh_destroy(box);
  pki_trimesh_destroy(sheet);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_are_exact_and_the_error_between_them_is_told),
      cmocka_unit_test(the_volume_of_a_ball_is_that_of_a_ball),
      cmocka_unit_test(the_gradient_is_that_of_the_interpolation),
      cmocka_unit_test(bounds_hold_outside_of_the_grid_too),
      cmocka_unit_test(bad_volumes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
