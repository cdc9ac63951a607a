/* The tree of a file, memory for it, and remarks at its elements. */
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mjcf/mjcf.h"
#include "model/mjcf/mjcf_spec.h"

/* ---- memory ---- */

struct pki_mjcf_block {
  pki_mjcf_block *next;
  size_t used, size;
  max_align_t bytes[];
};

void *pki_mjcf_alloc(pki_mjcf *m, size_t size)
{
  enum { BLOCK = 64 << 10 };
  size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
  pki_mjcf_block *block = m->blocks;
  if (block == NULL || block->size - block->used < size) {
    const size_t room = size > BLOCK ? size : BLOCK;
    block = calloc(1, sizeof *block + room);
    if (block == NULL) {
      m->no_memory = true;
      return NULL;
    }
    block->size = room;
    block->next = m->blocks;
    m->blocks = block;
  }
  void *out = (char *)block->bytes + block->used;
  block->used += size;
  return out;
}

void pki_mjcf_free_blocks(pki_mjcf *m)
{
  while (m->blocks != NULL) {
    pki_mjcf_block *next = m->blocks->next;
    free(m->blocks);
    m->blocks = next;
  }
}

const char *pki_mjcf_copy_text(pki_mjcf *m, const char *text)
{
  const size_t size = strlen(text) + 1;
  char *copy = pki_mjcf_alloc(m, size);
  return copy != NULL ? memcpy(copy, text, size) : NULL;
}

const char *pki_mjcf_print(pki_mjcf *m, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = length >= 0 ? pki_mjcf_alloc(m, (size_t)length + 1) : NULL;
  if (text != NULL) {
    vsnprintf(text, (size_t)length + 1, format, again);
  }
  va_end(again);
  return text;
}

bool pki_mjcf_grow(pki_mjcf *m, void **array, int count, int *cap, size_t size)
{
  if (!pki_builder_grow(array, count, cap, size)) {
    m->no_memory = true;
    return false;
  }
  return true;
}

/* ---- elements ---- */

pki_mjcf_node *pki_mjcf_add_node(pki_mjcf *m, pki_mjcf_node *parent, const char *tag,
                                 const pki_mjcf_node *like)
{
  if (m->nnode >= PKI_MJCF_MAX_NODES) {
    if (m->nnode++ == PKI_MJCF_MAX_NODES) {
      pki_mjcf_error(m, like, NULL, PK_ERROR_LIMIT, "there are more than %d elements, copies included",
                     PKI_MJCF_MAX_NODES);
    }
    return NULL;
  }
  const int depth = parent != NULL ? parent->depth + 1 : 1;
  if (depth > PKI_MJCF_MAX_DEPTH) {
    pki_mjcf_error(m, like, NULL, PK_ERROR_LIMIT,
                   "elements are nested more than %d deep, with what is included and attached",
                   PKI_MJCF_MAX_DEPTH);
    return NULL;
  }
  pki_mjcf_node *node = pki_mjcf_alloc(m, sizeof *node);
  if (node == NULL) {
    return NULL;
  }
  m->nnode++;
  *node = (pki_mjcf_node){.tag = tag, .parent = parent, .depth = depth};
  if (like != NULL) {
    node->file = like->file;
    node->line = like->line;
    node->row = like->row;
    node->settings = like->settings;
    node->pose = like->pose;
  }
  if (parent != NULL) {
    *(parent->last != NULL ? &parent->last->next : &parent->first) = node;
    parent->last = node;
  }
  return node;
}

bool pki_mjcf_set(pki_mjcf *m, pki_mjcf_node *node, const char *name, const char *value)
{
  for (pki_mjcf_attribute *a = node->attributes; a != NULL; a = a->next) {
    if (strcmp(a->name, name) == 0) {
      a->value = value;
      return value != NULL;
    }
  }
  pki_mjcf_attribute *attribute = pki_mjcf_alloc(m, sizeof *attribute);
  if (attribute == NULL || value == NULL) {
    return false;
  }
  *attribute = (pki_mjcf_attribute){.name = name, .value = value, .next = node->attributes};
  node->attributes = attribute;
  return true;
}

const char *pki_mjcf_target(const pki_mjcf_node *node, const char *attribute)
{
  static const char *const kinds[] = {"joint", "site", "body", "geom", "tendon", "actuator", "camera"};
  pki_mjcf_word word;
  if (node->row == NULL || !pki_mjcf_find_word(node->row, attribute, &word) || !word.is_name) {
    return NULL;
  }
  if (strcmp(attribute, "objname") == 0 || strcmp(attribute, "refname") == 0) {
    const char *type = pki_mjcf_own(node, attribute[0] == 'o' ? "objtype" : "reftype");
    return type != NULL && strcmp(type, "xbody") == 0 ? "body" : type;
  }
  if (strcmp(attribute, "name") == 0) {
    return node->tag;
  }
  if (strcmp(attribute, "target") == 0 || strncmp(attribute, "subtree", 7) == 0) {
    return "body";
  }
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    /* joint, joint1, jointinparent, sidesite: the kind is in the name */
    if (strstr(attribute, kinds[i]) != NULL) {
      return kinds[i];
    }
  }
  return NULL;
}

/* Copy the attributes, names among them changed. */
static bool copy_attributes(pki_mjcf *m, const pki_mjcf_node *from, pki_mjcf_node *to, const char *prefix,
                            const char *suffix)
{
  for (const pki_mjcf_attribute *a = from->attributes; a != NULL; a = a->next) {
    pki_mjcf_word word;
    const bool named = a->value[0] != '\0' && from->row != NULL &&
                       pki_mjcf_find_word(from->row, a->name, &word) && word.is_name;
    const char *before = named ? prefix : "",
               *behind = named && pki_mjcf_target(from, a->name) != NULL ? suffix : "";
    const bool changed = before[0] != '\0' || behind[0] != '\0';
    if (changed && strlen(before) + strlen(a->value) + strlen(behind) >= PKI_MJCF_MAX_NAME) {
      pki_mjcf_error(m, from, a->name, PK_ERROR_LIMIT, "a name grows longer than %d bytes",
                     PKI_MJCF_MAX_NAME);
      return false;
    }
    if (!pki_mjcf_set(m, to, a->name,
                      changed ? pki_mjcf_print(m, "%s%s%s", before, a->value, behind) : a->value)) {
      return false;
    }
  }
  return true;
}

pki_mjcf_node *pki_mjcf_copy(pki_mjcf *m, pki_mjcf_node *parent, const pki_mjcf_node *node,
                             const char *prefix, const char *suffix)
{
  pki_mjcf_node *copy = pki_mjcf_add_node(m, parent, node->tag, node);
  if (copy == NULL || !copy_attributes(m, node, copy, prefix, suffix)) {
    return NULL;
  }
  for (const pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    if (pki_mjcf_copy(m, copy, child, prefix, suffix) == NULL) {
      return NULL;
    }
  }
  return copy;
}

const char *pki_mjcf_own(const pki_mjcf_node *node, const char *attribute)
{
  for (const pki_mjcf_attribute *a = node->attributes; a != NULL; a = a->next) {
    if (strcmp(a->name, attribute) == 0) {
      return a->value;
    }
  }
  return NULL;
}

bool pki_mjcf_is(const pki_mjcf_node *node, const char *tag)
{
  return strcmp(node->tag, tag) == 0;
}

const pki_mjcf_node *pki_mjcf_next_in(const pki_mjcf *m, const char *section, const char *tag,
                                      const pki_mjcf_node *node)
{
  const pki_mjcf_node *in = node != NULL ? node->parent : m->root->first;
  const pki_mjcf_node *at = node != NULL ? node->next : NULL;
  for (bool started = node != NULL; in != NULL; in = in->next, started = false) {
    if (!pki_mjcf_is(in, section)) {
      continue;
    }
    for (at = started ? at : in->first; at != NULL; at = at->next) {
      if (tag == NULL || pki_mjcf_is(at, tag)) {
        return at;
      }
    }
  }
  return NULL;
}

/* ---- remarks ---- */

/* body[trunk]/geom[foot]@size; what is around it where the element has no name. */
static void write_place(const pki_mjcf_node *node, const char *attribute, char *out, size_t size)
{
  size_t used = 0;
  out[0] = '\0';
  const char *name = node != NULL ? pki_mjcf_own(node, "name") : NULL;
  const pki_mjcf_node *around = node != NULL && name == NULL ? node->parent : NULL;
  const char *outer = around != NULL ? pki_mjcf_own(around, "name") : NULL;
  if (outer != NULL) {
    used += (size_t)snprintf(out, size, "%s[%s]/", around->tag, pki_urdf_quoted(outer).text);
  }
  if (node != NULL && used < size) {
    used += (size_t)snprintf(out + used, size - used, "%s%s%s%s", pki_urdf_quoted(node->tag).text,
                             name != NULL ? "[" : "", name != NULL ? pki_urdf_quoted(name).text : "",
                             name != NULL ? "]" : "");
  }
  if (attribute != NULL && used < size) {
    snprintf(out + used, size - used, "@%s", pki_urdf_quoted(attribute).text);
  }
}

/* `kind` NULL: an error. */
static void report_mjcf(pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, const char *kind,
                        pk_status status, const char *format, va_list args)
{
  char message[sizeof m->first.message], place[sizeof m->first.field];
  vsnprintf(message, sizeof message, format, args);
  write_place(node, attribute, place, sizeof place);
  const pki_where where = {.file = node != NULL && node->file != NULL ? node->file : m->file,
                           .line = node != NULL ? node->line : 0,
                           .field = place};
  if (kind != NULL) {
    pki_builder_warn(m->b, PKI_ROBOT_LOADING, kind, status, where, "%s", message);
  } else {
    pki_builder_error(m->b, status, where, "%s", message);
  }
  if ((kind == NULL || m->options->strict) && m->nerror++ == 0) {
    pki_fail(&m->first, status, where, "%s", message);
  }
}

void pki_mjcf_error(pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, pk_status status,
                    const char *format, ...)
{
  if (m->nerror >= PKI_DIAGNOSTIC_MAX) {
    m->nerror += m->nerror < INT_MAX;
    return; /* beyond what the builder keeps they only count: a file may have millions */
  }
  va_list args;
  va_start(args, format);
  report_mjcf(m, node, attribute, NULL, status, format, args);
  va_end(args);
}

void pki_mjcf_warn(pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, const char *kind,
                   const char *format, ...)
{
  va_list args;
  va_start(args, format);
  report_mjcf(m, node, attribute, kind, PK_ERROR_UNSUPPORTED, format, args);
  va_end(args);
}

bool pki_mjcf_first_time(pki_mjcf *m, const char *kind, const char *name)
{
  if (xmlHashSize(m->remarks) > PKI_DIAGNOSTIC_MAX) {
    return false; /* that many are enough */
  }
  return xmlHashAddEntry2(m->remarks, (const xmlChar *)kind, (const xmlChar *)name, m) == 0;
}

/* ---- names ---- */

bool pki_mjcf_enter(pki_mjcf *m, const pki_mjcf_node *node, const char *kind, const char *name, void *value)
{
  if (strlen(name) >= PKI_MJCF_MAX_NAME) {
    pki_mjcf_error(m, node, "name", PK_ERROR_LIMIT, "the name is longer than %d bytes", PKI_MJCF_MAX_NAME);
    return false;
  }
  if (xmlHashAddEntry2(m->names, (const xmlChar *)kind, (const xmlChar *)name, value) != 0) {
    pki_mjcf_error(m, node, "name", PK_ERROR_NAME, "%s \"%s\" is there twice: names of one kind must differ",
                   kind, pki_urdf_quoted(name).text);
    return false;
  }
  return true;
}

void *pki_mjcf_find(const pki_mjcf *m, const char *kind, const char *name)
{
  return xmlHashLookup2(m->names, (const xmlChar *)kind, (const xmlChar *)name);
}

/* What the search for the nearest name keeps. */
typedef struct nearest_name {
  const char *kind, *word, *best;
  int fewest;
} nearest_name;

static void compare_name(void *payload, void *data, const xmlChar *kind, const xmlChar *name,
                         const xmlChar *third)
{
  (void)payload;
  nearest_name *n = data;
  if (third != NULL || strcmp((const char *)kind, n->kind) != 0) {
    return;
  }
  const int distance = pki_word_distance(n->word, (const char *)name);
  if (distance < n->fewest ||
      (distance == n->fewest && n->best != NULL && strcmp((const char *)name, n->best) < 0)) {
    n->fewest = distance;
    n->best = (const char *)name;
  }
}

void pki_mjcf_unknown(pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, const char *kind,
                      const char *name)
{
  nearest_name n = {.kind = kind, .word = name, .fewest = strlen(name) >= 6 ? 3 : 2};
  if (m->nerror < PKI_DIAGNOSTIC_MAX && xmlHashSize(m->names) < 10000) {
    xmlHashScanFull(m->names, compare_name, &n);
  }
  pki_mjcf_error(m, node, attribute, PK_ERROR_NAME, "there is no %s \"%s\"%s%s%s", kind,
                 pki_urdf_quoted(name).text, n.best != NULL ? "; did you mean \"" : "",
                 n.best != NULL ? pki_urdf_quoted(n.best).text : "", n.best != NULL ? "\"?" : "");
}

/* How long the list is that names of a kind are indices of. */
static int list_length(const pki_mjcf *m, const char *kind)
{
  return strcmp(kind, "body") == 0       ? m->nbody
         : strcmp(kind, "joint") == 0    ? m->njoint
         : strcmp(kind, "geom") == 0     ? m->ngeom
         : strcmp(kind, "site") == 0     ? m->nsite
         : strcmp(kind, "actuator") == 0 ? m->nactuator
                                         : 0;
}

int pki_mjcf_refer(pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, const char *kind)
{
  const char *name = pki_mjcf_own(node, attribute);
  if (name == NULL) {
    return -1;
  }
  const intptr_t found = (intptr_t)pki_mjcf_find(m, kind, name);
  if (found < 1 || found > list_length(m, kind)) {
    pki_mjcf_unknown(m, node, attribute, kind, name);
    return -1;
  }
  return (int)(found - 1);
}

static bool is_taken(const pki_mjcf *m, const char *kind, const char *name)
{
  static const char *const origins[] = {"written", "made"};
  bool taken = pki_mjcf_find(m, kind, name) != NULL;
  for (int i = 0; i < 2; i++) {
    taken |= xmlHashLookup3(m->names, (const xmlChar *)kind, (const xmlChar *)name,
                            (const xmlChar *)origins[i]) != NULL;
  }
  return taken;
}

/* A made name stays taken, also where nothing is entered under it because the file cannot refer to it. */
static const char *take_name(pki_mjcf *m, const char *kind, const char *name)
{
  if (name != NULL && xmlHashAddEntry3(m->names, (const xmlChar *)kind, (const xmlChar *)name,
                                       (const xmlChar *)"made", m) < 0) {
    m->no_memory = true;
    return NULL;
  }
  return name;
}

const char *pki_mjcf_invent(pki_mjcf *m, const char *kind, const char *stem)
{
  if (!is_taken(m, kind, stem)) {
    return take_name(m, kind, stem);
  }
  /* the last number that was given to this stem, so that each is tried once */
  const xmlChar *keys[3] = {(const xmlChar *)kind, (const xmlChar *)stem, (const xmlChar *)"count"};
  intptr_t number = (intptr_t)xmlHashLookup3(m->names, keys[0], keys[1], keys[2]);
  char name[PKI_MJCF_MAX_NAME + 32];
  do {
    number++;
    snprintf(name, sizeof name, "%.*s_%ld", PKI_MJCF_MAX_NAME, stem, (long)number);
  } while (is_taken(m, kind, name));
  xmlHashUpdateEntry3(m->names, keys[0], keys[1], keys[2], (void *)number, NULL);
  return take_name(m, kind, pki_mjcf_copy_text(m, name));
}

void pki_mjcf_note_names(pki_mjcf *m, const pki_mjcf_node *node)
{
  const char *name = pki_mjcf_own(node, "name");
  if (name != NULL) {
    xmlHashAddEntry3(m->names, (const xmlChar *)node->tag, (const xmlChar *)name, (const xmlChar *)"written",
                     m);
  }
  for (const pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    pki_mjcf_note_names(m, child);
  }
}

const char *pki_mjcf_full(pki_mjcf *m, const char *name)
{
  const char *prefix = m->options->prefix;
  const char *full = prefix != NULL && name != NULL ? pki_mjcf_print(m, "%s%s", prefix, name) : name;
  return full != NULL ? full : "";
}
