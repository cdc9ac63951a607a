#include "pronk/model.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "model/kind_words.h"

void pk_model_destroy(pk_model *model)
{
  if (model != NULL) {
    pki_aligned_free((void *)(size_t)model->tree);
  }
  pki_aligned_free(model);
}

int pk_model_find_link(const pk_model *model, const char *name)
{
  for (int i = 0; i < model->nlink; i++) {
    if (strcmp(model->links[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int pk_model_find_joint(const pk_model *model, const char *name)
{
  for (int i = 0; i < model->njoint; i++) {
    if (strcmp(model->joints[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int pk_model_find_site(const pk_model *model, const char *name)
{
  for (int i = 0; i < model->nsite; i++) {
    if (strcmp(model->sites[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int pk_model_find_actuator(const pk_model *model, const char *name)
{
  for (int i = 0; i < model->nactuator; i++) {
    if (strcmp(model->actuators[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int pk_model_find_sensor(const pk_model *model, const char *name)
{
  for (int i = 0; i < model->nsensor; i++) {
    if (strcmp(model->sensors[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int pk_model_find_keyframe(const pk_model *model, const char *name)
{
  for (int i = 0; i < model->nkeyframe; i++) {
    if (strcmp(model->keyframes[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

/* Springs are hashed where there are some, so that models without them keep their hash. */
static uint64_t hash_springs(const pk_model *m, uint64_t hash)
{
  bool any = false;
  for (int k = 0; k < m->nu; k++) {
    any |= m->dof_stiffness[k] != 0;
  }
  if (any) {
    hash = pki_hash_bytes(hash, m->dof_stiffness, (size_t)m->nu * sizeof(double));
    hash = pki_hash_bytes(hash, m->dof_spring_ref, (size_t)m->nu * sizeof(double));
  }
  return hash;
}

unsigned long long pk_model_hash(const pk_model *m)
{
  const size_t nbody = (size_t)m->nbody, nu = (size_t)m->nu;
  const struct {
    const void *data;
    size_t size;
  } parts[] = {
      {m->gravity, sizeof m->gravity},
      {m->body_parent, nbody * sizeof(int)},
      {m->body_motion, nbody * sizeof(int)},
      {m->body_axis, nbody * sizeof(int)},
      {m->body_q, nbody * sizeof(int)},
      {m->body_u, nbody * sizeof(int)},
      {m->body_gain, nbody * sizeof(double)},
      {m->body_offset, nbody * sizeof(double)},
      {m->body_pos, 3 * nbody * sizeof(double)},
      {m->body_rot, 9 * nbody * sizeof(double)},
      {m->body_inertia, 10 * nbody * sizeof(double)},
      {m->dof_armature, nu * sizeof(double)},
      {m->dof_damping, nu * sizeof(double)},
      {m->dof_friction, nu * sizeof(double)},
      {m->dof_lower, nu * sizeof(double)},
      {m->dof_upper, nu * sizeof(double)},
      {m->dof_effort, nu * sizeof(double)},
      {m->dof_velocity, nu * sizeof(double)},
  };
  uint64_t hash = PKI_HASH_START;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    hash = pki_hash_bytes(hash, parts[i].data, parts[i].size);
  }
  hash = hash_springs(m, hash);
  for (int i = 0; i < m->nconstraint; i++) {
    const pk_model_constraint *c = &m->constraints[i];
    hash = pki_hash_bytes(hash, c->body, sizeof c->body);
    hash = pki_hash_bytes(hash, c->frame, sizeof c->frame);
    hash = pki_hash_bytes(hash, &c->travel, sizeof c->travel);
    hash = pki_hash_bytes(hash, &c->turn, sizeof c->turn);
    hash = pki_hash_bytes(hash, &c->length, sizeof c->length);
    if (c->dof[0] >= 0) {
      hash = pki_hash_bytes(hash, c->dof, sizeof c->dof);
      hash = pki_hash_bytes(hash, c->polynomial, sizeof c->polynomial);
    }
  }
  return hash;
}

const char *const pki_root_words[PK_ROOT_KIND_COUNT] = {
    [PK_ROOT_AUTO] = "auto", [PK_ROOT_FREE] = "free", [PK_ROOT_FIXED] = "fixed", [PK_ROOT_CHAIN] = "chain"};

const char *pk_root_kind_name(pk_root_kind kind)
{
  return (unsigned)kind < PK_ROOT_KIND_COUNT ? pki_root_words[kind] : "unknown";
}

const char *pk_root_reason_text(pk_root_reason reason)
{
  static const char *const texts[PK_ROOT_REASON_COUNT] = {
      [PK_ROOT_REASON_GIVEN] = "it was asked for",
      [PK_ROOT_REASON_WORLD] = "its root link is called world",
      [PK_ROOT_REASON_MASSLESS] = "neither its root link nor what is welded to it has mass",
      [PK_ROOT_REASON_ONE_BODY] = "it is one body",
      [PK_ROOT_REASON_STANDS] = "two limbs or more reach as low as its root",
      [PK_ROOT_REASON_ROLLS] = "it has wheels or rotors",
      [PK_ROOT_REASON_CANNOT_STAND] = "it has nothing to stand or roll on"};
  return (unsigned)reason < PK_ROOT_REASON_COUNT ? texts[reason] : "unknown";
}

const char *const pki_mesh_collision_words[PK_MESH_COLLISION_COUNT] = {[PK_MESH_COLLISION_HULL] = "hull",
                                                                       [PK_MESH_COLLISION_TRIANGLES] =
                                                                           "triangles",
                                                                       [PK_MESH_COLLISION_PARTS] = "parts"};

const char *pk_mesh_collision_name(pk_mesh_collision kind)
{
  return (unsigned)kind < PK_MESH_COLLISION_COUNT ? pki_mesh_collision_words[kind] : "unknown";
}

const char *const pki_shape_words[PK_SHAPE_KIND_COUNT] = {
    [PK_SHAPE_SPHERE] = "sphere",   [PK_SHAPE_BOX] = "box",       [PK_SHAPE_CYLINDER] = "cylinder",
    [PK_SHAPE_CAPSULE] = "capsule", [PK_SHAPE_MESH] = "mesh",     [PK_SHAPE_ELLIPSOID] = "ellipsoid",
    [PK_SHAPE_CONE] = "cone",       [PK_SHAPE_CONVEX] = "convex", [PK_SHAPE_PLANE] = "plane",
    [PK_SHAPE_HEIGHTS] = "heights"};

const char *pk_shape_kind_name(pk_shape_kind kind)
{
  return (unsigned)kind < PK_SHAPE_KIND_COUNT ? pki_shape_words[kind] : "unknown";
}
