/* MuJoCo as a peer: smooth dynamics (contact: mujoco_contact.cpp). MuJoCo's coordinates are Pronk's: a free joint has world position, quaternion,
 * world linear and body angular velocity; a ball joint quaternion and body angular velocity. */
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "coordinates.h"
#include "measure/dynamics_peer.h"
#include "measure/peer.h"
#include "mujoco_contact.h"
#include "mujoco_model.h"
#include "rigid.h"

namespace {

struct Slot {
  std::vector<mjtNum> qpos, qvel, force, qacc;
};

struct Engine {
  const pk_model *model = nullptr;
  mjModel *m = nullptr;
  mjData *d = nullptr;
  std::vector<int> qpos_of; /* [nbody] first element of qpos */
  coordinates::Blocks blocks;
  std::vector<Slot> slots;
  std::vector<mjtNum> result; /* [nv] of mj_rne */

  ~Engine()
  {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
};

/* Find every body's coordinates, and set armature there: MJCF knows one value for each joint. */
bool map_coordinates(Engine &e)
{
  const pk_model *model = e.model;
  for (int i = 0; i < model->nbody; i++) {
    const int joint = mj_name2id(e.m, mjOBJ_JOINT, ("b" + std::to_string(i)).c_str());
    if (joint < 0) {
      return false;
    }
    e.qpos_of.push_back(e.m->jnt_qposadr[joint]);
    const coordinates::Block block = coordinates::scaled(model, i, e.m->jnt_dofadr[joint]);
    for (int k = 0; k < block.size; k++) {
      e.m->dof_armature[block.peer + k] =
          model->dof_armature[block.pronk + k] * block.inverse[k][k] * block.inverse[k][k];
    }
    e.blocks.push_back(block);
  }
  return e.m->nv == model->nu && e.m->nq == model->nq;
}

void *create(const pk_model *model, int slots, int lanes, char *message, size_t size)
{
  const std::string reason = lanes == 1 ? mjcf::refusal(model) : "one robot at a time";
  if (!reason.empty()) {
    snprintf(message, size, "%s", reason.c_str());
    return nullptr;
  }
  auto e = std::make_unique<Engine>();
  e->model = model;
  mjcf::Additions more;
  more.option =
      "<flag constraint=\"disable\" equality=\"disable\" frictionloss=\"disable\" limit=\"disable\" "
      "contact=\"disable\" passive=\"disable\" warmstart=\"disable\" actuation=\"disable\" "
      "sensor=\"disable\"/>";
  e->m = mjcf::compile(model, more, message, size);
  if (!e->m) {
    return nullptr;
  }
  if (!map_coordinates(*e) || !(e->d = mj_makeData(e->m))) {
    snprintf(message, size, "the translated model has other coordinates");
    return nullptr;
  }
  e->slots.resize(static_cast<size_t>(slots));
  e->result.resize(static_cast<size_t>(e->m->nv));
  return e.release();
}

void destroy(void *engine)
{
  delete static_cast<Engine *>(engine);
}

void store(void *engine, int slot, const pki_dynamics_state *state)
{
  Engine &e = *static_cast<Engine *>(engine);
  Slot &s = e.slots[static_cast<size_t>(slot)];
  s.qpos.assign(static_cast<size_t>(e.m->nq), 0.0);
  for (int i = 0; i < e.model->nbody; i++) {
    const bool scaled = rigid::is_one_axis(e.model, i);
    const double gain = scaled ? e.model->body_gain[i] : 1.0, offset = scaled ? e.model->body_offset[i] : 0.0;
    for (int k = 0; k < rigid::nq_of(e.model, i); k++) {
      s.qpos[e.qpos_of[i] + k] = gain * state->q[e.model->body_q[i] + k] + offset;
    }
  }
  for (auto *v : {&s.qvel, &s.force, &s.qacc}) {
    v->assign(static_cast<size_t>(e.m->nv), 0.0);
  }
  coordinates::to_velocity(e.blocks, state->u, s.qvel);
  coordinates::to_force(e.blocks, state->tau, s.force);
  coordinates::to_acceleration(e.blocks, state->a, s.qacc);
}

void load(mjtNum *to, const std::vector<mjtNum> &from)
{
  memcpy(to, from.data(), from.size() * sizeof(mjtNum));
}

void run(void *engine, pki_algorithm algorithm, int index)
{
  Engine &e = *static_cast<Engine *>(engine);
  const Slot &s = e.slots[static_cast<size_t>(index)];
  mjModel *m = e.m;
  mjData *d = e.d;
  switch (algorithm) {
  case PKI_ALGORITHM_ABA:
    load(d->qpos, s.qpos);
    load(d->qvel, s.qvel);
    load(d->qfrc_applied, s.force);
    mj_forward(m, d);
    break;
  case PKI_ALGORITHM_RNEA:
    load(d->qpos, s.qpos);
    load(d->qvel, s.qvel);
    load(d->qacc, s.qacc);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 1, e.result.data());
    for (int i = 0; i < m->nv; i++) { /* as mj_inverse does after mj_rne */
      e.result[i] += m->dof_armature[i] * d->qacc[i];
    }
    break;
  case PKI_ALGORITHM_CRBA:
    load(d->qpos, s.qpos);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    break;
  case PKI_ALGORITHM_FACTOR: mj_factorM(m, d); break;
  default: break;
  }
}

/* mj_factorM leaves qM as it is. */
void prepare_factor(void *engine, int index)
{
  run(engine, PKI_ALGORITHM_CRBA, index);
}

void read(void *engine, pki_algorithm algorithm, int, double *out)
{
  const Engine &e = *static_cast<Engine *>(engine);
  const size_t n = static_cast<size_t>(e.m->nv);
  if (algorithm == PKI_ALGORITHM_ABA) {
    coordinates::from_acceleration(e.blocks, e.d->qacc, out);
  }
  if (algorithm == PKI_ALGORITHM_RNEA) {
    coordinates::from_force(e.blocks, e.result, out);
  }
  if (algorithm == PKI_ALGORITHM_CRBA) {
    std::vector<mjtNum> full(n * n);
    mj_fullM(e.m, full.data(), e.d->qM);
    auto element = [&](int i, int j) { return full[static_cast<size_t>(i) * n + static_cast<size_t>(j)]; };
    coordinates::from_mass(e.blocks, element, e.m->nv, out);
  }
}

const pki_dynamics_peer dynamics = {{"mj_kinematics + mj_comPos + mj_comVel + mj_rne",
                                     "mj_kinematics + mj_comPos + mj_crb", "mj_factorM", "mj_forward"},
                                    create,
                                    destroy,
                                    store,
                                    prepare_factor,
                                    run,
                                    read};

const void *find_interface(const char *name)
{
  if (strcmp(name, PKI_CONTACT_INTERFACE) == 0) {
    return mujoco_contact();
  }
  return strcmp(name, PKI_DYNAMICS_INTERFACE) == 0 ? &dynamics : nullptr;
}

/* MuJoCo's own answer to a warning is a log file in the current folder. */
void ignore_warning(const char *)
{
}

const pk_peer peer = {"mujoco", mj_versionString(), "", find_interface};

} /* namespace */

extern "C" __attribute__((visibility("default"))) const pk_peer *pk_peer_get(void)
{
  mju_user_warning = ignore_warning;
  return &peer;
}
