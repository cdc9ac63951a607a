/* scene.json: what a world looks like. The recording carries it, the report and the viewer draw it; docs/formats/scene.md
 * describes it. What moves is drawn at the poses of the channel `bodies`. */
#ifndef PKI_RECORD_SCENE_H
#define PKI_RECORD_SCENE_H

#include "base/text.h"
#include "pronk/model.h"
#include "pronk/terrain.h"

typedef struct pki_scene_source {
  const char *name;
  const pk_model *world;        /* that is stepped: robots, bodies, shapes */
  const pk_model *joints;       /* the same in joint coordinates: joints and their columns */
  const pk_terrain *terrain;    /* NULL: none */
  const char *const *materials; /* [nmaterial] names of what the terrain is made of */
  const double *frictions;      /* [nmaterial] */
  int nmaterial;
  double dt;       /* s */
  const int *feet; /* [nfoot] links of `joints` */
  int nfoot;
} pki_scene_source;

/* Append the scene to `out`, one JSON object. A terrain of heights becomes a mesh. */
pk_status pki_scene_json(const pki_scene_source *source, pki_text *out, pk_error *err);

/* The name of a joint's coordinate, as in the columns of a recording: that of the joint, with .0, .1, ... when it has
 * several. */
void pki_joint_column(const pk_model *joints, int dof, char *out, size_t size);

/* Floats and 32-bit integers, little endian, as base64 in quotes. */
pk_status pki_text_add_floats(pki_text *out, const double *values, size_t count, pk_error *err);
pk_status pki_text_add_integers(pki_text *out, const int *values, size_t count, pk_error *err);

#endif
