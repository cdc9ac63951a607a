/* A recording as one HDF5 file, which h5py, MATLAB and Julia read as it is. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draft.h"
#include "base/number.h"
#include "record/export.h"
#include "record/hdf5.h"
#include "record/json.h"

#ifndef PKI_HAVE_HDF5

bool pki_export_has_hdf5(void)
{
  return false;
}

pk_status pki_export_hdf5(pki_export *what, const char *path, pk_error *err)
{
  (void)what;
  return pki_fail(
      err, PK_ERROR_UNSUPPORTED, (pki_where){.file = path},
      "this pronk was built without HDF5; install libhdf5-dev (Debian) and build with PK_WITH_HDF5=ON, or "
      "export as csv");
}

#else

bool pki_export_has_hdf5(void)
{
  return true;
}

/* ---- channels ---- */

static bool put_time(hid_t group, const pk_recording_series *s)
{
  const hsize_t size = (hsize_t)s->n;
  const hid_t set = pki_hdf5_put_data(group, "time", H5T_NATIVE_DOUBLE, 1, &size, s->time);
  const bool good = set >= 0 && pki_hdf5_put_text(set, "units", "s");
  if (set >= 0) {
    H5Dclose(set);
  }
  return good;
}

/* What a column `link` counts: the names that scene.json has for the links. */
typedef struct links {
  char (*name)[128];
  const char **text; /* [count] */
  int count;
} links;

static bool read_links(const pk_recording *recording, links *out)
{
  const pk_recorder_attachment *scene = pk_recording_attachment(recording, "scene.json");
  const pki_json list =
      scene != NULL ? pki_json_member(pki_json_begin(scene->data, scene->size), "links") : (pki_json){0};
  *out = (links){0};
  for (pki_json item = {0}; pki_json_next(list, &item);) {
    out->count++;
  }
  out->name = calloc((size_t)out->count + 1, sizeof *out->name);
  out->text = calloc((size_t)out->count + 1, sizeof *out->text);
  int i = 0;
  for (pki_json item = {0}; out->name != NULL && out->text != NULL && pki_json_next(list, &item); i++) {
    pki_json_text(item, out->name[i], sizeof out->name[i]);
    out->text[i] = out->name[i];
  }
  return i == out->count;
}

static void free_links(links *l)
{
  free(l->name);
  free((void *)l->text);
}

static bool has_column(const pk_recorder_channel *c, const char *name)
{
  for (int k = 0; k < c->columns; k++) {
    if (strcmp(c->column[k], name) == 0) {
      return true;
    }
  }
  return false;
}

static bool put_values(hid_t group, const pk_recorder_channel *c, const pk_recording_series *s,
                       const links *l)
{
  const hsize_t size[2] = {(hsize_t)s->row[s->n], (hsize_t)s->columns};
  const hid_t set = pki_hdf5_put_data(group, "values", H5T_NATIVE_DOUBLE, 2, size, s->values);
  const bool good =
      set >= 0 && pki_hdf5_put_texts(set, "columns", c->column, c->columns) &&
      pki_hdf5_put_texts(set, "units", c->unit, c->columns) &&
      pki_hdf5_put_text(set, "doc", c->doc ? c->doc : "") &&
      (l->count == 0 || !has_column(c, "link") || pki_hdf5_put_texts(set, "links", l->text, l->count));
  if (set >= 0) {
    H5Dclose(set);
  }
  return good;
}

static bool put_rows(hid_t group, const pk_recording_series *s)
{
  const hsize_t size = (hsize_t)s->n + 1;
  const hid_t set = pki_hdf5_put_data(group, "rows", H5T_NATIVE_INT, 1, &size, s->row);
  const bool good =
      set >= 0 &&
      pki_hdf5_put_text(set, "doc", "sample i has the rows rows[i] to rows[i+1]-1 of values, counted from 0");
  if (set >= 0) {
    H5Dclose(set);
  }
  return good;
}

static bool put_channel(hid_t file, const pk_recorder_channel *c, const pk_recording_series *s,
                        const links *l)
{
  char name[512];
  const int n = snprintf(name, sizeof name, "%s/", c->name);
  if (n < 0 || (size_t)n >= sizeof name || !pki_hdf5_make_groups(file, name)) {
    return false;
  }
  const hid_t group = H5Gopen2(file, c->name, H5P_DEFAULT);
  const bool good =
      group >= 0 && put_time(group, s) && put_values(group, c, s, l) && (!c->table || put_rows(group, s));
  if (group >= 0) {
    H5Gclose(group);
  }
  return good;
}

/* ---- what else is in it ---- */

static bool is_text(const pk_recorder_attachment *a)
{
  static const char *const words[] = {"text/", "yaml", "json", "xml"};
  bool text = false;
  for (int i = 0; i < 4; i++) {
    text = text || strstr(a->media_type, words[i]) != NULL;
  }
  return text && (a->size == 0 || memchr(a->data, '\0', a->size) == NULL);
}

/* Text as one string, all else as bytes. */
static bool put_attachment(hid_t group, const pk_recorder_attachment *a)
{
  const hsize_t size = a->size;
  hid_t set = -1;
  if (is_text(a)) {
    char *copy = malloc(a->size + 1);
    const char *text = copy;
    if (copy != NULL) {
      if (a->size > 0) {
        memcpy(copy, a->data, a->size);
      }
      copy[a->size] = '\0';
      const hid_t type = pki_hdf5_text_type();
      set = pki_hdf5_put_data(group, a->name, type, 0, NULL, &text);
      H5Tclose(type);
    }
    free(copy);
  } else {
    set = pki_hdf5_put_data(group, a->name, H5T_NATIVE_UINT8, 1, &size, a->data);
  }
  const bool good = set >= 0 && pki_hdf5_put_text(set, "media_type", a->media_type);
  if (set >= 0) {
    H5Dclose(set);
  }
  return good;
}

/* A note: as a number where it is known to be one, else as text. */
static bool put_note(hid_t file, const pk_recorder_note *note)
{
  static const char *const numbers[] = {"dt", "duration", "bound", "checkpoint_every", "seed"};
  const char *at = note->value, *const end = at + strlen(at);
  double value;
  for (int i = 0; i < 5; i++) {
    if (strcmp(note->key, numbers[i]) == 0 && pki_parse_real(&at, end, &value) && at == end) {
      const bool whole = i == 4 && value >= INT_MIN && value <= INT_MAX;
      return whole ? pki_hdf5_put_number(file, note->key, H5T_NATIVE_INT, &(int){(int)value})
                   : pki_hdf5_put_number(file, note->key, H5T_NATIVE_DOUBLE, &value);
    }
  }
  return pki_hdf5_put_text(file, note->key, note->value);
}

static bool put_about(hid_t file, const pk_recording_about *about)
{
  bool good = true;
  for (int i = 0; i < about->nnote && good; i++) {
    /* a key that is there twice keeps its first value */
    good = H5Aexists(file, about->notes[i].key) > 0 || put_note(file, &about->notes[i]);
  }
  if (about->nattachment > 0 && good) {
    const hid_t group = pki_hdf5_make_groups(file, "attachments/")
                            ? H5Gopen2(file, "attachments", H5P_DEFAULT)
                            : H5I_INVALID_HID;
    good = group >= 0;
    for (int i = 0; i < about->nattachment && good; i++) {
      good = put_attachment(group, &about->attachments[i]);
    }
    if (group >= 0) {
      H5Gclose(group);
    }
  }
  return good;
}

/* ---- the file ---- */

static pk_status put_channels(pki_export *what, hid_t file, bool *good, pk_error *err)
{
  int count;
  const pk_recorder_channel *channels = pk_recording_channels(what->recording, &count);
  pk_status status = PK_OK;
  links l;
  if (!read_links(what->recording, &l)) {
    status = pki_fail_memory(err, "the export");
  }
  for (int i = 0; i < what->nchannel && status == PK_OK && *good; i++) {
    pk_recording_series s;
    status = pk_recording_read(what->recording, pki_export_channel(what, i), what->from, what->to, &s, err);
    if (status == PK_OK) {
      what->samples += s.n;
      *good = put_channel(file, &channels[pki_export_channel(what, i)], &s, &l);
      pk_recording_series_free(&s);
    }
  }
  free_links(&l);
  return status;
}

pk_status pki_export_hdf5(pki_export *what, const char *path, pk_error *err)
{
  pki_draft draft;
  what->samples = 0;
  pk_status status = pki_draft_begin(&draft, path, err);
  if (status != PK_OK) {
    return status;
  }
  const pki_hdf5_silence quiet = pki_hdf5_silence_begin();
  pki_hdf5 *file = pki_hdf5_create(true);
  bool good = file != NULL && put_about(pki_hdf5_file(file), pk_recording_get_about(what->recording));
  if (good) {
    status = put_channels(what, pki_hdf5_file(file), &good, err);
  }
  if (status != PK_OK) {
    pki_hdf5_finish(file, false, &draft, NULL); /* the message is already there */
  } else {
    status = pki_hdf5_finish(file, good, &draft, err);
  }
  pki_hdf5_silence_end(quiet);
  return status;
}

#endif
