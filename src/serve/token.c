#define _DEFAULT_SOURCE
#include "serve/token.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

pk_status pki_token_create(char token[PKI_TOKEN_SIZE], pk_error *err)
{
  static const char digit[] = "0123456789abcdef";
  unsigned char bits[(PKI_TOKEN_SIZE - 1) / 2];
  size_t have = 0;
  while (have < sizeof bits) {
    const ssize_t n = getrandom(bits + have, sizeof bits - have, 0);
    if (n < 0 && errno != EINTR) {
      return pki_fail(err, PK_ERROR_FILE, (pki_where){0}, "no random numbers from the system: %s",
                      strerror(errno));
    }
    have += n > 0 ? (size_t)n : 0;
  }
  for (size_t i = 0; i < sizeof bits; i++) {
    token[2 * i] = digit[bits[i] >> 4];
    token[2 * i + 1] = digit[bits[i] & 15];
  }
  token[PKI_TOKEN_SIZE - 1] = '\0';
  return PK_OK;
}

bool pki_token_equal(const char token[PKI_TOKEN_SIZE], const char *given)
{
  if (given == NULL || strlen(given) != PKI_TOKEN_SIZE - 1) {
    return false;
  }
  volatile unsigned char difference = 0;
  for (int i = 0; i < PKI_TOKEN_SIZE - 1; i++) {
    difference |= (unsigned char)(token[i] ^ given[i]);
  }
  return difference == 0;
}
