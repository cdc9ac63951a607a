#include "run/run_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/text.h"
#include "record/mcap.h"
#include "run/about.h"
#include "run/checkpoint.h"
#include "step/world.h"

/* ---- samples ---- */

/* Whether the controller has been asked since the last sample; without one, always. */
static bool controller_was_asked(const pki_run_output *k)
{
  const long long every = k->watch->world->sim->control.every, steps = k->result->steps, last = k->sampled;
  return every <= 1 || last < 0 || (steps + every - 1) / every != (last + every - 1) / every;
}

static pk_status record_sample(pki_run_output *k, bool view)
{
  pk_status status = PK_OK;
  const bool commands = !view && controller_was_asked(k);
  const double time = pk_sim_time(k->watch->world->sim);
  const int end = view ? k->reader->count : k->reader->view;
  for (int i = view ? k->reader->view : 0; i < end; i++) {
    int rows;
    if (k->reader->row[i]->control && !commands) {
      continue;
    }
    const double *values = pki_channel_reader_read(k->reader, i, &rows);
    const pk_status written = k->recorder->write(k->recorder, i, time, values, rows);
    status = status == PK_OK ? written : status; /* the recorder's end says why */
  }
  *(view ? &k->view_sampled : &k->sampled) = k->result->steps;
  return status;
}

/* ---- checkpoints ---- */

static pk_status save_checkpoint(pki_run_output *k, pk_error *err)
{
  const pki_world *w = k->watch->world;
  const size_t sim = pk_sim_state_size(w->sim), run = pki_watch_size(k->watch);
  void *const state = realloc(k->state, sim + run); /* room for contacts may have grown */
  if (state == NULL) {
    return pki_fail_memory(err, "checkpoints");
  }
  k->state = state;
  pki_checkpoint c = {.code = pki_world_code(w),
                      .model_hash = k->result->model_hash,
                      .scenario_hash = pki_scenario_hash(w->scenario),
                      .steps = (uint64_t)k->result->steps,
                      .time = pk_sim_time(w->sim),
                      .sim = k->state,
                      .sim_size = sim,
                      .run = (unsigned char *)k->state + sim,
                      .run_size = run};
  pki_checkpoint_stamp(&c);
  pk_sim_get_state(w->sim, c.sim);
  pki_watch_save(k->watch, k->result, c.run);
  pk_status status = k->recorder != NULL ? k->recorder->mark(k->recorder, &c.position, err) : PK_OK;
  return status == PK_OK ? pki_checkpoint_save(k->checkpoint, &c, err) : status;
}

/* The world, the watch and the recording as they were. */
static pk_status resume_run(pki_run_output *k, const pk_recording_options *options, long long steps,
                            pk_error *err)
{
  pki_world *w = k->watch->world;
  pki_checkpoint c;
  pk_status status = pki_checkpoint_load(k->checkpoint, &c, err);
  if (status != PK_OK) {
    return status;
  }
  status = pki_checkpoint_fits(&c, k->result->model_hash, pki_scenario_hash(w->scenario), err);
  if (status == PK_OK && c.code != pki_world_code(w)) {
    status =
        pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "checkpoint"},
                 "the checkpoint was written with %s dynamics, this run has %s: resume with the C compiler "
                 "that was there, or run the scenario from the start",
                 c.code != 0 ? "compiled" : "generic",
                 pki_world_code(w) == 0 ? "generic ones"
                 : c.code != 0          ? "other code"
                                        : "compiled ones");
  }
  if (status == PK_OK && c.steps > (uint64_t)steps) {
    status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.file = k->checkpoint},
                      "the run is at %g s already, which is more than the %g s that are asked for", c.time,
                      (double)steps * w->scenario->step.dt);
  }
  if (status == PK_OK && c.run_size != pki_watch_size(k->watch)) {
    status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.file = k->checkpoint},
                      "the checkpoint holds %zu bytes about the run, expected %zu", c.run_size,
                      pki_watch_size(k->watch));
  }
  status = status == PK_OK ? pk_sim_set_state(w->sim, c.sim, c.sim_size, err) : status;
  if (status == PK_OK) {
    const double bound = k->result->bound;
    pki_watch_restore(k->watch, k->result, c.run);
    k->result->bound = bound;
    if (k->reader != NULL) {
      status = pk_recording_resume(k->recording, c.position, options, &k->recorder, err);
    }
  }
  pki_checkpoint_free(&c);
  return status;
}

/* ---- begin, step, end ---- */

static pk_status begin_recording(pki_run_output *k, pk_error *err)
{
  const pki_about_source source = {k->watch, k->result, k->options, k->reader};
  return pki_about_begin(&source, k->recorder, err);
}

/* Steps between events of a rate; 0: none. */
static long long steps_per_event(double rate, double dt)
{
  const double steps = rate > 0 ? round(1 / (rate * dt)) : 0;
  return rate > 0 ? (long long)fmax(steps, 1) : 0;
}

static pk_status open_channel_reader(pki_run_output *k, pk_error *err)
{
  const pki_scenario *s = k->watch->world->scenario;
  const char **only = calloc((size_t)s->nrecord_channel + 1, sizeof *only);
  if (only == NULL) {
    return pki_fail_memory(err, NULL);
  }
  for (int i = 0; i < s->nrecord_channel; i++) {
    only[i] = s->record_channels[i];
  }
  const pk_status status =
      pki_channel_reader_create(k->watch, k->result, only, s->nrecord_channel, &k->reader, err);
  if (status == PK_OK && k->every == 0) {
    pki_channel_reader_drop(k->reader, false);
  }
  if (status == PK_OK && k->view_every == 0) {
    pki_channel_reader_drop(k->reader, true);
  }
  free((void *)only);
  return status;
}

/* What another run has left here would tell of this one. */
static void remove_old(const char *folder)
{
  static const char *const names[] = {PKI_CHECKPOINT_FILE, "summary.json", "report.html"};
  char path[PKI_PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (pki_path_join(path, folder, names[i])) {
      remove(path);
    }
  }
}

pk_status pki_run_output_begin(pki_run_output *k, pki_watch *watch, pki_run_result *result,
                               const pki_run_options *options, long long steps, pk_error *err)
{
  const pki_scenario *s = watch->world->scenario;
  const double dt = s->step.dt;
  *k = (pki_run_output){
      .watch = watch, .result = result, .options = options, .sampled = -1, .view_sampled = -1};
  if (options->folder == NULL) {
    return PK_OK;
  }
  k->every = steps_per_event(s->record.rate, dt);
  k->view_every = steps_per_event(s->record.view_rate, dt);
  k->checkpoint_every =
      options->checkpoint_every > 0 ? (long long)fmax(round(options->checkpoint_every / dt), 1) : 0;
  if (!pki_path_join(k->recording, options->folder, PKI_RECORDING_FILE) ||
      !pki_path_join(k->checkpoint, options->folder, PKI_CHECKPOINT_FILE)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = options->folder},
                    "the folder's name is too long");
  }
  k->state = malloc(pk_sim_state_size(watch->world->sim) + pki_watch_size(watch));
  if (k->state == NULL) {
    return pki_fail_memory(err, "checkpoints");
  }
  const bool records = k->every > 0 || k->view_every > 0;
  pk_recording_options file = pk_recording_options_default();
  file.compression =
      pki_mcap_can_compress((int)s->record.compression) ? s->record.compression : file.compression;
  if (options->resume && !pki_is_folder(options->folder)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.file = options->folder}, "there is no such folder");
  }
  pk_status status = pki_folder_create(options->folder, err);
  status = status == PK_OK && records ? open_channel_reader(k, err) : status;
  if (status == PK_OK && options->resume) {
    status = resume_run(k, &file, steps, err);
  } else if (status == PK_OK) {
    remove_old(options->folder);
    status = records ? pk_recording_create(k->recording, &file, &k->recorder, err) : PK_OK;
  }
  status = status == PK_OK && k->recorder != NULL ? begin_recording(k, err) : status;
  if (status == PK_OK && options->resume) {
    k->sampled = k->every > 0 ? result->steps / k->every * k->every : -1;
    k->view_sampled = k->view_every > 0 ? result->steps / k->view_every * k->view_every : -1;
  } else if (status == PK_OK && k->recorder != NULL) {
    status = record_sample(k, false);
    status = status == PK_OK ? record_sample(k, true) : status;
  }
  return status;
}

void pki_run_output_step(pki_run_output *k)
{
  const long long steps = k->result->steps;
  if (k->every > 0 && steps == k->sampled + k->every) {
    k->failed = record_sample(k, false) != PK_OK || k->failed;
  }
  if (k->view_every > 0 && steps == k->view_sampled + k->view_every) {
    k->failed = record_sample(k, true) != PK_OK || k->failed;
  }
  if (k->checkpoint_every > 0 && steps % k->checkpoint_every == 0 && !k->failed) {
    k->failed = save_checkpoint(k, &k->error) != PK_OK;
  }
}

pk_status pki_run_output_end(pki_run_output *k, bool resumable, pk_error *err)
{
  /* the last sample is off the grid: a run that goes on must not have it */
  if (resumable && k->state != NULL && !k->failed) {
    k->failed = save_checkpoint(k, &k->error) != PK_OK;
  }
  if (k->every > 0 && k->sampled != k->result->steps) {
    record_sample(k, false);
  }
  if (k->view_every > 0 && k->view_sampled != k->result->steps) {
    record_sample(k, true);
  }
  pk_error why = {0};
  if (k->recorder != NULL && k->recorder->end(k->recorder, &why) != PK_OK && k->error.status == PK_OK) {
    k->error = why;
  }
  k->failed = k->failed || k->error.status != PK_OK;
  *err = k->error;
  return k->error.status;
}

void pki_run_output_free(pki_run_output *k)
{
  if (k->recorder != NULL) {
    k->recorder->destroy(k->recorder);
  }
  pki_channel_reader_destroy(k->reader);
  free(k->state);
}
