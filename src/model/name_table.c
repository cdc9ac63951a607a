#include "model/name_table.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

static uint64_t name_hash(const char *name)
{
  uint64_t hash = pki_hash_bytes(PKI_HASH_START, name, strlen(name));
  hash ^= hash >> 32; /* mixed: the table takes the low bits */
  hash *= 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 29);
}

int *pki_name_table_at(const pki_name_table *t, const char *name)
{
  size_t i = name_hash(name) & t->mask;
  while (t->slot[i] >= 0 && strcmp(t->names[t->slot[i]], name) != 0) {
    i = (i + 1) & t->mask;
  }
  return &t->slot[i];
}

bool pki_name_table_init(pki_name_table *t, const char *const *names, int count)
{
  size_t size = 16;
  while (size < 2 * (size_t)count) {
    size *= 2;
  }
  *t = (pki_name_table){
      .slot = malloc(size * sizeof *t->slot), .mask = size - 1, .names = names, .count = count};
  if (t->slot == NULL) {
    return false;
  }
  memset(t->slot, -1, size * sizeof *t->slot);
  return true;
}

char *pki_full_name(const char *prefix, const char *name)
{
  prefix = prefix != NULL ? prefix : "";
  const size_t size = strlen(prefix) + strlen(name) + 1;
  char *full = malloc(size);
  if (full != NULL) {
    snprintf(full, size, "%s%s", prefix, name);
  }
  return full;
}

int pki_name_table_find(const pki_name_table *t, const char *prefix, const char *name)
{
  char *full = pki_full_name(prefix, name);
  if (full == NULL) {
    return -2;
  }
  const int found = *pki_name_table_at(t, full);
  free(full);
  return found;
}

const char *pki_name_table_nearest(const pki_name_table *t, const char *name)
{
  enum { NEAR_MAX = 4096 };
  return pki_nearest_word(name, t->names, t->count < NEAR_MAX ? t->count : NEAR_MAX);
}
