/* FNV-1a (Fowler, Noll, Vo), 64 bits: a hash of bytes, equal on every machine of one byte order. */
#ifndef PKI_BASE_HASH_H
#define PKI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PKI_HASH_START UINT64_C(14695981039346656037)

/* Go on from `hash` over more bytes. */
static inline uint64_t pki_hash_bytes(uint64_t hash, const void *data, size_t size)
{
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  }
  return hash;
}

#endif
