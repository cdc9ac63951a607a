/* Compliant surfaces against closed forms, and what must hold for every law. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "contact/compliant/compliance_law.h"
#include "contact/compliant/ellipse.h"
#include "math/eigen.h"
#include "math/mat3.h"
#include "support/bounds.h"
#include "support/soft_shapes.h"

static const double PI = 3.14159265358979323846;

/* Two surfaces and their patch. */
typedef struct pair {
  pki_soft_side side[2];
  pk_compliance surface[2];
  pki_patch patch;
  void *memory, *scratch;
} pair;

static pk_geometry *shape(pk_shape_kind kind, double x, double y, double z)
{
  pk_geometry *out = NULL;
  assert_int_equal(pk_geometry_create(&(pk_geometry_desc){.kind = kind, .size = {x, y, z}}, &out, NULL),
                   PK_OK);
  return out;
}

/* Room for a pair of shapes with default surfaces at the origin. */
static void open_pair(pair *p, const pk_geometry *a, const pk_geometry *b)
{
  memset(p, 0, sizeof *p);
  for (int i = 0; i < 2; i++) {
    p->surface[i] = pk_compliance_default();
    p->side[i] = (pki_soft_side){i == 0 ? a : b, pk_pose_identity(), &p->surface[i]};
  }
  pki_arena arena = pki_arena_over(NULL, 0);
  pki_patch_carve(&p->patch, pki_patch_room(a, b), &arena);
  const size_t size = arena.used;
  p->memory = pki_aligned_alloc(size);
  memset(p->memory, 0xff, size);
  arena = pki_arena_over(p->memory, size);
  pki_patch_carve(&p->patch, pki_patch_room(a, b), &arena);
  p->scratch = pki_aligned_alloc(pki_patch_scratch(a, b) + 64);
}

static void close_pair(pair *p)
{
  pki_aligned_free(p->memory);
  pki_aligned_free(p->scratch);
}

static int find(pair *p)
{
  pk_error err = {.message = ""};
  if (pki_patch_supports(&p->side[0], &p->side[1], &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return pki_patch_find(&p->side[0], &p->side[1], p->scratch, &p->patch);
}

static pki_press press(pair *p, const double twist[6], double dt)
{
  pki_press out;
  memset(&out, 0xff, sizeof out);
  pki_patch_press(&p->patch, twist, dt, true, &out, NULL);
  return out;
}

static const double still[6] = {0, 0, 0, 0, 0, 0};

/* ---- closed forms ---- */

static void a_flat_sole_presses_with_stiffness_times_area_times_depth(void **state)
{
  (void)state;
  const double half[3] = {0.1, 0.05, 0.02}, depth = 3e-4, K = 1e7 / 0.005 / 2;
  soft_mesh mesh = soft_brick(half, 8);
  pk_geometry *brick = soft_geometry(&mesh), *plane = shape(PK_SHAPE_PLANE, 0, 0, 0);
  pair p;
  open_pair(&p, brick, plane);
  p.side[0].pose.pos[2] = half[2] - depth;
  assert_true(find(&p) > 0);
  const pki_press at_rest = press(&p, still, 0);
  const double force = K * 0.2 * 0.1 * depth;
  assert_near(at_rest.wrench[5], force, 1e-12 * force);
  assert_near(at_rest.normal_force, force, 1e-12 * force);
  assert_near(at_rest.energy, 0.5 * force * depth, 1e-12 * force * depth);
  assert_near(at_rest.wrench[3], 0, 1e-12 * force);
  /* approaching, and a step ahead */
  const double down[6] = {0, 0, 0, 0, 0, -0.1}, dt = 1e-3;
  const pki_press moving = press(&p, down, 0);
  assert_near(moving.wrench[5], force * 1.05, 1e-12 * force);
  assert_near(moving.power, force * 0.05 * 0.1, 1e-12 * force);
  const pki_press ahead = press(&p, down, dt);
  assert_near(ahead.wrench[5], K * 0.02 * (depth + 1e-4) * 1.05, 1e-12 * force);
  assert_near(ahead.slope[35], K * 0.02 * (dt * 1.05 + 0.5 * (depth + 1e-4)), 1e-11 * force);
  close_pair(&p);
  pk_geometry_destroy(brick);
  pk_geometry_destroy(plane);
  soft_mesh_free(&mesh);
}

/* A depth field of a sphere pressed into a plane: the volume of the cap, pi R g^2, whatever is of third order. */
static double ball_on_plane_error(int levels, double depth)
{
  const double R = 0.1, K = 1e9;
  soft_mesh mesh = soft_ball(R, levels);
  pk_geometry *ball = soft_geometry(&mesh), *plane = shape(PK_SHAPE_PLANE, 0, 0, 0);
  pair p;
  open_pair(&p, ball, plane);
  p.side[0].pose.pos[2] = R - depth;
  p.surface[0].law = p.surface[1].law = PK_COMPLIANCE_LAW_ELASTIC_MESH;
  p.surface[0].stiffness = p.surface[1].stiffness = K;
  find(&p);
  /* springs stand on the sphere's area: int (z - (R - g)) dA = pi R g^2 exactly, by Archimedes */
  const double error = press(&p, still, 0).wrench[5] / (K * PI * R * depth * depth) - 1;
  close_pair(&p);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(plane);
  soft_mesh_free(&mesh);
  return error;
}

static void a_fine_ball_presses_as_its_cap_says(void **state)
{
  (void)state;
  const double coarse = fabs(ball_on_plane_error(3, 0.02)), middle = fabs(ball_on_plane_error(4, 0.02)),
               fine = fabs(ball_on_plane_error(5, 0.02));
  print_message("ball on plane: %.3g, %.3g, %.3g\n", coarse, middle, fine);
  assert_less(fine, 3e-3);
  assert_less(middle, 0.5 * coarse);
  assert_less(fine, 0.5 * middle);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flat_sole_presses_with_stiffness_times_area_times_depth),
      cmocka_unit_test(a_fine_ball_presses_as_its_cap_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
