#include "bench/robots_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/contact_pronk.h"
#include "model/locate.h"
#include "pronk/collision.h"

static const double TURN = 6.283185307179586476925286766559;
static const double DT = 2.5e-3, MU = 0.8; /* s; friction */
static const double LIFE = 0.8;            /* s, of one start; the cycle of the trot */
static const double SWING = 0.12;          /* rad, of HFE in a trot */
static const double DROP = 0.01;           /* m, of a robot that is about to stand */
static const double FORE[2] = {0.7343101344764329, -1.3411529067300831}; /* HFE, KFE of starleth and boxdog */
static const double ANYMAL[2] = {0.7639646365417663, -1.022815259237885};

static const pki_robots_work works[] = {
    {"stand starleth", PKI_ROBOTS_STAND, "starleth", 1},
    {"trot starleth", PKI_ROBOTS_TROT, "starleth", 1},
    {"fall starleth", PKI_ROBOTS_FALL, "starleth", 1},
    {"hold starleth", PKI_ROBOTS_HOLD, "starleth", 1},
    {"lie starleth", PKI_ROBOTS_LIE, "starleth", 1},
    {"stand anymal_b", PKI_ROBOTS_STAND, "anymal_b", 1},
    {"trot anymal_b", PKI_ROBOTS_TROT, "anymal_b", 1},
    {"fall anymal_b", PKI_ROBOTS_FALL, "anymal_b", 1},
    {"hold anymal_b", PKI_ROBOTS_HOLD, "anymal_b", 1},
    {"lie anymal_b", PKI_ROBOTS_LIE, "anymal_b", 1},
    {"stand boxdog", PKI_ROBOTS_STAND, "boxdog", 1},
    {"trot boxdog", PKI_ROBOTS_TROT, "boxdog", 1},
    {"fall boxdog", PKI_ROBOTS_FALL, "boxdog", 1},
    {"hold boxdog", PKI_ROBOTS_HOLD, "boxdog", 1},
    {"lie boxdog", PKI_ROBOTS_LIE, "boxdog", 1},
    {"stand coman", PKI_ROBOTS_STAND, "coman", 1},
    {"walk coman", PKI_ROBOTS_WALK, "coman", 1},
    {"fall coman", PKI_ROBOTS_FALL, "coman", 1},
    {"hold coman", PKI_ROBOTS_HOLD, "coman", 1},
    {"lie coman", PKI_ROBOTS_LIE, "coman", 1},
    {"robots 64", PKI_ROBOTS_MANY, "starleth", 64},
    {"balls 10", PKI_ROBOTS_BALLS, NULL, 10},
    {"balls 100", PKI_ROBOTS_BALLS, NULL, 100},
    {"balls 1000", PKI_ROBOTS_BALLS, NULL, 1000},
    {"boxes 10", PKI_ROBOTS_BOXES, NULL, 10},
    {"boxes 100", PKI_ROBOTS_BOXES, NULL, 100},
    {"boxes 1000", PKI_ROBOTS_BOXES, NULL, 1000},
    {"stack", PKI_ROBOTS_STACK, NULL, 30},
};

const pki_robots_work *pki_robots_works(int *count)
{
  *count = (int)(sizeof works / sizeof works[0]);
  return works;
}

static bool is_humanoid(const pki_robots_scene *s)
{
  return strcmp(s->work->model, "coman") == 0;
}

/* ---- the stance, and a trot around it ---- */

/* HAA, HFE, KFE of legs in the order LF, RF, LH, RH; hind legs bend the other way. A humanoid stands straight, and walks with bent knees. */
static void set_stance(pki_robots_scene *s)
{
  const pk_model *m = s->model;
  const double *fore = strcmp(s->work->model, "anymal_b") == 0 ? ANYMAL : FORE;
  for (int j = 0; j < m->njoint && !is_humanoid(s); j++) {
    const double side = j / 3 < 2 ? 1 : -1;
    s->stance[m->joints[j].u] = j % 3 == 0 ? 0 : side * fore[j % 3 - 1];
  }
  if (s->work->motion == PKI_ROBOTS_WALK) {
    pki_robots_walk_stance(m, s->stance);
  }
}

/* The foot ball of a shank, in the shank's frame. */
static const double *foot_of(const pk_model *m, int shank)
{
  static const double straight[3] = {0, 0, -1};
  for (int i = 0; i < m->nshape; i++) {
    if (m->shapes[i].body == shank && !m->shapes[i].visual && m->shapes[i].kind == PK_SHAPE_SPHERE) {
      return m->shapes[i].pose.pos;
    }
  }
  return straight;
}

/* How far KFE turns for a turn of HFE so that the foot stays below the hip. With the knee at depth l below the hip and the foot
 * at (x, z) of the shank, the foot is at -l sin h + x cos(h + k) + z sin(h + k) along the robot. */
static double knee_ratio(const pki_robots_scene *s, int leg)
{
  const pk_model *m = s->model;
  const pk_model_joint *hip = &m->joints[3 * leg + 1], *knee = &m->joints[3 * leg + 2];
  const double h = s->stance[hip->u], k = s->stance[knee->u];
  const double *foot = foot_of(m, knee->body), l = -m->body_pos[3 * knee->body + 2];
  const double by_knee = -foot[0] * sin(h + k) + foot[2] * cos(h + k), by_hip = by_knee - l * cos(h);
  return -by_hip / by_knee;
}

/* Diagonal legs swing together. */
static void set_trot(pki_robots_scene *s)
{
  const pk_model *m = s->model;
  for (int k = 0; k < s->ntarget; k++) {
    double *target = s->targets + (size_t)k * (size_t)m->nu;
    memcpy(target, s->stance, (size_t)m->nu * sizeof *target);
    for (int leg = 0; leg < 4 && s->ntarget > 1; leg++) {
      const double pair = leg == 0 || leg == 3 ? 1 : -1, side = leg < 2 ? 1 : -1;
      const double move = side * pair * SWING * sin(TURN * k / s->ntarget);
      target[m->joints[3 * leg + 1].u] += move;
      target[m->joints[3 * leg + 2].u] += knee_ratio(s, leg) * move;
    }
  }
}

/* ---- gains ---- */

/* Those of `pronk bench contact` for quadrupeds. A humanoid needs more to stand, more than its light links bear as explicit
 * damping. Robots that lie are too weak to rise, those that fall are limp; the others have the efforts of their files. */
static void set_gains(pki_robots_scene *s)
{
  const bool humanoid = is_humanoid(s), limp = s->work->motion == PKI_ROBOTS_FALL;
  const double weak = humanoid ? 2 : 3; /* N m */
  s->scene.kp = limp ? 0 : humanoid ? 400 : 150;
  s->scene.kd = limp ? 0 : humanoid ? 10 : 1;
  s->scene.damped = humanoid && !limp;
  for (int k = 0; k < s->model->nu; k++) {
    s->tau_max[k] = s->work->motion == PKI_ROBOTS_LIE ? weak : s->model->dof_effort[k];
  }
  s->scene.tau_max = s->tau_max;
}

/* ---- who does not collide ---- */

/* Bodies whose links overlap in the stance: they do not collide in any engine. */
static pk_status find_apart(pki_robots_scene *s, pk_error *err)
{
  enum { MOST = 64 };
  pk_sim_overlap_pair pairs[MOST];
  const pk_sim_options o = pk_sim_options_default();
  pk_terrain *ground = NULL;
  pk_sim *sim = NULL;
  const pk_status status = pki_contact_sim_create(&s->scene, &o, &ground, &sim, err);
  if (status != PK_OK) {
    return status;
  }
  const int found = pk_sim_release_overlaps(sim, pairs, MOST), count = found < MOST ? found : MOST;
  s->apart = calloc((size_t)(count > 0 ? count : 1), sizeof *s->apart);
  for (int i = 0; i < count && s->apart; i++) {
    s->apart[i][0] = s->model->links[pairs[i].link[0]].body;
    s->apart[i][1] = s->model->links[pairs[i].link[1]].body;
  }
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  s->scene.apart = (const int(*)[2])s->apart, s->scene.napart = count > 0 ? count : 0;
  return found >= 0 && s->apart ? PK_OK : pki_fail_memory(err, NULL);
}

/* ---- all of it ---- */

/* Standing on the ground, upright. */
static pk_status place_upright(pki_robots_scene *s, pk_error *err)
{
  const pk_model *m = s->model;
  pk_workspace *workspace;
  pk_workspace_create(m, &workspace, NULL);
  if (!workspace) {
    return pki_fail_memory(err, NULL);
  }
  s->scene.q[3] = 1;
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0) {
      s->scene.q[m->dof_q[k]] = s->stance[k];
    }
  }
  s->scene.q[2] = DROP - pki_robots_lowest(workspace, s->scene.q);
  pk_workspace_destroy(workspace);
  return PK_OK;
}

static pk_status create_robot(pki_robots_scene *s, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pk_status status = pki_model_locate(s->work->model, path, err);
  status = status == PK_OK ? pk_model_load_urdf(path, NULL, &s->model, err) : status;
  if (status != PK_OK) {
    return status;
  }
  const size_t nu = (size_t)s->model->nu;
  s->ntarget = s->work->motion == PKI_ROBOTS_TROT   ? (int)lround(LIFE / DT)
               : s->work->motion == PKI_ROBOTS_WALK ? pki_robots_walk_length(DT)
                                                    : 1;
  s->scene.model = s->model;
  s->scene.q = calloc((size_t)s->model->nq, sizeof *s->scene.q);
  s->stance = calloc(nu, sizeof *s->stance);
  s->tau_max = calloc(nu, sizeof *s->tau_max);
  s->targets = calloc((size_t)s->ntarget * nu, sizeof *s->targets);
  if (!s->scene.q || !s->stance || !s->tau_max || !s->targets) {
    return pki_fail_memory(err, NULL);
  }
  const bool walks = s->work->motion == PKI_ROBOTS_WALK;
  set_stance(s);
  if (!walks) {
    set_trot(s);
  }
  set_gains(s);
  status = place_upright(s, err);
  status = status == PK_OK ? find_apart(s, err) : status;
  return status == PK_OK && walks ? pki_robots_walk(s, err) : status;
}

pk_status pki_robots_scene_create(pki_robots_scene *s, const pki_robots_work *work, pk_error *err)
{
  *s = (pki_robots_scene){.work = work, .life = LIFE, .scene = {.dt = DT, .mu = MU, .whole = true}};
  const pk_status status = work->motion == PKI_ROBOTS_MANY ? pki_many_create(s, err)
                           : work->model                   ? create_robot(s, err)
                                                           : pki_objects_create(s, err);
  if (status != PK_OK) {
    pki_robots_scene_destroy(s);
  }
  return status;
}

void pki_robots_scene_destroy(pki_robots_scene *s)
{
  if (s->many) {
    pki_scaling_scene_destroy(s->many);
    free(s->many);
  } else {
    free(s->scene.q);
  }
  pk_model_destroy(s->model);
  free(s->stance);
  free(s->tau_max);
  free(s->targets);
  free(s->cycle);
  free(s->apart);
  *s = (pki_robots_scene){0};
}
