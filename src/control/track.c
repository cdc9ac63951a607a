/* Follow joint references, by PID or as constraints of the step.
 *
 * PID: tau = kp e + kd de/dt + ki integral of e, e = q_des - x; x is the joint's coordinate, or the motor's where the gains of commands look
 * at the motor's side of a spring (pk_motor_parameters.feedback). The first two terms are the command's own gains, which the step can take at its end; the integral is its torque. q_des and its
 * rate are those of a table (reference.h).
 *
 * While the torque is at its limit and e pushes it further there, the integral waits: it does not wind up.
 *
 * With a correction time the joints are tracked instead (pk_command.correction): targets are those of the table at the end of the step, rates
 * the difference to those of its start. */
#include <math.h>
#include <stdlib.h>

#include "actuation/actuation.h"
#include "control/effort.h"
#include "control/reference.h"
#include "control/registry.h"
#include "control/track.h"

static const char *const interpolation_words[] = {"cubic", "linear"};

#define TRACK(name) #name, offsetof(pk_track_options, name)
static const pk_field track_fields[] = {
    {TRACK(period), PK_FIELD_REAL, "s", 0, 0, 1, NULL, "time between updates, whole steps; 0: each step"},
    {TRACK(file), PK_FIELD_TEXT, "", 0, 0, sizeof((pk_track_options *)0)->file - 1, NULL,
     "a table of joint references; default: the pose at the first update"},
    {TRACK(interpolation), PK_FIELD_ENUM, "", PK_TRACK_INTERPOLATION_CUBIC, 0,
     PK_TRACK_INTERPOLATION_COUNT - 1, interpolation_words,
     "what leads from one line of the table to the next"},
    {TRACK(loop), PK_FIELD_REAL, "s", -1, -1, 1e9, NULL,
     "time of the line that the table goes back to after its last one; below 0: it stays there"},
    {TRACK(ramp), PK_FIELD_REAL, "s", 0, 0, 1e9, NULL,
     "time in which the table is entered from the pose at the first update"},
    {TRACK(kp), PK_FIELD_REAL, "N m/rad", 100, 0, 1e9, NULL, "stiffness, where the table has none"},
    {TRACK(kd), PK_FIELD_REAL, "N m s/rad", 2, 0, 1e9, NULL, "damping, where the table has none"},
    {TRACK(ki), PK_FIELD_REAL, "N m/(rad s)", 0, 0, 1e9, NULL, "of the integral, where the table has none"},
    {TRACK(tau_max), PK_FIELD_REAL, "N m", INFINITY, 0, INFINITY, NULL,
     "largest torque, beside the model's effort limits, where the table has none; 0: none"},
    {TRACK(correction), PK_FIELD_REAL, "s", 0, 0, 1e3, NULL,
     "joints are tracked as constraints of the step, and errors vanish in this time; 0: by gains"},
};
enum { TRACK_FIELDS = sizeof track_fields / sizeof track_fields[0] };

typedef struct track {
  pk_controller controller;
  pk_track_options options;
  pki_reference reference;
  const double *gain; /* [PKI_REFERENCE_GAINS][joints] */
  double memory[];    /* of gains and of the reference */
} track;

/* What it remembers: whether it has begun; integrals; the pose at its first update. */
typedef struct track_state {
  double seen, values[]; /* [2][joints] */
} track_state;

/* What the gains of a coordinate look at. */
static double fed_back(const pk_observation *seen, int dof)
{
  const double x = seen->q[seen->model->dof_q[dof]];
  return seen->actuation == NULL ? x : x + pki_feedback_offset(seen->actuation, seen->actuator_states, dof);
}

/* PID of joint k. */
static void command_joint(const track *tr, const pk_observation *seen, int k, pki_goal to, track_state *s,
                          pk_command *commands)
{
  const pk_model *m = seen->model;
  const int dof = tr->reference.dof[k], joints = tr->reference.joints;
  const double dt = tr->controller.period > 0 ? tr->controller.period : seen->dt, *gain = tr->gain + k;
  const double kp = gain[PKI_REFERENCE_KP * joints], kd = gain[PKI_REFERENCE_KD * joints],
               ki = gain[PKI_REFERENCE_KI * joints],
               e = to.q - (ki > 0 ? fed_back(seen, dof) : seen->q[m->dof_q[dof]]),
               most = pki_effort_limit(m, dof, gain[PKI_REFERENCE_TAU_MAX * joints]);
  double *integral = &s->values[k];
  const double tau = kp * e + kd * (to.u - seen->u[dof]) + ki * (*integral + dt * e);
  *integral += fabs(tau) > most && tau * e > 0 ? 0 : dt * e;
  commands[dof] = (pk_command){.tau = ki * *integral, .q_des = to.q, .u_des = to.u, .kp = kp, .kd = kd};
  pki_command_limit(&commands[dof], most);
}

/* The target of joint k for the end of the step. */
static void track_joint(const track *tr, const pk_observation *seen, int k, pki_goal from, pki_goal to,
                        pk_command *commands)
{
  const int dof = tr->reference.dof[k], joints = tr->reference.joints;
  commands[dof] =
      (pk_command){.q_des = to.q, .u_des = (to.q - from.q) / seen->dt, .correction = tr->options.correction};
  pki_command_limit(&commands[dof],
                    pki_effort_limit(seen->model, dof, tr->gain[PKI_REFERENCE_TAU_MAX * joints + k]));
}

static void note_pose(const track *tr, const pk_observation *seen, track_state *s)
{
  const pki_reference *ref = &tr->reference;
  double *pose = s->values + ref->joints;
  for (int k = 0; k < ref->joints && s->seen == 0; k++) {
    pose[k] = seen->q[seen->model->dof_q[ref->dof[k]]];
  }
  s->seen = 1;
}

/* Targets of one world for the end of its step. */
static void track_world(const track *tr, const pk_observation *seen, track_state *s, pk_command *commands)
{
  const pki_reference *ref = &tr->reference;
  const pki_reference_place from = pki_reference_find(ref, seen->time),
                            to = pki_reference_find(ref, seen->time + seen->dt);
  note_pose(tr, seen, s);
  for (int k = 0; k < ref->joints; k++) {
    const double start = s->values[ref->joints + k];
    track_joint(tr, seen, k, pki_reference_from(ref, from, pki_reference_at(ref, from, k), start),
                pki_reference_from(ref, to, pki_reference_at(ref, to, k), start), commands);
  }
}

/* Joint by joint, so that worlds at the same time, which mostly are neighbours, share a line of the table. */
static void update_group(const pk_controller *self, int count, const pk_observation *seen,
                         void *const *states, pk_command *const *commands, pk_status *status)
{
  enum { MOST = 16 };
  const track *tr = self->user;
  const pki_reference *ref = &tr->reference;
  for (int i = 0; i < count && tr->options.correction > 0; i++) {
    track_world(tr, &seen[i], states[i], commands[i]);
    status[i] = PK_OK;
  }
  for (int first = 0; first < count && !(tr->options.correction > 0); first += MOST) {
    const int n = count - first < MOST ? count - first : MOST;
    pki_reference_place place[MOST];
    bool same[MOST]; /* as the world before */
    for (int i = 0; i < n; i++) {
      const pk_observation *at = &seen[first + i];
      note_pose(tr, at, states[first + i]);
      same[i] = i > 0 && at->time == at[-1].time;
      place[i] = same[i] ? place[i - 1] : pki_reference_find(ref, at->time);
      status[first + i] = PK_OK;
    }
    for (int k = 0; k < ref->joints; k++) {
      pki_goal to = {0};
      for (int i = 0; i < n; i++) {
        track_state *s = states[first + i];
        to = same[i] ? to : pki_reference_at(ref, place[i], k);
        command_joint(tr, &seen[first + i], k,
                      pki_reference_from(ref, place[i], to, s->values[ref->joints + k]), s,
                      commands[first + i]);
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

/* Gains of the table, or of the options where the table has none. */
static void set_gains(const pki_reference_table *t, const pk_track_options *o, double *gain)
{
  const double given[PKI_REFERENCE_GAINS] = {o->kp, o->kd, o->ki, o->tau_max};
  for (int i = 0; i < t->joints * PKI_REFERENCE_GAINS; i++) {
    gain[i] = isnan(t->gain[i]) ? given[i / t->joints] : t->gain[i];
  }
}

pk_status pki_track_pack(const pki_reference_table *t, const pk_track_options *o, unsigned long long model,
                         pk_controller **out, pk_error *err)
{
  const size_t gains = PKI_REFERENCE_GAINS * (size_t)t->joints, size = pki_reference_size(t);
  track *tr = malloc(sizeof *tr + gains * sizeof(double) + size);
  if (tr == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for a table of %zu bytes", size);
  }
  const pki_reference_options followed = {
      .loop = o->loop, .ramp = o->ramp, .linear = o->interpolation == PK_TRACK_INTERPOLATION_LINEAR};
  const pk_status status = pki_reference_init(t, &followed, tr->memory + gains, &tr->reference, err);
  if (status != PK_OK) {
    free(tr);
    return status;
  }
  set_gains(t, o, tr->memory);
  tr->gain = tr->memory;
  tr->options = *o;
  tr->controller = (pk_controller){.name = "track",
                                   .period = o->period,
                                   .model = model,
                                   .state_size = sizeof(track_state) + 2 * (size_t)t->joints * sizeof(double),
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
  if (chosen.correction > 0 && chosen.period > 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "period"},
                    "period is %g s, expected 0: with a correction time every step has its own targets",
                    chosen.period);
  }
  pki_reference_table table;
  status = pki_reference_read(chosen.file, model, &table, err);
  if (status == PK_OK) {
    status = pki_track_pack(&table, &chosen, pk_model_hash(model), out, err);
  }
  pki_reference_free(&table);
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

static bool asks_for_targets(const void *options)
{
  return ((const pk_track_options *)options)->correction > 0;
}

static const char *const live_fields[] = {"kp", "kd", "ki", "tau_max", NULL};

const pki_controller_row pki_controller_track = {.name = "track",
                                                 .doc = "PID along a table or sinusoids of joint references",
                                                 .fields = track_fields,
                                                 .nfield = TRACK_FIELDS,
                                                 .options_size = sizeof(pk_track_options),
                                                 .create = create_track,
                                                 .tracks = asks_for_targets,
                                                 .live = live_fields};
