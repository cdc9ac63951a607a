/* Sums of products: terms in normal form, like ones collected. */
#include "symbolic/graph/sum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

bool pki_sum_room(pki_sum *s, void **array, int *room, int n, size_t size)
{
  if (n > *room) {
    const int more = n > 2 * *room ? n + 64 : 2 * *room;
    void *grown = realloc(*array, (size_t)more * size);
    if (grown == NULL) {
      s->g->failed = true;
      return false;
    }
    *array = grown, *room = more;
  }
  return true;
}

void pki_sum_free(pki_sum *s)
{
  free(s->terms);
  free(s->pool);
  free(s->items);
  free(s->keys);
  free(s->places);
  free(s->table);
}

bool pki_near(double a, double b)
{
  return fabs(a - b) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
}

/* ---- costs ---- */

void pki_tally_add(pki_tally *t, int factors, int sign)
{
  t->n += sign, t->M += sign * factors, t->P += sign * (factors > 1);
}

int pki_tally_operations(pki_tally t)
{
  return t.n > 0 ? t.M - 1 : 0;
}

int pki_tally_instructions(pki_tally t)
{
  const int fused = t.P < t.n - 1 ? t.P : t.n - 1;
  return t.n > 0 ? t.M - 1 - fused : 0;
}

int pki_term_factors(const pki_term *t)
{
  return t->count == 0 ? 1 : t->count + (fabs(t->factor) != 1);
}

/* ---- terms ---- */

void pki_sum_clear(pki_sum *s)
{
  s->n = s->npool = s->nitem = 0;
}

void pki_sum_open(pki_sum *s, double factor)
{
  if (pki_sum_room(s, (void **)&s->terms, &s->term_room, s->n + 1, sizeof *s->terms)) {
    s->terms[s->n++] = (pki_term){.factor = factor, .first = s->npool};
  }
}

void pki_sum_times(pki_sum *s, pki_x x)
{
  if (s->n == 0) {
    return;
  }
  pki_term *t = &s->terms[s->n - 1];
  const pki_graph_node *n = &s->g->nodes[x];
  if (n->op == PKI_OP_NEG) {
    t->factor = -t->factor;
    x = n->a, n = &s->g->nodes[x];
  }
  if (n->op == PKI_OP_CONST) {
    t->factor *= n->value;
  } else if (pki_sum_room(s, (void **)&s->pool, &s->pool_room, s->npool + 1, sizeof *s->pool)) {
    s->pool[s->npool++] = x;
    t->count++;
  }
}

static int compare_atoms(const void *a, const void *b)
{
  const pki_x x = *(const pki_x *)a, y = *(const pki_x *)b;
  return (x > y) - (x < y);
}

static void sort_atoms(pki_x *atoms, int n)
{
  if (n > 16) {
    qsort(atoms, (size_t)n, sizeof *atoms, compare_atoms);
    return;
  }
  for (int i = 1; i < n; i++) {
    const pki_x x = atoms[i];
    int k = i;
    for (; k > 0 && atoms[k - 1] > x; k--) {
      atoms[k] = atoms[k - 1];
    }
    atoms[k] = x;
  }
}

static void remove_atom(pki_sum *s, pki_term *t, int k)
{
  pki_x *atoms = s->pool + t->first;
  for (int i = k + 1; i < t->count; i++) {
    atoms[i - 1] = atoms[i];
  }
  t->count--, s->npool--;
}

static int atom_of(const pki_sum *s, const pki_term *t, pki_x x)
{
  const pki_x *found =
      t->count > 0 ? bsearch(&x, s->pool + t->first, (size_t)t->count, sizeof x, compare_atoms) : NULL;
  return found != NULL ? (int)(found - (s->pool + t->first)) : -1;
}

/* x / x = 1 and sqrt x sqrt x = x, once; false: nothing to do. The term is the last of the pool. */
static bool cancel_factors(pki_sum *s, pki_term *t)
{
  for (int k = 0; k < t->count; k++) {
    const pki_x x = s->pool[t->first + k];
    const pki_graph_node n = s->g->nodes[x];
    if (n.op == PKI_OP_INV) {
      const int other = atom_of(s, t, n.a);
      if (other >= 0) {
        remove_atom(s, t, k > other ? k : other);
        remove_atom(s, t, k > other ? other : k);
        return true;
      }
    }
    if (n.op == PKI_OP_SQRT && k + 1 < t->count && s->pool[t->first + k + 1] == x) {
      remove_atom(s, t, k + 1);
      remove_atom(s, t, k);
      pki_sum_times(s, n.a);
      return true;
    }
  }
  return false;
}

void pki_sum_close(pki_sum *s)
{
  if (s->n == 0) {
    return;
  }
  do {
    const pki_term *t = &s->terms[s->n - 1];
    if (t->count > 1) {
      sort_atoms(s->pool + t->first, t->count);
    }
  } while (cancel_factors(s, &s->terms[s->n - 1]));
  if (s->terms[s->n - 1].factor == 0) {
    s->npool = s->terms[--s->n].first;
  }
}

/* ---- like terms ---- */

static pki_x key_atom(const pki_key *key, int k)
{
  return key->count == 1 ? key->single : key->atoms[k];
}

/* By the last atom, then the one before; shorter first, then as they came. */
static int compare_keys(const void *a, const void *b)
{
  const pki_key *x = a, *y = b;
  for (int k = 1; k <= x->count && k <= y->count; k++) {
    const pki_x p = key_atom(x, x->count - k), q = key_atom(y, y->count - k);
    if (p != q) {
      return p < q ? -1 : 1;
    }
  }
  return x->count != y->count ? (x->count < y->count ? -1 : 1) : (x->term > y->term) - (x->term < y->term);
}

static bool keys_are_alike(const pki_key *x, const pki_key *y)
{
  if (x->count != y->count) {
    return false;
  }
  for (int k = 0; k < x->count; k++) {
    if (key_atom(x, k) != key_atom(y, k)) {
      return false;
    }
  }
  return true;
}

/* A term's atoms; a product c x that has users elsewhere is x here, so that it meets other multiples of x. */
static void fill_key(const pki_sum *s, int term, pki_key *key)
{
  const pki_term *t = &s->terms[term];
  *key = (pki_key){.atoms = s->pool + t->first, .extra = 1, .count = t->count, .term = term};
  if (t->count == 1) {
    key->single = s->pool[t->first];
    const pki_graph_node *n = &s->g->nodes[key->single];
    if (n->op == PKI_OP_MUL && s->g->nodes[n->a].op == PKI_OP_CONST) {
      key->extra = s->g->nodes[n->a].value;
      key->single = n->b;
    }
  }
}

/* Terms of the keys from i on that are alike become one; the next key. */
static int merge_alike_terms(pki_sum *s, int i)
{
  int j = i + 1;
  while (j < s->n && keys_are_alike(&s->keys[i], &s->keys[j])) {
    j++;
  }
  pki_term *t = &s->terms[s->keys[i].term];
  if (j == i + 1) {
    return j;
  }
  double sum = 0, size = 0;
  for (int k = i; k < j; k++) {
    const double f = s->terms[s->keys[k].term].factor * s->keys[k].extra;
    sum += f, size += fabs(f);
    s->terms[s->keys[k].term].dead = true;
  }
  t->factor = sum;
  t->dead = fabs(sum) <= 4 * DBL_EPSILON * size;
  if (t->count == 1) {
    s->pool[t->first] = s->keys[i].single;
  }
  return j;
}

void pki_sum_collect(pki_sum *s)
{
  if (s->n < 2 || !pki_sum_room(s, (void **)&s->keys, &s->key_room, s->n, sizeof *s->keys) ||
      !pki_sum_room(s, (void **)&s->terms, &s->term_room, 2 * s->n, sizeof *s->terms)) {
    return;
  }
  for (int i = 0; i < s->n; i++) {
    fill_key(s, i, &s->keys[i]);
  }
  qsort(s->keys, (size_t)s->n, sizeof *s->keys, compare_keys);
  for (int i = 0; i < s->n;) {
    i = merge_alike_terms(s, i);
  }
  /* in the order of the keys */
  int kept = 0;
  for (int i = 0; i < s->n; i++) {
    if (!s->terms[s->keys[i].term].dead) {
      s->terms[s->n + kept++] = s->terms[s->keys[i].term];
    }
  }
  for (int i = 0; i < kept; i++) {
    s->terms[i] = s->terms[s->n + i];
  }
  s->n = kept;
}
