/* Compiled robots: what is compiled, kept, checked and loaded, and that it computes what the generic kernels do. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "dynamics/code.h"
#include "dynamics/workspace.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/random_tree.h"
#include "support/robot_source.h"

typedef struct fixture {
  char folder[64]; /* of the cache */
  pk_model *model;
  int compiled; /* how often a compiler was started */
} fixture;

static void count(void *user, int lanes)
{
  (void)lanes;
  ((fixture *)user)->compiled++;
}

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  pki_random rng = pki_random_seeded(7);
  const random_tree_options options = {.links = 5, .root = PK_ROOT_FREE};
  strcpy(f->folder, "/tmp/pronk-code-XXXXXX");
  f->model = random_tree(&rng, &options);
  *state = f;
  return mkdtemp(f->folder) == NULL;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  chmod(f->folder, 0700);
  pki_folder_remove(f->folder);
  pk_model_destroy(f->model);
  free(f);
  return 0;
}

static pk_code_options options_of(fixture *f)
{
  pk_code_options o = pk_code_options_default();
  o.folder = f->folder, o.compiling = count, o.user = f;
  return o;
}

static pk_code *open_code(fixture *f, const pk_code_options *o)
{
  pk_code *code = NULL;
  pk_error err = {.message = ""};
  if (pki_code_open(f->model, o, robot_source, &code, &err) != PK_OK) {
    fail_msg("%s: %s", err.file, err.message);
  }
  return code;
}

static void must_fail(fixture *f, const pk_code_options *o, pk_status status, const char *part)
{
  pk_code *code;
  pk_error err = {.message = ""};
  assert_int_equal(pki_code_open(f->model, o, robot_source, &code, &err), status);
  assert_null(code);
  if (strstr(err.message, part) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", err.message, part);
  }
}

/* The path of the code's file, after it was closed. */
static void close_code(pk_code *code, char path[4096])
{
  strcpy(path, pk_code_get_info(code)->path);
  pk_code_close(code);
}

/* ---- what it computes ---- */

/* a by composite bodies with and without code, lane by lane. */
static void compiled_factors_solve_as_generic_ones(void **state)
{
  fixture *f = *state;
  pk_code_options o = options_of(f);
  o.lanes = 12;
  pki_random rng = pki_random_seeded(3);
  static const char *const compilers[] = {"clang", "gcc"};
  for (int c = 0; c < 2; c++) {
    o.compiler = compilers[c];
    pk_code *code = open_code(f, &o);
    const pk_code_info *info = pk_code_get_info(code);
    assert_int_equal(info->functions, 3);
    assert_int_equal(info->lanes, 8);
    assert_non_null(strstr(info->compiler, compilers[c]));
    print_message("%s\n", info->compiler);
    pk_workspace *w, *mine;
    pk_workspace_create(f->model, &w, NULL);
    pk_workspace_create(f->model, &mine, NULL);
    assert_int_equal(pk_workspace_use(mine, code, NULL), PK_OK);
    assert_ptr_not_equal(mine->kernels->ltl_factor, w->kernels->ltl_factor);
    const int nu = f->model->nu;
    double q[64], u[64], tau[64], a[64], b[64];
    for (int round = 0; round < 20; round++) {
      random_config(&rng, f->model, q);
      random_vector(&rng, nu, 2, u);
      random_vector(&rng, nu, 5, tau);
      assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_CRBA, q, u, tau, a), PK_OK);
      assert_int_equal(pk_forward_dynamics(mine, PK_DYNAMICS_METHOD_CRBA, q, u, tau, b), PK_OK);
      double most = 0, apart = 0;
      for (int k = 0; k < nu; k++) {
        most = fmax(most, fabs(a[k])), apart = fmax(apart, fabs(a[k] - b[k]));
      }
      assert_at_most(apart, 1e-10 * most); /* M's condition is below 1e5 */
    }
    pk_workspace_destroy(w);
    pk_workspace_destroy(mine);
    pk_code_close(code);
  }
}

/* Functions that write what they were given, in place of dynamics. */
static pk_status echo_source(const pk_model *m, pki_text *out, pk_error *err)
{
  (void)err;
  pki_text_addf(out,
                "enum { N = %d, NQ = %d, NU = %d };\n"
                "void robot_kinematics(const double *q, double *pose, double *origin)\n{\n"
                "  for (int i = 0; i < 12 * N; i++) pose[i] = q[0] + i;\n"
                "  for (int i = 0; i < 3 * N; i++) origin[i] = q[NQ - 1] - i;\n}\n"
                "void robot_acceleration(const double *q, const double *u, const double *tau, double *a)\n{\n"
                "  for (int k = 0; k < NU; k++) a[k] = q[0] + u[k] + tau[k];\n}\n"
                "void robot_bias(const double *q, const double *u, double *h)\n{\n"
                "  for (int k = 0; k < NU; k++) h[k] = q[0] - u[k];\n}\n"
                "void robot_rnea(const double *q, const double *u, const double *a, double *tau)\n{\n"
                "  for (int k = 0; k < NU; k++) tau[k] = q[0] - u[k] + a[k];\n}\n"
                "void robot_acceleration_open(const double *q, const double *u, const double *tau,\n"
                "                             const double *inertia, const double *diag, double *a)\n{\n"
                "  for (int k = 0; k < NU; k++) a[k] = q[0] + u[k] + tau[k] + inertia[k] + diag[k];\n}\n"
                "void robot_rnea_open(const double *q, const double *u, const double *a,\n"
                "                     const double *inertia, const double *armature, double *tau)\n{\n"
                "  for (int k = 0; k < NU; k++) tau[k] = q[0] - u[k] + a[k] + inertia[k] + armature[k];\n}\n",
                m->nbody, m->nq, m->nu);
  pki_text_addf(out,
                "void robot_inertial(const double *q, const double *u, const double *inertia, const double "
                "*diag, double *pose, double *origin, double *twist, double *h, double *M)\n{\n"
                "  robot_kinematics(q, pose, origin);\n"
                "  for (int i = 0; i < 6 * N; i++) twist[i] = u[0] * i;\n"
                "  for (int k = 0; k < NU; k++) h[k] = u[k];\n"
                "  M[0] = diag[0], M[1] = inertia[1];\n}\n");
  return PK_OK;
}

static void functions_are_given_the_arrays_of_their_bodies(void **state)
{
  fixture *f = *state;
  const pk_code_options o = options_of(f);
  pk_code *code;
  const pk_model *m = f->model;
  assert_int_equal(pki_code_open(m, &o, echo_source, &code, NULL), PK_OK);
  assert_int_equal(pk_code_get_info(code)->functions, 7);
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  assert_int_equal(pk_workspace_use(w, code, NULL), PK_OK);
  double q[64], u[64], tau[64], out[64], *const inertia = w->work.params.grouped;
  for (int k = 0; k < 64; k++) {
    q[k] = 0.5 + k, u[k] = 2 + k, tau[k] = 3 * k;
  }
  for (int k = 0; k < m->nu; k++) {
    inertia[k] = 100 + k;
  }
  const double *const diag = w->work.params.armature;
  memset(w->work.pose + 12, 0xff, 12 * (size_t)m->nbody * sizeof(double));
  pk_kinematics_compute(w, q, NULL);
  static const double identity[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  assert_memory_equal(w->work.pose, identity, sizeof identity); /* the world */
  for (int i = 0; i < 12 * m->nbody; i++) {
    assert_true(w->work.pose[12 + i] == q[0] + i);
  }
  for (int i = 0; i < 3 * m->nbody; i++) {
    assert_true(w->work.origin[3 + i] == q[m->nq - 1] - i);
  }
  assert_true(w->work.origin[0] == 0 && w->work.origin[1] == 0 && w->work.origin[2] == 0);
  w->kernels->inertial(&w->work, q, u, out);
  assert_true(w->work.twist[5] == 0 && w->work.twist[7] == u[0] && w->work.M[0] == w->work.diag[0]);
  assert_true(w->work.M[1] == inertia[1]);
  assert_true(out[m->nu - 1] == u[m->nu - 1]);
  for (int open = 0; open < 2; open++) {
    w->work.params.varied = open;
    assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_AUTO, q, u, tau, out), PK_OK);
    assert_true(out[1] == q[0] + u[1] + tau[1] + open * (inertia[1] + diag[1]));
    pk_inverse_dynamics(w, q, u, NULL, out);
    assert_true(out[2] == q[0] - u[2] + open * (inertia[2] + diag[2]));
    pk_inverse_dynamics(w, q, u, tau, out);
    assert_true(out[2] == q[0] - u[2] + tau[2] + open * (inertia[2] + diag[2]));
  }
  assert_int_equal(pk_workspace_use(w, NULL, NULL), PK_OK);
  assert_ptr_equal(w->kernels, pki_kernels_get(1));
  pk_workspace_destroy(w);
  pk_code_close(code);
}

static void code_of_another_model_is_refused(void **state)
{
  fixture *f = *state;
  const pk_code_options o = options_of(f);
  pk_code *code = open_code(f, &o);
  pki_random rng = pki_random_seeded(8);
  pk_model *other = random_tree(&rng, &(random_tree_options){.links = 5, .root = PK_ROOT_FREE});
  pk_workspace *w;
  pk_workspace_create(other, &w, NULL);
  pk_error err = {.message = ""};
  assert_int_equal(pk_workspace_use(w, code, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "another model"));
  assert_string_equal(err.field, "code");
  pk_sim_options so = pk_sim_options_default();
  so.code = code;
  pk_sim *sim;
  assert_int_equal(pk_sim_create(other, &so, &sim, &err), PK_ERROR_ARGUMENT);
  assert_null(sim);
  pk_workspace_destroy(w);
  pk_model_destroy(other);
  pk_code_close(code);
}

/* Velocities after a few steps from a state that is not at rest, body 1 scaled. */
static void fall_with(const pk_model *m, const pk_code *code, double factor, double *u)
{
  pk_sim_options so = pk_sim_options_default();
  pki_random rng = pki_random_seeded(21);
  pk_sim *sim;
  so.code = code;
  assert_int_equal(pk_sim_create(m, &so, &sim, NULL), PK_OK);
  assert_int_equal(pk_sim_scale_mass(sim, 1, factor, NULL), PK_OK);
  assert_true(code == NULL || pk_sim_workspace(sim)->kernels == &pki_code_find(code, 1)->kernels);
  random_vector(&rng, m->nu, 1, pk_sim_u(sim));
  for (int i = 0; i < 5; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  memcpy(u, pk_sim_u(sim), (size_t)m->nu * sizeof *u);
  pk_sim_destroy(sim);
}

static double farthest(const double *a, const double *b, int n)
{
  double most = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(a[k] - b[k]));
  }
  return most;
}

static void a_world_with_masses_of_its_own_runs_on_code(void **state)
{
  fixture *f = *state;
  const pk_code_options o = options_of(f);
  pk_code *code = NULL;
  double light[64], heavy[64], generic[64], again[64];
  assert_int_equal(pk_code_open(f->model, &o, &code, NULL), PK_OK);
  fall_with(f->model, code, 1, light);
  fall_with(f->model, code, 1.5, heavy);
  fall_with(f->model, NULL, 1.5, generic);
  fall_with(f->model, code, 1, again);
  assert_less(farthest(heavy, generic, f->model->nu), 1e-9);
  assert_greater(farthest(heavy, light, f->model->nu), 1e-6); /* code that ignores them would not differ */
  assert_memory_equal(light, again, (size_t)f->model->nu * sizeof *light);
  pk_code_close(code);
}

/* A controller that computes with what it is shown. */
static pk_status hold_by_model(const pk_controller *by, const pk_observation *seen, void *block,
                               pk_command *commands)
{
  double h[64];
  (void)by, (void)block;
  pk_inverse_dynamics(seen->workspace, seen->q, seen->u, NULL, h);
  for (int k = 0; k < seen->model->nu; k++) {
    commands[k].tau = h[k];
  }
  return PK_OK;
}

static void controllers_compute_with_the_masses_of_the_model(void **state)
{
  fixture *f = *state;
  const pk_code_options o = options_of(f);
  const pk_controller by = {.update = hold_by_model, .period = 0};
  double torque[2][64];
  pk_code *code = NULL;
  assert_int_equal(pk_code_open(f->model, &o, &code, NULL), PK_OK);
  for (int i = 0; i < 2; i++) {
    pk_sim_options so = pk_sim_options_default();
    pk_sim *sim;
    so.code = code;
    assert_int_equal(pk_sim_create(f->model, &so, &sim, NULL), PK_OK);
    assert_int_equal(pk_sim_set_controller(sim, &by, NULL), PK_OK);
    assert_int_equal(pk_sim_scale_mass(sim, 1, 1 + i, NULL), PK_OK);
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    for (int k = 0; k < f->model->nu; k++) {
      torque[i][k] = pk_sim_commands(sim)[k].tau;
    }
    pk_sim_destroy(sim);
  }
  assert_memory_equal(torque[0], torque[1], (size_t)f->model->nu * sizeof torque[0][0]);
  assert_greater(fabs(torque[0][f->model->nu - 1]), 0);
  pk_code_close(code);
}

/* ---- the cache ---- */

static void code_is_compiled_once(void **state)
{
  fixture *f = *state;
  pk_code_options o = options_of(f);
  char path[4096];
  struct stat info;
  pk_code *code = open_code(f, &o);
  assert_int_equal(f->compiled, 1);
  assert_false(pk_code_get_info(code)->cached);
  assert_greater(pk_code_get_info(code)->compile_seconds, 0);
  pk_code *again = open_code(f, &o); /* both at once */
  assert_int_equal(f->compiled, 1);
  assert_true(pk_code_get_info(again)->cached);
  assert_string_equal(pk_code_get_info(again)->warning, "");
  pk_code_close(again);
  close_code(code, path);
  assert_int_equal(lstat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  o.force = true;
  pk_code_close(open_code(f, &o));
  assert_int_equal(f->compiled, 2);
  o.force = false, o.lanes = 4; /* one of two is there */
  pk_code_close(open_code(f, &o));
  assert_int_equal(f->compiled, 3);
  o.compiler = "gcc";
  pk_code_close(open_code(f, &o));
  assert_int_equal(f->compiled, 5);
}

static void append(const char *path, const char *text)
{
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

/* It must be compiled anew, with a warning that says why, and be good then. */
static void must_mend(fixture *f, const char *why)
{
  const pk_code_options o = options_of(f);
  const int before = f->compiled;
  pk_code *code = open_code(f, &o);
  assert_int_equal(f->compiled, before + 1);
  if (strstr(pk_code_get_info(code)->warning, why) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", pk_code_get_info(code)->warning, why);
  }
  pk_code_close(code);
  code = open_code(f, &o);
  assert_int_equal(f->compiled, before + 1);
  assert_string_equal(pk_code_get_info(code)->warning, "");
  pk_code_close(code);
}

static void what_was_changed_since_is_compiled_anew(void **state)
{
  fixture *f = *state;
  const pk_code_options o = options_of(f);
  char path[4096], hash[4096], other[4096];
  close_code(open_code(f, &o), path);
  append(path, "x");
  must_mend(f, "is not what was written");
  snprintf(hash, sizeof hash, "%.*s.sha256", (int)strlen(path) - 3, path);
  assert_int_equal(unlink(hash), 0);
  must_mend(f, "has no hash");
  assert_int_equal(chmod(path, 0620), 0);
  must_mend(f, ".so can be written by others (mode 620)");
  assert_int_equal(chmod(hash, 0662), 0);
  must_mend(f, ".so has beside it a .sha256 that can be written by others (mode 662)");
  snprintf(other, sizeof other, "%s/elsewhere.so", f->folder);
  assert_int_equal(rename(path, other), 0); /* the right bytes, but by way of a link */
  assert_int_equal(symlink(other, path), 0);
  must_mend(f, "is a link");
  struct stat info;
  assert_int_equal(lstat(path, &info), 0);
  assert_true(S_ISREG(info.st_mode));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0); /* nobody waits for it */
  must_mend(f, "is no regular file");
}

static void a_folder_that_others_may_write_is_refused(void **state)
{
  fixture *f = *state;
  const pk_code_options o = options_of(f);
  assert_int_equal(chmod(f->folder, 0777), 0);
  must_fail(f, &o, PK_ERROR_FILE, "others may write into the cache folder (mode 777)");
  assert_int_equal(chmod(f->folder, 0770), 0);
  must_fail(f, &o, PK_ERROR_FILE, "others may write");
  assert_int_equal(f->compiled, 0);
}

static void a_folder_of_somebody_else_is_refused(void **state)
{
  fixture *f = *state;
  pk_code_options o = options_of(f);
  if (geteuid() != 0) { /* then this one is */
    o.folder = "/";
    must_fail(f, &o, PK_ERROR_FILE, "belongs to another user");
    return;
  }
  assert_int_equal(chown(f->folder, 12345, 12345), 0);
  must_fail(f, &o, PK_ERROR_FILE, "belongs to another user");
  assert_int_equal(chown(f->folder, 0, 0), 0);
}

static void the_folder_is_made_for_the_user_alone(void **state)
{
  fixture *f = *state;
  pk_code_options o = options_of(f);
  char folder[128];
  struct stat info;
  snprintf(folder, sizeof folder, "%s/a/b", f->folder);
  setenv("PRONK_CACHE", folder, 1);
  o.folder = NULL;
  pk_code_close(open_code(f, &o));
  unsetenv("PRONK_CACHE");
  assert_int_equal(stat(folder, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  char *const old = getenv("XDG_CACHE_HOME");
  setenv("XDG_CACHE_HOME", f->folder, 1);
  pk_code *code = open_code(f, &o);
  snprintf(folder, sizeof folder, "%s/pronk/", f->folder);
  assert_memory_equal(pk_code_get_info(code)->path, folder, strlen(folder));
  pk_code_close(code);
  if (old != NULL) {
    setenv("XDG_CACHE_HOME", old, 1);
  } else {
    unsetenv("XDG_CACHE_HOME");
  }
}

static void set_age(const char *path, int days)
{
  const time_t then = time(NULL) - (time_t)days * 24 * 3600;
  const struct timespec times[2] = {{.tv_sec = then}, {.tv_sec = then}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static void what_was_not_used_for_long_goes(void **state)
{
  fixture *f = *state;
  pk_code_options o = options_of(f);
  char used[4096], old[4096];
  close_code(open_code(f, &o), used);
  o.compiler = "gcc";
  close_code(open_code(f, &o), old);
  set_age(used, PK_CODE_DAYS + 10);
  set_age(old, PK_CODE_DAYS + 10);
  o.compiler = NULL;
  pk_code_close(open_code(f, &o)); /* used today */
  o.lanes = 4;
  pk_code_close(open_code(f, &o)); /* something new */
  assert_int_equal(access(used, F_OK), 0);
  assert_int_equal(access(old, F_OK), -1);
  /* and nothing else is left lying around */
  DIR *list = opendir(f->folder);
  for (struct dirent *e; (e = readdir(list)) != NULL;) {
    assert_true(e->d_name[0] == '.' || strncmp(e->d_name, "lock-", 5) == 0 ||
                pki_ends_with(e->d_name, ".so") || pki_ends_with(e->d_name, ".sha256"));
  }
  closedir(list);
}

/* ---- compilers ---- */

static void without_a_compiler_it_says_what_is_missing(void **state)
{
  fixture *f = *state;
  pk_code_options o = options_of(f);
  const char *before = getenv("PATH");
  char *path = strdup(before != NULL ? before : "");
  setenv("PATH", f->folder, 1);
  must_fail(f, &o, PK_ERROR_UNSUPPORTED, "no C compiler was found (clang, cc, gcc): install one");
  setenv("PATH", path, 1);
  free(path);
  setenv("PRONK_CC", "no-such-compiler", 1);
  must_fail(f, &o, PK_ERROR_UNSUPPORTED, "\"no-such-compiler\", which PRONK_CC asks for, is not there");
  unsetenv("PRONK_CC");
  o.compiler = "true";
  must_fail(f, &o, PK_ERROR_UNSUPPORTED, "is neither gcc nor clang");
}

static pk_status broken_source(const pk_model *m, pki_text *out, pk_error *err)
{
  (void)m, (void)err;
  pki_text_add(out, "int robot_factor(void) { return undeclared; }\n");
  return PK_OK;
}

static void a_compiler_that_fails_is_quoted(void **state)
{
  fixture *f = *state;
  const pk_code_options o = options_of(f);
  pk_code *code;
  pk_error err = {.message = ""};
  assert_int_equal(pki_code_open(f->model, &o, broken_source, &code, &err), PK_ERROR_FILE);
  assert_null(code);
  assert_non_null(strstr(err.message, "the C compiler failed with status 1"));
  assert_non_null(strstr(err.message, "undeclared"));
}

static void options_out_of_range_are_named(void **state)
{
  fixture *f = *state;
  pk_code_options o = options_of(f);
  o.lanes = 2;
  must_fail(f, &o, PK_ERROR_ARGUMENT, "lanes is 2, expected 4, 8 or their sum");
}

static void a_model_that_no_code_is_written_for_says_so(void **state)
{
  fixture *f = *state;
  const pk_code_options o = options_of(f);
  pki_random rng = pki_random_seeded(8);
  pk_model_destroy(f->model);
  f->model = random_tree(&rng, &(random_tree_options){.links = 4, .cut = 2, .root = PK_ROOT_FREE});
  must_fail(f, &o, PK_ERROR_UNSUPPORTED, "constraints");
  assert_int_equal(f->compiled, 0);
}

/* ---- at once ---- */

static void *open_in_thread(void *user)
{
  fixture *f = user;
  pk_code_options o = pk_code_options_default();
  o.folder = f->folder;
  pk_code *code = NULL;
  const bool good = pki_code_open(f->model, &o, robot_source, &code, NULL) == PK_OK &&
                    pk_code_get_info(code)->functions == 3;
  const bool compiled = good && !pk_code_get_info(code)->cached;
  pk_code_close(code);
  return (void *)(intptr_t)(good ? 1 + compiled : 0);
}

static void threads_and_processes_at_once_compile_once(void **state)
{
  fixture *f = *state;
  enum { N = 4 };
  pthread_t threads[N];
  pid_t child[N];
  int compiled = 0;
  for (int i = 0; i < N; i++) {
    child[i] = fork();
    if (child[i] == 0) {
      _exit((int)(intptr_t)open_in_thread(f));
    }
  }
  for (int i = 0; i < N; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, open_in_thread, f), 0);
  }
  for (int i = 0; i < N; i++) {
    void *result;
    int status;
    pthread_join(threads[i], &result);
    assert_greater((intptr_t)result, 0);
    assert_int_equal(waitpid(child[i], &status, 0), child[i]);
    assert_true(WIFEXITED(status));
    assert_greater(WEXITSTATUS(status), 0);
    compiled += (int)(intptr_t)result - 1 + WEXITSTATUS(status) - 1;
  }
  assert_int_equal(compiled, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
  unsetenv("PRONK_CC");
  unsetenv("CC");
  const struct CMUnitTest tests[] = {
      TEST(compiled_factors_solve_as_generic_ones),
      TEST(functions_are_given_the_arrays_of_their_bodies),
      TEST(code_of_another_model_is_refused),
      TEST(a_world_with_masses_of_its_own_runs_on_code),
      TEST(controllers_compute_with_the_masses_of_the_model),
      TEST(code_is_compiled_once),
      TEST(what_was_changed_since_is_compiled_anew),
      TEST(a_folder_that_others_may_write_is_refused),
      TEST(a_folder_of_somebody_else_is_refused),
      TEST(the_folder_is_made_for_the_user_alone),
      TEST(what_was_not_used_for_long_goes),
      TEST(without_a_compiler_it_says_what_is_missing),
      TEST(a_compiler_that_fails_is_quoted),
      TEST(options_out_of_range_are_named),
      TEST(a_model_that_no_code_is_written_for_says_so),
      TEST(threads_and_processes_at_once_compile_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
