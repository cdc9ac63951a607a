/* What this program was built with: files that must come from the same build say so. */
#ifndef PKI_BASE_BUILD_H
#define PKI_BASE_BUILD_H

/* "clang 14.0.6" */
const char *pki_build_compiler(void);

#endif
