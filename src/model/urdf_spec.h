/* The elements of URDF in one table: what each may hold. */
#ifndef PKI_MODEL_URDF_SPEC_H
#define PKI_MODEL_URDF_SPEC_H

#include <stdbool.h>

enum { PKI_URDF_WORDS = 28 };

/* Lists end with NULL. */
typedef struct pki_urdf_spec {
  const char *tag;
  const char *needed[PKI_URDF_WORDS];   /* attributes that must be there, not empty */
  const char *optional[PKI_URDF_WORDS]; /* attributes that may be there */
  const char *one[PKI_URDF_WORDS];      /* children that must be there, once */
  const char *maybe[PKI_URDF_WORDS];    /* children that may be there, once */
  const char *many[PKI_URDF_WORDS];     /* children that may be there any number of times */
  const char
      *ignored[PKI_URDF_WORDS]; /* extensions of other tools that say nothing about the dynamics here */
  bool closed;                  /* one child of those that may be there, of any of them */
} pki_urdf_spec;

/* The row of an element, NULL when URDF has no such element. */
const pki_urdf_spec *pki_urdf_find_spec(const char *tag);

/* Rows in the order of the table, NULL at its end. */
const pki_urdf_spec *pki_urdf_spec_at(int index);

/* Whether a list holds `word`. */
bool pki_urdf_listed(const char *const *list, const char *word);

/* The word of `list` that `word` is a slip of the pen away from: another case, or one edit
 * (insert, delete, replace, swap neighbours) in a word of at least 3 letters, two in one of
 * at least 6. NULL when there is none. */
const char *pki_urdf_misspelt(const char *const *list, const char *word);

#endif
