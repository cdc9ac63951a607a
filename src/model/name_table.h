/* A hash table of names: how the compiler finds what descriptions name, and scenarios what files name. */
#ifndef PKI_MODEL_NAME_TABLE_H
#define PKI_MODEL_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Open addressing; values are indices into `names`. */
typedef struct pki_name_table {
  int *slot; /* -1: empty */
  size_t mask;
  const char *const *names; /* [count] */
  int count;
} pki_name_table;

/* An empty table with room for `count` names; false without memory. free(t->slot) in the end. */
bool pki_name_table_init(pki_name_table *t, const char *const *names, int count);

/* The slot of a name: where it is, or where it would go. */
int *pki_name_table_at(const pki_name_table *t, const char *name);

/* prefix + name, owned by the caller; NULL without memory. prefix NULL: none. */
char *pki_full_name(const char *prefix, const char *name);

/* The name that is nearest to one that is not there, of the first few thousand; NULL: none is near. */
const char *pki_name_table_nearest(const pki_name_table *t, const char *name);

/* Index of prefix + name, -1 when unknown, -2 without memory. */
int pki_name_table_find(const pki_name_table *t, const char *prefix, const char *name);

#endif
