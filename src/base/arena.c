#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

pki_arena pki_arena_over(void *base, size_t size)
{
  return (pki_arena){.base = base, .size = size};
}

void *pki_arena_take(pki_arena *arena, size_t count, size_t size)
{
  const size_t limit = SIZE_MAX / 2;
  if (arena->overflow || (size != 0 && count > limit / size)) {
    arena->overflow = true;
    return NULL;
  }
  const size_t bytes = (count * size + PKI_ALIGN - 1) / PKI_ALIGN * PKI_ALIGN;
  const bool counting = arena->base == NULL;
  if (bytes > limit - arena->used || (!counting && bytes > arena->size - arena->used)) {
    arena->overflow = true;
    return NULL;
  }
  void *block = counting ? NULL : arena->base + arena->used;
  arena->used += bytes;
  if (arena->used > arena->high) {
    arena->high = arena->used;
  }
  return block;
}

size_t pki_arena_mark(const pki_arena *arena)
{
  return arena->used;
}

void pki_arena_release(pki_arena *arena, size_t mark)
{
  arena->used = mark;
}

bool pki_is_aligned(const void *memory)
{
  return memory != NULL && (uintptr_t)memory % PKI_ALIGN == 0;
}

void *pki_aligned_alloc(size_t size)
{
  const size_t rounded = (size + PKI_ALIGN - 1) / PKI_ALIGN * PKI_ALIGN;
  return rounded < size ? NULL : aligned_alloc(PKI_ALIGN, rounded ? rounded : PKI_ALIGN);
}

void pki_aligned_free(void *memory)
{
  free(memory);
}
