#include "cli/cmd_info.h"

#include "cli/cli.h"
#include "cli/cmd_view.h"

const pki_option pki_options_info[] = {PKI_LOAD_OPTIONS, {0}};

int pki_command_info(const pki_args *args)
{
  if (args->nword != 1) {
    pki_complain("info", args->nword == 0 ? "name a model (pronk list models shows some) or a recording"
                                          : "one model or recording at a time");
    return PKI_EXIT_USAGE;
  }
  char recording[PKI_PATH_MAX];
  if (pki_view_recording(args->words[0], recording)) {
    return pki_info_recording(args, recording);
  }
  pki_loaded loaded;
  int code = pki_load(args, args->words[0], &loaded);
  if (code == PKI_EXIT_OK) {
    pki_info info;
    if (!pki_info_measure(&loaded, &info)) {
      pki_complain("info", "out of memory");
      code = PKI_EXIT_FAILURE;
    } else if (!(args->json ? pki_info_print_json(&info) : pki_info_print_text(&info))) {
      code = PKI_EXIT_FAILURE;
    }
    pki_info_free(&info);
  } else if (loaded.error.message[0] != '\0') {
    pki_complain_error("info", &loaded.error);
    int count, errors = 0;
    const pk_builder_diagnostic *all = pk_builder_diagnostics(loaded.builder, &count);
    for (int i = 0; i < count; i++) {
      errors += all[i].is_error;
    }
    if (errors > 1) {
      pki_complain("info", "and %d more; pronk check %s shows them all", errors - 1, args->words[0]);
    }
  }
  pki_loaded_free(&loaded);
  return code;
}
