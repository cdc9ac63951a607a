/* Sums become nodes: common factors out where that saves an instruction, then a chain.
 *
 * With a b + c one instruction, a b + a c and a (b + c) cost the same, a b c + a d and a (b c + d) do not: of the atoms
 * that several terms have, the one that saves most is taken out, again and again, within what is left and within the
 * bracket. Horner's rule is a case of it. */
#include "symbolic/graph/sum.h"

#include <math.h>
#include <stdlib.h>

enum { LONG = 200 }; /* terms that are looked at together */

static void add_atom(pki_sum *s, pki_item *item, pki_x x)
{
  if (pki_sum_room(s, (void **)&s->pool, &s->pool_room, s->npool + 1, sizeof *s->pool)) {
    s->pool[s->npool++] = x;
    item->count++;
  }
}

static void add_item(pki_sum *s, pki_item item)
{
  if (pki_sum_room(s, (void **)&s->items, &s->item_room, s->nitem + 1, sizeof *s->items)) {
    s->items[s->nitem++] = item;
  }
}

/* ---- products and chains ---- */

/* x^n */
static pki_x integer_power(pki_graph *g, pki_x x, int n)
{
  if (n < 4) {
    const pki_x square = n > 1 ? pki_times(g, x, x) : x;
    return n == 3 ? pki_times(g, square, x) : square;
  }
  const pki_x half = integer_power(g, x, n / 2), even = pki_times(g, half, half);
  return n % 2 == 0 ? even : pki_times(g, even, x);
}

static pki_x item_product(pki_sum *s, const pki_item *item)
{
  pki_graph *g = s->g;
  pki_x made = -1;
  double factor = item->sign;
  for (int k = 0; k < item->count;) {
    const pki_x x = s->pool[item->first + k];
    int n = 1;
    while (k + n < item->count && s->pool[item->first + k + n] == x) {
      n++;
    }
    if (g->nodes[x].op == PKI_OP_CONST) {
      factor *= g->nodes[x].value;
    } else {
      const pki_x p = integer_power(g, x, n);
      made = made < 0 ? p : pki_times(g, made, p);
    }
    k += n;
  }
  const pki_x front = pki_const(g, factor);
  return made < 0 ? front : pki_times(g, front, made);
}

/* Items from `first` on, added up in order. */
static pki_x sum_items(pki_sum *s, int first)
{
  pki_x sum = pki_const(s->g, 0);
  for (int i = first; i < s->nitem; i++) {
    const pki_x p = item_product(s, &s->items[i]);
    sum = i == first ? p : pki_plus(s->g, sum, p);
  }
  return sum;
}

/* ---- common factors ---- */

static int compare_places(const void *a, const void *b)
{
  const pki_spot *x = a, *y = b;
  return x->atom != y->atom ? (x->atom < y->atom ? -1 : 1) : (x->item > y->item) - (x->item < y->item);
}

/* Which atom is in which item, each once, by atom. */
static int list_atom_places(pki_sum *s, int first)
{
  int n = 0;
  for (int i = first; i < s->nitem; i++) {
    const pki_item *item = &s->items[i];
    if (!pki_sum_room(s, (void **)&s->places, &s->place_room, n + item->count, sizeof *s->places)) {
      return 0;
    }
    for (int k = 0; k < item->count; k++) {
      if (k == 0 || s->pool[item->first + k] != s->pool[item->first + k - 1]) {
        s->places[n++] = (pki_spot){s->pool[item->first + k], i};
      }
    }
  }
  qsort(s->places, (size_t)n, sizeof *s->places, compare_places);
  return n;
}

/* Instructions that are saved when the atom of places[from..to) is taken out. */
static int factoring_saving(const pki_sum *s, pki_tally all, int from, int to)
{
  pki_tally inner = {0}, outer = all;
  for (int p = from; p < to; p++) {
    const int count = s->items[s->places[p].item].count;
    pki_tally_add(&inner, count > 1 ? count - 1 : 1, 1);
    pki_tally_add(&outer, count, -1);
  }
  pki_tally_add(&outer, 2, 1);
  return pki_tally_instructions(all) - pki_tally_instructions(inner) - pki_tally_instructions(outer);
}

/* The places of the atom that saves most; false: none does. */
static bool best_atom(pki_sum *s, int first, int *from, int *to)
{
  const int n = list_atom_places(s, first);
  pki_tally all = {0};
  for (int i = first; i < s->nitem; i++) {
    pki_tally_add(&all, s->items[i].count, 1);
  }
  int best = 0;
  for (int p = 0, q; p < n; p = q) {
    for (q = p + 1; q < n && s->places[q].atom == s->places[p].atom; q++) {}
    const int saved = q > p + 1 ? factoring_saving(s, all, p, q) : 0;
    if (saved > best) {
      best = saved, *from = p, *to = q;
    }
  }
  return best > 0;
}

/* The item without the atom, appended. */
static void add_quotient(pki_sum *s, int i, pki_x atom)
{
  const pki_item item = s->items[i];
  pki_item rest = {.sign = item.sign, .first = s->npool};
  bool found = false;
  for (int k = 0; k < item.count; k++) {
    const pki_x x = s->pool[item.first + k];
    if (x == atom && !found) {
      found = true;
    } else {
      add_atom(s, &rest, x);
    }
  }
  if (rest.count == 0) {
    add_atom(s, &rest, pki_const(s->g, 1));
  }
  add_item(s, rest);
}

static pki_x build_factored(pki_sum *s, int first)
{
  int from, to;
  while (s->nitem > first + 1 && !s->g->failed && best_atom(s, first, &from, &to)) {
    const pki_x atom = s->places[from].atom;
    const int inner = s->nitem;
    for (int p = from; p < to; p++) {
      const int i = s->places[p].item;
      add_quotient(s, i, atom);
      s->items[i].sign = 0;
    }
    pki_x y = build_factored(s, inner);
    s->nitem = inner;
    /* atom * y in place of them */
    int kept = first;
    for (int i = first; i < inner; i++) {
      if (s->items[i].sign != 0) {
        s->items[kept++] = s->items[i];
      }
    }
    s->nitem = kept;
    pki_item item = {.sign = 1, .first = s->npool};
    if (s->g->nodes[y].op == PKI_OP_NEG) {
      item.sign = -1, y = s->g->nodes[y].a;
    }
    add_atom(s, &item, atom < y ? atom : y);
    add_atom(s, &item, atom < y ? y : atom);
    add_item(s, item);
  }
  return sum_items(s, first);
}

pki_x pki_sum_build(pki_sum *s)
{
  pki_x sum = pki_const(s->g, 0);
  int taken = 0;
  do {
    s->nitem = 0;
    for (int many = 0; taken < s->n && many < LONG; taken++) {
      const pki_term t = s->terms[taken];
      if (t.dead) {
        continue;
      }
      pki_item item = {.sign = t.factor < 0 ? -1 : 1, .first = s->npool};
      if (t.count == 0 || fabs(t.factor) != 1) {
        add_atom(s, &item, pki_const(s->g, fabs(t.factor)));
      }
      for (int k = 0; k < t.count; k++) {
        add_atom(s, &item, s->pool[t.first + k]);
      }
      add_item(s, item);
      many++;
    }
    sum = pki_plus(s->g, sum, build_factored(s, 0));
  } while (taken < s->n);
  return sum;
}
