/* Many worlds of one model.
 *
 *   batch.c    memory, what all worlds share
 *   batch_options.c  options
 *   worlds.c   one world: where its numbers lie, into a sim and back
 *   batch_step.c     steps of all
 *   batch_stability.c  stability measures of worlds
 *   stride_map.c  the stride map of a world, its copies in a batch
 *
 * A world is a block of memory: what a sim remembers (sim/memory.h), and nothing that a step computes anew. Each
 * thread has a sim of its own, whose arrays are made to point into a world's block while it works on that world, and a group
 * (step/group.h) into whose lanes the blocks of several worlds are gathered. docs/theory/batch.md explains it. */
#ifndef PKI_BATCH_BATCH_H
#define PKI_BATCH_BATCH_H

#include "pronk/batch.h"
#include "sim/memory.h"
#include "step/group.h"
#include "step/world.h"

/* What of a world is no array. */
typedef struct pki_world_head {
  pki_numbers n;
  pki_parameters parameters;
  double residual; /* relative, of its last step */
  bool certified;  /* that step met the tolerance */
  double ark_step;
  int nmemory;
  pk_status status; /* why it is frozen */
  bool varied;      /* its inertias are not the model's */
  bool plain;       /* impulses of joint rows and commands at their limits are all zero (pki_lane_world) */
} pki_world_head;

/* What one thread of a batch works with. */
typedef struct pki_thread_context {
  _Alignas(PKI_ALIGN) pk_sim *sim; /* contexts share no cache line */
  void *memory;                    /* of the group */
  pki_work work;                   /* its lanes */
  pki_group group;
  pk_sim_contact *contacts;   /* [lanes][keep] what controllers are shown */
  void *own[PKI_MEMORY_ROWS]; /* the sim's own arrays */
  pk_batch_info info;
} pki_thread_context;

enum { PKI_CHUNK = 64 }; /* worlds that a thread takes through all steps together */

struct pk_batch {
  const pk_model *model;
  pk_batch_options options; /* with what was left to the model chosen */
  int count, lanes, threads;
  int joints, late_room; /* of all sims */
  bool stepping;         /* threads are at work */
  unsigned char *blocks; /* [count][stride] */
  size_t stride;
  size_t row_at[PKI_MEMORY_ROWS]; /* from the start of a block: arrays of the memory table (sim/memory.h) */
  size_t memory_at;               /* what pairs of shapes remember */
  unsigned char *control;         /* [count][control_stride] state blocks of the controller */
  size_t control_stride;
  bool varied;                  /* some world's inertias are not the model's */
  pki_thread_context *contexts; /* [threads] */
  pki_group_plan plan;
  void *plan_memory;
  size_t guard_at; /* [pki_guard_size] doubles (pki_lane_world) */
  const pki_group_kernels *kernels;
  pk_batch_callback call;
  void *user;
};

/* The block of a world. */
static inline unsigned char *pki_block_of(const pk_batch *b, int k)
{
  return b->blocks + (size_t)k * b->stride;
}

static inline pki_world_head *pki_head_of(const pk_batch *b, int k)
{
  return (pki_world_head *)(void *)pki_block_of(b, k);
}

/* The field table of pk_batch_options; those of the sims are pki_sim_fields. */
extern const pk_field pki_batch_fields[];
extern const int pki_batch_field_count;

/* ---- worlds.c ---- */

/* Where arrays lie in a block. */
void pki_lay_out_worlds(pk_batch *b);

/* The context's sim becomes world k until it is released, which copies back what is no array. */
void pki_bind_world(const pk_batch *b, pki_thread_context *context, int k);
void pki_release_world(const pk_batch *b, pki_thread_context *context, int k);

/* A world of the model's own parameters at its initial pose. */
void pki_batch_begin(pk_batch *b, int world);

/* ---- batch.c ---- */

/* The calling thread's context while threads step, else the first one. */
pki_thread_context *pki_this_thread_context(const pk_batch *b);

/* Lanes that suit this machine. */
int pki_best_lanes(void);

/* The plans of all thread contexts, after something changed. */
void pki_batch_plan(pk_batch *b);

#endif
