/* The biped walks at up to 1.8 km/h, every motor of a list with every ratio on both voltages is held against its walks, and the order is set
 * beside the paper's choice of 42 V and 66:1. */
#include "study/sizing/sizing_study.h"

#include <string.h>

int pki_sizing_find(const pki_size_group *g, const char *motor, double ratio, double voltage)
{
  for (int i = 0; i < g->ncandidate; i++) {
    const pki_drive *d = &g->candidates[i].drive;
    if ((motor == NULL || strcmp(d->motor->id, motor) == 0) && (ratio == 0 || d->gear.ratio == ratio) &&
        (voltage == 0 || d->voltage == voltage)) {
      return i;
    }
  }
  return -1;
}

static void tell_progress(void *user, double fraction, const char *what)
{
  const pki_study_options *options = user;
  if (options->progress != NULL) {
    options->progress(options->user, fraction, what);
  }
}

static pk_status load_study(bool quick, pki_size_study **study, pk_error *err)
{
  static const char *const sets[] = {"motions=[{gait: biped-walk, name: walk-1.8-km-h}]"};
  char path[PKI_PATH_MAX];
  pki_problems problems = {0};
  *study = NULL;
  const pk_status status = pki_yaml_locate(&pki_size_kind, "biped-drives", path, err);
  if (status != PK_OK) {
    return status;
  }
  pki_size_study_load(path, sets, quick ? 1 : 0, study, &problems);
  return pki_problems_first(&problems, err);
}

static pk_status run_sizing_study(const pki_study_options *options, pki_study_result *result, pk_error *err)
{
  pki_size_study *study = NULL;
  pki_size_result sizes = {0};
  pki_problems problems = {0};
  pki_sizing_check check = {0};
  const pki_size_work_options work = {
      .folder = options->folder, .rounds = 0, .progress = tell_progress, .user = (void *)options};
  pk_status status = pki_folder_create(options->folder, err);
  status = status == PK_OK ? load_study(options->quick, &study, err) : status;
  if (status == PK_OK) {
    pki_size_work(study, &work, &sizes, &problems);
    status = pki_problems_first(&problems, err);
  }
  status = status == PK_OK ? pki_sizing_simulate(&sizes.sizing, options->folder, &check, err) : status;
  if (status == PK_OK) {
    pki_sizing_rows(&sizes, &check, result);
    status = pki_sizing_report(&sizes, options, result, err);
  }
  if (status == PK_OK && result->failed) {
    status = pki_fail_memory(err, NULL);
  }
  pki_size_result_free(&sizes);
  pki_size_study_destroy(study);
  return status;
}

const pki_study pki_sizing_study = {
    "sizing",
    "motors, gears and voltages for the biped's walks at up to 1.8 km/h, beside the choice of the paper",
    "Hardt and von Stryk 2003, section 6, Figure 6", run_sizing_study};
