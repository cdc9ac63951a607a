/* A step of a group under way (step/group.h), and how lanes leave it. */
#ifndef PKI_STEP_LANES_H
#define PKI_STEP_LANES_H

#include <stdbool.h>

#include "contact/problem/speed_floor.h"
#include "dynamics/kernels/composite.h"
#include "dynamics/kernels/declare.h"
#include "step/chain_rows.h"
#include "step/contact.h"
#include "step/group.h"
#include "step/joints.h"
#include "step/law.h"

typedef struct pki_lanes {
  pki_group *g;
  const pki_group_plan *p;
  const pki_lane_world *lane_worlds;

  /* Lanes in use. */
  int count;
  /* Lanes that are still in the step, and why others are not. */
  pk_i going;
  pk_lane_exit left[PKI_LANES];
  /* Contacts at q_M and at the end, of shapes that are no feet. */
  int nfound[PKI_LANES], nend[PKI_LANES];
  /* Some command is or was pinned in some lane, or some joint may slide. */
  bool pins;
  /* Some joint is tracked in some lane. */
  bool tracks;
  int yielded[PKI_LANES], relinearised[PKI_LANES];

  /* ---- the search for contacts in slots ---- */

  /* Pairs for the narrow phase. */
  int ncandidate;
  /* All pairs of shapes were looked at. */
  bool looked;
  /* What pairs remember; whether it was taken from the world. */
  int nmemory[PKI_LANES];
  bool recalled[PKI_LANES];

  /* ---- rows in slots ---- */

  /* Slots in use, as bits; of feet those whose J is there. */
  unsigned rows;
  /* Slots and box slots that are active in some lane. */
  unsigned in, box_in;
  /* Those whose rows and W are to be computed. */
  unsigned stale, box_stale;
  /* Unknowns of their rows in any lane, as bits. */
  uint64_t path[PKI_SLOTS], box_path[PKI_BOXES];
  /* How many are in use, the feet's included. */
  int nslot[PKI_LANES], nbox[PKI_LANES];
  /* Contacts at q_M that wait, as bits (support.h). */
  uint64_t spare[PKI_LANES];
  /* There were rows of velocities in some lane. */
  bool has_rows;
  /* Rows are those of a projection. */
  bool positions;
  /* Lanes whose shapes are so little in the ground at the end that only their depth was measured, and that depth, m. */
  pk_i measured;
  pk_r shallow;
  /* Lanes whose impulses the scalar solvers found, as bits, and by which. */
  unsigned scalar_fallback;
  pk_solver solver[PKI_LANES];
  /* How many are in `kept`. */
  int nkept[PKI_LANES];

  /* ---- rows on chains ---- */

  /* Some velocities were found without the factor of M~, which rows need. */
  bool needs_factor;
  /* Impulses were found, and kept. */
  bool solved;
  /* The active set did not settle. */
  bool unsettled;
  /* m, how deep contacts by forces are at the end. */
  double sunk;
  /* Why the step fails. */
  pk_status status;

  /* ---- in slots; from here on nothing is cleared at the start ---- */

  /* Box rows of velocities, when those at hand are of positions. */
  pki_lane_box kept[PKI_LANES][PKI_BOXES];
  /* Contacts that stick, in projections. */
  pk_i held[PKI_SLOTS];
  /* max(|q|, PKI_SPEED_FLOOR) of the last problem. */
  pk_r scale;
} pki_lanes;

/* The rows of this step are on chains, not in slots. What differs then is in row_store.h. */
PKI_INLINE bool pki_on_chains(const pki_lanes *f)
{
  return PKI_LANES == 1 && f->g->world != NULL;
}

/* Some joint coordinates are no velocities of the model, but drives of joints that are cut (step/joints.h). */
PKI_INLINE bool pki_is_cut(const pki_lanes *f)
{
  return PKI_LANES == 1 && f->p->cut;
}

/* The model has bilateral constraints: loops or cut joints. */
PKI_INLINE bool pki_is_constrained(const pki_lanes *f)
{
  return PKI_LANES == 1 && f->p->model->nconstraint > 0;
}

/* In a for: each slot of a set of bits, ascending. */
#define PKI_EACH(slot, set) \
  unsigned slot##_left = (set), slot = 0; \
  slot##_left != 0 && (slot = (unsigned)__builtin_ctz(slot##_left), true); \
  slot##_left &= slot##_left - 1

/* a where the mask is set, b elsewhere. */
PKI_INLINE pk_i pki_select_mask(pk_i mask, pk_i a, pk_i b)
{
  return (a & mask) | (b & ~mask);
}

/* Lanes of a mask as bits. */
PKI_INLINE unsigned pki_lane_bits(pk_i mask)
{
  unsigned bits = 0;
  for (int l = 0; l < PKI_LANES; l++) {
#if PKI_LANES == 1
    bits |= (unsigned)(mask != 0);
#else
    bits |= (unsigned)(mask[l] != 0) << l;
#endif
  }
  return bits;
}

PKI_INLINE bool pki_is_set(pk_i mask, int lane)
{
#if PKI_LANES == 1
  (void)lane;
  return mask != 0;
#else
  return mask[lane] != 0;
#endif
}

PKI_INLINE double pki_entry_of(const double *array, int at, int lane)
{
  return array[at * PKI_LANES + lane];
}

/* Lanes in which n numbers are finite. */
PKI_INLINE pk_i pki_is_finite(const double *x, int n)
{
  pk_r sum = pki_splat(0);
  for (int k = 0; k < n; k++) {
    sum += pki_abs(pki_reals(x)[k]);
  }
  return pki_less(sum, pki_splat(1e300));
}

/* Lanes of a mask leave the step: it is made again with rows on chains. On chains themselves nothing leaves. */
static void pki_leave_lanes(pki_lanes *f, pk_i mask, pk_lane_exit why)
{
  const pk_i leaving = mask & f->going;
  if (!pki_any(leaving) || pki_on_chains(f)) {
    return;
  }
  for (int l = 0; l < PKI_LANES; l++) {
    f->left[l] = pki_is_set(leaving, l) ? why : f->left[l];
  }
  f->going &= ~leaving;
}

static void pki_leave_one_lane(pki_lanes *f, int lane, pk_lane_exit why)
{
  pk_i mask = pki_mask_none();
  pki_set_mask(&mask, lane, true);
  pki_leave_lanes(f, mask, why);
}

/* The step fails and nothing of it is kept; on chains alone, where one world is stepped. */
static void pki_fail_step(pki_lanes *f, pk_status status)
{
  if (status != PK_OK && f->status == PK_OK) {
    f->status = status;
    f->going = pki_mask_none();
  }
}

#endif
