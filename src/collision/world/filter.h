/* Which pairs may collide. Of these rules the first that applies decides:
 *
 *   1. shapes of one body, and shapes that are both fixed in the world: never
 *   2. a pair of shapes of which the model speaks: as it says
 *   3. a pair of links that was named: as it was said
 *   4. a pair of links that overlapped at the start and was released, or overlaps by design: no
 *   5. links of one robot when self-collision is off: no
 *   6. bodies that a joint joins: no
 *   7. groups and masks, of the model's shapes and of the world's user: both must allow it
 *
 * The ground belongs to no link; only rules 1 and 7 apply to it. */
#ifndef PKI_COLLISION_WORLD_FILTER_H
#define PKI_COLLISION_WORLD_FILTER_H

#include <stdbool.h>

#include "pronk/model.h"

/* Switched off or on by name; released because they overlap at the start, in the initial pose, in nearly all poses. */
typedef enum pki_rule_kind {
  PKI_RULE_OFF,
  PKI_RULE_ON,
  PKI_RULE_RELEASED,
  PKI_RULE_NEUTRAL,
  PKI_RULE_ALWAYS
} pki_rule_kind;

typedef struct pki_rule {
  int link[2]; /* the smaller first */
  pki_rule_kind kind;
} pki_rule;

/* What the model says of two shapes. */
typedef struct pki_shape_rule {
  int shape[2]; /* the smaller first */
  int word;     /* which of the model's pairs said it */
  bool collide;
  double friction; /* as pk_model_pair has it */
} pki_shape_rule;

typedef struct pki_filter {
  const pk_model *model;
  bool self_collision;
  pki_rule *rules; /* [nrule] sorted by links; owned */
  int nrule, room;
  int *joined;     /* [nbody] the body that each one hangs on by a joint, -1: the world, -2: nothing; owned */
  int (*pairs)[2]; /* [npair] bodies that constraints join, the smaller first, sorted; owned */
  int npair;
  pki_shape_rule *shape_rules; /* [nshape_rule] sorted by shapes; owned */
  int nshape_rule;
} pki_filter;

pk_status pki_filter_init(pki_filter *f, const pk_model *model, bool self_collision, pk_error *err);
void pki_filter_free(pki_filter *f);

/* What the model says of two shapes; NULL: nothing. */
const pki_shape_rule *pki_filter_shapes(const pki_filter *f, int a, int b);

/* What is said of two different links from now on. */
pk_status pki_filter_set(pki_filter *f, int a, int b, pki_rule_kind kind, pk_error *err);

/* Pairs that were released because they overlapped at the start collide again. */
void pki_filter_unrelease(pki_filter *f);

/* The rule of two links, NULL: there is none; whether a joint or a constraint joins two bodies. */
const pki_rule *pki_filter_rule(const pki_filter *f, int link_a, int link_b);
bool pki_filter_joins(const pki_filter *f, int body_a, int body_b);

/* What rules 1 and 3 to 6 say of shapes of two links, fixed in two bodies. */
typedef enum pki_filter_answer {
  PKI_FILTER_EXCLUDES,
  PKI_FILTER_INCLUDES,
  PKI_FILTER_UNDECIDED
} pki_filter_answer;
pki_filter_answer pki_filter_decide(const pki_filter *f, int link_a, int body_a, int link_b, int body_b);

#endif
