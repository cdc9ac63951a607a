/* The text of a URDF before it is scanned and parsed: what tolerant XML readers overlook is mended in a copy, each with a
 * warning. Lines stay where they are, so that messages still point into the user's file. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/urdf.h"

/* A text with more NUL bytes than one in this many is no text. */
enum { NUL_SHARE = 20 };

typedef struct text {
  pki_urdf *u;
  char *data;
  size_t size;
} text;

static int line_of(const text *t, size_t at)
{
  int line = 1;
  for (size_t i = 0; i < at; i++) {
    line += t->data[i] == '\n';
  }
  return line;
}

static bool has_at(const text *t, size_t at, const char *mark)
{
  const size_t n = strlen(mark);
  return at <= t->size && t->size - at >= n && memcmp(t->data + at, mark, n) == 0;
}

/* Where `mark` first ends at or after `at`; the end of the text when it does not come. */
static size_t find_end(const text *t, size_t at, const char *mark)
{
  const size_t n = strlen(mark);
  for (; at + n <= t->size; at++) {
    const char *first = memchr(t->data + at, mark[0], t->size - at - n + 1);
    if (first == NULL) {
      break;
    }
    at = (size_t)(first - t->data);
    if (has_at(t, at, mark)) {
      return at + n;
    }
  }
  return t->size;
}

/* Blanks in place of what is not read. */
static void blank_out(text *t, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++) {
    t->data[i] = t->data[i] == '\n' ? '\n' : ' ';
  }
}

/* ---- bytes ---- */

/* Copy without NUL bytes; what is not UTF-8 is taken as Latin-1. False when this is no text (reported). */
static bool copy_text(text *t, const char *from, size_t size)
{
  const unsigned char *p = (const unsigned char *)from, *end = p + size;
  int line = 1, nul_line = 0, odd_line = 0;
  size_t nul = 0, odd = 0;
  unsigned first = 0;
  while (p < end) {
    const int length = *p != '\0' ? pki_utf8_length(p, end) : 0;
    if (*p == '\0') {
      nul_line = nul++ == 0 ? line : nul_line;
      p++;
    } else if (length == 0) {
      if (odd++ == 0) {
        odd_line = line, first = *p;
      }
      t->data[t->size++] = (char)(0xc0 | *p >> 6);
      t->data[t->size++] = (char)(0x80 | (*p++ & 0x3f));
    } else {
      line += *p == '\n';
      memcpy(t->data + t->size, p, (size_t)length);
      t->size += (size_t)length, p += length;
    }
  }
  if (nul > size / NUL_SHARE && nul > 4) {
    pki_urdf_error_at(t->u, nul_line, "", PK_ERROR_SYNTAX,
                      "there are %zu NUL bytes: this is not a text file, or not UTF-8", nul);
    return false;
  }
  if (nul > 0) {
    pki_urdf_warn_at(t->u, nul_line, PK_ERROR_SYNTAX, "nul-bytes", "%zu NUL byte%s left out: text has none",
                     nul, nul == 1 ? " is" : "s are");
  }
  if (odd > 0) {
    pki_urdf_warn_at(t->u, odd_line, PK_ERROR_SYNTAX, "not-utf8",
                     "byte 0x%02x is not UTF-8: it is read as Latin-1, as %zu of the file's bytes are", first,
                     odd);
  }
  return true;
}

/* ---- before <robot> ---- */

/* The value of `name` in the declaration from `at` to `end`; empty when it has none. */
static pki_urdf_quote declared(const text *t, size_t at, size_t end, const char *name)
{
  pki_urdf_quote out = {""};
  const size_t n = strlen(name);
  for (; at + n + 2 < end; at++) {
    if (memcmp(t->data + at, name, n) != 0) {
      continue;
    }
    at += n;
    while (at < end && strchr(" \t\r\n=", t->data[at]) != NULL) {
      at++;
    }
    const char quote = at < end ? t->data[at] : 0;
    for (size_t k = 0; ++at < end && t->data[at] != quote && k + 1 < sizeof out.text;) {
      out.text[k++] = t->data[at];
      out.text[k] = '\0';
    }
    return pki_urdf_quoted(out.text);
  }
  return out;
}

/* <?xml ...?> says nothing that is not known: the text is UTF-8 here. Returns where it ends. */
static size_t mend_declaration(text *t, size_t at, bool at_start)
{
  static const char *const known[] = {"", "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1"};
  const size_t end = find_end(t, at, "?>");
  const pki_urdf_quote version = declared(t, at, end, "version"), encoding = declared(t, at, end, "encoding");
  const int line = line_of(t, at);
  if (!at_start) {
    pki_urdf_warn_at(t->u, line, PK_ERROR_SYNTAX, "xml-declaration",
                     "<?xml ...?> is not at the start of the file: it is not read");
  }
  if (strncmp(version.text, "1.", 2) != 0) {
    pki_urdf_warn_at(t->u, line, PK_ERROR_SYNTAX, "xml-declaration",
                     "<?xml ...?> says version \"%s\": the file is read as XML 1.0", version.text);
  }
  bool is_known = false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    is_known = is_known || strcasecmp(encoding.text, known[i]) == 0;
  }
  if (!is_known) {
    pki_urdf_warn_at(t->u, line, PK_ERROR_SYNTAX, "encoding",
                     "<?xml ...?> says encoding \"%s\": the file is read as UTF-8", encoding.text);
  }
  blank_out(t, at, end);
  return end;
}

/* <!DOCTYPE name> says nothing; with more in it, it is left to the scanner, which refuses it. */
static size_t mend_doctype(text *t, size_t at)
{
  const size_t end = find_end(t, at, ">");
  size_t words = 0;
  for (size_t i = at; i < end; i++) {
    if (strchr("[\"'", t->data[i]) != NULL) {
      return t->size;
    }
    words += strchr(" \t\r\n", t->data[i]) == NULL && strchr(" \t\r\n", t->data[i - (i > at)]) != NULL;
  }
  if (words > 2) {
    return t->size;
  }
  pki_urdf_warn_at(t->u, line_of(t, at), PK_ERROR_UNSUPPORTED, "document-type",
                   "<!DOCTYPE ...> is not read: URDF has no document type");
  blank_out(t, at, end);
  return end;
}

static void mend_prolog(text *t)
{
  const size_t start = has_at(t, 0, "\xef\xbb\xbf") ? 3 : 0;
  size_t at = start;
  int budget = 4; /* declarations that are mended: finding their lines is not linear */
  while (at < t->size && budget > 0) {
    if (strchr(" \t\r\n", t->data[at]) != NULL) {
      at++;
    } else if (has_at(t, at, "<?xml") && at + 5 < t->size && strchr(" \t\r\n?", t->data[at + 5]) != NULL) {
      at = mend_declaration(t, at, at == start);
      budget--;
    } else if (has_at(t, at, "<?")) {
      at = find_end(t, at, "?>");
    } else if (has_at(t, at, "<!--")) {
      at = find_end(t, at + 4, "-->");
    } else if (has_at(t, at, "<!DOCTYPE")) {
      at = mend_doctype(t, at);
      budget--;
    } else {
      return;
    }
  }
}

/* ---- comments ---- */

/* XML wants no "--" inside a comment; people draw lines with it. */
static void mend_comments(text *t)
{
  int line = 0;
  for (size_t at = 0; at < t->size;) {
    const char *open = memchr(t->data + at, '<', t->size - at);
    if (open == NULL) {
      break;
    }
    at = (size_t)(open - t->data);
    if (has_at(t, at, "<![CDATA[")) {
      at = find_end(t, at, "]]>");
    } else if (!has_at(t, at, "<!--")) {
      at++;
    } else {
      const size_t end = find_end(t, at + 4, "-->");
      const size_t inside = find_end(t, at + 4, "--");
      if (inside + 1 < end && has_at(t, end - 3, "-->")) {
        line = line == 0 ? line_of(t, at) : line;
        blank_out(t, at, end);
      }
      at = end;
    }
  }
  if (line > 0) {
    pki_urdf_warn_at(t->u, line, PK_ERROR_SYNTAX, "comment-hyphens",
                     "a comment has -- inside, which XML forbids: it is skipped all the same");
  }
}

char *pki_urdf_mend(pki_urdf *u, const char *from, size_t size, size_t *mended)
{
  text t = {.u = u, .data = malloc(2 * size + 1)};
  if (t.data == NULL) {
    pki_urdf_error_at(u, 0, "", PK_ERROR_MEMORY, "out of memory");
    return NULL;
  }
  const bool utf16 = size >= 2 && (memcmp(from, "\xff\xfe", 2) == 0 || memcmp(from, "\xfe\xff", 2) == 0);
  if (utf16 || size > PKI_URDF_MAX_BYTES) {
    memcpy(t.data, from, size); /* the scanner has words for it */
    t.size = size;
  } else if (!copy_text(&t, from, size)) {
    free(t.data);
    return NULL;
  } else {
    mend_prolog(&t);
    mend_comments(&t);
  }
  t.data[t.size] = '\0';
  *mended = t.size;
  return t.data;
}
