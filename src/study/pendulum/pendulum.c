/* The order of the pendulum study: motions, then rows, then the report. */
#include "study/pendulum/pendulum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/study_verdict.h"

enum { PEERS_MAX = 16, PEER_COST = 4 };

const char pki_pendulum_no_peer[] = "ODE's plugin was not found: install libode-dev, then run make";
const char pki_pendulum_left_out[] = "left out by --quick";

const double pki_pendulum_dt[PKI_PENDULUM_STEPS] = {1e-2, 1e-4, 1e-6};

const pki_pendulum_paper pki_pendulum_table[2][PKI_PENDULUM_STEPS] = {
    {{3e-8, 800, 2e-3, 1e-3, 1000}, {1e-13, 31, 8e-6, 1e-7, 26}, {1e-13, 0.3, 8e-8, 1e-11, 0.3}},
    {{3e-8, 500, 6e-3, 1e-3, 700}, {1e-13, 18, 1e-5, 1e-7, 10}, {1e-13, 0.2, 1e-7, 1e-11, 0.1}},
};

static const char *const model_names[2] = {"single", "double"};
static const char *const dt_names[PKI_PENDULUM_STEPS] = {"1e-2", "1e-4", "1e-6"};
static const double rate_at_start = 2.1, gravity_ratio = 10.0 / 49;

/* --- progress -------------------------------------------------------------------------- */

static pki_study_watch begin_part(pki_study_progress *j, const char *who, const pki_pendulum_case *c)
{
  snprintf(j->what, sizeof j->what, "%s: %s pendulum, step %g, %g time units", who,
           model_names[c->bodies - 1], c->dt, c->duration);
  return pki_study_part_begin(j, c->duration / c->dt * (strcmp(who, "Pronk") == 0 ? 1 : PEER_COST));
}

/* --- motions --------------------------------------------------------------------------- */

pki_pendulum_case pki_pendulum_table_case(int bodies, int step)
{
  return (pki_pendulum_case){.bodies = bodies,
                             .rate = {rate_at_start},
                             .dt = pki_pendulum_dt[step],
                             .duration = 10,
                             .stride = step == PKI_PENDULUM_STEPS - 1 ? 10 : 1};
}

pki_pendulum_case pki_pendulum_rotation_case(void)
{
  return (pki_pendulum_case){.bodies = 2, .rate = {rate_at_start}, .dt = 1e-2, .duration = 300, .stride = 1};
}

double pki_pendulum_rotation_period(void)
{
  return pki_pendulum_period_agm(gravity_ratio, rate_at_start);
}

double pki_pendulum_period_error(const pki_pendulum_history *history, double period)
{
  double worst = history->nperiod > 0 ? 0 : NAN;
  for (int i = 0; i < history->nperiod; i++) {
    worst = fmax(worst, fabs(history->period[i] - period));
  }
  return worst;
}

static pk_status measure_both(const pk_model *model, pki_pendulum_data *d, const pki_pendulum_case *c,
                              int step, pki_pendulum_history *history, pki_pendulum_history *other_history,
                              pki_study_progress *j, pk_error *err)
{
  pki_study_watch watch = begin_part(j, "Pronk", c);
  pki_pendulum_cell cell;
  pk_status status = pki_pendulum_measure(model, c, &watch, &cell, history, err);
  pki_study_part_end(j);
  if (history == NULL) {
    d->pronk[c->bodies - 1][step] = cell;
  }
  if (status != PK_OK || d->peer == NULL) {
    return status;
  }
  watch = begin_part(j, d->peer->name, c);
  status = pki_pendulum_measure_peer(d->peer_functions, c, &watch, &cell, other_history, err);
  pki_study_part_end(j);
  if (history == NULL) {
    d->other[c->bodies - 1][step] = cell;
  }
  return status;
}

/* Table 1: 10 time units at each step. */
static pk_status run_table(const pk_model *const models[2], pki_pendulum_data *d, pki_study_progress *j,
                           pk_error *err)
{
  const pki_pendulum_cell none = {NAN, NAN, NAN};
  for (int m = 0; m < 2; m++) {
    for (int s = 0; s < PKI_PENDULUM_STEPS; s++) {
      d->pronk[m][s] = d->other[m][s] = none;
      if (d->quick && s == PKI_PENDULUM_STEPS - 1) {
        continue;
      }
      const pki_pendulum_case c = pki_pendulum_table_case(m + 1, s);
      const pk_status status = measure_both(models[m], d, &c, s, NULL, NULL, j, err);
      if (status != PK_OK) {
        return status;
      }
    }
  }
  return PK_OK;
}

/* A motion that the paper does not have, in which the bodies do not turn as one. */
static pk_status run_swing(const pk_model *model, pki_pendulum_data *d, pki_study_progress *j, pk_error *err)
{
  const double quarter = acos(0);
  for (int s = 0; s < 2; s++) {
    const pki_pendulum_case c = {.bodies = 2,
                                 .angle = {quarter, quarter},
                                 .zero = 10,
                                 .dt = pki_pendulum_dt[s],
                                 .duration = 10,
                                 .stride = 1};
    const pki_study_watch watch = begin_part(j, "Pronk", &c);
    pki_pendulum_cell cell;
    const pk_status status = pki_pendulum_measure(model, &c, &watch, &cell, NULL, err);
    pki_study_part_end(j);
    if (status != PK_OK) {
      return status;
    }
    d->swing_energy[s] = cell.energy;
  }
  return PK_OK;
}

/* What Fig. 3 shows, in numbers. */
static void measure_rotation(pki_pendulum_data *d)
{
  d->period_error = pki_pendulum_period_error(&d->rotation, d->period_agm);
  d->other_period = d->height_gap = d->antiphase = NAN;
  if (d->peer == NULL) {
    return;
  }
  const pki_pendulum_history *a = &d->rotation, *b = &d->other_rotation;
  d->other_period = b->nperiod > 0 ? b->period[b->nperiod - 1] : NAN;
  d->height_gap = 0;
  for (int i = 0; i < a->n && i < b->n; i++) {
    if (a->time[i] <= 80) {
      d->height_gap = fmax(d->height_gap, 0.5 * fabs(a->height[i] - b->height[i]));
    }
    if (isnan(d->antiphase) && fabs(a->angle[i] - b->angle[i]) >= 2 * acos(0)) {
      d->antiphase = a->time[i];
    }
  }
}

/* Fig. 3: 300 time units at 1e-2. */
static pk_status run_rotation(const pk_model *model, pki_pendulum_data *d, pki_study_progress *j,
                              pk_error *err)
{
  const pki_pendulum_case c = pki_pendulum_rotation_case();
  const int n = (int)lround(c.duration / c.dt) + 1;
  pk_status status = pki_pendulum_history_create(&d->rotation, n, err);
  status = status == PK_OK ? pki_pendulum_history_create(&d->other_rotation, n, err) : status;
  status = status == PK_OK ? measure_both(model, d, &c, 0, &d->rotation, &d->other_rotation, j, err) : status;
  d->period_agm = pki_pendulum_rotation_period();
  d->period_quadrature = pki_pendulum_period_quadrature(gravity_ratio, rate_at_start);
  if (status == PK_OK) {
    measure_rotation(d);
  }
  return status;
}

/* --- rows ------------------------------------------------------------------------------ */

static void add_row(pki_study_result *result, const char *section, const char *id, const char *what,
                    double paper, double measured, const char *unit, const char *note)
{
  pki_study_row row = {.paper = paper, .measured = measured};
  snprintf(row.id, sizeof row.id, "%s", id);
  snprintf(row.section, sizeof row.section, "%s", section);
  snprintf(row.what, sizeof row.what, "%s", what);
  snprintf(row.unit, sizeof row.unit, "%s", unit);
  snprintf(row.note, sizeof row.note, "%s", note);
  pki_study_add(result, &row);
}

/* The last row is ODE's: a paper of one digit, and another version of the engine, so a factor of 2 on errors. */
static void hold_peer(pki_study_result *result, const pki_pendulum_data *d, bool left_out)
{
  pki_study_hold_factor(result, 2);
  if (left_out || d->peer == NULL) {
    pki_study_excuse(result, "%s", left_out ? pki_study_quick : pki_pendulum_no_peer);
  }
}

/* What row i of a cell is held to. */
static void hold_cell(pki_study_result *result, const pki_pendulum_data *d, int i, double energy,
                      bool left_out)
{
  if (i == 1 || i == 4) {
    pki_study_excuse(result, "%s", pki_study_other_machine);
  } else if (i == 0) {
    pki_study_hold_most(result, energy);
    if (left_out) {
      pki_study_excuse(result, "%s", pki_study_quick);
    }
  } else {
    hold_peer(result, d, left_out);
  }
}

static void add_cell_rows(pki_study_result *result, const pki_pendulum_data *d, int m, int s)
{
  const pki_pendulum_paper *p = &pki_pendulum_table[m][s];
  const pki_pendulum_cell *a = &d->pronk[m][s], *b = &d->other[m][s];
  const bool left_out = isnan(a->energy);
  static const char today[] = "ODE of today; the paper prints one digit";
  char section[96], id[64], what[112];
  snprintf(section, sizeof section, "Table 1: %s pendulum, 10 time units", model_names[m]);
  const struct {
    const char *id, *what;
    double paper, measured;
    const char *unit, *note;
  } rows[] = {
      {"energy", "largest relative energy error, relative coordinates", p->energy, a->energy, "1",
       "paper: Robotran; measured: Pronk, RK4"},
      {"rtf", "simulated over computing time, relative coordinates", p->rtf, a->rtf, "1",
       "one time unit as one second"},
      {"ode-energy", "largest relative energy error, absolute coordinates", p->other_energy, b->energy, "1",
       today},
      {"ode-constraint", "largest relative error of the distance axis to COM", p->other_violation,
       b->violation, "1", today},
      {"ode-rtf", "simulated over computing time, absolute coordinates", p->other_rtf, b->rtf, "1",
       d->peer == NULL ? pki_pendulum_no_peer : ""},
  };
  for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
    snprintf(id, sizeof id, "table1/%s/%s/%s", model_names[m], dt_names[s], rows[i].id);
    snprintf(what, sizeof what, "dt %s: %s", dt_names[s], rows[i].what);
    add_row(result, section, id, what, rows[i].paper, rows[i].measured, rows[i].unit,
            left_out ? pki_pendulum_left_out : rows[i].note);
    hold_cell(result, d, i, p->energy, left_out);
  }
}

/* ODE's part of Fig. 3. */
static void add_other_rotation_rows(pki_study_result *result, const pki_pendulum_data *d, const char *section)
{
  const char *missing = d->peer == NULL ? pki_pendulum_no_peer : "";
  add_row(result, section, "fig3/ode-period", "last revolution, absolute coordinates", NAN, d->other_period,
          "time units", d->peer == NULL ? missing : "the paper: grows almost linearly");
  add_row(result, section, "fig3/ode-height-gap", "largest gap of the heights up to t = 80", 0.5,
          d->height_gap, "span of the height",
          d->peer == NULL ? missing : "the paper: approaches 50 % after 80 time units");
  hold_peer(result, d, false);
  add_row(result, section, "fig3/ode-antiphase", "time at which the engines are half a turn apart", 124,
          d->antiphase, "time units", missing);
  hold_peer(result, d, false);
}

static void add_rotation_rows(pki_study_result *result, const pki_pendulum_data *d)
{
  static const char section[] = "Fig. 3: double pendulum turning as one, 300 time units, dt 1e-2";
  char text[256];
  const double error = fabs(d->period_agm - d->period_quadrature);
  snprintf(text, sizeof text, "by the arithmetic-geometric mean: %.13f; quadrature differs by %.0e",
           d->period_agm, error);
  add_row(result, section, "fig3/period", "period in theory", 3.15, d->period_agm, "time units", text);
  pki_study_hold_near(result, 0.005);
  pki_study_require(result, error < 1e-12, "quadrature within 1e-12");
  snprintf(text, sizeof text, "largest of %d revolutions", d->rotation.nperiod);
  add_row(result, section, "fig3/period-error", "error of the period, relative coordinates", 5e-9,
          d->period_error, "time units", text);
  pki_study_hold_most(result, 5e-9);
  pki_study_require(result, d->rotation.nperiod >= 95, "95 revolutions");
  add_other_rotation_rows(result, d, section);
}

static void add_rows(pki_study_result *result, const pki_pendulum_data *d)
{
  for (int m = 0; m < 2; m++) {
    for (int s = 0; s < PKI_PENDULUM_STEPS; s++) {
      add_cell_rows(result, d, m, s);
    }
  }
  add_rotation_rows(result, d);
  static const char section[] =
      "Beyond the paper: both bodies released at rest, first level, second folded up";
  for (int s = 0; s < 2; s++) {
    char id[64], what[112];
    snprintf(id, sizeof id, "swing/double/%s/energy", dt_names[s]);
    snprintf(what, sizeof what, "dt %s: largest relative energy error", dt_names[s]);
    add_row(result, section, id, what, NAN, d->swing_energy[s], "1",
            "zero potential at the lowest point, E = 15; held to Table 1's bound");
    pki_study_hold_most(result, pki_pendulum_table[1][s].energy);
  }
}

/* --- the study ------------------------------------------------------------------------- */

static void find_peer(pki_pendulum_data *d)
{
  const pk_peer *peers[PEERS_MAX];
  const int count = pki_peers_load(peers, PEERS_MAX);
  for (int i = 0; i < count && d->peer == NULL; i++) {
    d->peer_functions = peers[i]->interface(PKI_PENDULUM_INTERFACE);
    d->peer = d->peer_functions != NULL ? peers[i] : NULL;
  }
}

static pk_status run_pendulum_study(const pki_study_options *options, pki_study_result *result, pk_error *err)
{
  pk_status status = pki_folder_create(options->folder, err);
  if (status != PK_OK) {
    return status;
  }
  pki_pendulum_data d = {.quick = options->quick};
  find_peer(&d);
  pki_study_progress j = {.options = options};
  const double once = options->quick ? 2 * 1.01e5 : 2 * 1.01e7;
  j.all = (once + 3e4) * (d.peer != NULL ? 1 + PEER_COST : 1) + 1.01e5;

  pk_model *models[2] = {NULL, NULL};
  status = pki_pendulum_load(1, &models[0], err);
  status = status == PK_OK ? pki_pendulum_load(2, &models[1], err) : status;
  const pk_model *const readable[2] = {models[0], models[1]};
  status = status == PK_OK ? run_rotation(models[1], &d, &j, err) : status;
  status = status == PK_OK ? run_swing(models[1], &d, &j, err) : status;
  status = status == PK_OK ? run_table(readable, &d, &j, err) : status;
  if (status == PK_OK) {
    add_rows(result, &d);
    status = pki_pendulum_report(&d, options, result, err);
  }
  if (status == PK_OK && result->failed) {
    status = pki_fail_memory(err, NULL);
  }
  pki_pendulum_history_free(&d.rotation);
  pki_pendulum_history_free(&d.other_rotation);
  pk_model_destroy(models[0]);
  pk_model_destroy(models[1]);
  return status;
}

const pki_study pki_pendulum_study = {
    "pendulum", "relative against absolute coordinates: energy and period of two pendulums",
    "Zobova et al. 2016, section 3.1, Table 1 and Fig. 3", run_pendulum_study};
