/* Phases from a pattern of footfalls and a duty factor (Hildebrand 1965): foot i lands at f_i and leaves at f_i + duty, in parts of the
 * cycle. Each of these events begins a phase. A pattern whose left and right feet are half a cycle apart repeats its
 * mirror image after half a cycle, and that half is all that is solved. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/files/gait_fields.h"

enum { LEGS = 4, EVENTS = 2 * LEGS };

/* Events nearer than this are one, in parts of the cycle. */
static const double MERGE = 1e-6;

typedef struct footfalls {
  double land[LEGS]; /* 0 up to 1: left fore, right fore, left hind, right hind */
  double duty;
  bool symmetric; /* left and right half a cycle apart */
} footfalls;

static double wrap_cycle(double t)
{
  t -= floor(t);
  return t > 1 - MERGE ? 0 : t;
}

/* How far apart two times of the cycle are. */
static double apart(double a, double b)
{
  const double d = wrap_cycle(a - b);
  return fmin(d, 1 - d);
}

static footfalls footfalls_of(const pki_gait_file *g, const pki_node *node)
{
  const pki_gait_row *row = pki_gaits[g->settings.pattern];
  footfalls f = {.duty = pki_node_find(node, "duty") != NULL ? g->settings.duty : row->duty};
  for (int i = 0; i < LEGS; i++) {
    f.land[i] = row->footfall[i];
  }
  if (pki_node_find(node, "lag") != NULL) {
    for (int side = 0; side < 2; side++) {
      f.land[2 + side] = f.land[side] - g->settings.lag;
    }
  }
  for (int i = 0; i < LEGS; i++) {
    f.land[i] = wrap_cycle(f.land[i]);
  }
  f.symmetric =
      fabs(apart(f.land[0], f.land[1]) - 0.5) < MERGE && fabs(apart(f.land[2], f.land[3]) - 0.5) < MERGE;
  return f;
}

static int compare_times(const void *a, const void *b)
{
  const double u = *(const double *)a, v = *(const double *)b;
  return u < v ? -1 : u > v;
}

/* The times of all events, rising from 0 up to 1, each once. */
static int list_events(const footfalls *f, double out[EVENTS])
{
  double all[EVENTS];
  int count = 0;
  for (int i = 0; i < LEGS; i++) {
    all[2 * i] = f->land[i];
    all[2 * i + 1] = wrap_cycle(f->land[i] + f->duty);
  }
  qsort(all, EVENTS, sizeof *all, compare_times);
  for (int i = 0; i < EVENTS; i++) {
    if (count == 0 || all[i] - out[count - 1] > MERGE) {
      out[count++] = all[i];
    }
  }
  return count;
}

/* Who stands at a time of the cycle. */
static unsigned stance_at(const footfalls *f, double t)
{
  unsigned stance = 0;
  for (int i = 0; i < LEGS; i++) {
    stance |= wrap_cycle(t - f->land[i]) < f->duty ? 1u << i : 0;
  }
  return stance;
}

static bool is_diagonal(unsigned stance)
{
  return stance == (1u | 8u) || stance == (2u | 4u);
}

/* A guess of the time of a whole cycle, and its bounds. */
typedef struct cycle_time {
  double shortest, longest, guess;
} cycle_time;

static cycle_time cycle_of(const pki_gait_file *g)
{
  const pki_motion_problem *p = &g->problem;
  if (!isnan(p->period_shortest)) {
    return (cycle_time){p->period_shortest, p->period_longest, (p->period_shortest + p->period_longest) / 2};
  }
  /* the row's, which is for a trunk at height h */
  const double *a = g->settings.gravity;
  const double weight = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  const double h = fmax(pki_gait_trunk(g->model) > 0 ? p->pose[2] : 0.5, 0.01);
  const double guess = pki_gaits[g->settings.pattern]->cycle * sqrt(h / fmax(weight, 0.1));
  return (cycle_time){guess / 4, guess * 4, guess};
}

/* One phase more, of a share of the cycle. */
static void add_phase(pki_gait_file *g, const cycle_time *cycle, unsigned stance, double share,
                      double intervals_share)
{
  pki_motion_problem *p = &g->problem;
  const pki_gait_settings *s = &g->settings;
  pki_motion_phase *phase = &p->phases[p->nphase++];
  const double wanted = s->intervals * intervals_share;
  *phase = (pki_motion_phase){.stance = stance,
                              .intervals = wanted < 1 ? 1 : (int)lround(wanted),
                              .shortest = share * cycle->shortest * (1 - s->slack),
                              .longest = share * cycle->longest * (1 + s->slack),
                              .guess = share * cycle->guess,
                              .soft = s->landing == 1};
  size_t used = (size_t)snprintf(phase->name, sizeof phase->name, "%s", stance == 0 ? "flight" : "");
  for (int i = 0; i < LEGS; i++) {
    if ((stance >> i & 1) != 0 && used < sizeof phase->name) {
      used += (size_t)snprintf(phase->name + used, sizeof phase->name - used, "%s%.30s", used > 0 ? " " : "",
                               p->feet[i].name);
    }
  }
}

/* The last phase becomes two: before the mass is above the edge of its two feet, and past it. */
static void split_phase(pki_motion_problem *p)
{
  pki_motion_phase *before = &p->phases[p->nphase - 1], *past = &p->phases[p->nphase++];
  before->intervals = (before->intervals + 1) / 2;
  before->shortest *= 0.1;
  before->longest *= 0.9;
  before->guess *= 0.5;
  *past = *before;
  before->crossing = true;
  past->soft = false;
  pki_copy_cut(past->name, sizeof past->name, before->name);
  const size_t used = strlen(past->name);
  snprintf(past->name + used, sizeof past->name - used, ", past the edge");
}

static bool measures_stability(const pki_motion_problem *p)
{
  return p->objective.stability > 0 || !isnan(p->least_stability);
}

static void fill_phases(pki_gait_file *g, const footfalls *f)
{
  double event[EVENTS];
  const int count = list_events(f, event);
  const cycle_time cycle = cycle_of(g);
  pki_motion_problem *p = &g->problem;
  const double whole = p->closure == PKI_MOTION_HALF ? 0.5 : 1;
  for (int i = 0; i < count && event[i] < event[0] + whole - MERGE; i++) {
    const double next = i + 1 < count ? event[i + 1] : event[0] + 1;
    const double share = fmin(next, event[0] + whole) - event[i];
    const unsigned stance = stance_at(f, wrap_cycle(event[i] + share / 2));
    add_phase(g, &cycle, stance, share, share / whole);
    if (is_diagonal(stance) && measures_stability(p)) {
      split_phase(p);
    }
  }
}

void pki_gait_make_phases(pki_gait_file *g, const pki_node *node, pki_problems *problems)
{
  const pki_binding binding = {pki_gait_pattern_fields, pki_gait_pattern_field_count, &g->settings};
  const pki_node *root = pki_document_root(g->document), *closure = pki_node_find(root, "closure");
  const int before = pki_problems_total(problems);
  pki_fields_preset(pki_gait_pattern_fields, pki_gait_pattern_field_count, &g->settings);
  if (pki_expect_kind(node, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  pki_read_map(node, &binding, 1, problems);
  if (pki_problems_total(problems) > before) {
    return;
  }
  if (g->settings.pattern == PK_GAIT_STAND || g->settings.pattern == PK_GAIT_JUMP) {
    pki_problem(problems, pki_node_find(node, "pattern"),
                "%s has no cycle of footfalls, expected one that has", pki_gaits[g->settings.pattern]->name);
    return;
  }
  const pki_node *feet = pki_node_find(root, "feet");
  if (g->problem.nfoot != LEGS && (feet == NULL || feet->count == g->problem.nfoot)) {
    pki_problem(problems, node,
                "there are %d feet, expected four: left fore, right fore, left hind, right hind",
                g->problem.nfoot);
  }
  if (g->problem.nfoot != LEGS) {
    return; /* told here, or where a foot is wrong */
  }
  const footfalls f = footfalls_of(g, node);
  if (closure == NULL) {
    g->problem.closure = f.symmetric ? PKI_MOTION_HALF : PKI_MOTION_CYCLE;
  } else if (g->problem.closure == PKI_MOTION_HALF && !f.symmetric) {
    pki_problem(problems, closure,
                "left and right feet of this pattern are not half a cycle apart: its half has "
                "no mirror image");
    return;
  }
  g->patterned = true;
  fill_phases(g, &f);
}
