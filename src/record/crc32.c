#include "record/crc32.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Sixteen bytes at a time ("slicing", Kounavis and Berry 2005): table[j][n] is the sum of the byte n and j
 * zeros after it. The sum is linear over GF(2), so that each entry follows from the eight of single bits. */
#define BIT(n, k, c) ((n) >> (k)&1 ? (c) : UINT32_C(0))
#define ENTRY(n, a, b, c, d, e, f, g, h) \
  (BIT(n, 0, a) ^ BIT(n, 1, b) ^ BIT(n, 2, c) ^ BIT(n, 3, d) ^ BIT(n, 4, e) ^ BIT(n, 5, f) ^ BIT(n, 6, g) ^ \
   BIT(n, 7, h))
#define FOUR(n, ...) \
  ENTRY(n, __VA_ARGS__), ENTRY(n + 1, __VA_ARGS__), ENTRY(n + 2, __VA_ARGS__), ENTRY(n + 3, __VA_ARGS__)
#define SIXTEEN(n, ...) \
  FOUR(n, __VA_ARGS__), FOUR(n + 4, __VA_ARGS__), FOUR(n + 8, __VA_ARGS__), FOUR(n + 12, __VA_ARGS__)
#define SIXTYFOUR(n, ...) \
  SIXTEEN(n, __VA_ARGS__), SIXTEEN(n + 16, __VA_ARGS__), SIXTEEN(n + 32, __VA_ARGS__), \
      SIXTEEN(n + 48, __VA_ARGS__)
#define SLICE(...) \
  { \
    SIXTYFOUR(0, __VA_ARGS__), SIXTYFOUR(64, __VA_ARGS__), SIXTYFOUR(128, __VA_ARGS__), \
        SIXTYFOUR(192, __VA_ARGS__) \
  }

static const uint32_t table[16][256] = {
    SLICE(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320),
    SLICE(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, 0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b),
    SLICE(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, 0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80),
    SLICE(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, 0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b),
    SLICE(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, 0x60e09782, 0xc1c12f04, 0x58f35849, 0xb1e6b092),
    SLICE(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, 0x03d6029b, 0x07ac0536, 0x0f580a6c, 0x1eb014d8),
    SLICE(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, 0x67de9cce, 0xcfbd399c, 0x440b7579, 0x8816eaf2),
    SLICE(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, 0x7cbb312b, 0xf9766256, 0x299dc2ed, 0x533b85da),
    SLICE(0x177b1443, 0x2ef62886, 0x5dec510c, 0xbbd8a218, 0xacc04271, 0x82f182a3, 0xde920307, 0x6655004f),
    SLICE(0xefc26b3e, 0x04f5d03d, 0x09eba07a, 0x13d740f4, 0x27ae81e8, 0x4f5d03d0, 0x9eba07a0, 0xe6050901),
    SLICE(0xc18edfc0, 0x586cb9c1, 0xb0d97382, 0xbac3e145, 0xaef6c4cb, 0x869c8fd7, 0xd64819ef, 0x77e1359f),
    SLICE(0x9ba54c6f, 0xec3b9e9f, 0x03063b7f, 0x060c76fe, 0x0c18edfc, 0x1831dbf8, 0x3063b7f0, 0x60c76fe0),
    SLICE(0xdd96d985, 0x605cb54b, 0xc0b96a96, 0x5a03d36d, 0xb407a6da, 0xb37e4bf5, 0xbd8d91ab, 0xa06a2517),
    SLICE(0x9d0fe176, 0xe16ec4ad, 0x19ac8f1b, 0x33591e36, 0x66b23c6c, 0xcd6478d8, 0x41b9f7f1, 0x8373efe2),
    SLICE(0xb9fbdbe8, 0xa886b191, 0x8a7c6563, 0xcf89cc87, 0x44629f4f, 0x88c53e9e, 0xcafb7b7d, 0x4e87f0bb),
    SLICE(0xae689191, 0x87a02563, 0xd4314c87, 0x73139f4f, 0xe6273e9e, 0x173f7b7d, 0x2e7ef6fa, 0x5cfdedf4),
};

/* Four bytes as a number, and the sum of four bytes that `zeros` more follow. */
static uint32_t load_word(const uint8_t *p)
{
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t crc_of_four(uint32_t bytes, int zeros)
{
  return table[zeros + 3][bytes & 0xFF] ^ table[zeros + 2][bytes >> 8 & 0xFF] ^
         table[zeros + 1][bytes >> 16 & 0xFF] ^ table[zeros][bytes >> 24];
}

/* Bytes one after another, without the inversions. */
static uint32_t crc_bytewise(uint32_t crc, const uint8_t *p, size_t size)
{
  for (; size >= 16; size -= 16, p += 16) {
    crc = crc_of_four(crc ^ load_word(p), 12) ^ crc_of_four(load_word(p + 4), 8) ^
          crc_of_four(load_word(p + 8), 4) ^ crc_of_four(load_word(p + 12), 0);
  }
  for (; size > 0; size--, p++) {
    crc = table[0][(crc ^ *p) & 0xFF] ^ crc >> 8;
  }
  return crc;
}

#if defined(__x86_64__)

/* Where the processor multiplies without carry, 64 bytes at a time (Gopal et al. 2009, "Fast CRC computation using
 * PCLMULQDQ"): a block of 128 bits followed by n others is congruent to a block in the place of the last, by two
 * products with x^(n+32) and x^(n-32) modulo the polynomial. The last block that is left is summed as bytes. */
__attribute__((target("pclmul"))) static __m128i fold_block(__m128i block, __m128i by, __m128i next)
{
  return _mm_xor_si128(
      _mm_xor_si128(_mm_clmulepi64_si128(block, by, 0x00), _mm_clmulepi64_si128(block, by, 0x11)), next);
}

__attribute__((target("pclmul"))) static uint32_t crc_folded(uint32_t crc, const uint8_t *p, size_t size)
{
  const __m128i far = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);  /* over 512 bits */
  const __m128i near = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0); /* over 128 */
  const __m128i *in = (const __m128i *)(const void *)p;
  __m128i x[4];
  for (int i = 0; i < 4; i++) {
    x[i] = _mm_loadu_si128(in + i);
  }
  x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)crc));
  for (in += 4, size -= 64; size >= 64; in += 4, size -= 64) {
    for (int i = 0; i < 4; i++) {
      x[i] = fold_block(x[i], far, _mm_loadu_si128(in + i));
    }
  }
  uint8_t last[16];
  _mm_storeu_si128((__m128i *)(void *)last,
                   fold_block(fold_block(fold_block(x[0], near, x[1]), near, x[2]), near, x[3]));
  return crc_bytewise(crc_bytewise(0, last, sizeof last), (const uint8_t *)in, size);
}

static uint32_t crc_update(uint32_t crc, const uint8_t *p, size_t size)
{
  return size >= 64 && __builtin_cpu_supports("pclmul") ? crc_folded(crc, p, size)
                                                        : crc_bytewise(crc, p, size);
}

#else

static uint32_t crc_update(uint32_t crc, const uint8_t *p, size_t size)
{
  return crc_bytewise(crc, p, size);
}

#endif

uint32_t pki_crc32(uint32_t crc, const void *data, size_t size)
{
  return ~crc_update(~crc, data, size);
}
