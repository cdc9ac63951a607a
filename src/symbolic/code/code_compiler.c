#define _GNU_SOURCE /* memfd_create */
#include "symbolic/code/code_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"

/* ---- which ---- */

/* Where a program is, from the root: the compiler runs in another folder. Links stay, since programs look at their names. */
static bool find_program(const char *name, char path[PKI_PATH_MAX])
{
  char here[PKI_PATH_MAX], found[PKI_PATH_MAX];
  if (!pki_program_find(name, path)) {
    return false;
  }
  memcpy(found, path, sizeof found);
  return path[0] == '/' || (getcwd(here, sizeof here) != NULL && pki_path_join(path, here, found));
}

/* "ccache gcc -m64" is a program and its first arguments, unless there is a program of the whole name. */
static bool take_command(const char *command, pki_compiler *out)
{
  out->nword = 0;
  if (find_program(command, out->path)) {
    return true;
  }
  if (snprintf(out->text, sizeof out->text, "%s", command) >= (int)sizeof out->text) {
    return false;
  }
  char *rest = NULL, *program = strtok_r(out->text, " \t", &rest);
  if (program == NULL || !find_program(program, out->path)) {
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

/* Run it on a text in an open folder (-1: here), what it says into `said`; its exit status, -1: it did not start. */
static int run_on(const char *const *arguments, int folder, const char *text, size_t length, char *said,
                  size_t size)
{
  int code = -1;
  said[0] = '\0';
  const int in = memfd_create("robot.c", MFD_CLOEXEC), out = memfd_create("said", MFD_CLOEXEC);
  const bool ran = in >= 0 && out >= 0 && pki_write_all(in, text, length) && lseek(in, 0, SEEK_SET) == 0 &&
                   pki_process_run(arguments, "LC_ALL=C", folder, in, out, &code);
  if (ran) {
    read_back(out, said, size);
  }
  if (in >= 0) {
    close(in);
  }
  if (out >= 0) {
    close(out);
  }
  return ran ? code : -1;
}

/* Its version, and of which family it is: what its preprocessor makes of three names. */
static pk_status ask_version(pki_compiler *c, pk_error *err)
{
  static const char *const options[] = {"-E", "-P", "-x", "c", "-"};
  static const char names[] = "pronk __clang__ __GNUC__ __VERSION__\n";
  enum { COUNT = sizeof options / sizeof options[0] };
  char said[1024];
  const char *arguments[1 + PKI_COMPILER_WORDS + COUNT + 1] = {c->path};
  for (int i = 0; i < c->nword; i++) {
    arguments[1 + i] = c->words[i];
  }
  memcpy(arguments + 1 + c->nword, options, sizeof options);
  const int code = run_on(arguments, -1, names, sizeof names - 1, said, sizeof said);
  char *line = strstr(said, "pronk ");
  c->is_clang = line != NULL && strstr(line, "__clang__") == NULL;
  if (code != 0 || line == NULL || strstr(line, "__GNUC__") != NULL) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "compiler"},
                    "%.200s is neither gcc nor clang", c->path);
  }
  char *version = strchr(line, '"');
  version = version != NULL ? version + 1 : line;
  version[strcspn(version, "\"\n")] = '\0';
  snprintf(c->version, sizeof c->version, "%s%.200s", c->is_clang ? "" : "gcc ", version);
  return PK_OK;
}

pk_status pki_compiler_find(const char *name, pki_compiler *out, pk_error *err)
{
  const char *const ours = getenv("PRONK_CC"), *const usual = getenv("CC");
  const char *const wanted = name != NULL ? name : ours != NULL && *ours != '\0' ? ours : NULL;
  const char *const candidates[] = {usual, "clang", "cc", "gcc"};
  *out = (pki_compiler){.nword = 0};
  if (wanted != NULL) {
    return take_command(wanted, out) ? ask_version(out, err)
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
   * every lane count; gcc as its optimiser sees fit, and in straight-line code even when told not to. */
  const char *const flags[] = {"-std=gnu17",
                               "-O2",
                               machine,
                               c->is_clang ? "-ffp-contract=on" : "-ffp-contract=off",
                               c->is_clang ? "-fslp-vectorize" : "-fno-tree-slp-vectorize",
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

pk_status pki_compile(const pki_compiler *c, int lanes, const pki_text *source, int folder,
                      const char *output, pk_error *err)
{
  const pki_where where = {.file = c->path};
  const char *arguments[PKI_COMPILER_ARGUMENTS];
  char define[32], said[512];
  pki_compiler_arguments(c, lanes, output, define, arguments);
  const int code = run_on(arguments, folder, source->data, source->size, said, sizeof said);
  if (code < 0) {
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
