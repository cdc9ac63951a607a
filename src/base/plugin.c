#define _GNU_SOURCE /* readlink and dlopen beside C17 */
#include "base/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* The folder of the running program, without a slash at its end; false when it is not known. */
static bool program_folder(char folder[PKI_PATH_MAX])
{
  const ssize_t length = readlink("/proc/self/exe", folder, PKI_PATH_MAX - 1);
  if (length <= 0 || length >= PKI_PATH_MAX - 1) {
    return false;
  }
  folder[length] = '\0';
  char *slash = strrchr(folder, '/');
  if (!slash) {
    return false;
  }
  *slash = '\0';
  return true;
}

bool pki_plugin_folder(const char *kind, const char *chosen, const char *installed, char out[PKI_PATH_MAX])
{
  const char *named = getenv(chosen);
  char program[PKI_PATH_MAX];
  if (named && *named) {
    return snprintf(out, PKI_PATH_MAX, "%s", named) < PKI_PATH_MAX && pki_is_folder(out);
  }
  if (program_folder(program) && pki_path_join(out, program, kind) && pki_is_folder(out)) {
    return true;
  }
  return snprintf(out, PKI_PATH_MAX, "%s", installed) < PKI_PATH_MAX && pki_is_folder(out);
}

pki_plugin_function pki_plugin_load(const char *path, const char *symbol, bool global, void **library)
{
  *library = dlopen(path, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  /* POSIX promises that an object pointer of dlsym can hold a function. */
  void *found = *library ? dlsym(*library, symbol) : NULL;
  pki_plugin_function function = NULL;
  memcpy(&function, &found, sizeof function);
  if (!function) {
    pki_plugin_unload(*library);
    *library = NULL;
  }
  return function;
}

void pki_plugin_unload(void *library)
{
  if (library) {
    dlclose(library);
  }
}

const char *pki_plugin_error(void)
{
  const char *text = dlerror();
  return text ? text : "";
}
