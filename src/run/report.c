#include "record/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

/* ---- curves ---- */

pk_status pki_trace_begin(pki_trace *t, const pki_watch *w, long long steps, pk_error *err)
{
  const size_t rows = 6 + (size_t)w->nfoot;
  *t = (pki_trace){.nfoot = w->nfoot, .every = steps / PKI_TRACE_MAX + 1};
  t->time = calloc(rows * PKI_TRACE_MAX, sizeof *t->time);
  if (t->time == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for the report");
  }
  t->height = t->time + PKI_TRACE_MAX;
  for (int k = 0; k < 3; k++) {
    t->angle[k] = t->height + (size_t)(k + 1) * PKI_TRACE_MAX;
  }
  t->residual = t->angle[2] + PKI_TRACE_MAX;
  t->foot = t->residual + PKI_TRACE_MAX;
  return PK_OK;
}

void pki_trace_free(pki_trace *t)
{
  free(t->time);
}

void pki_trace_step(pki_trace *t, const pki_watch *w, const pk_step_info *info, long long step)
{
  static const double degree = 57.29577951308232;
  if (step % t->every != 0 || t->n >= PKI_TRACE_MAX) {
    return;
  }
  const double *R = w->now.rot;
  const int n = t->n++;
  t->time[n] = pk_sim_time(w->world->sim);
  t->height[n] = w->now.pos[2];
  /* R = Rz(yaw) Ry(pitch) Rx(roll) */
  t->angle[0][n] = degree * atan2(R[7], R[8]);
  t->angle[1][n] = degree * asin(fmax(-1, fmin(1, -R[6])));
  t->angle[2][n] = degree * atan2(R[3], R[0]);
  t->residual[n] = info->certificate.relative;
  for (int i = 0; i < t->nfoot; i++) {
    t->foot[(size_t)i * PKI_TRACE_MAX + (size_t)n] = w->normal[i];
  }
}

/* ---- the summary ---- */

enum { CELL = 96 };

__attribute__((format(printf, 3, 4))) static void row(pki_table *table, const char *what, const char *format,
                                                      ...)
{
  char text[2 * CELL];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  pki_table_row(table, (const char *const[]){what, text});
}

/* The joint whose torque came nearest to its limit, or the largest where there are no limits. */
static void torque_row(const pki_run_result *r, pki_table *table)
{
  const pk_model *m = r->model;
  int most = -1;
  double share = -1;
  for (int k = 0; k < r->ndof; k++) {
    const double limit = m->dof_effort[k];
    const double s = isfinite(limit) && limit > 0 ? r->peak[k] / limit : r->peak[k] * 1e-9;
    if (m->dof_joint[k] >= 0 && s > share) {
      share = s;
      most = k;
    }
  }
  if (most < 0) {
    return;
  }
  const double limit = m->dof_effort[most];
  char of[CELL] = "";
  if (isfinite(limit)) {
    snprintf(of, sizeof of, " of %.4g", limit);
  }
  row(table, "peak torque", "%.4g%s at %s", r->peak[most], of, m->joints[m->dof_joint[most]].name);
}

void pki_run_table(const pki_run_result *result, pki_table *table)
{
  const pki_run_result *r = result;
  pki_table_begin(table, (const char *const[]){"quantity", "value"}, 2);
  row(table, "simulated", "%.6g s in %lld steps", r->duration, r->steps);
  row(table, "real-time factor", "%.3g (%.3g s of computing)", r->real_time_factor, r->wall);
  row(table, "distance", "%.4g m (path %.4g m, mean speed %.4g m/s)", r->distance, r->path,
      r->duration > 0 ? r->distance / r->duration : 0);
  row(table, "trunk height", "%.5g m (%.5g to %.5g m)", r->height, r->height_min, r->height_max);
  row(table, "largest tilt", "%.3g degrees", r->tilt_max * 57.29577951308232);
  if (r->fell) {
    row(table, "fell", "yes, at %.4g s", r->fell_at);
  } else {
    row(table, "fell", "no");
  }
  row(table, "energy put in", "%.5g J (%.5g J of positive work)", r->energy_in, r->positive_work);
  torque_row(r, table);
  row(table, "contacts", "%.3g on average, %d at most", r->mean_contacts, r->most_contacts);
  row(table, "deepest penetration", "%.2e m", r->penetration);
  row(table, "projections", "%.2e J of potential energy changed%s", r->stabilisation,
      r->stabilisation > 0.1 ? ": did it start in the ground, or a loop open?" : "");
  if (r->worst_step > 0) {
    row(table, "worst certificate", "%.2e (%.2e m/s), step %lld at %.6g s, %s, %d contacts",
        r->worst_residual, r->worst_speed, r->worst_step, r->worst_time, pk_solver_name(r->worst_solver),
        r->worst_contacts);
  }
  row(table, "uncertified steps", "%lld above %.1e", r->uncertified, r->bound);
  if (r->shifted > 0) {
    row(table, "gaps shifted", "in %lld steps, by up to 1e-9 m", r->shifted);
  }
  if (r->stopped[0] != '\0') {
    row(table, "stopped", "%s", r->stopped);
  }
}

/* ---- report.html ---- */

static void peak_table(pki_report *report, const pki_run_result *r)
{
  const pk_model *m = r->model;
  pki_table table;
  pki_table_begin(&table, (const char *const[]){"joint", "peak", "limit"}, 3);
  for (int k = 0; k < r->ndof; k++) {
    char peak[32], limit[32] = "";
    snprintf(peak, sizeof peak, "%.4g", r->peak[k]);
    if (isfinite(m->dof_effort[k])) {
      snprintf(limit, sizeof limit, "%.4g", m->dof_effort[k]);
    }
    if (m->dof_joint[k] >= 0) {
      pki_table_row(&table, (const char *const[]){m->joints[m->dof_joint[k]].name, peak, limit});
    }
  }
  if (table.nrow > 1) {
    pki_report_heading(report, "Peak joint forces, N m or N");
    pki_report_table(report, &table);
  }
  pki_table_free(&table);
}

static void figures(pki_report *report, const pki_watch *w, const pki_trace *t)
{
  enum { FEET = 12 };
  static const char *const angles[3] = {"roll", "pitch", "yaw"};
  const pki_svg_axis time = {.label = "time", .unit = "s"};
  const pki_svg_series height = {.x = t->time, .y = t->height, .n = t->n};
  const pki_svg_series residual = {.x = t->time, .y = t->residual, .n = t->n, .style = PKI_SVG_POINTS};
  pki_svg_series angle[3], foot[FEET];
  const int nfoot = t->nfoot < FEET ? t->nfoot : FEET;
  for (int k = 0; k < 3; k++) {
    angle[k] = (pki_svg_series){.name = angles[k], .x = t->time, .y = t->angle[k], .n = t->n};
  }
  for (int i = 0; i < nfoot; i++) {
    foot[i] = (pki_svg_series){.name = w->model->links[w->feet[i]].name,
                               .x = t->time,
                               .y = t->foot + (size_t)i * PKI_TRACE_MAX,
                               .n = t->n};
  }
  const struct {
    const char *id, *caption;
    pki_svg_panel panel;
  } all[] = {
      {"height",
       "Height of the trunk.",
       {.title = "Trunk height",
        .x = time,
        .y = {.label = "z", .unit = "m"},
        .series = &height,
        .nseries = 1}},
      {"attitude",
       "Attitude of the trunk.",
       {.title = "Trunk attitude",
        .x = time,
        .y = {.label = "angle", .unit = "°"},
        .series = angle,
        .nseries = 3}},
      {"feet",
       "Force of the ground on each foot, along the contact normals.",
       {.title = "Normal forces",
        .x = time,
        .y = {.label = "force", .unit = "N"},
        .series = foot,
        .nseries = nfoot}},
      {"residual",
       "Relative residual of each step's contact problems.",
       {.title = "Certificate",
        .x = time,
        .y = {.label = "residual", .log = true},
        .series = &residual,
        .nseries = 1}},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0] && t->n > 0; i++) {
    const pki_svg_figure figure = {.id = all[i].id, .panels = &all[i].panel, .npanels = 1, .width = 960};
    if (all[i].panel.nseries > 0) {
      pki_report_figure(report, &figure, all[i].caption);
    }
  }
}

pk_status pki_run_report(const pki_watch *w, const pki_trace *t, const pki_run_result *result,
                         const char *folder, pk_error *err)
{
  const pki_scenario *s = w->world->scenario;
  char path[PKI_PATH_MAX];
  if (!pki_path_join(path, folder, "report.html")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  pki_report report = {0};
  pki_report_begin(&report, s->name, s->description);
  pki_table table;
  pki_run_table(result, &table);
  pki_report_table(&report, &table);
  pki_table_free(&table);
  figures(&report, w, t);
  peak_table(&report, result);
  const pk_status status = pki_report_save(&report, path, err);
  pki_report_free(&report);
  return status;
}
