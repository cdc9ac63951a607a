/* From descriptions to bodies: masses merged, axes aligned, roots chosen. */
#include "model/pose_help.h"

/* ---- masses ---- */

enum { POINTS = 12 };

/* Point masses in a link's frame, and the link's inertia that they make. */
typedef struct cloud {
  double mass[POINTS], at[POINTS][3];
} cloud;

static cloud some_cloud(pki_random *rng)
{
  cloud c;
  for (int i = 0; i < POINTS; i++) {
    c.mass[i] = pki_random_between(rng, 0.1, 1);
    for (int k = 0; k < 3; k++) {
      c.at[i][k] = pki_random_between(rng, -0.5, 0.5);
    }
  }
  return c;
}

/* m, m c, I about the origin, of a cloud moved by a pose. */
static void cloud_sums(const cloud *c, pk_pose pose, double sums[10])
{
  for (int i = 0; i < POINTS; i++) {
    double x[3];
    for (int k = 0; k < 3; k++) {
      x[k] = pose.pos[k];
      for (int e = 0; e < 3; e++) {
        x[k] += pose.rot[3 * k + e] * c->at[i][e];
      }
    }
    const double terms[10] = {1,
                              x[0],
                              x[1],
                              x[2],
                              x[1] * x[1] + x[2] * x[2],
                              -x[0] * x[1],
                              -x[0] * x[2],
                              x[0] * x[0] + x[2] * x[2],
                              -x[1] * x[2],
                              x[0] * x[0] + x[1] * x[1]};
    for (int e = 0; e < 10; e++) {
      sums[e] += c->mass[i] * terms[e];
    }
  }
}

static pk_inertia cloud_inertia(const cloud *c)
{
  double sums[10] = {0}, moments[10] = {0};
  cloud_sums(c, pk_pose_identity(), sums);
  pk_inertia in = {.mass = sums[0], .com = {sums[1] / sums[0], sums[2] / sums[0], sums[3] / sums[0]}};
  pk_pose centred = pk_pose_identity();
  for (int k = 0; k < 3; k++) {
    centred.pos[k] = -in.com[k];
  }
  cloud_sums(c, centred, moments);
  memcpy(in.moment, moments + 4, sizeof in.moment);
  return in;
}

static void welded_links_weigh_what_their_points_weigh(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  for (int round = 0; round < 100; round++) {
    world w = one_robot();
    part *p = &w.parts[0];
    cloud clouds[3];
    pk_pose poses[3] = {pk_pose_identity(), some_pose(&rng), some_pose(&rng)};
    double expected[10] = {0};
    for (int i = 0; i < 3; i++) {
      clouds[i] = some_cloud(&rng);
      p->links[i].inertia = cloud_inertia(&clouds[i]);
    }
    for (int i = 1; i < 3; i++) {
      p->joints[i - 1].kind = PK_JOINT_FIXED;
      p->joints[i - 1].origin = poses[i];
    }
    poses[2] = compose(poses[1], poses[2]);
    for (int i = 0; i < 3; i++) {
      cloud_sums(&clouds[i], poses[i], expected);
    }
    pk_model *m = compile(&w);
    assert_int_equal(m->nbody, 1);
    assert_all_near(m->body_inertia, expected, 10, 1e-13);
    assert_near(m->mass, expected[0], 1e-13);
    assert_near(m->robots[0].mass, expected[0], 1e-13);
    for (int i = 0; i < 3; i++) {
      assert_int_equal(m->links[i].body, 0);
      assert_pose(m->links[i].pose, poses[i]);
      assert_memory_equal(&m->links[i].inertia, &p->links[i].inertia, sizeof(pk_inertia)); /* as described */
    }
    pk_model_destroy(m);
  }
}

/* On a skew axis the body's frame is turned: its inertia turns along. */
static void masses_on_skew_axes_are_seen_from_the_aligned_frame(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(2);
  for (int round = 0; round < 100; round++) {
    world w = one_robot();
    part *p = &w.parts[0];
    p->njoint = 1, p->nlink = 2, p->robot.root = PK_ROOT_FIXED;
    for (int k = 0; k < 3; k++) {
      p->joints[0].axis[k] = pki_random_between(&rng, -1, 1);
    }
    const cloud c = some_cloud(&rng);
    p->links[1].inertia = cloud_inertia(&c);
    pk_model *m = compile(&w);
    double expected[10] = {0};
    cloud_sums(&c, m->links[1].pose, expected);
    assert_all_near(m->body_inertia, expected, 10, 1e-14);
    pk_model_destroy(m);
  }
}

static void what_is_welded_to_the_world_has_no_body(void **state)
{
  (void)state;
  world w = one_robot();
  part *p = &w.parts[0];
  pki_random rng = pki_random_seeded(3);
  p->robot.root = PK_ROOT_FIXED, p->robot.pose = some_pose(&rng);
  p->joints[0].kind = PK_JOINT_FIXED, p->joints[0].origin = some_pose(&rng);
  p->shapes[p->nshape++] =
      (pk_shape_desc){.link = "b", .kind = PK_SHAPE_SPHERE, .size = {1}, .pose = some_pose(&rng)};
  pk_model *m = compile(&w);
  assert_int_equal(m->nbody, 1);
  assert_int_equal(m->links[0].body, -1);
  assert_int_equal(m->links[1].body, -1);
  assert_int_equal(m->links[2].body, 0);
  assert_int_equal(m->body_parent[0], -1);
  assert_near(m->mass, 1, 0); /* only what moves */
  const pk_pose b = compose(p->robot.pose, p->joints[0].origin);
  assert_pose(m->links[1].pose, b);
  assert_pose(pose_at(m, m->q0, "b"), b);
  assert_int_equal(m->shapes[0].body, -1);
  assert_pose(m->shapes[0].pose, compose(b, p->shapes[0].pose));
  pk_model_destroy(m);
}

/* ---- joints ---- */

/* A fixed root at some pose, and one joint of a kind, with its axis, at some pose. */
static world one_joint(pki_random *rng, pk_joint_kind kind, const double axis[3])
{
  world w = one_robot();
  part *p = &w.parts[0];
  p->robot.root = PK_ROOT_FIXED, p->robot.pose = some_pose(rng);
  p->nlink = 2, p->njoint = 1;
  p->joints[0].kind = kind, p->joints[0].origin = some_pose(rng);
  memcpy(p->joints[0].axis, axis, sizeof p->joints[0].axis);
  return w;
}

static const double axes[][3] = {{1, 0, 0},        {0, 1, 0},         {0, 0, 1},    {-1, 0, 0},
                                 {0, -2, 0},       {0, 0, -3},        {1, 2, 3},    {-0.3, 0.4, 0.1},
                                 {1e-9, 1, 0},     {0, 1e-5, 1e-5},   {1, 1, 1},    {-1, 1, -1},
                                 {1e-7, 0, -1e-7}, {0.6, 0.8, 1e-12}, {5, 0, -1e-3}};
enum { AXES = sizeof axes / sizeof axes[0] };

static void hinges_turn_about_their_axis(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  for (int a = 0; a < AXES; a++) {
    const world w = one_joint(&rng, PK_JOINT_CONTINUOUS, axes[a]);
    pk_model *m = compile(&w);
    const pk_pose base = compose(w.parts[0].robot.pose, w.parts[0].joints[0].origin);
    for (double q = -4; q < 4; q += 0.37) {
      assert_pose(pose_at(m, &q, "b"), compose(base, turned(axes[a], q)));
    }
    pk_model_destroy(m);
  }
}

static void slides_travel_along_their_axis(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  for (int a = 0; a < AXES; a++) {
    const world w = one_joint(&rng, PK_JOINT_PRISMATIC, axes[a]);
    pk_model *m = compile(&w);
    const pk_pose base = compose(w.parts[0].robot.pose, w.parts[0].joints[0].origin);
    for (double q = -1; q < 1; q += 0.1) {
      assert_pose(pose_at(m, &q, "b"), compose(base, shifted(axes[a], q)));
    }
    pk_model_destroy(m);
  }
}

static void axes_along_a_coordinate_axis_keep_the_frame(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  const pk_pose identity = pk_pose_identity();
  for (int a = 0; a < 6; a++) {
    const world w = one_joint(&rng, PK_JOINT_CONTINUOUS, axes[a]);
    pk_model *m = compile(&w);
    assert_int_equal(m->body_axis[0], a % 3);
    assert_true(m->body_gain[0] == (a < 3 ? 1 : -1));
    assert_memory_equal(&m->links[1].pose, &identity, sizeof identity);
    assert_int_equal(m->body_turned[0], 1);
    pk_model_destroy(m);
  }
  world w = one_joint(&rng, PK_JOINT_CONTINUOUS, axes[6]);
  pk_model *m = compile(&w);
  assert_int_equal(m->body_axis[0], 2);
  assert_true(m->body_gain[0] == 1);
  const double length = sqrt(14), unit[3] = {1 / length, 2 / length, 3 / length};
  assert_all_near(m->joints[0].axis, unit, 3, 2e-16);
  pk_model_destroy(m);
  /* a frame that is not turned is marked as such */
  w.parts[0].robot.pose = w.parts[0].joints[0].origin = identity;
  memcpy(w.parts[0].joints[0].axis, axes[0], sizeof axes[0]);
  m = compile(&w);
  assert_int_equal(m->body_turned[0], 0);
  pk_model_destroy(m);
}

static void the_length_of_an_axis_does_not_matter(void **state)
{
  (void)state;
  static const double lengths[] = {1, 1e-13, 1e-320, 1e200, 1.7e308};
  static const double unit[3] = {0.70710678118654752, -0.70710678118654752, 0};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    world w = one_robot();
    w.parts[0].joints[0].axis[0] = lengths[i], w.parts[0].joints[0].axis[1] = -lengths[i];
    pk_model *m = compile(&w);
    assert_all_near(m->joints[0].axis, unit, 3, 2e-16);
    const double z[3] = {m->body_rot[9 + 2], m->body_rot[9 + 5], m->body_rot[9 + 8]};
    assert_all_near(z, unit, 3, 2e-16);
    pk_model_destroy(m);
  }
}

static void planar_joints_slide_in_their_plane_and_turn_about_its_normal(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  const double q[3] = {0.3, -0.7, 1.1};
  for (int a = 0; a < AXES; a++) {
    const world w = one_joint(&rng, PK_JOINT_PLANAR, axes[a]);
    pk_model *m = compile(&w);
    assert_int_equal(m->nbody, 3);
    assert_int_equal(m->nq, 3);
    assert_int_equal(m->nu, 3);
    assert_int_equal(m->joints[0].body, 2);
    assert_int_equal(m->body_link[0], -1); /* two massless helpers, then the link */
    assert_int_equal(m->body_link[1], -1);
    assert_int_equal(m->body_link[2], 1);
    assert_true(m->body_inertia[0] == 0 && m->body_inertia[10] == 0 && m->body_inertia[20] == 1);
    const pk_pose base = compose(w.parts[0].robot.pose, w.parts[0].joints[0].origin);
    double shift[3][3]; /* in the joint frame, for each coordinate alone */
    for (int k = 0; k < 3; k++) {
      double one[3] = {0, 0, 0};
      one[k] = q[k];
      const pk_pose pose = pose_at(m, one, "b");
      for (int i = 0; i < 3; i++) {
        shift[k][i] = 0;
        for (int e = 0; e < 3; e++) {
          shift[k][i] += base.rot[3 * e + i] * (pose.pos[e] - base.pos[e]);
        }
      }
    }
    /* the travels are orthogonal, of the right length, and normal to the axis */
    const double length = sqrt(axes[a][0] * axes[a][0] + axes[a][1] * axes[a][1] + axes[a][2] * axes[a][2]);
    double dot01 = 0, dot0 = 0, dot1 = 0, norm0 = 0, norm1 = 0;
    for (int i = 0; i < 3; i++) {
      dot01 += shift[0][i] * shift[1][i];
      dot0 += shift[0][i] * axes[a][i] / length, dot1 += shift[1][i] * axes[a][i] / length;
      norm0 += shift[0][i] * shift[0][i], norm1 += shift[1][i] * shift[1][i];
      assert_near(shift[2][i], 0, 1e-15);
    }
    assert_near(dot01, 0, 1e-15), assert_near(dot0, 0, 1e-15), assert_near(dot1, 0, 1e-15);
    assert_near(sqrt(norm0), 0.3, 1e-15), assert_near(sqrt(norm1), 0.7, 1e-15);
    /* travel first, then turn */
    pk_pose travel = pk_pose_identity();
    for (int i = 0; i < 3; i++) {
      travel.pos[i] = shift[0][i] + shift[1][i];
      assert_near(a < 3 && i == (a + 1) % 3 ? shift[0][i] - 0.3 : 0, 0, 2e-15); /* y, z for x and so on */
      assert_near(a < 3 && i == (a + 2) % 3 ? shift[1][i] + 0.7 : 0, 0, 2e-15);
    }
    assert_pose(pose_at(m, q, "b"), compose(base, compose(travel, turned(axes[a], q[2]))));
    pk_model_destroy(m);
  }
}

/* Unit quaternion of a turn about `axis`. */
static void quaternion(const double axis[3], double angle, double q[4])
{
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  q[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) {
    q[1 + i] = sin(angle / 2) * axis[i] / length;
  }
}

static void balls_turn_and_floats_travel_by_their_quaternion(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(8);
  for (int a = 0; a < AXES; a++) {
    const double angle = 0.3 * a - 2;
    const double zero[3] = {0, 0, 0};
    for (int floating = 0; floating < 2; floating++) {
      const world w = one_joint(&rng, floating ? PK_JOINT_FLOATING : PK_JOINT_SPHERICAL, zero);
      pk_model *m = compile(&w);
      assert_int_equal(m->nbody, 1);
      assert_int_equal(m->nq, floating ? 7 : 4);
      assert_int_equal(m->nu, floating ? 6 : 3);
      assert_int_equal(m->dof_q[0], -1);
      assert_all_near(m->joints[0].axis, zero, 3, 0);
      assert_true(m->q0[floating ? 3 : 0] == 1); /* neutral */
      double q[7] = {0.5, -1.5, 2.5};
      pk_pose move = turned(axes[a], angle);
      quaternion(axes[a], angle, q + (floating ? 3 : 0));
      memcpy(move.pos, floating ? q : zero, sizeof move.pos);
      const pk_pose base = compose(w.parts[0].robot.pose, w.parts[0].joints[0].origin);
      assert_pose(pose_at(m, q, "b"), compose(base, move));
      pk_model_destroy(m);
    }
  }
}

static void shapes_sit_on_their_link_wherever_it_is_merged(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(9);
  world w = one_joint(&rng, PK_JOINT_CONTINUOUS, axes[6]);
  part *p = &w.parts[0];
  add_link(p, "tool");
  add_joint(p, "weld", PK_JOINT_FIXED, "b", "tool")->origin = some_pose(&rng);
  p->shapes[p->nshape++] = (pk_shape_desc){.link = "tool",
                                           .name = "tip",
                                           .kind = PK_SHAPE_BOX,
                                           .visual = true,
                                           .size = {1, 2, 3},
                                           .pose = some_pose(&rng),
                                           .rgba = {0.1, 0.2, 0.3, 0.4}};
  pk_model *m = compile(&w);
  assert_int_equal(m->nbody, 1);
  assert_int_equal(m->njoint, 1); /* fixed joints are gone */
  const pk_model_shape *shape = &m->shapes[0];
  assert_string_equal(shape->name, "tip");
  assert_int_equal(shape->link, 2);
  assert_int_equal(shape->body, 0);
  assert_int_equal(shape->kind, PK_SHAPE_BOX);
  assert_int_equal(shape->mesh, -1);
  assert_true(shape->visual);
  assert_true(shape->size[1] == 2 && shape->rgba[3] == 0.4);
  assert_pose(shape->pose, compose(m->links[2].pose, p->shapes[0].pose));
  const double q = 0.8;
  const pk_pose base = compose(p->robot.pose, p->joints[0].origin);
  assert_pose(pose_at(m, &q, "tool"), compose(base, compose(turned(axes[6], q), p->joints[1].origin)));
  pk_model_destroy(m);
}

/* ---- roots ---- */

static pk_root_kind root_of(const world *w)
{
  pk_model *m = compile(w);
  const pk_root_kind kind = m->robots[0].root;
  assert_int_equal(m->robots[0].root_link, 0);
  pk_model_destroy(m);
  return kind;
}

static void a_root_with_mass_and_two_limbs_is_free(void **state)
{
  (void)state;
  world w = one_robot();
  part *p = &w.parts[0];
  p->robot.root = PK_ROOT_AUTO;
  p->joints[1].parent = "a";
  assert_int_equal(root_of(&w), PK_ROOT_FREE);
  /* no mass, but a mass welded to it */
  p->links[0].inertia = (pk_inertia){0};
  p->joints[0].kind = PK_JOINT_FIXED;
  p->joints[1].kind = PK_JOINT_FIXED;
  assert_int_equal(root_of(&w), PK_ROOT_FREE);
}

static void a_root_is_fixed_without_mass_or_by_its_name(void **state)
{
  (void)state;
  world w = one_robot();
  part *p = &w.parts[0];
  p->robot.root = PK_ROOT_AUTO;
  p->links[0].inertia = (pk_inertia){0}; /* only what moves has mass */
  assert_int_equal(root_of(&w), PK_ROOT_FIXED);
  w = one_robot();
  p->robot.root = PK_ROOT_AUTO;
  p->links[0].name = p->joints[0].parent = "world";
  assert_int_equal(root_of(&w), PK_ROOT_FIXED);
  p->robot.prefix = "left_";
  assert_int_equal(root_of(&w), PK_ROOT_FIXED);
  p->robot.root = PK_ROOT_FREE; /* who asks is obeyed */
  assert_int_equal(root_of(&w), PK_ROOT_FREE);
}

static void roots_have_their_coordinates(void **state)
{
  (void)state;
  static const struct {
    pk_root_kind kind;
    int nbody, nq, nu;
  } rows[] = {{PK_ROOT_FIXED, 2, 2, 2}, {PK_ROOT_FREE, 3, 9, 8}, {PK_ROOT_CHAIN, 8, 8, 8}};
  for (int i = 0; i < 3; i++) {
    world w = one_robot();
    w.parts[0].robot.root = rows[i].kind;
    pk_model *m = compile(&w);
    assert_int_equal(m->nbody, rows[i].nbody);
    assert_int_equal(m->nq, rows[i].nq);
    assert_int_equal(m->nu, rows[i].nu);
    assert_int_equal(m->robots[0].nq, rows[i].nq);
    assert_int_equal(m->joints[0].u, rows[i].nu - 2);
    for (int u = 0; u < m->nu; u++) {
      const int joint = u - (m->nu - 2);
      assert_int_equal(m->dof_joint[u], joint >= 0 ? joint : -1);
      assert_int_equal(m->dof_q[u], joint >= 0 ? m->nq - 2 + joint : rows[i].kind == PK_ROOT_CHAIN ? u : -1);
    }
    pk_model_destroy(m);
  }
}

static void chain_roots_are_three_slides_and_three_hinges(void **state)
{
  (void)state;
  world w = one_robot();
  w.parts[0].robot.root = PK_ROOT_CHAIN;
  pk_model *m = compile(&w);
  for (int i = 0; i < 6; i++) {
    assert_int_equal(m->body_motion[i], i < 3 ? PK_MOTION_PRISMATIC : PK_MOTION_REVOLUTE);
    assert_int_equal(m->body_axis[i], i % 3);
    assert_int_equal(m->body_parent[i], i - 1);
    assert_int_equal(m->body_link[i], i < 5 ? -1 : 0);
    assert_true(m->body_inertia[10 * i] == (i < 5 ? 0 : 1));
  }
  pk_model_destroy(m);
}

static void every_root_starts_at_its_described_pose(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(10);
  const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, quarter = 1.57079632679489661923;
  pk_pose poses[60];
  for (int i = 0; i < 60; i++) {
    poses[i] = some_pose(&rng);
  }
  /* half turns, and turns at which the hinges of a chain root line up */
  poses[0] = pk_pose_identity();
  poses[1] = turned(x, 2 * quarter), poses[2] = turned(y, 2 * quarter),
  poses[3] = turned(axes[6], 2 * quarter);
  poses[4] = turned(y, quarter), poses[5] = turned(y, -quarter);
  for (int i = 0; i < 20; i++) {
    poses[6 + i] = compose(turned(x, 0.3 * i - 3), turned(y, i % 2 ? quarter : -quarter));
  }
  const double exact[9] = {0, 0, 1, 0.6, 0.8, 0, -0.8, 0.6, 0};
  memcpy(poses[26].rot, exact, sizeof exact);
  static const pk_root_kind kinds[3] = {PK_ROOT_FIXED, PK_ROOT_FREE, PK_ROOT_CHAIN};
  for (int i = 0; i < 180; i++) {
    world w = one_robot();
    w.parts[0].robot.root = kinds[i % 3], w.parts[0].robot.pose = poses[i / 3];
    pk_model *m = compile(&w);
    assert_pose(pose_at(m, m->q0, "a"), poses[i / 3]);
    pk_model_destroy(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(welded_links_weigh_what_their_points_weigh),
      cmocka_unit_test(masses_on_skew_axes_are_seen_from_the_aligned_frame),
      cmocka_unit_test(what_is_welded_to_the_world_has_no_body),
      cmocka_unit_test(hinges_turn_about_their_axis),
      cmocka_unit_test(slides_travel_along_their_axis),
      cmocka_unit_test(axes_along_a_coordinate_axis_keep_the_frame),
      cmocka_unit_test(the_length_of_an_axis_does_not_matter),
      cmocka_unit_test(planar_joints_slide_in_their_plane_and_turn_about_its_normal),
      cmocka_unit_test(balls_turn_and_floats_travel_by_their_quaternion),
      cmocka_unit_test(shapes_sit_on_their_link_wherever_it_is_merged),
      cmocka_unit_test(a_root_with_mass_and_two_limbs_is_free),
      cmocka_unit_test(a_root_is_fixed_without_mass_or_by_its_name),
      cmocka_unit_test(roots_have_their_coordinates),
      cmocka_unit_test(chain_roots_are_three_slides_and_three_hinges),
      cmocka_unit_test(every_root_starts_at_its_described_pose),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
