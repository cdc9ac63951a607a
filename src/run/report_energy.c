/* Power, energy, and how the contact solver did. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "run/report_data.h"

/* The heading, once there is something below it. */
static void begin_section(const pki_report_source *s, bool *begun)
{
  if (!*begun) {
    pki_report_section(s->report, "energy", "Power and energy");
    *begun = true;
  }
}

/* ---- power ---- */

/* [3][n]: what the joints put in, what they took out, the sum, W. False: there never was any. */
static bool sum_power(const pki_report_source *s, const pki_curves *force, const pki_curves *u, double *out)
{
  const size_t n = (size_t)force->n;
  bool any = false;
  memset(out, 0, 3 * n * sizeof *out);
  for (int j = 0; j < s->njoint; j++) {
    if (s->joints[j].force < 0 || s->joints[j].u < 0) {
      continue;
    }
    const double *tau = pki_curve(force, s->joints[j].force), *rate = pki_curve(u, s->joints[j].u);
    for (size_t i = 0; i < n; i++) {
      const double p = tau[i] * rate[i];
      out[p > 0 ? i : n + i] += p;
      out[2 * n + i] += p;
      any = any || p != 0;
    }
  }
  return any;
}

/* From the sample `start` on. */
static void draw_power(const pki_report_source *s, const double *time, const double *power, int n, int start)
{
  static const char *const names[] = {"put in", "taken out", "sum"};
  static const int colors[] = {1, 2, PKI_INK_DARK};
  pki_svg_series series[3];
  for (int k = 0; k < 3; k++) {
    series[k] = (pki_svg_series){.name = names[k],
                                 .x = time + start,
                                 .y = power + (size_t)k * (size_t)n + start,
                                 .n = n - start,
                                 .color = colors[k]};
  }
  const pki_svg_panel panel = {
      .title = "Power of the joints (W)", .x = s->time, .series = series, .nseries = 3, .time = true};
  const pki_svg_figure figure = {
      .id = "power", .panels = &panel, .npanels = 1, .width = 1040, .height = 280, .compact = true};
  pki_report_figure(s->report, &figure,
                    "Torque times rate, summed over the joints: those that put power in, those that take it "
                    "out, and all.");
}

static pk_status power_figure(const pki_report_source *s, bool *begun, pk_error *err)
{
  pki_curves force, u = {0};
  pk_status status = pki_curves_read(s->recording, "joints/force", &force, err);
  status = status == PK_OK ? pki_curves_read(s->recording, "state/u", &u, err) : status;
  if (status == PK_OK && s->njoint > 0 && force.n > 1 && force.n == u.n) {
    double *power = malloc(3 * (size_t)force.n * sizeof *power);
    if (power == NULL) {
      status = pki_fail_memory(err, "the report");
    } else if (sum_power(s, &force, &u, power)) {
      begin_section(s, begun);
      draw_power(s, force.time, power, force.n, pki_curves_first(&force));
    }
    free(power);
  }
  pki_curves_free(&force);
  pki_curves_free(&u);
  return status;
}

/* ---- energy ---- */

/* Changes since the start; what came in and is in none of them was lost. The column after the last holds it. */
static pk_status energy_figure(const pki_report_source *s, bool *begun, pk_error *err)
{
  static const char *const columns[] = {"kinetic", "potential", "joint_work", "push_work"};
  static const char *const names[] = {"kinetic", "potential", "work of the joints", "work of pushes", "lost"};
  static const int colors[] = {1, 5, 3, 4, 2};
  pki_curves c;
  pk_status status = pki_curves_read(s->recording, "energy", &c, err);
  double *lost = c.n > 0 ? calloc((size_t)c.n, sizeof *lost) : NULL;
  pki_svg_series series[5];
  int count = 0;
  for (int k = 0; k < 4 && lost != NULL; k++) {
    const int column = pki_curves_find(&c, columns[k]);
    if (column < 0) {
      continue;
    }
    double *v = c.values + (size_t)column * (size_t)c.n, most = 0;
    const double start = v[0];
    for (int i = 0; i < c.n; i++) {
      v[i] -= k == 1 ? start : 0; /* heights have no zero of their own */
      lost[i] += k < 2 ? -(v[i] - (k == 0 ? start : 0)) : v[i];
      most = fmax(most, fabs(v[i]));
    }
    if (k < 3 || most > 0) {
      series[count++] = (pki_svg_series){.name = names[k], .x = c.time, .y = v, .n = c.n, .color = colors[k]};
    }
  }
  if (status == PK_OK && c.n > 1 && lost == NULL) {
    status = pki_fail_memory(err, "the report");
  } else if (status == PK_OK && c.n > 1 && count > 1) {
    series[count++] = (pki_svg_series){
        .name = names[4], .x = c.time, .y = lost, .n = c.n, .color = colors[4], .style = PKI_SVG_DASHED};
    begin_section(s, begun);
    const pki_svg_panel panel = {
        .title = "Energy balance (J)", .x = s->time, .series = series, .nseries = count, .time = true};
    pki_report_figure(
        s->report,
        &(pki_svg_figure){
            .id = "energy", .panels = &panel, .npanels = 1, .width = 1040, .height = 300, .compact = true},
        "Kinetic energy, potential energy since the start, work that joints and pushes have done, and what "
        "of it is in neither: lost in impacts, friction and joint damping, or to projections and rounding.");
  }
  free(lost);
  pki_curves_free(&c);
  return status;
}

pk_status pki_report_energy(const pki_report_source *s, pk_error *err)
{
  bool begun = false;
  const pk_status status = power_figure(s, &begun, err);
  return status == PK_OK ? energy_figure(s, &begun, err) : status;
}

/* ---- solver ---- */

/* A number among the notes, NAN when there is none. */
static double noted_number(const pki_report_source *s, const char *key)
{
  const char *text = pk_recording_note(s->recording, key);
  double value = NAN;
  return text != NULL && pki_parse_real(&text, text + strlen(text), &value) ? value : NAN;
}

static bool any_positive(const double *v, int n)
{
  for (int i = 0; i < n; i++) {
    if (v[i] > 0) {
      return true;
    }
  }
  return false;
}

/* On a logarithmic scale, with the bound that steps were held to. */
static pki_svg_panel residual_panel(const pki_report_source *s, const pki_curves *c, pki_svg_series series[2],
                                    double ends[4])
{
  const double bound = noted_number(s, "bound");
  int count = 0;
  series[count++] = (pki_svg_series){.name = "relative residual",
                                     .x = c->time,
                                     .y = pki_curve(c, pki_curves_find(c, "residual")),
                                     .n = c->n,
                                     .color = 1};
  if (bound > 0) {
    ends[0] = s->from, ends[1] = s->to;
    ends[2] = ends[3] = bound;
    series[count++] = (pki_svg_series){
        .name = "bound", .x = ends, .y = ends + 2, .n = 2, .style = PKI_SVG_DASHED, .color = PKI_INK_LIMIT};
  }
  return (pki_svg_panel){.title = "Certificate",
                         .x = s->time,
                         .y = {.log = true},
                         .series = series,
                         .nseries = count,
                         .time = true};
}

pk_status pki_report_solver(const pki_report_source *s, pk_error *err)
{
  static const char *const counts[][2] = {{"contacts", "Contacts"}, {"iterations", "Solver iterations"}};
  pki_curves c;
  const pk_status status = pki_curves_read(s->recording, "solver", &c, err);
  pki_svg_series series[4];
  pki_svg_panel panels[3];
  double ends[4];
  int count = 0;
  const int residual = pki_curves_find(&c, "residual");
  for (int k = 0; k < 2 && c.n > 1; k++) {
    const int column = pki_curves_find(&c, counts[k][0]);
    if (column >= 0 && any_positive(pki_curve(&c, column), c.n)) {
      series[count] = (pki_svg_series){.x = c.time, .y = pki_curve(&c, column), .n = c.n, .color = 1};
      panels[count] = (pki_svg_panel){
          .title = counts[k][1], .x = s->time, .series = &series[count], .nseries = 1, .time = true};
      count++;
    }
  }
  if (c.n > 1 && residual >= 0 && any_positive(pki_curve(&c, residual), c.n)) {
    panels[count++] = residual_panel(s, &c, series + 2, ends);
  }
  if (count > 0) {
    pki_report_section(s->report, "solver", "Contact solver");
    pki_report_figure(
        s->report,
        &(pki_svg_figure){.id = "solver",
                          .panels = panels,
                          .npanels = count,
                          .columns = 1,
                          .width = 1040,
                          .height = 165,
                          .compact = true,
                          .share_x = true},
        "Contacts of each step, iterations that its contact problems took, and their relative "
        "residual, computed apart from the solver. Gaps: nothing to solve, or an exact solution.");
  }
  pki_curves_free(&c);
  return status;
}
