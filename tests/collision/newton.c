/* The last digits of round shapes against closed forms, and how few steps they take. */
#include "collision/help.h"
#include "collision/narrow/minkowski.h"
#include "support/bounds.h"
#include "support/pace.h"

static pk_geometry *make(pk_shape_kind kind, double x, double y, double z)
{
  pk_geometry *g;
  pk_error err;
  const pk_geometry_desc desc = {.kind = kind, .size = {x, y, z}};
  assert_int_equal(pk_geometry_create(&desc, &g, &err), PK_OK);
  return g;
}

/* shape_point.c solves for the root of one function: nothing in common with this. */
static void a_point_is_as_far_from_round_shapes_as_its_closed_form_says(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  pk_geometry *shape[3] = {make(PK_SHAPE_ELLIPSOID, 0.5, 0.3, 0.2), make(PK_SHAPE_CYLINDER, 0.4, 0.6, 0),
                           make(PK_SHAPE_CONE, 0.4, 0.7, 0)};
  int inside = 0;
  for (int n = 0; n < PACE(3000, 300); n++) {
    const pk_geometry *g = shape[n % 3];
    const double origin[3] = {0};
    const pk_pose pose = random_pose(&rng, 0.3), at = random_pose(&rng, 0.3);
    const pki_convex a = pki_convex_of(g, &pose), b = pki_convex_points(origin, 1, &at);
    double local[3], distance, normal[3];
    pki_sub3(at.pos, pose.pos, local);
    pki_mat3_apply_transposed(pose.rot, local, local);
    assert_true(pki_geometry_point(g, local, INFINITY, &distance, normal));
    pk_proximity p;
    assert_true(pki_gjk_distance(&a, &b, INFINITY, &p));
    assert_near(p.distance, distance, 1e-14);
    if (fabs(distance) > 1e-3 && distance > 0) { /* from b to a; inside several ways may be as short */
      pki_mat3_apply(pose.rot, normal, normal);
      assert_near3(p.normal, V3(-normal[0], -normal[1], -normal[2]), 1e-11);
    }
    inside += distance < 0;
  }
  assert_greater(inside, PACE(300, 30));
  for (int k = 0; k < 3; k++) {
    pk_geometry_destroy(shape[k]);
  }
}

/* Cylinders whose axes cross at a right angle: both touch along lines, so that two pieces of each hold the answer. */
static void crossed_cylinders_are_as_far_as_their_axes_less_their_radii(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  pk_geometry *a = make(PK_SHAPE_CYLINDER, 0.25, 2, 0), *b = make(PK_SHAPE_CYLINDER, 0.125, 3, 0);
  for (int n = 0; n < PACE(300, 30); n++) {
    const double height = pki_random_between(&rng, 0.2, 1);
    const pk_pose turn = random_pose(&rng, 1);
    const pk_pose upright = {.rot = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const double x = pki_random_between(&rng, -0.9, 0.9), z = pki_random_between(&rng, -0.9, 0.9);
    pk_pose lying = {.pos = {x, height, z}, .rot = {0, 0, 1, 1, 0, 0, 0, 1, 0}}; /* its z is x */
    pk_pose pa = upright, pb;
    pki_mat3_mul(turn.rot, upright.rot, pa.rot);
    memcpy(pa.pos, turn.pos, sizeof pa.pos);
    pki_mat3_mul(turn.rot, lying.rot, pb.rot);
    pki_mat3_apply(turn.rot, lying.pos, pb.pos);
    pki_along3(pb.pos, 1, turn.pos, pb.pos);
    const pki_convex ca = pki_convex_of(a, &pa), cb = pki_convex_of(b, &pb);
    pk_proximity p;
    assert_true(pki_gjk_distance(&ca, &cb, INFINITY, &p));
    double across[3];
    pki_mat3_apply(turn.rot, V3(0, -1, 0), across);
    assert_near(p.distance, height - 0.375, 1e-14);
    assert_near3(p.normal, across, 1e-12);
  }
  pk_geometry_destroy(a);
  pk_geometry_destroy(b);
}

static void round_shapes_apart_take_few_steps(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  pk_geometry *shape[3] = {make(PK_SHAPE_ELLIPSOID, 0.5, 0.3, 0.2), make(PK_SHAPE_CYLINDER, 0.4, 0.6, 0),
                           make(PK_SHAPE_CONE, 0.4, 0.7, 0)};
  int steps = 0, count = 0;
  for (int n = 0; n < PACE(3000, 300); n++) {
    const pk_pose pa = random_pose(&rng, 1), pb = random_pose(&rng, 1);
    const pki_convex a = pki_convex_of(shape[n % 3], &pa), b = pki_convex_of(shape[n / 3 % 3], &pb);
    pki_difference d;
    pki_gjk_result r;
    pki_difference_make(&a, &b, &d);
    if (pki_gjk_run(&d, d.apart, INFINITY, &r) == PKI_GJK_APART) {
      steps += r.steps, count++;
    }
  }
  assert_greater(count, PACE(500, 50));
  assert_less(steps, 6 * count); /* without Newton's steps: about 20 each */
  for (int k = 0; k < 3; k++) {
    pk_geometry_destroy(shape[k]);
  }
}

/* Two ways out of nearly one direction, of a vertex and of an edge of the box, differ by 1e-5: the first that is found must
 * not hide the other. */
static void of_two_ways_out_side_by_side_the_shorter_is_taken(void **state)
{
  (void)state;
  pk_geometry *cone = make(PK_SHAPE_CONE, 0.74827111535306889, 0.83607684611110811, 0);
  pk_geometry *box = make(PK_SHAPE_BOX, 0.68702030696395777, 0.27001288381646177, 0.4183973582335086);
  const pk_pose one = {.pos = {0.47794011328907926, 0.57293973051538094, -0.266351003755116},
                       .rot = {0.88136891948853135, -0.39383596744479421, 0.26092538877319282,
                               -0.095148227694797249, 0.39300948443920913, 0.91459846922426369,
                               -0.46274792546931837, -0.83092525288839925, 0.3089135503440924}};
  const pk_pose two = {.pos = {0.60904537227399125, 0.55127380990622354, -1.2007521496510483},
                       .rot = {-0.11904758400752002, 0.48224531372592933, 0.86790963246835362,
                               -0.81304022702918655, -0.54908579805957469, 0.19357266233021944,
                               0.56990636246167781, -0.68260108684257181, 0.45745217702732421}};
  const pki_convex a = pki_convex_of(cone, &one), b = pki_convex_of(box, &two);
  pk_proximity p;
  assert_true(pki_gjk_distance(&a, &b, INFINITY, &p));
  assert_near(p.distance, -0.162102413360297, 1e-12); /* the other: 0.162112790923115 */
  pk_geometry_destroy(cone);
  pk_geometry_destroy(box);
}

static void corners_that_lead_nowhere_are_refused(void **state)
{
  (void)state;
  pk_geometry *box = make(PK_SHAPE_BOX, 2, 2, 2), *ball = make(PK_SHAPE_ELLIPSOID, 1, 1, 1);
  const pk_pose here = {.rot = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  pk_pose above = here;
  above.pos[2] = 3;
  const pki_convex a = pki_convex_of(ball, &above), b = pki_convex_of(box, &here);
  pki_difference d;
  pki_difference_make(&a, &b, &d);
  pki_corner c;
  pki_difference_support(&d, V3(0.8, 0, 0.6), &c);
  const pki_corner *const corner[1] = {&c};
  pki_least least;
  /* a ball over the middle of a face: one vertex of the box is not enough, and along the axis four are equally far */
  if (pki_least_find(&d, corner, 1, V3(0.8, 0, 0.6), 4, &least)) {
    assert_near(least.h, -1, 1e-14);
  }
  pk_proximity p;
  assert_true(pki_gjk_distance(&a, &b, INFINITY, &p));
  assert_near(p.distance, 1, 1e-14);
  assert_near3(p.normal, V3(0, 0, 1), 1e-12);
  pk_geometry_destroy(box);
  pk_geometry_destroy(ball);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_is_as_far_from_round_shapes_as_its_closed_form_says),
      cmocka_unit_test(crossed_cylinders_are_as_far_as_their_axes_less_their_radii),
      cmocka_unit_test(round_shapes_apart_take_few_steps),
      cmocka_unit_test(of_two_ways_out_side_by_side_the_shorter_is_taken),
      cmocka_unit_test(corners_that_lead_nowhere_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
