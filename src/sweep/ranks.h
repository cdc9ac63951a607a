/* Processes that share the work of one sweep, and how they talk: messages of bytes from one rank to another. What carries
 * them is a plugin (ranks_mpi.c), so that neither the library nor the command needs MPI; tests carry them by hand.
 *
 * Rank 0 keeps the store, hands samples out a few at a time, and runs some itself. The others ask, run and answer:
 *
 *   rank k -> 0   HELLO    the head of its sweep: it must be that of rank 0
 *   rank k -> 0   RESULTS  how many more samples it would like; records of those that it finished
 *   0 -> rank k   GIVE     samples to run
 *   0 -> rank k   END      there are no more, or all is to stop
 *   rank k -> 0   BYE      after the last of its records
 *
 * Every RESULTS that wants something gets one answer, a GIVE or an END. Whoever is fast asks more often: the work spreads by
 * itself. When a rank dies, all end (mpirun sees to that), and what rank 0 has stored is what need not be done again. */
#ifndef PKI_SWEEP_RANKS_H
#define PKI_SWEEP_RANKS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pki_ranks {
  int rank, size;
  void *user;
  /* false: it did not get there. The bytes are the caller's again when it returns. */
  bool (*send)(void *user, int to, const void *bytes, size_t size);
  /* The next message of any rank, if there is one: its size; 0: none is there; -1: it failed or has no room. */
  long (*take)(void *user, int *from, void *bytes, size_t room);
  void (*leave)(void *user);   /* all is done; waits for the others */
  void (*abandon)(void *user); /* something is wrong: ends all processes, this one too */
} pki_ranks;

/* What a plugin exports as `pk_ranks_join`: join the other processes; false with a message. */
typedef bool (*pki_ranks_join_fn)(pki_ranks *out, char *message, size_t size);

#endif
