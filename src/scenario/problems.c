#include "scenario/problems.h"

#include <stdbool.h>
#include <stdlib.h>

static bool grow_problems(pki_problems *p)
{
  if (p->count < p->room) {
    return true;
  }
  const int room = p->room == 0 ? 4 : 2 * p->room;
  pk_error *more = realloc(p->errors, (size_t)room * sizeof *more);
  if (more == NULL) {
    return false;
  }
  p->errors = more;
  p->room = room;
  return true;
}

pk_status pki_problems_note(pki_problems *problems, pk_status status, const pk_error *err)
{
  if (status == PK_OK) {
    return status;
  }
  problems->status = problems->status != PK_OK ? problems->status : status;
  if (problems->count >= PKI_PROBLEMS_MAX || !grow_problems(problems)) {
    problems->left_out++;
    return status;
  }
  pk_error *e = &problems->errors[problems->count++];
  *e = *err;
  e->status = status;
  return status;
}

pk_status pki_problems_first(pki_problems *problems, pk_error *err)
{
  const pk_status status = problems->status;
  if (status != PK_OK && problems->count > 0 && err != NULL) {
    *err = problems->errors[0];
  } else if (status != PK_OK) {
    pki_fail(err, status, (pki_where){0}, "%s", pk_status_text(status));
  }
  pki_problems_free(problems);
  return status;
}

int pki_problems_total(const pki_problems *problems)
{
  return problems->count + problems->left_out;
}

void pki_problems_free(pki_problems *problems)
{
  free(problems->errors);
  *problems = (pki_problems){0};
}

void pki_problems_sort(pki_problems *problems)
{
  /* few, and those of one line stay in their order */
  for (int i = 1; i < problems->count; i++) {
    for (int k = i; k > 0 && problems->errors[k].line < problems->errors[k - 1].line; k--) {
      const pk_error moved = problems->errors[k];
      problems->errors[k] = problems->errors[k - 1];
      problems->errors[k - 1] = moved;
    }
  }
}
