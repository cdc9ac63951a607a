/* The study of solvers: every contact solver and every LCP solver on the problems of running scenarios.
 *
 *   solvers.c          scenarios, the order of work, the study
 *   solvers_problem.c  a problem taken from a running world, and what kind it is
 *   solvers_linear.c   its friction made linear: LCPs
 *   solvers_try.c      the entrants, and one try
 *   solvers_figures.c  shares, quantiles, profiles, winners
 *   solvers_rows.c     rows
 *   solvers_plots.c    figures
 *   solvers_report.c   tables, the report
 *
 * After Drumwright and Shell (IROS 2012), who put LCP solvers to random contact problems and counted how often they
 * solve, how long they take and how far the normal law is broken. Here the problems are those that simulations meet:
 * an observer (step/world.h) is shown every k-th step's problem of velocities before the world's own solver sees it. Every
 * entrant then solves it from zero (cold) and from the last step's impulses (warm), to the scenario's tolerance,
 * within its iterations. No solver's word is taken: impulses are certified anew, by pk_contact_certify and pk_lcp_certify.
 * docs/studies/solvers.md has the rest. */
#ifndef PKI_STUDY_SOLVERS_SOLVERS_H
#define PKI_STUDY_SOLVERS_SOLVERS_H

#include "pronk/lcp.h"
#include "scenario/scenario.h"
#include "study/study.h"

/* --- a problem ------------------------------------------------------------------------- */

/* A copy that outlives the step, and room for the next one. Start from {0}. */
typedef struct pki_solvers_problem {
  pk_contact_problem p; /* with W, where it has up to PKI_DENSE_ROWS rows, and its factor */
  pk_contact_factor factor;
  double *guess;           /* [size] the last step's impulses */
  double *scratch, *other; /* [size] */
  bool had_factor;         /* the world's solver sees the factor too */
  double tolerance;        /* of the scenario */
  int max_iterations;
  void *memory;
  size_t room;
  bool failed; /* out of memory */
} pki_solvers_problem;

/* Copy; false when memory is out. */
bool pki_solvers_take(pki_solvers_problem *to, const pk_contact_problem *p, const double *guess);
void pki_solvers_problem_free(pki_solvers_problem *problem);

/* What kind of problem it is. */
typedef struct pki_solvers_kind {
  int scenario, contacts, rows;
  int excess;    /* rows of contacts - rank of their W: how many impulses the velocities do not fix */
  bool slides;   /* a contact that carries slides in the solution */
  double spread; /* largest over smallest pivot of their W, those that are zero left out; NAN: not known */
} pki_solvers_kind;

/* Rank of the symmetric semidefinite matrix A [n][n], which is destroyed, by Cholesky's method with pivots; the largest
 * over the smallest pivot is about its condition on its range. */
int pki_solvers_rank(double *A, int n, double *spread);

/* Excess and spread; of problems without W only what the lengths say. False: memory is out. */
bool pki_solvers_measure(const pk_contact_problem *p, pki_solvers_kind *kind);

/* From a solution r; u [size] is scratch. */
bool pki_solvers_slides(const pk_contact_problem *p, const double *r, double *u);

/* --- linear friction ------------------------------------------------------------------- */

/* How Coulomb's disc is made linear. */
typedef enum pki_linear_form {
  PKI_LINEAR_BOX,      /* |r_1| <= mu r_N, |r_2| <= mu r_N: friction rows (findex) */
  PKI_LINEAR_PYRAMID4, /* Stewart and Trinkle 1996 with 4 or 8 directions */
  PKI_LINEAR_PYRAMID8,
  PKI_LINEAR_FORMS
} pki_linear_form;

extern const char *const pki_linear_names[PKI_LINEAR_FORMS];

/* Start from {0}. */
typedef struct pki_linear {
  pk_lcp lcp;
  pki_linear_form form;
  double *z, *w; /* [n] */
  void *memory;
} pki_linear;

/* Rows that the LCP has. */
int pki_linear_size(const pk_contact_problem *p, pki_linear_form form);

/* Make it; the problem must have W. False when memory is out. */
bool pki_linear_create(pki_linear *out, const pk_contact_problem *p, pki_linear_form form);
void pki_linear_free(pki_linear *linear);

/* z to impulses r [size]; and impulses to the z of a box, where pgs begins. */
void pki_linear_impulses(const pki_linear *linear, const pk_contact_problem *p, double *r);
void pki_linear_guess(pki_linear *linear, const pk_contact_problem *p, const double *r);

/* --- tries ----------------------------------------------------------------------------- */

typedef struct pki_entrant_solver {
  char name[32];        /* "bgs-u", "lemke pyramid-4" */
  bool linear;          /* an LCP solver */
  pk_solver solver;     /* else */
  pk_lcp_solver lcp;    /* with */
  pki_linear_form form; /* this form */
  bool warm;            /* it can begin somewhere */
} pki_entrant_solver;

enum {
  PKI_SOLVERS_LCP = 7, /* LCP solvers times the forms that they read */
  PKI_SOLVERS = PK_SOLVER_COUNT + PKI_SOLVERS_LCP,
  PKI_LCP_ROWS = 120 /* larger ones are not tried */
};

enum { PKI_COLD, PKI_WARM, PKI_STARTS };

/* The entrants, [PKI_SOLVERS]: contact solvers in the order of pk_solver, then the LCP solvers. */
void pki_solvers_entrants(pki_entrant_solver out[PKI_SOLVERS]);

typedef struct pki_solver_result {
  bool tried;
  bool claims; /* the solver says that it is solved */
  bool solved; /* its certificate holds: of LCP solvers, that of the linear problem */
  int iterations;
  double time;     /* s */
  double residual; /* relative, of Coulomb's law on the disc */
  double normal;   /* m/s, largest error of the normal law */
  double own;      /* relative residual of what was solved; for contact solvers the same as residual */
} pki_solver_result;

/* One try; false when memory is out. The impulses stay in problem->other. */
bool pki_solvers_try(pki_solvers_problem *problem, const pki_entrant_solver *entrant, int start,
                     pki_solver_result *out);

/* --- all of them ----------------------------------------------------------------------- */

typedef struct pki_solvers_record {
  pki_solvers_kind kind;
  pki_solver_result tries[PKI_STARTS][PKI_SOLVERS];
} pki_solvers_record;

enum { PKI_SOLVERS_SIZES = 5, PKI_SOLVERS_CLASSES = 4 * PKI_SOLVERS_SIZES, PKI_SOLVERS_SCENARIOS = 11 };

typedef struct pki_solvers_data {
  bool quick;
  const char *folder; /* problems that auto does not solve go there; NULL: nowhere */
  pki_entrant_solver entrants[PKI_SOLVERS];
  pki_solvers_record *records;
  int n, room;
  int trivial; /* problems that zero impulses solve: left out */
  int saved;
  int per_scenario[PKI_SOLVERS_SCENARIOS];
  double masses[PKI_SOLVERS_SCENARIOS]; /* heaviest over lightest body that moves */
} pki_solvers_data;

typedef struct pki_solvers_scenario {
  const char *name, *doc;
  const char *sets[2]; /* NULL: no more */
  double duration;     /* s */
  int every, quick;    /* steps from one problem to the next; problems in a quick run, 0: none */
} pki_solvers_scenario;

extern const pki_solvers_scenario pki_solvers_scenarios[PKI_SOLVERS_SCENARIOS];

/* --- figures --------------------------------------------------------------------------- */

/* Of one entrant over the problems that it tried. */
typedef struct pki_solvers_score {
  int tried, solved;
  int denied;                    /* claims that the certificate denies */
  double iterations[2], time[2]; /* median and 90 %, of all tries; s */
  double mean;                   /* s, of all tries */
  double residual[2], normal[2]; /* median and largest */
  double own;                    /* largest of those solved */
} pki_solvers_score;

/* Over the records whose class is `class`, -1: all. NAN: nothing was tried. */
pki_solvers_score pki_solvers_score_of(const pki_solvers_data *d, int start, int entrant, int class);

/* The least value that a share of them does not exceed, NAN of none; values are put in order. */
double pki_solvers_quantile(double *values, int n, double share);

/* Which class a problem is in, and its name. */
int pki_solvers_class(const pki_solvers_kind *kind);
void pki_solvers_class_name(int class, char *out, size_t size);
int pki_solvers_class_count(const pki_solvers_data *d, int class);

/* The contact solver to pick: of those that solve the most of the class, the one with the least mean time. -1: none. */
int pki_solvers_winner(const pki_solvers_data *d, int start, int class);

/* Dolan and More 2002: the share of problems that the entrant solves within tau times the time of the fastest contact
 * solver that solves them. */
double pki_solvers_profile(const pki_solvers_data *d, int start, int entrant, double tau);

/* The share of problems that it brings to a relative residual of at most `residual`, of those that it tried. */
double pki_solvers_reached(const pki_solvers_data *d, int start, int entrant, double residual);

/* --- what it leaves -------------------------------------------------------------------- */

void pki_solvers_rows(const pki_solvers_data *d, pki_study_result *result);
pk_status pki_solvers_report(const pki_solvers_data *d, const pki_study_options *options,
                             pki_study_result *result, pk_error *err);

#endif
