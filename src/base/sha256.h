/* SHA-256 (FIPS 180-4): for hashes that others published, and for names and checks of files. */
#ifndef PKI_BASE_SHA256_H
#define PKI_BASE_SHA256_H

#include <stddef.h>

/* The hash as 64 hexadecimal digits and a NUL. */
void pki_sha256_hex(const void *data, size_t size, char out[65]);

#endif
