#include "support/walkers.h"

#include <math.h>
#include <string.h>

typedef double complex number;

enum { COLUMNS = 8 }; /* of the extrapolation: order 16 */

static const double pi = 3.14159265358979323846;
static const double small = 1e-30; /* i times this is the change of a complex step */

/* ---- smooth motion ---- */

/* The modified midpoint rule with k steps over h. */
static void midpoint_rule(const walker *w, const number *s, number h, int k, number *out)
{
  number z[3][WALKER_STATES], rate[WALKER_STATES];
  const number step = h / k;
  memcpy(z[0], s, sizeof z[0]);
  w->move(w, s, rate);
  for (int i = 0; i < w->states; i++) {
    z[1][i] = s[i] + step * rate[i];
  }
  for (int m = 1; m < k; m++) {
    w->move(w, z[1], rate);
    for (int i = 0; i < w->states; i++) {
      z[2][i] = z[0][i] + 2 * step * rate[i];
      z[0][i] = z[1][i], z[1][i] = z[2][i];
    }
  }
  w->move(w, z[1], rate);
  for (int i = 0; i < w->states; i++) {
    out[i] = 0.5 * (z[1][i] + z[0][i] + step * rate[i]);
  }
}

/* The state after h: midpoint rules with 2, 4, ..., 16 steps, extrapolated to infinitely many. */
static void advance(const walker *w, const number *s, number h, number *out)
{
  number table[COLUMNS][WALKER_STATES];
  for (int j = 0; j < COLUMNS; j++) {
    midpoint_rule(w, s, h, 2 * (j + 1), table[j]);
    for (int m = j; m-- > 0;) {
      const double ratio = (double)(j + 1) / (m + 1), factor = 1 / (ratio * ratio - 1);
      for (int i = 0; i < w->states; i++) {
        table[m][i] = table[m + 1][i] + factor * (table[m + 1][i] - table[m][i]);
      }
    }
  }
  memcpy(out, table[0], (size_t)w->states * sizeof *out);
}

/* ---- strides ---- */

/* From s to the strike within the next step h, by Newton's method on its length. */
static number advance_to_strike(const walker *w, const number *s, double h, number *out)
{
  number length = h, rate[WALKER_STATES], change;
  for (int k = 0; k < 12; k++) {
    advance(w, s, length, out);
    w->move(w, out, rate);
    length -= w->strike(w, out, rate, &change) / change;
  }
  advance(w, s, length, out);
  return length;
}

static double strike_value(const walker *w, const number *s)
{
  number rate[WALKER_STATES], change;
  w->move(w, s, rate);
  return creal(w->strike(w, s, rate, &change));
}

/* One stride of complex numbers; false: no foot strikes. */
static bool walk_stride(walker *w, const number *x, number *out)
{
  const double h = 0.02;
  number s[WALKER_STATES], next[WALKER_STATES];
  w->enter(w, x, s);
  for (int k = 0; k < 1000; k++) {
    const double before = strike_value(w, s);
    advance(w, s, h, next);
    if (k > 0 && before * strike_value(w, next) < 0 && w->counts(w, next)) {
      w->time = k * h + creal(advance_to_strike(w, s, h, next));
      w->jump(w, next);
      w->leave(w, next, out);
      return true;
    }
    memcpy(s, next, sizeof s);
  }
  return false;
}

/* ---- the map ---- */

static pk_status apply_walker(const pk_return_map *map, const double *x, double *out)
{
  number at[WALKER_STATES], to[WALKER_STATES];
  for (int i = 0; i < map->nx; i++) {
    at[i] = x[i];
  }
  const bool strikes = walk_stride(map->user, at, to);
  for (int i = 0; i < map->nx && strikes; i++) {
    out[i] = creal(to[i]);
  }
  return strikes ? PK_OK : PK_ERROR_CONVERGENCE;
}

/* Complex d: x moved by i small in direction k. */
static void change_direction(const pk_return_map *map, const double *x, int k, number *out)
{
  double d[WALKER_STATES] = {0}, moved[WALKER_STATES];
  d[k] = 1;
  for (int i = 0; i < map->nx; i++) {
    moved[i] = x[i] + d[i];
  }
  if (map->add != NULL) {
    map->add(map, x, d, moved);
  }
  /* directions of these walkers are straight lines */
  for (int i = 0; i < map->nx; i++) {
    out[i] = x[i] + I * small * (moved[i] - x[i]);
  }
}

static pk_status differentiate_walker(const pk_return_map *map, const double *x, double *J)
{
  const double zero[WALKER_STATES] = {0};
  for (int k = 0; k < map->n; k++) {
    number at[WALKER_STATES], to[WALKER_STATES];
    double rate[WALKER_STATES], d[WALKER_STATES];
    change_direction(map, x, k, at);
    if (!walk_stride(map->user, at, to)) {
      return PK_ERROR_CONVERGENCE;
    }
    for (int i = 0; i < map->nx; i++) {
      rate[i] = d[i] = cimag(to[i]) / small;
    }
    if (map->subtract != NULL) {
      map->subtract(map, rate, zero, d);
    }
    for (int i = 0; i < map->n; i++) {
      J[i * map->n + k] = d[i];
    }
  }
  return PK_OK;
}

/* ---- the rimless wheel ---- */

/* s = (theta, theta'): the angle of the spoke that stands from the normal of the slope, forward. */
static void move_rimless(const walker *w, const number *s, number *rate)
{
  rate[0] = s[1];
  rate[1] = w->gravity / w->length * w->inertia * csin(s[0] + w->slope);
}

static number strike_rimless(const walker *w, const number *s, const number *rate, number *change)
{
  *change = rate[0];
  return s[0] - pi / w->spokes;
}

static bool counts_always(const walker *w, const number *s)
{
  (void)w;
  return creal(s[1]) > 0;
}

static void jump_rimless(const walker *w, number *s)
{
  s[0] = -pi / w->spokes;
  s[1] *= 1 + w->inertia * (cos(2 * pi / w->spokes) - 1);
}

static void enter_rimless(const walker *w, const number *x, number *s)
{
  s[0] = -pi / w->spokes;
  s[1] = x[0];
}

static void leave_rimless(const walker *w, const number *s, number *x)
{
  (void)w;
  x[0] = s[1];
}

walker walker_rimless(int spokes, double inertia, double slope)
{
  return (walker){.states = 2,
                  .move = move_rimless,
                  .strike = strike_rimless,
                  .counts = counts_always,
                  .jump = jump_rimless,
                  .enter = enter_rimless,
                  .leave = leave_rimless,
                  .slope = slope,
                  .spokes = spokes,
                  .inertia = inertia,
                  .gravity = 9.81,
                  .length = 1};
}

/* ---- the simplest walker ---- */

/* s = (theta, phi, theta', phi'), time in sqrt(l / g): equations (1) and (2) of Garcia et al. 1998, feet without mass. */
static void move_simplest(const walker *w, const number *s, number *rate)
{
  rate[0] = s[2], rate[1] = s[3];
  rate[2] = csin(s[0] - w->slope);
  rate[3] = rate[2] + s[2] * s[2] * csin(s[1]) - ccos(s[0] - w->slope) * csin(s[1]);
}

static number strike_simplest(const walker *w, const number *s, const number *rate, number *change)
{
  (void)w;
  *change = rate[1] - 2 * rate[0];
  return s[1] - 2 * s[0];
}

/* The swinging foot scuffs the ground in the middle of the stride, which straight legs cannot avoid. */
static bool counts_behind(const walker *w, const number *s)
{
  (void)w;
  return creal(s[0]) < -0.1;
}

static void jump_simplest(const walker *w, number *s)
{
  const number c = ccos(2 * s[0]), theta = -s[0], rate = c * s[2];
  (void)w;
  s[0] = theta, s[1] = 2 * theta;
  s[2] = rate, s[3] = (1 - c) * rate;
}

static void enter_simplest(const walker *w, const number *x, number *s)
{
  (void)w;
  s[0] = x[0], s[1] = 2 * x[0];
  s[2] = x[1], s[3] = (1 - ccos(2 * x[0])) * x[1];
}

static void leave_simplest(const walker *w, const number *s, number *x)
{
  (void)w;
  x[0] = s[0], x[1] = s[2];
}

walker walker_simplest(double slope)
{
  return (walker){.states = 4,
                  .move = move_simplest,
                  .strike = strike_simplest,
                  .counts = counts_behind,
                  .jump = jump_simplest,
                  .enter = enter_simplest,
                  .leave = leave_simplest,
                  .slope = slope};
}

/* ---- the compass ---- */

/* s = (th_ns, th_s, th_ns', th_s'), angles from the vertical: M th'' + N th' + g = 0 of Goswami et al. 1998. */
static void move_compass(const walker *w, const number *s, number *rate)
{
  const double l = w->a + w->b, m = w->mass;
  const number c = ccos(s[1] - s[0]), d = csin(s[1] - s[0]);
  const number m11 = m * w->b * w->b, m12 = -m * l * w->b * c, m22 = (w->hip + m) * l * l + m * w->a * w->a;
  const number f1 = -m * l * w->b * d * s[3] * s[3] - m * w->b * w->gravity * csin(s[0]),
               f2 =
                   m * l * w->b * d * s[2] * s[2] + (w->hip * l + m * w->a + m * l) * w->gravity * csin(s[1]);
  const number det = m11 * m22 - m12 * m12;
  rate[0] = s[2], rate[1] = s[3];
  rate[2] = (m22 * f1 - m12 * f2) / det;
  rate[3] = (m11 * f2 - m12 * f1) / det;
}

static number strike_compass(const walker *w, const number *s, const number *rate, number *change)
{
  *change = rate[0] + rate[1];
  return s[0] + s[1] + 2 * w->slope;
}

/* Legs apart, the swinging one in front: the other zeros are the scuff and the start. */
static bool counts_apart(const walker *w, const number *s)
{
  (void)w;
  return creal(s[0]) > creal(s[1]) + 0.1;
}

/* Angular momentum about the foot that strikes, and of the leg that stood about the hip, are kept. */
static void jump_compass(const walker *w, number *s)
{
  const double l = w->a + w->b, m = w->mass, a = w->a, b = w->b;
  const number c = ccos(s[0] - s[1]);
  const number h1 = (w->hip * l * l + 2 * m * a * l) * c * s[3] - m * a * b * (s[2] + s[3]),
               h2 = -m * a * b * s[3];
  const number p11 = m * b * b - m * b * l * c, p12 = m * l * l + m * a * a + w->hip * l * l - m * b * l * c,
               p21 = m * b * b, p22 = -m * b * l * c;
  const number det = p11 * p22 - p12 * p21, swing = s[1], stand = s[0];
  s[0] = swing, s[1] = stand;
  s[2] = (p22 * h1 - p12 * h2) / det;
  s[3] = (p11 * h2 - p21 * h1) / det;
}

static void copy_compass(const walker *w, const number *from, number *to)
{
  memcpy(to, from, (size_t)w->states * sizeof *to);
}

walker walker_compass(double slope)
{
  return (walker){.states = 4,
                  .move = move_compass,
                  .strike = strike_compass,
                  .counts = counts_apart,
                  .jump = jump_compass,
                  .enter = copy_compass,
                  .leave = copy_compass,
                  .slope = slope,
                  .a = 0.5,
                  .b = 0.5,
                  .mass = 5,
                  .hip = 10,
                  .gravity = 9.81};
}

/* Directions of the compass after a strike: th_s with th_ns opposite to it, both rates. */
static void add_compass(const pk_return_map *map, const double *x, const double *d, double *out)
{
  (void)map;
  out[0] = x[0] - d[0], out[1] = x[1] + d[0];
  out[2] = x[2] + d[1], out[3] = x[3] + d[2];
}

static void subtract_compass(const pk_return_map *map, const double *a, const double *b, double *d)
{
  (void)map;
  d[0] = a[1] - b[1], d[1] = a[2] - b[2], d[2] = a[3] - b[3];
}

pk_return_map walker_map(walker *w, bool exact)
{
  const bool compass = w->move == move_compass, wheel = w->move == move_rimless;
  pk_return_map map = {.nx = compass ? 4 : wheel ? 1 : 2, .n = compass ? 3 : wheel ? 1 : 2, .user = w};
  map.apply = apply_walker;
  map.differentiate = exact ? differentiate_walker : NULL;
  map.add = compass ? add_compass : NULL;
  map.subtract = compass ? subtract_compass : NULL;
  return map;
}
