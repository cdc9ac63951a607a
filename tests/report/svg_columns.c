/* Columns over a logarithmic axis. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/svg_columns.h"
#include "support/bounds.h"

enum { MOST = 8 };

/* Columns of a picture, in order: those with a title. */
typedef struct drawn {
  int n;
  double height[MOST];
  bool faint[MOST];
  char title[MOST][96];
} drawn;

static double number(xmlNode *node, const char *name)
{
  char *text = (char *)xmlGetProp(node, BAD_CAST name);
  assert_non_null(text);
  const double value = strtod(text, NULL);
  xmlFree(text);
  return value;
}

static drawn draw(const pki_svg_columns *columns)
{
  pki_text text = {0};
  pki_svg_columns_render(columns, &text);
  assert_false(text.failed);
  xmlDoc *doc = xmlReadMemory(text.data, (int)text.size, "columns.svg", NULL, XML_PARSE_NONET);
  assert_non_null(doc); /* it is well formed */
  xmlXPathContext *context = xmlXPathNewContext(doc);
  xmlXPathRegisterNs(context, BAD_CAST "s", BAD_CAST "http://www.w3.org/2000/svg");
  xmlXPathObject *found = xmlXPathEvalExpression(BAD_CAST "//s:rect[s:title]", context);
  drawn d = {.n = found->nodesetval != NULL ? found->nodesetval->nodeNr : 0};
  assert_at_most(d.n, MOST);
  for (int i = 0; i < d.n; i++) {
    xmlNode *node = found->nodesetval->nodeTab[i];
    char *title = (char *)xmlNodeGetContent(node);
    d.height[i] = number(node, "height");
    d.faint[i] = number(node, "fill-opacity") < 0.5;
    strncpy(d.title[i], title, sizeof d.title[i] - 1);
    xmlFree(title);
  }
  xmlXPathFreeObject(found);
  xmlXPathFreeContext(context);
  xmlFreeDoc(doc);
  pki_text_free(&text);
  return d;
}

static const char *const groups[2] = {"1", "10"}, *const names[2] = {"a < b", "c"};

static pki_svg_columns columns_of(const double *values, const bool *faint)
{
  return (pki_svg_columns){.title = "Errors",
                           .x = {"step", "ms", groups, 2},
                           .label = "error",
                           .unit = "rad",
                           .names = names,
                           .series = 2,
                           .values = values,
                           .faint = faint,
                           .least = 1e-4,
                           .most = 1};
}

/* Of four decades: one, two, three; what is below the axis is a line at its foot, what is above ends at its top. */
static void decades_are_equally_high(void **state)
{
  (void)state;
  const double values[4] = {1e-3, 1e-2, 1e-1, 100};
  const pki_svg_columns c = columns_of(values, NULL);
  const drawn d = draw(&c);
  assert_int_equal(d.n, 4); /* group by group */
  assert_near(d.height[2], 2 * d.height[0], 0.02);
  assert_near(d.height[1], 3 * d.height[0], 0.02);
  assert_near(d.height[3], 4 * d.height[0], 0.02);
  assert_false(d.faint[0]);
}

static void what_is_no_number_has_no_column_and_what_is_unstable_is_faint(void **state)
{
  (void)state;
  const double values[4] = {NAN, 0.01, 0, 1e-9};
  const bool faint[4] = {false, true, false, false};
  const pki_svg_columns c = columns_of(values, faint);
  const drawn d = draw(&c);
  assert_int_equal(d.n, 2);
  assert_true(d.faint[0] && !d.faint[1]);
  assert_near(d.height[1], 1, 1e-9);
  assert_string_equal(d.title[0], "a < b, 10 ms: 0.01 rad");
}

/* Whole decades around the data; without any data it is a picture too. */
static void the_axis_finds_its_decades(void **state)
{
  (void)state;
  const double values[4] = {1e-3, 1e-2, 1e-1, 0.5}, none[4] = {NAN, NAN, NAN, NAN};
  pki_svg_columns c = columns_of(values, NULL);
  c.least = c.most = 0;
  const drawn d = draw(&c); /* from 1e-4 to 1 */
  assert_near(d.height[2], 2 * d.height[0], 0.02);
  c.values = none;
  assert_int_equal(draw(&c).n, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decades_are_equally_high),
      cmocka_unit_test(what_is_no_number_has_no_column_and_what_is_unstable_is_faint),
      cmocka_unit_test(the_axis_finds_its_decades),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
