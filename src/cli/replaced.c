#include "cli/replaced.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

/* Names beside run.mcap that `pronk export` gives, and the formats that make them. */
static const struct {
  const char *name, *format;
} exports[] = {{"run.h5", "hdf5"}, {"run-csv", "csv"}, {"run-copy.mcap", "mcap"}};

static bool is_made_anew(const pki_args *args, const char *format)
{
  for (int i = 0; i < args->ngiven; i++) {
    if (strcmp(args->given[i].name, "export") == 0 && strcmp(args->given[i].value, format) == 0) {
      return true;
    }
  }
  return false;
}

void pki_tell_replaced(const pki_args *args, const char *folder, const char *file)
{
  char path[PKI_PATH_MAX], stale[200] = "";
  if (!pki_path_join(path, folder, file) || !pki_is_file(path)) {
    return;
  }
  for (size_t i = 0; i < sizeof exports / sizeof exports[0]; i++) {
    if (pki_path_join(path, folder, exports[i].name) && (pki_is_file(path) || pki_is_folder(path)) &&
        !is_made_anew(args, exports[i].format)) {
      snprintf(stale + strlen(stale), sizeof stale - strlen(stale), "%s%s", stale[0] != '\0' ? ", " : "",
               exports[i].name);
    }
  }
  pki_complain(args->command->name, "the earlier results in %s are replaced (-o DIR keeps them)%s%s", folder,
               stale[0] != '\0' ? "; of the earlier run stays: " : "", stale);
}
