/* Phase oscillators on a star, n of them: each leg is coupled to the left fore one, both ways.
 *
 *   T dphi_i/dt = 1 - k f(e_i),   T dphi_0/dt = 1 + k/(n-1) sum f(e_i),   e_i = phi_i + d_i - phi_0 - d_0,  i = 1 .. n-1
 *
 * d the footfalls of the gait, e wrapped to [-1/2, 1/2), f(e) = sin(pi e). On a tree no other differences of phase can
 * last: equal rates ask for -f(e_i) = sum f / (n-1) = c for all i, so c = -c = 0, and f vanishes at e = 0 alone.
 * Kuramoto's sin(2 pi e) would also rest at e = 1/2, which is where a trot is when it should become a pace.
 * V = sum (1 - cos pi e_i) falls along every path with |e_i| < 0.45; near the gait the differences die as exp(-k pi t/T)
 * and faster. Which way round a leg goes that is half a cycle off (|e_i| of 0.45 and more) is chosen so that on the way
 * the feet land one after the other, as in a walk: some go the long way, and V rises until they have passed e = 1/2.
 * No phase runs backward or at twice its pace, since k < 1: feet never jump in their cycle.
 *
 * The time of a swing and that of the cycle follow with a time constant of half a cycle; the duty is what remains, so
 * that on the way no foot is in the air for longer than in both gaits. */
#include "gait/cpg.h"

#include <math.h>
#include <string.h>

#include "math/lane.h"

static const double coupling = 0.4;
static const double follow = 2;                   /* of swing and cycle, by cycle */
static const double steady = 0.55;                /* duty on the way to gaits with flight */
static const double settled = 0.02, spread = 0.1; /* cycles, from where on legs are on their way */
static const double pi = 3.141592653589793;

/* To half a cycle on either side. By pki_round: SSE2 has no floor instruction. */
static double wrap_cycles(double cycles)
{
  return cycles - pki_round(cycles);
}

static double phase_error(const pki_cpg *g, const double footfall[PKI_LEGS], int leg)
{
  return wrap_cycles(g->phase[leg] + footfall[leg] - g->phase[0] - footfall[0]);
}

/* Legs that are half a cycle off go round so that they pass these footfalls. */
static double directed_error(const double footfall[PKI_LEGS], int leg, double e)
{
  static const double by[PKI_LEGS] = {0, 0.75, 0.75, 0.25, 0.5, 0};
  if (fabs(e) < 0.45) {
    return e;
  }
  const double half = footfall[leg] - footfall[0] - by[leg];
  return fabs(wrap_cycles(half - 0.25)) <= fabs(wrap_cycles(half + 0.25)) ? fabs(e) : -fabs(e);
}

/* k f(e) = k sin(pi e); legs in their places ask for the sine of a rounding error, which is its argument. */
static double coupling_pull(double e)
{
  const double angle = pi * e;
  return coupling * (fabs(angle) < 1e-8 ? angle : sin(angle));
}

void pki_cpg_start(pki_cpg *g, int legs, const pki_rhythm *rhythm)
{
  memset(g, 0, sizeof *g);
  g->legs = legs;
  g->duty = rhythm->duty;
  g->cycle = rhythm->cycle;
  for (int i = 0; i < g->legs; i++) {
    const double place = rhythm->footfall[0] - rhythm->footfall[i];
    g->phase[i] = place - floor(place);
    g->late[i] = g->phase[i] >= g->duty;
    g->rate[i] = 1 / g->cycle;
  }
}

void pki_cpg_step(pki_cpg *g, const pki_rhythm *goal, double dt)
{
  double rate[PKI_LEGS] = {1, 1, 1, 1, 1, 1};
  for (int i = 1; i < g->legs; i++) {
    const double pull = coupling_pull(directed_error(goal->footfall, i, phase_error(g, goal->footfall, i)));
    rate[i] -= pull;
    rate[0] += pull * (1.0 / (g->legs - 1));
  }
  const double pace = 1 / g->cycle, part = dt * pace;
  for (int i = 0; i < g->legs; i++) {
    g->phase[i] += part * rate[i];
    g->rate[i] = rate[i] * pace;
    if (g->late[i] && g->phase[i] >= 1) {
      g->late[i] = false;
    }
  }
  double duty = goal->duty;
  if (duty < steady) {
    /* legs on their way to a gait with flight stand longer: two of them would not carry what four do */
    const double far = fmax(0, fmin(1, (pki_cpg_distance(g, goal) - settled) / spread));
    duty += far * (steady - duty);
  }
  if (g->cycle != goal->cycle || g->duty != duty) {
    const double blend = 1 - exp(-follow * part);
    const double swing = (1 - g->duty) * g->cycle, swing_goal = (1 - duty) * goal->cycle;
    g->cycle += blend * (goal->cycle - g->cycle);
    g->duty = 1 - (swing + blend * (swing_goal - swing)) / g->cycle;
  }
}

double pki_cpg_distance(const pki_cpg *g, const pki_rhythm *rhythm)
{
  double most = 0;
  for (int i = 1; i < g->legs; i++) {
    most = fmax(most, fabs(phase_error(g, rhythm->footfall, i)));
  }
  return most;
}

/* A flight begins where a foot leaves and no other stands. */
bool pki_cpg_flies(const pki_cpg *g)
{
  bool flies = false;
  for (int i = 0; i < g->legs; i++) {
    bool alone = true;
    for (int j = 0; j < g->legs; j++) {
      const double place = pki_cpg_place(g, j) + g->duty - pki_cpg_place(g, i);
      const double then = place - floor(place);
      alone = alone && (i == j || then >= g->duty - 1e-6 || then < 1e-6);
    }
    flies = flies || alone;
  }
  return flies;
}
