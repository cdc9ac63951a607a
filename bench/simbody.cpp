/* Simbody as a peer. Its pins turn about z and its sliders move along x of the joint frame;
 * balls and free bodies have their angular velocity in the inboard joint frame, a free body
 * its angular velocity first. Armature is not known to Simbody: where the model has some,
 * `store` finds the joint forces that give the same accelerations without it, from Simbody's
 * own mass matrix and bias. */
#include <Simbody.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "coordinates.h"
#include "measure/dynamics_peer.h"
#include "measure/peer.h"
#include "rigid.h"

using namespace SimTK;

namespace {

struct Slot {
  Vector q, u, force, udot;
  coordinates::Blocks blocks;
};

struct Engine {
  const pk_model *model;
  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  Force::Gravity gravity;
  Force::DiscreteForces applied;
  std::vector<MobilizedBody> bodies;
  State state;
  Vector armature; /* by Simbody's velocities */
  std::vector<Slot> slots;
  Vector residual;
  Matrix M;
  int last = 0;

  explicit Engine(const pk_model *of)
      : model(of), matter(system), forces(system),
        gravity(forces, matter, Vec3(of->gravity[0], of->gravity[1], of->gravity[2])), applied(forces, matter)
  {
  }
};

Rotation rotation_of(const double R[9])
{
  const Mat33 matrix(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
  return Rotation(matrix, true);
}

/* The rotation that takes Simbody's joint axis (z of a pin, x of a slider) onto the body's. */
Rotation axis_frame(const pk_model *model, int i)
{
  const int to = model->body_axis[i], from = model->body_motion[i] == PK_MOTION_REVOLUTE ? 2 : 0;
  const int turn = (to - from + 3) % 3;
  /* A cyclic change of axes is a rotation: column k of it is unit vector k + turn. */
  double R[9] = {};
  for (int k = 0; k < 3; k++) {
    R[3 * ((k + turn) % 3) + k] = 1.0;
  }
  return rotation_of(R);
}

MassProperties mass_of(const double inertia[10])
{
  const rigid::Central c = rigid::central_of(inertia);
  const double *I = inertia + 4; /* about the body's origin: xx xy xz yy yz zz */
  return MassProperties(c.mass, Vec3(c.com[0], c.com[1], c.com[2]),
                        Inertia(I[0], I[3], I[5], I[1], I[2], I[4]));
}

void add_body(Engine &e, int i)
{
  const pk_model *model = e.model;
  const double *pos = model->body_pos + 3 * i;
  MobilizedBody &parent = model->body_parent[i] < 0 ? static_cast<MobilizedBody &>(e.matter.updGround())
                                                    : e.bodies[static_cast<size_t>(model->body_parent[i])];
  const Transform joint(rotation_of(model->body_rot + 9 * i), Vec3(pos[0], pos[1], pos[2]));
  const Body body = model->body_inertia[10 * i] > 0.0
                        ? static_cast<Body>(Body::Rigid(mass_of(model->body_inertia + 10 * i)))
                        : static_cast<Body>(Body::Massless());
  switch (model->body_motion[i]) {
  case PK_MOTION_REVOLUTE: {
    const Rotation turn = axis_frame(model, i);
    e.bodies.push_back(MobilizedBody::Pin(parent, joint * Transform(turn), body, Transform(turn)));
    break;
  }
  case PK_MOTION_PRISMATIC: {
    const Rotation turn = axis_frame(model, i);
    e.bodies.push_back(MobilizedBody::Slider(parent, joint * Transform(turn), body, Transform(turn)));
    break;
  }
  case PK_MOTION_SPHERICAL: e.bodies.push_back(MobilizedBody::Ball(parent, joint, body, Transform())); break;
  default: e.bodies.push_back(MobilizedBody::Free(parent, joint, body, Transform()));
  }
}

/* Armature by Simbody's velocities; false when a joint of several coordinates has some. */
bool map_armature(Engine &e)
{
  e.armature.resize(e.model->nu);
  e.armature = 0.0;
  for (int i = 0; i < e.model->nbody; i++) {
    const int u = e.model->body_u[i], first = e.bodies[static_cast<size_t>(i)].getFirstUIndex(e.state);
    for (int k = 0; k < rigid::nu_of(e.model, i); k++) {
      const double value = e.model->dof_armature[u + k];
      if (value != 0.0 && !rigid::is_one_axis(e.model, i)) {
        return false;
      }
      if (value != 0.0) {
        e.armature[first + k] = value / (e.model->body_gain[i] * e.model->body_gain[i]);
      }
    }
  }
  return true;
}

void *create(const pk_model *model, int slots, int lanes, char *message, size_t size)
{
  if (lanes != 1 || model->has_mimic) {
    snprintf(message, size, "%s", lanes != 1 ? "one robot at a time" : "mimic joints are not translated");
    return nullptr;
  }
  try {
    auto e = std::make_unique<Engine>(model);
    e->matter.setShowDefaultGeometry(false);
    for (int i = 0; i < model->nbody; i++) {
      add_body(*e, i);
    }
    e->system.realizeTopology();
    e->state = e->system.getDefaultState();
    e->system.realizeModel(e->state);
    if (e->state.getNU() != model->nu || e->state.getNQ() != model->nq || !map_armature(*e)) {
      snprintf(message, size, "the translated model has other coordinates");
      return nullptr;
    }
    e->slots.resize(static_cast<size_t>(slots));
    return e.release();
  } catch (const std::exception &error) {
    snprintf(message, size, "%s", error.what());
    return nullptr;
  }
}

void destroy(void *engine)
{
  delete static_cast<Engine *>(engine);
}

/* The coordinates of one body at one state. */
void store_body(const Engine &e, int i, const double *q, Slot &s)
{
  const MobilizedBody &body = e.bodies[static_cast<size_t>(i)];
  const int first = body.getFirstQIndex(e.state), peer = body.getFirstUIndex(e.state);
  if (rigid::is_one_axis(e.model, i)) {
    s.q[first] = e.model->body_gain[i] * q[0] + e.model->body_offset[i];
    s.blocks.push_back(coordinates::scaled(e.model, i, peer));
    return;
  }
  const bool is_free = e.model->body_motion[i] == PK_MOTION_FLOATING;
  const double *quat = is_free ? q + 3 : q;
  double R[9];
  rigid::rotation_of(quat, R);
  for (int k = 0; k < 4; k++) {
    s.q[first + k] = quat[k];
  }
  coordinates::Block block = coordinates::empty(e.model, i, peer);
  if (is_free) {
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int k = 0; k < 3; k++) {
      s.q[first + 4 + k] = q[k];
    }
    coordinates::place(block, 0, 3, R, false); /* angular: into the joint frame */
    coordinates::place(block, 3, 0, one, false);
  } else {
    coordinates::place(block, 0, 0, R, false);
  }
  s.blocks.push_back(block);
}

void load(Engine &e, const Slot &s)
{
  e.state.updQ() = s.q;
  e.state.updU() = s.u;
  e.applied.setAllMobilityForces(e.state, s.force);
}

/* M + armature in e.M; the residual M udot + h, armature included, in e.residual. */
void compute_mass(Engine &e)
{
  e.system.realize(e.state, Stage::Position);
  e.matter.calcM(e.state, e.M);
  for (int i = 0; i < e.armature.size(); i++) {
    e.M(i, i) += e.armature[i];
  }
}

void compute_residual(Engine &e, const Vector &udot)
{
  e.system.realize(e.state, Stage::Velocity);
  e.matter.calcResidualForceIgnoringConstraints(e.state, Vector(), e.gravity.getBodyForces(e.state), udot,
                                                e.residual);
  for (int i = 0; i < e.armature.size(); i++) {
    e.residual[i] += e.armature[i] * udot[i];
  }
}

/* With (M + A) udot = f - h, the force f - A udot gives the same udot without A. */
void absorb_armature(Engine &e, Slot &s)
{
  load(e, s);
  compute_mass(e);
  compute_residual(e, Vector(e.model->nu, 0.0));
  Vector udot(e.model->nu);
  FactorLU factors(e.M);
  factors.solve(s.force - e.residual, udot);
  for (int i = 0; i < e.armature.size(); i++) {
    s.force[i] -= e.armature[i] * udot[i];
  }
}

void store(void *engine, int slot, const pki_dynamics_state *state)
{
  Engine &e = *static_cast<Engine *>(engine);
  Slot &s = e.slots[static_cast<size_t>(slot)];
  s.blocks.clear();
  s.q.resize(e.model->nq);
  for (Vector *v : {&s.u, &s.force, &s.udot}) {
    v->resize(e.model->nu);
  }
  for (int i = 0; i < e.model->nbody; i++) {
    store_body(e, i, state->q + e.model->body_q[i], s);
  }
  coordinates::to_velocity(s.blocks, state->u, s.u);
  coordinates::to_force(s.blocks, state->tau, s.force);
  coordinates::to_acceleration(s.blocks, state->a, s.udot);
  if (rigid::has_armature(e.model)) {
    absorb_armature(e, s);
  }
}

void run(void *engine, pki_algorithm algorithm, int index)
{
  Engine &e = *static_cast<Engine *>(engine);
  const Slot &s = e.slots[static_cast<size_t>(index)];
  e.last = index;
  load(e, s);
  if (algorithm == PKI_ALGORITHM_ABA) {
    e.system.realize(e.state, Stage::Acceleration);
  } else if (algorithm == PKI_ALGORITHM_RNEA) {
    compute_residual(e, s.udot);
  } else if (algorithm == PKI_ALGORITHM_CRBA) {
    compute_mass(e);
  }
}

void read(void *engine, pki_algorithm algorithm, int, double *out)
{
  const Engine &e = *static_cast<Engine *>(engine);
  const coordinates::Blocks &blocks = e.slots[static_cast<size_t>(e.last)].blocks;
  if (algorithm == PKI_ALGORITHM_ABA) {
    coordinates::from_acceleration(blocks, e.state.getUDot(), out);
  }
  if (algorithm == PKI_ALGORITHM_RNEA) {
    coordinates::from_force(blocks, e.residual, out);
  }
  if (algorithm == PKI_ALGORITHM_CRBA) {
    coordinates::from_mass(
        blocks, [&](int i, int j) { return e.M(i, j); }, e.model->nu, out);
  }
}

const pki_dynamics_peer dynamics = {
    {"calcResidualForceIgnoringConstraints", "calcM", nullptr, "realize(Acceleration)"},
    create,
    destroy,
    store,
    nullptr,
    run,
    read};

const void *find_interface(const char *name)
{
  return strcmp(name, PKI_DYNAMICS_INTERFACE) == 0 ? &dynamics : nullptr;
}

} /* namespace */

extern "C" __attribute__((visibility("default"))) const pk_peer *pk_peer_get(void)
{
  static char version[32];
  int major, minor, build;
  SimTK_version_simbody(&major, &minor, &build);
  snprintf(version, sizeof version, "%d.%d.%d", major, minor, build);
  static const pk_peer peer = {
      "simbody", version, "Debian builds it with assertions on: 2 to 3 times slower than a release build",
      find_interface};
  return &peer;
}
