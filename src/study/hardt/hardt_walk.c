/* A motion of the study in the hard-contact simulator: 20 cycles, joints driven by DC motors, S_H measured after every step. */
#include "base/file.h"
#include "run/single_run.h"
#include "study/hardt/hardt.h"

static void note_walk(void *user, const pki_world *world, const pki_run_result *result)
{
  pki_hardt_walk *out = user;
  (void)world;
  const double time = result->duration;
  *out = (pki_hardt_walk){.ran = true,
                          .fell = result->fell,
                          .certified = pki_run_certified(result),
                          .seconds = time,
                          .speed = result->distance / time,
                          .least = pki_run_least_margin(result, PK_STABILITY_S_H),
                          .mean = pki_run_mean_margin(result, PK_STABILITY_S_H),
                          .electrical = result->flow.electrical,
                          .heat = result->flow.joule,
                          .electrical_a_metre = result->flow.electrical / result->distance};
}

pk_status pki_hardt_replay(pki_hardt_data *d, pki_hardt_case which, pk_error *err)
{
  /* the servos as motors, at a voltage that does not limit them */
  static const char *const sets[] = {
      "actuators=[{joints: \"*\", kind: dc, motor: sony-ers-210-dc, voltage: 40}]",
      "stability={measures: [s_h]}", "certify=1e-8"};
  const double cycles = d->quick ? 4 : 20;
  char folder[PKI_PATH_MAX], path[PKI_PATH_MAX];
  bool refused = false;
  if (!pki_path_join(folder, d->folder, pki_hardt_variants[which].id) ||
      !pki_path_join(path, folder, "scenario.yaml")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = d->folder}, "the path is too long");
  }
  const pki_single_run run_once = {.file = path,
                                   .sets = sets,
                                   .nset = sizeof sets / sizeof sets[0],
                                   .options = {.duration = cycles * pki_hardt_readings[PKI_HARDT_B].period},
                                   .ran = note_walk,
                                   .user = &d->walks[which]};
  return pki_run_single(&run_once, &refused, err);
}
