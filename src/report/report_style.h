/* The style sheet of reports, and the script of their time cursor. */
#ifndef PKI_REPORT_REPORT_STYLE_H
#define PKI_REPORT_REPORT_STYLE_H

extern const char pki_report_style[];
extern const char pki_report_cursor_script[];

#endif
