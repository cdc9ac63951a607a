/* The registry of laws of contact: the rows that PK_CONTACT_LAW_LIST names, in its order. */
#include "step/law.h"

#define DECLARE(id, row) extern const pki_law pki_law_##row;
#define ROW(id, row) [id] = &pki_law_##row,

PK_CONTACT_LAW_LIST(DECLARE)

const pki_law *const pki_laws[PK_CONTACT_LAW_COUNT + 1] = {PK_CONTACT_LAW_LIST(ROW)};
