#include "serve/hello.h"

#include <stdio.h>

static void add_words(pki_text *t, const char *name, const char *const *words, int count)
{
  pki_text_addf(t, ",\"%s\":[", name);
  for (int i = 0; i < count; i++) {
    pki_text_add(t, i > 0 ? "," : "");
    pki_text_add_json_string(t, words[i]);
  }
  pki_text_add(t, "]");
}

static void add_channels(pki_text *t, const pki_catalog *c)
{
  pki_text_add(t, ",\"channels\":[");
  for (int i = 0; i < c->count; i++) {
    const pk_recorder_channel *channel = &c->channels[i];
    pki_text_addf(t, "%s{\"name\":", i > 0 ? "," : "");
    pki_text_add_json_string(t, channel->name);
    pki_text_add(t, ",\"doc\":");
    pki_text_add_json_string(t, channel->doc);
    add_words(t, "columns", channel->column, channel->columns);
    add_words(t, "units", channel->unit, channel->columns);
    pki_text_addf(t, ",\"table\":%s}", channel->table ? "true" : "false");
  }
  pki_text_add(t, "]");
}

pk_status pki_hello_json(const pki_source *source, const pki_hello_options *options, char **out, size_t *size,
                         pk_error *err)
{
  pki_text t = {0};
  pki_text_addf(&t, "{\"type\":\"hello\",\"protocol\":1,\"version\":\"%s\",\"mode\":\"%s\",\"read_only\":%s,",
                pk_version(), options->mode, options->read_only ? "true" : "false");
  pk_status status = source->kind->describe(source, &t, err);
  add_channels(&t, source->catalog);
  pki_text_add(&t, "}");
  if (status == PK_OK && t.failed) {
    status = pki_fail_memory(err, "the scene");
  }
  if (status != PK_OK) {
    pki_text_free(&t);
    return status;
  }
  *out = t.data;
  *size = t.size;
  return PK_OK;
}

/* The text, or nothing when memory was out. */
static char *finish_text(pki_text *t, size_t *size)
{
  if (t->failed) {
    pki_text_free(t);
    return NULL;
  }
  *size = t->size;
  return t->data;
}

static void add_number(pki_text *t, const char *name, double value)
{
  pki_text_addf(t, ",\"%s\":", name);
  pki_text_add_json_number(t, value);
}

char *pki_status_json(const pki_play_status *status, size_t *size)
{
  pki_text t = {0};
  pki_text_addf(&t, "{\"type\":\"status\",\"playing\":%s,\"ended\":%s,\"contacts\":%d",
                status->playing ? "true" : "false", status->ended ? "true" : "false",
                status->health.contacts);
  add_number(&t, "time", status->time);
  add_number(&t, "speed", status->speed);
  add_number(&t, "real_time_factor", status->real_time_factor);
  add_number(&t, "residual", status->health.residual);
  add_number(&t, "height", status->health.height);
  pki_text_add(&t, ",\"message\":");
  pki_text_add_json_string(&t, status->message);
  pki_text_add(&t, "}");
  return finish_text(&t, size);
}

char *pki_parameters_message(const pki_source *source, size_t *size)
{
  pki_text t = {0};
  pki_text_add(&t, "{\"type\":\"parameters\",");
  source->kind->parameters(source, &t);
  pki_text_add(&t, "}");
  return finish_text(&t, size);
}

char *pki_error_json(const pk_error *error, const char *key, size_t *size)
{
  pki_text t = {0};
  char text[sizeof error->field + sizeof error->message + 4];
  const char *message = error->message[0] != '\0' ? error->message : pk_status_text(error->status);
  snprintf(text, sizeof text, "%s%s%s", error->field, error->field[0] != '\0' ? ": " : "", message);
  pki_text_add(&t, "{\"type\":\"error\",\"message\":");
  pki_text_add_json_string(&t, text);
  if (key != NULL) {
    pki_text_add(&t, ",\"key\":");
    pki_text_add_json_string(&t, key);
  }
  pki_text_add(&t, "}");
  return finish_text(&t, size);
}
