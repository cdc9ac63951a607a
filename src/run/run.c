#define _POSIX_C_SOURCE 200809L
#include "run/run.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "record/text.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Why a step failed, in words. */
static void explain(const pki_watch *w, pk_status status, const pk_step_info *info, pki_run_result *r)
{
  const bool joint = info->term != NULL && strcmp(info->term, "command") == 0;
  const pk_model *m = joint ? pk_sim_joint_model(w->world->sim) : pk_sim_model(w->world->sim);
  const int link = info->body >= 0 && info->body < m->nbody ? m->body_link[info->body] : -1;
  const char *term = info->term != NULL ? info->term : "";
  snprintf(r->stopped, sizeof r->stopped, "step %lld at %g s: %s%s%s%s%s%s", r->steps + 1,
           pk_sim_time(w->world->sim), pk_status_text(status), term[0] != '\0' ? ", in " : "", term,
           link >= 0 ? ", at " : "", link >= 0 ? m->links[link].name : "",
           strcmp(term, "max_contacts") == 0
               ? "; does a robot start in the ground? Else raise step.max_contacts"
               : "");
}

static void show(const pki_run_options *o, const pki_watch *w, const pki_run_result *r, double wall,
                 double end)
{
  if (o->progress != NULL) {
    char what[96];
    const double t = pk_sim_time(w->world->sim);
    snprintf(what, sizeof what, "%.2f of %.2f s, %.1f x real time, residual %.0e", t, end,
             wall > 0 ? t / wall : 0, r->worst_residual);
    o->progress(o->user, end > 0 ? fmin(t / end, 1) : 1, what);
  }
}

/* All steps; a failing one ends it. */
static void loop(pki_watch *w, const pki_run_options *o, long long steps, pki_csv *csv, pki_trace *trace,
                 pki_run_result *r)
{
  const double end = (double)steps * w->world->scenario->step.dt;
  double shown = 0;
  for (long long i = 0; i < steps; i++) {
    pk_step_info info = {.body = -1, .term = "", .certified = true};
    const double before = now();
    r->status = pki_world_step(w->world, &info);
    const double after = now();
    r->wall += after - before;
    if (r->status != PK_OK) {
      explain(w, r->status, &info, r);
      break;
    }
    pki_watch_step(w, &info, r);
    if (o->folder != NULL) {
      pki_csv_row(csv, w);
      pki_trace_step(trace, w, &info, r->steps);
    }
    if (after - shown > 0.1) {
      shown = after;
      show(o, w, r, r->wall, end);
    }
  }
}

pk_status pki_run(pki_world *world, const pki_run_options *options, pki_run_result *result, pk_error *err)
{
  const pki_scenario *s = world->scenario;
  *result = (pki_run_result){.bound = options->bound > 0 ? options->bound : s->step.tolerance};
  const double duration = options->duration >= 0 ? options->duration : s->duration;
  /* rounding must not cost or add a step */
  const long long steps = (long long)ceil(duration / s->step.dt - 1e-6);
  pki_watch watch = {0};
  pki_csv csv = {0};
  pki_trace trace = {0};
  pk_status status = pki_watch_begin(&watch, world, result, err);
  if (status == PK_OK && options->folder != NULL) {
    status = pki_folder_create(options->folder, err);
    status = status == PK_OK ? pki_csv_begin(&csv, &watch, options->folder, err) : status;
    status = status == PK_OK ? pki_trace_begin(&trace, &watch, steps, err) : status;
  }
  if (status == PK_OK) {
    loop(&watch, options, steps, &csv, &trace, result);
    pki_watch_end(&watch, result);
  }
  if (csv.file != NULL) {
    const pk_status closed = pki_csv_end(&csv, status == PK_OK, err);
    status = status == PK_OK ? closed : status;
  }
  if (status == PK_OK && options->folder != NULL) {
    status = pki_run_report(&watch, &trace, result, options->folder, err);
  }
  pki_trace_free(&trace);
  pki_watch_free(&watch);
  return status;
}
