/* What joints carried: the largest force and the largest moment of each, with their components. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/report_data.h"

/* The sample at which three columns are largest together. */
static int peak_of(const pki_curves *c, int first, double *size)
{
  int at = 0;
  *size = 0;
  for (int i = pki_curves_first(c); i < c->n; i++) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
      square += pki_curve(c, first + k)[i] * pki_curve(c, first + k)[i];
    }
    if (sqrt(square) > *size) {
      *size = sqrt(square), at = i;
    }
  }
  return at;
}

static void load_row(const pki_curves *c, int first, pki_table *table)
{
  enum { COLUMNS = 7, ROOM = 64 };
  char cells[COLUMNS][ROOM];
  const char *const name = c->channel->column[first], *const dot = strrchr(name, '.');
  snprintf(cells[0], ROOM, "%.*s", dot != NULL ? (int)(dot - name) : (int)strlen(name), name);
  for (int part = 0; part < 2; part++) {
    const int from = first + 3 * part;
    double size;
    const int at = peak_of(c, from, &size);
    snprintf(cells[1 + 3 * part], ROOM, "%.4g", size);
    snprintf(cells[2 + 3 * part], ROOM, "%.4g, %.4g, %.4g", pki_curve(c, from)[at],
             pki_curve(c, from + 1)[at], pki_curve(c, from + 2)[at]);
    snprintf(cells[3 + 3 * part], ROOM, "%.3f", c->time[at]);
  }
  const char *row[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) {
    row[k] = cells[k];
  }
  pki_table_row(table, row);
}

pk_status pki_report_loads(const pki_report_source *s, pk_error *err)
{
  static const char *const heads[] = {"joint",        "force (N)",   "its x, y, z", "at (s)",
                                      "moment (N m)", "its x, y, z", "at (s)"};
  pki_curves c;
  const pk_status status = pki_curves_read(s->recording, "joints/load", &c, err);
  if (status == PK_OK && c.n > 0) {
    pki_table table;
    pki_table_begin(&table, heads, 7);
    for (int k = 0; k + 6 <= c.columns; k += 6) {
      load_row(&c, k, &table);
    }
    pki_report_section(s->report, "loads", "Joint loads");
    pki_report_table(s->report, &table);
    pki_report_note(
        s->report,
        "Largest force and largest moment that each joint put on what it moves, in the axes of that "
        "link at the joint. Along the joint's axis it is what the motor makes; the rest loads the bearing. "
        "All "
        "at the recorded samples.");
    pki_table_free(&table);
  }
  pki_curves_free(&c);
  return status;
}
