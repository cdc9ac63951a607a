/* Running a tape: runs of steps without a branch, and what ends them. */
#include "optimize/nlp/kernels/tape_declare.h"

/* The sign bit of a register's number, as that of each lane. */
PKI_INLINE uint64_t sign_of(uint32_t operand)
{
  return (uint64_t)(operand & PKI_TAPE_MINUS) << 32;
}

PKI_INLINE pk_r signed_by(pk_r x, uint64_t sign)
{
  return pki_from_bits(pki_bits(x) ^ sign);
}

/* d = +-(a b) +- c, registers of `wide` vectors. */
PKI_INLINE void run_steps(const pki_tape_step *step, int count, pk_r *registers, int wide)
{
  for (int k = 0; k < count; k++) {
    const pki_tape_step s = step[k];
    const uint64_t minus_a = sign_of(s.a), minus_c = sign_of(s.c);
    const pk_r *a = registers + (size_t)(s.a & ~PKI_TAPE_MINUS) * (size_t)wide;
    const pk_r *b = registers + (size_t)s.b * (size_t)wide;
    const pk_r *c = registers + (size_t)(s.c & ~PKI_TAPE_MINUS) * (size_t)wide;
    pk_r *d = registers + (size_t)s.d * (size_t)wide;
    for (int v = 0; v < wide; v++) {
      d[v] = signed_by(a[v], minus_a) * b[v] + signed_by(c[v], minus_c);
    }
  }
}

PKI_INLINE void end_run(const pki_tape_run *run, pk_r *registers, int wide)
{
  const pk_r *a = registers + (size_t)run->a * (size_t)wide;
  pk_r *d = registers + (size_t)run->d * (size_t)wide;
  pk_r *e = registers + (size_t)run->e * (size_t)wide;
  for (int v = 0; v < wide; v++) {
    switch (run->op) {
    case PKI_TAPE_INVERSE: d[v] = 1.0 / a[v]; break;
    case PKI_TAPE_ROOT: d[v] = pki_sqrt(a[v]); break;
    case PKI_TAPE_SINCOS: {
      pk_r sine, cosine;
      pki_sincos(a[v], &sine, &cosine);
      d[v] = sine, e[v] = cosine;
      break;
    }
    default: break;
    }
  }
}

PKI_INLINE void run_tape(const pki_tape *tape, double *registers, int wide)
{
  pk_r *r = (pk_r *)(void *)registers;
  const pki_tape_step *step = tape->steps;
  for (int i = 0; i < tape->nrun; i++) {
    run_steps(step, tape->runs[i].steps, r, wide);
    step += tape->runs[i].steps;
    end_run(&tape->runs[i], r, wide);
  }
}

static void tape_once(const pki_tape *tape, double *registers)
{
  run_tape(tape, registers, 1);
}

static void tape_twice(const pki_tape *tape, double *registers)
{
  run_tape(tape, registers, 2);
}

const pki_tape_kernels PKI_NAME(tape_kernels) = {
    .isa = PKI_ISA_NAME,
    .lanes = PKI_LANES,
    .once = tape_once,
    .twice = tape_twice,
};
