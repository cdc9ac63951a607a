#include "size/sizing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size/ratio.h"

/* ---- the catalogue's combinations ---- */

/* Gears for one motor: its own, those of the group, those of its file, or none at all. */
static int gears_of(const pki_size_group *g, const pki_motor_entry *m, const pki_gear **out)
{
  if (m->motor.gear != 1) {
    *out = NULL;
    return 1;
  }
  *out = g->ngear > 0 ? g->gears : m->ngear > 0 ? m->gears : NULL;
  return g->ngear > 0 ? g->ngear : m->ngear > 0 ? m->ngear : 1;
}

static int count_candidates(const pki_size_group *g)
{
  int count = 0;
  for (int i = 0; i < g->nmotor; i++) {
    const pki_gear *gears;
    count += gears_of(g, &g->motors[i], &gears) * (g->nvoltage > 0 ? g->nvoltage : 1);
  }
  return count;
}

static void list_candidates(pki_size_group *g)
{
  for (int i = 0; i < g->nmotor; i++) {
    const pki_gear *gears;
    const int ngear = gears_of(g, &g->motors[i], &gears);
    for (int k = 0; k < ngear; k++) {
      for (int v = 0; v < (g->nvoltage > 0 ? g->nvoltage : 1); v++) {
        g->candidates[g->ncandidate++] =
            (pki_drive_candidate){.drive = pki_drive_of(&g->motors[i], gears != NULL ? &gears[k] : NULL,
                                                        g->nvoltage > 0 ? g->voltages[v] : 0)};
      }
    }
  }
}

/* ---- demands ---- */

/* A gear of any ratio is a part of its own in each group: "33.24:1", or "planetary, 33.24:1". */
static void name_ratio(pki_gear *gear)
{
  const size_t used = strlen(gear->name);
  snprintf(gear->name + used, sizeof gear->name - used, "%s%.4g:1", used > 0 ? ", " : "", gear->ratio);
}

/* A gear of any ratio gets the one with the least heat among those that fit, or among all where none does. */
static void set_ratio(const pki_sizing *s, const pki_size_group *g, pki_drive *d)
{
  pki_ratio_search search = {.drive = *d,
                             .duty = &s->duty,
                             .joints = (const char(*)[PKI_DUTY_NAME])g->joints,
                             .count = g->njoint,
                             .options = &s->options,
                             .from = d->gear.from,
                             .to = d->gear.to};
  double least, largest;
  d->gear.ratio = pki_ratio_best(&search, false);
  if (pki_ratio_range(&search, &least, &largest)) {
    d->gear.ratio = fmin(fmax(d->gear.ratio, least), largest);
  }
  name_ratio(&d->gear);
}

static void judge_candidate(const pki_sizing *s, const pki_size_group *g, pki_drive_candidate *c)
{
  const char(*joints)[PKI_DUTY_NAME] = (const char(*)[PKI_DUTY_NAME])g->joints;
  if (!(c->drive.gear.ratio > 0)) {
    set_ratio(s, g, &c->drive);
  }
  c->demand = pki_demand_of(&c->drive, &s->duty, joints, g->njoint, &s->options);
  c->margin = pki_demand_margin(&c->demand, &c->worst);
  c->fits = pki_demand_fits(&c->demand, s->options.margin);
  pki_demand_reason(&c->demand, &s->duty, joints, s->options.margin, c->reason, sizeof c->reason);
}

static pk_status prepare_groups(pki_sizing *s, int *all, pk_error *err)
{
  *all = 0;
  for (int i = 0; i < s->ngroup; i++) {
    pki_size_group *g = &s->groups[i];
    const int count = count_candidates(g);
    free(g->candidates);
    g->ncandidate = 0;
    g->chosen = -1;
    g->candidates = calloc((size_t)count + 1, sizeof *g->candidates);
    if (g->candidates == NULL) {
      return pki_fail_memory(err, "the candidates of a group");
    }
    list_candidates(g);
    *all += count;
  }
  return PK_OK;
}

pk_status pki_sizing_run(pki_sizing *s, bool (*progress)(void *user, double fraction, const char *what),
                         void *user, pk_error *err)
{
  int all, done = 0;
  const pk_status status = prepare_groups(s, &all, err);
  if (status != PK_OK) {
    return status;
  }
  for (int i = 0; i < s->ngroup; i++) {
    pki_size_group *g = &s->groups[i];
    for (int k = 0; k < g->ncandidate; k++, done++) {
      if (progress != NULL && !progress(user, (double)done / all, g->name)) {
        return pki_fail(err, PK_ERROR_LIMIT, (pki_where){0}, "interrupted");
      }
      judge_candidate(s, g, &g->candidates[k]);
    }
    pki_group_rank(g, &s->rank);
  }
  pki_sizing_choose(s);
  pki_sizing_add_supply(s);
  return PK_OK;
}

/* ---- results ---- */

const pki_drive_candidate *pki_group_choice(const pki_size_group *group)
{
  return group->chosen >= 0 ? &group->candidates[group->chosen] : NULL;
}

bool pki_sizing_is_complete(const pki_sizing *s)
{
  for (int i = 0; i < s->ngroup; i++) {
    if (s->groups[i].chosen < 0) {
      return false;
    }
  }
  return s->ngroup > 0;
}

const pki_drive_candidate *pki_sizing_choice(const pki_sizing *s, const char *joint)
{
  for (int i = 0; i < s->ngroup; i++) {
    for (int k = 0; k < s->groups[i].njoint; k++) {
      if (strcmp(s->groups[i].joints[k], joint) == 0) {
        return pki_group_choice(&s->groups[i]);
      }
    }
  }
  return NULL;
}

void pki_sizing_free(pki_sizing *s)
{
  for (int i = 0; i < s->ngroup; i++) {
    free(s->groups[i].joints);
    free(s->groups[i].motors);
    free(s->groups[i].candidates);
  }
  free(s->groups);
  pki_duty_free(&s->duty);
  *s = (pki_sizing){0};
}
