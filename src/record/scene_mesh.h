/* Meshes of a scene: those of the model, hulls, and ground that is drawn as a mesh. */
#ifndef PKI_RECORD_SCENE_MESH_H
#define PKI_RECORD_SCENE_MESH_H

#include "record/scene.h"

/* Which mesh of the file draws what. */
typedef struct pki_scene_meshes {
  int *shape; /* [nshape] of the model, -1: none */
  int *solid; /* [nsolid] of the ground, -1: none */
} pki_scene_meshes;

/* Append the list "meshes"; equal ones are written once. `out` is freed by pki_scene_meshes_free in any case. */
pk_status pki_scene_add_meshes(pki_text *text, const pki_scene_source *source, pki_scene_meshes *out,
                               pk_error *err);
void pki_scene_meshes_free(pki_scene_meshes *m);

#endif
