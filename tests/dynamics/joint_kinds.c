/* Joint kinds that the library does not have, from rows of the table alone (support/toy_joints.c), against closed forms. */
#include "model/pose_help.h"
#include "support/toy_joints.h"

/* An arm on a base that is fixed in the world, gravity along -z. */
static pk_model *arm(int kind, const double axis[3], const pk_pose *origin, const pk_inertia *inertia)
{
  world w = {.parts = {{.robot = pk_robot_desc_default()}}, .nparts = 1, .gravity = {0, 0, -9.81}};
  part *p = &w.parts[0];
  p->robot.root = PK_ROOT_FIXED;
  add_link(p, "base"), add_link(p, "arm")->inertia = *inertia;
  pk_joint_desc *joint = add_joint(p, "j", (pk_joint_kind)kind, "base", "arm");
  memcpy(joint->axis, axis, sizeof joint->axis);
  joint->origin = *origin;
  return compile(&w);
}

/* ---- where the arm is ---- */

/* The arm's pose in the joint frame; x, y, z is a right-handed frame that begins with the axis. */
static pk_pose expected_pose(int kind, const double *x, const double *y, const double *z, const double *q)
{
  switch (kind) {
  case TOY_SCREW: return compose(turned(x, q[0]), shifted(x, TOY_PITCH * q[0]));
  case TOY_UNIVERSAL: return compose(turned(x, q[0]), turned(y, q[1]));
  case TOY_CYLINDRICAL: return compose(shifted(x, q[0]), turned(x, q[1]));
  default: return compose(compose(turned(y, q[0]), turned(z, 2 * q[1])), turned(y, q[0]));
  }
}

static void the_arm_is_where_the_parts_put_it(void **state)
{
  (void)state;
  const pk_inertia inertia = sound_inertia();
  pki_random rng = pki_random_seeded(21);
  for (int round = 0; round < 200; round++) {
    /* the axis may be negative; the axes after it are the joint frame's own */
    const int kind = TOY_SCREW + round % 4, k = round / 4 % 3;
    double axes[3][3] = {{0}};
    axes[0][k] = round % 8 < 4 ? 1 : -1, axes[1][(k + 1) % 3] = axes[2][(k + 2) % 3] = 1;
    const pk_pose origin = some_pose(&rng);
    pk_model *m = arm(kind, axes[0], &origin, &inertia);
    pk_workspace *w = NULL;
    assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
    const double q[2] = {pki_random_between(&rng, -3, 3), pki_random_between(&rng, -3, 3)};
    const double u[2] = {0, 0};
    pk_kinematics_compute(w, q, u);
    const pk_pose found = pk_link_pose(w, pk_model_find_link(m, "arm"));
    assert_pose(found, compose(origin, expected_pose(kind, axes[0], axes[1], axes[2], q)));
    pk_workspace_destroy(w);
    pk_model_destroy(m);
  }
}

static void an_axis_in_any_direction_serves(void **state)
{
  (void)state;
  const pk_inertia inertia = sound_inertia();
  pki_random rng = pki_random_seeded(22);
  for (int round = 0; round < 100; round++) {
    const int kind = round % 2 ? TOY_SCREW : TOY_CYLINDRICAL;
    const double axis[3] = {pki_random_between(&rng, -1, 1), pki_random_between(&rng, -1, 1),
                            pki_random_between(&rng, -1, 1)};
    const pk_pose origin = some_pose(&rng);
    pk_model *m = arm(kind, axis, &origin, &inertia);
    pk_workspace *w = NULL;
    assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
    const double q[2] = {pki_random_between(&rng, -3, 3), pki_random_between(&rng, -3, 3)};
    const double u[2] = {pki_random_between(&rng, -3, 3), pki_random_between(&rng, -3, 3)};
    pk_kinematics_compute(w, q, u);
    const int link = pk_model_find_link(m, "arm");
    assert_pose(pk_link_pose(w, link), compose(origin, expected_pose(kind, axis, NULL, NULL, q)));
    /* turn and travel go along the axis, which the arm keeps */
    const double turn = kind == TOY_SCREW ? u[0] : u[1], travel = kind == TOY_SCREW ? TOY_PITCH * u[0] : u[0];
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double v[6];
    pk_link_velocity(w, link, v);
    for (int i = 0; i < 3; i++) {
      assert_near(v[i], turn * axis[i] / length, 1e-14);
      assert_near(v[3 + i], travel * axis[i] / length, 1e-14);
    }
    pk_workspace_destroy(w);
    pk_model_destroy(m);
  }
}

/* ---- how it moves ---- */

/* Forward and inverse dynamics against a mass matrix and forces that were written down. */
static void check_dynamics(const pk_model *m, const double *q, const double *u, const double *M,
                           const double *h)
{
  const int n = m->nu;
  pk_workspace *w = NULL;
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  double found[4], force[2], expected[2];
  const double a[2] = {0.7, -1.3};
  pk_mass_matrix(w, q, found);
  assert_all_near(found, M, n * n, 1e-14);
  pk_inverse_dynamics(w, q, u, NULL, force);
  assert_all_near(force, h, n, 1e-13);
  for (int i = 0; i < n; i++) {
    expected[i] = h[i];
    for (int j = 0; j < n; j++) {
      expected[i] += M[n * i + j] * a[j];
    }
  }
  pk_inverse_dynamics(w, q, u, a, force);
  assert_all_near(force, expected, n, 1e-13);
  for (int method = 0; method < PK_DYNAMICS_METHOD_COUNT; method++) {
    double back[2];
    const pk_status status = pk_forward_dynamics(w, (pk_dynamics_method)method, q, u, expected, back);
    if (method == PK_DYNAMICS_METHOD_ABA &&
        m->has_mimic) { /* parts that share a coordinate, as followers do */
      assert_int_equal(status, PK_ERROR_UNSUPPORTED);
      continue;
    }
    assert_int_equal(status, PK_OK);
    assert_all_near(back, a, n, 1e-12);
  }
  pk_workspace_destroy(w);
}

/* A nut on an upright screw: T = (C + m p^2) u^2 / 2, V = m g p q. */
static void a_nut_weighs_on_its_thread(void **state)
{
  (void)state;
  const pk_inertia nut = {.mass = 2, .com = {0, 0, 0.1}, .moment = {0.3, 0, 0, 0.32, 0, 0.05}};
  const pk_pose origin = pk_pose_identity();
  for (int sign = -1; sign <= 1; sign += 2) {
    pk_model *m = arm(TOY_SCREW, (const double[3]){0, 0, sign}, &origin, &nut);
    const double M = 0.05 + 2 * TOY_PITCH * TOY_PITCH, h = sign * 2 * 9.81 * TOY_PITCH;
    check_dynamics(m, (const double[1]){0.8}, (const double[1]){5}, &M, &h);
    pk_model_destroy(m);
  }
}

/* A body of moments A, B, C in a cross: with R = Rz(a) Rx(b) its angular velocity is (b', a' sin b, a' cos b), so that
 * T = (A b'^2 + (B sin^2 b + C cos^2 b) a'^2) / 2. */
static void a_body_in_a_cross_has_its_textbook_equations(void **state)
{
  (void)state;
  const double A = 0.3, B = 0.7, C = 0.45;
  const pk_inertia body = {.mass = 1.5, .moment = {A, 0, 0, B, 0, C}};
  const pk_pose origin = pk_pose_identity();
  pk_model *m = arm(TOY_UNIVERSAL, (const double[3]){0, 0, 1}, &origin, &body);
  pki_random rng = pki_random_seeded(23);
  for (int round = 0; round < 50; round++) {
    const double q[2] = {pki_random_between(&rng, -3, 3), pki_random_between(&rng, -3, 3)};
    const double u[2] = {pki_random_between(&rng, -3, 3), pki_random_between(&rng, -3, 3)};
    const double s = sin(q[1]), c = cos(q[1]);
    const double M[4] = {B * s * s + C * c * c, 0, 0, A};
    const double h[2] = {2 * (B - C) * s * c * u[0] * u[1], -(B - C) * s * c * u[0] * u[0]};
    check_dynamics(m, q, u, M, h);
  }
  pk_model_destroy(m);
}

/* Travel and turn do not meet when the centre of mass lies on the axis. */
static void a_piston_turns_and_travels(void **state)
{
  (void)state;
  const pk_inertia piston = {.mass = 2, .com = {0, 0, 0.1}, .moment = {0.3, 0, 0, 0.32, 0, 0.05}};
  const pk_pose origin = pk_pose_identity();
  pk_model *m = arm(TOY_CYLINDRICAL, (const double[3]){0, 0, 1}, &origin, &piston);
  check_dynamics(m, (const double[2]){0.3, -2}, (const double[2]){1, 4}, (const double[4]){2, 0, 0, 0.05},
                 (const double[2]){2 * 9.81, 0});
  pk_model_destroy(m);
}

/* With R = Ry(a) Rz(2b) Ry(a) about its centre a body of three equal moments C has T = C |w|^2 / 2, where
 * w = R' dR: the squares of both turns about y, 2 C (1 + cos 2b), and of that about z, 4 C. */
static void a_ball_in_a_homokinetic_joint_has_its_textbook_inertia(void **state)
{
  (void)state;
  const double C = 0.4;
  const pk_inertia ball = {.mass = 1, .moment = {C, 0, 0, C, 0, C}};
  const pk_pose origin = pk_pose_identity();
  pk_model *m = arm(TOY_HOMOKINETIC, (const double[3]){1, 0, 0}, &origin, &ball);
  for (int round = 0; round < 20; round++) {
    const double b = 0.1 * round, q[2] = {0.4 - 0.2 * round, b}, u[2] = {1.1, -0.6};
    const double M[4] = {2 * C * (1 + cos(2 * b)), 0, 0, 4 * C};
    /* Lagrange: dM/db = -4 C sin 2b */
    const double h[2] = {-4 * C * sin(2 * b) * u[0] * u[1], 2 * C * sin(2 * b) * u[0] * u[0]};
    check_dynamics(m, q, u, M, h);
  }
  pk_model_destroy(m);
}

/* A coordinate that several parts share moves once. */
static void shared_coordinates_add_up_once(void **state)
{
  (void)state;
  const pk_inertia inertia = sound_inertia();
  const pk_pose origin = pk_pose_identity();
  pk_model *m = arm(TOY_HOMOKINETIC, (const double[3]){0, 1, 0}, &origin, &inertia);
  double q[2] = {0.1, 0.2}, difference[2];
  const double start[2] = {0.1, 0.2}, v[2] = {0.5, -0.25};
  pk_config_add(m, q, v, q);
  assert_near(q[0], 0.6, 1e-16);
  assert_near(q[1], -0.05, 1e-16);
  pk_config_subtract(m, q, start, difference);
  assert_all_near(difference, v, 2, 1e-16);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_arm_is_where_the_parts_put_it),
      cmocka_unit_test(an_axis_in_any_direction_serves),
      cmocka_unit_test(a_nut_weighs_on_its_thread),
      cmocka_unit_test(a_body_in_a_cross_has_its_textbook_equations),
      cmocka_unit_test(a_piston_turns_and_travels),
      cmocka_unit_test(a_ball_in_a_homokinetic_joint_has_its_textbook_inertia),
      cmocka_unit_test(shared_coordinates_add_up_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
