/* A report as a browser would take it apart, roughly: scripts, pictures, ids, references. */
#ifndef TESTS_RUN_PAGE_H
#define TESTS_RUN_PAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <libxml/parser.h>

#include "base/file.h"

/* The whole file, for free(). */
static inline char *read_page(const char *folder, const char *name)
{
  char path[4096];
  size_t size = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *page = pki_file_read(path, (size_t)1 << 28, &size);
  if (page == NULL) {
    fail_msg("%s cannot be read", path);
    return NULL; /* never reached */
  }
  assert_int_equal(strlen(page), size);
  return page;
}

static inline bool has(const char *page, const char *text)
{
  return strstr(page, text) != NULL;
}

/* The JSON between <script type="application/json" id="ID"> and its end; NULL: there is none. */
static inline cJSON *page_json(const char *page, const char *id)
{
  char open[128];
  snprintf(open, sizeof open, "<script type=\"application/json\" id=\"%s\">", id);
  const char *at = strstr(page, open);
  if (at == NULL) {
    return NULL;
  }
  at += strlen(open);
  const char *end = strstr(at, "</script>");
  assert_non_null(end);
  assert_null(memchr(at, '<', (size_t)(end - at)));
  cJSON *json = cJSON_ParseWithLength(at, (size_t)(end - at));
  if (json == NULL) {
    fail_msg("%s is no JSON", id);
  }
  return json;
}

/* Every element that must be closed is, scripts hold what they should, pictures are well formed, ids are unique and
 * nothing is asked of the network. `scripts`: how many there must be. */
static inline void check_page(const char *page, int scripts)
{
  assert_int_equal(strncmp(page, "<!DOCTYPE html>", 15), 0);
  assert_non_null(strstr(page, "</body>\n</html>"));
  int found = 0;
  for (const char *at = page; (at = strstr(at, "<script")) != NULL; found++) {
    const char *end = strstr(at, "</script>");
    assert_non_null(end);
    const char *inner = strstr(at + 1, "<!--");
    assert_true(inner == NULL || inner > end);
    if (strncmp(at, "<script type=\"application/json\"", 30) == 0) {
      char id[64] = "";
      assert_int_equal(sscanf(at, "<script type=\"application/json\" id=\"%63[^\"]", id), 1);
      cJSON *json = page_json(page, id);
      assert_non_null(json);
      cJSON_Delete(json);
    }
    at = end;
  }
  assert_int_equal(found, scripts);
  int ends = 0;
  for (const char *at = page; (at = strchr(at, '<')) != NULL; at++) {
    ends += strncasecmp(at, "</script", 8) == 0;
  }
  assert_int_equal(ends, scripts);
  for (const char *at = page; (at = strstr(at, "<svg ")) != NULL;) {
    const char *end = strstr(at, "</svg>");
    assert_non_null(end);
    xmlDoc *doc =
        xmlReadMemory(at, (int)(end + 6 - at), "figure.svg", NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
    assert_non_null(doc);
    xmlFreeDoc(doc);
    at = end;
  }
  static const char *const outside[] = {"src=\"http", "href=\"http", "url(http",  "url(\"http", "@import",
                                        "<link",      "src=\"//",    "href=\"//", "<iframe",    "<img"};
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
    if (has(page, outside[i])) {
      fail_msg("the page has %s", outside[i]);
    }
  }
  for (const char *at = page; (at = strstr(at, " id=\"")) != NULL;) {
    char id[96] = "", again[112];
    assert_int_equal(sscanf(at, " id=\"%95[^\"]", id), 1);
    snprintf(again, sizeof again, " id=\"%s\"", id);
    at += 4;
    if (strstr(at, again) != NULL) {
      fail_msg("two elements have the id %s", id);
    }
  }
}

/* A folder that is gone after the test: `rm -r` of what it holds. */
static inline void remove_folder(const char *folder)
{
  char command[4200];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

#endif
