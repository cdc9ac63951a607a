/* A motor in a step: its force law, and its states at the end (docs/theory/actuation.md). In lanes.
 *
 * All is at the joint's side of the gear: K stands for N K, J and D for N^2 J and N^2 b. With the current taken at the end of
 * the step, and the velocity w of the rotor as it is on average (a part `late` of that at the end),
 *
 *   L (i_E - i_S) / dt + R i_E + K w_m = V,   tau_m = K i_E = K (beta i_S + alpha (V - K (1 - late) w_S)) - G w_E,
 *   alpha = dt / (L + dt R),  beta = L / (L + dt R),  G = late K^2 alpha
 *
 * The motor's torque is the middle one of three lines in (u_E, w_E): what is asked for, and the limits of current (constants)
 * and of voltage (slope G). Behind a rigid gear w = u. Behind a spring the rotor's balance,
 *
 *   J (w_E - w_S) / dt + D w_E + (dry friction) + tau = tau_m,   tau = s + k (w_E - u_E),   k = K_s reach + D_s,
 *
 * gives w_E and tau for each of the lines, and the middle one of the results is the result of the middle one, since tau rises
 * with tau_m. */
#ifndef PKI_ACTUATION_MOTOR_KERNEL_H
#define PKI_ACTUATION_MOTOR_KERNEL_H

#include "actuation/actuation.h"
#include "math/lane.h"

/* What a step tells a motor. */
typedef struct pki_motor_input {
  bool warms;  /* some motor of the robot has temperatures */
  bool simple; /* no motor of the robot has a temperature limit, an encoder with steps or a bandwidth */
  double dt, reach, late;
  pk_r x, u; /* the joint: its coordinate where the step evaluates it, its velocity at the start */
  pk_r tau, q_des, u_des; /* the command */
  pk_r kp, kd, most;
  pk_r bus;
} pki_motor_input;

/* A line A - Gu u - Gw w of the motor's torque; `loop` times the spring's torque is taken from it, too. */
typedef struct pki_motor_line {
  pk_r A, Gu, Gw, loop;
} pki_motor_line;

/* What condensing and finishing share. */
typedef struct pki_motor_step {
  pk_r w;                         /* of the rotor at the start */
  pk_r R, alpha;                  /* alpha of the circuit */
  pk_r most;                      /* N m, of the current */
  pki_motor_line free, low, high; /* asked for, voltage limits */
  pk_r s, k;                      /* of the spring: tau = s + k (w - u) */
} pki_motor_step;

/* ohm, at the temperature that the winding has. */
PKI_INLINE pk_r pki_winding_resistance(const pk_r *c, const pk_r *state)
{
  const pk_r hot = state[PKI_MOTOR_STATE_WINDING] - PKI_SHEET_TEMPERATURE;
  return c[PKI_MOTOR_R] * (1.0 + c[PKI_MOTOR_ALPHA] * hot);
}

/* V of a battery without a load, after so much charge was taken. */
PKI_INLINE pk_r pki_battery_open(const pk_battery *b, pk_r charge)
{
  const pk_r zero = pki_splat(0);
  const pk_r used =
      b->capacity > 0 ? pki_max(zero, pki_min(charge / pki_splat(b->capacity), pki_splat(1))) : zero;
  return b->full - used * (b->full - b->empty);
}

/* x to the nearest step of an encoder; steps of zero: x. */
PKI_INLINE pk_r pki_quantised(pk_r x, pk_r step)
{
  const double shift = 6755399441055744.0; /* 1.5 2^52: adding it rounds to whole numbers */
  const pk_i some = pki_less(pki_splat(0), step);
  const pk_r by = pki_select(some, step, pki_splat(1));
  return pki_select(some, ((x / by + shift) - shift) * by, x);
}

/* The spring's torque and stiffness at the deflection e, beyond the play. In the play it has next to none. */
PKI_INLINE void pki_motor_spring(const pk_r *c, pk_r e, pk_r *torque, pk_r *stiffness)
{
  const pk_r play = c[PKI_MOTOR_PLAY], size = pki_abs(e) - play, zero = pki_splat(0);
  const pk_i loose = pki_less(size, zero);
  const pk_r d = pki_select(loose, zero, pki_select(pki_less(e, zero), -size, size));
  const pk_r K = c[PKI_MOTOR_SPRING] * pki_select(loose, pki_splat(1e-6), pki_splat(1));
  const pk_r stiff = c[PKI_MOTOR_STIFFENING] * d * d;
  *torque = K * (1.0 + stiff) * d;
  *stiffness = K * (1.0 + 3.0 * stiff);
}

/* Limits of current and voltage now. */
PKI_INLINE void pki_motor_limits(const pk_r *c, const pk_r *state, const pki_motor_input *in, pk_r *most,
                                 pk_r *volts)
{
  const pk_r one = pki_splat(1), zero = pki_splat(0);
  const pk_i fed =
      pki_less(pki_splat(0), in->bus); /* a battery that is empty feeds nothing: no current flows */
  *volts = pki_select(fed, pki_min(c[PKI_MOTOR_VOLTAGE], in->bus), pki_splat(INFINITY));
  if (in->simple) {
    *most = pki_min(pki_min(c[PKI_MOTOR_NK] * c[PKI_MOTOR_CURRENT], c[PKI_MOTOR_LIMIT]), in->most);
    *most = pki_where_set(fed, *most);
    return;
  }
  const pk_r room = (c[PKI_MOTOR_HOTTEST] - state[PKI_MOTOR_STATE_WINDING]) / c[PKI_MOTOR_DERATING];
  const pk_r part = pki_max(zero, pki_min(one, room));
  const pk_r amps = pki_select(pki_less(part, one), c[PKI_MOTOR_CURRENT] * part, c[PKI_MOTOR_CURRENT]);
  *most = pki_where_set(fed, pki_min(pki_min(c[PKI_MOTOR_NK] * amps, c[PKI_MOTOR_LIMIT]), in->most));
}

/* The lines of the motor's torque in this step. */
PKI_INLINE pki_motor_step pki_motor_begin(const pk_r *c, const pk_r *state, const pki_motor_input *in,
                                          bool spring)
{
  const pk_r K = c[PKI_MOTOR_NK], i = state[PKI_MOTOR_STATE_CURRENT], zero = pki_splat(0), one = pki_splat(1);
  const pk_r w = spring ? state[PKI_MOTOR_STATE_VELOCITY] : in->u;
  const pk_r R = pki_winding_resistance(c, state);
  const pk_r alpha = in->dt / (c[PKI_MOTOR_L] + in->dt * R);
  const pk_r beta = 1.0 - alpha * R, G = in->late * (K * K * alpha);
  const pk_r rest = K * (beta * i - alpha * (K * ((1 - in->late) * w)));
  pki_motor_step m = {.w = w, .R = R, .alpha = alpha, .s = zero, .k = zero};
  pk_r volts, theta = zero;
  pki_motor_limits(c, state, in, &m.most, &volts);
  const pk_r push = K * alpha * volts;
  m.low = (pki_motor_line){rest - push, zero, G, zero};
  m.high = (pki_motor_line){rest + push, zero, G, zero};
  if (spring) {
    const pk_r e = state[PKI_MOTOR_STATE_DEFLECTION] + (in->dt - in->reach) * (w - in->u);
    pk_r stiffness;
    theta = in->x + e;
    pki_motor_spring(c, e, &m.s, &stiffness);
    m.k = stiffness * in->reach + c[PKI_MOTOR_SPRING_D];
  }
  /* what the command asks for, by its gains on either side of the spring */
  const pk_i side = spring ? pki_less(zero, c[PKI_MOTOR_SIDE]) : pki_mask_none();
  const pk_r side_at = pki_select(side, theta, in->x);
  const pk_r at = in->simple ? side_at : pki_quantised(side_at, c[PKI_MOTOR_RESOLUTION]);
  const pk_r asked = in->tau + in->kp * (in->q_des - at) + in->kd * in->u_des;
  const pk_r slope = in->kp * in->reach + in->kd;
  /* a current follows with its bandwidth, a voltage makes what it would make at rest */
  const pk_i by_voltage = pki_less(zero, c[PKI_MOTOR_BY_VOLTAGE]);
  const pk_r follow = in->simple ? one : 1.0 - one / (1.0 + in->dt * c[PKI_MOTOR_BANDWIDTH]);
  const pk_r part = pki_select(by_voltage, alpha * c[PKI_MOTOR_R], follow);
  const pk_r gain = spring ? 1.0 + c[PKI_MOTOR_TORQUE_GAIN] : one;
  m.free.A = pki_select(by_voltage, rest, (1.0 - follow) * K * i) + part * (gain * asked);
  m.free.Gu = pki_select(side, zero, part * (gain * slope));
  m.free.Gw = pki_select(by_voltage, G, zero) + pki_select(side, part * (gain * slope), zero);
  m.free.loop = spring ? part * c[PKI_MOTOR_TORQUE_GAIN] : zero;
  return m;
}

/* The joint's force as a line a - g u from a line of the motor's torque, and how much dry friction at the rotor raises it. */
PKI_INLINE void pki_motor_reduce(const pk_r *c, const pki_motor_step *m, const pki_motor_input *in,
                                 const pki_motor_line *line, bool spring, pk_r *a, pk_r *g, pk_r *rub)
{
  if (!spring) {
    *a = line->A, *g = line->Gu + line->Gw + c[PKI_MOTOR_D];
    return;
  }
  const pk_r Jdt = c[PKI_MOTOR_J] * (1 / in->dt), held = 1.0 + line->loop;
  const pk_r Z = Jdt + c[PKI_MOTOR_D] + line->Gw, part = m->k / (Z + held * m->k);
  *a = m->s + part * (Jdt * m->w + line->A - held * m->s);
  *g = part * (Z + line->Gu);
  *rub = part * c[PKI_MOTOR_DRY];
}

/* Dry friction of rotor and gear on the joint, at a current and a velocity. Gears lose a part of the torque at the joint: the motor's by
 * what it gives there when it drives, and by what it takes when it is driven back. At rest it is as when the motor drives. */
PKI_INLINE pk_r pki_motor_friction(const pk_r *c, pk_r current, pk_r u)
{
  const pk_r torque = c[PKI_MOTOR_NK] * current;
  const pk_r part = pki_select(pki_less(torque * u, pki_splat(0)), c[PKI_MOTOR_DRIVEN], c[PKI_MOTOR_DRIVING]);
  return c[PKI_MOTOR_DRY] + part * pki_abs(torque);
}

/* The law of a motor [PKI_LAW_NUMBERS]. Infinite limits stay infinite. */
PKI_INLINE void pki_motor_law(const pk_r *c, const pk_r *state, const pki_motor_input *in, bool spring,
                              pk_r *law)
{
  const pki_motor_step m = pki_motor_begin(c, state, in, spring);
  const pk_r zero = pki_splat(0), most = pki_min(m.most, pki_splat(1e300));
  const pki_motor_line down = {-most, zero, zero, zero}, up = {most, zero, zero, zero};
  pk_r *const rub = law + PKI_LAW_RUB, unused;
  for (int e = 0; e < PKI_LAW_NUMBERS; e++) {
    law[e] = zero;
  }
  pki_motor_reduce(c, &m, in, &m.free, spring, &law[PKI_LAW_A], &law[PKI_LAW_G], &rub[0]);
  pki_motor_reduce(c, &m, in, &down, spring, &law[PKI_LAW_LOW], &law[PKI_LAW_SLOPE], &rub[1]);
  pki_motor_reduce(c, &m, in, &up, spring, &law[PKI_LAW_HIGH], &law[PKI_LAW_SLOPE], &unused);
  pki_motor_reduce(c, &m, in, &m.low, spring, &law[PKI_LAW_LOW + 1], &law[PKI_LAW_SLOPE + 1], &rub[2]);
  pki_motor_reduce(c, &m, in, &m.high, spring, &law[PKI_LAW_HIGH + 1], &law[PKI_LAW_SLOPE + 1], &unused);
  if (spring) {
    law[PKI_LAW_HOLD] = m.s, law[PKI_LAW_HOLD_SLOPE] = m.k;
  } else {
    law[PKI_LAW_FRICTION] = pki_motor_friction(c, state[PKI_MOTOR_STATE_CURRENT], in->u);
  }
}

/* Winding and housing after the heat of a step, both taken at its end. */
PKI_INLINE void pki_motor_warm(const pk_r *c, pk_r heat, double dt, pk_r *state)
{
  pk_r *const tw = &state[PKI_MOTOR_STATE_WINDING], *const th = &state[PKI_MOTOR_STATE_HOUSING];
  const pk_r w = dt * c[PKI_MOTOR_WINDING], h = dt * c[PKI_MOTOR_HOUSING];
  const pk_r Aw = c[PKI_MOTOR_C_WINDING] + w, Ah = c[PKI_MOTOR_C_HOUSING] + w + h;
  const pk_r bw = c[PKI_MOTOR_C_WINDING] * *tw + dt * heat,
             bh = c[PKI_MOTOR_C_HOUSING] * *th + h * c[PKI_MOTOR_AMBIENT];
  const pk_i warms = pki_less(pki_splat(0), c[PKI_MOTOR_C_WINDING]);
  const pk_r det = pki_select(warms, Aw * Ah - w * w, pki_splat(1));
  *tw = pki_select(warms, (Ah * bw + w * bh) / det, *tw);
  *th = pki_select(warms, (Aw * bh + w * bw) / det, *th);
}

/* The states at the end, where the joint's velocity is u and the force on it was tau. */
PKI_INLINE void pki_motor_end(const pk_r *c, const pki_motor_input *in, bool spring, pk_r u, pk_r tau,
                              pk_r *state)
{
  const pki_motor_step m = pki_motor_begin(c, state, in, spring);
  const pk_r K = c[PKI_MOTOR_NK], i = state[PKI_MOTOR_STATE_CURRENT];
  pk_r w = u, torque = tau + c[PKI_MOTOR_D] * u;
  if (spring) {
    w = u + (tau - m.s) / m.k;
    const pk_r low = m.low.A - m.low.Gw * w, high = m.high.A - m.high.Gw * w;
    const pk_r asked = m.free.A - m.free.Gu * u - m.free.Gw * w - m.free.loop * tau;
    torque = pki_max(pki_min(pki_max(pki_min(asked, m.most), -m.most), high), low);
    const pk_r balance = c[PKI_MOTOR_J] * (1 / in->dt) * (w - m.w) + c[PKI_MOTOR_D] * w + tau;
    state[PKI_MOTOR_STATE_RUB] = torque - balance;
    state[PKI_MOTOR_STATE_DEFLECTION] +=
        in->late * (in->dt * (w - u)) + (1 - in->late) * (in->dt * (m.w - in->u));
  }
  const pk_r now = torque / K, mean = in->late * w + (1 - in->late) * m.w;
  state[PKI_MOTOR_STATE_VOLTAGE] = c[PKI_MOTOR_L] * (1 / in->dt) * (now - i) + m.R * now + K * mean;
  state[PKI_MOTOR_STATE_CURRENT] = now;
  state[PKI_MOTOR_STATE_VELOCITY] = w;
  if (in->warms) {
    pki_motor_warm(c, m.R * now * now, in->dt, state);
  }
}

#endif
