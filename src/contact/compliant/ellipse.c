/* The ellipse of contact: its axis ratio k solves (Johnson, "Contact Mechanics", 1985, equation 4.26)
 *
 *   (k^2 E(m) - K(m))/(K(m) - E(m)) = kappa_max/kappa_min,  m = 1 - 1/k^2
 *
 * The left side grows with k, about as k^(3/2), so that log k against log of it is nearly straight: Newton's method on
 * logarithms, from k = ratio^(2/3), needs few steps. Near a circle, with the series
 * K - E = pi/4 m (1 + 3/8 m ...), k^2 E - K = pi/4 m (1 + 9/8 m ...) the ratio is k^(3/2) to first order. */
#include "contact/compliant/ellipse.h"

#include <math.h>

/* By arithmetic and geometric means (Abramowitz and Stegun 17.6): with a_0 = 1, b_0 = sqrt(1 - m), c_0^2 = m,
 * a_(n+1) = (a + b)/2, b_(n+1) = sqrt(a b), c_(n+1) = (a - b)/2: K = pi/(2 a), K - E = K sum 2^(n-1) c_n^2. */
static void integrate(double m, double complement, double *K, double *K_less_E, double *E)
{
  double a = 1, b = sqrt(complement), sum = 0.5 * m, power = 0.5;
  for (int n = 0; n < 60 && fabs(a - b) > 1e-17 * a; n++) {
    const double c = 0.5 * (a - b), mean = 0.5 * (a + b);
    b = sqrt(a * b), a = mean, power *= 2;
    sum += power * c * c;
  }
  *K = acos(-1.0) / (2 * a), *K_less_E = *K * sum, *E = *K * (1 - sum);
}

pki_elliptic pki_elliptic_integrals(double complement)
{
  pki_elliptic out;
  double less;
  integrate(1 - complement, complement, &out.K, &less, &out.E);
  return out;
}

/* log of the left side at k = exp(l), l > 0: k^2 E - K = (k^2 - 1) E - (K - E). */
static double log_curvature_ratio(double l)
{
  double K, less, E;
  integrate(-expm1(-2 * l), exp(-2 * l), &K, &less, &E);
  return log((expm1(2 * l) * E - less) / less);
}

pki_ellipse pki_contact_ellipse(double kappa_max, double kappa_min)
{
  const double wanted = log(kappa_max / kappa_min);
  double l = 2.0 / 3.0 * wanted;
  if (wanted > 1e-6) {
    /* from both sides: the ratio lies between k and k^2 */
    double low = 0.5 * wanted, high = wanted;
    for (int step = 0, near = 0; step < 100 && !near; step++) {
      const double here = log_curvature_ratio(l), miss = here - wanted;
      const double slope = (log_curvature_ratio(l * (1 + 1e-6)) - here) / (1e-6 * l);
      low = miss < 0 ? l : low, high = miss < 0 ? high : l;
      const double newton = l - miss / slope,
                   next = newton > low && newton < high ? newton : 0.5 * (low + high);
      near = fabs(next - l) <= 1e-9 * l; /* the next step would be smaller by as much again */
      l = next;
    }
  }
  const double k = exp(l);
  const pki_elliptic e = pki_elliptic_integrals(1 / (k * k));
  return (pki_ellipse){k, acos(-1.0) / 2 * k * sqrt(e.E) / (e.K * sqrt(e.K)), e.E / e.K};
}
