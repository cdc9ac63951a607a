/* <replicate> and <attach>: copies of parts of the tree, with their names changed. Both are done before anything is read
 * from the bodies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mjcf/mjcf.h"
#include "model/pose.h"

/* ---- replicate ---- */

enum { COPIES_MAX = 100000 };

/* Copies are numbered with as many digits as the last one needs. */
static int digits(int count)
{
  int width = 1;
  for (int n = count - 1; n >= 10; n /= 10) {
    width++;
  }
  return width;
}

/* Put `made`, a list of siblings, in the place of `node`. */
static void replace_node(pki_mjcf_node *node, pki_mjcf_node *made)
{
  pki_mjcf_node *parent = node->parent, **at = &parent->first;
  while (*at != node) {
    at = &(*at)->next;
  }
  *at = made;
  pki_mjcf_node *last = made;
  while (last != NULL && last->next != NULL) {
    last = last->next;
  }
  if (last != NULL) {
    last->next = node->next;
  } else {
    *at = node->next;
  }
  parent->last = NULL;
  for (pki_mjcf_node *child = parent->first; child != NULL; child = child->next) {
    child->parent = parent;
    parent->last = child;
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

static bool concerns(xmlHashTable *names, const pki_mjcf_node *node)
{
  for (const pki_mjcf_attribute *a = node->attributes; a != NULL; a = a->next) {
    if (refers_to(names, node, a)) {
      return true;
    }
  }
  for (const pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    if (concerns(names, child)) {
      return true;
    }
  }
  return false;
}

/* "-07": copies are numbered with as many digits as the last one needs. */
typedef struct copy_suffix {
  char text[32];
} copy_suffix;

static copy_suffix suffix_of(const pki_mjcf_node *replicate, int count, int i)
{
  const char *separator = pki_mjcf_own(replicate, "sep");
  char number[16];
  copy_suffix suffix;
  snprintf(number, sizeof number, "%010d", i);
  snprintf(suffix.text, sizeof suffix.text, "%.15s%s", separator != NULL ? separator : "",
           number + 10 - digits(count));
  return suffix;
}

/* One copy of an element for each copy of the tree, in its place. */
static void copy_reference(pki_mjcf *m, xmlHashTable *names, pki_mjcf_node *node,
                           const pki_mjcf_node *replicate, int count)
{
  pki_mjcf_node holder = {0};
  for (int i = 0; i < count; i++) {
    pki_mjcf_node *copy = pki_mjcf_copy(m, &holder, node, "", "");
    if (copy == NULL) {
      break;
    }
    redirect(m, names, copy, suffix_of(replicate, count, i).text, true);
  }
  replace_node(node, holder.first);
}

static bool is_reference_section(const pki_mjcf_node *node)
{
  return pki_mjcf_is(node, "contact") || pki_mjcf_is(node, "tendon") || pki_mjcf_is(node, "equality") ||
         pki_mjcf_is(node, "actuator") || pki_mjcf_is(node, "sensor");
}

/* Actuators, sensors and others that refer to something in the tree are there once for each copy. */
static void replicate_references(pki_mjcf *m, const pki_mjcf_node *replicate, int count)
{
  xmlHashTable *names = xmlHashCreate(16);
  if (names == NULL) {
    m->no_memory = true;
    return;
  }
  for (const pki_mjcf_node *child = replicate->first; child != NULL; child = child->next) {
    note_replicated(names, child);
  }
  for (pki_mjcf_node *section = m->root->first; section != NULL; section = section->next) {
    pki_mjcf_node *next = NULL;
    for (pki_mjcf_node *node = is_reference_section(section) ? section->first : NULL; node != NULL;
         node = next) {
      next = node->next;
      if (concerns(names, node)) {
        copy_reference(m, names, node, replicate, count);
      }
    }
  }
  xmlHashFree(names, NULL);
}

/* One frame for each copy. */
static void expand_replicate(pki_mjcf *m, pki_mjcf_node *node)
{
  const int count = pki_mjcf_int(m, node, "count", 0);
  if (count < 0 || count > COPIES_MAX) {
    pki_mjcf_error(m, node, "count", PK_ERROR_LIMIT, "count is %d, expected 0 to %d", count, COPIES_MAX);
    replace_node(node, NULL);
    return;
  }
  double offset[3] = {0, 0, 0}, euler[3] = {0, 0, 0};
  pki_mjcf_reals(m, node, "offset", 3, offset);
  pki_mjcf_reals(m, node, "euler", 3, euler);
  const char *class = pki_mjcf_own(node, "childclass");
  pki_mjcf_node holder = {.settings = node->settings};
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
  replicate_references(m, node, count);
  replace_node(node, holder.first);
}

/* ---- the whole tree ---- */

/* Inner ones first. */
static void expand_children(pki_mjcf *m, pki_mjcf_node *node)
{
  for (pki_mjcf_node *child = node->first; child != NULL && !m->no_memory;) {
    pki_mjcf_node *next = child->next;
    expand_children(m, child);
    if (pki_mjcf_is(child, "replicate")) {
      expand_replicate(m, child);
    } else if (pki_mjcf_is(child, "attach")) {
      replace_node(child, pki_mjcf_attach(m, child));
    }
    child = next;
  }
}

void pki_mjcf_expand(pki_mjcf *m, pki_mjcf_node *root)
{
  for (pki_mjcf_node *node = root->first; node != NULL; node = node->next) {
    if (pki_mjcf_is(node, "worldbody")) {
      expand_children(m, node);
    }
  }
}
