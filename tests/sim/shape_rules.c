/* What a model says of its shapes: groups, pairs, friction, and planes and heights that stand in the world. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/batch.h"
#include "pronk/sim.h"
#include "support/bounds.h"

enum { FLOOR, BRICK };

/* A brick on a floor that stands in the world, gravity tilted so that the brick slides along x. */
typedef struct scene {
  pk_shape_desc shape[2];
  pk_pair_desc pair;
  bool has_pair;
} scene;

static const double tilt = 0.6, gravity = 10; /* rad, m/s^2 */

static scene usual(void)
{
  scene s = {.shape = {{.link = "world", .name = "floor", .kind = PK_SHAPE_PLANE, .pose = pk_pose_identity()},
                       {.link = "brick",
                        .name = "box",
                        .kind = PK_SHAPE_BOX,
                        .size = {0.4, 0.4, 0.1},
                        .pose = pk_pose_identity()}}};
  return s;
}

static pk_model *compile_scene(const scene *s)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const double g[3] = {gravity * sin(tilt), 0, -gravity * cos(tilt)};
  pk_builder_set_gravity(b, g);
  pk_robot_desc ground = pk_robot_desc_default(), thing = pk_robot_desc_default();
  ground.name = "ground", thing.name = "brick", thing.root = PK_ROOT_FREE, thing.pose.pos[2] = 0.05;
  const pk_link_desc links[2] = {
      {.name = "world"}, {.name = "brick", .inertia = {.mass = 1, .moment = {0.01, 0, 0, 0.01, 0, 0.02}}}};
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pk_builder_add_robot(b, &ground, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &links[0], NULL), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &s->shape[FLOOR], NULL), PK_OK);
  assert_int_equal(pk_builder_add_robot(b, &thing, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &links[1], NULL), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &s->shape[BRICK], NULL), PK_OK);
  if (s->has_pair) {
    assert_int_equal(pk_builder_add_pair(b, &s->pair, NULL), PK_OK);
  }
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

static const double duration = 0.2, dt = 1e-3;

/* Speeds along x and z after 0.2 s. */
static void slide(const scene *s, double out[2])
{
  pk_model *m = compile_scene(s);
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim;
  pk_error err = {.message = ""};
  o.dt = dt;
  if (pk_sim_create(m, &o, &sim, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  for (int i = 0; i < (int)lround(duration / dt); i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  out[0] = pk_sim_u(sim)[0], out[1] = pk_sim_u(sim)[2];
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* v = g t (sin - mu cos), as Coulomb has it. */
static void expect_friction(const scene *s, double mu)
{
  double v[2];
  slide(s, v);
  assert_near(v[0], gravity * duration * (sin(tilt) - mu * cos(tilt)), 1e-6);
  assert_near(v[1], 0, 1e-6);
}

static void expect_fall(const scene *s)
{
  double v[2];
  slide(s, v);
  assert_near(v[1], -gravity * duration * cos(tilt), 1e-6);
}

static void friction_is_that_of_the_shapes(void **state)
{
  (void)state;
  scene s = usual();
  s.shape[BRICK].friction = 0.3; /* the other has none of its own */
  expect_friction(&s, 0.3);
  s.shape[FLOOR].friction = 0.5; /* the larger */
  expect_friction(&s, 0.5);
  s.shape[BRICK].priority = 1;
  expect_friction(&s, 0.3);
  s.shape[BRICK].friction = -1; /* ice */
  expect_friction(&s, 0);
  s.shape[BRICK].priority = 0;
  expect_friction(&s, 0.5);
}

static void a_pair_has_the_last_word(void **state)
{
  (void)state;
  scene s = usual();
  s.shape[BRICK].friction = 0.3, s.has_pair = true;
  s.pair = (pk_pair_desc){.name = {"box", "floor"}, .shapes = true, .collide = true, .friction = 0.4};
  expect_friction(&s, 0.4);
  s.shape[BRICK].pairs_only = true;
  expect_friction(&s, 0.4);
  s.pair.friction = -1;
  expect_friction(&s, 0);
  s.pair.friction = 0;
  expect_friction(&s, 0.3);
  s.pair.collide = false;
  expect_fall(&s);
  s.pair = (pk_pair_desc){.name = {"brick", "world"}};
  s.shape[BRICK].pairs_only = false;
  expect_fall(&s);
}

static void groups_meet_masks_either_way(void **state)
{
  (void)state;
  static const struct {
    unsigned group[2], mask[2];
    bool meet;
  } rows[] = {{{0, 0}, {0, 0}, true},  {{1, 1}, {1, 1}, true}, {{1, 2}, {1, 2}, false},
              {{1, 2}, {2, 4}, true},  {{1, 2}, {4, 1}, true}, {{1, 0}, {1, 1}, true},
              {{0, 0}, {1, 1}, false}, {{4, 2}, {2, 0}, true}, {{4, 2}, {1, 0}, false},
              {{1, 1}, {2, 2}, false}, {{1, 2}, {0, 1}, true}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    scene s = usual();
    for (int k = 0; k < 2; k++) {
      s.shape[k].group = rows[i].group[k], s.shape[k].mask = rows[i].mask[k], s.shape[k].friction = 0.3;
    }
    if (rows[i].meet) {
      expect_friction(&s, 0.3);
    } else {
      expect_fall(&s);
    }
  }
  scene s = usual();
  s.shape[FLOOR].pairs_only = true;
  expect_fall(&s);
}

static void heights_stand_in_the_world(void **state)
{
  (void)state;
  double z[9] = {0};
  const pk_heights heights = {.nx = 3, .ny = 3, .cell = 2, .z = z};
  scene s = usual();
  s.shape[FLOOR].kind = PK_SHAPE_HEIGHTS, s.shape[FLOOR].heights = &heights;
  s.shape[FLOOR].pose.pos[0] = s.shape[FLOOR].pose.pos[1] = -2;
  s.shape[BRICK].friction = 0.3;
  expect_friction(&s, 0.3);
  s.shape[FLOOR].pose.pos[0] = 2; /* the brick begins beside them */
  expect_fall(&s);
}

/* Lanes say what a sim says, to the bit. */
static void on_the_ground_its_material_decides(void **state)
{
  (void)state;
  scene s = usual();
  pk_terrain *ice;
  pk_sim *sim;
  const double mu = 0.1;
  s.shape[BRICK].friction = 0.9, s.shape[BRICK].priority = 1;
  s.shape[FLOOR].pose.pos[2] = -1;
  pk_model *m = compile_scene(&s);
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt;
  assert_int_equal(pk_terrain_create(&ice, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_plane(ice, (const double[]){0, 0, 0}, (const double[]){0, 0, 1}, 0, NULL),
                   PK_OK);
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, ice, &(pk_material){.friction = mu}, 1, NULL), PK_OK);
  for (int i = 0; i < (int)lround(duration / dt); i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  assert_near(pk_sim_u(sim)[0], gravity * duration * (sin(tilt) - mu * cos(tilt)), 1e-6);
  pk_sim_destroy(sim);
  pk_terrain_destroy(ice);
  pk_model_destroy(m);
}

static void batches_agree(void **state)
{
  (void)state;
  scene s = usual();
  s.shape[BRICK].friction = 0.3, s.shape[FLOOR].friction = 0.2;
  pk_model *m = compile_scene(&s);
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt;
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  pk_batch_options bo = pk_batch_options_default();
  bo.worlds = 5, bo.lanes = 4, bo.threads = 1, bo.sim = o;
  pk_batch *batch;
  pk_error err = {.message = ""};
  if (pk_batch_create(m, &bo, &batch, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  for (int i = 0; i < 100; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_int_equal(pk_batch_step(batch, 1, NULL), PK_OK);
  }
  pk_sim *probe;
  assert_int_equal(pk_sim_create(m, &o, &probe, NULL), PK_OK);
  for (int k = 0; k < 5; k++) {
    assert_int_equal(pk_batch_get(batch, k, probe, NULL), PK_OK);
    assert_memory_equal(pk_sim_u(probe), pk_sim_u(sim), 6 * sizeof(double));
    assert_memory_equal(pk_sim_q(probe), pk_sim_q(sim), 7 * sizeof(double));
  }
  pk_batch_destroy(batch);
  pk_sim_destroy(sim);
  pk_sim_destroy(probe);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_is_that_of_the_shapes),     cmocka_unit_test(a_pair_has_the_last_word),
      cmocka_unit_test(groups_meet_masks_either_way),       cmocka_unit_test(heights_stand_in_the_world),
      cmocka_unit_test(on_the_ground_its_material_decides), cmocka_unit_test(batches_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
