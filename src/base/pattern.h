/* Patterns of names: '*' stands for any letters, also none; all else for itself. A name also covers what is below it:
 * "trunk" covers "trunk/starleth". */
#ifndef PKI_BASE_PATTERN_H
#define PKI_BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool pki_pattern_matches(const char *pattern, const char *name)
{
  const char *star = NULL, *retry = NULL; /* the last star, and where its letters end so far */
  while (*name != '\0') {
    if (*pattern == '*') {
      star = pattern++;
      retry = name;
    } else if (*pattern == *name) {
      pattern++;
      name++;
    } else if (star != NULL) {
      pattern = star + 1; /* one letter more for the star */
      name = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*') {
    pattern++;
  }
  return *pattern == '\0';
}

/* The pattern matches the name, or is a name above it. */
static inline bool pki_pattern_covers(const char *pattern, const char *name)
{
  const size_t n = strlen(pattern);
  return pki_pattern_matches(pattern, name) || (n > 0 && strncmp(name, pattern, n) == 0 && name[n] == '/');
}

#endif
