/* The XML of COLLADA files: a look at the bytes that bounds what the parser can cost, the parser
 * (libxml2), and reading values from the tree. */
#include <libxml/parser.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "model/mesh_dae.h"

/* A text of more than ten million characters is refused by libxml2, tags and depth by us. */
enum { DEPTH_MAX = 200, TAG_MAX = 1 << 16, ATTRIBUTE_MAX = 64, TEXT_MAX = 10000000 };

/* ---- a look before parsing ---- */

typedef struct dae_scan {
  const pki_mesh_input *in;
  const char *p, *end;
  int depth;
} dae_scan;

static pk_status fail_scan(const dae_scan *s, const char *at, pk_status status, const char *message)
{
  return pki_fail(s->in->err, status, (pki_where){.file = s->in->file, .line = pki_mesh_line(s->in, at)},
                  "%s", message);
}

static bool starts_with(const dae_scan *s, const char *mark)
{
  const size_t n = strlen(mark);
  return (size_t)(s->end - s->p) >= n && memcmp(s->p, mark, n) == 0;
}

/* Past the next `mark`; to the end when it does not come, which the parser will report. */
static void skip_past(dae_scan *s, const char *mark)
{
  while (s->p < s->end && !starts_with(s, mark)) {
    s->p++;
  }
  s->p = s->p < s->end ? s->p + strlen(mark) : s->end;
}

/* The parser compares the attributes of a tag pairwise, so their number is limited. */
static pk_status scan_tag(dae_scan *s)
{
  const char *start = s->p;
  char quote = '\0';
  int attributes = 0;
  for (; s->p < s->end && (quote != '\0' || *s->p != '>'); s->p++) {
    if (quote != '\0') {
      quote = *s->p == quote ? '\0' : quote;
    } else if (*s->p == '"' || *s->p == '\'') {
      quote = *s->p;
    } else {
      attributes += *s->p == '=';
    }
    if (attributes > ATTRIBUTE_MAX || s->p - start > TAG_MAX) {
      return fail_scan(s, start, PK_ERROR_LIMIT,
                       "a tag has more than 64 attributes or 65536 characters; is a quote missing?");
    }
  }
  s->depth += s->p > start && s->p[-1] != '/';
  if (s->depth > DEPTH_MAX) {
    return fail_scan(s, start, PK_ERROR_LIMIT, "elements are nested more than 200 deep");
  }
  return PK_OK;
}

static pk_status scan_markup(dae_scan *s)
{
  if (starts_with(s, "<!--")) {
    s->p += 4;
    skip_past(s, "-->");
  } else if (starts_with(s, "<![CDATA[")) {
    skip_past(s, "]]>");
  } else if (starts_with(s, "<?")) {
    skip_past(s, "?>");
  } else if (starts_with(s, "</")) {
    s->depth--;
    skip_past(s, ">");
  } else if (starts_with(s, "<!")) {
    return fail_scan(
        s, s->p, PK_ERROR_UNSUPPORTED,
        "found a document type or entity declaration (<!...>); COLLADA files have none, remove it");
  } else {
    return scan_tag(s);
  }
  return PK_OK;
}

static pk_status scan_xml(const pki_mesh_input *in, const char *start)
{
  dae_scan s = {.in = in, .p = start, .end = in->data + in->size};
  if (memchr(start, '\0', (size_t)(s.end - start)) != NULL) {
    return fail_scan(&s, start, PK_ERROR_SYNTAX, "the file holds zero bytes; expected XML in UTF-8");
  }
  while (s.p < s.end) {
    const char *text = s.p;
    const char *tag = memchr(text, '<', (size_t)(s.end - text));
    s.p = tag ? tag : s.end;
    if (s.p - text > TEXT_MAX) {
      return fail_scan(
          &s, text, PK_ERROR_LIMIT,
          "an element holds more than 10000000 characters; split the mesh, reduce it or convert it to STL");
    }
    const pk_status status = tag ? scan_markup(&s) : PK_OK;
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

/* ---- parsing ---- */

pk_status pki_dae_parse(const pki_mesh_input *in, xmlDoc **out)
{
  const char *start = in->data;
  *out = NULL;
  if (in->size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) {
    start += 3; /* a byte order mark */
  }
  pk_status status = scan_xml(in, start);
  if (status != PK_OK) {
    return status;
  }
  xmlParserCtxt *parser = xmlNewParserCtxt();
  if (parser == NULL) {
    return pki_mesh_fail_memory(in);
  }
  /* One character for each byte, whatever encoding is declared: numbers are ASCII, names need only
   * equal themselves, and the parser sees exactly what the scan has seen. */
  const int options = XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_BIG_LINES | XML_PARSE_NOERROR |
                      XML_PARSE_NOWARNING | XML_PARSE_COMPACT;
  const int size = (int)(in->data + in->size - start);
  *out = xmlCtxtReadMemory(parser, start, size, NULL, "ISO-8859-1", options);
  if (*out == NULL) {
    const xmlError *error = xmlCtxtGetLastError(parser);
    const char *text = error && error->message ? error->message : "no reason given";
    status = error && error->code == XML_ERR_NO_MEMORY
                 ? pki_mesh_fail_memory(in)
                 : pki_fail(in->err, PK_ERROR_SYNTAX,
                            (pki_where){.file = in->file, .line = error ? error->line : 0},
                            "this is not well-formed XML: %.*s", (int)strcspn(text, "\n"), text);
  }
  xmlFreeParserCtxt(parser);
  return status;
}

/* ---- the tree ---- */

bool pki_dae_is(const xmlNode *node, const char *name)
{
  return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static const xmlNode *first_from(const xmlNode *node, const char *name)
{
  while (node != NULL && !pki_dae_is(node, name)) {
    node = node->next;
  }
  return node;
}

const xmlNode *pki_dae_child(const xmlNode *node, const char *name)
{
  return node ? first_from(node->children, name) : NULL;
}

const xmlNode *pki_dae_next(const xmlNode *node, const char *name)
{
  return first_from(node->next, name);
}

const char *pki_dae_attribute(const xmlNode *node, const char *name)
{
  for (const xmlAttr *attribute = node->properties; attribute != NULL; attribute = attribute->next) {
    if (strcmp((const char *)attribute->name, name) == 0) {
      const xmlNode *text = attribute->children;
      return text && text->content ? (const char *)text->content : "";
    }
  }
  return NULL;
}

pki_where pki_dae_where(const pki_mesh_input *in, const xmlNode *node)
{
  const long line = xmlGetLineNo((xmlNode *)node);
  return (pki_where){.file = in->file,
                     .line = line > 0 && line < INT_MAX ? (int)line : 0,
                     .field = (const char *)node->name};
}

pk_status pki_dae_count(const pki_mesh_input *in, const xmlNode *node, const char *name, int preset, int *out)
{
  const char *text = pki_dae_attribute(node, name);
  if (text == NULL && preset >= 0) {
    *out = preset;
    return PK_OK;
  }
  if (text == NULL) {
    return pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, node), "the attribute '%s' is missing", name);
  }
  const char *p = text, *end = text + strlen(text);
  long value = 0;
  pki_skip_blanks(&p, end);
  const bool number = pki_parse_int(&p, end, &value);
  pki_skip_blanks(&p, end);
  if (!number || p != end || value < 0 || value > INT_MAX) {
    return pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, node),
                    "the attribute %s=\"%s\" is no whole number from 0 to %d", name,
                    pki_mesh_quote(text, end).text, INT_MAX);
  }
  *out = (int)value;
  return PK_OK;
}

pk_status pki_dae_reference(const pki_mesh_input *in, const xmlNode *node, const char *name, const char **id)
{
  const char *text = pki_dae_attribute(node, name);
  if (text == NULL) {
    return pki_fail(in->err, PK_ERROR_SYNTAX, pki_dae_where(in, node), "the attribute '%s' is missing", name);
  }
  if (text[0] != '#') {
    return pki_fail(in->err, PK_ERROR_UNSUPPORTED, pki_dae_where(in, node),
                    "%s=\"%s\" does not name something in this file; expected \"#id\"", name,
                    pki_mesh_quote(text, text + strlen(text)).text);
  }
  *id = text + 1;
  return PK_OK;
}

/* ---- numbers in an element ---- */

pk_status pki_dae_text_open(const pki_mesh_input *in, const xmlNode *node, pki_dae_text *out)
{
  *out = (pki_dae_text){.in = in, .node = node, .content = xmlNodeGetContent(node)};
  if (out->content == NULL) {
    return pki_mesh_fail_memory(in);
  }
  out->p = (const char *)out->content;
  out->end = out->p + strlen(out->p);
  return PK_OK;
}

void pki_dae_text_close(pki_dae_text *text)
{
  xmlFree(text->content);
  text->content = NULL;
}

bool pki_dae_text_more(pki_dae_text *text)
{
  pki_skip_blanks(&text->p, text->end);
  return text->p < text->end;
}

/* The line of the element, and as many more as the text before `at` has. */
static pki_where text_where(const pki_dae_text *text, const char *at)
{
  pki_where where = pki_dae_where(text->in, text->node);
  for (const char *p = (const char *)text->content; p < at && where.line > 0; p++) {
    where.line += *p == '\n';
  }
  return where;
}

static pk_status fail_text(const pki_dae_text *text, const char *at, const char *expected)
{
  const pki_where where = text_where(text, at);
  if (at == text->end) {
    return pki_fail(text->in->err, PK_ERROR_SYNTAX, where, "the text ends where %s was expected", expected);
  }
  return pki_fail(text->in->err, PK_ERROR_SYNTAX, where, "found '%s' where %s was expected",
                  pki_mesh_quote(at, text->end).text, expected);
}

static bool at_blank(const pki_dae_text *text)
{
  return text->p == text->end || (unsigned char)*text->p <= ' ';
}

pk_status pki_dae_text_real(pki_dae_text *text, double *out)
{
  pki_skip_blanks(&text->p, text->end);
  const char *start = text->p;
  if (!pki_parse_real(&text->p, text->end, out) || !at_blank(text)) {
    return fail_text(text, start, "a number");
  }
  if (!isfinite(*out)) {
    return pki_fail(text->in->err, PK_ERROR_NONFINITE, text_where(text, start),
                    "found '%s'; expected a finite number", pki_mesh_quote(start, text->end).text);
  }
  return PK_OK;
}

pk_status pki_dae_text_int(pki_dae_text *text, long *out)
{
  pki_skip_blanks(&text->p, text->end);
  const char *start = text->p;
  if (!pki_parse_int(&text->p, text->end, out) || !at_blank(text)) {
    return fail_text(text, start, "a whole number");
  }
  return PK_OK;
}
