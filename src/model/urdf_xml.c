/* The tree and its values: parsing by libxml2, reading attributes, reporting at a place. */
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/urdf.h"

#if LIBXML_VERSION >= 21200
typedef const xmlError xml_error;
#else
typedef xmlError xml_error;
#endif

/* ---- reporting ---- */

pki_urdf_quote pki_urdf_quoted(const char *text)
{
  pki_urdf_quote out;
  const size_t room = sizeof out.text - 4;
  size_t n = strlen(text);
  const bool clip = n > room;
  if (clip) {
    /* cut before a character, never inside one */
    for (n = room; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80; n--) {}
  }
  for (size_t i = 0; i < n; i++) {
    out.text[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? ' ' : text[i];
  }
  memcpy(out.text + n, clip ? "..." : "", clip ? 4 : 1);
  return out;
}

/* Where an element stands: link[base]/inertial/mass@value. */
static void write_place(const xmlNode *node, const char *attribute, char *out, size_t size)
{
  const xmlNode *chain[PKI_URDF_MAX_DEPTH + 1];
  int depth = 0;
  for (; node != NULL && node->type == XML_ELEMENT_NODE && depth <= PKI_URDF_MAX_DEPTH; node = node->parent) {
    chain[depth++] = node;
  }
  if (depth > 1) {
    depth--; /* every place is inside <robot> */
  }
  size_t used = 0;
  out[0] = '\0';
  for (int i = depth - 1; i >= 0 && used < size; i--) {
    const char *name = pki_urdf_value(chain[i], "name");
    const bool named = name != NULL && (pki_urdf_is(chain[i], "link") || pki_urdf_is(chain[i], "joint"));
    used += (size_t)snprintf(out + used, size - used, "%s%s%s%s", pki_urdf_name(chain[i]).text,
                             named ? "[" : "", named ? pki_urdf_quoted(name).text : "", named ? "]" : "");
    if (i > 0 && used < size) {
      used += (size_t)snprintf(out + used, size - used, "/");
    }
  }
  if (attribute != NULL && used < size) {
    snprintf(out + used, size - used, "@%s", pki_urdf_quoted(attribute).text);
  }
}

/* A remark with its words at a place; `kind` NULL: an error. Beyond what the builder keeps, remarks only count: a file may
 * have millions. */
typedef struct remark {
  pk_status status;
  const char *kind;
  int line;
  const xmlNode *node; /* NULL: no place but the line */
  const char *attribute;
  const char *field; /* instead of a node; NULL: none */
} remark;

static void report_urdf(pki_urdf *u, remark r, const char *format, va_list args)
{
  const bool is_error = r.kind == NULL || u->options->strict;
  if (!is_error && u->b->nwarning >= PKI_DIAGNOSTIC_MAX) {
    u->b->nwarning++;
    return;
  }
  u->nerror += is_error;
  if (is_error && u->nerror > PKI_DIAGNOSTIC_MAX) {
    return;
  }
  char message[sizeof u->first.message], place[sizeof u->first.field] = "";
  vsnprintf(message, sizeof message, format, args);
  if (r.node != NULL) {
    write_place(r.node, r.attribute, place, sizeof place);
  }
  const pki_where where = {.file = u->file, .line = r.line, .field = r.field != NULL ? r.field : place};
  if (r.kind != NULL) {
    pki_builder_warn(u->b, PKI_ROBOT_LOADING, r.kind, r.status, where, "%s", message);
  } else {
    pki_builder_error(u->b, r.status, where, "%s", message);
  }
  if (is_error && u->nerror == 1) {
    pki_fail(&u->first, r.status, where, "%s", message);
  }
}

void pki_urdf_error(pki_urdf *u, const xmlNode *node, const char *attribute, pk_status status,
                    const char *format, ...)
{
  va_list args;
  va_start(args, format);
  report_urdf(u,
              (remark){.status = status, .line = pki_urdf_line(node), .node = node, .attribute = attribute},
              format, args);
  va_end(args);
}

void pki_urdf_error_at(pki_urdf *u, int line, const char *field, pk_status status, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  report_urdf(u, (remark){.status = status, .line = line, .field = field}, format, args);
  va_end(args);
}

void pki_urdf_warn(pki_urdf *u, const xmlNode *node, const char *attribute, pk_status status,
                   const char *kind, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  report_urdf(
      u,
      (remark){
          .status = status, .kind = kind, .line = pki_urdf_line(node), .node = node, .attribute = attribute},
      format, args);
  va_end(args);
}

void pki_urdf_warn_at(pki_urdf *u, int line, pk_status status, const char *kind, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  report_urdf(u, (remark){.status = status, .kind = kind, .line = line}, format, args);
  va_end(args);
}

bool pki_urdf_first_time(pki_urdf *u, const char *kind, const char *name)
{
  if (xmlHashSize(u->remarks) > PKI_DIAGNOSTIC_MAX) {
    return false; /* that many are enough */
  }
  return xmlHashAddEntry2(u->remarks, (const xmlChar *)kind, (const xmlChar *)name, u) == 0;
}

/* ---- parsing ---- */

/* What the SAX functions need to know; lies behind the parser context's _private. */
typedef struct parse_state {
  bool failed, no_memory;
  int line;
  char message[256];
} parse_state;

/* Keep the first error that makes the document unreadable. */
static void on_error(void *context, xml_error *error)
{
  parse_state *state = ((xmlParserCtxt *)context)->_private;
  if (state == NULL || state->failed || error->level != XML_ERR_FATAL) {
    return;
  }
  state->failed = true;
  state->no_memory = error->code == XML_ERR_NO_MEMORY;
  state->line = error->line;
  snprintf(state->message, sizeof state->message, "%s", error->message ? error->message : "");
  state->message[strcspn(state->message, "\n")] = '\0';
}

/* libxml2's nodes have 16 bits for the line; keep it where it fits. */
static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int nnamespace, const xmlChar **namespaces, int nattribute, int ndefault,
                     const xmlChar **attributes)
{
  xmlParserCtxt *parser = context;
  const int line = parser->input != NULL ? parser->input->line : 0;
  xmlSAX2StartElementNs(context, name, prefix, uri, nnamespace, namespaces, nattribute, ndefault, attributes);
  if (parser->node != NULL && parser->node->_private == NULL) {
    parser->node->_private = (void *)(intptr_t)line;
  }
}

/* Only elements and attributes are kept: URDF says nothing in text. */
static void set_handlers(xmlParserCtxt *parser)
{
  xmlSAXHandler *sax = parser->sax;
  sax->startElementNs = on_start;
  sax->serror = on_error;
  sax->characters = NULL;
  sax->ignorableWhitespace = NULL;
  sax->cdataBlock = NULL;
  sax->comment = NULL;
  sax->processingInstruction = NULL;
}

xmlDoc *pki_urdf_parse(pki_urdf *u, const char *text, size_t size)
{
  parse_state state = {0};
  xmlParserCtxt *parser = xmlNewParserCtxt();
  if (parser == NULL) {
    pki_urdf_error_at(u, 0, "", PK_ERROR_MEMORY, "out of memory");
    return NULL;
  }
  set_handlers(parser);
  parser->_private = &state;
  /* The bytes are UTF-8, whatever the declaration says; no network, no entities. */
  const int options = XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_BIG_LINES;
  xmlDoc *doc = xmlCtxtReadMemory(parser, text, (int)size, NULL, "UTF-8", options);
  if (doc == NULL || state.failed) {
    if (state.failed && !state.no_memory) {
      pki_urdf_error_at(u, state.line, "", PK_ERROR_SYNTAX, "not well-formed XML: %s", state.message);
    } else {
      pki_urdf_error_at(u, 0, "", PK_ERROR_MEMORY, "out of memory");
    }
    xmlFreeDoc(doc);
    doc = NULL;
  }
  parser->_private = NULL;
  xmlFreeParserCtxt(parser);
  return doc;
}

/* ---- the tree ---- */

int pki_urdf_line(const xmlNode *node)
{
  return node != NULL ? (int)(intptr_t)node->_private : 0;
}

bool pki_urdf_has_prefix(const xmlNode *node)
{
  return (node->ns != NULL && node->ns->prefix != NULL) || strchr((const char *)node->name, ':') != NULL;
}

pki_urdf_quote pki_urdf_name(const xmlNode *node)
{
  char full[256];
  const bool prefix = node->ns != NULL && node->ns->prefix != NULL;
  snprintf(full, sizeof full, "%s%s%s", prefix ? (const char *)node->ns->prefix : "", prefix ? ":" : "",
           (const char *)node->name);
  return pki_urdf_quoted(full);
}

bool pki_urdf_is(const xmlNode *node, const char *tag)
{
  return node->type == XML_ELEMENT_NODE && !pki_urdf_has_prefix(node) &&
         strcmp((const char *)node->name, tag) == 0;
}

const xmlNode *pki_urdf_next(const xmlNode *node, const char *tag)
{
  for (; node != NULL; node = node->next) {
    if (node->type == XML_ELEMENT_NODE && (tag == NULL || pki_urdf_is(node, tag))) {
      return node;
    }
  }
  return NULL;
}

const xmlNode *pki_urdf_child(const xmlNode *node, const char *tag)
{
  return pki_urdf_next(node->children, tag);
}

const char *pki_urdf_value(const xmlNode *node, const char *attribute)
{
  for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
    if (a->ns == NULL && strcmp((const char *)a->name, attribute) == 0) {
      const bool text =
          a->children != NULL && a->children->type == XML_TEXT_NODE && a->children->content != NULL;
      return text ? (const char *)a->children->content : "";
    }
  }
  return NULL;
}
