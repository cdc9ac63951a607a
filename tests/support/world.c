#include "support/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

pk_model *solid_model(pk_shape_kind kind, const double size[3], double mass, const double moment[3])
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  const pk_link_desc link = {.name = "solid",
                             .inertia = {.mass = mass, .moment = {moment[0], 0, 0, moment[1], 0, moment[2]}}};
  pk_shape_desc shape = {.link = "solid", .kind = kind, .pose = pk_pose_identity()};
  memcpy(shape.size, size, sizeof shape.size);
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

pk_model *solids_model(const free_solid *solids, int n, const double gravity[3])
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  for (int i = 0; i < n; i++) {
    const free_solid *s = &solids[i];
    char name[32], prefix[32];
    snprintf(name, sizeof name, "b%d", i);
    snprintf(prefix, sizeof prefix, "b%d_", i);
    pk_robot_desc robot = pk_robot_desc_default();
    robot.name = name, robot.prefix = prefix, robot.root = PK_ROOT_FREE;
    const pk_link_desc link = {
        .name = "solid",
        .inertia = {.mass = s->mass, .moment = {s->moment[0], 0, 0, s->moment[1], 0, s->moment[2]}}};
    pk_shape_desc shape = {.link = "solid", .kind = s->kind, .pose = pk_pose_identity(), .mesh = s->mesh};
    memcpy(shape.size, s->size, sizeof shape.size);
    assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
    assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_OK);
  }
  if (gravity != NULL) {
    pk_builder_set_gravity(b, gravity);
  }
  const pk_status status = pk_builder_compile(b, &m, &err);
  if (status != PK_OK) {
    print_error("%s\n", err.message);
  }
  assert_int_equal(status, PK_OK);
  pk_builder_destroy(b);
  return m;
}

pk_terrain *slope_terrain(double angle)
{
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  pk_error err;
  const double normal[3] = {sin(angle), 0, cos(angle)}, origin[3] = {0, 0, 0};
  assert_int_equal(pk_terrain_add_plane(t, origin, normal, 0, &err), PK_OK);
  return t;
}

pk_sim *start_world(const pk_model *m, const pk_terrain *t, pk_material material, const pk_sim_options *o)
{
  pk_sim *sim;
  pk_error err;
  assert_int_equal(pk_sim_create(m, o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, &material, 1, &err), PK_OK);
  assert_int_equal(pk_sim_set_body_material(sim, &material, &err), PK_OK);
  return sim;
}

pk_model *starleth_model(void)
{
  pk_model *m;
  pk_error err;
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &m, &err), PK_OK);
  return m;
}

void starleth_pose(pk_sim *sim, double height, bool held)
{
  pk_sim_q(sim)[2] = height;
  for (int leg = 0; leg < 4; leg++) {
    const double fore = leg < 2 ? 1 : -1, angles[3] = {0, 0.6 * fore, -1.2 * fore};
    for (int j = 0; j < 3; j++) {
      pk_sim_q(sim)[7 + 3 * leg + j] = angles[j];
      pk_sim_commands(sim)[6 + 3 * leg + j] =
          held ? (pk_command){.kp = 200, .kd = 5, .q_des = angles[j], .tau_max = 30}
               : (pk_command){.tau_max = INFINITY};
    }
  }
}

pk_step_info must_step(pk_sim *sim)
{
  pk_step_info info;
  assert_int_equal(pk_sim_step(sim, &info), PK_OK);
  return info;
}

double fastest(pk_sim *sim)
{
  double most = 0;
  for (int k = 0; k < pk_sim_model(sim)->nu; k++) {
    most = fmax(most, fabs(pk_sim_u(sim)[k]));
  }
  return most;
}
