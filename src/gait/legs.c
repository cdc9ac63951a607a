/* Who the legs are: from each foot's link up to the free trunk there must be three hinges. */
#include <math.h>
#include <string.h>

#include "gait/locomotion.h"

static const char *const defaults[PKI_LEGS] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};

static pk_status no_foot(const pk_model *model, int leg, const char *name, pk_error *err)
{
  static const char *const which[PKI_LEGS] = {"left fore", "right fore", "left hind", "right hind"};
  const char *near = NULL;
  for (int i = 0; i < model->nlink; i++) {
    const char *words[2] = {model->links[i].name, near};
    near = pki_nearest_word(name, words, near ? 2 : 1) ? pki_nearest_word(name, words, near ? 2 : 1) : near;
  }
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "feet"},
                  "there is no link \"%s\" to be the %s foot%s%s%s", name, which[leg],
                  near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* The joints of a leg, from the foot upwards. */
static pk_status find_joints(const pk_model *model, pki_leg *leg, const char *name, int root, pk_error *err)
{
  int count = 0, first = -1;
  for (int body = model->links[leg->foot].body; body != root && body >= 0; body = model->body_parent[body]) {
    const int u = model->body_u[body];
    if (model->body_motion[body] != PK_MOTION_REVOLUTE || model->dof_q[u] < 0) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                      "the leg of \"%s\" has a joint that is no hinge, expected three hinges", name);
    }
    if (count < 3) {
      leg->u[2 - count] = u;
    }
    count++;
    first = body;
  }
  if (count != 3) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                    "the leg of \"%s\" has %d joints below the trunk, expected three hinges", name, count);
  }
  memcpy(leg->hip, model->body_pos + 3 * (size_t)first, sizeof leg->hip);
  return PK_OK;
}

/* The radius of a foot is that of its ball. */
static double find_radius(const pk_model *model, int link)
{
  for (int i = 0; i < model->nshape; i++) {
    const pk_model_shape *shape = &model->shapes[i];
    if (shape->link == link && !shape->visual && shape->kind == PK_SHAPE_SPHERE) {
      return shape->size[0];
    }
  }
  return 0;
}

pk_status pki_legs_find(pki_locomotion *c, const pk_model *model, pk_error *err)
{
  c->arm = 0;
  for (int i = 0; i < PKI_LEGS; i++) {
    const char *name = c->options.feet[i] ? c->options.feet[i] : defaults[i];
    pki_leg *leg = &c->legs[i];
    leg->foot = pk_model_find_link(model, name);
    if (leg->foot < 0) {
      return no_foot(model, i, name, err);
    }
    c->robot = i == 0 ? model->links[leg->foot].robot : c->robot;
    const pk_model_robot *robot = &model->robots[c->robot];
    if (model->links[leg->foot].robot != c->robot || robot->root != PK_ROOT_FREE) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                      "the foot \"%s\" is %s, expected four feet of one robot with a free root", name,
                      robot->root != PK_ROOT_FREE ? "on a robot without a free root" : "on another robot");
    }
    const pk_status status = find_joints(model, leg, name, robot->body, err);
    if (status != PK_OK) {
      return status;
    }
    leg->radius = find_radius(model, leg->foot);
    c->arm += hypot(leg->hip[0], leg->hip[1]) / PKI_LEGS;
  }
  c->trunk = model->robots[c->robot].root_link;
  c->u = model->robots[c->robot].u;
  c->mass = model->robots[c->robot].mass;
  c->gravity = sqrt(model->gravity[0] * model->gravity[0] + model->gravity[1] * model->gravity[1] +
                    model->gravity[2] * model->gravity[2]);
  c->nu = model->nu;
  c->height = c->options.height > 0 ? c->options.height : 0.41;
  c->tau = sqrt(c->height / c->gravity);
  return PK_OK;
}
