/* From nodes to structs, by their field tables. Every key must be in a table, every value of its type and in its
 * range, every required one there; scalars follow YAML 1.2's core schema. */
#ifndef PKI_SCENARIO_READ_H
#define PKI_SCENARIO_READ_H

#include "base/field.h"
#include "scenario/document.h"
#include "scenario/problems.h"

/* A table and the struct that it describes. */
typedef struct pki_binding {
  const pk_field *fields;
  int count;
  void *options;
} pki_binding;

/* Read a mapping by one or more tables. Values that are not given keep what the structs hold; parts
 * (PK_FIELD_PART) are left to the caller. Every key that is wrong is a problem of its own. */
pk_status pki_read_map(const pki_node *map, const pki_binding *bindings, int count, pki_problems *problems);

/* A list of entries that follow one table: an array for free() of structs of `size` bytes that begin with a
 * `const pki_node *`, their entry. A list that is NULL has none. */
pk_status pki_read_entries(const pki_node *list, const pk_field *fields, int nfield, size_t size, void **out,
                           int *count, pki_problems *problems);

/* A list of names, each of 1 to 63 bytes, for free(); `most` 0: any number, else `least` to `most`. */
pk_status pki_read_names(const pki_node *list, int least, int most, char (**out)[64], int *count,
                         pki_problems *problems);

/* One field from a node that may be NULL (not given: untouched). */
pk_status pki_read_field(const pki_node *node, const pk_field *field, void *options, pk_error *err);

/* A number, as a plain scalar. */
pk_status pki_read_real(const pki_node *node, double *out, pk_error *err);

/* One of `count` words: its index. `what` names the thing in messages. */
pk_status pki_read_choice(const pki_node *node, const char *what, const char *text, const char *const *words,
                          int count, int *out, pk_error *err);

/* The node is a list or a mapping, as asked; the second form notes what it finds. */
pk_status pki_read_kind(const pki_node *node, pki_node_kind kind, pk_error *err);
pk_status pki_expect_kind(const pki_node *node, pki_node_kind kind, pki_problems *problems);

/* The failure of a node as a problem, as pki_node_fail would say it. */
__attribute__((format(printf, 3, 4))) pk_status pki_problem(pki_problems *problems, const pki_node *node,
                                                            const char *format, ...);
pk_status pki_problem_memory(pki_problems *problems);

#endif
