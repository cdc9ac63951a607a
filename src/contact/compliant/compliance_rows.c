/* The registry of laws of compliant surfaces: the rows that PK_COMPLIANCE_LAW_LIST names, in its order. */
#include "contact/compliant/compliance_law.h"

#define DECLARE(id, row) extern const pki_compliance_law_row pki_compliance_law_##row;
#define ROW(id, row) [id] = &pki_compliance_law_##row,

PK_COMPLIANCE_LAW_LIST(DECLARE)

const pki_compliance_law_row *const pki_compliance_laws[PK_COMPLIANCE_LAW_COUNT + 1] = {
    PK_COMPLIANCE_LAW_LIST(ROW)};
