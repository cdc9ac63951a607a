/* A look at the bytes before any parser sees them. One pass in linear time bounds what the
 * parser and the tree can cost (libxml2 compares the attributes of one element pairwise, looks
 * through all name spaces in scope and keeps names in a table of bounded width), and refuses
 * what a URDF never has: another encoding, a document type. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/urdf.h"

static const pki_xml_format urdf_format = {
    .name = "URDF",
    .root = "<robot name=\"...\">",
    .max_depth = PKI_URDF_MAX_DEPTH,
    .nested = ": links stand side by side in <robot>, joints connect them",
    .max_tag = 64 << 10,
};

typedef struct scanner {
  pki_urdf *u;
  const pki_xml_format *format;
  const char *at, *end;
  int line;
  int depth, nodes, names, namespaces;
  uint64_t *seen; /* [NAME_SLOTS] hashes of the different names so far, 0: free */
} scanner;

enum { NAME_SLOTS = 4 * PKI_URDF_MAX_NAMES };

static bool fail_scan(const scanner *s, pk_status status, const char *message)
{
  pki_urdf_error_at(s->u, s->line, "", status, "%s", message);
  return false;
}

int pki_utf8_length(const unsigned char *p, const unsigned char *end)
{
  const unsigned char c = p[0];
  if (c < 0x80) {
    return 1;
  }
  const int length = c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
  if (length == 0 || end - p < length) {
    return 0;
  }
  for (int i = 1; i < length; i++) {
    if ((p[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  /* overlong forms, surrogates, beyond U+10FFFF */
  const bool bad = (c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) || (c == 0xf0 && p[1] < 0x90) ||
                   (c == 0xf4 && p[1] > 0x8f);
  return bad ? 0 : length;
}

/* UTF-8 throughout, no NUL. */
static bool check_encoding(scanner s)
{
  const unsigned char *p = (const unsigned char *)s.at, *end = (const unsigned char *)s.end;
  if (end - p >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff))) {
    return fail_scan(&s, PK_ERROR_UNSUPPORTED,
                     "this is UTF-16 text, expected UTF-8: convert it with `iconv -f UTF-16 -t UTF-8`");
  }
  while (p < end) {
    if (*p == '\0') {
      return fail_scan(&s, PK_ERROR_SYNTAX, "there is a NUL byte: this is not a text file, or not UTF-8");
    }
    const int length = pki_utf8_length(p, end);
    if (length == 0) {
      pki_urdf_error_at(
          s.u, s.line, "", PK_ERROR_SYNTAX,
          "byte 0x%02x is not UTF-8: convert the file, from Latin-1 with `iconv -f ISO-8859-1 -t UTF-8`",
          (unsigned)*p);
      return false;
    }
    s.line += *p == '\n';
    p += length;
  }
  return true;
}

/* Move past `mark`, or to the end when it does not come. */
static void skip_past(scanner *s, const char *mark)
{
  const size_t n = strlen(mark);
  for (; s->at < s->end; s->at++) {
    if ((size_t)(s->end - s->at) >= n && memcmp(s->at, mark, n) == 0) {
      s->at += n;
      return;
    }
    s->line += *s->at == '\n';
  }
}

static bool starts_with(const scanner *s, const char *mark)
{
  const size_t n = strlen(mark);
  return (size_t)(s->end - s->at) >= n && memcmp(s->at, mark, n) == 0;
}

static bool count_nodes(scanner *s, int more)
{
  s->nodes += more;
  if (s->nodes > PKI_URDF_MAX_NODES) {
    return fail_scan(s, PK_ERROR_LIMIT, "there are more than 2000000 elements and attributes");
  }
  return true;
}

/* Count the name of an element or attribute among the different ones. */
static bool count_name(scanner *s, const char *name, size_t length)
{
  uint64_t hash = pki_hash_bytes(PKI_HASH_START, name, length);
  hash = hash != 0 ? hash : 1;
  size_t slot = (hash ^ (hash >> 32)) % NAME_SLOTS;
  while (s->seen[slot] != 0 && s->seen[slot] != hash) {
    slot = (slot + 1) % NAME_SLOTS;
  }
  s->names += s->seen[slot] == 0;
  /* xml:id goes into a table of its own, of bounded width too */
  s->namespaces +=
      (length >= 5 && memcmp(name, "xmlns", 5) == 0) || (length == 6 && memcmp(name, "xml:id", 6) == 0);
  s->seen[slot] = hash;
  if (s->names > PKI_URDF_MAX_NAMES || s->namespaces > PKI_URDF_MAX_NAMESPACES) {
    return fail_scan(s, PK_ERROR_LIMIT,
                     "there are too many different names of elements, attributes or name spaces");
  }
  return true;
}

/* Names and attributes of the tag that begins at s->at, up to its > or the end. */
static bool scan_words(scanner *s, int *attributes)
{
  const char *start = s->at, *word = NULL;
  char quote = 0;
  for (s->at++; s->at < s->end; s->at++) {
    const char c = *s->at;
    s->line += c == '\n';
    if (s->at - start > s->format->max_tag) {
      pki_urdf_error_at(s->u, s->line, "", PK_ERROR_LIMIT,
                        "a tag is longer than %d KiB: is a quote or a > missing?", s->format->max_tag >> 10);
      return false;
    }
    if (quote != 0) {
      quote = c == quote ? 0 : quote;
      continue;
    }
    if (strchr(" \t\r\n=/>\"'", c) == NULL) {
      word = word != NULL ? word : s->at;
      continue;
    }
    if (word != NULL && !count_name(s, word, (size_t)(s->at - word))) {
      return false;
    }
    word = NULL;
    quote = c == '"' || c == '\'' ? c : 0;
    *attributes += c == '=';
    if (c == '>') {
      break;
    }
  }
  return true;
}

/* A start tag: its size, its attributes, the depth it opens. */
static bool scan_start_tag(scanner *s)
{
  const char *start = s->at;
  int attributes = 0;
  if (!scan_words(s, &attributes)) {
    return false;
  }
  if (attributes > PKI_URDF_MAX_ATTRIBUTES) {
    return fail_scan(s, PK_ERROR_LIMIT, "an element has more than 256 attributes");
  }
  s->depth += s->at > start && s->at[-1] != '/';
  if (s->depth > s->format->max_depth) {
    pki_urdf_error_at(s->u, s->line, "", PK_ERROR_LIMIT, "elements are nested more than %d deep%s",
                      s->format->max_depth, s->format->nested);
    return false;
  }
  return count_nodes(s, 1 + attributes);
}

/* <?name ... ?> */
static bool scan_instruction(scanner *s)
{
  const char *name = s->at + 2;
  skip_past(s, "?>");
  size_t length = 0;
  while (name + length < s->at && strchr(" \t\r\n?", name[length]) == NULL) {
    length++;
  }
  return count_name(s, name, length);
}

static bool scan_markup(scanner *s)
{
  if (starts_with(s, "<!--")) {
    s->at += 4;
    skip_past(s, "-->");
  } else if (starts_with(s, "<![CDATA[")) {
    skip_past(s, "]]>");
  } else if (starts_with(s, "<?")) {
    return scan_instruction(s);
  } else if (starts_with(s, "<!")) {
    pki_urdf_error_at(s->u, s->line, "", PK_ERROR_UNSUPPORTED,
                      "there is a document type (<!DOCTYPE ...>) or an entity: %s has none, delete it",
                      s->format->name);
    return false;
  } else if (starts_with(s, "</")) {
    s->depth--;
    skip_past(s, ">");
  } else {
    return scan_start_tag(s);
  }
  return true;
}

/* All markup from here to the end. */
static bool scan_all(scanner *s)
{
  while (s->at < s->end) {
    if (*s->at == '<') {
      if (!scan_markup(s)) {
        return false;
      }
    } else {
      s->line += *s->at++ == '\n';
    }
  }
  return true;
}

bool pki_urdf_scan(pki_urdf *u, const char *text, size_t size)
{
  scanner s = {.u = u,
               .format = u->format != NULL ? u->format : &urdf_format,
               .at = text,
               .end = text + size,
               .line = 1};
  if (size > PKI_URDF_MAX_BYTES) {
    pki_urdf_error_at(u, 0, "", PK_ERROR_LIMIT, PKI_URDF_TOO_LARGE);
    return false;
  }
  if (size == 0) {
    pki_urdf_error_at(u, 0, "", PK_ERROR_SYNTAX, "the file is empty, expected %s", s.format->root);
    return false;
  }
  if (!check_encoding(s)) {
    return false;
  }
  s.seen = calloc(NAME_SLOTS, sizeof *s.seen);
  if (s.seen == NULL) {
    return fail_scan(&s, PK_ERROR_MEMORY, "out of memory");
  }
  const bool ok = scan_all(&s);
  free(s.seen);
  return ok;
}
