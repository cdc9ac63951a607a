/* Force laws of commands and actuators on lanes (actuation/force_law.h): the piece that holds at a velocity, and rows between two
 * pieces. Without actuators a law is a line within two limits that do not fall. */
#ifndef PKI_STEP_FORCE_LAW_H
#define PKI_STEP_FORCE_LAW_H

#include "actuation/motor_kernel.h"
#include "step/kernels/row_store.h"

/* A line a - g u, its value f, and which piece of the law it is. */
typedef struct pki_piece {
  pk_r a, g, f, id;
} pki_piece;

PKI_INLINE pki_piece pki_piece_select(pk_i mask, pki_piece x, pki_piece y)
{
  return (pki_piece){pki_select(mask, x.a, y.a), pki_select(mask, x.g, y.g), pki_select(mask, x.f, y.f),
                     pki_select(mask, x.id, y.id)};
}

PKI_INLINE pki_piece pki_lower_piece(pki_piece x, pki_piece y)
{
  return pki_piece_select(pki_less(y.f, x.f), y, x);
}

PKI_INLINE pki_piece pki_higher_piece(pki_piece x, pki_piece y)
{
  return pki_piece_select(pki_less(x.f, y.f), y, x);
}

/* Numbers of a law: few where there are no actuators, so that those of all joints lie close together. */
PKI_INLINE int pki_law_numbers(const pki_group *g)
{
  return g->plan->actuation != NULL ? PKI_LAW_NUMBERS : PKI_LAW_PLAIN;
}

PKI_INLINE pk_r *pki_law_of_joint(const pki_group *g, int k)
{
  return pki_out(g->joint.law) + pki_law_numbers(g) * k;
}

/* a - g u. Forces of lines are compared to the bit: all are computed here. */
PKI_INLINE pk_r pki_line_value(pk_r a, pk_r g, pk_r u)
{
  return a - g * u;
}

/* A line of a law, raised. */
PKI_INLINE pki_piece pki_law_line(pk_r a, pk_r g, pk_r raised, pk_r u, int id)
{
  return (pki_piece){a + raised, g, pki_line_value(a + raised, g, u), pki_splat(id)};
}

/* phi(s) (pk_force_law); `rubs`: with dry friction inside. */
PKI_INLINE pki_piece pki_limited_piece(const pk_r *law, pk_r u, double s, bool rubs)
{
  const int side = rubs && s > 0 ? PKI_PIECE_RAISED : 0;
  pk_r raised[3];
  for (int e = 0; e < 3; e++) {
    raised[e] = rubs ? s * law[PKI_LAW_RUB + e] : pki_splat(0);
  }
  pki_piece p = pki_law_line(law[PKI_LAW_A], law[PKI_LAW_G], raised[0], u, side + PKI_PIECE_FREE);
  for (int j = 0; j < 2; j++) {
    const pk_r slope = law[PKI_LAW_SLOPE + j];
    p = pki_lower_piece(
        p, pki_law_line(law[PKI_LAW_HIGH + j], slope, raised[1 + j], u, side + PKI_PIECE_HIGH0 + j));
    p = pki_higher_piece(
        p, pki_law_line(law[PKI_LAW_LOW + j], slope, raised[1 + j], u, side + PKI_PIECE_LOW0 + j));
  }
  return p;
}

/* The piece of joint k's law at the velocity u. */
PKI_INLINE pki_piece pki_piece_at(const pki_lanes *f, int k, pk_r u)
{
  const pk_r *const law = pki_law_of_joint(f->g, k);
  const pk_actuation *a = f->p->actuation;
  if (a == NULL) {
    const pk_r zero = pki_splat(0);
    const pki_piece p = pki_law_line(law[PKI_LAW_A], law[PKI_LAW_G], zero, u, PKI_PIECE_FREE);
    const pki_piece high = {law[PKI_LAW_HIGH], zero, law[PKI_LAW_HIGH], pki_splat(PKI_PIECE_HIGH0)};
    const pki_piece low = {law[PKI_LAW_LOW], zero, law[PKI_LAW_LOW], pki_splat(PKI_PIECE_LOW0)};
    return pki_higher_piece(pki_lower_piece(p, high), low);
  }
  if (!a->rubs) {
    return pki_limited_piece(law, u, 0, false);
  }
  const pki_piece hold =
      pki_law_line(law[PKI_LAW_HOLD], law[PKI_LAW_HOLD_SLOPE], pki_splat(0), u, PKI_PIECE_HOLD);
  const pki_piece lowered = pki_limited_piece(law, u, -1, true), raised = pki_limited_piece(law, u, 1, true);
  const pki_piece between = pki_lower_piece(pki_higher_piece(hold, lowered), raised);
  const pk_i rubs = pki_less(pki_splat(0), law[PKI_LAW_RUB]);
  return pki_piece_select(rubs, between, lowered);
}

/* The value of phi alone, without dry friction inside. */
PKI_INLINE pk_r pki_limited_value(const pk_r *law, pk_r u)
{
  pk_r f = pki_line_value(law[PKI_LAW_A], law[PKI_LAW_G], u);
  for (int j = 0; j < 2; j++) {
    f = pki_min(f, pki_line_value(law[PKI_LAW_HIGH + j], law[PKI_LAW_SLOPE + j], u));
    f = pki_max(f, pki_line_value(law[PKI_LAW_LOW + j], law[PKI_LAW_SLOPE + j], u));
  }
  return f;
}

/* What the law of joint k is at the velocity u: the value of pki_piece_at, for less. */
PKI_INLINE pk_r pki_law_value(const pki_lanes *f, int k, pk_r u)
{
  const pk_r *const law = pki_law_of_joint(f->g, k);
  const pk_actuation *a = f->p->actuation;
  if (a == NULL) {
    const pk_r free = pki_line_value(law[PKI_LAW_A], law[PKI_LAW_G], u);
    return pki_max(pki_min(free, law[PKI_LAW_HIGH]), law[PKI_LAW_LOW]);
  }
  return a->rubs ? pki_piece_at(f, k, u).f : pki_limited_value(law, u);
}

/* The value of joint k's law at the velocity u is that of its free line in all lanes. */
PKI_INLINE bool pki_is_free(const pki_lanes *f, int k, pk_r u, pk_r value)
{
  const pk_r *const law = pki_law_of_joint(f->g, k);
  const pk_r free = pki_line_value(law[PKI_LAW_A], law[PKI_LAW_G], u);
  return !pki_any(pki_less(free, value) | pki_less(value, free));
}

/* The line of a piece joins M~ in the lanes of a mask. */
PKI_INLINE void pki_use_piece(const pki_group *g, int k, pk_i lanes, pki_piece p)
{
  pk_r *const to[] = {pki_out(g->joint.line_a) + k, pki_out(g->joint.line_g) + k,
                      pki_out(g->joint.piece) + k};
  const pk_r from[] = {p.a, p.g, p.id};
  for (int e = 0; e < 3; e++) {
    *to[e] = pki_select(lanes, from[e], *to[e]);
  }
}

/* The force of the line that is in M~, at the velocity u. */
PKI_INLINE pk_r pki_line_force(const pki_group *g, int k, pk_r u)
{
  return pki_line_value(pki_reals(g->joint.line_a)[k], pki_reals(g->joint.line_g)[k], u);
}

/* The law of joint k in one lane. */
static pk_force_law pki_law_of_lane(const pki_lanes *f, int k, int lane)
{
  double numbers[PKI_LAW_NUMBERS] = {0};
  pk_force_law law = pk_force_law_none();
  const int n = pki_law_numbers(f->g);
  for (int e = 0; e < n; e++) {
    numbers[e] = pki_entry_of(f->g->joint.law, n * k + e, lane);
  }
  if (f->p->actuation == NULL) { /* all that such laws have */
    law.a = numbers[PKI_LAW_A], law.g = numbers[PKI_LAW_G];
    law.low[0] = numbers[PKI_LAW_LOW], law.high[0] = numbers[PKI_LAW_HIGH];
    return law;
  }
  memcpy(&law, numbers, sizeof law);
  return law;
}

/* Joint k of a lane gets a row between two pieces of its law, of which the law is the lower or the higher one. False: they have
 * the same slope, so that there is none. */
static bool pki_form_torque_row(const pki_lanes *f, int k, int lane, int one, int other, bool lower)
{
  const pki_group *g = f->g;
  const pk_force_law law = pki_law_of_lane(f, k, lane);
  const pki_force_row row = pki_force_law_row(&law, one, other, lower);
  if (!(row.g > 0)) {
    return false;
  }
  const int at = k * PKI_LANES + lane;
  const double numbers[PKI_FORCE_NUMBERS] = {row.a, row.g, row.lower, row.upper};
  g->joint.line_a[at] = row.base_a, g->joint.line_g[at] = row.base_g;
  g->joint.piece[at] = one, g->joint.other[at] = other;
  for (int e = 0; e < PKI_FORCE_NUMBERS; e++) {
    g->joint.row[(PKI_FORCE_NUMBERS * k + e) * PKI_LANES + lane] = numbers[e];
  }
  return true;
}

/* What the row of joint k in a lane is made of. */
PKI_INLINE void pki_torque_row_of(const pki_group *g, int k, int lane, double out[PKI_FORCE_NUMBERS])
{
  for (int e = 0; e < PKI_FORCE_NUMBERS; e++) {
    out[e] = pki_entry_of(g->joint.row, PKI_FORCE_NUMBERS * k + e, lane);
  }
}

#endif
