/* A file that appears whole: written under another name beside its place, then renamed, so that a reader sees all or
 * nothing.
 *
 *   pki_draft draft;
 *   if (pki_draft_begin(&draft, path, err) == PK_OK) {
 *     ... write draft.name ...
 *     status = good ? pki_draft_keep(&draft, err) : pki_draft_drop(&draft, ...);
 *   }
 */
#ifndef PKI_BASE_DRAFT_H
#define PKI_BASE_DRAFT_H

#include "base/error.h"

typedef struct pki_draft {
  const char *path; /* where it will be */
  char name[4096];  /* where it is until then */
} pki_draft;

/* Choose the name; nothing is written yet. */
pk_status pki_draft_begin(pki_draft *draft, const char *path, pk_error *err);

/* To its place. */
pk_status pki_draft_keep(const pki_draft *draft, pk_error *err);

/* Away with it; `why`, an errno, tells the reason. */
pk_status pki_draft_drop(const pki_draft *draft, int why, pk_error *err);

#endif
