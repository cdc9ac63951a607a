/* The registry of kinds of sensors: the rows that PKI_SENSING_LIST names. */
#include <string.h>

#include "sense/sensing.h"

#define ROW(row) &pki_sense_##row,

const pk_sensing_kind *const pki_sensing_kinds[] = {PKI_SENSING_LIST(ROW) NULL};

const pk_sensing_kind *pk_sensing_kind_find(const char *name)
{
  const int row = name != NULL ? pki_row_find(pki_sensing_kinds, name) : -1;
  return row >= 0 ? pki_sensing_kinds[row] : NULL;
}

const char *pk_sensing_kind_name(int index)
{
  return index >= 0 && index < pki_row_count(pki_sensing_kinds) ? pki_sensing_kinds[index]->name : NULL;
}
