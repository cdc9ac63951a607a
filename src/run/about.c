#define _XOPEN_SOURCE 700 /* realpath */
#include "run/about.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build.h"
#include "base/file.h"
#include "base/text.h"
#include "model/trunk_link.h"

enum { NOTES = 20, VALUE = PKI_PATH_MAX, MODEL_BYTES = 1 << 26 };

typedef struct about {
  pk_recorder_note notes[NOTES];
  char values[NOTES][VALUE];
  int nnote;
  pk_recorder_attachment *attachments;
  int nattachment;
  pki_text scene, sets, motors;
  char **files; /* [nrobot] texts of the models, NULL: none */
  char **names;
  int nfile;
} about;

__attribute__((format(printf, 3, 4))) static void note_fact(about *a, const char *key, const char *format,
                                                            ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(a->values[a->nnote], VALUE, format, args);
  va_end(args);
  a->notes[a->nnote] = (pk_recorder_note){key, a->values[a->nnote]};
  a->nnote++;
}

/* The shortest text that reads back to the same number. */
static void note_number(about *a, const char *key, double value)
{
  char text[32];
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) {
      break;
    }
  }
  note_fact(a, key, "%s", text);
}

static void add_notes(about *a, const pki_about_source *k)
{
  const pki_scenario *s = k->watch->world->scenario;
  const pk_model *m = k->watch->model;
  const double duration = k->options->duration >= 0 ? k->options->duration : s->duration;
  note_fact(a, "version", "%s", pk_version());
  note_fact(a, "isa", "%s", pk_isa_name());
  note_fact(a, "compiler", "%s", pki_build_compiler());
  note_fact(a, "dynamics", "%s", k->result->dynamics);
  note_fact(a, "scenario", "%s", s->name);
  note_fact(a, "description", "%s", s->description);
  char *file = realpath(s->file, NULL); /* it is found again from any folder */
  note_fact(a, "file", "%s", file != NULL ? file : s->file);
  free(file);
  note_fact(a, "model_hash", "%016llx", k->result->model_hash);
  note_fact(a, "scenario_hash", "%016" PRIx64, pki_scenario_hash(s));
  note_fact(a, "seed", "%d", s->seed);
  note_number(a, "dt", s->step.dt);
  note_number(a, "duration", duration);
  note_number(a, "bound", k->result->bound);
  note_number(a, "checkpoint_every", k->options->checkpoint_every);
  note_fact(a, "certify", "%s", k->options->certify ? "yes" : "no");
  note_fact(a, "trunk", "%.500s", m->links[pki_model_trunk(m, 0)].name);
}

static void add_attachment(about *a, const char *name, const char *type, const void *data, size_t size)
{
  a->attachments[a->nattachment++] = (pk_recorder_attachment){name, type, data, size};
}

/* The robots' own files, each once; one that is gone by now is left out. */
static void add_models(about *a, const pk_model *m)
{
  for (int i = 0; i < m->nrobot; i++) {
    const char *file = m->robots[i].file;
    bool known = file[0] == '\0';
    for (int j = 0; j < i; j++) {
      known = known || strcmp(file, m->robots[j].file) == 0;
    }
    size_t size = 0;
    char *text = known ? NULL : pki_file_read(file, MODEL_BYTES, &size), *name = malloc(160);
    if (text == NULL || name == NULL) {
      free(text);
      free(name);
      continue;
    }
    snprintf(name, 160, "models/%.120s.urdf", m->robots[i].name);
    a->files[a->nfile] = text;
    a->names[a->nfile++] = name;
    add_attachment(a, name, "application/xml", text, size);
  }
}

static void about_free(about *a)
{
  for (int i = 0; i < a->nfile; i++) {
    free(a->files[i]);
    free(a->names[i]);
  }
  free((void *)a->files);
  free((void *)a->names);
  free(a->attachments);
  pki_text_free(&a->scene);
  pki_text_free(&a->sets);
  pki_text_free(&a->motors);
}

pk_status pki_about_begin(const pki_about_source *source, pk_recorder *recorder, pk_error *err)
{
  const pki_scenario *s = source->watch->world->scenario;
  const size_t nrobot = (size_t)source->watch->world->model->nrobot;
  about *a = calloc(1, sizeof *a);
  pk_status status = PK_ERROR_MEMORY;
  if (a != NULL) {
    a->attachments = calloc(nrobot + 4, sizeof *a->attachments);
    a->files = calloc(nrobot, sizeof *a->files);
    a->names = calloc(nrobot, sizeof *a->names);
  }
  if (a == NULL || a->attachments == NULL || a->files == NULL || a->names == NULL) {
    pki_fail_memory(err, "the recording");
  } else {
    add_notes(a, source);
    for (int i = 0; i < s->nset; i++) {
      pki_text_add(&a->sets, s->sets[i]);
      for (char *c = a->sets.data + a->sets.size - strlen(s->sets[i]); !a->sets.failed && *c != '\0'; c++) {
        *c = (char)(*c == '\n' ? ' ' : *c); /* one line each; to YAML it is the same */
      }
      pki_text_add(&a->sets, "\n");
    }
    add_attachment(a, "scenario.yaml", "application/yaml", s->text, s->text_size);
    add_attachment(a, "overrides.txt", "text/plain", a->sets.data != NULL ? a->sets.data : "", a->sets.size);
    add_models(a, source->watch->world->model);
    pki_watch_motors_json(source->watch, &a->motors);
    if (a->motors.size > 0) {
      add_attachment(a, "actuators.json", "application/json", a->motors.data, a->motors.size);
    }
    status = pki_watch_scene(source->watch, &a->scene, err);
    if (status == PK_OK) {
      add_attachment(a, "scene.json", "application/json", a->scene.data, a->scene.size);
      const pk_recording_about said = {a->notes, a->nnote, a->attachments, a->nattachment};
      status = recorder->begin(recorder, &said, source->reader->channels, source->reader->count, err);
    }
  }
  if (a != NULL) {
    about_free(a);
  }
  free(a);
  return status;
}
