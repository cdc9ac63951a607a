/* Numbers in text, read and written the same way in every locale and without a terminating NUL. */
#ifndef PKI_BASE_NUMBER_H
#define PKI_BASE_NUMBER_H

#include <stdbool.h>

/* Move `*cursor` past spaces, tabs and ends of lines, at most to `end`. */
void pki_skip_blanks(const char **cursor, const char *end);

/* Read one number at `*cursor` (which must not stand on a blank) and move the cursor past it;
 * false, with the cursor where it was, when there is none. What follows the number is the
 * caller's business: "1.5m" reads as 1.5 and leaves the cursor on "m".
 *
 * Reals are C's decimal floating constants with an optional sign, rounded to nearest, and
 * "inf", "infinity" and "nan" in any case; a value beyond the range of double is infinite. */
bool pki_parse_real(const char **cursor, const char *end, double *out);

/* Integers are decimal with an optional sign; one that does not fit a long is no number. */
bool pki_parse_int(const char **cursor, const char *end, long *out);

/* Room for a number as text. */
enum { PKI_REAL_TEXT = 32 };

/* The number in as few digits, from 15 on, as read back to the same bits; returns `out`. */
const char *pki_format_real(double value, char out[PKI_REAL_TEXT]);

#endif
