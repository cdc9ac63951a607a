/* The quick feedback study: what it is held to holds; the paper's solvers against closed forms; slip against a ball that rolls and slides. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pronk/builder.h"
#include "quick.h"
#include "study/feedback/feedback.h"
#include "support/bounds.h"

static pki_study_result result;
static char folder[] = "pronk-feedback-XXXXXX";

static int run_quick(void **state)
{
  (void)state;
  return run_quick_study("feedback", folder, &result) ? 0 : -1;
}

static int free_quick(void **state)
{
  (void)state;
  pki_study_free(&result);
  return 0;
}

static const pki_study_row *row(const char *id)
{
  const pki_study_row *r = pki_study_get(&result, id);
  if (r == NULL) {
    print_error("no row %s\n", id);
  }
  assert_non_null(r);
  return r;
}

static double value(const char *id)
{
  return row(id)->measured;
}

/* ---- the study ---- */

static void everything_that_it_is_held_to_holds(void **state)
{
  (void)state;
  assert_judged(&result);
  /* Table II: steps, errors; falls without control; hypotheses; open problem; marks */
  assert_int_equal(pki_study_count(&result, PKI_VERDICT_HOLDS), 4 + 4 + 2 + 2 + 3 + 8 * 6 + 2);
  /* the ratio of speeds; of Table I steps and errors */
  assert_int_equal(pki_study_count(&result, PKI_VERDICT_LEFT_OUT), 1 + 3 + 3);
}

static void the_arm_follows_as_a_constraint_at_a_tenth_of_a_second(void **state)
{
  (void)state;
  assert_near(value("ur10/constraint/step"), 0.1, 1e-12);
  assert_at_most(value("ur10/constraint/error"), 0.115); /* the paper's */
  assert_less(value("ur10/constraint/error"), value("ur10/pd/error-1"));
  assert_greater(value("ur10/torque/step"), 10 * value("ur10/pd/step"));
}

/* Two motions at four steps. */
static void starleth_neither_falls_nor_skates(void **state)
{
  (void)state;
  static const char *const motions[2] = {"trot", "sinusoids"}, *const steps[4] = {"2.5", "10", "50", "100"};
  static const double slips[2] = {0.1, 1}, errors[2] = {1e-3, 0.05}; /* mm, rad */
  for (int i = 0; i < 8; i++) {
    char group[48], id[64];
    snprintf(group, sizeof group, "open/%s/%s", motions[i / 4], steps[i % 4]);
    snprintf(id, sizeof id, "%s/stands", group);
    assert_near(value(id), 10, 1e-9);
    snprintf(id, sizeof id, "%s/slip", group);
    assert_less(value(id), slips[i / 4]);
    snprintf(id, sizeof id, "%s/error", group);
    assert_less(value(id), errors[i / 4]);
    snprintf(id, sizeof id, "%s/speed", group);
    assert_near(value(id), 0.3, 0.03);
    snprintf(id, sizeof id, "%s/uncertified", group);
    assert_true(value(id) == 0);
  }
}

/* Its joints follow to rounding, its feet slide by centimetres. */
static void the_papers_optimisation_skates(void **state)
{
  (void)state;
  assert_less(value("trot/qp/100/error"), 1e-12);
  assert_greater(value("trot/qp/100/slip"), 10);
  assert_greater(value("trot/qp/100/slip"), 1000 * value("trot/two-stage/100/slip"));
}

static void the_map_counts_every_start(void **state)
{
  (void)state;
  static const char *const panels[3] = {"trot-50", "trot-100", "sinusoids-100"}, *const frictions[7] = {
                                                                                     "0.2", "0.4", "0.6",
                                                                                     "0.8", "1.0", "1.2",
                                                                                     "1.4"};
  for (int p = 0; p < 3; p++) {
    char id[64];
    double held = 0;
    for (int i = 0; i < 7; i++) {
      snprintf(id, sizeof id, "map/%s/%s", panels[p], frictions[i]);
      held += value(id);
    }
    snprintf(id, sizeof id, "map/%s/lost", panels[p]);
    assert_true(held + value(id) == 7 * 8);
    snprintf(id, sizeof id, "map/%s/near", panels[p]);
    assert_at_most(value(id), 7 * 8 - held);
  }
  assert_at_least(value("map/trot-50/0.8"), 7);
}

static void it_leaves_a_report_and_its_figures(void **state)
{
  (void)state;
  static const char *const files[] = {"report.html",    "fig-3.svg",           "fig-1-links.svg",
                                      "fig-1-trot.svg", "fig-1-sinusoids.svg", "map.svg",
                                      "slip-links.svg", "slip-trot.svg",       "slip-sinusoids.svg"};
  char path[256];
  assert_non_null(strstr(result.summary.data, "Table II"));
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    assert_int_equal(remove(path), 0); /* it was there */
  }
  assert_int_equal(rmdir(folder), 0); /* and nothing else */
}

/* ---- slip ---- */

/* A ball of 0.1 m and 1 kg: rolling by an angle takes its centre by 0.1 times that, sliding adds to it, and a ball without load slips nothing. */
static void a_ball_that_rolls_does_not_slip(void **state)
{
  (void)state;
  static const char ball[] =
      "<robot name=\"ball\"><link name=\"ball\"><inertial><mass value=\"1\"/><inertia ixx=\"0.004\" "
      "iyy=\"0.004\" izz=\"0.004\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry>"
      "<sphere radius=\"0.1\"/></geometry></collision></link></robot>";
  static const int link[1] = {0};
  static const double load[1] = {1}, none[1] = {0};
  pk_error err = {.message = ""};
  pk_builder *b;
  pk_model *m;
  pk_workspace *w;
  pki_slip_meter meter;
  assert_int_equal(pk_builder_create(&b, &err), PK_OK);
  assert_int_equal(pk_builder_add_urdf_memory(b, ball, sizeof ball - 1, "ball.urdf", NULL, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  assert_int_equal(pk_workspace_create(m, &w, &err), PK_OK);
  double q[7] = {0, 0, 0.1, 1, 0, 0, 0};
  pk_kinematics_compute(w, q, NULL);
  pki_slip_begin(&meter, w, link, 1, 0.01);
  const double turns[4] = {0.5, -1.2, 0.5, 0.4}, slides[4] = {0, 0, 0.03, 0.05};
  for (int i = 0; i < 4; i++) { /* about y, forward; each turn of its own */
    static double angle;
    angle = i == 0 ? turns[0] : angle + turns[i];
    q[0] += 0.1 * turns[i] + slides[i];
    q[3] = cos(angle / 2), q[5] = sin(angle / 2);
    pk_kinematics_compute(w, q, NULL);
    pki_slip_step(&meter, w, i < 3 ? load : none);
  }
  pki_slip_end(&meter);
  assert_int_equal(meter.stances, 1);
  assert_near(meter.most, 0.03, 1e-12);
  pk_workspace_destroy(w);
  pk_model_destroy(m);
  pk_builder_destroy(b);
}

/* ---- the paper's solvers ---- */

/* A block of 2 kg on the ground, pushed along x for 0.1 s; x, y, z are its velocities. */
static pki_dense_step block(double push, double *free)
{
  static const double inverse[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}, N[3] = {0, 0, 1},
                      T[6] = {1, 0, 0, 0, 1, 0}, gap[1] = {0};
  free[0] = 0.1 * push / 2, free[1] = 0, free[2] = -0.1 * 10;
  return (pki_dense_step){.nu = 3,
                          .contacts = 1,
                          .sides = 4,
                          .inverse = inverse,
                          .free = free,
                          .N = N,
                          .T = T,
                          .gap = gap,
                          .friction = 0.5};
}

/* Friction of at most mu m g = 10 N: 6 N are held, of 14 N are 4 left over. */
static void a_pushed_block_sticks_or_slides_as_coulomb_says(void **state)
{
  (void)state;
  static const pk_lcp_solver solvers[2] = {PK_LCP_SOLVER_DANTZIG, PK_LCP_SOLVER_LEMKE};
  for (int i = 0; i < 4; i++) {
    const double push = i < 2 ? 6 : 14;
    double free[3];
    pki_dense_result r;
    const pki_dense_step s = block(push, free);
    pki_dense_mlcp(&s, 0, solvers[i % 2], &r);
    assert_true(r.solved);
    assert_near(r.v[0], push < 10 ? 0 : 0.1 * 4 / 2, 1e-12);
    assert_near(r.v[2], 0, 1e-12);
    assert_near(r.normal[0], 0.1 * 20, 1e-12);
    assert_near(r.tangent[0][0], -0.1 * fmin(push, 10), 1e-12);
    pki_dense_qp(&s, &r); /* without joints its friction is free */
    assert_true(r.solved);
    assert_near(r.v[0], push < 10 ? 0 : 0.1 * 4 / 2, 1e-9);
  }
}

/* One joint of 3 kg m^2 at rest in the air: impulse 3 (2 - 0) N m s, or its limit. */
static void one_joint_gets_what_it_wants_or_its_limit(void **state)
{
  (void)state;
  static const double inverse[1] = {1.0 / 3}, free[1] = {0}, wanted[1] = {2};
  static const int dof[1] = {0};
  static const double limits[2] = {INFINITY, 1.5};
  for (int i = 0; i < 2; i++) {
    const pki_dense_step s = {.nu = 1,
                              .joints = 1,
                              .sides = 4,
                              .inverse = inverse,
                              .free = free,
                              .dof = dof,
                              .wanted = wanted,
                              .most = &limits[i]};
    pki_dense_result r;
    pki_dense_mlcp(&s, 0, PK_LCP_SOLVER_DANTZIG, &r);
    assert_true(r.solved);
    assert_near(r.motor[0], i == 0 ? 6 : 1.5, 1e-12);
    assert_near(r.v[0], i == 0 ? 2 : 0.5, 1e-12);
  }
}

/* The block again, x driven to 0.3 m/s by a motor: the motor wins, friction is against it in full. Tikhonov's term lets it sink and lag. */
static void a_driven_block_slides_and_regularisation_bends_its_laws(void **state)
{
  (void)state;
  static const int dof[1] = {0};
  static const double wanted[1] = {0.3}, most[1] = {INFINITY};
  double free[3];
  pki_dense_step s = block(0, free);
  pki_dense_result r;
  s.joints = 1, s.dof = dof, s.wanted = wanted, s.most = most;
  pki_dense_mlcp(&s, 0, PK_LCP_SOLVER_DANTZIG, &r);
  assert_true(r.solved);
  assert_near(r.v[0], 0.3, 1e-12);
  assert_near(r.motor[0], 2 * 0.3 + 0.1 * 10, 1e-12);
  pki_dense_mlcp(&s, 1, PK_LCP_SOLVER_DANTZIG, &r);
  assert_true(r.solved);
  assert_less(r.v[2], -0.1);
  assert_greater(fabs(r.v[0] - 0.3), 0.1);
  /* The optimisation keeps the joint's velocity and so may use no friction along it. */
  pki_dense_qp(&s, &r);
  assert_true(r.solved);
  assert_near(r.v[0], 0.3, 1e-9);
  assert_near(r.tangent[0][0], 0, 1e-9);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_that_it_is_held_to_holds),
      cmocka_unit_test(the_arm_follows_as_a_constraint_at_a_tenth_of_a_second),
      cmocka_unit_test(starleth_neither_falls_nor_skates),
      cmocka_unit_test(the_papers_optimisation_skates),
      cmocka_unit_test(the_map_counts_every_start),
      cmocka_unit_test(it_leaves_a_report_and_its_figures),
      cmocka_unit_test(a_ball_that_rolls_does_not_slip),
      cmocka_unit_test(a_pushed_block_sticks_or_slides_as_coulomb_says),
      cmocka_unit_test(one_joint_gets_what_it_wants_or_its_limit),
      cmocka_unit_test(a_driven_block_slides_and_regularisation_bends_its_laws),
  };
  return cmocka_run_group_tests(tests, run_quick, free_quick);
}
