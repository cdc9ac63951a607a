#include "size/heat.h"

#include <math.h>

/* 1/K, of copper. */
static const double COPPER = 0.00393, REFERENCE = 25;

bool pki_heat_is_known(const pk_motor_parameters *m)
{
  return m->winding_resistance > 0 && m->housing_resistance > 0 && m->winding_capacity > 0 &&
         m->housing_capacity > 0;
}

double pki_heat_resistance(double temperature)
{
  return 1 + COPPER * (temperature - REFERENCE);
}

/* x' = A x + b with
 *   C_w T_w' = P (1 + COPPER (T_w - 25)) - (T_w - T_h)/R_wh
 *   C_h T_h' = (T_w - T_h)/R_wh - (T_h - T_a)/R_ha
 * and (1 - h/2 A) x_E = (1 + h/2 A) x_S + h b. */
static pki_heat_map midpoint_step(const pk_motor_parameters *m, double ambient, double joule, double span)
{
  const double cw = m->winding_capacity, ch = m->housing_capacity, half = span / 2;
  const double g = 1 / m->winding_resistance, k = 1 / m->housing_resistance;
  const double A[4] = {(joule * COPPER - g) / cw, g / cw, g / ch, -(g + k) / ch};
  const double b[2] = {joule * (1 - COPPER * REFERENCE) / cw, k * ambient / ch};
  const double L[4] = {1 - half * A[0], -half * A[1], -half * A[2], 1 - half * A[3]};
  const double det = L[0] * L[3] - L[1] * L[2];
  const double I[4] = {L[3] / det, -L[1] / det, -L[2] / det, L[0] / det};
  const double U[4] = {1 + half * A[0], half * A[1], half * A[2], 1 + half * A[3]};
  return (pki_heat_map){.M = {I[0] * U[0] + I[1] * U[2], I[0] * U[1] + I[1] * U[3], I[2] * U[0] + I[3] * U[2],
                              I[2] * U[1] + I[3] * U[3]},
                        .c = {span * (I[0] * b[0] + I[1] * b[1]), span * (I[2] * b[0] + I[3] * b[1])}};
}

/* A sample that lasts long beside the winding's own time is made of equal steps, a power of two of them: one long midpoint step would swing
 * beyond the temperature that it tends to. */
pki_heat_map pki_heat_of_sample(const pk_motor_parameters *m, double ambient, double joule, double span)
{
  static const double largest = 0.1; /* step over the shortest time constant */
  const double g = 1 / m->winding_resistance, k = 1 / m->housing_resistance;
  const double rate = fmax(fabs(joule * COPPER - g) / m->winding_capacity, (g + k) / m->housing_capacity);
  int halvings = 0;
  while (span * rate > largest && halvings < 60) {
    span /= 2;
    halvings++;
  }
  pki_heat_map map = midpoint_step(m, ambient, joule, span);
  for (; halvings > 0; halvings--) {
    map = pki_heat_then(&map, &map);
  }
  return map;
}

pki_heat_map pki_heat_then(const pki_heat_map *f, const pki_heat_map *n)
{
  const double *P = n->M, *Q = f->M;
  return (pki_heat_map){
      .M = {P[0] * Q[0] + P[1] * Q[2], P[0] * Q[1] + P[1] * Q[3], P[2] * Q[0] + P[3] * Q[2],
            P[2] * Q[1] + P[3] * Q[3]},
      .c = {P[0] * f->c[0] + P[1] * f->c[1] + n->c[0], P[2] * f->c[0] + P[3] * f->c[1] + n->c[1]}};
}

pki_heat_map pki_heat_power(const pki_heat_map *map, long long count)
{
  pki_heat_map power = {.M = {1, 0, 0, 1}}, square = *map;
  for (; count > 0; count >>= 1) {
    power = count & 1 ? pki_heat_then(&power, &square) : power;
    square = pki_heat_then(&square, &square);
  }
  return power;
}

void pki_heat_apply(const pki_heat_map *map, double t[2])
{
  const double w = map->M[0] * t[0] + map->M[1] * t[1] + map->c[0];
  t[1] = map->M[2] * t[0] + map->M[3] * t[1] + map->c[1];
  t[0] = w;
}
