#define _GNU_SOURCE
#include "compile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool found(const char *command)
{
  char line[256];
  snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", command);
  return system(line) == 0;
}

void *compiled(const char *source, const char *compiler, const char *flags)
{
  char folder[] = "/tmp/pronk-emit-XXXXXX", name[256], object[256], line[1024];
  if (mkdtemp(folder) == NULL) {
    return NULL;
  }
  snprintf(name, sizeof name, "%s/code.c", folder);
  snprintf(object, sizeof object, "%s/code.so", folder);
  FILE *file = fopen(name, "w");
  bool good = file != NULL && fwrite(source, 1, strlen(source), file) == strlen(source);
  good = file != NULL && fclose(file) == 0 && good;
  snprintf(line, sizeof line, "%s -std=c17 -Wall -Wextra -Werror -O2 %s -fPIC -shared -o %s %s -lm", compiler,
           flags, object, name);
  void *code = good && system(line) == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (code == NULL) {
    fprintf(stderr, "%s failed\n", line);
  }
  unlink(object);
  unlink(name);
  rmdir(folder);
  return code;
}
