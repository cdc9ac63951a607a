/* What joints carry, held to closed forms and to the equations of Newton and Euler of every body. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/mat3.h"
#include "pronk/dynamics.h"
#include "pronk/model.h"
#include "pronk/sensing.h"
#include "pronk/sim.h"
#include "support/bounds.h"

static pk_model *load(const char *name, pk_root_kind root)
{
  char path[256];
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  pk_load_options o = pk_load_options_default();
  o.root = root, o.collision_meshes = PK_MESH_COLLISION_TRIANGLES;
  pk_model *model = NULL;
  pk_error err = {0};
  if (pk_model_load_urdf(path, &o, &model, &err) != PK_OK) {
    fail_msg("%s: %s", path, err.message);
  }
  return model;
}

static pk_sim *new_sim(const pk_model *m, pk_stepper stepper, double dt, const pk_sensing *sensing)
{
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.dt = dt, o.sensing = sensing;
  pk_sim *sim = NULL;
  pk_error err = {0};
  if (pk_sim_create(m, &o, &sim, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return sim;
}

static int joint_of(const pk_model *m, const char *name)
{
  for (int j = 0; j < m->njoint; j++) {
    if (strcmp(m->joints[j].name, name) == 0) {
      return j;
    }
  }
  fail_msg("no joint %s", name);
  return -1;
}

/* ---- one body ---- */

/* A rod that swings: along it the hinge carries m (l w^2 + g cos), across it m (l dw + g sin), with the mean acceleration of the step and
 * the angle and rate at which the scheme takes its forces; nothing about its axis. Between the steps all of this changes by O(dt). */
static void a_pendulum_s_hinge_carries_its_weight_and_its_centripetal_force(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU, PK_STEPPER_RK4};
  static const double bound[] = {1e-12, 1e-12,
                                 1e-4}; /* of rk4: second order, dt^2 times accelerations of 20 1/s^2 */
  pk_model *m = load("pendulum", PK_ROOT_AUTO);
  const double mass = m->links[1].inertia.mass, l = -m->links[1].inertia.com[2], g = 9.81, dt = 1e-3;
  for (int s = 0; s < 3; s++) {
    pk_sim *sim = new_sim(m, steppers[s], dt, NULL);
    double q = 0.9, u = 3.0, load[6], acceleration;
    pk_sim_joint_loads(sim, load);
    for (int k = 0; k < 6; k++) {
      assert_near(load[k], 0.0, 0.0); /* no step yet */
    }
    pk_sim_q(sim)[0] = q, pk_sim_u(sim)[0] = u;
    for (int k = 0; k < 200; k++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
      acceleration = (pk_sim_u(sim)[0] - u) / dt;
      const double rate = s == 2 ? 0.5 * (u + pk_sim_u(sim)[0]) : u, angle = s == 0 ? q : q + 0.5 * dt * rate;
      pk_sim_joint_loads(sim, load);
      assert_near(load[2], mass * (l * rate * rate + g * cos(angle)), bound[s]);
      assert_near(load[0], -mass * (l * acceleration + g * sin(angle)), bound[s]);
      assert_near(load[1], 0.0, 1e-12);
      assert_near(load[3], 0.0, 1e-12);
      assert_near(load[4], 0.0, s == 2 ? 1e-4 : 1e-11);
      q = pk_sim_q(sim)[0], u = pk_sim_u(sim)[0];
    }
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* ---- statics ---- */

/* An arm that is held still: each joint carries the weight of what hangs on it, and its moment. */
static void an_arm_at_rest_carries_the_weight_beyond_each_joint(void **state)
{
  (void)state;
  pk_model *m = load("ur10", PK_ROOT_AUTO);
  pk_sim *sim = new_sim(m, PK_STEPPER_MOREAU, 1e-3, NULL);
  const double pose[6] = {0.3, -1.2, 1.4, -0.2, 0.5, 0.1};
  for (int k = 0; k < 6; k++) {
    pk_sim_q(sim)[k] = pose[k];
    pk_sim_commands(sim)[k] = (pk_command){.q_des = pose[k], .kp = 1e9, .kd = 1e7};
  }
  for (int k = 0; k < 2000; k++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  double loads[6][6];
  pk_sim_joint_loads(sim, &loads[0][0]);
  pk_workspace *w = pk_sim_workspace(sim);
  for (int j = 0; j < 6; j++) {
    const pk_pose at = pk_link_pose(w, m->body_link[m->joints[j].body]);
    double weight = 0, moment[3] = {0}, force[3], turned[3];
    for (int i = m->joints[j].body; i < m->nbody; i++) { /* one chain: all bodies behind it */
      const double *in = m->body_inertia + 10 * (size_t)i;
      const pk_pose pose_i = pk_link_pose(w, m->body_link[i]);
      double c[3], arm[3], part[3];
      const double first[3] = {in[1], in[2], in[3]}; /* m c */
      pki_mat3_apply(pose_i.rot, first, c);
      for (int k = 0; k < 3; k++) {
        arm[k] = in[0] * (pose_i.pos[k] - at.pos[k]) + c[k];
      }
      const double up[3] = {0, 0, 9.81};
      pki_cross3(arm, up, part);
      weight += in[0] * 9.81;
      for (int k = 0; k < 3; k++) {
        moment[k] += part[k];
      }
    }
    pki_mat3_apply(at.rot, loads[j], force), pki_mat3_apply(at.rot, loads[j] + 3, turned);
    assert_near(force[2], weight, 1e-6 * weight);
    for (int k = 0; k < 3; k++) {
      assert_near(turned[k], moment[k], 1e-5 * weight);
    }
  }
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* A beam on a hinge and a ball at its end carries half of its weight at each; the loop has no motor. */
static void a_loop_takes_its_share_of_the_weight(void **state)
{
  (void)state;
  static const char text[] =
      "<robot name=\"beam\"><link name=\"world\"/><link name=\"beam\"><inertial><origin xyz=\"1 0 0\"/><mass "
      "value=\"3\"/><inertia ixx=\"0.1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
      "iyz=\"0\"/></inertial></link>"
      "<joint name=\"hinge\" type=\"continuous\"><parent link=\"world\"/><child link=\"beam\"/><axis xyz=\"0 "
      "1 "
      "0\"/></joint></robot>";
  pk_builder *b = NULL;
  pk_error err = {0};
  assert_int_equal(pk_builder_create(&b, NULL), PK_OK);
  assert_int_equal(pk_builder_add_urdf_memory(b, text, sizeof text - 1, "beam.urdf", NULL, &err), PK_OK);
  const pk_constraint_desc end = {.name = "end",
                                  .kind = PK_CONSTRAINT_BALL,
                                  .link = {NULL, "beam"},
                                  .frame = {{.pos = {2, 0, 0}, .rot = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                            {.pos = {2, 0, 0}, .rot = {1, 0, 0, 0, 1, 0, 0, 0, 1}}}};
  assert_int_equal(pk_builder_add_constraint(b, &end, &err), PK_OK);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  for (int method = 0; method < PK_BILATERAL_METHOD_COUNT; method++) {
    pk_sim_options o = pk_sim_options_default();
    o.bilateral = (pk_bilateral_method)method;
    pk_sim *sim = NULL;
    assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
    double load[6];
    for (int k = 0; k < 10; k++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    pk_sim_joint_loads(sim, load);
    assert_near(load[2], 0.5 * 3 * 9.81, 1e-6);
    assert_near(load[4], 0.0, 1e-6);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
  pk_builder_destroy(b);
}

/* A block falls on the middle of such a beam, on compliant surfaces: the hinge carries what the lever gives it, in every step. */
static void a_loop_takes_its_share_of_what_falls_on_compliant_surfaces(void **state)
{
  (void)state;
  static const char text[] =
      "<robot name=\"beam\"><link name=\"world\"/><link name=\"beam\"><inertial><origin xyz=\"1 0 0\"/><mass "
      "value=\"3\"/><inertia ixx=\"0.1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
      "<collision><origin xyz=\"1 0 0\"/><geometry><box size=\"2 0.2 0.02\"/></geometry></collision></link>"
      "<joint name=\"hinge\" type=\"continuous\"><parent link=\"world\"/><child link=\"beam\"/><axis xyz=\"0 "
      "1 "
      "0\"/></joint></robot>";
  static const char block[] =
      "<robot name=\"block\"><link name=\"block\"><inertial><mass value=\"2\"/><inertia ixx=\"0.01\" "
      "iyy=\"0.01\" "
      "izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><box size=\"0.1 0.1 "
      "0.04\"/></geometry></collision></link></robot>";
  pk_builder *b = NULL;
  pk_error err = {0};
  pk_load_options o = pk_load_options_default();
  assert_int_equal(pk_builder_create(&b, NULL), PK_OK);
  assert_int_equal(pk_builder_add_urdf_memory(b, text, sizeof text - 1, "beam.urdf", NULL, &err), PK_OK);
  o.root = PK_ROOT_FREE;
  assert_int_equal(pk_builder_add_urdf_memory(b, block, sizeof block - 1, "block.urdf", &o, &err), PK_OK);
  const pk_constraint_desc end = {.name = "end",
                                  .kind = PK_CONSTRAINT_BALL,
                                  .link = {NULL, "beam"},
                                  .frame = {{.pos = {2, 0, 0}, .rot = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                            {.pos = {2, 0, 0}, .rot = {1, 0, 0, 0, 1, 0, 0, 0, 1}}}};
  assert_int_equal(pk_builder_add_constraint(b, &end, &err), PK_OK);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  for (int method = 0; method < PK_BILATERAL_METHOD_COUNT; method++) {
    pk_sim_options options = pk_sim_options_default();
    options.bilateral = (pk_bilateral_method)method;
    pk_sim *sim = NULL;
    const pk_compliance rubber = pk_compliance_default();
    assert_int_equal(pk_sim_create(m, &options, &sim, &err), PK_OK);
    assert_int_equal(pk_sim_set_surface_compliance(sim, 0, &rubber, &err), PK_OK);
    double loads[6 * 4], *const place = pk_sim_q(sim) + 1; /* behind the hinge */
    place[0] = 1, place[2] = 0.035;
    assert_true(m->njoint <= 4);
    for (int k = 0; k < 300; k++) {
      pk_sim_contact contacts[4];
      double lever = 1.5 * 9.81;
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
      const int n = pk_sim_contacts(sim, contacts, 4);
      assert_true(n == 0 || n == 4);
      for (int c = 0; c < n; c++) { /* on the first of the two, the beam */
        lever -= 0.5 * (2 - contacts[c].point[0]) * contacts[c].impulse[2] / options.dt;
      }
      pk_sim_joint_loads(sim, loads);
      assert_near(loads[6 * (size_t)joint_of(m, "hinge") + 2], lever, 1e-4);
    }
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
  pk_builder_destroy(b);
}

/* ---- every body ---- */

/* The linear acceleration of a body's centre of mass and m (dv - g). */
static void inertial_force(pk_workspace *w, int body, const double *u, const double *a, double *J,
                           double force[3])
{
  const pk_model *m = pk_workspace_model(w);
  const double *in = m->body_inertia + 10 * (size_t)body;
  const double com[3] = {in[1] / in[0], in[2] / in[0], in[3] / in[0]};
  double curved[6];
  pk_link_jacobian(w, m->body_link[body], com, J);
  pk_link_jacobian_dot_u(w, m->body_link[body], com, u, curved);
  for (int k = 0; k < 3; k++) {
    double dv = curved[3 + k] + (k == 2 ? 9.81 : 0);
    for (int c = 0; c < m->nu; c++) {
      dv += J[(size_t)(3 + k) * (size_t)m->nu + (size_t)c] * a[c];
    }
    force[k] = in[0] * dv;
  }
}

/* Forces on a body: what its joint gives, less what its children's joints take, contacts, a push on the root; they make m (dv - g). */
static void check_bodies(const pk_model *m, pk_sim *sim, pk_workspace *w, const double *q, const double *u,
                         const double *push, double dt, double bound)
{
  double *loads = calloc(6 * (size_t)m->njoint, sizeof *loads),
         *sums = calloc(3 * (size_t)m->nbody, sizeof *sums);
  double *middle = calloc((size_t)m->nq, sizeof *middle), *a = calloc((size_t)m->nu, sizeof *a);
  double *half = calloc((size_t)m->nu, sizeof *half), *J = calloc(6 * (size_t)m->nu, sizeof *J);
  pk_sim_contact contacts[64];
  assert_true(loads && sums && middle && a && half && J);
  for (int k = 0; k < m->nu; k++) {
    a[k] = (pk_sim_u(sim)[k] - u[k]) / dt, half[k] = 0.5 * dt * u[k];
  }
  pk_config_add(m, q, half, middle);
  pk_kinematics_compute(w, middle, u);
  pk_sim_joint_loads(sim, loads);
  for (int j = 0; j < m->njoint; j++) {
    const int body = m->joints[j].body;
    const pk_pose pose = pk_link_pose(w, m->body_link[body]);
    double force[3];
    pki_mat3_apply(pose.rot, loads + 6 * (size_t)j, force);
    for (int k = 0; k < 3; k++) {
      sums[3 * body + k] += force[k];
      sums[3 * m->body_parent[body] + k] -= force[k];
    }
  }
  const int n = pk_sim_contacts(sim, contacts, 64);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) {
      sums[3 * m->links[contacts[i].link].body + k] += contacts[i].impulse[k] / dt;
    }
  }
  for (int i = 0; i < m->nbody; i++) {
    double force[3];
    inertial_force(w, i, u, a, J, force);
    for (int k = 0; k < 3; k++) {
      assert_near(sums[3 * i + k] + (i == 0 ? push[k] : 0), force[k], bound);
    }
  }
  free(loads), free(sums), free(middle), free(a), free(half), free(J);
}

/* Soles and ground give way: the faces of the feet press. */
static void soften_feet(const pk_model *m, pk_sim *sim)
{
  pk_compliance c = pk_compliance_default();
  pk_error err = {0};
  c.stiffness = 1e5, c.layer = 2e-4, c.dissipation = 0.1;
  for (int s = 0; s < m->nshape; s++) {
    if (!m->shapes[s].visual && strstr(m->links[m->shapes[s].link].name, "Foot") != NULL) {
      assert_int_equal(pk_sim_set_surface(sim, s, 1, &err), PK_OK);
    }
  }
  assert_int_equal(pk_sim_set_surface_compliance(sim, 1, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_material_compliance(sim, 0, &c, &err), PK_OK);
}

/* COMAN falls on its feet, is pushed, and holds its pose with torques: forces on every body add up, the root's too, which no joint holds. Moments
 * about the axes are the torques: there is no friction, damping or rotor in the model. To the tolerance of the contact solver, or of Newton's
 * method on compliant soles. */
static void land_and_be_pushed(bool soft, double part)
{
  enum { NQ = 30, NU = 29, NJ = 23 };
  const double dt = 2e-3;
  pk_model *m = load(soft ? "coman_mesh_feet" : "coman", PK_ROOT_AUTO);
  const double bound = part * 9.81 * m->mass;
  pk_terrain *ground = NULL;
  pk_error err = {0};
  assert_int_equal(pk_terrain_create(&ground, &err), PK_OK);
  assert_int_equal(pk_terrain_add_plane(ground, (const double[3]){0}, (const double[3]){0, 0, 1}, 0, &err),
                   PK_OK);
  pk_sim *sim = new_sim(m, PK_STEPPER_MOREAU, dt, NULL);
  const pk_material rubber = pk_material_default();
  assert_int_equal(pk_sim_set_terrain(sim, ground, &rubber, 1, &err), PK_OK);
  if (soft) {
    soften_feet(m, sim);
  }
  pk_workspace *w = NULL;
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  pk_sim_q(sim)[2] = 0.53;
  for (int k = 6; k < NU; k++) {
    pk_sim_commands(sim)[k] = (pk_command){.kp = 300, .kd = 10};
  }
  int touched = 0;
  for (int k = 0; k < 150; k++) {
    const double push[3] = {k > 50 ? 20.0 : 0.0, k > 80 ? -15.0 : 0.0, 0};
    const double at[3] = {0.02, 0.01, 0.1};
    double q[NQ], u[NU], loads[6 * NJ];
    memcpy(q, pk_sim_q(sim), sizeof q), memcpy(u, pk_sim_u(sim), sizeof u);
    assert_int_equal(pk_sim_push(sim, m->robots[0].root_link, at, push), PK_OK);
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    check_bodies(m, sim, w, q, u, push, dt, bound);
    pk_sim_joint_loads(sim, loads);
    for (int j = 0; j < NJ; j++) {
      double torque = 0;
      for (int e = 0; e < 3; e++) {
        torque += m->joints[j].axis[e] * loads[6 * j + 3 + e];
      }
      assert_near(torque, pk_sim_tau(sim)[m->joints[j].u], bound);
    }
    pk_sim_contact contacts[64];
    touched += pk_sim_contacts(sim, contacts, 64) > 0;
  }
  assert_greater(touched, 100);
  pk_workspace_destroy(w);
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  pk_model_destroy(m);
}

static void forces_on_every_body_add_up_while_a_humanoid_lands_and_is_pushed(void **state)
{
  (void)state;
  land_and_be_pushed(false, 1e-8);
}

static void forces_on_every_body_add_up_on_compliant_soles(void **state)
{
  (void)state;
  land_and_be_pushed(true, 1e-10);
}

/* ---- sensors ---- */

/* A force/torque sensor at the shoulder of an arm at rest feels 2 kg at the hand and a push there. */
static void a_force_torque_sensor_feels_pushes_and_mass_that_a_world_adds(void **state)
{
  (void)state;
  pk_model *m = load("ur10", PK_ROOT_AUTO);
  const int shoulder = m->body_link[m->joints[joint_of(m, "shoulder_lift_joint")].body];
  const int hand = m->body_link[m->nbody - 1];
  const pk_sensor ft = {.kind = pk_sensing_kind_find("force-torque"), .link = shoulder};
  pk_sensing *sensing = NULL;
  pk_error err = {0};
  assert_int_equal(pk_sensing_create(m, &ft, 1, 1, &sensing, &err), PK_OK);
  double weight[2];
  for (int added = 0; added < 2; added++) {
    pk_sim *sim = new_sim(m, PK_STEPPER_MOREAU, 1e-3, sensing);
    if (added) {
      assert_int_equal(pk_sim_add_mass(sim, hand, 2, (const double[3]){0, 0, 0}, &err), PK_OK);
    }
    for (int k = 0; k < 6; k++) {
      pk_sim_commands(sim)[k] = (pk_command){.kp = 1e9, .kd = 1e7};
    }
    for (int k = 0; k < 2000; k++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    const pk_pose pose = pk_link_pose(pk_sim_workspace(sim), shoulder);
    double force[3];
    pki_mat3_apply(pose.rot, pk_sim_readings(sim), force);
    weight[added] = force[2];
    for (int k = 0; k < 200; k++) {
      assert_int_equal(pk_sim_push(sim, hand, (const double[3]){0, 0, 0.1}, (const double[3]){0, 7, -5}),
                       PK_OK);
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    pki_mat3_apply(pose.rot, pk_sim_readings(sim), force);
    assert_near(force[2], weight[added] + 5, 1e-4);
    assert_near(force[1], -7, 1e-4);
    pk_sim_destroy(sim);
  }
  assert_near(weight[1] - weight[0], 2 * 9.81, 1e-4);
  pk_sensing_destroy(sensing);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_s_hinge_carries_its_weight_and_its_centripetal_force),
      cmocka_unit_test(an_arm_at_rest_carries_the_weight_beyond_each_joint),
      cmocka_unit_test(a_loop_takes_its_share_of_the_weight),
      cmocka_unit_test(a_loop_takes_its_share_of_what_falls_on_compliant_surfaces),
      cmocka_unit_test(forces_on_every_body_add_up_while_a_humanoid_lands_and_is_pushed),
      cmocka_unit_test(forces_on_every_body_add_up_on_compliant_soles),
      cmocka_unit_test(a_force_torque_sensor_feels_pushes_and_mass_that_a_world_adds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
