/* Loads from a recording. Torques are those of the commands, with what accelerates the rotors of the run; these are taken out again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/recorded_scenario.h"
#include "size/duty_source.h"

/* What is read. */
typedef struct parts {
  const char *path;
  const pk_recorder_channel *speeds, *forces, *loads; /* loads NULL: there are none */
  pk_recording_series speed, force, load;
} parts;

static pk_status read_channel(const pk_recording *r, const char *path, const char *name,
                              const pki_duty_window *w, bool needed, const pk_recorder_channel **channel,
                              pk_recording_series *out, pk_error *err)
{
  int count;
  const pk_recorder_channel *all = pk_recording_channels(r, &count);
  const int index = pk_recording_find(r, name);
  *channel = index >= 0 ? &all[index] : NULL;
  if (index < 0) {
    return needed ? pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path, .field = name},
                             "the recording has no channel %s; sizing needs state/u and joints/force", name)
                  : PK_OK;
  }
  return pk_recording_read(r, index, w->from, w->to, out, err);
}

static int column_of(const pk_recorder_channel *c, const char *name)
{
  for (int i = 0; i < c->columns; i++) {
    if (strcmp(c->column[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

static void copy_joint(const parts *p, int force, pki_joint_duty *out, int n)
{
  const int speed = column_of(p->speeds, p->forces->column[force]);
  snprintf(out->name, sizeof out->name, "%s", p->forces->column[force]);
  for (int i = 0; i < n; i++) {
    out->torque[i] = p->force.values[(size_t)i * (size_t)p->force.columns + (size_t)force];
    out->speed[i] = speed >= 0 ? p->speed.values[(size_t)i * (size_t)p->speed.columns + (size_t)speed] : 0;
  }
}

/* The six columns of a joint begin with NAME.fx. */
static void read_bearing(const parts *p, pki_joint_duty *joint)
{
  char name[PKI_DUTY_NAME + 8];
  snprintf(name, sizeof name, "%s.fx", joint->name);
  const int first = p->loads != NULL ? column_of(p->loads, name) : -1;
  double cubes = 0;
  if (first < 0 || first + 6 > p->loads->columns || p->load.n == 0) {
    return;
  }
  pki_bearing *b = &joint->bearing;
  b->known = true;
  for (int i = 0; i < p->load.n; i++) {
    const double *v = p->load.values + (size_t)i * (size_t)p->load.columns + (size_t)first;
    const double force = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 6; k++) {
      b->largest[k] = fmax(b->largest[k], fabs(v[k]));
    }
    b->force = fmax(b->force, force);
    b->moment = fmax(b->moment, sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]));
    cubes += force * force * force;
  }
  b->mean_force = cbrt(cubes / p->load.n);
}

/* The acceleration `lag` s before a sample, on the line to the sample before. */
static double acceleration_before(const pki_duty_motion *m, const pki_joint_duty *j, int i, double lag)
{
  const double span = i > 0 ? m->time[i] - m->time[i - 1] : 0;
  const double part = span > 0 ? fmin(lag / span, 1) : 0;
  return i > 0 ? j->acceleration[i] - part * (j->acceleration[i] - j->acceleration[i - 1])
               : j->acceleration[i];
}

/* The rotors of the run's drives, from its world; nothing where the recording holds no scenario. A recorded force is that of the step which ends at
 * its sample: by M (u_E - u_S)/dt + h = tau it goes with the acceleration in the middle of that step. */
static void remove_rotors(const pk_recording *r, double given, pki_duty_motion *m)
{
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  const bool known = pki_recorded_scenario(r, "", &scenario, NULL) == PK_OK;
  const double lag = known ? scenario->step.dt / 2 : 0;
  if (given < 0 && known) {
    pki_world_create(scenario, &world, NULL);
  }
  for (int k = 0; k < m->njoint; k++) {
    pki_joint_duty *j = &m->joints[k];
    const int joint = world.model != NULL ? pk_model_find_joint(world.model, j->name) : -1;
    const double armature = given >= 0   ? given
                            : joint >= 0 ? world.model->dof_armature[world.model->joints[joint].u]
                                         : 0;
    j->armature = armature;
    for (int i = 0; i < m->n; i++) {
      j->torque[i] -= armature * acceleration_before(m, j, i, lag);
    }
  }
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
}

static pk_status make_motion(const pk_recording *r, const parts *p, const pki_duty_window *w,
                             pki_duty_motion *out, pk_error *err)
{
  const int n = p->force.n;
  if (p->forces == NULL || n < 2 || p->speed.n != n) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = p->path, .field = "joints/force"},
                    "%d samples of joints/force and %d of state/u between %g and %g s, expected two or more, "
                    "and as many of both",
                    n, p->speed.n, w->from, w->to);
  }
  const pk_status status = pki_duty_motion_create(n, p->forces->columns, out, err);
  if (status != PK_OK) {
    return status;
  }
  memcpy(out->time, p->force.time, (size_t)n * sizeof *out->time);
  for (int k = 0; k < p->forces->columns; k++) {
    copy_joint(p, k, &out->joints[k], n);
    read_bearing(p, &out->joints[k]);
  }
  pki_duty_motion_spans(out);
  pki_duty_motion_differentiate(out, w->window);
  remove_rotors(r, w->armature, out);
  return PK_OK;
}

pk_status pki_duty_read_recording(const char *path, const pki_duty_window *window, pki_duty_motion *out,
                                  pk_error *err)
{
  pk_recording *r = NULL;
  parts p = {.path = path};
  *out = (pki_duty_motion){0};
  pk_status status = pk_recording_open(path, &r, err);
  if (status != PK_OK) {
    return status;
  }
  status = read_channel(r, path, "state/u", window, true, &p.speeds, &p.speed, err);
  status = status == PK_OK ? read_channel(r, path, "joints/force", window, true, &p.forces, &p.force, err)
                           : status;
  status =
      status == PK_OK ? read_channel(r, path, "joints/load", window, false, &p.loads, &p.load, err) : status;
  status = status == PK_OK ? make_motion(r, &p, window, out, err) : status;
  pk_recording_series_free(&p.speed);
  pk_recording_series_free(&p.force);
  pk_recording_series_free(&p.load);
  pk_recording_close(r);
  return status;
}
