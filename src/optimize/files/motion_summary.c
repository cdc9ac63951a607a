/* What came of a motion in numbers, and summary.json. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/files/motion_files.h"

const char *pki_nlp_end_word(pki_nlp_end end)
{
  switch (end) {
  case PKI_NLP_SOLVED: return "solved";
  case PKI_NLP_ACCEPTABLE: return "acceptable";
  case PKI_NLP_INFEASIBLE: return "infeasible";
  case PKI_NLP_ITERATIONS: return "out of iterations";
  case PKI_NLP_STOPPED: return "stopped";
  default: return "failed";
  }
}

const char *pki_motion_closure_word(pki_motion_closure closure)
{
  return closure == PKI_MOTION_ONCE ? "once" : closure == PKI_MOTION_CYCLE ? "cycle" : "half";
}

const char *pki_motion_scheme_word(pki_motion_scheme scheme)
{
  return scheme == PKI_MOTION_LINEAR ? "linear" : "hermite-simpson";
}

/* ---- figures ---- */

/* Peaks and root mean squares of torques and speeds; integrals by trapezoids over the points of each phase. */
static void measure_joints(const pki_course *c, pki_motion_figures *f)
{
  const int nu = c->gait->model->nu;
  double total = 0;
  for (int i = 0; i < c->nrow; i++) {
    const pki_motion_point *a = c->rows[i].point, *b = i + 1 < c->nrow ? c->rows[i + 1].point : a;
    const double dt = b->phase == a->phase ? b->time - a->time : 0;
    total += dt;
    for (int k = 0; k < nu; k++) {
      f->peak_torque[k] = fmax(f->peak_torque[k], fabs(a->tau[k]));
      f->peak_speed[k] = fmax(f->peak_speed[k], fabs(a->v[k]));
      f->rms_torque[k] += dt * (a->tau[k] * a->tau[k] + b->tau[k] * b->tau[k]) / 2;
    }
  }
  for (int k = 0; k < nu; k++) {
    f->rms_torque[k] = total > 0 ? sqrt(f->rms_torque[k] / total) : NAN;
  }
}

static void measure_feet(const pki_course *c, pki_motion_figures *f)
{
  const pki_motion_problem *p = &c->gait->problem;
  const double end = c->start[c->whole.nphase] - c->start[0];
  f->clearance = INFINITY;
  for (int i = 0; i < p->nfoot; i++) {
    double highest = -INFINITY;
    for (int k = 0; k < c->whole.nphase; k++) {
      f->duty[i] += (c->stance[k] >> i & 1) != 0 ? c->whole.duration[k] / end : 0;
    }
    for (int k = 0; k < c->nrow; k++) {
      const pki_course_row *row = &c->rows[k];
      const double *force = row->point->force[i];
      if ((row->stance >> i & 1) == 0) {
        highest = fmax(highest, row->foot[i][2]);
      } else if (force[2] > 0) {
        f->friction_used = fmax(f->friction_used, hypot(force[0], force[1]) / force[2]);
      }
    }
    f->clearance = highest > -INFINITY ? fmin(f->clearance, highest) : f->clearance;
  }
  f->clearance = isfinite(f->clearance) ? f->clearance : NAN;
}

static double least_stability(const pki_course *c)
{
  double least = INFINITY;
  for (int i = 0; i < c->nrow; i++) {
    if (isnan(c->rows[i].edges.least)) {
      return NAN;
    }
    least = fmin(least, c->rows[i].edges.least);
  }
  return least;
}

pki_motion_figures pki_motion_figures_of(const pki_course *course)
{
  const pki_motion_solution *s = &course->whole;
  const double *g = course->gait->settings.gravity;
  const double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  const pki_motion_problem *p = &course->gait->problem;
  const bool walks = p->along >= 0;
  pki_motion_figures f = {.speed = walks ? s->stride / s->period : NAN,
                          .cost_of_transport = s->work,
                          .joule_cost = s->joule / (course->gait->model->mass * gravity),
                          .stability = least_stability(course)};
  f.froude = walks && p->height >= 0 ? f.speed * f.speed / (gravity * p->pose[p->height]) : NAN;
  measure_joints(course, &f);
  measure_feet(course, &f);
  return f;
}

/* ---- summary.json ---- */

static void add_number(pki_text *out, const char *key, double value)
{
  pki_text_addf(out, "  \"%s\": ", key);
  pki_text_add_json_number(out, value);
  pki_text_add(out, ",\n");
}

static void add_stage(const pki_motion_stage *s, pki_text *out)
{
  pki_text_add(out, "    {\"name\": ");
  pki_text_add_json_string(out, s->name);
  pki_text_addf(out, ", \"variables\": %d, \"rows\": %d, \"intervals\": %d, \"iterations\": %d, \"end\": ",
                s->variables, s->rows, s->intervals, s->result.iterations);
  pki_text_add_json_string(out, pki_nlp_end_word(s->result.end));
  pki_text_add(out, ", \"objective\": ");
  pki_text_add_json_number(out, s->result.objective);
  pki_text_add(out, ", \"violation\": ");
  pki_text_add_json_number(out, s->result.violation);
  pki_text_add(out, ", \"grid_error\": ");
  pki_text_add_json_number(out, s->grid_error);
  pki_text_add(out, ", \"seconds\": ");
  pki_text_add_json_number(out, s->result.seconds);
  pki_text_add(out, ", \"worst\": ");
  pki_text_add_json_string(out, s->worst);
  pki_text_add(out, "}");
}

static void add_phases(const pki_course *c, pki_text *out)
{
  const pki_motion_problem *p = &c->gait->problem;
  pki_text_add(out, "  \"phases\": [\n");
  for (int i = 0; i < c->whole.nphase; i++) {
    pki_text_add(out, "    {\"name\": ");
    pki_text_add_json_string(out, c->name[i]);
    pki_text_add(out, ", \"start\": ");
    pki_text_add_json_number(out, c->start[i] - c->start[0]);
    pki_text_add(out, ", \"duration\": ");
    pki_text_add_json_number(out, c->whole.duration[i]);
    pki_text_add(out, ", \"stance\": [");
    for (int k = 0, first = 1; k < p->nfoot; k++) {
      if ((c->stance[i] >> k & 1) != 0) {
        pki_text_add(out, first ? "" : ", ");
        pki_text_add_json_string(out, p->feet[k].name);
        first = 0;
      }
    }
    pki_text_addf(out, "]}%s\n", i + 1 < c->whole.nphase ? "," : "");
  }
  pki_text_add(out, "  ],\n");
}

static void add_joints(const pki_course *c, const pki_motion_figures *f, pki_text *out)
{
  const pk_model *m = c->gait->model;
  pki_text_add(out, "  \"joints\": [\n");
  for (int k = pki_gait_trunk(m); k < m->nu; k++) {
    pki_text_add(out, "    {\"name\": ");
    pki_text_add_json_string(out, pki_gait_coordinate_name(m, k));
    pki_text_add(out, ", \"peak_torque\": ");
    pki_text_add_json_number(out, f->peak_torque[k]);
    pki_text_add(out, ", \"rms_torque\": ");
    pki_text_add_json_number(out, f->rms_torque[k]);
    pki_text_add(out, ", \"peak_speed\": ");
    pki_text_add_json_number(out, f->peak_speed[k]);
    pki_text_addf(out, "}%s\n", k + 1 < m->nu ? "," : "");
  }
  pki_text_add(out, "  ]\n}\n");
}

pk_status pki_motion_summary_save(const pki_course *course, const pki_motion_solution *solution,
                                  const char *path, pk_error *err)
{
  const pki_motion_figures f = pki_motion_figures_of(course);
  const pki_motion_solution *w = &course->whole;
  pki_text text = {0};
  pki_text_add(&text, "{\n  \"motion\": ");
  pki_text_add_json_string(&text, course->gait->name);
  pki_text_addf(&text, ",\n  \"solved\": %s,\n", solution->solved ? "true" : "false");
  pki_text_addf(&text, "  \"problem\": \"%016llx\",\n", (unsigned long long)course->gait->hash);
  add_number(&text, "objective", solution->objective);
  add_number(&text, "stride", w->stride);
  add_number(&text, "period", w->period);
  add_number(&text, "speed", f.speed);
  add_number(&text, "froude", f.froude);
  add_number(&text, "cost_of_transport", f.cost_of_transport);
  add_number(&text, "joule_per_metre", w->joule);
  add_number(&text, "joule_cost", f.joule_cost);
  add_number(&text, "torque_squared", w->torque);
  add_number(&text, "stability", f.stability);
  add_number(&text, "clearance", f.clearance);
  add_number(&text, "friction_used", f.friction_used);
  add_number(&text, "line_margin", solution->line_margin);
  add_number(&text, "torque_margin", solution->torque_margin);
  pki_design_json(&course->gait->problem, solution, &text);
  pki_text_add(&text, "  \"stages\": [\n");
  for (int i = 0; i < solution->nstage; i++) {
    add_stage(&solution->stages[i], &text);
    pki_text_add(&text, i + 1 < solution->nstage ? ",\n" : "\n");
  }
  pki_text_add(&text, "  ],\n");
  add_phases(course, &text);
  add_joints(course, &f, &text);
  const pk_status status = pki_text_save(&text, path, err);
  pki_text_free(&text);
  return status;
}
