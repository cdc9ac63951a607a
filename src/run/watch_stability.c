/* Stability of the first robot along a run: the sums of the result, and the channels `stability/...`. */
#include <math.h>
#include <string.h>

#include "run/channel_columns.h"
#include "stability/stability.h"

pk_status pki_watch_stability_begin(pki_watch *w, pki_run_result *r, pk_error *err)
{
  const pki_scenario *s = w->world->scenario;
  if (!s->has_stability || w->model->nrobot == 0) {
    return PK_OK;
  }
  r->has_stability = true;
  return pk_stability_meter_create(w->world->sim, 0, &s->stability, &w->stability, err);
}

void pki_watch_stability_step(const pki_watch *w, pki_run_result *r)
{
  if (w->stability != NULL) {
    pk_stability_meter_step(w->stability);
    r->stability = *pk_stability_meter_sum(w->stability);
  }
}

void pki_watch_stability_restore(const pki_watch *w, const pki_run_result *r)
{
  if (w->stability != NULL) {
    *pk_stability_meter_sum(w->stability) = r->stability;
    pk_stability_meter_begin(w->stability);
  }
}

/* ---- what a run comes to ---- */

double pki_run_least_margin(const pki_run_result *r, pk_stability_measure measure)
{
  return r->has_stability ? pk_stability_least(&r->stability, measure) : NAN;
}

double pki_run_mean_margin(const pki_run_result *r, pk_stability_measure measure)
{
  return r->has_stability ? pk_stability_mean(&r->stability, measure) : NAN;
}

double pki_run_js1(const pki_run_result *r)
{
  return r->has_stability && r->stability.supported > 0 ? r->stability.js1 : NAN;
}

double pki_run_mean_js1(const pki_run_result *r)
{
  return r->has_stability ? pk_stability_mean_js1(&r->stability) : NAN;
}

double pki_run_js2(const pki_run_result *r)
{
  return r->has_stability ? pk_stability_js2(&r->stability) : NAN;
}

/* ---- channels ---- */

/* The measure of the channel that is read or described. */
static int measure_of(const pki_channel_reader *t, int channel)
{
  return t->row[channel]->measure - 1;
}

static bool is_measured(const pki_channel_reader *t, int measure)
{
  return t->watch->stability != NULL && (t->watch->world->scenario->stability.measures >> measure & 1) != 0;
}

void pki_describe_measure(pki_channel_reader *t, int channel)
{
  const int measure = measure_of(t, channel);
  if (is_measured(t, measure)) {
    for (const pki_stability_column *c = pki_stability_rows[measure]->columns; c->name != NULL; c++) {
      pki_add_column(t, channel, c->unit, "%s", c->name);
    }
  }
}

int pki_read_measure(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pk_stability *now = pk_stability_meter_last(t->watch->stability);
  const pki_stability_column *columns = pki_stability_rows[measure_of(t, t->reading)]->columns;
  for (int k = 0; columns[k].name != NULL; k++) {
    out[k] = pki_stability_value(now, &columns[k]);
  }
  return 1;
}

void pki_describe_edges(pki_channel_reader *t, int channel)
{
  if (t->watch->stability != NULL) {
    PKI_COLUMNS(t, channel, {"from_x", "m"}, {"from_y", "m"}, {"from_z", "m"}, {"to_x", "m"}, {"to_y", "m"},
                {"to_z", "m"}, {"kind", ""}, {"branch", ""}, {"H", "kg m^2/s"}, {"H_ref", "kg m^2/s"},
                {"H_max", "kg m^2/s"}, {"s_h", "kg m^2/s"});
  }
}

int pki_read_edges(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pk_stability *now = pk_stability_meter_last(t->watch->stability);
  for (int i = 0; i < now->nedge; i++, out += 12) {
    const pk_stability_edge *e = &now->edges[i];
    memcpy(out, e->from, sizeof e->from);
    memcpy(out + 3, e->to, sizeof e->to);
    out[6] = e->kind, out[7] = e->branch;
    out[8] = e->H, out[9] = e->H_ref, out[10] = e->H_max, out[11] = e->s_h;
  }
  return now->nedge;
}
