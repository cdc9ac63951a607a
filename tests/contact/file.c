/* Contact problems as text: what is read, how it is written, what each mistake is answered with. */
#define _POSIX_C_SOURCE 200809L
#include "file_help.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "support/bounds.h"

/* A locale with a comma, for one test. */
static bool comma = false;
int __wrap_snprintf(char *text, size_t size, const char *format, ...);

int __wrap_snprintf(char *text, size_t size, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, size, format, args);
  va_end(args);
  char *point = comma && strcmp(format, "%.17g") == 0 ? strchr(text, '.') : NULL;
  if (point != NULL) {
    *point = ',';
  }
  return n;
}

static pk_contact_file *parse_good(const char *text)
{
  pk_contact_file *file = NULL;
  pk_error err = {0};
  if (pki_contact_parse("good.fc", text, strlen(text), &file, &err) != PK_OK) {
    fail_msg("line %d, %s: %s", err.line, err.field, err.message);
  }
  return file;
}

static void assert_refused(const char *text, pk_status status, int line, const char *field,
                           const char *message)
{
  pk_contact_file *file = (pk_contact_file *)&file;
  pk_error err = {0};
  assert_int_equal(pki_contact_parse("bad.fc", text, strlen(text), &file, &err), status);
  assert_null(file);
  assert_error(&err, status, "bad.fc", line, field, message);
}

#define DIAGONAL "0 0 1\n1 1 2\n2 2 3\n"

static void a_problem_is_read(void **state)
{
  (void)state;
  pk_contact_file *file =
      parse_good("# made by hand\n3 1 4 0\n0 0 1\n2 2 3.5e0\n1 1 .5\n0 2 -1e-3\n-1 1 3\n0.25\n");
  const pk_contact_problem *p = pk_contact_file_problem(file);
  assert_int_equal(p->ncontact, 1);
  assert_int_equal(pk_contact_size(p), 3);
  const int row[] = {0, 2, 3, 4}, col[] = {0, 2, 1, 2};
  const double W[] = {1, -1e-3, 0.5, 3.5}, q[] = {-1, 1, 3};
  assert_memory_equal(p->W_row, row, sizeof row);
  assert_memory_equal(p->W_col, col, sizeof col);
  assert_same_bits(p->W, W, 4);
  assert_same_bits(p->q, q, 3);
  assert_true(p->mu[0] == 0.25);
  assert_null(pk_contact_file_solution(file));
  pk_contact_file_destroy(file);
}

static void comments_and_ends_of_lines_may_stand_anywhere(void **state)
{
  (void)state;
  pk_contact_file *a = parse_good("3 1 3 0\n" DIAGONAL "1 2 3\n.5\n");
  pk_contact_file *b = parse_good(
      "#\n\n# x\r\n \t3 1 3 0 # counts\r\n\r\n0 0 1 # first\n#\n1\t1 2\n 2 2 3\r\n1\n2 # two\n\n3\n.5#");
  assert_same_problem(pk_contact_file_problem(a), pk_contact_file_problem(b));
  pk_contact_file_destroy(a);
  pk_contact_file_destroy(b);
}

static void entries_at_the_same_place_add_up(void **state)
{
  (void)state;
  pk_contact_file *file = parse_good("3 1 5 0\n0 0 1\n1 1 2\n0 0 0.25\n2 2 3\n0 0 4\n1 2 3\n.5\n");
  const pk_contact_problem *p = pk_contact_file_problem(file);
  assert_int_equal(p->W_row[3], 3);
  assert_true(p->W[0] == 5.25);
  pk_contact_file_destroy(file);
}

static void a_full_matrix_is_dense(void **state)
{
  (void)state;
  pk_contact_file *file =
      parse_good("3 1 9 0\n2 2 9\n0 0 1\n0 1 2\n0 2 3\n1 0 4\n1 1 5\n1 2 6\n2 0 7\n2 1 8\n1 2 3\n.5\n");
  const pk_contact_problem *p = pk_contact_file_problem(file);
  assert_null(p->W_col);
  for (int e = 0; e < 9; e++) {
    assert_true(p->W[e] == e + 1);
  }
  pk_contact_file_destroy(file);
}

static void bilateral_and_box_rows_are_read(void **state)
{
  (void)state;
  pk_contact_file *file = parse_good("rows 3 1 1 2 6 1\n" DIAGONAL
                                     "3 3 1\n4 4 1\n5 5 1\n1 2 3 4 5 6\n.5\n-inf -1\n2 inf\n7 0 0 8 9 10\n");
  const pk_contact_problem *p = pk_contact_file_problem(file);
  assert_int_equal(p->nbilateral, 1);
  assert_int_equal(p->nbox, 2);
  assert_true(p->lower[0] == -INFINITY && p->lower[1] == -1 && p->upper[0] == 2 && p->upper[1] == INFINITY);
  const double r[] = {7, 0, 0, 8, 9, 10};
  assert_same_bits(pk_contact_file_solution(file), r, 6);
  pk_contact_file_destroy(file);
}

static void a_problem_in_the_plane_is_embedded(void **state)
{
  (void)state;
  /* two contacts, a bilateral and a box row; entries at the same place add up before the mean is taken */
  pk_contact_file *file =
      parse_good("rows 2 2 1 1 8 1\n0 0 1\n1 1 3\n2 2 4\n3 3 5\n3 3 1\n4 4 7\n5 5 8\n1 3 -.5\n"
                 "1 2 3 4 5 6\n.5 .25\n-1\n2\n10 11 12 13 14 15\n");
  const pk_contact_problem *p = pk_contact_file_problem(file);
  assert_int_equal(pk_contact_file_dimension(file), 2);
  assert_int_equal(p->ncontact, 2);
  assert_int_equal(pk_contact_size(p), 8);
  const int row[] = {0, 1, 3, 4, 5, 6, 7, 8, 9}, col[] = {0, 1, 4, 2, 3, 4, 5, 6, 7};
  const double W[] = {1, 3, -0.5, 2, 4, 6, 5, 7, 8}, q[] = {1, 2, 0, 3, 4, 0, 5, 6};
  const double r[] = {10, 11, 0, 12, 13, 0, 14, 15};
  assert_memory_equal(p->W_row, row, sizeof row);
  assert_memory_equal(p->W_col, col, sizeof col);
  assert_same_bits(p->W, W, 9);
  assert_same_bits(p->q, q, 8);
  assert_same_bits(pk_contact_file_solution(file), r, 8);
  assert_true(p->mu[1] == 0.25 && p->lower[0] == -1 && p->upper[0] == 2);
  pk_contact_file_destroy(file);
  file = parse_good("3 0 0 0");
  assert_int_equal(pk_contact_file_dimension(file), 3);
  pk_contact_file_destroy(file);
  assert_refused("2 1 2 0\n0 0 1\n1 1 -2\n1 2\n.5\n", PK_ERROR_SYNTAX, 0, "W",
                 "the diagonal of W in row 1 is -2, expected a positive number");
}

/* One contact with W = [a c; c b] in the plane. At rest r = -inv(W) q where that is within the cone; sliding along s = -1 or 1
 * r_T = -s mu r_N, r_N = -q_N/(a - s mu c), u_T = q_T + c r_N + b r_T. */
static void contacts_in_the_plane_have_their_closed_form(void **state)
{
  (void)state;
  static const double a = 2, b = 1, c = 0.5, mu = 0.3;
  static const struct {
    double q[2];
    int slides; /* 0: at rest, 2: open */
  } cases[] = {{{-1, -0.2}, 0}, {{-1, 2}, 1}, {{-1, -2}, -1}, {{1, -2}, 2}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const double *q = cases[k].q, s = cases[k].slides;
    double r[3] = {0}, u[3], rn = -q[0] / (a - s * mu * c), rt = -s * mu * rn;
    if (cases[k].slides == 0) {
      const double det = a * b - c * c;
      rn = -(b * q[0] - c * q[1]) / det, rt = -(a * q[1] - c * q[0]) / det;
      assert_at_most(fabs(rt), mu * rn);
    } else if (cases[k].slides == 2) {
      rn = rt = 0;
    } else {
      assert_greater(s * (q[1] + c * rn + b * rt), 0);
    }
    char text[256];
    snprintf(text, sizeof text, "2 1 4 0\n0 0 %g\n1 1 %g\n0 1 %g\n1 0 %g\n%g %g\n%g\n", a, b, c, c, q[0],
             q[1], mu);
    pk_contact_file *file = parse_good(text);
    const pk_contact_problem *p = pk_contact_file_problem(file);
    for (int solver = 0; solver < PK_SOLVER_COUNT; solver++) {
      pk_solver_options o = pk_solver_options_default();
      o.solver = (pk_solver)solver, o.tolerance = 1e-12;
      if (solver == PK_SOLVER_ACTIVE_SET || !pk_solver_suits(o.solver, p)) {
        continue; /* which is not sure alone */
      }
      void *memory = pki_aligned_alloc(pk_contact_solve_memsize(p, &o));
      pk_solver_result result;
      memset(r, 0, sizeof r);
      assert_int_equal(pk_contact_solve(p, &o, r, memory, &result), PK_OK);
      pk_contact_velocity(p, r, u);
      assert_near(r[0], rn, 1e-10);
      assert_near(r[1], rt, 1e-10);
      assert_near(r[2], 0, 1e-10);
      assert_near(u[2], 0, 1e-10);
      pki_aligned_free(memory);
    }
    pk_contact_file_destroy(file);
  }
}

static void a_problem_without_contacts_is_a_problem(void **state)
{
  (void)state;
  pk_contact_file *file = parse_good("3 0 0 0");
  assert_int_equal(pk_contact_size(pk_contact_file_problem(file)), 0);
  pk_contact_file_destroy(file);
}

static void the_header_is_checked(void **state)
{
  (void)state;
  assert_refused("", PK_ERROR_SYNTAX, 1, "header",
                 "found 'the end of the file' where the dimension (2 or 3) was expected");
  assert_refused("# only\n", PK_ERROR_SYNTAX, 2, "header",
                 "found 'the end of the file' where the dimension (2 or 3) was expected");
  assert_refused("three 1 3 0\n", PK_ERROR_SYNTAX, 1, "header",
                 "found 'three' where the dimension (2 or 3) was expected");
  assert_refused("3 1\n3 0\n", PK_ERROR_SYNTAX, 1, "header",
                 "found 'the end of the line' where the number of entries of W was expected");
  assert_refused("rows 3 1 0 3 0\n", PK_ERROR_SYNTAX, 1, "header",
                 "found 'the end of the line' where hassol (0 or 1) was expected");
  assert_refused("3 1.5 3 0\n", PK_ERROR_SYNTAX, 1, "header",
                 "found '1.5' where the number of contacts was expected");
  assert_refused("3 1 3 0 0\n", PK_ERROR_SYNTAX, 1, "header",
                 "found '0' where the end of the header's line was expected");
  assert_refused("3 1 3 2\n", PK_ERROR_SYNTAX, 1, "header", "hassol is 2; expected 0 or 1");
  assert_refused("3 -1 3 0\n", PK_ERROR_SYNTAX, 1, "header",
                 "there are -1 contacts; expected 0 to 268435455");
  assert_refused("1 1 3 0\n", PK_ERROR_SYNTAX, 1, "dim", "the contacts have dimension 1; expected 2 or 3");
  assert_refused("4 1 3 0\n", PK_ERROR_SYNTAX, 1, "dim", "the contacts have dimension 4; expected 2 or 3");
}

static void counts_are_held_against_the_bytes(void **state)
{
  (void)state;
  assert_refused(
      "3 200000000 3 0\n" DIAGONAL, PK_ERROR_SYNTAX, 1, "header",
      "3 entries and 800000000 other numbers take at least 1600000017 bytes, but only 19 follow; the file is "
      "truncated or its counts are wrong");
  assert_refused(
      "3 1 200000000 0\n" DIAGONAL "1 2 3\n.5\n", PK_ERROR_SYNTAX, 1, "header",
      "200000000 entries and 4 other numbers take at least 1200000007 bytes, but only 28 follow; the file is "
      "truncated or its counts are wrong");
}

static void entries_are_checked(void **state)
{
  (void)state;
  const char *rest = "1 1 2\n2 2 3\n1 2 3\n.5\n";
  static const struct {
    const char *line, *message;
  } cases[] = {
      {"0 3 1", "entry 0 of W has column 3; expected 0 to 2"},
      {"-1 0 1", "entry 0 of W has row -1; expected 0 to 2"},
      {"0 0 x", "found 'x' where a number was expected"},
      {"0 0 nan", "found 'nan' where a finite number was expected"},
      {"0 0 1e999", "found '1e999' where a finite number was expected"},
      {"0 0", "found 'the end of the line' where a number was expected"},
      {"0 0 1 1", "found '1' where the end of the line was expected"},
      {"0.5 0 1", "found '0.5' where a row index was expected"},
      {"0 \x01 1", "found 'byte 0x01' where a column index was expected"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[256];
    snprintf(text, sizeof text, "# c\n3 1 3 0\n%s\n%s", cases[i].line, rest);
    assert_refused(text, PK_ERROR_SYNTAX, 3, "W", cases[i].message);
  }
}

static void vectors_are_checked(void **state)
{
  (void)state;
  assert_refused("3 1 3 0\n" DIAGONAL "1 two 3\n.5\n", PK_ERROR_SYNTAX, 5, "q",
                 "found 'two' where a number was expected");
  assert_refused("3 1 3 0\n" DIAGONAL "1 inf 3\n.5\n", PK_ERROR_SYNTAX, 5, "q",
                 "found 'inf' where a finite number was expected");
  assert_refused("3 1 3 0\n" DIAGONAL "1 222 3\n\n", PK_ERROR_SYNTAX, 7, "mu",
                 "found 'the end of the file' where a number was expected");
  assert_refused("3 1 3 0\n" DIAGONAL "1 2 3\n.5\n7", PK_ERROR_SYNTAX, 7, "",
                 "found '7' where the end of the file was expected");
  assert_refused("rows 3 1 0 1 4 0\n" DIAGONAL "3 3 1\n1 2 3 4\n.5\nnan 3\n", PK_ERROR_SYNTAX, 8, "lower",
                 "found 'nan' where a number or inf was expected");
}

static void what_no_problem_has_is_refused(void **state)
{
  (void)state;
  assert_refused("3 1 3 0\n" DIAGONAL "1 2 3\n-.5\n", PK_ERROR_SYNTAX, 0, "mu",
                 "mu[0] is -0.5, expected zero or more");
  assert_refused("3 1 2 0\n0 0 1\n2 2 1\n1 2 3\n.5\n", PK_ERROR_SYNTAX, 0, "W",
                 "the diagonal of W in row 1 is 0, expected a positive number");
  assert_refused("rows 3 1 0 1 4 0\n" DIAGONAL "3 3 1\n1 2 3 4\n.5\n3 -3\n", PK_ERROR_SYNTAX, 0, "lower",
                 "box 0 is 3 to -3, expected lower <= upper");
  assert_refused("rows 3 1 0 1 4 0\n" DIAGONAL "3 3 1\n1 2 3 4\n.5\ninf inf\n", PK_ERROR_SYNTAX, 0, "lower",
                 "box 0 is inf to inf, which no impulse satisfies");
}

static void a_truncated_file_is_refused_wherever_it_ends(void **state)
{
  (void)state;
  const char text[] =
      "# c\nrows 3 1 1 1 5 1\n0 0 1.25\n1 1 2.5\n2 2 3\n3 3 1\n4 4 1\n1 2 3 4 5\n.5\n-1.5\n2.5\n1 2 3 4 55";
  for (size_t size = 0; size + 2 < sizeof text - 1; size++) {
    pk_contact_file *file = NULL;
    pk_error err = {0};
    const pk_status status = pki_contact_parse("cut.fc", text, size, &file, &err);
    assert_int_not_equal(status, PK_OK);
    assert_int_equal(err.status, status);
    assert_null(file);
    assert_true(err.message[0] != '\0');
  }
}

static void what_is_saved_is_loaded_to_the_bit(void **state)
{
  (void)state;
  static const int shapes[][3] = {{4, 0, 0}, {3, 2, 0}, {2, 0, 3}, {1, 4, 2}, {0, 3, 1}, {0, 0, 0}};
  for (uint64_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    for (int dense = 0; dense < 2; dense++) {
      sample *s = make_sample(i + 1, shapes[i][0], shapes[i][1], shapes[i][2], dense ? 1 : 0.3);
      if (pk_contact_size(&s->problem) > 0 || dense) {
        assert_survives(&s->problem, "survives.fc");
      }
      free(s);
    }
  }
}

static void a_comma_in_the_locale_changes_nothing(void **state)
{
  (void)state;
  sample *s = make_sample(9, 2, 1, 1, 0.5);
  comma = true;
  assert_survives(&s->problem, "locale.fc");
  comma = false;
  free(s);
}

static void what_cannot_be_opened_is_refused(void **state)
{
  (void)state;
  pk_contact_file *file = NULL;
  pk_error err = {0};
  assert_int_equal(pk_contact_load("absent.fc", &file, &err), PK_ERROR_FILE);
  assert_error(&err, PK_ERROR_FILE, "absent.fc", 0, "",
               "the file cannot be opened: No such file or directory");
  assert_int_equal(pk_contact_load("absent.txt", &file, &err), PK_ERROR_UNSUPPORTED);
  assert_error(&err, PK_ERROR_UNSUPPORTED, "absent.txt", 0, "",
               "the name ends in '.txt'; expected a contact problem: .fc (text), .hdf5 or .h5 (FCLIB); .lcp "
               "is for complementarity problems");
  assert_int_equal(mkdir("folder.fc", 0777), 0);
  assert_int_equal(pk_contact_load("folder.fc", &file, &err), PK_ERROR_FILE);
  assert_error(&err, PK_ERROR_FILE, "folder.fc", 0, "", "this is a directory; expected a contact problem");
  remove("folder.fc");
}

static void a_save_that_fails_leaves_nothing(void **state)
{
  (void)state;
  sample *s = make_sample(3, 1, 0, 0, 0.5);
  pk_error err = {0};
  assert_int_equal(pk_contact_save(&s->problem, "no/such/folder.fc", &err), PK_ERROR_FILE);
  assert_error(&err, PK_ERROR_FILE, "no/such/folder.fc", 0, "",
               "cannot be written: No such file or directory");
  assert_int_equal(mkdir("taken.fc", 0777), 0);
  assert_int_equal(pk_contact_save(&s->problem, "taken.fc", &err), PK_ERROR_FILE);
  assert_error(&err, PK_ERROR_FILE, "taken.fc", 0, "",
               "cannot be written: it is a folder, expected a regular file or a name that is free");
  assert_int_not_equal(access("taken.fc.pronk-1.tmp", F_OK), 0);
  remove("taken.fc");
  s->mu[0] = -1;
  assert_int_equal(pk_contact_save(&s->problem, "invalid.fc", &err), PK_ERROR_ARGUMENT);
  assert_null(fopen("invalid.fc", "r"));
  free(s);
}

/* Problems of others, when their folder is named. */
static void collected_problems_are_read_and_saved(void **state)
{
  (void)state;
  const char *folder = getenv("PRONK_PROBLEMS");
  DIR *dir = folder ? opendir(folder) : NULL;
  if (dir == NULL) {
    skip();
    return;
  }
  int count = 0;
  for (const struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
    const char *dot = strrchr(d->d_name, '.');
    if (dot == NULL || strcmp(dot, ".fc") != 0) {
      continue;
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
    pk_contact_file *file = NULL;
    pk_error err = {0};
    if (pk_contact_load(path, &file, &err) != PK_OK) {
      fail_msg("%s:%d: %s: %s", path, err.line, err.field, err.message);
    }
    const pk_contact_problem *p = pk_contact_file_problem(file);
    assert_greater(p->ncontact, 0);
    if (pk_contact_size(p) < 1000) {
      assert_survives(p, "collected.fc");
    }
    pk_contact_file_destroy(file);
    count++;
  }
  closedir(dir);
  assert_greater(count, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_problem_is_read),
      cmocka_unit_test(comments_and_ends_of_lines_may_stand_anywhere),
      cmocka_unit_test(entries_at_the_same_place_add_up),
      cmocka_unit_test(a_full_matrix_is_dense),
      cmocka_unit_test(bilateral_and_box_rows_are_read),
      cmocka_unit_test(a_problem_in_the_plane_is_embedded),
      cmocka_unit_test(contacts_in_the_plane_have_their_closed_form),
      cmocka_unit_test(a_problem_without_contacts_is_a_problem),
      cmocka_unit_test(the_header_is_checked),
      cmocka_unit_test(counts_are_held_against_the_bytes),
      cmocka_unit_test(entries_are_checked),
      cmocka_unit_test(vectors_are_checked),
      cmocka_unit_test(what_no_problem_has_is_refused),
      cmocka_unit_test(a_truncated_file_is_refused_wherever_it_ends),
      cmocka_unit_test(what_is_saved_is_loaded_to_the_bit),
      cmocka_unit_test(a_comma_in_the_locale_changes_nothing),
      cmocka_unit_test(what_cannot_be_opened_is_refused),
      cmocka_unit_test(a_save_that_fails_leaves_nothing),
      cmocka_unit_test(collected_problems_are_read_and_saved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
