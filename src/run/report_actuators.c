/* Actuators: where their energy went, each against its motor's line, and what was asked of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/json.h"
#include "run/report_data.h"

/* ---- the flow ---- */

enum { FLOW_ROWS = 16 };

/* Bars that begin where the last one ended: what comes in goes up, what goes out comes down, to zero. */
typedef struct waterfall {
  char names[FLOW_ROWS][80];
  double from[FLOW_ROWS], to[FLOW_ROWS];
  int colors[FLOW_ROWS];
  int n;
  double level, scale;
} waterfall;

/* One more bar; what is next to nothing beside the largest is left out, and stays in the sum. */
static void add_flow(waterfall *w, const char *name, double joules, int color)
{
  const double end = w->level + joules;
  w->scale = fmax(w->scale, fabs(joules));
  if (w->n < FLOW_ROWS && fabs(joules) > 1e-6 * w->scale) {
    snprintf(w->names[w->n], sizeof w->names[0], "%s %.4g J", name, joules);
    w->from[w->n] = fmin(w->level, end), w->to[w->n] = fmax(w->level, end);
    w->colors[w->n++] = color;
  }
  w->level = end;
}

/* The last value of a column, less its first; 0: there is none. */
static double change_of(const pki_curves *c, const char *column)
{
  const int k = pki_curves_find(c, column);
  return k >= 0 && c->n > 0 ? pki_curve(c, k)[c->n - 1] - pki_curve(c, k)[0] : 0;
}

static void build_flow(const pki_curves *flow, const pki_curves *battery, const pki_curves *energy,
                       waterfall *w)
{
  enum { IN = 3, HEAT = 2, STORED = 1, WORK = 5, REST = 6 };
  const double mechanical = change_of(flow, "mechanical"), gear = change_of(flow, "gear");
  const double bodies = change_of(energy, "kinetic") + change_of(energy, "potential");
  const double pushes = change_of(energy, "push_work"),
               commands = change_of(energy, "joint_work") - mechanical - gear;
  const bool whole = energy->n > 1;
  if (battery->n > 1) {
    add_flow(w, "battery", change_of(battery, "given") + change_of(battery, "overdrawn"), IN);
    add_flow(w, "lost in the battery", -change_of(battery, "lost"), HEAT);
    add_flow(w, "brake", -change_of(battery, "braked"), HEAT);
  } else {
    add_flow(w, "electrical", change_of(flow, "electrical"), IN);
  }
  add_flow(w, "other sources", change_of(flow, "other"), IN);
  add_flow(w, "commands without actuators", whole ? commands : 0, IN);
  add_flow(w, "pushes", whole ? pushes : 0, IN);
  add_flow(w, "Joule heat", -change_of(flow, "joule"), HEAT);
  add_flow(w, "friction of rotors", -change_of(flow, "viscous") - change_of(flow, "rotor_friction"), HEAT);
  add_flow(w, "friction of gears", -gear, HEAT);
  add_flow(w, "dampers of springs", -change_of(flow, "spring_damping"), HEAT);
  add_flow(w, "stored in motors and springs",
           -change_of(flow, "magnetic") - change_of(flow, "rotor") - change_of(flow, "spring"), STORED);
  add_flow(w, "numerical", -change_of(flow, "numerical"), REST);
  if (whole) {
    add_flow(w, "kinetic and potential", -bodies, STORED);
    add_flow(w, "contact, joints, impacts", bodies - mechanical - commands - pushes, HEAT);
  } else {
    add_flow(w, "work on joints", -mechanical, WORK);
  }
}

static void draw_flow(const pki_report_source *s, const waterfall *w)
{
  pki_svg_series series[FLOW_ROWS];
  const char *rows[FLOW_ROWS];
  for (int i = 0; i < w->n; i++) {
    rows[i] = w->names[i];
    series[i] = (pki_svg_series){
        .x = &w->from[i], .y = &w->to[i], .n = 1, .style = PKI_SVG_BARS, .color = w->colors[i], .row = i};
  }
  const pki_svg_panel panel = {
      .x = {.label = "energy", .unit = "J"}, .series = series, .nseries = w->n, .rows = rows, .nrow = w->n};
  const pki_svg_figure figure = {.id = "energy-flow",
                                 .panels = &panel,
                                 .npanels = 1,
                                 .width = 1040,
                                 .height = 60 + 26.0 * w->n,
                                 .compact = true};
  char caption[400];
  snprintf(
      caption, sizeof caption,
      "Energy flow of the run: each bar begins where the one above ends, sources to the right, losses and "
      "what is stored to the left. They sum to %.1e J. Numerical: what the time steps lose, or gain.",
      w->level);
  pki_report_figure(s->report, &figure, caption);
}

static pk_status flow_figure(const pki_report_source *s, const pki_curves *flow, pk_error *err)
{
  pki_curves battery = {0}, energy = {0};
  pk_status status = pki_curves_read(s->recording, "battery", &battery, err);
  status = status == PK_OK ? pki_curves_read(s->recording, "energy", &energy, err) : status;
  if (status == PK_OK) {
    waterfall w = {.n = 0};
    build_flow(flow, &battery, &energy, &w);
    if (w.n > 1) {
      draw_flow(s, &w);
    }
  }
  pki_curves_free(&battery);
  pki_curves_free(&energy);
  return status;
}

/* ---- torque against speed ---- */

/* A motor of actuators.json; limits that there are not are NAN. */
typedef struct motor {
  char name[128];
  bool slides;                                   /* it drives a joint that slides: m/s and N */
  double constant, resistance, voltage, current; /* at the joint's side of the gear */
} motor;

static motor read_motor(pki_json item)
{
  motor m = {.constant = pki_json_real(pki_json_member(item, "constant")),
             .resistance = pki_json_real(pki_json_member(item, "resistance")),
             .voltage = pki_json_real(pki_json_member(item, "voltage")),
             .current = pki_json_real(pki_json_member(item, "current"))};
  pki_json_text(pki_json_member(item, "name"), m.name, sizeof m.name);
  return m;
}

/* The largest torque in the direction of `sign` at the speed w: the lesser of what voltage and current allow. */
static double line_at(const motor *m, double sign, double w)
{
  const double volts = m->constant * (m->voltage - sign * m->constant * w) / m->resistance;
  return sign * fmin(volts, m->constant * m->current); /* fmin passes over what is NAN */
}

enum { LINE = 101 };

/* The cloud, and both sides of the motor's line; the axis reaches to its no-load speed where that is not far away. */
static void cloud_panel(const pki_report_source *s, int index, const motor *m, const double *speed,
                        const double *current, int n, double *torque)
{
  double most = 1e-3, x[LINE], lines[2][LINE];
  for (int i = 0; i < n; i++) {
    torque[i] = m->constant * current[i];
    most = fmax(most, 1.15 * fabs(speed[i]));
  }
  const double no_load = 1.05 * m->voltage / m->constant;
  most = no_load > most && no_load < 4 * most ? no_load : most;
  for (int i = 0; i < LINE; i++) {
    x[i] = most * (2.0 * i / (LINE - 1) - 1);
    lines[0][i] = line_at(m, 1, x[i]), lines[1][i] = line_at(m, -1, x[i]);
  }
  const pki_svg_series series[] = {
      {.x = speed, .y = torque, .n = n, .style = PKI_SVG_POINTS, .color = PKI_INK_MAIN},
      {.x = x, .y = lines[0], .n = LINE, .style = PKI_SVG_DASHED, .color = PKI_INK_LIMIT},
      {.x = x, .y = lines[1], .n = LINE, .style = PKI_SVG_DASHED, .color = PKI_INK_LIMIT}};
  const pki_svg_panel panel = {
      .title = m->name,
      .x = {.label = "speed", .unit = m->slides ? "m/s" : "rad/s", .least = -most, .most = most},
      .y = {.label = m->slides ? "force" : "torque", .unit = m->slides ? "N" : "N m"},
      .series = series,
      .nseries = 3};
  char id[40];
  snprintf(id, sizeof id, "motor-%d", index);
  const pki_svg_figure figure = {
      .id = id, .panels = &panel, .npanels = 1, .width = 350, .height = 230, .compact = true};
  pki_report_panel(s->report, &figure);
}

static pk_status cloud_panels(const pki_report_source *s, const pki_curves *current, const pki_curves *speed,
                              pk_error *err)
{
  enum { PANELS = 36 };
  const pk_recorder_attachment *list = pk_recording_attachment(s->recording, "actuators.json");
  if (list == NULL || current->n < 2 || current->n != speed->n) {
    return PK_OK;
  }
  double *torque = malloc((size_t)current->n * sizeof *torque);
  if (torque == NULL) {
    return pki_fail_memory(err, "the report");
  }
  int shown = 0;
  for (pki_json all = pki_json_begin(list->data, list->size), item = {0};
       shown < PANELS && pki_json_next(all, &item);) {
    motor m = read_motor(item);
    const int i = pki_curves_find(current, m.name), w = pki_curves_find(speed, m.name);
    if (i < 0 || w < 0 || !(m.constant > 0)) {
      continue;
    }
    m.slides = strcmp(speed->channel->unit[w], "m/s") == 0;
    if (shown++ == 0) {
      pki_report_subheading(s->report, "Torque against speed");
      pki_report_panels_begin(s->report);
    }
    cloud_panel(s, shown, &m, pki_curve(speed, w), pki_curve(current, i), current->n, torque);
  }
  if (shown > 0) {
    pki_report_panels_end(s->report, "Torque of each motor (force, of joints that slide) against its speed, "
                                     "both at the joint's side of the gear, at all recorded "
                                     "samples; dashed: what its voltage and its current allow at 25 °C.");
  }
  free(torque);
  return PK_OK;
}

/* ---- each of them ---- */

static double largest(const pki_curves *c, const char *column)
{
  const int k = pki_curves_find(c, column);
  double most = NAN;
  for (int i = 0; k >= 0 && i < c->n; i++) {
    most = fmax(most, fabs(pki_curve(c, k)[i]));
  }
  return most;
}

/* Channels of the table, whether a column is the largest value or the change over the run, and whether its unit
 * differs from actuator to actuator, so that it stands in the cells. */
static const struct {
  const char *head, *channel, *format;
  bool peak, unit;
} cells_of[] = {{"current (A)", "actuators/current", "%.4g", true, false},
                {"voltage (V)", "actuators/voltage", "%.4g", true, false},
                {"winding (°C)", "actuators/temperature", "%.1f", true, false},
                {"spring", "actuators/spring_deflection", "%.4g", true, true},
                {"electrical (J)", "actuators/electrical_energy", "%.4g", false, false},
                {"Joule heat (J)", "actuators/joule_heat", "%.4g", false, false},
                {"work (J)", "actuators/work", "%.4g", false, false}};
enum { CELLS = sizeof cells_of / sizeof cells_of[0] };

/* One cell: what a column of a channel came to. */
static void write_cell(char *out, size_t size, int cell, const pki_curves *c, const char *actuator)
{
  const double value = cells_of[cell].peak ? largest(c, actuator) : change_of(c, actuator);
  const int k = pki_curves_find(c, actuator);
  snprintf(out, size, isfinite(value) ? cells_of[cell].format : "—", value);
  if (isfinite(value) && cells_of[cell].unit && k >= 0) {
    const size_t used = strlen(out);
    snprintf(out + used, size - used, " %s", c->channel->unit[k]);
  }
}

static void actuator_rows(const pki_report_source *s, const pki_curves curves[CELLS])
{
  const pki_curves *all = &curves[CELLS - 1]; /* every actuator does work */
  const char *heads[CELLS + 1] = {"actuator"};
  pki_table table;
  for (int c = 0; c < CELLS; c++) {
    heads[c + 1] = cells_of[c].head;
  }
  pki_table_begin(&table, heads, CELLS + 1);
  for (int i = 0; i < all->columns; i++) {
    char text[CELLS][32];
    const char *row[CELLS + 1] = {all->channel->column[i]};
    for (int c = 0; c < CELLS; c++) {
      write_cell(text[c], sizeof text[c], c, &curves[c], row[0]);
      row[c + 1] = text[c];
    }
    pki_table_row(&table, row);
  }
  pki_report_table(s->report, &table);
  pki_report_note(s->report, "Largest current, voltage, temperature and deflection at the recorded samples; "
                             "energies of the whole run.");
  pki_table_free(&table);
}

static pk_status actuator_table(const pki_report_source *s, pk_error *err)
{
  pki_curves curves[CELLS] = {{0}};
  pk_status status = PK_OK;
  for (int c = 0; c < CELLS && status == PK_OK; c++) {
    status = pki_curves_read(s->recording, cells_of[c].channel, &curves[c], err);
  }
  if (status == PK_OK && curves[CELLS - 1].n > 0) {
    actuator_rows(s, curves);
  }
  for (int c = 0; c < CELLS; c++) {
    pki_curves_free(&curves[c]);
  }
  return status;
}

pk_status pki_report_actuators(const pki_report_source *s, pk_error *err)
{
  pki_curves flow = {0}, current = {0}, speed = {0};
  pk_status status = pki_curves_read(s->recording, "actuators/energy", &flow, err);
  status = status == PK_OK ? pki_curves_read(s->recording, "actuators/current", &current, err) : status;
  status = status == PK_OK ? pki_curves_read(s->recording, "actuators/rotor_velocity", &speed, err) : status;
  if (status == PK_OK && (flow.n > 1 || current.n > 1)) {
    pki_report_section(s->report, "actuators", "Actuators");
    status = flow.n > 1 ? flow_figure(s, &flow, err) : PK_OK;
    status = status == PK_OK ? actuator_table(s, err) : status;
    status = status == PK_OK ? cloud_panels(s, &current, &speed, err) : status;
    status = status == PK_OK ? pki_report_motors(s, &current, err) : status;
  }
  pki_curves_free(&flow);
  pki_curves_free(&current);
  pki_curves_free(&speed);
  return status;
}
