/* Numbers in attributes. Separators and extra numbers that do no harm are read with a warning; a unit, a decimal comma, a
 * word or too few numbers could mean anything and are errors. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "model/urdf.h"

static const char blanks[] = " \t\r\n\f\v", separators[] = " \t\r\n\f\v,;";

/* One word that should be a number. */
static bool read_number(pki_urdf *u, const xmlNode *node, const char *attribute, const char *word,
                        size_t length, double *out)
{
  const char *cursor = word, *end = word + length;
  const bool is_number = pki_parse_real(&cursor, end, out) && cursor == end;
  if (is_number && !isnan(*out)) {
    return true;
  }
  char copy[64];
  snprintf(copy, sizeof copy, "%.*s", length < sizeof copy ? (int)length : (int)sizeof copy - 1, word);
  pki_urdf_error(u, node, attribute, PK_ERROR_SYNTAX, "%s of <%s>: \"%s\" is not a %s%s", attribute,
                 pki_urdf_name(node).text, pki_urdf_quoted(copy).text, is_number ? "finite number" : "number",
                 !is_number && cursor > word ? ": units are metres, radians, kilograms, and are not written"
                                             : "");
  return false;
}

/* The numbers of a text, the first `count` of them into `value`; how many there are, -1 after an error. */
static int split_numbers(pki_urdf *u, const xmlNode *node, const char *attribute, const char *text, int count,
                         double *value)
{
  int found = 0;
  for (text += strspn(text, separators); *text != '\0'; text += strspn(text, separators)) {
    const size_t length = strcspn(text, separators);
    if (found < count && !read_number(u, node, attribute, text, length, &value[found])) {
      return -1;
    }
    text += length;
    found += found < INT_MAX;
  }
  return found;
}

/* Commas: between numbers they are blanks; more numbers than are wanted then may be decimal commas. */
static bool allow_commas(pki_urdf *u, const xmlNode *node, const char *attribute, const char *text, int count,
                         int found)
{
  if (text[strcspn(text, ",;")] == '\0') {
    return true;
  }
  if (found > count) {
    pki_urdf_error(
        u, node, attribute, PK_ERROR_SYNTAX,
        "%s of <%s>: \"%s\" has commas and more than %d number%s: numbers are separated by blanks, with "
        "a point before decimals",
        attribute, pki_urdf_name(node).text, pki_urdf_quoted(text).text, count, count == 1 ? "" : "s");
    return false;
  }
  pki_urdf_warn(u, node, attribute, PK_ERROR_SYNTAX, "commas",
                "%s of <%s>: the commas in \"%s\" are read as blanks", attribute, pki_urdf_name(node).text,
                pki_urdf_quoted(text).text);
  return true;
}

/* Too few numbers that have a meaning all the same: a colour without opacity, one scale for all axes. */
static bool complete_numbers(pki_urdf *u, const xmlNode *node, const char *attribute, int found,
                             double *value)
{
  if (strcmp(attribute, "rgba") == 0 && found == 3) {
    value[3] = 1;
    pki_urdf_warn(u, node, attribute, PK_ERROR_SYNTAX, "numbers-missing",
                  "rgba of <color> has 3 numbers, expected 4: it is opaque");
    return true;
  }
  if (strcmp(attribute, "scale") == 0 && found == 1) {
    value[1] = value[2] = value[0];
    pki_urdf_warn(u, node, attribute, PK_ERROR_SYNTAX, "numbers-missing",
                  "scale of <mesh> has 1 number, expected 3: it counts for all axes");
    return true;
  }
  return false;
}

static bool read_numbers(pki_urdf *u, const xmlNode *node, const char *attribute, int count, double *out)
{
  const char *text = pki_urdf_value(node, attribute);
  double value[8];
  if (text == NULL) {
    return false;
  }
  if (text[strspn(text, blanks)] == '\0') {
    pki_urdf_warn(u, node, attribute, PK_ERROR_SYNTAX, "empty-attribute",
                  "%s of <%s> is empty: it is read as if it were not there", attribute,
                  pki_urdf_name(node).text);
    return false;
  }
  const int found = split_numbers(u, node, attribute, text, count, value);
  if (found < 0 || !allow_commas(u, node, attribute, text, count, found)) {
    return false;
  }
  if (found > count) {
    pki_urdf_warn(u, node, attribute, PK_ERROR_SYNTAX, "numbers-extra",
                  "%s of <%s> has %d numbers, expected %d: the first count", attribute,
                  pki_urdf_name(node).text, found, count);
  } else if (found < count && !complete_numbers(u, node, attribute, found, value)) {
    pki_urdf_error(u, node, attribute, PK_ERROR_SYNTAX, "%s of <%s> needs %d number%s, found %d: \"%s\"",
                   attribute, pki_urdf_name(node).text, count, count == 1 ? "" : "s", found,
                   pki_urdf_quoted(text).text);
    return false;
  }
  memcpy(out, value, (size_t)count * sizeof *out);
  return true;
}

bool pki_urdf_numbers(pki_urdf *u, const xmlNode *node, const char *attribute, int count, double *out)
{
  double value[8];
  if (!read_numbers(u, node, attribute, count, value)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (!isfinite(value[i])) {
      pki_urdf_error(u, node, attribute, PK_ERROR_SYNTAX, "%s of <%s>: \"%s\" is not a finite number",
                     attribute, pki_urdf_name(node).text,
                     pki_urdf_quoted(pki_urdf_value(node, attribute)).text);
      return false;
    }
  }
  memcpy(out, value, (size_t)count * sizeof *out);
  return true;
}

bool pki_urdf_bound(pki_urdf *u, const xmlNode *node, const char *attribute, double *out)
{
  if (!read_numbers(u, node, attribute, 1, out)) {
    return false;
  }
  if (isinf(*out)) {
    pki_urdf_warn(u, node, attribute, PK_ERROR_SYNTAX, "limit-infinite",
                  "%s of <%s> is infinite: that is read as no limit", attribute, pki_urdf_name(node).text);
  }
  return true;
}
