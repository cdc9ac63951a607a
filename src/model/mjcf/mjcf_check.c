/* Structure and values against the table of elements: what is unknown, what is missing, what is there twice, what is
 * not of its type. After it, reading a value cannot fail. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "model/mjcf/mjcf.h"
#include "model/mjcf/mjcf_spec.h"
#include "model/urdf_spec.h"

enum { WORDS_MAX = 96, WORD_MAX = 32 };

/* ---- values ---- */

/* One word that should be a number of the right kind. */
static bool check_number(pki_mjcf *m, const pki_mjcf_node *node, const pki_mjcf_attribute *a, const char *at,
                         size_t length, bool integer)
{
  const char *cursor = at, *end = at + length;
  double real = 0;
  long whole = 0;
  const bool good = integer ? pki_parse_int(&cursor, end, &whole) && cursor == end
                            : pki_parse_real(&cursor, end, &real) && cursor == end;
  if (good && isfinite(real) && whole >= INT_MIN && whole <= INT_MAX) {
    return true;
  }
  char copy[WORD_MAX];
  const size_t kept = length < sizeof copy - 1 ? length : sizeof copy - 1;
  memcpy(copy, at, kept);
  copy[kept] = '\0';
  pki_mjcf_error(m, node, a->name, PK_ERROR_SYNTAX, "%s of <%s>: \"%s\" is not %s%s", a->name, node->tag,
                 pki_urdf_quoted(copy).text,
                 integer ? "an integer"
                 : good  ? "a finite number"
                         : "a number",
                 memchr(at, ',', length) != NULL ? ": numbers are separated by blanks" : "");
  return false;
}

static bool check_numbers(pki_mjcf *m, const pki_mjcf_node *node, const pki_mjcf_attribute *a,
                          const pki_mjcf_word *word)
{
  int found = 0;
  const char *cursor = a->value, *end = a->value + strlen(a->value);
  for (pki_skip_blanks(&cursor, end); cursor < end; pki_skip_blanks(&cursor, end)) {
    const size_t length = strcspn(cursor, " \t\r\n\f\v");
    if (!check_number(m, node, a, cursor, length, word->type == '#')) {
      return false;
    }
    cursor += length;
    found++;
  }
  const int most = word->most < 0 ? PKI_MJCF_MAX_NUMBERS : word->most;
  const bool empty_list = word->most < 0 && found == 0; /* user="" says nothing, and is allowed */
  if ((found >= word->least && found <= most) || empty_list) {
    return true;
  }
  char range[40];
  snprintf(range, sizeof range, word->least == most ? "%d" : "%d to %d", word->least, most);
  pki_mjcf_error(m, node, a->name, PK_ERROR_SYNTAX, "%s of <%s> needs %s number%s, found %d: \"%s\"", a->name,
                 node->tag, range, most == 1 ? "" : "s", found, pki_urdf_quoted(a->value).text);
  return false;
}

/* The value is one of "a|b|c". */
static bool check_choice(pki_mjcf *m, const pki_mjcf_node *node, const pki_mjcf_attribute *a,
                         const pki_mjcf_word *word)
{
  char list[WORDS_MAX * 4];
  size_t length = strcspn(word->words, " ");
  length = length < sizeof list ? length : sizeof list - 1;
  memcpy(list, word->words, length);
  list[length] = '\0';
  const char *choices[WORDS_MAX];
  int count = 0;
  for (char *p = list; p != NULL && count < WORDS_MAX - 1;) {
    choices[count++] = p;
    p = strchr(p, '|');
    if (p != NULL) {
      *p++ = '\0';
    }
  }
  for (int i = 0; i < count; i++) {
    if (strcmp(choices[i], a->value) == 0) {
      return true;
    }
  }
  choices[count] = NULL;
  const char *near = pki_urdf_misspelt(choices, a->value);
  pki_mjcf_error(m, node, a->name, PK_ERROR_SYNTAX, "%s of <%s> is \"%s\", expected one of %.*s%s%s%s",
                 a->name, node->tag, pki_urdf_quoted(a->value).text, (int)strcspn(word->words, " "),
                 word->words, near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                 near != NULL ? "\"?" : "");
  return false;
}

/* ---- attributes ---- */

static void report_unknown_attribute(pki_mjcf *m, const pki_mjcf_node *node, const pki_mjcf_attribute *a,
                                     bool in_default)
{
  char text[WORDS_MAX][WORD_MAX];
  const char *known[WORDS_MAX + 1];
  int count = 0;
  pki_mjcf_word word;
  for (pki_mjcf_cursor cursor = {0}; count < WORDS_MAX && pki_mjcf_next_word(node->row, &cursor, &word);) {
    if (word.length < WORD_MAX && !(in_default && word.not_default)) {
      memcpy(text[count], word.name, word.length);
      text[count][word.length] = '\0';
      known[count] = text[count];
      count++;
    }
  }
  known[count] = NULL;
  const char *near = pki_urdf_misspelt(known, a->name);
  pki_mjcf_error(m, node, a->name, PK_ERROR_SYNTAX, "<%s>%s has no attribute \"%s\"%s%s%s", node->tag,
                 in_default ? " in a default class" : "", pki_urdf_quoted(a->name).text,
                 near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                 near != NULL ? "\"?" : "");
}

/* Values that are wrong would only cause more errors: they are taken away. */
static void check_attributes(pki_mjcf *m, pki_mjcf_node *node, bool in_default)
{
  for (pki_mjcf_attribute **at = &node->attributes; *at != NULL;) {
    const pki_mjcf_attribute *a = *at;
    pki_mjcf_word word;
    bool good = true;
    if (!pki_mjcf_find_word(node->row, a->name, &word) || (in_default && word.not_default)) {
      report_unknown_attribute(m, node, a, in_default);
      good = false;
    } else if (word.type == ':' || word.type == '#') {
      good = check_numbers(m, node, a, &word);
    } else if (word.type == '=') {
      good = check_choice(m, node, a, &word);
    }
    if (good) {
      at = &(*at)->next;
    } else {
      *at = a->next;
    }
  }
}

static void check_needed(pki_mjcf *m, const pki_mjcf_node *node)
{
  pki_mjcf_word word;
  for (pki_mjcf_cursor cursor = {0}; pki_mjcf_next_word(node->row, &cursor, &word);) {
    char name[WORD_MAX];
    if (!word.needed || word.length >= sizeof name) {
      continue;
    }
    memcpy(name, word.name, word.length);
    name[word.length] = '\0';
    if (pki_mjcf_own(node, name) == NULL) {
      pki_mjcf_error(m, node, name, PK_ERROR_SYNTAX, "<%s> needs the attribute \"%s\"", node->tag, name);
    }
  }
}

/* ---- children ---- */

static void report_unknown_child(pki_mjcf *m, const pki_mjcf_node *node, const pki_mjcf_node *child)
{
  char text[WORDS_MAX][WORD_MAX];
  const char *known[WORDS_MAX + 1];
  int count = 0;
  pki_mjcf_child row;
  for (const char *cursor = NULL; count < WORDS_MAX && pki_mjcf_next_child(node->row, &cursor, &row);) {
    if (row.length < WORD_MAX) {
      memcpy(text[count], row.tag, row.length);
      text[count][row.length] = '\0';
      known[count] = text[count];
      count++;
    }
  }
  known[count] = NULL;
  const char *near = pki_urdf_misspelt(known, child->tag);
  pki_mjcf_error(m, child, NULL, PK_ERROR_SYNTAX, "<%s> cannot hold <%s>%s%s%s", node->tag,
                 pki_urdf_quoted(child->tag).text, near != NULL ? "; did you mean <" : "",
                 near != NULL ? near : "", near != NULL ? ">?" : "");
}

static bool is_repeated(const pki_mjcf_node *node, const pki_mjcf_node *child)
{
  for (const pki_mjcf_node *other = node->first; other != child; other = other->next) {
    if (strcmp(other->tag, child->tag) == 0) {
      return true;
    }
  }
  return false;
}

static void check_node(pki_mjcf *m, pki_mjcf_node *node, bool in_default)
{
  if (strcmp(node->row->attributes, "*") == 0) {
    return;
  }
  check_attributes(m, node, in_default);
  if (!in_default) {
    check_needed(m, node);
  }
  for (pki_mjcf_node **at = &node->first; *at != NULL;) {
    pki_mjcf_node *child = *at;
    pki_mjcf_child row;
    if (!pki_mjcf_find_child(node->row, child->tag, &row)) {
      report_unknown_child(m, node, child);
      *at = child->next;
      continue;
    }
    child->row = row.row;
    if (row.once && m->nerror < PKI_DIAGNOSTIC_MAX && is_repeated(node, child)) {
      pki_mjcf_error(m, child, NULL, PK_ERROR_SYNTAX, "<%s> is there twice in <%s>: it may be once",
                     child->tag, node->tag);
    }
    check_node(m, child, pki_mjcf_is(node, "default") && !pki_mjcf_is(child, "default"));
    at = &(*at)->next;
  }
  node->last = NULL;
  for (pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    node->last = child;
  }
}

void pki_mjcf_check(pki_mjcf *m, pki_mjcf_node *root)
{
  root->row = pki_mjcf_root_row();
  check_node(m, root, false);
}
