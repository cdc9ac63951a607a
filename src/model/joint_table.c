/* The table of joint kinds, one row for each of PK_JOINT_KINDS. Nothing else stands in this file, so that a program
 * that defines a longer table is linked with that one instead. */
#include "model/joint_type.h"

#define TABLE_ROW(kind, name) [kind] = &pki_joint_##name,

const pki_joint_type *const pki_joint_types[] = {PK_JOINT_KINDS(TABLE_ROW)};
const int pki_joint_type_count = sizeof pki_joint_types / sizeof pki_joint_types[0];
