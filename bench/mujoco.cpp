/* MuJoCo as a peer. The model goes through MJCF text in memory, every number with 17
 * digits. MuJoCo's coordinates are Pronk's: a free joint has world position, quaternion,
 * world linear and body angular velocity; a ball joint quaternion and body angular velocity. */
#include <mujoco/mujoco.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/peer.h"
#include "bench/dynamics_peer.h"
#include "coordinates.h"
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

__attribute__((format(printf, 2, 3))) void append(std::string &text, const char *format, ...)
{
  char line[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  text += line;
}

/* Why MuJoCo cannot take this model, "" when it can. */
std::string refusal(const pk_model *model)
{
  if (model->has_mimic) {
    return "mimic joints are not translated";
  }
  for (int i = 0; i < model->nbody; i++) {
    if (!(model->body_inertia[10 * i] > 0.0)) {
      return "massless bodies are not translated";
    }
    if (model->body_motion[i] != PK_MOTION_FLOATING) {
      continue;
    }
    if (model->body_parent[i] >= 0) {
      return "free joints are possible at the world only";
    }
    const double *pos = model->body_pos + 3 * i;
    if (model->body_turned[i] || pos[0] != 0.0 || pos[1] != 0.0 || pos[2] != 0.0) {
      return "the frame of a free joint must be the world's";
    }
  }
  return "";
}

void append_body_open(std::string &text, const pk_model *model, int i)
{
  const double *pos = model->body_pos + 3 * i;
  double quat[4];
  rigid::quaternion_of(model->body_rot + 9 * i, quat);
  append(text, "<body name=\"b%d\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">\n", i, pos[0],
         pos[1], pos[2], quat[0], quat[1], quat[2], quat[3]);

  const rigid::Principal p = rigid::principal_of(model->body_inertia + 10 * i);
  append(text, "<inertial mass=\"%.17g\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"", p.mass,
         p.com[0], p.com[1], p.com[2], p.quat[0], p.quat[1], p.quat[2], p.quat[3]);
  append(text, " diaginertia=\"%.17g %.17g %.17g\"/>\n", p.moment[0], p.moment[1], p.moment[2]);

  const int axis = model->body_axis[i];
  switch (model->body_motion[i]) {
  case PK_MOTION_REVOLUTE:
  case PK_MOTION_PRISMATIC:
    append(text, "<joint name=\"b%d\" type=\"%s\" axis=\"%d %d %d\"/>\n", i,
           model->body_motion[i] == PK_MOTION_REVOLUTE ? "hinge" : "slide", axis == 0, axis == 1, axis == 2);
    break;
  case PK_MOTION_SPHERICAL: append(text, "<joint name=\"b%d\" type=\"ball\"/>\n", i); break;
  default: append(text, "<joint name=\"b%d\" type=\"free\"/>\n", i);
  }
}

/* The tree as nested elements. The XML reader stops at a depth of 100 elements,
 * so a deep tree goes on in included files, which MuJoCo joins after reading. */
struct Writer {
  static constexpr int depth_per_file = 90;
  const pk_model *model;
  std::vector<std::vector<int>> children;
  std::vector<std::string> files;

  explicit Writer(const pk_model *of) : model(of), children(static_cast<size_t>(of->nbody) + 1)
  {
    for (int i = 0; i < of->nbody; i++) {
      children[static_cast<size_t>(of->body_parent[i]) + 1].push_back(i);
    }
    files.emplace_back();
    std::string head =
        "<mujoco><compiler angle=\"radian\" coordinate=\"local\" balanceinertia=\"false\" boundmass=\"0\" "
        "boundinertia=\"0\" inertiafromgeom=\"false\"/>\n";
    append(head, "<option gravity=\"%.17g %.17g %.17g\">", of->gravity[0], of->gravity[1], of->gravity[2]);
    head += "<flag constraint=\"disable\" equality=\"disable\" frictionloss=\"disable\" limit=\"disable\" "
            "contact=\"disable\" passive=\"disable\" warmstart=\"disable\" actuation=\"disable\" "
            "sensor=\"disable\"/></option>\n<worldbody>\n";
    files[0] = head + write(-1, 0) + "</worldbody></mujoco>\n";
  }

  std::string write(int body, int depth)
  {
    std::string text;
    for (int child : children[static_cast<size_t>(body) + 1]) {
      if (depth == depth_per_file) {
        const size_t file = files.size();
        files.emplace_back();
        files[file] = "<mujocoinclude>\n" + write_one(child, 0) + "</mujocoinclude>\n";
        append(text, "<include file=\"part%zu.xml\"/>\n", file);
      } else {
        text += write_one(child, depth);
      }
    }
    return text;
  }

  std::string write_one(int body, int depth)
  {
    std::string text;
    append_body_open(text, model, body);
    text += write(body, depth + 1);
    text += "</body>\n";
    return text;
  }
};

mjModel *compile(const pk_model *model, char *message, size_t size)
{
  const Writer writer(model);
  auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  for (size_t i = 0; i < writer.files.size(); i++) {
    const std::string name = "part" + std::to_string(i) + ".xml", &text = writer.files[i];
    if (mj_makeEmptyFileVFS(vfs.get(), name.c_str(), static_cast<int>(text.size())) != 0) {
      snprintf(message, size, "the tree is too deep");
      mj_deleteVFS(vfs.get());
      return nullptr;
    }
    memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), name.c_str())], text.data(), text.size());
  }
  mjModel *m = mj_loadXML("part0.xml", vfs.get(), message, static_cast<int>(size));
  mj_deleteVFS(vfs.get());
  return m;
}

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
  const std::string reason = lanes == 1 ? refusal(model) : "one robot at a time";
  if (!reason.empty()) {
    snprintf(message, size, "%s", reason.c_str());
    return nullptr;
  }
  auto e = std::make_unique<Engine>();
  e->model = model;
  e->m = compile(model, message, size);
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
  return strcmp(name, PKI_DYNAMICS_INTERFACE) == 0 ? &dynamics : nullptr;
}

/* MuJoCo's own answer to a warning is a log file in the current folder. */
void ignore_warning(const char *)
{
}

const pk_peer peer = {"mujoco", mj_versionString(), "contacts and constraints disabled", find_interface};

} /* namespace */

extern "C" __attribute__((visibility("default"))) const pk_peer *pk_peer_get(void)
{
  mju_user_warning = ignore_warning;
  return &peer;
}
