/* The trunk and the feet: where the robot is, how it stands on the ground. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/report_data.h"

static const double degree = 57.29577951308232;

/* ---- trunk ---- */

enum { ROBOTS = 7 }; /* as many as there are colours */

/* What is shown of a trunk, in the order of the page. */
static const struct {
  const char *column, *title;
  bool angle;
} parts[] = {
    {"x", "x (m)", false},
    {"y", "y (m)", false},
    {"z", "z, the height (m)", false},
    {"roll", "Roll (°)", true},
    {"pitch", "Pitch (°)", true},
    {"yaw", "Yaw (°)", true},
    {"vx", "Velocity along x (m/s)", false},
    {"vy", "Velocity along y (m/s)", false},
    {"vz", "Velocity along z (m/s)", false},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static void scale_column(pki_curves *c, int column, double by)
{
  double *v = c->values + (size_t)column * (size_t)c->n;
  for (int i = 0; i < c->n; i++) {
    v[i] *= by;
  }
}

/* A turn past 180 degrees goes on; the line does not jump. */
static void unwrap_angle(pki_curves *c, int column)
{
  double *v = c->values + (size_t)column * (size_t)c->n, turns = 0;
  for (int i = 1; i < c->n; i++) {
    const double was = v[i - 1], is = v[i] + turns;
    turns -= 360 * round((is - was) / 360);
    v[i] += turns;
  }
}

static void trunk_panels(const pki_report_source *s, const pki_curves *robots, int nrobot)
{
  pki_report_panels_begin(s->report);
  for (int p = 0; p < PARTS; p++) {
    pki_svg_series series[ROBOTS];
    int n = 0;
    for (int r = 0; r < nrobot; r++) {
      const int column = pki_curves_find(&robots[r], parts[p].column);
      if (column >= 0) {
        series[n] = (pki_svg_series){.name = nrobot > 1 ? robots[r].channel->name + strlen("trunk/") : NULL,
                                     .x = robots[r].time,
                                     .y = pki_curve(&robots[r], column),
                                     .n = robots[r].n,
                                     .color = r + 1};
        n++;
      }
    }
    char id[32];
    snprintf(id, sizeof id, "trunk-%d", p);
    const pki_svg_panel panel = {
        .title = parts[p].title, .x = s->time, .series = series, .nseries = n, .time = true};
    if (n > 0) {
      pki_report_panel(
          s->report,
          &(pki_svg_figure){
              .id = id, .panels = &panel, .npanels = 1, .width = 350, .height = 200, .compact = true});
    }
  }
}

/* A root that is fixed in the world stays out. */
static bool root_moves(const pki_curves *c)
{
  for (int k = 0; k < c->columns; k++) {
    if (pki_curve_moves(c, k)) {
      return true;
    }
  }
  return false;
}

pk_status pki_report_trunk(const pki_report_source *s, pk_error *err)
{
  pki_curves robots[ROBOTS] = {0};
  int count = 0, nrobot = 0, all = 0;
  const pk_recorder_channel *channels = pk_recording_channels(s->recording, &count);
  pk_status status = PK_OK;
  for (int i = 0; i < count && status == PK_OK; i++) {
    if (strncmp(channels[i].name, "trunk/", strlen("trunk/")) != 0) {
      continue;
    }
    pki_curves robot;
    status = pki_curves_read(s->recording, channels[i].name, &robot, err);
    const bool shown = root_moves(&robot);
    all += shown;
    if (shown && nrobot < ROBOTS) {
      robots[nrobot++] = robot;
    } else {
      pki_curves_free(&robot);
    }
  }
  for (int r = 0; r < nrobot; r++) {
    for (int p = 0; p < PARTS; p++) {
      const int column = pki_curves_find(&robots[r], parts[p].column);
      if (column >= 0 && parts[p].angle) {
        scale_column(&robots[r], column, degree);
        unwrap_angle(&robots[r], column);
      }
    }
  }
  if (status == PK_OK && nrobot > 0) {
    char caption[256];
    snprintf(
        caption, sizeof caption,
        "Place, attitude (yaw about z, then pitch about y, then roll about x) and velocity of the root link "
        "in the world%s.",
        all > nrobot ? "; the first robots only" : "");
    pki_report_section(s->report, "trunk", "Trunk");
    trunk_panels(s, robots, nrobot);
    pki_report_panels_end(s->report, caption);
  }
  for (int r = 0; r < ROBOTS; r++) {
    pki_curves_free(&robots[r]);
  }
  return status;
}

/* ---- feet ---- */

enum { FEET = 16 };

/* When a foot was on the ground: from the sample before a force to the last one with it. */
typedef struct stance {
  char name[96];
  int column, n;
  double *from, *to;
  double time; /* s, of all */
} stance;

static bool find_stance(const pki_curves *c, stance *foot)
{
  const double *normal = pki_curve(c, foot->column);
  foot->from = malloc(((size_t)c->n + 1) * sizeof *foot->from);
  foot->to = malloc(((size_t)c->n + 1) * sizeof *foot->to);
  if (foot->from == NULL || foot->to == NULL) {
    return false;
  }
  for (int i = 1; i < c->n; i++) {
    if (!(normal[i] > 0)) {
      continue;
    }
    if (foot->n > 0 && foot->to[foot->n - 1] == c->time[i - 1]) {
      foot->to[foot->n - 1] = c->time[i];
    } else {
      foot->from[foot->n] = c->time[i - 1];
      foot->to[foot->n++] = c->time[i];
    }
    foot->time += c->time[i] - c->time[i - 1];
  }
  return true;
}

static void force_figure(const pki_report_source *s, const pki_curves *c, const stance *feet, int nfoot)
{
  pki_svg_series series[FEET];
  pki_svg_panel panels[FEET];
  char titles[FEET][112];
  const int start = pki_curves_first(c);
  double most = 0;
  for (int i = 0; i < nfoot; i++) {
    for (int k = 0; k < c->n; k++) {
      most = fmax(most, pki_curve(c, feet[i].column)[k]);
    }
  }
  for (int i = 0; i < nfoot; i++) {
    series[i] = (pki_svg_series){.x = c->time + start,
                                 .y = pki_curve(c, feet[i].column) + start,
                                 .n = c->n - start,
                                 .color = i % 6 + 1};
    snprintf(titles[i], sizeof titles[i], "%s (N)", feet[i].name);
    panels[i] = (pki_svg_panel){.title = titles[i],
                                .x = s->time,
                                .y = {.least = -0.03 * most, .most = 1.05 * most},
                                .series = &series[i],
                                .nseries = 1,
                                .time = true};
  }
  const pki_svg_figure figure = {.id = "feet",
                                 .panels = panels,
                                 .npanels = nfoot,
                                 .columns = 1,
                                 .width = 1040,
                                 .height = 125,
                                 .compact = true,
                                 .share_x = true};
  pki_report_figure(s->report, &figure,
                    "Force of the ground on each foot, along the contact normals; one scale for all.");
}

static void gait_figure(const pki_report_source *s, const stance *feet, int nfoot)
{
  enum { LONG = 8, SHORT = 4 }; /* s */
  pki_svg_series series[FEET];
  const char *names[FEET];
  char caption[640];
  size_t used = (size_t)snprintf(caption, sizeof caption,
                                 "Stance: where the ground pushes a foot. Share of the time on the ground:");
  for (int i = 0; i < nfoot; i++) {
    names[i] = feet[i].name;
    series[i] = (pki_svg_series){.x = feet[i].from,
                                 .y = feet[i].to,
                                 .n = feet[i].n,
                                 .style = PKI_SVG_BARS,
                                 .color = i % 6 + 1,
                                 .row = i};
    const int n = snprintf(caption + used, sizeof caption - used, "%s %s %.2f", i > 0 ? "," : "",
                           feet[i].name, feet[i].time / fmax(s->to - s->from, 1e-12));
    used = n > 0 && used + (size_t)n < sizeof caption ? used + (size_t)n : used;
  }
  snprintf(caption + used, sizeof caption - used, ".");
  /* long runs also show their last strides */
  const bool two = s->to - s->from > LONG;
  pki_svg_panel panels[2];
  for (int i = 0; i < 2; i++) {
    panels[i] = (pki_svg_panel){.title = two && i > 0 ? "The end"
                                         : two        ? "The whole run"
                                                      : NULL,
                                .x = s->time,
                                .series = series,
                                .nseries = nfoot,
                                .rows = names,
                                .nrow = nfoot,
                                .time = true};
  }
  panels[1].x.least = s->to - SHORT;
  const pki_svg_figure figure = {.id = "gait",
                                 .panels = panels,
                                 .npanels = two ? 2 : 1,
                                 .columns = 1,
                                 .width = 1040,
                                 .height = 64 + 24.0 * nfoot,
                                 .compact = true};
  pki_report_subheading(s->report, "Gait diagram");
  pki_report_figure(s->report, &figure, caption);
}

pk_status pki_report_feet(const pki_report_source *s, pk_error *err)
{
  pki_curves c;
  pk_status status = pki_curves_read(s->recording, "feet", &c, err);
  stance *feet = calloc(FEET, sizeof *feet);
  bool good = feet != NULL;
  int nfoot = 0, all = 0;
  static const char ending[] = ".normal";
  for (int k = 0; k < c.columns && c.n > 1 && good; k++) {
    const char *name = c.channel->column[k];
    const size_t length = strlen(name), tail = sizeof ending - 1;
    if (length <= tail || strcmp(name + length - tail, ending) != 0 || !pki_curve_moves(&c, k)) {
      continue; /* it never touched the ground */
    }
    all++;
    if (nfoot < FEET) {
      feet[nfoot].column = k;
      snprintf(feet[nfoot].name, sizeof feet[nfoot].name, "%.*s", (int)(length - tail), name);
      good = find_stance(&c, &feet[nfoot++]);
    }
  }
  if (good && nfoot > 0) {
    pki_report_section(s->report, "feet", "Feet");
    if (all > nfoot) {
      char text[96];
      snprintf(text, sizeof text, "The first %d of %d feet.", nfoot, all);
      pki_report_paragraph(s->report, text);
    }
    force_figure(s, &c, feet, nfoot);
    gait_figure(s, feet, nfoot);
  }
  for (int i = 0; feet != NULL && i < nfoot; i++) {
    free(feet[i].from);
    free(feet[i].to);
  }
  free(feet);
  pki_curves_free(&c);
  return status != PK_OK || good ? status : pki_fail_memory(err, "the report");
}
