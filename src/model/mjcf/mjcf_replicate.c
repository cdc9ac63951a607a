/* <replicate> and <attach>: copies of parts of the tree, with their names changed. Both are done before anything is read
 * from the bodies, file by file. Lists of children are built anew in one pass. Elements of other sections that refer to
 * what is replicated are found by a table; one that is there once for each copy becomes a group of its copies until the
 * whole file is done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mjcf/mjcf.h"
#include "model/pose.h"

enum { COPIES_MAX = 100000, SEPARATOR_MAX = 100 };

/* Elements of the sections of a file that refer to one thing. */
typedef struct reference {
  pki_mjcf_node *node;
  struct reference *next;
} reference;

/* One file whose copies are made. */
typedef struct expansion {
  pki_mjcf *m;
  pki_mjcf_node *root;
  xmlHashTable *references; /* kind, name -> reference; NULL: nothing was replicated yet */
} expansion;

static const char group_tag[] = "copies of an element";

/* Put a list of siblings at the end of `parent`. */
static void append_nodes(pki_mjcf_node *parent, pki_mjcf_node *first)
{
  if (first != NULL) {
    *(parent->last != NULL ? &parent->last->next : &parent->first) = first;
  }
  for (pki_mjcf_node *node = first; node != NULL; node = node->next) {
    node->parent = parent;
    parent->last = node;
  }
}

/* ---- references to what is replicated ---- */

static bool is_reference_section(const pki_mjcf_node *node)
{
  return pki_mjcf_is(node, "contact") || pki_mjcf_is(node, "tendon") || pki_mjcf_is(node, "equality") ||
         pki_mjcf_is(node, "actuator") || pki_mjcf_is(node, "sensor");
}

/* Enter what `at`, a part of `node`, refers to. */
static void enter_references(expansion *x, pki_mjcf_node *node, const pki_mjcf_node *at)
{
  for (const pki_mjcf_attribute *a = at->attributes; a != NULL; a = a->next) {
    const char *kind = strcmp(a->name, "name") != 0 ? pki_mjcf_target(at, a->name) : NULL;
    reference *made = kind != NULL ? pki_mjcf_alloc(x->m, sizeof *made) : NULL;
    if (made != NULL) {
      const xmlChar *keys[2] = {(const xmlChar *)kind, (const xmlChar *)a->value};
      *made = (reference){.node = node, .next = xmlHashLookup2(x->references, keys[0], keys[1])};
      xmlHashUpdateEntry2(x->references, keys[0], keys[1], made, NULL);
    }
  }
  for (const pki_mjcf_node *child = at->first; child != NULL; child = child->next) {
    enter_references(x, node, child);
  }
}

static void enter_sections(expansion *x, const pki_mjcf_node *first)
{
  for (const pki_mjcf_node *section = first; section != NULL; section = section->next) {
    for (pki_mjcf_node *node = is_reference_section(section) ? section->first : NULL; node != NULL;
         node = node->next) {
      enter_references(x, node, node);
    }
  }
}

/* Names in the replicated tree, by kind; values do not matter. */
static void note_replicated(xmlHashTable *names, const pki_mjcf_node *node)
{
  const char *name = pki_mjcf_own(node, "name");
  if (name != NULL) {
    xmlHashAddEntry2(names, (const xmlChar *)(pki_mjcf_is(node, "freejoint") ? "joint" : node->tag),
                     (const xmlChar *)name, names);
  }
  for (const pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    note_replicated(names, child);
  }
}

static bool refers_to(xmlHashTable *names, const pki_mjcf_node *node, const pki_mjcf_attribute *a)
{
  const char *kind = strcmp(a->name, "name") != 0 ? pki_mjcf_target(node, a->name) : NULL;
  return kind != NULL && xmlHashLookup2(names, (const xmlChar *)kind, (const xmlChar *)a->value) != NULL;
}

/* The references of an element, and of what is in it, to the copy with that suffix; the element gets the suffix too. */
static void redirect(pki_mjcf *m, xmlHashTable *names, pki_mjcf_node *node, const char *suffix, bool top)
{
  for (pki_mjcf_attribute *a = node->attributes; a != NULL; a = a->next) {
    if (refers_to(names, node, a) || (top && strcmp(a->name, "name") == 0)) {
      a->value = pki_mjcf_print(m, "%s%s", a->value, suffix);
      a->value = a->value != NULL ? a->value : "";
    }
  }
  for (pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    redirect(m, names, child, suffix, false);
  }
}

/* Copies are numbered with as many digits as the last one needs. */
static int digits(int count)
{
  int width = 1;
  for (int n = count - 1; n >= 10; n /= 10) {
    width++;
  }
  return width;
}

/* The separator and the number: "-07". */
typedef struct copy_suffix {
  char text[SEPARATOR_MAX + 16];
} copy_suffix;

static copy_suffix suffix_of(const pki_mjcf_node *replicate, int count, int i)
{
  const char *separator = pki_mjcf_own(replicate, "sep");
  char number[16];
  copy_suffix suffix;
  snprintf(number, sizeof number, "%010d", i);
  snprintf(suffix.text, sizeof suffix.text, "%.*s%s", SEPARATOR_MAX, separator != NULL ? separator : "",
           number + 10 - digits(count));
  return suffix;
}

/* Turn an element into a group of its copies, one for each copy of the tree. */
static void copy_reference(expansion *x, xmlHashTable *names, pki_mjcf_node *node,
                           const pki_mjcf_node *replicate, int count)
{
  pki_mjcf_node holder = {.depth = node->depth - 1};
  for (int i = 0; i < count; i++) {
    pki_mjcf_node *copy = pki_mjcf_copy(x->m, &holder, node, "", "");
    if (copy == NULL) {
      break;
    }
    redirect(x->m, names, copy, suffix_of(replicate, count, i).text, true);
    enter_references(x, copy, copy);
  }
  node->tag = group_tag;
  node->first = node->last = NULL;
  append_nodes(node, holder.first);
}

/* Copies of all that refers to the names of the tree. */
typedef struct reference_copies {
  expansion *x;
  xmlHashTable *names;
  const pki_mjcf_node *replicate;
  int count;
} reference_copies;

static void copy_references_to(void *payload, void *data, const xmlChar *kind, const xmlChar *name,
                               const xmlChar *third)
{
  (void)payload, (void)third;
  const reference_copies *r = data;
  const reference *first = xmlHashLookup2(r->x->references, kind, name);
  if (first == NULL) {
    return;
  }
  xmlHashRemoveEntry2(r->x->references, kind, name, NULL); /* its copies refer to others */
  for (const reference *at = first; at != NULL && !r->x->m->no_memory; at = at->next) {
    if (at->node->tag != group_tag) {
      copy_reference(r->x, r->names, at->node, r->replicate, r->count);
    }
  }
}

/* Actuators, sensors and others that refer to something in the tree are there once for each copy. */
static void replicate_references(expansion *x, const pki_mjcf_node *replicate, int count)
{
  if (x->references == NULL) {
    x->references = xmlHashCreate(64);
    if (x->references == NULL) {
      x->m->no_memory = true;
      return;
    }
    enter_sections(x, x->root->first);
  }
  xmlHashTable *names = xmlHashCreate(16);
  if (names == NULL) {
    x->m->no_memory = true;
    return;
  }
  for (const pki_mjcf_node *child = replicate->first; child != NULL; child = child->next) {
    note_replicated(names, child);
  }
  reference_copies copies = {.x = x, .names = names, .replicate = replicate, .count = count};
  xmlHashScanFull(names, copy_references_to, &copies);
  xmlHashFree(names, NULL);
}

/* Groups of copies of copies into the list of their section. */
static void append_group(pki_mjcf_node *section, pki_mjcf_node *first)
{
  for (pki_mjcf_node *node = first, *next = NULL; node != NULL; node = next) {
    next = node->next;
    node->next = NULL;
    if (node->tag == group_tag) {
      append_group(section, node->first);
    } else {
      append_nodes(section, node);
    }
  }
}

/* ---- copies of the tree ---- */

static bool check_replicate(pki_mjcf *m, const pki_mjcf_node *node, int count)
{
  const char *separator = pki_mjcf_own(node, "sep");
  if (count < 0 || count > COPIES_MAX) {
    pki_mjcf_error(m, node, "count", PK_ERROR_LIMIT, "count is %d, expected 0 to %d", count, COPIES_MAX);
    return false;
  }
  if (separator != NULL && strlen(separator) > SEPARATOR_MAX) {
    pki_mjcf_error(m, node, "sep", PK_ERROR_LIMIT, "sep has %zu bytes, expected at most %d",
                   strlen(separator), SEPARATOR_MAX);
    return false;
  }
  return true;
}

/* One frame for each copy; the first of them. */
static pki_mjcf_node *expand_replicate(expansion *x, pki_mjcf_node *node)
{
  pki_mjcf *m = x->m;
  const int count = pki_mjcf_int(m, node, "count", 0);
  if (!check_replicate(m, node, count)) {
    return NULL;
  }
  double offset[3] = {0, 0, 0}, euler[3] = {0, 0, 0};
  pki_mjcf_reals(m, node, "offset", 3, offset);
  pki_mjcf_reals(m, node, "euler", 3, euler);
  const char *class = pki_mjcf_own(node, "childclass");
  pki_mjcf_node holder = {.settings = node->settings, .depth = node->depth - 1};
  pk_pose pose = pk_pose_identity();
  for (int i = 0; i < count; i++) {
    const copy_suffix suffix = suffix_of(node, count, i);
    pki_mjcf_node *frame = pki_mjcf_add_node(m, &holder, "frame", node);
    pk_pose *kept = pki_mjcf_alloc(m, sizeof *kept);
    if (frame == NULL || kept == NULL) {
      break;
    }
    *kept = pose;
    frame->pose = kept;
    if (class != NULL) {
      pki_mjcf_set(m, frame, "childclass", class);
    }
    for (const pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
      if (pki_mjcf_copy(m, frame, child, "", suffix.text) == NULL) {
        break;
      }
    }
    pki_mjcf_replicate_next(node->settings, offset, euler, i + 1, &pose);
  }
  replicate_references(x, node, count);
  return holder.first;
}

/* What is attached may be replicated later: what came with it is entered. */
static pki_mjcf_node *expand_attach(expansion *x, const pki_mjcf_node *node)
{
  const pki_mjcf_node *last = x->root->last;
  pki_mjcf_node *copy = pki_mjcf_attach(x->m, x->root, node);
  if (x->references != NULL) {
    enter_sections(x, last->next);
  }
  return copy;
}

/* Inner ones first. */
static void expand_children(expansion *x, pki_mjcf_node *node)
{
  pki_mjcf_node *child = node->first, *next = NULL;
  node->first = node->last = NULL;
  for (; child != NULL && !x->m->no_memory; child = next) {
    next = child->next;
    child->next = NULL;
    expand_children(x, child);
    append_nodes(node, pki_mjcf_is(child, "replicate") ? expand_replicate(x, child)
                       : pki_mjcf_is(child, "attach")  ? expand_attach(x, child)
                                                       : child);
  }
}

void pki_mjcf_expand(pki_mjcf *m, pki_mjcf_node *root)
{
  expansion x = {.m = m, .root = root};
  for (pki_mjcf_node *node = root->first; node != NULL; node = node->next) {
    if (pki_mjcf_is(node, "worldbody")) {
      expand_children(&x, node);
    }
  }
  for (pki_mjcf_node *node = x.references != NULL ? root->first : NULL; node != NULL; node = node->next) {
    if (is_reference_section(node)) {
      pki_mjcf_node *first = node->first;
      node->first = node->last = NULL;
      append_group(node, first);
    }
  }
  xmlHashFree(x.references, NULL);
}
