/* Tables of joint references: text, one line for each time, or lines of sinusoids. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/words.h"
#include "control/reference.h"

enum { MOST_BYTES = 64 << 20 };

static const char *const gain_words[PKI_REFERENCE_GAINS] = {"kp", "kd", "ki", "tau_max"};

typedef struct reader {
  pki_words words;
  int room;      /* rows that there is memory for */
  unsigned wave; /* bits of the lines of sinusoids that were read */
  pki_reference_table *out;
  pk_error *err;
} reader;

static pk_status fail_number(const reader *r, const char *word)
{
  return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words), "found \"%.40s\", expected a number",
                  word);
}

static bool to_number(const char *word, double *out)
{
  const char *at = word, *const end = word + strlen(word);
  return pki_parse_real(&at, end, out) && at == end && !isnan(*out);
}

/* A number for each joint. */
static pk_status read_numbers(reader *r, double *out)
{
  char word[PKI_WORD_MAX];
  int n = 0;
  while (pki_words_next(&r->words, word) > 0) {
    double value;
    if (!to_number(word, &value)) {
      return fail_number(r, word);
    }
    if (n < r->out->joints) {
      out[n] = value;
    }
    n++;
  }
  return n == r->out->joints ? PK_OK
                             : pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                                        "%d values, expected %d: one for each joint", n, r->out->joints);
}

/* One joint of the first line: its velocity coordinate. */
static pk_status find_joint(const reader *r, const pk_model *m, const char *name, int *dof)
{
  const int joint = pk_model_find_joint(m, name);
  if (joint < 0) {
    const char *near = NULL;
    int least = 4;
    for (int j = 0; j < m->njoint; j++) {
      const int edits = pki_word_distance(name, m->joints[j].name);
      near = edits < least ? m->joints[j].name : near;
      least = edits < least ? edits : least;
    }
    return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words), "there is no joint \"%.60s\"%s%s%s",
                    name, near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                    near != NULL ? "\"?" : "");
  }
  *dof = m->joints[joint].u;
  if (m->joints[joint].nu != 1 || m->dof_q[*dof] < 0) {
    return pki_fail(
        r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
        "the joint \"%.60s\" has %d degrees of freedom, expected one with a coordinate of its own", name,
        m->joints[joint].nu);
  }
  for (int k = 0; k < r->out->joints; k++) {
    if (r->out->dof[k] == *dof) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words), "the joint \"%.60s\" comes twice",
                      name);
    }
  }
  return PK_OK;
}

/* Memory for columns; no gain is given yet. */
static pk_status allocate_columns(pki_reference_table *t, int most, pk_error *err)
{
  const size_t gains = ((size_t)most + 1) * PKI_REFERENCE_GAINS;
  t->dof = malloc(((size_t)most + 1) * sizeof *t->dof);
  t->gain = malloc(gains * sizeof *t->gain);
  t->wave = calloc(((size_t)most + 1) * PKI_WAVE_ROWS, sizeof *t->wave);
  if (t->dof == NULL || t->gain == NULL || t->wave == NULL) {
    return pki_fail_memory(err, "a controller");
  }
  for (size_t i = 0; i < gains; i++) {
    t->gain[i] = NAN;
  }
  return PK_OK;
}

/* "time JOINT JOINT ..." */
static pk_status read_head(reader *r, const pk_model *m)
{
  pki_reference_table *t = r->out;
  char word[PKI_WORD_MAX];
  if (allocate_columns(t, m->njoint, r->err) != PK_OK) {
    return PK_ERROR_MEMORY;
  }
  while (pki_words_next(&r->words, word) > 0) {
    int dof = -1;
    const pk_status status = find_joint(r, m, word, &dof);
    if (status != PK_OK) {
      return status;
    }
    t->dof[t->joints++] = dof;
  }
  return t->joints > 0 ? PK_OK
                       : pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                                  "no joint follows \"time\", expected one at least");
}

static pk_status read_gains(reader *r, int gain)
{
  double *out = r->out->gain + gain * r->out->joints;
  const pk_status status = read_numbers(r, out);
  for (int k = 0; k < r->out->joints && status == PK_OK; k++) {
    if (!(out[k] >= 0)) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words), "%s is %g, expected zero or more",
                      gain_words[gain], out[k]);
    }
  }
  return status;
}

/* The line of sinusoids that a word begins: "mean", "period", "sine", "phase", "sine2", "phase2" and so on; -1: none. */
static int find_wave(const char *word)
{
  const bool sine = strncmp(word, "sine", 4) == 0, phase = strncmp(word, "phase", 5) == 0;
  if (!sine && !phase) {
    return strcmp(word, "mean") == 0 ? PKI_WAVE_MEAN : strcmp(word, "period") == 0 ? PKI_WAVE_PERIOD : -1;
  }
  const char *number = word + (sine ? 4 : 5);
  const bool digit = number[0] >= '2' && number[0] <= '0' + PKI_WAVE_MOST_HARMONICS && number[1] == '\0';
  if (number[0] != '\0' && !digit) {
    return -1;
  }
  return PKI_WAVE_HARMONICS + 2 * (digit ? number[0] - '1' : 0) + phase;
}

/* A line of sinusoids. */
static pk_status read_wave(reader *r, const char *word, int row)
{
  if (r->out->rows > 0) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                    "found \"%s\" after lines with times, expected either these or sinusoids", word);
  }
  double *out = r->out->wave + row * r->out->joints;
  const pk_status status = read_numbers(r, out);
  for (int k = 0; k < r->out->joints && status == PK_OK; k++) {
    if (!isfinite(out[k])) {
      return fail_number(r, "inf");
    }
    if (row == PKI_WAVE_PERIOD && !(out[k] >= 1e-6)) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                      "the period is %g s, expected 1e-6 or more", out[k]);
    }
  }
  r->wave |= 1u << row;
  return status;
}

/* Sinusoids need a period and an amplitude, and a phase the amplitude that it is of. */
static pk_status check_waves(reader *r)
{
  for (int h = 1; h <= PKI_WAVE_MOST_HARMONICS; h++) {
    const unsigned row = PKI_WAVE_HARMONICS + 2 * ((unsigned)h - 1);
    r->out->harmonics = (r->wave >> row & 1) != 0 ? h : r->out->harmonics;
    if ((r->wave >> row & 3) == 2) {
      const char number[] = {h > 1 ? (char)('0' + h) : '\0', '\0'};
      return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                      "the line \"phase%s\" has no line \"sine%s\", expected one", number, number);
    }
  }
  if (r->out->harmonics == 0 || (r->wave >> PKI_WAVE_PERIOD & 1) == 0) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                    "the sinusoids have no line \"%s\", expected one",
                    r->out->harmonics == 0 ? "sine" : "period");
  }
  return PK_OK;
}

static pk_status make_room(reader *r)
{
  pki_reference_table *t = r->out;
  if (t->rows < r->room) {
    return PK_OK;
  }
  const int room = r->room > 0 ? 2 * r->room : 64;
  double *time = realloc(t->time, (size_t)room * sizeof *time);
  double *q = time != NULL ? realloc(t->q, (size_t)room * (size_t)t->joints * sizeof *q) : NULL;
  if (time != NULL) {
    t->time = time;
  }
  if (q == NULL) {
    return pki_fail(r->err, PK_ERROR_MEMORY, pki_words_place(&r->words), "no memory for %d lines", room);
  }
  t->q = q;
  r->room = room;
  return PK_OK;
}

/* The first word of a line is none that is known. */
static pk_status fail_word(const reader *r, const char *word)
{
  static const char *const words[] = {"kp", "kd", "ki", "tau_max", "mean", "period", "sine", "phase"};
  const char *near = pki_nearest_word(word, words, sizeof words / sizeof words[0]);
  return pki_fail(
      r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
      "found \"%.40s\", expected a time, a gain (kp, kd, ki, tau_max) or a line of sinusoids (mean, "
      "period, sine, phase, sine2, phase2 to sine8, phase8)%s%s%s",
      word, near != NULL ? "; did you mean \"" : "", near != NULL ? near : "", near != NULL ? "\"?" : "");
}

static pk_status read_row(reader *r, const char *word)
{
  pki_reference_table *t = r->out;
  double time;
  pk_status status = make_room(r);
  if (status != PK_OK) {
    return status;
  }
  if (!to_number(word, &time)) {
    return fail_word(r, word);
  }
  if (r->wave != 0) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                    "found a line with a time after sinusoids, expected either these or times");
  }
  const bool late = t->rows > 0 && time <= t->time[t->rows - 1];
  if (!isfinite(time) || late || (t->rows == 0 && time != 0)) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words), "the time is %g s, expected %s",
                    time, t->rows == 0 ? "0 in the first line" : "more than in the line before");
  }
  t->time[t->rows] = time;
  double *const q = t->q + (size_t)t->rows * (size_t)t->joints;
  status = read_numbers(r, q);
  for (int k = 0; k < t->joints && status == PK_OK; k++) {
    if (!isfinite(q[k])) {
      return fail_number(r, "inf");
    }
  }
  t->rows += status == PK_OK;
  return status;
}

/* One line that is not empty; `word` is its first. */
static pk_status read_line(reader *r, const pk_model *m, const char *word)
{
  if (r->out->joints == 0) {
    return strcmp(word, "time") == 0
               ? read_head(r, m)
               : pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                          "found \"%.40s\", expected \"time\" and names of joints", word);
  }
  for (int g = 0; g < PKI_REFERENCE_GAINS; g++) {
    if (strcmp(word, gain_words[g]) == 0) {
      return read_gains(r, g);
    }
  }
  const int wave = find_wave(word);
  return wave >= 0 ? read_wave(r, word, wave) : read_row(r, word);
}

pk_status pki_reference_parse(const char *file, const char *text, size_t size, const pk_model *m,
                              pki_reference_table *out, pk_error *err)
{
  *out = (pki_reference_table){0};
  reader r = {.words = {file, text, text + size, 1}, .out = out, .err = err};
  pk_status status = PK_OK;
  while (r.words.at < r.words.end && status == PK_OK) {
    char word[PKI_WORD_MAX];
    status = pki_words_next(&r.words, word) > 0 ? read_line(&r, m, word) : PK_OK;
    if (status == PK_OK) {
      pki_words_end_line(&r.words);
    }
  }
  if (status == PK_OK && r.wave != 0) {
    return check_waves(&r);
  }
  if (status == PK_OK && out->rows == 0) {
    status = pki_fail(err, PK_ERROR_SYNTAX, pki_words_place(&r.words),
                      "the file has no line with a time, expected one at least, or sinusoids");
  }
  return status;
}

/* Every joint with a coordinate of its own; no rows. */
static pk_status list_joints(const pk_model *m, pki_reference_table *t, pk_error *err)
{
  const pk_status status = allocate_columns(t, m->nu, err);
  for (int k = 0; k < m->nu && status == PK_OK; k++) {
    if (m->dof_q[k] >= 0 && m->dof_joint[k] >= 0) {
      t->dof[t->joints++] = k;
    }
  }
  return status;
}

pk_status pki_reference_read(const char *file, const pk_model *m, pki_reference_table *out, pk_error *err)
{
  *out = (pki_reference_table){0};
  if (file[0] == '\0') {
    return list_joints(m, out, err);
  }
  size_t size = 0;
  char *text = pki_file_read(file, MOST_BYTES, &size);
  if (text == NULL) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.field = "file"}, "\"%.200s\" cannot be read: %s", file,
                    strerror(errno));
  }
  const pk_status status = pki_reference_parse(file, text, size, m, out, err);
  free(text);
  return status;
}

void pki_reference_free(pki_reference_table *t)
{
  free(t->dof);
  free(t->gain);
  free(t->time);
  free(t->q);
  free(t->wave);
  *t = (pki_reference_table){0};
}
