#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/cli.h"

static const pki_option json_option = {"json", 0, NULL, "the result as JSON"};

void pki_complain(const char *command, const char *format, ...)
{
  fprintf(stderr, "pronk%s%s: ", command[0] ? " " : "", command);
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

void pki_complain_error(const char *command, const pk_error *err)
{
  char place[320] = "";
  if (err->file[0] != '\0' && err->line > 0) {
    snprintf(place, sizeof place, "%s:%d: ", err->file, err->line);
  } else if (err->file[0] != '\0') {
    snprintf(place, sizeof place, "%s: ", err->file);
  }
  const char *message = err->message[0] != '\0' ? err->message : pk_status_text(err->status);
  pki_complain(command, "%s%s%s%s", place, err->field, err->field[0] ? ": " : "", message);
}

static const pki_option *find_option(const pki_command *command, const char *name, size_t size)
{
  if (strncmp(name, json_option.name, size) == 0 && json_option.name[size] == '\0') {
    return &json_option;
  }
  for (const pki_option *o = command->options; o->name != NULL; o++) {
    if (strncmp(name, o->name, size) == 0 && o->name[size] == '\0') {
      return o;
    }
  }
  return NULL;
}

static const pki_option *find_letter(const pki_command *command, char letter)
{
  for (const pki_option *o = command->options; o->name != NULL; o++) {
    if (o->letter == letter) {
      return o;
    }
  }
  return NULL;
}

static int unknown_option(const pki_command *command, const char *text)
{
  enum { MOST = 32 };
  const char *words[MOST] = {json_option.name, "help"};
  int count = 2;
  for (const pki_option *o = command->options; o->name != NULL && count < MOST; o++) {
    words[count++] = o->name;
  }
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
  const char *nearest = pki_nearest_word(name + strspn(name, "-"), words, count);
  pki_complain(command->name, "unknown option '%s'%s%s%s (pronk %s --help lists them)", name,
               nearest ? "; did you mean '--" : "", nearest ? nearest : "", nearest ? "'?" : "",
               command->name);
  return PKI_EXIT_USAGE;
}

/* The whole word is a number. */
static bool is_number(const char *word)
{
  const char *cursor = word, *const end = word + strlen(word);
  double value;
  return pki_parse_real(&cursor, end, &value) && cursor == end;
}

/* One option at argv[*i]; moves *i past its value. */
static int parse_option(pki_args *out, int argc, char **argv, int *i)
{
  const char *text = argv[*i], *value = NULL;
  const bool is_long = text[1] == '-';
  const pki_option *option;
  if (is_long) {
    const size_t size = strcspn(text + 2, "=");
    option = find_option(out->command, text + 2, size);
    value = text[2 + size] == '=' ? text + 3 + size : NULL;
  } else {
    option = find_letter(out->command, text[1]);
    value = text[2] != '\0' ? text + 2 : NULL;
  }
  if (option == NULL) {
    return unknown_option(out->command, text);
  }
  if (option->value == NULL && value != NULL) {
    pki_complain(out->command->name, "option '--%s' takes no value", option->name);
    return PKI_EXIT_USAGE;
  }
  const bool optional = option->value != NULL && option->value[0] == '[';
  if (optional && option->value[1] != '=' && value == NULL && *i + 1 < argc && is_number(argv[*i + 1])) {
    value = argv[++*i];
  }
  if (option->value != NULL && value == NULL && !optional) {
    if (*i + 1 >= argc) {
      pki_complain(out->command->name, "option '--%s' needs a value: %s", option->name, option->value);
      return PKI_EXIT_USAGE;
    }
    value = argv[++*i];
  }
  out->json = out->json || option == &json_option;
  out->given[out->ngiven++] = (pki_given_option){option->name, value};
  return PKI_EXIT_OK;
}

int pki_args_parse(const pki_command *command, int argc, char **argv, pki_args *out)
{
  *out = (pki_args){.command = command};
  out->words = calloc((size_t)argc + 1, sizeof *out->words);
  out->given = calloc((size_t)argc + 1, sizeof *out->given);
  if (out->words == NULL || out->given == NULL) {
    pki_complain(command->name, "out of memory");
    return PKI_EXIT_FAILURE;
  }
  bool options = true; /* until "--" */
  for (int i = 0; i < argc; i++) {
    if (options && strcmp(argv[i], "--") == 0) {
      options = false;
    } else if (options && argv[i][0] == '-' && argv[i][1] != '\0') {
      const int code = parse_option(out, argc, argv, &i);
      if (code != PKI_EXIT_OK) {
        return code;
      }
    } else {
      out->words[out->nword++] = argv[i];
    }
  }
  return PKI_EXIT_OK;
}

void pki_args_free(pki_args *args)
{
  free(args->words);
  free(args->given);
}

bool pki_args_has(const pki_args *args, const char *name)
{
  for (int i = 0; i < args->ngiven; i++) {
    if (strcmp(args->given[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

const char *pki_args_value(const pki_args *args, const char *name)
{
  const char *value = NULL;
  for (int i = 0; i < args->ngiven; i++) {
    if (strcmp(args->given[i].name, name) == 0) {
      value = args->given[i].value;
    }
  }
  return value;
}

const char **pki_args_all(const pki_args *args, const char *name, int *count)
{
  const char **values = calloc((size_t)args->ngiven + 1, sizeof *values);
  *count = 0;
  for (int i = 0; i < args->ngiven && values != NULL; i++) {
    if (strcmp(args->given[i].name, name) == 0) {
      values[(*count)++] = args->given[i].value;
    }
  }
  return values;
}

bool pki_args_number(const pki_args *args, const char *option, double least, double most, double preset,
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

bool pki_args_whole(const pki_args *args, const char *option, int least, int most, int preset, int *out)
{
  double number;
  if (!pki_args_number(args, option, least, most, preset, &number)) {
    return false;
  }
  if (number != floor(number)) {
    pki_complain(args->command->name, "--%s is %g, expected a whole number", option, number);
    return false;
  }
  *out = (int)number;
  return true;
}

int pki_args_choice(const pki_args *args, const char *what, const char *word, const char *const *words,
                    int count)
{
  char all[512] = "";
  size_t used = 0;
  for (int i = 0; i < count; i++) {
    if (strcmp(word, words[i]) == 0) {
      return i;
    }
    if (used + strlen(words[i]) + 3 < sizeof all) {
      used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
  }
  const char *nearest = pki_nearest_word(word, words, count);
  pki_complain(args->command->name, "unknown %s '%s'%s%s%s (one of: %s)", what, word,
               nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", all);
  return -1;
}

void pki_default_folder(const char *name, const char *ending, char out[PKI_PATH_MAX])
{
  snprintf(out, PKI_PATH_MAX, "out/%s%s", name, ending);
  for (char *c = out + 4; *c != '\0'; c++) {
    *c = (char)(*c == '/' || *c == '\\' || (unsigned char)*c < ' ' || (c == out + 4 && *c == '.') ? '_' : *c);
  }
}
