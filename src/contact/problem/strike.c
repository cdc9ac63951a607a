#include "contact/problem/strike.h"

#include <math.h>
#include <stdbool.h>

static const double STILL = 1e-9;     /* of the velocity at the start: slower does not slide */
static const double LEVEL = 1e-14;    /* of the normal velocity at the start */
static const double SINGULAR = 1e-13; /* of the tangents' larger eigenvalue: the smaller one is none */
static const double PART = 0.1; /* of the slip, the most that it changes by in one step where it turns */

enum { STEPS = 4000, DIRECTIONS = 64, HALVINGS = 60 };

typedef struct strike {
  const double *K, *v0;
  double mu;
  double still;      /* m/s */
  double level;      /* m/s, a normal velocity of less is none */
  double p[3], v[3]; /* impulse and velocity now */
  double work;       /* W */
  double least;      /* W_c so far */
  bool settled;      /* the slip has been zero: `ratio` is dp_T/dp_n from then on */
  double ratio[2];
} strike;

static void set_velocity(strike *s)
{
  for (int i = 0; i < 3; i++) {
    const double *K = s->K + 3 * i;
    s->v[i] = s->v0[i] + K[0] * s->p[0] + K[1] * s->p[1] + K[2] * s->p[2];
  }
}

/* dp_T/dp_n of sliding at v_T. */
static void sliding_ratio(const strike *s, const double v_T[2], double ratio[2])
{
  const double size = sqrt(v_T[0] * v_T[0] + v_T[1] * v_T[1]);
  ratio[0] = size > 0 ? -s->mu * v_T[0] / size : 0;
  ratio[1] = size > 0 ? -s->mu * v_T[1] / size : 0;
}

/* dv/dp_n at a ratio of friction. */
static void velocity_rate(const double K[9], const double ratio[2], double rate[3])
{
  for (int i = 0; i < 3; i++) {
    rate[i] = K[3 * i] + K[3 * i + 1] * ratio[0] + K[3 * i + 2] * ratio[1];
  }
}

/* ---- the slip has ended ---- */

/* The tangents that keep v_T as it is, K_TT ratio = -K_TN, along the axes of K_TT; none along one in which the contact cannot move. */
static void sticking_ratio(const double K[9], double ratio[2])
{
  const double middle = 0.5 * (K[4] + K[8]), half = 0.5 * (K[4] - K[8]), off = 0.5 * (K[5] + K[7]);
  const double radius = hypot(half, off), angle = 0.5 * atan2(off, half), c = cos(angle), s = sin(angle);
  const double large = middle + radius, small = middle - radius;
  const double first = large > 0 ? -(c * K[3] + s * K[6]) / large : 0;
  const double second = small > SINGULAR * large ? -(c * K[6] - s * K[3]) / small : 0;
  ratio[0] = c * first - s * second, ratio[1] = s * first + c * second;
}

/* Across and along the direction at an angle: how the slip would change that begins there. */
static double across_slip(const strike *s, double angle, double *along)
{
  const double x = cos(angle), y = sin(angle), ratio[2] = {-s->mu * x, -s->mu * y};
  double rate[3];
  velocity_rate(s->K, ratio, rate);
  *along = x * rate[1] + y * rate[2];
  return x * rate[2] - y * rate[1];
}

/* The direction in which slip begins anew, as a ratio of friction. */
static void reversed_ratio(const strike *s, double ratio[2])
{
  const double width = 2 * acos(-1.0) / DIRECTIONS;
  double along, found = 0, best = -INFINITY;
  for (int k = 0; k < DIRECTIONS; k++) {
    double low = k * width, high = low + width;
    const double first = across_slip(s, low, &along);
    /* all the way round, so that no sign is taken at two places for one */
    if ((first > 0) == (across_slip(s, (k + 1) % DIRECTIONS * width, &along) > 0)) {
      continue;
    }
    for (int i = 0; i < HALVINGS; i++) {
      const double middle = 0.5 * (low + high);
      if ((across_slip(s, middle, &along) > 0) == (first > 0)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    across_slip(s, low, &along);
    if (along > best) {
      best = along, found = low;
    }
  }
  ratio[0] = -s->mu * cos(found), ratio[1] = -s->mu * sin(found);
}

static void settle(strike *s)
{
  sticking_ratio(s->K, s->ratio);
  if (hypot(s->ratio[0], s->ratio[1]) > s->mu) {
    reversed_ratio(s, s->ratio);
  }
  s->settled = true;
}

/* ---- stages ---- */

static bool is_compressing(const strike *s)
{
  return s->v[0] < -s->level;
}

/* The work of the normal force that has still to come back. */
static double missing_work(const strike *s, double e)
{
  return (1 - e * e) * s->least - s->work;
}

/* The normal impulse to the end of this stage of the normal motion, when v_n changes at this rate; infinite: it has none. */
static double normal_end(const strike *s, double e, double rate)
{
  if (is_compressing(s)) {
    return rate > 0 ? -s->v[0] / rate : INFINITY;
  }
  const double v = fmax(s->v[0], 0), missing = fmax(missing_work(s, e), 0);
  const double square = v * v + 2 * rate * missing;
  if (square < 0) { /* compressed again before */
    return v > s->level ? -v / rate : INFINITY;
  }
  const double sum = v + sqrt(square);
  return missing > 0 ? (sum > 0 ? 2 * missing / sum : INFINITY) : 0;
}

/* Go on by h at one ratio of friction. */
static void advance_straight(strike *s, const double ratio[2], double h)
{
  const double before = s->v[0];
  s->p[0] += h, s->p[1] += h * ratio[0], s->p[2] += h * ratio[1];
  set_velocity(s);
  s->work += 0.5 * h * (before + s->v[0]);
}

/* The ratio of sliding after the normal impulse has grown by h and friction by h times `ratio`. */
static double later_ratio(const strike *s, double h, const double ratio[2], double out[2])
{
  const double dp[3] = {h, h * ratio[0], h * ratio[1]};
  double v[3];
  for (int i = 0; i < 3; i++) {
    v[i] = s->v[i] + s->K[3 * i] * dp[0] + s->K[3 * i + 1] * dp[1] + s->K[3 * i + 2] * dp[2];
  }
  sliding_ratio(s, v + 1, out);
  return v[0];
}

/* The same where the slip turns: one step of order 4. */
static void advance_turning(strike *s, double h)
{
  double a[2], b[2], c[2], d[2], mean[2];
  sliding_ratio(s, s->v + 1, a);
  const double n2 = later_ratio(s, 0.5 * h, a, b), n3 = later_ratio(s, 0.5 * h, b, c);
  const double n4 = later_ratio(s, h, c, d);
  s->work += h * (s->v[0] + 2 * n2 + 2 * n3 + n4) / 6;
  for (int k = 0; k < 2; k++) {
    mean[k] = (a[k] + 2 * b[k] + 2 * c[k] + d[k]) / 6;
    s->p[k + 1] += h * mean[k];
  }
  s->p[0] += h;
  set_velocity(s);
}

/* The length of the turning step that ends this stage, from a guess. */
static double refine_end(const strike *s, double e, double h)
{
  enum { ROUNDS = 8 };
  for (int i = 0; i < ROUNDS; i++) {
    strike end = *s;
    double ratio[2], rate[3];
    advance_turning(&end, h);
    sliding_ratio(&end, end.v + 1, ratio);
    velocity_rate(s->K, ratio, rate);
    const bool compressing = is_compressing(s);
    const double over = compressing ? end.v[0] : -missing_work(&end, e),
                 slope = compressing ? rate[0] : end.v[0];
    const double next = slope > 0 ? h - over / slope : h;
    if (!(next > 0 && next < 2 * h)) {
      break;
    }
    h = next;
  }
  return h;
}

/* One turning step, or a shorter one that ends with the stage of the normal motion. */
static void turn_on(strike *s, double e, double h)
{
  strike end = *s;
  advance_turning(&end, h);
  const bool crossed = is_compressing(s) ? end.v[0] > -s->level : missing_work(&end, e) < 0;
  if (crossed) {
    advance_turning(s, refine_end(s, e, h));
  } else {
    *s = end;
  }
}

/* One stage of sliding: to the end of the slip, of the normal stage, or a step on the way. */
static void slide(strike *s, double e)
{
  double ratio[2], rate[3];
  sliding_ratio(s, s->v + 1, ratio);
  velocity_rate(s->K, ratio, rate);
  const double slip = hypot(s->v[1], s->v[2]), change = hypot(rate[1], rate[2]);
  const double turn = s->v[1] * rate[2] - s->v[2] * rate[1], along = s->v[1] * rate[1] + s->v[2] * rate[2];
  const bool straight = fabs(turn) <= s->still * change; /* it ends beside zero by less than counts */
  const double normal = normal_end(s, e, rate[0]);
  if (!straight) {
    const double most = s->mu * (s->K[4] + s->K[8]) + hypot(s->K[3], s->K[6]); /* that v_T can change by */
    turn_on(s, e, fmin(normal, PART * slip / most));
  } else if (along < 0 && slip / change <= normal) {
    advance_straight(s, ratio, slip / change);
    settle(s);
  } else {
    advance_straight(s, ratio, normal);
  }
}

/* Compression is over and e^2 of its work has come back. */
static bool has_ended(const strike *s, double e)
{
  return s->least < 0 && !is_compressing(s) && missing_work(s, e) <= -1e-13 * s->least;
}

void pki_strike(const double K[9], const double v[3], double mu, double e, double p[3])
{
  strike s = {.K = K, .v0 = v, .mu = mu};
  set_velocity(&s);
  const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  s.still = STILL * speed, s.level = LEVEL * fabs(v[0]);
  for (int k = 0; k < STEPS && v[0] < 0 && !has_ended(&s, e); k++) {
    if (mu > 0 && !s.settled && hypot(s.v[1], s.v[2]) <= s.still) {
      settle(&s);
    }
    if (mu > 0 && !s.settled) {
      slide(&s, e);
    } else {
      double rate[3];
      velocity_rate(K, s.ratio, rate);
      advance_straight(&s, s.ratio, normal_end(&s, e, rate[0]));
    }
    s.least = fmin(s.least, s.work);
  }
  p[0] = s.p[0], p[1] = s.p[1], p[2] = s.p[2];
}
