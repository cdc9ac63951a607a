#include "report/report.h"

#include <string.h>

#include "report/report_style.h"

static const char head[] = "<meta charset=\"utf-8\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";

/* <tag>text</tag> */
static void put_element(pki_text *html, const char *tag, const char *text)
{
  pki_text_addf(html, "<%s>", tag);
  pki_text_add_escaped(html, text);
  pki_text_addf(html, "</%s>\n", tag);
}

void pki_report_begin(pki_report *report, const char *title, const char *subtitle)
{
  pki_text *html = &report->html;
  pki_text_add(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
  pki_text_add(html, head);
  put_element(html, "title", title);
  pki_text_addf(html, "<style>\n%s</style>\n</head>\n<body>\n", pki_report_style);
  put_element(html, "h1", title);
  if (subtitle != NULL && subtitle[0] != '\0') {
    pki_text_add(html, "<p class=\"subtitle\">");
    pki_text_add_escaped(html, subtitle);
    pki_text_add(html, "</p>\n");
  }
}

/* ---- headings and text ---- */

void pki_report_contents(pki_report *report)
{
  report->contents_at = report->html.size;
}

void pki_report_section(pki_report *report, const char *id, const char *text)
{
  pki_text_addf(&report->contents, "<a href=\"#%s\">", id);
  pki_text_add_escaped(&report->contents, text);
  pki_text_add(&report->contents, "</a>\n");
  pki_text_addf(&report->html, "<h2 id=\"%s\">", id);
  pki_text_add_escaped(&report->html, text);
  pki_text_add(&report->html, "</h2>\n");
}

void pki_report_heading(pki_report *report, const char *text)
{
  put_element(&report->html, "h2", text);
}

void pki_report_subheading(pki_report *report, const char *text)
{
  put_element(&report->html, "h3", text);
}

void pki_report_paragraph(pki_report *report, const char *text)
{
  put_element(&report->html, "p", text);
}

void pki_report_note(pki_report *report, const char *text)
{
  pki_text_add(&report->html, "<p class=\"note\">");
  pki_text_add_escaped(&report->html, text);
  pki_text_add(&report->html, "</p>\n");
}

void pki_report_markup(pki_report *report, const char *html)
{
  pki_text_add(&report->html, html);
}

void pki_report_code(pki_report *report, const char *text, size_t size)
{
  pki_text copy = {0};
  /* a NUL inside ends it: it is no text */
  pki_text_addf(&copy, "%.*s", (int)(size < 1 << 20 ? size : 1 << 20), text);
  pki_text_add(&report->html, "<pre>");
  pki_text_add_escaped(&report->html, copy.data != NULL ? copy.data : "");
  pki_text_add(&report->html, "</pre>\n");
  report->html.failed = report->html.failed || copy.failed;
  pki_text_free(&copy);
}

/* ---- tables ---- */

/* A short name, which would else break at its hyphens. */
static bool is_word(const char *text)
{
  return text != NULL && strchr(text, '-') != NULL && strchr(text, ' ') == NULL && strlen(text) <= 32;
}

void pki_report_table(pki_report *report, const pki_table *table)
{
  pki_text *html = &report->html;
  html->failed = html->failed || table->failed;
  pki_text_add(html, "<div class=\"scroll\"><table>\n");
  for (int r = 0; r < table->nrow && !table->failed; r++) {
    char *const *cells = table->cells + (size_t)r * (size_t)table->columns;
    const bool group = table->columns > 1 && cells[1] == NULL;
    const char *tag = r == 0 ? "th" : "td";
    pki_text_add(html, r == 0 ? "<thead>" : r == 1 ? "<tbody>" : "");
    pki_text_add(html, group ? "<tr class=\"group\">" : "<tr>");
    for (int c = 0; c < (group ? 1 : table->columns); c++) {
      pki_text_addf(html, "<%s", tag);
      if (group) {
        pki_text_addf(html, " colspan=\"%d\"", table->columns);
      }
      pki_text_add(html, !group && pki_table_is_number(table, c) ? " class=\"number\">"
                         : is_word(cells[c])                     ? " class=\"word\">"
                                                                 : ">");
      pki_text_add_escaped(html, cells[c]);
      pki_text_addf(html, "</%s>", tag);
    }
    pki_text_add(html, r == 0 ? "</tr></thead>\n" : "</tr>\n");
  }
  pki_text_add(html, table->nrow > 1 ? "</tbody></table></div>\n" : "</table></div>\n");
}

void pki_report_facts(pki_report *report, const pki_table *table)
{
  pki_text *html = &report->html;
  html->failed = html->failed || table->failed;
  pki_text_add(html, "<dl class=\"facts\">\n");
  for (int r = 1; r < table->nrow && !table->failed && table->columns == 2; r++) {
    char *const *cells = table->cells + 2 * (size_t)r;
    if (cells[1] != NULL) {
      pki_text_add(html, "<div><dt>");
      pki_text_add_escaped(html, cells[0]);
      pki_text_add(html, "</dt><dd>");
      pki_text_add_escaped(html, cells[1]);
      pki_text_add(html, "</dd></div>\n");
    }
  }
  pki_text_add(html, "</dl>\n");
}

/* ---- figures ---- */

static void end_figure(pki_report *report, const char *caption)
{
  if (caption != NULL) {
    put_element(&report->html, "figcaption", caption);
  }
  pki_text_add(&report->html, "</figure>\n");
}

static void draw_figure(pki_report *report, const pki_svg_figure *figure)
{
  pki_svg_render(figure, &report->html);
  for (int i = 0; i < figure->npanels; i++) {
    report->has_time = report->has_time || figure->panels[i].time;
  }
}

void pki_report_figure(pki_report *report, const pki_svg_figure *figure, const char *caption)
{
  pki_text_add(&report->html, "<figure>\n<div class=\"scroll\">\n");
  draw_figure(report, figure);
  pki_text_add(&report->html, "</div>\n");
  end_figure(report, caption);
}

void pki_report_panels_begin(pki_report *report)
{
  pki_text_add(&report->html, "<figure class=\"small\">\n<div class=\"panels\">\n");
}

void pki_report_panel(pki_report *report, const pki_svg_figure *figure)
{
  draw_figure(report, figure);
}

void pki_report_panels_end(pki_report *report, const char *caption)
{
  pki_text_add(&report->html, "</div>\n");
  end_figure(report, caption);
}

/* ---- scripts ---- */

/* `size` bytes with every `what` (which begins with '<') written with `instead` in the place of that letter. */
static void add_guarded(pki_text *html, const char *text, size_t size, const char *const *what, int count,
                        const char *instead)
{
  size_t done = 0;
  for (size_t i = 0; i < size; i++) {
    bool found = false;
    for (int k = 0; k < count && text[i] == '<'; k++) {
      const size_t length = strlen(what[k]);
      bool same = i + length <= size;
      for (size_t c = 0; c < length && same; c++) { /* the page's reader does not mind the case */
        const char letter = text[i + c];
        same = (letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter) == what[k][c];
      }
      found = found || same;
    }
    if (found) {
      pki_text_add_bytes(html, text + done, i - done);
      pki_text_add(html, instead);
      done = i + 1;
    }
  }
  pki_text_add_bytes(html, text + done, size - done);
}

void pki_report_json(pki_report *report, const char *id, const char *json, size_t size)
{
  static const char *const any[] = {"<"};
  pki_text_addf(&report->html, "<script type=\"application/json\" id=\"%s\">", id);
  add_guarded(&report->html, json, size, any, 1, "\\u003c");
  pki_text_add(&report->html, "</script>\n");
}

void pki_report_script(pki_report *report, const char *source, size_t size)
{
  static const char *const ends[] = {"</script", "<!--"};
  pki_text_add(&report->html, "<script>\n");
  add_guarded(&report->html, source, size, ends, 2, "\\x3c");
  pki_text_add(&report->html, "</script>\n");
}

/* ---- the end ---- */

/* The table of contents into its place. */
static void insert_contents(pki_report *report)
{
  pki_text whole = {0};
  pki_text_add_bytes(&whole, report->html.data, report->contents_at);
  pki_text_addf(&whole, "<nav aria-label=\"Contents\">\n%s</nav>\n", report->contents.data);
  pki_text_add_bytes(&whole, report->html.data + report->contents_at,
                     report->html.size - report->contents_at);
  whole.failed = whole.failed || report->html.failed || report->contents.failed;
  pki_text_free(&report->html);
  report->html = whole;
  report->contents_at = 0;
}

pk_status pki_report_save(pki_report *report, const char *path, pk_error *err)
{
  pki_text *html = &report->html;
  if (report->has_time) {
    pki_report_script(report, pki_report_cursor_script, strlen(pki_report_cursor_script));
  }
  pki_text_addf(html, "<footer>Written by pronk %s.</footer>\n</body>\n</html>\n", pk_version());
  if (report->contents_at > 0 && report->contents.data != NULL && html->data != NULL) {
    insert_contents(report);
  }
  return pki_text_save(&report->html, path, err);
}

void pki_report_free(pki_report *report)
{
  pki_text_free(&report->html);
  pki_text_free(&report->contents);
}
