/* Every kernel, every lane: a lane of a wide group holds the bits of its own one-lane run, and nothing
 * is read that was never written. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/kernels.h"
#include "support/bounds.h"
#include "support/random_tree.h"

enum {
  TREES = 250,
  LINKS = 12,
  LANES = 8,
  ROBOTS = 2,
  NU_MAX = 6 * (LINKS + ROBOTS),
  NQ_MAX = 7 * (LINKS + ROBOTS),
  NBODY_MAX = NU_MAX,
  NM_MAX = NU_MAX * (NU_MAX + 1) / 2,
  OUTPUT_MAX = 64 * NBODY_MAX + 40 * NU_MAX + 2 * NM_MAX
};

/* Eight worlds of one model, and the memory that the kernels work in. */
typedef struct bundle {
  pk_model *model;
  double q[LANES][NQ_MAX], u[LANES][NU_MAX], tau[LANES][NU_MAX];
  void *memory;
  size_t size;
  double *wide; /* [WIDE] inputs and outputs, lanes fastest */
} bundle;

enum { WIDE = LANES * (2 * NQ_MAX + 6 * NU_MAX + 6 * NU_MAX + 64) };

/* What all kernels computed, in the order of calls: entry e of lane l is at [e * lanes + l]. */
typedef struct outputs {
  double *value;
  size_t count; /* entries */
  int lanes;
} outputs;

static bundle make_bundle(pki_random *rng, int k)
{
  const random_tree_options options = {.links = 1 + k % LINKS,
                                       .mimic = k % 5 == 4,
                                       .massless = k % 5 == 3,
                                       .robots = k % 7 == 6 ? ROBOTS : 1,
                                       .root = k % 3 == 0   ? PK_ROOT_FREE
                                               : k % 3 == 1 ? PK_ROOT_FIXED
                                                            : PK_ROOT_CHAIN};
  bundle b = {.model = random_tree(rng, &options)};
  assert_in_range(b.model->nu, 0, NU_MAX);
  for (int l = 0; l < LANES; l++) {
    random_config(rng, b.model, b.q[l]);
    random_vector(rng, b.model->nu, 3, b.u[l]);
    random_vector(rng, b.model->nu, 20, b.tau[l]);
  }
  pki_work work;
  pki_arena count = pki_arena_over(NULL, 0);
  pki_work_carve(&work, b.model, LANES, &count);
  b.size = count.used;
  b.memory = pki_aligned_alloc(b.size);
  b.wide = pki_aligned_alloc(WIDE * sizeof *b.wide);
  assert_true(b.memory != NULL && b.wide != NULL);
  return b;
}

static void free_bundle(bundle *b)
{
  pki_aligned_free(b->memory);
  pki_aligned_free(b->wide);
  pk_model_destroy(b->model);
}

static void note(outputs *out, const double *values, int entries)
{
  const size_t lanes = (size_t)out->lanes;
  assert_at_most(out->count + (size_t)entries, OUTPUT_MAX);
  memcpy(out->value + out->count * lanes, values, (size_t)entries * lanes * sizeof *values);
  out->count += (size_t)entries;
}

/* The states of worlds first .. first + lanes - 1, and room for results, all garbage. */
typedef struct arrays {
  double *q, *u, *tau, *point, *force, *nq_out, *nu_out, *J;
} arrays;

static arrays spread(const bundle *b, int first, int lanes)
{
  memset(b->wide, 0xff, WIDE * sizeof *b->wide);
  const size_t w = (size_t)lanes;
  arrays a = {.q = b->wide};
  a.u = a.q + w * NQ_MAX, a.tau = a.u + w * NU_MAX, a.point = a.tau + w * NU_MAX, a.force = a.point + w * 8;
  a.nq_out = a.force + w * 8, a.nu_out = a.nq_out + w * NQ_MAX, a.J = a.nu_out + w * NU_MAX;
  for (int l = 0; l < lanes; l++) {
    const size_t at = (size_t)l;
    for (size_t e = 0; e < (size_t)b->model->nq; e++) {
      a.q[e * w + at] = b->q[first + l][e];
    }
    for (size_t e = 0; e < (size_t)b->model->nu; e++) {
      a.u[e * w + at] = b->u[first + l][e], a.tau[e * w + at] = b->tau[first + l][e];
    }
    for (size_t e = 0; e < 6; e++) {
      a.point[e % 3 * w + at] = 0.1 * (double)(e % 3) + 0.01 * (first + l);
      a.force[e * w + at] = 1 - 0.5 * (double)e + 0.1 * (first + l);
    }
  }
  return a;
}

static void run_kinematics(const pki_kernels *k, pki_work *w, const arrays *a, outputs *out)
{
  const pk_model *m = w->model;
  const size_t lanes = (size_t)w->lanes;
  k->kinematics(w, a->q);
  note(out, w->pose + 12 * lanes, 12 * m->nbody); /* after the world's entry */
  note(out, w->origin + 3 * lanes, 3 * m->nbody);
  k->velocities(w, a->u);
  note(out, w->twist + 6 * lanes, 6 * m->nbody);
  for (int body = 0; body < m->nbody; body += 1 + m->nbody / 3) {
    k->jacobian(w, body, a->point, a->J);
    note(out, a->J, 6 * m->nu);
    k->jacobian_dot(w, body, a->point, a->J);
    note(out, a->J, 6 * m->nu);
  }
  k->sums(w, 0, m->nbody, a->J);
  note(out, a->J, 12);
  k->momentum_matrix(w, a->J);
  note(out, a->J, 6 * m->nu);
}

static void run_composite(const pki_kernels *k, pki_work *w, const arrays *a, outputs *out)
{
  const pk_model *m = w->model;
  k->kinematics(w, a->q);
  k->crba(w);
  note(out, w->M, m->nM);
  k->ltl_factor(w);
  note(out, w->M, m->nM);
  memcpy(a->nu_out, a->tau, (size_t)(m->nu * w->lanes) * sizeof *a->tau);
  k->ltl_solve(w, a->nu_out);
  note(out, a->nu_out, m->nu);
}

static void run_articulated(const pki_kernels *k, pki_work *w, const arrays *a, outputs *out)
{
  const pk_model *m = w->model;
  k->aba(w, a->q, a->u, a->tau, a->nu_out);
  note(out, a->nu_out, m->nu);
  k->kinematics(w, a->q);
  k->aba_factor(w);
  k->aba_solve(w, a->tau, m->nbody - 1, a->force, a->nu_out);
  note(out, a->nu_out, m->nu);
  k->aba_solve(w, NULL, m->nbody / 2, a->force, a->nu_out);
  note(out, a->nu_out, m->nu);
  k->aba_solve(w, a->tau, -1, NULL, a->nu_out);
  note(out, a->nu_out, m->nu);
}

static void run_config(const pki_kernels *k, const pk_model *m, const arrays *a, outputs *out)
{
  k->config_add(m, a->q, 0.3, a->u, a->nq_out);
  note(out, a->nq_out, m->nq);
  k->config_rate(m, a->u, a->tau, a->nu_out);
  note(out, a->nu_out, m->nu);
}

/* Each part starts on garbage: what a kernel reads, one before it in its part must have written. */
static void run_all(const bundle *b, const char *isa, int first, int lanes, outputs *out)
{
  const pki_kernels *k = pki_kernels_find(isa, lanes);
  *out = (outputs){.value = out->value, .lanes = lanes};
  for (int part = 0; part < 5; part++) {
    const arrays a = spread(b, first, lanes);
    memset(b->memory, 0xff, b->size);
    pki_arena arena = pki_arena_over(b->memory, b->size);
    pki_work work;
    pki_work_carve(&work, b->model, lanes, &arena);
    switch (part) {
    case 0: run_kinematics(k, &work, &a, out); break;
    case 1: run_composite(k, &work, &a, out); break;
    case 2:
      k->rnea(&work, a.q, a.u, a.tau, a.nu_out);
      note(out, a.nu_out, b->model->nu);
      k->rnea(&work, a.q, a.u, NULL, a.nu_out);
      note(out, a.nu_out, b->model->nu);
      break;
    case 3:
      if (!b->model->has_mimic && b->model->nbody > 0) {
        run_articulated(k, &work, &a, out);
      }
      break;
    default: run_config(k, b->model, &a, out); break;
    }
  }
}

/* Lane l of a wide run against world first + l alone. */
static void compare(const outputs *wide, const outputs one[LANES], int first)
{
  for (int l = 0; l < wide->lanes; l++) {
    const outputs *own = &one[first + l];
    assert_int_equal(wide->count, own->count);
    for (size_t e = 0; e < own->count; e++) {
      const double found = wide->value[e * (size_t)wide->lanes + (size_t)l];
      if (memcmp(&found, &own->value[e], sizeof found) != 0) {
        fail_msg("%d lanes, lane %d, entry %zu: %.17g, alone %.17g", wide->lanes, l, e, found, own->value[e]);
      }
    }
  }
}

static void every_lane_has_the_bits_of_its_own_run(void **state)
{
  (void)state;
  static const char *const isas[] = {"base", "avx2", "avx512"};
  pki_random rng = pki_random_seeded(2);
  outputs one[LANES], wide = {.value = malloc(LANES * OUTPUT_MAX * sizeof(double))};
  assert_non_null(wide.value);
  for (int l = 0; l < LANES; l++) {
    one[l].value = malloc(OUTPUT_MAX * sizeof(double));
    assert_non_null(one[l].value);
  }
  for (int k = 0; k < TREES; k++) {
    bundle b = make_bundle(&rng, k);
    for (int i = 0; i < 3; i++) {
      if (pki_kernels_find(isas[i], 1) == NULL) {
        continue;
      }
      for (int l = 0; l < LANES; l++) {
        run_all(&b, isas[i], l, 1, &one[l]);
        for (size_t e = 0; e < one[l].count; e++) {
          assert_true(isfinite(one[l].value[e]));
        }
      }
      for (int first = 0; first < LANES; first += 4) {
        run_all(&b, isas[i], first, 4, &wide);
        compare(&wide, one, first);
      }
      run_all(&b, isas[i], 0, 8, &wide);
      compare(&wide, one, 0);
    }
    free_bundle(&b);
  }
  for (int l = 0; l < LANES; l++) {
    free(one[l].value);
  }
  free(wide.value);
}

/* What a lane of the widest group computes is what a user gets. */
static void a_lane_has_the_bits_of_the_public_functions(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  const int lane = 5;
  for (int k = 0; k < TREES; k++) {
    bundle b = make_bundle(&rng, k);
    const pk_model *m = b.model;
    const pki_kernels *kernels = pki_kernels_get(LANES);
    const arrays a = spread(&b, 0, LANES);
    memset(b.memory, 0xff, b.size);
    pki_arena arena = pki_arena_over(b.memory, b.size);
    pki_work work;
    pki_work_carve(&work, m, LANES, &arena);
    pk_workspace *w;
    pk_workspace_create(m, &w, NULL);
    double expected[NU_MAX];
    pk_inverse_dynamics(w, b.q[lane], b.u[lane], b.tau[lane], expected);
    kernels->rnea(&work, a.q, a.u, a.tau, a.nu_out);
    for (int i = 0; i < m->nu; i++) {
      assert_memory_equal(&a.nu_out[i * LANES + lane], &expected[i], sizeof(double));
    }
    if (!m->has_mimic) {
      assert_int_equal(
          pk_forward_dynamics(w, PK_DYNAMICS_METHOD_ABA, b.q[lane], b.u[lane], b.tau[lane], expected), PK_OK);
      kernels->aba(&work, a.q, a.u, a.tau, a.nu_out);
      for (int i = 0; i < m->nu; i++) {
        assert_memory_equal(&a.nu_out[i * LANES + lane], &expected[i], sizeof(double));
      }
    }
    pk_workspace_destroy(w);
    free_bundle(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_lane_has_the_bits_of_its_own_run),
      cmocka_unit_test(a_lane_has_the_bits_of_the_public_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
