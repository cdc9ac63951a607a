/* Preview control of the zero moment point (preview.c has the equations). */
#ifndef PKI_GAIT_PREVIEW_H
#define PKI_GAIT_PREVIEW_H

#include "pronk/references.h"

/* PKI_PREVIEW references are seen ahead, a step of PKI_PREVIEW_STEP apart. Times are in sqrt(h/g), h the height of the
 * mass: so gains serve all robots. */
enum { PKI_PREVIEW = 80 };
#define PKI_PREVIEW_STEP 0.1

typedef struct pki_preview {
  double error, state[3], ahead[PKI_PREVIEW]; /* gains of the error, and of changes of state and references */
} pki_preview;

/* One axis of the mass, in units of sqrt(h/g). */
typedef pk_preview_cart pki_cart;

/* Gains for weights of the error of the zero moment point and of changes of the jerk. */
void pki_preview_design(double error, double jerk, pki_preview *gains);

/* One step: wanted[j] is the zero moment point at the end of step j from now. */
void pki_preview_step(const pki_preview *gains, const double wanted[PKI_PREVIEW], pki_cart *cart);

#endif
