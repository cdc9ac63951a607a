/* Every allocation of the code under test is counted: link with pk_count_allocations(target). */
#include "support/allocations.h"

#include <stddef.h>

/* The linker sends the library's calls here (--wrap). */
_Atomic int allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
  allocations++;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  allocations++;
  return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
  allocations++;
  return __real_realloc(block, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  allocations++;
  return __real_aligned_alloc(alignment, size);
}
