/* A YAML document as a tree of nodes that remember where they were written.
 *
 * Plain YAML: mappings with words as keys, lists, scalars. Anchors, aliases, tags and several documents in one file
 * are refused, and so are keys that come twice, deep nesting and huge files: what is read is what is written. */
#ifndef PKI_SCENARIO_DOCUMENT_H
#define PKI_SCENARIO_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum {
  PKI_YAML_BYTES = 16 << 20, /* of a file */
  PKI_YAML_NODES = 2000000,  /* of a document */
  PKI_YAML_KEYS = 4096,      /* of a mapping */
  PKI_YAML_DEPTH = 24
};

typedef enum pki_node_kind { PKI_NODE_SCALAR, PKI_NODE_LIST, PKI_NODE_MAP } pki_node_kind;

typedef struct pki_node pki_node;
struct pki_node {
  pki_node_kind kind;
  bool plain;       /* a scalar without quotes: it may be a number, a truth value, nothing */
  int line;         /* 0: an override */
  const char *file; /* or "--set a.b=c" */
  const char *key;  /* in its mapping; NULL elsewhere */
  const char *text; /* of a scalar, else "" */
  pki_node *parent, *first, *last, *next;
  int count; /* of children */
};

typedef struct pki_document pki_document;

/* The document in `size` bytes of text; `file` names it in messages. */
pk_status pki_document_parse(const char *file, const char *text, size_t size, pki_document **out,
                             pk_error *err);
void pki_document_destroy(pki_document *document);
pki_node *pki_document_root(const pki_document *document);

/* "a.b.0.c=value": put `value` (YAML) in the place of what is there. Mappings and lists (where the next word is
 * 0 or +) on the way are made when they are missing; a list grows by the index after its last, or by "+". */
pk_status pki_document_set(pki_document *document, const char *assignment, pk_error *err);

/* A scalar at `node` becomes a mapping with that scalar as the value of `key`. */
pk_status pki_document_wrap(pki_document *document, pki_node *node, const char *key, pk_error *err);

/* The value of a key, NULL: there is none. */
const pki_node *pki_node_find(const pki_node *map, const char *key);

/* "models.0.joints.LF_KFE", "" for the root. */
void pki_node_path(const pki_node *node, char *out, size_t size);

/* "a mapping", "a list", "a value"; empty scalars are "nothing". */
const char *pki_node_what(const pki_node *node);

/* A plain scalar that stands for nothing: empty, ~, null. */
bool pki_node_is_null(const pki_node *node);

/* A failure at a node: its file, line and path. */
__attribute__((format(printf, 4, 5))) pk_status pki_node_fail(const pki_node *node, pk_error *err,
                                                              pk_status status, const char *format, ...);

/* Report a failure of a called function at the node that caused it, after `what` and a colon unless that is "". */
pk_status pki_node_place(pk_status status, const pki_node *node, const char *what, pk_error *err);

#endif
