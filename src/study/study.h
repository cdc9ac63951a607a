/* Studies: the tables and figures of a source paper, computed by Pronk and set beside the
 * paper's values. A study is one row of the registry in study.c and a file of its own. */
#ifndef PKI_STUDY_STUDY_H
#define PKI_STUDY_STUDY_H

#include "base/text.h"

typedef enum pki_verdict {
  PKI_VERDICT_NONE,  /* nothing to hold: a machine's speed, a value for comparison */
  PKI_VERDICT_HOLDS, /* agrees with the paper, or is no worse */
  PKI_VERDICT_MISSES,
  PKI_VERDICT_LEFT_OUT /* has a tolerance, but was not measured: the quick form, or an engine that is missing */
} pki_verdict;

/* One value of the paper and Pronk's.
 *
 * A row with a value of the paper is judged, or says why nothing would be fair. It is put, then held by one of the
 * pki_study_hold functions (study_verdict.h), which sets bounds and states them as `tolerance`; the verdict follows from
 * the value, the bounds and the conditions alone, so that another value gets another verdict:
 *
 *   no tolerance               NONE; `why` says why, unless the paper has no value
 *   a tolerance and a `why`    LEFT_OUT
 *   otherwise                  HOLDS when least <= measured <= most and all conditions are met, else MISSES
 */
typedef struct pki_study_row {
  char id[64];      /* stable, for scripts: "table1/single/1e-2/energy" */
  char section[96]; /* heads a group of rows when it changes */
  char what[112];
  double paper;    /* NAN: the paper gives none */
  double measured; /* NAN: not measured; the note says why */
  char unit[32];
  char note[256];
  pki_verdict verdict;
  double least, most;  /* bounds of the value, inclusive; infinite: none on this side */
  bool unmet;          /* a condition beside the value is not met */
  char tolerance[128]; /* what it is held to, in words: "within 25 %" */
  char why[160];       /* why it has no verdict */
} pki_study_row;

typedef struct pki_study_result {
  pki_study_row *rows;
  int nrow;
  bool failed;       /* out of memory for a row */
  pki_text summary;  /* for a terminal: the paper's tables with Pronk's values */
  char report[4096]; /* the HTML file */
} pki_study_result;

typedef struct pki_study_options {
  const char *folder;                                              /* where files go; it exists */
  bool quick;                                                      /* leave out what takes long */
  void (*progress)(void *user, double fraction, const char *what); /* NULL: none */
  void *user;
} pki_study_options;

typedef struct pki_study {
  const char *name, *doc, *source;
  pk_status (*run)(const pki_study_options *options, pki_study_result *result, pk_error *err);
} pki_study;

/* The progress of a study over all its parts; work is counted in a unit that the study chooses. */
typedef struct pki_study_progress {
  const pki_study_options *options;
  double done, all, now; /* work: finished, of all parts, of the part that is under way */
  char what[96];         /* that part, in words */
} pki_study_progress;

/* Receives how much of a part is done, from 0 to 1. */
typedef struct pki_study_watch {
  void (*tell)(void *user, double done);
  void *user;
} pki_study_watch;

/* A part of this much work begins, `what` being set; and ends. */
pki_study_watch pki_study_part_begin(pki_study_progress *progress, double work);
void pki_study_part_end(pki_study_progress *progress);

const pki_study *const *pki_studies(int *count);
const pki_study *pki_study_find(const char *name); /* NULL: none of this name */

/* Append a copy of a row without bounds; NULL, and result->failed, when memory is out. */
pki_study_row *pki_study_add(pki_study_result *result, const pki_study_row *row);

/* The same with the id `group`/`id` and a text; and the note of the last row. A verdict other than NONE is one that the caller
 * has reached; pki_study_require states its tolerance. */
__attribute__((format(printf, 9, 10))) void pki_study_put(pki_study_result *result, const char *section,
                                                          const char *group, const char *id, const char *unit,
                                                          double paper, double measured, pki_verdict verdict,
                                                          const char *what, ...);
__attribute__((format(printf, 2, 3))) void pki_study_note(pki_study_result *result, const char *text, ...);

/* The row of this id, NULL when there is none. */
const pki_study_row *pki_study_get(const pki_study_result *result, const char *id);

void pki_study_free(pki_study_result *result);

#endif
