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

double pki_force_row_gap(const pki_force_row *row, const pki_force_piece *p, double u)
{
  const double free = row->a - row->g * u, held = fmax(fmin(free, row->upper), row->lower);
  const double gap = p->a - p->g * u - (row->base_a - row->base_g * u + held);
  const double inside = free == held ? fabs(row->a) + fabs(row->g * u) : 0;
  const double size = fabs(p->a) + fabs(p->g * u) + fabs(row->base_a) + fabs(row->base_g * u) + inside;
  return fabs(gap) > 1e-13 * size ? gap : 0;
}

/* Whether a line is part of a law at all. */
static bool has_line(const pk_force_law *l, int piece)
{
  const bool rubs = l->rub[0] > 0, hold = piece % PKI_PIECE_RAISED == PKI_PIECE_HOLD;
  return isfinite(pki_force_law_line(l, piece).a) && (rubs || (piece < PKI_PIECE_RAISED && !hold)) &&
         !(hold && piece >= PKI_PIECE_RAISED);
}

/* How far on from u a line crosses that of a piece; infinite: not on this side. */
static double crossing_ahead(const pk_force_law *l, const pki_force_piece *p, int other, double u, bool above)
{
  const pki_force_piece q = pki_force_law_line(l, other);
  if (other == p->piece || !has_line(l, other) || q.g == p->g) {
    return INFINITY;
  }
  const double at = (q.a - p->a) / (q.g - p->g), far = above ? at - u : u - at;
  return far > 0 ? far : INFINITY;
}

/* Whether the law is no longer on the line of p so far on from u. */
static bool has_left(const pk_force_law *l, const pki_force_piece *p, double at)
{
  const double on = p->a - p->g * at;
  return fabs(pk_force_law_at(l, at) - on) > 1e-12 * (fabs(p->a) + fabs(p->g * at));
}

/* Whether the law is on the line of p right beyond the velocity `at`: half way to the next line that crosses it. */
static bool is_on(const pk_force_law *l, const pki_force_piece *p, double at, bool above)
{
  double near = INFINITY;
  for (int other = 0; other < 2 * PKI_PIECE_RAISED; other++) {
    const bool line = other % PKI_PIECE_RAISED < PKI_PIECE_KINDS;
    const double far = line ? crossing_ahead(l, p, other, at, above) : INFINITY;
    near = far > 1e-12 * fabs(at) ? fmin(near, far) : near;
  }
  const double half = isinf(near) ? 1 : 0.5 * near;
  return !has_left(l, p, above ? at + half : at - half);
}

int pki_force_law_next(const pk_force_law *l, int piece, double u, bool above)
{
  const pki_force_piece p = pki_force_law_line(l, piece);
  double from = 0;
  for (;;) { /* crossings one after the other, until one at which the law leaves the line */
    double first = INFINITY, second = INFINITY;
    for (int other = 0; other < 2 * PKI_PIECE_RAISED; other++) {
      const double far =
          other % PKI_PIECE_RAISED < PKI_PIECE_KINDS ? crossing_ahead(l, &p, other, u, above) : INFINITY;
      if (far > from && far < first) {
        second = first, first = far;
      } else if (far > first && far < second) {
        second = far;
      }
    }
    if (isinf(first)) {
      return -1;
    }
    const double beyond = isinf(second) ? 2 * first + 1 : 0.5 * (first + second);
    const double at = above ? u + beyond : u - beyond;
    for (int other = 0; has_left(l, &p, at) && other < 2 * PKI_PIECE_RAISED; other++) {
      if (other % PKI_PIECE_RAISED < PKI_PIECE_KINDS && crossing_ahead(l, &p, other, u, above) == first) {
        return other;
      }
    }
    from = first;
  }
}

/* The lines that a row between two pieces is made of; how many. */
static int lines_of_row(const pk_force_law *l, int one, int other, int out[3])
{
  const int j = clamping_limits(l, one, other), side = one - one % PKI_PIECE_RAISED;
  out[0] = j >= 0 ? side + PKI_PIECE_FREE : one;
  out[1] = j >= 0 ? side + PKI_PIECE_LOW0 + j : other;
  out[2] = side + PKI_PIECE_HIGH0 + j;
  return j >= 0 ? 3 : 2;
}

/* The line of them that is nearest to a force at the velocity u. */
static pki_force_piece nearest_line(const pk_force_law *l, const int *lines, int count, double u,
                                    double force)
{
  pki_force_piece best = pki_force_law_line(l, lines[0]);
  for (int i = 1; i < count; i++) {
    const pki_force_piece p = pki_force_law_line(l, lines[i]);
    if (fabs(p.a - p.g * u - force) < fabs(best.a - best.g * u - force)) {
      best = p;
    }
  }
  return best;
}

/* The pieces `from` and `to` as the pair of a row, by the sides they have at the velocity u, where the law is on `from`. */
static pki_force_pair pair_of(const pk_force_law *l, int from, int to, double u)
{
  const pki_force_piece p = pki_force_law_line(l, from), q = pki_force_law_line(l, to);
  return (pki_force_pair){from, to, p.a - p.g * u < q.a - q.g * u};
}

pki_force_pair pki_force_law_mend(const pk_force_law *l, int one, int other, const pki_force_piece *p,
                                  double u, double gap)
{
  int lines[3];
  const int count = lines_of_row(l, one, other, lines);
  const pki_force_piece held = nearest_line(l, lines, count, u, p->a - p->g * u - gap);
  for (int i = 0; i < count; i++) { /* where the row is on the law, walk on from there */
    const pki_force_piece q = pki_force_law_line(l, lines[i]);
    const double at = (q.a - held.a) / (q.g - held.g);
    if (isfinite(at) && is_on(l, &held, at, u > at)) {
      const int next = pki_force_law_next(l, held.piece, at, u > at);
      if (next >= 0) {
        return pair_of(l, held.piece, next, at);
      }
    }
  }
  const int ahead = pki_force_law_next(l, p->piece, u, gap > 0);
  const int next = ahead >= 0 ? ahead : pki_force_law_next(l, p->piece, u, !(gap > 0));
  return next >= 0 ? pair_of(l, p->piece, next, u) : (pki_force_pair){-1, -1, false};
}
