/* Reading URDF: one load, from bytes to descriptions in a builder.
 *
 *   bytes -> mend (urdf_text.c)    what readers of XML overlook
 *         -> scan (urdf_scan.c)    limits, encoding, no DTD: what a parser must not be fed
 *         -> parse (urdf_xml.c)    libxml2's tree, with lines
 *         -> check (urdf_check.c)  structure against one table of elements (urdf_spec.c)
 *         -> read (urdf.c, urdf_link.c, urdf_joint.c)    values, into the builder
 *         -> meshes (urdf_mesh.c, urdf_path.c)    files inside the allowed folders
 *
 * Everything wrong is reported through the builder's diagnostics; the load goes on to find
 * more, and fails at its end. */
#ifndef PKI_MODEL_URDF_H
#define PKI_MODEL_URDF_H

#include <libxml/hash.h>
#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/builder.h"
#include "model/mesh_collide.h"
#include "model/urdf_path.h"

/* Bounds on what a file may ask for, far above any real robot. */
enum {
  PKI_URDF_MAX_BYTES = 64 << 20,
  PKI_URDF_MAX_NODES = 2000000, /* elements and attributes together */
  PKI_URDF_MAX_ATTRIBUTES = 256,
  PKI_URDF_MAX_NAMES = 4096,      /* different names of elements and attributes */
  PKI_URDF_MAX_NAMESPACES = 1000, /* declarations of name spaces, and xml:id */
  PKI_URDF_MAX_DEPTH = 64
};

/* What the scanner must know about a format written in XML: URDF and MJCF share it. */
typedef struct pki_xml_format {
  const char *name;   /* for messages */
  const char *root;   /* start of a file, for messages */
  int max_depth;      /* of nested elements */
  const char *nested; /* advice for files that are deeper */
  int max_tag;        /* bytes from < to > */
} pki_xml_format;

#define PKI_URDF_TOO_LARGE "the file is larger than 64 MiB"

/* One load under way. */
typedef struct pki_urdf {
  const pki_xml_format *format; /* NULL: URDF */
  pk_builder *b;
  const char *file; /* as the user gave it, for messages */
  const pk_load_options *options;
  pki_urdf_folders folders;   /* where meshes may lie */
  xmlHashTable *materials;    /* name -> colour (xmlNode), first definition */
  xmlHashTable *meshes;       /* uri and scale -> what urdf_mesh.c keeps */
  pki_mesh_collider collider; /* what meshes that collide have become */
  xmlHashTable *joints;       /* name -> <joint> (xmlNode), the first */
  xmlHashTable *remarks;      /* kinds of warnings already given */
  long long ntriangle;        /* of all meshes so far */
  int nerror;
  pk_error first; /* the first error */
} pki_urdf;

/* urdf_text.c: a copy of a file's text, to be freed, without what tolerant readers of XML overlook: NUL bytes, bytes that
 * are not UTF-8 (read as Latin-1), an odd declaration, an empty document type, hyphens in comments. Each is a warning.
 * NULL: an error, reported. */
char *pki_urdf_mend(pki_urdf *u, const char *from, size_t size, size_t *mended);

/* Bytes of the UTF-8 character at `p`, 0 when there is none (RFC 3629). */
int pki_utf8_length(const unsigned char *p, const unsigned char *end);

/* urdf_scan.c: true when the bytes may be parsed; otherwise the error has been reported. */
bool pki_urdf_scan(pki_urdf *u, const char *text, size_t size);

/* urdf_xml.c: the tree, NULL when it is not well formed (reported). */
xmlDoc *pki_urdf_parse(pki_urdf *u, const char *text, size_t size);

/* Remarks at an element; `attribute` NULL: at the element itself; `node` NULL: at the file. Those with _at know only a
 * line. */
__attribute__((format(printf, 5, 6))) void pki_urdf_error(pki_urdf *u, const xmlNode *node,
                                                          const char *attribute, pk_status status,
                                                          const char *format, ...);
__attribute__((format(printf, 5, 6))) void pki_urdf_error_at(pki_urdf *u, int line, const char *field,
                                                             pk_status status, const char *format, ...);

/* A warning: what was found, by a short word, and what was done about it. `status` is that of the error that it is when
 * the file is read strictly. */
__attribute__((format(printf, 6, 7))) void pki_urdf_warn(pki_urdf *u, const xmlNode *node,
                                                         const char *attribute, pk_status status,
                                                         const char *kind, const char *format, ...);
__attribute__((format(printf, 5, 6))) void pki_urdf_warn_at(pki_urdf *u, int line, pk_status status,
                                                            const char *kind, const char *format, ...);

/* True the first time that it is asked about `kind`: `name`. */
bool pki_urdf_first_time(pki_urdf *u, const char *kind, const char *name);

/* A user's text made fit for a message: clipped at a character, control characters replaced. */
typedef struct pki_urdf_quote {
  char text[64];
} pki_urdf_quote;

pki_urdf_quote pki_urdf_quoted(const char *text);

/* Line of an element's start tag; name of an element or attribute with its prefix, if any. */
int pki_urdf_line(const xmlNode *node);
pki_urdf_quote pki_urdf_name(const xmlNode *node);
bool pki_urdf_has_prefix(const xmlNode *node);
bool pki_urdf_is(const xmlNode *node, const char *tag);

/* The next element at or after `node` called `tag` (NULL: any). */
const xmlNode *pki_urdf_next(const xmlNode *node, const char *tag);
const xmlNode *pki_urdf_child(const xmlNode *node, const char *tag);

/* The value of an attribute, NULL when it is missing. */
const char *pki_urdf_value(const xmlNode *node, const char *attribute);

/* urdf_number.c: `count` finite numbers of an attribute into `out`, which stays as it was when the attribute is
 * missing or malformed (the latter is reported). True when they were read. */
bool pki_urdf_numbers(pki_urdf *u, const xmlNode *node, const char *attribute, int count, double *out);

/* The same for one bound, which may be infinite. */
bool pki_urdf_bound(pki_urdf *u, const xmlNode *node, const char *attribute, double *out);

/* urdf_check.c: the structure of a link, joint, material or robot; reports what is wrong. */
void pki_urdf_check(pki_urdf *u, const xmlNode *node);

/* The shape of a <geometry>, the first that it holds; NULL: none. */
const xmlNode *pki_urdf_shape(const xmlNode *geometry);

/* True, and reported, when the document is a macro file that has not been expanded. */
bool pki_urdf_is_macro(pki_urdf *u, const xmlNode *robot);

/* urdf_link.c, urdf_joint.c: one element into the builder. */
pk_pose pki_urdf_origin(pki_urdf *u, const xmlNode *parent);
void pki_urdf_read_link(pki_urdf *u, const xmlNode *node);
void pki_urdf_read_joint(pki_urdf *u, const xmlNode *node);
void pki_urdf_read_materials(pki_urdf *u, const xmlNode *robot);
void pki_urdf_note_joints(pki_urdf *u,
                          const xmlNode *robot); /* so that <mimic> finds those that come later */

/* What becomes of a shape that cannot be had, for messages; loud where a robot would fall through the ground. */
const char *pki_urdf_left_out(bool visual);

/* urdf_mesh.c: the mesh of a <mesh> element, NULL when it cannot be had (reported) or when
 * meshes are not wanted. Valid until pki_urdf_free_meshes. */
const pk_mesh *pki_urdf_load_mesh(pki_urdf *u, const xmlNode *node, bool visual);
void pki_urdf_free_meshes(pki_urdf *u);

#endif
