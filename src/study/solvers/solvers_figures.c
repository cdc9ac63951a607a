/* Shares, quantiles, profiles and winners, from the tries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "study/solvers/solvers.h"

/* --- classes --------------------------------------------------------------------------- */

/* Most contacts of each size. */
static const int sizes[PKI_SOLVERS_SIZES] = {4, 12, 40, 100, 1 << 30};

int pki_solvers_class(const pki_solvers_kind *kind)
{
  int size = 0;
  while (kind->contacts > sizes[size]) {
    size++;
  }
  return 4 * size + 2 * (kind->excess > 0) + kind->slides;
}

void pki_solvers_class_name(int class, char *out, size_t size)
{
  const int s = class / 4, least = s > 0 ? sizes[s - 1] + 1 : 1;
  char range[32];
  if (s == PKI_SOLVERS_SIZES - 1) {
    snprintf(range, sizeof range, "over %d", least - 1);
  } else {
    snprintf(range, sizeof range, "%d to %d", least, sizes[s]);
  }
  snprintf(out, size, "%s contacts, %s, %s", range, class / 2 % 2 ? "hyperstatic" : "determinate",
           class % 2 ? "sliding" : "sticking");
}

int pki_solvers_class_count(const pki_solvers_data *d, int class)
{
  int count = 0;
  for (int i = 0; i < d->n; i++) {
    count += pki_solvers_class(&d->records[i].kind) == class;
  }
  return count;
}

/* --- scores ---------------------------------------------------------------------------- */

static int compare_ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double pki_solvers_quantile(double *values, int n, double share)
{
  if (n == 0) {
    return NAN;
  }
  qsort(values, (size_t)n, sizeof *values, compare_ascending);
  const int at = (int)ceil(share * n) - 1;
  return values[at > 0 ? at : 0];
}

enum { ITERATIONS, TIME, RESIDUAL, NORMAL, QUANTITIES };

static double result_quantity(const pki_solver_result *t, int which)
{
  const double all[QUANTITIES] = {t->iterations, t->time, t->residual, t->normal};
  return all[which];
}

/* The values of one quantity over a class, in order of problems. */
static int collect_quantity(const pki_solvers_data *d, int start, int entrant, int class, int which,
                            double *out)
{
  int n = 0;
  for (int i = 0; i < d->n; i++) {
    const pki_solver_result *t = &d->records[i].tries[start][entrant];
    if (t->tried && (class < 0 || pki_solvers_class(&d->records[i].kind) == class)) {
      out[n++] = result_quantity(t, which);
    }
  }
  return n;
}

pki_solvers_score pki_solvers_score_of(const pki_solvers_data *d, int start, int entrant, int class)
{
  pki_solvers_score s = {.mean = NAN, .own = NAN};
  double sum = 0;
  for (int i = 0; i < d->n; i++) {
    const pki_solver_result *t = &d->records[i].tries[start][entrant];
    if (!t->tried || (class >= 0 && pki_solvers_class(&d->records[i].kind) != class)) {
      continue;
    }
    s.tried++;
    s.solved += t->solved;
    s.denied += t->claims && !t->solved;
    s.own = t->solved ? fmax(s.own, t->own) : s.own;
    sum += t->time;
  }
  s.mean = s.tried > 0 ? sum / s.tried : NAN;
  double *values = malloc((size_t)(d->n + 1) * sizeof *values);
  double *const low[QUANTITIES] = {&s.iterations[0], &s.time[0], &s.residual[0], &s.normal[0]};
  for (int q = 0; q < QUANTITIES; q++) {
    const int n = values != NULL ? collect_quantity(d, start, entrant, class, q, values) : 0;
    low[q][0] = pki_solvers_quantile(values, n, 0.5);
    low[q][1] = pki_solvers_quantile(values, n, q == RESIDUAL || q == NORMAL ? 1 : 0.9);
  }
  free(values);
  return s;
}

int pki_solvers_winner(const pki_solvers_data *d, int start, int class)
{
  int best = -1;
  pki_solvers_score of = {0};
  for (int e = 0; e < PK_SOLVER_COUNT; e++) {
    const pki_solvers_score s = pki_solvers_score_of(d, start, e, class);
    if (s.solved > of.solved || (s.solved > 0 && s.solved == of.solved && s.mean < of.mean)) {
      best = e, of = s;
    }
  }
  return best;
}

/* --- profiles -------------------------------------------------------------------------- */

/* s, of the fastest contact solver that solves it; infinite: none does. */
static double fastest_solver_time(const pki_solvers_record *record, int start)
{
  double least = INFINITY;
  for (int e = 0; e < PK_SOLVER_COUNT; e++) {
    const pki_solver_result *t = &record->tries[start][e];
    least = t->tried && t->solved ? fmin(least, t->time) : least;
  }
  return least;
}

double pki_solvers_profile(const pki_solvers_data *d, int start, int entrant, double tau)
{
  int count = 0;
  for (int i = 0; i < d->n; i++) {
    const pki_solver_result *t = &d->records[i].tries[start][entrant];
    count += t->tried && t->solved && t->time <= tau * fastest_solver_time(&d->records[i], start);
  }
  return d->n > 0 ? (double)count / d->n : NAN;
}

double pki_solvers_reached(const pki_solvers_data *d, int start, int entrant, double residual)
{
  int count = 0, tried = 0;
  for (int i = 0; i < d->n; i++) {
    const pki_solver_result *t = &d->records[i].tries[start][entrant];
    tried += t->tried;
    count += t->tried && t->residual <= residual;
  }
  return tried > 0 ? (double)count / tried : NAN;
}
