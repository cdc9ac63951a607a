/* Many worlds of one model.
 *
 *   batch.c    memory, what all worlds share
 *   options.c  options
 *   worlds.c   one world: where its numbers lie, into a sim and back
 *   step.c     steps of all
 *
 * A world is a block of memory: what a sim keeps from step to step (its pieces), and nothing that a step computes anew. Each
 * thread has a sim of its own, whose pieces are made to point into a world's block while it works on that world, and a group
 * (step/group.h) whose lanes take their numbers from the blocks of several. docs/theory/batch.md tells the whole. */
#ifndef PKI_BATCH_BATCH_H
#define PKI_BATCH_BATCH_H

#include "pronk/batch.h"
#include "step/group.h"
#include "step/sim.h"

/* What of a world is no array. */
typedef struct pki_world_head {
  long long steps, uncertified; /* uncertified: of all steps */
  double residual;              /* relative, of its last step */
  bool certified;               /* that step met the tolerance */
  double ark_step;
  int nlast, nspring, nmemory;
  double friction;  /* factor on all coefficients */
  int late;         /* steps from command to action */
  pk_status status; /* why it is frozen */
  bool pushed;
  bool varied; /* its inertias are not the model's */
  bool plain;  /* impulses of joint rows and commands at their limits are all zero (pki_seat) */
} pki_world_head;

/* An array of a sim that belongs to the world: where its address is kept (in a sim's own: that address), and how long it is. */
typedef struct pki_piece {
  void *at;
  size_t bytes;
  size_t
      each; /* bytes for each contact of the last step: copied in and out, since a sim has room for more of them */
} pki_piece;

enum { PKI_PIECES = 17 };

/* What one thread works with. */
typedef struct pki_crew {
  _Alignas(PKI_ALIGN) pk_sim *sim; /* crews share no line of a cache */
  void *memory;                    /* of the group */
  pki_work work;                   /* its lanes */
  pki_group group;
  pk_sim_contact *contacts;  /* [lanes][keep] what controllers are shown */
  pki_piece own[PKI_PIECES]; /* the sim's own arrays */
  pk_batch_info info;
} pki_crew;

enum { PKI_CHUNK = 64 }; /* worlds that a thread takes through all steps together */

struct pk_batch {
  const pk_model *model;
  pk_batch_options options; /* with what was left to the model chosen */
  int count, lanes, threads;
  int joints, late_room; /* of all sims */
  bool stepping;         /* threads are at work */
  unsigned char *blocks; /* [count][stride] */
  size_t stride;
  size_t piece_at[PKI_PIECES]; /* from the start of a block */
  int npiece;
  size_t memory_at, springs_at; /* what sims swap is copied */
  unsigned char *control;       /* [count][control_stride] state blocks of the controller */
  size_t control_stride;
  bool varied;     /* some world's inertias are not the model's */
  pki_crew *crews; /* [threads] */
  pki_group_plan plan;
  void *plan_memory;
  size_t guard_at; /* [pki_guard_size] doubles (pki_seat) */
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

/* Pieces in their order; how many. */
enum {
  PKI_PIECE_Q,
  PKI_PIECE_U,
  PKI_PIECE_COMMANDS,
  PKI_PIECE_TAU,
  PKI_PIECE_LAST,
  PKI_PIECE_LAST_R,
  PKI_PIECE_STICKS,
  PKI_PIECE_JOINT,
  PKI_PIECE_LIMITED,
  PKI_PIECE_PUSHES,
  PKI_PIECE_INERTIA,
  PKI_PIECE_GROUPED, /* empty unless there is code that reads it */
  PKI_PIECE_QUEUE
};
int pki_list_pieces(pk_sim *sim, pki_piece out[PKI_PIECES]);

/* Where the pieces lie in a block. */
void pki_lay_out(pk_batch *b, pk_sim *sim);

/* The crew's sim becomes world k, until it lets go: then what is no array goes back. */
void pki_bind(const pk_batch *b, pki_crew *crew, int k);
void pki_release(const pk_batch *b, pki_crew *crew, int k);

/* A world of the model's own parameters at its initial pose. */
void pki_batch_begin(pk_batch *b, int world);

/* ---- batch.c ---- */

/* The crew of the calling thread: of those that step, or the first. */
pki_crew *pki_crew_here(const pk_batch *b);

/* Lanes that suit this machine. */
int pki_best_lanes(void);

/* All crews' plans after something changed. */
void pki_batch_plan(pk_batch *b);

#endif
