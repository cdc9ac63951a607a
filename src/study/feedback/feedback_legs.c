/* Table I: quadrupeds; the long runs; the mixed problem with regularisation. All on threads. */
#include <math.h>
#include <stdlib.h>

#include "study/feedback/feedback.h"

const double pki_feedback_shifts[PKI_FEEDBACK_SHIFTS] = {0, 1e-9, 1e-6, 1e-3, 1e-2, 1};

void pki_feedback_share(pki_feedback_work work, void *jobs, size_t size, int count)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
  for (int i = 0; i < count; i++) {
    work((char *)jobs + (size_t)i * size);
  }
}

/* One run, or the search of one method's largest step. */
typedef struct leg_job {
  const pki_feedback_data *d;
  pki_feedback_leg_data *out;
  pki_feedback_scene scene;
  pki_feedback_leg_method method;
  int step; /* of pki_feedback_steps; -1: the largest */
  pk_status status;
  pk_error err;
} leg_job;

static const double settle = 1; /* s */

static void do_leg_job(void *job)
{
  leg_job *const j = job;
  const pki_feedback_case c = pki_feedback_leg_case(j->scene, j->method);
  if (j->step < 0) {
    j->status = pki_feedback_limit(&c, j->d->seconds, &j->out->limit, &j->err);
    if (j->status == PK_OK && j->out->limit > 0) {
      const pki_feedback_terms terms = {.dt = j->out->limit, .seconds = j->d->seconds, .settle = settle};
      j->status = pki_feedback_simulate(&c, &terms, &j->out->at, &j->err);
    }
  } else if (pki_feedback_is_dense(j->method)) {
    const pki_dense_terms terms = {.scene = j->scene,
                                   .method = j->method,
                                   .dt = pki_feedback_steps[j->step],
                                   .seconds = j->d->seconds,
                                   .settle = settle,
                                   .limit = INFINITY};
    j->status = pki_dense_simulate(&terms, &j->out->dense[j->step], &j->err);
    j->out->cells[j->step] = j->out->dense[j->step].run;
  } else {
    const pki_feedback_terms terms = {
        .dt = pki_feedback_steps[j->step], .seconds = j->d->seconds, .settle = settle};
    j->status = pki_feedback_simulate(&c, &terms, &j->out->cells[j->step], &j->err);
  }
}

/* The first of the steps that is run: quick studies leave small ones out. */
static int first_step(const pki_feedback_data *d)
{
  return d->quick ? 2 : 0;
}

/* The paper's solvers, and all in a quick study: the largest of the steps up to which all are stable. */
static void find_limit_of_cells(const pki_feedback_data *d, pki_feedback_leg_data *l)
{
  l->limit = 0;
  for (int i = first_step(d); i < PKI_FEEDBACK_STEPS && pki_feedback_stable(&l->cells[i]); i++) {
    l->limit = pki_feedback_steps[i];
    l->at = l->cells[i];
    l->wall = l->cells[i].wall;
  }
}

static pk_status time_legs(pki_feedback_data *d, pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < PKI_SCENES * PKI_LEG_METHODS && status == PK_OK; i++) {
    const pki_feedback_scene scene = (pki_feedback_scene)(i / PKI_LEG_METHODS);
    const pki_feedback_leg_method method = (pki_feedback_leg_method)(i % PKI_LEG_METHODS);
    pki_feedback_leg_data *const l = &d->legs[scene][method];
    if (d->quick || pki_feedback_is_dense(method)) {
      find_limit_of_cells(d, l);
    } else if (l->limit > 0) {
      const pki_feedback_timing timing = {pki_feedback_leg_case(scene, method), l->limit};
      status = pki_feedback_time(&timing, 1, d->seconds, &l->wall, err);
    }
  }
  return status;
}

/* Jobs in parts, so that progress can be told. */
static pk_status share_leg_jobs(leg_job *jobs, int count, const pki_study_watch *watch, pk_error *err)
{
  enum { PART = 24 };
  pk_status status = PK_OK;
  for (int i = 0; i < count && status == PK_OK; i += PART) {
    const int n = count - i < PART ? count - i : PART;
    pki_feedback_share(do_leg_job, jobs + i, sizeof *jobs, n);
    for (int k = i; k < i + n && status == PK_OK; k++) {
      status = jobs[k].status;
      *err = status != PK_OK ? jobs[k].err : *err;
    }
    watch->tell(watch->user, 0.95 * (i + n) / count);
  }
  return status;
}

/* Long jobs first: searches, then small steps. */
pk_status pki_feedback_legs(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err)
{
  enum { MOST = PKI_SCENES * PKI_LEG_METHODS * (PKI_FEEDBACK_STEPS + 1) };
  leg_job *jobs = calloc(MOST, sizeof *jobs);
  int count = 0;
  if (jobs == NULL) {
    return pki_fail_memory(err, NULL);
  }
  for (int step = -1; step < PKI_FEEDBACK_STEPS; step++) {
    for (int i = 0; i < PKI_SCENES * PKI_LEG_METHODS; i++) {
      const pki_feedback_scene scene = (pki_feedback_scene)(i / PKI_LEG_METHODS);
      const pki_feedback_leg_method method = (pki_feedback_leg_method)(i % PKI_LEG_METHODS);
      pki_feedback_leg_data *const out = &d->legs[scene][method];
      if (step >= 0) {
        out->cells[step] = (pki_feedback_run){.dt = pki_feedback_steps[step],
                                              .error = NAN,
                                              .speed = NAN,
                                              .slip = NAN,
                                              .slip_mean = NAN,
                                              .torque = NAN,
                                              .residual = NAN};
      }
      if (step >= first_step(d) || (step < 0 && !d->quick && !pki_feedback_is_dense(method))) {
        jobs[count++] =
            (leg_job){.d = d, .out = &d->legs[scene][method], .scene = scene, .method = method, .step = step};
      }
    }
  }
  pk_status status = share_leg_jobs(jobs, count, watch, err);
  free(jobs);
  return status == PK_OK ? time_legs(d, err) : status;
}

/* ---- the long runs ---- */

typedef struct long_job {
  pki_feedback_scene scene;
  double dt, seconds;
  pki_feedback_run *out;
  pk_status status;
  pk_error err;
} long_job;

static void do_long_job(void *job)
{
  long_job *const j = job;
  const pki_feedback_case c = pki_feedback_leg_case(j->scene, PKI_LEG_TWO_STAGE);
  const pki_feedback_terms terms = {.dt = j->dt, .seconds = j->seconds, .settle = 3};
  j->status = pki_feedback_simulate(&c, &terms, j->out, &j->err);
}

pk_status pki_feedback_lasting(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err)
{
  static const pki_feedback_scene scenes[2] = {PKI_SCENE_TROT, PKI_SCENE_SINUSOIDS};
  long_job jobs[2 * PKI_FEEDBACK_LONG];
  for (int i = 0; i < 2 * PKI_FEEDBACK_LONG; i++) { /* sinusoids first, they take longest */
    const int motion = i % 2 == 0, step = i / 2;
    jobs[i] = (long_job){.scene = scenes[motion],
                         .dt = pki_feedback_steps[PKI_FEEDBACK_STEPS - PKI_FEEDBACK_LONG + step],
                         .seconds = d->long_seconds,
                         .out = &d->lasting[motion][step]};
  }
  watch->tell(watch->user, 0);
  pki_feedback_share(do_long_job, jobs, sizeof *jobs, 2 * PKI_FEEDBACK_LONG);
  pk_status status = PK_OK;
  for (int i = 0; i < 2 * PKI_FEEDBACK_LONG && status == PK_OK; i++) {
    status = jobs[i].status;
    *err = status != PK_OK ? jobs[i].err : *err;
  }
  return status;
}

/* ---- regularisation ---- */

typedef struct shift_job {
  pki_dense_terms terms;
  pki_dense_run *out;
  pk_status status;
  pk_error err;
} shift_job;

static void do_shift_job(void *job)
{
  shift_job *const j = job;
  j->status = pki_dense_simulate(&j->terms, j->out, &j->err);
}

pk_status pki_feedback_shifted(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err)
{
  const double steps[2] = {d->quick ? 0.05 : 0.001, 0.01};
  shift_job jobs[2 * PKI_FEEDBACK_SHIFTS];
  for (int i = 0; i < 2 * PKI_FEEDBACK_SHIFTS; i++) {
    jobs[i] = (shift_job){.terms = {.scene = PKI_SCENE_TROT,
                                    .method = PKI_LEG_MLCP,
                                    .dt = steps[i % 2],
                                    .seconds = d->seconds,
                                    .settle = settle,
                                    .shift = pki_feedback_shifts[i / 2],
                                    .limit = INFINITY},
                          .out = &d->shifted[i / 2][i % 2]};
  }
  watch->tell(watch->user, 0);
  pki_feedback_share(do_shift_job, jobs, sizeof *jobs, 2 * PKI_FEEDBACK_SHIFTS);
  pk_status status = PK_OK;
  for (int i = 0; i < 2 * PKI_FEEDBACK_SHIFTS && status == PK_OK; i++) {
    status = jobs[i].status;
    *err = status != PK_OK ? jobs[i].err : *err;
  }
  return status;
}
