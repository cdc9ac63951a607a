/* The largest stable step of a scenario: steps are doubled until a run is unstable, then the interval between the last that
 * was stable and the first that was not is halved (Shepherd, Zapolsky and Drumwright).
 *
 * Instability is defined against a reference run at a small step. A run is unstable when
 *
 *   failed   a step failed or a value became infinite,
 *   fell     its robot fell and that of the reference did not,
 *   speed    its largest joint speed is above  factor (v + 0.1 rad/s or m/s), v that of the reference,
 *   energy   its largest kinetic energy is above  factor^2 (E + m (0.1 m/s)^2 / 2), E that of the reference and m the mass,
 *   error    its mean tracking error (run/tracking_error.h) is above a bound that is given.
 *
 * Stability may come back at larger steps, as where sampling meets a motion's period: what is found is the end of the first
 * stable interval as far as doubling sees it. */
#ifndef PKI_TUNE_STEP_LIMIT_H
#define PKI_TUNE_STEP_LIMIT_H

#include <stdatomic.h>

#include "run/run.h"

typedef struct pki_step_trial pki_step_trial;

typedef struct pki_step_limit_options {
  double from;      /* s, the first step */
  double cap;       /* s, the largest one that is tried */
  double reference; /* s, of the reference run; 0: half of `from` */
  double tolerance; /* relative: when halving ends */
  double factor;    /* on speeds; its square on energies */
  double error;     /* rad or m, largest mean tracking error; INFINITY: any */
  double duration;  /* s; negative: the scenario's */
  const atomic_int *stop;
  void (*progress)(void *user, double fraction, const char *what); /* NULL: none */
  void (*tried)(void *user, const pki_step_trial *trial);          /* after each run, in order; NULL */
  void *user;
} pki_step_limit_options;

typedef enum pki_instability {
  PKI_STABLE,
  PKI_UNSTABLE_FAILED,
  PKI_UNSTABLE_FELL,
  PKI_UNSTABLE_SPEED,
  PKI_UNSTABLE_ENERGY,
  PKI_UNSTABLE_ERROR,
  PKI_INSTABILITIES
} pki_instability;
extern const char *const pki_instability_words[PKI_INSTABILITIES]; /* "stable", "failed", ... */

/* One run. One that is unstable ends where that shows. */
struct pki_step_trial {
  double dt;
  bool reference;
  pki_instability verdict;
  double speed;      /* rad/s or m/s, largest of a joint */
  double kinetic;    /* J, largest */
  double error;      /* rad or m, mean tracking error; NAN: no references */
  double error_most; /* likewise, the largest */
  double slip;       /* m, that feet slid */
  double wall;       /* s of computing */
  double duration;   /* s simulated */
  long long steps, uncertified;
  char message[320]; /* why it failed */
};

enum { PKI_STEP_TRIALS = 128 };

typedef struct pki_step_limit {
  pki_step_trial
      trials[PKI_STEP_TRIALS]; /* [count] the reference first, then in the order in which they ran */
  int count;
  double stable;     /* s, the largest step that was; 0: none */
  double unstable;   /* s, the smallest one that was not, above it; INFINITY: the cap is stable */
  bool follows_step; /* the scenario's controller has a period, in whose place it acts in each step */
  bool interrupted;
} pki_step_limit;

/* The scenario as it was read, with its overrides. PK_OK also when it was interrupted, or unstable from the start; PK_ERROR_ARGUMENT
 * when it is refused at some step: `err` says at which. */
pk_status pki_step_limit_find(const pki_scenario *scenario, const pki_step_limit_options *options,
                              pki_step_limit *out, pk_error *err);

/* The runs as a table; begins it. */
void pki_step_limit_table(const pki_step_limit *limit, pki_table *table);
void pki_step_limit_cells(const pki_step_trial *trial, char cells[8][64]); /* one row of it */

pk_status pki_step_limit_report(const pki_scenario *scenario, const pki_step_limit_options *options,
                                const pki_step_limit *limit, const char *path, pk_error *err);

#endif
