/* Writing a model: what the writers of all formats share.
 *
 * Writers work on the descriptions of a builder, not on the compiled model: links that fixed joints weld together, names,
 * axes as they were given and inertias of single links are there alone. The builder has compiled, so that every name
 * is known and every value sound; the tree of names is drafted again (compile.h).
 *
 * Everything is written into memory first. Files are made when it is known that nothing is lost, or may be. */
#ifndef PKI_MODEL_CONVERT_WRITER_H
#define PKI_MODEL_CONVERT_WRITER_H

#include "base/folders.h"
#include "base/text.h"
#include "model/compile.h"
#include "pronk/convert.h"

enum { PKI_LOSSES_MAX = 64, PKI_LOSS_NAME = 64 };

/* What a format cannot hold: a sentence, how often, and whose it was the first time. */
typedef struct pki_loss {
  const char *what;
  int count;
  char first[PKI_LOSS_NAME];
} pki_loss;

/* A mesh's file: its name in the XML, "" while no shape needs it, and its bytes; `there`: the disk has it already. */
typedef struct pki_mesh_file {
  char name[160];
  pki_text bytes;
  bool there;
} pki_mesh_file;

typedef struct pki_writer {
  pk_builder *b;
  const pk_model *model; /* compiled, no joint cut */
  pki_draft *tree;       /* names with prefixes, order of links, joint of each link */
  const pk_write_options *options;
  const char *path;
  pki_text text;
  pki_loss losses[PKI_LOSSES_MAX];
  int nloss;
  pki_mesh_file *meshes; /* [nmesh] */
  int *shape_first;      /* [nlink] the shapes of a link in their order, -1: none */
  int *shape_next;       /* [nshape] */
  int *link_depth;       /* [nlink] of MJCF: how deep its body stands */
  bool *shape_named;     /* [nshape] of MJCF: no other shape has its name */
  pk_inertia *inertia;   /* [nlink] of MJCF */
  bool grouped;          /* some shape has groups of its own */
  pk_status status;      /* what cannot be written at all */
  pk_error error;
} pki_writer;

/* Something is lost: `what` is a constant sentence, `whose` a name. */
void pki_write_lose(pki_writer *w, const char *what, const char *whose);

/* The first reason why the model cannot be written in this format. */
__attribute__((format(printf, 2, 3))) void pki_write_refuse(pki_writer *w, const char *format, ...);

/* The formats, into w->text. */
void pki_write_urdf(pki_writer *w);
void pki_write_mjcf(pki_writer *w);

/* ---- pieces of XML ---- */

/* A blank, the attribute and its numbers; a text, escaped. */
void pki_xml_reals(pki_text *text, const char *attribute, const double *values, int count);
void pki_xml_text(pki_text *text, const char *attribute, const char *value);
void pki_xml_indent(pki_text *text, int depth);

/* Roll, pitch, yaw whose rotation is the same to the bit where there are such numbers, in few digits. */
void pki_exact_rpy(const double rot[9], double rpy[3]);

bool pki_is_zero(const double *values, int count);
bool pki_is_identity(const double rot[9]);

/* ---- meshes ---- */

/* The file of a mesh, relative to the output's folder; "" without memory. */
const char *pki_write_mesh(pki_writer *w, int mesh);

/* Put the files in place; count those that are used. */
pk_status pki_save_meshes(const pki_writer *w, pk_error *err);
int pki_count_mesh_files(const pki_writer *w);
void pki_free_meshes(pki_writer *w);

#endif
