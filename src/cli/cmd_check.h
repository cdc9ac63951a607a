/* What the parts of `pronk check` share. */
#ifndef PKI_CLI_CMD_CHECK_H
#define PKI_CLI_CMD_CHECK_H

#include "cli/cli.h"
#include "cli/print_json.h"
#include "pronk/builder.h"
#include "scenario/scenario.h"

/* file:line: error: field: message, as compilers write it; `path` where the error names no file. */
void pki_check_remark(const pk_error *e, bool is_error, const char *path);

/* The same with the kind of a warning behind it; "": none. */
void pki_check_remark_kind(const pk_error *e, bool is_error, const char *kind, const char *path);

/* All errors, and the warnings: one of each kind unless `verbose`. */
void pki_check_print_remarks(const pk_builder_diagnostic *all, int count, bool verbose, const char *path);

/* Lines about actuators, battery, sensors and estimator, of a world that was made. */
void pki_check_print_equipment(const pki_scenario *scenario, const pki_world *world);

/* Lines about surfaces that give way, of a world that was made; the same for --json: "compliance", "soft_pairs". */
void pki_check_print_compliance(const pki_scenario *scenario, const pki_world *world);
void pki_check_add_compliance(cJSON *o, const pki_scenario *scenario, const pki_world *world);

/* What contact there is in a world that was made: "hard contact", "compliant surfaces", or both. */
void pki_check_contact(const pki_scenario *scenario, const pki_world *world, char *out, size_t size);

/* Check one scenario; the exit status. */
int pki_check_scenario(const pki_args *args, const char *name);

/* A YAML file that names a scenario is a sweep; checking one. */
bool pki_is_sweep_file(const char *name);
int pki_check_sweep(const pki_args *args, const char *name);

/* Check one gait file. */
int pki_check_gait(const pki_args *args, const char *name);

/* Check one sizing study. */
int pki_check_size(const pki_args *args, const char *name);

/* Check one motor of the catalogue or of a user's own file. */
int pki_check_motor(const pki_args *args, const char *name);

/* The warnings of a scenario on stderr, for commands that continue nevertheless; call it once. With the
 * scenario's world there are also those of a run of `duration` s (below 0: the scenario's duration); without,
 * NULL, those of its text alone, for commands that have many worlds or no end. */
void pki_warn_scenario(const char *command, pki_scenario *scenario, const pki_world *world, double duration);

/* What the scenario's `dynamics` asks for, for a world that `command` steps on so many lanes; on a terminal it says that it takes
 * its time, and it warns where the generic kernels have to do. */
void pki_compile_world(const char *command, pki_world *world, int lanes);

#endif
