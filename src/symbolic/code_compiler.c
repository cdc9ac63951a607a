#define _GNU_SOURCE /* memfd_create */
#include "symbolic/code_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"

/* ---- which ---- */

/* "ccache gcc -m64" is a program and its first arguments, unless there is a program of the whole name. */
static bool take_command(const char *command, pki_compiler *out)
{
  out->nword = 0;
  if (pki_program_find(command, out->path)) {
    return true;
  }
  if (snprintf(out->text, sizeof out->text, "%s", command) >= (int)sizeof out->text) {
    return false;
  }
  char *rest = NULL, *program = strtok_r(out->text, " \t", &rest);
  if (program == NULL || !pki_program_find(program, out->path)) {
    return false;
  }
  for (char *word = strtok_r(NULL, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest)) {
    if (out->nword == PKI_COMPILER_WORDS) {
      return false;
    }
    out->words[out->nword++] = word;
  }
  return true;
}

/* All that was written into an open file, at most size - 1 bytes of it. */
static void read_back(int fd, char *out, size_t size)
{
  const ssize_t n = pread(fd, out, size - 1, 0);
  out[n > 0 ? n : 0] = '\0';
}

/* Its version, and of which family it is. */
static pk_status ask_version(pki_compiler *c, pk_error *err)
{
  char said[1024] = "";
  const char *arguments[PKI_COMPILER_WORDS + 3] = {c->path};
  for (int i = 0; i < c->nword; i++) {
    arguments[1 + i] = c->words[i];
  }
  arguments[1 + c->nword] = "--version";
  int code = -1;
  const int fd = memfd_create("version", MFD_CLOEXEC);
  if (fd >= 0 && pki_process_run(arguments, "LC_ALL=C", -1, fd, &code)) {
    read_back(fd, said, sizeof said);
  }
  if (fd >= 0) {
    close(fd);
  }
  c->is_clang = strstr(said, "clang") != NULL;
  const bool is_gcc = strstr(said, "Free Software Foundation") != NULL || strstr(said, "gcc") != NULL;
  said[strcspn(said, "\n")] = '\0';
  snprintf(c->version, sizeof c->version, "%.*s", (int)sizeof c->version - 1, said);
  if (code != 0 || (!c->is_clang && !is_gcc)) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "compiler"},
                    "%.200s is neither gcc nor clang: its --version says \"%.120s\"", c->path, said);
  }
  return PK_OK;
}

pk_status pki_compiler_find(const char *name, pki_compiler *out, pk_error *err)
{
  const char *const ours = getenv("PRONK_CC"), *const usual = getenv("CC");
  const char *const wanted = name != NULL ? name : ours != NULL && *ours != '\0' ? ours : NULL;
  const char *const candidates[] = {usual, "clang", "cc", "gcc"};
  *out = (pki_compiler){.nword = 0};
  if (wanted != NULL) {
    return take_command(wanted, out)
               ? ask_version(out, err)
               : pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "compiler"},
                          "the C compiler \"%.200s\"%s is not there", wanted,
                          name == NULL ? ", which PRONK_CC asks for," : "");
  }
  for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
    if (candidates[i] != NULL && *candidates[i] != '\0' && take_command(candidates[i], out) &&
        ask_version(out, err) == PK_OK) {
      return PK_OK;
    }
  }
  return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "compiler"},
                  "no C compiler was found (clang, cc, gcc): install one (Debian: apt install gcc), or name "
                  "it in PRONK_CC");
}

/* ---- how ---- */

void pki_compiler_arguments(const pki_compiler *c, int lanes, const char *output, char define[32],
                            const char *arguments[PKI_COMPILER_ARGUMENTS])
{
#if defined(__aarch64__)
  static const char machine[] = "-mcpu=native";
#else
  static const char machine[] = "-march=native";
#endif
  /* Fused products are part of the arithmetic: clang fuses within an expression as it stands in the source, the same for
   * every lane count; gcc as its optimiser sees fit. */
  const char *const flags[] = {"-std=gnu17",
                               "-O2",
                               machine,
                               c->is_clang ? "-ffp-contract=on" : "-ffp-contract=off",
                               "-fno-math-errno",
                               "-w",
                               "-fPIC",
                               "-shared",
                               "-Wl,-Bsymbolic",
                               define,
                               "-x",
                               "c",
                               "-",
                               "-o",
                               output,
                               "-lm"};
  int n = 0;
  snprintf(define, 32, "-DROBOT_LANES=%d", lanes);
  arguments[n++] = c->path;
  for (int i = 0; i < c->nword; i++) {
    arguments[n++] = c->words[i];
  }
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    arguments[n++] = flags[i];
  }
  arguments[n] = NULL;
}

pk_status pki_compile(const pki_compiler *c, int lanes, const pki_text *source, const char *output,
                      pk_error *err)
{
  const pki_where where = {.file = c->path};
  const char *arguments[PKI_COMPILER_ARGUMENTS];
  char define[32], said[512] = "";
  int code = -1;
  pki_compiler_arguments(c, lanes, output, define, arguments);
  const int in = memfd_create("robot.c", MFD_CLOEXEC), out = memfd_create("messages", MFD_CLOEXEC);
  const bool ran = in >= 0 && out >= 0 && pki_write_all(in, source->data, source->size) &&
                   lseek(in, 0, SEEK_SET) == 0 && pki_process_run(arguments, "LC_ALL=C", in, out, &code);
  if (out >= 0) {
    read_back(out, said, sizeof said);
    close(out);
  }
  if (in >= 0) {
    close(in);
  }
  if (!ran) {
    return pki_fail(err, PK_ERROR_FILE, where, "the C compiler cannot be started");
  }
  return code == 0 ? PK_OK
                   : pki_fail(err, PK_ERROR_FILE, where, "the C compiler failed with status %d: %s", code,
                              said[0] != '\0' ? said : "it said nothing");
}

/* Lines of one processor's block: names and features. */
void pki_compiler_add_processor(pki_text *out)
{
  static const char *const names[] = {"model name", "flags", "Features", "CPU implementer", "CPU part"};
  char line[8192];
  FILE *file = fopen("/proc/cpuinfo", "re");
  struct utsname machine;
  pki_text_addf(out, "processor %s\n", uname(&machine) == 0 ? machine.machine : "");
  while (file != NULL && fgets(line, sizeof line, file) != NULL && line[0] != '\n') {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
      if (strncmp(line, names[i], strlen(names[i])) == 0) {
        pki_text_add(out, line);
      }
    }
  }
  if (file != NULL) {
    fclose(file);
  }
}
