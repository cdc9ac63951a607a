/* pronk check for gait files: what is wrong, or what the optimiser of motions would be asked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/print_json.h"
#include "cli/sets.h"
#include "cli/terminal.h"
#include "optimize/files/motion_files.h"
#include "optimize/motion/design.h"

static int total_intervals(const pki_motion_problem *p)
{
  int sum = 0;
  for (int i = 0; i < p->nphase; i++) {
    sum += p->phases[i].intervals;
  }
  return sum;
}

/* Variables of the last problem: q, v, a, tau and the forces at every point of the grid, and the times of phases. */
static int count_variables(const pki_gait_file *g)
{
  const pki_motion_problem *p = &g->problem;
  const int nu = g->model->nu, driven = nu - pki_gait_trunk(g->model);
  int sum = p->nphase;
  for (int i = 0; i < p->nphase; i++) {
    int forces = 0;
    for (int k = 0; k < p->nfoot; k++) {
      forces += (p->phases[i].stance >> k & 1) != 0 ? (p->feet[k].area ? 6 : 3) : 0;
    }
    sum += (2 * p->phases[i].intervals + 1) * (3 * nu + driven + forces);
  }
  return sum;
}

/* ---- JSON ---- */

static cJSON *phase_json(const pki_motion_problem *p, const pki_motion_phase *phase)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", phase->name);
  cJSON *stance = cJSON_AddArrayToObject(o, "stance");
  for (int k = 0; k < p->nfoot; k++) {
    if ((phase->stance >> k & 1) != 0) {
      cJSON_AddItemToArray(stance, cJSON_CreateString(p->feet[k].name));
    }
  }
  cJSON_AddNumberToObject(o, "intervals", phase->intervals);
  pki_json_array(o, "duration", (const double[]){phase->shortest, phase->longest}, 2);
  pki_json_number(o, "guess", phase->guess);
  cJSON_AddStringToObject(o, "ends", phase->crossing ? "crossing" : "time");
  cJSON_AddStringToObject(o, "landing", phase->soft ? "soft" : "impact");
  return o;
}

static bool print_json(const char *path, const pki_gait_file *g, const pki_problems *problems)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "file", path);
  cJSON_AddBoolToObject(o, "ok", g != NULL);
  cJSON *errors = cJSON_AddArrayToObject(o, "errors");
  cJSON_AddArrayToObject(o, "warnings");
  for (int i = 0; i < problems->count; i++) {
    cJSON_AddItemToArray(errors, pki_json_error(&problems->errors[i]));
  }
  if (g != NULL) {
    const pki_motion_problem *p = &g->problem;
    cJSON_AddStringToObject(o, "motion", g->name);
    cJSON_AddNumberToObject(o, "dof", g->model->nu);
    cJSON_AddNumberToObject(o, "feet", p->nfoot);
    cJSON_AddStringToObject(o, "closure", pki_motion_closure_word(p->closure));
    cJSON_AddStringToObject(o, "scheme", pki_motion_scheme_word(p->scheme));
    cJSON_AddNumberToObject(o, "intervals", total_intervals(p));
    cJSON_AddNumberToObject(o, "variables", count_variables(g));
    cJSON *phases = cJSON_AddArrayToObject(o, "phases");
    for (int i = 0; i < p->nphase; i++) {
      cJSON_AddItemToArray(phases, phase_json(p, &p->phases[i]));
    }
  }
  return pki_json_print(o, false, "check");
}

/* ---- in words ---- */

static void add_range(pki_text *out, const char *label, double least, double most, const char *unit)
{
  pki_text_addf(out, "  %-11s ", label);
  if (isnan(least)) {
    pki_text_add(out, "free\n");
  } else if (least == most) {
    pki_text_addf(out, "%g %s\n", least, unit);
  } else {
    pki_text_addf(out, "%g to %g %s\n", least, most, unit);
  }
}

static void add_phases(const pki_motion_problem *p, pki_text *out)
{
  pki_table t;
  pki_table_begin(&t,
                  (const char *const[]){"phase", "stance", "intervals", "least s", "most s", "guess s",
                                        "landing", "ends"},
                  8);
  for (int i = 0; i < p->nphase; i++) {
    const pki_motion_phase *f = &p->phases[i];
    char cell[5][32], stance[PKI_MOTION_FEET + 1] = "";
    for (int k = 0; k < p->nfoot; k++) {
      stance[k] = (f->stance >> k & 1) != 0 ? 'x' : '.';
    }
    snprintf(cell[0], 32, "%d", f->intervals);
    snprintf(cell[1], 32, "%.4g", f->shortest);
    snprintf(cell[2], 32, "%.4g", f->longest);
    snprintf(cell[3], 32, "%.4g", f->guess);
    pki_table_row(&t, (const char *const[]){f->name, stance, cell[0], cell[1], cell[2], cell[3],
                                            f->soft ? "soft" : "impact", f->crossing ? "crossing" : "time"});
  }
  pki_table_text(&t, "  ", true, out);
  pki_table_free(&t);
}

static void add_limits(const pki_gait_file *g, pki_text *out)
{
  const pki_motion_problem *p = &g->problem;
  pki_table t;
  pki_table_begin(&t,
                  (const char *const[]){"joint", "pose", "least", "most", "speed", "torque", "rate",
                                        "free speed", "stall", "state"},
                  10);
  for (int k = pki_gait_trunk(g->model); k < g->model->nu; k++) {
    const double values[] = {p->pose[k],      p->q_lower[k],    p->q_upper[k],     p->v_upper[k],
                             p->tau_upper[k], p->rate_upper[k], p->motor[k].speed, p->motor[k].stall};
    char text[8][32];
    const char *cells[10] = {pki_gait_coordinate_name(g->model, k)};
    for (int i = 0; i < 8; i++) {
      snprintf(text[i], 32, isfinite(values[i]) && !(i == 7 && isinf(values[6])) ? "%.4g" : "-", values[i]);
      cells[1 + i] = text[i];
    }
    cells[9] = p->locked[k] ? "locked" : p->tau_upper[k] == 0 ? "no motor" : "free";
    pki_table_row(&t, cells);
  }
  pki_table_text(&t, "  ", true, out);
  pki_table_free(&t);
}

static void add_objective(const pki_motion_objective *o, pki_text *out)
{
  const struct {
    const char *name;
    double weight;
  } terms[] = {{"torque", o->torque},
               {"joule", o->joule},
               {"work", o->work},
               {"time", o->time},
               {"polygon", o->polygon},
               {"stability", o->stability},
               {"acceleration", o->acceleration}};
  const char *before = "  minimised   ";
  for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
    if (terms[i].weight > 0) {
      pki_text_addf(out, "%s%s (%g)", before, terms[i].name, terms[i].weight);
      before = ", ";
    }
  }
  pki_text_add(out, "\n");
}

/* Of what the ground can bear, of what keeps its distance, and of S_H, so far as they are asked for. */
static void add_ground(const pki_motion_problem *p, pki_text *out)
{
  const bool stable = p->objective.stability > 0 || !isnan(p->least_stability);
  pki_text_addf(out, "  ground      friction %g, of which the motion uses %g, slope %g rad, clearance %g m\n",
                p->friction, p->friction * p->friction_share, p->slope, p->clearance);
  if (p->least_force > 0) {
    pki_text_addf(out, "  least force %g of the weight on every foot that stands\n", p->least_force);
  }
  for (int i = 0; i < p->ngap; i++) {
    pki_text_addf(out, "  %-11s %s%s: at least %g m\n", i == 0 ? "gaps" : "", p->gaps[i].name,
                  p->gaps[i].body[1] < 0 ? " and the ground" : "", p->gaps[i].least);
  }
  if (stable) {
    pki_text_addf(out, "  stability   S_H with a tip speed of %g m/s, %s", p->tip_speed,
                  p->tip_perpendicular ? "perpendicular" : "horizontal");
  }
  if (!isnan(p->least_stability)) {
    pki_text_addf(out, ", at least %g kg m^2/s", p->least_stability);
  }
  pki_text_add(out, stable ? "\n" : "");
}

static void print_text(const char *path, const pki_gait_file *g)
{
  const pki_motion_problem *p = &g->problem;
  pki_text out = {0};
  pki_text_addf(&out, "%s: ok\n  %s%s%s\n", path, g->name, g->description[0] ? ": " : "", g->description);
  pki_text_addf(&out, "  robot       %s: %d degrees of freedom, %.4g kg, %d feet%s\n",
                g->model->robots[0].name, g->model->nu, g->model->mass, p->nfoot,
                p->planar ? ", planar" : "");
  pki_text_addf(&out, "  motion      closure %s, %d phase%s, %d intervals, %s: about %d variables\n",
                pki_motion_closure_word(p->closure), p->nphase, p->nphase == 1 ? "" : "s", total_intervals(p),
                pki_motion_scheme_word(p->scheme), count_variables(g));
  add_range(&out, "speed", p->speed, p->speed, "m/s");
  add_range(&out, "stride", p->stride_shortest, p->stride_longest, "m");
  add_range(&out, "period", p->period_shortest, p->period_longest, "s");
  add_objective(&p->objective, &out);
  add_ground(p, &out);
  for (int i = 0; i < p->ndesign; i++) {
    const pki_motion_design *d = &p->designs[i];
    pki_text_addf(&out, "  %-11s %s of %s: %g to %g%s%s, from %g\n", i == 0 ? "design" : "",
                  pki_design_words[d->kind], d->name, d->lower, d->upper,
                  pki_design_unit(d->kind)[0] != '\0' ? " " : "", pki_design_unit(d->kind), d->start);
  }
  pki_text_addf(&out, "  motors      torque-speed lines %s\n\n", p->motor_lines ? "hold" : "do not count");
  add_phases(p, &out);
  pki_text_add(&out, "\n");
  add_limits(g, &out);
  fputs(out.data != NULL ? out.data : "", stdout);
  pki_text_free(&out);
}

int pki_check_gait(const pki_args *args, const char *name)
{
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  pki_gait_file *g = NULL;
  pki_problems problems = {0};
  pki_sets sets;
  if (!pki_sets_read(args, &sets)) {
    return PKI_EXIT_FAILURE;
  }
  snprintf(path, sizeof path, "%s", name);
  if (pki_problems_note(&problems, pki_yaml_locate(&pki_gait_kind, name, path, &err), &err) == PK_OK) {
    pki_gait_file_load(path, sets.list, sets.count, &g, &problems);
  }
  pki_problems_sort(&problems);
  int code = pki_exit_of_input(problems.status);
  if (args->json) {
    code = print_json(path, g, &problems) ? code : PKI_EXIT_FAILURE;
  } else if (g != NULL) {
    print_text(path, g);
  } else {
    for (int i = 0; i < problems.count; i++) {
      pki_check_remark(&problems.errors[i], true, path);
    }
    const int total = pki_problems_total(&problems);
    printf("%s: not ok, %d error%s\n", path, total, total == 1 ? "" : "s");
  }
  pki_gait_file_destroy(g);
  pki_problems_free(&problems);
  pki_sets_free(&sets);
  return code;
}
