/* Contact problems in FCLIB's layout: what is read, what is written, what each mistake is answered with. */
#define _POSIX_C_SOURCE 200809L
#include "file_help.h"
#include "support/bounds.h"

#ifndef PKI_HAVE_HDF5

static void without_hdf5_the_message_says_what_to_install(void **state)
{
  (void)state;
  sample *s = make_sample(1, 1, 0, 0, 0.5);
  pk_error err = {0};
  assert_int_equal(pk_contact_save(&s->problem, "absent.hdf5", &err), PK_ERROR_UNSUPPORTED);
  assert_error(&err, PK_ERROR_UNSUPPORTED, "absent.hdf5", 0, "",
               "this pronk was built without HDF5; install libhdf5-dev (Debian) and build with "
               "PK_WITH_HDF5=ON, or use the "
               "text format .fc");
  free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_hdf5_the_message_says_what_to_install)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static const char path[] = "test.hdf5";

/* ---- making files ---- */

static hid_t begin(void)
{
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_at_least(file, 0);
  return file;
}

static void put(hid_t file, const char *name, hid_t type, const void *values, hsize_t count)
{
  const hid_t space = H5Screate_simple(1, &count, NULL), links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) {
    H5Ldelete(file, name, H5P_DEFAULT);
  }
  const hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  assert_at_least(set, 0);
  assert_true(values == NULL || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(links);
}

static void put_int(hid_t file, const char *name, int value)
{
  put(file, name, H5T_NATIVE_INT, &value, 1);
}

static void put_reals(hid_t file, const char *name, const double *values, int count)
{
  put(file, name, H5T_NATIVE_DOUBLE, values, (hsize_t)count);
}

typedef struct matrix {
  int m, n, nz, np, count;
  const int *p, *i;
  const double *x;
} matrix;

static void put_matrix(hid_t file, const char *group, matrix a)
{
  char name[128];
  const struct {
    const char *part;
    int value;
  } ints[] = {{"m", a.m}, {"n", a.n}, {"nz", a.nz}, {"nzmax", a.count}};
  for (size_t k = 0; k < 4; k++) {
    snprintf(name, sizeof name, "%s/%s", group, ints[k].part);
    put_int(file, name, ints[k].value);
  }
  snprintf(name, sizeof name, "%s/p", group);
  put(file, name, H5T_NATIVE_INT, a.p, (hsize_t)a.np);
  snprintf(name, sizeof name, "%s/i", group);
  put(file, name, H5T_NATIVE_INT, a.i, (hsize_t)a.count);
  snprintf(name, sizeof name, "%s/x", group);
  put_reals(file, name, a.x, a.count);
}

/* W = [2 1 0; 0 3 0; 4 0 5] in each of the three ways. */
static const double W_full[9] = {2, 1, 0, 0, 3, 0, 4, 0, 5};
static const double three[3] = {1, 2, 3}, half[1] = {0.5};
static const matrix W_rows = {
    3, 3, -2, 4, 5, (const int[]){0, 2, 3, 5}, (const int[]){0, 1, 1, 0, 2}, (const double[]){2, 1, 3, 4, 5}};
static const matrix W_columns = {
    3, 3, -1, 4, 5, (const int[]){0, 2, 4, 5}, (const int[]){0, 2, 0, 1, 2}, (const double[]){2, 4, 1, 3, 5}};
static const matrix W_entries = {3,
                                 3,
                                 6,
                                 6,
                                 6,
                                 (const int[]){2, 0, 1, 0, 1, 0},
                                 (const int[]){2, 0, 0, 2, 1, 0},
                                 (const double[]){5, 1.5, 1, 4, 3, 0.5}};

static hid_t begin_local(matrix W)
{
  const hid_t file = begin();
  put_int(file, "fclib_local/spacedim", 3);
  put_matrix(file, "fclib_local/W", W);
  put_reals(file, "fclib_local/vectors/q", three, 3);
  put_reals(file, "fclib_local/vectors/mu", half, 1);
  return file;
}

/* One body of mass 2 and a contact; w = 1 2 3. */
static hid_t begin_global(void)
{
  static const int index[] = {0, 1, 2};
  static const double twos[] = {2, 2, 2}, ones[] = {1, 1, 1}, f[] = {0, 0, -4};
  const hid_t file = begin();
  put_int(file, "fclib_global/spacedim", 3);
  put_matrix(file, "fclib_global/M", (matrix){3, 3, 3, 3, 3, index, index, twos});
  put_matrix(file, "fclib_global/H", (matrix){3, 3, 3, 3, 3, index, index, ones});
  put_reals(file, "fclib_global/vectors/f", f, 3);
  put_reals(file, "fclib_global/vectors/w", three, 3);
  put_reals(file, "fclib_global/vectors/mu", half, 1);
  return file;
}

/* ---- asking ---- */

static pk_contact_file *load_good(hid_t file)
{
  H5Fclose(file);
  pk_contact_file *out = NULL;
  pk_error err = {0};
  if (pk_contact_load(path, &out, &err) != PK_OK) {
    fail_msg("%s: %s", err.field, err.message);
  }
  return out;
}

static void assert_refused(hid_t file, pk_status status, const char *field, const char *message)
{
  H5Fclose(file);
  pk_contact_file *out = NULL;
  pk_error err = {0};
  assert_int_equal(pk_contact_load(path, &out, &err), status);
  assert_null(out);
  assert_error(&err, status, path, 0, field, message);
}

static void assert_entries(const pk_contact_problem *p, const double *W)
{
  const int n = pk_contact_size(p);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      assert_true(pki_entry(p, i, j) == W[i * n + j]);
    }
  }
}

static int clean(void **state)
{
  (void)state;
  remove(path);
  return 0;
}

/* ---- tests ---- */

static void matrices_are_read_in_all_three_ways(void **state)
{
  (void)state;
  const matrix ways[] = {W_rows, W_columns, W_entries};
  for (int k = 0; k < 3; k++) {
    pk_contact_file *file = load_good(begin_local(ways[k]));
    const pk_contact_problem *p = pk_contact_file_problem(file);
    assert_entries(p, W_full);
    assert_same_bits(p->q, three, 3);
    assert_true(p->mu[0] == 0.5);
    pk_contact_file_destroy(file);
  }
}

/* W = [2 1; 0.5 4] and one multiplier; and a body of mass 4 in the plane on the ground: W = 1/4, q = f/4 + w. */
static void problems_in_the_plane_are_embedded(void **state)
{
  (void)state;
  static const int index[] = {0, 1};
  static const double twos[] = {2, 2}, fours[] = {4, 4}, ones[] = {1, 1}, f[] = {-4, 3}, w[] = {0.5, 0};
  hid_t file = begin();
  put_int(file, "fclib_local/spacedim", 2);
  put_matrix(file, "fclib_local/W",
             (matrix){2, 2, -2, 3, 4, (const int[]){0, 2, 4}, (const int[]){0, 1, 0, 1},
                      (const double[]){2, 1, 0.5, 4}});
  put_reals(file, "fclib_local/vectors/q", three, 2);
  put_reals(file, "fclib_local/vectors/mu", half, 1);
  put_matrix(file, "fclib_local/V", (matrix){2, 1, 1, 1, 1, index, index + 1, twos});
  put_matrix(file, "fclib_local/R", (matrix){1, 1, 1, 1, 1, index, index, (const double[]){7}});
  put_reals(file, "fclib_local/vectors/s", three + 2, 1);
  pk_contact_file *local = load_good(file);
  assert_int_equal(pk_contact_file_dimension(local), 2);
  assert_entries(pk_contact_file_problem(local),
                 (const double[]){2, 1, 0, 0, 0.5, 4, 0, 2, 0, 0, 3, 0, 0, 2, 0, 7});
  assert_same_bits(pk_contact_file_problem(local)->q, (const double[]){1, 2, 0, 3}, 4);
  pk_contact_file_destroy(local);
  file = begin();
  put_int(file, "fclib_global/spacedim", 2);
  put_matrix(file, "fclib_global/M", (matrix){2, 2, 2, 2, 2, index, index, fours});
  put_matrix(file, "fclib_global/H", (matrix){2, 2, 2, 2, 2, index, index, ones});
  put_reals(file, "fclib_global/vectors/f", f, 2);
  put_reals(file, "fclib_global/vectors/w", w, 2);
  put_reals(file, "fclib_global/vectors/mu", half, 1);
  pk_contact_file *global = load_good(file);
  assert_int_equal(pk_contact_file_dimension(global), 2);
  assert_entries(pk_contact_file_problem(global), (const double[]){0.25, 0, 0, 0, 0.25, 0, 0, 0, 0.25});
  assert_same_bits(pk_contact_file_problem(global)->q, (const double[]){-0.5, 0.75, 0}, 3);
  pk_contact_file_destroy(global);
}

static void multipliers_become_bilateral_rows(void **state)
{
  (void)state;
  const hid_t file = begin_local(W_rows);
  const double s[1] = {7};
  put_matrix(file, "fclib_local/V",
             (matrix){3, 1, 2, 2, 2, (const int[]){0, 0}, (const int[]){0, 2}, (const double[]){8, 9}});
  put_matrix(file, "fclib_local/R",
             (matrix){1, 1, -2, 2, 1, (const int[]){0, 1}, (const int[]){0}, (const double[]){10}});
  put_reals(file, "fclib_local/vectors/s", s, 1);
  pk_contact_file *out = load_good(file);
  const pk_contact_problem *p = pk_contact_file_problem(out);
  assert_int_equal(p->ncontact, 1);
  assert_int_equal(p->nbilateral, 1);
  const double W[16] = {2, 1, 0, 8, 0, 3, 0, 0, 4, 0, 5, 9, 8, 0, 9, 10}, q[4] = {1, 2, 3, 7};
  assert_entries(p, W);
  assert_same_bits(p->q, q, 4);
  pk_contact_file_destroy(out);
}

static void bodies_are_condensed(void **state)
{
  (void)state;
  const hid_t file = begin_global();
  const double b[1] = {4};
  put_matrix(file, "fclib_global/G",
             (matrix){3, 1, 1, 1, 1, (const int[]){0}, (const int[]){1}, (const double[]){6}});
  put_reals(file, "fclib_global/vectors/b", b, 1);
  pk_contact_file *out = load_good(file);
  const pk_contact_problem *p = pk_contact_file_problem(out);
  const double W[16] = {0.5, 0, 0, 0, 0, 0.5, 0, 3, 0, 0, 0.5, 0, 0, 3, 0, 18}, q[4] = {1, 2, 1, 4};
  assert_int_equal(p->nbilateral, 1);
  for (int i = 0; i < 4; i++) {
    assert_less(fabs(p->q[i] - q[i]), 1e-14);
    for (int j = 0; j < 4; j++) {
      assert_less(fabs(pki_entry(p, i, j) - W[4 * i + j]), 1e-14);
    }
  }
  pk_contact_file_destroy(out);
}

static void what_is_saved_is_loaded_to_the_bit(void **state)
{
  (void)state;
  static const int shapes[][2] = {{4, 0}, {3, 2}, {1, 4}, {0, 3}};
  for (uint64_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    for (int dense = 0; dense < 2; dense++) {
      sample *s = make_sample(i + 1, shapes[i][0], shapes[i][1], 0, dense ? 1 : 0.3);
      assert_survives(&s->problem, "survives.hdf5");
      free(s);
    }
  }
}

static void box_rows_are_refused_when_saved(void **state)
{
  (void)state;
  sample *s = make_sample(1, 1, 0, 2, 0.5);
  pk_error err = {0};
  assert_int_equal(pk_contact_save(&s->problem, path, &err), PK_ERROR_UNSUPPORTED);
  assert_error(&err, PK_ERROR_UNSUPPORTED, path, 0, "",
               "the problem has 2 box rows, which FCLIB's layout lacks; save it as .fc");
  assert_int_not_equal(access(path, F_OK), 0);
  free(s);
}

static void other_files_are_refused(void **state)
{
  (void)state;
  assert_refused(begin(), PK_ERROR_SYNTAX, "",
                 "there is no contact problem in it; expected a group fclib_local or fclib_global");
  FILE *text = fopen(path, "w");
  assert_non_null(text);
  fputs("3 0 0 0\n", text);
  fclose(text);
  assert_refused(-1, PK_ERROR_SYNTAX, "", "this is no HDF5 file, or it is damaged");
}

static void what_is_missing_is_named(void **state)
{
  (void)state;
  static const char *const local[] = {"fclib_local/W/m", "fclib_local/W/p", "fclib_local/spacedim",
                                      "fclib_local/vectors/q", "fclib_local/vectors/mu"};
  for (size_t k = 0; k < sizeof local / sizeof local[0]; k++) {
    const hid_t file = begin_local(W_rows);
    H5Ldelete(file, local[k], H5P_DEFAULT);
    assert_refused(file, PK_ERROR_SYNTAX, local[k], "it is missing");
  }
  static const char *const global[] = {"fclib_global/M/x", "fclib_global/H/i", "fclib_global/vectors/f",
                                       "fclib_global/vectors/w", "fclib_global/vectors/mu"};
  for (size_t k = 0; k < sizeof global / sizeof global[0]; k++) {
    const hid_t file = begin_global();
    H5Ldelete(file, global[k], H5P_DEFAULT);
    assert_refused(file, PK_ERROR_SYNTAX, global[k], "it is missing");
  }
  /* V asks for R and s */
  const hid_t file = begin_local(W_rows);
  put_matrix(file, "fclib_local/V", W_rows);
  assert_refused(file, PK_ERROR_SYNTAX, "fclib_local/R/m", "it is missing");
}

static void numbers_are_checked(void **state)
{
  (void)state;
  hid_t file = begin_local(W_rows);
  put_int(file, "fclib_local/spacedim", 2);
  assert_refused(file, PK_ERROR_SYNTAX, "fclib_local/spacedim",
                 "there are 3 rows of contacts, expected a multiple of 2");
  file = begin_local(W_rows);
  put_int(file, "fclib_local/spacedim", 4);
  assert_refused(file, PK_ERROR_SYNTAX, "fclib_local/spacedim",
                 "the contacts have dimension 4; expected 2 or 3");
  file = begin_local(W_rows);
  put_reals(file, "fclib_local/spacedim", three, 1);
  assert_refused(file, PK_ERROR_SYNTAX, "fclib_local/spacedim", "it does not hold whole numbers");
  file = begin_local(W_rows);
  put_reals(file, "fclib_local/vectors/q", three, 2);
  assert_refused(file, PK_ERROR_SYNTAX, "fclib_local/vectors/q", "it has 2 numbers, expected 3");
  file = begin_local(W_rows);
  put_reals(file, "fclib_local/vectors/q", (const double[]){1, NAN, 3}, 3);
  assert_refused(file, PK_ERROR_SYNTAX, "fclib_local/vectors/q", "number 1 is nan, expected a finite number");
  file = begin_local(W_rows);
  put_reals(file, "fclib_local/vectors/mu", (const double[]){-1}, 1);
  assert_refused(file, PK_ERROR_SYNTAX, "mu", "mu[0] is -1, expected zero or more");
  file = begin_local(W_rows);
  put(file, "fclib_local/W/m", H5T_NATIVE_INT, (const int[]){3, 3}, 2);
  assert_refused(file, PK_ERROR_SYNTAX, "fclib_local/W/m", "it has 2 numbers, expected one");
}

static void matrices_are_checked(void **state)
{
  (void)state;
  const struct {
    matrix W;
    const char *field, *message;
  } cases[] = {
      {{3, 3, -3, 4, 5, W_rows.p, W_rows.i, W_rows.x},
       "fclib_local/W",
       "m = 3, n = 3, nz = -3; expected sizes of 0 to 134217728, and nz = -2 (rows), -1 (columns) or 0 or "
       "more "
       "(entries)"},
      {{3, 4, -2, 4, 5, W_rows.p, W_rows.i, W_rows.x}, "fclib_local/W", "it is 3 by 4, expected 3 by 3"},
      {{4, 4, -2, 4, 5, W_rows.p, W_rows.i, W_rows.x}, "fclib_local/W/p", "it has 4 numbers, expected 5"},
      {{3, 3, -2, 4, 4, W_rows.p, W_rows.i, W_rows.x},
       "fclib_local/W/i",
       "it has 4 numbers, but the matrix has 5 entries"},
      {{3, 3, -2, 4, 5, (const int[]){0, 3, 2, 5}, W_rows.i, W_rows.x},
       "fclib_local/W/p",
       "number 2 is 2; expected numbers that begin at 0 and never fall"},
      {{3, 3, -2, 4, 5, (const int[]){1, 2, 3, 5}, W_rows.i, W_rows.x},
       "fclib_local/W/p",
       "number 0 is 1; expected numbers that begin at 0 and never fall"},
      {{3, 3, -2, 4, 5, W_rows.p, (const int[]){0, 1, 3, 0, 2}, W_rows.x},
       "fclib_local/W",
       "entry 2 is at row 1, column 3; the matrix is 3 by 3"},
      {{3, 3, -2, 4, 5, W_rows.p, W_rows.i, (const double[]){2, 1, INFINITY, 4, 5}},
       "fclib_local/W/x",
       "number 2 is inf, expected a finite number"},
      {{3, 3, 7, 6, 6, W_entries.p, W_entries.i, W_entries.x},
       "fclib_local/W/p",
       "it has 6 numbers, but the matrix has 7 entries"},
      {{4, 4, -2, 5, 5, (const int[]){0, 2, 3, 5, 5}, W_rows.i, W_rows.x},
       "fclib_local/spacedim",
       "there are 4 rows of contacts, expected a multiple of 3"},
      {{3, 3, -2, 4, 4, (const int[]){0, 1, 2, 4}, (const int[]){0, 0, 0, 2}, W_rows.x},
       "W",
       "the diagonal of W in row 1 is 0, expected a positive number"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    assert_refused(begin_local(cases[k].W), PK_ERROR_SYNTAX, cases[k].field, cases[k].message);
  }
}

static void a_dataset_that_was_never_written_costs_no_memory(void **state)
{
  (void)state;
  const hid_t file = begin_local(W_rows);
  put(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, NULL, 100000000);
  H5Fclose(file);
  pk_contact_file *out = NULL;
  pk_error err = {0};
  assert_int_equal(pk_contact_load(path, &out, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.field, "fclib_local/vectors/q");
  assert_non_null(strstr(err.message, "it declares 100000000 numbers in 0 bytes"));
}

static void links_to_other_files_are_not_followed(void **state)
{
  (void)state;
  hid_t file = begin_local(W_rows);
  H5Ldelete(file, "fclib_local/vectors/q", H5P_DEFAULT);
  H5Lcreate_external("other.hdf5", "/q", file, "fclib_local/vectors/q", H5P_DEFAULT, H5P_DEFAULT);
  assert_refused(file, PK_ERROR_SYNTAX, "fclib_local/vectors/q", "it is missing");

  file = begin_local(W_rows);
  H5Ldelete(file, "fclib_local/vectors/q", H5P_DEFAULT);
  const hsize_t count = 3;
  const hid_t space = H5Screate_simple(1, &count, NULL), made = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(made, "other.bin", 0, 3 * sizeof(double));
  H5Dclose(
      H5Dcreate2(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(made);
  assert_refused(file, PK_ERROR_UNSUPPORTED, "fclib_local/vectors/q", "its numbers are in another file");
}

static void a_truncated_file_is_refused(void **state)
{
  (void)state;
  H5Fclose(begin_local(W_rows));
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  fclose(file);
  for (long cut = size - 1; cut >= 0; cut -= 97) {
    assert_int_equal(truncate(path, cut), 0);
    pk_contact_file *out = NULL;
    pk_error err = {0};
    const pk_status status = pk_contact_load(path, &out, &err);
    assert_int_not_equal(status, PK_OK);
    assert_int_equal(err.status, status);
    assert_null(out);
  }
}

/* libhdf5 must not be left with a file that it cannot finish: it would crash when the program ends. */
static void a_save_without_room_is_told_and_leaves_nothing(void **state)
{
  (void)state;
  sample *s = make_sample(1, 1, 0, 0, 0.5);
  struct rlimit before;
  pk_error err = {0};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, before.rlim_max}), 0);
  const pk_status status = pk_contact_save(&s->problem, path, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(status, PK_ERROR_FILE);
  assert_error(&err, PK_ERROR_FILE, path, 0, "", "cannot be written: File too large");
  assert_int_not_equal(access(path, F_OK), 0);
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
  free(s);
}

/* What HDF5 does with its errors is the user's choice, before and after. */
static herr_t count_errors(hid_t stack, void *data)
{
  (void)stack;
  ++*(int *)data;
  return 0;
}

static void the_users_error_handler_is_neither_called_nor_lost(void **state)
{
  (void)state;
  H5E_auto2_t before, after;
  void *before_data, *after_data;
  int calls = 0;
  H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
  H5Eset_auto2(H5E_DEFAULT, count_errors, &calls);
  assert_refused(begin(), PK_ERROR_SYNTAX, "",
                 "there is no contact problem in it; expected a group fclib_local or fclib_global");
  sample *s = make_sample(1, 1, 0, 0, 0.5);
  assert_int_equal(pk_contact_save(&s->problem, "no/such/folder.h5", NULL), PK_ERROR_FILE);
  free(s);
  assert_int_equal(calls, 0);
  H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
  assert_true(after == count_errors && after_data == &calls);
  H5Eset_auto2(H5E_DEFAULT, before, before_data);
}

/* Problems of others, when their folder is named: the same one as text and as HDF5, and two with bodies. */
static void collected_problems_are_read(void **state)
{
  (void)state;
  const char *folder = getenv("PRONK_PROBLEMS");
  if (folder == NULL) {
    skip();
  }
  static const struct {
    const char *name;
    int ncontact;
  } cases[] = {{"Capsules-i97-269.fc", 216},
               {"Capsules-i97-269.hdf5", 216},
               {"Box_Stacks-i0035-31-0.hdf5", 31},
               {"CubeH8.hdf5", 1}};
  pk_contact_file *files[4] = {NULL};
  for (int i = 0; i < 4; i++) {
    char name[1024];
    snprintf(name, sizeof name, "%s/%s", folder, cases[i].name);
    if (access(name, R_OK) != 0) {
      continue;
    }
    pk_error err = {0};
    if (pk_contact_load(name, &files[i], &err) != PK_OK) {
      fail_msg("%s: %s: %s", name, err.field, err.message);
    }
    assert_int_equal(pk_contact_file_problem(files[i])->ncontact, cases[i].ncontact);
    assert_survives(pk_contact_file_problem(files[i]), "collected.h5");
  }
  if (files[0] != NULL && files[1] != NULL) {
    assert_same_problem(pk_contact_file_problem(files[0]), pk_contact_file_problem(files[1]));
  }
  for (int i = 0; i < 4; i++) {
    pk_contact_file_destroy(files[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(matrices_are_read_in_all_three_ways, clean),
      cmocka_unit_test_teardown(problems_in_the_plane_are_embedded, clean),
      cmocka_unit_test_teardown(multipliers_become_bilateral_rows, clean),
      cmocka_unit_test_teardown(bodies_are_condensed, clean),
      cmocka_unit_test_teardown(what_is_saved_is_loaded_to_the_bit, clean),
      cmocka_unit_test_teardown(box_rows_are_refused_when_saved, clean),
      cmocka_unit_test_teardown(other_files_are_refused, clean),
      cmocka_unit_test_teardown(what_is_missing_is_named, clean),
      cmocka_unit_test_teardown(numbers_are_checked, clean),
      cmocka_unit_test_teardown(matrices_are_checked, clean),
      cmocka_unit_test_teardown(a_dataset_that_was_never_written_costs_no_memory, clean),
      cmocka_unit_test_teardown(links_to_other_files_are_not_followed, clean),
      cmocka_unit_test_teardown(a_truncated_file_is_refused, clean),
      cmocka_unit_test_teardown(a_save_without_room_is_told_and_leaves_nothing, clean),
      cmocka_unit_test_teardown(the_users_error_handler_is_neither_called_nor_lost, clean),
      cmocka_unit_test_teardown(collected_problems_are_read, clean),
  };
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* put() asks for groups that are not there */
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
