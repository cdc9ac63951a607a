/* pronk solve --impulses: what was found, row by row, with all digits. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd_solve.h"
#include "cli/print_json.h"

/* A number as it is read back. */
typedef struct digits {
  char text[32];
} digits;

static digits all_digits(double value)
{
  digits d;
  snprintf(d.text, sizeof d.text, "%.17g", value);
  return d;
}

/* The table, which is freed, after a line about it. */
static void add_table(pki_table *table, const char *heading, pki_text *out)
{
  pki_text_addf(out, "\n  %s\n\n", heading);
  pki_table_text(table, "  ", true, out);
  out->failed |= table->failed;
  pki_table_free(table);
}

static void add_contacts(const pki_found *f, pki_text *out)
{
  static const char *const space[] = {"contact", "r_N", "r_T1", "r_T2", "u_N", "u_T1", "u_T2"};
  static const char *const plane[] = {"contact", "r_N", "r_T", "u_N", "u_T"};
  const int dim = f->dimension, columns = 1 + 2 * dim;
  pki_table table;
  pki_table_begin(&table, dim == 2 ? plane : space, columns);
  for (int i = 0; i < f->p->ncontact; i++) {
    digits cells[7] = {0};
    const char *row[7];
    snprintf(cells[0].text, sizeof cells[0].text, "%d", i);
    for (int d = 0; d < dim; d++) {
      cells[1 + d] = all_digits(f->r[3 * i + d]), cells[1 + dim + d] = all_digits(f->u[3 * i + d]);
    }
    for (int c = 0; c < columns; c++) {
      row[c] = cells[c].text;
    }
    pki_table_row(&table, row);
  }
  add_table(&table, "impulses r in N s and velocities u in m/s, in the contacts' own axes", out);
}

static void add_rows(const char *heading, const char *const heads[3], const double *r, const double *u,
                     int count, pki_text *out)
{
  pki_table table;
  pki_table_begin(&table, heads, 3);
  for (int i = 0; i < count; i++) {
    char number[16];
    const digits ri = all_digits(r[i]), ui = all_digits(u[i]);
    snprintf(number, sizeof number, "%d", i);
    pki_table_row(&table, (const char *const[]){number, ri.text, ui.text});
  }
  add_table(&table, heading, out);
}

void pki_found_text(const pki_found *f, pki_text *out)
{
  const int first = 3 * f->p->ncontact, boxes = first + f->p->nbilateral;
  if (f->p->ncontact > 0) {
    add_contacts(f, out);
  }
  if (f->p->nbilateral > 0) {
    add_rows("bilateral rows", (const char *const[]){"row", "r", "u"}, f->r + first, f->u + first,
             f->p->nbilateral, out);
  }
  if (f->p->nbox > 0) {
    add_rows("box rows", (const char *const[]){"row", "r", "u"}, f->r + boxes, f->u + boxes, f->p->nbox, out);
  }
}

void pki_found_lcp_text(const double *z, const double *w, int n, pki_text *out)
{
  add_rows("unknowns z, and w = M z + q", (const char *const[]){"row", "z", "w"}, z, w, n, out);
}

static void add_json_rows(cJSON *object, const char *name, const double *r, const double *u, int count)
{
  cJSON *rows = cJSON_AddArrayToObject(object, name);
  for (int i = 0; i < count; i++) {
    cJSON *row = cJSON_CreateObject();
    pki_json_number(row, "r", r[i]);
    pki_json_number(row, "u", u[i]);
    cJSON_AddItemToArray(rows, row);
  }
}

void pki_found_json(const pki_found *f, cJSON *object)
{
  const int first = 3 * f->p->ncontact, boxes = first + f->p->nbilateral;
  cJSON *found = cJSON_AddObjectToObject(object, "found");
  cJSON *contacts = cJSON_AddArrayToObject(found, "contacts");
  for (int i = 0; i < f->p->ncontact; i++) {
    cJSON *contact = cJSON_CreateObject();
    pki_json_array(contact, "r", f->r + 3 * i, f->dimension);
    pki_json_array(contact, "u", f->u + 3 * i, f->dimension);
    cJSON_AddItemToArray(contacts, contact);
  }
  add_json_rows(found, "bilateral", f->r + first, f->u + first, f->p->nbilateral);
  add_json_rows(found, "box", f->r + boxes, f->u + boxes, f->p->nbox);
}

/* ---- where it goes ---- */

bool pki_sink_put(pki_solve_sink *sink, const char *file, const char *solver, pki_text *text)
{
  const bool good = !text->failed;
  if (!good) {
    pki_complain("solve", "out of memory");
  } else if (sink->path != NULL) {
    pki_text_addf(&sink->text, "%s%s by %s\n%s", sink->text.size > 0 ? "\n" : "", file, solver,
                  text->data ? text->data : "");
  } else {
    fputs(text->data ? text->data : "", stdout);
  }
  pki_text_free(text);
  return good;
}

bool pki_sink_put_json(pki_solve_sink *sink, cJSON *json)
{
  char *line = cJSON_PrintUnformatted(json);
  cJSON_Delete(json);
  if (line == NULL) {
    pki_complain("solve", "out of memory");
    return false;
  }
  pki_text_addf(&sink->text, "%s\n", line);
  cJSON_free(line);
  return true;
}

int pki_sink_save(pki_solve_sink *sink)
{
  pk_error err = {0};
  int code = PKI_EXIT_OK;
  if (sink->path != NULL && pki_text_save(&sink->text, sink->path, &err) != PK_OK) {
    pki_complain_error("solve", &err);
    code = PKI_EXIT_FAILURE;
  }
  pki_text_free(&sink->text);
  return code;
}
