/* A hexapod walks with the code that quadrupeds walk with. What its feet do is measured by contact alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gait/estimator.h"
#include "gait/gaits.h"
#include "pronk/gait.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/pace.h"

enum { LEGS = 6, CONTACTS = 64 };

static const double circle = 6.283185307179586, gravity = 9.81, hips = 0.41; /* m, above the feet's points */
static const double bend[3] = {0, 0.7343101344764329, -1.3411529067300831};
static const char *const feet[LEGS] = {"LF_FOOT", "RF_FOOT", "LM_FOOT", "RM_FOOT", "LH_FOOT", "RH_FOOT"};

typedef struct hexapod {
  pk_model *model;
  pk_terrain *terrain;
  pk_controller *controller;
  pk_sim *sim;
  int foot[LEGS];
} hexapod;

/* What is seen of a stretch of time. */
typedef struct gait_facts {
  double speed, aside, turn;         /* m/s, m/s, rad/s: mean */
  double tilt, low, high;            /* rad, m: of the trunk */
  double duty[LEGS], footfall[LEGS]; /* parts of the cycle; after the first foot's */
  int least;                         /* feet on the ground, at least */
  int steps, uncertified, others;    /* others: steps in which something else than a foot touched */
  double torque;                     /* N m, most */
} gait_facts;

static pk_model *load_hexapod(void)
{
  pk_model *model = NULL;
  pk_error err = {.message = ""};
  if (pk_model_load_urdf(PK_SOURCE_DIR "/models/hexapod/hexapod.urdf", NULL, &model, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return model;
}

static hexapod stand_up(const pk_locomotion_options *options)
{
  static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  hexapod h = {.model = load_hexapod()};
  pk_error err = {.message = ""};
  pk_sim_options o = pk_sim_options_default();
  o.dt = 2.5e-3;
  assert_int_equal(pk_terrain_create(&h.terrain, &err), PK_OK);
  assert_int_equal(pk_terrain_add_plane(h.terrain, origin, up, 0, &err), PK_OK);
  if (pk_locomotion_create(h.model, options, &h.controller, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(pk_sim_create(h.model, &o, &h.sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(h.sim, h.terrain, NULL, 0, &err), PK_OK);
  assert_int_equal(pk_sim_set_controller(h.sim, h.controller, &err), PK_OK);
  double *q = pk_sim_q(h.sim);
  q[2] = 0.435, q[3] = 1;
  for (int k = 0; k < 3 * LEGS; k++) {
    q[7 + k] = bend[k % 3];
  }
  for (int i = 0; i < LEGS; i++) {
    h.foot[i] = pk_model_find_link(h.model, feet[i]);
  }
  return h;
}

static void let_go(hexapod *h)
{
  pk_sim_destroy(h->sim);
  pk_locomotion_destroy(h->controller);
  pk_terrain_destroy(h->terrain);
  pk_model_destroy(h->model);
}

static int foot_of(const hexapod *h, int link)
{
  int i = LEGS - 1;
  while (i >= 0 && h->foot[i] != link) {
    i--;
  }
  return i;
}

/* Which feet push, and whether something else does. */
static int read_feet(const hexapod *h, double least, bool down[LEGS], bool *other)
{
  pk_sim_contact contacts[CONTACTS];
  double load[LEGS] = {0};
  int standing = 0;
  const int n = pk_sim_contacts(h->sim, contacts, CONTACTS);
  for (int k = 0; k < n; k++) {
    const int i = foot_of(h, contacts[k].link);
    *other = *other || i < 0;
    load[i < 0 ? 0 : i] += i < 0 ? 0 : contacts[k].impulse[2];
  }
  for (int i = 0; i < LEGS; i++) {
    down[i] = load[i] > least;
    standing += down[i];
  }
  return standing;
}

static void watch_trunk(const hexapod *h, gait_facts *f)
{
  const double *q = pk_sim_q(h->sim);
  const double upright = 1 - 2 * (q[4] * q[4] + q[5] * q[5]);
  f->tilt = fmax(f->tilt, acos(fmin(1, upright)));
  f->low = fmin(f->low, q[2]), f->high = fmax(f->high, q[2]);
  for (int k = 6; k < h->model->nu; k++) {
    f->torque = fmax(f->torque, fabs(pk_sim_tau(h->sim)[k]));
  }
}

static double yaw_of(const double *q)
{
  return atan2(2 * (q[3] * q[6] + q[4] * q[5]), 1 - 2 * (q[5] * q[5] + q[6] * q[6]));
}

/* A landing is the first contact after an eighth of a cycle without. */
static gait_facts watch(hexapod *h, double cycle, int cycles)
{
  gait_facts f = {.low = 1e9, .least = LEGS};
  double since[LEGS] = {0}, first = -1, c[LEGS] = {0}, s[LEGS] = {0};
  const double *q = pk_sim_q(h->sim), x = q[0], y = q[1], yaw = yaw_of(q), begin = pk_sim_time(h->sim);
  while (pk_sim_time(h->sim) - begin < cycle * cycles - 1e-9) {
    const double now = pk_sim_time(h->sim);
    pk_step_info info;
    bool down[LEGS], other = false;
    assert_int_equal(pk_sim_step(h->sim, &info), PK_OK);
    const double dt = pk_sim_time(h->sim) - now;
    const int standing = read_feet(h, 0.002 * dt * gravity * h->model->mass, down, &other);
    for (int i = 0; i < LEGS; i++) {
      if (down[i] && since[i] > cycle / 8) {
        first = i == 0 ? now : first;
        c[i] += first >= 0 ? cos(circle * (now - first) / cycle) : 0;
        s[i] += first >= 0 ? sin(circle * (now - first) / cycle) : 0;
      }
      since[i] = down[i] ? 0 : since[i] + dt;
      f.duty[i] += down[i];
    }
    f.least = standing < f.least ? standing : f.least;
    f.steps++, f.others += other, f.uncertified += !info.certified;
    watch_trunk(h, &f);
  }
  const double time = cycle * cycles, dx = (q[0] - x) / time, dy = (q[1] - y) / time;
  f.speed = cos(yaw) * dx + sin(yaw) * dy, f.aside = cos(yaw) * dy - sin(yaw) * dx;
  f.turn = (yaw_of(q) - yaw) / time;
  for (int i = 0; i < LEGS; i++) {
    f.duty[i] /= f.steps;
    f.footfall[i] = atan2(s[i], c[i]) / circle;
  }
  return f;
}

static double around(double cycles)
{
  return cycles - floor(cycles + 0.5);
}

/* `stand` feet are on the ground at least. */
static void walk_in(pk_gait gait, double speed, int stand)
{
  const pki_gait_row *row = pki_gaits[gait];
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = gait, o.forward = speed;
  hexapod h = stand_up(&o);
  const double cycle = row->cycle * sqrt(hips / gravity);
  double footfall[LEGS];
  pki_gait_footfall(row, LEGS, footfall);
  watch(&h, cycle, (int)ceil(PACE(5, 3.5) / cycle));
  const gait_facts f = watch(&h, cycle, PACE(6, 3));
  print_message("%-6s %.3f m/s, %.3f aside, %.3f rad/s, tilt %.2f deg, height %.4f..%.4f m, %d feet at "
                "least, %.1f N m, duty "
                "%.2f %.2f %.2f %.2f %.2f %.2f, footfall %.2f %.2f %.2f %.2f %.2f %.2f, %d of %d not "
                "certified, %d others\n",
                row->name, f.speed, f.aside, f.turn, f.tilt * 360 / circle, f.low, f.high, f.least, f.torque,
                f.duty[0], f.duty[1], f.duty[2], f.duty[3], f.duty[4], f.duty[5], f.footfall[0],
                f.footfall[1], f.footfall[2], f.footfall[3], f.footfall[4], f.footfall[5], f.uncertified,
                f.steps, f.others);
  for (int i = 0; i < LEGS; i++) {
    assert_less(fabs(around(f.footfall[i] - footfall[i])), 0.03);
    assert_greater(f.duty[i], row->duty - 0.03);
    assert_less(f.duty[i], row->duty + 0.08);
  }
  assert_int_equal(f.uncertified, 0);
  assert_int_equal(f.others, 0);
  assert_at_least(f.least, stand);
  assert_near(f.speed, speed, 0.05 * speed);
  assert_less(fabs(f.aside), 0.01);
  assert_less(fabs(f.turn), 0.01);
  assert_less(f.tilt, 0.03);
  assert_less(f.torque, 30 + 1e-9);
  let_go(&h);
}

/* The trot of four legs is the tripod of six: three stand while the others swing. */
static void a_trot_is_an_alternating_tripod(void **state)
{
  (void)state;
  walk_in(PK_GAIT_TROT, 0.3, 3);
}

/* Waves from hind to fore: one foot after the other, and two at once. */
static void it_crawls_and_walks_in_waves(void **state)
{
  (void)state;
  walk_in(PK_GAIT_CRAWL, 0.08, 4);
  walk_in(PK_GAIT_WALK, 0.2, 4);
}

static void it_stands_turns_and_goes_aside(void **state)
{
  (void)state;
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = PK_GAIT_TROT, o.turn = 0.3, o.sideways = 0.1, o.start = 0.3;
  hexapod h = stand_up(&o);
  const gait_facts stands = watch(&h, 0.3, 1);
  assert_int_equal(stands.least, LEGS);
  watch(&h, 0.8, 4);
  const double yaw = yaw_of(pk_sim_q(h.sim));
  const gait_facts f = watch(&h, 0.8, 5);
  assert_near(f.turn, 0.3, 0.02);
  assert_greater(yaw_of(pk_sim_q(h.sim)) - yaw, 1);
  assert_int_equal(f.uncertified + f.others, 0);
  let_go(&h);
}

/* A gait of four legs, five feet, feet in the wrong order. */
static void what_six_legs_cannot_is_told(void **state)
{
  (void)state;
  pk_model *m = load_hexapod();
  pk_locomotion_options o = pk_locomotion_options_default();
  pk_controller *c;
  pk_error err;
  o.gait = PK_GAIT_GALLOP;
  assert_int_equal(pk_locomotion_create(m, &o, &c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the gait \"gallop\" is one of four legs, and the robot has 6");
  o.gait = PK_GAIT_TROT;
  o.change_count = 1, o.changes[0] = (pk_gait_change){.at = 1, .gait = PK_GAIT_CANTER};
  assert_int_equal(pk_locomotion_create(m, &o, &c, &err), PK_ERROR_ARGUMENT);
  o.change_count = 0;
  memcpy(o.feet, feet, 5 * sizeof *feet);
  assert_int_equal(pk_locomotion_create(m, &o, &c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "there are five feet, expected four or six");
  memcpy(o.feet, feet, sizeof feet);
  o.feet[2] = "LH_FOOT", o.feet[4] = "LM_FOOT";
  assert_int_equal(pk_locomotion_create(m, &o, &c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(
      err.message,
      "the feet are swapped; left fore, right fore, left middle, right middle, left hind, right hind are, by "
      "their places: [LF_FOOT, RF_FOOT, LM_FOOT, RM_FOOT, LH_FOOT, RH_FOOT]");
  pk_model_destroy(m);
}

/* The state estimator has four feet: those at the ends, not the first four. */
static void the_estimator_stands_on_the_fore_and_hind_feet(void **state)
{
  (void)state;
  static const int ends[PK_BASE_ESTIMATOR_FEET] = {0, 1, 4, 5};
  pk_model *m = load_hexapod();
  pk_base_estimator *e = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pk_base_estimator_create(m, NULL, &e, &err), PK_OK);
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    assert_string_equal(m->links[e->feet[i]].name, feet[ends[i]]);
  }
  pk_base_estimator_destroy(e);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_trot_is_an_alternating_tripod),
      cmocka_unit_test(it_crawls_and_walks_in_waves),
      cmocka_unit_test(it_stands_turns_and_goes_aside),
      cmocka_unit_test(what_six_legs_cannot_is_told),
      cmocka_unit_test(the_estimator_stands_on_the_fore_and_hind_feet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
