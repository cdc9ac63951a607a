/* Stability measures against closed forms. */
#include "stability/stances.h"

#include <string.h>

/* Two feet on the left side of a robot, one metre apart along x, at y = 0; the robot is at y = -0.3, 0.4 above. */
static const pk_stability_contact left_pair[2] = {
    {.point = {0.5, 0, 0}, .normal = {0, 0, 1}, .friction = 0.8, .foot = 0, .front = 1, .left = 1},
    {.point = {-0.5, 0, 0}, .normal = {0, 0, 1}, .friction = 0.8, .foot = 1, .front = -1, .left = 1}};

/* Right front and left rear: the diagonal is the line y = -x. A robot at (-d, -d)/sqrt 2 is a distance d before it. */
static const pk_stability_contact diagonal_pair[2] = {
    {.point = {0.5, -0.5, 0}, .normal = {0, 0, 1}, .friction = 0.8, .foot = 0, .front = 1, .left = -1},
    {.point = {-0.5, 0.5, 0}, .normal = {0, 0, 1}, .friction = 0.8, .foot = 1, .front = -1, .left = 1}};

static void put(double out[3], double x, double y, double z)
{
  out[0] = x, out[1] = y, out[2] = z;
}

/* ---- S_H ---- */

static void a_point_mass_tips_over_a_side_edge_at_its_reference_momentum(void **state)
{
  (void)state;
  pk_stability_input in = stance_of(10, left_pair, 2);
  put(in.com, 0, -0.3, 0.4);
  const pk_stability still = measures_of(&in, NULL);
  assert_int_equal(still.nedge, 1);
  assert_int_equal(still.edges[0].kind, PK_EDGE_KIND_SIDE);
  assert_int_equal(still.edges[0].branch, PK_EDGE_BRANCH_SIDE);
  assert_near(still.edges[0].r_h, 0.3, 1e-15);
  assert_near(still.edges[0].r_z, 0.4, 1e-15);
  assert_near(still.edges[0].H, 0, 1e-15);
  /* v_ref = sqrt(2 g (r - r_z)) = 1.4007141036 m/s */
  assert_near(still.edges[0].H_ref, 7.0035705180, 1e-9);
  assert_near(still.edges[0].H_ref / (10 * 0.5), 1.4007141036, 1e-9);
  /* 0.5 m/s outward: to the left */
  put(in.velocity, 0, 0.5, 0);
  const pk_stability pushed = measures_of(&in, NULL);
  assert_near(pushed.edges[0].H, 2, 1e-14);
  assert_near(pushed.s_h, 5.0035705180, 1e-9);
  assert_int_equal(pushed.s_h_edge, 0);
}

static void the_energy_of_the_reference_momentum_lifts_the_mass_over_the_edge(void **state)
{
  (void)state;
  pk_stability_input in = stance_of(10, left_pair, 2);
  put(in.com, 0, -0.3, 0.4);
  const pk_stability s = measures_of(&in, NULL);
  /* H_ref = r sqrt(2 m E), E = m g (r - r_z) */
  assert_near(s.edges[0].energy, 10 * G * 0.1, 1e-12);
  assert_near(0.5 * sqrt(2 * 10 * s.edges[0].energy), s.edges[0].H_ref, 1e-12);
}

static void a_robot_before_a_diagonal_edge_falls_back_below_its_reference_momentum(void **state)
{
  (void)state;
  const double d = 0.3 / sqrt(2), v = 1.5 / sqrt(2);
  pk_stability_options o = pk_stability_options_default();
  pk_stability_input in = stance_of(10, diagonal_pair, 2);
  put(in.com, -d, -d, 0.4);
  put(in.velocity, v, v, 0);
  const pk_stability s = measures_of(&in, &o);
  assert_int_equal(s.nedge, 1);
  assert_int_equal(s.edges[0].kind, PK_EDGE_KIND_DIAGONAL);
  assert_int_equal(s.edges[0].branch, PK_EDGE_BRANCH_BEFORE);
  assert_near(s.edges[0].H, 6, 1e-13);
  assert_near(s.edges[0].H_max, 8, 1e-13);
  assert_near(s.s_h, -1.0035705180, 1e-9);
  o.tip_direction = PK_TIP_DIRECTION_PERPENDICULAR;
  assert_near(measures_of(&in, &o).edges[0].H_max, 10, 1e-13);
  o.tip_speed = 3;
  assert_near(measures_of(&in, &o).edges[0].H_max, 15, 1e-13);
}

static void past_a_diagonal_edge_only_the_swing_leg_counts(void **state)
{
  (void)state;
  const double d = 0.1 / sqrt(2), v = 0.5 / sqrt(2);
  pk_stability_input in = stance_of(10, diagonal_pair, 2);
  put(in.com, d, d, 0.4);
  put(in.velocity, v, v, 0);
  const pk_stability s = measures_of(&in, NULL);
  assert_int_equal(s.edges[0].branch, PK_EDGE_BRANCH_PAST);
  assert_less(s.edges[0].H_ref, 0);
  assert_near(s.s_h, 8 - 2, 1e-13); /* H_max - H */
}

/* The index jumps by max(0, H_max - 2 H) where the centre of mass passes over the edge. */
static void the_index_jumps_where_the_mass_passes_a_diagonal_edge(void **state)
{
  (void)state;
  const double hair = 1e-13, v = 0.6 / sqrt(2);
  pk_stability_input in = stance_of(10, diagonal_pair, 2);
  put(in.velocity, v, v, 0);
  put(in.com, -hair, -hair, 0.4);
  const pk_stability before = measures_of(&in, NULL);
  put(in.com, hair, hair, 0.4);
  const pk_stability past = measures_of(&in, NULL);
  const double H = 10 * 0.4 * 0.6, H_max = 8;
  assert_int_equal(before.edges[0].branch, PK_EDGE_BRANCH_BEFORE);
  assert_int_equal(past.edges[0].branch, PK_EDGE_BRANCH_PAST);
  assert_near(past.s_h - before.s_h, H_max - 2 * H, 1e-9);
}

static void travelling_the_other_way_reverses_a_diagonal_edge(void **state)
{
  (void)state;
  const double d = 0.3 / sqrt(2);
  pk_stability_input in = stance_of(10, diagonal_pair, 2);
  put(in.com, -d, -d, 0.4);
  assert_int_equal(measures_of(&in, NULL).edges[0].branch, PK_EDGE_BRANCH_BEFORE);
  put(in.heading, -1, 0, 0);
  const pk_stability s = measures_of(&in, NULL);
  assert_int_equal(s.edges[0].branch, PK_EDGE_BRANCH_PAST);
  assert_near(s.edges[0].r_h, -0.3, 1e-14);
}

static void on_three_feet_the_third_one_says_what_a_diagonal_edge_counts(void **state)
{
  (void)state;
  /* the third foot, right rear, is behind the diagonal from right front to left rear; left front would be before it */
  const pk_stability_contact behind[3] = {diagonal_pair[0], diagonal_pair[1],
                                          ground_at(-0.5, -0.5, 0, 2, -1, -1)};
  const pk_stability_contact front[3] = {diagonal_pair[0], diagonal_pair[1], ground_at(0.5, 0.5, 0, 2, 1, 1)};
  const double v = 0.5 / sqrt(2);
  pk_stability_input in = stance_of(10, behind, 3);
  put(in.com, -0.2, -0.2, 0.4);
  put(in.velocity, v, v, 0);
  const pk_stability s = measures_of(&in, NULL);
  int diagonals = 0;
  for (int i = 0; i < s.nedge; i++) {
    if (s.edges[i].kind == PK_EDGE_KIND_DIAGONAL) {
      diagonals++;
      assert_int_equal(s.edges[i].branch, PK_EDGE_BRANCH_BEHIND);
      assert_near(s.edges[i].H, 2, 1e-13); /* outward is forward */
      assert_near(s.edges[i].s_h, 8 - 2, 1e-13);
    }
  }
  assert_int_equal(diagonals, 1);
  in.contacts = front;
  put(in.com, 0.2, 0.2, 0.4);
  const pk_stability t = measures_of(&in, NULL);
  for (int i = 0; i < t.nedge; i++) {
    if (t.edges[i].kind == PK_EDGE_KIND_DIAGONAL) {
      assert_int_equal(t.edges[i].branch, PK_EDGE_BRANCH_FRONT);
      assert_near(t.edges[i].H, -2, 1e-13); /* outward is backward */
      assert_near(t.edges[i].s_h, t.edges[i].H_ref + 2, 1e-13);
      assert_greater(t.edges[i].H_ref, 0);
    }
  }
}

static void a_foot_within_the_others_leaves_no_leg_to_catch_the_robot(void **state)
{
  (void)state;
  const pk_stability_contact feet[4] = {diagonal_pair[0], diagonal_pair[1],
                                        ground_at(-0.5, -0.5, 0, 2, -1, -1),
                                        ground_at(-0.1, -0.1, 0, 3, 1, 1)};
  pk_stability_input in = stance_of(10, feet, 4);
  put(in.com, -0.2, -0.2, 0.4);
  const pk_stability s = measures_of(&in, NULL);
  assert_int_equal(s.feet, 4);
  assert_int_equal(s.ncorner, 3);
  for (int i = 0; i < s.nedge; i++) {
    assert_int_equal(s.edges[i].branch, PK_EDGE_BRANCH_SIDE);
  }
}

/* A uniform block about its edge tips when its rotation energy lifts it: omega = 2.4261079943 rad/s. As a point mass it seems to need
 * less by sqrt(1 + I_c/(m r^2)) = 2/sqrt 3. */
static void a_block_needs_more_momentum_than_a_point_mass(void **state)
{
  (void)state;
  const double omega = 2.4261079943, m = 10, w = 0.6, h = 0.8, inertia = m * (w * w + h * h) / 12;
  pk_stability_input in = stance_of(m, left_pair, 2);
  put(in.com, 0, -0.3, 0.4);
  /* turning outward about the edge, which runs backward: about -x */
  put(in.velocity, 0, omega * 0.4, omega * 0.3);
  put(in.angular_momentum, -inertia * omega, 0, 0);
  const pk_stability s = measures_of(&in, NULL);
  assert_near(s.edges[0].H, 8.0870266477, 1e-8);
  assert_near(s.edges[0].H / s.edges[0].H_ref, 2 / sqrt(3), 1e-9);
}

static void the_reference_momentum_goes_through_zero_with_its_sign(void **state)
{
  (void)state;
  pk_stability_input in = stance_of(10, left_pair, 2);
  double last = INFINITY;
  for (int k = -5; k <= 5; k++) {
    put(in.com, 0, k * 1e-9, 0.4);
    const double H_ref = measures_of(&in, NULL).edges[0].H_ref;
    assert_near(H_ref, -10 * 0.4 * k * 1e-9 * sqrt(G / 0.4), 1e-20 + fabs(k * 1e-9) * 1e-7);
    assert_less(H_ref, last);
    last = H_ref;
  }
}

/* About an edge that climbs at an angle only g cos(angle) pulls, and the mass swings to its highest across the edge. */
static void an_inclined_edge_takes_the_part_of_the_weight_across_it(void **state)
{
  (void)state;
  const double c = cos(0.4), t = sin(0.4);
  pk_stability_contact feet[2] = {left_pair[0], left_pair[1]};
  put(feet[0].point, 0.5 * c, 0, 0.5 * t);
  put(feet[1].point, -0.5 * c, 0, -0.5 * t);
  pk_stability_input in = stance_of(10, feet, 2);
  put(in.com, -0.4 * t, -0.3, 0.4 * c); /* 0.3 beside the edge, 0.4 over it, across it */
  const pk_stability s = measures_of(&in, NULL);
  assert_near(s.edges[0].r_h, 0.3, 1e-15);
  assert_near(s.edges[0].r_z, 0.4, 1e-15);
  assert_near(s.edges[0].energy, 10 * G * c * 0.1, 1e-12);
  assert_near(s.edges[0].H_ref, 7.0035705180 * sqrt(c), 1e-9);
}

/* The amble of section 4.2 as a point mass at constant speed: ERS-210, hips 130 by 125 mm apart, 1.6 kg, 0.1 m high; feet land RR, RF, LR, LF a
 * quarter of the period apart and stand for half of it, from half a stroke before the hip to half a stroke behind. When RR lands the left
 * pair becomes the diagonal LF-RR, LF being below its hip. Of the three readings of the printed numbers only B, 0.667 m/s with a stride of
 * 0.416 m, has the momentum to roll over. */
static void the_amble_rolls_over_its_diagonal_in_one_reading_of_its_numbers(void **state)
{
  (void)state;
  static const struct {
    double speed, period, s_h;
  } readings[3] = {{2.0 / 3, 1.25, -0.082}, {2.0 / 3, 0.625, 0.016}, {1.0 / 3, 1.25, -0.036}};
  for (int i = 0; i < 3; i++) {
    const double v = readings[i].speed, stroke = v * readings[i].period / 2;
    const pk_stability_contact feet[3] = {ground_at(0.065, 0.0625, 0, 0, 1, 1),
                                          ground_at(-0.065 + stroke / 2, -0.0625, 0, 1, -1, -1),
                                          ground_at(-0.065 - stroke / 2, 0.0625, 0, 2, -1, 1)};
    pk_stability_input in = stance_of(1.6, feet, 2);
    put(in.com, 0, 0, 0.1);
    put(in.velocity, v, 0, 0);
    const pk_stability s = measures_of(&in, NULL);
    assert_int_equal(s.edges[0].branch, PK_EDGE_BRANCH_BEFORE);
    assert_near(s.s_h, readings[i].s_h, 1e-3);
    assert_near(s.edges[0].H_max, 0.32, 1e-12);
    /* just before: the left pair, LF and LR */
    const pk_stability_contact pair[2] = {feet[0], feet[2]};
    in.contacts = pair;
    const pk_stability side = measures_of(&in, NULL);
    assert_int_equal(side.edges[0].branch, PK_EDGE_BRANCH_SIDE);
    assert_near(side.edges[0].H, 0, 1e-15);
    assert_near(side.s_h, 0.112, 5e-4);
  }
}

/* ---- points on the ground ---- */

static void a_tripod_has_the_same_margin_to_its_three_edges(void **state)
{
  (void)state;
  const pk_stability_contact feet[3] = {ground_at(0, 0, 0, 0, 0, 0), ground_at(4, 0, 0, 1, 0, 0),
                                        ground_at(0, 3, 0, 2, 0, 0)};
  pk_stability_input in = stance_of(5, feet, 3);
  put(in.com, 1, 1, 2);
  const pk_stability s = measures_of(&in, NULL);
  assert_int_equal(s.ncorner, 3);
  for (int i = 0; i < 3; i++) {
    assert_near(s.edges[i].r_h, 1, 1e-15);
  }
  assert_near(s.static_margin, 1, 1e-15);
  put(in.com, -1, 1, 2);
  assert_near(measures_of(&in, NULL).static_margin, -1, 1e-15);
}

static void outside_of_a_line_or_a_point_the_margin_is_minus_the_distance(void **state)
{
  (void)state;
  pk_stability_input in = stance_of(5, left_pair, 2);
  put(in.com, 0.2, -0.3, 0.4);
  assert_near(measures_of(&in, NULL).static_margin, -0.3, 1e-15);
  put(in.com, 0.8, 0.4, 0.4); /* beyond its end */
  assert_near(measures_of(&in, NULL).static_margin, -0.5, 1e-15);
  in.ncontact = 1;
  put(in.com, 0.8, 0.4, 0.4);
  const pk_stability s = measures_of(&in, NULL);
  assert_near(s.static_margin, -0.5, 1e-15);
  assert_true(isnan(s.s_h));
  assert_int_equal(s.s_h_edge, -1);
}

static void contacts_within_the_support_and_on_its_edges_are_no_corners(void **state)
{
  (void)state;
  const pk_stability_contact feet[7] = {ground_at(1, 1, 0, 0, 0, 0),   ground_at(0, 0, 0, 1, 0, 0),
                                        ground_at(-1, -1, 0, 2, 0, 0), ground_at(0, -1, 0, 3, 0, 0),
                                        ground_at(1, -1, 0, 4, 0, 0),  ground_at(-1, 1, 0, 5, 0, 0),
                                        ground_at(1, 1, 0, 6, 0, 0)};
  pk_stability_input in = stance_of(5, feet, 7);
  put(in.com, 0, 0, 1);
  const pk_stability s = measures_of(&in, NULL);
  assert_int_equal(s.ncorner, 4);
  assert_int_equal(s.feet, 7);
  assert_near(s.static_margin, 1, 1e-15);
  for (int i = 0; i < 4; i++) { /* counterclockwise: to the left of each edge is the robot */
    assert_near(s.edges[i].r_h, 1, 1e-15);
  }
}

static void the_zero_moment_point_of_a_cart_on_a_table(void **state)
{
  (void)state;
  const pk_stability_contact feet[3] = {ground_at(1, 1, 0, 0, 0, 0), ground_at(-1, 1, 0, 1, 0, 0),
                                        ground_at(0, -1, 0, 2, 0, 0)};
  const double m = 30;
  double rate[6] = {0, 0, 0, m, 0, 0};
  pk_stability_input in = stance_of(m, feet, 3);
  in.rate = rate;
  put(in.com, 0.1, 0, 0.8);
  assert_near(measures_of(&in, NULL).zmp[0], 0.0184505607, 1e-10);
  rate[5] = m; /* rising at 1 m/s^2 */
  assert_near(measures_of(&in, NULL).zmp[0], 0.0259944496, 1e-10);
  rate[5] = 0, rate[1] = 2;
  const pk_stability s = measures_of(&in, NULL);
  assert_near(s.zmp[0], 0.0116547740, 1e-10);
  assert_near(s.zmp[1], 0, 1e-15);
  assert_near(s.zmp[2], 0, 1e-15);
  /* across: p_y = c_y - (m c_z c_y'' - L_x') / (m g) */
  const double sideways[6] = {2, 0, 0, 0, m, 0};
  in.rate = sideways;
  assert_near(measures_of(&in, NULL).zmp[1], -(0.8 - 2 / m) / G, 1e-14);
}

/* A linear inverted pendulum goes x0 cosh + v0/omega sinh; its divergent component grows as exp(omega t) and nothing else. */
static void the_divergent_component_of_a_pendulum_grows_exponentially(void **state)
{
  (void)state;
  const pk_stability_contact foot = ground_at(0, 0, 0, 0, 0, 0);
  pk_stability_input in = stance_of(5, &foot, 1);
  put(in.com, -0.1, 0, 0.8);
  put(in.velocity, 0.4, 0, 0);
  const double first = measures_of(&in, NULL).dcm[0];
  put(in.com, -0.0171236316, 0, 0.8);
  put(in.velocity, 0.2024119440, 0, 0);
  const pk_stability s = measures_of(&in, NULL);
  const double omega = 3.5017852590;
  assert_near(first, -0.1 + 0.4 / omega, 1e-11);
  assert_near(s.dcm[0] / first, exp(omega * 0.3), 2e-9 * exp(omega * 0.3) / first * 0.1);
  assert_near(s.dcm[2], 0.8, 1e-15);
  assert_near(s.capture_point[0], s.dcm[0], 0);
  assert_near(s.capture_point[2], 0, 1e-15);
  assert_near(s.capture_margin, -fabs(s.dcm[0]), 1e-15);
}

/* ---- the foot rotation indicator ---- */

/* A rod of 1 kg, 0.2 m long, turns about its toe P with 30 rad/s^2 while it carries 100 N at its heel: S - P = I_P alpha / (f_z + m g),
 * though the ground reaction acts at P. */
static void the_indicator_of_a_foot_that_turns_about_its_toe_leaves_the_toe(void **state)
{
  (void)state;
  const double m = 1, l = 0.2, alpha = 30, f = 100, P = 0.3;
  /* the rod lies along -x from P; its heel rises: about +y. Its centre of mass accelerates by alpha l/2 upwards. The rest of the robot
   * presses at the heel with 100 N and what turning takes: R_z = f + m g + m alpha l/2, moments about P: -f l - m g l/2 + n = I_P alpha. */
  const double I_P = m * l * l / 3;
  const double n = I_P * alpha + f * l + m * G * l / 2;   /* of the rest on the foot, about y */
  const pk_stability_foot foot = {.joint = {P - l, 0, 0}, /* at the heel */
                                  .force = {0, 0, f},
                                  .moment = {0, -n, 0},
                                  .mass = m,
                                  .com = {P - l / 2, 0, 0}};
  double point[3];
  pk_fri_compute(&foot, 1, G, 0, point);
  assert_near(point[0] - P, 0.0036426555, 1e-10);
  assert_near(point[1], 0, 0);
  /* the same by the rate of the foot's momentum: linear m alpha l/2 at its centre of mass, angular about P I_P alpha */
  pk_stability_contact toe = ground_at(P, 0, 0, 0, 0, 0);
  const double up = m * alpha * l / 2;
  toe.force[2] = f + m * G + up;
  const double rate[6] = {0, I_P * alpha - P * up, 0, 0, 0,
                          up}; /* about the origin: the arm P x gives -P F_z about y */
  pk_stability_input in = stance_of((f + m * G) / G, &toe, 1);
  in.rate = NULL, in.foot_rate = rate;
  put(in.com, 0.1, 0, 0.5);
  const pk_stability s = measures_of(&in, NULL);
  assert_near(s.fri[0], point[0], 1e-14);
  assert_near(s.zmp[0], P, 1e-15);
}

static void massless_feet_give_the_zero_moment_point(void **state)
{
  (void)state;
  pk_stability_contact feet[3] = {ground_at(1, 1, 0, 0, 0, 0), ground_at(-1, 1, 0, 1, 0, 0),
                                  ground_at(0, -1, 0, 2, 0, 0)};
  pk_stability_foot ankles[3];
  put(feet[0].force, 3, -2, 40), put(feet[1].force, -1, 1, 20), put(feet[2].force, 5, 0, 35);
  pk_stability_input in = stance_of(10, feet, 3);
  in.rate = NULL;
  put(in.com, 0.2, 0.1, 0.7);
  const pk_stability s = measures_of(&in, NULL);
  /* the same by (8): ankles 0.1 above the ground carry the force and its moment about them */
  for (int i = 0; i < 3; i++) {
    const double *f = feet[i].force;
    ankles[i] = (pk_stability_foot){.moment = {0.1 * f[1], -0.1 * f[0], 0}};
    memcpy(ankles[i].force, f, sizeof ankles[i].force);
    put(ankles[i].joint, feet[i].point[0], feet[i].point[1], 0.1);
  }
  double point[3];
  pk_fri_compute(ankles, 3, G, 0, point);
  for (int k = 0; k < 3; k++) {
    assert_near(s.fri[k], s.zmp[k], 0);
    assert_near(point[k], s.zmp[k], 1e-15);
  }
  /* and the ZMP is the centre of pressure */
  assert_near(s.zmp[0], (40 * 1.0 - 20 * 1.0) / 95, 1e-15);
  assert_near(s.zmp[1], (40 * 1.0 + 20 * 1.0 - 35 * 1.0) / 95, 1e-15);
}

/* ---- the force-angle measure ---- */

/* A resultant that points at an edge is the onset of tipping; a step to either side of it the sign changes. */
static void the_force_angle_vanishes_when_the_resultant_meets_the_edge(void **state)
{
  (void)state;
  const pk_stability_contact feet[4] = {ground_at(0.3, 0.2, 0, 0, 0, 0), ground_at(-0.3, 0.2, 0, 1, 0, 0),
                                        ground_at(-0.3, -0.2, 0, 2, 0, 0), ground_at(0.3, -0.2, 0, 3, 0, 0)};
  const double m = 12, tipping = G * 0.3 / 0.5; /* m/s^2 backward acceleration, the mass 0.5 above */
  double rate[6] = {0};
  pk_stability_input in = stance_of(m, feet, 4);
  in.rate = rate;
  put(in.com, 0, 0, 0.5);
  const pk_stability rest = measures_of(&in, NULL);
  /* at rest the nearest edge: theta = atan(0.2/0.5), d = 0.2, |f*| = m g */
  assert_near(rest.force_angle, atan(0.4) * 0.2 * m * G, 1e-12);
  rate[3] = -m * tipping;
  assert_near(measures_of(&in, NULL).force_angle, 0, 1e-12);
  rate[3] = -m * (tipping + 0.01);
  assert_less(measures_of(&in, NULL).force_angle, 0);
  rate[3] = -m * (tipping - 0.01);
  assert_greater(measures_of(&in, NULL).force_angle, 0);
  /* a moment about the edge ahead does the same: m g 0.2 of it, since the mass is 0.2 behind that edge */
  put(in.com, 0.1, 0, 0.5);
  rate[3] = 0, rate[1] = -m * G * 0.2;
  const pk_stability turned = measures_of(&in, NULL);
  assert_near(turned.force_angle, 0, 1e-12);
  assert_near(turned.zmp_margin, 0, 1e-14);
  assert_near(turned.zmp[0], 0.3, 1e-14);
}

static void on_a_line_every_robot_tips(void **state)
{
  (void)state;
  pk_stability_input in = stance_of(10, left_pair, 2);
  put(in.com, 0, -0.3, 0.4);
  const pk_stability s = measures_of(&in, NULL);
  assert_near(s.energy_margin, -10 * G * 0.1, 1e-12);
  assert_near(s.force_angle, -atan2(0.3, 0.4) * 0.3 * 10 * G, 1e-12);
}

/* ---- sums ---- */

/* GCoM and FRI that part with a constant velocity: the integral of (v t)^2. */
static void the_sums_of_a_motion_are_its_integrals(void **state)
{
  (void)state;
  const pk_stability_contact feet[3] = {ground_at(1, 1, 0, 0, 0, 0), ground_at(-1, 1, 0, 1, 0, 0),
                                        ground_at(0, -1, 0, 2, 0, 0)};
  const int n = 1000;
  const double dt = 1e-3;
  double rate[6] = {0};
  pk_stability_sum sum = {0};
  pk_stability_input in = stance_of(10, feet, 3);
  in.rate = rate;
  put(in.com, 0, 0, G); /* a height of g metres: the ZMP is off by the acceleration */
  assert_true(isnan(pk_stability_mean_js1(&sum)));
  assert_true(isnan(pk_stability_js2(&sum)));
  for (int k = 0; k < n; k++) {
    const double t = (k + 0.5) * dt;
    rate[3] = -10 * 0.2 * t;
    put(in.velocity, t, 0, 0);
    const pk_stability s = measures_of(&in, NULL);
    pk_stability_add(&sum, &s, t, dt);
  }
  assert_near(sum.js1, 0.04 / 3, 0.04 * dt * dt / 12 + 1e-12); /* the midpoint rule's error */
  assert_near(pk_stability_mean_js1(&sum), 0.04 / 3, 1e-8);
  assert_near(sum.time, 1, 1e-12);
  /* the least S_H is at the end, where the mass is fastest; the support edge ahead has its normal along (2, -1)/sqrt 5 */
  assert_near(sum.least_at[PK_STABILITY_S_H], 1 - dt / 2, 1e-12);
  assert_near(pk_stability_js2(&sum), -pk_stability_least(&sum, PK_STABILITY_S_H), 0);
  assert_near(pk_stability_mean(&sum, PK_STABILITY_STATIC_MARGIN), 1 / sqrt(5), 1e-12);
  /* flight has no part in them */
  in.ncontact = 0;
  const pk_stability flight = measures_of(&in, NULL);
  assert_true(isnan(flight.static_margin) && isnan(flight.zmp[0]) && isnan(flight.wrench_margin));
  pk_stability_add(&sum, &flight, 2, 0.5);
  assert_near(sum.time, 1.5, 1e-12);
  assert_near(sum.supported, 1, 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_mass_tips_over_a_side_edge_at_its_reference_momentum),
      cmocka_unit_test(the_energy_of_the_reference_momentum_lifts_the_mass_over_the_edge),
      cmocka_unit_test(a_robot_before_a_diagonal_edge_falls_back_below_its_reference_momentum),
      cmocka_unit_test(past_a_diagonal_edge_only_the_swing_leg_counts),
      cmocka_unit_test(the_index_jumps_where_the_mass_passes_a_diagonal_edge),
      cmocka_unit_test(travelling_the_other_way_reverses_a_diagonal_edge),
      cmocka_unit_test(on_three_feet_the_third_one_says_what_a_diagonal_edge_counts),
      cmocka_unit_test(a_foot_within_the_others_leaves_no_leg_to_catch_the_robot),
      cmocka_unit_test(a_block_needs_more_momentum_than_a_point_mass),
      cmocka_unit_test(the_reference_momentum_goes_through_zero_with_its_sign),
      cmocka_unit_test(an_inclined_edge_takes_the_part_of_the_weight_across_it),
      cmocka_unit_test(the_amble_rolls_over_its_diagonal_in_one_reading_of_its_numbers),
      cmocka_unit_test(a_tripod_has_the_same_margin_to_its_three_edges),
      cmocka_unit_test(outside_of_a_line_or_a_point_the_margin_is_minus_the_distance),
      cmocka_unit_test(contacts_within_the_support_and_on_its_edges_are_no_corners),
      cmocka_unit_test(the_zero_moment_point_of_a_cart_on_a_table),
      cmocka_unit_test(the_divergent_component_of_a_pendulum_grows_exponentially),
      cmocka_unit_test(the_indicator_of_a_foot_that_turns_about_its_toe_leaves_the_toe),
      cmocka_unit_test(massless_feet_give_the_zero_moment_point),
      cmocka_unit_test(the_force_angle_vanishes_when_the_resultant_meets_the_edge),
      cmocka_unit_test(on_a_line_every_robot_tips),
      cmocka_unit_test(the_sums_of_a_motion_are_its_integrals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
