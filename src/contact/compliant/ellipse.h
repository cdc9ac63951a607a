/* The ellipse of contact of two round bodies. */
#ifndef PKI_CONTACT_COMPLIANT_ELLIPSE_H
#define PKI_CONTACT_COMPLIANT_ELLIPSE_H

/* Complete elliptic integrals of the first and the second kind, of the parameter m = 1 - 1/k^2 given by its complement
 * 1/k^2 in ]0, 1], so that long ellipses lose no digits. */
typedef struct pki_elliptic {
  double K, E;
} pki_elliptic;
pki_elliptic pki_elliptic_integrals(double complement);

typedef struct pki_ellipse {
  double ratio;        /* k = a/b >= 1, of the longer to the shorter axis */
  double sigma;        /* force by that of a circle of the same mean curvature: pi/2 k sqrt(E)/K^(3/2) */
  double short_square; /* b^2 by R x: E/K */
} pki_ellipse;

/* For relative principal curvatures (1/m) kappa_max >= kappa_min > 0. */
pki_ellipse pki_contact_ellipse(double kappa_max, double kappa_min);

#endif
