/* The elements of MJCF in one table: what each may hold. */
#ifndef PKI_MODEL_MJCF_SPEC_H
#define PKI_MODEL_MJCF_SPEC_H

#include <stdbool.h>
#include <stddef.h>

/* An element in its place. `name` is the tag, or IN:TAG where the same tag means something else elsewhere.
 *
 * attributes: words separated by blanks, each a name followed by
 *   &   it is a name, or refers to one: <attach> and <replicate> change it
 *   ^   not in a default class
 *   !   it must be there
 *   and by what its value is: :3 three reals, :1-3 one to three, :* any number; #1 #2 #* the same for integers;
 *   =a|b one of these words; nothing: any text. @WORD stands for the attributes of that group.
 * children: names of rows, each followed by ? (at most one) or nothing (any number).
 * Both may be *: what is in there is not looked at. */
typedef struct pki_mjcf_row {
  const char *name;
  const char *attributes;
  const char *children;
} pki_mjcf_row;

/* The row of <mujoco>. */
const pki_mjcf_row *pki_mjcf_root_row(void);

/* One child of a row. */
typedef struct pki_mjcf_child {
  const pki_mjcf_row *row;
  const char *tag; /* `length` bytes of it */
  size_t length;
  bool once;
} pki_mjcf_child;

/* Step over the next child of a row; false at the end. Start with a cursor of NULL. */
bool pki_mjcf_next_child(const pki_mjcf_row *row, const char **cursor, pki_mjcf_child *out);
bool pki_mjcf_find_child(const pki_mjcf_row *row, const char *tag, pki_mjcf_child *out);

/* One word of a list of attributes, taken apart. */
typedef struct pki_mjcf_word {
  const char *name;
  size_t length;
  bool is_name, not_default, needed;
  char type;         /* ':' '#' '=' or 0 */
  int least, most;   /* of numbers; most < 0: any */
  const char *words; /* behind '=', up to a blank */
} pki_mjcf_word;

/* Step over the next attribute of a row, groups included; false at the end. Start with a cursor of zeros. */
typedef struct pki_mjcf_cursor {
  const char *at[4];
  int depth;
} pki_mjcf_cursor;

bool pki_mjcf_next_word(const pki_mjcf_row *row, pki_mjcf_cursor *cursor, pki_mjcf_word *out);
bool pki_mjcf_find_word(const pki_mjcf_row *row, const char *name, pki_mjcf_word *out);

/* Rows in the order of the table, NULL at its end. */
const pki_mjcf_row *pki_mjcf_row_at(int index);

#endif
