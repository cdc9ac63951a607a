/* Numbers in the bytes of a file or a message: little endian, whatever the machine. */
#ifndef PKI_BASE_BYTES_H
#define PKI_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline void pki_put_bytes(unsigned char *at, uint64_t value, int bytes)
{
  for (int i = 0; i < bytes; i++) {
    at[i] = (unsigned char)(value >> 8 * i);
  }
}

static inline uint64_t pki_take_bytes(const unsigned char *at, int bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) {
    value |= (uint64_t)at[i] << 8 * i;
  }
  return value;
}

/* A double by its bits. */
static inline void pki_put_real(unsigned char *at, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  pki_put_bytes(at, bits, 8);
}

static inline double pki_take_real(const unsigned char *at)
{
  const uint64_t bits = pki_take_bytes(at, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

#endif
