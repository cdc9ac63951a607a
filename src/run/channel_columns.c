#define _POSIX_C_SOURCE 200809L /* strdup */
#include "run/channel_columns.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more pointer at the end of a list; false: no memory, and the list is as it was. */
static bool grow_list(const char *const **list, int count)
{
  const char *const *grown = realloc((void *)*list, ((size_t)count + 1) * sizeof *grown);
  *list = grown != NULL ? grown : *list;
  return grown != NULL;
}

void pki_add_column(pki_channel_reader *t, int channel, const char *unit, const char *format, ...)
{
  pk_recorder_channel *c = &t->channels[channel];
  char name[320];
  va_list args;
  va_start(args, format);
  vsnprintf(name, sizeof name, format, args);
  va_end(args);
  if (!grow_list(&c->column, c->columns) || !grow_list(&c->unit, c->columns)) {
    t->failed = true;
    return;
  }
  const char *copy = strdup(name);
  ((const char **)c->column)[c->columns] = copy;
  ((const char **)c->unit)[c->columns] = unit;
  t->failed = t->failed || copy == NULL;
  c->columns++;
}

void pki_add_columns(pki_channel_reader *t, int channel, const char *const (*rows)[2], size_t count)
{
  for (size_t i = 0; i < count; i++) {
    pki_add_column(t, channel, rows[i][1], "%s", rows[i][0]);
  }
}
