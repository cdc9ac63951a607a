/* Stability measures of worlds of a batch. Poses, velocities, masses and momenta are computed on lanes by the kernels of the dynamics;
 * supports, which differ from world to world, and all that depends on them for each world by itself. */
#include <limits.h>
#include <stdatomic.h>

#include "batch/batch.h"
#include "model/trunk_link.h"
#include "stability/robot_stance.h"

static const double *row_of(const pk_batch *b, int k, int row)
{
  return (const double *)(const void *)(pki_block_of(b, k) + b->row_at[row]);
}

/* n numbers of a world into its lane. */
static void gather_numbers(const double *from, int n, int lane, int lanes, double *to)
{
  for (int i = 0; i < n; i++) {
    to[(size_t)i * (size_t)lanes + (size_t)lane] = from[i];
  }
}

/* Worlds into lanes; lanes that are left over repeat the last one. */
static void gather_worlds(const pk_batch *b, pki_thread_context *context, int first, int count)
{
  const pk_model *m = b->model;
  for (int lane = 0; lane < b->lanes; lane++) {
    const int k = first + (lane < count ? lane : count - 1);
    gather_numbers(row_of(b, k, PKI_MEMORY_Q), m->nq, lane, b->lanes, context->group.q);
    gather_numbers(row_of(b, k, PKI_MEMORY_U), m->nu, lane, b->lanes, context->group.u);
    if (b->varied) {
      gather_numbers(row_of(b, k, PKI_MEMORY_INERTIA), 10 * m->nbody, lane, b->lanes,
                     context->work.params.inertia);
    }
  }
}

/* Where a link's x axis points in one lane. */
static void link_heading(const pki_work *work, int link, int lane, double out[3])
{
  const pk_model_link *l = &work->model->links[link];
  const size_t lanes = (size_t)work->lanes, at = 12 * ((size_t)l->body + 1);
  for (size_t i = 0; i < 3; i++) {
    out[i] = 0;
    for (size_t k = 0; k < 3; k++) {
      out[i] += work->pose[(at + 3 * i + k) * lanes + (size_t)lane] * l->pose.rot[3 * k];
    }
  }
}

/* The same worlds one by one: models that have more velocities than lanes have room for. */
static int measure_alone(const pk_batch *b, pki_thread_context *context, int first, int count, int robot,
                         const pk_stability_options *options, pk_stability *out, pk_status *status,
                         pk_error *err)
{
  int failed = -1;
  for (int k = 0; k < count && failed < 0; k++) {
    pki_bind_world(b, context, first + k);
    *status = pk_sim_stability(context->sim, robot, NULL, options, &out[k], err);
    pki_release_world(b, context, first + k);
    failed = *status != PK_OK ? first + k : -1;
  }
  return failed;
}

/* Worlds first .. first + count - 1, as many as there are lanes at most; the first one that fails, or -1. */
static int measure_group(const pk_batch *b, pki_thread_context *context, int first, int count, int robot,
                         const pk_stability_options *options, pk_stability *out, pk_status *status,
                         pk_error *err)
{
  const pk_model *m = b->model;
  const pki_kernels *kernels = pki_kernels_get(b->lanes);
  _Alignas(PKI_ALIGN) double sums[12 * PKI_LANES_MOST];
  int failed = -1;
  if (m->nu > PKI_GROUP_NU) {
    return measure_alone(b, context, first, count, robot, options, out, status, err);
  }
  gather_worlds(b, context, first, count);
  kernels->kinematics(&context->work, context->group.q);
  kernels->velocities(&context->work, context->group.u);
  kernels->sums(&context->work, m->robots[robot].body, m->robots[robot].nbody, sums);
  for (int lane = 0; lane < count && failed < 0; lane++) {
    pki_robot_stance stance;
    double mine[12], heading[3];
    for (int i = 0; i < 12; i++) {
      mine[i] = sums[i * b->lanes + lane];
    }
    link_heading(&context->work, pki_model_trunk(m, robot), lane, heading);
    const int n = pk_batch_contacts(b, first + lane, context->contacts, b->options.keep);
    pki_stability_clear(&out[lane]);
    *status =
        pki_robot_stance_init(&stance, m, robot, mine, heading, context->contacts, n, b->options.sim.dt, err);
    *status = *status == PK_OK ? pk_stability_compute(&stance.input, options, &out[lane], err) : *status;
    failed = *status != PK_OK ? first + lane : -1;
  }
  return failed;
}

static pk_status check_worlds(const pk_batch *b, int first, int count, int robot,
                              const pk_stability_options *options, pk_error *err)
{
  if (first < 0 || count < 0 || count > b->count - first) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "first"},
                    "worlds %d to %d are asked for, expected some of 0 to %d", first, first + count - 1,
                    b->count - 1);
  }
  if (robot < 0 || robot >= b->model->nrobot) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "robot"}, "robot is %d, expected 0 to %d",
                    robot, b->model->nrobot - 1);
  }
  return options != NULL ? pk_stability_options_validate(options, err) : PK_OK;
}

/* What all groups of a call share. */
typedef struct measure_call {
  const pk_batch *b;
  int first, count, robot;
  const pk_stability_options *options;
  pk_stability *out;
} measure_call;

/* Group g of a call; the first of its worlds that fails, or -1. */
static int measure_one(const measure_call *c, pki_thread_context *context, int g)
{
  const int at = g * c->b->lanes, n = c->count - at < c->b->lanes ? c->count - at : c->b->lanes;
  pk_status status;
  return measure_group(c->b, context, c->first + at, n, c->robot, c->options, c->out + at, &status, NULL);
}

/* All groups on the batch's threads. */
static int measure_on_threads(const measure_call *c, int groups)
{
  atomic_int failed = INT_MAX;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(c->b->threads)
#endif
  for (int g = 0; g < groups; g++) {
    const int bad = measure_one(c, pki_this_thread_context(c->b), g);
    int first = atomic_load(&failed);
    while (bad >= 0 && bad < first && !atomic_compare_exchange_weak(&failed, &first, bad)) {}
  }
  return atomic_load(&failed) < INT_MAX ? atomic_load(&failed) : -1;
}

pk_status pk_batch_stability(pk_batch *b, int first, int count, int robot,
                             const pk_stability_options *options, pk_stability *out, pk_error *err)
{
  pk_status status = check_worlds(b, first, count, robot, options, err);
  if (status != PK_OK) {
    return status;
  }
  const measure_call call = {b, first, count, robot, options, out};
  const int groups = (count + b->lanes - 1) / b->lanes;
  int failed = -1;
  if (b->stepping) { /* a callback measures its own worlds, in its thread */
    pki_thread_context *context = pki_this_thread_context(b);
    for (int g = 0; g < groups && failed < 0; g++) {
      failed = measure_one(&call, context, g);
    }
  } else {
    b->stepping = true;
    failed = measure_on_threads(&call, groups);
    b->stepping = false;
  }
  if (failed >= 0) { /* once more, to say what it is */
    measure_group(b, pki_this_thread_context(b), failed, 1, robot, options, out + (failed - first), &status,
                  err);
  }
  return status;
}
