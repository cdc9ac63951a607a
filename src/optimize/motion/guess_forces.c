/* Inverse kinematics of a leg by damped least squares, and forces by least squares. */
#include "optimize/motion/guess_forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/cholesky.h"

enum { MOST_ROWS = PKI_MOTION_DOFS };

/* x of A x = b, A symmetric and positive definite; both are overwritten, b by x. */
static void solve_positive(int n, double A[MOST_ROWS][MOST_ROWS], double *b)
{
  pki_cholesky(A[0], n, MOST_ROWS);
  pki_cholesky_solve(A[0], n, MOST_ROWS, b, 1);
}

/* Rows of a function and its Jacobian at one place, below those that are there. */
static void read_rows(const pki_motion_program *program, const pki_nlp_function *f, const double *chain,
                      int from, double *error, double jacobian[5][PKI_MOTION_DOFS])
{
  double design[PKI_MOTION_DESIGNS];
  pki_motion_read_design(program, design);
  const int *row, *column;
  const int count = pki_nlp_function_jacobian(f, &row, &column);
  double *entries = malloc(((size_t)count + 1) * sizeof *entries);
  if (entries != NULL && pki_motion_value(program->problem, design, f, chain, error + from) &&
      pki_motion_jacobian(program->problem, design, f, chain, entries)) {
    for (int e = 0; e < count; e++) {
      if (column[e] < PKI_MOTION_DOFS) { /* columns of lengths come last, and are not asked for */
        jacobian[from + row[e]][column[e]] = entries[e];
      }
    }
  }
  free(entries);
}

int pki_motion_leg_errors(const pki_motion_program *program, const pki_motion_foot_functions *foot,
                          const double *chain, const double target[3], double error[5],
                          double jacobian[5][PKI_MOTION_DOFS])
{
  read_rows(program, foot->place, chain, 0, error, jacobian);
  for (int k = 0; k < 3; k++) {
    error[k] -= target[k];
  }
  if (foot->level == NULL) {
    return 3;
  }
  read_rows(program, foot->level, chain, 3, error, jacobian);
  return 5;
}

void pki_motion_damped_step(int rows, int columns, const bool *free_column, const double error[5],
                            double jacobian[5][PKI_MOTION_DOFS], double *change)
{
  double A[MOST_ROWS][MOST_ROWS], b[MOST_ROWS], trace = 0;
  for (int i = 0; i < rows; i++) {
    b[i] = error[i];
    for (int j = 0; j < rows; j++) {
      A[i][j] = 0;
      for (int k = 0; k < columns; k++) {
        A[i][j] += free_column[k] ? jacobian[i][k] * jacobian[j][k] : 0;
      }
    }
    trace += A[i][i];
  }
  for (int i = 0; i < rows; i++) {
    A[i][i] += 1e-5 * trace + 1e-300;
  }
  solve_positive(rows, A, b);
  for (int k = 0; k < columns; k++) {
    change[k] = 0;
    for (int i = 0; i < rows && free_column[k]; i++) {
      change[k] -= jacobian[i][k] * b[i];
    }
  }
}

/* The column of -J' of one component of a foot's force, by all coordinates. */
static void force_column(const pki_motion_program *program, int foot, int component, const double *q,
                         double column[PKI_MOTION_DOFS])
{
  const pki_motion_foot_functions *f = &program->robot->feet[foot];
  double in[PKI_MOTION_DOFS + PKI_MOTION_CONTACT_ROWS + 1] = {0}, out[PKI_MOTION_DOFS];
  for (int k = 0; k < f->nchain; k++) {
    in[k] = q[f->chain[k]];
  }
  in[f->nchain + component] = 1;
  memset(column, 0, PKI_MOTION_DOFS * sizeof *column);
  double design[PKI_MOTION_DESIGNS];
  pki_motion_read_design(program, design);
  if (pki_motion_value(program->problem, design, f->force, in, out)) {
    for (int k = 0; k < f->nchain; k++) {
      column[f->chain[k]] = out[k];
    }
  }
}

/* Coordinates that no motor moves. */
static bool is_passive(const pki_motion_program *program, int dof)
{
  for (int i = 0; i < program->robot->nmotor; i++) {
    if (program->robot->motor[i] == dof) {
      return false;
    }
  }
  return !program->problem->locked[dof];
}

/* min |f|^2 with C f = -rest on the coordinates without motors, C the columns of -J'. */
static void balance_trunk(const pki_motion_program *program, double columns[][PKI_MOTION_DOFS], int count,
                          const double *rest, double *force)
{
  double A[MOST_ROWS][MOST_ROWS], b[MOST_ROWS], trace = 0;
  int dofs[PKI_MOTION_DOFS], n = 0;
  for (int k = 0; k < program->robot->n; k++) {
    if (is_passive(program, k)) {
      dofs[n++] = k;
    }
  }
  for (int i = 0; i < n; i++) {
    b[i] = -rest[dofs[i]];
    for (int j = 0; j < n; j++) {
      A[i][j] = 0;
      for (int c = 0; c < count; c++) {
        A[i][j] += columns[c][dofs[i]] * columns[c][dofs[j]];
      }
    }
    trace += A[i][i];
  }
  for (int i = 0; i < n; i++) {
    A[i][i] += 1e-4 * trace + 1e-300;
  }
  solve_positive(n, A, b);
  for (int c = 0; c < count; c++) {
    force[c] = 0;
    for (int i = 0; i < n; i++) {
      force[c] += columns[c][dofs[i]] * b[i];
    }
  }
}

static void set_within(pki_nlp *nlp, int variable, double value)
{
  nlp->x[variable] = fmin(fmax(value, nlp->lower[variable]), nlp->upper[variable]);
}

void pki_motion_guess_forces(const pki_motion_program *program, const pki_point_variables *at,
                             const double *q, const double *v, const double *a)
{
  const pki_motion_problem *p = program->problem;
  const int n = program->robot->n;
  double in[4 * PKI_MOTION_DOFS] = {0}, rest[PKI_MOTION_DOFS] = {0};
  double columns[PKI_MOTION_FEET * (PKI_MOTION_CONTACT_ROWS + 1)][PKI_MOTION_DOFS],
      force[PKI_MOTION_FEET * (PKI_MOTION_CONTACT_ROWS + 1)];
  int variables[PKI_MOTION_FEET * (PKI_MOTION_CONTACT_ROWS + 1)], count = 0;
  memcpy(in, q, (size_t)n * sizeof *in);
  memcpy(in + n, v, (size_t)n * sizeof *in);
  memcpy(in + 2 * n, a, (size_t)n * sizeof *in);
  double design[PKI_MOTION_DESIGNS];
  pki_motion_read_design(program, design);
  if (!pki_motion_value(p, design, program->robot->dynamics, in, rest)) {
    return;
  }
  pki_design_add_forces(p, design, q, v, a, rest);
  for (int i = 0; i < p->nfoot; i++) {
    for (int k = 0; k < program->robot->feet[i].rows && at->force[i] >= 0; k++, count++) {
      variables[count] = at->force[i] + k;
      force_column(program, i, k, q, columns[count]);
    }
  }
  balance_trunk(program, columns, count, rest, force);
  for (int c = 0; c < count; c++) {
    set_within(program->nlp, variables[c], force[c]);
    for (int k = 0; k < n; k++) {
      rest[k] += columns[c][k] * program->nlp->x[variables[c]];
    }
  }
  for (int i = 0; i < program->robot->nmotor; i++) {
    const int k = program->robot->motor[i];
    set_within(program->nlp, at->tau + i, rest[k]);
    if (at->power >= 0) {
      set_within(program->nlp, at->power + i, fabs(program->nlp->x[at->tau + i] * v[k]));
    }
  }
}

void pki_motion_push_back(const pki_motion_program *program, unsigned stance, const double *q, double *rest)
{
  enum { MOST = PKI_MOTION_FEET * (PKI_MOTION_CONTACT_ROWS + 1) };
  const pki_motion_problem *p = program->problem;
  double columns[MOST][PKI_MOTION_DOFS], A[MOST_ROWS][MOST_ROWS], f[MOST], trace = 0;
  int count = 0;
  for (int i = 0; i < p->nfoot; i++) {
    for (int k = 0; k < program->robot->feet[i].forces && (stance >> i & 1u) != 0; k++) {
      force_column(program, i, k, q, columns[count++]);
    }
  }
  for (int i = 0; i < count; i++) {
    f[i] = 0;
    for (int k = 0; k < program->robot->n; k++) {
      f[i] -= p->locked[k] ? 0 : columns[i][k] * rest[k];
    }
    for (int j = 0; j <= i; j++) {
      A[i][j] = 0;
      for (int k = 0; k < program->robot->n; k++) {
        A[i][j] += p->locked[k] ? 0 : columns[i][k] * columns[j][k];
      }
    }
    trace += A[i][i];
  }
  for (int i = 0; i < count; i++) {
    A[i][i] += 1e-14 * trace + 1e-300;
  }
  solve_positive(count, A, f);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < program->robot->n; k++) {
      rest[k] += columns[i][k] * f[i];
    }
  }
}
