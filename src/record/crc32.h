/* CRC-32 of ISO 3309, as in zip, png and MCAP: polynomial 0xEDB88320 (reflected), start and end inverted. */
#ifndef PKI_RECORD_CRC32_H
#define PKI_RECORD_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The sum of some bytes that follow others of sum `crc` (0: they are the first). */
uint32_t pki_crc32(uint32_t crc, const void *data, size_t size);

#endif
