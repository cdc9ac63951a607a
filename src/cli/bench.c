#include <stdio.h>

#include "bench/bench.h"
#include "cli/cli.h"

int pki_command_bench(int argc, char **argv)
{
  return pki_bench_main(argc, argv, stdout);
}
