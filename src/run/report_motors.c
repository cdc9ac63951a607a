/* Motors along the run: their currents, how warm their windings become, and the battery. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/json.h"
#include "run/report_data.h"

enum {
  PANELS = 36, /* small multiples that one page bears */
  LINES = 6    /* windings in one picture, as many as there are colours to tell apart */
};

/* A, what the motor of that name may draw, from actuators.json; infinite: no limit is told. */
static double current_limit(const pki_report_source *s, const char *name)
{
  const pk_recorder_attachment *list = pk_recording_attachment(s->recording, "actuators.json");
  for (pki_json all = list != NULL ? pki_json_begin(list->data, list->size) : (pki_json){0}, item = {0};
       list != NULL && pki_json_next(all, &item);) {
    char found[128];
    pki_json_text(pki_json_member(item, "name"), found, sizeof found);
    const double limit = pki_json_real(pki_json_member(item, "current"));
    if (strcmp(found, name) == 0 && isfinite(limit)) {
      return limit;
    }
  }
  return INFINITY;
}

static void current_panels(const pki_report_source *s, const pki_curves *c)
{
  const int start = pki_curves_first(c);
  if (c->n < 2) {
    return;
  }
  pki_report_subheading(s->report, "Currents");
  pki_report_panels_begin(s->report);
  for (int k = 0; k < c->columns && k < PANELS; k++) {
    const double limit = current_limit(s, c->channel->column[k]), limits[2] = {-limit, limit};
    char id[32];
    snprintf(id, sizeof id, "current-%d", k);
    pki_report_limited_panel(s, id, c->channel->column[k], "A", c->time + start, pki_curve(c, k) + start,
                             c->n - start, limits, 0.5 * limit);
  }
  pki_report_panels_end(s->report, c->columns > PANELS
                                       ? "Currents of the first motors; dashed: limits, where more than half "
                                         "of them was used."
                                       : "Currents; dashed: limits, where more than half of them was used.");
}

/* The columns that end highest, the first of them first, of those that change; how many. */
static int find_warmest(const pki_curves *c, int out[LINES])
{
  int count = 0;
  for (int k = 0; k < c->columns && c->n > 1; k++) {
    if (!pki_curve_moves(c, k)) {
      continue;
    }
    const double end = pki_curve(c, k)[c->n - 1];
    int at = count < LINES ? count++ : LINES;
    while (at > 0 && end > pki_curve(c, out[at - 1])[c->n - 1]) {
      if (at < LINES) {
        out[at] = out[at - 1];
      }
      at--;
    }
    if (at < LINES) {
      out[at] = k;
    }
  }
  return count;
}

/* Windings, then voltage and charge of the battery, one below the other. */
static void draw_supply(const pki_report_source *s, const pki_curves *warmth, const pki_curves *battery)
{
  static const char *const columns[][2] = {{"voltage", "Voltage of the bus (V)"},
                                           {"charge", "Charge taken from the battery (A s)"}};
  pki_svg_series windings[LINES], supply[2];
  pki_svg_panel panels[3];
  int warmest[LINES], count = 0;
  const int nwarm = find_warmest(warmth, warmest);
  for (int i = 0; i < nwarm; i++) {
    windings[i] = (pki_svg_series){.name = warmth->channel->column[warmest[i]],
                                   .x = warmth->time,
                                   .y = pki_curve(warmth, warmest[i]),
                                   .n = warmth->n,
                                   .color = i + 1};
  }
  if (nwarm > 0) {
    panels[count++] = (pki_svg_panel){.title = "Temperature of windings (°C)",
                                      .x = s->time,
                                      .series = windings,
                                      .nseries = nwarm,
                                      .time = true};
  }
  for (int i = 0; i < 2; i++) {
    const int k = pki_curves_find(battery, columns[i][0]);
    if (k >= 0 && battery->n > 1) {
      supply[i] = (pki_svg_series){
          .x = battery->time, .y = pki_curve(battery, k), .n = battery->n, .color = PKI_INK_MAIN};
      panels[count++] = (pki_svg_panel){
          .title = columns[i][1], .x = s->time, .series = &supply[i], .nseries = 1, .time = true};
    }
  }
  if (count > 0) {
    const pki_svg_figure figure = {.id = "supply",
                                   .panels = panels,
                                   .npanels = count,
                                   .columns = 1,
                                   .width = 1040,
                                   .height = 165,
                                   .compact = true,
                                   .share_x = true};
    pki_report_subheading(s->report, "Windings and battery");
    pki_report_figure(s->report, &figure,
                      nwarm > 0 && warmth->columns > nwarm
                          ? "Along the run; of windings those that end warmest."
                          : "Along the run.");
  }
}

pk_status pki_report_motors(const pki_report_source *s, const pki_curves *current, pk_error *err)
{
  pki_curves warmth = {0}, battery = {0};
  pk_status status = pki_curves_read(s->recording, "actuators/temperature", &warmth, err);
  status = status == PK_OK ? pki_curves_read(s->recording, "battery", &battery, err) : status;
  if (status == PK_OK) {
    current_panels(s, current);
    draw_supply(s, &warmth, &battery);
  }
  pki_curves_free(&warmth);
  pki_curves_free(&battery);
  return status;
}
