/* Messages between ranks by MPI: a plugin, loaded by `pronk sweep` when it was started by mpirun or srun. */
#include <mpi.h>
#include <stdio.h>

#include "sweep/ranks.h"

enum { TAG = 7 };

static bool ranks_send(void *user, int to, const void *bytes, size_t size)
{
  (void)user;
  return MPI_Send(bytes, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static long ranks_take(void *user, int *from, void *bytes, size_t room)
{
  (void)user;
  int there = 0, size = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS) {
    return -1;
  }
  if (!there) {
    return 0;
  }
  *from = status.MPI_SOURCE;
  if (MPI_Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS || size <= 0 || (size_t)size > room) {
    return -1;
  }
  return MPI_Recv(bytes, size, MPI_BYTE, *from, TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS ? size : -1;
}

static void ranks_leave(void *user)
{
  (void)user;
  MPI_Finalize();
}

static void ranks_abandon(void *user)
{
  (void)user;
  MPI_Abort(MPI_COMM_WORLD, 1);
}

__attribute__((visibility("default"))) bool pk_ranks_join(pki_ranks *out, char *message, size_t size);

bool pk_ranks_join(pki_ranks *out, char *message, size_t size)
{
  int level = MPI_THREAD_SINGLE;
  *out = (pki_ranks){.send = ranks_send, .take = ranks_take, .leave = ranks_leave, .abandon = ranks_abandon};
  /* samples run in threads, messages are the first thread's alone */
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
      level < MPI_THREAD_FUNNELED) {
    snprintf(message, size, "MPI cannot be started with threads (it offers level %d)", level);
    return false;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &out->size);
  return true;
}
