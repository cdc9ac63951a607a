/* Other programs: found in PATH, run with an argument vector and never through a shell. Those that go on beside us have a
 * process group of their own, which is ended as a whole; those that are run to their end are in ours, so that what a terminal
 * sends to us (Ctrl-C) ends them, too. */
#ifndef PKI_BASE_PROCESS_H
#define PKI_BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/folders.h"

/* Where a program is; false: nowhere in PATH. A name with a slash is a path. */
bool pki_program_find(const char *name, char path[PKI_PATH_MAX]);

typedef struct pki_process {
  pid_t id; /* 0: none */
  int in;   /* its stdin, a pipe; -1: /dev/null */
} pki_process;

/* Start it in a process group of its own, its output going nowhere. `pipe`: we write to its stdin. `variable`
 * ("TMPDIR=/tmp/x", NULL: none) is in its environment instead of ours. */
bool pki_process_start(const char *const *arguments, bool pipe, const char *variable, pki_process *out);

/* Run it to its end, in our process group and in the open folder `folder`, -1: where we are. stdin from the open file `in`, all
 * that it says into the open file `out`, each /dev/null when it is -1. *code: its exit status, 128 + the signal that ended
 * it. False: it did not start. */
bool pki_process_run(const char *const *arguments, const char *variable, int folder, int in, int out,
                     int *code);

/* It has ended; *code: its exit status, 128 + the signal that ended it. */
bool pki_process_ended(pki_process *process, int *code);

/* Close its stdin, wait at most `seconds` for its end, then kill its group. The exit status. */
int pki_process_end(pki_process *process, double seconds);

/* Kill it and all its children at once. */
void pki_process_kill(pki_process *process);

#endif
