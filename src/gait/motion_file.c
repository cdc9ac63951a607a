/* Motions as text: lines that begin with #, one line of names, then one line for each time. */
#include "gait/motion_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"

enum {
  MOST_BYTES = 64 << 20,
  MOST_WORD = 128,
  MOST_COLUMNS = PKI_WHOLE_MOTION_TRUNK_END + 3 * PKI_WHOLE_MOTION_JOINTS + 4 * PKI_WHOLE_MOTION_FEET
};

static const char *const trunk_words[PKI_WHOLE_MOTION_TRUNK_END] = {
    "time", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"};

/* What columns of joints and feet begin with. */
typedef enum column_kind {
  COLUMN_Q,
  COLUMN_U,
  COLUMN_TAU,
  COLUMN_STANCE,
  COLUMN_FX,
  COLUMN_FY,
  COLUMN_FZ,
  COLUMN_KINDS,
  COLUMN_TRUNK = COLUMN_KINDS
} column_kind;
static const char *const prefixes[COLUMN_KINDS] = {"q:", "u:", "tau:", "stance:", "fx:", "fy:", "fz:"};

/* A column of the file: its kind, and which number of the trunk, which joint or which foot it is of. */
typedef struct column {
  column_kind kind;
  int of;
} column;

typedef struct reader {
  const char *file, *at, *end; /* end: of the text */
  int line;
  bool headed; /* the first line and the names were read */
  int room;    /* rows that there is memory for */
  int columns;
  column column[MOST_COLUMNS];
  const pk_model *model;
  pki_whole_motion *out;
  pk_error *err;
} reader;

static pki_where reader_location(const reader *r)
{
  return (pki_where){r->file, r->line, ""};
}

/* ---- words ---- */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static bool at_line_end(const reader *r)
{
  return r->at >= r->end || *r->at == '\n';
}

/* The text up to the next comma or the end of the line, without blanks around it; the cursor stands after the comma. */
static void next_cell(reader *r, char word[MOST_WORD])
{
  const char *from = r->at;
  while (!at_line_end(r) && *r->at != ',') {
    r->at++;
  }
  const char *to = r->at;
  while (from < to && is_blank(*from)) {
    from++;
  }
  while (to > from && is_blank(to[-1])) {
    to--;
  }
  size_t n = (size_t)(to - from);
  n = n < MOST_WORD - 1 ? n : MOST_WORD - 1;
  memcpy(word, from, n);
  word[n] = '\0';
}

/* Past a comma; false: the line ends here. */
static bool skip_comma(reader *r)
{
  const bool comma = !at_line_end(r);
  r->at += comma;
  return comma;
}

static void end_line(reader *r)
{
  while (!at_line_end(r)) {
    r->at++;
  }
  r->at += r->at < r->end;
  r->line++;
}

static bool to_number(const char *word, double *out)
{
  const char *at = word, *const end = word + strlen(word);
  return at < end && pki_parse_real(&at, end, out) && at == end && isfinite(*out);
}

/* ---- lines that begin with # ---- */

/* Three numbers after "travel:". */
static pk_status read_travel(reader *r, const char *text)
{
  const char *at = text, *const end = text + strlen(text);
  for (int k = 0; k < 3; k++) {
    pki_skip_blanks(&at, end);
    if (!pki_parse_real(&at, end, &r->out->travel[k]) || !isfinite(r->out->travel[k])) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                      "travel is \"%.60s\", expected three numbers: x and y in m, yaw in rad", text);
    }
  }
  pki_skip_blanks(&at, end);
  return at == end ? PK_OK
                   : pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                              "travel is \"%.60s\", expected three numbers: x and y in m, yaw in rad", text);
}

static pk_status read_comment(reader *r)
{
  char text[MOST_WORD];
  size_t n = 0;
  for (r->at++; !at_line_end(r); r->at++) {
    text[n] = *r->at;
    n += (n > 0 || !is_blank(*r->at)) && n < MOST_WORD - 1;
  }
  while (n > 0 && is_blank(text[n - 1])) {
    n--;
  }
  text[n] = '\0';
  if (r->line == 1) {
    return strcmp(text, "pronk motion 1") == 0
               ? PK_OK
               : pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                          "found \"# %.60s\", expected \"# pronk motion 1\" in the first line", text);
  }
  if (strncmp(text, "travel:", 7) == 0) {
    return read_travel(r, text + 7 + strspn(text + 7, " \t"));
  }
  if (strncmp(text, "repeat:", 7) == 0) {
    const char *word = text + 7 + strspn(text + 7, " \t");
    r->out->repeats = strcmp(word, "yes") == 0;
    return r->out->repeats || strcmp(word, "no") == 0
               ? PK_OK
               : pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                          "repeat is \"%.60s\", expected yes or no", word);
  }
  return PK_OK;
}

/* ---- the line of names ---- */

/* The joint or the link whose name is most like this one; NULL: none is like it. */
static const char *nearest_name(const pk_model *m, const char *name, bool joints)
{
  const char *near = NULL;
  int least = 4;
  for (int i = 0; i < (joints ? m->njoint : m->nlink); i++) {
    const char *known = joints ? m->joints[i].name : m->links[i].name;
    const int edits = pki_word_distance(name, known);
    near = edits < least ? known : near;
    least = edits < least ? edits : least;
  }
  return near;
}

static pk_status fail_name(const reader *r, const char *name, bool joint)
{
  const char *near = nearest_name(r->model, name, joint);
  return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r), "there is no %s \"%.60s\"%s%s%s",
                  joint ? "joint" : "link", name, near != NULL ? "; did you mean \"" : "",
                  near != NULL ? near : "", near != NULL ? "\"?" : "");
}

/* The robot of the file: the one of its first joint or foot, which must have a free trunk. */
static pk_status take_robot(const reader *r, int robot, const char *name)
{
  const pk_model_robot *which = &r->model->robots[robot];
  if (which->root != PK_ROOT_FREE) {
    return pki_fail(r->err, PK_ERROR_UNSUPPORTED, reader_location(r),
                    "\"%.60s\" is of a robot without a free root, expected one with a free root", name);
  }
  if (r->out->robot >= 0 && r->out->robot != robot) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                    "\"%.60s\" is of another robot than the columns before, expected one robot", name);
  }
  r->out->robot = robot;
  return PK_OK;
}

/* Which joint of the motion a name is; a new one is added. */
static pk_status find_joint(const reader *r, const char *name, int *of)
{
  const pk_model *m = r->model;
  pki_whole_motion *out = r->out;
  const int joint = pk_model_find_joint(m, name);
  if (joint < 0) {
    return fail_name(r, name, true);
  }
  const int dof = m->joints[joint].u;
  if (m->joints[joint].nu != 1 || dof < 0 || m->dof_q[dof] < 0 || m->joints[joint].leader >= 0) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                    "the joint \"%.60s\" has no coordinate of its own, expected one that has", name);
  }
  for (*of = 0; *of < out->joints && out->dof[*of] != dof;) {
    ++*of;
  }
  if (*of == PKI_WHOLE_MOTION_JOINTS) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r), "there are more than %d joints",
                    PKI_WHOLE_MOTION_JOINTS);
  }
  out->dof[*of] = dof;
  out->joints += *of == out->joints;
  return take_robot(r, m->joints[joint].robot, name);
}

/* Which foot of the motion a name is; a new one is added. */
static pk_status find_foot(const reader *r, const char *name, int *of)
{
  const pk_model *m = r->model;
  pki_whole_motion *out = r->out;
  const int link = pk_model_find_link(m, name);
  if (link < 0) {
    return fail_name(r, name, false);
  }
  for (*of = 0; *of < out->feet && out->foot[*of] != link;) {
    ++*of;
  }
  if (*of == PKI_WHOLE_MOTION_FEET) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r), "there are more than %d feet",
                    PKI_WHOLE_MOTION_FEET);
  }
  out->foot[*of] = link;
  out->feet += *of == out->feet;
  return take_robot(r, m->links[link].robot, name);
}

static pk_status find_column(const reader *r, const char *word, column *c)
{
  for (int k = 0; k < PKI_WHOLE_MOTION_TRUNK_END; k++) {
    if (strcmp(word, trunk_words[k]) == 0) {
      *c = (column){COLUMN_TRUNK, k};
      return PK_OK;
    }
  }
  for (int k = 0; k < COLUMN_KINDS; k++) {
    const size_t length = strlen(prefixes[k]);
    if (strncmp(word, prefixes[k], length) == 0) {
      c->kind = (column_kind)k;
      return k <= COLUMN_TAU ? find_joint(r, word + length, &c->of) : find_foot(r, word + length, &c->of);
    }
  }
  return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                  "found the column \"%.60s\", expected time, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, "
                  "wz, or q:, u:, tau: and a joint, or stance:, fx:, fy:, fz: and a foot",
                  word);
}

/* Whether the line of names has a column. */
static bool has_column(const reader *r, column_kind kind, int of)
{
  bool found = false;
  for (int k = 0; k < r->columns; k++) {
    found = found || (r->column[k].kind == kind && r->column[k].of == of);
  }
  return found;
}

/* Whether it has any of a kind. */
static bool has_kind(const reader *r, column_kind kind)
{
  bool found = false;
  for (int k = 0; k < r->columns; k++) {
    found = found || r->column[k].kind == kind;
  }
  return found;
}

static pk_status fail_missing(const reader *r, const char *prefix, const char *name)
{
  return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r), "the column \"%s%.60s\" is missing", prefix,
                  name);
}

/* All that belongs together is there: torques and forces of all or of none. */
static pk_status check_columns(const reader *r)
{
  const pki_whole_motion *out = r->out;
  const pk_model *m = r->model;
  for (int k = 0; k < PKI_WHOLE_MOTION_TRUNK_END; k++) {
    if (!has_column(r, COLUMN_TRUNK, k)) {
      return fail_missing(r, "", trunk_words[k]);
    }
  }
  if (out->joints == 0 || out->feet == 0) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r), "there is no column of a %s, expected %s",
                    out->joints == 0 ? "joint" : "foot",
                    out->joints == 0 ? "q: and u: of each joint" : "stance: of each foot");
  }
  for (int kind = 0; kind < COLUMN_KINDS; kind++) {
    const bool joints = kind <= COLUMN_TAU;
    const bool needed = kind == COLUMN_Q || kind == COLUMN_U || kind == COLUMN_STANCE ||
                        (kind == COLUMN_TAU ? out->has_tau : out->has_forces);
    for (int of = 0; of < (joints ? out->joints : out->feet) && needed; of++) {
      if (!has_column(r, (column_kind)kind, of)) {
        const char *name = joints ? m->joints[m->dof_joint[out->dof[of]]].name : m->links[out->foot[of]].name;
        return fail_missing(r, prefixes[kind], name);
      }
    }
  }
  return PK_OK;
}

static pk_status read_names(reader *r)
{
  pki_whole_motion *out = r->out;
  do {
    char word[MOST_WORD];
    next_cell(r, word);
    column c = {COLUMN_TRUNK, 0};
    const pk_status status = find_column(r, word, &c);
    if (status != PK_OK) {
      return status;
    }
    if (has_column(r, c.kind, c.of)) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r), "the column \"%.60s\" comes twice", word);
    }
    r->column[r->columns++] = c; /* there are no more than MOST_COLUMNS different ones */
  } while (skip_comma(r));
  out->has_tau = has_kind(r, COLUMN_TAU);
  out->has_forces = has_kind(r, COLUMN_FX) || has_kind(r, COLUMN_FY) || has_kind(r, COLUMN_FZ);
  out->width = PKI_WHOLE_MOTION_TRUNK_END + 3 * out->joints + 4 * out->feet;
  r->headed = true;
  return check_columns(r);
}

/* ---- rows ---- */

/* Place of a column in a row. */
static int place_of(const pki_whole_motion *m, column c)
{
  switch (c.kind) {
  case COLUMN_Q: return pki_whole_motion_q_at(c.of);
  case COLUMN_U: return pki_whole_motion_u_at(m, c.of);
  case COLUMN_TAU: return pki_whole_motion_tau_at(m, c.of);
  case COLUMN_STANCE: return pki_whole_motion_stance_at(m, c.of);
  case COLUMN_FX:
  case COLUMN_FY:
  case COLUMN_FZ: return pki_whole_motion_force_at(m, c.of) + (int)(c.kind - COLUMN_FX);
  default: return c.of;
  }
}

static pk_status make_room(reader *r)
{
  pki_whole_motion *out = r->out;
  if (out->rows < r->room) {
    return PK_OK;
  }
  const int room = r->room > 0 ? 2 * r->room : 64;
  double *values = realloc(out->values, (size_t)room * (size_t)out->width * sizeof *values);
  if (values == NULL) {
    return pki_fail(r->err, PK_ERROR_MEMORY, reader_location(r), "no memory for %d lines", room);
  }
  out->values = values;
  r->room = room;
  return PK_OK;
}

/* The time of a row after those before it; one that differs by no more than rounding is the same. */
static pk_status check_time(const reader *r, double *row)
{
  static const double rounding = 1e-9; /* s */
  const pki_whole_motion *out = r->out;
  if (out->rows > 0 &&
      fabs(row[PKI_WHOLE_MOTION_TIME] - row[PKI_WHOLE_MOTION_TIME - out->width]) <= rounding) {
    row[PKI_WHOLE_MOTION_TIME] = row[PKI_WHOLE_MOTION_TIME - out->width];
  }
  const double time = row[PKI_WHOLE_MOTION_TIME];
  if (out->rows == 0) {
    return time == 0 ? PK_OK
                     : pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                                "the time is %g s, expected 0 in the first line", time);
  }
  const double *before = row - out->width;
  if (time < before[PKI_WHOLE_MOTION_TIME]) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                    "the time is %g s, expected %g or more: that of the line before", time,
                    before[PKI_WHOLE_MOTION_TIME]);
  }
  if (out->rows > 1 && time == (before - out->width)[PKI_WHOLE_MOTION_TIME]) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                    "the time is %g s for the third time, expected two lines at most: before and after a "
                    "touchdown",
                    time);
  }
  return PK_OK;
}

/* The quaternion of a row, made one of unit length and of the sign nearer to the row before. */
static pk_status check_turn(const reader *r, double *row)
{
  double *const turn = row + PKI_WHOLE_MOTION_TURN;
  const double size = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
  if (!(fabs(size - 1) <= 1e-3)) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                    "the quaternion (qw, qx, qy, qz) has the length %g, expected 1", size);
  }
  double along = 1;
  if (r->out->rows > 0) {
    const double *before = turn - r->out->width;
    along = turn[0] * before[0] + turn[1] * before[1] + turn[2] * before[2] + turn[3] * before[3];
  }
  for (int k = 0; k < 4; k++) {
    turn[k] *= (along < 0 ? -1 : 1) / size;
  }
  return PK_OK;
}

/* Two rows at one time are before and after a touchdown: velocities jump, places do not. */
static pk_status check_jump(const reader *r, const double *row)
{
  const pki_whole_motion *out = r->out;
  if (out->rows == 0 || row[PKI_WHOLE_MOTION_TIME] != (row - out->width)[PKI_WHOLE_MOTION_TIME]) {
    return PK_OK;
  }
  for (int k = 0; k < r->columns; k++) {
    const column c = r->column[k];
    const bool place = c.kind == COLUMN_Q || (c.kind == COLUMN_TRUNK && c.of >= PKI_WHOLE_MOTION_PLACE &&
                                              c.of < PKI_WHOLE_MOTION_VELOCITY);
    const int at = place_of(out, c);
    if (place && fabs(row[at] - row[at - out->width]) > 1e-6) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                      "column %d jumps from %g to %g at %g s, expected that only rates, torques, stances and "
                      "forces differ in two lines of one time",
                      k + 1, row[at - out->width], row[at], row[PKI_WHOLE_MOTION_TIME]);
    }
  }
  return PK_OK;
}

static pk_status read_row(reader *r)
{
  pki_whole_motion *out = r->out;
  pk_status status = make_room(r);
  if (status != PK_OK) {
    return status;
  }
  double *const row = out->values + (size_t)out->rows * (size_t)out->width;
  memset(row, 0, (size_t)out->width * sizeof *row);
  int n = 0;
  do {
    char word[MOST_WORD];
    double value;
    next_cell(r, word);
    if (!to_number(word, &value)) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                      "found \"%.40s\" in column %d, expected a number", word, n + 1);
    }
    if (n < r->columns && r->column[n].kind == COLUMN_STANCE && value != 0 && value != 1) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                      "the stance of \"%.60s\" is %g, expected 0 or 1",
                      r->model->links[out->foot[r->column[n].of]].name, value);
    }
    if (n < r->columns) {
      row[place_of(out, r->column[n])] = value;
    }
    n++;
  } while (skip_comma(r));
  if (n != r->columns) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                    "%d values, expected %d: one for each column", n, r->columns);
  }
  status = check_time(r, row);
  status = status == PK_OK ? check_turn(r, row) : status;
  status = status == PK_OK ? check_jump(r, row) : status;
  out->rows += status == PK_OK;
  return status;
}

/* ---- the whole file ---- */

/* A motion that repeats ends where it began: joints at their angles, the trunk at its height and further by its travel. */
static pk_status check_repeat(const reader *r)
{
  static const double travel_error = 1e-3; /* m */
  const pki_whole_motion *out = r->out;
  const double *first = out->values, *last = first + (size_t)(out->rows - 1) * (size_t)out->width;
  const double *from = first + PKI_WHOLE_MOTION_PLACE, *to = last + PKI_WHOLE_MOTION_PLACE;
  const double way = hypot(to[0] - from[0], to[1] - from[1]), travel = hypot(out->travel[0], out->travel[1]);
  if (out->repeats && fabs(way - travel) > travel_error) {
    return pki_fail(
        r->err, PK_ERROR_SYNTAX, reader_location(r),
        "the trunk travels by %g m, expected %g: what \"# travel:\" says of a motion that repeats", way,
        travel);
  }
  if (out->repeats && fabs(to[2] - from[2]) > travel_error) {
    return pki_fail(
        r->err, PK_ERROR_SYNTAX, reader_location(r),
        "the trunk is at the height %g m in the first line and at %g m in the last, expected the same in a "
        "motion that repeats",
        from[2], to[2]);
  }
  for (int k = 0; k < out->joints && out->repeats; k++) {
    const int at = pki_whole_motion_q_at(k);
    if (fabs(first[at] - last[at]) > 1e-3) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                      "the joint \"%.60s\" is at %g in the first line and at %g in the last, expected the "
                      "same in a motion that repeats",
                      r->model->joints[r->model->dof_joint[out->dof[k]]].name, first[at], last[at]);
    }
  }
  return PK_OK;
}

static pk_status read_line(reader *r)
{
  const char *from = r->at;
  while (!at_line_end(r) && is_blank(*r->at)) {
    r->at++;
  }
  if (at_line_end(r) && r->line > 1) {
    return PK_OK;
  }
  if (!at_line_end(r) && *r->at == '#') {
    return read_comment(r);
  }
  if (r->line == 1) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, reader_location(r),
                    "expected \"# pronk motion 1\" in the first line");
  }
  r->at = from;
  return r->headed ? read_row(r) : read_names(r);
}

pk_status pki_whole_motion_parse(const char *file, const char *text, size_t size, const pk_model *model,
                                 pki_whole_motion *out, pk_error *err)
{
  *out = (pki_whole_motion){.robot = -1};
  reader r = {
      .file = file, .at = text, .end = text + size, .line = 1, .model = model, .out = out, .err = err};
  pk_status status = PK_OK;
  do {
    status = read_line(&r);
    if (status == PK_OK) {
      end_line(&r);
    }
  } while (r.at < r.end && status == PK_OK);
  if (status != PK_OK) {
    return status;
  }
  r.line--; /* the last one */
  const double length = out->rows > 0 ? out->values[(size_t)(out->rows - 1) * (size_t)out->width] : 0;
  if (out->rows < 2 || !(length > 0)) {
    return pki_fail(err, PK_ERROR_SYNTAX, reader_location(&r),
                    "there are %d lines with times up to %g s, expected two at least and a time above 0",
                    out->rows, length);
  }
  return check_repeat(&r);
}

pk_status pki_whole_motion_read(const char *file, const pk_model *model, pki_whole_motion *out, pk_error *err)
{
  *out = (pki_whole_motion){.robot = -1};
  if (file[0] == '\0') {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "file"},
                    "no file is given, expected one with a motion");
  }
  size_t size = 0;
  char *text = pki_file_read(file, MOST_BYTES, &size);
  if (text == NULL) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.field = "file"}, "\"%.200s\" cannot be read: %s", file,
                    strerror(errno));
  }
  const pk_status status = pki_whole_motion_parse(file, text, size, model, out, err);
  free(text);
  return status;
}

void pki_whole_motion_free(pki_whole_motion *motion)
{
  free(motion->values);
  motion->values = NULL;
  motion->rows = 0;
}
