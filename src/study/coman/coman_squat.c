/* WALK-MAN's squat: the hip's angle and its reference, the knee's torque, and the force on both feet beside what carries and accelerates
 * the centre of mass. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "scenario/scenario.h"
#include "study/coman/coman.h"

enum { MOST_CONTACTS = 64, CURVES = 6 };

static const double first_second = 1, gravity = 9.81;

typedef struct squat {
  pki_scenario *scenario;
  pki_world world;
  pk_workspace *work;
  int waist, foot[2], hip, knee; /* links; velocity coordinates */
  double wall, speed;            /* s; m/s, vertical, of the centre of mass before the step */
  double top, bottom, error;     /* m, of the waist; rad, sum */
} squat;

static void close_squat(squat *s)
{
  pk_workspace_destroy(s->work);
  pki_world_free(&s->world);
  pki_scenario_destroy(s->scenario);
}

static int coordinate_of(const pk_model *m, const char *name)
{
  const int joint = pk_model_find_joint(m, name);
  return joint >= 0 ? m->joints[joint].u : -1;
}

static pk_status open_squat(squat *s, pk_error *err)
{
  char path[PKI_PATH_MAX];
  *s = (squat){.top = -INFINITY, .bottom = INFINITY};
  pk_status status = pki_scenario_locate("walkman-squat", path, err);
  status = status == PK_OK ? pki_scenario_load(path, NULL, 0, &s->scenario, err) : status;
  status = status == PK_OK ? pki_world_create(s->scenario, &s->world, err) : status;
  if (status != PK_OK) {
    return status;
  }
  const pk_model *m = s->world.model;
  s->waist = pk_model_find_link(m, "Waist");
  s->foot[0] = pk_model_find_link(m, "RFoot"), s->foot[1] = pk_model_find_link(m, "LFoot");
  s->hip = coordinate_of(m, "RHipSag"), s->knee = coordinate_of(m, "RKneeSag");
  if (s->waist < 0 || s->foot[0] < 0 || s->foot[1] < 0 || s->hip < 0 || s->knee < 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.file = path},
                    "the robot has no waist, feet, hip and knee as WALK-MAN has them");
  }
  return pk_workspace_create(m, &s->work, err);
}

static pk_status make_curves(pki_coman_squat *out, long long steps, pk_error *err)
{
  const size_t n = (size_t)steps;
  double *block = calloc(CURVES * n, sizeof *block);
  if (block == NULL) {
    return pki_fail_memory(err, "curves");
  }
  out->time = block, out->hip = block + n, out->hip_reference = block + 2 * n;
  out->knee = block + 3 * n, out->foot = block + 4 * n, out->expected = block + 5 * n;
  return PK_OK;
}

void pki_coman_squat_free(pki_coman_squat *out)
{
  free(out->time);
  *out = (pki_coman_squat){0};
}

/* N, vertical on both feet. */
static double feet_force(const squat *s, double dt)
{
  pk_sim_contact contacts[MOST_CONTACTS];
  const int found = pk_sim_contacts(s->world.sim, contacts, MOST_CONTACTS);
  double sum = 0;
  for (int i = 0; i < found && i < MOST_CONTACTS; i++) {
    const bool of_foot = contacts[i].link == s->foot[0] || contacts[i].link == s->foot[1];
    sum += of_foot && contacts[i].other_link < 0 ? contacts[i].impulse[2] / dt : 0;
  }
  return sum;
}

/* A point of the curves after a step. */
static void observe_squat(squat *s, double dt, pki_coman_squat *out)
{
  pk_sim *sim = s->world.sim;
  const int i = out->n++;
  double pos[3], vel[3];
  pk_kinematics_compute(s->work, pk_sim_q(sim), pk_sim_u(sim));
  pk_com_compute(s->work, 0, pos, vel);
  const double height = pk_link_pose(s->work, s->waist).pos[2];
  out->time[i] = pk_sim_time(sim);
  out->hip[i] = pk_sim_q(sim)[s->world.model->dof_q[s->hip]];
  out->hip_reference[i] = pk_sim_commands(sim)[s->hip].q_des;
  out->knee[i] = pk_sim_tau(sim)[s->knee];
  out->foot[i] = feet_force(s, dt);
  /* momentum: the mean force of the step is m (g + dv/dt) */
  out->expected[i] = out->mass * (gravity + (vel[2] - s->speed) / dt);
  s->speed = vel[2];
  s->error += fabs(out->hip[i] - out->hip_reference[i]);
  s->top = fmax(s->top, height), s->bottom = fmin(s->bottom, height);
  out->fell = out->fell || height < 0.5;
  if (out->time[i] > first_second) {
    out->balance = fmax(out->balance, fabs(out->foot[i] - out->expected[i]) / (out->mass * gravity));
    out->knee_least = fmin(out->knee_least, out->knee[i]);
    out->knee_most = fmax(out->knee_most, out->knee[i]);
  }
}

static pk_status run_steps(squat *s, long long steps, const pki_study_watch *watch, pki_coman_squat *out,
                           pk_error *err)
{
  const double dt = s->scenario->step.dt;
  for (long long i = 0; i < steps; i++) {
    pk_step_info info;
    const double before = pki_clock_thread();
    const pk_status status = pki_world_step(&s->world, &info);
    s->wall += pki_clock_thread() - before;
    if (status != PK_OK) {
      return pki_fail(err, status, (pki_where){.field = "walkman-squat"}, "step %lld failed", i);
    }
    observe_squat(s, dt, out);
    if (watch != NULL && i % 100 == 0) {
      watch->tell(watch->user, (double)i / (double)steps);
    }
  }
  return PK_OK;
}

pk_status pki_coman_squat_run(bool quick, const pki_study_watch *watch, pki_coman_squat *out, pk_error *err)
{
  squat s;
  *out = (pki_coman_squat){.knee_least = INFINITY, .knee_most = -INFINITY};
  pk_status status = open_squat(&s, err);
  if (status == PK_OK) {
    /* a quick run has one cycle of 7 s */
    out->duration = quick ? fmin(8, s.scenario->duration) : s.scenario->duration;
    out->mass = s.world.model->mass;
    const long long steps = llround(out->duration / s.scenario->step.dt);
    status = make_curves(out, steps, err);
    status = status == PK_OK ? run_steps(&s, steps, watch, out, err) : status;
  }
  if (status == PK_OK) {
    out->ran = true;
    out->depth = s.top - s.bottom;
    out->hip_error = s.error / out->n;
    out->factor = out->duration / s.wall;
  }
  close_squat(&s);
  return status;
}
