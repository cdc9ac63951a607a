/* A grid of gait files: one file under all combinations of some keys' values, as contact sequences and speeds. Each combination, a cell, is
 * solved in a folder of its own; this collects what came of them into a table and a report. */
#ifndef PKI_OPTIMIZE_FILES_GAIT_GRID_H
#define PKI_OPTIMIZE_FILES_GAIT_GRID_H

#include "optimize/files/motion_files.h"

enum { PKI_GAIT_AXES = 6, PKI_GAIT_CELLS = 10000, PKI_GAIT_VALUES = 256 };

/* One key and its values. */
typedef struct pki_gait_axis {
  char key[128];
  char **text;   /* [count] as --set takes them */
  double *value; /* [count] NAN: no number */
  int count;
} pki_gait_axis;

typedef struct pki_gait_cell {
  char folder[96]; /* its name in the folder of the grid */
  bool found;      /* something is in its folder */
  bool solved;
  double objective, stride, period, seconds;
  int iterations;
  pki_motion_figures figures; /* of what was found */
  double joule;               /* J/m */
  char told[300];             /* why it is not solved; "": it is */
} pki_gait_cell;

typedef struct pki_gait_grid {
  pki_gait_axis axes[PKI_GAIT_AXES];
  int naxis;
  pki_gait_cell *cells; /* [count] the last axis changes fastest */
  int count;
} pki_gait_grid;

/* "KEY=A,B,C", or "KEY=LOW:HIGH:COUNT" for equal distances. */
pk_status pki_gait_grid_add(pki_gait_grid *grid, const char *text, pk_error *err);

/* When all axes are there: the cells. */
pk_status pki_gait_grid_finish(pki_gait_grid *grid, pk_error *err);
void pki_gait_grid_free(pki_gait_grid *grid);

/* Which value a cell has on an axis; and "KEY=VALUE" of it. */
int pki_gait_grid_at(const pki_gait_grid *grid, int cell, int axis);
void pki_gait_grid_set(const pki_gait_grid *grid, int cell, int axis, char *out, size_t size);

/* The gait file of a cell, as pki_gait_file_load. */
void pki_gait_grid_load(const pki_gait_grid *grid, int cell, const char *path, const char *const *sets,
                        int nset, pki_gait_file **out, pki_problems *problems);

/* What is in the folder of a cell. `path` is that of the gait file, `sets` its overrides without those of the cell. */
void pki_gait_grid_collect(pki_gait_grid *grid, int cell, const char *path, const char *const *sets, int nset,
                           const char *folder);

/* The solved cell of the least objective among those that share the value `at` of the axis; -1: none. */
int pki_gait_grid_best(const pki_gait_grid *grid, int axis, int at);

/* The axis along which lines are drawn: the last one of numbers; -1: none. */
int pki_gait_grid_line(const pki_gait_grid *grid);

/* grid.csv and report.html of the whole. */
pk_status pki_gait_grid_csv_save(const pki_gait_grid *grid, const char *path, pk_error *err);
pk_status pki_gait_grid_report_save(const pki_gait_grid *grid, const char *title, const char *about,
                                    const char *path, pk_error *err);

/* "trot, duty 0.6" of a cell, all axes but one (-1: all). */
void pki_gait_grid_label(const pki_gait_grid *grid, int cell, int without, char *out, size_t size);

#endif
