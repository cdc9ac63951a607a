/* How far off the trunk was that the controller saw, along the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "pronk/builder.h"
#include "run/report_data.h"

enum { ERRORS = 3, COLUMNS = 9 };

/* Place, roll, pitch and yaw, velocity: the columns of a trunk at one time. */
static void read_trunk(const pki_curves *c, const int columns[COLUMNS], int i, double out[COLUMNS])
{
  for (int k = 0; k < COLUMNS; k++) {
    out[k] = pki_curve(c, columns[k])[i];
  }
}

static bool find_columns(const pki_curves *c, int out[COLUMNS])
{
  static const char *const names[COLUMNS] = {"x", "y", "z", "roll", "pitch", "yaw", "vx", "vy", "vz"};
  bool all = true;
  for (int k = 0; k < COLUMNS; k++) {
    out[k] = pki_curves_find(c, names[k]);
    all = all && out[k] >= 0;
  }
  return all;
}

/* m/s in the trunk's axes, degrees between the verticals, m: as the summary counts them. */
static void compare_trunks(const double seen[COLUMNS], const double is[COLUMNS], double out[ERRORS])
{
  static const double degree = 57.29577951308232;
  const pk_pose S = pk_pose_from_xyz_rpy(seen, seen + 3), R = pk_pose_from_xyz_rpy(is, is + 3);
  double felt[3], v[3], off[3];
  pki_mat3_apply_transposed(S.rot, seen + 6, felt);
  pki_mat3_apply_transposed(R.rot, is + 6, v);
  pki_sub3(felt, v, off);
  out[0] = pki_length3(off);
  pki_sub3(S.rot + 6, R.rot + 6, off);
  out[1] = degree * 2 * asin(fmin(1, 0.5 * pki_length3(off)));
  pki_sub3(seen, is, off);
  out[2] = pki_length3(off);
}

static void draw_errors(const pki_report_source *s, const pki_curves *c, const double *errors)
{
  static const char *const titles[ERRORS] = {"Velocity (m/s)", "Tilt (°)", "Place (m)"};
  pki_svg_series series[ERRORS];
  pki_svg_panel panels[ERRORS];
  for (int k = 0; k < ERRORS; k++) {
    series[k] = (pki_svg_series){
        .x = c->time, .y = errors + (size_t)k * (size_t)c->n, .n = c->n, .color = PKI_INK_MAIN};
    panels[k] =
        (pki_svg_panel){.title = titles[k], .x = s->time, .series = &series[k], .nseries = 1, .time = true};
  }
  const pki_svg_figure figure = {.id = "estimate",
                                 .panels = panels,
                                 .npanels = ERRORS,
                                 .columns = 1,
                                 .width = 1040,
                                 .height = 165,
                                 .compact = true,
                                 .share_x = true};
  pki_report_section(s->report, "estimate", "Trunk as seen");
  pki_report_figure(s->report, &figure,
                    "How far the trunk that the controller saw was from the true one: velocity in the axes "
                    "of the trunk, angle between the verticals, distance. The distance drifts, since no "
                    "sensor on board shows where in the world it is.");
}

/* The channel of the first robot's trunk; NULL: there is none. */
static const char *find_trunk(const pki_report_source *s)
{
  int count = 0;
  const pk_recorder_channel *channels = pk_recording_channels(s->recording, &count);
  for (int i = 0; i < count; i++) {
    if (strncmp(channels[i].name, "trunk/", strlen("trunk/")) == 0) {
      return channels[i].name;
    }
  }
  return NULL;
}

pk_status pki_report_estimate(const pki_report_source *s, pk_error *err)
{
  const char *trunk = find_trunk(s);
  pki_curves seen = {0}, is = {0};
  int at[2][COLUMNS];
  if (trunk == NULL) {
    return PK_OK;
  }
  pk_status status = pki_curves_read(s->recording, "estimate", &seen, err);
  status = status == PK_OK ? pki_curves_read(s->recording, trunk, &is, err) : status;
  if (status == PK_OK && seen.n > 1 && seen.n == is.n && find_columns(&seen, at[0]) &&
      find_columns(&is, at[1])) {
    double *errors = malloc(ERRORS * (size_t)seen.n * sizeof *errors);
    for (int i = 0; i < seen.n && errors != NULL; i++) {
      double a[COLUMNS], b[COLUMNS], off[ERRORS];
      read_trunk(&seen, at[0], i, a);
      read_trunk(&is, at[1], i, b);
      compare_trunks(a, b, off);
      for (int k = 0; k < ERRORS; k++) {
        errors[(size_t)k * (size_t)seen.n + (size_t)i] = off[k];
      }
    }
    if (errors != NULL) {
      draw_errors(s, &seen, errors);
    }
    status = errors != NULL ? PK_OK : pki_fail_memory(err, "the report");
    free(errors);
  }
  pki_curves_free(&seen);
  pki_curves_free(&is);
  return status;
}
