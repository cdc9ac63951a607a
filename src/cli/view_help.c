#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/view.h"

bool pki_view_folder(const char *command, char folder[PKI_PATH_MAX])
{
  static pki_folders found;
  char page[PKI_PATH_MAX];
  pki_folders_find("viewer/dist", "PRONK_VIEWER", false, &found);
  for (int i = 0; i < found.count; i++) {
    if (pki_path_join(page, found.path[i], "index.html") && pki_is_file(page)) {
      memcpy(folder, found.path[i], sizeof found.path[i]);
      return true;
    }
  }
  pki_complain(command,
               "the viewer's page is not built: `make` builds it where Node.js is installed (nodejs, npm); "
               "PRONK_VIEWER names the folder of one that is elsewhere");
  return false;
}

bool pki_view_recording(const char *word, char path[PKI_PATH_MAX])
{
  const size_t size = strlen(word);
  if (size > 5 && size < PKI_PATH_MAX && strcmp(word + size - 5, ".mcap") == 0) {
    memcpy(path, word, size + 1);
    return true;
  }
  return pki_is_folder(word) && pki_path_join(path, word, "run.mcap") && pki_is_file(path);
}

bool pki_view_number(const pki_args *args, const char *option, double least, double most, double preset,
                     double *out)
{
  const char *text = pki_args_value(args, option);
  *out = preset;
  if (text == NULL) {
    return true;
  }
  const char *cursor = text, *const end = text + strlen(text);
  if (pki_parse_real(&cursor, end, out) && cursor == end && *out >= least && *out <= most) {
    return true;
  }
  pki_complain(args->command->name, "--%s is '%s', expected a number from %g to %g", option, text, least,
               most);
  return false;
}
