#include "run/run.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "run/run_output.h"
#include "run/run_report.h"

/* Progress for a viewer: where the run is, how fast it goes, and its state. */
typedef struct viewer {
  double began, from; /* s: wall clock and run when this process began it */
  double shown;
} viewer;

static void show_progress(viewer *v, const pki_run_options *o, const pki_watch *w, const pki_run_result *r,
                          double end)
{
  const double at = pki_clock();
  if (o->progress == NULL || at - v->shown < 0.1) {
    return;
  }
  v->shown = at;
  char what[128];
  const double t = pk_sim_time(w->world->sim), speed = (t - v->from) / fmax(at - v->began, 1e-9);
  snprintf(what, sizeof what, "%.1f/%gs %.3gx, %.0fs left; res %.0e, %d contacts, %.2fm", t, end, speed,
           speed > 0 ? ceil((end - t) / speed) : 0, r->worst_residual, w->info.contacts, r->height);
  o->progress(o->user, end > 0 ? fmin(t / end, 1) : 1, what);
}

/* All steps; a step that fails, or a request to stop, ends the run. */
static void run_steps(pki_watch *w, const pki_run_options *o, long long steps, pki_run_output *keep,
                      pki_run_result *r)
{
  const double end = (double)steps * w->world->scenario->step.dt;
  viewer v = {.began = pki_clock(), .from = pk_sim_time(w->world->sim)};
  while (r->steps < steps && !keep->failed) {
    if (o->stop != NULL && *o->stop != 0) {
      r->interrupted = true;
      snprintf(r->stopped, sizeof r->stopped, "interrupted at %g s", pk_sim_time(w->world->sim));
      break;
    }
    const double before = pki_clock();
    r->status = pki_world_step(w->world, &w->info);
    r->wall += pki_clock() - before;
    if (r->status != PK_OK) {
      pki_watch_explain(w, r, r->status, r->stopped, sizeof r->stopped);
      break;
    }
    pki_watch_step(w, r);
    pki_run_output_step(keep);
    if (o->progress != NULL && r->steps % 16 == 0) {
      show_progress(&v, o, w, r, end);
    }
  }
}

/* report.html from what was recorded. */
static pk_status write_report(const pki_run_output *keep, const pki_run_result *result, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pki_table summary;
  pk_recording *recording = NULL;
  if (!pki_path_join(path, keep->options->folder, "report.html")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = keep->options->folder},
                    "the folder's name is too long");
  }
  pk_status status = pk_recording_open(keep->recording, &recording, err);
  if (status == PK_OK) {
    pki_run_table(result, &summary);
    status = pki_report_run(recording, &summary, path, err);
    pki_table_free(&summary);
  }
  pk_recording_close(recording);
  return status;
}

pk_status pki_run(pki_world *world, const pki_run_options *options, pki_run_result *result, pk_error *err)
{
  const pki_scenario *s = world->scenario;
  const double duration = options->duration >= 0 ? options->duration : s->duration;
  /* rounding must not cost or add a step */
  const long long steps = (long long)ceil(duration / s->step.dt - 1e-6);
  pki_watch watch = {0};
  pki_run_output keep = {0};
  pk_status status =
      pki_watch_begin(&watch, world, options->bound > 0 ? options->bound : s->step.tolerance, result, err);
  status = status == PK_OK ? pki_run_output_begin(&keep, &watch, result, options, steps, err) : status;
  if (status == PK_OK) {
    run_steps(&watch, options, steps, &keep, result);
    pki_watch_end(&watch, result);
    pk_error failed = {0};
    if (pki_run_output_end(&keep, result->interrupted, &failed) !=
        PK_OK) { /* what was computed is still told */
      result->status = failed.status;
      snprintf(result->stopped, sizeof result->stopped, "%.120s: %.180s", failed.file, failed.message);
    }
  }
  if (status == PK_OK && keep.recorder != NULL && !keep.failed && !options->no_report) {
    status = write_report(&keep, result, err);
  }
  pki_run_output_free(&keep);
  pki_watch_free(&watch);
  return status;
}
