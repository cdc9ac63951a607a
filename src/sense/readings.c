/* From what a sensor measures to what it reads, in one step:
 *
 *   x                     what the kind measures
 *   y += (1 - exp(-2 pi bandwidth dt)) (x - y)          low-pass, exact for x constant in the step
 *   z  = y + bias + walk + noise                        when a sample is due
 *   z  = clamp(resolution round(z / resolution), +-range)
 *   z  = what follows from it (finish), or the sample before when this one is lost
 *   reading = z of `latency` earlier
 *
 * Random numbers come from a generator for each place (seed, stream, sensor, step): there is no generator to remember. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/mat3.h"
#include "sense/sensing.h"

/* What a world remembers of one sensor. */
typedef struct remembered {
  double *own;    /* [memory] of the kind */
  double *filter; /* [width] y, where there is a bandwidth */
  double *bias;   /* [errors] where there is one */
  double *walk;   /* [errors] likewise */
  double *ring;   /* [late + 1][width] samples, that of step k in slot k mod (late + 1) */
  int late;       /* steps */
  double *end;    /* of all */
} remembered;

static bool has_bias(const pk_sensor_part *p)
{
  return p->linear.bias > 0 || p->angular.bias > 0;
}

static bool has_walk(const pk_sensor_part *p)
{
  return p->linear.bias_walk > 0 || p->angular.bias_walk > 0;
}

static int late_steps(const pk_sensor_part *p, double dt)
{
  return (int)round(p->latency / dt);
}

/* Where it lies, from `at` on. */
static remembered lay_out(const pki_sensor *s, double dt, double *at)
{
  const pk_sensor_part *p = &s->as.part;
  const int late = late_steps(p, dt), errors = s->linear + s->angular;
  double *const filter = at + s->as.kind->memory, *const bias = filter + (p->bandwidth > 0 ? s->width : 0);
  double *const walk = bias + (has_bias(p) ? errors : 0), *const ring = walk + (has_walk(p) ? errors : 0);
  return (remembered){.own = at,
                      .filter = filter,
                      .bias = bias,
                      .walk = walk,
                      .ring = ring,
                      .late = late,
                      .end = ring + (ptrdiff_t)(late + 1) * s->width};
}

size_t pki_sensing_memory(const pk_sensing *sensing, double dt)
{
  size_t size = 0;
  for (int i = 0; i < sensing->count; i++) {
    const pki_sensor *s = &sensing->sensors[i];
    const pk_sensor_part *p = &s->as.part;
    const size_t width = (size_t)s->width, errors = (size_t)(s->linear + s->angular);
    size += (size_t)s->as.kind->memory + (p->bandwidth > 0 ? width : 0) + (has_bias(p) ? errors : 0);
    size += (has_walk(p) ? errors : 0) + (size_t)(late_steps(p, dt) + 1) * width;
  }
  return size;
}

/* Samples are due at multiples of 1 / rate; each is taken at the end of the first step that reaches it. */
static bool is_due(double rate, double dt, long long step)
{
  static const double rounding = 1e-6;
  const double each = rate * dt;
  return rate <= 0 || each >= 1 ||
         floor((double)step * each + rounding) > floor((double)(step - 1) * each + rounding);
}

/* ---- errors ---- */

static const pk_sensor_errors *errors_of(const pki_sensor *s, int k)
{
  return k < s->linear ? &s->as.part.linear : &s->as.part.angular;
}

static void draw_biases(const pki_sensor *s, pki_random *random, double *bias)
{
  for (int k = 0; k < s->linear + s->angular; k++) {
    bias[k] = errors_of(s, k)->bias * pki_random_normal(random);
  }
}

/* Biases walk on over the time from one sample to the next. */
static void walk_biases(const pki_sensor *s, double elapsed, pki_random *random, double *walk)
{
  for (int k = 0; k < s->linear + s->angular; k++) {
    const pk_sensor_errors *e = errors_of(s, k);
    if (e->bias_walk <= 0) {
      continue;
    }
    const double tau = e->correlation, phi = tau > 0 ? exp(-elapsed / tau) : 1;
    const double spread = tau > 0 ? e->bias_walk * sqrt(0.5 * tau * (1 - phi * phi)) /* Gauss-Markov */
                                  : e->bias_walk * sqrt(elapsed);
    walk[k] = phi * walk[k] + spread * pki_random_normal(random);
  }
}

/* Of number k: biases and white noise. */
static double error_of(const pki_sensor *s, int k, double rate, const remembered *m, pki_random *random)
{
  const pk_sensor_errors *e = errors_of(s, k);
  const double sigma = sqrt(e->noise * e->noise + e->density * e->density * rate);
  double sum = sigma > 0 ? sigma * pki_random_normal(random) : 0;
  sum += has_bias(&s->as.part) ? m->bias[k] : 0;
  sum += has_walk(&s->as.part) ? m->walk[k] : 0;
  return sum;
}

/* q := q (*) exp(e / 2), a rotation by e about the sensor's own axes. */
static void turn_quaternion(double q[4], const double e[3])
{
  const double angle = pki_length3(e);
  if (angle == 0) {
    return;
  }
  const double c = cos(0.5 * angle), n = sin(0.5 * angle) / angle;
  const double d[3] = {n * e[0], n * e[1], n * e[2]}, w = q[0];
  double cross[3];
  pki_cross3(q + 1, d, cross);
  q[0] = w * c - pki_dot3(q + 1, d);
  for (int i = 0; i < 3; i++) {
    q[1 + i] = w * d[i] + c * q[1 + i] + cross[i];
  }
}

/* Counted in steps of its resolution, and cut off at its range. */
static double digitise(double x, const pk_sensor_errors *e)
{
  const double counted = e->resolution > 0 ? e->resolution * round(x / e->resolution) : x;
  return e->range > 0 ? fmin(fmax(counted, -e->range), e->range) : counted;
}

static void add_errors(const pki_sensor *s, double rate, const remembered *m, pki_random *random,
                       double *values)
{
  const int vectors = s->as.kind->attitude ? s->linear : s->linear + s->angular;
  for (int k = 0; k < vectors; k++) {
    values[k] = digitise(values[k] + error_of(s, k, rate, m, random), errors_of(s, k));
  }
  if (s->as.kind->attitude) {
    double turn[3];
    for (int i = 0; i < 3; i++) {
      turn[i] = error_of(s, s->linear + i, rate, m, random);
    }
    turn_quaternion(values + s->linear, turn);
  }
}

/* ---- one sensor ---- */

/* The low-pass, in place: values become what passes. */
static void pass_filter(const pki_sensor *s, double dt, bool begins, double *filter, double *values)
{
  static const double two_pi = 6.283185307179586;
  const double part = begins ? 1 : -expm1(-two_pi * s->as.part.bandwidth * dt);
  for (int k = 0; k < s->width; k++) {
    filter[k] = begins ? values[k] : filter[k] + part * (values[k] - filter[k]);
    values[k] = filter[k];
  }
}

static void read_sensor(const pki_sensor *s, const pk_sensing_input *in, const uint64_t place[4], bool begins,
                        const remembered *m, double *values, double *reading)
{
  const pk_sensing_kind *kind = s->as.kind;
  const pk_sensor_part *p = &s->as.part;
  const size_t bytes = (size_t)s->width * sizeof *values;
  const long long slots = m->late + 1, now = in->step % slots, last = (in->step + slots - 1) % slots;
  double *const sample = m->ring + now * s->width;
  pki_random random = pki_random_at(place, 4);
  const bool due = begins || is_due(p->rate, in->dt, in->step);
  const bool lost = p->dropout > 0 && pki_random_unit(&random) < p->dropout && !begins;
  const double rate = p->rate > 0 ? p->rate : 1 / in->dt;
  if ((due && !lost) || kind->always || p->bandwidth > 0) {
    kind->read(&s->as, in, m->own, values);
    if (p->bandwidth > 0) {
      pass_filter(s, in->dt, begins, m->filter, values);
    }
  }
  if (due && !in->anew && has_walk(p)) {
    walk_biases(s, fmax(1 / rate, in->dt), &random, m->walk);
  }
  if (due && !lost) {
    add_errors(s, rate, m, &random, values);
    if (kind->finish != NULL) {
      kind->finish(&s->as, in, m->own, values);
    }
    memcpy(sample, values, bytes);
  } else if (now != last) {
    memcpy(sample, m->ring + last * s->width, bytes);
  }
  for (int i = 0; i <= m->late && begins; i++) { /* before the beginning all was as it is then */
    memcpy(m->ring + (ptrdiff_t)i * s->width, values, bytes);
  }
  memcpy(reading, m->ring + (in->step + 1) % slots * s->width, bytes);
}

void pki_sensing_read(const pk_sensing *sensing, pk_sensing_input *in, uint64_t stream, bool begins,
                      double *scratch, double *memory, double *readings)
{
  for (int i = 0; i < sensing->count; i++) {
    const pki_sensor *s = &sensing->sensors[i];
    const remembered m = lay_out(s, in->dt, memory);
    uint64_t place[4] = {sensing->seed, stream, (uint64_t)i, UINT64_MAX};
    if (begins && has_bias(&s->as.part)) {
      pki_random random = pki_random_at(place, 4);
      draw_biases(s, &random, m.bias);
    }
    place[3] = (uint64_t)in->step;
    in->frame = &s->frame;
    read_sensor(s, in, place, begins, &m, scratch, readings + s->first);
    memory = m.end;
  }
}
