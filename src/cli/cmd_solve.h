/* What the parts of pronk solve share: contact problems (cmd_solve.c), complementarity problems (cmd_solve_lcp.c), and what was found
 * (solve_impulses.c). */
#ifndef PKI_CLI_CMD_SOLVE_H
#define PKI_CLI_CMD_SOLVE_H

#include <cjson/cJSON.h>

#include "cli/cli.h"
#include "pronk/contact.h"
#include "pronk/lcp.h"
#include "report/table.h"

/* Where impulses go: nowhere, beside the results, or into a file. */
typedef struct pki_solve_sink {
  bool wanted;
  const char *path; /* NULL: beside the results */
  pki_text text;    /* for the file */
} pki_solve_sink;

/* Impulses and velocities of a contact problem. */
typedef struct pki_found {
  const pk_contact_problem *p;
  int dimension;       /* of the contacts in the file: those of the plane have no second tangent */
  const double *r, *u; /* [size] */
} pki_found;

/* As tables; and as the member `found` of an object. */
void pki_found_text(const pki_found *found, pki_text *out);
void pki_found_json(const pki_found *found, cJSON *object);

/* z and w [n] of a complementarity problem as a table. */
void pki_found_lcp_text(const double *z, const double *w, int n, pki_text *out);

/* Print a text, or keep it for the file, there with the names of problem and solver; it is freed. False after a complaint. */
bool pki_sink_put(pki_solve_sink *sink, const char *file, const char *solver, pki_text *text);

/* An object as a line of the file; it is deleted. False after a complaint. */
bool pki_sink_put_json(pki_solve_sink *sink, cJSON *json);

/* Write the file, if there is one to write; the exit status. */
int pki_sink_save(pki_solve_sink *sink);

/* One file, after an empty line with `gap`; the exit status. */
int pki_solve_lcp(const pki_args *args, const char *path, const pk_lcp_options *options, pki_solve_sink *sink,
                  bool gap);

/* cmd_solve_stance.c: joint angles and forces of a robot whose feet stand somewhere; the exit status. */
int pki_solve_stance(const pki_args *args);

/* A table of solvers, which is freed; false when there was no memory for it. */
bool pki_solve_print(pki_table *table);

#endif
