#include "cli/cmd_info.h"

#include "base/file.h"
#include "cli/cli.h"
#include "cli/cmd_view.h"
#include "model/locate.h"
#include "scenario/motor_file.h"

const pki_option pki_options_info[] = {
    {"legs", 0, NULL, "of a model: hips, feet, reach and masses of its limbs, and their closed forms"},
    PKI_LOAD_OPTIONS,
    {0}};

/* A motor's file, motors/NAME, or NAME where no model has it. */
static bool is_motor(const char *name)
{
  char path[PKI_PATH_MAX];
  return pki_is_motor_file(name) || (pki_model_locate(name, path, NULL) != PK_OK && !pki_is_file(name) &&
                                     pki_motor_locate(name, path, NULL) == PK_OK);
}

int pki_command_info(const pki_args *args)
{
  if (args->nword != 1) {
    pki_complain("info", args->nword == 0
                             ? "name a model (pronk list models shows some), a recording or a motor"
                             : "one model, recording or motor at a time");
    return PKI_EXIT_USAGE;
  }
  char recording[PKI_PATH_MAX];
  const bool other = pki_view_recording(args->words[0], recording) || is_motor(args->words[0]);
  if (other && pki_args_has(args, "legs")) {
    pki_complain("info", "--legs is for models, and %s is none", args->words[0]);
    return PKI_EXIT_USAGE;
  }
  if (pki_view_recording(args->words[0], recording)) {
    return pki_info_recording(args, recording);
  }
  if (is_motor(args->words[0])) {
    return pki_info_motor(args, args->words[0]);
  }
  pki_loaded loaded;
  int code = pki_load(args, args->words[0], &loaded);
  if (code == PKI_EXIT_OK) {
    pki_info info;
    if (!pki_info_measure(&loaded, &info)) {
      pki_complain("info", "out of memory");
      code = PKI_EXIT_FAILURE;
    } else if (pki_args_has(args, "legs")) {
      code = pki_info_print_legs(&info, args->json);
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
