#include "cli/find_legs.h"

#include <math.h>
#include <string.h>

#include "dynamics/leg.h"
#include "gait/locomotion.h"

/* ---- reach ---- */

/* What a knee turns: from `hip` to `end` by hinge `knee`. */
typedef struct knee_turn {
  int knee;
  double hip[3], end[3];
} knee_turn;

static knee_turn turn_of(const pk_leg *leg)
{
  const bool pose = leg->kind == PK_LEG_POSE;
  knee_turn t = {.knee = pose ? 3 : 2};
  memcpy(t.hip, leg->at[pose ? 0 : 1], sizeof t.hip);
  memcpy(t.end, pose ? leg->at[4] : leg->foot.pos, sizeof t.end);
  if (!pose && pki_leg_bends_in_plane(leg)) {
    double off[3];
    pki_sub3(t.end, t.hip, off);
    pki_along3(t.hip, pki_dot3(off, leg->axis[1]), leg->axis[1], t.hip);
  }
  return t;
}

void pki_leg_hip(const pk_leg *leg, double hip[3])
{
  const knee_turn t = turn_of(leg);
  memcpy(hip, t.hip, sizeof t.hip);
}

/* From the knee's axis across to a point. */
static void across_axis(const pk_leg *leg, int knee, const double x[3], double out[3])
{
  double off[3];
  pki_sub3(x, leg->at[knee], off);
  pki_along3(off, -pki_dot3(off, leg->axis[knee]), leg->axis[knee], out);
}

/* Distance of hip and end at an angle of the knee. */
static double distance_at(const pk_leg *leg, const knee_turn *t, double angle)
{
  double end[3], off[3];
  pki_turn_about(leg->axis[t->knee], leg->at[t->knee], angle, t->end, end);
  pki_sub3(end, t->hip, off);
  return pki_length3(off);
}

/* The angle of the knee that stretches the leg: end opposite to the hip. */
static double stretched_angle(const pk_leg *leg, const knee_turn *t)
{
  double v[3], w[3], c[3];
  across_axis(leg, t->knee, t->end, v);
  across_axis(leg, t->knee, t->hip, w);
  pki_cross3(v, w, c);
  return atan2(-pki_dot3(leg->axis[t->knee], c), -pki_dot3(v, w));
}

/* Least and most over angles from `lower` to `upper`: at their ends, stretched, and folded. */
static void range_of(const pk_leg *leg, const knee_turn *t, double lower, double upper, double out[2])
{
  static const double pi = 3.14159265358979323846;
  const double stretched = stretched_angle(leg, t);
  out[0] = fmin(distance_at(leg, t, lower), distance_at(leg, t, upper));
  out[1] = fmax(distance_at(leg, t, lower), distance_at(leg, t, upper));
  for (int half = 0; half < 2; half++) {
    const double at = stretched + half * pi, inside = at + 2 * pi * ceil((lower - at) / (2 * pi));
    if (inside <= upper) {
      const double d = distance_at(leg, t, at);
      out[0] = fmin(out[0], d), out[1] = fmax(out[1], d);
    }
  }
}

static pki_leg_reach reach_of(const pk_model *m, const pk_leg *leg)
{
  const knee_turn t = turn_of(leg);
  const int u = leg->u[t.knee];
  pki_leg_reach out;
  double v[3];
  across_axis(leg, t.knee, t.hip, v);
  out.thigh = pki_length3(v);
  across_axis(leg, t.knee, t.end, v);
  out.shank = pki_length3(v);
  range_of(leg, &t, 0, 7, out.full);
  range_of(leg, &t, fmax(m->dof_lower[u], -7), fmin(m->dof_upper[u], 7), out.limited);
  return out;
}

/* ---- limbs ---- */

/* The outermost link of a body that collides, by the middles of its shapes; else the body's own. */
static int foot_of_body(const pk_model *m, int body)
{
  int foot = m->body_link[body];
  double farthest = -1;
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *s = &m->shapes[i];
    const double far = pki_length3(s->pose.pos);
    if (s->body == body && !s->visual && far > farthest) {
      farthest = far, foot = s->link;
    }
  }
  return foot;
}

static pki_robot_leg limb_of(const pk_model *m, int trunk, int last)
{
  pki_robot_leg limb = {.link = foot_of_body(m, last), .body = last};
  for (int b = last; b != trunk; b = m->body_parent[b]) {
    limb.body = b, limb.hinges++;
  }
  for (int b = limb.body; b < m->nbody; b++) {
    int up = b;
    while (up > limb.body) {
      up = m->body_parent[up];
    }
    limb.mass += up == limb.body ? m->body_inertia[10 * (size_t)b] : 0;
  }
  double centre[3]; /* of a foot's ball: it is what is placed */
  const int ball = pki_foot_ball(m, limb.link, centre);
  limb.radius = ball >= 0 ? m->shapes[ball].size[0] : 0;
  const pk_leg_kind kind = limb.hinges == 6 ? PK_LEG_POSE : PK_LEG_POINT;
  limb.closed = pk_leg_init(&limb.leg, m, kind, limb.link, centre, &limb.why) == PK_OK;
  if (!limb.closed && kind == PK_LEG_POSE) { /* six hinges may place a point */
    pk_error other;
    limb.closed = pk_leg_init(&limb.leg, m, PK_LEG_POINT, limb.link, centre, &other) == PK_OK;
  }
  if (limb.closed) {
    limb.reach = reach_of(m, &limb.leg);
  }
  return limb;
}

int pki_legs_of_robot(const pk_model *m, int robot, pki_robot_leg *out)
{
  const pk_model_robot *r = &m->robots[robot];
  const int trunk = m->links[r->root_link].body;
  int count = 0;
  for (int b = r->body; b < r->body + r->nbody; b++) {
    bool ends = b != trunk && m->body_link[b] >= 0;
    for (int k = b + 1; k < r->body + r->nbody; k++) {
      ends = ends && m->body_parent[k] != b;
    }
    if (ends) {
      if (count < PKI_LIMBS) {
        out[count] = limb_of(m, trunk, b);
      }
      count++;
    }
  }
  return count;
}
