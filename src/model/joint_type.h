/* What a joint kind is: an ordered list of elementary motions (pk_motion), and how it is called.
 *
 * The compiler makes one body of each part, the last of which carries the child link; kernels and steppers know the
 * elementary motions alone. Everything that other stages ask about a kind follows from its parts: how many
 * coordinates it has, what they count, whether it has an axis, what it locks when it is cut.
 *
 * To add a kind: a file of joints/ that defines its pki_joint_type, and a row of PK_JOINT_KINDS (pronk/builder.h). */
#ifndef PKI_MODEL_JOINT_TYPE_H
#define PKI_MODEL_JOINT_TYPE_H

#include "pronk/model.h"

/* Most parts of a joint, and most words for one in URDF. */
enum { PKI_JOINT_PARTS = 6, PKI_JOINT_WORDS = 2 };

/* One elementary motion. Each part begins where the part before it ends; the first begins in the joint frame. */
typedef struct pki_joint_part {
  pk_motion motion;
  /* One-axis motions: 0: the joint's axis, in the direction that the description gives; 1 and 2: the coordinate axes
   * of the joint frame that follow it (after z comes x). An oblique axis is z of a frame that is turned so. */
  int axis;
  /* Index of the velocity of the joint that moves this part; of the first one for spherical and floating motions.
   * One-axis parts may share a velocity. New velocities are numbered in the order of the parts, from 0. */
  int coordinate;
  /* One-axis motions: travel (m) or turn (rad) for one unit of the coordinate. */
  double gain;
} pki_joint_part;

typedef struct pki_joint_type {
  /* As pk_joint_kind_name returns it, and one line about it for listings. */
  const char *name, *doc;
  /* How URDF writes it, the usual word first; NULL: no (further) word. */
  const char *urdf[PKI_JOINT_WORDS];
  /* The motions from the parent link to the child link; none: the links are one body. */
  pki_joint_part parts[PKI_JOINT_PARTS];
  int nparts;
  /* Lower and upper bound its coordinate, and URDF must give them. Kinds with one coordinate only. */
  bool has_limits;
  /* With has_limits: the kind that moves alike without limits, for advice in messages; NULL: none. */
  const char *unlimited;
} pki_joint_type;

#define PKI_JOINT_DECLARE(kind, name) extern const pki_joint_type pki_joint_##name;
PK_JOINT_KINDS(PKI_JOINT_DECLARE)
#undef PKI_JOINT_DECLARE

/* All kinds, indexed by pk_joint_kind. */
extern const pki_joint_type *const pki_joint_types[];
extern const int pki_joint_type_count;

/* The type of a kind; NULL: no kind has this number. */
const pki_joint_type *pki_joint_type_of(pk_joint_kind kind);

/* How many q and u a joint kind has. */
int pki_joint_nq(pk_joint_kind kind);
int pki_joint_nu(pk_joint_kind kind);

/* False: it holds its links together. */
bool pki_joint_moves(pk_joint_kind kind);

/* Whether a part goes along or about an axis that the description gives. */
bool pki_joint_has_axis(pk_joint_kind kind);

/* Whether the joint's velocity `k` is a travel (m/s); otherwise it is a turn (rad/s). */
bool pki_joint_is_length(pk_joint_kind kind, int k);

/* Whether a bilateral constraint can stand for it: travels along different axes, then at most one turn about an axis
 * or a ball, each with a coordinate of its own and gain 1; or a floating joint. */
bool pki_joint_can_be_cut(pk_joint_kind kind);

/* Whether an earlier part has the same coordinate. */
bool pki_joint_part_shares(const pki_joint_type *type, int part);

/* First coordinate of a part among the q of its joint. */
int pki_joint_part_q(const pki_joint_type *type, int part);

/* How URDF usually writes the kinds: "a, b or c". */
void pki_joint_list_words(char *out, size_t size);

#endif
