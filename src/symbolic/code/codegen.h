/* What the files of generated code are written from. */
#ifndef PKI_SYMBOLIC_CODE_CODEGEN_H
#define PKI_SYMBOLIC_CODE_CODEGEN_H

#include "base/field.h"
#include "base/text.h"
#include "pronk/codegen.h"
#include "symbolic/emit/emit.h"
#include "symbolic/robot/robot.h"

/* The one table of the options. */
const pk_field *pki_codegen_fields(int *count);

typedef struct pki_codegen_unit {
  pki_graph *g;
  pki_function f;
  pki_emit_info emitted;
} pki_codegen_unit;

enum { PKI_CODEGEN_NAME = 128 };

/* A name out of somebody's file as it may stand in comments of C and CMake and in Markdown: letters, digits, blanks and a few
 * signs stay, of which no comment, string or command can be made; whatever else is _. As far as it fits; returns out. */
const char *pki_codegen_plain(const char *name, char out[PKI_CODEGEN_NAME]);

typedef struct pki_codegen {
  const pk_model *m;
  char robot[PKI_CODEGEN_NAME]; /* its name, plain */
  char name[49], capitals[49];
  unsigned free; /* PKI_FREE_... */
  int states;
  int count;
  pki_codegen_unit units[PK_CODEGEN_FUNCTIONS];
  bool apart; /* a file for each function */
} pki_codegen;

/* The files' texts. */
void pki_codegen_header(const pki_codegen *c, pki_text *text);
void pki_codegen_cmake(const pki_codegen *c, pki_text *text);
void pki_codegen_readme(const pki_codegen *c, pki_text *text);

/* The self-test, with values from the generic kernels; false: out of memory. */
bool pki_codegen_test(const pki_codegen *c, pki_text *text);

#endif
