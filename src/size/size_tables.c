/* Tables of a sizing study, for the terminal, the report and files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "size/size_report.h"

enum { WORD = 64 };

/* A number with a few digits; a dash where it is not known. */
static const char *few(double value, char out[WORD])
{
  snprintf(out, WORD, isnan(value) ? "—" : isinf(value) ? (value > 0 ? "∞" : "-∞") : "%.4g", value);
  return out;
}

/* Few sheets have a price: where there is none the table says so. */
static const char *price_of(double value, char out[WORD])
{
  return isnan(value) ? "no price" : few(value, out);
}

static const char *percent(double value, char out[WORD])
{
  if (!isfinite(value)) {
    return few(value, out);
  }
  snprintf(out, WORD, "%.0f %%", fabs(value) < 0.005 ? 0 : 100 * value); /* not "-0 %" */
  return out;
}

/* ---- the choice ---- */

void pki_size_choice_table(const pki_sizing *sizing, pki_table *table)
{
  static const char *const heads[] = {"group",   "joints",      "motor",    "ratio",
                                      "V",       "continuous",  "peak",     "voltage",
                                      "heat",    "winding, °C", "power, W", "largest input, W",
                                      "mass, kg"};
  pki_table_begin(table, heads, 13);
  for (int i = 0; i < sizing->ngroup; i++) {
    const pki_size_group *g = &sizing->groups[i];
    const pki_drive_candidate *c = pki_group_choice(g);
    char w[10][WORD], joints[16];
    snprintf(joints, sizeof joints, "%d", g->njoint);
    if (c == NULL) {
      pki_table_row(table, (const char *const[]){g->name, joints, "none fits", "—", "—", "—", "—", "—", "—",
                                                 "—", "—", "—", "—"});
      continue;
    }
    const pki_demand *d = &c->demand;
    pki_table_row(table, (const char *const[]){
                             g->name, joints, c->drive.motor->id, few(c->drive.gear.ratio, w[0]),
                             few(c->drive.voltage > 0 ? c->drive.voltage : NAN, w[1]),
                             percent(pki_line_used(&d->lines[PKI_LINE_CONTINUOUS]), w[2]),
                             percent(pki_line_used(&d->lines[PKI_LINE_PEAK]), w[3]),
                             percent(pki_line_used(&d->lines[PKI_LINE_VOLTAGE]), w[4]),
                             percent(pki_line_used(&d->lines[PKI_LINE_HEAT]), w[5]), few(d->winding, w[6]),
                             few(d->power, w[7]), few(d->input, w[8]), few(d->mass, w[9])});
  }
}

void pki_size_candidate_table(const pki_size_group *g, int most, pki_table *table)
{
  static const char *const heads[] = {"",         "motor",    "ratio",      "V",
                                      "margin",   "rms, N m", "peak, N m",  "winding, °C",
                                      "power, W", "mass, kg", "price, EUR", "why not"};
  pki_table_begin(table, heads, 12);
  int shown = 0;
  for (int i = 0; i < g->ncandidate && shown < most; i++) {
    const pki_drive_candidate *c = &g->candidates[i];
    char w[9][WORD], place[WORD];
    snprintf(place, sizeof place, "%d%s", i + 1, i == g->chosen ? " chosen" : c->fits ? "" : " fails");
    pki_table_row(table, (const char *const[]){place, c->drive.motor->id, few(c->drive.gear.ratio, w[0]),
                                               few(c->drive.voltage > 0 ? c->drive.voltage : NAN, w[1]),
                                               percent(c->margin, w[2]), few(c->demand.rms, w[3]),
                                               few(c->demand.peak, w[4]), few(c->demand.winding, w[5]),
                                               few(c->demand.power, w[6]), few(c->demand.mass, w[7]),
                                               price_of(c->demand.price, w[8]), c->reason});
    shown++;
  }
}

void pki_size_fitting_table(const pki_size_group *g, int most, pki_table *table)
{
  static const char *const heads[] = {"",         "motor",    "ratio",     "V",
                                      "margin",   "rms, N m", "peak, N m", "winding, °C",
                                      "power, W", "mass, kg", "price, EUR"};
  pki_table_begin(table, heads, 11);
  for (int i = 0; i < g->ncandidate && i < most && g->candidates[i].fits; i++) {
    const pki_drive_candidate *c = &g->candidates[i];
    char w[9][WORD], place[WORD];
    snprintf(place, sizeof place, "%d%s", i + 1, i == g->chosen ? " chosen" : "");
    pki_table_row(table, (const char *const[]){place, c->drive.motor->id, few(c->drive.gear.ratio, w[0]),
                                               few(c->drive.voltage > 0 ? c->drive.voltage : NAN, w[1]),
                                               percent(c->margin, w[2]), few(c->demand.rms, w[3]),
                                               few(c->demand.peak, w[4]), few(c->demand.winding, w[5]),
                                               few(c->demand.power, w[6]), few(c->demand.mass, w[7]),
                                               price_of(c->demand.price, w[8])});
  }
}

void pki_size_failing_table(const pki_size_group *g, int most, pki_table *table)
{
  static const char *const heads[] = {"", "motor", "ratio", "V", "margin", "why not"};
  pki_table_begin(table, heads, 6);
  for (int i = 0; i < g->ncandidate && i < most; i++) {
    const pki_drive_candidate *c = &g->candidates[i];
    char w[3][WORD], place[WORD];
    snprintf(place, sizeof place, "%d", i + 1);
    if (!c->fits) {
      pki_table_row(table, (const char *const[]){place, c->drive.motor->id, few(c->drive.gear.ratio, w[0]),
                                                 few(c->drive.voltage > 0 ? c->drive.voltage : NAN, w[1]),
                                                 percent(c->margin, w[2]), c->reason});
    }
  }
}

/* ---- parts ---- */

/* One kind of part of the list. */
typedef struct part {
  const char *kind, *name, *id;
  int count;
  double mass, price; /* of one; 0: not known */
} part;

static void add_part(part *list, int *n, const part *one)
{
  for (int i = 0; i < *n; i++) {
    if (strcmp(list[i].kind, one->kind) == 0 && strcmp(list[i].id, one->id) == 0) {
      list[i].count += one->count;
      return;
    }
  }
  list[(*n)++] = *one;
}

/* Motors, and gears that are parts of their own. To be freed; NULL: no memory. */
static part *list_parts(const pki_sizing *z, int *n)
{
  part *list = calloc(2 * (size_t)z->ngroup + 1, sizeof *list);
  *n = 0;
  for (int i = 0; list != NULL && i < z->ngroup; i++) {
    const pki_size_group *g = &z->groups[i];
    const pki_drive_candidate *c = pki_group_choice(g);
    if (c == NULL) {
      continue;
    }
    const pki_motor_entry *m = c->drive.motor;
    add_part(list, n, &(part){"motor", m->name, m->id, g->njoint, m->mass, m->price});
    if (m->motor.gear == 1 && c->drive.gear.ratio != 1) {
      const pki_gear *gear = &c->drive.gear;
      add_part(list, n, &(part){"gear", gear->name, gear->name, g->njoint, gear->mass, gear->price});
    }
  }
  return list;
}

void pki_size_parts_table(const pki_sizing *sizing, pki_table *table)
{
  static const char *const heads[] = {"part", "what", "count", "mass of one, kg", "price of one, EUR"};
  int n;
  part *list = list_parts(sizing, &n);
  pki_table_begin(table, heads, 5);
  table->failed |= list == NULL;
  for (int i = 0; list != NULL && i < n; i++) {
    char w[2][WORD], count[16];
    snprintf(count, sizeof count, "%d", list[i].count);
    pki_table_row(table, (const char *const[]){list[i].kind, list[i].name, count,
                                               few(list[i].mass > 0 ? list[i].mass : NAN, w[0]),
                                               price_of(list[i].price > 0 ? list[i].price : NAN, w[1])});
  }
  free(list);
}

/* ---- supply, bearings, rounds ---- */

/* Whether a part that was chosen has none of a number in its file: of a gear it then counts as nothing. */
static bool is_incomplete(const pki_sizing *z, bool price)
{
  int n;
  part *list = list_parts(z, &n);
  bool missing = false;
  for (int i = 0; list != NULL && i < n; i++) {
    missing |= !((price ? list[i].price : list[i].mass) > 0);
  }
  free(list);
  return missing;
}

void pki_size_supply_table(const pki_sizing *sizing, pki_table *table)
{
  const pki_size_supply *s = &sizing->supply;
  char w[7][WORD], where[WORD + PKI_DUTY_NAME];
  pki_table_begin(table, (const char *const[]){"what feeds them", "value"}, 2);
  snprintf(w[0], WORD, s->voltage > 0 ? "%g V" : "several", s->voltage);
  snprintf(w[1], WORD, "%.4g W", s->power);
  snprintf(where, sizeof where, s->motion >= 0 ? "%.4g W at %.3g s of %s" : "%.4g W", s->input, s->time,
           s->motion >= 0 ? sizing->duty.motions[s->motion].name : "");
  snprintf(w[2], WORD, isnan(s->current) ? "—" : "%.4g A", s->current);
  snprintf(w[3], WORD, "%.4g Wh in %.4g h", s->energy / 3600, sizing->options.duration / 3600);
  snprintf(w[4], WORD, isnan(s->mass) ? "—" : "%.4g kg%s", s->mass,
           is_incomplete(sizing, false) ? ", without gears of unknown mass" : "");
  snprintf(w[5], WORD, isnan(s->price) ? "no price" : "%.4g EUR%s", s->price,
           is_incomplete(sizing, true) ? ", without gears of unknown price" : "");
  const char *const rows[][2] = {{"voltage", w[0]},
                                 {"mean power", w[1]},
                                 {"largest input power", where},
                                 {"current then", w[2]},
                                 {"energy of the battery", w[3]},
                                 {"mass of all drives", w[4]},
                                 {"price of all drives", w[5]}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pki_table_row(table, rows[i]);
  }
}

int pki_size_bearing_table(const pki_sizing *sizing, pki_table *table)
{
  static const char *const heads[] = {
      "joint",     "|fx|, N",   "|fy|, N",  "|fz|, N",     "|mx|, N m",
      "|my|, N m", "|mz|, N m", "force, N", "moment, N m", "cubic mean force, N"};
  int rows = 0;
  pki_table_begin(table, heads, 10);
  for (int i = 0; i < sizing->ngroup; i++) {
    for (int k = 0; k < sizing->groups[i].njoint; k++) {
      const pki_bearing b = pki_duty_bearing(&sizing->duty, sizing->groups[i].joints[k]);
      char w[9][WORD];
      if (!b.known) {
        continue;
      }
      rows++;
      pki_table_row(table, (const char *const[]){sizing->groups[i].joints[k], few(b.largest[0], w[0]),
                                                 few(b.largest[1], w[1]), few(b.largest[2], w[2]),
                                                 few(b.largest[3], w[3]), few(b.largest[4], w[4]),
                                                 few(b.largest[5], w[5]), few(b.force, w[6]),
                                                 few(b.moment, w[7]), few(b.mean_force, w[8])});
    }
  }
  return rows;
}

void pki_size_round_table(const pki_size_result *r, pki_table *table)
{
  static const char *const heads[] = {
      "round",         "drives carried, kg", "heavier than the model by, kg", "drives chosen, kg",
      "mean power, W", "largest input, W",   "joints whose drive changed",    "s"};
  pki_table_begin(table, heads, 8);
  for (int i = 0; i < r->nround; i++) {
    const pki_size_round *a = &r->rounds[i];
    char w[6][WORD], round[16], changed[16];
    int count = 0;
    for (int k = 0; i > 0 && k < a->njoint; k++) {
      count += strcmp(a->chosen[k].drive, r->rounds[i - 1].chosen[k].drive) != 0;
    }
    snprintf(round, sizeof round, "%d", i);
    snprintf(changed, sizeof changed, i > 0 ? "%d" : "—", count);
    pki_table_row(table, (const char *const[]){round, few(a->carried, w[0]), few(a->added, w[5]),
                                               few(a->mass, w[1]), few(a->power, w[2]), few(a->input, w[3]),
                                               changed, few(a->seconds, w[4])});
  }
}

void pki_size_replaced_table(const pki_size_result *r, pki_table *table)
{
  static const char *const heads[] = {"joint", "mass taken away, kg", "rotor taken away, kg m²",
                                      "actuator taken away"};
  pki_table_begin(table, heads, 4);
  for (int i = 0; i < r->nreplaced; i++) {
    const pki_size_replaced *a = &r->replaced[i];
    char w[2][WORD];
    pki_table_row(table, (const char *const[]){a->joint, few(a->mass > 0 ? a->mass : NAN, w[0]),
                                               few(a->armature > 0 ? a->armature : NAN, w[1]),
                                               a->actuators[0] != '\0' ? a->actuators : "—"});
  }
}

/* ---- files ---- */

static void add_number(pki_text *out, double value)
{
  char text[PKI_REAL_TEXT];
  pki_text_addf(out, ",%s", isnan(value) ? "" : pki_format_real(value, text));
}

/* A text that may hold commas. */
static void add_quoted(pki_text *out, const char *text)
{
  pki_text_add(out, "\"");
  for (const char *c = text; *c != '\0'; c++) {
    pki_text_add_bytes(out, c, 1);
    if (*c == '"') {
      pki_text_add(out, "\"");
    }
  }
  pki_text_add(out, "\"");
}

pk_status pki_size_parts_save(const pki_sizing *sizing, const char *path, pk_error *err)
{
  pki_text text = {0};
  int n;
  part *list = list_parts(sizing, &n);
  pki_text_add(&text, "part,what,count,mass of one [kg],price of one [EUR]\n");
  for (int i = 0; list != NULL && i < n; i++) {
    pki_text_addf(&text, "%s,", list[i].kind);
    add_quoted(&text, list[i].name);
    pki_text_addf(&text, ",%d", list[i].count);
    add_number(&text, list[i].mass > 0 ? list[i].mass : NAN);
    add_number(&text, list[i].price > 0 ? list[i].price : NAN);
    pki_text_add(&text, "\n");
  }
  text.failed |= list == NULL;
  free(list);
  const pk_status status = pki_text_save(&text, path, err);
  pki_text_free(&text);
  return status;
}

pk_status pki_size_candidates_save(const pki_sizing *sizing, const char *path, pk_error *err)
{
  pki_text text = {0};
  pki_text_add(
      &text, "group,place,chosen,fits,motor,ratio,voltage [V],margin,rms torque [N m],largest torque [N m],"
             "largest speed [rad/s],winding [degrees C],housing [degrees C],heat [W],power [W],largest input "
             "[W],armature [kg m^2],mass [kg],price [EUR],front");
  for (int k = 0; k < PKI_LINE_COUNT; k++) {
    pki_text_addf(&text, ",%s", pki_line_words[k]);
  }
  pki_text_add(&text, ",reason\n");
  for (int i = 0; i < sizing->ngroup; i++) {
    for (int k = 0; k < sizing->groups[i].ncandidate; k++) {
      const pki_drive_candidate *c = &sizing->groups[i].candidates[k];
      const pki_demand *d = &c->demand;
      const double numbers[] = {c->drive.gear.ratio,
                                c->drive.voltage,
                                c->margin,
                                d->rms,
                                d->peak,
                                d->speed,
                                d->winding,
                                d->housing,
                                d->joule,
                                d->power,
                                d->input,
                                d->armature,
                                d->mass,
                                d->price,
                                c->front};
      add_quoted(&text, sizing->groups[i].name);
      pki_text_addf(&text, ",%d,%d,%d,%s", k + 1, k == sizing->groups[i].chosen, c->fits, c->drive.motor->id);
      for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        add_number(&text, numbers[n]);
      }
      for (int n = 0; n < PKI_LINE_COUNT; n++) {
        add_number(&text, pki_line_used(&d->lines[n]));
      }
      pki_text_add(&text, ",");
      add_quoted(&text, c->reason);
      pki_text_add(&text, "\n");
    }
  }
  const pk_status status = pki_text_save(&text, path, err);
  pki_text_free(&text);
  return status;
}
