#include "run/stability_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/recorded_scenario.h"
#include "stability/robot_stance.h"
#include "step/world.h"

/* Columns of the channel `contacts`: link, point, normal, force, gap, friction, other link. */
enum {
  LINK = 0,
  POINT = 1,
  NORMAL = 4,
  FORCE = 7,
  GAP = 10,
  FRICTION = 11,
  OTHER_LINK = 12,
  CONTACT_COLUMNS
};

/* ---- opening ---- */

/* A channel that is needed, all of it. */
static pk_status read_channel(const pk_recording *recording, const char *name, int columns,
                              pk_recording_series *out, pk_error *err)
{
  int count = 0;
  const pk_recorder_channel *channels = pk_recording_channels(recording, &count);
  const int index = pk_recording_find(recording, name);
  if (index < 0) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.field = name},
                    "the recording has no channel %s; stability needs state/q, state/u and contacts "
                    "(record.channels of the scenario)",
                    name);
  }
  if (channels[index].columns != columns) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.field = name},
                    "the channel %s has %d columns, the scenario's world %d: the robot's file has changed",
                    name, channels[index].columns, columns);
  }
  return pk_recording_read(recording, index, -INFINITY, INFINITY, out, err);
}

/* The robots' files are those of the run. */
static pk_status check_model(const pk_recording *recording, const pk_model *model, pk_error *err)
{
  const char *note = pk_recording_note(recording, "model_hash");
  if (note != NULL && strtoull(note, NULL, 16) != pk_model_hash(model)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.field = "model_hash"},
                    "the robots' files are not those of the recording any more: the model's hash is %016llx, "
                    "the recording has %s",
                    pk_model_hash(model), note);
  }
  return PK_OK;
}

static pk_status find_robot(const pk_model *m, const char *name, int *out, pk_error *err)
{
  *out = 0;
  while (name != NULL && *out < m->nrobot && strcmp(m->robots[*out].name, name) != 0) {
    ++*out;
  }
  if (*out >= m->nrobot) {
    const char *words[64];
    const int count = m->nrobot < 64 ? m->nrobot : 64;
    for (int i = 0; i < count; i++) {
      words[i] = m->robots[i].name;
    }
    const char *near = name != NULL ? pki_nearest_word(name, words, count) : NULL;
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "robot"},
                    name == NULL ? "the recording has no robot%s%s%s%s"
                                 : "the recording has no robot \"%s\"%s%s%s",
                    name != NULL ? name : "", near != NULL ? "; did you mean \"" : "",
                    near != NULL ? near : "", near != NULL ? "\"?" : "");
  }
  return PK_OK;
}

/* Whether a number of the recording names a link, or with -1 none. */
static bool names_link(const pk_model *m, double number)
{
  return number >= -1 && number < m->nlink; /* NAN is not */
}

/* All contacts are between links that the robots have. */
static pk_status check_contacts(const pki_stability_replay *r, pk_error *err)
{
  const pk_recording_series *s = &r->contacts;
  const int nlink = r->world.model->nlink;
  for (int i = 0; i < s->n; i++) {
    for (int row = s->row[i]; row < s->row[i + 1]; row++) {
      const double *v = s->values + (size_t)row * (size_t)s->columns;
      const double wrong = names_link(r->world.model, v[LINK]) ? v[OTHER_LINK] : v[LINK];
      if (!names_link(r->world.model, wrong)) {
        return pki_fail(err, PK_ERROR_FILE, (pki_where){.field = "contacts"},
                        "a contact at %g s is of link %g, expected -1 to %d", s->time[i], wrong, nlink - 1);
      }
    }
  }
  return PK_OK;
}

static pk_status make_room(pki_stability_replay *r, pk_error *err)
{
  const size_t nu = (size_t)r->world.model->nu;
  int most = 0;
  for (int i = 0; i < r->contacts.n; i++) {
    const int rows = r->contacts.row[i + 1] - r->contacts.row[i];
    most = rows > most ? rows : most;
  }
  r->room = most;
  r->before = calloc(2 * nu + 1, sizeof *r->before);
  r->buffer = calloc((size_t)most + 1, sizeof *r->buffer);
  if (r->before == NULL || r->buffer == NULL) {
    return pki_fail_memory(err, "the recording's stability");
  }
  r->a = r->before + nu;
  return PK_OK;
}

pk_status pki_stability_replay_open(const pk_recording *recording, const char *robot, pki_stability_replay *r,
                                    pk_error *err)
{
  *r = (pki_stability_replay){.placed = -1};
  pk_status status = pki_recorded_scenario(
      recording, "stability needs one: record with pronk run, or pronk export --format mcap", &r->scenario,
      err);
  status = status == PK_OK ? pki_world_create(r->scenario, &r->world, err) : status;
  status = status == PK_OK ? check_model(recording, r->world.model, err) : status;
  status = status == PK_OK ? find_robot(r->world.model, robot, &r->robot, err) : status;
  if (status != PK_OK) {
    return status;
  }
  const pk_model *joints = pk_sim_joint_model(r->world.sim);
  r->options = r->scenario->has_stability ? r->scenario->stability : pk_stability_options_default();
  status = read_channel(recording, "state/q", joints->nq, &r->q, err);
  status = status == PK_OK ? read_channel(recording, "state/u", joints->nu, &r->u, err) : status;
  status = status == PK_OK ? read_channel(recording, "contacts", CONTACT_COLUMNS, &r->contacts, err) : status;
  if (status == PK_OK && (r->q.n == 0 || r->q.n != r->u.n)) {
    status = pki_fail(err, PK_ERROR_FILE, (pki_where){.field = "state/q"},
                      "the recording has %d samples of state/q and %d of state/u, expected as many of both",
                      r->q.n, r->u.n);
  }
  status = status == PK_OK ? check_contacts(r, err) : status;
  return status == PK_OK ? make_room(r, err) : status;
}

void pki_stability_replay_free(pki_stability_replay *r)
{
  pk_recording_series_free(&r->q);
  pk_recording_series_free(&r->u);
  pk_recording_series_free(&r->contacts);
  free(r->before);
  free(r->buffer);
  pki_world_free(&r->world);
  pki_scenario_destroy(r->scenario);
  *r = (pki_stability_replay){.placed = -1};
}

/* ---- one sample ---- */

static void place_world(pki_stability_replay *r, int i)
{
  if (r->placed != i) {
    pk_sim_set_joints(r->world.sim, r->q.values + (size_t)i * (size_t)r->q.columns,
                      r->u.values + (size_t)i * (size_t)r->u.columns);
    r->placed = i;
  }
}

static bool are_steps(const pki_stability_replay *r, int i)
{
  return i > 0 && r->q.time[i] - r->q.time[i - 1] < 1.5 * r->scenario->step.dt;
}

bool pki_stability_replay_is_dense(const pki_stability_replay *r)
{
  return r->q.n < 2 || are_steps(r, r->q.n / 2);
}

/* Contacts recorded at a time; how many. */
static int contacts_at(pki_stability_replay *r, double time)
{
  const pk_recording_series *s = &r->contacts;
  int low = 0, high = s->n;
  while (low < high) { /* the first sample that is not before it */
    const int middle = (low + high) / 2;
    if (s->time[middle] < time - 1e-10) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const int count = low < s->n && s->time[low] < time + 1e-10 ? s->row[low + 1] - s->row[low] : 0;
  for (int i = 0; i < count; i++) {
    const double *v = s->values + ((size_t)s->row[low] + (size_t)i) * (size_t)s->columns;
    pk_sim_contact *c = &r->buffer[i];
    *c = (pk_sim_contact){
        .link = (int)v[LINK], .other_link = (int)v[OTHER_LINK], .gap = v[GAP], .friction = v[FRICTION]};
    for (int k = 0; k < 3; k++) {
      c->point[k] = v[POINT + k];
      c->normal[k] = v[NORMAL + k];
      c->impulse[k] = v[FORCE + k] * r->scenario->step.dt;
    }
  }
  return count;
}

pk_status pki_stability_replay_at(pki_stability_replay *r, int i, pk_stability *out, pk_error *err)
{
  pk_sim *sim = r->world.sim;
  const bool moves = are_steps(r, i);
  if (moves) {
    place_world(r, i - 1);
    memcpy(r->before, pk_sim_u(sim), (size_t)r->world.model->nu * sizeof *r->before);
  }
  place_world(r, i);
  const double *u = pk_sim_u(sim), span = moves ? r->q.time[i] - r->q.time[i - 1] : 1;
  for (int k = 0; k < r->world.model->nu && moves; k++) {
    r->a[k] = (u[k] - r->before[k]) / span;
  }
  const int count = contacts_at(r, r->q.time[i]);
  return pki_robot_stability(sim->workspace, r->robot, pk_sim_q(sim), u, moves ? r->a : NULL, r->buffer,
                             count, r->scenario->step.dt, &r->options, out, err);
}

/* ---- all samples ---- */

const char *const pki_support_phase_names[PKI_SUPPORT_PHASES] = {
    [PKI_SUPPORT_FLIGHT] = "flight",    [PKI_SUPPORT_ONE] = "one foot",
    [PKI_SUPPORT_SIDE] = "two feet",    [PKI_SUPPORT_DIAGONAL] = "two feet, diagonal",
    [PKI_SUPPORT_THREE] = "three feet", [PKI_SUPPORT_MORE] = "four feet and more",
};

static pki_support_phase phase_of(const pk_stability *s)
{
  static const pki_support_phase by_feet[] = {PKI_SUPPORT_FLIGHT, PKI_SUPPORT_ONE, PKI_SUPPORT_SIDE,
                                              PKI_SUPPORT_THREE, PKI_SUPPORT_MORE};
  const bool diagonal = s->feet == 2 && s->nedge == 1 && s->edges[0].kind == PK_EDGE_KIND_DIAGONAL;
  return diagonal ? PKI_SUPPORT_DIAGONAL : by_feet[s->feet < 4 ? s->feet : 4];
}

/* Columns of the measures before one. */
static int first_column(int measure)
{
  int count = 0;
  for (int i = 0; i < measure; i++) {
    for (const pki_stability_column *c = pki_stability_rows[i]->columns; c->name != NULL; c++) {
      count++;
    }
  }
  return count;
}

const double *pki_stability_curve(const pki_stability_track *t, pk_stability_measure measure, int column)
{
  return t->values + (size_t)(first_column((int)measure) + column) * (size_t)t->n;
}

static void keep_values(pki_stability_track *t, int i, const pk_stability *s)
{
  double *to = t->values + i;
  for (int k = 0; k < PK_STABILITY_MEASURE_COUNT; k++) {
    for (const pki_stability_column *c = pki_stability_rows[k]->columns; c->name != NULL; c++, to += t->n) {
      *to = pki_stability_value(s, c);
    }
  }
}

static void keep_outline(pki_stability_track *t, const pk_stability *s)
{
  pki_support_outline *o = &t->shown[t->nshown++];
  o->n = s->ncorner + (s->ncorner > 2);
  for (int i = 0; i < o->n; i++) {
    o->x[i] = s->corners[i % s->ncorner][0];
    o->y[i] = s->corners[i % s->ncorner][1];
  }
}

/* Samples in the middle of phases, as many as are shown at most; how many. */
static int choose_outlines(const pki_stability_track *t, int chosen[PKI_OUTLINES])
{
  int phases = 0, count = 0;
  for (int pass = 0; pass < 2; pass++) {
    const int every = (phases + PKI_OUTLINES - 1) / PKI_OUTLINES;
    for (int i = 0, end, k = 0; i < t->n; i = end) {
      for (end = i + 1; end < t->n && t->phase[end] == t->phase[i];) {
        end++;
      }
      if (t->phase[i] == PKI_SUPPORT_FLIGHT) {
        continue;
      }
      phases += pass == 0;
      if (pass == 1 && k++ % every == 0 && count < PKI_OUTLINES) {
        chosen[count++] = (i + end) / 2;
      }
    }
  }
  return count;
}

static pk_status allocate_track(pki_stability_track *t, int n, pk_error *err)
{
  const size_t size = (size_t)n;
  *t = (pki_stability_track){.n = n};
  t->time = calloc(size + 1, sizeof *t->time);
  t->values = calloc(size * (size_t)first_column(PK_STABILITY_MEASURE_COUNT) + 1, sizeof *t->values);
  t->phase = calloc(size + 1, sizeof *t->phase);
  t->shown = calloc(PKI_OUTLINES, sizeof *t->shown);
  return t->time != NULL && t->values != NULL && t->phase != NULL && t->shown != NULL
             ? PK_OK
             : pki_fail_memory(err, "the recording's stability");
}

pk_status pki_stability_track_compute(pki_stability_replay *r, double from, double to, pki_stability_track *t,
                                      pk_error *err)
{
  int first = 0, end = r->q.n;
  while (first < end && r->q.time[first] < from) {
    first++;
  }
  while (end > first && r->q.time[end - 1] > to) {
    end--;
  }
  pk_status status = allocate_track(t, end - first, err);
  pk_stability *s = malloc(sizeof *s);
  if (s == NULL) {
    return pki_fail_memory(err, "the recording's stability");
  }
  for (int i = 0; i < t->n && status == PK_OK; i++) {
    const int at = first + i;
    t->time[i] = r->q.time[at];
    status = pki_stability_replay_at(r, at, s, err);
    keep_values(t, i, s);
    t->phase[i] = phase_of(s);
    if (at > 0) { /* the start is no step */
      pk_stability_add(&t->sum, s, t->time[i], t->time[i] - r->q.time[at - 1]);
    }
  }
  int chosen[PKI_OUTLINES];
  const int count = status == PK_OK ? choose_outlines(t, chosen) : 0;
  for (int k = 0; k < count && status == PK_OK; k++) {
    status = pki_stability_replay_at(r, first + chosen[k], s, err);
    keep_outline(t, s);
  }
  free(s);
  return status;
}

void pki_stability_track_free(pki_stability_track *t)
{
  free(t->time);
  free(t->values);
  free(t->phase);
  free(t->shown);
  *t = (pki_stability_track){0};
}
