#include "actuation/force_law.h"

#include <math.h>

pk_force_law pk_force_law_none(void)
{
  return (pk_force_law){.low = {-INFINITY, -INFINITY}, .high = {INFINITY, INFINITY}};
}

/* phi(s) of the header. */
static double force_between_limits(const pk_force_law *l, double s, double u)
{
  double f = l->a + s * l->rub[0] - l->g * u;
  for (int j = 0; j < 2; j++) {
    f = fmin(f, l->high[j] + s * l->rub[1 + j] - l->slope[j] * u);
    f = fmax(f, l->low[j] + s * l->rub[1 + j] - l->slope[j] * u);
  }
  return f;
}

double pk_force_law_at(const pk_force_law *l, double u)
{
  const double lowered = force_between_limits(l, -1, u), raised = force_between_limits(l, 1, u);
  return fmin(fmax(l->hold - l->hold_slope * u, lowered), raised);
}

pki_force_piece pki_force_law_line(const pk_force_law *l, int piece)
{
  const int line = piece % PKI_PIECE_RAISED;
  const bool rubs = l->rub[0] > 0;
  const double s = piece >= PKI_PIECE_RAISED ? 1 : rubs ? -1 : 0;
  switch (line) {
  case PKI_PIECE_FREE: return (pki_force_piece){l->a + s * l->rub[0], l->g, piece};
  case PKI_PIECE_HOLD: return (pki_force_piece){l->hold, l->hold_slope, piece};
  default: {
    const bool high = line >= PKI_PIECE_HIGH0;
    const int j = high ? line - PKI_PIECE_HIGH0 : line - PKI_PIECE_LOW0;
    return (pki_force_piece){(high ? l->high[j] : l->low[j]) + s * l->rub[1 + j], l->slope[j], piece};
  }
  }
}

/* The pair of limits that a piece belongs to; -1: it is the free line, -2: it is something else. */
static int limits_of(int piece)
{
  switch (piece % PKI_PIECE_RAISED) {
  case PKI_PIECE_FREE: return -1;
  case PKI_PIECE_LOW0:
  case PKI_PIECE_HIGH0: return 0;
  case PKI_PIECE_LOW1:
  case PKI_PIECE_HIGH1: return 1;
  default: return -2;
  }
}

/* The pair of limits between which a row can hold the steeper free line, of two pieces; -1: there is none. */
static int clamping_limits(const pk_force_law *l, int one, int other)
{
  const int a = limits_of(one), b = limits_of(other);
  const int j = a >= 0 ? a : b;
  const bool same = one / PKI_PIECE_RAISED == other / PKI_PIECE_RAISED;
  return same && a != -2 && b != -2 && j >= 0 && (a < 0 || b < 0 || a == b) && l->g > l->slope[j] ? j : -1;
}

pki_force_row pki_force_law_row(const pk_force_law *l, int one, int other, bool lower)
{
  const int j = clamping_limits(l, one, other), side = one - one % PKI_PIECE_RAISED;
  if (j >= 0) {
    return (pki_force_row){.base_g = l->slope[j],
                           .a = pki_force_law_line(l, side + PKI_PIECE_FREE).a,
                           .g = l->g - l->slope[j],
                           .lower = pki_force_law_line(l, side + PKI_PIECE_LOW0 + j).a,
                           .upper = pki_force_law_line(l, side + PKI_PIECE_HIGH0 + j).a};
  }
  const pki_force_piece p = pki_force_law_line(l, one), q = pki_force_law_line(l, other);
  const pki_force_piece flat = p.g < q.g ? p : q, steep = p.g < q.g ? q : p;
  pki_force_row row = {.base_a = flat.a, .base_g = flat.g, .a = steep.a - flat.a, .g = steep.g - flat.g};
  row.lower = lower ? -INFINITY : 0;
  row.upper = lower ? 0 : INFINITY;
  return row;
}

bool pki_force_row_knows(const pk_force_law *l, int one, int other, int piece)
{
  const int j = clamping_limits(l, one, other);
  return piece == one || piece == other ||
         (j >= 0 && piece / PKI_PIECE_RAISED == one / PKI_PIECE_RAISED &&
          (limits_of(piece) == j || limits_of(piece) == -1));
}
