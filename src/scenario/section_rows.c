/* The registry of sections: the rows that PKI_SECTION_LIST names, in its order. */
#include "scenario/section.h"

#define DECLARE(row) extern const pki_section pki_section_##row;
#define ROW(row) &pki_section_##row,

PKI_SECTION_LIST(DECLARE)

const pki_section *const pki_sections[] = {PKI_SECTION_LIST(ROW) NULL};
