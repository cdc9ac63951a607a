/* SHA-256 (FIPS 180-4), for hashes that others published. */
#ifndef PK_TESTS_SHA256_H
#define PK_TESTS_SHA256_H

#include <stddef.h>

/* The hash as 64 hexadecimal digits and a NUL. */
void sha256_hex(const void *data, size_t size, char out[65]);

#endif
