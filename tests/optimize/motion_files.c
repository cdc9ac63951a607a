/* The files of a motion: what is written is what was found. */
#define _XOPEN_SOURCE 700 /* mkdtemp, setenv */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/folders.h"
#include "optimize/files/motion_files.h"
#include "optimize/files/solution_file.h"
#include "support/bounds.h"

static const char bounding[] = "model:\n  model: starleth\n  position: [0, 0, 0.43]\n"
                               "  joints: {LF_HFE: 0.7, LF_KFE: -1.3, RF_HFE: 0.7, RF_KFE: -1.3, LH_HFE: "
                               "-0.7, LH_KFE: 1.3, RH_HFE: -0.7, "
                               "RH_KFE: 1.3}\n"
                               "feet: [LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT]\n"
                               "gait: {pattern: bound, duty: 0.5, intervals: 8}\nspeed: 0.5\nperiod: 0.6\n";

static const double PERIOD = 0.6, SPEED = 0.5, SWING = 0.2, TURN = 0.4, HEADING = 0.7;

/* A motion in closed form: the trunk goes ahead and yaws at a constant rate, joints swing. */
static void fill_point(const pki_gait_file *g, double t, int phase, pki_motion_point *out)
{
  const double w = 2 * acos(-1) / PERIOD;
  *out = (pki_motion_point){.time = t, .phase = phase};
  for (int k = 0; k < g->model->nu; k++) {
    out->q[k] = g->problem.pose[k] + (k >= 6 ? SWING * sin(w * t) : 0);
    out->v[k] = k >= 6 ? SWING * w * cos(w * t) : 0;
    out->tau[k] = k >= 6 ? 10 * cos(w * t) : 0;
  }
  out->q[0] = SPEED * t, out->v[0] = SPEED;
  out->q[5] = HEADING + TURN * t / PERIOD, out->v[5] = TURN / PERIOD;
  for (int f = 0; f < 4; f++) {
    if ((g->problem.phases[phase].stance >> f & 1) != 0) {
      out->force[f][0] = 12, out->force[f][1] = 5, out->force[f][2] = 130;
    }
  }
}

static void make_solution(const pki_gait_file *g, pki_motion_solution *s)
{
  double t = 0;
  *s = (pki_motion_solution){.nu = g->model->nu, .nfoot = 4, .nphase = g->problem.nphase, .solved = true};
  s->points = calloc(200, sizeof *s->points);
  s->iterations = calloc(3, sizeof *s->iterations);
  s->warm = malloc(5);
  assert_non_null(s->points);
  assert_non_null(s->iterations);
  assert_non_null(s->warm);
  memcpy(s->warm, "warm", 5);
  s->warm_size = 5;
  s->niteration = 3;
  for (int p = 0; p < s->nphase; p++) {
    const int n = 2 * g->problem.phases[p].intervals;
    s->duration[p] = g->problem.phases[p].guess;
    s->intervals[p] = g->problem.phases[p].intervals;
    s->impacts[p].impulse[p % 4][2] = 0.5 + p;
    for (int i = 0; i <= n; i++) {
      fill_point(g, t + s->duration[p] * i / n, p, &s->points[s->npoint]);
      pki_motion_point *const at = &s->points[s->npoint]; /* no springs between rotors and joints */
      memcpy(at->motor_tau, at->tau, sizeof at->tau);
      memcpy(at->motor_v, at->v, sizeof at->v);
      s->points[s->npoint++].middle = i % 2 == 1;
    }
    t += s->duration[p];
  }
  for (int i = 0; i < 3; i++) {
    s->iterations[i] = (pki_motion_iteration){.stage = i, .objective = 10 - i, .violation = 0.1};
  }
  s->nstage = 1;
  snprintf(s->stages[0].name, sizeof s->stages[0].name, "objective");
  s->stages[0].result = (pki_nlp_result){.end = PKI_NLP_ACCEPTABLE, .why = "x", .objective = 8, .seconds = 2};
  s->stages[0].grid_error = NAN;
  s->period = PERIOD, s->stride = PERIOD * SPEED, s->objective = 8, s->stability = NAN;
  s->work = 0.25, s->joule = 40, s->torque = 3;
  s->line_margin = s->torque_margin = NAN;
}

typedef struct bench {
  char folder[PKI_PATH_MAX];
  pki_gait_file *gait;
  pki_motion_solution solution;
  pki_course course;
} bench;

static const char *path_in(const bench *b, const char *file)
{
  static char path[PKI_PATH_MAX];
  assert_true(pki_path_join(path, b->folder, file));
  return path;
}

static int set_up(void **state)
{
  bench *b = calloc(1, sizeof *b);
  pki_problems problems = {0};
  pk_error err = {.message = ""};
  assert_non_null(b);
  assert_int_equal(pki_temporary_folder(NULL, "motion", "the test", b->folder, &err), PK_OK);
  pki_gait_file_parse("test.yaml", bounding, strlen(bounding), NULL, 0, &b->gait, &problems);
  assert_int_equal(pki_problems_first(&problems, &err), PK_OK);
  make_solution(b->gait, &b->solution);
  assert_int_equal(pki_course_make(b->gait, &b->solution, &b->course, &err), PK_OK);
  *state = b;
  return 0;
}

static int tear_down(void **state)
{
  bench *b = *state;
  pki_course_free(&b->course);
  pki_motion_solution_free(&b->solution);
  pki_gait_file_destroy(b->gait);
  pki_folder_remove(b->folder);
  free(b);
  return 0;
}

/* ---- the course ---- */

/* The yaw of the trunk is its third angle; it turns about z alone, so its own axes see the same rate. */
static void the_course_has_the_trunk_in_the_world(void **state)
{
  const bench *b = *state;
  for (int i = 0; i < b->course.nrow; i++) {
    const pki_course_row *r = &b->course.rows[i];
    const double t = r->point->time, half = (HEADING + TURN * t / PERIOD) / 2;
    assert_near(r->position[0], SPEED * t, 1e-12);
    assert_near(r->position[2], 0.43, 1e-12);
    assert_near(r->quaternion[0], cos(half), 1e-12);
    assert_near(r->quaternion[3], sin(half), 1e-12);
    assert_near(r->velocity[0], SPEED, 1e-12);
    assert_near(r->spin[2], TURN / PERIOD, 1e-12);
    assert_near(r->velocity[1], 0, 1e-12);
  }
  assert_true(b->course.repeats);
  /* forward and left of the heading at the start; the motion goes along x */
  assert_near(b->course.travel[0], SPEED * PERIOD * cos(HEADING), 1e-12);
  assert_near(b->course.travel[1], -SPEED * PERIOD * sin(HEADING), 1e-12);
  assert_near(b->course.travel[2], TURN, 1e-12);
}

static void figures_follow_from_the_course(void **state)
{
  const bench *b = *state;
  const pki_motion_figures f = pki_motion_figures_of(&b->course);
  assert_near(f.speed, SPEED, 1e-12);
  assert_near(f.froude, SPEED * SPEED / (9.81 * 0.43), 1e-12);
  assert_near(f.friction_used, 13.0 / 130, 1e-12);
  assert_near(f.duty[0], 0.5, 1e-9);
  assert_near(f.peak_torque[8], 10, 1e-12);
  /* mean square of a cosine is a half; trapezoids over whole periods are exact up to the unequal grid */
  assert_near(f.rms_torque[8], 10 / sqrt(2), 1e-3);
  assert_near(f.joule_cost, 40 / (b->gait->model->mass * 9.81), 1e-12);
}

/* ---- motion.csv ---- */

/* The numbers of one line. */
static int split_line(const char *line, double *out, int most)
{
  int n = 0;
  for (char *end; n < most; n++, line = end + 1) {
    out[n] = strtod(line, &end);
    if (*end != ',') {
      return n + 1;
    }
  }
  return n;
}

static void the_motion_file_has_every_row(void **state)
{
  const bench *b = *state;
  pk_error err = {.message = ""};
  size_t size;
  assert_int_equal(pki_motion_csv_save(&b->course, path_in(b, "motion.csv"), &err), PK_OK);
  char *text = pki_file_read(path_in(b, "motion.csv"), 1 << 24, &size);
  assert_non_null(text);
  static const char head[] = "# pronk motion 1\n# repeat: yes\n# travel: ";
  static const char columns[] =
      "time,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,q:LF_HAA,u:LF_HAA,tau:LF_HAA,q:LF_HFE,";
  double travel[3];
  assert_int_equal(strncmp(text, head, sizeof head - 1), 0);
  assert_int_equal(sscanf(text + sizeof head - 1, "%lf %lf %lf", &travel[0], &travel[1], &travel[2]), 3);
  assert_near(travel[0], 0.3 * cos(HEADING), 1e-12);
  assert_near(travel[2], TURN, 1e-12);
  const char *line = strstr(text, "\ntime,") + 1;
  assert_int_equal(strncmp(line, columns, sizeof columns - 1), 0);
  assert_non_null(strstr(line, ",stance:RH_FOOT,fx:RH_FOOT,fy:RH_FOOT,fz:RH_FOOT\n"));
  line = strchr(line, '\n') + 1;
  for (int i = 0; i < b->course.nrow; i++, line = strchr(line, '\n') + 1) {
    double v[128];
    const pki_course_row *r = &b->course.rows[i];
    assert_int_equal(split_line(line, v, 128), 14 + 3 * 12 + 4 * 4);
    assert_true(v[0] == r->time && v[1] == r->position[0] && v[7] == r->quaternion[3]);
    assert_true(v[14] == r->point->q[6] && v[15] == r->point->v[6] && v[16] == r->point->tau[6]);
    assert_true(v[50] == (r->stance & 1) && v[53] == r->point->force[0][2]);
  }
  assert_int_equal(*line, '\0');
  free(text);
}

/* ---- track.txt ---- */

static void the_table_of_references_has_each_time_once(void **state)
{
  const bench *b = *state;
  pk_error err = {.message = ""};
  size_t size;
  assert_int_equal(pki_motion_track_save(&b->course, path_in(b, "track.txt"), &err), PK_OK);
  char *text = pki_file_read(path_in(b, "track.txt"), 1 << 24, &size);
  assert_non_null(text);
  double last = -1;
  int rows = 0;
  const char *line = strstr(text, "\ntau_max") + 1;
  assert_int_equal(strncmp(line, "tau_max, 30, 30", 15), 0);
  for (line = strchr(line, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1, rows++) {
    double v[16];
    assert_int_equal(split_line(line, v, 16), 13);
    assert_greater(v[0], last);
    last = v[0];
    assert_near(v[2], 0.7 + SWING * sin(2 * acos(-1) / PERIOD * v[0]), 1e-12);
  }
  assert_near(last, PERIOD, 1e-12);
  assert_int_equal(rows, b->course.nrow - (b->solution.nphase - 1));
  free(text);
}

/* ---- scenario.yaml ---- */

/* Place, joints and rates are those of the first row. */
static void the_scenario_starts_where_the_motion_does(void **state)
{
  const bench *b = *state;
  pk_error err = {.message = ""};
  pki_scenario *s = NULL;
  pki_world w = {0};
  assert_int_equal(pki_motion_csv_save(&b->course, path_in(b, "motion.csv"), &err), PK_OK);
  assert_int_equal(pki_motion_scenario_save(&b->course, path_in(b, "scenario.yaml"), &err), PK_OK);
  if (pki_scenario_load(path_in(b, "scenario.yaml"), NULL, 0, &s, &err) != PK_OK ||
      pki_world_create(s, &w, &err) != PK_OK || w.model == NULL) {
    fail_msg("%s", err.message);
    return;
  }
  const double *q = pk_sim_q(w.sim);
  for (int i = 0; i < 3; i++) {
    assert_near(q[i], b->course.rows[0].position[i], 1e-12);
  }
  const int knee = pk_model_find_joint(w.model, "LF_KFE");
  assert_near(q[w.model->joints[knee].q], -1.3, 1e-12);
  assert_near(pk_sim_u(w.sim)[0], SPEED, 1e-12);
  assert_near(pk_sim_u(w.sim)[w.model->joints[knee].u], b->course.rows[0].point->v[8], 1e-12);
  assert_near(s->duration, 4 * PERIOD, 1e-12);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* Motions are in axes of the ground: figures do not see the slope, and the world has level ground with a gravity that pulls downhill. */
static void on_a_slope_gravity_leans(void **state)
{
  bench *b = *state;
  const double slope = 0.1;
  pk_error err = {.message = ""};
  pki_scenario *s = NULL;
  b->gait->problem.slope = slope;
  const pki_motion_figures f = pki_motion_figures_of(&b->course);
  assert_near(f.friction_used, 13.0 / 130, 1e-12);
  assert_int_equal(pki_motion_csv_save(&b->course, path_in(b, "motion.csv"), &err), PK_OK);
  assert_int_equal(pki_motion_track_save(&b->course, path_in(b, "track.txt"), &err), PK_OK);
  assert_int_equal(pki_motion_scenario_save(&b->course, path_in(b, "scenario.yaml"), &err), PK_OK);
  if (pki_scenario_load(path_in(b, "scenario.yaml"), NULL, 0, &s, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_near(s->gravity[0], -9.81 * sin(slope), 1e-12);
  assert_near(s->gravity[2], -9.81 * cos(slope), 1e-12);
  pki_scenario_destroy(s);
}

/* Springs that were chosen stand beside the joints, with the sign of each, and are read back with all else. */
static void springs_that_were_chosen_are_actuators(void **state)
{
  bench *b = *state;
  pk_error err = {.message = ""};
  pki_scenario *s = NULL;
  pki_motion_problem *p = &b->gait->problem;
  p->ndesign = b->course.whole.ndesign = b->solution.ndesign = 2;
  p->designs[0] = (pki_motion_design){.kind = PKI_DESIGN_PARALLEL_STIFFNESS, .name = "knee"};
  p->designs[1] = (pki_motion_design){.kind = PKI_DESIGN_PARALLEL_REST, .name = "knee"};
  p->designs[0].sign[8] = 1, p->designs[1].sign[8] = -1;
  b->solution.design[0] = (pki_design_result){.value = 12, .slope = 0.5, .at = {11, 13}};
  b->solution.design[1] = (pki_design_result){.value = 0.7, .slope = NAN, .at = {NAN, NAN}};
  b->solution.design[0].scanned[1].joule = 3;
  memcpy(b->course.whole.design, b->solution.design, sizeof b->solution.design);
  assert_int_equal(pki_motion_csv_save(&b->course, path_in(b, "motion.csv"), &err), PK_OK);
  assert_int_equal(pki_motion_scenario_save(&b->course, path_in(b, "scenario.yaml"), &err), PK_OK);
  if (pki_scenario_load(path_in(b, "scenario.yaml"), NULL, 0, &s, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(s->nactuator, 1);
  const pk_parallel_spring_parameters *spring = s->actuators[0].parameters;
  assert_true(spring->radius == 1 && spring->stiffness == 12 && spring->pretension == -0.7 &&
              spring->both_ways);
  pki_scenario_destroy(s);

  pki_motion_solution c;
  assert_int_equal(pki_solution_save(&b->solution, 77, path_in(b, "s.pronk"), &err), PK_OK);
  assert_int_equal(pki_solution_load(path_in(b, "s.pronk"), p, 77, &c, &err), PK_OK);
  assert_memory_equal(c.design, b->solution.design, 2 * sizeof c.design[0]);
  assert_memory_equal(c.points, b->solution.points, (size_t)c.npoint * sizeof *c.points);
  pki_motion_solution_free(&c);
  p->ndesign = 1;
  assert_int_equal(pki_solution_load(path_in(b, "s.pronk"), p, 77, &c, &err), PK_ERROR_SYNTAX);
}

/* ---- solution.pronk ---- */

static void a_solution_is_read_as_it_was_written(void **state)
{
  const bench *b = *state;
  const pki_motion_solution *a = &b->solution;
  pki_motion_solution c;
  pk_error err = {.message = ""};
  assert_int_equal(pki_solution_save(a, 77, path_in(b, "s.pronk"), &err), PK_OK);
  assert_int_equal(pki_solution_load(path_in(b, "s.pronk"), &b->gait->problem, 77, &c, &err), PK_OK);
  assert_true(c.nu == a->nu && c.nfoot == a->nfoot && c.nphase == a->nphase && c.npoint == a->npoint);
  assert_true(c.solved && c.period == a->period && c.stride == a->stride && c.objective == a->objective);
  assert_true(isnan(c.stability) && c.work == a->work && c.joule == a->joule && c.torque == a->torque);
  for (int i = 0; i < a->npoint; i++) {
    assert_memory_equal(&c.points[i], &a->points[i], sizeof *c.points);
  }
  for (int p = 0; p < a->nphase; p++) {
    assert_true(c.duration[p] == a->duration[p] && c.intervals[p] == a->intervals[p]);
    assert_memory_equal(c.impacts[p].impulse, a->impacts[p].impulse, sizeof c.impacts[p].impulse);
  }
  assert_int_equal(c.nstage, 1);
  assert_string_equal(c.stages[0].name, "objective");
  assert_int_equal(c.stages[0].result.end, PKI_NLP_ACCEPTABLE);
  assert_true(c.stages[0].result.objective == 8 && c.stages[0].result.seconds == 2);
  assert_memory_equal(c.iterations, a->iterations, 3 * sizeof *c.iterations);
  assert_int_equal(c.warm_size, 5);
  assert_string_equal((const char *)c.warm, "warm");
  pki_motion_solution_free(&c);
}

static void a_solution_of_another_problem_is_refused(void **state)
{
  const bench *b = *state;
  pki_motion_solution c;
  pk_error err = {.message = ""};
  assert_int_equal(pki_solution_save(&b->solution, 77, path_in(b, "s.pronk"), &err), PK_OK);
  assert_int_equal(pki_solution_load(path_in(b, "s.pronk"), &b->gait->problem, 78, &c, &err),
                   PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "it is the solution of another problem");
}

/* Every byte that is changed, and every end that is cut off, is seen. */
static void a_damaged_solution_is_refused(void **state)
{
  const bench *b = *state;
  pki_motion_solution c;
  pk_error err = {.message = ""};
  size_t size;
  assert_int_equal(pki_solution_save(&b->solution, 77, path_in(b, "s.pronk"), &err), PK_OK);
  char *bytes = pki_file_read(path_in(b, "s.pronk"), 1 << 24, &size);
  assert_non_null(bytes);
  for (size_t at = 0; at < size; at += size / 97 + 1) {
    for (int cut = 0; cut < 2; cut++) {
      FILE *file = fopen(path_in(b, "t.pronk"), "wb");
      assert_non_null(file);
      bytes[at] = (char)(bytes[at] ^ (cut ? 0 : 0x55));
      const size_t length = cut ? at : size;
      assert_int_equal(fwrite(bytes, 1, length, file), length);
      fclose(file);
      bytes[at] = (char)(bytes[at] ^ (cut ? 0 : 0x55));
      assert_int_equal(pki_solution_load(path_in(b, "t.pronk"), &b->gait->problem, 77, &c, &err),
                       PK_ERROR_SYNTAX);
    }
  }
  free(bytes);
}

/* Each count that is not the problem's, and a grid that is not that of the points. */
static void a_solution_with_other_counts_is_refused(void **state)
{
  const bench *b = *state;
  for (int which = 0; which < 6; which++) {
    pki_motion_solution wrong = b->solution, c;
    pk_error err = {.message = ""};
    wrong.nu -= which == 0;
    wrong.nfoot -= which == 1;
    wrong.nphase += which == 2;
    wrong.npoint -= which == 3;
    wrong.intervals[0] -= which == 4;
    wrong.npoint = which == 5 ? 1 : wrong.npoint;
    assert_int_equal(pki_solution_save(&wrong, 77, path_in(b, "s.pronk"), &err), PK_OK);
    assert_int_equal(pki_solution_load(path_in(b, "s.pronk"), &b->gait->problem, 77, &c, &err),
                     PK_ERROR_SYNTAX);
    assert_string_equal(err.message, "the file is damaged: its degrees of freedom, feet, phases or points "
                                     "are not those of the problem");
  }
}

/* ---- summary and report ---- */

static void the_report_holds_all_its_parts(void **state)
{
  static const char *const parts[] = {"id=\"ladder\"", "id=\"joints\"",      "id=\"contacts\"",
                                      "id=\"motion\"", "Feet on the ground", "Share of the friction cone",
                                      "LF_KFE",        "acceptable"};
  const bench *b = *state;
  pk_error err = {.message = ""};
  size_t size;
  assert_int_equal(pki_motion_report_save(&b->course, &b->solution, path_in(b, "report.html"), &err), PK_OK);
  char *page = pki_file_read(path_in(b, "report.html"), 1 << 24, &size);
  assert_non_null(page);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (strstr(page, parts[i]) == NULL) {
      fail_msg("the report lacks %s", parts[i]);
    }
  }
  assert_null(strstr(page, "nan"));
  free(page);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
#define WITH_MOTION(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      WITH_MOTION(the_course_has_the_trunk_in_the_world),
      WITH_MOTION(figures_follow_from_the_course),
      WITH_MOTION(the_motion_file_has_every_row),
      WITH_MOTION(the_table_of_references_has_each_time_once),
      WITH_MOTION(the_scenario_starts_where_the_motion_does),
      WITH_MOTION(on_a_slope_gravity_leans),
      WITH_MOTION(springs_that_were_chosen_are_actuators),
      WITH_MOTION(a_solution_is_read_as_it_was_written),
      WITH_MOTION(a_solution_of_another_problem_is_refused),
      WITH_MOTION(a_damaged_solution_is_refused),
      WITH_MOTION(a_solution_with_other_counts_is_refused),
      WITH_MOTION(the_report_holds_all_its_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
