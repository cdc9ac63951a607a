/* The three parts of the COLLADA reader: XML (mesh_dae_xml.c), one geometry (mesh_dae_geometry.c),
 * the scene that places geometries (mesh_dae.c). */
#ifndef PKI_MODEL_MESH_DAE_H
#define PKI_MODEL_MESH_DAE_H

#include <libxml/tree.h>

#include "model/mesh_internal.h"

/* ---- XML ---- */

/* Parse within bounds: no document type, no entities, no network, limited depth and tags. The
 * caller frees the document. */
pk_status pki_dae_parse(const pki_mesh_input *in, xmlDoc **out);

/* Whether a node is the element `name`, whatever its namespace. */
bool pki_dae_is(const xmlNode *node, const char *name);

/* The first child element of that name, and the next sibling element of that name; NULL: none. */
const xmlNode *pki_dae_child(const xmlNode *node, const char *name);
const xmlNode *pki_dae_next(const xmlNode *node, const char *name);

/* An attribute's value, NULL when there is none. */
const char *pki_dae_attribute(const xmlNode *node, const char *name);

/* An attribute that counts something (0 .. INT_MAX); `preset` < 0 makes it required. */
pk_status pki_dae_count(const pki_mesh_input *in, const xmlNode *node, const char *name, int preset,
                        int *out);

/* A reference "#id" to something in the same file; the id alone. */
pk_status pki_dae_reference(const pki_mesh_input *in, const xmlNode *node, const char *name, const char **id);

/* The place of an element, for messages. */
pki_where pki_dae_where(const pki_mesh_input *in, const xmlNode *node);

/* The numbers in an element, read one after the other. */
typedef struct pki_dae_text {
  const pki_mesh_input *in;
  const xmlNode *node;
  xmlChar *content; /* owned */
  const char *p, *end;
} pki_dae_text;

pk_status pki_dae_text_open(const pki_mesh_input *in, const xmlNode *node, pki_dae_text *out);
void pki_dae_text_close(pki_dae_text *text);
bool pki_dae_text_more(pki_dae_text *text);                   /* something other than blanks follows */
pk_status pki_dae_text_real(pki_dae_text *text, double *out); /* finite */
pk_status pki_dae_text_int(pki_dae_text *text, long *out);

/* ---- geometry ---- */

/* The triangles of one <geometry>, in its own coordinates and units. */
typedef struct pki_dae_geometry {
  double *point; /* [npoint][3] */
  int npoint;
  int *corner; /* [ntriangle][3] indices of points */
  size_t ntriangle, corner_room;
} pki_dae_geometry;

pk_status pki_dae_geometry_read(const pki_mesh_input *in, const xmlNode *node, pki_dae_geometry *out);
void pki_dae_geometry_free(pki_dae_geometry *geometry);

#endif
