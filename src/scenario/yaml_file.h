/* YAML files that users write: scenarios, sweeps, motions. */
#ifndef PKI_SCENARIO_YAML_FILE_H
#define PKI_SCENARIO_YAML_FILE_H

#include "scenario/document.h"
#include "scenario/problems.h"

/* The text of a file, for free(); NULL when it cannot be read. */
pk_status pki_yaml_read(const char *path, char **text, size_t *size, pk_error *err);

/* The document in a text, after its overrides (override.h); all that are wrong are told. NULL: there is no document. */
pki_document *pki_yaml_parse(const char *file, const char *text, size_t size, const char *const *sets,
                             int nset, pki_problems *problems);

/* The file is named as YAML files are, and has one of these keys at its root. */
bool pki_yaml_has_key(const char *path, const char *const *keys, int count);

#endif
