#include "report/ticks.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void pki_power_of_ten(int exponent, char *out, int size)
{
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  char plain[16];
  snprintf(plain, sizeof plain, "%d", exponent);
  int n = snprintf(out, (size_t)size, "10");
  for (const char *c = plain; *c != '\0' && n < size; c++) {
    n += snprintf(out + n, (size_t)(size - n), "%s", *c == '-' ? "⁻" : digits[*c - '0']);
  }
}

/* The multiple of 1, 2 or 5 times a power of ten nearest to `rough`. */
static double nice_step(double rough)
{
  const double power = pow(10, floor(log10(rough)));
  const double ratio = rough / power;
  return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

/* Decimals that a multiple of `step` needs. */
static int decimals_of(double step)
{
  const int digits = (int)ceil(-log10(step) - 1e-9);
  return digits > 0 ? digits : 0;
}

/* A long number that hardly changes along the axis is labelled by its change. */
static void choose_offset(double step, pki_ticks *t)
{
  double largest = 0;
  for (int i = 0; i < t->count; i++) {
    largest = fmax(largest, fabs(t->value[i]));
  }
  t->offset = 0;
  if (t->count > 0 && step < 1e-5 * largest) {
    t->offset = t->value[0];
    t->offset_digits = decimals_of(step);
  }
}

static void write_labels(double step, pki_ticks *t)
{
  double largest = 0;
  for (int i = 0; i < t->count; i++) {
    largest = fmax(largest, fabs(t->value[i] - t->offset));
  }
  /* One power of ten for all labels when they would be long. */
  t->exponent = 0;
  if (largest >= 99999.5 || (largest > 0 && largest < 0.00999)) {
    t->exponent = (int)floor(log10(largest) + 1e-9);
  }
  const double scale = pow(10, t->exponent);
  const int decimals = decimals_of(step / scale);
  for (int i = 0; i < t->count; i++) {
    double v = (t->value[i] - t->offset) / scale;
    v = fabs(v) < 1e-9 * step / scale ? 0 : v;
    snprintf(t->label[i], sizeof t->label[i], "%s%.*f", v < 0 ? "−" : "", decimals, fabs(v));
  }
}

void pki_ticks_linear(double least, double most, int want, pki_ticks *out)
{
  memset(out, 0, sizeof *out);
  if (!(most > least) || !isfinite(most - least)) {
    return;
  }
  double step = nice_step((most - least) / (want > 1 ? want : 2));
  while ((most - least) / step > PKI_TICKS_MAX - 2) {
    step *= 2;
  }
  /* A tick that rounding pushed just outside still belongs to the axis. */
  const double slack = 1e-9 * step;
  const double first = ceil((least - slack) / step);
  for (int i = 0; i < PKI_TICKS_MAX; i++) {
    const double v = (first + i) * step;
    if (v > most + slack) {
      break;
    }
    out->value[out->count++] = fabs(v) < slack ? 0 : v;
  }
  choose_offset(step, out);
  write_labels(step, out);
}

void pki_ticks_log(double least, double most, int want, pki_ticks *out)
{
  memset(out, 0, sizeof *out);
  if (!(least > 0) || !(most > least) || !isfinite(most)) {
    return;
  }
  const int first = (int)ceil(log10(least) - 1e-9), last = (int)floor(log10(most) + 1e-9);
  const bool fine = last - first < 2;
  int stride = 1;
  while ((last - first) / stride + 1 > (want > 1 ? want : 2) || (last - first) / stride + 1 > PKI_TICKS_MAX) {
    stride++;
  }
  /* Thinned decades are multiples of the stride. */
  const int start = fine ? first - 1 : first + ((-first) % stride + stride) % stride;
  for (int e = start; e <= last; e += stride) {
    static const int parts[] = {1, 2, 5};
    for (int k = 0; k < (fine ? 3 : 1) && out->count < PKI_TICKS_MAX; k++) {
      const double v = parts[k] * pow(10, e);
      if (v < least * (1 - 1e-9) || v > most * (1 + 1e-9)) {
        continue;
      }
      char power[24];
      pki_power_of_ten(e, power, sizeof power);
      char *label = out->label[out->count];
      const int size = (int)sizeof out->label[0];
      if (fine && e >= -3 && e <= 4) {
        snprintf(label, (size_t)size, "%g", v);
      } else if (parts[k] == 1) {
        snprintf(label, (size_t)size, "%s", power);
      } else {
        snprintf(label, (size_t)size, "%d·%.16s", parts[k], power);
      }
      out->value[out->count++] = v;
    }
  }
}
