/* Files that a scenario names: they are found from its folder, and what they hold is part of its hash. */
#ifndef PKI_SCENARIO_FILES_H
#define PKI_SCENARIO_FILES_H

#include "model/mesh.h"
#include "scenario/scenario.h"

/* The path of `file`, which the value at `node` names. It must be a file; if it is not, the nearest name is told. */
pk_status pki_scenario_find_file(const pki_scenario *s, const pki_node *node, const char *file,
                                 char path[PKI_PATH_MAX], pk_error *err);

/* What is wrong on a line of a file stays there; all else is told at `node`, where the file was asked for. */
pk_status pki_scenario_place_file(pk_status status, const pki_node *node, const char *file, pk_error *err);

/* A mesh from a file, its lengths times `scale`; to be freed also on failure. */
pk_status pki_scenario_load_mesh(const pki_scenario *s, const pki_node *node, const char *file, double scale,
                                 pki_mesh *out, pk_error *err);

/* The bytes of a file into the scenario's hash. One that cannot be read is told where it is used. */
void pki_scenario_hash_file(pki_scenario *s, const char *file);

#endif
