/* The trot: all configurations side by side, a gait cycle of each in turn, so that whatever else the machine does
 * meets all of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/starleth/starleth.h"

enum { RUNNERS_MAX = PKI_STARLETH_FORMS * PKI_STARLETH_CONFIGS, CYCLES_MAX = 64, FORM_CYCLES = 4 };

static const double cycle = 0.8, warm_up = 0.1; /* s */

/* Sums of a time, of its square. */
typedef struct sums {
  double s, ss;
} sums;

/* One configuration under way. */
typedef struct runner {
  int config;
  pki_starleth_form form; /* others than the published one: for their speed and iterations alone */
  pk_sim_options o;
  pki_starleth_world w;
  bool alive;
  long long steps, timed, iterations, unfinished;
  int most;
  double x, gap; /* m, at the start of the trot */
  double time, penetration, depth, residual, closure, velocity;
  sums parts[PK_STEP_PART_COUNT], step;
  double quickest; /* s, of all steps */
  double rate[CYCLES_MAX];
  int nrate;
} runner;

static void add_sample(sums *s, double x)
{
  s->s += x;
  s->ss += x * x;
}

static pki_starleth_time time_of(const sums *s, long long n)
{
  const double mean = s->s / (double)n;
  return (pki_starleth_time){mean, sqrt(fmax(0, s->ss / (double)n - mean * mean))};
}

/* Time of a step without the controller's. */
static double step_time_without_control(const pk_step_info *info)
{
  double t = 0;
  for (int p = PK_STEP_PART_CONTROL + 1; p < PK_STEP_PART_COUNT; p++) {
    t += info->seconds[p];
  }
  return t;
}

/* A step that took twenty times the quickest was interrupted: its time is another program's. */
static void add_times(runner *r, const pk_step_info *info)
{
  const double t = step_time_without_control(info);
  if (t > 20 * r->quickest) {
    return;
  }
  r->timed++;
  add_sample(&r->step, t);
  for (int p = 0; p < PK_STEP_PART_COUNT; p++) {
    add_sample(&r->parts[p], info->seconds[p]);
  }
}

static void advance_runner(runner *r, double seconds, bool counted)
{
  const int n = (int)lround(seconds / r->o.dt);
  double spent = 0;
  for (int i = 0; i < n && r->alive; i++) {
    pk_step_info info;
    r->alive = pki_starleth_step(&r->w, &info) == PK_OK && !pki_starleth_fallen(&r->w);
    r->quickest = fmin(r->quickest, step_time_without_control(&info));
    if (!r->alive || !counted) {
      r->gap = info.closure;
      continue;
    }
    spent += step_time_without_control(&info);
    add_times(r, &info);
    r->steps++;
    r->iterations += info.solver_iterations;
    r->unfinished += r->o.law == PK_CONTACT_LAW_HARD && info.solver_iterations >= r->o.max_iterations;
    r->most = info.solver_iterations > r->most ? info.solver_iterations : r->most;
    r->time += r->o.dt;
    r->depth += info.penetration;
    r->penetration = fmax(r->penetration, info.penetration);
    r->residual = fmax(r->residual, info.certificate.relative);
    r->closure = info.closure;
    r->velocity += info.certificate.bilateral;
  }
  if (counted && r->alive) {
    r->rate[r->nrate++] = n / spent;
  }
}

static int compare_doubles(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(double *values, int n)
{
  if (n == 0) {
    return NAN;
  }
  qsort(values, (size_t)n, sizeof *values, compare_doubles);
  return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

static void conclude_trot(runner *r, pki_starleth_data *d)
{
  pki_starleth_trot *t = &d->trots[r->config];
  const double n = (double)r->steps;
  const bool cut = pki_starleth_configs[r->config].set != PKI_STARLETH_MINIMAL;
  t->form_rate[r->form] = median_of(r->rate, r->nrate);
  t->form_iterations[r->form] = (double)r->iterations / n;
  if (r->form != PKI_STARLETH_PUBLISHED) {
    return;
  }
  t->seconds = r->time;
  t->fell = !r->alive;
  t->distance = r->w.q[0] - r->x;
  t->rate = median_of(r->rate, r->nrate);
  t->rtf = t->rate * r->o.dt;
  t->iterations = (double)r->iterations / n;
  t->most_iterations = r->most;
  t->unfinished = r->unfinished;
  t->residual = r->residual;
  t->penetration = r->penetration;
  t->stance = r->depth / n;
  t->step = time_of(&r->step, r->timed);
  for (int p = 0; p < PK_STEP_PART_COUNT; p++) {
    t->parts[p] = time_of(&r->parts[p], r->timed);
  }
  t->gap_rate = cut ? 60 * (r->closure - r->gap) / r->time : NAN;
  t->velocity_rate = cut ? 60 * r->velocity / n : NAN;
}

/* Everybody on their feet, and to the start of the trot. */
static pk_status start_runners(const pki_starleth_lab *lab, bool quick, runner *runners, int *count,
                               pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < RUNNERS_MAX && status == PK_OK; i++) {
    const pki_starleth_config *c = &pki_starleth_configs[i % PKI_STARLETH_CONFIGS];
    const pki_starleth_form form = (pki_starleth_form)(i / PKI_STARLETH_CONFIGS);
    if (!pki_starleth_has_form(c, form) || (quick && form != PKI_STARLETH_PUBLISHED)) {
      continue;
    }
    runner *r = &runners[*count];
    *r = (runner){.config = i % PKI_STARLETH_CONFIGS,
                  .form = form,
                  .o = pki_starleth_form_options(c, form),
                  .alive = true,
                  .quickest = INFINITY};
    r->o.timing = true;
    status = pki_starleth_start(lab, c->set, &r->o, warm_up, PKI_STARLETH_FORWARD, &r->w, err);
    if (status == PK_OK) {
      ++*count;
      advance_runner(r, warm_up, false);
      r->x = r->w.q[0];
    }
  }
  return status;
}

pk_status pki_starleth_trots(const pki_starleth_lab *lab, pki_starleth_data *d, const pki_study_watch *watch,
                             pk_error *err)
{
  runner *runners = calloc(RUNNERS_MAX, sizeof *runners);
  int count = 0;
  if (runners == NULL) {
    return pki_fail_memory(err, NULL);
  }
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    for (int form = 0; form < PKI_STARLETH_FORMS; form++) {
      d->trots[i].form_rate[form] = d->trots[i].form_iterations[form] = NAN;
    }
  }
  pk_status status = start_runners(lab, d->quick, runners, &count, err);
  for (int k = 0; k < d->cycles && k < CYCLES_MAX && status == PK_OK; k++) {
    for (int i = 0; i < count; i++) {
      if (runners[i].form == PKI_STARLETH_PUBLISHED || k < FORM_CYCLES) {
        advance_runner(&runners[i], cycle, true);
      }
      watch->tell(watch->user, (k + (i + 1.0) / count) / d->cycles);
    }
  }
  for (int i = 0; i < count; i++) {
    if (status == PK_OK) {
      conclude_trot(&runners[i], d);
    }
    pki_starleth_stop(&runners[i].w);
  }
  free(runners);
  return status;
}

/* --- Fig. 5 ---------------------------------------------------------------------------- */

/* Cm; HmJ; ten times the damping along the normal, and in all directions, at a quarter of the step; and at an eighth. */
static pk_sim_options curve_options(int which)
{
  pk_sim_options o = pki_starleth_options(&pki_starleth_configs[which == 1 ? 1 : 0]);
  if (which >= 2) {
    o.damping_n *= 10;
    o.damping_t *= which == 2 ? 1 : 10;
    o.dt /= which == 4 ? 8 : 4;
  }
  return o;
}

/* A cycle from the first touch-down after `after` seconds, and the mean of several: where the feet ring without end, that of
 * one cycle differs from the next one's by a tenth. */
static pk_status record_curve(pki_starleth_world *w, double after, pki_starleth_curve *c)
{
  enum { CYCLES = 8 };
  static const double swing = 0.1; /* s without force: the foot was in the air */
  pk_step_info info;
  double quiet = 0, sum = 0;
  int n = 0;
  const int room = c->n;
  pk_status status = PK_OK;
  for (long long i = 0; n < CYCLES * room && (double)i * c->dt <= after + (CYCLES + 3) * cycle; i++) {
    status = pki_starleth_step(w, &info);
    if (status != PK_OK) {
      break;
    }
    const double force = pki_starleth_normal_force(w, 0) / c->dt;
    const bool lands = (double)i * c->dt > after && quiet > swing && force > 0;
    quiet = force > 0 ? 0 : quiet + c->dt;
    if (n > 0 || lands) {
      if (n < room) {
        c->time[n] = n * c->dt;
        c->force[n] = force;
      }
      n++;
      sum += force;
    }
  }
  c->n = n < room ? n : room;
  c->mean = n > 0 ? sum / n : 0;
  return status;
}

/* Mean of a curve within half a period of a sample. */
static double mean_about(const pki_starleth_curve *c, int i, int half)
{
  double sum = 0;
  for (int k = i - half; k <= i + half; k++) {
    sum += c->force[k];
  }
  return sum / (2 * half + 1);
}

/* Peak; and how the force swings about its mean over a period of the springs' oscillation, while the foot and its diagonal one
 * carry the robot: from 110 ms, when the other pair has left the ground, to 350 ms. */
static void measure_curve(pki_starleth_curve *c)
{
  static const double period = 0.027, from = 0.11, to = 0.35; /* s */
  const int half = (int)lround(0.5 * period / c->dt);
  double ss = 0;
  int n = 0;
  c->peak = 0;
  for (int i = 0; i < c->n; i++) {
    c->peak = fmax(c->peak, c->force[i]);
    if (c->time[i] >= from && c->time[i] <= to && i >= half && i + half < c->n) {
      const double away = c->force[i] - mean_about(c, i, half);
      ss += away * away;
      n++;
    }
  }
  c->ripple = n > 0 ? sqrt(ss / n) : NAN;
}

pk_status pki_starleth_curves(const pki_starleth_lab *lab, pki_starleth_data *d, pk_error *err)
{
  static const char *const names[PKI_STARLETH_CURVES] = {"Cm", "HmJ", "Cm, 10 d_N, dt/4", "Cm, 10 d, dt/4",
                                                         "Cm, 10 d, dt/8"};
  pk_status status = PK_OK;
  for (int k = 0; k < PKI_STARLETH_CURVES && status == PK_OK; k++) {
    const pk_sim_options o = curve_options(k);
    pki_starleth_curve *c = &d->curves[k];
    pki_starleth_world w;
    *c = (pki_starleth_curve){.name = names[k], .dt = o.dt, .n = (int)lround(cycle / o.dt)};
    c->time = calloc(2 * (size_t)c->n, sizeof *c->time);
    if (c->time == NULL) {
      return pki_fail_memory(err, NULL);
    }
    c->force = c->time + c->n;
    status = pki_starleth_start(lab, PKI_STARLETH_MINIMAL, &o, warm_up, PKI_STARLETH_FORWARD, &w, err);
    if (status == PK_OK) {
      status = record_curve(&w, d->quick ? 1 : 6, c);
      c->stays = status == PK_OK && !pki_starleth_fallen(&w);
      pki_starleth_stop(&w);
    }
  }
  for (int k = 0; k < PKI_STARLETH_CURVES && status == PK_OK; k++) {
    measure_curve(&d->curves[k]);
  }
  return status;
}

/* --- Fig. 6 ---------------------------------------------------------------------------- */

/* Mean iterations of a step; NAN when one does not come to its end. */
static pk_status iterations_at(const pki_starleth_lab *lab, const pki_starleth_config *c,
                               pki_starleth_form form, double alpha, double seconds, double *mean,
                               pk_error *err)
{
  pk_sim_options o = pki_starleth_form_options(c, form);
  pki_starleth_world w;
  o.alpha = alpha;
  o.max_iterations = 20000;
  pk_status status = pki_starleth_start(lab, c->set, &o, 0, PKI_STARLETH_FORWARD, &w, err);
  if (status != PK_OK) {
    return status;
  }
  const int n = (int)lround(seconds / o.dt);
  double sum = 0;
  for (int i = 0; i < n && isfinite(sum); i++) {
    pk_step_info info;
    const bool fine = pki_starleth_step(&w, &info) == PK_OK && info.solver_iterations < o.max_iterations &&
                      isfinite(info.certificate.relative) && !pki_starleth_fallen(&w);
    sum = fine ? sum + info.solver_iterations : NAN;
  }
  *mean = sum / n;
  pki_starleth_stop(&w);
  return PK_OK;
}

pk_status pki_starleth_sweep_alpha(const pki_starleth_lab *lab, const pki_starleth_config *c,
                                   pki_starleth_form form, double seconds, const pki_study_watch *watch,
                                   pki_starleth_sweep *out, pk_error *err)
{
  double fewest = INFINITY, mean = 0;
  pk_status status = PK_OK;
  out->limit = out->fastest = NAN;
  for (int k = 0; k < PKI_STARLETH_ALPHAS; k++) {
    out->iterations[k] = NAN;
  }
  for (int k = 0; k < PKI_STARLETH_ALPHAS && isfinite(mean) && status == PK_OK; k++) {
    const double alpha = 0.1 * (k + 1);
    status = iterations_at(lab, c, form, alpha, seconds, &mean, err);
    out->iterations[k] = mean;
    out->limit = isfinite(mean) ? alpha : out->limit;
    if (mean < fewest) {
      fewest = mean;
      out->fastest = alpha;
    }
    watch->tell(watch->user, (k + 1.0) / PKI_STARLETH_ALPHAS);
  }
  return status;
}
