#include "record/report.h"

static const char head[] =
    "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<style>\nbody{font:15px/1.5 system-ui,'DejaVu "
    "Sans',Helvetica,Arial,sans-serif;color:#222;background:#fff;"
    "max-width:1000px;margin:2rem auto;padding:0 1rem}\n"
    "h1{font-size:1.6rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2rem}\n"
    ".subtitle{color:#555;margin-top:0}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.25rem .7rem;border-bottom:1px solid #e4e4e4;text-align:left}\n"
    "th{border-bottom:2px solid #777}.number{text-align:right}\n"
    "tr.group td{font-weight:600;padding-top:.7rem}\n"
    ".scroll{overflow-x:auto}\nfigure{margin:1.2rem 0}figure svg{max-width:100%;height:auto}\n"
    "figcaption{color:#555;font-size:.9rem}\n</style>\n";

/* <tag>text</tag> */
static void element(pki_text *html, const char *tag, const char *text)
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
  element(html, "title", title);
  pki_text_add(html, "</head>\n<body>\n");
  element(html, "h1", title);
  if (subtitle != NULL) {
    pki_text_add(html, "<p class=\"subtitle\">");
    pki_text_add_escaped(html, subtitle);
    pki_text_add(html, "</p>\n");
  }
}

void pki_report_heading(pki_report *report, const char *text)
{
  element(&report->html, "h2", text);
}

void pki_report_paragraph(pki_report *report, const char *text)
{
  element(&report->html, "p", text);
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
    pki_text_add(html, group ? "<tr class=\"group\">" : "<tr>");
    for (int c = 0; c < (group ? 1 : table->columns); c++) {
      pki_text_addf(html, "<%s", tag);
      if (group) {
        pki_text_addf(html, " colspan=\"%d\"", table->columns);
      }
      pki_text_add(html, !group && pki_table_is_number(table, c) ? " class=\"number\">" : ">");
      pki_text_add_escaped(html, cells[c]);
      pki_text_addf(html, "</%s>", tag);
    }
    pki_text_add(html, "</tr>\n");
  }
  pki_text_add(html, "</table></div>\n");
}

void pki_report_figure(pki_report *report, const pki_svg_figure *figure, const char *caption)
{
  pki_text_add(&report->html, "<figure>\n");
  pki_svg_render(figure, &report->html);
  if (caption != NULL) {
    element(&report->html, "figcaption", caption);
  }
  pki_text_add(&report->html, "</figure>\n");
}

pk_status pki_report_save(pki_report *report, const char *path, pk_error *err)
{
  pki_text_addf(&report->html, "<p class=\"subtitle\">Written by pronk %s.</p>\n</body>\n</html>\n",
                pk_version());
  return pki_text_save(&report->html, path, err);
}

void pki_report_free(pki_report *report)
{
  pki_text_free(&report->html);
}
