#define _XOPEN_SOURCE 700
#include "cli/interrupt.h"

#include <stddef.h>

/* A handler can reach nothing else. */
static volatile sig_atomic_t asked;

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
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return &asked;
}

void pki_interrupt_release(void)
{
  struct sigaction action = {0};
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}
