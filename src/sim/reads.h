/* Which options a world reads.
 *
 * Steppers, contact schemes, laws of contact and solvers are rows, and each row has the words of the options and of the
 * numbers of materials that it reads. An option that some rows of a registry name is read by those rows alone; one that
 * no row of it names is not that registry's business. A world reads an option when the row that it has of each registry
 * does. So that the table of options (`pronk list options`, docs/formats/scenario.md), the refusals and the warnings
 * follow from the rows, and say the same.
 *
 * What motion itself would miss is refused (pki_reads_refused): dry friction of joints under a stepper that integrates
 * forces alone, restitution and viscous friction under a law that has none, rows that are to follow the motion. A joint
 * limit is refused by such a stepper when it is reached (pki_smooth_check_limits). Other options that nobody reads are told
 * (pk_sim_ignored). */
#ifndef PKI_SIM_READS_H
#define PKI_SIM_READS_H

#include "step/world.h"

/* A contact scheme's row. */
typedef struct pki_contact_scheme {
  /* `former`: the name that it had before, NULL: no other. */
  const char *name, *former;
  /* Words of options that it reads; NULL: none. */
  const char *reads;
} pki_contact_scheme;

/* By pk_contact_scheme; ends with NULL. */
extern const pki_contact_scheme *const pki_contact_schemes[];

/* A registry whose rows have words of what they read. */
typedef struct pki_readers {
  /* One of its rows ("stepper"), and several. */
  const char *what, *plural;
  /* Its rows, up to NULL. */
  const void *registry;
  /* Where in a row the words are. */
  size_t words;
  /* The row of these options; `soft`: the world has compliant surfaces. */
  int (*chosen)(const pk_sim_options *options, bool soft);
  /* The option that turns its rows off where nobody reads that one; NULL: they always count. */
  const char *with;
} pki_readers;

/* All of them, up to one without a name. */
extern const pki_readers pki_all_readers[];

/* Whether a row of a registry reads an option, and whether any does. */
bool pki_row_reads(const pki_readers *readers, int row, const char *option);
bool pki_any_row_reads(const pki_readers *readers, const char *option);

/* The first registry whose row of these options does not read an option; NULL: it is read. */
const pki_readers *pki_unread_by(const pk_sim_options *options, bool soft, const char *option);

/* Whether it is an error to ask for an option that nobody reads. */
bool pki_reads_refused(const char *option);

/* What becomes of an option where nobody reads it: "refused", "warned"; "" where all read it. */
const char *pki_reads_fate(const char *option);

/* "steppers euler, moreau; laws compliant, penalty", "all": who reads an option. */
void pki_tell_readers(const char *option, char *out, size_t size);

/* Error: `asked` ("viscous is 0.4") is what the row of these options does not read; the message says who does. */
pk_status pki_fail_unread(const pki_readers *readers, const pk_sim_options *options, const char *option,
                          const char *asked, pk_status status, pk_error *err);

/* The dry friction of joints and actuators is read, or left out by the options. */
pk_status pki_check_friction_read(const pk_model *model, const pk_sim_options *options, pk_error *err);

/* The numbers of a material that are not zero are read. */
pk_status pki_check_material_read(const pk_sim_options *options, const pk_material *material, pk_error *err);

#endif
