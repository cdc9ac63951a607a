#include "optimize/files/solution_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "optimize/files/motion_files.h"
#include "record/crc32.h"

enum { MAGIC = 8, VERSION = 2, MOST_BYTES = 1 << 30, MOST_POINTS = 1 << 20, MOST_ITERATIONS = 1 << 22 };
static const char magic[MAGIC] = {'P', 'R', 'O', 'N', 'K', 'S', 'O', 'L'};

/* Bytes that are written or read, in one order: each function below does both. */
typedef struct tape {
  pki_text *out; /* NULL: reading */
  const unsigned char *in;
  size_t size, at;
  bool bad; /* the bytes ended too early, or a number is out of its range */
} tape;

static void pass_whole(tape *t, uint64_t *value, int bytes)
{
  unsigned char raw[8];
  if (t->out != NULL) {
    pki_put_bytes(raw, *value, bytes);
    pki_text_add_bytes(t->out, raw, (size_t)bytes);
  } else if (t->bad || t->size - t->at < (size_t)bytes) {
    t->bad = true;
    *value = 0;
  } else {
    *value = pki_take_bytes(t->in + t->at, bytes);
    t->at += (size_t)bytes;
  }
}

static void pass_int(tape *t, int *value, int least, int most)
{
  uint64_t raw = (uint32_t)*value;
  pass_whole(t, &raw, 4);
  *value = (int)(uint32_t)raw;
  if (*value < least || *value > most) {
    t->bad = true;
    *value = least;
  }
}

static void pass_bool(tape *t, bool *value)
{
  int raw = *value;
  pass_int(t, &raw, 0, 1);
  *value = raw != 0;
}

static void pass_reals(tape *t, double *values, int count)
{
  for (int i = 0; i < count; i++) {
    uint64_t raw;
    memcpy(&raw, &values[i], sizeof raw);
    pass_whole(t, &raw, 8);
    memcpy(&values[i], &raw, sizeof raw);
  }
}

static void pass_text(tape *t, char *text, size_t room)
{
  for (size_t i = 0; i < room; i++) {
    uint64_t raw = (unsigned char)text[i];
    pass_whole(t, &raw, 1);
    text[i] = (char)raw;
  }
  t->bad = t->bad || text[room - 1] != '\0';
  text[room - 1] = '\0';
}

/* ---- parts ---- */

static void pass_point(tape *t, pki_motion_point *p, const pki_motion_solution *s)
{
  pass_reals(t, &p->time, 1);
  pass_int(t, &p->phase, 0, s->nphase - 1);
  pass_bool(t, &p->middle);
  pass_reals(t, p->q, s->nu);
  pass_reals(t, p->v, s->nu);
  pass_reals(t, p->a, s->nu);
  pass_reals(t, p->tau, s->nu);
  for (int i = 0; i < s->nfoot; i++) {
    pass_reals(t, p->force[i], 3);
    pass_reals(t, p->moment[i], 3);
  }
}

static void pass_stage(tape *t, pki_motion_stage *g)
{
  int *const sizes[] = {&g->variables, &g->rows,    &g->intervals,
                        &g->jacobian,  &g->hessian, &g->result.iterations};
  int end = (int)g->result.end;
  pass_text(t, g->name, sizeof g->name);
  pass_text(t, g->worst, sizeof g->worst);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    pass_int(t, sizes[i], 0, INT32_MAX);
  }
  pass_int(t, &end, 0, PKI_NLP_FAILED);
  g->result.end = (pki_nlp_end)end;
  if (t->out == NULL) {
    g->result.why = pki_nlp_end_word(g->result.end);
  }
  double *const numbers[] = {&g->result.objective, &g->result.violation,          &g->result.dual,
                             &g->result.seconds,   &g->result.evaluation_seconds, &g->grid_error};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    pass_reals(t, numbers[i], 1);
  }
}

static void pass_iteration(tape *t, pki_motion_iteration *i)
{
  double *const numbers[] = {&i->objective, &i->violation, &i->dual, &i->seconds};
  pass_int(t, &i->stage, 0, INT32_MAX);
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
    pass_reals(t, numbers[k], 1);
  }
}

/* Room for what is to be read, never for more than the bytes that are left can fill. */
static void *make_room(tape *t, int count, size_t each, size_t least)
{
  if (t->out != NULL || t->bad || (size_t)count > (t->size - t->at) / least + 1) {
    t->bad = t->out == NULL;
    return NULL;
  }
  void *room = calloc((size_t)count + 1, each);
  t->bad = room == NULL;
  return room;
}

static void pass_warm(tape *t, pki_motion_solution *s)
{
  uint64_t size = s->warm_size;
  pass_whole(t, &size, 8);
  if (t->out != NULL) {
    pki_text_add_bytes(t->out, s->warm, s->warm_size);
  } else if (t->bad || size > t->size - t->at) {
    t->bad = true;
  } else if (size > 0) {
    s->warm = malloc((size_t)size);
    t->bad = s->warm == NULL;
    if (s->warm != NULL) {
      memcpy(s->warm, t->in + t->at, (size_t)size);
      s->warm_size = (size_t)size;
      t->at += (size_t)size;
    }
  }
}

static void pass_costs(tape *t, pki_motion_costs *c)
{
  double *const numbers[] = {&c->objective, &c->joule,       &c->work,
                             &c->torque,    &c->line_margin, &c->torque_margin};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    pass_reals(t, numbers[i], 1);
  }
}

/* Margins, design parameters, and torques and speeds of rotors where there are such; without them those of the joints. */
static void pass_design(tape *t, pki_motion_solution *s)
{
  pass_reals(t, &s->line_margin, 1);
  pass_reals(t, &s->torque_margin, 1);
  pass_int(t, &s->ndesign, 0, PKI_MOTION_DESIGNS);
  for (int i = 0; i < s->ndesign; i++) {
    pki_design_result *d = &s->design[i];
    pass_reals(t, &d->value, 1);
    pass_reals(t, &d->slope, 1);
    pass_reals(t, d->at, 2);
    pass_costs(t, &d->scanned[0]);
    pass_costs(t, &d->scanned[1]);
  }
  for (int i = 0; i < s->npoint && !t->bad; i++) {
    pki_motion_point *p = &s->points[i];
    if (s->ndesign > 0) {
      pass_reals(t, p->motor_tau, s->nu);
      pass_reals(t, p->motor_v, s->nu);
    } else if (t->out == NULL) {
      memcpy(p->motor_tau, p->tau, sizeof p->tau);
      memcpy(p->motor_v, p->v, sizeof p->v);
    }
  }
}

static void pass_counts(tape *t, pki_motion_solution *s)
{
  pass_int(t, &s->nu, 0, PKI_MOTION_DOFS);
  pass_int(t, &s->nfoot, 0, PKI_MOTION_FEET);
  pass_int(t, &s->nphase, 1, PKI_MOTION_PHASES);
  pass_int(t, &s->nstage, 0, (int)(sizeof s->stages / sizeof s->stages[0]));
  pass_int(t, &s->npoint, 0, MOST_POINTS);
  pass_int(t, &s->niteration, 0, MOST_ITERATIONS);
}

static void pass_solution(tape *t, pki_motion_solution *s)
{
  double *const numbers[] = {&s->stride, &s->period, &s->objective, &s->stability,
                             &s->joule,  &s->work,   &s->torque};
  pass_counts(t, s);
  pass_bool(t, &s->solved);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    pass_reals(t, numbers[i], 1);
  }
  for (int i = 0; i < s->nphase; i++) {
    pass_reals(t, &s->duration[i], 1);
    pass_int(t, &s->intervals[i], 0, INT32_MAX);
    pass_reals(t, &s->impacts[i].time, 1);
    for (int k = 0; k < s->nfoot; k++) {
      pass_reals(t, s->impacts[i].impulse[k], 3);
    }
  }
  for (int i = 0; i < s->nstage; i++) {
    pass_stage(t, &s->stages[i]);
  }
  if (t->out == NULL) {
    s->points = make_room(t, s->npoint, sizeof *s->points, 16);
    s->iterations = make_room(t, s->niteration, sizeof *s->iterations, 36);
  }
  for (int i = 0; i < s->npoint && !t->bad; i++) {
    pass_point(t, &s->points[i], s);
  }
  for (int i = 0; i < s->niteration && !t->bad; i++) {
    pass_iteration(t, &s->iterations[i]);
  }
  pass_design(t, s);
  pass_warm(t, s);
}

/* ---- the file ---- */

pk_status pki_solution_save(const pki_motion_solution *solution, uint64_t hash, const char *path,
                            pk_error *err)
{
  pki_text bytes = {0};
  tape t = {.out = &bytes};
  pki_motion_solution *copy =
      malloc(sizeof *copy); /* the tape goes both ways: it takes what could be changed */
  if (copy == NULL) {
    return pki_fail_memory(err, "the solution");
  }
  *copy = *solution;
  pki_text_add_bytes(&bytes, magic, MAGIC);
  uint64_t version = VERSION;
  pass_whole(&t, &version, 4);
  pass_whole(&t, &hash, 8);
  pass_solution(&t, copy);
  free(copy);
  uint64_t crc = bytes.data != NULL ? pki_crc32(0, bytes.data, bytes.size) : 0;
  pass_whole(&t, &crc, 4);
  const pk_status status = pki_text_save(&bytes, path, err);
  pki_text_free(&bytes);
  return status;
}

/* Degrees of freedom, feet and phases are those of the problem; each phase has its nodes and the middles of its intervals, in order. */
static bool fits_problem(const pki_motion_solution *s, const pki_motion_problem *problem)
{
  if (s->nu != problem->model->nu || s->nfoot != problem->nfoot || s->nphase != problem->nphase ||
      s->ndesign != problem->ndesign) {
    return false;
  }
  int at = 0;
  for (int phase = 0; phase < s->nphase; phase++) {
    const int intervals = s->intervals[phase];
    if (intervals < 1 || intervals > (s->npoint - at - 1) / 2) {
      return false;
    }
    for (int i = 0; i <= 2 * intervals; i++, at++) {
      if (s->points[at].phase != phase || s->points[at].middle != (i % 2 == 1)) {
        return false;
      }
    }
  }
  return at == s->npoint;
}

static pk_status read_solution(const char *path, const unsigned char *data, size_t size,
                               const pki_motion_problem *problem, uint64_t hash, pki_motion_solution *out,
                               pk_error *err)
{
  const pki_where where = {.file = path};
  tape t = {.in = data, .size = size >= 4 ? size - 4 : 0, .at = MAGIC};
  uint64_t version = 0, theirs = 0;
  if (size < MAGIC + 16 || memcmp(data, magic, MAGIC) != 0) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "this is no solution of a motion");
  }
  pass_whole(&t, &version, 4);
  pass_whole(&t, &theirs, 8);
  if (version != VERSION) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "layout %llu, expected %d", (unsigned long long)version,
                    VERSION);
  }
  if (pki_crc32(0, data, size - 4) != (uint32_t)pki_take_bytes(data + size - 4, 4)) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "the file is damaged: its checksum does not fit");
  }
  if (theirs != hash) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "it is the solution of another problem");
  }
  pass_solution(&t, out);
  if (t.bad || t.at != t.size) {
    pki_motion_solution_free(out);
    return pki_fail(err, PK_ERROR_SYNTAX, where, "the file is damaged: its parts do not fit");
  }
  if (!fits_problem(out, problem)) {
    pki_motion_solution_free(out);
    return pki_fail(
        err, PK_ERROR_SYNTAX, where,
        "the file is damaged: its degrees of freedom, feet, phases or points are not those of the "
        "problem");
  }
  return PK_OK;
}

pk_status pki_solution_load(const char *path, const pki_motion_problem *problem, uint64_t hash,
                            pki_motion_solution *out, pk_error *err)
{
  size_t size = 0;
  *out = (pki_motion_solution){0};
  char *data = pki_file_read(path, MOST_BYTES, &size);
  if (data == NULL) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "cannot be read: %s",
                    pki_read_cause(errno, "it is a folder"));
  }
  const pk_status status = read_solution(path, (const unsigned char *)data, size, problem, hash, out, err);
  free(data);
  return status;
}
