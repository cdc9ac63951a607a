/* The worst samples once more, recorded. */
#include <stdio.h>

#include "base/file.h"
#include "sweep/pool.h"
#include "sweep/sweep_report.h"

void pki_replay_folder(long long index, char out[64])
{
  snprintf(out, 64, "worst/%06lld", index);
}

static pk_status replay_sample(const pki_samples *s, const pki_record *known, const char *folder,
                               const atomic_int *stop, pk_error *err)
{
  char name[64], path[PKI_PATH_MAX];
  pki_record again;
  bool interrupted = false;
  pki_replay_folder(known->index, name);
  if (!pki_path_join(path, folder, name)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  const pk_status status = pki_sample_run(s->sweep, known->index, path, stop, &again, &interrupted, err);
  if (status != PK_OK || interrupted) {
    return status;
  }
  return pki_record_equal(known, &again)
             ? PK_OK
             : pki_fail(err, PK_ERROR_CONVERGENCE, (pki_where){.file = path},
                        "sample %lld gives other numbers when it runs again: the table cannot be trusted",
                        known->index);
}

pk_status pki_sweep_replay(const pki_samples *samples, const char *folder, const atomic_int *stop,
                           pk_error *err)
{
  char path[PKI_PATH_MAX];
  pk_status status = PK_OK;
  if (!pki_path_join(path, folder, "worst") || !pki_folder_remove(path)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "old replays cannot be removed");
  }
  for (int i = 0; i < samples->nworst && status == PK_OK && (stop == NULL || *stop == 0); i++) {
    status = replay_sample(samples, &samples->record[samples->worst[i]], folder, stop, err);
  }
  return status;
}
