/* Contacts between bodies, with known answers: collisions in free flight, what is conserved, energy; blocks on blocks; a
 * robot that touches itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/mat3.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "support/world.h"

static const double WEIGHTLESS[3] = {0, 0, 0};

static free_solid ball(double radius, double mass)
{
  const double moment = 0.4 * mass * radius * radius;
  return (free_solid){
      .kind = PK_SHAPE_SPHERE, .size = {radius}, .mass = mass, .moment = {moment, moment, moment}};
}

static free_solid block(double x, double y, double z, double mass)
{
  return (free_solid){
      .kind = PK_SHAPE_BOX,
      .size = {x, y, z},
      .mass = mass,
      .moment = {mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y)}};
}

/* A world without ground in which bodies have one law among each other. */
static pk_sim *flight(const pk_model *m, pk_material between, const pk_sim_options *o)
{
  pk_sim *sim;
  pk_error err;
  assert_int_equal(pk_sim_create(m, o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_body_material(sim, &between, &err), PK_OK);
  return sim;
}

static void place(pk_sim *sim, int body, double x, double y, double z)
{
  double *q = pk_sim_q(sim) + pk_sim_model(sim)->body_q[body];
  q[0] = x, q[1] = y, q[2] = z;
}

static double *velocity(pk_sim *sim, int body)
{
  return pk_sim_u(sim) + pk_sim_model(sim)->body_u[body];
}

/* Linear momentum, and angular momentum about the world's origin, of free bodies whose mass centre is their origin. */
static void momentum(pk_sim *sim, double out[6])
{
  const pk_model *m = pk_sim_model(sim);
  memset(out, 0, 6 * sizeof *out);
  for (int i = 0; i < m->nbody; i++) {
    const double *q = pk_sim_q(sim) + m->body_q[i], *u = pk_sim_u(sim) + m->body_u[i];
    const pk_inertia *inertia = &m->links[i].inertia;
    double R[9], spin[3], moment[3], arm[3];
    pki_quat_to_mat3(q + 3, R);
    const double own[3] = {inertia->moment[0] * u[3], inertia->moment[3] * u[4], inertia->moment[5] * u[5]};
    pki_mat3_apply(R, own, spin);
    pki_cross3(q, u, arm);
    for (int k = 0; k < 3; k++) {
      moment[k] = inertia->mass * arm[k] + spin[k];
      out[k] += inertia->mass * u[k];
      out[3 + k] += moment[k];
    }
  }
}

static double energy(pk_sim *sim)
{
  pk_workspace *w = pk_sim_workspace(sim);
  pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
  const pk_energy e = pk_energy_compute(w, pk_sim_u(sim));
  return e.kinetic + e.potential;
}

static pk_step_info step(pk_sim *sim, double tolerance)
{
  const pk_step_info info = must_step(sim);
  assert_true(info.certified);
  assert_at_most(info.certificate.relative, tolerance);
  return info;
}

/* v' = (m v + M V + M e (V - v))/(m + M) */
static void balls_collide_head_on_as_in_closed_form(void **state)
{
  (void)state;
  const double m1 = 0.3, m2 = 1.1, v1 = 2, v2 = -0.5;
  const free_solid balls[2] = {ball(0.05, m1), ball(0.08, m2)};
  pk_model *m = solids_model(balls, 2, WEIGHTLESS);
  for (int k = 0; k < 6; k++) {
    const double e = 0.5 * (k % 3);
    pk_sim_options o = pk_sim_options_default();
    o.dt = 1e-3, o.tolerance = 1e-12, o.stepper = k < 3 ? PK_STEPPER_MOREAU : PK_STEPPER_EULER;
    pk_sim *sim = flight(m, (pk_material){.friction = 0.5, .restitution_n = e}, &o);
    place(sim, 0, -0.2, 0, 0), place(sim, 1, 0.2, 0, 0);
    velocity(sim, 0)[0] = v1, velocity(sim, 1)[0] = v2;
    int touched = 0;
    for (int i = 0; i < 300; i++) {
      const pk_step_info info = step(sim, 1e-12);
      assert_less(info.penetration, 1e-9);
      touched += info.contacts > 0;
    }
    const double common = m1 * v1 + m2 * v2, all = m1 + m2;
    assert_greater(touched, 0);
    assert_less(fabs(velocity(sim, 0)[0] - (common + m2 * e * (v2 - v1)) / all), 1e-9);
    assert_less(fabs(velocity(sim, 1)[0] - (common + m1 * e * (v1 - v2)) / all), 1e-9);
    assert_less(fabs(velocity(sim, 0)[1]) + fabs(velocity(sim, 1)[2]), 1e-12);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* Off-centre hits with friction, spinning balls; hard and compliant. Velocities keep both momenta to rounding. The projection of
 * positions moves hard bodies apart beside their velocities, by what they went into each other in a step, v dt at most: of
 * two bodies with the reduced mass m that is an angular momentum of m v^2 dt at most. */
static void collisions_in_free_flight_keep_momentum_and_angular_momentum_but_for_the_projection(void **state)
{
  (void)state;
  const free_solid balls[2] = {ball(0.05, 0.3), ball(0.08, 1.1)};
  pk_model *m = solids_model(balls, 2, WEIGHTLESS);
  for (int k = 0; k < 4; k++) {
    pk_sim_options o = pk_sim_options_default();
    o.dt = k % 2 ? 1e-4 : 1e-3, o.tolerance = 1e-12,
    o.law = k % 2 ? PK_CONTACT_LAW_COMPLIANT : PK_CONTACT_LAW_HARD;
    pk_sim *sim = flight(m, (pk_material){.friction = k < 2 ? 0.2 : 2, .restitution_n = k % 2 ? 0 : 0.5}, &o);
    place(sim, 0, -0.2, 0.03, 0.7), place(sim, 1, 0.2, -0.01, 0.72);
    const double spin[2][6] = {{2, 0.1, 0, 3, -20, 11}, {-0.5, 0.2, 0.1, 7, 2, -9}};
    memcpy(velocity(sim, 0), spin[0], sizeof spin[0]), memcpy(velocity(sim, 1), spin[1], sizeof spin[1]);
    double before[6], after[6], worst = 0, turning = 0;
    momentum(sim, before);
    int touched = 0;
    for (int i = 0; i < (k % 2 ? 3000 : 300); i++) {
      touched += must_step(sim).contacts > 0;
      momentum(sim, after);
      for (int e = 0; e < 6; e++) {
        worst = fmax(worst, e < 3 ? fabs(after[e] - before[e]) : 0);
        turning = fmax(turning, e < 3 ? 0 : fabs(after[e] - before[e]));
      }
    }
    print_message("law %d, friction %g: %d steps in contact, momentum changed by %.1e, angular %.1e\n", k % 2,
                  k < 2 ? 0.2 : 2.0, touched, worst, turning);
    assert_greater(touched, 0);
    assert_greater(fabs(velocity(sim, 0)[3] - spin[0][3]), 0.1);
    assert_less(worst, 1e-12);
    const double reduced = 0.3 * 1.1 / (0.3 + 1.1), v2 = 2.5 * 2.5 + 0.1 * 0.1 + 0.1 * 0.1;
    assert_less(turning, (k % 2 ? 1e-12 : reduced * v2 * o.dt));
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* Rods of several surfaces without gravity, in a heap whose parts fly into each other. */
enum { HEAP = 12 };

static pk_sim *start_heap(const pk_model *m, pk_impact_law impact, pki_random *rng)
{
  pk_sim_options o = pk_sim_options_default();
  o.impact = impact;
  pk_sim *sim = flight(m, pk_material_default(), &o);
  pk_error err;
  for (int i = 0; i < m->nshape; i++) {
    assert_int_equal(pk_sim_set_surface(sim, i, i % 3, &err), PK_OK);
  }
  for (int a = 0; a < 3; a++) {
    for (int b = a; b < 3; b++) {
      const pk_material law = {.friction = pki_random_unit(rng),
                               .restitution_n = 0.5 + 0.5 * pki_random_unit(rng),
                               .restitution_t = pki_random_unit(rng) < 0.5 ? 0 : 1};
      assert_int_equal(pk_sim_set_surface_pair(sim, b, a, &law, &err), PK_OK);
    }
  }
  for (int i = 0; i < HEAP; i++) { /* on a grid, towards the middle */
    const int row = i / 3 % 2, layer = i / 6;
    const double at[3] = {0.101 * (i % 3 - 1), 0.101 * (row - 0.5), 0.101 * (layer - 0.5)};
    place(sim, i, at[0], at[1], at[2]);
    pki_random_quaternion(rng, pk_sim_q(sim) + m->body_q[i] + 3);
    for (int k = 0; k < 3; k++) {
      velocity(sim, i)[k] = -10 * at[k] + 2 * pki_random_unit(rng) - 1;
      velocity(sim, i)[3 + k] = 40 * pki_random_unit(rng) - 20;
    }
  }
  return sim;
}

static void no_collision_of_bodies_gains_energy(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  free_solid rods[HEAP];
  for (int i = 0; i < HEAP; i++) {
    const double mass = 0.1 + pki_random_unit(&rng),
                 moment = mass * 2e-4; /* turning alone keeps the energy */
    rods[i] = (free_solid){PK_SHAPE_CAPSULE, {0.02, 0.06}, mass, {moment, moment, moment}, NULL};
  }
  pk_model *m = solids_model(rods, HEAP, WEIGHTLESS);
  double worst[PK_IMPACT_LAW_COUNT] = {-1, -1};
  int hits = 0, at_once = 0, gains = 0;
  for (int round = 0; round < PACE(60, 8); round++) {
    const pk_impact_law impact = round % 2 ? PK_IMPACT_LAW_NEWTON : PK_IMPACT_LAW_GROUP;
    pk_sim *sim = start_heap(m, impact, &rng);
    double before = energy(sim), momentum_before[6], momentum_after[6];
    momentum(sim, momentum_before);
    for (int i = 0; i < 200; i++) {
      const pk_step_info info = must_step(sim);
      const double now = energy(sim);
      assert_true(info.certified && (impact == PK_IMPACT_LAW_NEWTON || info.impact_gain == 0));
      /* Newton's law may gain what it says */
      worst[impact] = fmax(worst[impact], (now - before - info.impact_gain) / before);
      if (info.contacts == 1) { /* both bodies count */
        assert_less(info.impact_gain, fmax(now - before, 0) + 1e-5 * before);
      }
      hits += info.contacts > 0, at_once += info.contacts > 1, gains += info.impact_gain > 1e-6;
      before = now;
    }
    momentum(sim, momentum_after);
    for (int k = 0; k < 3; k++) {
      assert_less(fabs(momentum_after[k] - momentum_before[k]), 1e-12);
    }
    pk_sim_destroy(sim);
  }
  print_message(
      "%d steps with impacts, %d with several; largest gain of energy %.1e of it; Newton's law gains in %d "
      "steps, at most %.1e more than it says\n",
      hits, at_once, worst[PK_IMPACT_LAW_GROUP], gains, worst[PK_IMPACT_LAW_NEWTON]);
  assert_greater(at_once, PACE(100, 10));
  assert_at_least(gains, PACE(1, 0));
  assert_less(worst[PK_IMPACT_LAW_GROUP], 1e-9);
  assert_less(worst[PK_IMPACT_LAW_NEWTON], 1e-9);
  pk_model_destroy(m);
}

/* Equal balls in a row with small gaps: the last one leaves with the speed of the first. */
static void a_row_of_balls_hands_its_speed_on(void **state)
{
  (void)state;
  enum { N = 5 };
  free_solid balls[N];
  for (int i = 0; i < N; i++) {
    balls[i] = ball(0.05, 0.5);
  }
  pk_model *m = solids_model(balls, N, WEIGHTLESS);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 1e-4, o.tolerance = 1e-12;
  pk_sim *sim = flight(m, (pk_material){.restitution_n = 1}, &o);
  for (int i = 0; i < N; i++) {
    place(sim, i, 0.101 * i - (i == 0 ? 0.05 : 0), 0, 0);
  }
  velocity(sim, 0)[0] = 1.5;
  for (int i = 0; i < 2000; i++) {
    must_step(sim);
  }
  for (int i = 0; i < N; i++) {
    assert_less(fabs(velocity(sim, i)[0] - (i == N - 1 ? 1.5 : 0)), 1e-9);
  }
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* Who touches whom, and the impulse on the first. */
static void contacts_name_both_links(void **state)
{
  (void)state;
  const free_solid balls[2] = {ball(0.1, 2), ball(0.1, 0.5)};
  pk_model *m = solids_model(balls, 2, NULL);
  pk_terrain *t = slope_terrain(0);
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5}, NULL);
  place(sim, 0, 0, 0, 0.1), place(sim, 1, 0, 0, 0.3);
  for (int i = 0; i < 5; i++) {
    must_step(sim);
  }
  pk_sim_contact c[4];
  assert_int_equal(pk_sim_contacts(sim, c, 4), 2);
  const pk_sim_contact *pair = c[0].other_link >= 0 ? &c[0] : &c[1], *ground = pair == &c[0] ? &c[1] : &c[0];
  assert_int_equal(pair->link, 0);
  assert_int_equal(pair->shape, 0);
  assert_int_equal(pair->other_link, 1);
  assert_int_equal(pair->other_shape, 1);
  assert_int_equal(pair->material, -1);
  assert_less(fabs(pair->friction - 0.5), 1e-15);
  assert_less(fabs(pair->impulse[2] + 1e-3 * 0.5 * 9.81), 1e-9); /* the other's weight */
  assert_less(pair->normal[2], -0.999);
  assert_less(fabs(pair->point[2] - 0.2), 1e-6);
  assert_int_equal(ground->other_link, -1);
  assert_int_equal(ground->other_shape, -1);
  assert_int_equal(ground->material, 0);
  assert_less(fabs(ground->impulse[2] - 1e-3 * 2.5 * 9.81), 1e-9);
  double impulse[3], normal[3];
  assert_true(pk_sim_contact_carries(pair, m, 1, impulse, normal));
  assert_greater(impulse[2], 0);
  assert_greater(normal[2], 0.999);
  assert_false(pk_sim_contact_carries(ground, m, 1, impulse, normal));
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Gravity leans: the upper block slides when mu is below the slope, with g (sin a - mu cos a). */
static void a_block_slides_on_a_block_as_on_the_ground(void **state)
{
  (void)state;
  const double a = 0.3, gravity[3] = {9.81 * sin(0.3), 0, -9.81 * cos(0.3)};
  const free_solid blocks[2] = {block(2, 0.5, 0.2, 50), block(0.2, 0.15, 0.1, 1)};
  pk_model *m = solids_model(blocks, 2, gravity);
  pk_terrain *t = slope_terrain(0);
  pk_error err;
  for (int k = 0; k < 2; k++) {
    const double mu = k == 0 ? 0.2 : tan(a) + 0.02;
    pk_sim_options o = pk_sim_options_default();
    o.tolerance = 1e-10;
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 10}, &o);
    assert_int_equal(pk_sim_set_surface(sim, 1, 3, &err), PK_OK);
    assert_int_equal(pk_sim_set_surface_pair(sim, 3, 0, &(pk_material){.friction = mu}, &err), PK_OK);
    place(sim, 0, 0, 0, 0.1), place(sim, 1, -0.5, 0.05, 0.25);
    for (int i = 0; i < 400; i++) {
      const pk_step_info info = step(sim, 1e-10);
      assert_less(info.penetration, 1e-9);
    }
    const double exact = k == 0 ? 0.4 * 9.81 * (sin(a) - mu * cos(a)) : 0;
    print_message("mu %.3f: %.9f m/s, exact %.9f m/s\n", mu, velocity(sim, 1)[0], exact);
    assert_less(fabs(velocity(sim, 1)[0] - exact), 1e-8);
    assert_less(fabs(velocity(sim, 0)[0]), 1e-10);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void a_stack_of_blocks_stands(void **state)
{
  (void)state;
  enum { N = 6 };
  free_solid blocks[N];
  for (int i = 0; i < N; i++) {
    blocks[i] = block(0.3, 0.3, 0.2, 1 + i % 3);
  }
  pk_model *m = solids_model(blocks, N, NULL);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 2e-3;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.6}, &o);
  double deepest = 0, moved = 0;
  for (int i = 0; i < N; i++) {
    place(sim, i, 0.01 * (i % 2), -0.01 * (i % 3), 0.1 + 0.2 * i);
  }
  const int steps = PACE(2500, 250);
  for (int i = 0; i < steps; i++) {
    const pk_step_info info = must_step(sim);
    assert_true(info.certified);
    deepest = fmax(deepest, info.penetration);
  }
  for (int i = 0; i < N; i++) {
    const double *q = pk_sim_q(sim) + m->body_q[i];
    moved =
        fmax(moved, fabs(q[2] - 0.1 - 0.2 * i) + fabs(q[0] - 0.01 * (i % 2)) + fabs(q[1] + 0.01 * (i % 3)));
  }
  print_message("%d blocks for %g s: moved by %.1e m, sunk in by %.1e m\n", N, steps * o.dt, moved, deepest);
  assert_less(deepest, 1e-8);
  assert_less(moved, 1e-6);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A trunk with a two-part leg that folds: the shank comes back to the trunk. `cut`: in maximal coordinates. */
static pk_model *folding_leg(bool cut)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err;
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  pk_builder_set_gravity(b, WEIGHTLESS);
  const char *const names[3] = {"trunk", "thigh", "shank"};
  for (int i = 0; i < 3; i++) {
    const pk_link_desc link = {
        .name = names[i], .inertia = {.mass = 1, .com = {0, 0, -0.1}, .moment = {0.01, 0, 0, 0.01, 0, 0.01}}};
    pk_shape_desc shape = {.link = names[i],
                           .kind = PK_SHAPE_CAPSULE,
                           .size = {0.04, i == 2 ? 0.3 : 0.2},
                           .pose = pk_pose_identity()};
    shape.pose.pos[2] = i == 2 ? -0.2 : -0.15;
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
    assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_OK);
    if (i > 0) {
      pk_joint_desc joint = pk_joint_desc_default();
      joint.name = names[i], joint.parent = names[i - 1], joint.child = names[i];
      joint.axis[0] = 0, joint.axis[1] = 1, joint.axis[2] = 0;
      joint.origin.pos[0] = 0.1 * (i == 1), joint.origin.pos[2] = -0.3;
      assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
    }
  }
  if (cut) {
    assert_int_equal(pk_builder_cut_joint(b, NULL, &err), PK_OK);
  }
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

static void a_leg_that_folds_stops_at_its_own_trunk(void **state)
{
  (void)state;
  double at[2] = {0, 0};
  for (int cut = 0; cut < 2; cut++) {
    pk_model *m = folding_leg(cut);
    const pk_model *joints = m->tree ? m->tree : m;
    pk_sim_options o = pk_sim_options_default();
    pk_sim *sim = flight(m, (pk_material){.friction = 0.3}, &o);
    double q[16], u[16] = {0}, deepest = 0;
    pk_sim_get_joints(sim, q, u);
    q[joints->joints[0].q] = -1.2, q[joints->joints[1].q] = -1;
    pk_sim_set_joints(sim, q, u);
    pk_sim_commands(sim)[joints->joints[0].u] =
        (pk_command){.kp = 60, .kd = 4, .q_des = -1.2, .tau_max = INFINITY};
    pk_sim_commands(sim)[joints->joints[1].u] = (pk_command){.tau = -0.5, .kd = 0.2, .tau_max = INFINITY};
    int touched = 0;
    for (int i = 0; i < 3000; i++) {
      const pk_step_info info = must_step(sim);
      assert_true(info.certified);
      deepest = fmax(deepest, info.penetration);
      pk_sim_contact c[4];
      touched += pk_sim_contacts(sim, c, 4) > 0;
    }
    pk_sim_contact c[4];
    assert_greater(pk_sim_contacts(sim, c, 4), 0);
    assert_true(strcmp(m->links[c[0].link].name, "trunk") == 0 &&
                strcmp(m->links[c[0].other_link].name, "shank") == 0);
    assert_false(pk_sim_contact_carries(&c[0], m, c[0].link, NULL, NULL)); /* its own */
    pk_sim_get_joints(sim, q, u);
    at[cut] = q[joints->joints[1].q];
    print_message("%s: stopped at %.9f rad after %d steps in contact, sunk in by %.1e m\n",
                  cut ? "maximal" : "minimal", at[cut], touched, deepest);
    assert_less(deepest, 1e-8);
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
  assert_less(fabs(at[0] - at[1]), 1e-4);
}

/* Two bodies far apart for a while, so that nothing looks at them. */
static void rest_apart(pk_sim *sim)
{
  place(sim, 0, 0, 0, 5), place(sim, 1, 40, 0, 5);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(must_step(sim).contacts, 0);
  }
}

/* By hand, by a state, by a reset, by new ground: contacts are found in the next step, whatever was far before. */
static void what_was_put_elsewhere_touches_there_at_once(void **state)
{
  (void)state;
  const free_solid balls[2] = {ball(0.05, 1), ball(0.05, 1)};
  pk_model *m = solids_model(balls, 2, WEIGHTLESS);
  pk_terrain *low, *high;
  pk_terrain_create(&low, NULL);
  pk_terrain_create(&high, NULL);
  pk_error err;
  assert_int_equal(pk_terrain_add_plane(low, (double[3]){0, 0, 0}, (double[3]){0, 0, 1}, 0, &err), PK_OK);
  assert_int_equal(pk_terrain_add_plane(high, (double[3]){0, 0, 4.95001}, (double[3]){0, 0, 1}, 0, &err),
                   PK_OK);
  for (int broad = 0; broad < PK_BROAD_PHASE_COUNT; broad++) {
    pk_sim_options o = pk_sim_options_default();
    o.broad = (pk_broad_phase)broad;
    pk_sim *sim = start_world(m, low, (pk_material){.friction = 0.5}, &o);
    void *touching = malloc(pk_sim_state_size(sim));
    rest_apart(sim);
    place(sim, 0, 39.90001, 0, 5);
    pk_sim_get_state(sim, touching);
    assert_int_equal(must_step(sim).contacts, 1);
    rest_apart(sim);
    assert_int_equal(pk_sim_set_state(sim, touching, pk_sim_state_size(sim), &err), PK_OK);
    assert_int_equal(must_step(sim).contacts, 1);
    rest_apart(sim);
    pk_sim_reset(sim);
    place(sim, 0, 0, 0, 0.04999), place(sim, 1, 0, 0, 0.14997); /* on the ground and on each other */
    assert_int_equal(must_step(sim).contacts, 2);
    rest_apart(sim);
    assert_int_equal(pk_sim_set_terrain(sim, high, NULL, 0, &err), PK_OK);
    assert_int_equal(must_step(sim).contacts, 2); /* each on the ground */
    assert_int_equal(pk_sim_set_terrain(sim, low, NULL, 0, &err), PK_OK);
    rest_apart(sim);
    free(touching);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(low);
  pk_terrain_destroy(high);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls_collide_head_on_as_in_closed_form),
      cmocka_unit_test(collisions_in_free_flight_keep_momentum_and_angular_momentum_but_for_the_projection),
      cmocka_unit_test(no_collision_of_bodies_gains_energy),
      cmocka_unit_test(a_row_of_balls_hands_its_speed_on),
      cmocka_unit_test(contacts_name_both_links),
      cmocka_unit_test(a_block_slides_on_a_block_as_on_the_ground),
      cmocka_unit_test(a_stack_of_blocks_stands),
      cmocka_unit_test(a_leg_that_folds_stops_at_its_own_trunk),
      cmocka_unit_test(what_was_put_elsewhere_touches_there_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
