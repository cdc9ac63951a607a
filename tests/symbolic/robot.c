/* Dynamics on the graph against the generic kernels, and its derivatives against differences and complex steps. */
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#undef I
#include "support/pace.h"
#include "support/random_tree.h"
#include "symbolic/compile.h"
#include "symbolic/emit.h"
#include "symbolic/robot.h"
#include "symbolic/robot_parts.h"
#include "symbolic/simplify.h"

enum { TREES = 200, LINKS = 12, ROBOTS = 2, NU_MAX = 6 * (LINKS + ROBOTS), NQ_MAX = 7 * (LINKS + ROBOTS) };

/* A model and a state, and what ports read. */
typedef struct robot_case {
  pk_model *model;
  pk_workspace *work;
  double q[NQ_MAX], u[NU_MAX], a[NU_MAX], tau[NU_MAX];
} robot_case;

static void place(robot_case *c, pki_random *rng)
{
  c->work = pk_workspace_create(c->model);
  assert_non_null(c->work);
  assert_in_range(c->model->nu, 0, NU_MAX);
  random_config(rng, c->model, c->q);
  random_vector(rng, c->model->nu, 3, c->u);
  random_vector(rng, c->model->nu, 5, c->a);
  random_vector(rng, c->model->nu, 20, c->tau);
}

static robot_case tree_case(pki_random *rng, int k)
{
  const random_tree_options options = {.links = 1 + k % LINKS,
                                       .mimic = k % 5 == 4,
                                       .massless = k % 5 == 3,
                                       .cut = k % 11 == 10 && k % 5 < 3,
                                       .robots = k % 7 == 6 ? ROBOTS : 1,
                                       .root = k % 3 == 0   ? PK_ROOT_FREE
                                               : k % 3 == 1 ? PK_ROOT_FIXED
                                                            : PK_ROOT_CHAIN};
  robot_case c = {.model = random_tree(rng, &options)};
  place(&c, rng);
  return c;
}

static robot_case named_case(pki_random *rng, const char *name)
{
  char path[512];
  robot_case c = {0};
  pk_error err;
  pk_builder *b = pk_builder_create();
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  assert_int_equal(pk_builder_add_urdf(b, path, NULL, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &c.model, &err), PK_OK);
  pk_builder_destroy(b);
  place(&c, rng);
  return c;
}

static void free_case(robot_case *c)
{
  pk_workspace_destroy(c->work);
  pk_model_destroy(c->model);
}

static double norm(const double *v, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += v[i] * v[i];
  }
  return sqrt(sum);
}

/* A function's outputs at the case's state, one after the other; to be freed. The function is freed with its graph. */
typedef struct made {
  pki_graph *g;
  pki_function f;
  double *out;
  const double *at[PKI_OUTPUTS]; /* where each output begins */
} made;

/* Emitted code that computes instead of the graph, and the prefix of its names; NULL: the graph does. */
static void *code;
static char code_prefix[16];

/* One output from up to three inputs, as all functions of forces have it. */
static void call_code(const made *x, const double *const *ports)
{
  char name[64];
  const double *in[3] = {NULL, NULL, NULL};
  int count = 0;
  snprintf(name, sizeof name, "%s_%s", code_prefix, x->f.name);
  void *const symbol = dlsym(code, name);
  assert_true(symbol != NULL && x->f.noutput == 1);
  for (int i = 0; i < x->g->nport; i++) {
    if (pki_function_ports(&x->f) >> i & 1) {
      assert_in_range(count, 0, 2);
      in[count++] = ports[i];
    }
  }
  void (*one)(const double *, double *), (*two)(const double *, const double *, double *),
      (*three)(const double *, const double *, const double *, double *);
  memcpy(&one, &symbol, sizeof one);
  memcpy(&two, &symbol, sizeof two);
  memcpy(&three, &symbol, sizeof three);
  if (count == 1) {
    one(in[0], x->out);
  } else if (count == 2) {
    two(in[0], in[1], x->out);
  } else {
    three(in[0], in[1], in[2], x->out);
  }
}

static made make(const robot_case *c, const char *name, unsigned open)
{
  made x = {.g = pki_graph_create(false)};
  const pk_model *m = c->model;
  pk_error err;
  assert_non_null(x.g);
  assert_int_equal(pki_robot_function(x.g, m, &(pki_robot_options){.free = open}, name, &x.f, &err), PK_OK);
  int count = 0;
  for (int i = 0; i < x.f.noutput; i++) {
    count += x.f.outputs[i].count;
  }
  x.out = calloc((size_t)count + 1, sizeof *x.out);
  assert_non_null(x.out);
  const double *ports[PKI_PORTS] = {c->q, c->u, c->a, c->tau};
  const double *const given[] = {m->body_inertia, m->body_pos, m->gravity, m->dof_armature};
  for (int bit = 0, port = 4; bit < 4; bit++) {
    if (open >> bit & 1) {
      ports[port++] = given[bit];
    }
  }
  if (code != NULL) {
    call_code(&x, ports);
  } else {
    assert_true(pki_function_evaluate(&x.f, ports, x.out));
  }
  const double *at = x.out;
  for (int i = 0; i < x.f.noutput; i++) {
    x.at[i] = at;
    at += x.f.outputs[i].count;
  }
  return x;
}

static void unmake(made *x)
{
  pki_function_free(&x->f);
  pki_graph_destroy(x->g);
  free(x->out);
}

/* Output i as a dense matrix, the upper triangle from the lower when `mirror`. */
static void dense(const made *x, int i, bool mirror, double *out)
{
  const pki_output *o = &x->f.outputs[i];
  memset(out, 0, (size_t)(o->rows * o->cols) * sizeof *out);
  for (int e = 0; e < o->count; e++) {
    out[o->row[e] * o->cols + o->col[e]] = x->at[i][e];
    if (mirror) {
      out[o->col[e] * o->cols + o->row[e]] = x->at[i][e];
    }
  }
}

static double difference(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt(sum);
}

/* |M a + h - tau| / (|M| |a| + |h| + |tau|) */
static double backward(const double *M, const double *a, const double *h, const double *tau, int n)
{
  double r[NU_MAX];
  for (int i = 0; i < n; i++) {
    r[i] = h[i] - tau[i];
    for (int j = 0; j < n; j++) {
      r[i] += M[i * n + j] * a[j];
    }
  }
  return n == 0 ? 0 : norm(r, n) / (norm(M, n * n) * norm(a, n) + norm(h, n) + norm(tau, n));
}

/* Forces and matrices: how far from the generic kernels' in the backward sense. */
static double forces_apart(const robot_case *c, unsigned open)
{
  const int n = c->model->nu;
  static double M[NU_MAX * NU_MAX], mine[NU_MAX * NU_MAX];
  double h[NU_MAX], tau[NU_MAX], none[NU_MAX] = {0};
  pk_mass_matrix(c->work, c->q, M);
  pk_inverse_dynamics(c->work, c->q, c->u, NULL, h);
  pk_inverse_dynamics(c->work, c->q, c->u, c->a, tau);
  const double scale = norm(M, n * n) * norm(c->a, n) + norm(h, n) + 1e-300;
  made crba = make(c, "crba", open), bias = make(c, "bias", open), rnea = make(c, "rnea", open);
  made aba = make(c, "aba", open), solve = make(c, "solve", open);
  dense(&crba, 0, true, mine);
  double worst = difference(mine, M, n * n) / (norm(M, n * n) + 1e-300);
  worst = fmax(worst, difference(bias.at[0], h, n) / scale);
  worst = fmax(worst, difference(rnea.at[0], tau, n) / scale);
  worst = fmax(worst, backward(M, aba.at[0], h, c->tau, n));
  worst = fmax(worst, backward(M, solve.at[0], none, c->tau, n));
  made *const all[] = {&crba, &bias, &rnea, &aba, &solve};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    unmake(all[i]);
  }
  return worst;
}

/* M = L' D L put together again. */
static double factor_apart(const robot_case *c)
{
  const int n = c->model->nu;
  static double M[NU_MAX * NU_MAX], L[NU_MAX * NU_MAX];
  pk_mass_matrix(c->work, c->q, M);
  made factor = make(c, "factor", 0);
  dense(&factor, 0, false, L);
  double worst = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = i; k < n; k++) {
        sum += (k == i ? 1 : L[k * n + i]) * (k == j ? 1 : L[k * n + j]) / L[k * n + k];
      }
      worst = fmax(worst, fabs(sum - M[i * n + j]));
    }
  }
  unmake(&factor);
  return worst / (norm(M, n * n) + 1e-300);
}

/* Poses, points, energy, momentum. */
static double places_apart(const robot_case *c)
{
  const pk_model *m = c->model;
  double worst = 0;
  pk_kinematics_compute(c->work, c->q, c->u);
  made where = make(c, "kinematics", 0), energy = make(c, "energy", 0), momentum = make(c, "momentum", 0);
  for (int i = 0; i < m->nlink; i++) {
    const int b = m->links[i].body;
    if (b < 0) {
      continue;
    }
    const pk_pose pose = pk_link_pose(c->work, i);
    const double *R = where.at[0] + 9 * b, *o = where.at[1] + 3 * b, *p = m->links[i].pose.pos;
    for (int k = 0; k < 3; k++) {
      worst =
          fmax(worst, fabs(o[k] + R[3 * k] * p[0] + R[3 * k + 1] * p[1] + R[3 * k + 2] * p[2] - pose.pos[k]));
    }
  }
  const pk_energy e = pk_energy_compute(c->work, c->u);
  worst = fmax(worst, fabs(e.kinetic - energy.at[0][0]) / (fabs(e.kinetic) + 1));
  worst = fmax(worst, fabs(e.potential - energy.at[1][0]) / (fabs(e.potential) + 10));
  double P[6], com[3], vel[3];
  pk_momentum_compute(c->work, -1, P);
  pk_com_compute(c->work, -1, com, vel);
  worst = fmax(worst, difference(P, momentum.at[1], 6) / (norm(P, 6) + 10));
  worst = fmax(worst, difference(com, momentum.at[0], 3));
  unmake(&where);
  unmake(&energy);
  unmake(&momentum);
  return worst;
}

static double points_apart(const robot_case *c)
{
  const pk_model *m = c->model;
  const int n = pki_robot_points(m, NULL, NULL);
  int *body = calloc((size_t)n + 1, sizeof *body);
  double(*at)[3] = calloc((size_t)n + 1, sizeof *at), worst = 0;
  static double J[6 * NU_MAX], mine[3 * 4 * LINKS * NU_MAX];
  assert_true(body != NULL && at != NULL && n <= 4 * LINKS);
  pki_robot_points(m, body, at);
  made points = make(c, "points", 0);
  dense(&points, 2, false, mine);
  pk_kinematics_compute(c->work, c->q, c->u);
  for (int i = 0; i < n; i++) {
    /* the point in a link of that body */
    int link = 0;
    while (m->links[link].body != body[i]) {
      link++;
    }
    const pk_pose *l = &m->links[link].pose;
    double local[3], rel[3];
    for (int k = 0; k < 3; k++) {
      rel[k] = at[i][k] - l->pos[k];
    }
    for (int k = 0; k < 3; k++) {
      local[k] = l->rot[k] * rel[0] + l->rot[3 + k] * rel[1] + l->rot[6 + k] * rel[2];
    }
    pk_link_jacobian(c->work, link, local, J);
    const pk_pose pose = pk_link_pose(c->work, link);
    for (int k = 0; k < 3; k++) {
      const double *r = pose.rot + 3 * k,
                   p = pose.pos[k] + r[0] * local[0] + r[1] * local[1] + r[2] * local[2];
      double v = 0;
      for (int j = 0; j < m->nu; j++) {
        v += J[(3 + k) * m->nu + j] * c->u[j];
      }
      worst = fmax(worst, fabs(p - points.at[0][3 * i + k]));
      worst = fmax(worst, fabs(v - points.at[1][3 * i + k]) / 10);
      worst = fmax(worst, difference(J + (3 + k) * m->nu, mine + (3 * i + k) * m->nu, m->nu));
    }
  }
  unmake(&points);
  free(body);
  free(at);
  return worst;
}

static double all_apart(const robot_case *c, unsigned open)
{
  double worst = fmax(forces_apart(c, open), fmax(factor_apart(c), places_apart(c)));
  return pki_robot_points(c->model, NULL, NULL) > 0 ? fmax(worst, points_apart(c)) : worst;
}

static const char *const names[] = {"starleth", "thesis_quadruped", "ur10", "coman"};

static void robots_move_as_the_generic_kernels_say(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    robot_case c = named_case(&rng, names[i]);
    const double baked = all_apart(&c, 0), open = all_apart(&c, 15);
    print_message("%s: %.2g, parameters open %.2g\n", names[i], baked, open);
    assert_true(baked < 1e-12);
    assert_true(open < 1e-12);
    free_case(&c);
  }
}

static void random_trees_move_as_the_generic_kernels_say(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  double worst = 0;
  for (int k = 0; k < PACE(TREES, 25); k++) {
    robot_case c = tree_case(&rng, k);
    worst = fmax(worst, all_apart(&c, k % 4 == 3 ? 15 : 0));
    free_case(&c);
  }
  print_message("largest difference %.2g\n", worst);
  assert_true(worst < 1e-12);
}

/* ---- emitted code ---- */

static const char *const of_forces[] = {"crba", "bias", "rnea", "aba", "solve", "factor"};

static void emit_forces(const robot_case *c, int k, pki_text *source)
{
  pk_error err;
  snprintf(code_prefix, sizeof code_prefix, "r%d", k);
  pki_emit_lanes(code_prefix, source);
  for (size_t i = 0; i < sizeof of_forces / sizeof of_forces[0]; i++) {
    pki_graph *g = pki_graph_create(false), *less = pki_graph_create(false);
    pki_function f, simple;
    assert_int_equal(pki_robot_function(g, c->model, NULL, of_forces[i], &f, &err), PK_OK);
    assert_true(pki_simplify(&f, less, &simple));
    pki_emit_function(&simple, code_prefix, source);
    pki_function_free(&f);
    pki_function_free(&simple);
    pki_graph_destroy(g);
    pki_graph_destroy(less);
  }
}

/* Robots, compiled together. */
static double emitted_apart(robot_case *cases, int count)
{
  pki_text source = {0};
  double worst = 0;
  for (int k = 0; k < count; k++) {
    emit_forces(&cases[k], k, &source);
  }
  assert_false(source.failed);
  code = compiled(source.data, found("clang") ? "clang" : "gcc", "-O1 -march=native");
  assert_non_null(code);
  for (int k = 0; k < count; k++) {
    snprintf(code_prefix, sizeof code_prefix, "r%d", k);
    worst = fmax(worst, fmax(forces_apart(&cases[k], 0), factor_apart(&cases[k])));
    free_case(&cases[k]);
  }
  dlclose(code);
  code = NULL;
  pki_text_free(&source);
  return worst;
}

static void emitted_code_of_robots_moves_as_the_generic_kernels_say(void **state)
{
  (void)state;
  enum { NAMED = sizeof names / sizeof names[0] };
  pki_random rng = pki_random_seeded(11);
  robot_case cases[NAMED];
  for (int i = 0; i < NAMED; i++) {
    cases[i] = named_case(&rng, names[i]);
  }
  const double worst = emitted_apart(cases, NAMED);
  print_message("largest difference %.2g\n", worst);
  assert_true(worst < 1e-12);
}

/* Random trees, twenty at a time. */
static void hold_emitted_trees(int trees)
{
  enum { TOGETHER = 20 };
  static robot_case cases[TOGETHER];
  pki_random rng = pki_random_seeded(12);
  double worst = 0;
  for (int k = 0; k < trees; k += TOGETHER) {
    const int count = trees - k < TOGETHER ? trees - k : TOGETHER;
    for (int i = 0; i < count; i++) {
      cases[i] = tree_case(&rng, k + i);
    }
    worst = fmax(worst, emitted_apart(cases, count));
  }
  print_message("%d trees: largest difference %.2g\n", trees, worst);
  assert_true(worst < 1e-12);
}

static void emitted_code_of_random_trees_moves_as_the_generic_kernels_say(void **state)
{
  (void)state;
  hold_emitted_trees(PACE(10, 4));
}

static void emitted_code_of_many_random_trees_moves_as_the_generic_kernels_say(void **state)
{
  (void)state;
  hold_emitted_trees(TREES);
}

/* ---- derivatives ---- */

/* d out / d direction of the function `name` by a complex step along velocity k of the configuration, of u (which 1), or of
 * the third input (which 2). */
static void complex_step(const robot_case *c, const made *x, int which, int third, int k, double *out)
{
  const pk_model *m = c->model;
  static double complex q[NQ_MAX], u[NU_MAX], z[NU_MAX], y[NU_MAX];
  const double h = 1e-150;
  for (int i = 0; i < m->nq; i++) {
    q[i] = c->q[i];
  }
  for (int i = 0; i < m->nu; i++) {
    u[i] = c->u[i] + (which == 1 && i == k ? h * _Complex_I : 0);
    z[i] = (third == 2 ? c->a : c->tau)[i] + (which == 2 && i == k ? h * _Complex_I : 0);
  }
  for (int b = 0; b < m->nbody && which == 0; b++) {
    const int motion = m->body_motion[b], at = k - m->body_u[b],
              travels = motion == PK_MOTION_FLOATING ? 3 : 0;
    double complex *const qb = q + m->body_q[b];
    if (at < 0 || at >= (motion == PK_MOTION_FLOATING ? 6 : motion == PK_MOTION_SPHERICAL ? 3 : 1)) {
      continue;
    }
    if (motion <= PK_MOTION_PRISMATIC || at < travels) {
      q[m->body_q[b] + (travels ? at : 0)] += h * _Complex_I;
    } else { /* q (1, h i e / 2) */
      const double *v = c->q + m->body_q[b] + travels;
      const double complex s = 0.5 * h * _Complex_I;
      const int e = at - travels, i1 = (e + 1) % 3, i2 = (e + 2) % 3;
      qb[travels] -= s * v[1 + e];
      qb[travels + 1 + e] += s * v[0];
      qb[travels + 1 + i1] += s * v[1 + i2];
      qb[travels + 1 + i2] -= s * v[1 + i1];
    }
    break; /* followers read the same input */
  }
  const double complex *ports[PKI_PORTS] = {q, u, z, z};
  assert_true(pki_function_evaluate_complex(&x->f, ports, y));
  for (int i = 0; i < m->nu; i++) {
    out[i] = cimag(y[i]) / h;
  }
}

/* The same by central differences of the generic kernels. */
static void central_difference(const robot_case *c, bool forward, int which, int k, double *out)
{
  const pk_model *m = c->model;
  const double step = 1e-5;
  double sides[2][NU_MAX];
  for (int side = 0; side < 2; side++) {
    double q[NQ_MAX], u[NU_MAX], z[NU_MAX], v[NU_MAX] = {0};
    v[k] = side == 0 ? step : -step;
    memcpy(q, c->q, sizeof q);
    memcpy(u, c->u, sizeof u);
    memcpy(z, forward ? c->tau : c->a, sizeof z);
    if (which == 0) {
      pk_config_add(m, c->q, v, q);
    } else {
      (which == 1 ? u : z)[k] += v[k];
    }
    if (forward) {
      assert_int_equal(pk_forward_dynamics(c->work, PK_METHOD_AUTO, q, u, z, sides[side]), PK_OK);
    } else {
      pk_inverse_dynamics(c->work, q, u, z, sides[side]);
    }
  }
  for (int i = 0; i < m->nu; i++) {
    out[i] = (sides[0][i] - sides[1][i]) / (2 * step);
  }
}

static void hold_derivatives(const robot_case *c, bool forward, double *complex_worst, double *central_worst)
{
  const int n = c->model->nu;
  static double D[NU_MAX * NU_MAX];
  made value = make(c, forward ? "aba" : "rnea", 0),
       derivative = make(c, forward ? "aba_derivatives" : "rnea_derivatives", 0);
  for (int which = 0; which < 3; which++) {
    dense(&derivative, which, false, D);
    const double scale = norm(D, n * n) + 1e-300;
    double by_complex = 0, by_difference = 0;
    for (int k = 0; k < n; k++) {
      double want[NU_MAX], column[NU_MAX];
      for (int i = 0; i < n; i++) {
        column[i] = D[i * n + k];
      }
      complex_step(c, &value, which, forward ? 3 : 2, k, want);
      by_complex = fmax(by_complex, difference(column, want, n) / scale);
      central_difference(c, forward, which, k, want);
      by_difference = fmax(by_difference, difference(column, want, n) / scale);
    }
    *complex_worst = fmax(*complex_worst, by_complex);
    *central_worst = fmax(*central_worst, by_difference);
  }
  unmake(&value);
  unmake(&derivative);
}

static void derivatives_of_robots_are_those_of_complex_steps_and_differences(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    double by_complex = 0, by_difference = 0;
    robot_case c = named_case(&rng, names[i]);
    hold_derivatives(&c, false, &by_complex, &by_difference);
    hold_derivatives(&c, true, &by_complex, &by_difference);
    print_message("%s: complex step %.2g, central differences %.2g\n", names[i], by_complex, by_difference);
    assert_true(by_complex < 1e-12);
    assert_true(by_difference < 1e-7);
    free_case(&c);
  }
}

static void derivatives_of_random_trees_are_those_of_complex_steps(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(8);
  double by_complex = 0, by_difference = 0;
  for (int k = 0; k < PACE(60, 8); k++) {
    robot_case c = tree_case(&rng, k);
    hold_derivatives(&c, false, &by_complex, &by_difference);
    hold_derivatives(&c, true, &by_complex, &by_difference);
    free_case(&c);
  }
  print_message("complex step %.2g, central differences %.2g\n", by_complex, by_difference);
  assert_true(by_complex < 1e-12);
  assert_true(by_difference < 1e-7);
}

/* ---- structure ---- */

static void a_pendulum_takes_few_operations(void **state)
{
  (void)state;
  pk_error err;
  pk_builder *b = pk_builder_create();
  pk_chain_options o = pk_chain_options_default();
  robot_case c = {0};
  o.links = 1;
  assert_int_equal(pk_builder_add_chain(b, &o, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &c.model, &err), PK_OK);
  pk_builder_destroy(b);
  pki_random rng = pki_random_seeded(9);
  place(&c, &rng);
  made aba = make(&c, "aba", 0), crba = make(&c, "crba", 0);
  const pki_operations count = pki_function_count(&aba.f);
  /* tau/I - m g l sin q/I: two products and a difference; the inertia is a constant */
  assert_int_equal(count.sines, 1);
  assert_true(pki_count_all(count) <= 4);
  assert_int_equal(pki_count_all(pki_function_count(&crba.f)), 0);
  unmake(&aba);
  unmake(&crba);
  free_case(&c);
}

static void a_name_that_is_none_is_told(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(10);
  robot_case c = named_case(&rng, "ur10");
  pki_graph *g = pki_graph_create(false);
  pki_function f;
  pk_error err;
  assert_int_equal(pki_robot_function(g, c.model, NULL, "crbs", &f, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "there is no function \"crbs\"; did you mean \"crba\"?"));
  pki_graph_destroy(g);
  free_case(&c);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(robots_move_as_the_generic_kernels_say),
      cmocka_unit_test(random_trees_move_as_the_generic_kernels_say),
      cmocka_unit_test(emitted_code_of_robots_moves_as_the_generic_kernels_say),
      cmocka_unit_test(emitted_code_of_random_trees_moves_as_the_generic_kernels_say),
      cmocka_unit_test(derivatives_of_robots_are_those_of_complex_steps_and_differences),
      cmocka_unit_test(derivatives_of_random_trees_are_those_of_complex_steps),
      cmocka_unit_test(a_pendulum_takes_few_operations),
      cmocka_unit_test(a_name_that_is_none_is_told),
  };
  const struct CMUnitTest many[] = {
      cmocka_unit_test(emitted_code_of_many_random_trees_moves_as_the_generic_kernels_say),
  };
  if (argc > 1 && strcmp(argv[1], "many") == 0) {
    if (getenv("PRONK_LONG") == NULL) {
      puts("PRONK_LONG is not set");
      return 77;
    }
    return cmocka_run_group_tests(many, NULL, NULL);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
