#define _GNU_SOURCE /* REG_RIP */

#include "measure/count.h"

#include <string.h>

/* ---- decoding: Intel's manual, volume 2, chapter 2 and the opcode maps of its appendix A ---- */

/* What prefixes say about an instruction with vectors. */
typedef struct vector_code {
  int map;    /* 1: 0F, 2: 0F 38 */
  int prefix; /* 0: none, 1: 66, 2: F3, 3: F2 */
  int wide;   /* W */
  int bits;   /* of the vector */
  unsigned char opcode;
} vector_code;

/* 62 [..mmm] [W....pp] [.LL.b...] opcode modrm: with b and two registers, b is a rounding mode and the vector has 512 bits. */
static vector_code decode_evex(const unsigned char *c)
{
  const bool rounds = (c[3] & 0x10) != 0 && (c[5] & 0xc0) == 0xc0;
  return (vector_code){.map = c[1] & 7,
                       .prefix = c[2] & 3,
                       .wide = c[2] >> 7,
                       .bits = rounds ? 512 : 128 << ((c[3] >> 5) & 3),
                       .opcode = c[4]};
}

static vector_code decode_vector_prefix(const unsigned char *c)
{
  if (c[0] == 0xc5) {
    return (vector_code){1, c[1] & 3, 0, c[1] & 4 ? 256 : 128, c[2]};
  }
  if (c[0] == 0xc4) {
    return (vector_code){c[1] & 31, c[2] & 3, c[2] >> 7, c[2] & 4 ? 256 : 128, c[3]};
  }
  if (c[0] == 0x62) {
    return decode_evex(c);
  }
  /* SSE: prefixes in any order, REX, 0F, opcode */
  int prefix = 0, k = 0;
  for (; k < 12 && memchr("\x66\xf2\xf3\x2e\x3e\x26\x36\x64\x65\x67", c[k], 10) != NULL; k++) {
    prefix = c[k] == 0xf2 ? 3 : c[k] == 0xf3 ? 2 : c[k] == 0x66 && prefix == 0 ? 1 : prefix;
  }
  k += (c[k] & 0xf0) == 0x40;
  return (vector_code){c[k] == 0x0f ? 1 : 0, prefix, 0, 128, c[k + 1]};
}

int pki_count_flops(const unsigned char *code)
{
  const vector_code v = decode_vector_prefix(code);
  if (v.map == 1) {
    const int packed = v.prefix < 2, size = v.prefix == 1 || v.prefix == 3 ? 64 : 32;
    switch (v.opcode) {
    case 0x51:                                    /* sqrt */
    case 0x58:                                    /* add */
    case 0x59:                                    /* mul */
    case 0x5c:                                    /* sub */
    case 0x5d:                                    /* min */
    case 0x5e:                                    /* div */
    case 0x5f: return packed ? v.bits / size : 1; /* max */
    case 0x7c:                                    /* hadd, hsub, addsub: 66 is double, F2 single */
    case 0x7d:
    case 0xd0: return v.prefix == 1 ? v.bits / 64 : v.prefix == 3 ? v.bits / 32 : 0;
    default: return 0;
    }
  }
  /* fused: 96 to 9F, A6 to AF, B6 to BF; odd ones from 9 on are scalar */
  const int row = v.opcode >> 4, kind = v.opcode & 15;
  if (v.map == 2 && v.prefix == 1 && row >= 9 && row <= 11 && kind >= 6) {
    return kind >= 9 && kind % 2 == 1 ? 2 : 2 * v.bits / (v.wide ? 64 : 32);
  }
  return 0;
}

/* ---- stepping ---- */

#if defined(__linux__) && defined(__x86_64__)

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* Of the child alone: a signal handler has no other way to what it counts. */
static pki_count counted;

/* After each instruction while the trap flag is set: the next one is decoded before it runs. The child's own signals set
 * and clear the flag, which takes effect when the handler returns. */
static void on_trap(int number, siginfo_t *info, void *context)
{
  enum { TRAP_FLAG = 0x100 };
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  (void)number;
  if (info->si_code <= 0) { /* sent, not trapped */
    registers[REG_EFL] ^= TRAP_FLAG;
    return;
  }
  counted.instructions += 1;
  counted.flops += pki_count_flops(
      (const unsigned char *)(uintptr_t)registers[REG_RIP]); /* NOLINT(performance-no-int-to-ptr) */
}

/* The child: counts, tells, and goes without a trace. */
static void work_as_child(void (*work)(void *user), void *user, int pipe)
{
  struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
  counted = (pki_count){0};
  if (sigaction(SIGTRAP, &action, NULL) != 0) {
    _exit(1);
  }
  raise(SIGTRAP);
  work(user);
  raise(SIGTRAP);
  _exit(write(pipe, &counted, sizeof counted) == (ssize_t)sizeof counted ? 0 : 1);
}

static bool count_once(void (*work)(void *user), void *user, pki_count *out)
{
  int ends[2];
  if (pipe(ends) != 0) {
    return false;
  }
  const pid_t child = fork();
  if (child == 0) {
    work_as_child(work, user, ends[1]);
  }
  close(ends[1]);
  ssize_t got = -1;
  while (child > 0 && (got = read(ends[0], out, sizeof *out)) < 0 && errno == EINTR) {}
  close(ends[0]);
  int status;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return got == (ssize_t)sizeof *out;
}

static void do_nothing(void *user)
{
  (void)user;
}

bool pki_count_run(void (*work)(void *user), void *user, pki_count *out)
{
  pki_count around = {0}; /* what the signals themselves take */
  if (!count_once(do_nothing, NULL, &around) || !count_once(work, user, out) || around.instructions == 0) {
    return false;
  }
  out->instructions -= around.instructions;
  out->flops -= around.flops;
  return true;
}

#else

bool pki_count_run(void (*work)(void *user), void *user, pki_count *out)
{
  (void)work, (void)user;
  *out = (pki_count){0};
  return false;
}

#endif
