/* Compliant pairs as others see them: a few contacts with the forces and moments of all faces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/mat3.h"
#include "pronk/dynamics.h"
#include "pronk/sensing.h"
#include "pronk/sim.h"
#include "pronk/stability.h"
#include "support/bounds.h"
#include "support/soft_shapes.h"
#include "support/world.h"

enum { CELLS = 12, FACES = 4096 };
static const double G = 9.81, HALF[3] = {0.06, 0.03, 0.02}, MASS = 2;

/* A solid on compliant ground. */
typedef struct soft_world {
  pk_model *model;
  pk_terrain *ground;
  pk_sensing *sensing;
  pk_sim *sim;
} soft_world;

static void begin_world(soft_world *w, const free_solid *solid, pk_compliance c, bool senses)
{
  pk_error err = {.message = ""};
  pk_sim_options o = pk_sim_options_default();
  *w = (soft_world){.model = solids_model(solid, 1, NULL), .ground = slope_terrain(0)};
  if (senses) {
    const pk_sensor force = {.kind = pk_sensing_kind_find("contact-force"), .link = w->model->shapes[0].link};
    assert_int_equal(pk_sensing_create(w->model, &force, 1, 1, &w->sensing, &err), PK_OK);
    o.sensing = w->sensing;
  }
  assert_int_equal(pk_sim_create(w->model, &o, &w->sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(w->sim, 0, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_material_compliance(w->sim, 0, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(w->sim, w->ground, NULL, 0, &err), PK_OK);
  assert_int_equal(pk_sim_check_compliance(w->sim, &err), PK_OK);
}

static void begin_brick(soft_world *w, double friction, bool senses)
{
  soft_mesh brick = soft_brick(HALF, CELLS);
  const pk_mesh mesh = {.name = "brick",
                        .nvertex = brick.nvertex,
                        .ntriangle = brick.ntriangle,
                        .vertex = brick.vertex,
                        .triangle = brick.triangle};
  const double x = HALF[0] * HALF[0], y = HALF[1] * HALF[1], z = HALF[2] * HALF[2];
  const free_solid solid = {.kind = PK_SHAPE_MESH,
                            .mass = MASS,
                            .moment = {MASS / 3 * (y + z), MASS / 3 * (x + z), MASS / 3 * (x + y)},
                            .mesh = &mesh};
  pk_compliance c = pk_compliance_default();
  c.layer = 1e-3, c.stiffness = 2e4, c.dissipation = 1;
  c.static_friction = c.dynamic_friction = friction;
  begin_world(w, &solid, c, senses);
  soft_mesh_free(&brick);
  pk_sim_q(w->sim)[2] = HALF[2] - MASS * G / (1e7 * 4 * HALF[0] * HALF[1]); /* at rest */
}

static void end_world(soft_world *w)
{
  pk_sim_destroy(w->sim);
  pk_sensing_destroy(w->sensing);
  pk_terrain_destroy(w->ground);
  pk_model_destroy(w->model);
}

/* A force at a point joins a wrench about the world's origin: moment, force. */
static void add_force(double wrench[6], const double point[3], const double force[3], double scale)
{
  double moment[3];
  pki_cross3(point, force, moment);
  for (int k = 0; k < 3; k++) {
    wrench[k] += scale * moment[k], wrench[3 + k] += scale * force[k];
  }
}

static void contacts_have_the_forces_and_moments_of_all_faces(void **state)
{
  (void)state;
  static pk_sim_pressure faces[FACES];
  soft_world w;
  begin_brick(&w, 0.6, false);
  pk_sim_u(w.sim)[0] = 0.3, pk_sim_u(w.sim)[1] = 0.2, pk_sim_u(w.sim)[5] = 6;
  double turned = 0, apart[2] = {0}, high = 0;
  for (int i = 0; i < 60; i++) {
    pk_sim_contact contacts[8];
    double shown[6] = {0}, felt[6] = {0};
    pk_sim_push(w.sim, 0, (const double[3]){0.01, 0.005, 0}, (const double[3]){2, 0, -5});
    assert_true(must_step(w.sim).certified);
    const int n = pk_sim_contacts(w.sim, contacts, 8), nface = pk_sim_pressures(w.sim, faces, FACES);
    assert_int_equal(n, 4);
    for (int c = 0; c < n; c++) {
      add_force(shown, contacts[c].point, contacts[c].impulse, 1 / pk_sim_options_default().dt);
      assert_at_least(pki_dot3(contacts[c].normal, contacts[c].impulse), 0);
    }
    for (int f = 0; f < nface; f++) {
      add_force(felt, faces[f].point, faces[f].force, 1);
      high = fmax(high, fabs(faces[f].point[2] - contacts[0].point[2]));
    }
    for (int k = 0; k < 6; k++) {
      apart[k / 3] = fmax(apart[k / 3], fabs(shown[k] - felt[k]));
    }
    const double *q = pk_sim_q(w.sim);
    turned = fmax(turned, fabs(shown[2] - q[0] * shown[4] + q[1] * shown[3]));
  }
  print_message(
      "forces differ by %.2e N, moments by %.2e N m; faces are %.2e m off the plane of the corners; "
      "friction turns with up to %.3f N m\n",
      apart[1], apart[0], high, turned);
  assert_less(apart[1], 1e-6 * MASS * G);
  assert_less(apart[0], high * 0.6 * (MASS * G + 5)); /* friction off that plane, at its limit */
  assert_less(high, 1e-3);
  assert_greater(turned, 0.1); /* a moment about the normal, which one contact has not */
  end_world(&w);
}

static void contacts_stay_with_the_shape_while_it_turns(void **state)
{
  (void)state;
  static const double sign[4][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
  soft_world w;
  begin_brick(&w, 0, false);
  pk_sim_u(w.sim)[5] = 4;
  for (int i = 0; i < 1000; i++) {
    pk_sim_contact contacts[4];
    must_step(w.sim);
    assert_int_equal(pk_sim_contacts(w.sim, contacts, 4), 4);
    pk_kinematics_compute(pk_sim_workspace(w.sim), pk_sim_q(w.sim), pk_sim_u(w.sim));
    const pk_pose pose = pk_link_pose(pk_sim_workspace(w.sim), w.model->shapes[0].link);
    for (int c = 0; c < 4; c++) {
      double away[3], own[3];
      pki_sub3(contacts[c].point, pose.pos, away);
      pki_mat3_apply_transposed(pose.rot, away, own);
      assert_greater(sign[c][0] * own[0], 0.8 * HALF[0]);
      assert_greater(sign[c][1] * own[1], 0.8 * HALF[1]);
    }
  }
  end_world(&w);
}

/* The centres of the outermost faces are a third of a face from the edge. */
static void a_flat_sole_supports_over_its_area(void **state)
{
  (void)state;
  soft_world w;
  pk_stability s;
  pk_error err = {.message = ""};
  begin_brick(&w, 0.8, true);
  for (int i = 0; i < 200; i++) {
    must_step(w.sim);
  }
  assert_int_equal(pk_sim_stability(w.sim, 0, NULL, NULL, &s, &err), PK_OK);
  double area = 0;
  for (int i = 0; i < s.ncorner; i++) {
    const double *a = s.corners[i], *b = s.corners[(i + 1) % s.ncorner];
    area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  const double sole = 4 * HALF[0] * HALF[1], *felt = pk_sim_readings(w.sim);
  print_message(
      "support of %.1f cm^2 under a sole of %.1f cm^2, static margin %.4f m, wrench margin %.3f N\n",
      1e4 * area, 1e4 * sole, s.static_margin, s.wrench_margin);
  assert_int_equal(s.ncorner, 4);
  assert_greater(area, 0.75 * sole);
  assert_less(area, sole);
  assert_greater(s.static_margin, 0.8 * HALF[1]);
  assert_less(s.static_margin, HALF[1]);
  assert_greater(s.wrench_margin, 0);
  assert_near(felt[2], MASS * G, 1e-6 * MASS * G); /* what its contact sensor feels */
  end_world(&w);
}

static void round_bodies_have_one_contact(void **state)
{
  (void)state;
  soft_world w;
  const free_solid ball = {
      .kind = PK_SHAPE_SPHERE, .size = {0.05}, .mass = MASS, .moment = {2e-3, 2e-3, 2e-3}};
  pk_compliance c = pk_compliance_default();
  c.law = PK_COMPLIANCE_LAW_HERTZ;
  begin_world(&w, &ball, c, false);
  pk_sim_q(w.sim)[2] = 0.05;
  for (int i = 0; i < 2000; i++) {
    must_step(w.sim);
  }
  pk_sim_contact contact;
  assert_int_equal(pk_sim_contacts(w.sim, &contact, 1), 1);
  assert_near(contact.impulse[2] / pk_sim_options_default().dt, MASS * G, 1e-4 * MASS * G);
  end_world(&w);
}

/* Room that the user sets holds: one contact is left for each pair. */
static void pairs_share_the_room_that_there_is(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  const double half[3] = {0.05, 0.05, 0.02};
  pk_sim_options o = pk_sim_options_default();
  o.max_contacts = 3;
  pk_model *m = solid_model(PK_SHAPE_BOX, half, MASS, (const double[3]){2e-3, 2e-3, 2e-3});
  pk_terrain *t = slope_terrain(0);
  const pk_compliance c = pk_compliance_default();
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(sim, 0, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_material_compliance(sim, 0, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  pk_sim_q(sim)[2] = half[2];
  for (int i = 0; i < 500; i++) {
    must_step(sim);
  }
  pk_sim_contact contact;
  assert_int_equal(pk_sim_contacts(sim, &contact, 1), 1);
  assert_near(contact.impulse[2] / o.dt, MASS * G, 1e-4 * MASS * G);
  assert_near(contact.point[0], 0, 1e-6);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_have_the_forces_and_moments_of_all_faces),
      cmocka_unit_test(contacts_stay_with_the_shape_while_it_turns),
      cmocka_unit_test(a_flat_sole_supports_over_its_area),
      cmocka_unit_test(round_bodies_have_one_contact),
      cmocka_unit_test(pairs_share_the_room_that_there_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
