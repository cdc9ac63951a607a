/* A tape over complex numbers, one instance at a time: with a step of 1e-30 along the imaginary axis the imaginary parts of its results are
 * derivatives to the last digits (Squire and Trapp 1998), found by nothing that differentiates. It is slow, and for tests. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/nlp/tape.h"

static double _Complex read_signed(const double _Complex *registers, uint32_t operand)
{
  const double _Complex value = registers[operand & ~PKI_TAPE_MINUS];
  return (operand & PKI_TAPE_MINUS) != 0 ? -value : value;
}

static void end_run(const pki_tape_run *run, double _Complex *registers)
{
  const double _Complex a = registers[run->a];
  switch (run->op) {
  case PKI_TAPE_INVERSE: registers[run->d] = 1 / a; break;
  case PKI_TAPE_ROOT: registers[run->d] = csqrt(a); break;
  case PKI_TAPE_SINCOS:
    registers[run->d] = csin(a);
    registers[run->e] = ccos(a);
    break;
  default: break;
  }
}

bool pki_tape_evaluate_complex(const pki_tape *tape, const double _Complex *in, double _Complex *out)
{
  double _Complex *registers = calloc((size_t)tape->nregister + 1, sizeof *registers);
  if (registers == NULL) {
    return false;
  }
  for (int k = 0; k < tape->nconstant; k++) {
    registers[k] = tape->constants[k];
  }
  if (tape->ninput > 0) {
    memcpy(registers + tape->nconstant, in, (size_t)tape->ninput * sizeof *in);
  }
  const pki_tape_step *step = tape->steps;
  for (int i = 0; i < tape->nrun; i++) {
    for (int k = 0; k < tape->runs[i].steps; k++, step++) {
      registers[step->d] =
          read_signed(registers, step->a) * registers[step->b] + read_signed(registers, step->c);
    }
    end_run(&tape->runs[i], registers);
  }
  for (int k = 0; k < tape->nresult; k++) {
    out[k] = registers[tape->results[k]];
  }
  free(registers);
  return true;
}
