/* The legs of a model: from each foot's link up to the free trunk there must be three hinges: the first turns the leg
 * sideways, the others bend it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gait/gait_kernels.h"
#include "math/mat3.h"

static const char *const defaults[PKI_LEGS] = {"LF_FOOT", "RF_FOOT", "LM_FOOT",
                                               "RM_FOOT", "LH_FOOT", "RH_FOOT"};
static const char *const leg_names[PKI_LEGS] = {"left fore",    "right fore", "left middle",
                                                "right middle", "left hind",  "right hind"};

/* The place of a leg among those of a robot with six: four have no middle ones. */
static int place_of(int legs, int leg)
{
  return legs == 4 && leg >= 2 ? leg + 2 : leg;
}

/* How many feet there are: six where the options name the last two, or none and the model has the middle ones by the default names. Names that are not
 * given become the defaults. */
static pk_status name_feet(pki_locomotion *c, const pk_model *model, pk_error *err)
{
  const char **feet = c->options.feet;
  int named = 0;
  for (int i = 0; i < PKI_LEGS; i++) {
    named += feet[i] != NULL;
  }
  if ((feet[4] != NULL) != (feet[5] != NULL)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "feet"},
                    "there are five feet, expected four or six");
  }
  const bool middle =
      pk_model_find_link(model, defaults[2]) >= 0 && pk_model_find_link(model, defaults[3]) >= 0;
  c->leg_count = feet[4] != NULL || (named == 0 && middle) ? 6 : 4;
  for (int i = 0; i < c->leg_count; i++) {
    feet[i] = feet[i] != NULL ? feet[i] : defaults[place_of(c->leg_count, i)];
  }
  return PK_OK;
}

static pk_status no_foot(const pk_model *model, const char *leg, const char *name, pk_error *err)
{
  const char *near = NULL;
  for (int i = 0; i < model->nlink; i++) {
    const char *words[2] = {model->links[i].name, near};
    near = pki_nearest_word(name, words, near ? 2 : 1) ? pki_nearest_word(name, words, near ? 2 : 1) : near;
  }
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "feet"},
                  "there is no link \"%s\" to be the %s foot%s%s%s", name, leg,
                  near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* The joints of a leg, from the foot upwards. */
static pk_status find_joints(const pk_model *model, pki_leg *leg, const char *name, int root, pk_error *err)
{
  int count = 0;
  for (int body = model->links[leg->foot].body; body != root && body >= 0; body = model->body_parent[body]) {
    const int u = model->body_u[body];
    if (model->body_motion[body] != PK_MOTION_REVOLUTE || model->dof_q[u] < 0) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                      "the leg of \"%s\" has a joint that is no hinge, expected three hinges", name);
    }
    for (int k = 0; k < count && k < 3; k++) {
      if (leg->u[2 - k] == u) {
        return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                        "the leg of \"%s\" has joints that move together, expected three hinges", name);
      }
    }
    if (count < 3) {
      leg->u[2 - count] = u;
      leg->body[2 - count] = body;
    }
    count++;
  }
  if (count != 3) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                    "the leg of \"%s\" has %d joints below the trunk, expected three hinges", name, count);
  }
  return PK_OK;
}

/* How far a link's shapes reach from the origin of its body, by their middles; -1: it has none to stand on. */
static double reach_of(const pk_model *model, int link)
{
  double farthest = -1;
  for (int i = 0; i < model->nshape; i++) {
    const pk_model_shape *shape = &model->shapes[i];
    if (shape->link == link && !shape->visual) {
      farthest = fmax(farthest, pki_length3(shape->pose.pos));
    }
  }
  return farthest;
}

/* The foot is the outermost link with a shape of the last body of its leg; of another link nothing would stand. */
static pk_status check_foot(const pk_model *model, const char *leg, int foot, const char *name, pk_error *err)
{
  int outermost = foot;
  for (int i = 0; i < model->nlink; i++) {
    const bool same = model->links[i].body == model->links[foot].body;
    outermost = same && reach_of(model, i) > reach_of(model, outermost) ? i : outermost;
  }
  if (outermost != foot) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "feet"},
                    "the link \"%s\" is not the %s foot: \"%s\" is farther out on the same leg%s", name, leg,
                    model->links[outermost].name,
                    reach_of(model, foot) < 0 ? ", and has a shape to stand on" : "");
  }
  if (reach_of(model, foot) < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "feet"},
                    "the %s foot \"%s\" has no collision shape: it would sink into the ground", leg, name);
  }
  return PK_OK;
}

int pki_foot_ball(const pk_model *model, int foot, double centre[3])
{
  const pk_pose *link = &model->links[foot].pose;
  memset(centre, 0, 3 * sizeof *centre);
  for (int i = 0; i < model->nshape; i++) {
    const pk_model_shape *shape = &model->shapes[i];
    if (shape->link == foot && !shape->visual && shape->kind == PK_SHAPE_SPHERE) {
      double off[3];
      pki_sub3(shape->pose.pos, link->pos, off);
      pki_mat3_apply_transposed(link->rot, off, centre);
      return i;
    }
  }
  return -1;
}

/* A foot is its ball: radius, and centre in the link; without one a point. */
static void find_ball(const pk_model *model, pki_leg *leg)
{
  const int ball = pki_foot_ball(model, leg->foot, leg->centre);
  leg->radius = ball >= 0 ? model->shapes[ball].size[0] : 0;
  memcpy(leg->at, ball >= 0 ? model->shapes[ball].pose.pos : model->links[leg->foot].pose.pos,
         sizeof leg->at);
}

/* Lengths of a leg by its hinges at zero: the knee's axis is a column of the foot's Jacobian J [6][nu], the hinges'
 * places are those of their links. Thigh and shank are measured across the axis. Returns the height at which the trunk
 * stands on it, its knee well bent. */
static double measure_leg(const pki_locomotion *c, const pk_model *model, pk_workspace *work, double *J,
                          pki_leg *leg)
{
  static const double bend = 0.785057; /* of the straight leg's length */
  const pk_pose trunk = pk_link_pose(work, c->trunk), foot = pk_link_pose(work, leg->foot);
  double at[4][3], inside[4][3], axis[3], length = 0;
  pk_link_jacobian(work, leg->foot, leg->centre, J);
  for (int k = 0; k < 3; k++) {
    axis[k] = J[k * model->nu + leg->u[2]];
    at[3][k] = foot.pos[k] + pki_dot3(foot.rot + 3 * k, leg->centre);
  }
  for (int j = 0; j < 3; j++) {
    const pk_pose hinge = pk_link_pose(work, model->body_link[leg->body[j]]);
    memcpy(at[j], hinge.pos, sizeof at[j]);
  }
  for (int j = 0; j < 4; j++) {
    double off[3];
    pki_sub3(at[j], trunk.pos, off);
    pki_mat3_apply_transposed(trunk.rot, off, inside[j]);
  }
  for (int j = 1; j < 3; j++) {
    double bone[3], across[3];
    pki_sub3(at[j + 1], at[j], bone);
    pki_along3(bone, -pki_dot3(bone, axis), axis, across);
    leg->bones[j - 1] = pki_length3(across);
    length += leg->bones[j - 1];
  }
  leg->hip[0] = inside[1][0];
  leg->hip[1] = inside[3][1];
  leg->hang = -inside[1][2];
  leg->aside = inside[3][1] - inside[0][1];
  return bend * length + leg->hang;
}

/* The largest normal force of the weakest leg, in weights of the robot, in a stance with the feet below the hips: there the
 * second hinge has no arm, the first that of the foot aside, and the knee that of the triangle of hip, knee and foot. */
static double strength_of(const pki_locomotion *c, const pk_model *model)
{
  const double weight = c->mass * c->gravity;
  double force = PKI_FOOT_HEAVY * weight;
  for (int i = 0; i < c->leg_count; i++) {
    const pki_leg *leg = &c->legs[i];
    const double r = c->height - leg->hang, *l = leg->bones;
    const double cosine = (l[0] * l[0] + r * r - l[1] * l[1]) / (2 * l[0] * r);
    const double arms[3] = {fabs(leg->aside), 0, l[0] * sqrt(fmax(0, 1 - cosine * cosine))};
    for (int k = 0; k < 3; k++) {
      const double effort = model->dof_effort[leg->u[k]];
      force = arms[k] * force > effort ? effort / arms[k] : force;
    }
  }
  return force / weight;
}

/* All legs at zero angles, on a level trunk. */
static pk_status measure_all(pki_locomotion *c, const pk_model *model, pk_error *err)
{
  pk_workspace *work;
  pk_workspace_create(model, &work, NULL);
  double *q = malloc((size_t)model->nq * sizeof *q), *J = malloc(6 * (size_t)model->nu * sizeof *J);
  double height = 0;
  if (work == NULL || q == NULL || J == NULL) {
    pk_workspace_destroy(work);
    free(q);
    free(J);
    return pki_fail_memory(err, "a controller");
  }
  memcpy(q, model->q0, (size_t)model->nq * sizeof *q);
  for (int i = 0; i < 3 * c->leg_count; i++) {
    q[model->dof_q[c->legs[i / 3].u[i % 3]]] = 0;
  }
  pk_kinematics_compute(work, q, NULL);
  c->arm = c->middle[0] = c->middle[1] = 0;
  for (int i = 0; i < c->leg_count; i++) {
    pki_leg *leg = &c->legs[i];
    height += measure_leg(c, model, work, J, leg) / c->leg_count;
    c->arm += hypot(leg->hip[0], leg->hip[1]) / c->leg_count;
    c->middle[0] += leg->hip[0] / c->leg_count, c->middle[1] += leg->hip[1] / c->leg_count;
  }
  c->height = c->options.height > 0 ? c->options.height : height;
  pk_workspace_destroy(work);
  free(q);
  free(J);
  if (!(c->height > 0)) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "height"},
                    "the trunk's origin would stand %g m above the feet, expected more than 0: set height",
                    c->height);
  }
  c->tau = sqrt(c->height / c->gravity);
  c->pace = 1 / c->tau;
  c->strength = strength_of(c, model);
  return PK_OK;
}

static void swap_when(bool wrong, int *a, int *b)
{
  const int first = wrong ? *b : *a, second = wrong ? *a : *b;
  *a = first, *b = second;
}

/* By their places: by x, the largest first, and each pair by y. */
static void sort_legs(const pki_locomotion *c, int *order)
{
  const pki_leg *legs = c->legs;
  const int n = c->leg_count;
  for (int i = 0; i < n; i++) {
    order[i] = i;
  }
  for (int i = 0; i < n; i++) {
    for (int k = i + 1; k < n; k++) {
      swap_when(legs[order[k]].hip[0] > legs[order[i]].hip[0], &order[i], &order[k]);
    }
  }
  for (int i = 0; i < n; i += 2) {
    swap_when(legs[order[i + 1]].hip[1] > legs[order[i]].hip[1], &order[i], &order[i + 1]);
  }
}

/* Fore is where x is larger, left where y is: feet that are swapped make the robot fall. The right order is told. */
static pk_status check_order(const pki_locomotion *c, const pk_model *model, pk_error *err)
{
  const pki_leg *legs = c->legs;
  bool good = true;
  for (int i = 0; i < c->leg_count; i += 2) {
    good = good && legs[i].hip[1] >= legs[i + 1].hip[1];
    for (int k = i + 2; k < c->leg_count; k++) {
      good = good && legs[i].hip[0] >= legs[k].hip[0] && legs[i + 1].hip[0] >= legs[k].hip[0];
    }
  }
  if (good) {
    return PK_OK;
  }
  int order[PKI_LEGS];
  char words[128] = "", feet[400] = "";
  sort_legs(c, order);
  for (int i = 0; i < c->leg_count; i++) {
    const size_t at = strlen(words), to = strlen(feet);
    const char *comma = i > 0 ? ", " : "";
    snprintf(words + at, sizeof words - at, "%s%s", comma, leg_names[place_of(c->leg_count, i)]);
    snprintf(feet + to, sizeof feet - to, "%s%s", comma, model->links[legs[order[i]].foot].name);
  }
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "feet"},
                  "the feet are swapped; %s are, by their places: [%s]", words, feet);
}

pk_status pki_foot_find(const pk_model *model, int legs, int leg, const char *name, int *link, pk_error *err)
{
  const int place = place_of(legs, leg);
  name = name != NULL ? name : defaults[place];
  *link = pk_model_find_link(model, name);
  return *link >= 0 ? PK_OK : no_foot(model, leg_names[place], name, err);
}

pk_status pki_legs_find(pki_locomotion *c, const pk_model *model, pk_error *err)
{
  pk_status named = name_feet(c, model, err);
  if (named != PK_OK) {
    return named;
  }
  for (int i = 0; i < c->leg_count; i++) {
    const char *name = c->options.feet[i], *which = leg_names[place_of(c->leg_count, i)];
    pki_leg *leg = &c->legs[i];
    pk_status status = pki_foot_find(model, c->leg_count, i, name, &leg->foot, err);
    if (status != PK_OK) {
      return status;
    }
    c->robot = i == 0 ? model->links[leg->foot].robot : c->robot;
    const pk_model_robot *robot = &model->robots[c->robot];
    if (model->links[leg->foot].robot != c->robot || robot->root != PK_ROOT_FREE) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                      "the foot \"%s\" is %s, expected feet of one robot with a free root", name,
                      robot->root != PK_ROOT_FREE ? "on a robot without a free root" : "on another robot");
    }
    status = find_joints(model, leg, name, robot->body, err);
    status = status == PK_OK ? check_foot(model, which, leg->foot, name, err) : status;
    if (status != PK_OK) {
      return status;
    }
    find_ball(model, leg);
  }
  if (model->robots[c->robot].nbody > PKI_GAIT_BODIES) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                    "the robot has %d moving bodies, expected at most %d", model->robots[c->robot].nbody,
                    PKI_GAIT_BODIES);
  }
  pki_bodies_list(c, model);
  c->trunk = model->robots[c->robot].root_link;
  c->u = model->robots[c->robot].u;
  c->mass = model->robots[c->robot].mass;
  c->gravity = sqrt(model->gravity[0] * model->gravity[0] + model->gravity[1] * model->gravity[1] +
                    model->gravity[2] * model->gravity[2]);
  if (!(c->gravity > 0)) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0},
                    "there is no gravity, expected some: nothing could stand or walk");
  }
  const pk_status status = measure_all(c, model, err);
  return status == PK_OK ? check_order(c, model, err) : status;
}
