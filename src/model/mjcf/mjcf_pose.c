/* Positions and orientations, which MJCF writes in five ways. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/mjcf/mjcf.h"
#include "model/pose.h"

/* Lengths below it are taken for zero. */
static const double tiny = 1e-14;

static bool normalize(double v[3])
{
  const double length = pki_length3(v);
  for (int i = 0; i < 3 && length > tiny; i++) {
    v[i] /= length;
  }
  return length > tiny;
}

/* Rotation by an angle about a unit axis (Rodrigues). */
static void rotate_about(const double axis[3], double angle, double rot[9])
{
  const double q[4] = {cos(angle / 2), axis[0] * sin(angle / 2), axis[1] * sin(angle / 2),
                       axis[2] * sin(angle / 2)};
  pki_quat_to_mat3(q, rot);
}

/* The smallest rotation that takes z to a direction of length 1. */
static void rotate_z_to(const double z[3], double rot[9])
{
  const double up[3] = {0, 0, 1};
  double axis[3];
  pki_cross3(up, z, axis);
  const double sine = pki_length3(axis), angle = atan2(sine, z[2]);
  if (sine < 1e-10) {
    axis[0] = 1, axis[1] = axis[2] = 0;
  } else {
    normalize(axis);
  }
  rotate_about(axis, angle, rot);
}

/* Three turns about the axes that eulerseq names: small letters turn with the body, capitals stay in the parent. */
static void rotate_euler(const pki_mjcf_settings *s, const double euler[3], double rot[9])
{
  pki_mat3_identity(rot);
  for (int i = 0; i < 3; i++) {
    const char letter = s->eulerseq[i];
    const double axis[3] = {tolower(letter) == 'x', tolower(letter) == 'y', tolower(letter) == 'z'};
    double turn[9];
    rotate_about(axis, euler[i] * (s->degrees ? PKI_MJCF_DEGREE : 1), turn);
    if (islower(letter)) {
      pki_mat3_mul(rot, turn, rot);
    } else {
      pki_mat3_mul(turn, rot, rot);
    }
  }
}

static bool rotate_axes(pki_mjcf *m, const pki_mjcf_node *node, const double axes[6], double rot[9])
{
  double x[3] = {axes[0], axes[1], axes[2]}, y[3] = {axes[3], axes[4], axes[5]}, z[3];
  bool good = normalize(x);
  pki_along3(y, -pki_dot3(x, y), x, y);
  good = good && normalize(y);
  if (!good) {
    pki_mjcf_error(m, node, "xyaxes", PK_ERROR_MODEL, "xyaxes of <%s> are too short, or along the same line",
                   node->tag);
    return false;
  }
  pki_cross3(x, y, z);
  for (int i = 0; i < 3; i++) {
    rot[3 * i] = x[i], rot[3 * i + 1] = y[i], rot[3 * i + 2] = z[i];
  }
  return true;
}

/* One of the four ways beside quat, where the element or its class uses one. */
static bool read_alternative(pki_mjcf *m, const pki_mjcf_node *node, double rot[9], bool *found)
{
  double v[6];
  *found = true;
  if (pki_mjcf_reals(m, node, "axisangle", 4, v) > 0) {
    if (!normalize(v)) {
      pki_mjcf_error(m, node, "axisangle", PK_ERROR_MODEL, "the axis of axisangle is too short");
      return false;
    }
    rotate_about(v, v[3] * (node->settings->degrees ? PKI_MJCF_DEGREE : 1), rot);
    return true;
  }
  if (pki_mjcf_reals(m, node, "xyaxes", 6, v) > 0) {
    return rotate_axes(m, node, v, rot);
  }
  if (pki_mjcf_reals(m, node, "zaxis", 3, v) > 0) {
    if (!normalize(v)) {
      pki_mjcf_error(m, node, "zaxis", PK_ERROR_MODEL, "zaxis is too short");
      return false;
    }
    rotate_z_to(v, rot);
    return true;
  }
  if (pki_mjcf_reals(m, node, "euler", 3, v) > 0) {
    rotate_euler(node->settings, v, rot);
    return true;
  }
  *found = false;
  return false;
}

/* An element itself may use one way only. */
static void check_ways(pki_mjcf *m, const pki_mjcf_node *node)
{
  static const char *const ways[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
  const char *first = NULL;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    if (pki_mjcf_own(node, ways[i]) == NULL) {
      continue;
    }
    if (first != NULL) {
      pki_mjcf_error(m, node, ways[i], PK_ERROR_SYNTAX, "<%s> has %s and %s: keep one of them", node->tag,
                     first, ways[i]);
      return;
    }
    first = ways[i];
  }
}

bool pki_mjcf_rotation(pki_mjcf *m, const pki_mjcf_node *node, double rot[9])
{
  bool found = false;
  double q[4] = {1, 0, 0, 0};
  check_ways(m, node);
  if (read_alternative(m, node, rot, &found)) {
    return true;
  }
  pki_mat3_identity(rot);
  if (found || pki_mjcf_reals(m, node, "quat", 4, q) == 0) {
    return found;
  }
  if (!(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) > tiny)) {
    pki_mjcf_error(m, node, "quat", PK_ERROR_MODEL, "quat of <%s> has no length", node->tag);
    return false;
  }
  pki_quat_to_mat3(q, rot);
  return true;
}

pk_pose pki_mjcf_pose(pki_mjcf *m, const pki_mjcf_node *node)
{
  if (node->pose != NULL) {
    return *node->pose;
  }
  pk_pose pose = pk_pose_identity();
  pki_mjcf_reals(m, node, "pos", 3, pose.pos);
  pki_mjcf_rotation(m, node, pose.rot);
  return pose;
}

void pki_mjcf_replicate_next(const pki_mjcf_settings *s, const double offset[3], const double euler[3], int i,
                             pk_pose *pose)
{
  const double angles[3] = {i * euler[0], i * euler[1], i * euler[2]};
  double way[3];
  pki_mat3_apply(pose->rot, offset, way);
  for (int k = 0; k < 3; k++) {
    pose->pos[k] += way[k];
  }
  rotate_euler(s, angles, pose->rot);
}

bool pki_mjcf_fromto(pki_mjcf *m, const pki_mjcf_node *node, pk_pose *pose, double *half)
{
  double v[6];
  if (pki_mjcf_reals(m, node, "fromto", 6, v) == 0) {
    return false;
  }
  if (pose->pos[0] != 0 || pose->pos[1] != 0 || pose->pos[2] != 0) {
    pki_mjcf_error(m, node, "fromto", PK_ERROR_SYNTAX, "<%s> has pos and fromto: keep one of them",
                   node->tag);
  }
  double along[3] = {v[0] - v[3], v[1] - v[4], v[2] - v[5]};
  *half = pki_length3(along) / 2;
  if (!normalize(along)) {
    pki_mjcf_error(m, node, "fromto", PK_ERROR_MODEL, "the points of fromto are at the same place");
    along[2] = 1;
  }
  for (int i = 0; i < 3; i++) {
    pose->pos[i] = (v[i] + v[3 + i]) / 2;
  }
  rotate_z_to(along, pose->rot);
  return true;
}
