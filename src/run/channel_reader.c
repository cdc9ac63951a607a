#define _POSIX_C_SOURCE 200809L /* strdup */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "run/channel_columns.h"
#include "run/channels.h"

/* The name of a row's channel for a robot: "trunk/starleth"; robots of one name are counted. */
static char *channel_name(const pki_channel_reader *t, const pki_channel_row *row, int robot)
{
  const pk_model *m = t->watch->model;
  char name[192];
  snprintf(name, sizeof name, "%s", row->name);
  if (row->robots) {
    bool twice = false;
    for (int i = 0; i < m->nrobot; i++) {
      twice = twice || (i != robot && strcmp(m->robots[i].name, m->robots[robot].name) == 0);
    }
    const size_t at = strlen(name);
    snprintf(name + at, sizeof name - at, twice ? "/%.120s_%d" : "/%.120s", m->robots[robot].name, robot);
    for (char *c = name + at + 1; *c != '\0'; c++) {
      *c = (char)(isalnum((unsigned char)*c) ? *c : '_');
    }
  }
  return strdup(name);
}

static void add_channel(pki_channel_reader *t, const pki_channel_row *row, int robot, const char *const *only,
                        int nonly, bool *used)
{
  const int i = t->count;
  char *name = channel_name(t, row, robot);
  if (name == NULL) {
    t->failed = true;
    return;
  }
  bool wanted = nonly == 0;
  for (int k = 0; k < nonly; k++) {
    const bool fits = pki_pattern_covers(only[k], name);
    wanted = wanted || fits;
    used[k] = used[k] || fits;
  }
  t->channels[i] = (pk_recorder_channel){.name = name, .doc = pki_channel_doc(row), .table = row->table};
  t->row[i] = row;
  t->robot[i] = robot;
  t->count++;
  if (wanted) {
    row->describe(t, i);
  }
  if (t->channels[i].columns == 0) { /* it is not selected, or the world has nothing of the kind */
    free(name);
    t->count--;
  }
  t->view = row->view ? t->view : t->count; /* the table has them last */
}

static void find_joints(pki_channel_reader *t)
{
  const pk_model *m = t->watch->model;
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_joint[k] >= 0) {
      t->joint_dof[t->njoint++] = k;
    }
  }
}

static size_t largest_sample(const pki_channel_reader *t)
{
  size_t most = 1;
  for (int i = 0; i < t->count; i++) {
    const bool pressure = t->row[i]->read == pki_read_pressure;
    const size_t rows = pressure               ? (size_t)pki_pressure_rows(t)
                        : t->channels[i].table ? (size_t)t->watch->room
                                               : 1;
    const size_t size = rows * (size_t)t->channels[i].columns;
    most = size > most ? size : most;
  }
  return most;
}

pk_status pki_channel_reader_create(const pki_watch *watch, const pki_run_result *result,
                                    const char *const *only, int nonly, pki_channel_reader **out,
                                    pk_error *err)
{
  const pk_model *m = watch->model;
  const int models = watch->world->model_robot[watch->world->scenario->nmodel]; /* objects have no trunk */
  const size_t most = (size_t)pki_channel_row_count + (size_t)models;
  pki_channel_reader *t = calloc(1, sizeof *t);
  bool *used = calloc((size_t)nonly + 1, sizeof *used);
  *out = NULL;
  if (t != NULL) {
    *t = (pki_channel_reader){.watch = watch, .result = result, .moved = -1};
    t->channels = calloc(most, sizeof *t->channels);
    t->row = calloc(most, sizeof *t->row);
    t->robot = calloc(most, sizeof *t->robot);
    t->joint_dof = calloc((size_t)m->nu + 1, sizeof *t->joint_dof);
  }
  bool good = t != NULL && used != NULL && t->channels != NULL && t->row != NULL && t->robot != NULL &&
              t->joint_dof != NULL;
  if (good) {
    find_joints(t);
    for (int i = 0; i < pki_channel_row_count; i++) {
      for (int robot = 0; robot < (pki_channel_rows[i].robots ? models : 1); robot++) {
        add_channel(t, &pki_channel_rows[i], robot, only, nonly, used);
      }
    }
    t->values = calloc(largest_sample(t), sizeof *t->values);
    t->room = watch->room, t->pressures = pki_pressure_rows(t);
    good = !t->failed && t->values != NULL;
  }
  pk_status status = good ? PK_OK : pki_fail_memory(err, "the channels of a run");
  for (int k = 0; good && k < nonly && status == PK_OK; k++) {
    if (!used[k]) {
      status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "record.channels"},
                        "no channel of this world is called \"%s\" (pronk list channels)", only[k]);
    }
  }
  free(used);
  if (status == PK_OK) {
    *out = t;
  } else {
    pki_channel_reader_destroy(t);
  }
  return status;
}

static void free_channel(pk_recorder_channel *c)
{
  for (int k = 0; k < c->columns; k++) {
    free((void *)c->column[k]);
  }
  free((void *)c->column);
  free((void *)c->unit);
  free((void *)c->name);
}

void pki_channel_reader_drop(pki_channel_reader *reader, bool view)
{
  const int first = view ? reader->view : 0, end = view ? reader->count : reader->view;
  for (int i = first; i < end; i++) {
    free_channel(&reader->channels[i]);
  }
  const size_t rest = (size_t)(reader->count - end);
  memmove(reader->channels + first, reader->channels + end, rest * sizeof *reader->channels);
  memmove((void *)(reader->row + first), (const void *)(reader->row + end), rest * sizeof *reader->row);
  memmove(reader->robot + first, reader->robot + end, rest * sizeof *reader->robot);
  reader->count -= end - first;
  reader->view = view ? reader->view : 0;
}

void pki_channel_reader_destroy(pki_channel_reader *reader)
{
  if (reader == NULL) {
    return;
  }
  for (int i = 0; i < reader->count; i++) {
    free_channel(&reader->channels[i]);
  }
  free(reader->channels);
  free((void *)reader->row);
  free(reader->robot);
  free(reader->joint_dof);
  free(reader->values);
  free(reader);
}

const double *pki_channel_reader_read(pki_channel_reader *reader, int channel, int *rows)
{
  if (reader->watch->room > reader->room ||
      pki_pressure_rows(reader) > reader->pressures) { /* the world's has grown */
    double *const more = realloc(reader->values, largest_sample(reader) * sizeof *more);
    if (more != NULL) {
      reader->values = more;
      reader->room = reader->watch->room, reader->pressures = pki_pressure_rows(reader);
    }
  }
  reader->found = reader->values;
  reader->reading = channel;
  *rows = reader->row[channel]->read(reader, reader->robot[channel], reader->values);
  return reader->found;
}
