/* The file of a sizing study: motions, and for groups of joints the parts that their drives may be made of.
 *
 *   study.yaml -> document (nodes) -> field tables -> pki_size_study -> duty, groups -> pki_sizing
 *
 * It is read as strictly as a scenario, by the same readers; docs/formats/size.md describes it. */
#ifndef PKI_SIZE_SIZE_STUDY_H
#define PKI_SIZE_SIZE_STUDY_H

#include "scenario/scenario.h"
#include "size/duty_source.h"
#include "size/sizing.h"

/* Kinds of sources, in the order of their keys in pki_size_motion. */
typedef enum pki_size_source {
  PKI_SIZE_GAIT,      /* is optimised */
  PKI_SIZE_SCENARIO,  /* is run */
  PKI_SIZE_RECORDING, /* is read */
  PKI_SIZE_MOTION,    /* a table, is read */
  PKI_SIZE_SOURCES
} pki_size_source;
extern const char *const pki_size_source_words[PKI_SIZE_SOURCES];

/* One entry of `motions`; entries of lists begin with their node (pki_read_entries). */
typedef struct pki_size_motion {
  const pki_node *node;
  char source[PKI_SIZE_SOURCES][PKI_PATH_MAX]; /* one of them is given */
  char name[PKI_DUTY_NAME];
  double weight;
  double duration; /* s, of a scenario; 0: its own */
  pki_duty_window window;
} pki_size_motion;

/* One entry of `drives`. */
typedef struct pki_size_entry {
  const pki_node *node;
  char name[PKI_DUTY_NAME];
  bool each; /* every joint has a drive of its own */
} pki_size_entry;

/* One entry of `present`: what of the mass of the model's links is the drive of a joint. */
typedef struct pki_size_present {
  const pki_node *node;
  char joints[PKI_DUTY_NAME]; /* a name or a pattern */
  char motor[PKI_PATH_MAX];   /* whose mass it is; "": `mass` is given */
  double mass;                /* kg */
} pki_size_present;

typedef struct pki_size_study {
  pki_document *document; /* names and nodes point into it */
  char file[PKI_PATH_MAX];
  char name[64], description[512];
  pki_duty_options options;
  pki_size_rank rank;
  bool one_voltage;
  int rounds; /* of the loop in which the robot carries its drives; 0: none */
  pki_size_motion *motions;
  int nmotion;
  pki_size_entry *drives;
  int ndrive;
  pki_size_present *present; /* later entries win */
  int npresent;
} pki_size_study;

/* sizings/, PRONK_SIZINGS. */
extern const pki_yaml_kind pki_size_kind;

/* Read one from text or from a file, with overrides "a.b=c"; with all that is wrong. On failure *out is NULL. */
pk_status pki_size_study_parse(const char *file, const char *text, size_t size, const char *const *sets,
                               int nset, pki_size_study **out, pki_problems *problems);
pk_status pki_size_study_load(const char *path, const char *const *sets, int nset, pki_size_study **out,
                              pki_problems *problems);
void pki_size_study_destroy(pki_size_study *study);

/* A YAML file with one of the keys `motions` and `drives`, at its root, which nothing else has. */
bool pki_is_size_file(const char *path);

/* A table of keys: the mapping's name and what it is. The first is the whole file. False: there are no more. */
bool pki_size_table(int index, pki_schema_table *out);

/* Which source an entry has. */
pki_size_source pki_size_source_of(const pki_size_motion *motion);

/* The drive that a joint of the model has: the last entry of `present` that names it; NULL: none. */
const pki_size_present *pki_size_find_present(const pki_size_study *study, const char *joint);

/* A path from the study's folder; false when it is too long. */
bool pki_size_path(const pki_size_study *study, const char *name, char out[PKI_PATH_MAX]);

/* ---- size_groups.c ---- */

/* Groups with their joints, which the duty must have, and their parts; into the sizing, whose duty is there. */
pk_status pki_size_make_groups(const pki_size_study *study, pki_sizing *sizing, pki_problems *problems);

/* A motor by its name, or by its file's path from the study's folder. */
pk_status pki_size_load_motor(const pki_size_study *study, const char *name, pki_motor_entry *out,
                              pk_error *err);

/* The same without joints: what can be said before there is a duty. */
pk_status pki_size_check_groups(const pki_size_study *study, pki_problems *problems);

#endif
