/* Principal axes of inertia. */
#ifndef PKI_SENSE_PRINCIPAL_H
#define PKI_SENSE_PRINCIPAL_H

/* A rotation whose columns are the principal axes of moments xx xy xz yy yz zz, by falling moments; the identity for a
 * point mass. */
void pki_principal_axes(const double moment[6], double axes[9]);

#endif
