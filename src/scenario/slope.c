/* A slope. Everything that stands on the ground is turned with it about the world's y axis,
 *
 *   R = R_y(-angle):  x' = x cos - z sin,  z' = x sin + z cos,
 *
 * so that robots start as they did on level ground, and gravity stays where it is: sensors and controllers know
 * which way is up. */
#include "scenario/slope.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

static void turn_about_y(double angle, const double v[3], double out[3])
{
  const double c = cos(angle), s = sin(angle), x = v[0], z = v[2];
  out[0] = x * c - z * s;
  out[1] = v[1];
  out[2] = x * s + z * c;
}

static void add_vector(pki_text *out, const char *path, const char *key, const double v[3])
{
  pki_text_addf(out, "%s.%s=[%.12g, %.12g, %.12g]\n", path, key, v[0] + 0.0, v[1] + 0.0, v[2] + 0.0);
}

/* The pose of a model or an object; `path` is its place in the file. */
static void add_pose(pki_text *out, const char *path, double angle, const double position[3],
                     const double R[9])
{
  double at[3], rpy[3], turned[9];
  turn_about_y(angle, position, at);
  for (int k = 0; k < 3; k++) {
    const double column[3] = {R[k], R[3 + k], R[6 + k]};
    double now[3];
    turn_about_y(angle, column, now);
    turned[k] = now[0], turned[3 + k] = now[1], turned[6 + k] = now[2];
  }
  pki_mat3_to_rpy(turned, rpy);
  add_vector(out, path, "position", at);
  add_vector(out, path, "rpy", rpy);
}

static void rotation_of_rpy(const double rpy[3], double R[9])
{
  const pk_pose pose = pk_pose_from_xyz_rpy((const double[3]){0, 0, 0}, rpy);
  for (int k = 0; k < 9; k++) {
    R[k] = pose.rot[k];
  }
}

static pk_status add_ground(const pki_node *list, double angle, pki_text *out, pk_error *err)
{
  int index = 0;
  for (const pki_node *n = list != NULL ? list->first : NULL; n != NULL; n = n->next, index++) {
    const pki_node *shape = pki_node_find(n, "shape"), *normal = pki_node_find(n, "normal"),
                   *position = pki_node_find(n, "position");
    char path[64];
    double up[3] = {0, 0, 1}, at[3] = {0, 0, 0}, turned[3];
    if (shape == NULL || strcmp(shape->text, "plane") != 0) {
      return pki_node_fail(n, err, PK_ERROR_UNSUPPORTED, "a slope is made of planes alone, and this is a %s",
                           shape != NULL ? shape->text : "solid without a shape");
    }
    pki_read_field(normal, &(pk_field){"normal", 0, PK_FIELD_VEC3, "", 0, -1e6, 1e6, NULL, ""}, up, err);
    pki_read_field(position, &(pk_field){"position", 0, PK_FIELD_VEC3, "", 0, -1e6, 1e6, NULL, ""}, at, err);
    pki_node_path(n, path, sizeof path);
    turn_about_y(angle, up, turned);
    add_vector(out, path, "normal", turned);
    turn_about_y(angle, at, turned);
    add_vector(out, path, "position", turned);
  }
  return index > 0 ? PK_OK
                   : pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "terrain"},
                              "a slope needs ground, and the scenario has none");
}

pk_status pki_slope_sets(const pki_scenario *base, double angle, pki_text *sets, pk_error *err)
{
  const pki_node *root = pki_document_root(base->document);
  pk_status status = add_ground(pki_node_find(root, "terrain"), angle, sets, err);
  if (status == PK_OK && base->nconstraint > 0) {
    status = pki_node_fail(base->constraints[0].node, err, PK_ERROR_UNSUPPORTED,
                           "a slope cannot tilt what constraints hold to the world");
  }
  for (int i = 0; i < base->nmodel && status == PK_OK; i++) {
    const pki_scenario_model *m = &base->models[i];
    char path[64];
    double R[9];
    pki_node_path(m->node, path, sizeof path);
    if (m->node->kind != PKI_NODE_MAP || pki_node_find(m->node, "quaternion") != NULL) {
      status = pki_node_fail(m->node, err, PK_ERROR_UNSUPPORTED,
                             "to be tilted a model is a mapping, its pose given by position and rpy");
      break;
    }
    rotation_of_rpy(m->rpy, R);
    add_pose(sets, path, angle, m->position, R);
  }
  for (int i = 0; i < base->nobject && status == PK_OK; i++) {
    const pki_scenario_object *o = &base->objects[i];
    char path[64];
    double R[9];
    pki_node_path(o->node, path, sizeof path);
    rotation_of_rpy(o->rpy, R);
    add_pose(sets, path, angle, o->position, R);
  }
  return status;
}
