/* Where and when a foot lands so that the divergent component xi of a pushed robot can be held after it (Khadiv et al. 2020, with a
 * double support between steps).
 *
 * While the pressure stays at u_0, xi runs away as u_0 + (xi - u_0) exp(omega (T - t)), T being when the foot lands. In the double
 * support of length D after it the pressure goes straight to the new foot's u_T, and xi ends at u_T + c. Backwards
 * (divergent.h) that asks for
 *
 *   xi(T) = u_0 + k (u_T - u_0) + b,    k = (1 - exp(-omega D))/(omega D),    b = c exp(-omega D)
 *
 * which becomes u_T + b for D = 0. With tau = exp(omega T) it is linear in u_T, tau and b. The nearest to the planned step, time and
 * offset is the minimum of
 *
 *   |u_T - u_n|^2 + time_weight (tau/tau_n - 1)^2 + offset_weight |b - b_n|^2
 *
 * over steps within reach and times within limits: b follows from the others, so it is a program of three numbers in boxes. */
#ifndef PKI_GAIT_STEP_ADJUST_H
#define PKI_GAIT_STEP_ADJUST_H

/* All places seen from u_0, along the axes of the foot that stands. */
typedef struct pki_step_problem {
  double omega;              /* 1/s */
  double elapsed;            /* s, since the foot left */
  double support;            /* s, double support after it lands */
  double xi[2];              /* m, now */
  double step[2];            /* m, planned u_T */
  double time;               /* s, planned T */
  double offset[2];          /* m, planned b */
  double lower[2], upper[2]; /* m, of u_T */
  double soonest, latest;    /* s, of T */
  double time_weight;        /* m^2 */
  double offset_weight;
} pki_step_problem;

typedef struct pki_step_choice {
  double step[2]; /* m */
  double time;    /* s */
  double offset[2];
} pki_step_choice;

/* k of the double support. */
double pki_step_share(double omega, double support);

pki_step_choice pki_step_adjust(const pki_step_problem *p);

#endif
