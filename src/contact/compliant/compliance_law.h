/* Laws of compliant surfaces. A law is a row, const pki_compliance_law_row pki_compliance_law_NAME in the file of the law, NAME
 * as PK_COMPLIANCE_LAW_LIST has it. Laws of springs on faces give the constants of a pair, and faces are found for them; a
 * law with elements of another kind finds them itself. */
#ifndef PKI_CONTACT_COMPLIANT_COMPLIANCE_LAW_H
#define PKI_CONTACT_COMPLIANT_COMPLIANCE_LAW_H

#include "base/field.h"
#include "contact/compliant/patch.h"

/* Springs on faces: what the materials of a pair come to, for faces of the first and of the second side. */
typedef struct pki_foundation {
  double stiffness[2]; /* N/m^3, K: pressure for each depth */
  /* Where forces act: this part of the way from the face's centroid to the nearest point of the other surface. */
  double share[2];
  /* Faces of two meshes that overlap would press twice, once for each mesh. True: each face counts with the mean area of both
   * meshes' candidates by twice its own mesh's; false: with this part of its area. */
  bool evens_areas;
  double area_part[2];
} pki_foundation;

typedef struct pki_compliance_law_row {
  const char *name, *doc;
  /* Whether two shapes can meet under this law, and what else it asks of a pair; NULL: nothing. */
  pk_status (*supports)(const pki_soft_side *a, const pki_soft_side *b, pk_error *err);
  /* Elements at poses; n, at and padding are the caller's. NULL: faces, with `blend`'s constants. */
  int (*find)(const pki_soft_side *a, const pki_soft_side *b, pki_patch *out);
  /* The constants of springs on faces. */
  void (*blend)(const pki_soft_side *a, const pki_soft_side *b, pki_foundation *out);
  /* The laws of both sides' elements: dissipation and friction. */
  void (*rub)(const pki_soft_side *a, const pki_soft_side *b, pki_patch_law out[2]);
  bool keeps_pulled; /* as pki_patch */
} pki_compliance_law_row;

/* By pk_compliance_law, up to NULL. */
extern const pki_compliance_law_row *const pki_compliance_laws[];

/* The options of a surface. */
extern const pk_field pki_compliance_fields[];
extern const int pki_compliance_field_count;

/* The law of a pair: that of the side that is not rigid. */
const pki_compliance_law_row *pki_compliance_law_of(const pki_soft_side *a, const pki_soft_side *b);

/* Friction of two surfaces in contact, one of which may be NULL (rigid: as the other): coefficients are 2 m_1 m_2/(m_1 + m_2),
 * speeds the larger of the two. Dissipation is c_1 share_1 + c_2 share_2. */
void pki_compliance_mix(const pk_compliance *one, const pk_compliance *two, const double share[2],
                        pki_patch_law *out);

/* Friction and dissipation of one surface alone. */
void pki_compliance_alone(const pk_compliance *surface, pki_patch_law *out);

#endif
