/* Words for kinds of roots, shapes, constraints and collision meshes: those of pk_..._name, for tables of fields. */
#ifndef PKI_MODEL_KIND_WORDS_H
#define PKI_MODEL_KIND_WORDS_H

#include "pronk/model.h"

extern const char *const pki_root_words[PK_ROOT_KIND_COUNT];
extern const char *const pki_shape_words[PK_SHAPE_KIND_COUNT];
extern const char *const pki_constraint_words[PK_CONSTRAINT_KIND_COUNT];
extern const char *const pki_mesh_collision_words[PK_MESH_COLLISION_COUNT];

#endif
