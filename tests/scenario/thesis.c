/* The thesis quadruped in its scenarios: the law lcp-pyramid beside Moreau's scheme, both root models, unit-force passes, and
 * ten times the thesis' step. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/scenario.h"
#include "step/world.h"
#include "support/bounds.h"
#include "support/pace.h"

static const char *const RUNS[] = {"trot", "drop-01", "drop-05", "drop-15", "jump"};
enum { RUN_COUNT = 5 };
static const double WEIGHT = 96.8 * 9.81; /* N */

typedef struct run {
  pki_scenario *scenario;
  pki_world world;
} run;

static run open_run(const char *name, const char *const *sets, int nset)
{
  run r;
  char path[512];
  pk_error err = {0};
  snprintf(path, sizeof path, PK_SOURCE_DIR "/scenarios/thesis-%s.yaml", name);
  if (pki_scenario_load(path, sets, nset, &r.scenario, &err) != PK_OK ||
      pki_world_create(r.scenario, &r.world, &err) != PK_OK) {
    fail_msg("%s:%d: %s", err.file, err.line, err.message);
  }
  return r;
}

static void close_run(run *r)
{
  pki_world_free(&r->world);
  pki_scenario_destroy(r->scenario);
}

static pk_step_info must_step(run *r)
{
  pk_step_info info;
  assert_int_equal(pki_world_step(&r->world, &info), PK_OK);
  return info;
}

/* Which leg a contact is of: LF, RF, LH, RH. */
static int leg_of(const pk_model *m, const pk_sim_contact *c)
{
  static const char *const feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  int leg = 0;
  while (leg < 4 && strcmp(m->links[c->link].name, feet[leg]) != 0) {
    leg++;
  }
  assert_less(leg, 4);
  return leg;
}

typedef struct landing {
  double impulse[4][3];  /* of each leg until it has landed */
  double standing[4];    /* N, the normal force at the end */
  double q[23], fastest; /* at the end */
  int slides;            /* contacts that slid while they carried, over all steps */
  bool certified;
} landing;

/* Held by its controller, well damped so that it comes to rest; feet that do not slip. */
static landing land(const char *law, bool drop)
{
  const char *const sets[] = {law, "materials.ground={friction: 10}",
                              "actuators=[{joints: '*', damping: 20}]", "step.stepper=moreau",
                              "step.implicit=all"};
  run r = open_run("drop-01", sets, 5);
  pk_sim *sim = r.world.sim;
  landing l = {.certified = true};
  const int steps = 6000, landed = 800; /* 3 s; 0.4 s */
  pk_sim_q(sim)[2] = drop ? 0.845 : 0.745;
  for (int i = 0; i < steps; i++) {
    pk_sim_contact contacts[8];
    l.certified &= must_step(&r).certified;
    const int n = pk_sim_contacts(sim, contacts, 8);
    for (int k = 0; k < n; k++) {
      const int leg = leg_of(r.world.model, &contacts[k]);
      /* beside leaving the ground with nothing to carry; in the step in which a foot meets the ground only a part of its
       * impulse comes, and friction with it: it may slide there */
      l.slides += contacts[k].slides && contacts[k].impulse[2] > 0.01 * WEIGHT / 4 * 5e-4;
      for (int d = 0; d < 3 && i < landed; d++) {
        l.impulse[leg][d] += contacts[k].impulse[d];
      }
      l.standing[leg] = contacts[k].impulse[2] / 5e-4;
    }
  }
  memcpy(l.q, pk_sim_q(sim), sizeof l.q);
  for (int k = 0; k < 22; k++) {
    l.fastest = fmax(l.fastest, fabs(pk_sim_u(sim)[k]));
  }
  close_run(&r);
  return l;
}

static void exact_contact_and_moreau_agree_standing_and_falling_on_feet_that_do_not_slip(void **state)
{
  (void)state;
  for (int drop = 0; drop < 2; drop++) {
    const landing a = land("step.law=hard", drop), b = land("step.law=lcp-pyramid", drop);
    double apart = 0, part = 0;
    for (int k = 0; k < 23; k++) {
      apart = fmax(apart, fabs(a.q[k] - b.q[k]));
    }
    for (int leg = 0; leg < 4; leg++) {
      const double size = sqrt(a.impulse[leg][0] * a.impulse[leg][0] + a.impulse[leg][1] * a.impulse[leg][1] +
                               a.impulse[leg][2] * a.impulse[leg][2]);
      for (int d = 0; d < 3; d++) {
        part = fmax(part, fabs(a.impulse[leg][d] - b.impulse[leg][d]) / size);
      }
      part = fmax(part, fabs(a.standing[leg] / b.standing[leg] - 1));
      assert_less(fabs(b.standing[leg] - WEIGHT / 4), 1);
    }
    print_message("%s: rest poses %.2g m or rad apart, impulses of the legs %.2g of them; %d slides\n",
                  drop ? "drop" : "stand", apart, part, a.slides + b.slides);
    assert_true(a.certified && b.certified);
    assert_at_most(a.slides, 4);
    assert_at_most(b.slides, 4);
    assert_less(a.fastest, 1e-4);
    assert_less(b.fastest, 1e-4);
    assert_less(apart, 1e-4);
    assert_less(part, 0.01);
  }
}

/* A3: the chain of three prismatic and three revolute joints falls and lands as the floating base does. */
static void both_root_models_fall_and_land_alike(void **state)
{
  (void)state;
  const char *const sets[] = {"model.root=chain"};
  run a = open_run("drop-01", NULL, 0), b = open_run("drop-01", sets, 1);
  double apart = 0;
  assert_int_equal(b.world.model->nu, 22);
  assert_int_equal(b.world.model->nq, 22);
  for (int i = 0; i < 800; i++) {
    assert_true(must_step(&a).certified && must_step(&b).certified);
    const double *p = pk_sim_q(a.world.sim), *q = pk_sim_q(b.world.sim);
    apart = fmax(apart, fabs(p[2] - q[2]));
    for (int k = 0; k < 16; k++) {
      apart = fmax(apart, fabs(p[7 + k] - q[6 + k]));
    }
  }
  print_message("the two roots are %.2g m or rad apart after landing\n", apart);
  assert_less(apart, 1e-6);
  close_run(&a);
  close_run(&b);
}

/* A6: the matrix of the step's problem is J inv(M) J' from articulated-body passes under unit forces. */
static void the_problem_s_matrix_is_the_response_to_unit_forces(void **state)
{
  (void)state;
  run r = open_run("drop-01", NULL, 0);
  pk_sim *sim = r.world.sim;
  const pk_model *m = r.world.model;
  enum { NU = 22, ROWS = 12 };
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  double q[23];
  pk_sim_q(sim)[2] = 0.745 - 1e-4; /* all four feet touch */
  memcpy(q, pk_sim_q(sim), sizeof q);
  assert_int_equal(must_step(&r).contacts, 4);
  const pki_sim_state *c = &sim->state;
  double worst = 0, response[4][NU][6], J[4][6 * NU];
  for (int i = 0; i < 4; i++) {
    const pki_contact *f = &c->last[i];
    const int link = m->shapes[f->geom[0]].link;
    pk_kinematics_compute(w, q, NULL);
    const pk_pose pose = pk_link_pose(w, link);
    double at[3];
    for (int d = 0; d < 3; d++) {
      at[d] = 0;
      for (int e = 0; e < 3; e++) {
        at[d] += pose.rot[3 * e + d] * (f->point[e] - pose.pos[e]);
      }
    }
    pk_link_jacobian(w, link, at, J[i]);
    assert_int_equal(pk_link_response(w, q, link, at, &response[i][0][0], NULL), PK_OK);
  }
  /* the step has projected since, on other rows: the problem is solved for its certificate, and W asked of Y, Z */
  for (int i = 0; i < ROWS; i++) {
    for (int k = 0; k < ROWS; k++) {
      const pki_contact *f = &c->last[i / 3], *g = &c->last[k / 3];
      const double *along = i % 3 == 0   ? f->normal
                            : i % 3 == 1 ? f->tangent1
                                         : f->tangent2,
                   *under = k % 3 == 0   ? g->normal
                            : k % 3 == 1 ? g->tangent1
                                         : g->tangent2;
      double passes = 0;
      for (int d = 0; d < 3; d++) {
        for (int e = 0; e < 3; e++) {
          for (int u = 0; u < NU; u++) {
            passes += along[d] * J[i / 3][(3 + d) * NU + u] * response[k / 3][u][3 + e] * under[e];
          }
        }
      }
      worst = fmax(worst, fabs(passes - sim->contact.lcp_pyramid.M[i * sim->contact.lcp_pyramid.n + k]));
    }
  }
  print_message("M of %d rows differs from unit-force passes by at most %.2g of about 1 kg^-1\n",
                sim->contact.lcp_pyramid.n, worst);
  assert_less(worst, 1e-9);
  pk_workspace_destroy(w);
  close_run(&r);
}

/* Limp, tilted, thrown down: joints have friction and damping, the ground takes what it can, and nothing gives energy.
 * In the air the step's own error may. */
static void a_limp_robot_never_gains_energy_on_the_ground(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    const char *const sets[] = {"controller={name: hold, kp: 0, kd: 0}", "model.rpy=[0.2, 0.1, 0]",
                                k / 2 ? "materials.ground={friction: 0.5, viscous: 2, restitution_n: 0.5}"
                                      : "materials.ground={friction: 0.5, viscous: 2}",
                                k % 2 ? "step.stepper=moreau" : "step.stepper=euler"};
    run r = open_run("drop-05", sets, 4);
    pk_workspace *w;
    pk_workspace_create(r.world.model, &w, NULL);
    double before = INFINITY, rise[2] = {-INFINITY, -INFINITY}, first = 0;
    for (int i = 0; i < PACE(6000, 2000); i++) {
      const pk_step_info info = must_step(&r);
      pk_kinematics_compute(w, pk_sim_q(r.world.sim), pk_sim_u(r.world.sim));
      const pk_energy e = pk_energy_compute(w, pk_sim_u(r.world.sim));
      const double now = e.kinetic + e.potential - info.stabilisation;
      rise[info.contacts > 0] = fmax(rise[info.contacts > 0], now - before);
      before = e.kinetic + e.potential;
      first = i == 0 ? before : first;
    }
    print_message(
        "%s, %s: rises in a step by at most %.2g J in the air, %.2g J on the ground; %.0f J of %.0f J left\n",
        k / 2 ? "eps 0.5" : "eps 0", k % 2 ? "moreau" : "euler", rise[0], rise[1], before, first);
    assert_greater(rise[1], -INFINITY); /* it was on the ground */
    assert_less(rise[1], 1e-9);
    assert_less(before, first);
    pk_workspace_destroy(w);
    close_run(&r);
  }
}

/* Feet that bounce, stiff joints: what stops them are impulses. If they waited for a gap of zero, projections would push them
 * back onto the ground in every step and wind up the joints' springs: the trunk would rise to tens of metres. */
static void feet_that_bounce_under_stiff_joints_stay_below_where_they_came_from(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    const char *const sets[] = {k % 2 ? "step.law=lcp-pyramid" : "step.law=hard", "model.rpy=[0.02, 0, 0]",
                                "materials.ground={friction: 0.3, restitution_n: 0.2}",
                                k / 2 ? "step.implicit=all" : "step.implicit=none"};
    run r = open_run("drop-05", sets, 4);
    pk_workspace *w;
    pk_workspace_create(r.world.model, &w, NULL);
    double top = 0, most = 0;
    for (int i = 0; i < PACE(2000, 1000); i++) {
      must_step(&r);
      pk_kinematics_compute(w, pk_sim_q(r.world.sim), pk_sim_u(r.world.sim));
      const pk_energy e = pk_energy_compute(w, pk_sim_u(r.world.sim));
      most = fmax(most, e.kinetic + e.potential);
      top = fmax(top, pk_sim_q(r.world.sim)[2]);
    }
    print_message("%s, %s: the trunk at most at %.3f m, the energy at most %.0f J\n", sets[0], sets[3], top,
                  most);
    assert_less(top, 1.245);
    assert_less(most, 1010); /* 999 J at the start; joints store and give back */
    pk_workspace_destroy(w);
    close_run(&r);
  }
}

/* Resting contact in accelerations: feet that approach collide before projections wind up the joints, and those that leave are not
 * pushed. Energy only from the joints: falls have no more than they began with, the jump rises as high as in velocities. */
static void falls_and_the_jump_in_accelerations_keep_their_energy(void **state)
{
  (void)state;
  const char *const sets[] = {"step.resting=acceleration"};
  for (int k = 0; k < RUN_COUNT; k++) {
    run r = open_run(RUNS[k], sets, 1);
    const bool falls = strncmp(RUNS[k], "drop", 4) == 0;
    pk_workspace *w;
    pk_workspace_create(r.world.model, &w, NULL);
    double top = 0, most = 0, first = 0;
    for (int i = 0; i < PACE(6000, 1600); i++) {
      assert_true(must_step(&r).certified);
      pk_kinematics_compute(w, pk_sim_q(r.world.sim), pk_sim_u(r.world.sim));
      const pk_energy e = pk_energy_compute(w, pk_sim_u(r.world.sim));
      first = i == 0 ? e.kinetic + e.potential : first;
      most = fmax(most, e.kinetic + e.potential);
      top = fmax(top, pk_sim_q(r.world.sim)[2]);
    }
    const double *q = pk_sim_q(r.world.sim);
    print_message("%s: at %.3f, %.3f, %.3f m; highest %.3f m, %.0f J at most of %.0f J at the start\n",
                  RUNS[k], q[0], q[1], q[2], top, most, first);
    if (falls) {
      assert_less(most, 1.01 * first);
    }
    assert_less(top, 2.25);
    if (!PK_TEST_SLOW && k != 4) {
      assert_near(q[2], 0.745, 0.02);
    }
    pk_workspace_destroy(w);
    close_run(&r);
  }
  SKIP_WHEN_SLOW("the height at which each run comes to rest");
}

/* At ten times its step, and gains at the end of the step. */
static void every_step_certifies_at_ten_times_the_thesis_step(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * RUN_COUNT; k++) {
    const char *const sets[] = {
        k < RUN_COUNT ? "step.law=hard" : "step.law=lcp-pyramid", "step.dt=5e-3", "step.implicit=all",
        k < RUN_COUNT ? "materials.ground.viscous=0" : "materials.ground.viscous=0.4"};
    const char *name = RUNS[k % RUN_COUNT];
    run r = open_run(name, sets, 4);
    double top = 0;
    for (int i = 0; i < PACE(2120, 1000); i++) {
      assert_true(must_step(&r).certified);
      top = fmax(top, pk_sim_q(r.world.sim)[2]);
    }
    const double *q = pk_sim_q(r.world.sim);
    print_message("%s, %s: at %.3f, %.3f, %.3f m; highest %.3f m\n", name, sets[0], q[0], q[1], q[2], top);
    assert_less(fabs(q[2] - 0.745), 0.01);
    close_run(&r);
  }
}

static void all_five_runs_certify_to_their_end_under_exact_contact(void **state)
{
  (void)state;
  for (int k = 0; k < RUN_COUNT; k++) {
    run r = open_run(RUNS[k], NULL, 0);
    double top = 0;
    assert_true(r.scenario->step.law == PK_CONTACT_LAW_LCP_PYRAMID && r.scenario->step.dt == 5e-4);
    assert_true(r.scenario->duration == 10.6);
    for (int i = 0; i < PACE(21200, 1200); i++) {
      assert_true(must_step(&r).certified);
      top = fmax(top, pk_sim_q(r.world.sim)[2]);
    }
    const double *q = pk_sim_q(r.world.sim);
    print_message("%s: at %.3f, %.3f, %.3f m; highest %.3f m\n", RUNS[k], q[0], q[1], q[2], top);
    if (!PK_TEST_SLOW) {
      assert_near(q[2], 0.745, 0.02);
    }
    if (!PK_TEST_SLOW && k == 4) {
      assert_near(top, 2.2, 0.02);
    }
    close_run(&r);
  }
  SKIP_WHEN_SLOW("that the runs certify to their end, where they come to rest and how high the jump is");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_contact_and_moreau_agree_standing_and_falling_on_feet_that_do_not_slip),
      cmocka_unit_test(both_root_models_fall_and_land_alike),
      cmocka_unit_test(the_problem_s_matrix_is_the_response_to_unit_forces),
      cmocka_unit_test(a_limp_robot_never_gains_energy_on_the_ground),
      cmocka_unit_test(feet_that_bounce_under_stiff_joints_stay_below_where_they_came_from),
      cmocka_unit_test(falls_and_the_jump_in_accelerations_keep_their_energy),
      cmocka_unit_test(every_step_certifies_at_ten_times_the_thesis_step),
      cmocka_unit_test(all_five_runs_certify_to_their_end_under_exact_contact),
  };
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
