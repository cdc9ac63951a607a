#include "stability/robot_stance.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/trunk_link.h"
#include "step/world.h"

/* ---- where legs hang on the trunk ---- */

/* Where the limb of a body begins, in the trunk link's axes from its origin; false: the body is the trunk, or hangs on something
 * else. */
static bool hip_of(const pk_model *m, int trunk_link, int body, double hip[3])
{
  const pk_model_link *trunk = &m->links[trunk_link];
  if (body < 0 || body == trunk->body) {
    return false;
  }
  while (m->body_parent[body] >= 0 && m->body_parent[body] != trunk->body) {
    body = m->body_parent[body];
  }
  if (m->body_parent[body] != trunk->body) {
    return false;
  }
  double arm[3];
  pki_sub3(m->body_pos + 3 * (size_t)body, trunk->pose.pos, arm);
  pki_mat3_apply_transposed(trunk->pose.rot, arm, hip);
  return true;
}

/* Along one axis of the trunk: 1 beyond the middle of all limbs, -1 before it, 0 near it. */
static int side_of(double at, double middle, double widest)
{
  static const double near = 0.25; /* of the outermost limb's distance */
  return fabs(at - middle) <= near * widest ? 0 : at > middle ? 1 : -1;
}

/* Whether the leg of a body is front or rear, left or right. The middle is the mean of where limbs hang on the trunk. */
static void place_of(const pk_model *m, int robot, int trunk_link, int body, int *front, int *left)
{
  const pk_model_robot *r = &m->robots[robot];
  double middle[3] = {0, 0, 0}, widest[3] = {0, 0, 0}, hip[3];
  int count = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = r->body; i < r->body + r->nbody; i++) {
      const bool begins = m->body_parent[i] == m->links[trunk_link].body;
      if (!begins || !hip_of(m, trunk_link, i, hip)) {
        continue;
      }
      count += pass == 0;
      for (int k = 0; k < 3; k++) {
        middle[k] += pass == 0 ? hip[k] : 0;
        widest[k] = pass == 0 ? 0 : fmax(widest[k], fabs(hip[k] - middle[k]));
      }
    }
    for (int k = 0; k < 3 && pass == 0 && count > 0; k++) {
      middle[k] /= count;
    }
  }
  *front = *left = 0;
  if (hip_of(m, trunk_link, body, hip)) {
    *front = side_of(hip[0], middle[0], fmax(widest[0], 1e-9));
    *left = side_of(hip[1], middle[1], fmax(widest[1], 1e-9));
  }
}

/* ---- contacts ---- */

/* One that touches the robot with `link`. */
static void add_contact(pki_robot_stance *s, const pk_model *m, int robot, const pk_sim_contact *c, int link,
                        double dt)
{
  pk_stability_contact *to = &s->contacts[s->input.ncontact++];
  double impulse[3];
  *to = (pk_stability_contact){.friction = c->friction, .foot = link};
  pk_sim_contact_carries(c, m, link, impulse, to->normal);
  for (int k = 0; k < 3; k++) {
    to->point[k] = c->point[k];
    to->force[k] = impulse[k] / dt;
  }
  for (int i = 0; i + 1 < s->input.ncontact; i++) {
    if (s->contacts[i].foot == link) { /* it has been placed */
      to->front = s->contacts[i].front, to->left = s->contacts[i].left;
      return;
    }
  }
  place_of(m, robot, pki_model_trunk(m, robot), m->links[link].body, &to->front, &to->left);
}

pk_status pki_robot_stance_init(pki_robot_stance *s, const pk_model *m, int robot, const double sums[12],
                                const double heading[3], const pk_sim_contact *contacts, int ncontact,
                                double dt, pk_error *err)
{
  s->input = (pk_stability_input){.mass = sums[0], .contacts = s->contacts};
  for (int k = 0; k < 3; k++) {
    s->input.gravity[k] = m->gravity[k];
    s->input.com[k] = sums[1 + k] / sums[0];
    s->input.velocity[k] = sums[4 + k] / sums[0];
    s->input.angular_momentum[k] = sums[7 + k];
    s->input.heading[k] = heading[k];
  }
  for (int i = 0; i < ncontact; i++) {
    const pk_sim_contact *c = &contacts[i];
    const bool first = c->link >= 0 && m->links[c->link].robot == robot;
    const bool second = c->other_link >= 0 && m->links[c->other_link].robot == robot;
    if (first == second) { /* others', or links of this robot among themselves */
      continue;
    }
    if (s->input.ncontact == PKI_STANCE_CONTACTS) {
      return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "contacts"},
                      "robot \"%s\" has more than %d contacts, which is all that there is room for",
                      m->robots[robot].name, PKI_STANCE_CONTACTS);
    }
    add_contact(s, m, robot, c, first ? c->link : c->other_link, dt);
  }
  return PK_OK;
}

/* ---- feet that move ---- */

/* Rate of momentum of a link as it is described: linear m a_c, angular about the world's origin c x m a_c + I alpha + omega x I omega.
 * After rnea, origins included. */
static void add_foot_rate(const pki_work *work, int link, double rate[6])
{
  const pk_model *m = work->model;
  const pk_model_link *l = &m->links[link];
  const size_t at = (size_t)l->body + 1;
  const double *R = work->pose + 12 * at, *twist = work->twist + 6 * at, *accel = work->accel + 6 * at;
  double rot[9], arm[3], c[3], a[3], turn[3], sym[6], inertia[9], spin[3], L[3], Ldot[3];
  if (l->body < 0 || !(l->inertia.mass > 0)) {
    return;
  }
  /* its centre of mass from the body's origin, world axes */
  pki_mat3_apply(l->pose.rot, l->inertia.com, arm);
  pki_along3(arm, 1, l->pose.pos, arm);
  pki_mat3_apply(R, arm, arm);
  pki_along3(work->origin + 3 * at, 1, arm, c);
  /* a_c = a + alpha x arm + omega x (omega x arm); accel has gravity taken off */
  pki_cross3(accel, arm, a);
  pki_cross3(twist, arm, turn);
  pki_cross3(twist, turn, turn);
  for (int k = 0; k < 3; k++) {
    a[k] = l->inertia.mass * (a[k] + turn[k] + accel[3 + k] + m->gravity[k]);
  }
  /* I alpha + omega x I omega */
  pki_mat3_mul(R, l->pose.rot, rot);
  pki_sym3_rotate(rot, l->inertia.moment, sym);
  pki_mat3_from_sym(sym, inertia);
  pki_mat3_apply(inertia, accel, Ldot);
  pki_mat3_apply(inertia, twist, L);
  pki_cross3(twist, L, spin);
  pki_cross3(c, a, turn);
  for (int k = 0; k < 3; k++) {
    rate[k] += turn[k] + Ldot[k] + spin[k];
    rate[3 + k] += a[k];
  }
}

static void find_foot_rate(const pki_work *work, pki_robot_stance *s, double least_force)
{
  memset(s->foot_rate, 0, sizeof s->foot_rate);
  for (int i = 0; i < s->input.ncontact; i++) {
    bool counted = !(pki_dot3(s->contacts[i].force, s->contacts[i].normal) > least_force);
    for (int j = 0; j < i && !counted; j++) {
      counted = s->contacts[j].foot == s->contacts[i].foot &&
                pki_dot3(s->contacts[j].force, s->contacts[j].normal) > least_force;
    }
    if (!counted) {
      add_foot_rate(work, s->contacts[i].foot, s->foot_rate);
    }
  }
  s->input.foot_rate = s->foot_rate;
}

/* ---- measures ---- */

static pk_status check_robot(const pk_model *m, int robot, pk_error *err)
{
  if (robot < 0 || robot >= m->nrobot) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "robot"}, "robot is %d, expected 0 to %d",
                    robot, m->nrobot - 1);
  }
  return PK_OK;
}

pk_status pki_robot_stability(pk_workspace *w, int robot, const double *q, const double *u, const double *a,
                              const pk_sim_contact *contacts, int ncontact, double dt,
                              const pk_stability_options *options, pk_stability *out, pk_error *err)
{
  const pk_model *m = w->model;
  pki_stability_clear(out);
  pk_status status = check_robot(m, robot, err);
  if (status != PK_OK) {
    return status;
  }
  if (a != NULL) {
    w->kernels->rnea(&w->work, q, u, a, w->scratch);
    pki_update_origins(&w->work);
  } else {
    pk_kinematics_compute(w, q, u);
  }
  double sums[12];
  const pk_pose trunk = pk_link_pose(w, pki_model_trunk(m, robot));
  const double heading[3] = {trunk.rot[0], trunk.rot[3], trunk.rot[6]};
  pki_robot_stance s;
  w->kernels->sums(&w->work, m->robots[robot].body, m->robots[robot].nbody, sums);
  status = pki_robot_stance_init(&s, m, robot, sums, heading, contacts, ncontact, dt, err);
  if (status == PK_OK && a != NULL) {
    find_foot_rate(&w->work, &s, options != NULL ? options->least_force : 0);
  }
  return status == PK_OK ? pk_stability_compute(&s.input, options, out, err) : status;
}

pk_status pk_sim_stability(pk_sim *sim, int robot, const double *a, const pk_stability_options *options,
                           pk_stability *out, pk_error *err)
{
  pk_sim_contact *contacts = sim->control.contacts;
  const int count = pk_sim_contacts(sim, contacts, sim->options.max_contacts);
  return pki_robot_stability(sim->workspace, robot, sim->state.q, sim->state.u, a, contacts, count,
                             sim->options.dt, options, out, err);
}

pk_status pk_observation_stability(const pk_observation *seen, int robot, const double *a,
                                   const pk_stability_options *options, pk_stability *out, pk_error *err)
{
  return pki_robot_stability(seen->workspace, robot, seen->q, seen->u, a, seen->contacts, seen->ncontact,
                             seen->dt, options, out, err);
}
