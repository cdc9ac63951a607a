#include <stdio.h>

#include "bench/bench.h"
#include "cli/cli.h"

/* The bench stage reads them; these rows tell the manual page and the shells. */
const pki_option pki_options_bench[] = {
    {"work", 0, "TEXT", "only work with this text in its name"},
    {"report", 0, "DIR", "also write DIR/NAME.html with plots (batch, scaling)"},
    {"quick", 0, NULL, "fewer rounds, for a first look"},
    {0},
};

int pki_command_bench(int argc, char **argv)
{
  return pki_bench_main(argc, argv, stdout);
}
