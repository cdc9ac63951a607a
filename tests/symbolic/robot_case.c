#include "symbolic/robot_case.h"

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

#include "support/named_model.h"

void place(robot_case *c, pki_random *rng)
{
  pk_workspace_create(c->model, &c->work, NULL);
  assert_non_null(c->work);
  assert_in_range(c->model->nu, 0, NU_MAX);
  random_config(rng, c->model, c->q);
  random_vector(rng, c->model->nu, 3, c->u);
  random_vector(rng, c->model->nu, 5, c->a);
  random_vector(rng, c->model->nu, 20, c->tau);
}

robot_case tree_case(pki_random *rng, int k)
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

robot_case named_case(pki_random *rng, const char *name)
{
  robot_case c = {.model = named_model(name)};
  place(&c, rng);
  return c;
}

void free_case(robot_case *c)
{
  pk_workspace_destroy(c->work);
  pk_model_destroy(c->model);
}

double norm(const double *v, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += v[i] * v[i];
  }
  return sqrt(sum);
}

const char *const robot_names[4] = {"starleth", "thesis_quadruped", "ur10", "coman"};
void *robot_code;
char robot_prefix[16];

/* One output from up to three inputs, as all functions of forces have it. */
static void call_code(const made *x, const double *const *ports)
{
  char name[64];
  const double *in[3] = {NULL, NULL, NULL};
  int count = 0;
  snprintf(name, sizeof name, "%s_%s", robot_prefix, x->f.name);
  void *const symbol = dlsym(robot_code, name);
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

made make(const robot_case *c, const char *name, unsigned open)
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
  if (robot_code != NULL) {
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

void unmake(made *x)
{
  pki_function_free(&x->f);
  pki_graph_destroy(x->g);
  free(x->out);
}

void dense(const made *x, int i, bool mirror, double *out)
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

double difference(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt(sum);
}
