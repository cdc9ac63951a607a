/* The secret in the viewer's address: who knows it may connect. */
#ifndef PKI_SERVE_TOKEN_H
#define PKI_SERVE_TOKEN_H

#include <stdbool.h>

#include "base/error.h"

enum { PKI_TOKEN_SIZE = 33 }; /* 128 bits as hexadecimal digits, and a zero */

/* From the system's generator of random numbers. */
pk_status pki_token_create(char token[PKI_TOKEN_SIZE], pk_error *err);

/* Takes the same time wherever they differ. NULL is equal to nothing. */
bool pki_token_equal(const char token[PKI_TOKEN_SIZE], const char *given);

#endif
