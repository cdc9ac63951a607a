/*   /sample               which one
 *   /parameters/NAME      attributes key, unit
 *   /metrics/NAME         attributes unit, doc; NAN: none
 *   /seed                 where the sweep has seeds
 *   /outcome, /message    texts
 *   attributes of the file: sweep, description, scenario, version, isa, compiler */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draft.h"
#include "record/hdf5.h"
#include "sweep/sweep_table.h"

#ifndef PKI_HAVE_HDF5

bool pki_sweep_has_hdf5(void)
{
  return false;
}

pk_status pki_sweep_hdf5(const pki_sweep *sweep, const pki_store *store, const char *path, pk_error *err)
{
  (void)sweep, (void)store;
  return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.file = path},
                  "this pronk was built without HDF5; results.csv has the same numbers");
}

#else

bool pki_sweep_has_hdf5(void)
{
  return true;
}

/* All finished samples in memory. */
typedef struct rows {
  const pki_sweep *sweep;
  pki_record *record;
  double *column; /* [count] of whatever is written at the time */
  hsize_t count;
} rows;

static bool read_rows(const pki_store *store, rows *r)
{
  r->record = calloc((size_t)store->finished + 1, sizeof *r->record);
  r->column = calloc((size_t)store->finished + 1, sizeof *r->column);
  for (long long i = 0; i < store->samples && r->record != NULL && r->column != NULL; i++) {
    r->count += pki_store_get(store, i, &r->record[r->count]);
  }
  return r->record != NULL && r->column != NULL;
}

/* A data set and two texts about it. */
static bool put_annotated(hid_t file, const char *name, hid_t type, hsize_t count, const void *values,
                          const char *const notes[4])
{
  const hid_t set = pki_hdf5_put_data(file, name, type, 1, &count, values);
  bool good = set >= 0;
  for (int i = 0; i < 4 && good && notes != NULL && notes[i] != NULL; i += 2) {
    good = pki_hdf5_put_text(set, notes[i], notes[i + 1]);
  }
  if (set >= 0) {
    H5Dclose(set);
  }
  return good;
}

/* Texts of one room each, filled up with zeros. */
static bool put_texts(hid_t file, const char *name, const rows *r, int parameter)
{
  enum { ROOM = PKI_STORE_MESSAGE };
  char *texts = calloc((size_t)r->count + 1, ROOM);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, ROOM);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  for (hsize_t i = 0; i < r->count && texts != NULL; i++) {
    pki_sweep_point point;
    const char *text = parameter == -1 ? pki_outcome_words[r->record[i].outcome] : r->record[i].message;
    if (parameter >= 0) {
      pki_sweep_sample(r->sweep, r->record[i].index, &point);
      text = point.text[parameter];
    }
    memcpy(texts + i * ROOM, text, strnlen(text, ROOM - 1));
  }
  const bool good = texts != NULL && put_annotated(file, name, type, r->count, texts, NULL);
  H5Tclose(type);
  free(texts);
  return good;
}

static bool put_parameter(hid_t file, const rows *r, int parameter)
{
  const pki_sweep_parameter *p = &r->sweep->parameters[parameter];
  char name[96];
  bool numbers = true;
  snprintf(name, sizeof name, "parameters/%s", p->name);
  for (hsize_t i = 0; i < r->count; i++) {
    pki_sweep_point point;
    pki_sweep_sample(r->sweep, r->record[i].index, &point);
    r->column[i] = point.value[parameter];
    numbers = numbers && r->column[i] == r->column[i];
  }
  const char *const notes[4] = {"key", p->nkey > 0 ? p->keys[0] : p->key, "unit", p->unit};
  return numbers ? put_annotated(file, name, H5T_NATIVE_DOUBLE, r->count, r->column, notes)
                 : put_texts(file, name, r, parameter);
}

/* Which sample, or with which seed. */
static bool put_whole(hid_t file, const char *name, const rows *r, bool seeds)
{
  long long *numbers = calloc((size_t)r->count + 1, sizeof *numbers);
  for (hsize_t i = 0; i < r->count && numbers != NULL; i++) {
    pki_sweep_point point;
    pki_sweep_sample(r->sweep, r->record[i].index, &point);
    numbers[i] = seeds ? point.seed : r->record[i].index;
  }
  const bool good = numbers != NULL && put_annotated(file, name, H5T_NATIVE_LLONG, r->count, numbers, NULL);
  free(numbers);
  return good;
}

static bool put_numbers(hid_t file, const rows *r)
{
  bool good =
      put_whole(file, "sample", r, false) && (r->sweep->seeds == 0 || put_whole(file, "seed", r, true));
  for (int p = 0; p < r->sweep->nparameter && good; p++) {
    good = put_parameter(file, r, p);
  }
  for (int m = 0; m < pki_metric_count && good; m++) {
    char name[96];
    snprintf(name, sizeof name, "metrics/%s", pki_metrics[m].name);
    for (hsize_t i = 0; i < r->count; i++) {
      r->column[i] = r->record[i].metric[m];
    }
    const char *const notes[4] = {"unit", pki_metrics[m].unit, "doc", pki_metrics[m].doc};
    good = put_annotated(file, name, H5T_NATIVE_DOUBLE, r->count, r->column, notes);
  }
  return good;
}

static bool put_about(hid_t file, const pki_sweep *s)
{
  pki_store_head head;
  pki_store_head_of(s, &head);
  const char *const notes[][2] = {{"sweep", s->name},        {"description", s->description},
                                  {"scenario", s->scenario}, {"version", head.version},
                                  {"isa", head.isa},         {"compiler", head.compiler}};
  bool good = true;
  for (size_t i = 0; i < sizeof notes / sizeof notes[0] && good; i++) {
    good = pki_hdf5_put_text(file, notes[i][0], notes[i][1]);
  }
  return good;
}

pk_status pki_sweep_hdf5(const pki_sweep *sweep, const pki_store *store, const char *path, pk_error *err)
{
  pki_draft draft;
  pk_status status = pki_draft_begin(&draft, path, err);
  if (status != PK_OK) {
    return status;
  }
  rows r = {.sweep = sweep};
  const bool room = read_rows(store, &r);
  const pki_hdf5_silence quiet = pki_hdf5_silence_begin();
  pki_hdf5 *table = room ? pki_hdf5_create(true) : NULL;
  const hid_t file = table != NULL ? pki_hdf5_file(table) : H5I_INVALID_HID;
  const bool good = table != NULL && put_about(file, sweep) && put_numbers(file, &r) &&
                    put_texts(file, "outcome", &r, -1) && put_texts(file, "message", &r, -2);
  status = pki_hdf5_finish(table, good, &draft, err);
  pki_hdf5_silence_end(quiet);
  free(r.record);
  free(r.column);
  return status;
}

#endif
