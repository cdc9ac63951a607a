/* pronk completion: scripts for shells, made of the table of commands. What a word may be follows from how the usage
 * calls it (SCENARIO, MODEL, ...); names come from `pronk list`, when the key is pressed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

const pki_option pki_options_completion[] = {{0}};

/* ---- what a word is ---- */

/* The lists whose names a command's words, or an option's value, can be; "" for none. Files go without saying. */
static void names_of(const char *command, const char *usage, char out[96])
{
  static const char *const kinds[][2] = {
      {"SCENARIO", "scenarios"}, {"SWEEP", "sweeps"},   {"GAIT", "motions"},
      {"MODEL", "models"},       {"MOTOR", "motors"},   {"KIND", "roots"},
      {"SOLVER", "solvers"},     {"METRIC", "metrics"}, {"METHOD", "methods"}};
  out[0] = '\0';
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strstr(usage, kinds[i][0]) != NULL) {
      snprintf(out + strlen(out), 96 - strlen(out), "%s%s", out[0] ? " " : "", kinds[i][1]);
    }
  }
  if (strstr(usage, "NAME") != NULL) {
    const char *list = strcmp(command, "study") == 0   ? "studies"
                       : strcmp(command, "bench") == 0 ? "benches"
                                                       : "";
    snprintf(out + strlen(out), 96 - strlen(out), "%s%s", out[0] ? " " : "", list);
  }
}

/* Words that the usage spells out: "bash|zsh|fish", "all" in "NAME|all"; blanks between them. */
static void words_of(const char *usage, char out[96])
{
  out[0] = '\0';
  const size_t size = strcspn(usage, " .");
  for (size_t i = 0; i < size;) {
    const size_t word = strcspn(usage + i, "|[] .");
    if (word > 0 && islower((unsigned char)usage[i]) && strlen(out) + word + 2 < 96) {
      snprintf(out + strlen(out), 96 - strlen(out), "%s%.*s", out[0] ? " " : "", (int)word, usage + i);
    }
    i += word + 1;
  }
}

static bool is_folder(const pki_option *o)
{
  return o->value != NULL && strcmp(o->value, "DIR") == 0;
}

/* A value that must follow, in the next word or after '='. */
static bool takes_value(const pki_option *o)
{
  return o->value != NULL && o->value[0] != '[';
}

/* A text between single quotes of a shell; `escape` is what a quote becomes, `also` gets a backslash. */
static void add_quoted(pki_text *out, const char *text, const char *escape, const char *also)
{
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '\'') {
      pki_text_add(out, escape);
    } else {
      pki_text_addf(out, "%s%c", strchr(also, *c) != NULL ? "\\" : "", *c == '\n' ? ' ' : *c);
    }
  }
}

/* ---- bash ---- */

static void bash_command(pki_text *out, const pki_command *c)
{
  char names[96], words[96];
  names_of(c->name, c->usage, names);
  words_of(c->usage, words);
  pki_text_addf(out, "    %s)\n      options=\"--json --help", c->name);
  for (const pki_option *o = c->options; o != NULL && o->name != NULL; o++) {
    pki_text_addf(out, " --%s", o->name);
  }
  pki_text_addf(out, "\"\n      lists=\"%s\" words=\"%s\"\n", strstr(c->usage, "WHAT") ? "-" : names, words);
  for (const pki_option *o = c->options; o != NULL && o->name != NULL; o++) {
    char values[96] = "";
    if (o->value != NULL) {
      names_of("", o->value, values);
    }
    if (!takes_value(o)) {
      continue;
    }
    pki_text_addf(out, "      [[ $previous == --%s", o->name);
    if (o->letter != 0) {
      pki_text_addf(out, " || $previous == -%c", o->letter);
    }
    pki_text_addf(out, " ]] && value=%s\n", is_folder(o) ? "folder" : values[0] ? values : "other");
  }
  pki_text_add(out, "      ;;\n");
}

static void write_bash(pki_text *out, const pki_command *commands, int count)
{
  pki_text_add(out, "# bash completion of pronk; made by `pronk completion bash`\n"
                    "_pronk_names() {\n"
                    "  local list\n"
                    "  for list in \"$@\"; do\n"
                    "    if [[ $list == - ]]; then list=; fi\n"
                    "    \"${COMP_WORDS[0]}\" list ${list:+\"$list\"} --names 2>/dev/null\n"
                    "  done\n"
                    "}\n\n"
                    "_pronk() {\n"
                    "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "  local options='' lists='' words='' value=''\n"
                    "  COMPREPLY=()\n"
                    "  if ((COMP_CWORD == 1)); then\n"
                    "    mapfile -t COMPREPLY < <(compgen -W \"");
  for (int i = 0; i < count; i++) {
    pki_text_addf(out, "%s ", commands[i].name);
  }
  pki_text_add(out, "help --version --help\" -- \"$current\")\n"
                    "    return\n"
                    "  fi\n"
                    "  case ${COMP_WORDS[1]} in\n");
  for (int i = 0; i < count; i++) {
    bash_command(out, &commands[i]);
  }
  pki_text_add(out, "    help)\n      words=\"");
  for (int i = 0; i < count; i++) {
    pki_text_addf(out, "%s%s", i > 0 ? " " : "", commands[i].name);
  }
  pki_text_add(out,
               "\"\n      ;;\n"
               "  esac\n"
               "  case $value in\n"
               "    '') ;;\n"
               "    folder) mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); return ;;\n"
               "    other) return ;;\n"
               "    *) mapfile -t COMPREPLY < <(compgen -W \"$(_pronk_names \"$value\")\" -- \"$current\"); "
               "return ;;\n"
               "  esac\n"
               "  if [[ $current == -* ]]; then\n"
               "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
               "    return\n"
               "  fi\n"
               "  # shellcheck disable=SC2086 # the lists are words\n"
               "  mapfile -t COMPREPLY < <(compgen -W \"$words $(_pronk_names $lists)\" -- \"$current\"; "
               "compgen -f -- \"$current\")\n"
               "}\n"
               "complete -o filenames -F _pronk pronk\n");
}

/* ---- zsh ---- */

/* '--name=[doc]:VALUE:action'; a blank before an action keeps zsh from putting words into it. */
static void zsh_option(pki_text *out, const pki_option *o)
{
  char values[96] = "";
  if (o->value != NULL) {
    names_of("", o->value, values);
  }
  for (int letter = 0; letter < 1 + (o->letter != 0); letter++) {
    pki_text_add(out, " \\\n        '*");
    if (letter) {
      pki_text_addf(out, "-%c", o->letter);
    } else {
      pki_text_addf(out, "--%s%s", o->name, takes_value(o) ? "=" : "");
    }
    pki_text_add(out, "[");
    add_quoted(out, o->doc, "'\\''", "[]\\");
    pki_text_add(out, "]");
    if (takes_value(o)) {
      pki_text_add(out, ":");
      add_quoted(out, o->value, "'\\''", ":\\");
      pki_text_addf(out, ":%s%s",
                    is_folder(o) ? "_files -/"
                    : values[0]  ? " _pronk_names "
                                 : " ",
                    is_folder(o) ? "" : values);
    }
    pki_text_add(out, "'");
  }
}

static void zsh_command(pki_text *out, const pki_command *c)
{
  static const pki_option common[] = {{"json", 0, NULL, "the result as JSON"},
                                      {"help", 0, NULL, "this command's help"}};
  char names[96], words[96];
  names_of(c->name, c->usage, names);
  words_of(c->usage, words);
  pki_text_addf(out, "    %s)\n      _arguments", c->name);
  for (const pki_option *o = c->options; o != NULL && o->name != NULL; o++) {
    zsh_option(out, o);
  }
  zsh_option(out, &common[0]);
  zsh_option(out, &common[1]);
  pki_text_addf(out, " \\\n        '*:word: _pronk_words \"%s\" %s'\n      ;;\n", words,
                strstr(c->usage, "WHAT") ? "-" : names);
}

static void write_zsh(pki_text *out, const pki_command *commands, int count)
{
  pki_text_add(out, "#compdef pronk\n"
                    "# zsh completion of pronk; made by `pronk completion zsh`\n"
                    "_pronk_names() {\n"
                    "  local list\n"
                    "  local -a names\n"
                    "  for list in \"$@\"; do\n"
                    "    [[ $list == - ]] && list=\n"
                    "    names+=(${(f)\"$(pronk list $list --names 2>/dev/null)\"})\n"
                    "  done\n"
                    "  compadd -a names\n"
                    "}\n\n"
                    "_pronk_words() {\n"
                    "  local -a words_given\n"
                    "  words_given=(${=1})\n"
                    "  shift\n"
                    "  compadd -a words_given\n"
                    "  (( $# )) && _pronk_names \"$@\"\n"
                    "  _files\n"
                    "}\n\n"
                    "_pronk() {\n"
                    "  local -a commands\n"
                    "  commands=(\n");
  for (int i = 0; i < count; i++) {
    pki_text_addf(out, "    '%s:", commands[i].name);
    add_quoted(out, commands[i].doc, "'\\''", ":\\");
    pki_text_add(out, "'\n");
  }
  pki_text_add(out, "    'help:help about a command'\n"
                    "  )\n"
                    "  if (( CURRENT == 2 )); then\n"
                    "    _describe command commands\n"
                    "    compadd -- --version --help\n"
                    "    return\n"
                    "  fi\n"
                    "  local command=$words[2]\n"
                    "  shift words\n"
                    "  (( CURRENT-- ))\n"
                    "  case $command in\n");
  for (int i = 0; i < count; i++) {
    zsh_command(out, &commands[i]);
  }
  pki_text_add(out, "    help)\n      _describe command commands\n      ;;\n  esac\n}\n\n_pronk \"$@\"\n");
}

/* ---- fish ---- */

static void fish_option(pki_text *out, const char *command, const pki_option *o)
{
  char values[96] = "";
  if (o->value != NULL) {
    names_of("", o->value, values);
  }
  pki_text_addf(out, "complete -c pronk -n '__fish_seen_subcommand_from %s' -l %s", command, o->name);
  if (o->letter != 0) {
    pki_text_addf(out, " -s %c", o->letter);
  }
  if (is_folder(o)) {
    pki_text_add(out, " -x -a '(__fish_complete_directories)'");
  } else if (values[0] != '\0') {
    pki_text_addf(out, " -x -a '(pronk list %s --names 2>/dev/null)'", values);
  } else if (takes_value(o)) {
    pki_text_add(out, " -r");
  }
  pki_text_add(out, " -d '");
  add_quoted(out, o->doc, "\\'", "\\");
  pki_text_add(out, "'\n");
}

static void fish_words(pki_text *out, const pki_command *c)
{
  char names[96], words[96];
  names_of(c->name, c->usage, names);
  words_of(c->usage, words);
  for (char *list = strtok(names, " "); list != NULL; list = strtok(NULL, " ")) {
    pki_text_addf(
        out,
        "complete -c pronk -n '__fish_seen_subcommand_from %s' -a '(pronk list %s --names 2>/dev/null)'\n",
        c->name, list);
  }
  if (strstr(c->usage, "WHAT") != NULL) {
    pki_text_addf(out, "complete -c pronk -n '__fish_seen_subcommand_from %s' -f -a '(pronk list --names)'\n",
                  c->name);
  }
  if (words[0] != '\0') {
    pki_text_addf(out, "complete -c pronk -n '__fish_seen_subcommand_from %s' -a '%s'\n", c->name, words);
  }
}

static void write_fish(pki_text *out, const pki_command *commands, int count)
{
  static const pki_option common[] = {{"json", 0, NULL, "the result as JSON"},
                                      {"help", 0, NULL, "this command's help"}};
  pki_text_add(
      out, "# fish completion of pronk; made by `pronk completion fish`\n"
           "complete -c pronk -n __fish_use_subcommand -f\n"
           "complete -c pronk -n __fish_use_subcommand -l version -d 'version, instruction set, compiler'\n");
  for (int i = 0; i < count; i++) {
    const pki_command *c = &commands[i];
    pki_text_addf(out, "complete -c pronk -n __fish_use_subcommand -a %s -d '", c->name);
    add_quoted(out, c->doc, "\\'", "\\");
    pki_text_add(out, "'\n");
    for (const pki_option *o = c->options; o != NULL && o->name != NULL; o++) {
      fish_option(out, c->name, o);
    }
    fish_option(out, c->name, &common[0]);
    fish_option(out, c->name, &common[1]);
    fish_words(out, c);
  }
}

/* ---- the command ---- */

int pki_command_completion(const pki_args *args)
{
  static const char *const shells[] = {"bash", "zsh", "fish"};
  static void (*const writers[])(pki_text *, const pki_command *, int) = {write_bash, write_zsh, write_fish};
  if (args->nword != 1) {
    pki_complain("completion", "name one shell: bash, zsh or fish");
    return PKI_EXIT_USAGE;
  }
  const int shell = pki_args_choice(args, "shell", args->words[0], shells, 3);
  if (shell < 0) {
    return PKI_EXIT_USAGE;
  }
  int count;
  const pki_command *commands = pki_commands(&count);
  pki_text script = {0};
  writers[shell](&script, commands, count);
  const int code = pki_print_made(args, "script", &script);
  pki_text_free(&script);
  return code;
}
