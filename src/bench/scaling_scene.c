#include "bench/scaling_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/locate.h"

const char *const pki_growth_names[PKI_GROWTHS] = {"chain", "balls", "robots"};

static const double CHAIN_DT = 1e-3, CHAIN_KD = 0.1, CHAIN_BEND = 0.05; /* s, N m s/rad, rad */
static const double DT = 2.5e-3;                                        /* s, of the others */
static const double BALL_PITCH = 0.15, ROBOT_PITCH = 2;                 /* m, from one to the next */
#define BALL_RADIUS 0.05                                                /* m */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* 1 kg; I = 2/5 m r^2 */
static const char ball_urdf[] =
    "<robot name=\"ball\"><link name=\"ball\"><inertial><mass value=\"1\"/>"
    "<inertia ixx=\"0.001\" iyy=\"0.001\" izz=\"0.001\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
    "<collision><geometry><sphere radius=\"" TEXT(BALL_RADIUS) "\"/></geometry></collision></link></robot>";

/* All balls, or all robots, in one builder: "12/" before the names of the twelfth. They stand where the root's pose is the
 * world's: q tells where they are. */
static pk_status describe_scene(const pki_scaling_scene *s, pk_builder *b, pk_error *err)
{
  if (s->growth == PKI_GROWTH_CHAIN) {
    pk_chain_options o = pk_chain_options_default();
    o.links = s->size;
    return pk_builder_add_chain(b, &o, err);
  }
  char path[PKI_PATH_MAX];
  pk_status status = pki_model_locate("starleth", path, err);
  for (int k = 0; k < s->size && status == PK_OK; k++) {
    pk_load_options o = pk_load_options_default();
    char prefix[16];
    snprintf(prefix, sizeof prefix, "%d/", k);
    o.prefix = prefix, o.root = PK_ROOT_FREE, o.load_meshes = false;
    status = s->growth == PKI_GROWTH_BALLS
                 ? pk_builder_add_urdf_memory(b, ball_urdf, sizeof ball_urdf - 1, "ball", &o, err)
                 : pk_builder_add_urdf(b, path, &o, err);
  }
  return status;
}

/* What may touch the ground: spheres, of robots those at the origins of their feet. */
static bool is_foot(const pki_scaling_scene *s, const pk_model_shape *shape)
{
  const bool sphere = shape->kind == PK_SHAPE_SPHERE && !shape->visual;
  return sphere &&
         (s->growth == PKI_GROWTH_BALLS || pki_ends_with(s->loaded->links[shape->link].name, "_FOOT"));
}

static pk_status take_feet(pki_scaling_scene *s, pk_error *err)
{
  static const int each[PKI_GROWTHS] = {0, 1, PKI_FEET};
  const int most = each[s->growth] * s->size;
  const pk_model *m = s->loaded;
  s->shapes = calloc((size_t)most + 1, sizeof *s->shapes);
  s->feet = calloc((size_t)most + 1, sizeof *s->feet);
  if (!s->shapes || !s->feet) {
    return pki_fail_memory(err, NULL);
  }
  int n = 0;
  for (int i = 0; i < m->nshape && most > 0; i++) {
    const pk_model_shape *shape = &m->shapes[i];
    if (is_foot(s, shape) && n++ < most) {
      s->shapes[n - 1] = *shape;
      s->feet[n - 1] = (pki_contact_foot){.link = shape->link, .body = shape->body, .radius = shape->size[0]};
      memcpy(s->feet[n - 1].centre, shape->pose.pos, sizeof shape->pose.pos);
    }
  }
  if (n != most) {
    return pki_fail(err, PK_ERROR_MODEL, (pki_where){0}, "%d balls to stand on, %d expected", n, most);
  }
  s->model = *m;
  s->model.shapes = s->shapes;
  s->model.nshape = n;
  s->scene.feet = s->feet, s->scene.nfoot = n;
  return PK_OK;
}

/* Where they start: on a square grid; robots as they begin the trot; links bent to and fro. */
static pk_status place_scene(pki_scaling_scene *s, pk_error *err)
{
  const pk_model *m = &s->model;
  const int side = (int)ceil(sqrt(s->size)), nq = m->nq / s->size;
  s->scene.q = calloc((size_t)m->nq, sizeof *s->scene.q);
  s->target = calloc((size_t)m->nu, sizeof *s->target);
  if (!s->scene.q || !s->target) {
    return pki_fail_memory(err, NULL);
  }
  for (int k = 0; k < s->size; k++) {
    double *q = s->scene.q + (size_t)k * (size_t)nq;
    const double pitch = s->growth == PKI_GROWTH_BALLS ? BALL_PITCH : ROBOT_PITCH;
    if (s->growth == PKI_GROWTH_CHAIN) {
      q[0] = CHAIN_BEND * sin(k);
      continue;
    }
    if (s->growth == PKI_GROWTH_ROBOTS) {
      memcpy(q, s->trot.scene.q, (size_t)nq * sizeof *q);
    } else {
      q[2] = BALL_RADIUS, q[3] = 1;
    }
    q[0] = pitch * (k % side), q[1] = pitch * (k / side); /* NOLINT(bugprone-integer-division) */
  }
  return PK_OK;
}

/* Robots have their coordinates one after the other, each as if it were alone. */
static pk_status check_order(const pki_scaling_scene *s, pk_error *err)
{
  const pk_model *m = &s->model, *one = &s->trot.model;
  bool same = m->nu == s->size * one->nu && m->nq == s->size * one->nq;
  for (int k = 0; k < m->nu && same; k++) {
    const int robot = k / one->nu, at = one->dof_q[k % one->nu];
    same = m->dof_q[k] == (at < 0 ? -1 : robot * one->nq + at);
  }
  return same ? PK_OK
              : pki_fail(err, PK_ERROR_MODEL, (pki_where){0}, "robots share their order of coordinates");
}

pk_status pki_scaling_scene_create(pki_scaling_scene *s, pki_growth growth, int size, pk_error *err)
{
  *s = (pki_scaling_scene){.growth = growth, .size = size, .period = 1};
  pk_status status = PK_OK;
  if (growth == PKI_GROWTH_ROBOTS) {
    status = pki_contact_stage_create(&s->trot, PKI_CONTACT_TROT, DT, err);
    s->scene =
        (pki_contact_scene){.dt = DT, .mu = s->trot.scene.mu, .kp = s->trot.scene.kp, .kd = s->trot.scene.kd};
    s->period = status == PK_OK ? s->trot.ntarget : 1;
  } else if (growth == PKI_GROWTH_BALLS) {
    s->scene = (pki_contact_scene){.dt = DT, .mu = 0.8};
  } else {
    s->scene = (pki_contact_scene){.dt = CHAIN_DT, .kd = CHAIN_KD};
  }
  pk_builder *b;
  pk_builder_create(&b, NULL);
  status = status == PK_OK && !b ? pki_fail_memory(err, NULL) : status;
  status = status == PK_OK ? describe_scene(s, b, err) : status;
  status = status == PK_OK ? pk_builder_compile(b, &s->loaded, err) : status;
  pk_builder_destroy(b);
  status = status == PK_OK ? take_feet(s, err) : status;
  status = status == PK_OK ? place_scene(s, err) : status;
  status = status == PK_OK && growth == PKI_GROWTH_ROBOTS ? check_order(s, err) : status;
  s->scene.model = &s->model;
  if (status != PK_OK) {
    pki_scaling_scene_destroy(s);
  }
  return status;
}

void pki_scaling_scene_destroy(pki_scaling_scene *s)
{
  pki_contact_stage_destroy(&s->trot);
  pk_model_destroy(s->loaded);
  free(s->shapes);
  free(s->feet);
  free(s->scene.q);
  free(s->target);
  *s = (pki_scaling_scene){0};
}

const double *pki_scaling_target(pki_scaling_scene *s, long long k)
{
  const size_t nu = (size_t)s->trot.model.nu;
  for (int r = 0; r < s->size && s->growth == PKI_GROWTH_ROBOTS; r++) {
    const long long late = (long long)r * s->period / s->size;
    memcpy(s->target + (size_t)r * nu, pki_contact_target(&s->trot, k + late), nu * sizeof *s->target);
  }
  return s->target;
}
