/* Linear complementarity problems in files. */
#include "contact/lcp_help.h"
#include "support/bounds.h"

static void assert_refused(const char *text, pk_status status, int line, const char *field,
                           const char *message)
{
  pk_lcp_file *file = NULL;
  pk_error err = {0};
  assert_int_equal(pki_lcp_parse("bad.lcp", text, strlen(text), &file, &err), status);
  assert_null(file);
  if (err.status != status || err.line != line || strcmp(err.field, field) != 0 ||
      strcmp(err.message, message) != 0) {
    fail_msg("expected line %d, field '%s': %s\n   found line %d, field '%s': %s", line, field, message,
             err.line, err.field, err.message);
  }
  assert_string_equal(err.file, "bad.lcp");
}

static void a_problem_is_read(void **state)
{
  (void)state;
  const char text[] =
      "# block\r\nlcp 2 3 1 1 1 # header\n0 0 1\n1 1 1.5\n1 1 .5\n\n-10\n8 0 -0.5\ninf 0.5\n-1 0 10 -5";
  pk_lcp_file *file = NULL;
  pk_error err = {0};
  assert_int_equal(pki_lcp_parse("block.lcp", text, sizeof text - 1, &file, &err), PK_OK);
  const pk_lcp *p = pk_lcp_file_problem(file);
  assert_int_equal(p->n, 2);
  assert_true(p->M[0] == 1 && p->M[1] == 0 && p->M[2] == 0 && p->M[3] == 2); /* entries add up */
  assert_true(p->q[0] == -10 && p->q[1] == 8 && p->lower[1] == -0.5 && p->upper[0] == INFINITY);
  assert_true(p->findex[0] == -1 && p->findex[1] == 0);
  assert_true(pk_lcp_file_solution(file)[1] == -5);
  pk_lcp_file_destroy(file);
  assert_int_equal(pki_lcp_parse("none.lcp", "lcp 0 0 0 0 0", 13, &file, &err), PK_OK);
  pk_lcp_file_destroy(file);
  pk_lcp_file_destroy(NULL);
}

static void what_is_wrong_is_named(void **state)
{
  (void)state;
  assert_refused("", PK_ERROR_SYNTAX, 1, "header",
                 "found 'the end of the file' where the word lcp was expected");
  assert_refused("3 1 3 0\n", PK_ERROR_SYNTAX, 1, "header", "found '3' where the word lcp was expected");
  assert_refused("lcp 2\n", PK_ERROR_SYNTAX, 1, "header",
                 "found 'the end of the line' where the number of entries of M was expected");
  assert_refused("lcp 1 0 0 0 0 0\n1", PK_ERROR_SYNTAX, 1, "header",
                 "found '0' where the end of the header's line was expected");
  assert_refused("lcp -1 0 0 0 0\n", PK_ERROR_SYNTAX, 1, "header",
                 "there are -1 rows and 0 entries; expected 0 or more");
  assert_refused("lcp 1 0 2 0 0\n", PK_ERROR_SYNTAX, 1, "header", "hasbounds is 2; expected 0 or 1");
  assert_refused("lcp 1 0 0 1 0\n", PK_ERROR_SYNTAX, 1, "header",
                 "there is findex without bounds; expected hasbounds 1");
  assert_refused("lcp 2049 0 0 0 0\n", PK_ERROR_LIMIT, 1, "header",
                 "there are 2049 rows; at most 2048 are read");
  assert_refused(
      "lcp 1 4000000000 0 0 0\n0 0 1\n1", PK_ERROR_SYNTAX, 1, "header",
      "4000000000 entries and 1 other numbers do not fit the 8 bytes that follow; the file is truncated "
      "or its counts are wrong");
  assert_refused("lcp 1 1 0 0 0\n0 1 1\n1", PK_ERROR_SYNTAX, 2, "M",
                 "entry 0 of M has column 1; expected 0 to 0");
  assert_refused("lcp 1 2 0 0 0\n0 0 1\n1 0 1\n1", PK_ERROR_SYNTAX, 3, "M",
                 "entry 1 of M has row 1; expected 0 to 0");
  assert_refused("lcp 2 1 1 1 0\n0 0 1\n1 1\n0 0 inf\n1\n-1\n1", PK_ERROR_SYNTAX, 6, "findex",
                 "findex[1] is 1, expected a row with a constant lower bound of 0 or more");
  assert_refused("lcp 1 1 0 0 0\n0 0 nan\n1", PK_ERROR_SYNTAX, 2, "M",
                 "found 'nan' where a finite number was expected");
  assert_refused("lcp 1 1 0 0 0\n0 0 1\ninf", PK_ERROR_SYNTAX, 3, "q",
                 "found 'inf' where a finite number was expected");
  assert_refused("lcp 1 1 1 1 0\n0 0 1\n1\n0\ninf\n1", PK_ERROR_SYNTAX, 6, "findex",
                 "findex[0] is 1; expected -1 to 0");
  assert_refused("lcp 1 1 1 0 0\n0 0 1\n1\n3\n2", PK_ERROR_SYNTAX, 4, "lower",
                 "row 0 has bounds 3 to 2, expected lower <= upper");
  assert_refused("lcp 1 1 0 0 0\n0 0 1\n1 7", PK_ERROR_SYNTAX, 3, "",
                 "found '7' where the end of the file was expected");
}

static void a_truncated_file_is_refused_wherever_it_ends(void **state)
{
  (void)state;
  const char text[] = "# c\nlcp 2 2 1 1 1\n0 0 1\n1 1 2\n-10 8\n0 -5\n9 5\n-1 0\n10 -55";
  for (size_t size = 0; size + 2 < sizeof text - 1; size++) {
    pk_lcp_file *file = NULL;
    pk_error err = {0};
    assert_int_not_equal(pki_lcp_parse("cut.lcp", text, size, &file, &err), PK_OK);
    assert_null(file);
    assert_true(err.message[0] != '\0');
  }
}

static void what_is_saved_is_loaded_to_the_bit(void **state)
{
  (void)state;
  static lcp_case c;
  pki_random random = pki_random_seeded(31);
  for (int k = 0; k < 8; k++) {
    lcp_begin(&c, 3 * k);
    lcp_add_gram(&c, &random, c.p.n / 2, k % 2 == 0);
    lcp_random_q(&c, &random);
    for (int i = 0; i < c.p.n; i++) {
      c.lower[i] = i % 3 == 0 ? 0 : -1.0 / 3;
      c.upper[i] = i % 3 == 0 ? INFINITY : 1.0 / 3;
      c.findex[i] = i % 3 == 0 ? -1 : i - i % 3;
    }
    c.p.lower = k & 1 ? c.lower : NULL, c.p.upper = k & 1 ? c.upper : NULL,
    c.p.findex = k % 4 == 3 ? c.findex : NULL;
    const double *solution = k & 2 ? c.q : NULL;
    const size_t n = (size_t)c.p.n, bytes = n * sizeof(double);
    pk_lcp_file *file = NULL;
    pk_error err = {0};
    assert_int_equal(pk_lcp_save(&c.p, solution, "survives.lcp", &err), PK_OK);
    assert_int_equal(pk_lcp_load("survives.lcp", &file, &err), PK_OK);
    const pk_lcp *p = pk_lcp_file_problem(file);
    assert_int_equal(p->n, c.p.n);
    assert_memory_equal(p->M, c.p.M, n * bytes);
    assert_memory_equal(p->q, c.p.q, bytes);
    assert_true((p->lower == NULL) == (c.p.lower == NULL) && (p->findex == NULL) == (c.p.findex == NULL));
    if (p->lower != NULL) {
      assert_memory_equal(p->lower, c.p.lower, bytes);
      assert_memory_equal(p->upper, c.p.upper, bytes);
    }
    if (p->findex != NULL) {
      assert_memory_equal(p->findex, c.p.findex, n * sizeof(int));
    }
    assert_true((pk_lcp_file_solution(file) == NULL) == (solution == NULL));
    pk_lcp_file_destroy(file);
    remove("survives.lcp");
  }
}

static void what_cannot_be_opened_or_written_is_refused(void **state)
{
  (void)state;
  pk_lcp_file *file = NULL;
  pk_error err = {0};
  assert_int_equal(pk_lcp_load("absent.lcp", &file, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "the file cannot be read: No such file or directory");
  assert_int_equal(pk_lcp_load(".", &file, &err), PK_ERROR_FILE);
  const double M[] = {1}, q[] = {NAN}, fine[] = {1};
  assert_int_equal(pk_lcp_save(&(pk_lcp){.n = 1, .M = M, .q = fine}, NULL, "no/such/folder.lcp", &err),
                   PK_ERROR_FILE);
  assert_string_equal(err.message, "cannot be written: No such file or directory");
  assert_int_equal(pk_lcp_save(&(pk_lcp){.n = 1, .M = M, .q = q}, NULL, "nan.lcp", &err), PK_ERROR_ARGUMENT);
  assert_null(fopen("nan.lcp", "r"));
}

static void the_example_is_solved(void **state)
{
  (void)state;
  pk_lcp_file *file = NULL;
  pk_error err = {0};
  if (pk_lcp_load(PK_SOURCE_DIR "/examples/problems/foot.lcp", &file, &err) != PK_OK) {
    fail_msg("%d: %s", err.line, err.message);
  }
  const pk_lcp *p = pk_lcp_file_problem(file);
  for (int s = 0; s < PK_LCP_SOLVER_COUNT; s++) {
    const lcp_answer a = lcp_solve(p, (pk_lcp_solver)s);
    assert_int_equal(a.status, PK_OK);
    assert_less(lcp_apart(a.z, pk_lcp_file_solution(file), p->n), 1e-9);
  }
  pk_lcp_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_problem_is_read),
      cmocka_unit_test(what_is_wrong_is_named),
      cmocka_unit_test(a_truncated_file_is_refused_wherever_it_ends),
      cmocka_unit_test(what_is_saved_is_loaded_to_the_bit),
      cmocka_unit_test(what_cannot_be_opened_or_written_is_refused),
      cmocka_unit_test(the_example_is_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
