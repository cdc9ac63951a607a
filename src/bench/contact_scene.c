#include "bench/contact_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/locate.h"

static const double TURN = 6.283185307179586476925286766559;

/* The stance of models/starleth/README.md: hips 0.41 m above the foot points. */
static const double STANCE[3] = {0, 0.7343101344764329,
                                 -1.3411529067300831}; /* HAA, HFE, KFE of a fore leg */
static const double HEIGHT = 0.435;                    /* m, of the base, feet on the ground */
static const double DROP = 0.01;                       /* m, before the first landing */
static const double SLOPE = 0.1;                       /* rad */

/* A trot in place: HFE swings by this much around the stance, KFE by so much against it that the foot stays
 * below the hip: 0.2 cos(HFE) dHFE + 0.235 cos(HFE + KFE) (dHFE + dKFE) = 0. */
static const double CYCLE = 0.8;  /* s */
static const double SWING = 0.12; /* rad */

/* Gains that every engine bears at 2.5 ms, also as explicit torques. */
static const double KP = 150, KD = 1, MU = 0.8;

const char *const pki_contact_motion_names[PKI_CONTACT_MOTIONS] = {"stand", "trot", "slope"};

/* The foot balls become the only shapes. */
static pk_status take_feet(pki_contact_stage *s, pk_error *err)
{
  static const char *const names[PKI_FEET] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  const pk_model *m = s->loaded;
  for (int f = 0; f < PKI_FEET; f++) {
    const int link = pk_model_find_link(m, names[f]);
    const pk_model_shape *ball = NULL;
    for (int i = 0; i < m->nshape && link >= 0; i++) {
      if (m->shapes[i].link == link && !m->shapes[i].visual && m->shapes[i].kind == PK_SHAPE_SPHERE) {
        ball = &m->shapes[i];
      }
    }
    if (!ball || memcmp(ball->pose.pos, m->links[link].pose.pos, sizeof ball->pose.pos) != 0) {
      return pki_fail(err, PK_ERROR_MODEL, (pki_where){0}, "starleth has no ball at the origin of a link %s",
                      names[f]);
    }
    s->shapes[f] = *ball;
    s->feet[f] = (pki_contact_foot){.link = link, .body = ball->body, .radius = ball->size[0]};
    memcpy(s->feet[f].centre, ball->pose.pos, sizeof ball->pose.pos);
  }
  s->model = *m;
  s->model.shapes = s->shapes;
  s->model.nshape = PKI_FEET;
  return PK_OK;
}

/* Legs in order LF, RF, LH, RH; hind legs bend the other way; LF and RH swing together. */
static void set_target(double *target, const pk_model *m, double phase)
{
  const double ratio = -1 - 0.2 * cos(STANCE[1]) / (0.235 * cos(STANCE[1] + STANCE[2]));
  for (int j = 0; j < m->njoint; j++) {
    const int leg = j / 3, joint = j % 3;
    const double side = leg < 2 ? 1 : -1, pair = leg == 0 || leg == 3 ? 1 : -1;
    const double move = isfinite(phase) ? pair * SWING * sin(phase) : 0;
    const double swing[3] = {0, move, ratio * move};
    target[m->joints[j].u] = side * (STANCE[joint] + swing[joint]);
  }
}

static bool set_motion(pki_contact_stage *s)
{
  const pk_model *m = &s->model;
  const size_t nu = (size_t)m->nu;
  s->ntarget = s->motion == PKI_CONTACT_TROT ? (int)lround(CYCLE / s->scene.dt) : 1;
  s->targets = calloc((size_t)s->ntarget * nu, sizeof *s->targets);
  s->scene.q = calloc((size_t)m->nq, sizeof *s->scene.q);
  if (!s->targets || !s->scene.q) {
    return false;
  }
  for (int k = 0; k < s->ntarget; k++) {
    set_target(s->targets + (size_t)k * nu, m, s->ntarget > 1 ? TURN * k / s->ntarget : NAN);
  }
  s->scene.q[2] = HEIGHT + DROP;
  s->scene.q[3] = 1;
  for (int j = 0; j < m->njoint; j++) {
    s->scene.q[m->joints[j].q] = s->targets[m->joints[j].u];
  }
  if (s->motion == PKI_CONTACT_SLOPE) {
    const double g = -m->gravity[2];
    s->model.gravity[0] = g * sin(SLOPE), s->model.gravity[2] = -g * cos(SLOPE);
    s->down[0] = 1;
  }
  return true;
}

pk_status pki_contact_stage_create(pki_contact_stage *s, pki_contact_motion motion, double dt, pk_error *err)
{
  char path[PKI_PATH_MAX];
  *s = (pki_contact_stage){.motion = motion, .scene = {.dt = dt, .mu = MU, .kp = KP, .kd = KD}};
  pk_status status = pki_model_locate("starleth", path, err);
  if (status == PK_OK) {
    status = pk_model_load_urdf(path, NULL, &s->loaded, err);
  }
  if (status == PK_OK) {
    status = take_feet(s, err);
  }
  if (status == PK_OK && !set_motion(s)) {
    status = pki_fail_memory(err, NULL);
  }
  s->scene.model = &s->model;
  s->scene.feet = s->feet, s->scene.nfoot = PKI_FEET;
  if (status != PK_OK) {
    pki_contact_stage_destroy(s);
  }
  return status;
}

void pki_contact_stage_destroy(pki_contact_stage *s)
{
  free(s->targets);
  free(s->scene.q);
  pk_model_destroy(s->loaded);
  s->targets = s->scene.q = NULL;
  s->loaded = NULL;
}

const double *pki_contact_target(const pki_contact_stage *s, long long k)
{
  return s->targets + (size_t)(k % s->ntarget) * (size_t)s->model.nu;
}
