#include "model/joint_type.h"

#include <stdio.h>

#include "model/motion.h"

const pki_joint_type *pki_joint_type_of(pk_joint_kind kind)
{
  return (unsigned)kind < (unsigned)pki_joint_type_count ? pki_joint_types[kind] : NULL;
}

const char *pk_joint_kind_name(pk_joint_kind kind)
{
  const pki_joint_type *type = pki_joint_type_of(kind);
  return type != NULL ? type->name : "unknown";
}

bool pki_joint_part_shares(const pki_joint_type *type, int part)
{
  int first = 0;
  while (type->parts[first].coordinate != type->parts[part].coordinate) {
    first++;
  }
  return first < part;
}

int pki_joint_part_q(const pki_joint_type *type, int part)
{
  int q = 0;
  for (int p = 0; type->parts[p].coordinate != type->parts[part].coordinate; p++) {
    q += pki_joint_part_shares(type, p) ? 0 : pki_motion_nq(type->parts[p].motion);
  }
  return q;
}

int pki_joint_nq(pk_joint_kind kind)
{
  const pki_joint_type *type = pki_joint_types[kind];
  int n = 0;
  for (int p = 0; p < type->nparts; p++) {
    n += pki_joint_part_shares(type, p) ? 0 : pki_motion_nq(type->parts[p].motion);
  }
  return n;
}

int pki_joint_nu(pk_joint_kind kind)
{
  const pki_joint_type *type = pki_joint_types[kind];
  int n = 0;
  for (int p = 0; p < type->nparts; p++) {
    n += pki_joint_part_shares(type, p) ? 0 : pki_motion_nu(type->parts[p].motion);
  }
  return n;
}

bool pki_joint_moves(pk_joint_kind kind)
{
  return pki_joint_types[kind]->nparts > 0;
}

bool pki_joint_has_axis(pk_joint_kind kind)
{
  const pki_joint_type *type = pki_joint_types[kind];
  bool found = false;
  for (int p = 0; p < type->nparts; p++) {
    found |= pki_motion_nu(type->parts[p].motion) == 1;
  }
  return found;
}

bool pki_joint_is_length(pk_joint_kind kind, int k)
{
  const pki_joint_type *type = pki_joint_types[kind];
  for (int p = 0; p < type->nparts; p++) {
    const pki_joint_part *part = &type->parts[p];
    if (k >= part->coordinate && k < part->coordinate + pki_motion_nu(part->motion)) {
      return part->motion == PK_MOTION_PRISMATIC ||
             (part->motion == PK_MOTION_FLOATING && k < part->coordinate + 3);
    }
  }
  return false;
}

bool pki_joint_can_be_cut(pk_joint_kind kind)
{
  const pki_joint_type *type = pki_joint_types[kind];
  bool fits = type->nparts > 0, has_turned = false;
  int travelled = 0; /* axes along which a part travels, by their bits */
  for (int p = 0; p < type->nparts; p++) {
    const pki_joint_part *part = &type->parts[p];
    const bool one_axis = pki_motion_nu(part->motion) == 1;
    const bool travels = part->motion == PK_MOTION_PRISMATIC, floats = part->motion == PK_MOTION_FLOATING;
    fits &= !has_turned && !pki_joint_part_shares(type, p) && (!one_axis || part->gain == 1);
    fits &= (!travels || (travelled >> part->axis & 1) == 0) && (!floats || type->nparts == 1);
    travelled |= travels ? 1 << part->axis : 0;
    has_turned = !travels;
  }
  return fits;
}

void pki_joint_list_words(char *out, size_t size)
{
  int last = pki_joint_type_count - 1;
  while (last > 0 && pki_joint_types[last]->urdf[0] == NULL) {
    last--;
  }
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i <= last && used < size; i++) {
    const char *word = pki_joint_types[i]->urdf[0], *between = i < last ? ", " : " or ";
    if (word != NULL) {
      used += (size_t)snprintf(out + used, size - used, "%s%s", used == 0 ? "" : between, word);
    }
  }
}
