#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/svg.h"
#include "support/bounds.h"

/* A rendered figure as an XML tree, which only well-formed text becomes. */
static xmlDoc *parse(const pki_svg_figure *figure)
{
  pki_text text = {0};
  pki_svg_render(figure, &text);
  assert_false(text.failed);
  xmlDoc *doc = xmlReadMemory(text.data, (int)text.size, "figure.svg", NULL, XML_PARSE_NONET);
  assert_non_null(doc);
  pki_text_free(&text);
  return doc;
}

/* The text or attribute (as "@d") that an XPath finds first; NULL: none. For xmlFree(). */
static char *find(xmlDoc *doc, const char *path)
{
  xmlXPathContext *context = xmlXPathNewContext(doc);
  xmlXPathRegisterNs(context, BAD_CAST "s", BAD_CAST "http://www.w3.org/2000/svg");
  xmlXPathObject *found = xmlXPathEvalExpression(BAD_CAST path, context);
  assert_non_null(found);
  char *text = NULL;
  if (found->nodesetval != NULL && found->nodesetval->nodeNr > 0) {
    text = (char *)xmlNodeGetContent(found->nodesetval->nodeTab[0]);
  }
  xmlXPathFreeObject(found);
  xmlXPathFreeContext(context);
  return text;
}

static int count(xmlDoc *doc, const char *path)
{
  xmlXPathContext *context = xmlXPathNewContext(doc);
  xmlXPathRegisterNs(context, BAD_CAST "s", BAD_CAST "http://www.w3.org/2000/svg");
  xmlXPathObject *found = xmlXPathEvalExpression(BAD_CAST path, context);
  const int n = found->nodesetval != NULL ? found->nodesetval->nodeNr : 0;
  xmlXPathFreeObject(found);
  xmlXPathFreeContext(context);
  return n;
}

static int count_letter(const char *text, char letter)
{
  int n = 0;
  for (; *text != '\0'; text++) {
    n += *text == letter;
  }
  return n;
}

/* The path of the first line within the clipped plot area. */
static char *line_path(xmlDoc *doc)
{
  char *path = find(doc, "//s:g[@clip-path]/s:path[starts-with(@class, 'line')]/@d");
  assert_non_null(path);
  return path;
}

static void a_line_starts_and_ends_at_the_corners_of_its_frame(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2}, y[] = {0, 1, 4};
  const pki_svg_series s = {.x = x, .y = y, .n = 3};
  const pki_svg_panel p = {
      .x = {.least = 0, .most = 2}, .y = {.least = 0, .most = 4}, .series = &s, .nseries = 1};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  char *left = find(doc, "//s:rect[@class='frame']/@x"), *top = find(doc, "//s:rect[@class='frame']/@y");
  char *width = find(doc, "//s:rect[@class='frame']/@width"),
       *height = find(doc, "//s:rect[@class='frame']/@height");
  const double l = atof(left), t = atof(top), r = l + atof(width), b = t + atof(height);
  char *path = line_path(doc);
  double px[3], py[3];
  assert_int_equal(sscanf(path, "M%lf %lfL%lf %lfL%lf %lf", &px[0], &py[0], &px[1], &py[1], &px[2], &py[2]),
                   6);
  const double expected_x[3] = {l, (l + r) / 2, r}, expected_y[3] = {b, b - (b - t) / 4, t};
  for (int i = 0; i < 3; i++) {
    assert_less(fabs(px[i] - expected_x[i]), 0.02);
    assert_less(fabs(py[i] - expected_y[i]), 0.02);
  }
  xmlFree(left), xmlFree(top), xmlFree(width), xmlFree(height), xmlFree(path);
  xmlFreeDoc(doc);
}

static void ticks_stand_where_their_numbers_are(void **state)
{
  (void)state;
  const double x[] = {0, 10}, y[] = {0, 1};
  const pki_svg_series s = {.x = x, .y = y, .n = 2};
  const pki_svg_panel p = {.series = &s, .nseries = 1, .x = {.label = "time", .unit = "s"}};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  char *at0 = find(doc, "//s:text[@class='tick' and @text-anchor='middle' and text()='0']/@x");
  char *at4 = find(doc, "//s:text[@class='tick' and @text-anchor='middle' and text()='4']/@x");
  char *at10 = find(doc, "//s:text[@class='tick' and @text-anchor='middle' and text()='10']/@x");
  assert_non_null(at0);
  assert_non_null(at4);
  assert_non_null(at10);
  assert_less(fabs(atof(at4) - (0.6 * atof(at0) + 0.4 * atof(at10))), 0.02);
  char *label = find(doc, "//s:text[@class='label']");
  assert_string_equal(label, "time (s)");
  xmlFree(at0), xmlFree(at4), xmlFree(at10), xmlFree(label);
  xmlFreeDoc(doc);
}

static void a_logarithmic_axis_spaces_decades_evenly(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2, 3}, y[] = {1e-6, 1e-4, 1e-2, 1};
  const pki_svg_series s = {.x = x, .y = y, .n = 4};
  const pki_svg_panel p = {.y = {.log = true}, .series = &s, .nseries = 1};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  char *path = line_path(doc);
  double px[4], py[4];
  assert_int_equal(sscanf(path, "M%lf %lfL%lf %lfL%lf %lfL%lf %lf", &px[0], &py[0], &px[1], &py[1], &px[2],
                          &py[2], &px[3], &py[3]),
                   8);
  assert_greater(py[0], py[1]);
  for (int i = 2; i < 4; i++) {
    assert_less(fabs((py[i] - py[i - 1]) - (py[1] - py[0])), 0.03);
  }
  xmlFree(path);
  xmlFreeDoc(doc);
}

static void values_that_cannot_be_drawn_leave_gaps(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {1, 2, NAN, 3, 4, INFINITY, 5};
  pki_svg_series s = {.x = x, .y = y, .n = 7};
  pki_svg_panel p = {.series = &s, .nseries = 1};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  char *path = line_path(doc);
  assert_int_equal(count_letter(path, 'M'), 3);
  assert_int_equal(count_letter(path, 'L'), 2);
  assert_null(strstr(path, "nan"));
  xmlFree(path);
  xmlFreeDoc(doc);

  /* On a logarithmic axis zero and below cannot be drawn either. */
  const double z[] = {1, 10, 0, 10, -1, 10, 100};
  s.y = z;
  p.y.log = true;
  doc = parse(&f);
  path = line_path(doc);
  assert_int_equal(count_letter(path, 'M'), 3);
  xmlFree(path);
  xmlFreeDoc(doc);
}

static void texts_are_escaped_and_kept(void **state)
{
  (void)state;
  const double x[] = {0, 1}, y[] = {0, 1};
  const pki_svg_series s = {.name = "<script>&", .x = x, .y = y, .n = 2};
  const pki_svg_panel p = {.title = "a < b", .x = {.label = "\"x\""}, .series = &s, .nseries = 1};
  const pki_svg_figure f = {.id = "a", .title = "T & U", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  assert_int_equal(count(doc, "//s:script"), 0);
  char *legend = find(doc, "//s:text[@class='legend']"), *title = find(doc, "//s:text[@class='title']");
  char *figure = find(doc, "//s:text[@class='figure']"), *label = find(doc, "//s:text[@class='label']");
  assert_string_equal(legend, "<script>&");
  assert_string_equal(title, "a < b");
  assert_string_equal(figure, "T & U");
  assert_string_equal(label, "\"x\"");
  xmlFree(legend), xmlFree(title), xmlFree(figure), xmlFree(label);
  xmlFreeDoc(doc);
}

static void long_lines_keep_their_peaks_in_a_small_file(void **state)
{
  (void)state;
  enum { N = 100000 };
  double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
  assert_non_null(x);
  assert_non_null(y);
  for (int i = 0; i < N; i++) {
    x[i] = i;
    y[i] = i == 54321 ? 7 : 0.1 * sin(i);
  }
  const pki_svg_series s = {.x = x, .y = y, .n = N};
  const pki_svg_panel p = {.y = {.least = -1, .most = 7}, .series = &s, .nseries = 1};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  char *path = line_path(doc), *top = find(doc, "//s:rect[@class='frame']/@y");
  assert_less(strlen(path), 60000);
  double highest = 1e9;
  for (const char *c = path; *c != '\0'; c++) {
    double px, py;
    if ((*c == 'M' || *c == 'L') && sscanf(c + 1, "%lf %lf", &px, &py) == 2) {
      highest = fmin(highest, py);
    }
  }
  assert_less(fabs(highest - atof(top)), 0.02);
  xmlFree(path), xmlFree(top);
  xmlFreeDoc(doc);
  free(x);
  free(y);
}

static void what_lies_beside_the_frame_is_not_written(void **state)
{
  (void)state;
  enum { N = 1000 };
  double x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = i;
    y[i] = i % 7;
  }
  const pki_svg_series s = {.x = x, .y = y, .n = N};
  const pki_svg_panel p = {.x = {.least = 500.5, .most = 509.5}, .series = &s, .nseries = 1};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  char *path = line_path(doc);
  /* Nine points inside and the one before and after, to which the line leads. */
  assert_int_equal(count_letter(path, 'M') + count_letter(path, 'L'), 11);
  assert_int_equal(count_letter(path, 'M'), 1);
  xmlFree(path);
  xmlFreeDoc(doc);
}

static void figures_without_data_are_still_pictures(void **state)
{
  (void)state;
  const double x[] = {3}, y[] = {NAN};
  const pki_svg_series s = {.name = "empty", .x = x, .y = y, .n = 1};
  const pki_svg_panel panels[3] = {{.title = "none"}, {.series = &s, .nseries = 1, .y = {.log = true}}, {0}};
  const pki_svg_figure f = {.id = "a", .panels = panels, .npanels = 3, .columns = 2};
  xmlDoc *doc = parse(&f);
  assert_int_equal(count(doc, "//s:rect[@class='frame']"), 3);
  xmlFreeDoc(doc);
}

static void points_are_drawn_as_circles_in_the_chosen_colour(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2}, y[] = {0, 1, NAN};
  const pki_svg_series s = {.x = x, .y = y, .n = 3, .style = PKI_SVG_POINTS, .color = 2};
  const pki_svg_panel p = {.series = &s, .nseries = 1};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  assert_int_equal(count(doc, "//s:g[@fill='#D55E00']/s:circle"), 2);
  assert_int_equal(count(doc, "//s:g[@clip-path]/s:path"), 0);
  xmlFreeDoc(doc);
}

static void every_colour_has_a_class_for_pages_to_change_it(void **state)
{
  (void)state;
  const double x[] = {0, 1}, y[] = {0, 1};
  const pki_svg_series s[2] = {{.x = x, .y = y, .n = 2},
                               {.x = x, .y = y, .n = 2, .style = PKI_SVG_POINTS, .color = 7}};
  const pki_svg_panel p = {.series = s, .nseries = 2};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  assert_int_equal(count(doc, "//s:path[@class='line s1' and @stroke='#0072B2']"), 1);
  assert_int_equal(count(doc, "//s:g[@class='f7' and @fill='#000000']"), 1);
  assert_int_equal(count(doc, "//s:rect[@class='paper']"), 1);
  xmlFreeDoc(doc);
}

/* A gait: two rows; stances of one foot that no pixel parts become one bar. */
static void bars_stand_in_their_rows(void **state)
{
  (void)state;
  static const char *const rows[] = {"LF", "a foot with a long name & more"};
  const double from[] = {0, 5}, to[] = {2, 10}, from_1[] = {2, 4.0001}, to_1[] = {4, 6};
  const pki_svg_series s[2] = {{.x = from, .y = to, .n = 2, .style = PKI_SVG_BARS},
                               {.x = from_1, .y = to_1, .n = 2, .style = PKI_SVG_BARS, .row = 1}};
  const pki_svg_panel p = {.series = s, .nseries = 2, .rows = rows, .nrow = 2, .x = {.least = 0, .most = 10}};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  char *left = find(doc, "//s:rect[@class='frame']/@x"), *top = find(doc, "//s:rect[@class='frame']/@y");
  char *width = find(doc, "//s:rect[@class='frame']/@width"),
       *height = find(doc, "//s:rect[@class='frame']/@height");
  char *first = find(doc, "//s:path[@class='f1']/@d"), *second = find(doc, "//s:path[@class='f2']/@d");
  double x0, y0, w0, x1, y1, w1;
  assert_int_equal(count_letter(first, 'M'), 2);
  assert_int_equal(count_letter(second, 'M'), 1);
  assert_int_equal(sscanf(first, "M%lf %lfh%lf", &x0, &y0, &w0), 3);
  assert_int_equal(sscanf(second, "M%lf %lfh%lf", &x1, &y1, &w1), 3);
  const double l = atof(left), w = atof(width), half = atof(height) / 2;
  assert_less(fabs(x0 - l), 0.02);
  assert_less(fabs(w0 - 0.2 * w), 0.02);
  assert_less(fabs(x1 - (l + 0.2 * w)), 0.02);
  assert_less(fabs(w1 - 0.4 * w), 0.02);
  assert_greater(y0, atof(top));
  assert_less(y0, atof(top) + half);
  assert_greater(y1, atof(top) + half);
  assert_int_equal(count(doc, "//s:text[@class='tick' and text()='LF']"), 1);
  assert_greater(l, 11 * 0.5 * (double)strlen(rows[1])); /* room for the name */
  xmlFree(left), xmlFree(top), xmlFree(width), xmlFree(height), xmlFree(first), xmlFree(second);
  xmlFreeDoc(doc);
}

static void a_shared_axis_stands_below_the_last_panel_only(void **state)
{
  (void)state;
  const double x[] = {0, 10}, y[] = {0, 1};
  const pki_svg_series s = {.x = x, .y = y, .n = 2};
  const pki_svg_panel p = {.x = {.label = "time", .unit = "s"}, .series = &s, .nseries = 1, .time = true};
  const pki_svg_panel panels[3] = {p, p, p};
  const pki_svg_figure f = {.id = "a",
                            .panels = panels,
                            .npanels = 3,
                            .columns = 1,
                            .height = 100,
                            .compact = true,
                            .share_x = true};
  xmlDoc *doc = parse(&f);
  assert_int_equal(count(doc, "//s:text[@class='label' and text()='time (s)']"), 1);
  char *first = find(doc, "(//s:rect[@class='frame']/@height)[1]"),
       *last = find(doc, "(//s:rect[@class='frame']/@height)[3]");
  assert_string_equal(first, last);
  xmlFree(first), xmlFree(last);
  xmlFreeDoc(doc);
}

/* A page moves the cursor to left + width (t - from) / (to - from). */
static void a_panel_along_time_has_a_hidden_cursor(void **state)
{
  (void)state;
  const double x[] = {0.5, 10}, y[] = {0, 1};
  const pki_svg_series s = {.x = x, .y = y, .n = 2};
  pki_svg_panel p = {.series = &s, .nseries = 1, .time = true};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  xmlDoc *doc = parse(&f);
  char *left = find(doc, "//s:path[@class='cursor' and @visibility='hidden']/@data-left");
  char *from = find(doc, "//s:path[@class='cursor']/@data-from"),
       *to = find(doc, "//s:path[@class='cursor']/@data-to");
  char *frame = find(doc, "//s:rect[@class='frame']/@x");
  assert_string_equal(left, frame);
  assert_string_equal(from, "0.5");
  assert_string_equal(to, "10");
  xmlFree(left), xmlFree(from), xmlFree(to), xmlFree(frame);
  xmlFreeDoc(doc);
  p.time = false;
  doc = parse(&f);
  assert_int_equal(count(doc, "//s:path[@class='cursor']"), 0);
  xmlFreeDoc(doc);
}

static void long_legends_wrap(void **state)
{
  (void)state;
  enum { N = 12 };
  const double x[] = {0, 1}, y[] = {0, 1};
  pki_svg_series s[N];
  for (int i = 0; i < N; i++) {
    s[i] = (pki_svg_series){.name = "controller.forward=0.123", .x = x, .y = y, .n = 2};
  }
  const pki_svg_panel p = {.title = "t", .series = s, .nseries = N};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1, .width = 480};
  xmlDoc *doc = parse(&f);
  char *last = find(doc, "(//s:text[@class='legend'])[12]/@x"),
       *y_first = find(doc, "(//s:text[@class='legend'])[1]/@y"),
       *y_last = find(doc, "(//s:text[@class='legend'])[12]/@y"),
       *top = find(doc, "//s:rect[@class='frame']/@y");
  assert_less(atof(last), 480 - 100);
  assert_greater(atof(y_last), atof(y_first) + 30);
  assert_greater(atof(top), atof(y_last));
  xmlFree(last), xmlFree(y_first), xmlFree(y_last), xmlFree(top);
  xmlFreeDoc(doc);
}

static void a_saved_figure_is_a_file_of_its_own(void **state)
{
  (void)state;
  char folder[] = "pronk-svg-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[256];
  snprintf(path, sizeof path, "%s/a.svg", folder);
  const pki_svg_panel p = {.title = "empty"};
  const pki_svg_figure f = {.id = "a", .panels = &p, .npanels = 1};
  pk_error err;
  assert_int_equal(pki_svg_save(&f, path, &err), PK_OK);
  xmlDoc *doc = xmlReadFile(path, NULL, XML_PARSE_NONET);
  assert_non_null(doc);
  assert_string_equal((const char *)xmlDocGetRootElement(doc)->name, "svg");
  xmlFreeDoc(doc);
  remove(path);
  rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_starts_and_ends_at_the_corners_of_its_frame),
      cmocka_unit_test(ticks_stand_where_their_numbers_are),
      cmocka_unit_test(a_logarithmic_axis_spaces_decades_evenly),
      cmocka_unit_test(values_that_cannot_be_drawn_leave_gaps),
      cmocka_unit_test(texts_are_escaped_and_kept),
      cmocka_unit_test(long_lines_keep_their_peaks_in_a_small_file),
      cmocka_unit_test(what_lies_beside_the_frame_is_not_written),
      cmocka_unit_test(figures_without_data_are_still_pictures),
      cmocka_unit_test(points_are_drawn_as_circles_in_the_chosen_colour),
      cmocka_unit_test(every_colour_has_a_class_for_pages_to_change_it),
      cmocka_unit_test(bars_stand_in_their_rows),
      cmocka_unit_test(a_shared_axis_stands_below_the_last_panel_only),
      cmocka_unit_test(a_panel_along_time_has_a_hidden_cursor),
      cmocka_unit_test(long_legends_wrap),
      cmocka_unit_test(a_saved_figure_is_a_file_of_its_own),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  xmlCleanupParser();
  return failed;
}
