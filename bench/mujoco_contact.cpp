/* MuJoCo with contact: its default contact parameters (solref, solimp, impratio), iterations and
 * tolerances, each solver with each cone. The gains are forces at the start of the step, where contacts
 * are found too; with `kd implicit` kd is joint damping, which its Euler integrator takes implicitly (after
 * the contact solver, which knows nothing of it: feet sink deeper then). */
#include "mujoco_contact.h"

#include <cmath>
#include <cstring>
#include <memory>

#include "mujoco_model.h"

namespace {

struct Config {
  int solver, cone, noslip;
  bool damping; /* kd is joint damping */
};

const Config settings[] = {
    {mjSOL_PGS, mjCONE_PYRAMIDAL, 0, false},     {mjSOL_PGS, mjCONE_ELLIPTIC, 0, false},
    {mjSOL_CG, mjCONE_PYRAMIDAL, 0, false},      {mjSOL_CG, mjCONE_ELLIPTIC, 0, false},
    {mjSOL_NEWTON, mjCONE_PYRAMIDAL, 0, false},  {mjSOL_NEWTON, mjCONE_ELLIPTIC, 0, false},
    {mjSOL_NEWTON, mjCONE_PYRAMIDAL, 10, false}, {mjSOL_NEWTON, mjCONE_ELLIPTIC, 10, false},
    {mjSOL_NEWTON, mjCONE_PYRAMIDAL, 0, true},   {mjSOL_NEWTON, mjCONE_ELLIPTIC, 0, true},
};

const pki_contact_config configs[] = {
    {"pgs pyramidal", "explicit", 0},
    {"pgs elliptic", "explicit", 0},
    {"cg pyramidal", "explicit", 0},
    {"cg elliptic", "explicit", 0},
    {"newton pyramidal", "explicit", 0},
    {"newton elliptic", "explicit", 0},
    {"newton pyramidal noslip 10", "explicit", 0},
    {"newton elliptic noslip 10", "explicit", 0},
    {"newton pyramidal", "kd implicit", 0},
    {"newton elliptic", "kd implicit", 0},
};

static_assert(sizeof configs / sizeof configs[0] == sizeof settings / sizeof settings[0],
              "one name for each");

struct World {
  const pki_contact_scene *scene = nullptr;
  double kd = 0.0;                /* explicit */
  std::shared_ptr<mjModel> model; /* clones share it */
  const mjModel *m = nullptr;     /* the same */
  mjData *d = nullptr;
  int foot_geom[PKI_FEET] = {};

  World() = default;
  World(const World &) = delete;
  World &operator=(const World &) = delete;
  ~World()
  {
    mj_deleteData(d);
  }
};

/* MuJoCo makes room for 100 contacts by itself; a contact has four rows at most, a hinge two at its limits and one of
 * friction. The arrays of its data, rows by rows and rows by velocities among them, must stay below 2 GB, and so must the stack,
 * which it would make larger than that where rows are many; compiling takes a step, for which Newton's method needs more. */
void append_room(mjcf::Additions &more, int contacts, int rows, int hinges)
{
  const int most = 8000, all = rows * contacts + 3 * hinges, stack = 80000000;
  mjcf::append(more.size, "<size nconmax=\"%d\" njmax=\"%d\"", contacts, all < most ? all : most);
  more.size += all < most ? "/>\n" : " nstack=\"" + std::to_string(stack) + "\"/>\n<option solver=\"CG\"/>\n";
}

void append_feet(mjcf::Additions &more, const pki_contact_scene *s)
{
  if (s->nfoot > PKI_FEET) {
    append_room(more, s->nfoot, 4, 0);
  }
  for (int f = 0; f < s->nfoot; f++) {
    const pki_contact_foot &foot = s->feet[f];
    mjcf::append(more.of_body[static_cast<size_t>(foot.body)],
                 "<geom name=\"f%d\" type=\"sphere\" size=\"%.17g\" pos=\"%.17g %.17g %.17g\" contype=\"0\" "
                 "conaffinity=\"1\" friction=\"%.17g\"/>\n",
                 f, foot.radius, foot.centre[0], foot.centre[1], foot.centre[2], s->mu);
  }
}

/* A shape's type and half sizes in MuJoCo's words; false: it has none. */
bool append_shape(std::string &text, const pk_model_shape &shape)
{
  const double *size = shape.size;
  switch (shape.kind) {
  case PK_SHAPE_SPHERE: mjcf::append(text, "<geom type=\"sphere\" size=\"%.17g\"", size[0]); return true;
  case PK_SHAPE_BOX:
    mjcf::append(text, "<geom type=\"box\" size=\"%.17g %.17g %.17g\"", size[0] / 2, size[1] / 2,
                 size[2] / 2);
    return true;
  case PK_SHAPE_CYLINDER:
    mjcf::append(text, "<geom type=\"cylinder\" size=\"%.17g %.17g\"", size[0], size[1] / 2);
    return true;
  case PK_SHAPE_CAPSULE:
    mjcf::append(text, "<geom type=\"capsule\" size=\"%.17g %.17g\"", size[0], size[1] / 2);
    return true;
  default: return false;
  }
}

/* All collision shapes. MuJoCo leaves out pairs of one body and of bodies that a joint joins by itself, as Pronk does. */
bool append_shapes(mjcf::Additions &more, const pki_contact_scene *s, bool elliptic)
{
  int contacts = 100;
  for (int i = 0; i < s->model->nshape; i++) {
    const pk_model_shape &shape = s->model->shapes[i];
    if (shape.visual) {
      continue;
    }
    if (shape.body < 0) {
      return false;
    }
    std::string &text = more.of_body[static_cast<size_t>(shape.body)];
    double quat[4];
    rigid::quaternion_of(shape.pose.rot, quat);
    if (!append_shape(text, shape)) {
      return false;
    }
    const double *pos = shape.pose.pos;
    mjcf::append(text, " pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"", pos[0], pos[1], pos[2],
                 quat[0], quat[1], quat[2], quat[3]);
    mjcf::append(text, " contype=\"1\" conaffinity=\"1\" friction=\"%.17g\"/>\n", s->mu);
    contacts += shape.kind == PK_SHAPE_SPHERE ? 3 : 5;
  }
  for (int i = 0; i < s->napart; i++) {
    mjcf::append(more.contact, "<exclude body1=\"b%d\" body2=\"b%d\"/>\n", s->apart[i][0], s->apart[i][1]);
  }
  append_room(more, contacts, elliptic ? 3 : 4, s->model->njoint);
  return true;
}

mjModel *build(const pki_contact_scene *s, bool elliptic, char *message, size_t size)
{
  mjcf::Additions more;
  mjcf::append(more.world,
               "<geom type=\"plane\" size=\"0 0 1\" contype=\"1\" conaffinity=\"%d\" friction=\"%.17g\"/>\n",
               s->whole ? 1 : 0, s->mu);
  more.of_body.resize(static_cast<size_t>(s->model->nbody));
  if (!s->whole) {
    append_feet(more, s);
  } else if (!append_shapes(more, s, elliptic)) {
    snprintf(message, size, "meshes and shapes that are fixed in the world are not translated");
    return nullptr;
  }
  return mjcf::compile(s->model, more, message, size);
}

/* A coordinate of u that the gains hold: one of a hinge. */
bool is_hinge(const pki_contact_scene *s, int k)
{
  return s->model->dof_q[k] >= 0;
}

/* MuJoCo's coordinates are Pronk's (bodies are written in order, so that even the order is). */
bool same_coordinates(const pki_contact_scene *s, const mjModel *m)
{
  for (int i = 0; i < s->model->nbody; i++) {
    const int joint = mj_name2id(m, mjOBJ_JOINT, ("b" + std::to_string(i)).c_str());
    if (joint < 0 || m->jnt_qposadr[joint] != s->model->body_q[i] ||
        m->jnt_dofadr[joint] != s->model->body_u[i]) {
      return false;
    }
  }
  return m->nv == s->model->nu && m->nq == s->model->nq;
}

/* Limits and losses of the model's own. What MuJoCo derives from armature is computed again. */
void set_joints(const pki_contact_scene *s, mjModel *m, mjData *d)
{
  const pk_model *model = s->model;
  for (int k = 0; k < m->nv; k++) {
    const int joint = m->dof_jntid[k];
    m->dof_damping[k] += model->dof_damping[k];
    m->dof_frictionloss[k] = model->dof_friction[k];
    m->dof_armature[k] = model->dof_armature[k];
    if (is_hinge(s, k) && (std::isfinite(model->dof_lower[k]) || std::isfinite(model->dof_upper[k]))) {
      m->jnt_limited[joint] = 1;
      m->jnt_range[2 * joint] = std::fmax(model->dof_lower[k], -1e6);
      m->jnt_range[2 * joint + 1] = std::fmin(model->dof_upper[k], 1e6);
    }
  }
  mj_setConst(m, d);
}

void *create(const pki_contact_scene *s, int config, char *message, size_t size)
{
  const std::string reason = mjcf::refusal(s->model);
  if (!reason.empty()) {
    snprintf(message, size, "%s", reason.c_str());
    return nullptr;
  }
  auto w = std::make_unique<World>();
  w->scene = s;
  const Config &c = settings[config];
  mjModel *m = build(s, c.cone == mjCONE_ELLIPTIC, message, size);
  if (!m) {
    return nullptr;
  }
  w->model.reset(m, mj_deleteModel);
  w->m = m;
  if (!same_coordinates(s, w->m) || !(w->d = mj_makeData(w->m))) {
    snprintf(message, size, "the translated model has other coordinates");
    return nullptr;
  }
  m->opt.timestep = s->dt;
  m->opt.solver = c.solver;
  m->opt.cone = c.cone;
  m->opt.noslip_iterations = c.noslip;
  const bool damping = c.damping || s->damped;
  w->kd = damping ? 0.0 : s->kd;
  for (int k = 0; k < m->nv; k++) {
    m->dof_damping[k] = damping && is_hinge(s, k) ? s->kd : 0.0;
  }
  if (s->whole) {
    set_joints(s, m, w->d);
  }
  for (int f = 0; f < PKI_FEET; f++) {
    w->foot_geom[f] = mj_name2id(w->m, mjOBJ_GEOM, ("f" + std::to_string(f)).c_str());
  }
  memcpy(w->d->qpos, s->q, sizeof(double) * static_cast<size_t>(w->m->nq));
  return w.release();
}

void destroy(void *world)
{
  delete static_cast<World *>(world);
}

bool step(void *world, const double *q_des)
{
  World &w = *static_cast<World *>(world);
  const int *at = w.scene->model->dof_q;
  const double *most = w.scene->tau_max;
  for (int k = 0; k < w.m->nv; k++) {
    if (at[k] >= 0) {
      const double tau = w.scene->kp * (q_des[k] - w.d->qpos[at[k]]) - w.kd * w.d->qvel[k];
      w.d->qfrc_applied[k] = most ? mju_clip(tau, -most[k], most[k]) : tau;
    }
  }
  mj_step(w.m, w.d);
  /* A state that became bad was reset, and contacts without room were left out, with a warning. */
  int warnings = 0;
  for (int kind : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_CONTACTFULL, mjWARN_CNSTRFULL}) {
    warnings += w.d->warning[kind].number;
  }
  return warnings == 0;
}

void read(void *world, pki_contact_sample *out)
{
  const World &w = *static_cast<World *>(world);
  memcpy(out->q, w.d->qpos, sizeof(double) * static_cast<size_t>(w.m->nq));
  memcpy(out->u, w.d->qvel, sizeof(double) * static_cast<size_t>(w.m->nv));
  out->has_feet = false;
  memset(out->force, 0, sizeof out->force);
  for (int c = 0; c < w.d->ncon; c++) {
    const mjContact &contact = w.d->contact[c];
    mjtNum force[6];
    mj_contactForce(w.m, w.d, c, force); /* on the second geom; rows of the frame are its axes */
    for (int f = 0; f < PKI_FEET; f++) {
      for (int i = 0; i < 3 && contact.geom2 == w.foot_geom[f]; i++) {
        for (int axis = 0; axis < 3; axis++) {
          out->force[f][i] += contact.frame[3 * axis + i] * force[axis];
        }
      }
    }
  }
}

/* mjData alone: the model is shared. */
void *clone(void *world)
{
  const World &from = *static_cast<World *>(world);
  auto w = std::make_unique<World>();
  w->scene = from.scene;
  w->kd = from.kd;
  w->model = from.model;
  w->m = from.m;
  memcpy(w->foot_geom, from.foot_geom, sizeof w->foot_geom);
  w->d = mj_makeData(w->m);
  if (!w->d) {
    return nullptr;
  }
  mj_copyData(w->d, w->m, from.d);
  return w.release();
}

int state_size(void *world)
{
  const World &w = *static_cast<World *>(world);
  return w.m->nq + 2 * w.m->nv;
}

/* qpos, qvel, and the accelerations that the solver starts from. */
void get_state(void *world, double *state)
{
  const World &w = *static_cast<World *>(world);
  mju_copy(state, w.d->qpos, w.m->nq);
  mju_copy(state + w.m->nq, w.d->qvel, w.m->nv);
  mju_copy(state + w.m->nq + w.m->nv, w.d->qacc_warmstart, w.m->nv);
}

void set_state(void *world, const double *state)
{
  const World &w = *static_cast<World *>(world);
  mju_copy(w.d->qpos, state, w.m->nq);
  mju_copy(w.d->qvel, state + w.m->nq, w.m->nv);
  mju_copy(w.d->qacc_warmstart, state + w.m->nq + w.m->nv, w.m->nv);
}

double mass(void *world)
{
  const World &w = *static_cast<World *>(world);
  return mj_getTotalmass(w.m);
}

} /* namespace */

const pki_contact_peer *mujoco_contact()
{
  static const pki_contact_peer table = {configs,   sizeof configs / sizeof configs[0],
                                         create,    destroy,
                                         step,      read,
                                         clone,     state_size,
                                         get_state, set_state,
                                         mass};
  return &table;
}
