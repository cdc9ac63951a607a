#include "stability/column_simplex.h"

#include <math.h>
#include <string.h>

#include "math/lu.h"

enum { PIVOTS_MOST = 500 };

void pki_column_program_init(pki_column_program *p, int rows, double *memory)
{
  const size_t n = (size_t)rows;
  memset(memory, 0, (size_t)PKI_COLUMN_PROGRAM_SIZE(n) * sizeof *memory);
  *p = (pki_column_program){.rows = rows};
  double **const arrays[] = {&p->rhs, &p->shaken, &p->value, &p->y, &p->a, &p->da};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
    *arrays[i] = memory + i * n;
  }
  p->basis = memory + 6 * n, p->lu = p->basis + n * n, p->lut = p->lu + n * n;
  p->column = (pki_column *)(void *)(p->lut + n * n); /* three doubles each */
  p->pivot = (int *)(void *)(p->lut + n * n + 3 * n), p->pivot_t = p->pivot + n;
}

/* A basis of slack variables, each on its side. */
static void begin_basis(pki_column_program *p)
{
  for (int k = 0; k < p->rows; k++) {
    /* numbers between a half and one and a half of 1e-10, with signs by turns: no two sums of few of them are equal */
    const double part = k * 0.6180339887498949, hair = 1e-10 * (0.5 + part - floor(part));
    p->shaken[k] = p->rhs[k] + (k % 2 == 0 ? hair : -hair);
    p->basis[k * p->rows + k] = p->shaken[k] < 0 ? -1 : 1;
    p->column[k] = (pki_column){.kind = 0};
  }
}

static bool factor_basis(pki_column_program *p)
{
  const int n = p->rows;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      p->lu[i * n + j] = p->basis[i * n + j];
      p->lut[i * n + j] = p->basis[j * n + i];
    }
  }
  return pki_lu_factor(p->lu, n, p->pivot) && pki_lu_factor(p->lut, n, p->pivot_t);
}

/* Multipliers of the phase's costs; the largest of them, at least 1. */
static double find_multipliers(pki_column_program *p)
{
  double most = 1;
  for (int k = 0; k < p->rows; k++) {
    const bool slack = p->column[k].kind == 0;
    p->y[k] = p->optimises ? p->column[k].cost : slack;
  }
  pki_lu_solve(p->lut, p->rows, p->pivot_t, p->y);
  for (int k = 0; k < p->rows; k++) {
    most = fmax(most, fabs(p->y[k]));
  }
  return most;
}

/* The column of the basis that leaves for one with the components `da`; -1: none does, and nothing bounds the program. Slack that has vanished
 * must not grow again. */
static int leaving_column(const pki_column_program *p)
{
  /* what the slack of a row that no column reaches changes by is rounding, times the condition of the basis */
  static const double unreachable = 1e-5;
  int leaves = -1;
  double least = INFINITY, largest = 0;
  for (int k = 0; k < p->rows; k++) {
    const bool slack = p->optimises && p->column[k].kind == 0;
    const double size = slack ? fabs(p->da[k]) : p->da[k];
    const double ratio = slack ? 0 : fmax(p->value[k], 0) / size;
    if (size > (slack ? unreachable : 1e-9) && (ratio < least || (ratio == least && size > largest))) {
      least = ratio, largest = size;
      leaves = k;
    }
  }
  return leaves;
}

/* Pivots of one phase until nothing promises more than a hair. */
static pki_column_outcome solve_phase(pki_column_program *p, double *promise)
{
  static const double enough = 1e-12;
  const size_t size = (size_t)p->rows * sizeof(double);
  for (int count = 0; count < PIVOTS_MOST; count++, p->pivots++) {
    pki_column enters = {0};
    if (!factor_basis(p)) {
      return PKI_COLUMN_BROKEN;
    }
    memcpy(p->value, p->shaken, size);
    pki_lu_solve(p->lu, p->rows, p->pivot, p->value);
    const double most = find_multipliers(p);
    *promise = p->price(p, p->y, p->a, &enters);
    if (*promise <= enough * most) {
      return PKI_COLUMN_SOLVED;
    }
    memcpy(p->da, p->a, size);
    pki_lu_solve(p->lu, p->rows, p->pivot, p->da);
    const int leaves = leaving_column(p);
    if (leaves < 0) {
      return PKI_COLUMN_UNBOUNDED;
    }
    for (int k = 0; k < p->rows; k++) {
      p->basis[k * p->rows + leaves] = p->a[k];
    }
    p->column[leaves] = enters;
  }
  return PKI_COLUMN_BROKEN;
}

/* Variables of the basis for the right side itself; the sum of slack among them. */
static double read_values(pki_column_program *p)
{
  double slack = 0;
  memcpy(p->value, p->rhs, (size_t)p->rows * sizeof *p->value);
  pki_lu_solve(p->lu, p->rows, p->pivot, p->value);
  for (int k = 0; k < p->rows; k++) {
    slack += p->column[k].kind == 0 ? fabs(p->value[k]) : 0;
  }
  return slack;
}

pki_column_outcome pki_column_program_solve(pki_column_program *p, double none, double *promise)
{
  begin_basis(p);
  p->optimises = false;
  pki_column_outcome outcome = solve_phase(p, promise);
  if (outcome == PKI_COLUMN_SOLVED && !(read_values(p) <= none)) {
    outcome = PKI_COLUMN_INFEASIBLE;
  }
  if (outcome == PKI_COLUMN_SOLVED) {
    p->optimises = true;
    outcome = solve_phase(p, promise);
  }
  if (outcome == PKI_COLUMN_SOLVED) {
    read_values(p);
  }
  return outcome;
}
