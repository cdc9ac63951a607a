/* Three quadrupeds of 15 to 30 kg run all gaits with one set of numbers, turn and jump. What their feet do is measured by contact alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gait/gaits.h"
#include "gait/walker.h"
#include "support/bounds.h"
#include "support/pace.h"

static const double circle = 6.283185307179586;

/* The rhythm of the feet over a stretch of time. */
typedef struct footprints {
  double duty[4], footfall[4]; /* footfalls after the first foot's, parts of the cycle */
  double steps[4];             /* landings by cycle */
  double flight;               /* part of the time without any contact */
  int uncertified;
} footprints;

static double load_of(const walker *w, int foot, const pk_sim_contact *contacts, int n)
{
  double load = 0, impulse[3], normal[3];
  for (int k = 0; k < n; k++) {
    if (pk_sim_contact_carries(&contacts[k], w->model, w->feet[foot], impulse, normal)) {
      load += impulse[2];
    }
  }
  return load;
}

/* A landing is the first contact after an eighth of a cycle without. */
static footprints track(walker *w, double cycle, int cycles)
{
  footprints p;
  memset(&p, 0, sizeof p);
  double since[4] = {0}, landed[4] = {-1, -1, -1, -1}, c[4] = {0}, s[4] = {0};
  const double begin = pk_sim_time(w->sim);
  int steps = 0;
  while (pk_sim_time(w->sim) - begin < cycle * cycles) {
    const double now = pk_sim_time(w->sim);
    pk_step_info info;
    pk_sim_contact contacts[WALKER_CONTACTS];
    assert_int_equal(pk_sim_step(w->sim, &info), PK_OK);
    const int found = pk_sim_contacts(w->sim, contacts, WALKER_CONTACTS);
    const double dt = pk_sim_time(w->sim) - now;
    bool any = false;
    for (int i = 0; i < 4; i++) {
      const bool down = load_of(w, i, contacts, found < WALKER_CONTACTS ? found : WALKER_CONTACTS) >
                        0.01 * dt * 9.81 * w->model->mass;
      if (down && since[i] > cycle / 8) {
        landed[i] = now;
        p.steps[i] += 1.0 / cycles;
        /* mean of angles: of this landing after the first foot's last one */
        if (landed[0] >= 0) {
          c[i] += cos(circle * (now - landed[0]) / cycle);
          s[i] += sin(circle * (now - landed[0]) / cycle);
        }
      }
      since[i] = down ? 0 : since[i] + dt;
      p.duty[i] += down;
      any = any || down;
    }
    p.flight += !any;
    p.uncertified += !info.certified;
    steps++;
  }
  p.flight /= steps;
  for (int i = 0; i < 4; i++) {
    p.duty[i] /= steps;
    p.footfall[i] = atan2(s[i], c[i]) / circle;
  }
  return p;
}

static double around(double cycles)
{
  return cycles - floor(cycles + 0.5);
}

/* The speed in the middle of what a gait is meant for. */
static double natural(pk_gait gait, double height)
{
  return 0.7 * pki_gaits[gait]->speed[1] * sqrt(9.81 * height);
}

static pk_locomotion_options in_gait(pk_gait gait, const walker_robot *robot)
{
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = gait;
  o.forward = natural(gait, robot->height);
  return o;
}

/* About ten seconds at its natural speed; then the footfalls are those of the table. Feet leave and land through zero load, so
 * that contact lasts a little longer than planned. */
static void run_gait(const walker_robot *robot, pk_gait gait)
{
  const pki_gait_row *row = pki_gaits[gait];
  const pk_locomotion_options o = in_gait(gait, robot);
  walker w = walker_create_robot(robot, NULL, &o, NULL);
  walker_facts f, late;
  char name[64];
  snprintf(name, sizeof name, "%s, %s", robot->model, row->name);
  const double height = robot == &walker_starleth ? 0.41 : robot == &walker_anymal ? 0.443 : 0.3344;
  const double cycle = row->cycle * sqrt(height / 9.81);
  assert_true(walker_run(&w, PACE(6, 4), NULL, &f));
  /* whole cycles: within one, the speed goes up and down */
  assert_true(walker_run(&w, cycle * fmax(1, round(PACE(4, 1) / cycle)), NULL, &late));
  walker_print(name, &late);
  const footprints p = track(&w, cycle, 4);
  print_message("%-28s duty %.2f %.2f %.2f %.2f, footfall %.2f %.2f %.2f %.2f, flight %.3f\n", "", p.duty[0],
                p.duty[1], p.duty[2], p.duty[3], p.footfall[0], p.footfall[1], p.footfall[2], p.footfall[3],
                p.flight);
  for (int i = 0; i < 4; i++) {
    assert_less(fabs(p.steps[i] - 1), 0.3); /* four cycles are counted: 0.25 is one step */
    assert_greater(p.duty[i], row->duty - 0.03);
    assert_less(p.duty[i], row->duty + 0.08);
    assert_less(fabs(around(p.footfall[i] - row->footfall[i])), 0.03);
  }
  const bool flies =
      gait == PK_GAIT_BOUND || gait == PK_GAIT_CANTER || gait == PK_GAIT_GALLOP || gait == PK_GAIT_PRONK;
  assert_true(flies ? p.flight > 0.01 : p.flight == 0);
  assert_int_equal(f.uncertified + late.uncertified + p.uncertified, 0);
  assert_int_equal(f.others + late.others, 0);
  /* torques are limited ahead of the step, which finds nothing to cut but what the landings of a gallop bring: 16 in 7 s */
  assert_at_most(f.saturated + late.saturated, gait == PK_GAIT_GALLOP ? 40 : 0);
  assert_less(late.slip, 1e-3);
  /* measured: 3 % of the speed of a crawl, 1 % of others, 0.004 rad/s, 9 degrees in a gallop and 1.2 without flight */
  assert_near(late.speed[0], o.forward, PACE(0.04, 0.05) * o.forward + PACE(0, 0.01));
  assert_less(fabs(late.speed[2]), PACE(0.01, 0.05));
  assert_less(late.tilt, (flies ? 0.2 : 0.03));
  assert_greater(late.margin, 0.05);
  walker_destroy(&w);
}

static void starleth_runs_all_gaits(void **state)
{
  (void)state;
  for (int gait = PK_GAIT_TROT; gait <= PK_GAIT_PRONK; gait++) {
    run_gait(&walker_starleth, (pk_gait)gait);
  }
}

static void anymal_runs_all_gaits(void **state)
{
  (void)state;
  for (int gait = PK_GAIT_TROT; gait <= PK_GAIT_PRONK; gait += PACE(1, 4)) { /* StarLETH does the others */
    run_gait(&walker_anymal, (pk_gait)gait);
  }
}

static void a_robot_of_15_kg_runs_all_gaits(void **state)
{
  (void)state;
  for (int gait = PK_GAIT_TROT; gait <= PK_GAIT_PRONK; gait += PACE(1, 3)) {
    run_gait(&walker_quadruped15, (pk_gait)gait);
  }
}

/* A quarter turn and more while it goes on. */
static void it_turns_as_told(void **state)
{
  (void)state;
  static const pk_gait gaits[] = {PK_GAIT_TROT, PK_GAIT_WALK,  PK_GAIT_CRAWL,
                                  PK_GAIT_PACE, PK_GAIT_BOUND, PK_GAIT_GALLOP};
  for (size_t i = 0; i < PACE(sizeof gaits / sizeof gaits[0], 2); i++) {
    pk_locomotion_options o = in_gait(gaits[i], &walker_starleth);
    o.forward *= 0.5;
    o.turn = 0.3;
    walker w = walker_create(NULL, &o, NULL);
    walker_facts f;
    assert_true(walker_run(&w, 3, NULL, &f));
    assert_true(walker_run(&w, 6, NULL, &f));
    walker_print(pki_gaits[gaits[i]]->name, &f);
    assert_int_equal(f.uncertified + f.others, 0);
    assert_less(fabs(f.speed[2] - 0.3), 0.03);
    assert_less(fabs(f.speed[0] - o.forward), 0.1);
    walker_destroy(&w);
  }
}

/* The trunk's top is where it was asked to be; it lands on its feet and stands. */
static void it_jumps_as_high_as_told(void **state)
{
  (void)state;
  const walker_robot *robots[2] = {&walker_starleth, &walker_anymal};
  static const double heights[2] = {0.1, 0.2};
  for (int i = 0; i < 4; i++) {
    pk_locomotion_options o = pk_locomotion_options_default();
    o.gait = PK_GAIT_JUMP;
    o.jump = heights[i % 2];
    walker w = walker_create_robot(robots[i / 2], NULL, &o, NULL);
    walker_facts f;
    assert_true(walker_run(&w, 0.5, NULL, &f));
    const double stand = f.height[1];
    assert_true(walker_run(&w, 2.5, NULL, &f));
    walker_print("jump", &f);
    assert_int_equal(f.uncertified + f.others, 0);
    assert_less(fabs(f.height[1] - stand - o.jump), 0.1 * o.jump);
    assert_greater(f.swing, 0.8 * 2 * sqrt(2 * 9.81 * (o.jump - 0.05 * stand)) / 9.81);
    assert_true(walker_run(&w, 1, NULL, &f));
    assert_less(f.drift, 1e-3);
    assert_less(f.tilt, 0.01);
    walker_destroy(&w);
  }
}

/* What is possible is told, and is possible; what is not is refused, also later. */
static void a_jump_beyond_the_legs_is_refused(void **state)
{
  (void)state;
  const walker_robot *robots[2] = {&walker_starleth, &walker_anymal};
  for (int i = 0; i < 2; i++) {
    walker w = walker_create_robot(robots[i], NULL, NULL, NULL);
    pk_locomotion_options o = pk_locomotion_options_default();
    pk_controller *made;
    pk_error err = {.message = ""};
    o.jump = 0.4;
    assert_int_equal(pk_locomotion_create(w.model, &o, &made, &err), PK_OK); /* it does not jump */
    assert_int_equal(pk_sim_set_controller(w.sim, made, &err), PK_OK);
    assert_int_equal(pk_locomotion_set_gait(w.sim, PK_GAIT_JUMP, &err), PK_ERROR_ARGUMENT);
    assert_int_equal(pk_sim_set_controller(w.sim, NULL, &err), PK_OK);
    pk_locomotion_destroy(made);
    o.changes[0] = (pk_gait_change){.at = 2, .gait = PK_GAIT_JUMP};
    o.change_count = 1;
    assert_int_equal(pk_locomotion_create(w.model, &o, &made, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.field, "jump");
    double reach = 0;
    assert_int_equal(sscanf(err.message, "jump is 0.4 m, expected at most %lf", &reach), 1);
    print_message("%s\n", err.message);
    walker_destroy(&w);
    o.jump = reach;
    w = walker_create_robot(robots[i], NULL, &o, NULL);
    walker_facts f;
    assert_true(walker_run(&w, 1.9, NULL, &f));
    const double stand = f.height[1];
    assert_true(walker_run(&w, 3, NULL, &f));
    assert_int_equal(f.uncertified, 0);
    assert_less(fabs(f.height[1] - stand - reach), 0.1 * reach);
    walker_destroy(&w);
  }
}

/* Each time that the gait is set to a jump anew. */
static void it_jumps_each_time_that_it_is_told(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  walker w = walker_create(NULL, NULL, NULL);
  walker_facts f;
  assert_true(walker_run(&w, 0.5, NULL, &f));
  const double stand = f.height[1];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pk_locomotion_set_gait(w.sim, PK_GAIT_JUMP, &err), PK_OK);
    assert_true(walker_run(&w, 2.5, NULL, &f));
    assert_less(fabs(f.height[1] - stand - 0.15), 0.015);
    assert_true(walker_run(&w, 2, NULL, &f));
    assert_less(f.height[1] - stand, 0.01); /* once */
    assert_int_equal(pk_locomotion_set_gait(w.sim, PK_GAIT_STAND, &err), PK_OK);
    assert_true(walker_run(&w, 0.5, NULL, &f));
  }
  walker_destroy(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starleth_runs_all_gaits),
      cmocka_unit_test(anymal_runs_all_gaits),
      cmocka_unit_test(a_robot_of_15_kg_runs_all_gaits),
      cmocka_unit_test(it_turns_as_told),
      cmocka_unit_test(it_jumps_as_high_as_told),
      cmocka_unit_test(a_jump_beyond_the_legs_is_refused),
      cmocka_unit_test(it_jumps_each_time_that_it_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
