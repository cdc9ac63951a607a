#include "model/convert/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/convert/compiled.h"

const char *pk_model_format_name(pk_model_format format)
{
  static const char *const names[PK_MODEL_FORMAT_COUNT] = {"urdf", "mjcf", "compiled"};
  return (unsigned)format < PK_MODEL_FORMAT_COUNT ? names[format] : "unknown";
}

pk_write_options pk_write_options_default(void)
{
  return (pk_write_options){.mujoco = 3};
}

void pki_write_lose(pki_writer *w, const char *what, const char *whose)
{
  for (int i = 0; i < w->nloss; i++) {
    if (strcmp(w->losses[i].what, what) == 0) {
      w->losses[i].count++;
      return;
    }
  }
  PK_ASSERT(w->nloss < PKI_LOSSES_MAX);
  if (w->nloss < PKI_LOSSES_MAX) {
    pki_loss *loss = &w->losses[w->nloss++];
    *loss = (pki_loss){.what = what, .count = 1};
    snprintf(loss->first, sizeof loss->first, "%.60s", whose != NULL ? whose : "");
  }
}

void pki_write_refuse(pki_writer *w, const char *format, ...)
{
  if (w->status == PK_OK) {
    va_list args;
    va_start(args, format);
    w->status = pki_fail_list(&w->error, PK_ERROR_UNSUPPORTED, (pki_where){.file = w->path}, format, args);
    va_end(args);
  }
}

/* "what: 3 of them, first \"hip\"" */
static void describe_loss(const pki_loss *loss, char *out, size_t size)
{
  if (loss->first[0] == '\0') {
    snprintf(out, size, "%s", loss->what);
  } else if (loss->count == 1) {
    snprintf(out, size, "%s (\"%s\")", loss->what, loss->first);
  } else {
    snprintf(out, size, "%s (%d times, first \"%s\")", loss->what, loss->count, loss->first);
  }
}

/* Losses as warnings, or as errors when the caller is strict. */
static pk_status report_losses(pki_writer *w, pk_error *err)
{
  const int before = pki_builder_error_count(w->b);
  for (int i = 0; i < w->nloss; i++) {
    char text[400];
    describe_loss(&w->losses[i], text, sizeof text);
    const pki_where where = {.file = w->path};
    if (w->options->strict) {
      pki_builder_error(w->b, PK_ERROR_UNSUPPORTED, where, "%s", text);
    } else {
      pki_builder_warn(w->b, 0, "lost", PK_ERROR_UNSUPPORTED, where, "%s", text);
    }
  }
  return pki_builder_verdict(w->b, before, err);
}

static pk_status save_files(pki_writer *w, pk_error *err)
{
  if (w->status != PK_OK) {
    if (err != NULL) {
      *err = w->error;
    }
    return w->status;
  }
  pk_status status = report_losses(w, err);
  if (status == PK_OK) {
    status = pki_save_meshes(w, err);
  }
  return status == PK_OK ? pki_text_save(&w->text, w->path, err) : status;
}

/* The shapes of each link, in the order of their descriptions. */
static bool list_shapes(pki_writer *w)
{
  const pk_builder *b = w->b;
  w->shape_first = malloc((size_t)b->nlink * sizeof *w->shape_first);
  w->shape_next = malloc(((size_t)b->nshape + 1) * sizeof *w->shape_next);
  w->link_depth = calloc((size_t)b->nlink, sizeof *w->link_depth);
  if (w->shape_first == NULL || w->shape_next == NULL || w->link_depth == NULL) {
    return false;
  }
  memset(w->shape_first, -1, (size_t)b->nlink * sizeof *w->shape_first);
  for (int s = b->nshape - 1; s >= 0; s--) {
    const int link = w->tree->shape_link[s];
    w->shape_next[s] = w->shape_first[link];
    w->shape_first[link] = s;
  }
  return true;
}

/* A text format: draft the tree, write into memory, then the files. */
static pk_status write_text(pki_writer *w, pk_model_format format, int *nmesh, pk_error *err)
{
  pki_draft tree = {.b = w->b};
  w->meshes = calloc((size_t)w->b->nmesh + 1, sizeof *w->meshes);
  pk_status status = PK_OK;
  w->tree = &tree;
  if (w->meshes == NULL || !pki_compile_tree(&tree) || !list_shapes(w)) {
    status = pki_fail_memory(err, "the written model");
  } else {
    (format == PK_MODEL_FORMAT_URDF ? pki_write_urdf : pki_write_mjcf)(w);
    status = save_files(w, err);
    *nmesh = pki_count_mesh_files(w);
  }
  pki_draft_free(&tree);
  w->tree = NULL;
  pki_free_meshes(w);
  free(w->shape_first), free(w->shape_next), free(w->link_depth), free(w->shape_named);
  free(w->inertia);
  pki_text_free(&w->text);
  return status;
}

static pk_status check_options(pk_model_format format, const pk_write_options *o, pk_error *err)
{
  if ((unsigned)format >= PK_MODEL_FORMAT_COUNT) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "format"},
                    "format is %d, expected a pk_model_format", (int)format);
  }
  if (o->mujoco != 2 && o->mujoco != 3) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "mujoco"}, "mujoco is %d, expected 2 or 3",
                    o->mujoco);
  }
  return PK_OK;
}

pk_status pki_builder_write_model(pk_builder *b, const pk_model *model, const char *path,
                                  pk_model_format format, const pk_write_options *options, int *nmesh,
                                  pk_error *err)
{
  const pk_write_options standard = pk_write_options_default();
  options = options != NULL ? options : &standard;
  *nmesh = 0;
  const pk_status status = check_options(format, options, err);
  if (status != PK_OK) {
    return status;
  }
  if (format == PK_MODEL_FORMAT_COMPILED) {
    return pki_compiled_write(b, model, path, err);
  }
  pki_writer *w = calloc(1, sizeof *w);
  if (w == NULL) {
    return pki_fail_memory(err, "the written model");
  }
  w->b = b, w->model = model->tree != NULL ? model->tree : model, w->options = options, w->path = path;
  const pk_status written = write_text(w, format, nmesh, err);
  free(w);
  return written;
}

pk_status pk_builder_write(pk_builder *b, const char *path, pk_model_format format,
                           const pk_write_options *options, pk_error *err)
{
  pk_model *model = NULL;
  int nmesh;
  pk_status status = pk_builder_compile(b, &model, err);
  if (status == PK_OK) {
    status = pki_builder_write_model(b, model, path, format, options, &nmesh, err);
  }
  pk_model_destroy(model);
  return status;
}
