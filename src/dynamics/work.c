/* Memory of a lane group. */
#include <string.h>

#include "dynamics/kernels.h"
#include "model/grouped.h"
#include "model/motion.h"

/* The same number in every lane. */
static void broadcast_lanes(double *to, const double *from, size_t count, int lanes)
{
  for (size_t e = 0; to != NULL && e < count; e++) {
    for (int l = 0; l < lanes; l++) {
      to[e * (size_t)lanes + (size_t)l] = from[e];
    }
  }
}

/* The numbers of one lane at the front of an array, to every lane: from the last to the first. */
static void spread_in_place(double *x, size_t count, int lanes)
{
  for (size_t e = count; e-- > 0;) {
    const double one = x[e];
    for (int l = 0; l < lanes; l++) {
      x[e * (size_t)lanes + (size_t)l] = one;
    }
  }
}

/* Which bodies have no children, and which are the last child. */
static void mark_places(const pk_model *m, int *place)
{
  for (int i = 0; i < m->nbody; i++) {
    place[i] = PKI_LEAF;
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    const int p = m->body_parent[i];
    if (p >= 0 && place[p] & PKI_LEAF) {
      place[p] &= ~PKI_LEAF;
      place[i] |= PKI_LAST;
    }
  }
}

/* Unknowns that follow each other, each the only one below the one before; 0: the plan is no tree. */
static int find_chains(const pk_model *m, int *chain)
{
  /* how many unknowns are right below each; of k it is read before a chain that begins at k or earlier is written there */
  int *const below = chain;
  memset(below, 0, (size_t)m->nplan * sizeof *below);
  for (int k = 0; k < m->nplan; k++) {
    const int end = m->M_row[k + 1] - 2;
    if (end >= m->M_row[k]) {
      below[m->M_col[end]]++;
    }
  }
  int n = 0;
  for (int k = 0, below_last = 0; k < m->nplan; k++) {
    const int row = m->M_row[k], length = m->M_row[k + 1] - row - 1, below_this = below[k];
    const int up = length > 0 ? m->M_col[row + length - 1] : -1;
    const int above = up >= 0 ? m->M_row[up + 1] - m->M_row[up] : 0;
    if (length != above) {
      return 0; /* not the whole path above it */
    }
    const bool lone = up == k - 1 && up >= 0 && below_last == 1;
    if (!lone) {
      chain[n++] = k;
    }
    below_last = below_this;
  }
  chain[n] = m->nplan;
  return n;
}

void pki_work_carve(pki_work *w, const pk_model *m, int lanes, pki_arena *arena)
{
  const size_t n = (size_t)m->nbody + 1, nu = (size_t)m->nu, real = (size_t)lanes * sizeof(double);
  int nmulti = 0;
  *w = (pki_work){.model = m, .lanes = lanes};
  w->body_multi = pki_arena_take(arena, (size_t)m->nbody, sizeof(int));
  w->body_place = pki_arena_take(arena, (size_t)m->nbody, sizeof(int));
  w->chain = pki_arena_take(arena, (size_t)m->nplan + 1, sizeof(int));
  if (w->body_place != NULL) {
    mark_places(m, w->body_place);
  }
  if (w->chain != NULL) {
    w->nchain = find_chains(m, w->chain);
  }
  for (int i = 0; i < m->nbody; i++) {
    const int multi = pki_motion_nu(m->body_motion[i]) > 1;
    if (w->body_multi != NULL) {
      w->body_multi[i] = multi ? nmulti : -1;
    }
    nmulti += multi;
  }
  w->params.gravity = pki_arena_take(arena, 3, real);
  w->params.inertia = pki_arena_take(arena, 10 * (size_t)m->nbody, real);
  w->params.armature = pki_arena_take(arena, nu, real);
  w->params.grouped = pki_arena_take(arena, 10 * (size_t)m->nbody, real);
  w->pose = pki_arena_take(arena, 12 * n, real);
  w->origin = pki_arena_take(arena, 3 * n, real);
  w->twist = pki_arena_take(arena, 6 * n, real);
  w->accel = pki_arena_take(arena, 6 * n, real);
  w->force = pki_arena_take(arena, 6 * n, real);
  w->artic = pki_arena_take(arena, 21 * n, real);
  w->rigid = pki_arena_take(arena, 10 * n, real);
  w->factor = pki_arena_take(arena, 8 * n, real);
  w->multi = pki_arena_take(arena, PKI_MULTI * (size_t)nmulti, real);
  w->delta = pki_arena_take(arena, 6 * n, real);
  w->zero = pki_arena_take(arena, nu, real);
  w->diag = pki_arena_take(arena, nu, real);
  w->tmp = pki_arena_take(arena, 2 * nu, real);
  w->plan = pki_arena_take(arena, (size_t)m->nplan, real);
  w->M = pki_arena_take(arena, (size_t)m->nM, real);
  if (arena->base == NULL || arena->overflow) {
    return;
  }
  broadcast_lanes(w->params.gravity, m->gravity, 3, lanes);
  broadcast_lanes(w->params.inertia, m->body_inertia, 10 * (size_t)m->nbody, lanes);
  broadcast_lanes(w->params.armature, m->dof_armature, nu, lanes);
  pki_group_inertias(m, m->body_inertia, w->params.grouped); /* of one lane, at the front */
  spread_in_place(w->params.grouped, 10 * (size_t)m->nbody, lanes);
  memcpy(w->diag, w->params.armature, nu * real);
  memset(w->zero, 0, nu * real);
}
