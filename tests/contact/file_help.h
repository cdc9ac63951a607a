/* What the tests of contact files share. */
#ifndef TESTS_CONTACT_FILE_HELP_H
#define TESTS_CONTACT_FILE_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "contact/files/problem_file.h"
#include "contact/problem/problem.h"
#include "support/bounds.h"

/* Problems of random numbers with W near the identity; destroy with free(). */
typedef struct sample {
  pk_contact_problem problem;
  int row[64], col[1024];
  double W[1024], q[32], mu[32], lower[32], upper[32];
} sample;

/* `fill`: which share of the places off the diagonal is stored; 1: all, W dense. */
static inline sample *make_sample(uint64_t seed, int ncontact, int nbilateral, int nbox, double fill)
{
  sample *s = calloc(1, sizeof *s);
  assert_non_null(s);
  pki_random random = pki_random_seeded(seed);
  const int n = 3 * ncontact + nbilateral + nbox;
  assert_at_most(n, 32);
  int count = 0;
  for (int i = 0; i < n; i++) {
    s->row[i] = count;
    for (int j = 0; j < n; j++) {
      if (i == j || fill >= 1 || pki_random_unit(&random) < fill) {
        s->col[count] = j;
        s->W[count++] = (i == j) + 0.1 * pki_random_between(&random, -1, 1);
      }
    }
    s->q[i] = pki_random_between(&random, -1, 1) / 3;
  }
  s->row[n] = count;
  for (int i = 0; i < ncontact; i++) {
    s->mu[i] = pki_random_unit(&random);
  }
  for (int i = 0; i < nbox; i++) {
    s->lower[i] = i == 0 ? -INFINITY : -pki_random_unit(&random);
    s->upper[i] = i == 1 ? INFINITY : pki_random_unit(&random);
  }
  s->problem = (pk_contact_problem){.ncontact = ncontact,
                                    .nbilateral = nbilateral,
                                    .nbox = nbox,
                                    .W_row = s->row,
                                    .W_col = fill >= 1 ? NULL : s->col,
                                    .W = s->W,
                                    .q = s->q,
                                    .mu = s->mu,
                                    .lower = s->lower,
                                    .upper = s->upper};
  return s;
}

static inline void assert_same_bits(const double *a, const double *b, int count)
{
  assert_true(count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

/* The same shape, the same numbers to the bit. */
static inline void assert_same_problem(const pk_contact_problem *a, const pk_contact_problem *b)
{
  assert_int_equal(a->ncontact, b->ncontact);
  assert_int_equal(a->nbilateral, b->nbilateral);
  assert_int_equal(a->nbox, b->nbox);
  const int n = pk_contact_size(a);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      const double x = pki_entry(a, i, j), y = pki_entry(b, i, j);
      assert_same_bits(&x, &y, 1);
    }
  }
  assert_int_equal(a->W_col == NULL, b->W_col == NULL);
  if (a->W_col != NULL) {
    assert_memory_equal(a->W_row, b->W_row, ((size_t)n + 1) * sizeof *a->W_row);
    assert_memory_equal(a->W_col, b->W_col, (size_t)a->W_row[n] * sizeof *a->W_col);
  }
  assert_same_bits(a->q, b->q, n);
  assert_same_bits(a->mu, b->mu, a->ncontact);
  assert_same_bits(a->lower, b->lower, a->nbox);
  assert_same_bits(a->upper, b->upper, a->nbox);
}

/* Save, load, compare. */
static inline void assert_survives(const pk_contact_problem *p, const char *path)
{
  pk_error err = {0};
  pk_contact_file *file = NULL;
  if (pk_contact_save(p, path, &err) != PK_OK || pk_contact_load(path, &file, &err) != PK_OK) {
    fail_msg("%s: %s: %s", path, err.field, err.message);
  }
  assert_same_problem(p, pk_contact_file_problem(file));
  assert_null(pk_contact_file_solution(file));
  pk_contact_file_destroy(file);
  assert_int_equal(remove(path), 0);
}

static inline void assert_error(const pk_error *err, pk_status status, const char *file, int line,
                                const char *field, const char *message)
{
  if (err->status != status || err->line != line || strcmp(err->field, field) != 0 ||
      strcmp(err->message, message) != 0) {
    fail_msg("expected status %d, line %d, field '%s': %s\n   found status %d, line %d, field '%s': %s",
             (int)status, line, field, message, (int)err->status, err->line, err->field, err->message);
  }
  assert_string_equal(err->file, file);
}

#endif
