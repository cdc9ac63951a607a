#include "sim/reads.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "actuation/actuation.h"
#include "collision/narrow/method.h"
#include "contact/lcp/lcp.h"
#include "contact/solvers/solver.h"

/* ---- rows that are in no other registry ---- */

typedef struct choice {
  const char *name, *reads;
} choice;

static const choice apart = {"without contact", NULL};
static const choice touching = {"with contact", "law broad narrow self_collision max_contacts threads"};
static const choice *const worlds[] = {&apart, &touching, NULL};

static const choice by_residual = {"residual", NULL}, by_change = {"change", "change_rel change_abs"};
static const choice *const stops[] = {&by_residual, &by_change, NULL};

static const choice in_velocities = {"velocity", "restitution_t impact"};
static const choice in_accelerations = {"acceleration", NULL};
static const choice *const restings[] = {&in_velocities, &in_accelerations, NULL};

static const choice forces_at_end = {"all", "yield"}, forces_at_start = {"none", NULL};
static const choice *const implicits[] = {&forces_at_end, &forces_at_start, NULL};

/* ---- the row of these options ---- */

static int chosen_world(const pk_sim_options *o, bool soft)
{
  return soft || pki_steppers[o->stepper]->contact || pki_laws[o->law]->force != NULL;
}

static int chosen_stepper(const pk_sim_options *o, bool soft)
{
  return (void)soft, (int)o->stepper;
}

static int chosen_implicit(const pk_sim_options *o, bool soft)
{
  return (void)soft, (int)o->implicit;
}

static int chosen_scheme(const pk_sim_options *o, bool soft)
{
  return (void)soft, (int)o->contact;
}

static int chosen_law(const pk_sim_options *o, bool soft)
{
  return (void)soft, (int)o->law;
}

static int chosen_resting(const pk_sim_options *o, bool soft)
{
  return (void)soft, (int)o->resting;
}

static int chosen_solver(const pk_sim_options *o, bool soft)
{
  return (void)soft, (int)o->solver;
}

static int chosen_stop(const pk_sim_options *o, bool soft)
{
  return (void)soft, (int)o->stop;
}

static int chosen_narrow(const pk_sim_options *o, bool soft)
{
  return (void)soft, (int)o->narrow;
}

const pki_readers pki_all_readers[] = {
    {"stepper", "steppers", pki_steppers, offsetof(pki_stepper, reads), chosen_stepper, NULL},
    {"world", "worlds", worlds, offsetof(choice, reads), chosen_world, NULL},
    {"law", "laws", pki_laws, offsetof(pki_law, reads), chosen_law, NULL},
    {"contact scheme", "contact schemes", pki_contact_schemes, offsetof(pki_contact_scheme, reads),
     chosen_scheme, NULL},
    {"implicit", "implicit", implicits, offsetof(choice, reads), chosen_implicit, NULL},
    {"resting", "resting", restings, offsetof(choice, reads), chosen_resting, "resting"},
    {"solver", "solvers", pki_solvers, offsetof(pki_solver_row, reads), chosen_solver, NULL},
    {"narrow method", "narrow methods", pki_narrows, offsetof(pki_narrow_row, reads), chosen_narrow,
     "narrow"},
    {"stop rule", "stop", stops, offsetof(choice, reads), chosen_stop, NULL},
    {NULL, NULL, NULL, 0, NULL, NULL}};

/* ---- who reads ---- */

/* Whether a list of words has one. */
static bool has_word(const char *words, const char *word)
{
  const size_t length = strlen(word);
  for (const char *at = words; at != NULL && (at = strstr(at, word)) != NULL; at += length) {
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

bool pki_row_reads(const pki_readers *readers, int row, const char *option)
{
  const char *const *rows = readers->registry;
  const char *words;
  memcpy(&words, (const char *)rows[row] + readers->words, sizeof words);
  return has_word(words, option);
}

bool pki_any_row_reads(const pki_readers *readers, const char *option)
{
  bool any = false;
  for (int row = 0; row < pki_row_count(readers->registry); row++) {
    any |= pki_row_reads(readers, row, option);
  }
  return any;
}

/* A law that solves linear complementarity problems has a second solver. */
static bool lcp_reads(const pk_sim_options *o, const char *option)
{
  return pki_laws[o->law]->linear && has_word(pki_lcp_choices[o->lcp]->reads, option);
}

const pki_readers *pki_unread_by(const pk_sim_options *o, bool soft, const char *option)
{
  for (const pki_readers *r = pki_all_readers; r->what != NULL; r++) {
    if (!pki_any_row_reads(r, option) || pki_row_reads(r, r->chosen(o, soft), option) ||
        (r->with != NULL && pki_unread_by(o, soft, r->with) != NULL) ||
        (r->registry == pki_solvers && lcp_reads(o, option))) {
      continue;
    }
    return r;
  }
  return NULL;
}

bool pki_reads_refused(const char *option)
{
  return has_word("relinearise joint_limits joint_friction restitution_n restitution_t viscous", option);
}

const char *pki_reads_fate(const char *option)
{
  bool all = true;
  for (const pki_readers *r = pki_all_readers; r->what != NULL; r++) {
    all &= !pki_any_row_reads(r, option);
  }
  return all                                   ? ""
         : strcmp(option, "joint_limits") == 0 ? "refused where one is passed"
         : pki_reads_refused(option)           ? "refused"
                                               : "warned";
}

/* The names of the rows that read an option, and those of solvers of LCPs behind those of solvers. */
static void join_readers(const pki_readers *r, const char *option, const char *mark, char *out, size_t size)
{
  enum { MOST = 64 };
  char named[MOST][40];
  const char *words[MOST];
  int n = 0;
  for (int row = 0; row < pki_row_count(r->registry) && n < MOST; row++) {
    if (pki_row_reads(r, row, option)) {
      snprintf(named[n++], sizeof named[0], "%s%s%s", mark, pki_row_name(r->registry, row), mark);
    }
  }
  for (int row = 0; pki_lcp_choices[row] != NULL && r->registry == pki_solvers && n < MOST; row++) {
    if (has_word(pki_lcp_choices[row]->reads, option)) {
      snprintf(named[n++], sizeof named[0], "%slcp: %s%s", mark, pki_lcp_choices[row]->name, mark);
    }
  }
  for (int i = 0; i < n; i++) {
    words[i] = named[i];
  }
  pki_join_words(words, n, out, size);
}

void pki_tell_readers(const char *option, char *out, size_t size)
{
  size_t used = 0;
  out[0] = '\0';
  for (const pki_readers *r = pki_all_readers; r->what != NULL && used < size; r++) {
    char names[300];
    if (pki_any_row_reads(r, option)) {
      join_readers(r, option, "", names, sizeof names);
      used += (size_t)snprintf(out + used, size - used, "%s%s %s", used > 0 ? "; " : "", r->plural, names);
    }
  }
  if (used == 0) {
    snprintf(out, size, "all");
  }
}

/* ---- errors and remarks ---- */

pk_status pki_fail_unread(const pki_readers *r, const pk_sim_options *o, const char *option,
                          const char *asked, pk_status status, pk_error *err)
{
  char names[300];
  join_readers(r, option, "\"", names, sizeof names);
  /* only worlds depend on compliant surfaces, and one that does not read has none */
  return pki_fail(err, status, (pki_where){.field = option}, "%s, which the %s \"%s\" does not read: %s %s",
                  asked, r->what, pki_row_name(r->registry, r->chosen(o, false)), names,
                  strchr(names, ',') != NULL ? "do" : "does");
}

/* The first joint coordinate with dry friction, its own or its actuator's; -1: there is none. */
static int find_rubbing_joint(const pk_model *m, const pk_actuation *a)
{
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_friction[k] > 0) {
      return k;
    }
  }
  const int dry = a != NULL ? pki_actuation_find_dry(a) : -1;
  return dry >= 0 ? a->list[dry].actuator.dof : -1;
}

pk_status pki_check_friction_read(const pk_model *model, const pk_sim_options *o, pk_error *err)
{
  const pk_model *m = pki_joint_model(model);
  const int k = o->joint_friction ? find_rubbing_joint(m, o->actuation) : -1;
  const pki_readers *unread = k >= 0 ? pki_unread_by(o, false, "joint_friction") : NULL;
  if (unread == NULL) {
    return PK_OK;
  }
  char asked[300];
  snprintf(asked, sizeof asked, "joint \"%.100s\" has dry friction (joint_friction: false leaves it out)",
           m->dof_joint[k] >= 0 ? m->joints[m->dof_joint[k]].name : "");
  return pki_fail_unread(unread, o, "joint_friction", asked, PK_ERROR_UNSUPPORTED, err);
}

pk_status pki_check_material_read(const pk_sim_options *o, const pk_material *material, pk_error *err)
{
  for (int i = 0; i < pki_material_field_count; i++) {
    const pk_field *f = &pki_material_fields[i];
    const double value = pki_field_get(f, material, 0);
    const pki_readers *unread =
        pki_reads_refused(f->name) && value != 0 ? pki_unread_by(o, true, f->name) : NULL;
    if (unread != NULL) {
      char asked[120];
      snprintf(asked, sizeof asked, "%s is %g", f->name, value);
      return pki_fail_unread(unread, o, f->name, asked, PK_ERROR_UNSUPPORTED, err);
    }
  }
  return PK_OK;
}

/* "law is \"penalty\"", "alpha is 0.6", "swept is false". */
static void tell_value(const pk_field *f, const pk_sim_options *o, char *out, size_t size)
{
  const double value = pki_field_get(f, o, 0);
  const bool is_word = pki_field_word_count(f) > 0;
  if (f->type == PK_FIELD_BOOL) {
    snprintf(out, size, "%s is %s", f->name, value != 0 ? "true" : "false");
  } else if (is_word) {
    snprintf(out, size, "%s is \"%s\"", f->name, pki_field_word(f, (int)value));
  } else {
    snprintf(out, size, "%s is %g", f->name, value);
  }
}

/* Remarks, as many as there is room for. */
typedef struct remarks {
  pk_error *out;
  int most, count;
} remarks;

static void add_remark(remarks *to, const pk_error *remark)
{
  if (to->count < to->most) {
    to->out[to->count] = *remark;
    to->out[to->count].status = PK_OK;
  }
  to->count++;
}

/* Options off their defaults that nobody reads, and that are no error. */
static void add_options(const pk_sim *sim, remarks *to)
{
  const pk_sim_options *o = &sim->options;
  for (int i = 0; i < pki_sim_field_count; i++) {
    const pk_field *f = &pki_sim_fields[i];
    const bool chosen = f->offset == offsetof(pk_sim_options, max_contacts) && !sim->room_given;
    const pki_readers *unread = !chosen && pki_field_get(f, o, 0) != f->preset && !pki_reads_refused(f->name)
                                    ? pki_unread_by(o, sim->scene.soft != NULL, f->name)
                                    : NULL;
    if (unread != NULL) {
      pk_error remark = {0};
      char value[120];
      tell_value(f, o, value, sizeof value);
      pki_fail_unread(unread, o, f->name, value, PK_OK, &remark);
      add_remark(to, &remark);
    }
  }
}

/* Limits of joints that end the run where one is passed. */
static void add_limits(const pk_sim *sim, remarks *to)
{
  const pk_sim_options *o = &sim->options;
  const pk_model *m = sim->joints.model;
  const pki_readers *unread = o->joint_limits ? pki_unread_by(o, false, "joint_limits") : NULL;
  for (int k = 0; k < m->nu && unread != NULL; k++) {
    if (m->dof_q[k] >= 0 && (isfinite(m->dof_lower[k]) || isfinite(m->dof_upper[k]))) {
      pk_error remark = {0};
      char asked[300];
      snprintf(asked, sizeof asked, "joint \"%.100s\" has a limit (a step that passes one ends the run)",
               m->dof_joint[k] >= 0 ? m->joints[m->dof_joint[k]].name : "");
      pki_fail_unread(unread, o, "joint_limits", asked, PK_OK, &remark);
      add_remark(to, &remark);
      return;
    }
  }
}

/* Bodies that meet nothing. */
static void add_ghosts(const pk_sim *sim, remarks *to)
{
  const pk_sim_options *o = &sim->options;
  if (chosen_world(o, sim->scene.soft != NULL) == 0 && sim->scene.bodies_touch) {
    pk_error remark = {0};
    pki_fail(&remark, PK_OK, (pki_where){.field = "stepper"},
             "bodies pass through each other: the stepper \"%s\" knows no contact of the law \"%s\"",
             pki_steppers[o->stepper]->name, pki_laws[o->law]->name);
    add_remark(to, &remark);
  }
}

int pk_sim_ignored(const pk_sim *sim, pk_error *out, int most)
{
  remarks all = {out, most, 0};
  add_options(sim, &all);
  add_limits(sim, &all);
  add_ghosts(sim, &all);
  return all.count;
}
