/* The `pronk` command. A command is a file of its own and a row of the registry in main.c;
 * its help is made from that row and its table of options. */
#ifndef PKI_CLI_CLI_H
#define PKI_CLI_CLI_H

#include <stdbool.h>

#include "base/folders.h"
#include "base/text.h"
#include "pronk/status.h"
#include "scenario/scenario.h"

/* How the program ends. */
enum {
  PKI_EXIT_OK = 0,
  PKI_EXIT_FAILURE = 1, /* on the way */
  PKI_EXIT_USAGE = 2    /* wrong usage or input */
};

/* The same after reading what the user gave: whatever fails is the input's fault, but for lack of memory. */
static inline int pki_exit_of_input(pk_status status)
{
  return status == PK_OK ? PKI_EXIT_OK : status == PK_ERROR_MEMORY ? PKI_EXIT_FAILURE : PKI_EXIT_USAGE;
}

typedef struct pki_option {
  const char *name; /* without the dashes */
  char letter;      /* 0: none */
  const char *
      value; /* what it takes, as help calls it; NULL: a switch; "[X]": a number that may be left out; "[=X]":
               * what may be left out, and follows '=' */
  const char *doc;
} pki_option;

/* What stands between an option and its value in help. */
static inline const char *pki_option_gap(const pki_option *o)
{
  return o->value == NULL || (o->value[0] == '[' && o->value[1] == '=') ? "" : " ";
}

typedef struct pki_args pki_args;

typedef struct pki_command {
  const char *name;
  const char *doc;           /* one line */
  const char *usage;         /* what follows `pronk NAME` */
  const char *about;         /* a paragraph for --help */
  const char *example;       /* lines that run */
  const pki_option *options; /* ends with a row without a name; --json and --help come by themselves */
  int (*run)(const pki_args *args);
  int (*raw)(int argc,
             char **argv); /* instead of run: a stage that reads its own options and prints its help */
} pki_command;

const pki_command *pki_commands(int *count);

/* --- args.c --- */

typedef struct pki_given_option {
  const char *name, *value; /* value NULL for switches */
} pki_given_option;

/* A command line, taken apart. */
struct pki_args {
  const pki_command *command;
  const char **words; /* what is no option */
  int nword;
  pki_given_option *given;
  int ngiven;
  bool json;
};

/* PKI_EXIT_OK, or PKI_EXIT_USAGE after saying on stderr what is wrong. */
int pki_args_parse(const pki_command *command, int argc, char **argv, pki_args *out);
void pki_args_free(pki_args *args);

bool pki_args_has(const pki_args *args, const char *name);
const char *pki_args_value(const pki_args *args, const char *name); /* the last one, NULL: not given */

/* All values of an option, in their order, for free(); NULL without memory. */
const char **pki_args_all(const pki_args *args, const char *name, int *count);

/* A number of the command line between bounds, `preset` when it is not given; false after a complaint. */
bool pki_args_number(const pki_args *args, const char *option, double least, double most, double preset,
                     double *out);

/* The same for numbers without a fraction. */
bool pki_args_whole(const pki_args *args, const char *option, int least, int most, int preset, int *out);

/* One of `count` words, or -1 after saying which word is near. `what` names the thing. */
int pki_args_choice(const pki_args *args, const char *what, const char *word, const char *const *words,
                    int count);

/* A message of the command on stderr: "pronk info: ..." */
__attribute__((format(printf, 2, 3))) void pki_complain(const char *command, const char *format, ...);
void pki_complain_error(const char *command, const pk_error *err);

/* out/NAME and an ending, with what no file's name should hold replaced. */
void pki_default_folder(const char *name, const char *ending, char out[PKI_PATH_MAX]);

/* A text that a command made: as it is, or with --json as the value of `key`. The exit status. */
int pki_print_made(const pki_args *args, const char *key, const pki_text *text);

/* The scenario that the first word names, or with --model a world around that robot, with its overrides (--set). */
pk_status pki_load_scenario(const pki_args *args, pki_scenario **scenario, pk_error *err);

/* There is one word, or none beside --model; false after a complaint. `what` a word is, as in "scenario". */
bool pki_one_world(const pki_args *args, const char *what);

/* --- commands --- */
int pki_command_run(const pki_args *args);
int pki_command_batch(const pki_args *args);
int pki_command_compare(const pki_args *args);
int pki_command_sweep(const pki_args *args);
int pki_command_tune(const pki_args *args);
int pki_command_optimize(const pki_args *args);
int pki_command_step_limit(const pki_args *args);
int pki_command_floquet(const pki_args *args);
int pki_command_info(const pki_args *args);
int pki_command_check(const pki_args *args);
int pki_command_list(const pki_args *args);
int pki_command_study(const pki_args *args);
int pki_command_solve(const pki_args *args);
int pki_command_view(const pki_args *args);
int pki_command_render(const pki_args *args);
int pki_command_export(const pki_args *args);
int pki_command_codegen(const pki_args *args);
int pki_command_convert(const pki_args *args);
int pki_command_stability(const pki_args *args);
int pki_command_schema(const pki_args *args);
int pki_command_size(const pki_args *args);
int pki_command_man(const pki_args *args);
int pki_command_completion(const pki_args *args);
int pki_command_bench(int argc, char **argv);

extern const pki_option pki_options_tune[], pki_options_step_limit[], pki_options_optimize[],
    pki_options_size[], pki_options_floquet[];
extern const pki_option pki_options_run[], pki_options_batch[], pki_options_compare[], pki_options_sweep[],
    pki_options_info[], pki_options_check[], pki_options_list[], pki_options_study[], pki_options_solve[],
    pki_options_view[], pki_options_render[], pki_options_schema[], pki_options_export[], pki_options_man[],
    pki_options_completion[], pki_options_stability[], pki_options_bench[], pki_options_codegen[],
    pki_options_convert[];

#endif
