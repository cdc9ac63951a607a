#define _GNU_SOURCE /* ptrace, user_regs_struct */

#include "bench/count.h"

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

static vector_code decode(const unsigned char *c)
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
  const vector_code v = decode(code);
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
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child: stops, works, stops, and goes without a trace. */
static void work_as_child(void (*work)(void *user), void *user)
{
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
    _exit(1);
  }
  raise(SIGSTOP);
  work(user);
  raise(SIGSTOP);
  _exit(0);
}

static bool wait_stop(pid_t child, int *signal)
{
  int status;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return false;
    }
  }
  *signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
  return WIFSTOPPED(status);
}

/* From one stop to the next. Code lies where it lies in this process: the child is a copy of it. */
static bool follow(pid_t child, pki_count *out)
{
  int signal;
  if (!wait_stop(child, &signal) || signal != SIGSTOP) {
    return false;
  }
  for (;;) {
    errno = 0;
    const long at = ptrace(PTRACE_PEEKUSER, child, offsetof(struct user_regs_struct, rip), NULL);
    if (errno != 0 || ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || !wait_stop(child, &signal)) {
      return false;
    }
    if (signal != SIGTRAP) {
      return signal == SIGSTOP;
    }
    out->instructions += 1;
    out->flops +=
        pki_count_flops((const unsigned char *)(uintptr_t)at); /* NOLINT(performance-no-int-to-ptr) */
  }
}

static bool count_once(void (*work)(void *user), void *user, pki_count *out)
{
  *out = (pki_count){0};
  const pid_t child = fork();
  if (child == 0) {
    work_as_child(work, user);
  }
  if (child < 0) {
    return false;
  }
  const bool ok = follow(child, out);
  kill(child, SIGKILL);
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return ok;
}

static void do_nothing(void *user)
{
  (void)user;
}

bool pki_count_run(void (*work)(void *user), void *user, pki_count *out)
{
  pki_count stops; /* what the stops themselves take */
  if (!count_once(do_nothing, NULL, &stops) || !count_once(work, user, out)) {
    return false;
  }
  out->instructions -= stops.instructions;
  out->flops -= stops.flops;
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
