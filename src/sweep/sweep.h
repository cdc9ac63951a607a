/* Sweeps: one scenario under very many settings, what came of each, in one table.
 *
 *   sweep.yaml -> sweep_file.c -> pki_sweep -> sweep_plan.c: sample i -> overrides -> pool.c: threads that run them
 *                                                                      -> metrics.c: what came of it
 *                                                                      -> store.c: samples.pronk
 *   samples.pronk -> sweep_table.c: results.csv, results.h5 -> sweep_report.c: report.html -> sweep_replay.c: worst/
 *
 *   record_file.c    files of records that only grow
 *   draw.c    random and low-discrepancy numbers
 *   ranks.h   processes that share the work; ranks_mpi.c: by MPI
 *   sweep_work.c    who runs what: rank 0 and the others
 *
 * Sample i is a function of the file and of i alone, a row of the table one of its sample alone: how many threads or
 * processes there were, in which order samples ended, and how often it was all killed in between leaves no trace.
 * docs/formats/sweep.md describes the file, docs/sweep.md the rest. */
#ifndef PKI_SWEEP_SWEEP_H
#define PKI_SWEEP_SWEEP_H

#include "base/text.h"
#include "scenario/scenario.h"
#include "sweep/draw.h"

enum {
  PKI_SWEEP_PARAMETERS = 16, /* of one sweep; draws have as many dimensions */
  PKI_SWEEP_VALUES = 100000, /* of one grid */
  PKI_SWEEP_NUMBER = 32      /* room for a number as text */
};
#define PKI_SWEEP_SAMPLES 10000000LL

/* What a parameter's value sets. */
typedef enum pki_sweep_as { PKI_SWEEP_AS_VALUE, PKI_SWEEP_AS_SLOPE, PKI_SWEEP_AS_COUNT } pki_sweep_as;
extern const char *const pki_sweep_as_words[];

/* One entry of `parameters`. */
typedef struct pki_sweep_parameter {
  const pki_node *node;
  char name[64], key[256], unit[32];
  pki_sweep_as as;
  char (*keys)[64]; /* [nkey] instead of key; NULL: key alone */
  int nkey;
  /* a grid */
  int count;     /* of values; 0: it is drawn */
  char **text;   /* [count] as an override says it */
  double *value; /* [count] NAN: no number */
  int log;       /* 1: values from..to in equal ratios */
  /* drawn */
  pki_draw_kind random; /* PKI_DRAW_KIND_COUNT: it is a grid */
  double from, to;      /* bounds; not given: infinite when it is drawn, else 0 */
  double mean, deviation;
  int dimension; /* which of the draws */
} pki_sweep_parameter;

typedef struct pki_sweep {
  pki_document *document;
  char file[PKI_PATH_MAX];
  char name[64], description[512];
  char scenario[256]; /* as it is called in the file */
  char scenario_file[PKI_PATH_MAX];
  double duration; /* s; negative: the scenario's */
  int seeds;       /* how many; 0: the scenario's seed is left alone */
  int samples;     /* draws; 0: nothing is drawn */
  int seed;        /* of the draws */
  pki_draw draw;
  int replays; /* of the worst samples */
  char **sets; /* [nset] for all samples */
  int nset;
  pki_sweep_parameter *parameters; /* [nparameter] */
  int nparameter;
  int dimensions;      /* of the draws */
  long long count;     /* of samples */
  pki_scenario *base;  /* the scenario with `sets` */
  uint64_t model_hash; /* of its world's model */
  uint64_t level_hash; /* of the scenarios and models that levels of grids name */
} pki_sweep;

/* ---- sweep_file.c ---- */

extern const pk_field pki_sweep_fields[], pki_sweep_parameter_fields[];
extern const int pki_sweep_field_count, pki_sweep_parameter_field_count;

/* Read a sweep; `sets` come after those of the file. The scenario with them must be in order and make a world. On
 * failure there is nothing to free. */
pk_status pki_sweep_load(const char *path, const char *const *sets, int nset, pki_sweep *out, pk_error *err);
pk_status pki_sweep_parse(const char *file, const char *text, size_t size, const char *const *sets, int nset,
                          pki_sweep *out, pk_error *err);
void pki_sweep_free(pki_sweep *sweep);

/* Sweeps that are known by name, as scenarios are. */
extern const pki_yaml_kind pki_sweep_kind;

/* ---- sweep_plan.c ---- */

/* The point of one sample. */
typedef struct pki_sweep_point {
  long long index;
  int level[PKI_SWEEP_PARAMETERS];        /* of a grid: which value; else -1 */
  double value[PKI_SWEEP_PARAMETERS];     /* NAN: no number */
  const char *text[PKI_SWEEP_PARAMETERS]; /* as an override says it; points into this struct or the sweep */
  char number[PKI_SWEEP_PARAMETERS][PKI_SWEEP_NUMBER];
  int seed; /* of the scenario; -1: its own */
} pki_sweep_point;

/* Grids multiply, the last one fastest; then draws, then seeds: index = (grid point * samples + draw) * seeds + seed. Draws
 * are the same at every grid point, so that grid points are compared on equal terms. */
void pki_sweep_sample(const pki_sweep *sweep, long long index, pki_sweep_point *out);

/* All overrides of a sample, for pki_sweep_sets_free(); NULL without memory. */
char **pki_sweep_sets(const pki_sweep *sweep, const pki_sweep_point *point, int *count);
void pki_sweep_sets_free(char **sets, int count);

/* The command that runs a sample alone, as text. */
void pki_sweep_command(const pki_sweep *sweep, const pki_sweep_point *point, pki_text *out);

/* A hash of all that decides results, but for the scenario's file and the program: overrides of every sample, what files
 * that they name hold, how long samples run and the bound that certifies them, names of metrics. */
uint64_t pki_sweep_hash(const pki_sweep *sweep);

#endif
