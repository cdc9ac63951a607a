#include "scenario/document.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* ---- memory: everything lives as long as the document ---- */

typedef struct block {
  struct block *next;
  size_t used, size;
  max_align_t data[];
} block;

struct pki_document {
  block *blocks;
  pki_node *root;
  int nodes;
};

static void *take_memory(pki_document *d, size_t size)
{
  enum { BLOCK = 1 << 16 };
  size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
  if (d->blocks == NULL || d->blocks->size - d->blocks->used < size) {
    const size_t room = size > BLOCK ? size : BLOCK;
    block *more = malloc(sizeof *more + room);
    if (more == NULL) {
      return NULL;
    }
    *more = (block){.next = d->blocks, .size = room};
    d->blocks = more;
  }
  void *out = (char *)d->blocks->data + d->blocks->used;
  d->blocks->used += size;
  return out;
}

static const char *copy_text(pki_document *d, const char *text, size_t size)
{
  char *out = take_memory(d, size + 1);
  if (out != NULL) {
    memcpy(out, text, size);
    out[size] = '\0';
  }
  return out;
}

void pki_document_destroy(pki_document *document)
{
  for (block *b = document != NULL ? document->blocks : NULL; b != NULL;) {
    block *next = b->next;
    free(b);
    b = next;
  }
  free(document);
}

pki_node *pki_document_root(const pki_document *document)
{
  return document->root;
}

/* ---- nodes ---- */

const pki_node *pki_node_find(const pki_node *map, const char *key)
{
  for (const pki_node *n = map->kind == PKI_NODE_MAP ? map->first : NULL; n != NULL; n = n->next) {
    if (strcmp(n->key, key) == 0) {
      return n;
    }
  }
  return NULL;
}

void pki_node_path(const pki_node *node, char *out, size_t size)
{
  const pki_node *chain[PKI_YAML_DEPTH + 2];
  int depth = 0;
  for (; node != NULL && node->parent != NULL && depth < PKI_YAML_DEPTH + 2; node = node->parent) {
    chain[depth++] = node;
  }
  out[0] = '\0';
  size_t used = 0;
  for (const char *dot = ""; depth > 0 && used < size; dot = ".") {
    const pki_node *n = chain[--depth];
    int index = 0;
    for (const pki_node *other = n->parent->first; n->key == NULL && other != n; other = other->next) {
      index++;
    }
    used += (size_t)(n->key != NULL ? snprintf(out + used, size - used, "%s%s", dot, n->key)
                                    : snprintf(out + used, size - used, "%s%d", dot, index));
  }
}

bool pki_node_is_null(const pki_node *node)
{
  static const char *const words[] = {"", "~", "null", "Null", "NULL"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (node->kind == PKI_NODE_SCALAR && node->plain && strcmp(node->text, words[i]) == 0) {
      return true;
    }
  }
  return false;
}

const char *pki_node_what(const pki_node *node)
{
  static const char *const words[] = {"a value", "a list", "a mapping"};
  return pki_node_is_null(node) ? "nothing" : words[node->kind];
}

pk_status pki_node_fail(const pki_node *node, pk_error *err, pk_status status, const char *format, ...)
{
  char path[96];
  pki_node_path(node, path, sizeof path);
  va_list args;
  va_start(args, format);
  pki_fail_list(err, status, (pki_where){.file = node->file, .line = node->line, .field = path}, format,
                args);
  va_end(args);
  return status;
}

pk_status pki_node_place(pk_status status, const pki_node *node, const char *what, pk_error *err)
{
  if (status != PK_OK && err != NULL) {
    char message[sizeof err->message];
    memcpy(message, err->message, sizeof message);
    pki_node_fail(node, err, status, "%s%s%s", what, what[0] != '\0' ? ": " : "",
                  message[0] != '\0' ? message : pk_status_text(status));
  }
  return status;
}

/* ---- from events to nodes ---- */

typedef struct builder {
  pki_document *document;
  const char *file;
  bool lines;    /* of a file; an override has none */
  pki_node *top; /* the collection that is open, NULL: none */
  pki_node *root;
  const char *key; /* waiting for its value */
  int depth;
  pk_error *err;
} builder;

static pk_status fail_at(const builder *b, size_t line, const char *what)
{
  return pki_fail(b->err, PK_ERROR_SYNTAX, (pki_where){.file = b->file, .line = b->lines ? (int)line + 1 : 0},
                  "%s", what);
}

static pk_status fail_memory(const builder *b)
{
  return pki_fail(b->err, PK_ERROR_MEMORY, (pki_where){.file = b->file}, "out of memory");
}

static void append_child(pki_node *parent, pki_node *child)
{
  child->parent = parent;
  *(parent->last != NULL ? &parent->last->next : &parent->first) = child;
  parent->last = child;
  parent->count++;
}

/* A scalar where a mapping expects a key. */
static pk_status add_key(builder *b, const yaml_event_t *e)
{
  const size_t size = e->data.scalar.length;
  const char *text = (const char *)e->data.scalar.value;
  if (size == 0 || memchr(text, '\0', size) != NULL) {
    return fail_at(b, e->start_mark.line, "a key is a word");
  }
  if (b->top->count >= PKI_YAML_KEYS) {
    return fail_at(b, e->start_mark.line, "too many keys in one mapping");
  }
  const pki_node *twin = pki_node_find(b->top, text);
  if (twin != NULL) {
    char message[200];
    snprintf(message, sizeof message, "the key \"%.80s\" comes twice; first on line %d", text, twin->line);
    return fail_at(b, e->start_mark.line, message);
  }
  b->key = copy_text(b->document, text, size);
  return b->key != NULL ? PK_OK : fail_memory(b);
}

static pk_status add_node(builder *b, const yaml_event_t *e, pki_node_kind kind)
{
  if (++b->document->nodes > PKI_YAML_NODES) {
    return fail_at(b, e->start_mark.line, "more values than the limit of two million");
  }
  if (kind != PKI_NODE_SCALAR && ++b->depth > PKI_YAML_DEPTH) {
    return fail_at(b, e->start_mark.line, "nested too deeply");
  }
  pki_node *n = take_memory(b->document, sizeof *n);
  if (n == NULL) {
    return fail_memory(b);
  }
  *n = (pki_node){.kind = kind,
                  .line = b->lines ? (int)e->start_mark.line + 1 : 0,
                  .file = b->file,
                  .key = b->key,
                  .text = ""};
  b->key = NULL;
  if (kind == PKI_NODE_SCALAR) {
    const size_t size = e->data.scalar.length;
    n->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    n->text = copy_text(b->document, (const char *)e->data.scalar.value, size);
    if (n->text == NULL) {
      return fail_memory(b);
    }
    if (strlen(n->text) != size) {
      return fail_at(b, e->start_mark.line, "a text holds a zero byte");
    }
  }
  if (b->top != NULL) {
    append_child(b->top, n);
  } else {
    b->root = n;
  }
  b->top = kind != PKI_NODE_SCALAR ? n : b->top;
  return PK_OK;
}

/* Anchors and tags of an event; false: none. */
static bool is_decorated(const yaml_event_t *e)
{
  if (e->type == YAML_SCALAR_EVENT) {
    return e->data.scalar.anchor != NULL || e->data.scalar.tag != NULL;
  }
  if (e->type == YAML_SEQUENCE_START_EVENT) {
    return e->data.sequence_start.anchor != NULL || e->data.sequence_start.tag != NULL;
  }
  return e->type == YAML_MAPPING_START_EVENT &&
         (e->data.mapping_start.anchor != NULL || e->data.mapping_start.tag != NULL);
}

static pk_status handle_yaml_event(builder *b, const yaml_event_t *e)
{
  const bool wants_key = b->top != NULL && b->top->kind == PKI_NODE_MAP && b->key == NULL;
  if (e->type == YAML_ALIAS_EVENT || is_decorated(e)) {
    return fail_at(b, e->start_mark.line,
                   "anchors (&name), aliases (*name) and tags (!name) are not offered; write the value out, "
                   "in quotes when it begins with such a sign");
  }
  switch (e->type) {
  case YAML_DOCUMENT_START_EVENT:
    return b->root != NULL ? fail_at(b, e->start_mark.line, "a second document begins here; one is enough")
                           : PK_OK;
  case YAML_SCALAR_EVENT: return wants_key ? add_key(b, e) : add_node(b, e, PKI_NODE_SCALAR);
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT:
    if (wants_key) {
      return fail_at(b, e->start_mark.line, "a key is a word");
    }
    return add_node(b, e, e->type == YAML_MAPPING_START_EVENT ? PKI_NODE_MAP : PKI_NODE_LIST);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    b->top = b->top != NULL ? b->top->parent : NULL;
    b->depth--;
    return PK_OK;
  default: return PK_OK;
  }
}

static pk_status fail_yaml(const builder *b, const yaml_parser_t *p)
{
  if (p->error == YAML_MEMORY_ERROR) {
    return fail_memory(b);
  }
  char message[300];
  snprintf(message, sizeof message, "this is no YAML: %s%s%s", p->context != NULL ? p->context : "",
           p->context != NULL ? ", " : "", p->problem != NULL ? p->problem : "unknown trouble");
  return fail_at(b, p->problem_mark.line, message);
}

/* The tree of a text, its nodes in b->document. */
static pk_status parse_yaml(builder *b, const char *text, size_t size)
{
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) {
    return fail_memory(b);
  }
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
  pk_status status = PK_OK;
  for (bool more = true; more && status == PK_OK;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      status = fail_yaml(b, &parser);
      break;
    }
    more = event.type != YAML_STREAM_END_EVENT;
    status = handle_yaml_event(b, &event);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  if (status == PK_OK && b->root == NULL) {
    status = fail_at(b, 0, "there is nothing in it");
  }
  return status;
}

pk_status pki_document_parse(const char *file, const char *text, size_t size, pki_document **out,
                             pk_error *err)
{
  *out = NULL;
  if (size > PKI_YAML_BYTES) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.file = file}, "larger than the limit of %d MiB",
                    PKI_YAML_BYTES >> 20);
  }
  /* some editors begin with a mark of the encoding */
  const size_t mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  pki_document *d = calloc(1, sizeof *d);
  const char *name = d != NULL ? copy_text(d, file, strlen(file)) : NULL;
  builder b = {.document = d, .file = name, .lines = true, .err = err};
  pk_status status = name != NULL ? parse_yaml(&b, text + mark, size - mark) : fail_memory(&b);
  if (status != PK_OK || d == NULL) {
    pki_document_destroy(d);
    return status;
  }
  d->root = b.root;
  *out = d;
  return PK_OK;
}

/* ---- overrides ---- */

/* Digits, or "+" for the one after the last. */
static bool is_index(const char *word)
{
  return strcmp(word, "+") == 0 || (word[0] != '\0' && strspn(word, "0123456789") == strlen(word));
}

/* The child of `node` that a word of a path names; NULL with `end` false: a wrong word. */
static pki_node *child_of(const pki_node *node, const char *word, bool *can_add)
{
  *can_add = node->kind == PKI_NODE_MAP;
  if (node->kind == PKI_NODE_MAP) {
    return (pki_node *)(uintptr_t)pki_node_find(node, word);
  }
  const bool number = is_index(word);
  const long index = word[0] == '+' ? node->count : strtol(word, NULL, 10);
  *can_add = node->kind == PKI_NODE_LIST && number && index == node->count;
  pki_node *child = node->kind == PKI_NODE_LIST && number && index < node->count ? node->first : NULL;
  for (long i = 0; child != NULL && i < index; i++) {
    child = child->next;
  }
  return child;
}

/* What is at `place` becomes what is at `value`; its neighbours and its name stay. */
static void replace_node(pki_node *place, const pki_node *value)
{
  if (place == NULL || value == NULL) {
    return;
  }
  place->kind = value->kind;
  place->plain = value->plain;
  place->line = value->line;
  place->file = value->file;
  place->text = value->text;
  place->first = value->first;
  place->last = value->last;
  place->count = value->count;
  for (pki_node *child = place->first; child != NULL; child = child->next) {
    child->parent = place;
  }
}

static pk_status fail_reach(const builder *b, const pki_node *at, const char *word)
{
  char where[96];
  pki_node_path(at, where, sizeof where);
  return pki_fail(b->err, PK_ERROR_ARGUMENT, (pki_where){.file = b->file},
                  "there is no \"%s\" in \"%s\", which is %s%s", word, where, pki_node_what(at),
                  at->kind == PKI_NODE_LIST ? "; its entries are 0, 1, ..., and + is one more" : "");
}

/* A new last child of `at`, by the name `word` in a mapping; NULL without memory. */
static pki_node *add_child(const builder *b, pki_node *at, const char *word)
{
  pki_node *child = take_memory(b->document, sizeof *child);
  const char *key = copy_text(b->document, word, strlen(word));
  if (child == NULL || key == NULL) {
    return NULL;
  }
  *child =
      (pki_node){.plain = true, .file = b->file, .key = at->kind == PKI_NODE_MAP ? key : NULL, .text = ""};
  append_child(at, child);
  return child;
}

/* The node that a path names, made when it is missing. What is empty becomes what the next word asks for. */
static pk_status reach_node(builder *b, char *path, pki_node **out)
{
  pki_node *at = b->document->root;
  int depth = 0;
  for (char *word = path; word != NULL;) {
    char *dot = strchr(word, '.');
    if (dot != NULL) {
      *dot = '\0';
    }
    if (pki_node_is_null(at)) {
      at->kind = is_index(word) ? PKI_NODE_LIST : PKI_NODE_MAP;
      at->text = "";
    }
    bool can_add = false;
    pki_node *child = child_of(at, word, &can_add);
    if (child == NULL && (!can_add || word[0] == '\0' || ++depth > PKI_YAML_DEPTH)) {
      return fail_reach(b, at, word);
    }
    child = child != NULL ? child : add_child(b, at, word);
    if (child == NULL) {
      return fail_memory(b);
    }
    at = child;
    word = dot != NULL ? dot + 1 : NULL;
  }
  *out = at;
  return PK_OK;
}

pk_status pki_document_set(pki_document *document, const char *assignment, pk_error *err)
{
  char named[200];
  snprintf(named, sizeof named, "--set %s", assignment);
  const char *equals = strchr(assignment, '=');
  builder b = {.document = document, .file = named, .err = err};
  if (equals == NULL || equals == assignment) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.file = named},
                    "an override is a key and its value, as in step.dt=1e-3");
  }
  b.file = copy_text(document, named, strlen(named));
  char *path = take_memory(document, (size_t)(equals - assignment) + 1);
  if (b.file == NULL || path == NULL) {
    return fail_memory(&b);
  }
  memcpy(path, assignment, (size_t)(equals - assignment));
  path[equals - assignment] = '\0';
  const size_t size = strlen(equals + 1);
  pk_status status = PK_OK;
  pki_node *place = NULL;
  if (size > 0) {
    status = parse_yaml(&b, equals + 1, size);
  }
  status = status == PK_OK ? reach_node(&b, path, &place) : status;
  if (status == PK_OK) {
    const pki_node nothing = {.plain = true, .file = b.file, .text = ""};
    replace_node(place, b.root != NULL ? b.root : &nothing);
  }
  return status;
}

pk_status pki_document_wrap(pki_document *document, pki_node *node, const char *key, pk_error *err)
{
  pki_node *value = take_memory(document, sizeof *value);
  const char *name = copy_text(document, key, strlen(key));
  if (value == NULL || name == NULL) {
    return pki_fail_memory(err, node->file);
  }
  *value = *node;
  value->key = name;
  value->parent = value->next = NULL;
  node->kind = PKI_NODE_MAP;
  node->plain = false;
  node->text = "";
  node->first = node->last = NULL;
  node->count = 0;
  append_child(node, value);
  return PK_OK;
}
