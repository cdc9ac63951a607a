/* The simplex method for programs with few rows whose columns are found when they are needed:
 *
 *   minimise sum cost_j x_j   such that   sum a_j x_j = b,  x >= 0
 *
 * Only the columns of the basis are kept. A function of the caller's finds the column that promises most for the present multipliers, so that
 * there may be infinitely many, such as all directions of a cone. Rows start with slack variables, which a first phase drives out; those of rows that
 * no column reaches stay in the basis at zero. The right side is moved by a hair, so that no basis is degenerate; values are read for the right side
 * itself. */
#ifndef PKI_STABILITY_COLUMN_SIMPLEX_H
#define PKI_STABILITY_COLUMN_SIMPLEX_H

#include <stdbool.h>
#include <stddef.h>

/* What a column of the basis is: 0 a slack, else what the caller calls it. */
typedef struct pki_column {
  int kind;
  double cost;
  double note; /* the caller's own */
} pki_column;

typedef struct pki_column_program pki_column_program;

struct pki_column_program {
  int rows;
  /* The column a [rows] for which y . a less its cost is largest; that number comes back. In the first phase (`optimises` false) costs do not
   * count. */
  double (*price)(const pki_column_program *program, const double *y, double *a, pki_column *column);
  const void *user;
  bool optimises;     /* second phase */
  int pivots;         /* so far */
  double *rhs;        /* [rows] b; set it after pki_column_program_init */
  double *shaken;     /* [rows] b moved by a hair */
  double *basis;      /* [rows][rows] row by row */
  double *lu, *lut;   /* factors of it and of its transpose */
  double *value;      /* [rows] variables of the basis */
  double *y, *a, *da; /* [rows] scratch */
  int *pivot, *pivot_t;
  pki_column *column; /* [rows] */
};

/* Doubles that a program of so many rows needs. */
#define PKI_COLUMN_PROGRAM_SIZE(rows) (3 * (rows) * (rows) + 10 * (rows))

/* Take the memory [PKI_COLUMN_PROGRAM_SIZE(rows)]; b is zero. */
void pki_column_program_init(pki_column_program *program, int rows, double *memory);

typedef enum pki_column_outcome {
  PKI_COLUMN_SOLVED,
  PKI_COLUMN_INFEASIBLE,
  PKI_COLUMN_UNBOUNDED,
  PKI_COLUMN_BROKEN /* numbers failed, or pivots without end */
} pki_column_outcome;

/* Solve it; slack that adds up to more than `none` cannot be driven out. `promise` is what the best column still promises at the end: times
 * the sum of the variables it bounds how far the objective is from the optimum. The variables of the basis are then in `value`, for b itself. */
pki_column_outcome pki_column_program_solve(pki_column_program *program, double none, double *promise);

#endif
