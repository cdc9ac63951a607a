/* What a world reads of its options: every option off its default under every stepper, law, scheme and solver. An option that
 * the rows say nobody reads changes no bit and is told, or is refused; one that they say is read is not told, and each row
 * that names it has a world that it changes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/lcp/lcp.h"
#include "contact/solvers/solver.h"
#include "sim/reads.h"
#include "support/bounds.h"
#include "support/hinge.h"
#include "support/pace.h"
#include "support/world.h"

enum { STEPS = 25, ROWS = 64, OPTIONS = 64, READERS = 16 };

/* ---- a world in which there is something of everything ---- */

/* A box, an arm with a limit and friction, a weight that may hang on a rod. */
static const char robots[] =
    "<robot name='%s'><link name='base'/>"
    "<link name='arm'><inertial><origin xyz='0.2 0 0'/><mass value='1'/>"
    "<inertia ixx='0.01' iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='weight'><inertial><origin xyz='0.2 0 0'/><mass value='0.5'/>"
    "<inertia ixx='0.01' iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='turn' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/>"
    "<limit lower='-3' upper='%g' effort='10' velocity='10'/><dynamics friction='%g' damping='0.05'/></joint>"
    "<joint name='swing' type='continuous'><parent link='base'/><child link='weight'/><axis xyz='0 1 0'/>"
    "<origin xyz='0 1 0'/><dynamics friction='%g'/></joint></robot>";

static pk_model *world_model(bool forces_alone)
{
  static const double size[3] = {0.2, 0.2, 0.2};
  char text[2000];
  pk_builder *b;
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  pk_builder_create(&b, NULL);
  pk_robot_desc box = pk_robot_desc_default();
  box.name = "box", box.prefix = "box_", box.root = PK_ROOT_FREE;
  const pk_link_desc link = {.name = "solid", .inertia = {.mass = 2, .moment = {0.02, 0, 0, 0.03, 0, 0.04}}};
  pk_shape_desc shape = {.link = "solid", .kind = PK_SHAPE_BOX, .pose = pk_pose_identity()};
  memcpy(shape.size, size, sizeof size);
  assert_int_equal(pk_builder_add_robot(b, &box, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_OK);
  const int length = snprintf(text, sizeof text, robots, "arms", forces_alone ? 3 : 0.02,
                              forces_alone ? 0 : 0.4, forces_alone ? 0 : 0.02);
  assert_int_equal(pk_builder_add_urdf_memory(b, text, (size_t)length, "arms.urdf", NULL, &err), PK_OK);
  if (!forces_alone) { /* the ends of arm and weight on a rod */
    pk_constraint_desc rod = pk_constraint_desc_default();
    rod.name = "rod", rod.kind = PK_CONSTRAINT_DISTANCE, rod.length = 1, rod.link[0] = "arm",
    rod.link[1] = "weight";
    rod.frame[0].pos[0] = rod.frame[1].pos[0] = 0.3;
    assert_int_equal(pk_builder_add_constraint(b, &rod, &err), PK_OK);
  }
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    print_error("%s\n", err.message);
  }
  assert_non_null(m);
  pk_builder_destroy(b);
  return m;
}

/* ---- one run ---- */

/* What a run is made with; and of what it ends in. */
typedef struct setting {
  pk_sim_options o;
  pk_material material;
  double height, fall; /* of the box at the start, m and m/s */
} setting;

typedef struct ending {
  pk_status status;
  double q[24], u[24];
  pk_error error;
  pk_error told[OPTIONS];
  int ntold;
} ending;

static pk_model *models[2];
static pk_terrain *ground;

static bool integrates_forces(const pk_sim_options *o)
{
  return !pki_steppers[o->stepper]->contact;
}

static void start(pk_sim *sim, const setting *s)
{
  double *const q = pk_sim_q(sim), *const u = pk_sim_u(sim);
  q[2] = s->height, u[0] = 1.2, u[1] = 0.3, u[2] = -s->fall; /* it falls on its corners, and slides */
  u[3] = 0.4, u[5] = 2;
  u[6] = 1.5; /* the arm goes for its limit */
}

static void run_setting(const setting *s, ending *end)
{
  const bool forces = integrates_forces(&s->o), ground_too = !forces || pki_laws[s->o.law]->force != NULL;
  pk_sim *sim;
  memset(end, 0, sizeof *end);
  end->status = pk_sim_create(models[forces], &s->o, &sim, &end->error);
  if (end->status != PK_OK) {
    return;
  }
  if (ground_too) {
    end->status = pk_sim_set_terrain(sim, ground, &s->material, 1, &end->error);
  }
  start(sim, s);
  for (int k = 0; k < STEPS && end->status == PK_OK; k++) {
    end->status = pk_sim_step(sim, NULL);
  }
  memcpy(end->q, pk_sim_q(sim), (size_t)models[forces]->nq * sizeof(double));
  memcpy(end->u, pk_sim_u(sim), (size_t)models[forces]->nu * sizeof(double));
  end->ntold = pk_sim_ignored(sim, end->told, OPTIONS);
  pk_sim_destroy(sim);
}

static bool same_motion(const ending *a, const ending *b)
{
  return a->status == b->status && memcmp(a->q, b->q, sizeof a->q) == 0 &&
         memcmp(a->u, b->u, sizeof a->u) == 0;
}

static const pk_error *told_of(const ending *end, const char *option)
{
  for (int i = 0; i < end->ntold; i++) {
    if (strcmp(end->told[i].field, option) == 0) {
      return &end->told[i];
    }
  }
  return NULL;
}

/* ---- options off their defaults ---- */

static double other_value(const pk_field *f, double now)
{
  static const struct {
    const char *name;
    double value;
  } chosen[] = {
      {"alpha", 0.45},       {"change_rel", 0.3},      {"change_abs", 0.3},    {"tolerance", 0.3},
      {"max_iterations", 1}, {"margin", 1e-5},         {"max_latency", 0.01},  {"max_contacts", 40},
      {"relinearise", 2},    {"threads", 2},           {"restitution_n", 0.5}, {"restitution_t", 0.4},
      {"viscous", 3},        {"stiffness_cubic", 1e9}, {"volume_cell", 0.02},  {"max_internal", 900}};
  for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
    if (strcmp(chosen[i].name, f->name) == 0) {
      return chosen[i].value;
    }
  }
  const int words = pki_field_word_count(f);
  return f->type == PK_FIELD_BOOL ? now == 0 : words > 0 ? fmod(now + 1, words) : 0.5 * now;
}

static void set_other(const pk_field *f, void *options)
{
  char text[40];
  const double value = other_value(f, pki_field_get(f, options, 0));
  const char *word = f->type == PK_FIELD_BOOL      ? (value != 0 ? "true" : "false")
                     : pki_field_word_count(f) > 0 ? pki_field_word(f, (int)value)
                                                   : NULL;
  snprintf(text, sizeof text, "%.17g", value);
  pk_error err;
  assert_int_equal(pki_field_parse(f, options, 0, word != NULL ? word : text, &err), PK_OK);
}

/* ---- what has been seen of each row ---- */

static struct {
  int worlds, read, told, refused;
  bool changed[OPTIONS][READERS][ROWS], lcp_changed[OPTIONS][8];
} seen;

static const pk_field *field_at(int i)
{
  return i < pki_sim_field_count ? &pki_sim_fields[i] : &pki_material_fields[i - pki_sim_field_count];
}

static int field_count(void)
{
  return pki_sim_field_count + pki_material_field_count;
}

static void note_change(const pk_sim_options *o, int option)
{
  for (int r = 0; pki_all_readers[r].what != NULL; r++) {
    seen.changed[option][r][pki_all_readers[r].chosen(o, false)] = true;
  }
  seen.lcp_changed[option][o->lcp] |= pki_laws[o->law]->linear;
}

/* What differs may be refused by name, told by name and without effect, or read. */
static void try_option(const setting *base, const ending *before, int option)
{
  const pk_field *f = field_at(option);
  const bool of_material = option >= pki_sim_field_count;
  setting s = *base;
  ending *const after = malloc(sizeof *after);
  set_other(f, of_material ? (void *)&s.material : (void *)&s.o);
  run_setting(&s, after);
  /* what turns a row is judged by the row that it leaves, and by the one that it turns to */
  const pki_readers *unread = pki_unread_by(&s.o, of_material, f->name);
  const bool grounded = !integrates_forces(&s.o) || pki_laws[s.o.law]->force != NULL;
  seen.worlds++;
  if (unread != NULL && pki_reads_refused(f->name) && strncmp(f->name, "joint_", 6) != 0 && grounded) {
    assert_int_equal(after->status, of_material ? PK_ERROR_UNSUPPORTED : PK_ERROR_ARGUMENT);
    assert_string_equal(after->error.field, f->name);
    assert_non_null(
        strstr(after->error.message, pki_row_name(unread->registry, unread->chosen(&s.o, false))));
    seen.refused++;
  } else if (after->status == PK_ERROR_ARGUMENT &&
             strcmp(f->name, "cone") == 0) { /* it has no such problem */
    assert_string_equal(after->error.field, f->name);
    seen.refused++;
  } else if (unread != NULL && !pki_reads_refused(f->name)) {
    const bool back = pki_field_get(f, &s.o, 0) == f->preset; /* nobody asks for anything */
    const bool told = back || told_of(after, f->name) != NULL;
    const bool was_read = pki_unread_by(&base->o, of_material, f->name) == NULL; /* it chose its own reader */
    const bool still = was_read || same_motion(before, after);
    if (!told || !still) {
      print_error("%s under %s, %s, %s, %s: %s\n", f->name, pki_steppers[s.o.stepper]->name,
                  pki_laws[s.o.law]->name, pki_contact_schemes[s.o.contact]->name,
                  pki_solvers[s.o.solver]->name, !told ? "nobody is told" : "it changes the motion");
    }
    assert_true(told);
    assert_true(still);
    seen.told++;
  } else if (unread == NULL) {
    assert_null(told_of(after, f->name));
    if (!same_motion(before, after)) {
      note_change(&base->o, option);
      note_change(&s.o, option);
    }
    seen.read++;
  }
  free(after);
}

static void try_options(const setting *base)
{
  ending *const before = malloc(sizeof *before);
  run_setting(base, before);
  if (before->status == PK_ERROR_UNSUPPORTED && strstr(before->error.message, "SUNDIALS") != NULL) {
    free(before);
    return;
  }
  if (before->status != PK_OK && before->status != PK_ERROR_CONVERGENCE) {
    print_error("%s\n", before->error.message);
  }
  assert_true(before->status == PK_OK || before->status == PK_ERROR_CONVERGENCE);
  for (int i = 0; i < field_count(); i++) {
    const char *name = field_at(i)->name;
    if (strcmp(name, "dt") != 0 && strcmp(name, "stepper") != 0) {
      try_option(base, before, i);
    }
  }
  free(before);
}

/* The setting with one thing more that other options hang on: a scheme, a rule, a solver. */
static void try_around(const setting *base)
{
  setting s = *base;
  try_options(&s);
  s = *base, s.o.contact = PK_CONTACT_GEHRING_2014, try_options(&s);
  s = *base, s.o.resting = PK_CONTACT_RESTING_ACCELERATION, try_options(&s);
  s = *base, s.o.implicit = PK_IMPLICIT_FORCES_NONE, try_options(&s);
  for (int solver = 0; solver < PK_SOLVER_COUNT; solver += PACE(1, 6)) {
    s = *base, s.o.solver = (pk_solver)solver, s.o.stop = PK_SOLVER_STOP_CHANGE, try_options(&s);
    if (pki_steppers[s.o.stepper]->contact) {
      s.o.stop = PK_SOLVER_STOP_RESIDUAL, try_options(&s);
    }
  }
  for (int lcp = 0; pki_lcp_choices[lcp] != NULL && pki_laws[base->o.law]->linear; lcp++) {
    s = *base, s.o.lcp = (pk_lcp_choice)lcp, s.o.stop = PK_SOLVER_STOP_CHANGE, try_options(&s);
  }
}

/* Options that change no bit of any motion, or of none in this world. */
static bool is_bitless(const char *name)
{
  static const char *const names[] = {"broad",       /* all ways give the same pairs */
                                      "narrow",      /* all methods agree, most to the bit */
                                      "volume_cell", /* its grids take long; tests/scenario/narrow.c */
                                      "threads",
                                      "timing",
                                      "max_contacts",
                                      "max_latency",
                                      "max_internal",   /* no physics */
                                      "self_collision", /* each robot here has one shape at most */
                                      "yield",          /* nothing is tracked */
                                      "law",            /* is a row itself */
                                      "stepper"};
  bool found = false;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    found |= strcmp(names[i], name) == 0;
  }
  return found;
}

static bool is_named(const char *option)
{
  bool named = false;
  for (int r = 0; pki_all_readers[r].what != NULL; r++) {
    named |= pki_any_row_reads(&pki_all_readers[r], option);
  }
  return named;
}

/* Rows that an option should change the motion of: those that name it, and every stepper and law where nobody does. */
static bool should_read(int readers, int row, const char *option)
{
  const pki_readers *r = &pki_all_readers[readers];
  return is_named(option)
             ? pki_row_reads(r, row, option)
             : strcmp(option, "dt") != 0 && (r->registry == pki_steppers || r->registry == pki_laws);
}

static void each_row_that_names_an_option_reads_it(void)
{
  int silent = 0;
  for (int i = 0; i < field_count(); i++) {
    const char *name = field_at(i)->name;
    for (int r = 0; pki_all_readers[r].what != NULL && !is_bitless(name); r++) {
      for (int row = 0; row < pki_row_count(pki_all_readers[r].registry); row++) {
        if (should_read(r, row, name) && !seen.changed[i][r][row]) {
          silent++;
          print_error("the %s %s says that it reads %s, which changes nothing\n", pki_all_readers[r].what,
                      pki_row_name(pki_all_readers[r].registry, row), name);
        }
      }
    }
  }
  assert_int_equal(silent, 0);
}

/* So thin that what is fast may pass it. */
static pk_terrain *slab(void)
{
  pk_terrain *t;
  const pk_pose pose = {.pos = {0, 0, -0.05}, .rot = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const double size[3] = {10, 10, 0.1};
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_box(t, &pose, size, 0, NULL), PK_OK);
  return t;
}

static bool law_reads(int law, const char *word)
{
  return pki_laws[law]->reads != NULL && strstr(pki_laws[law]->reads, word) != NULL;
}

static void every_option_is_read_or_told_or_refused(void **state)
{
  (void)state;
  memset(&seen, 0, sizeof seen);
  assert_true(field_count() <= OPTIONS && PK_SOLVER_COUNT <= ROWS);
  models[0] = world_model(false), models[1] = world_model(true), ground = slab();
  for (int stepper = 0; stepper < PK_STEPPER_COUNT; stepper++) {
    for (int law = 0; law < PK_CONTACT_LAW_COUNT; law++) {
      setting base = {pk_sim_options_default(), {.friction = 0.3}, 0.1213, 1.7};
      base.o.stepper = (pk_stepper)stepper, base.o.law = (pk_contact_law)law, base.o.dt = 2e-3;
      base.o.rtol = pki_steppers[stepper]->adaptive ? 1e-4 : 1e-8;
      base.o.atol = pki_steppers[stepper]->adaptive ? 1e-6 : 1e-10;
      try_around(&base);
      if (pki_laws[law]->force != NULL) { /* feet that stick */
        base.material.friction = 5;
        try_options(&base);
      }
      if (pki_steppers[stepper]->contact &&
          law_reads(law, "restitution_n")) { /* impacts, and a body that would pass the ground */
        base.material.restitution_n = 0.3;
        base.material.restitution_t = law_reads(law, "restitution_t") ? 0.1 : 0;
        try_options(&base);
        base.height = 0.4, base.fall = 250, base.material = (pk_material){.friction = 0.3};
        try_options(&base);
      }
    }
  }
  print_message("%d worlds: %d options read, %d told, %d refused\n", seen.worlds, seen.read, seen.told,
                seen.refused);
  pk_terrain_destroy(ground);
  pk_model_destroy(models[0]), pk_model_destroy(models[1]);
  SKIP_WHEN_SLOW("that each row reads what it names");
  each_row_that_names_an_option_reads_it();
}

/* Words of rows are names of options, each once. */
static void rows_name_options_that_there_are(void **state)
{
  (void)state;
  for (const pki_readers *r = pki_all_readers; r->what != NULL; r++) {
    const char *const *rows = r->registry;
    for (int row = 0; row < pki_row_count(r->registry); row++) {
      const char *words;
      char copy[600];
      memcpy(&words, (const char *)rows[row] + r->words, sizeof words);
      snprintf(copy, sizeof copy, "%s", words != NULL ? words : "");
      for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        if (pki_fields_find(pki_sim_fields, pki_sim_field_count, word) == NULL &&
            pki_fields_find(pki_material_fields, pki_material_field_count, word) == NULL) {
          fail_msg("the %s %s reads \"%s\", which is no option", r->what, pki_row_name(r->registry, row),
                   word);
        }
      }
    }
  }
}

/* The table of the documentation is that of the rows. */
static void the_documentation_has_the_table(void **state)
{
  (void)state;
  enum { SIZE = 1 << 20 };
  char *const text = calloc(SIZE, 1);
  FILE *file = fopen(PK_SOURCE_DIR "/docs/formats/scenario.md", "r");
  assert_non_null(file);
  assert_in_range(fread(text, 1, SIZE - 1, file), 1, SIZE - 2);
  fclose(file);
  for (int i = 0; i < field_count(); i++) {
    char readers[600], line[800];
    const char *fate = pki_reads_fate(field_at(i)->name);
    pki_tell_readers(field_at(i)->name, readers, sizeof readers);
    snprintf(line, sizeof line, "\n| `%s` | %s |%s%s |\n", field_at(i)->name, readers,
             fate[0] != '\0' ? " " : "", fate);
    if (strstr(text, line) == NULL) {
      fail_msg("docs/formats/scenario.md has no line%s", line);
    }
  }
  free(text);
}

static pk_model *arm_with(double upper, double friction)
{
  pk_joint_desc joint = hinge_joint();
  joint.kind = PK_JOINT_REVOLUTE, joint.lower = -INFINITY, joint.upper = upper, joint.friction = friction;
  return hinge_model(&joint);
}

static void dry_friction_is_refused_where_forces_are_integrated(void **state)
{
  (void)state;
  pk_model *m = arm_with(INFINITY, 0.1);
  pk_sim *sim;
  pk_error err;
  for (int s = PK_STEPPER_RK4; s < PK_STEPPER_COUNT; s++) {
    pk_sim_options o = pk_sim_options_default();
    char message[200];
    o.stepper = (pk_stepper)s;
    snprintf(message, sizeof message,
             "joint \"hinge\" has dry friction (joint_friction: false leaves it out), which the stepper "
             "\"%s\" does not "
             "read: \"euler\", \"moreau\" do",
             pki_steppers[s]->name);
    assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_ERROR_UNSUPPORTED);
    assert_string_equal(err.field, "joint_friction");
    assert_string_equal(err.message, message);
    o.joint_friction = false;
    const pk_status status = pk_sim_create(m, &o, &sim, &err);
    assert_true(status == PK_OK || strstr(err.message, "SUNDIALS") != NULL);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* A motor whose gear rubs is refused like a joint that does. */
static void dry_friction_of_motors_is_refused_likewise(void **state)
{
  (void)state;
  pk_model *m = arm_with(INFINITY, 0);
  pk_motor_parameters p = pk_motor_parameters_default();
  p.friction = 0.01, p.inertia = 1e-5;
  const pk_actuator motor = {
      .kind = pk_actuator_kind_find("dc"), .parameters = &p, .dof = 0, .name = "motor"};
  pk_actuation *a;
  pk_error err = {.message = ""};
  assert_int_equal(pk_actuation_create(m, &motor, 1, NULL, &a, &err), PK_OK);
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim;
  o.stepper = PK_STEPPER_RK4, o.actuation = a;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_ERROR_UNSUPPORTED);
  assert_string_equal(err.field, "joint_friction");
  pk_actuation_destroy(a);
  pk_model_destroy(m);
}

/* At 1 rad/s the limit of 0.05 rad is passed in step 6 of 10 ms. It is told before, and names the body then. */
static void a_joint_limit_ends_the_motion_where_forces_are_integrated(void **state)
{
  (void)state;
  pk_model *m = arm_with(0.0505, 0);
  for (int s = PK_STEPPER_RK4; s < PK_STEPPER_COUNT; s++) {
    pk_sim_options o = pk_sim_options_default();
    pk_sim *sim;
    pk_error told[2];
    pk_step_info info;
    o.stepper = (pk_stepper)s, o.dt = 0.01;
    if (pk_sim_create(m, &o, &sim, &told[0]) != PK_OK) {
      assert_non_null(strstr(told[0].message, "SUNDIALS"));
      continue;
    }
    assert_int_equal(pk_sim_ignored(sim, told, 2), 1);
    assert_string_equal(told[0].field, "joint_limits");
    pk_sim_u(sim)[0] = 1;
    for (int k = 0; k < 5; k++) {
      assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    }
    assert_int_equal(pk_sim_step(sim, &info), PK_ERROR_UNSUPPORTED);
    assert_string_equal(info.term, "a joint limit");
    assert_int_equal(info.body, 0);
    assert_near(pk_sim_q(sim)[0], 0.05, 1e-9); /* as it was */
    pk_sim_destroy(sim);
    o.joint_limits = false;
    assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
    assert_int_equal(pk_sim_ignored(sim, told, 2), 0);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

static void bodies_that_pass_through_each_other_are_told(void **state)
{
  (void)state;
  static const free_solid balls[2] = {{PK_SHAPE_SPHERE, {0.1}, 1, {0.01, 0.01, 0.01}, NULL},
                                      {PK_SHAPE_SPHERE, {0.1}, 1, {0.01, 0.01, 0.01}, NULL}};
  pk_model *m = solids_model(balls, 2, NULL);
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim;
  pk_error told[2];
  o.stepper = PK_STEPPER_RK4;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  assert_int_equal(pk_sim_ignored(sim, told, 2), 1);
  assert_string_equal(
      told[0].message,
      "bodies pass through each other: the stepper \"rk4\" knows no contact of the law \"hard\"");
  pk_sim_destroy(sim);
  o.law = PK_CONTACT_LAW_PENALTY;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  assert_int_equal(pk_sim_ignored(sim, told, 2), 0);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* All ways in which a material enters a world. */
static void numbers_of_materials_that_a_law_does_not_read_are_refused(void **state)
{
  (void)state;
  pk_model *m =
      solid_model(PK_SHAPE_SPHERE, (const double[3]){0.1, 0, 0}, 1, (const double[3]){0.01, 0.01, 0.01});
  const pk_material sticky = {.friction = 0.5, .viscous = 2};
  pk_sim *sim;
  pk_error err;
  assert_int_equal(pk_sim_create(m, NULL, &sim, NULL), PK_OK);
  assert_int_equal(pk_sim_set_body_material(sim, &sticky, &err), PK_ERROR_UNSUPPORTED);
  assert_string_equal(err.field, "viscous");
  assert_string_equal(err.message,
                      "viscous is 2, which the law \"hard\" does not read: \"compliant\", \"penalty\", "
                      "\"penalty-integral\", \"lcp-pyramid\" do");
  assert_int_equal(pk_sim_set_pair(sim, 0, 0, &sticky, &err), PK_ERROR_UNSUPPORTED);
  assert_int_equal(pk_sim_set_surface_pair(sim, 0, 1, &sticky, &err), PK_ERROR_UNSUPPORTED);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_name_options_that_there_are),
      cmocka_unit_test(the_documentation_has_the_table),
      cmocka_unit_test(dry_friction_is_refused_where_forces_are_integrated),
      cmocka_unit_test(dry_friction_of_motors_is_refused_likewise),
      cmocka_unit_test(a_joint_limit_ends_the_motion_where_forces_are_integrated),
      cmocka_unit_test(bodies_that_pass_through_each_other_are_told),
      cmocka_unit_test(numbers_of_materials_that_a_law_does_not_read_are_refused),
      cmocka_unit_test(every_option_is_read_or_told_or_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
