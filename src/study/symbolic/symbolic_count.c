/* What symbolic generation saves, and what it costs. */
#include <elf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "study/symbolic/symbolic.h"
#include "symbolic/code/kernels_source.h"
#include "symbolic/emit/emit.h"
#include "symbolic/graph/simplify.h"
#include "symbolic/robot/robot.h"

/* The function simplified: its operations and its C. */
static bool count_simple(const pki_function *f, pki_symbolic_count *out)
{
  pki_graph *g = pki_graph_create(false);
  pki_function simple = {0};
  pki_text text = {0};
  pki_emit_info info = {0};
  bool good = g != NULL && pki_simplify(f, g, &simple) && pki_emit_measure(&simple, &info);
  if (good) {
    pki_emit_function(&simple, "robot", &text);
    good = !text.failed;
    const pki_operations count = pki_function_count(&simple);
    out->simple = pki_count_all(count);
    out->adds = count.adds;
    out->muls = count.muls;
    out->sines = count.sines;
    out->statements = info.statements;
    out->alive = info.alive;
    out->bytes = text.size;
  }
  pki_text_free(&text);
  pki_function_free(&simple);
  pki_graph_destroy(g);
  return good;
}

pk_status pki_symbolic_count_function(const pk_model *model, const char *name, pki_symbolic_count *out,
                                      pk_error *err)
{
  *out = (pki_symbolic_count){.name = name};
  pk_status status = PK_OK;
  for (int plain = 1; plain >= 0 && status == PK_OK; plain--) {
    pki_graph *g = pki_graph_create(plain == 1);
    pki_function f;
    status = g != NULL ? pki_robot_function(g, model, NULL, name, &f, err) : pki_fail_memory(err, NULL);
    if (status == PK_OK) {
      *(plain == 1 ? &out->plain : &out->normal) = pki_count_all(pki_function_count(&f));
      if (plain == 0 && !count_simple(&f, out)) {
        status = pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory to simplify %s", name);
      }
      pki_function_free(&f);
    }
    pki_graph_destroy(g);
  }
  return status;
}

pk_status pki_symbolic_count_all(pki_symbolic_data *d, const pk_model *model, pk_error *err)
{
  pk_status status = PK_OK;
  const int all = pki_robot_function_count();
  for (int i = 0; i < all && i < PKI_SYMBOLIC_FUNCTIONS && status == PK_OK; i++) {
    status = pki_symbolic_count_function(model, pki_robot_function_name(i), &d->functions[i], err);
    d->nfunction += status == PK_OK;
  }
  return status;
}

/* Bytes of a shared object that can be executed; NAN when it cannot be read. */
static double machine_code(const char *path)
{
  enum { MOST = 1 << 28 };
  size_t size = 0;
  double sum = NAN;
  char *bytes = pki_file_read(path, MOST, &size);
  Elf64_Ehdr head;
  if (bytes != NULL && size >= sizeof head) {
    memcpy(&head, bytes, sizeof head);
    const bool known = memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
                       head.e_phentsize == sizeof(Elf64_Phdr) && head.e_phoff < size &&
                       (size - head.e_phoff) / sizeof(Elf64_Phdr) >= head.e_phnum;
    sum = known ? 0 : NAN;
    for (size_t i = 0; known && i < head.e_phnum; i++) {
      Elf64_Phdr part;
      memcpy(&part, bytes + head.e_phoff + i * sizeof part, sizeof part);
      sum += part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0 ? (double)part.p_filesz : 0;
    }
  }
  free(bytes);
  return sum;
}

static pk_status measure_source(const pk_model *model, double *size, pk_error *err)
{
  pki_text source = {0};
  const pk_status status = pki_kernels_source(model, &source, err);
  *size = status == PK_OK ? (double)source.size : NAN;
  pki_text_free(&source);
  return status;
}

pk_status pki_symbolic_weigh(pki_symbolic_data *d, const pk_model *model, pki_symbolic_size *size,
                             bool compiled, pk_error *err)
{
  size->generate = size->compile = size->machine = NAN;
  pk_status status = pki_symbolic_count_function(model, "aba", &size->aba, err);
  status = status == PK_OK ? measure_source(model, &size->source, err) : status;
  if (status != PK_OK || !compiled) {
    return status;
  }
  pk_code_options options = pk_code_options_default();
  options.force = !d->quick;
  pk_code *code = NULL;
  pk_error why = {0};
  if (pk_code_open(model, &options, &code, &why) == PK_OK) {
    const pk_code_info *info = pk_code_get_info(code);
    size->generate = info->generate_seconds;
    size->compile = info->cached ? NAN : info->compile_seconds;
    size->machine = machine_code(info->path);
    snprintf(d->compiler, sizeof d->compiler, "%s", info->compiler);
    pk_code_close(code);
  }
  return PK_OK; /* without a compiler the rest is reported nevertheless; the engine says why */
}
