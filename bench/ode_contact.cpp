/* ODE with contact: bodies in absolute coordinates, hinges as constraints, its default ERP and CFM.
 * Friction is ODE's pyramid that follows the normal force (dContactApprox1). The gains are torques at the
 * start of the step, where contacts are found too. */
#include "ode_contact.h"

#include <ode/ode.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "rigid.h"

namespace {

const pki_contact_config configs[] = {{"quickstep", "explicit", 0}, {"worldstep", "explicit", 0}};

struct Robot {
  const pki_contact_scene *scene = nullptr;
  bool quick = false;
  dWorldID world = nullptr;
  dJointGroupID contacts = nullptr;
  dGeomID plane = nullptr, feet[PKI_FEET] = {};
  dJointFeedback feedback[PKI_FEET] = {};
  bool touches[PKI_FEET] = {};
  std::vector<dBodyID> bodies;
  std::vector<dJointID> hinges; /* [nbody], none for the base */
  std::vector<rigid::Central> mass;

  Robot() = default;
  Robot(const Robot &) = delete;
  Robot &operator=(const Robot &) = delete;
  ~Robot()
  {
    for (dGeomID geom : feet) {
      if (geom) {
        dGeomDestroy(geom);
      }
    }
    if (plane) {
      dGeomDestroy(plane);
    }
    if (contacts) {
      dJointGroupDestroy(contacts);
    }
    if (world) {
      dWorldDestroy(world);
    }
  }
};

void multiply(const double A[9], const double B[9], double out[9])
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
  }
}

/* ODE pads the rows of its matrices to four numbers. */
void unpad(const dReal *R, double out[9])
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out[3 * i + j] = R[4 * i + j];
    }
  }
}

void cross(const double a[3], const double b[3], double out[3])
{
  for (int i = 0; i < 3; i++) {
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
}

/* The axis of the hinge above body i, world. */
void axis_of(const Robot &r, int i, double axis[3])
{
  double R[9];
  unpad(dBodyGetRotation(r.bodies[static_cast<size_t>(i)]), R);
  for (int k = 0; k < 3; k++) {
    axis[k] = R[3 * k + r.scene->model->body_axis[i]];
  }
}

/* A body of ODE at the centre of mass of body i, whose origin is at p with axes R. */
dBodyID add_body(Robot &r, int i, const double p[3], const double R[9])
{
  const rigid::Central c = rigid::central_of(r.scene->model->body_inertia + 10 * i);
  double com[3];
  rigid::rotate(R, c.com, com);
  const dBodyID body = dBodyCreate(r.world);
  dMass mass;
  dMassSetParameters(&mass, c.mass, 0, 0, 0, c.inertia[0], c.inertia[3], c.inertia[5], c.inertia[1],
                     c.inertia[2], c.inertia[4]);
  dBodySetMass(body, &mass);
  dBodySetPosition(body, p[0] + com[0], p[1] + com[1], p[2] + com[2]);
  const dMatrix3 turn = {R[0], R[1], R[2], 0, R[3], R[4], R[5], 0, R[6], R[7], R[8], 0};
  dBodySetRotation(body, turn);
  dBodySetAutoDisableFlag(body, 0);
  r.mass.push_back(c);
  r.bodies.push_back(body);
  return body;
}

/* Bodies from the top, each hinged to its parent where it starts. */
void add_tree(Robot &r)
{
  const pk_model *m = r.scene->model;
  std::vector<double> at(12 * static_cast<size_t>(m->nbody)); /* origin and axes of each */
  for (int i = 0; i < m->nbody; i++) {
    double *p = &at[12 * static_cast<size_t>(i)], *R = p + 3;
    const double *q = r.scene->q + m->body_q[i];
    if (i == 0) {
      memcpy(p, q, 3 * sizeof *p);
      rigid::rotation_of(q + 3, R);
    } else {
      const double *above = &at[12 * static_cast<size_t>(m->body_parent[i])];
      double frame[9], offset[3], quat[4] = {std::cos(q[0] / 2), 0, 0, 0}, turn[9];
      quat[1 + m->body_axis[i]] = std::sin(q[0] / 2);
      rigid::rotation_of(quat, turn);
      multiply(above + 3, m->body_rot + 9 * i, frame);
      multiply(frame, turn, R);
      rigid::rotate(above + 3, m->body_pos + 3 * i, offset);
      for (int k = 0; k < 3; k++) {
        p[k] = above[k] + offset[k];
      }
    }
    add_body(r, i, p, R);
    r.hinges.push_back(nullptr);
    if (i > 0) {
      const dJointID hinge = r.hinges.back() = dJointCreateHinge(r.world, nullptr);
      dJointAttach(hinge, r.bodies.back(), r.bodies[static_cast<size_t>(m->body_parent[i])]);
      dJointSetHingeAnchor(hinge, p[0], p[1], p[2]);
      double axis[3];
      axis_of(r, i, axis);
      dJointSetHingeAxis(hinge, axis[0], axis[1], axis[2]);
    }
  }
}

void *create(const pki_contact_scene *s, int config, char *message, size_t size)
{
  static const bool started = dInitODE2(0) != 0;
  if (!started) {
    snprintf(message, size, "ODE does not start");
    return nullptr;
  }
  if (s->nfoot != PKI_FEET || s->whole) {
    snprintf(message, size, "one robot on its feet at a time");
    return nullptr;
  }
  auto r = std::make_unique<Robot>();
  r->scene = s;
  r->quick = config == 0;
  r->world = dWorldCreate();
  r->contacts = dJointGroupCreate(0);
  dWorldSetGravity(r->world, s->model->gravity[0], s->model->gravity[1], s->model->gravity[2]);
  add_tree(*r);
  r->plane = dCreatePlane(nullptr, 0, 0, 1, 0);
  for (int f = 0; f < PKI_FEET; f++) {
    const pki_contact_foot &foot = s->feet[f];
    const rigid::Central &c = r->mass[static_cast<size_t>(foot.body)];
    r->feet[f] = dCreateSphere(nullptr, foot.radius);
    dGeomSetBody(r->feet[f], r->bodies[static_cast<size_t>(foot.body)]);
    dGeomSetOffsetPosition(r->feet[f], foot.centre[0] - c.com[0], foot.centre[1] - c.com[1],
                           foot.centre[2] - c.com[2]);
  }
  return r.release();
}

void destroy(void *world)
{
  delete static_cast<Robot *>(world);
}

void add_contacts(Robot &r)
{
  dJointGroupEmpty(r.contacts);
  for (int f = 0; f < PKI_FEET; f++) {
    dContact contact = {};
    r.touches[f] = dCollide(r.feet[f], r.plane, 1, &contact.geom, sizeof(dContact)) > 0;
    if (!r.touches[f]) {
      continue;
    }
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = r.scene->mu;
    const dJointID joint = dJointCreateContact(r.world, r.contacts, &contact);
    dJointAttach(joint, dGeomGetBody(r.feet[f]), nullptr);
    dJointSetFeedback(joint, &r.feedback[f]);
  }
}

/* ODE aborts the program when a body turns at infinite speed. */
bool is_sane(const Robot &r)
{
  for (dBodyID body : r.bodies) {
    const dReal *w = dBodyGetAngularVel(body);
    if (!(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] < 1e6)) {
      return false;
    }
  }
  return true;
}

bool step(void *world, const double *q_des)
{
  Robot &r = *static_cast<Robot *>(world);
  const pki_contact_scene *s = r.scene;
  for (int i = 1; i < s->model->nbody; i++) {
    const dJointID hinge = r.hinges[static_cast<size_t>(i)];
    const double angle = s->q[s->model->body_q[i]] + dJointGetHingeAngle(hinge); /* from where it was made */
    dJointAddHingeTorque(hinge, s->kp * (q_des[s->model->body_u[i]] - angle) -
                                    s->kd * dJointGetHingeAngleRate(hinge));
  }
  add_contacts(r);
  const bool done = (r.quick ? dWorldQuickStep(r.world, s->dt) : dWorldStep(r.world, s->dt)) != 0;
  return done && is_sane(r);
}

/* Centre of a foot and velocity of its lowest point. */
void read_foot(const Robot &r, int f, double centre[3], double velocity[3])
{
  const dBodyID body = dGeomGetBody(r.feet[f]);
  const dReal *at = dGeomGetPosition(r.feet[f]), *p = dBodyGetPosition(body), *v = dBodyGetLinearVel(body);
  double arm[3], turning[3];
  for (int k = 0; k < 3; k++) {
    centre[k] = at[k];
    arm[k] = at[k] - p[k] - (k == 2 ? r.scene->feet[f].radius : 0.0);
  }
  cross(dBodyGetAngularVel(body), arm, turning);
  for (int k = 0; k < 3; k++) {
    velocity[k] = v[k] + turning[k];
  }
}

void read_base(const Robot &r, double *q, double *u)
{
  const dReal *p = dBodyGetPosition(r.bodies[0]), *v = dBodyGetLinearVel(r.bodies[0]);
  const dReal *w = dBodyGetAngularVel(r.bodies[0]), *quat = dBodyGetQuaternion(r.bodies[0]);
  double R[9], com[3], turning[3];
  unpad(dBodyGetRotation(r.bodies[0]), R);
  rigid::rotate(R, r.mass[0].com, com);
  cross(w, com, turning);
  for (int k = 0; k < 3; k++) {
    q[k] = p[k] - com[k];
    u[k] = v[k] - turning[k];
  }
  for (int k = 0; k < 4; k++) {
    q[3 + k] = quat[k];
  }
  rigid::rotate_back(R, w, u + 3);
}

void read(void *world, pki_contact_sample *out)
{
  const Robot &r = *static_cast<Robot *>(world);
  const pk_model *m = r.scene->model;
  read_base(r, out->q, out->u);
  for (int i = 1; i < m->nbody; i++) {
    const dJointID hinge = r.hinges[static_cast<size_t>(i)];
    out->q[m->body_q[i]] = r.scene->q[m->body_q[i]] + dJointGetHingeAngle(hinge);
    out->u[m->body_u[i]] = dJointGetHingeAngleRate(hinge);
  }
  out->has_feet = true;
  for (int f = 0; f < PKI_FEET; f++) {
    read_foot(r, f, out->foot[f], out->velocity[f]);
    for (int k = 0; k < 3; k++) {
      out->force[f][k] = r.touches[f] ? r.feedback[f].f1[k] : 0.0;
    }
  }
}

} /* namespace */

const pki_contact_peer *ode_contact()
{
  static const pki_contact_peer table = {configs, sizeof configs / sizeof configs[0],
                                         create,  destroy,
                                         step,    read,
                                         nullptr, nullptr,
                                         nullptr, nullptr,
                                         nullptr};
  return &table;
}
