#define _XOPEN_SOURCE 700
#include "cli/interrupt.h"

#include <stddef.h>

/* A handler can reach nothing else. */
static volatile sig_atomic_t asked;

enum { SIGNALS = 2 };

static const int signals[SIGNALS] = {SIGINT, SIGTERM};
static struct sigaction before[SIGNALS]; /* as they were */

static void ask(int signal)
{
  asked = signal;
}

const volatile sig_atomic_t *pki_interrupt_catch(void)
{
  struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
  action.sa_handler = ask;
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
