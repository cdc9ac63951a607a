/* What a reader reads off a world is what the world's own functions say. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "run/channels.h"

#include <math.h>

#include "math/mat3.h"
#include "scenario/help.h"
#include "support/bounds.h"

typedef struct fixture {
  pki_scenario *scenario;
  pki_world world;
  pki_watch watch;
  pki_run_result result;
  pki_channel_reader *reader;
} fixture;

static fixture *begin(const char *text, const char *const *only, int nonly)
{
  fixture *f = calloc(1, sizeof *f);
  pk_error err = {.message = ""};
  f->scenario = good_scenario(text, NULL);
  f->world = good_world(f->scenario);
  assert_int_equal(pki_watch_begin(&f->watch, &f->world, 1e-8, &f->result, &err), PK_OK);
  if (pki_channel_reader_create(&f->watch, &f->result, only, nonly, &f->reader, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return f;
}

static void end(fixture *f)
{
  pki_channel_reader_destroy(f->reader);
  pki_watch_free(&f->watch);
  pki_run_result_free(&f->result);
  pki_world_free(&f->world);
  pki_scenario_destroy(f->scenario);
  free(f);
}

static void step(fixture *f, int count)
{
  for (int i = 0; i < count; i++) {
    assert_int_equal(pki_world_step(&f->world, &f->watch.info), PK_OK);
    pki_watch_step(&f->watch, &f->result);
  }
}

static int find(const fixture *f, const char *name)
{
  for (int i = 0; i < f->reader->count; i++) {
    if (strcmp(f->reader->channels[i].name, name) == 0) {
      return i;
    }
  }
  fail_msg("no channel %s", name);
  return -1;
}

/* A value by the names of its channel and column, in the first row. */
static double value(fixture *f, const char *name, const char *column)
{
  const int i = find(f, name);
  const pk_recorder_channel *c = &f->reader->channels[i];
  int rows;
  const double *values = pki_channel_reader_read(f->reader, i, &rows);
  assert_greater(rows, 0);
  for (int k = 0; k < c->columns; k++) {
    if (strcmp(c->column[k], column) == 0) {
      return values[k];
    }
  }
  fail_msg("no column %s in %s", column, name);
  return NAN;
}

#define STARLETH \
  "model:\n  model: starleth\n  position: [0, 0, 0.435]\n" \
  "  joints: {LF_HFE: 0.7343101344764329, LF_KFE: -1.3411529067300831, RF_HFE: 0.7343101344764329,\n" \
  "    RF_KFE: -1.3411529067300831, LH_HFE: -0.7343101344764329, LH_KFE: 1.3411529067300831,\n" \
  "    RH_HFE: -0.7343101344764329, RH_KFE: 1.3411529067300831}\n" \
  "terrain:\n  - shape: plane\n" \
  "controller: {name: hold, kp: 400, kd: 10}\nduration: 1\n"

static void values_are_those_of_the_world(void **state)
{
  (void)state;
  fixture *f = begin(STARLETH, NULL, 0);
  step(f, 400);
  pk_sim *sim = f->world.sim;
  const pk_model *m = f->world.model;
  assert_true(value(f, "state/q", "base.z") == pk_sim_q(sim)[2]);
  assert_true(value(f, "state/u", "base.wz") == pk_sim_u(sim)[5]);
  const int knee = pk_model_find_joint(m, "RH_KFE");
  assert_true(value(f, "state/q", "RH_KFE") == pk_sim_q(sim)[m->joints[knee].q]);
  assert_true(value(f, "joints/force", "RH_KFE") == pk_sim_tau(sim)[m->joints[knee].u]);
  assert_true(value(f, "joints/command", "RH_KFE.position") == 1.3411529067300831);

  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
  const pk_energy e = pk_energy_compute(w, pk_sim_u(sim));
  assert_true(value(f, "energy", "kinetic") == e.kinetic && value(f, "energy", "potential") == e.potential);
  const pk_pose foot = pk_link_pose(w, pk_model_find_link(m, "base"));
  assert_true(value(f, "bodies", "base.x") == foot.pos[0]);
  assert_greater(value(f, "bodies", "base.qw"), 0.9);
  pk_workspace_destroy(w);

  /* standing: the feet carry the weight */
  double sum = 0;
  static const char *const feet[] = {"LF_FOOT.normal", "RF_FOOT.normal", "LH_FOOT.normal", "RH_FOOT.normal"};
  for (int i = 0; i < 4; i++) {
    sum += value(f, "feet", feet[i]);
  }
  assert_less(fabs(sum - 9.81 * m->mass), 1);
  int rows;
  const double *contacts = pki_channel_reader_read(f->reader, find(f, "contacts"), &rows);
  assert_int_equal(rows, 4);
  assert_less(fabs(contacts[3]), 1e-6);
  assert_true(contacts[6] == 1);
  assert_greater(contacts[9], 50);
  assert_true(contacts[11] == 0.8);
  assert_true(value(f, "solver", "contacts") == 4 && value(f, "solver", "certified") == 1);
  end(f);
}

/* Against the definition: R = Rz(yaw) Ry(pitch) Rx(roll). */
static void the_trunk_has_roll_pitch_and_yaw(void **state)
{
  (void)state;
  fixture *f =
      begin("model: {model: starleth, position: [1, 2, 3], rpy: [0.3, -0.4, 2.5]}\nduration: 1\n", NULL, 0);
  assert_less(fabs(value(f, "trunk/starleth", "roll") - 0.3), 1e-12);
  assert_less(fabs(value(f, "trunk/starleth", "pitch") + 0.4), 1e-12);
  assert_less(fabs(value(f, "trunk/starleth", "yaw") - 2.5), 1e-12);
  assert_true(value(f, "trunk/starleth", "y") == 2);
  step(f, 100);
  assert_less(fabs(value(f, "trunk/starleth", "vz") + 0.981), 1e-3);
  /* turning: as the link's own velocity says */
  for (int k = 0; k < 6; k++) {
    pk_sim_u(f->world.sim)[k] = 0.3 * (k + 1);
  }
  step(f, 1);
  pk_workspace *w;
  pk_workspace_create(f->world.model, &w, NULL);
  const int base = pk_model_find_link(f->world.model, "base");
  double twist[6], linear[3];
  pk_kinematics_compute(w, pk_sim_q(f->world.sim), pk_sim_u(f->world.sim));
  pk_link_velocity(w, base, twist);
  const pk_pose pose = pk_link_pose(w, base);
  pki_mat3_apply(pose.rot, twist + 3, linear);
  assert_less(fabs(value(f, "trunk/starleth", "vx") - linear[0]), 1e-12);
  assert_less(fabs(value(f, "trunk/starleth", "vz") - linear[2]), 1e-12);
  assert_less(fabs(value(f, "trunk/starleth", "wy") - twist[1]), 1e-12);
  pk_workspace_destroy(w);
  end(f);
}

static void worlds_of_any_kind_have_the_channels_that_fit(void **state)
{
  (void)state;
  fixture *f = begin("model: pendulum\nduration: 1\n", NULL, 0);
  assert_int_equal(f->reader->channels[find(f, "state/q")].columns, 1);
  assert_string_equal(f->reader->channels[find(f, "state/q")].unit[0], "rad");
  assert_string_equal(f->reader->channels[find(f, "joints/force")].unit[0], "N m");
  int rows;
  pki_channel_reader_read(f->reader, find(f, "contacts"), &rows);
  assert_int_equal(rows, 0);
  end(f);

  f = begin(
      "models:\n  - {model: starleth, prefix: a_}\n  - {model: starleth, prefix: b_, position: [0, 2, 0]}\n"
      "duration: 1\ncoordinates: maximal\n",
      NULL, 0);
  assert_true(value(f, "trunk/starleth_1", "y") == 2 && value(f, "trunk/starleth_0", "y") == 0);
  assert_true(value(f, "state/q", "b_base.y") == 2);
  assert_int_equal(f->reader->channels[find(f, "joints/force")].columns, 24);
  assert_int_equal(f->reader->channels[find(f, "bodies")].columns, 7 * f->world.model->nbody);
  end(f);
}

static void patterns_choose_channels_and_wrong_ones_are_named(void **state)
{
  (void)state;
  static const char *const some[] = {"state/*", "com"};
  fixture *f = begin(STARLETH, some, 2);
  assert_int_equal(f->reader->count, 3);
  find(f, "state/q"), find(f, "state/u"), find(f, "com");
  static const char *const wrong[] = {"com", "jionts/*"};
  pki_channel_reader *none;
  pk_error err;
  assert_int_equal(pki_channel_reader_create(&f->watch, &f->result, wrong, 2, &none, &err),
                   PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "no channel of this world is called \"jionts/*\" (pronk list channels)");
  assert_null(none);
  end(f);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_the_world),
      cmocka_unit_test(the_trunk_has_roll_pitch_and_yaw),
      cmocka_unit_test(worlds_of_any_kind_have_the_channels_that_fit),
      cmocka_unit_test(patterns_choose_channels_and_wrong_ones_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
