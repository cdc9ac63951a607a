/* The forces of a patch, compiled once for each instruction set (kernels/press_kernel.c) and chosen at run time: elements in
 * lanes. Results are the same bits for one instruction set, not between them. */
#ifndef PKI_CONTACT_COMPLIANT_PRESS_KERNELS_H
#define PKI_CONTACT_COMPLIANT_PRESS_KERNELS_H

#include "contact/compliant/patch.h"

/* Elements of one vector: one cache line. */
enum { PKI_PRESS_LANES = 8 };

typedef struct pki_press_kernels {
  const char *isa;
  /* As pki_patch_press. */
  void (*press)(const pki_patch *p, const double twist[6], double dt, bool wants_slope, pki_press *out,
                double (*forces)[3]);
} pki_press_kernels;

/* The variant of an instruction set, NULL when this machine or this build does not have it. */
const pki_press_kernels *pki_press_kernels_find(const char *isa);

/* The one that the dynamics kernels use. */
const pki_press_kernels *pki_press_kernels_get(void);

#endif
