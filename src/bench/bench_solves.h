/* Whole solves of motions, as lines of `pronk bench optimize`. */
#ifndef PKI_BENCH_BENCH_SOLVES_H
#define PKI_BENCH_BENCH_SOLVES_H

#include "bench/bench.h"

pk_status pki_bench_solves(const pki_bench_options *options, pki_bench_report *report, pk_error *err);

#endif
