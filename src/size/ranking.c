/* The order of candidates: those that fit by a weighted sum of their numbers, each over the least of all that fit; the others by how much they
 * fail. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "size/sizing.h"

enum { CRITERIA = 4, FRONT = 3 };

/* Numbers that a drive is ranked by; mass, energy and price, the first three, have a front. */
static double number_of(const pki_drive_candidate *c, int criterion)
{
  const double numbers[CRITERIA] = {c->demand.mass, c->demand.power, c->demand.price, c->demand.joule};
  return numbers[criterion];
}

static void add_scores(pki_size_group *g, const pki_size_rank *rank)
{
  static const char *const words[CRITERIA] = {"mass", "energy", "price", "heat"};
  const double weights[CRITERIA] = {rank->mass, rank->energy, rank->price, rank->heat};
  double least[CRITERIA];
  for (int k = 0; k < CRITERIA; k++) {
    least[k] = INFINITY;
    for (int i = 0; i < g->ncandidate; i++) {
      least[k] = g->candidates[i].fits ? fmin(least[k], number_of(&g->candidates[i], k)) : least[k];
    }
    least[k] = fmax(least[k], 1e-12);
  }
  for (int i = 0; i < g->ncandidate; i++) {
    pki_drive_candidate *c = &g->candidates[i];
    c->score = c->fits ? 0 : INFINITY;
    for (int k = 0; k < CRITERIA && c->fits; k++) {
      const double value = number_of(c, k);
      if (weights[k] > 0 && isnan(value)) {
        c->score = INFINITY;
        snprintf(c->reason, sizeof c->reason, "its %s is not known", words[k]);
      } else if (weights[k] > 0) {
        c->score += weights[k] * value / least[k];
      }
    }
  }
}

/* The first is at least as good in all that is known of the second, and better in one: what is not known beats nothing. */
static bool is_better(const pki_drive_candidate *a, const pki_drive_candidate *b)
{
  bool better = false;
  for (int k = 0; k < FRONT; k++) {
    const double x = number_of(a, k), y = number_of(b, k);
    if (x > y || (isnan(x) && !isnan(y))) {
      return false;
    }
    better |= x < y;
  }
  return better;
}

static void mark_front(pki_size_group *g)
{
  for (int i = 0; i < g->ncandidate; i++) {
    pki_drive_candidate *c = &g->candidates[i];
    c->front = c->fits;
    for (int k = 0; k < g->ncandidate && c->front; k++) {
      c->front = !(g->candidates[k].fits && is_better(&g->candidates[k], c));
    }
  }
}

/* Those that fit by score; where scores are equal, and among those that fail, by margin; then by their names, so that the order is one. */
static int compare_candidates(const void *first, const void *second)
{
  const pki_drive_candidate *a = first, *b = second;
  if (a->fits != b->fits) {
    return a->fits ? -1 : 1;
  }
  if (a->score != b->score) {
    return a->score < b->score ? -1 : 1;
  }
  if (a->margin != b->margin) {
    return a->margin > b->margin ? -1 : 1;
  }
  if (a->drive.voltage != b->drive.voltage) {
    return a->drive.voltage < b->drive.voltage ? -1 : 1;
  }
  return a->drive.gear.ratio < b->drive.gear.ratio ? -1 : a->drive.gear.ratio > b->drive.gear.ratio;
}

void pki_group_rank(pki_size_group *group, const pki_size_rank *rank)
{
  add_scores(group, rank);
  mark_front(group);
  qsort(group->candidates, (size_t)group->ncandidate, sizeof *group->candidates, compare_candidates);
  group->chosen = group->ncandidate > 0 && group->candidates[0].fits ? 0 : -1;
}

/* ---- one voltage for all ---- */

/* The best candidate on a voltage; -1: none fits. */
static int best_on(const pki_size_group *g, double voltage)
{
  for (int i = 0; i < g->ncandidate && g->candidates[i].fits; i++) {
    if (g->candidates[i].drive.voltage == voltage) {
      return i;
    }
  }
  return -1;
}

/* How good a voltage is: groups that have a drive on it, and the sum of their scores. */
static void judge_voltage(const pki_sizing *s, double voltage, int *groups, double *score)
{
  *groups = 0;
  *score = 0;
  for (int i = 0; i < s->ngroup; i++) {
    const int best = best_on(&s->groups[i], voltage);
    if (best >= 0) {
      ++*groups;
      *score += s->groups[i].candidates[best].score;
    }
  }
}

void pki_sizing_choose(pki_sizing *s)
{
  double chosen = NAN, least = INFINITY;
  int most = 0;
  for (int i = 0; s->one_voltage && i < s->ngroup; i++) {
    for (int k = 0; k < s->groups[i].ncandidate; k++) {
      const double voltage = s->groups[i].candidates[k].drive.voltage;
      double score;
      int groups;
      judge_voltage(s, voltage, &groups, &score);
      if (groups > most || (groups == most && groups > 0 && score < least)) {
        most = groups, least = score, chosen = voltage;
      }
    }
  }
  for (int i = 0; s->one_voltage && i < s->ngroup; i++) {
    s->groups[i].chosen = isnan(chosen) ? -1 : best_on(&s->groups[i], chosen);
  }
}
