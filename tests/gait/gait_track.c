/* Joint references of a gait: feet that stand do not move in the world, the mass goes where the cart on a table does, and the thesis quadruped trots on it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gait/gait_way.h"
#include "gait/walker.h"
#include "math/mat3.h"
#include "pronk/pronk.h"
#include "support/bounds.h"

static pki_gait_way_options way_options(pk_gait gait, bool preview)
{
  pki_gait_way_options o = {.speed = {0.2, 0.05},
                            .start = 1,
                            .ramp = 0.8,
                            .lift = 0.05,
                            .height = 0.6,
                            .gravity = 9.81,
                            .com = {0.01, 0},
                            .preview = preview};
  static const double hips[PKI_TRACK_LEGS][2] = {{0.5, 0.3}, {0.5, -0.3}, {-0.5, 0.3}, {-0.5, -0.3}};
  pk_error err;
  memcpy(o.stance, hips, sizeof hips);
  assert_int_equal(pk_rhythm_of_gait(gait, PKI_TRACK_LEGS, sqrt(0.67 / 9.81), &o.rhythm, &err), PK_OK);
  return o;
}

static void make_way(const pki_gait_way_options *o, pki_gait_way *way)
{
  pk_error err;
  if (pki_gait_way_create(o, way, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
}

/* Feet on the ground are where they were a row before; the wanted zero moment point is between them. */
static void feet_that_stand_stay(void **state)
{
  (void)state;
  static const pk_gait gaits[] = {PK_GAIT_TROT, PK_GAIT_CRAWL, PK_GAIT_WALK, PK_GAIT_AMBLE, PK_GAIT_PACE};
  for (int g = 0; g < 5; g++) {
    const pki_gait_way_options o = way_options(gaits[g], true);
    pki_gait_way way;
    make_way(&o, &way);
    for (int k = 1; k < way.rows; k++) {
      double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
      for (int i = 0; i < PKI_TRACK_LEGS; i++) {
        const double *foot = way.foot[k][i], *before = way.foot[k - 1][i];
        if (foot[2] > 0) {
          continue;
        }
        for (int c = 0; c < 2; c++) {
          low[c] = fmin(low[c], foot[c]), high[c] = fmax(high[c], foot[c]);
          if (before[2] == 0) {
            assert_near(foot[c], before[c], 0);
          }
        }
      }
      for (int c = 0; c < 2 && k > 1; c++) {
        assert_at_least(way.zmp[k][c], low[c] - 1e-12);
        assert_at_most(way.zmp[k][c], high[c] + 1e-12);
      }
    }
    pki_gait_way_free(&way);
  }
}

/* The mass of a plan has its zero moment point where the feet are, and its mean speed is the wanted one; by oscillators alone the trunk goes
 * evenly, and its zero moment point is off by more. */
static void the_preview_puts_the_zero_moment_point_on_the_feet(void **state)
{
  (void)state;
  static const pk_gait gaits[] = {PK_GAIT_TROT, PK_GAIT_CRAWL, PK_GAIT_WALK};
  for (int g = 0; g < 3; g++) {
    double worst[2] = {0, 0};
    for (int preview = 0; preview < 2; preview++) {
      const pki_gait_way_options o = way_options(gaits[g], preview);
      pki_gait_way way;
      make_way(&o, &way);
      const double lever = o.height / o.gravity / (way.step * way.step),
                   period = (way.rows - 1 - way.loop) * way.step;
      for (int k = way.loop; k < way.rows - 1; k++) {
        for (int c = 0; c < 2; c++) {
          const double x = way.trunk[k][c] + o.com[c];
          const double p = x - lever * (way.trunk[k + 1][c] - 2 * way.trunk[k][c] + way.trunk[k - 1][c]);
          worst[preview] += pow(p - way.zmp[k][c], 2) / (way.rows - 1 - way.loop);
        }
      }
      for (int c = 0; c < 2; c++) {
        assert_near((way.trunk[way.rows - 1][c] - way.trunk[way.loop][c]) / period, o.speed[c], 1e-6);
      }
      assert_near(period, o.rhythm.cycle, 1e-12);
      pki_gait_way_free(&way);
    }
    print_message("zero moment point off by %.2g m, without a preview by %.2g m\n", sqrt(worst[1]),
                  sqrt(worst[0]));
    assert_less(worst[1], 0.1 * worst[0]);
  }
}

static pk_model *thesis_robot(void)
{
  pk_model *m = NULL;
  pk_error err;
  if (pk_model_load_urdf(PK_SOURCE_DIR "/models/thesis_quadruped/thesis_quadruped.urdf", NULL, &m, &err) !=
      PK_OK) {
    fail_msg("%s", err.message);
  }
  return m;
}

/* The references of a moment as a configuration of the model, its trunk where the oscillators want it. */
static void reference_at(const pk_model *m, const pk_controller *c, void *memory, double time, double trunk,
                         double *q)
{
  static pk_command commands[64];
  pk_command *const asked = commands;
  pk_status status;
  const pk_observation seen = {.model = m, .time = time, .dt = 1e-3, .q = q, .u = (double[64]){0}};
  c->update_group(c, 1, &seen, &memory, &asked, &status);
  assert_int_equal(status, PK_OK);
  memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
  q[0] = trunk;
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0 && m->dof_joint[k] >= 0 && commands[k].kp > 0) {
      q[m->dof_q[k]] = commands[k].q_des;
    }
  }
}

/* By forward kinematics: feet of a steady trot that stand are still in the world, and keep upright all the time. */
static void angles_put_the_feet_where_they_should_be(void **state)
{
  (void)state;
  pk_model *m = thesis_robot();
  pk_controller *c;
  pk_workspace *work;
  pk_error err;
  pk_gait_track_options o = pk_gait_track_options_default();
  strcpy(o.file, PK_SOURCE_DIR "/scenarios/thesis/stand.csv");
  o.references = PK_GAIT_REFERENCES_CPG;
  o.forward = 0.1, o.start = 0.5, o.ramp = 0.5, o.cycle = 0.5, o.duty = 0.55, o.lift = 0.05;
  if (pk_gait_track_create(m, &o, &c, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(pk_workspace_create(m, &work, &err), PK_OK);
  _Alignas(64) static unsigned char memory[4096];
  assert_at_most(c->state_size, sizeof memory);
  static double q[64];
  memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
  double still[4][3], worst = 0;
  int stood[4] = {0, 0, 0, 0}, steps = 0;
  for (int k = 0; k < 160; k++) { /* rows of the table, 12.5 ms apart, at a steady speed */
    const double t = 3 + 0.0125 * k;
    reference_at(m, c, memory, t, 0.1 * (t - 0.75), q);
    pk_kinematics_compute(work, q, NULL);
    for (int i = 0; i < 4; i++) {
      static const char *const names[] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
      const pk_pose foot = pk_link_pose(work, pk_model_find_link(m, names[i]));
      const double place = (t - 0.5) / 0.5 + (i == 1 || i == 2 ? 0.5 : 0), part = place - floor(place + 1e-9);
      for (int n = 0; n < 9; n++) {
        assert_near(foot.rot[n], n % 4 == 0, 1e-8); /* the stance of the file has nine digits */
      }
      if (part > 0.54) {
        stood[i] = 0;
        continue;
      }
      for (int n = 0; n < 3 && stood[i] > 0; n++) {
        worst = fmax(worst, fabs(foot.pos[n] - still[i][n]));
        steps++;
      }
      memcpy(still[i], foot.pos, sizeof still[i]);
      stood[i]++;
    }
  }
  print_message("feet that stand move by %.1g m in all\n", worst);
  assert_greater(steps, 500);
  assert_less(worst, 1e-8);
  pk_workspace_destroy(work);
  pk_gait_track_destroy(c);
  pk_model_destroy(m);
}

/* Speed and tilt of StarLETH in a gait under locomotion. */
static walker_facts walk_by(pk_gait gait, pk_gait_references references)
{
  pk_locomotion_options o = pk_locomotion_options_default();
  walker_facts facts;
  o.gait = gait, o.references = references;
  o.forward = gait == PK_GAIT_CRAWL ? 0.05 : 0.3;
  walker w = walker_create(NULL, &o, NULL);
  walker_place(&w, 0, 0);
  assert_true(walker_run(&w, 2, NULL, &facts));
  assert_true(walker_run(&w, 2, NULL, &facts));
  assert_int_equal(facts.uncertified, 0);
  walker_destroy(&w);
  return facts;
}

/* A trot goes by oscillators unless the preview is asked for, a crawl the other way round; both hold the trunk level. */
static void locomotion_takes_its_references_from_either(void **state)
{
  (void)state;
  const walker_facts trot = walk_by(PK_GAIT_TROT, PK_GAIT_REFERENCES_AUTO),
                     trot_cpg = walk_by(PK_GAIT_TROT, PK_GAIT_REFERENCES_CPG),
                     trot_zmp = walk_by(PK_GAIT_TROT, PK_GAIT_REFERENCES_ZMP),
                     crawl = walk_by(PK_GAIT_CRAWL, PK_GAIT_REFERENCES_AUTO),
                     crawl_cpg = walk_by(PK_GAIT_CRAWL, PK_GAIT_REFERENCES_CPG),
                     crawl_zmp = walk_by(PK_GAIT_CRAWL, PK_GAIT_REFERENCES_ZMP);
  assert_near(trot_cpg.speed[0], trot.speed[0], 0);
  assert_near(crawl_zmp.speed[0], crawl.speed[0], 0);
  assert_true(trot_zmp.speed[0] != trot.speed[0]);
  assert_near(trot_zmp.speed[0], 0.3, 0.05);
  assert_true(crawl_cpg.speed[0] != crawl.speed[0]);
  assert_near(crawl_cpg.speed[0], 0.05,
              0.02); /* of a cycle and a quarter, in which the mass goes to and fro */
  assert_near(crawl_zmp.speed[0], 0.05, 0.02);
  assert_less(crawl_cpg.tilt, 0.02);
  assert_less(crawl_zmp.tilt, 0.02);
}

static void gaits_that_cannot_be_are_refused(void **state)
{
  (void)state;
  pk_model *m = thesis_robot();
  pk_controller *c;
  pk_error err;
  pk_gait_track_options o = pk_gait_track_options_default();
  o.gait = PK_GAIT_BOUND;
  assert_int_not_equal(pk_gait_track_create(m, &o, &c, &err), PK_OK);
  o.gait = PK_GAIT_PRONK;
  for (int k = 0; k < 2; k++) { /* all feet are in the air at once, however short */
    o.duty = k ? 0.8 : 0;
    assert_int_equal(pk_gait_track_create(m, &o, &c, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.field, "gait");
    assert_non_null(strstr(err.message, "no foot would be on the ground"));
  }
  o = pk_gait_track_options_default(), o.feet[1] = "nothing";
  assert_int_equal(pk_gait_track_create(m, &o, &c, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "right fore foot"));
  o = pk_gait_track_options_default(), o.cycle = 0.05;
  assert_int_equal(pk_gait_track_create(m, &o, &c, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "cycle"));
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(feet_that_stand_stay),
      cmocka_unit_test(the_preview_puts_the_zero_moment_point_on_the_feet),
      cmocka_unit_test(angles_put_the_feet_where_they_should_be),
      cmocka_unit_test(locomotion_takes_its_references_from_either),
      cmocka_unit_test(gaits_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
