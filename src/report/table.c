#define _POSIX_C_SOURCE 200809L
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

int pki_text_width(const char *string)
{
  int width = 0;
  for (const char *c = string; *c != '\0'; c++) {
    if (*c == '\033') { /* ESC [ ... m */
      while (*c != '\0' && *c != 'm') {
        c++;
      }
      if (*c == '\0') {
        break;
      }
    } else {
      width += (*c & 0xC0) != 0x80;
    }
  }
  return width;
}

/* A row of `count` cells, the rest empty (NULL). */
static void append_row(pki_table *table, const char *const *cells, int count)
{
  if (table->nrow == table->capacity) {
    const int capacity = table->capacity > 0 ? 2 * table->capacity : 16;
    char **more = realloc(table->cells, (size_t)capacity * (size_t)table->columns * sizeof *more);
    if (more == NULL) {
      table->failed = true;
      return;
    }
    table->cells = more;
    table->capacity = capacity;
  }
  char **row = table->cells + (size_t)table->nrow++ * (size_t)table->columns;
  for (int i = 0; i < table->columns; i++) {
    row[i] = i < count ? strdup(cells[i]) : NULL;
    table->failed = table->failed || (i < count && row[i] == NULL);
  }
}

void pki_table_begin(pki_table *table, const char *const *heads, int columns)
{
  *table = (pki_table){.columns = columns < PKI_TABLE_COLUMNS ? columns : PKI_TABLE_COLUMNS};
  append_row(table, heads, table->columns);
}

void pki_table_row(pki_table *table, const char *const *cells)
{
  append_row(table, cells, table->columns);
}

void pki_table_group(pki_table *table, const char *text)
{
  append_row(table, &text, 1);
}

void pki_table_free(pki_table *table)
{
  for (int i = 0; i < table->nrow * table->columns; i++) {
    free(table->cells[i]);
  }
  free(table->cells);
  *table = (pki_table){0};
}

/* A group has no second cell (and a table of one column no groups). */
static bool is_group(const pki_table *table, int row)
{
  return table->columns > 1 && table->cells[row * table->columns + 1] == NULL;
}

/* Past the number at `at`: digits, at most one point, an exponent; NULL when there is none. */
static const char *past_number(const char *at)
{
  size_t whole = strspn(at, "0123456789"), part = 0;
  at += whole;
  if (*at == '.') {
    part = strspn(at + 1, "0123456789");
    at += 1 + part;
  }
  if (whole + part == 0) {
    return NULL;
  }
  if (*at == 'e') {
    const char *exponent = at + 1 + (at[1] == '-' || at[1] == '+');
    const size_t digits = strspn(exponent, "0123456789");
    at = digits > 0 ? exponent + digits : at;
  }
  return at;
}

/* A number with its sign, and perhaps a short unit. */
static bool is_number(const char *cell)
{
  enum { UNIT_MAX = 10 };
  const char *first = cell + strspn(cell, "+-<");
  if (strncmp(first, "±", strlen("±")) == 0) {
    first += strlen("±");
  }
  const char *unit = past_number(first);
  return unit != NULL && strpbrk(unit, "0123456789.,:;") == NULL && pki_text_width(unit) <= UNIT_MAX;
}

bool pki_table_is_number(const pki_table *table, int column)
{
  bool any = false;
  for (int r = 1; r < table->nrow; r++) {
    const char *cell = table->cells[r * table->columns + column];
    if (is_group(table, r) || cell == NULL || cell[0] == '\0' || strcmp(cell, "—") == 0) {
      continue;
    }
    if (!is_number(cell)) {
      return false;
    }
    any = true;
  }
  return any;
}

static void add_spaces(pki_text *out, int count)
{
  pki_text_addf(out, "%*s", count > 0 ? count : 0, "");
}

static void write_row(const pki_table *table, int row, const int *width, const bool *right,
                      const char *indent, pki_text *out)
{
  char *const *cells = table->cells + (size_t)row * (size_t)table->columns;
  int last = table->columns - 1; /* no spaces at a line's end */
  while (last > 0 && (cells[last] == NULL || cells[last][0] == '\0')) {
    last--;
  }
  pki_text_add(out, indent);
  for (int c = 0; c <= last; c++) {
    const char *cell = cells[c] != NULL ? cells[c] : "";
    const int space = width[c] - pki_text_width(cell);
    add_spaces(out, right[c] ? space : 0);
    pki_text_add(out, cell);
    add_spaces(out, (right[c] || c == last ? 0 : space) + (c < last ? GAP : 0));
  }
  pki_text_add(out, "\n");
}

void pki_table_text(const pki_table *table, const char *indent, bool rule, pki_text *out)
{
  if (table->failed) {
    out->failed = true;
    return;
  }
  int width[PKI_TABLE_COLUMNS] = {0}, total = -GAP;
  bool right[PKI_TABLE_COLUMNS];
  for (int c = 0; c < table->columns; c++) {
    right[c] = pki_table_is_number(table, c);
    for (int r = 0; r < table->nrow; r++) {
      const char *cell = table->cells[r * table->columns + c];
      if (cell != NULL && !is_group(table, r)) {
        const int w = pki_text_width(cell);
        width[c] = w > width[c] ? w : width[c];
      }
    }
    total += width[c] + GAP;
  }
  for (int r = 0; r < table->nrow; r++) {
    if (is_group(table, r)) {
      pki_text_addf(out, "%s%s\n", indent, table->cells[r * table->columns]);
    } else {
      write_row(table, r, width, right, indent, out);
    }
    if (r == 0 && rule) {
      pki_text_add(out, indent);
      for (int i = 0; i < total; i++) {
        pki_text_add(out, "─");
      }
      pki_text_add(out, "\n");
    }
  }
}
