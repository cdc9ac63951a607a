/* A table of short texts, for a terminal (aligned columns) and for a report. */
#ifndef PKI_REPORT_TABLE_H
#define PKI_REPORT_TABLE_H

#include "base/text.h"

enum { PKI_TABLE_COLUMNS = 16 };

/* Start with pki_table_begin. Memory that is out shows when the text is saved or printed. */
typedef struct pki_table {
  int columns, nrow, capacity;
  char **cells; /* [nrow][columns]; row 0 holds the heads; a group row has one cell and NULLs */
  bool failed;
} pki_table;

void pki_table_begin(pki_table *table, const char *const *heads, int columns);
void pki_table_row(pki_table *table, const char *const *cells); /* as many as there are columns; copied */
void pki_table_group(pki_table *table, const char *text);       /* a line that heads the rows after it */
void pki_table_free(pki_table *table);

/* True for a column of numbers, which align to the right. */
bool pki_table_is_number(const pki_table *table, int column);

/* Aligned text, each line after `indent`; `rule` draws a line below the heads. Cells may
 * hold UTF-8 and terminal colours. */
void pki_table_text(const pki_table *table, const char *indent, bool rule, pki_text *out);

/* Columns that a terminal needs for a string: UTF-8 characters, colour codes not counted. */
int pki_text_width(const char *string);

#endif
