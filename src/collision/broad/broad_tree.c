/* A tree of boxes that follows them (Bullet's dbvt and Box2D's dynamic tree are of this family).
 *
 * Leaves hold boxes that are a little larger than those they stand for. A box that leaves its leaf's is taken out and
 * inserted again where it makes the tree's surface grow least (a greedy descent by the surface area heuristic); on the
 * way up nodes are rotated where that makes a child smaller. The others cost one comparison.
 *
 * Pairs of leaves that overlap are kept, sorted, from call to call. Those that have moved ask the tree for their new
 * partners, which are merged in; where very many have moved, the tree is asked against itself: two nodes whose boxes
 * overlap pass the question on to their children. A call then goes once through the kept pairs and tells those
 * whose own boxes overlap.
 *
 * Boxes of one family never meet (pki_broad): a node all of whose leaves are of one family is not asked against itself, nor
 * against another of the same, so that thousands of shapes of one body cost no more than they are.
 *
 * Boxes of infinite size belong to no tree and are tested against all; where they are, or where more pairs overlap than
 * are kept, the result comes unsorted. */
#include "collision/broad/broad.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

enum { NONE = -1, PER_BOX = 24 }; /* PER_BOX: pairs that are kept */
enum { MIXED = INT_MIN };         /* instead of a family: several, or none is known */

static const double FAT = 0.1;       /* of a box's longest side, all around it */
static const double HUGE_BOX = 1e30; /* m, its surface would be no number */

typedef struct node {
  pki_aabb box;
  int parent, left, right; /* left NONE: the leaf of box `right` */
} node;

typedef struct tree {
  int n, root, free;   /* free: list of unused nodes by `parent` */
  node *nodes;         /* [2 n] */
  int *family;         /* [2 n] of all leaves below a node, or MIXED */
  int *leaf;           /* [n] node of a box, NONE: it is in no tree */
  int *huge, nhuge;    /* [n] */
  int *moved, nmoved;  /* [n] boxes that were inserted in this call */
  bool *has_moved;     /* [n] */
  int (*stack)[2];     /* [4 n + 4] pairs of nodes to look at: two wait at each level of both sides */
  bool known;          /* pairs are those of the last call */
  pki_box_pair *pairs; /* [npair] whose leaves overlap, sorted */
  pki_box_pair *fresh; /* [nfresh] found in this call; both have room for `room` */
  int npair, nfresh, room;
  int *scratch;           /* [2 n + 1] of sorting */
  const pki_aabb *direct; /* the boxes, when pairs are not kept */
} tree;

void *pki_tree_carve(int n, pki_arena *arena)
{
  tree *t = pki_arena_take(arena, 1, sizeof *t), made = {.n = n, .room = PER_BOX * n + PER_BOX};
  made.nodes = pki_arena_take(arena, 2 * (size_t)n, sizeof *made.nodes);
  made.family = pki_arena_take(arena, 2 * (size_t)n, sizeof *made.family);
  made.leaf = pki_arena_take(arena, (size_t)n, sizeof *made.leaf);
  made.huge = pki_arena_take(arena, (size_t)n, sizeof *made.huge);
  made.moved = pki_arena_take(arena, (size_t)n, sizeof *made.moved);
  made.has_moved = pki_arena_take(arena, (size_t)n, sizeof *made.has_moved);
  made.stack = pki_arena_take(arena, 4 * (size_t)n + 4, sizeof *made.stack);
  made.pairs = pki_arena_take(arena, (size_t)made.room, sizeof *made.pairs);
  made.scratch = pki_arena_take(arena, 2 * (size_t)n + 1, sizeof *made.scratch);
  made.fresh = pki_arena_take(arena, (size_t)made.room, sizeof *made.fresh);
  if (arena->base != NULL && !arena->overflow) {
    *t = made;
  }
  return t;
}

void pki_tree_reset(void *memory)
{
  tree *t = memory;
  t->root = NONE, t->free = t->n > 0 ? 0 : NONE, t->nhuge = t->npair = 0, t->nmoved = 0, t->known = false;
  for (int i = 0; i < t->n; i++) {
    t->leaf[i] = NONE;
    t->has_moved[i] = false;
  }
  for (int i = 0; i < 2 * t->n; i++) {
    t->nodes[i].parent = i + 1 < 2 * t->n ? i + 1 : NONE;
  }
}

/* ---- boxes ---- */

static inline double joint_area(const pki_aabb *a, const pki_aabb *b)
{
  const pki_aabb both = pki_aabb_join(a, b);
  return pki_aabb_area(&both);
}

static inline bool box_contains(const pki_aabb *outer, const pki_aabb *inner)
{
  return (outer->min[0] <= inner->min[0]) & (outer->min[1] <= inner->min[1]) &
         (outer->min[2] <= inner->min[2]) & (outer->max[0] >= inner->max[0]) &
         (outer->max[1] >= inner->max[1]) & (outer->max[2] >= inner->max[2]);
}

static pki_aabb fatten_box(const pki_aabb *box)
{
  double longest = 0;
  pki_aabb out;
  for (int k = 0; k < 3; k++) {
    longest = fmax(longest, box->max[k] - box->min[k]);
  }
  for (int k = 0; k < 3; k++) {
    out.min[k] = box->min[k] - FAT * longest, out.max[k] = box->max[k] + FAT * longest;
  }
  return out;
}

/* ---- the tree ---- */

static int take_node(tree *t)
{
  const int i = t->free;
  t->free = t->nodes[i].parent;
  return i;
}

static void release_node(tree *t, int i)
{
  t->nodes[i].parent = t->free;
  t->free = i;
}

static inline bool is_leaf(const node *n)
{
  return n->left == NONE;
}

/* Box and family of an inner node from those of its children. */
static inline void join_children(tree *t, int at)
{
  node *const n = &t->nodes[at];
  const int a = t->family[n->left], b = t->family[n->right];
  n->box = pki_aabb_join(&t->nodes[n->left].box, &t->nodes[n->right].box);
  t->family[at] = a == b ? a : MIXED;
}

/* Whether no leaf below one node can meet one below the other. */
static inline bool is_one_family(const tree *t, int i, int j)
{
  return t->family[i] == t->family[j] && t->family[i] != MIXED;
}

/* A child and a grandchild on the other side change places where that makes the child's box smaller. */
static void rotate_node(tree *t, int at)
{
  node *const all = t->nodes, *const n = &all[at];
  double best = 0;
  int *from = NULL, *to = NULL, mid = NONE;
  for (int side = 0; side < 2; side++) {
    int *const other = side ? &n->left : &n->right;
    const int child = side ? n->right : n->left;
    node *const c = &all[child];
    if (is_leaf(c)) {
      continue;
    }
    const double now = pki_aabb_area(&c->box);
    const double gain_left = now - joint_area(&all[*other].box, &all[c->right].box);
    const double gain_right = now - joint_area(&all[*other].box, &all[c->left].box);
    if (gain_left > best) {
      best = gain_left, from = other, to = &c->left, mid = child;
    }
    if (gain_right > best) {
      best = gain_right, from = other, to = &c->right, mid = child;
    }
  }
  if (mid == NONE || best <= 1e-12 * pki_aabb_area(&n->box)) {
    return;
  }
  const int down = *from, up = *to;
  *from = up, *to = down;
  all[up].parent = at, all[down].parent = mid;
  join_children(t, mid);
}

static void refit_up(tree *t, int at)
{
  for (; at != NONE; at = t->nodes[at].parent) {
    rotate_node(t, at);
    join_children(t, at);
  }
}

/* The node beside which a new leaf makes the surfaces grow least, by a greedy descent. Where both children hold the box no
 * surface grows: a leaf among them is taken, so that boxes in one place do not become a list, and of two inner nodes one
 * by chance, which is drawn from the box's number and makes their depth a logarithm. */
static int best_sibling(const tree *t, const pki_aabb *box, int number)
{
  const node *const all = t->nodes;
  uint32_t chance = (uint32_t)number;
  int at = t->root;
  while (!is_leaf(&all[at])) {
    const node *n = &all[at];
    if (box_contains(&all[n->left].box, box) && box_contains(&all[n->right].box, box)) {
      chance = chance * UINT32_C(1664525) + UINT32_C(1013904223); /* Numerical Recipes' generator */
      const bool right = is_leaf(&all[n->left]) ? false : is_leaf(&all[n->right]) || chance >> 31 != 0;
      at = right ? n->right : n->left;
      continue;
    }
    const double grown = joint_area(&n->box, box), inherited = grown - pki_aabb_area(&n->box);
    double cost[2];
    for (int side = 0; side < 2; side++) {
      const node *c = &all[side ? n->right : n->left];
      cost[side] = joint_area(&c->box, box) + inherited - (is_leaf(c) ? 0 : pki_aabb_area(&c->box));
    }
    if (grown < cost[0] && grown < cost[1]) {
      break;
    }
    at = cost[1] < cost[0] ? n->right : n->left;
  }
  return at;
}

static void insert_leaf(tree *t, int box, const pki_aabb *tight, int family)
{
  const int leaf = take_node(t);
  t->leaf[box] = leaf;
  t->family[leaf] = family;
  t->nodes[leaf] = (node){.box = fatten_box(tight), .parent = NONE, .left = NONE, .right = box};
  if (t->root == NONE) {
    t->root = leaf;
    return;
  }
  const int sibling = best_sibling(t, &t->nodes[leaf].box, box), parent = t->nodes[sibling].parent,
            made = take_node(t);
  t->nodes[made] = (node){.parent = parent, .left = sibling, .right = leaf};
  t->nodes[sibling].parent = t->nodes[leaf].parent = made;
  if (parent == NONE) {
    t->root = made;
  } else if (t->nodes[parent].left == sibling) {
    t->nodes[parent].left = made;
  } else {
    t->nodes[parent].right = made;
  }
  refit_up(t, made);
}

static void remove_leaf(tree *t, int box)
{
  const int leaf = t->leaf[box], parent = t->nodes[leaf].parent;
  t->leaf[box] = NONE;
  release_node(t, leaf);
  if (parent == NONE) {
    t->root = NONE;
    return;
  }
  const node p = t->nodes[parent];
  const int sibling = p.left == leaf ? p.right : p.left;
  t->nodes[sibling].parent = p.parent;
  release_node(t, parent);
  if (p.parent == NONE) {
    t->root = sibling;
    return;
  }
  node *above = &t->nodes[p.parent];
  *(above->left == parent ? &above->left : &above->right) = sibling;
  refit_up(t, p.parent);
}

/* Bring the tree to where the boxes are. */
static void move_leaves(tree *t, const pki_aabb *boxes, const int *family)
{
  for (int k = 0; k < t->nmoved; k++) {
    t->has_moved[t->moved[k]] = false;
  }
  t->nhuge = t->nmoved = 0;
  for (int i = 0; i < t->n; i++) {
    const pki_aabb *box = &boxes[i];
    if (t->leaf[i] != NONE && box_contains(&t->nodes[t->leaf[i]].box, box) && pki_aabb_real(box)) {
      continue;
    }
    const bool real = pki_aabb_real(box);
    bool small = real;
    for (int k = 0; k < 3; k++) {
      small = small && box->min[k] > -HUGE_BOX && box->max[k] < HUGE_BOX;
    }
    if (real && !small) {
      t->huge[t->nhuge++] = i;
    }
    if (t->leaf[i] != NONE) {
      remove_leaf(t, i);
    }
    if (small) {
      insert_leaf(t, i, box, family != NULL ? family[i] : MIXED);
    }
    t->moved[t->nmoved++] = i;
    t->has_moved[i] = true;
  }
}

/* ---- pairs of leaves ---- */

/* A pair of boxes whose leaves overlap: kept, or reported at once when there is no room. */
static inline void report_leaf_pair(tree *t, int i, int j, pki_pair_sink *sink)
{
  const int a = i < j ? i : j, b = i < j ? j : i;
  if (t->direct != NULL) {
    if (pki_aabb_overlap(&t->direct[a], &t->direct[b])) {
      pki_pair_found(sink, a, b);
    }
  } else if (pki_pair_wanted(sink, a, b)) {
    if (t->nfresh < t->room) {
      t->fresh[t->nfresh] = (pki_box_pair){a, b};
    }
    t->nfresh++;
  }
}

/* Leaves that overlap that of box i, which has moved. Of two that have moved, the first one reports. */
static void find_leaf_overlaps(tree *t, int i, pki_pair_sink *sink)
{
  const node *const all = t->nodes;
  const pki_aabb box = all[t->leaf[i]].box;
  int top = 0;
  t->stack[top++][0] = t->root;
  while (top > 0) {
    const int at = t->stack[--top][0];
    const node *n = &all[at];
    if (!pki_aabb_overlap(&n->box, &box) || is_one_family(t, at, t->leaf[i])) {
      continue;
    }
    if (!is_leaf(n)) {
      t->stack[top++][0] = n->left;
      t->stack[top++][0] = n->right;
    } else if (n->right != i && (!t->has_moved[n->right] || i < n->right)) {
      report_leaf_pair(t, i, n->right, sink);
    }
  }
}

/* All leaves that overlap. Two equal nodes on the stack: among the leaves below it. */
static void find_moved_overlaps(tree *t, pki_pair_sink *sink)
{
  const node *const all = t->nodes;
  int(*const stack)[2] = t->stack;
  int top = 0;
  if (t->root != NONE) {
    stack[top][0] = stack[top][1] = t->root, top++;
  }
  while (top > 0) {
    const int i = stack[--top][0], j = stack[top][1];
    const node *const x = &all[i], *const y = &all[j];
    if (is_one_family(t, i, j)) {
      continue;
    }
    if (i == j) {
      if (!is_leaf(x)) {
        stack[top][0] = stack[top][1] = x->left, top++;
        stack[top][0] = stack[top][1] = x->right, top++;
        stack[top][0] = x->left, stack[top++][1] = x->right;
      }
      continue;
    }
    if (!pki_aabb_overlap(&x->box, &y->box)) {
      continue;
    }
    if (is_leaf(x) && is_leaf(y)) {
      report_leaf_pair(t, x->right, y->right, sink);
    } else if (is_leaf(y) || (!is_leaf(x) && pki_aabb_area(&x->box) > pki_aabb_area(&y->box))) {
      stack[top][0] = x->left, stack[top++][1] = j;
      stack[top][0] = x->right, stack[top++][1] = j;
    } else {
      stack[top][0] = i, stack[top++][1] = y->left;
      stack[top][0] = i, stack[top++][1] = y->right;
    }
  }
}

/* ---- kept pairs ---- */

static inline bool pair_comes_before(const pki_box_pair *x, const pki_box_pair *y)
{
  return x->a < y->a || (x->a == y->a && x->b < y->b);
}

/* Pairs of what has moved are dropped, for they were searched again; fresh ones are merged in, in place. False when
 * there is no room. */
static bool merge_pairs(tree *t)
{
  int kept = 0;
  for (int k = 0; k < t->npair; k++) {
    const pki_box_pair p = t->pairs[k];
    t->pairs[kept] = p;
    kept += !(t->has_moved[p.a] | t->has_moved[p.b]);
  }
  t->npair = kept + t->nfresh;
  if (t->npair > t->room) {
    return false;
  }
  pki_sort_pairs(t->fresh, t->nfresh, t->n, t->scratch);
  for (int k = t->npair - 1, i = kept - 1, j = t->nfresh - 1; j >= 0; k--) {
    t->pairs[k] = i >= 0 && pair_comes_before(&t->fresh[j], &t->pairs[i]) ? t->pairs[i--] : t->fresh[j--];
  }
  return true;
}

/* Bring the kept pairs to where the boxes are; false when there is no room. */
static bool update_kept_pairs(tree *t, pki_pair_sink *sink)
{
  t->nfresh = 0, t->direct = NULL;
  if (t->known && t->nmoved == 0) {
    return true;
  }
  if (!t->known || 4 * t->nmoved > t->n) {
    t->npair = 0;
    find_moved_overlaps(t, sink);
  } else {
    for (int k = 0; k < t->nmoved; k++) {
      if (t->leaf[t->moved[k]] != NONE) {
        find_leaf_overlaps(t, t->moved[k], sink);
      }
    }
  }
  return merge_pairs(t);
}

static void report_kept_pairs(const tree *t, const pki_aabb *boxes, pki_pair_sink *sink)
{
  for (int k = 0; k < t->npair; k++) {
    const pki_box_pair p = t->pairs[k];
    if (pki_aabb_overlap(&boxes[p.a], &boxes[p.b])) {
      if (sink->count < sink->most) {
        sink->out[sink->count] = p;
      }
      sink->count++;
    }
  }
}

/* Each huge box against all in the tree, and against the huge ones after it. Neighbours of one family, as the planes of a
 * ground, are passed over together: end[k] is where the run of k's family ends. */
static void report_huge_boxes(tree *t, const pki_aabb *boxes, pki_pair_sink *sink)
{
  const int *const huge = t->huge, *const family = sink->family;
  int *const end = t->scratch;
  int small = 0;
  for (int k = t->nhuge - 1; k >= 0; k--) {
    const bool runs = family != NULL && k + 1 < t->nhuge && family[huge[k]] == family[huge[k + 1]];
    end[k] = runs ? end[k + 1] : k + 1;
  }
  int *const in_tree = t->scratch + t->n; /* [small] */
  for (int j = 0; j < t->n && t->nhuge > 0; j++) {
    if (t->leaf[j] != NONE) {
      in_tree[small++] = j;
    }
  }
  for (int k = 0; k < t->nhuge; k++) {
    const int i = huge[k];
    for (int s = 0; s < small; s++) {
      if (pki_aabb_overlap(&boxes[i], &boxes[in_tree[s]])) {
        pki_pair_found(sink, i, in_tree[s]);
      }
    }
    for (int other = end[k]; other < t->nhuge; other++) {
      if (pki_aabb_overlap(&boxes[i], &boxes[huge[other]])) {
        pki_pair_found(sink, i, huge[other]);
      }
    }
  }
}

bool pki_tree_pairs(void *memory, const pki_aabb *boxes, int n, pki_pair_sink *sink)
{
  tree *t = memory;
  (void)n;
  move_leaves(t, boxes, sink->family);
  t->known = update_kept_pairs(t, sink);
  if (t->known) {
    report_kept_pairs(t, boxes, sink);
  } else {
    t->direct = boxes;
    find_moved_overlaps(t, sink);
  }
  report_huge_boxes(t, boxes, sink);
  return t->known && t->nhuge == 0;
}
