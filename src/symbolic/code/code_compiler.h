/* The system's C compiler: gcc or clang, run with an argument vector and never through a shell. */
#ifndef PKI_SYMBOLIC_CODE_CODE_COMPILER_H
#define PKI_SYMBOLIC_CODE_CODE_COMPILER_H

#include "base/folders.h"
#include "base/text.h"

enum { PKI_COMPILER_WORDS = 8, PKI_COMPILER_ARGUMENTS = 32 };

typedef struct pki_compiler {
  char path[PKI_PATH_MAX];         /* from the root, wherever it is run */
  char text[512];                  /* words after it, cut apart by NULs */
  char *words[PKI_COMPILER_WORDS]; /* [nword] where they begin */
  int nword;
  char version[256]; /* "gcc 12.2.0" */
  bool is_clang;
} pki_compiler;

/* The named one; NULL: $PRONK_CC, else the first that is there of $CC, clang, cc, gcc. PK_ERROR_UNSUPPORTED: there is none,
 * or it is neither gcc nor clang. */
pk_status pki_compiler_find(const char *name, pki_compiler *out, pk_error *err);

/* All arguments for code of so many lanes, from the source on stdin to `output`; NULL at the end. `define` is scratch. */
void pki_compiler_arguments(const pki_compiler *c, int lanes, const char *output, char define[32],
                            const char *arguments[PKI_COMPILER_ARGUMENTS]);

/* Source to a shared object, the file `output` in an open folder, in which the compiler runs. */
pk_status pki_compile(const pki_compiler *c, int lanes, const pki_text *source, int folder,
                      const char *output, pk_error *err);

/* What of the processor decides which instructions are chosen for it. */
void pki_compiler_add_processor(pki_text *out);

#endif
