/* The walk of `pronk bench robots`: COMAN walks under the controller `biped`, and a cycle of two steps is recorded, states and torques. Engines get joint
 * targets that make the same torques by the scene's gains where a robot is where it was:
 *
 *   q_des = q + (tau + kd u)/kp */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/contact_pronk.h"
#include "bench/robots_scene.h"
#include "pronk/gait.h"

static const double SPEED = 0.2, SWING = 0.4, SUPPORT = 0.1; /* m/s; s */
static const int SETTLED = 8;                                /* steps before the cycle */

/* Knees bent by 0.8 rad, hips over the ankles, arms off the trunk. */
static const struct {
  const char *joint;
  double angle;
} bent[] = {{"RHipSag", -0.3754377621}, {"RKneeSag", 0.8},
            {"RAnkSag", -0.4245622379}, {"LHipSag", -0.3754377621},
            {"LKneeSag", 0.8},          {"LAnkSag", -0.4245622379},
            {"RShLat", -0.15},          {"RElbj", -0.4},
            {"LShLat", 0.15},           {"LElbj", -0.4}};

int pki_robots_walk_length(double dt)
{
  return (int)lround(2 * (SWING + SUPPORT) / dt);
}

void pki_robots_walk_stance(const pk_model *m, double *stance)
{
  for (size_t i = 0; i < sizeof bent / sizeof bent[0]; i++) {
    const int joint = pk_model_find_joint(m, bent[i].joint);
    if (joint >= 0) {
      stance[m->joints[joint].u] = bent[i].angle;
    }
  }
}

/* Step until the cycle begins: a foot leaves after SETTLED steps. */
static pk_status settle_walk(pk_sim *sim, pk_error *err)
{
  enum { MOST = 20000 };
  pk_biped_report report = {0};
  pk_status status = PK_OK;
  for (int k = 0; k < MOST && status == PK_OK; k++) {
    status = pk_sim_step(sim, NULL);
    pk_biped_get_report(sim, &report, NULL);
    if (report.steps == SETTLED && report.phase == PK_BIPED_SWINGS) {
      return status;
    }
  }
  return status != PK_OK ? status
                         : pki_fail(err, PK_ERROR_MODEL, (pki_where){0}, "the robot does not walk: %d steps",
                                    report.steps);
}

/* States of a cycle [ntarget][nq + nu], and targets that make its torques. */
static pk_status record_walk(pki_robots_scene *s, pk_sim *sim, pk_error *err)
{
  const pk_model *m = s->model;
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu;
  pk_status status = settle_walk(sim, err);
  for (int k = 0; k < s->ntarget && status == PK_OK; k++) {
    double *row = s->cycle + (size_t)k * (nq + nu), *target = s->targets + (size_t)k * nu;
    memcpy(row, pk_sim_q(sim), nq * sizeof *row);
    memcpy(row + nq, pk_sim_u(sim), nu * sizeof *row);
    status = pk_sim_step(sim, NULL);
    const double *tau = pk_sim_tau(sim), *u = pk_sim_u(sim), *q = pk_sim_q(sim);
    for (size_t i = 0; i < nu; i++) {
      if (m->dof_q[i] >= 0) {
        target[i] = q[m->dof_q[i]] + (tau[i] + s->scene.kd * u[i]) / s->scene.kp;
      }
    }
  }
  return status;
}

pk_status pki_robots_walk(pki_robots_scene *s, pk_error *err)
{
  const pk_sim_options o = pk_sim_options_default();
  pk_biped_options walk = pk_biped_options_default();
  pk_controller *controller = NULL;
  pk_terrain *ground = NULL;
  pk_sim *sim = NULL;
  walk.period = s->scene.dt;
  walk.feet[0] = "LFoot", walk.feet[1] = "RFoot";
  walk.arms[0] = "LShSag", walk.arms[1] = "RShSag";
  walk.forward = SPEED, walk.swing = SWING, walk.support = SUPPORT;
  s->cycle = calloc((size_t)s->ntarget * (size_t)(s->model->nq + s->model->nu), sizeof *s->cycle);
  pk_status status = s->cycle ? PK_OK : pki_fail_memory(err, NULL);
  status = status == PK_OK ? pki_contact_sim_create(&s->scene, &o, &ground, &sim, err) : status;
  status = status == PK_OK ? pk_biped_create(pk_sim_joint_model(sim), &walk, &controller, err) : status;
  status = status == PK_OK ? pk_sim_set_controller(sim, controller, err) : status;
  status = status == PK_OK ? record_walk(s, sim, err) : status;
  pk_sim_destroy(sim);
  pk_biped_destroy(controller);
  pk_terrain_destroy(ground);
  return status;
}
