#include "base/number.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A double is settled by its first 768 significant decimal digits and by whether any digit
 * after them is not zero. */
enum { DIGITS_MAX = 780 };

/* An unsigned decimal number taken apart: 0.d1 d2 ... dn is kept as the integer d1 d2 ... dn
 * times a power of ten, so that no decimal point (which depends on the locale) is left. */
typedef struct decimal {
  char digit[DIGITS_MAX + 16]; /* significant digits; room for the exponent's text */
  int count;
  long long exponent; /* power of ten of the last digit */
} decimal;

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

void pki_skip_blanks(const char **cursor, const char *end)
{
  const char *p = *cursor;
  while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r'))) {
    p++;
  }
  *cursor = p;
}

/* Whether the text at p begins with a lower-case word, in any case of its own. */
static bool starts_with_word(const char *p, const char *end, const char *word)
{
  for (; *word != '\0'; word++, p++) {
    if (p == end || (*p | 0x20) != *word) {
      return false;
    }
  }
  return true;
}

/* "inf", "infinity" or "nan"; the length read, 0 when it is none of them. */
static int read_special(const char *p, const char *end, double *out)
{
  if (starts_with_word(p, end, "inf")) {
    *out = INFINITY;
    return starts_with_word(p, end, "infinity") ? 8 : 3;
  }
  if (starts_with_word(p, end, "nan")) {
    *out = NAN;
    return 3;
  }
  return 0;
}

/* Digits with at most one point among them; NULL when there is no digit. */
static const char *read_mantissa(const char *p, const char *end, decimal *d)
{
  bool any = false, point = false, sticky = false;
  for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
    if (*p == '.') {
      point = true;
      continue;
    }
    any = true;
    const bool leading_zero = d->count == 0 && *p == '0';
    if (!leading_zero && d->count == DIGITS_MAX) {
      sticky = sticky || *p != '0';
      d->exponent += !point;
      continue;
    }
    if (!leading_zero) {
      d->digit[d->count++] = *p;
    }
    d->exponent -= point;
  }
  if (sticky) {
    d->digit[d->count++] = '1';
    d->exponent--;
  }
  return any ? p : NULL;
}

/* "e" and an integer; p itself when there is no complete exponent. */
static const char *read_exponent(const char *p, const char *end, decimal *d)
{
  const char *q = p;
  if (q == end || (*q | 0x20) != 'e') {
    return p;
  }
  q++;
  const bool negative = q < end && *q == '-';
  if (q < end && (*q == '-' || *q == '+')) {
    q++;
  }
  if (q == end || !is_digit(*q)) {
    return p;
  }
  const long long most = INT64_C(1000000000000000);
  long long value = 0;
  for (; q < end && is_digit(*q); q++) {
    value = value < most ? 10 * value + (*q - '0') : value;
  }
  d->exponent += negative ? -value : value;
  return q;
}

/* The double nearest to the decimal. Up to 2^53 and 10^22 both factors are exact, and one
 * operation rounds once (W. D. Clinger, How to read floating point numbers accurately, 1990);
 * beyond that the C library reads the digits as an integer with an exponent. */
static double decimal_value(decimal *d)
{
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (d->count == 0) {
    return 0;
  }
  if (d->count <= 15 && d->exponent >= -22 && d->exponent <= 22) {
    int64_t integer = 0;
    for (int i = 0; i < d->count; i++) {
      integer = 10 * integer + (d->digit[i] - '0');
    }
    return d->exponent < 0 ? (double)integer / power[-d->exponent] : (double)integer * power[d->exponent];
  }
  const long long most = 99999;
  const long long exponent = d->exponent > most ? most : d->exponent < -most ? -most : d->exponent;
  snprintf(d->digit + d->count, sizeof d->digit - (size_t)d->count, "e%lld", exponent);
  return strtod(d->digit, NULL);
}

bool pki_parse_real(const char **cursor, const char *end, double *out)
{
  const char *p = *cursor;
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) {
    p++;
  }
  double value;
  const int special = read_special(p, end, &value);
  if (special > 0) {
    p += special;
  } else {
    decimal d;
    d.count = 0;
    d.exponent = 0;
    p = read_mantissa(p, end, &d);
    if (p == NULL) {
      return false;
    }
    p = read_exponent(p, end, &d);
    value = decimal_value(&d);
  }
  *out = negative ? -value : value;
  *cursor = p;
  return true;
}

bool pki_parse_int(const char **cursor, const char *end, long *out)
{
  const char *p = *cursor;
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) {
    p++;
  }
  if (p == end || !is_digit(*p)) {
    return false;
  }
  /* Counted downwards: LONG_MIN has no positive partner. */
  long value = 0;
  for (; p < end && is_digit(*p); p++) {
    const int digit = *p - '0';
    if (value < (LONG_MIN + digit) / 10) {
      return false;
    }
    value = 10 * value - digit;
  }
  if (!negative && value == LONG_MIN) {
    return false;
  }
  *out = negative ? value : -value;
  *cursor = p;
  return true;
}

const char *pki_format_real(double value, char out[PKI_REAL_TEXT])
{
  /* 17 digits tell any two doubles apart; most numbers that people write need no more than 15 */
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, PKI_REAL_TEXT, "%.*g", digits, value);
    char *point = strchr(out, ',');
    if (point != NULL) {
      *point = '.'; /* a locale's */
    }
    const char *cursor = out;
    double back;
    if (pki_parse_real(&cursor, out + strlen(out), &back) && back == value) {
      break;
    }
  }
  return out;
}
