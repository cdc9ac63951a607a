/* The same run under several settings, side by side: every combination of the values that are varied, each run into
 * a folder of its own, and one report over all. */
#ifndef PKI_RUN_COMPARE_H
#define PKI_RUN_COMPARE_H

#include "run/run.h"

enum { PKI_VARY_MAX = 8, PKI_VARIANTS_MAX = 1024, PKI_VARIANT_NAME = 160 };

/* What is varied: "controller.forward=0.1,0.2,0.3", taken apart. Commas inside brackets do not count. */
typedef struct pki_vary {
  char *key;
  const char *label; /* its last part, or all of it where two keys end alike */
  char **values;     /* [count] */
  int count;
} pki_vary;

/* One combination and how it went. */
typedef struct pki_variant {
  char name[PKI_VARIANT_NAME];   /* "forward=0.2, gait=trot" */
  char folder[PKI_VARIANT_NAME]; /* its name as that of a folder */
  int choice[PKI_VARY_MAX];      /* which value of each key */
  bool ran;                      /* false: message tells why not */
  bool refused;                  /* its scenario could not be read, or makes no world */
  char message[1024];            /* why it was refused, failed, or stopped early; "" when all is well */
  char warning[640]; /* why its dynamics were generic although code was asked for; "": they were not */
  pki_run_result
      result;   /* without what belongs to its world: peak, model and the words on dynamics are NULL */
  double speed; /* m/s, distance over duration */
  double cost_of_transport; /* NAN: none */
  double peak, peak_limit;  /* of the joint that came nearest to its limit; NAN: no joints */
  char peak_joint[96];
} pki_variant;

typedef struct pki_compare_options {
  const char *scenario;    /* its file */
  const char *const *sets; /* [nset] for all variants */
  int nset;
  const char *const *vary; /* [nvary] "key=a,b,c" */
  int nvary;
  double duration;        /* s; negative: the scenario's */
  const char *folder;     /* gets a folder for each variant, and report.html */
  const atomic_int *stop; /* as in pki_run_options */
  void (*progress)(void *user, double fraction, const char *what);
  /* A variant ran; its world is still there. false ends everything: a file could not be written. */
  bool (*finished)(void *user, int index, const char *folder, const pki_scenario *scenario,
                   const pki_run_result *result);
  void *user;
} pki_compare_options;

/* Start from {0}. */
typedef struct pki_comparison {
  char name[64], description[512]; /* of the scenario; until one was read the name of its file */
  pki_vary *vary;                  /* [nvary] */
  int nvary;
  pki_variant *variants; /* [count], the last key fastest */
  int count;
  int bad;     /* variants that were refused, failed or were stopped */
  int refused; /* of them, those that were refused */
} pki_comparison;

/* The grid of all combinations; a key without values, or one that is given twice, is a failure that names it. */
pk_status pki_compare_plan(const pki_compare_options *options, pki_comparison *out, pk_error *err);

/* Run them and write the report. A variant that is refused or fails is a row with a message; only memory and files
 * that cannot be written end it. When all are refused, the error of the first is returned and nothing
 * is written. */
pk_status pki_compare_run(const pki_compare_options *options, pki_comparison *c, pk_error *err);
void pki_comparison_free(pki_comparison *c);

/* The rows as a table, with or without a column of messages; begins it. */
void pki_compare_table(const pki_comparison *c, bool messages, pki_table *table);

/* --- compare_report.c --- */

/* DIR/report.html from the recordings in the variants' folders. */
pk_status pki_compare_report(const pki_comparison *c, const char *folder, pk_error *err);

#endif
