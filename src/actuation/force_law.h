/* Pieces of a force law (pronk/actuation.h): which of its lines holds at a velocity, and a row between two of them.
 *
 * On a piece the force is a line a - g u, which a step can take into the mass matrix. Where a solution leaves the piece that
 * it was computed with, the other piece is tried; where it then comes back, the two become one row of the contact problem:
 * the flatter line stays in the mass matrix, and the row adds what the steeper one does more,
 *
 *   r = clamp(a_r - g_r u, lower, upper),   a compliance 1 / (dt g_r) with bounds. */
#ifndef PKI_ACTUATION_FORCE_LAW_H
#define PKI_ACTUATION_FORCE_LAW_H

#include "pronk/actuation.h"

/* Lines of a law; with dry friction inside, each of them raised (PKI_PIECE_RAISED) or lowered by it. */
enum {
  PKI_PIECE_FREE, /* a - g u */
  PKI_PIECE_LOW0, /* the limits */
  PKI_PIECE_LOW1,
  PKI_PIECE_HIGH0,
  PKI_PIECE_HIGH1,
  PKI_PIECE_HOLD, /* what is inside stands still */
  PKI_PIECE_KINDS,
  PKI_PIECE_RAISED = 8
};

/* A law as numbers, as lanes hold it: the fields of pk_force_law in their order. */
enum {
  PKI_LAW_A,
  PKI_LAW_G,
  PKI_LAW_LOW,
  PKI_LAW_HIGH = PKI_LAW_LOW + 2,
  PKI_LAW_SLOPE = PKI_LAW_HIGH + 2,
  PKI_LAW_HOLD = PKI_LAW_SLOPE + 2,
  PKI_LAW_HOLD_SLOPE,
  PKI_LAW_RUB,
  PKI_LAW_FRICTION = PKI_LAW_RUB + 3,
  PKI_LAW_NUMBERS,
  /* Of a command without an actuator the first are enough: a, g, the first pair of limits. */
  PKI_LAW_PLAIN = PKI_LAW_HIGH + 1
};
_Static_assert(sizeof(pk_force_law) == PKI_LAW_NUMBERS * sizeof(double), "a law is its numbers");

/* A piece: its line, and which it is. */
typedef struct pki_force_piece {
  double a, g;
  int piece;
} pki_force_piece;

/* A row between pieces, with the line that stays in the mass matrix. */
typedef struct pki_force_row {
  double base_a, base_g;
  double a, g, lower, upper; /* N m or N, not impulses */
} pki_force_row;

/* The line of a piece of a law. */
pki_force_piece pki_force_law_line(const pk_force_law *law, int piece);

/* The row that knows the two pieces, where the law is the lower of them or the higher; one of a free line and its limits of
 * equal slope knows both limits. Pieces with the same slope have no row between them: its g is zero then. */
pki_force_row pki_force_law_row(const pk_force_law *law, int one, int other, bool lower);

/* By how much the law, which is on piece p at the velocity u, is above the row there; 0: they agree, but for rounding. */
double pki_force_row_gap(const pki_force_row *row, const pki_force_piece *p, double u);

/* The piece that a law comes to next from piece `piece`, on which it is at u, for velocities above or below; -1: none. */
int pki_force_law_next(const pk_force_law *law, int piece, double u, bool above);

/* Two pieces for a row, of which the law is the lower or the higher; one -1: there are none. */
typedef struct pki_force_pair {
  int one, other;
  bool lower;
} pki_force_pair;

/* The pieces of a better row than that between two pieces, which ended at the velocity u where the law is on piece p, above it by
 * `gap`. Where the old row is on the law at the crossing of its lines, it was right up to the end of the piece on which it
 * ended: the new one is of that piece and the next. Otherwise it begins at p, in the direction of the gap. So one joint alone
 * comes to its end piece by piece. */
pki_force_pair pki_force_law_mend(const pk_force_law *law, int one, int other, const pki_force_piece *p,
                                  double u, double gap);

#endif
