#define _GNU_SOURCE /* sched_getaffinity */
#include "cli/processors.h"

#include <sched.h>

int pki_count_processors(void)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}
