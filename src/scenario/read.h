/* From nodes to structs, by their field tables. Every key must be in a table, every value of its type and in its
 * range, every required one there; scalars follow YAML 1.2's core schema. */
#ifndef PKI_SCENARIO_READ_H
#define PKI_SCENARIO_READ_H

#include "base/field.h"
#include "scenario/document.h"

/* A table and the struct that it describes. */
typedef struct pki_binding {
  const pk_field *fields;
  int count;
  void *options;
} pki_binding;

/* Read a mapping by one or more tables. Values that are not given keep what the structs hold; parts
 * (PK_FIELD_PART) are left to the caller. */
pk_status pki_read_map(const pki_node *map, const pki_binding *bindings, int count, pk_error *err);

/* One field from a node that may be NULL (not given: untouched). */
pk_status pki_read_field(const pki_node *node, const pk_field *field, void *options, pk_error *err);

/* A number, as a plain scalar. */
pk_status pki_read_real(const pki_node *node, double *out, pk_error *err);

/* One of `count` words: its index. `what` names the thing in messages. */
pk_status pki_read_choice(const pki_node *node, const char *what, const char *text, const char *const *words,
                          int count, int *out, pk_error *err);

/* The node is a list or a mapping, as asked. */
pk_status pki_read_kind(const pki_node *node, pki_node_kind kind, pk_error *err);

#endif
