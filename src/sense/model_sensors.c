/* Sensors of a model: frames that move, sums over all that hangs on a link.
 *
 * The recursion of inverse dynamics leaves for each body its pose, twist and acceleration less gravity, world axes, at its
 * origin. A frame fixed in the body at arm r (world axes) then has
 *
 *   v  = v_o + w x r
 *   dv = dv_o + dw x r + w x (w x r)
 *
 * and what an accelerometer feels is dv. Definitions are those of MuJoCo (XML reference, "sensor"). */
#include <math.h>
#include <string.h>

#include "dynamics/workspace.h"
#include "math/mat3.h"
#include "model/sensor_kinds.h"
#include "pronk/sensors.h"
#include "sense/loads.h"
#include "sense/principal.h"

/* One reading under way. */
typedef struct reading {
  const pk_workspace *w;
  const pk_sensor_input *in;
} reading;

/* ---- frames ---- */

static pki_frame frame_of(const pk_workspace *w, pk_sensor_place place, int object)
{
  const pk_model *m = w->model;
  if (place == PK_SENSOR_PLACE_SITE) {
    return pki_frame_in_body(w, m->sites[object].body, &m->sites[object].pose);
  }
  if (place == PK_SENSOR_PLACE_SHAPE) {
    return pki_frame_in_body(w, m->shapes[object].body, &m->shapes[object].pose);
  }
  if (place == PK_SENSOR_PLACE_LINK) {
    return pki_frame_in_body(w, m->links[object].body, &m->links[object].pose);
  }
  if (place == PK_SENSOR_PLACE_COM) {
    const pk_model_link *l = &m->links[object];
    pk_pose pose = pki_com_in_body(l);
    double axes[9];
    pki_principal_axes(l->inertia.moment, axes);
    pki_mat3_mul(l->pose.rot, axes, pose.rot);
    return pki_frame_in_body(w, l->body, &pose);
  }
  const pk_pose world = pk_pose_identity();
  return pki_frame_in_body(w, -1, &world);
}

/* ---- frames relative to others ---- */

/* Velocity of f as it is seen from `seen`, which moves itself; in its axes. */
static void relative_velocity(const pki_frame *f, const pki_frame *seen, double out[3])
{
  double arm[3], carried[3];
  pki_sub3(f->p, seen->p, arm);
  pki_cross3(seen->w, arm, carried);
  for (int i = 0; i < 3; i++) {
    out[i] = f->v[i] - seen->v[i] - carried[i];
  }
  pki_mat3_apply_transposed(seen->R, out, out);
}

static void read_frame(const reading *r, const pk_model_sensor *s, double *out)
{
  const pki_frame f = frame_of(r->w, s->place, s->object);
  const pki_frame seen = frame_of(r->w, s->reference, s->reference_object);
  double d[3], turn[9];
  switch (s->kind) {
  case PK_SENSOR_FRAMEPOS:
    pki_sub3(f.p, seen.p, d);
    pki_mat3_apply_transposed(seen.R, d, out);
    break;
  case PK_SENSOR_FRAMEQUAT:
    pki_mat3_transpose(seen.R, turn);
    pki_mat3_mul(turn, f.R, turn);
    pki_quat_from_mat3(turn, out);
    break;
  case PK_SENSOR_FRAMELINVEL: relative_velocity(&f, &seen, out); break;
  case PK_SENSOR_FRAMEANGVEL:
    pki_sub3(f.w, seen.w, d);
    pki_mat3_apply_transposed(seen.R, d, out);
    break;
  case PK_SENSOR_FRAMELINACC: memcpy(out, f.dv, sizeof f.dv); break;
  case PK_SENSOR_FRAMEANGACC: memcpy(out, f.dw, sizeof f.dw); break;
  default: { /* an axis */
    const int k = (int)s->kind - PK_SENSOR_FRAMEXAXIS;
    const double axis[3] = {f.R[k], f.R[3 + k], f.R[6 + k]};
    pki_mat3_apply_transposed(seen.R, axis, out);
  }
  }
}

/* What an inertial measurement unit at a site shows, in the axes of the site. */
static void read_unit(const reading *r, const pk_model_sensor *s, double *out)
{
  const pki_frame f = frame_of(r->w, s->place, s->object);
  const double *const of = s->kind == PK_SENSOR_ACCELEROMETER ? f.dv
                           : s->kind == PK_SENSOR_GYRO        ? f.w
                           : s->kind == PK_SENSOR_VELOCIMETER ? f.v
                                                              : r->w->model->magnetic;
  pki_mat3_apply_transposed(f.R, of, out);
}

/* ---- all that hangs on a link ---- */

/* Force and torque by which what a link hangs on holds it and all that hangs on it. */
static void read_held(const reading *r, const pk_model_sensor *s, double *out)
{
  const pki_frame f = frame_of(r->w, s->place, s->object);
  double sum[6];
  pki_held_wrench(r->w, r->in->contacts, r->in->ncontact, r->in->dt, r->w->model->sites[s->object].link, f.p,
                  sum);
  pki_mat3_apply_transposed(f.R, s->kind == PK_SENSOR_FORCE ? sum + 3 : sum, out);
}

/* Centre of mass of a subtree, its velocity, and the angular momentum about it. */
static void read_subtree(const reading *r, const pk_model_sensor *s, double *out)
{
  const pk_model *m = r->w->model;
  double mass = 0, com[3] = {0}, momentum[3] = {0}, angular[3] = {0}, about[3];
  for (int i = 0; i < m->nlink; i++) {
    const pk_model_link *l = &m->links[i];
    if (!pki_hangs_on(m, i, s->object)) {
      continue;
    }
    const pk_pose pose = pki_com_in_body(l);
    const pki_frame f = pki_frame_in_body(r->w, l->body, &pose);
    const double p[3] = {l->inertia.mass * f.v[0], l->inertia.mass * f.v[1], l->inertia.mass * f.v[2]};
    double spin[3], orbit[3];
    pki_apply_moment(&f, l->inertia.moment, f.w, spin);
    pki_cross3(f.p, p, orbit);
    mass += l->inertia.mass;
    for (int k = 0; k < 3; k++) {
      com[k] += l->inertia.mass * f.p[k];
      momentum[k] += p[k];
      angular[k] += spin[k] + orbit[k];
    }
  }
  const double part = mass > 0 ? 1 / mass : 0;
  for (int k = 0; k < 3; k++) {
    com[k] *= part;
  }
  pki_cross3(com, momentum, about);
  for (int k = 0; k < 3; k++) {
    out[k] = s->kind == PK_SENSOR_SUBTREECOM      ? com[k]
             : s->kind == PK_SENSOR_SUBTREELINVEL ? part * momentum[k]
                                                  : angular[k] - about[k];
  }
}

/* ---- contacts ---- */

/* Whether a point in the frame of a site lies in its volume. */
static bool volume_holds(const pk_model_site *site, const double x[3])
{
  const double *const s = site->size;
  const double round = hypot(x[0], x[1]), high = fabs(x[2]);
  switch (site->kind) {
  case PK_SHAPE_BOX: return fabs(x[0]) <= s[0] / 2 && fabs(x[1]) <= s[1] / 2 && high <= s[2] / 2;
  case PK_SHAPE_CYLINDER: return round <= s[0] && high <= s[1] / 2;
  case PK_SHAPE_CAPSULE: return hypot(round, fmax(high - s[1] / 2, 0)) <= s[0];
  case PK_SHAPE_ELLIPSOID: return hypot(hypot(x[0] / s[0], x[1] / s[1]), x[2] / s[2]) <= 1;
  default: return hypot(round, high) <= s[0];
  }
}

static void read_touch(const reading *r, const pk_model_sensor *s, double *out)
{
  const pk_model_site *site = &r->w->model->sites[s->object];
  const pki_frame f = frame_of(r->w, s->place, s->object);
  *out = 0;
  for (int i = 0; i < r->in->ncontact; i++) {
    const pk_sim_contact *c = &r->in->contacts[i];
    double x[3];
    pki_sub3(c->point, f.p, x);
    pki_mat3_apply_transposed(f.R, x, x);
    if ((c->link == site->link || c->other_link == site->link) && volume_holds(site, x)) {
      *out += pki_dot3(c->impulse, c->normal) / r->in->dt;
    }
  }
}

/* ---- joints and actuators ---- */

static void read_joint(const reading *r, const pk_model_sensor *s, double *out)
{
  const pk_model_joint *j = &r->w->model->joints[s->object];
  const double *const q = r->in->q + j->q, *const u = r->in->u + j->u;
  if (s->kind == PK_SENSOR_BALLQUAT) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) {
      out[i] = q[i] / length;
    }
  } else if (s->kind == PK_SENSOR_BALLANGVEL) {
    memcpy(out, u, 3 * sizeof *out);
  } else {
    *out = s->kind == PK_SENSOR_JOINTPOS ? j->multiplier * q[0] + j->offset : j->multiplier * u[0];
  }
}

static void read_actuator(const reading *r, const pk_model_sensor *s, double *out)
{
  const pk_model_actuator *a = &r->w->model->actuators[s->object];
  const pk_model_joint *j = &r->w->model->joints[a->joint];
  if (s->kind == PK_SENSOR_ACTUATORFRC) {
    *out = r->in->actuator_force != NULL ? r->in->actuator_force[s->object] : 0;
  } else {
    const double q = j->multiplier * r->in->q[j->q] + j->offset, u = j->multiplier * r->in->u[j->u];
    *out = a->gear * (s->kind == PK_SENSOR_ACTUATORPOS ? q : u);
  }
}

static void read_clock(const reading *r, const pk_model_sensor *s, double *out)
{
  (void)s;
  *out = r->in->time;
}

/* ---- the table ---- */

typedef void read_function(const reading *r, const pk_model_sensor *s, double *out);

static read_function *const readers[PK_SENSOR_KIND_COUNT] = {
    [PK_SENSOR_ACCELEROMETER] = read_unit,
    [PK_SENSOR_GYRO] = read_unit,
    [PK_SENSOR_VELOCIMETER] = read_unit,
    [PK_SENSOR_MAGNETOMETER] = read_unit,
    [PK_SENSOR_FORCE] = read_held,
    [PK_SENSOR_TORQUE] = read_held,
    [PK_SENSOR_TOUCH] = read_touch,
    [PK_SENSOR_JOINTPOS] = read_joint,
    [PK_SENSOR_JOINTVEL] = read_joint,
    [PK_SENSOR_BALLQUAT] = read_joint,
    [PK_SENSOR_BALLANGVEL] = read_joint,
    [PK_SENSOR_ACTUATORPOS] = read_actuator,
    [PK_SENSOR_ACTUATORVEL] = read_actuator,
    [PK_SENSOR_ACTUATORFRC] = read_actuator,
    [PK_SENSOR_FRAMEPOS] = read_frame,
    [PK_SENSOR_FRAMEQUAT] = read_frame,
    [PK_SENSOR_FRAMEXAXIS] = read_frame,
    [PK_SENSOR_FRAMEYAXIS] = read_frame,
    [PK_SENSOR_FRAMEZAXIS] = read_frame,
    [PK_SENSOR_FRAMELINVEL] = read_frame,
    [PK_SENSOR_FRAMEANGVEL] = read_frame,
    [PK_SENSOR_FRAMELINACC] = read_frame,
    [PK_SENSOR_FRAMEANGACC] = read_frame,
    [PK_SENSOR_SUBTREECOM] = read_subtree,
    [PK_SENSOR_SUBTREELINVEL] = read_subtree,
    [PK_SENSOR_SUBTREEANGMOM] = read_subtree,
    [PK_SENSOR_CLOCK] = read_clock,
};

void pk_sensors_read(pk_workspace *w, const pk_sensor_input *input, double *values)
{
  const reading r = {.w = w, .in = input};
  w->kernels->rnea(&w->work, input->q, input->u, input->a, w->scratch);
  pki_update_origins(&w->work);
  pki_relieve_contacts(w, input->contacts, input->ncontact, input->dt);
  for (int i = 0; i < w->model->nsensor; i++) {
    const pk_model_sensor *s = &w->model->sensors[i];
    double *const out = values + s->first;
    readers[s->kind](&r, s, out);
    const bool has_bound =
        s->cutoff > 0 && s->dim != 4 && !(s->kind >= PK_SENSOR_FRAMEXAXIS && s->kind <= PK_SENSOR_FRAMEZAXIS);
    for (int k = 0; k < s->dim && has_bound; k++) {
      out[k] = fmin(fmax(out[k], -s->cutoff), s->cutoff);
    }
  }
}
