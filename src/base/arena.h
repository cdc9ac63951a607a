/* Memory in one piece. A pki_arena hands out 64-byte aligned blocks of a caller's
 * memory; with base NULL it only counts, so that one carving function both computes a
 * size and lays it out. Scratch is taken between mark and release. */
#ifndef PKI_BASE_ARENA_H
#define PKI_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

enum { PKI_ALIGN = 64 };

typedef struct pki_arena {
  unsigned char *base; /* NULL: counting only */
  size_t size;         /* bytes at base */
  size_t used;         /* bytes handed out, padding included */
  size_t high;         /* largest `used` so far */
  bool overflow;       /* a request did not fit, or its size overflowed */
} pki_arena;

/* An arena over `size` bytes at `base` (aligned), or one that counts (NULL, 0). */
pki_arena pki_arena_over(void *base, size_t size);

/* `count` elements of `size` bytes; NULL when counting or when it does not fit. */
void *pki_arena_take(pki_arena *arena, size_t count, size_t size);

/* Everything taken after pki_arena_mark goes back with pki_arena_release. */
size_t pki_arena_mark(const pki_arena *arena);
void pki_arena_release(pki_arena *arena, size_t mark);

/* Whether memory of the caller's begins where an arena can: not NULL, and at a multiple of PKI_ALIGN. */
bool pki_is_aligned(const void *memory);

/* Aligned blocks from the C library; NULL when there is no memory. */
void *pki_aligned_alloc(size_t size);
void pki_aligned_free(void *memory);

#endif
