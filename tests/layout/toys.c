/* What it costs to add a solver, a law of contact, a controller, a sensor and a section of scenarios: a toy of each kind is
 * added here, from outside the registry's files, and works in worlds like those that come with Pronk; and the files that know
 * a member of each registry are counted.
 *
 * A registry is a list of rows in a file of its own (..._rows.c). This test has lists with one row more in their place, which
 * the linker takes before it looks into the library. */
#define _POSIX_C_SOURCE 200809L

#include "scenario/help.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

#include "base/file.h"
#include "contact/solvers/solver.h"
#include "pronk/stability.h"
#include "scenario/section.h"
#include "sense/sensors.h"
#include "serve/live_parameters.h"
#include "step/law.h"
#include "step/world.h"
#include "support/bounds.h"

/* ---- a solver: projected Gauss-Seidel, row by row ---- */

static int toy_solves;

static void solve_toy(pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  double *r = run->r;
  toy_solves++;
  do {
    for (int row = 0; row < pk_contact_size(p); row++) {
      const double u = pki_row_dot(p, row, r) + p->q[row], next = r[row] - u / pki_diagonal(p, row);
      r[row] = row >= 3 * p->ncontact ? pki_clamp_box(p, row, next) : row % 3 == 0 ? fmax(next, 0) : next;
      if (row < 3 * p->ncontact && row % 3 == 2) {
        double *t = r + row - 1;
        const double size = hypot(t[0], t[1]), most = p->mu[row / 3] * r[row - 2];
        const double scale = size > most ? most / size : 1;
        t[0] *= scale, t[1] *= scale;
      }
    }
  } while (!pki_solve_swept(run, 1));
}

static const pki_solver_row pki_solver_toy = {
    .name = "toy", .doc = "row by row", .solve = solve_toy, .reads_W = true, .sweeps = true};

#define DECLARE_SOLVER(id, row) extern const pki_solver_row pki_solver_##row;
#define SOLVER(id, row) [id] = &pki_solver_##row,
PK_SOLVER_LIST(DECLARE_SOLVER)

const pki_solver_row *const pki_solvers[] = {PK_SOLVER_LIST(SOLVER) SOLVER(PK_SOLVER_COUNT, toy) NULL};

static void a_solver_from_outside_solves_the_contacts_of_a_world(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario("duration: 1\nobjects: [{shape: sphere, size: 0.1, position: [0, 0, 0.1], "
                                  "velocity: [1, 0, 0]}]\n" GROUND "step: {solver: toy}\n",
                                  NULL);
  assert_int_equal(s->step.solver, PK_SOLVER_COUNT);
  pki_world w = good_world(s);
  pk_step_info info;
  toy_solves = 0;
  for (int k = 0; k < 200; k++) {
    assert_int_equal(pki_world_step(&w, &info), PK_OK);
    assert_at_most(info.certificate.relative, s->step.tolerance);
  }
  assert_greater(toy_solves, 0);
  assert_int_equal(info.contacts, 1);
  assert_less(fabs(pk_sim_u(w.sim)[0] - 5.0 / 7), 1e-3); /* a ball that slid ends up rolling */
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

static void a_word_that_is_no_solver_is_refused_with_the_toy_among_the_others(void **state)
{
  (void)state;
  pk_solver_options o = pk_solver_options_default();
  pk_error err = {.message = ""};
  assert_int_equal(pki_fields_parse(pki_solver_fields, pki_solver_field_count, &o, "solver", "tay", &err),
                   PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "active-set, toy; did you mean \"toy\"?"));
  o.solver = (pk_solver)(PK_SOLVER_COUNT + 1);
  assert_int_equal(pk_solver_options_validate(&o, &err), PK_ERROR_ARGUMENT);
}

/* ---- a law: the hard one without friction ---- */

static void forget_friction(pk_sim *sim, int contact, const double *u, const double *u_free)
{
  (void)u, (void)u_free;
  sim->contact.assembly.mu[contact] = 0;
}

static const pki_law pki_law_toy = {.name = "ice", .doc = "hard, without friction", .shift = forget_friction};

#define DECLARE_LAW(id, row) extern const pki_law pki_law_##row;
#define LAW(id, row) [id] = &pki_law_##row,
PK_CONTACT_LAW_LIST(DECLARE_LAW)

const pki_law *const pki_laws[] = {PK_CONTACT_LAW_LIST(LAW) LAW(PK_CONTACT_LAW_COUNT, toy) NULL};

/* The speed of a box that slid for a while. */
static double slide(const char *law)
{
  char set[32];
  snprintf(set, sizeof set, "step.law=%s", law);
  pki_scenario *s = good_scenario("duration: 1\nobjects: [{shape: box, size: [0.2, 0.2, 0.2], position: [0, "
                                  "0, 0.1], velocity: [1, 0, 0]}]\n" GROUND,
                                  set);
  pki_world w = good_world(s);
  pk_step_info info;
  for (int k = 0; k < 300; k++) {
    assert_int_equal(pki_world_step(&w, &info), PK_OK);
    assert_greater(info.contacts, 0);
  }
  const double speed = pk_sim_u(w.sim)[0];
  pki_world_free(&w);
  pki_scenario_destroy(s);
  return speed;
}

static void a_law_from_outside_says_what_contacts_do(void **state)
{
  (void)state;
  assert_less(fabs(slide("hard")), 1e-6);
  assert_less(fabs(slide("ice") - 1), 1e-9);
}

/* ---- a sensor: how high the first free root is ---- */

static int read_height(const pk_observation *seen, double *out)
{
  if (out != NULL) {
    out[0] = seen->q[2];
  }
  return 1;
}

static const pki_sensor_row pki_sensor_toy = {
    .name = "height", .doc = "of the first root", .unit = "m", .width = "1", .read = read_height};

#define DECLARE_SENSOR(row) extern const pki_sensor_row pki_sensor_##row;
#define SENSOR(row) &pki_sensor_##row,
PKI_SENSOR_LIST(DECLARE_SENSOR)

const pki_sensor_row *const pki_sensors[] = {PKI_SENSOR_LIST(SENSOR) SENSOR(toy) NULL};

/* ---- a controller: one torque for all joints; what it saw of each sensor is kept ---- */

typedef struct toy_options {
  double period, torque;
} toy_options;

typedef struct toy_controller {
  pk_controller controller;
  toy_options options;
} toy_controller;

enum { SENSORS = 16, NUMBERS = 256 };

static struct {
  int count[SENSORS];
  double value[SENSORS][NUMBERS];
  double q[NUMBERS], u[NUMBERS];
  int ncontact;
} felt;

static void feel(const pk_observation *seen)
{
  for (int k = 0; pki_sensors[k] != NULL; k++) {
    felt.count[k] = pki_sensors[k]->read(seen, NULL);
    assert_in_range(felt.count[k], 0, NUMBERS);
    assert_int_equal(pki_sensors[k]->read(seen, felt.value[k]), felt.count[k]);
  }
  memcpy(felt.q, seen->q, (size_t)seen->model->nq * sizeof felt.q[0]);
  memcpy(felt.u, seen->u, (size_t)seen->model->nu * sizeof felt.u[0]);
  felt.ncontact = seen->ncontact;
}

/* What it remembers of a world: another torque that was asked for while it ran. */
typedef struct toy_state {
  bool asked;
  double torque;
} toy_state;

/* update_group alone: a world by itself is a group of one */
static void push_joints(const pk_controller *self, int count, const pk_observation *seen, void *const *states,
                        pk_command *const *commands, pk_status *status)
{
  const toy_controller *c = self->user;
  for (int i = 0; i < count; i++) {
    const toy_state *t = states[i];
    const double torque = t->asked ? t->torque : c->options.torque;
    feel(&seen[i]);
    for (int k = 0; k < seen[i].model->nu; k++) {
      const bool joint = seen[i].model->dof_joint[k] >= 0;
      commands[i][k] = (pk_command){.tau = joint ? torque : 0};
    }
    status[i] = PK_OK;
  }
}

static const pk_field toy_fields[] = {
    {"period", offsetof(toy_options, period), PK_FIELD_REAL, "s", 0, 0, 1, NULL, "time between updates"},
    {"torque", offsetof(toy_options, torque), PK_FIELD_REAL, "N m", 1, -9, 9, NULL, "of all joints"},
};

static pk_status create_toy(const pk_model *model, const void *options, pk_controller **out, pk_error *err)
{
  (void)model, (void)err;
  toy_controller *c = calloc(1, sizeof *c);
  assert_non_null(c);
  c->options = *(const toy_options *)options;
  c->controller = (pk_controller){.name = "toy",
                                  .period = c->options.period,
                                  .state_size = sizeof(toy_state),
                                  .update_group = push_joints,
                                  .user = c};
  *out = &c->controller;
  return PK_OK;
}

static pk_status change_toy(pk_sim *sim, const void *before, const void *options, pk_error *err)
{
  (void)err, (void)before;
  toy_state *t = sim->control.state;
  *t = (toy_state){.asked = true, .torque = ((const toy_options *)options)->torque};
  return PK_OK;
}

static const char *const toy_live[] = {"torque", NULL};

static const pki_controller_row pki_controller_toy = {.name = "toy",
                                                      .doc = "one torque for all joints",
                                                      .fields = toy_fields,
                                                      .nfield = 2,
                                                      .options_size = sizeof(toy_options),
                                                      .create = create_toy,
                                                      .live = toy_live,
                                                      .change = change_toy};

#define DECLARE_CONTROLLER(row) extern const pki_controller_row pki_controller_##row;
#define CONTROLLER(row) &pki_controller_##row,
PKI_CONTROLLER_LIST(DECLARE_CONTROLLER)

const pki_controller_row *const pki_controllers[] = {PKI_CONTROLLER_LIST(CONTROLLER) CONTROLLER(toy) NULL};

static void a_controller_from_outside_commands_a_world_and_changes_while_it_runs(void **state)
{
  (void)state;
  pki_scenario *s =
      good_scenario("duration: 1\nmodel: pendulum\ncontroller: {name: toy, torque: 0.25}\n", NULL);
  pki_world w = good_world(s);
  assert_int_equal(pki_world_step(&w, NULL), PK_OK);
  assert_true(w.sim->state.tau[0] == 0.25);
  toy_options other = {.torque = -2};
  assert_int_equal(s->controller->change(w.sim, s->controller_options, &other, NULL), PK_OK);
  assert_int_equal(pki_world_step(&w, NULL), PK_OK);
  assert_true(w.sim->state.tau[0] == -2);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

static void a_controller_from_outside_has_its_sliders(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario("duration: 1\nmodel: pendulum\ncontroller: toy\n", NULL);
  int count = 0;
  pki_parameter *list = pki_parameters_create(s, &count), *torque = NULL, *period = NULL;
  assert_int_equal(pki_parameters_find(list, count, "controller.torque", &torque, NULL), PK_OK);
  assert_int_equal(pki_parameters_find(list, count, "controller.period", &period, NULL), PK_OK);
  assert_true(torque->live && torque->value == 1);
  assert_false(period->live);
  free(list);
  pki_scenario_destroy(s);
}

static const double *felt_of(const char *sensor, int count)
{
  const int row = pki_row_find(pki_sensors, sensor);
  assert_at_least(row, 0);
  assert_int_equal(felt.count[row], count);
  return felt.value[row];
}

static void every_sensor_reads_its_part_of_the_observation(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario(
      "duration: 1\nmodel: {model: starleth, position: [0, 0, 0.5]}\n" GROUND "controller: toy\n", NULL);
  pki_world w = good_world(s);
  assert_int_equal(w.model->nu, 18);
  while (felt.ncontact == 0 && pk_sim_time(w.sim) < 1) {
    assert_int_equal(pki_world_step(&w, NULL), PK_OK);
  }
  assert_greater(felt.ncontact, 0);
  assert_memory_equal(felt_of("base_pose", 7), felt.q, 7 * sizeof(double));
  assert_memory_equal(felt_of("base_twist", 6), felt.u, 6 * sizeof(double));
  assert_memory_equal(felt_of("joint_position", 12), felt.q + 7, 12 * sizeof(double));
  assert_memory_equal(felt_of("joint_velocity", 12), felt.u + 6, 12 * sizeof(double));
  for (int k = 0; k < 12; k++) {
    assert_true(felt_of("joint_force", 12)[k] == 1);
  }
  assert_greater(felt_of("time", 1)[0], 0);
  const double *contact = felt_of("contacts", 12 * felt.ncontact);
  assert_at_least(contact[0], 0);
  assert_true(contact[1] == -1);            /* a link on the ground */
  assert_less(fabs(contact[7] - 1), 1e-12); /* normal */
  assert_at_least(contact[11], 0);
  assert_less(fabs(contact[8]), 0.1); /* it pushes; the gap is small */
  assert_true(felt_of("height", 1)[0] == felt.q[2]);
  assert_false(isnan(felt_of("stability", PK_STABILITY_MEASURE_COUNT)[PK_STABILITY_STATIC_MARGIN]));
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* ---- a section: velocities that the first robot starts with ----
 *
 * Sections that come with Pronk keep what they read in pki_scenario (scenario.h), their third file in the
 * count below. A section from outside has no place there: this one reads its node again when a world starts. */

typedef struct toy_kick {
  double velocity[3];
} toy_kick;

static const pk_field kick_fields[] = {
    {"velocity", offsetof(toy_kick, velocity), PK_FIELD_VEC3, "m/s", NAN, -9, 9, NULL, "of the first root"},
};
static const int kick_field_count = 1;
static const pki_schema_table kick_tables[] = {{"kick", "`kick`", kick_fields, &kick_field_count},
                                               {NULL, NULL, NULL, NULL}};

static void read_kick(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  (void)s;
  toy_kick kick;
  const pki_binding binding = {kick_fields, kick_field_count, &kick};
  if (node != NULL) {
    pki_read_map(node, &binding, 1, problems);
  }
}

static void start_kick(pki_world *w, pki_problems *problems)
{
  const pki_node *node = pki_node_find(pki_document_root(w->scenario->document), "kick");
  toy_kick kick;
  const pki_binding binding = {kick_fields, kick_field_count, &kick};
  if (node != NULL && pki_read_map(node, &binding, 1, problems) == PK_OK) {
    memcpy(pk_sim_u(w->sim), kick.velocity, sizeof kick.velocity);
  }
}

static const pki_section pki_section_toy = {.name = "kick",
                                            .doc = "how fast the first robot starts",
                                            .form = PKI_SECTION_IS_MAPPING,
                                            .tables = kick_tables,
                                            .read = read_kick,
                                            .start = start_kick};

#define DECLARE_SECTION(row) extern const pki_section pki_section_##row;
#define SECTION(row) &pki_section_##row,
PKI_SECTION_LIST(DECLARE_SECTION)

const pki_section *const pki_sections[] = {PKI_SECTION_LIST(SECTION) SECTION(toy) NULL};

#define BALL "duration: 1\nobjects: [{shape: sphere, size: 0.1}]\n"

static void a_section_from_outside_is_read_checked_and_acts(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario(BALL "kick: {velocity: [3, 0, 4]}\n", NULL);
  pki_world w = good_world(s);
  assert_true(pk_sim_u(w.sim)[0] == 3 && pk_sim_u(w.sim)[2] == 4);
  pki_world_free(&w);
  pki_scenario_destroy(s);

  pk_error err = {.message = ""};
  assert_int_equal(read_scenario(BALL "kick: {velocity: [3, 0]}\n", NULL, &s, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(err.line, 3);
  assert_int_equal(read_scenario(BALL "kik: {}\n", NULL, &s, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "\"kick\""));
}

static void a_section_from_outside_is_in_the_schema_and_in_the_hash(void **state)
{
  (void)state;
  pki_schema_table table;
  bool listed = false;
  for (int i = 0; pki_schema_get(i, &table); i++) {
    listed |= strcmp(table.name, "kick") == 0 && table.fields == kick_fields;
  }
  assert_true(listed);
  pk_field keys[PKI_SECTIONS_MAX];
  assert_non_null(pki_fields_find(keys, pki_section_fields(keys), "kick"));
  pki_scenario *a = good_scenario(BALL, NULL), *b = good_scenario(BALL "kick: {velocity: [3, 0, 4]}\n", NULL);
  assert_true(pki_scenario_hash(a) != pki_scenario_hash(b));
  pki_scenario_destroy(a);
  pki_scenario_destroy(b);
}

/* ---- files ---- */

/* Files of code below `folder` that have one of the words, as a whole; each is printed when there are too many. */
static int count_files(const char *folder, const char *const *words, bool print)
{
  int count = 0;
  DIR *listing = opendir(folder);
  assert_non_null(listing);
  const struct dirent *entry;
  while ((entry = readdir(listing))) {
    char path[2048];
    struct stat info;
    assert_in_range(snprintf(path, sizeof path, "%s/%s", folder, entry->d_name), 1, (int)sizeof path - 1);
    const char *dot = strrchr(entry->d_name, '.');
    if (entry->d_name[0] == '.' || stat(path, &info) != 0) {
      continue;
    }
    if (S_ISDIR(info.st_mode)) {
      count += count_files(path, words, print);
      continue;
    }
    if (dot == NULL || (strcmp(dot, ".c") != 0 && strcmp(dot, ".h") != 0)) {
      continue;
    }
    size_t size;
    char *text = pki_file_read(path, 1 << 22, &size);
    assert_non_null(text);
    bool found = false;
    for (int k = 0; words[k] != NULL && !found; k++) {
      const size_t length = strlen(words[k]);
      for (const char *at = text; (at = strstr(at, words[k])) != NULL && !found; at += length) {
        const bool name = isalnum((unsigned char)words[k][length - 1]);
        found = !name || !(isalnum((unsigned char)at[length]) || at[length] == '_');
      }
    }
    count += found;
    if (found && print) {
      print_error("  %s\n", path);
    }
    free(text);
  }
  closedir(listing);
  return count;
}

static void a_member_of_a_registry_is_known_to_its_own_file_and_the_list(void **state)
{
  (void)state;
  static const struct {
    const char *what;
    /* Files: its own, the list; of sections also the struct that keeps what was read, of benches and commands
     * also the header that declares their functions. */
    int files;
    const char *words[5];
  } members[] = {
      {"a solver", 2, {"PK_SOLVER_ACLM", "pki_solver_aclm", "\"aclm\"", NULL}},
      /* the row and the choice; the order in which "auto" tries solvers names some of them besides */
      {"a solver of LCPs", 2, {"PK_LCP_CHOICE_DANTZIG", "pki_lcp_dantzig", "\"dantzig\"", NULL}},
      {"a law", 2, {"PK_CONTACT_LAW_PENALTY", "pki_law_penalty", NULL}},
      {"a law of compliant surfaces", 2, {"PK_COMPLIANCE_LAW_HERTZ", "pki_compliance_law_hertz", NULL}},
      {"a stepper", 2, {"PK_STEPPER_ARK_EXPLICIT", "pki_stepper_ark_explicit", "\"ark-explicit\"", NULL}},
      {"a controller", 2, {"pki_controller_track", "X(track)", "\"track\"", NULL}},
      {"a sensor", 2, {"pki_sensor_joint_force", "X(joint_force)", "\"joint_force\"", NULL}},
      {"a stability measure",
       2,
       {"PK_STABILITY_ENERGY_MARGIN", "pki_stability_energy_margin", "\"energy_margin\"", NULL}},
      {"a gait", 2, {"PK_GAIT_AMBLE", "\"amble\"", NULL}},
      {"a section", 3, {"pki_section_collide", "X(collide)", "\"collide\"", "*collide;", NULL}},
      {"a section", 3, {"pki_section_record", "X(record)", "pki_scenario_record", NULL}},
      {"a study", 2, {"pki_symbolic_study", NULL}},
      /* the function; a bench with a table of its own also adds a kind, which bench_report.c prints */
      {"a bench", 3, {"pki_bench_record", NULL}},
      {"a command", 3, {"pki_command_schema", "pki_options_schema", "\"schema\"", NULL}},
  };
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    const char *const *words = members[i].words;
    const int count =
        count_files(PK_SOURCE_DIR "/src", words, false) + count_files(PK_SOURCE_DIR "/include", words, false);
    if (count != members[i].files) {
      print_error("%s (%s):\n", members[i].what, words[0]);
      count_files(PK_SOURCE_DIR "/src", words, true);
      count_files(PK_SOURCE_DIR "/include", words, true);
      fail_msg("%d files know it, expected %d", count, members[i].files);
    }
  }
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_solver_from_outside_solves_the_contacts_of_a_world),
      cmocka_unit_test(a_word_that_is_no_solver_is_refused_with_the_toy_among_the_others),
      cmocka_unit_test(a_law_from_outside_says_what_contacts_do),
      cmocka_unit_test(a_controller_from_outside_commands_a_world_and_changes_while_it_runs),
      cmocka_unit_test(a_controller_from_outside_has_its_sliders),
      cmocka_unit_test(every_sensor_reads_its_part_of_the_observation),
      cmocka_unit_test(a_section_from_outside_is_read_checked_and_acts),
      cmocka_unit_test(a_section_from_outside_is_in_the_schema_and_in_the_hash),
      cmocka_unit_test(a_member_of_a_registry_is_known_to_its_own_file_and_the_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
