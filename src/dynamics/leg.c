/* What a leg is: its hinges in the trunk's frame, and whether they have a closed form. */
#include "dynamics/leg.h"

#include "base/error.h"
#include "model/pose.h"

static const double meets = 1e-9; /* m or rad */

/* Bodies from the foot up to the trunk, turned round: the first hinge first. */
static pk_status find_hinges(pk_leg *leg, const pk_model *m, int *bodies, pk_error *err)
{
  const pki_where where = {.field = m->links[leg->link].name};
  const int top = m->links[leg->trunk].body;
  int n = 0;
  for (int body = m->links[leg->link].body; body != top; body = m->body_parent[body]) {
    if (body < 0 || m->body_motion[body] != PK_MOTION_REVOLUTE || m->dof_q[m->body_u[body]] < 0) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                      "between it and the trunk \"%s\" is a joint that is no hinge, expected hinges only",
                      m->links[leg->trunk].name);
    }
    if (fabs(m->body_gain[body]) != 1 || m->body_offset[body] != 0) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                      "its leg has a joint that follows another, expected hinges of their own");
    }
    for (int k = 0; k < n; k++) {
      if (m->body_u[bodies[k]] == m->body_u[body]) {
        return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                        "its leg has joints that move together, expected hinges of their own");
      }
    }
    if (n == PK_LEG_HINGES) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, where, "its leg has more than %d hinges", PK_LEG_HINGES);
    }
    bodies[n++] = body;
  }
  for (int k = 0; 2 * k < n; k++) {
    const int swap = bodies[k];
    bodies[k] = bodies[n - 1 - k], bodies[n - 1 - k] = swap;
  }
  leg->nhinge = n;
  if (leg->kind == PK_LEG_POINT ? n < 3 : n != 6) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where, "its leg has %d hinge%s, expected %s to place its %s",
                    n, n == 1 ? "" : "s", leg->kind == PK_LEG_POINT ? "three or more" : "six",
                    leg->kind == PK_LEG_POINT ? "point" : "pose");
  }
  return PK_OK;
}

/* Axes and places at zero angles: the product of all poses between the trunk and each hinge. */
static void place_hinges(pk_leg *leg, const pk_model *m, const int *bodies)
{
  pk_pose pose = pki_pose_invert(&m->links[leg->trunk].pose);
  for (int k = 0; k < leg->nhinge; k++) {
    const int body = bodies[k];
    pk_pose joint;
    memcpy(joint.pos, m->body_pos + 3 * body, sizeof joint.pos);
    memcpy(joint.rot, m->body_rot + 9 * body, sizeof joint.rot);
    pose = pki_pose_mul(&pose, &joint);
    for (int i = 0; i < 3; i++) {
      leg->axis[k][i] = m->body_gain[body] * pose.rot[3 * i + m->body_axis[body]];
      leg->at[k][i] = pose.pos[i];
    }
    leg->u[k] = m->body_u[body];
    leg->q[k] = m->body_q[body];
  }
  leg->foot = pki_pose_mul(&pose, &m->links[leg->link].pose);
  double shift[3];
  pki_mat3_apply(leg->foot.rot, leg->point, shift);
  pki_along3(leg->foot.pos, 1, shift, leg->foot.pos);
}

/* Sine of the angle between two axes. */
static double axis_sine(const pk_leg *leg, int i, int j)
{
  double c[3];
  pki_cross3(leg->axis[i], leg->axis[j], c);
  return pki_length3(c);
}

/* Distance of a point from an axis. */
static double off_axis(const pk_leg *leg, int i, const double x[3])
{
  double r[3], c[3];
  pki_sub3(x, leg->at[i], r);
  pki_cross3(leg->axis[i], r, c);
  return pki_length3(c);
}

/* Where axes first .. first + n - 1 meet: between the nearest points of the first two, if the others pass there. */
static pk_status find_centre(pk_leg *leg, int first, int n, const char *name, pki_where where, pk_error *err)
{
  const double *a = leg->axis[first], *b = leg->axis[first + 1];
  double r[3], centre[3], on[3];
  for (int k = first; k + 1 < first + n; k++) {
    if (axis_sine(leg, k, k + 1) < 1e-6) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, where, "axes %d and %d of its leg are parallel in the %s",
                      k + 1, k + 2, name);
    }
  }
  /* at_a + s a and at_b + t b with the join across both */
  const double ab = pki_dot3(a, b), det = 1 - ab * ab;
  pki_sub3(leg->at[first + 1], leg->at[first], r);
  const double ra = pki_dot3(r, a), rb = pki_dot3(r, b);
  pki_along3(leg->at[first], (ra - ab * rb) / det, a, centre);
  pki_along3(leg->at[first + 1], (ab * ra - rb) / det, b, on);
  for (int i = 0; i < 3; i++) {
    centre[i] = 0.5 * (centre[i] + on[i]);
  }
  for (int k = first; k < first + n; k++) {
    if (off_axis(leg, k, centre) > meets) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                      "axes %d to %d of its leg miss each other by %.3g m, expected axes that meet in the %s",
                      first + 1, first + n, off_axis(leg, k, centre), name);
    }
  }
  for (int k = first; k < first + n; k++) {
    memcpy(leg->at[k], centre, sizeof centre);
  }
  return PK_OK;
}

static pk_status check_plane(const pk_leg *leg, pki_where where, pk_error *err)
{
  if (axis_sine(leg, 0, 1) < 1e-6) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                    "its leg's first three axes are parallel, expected a first one across the others");
  }
  if (off_axis(leg, 1, leg->at[2]) < meets) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where, "its leg's second and third axis are one line");
  }
  return PK_OK;
}

static pk_status check_universal(pk_leg *leg, pki_where where, pk_error *err)
{
  if (find_centre(leg, 0, 2, "hip", where, NULL) != PK_OK) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, where,
        "its leg's second and third axis are %.3g rad apart and its first two do not meet, expected "
        "parallel axes or axes that meet in the hip",
        asin(fmin(1, axis_sine(leg, 1, 2))));
  }
  if (off_axis(leg, 2, leg->at[0]) < meets) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                    "its leg's first three axes meet in one point, expected a third one that bends a knee");
  }
  return PK_OK;
}

static pk_status check_pose(pk_leg *leg, pki_where where, pk_error *err)
{
  pk_status status = find_centre(leg, 0, 3, "hip", where, err);
  status = status == PK_OK ? find_centre(leg, 4, 2, "ankle", where, err) : status;
  if (status == PK_OK && (off_axis(leg, 3, leg->at[0]) < meets || off_axis(leg, 3, leg->at[4]) < meets)) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where, "its knee's axis passes through the hip or the ankle");
  }
  return status;
}

pk_status pk_leg_init(pk_leg *leg, const pk_model *model, pk_leg_kind kind, int link, const double point[3],
                      pk_error *err)
{
  int bodies[PK_LEG_HINGES];
  if (link < 0 || link >= model->nlink) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "link"},
                    "there is no link %d to be a foot, expected 0 to %d", link, model->nlink - 1);
  }
  if ((unsigned)kind >= PK_LEG_KIND_COUNT) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "kind"},
                    "%d is no kind of leg, expected PK_LEG_POINT or PK_LEG_POSE", (int)kind);
  }
  const pki_where where = {.field = model->links[link].name};
  *leg = (pk_leg){.kind = kind, .model = pk_model_hash(model), .link = link, .nsolve = 3, .nbranch = 4};
  if (kind == PK_LEG_POSE) {
    leg->nsolve = 6, leg->nbranch = 8;
  }
  for (int i = 0; i < 3 && point != NULL; i++) {
    leg->point[i] = point[i];
  }
  leg->trunk = model->robots[model->links[link].robot].root_link;
  pk_status status = find_hinges(leg, model, bodies, err);
  if (status == PK_OK) {
    place_hinges(leg, model, bodies);
    status = kind == PK_LEG_POSE           ? check_pose(leg, where, err)
             : pki_leg_bends_in_plane(leg) ? check_plane(leg, where, err)
                                           : check_universal(leg, where, err);
  }
  return status;
}

pk_pose pk_leg_foot(const pk_leg *leg, const double *angles)
{
  pk_pose foot = leg->foot;
  for (int k = leg->nhinge - 1; k >= 0; k--) {
    double column[3];
    pki_turn_about(leg->axis[k], leg->at[k], angles[k], foot.pos, foot.pos);
    for (int j = 0; j < 3; j++) {
      for (int i = 0; i < 3; i++) {
        column[i] = foot.rot[3 * i + j];
      }
      pki_turn3(leg->axis[k], angles[k], column, column);
      for (int i = 0; i < 3; i++) {
        foot.rot[3 * i + j] = column[i];
      }
    }
  }
  return foot;
}

void pk_leg_get(const pk_leg *leg, const double *q, double *angles)
{
  for (int k = 0; k < leg->nhinge; k++) {
    angles[k] = q[leg->q[k]];
  }
}

void pk_leg_set(const pk_leg *leg, const double *angles, double *q)
{
  for (int k = 0; k < leg->nhinge; k++) {
    q[leg->q[k]] = angles[k];
  }
}
