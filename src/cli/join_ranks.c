#include "cli/join_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folders.h"
#include "base/plugin.h"
#include "cli/cli.h"

/* What a starter of MPI programs leaves in the environment: Open MPI's mpirun, PMIx (Slurm, newer ones), PMI-1 and PMI-2
 * (Slurm, MPICH). MPI is not touched without one. */
static const char *mpi_starter(void)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *value = getenv(names[i]);
    if (value != NULL && value[0] != '\0') {
      return names[i];
    }
  }
  return NULL;
}

/* Several tasks of one srun that do not know of each other would get in each other's way. */
static bool is_task_without_mpi(void)
{
  const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
  return tasks != NULL && strtol(tasks, NULL, 10) > 1;
}

bool pki_ranks_begin(const char *command, pki_ranks *out)
{
  *out = (pki_ranks){.size = 1};
  const char *by = mpi_starter();
  if (by == NULL) {
    if (is_task_without_mpi()) {
      pki_complain(command, "srun started several of this program without MPI: use srun --mpi=pmix");
      return false;
    }
    return true;
  }
  char folder[PKI_PATH_MAX], path[PKI_PATH_MAX], message[256] = "";
  void *library = NULL;
  pki_ranks_join_fn join = NULL;
  if (pki_plugin_folder("plugins", "PRONK_PLUGINS", PKI_PLUGINS_FOLDER, folder) &&
      pki_path_join(path, folder, "pronk_mpi.so")) {
    pki_plugin_function symbol = pki_plugin_load(path, "pk_ranks_join", true, &library);
    memcpy(&join, &symbol, sizeof join);
  }
  if (join == NULL) {
    pki_complain(
        command,
        "started as one of several (%s is set), and there is no MPI plugin: %s. Install libopenmpi-dev "
        "(Debian) and build with PK_WITH_MPI=ON",
        by, pki_plugin_error());
    return false;
  }
  if (!join(out, message, sizeof message)) {
    pki_complain(command, "%s", message);
    return false;
  }
  return true;
}

void pki_ranks_end(const pki_ranks *comm, bool good)
{
  if (!good && comm->abandon != NULL && comm->size > 1) {
    fflush(NULL);
    comm->abandon(comm->user);
  } else if (comm->leave != NULL) {
    comm->leave(comm->user);
  }
}
