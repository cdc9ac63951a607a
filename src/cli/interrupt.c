#define _XOPEN_SOURCE 700
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* A handler can reach nothing else. The threads of a sweep read it too, so it is atomic, and without a lock. */
static atomic_int asked;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler takes no locks");

enum { SIGNALS = 2 };

static const int signals[SIGNALS] = {SIGINT, SIGTERM};
static struct sigaction before[SIGNALS]; /* as they were */

static void note_signal(int signal)
{
  asked = signal;
}

const atomic_int *pki_interrupt_catch(void)
{
  struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  asked = 0;
  for (int i = 0; i < SIGNALS; i++) {
    sigaction(signals[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN) { /* nohup, and shells in the background */
      sigaction(signals[i], &action, NULL);
    }
  }
  return &asked;
}

void pki_interrupt_release(void)
{
  for (int i = 0; i < SIGNALS; i++) {
    sigaction(signals[i], &before[i], NULL);
  }
}
