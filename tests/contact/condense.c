/* Problems with bodies become problems of contacts: W = J' inv(M) J, q = J' inv(M) f + (w, b). */
#include "file_help.h"
#include "support/bounds.h"

enum { MOST = 40 };

/* A mass matrix in blocks of `block`, its rows shuffled; J and f random. */
typedef struct world {
  int nv, ncontact, nbilateral;
  double M[MOST][MOST], J[MOST][MOST], f[MOST], w[MOST];
  pki_contact_global global;
} world;

static void put(pki_triplets *t, int row, int col, double value)
{
  t->row[t->count] = row;
  t->col[t->count] = col;
  t->value[t->count++] = value;
}

/* M as a sum: each entry in two halves, to be added up. */
static void make_lists(world *w)
{
  const int nc = 3 * w->ncontact;
  pki_contact_global *g = &w->global;
  assert_true(pki_triplets_create(&g->M, w->nv, w->nv, 2 * MOST * MOST));
  assert_true(pki_triplets_create(&g->H, w->nv, nc, MOST * MOST));
  assert_true(pki_triplets_create(&g->G, w->nv, w->nbilateral, MOST * MOST));
  g->M.count = g->H.count = g->G.count = 0;
  for (int i = w->nv - 1; i >= 0; i--) {
    for (int j = 0; j < w->nv; j++) {
      if (w->M[i][j] != 0) {
        put(&g->M, i, j, 0.5 * w->M[i][j]);
        put(&g->M, i, j, 0.5 * w->M[i][j]);
      }
    }
    for (int j = 0; j < nc + w->nbilateral; j++) {
      if (w->J[i][j] != 0) {
        put(j < nc ? &g->H : &g->G, i, j < nc ? j : j - nc, w->J[i][j]);
      }
    }
  }
  g->f = w->f;
  g->w = w->w;
  g->b = w->w + nc;
}

static world *make_world(uint64_t seed, int block, double skew)
{
  world *w = calloc(1, sizeof *w);
  assert_non_null(w);
  *w = (world){.nv = 5 * block, .ncontact = 3, .nbilateral = 2};
  pki_random random = pki_random_seeded(seed);
  int shuffle[MOST];
  for (int i = 0; i < w->nv; i++) {
    const int at = (int)(pki_random_unit(&random) * (i + 1));
    shuffle[i] = shuffle[at];
    shuffle[at] = i;
  }
  for (int i = 0; i < w->nv; i++) {
    for (int j = 0; j <= i; j++) {
      if (i / block == j / block) {
        const double value = pki_random_between(&random, -1, 1);
        const int a = shuffle[i], b = shuffle[j];
        w->M[a][b] = i == j ? block + 1 + value : value;
        w->M[b][a] = i == j ? w->M[a][b] : value * (1 + skew);
      }
    }
    for (int j = 0; j < 3 * w->ncontact + w->nbilateral; j++) {
      w->J[i][j] = pki_random_unit(&random) < 0.4 ? pki_random_between(&random, -1, 1) : 0;
    }
    w->f[i] = pki_random_between(&random, -1, 1);
  }
  for (int j = 0; j < 3 * w->ncontact + w->nbilateral; j++) {
    w->w[j] = pki_random_between(&random, -1, 1);
  }
  make_lists(w);
  return w;
}

static void free_world(world *w)
{
  pki_triplets_free(&w->global.M);
  pki_triplets_free(&w->global.H);
  pki_triplets_free(&w->global.G);
  free(w);
}

/* x = inv(M) x by elimination without exchanges: the diagonal dominates. */
static void reference_solve(const world *w, double *x)
{
  double A[MOST][MOST];
  memcpy(A, w->M, sizeof A);
  for (int i = 0; i < w->nv; i++) {
    for (int r = 0; r < w->nv; r++) {
      const double factor = r != i ? A[r][i] / A[i][i] : 0;
      for (int c = 0; c < w->nv; c++) {
        A[r][c] -= factor * A[i][c];
      }
      x[r] -= factor * x[i];
    }
  }
  for (int i = 0; i < w->nv; i++) {
    x[i] /= A[i][i];
  }
}

static void check_world(const world *w)
{
  const int n = 3 * w->ncontact + w->nbilateral;
  pki_contact_draft draft = {0};
  pk_error err = {0};
  if (pki_contact_condense(&w->global, "world", &draft, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  double W[MOST][MOST] = {{0}};
  for (size_t e = 0; e < draft.W.count; e++) {
    W[draft.W.row[e]][draft.W.col[e]] += draft.W.value[e];
  }
  for (int j = 0; j <= n; j++) {
    double x[MOST];
    for (int i = 0; i < w->nv; i++) {
      x[i] = j < n ? w->J[i][j] : w->f[i];
    }
    reference_solve(w, x);
    for (int i = 0; i < n; i++) {
      double sum = j < n ? 0 : w->w[i];
      for (int r = 0; r < w->nv; r++) {
        sum += w->J[r][i] * x[r];
      }
      assert_less(fabs(sum - (j < n ? W[i][j] : draft.q[i])), 1e-13);
    }
  }
  pki_contact_draft_free(&draft);
}

static void bodies_are_condensed_whatever_couples_them(void **state)
{
  (void)state;
  for (int block = 1; block <= 8; block++) {
    world *w = make_world((uint64_t)block, block, 0);
    check_world(w);
    free_world(w);
  }
}

static void an_unsymmetric_mass_matrix_is_not_symmetrised(void **state)
{
  (void)state;
  world *w = make_world(5, 6, 0.3);
  check_world(w);
  free_world(w);
}

static void an_indefinite_mass_matrix_is_solved_with_exchanges(void **state)
{
  (void)state;
  /* M = [0 1; 1 0], H = identity over two velocities of three columns */
  int row[] = {0, 1}, col[] = {1, 0};
  double one[] = {1, 1}, f[] = {3, 4}, w[] = {0, 0, 0};
  const pki_contact_global g = {.M = {2, 2, 2, row, col, one}, .H = {2, 3, 2, row, row, one}, .f = f, .w = w};
  pki_contact_draft draft = {0};
  assert_int_equal(pki_contact_condense(&g, "", &draft, NULL), PK_OK);
  assert_true(draft.q[0] == 4 && draft.q[1] == 3 && draft.q[2] == 0);
  pki_contact_draft_free(&draft);
}

static void a_singular_mass_matrix_is_refused(void **state)
{
  (void)state;
  int row[] = {0, 0, 1, 1, 2}, col[] = {0, 1, 0, 1, 2};
  double M[] = {1, 2, 2, 4, 1}, H[] = {1}, f[] = {0, 0, 0}, w[] = {0, 0, 0};
  pki_contact_global g = {.M = {3, 3, 5, row, col, M}, .H = {3, 3, 1, row, col, H}, .f = f, .w = w};
  pki_contact_draft draft = {0};
  pk_error err = {0};
  assert_int_equal(pki_contact_condense(&g, "a.h5", &draft, &err), PK_ERROR_SYNTAX);
  assert_error(&err, PK_ERROR_SYNTAX, "a.h5", 0, "fclib_global/M",
               "M is singular among the 2 rows that couple with row 0; expected a mass matrix");
  pki_contact_draft_free(&draft);
  /* the part that no contact reaches may be what it likes */
  int two = 2;
  g.H.row = &two;
  assert_int_equal(pki_contact_condense(&g, "a.h5", &draft, &err), PK_OK);
  pki_contact_draft_free(&draft);
}

static void what_takes_too_long_is_refused_before_it_begins(void **state)
{
  (void)state;
  /* one chain of 20000 velocities and a contact at its end */
  enum { LINKS = 20000 };
  pki_contact_global g = {0};
  assert_true(pki_triplets_create(&g.M, LINKS, LINKS, 2 * LINKS - 1) &&
              pki_triplets_create(&g.H, LINKS, 3, 1));
  for (int i = 0; i < LINKS; i++) {
    g.M.row[i] = g.M.col[i] = i;
    g.M.value[i] = 2;
  }
  for (int i = 1; i < LINKS; i++) {
    g.M.row[LINKS + i - 1] = i;
    g.M.col[LINKS + i - 1] = i - 1;
  }
  double w[3] = {0};
  g.f = calloc(LINKS, sizeof *g.f);
  g.w = w;
  pki_contact_draft draft = {0};
  pk_error err = {0};
  assert_int_equal(pki_contact_condense(&g, "chain.h5", &draft, &err), PK_ERROR_LIMIT);
  assert_error(
      &err, PK_ERROR_LIMIT, "chain.h5", 0, "fclib_global/M",
      "condensing takes 2.67e+12 multiplications and 1 entries of W; at most 1e+11 and 6.71e+07 are offered");
  pki_contact_draft_free(&draft);
  pki_triplets_free(&g.M);
  pki_triplets_free(&g.H);
  free(g.f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_are_condensed_whatever_couples_them),
      cmocka_unit_test(an_unsymmetric_mass_matrix_is_not_symmetrised),
      cmocka_unit_test(an_indefinite_mass_matrix_is_solved_with_exchanges),
      cmocka_unit_test(a_singular_mass_matrix_is_refused),
      cmocka_unit_test(what_takes_too_long_is_refused_before_it_begins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
