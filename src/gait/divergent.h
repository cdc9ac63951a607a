/* The divergent component of motion of a walking robot, planned backwards along the path of its pressure.
 *
 * With the mass at height h over the ground, omega = sqrt(g/h), and the centre of pressure p, the mass x of a linear inverted pendulum
 * has x'' = omega^2 (x - p). Its divergent component (Takenaka et al. 2009; Hof's extrapolated centre of mass) is
 *
 *   xi = x + x'/omega,   xi' = omega (xi - p),   x' = omega (xi - x)
 *
 * so that x follows xi by itself and xi runs away from p. Where p goes straight, p = a + v t for 0 <= t <= T,
 *
 *   xi(t) = p(t) + v/omega + (xi(T) - p(T) - v/omega) exp(-omega (T - t))
 *
 * which is stable backwards: each piece begins with the xi that the next one needs (Englsberger, Ott and Albu-Schaeffer 2015, with
 * straight pieces in double support instead of cubic ones). */
#ifndef PKI_GAIT_DIVERGENT_H
#define PKI_GAIT_DIVERGENT_H

enum { PKI_DIVERGENT_PIECES = 12 };

/* A piece of the path of the pressure: straight, at constant speed. */
typedef struct pki_pressure_piece {
  double time;           /* s, above 0 */
  double from[2], to[2]; /* m */
} pki_pressure_piece;

typedef struct pki_divergent_plan {
  double omega; /* 1/s */
  int count;
  pki_pressure_piece piece[PKI_DIVERGENT_PIECES];
  double end[2]; /* m, xi after the last piece */
} pki_divergent_plan;

/* What is planned for a moment. */
typedef struct pki_divergent {
  double at[2], rate[2]; /* m, m/s: xi */
  double pressure[2];    /* m */
} pki_divergent;

/* Add a piece; those beyond the room are left out. */
void pki_divergent_add(pki_divergent_plan *plan, double time, const double from[2], const double to[2]);

/* `time` after the beginning of the plan; before it and after it, what holds at its ends. */
pki_divergent pki_divergent_at(const pki_divergent_plan *plan, double time);

#endif
