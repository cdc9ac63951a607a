/* Sparse systems of a heap: (D + sum_g Y_g' C_g Y_g) x = b over the velocity space, C_g a small block for each group
 * of rows (sparse.h).
 *
 * Coordinates that the same groups touch, side by side, form a node: the six of a free body, say. Nodes are
 * eliminated in an order of least degree (Amestoy, Davis and Duff 1996: elements absorb what they cover, degrees
 * are bounds), which needs no list of neighbours: the groups are the first elements. The factors L U are kept by
 * nodes, a panel each of the rows below it (U transposed), and are computed from the left. D may be negative and C_g need
 * not be symmetric; pivots stay where they are. */
#ifndef PKI_CONTACT_LINEAR_ELIMINATION_H
#define PKI_CONTACT_LINEAR_ELIMINATION_H

#include "base/timer.h"
#include "contact/linear/sparse.h"

enum { PKI_NODE_MAX = 6 };   /* coordinates of a node at most */
enum { PKI_PANEL_LINE = 8 }; /* numbers of a cache line */

/* Numbers from one row of a panel to the next: those of a free body fill a cache line. */
static inline int pki_panel_stride(int width)
{
  return width == PKI_NODE_MAX ? PKI_PANEL_LINE : width;
}

/* Numbers of a panel, whole lines. */
static inline size_t pki_panel_size(int rows, int width)
{
  const size_t size = (size_t)rows * (size_t)pki_panel_stride(width), line = PKI_PANEL_LINE;
  return (size + line - 1) / line * line;
}

struct pki_elimination;

/* The numbers, compiled once for each instruction set (kernels/elimination_kernel.c) and chosen at run time.
 * Results are the same bits for one instruction set, not between them. */
typedef struct pki_elimination_kernels {
  const char *isa;
  bool (*factor)(struct pki_elimination *e, const double *diagonal, const double *C);
  void (*solve)(const struct pki_elimination *e, double *b);
} pki_elimination_kernels;

/* The variant of an instruction set, NULL when this machine or this build does not have it. */
const pki_elimination_kernels *pki_elimination_kernels_find(const char *isa);

typedef struct pki_elimination {
  const pki_elimination_kernels *kernels;
  const pki_sparse *s;
  pki_timer *timer; /* that ends a factorisation, NULL: none */
  int nodes;
  int *node;          /* [n] of a coordinate; -1: no row touches it */
  int *first, *width; /* [n] coordinates of a node */
  int *place, *order; /* [n] when a node is eliminated, and who is */
  /* the groups as elements, and what became of them */
  int *element_begin, *element;     /* [groups + 1], nodes of elements */
  int *of_begin, *of_count, *of;    /* [n], elements of a node */
  int *mark, *over;                 /* [groups + n] stamps; |L_e \ L_p| */
  int *degree, *head, *next, *last; /* [n] lists of nodes by degree */
  /* L */
  int *below_begin, *below_count; /* [n] */
  int *below;                     /* [room_below] nodes below a node, in order of elimination */
  size_t room_below, used_below;
  size_t *panel; /* [n] where a node's panel begins: its own block, then the rows below */
  double *L, *U; /* [room] each */
  size_t room, used;
  int *offset; /* [n] a node's place in the panel at work */
  double flops;
  bool symmetric; /* all C are: U follows from L */
} pki_elimination;

/* Room for a problem of this shape; L has its share and no more. */
pki_elimination pki_elimination_take(pki_arena *arena, const pk_contact_problem *p);

/* Nodes, order and structure; false when L has no room for it. */
bool pki_elimination_analyse(pki_elimination *e, const pki_sparse *s);

/* Factor: diagonal [n] is D, C [groups][9] the blocks of the groups (of singles the first number). False when a
 * pivot vanishes, or the timer expires. */
bool pki_elimination_factor(pki_elimination *e, const double *diagonal, const double *C);

/* b := x. */
void pki_elimination_solve(const pki_elimination *e, double *b);

#endif
