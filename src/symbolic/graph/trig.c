/* The rules of sines and cosines. */
#include "symbolic/graph/trig.h"

#include <math.h>
#include <string.h>

enum {
  WIDE = 16,
  DEPTH = 3,
  PASSES = 4
}; /* atoms of a view at most; products within products; passes over the terms */

typedef struct rules {
  pki_sum *s;
  pki_sines *angles;
  pki_tally tally; /* of the terms that live */
  int slots, filled;
} rules;

static bool is_sine_or_cosine(const pki_graph *g, pki_x x)
{
  return g->nodes[x].op == PKI_OP_SIN || g->nodes[x].op == PKI_OP_COS;
}

static bool is_sine(const pki_graph *g, pki_x x)
{
  return g->nodes[x].op == PKI_OP_SIN;
}

/* cos of sin, sin of cos; the angle is no constant and has no sign. */
static pki_x cofunction(pki_graph *g, pki_x x)
{
  const pki_x angle = g->nodes[x].a;
  return is_sine(g, x) ? pki_cosine(g, angle) : pki_sine(g, angle);
}

/* ---- views ---- */

static uint64_t mix_bits(pki_x x)
{
  uint64_t h = (uint64_t)(uint32_t)x * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0xd6e8feb86659fd93);
  h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  return h ^ h >> 31;
}

static uint64_t hash_of(const pki_x *atoms, int n)
{
  uint64_t h = 0;
  for (int k = 0; k < n; k++) {
    h += mix_bits(atoms[k]);
  }
  return h;
}

static void insert_atom(pki_x *atoms, int *n, pki_x x)
{
  int k = (*n)++;
  for (; k > 0 && atoms[k - 1] > x; k--) {
    atoms[k] = atoms[k - 1];
  }
  atoms[k] = x;
}

/* x is a sine or cosine, or a product that has one not too deep in it. */
static bool contains_trig(const pki_graph *g, pki_x x, int depth)
{
  const pki_graph_node *n = &g->nodes[x];
  return is_sine_or_cosine(g, x) ||
         (depth > 0 && n->op == PKI_OP_MUL &&
          (contains_trig(g, n->a, depth - 1) || contains_trig(g, n->b, depth - 1)));
}

typedef struct product {
  pki_x atoms[WIDE + 2];
  int n;
  double scale;
  bool wide; /* not all found room */
} product;

static void take_apart(const pki_graph *g, product *p, pki_x x, int depth)
{
  const pki_graph_node *n = &g->nodes[x];
  if (n->op == PKI_OP_MUL && contains_trig(g, x, depth)) {
    take_apart(g, p, n->a, depth - 1);
    take_apart(g, p, n->b, depth - 1);
  } else if (n->op == PKI_OP_CONST) {
    p->scale *= n->value;
  } else if (p->n < WIDE) {
    insert_atom(p->atoms, &p->n, x);
  } else {
    p->wide = true;
  }
}

/* A term's atoms with products that have sines or cosines taken apart; too many: none. Whether there are any. */
static bool look_into(pki_sum *s, pki_term *t)
{
  product p = {.scale = 1};
  for (int k = 0; k < t->count && !p.wide; k++) {
    take_apart(s->g, &p, s->pool[t->first + k], DEPTH);
  }
  t->nview = -1;
  if (p.wide || !pki_sum_room(s, (void **)&s->pool, &s->pool_room, s->npool + p.n + 1, sizeof *s->pool)) {
    return false;
  }
  memcpy(s->pool + s->npool, p.atoms, (size_t)p.n * sizeof *p.atoms);
  t->view = s->npool, t->nview = p.n, t->hash = hash_of(p.atoms, p.n), t->scale = p.scale;
  s->npool += p.n;
  for (int k = 0; k < p.n; k++) {
    if (is_sine_or_cosine(s->g, p.atoms[k])) {
      return true;
    }
  }
  return false;
}

/* What stands before a term's view. */
static double term_coefficient(const rules *r, int i)
{
  return r->s->terms[i].factor * r->s->terms[i].scale;
}

/* ---- terms by their views ---- */

/* The living term with these atoms, -1: none. */
static int find_term(const rules *r, const pki_x *atoms, int n)
{
  const pki_sum *s = r->s;
  const uint64_t hash = hash_of(atoms, n);
  for (unsigned slot = (unsigned)hash & (unsigned)(r->slots - 1); s->table[slot] >= 0;
       slot = (slot + 1) & (unsigned)(r->slots - 1)) {
    const pki_term *t = &s->terms[s->table[slot]];
    if (!t->dead && t->hash == hash && t->nview == n &&
        (n == 0 || memcmp(s->pool + t->view, atoms, (size_t)n * sizeof *atoms) == 0)) {
      return s->table[slot];
    }
  }
  return -1;
}

static void enter_term(rules *r, int i)
{
  pki_sum *s = r->s;
  unsigned slot = (unsigned)s->terms[i].hash & (unsigned)(r->slots - 1);
  while (s->table[slot] >= 0) {
    slot = (slot + 1) & (unsigned)(r->slots - 1);
  }
  s->table[slot] = i;
  r->filled++;
}

/* A table with room for more terms, of those that live. */
static bool rehash_terms(rules *r)
{
  pki_sum *s = r->s;
  int slots = 16;
  while (slots < 4 * (s->n + 2)) {
    slots *= 2;
  }
  if (!pki_sum_room(s, (void **)&s->table, &s->table_room, slots, sizeof *s->table)) {
    return false;
  }
  r->slots = slots, r->filled = 0;
  memset(s->table, -1, (size_t)slots * sizeof *s->table);
  for (int i = 0; i < s->n; i++) {
    if (!s->terms[i].dead && s->terms[i].nview >= 0) {
      enter_term(r, i);
    }
  }
  return true;
}

/* ---- replacing terms ---- */

/* A view without two of its atoms (at p and q) and with others instead (-1: none). */
static product replace_atoms(const rules *r, int i, int p, int q, pki_x x, pki_x y)
{
  const pki_term *t = &r->s->terms[i];
  product made = {.n = 0};
  for (int k = 0; k < t->nview; k++) {
    if (k != p && k != q) {
      made.atoms[made.n++] = r->s->pool[t->view + k];
    }
  }
  if (x >= 0) {
    insert_atom(made.atoms, &made.n, x);
  }
  if (y >= 0) {
    insert_atom(made.atoms, &made.n, y);
  }
  return made;
}

static void kill_term(rules *r, int i)
{
  r->s->terms[i].dead = true;
  pki_tally_add(&r->tally, pki_term_factors(&r->s->terms[i]), -1);
}

/* Append factor * product * x (-1: none). */
static void append_term(rules *r, double factor, const product *k, pki_x x)
{
  pki_sum_open(r->s, factor);
  for (int i = 0; i < k->n; i++) {
    pki_sum_times(r->s, k->atoms[i]);
  }
  if (x >= 0) {
    pki_sum_times(r->s, x);
  }
  pki_sum_close(r->s);
}

/* The new terms from `first` on live; those like living ones are added to them. */
static void accept_terms(rules *r, int first)
{
  pki_sum *s = r->s;
  for (int i = first; i < s->n; i++) {
    look_into(s, &s->terms[i]);
    pki_term *t = &s->terms[i];
    const int twin = t->nview >= 0 ? find_term(r, s->pool + t->view, t->nview) : -1;
    if (twin >= 0) {
      kill_term(r, twin);
      const double own = term_coefficient(r, i), more = term_coefficient(r, twin);
      t->dead = pki_near(own, -more);
      t->factor = (own + more) / t->scale;
    }
    if (!t->dead) {
      pki_tally_add(&r->tally, pki_term_factors(t), 1);
    }
    if (!t->dead && t->nview >= 0) {
      enter_term(r, i);
    }
  }
  if (2 * r->filled > r->slots) {
    rehash_terms(r);
  }
}

/* Terms i and j (-1: none) give way to the new ones from `first` on, when that is no loss. */
static bool accept_if_cheaper(rules *r, int i, int j, int first, int pool, const pki_trig_saving *wish)
{
  pki_sum *s = r->s;
  pki_tally after = r->tally;
  pki_tally_add(&after, pki_term_factors(&s->terms[i]), -1);
  if (j >= 0) {
    pki_tally_add(&after, pki_term_factors(&s->terms[j]), -1);
  }
  for (int k = first; k < s->n; k++) {
    pki_tally_add(&after, pki_term_factors(&s->terms[k]), 1);
  }
  const int fewer = pki_tally_operations(r->tally) - pki_tally_operations(after);
  const int quicker = pki_tally_instructions(r->tally) - pki_tally_instructions(after);
  const bool gain = fewer >= 0 && quicker >= 0 && fewer + quicker > 0;
  const bool there = wish == NULL || (wish->angle < r->angles->room && r->angles->there[wish->angle]);
  if (gain && there) {
    kill_term(r, i);
    if (j >= 0) {
      kill_term(r, j);
    }
    accept_terms(r, first);
    return true;
  }
  pki_sines *a = r->angles;
  if (gain && (j < 0 || i < j) &&
      pki_sum_room(s, (void **)&a->wishes, &a->wish_room, a->nwish + 1, sizeof *a->wishes)) {
    a->wishes[a->nwish] = *wish;
    a->wishes[a->nwish++].saved = fewer;
  }
  s->n = first, s->npool = pool;
  return false;
}

/* Terms i, j become factor * k * sin or cos of a + sign b. */
static bool combine_angles(rules *r, int i, int j, double factor, const product *k, bool sine, pki_x a,
                           int sign, pki_x b)
{
  pki_graph *g = r->s->g;
  const int first = r->s->n, pool = r->s->npool;
  const pki_x angle = sign > 0 ? pki_plus(g, a, b) : pki_minus(g, a, b);
  const pki_x bare = g->nodes[angle].op == PKI_OP_NEG ? g->nodes[angle].a : angle;
  append_term(r, factor, k, sine ? pki_sine(g, angle) : pki_cosine(g, angle));
  const bool free = g->nodes[bare].op == PKI_OP_CONST;
  const pki_trig_saving wish = {.angle = bare, .a = a, .b = b};
  return accept_if_cheaper(r, i, j, first, pool, free ? NULL : &wish);
}

/* ---- the rules ---- */

/* Term i has the square of x at p and p + 1. */
static bool apply_square_rule(rules *r, int i, int p, pki_x x)
{
  pki_sum *s = r->s;
  const pki_x co = cofunction(s->g, x), angle = s->g->nodes[x].a;
  const product k = replace_atoms(r, i, p, p + 1, -1, -1), with_co = replace_atoms(r, i, p, p + 1, co, co);
  const int first = s->n, pool = s->npool;
  const double f = term_coefficient(r, i);
  const bool sine = is_sine(s->g, x);
  int j = find_term(r, with_co.atoms, with_co.n);
  if (j >= 0) {
    const double h = term_coefficient(r, j);
    if (pki_near(f, h)) {
      append_term(r, f, &k, -1);
      return accept_if_cheaper(r, i, j, first, pool, NULL);
    }
    if (pki_near(f, -h)) {
      return combine_angles(r, i, j, sine ? h : f, &k, false, angle, 1, angle);
    }
    if (f * h > 0 && fabs(f) < fabs(h)) { /* of the other: when its turn comes */
      append_term(r, f, &k, -1);
      append_term(r, h - f, &with_co, -1);
      return accept_if_cheaper(r, i, j, first, pool, NULL);
    }
  }
  j = find_term(r, k.atoms, k.n);
  if (j >= 0 && pki_near(f, -term_coefficient(r, j))) {
    append_term(r, -f, &with_co, -1);
    return accept_if_cheaper(r, i, j, first, pool, NULL);
  }
  if (j >= 0 && pki_near(f, -2 * term_coefficient(r, j))) {
    return combine_angles(r, i, j, sine ? -f / 2 : f / 2, &k, false, angle, 1, angle);
  }
  return false;
}

/* Term i has x at p and y at q, sines or cosines of different angles. */
static bool apply_pair_rule(rules *r, int i, int p, int q, pki_x x, pki_x y)
{
  pki_sum *s = r->s;
  const product partner = replace_atoms(r, i, p, q, cofunction(s->g, x), cofunction(s->g, y));
  const int j = find_term(r, partner.atoms, partner.n);
  if (j < 0 || j == i) {
    return false;
  }
  const double f = term_coefficient(r, i), h = term_coefficient(r, j);
  const int sign = pki_near(f, h) ? 1 : pki_near(f, -h) ? -1 : 0;
  if (sign == 0) {
    return false;
  }
  const product k = replace_atoms(r, i, p, q, -1, -1);
  const pki_x a = s->g->nodes[x].a, b = s->g->nodes[y].a;
  const bool sine_x = is_sine(s->g, x), sine_y = is_sine(s->g, y);
  if (sine_x != sine_y) {
    /* f sin a cos b + h cos a sin b */
    return combine_angles(r, i, j, f, &k, true, sine_x ? a : b, sign, sine_x ? b : a);
  }
  /* f cos a cos b + h sin a sin b */
  return combine_angles(r, i, j, sine_x ? h : f, &k, false, a, -sign, b);
}

/* One rule for term i; false: none applies. */
static bool apply_rule(rules *r, int i)
{
  pki_sum *s = r->s;
  for (int p = 0; p < s->terms[i].nview; p++) {
    const pki_x x = s->pool[s->terms[i].view + p];
    if (!is_sine_or_cosine(s->g, x)) {
      continue;
    }
    for (int q = p + 1; q < s->terms[i].nview; q++) {
      const pki_x y = s->pool[s->terms[i].view + q];
      if (!is_sine_or_cosine(s->g, y) || s->g->failed) {
        continue;
      }
      bool done;
      if (x == y) {
        done = q == p + 1 && apply_square_rule(r, i, p, x);
      } else if (s->g->nodes[x].a == s->g->nodes[y].a) {
        const product k = replace_atoms(r, i, p, q, -1, -1);
        const pki_x angle = s->g->nodes[x].a;
        done = combine_angles(r, i, -1, term_coefficient(r, i) / 2, &k, true, angle, 1, angle);
      } else {
        done = apply_pair_rule(r, i, p, q, x, y);
      }
      if (done) {
        return true;
      }
    }
  }
  return false;
}

void pki_sum_trig(pki_sum *s, pki_sines *angles)
{
  rules r = {.s = s, .angles = angles};
  bool any = false;
  for (int i = 0; i < s->n; i++) {
    any = look_into(s, &s->terms[i]) || any;
    pki_tally_add(&r.tally, pki_term_factors(&s->terms[i]), 1);
  }
  if (!any || !rehash_terms(&r)) {
    return;
  }
  bool changed = true;
  for (int pass = 0; pass < PASSES && changed; pass++) {
    changed = false;
    const int wishes = angles->nwish;
    for (int i = 0; i < s->n && !s->g->failed; i++) {
      changed = (!s->terms[i].dead && apply_rule(&r, i)) || changed;
    }
    if (changed && pass + 1 < PASSES) {
      angles->nwish = wishes; /* they are made again */
    }
  }
}
