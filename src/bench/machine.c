#define _POSIX_C_SOURCE 200809L /* sysconf, uname */

#include "bench/machine.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/build.h"
#include "pronk/dynamics.h"

/* Linux names the processor in a text file; elsewhere the architecture must do. */
static void read_cpu(char *cpu, size_t size)
{
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (!file) {
    return;
  }
  char line[256];
  while (fgets(line, sizeof line, file)) {
    const char *value = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !value) {
      continue;
    }
    value += strspn(value, ": \t");
    snprintf(cpu, size, "%.*s", (int)strcspn(value, "\n"), value);
    break;
  }
  fclose(file);
}

void pki_machine_describe(pki_machine *machine)
{
  *machine = (pki_machine){.cpu = "unknown", .isa = pk_isa_name()};
  struct utsname names;
  if (uname(&names) == 0) {
    snprintf(machine->system, sizeof machine->system, "%.40s %.40s", names.sysname, names.machine);
    snprintf(machine->cpu, sizeof machine->cpu, "%.100s", names.machine);
  }
  read_cpu(machine->cpu, sizeof machine->cpu);
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  machine->cores = cores > 0 ? (int)cores : 1;
  snprintf(machine->compiler, sizeof machine->compiler, "%s", pki_build_compiler());
}

double pki_machine_resident(void)
{
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) {
    return NAN;
  }
  long size, resident;
  const bool ok =
      fscanf(file, "%ld %ld", &size, &resident) == 2; /* NOLINT(cert-err34-c): the kernel wrote them */
  fclose(file);
  return ok ? (double)resident * (double)sysconf(_SC_PAGESIZE) : NAN;
}
