/* The remarks about a model as `pronk check` prints them: every error, and one warning of each kind with the places of
 * the others. */
#include <stdio.h>
#include <string.h>

#include "cli/cmd_check.h"
#include "cli/terminal.h"

/* Places of one kind that are listed behind the first. */
enum { PLACES_SHOWN = 6 };

void pki_check_remark_kind(const pk_error *e, bool is_error, const char *kind, const char *path)
{
  const pki_palette p = pki_palette_for(stdout);
  printf("%s%s", p.bold, e->file[0] ? e->file : path);
  if (e->line > 0) {
    printf(":%d", e->line);
  }
  printf(":%s %s%s:%s ", p.plain, is_error ? p.red : p.yellow, is_error ? "error" : "warning", p.plain);
  if (e->field[0] != '\0') {
    printf("%s: ", e->field);
  }
  printf("%s", e->message[0] ? e->message : pk_status_text(e->status));
  if (kind[0] != '\0') {
    printf(" [%s]", kind);
  }
  putchar('\n');
}

void pki_check_remark(const pk_error *e, bool is_error, const char *path)
{
  pki_check_remark_kind(e, is_error, "", path);
}

/* Whether two remarks are of one group: warnings of one kind about one file. */
static bool is_alike(const pk_builder_diagnostic *a, const pk_builder_diagnostic *b)
{
  return !a->is_error && !b->is_error && a->kind[0] != '\0' && strcmp(a->kind, b->kind) == 0 &&
         strcmp(a->error.file, b->error.file) == 0;
}

/* "16 more like it: lines 5, 9, ..." */
static void print_places(const pk_builder_diagnostic *all, int count, int first)
{
  int more = 0;
  for (int i = first + 1; i < count; i++) {
    more += is_alike(&all[first], &all[i]);
  }
  if (more == 0) {
    return;
  }
  printf("  %d more like it", more);
  int shown = 0;
  for (int i = first + 1; i < count && shown < PLACES_SHOWN; i++) {
    if (is_alike(&all[first], &all[i]) && all[i].error.line > 0) {
      printf("%s%d", shown > 0 ? ", " : more == 1 ? ": line " : ": lines ", all[i].error.line);
      shown++;
    }
  }
  printf("%s (--verbose shows %s)\n", shown < more ? ", ..." : "", more == 1 ? "it" : "them");
}

void pki_check_print_remarks(const pk_builder_diagnostic *all, int count, bool verbose, const char *path)
{
  for (int i = 0; i < count; i++) {
    bool said = false;
    for (int k = 0; k < i && !verbose && !said; k++) {
      said = is_alike(&all[k], &all[i]);
    }
    if (!said) {
      pki_check_remark_kind(&all[i].error, all[i].is_error, all[i].kind, path);
      if (!verbose) {
        print_places(all, count, i);
      }
    }
  }
}
