/* Follow joint references by PID: tau = kp e + kd de/dt + ki integral of e, e = q_des - q.
 *
 * The first two terms are the command's own gains, which the step can take at its end; the integral is its torque.
 * Between the lines of the table q_des is a cubic with continuous slopes (Hermite); a slope is that of the parabola through
 * three neighbours, zero at both ends unless the table goes round. u_des is its derivative.
 *
 * While the torque is at its limit and e pushes it further there, the integral waits: it does not wind up. */
#include "control/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/effort.h"
#include "control/registry.h"

#define TRACK(name) #name, offsetof(pk_track_options, name)
static const pk_field track_fields[] = {
    {TRACK(period), PK_FIELD_REAL, "s", 0, 0, 1, NULL, "time between updates, whole steps; 0: each step"},
    {TRACK(file), PK_FIELD_TEXT, "", 0, 0, sizeof((pk_track_options *)0)->file - 1, NULL,
     "a table of joint references; default: the pose at the first update"},
    {TRACK(loop), PK_FIELD_REAL, "s", -1, -1, 1e9, NULL,
     "time of the line that the table goes back to after its last one; below 0: it stays there"},
    {TRACK(kp), PK_FIELD_REAL, "N m/rad", 100, 0, 1e9, NULL, "stiffness, where the table has none"},
    {TRACK(kd), PK_FIELD_REAL, "N m s/rad", 2, 0, 1e9, NULL, "damping, where the table has none"},
    {TRACK(ki), PK_FIELD_REAL, "N m/(rad s)", 0, 0, 1e9, NULL, "of the integral, where the table has none"},
    {TRACK(tau_max), PK_FIELD_REAL, "N m", INFINITY, 0, INFINITY, NULL,
     "largest torque, beside the model's effort limits, where the table has none; 0: none"},
};
enum { TRACK_FIELDS = sizeof track_fields / sizeof track_fields[0] };

typedef struct track {
  pk_controller controller;
  pk_track_options options;
  int joints, rows, loop; /* loop: the row to go back to, -1: none */
  const int *dof;
  const double *gain, *time, *q, *slope;
  double memory[];
} track;

/* What it remembers: whether it has begun; integrals; without a table, the pose that it keeps. */
typedef struct track_state {
  double seen, values[]; /* [2][joints] */
} track_state;

/* Where in the table time t is: the row before it and how far it is to the next, 0 to 1. */
static int find_row(const track *tr, double t, double *part)
{
  const double last = tr->time[tr->rows - 1];
  if (t >= last && tr->loop >= 0) {
    const double from = tr->time[tr->loop], length = last - from;
    t = from + fmod(t - from, length);
  }
  *part = 0;
  if (t >= last) {
    return tr->rows - 1;
  }
  int low = 0, high = tr->rows - 1; /* time[low] <= t < time[high] */
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (tr->time[middle] <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  *part = (t - tr->time[low]) / (tr->time[low + 1] - tr->time[low]);
  return low;
}

/* Where a joint should be: coordinate and rate. */
typedef struct track_goal {
  double q, u;
} track_goal;

/* Reference of column k. */
static track_goal reference_at(const track *tr, int row, double part, int k)
{
  const int at = row * tr->joints + k, next = at + tr->joints;
  if (row == tr->rows - 1) {
    return (track_goal){.q = tr->q[at]};
  }
  const double h = tr->time[row + 1] - tr->time[row], s = part, r = 1 - part;
  const double m0 = h * tr->slope[at], m1 = h * tr->slope[next], rise = tr->q[next] - tr->q[at];
  return (track_goal){.q = tr->q[at] + rise * s * s * (3 - 2 * s) + m0 * s * r * r - m1 * s * s * r,
                      .u = (6 * rise * s * r + m0 * r * (1 - 3 * s) + m1 * s * (3 * s - 2)) / h};
}

/* PID of joint k. */
static void command_joint(const track *tr, const pk_observation *seen, int k, track_goal to, track_state *s,
                          pk_command *commands)
{
  const pk_model *m = seen->model;
  const int dof = tr->dof[k];
  const double dt = tr->controller.period > 0 ? tr->controller.period : seen->dt, *gain = tr->gain + k;
  const double kp = gain[PKI_TRACK_KP * tr->joints], kd = gain[PKI_TRACK_KD * tr->joints],
               ki = gain[PKI_TRACK_KI * tr->joints], e = to.q - seen->q[m->dof_q[dof]],
               most = pki_effort_limit(m, dof, gain[PKI_TRACK_TAU_MAX * tr->joints]);
  double *integral = &s->values[k];
  const double tau = kp * e + kd * (to.u - seen->u[dof]) + ki * (*integral + dt * e);
  *integral += fabs(tau) > most && tau * e > 0 ? 0 : dt * e;
  commands[dof] = (pk_command){.tau = ki * *integral, .q_des = to.q, .u_des = to.u, .kp = kp, .kd = kd};
  pki_command_limit(&commands[dof], most);
}

static void note_pose(const track *tr, const pk_observation *seen, track_state *s)
{
  double *pose = s->values + tr->joints;
  for (int k = 0; k < tr->joints && s->seen == 0; k++) {
    pose[k] = seen->q[seen->model->dof_q[tr->dof[k]]];
  }
  s->seen = 1;
}

/* Joint by joint, so that worlds at the same time, which mostly are neighbours, share a line of the table. */
static void update_group(const pk_controller *self, int count, const pk_observation *seen,
                         void *const *states, pk_command *const *commands, pk_status *status)
{
  enum { MOST = 16 };
  const track *tr = self->user;
  for (int first = 0; first < count; first += MOST) {
    const int n = count - first < MOST ? count - first : MOST;
    int row[MOST] = {0};
    double part[MOST] = {0};
    bool same[MOST]; /* as the world before */
    for (int i = 0; i < n; i++) {
      const pk_observation *at = &seen[first + i];
      note_pose(tr, at, states[first + i]);
      same[i] = i > 0 && at->time == at[-1].time;
      if (same[i]) {
        row[i] = row[i - 1], part[i] = part[i - 1];
      } else if (tr->rows > 0) {
        row[i] = find_row(tr, at->time, &part[i]);
      }
      status[first + i] = PK_OK;
    }
    for (int k = 0; k < tr->joints; k++) {
      track_goal to = {0};
      for (int i = 0; i < n; i++) {
        track_state *s = states[first + i];
        if (tr->rows == 0) {
          to.q = s->values[tr->joints + k];
        } else if (!same[i]) {
          to = reference_at(tr, row[i], part[i], k);
        }
        command_joint(tr, &seen[first + i], k, to, s, commands[first + i]);
      }
    }
  }
}

pk_track_options pk_track_options_default(void)
{
  pk_track_options options;
  pki_fields_default(track_fields, TRACK_FIELDS, &options, sizeof options);
  return options;
}

/* Without a file: every joint with a coordinate of its own. */
static pk_status all_joints(const pk_model *m, const pk_track_options *o, pki_track_table *t, pk_error *err)
{
  const double given[PKI_TRACK_GAINS] = {o->kp, o->kd, o->ki, o->tau_max};
  t->dof = malloc(((size_t)m->nu + 1) * sizeof *t->dof);
  t->gain = malloc(((size_t)m->nu + 1) * PKI_TRACK_GAINS * sizeof *t->gain);
  if (t->dof == NULL || t->gain == NULL) {
    return pki_fail_memory(err, "a controller");
  }
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0 && m->dof_joint[k] >= 0) {
      t->dof[t->joints++] = k;
    }
  }
  for (int k = 0; k < t->joints * PKI_TRACK_GAINS; k++) {
    t->gain[k] = given[k / t->joints];
  }
  return PK_OK;
}

/* The row at the time `loop`, whose joints must be where the last row has them. */
static pk_status find_loop(const pki_track_table *t, const pk_track_options *o, int *row, pk_error *err)
{
  const pki_where where = {.field = "loop"};
  *row = -1;
  if (o->loop < 0) {
    return PK_OK;
  }
  for (int i = 0; i < t->rows - 1; i++) {
    *row = fabs(t->time[i] - o->loop) <= 1e-9 ? i : *row;
  }
  if (*row < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "loop is %g s, expected the time of a line of the table before its last", o->loop);
  }
  for (int k = 0; k < t->joints; k++) {
    const double from = t->q[(t->rows - 1) * t->joints + k], to = t->q[*row * t->joints + k];
    if (fabs(from - to) > 1e-9) {
      return pki_fail(
          err, PK_ERROR_ARGUMENT, where,
          "column %d is %g in the last line and %g in the one at %g s, expected the same for a loop", k + 1,
          from, to, o->loop);
    }
  }
  return PK_OK;
}

/* Slope of the parabola through three points at the middle one. */
static double parabola_slope(double h0, double d0, double h1, double d1)
{
  return (h1 * d0 + h0 * d1) / (h0 + h1);
}

/* Secant of column k from row i to the next. */
static double secant_slope(const pki_track_table *t, int i, int k)
{
  return (t->q[(i + 1) * t->joints + k] - t->q[i * t->joints + k]) / (t->time[i + 1] - t->time[i]);
}

static void set_slopes(const pki_track_table *t, int loop, double *slope)
{
  const int last = t->rows - 1;
  for (int k = 0; k < t->joints; k++) {
    for (int i = 0; i < t->rows; i++) {
      double s = 0;
      if (i > 0 && i < last) {
        s = parabola_slope(t->time[i] - t->time[i - 1], secant_slope(t, i - 1, k),
                           t->time[i + 1] - t->time[i], secant_slope(t, i, k));
      }
      slope[i * t->joints + k] = s;
    }
    if (loop >= 0) { /* the last line is the one that it goes back to */
      slope[last * t->joints + k] = slope[loop * t->joints + k] =
          parabola_slope(t->time[last] - t->time[last - 1], secant_slope(t, last - 1, k),
                         t->time[loop + 1] - t->time[loop], secant_slope(t, loop, k));
    }
  }
}

/* Everything in one block; model: the hash of the one that the table is for. */
static pk_status pack_track(const pki_track_table *t, const pk_track_options *o, int loop,
                            unsigned long long model, pk_controller **out, pk_error *err)
{
  const size_t joints = (size_t)t->joints, rows = (size_t)t->rows, real = sizeof(double);
  const size_t numbers = PKI_TRACK_GAINS * joints + rows + 2 * rows * joints;
  track *tr = malloc(sizeof *tr + numbers * real + joints * sizeof *tr->dof);
  if (tr == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for a table of %zu numbers", numbers);
  }
  double *gain = tr->memory, *time = gain + PKI_TRACK_GAINS * joints, *q = time + rows,
         *slope = q + rows * joints;
  int *dof = (int *)(void *)(slope + rows * joints);
  memcpy(dof, t->dof, joints * sizeof *dof);
  memcpy(gain, t->gain, PKI_TRACK_GAINS * joints * real);
  if (rows > 0) {
    memcpy(time, t->time, rows * real);
    memcpy(q, t->q, rows * joints * real);
  }
  set_slopes(t, loop, slope);
  tr->options = *o;
  tr->joints = t->joints, tr->rows = t->rows, tr->loop = loop;
  tr->dof = dof, tr->gain = gain, tr->time = time, tr->q = q, tr->slope = slope;
  tr->controller = (pk_controller){.name = "track",
                                   .period = o->period,
                                   .model = model,
                                   .state_size = sizeof(track_state) + 2 * joints * real,
                                   .update_group = update_group,
                                   .user = tr};
  *out = &tr->controller;
  return PK_OK;
}

pk_status pk_track_create(const pk_model *model, const pk_track_options *options, pk_controller **out,
                          pk_error *err)
{
  *out = NULL;
  const pk_track_options chosen = options ? *options : pk_track_options_default();
  pk_status status = pki_fields_validate(track_fields, TRACK_FIELDS, &chosen, err);
  if (status != PK_OK) {
    return status;
  }
  pki_track_table table = {0};
  int loop = -1;
  status = chosen.file[0] != '\0' ? pki_track_read(chosen.file, model, &chosen, &table, err)
                                  : all_joints(model, &chosen, &table, err);
  if (status == PK_OK) {
    status = find_loop(&table, &chosen, &loop, err);
  }
  if (status == PK_OK) {
    status = pack_track(&table, &chosen, loop, pk_model_hash(model), out, err);
  }
  pki_track_free(&table);
  return status;
}

void pk_track_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}

static pk_status create_track(const pk_model *model, const void *options, pk_controller **out, pk_error *err)
{
  return pk_track_create(model, options, out, err);
}

static const char *const live_fields[] = {"kp", "kd", "ki", "tau_max", NULL};

const pki_controller_row pki_controller_track = {.name = "track",
                                                 .doc = "PID along a table of joint references",
                                                 .fields = track_fields,
                                                 .nfield = TRACK_FIELDS,
                                                 .options_size = sizeof(pk_track_options),
                                                 .create = create_track,
                                                 .live = live_fields};
