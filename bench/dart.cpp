/* DART as a peer. A free joint's velocity is the twist in the body's own frame, angular
 * part first; its position and a ball's are rotation vectors. Armature is not known to
 * DART, but its forward dynamics takes joint damping implicitly, adding dt d to the joint's
 * inertia: damping d = armature / dt, with the damping force d v given back as a joint
 * force, is armature exactly. */
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "coordinates.h"
#include "dart_contact.h"
#include "dart_model.h"
#include "measure/dynamics_peer.h"
#include "measure/peer.h"
#include "rigid.h"

using namespace dart::dynamics;

namespace {

struct Slot {
  Eigen::VectorXd q, v, force, dv;
  coordinates::Blocks blocks;
};

struct Engine {
  const pk_model *model = nullptr;
  SkeletonPtr skeleton;
  std::vector<BodyNode *> bodies;
  Eigen::VectorXd armature;
  std::vector<Slot> slots;
  int last = 0;
};

/* False when a joint of several coordinates has armature. */
bool set_armature(Engine &e)
{
  e.armature = Eigen::VectorXd::Zero(e.model->nu);
  for (int i = 0; i < e.model->nbody; i++) {
    Joint *joint = e.bodies[static_cast<size_t>(i)]->getParentJoint();
    for (int k = 0; k < rigid::nu_of(e.model, i); k++) {
      const double value = e.model->dof_armature[e.model->body_u[i] + k], gain = e.model->body_gain[i];
      if (value == 0.0) {
        continue;
      }
      if (!rigid::is_one_axis(e.model, i)) {
        return false;
      }
      e.armature[static_cast<Eigen::Index>(joint->getIndexInSkeleton(0))] = value / (gain * gain);
      joint->setDampingCoefficient(0, value / (gain * gain) / e.skeleton->getTimeStep());
    }
  }
  return true;
}

/* Why DART cannot take this model, "" when it can. */
std::string refusal(const pk_model *model, int lanes)
{
  if (lanes != 1) {
    return "one robot at a time";
  }
  if (model->has_mimic) {
    return "mimic joints are not translated";
  }
  for (int i = 0; i < model->nbody; i++) {
    if (!(model->body_inertia[10 * i] > 0.0)) {
      return "massless bodies are not translated";
    }
  }
  return "";
}

void *create(const pk_model *model, int slots, int lanes, char *message, size_t size)
{
  const std::string reason = refusal(model, lanes);
  if (!reason.empty()) {
    snprintf(message, size, "%s", reason.c_str());
    return nullptr;
  }
  auto e = std::make_unique<Engine>();
  e->model = model;
  e->skeleton = Skeleton::create("pronk");
  e->skeleton->setGravity(Eigen::Map<const Eigen::Vector3d>(model->gravity));
  e->skeleton->setTimeStep(0x1p-10); /* a power of two: armature / dt * dt is exact */
  for (int i = 0; i < model->nbody; i++) {
    skeleton::add_body(model, e->skeleton, e->bodies, i);
  }
  if (e->skeleton->getNumDofs() != static_cast<size_t>(model->nu) || !set_armature(*e)) {
    snprintf(message, size, "the translated model has other coordinates");
    return nullptr;
  }
  e->slots.resize(static_cast<size_t>(slots));
  return e.release();
}

void destroy(void *engine)
{
  delete static_cast<Engine *>(engine);
}

/* Rotation vector of a unit quaternion, accurate at every angle. */
Eigen::Vector3d rotation_vector(const double quat[4])
{
  const double sign = quat[0] < 0.0 ? -1.0 : 1.0;
  const Eigen::Vector3d axis(sign * quat[1], sign * quat[2], sign * quat[3]);
  const double sine = axis.norm();
  if (sine == 0.0) {
    return Eigen::Vector3d::Zero();
  }
  return axis * (2.0 * std::atan2(sine, sign * quat[0]) / sine);
}

/* The coordinates of one body at one state. */
void store_body(const Engine &e, int i, const double *q, const double *u, Slot &s)
{
  const Joint *joint = e.bodies[static_cast<size_t>(i)]->getParentJoint();
  const int peer = static_cast<int>(joint->getIndexInSkeleton(0));
  coordinates::Block block = coordinates::scaled(e.model, i, peer);
  if (rigid::is_one_axis(e.model, i)) {
    s.q[peer] = e.model->body_gain[i] * q[0] + e.model->body_offset[i];
  } else if (e.model->body_motion[i] == PK_MOTION_SPHERICAL) {
    s.q.segment<3>(peer) = rotation_vector(q);
  } else {
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double R[9], v[3];
    rigid::rotation_of(q + 3, R);
    rigid::rotate_back(R, u, v);
    s.q.segment<3>(peer) = rotation_vector(q + 3);
    s.q.segment<3>(peer + 3) = Eigen::Map<const Eigen::Vector3d>(q);
    block = coordinates::empty(e.model, i, peer);
    coordinates::place(block, 0, 3, one, false);
    coordinates::place(block, 3, 0, R, true);
    /* v_body = R' v: its derivative is R' dv/dt - w x v_body. */
    const double *w = u + 3;
    block.c[3] = -(w[1] * v[2] - w[2] * v[1]);
    block.c[4] = -(w[2] * v[0] - w[0] * v[2]);
    block.c[5] = -(w[0] * v[1] - w[1] * v[0]);
  }
  s.blocks.push_back(block);
}

void store(void *engine, int slot, const pki_dynamics_state *state)
{
  Engine &e = *static_cast<Engine *>(engine);
  Slot &s = e.slots[static_cast<size_t>(slot)];
  s.blocks.clear();
  for (Eigen::VectorXd *v : {&s.q, &s.v, &s.force, &s.dv}) {
    v->setZero(e.model->nu);
  }
  for (int i = 0; i < e.model->nbody; i++) {
    store_body(e, i, state->q + e.model->body_q[i], state->u + e.model->body_u[i], s);
  }
  coordinates::to_velocity(s.blocks, state->u, s.v);
  coordinates::to_force(s.blocks, state->tau, s.force);
  coordinates::to_acceleration(s.blocks, state->a, s.dv);
  s.force += s.v.cwiseProduct(e.armature) / e.skeleton->getTimeStep();
}

void run(void *engine, pki_algorithm algorithm, int index)
{
  Engine &e = *static_cast<Engine *>(engine);
  const Slot &s = e.slots[static_cast<size_t>(index)];
  e.last = index;
  e.skeleton->setPositions(s.q);
  switch (algorithm) {
  case PKI_ALGORITHM_ABA:
    e.skeleton->setVelocities(s.v);
    e.skeleton->setForces(s.force);
    e.skeleton->computeForwardDynamics();
    break;
  case PKI_ALGORITHM_RNEA:
    e.skeleton->setVelocities(s.v);
    e.skeleton->setAccelerations(s.dv);
    e.skeleton->computeInverseDynamics();
    break;
  case PKI_ALGORITHM_CRBA: e.skeleton->getMassMatrix(); break;
  default: break;
  }
}

void read(void *engine, pki_algorithm algorithm, int, double *out)
{
  const Engine &e = *static_cast<Engine *>(engine);
  const Slot &s = e.slots[static_cast<size_t>(e.last)];
  if (algorithm == PKI_ALGORITHM_ABA) {
    coordinates::from_acceleration(s.blocks, e.skeleton->getAccelerations(), out);
  }
  if (algorithm == PKI_ALGORITHM_RNEA) {
    const Eigen::VectorXd force = e.skeleton->getForces() + s.dv.cwiseProduct(e.armature);
    coordinates::from_force(s.blocks, force, out);
  }
  if (algorithm == PKI_ALGORITHM_CRBA) {
    Eigen::MatrixXd M = e.skeleton->getMassMatrix();
    M.diagonal() += e.armature;
    coordinates::from_mass(
        s.blocks, [&](int i, int j) { return M(i, j); }, e.model->nu, out);
  }
}

const pki_dynamics_peer dynamics = {
    {"computeInverseDynamics", "getMassMatrix", nullptr, "computeForwardDynamics"},
    create,
    destroy,
    store,
    nullptr,
    run,
    read};

const void *find_interface(const char *name)
{
  if (strcmp(name, PKI_CONTACT_INTERFACE) == 0) {
    return dart_contact();
  }
  return strcmp(name, PKI_DYNAMICS_INTERFACE) == 0 ? &dynamics : nullptr;
}

const pk_peer peer = {"dart", DART_VERSION,
                      "Debian builds it with assertions on: 2 to 3 times slower than a release build",
                      find_interface};

} /* namespace */

extern "C" __attribute__((visibility("default"))) const pk_peer *pk_peer_get(void)
{
  return &peer;
}
