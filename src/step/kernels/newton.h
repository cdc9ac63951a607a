/* Impulses by Newton's method on active sets, one problem in each lane.
 *
 * Rows are scaled by s = 1/sqrt(w), w = tr W_ii/3 of a contact and W_ll of a box, so that the certificate is the natural map
 * with rho = 1. With d = r - u, in these coordinates,
 *
 *   open   d_N <= 0                      r = 0
 *   stick  |d_T| <= mu d_N               (W r + q)_i + sigma (r - r_k)_i = 0
 *   slip   else, t = d_T/|d_T|, b _|_ t  r = r_N (n + mu t) + beta b:  n'(W r + q + sigma (r - r_k)) = 0,
 *                                        b'(W r + q + sigma (r - r_k)) + h beta = 0,  h = (|d_T| - mu d_N)/(mu d_N)
 *   box    d beyond a bound              r = the bound; else (W r + q)_l + sigma (r - r_k)_l = 0
 *
 * which is the Newton step of Alart and Curnier's equations with what is known taken out. Steps are full. sigma makes redundant
 * impulses (a foot on four corners) unique: of all solutions the one next to r_k. It leaves no trace where the iteration rests.
 * Lanes in which plain steps fail begin again with softened ones: each contact's sigma follows what is left of its own law.
 * docs/theory/contact.md derives it. A system has the unknowns that some lane uses; in the others they are unit rows, which change
 * no bit of the rest. */
#ifndef PKI_STEP_NEWTON_H
#define PKI_STEP_NEWTON_H

#include "contact/solvers/active_set_constants.h"
#include "step/kernels/newton_matrix.h"
#include "step/kernels/sweep.h"

/* Problems with more rows of contacts are solved one by one, where those that carry nothing cost nothing. */
enum { PKI_LANE_ROWS = 24 };

/* Steps of one solve, the softened ones included; what they leave is for the scalar solvers. */
enum { PKI_LANE_STEPS = 30 };

/* Steps of one projection of positions, likewise. */
enum { PKI_POSITION_STEPS = 8 };

/* sigma where a lane has so few rows that none of them can be redundant. */
enum { PKI_FEW_ROWS = 3 };
#define PKI_SIGMA_FEW 1e-12

/* Slots and boxes that some lane of a solve has. */
typedef struct pki_system {
  int nslot, slot[PKI_SLOTS];
  pk_r scale[PKI_SLOTS], weight[PKI_SLOTS]; /* s, 1/s */
  int nbox, box[PKI_BOXES];
  int row[PKI_SLOTS][3];  /* of a contact's unknowns; -1: no lane uses it */
  int box_row[PKI_BOXES]; /* likewise */
  int rows;
  bool keeps; /* the matrix is that of the step before, whose factors are there */
} pki_system;

/* A contact in a Newton step: r = C y, rows E', with
 *
 *     C = n               E = n                T = t11         b of those that slip, the identity of those that stick
 *         c1   T              0    T               t21   t22
 *         c2                  0
 */
typedef struct pki_state {
  pk_r scale, weight; /* s, 1/s */
  pk_r n;             /* 1: it carries */
  pk_r c1, c2;        /* mu t of those that slip */
  pk_r t11, t21, t22;
  pk_r h; /* of those that slip */
  pk_r sigma;
  pk_r unused0, unused1, unused2; /* 1: a unit row */
  bool slides;                    /* in some lane */
} pki_state;

/* A box row in a Newton step: free within its bounds, or at one of them. */
typedef struct pki_box_state {
  pk_r scale, weight; /* s, 1/s */
  pk_r free;          /* 1: an unknown */
  pk_r bound;         /* r where it is not, scaled */
  pk_r sigma;
} pki_box_state;

static void pki_begin_system(const pki_group *g, pki_members of, pki_system *s)
{
  s->nslot = s->nbox = 0;
  for (PKI_EACH(i, of.slots)) {
    const pki_m3 *W = pki_block(g, (int)i, (int)i);
    const pk_r w = pki_select(pki_masks(g->active)[i], (W->x.x + W->y.y + W->z.z) * (1.0 / 3), pki_splat(1));
    s->weight[s->nslot] = pki_sqrt(w);
    s->scale[s->nslot] = 1.0 / s->weight[s->nslot];
    s->slot[s->nslot++] = (int)i;
  }
  for (PKI_EACH(b, of.boxes)) {
    s->box[s->nbox++] = (int)b;
  }
}

/* Rows for the unknowns that some lane uses. */
static void pki_number_rows(pki_system *s, const pki_state *state, const pki_box_state *boxes)
{
  const pk_r one = pki_splat(1);
  s->rows = 0;
  for (int i = 0; i < s->nslot; i++) {
    const pk_r unused[3] = {state[i].unused0, state[i].unused1, state[i].unused2};
    for (int d = 0; d < 3; d++) {
      s->row[i][d] = pki_any(pki_less(unused[d], one)) ? s->rows++ : -1;
    }
  }
  for (int b = 0; b < s->nbox; b++) {
    s->box_row[b] = pki_any(pki_less(pki_splat(0), boxes[b].free)) ? s->rows++ : -1;
  }
}

/* The state of contact i of a system at r, v. */
PKI_INLINE pki_state pki_state_of(const pki_group *g, const pki_system *system, int i, pk_i open)
{
  const pk_r zero = pki_splat(0), one = pki_splat(1);
  const int slot = system->slot[i];
  const pk_i active = open & pki_masks(g->active)[slot];
  const pk_r mu = pki_reals(g->mu)[slot];
  pki_state s = {.scale = system->scale[i], .weight = system->weight[i]};
  const pki_v3 d = pki_sub(pki_scale(s.weight, pki_v3_load(pki_reals(g->r) + 3 * slot)),
                           pki_scale(s.scale, pki_v3_load(pki_reals(g->v) + 3 * slot)));
  const pk_r size = pki_length2(d.y, d.z), limit = mu * d.x;
  const pk_i carries = active & pki_less(zero, d.x),
             sticks = carries & pki_less(zero, mu) & pki_at_most(size, limit), slips = carries & ~sticks;
  const pk_r inv = 1.0 / pki_select(slips, size, one), t1 = d.y * inv, t2 = d.z * inv;
  s.n = pki_where_set(carries, one);
  s.c1 = pki_where_set(slips, mu * t1), s.c2 = pki_where_set(slips, mu * t2);
  s.t11 = pki_select(slips, -t2, pki_where_set(sticks, one)), s.t21 = pki_where_set(slips, t1);
  s.t22 = pki_where_set(sticks, one);
  /* without friction beta is 0 */
  s.h = pki_where_set(slips, (size - limit) / pki_max(limit, 1e-12 * size));
  s.unused0 = one - s.n, s.unused1 = s.unused0, s.unused2 = one - s.t22;
  s.slides = pki_any(slips);
  return s;
}

/* The state of a contact of positions, where gaps stand for velocities: it carries or not, and one that is held has no way along
 * the surface. */
PKI_INLINE pki_state pki_position_state(const pki_group *g, const pki_system *system, int i, pk_i open,
                                        pk_i held)
{
  const pk_r zero = pki_splat(0), one = pki_splat(1);
  const int slot = system->slot[i];
  const pk_i active = open & pki_masks(g->active)[slot];
  pki_state s = {
      .scale = system->scale[i], .weight = system->weight[i], .c1 = zero, .c2 = zero, .t21 = zero, .h = zero};
  const pk_r d = s.weight * pki_reals(g->r)[3 * slot] - s.scale * pki_reals(g->v)[3 * slot];
  const pk_i carries = active & pki_less(zero, d);
  s.n = pki_where_set(carries, one);
  s.t11 = s.t22 = pki_where_set(carries & held, one);
  s.unused0 = one - s.n, s.unused1 = s.unused2 = one - s.t11;
  s.slides = pki_any(carries & ~held);
  return s;
}

/* E_i' G C_j of a block G of W, scaled. Where both stick or are open in all lanes that is G itself, or nothing. */
PKI_INLINE pki_m3 pki_reduce_block(const pki_state *i, const pki_state *j, pki_m3 G)
{
  const pk_r scale = i->scale * j->scale;
  if (!i->slides && !j->slides) {
    const pk_r part = i->n * j->n * scale;
    return (pki_m3){pki_scale(part, G.x), pki_scale(part, G.y), pki_scale(part, G.z)};
  }
  pki_v3 row[3] = {G.x, G.y, G.z};
  for (int d = 0; d < 3; d++) { /* columns */
    const pki_v3 a = pki_scale(scale, row[d]);
    row[d] = (pki_v3){j->n * a.x + j->c1 * a.y + j->c2 * a.z, j->t11 * a.y + j->t21 * a.z, j->t22 * a.z};
  }
  return (pki_m3){pki_scale(i->n, row[0]), pki_add(pki_scale(i->t11, row[1]), pki_scale(i->t21, row[2])),
                  pki_scale(i->t22, row[2])};
}

PKI_INLINE void pki_store_block(const pki_group *g, const pki_system *s, int i, int j, pki_m3 B)
{
  const pki_v3 row[3] = {B.x, B.y, B.z};
  for (int d = 0; d < 3; d++) {
    if (s->row[i][d] >= 0) {
      pk_r *const to = pki_matrix(g, s->rows, s->row[i][d], 0);
      const pk_r value[3] = {row[d].x, row[d].y, row[d].z};
      for (int e = 0; e < 3; e++) {
        if (s->row[j][e] >= 0) {
          to[s->row[j][e]] = value[e];
        }
      }
    }
  }
}

/* Rows of the contacts. */
static void pki_fill_contacts(const pki_lanes *f, const pki_system *s, const pki_state *state)
{
  const pki_group *g = f->g;
  const pk_r one = pki_splat(1);
  for (int i = 0; i < s->nslot; i++) {
    const pki_state *a = &state[i];
    const pk_r sigma = a->sigma;
    for (int j = 0; j < s->nslot && s->row[i][0] >= 0 && !s->keeps; j++) {
      if (s->row[j][0] < 0) {
        continue;
      }
      pki_m3 B = pki_reduce_block(a, &state[j], *pki_block(g, s->slot[i], s->slot[j]));
      if (i == j) {
        const pk_r soft = pki_splat(f->positions ? PKI_YIELDING : 1);
        B.x.x += sigma * a->n + a->unused0;
        B.y.y = soft * B.y.y + sigma * (one - a->unused1) + a->h + a->unused1;
        B.z.z = soft * B.z.z + sigma * (one - a->unused2) + a->unused2;
      }
      pki_store_block(g, s, i, j, B);
    }
    const pki_v3 last = pki_scale(a->weight, pki_v3_load(pki_reals(g->r) + 3 * s->slot[i]));
    const pki_v3 q = pki_scale(a->scale, pki_v3_load(pki_reals(g->fixed) + 3 * s->slot[i]));
    const pki_v3 x = {sigma * last.x - q.x, sigma * last.y - q.y, sigma * last.z - q.z};
    const pk_r right[3] = {a->n * x.x, a->t11 * x.y + a->t21 * x.z, a->t22 * x.z};
    for (int d = 0; d < 3; d++) {
      if (s->row[i][d] >= 0) {
        *pki_right(g, s->rows, s->row[i][d]) = right[d];
      }
    }
  }
}

/* A box at r, v. */
PKI_INLINE pki_box_state pki_box_state_of(const pki_group *g, int box, pk_i open)
{
  const pk_r one = pki_splat(1);
  const pk_i active = open & pki_masks(g->box_active)[box];
  pki_box_state s = {.weight = pki_sqrt(pki_select(active, pki_reals(g->box_W)[box * (PKI_BOXES + 1)], one))};
  s.scale = 1.0 / s.weight;
  const pk_r lower = s.weight * pki_reals(g->box_lower)[box], upper = s.weight * pki_reals(g->box_upper)[box];
  const pk_r d = s.weight * pki_reals(g->box_r)[box] - s.scale * pki_reals(g->box_v)[box];
  const pk_i low = active & pki_at_most(d, lower), high = active & ~low & pki_at_most(upper, d);
  s.free = pki_where_set(active & ~low & ~high, one);
  s.bound = pki_select(low, lower, pki_where_set(high, upper));
  return s;
}

/* The row of one box among the contacts and boxes; what boxes at their bounds do is known, and goes to the right sides. */
static void pki_fill_box(const pki_lanes *f, const pki_system *s, const pki_state *state,
                         const pki_box_state *boxes, int b)
{
  const pki_group *g = f->g;
  const pk_r one = pki_splat(1);
  const pki_box_state *at = &boxes[b];
  const pk_r sigma = at->sigma;
  const int box = s->box[b], row = s->box_row[b];
  pk_r right = pki_splat(0);
  for (int i = 0; i < s->nslot; i++) {
    const pki_state *a = &state[i];
    const pki_v3 G = pki_scale(a->scale * at->scale, *pki_cross_of(g, s->slot[i], box));
    const pk_r along = a->t11 * G.y + a->t21 * G.z, aside = a->t22 * G.z;
    const pk_r across[3] = {a->n * G.x + a->c1 * G.y + a->c2 * G.z, along, aside};
    const pk_r down[3] = {a->n * G.x, along, aside};
    for (int d = 0; d < 3; d++) {
      if (s->row[i][d] >= 0) {
        *pki_right(g, s->rows, s->row[i][d]) -= down[d] * at->bound;
        if (row >= 0 && !s->keeps) {
          *pki_matrix(g, s->rows, row, s->row[i][d]) = at->free * across[d];
          *pki_matrix(g, s->rows, s->row[i][d], row) = at->free * down[d];
        }
      }
    }
  }
  for (int c = 0; c < s->nbox && row >= 0; c++) {
    const pk_r G = at->scale * boxes[c].scale * pki_reals(g->box_W)[box * PKI_BOXES + s->box[c]];
    right -= G * boxes[c].bound;
    if (s->box_row[c] >= 0 && !s->keeps) {
      *pki_matrix(g, s->rows, row, s->box_row[c]) =
          b == c ? at->free * (G + sigma) + (one - at->free) : at->free * boxes[c].free * G;
    }
  }
  if (row >= 0) {
    const pk_r before = at->weight * pki_reals(g->box_r)[box], q = at->scale * pki_reals(g->box_q)[box];
    *pki_right(g, s->rows, row) = at->free * (right + (sigma * before - q));
  }
}

static void pki_fill_boxes(const pki_lanes *f, const pki_system *s, const pki_state *state,
                           const pki_box_state *boxes)
{
  for (int b = 0; b < s->nbox; b++) {
    pki_fill_box(f, s, state, boxes, b);
  }
}

/* The impulses that a solved step stands for, in the lanes of `open`. */
static void pki_take_step(const pki_lanes *f, const pki_system *s, const pki_state *state,
                          const pki_box_state *boxes, pk_i open)
{
  pki_group *g = f->g;
  const pk_r *const y = pki_reals(g->b);
  for (int i = 0; i < s->nslot; i++) {
    const pki_state *a = &state[i];
    const pk_i active = open & pki_masks(g->active)[s->slot[i]];
    const pk_r n = s->row[i][0] >= 0 ? a->n * y[s->row[i][0]] : pki_splat(0);
    const pk_r y1 = s->row[i][1] >= 0 ? y[s->row[i][1]] : pki_splat(0);
    const pk_r y2 = s->row[i][2] >= 0 ? y[s->row[i][2]] : pki_splat(0);
    const pki_v3 r = {n, a->c1 * n + a->t11 * y1, a->c2 * n + a->t21 * y1 + a->t22 * y2};
    pk_r *const at = pki_out(g->r) + 3 * s->slot[i];
    pki_v3_store(pki_v3_select(active, pki_scale(a->scale, r), pki_v3_load(at)), at);
  }
  for (int b = 0; b < s->nbox; b++) {
    const int box = s->box[b];
    const pk_i active = open & pki_masks(g->box_active)[box], free = pki_less(pki_splat(0), boxes[b].free);
    const pk_r r = s->box_row[b] >= 0 ? y[s->box_row[b]] : pki_splat(0);
    const pk_r lower = pki_reals(g->box_lower)[box], upper = pki_reals(g->box_upper)[box];
    const pk_r bound = pki_select(pki_at_most(boxes[b].bound, boxes[b].weight * lower), lower, upper);
    pk_r *const to = pki_out(g->box_r) + box;
    *to = pki_select(active, pki_select(free, boxes[b].scale * r, bound), *to);
  }
}

/* Lanes in which the state of a contact or of a box is another one than in the last step. */
static pk_i pki_set_changed(const pki_lanes *f, const pki_system *s, const pki_state *state,
                            const pki_box_state *boxes, pk_r *box_last, bool first)
{
  pk_i changed = first ? pki_mask_all() : pki_mask_none();
  for (int i = 0; i < s->nslot; i++) {
    pk_r *const last = pki_out(f->g->state) + s->slot[i];
    const pk_r now = state[i].n + (f->positions ? state[i].t11 : state[i].t22);
    changed |= ~(pki_at_most(now, *last) & pki_at_most(*last, now));
    *last = now;
  }
  for (int b = 0; b < s->nbox; b++) { /* no row is at a bound that is infinite */
    pk_r *const last = box_last + s->box[b];
    const pk_r now = pki_select(pki_less(pki_splat(0), boxes[b].free), pki_splat(INFINITY), boxes[b].bound);
    changed |= ~(pki_at_most(now, *last) & pki_at_most(*last, now));
    *last = now;
  }
  return changed;
}

/* Lanes in which a contact slips: its direction turns, and the matrix with it. */
static pk_i pki_slips(const pki_system *s, const pki_state *state)
{
  pk_i any = pki_mask_none();
  for (int i = 0; i < s->nslot; i++) {
    any |= pki_less(state[i].t22, state[i].n);
  }
  return any;
}

/* The first guess again, in the lanes of a mask. */
static void pki_restore_warm_start(const pki_lanes *f, pk_i mask)
{
  const pki_group *g = f->g;
  for (PKI_EACH(s, f->in)) {
    pk_r *const r = pki_out(g->r) + 3 * s;
    pki_v3_store(pki_v3_select(mask, pki_v3_load(pki_reals(g->impulse) + 3 * s), pki_v3_load(r)), r);
  }
  for (PKI_EACH(b, f->box_in)) {
    pk_r *const r = pki_out(g->box_r) + b;
    *r = pki_select(mask, pki_reals(g->box_impulse)[b], *r);
  }
}

/* What the active set of a step asks for, into g->b. The factors of the step before are kept where no lane has changed its set, no
 * contact slips and sigma is the same: the matrix would be the same. */
static void pki_newton_step(const pki_lanes *f, pki_system *s, const pki_state *state,
                            const pki_box_state *boxes)
{
  if (!s->keeps) {
    pki_number_rows(s, state, boxes);
  }
  pki_fill_contacts(f, s, state);
  pki_fill_boxes(f, s, state, boxes);
  if (s->keeps) {
    pki_solve_lower(f->g, s->rows);
  } else {
    pki_factor_system(f->g, s->rows);
  }
  pki_solve_upper(f->g, s->rows);
}

/* sigma of each contact by what is left of its own law, in the lanes of `soft` (contact/solvers/active_set.c), at least `least`. */
static void pki_soften_states(const pki_lanes *f, const pki_system *s, pki_state *state, pk_i soft,
                              pk_r least)
{
  const pki_group *g = f->g;
  const pk_r one = pki_splat(1);
  pk_r sum = pki_splat(0), count = pki_splat(0);
  for (int i = 0; i < s->nslot; i++) {
    const pk_i active = pki_masks(g->active)[s->slot[i]];
    sum += pki_where_set(active, state[i].weight * pki_abs(pki_reals(g->r)[3 * s->slot[i]]));
    count += pki_where_set(active, one);
  }
  const pk_r small = PKI_SOFT_SMALL * sum / pki_max(count, one);
  for (int i = 0; i < s->nslot; i++) {
    const int slot = s->slot[i];
    const pki_v3 r = pki_v3_load(pki_reals(g->r) + 3 * slot), v = pki_v3_load(pki_reals(g->v) + 3 * slot);
    const pk_r left = state[i].scale * pki_natural_residual(pki_reals(g->mu)[slot], r, v,
                                                            3.0 * state[i].weight * state[i].weight);
    const pk_r size = state[i].weight * pki_abs(r.x) + small;
    const pk_r part = PKI_SOFT_PART * left / pki_select(pki_less(pki_splat(0), size), size, one);
    state[i].sigma = pki_select(soft, pki_min(pki_max(part, least), one), state[i].sigma);
  }
}

/* The states of a system at r, v, with the sigma of each lane; of softened ones by their relative residual. */
static void pki_set_states(const pki_lanes *f, const pki_system *s, pk_i open, pk_i soft, pk_r sigma,
                           pk_r relative, pki_state *state, pki_box_state *boxes)
{
  const pki_group *g = f->g;
  const pk_r least = pki_max(pki_min(relative, pki_splat(PKI_SOFT_LEAST)), pki_splat(PKI_SIGMA_LEAST));
  const pk_r stiff = pki_select(soft, least, sigma);
  for (int i = 0; i < s->nslot; i++) {
    state[i] =
        f->positions ? pki_position_state(g, s, i, open, f->held[s->slot[i]]) : pki_state_of(g, s, i, open);
    state[i].sigma = stiff;
  }
  for (int b = 0; b < s->nbox; b++) {
    boxes[b] = pki_box_state_of(g, s->box[b], open);
    boxes[b].sigma = stiff;
  }
  if (pki_any(soft & open)) {
    pki_soften_states(f, s, state, soft, least);
  }
}

/* Lanes in which plain steps have failed: softened ones begin, from the guess. */
static pk_i pki_restart_softened(pki_lanes *f, pki_members of, pk_i restart)
{
  if (pki_any(restart)) {
    pki_restore_warm_start(f, restart);
    pki_velocities_of(f, of);
  }
  return restart;
}

/* The residual of each lane. */
static pk_r pki_step_residual(const pki_lanes *f, pki_members of, pk_i open, pk_r scale)
{
  const pki_group *g = f->g;
  if (f->positions) {
    return pki_position_residual(f, of);
  }
  const pk_r worst = pki_velocity_residual(f, of);
  *pki_out(g->relative) = pki_select(open, worst / scale, *pki_out(g->relative));
  *pki_out(g->sweeps) += pki_where_set(open, pki_splat(1));
  return worst;
}

/* Steps in the lanes of `open` until they meet their goals; returns the lanes that do not. Of velocities, lanes whose impulses have
 * diverged or that have not settled continue with softened steps. */
static pk_i pki_newton(pki_lanes *f, pk_i open, pk_i few, pk_r scale, pk_r goal)
{
  const pk_i velocities = f->positions ? pki_mask_none() : pki_mask_all();
  pk_r sigma = pki_select(few, pki_splat(PKI_SIGMA_FEW), pki_splat(PKI_SIGMA));
  pk_r last = pki_splat(0), box_last[PKI_BOXES];
  pk_i failed = pki_mask_none(), softer = pki_mask_none(), soft = pki_mask_none();
  pki_system s;
  s.nslot = s.nbox = s.rows = 0;
  pki_members before = {0, 0};
  const int most = f->positions ? PKI_POSITION_STEPS : PKI_LANE_STEPS;
  const int allowed = f->p->iterations < most && !f->positions ? f->p->iterations : most;
  for (int step = 0; step < allowed && pki_any(open); step++) {
    pki_state state[PKI_SLOTS];
    pki_box_state boxes[PKI_BOXES];
    const pki_members of = pki_members_of(f, open);
    const bool fewer = step == 0 || of.slots != before.slots || of.boxes != before.boxes;
    if (fewer) {
      pki_begin_system(f->g, of, &s);
    }
    before = of;
    pki_set_states(f, &s, open, soft, sigma, last / scale, state, boxes);
    const pk_i changed = pki_set_changed(f, &s, state, boxes, box_last, step == 0);
    s.keeps = !fewer && !pki_any(open & (changed | softer | soft | (velocities & pki_slips(&s, state))));
    pki_newton_step(f, &s, state, boxes);
    const pk_i finite =
        pki_is_finite(f->g->b, s.rows); /* whatever the other lanes hold: their rows are unit rows here */
    pki_take_step(f, &s, state, boxes, open & finite);
    pki_velocities_of(f, of);
    const pk_r worst = pki_step_residual(f, of, open & finite, scale);
    open &= ~(pki_at_most(worst, goal) & finite);
    const pk_i wild = velocities & (~finite | pki_less(PKI_DIVERGED * scale, worst));
    const pk_i late = step == PKI_ACTIVE_SET_STEPS - 1 ? velocities : pki_mask_none();
    const pk_i restart = pki_restart_softened(f, of, open & ~soft & (wild | late));
    soft |= restart;
    failed |= open & ~finite & ~restart;
    open &= ~failed;
    softer = ~changed & ~few & pki_less(0.1 * last, worst);
    sigma = pki_select(softer, pki_max(PKI_SIGMA_FALLS * sigma, pki_splat(PKI_SIGMA_LEAST)), sigma);
    last = pki_select(restart, scale, worst); /* nothing is known of the guess */
  }
  return open | failed;
}

#endif
