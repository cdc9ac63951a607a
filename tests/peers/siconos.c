/* Contact problems against Siconos numerics: it solves the same problems, and one judge,
 * pk_contact_certify, looks at both. Velocities agree to 1e-6, or both certify: problems with dependent
 * contacts may have several solutions. Where Siconos itself does not get through there is nothing to
 * compare; those are counted. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>

#include "base/arena.h"
#include "base/random.h"
#include "contact/files/problem_file.h"
#include "contact/problem/problem.h"
#include "pronk/contact_file.h"
#include "support/bounds.h"

static const double certified = 1e-8, agreed = 1e-6;

typedef enum verdict { AGREE, BOTH_CERTIFY, SICONOS_FAILS, PRONK_FAILS } verdict;

/* ---- both solvers ---- */

/* W as Siconos stores matrices: dense by columns, or by entries where it is large. */
static NumericsMatrix *copy_matrix(const pk_contact_problem *p)
{
  const int n = pk_contact_size(p);
  const bool dense = n < 300;
  NumericsMatrix *M = NM_create(dense ? NM_DENSE : NM_SPARSE, n, n);
  assert_non_null(M);
  if (!dense) {
    NM_triplet_alloc(M, p->W_col ? p->W_row[n] : n * n);
    M->matrix2->origin = NSM_TRIPLET;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      const double value = pki_entry(p, i, j);
      if (dense) {
        M->matrix0[i + (size_t)j * (size_t)n] = value;
      } else if (value != 0) {
        NM_entry(M, i, j, value);
      }
    }
  }
  return M;
}

static void solve_siconos(const pk_contact_problem *p, int solver, int iterations, double *r)
{
  const size_t n = (size_t)pk_contact_size(p);
  double *q = malloc(n * sizeof *q), *mu = malloc((size_t)p->ncontact * sizeof *mu),
         *u = calloc(n, sizeof *u);
  assert_true(q && mu && u);
  memcpy(q, p->q, n * sizeof *q);
  memcpy(mu, p->mu, (size_t)p->ncontact * sizeof *mu);
  memset(r, 0, n * sizeof *r);
  FrictionContactProblem *problem =
      frictionContactProblem_new_with_data(3, p->ncontact, copy_matrix(p), q, mu);
  SolverOptions *options = solver_options_create(solver);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  fc3d_driver(problem, r, u, options);
  solver_options_delete(options);
  free(options);
  problem->q = problem->mu = NULL; /* it frees what it has: the matrix */
  frictionContactProblem_free(problem);
  free(q);
  free(mu);
  free(u);
}

/* Gauss-Seidel, and Alart-Curnier's Newton where that is not enough; r is the better one. */
static void solve_siconos_best(const pk_contact_problem *p, double *r, double *other, double *scratch)
{
  static const int solvers[] = {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_NSN_AC};
  const size_t n = (size_t)pk_contact_size(p);
  double best = INFINITY;
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0] && !(best <= certified); k++) {
    solve_siconos(p, solvers[k], n < 300 ? 20000 : 2000, other);
    const double relative = pk_contact_certify(p, other, scratch).relative;
    if (!(relative >= best)) {
      best = relative;
      memcpy(r, other, n * sizeof *r);
    }
  }
}

static void solve_pronk(const pk_contact_problem *p, double *r)
{
  pk_solver_options options = pk_solver_options_default();
  options.tolerance = 1e-11;
  void *memory = pki_aligned_alloc(pk_contact_solve_memsize(p, &options));
  assert_non_null(memory);
  memset(r, 0, (size_t)pk_contact_size(p) * sizeof *r);
  pk_solver_result result;
  pk_contact_solve(p, &options, r, memory, &result); /* the judge decides, below */
  pki_aligned_free(memory);
}

static verdict compare(const char *name, const pk_contact_problem *p)
{
  const size_t n = (size_t)pk_contact_size(p);
  double *mine = calloc(4 * n, sizeof *mine), *theirs = mine + n, *u = mine + 2 * n, *v = mine + 3 * n;
  assert_non_null(mine);
  solve_pronk(p, mine);
  solve_siconos_best(p, theirs, u, v);
  /* the judge leaves the velocities in its scratch */
  const pk_contact_certificate c = pk_contact_certify(p, mine, u), s = pk_contact_certify(p, theirs, v);
  double apart = 0, scale = 1e-3;
  for (size_t i = 0; i < n; i++) {
    apart = fmax(apart, fabs(u[i] - v[i]));
    scale = fmax(scale, fabs(p->q[i]));
  }
  apart /= scale;
  free(mine);
  const verdict out = !(c.relative <= certified) ? PRONK_FAILS
                      : apart <= agreed          ? AGREE
                      : s.relative <= certified  ? BOTH_CERTIFY
                                                 : SICONOS_FAILS;
  static const char *const words[] = {"agree", "both certify", "Siconos does not certify",
                                      "PRONK DOES NOT CERTIFY"};
  if (out != AGREE || name[0] != '#') {
    printf("  %-28s %4d contacts  pronk %8.1e  siconos %8.1e  apart %8.1e  %s\n", name, p->ncontact,
           c.relative, s.relative, apart, words[out]);
  }
  return out;
}

/* ---- problems ---- */

enum { BODIES = 6, CONTACTS = 10, ROWS = 3 * CONTACTS, VELOCITIES = 6 * BODIES };

/* Contacts between bodies of random inertia: W = J inv(M) J', q = J v. With more contacts than
 * velocities any other q could leave nothing that satisfies them all. */
static verdict compare_random(uint64_t seed, int bodies, int contacts)
{
  static double J[ROWS][VELOCITIES], W[ROWS * ROWS];
  double inverse_mass[VELOCITIES], v[VELOCITIES], q[ROWS], mu[CONTACTS];
  pki_random random = pki_random_seeded(seed);
  const int nv = 6 * bodies, n = 3 * contacts;
  for (int i = 0; i < nv; i++) {
    inverse_mass[i] = pki_random_between(&random, 0.2, 2);
    v[i] = pki_random_normal(&random);
  }
  memset(J, 0, sizeof J);
  for (int c = 0; c < contacts; c++) {
    const int a = (int)(pki_random_unit(&random) * bodies), b = (int)(pki_random_unit(&random) * bodies);
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < 6; i++) {
        J[3 * c + k][6 * a + i] += pki_random_normal(&random);
        J[3 * c + k][6 * b + i] -= b != a ? pki_random_normal(&random) : 0;
      }
    }
    mu[c] = pki_random_between(&random, 0, 0.9);
  }
  for (int i = 0; i < n; i++) {
    q[i] = 0;
    for (int k = 0; k < nv; k++) {
      q[i] += J[i][k] * v[k];
    }
    for (int j = 0; j < n; j++) {
      W[i * n + j] = 0;
      for (int k = 0; k < nv; k++) {
        W[i * n + j] += J[i][k] * inverse_mass[k] * J[j][k];
      }
    }
  }
  const pk_contact_problem p = {.ncontact = contacts, .W = W, .q = q, .mu = mu};
  char name[64];
  snprintf(name, sizeof name, "# random %llu", (unsigned long long)seed);
  return compare(name, &p);
}

static void random_problems_have_the_same_solutions(void **state)
{
  (void)state;
  int count[4] = {0};
  for (uint64_t seed = 1; seed <= 200; seed++) {
    count[compare_random(seed, 1 + (int)(seed % BODIES), 1 + (int)(seed % CONTACTS))]++;
  }
  printf("  random: %d agree, %d both certify, %d Siconos does not\n", count[AGREE], count[BOTH_CERTIFY],
         count[SICONOS_FAILS]);
  assert_int_equal(count[PRONK_FAILS], 0);
  assert_at_most(count[SICONOS_FAILS], 20); /* or nothing was checked */
}

/* ---- in the plane ---- */

/* Contacts of discs of random masses: W [2 contacts][2 contacts] = J inv(M) J' and q = J v, over three velocities for each body. */
static void make_plane(uint64_t seed, int bodies, int contacts, double *W, double *q, double *mu)
{
  static double J[2 * CONTACTS][3 * BODIES];
  double inverse_mass[3 * BODIES], v[3 * BODIES];
  pki_random random = pki_random_seeded(seed);
  const int nv = 3 * bodies, n = 2 * contacts;
  for (int i = 0; i < nv; i++) {
    inverse_mass[i] = pki_random_between(&random, 0.2, 2);
    v[i] = pki_random_normal(&random);
  }
  for (int i = 0; i < n; i++) {
    q[i] = 0;
    mu[i / 2] = 0.1 + 0.07 * (double)(seed % 8);
    for (int k = 0; k < nv; k++) {
      J[i][k] = pki_random_normal(&random);
      q[i] += J[i][k] * v[k];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      W[i * n + j] = 0;
      for (int k = 0; k < nv; k++) {
        W[i * n + j] += J[i][k] * inverse_mass[k] * J[j][k];
      }
    }
  }
}

/* The problem of the plane as text, through Pronk's reader. */
static pk_contact_file *read_plane(int contacts, const double *W, const double *q, const double *mu)
{
  enum { ROOM = 1 << 16 };
  static char text[ROOM];
  const int n = 2 * contacts;
  int at = snprintf(text, ROOM, "2 %d %d 0\n", contacts, n * n);
  for (int i = 0; i < n * n; i++) {
    at += snprintf(text + at, (size_t)(ROOM - at), "%d %d %.17g\n", i / n, i % n, W[i]);
  }
  for (int i = 0; i < n + contacts; i++) {
    at += snprintf(text + at, (size_t)(ROOM - at), "%.17g\n", i < n ? q[i] : mu[i - n]);
  }
  pk_contact_file *file = NULL;
  assert_int_equal(pki_contact_parse("plane.fc", text, (size_t)at, &file, NULL), PK_OK);
  return file;
}

/* Siconos' own solver for the plane; false when it does not get through. */
static bool solve_siconos_plane(int contacts, const double *W, double *q, double *mu, double *r)
{
  double u[2 * CONTACTS] = {0};
  const int n = 2 * contacts;
  NumericsMatrix *M = NM_create(NM_DENSE, n, n);
  for (int i = 0; i < n * n; i++) {
    M->matrix0[i / n + (size_t)(i % n) * (size_t)n] = W[i];
  }
  FrictionContactProblem *problem = frictionContactProblem_new_with_data(2, contacts, M, q, mu);
  SolverOptions *options = solver_options_create(SICONOS_FRICTION_2D_NSGS);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 20000;
  memset(r, 0, (size_t)n * sizeof *r);
  const bool good = fc2d_driver(problem, r, u, options) == 0;
  solver_options_delete(options);
  free(options);
  problem->q = problem->mu = NULL;
  frictionContactProblem_free(problem);
  return good;
}

static void problems_in_the_plane_have_siconos_solutions(void **state)
{
  (void)state;
  int agree = 0, others = 0;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    double W[4 * CONTACTS * CONTACTS], q[2 * CONTACTS], mu[CONTACTS], theirs[2 * CONTACTS];
    double mine[3 * CONTACTS], embedded[3 * CONTACTS] = {0}, u[3 * CONTACTS], v[3 * CONTACTS];
    const int contacts = 1 + (int)(seed % 5), bodies = 1 + (int)(seed % BODIES);
    make_plane(seed, bodies, contacts, W, q, mu);
    pk_contact_file *file = read_plane(contacts, W, q, mu);
    const pk_contact_problem *p = pk_contact_file_problem(file);
    solve_pronk(p, mine);
    assert_at_most(pk_contact_certify(p, mine, u).relative, certified);
    const bool good = solve_siconos_plane(contacts, W, q, mu, theirs);
    for (int i = 0; i < 2 * contacts; i++) {
      embedded[3 * (i / 2) + i % 2] = theirs[i];
    }
    const double relative = pk_contact_certify(p, embedded, v).relative;
    double apart = 0;
    for (int i = 0; i < 3 * contacts; i++) {
      apart = fmax(apart, fabs(u[i] - v[i]));
    }
    agree += apart <= agreed;
    others += apart > agreed && !(good && relative <= certified);
    pk_contact_file_destroy(file);
  }
  printf("  plane: %d of 100 agree, Siconos does not certify %d\n", agree, others);
  assert_at_least(agree, 80);
}

static bool is_problem(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot != NULL && (strcmp(dot, ".fc") == 0 || strcmp(dot, ".hdf5") == 0);
}

static void collected_problems_have_the_same_solutions(void **state)
{
  (void)state;
  const char *folder = getenv("PRONK_PROBLEMS");
  struct dirent **entries = NULL;
  const int total = folder ? scandir(folder, &entries, NULL, alphasort) : -1;
  if (total < 0) {
    skip();
  }
  int count[4] = {0};
  for (int i = 0; i < total; i++) {
    char path[1024];
    pk_contact_file *file = NULL;
    pk_error err = {0};
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    if (is_problem(path)) {
      const pk_status status = pk_contact_load(path, &file, &err);
      if (status == PK_OK) {
        count[compare(entries[i]->d_name, pk_contact_file_problem(file))]++;
      } else {
        assert_int_equal(status, PK_ERROR_UNSUPPORTED); /* a build without HDF5 */
      }
      pk_contact_file_destroy(file);
    }
    free(entries[i]);
  }
  free(entries);
  assert_int_equal(count[PRONK_FAILS], 0);
  assert_at_least(count[AGREE] + count[BOTH_CERTIFY], count[SICONOS_FAILS]);
}

int main(void)
{
  numerics_set_verbose(0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problems_have_the_same_solutions),
      cmocka_unit_test(problems_in_the_plane_have_siconos_solutions),
      cmocka_unit_test(collected_problems_have_the_same_solutions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
