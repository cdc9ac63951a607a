#include "serve/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { POSE = 7, CONTACT = 10, FACE = PKI_FRAME_FACE, CONTACTS_MAX = 100000, FACES_MAX = 100000 };

/* ---- the catalog ---- */

static const char *const *copy_words(const char *const *words, int count)
{
  char **copy = calloc((size_t)count + 1, sizeof *copy);
  for (int i = 0; copy != NULL && i < count; i++) {
    copy[i] = pki_text_copy(words != NULL && words[i] != NULL ? words[i] : "");
    if (copy[i] == NULL) {
      while (i > 0) {
        free(copy[--i]);
      }
      free(copy);
      return NULL;
    }
  }
  return (const char *const *)copy;
}

static void free_words(const char *const *words, int count)
{
  for (int i = 0; words != NULL && i < count; i++) {
    free((void *)words[i]);
  }
  free((void *)words);
}

static bool copy_channel(const pk_recorder_channel *from, pk_recorder_channel *to)
{
  *to = (pk_recorder_channel){.columns = from->columns, .table = from->table};
  to->name = pki_text_copy(from->name);
  to->doc = pki_text_copy(from->doc != NULL ? from->doc : "");
  to->column = copy_words(from->column, from->columns);
  to->unit = copy_words(from->unit, from->columns);
  return to->name != NULL && to->doc != NULL && to->column != NULL && to->unit != NULL;
}

static int find_column(const pk_recorder_channel *c, const char *name)
{
  for (int i = 0; i < c->columns; i++) {
    if (strcmp(c->column[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

/* The channel of pressures, when it has all that a picture needs. */
static void find_pressure(pki_catalog *c)
{
  static const char *const columns[FACE] = {"body", "face", "pressure", "ax", "ay", "az",
                                            "bx",   "by",   "bz",       "cx", "cy", "cz"};
  c->pressure = -1;
  for (int i = 0; i < c->count; i++) {
    const pk_recorder_channel *channel = &c->channels[i];
    bool whole = strcmp(channel->name, "pressure") == 0 && channel->table;
    for (int k = 0; whole && k < FACE; k++) {
      c->face_column[k] = find_column(channel, columns[k]);
      whole = c->face_column[k] >= 0;
    }
    c->pressure = whole ? i : c->pressure;
  }
}

/* Channels that pictures are made of. */
static void find_pictures(pki_catalog *c)
{
  static const char *const columns[CONTACT] = {"x", "y", "z", "nx", "ny", "nz", "fx", "fy", "fz", "friction"};
  c->bodies = c->contacts = c->com = -1;
  for (int i = 0; i < c->count; i++) {
    const pk_recorder_channel *channel = &c->channels[i];
    if (strcmp(channel->name, "bodies") == 0 && !channel->table) {
      c->bodies = i;
      c->nbody = channel->columns / POSE;
    } else if (strcmp(channel->name, "contacts") == 0 && channel->table) {
      c->contacts = i;
    } else if (strcmp(channel->name, "com") == 0 && !channel->table && channel->columns >= 3) {
      c->com = i;
    }
  }
  for (int k = 0; k < CONTACT; k++) {
    c->contact_column[k] = c->contacts >= 0 ? find_column(&c->channels[c->contacts], columns[k]) : -1;
  }
  find_pressure(c);
}

pk_status pki_catalog_create(const pk_recorder_channel *channels, int count, pki_catalog **out, pk_error *err)
{
  *out = NULL;
  pki_catalog *c = calloc(1, sizeof *c);
  if (c == NULL) {
    return pki_fail_memory(err, "the viewer");
  }
  c->channels = calloc((size_t)count + 1, sizeof *c->channels);
  c->offset = calloc((size_t)count + 1, sizeof *c->offset);
  bool good = c->channels != NULL && c->offset != NULL;
  for (int i = 0; good && i < count; i++) {
    good = copy_channel(&channels[i], &c->channels[c->count++]);
    c->offset[i] = channels[i].table ? -1 : c->nvalue;
    c->nvalue += channels[i].table ? 0 : channels[i].columns;
  }
  if (!good) {
    pki_catalog_destroy(c);
    return pki_fail_memory(err, "the viewer");
  }
  find_pictures(c);
  *out = c;
  return PK_OK;
}

void pki_catalog_destroy(pki_catalog *catalog)
{
  if (catalog == NULL) {
    return;
  }
  for (int i = 0; catalog->channels != NULL && i < catalog->count; i++) {
    pk_recorder_channel *c = &catalog->channels[i];
    free((void *)c->name);
    free((void *)c->doc);
    free_words(c->column, c->columns);
    free_words(c->unit, c->columns);
  }
  free(catalog->channels);
  free(catalog->offset);
  free(catalog);
}

pk_status pki_catalog_find(const pki_catalog *catalog, const pki_message_column *wanted, int *channel,
                           pk_error *err)
{
  enum { MOST = 256 };
  const char *words[MOST];
  int nword = 0;
  for (int i = 0; i < catalog->count; i++) {
    const pk_recorder_channel *c = &catalog->channels[i];
    if (strcmp(c->name, wanted->channel) != 0) {
      if (nword < MOST) {
        words[nword++] = c->name;
      }
      continue;
    }
    if (c->table || wanted->column >= c->columns) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "values"},
                      c->table ? "channel '%s' is a table, which has no curve (%d columns)"
                               : "channel '%s' has %d columns",
                      c->name, c->columns);
    }
    *channel = i;
    return PK_OK;
  }
  const char *nearest = pki_nearest_word(wanted->channel, words, nword);
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "values"}, "there is no channel '%s'%s%s%s",
                  wanted->channel, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                  nearest ? "'?" : "");
}

bool pki_catalog_is_drawn(const pki_catalog *catalog, int channel)
{
  return channel == catalog->bodies || channel == catalog->contacts || channel == catalog->com ||
         channel == catalog->pressure;
}

/* ---- the frame ---- */

pk_status pki_frame_init(pki_frame *frame, const pki_catalog *catalog, pk_error *err)
{
  *frame = (pki_frame){.nbody = catalog->nbody, .nvalue = catalog->nvalue, .room = 64, .nedge = -1};
  frame->nface = catalog->pressure >= 0 ? 0 : -1;
  frame->pose = calloc((size_t)frame->nbody * POSE + 1, sizeof *frame->pose);
  frame->contact = calloc((size_t)frame->room * CONTACT, sizeof *frame->contact);
  frame->values = calloc((size_t)frame->nvalue + 1, sizeof *frame->values);
  if (frame->pose == NULL || frame->contact == NULL || frame->values == NULL) {
    pki_frame_free(frame);
    return pki_fail_memory(err, "the viewer");
  }
  for (int i = 0; i < frame->nvalue; i++) {
    frame->values[i] = NAN;
  }
  for (int i = 0; i < frame->nbody; i++) {
    frame->pose[POSE * i + 3] = 1;
  }
  return PK_OK;
}

void pki_frame_free(pki_frame *frame)
{
  free(frame->pose);
  free(frame->contact);
  free(frame->face);
  free(frame->values);
  *frame = (pki_frame){0};
}

/* Room for `rows` rows in a table, or for as many as there is memory for. */
static int make_room(float **table, int *room, int columns, int rows)
{
  if (rows > *room) {
    float *more = realloc(*table, (size_t)rows * (size_t)columns * sizeof *more);
    if (more == NULL) {
      return *room;
    }
    *table = more;
    *room = rows;
  }
  return rows;
}

static void put_contacts(pki_frame *f, const pki_catalog *c, const double *values, int rows)
{
  const int columns = c->channels[c->contacts].columns;
  f->ncontact = make_room(&f->contact, &f->room, CONTACT, rows < CONTACTS_MAX ? rows : CONTACTS_MAX);
  for (int i = 0; i < f->ncontact; i++) {
    for (int k = 0; k < CONTACT; k++) {
      const int column = c->contact_column[k];
      f->contact[CONTACT * i + k] = column >= 0 ? (float)values[i * columns + column] : 0;
    }
  }
}

static void put_faces(pki_frame *f, const pki_catalog *c, const double *values, int rows)
{
  const int columns = c->channels[c->pressure].columns;
  f->nface = make_room(&f->face, &f->face_room, FACE, rows < FACES_MAX ? rows : FACES_MAX);
  for (int i = 0; i < f->nface; i++) {
    for (int k = 0; k < FACE; k++) {
      f->face[FACE * i + k] = (float)values[i * columns + c->face_column[k]];
    }
  }
}

void pki_frame_put(pki_frame *frame, const pki_catalog *catalog, int channel, const double *values, int rows)
{
  const pk_recorder_channel *c = &catalog->channels[channel];
  if (channel == catalog->contacts) {
    put_contacts(frame, catalog, values, rows);
  }
  if (channel == catalog->pressure) {
    put_faces(frame, catalog, values, rows);
  }
  if (c->table || rows < 1) {
    return;
  }
  for (int k = 0; k < c->columns; k++) {
    frame->values[catalog->offset[channel] + k] = (float)values[k];
  }
  for (int k = 0; channel == catalog->bodies && k < POSE * frame->nbody; k++) {
    frame->pose[k] = (float)values[k];
  }
  for (int k = 0; channel == catalog->com && k < 3; k++) {
    frame->com[k] = (float)values[k];
  }
}

static float *put_place(float *out, const double place[3])
{
  for (int k = 0; k < 3; k++) {
    *out++ = (float)place[k];
  }
  return out;
}

void pki_frame_put_stability(pki_frame *frame, const pk_stability *stability)
{
  const pk_stability *s = stability;
  frame->nedge = s != NULL ? s->nedge : -1;
  if (s == NULL) {
    return;
  }
  for (int i = 0; i < s->nedge; i++) {
    *put_place(put_place(frame->edge[i], s->edges[i].from), s->edges[i].to) = (float)s->edges[i].s_h;
  }
  float *out = put_place(put_place(frame->stance, s->gcom), s->zmp);
  out = put_place(put_place(out, s->fri), s->capture_point);
  const double margins[] = {s->static_margin, s->zmp_margin, s->fri_margin, s->capture_margin, s->s_h};
  for (size_t k = 0; k < sizeof margins / sizeof margins[0]; k++) {
    *out++ = (float)margins[k];
  }
}

/* ---- the wire: little endian, whatever the machine ---- */

enum { MAGIC = 0x31464b50, HEAD = 4 * 4 + 2 * 8 + 4 * 4 }; /* "PKF1" */

static unsigned char *put_bits(unsigned char *out, uint64_t bits, int bytes)
{
  for (int i = 0; i < bytes; i++) {
    *out++ = (unsigned char)(bits >> (8 * i));
  }
  return out;
}

static unsigned char *put_double(unsigned char *out, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return put_bits(out, bits, 8);
}

static unsigned char *put_float(unsigned char *out, float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return put_bits(out, bits, 4);
}

size_t pki_frame_size(const pki_frame *frame, int count)
{
  const size_t stability = frame->nedge >= 0 ? PKI_FRAME_STANCE + PKI_FRAME_EDGE * (size_t)frame->nedge : 0;
  const size_t faces = frame->nface >= 0 ? 1 + FACE * (size_t)frame->nface : 0;
  return HEAD + 4 * ((size_t)frame->nbody * POSE + (size_t)frame->ncontact * CONTACT + (size_t)count +
                     stability + faces);
}

void pki_frame_write(const pki_frame *frame, const int *index, int count, unsigned char *out)
{
  out = put_bits(out, MAGIC, 4);
  out = put_bits(out, (uint64_t)frame->nbody, 4);
  out = put_bits(out, (uint64_t)frame->ncontact, 4);
  out = put_bits(out, (uint64_t)count, 4);
  out = put_double(out, frame->time);
  out = put_double(out, frame->step);
  for (int i = 0; i < 3; i++) {
    out = put_float(out, frame->com[i]);
  }
  out = put_float(out, (float)frame->nedge);
  for (int i = 0; i < POSE * frame->nbody; i++) {
    out = put_float(out, frame->pose[i]);
  }
  for (int i = 0; i < CONTACT * frame->ncontact; i++) {
    out = put_float(out, frame->contact[i]);
  }
  for (int i = 0; i < count; i++) {
    out = put_float(out, frame->values[index[i]]);
  }
  for (int i = 0; i < frame->nedge * PKI_FRAME_EDGE; i++) {
    out = put_float(out, frame->edge[i / PKI_FRAME_EDGE][i % PKI_FRAME_EDGE]);
  }
  for (int i = 0; frame->nedge >= 0 && i < PKI_FRAME_STANCE; i++) {
    out = put_float(out, frame->stance[i]);
  }
  if (frame->nface >= 0) {
    out = put_float(out, (float)frame->nface);
  }
  for (int i = 0; i < FACE * frame->nface; i++) {
    out = put_float(out, frame->face[i]);
  }
}
