/* Instances into lanes, a tape over them, results out of lanes. */
#include <stdlib.h>
#include <string.h>

#include "dynamics/kernels.h"
#include "math/variants.h"
#include "optimize/nlp/tape.h"

PKI_DECLARE_VARIANTS(pki_tape_kernels, tape_kernels)

static const pki_tape_kernels *const variants[] = {PKI_VARIANTS(tape_kernels)};
enum { VARIANT_COUNT = sizeof variants / sizeof variants[0] };

static const pki_tape_kernels *kernels_of(int lanes)
{
  const char *isa = pki_kernels_get(lanes)->isa;
  int found = 0;
  for (int i = 0; i < VARIANT_COUNT; i++) {
    found = variants[i]->lanes == lanes && strcmp(variants[i]->isa, isa) == 0 ? i : found;
  }
  return variants[found];
}

/* How many lanes serve the next `left` instances best. */
static int lanes_for(int left)
{
  return left > 8 ? PKI_NLP_LANES : left > 4 ? 8 : left > 1 ? 4 : 1;
}

static void run_lanes(const pki_tape *tape, int lanes, double *registers)
{
  if (lanes == PKI_NLP_LANES) {
    kernels_of(8)->twice(tape, registers);
  } else {
    kernels_of(lanes)->once(tape, registers);
  }
}

static void fill_constants(const pki_tape *tape, int lanes, double *registers)
{
  for (int k = 0; k < tape->nconstant; k++) {
    for (int l = 0; l < lanes; l++) {
      registers[k * lanes + l] = tape->constants[k];
    }
  }
}

/* Lane l gets instance l; lanes without one repeat the last, so that they compute nothing strange. */
static void gather_array(int n, int used, int lanes, const double *from, double *to)
{
  for (int l = 0; l < lanes; l++) {
    const double *w = from + (size_t)(l < used ? l : used - 1) * (size_t)n;
    for (int k = 0; k < n; k++) {
      to[k * lanes + l] = w[k];
    }
  }
}

static void scatter_results(const pki_tape *tape, int used, int lanes, const double *registers, double *out)
{
  for (int l = 0; l < used; l++) {
    double *y = out + (size_t)l * (size_t)tape->nresult;
    for (int k = 0; k < tape->nresult; k++) {
      y[k] = registers[(size_t)tape->results[k] * (size_t)lanes + (size_t)l];
    }
  }
}

bool pki_tape_evaluate(const pki_tape *tape, int count, int arrays, const int *sizes, const double *const *in,
                       double *out)
{
  if (tape->nresult == 0 || count == 0) {
    return true;
  }
  const int widest = lanes_for(count);
  const size_t bytes = (size_t)tape->nregister * (size_t)widest * sizeof(double);
  double *registers = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (registers == NULL) {
    return false;
  }
  int filled = 0;
  for (int first = 0, lanes; first < count; first += lanes) {
    lanes = lanes_for(count - first);
    const int used = count - first < lanes ? count - first : lanes;
    if (lanes != filled) {
      fill_constants(tape, lanes, registers);
      filled = lanes;
    }
    double *to = registers + (size_t)tape->nconstant * (size_t)lanes;
    for (int k = 0; k < arrays; k++) {
      if (sizes[k] > 0 && in[k] != NULL) {
        gather_array(sizes[k], used, lanes, in[k] + (size_t)first * (size_t)sizes[k], to);
      }
      to += (size_t)sizes[k] * (size_t)lanes;
    }
    run_lanes(tape, lanes, registers);
    scatter_results(tape, used, lanes, registers, out + (size_t)first * (size_t)tape->nresult);
  }
  free(registers);
  return true;
}
