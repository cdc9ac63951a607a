/* The joints: angles and forces against their limits, peaks, phase plots. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/report_data.h"

enum { PANELS = 36 }; /* small multiples that one page bears */

/* Where the joints of a run are: three channels with the same times. */
typedef struct motion {
  pki_curves q, u, force;
} motion;

static pk_status read_motion(const pki_report_source *s, motion *m, pk_error *err)
{
  *m = (motion){0};
  pk_status status = pki_curves_read(s->recording, "state/q", &m->q, err);
  status = status == PK_OK ? pki_curves_read(s->recording, "state/u", &m->u, err) : status;
  return status == PK_OK ? pki_curves_read(s->recording, "joints/force", &m->force, err) : status;
}

static void free_motion(motion *m)
{
  pki_curves_free(&m->q);
  pki_curves_free(&m->u);
  pki_curves_free(&m->force);
}

static void range_of(const double *v, int n, double *least, double *most)
{
  *least = INFINITY;
  *most = -INFINITY;
  for (int i = 0; i < n; i++) {
    *least = fmin(*least, v[i]);
    *most = fmax(*most, v[i]);
  }
}

/* ---- small multiples ---- */

void pki_report_limited_panel(const pki_report_source *s, const char *id, const char *title, const char *unit,
                              const double *time, const double *values, int n, const double limits[2],
                              double near)
{
  const double lower = limits[0], upper = limits[1];
  double least, most;
  range_of(values, n, &least, &most);
  const double ends[2] = {s->from, s->to}, low[2] = {lower, lower}, high[2] = {upper, upper};
  pki_svg_series series[3] = {{.x = time, .y = values, .n = n, .color = PKI_INK_MAIN}};
  int count = 1;
  if (lower > least - near) {
    series[count++] =
        (pki_svg_series){.x = ends, .y = low, .n = 2, .style = PKI_SVG_DASHED, .color = PKI_INK_LIMIT};
  }
  if (upper < most + near) {
    series[count++] =
        (pki_svg_series){.x = ends, .y = high, .n = 2, .style = PKI_SVG_DASHED, .color = PKI_INK_LIMIT};
  }
  char titled[160];
  snprintf(titled, sizeof titled, "%s (%s)", title, unit);
  const pki_svg_panel panel = {
      .title = titled, .x = s->time, .series = series, .nseries = count, .time = true};
  const pki_svg_figure figure = {
      .id = id, .panels = &panel, .npanels = 1, .width = 350, .height = 180, .compact = true};
  pki_report_panel(s->report, &figure);
}

static bool any_force(const pki_report_source *s, const motion *m)
{
  for (int i = 0; i < s->njoint && m->force.n > 0; i++) {
    if (s->joints[i].force >= 0 && pki_curve_moves(&m->force, s->joints[i].force)) {
      return true;
    }
  }
  return false;
}

/* How many joints are shown, and a sentence when that is not all. */
static int shown_joints(const pki_report_source *s)
{
  if (s->njoint > PANELS) {
    char text[96];
    snprintf(text, sizeof text, "The first %d of %d joint coordinates; the table has all.", PANELS,
             s->njoint);
    pki_report_paragraph(s->report, text);
  }
  return s->njoint < PANELS ? s->njoint : PANELS;
}

static void angle_panels(const pki_report_source *s, const motion *m, int count)
{
  static const double degree = 57.29577951308232;
  pki_report_subheading(s->report, "Angles");
  pki_report_panels_begin(s->report);
  for (int i = 0; i < count; i++) {
    const pki_report_joint *j = &s->joints[i];
    if (j->q < 0 || m->q.n == 0) {
      continue;
    }
    double *v = m->q.values + (size_t)j->q * (size_t)m->q.n;
    const double scale = j->length ? 1 : degree;
    for (int k = 0; k < m->q.n; k++) {
      v[k] *= scale;
    }
    char id[32];
    double least, most;
    const double limits[2] = {scale * j->lower, scale * j->upper};
    snprintf(id, sizeof id, "angle-%d", i);
    range_of(v, m->q.n, &least, &most);
    pki_report_limited_panel(s, id, j->name, j->length ? "m" : "°", m->q.time, v, m->q.n, limits,
                             most - least);
    for (int k = 0; k < m->q.n; k++) {
      v[k] /= scale;
    }
  }
  pki_report_panels_end(
      s->report, "Joint angles; dashed: limits that are no farther away than the range that was used.");
}

static void force_panels(const pki_report_source *s, const motion *m, int count)
{
  const int start = pki_curves_first(&m->force);
  pki_report_subheading(s->report, "Torques");
  pki_report_panels_begin(s->report);
  for (int i = 0; i < count; i++) {
    const pki_report_joint *j = &s->joints[i];
    if (j->force < 0 || m->force.n == 0) {
      continue;
    }
    char id[32];
    const double limits[2] = {-j->effort, j->effort};
    snprintf(id, sizeof id, "torque-%d", i);
    pki_report_limited_panel(s, id, j->name, j->length ? "N" : "N m", m->force.time + start,
                             pki_curve(&m->force, j->force) + start, m->force.n - start, limits,
                             0.9 * j->effort);
  }
  pki_report_panels_end(s->report,
                        "Torques (forces of joints that slide) that the commands put on the joints; "
                        "dashed: limits, where more than a tenth of them was used.");
}

/* ---- peaks ---- */

static void format_cell(char *out, size_t size, const char *format, double value)
{
  if (isfinite(value)) {
    snprintf(out, size, format, value == 0 ? 0 : value); /* no -0 */
  } else {
    snprintf(out, size, "—");
  }
}

static void peak_row(const pki_report_joint *j, const motion *m, pki_table *table)
{
  enum { COLUMNS = 10, ROOM = 32 };
  char cells[COLUMNS][ROOM];
  double peak = NAN, speed = NAN, power = NAN, work = 0, square = 0, least = NAN, most = NAN;
  const double *tau = j->force >= 0 && m->force.n > 0 ? pki_curve(&m->force, j->force) : NULL;
  const double *u = j->u >= 0 && m->u.n > 0 ? pki_curve(&m->u, j->u) : NULL;
  for (int i = 0; tau != NULL && i < m->force.n; i++) {
    peak = fmax(peak, fabs(tau[i]));
    square += tau[i] * tau[i] / m->force.n;
  }
  for (int i = 0; u != NULL && i < m->u.n; i++) {
    speed = fmax(speed, fabs(u[i]));
    if (tau != NULL && i > 0 && i < m->force.n) { /* a force acts over the step that ends at its time */
      const double mean = 0.5 * (u[i - 1] + u[i]);
      power = fmax(power, tau[i] * u[i]);
      work += fmax(0, tau[i] * mean) * (m->u.time[i] - m->u.time[i - 1]);
    }
  }
  if (j->q >= 0 && m->q.n > 0) {
    range_of(pki_curve(&m->q, j->q), m->q.n, &least, &most);
  }
  snprintf(cells[0], ROOM, "%.28s", j->name);
  format_cell(cells[1], ROOM, "%.4g", peak);
  format_cell(cells[2], ROOM, "%.4g", j->effort);
  format_cell(cells[3], ROOM, "%.0f %%", 100 * peak / j->effort);
  if (!isfinite(j->effort)) {
    snprintf(cells[3], ROOM, "—");
  }
  format_cell(cells[4], ROOM, "%.4g", sqrt(square));
  format_cell(cells[5], ROOM, "%.4g", speed);
  format_cell(cells[6], ROOM, "%.4g", j->velocity);
  format_cell(cells[7], ROOM, "%.4g", power);
  format_cell(cells[8], ROOM, "%.4g", tau != NULL && u != NULL ? work : NAN);
  snprintf(cells[9], ROOM, "%.3f … %.3f", least, most);
  const char *row[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) {
    row[k] = cells[k];
  }
  pki_table_row(table, row);
}

static void peak_table(const pki_report_source *s, const motion *m)
{
  static const char *const heads[] = {"joint",         "peak (N m)", "limit",     "share",    "rms (N m)",
                                      "speed (rad/s)", "limit",      "power (W)", "work (J)", "range (rad)"};
  pki_table table;
  pki_table_begin(&table, heads, 10);
  for (int i = 0; i < s->njoint; i++) {
    peak_row(&s->joints[i], m, &table);
  }
  pki_report_subheading(s->report, "Peaks");
  pki_report_table(s->report, &table);
  pki_report_note(
      s->report,
      "Largest torque, its limit and the share of it that was used, root mean square; largest speed and "
      "its limit; largest power and positive work of the joint; range of its angle. Joints that "
      "slide: N, m/s, m. All at the recorded samples.");
  pki_table_free(&table);
}

pk_status pki_report_joints(const pki_report_source *s, pk_error *err)
{
  motion m;
  const pk_status status = s->njoint > 0 ? read_motion(s, &m, err) : PK_OK;
  if (s->njoint == 0) {
    return PK_OK;
  }
  if (status == PK_OK && (m.q.n > 0 || m.force.n > 0)) {
    pki_report_section(s->report, "joints", "Joints");
    const int count = shown_joints(s);
    if (m.q.n > 0) {
      angle_panels(s, &m, count);
    }
    if (any_force(s, &m)) {
      force_panels(s, &m, count);
    }
    peak_table(s, &m);
  }
  free_motion(&m);
  return status;
}

/* ---- phase plots ---- */

/* A path in the plane of a coordinate and its rate; the last seconds stand out. */
static void phase_panel(const pki_report_source *s, const char *id, const char *title, const pki_svg_axis *x,
                        const pki_svg_axis *y, const double *time, const double *q, const double *u, int n)
{
  enum { LAST = 2 }; /* s */
  int from = 0;
  while (s->to - s->from > 2 * LAST && from < n - 1 && time[from] < s->to - LAST) {
    from++;
  }
  pki_svg_series series[2];
  int count = 0;
  if (from > 0) {
    series[count++] = (pki_svg_series){.x = q, .y = u, .n = from + 1, .color = PKI_INK_PALE};
  }
  series[count++] = (pki_svg_series){.x = q + from, .y = u + from, .n = n - from, .color = PKI_INK_MAIN};
  pki_svg_panel panel = {.title = title, .x = *x, .y = *y, .series = series, .nseries = count};
  double least, most;
  range_of(q, n, &least, &most);
  if (most > least) { /* some air on both sides */
    panel.x.least = least - 0.04 * (most - least);
    panel.x.most = most + 0.04 * (most - least);
  }
  const pki_svg_figure figure = {
      .id = id, .panels = &panel, .npanels = 1, .width = 350, .height = 230, .compact = true};
  pki_report_panel(s->report, &figure);
}

/* Pitch against its rate, wy cos(roll) - wz sin(roll). */
static pk_status pitch_panel(const pki_report_source *s, pk_error *err)
{
  static const double degree = 57.29577951308232;
  int count = 0, index = 0;
  const pk_recorder_channel *channels = pk_recording_channels(s->recording, &count);
  while (index < count && strncmp(channels[index].name, "trunk/", strlen("trunk/")) != 0) {
    index++;
  }
  pki_curves c = {0};
  pk_status status = index < count ? pki_curves_read(s->recording, channels[index].name, &c, err) : PK_OK;
  const int roll = pki_curves_find(&c, "roll"), pitch = pki_curves_find(&c, "pitch"),
            wy = pki_curves_find(&c, "wy"), wz = pki_curves_find(&c, "wz");
  if (status == PK_OK && c.n > 1 && roll >= 0 && pitch >= 0 && wy >= 0 && wz >= 0 &&
      pki_curve_moves(&c, pitch)) {
    double *angle = c.values + (size_t)pitch * (size_t)c.n, *rate = c.values + (size_t)wy * (size_t)c.n;
    for (int i = 0; i < c.n; i++) {
      const double r = pki_curve(&c, roll)[i];
      rate[i] = degree * (rate[i] * cos(r) - pki_curve(&c, wz)[i] * sin(r));
      angle[i] *= degree;
    }
    const pki_svg_axis x = {.label = "pitch", .unit = "°"}, y = {.label = "rate", .unit = "°/s"};
    phase_panel(s, "phase-pitch", "Trunk pitch", &x, &y, c.time, angle, rate, c.n);
  }
  pki_curves_free(&c);
  return status;
}

pk_status pki_report_phase(const pki_report_source *s, pk_error *err)
{
  motion m;
  pk_status status = read_motion(s, &m, err);
  if (status == PK_OK && m.q.n > 1 && m.q.n == m.u.n) {
    pki_report_section(s->report, "phase", "Phase plots");
    pki_report_panels_begin(s->report);
    status = pitch_panel(s, err);
    for (int i = 0; i < s->njoint && i < PANELS; i++) {
      const pki_report_joint *j = &s->joints[i];
      char id[32];
      snprintf(id, sizeof id, "phase-%d", i);
      const pki_svg_axis x = {.label = j->length ? "position" : "angle", .unit = j->length ? "m" : "rad"},
                         y = {.label = "rate", .unit = j->length ? "m/s" : "rad/s"};
      if (j->q >= 0 && j->u >= 0) {
        phase_panel(s, id, j->name, &x, &y, m.q.time, pki_curve(&m.q, j->q), pki_curve(&m.u, j->u), m.q.n);
      }
    }
    pki_report_panels_end(s->report, s->to - s->from > 4
                                         ? "Angle against its rate; the last two seconds stand out."
                                         : "Angle against its rate.");
  }
  free_motion(&m);
  return status;
}
