/* <keyframe>: named poses. Coordinates are those of MuJoCo, which are Pronk's in the same order. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/mjcf/mjcf.h"
#include "model/pose.h"

/* The coordinates at which all joints are at their references. */
static void reference_pose(const pki_mjcf *m, double *q)
{
  for (int i = 0; i < m->njoint; i++) {
    const pki_mjcf_joint *j = &m->joints[i];
    double *at = q + j->q;
    if (j->kind == PKI_MJCF_FREE) {
      memcpy(at, m->bodies[j->body].world.pos, 3 * sizeof *at);
      pki_quat_from_mat3(m->bodies[j->body].world.rot, at + 3);
    } else if (j->kind == PKI_MJCF_BALL) {
      at[0] = 1, at[1] = at[2] = at[3] = 0;
    } else {
      at[0] = j->ref;
    }
  }
}

/* Quaternions have length 1. */
static void normalize_quaternions(const pki_mjcf *m, double *q)
{
  for (int i = 0; i < m->njoint; i++) {
    const pki_mjcf_joint *j = &m->joints[i];
    if (j->kind != PKI_MJCF_FREE && j->kind != PKI_MJCF_BALL) {
      continue;
    }
    double *at = q + j->q + (j->kind == PKI_MJCF_FREE ? 3 : 0);
    const double length = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3]);
    for (int k = 0; k < 4; k++) {
      at[k] = length > 1e-14 ? at[k] / length : k == 0;
    }
  }
}

/* The numbers of an attribute over the first of `out`; those that it does not give stay. False when it gives none, or
 * more than `count` (reported). */
static bool take_numbers(pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, int count,
                         double *out)
{
  const char *text = pki_mjcf_own(node, attribute);
  const int found = text != NULL ? pki_mjcf_scan_reals(text, count, out) : 0;
  if (found > count) {
    pki_mjcf_error(m, node, attribute, PK_ERROR_MODEL, "%s has %d numbers, but the model has %d", attribute,
                   found, count);
  }
  return found > 0 && found <= count;
}

/* Where the control value of each actuator goes: actuators were added robot by robot. */
static void order_controls(const pki_mjcf *m, int *first, int *place)
{
  for (int i = 0; i < m->nactuator; i++) {
    first[m->bodies[m->joints[m->actuators[i].joint].body].robot + 1]++;
  }
  for (int robot = 0; robot < m->nrobot; robot++) {
    first[robot + 1] += first[robot];
  }
  for (int i = 0; i < m->nactuator; i++) {
    place[i] = first[m->bodies[m->joints[m->actuators[i].joint].body].robot]++;
  }
}

/* The pose of the options moves the free body of a file's one tree; so it does with its keyframes. */
static void move_pose(const pki_mjcf *m, double *q)
{
  for (int i = 0; i < m->njoint; i++) {
    const pki_mjcf_joint *j = &m->joints[i];
    if (j->kind == PKI_MJCF_FREE) {
      pk_pose pose = pk_pose_identity();
      memcpy(pose.pos, q + j->q, sizeof pose.pos);
      pki_quat_to_mat3(q + j->q + 3, pose.rot);
      const pk_pose moved = pki_pose_mul(&m->options->pose, &pose);
      memcpy(q + j->q, moved.pos, sizeof moved.pos);
      pki_quat_from_mat3(moved.rot, q + j->q + 3);
    }
  }
}

/* Numbers of the keyframe that is read. */
typedef struct key_numbers {
  double *q, *u, *given, *ctrl; /* given: control values in the order of the file */
  int *place;                   /* of each of them in ctrl */
} key_numbers;

/* False when there is no room for more. */
static bool add_keyframe(pki_mjcf *m, const pki_mjcf_node *node, const key_numbers *numbers)
{
  double *q = numbers->q, *u = numbers->u, *given = numbers->given, *ctrl = numbers->ctrl;
  const pk_pose identity = pk_pose_identity();
  reference_pose(m, q);
  memset(u, 0, (size_t)m->nu * sizeof *u);
  memset(given, 0, (size_t)m->nactuator * sizeof *given);
  take_numbers(m, node, "qpos", m->nq, q);
  const bool moves = take_numbers(m, node, "qvel", m->nu, u);
  take_numbers(m, node, "ctrl", m->nactuator, given);
  normalize_quaternions(m, q);
  if (memcmp(&m->options->pose, &identity, sizeof identity) != 0) {
    move_pose(m, q);
  }
  for (int i = 0; i < m->nactuator; i++) {
    ctrl[numbers->place[i]] = given[i];
  }
  const char *name = pki_mjcf_own(node, "name");
  name = name != NULL && name[0] != '\0' ? name : pki_mjcf_invent(m, "key", "key");
  if (name == NULL || !pki_mjcf_enter(m, node, "key", name, m)) {
    return true;
  }
  const pk_keyframe_desc key = {.name = name,
                                .nrobot = m->nrobot,
                                .q = q,
                                .nq = m->nq,
                                .u = moves ? u : NULL,
                                .nu = moves ? m->nu : 0,
                                .ctrl = m->nactuator > 0 ? ctrl : NULL,
                                .nctrl = m->nactuator,
                                .line = node->line};
  pk_error err;
  const pk_status status = pk_builder_add_keyframe(m->b, &key, &err);
  if (status != PK_OK) {
    pki_mjcf_error(m, node, NULL, err.status, "%s", err.message);
  }
  return status != PK_ERROR_LIMIT;
}

void pki_mjcf_add_keyframes(pki_mjcf *m)
{
  if (pki_mjcf_next_in(m, "keyframe", "key", NULL) == NULL || m->nerror > 0) {
    return; /* with an error the numbers of coordinates are not those of the file */
  }
  if (m->options->root != PK_ROOT_AUTO) {
    pki_mjcf_warn(m, pki_mjcf_next_in(m, "keyframe", "key", NULL), NULL, "keyframe-dropped",
                  "the root is another than the file's: its keyframes are left out");
    return;
  }
  const size_t nq = (size_t)m->nq + 1, nu = (size_t)m->nu + 1, nctrl = (size_t)m->nactuator + 1;
  double *all = pki_mjcf_alloc(m, (nq + nu + 2 * nctrl) * sizeof *all);
  int *place = pki_mjcf_alloc(m, (nctrl + (size_t)m->nrobot + 1) * sizeof *place);
  if (all == NULL || place == NULL) {
    return;
  }
  const key_numbers numbers = {
      .q = all, .u = all + nq, .given = all + nq + nu, .ctrl = all + nq + nu + nctrl, .place = place};
  order_controls(m, place + nctrl, place);
  for (const pki_mjcf_node *node = NULL; (node = pki_mjcf_next_in(m, "keyframe", "key", node)) != NULL;) {
    if (!add_keyframe(m, node, &numbers)) {
      return;
    }
  }
}
