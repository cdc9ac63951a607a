/* pronk man: the manual page, made of the table of commands. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/print_json.h"
#include "pronk/pronk.h"

const pki_option pki_options_man[] = {{0}};

/* A text for troff: dashes that are typed, no backslashes, no requests at the start of a line. Lines stay lines. */
static void add_plain(pki_text *out, const char *text)
{
  bool start = true;
  for (const char *c = text; *c != '\0'; c++) {
    if (start && (*c == '.' || *c == '\'')) {
      pki_text_add(out, "\\&");
    }
    start = *c == '\n';
    switch (*c) {
    case '-': pki_text_add(out, "\\-"); break;
    case '\\': pki_text_add(out, "\\e"); break;
    case '`': pki_text_add(out, "\\(ga"); break;
    case '~': pki_text_add(out, "\\(ti"); break;
    case '^': pki_text_add(out, "\\(ha"); break;
    default: pki_text_addf(out, "%c", *c);
    }
  }
}

static void add_option(pki_text *out, const pki_option *o)
{
  pki_text_add(out, ".TP\n");
  if (o->letter != 0) {
    pki_text_addf(out, "\\fB\\-%c\\fR, ", o->letter);
  }
  pki_text_add(out, "\\fB\\-\\-");
  add_plain(out, o->name);
  pki_text_add(out, "\\fR");
  if (o->value != NULL) {
    pki_text_addf(out, "%s\\fI", pki_option_gap(o));
    add_plain(out, o->value);
    pki_text_add(out, "\\fR");
  }
  pki_text_add(out, "\n");
  add_plain(out, o->doc);
  pki_text_add(out, "\n");
}

static void add_command(pki_text *out, const pki_command *c)
{
  static const pki_option common[] = {{"json", 0, NULL, "the result as JSON"},
                                      {"help", 0, NULL, "help, with an example"}};
  pki_text_addf(out, ".SS \"pronk %s ", c->name);
  add_plain(out, c->usage);
  pki_text_add(out, "\"\n");
  pki_text_addf(out, "%c", toupper((unsigned char)c->doc[0]));
  add_plain(out, c->doc + 1);
  pki_text_add(out, ".\n");
  if (c->about[0] != '\0') {
    pki_text_add(out, ".PP\n");
    add_plain(out, c->about);
    pki_text_add(out, "\n");
  }
  for (const pki_option *o = c->options; o != NULL && o->name != NULL; o++) {
    add_option(out, o);
  }
  add_option(out, &common[0]);
  add_option(out, &common[1]);
  pki_text_add(out, ".PP\n.EX\n  ");
  add_plain(out, c->example);
  pki_text_add(out, "\n.EE\n");
}

static void add_rows(pki_text *out, const char *title, const char *const rows[][2], int count)
{
  pki_text_addf(out, ".SH %s\n", title);
  for (int i = 0; i < count; i++) {
    pki_text_add(out, ".TP\n\\fB");
    add_plain(out, rows[i][0]);
    pki_text_add(out, "\\fR\n");
    add_plain(out, rows[i][1]);
    pki_text_add(out, "\n");
  }
}

static void add_tail(pki_text *out)
{
  static const char *const status[][2] = {
      {"0", "Success."},
      {"1", "A failure on the way: a step that failed, a certificate above its bound, no memory."},
      {"2", "Wrong usage or input."},
  };
  static const char *const environment[][2] = {
      {"PRONK_ISA", "The instruction set to use: one of `pronk list isas`."},
      {"PRONK_MODELS", "A folder of models, looked at before those beside the program."},
      {"PRONK_SCENARIOS", "A folder of scenarios, likewise."},
      {"PRONK_MOTORS", "A folder of motors, likewise."},
      {"PRONK_GAITS", "A folder of gait files, likewise."},
      {"PRONK_CC", "The C compiler that compiles robots (--compiled)."},
      {"PRONK_CACHE", "The folder of compiled robots."},
      {"PRONK_PEERS", "A folder of plugins of other engines, for pronk bench."},
      {"PRONK_VIEWER", "The folder of the viewer's page."},
      {"PRONK_CHROMIUM", "The browser that draws pictures."},
      {"NO_COLOR", "Set: no colours on a terminal."},
  };
  static const char *const files[][2] = {
      {"out/NAME/", "What a run leaves: the recording, its summary and its report."},
      {"~/.cache/pronk/", "Compiled robots; it may be deleted at any time."},
      {"scenarios/, models/, motors/",
       "What is known by name: in the current folder, beside the program, installed."},
  };
  add_rows(out, "\"EXIT STATUS\"", status, sizeof status / sizeof status[0]);
  add_rows(out, "ENVIRONMENT", environment, sizeof environment / sizeof environment[0]);
  add_rows(out, "FILES", files, sizeof files / sizeof files[0]);
}

static void write_page(pki_text *out)
{
  int count;
  const pki_command *commands = pki_commands(&count);
  pki_text_addf(
      out,
      ".TH PRONK 1 \"\" \"pronk %s\" \"User Commands\"\n"
      ".SH NAME\npronk \\- dynamics of legged robots\n"
      ".SH SYNOPSIS\n\\fBpronk\\fR \\fICOMMAND\\fR [\\fIarguments\\fR]\n.br\n"
      "\\fBpronk\\fR \\fB\\-\\-version\\fR | \\fB\\-\\-help\\fR\n"
      ".SH DESCRIPTION\n"
      "Simulates legged robots with exact, certified contact: a scenario in, a summary, a recording and a\n"
      "report out. \\fBpronk \\fICOMMAND\\fB \\-\\-help\\fR tells about one command.\n"
      ".SH COMMANDS\n",
      pk_version());
  for (int i = 0; i < count; i++) {
    add_command(out, &commands[i]);
  }
  add_tail(out);
}

int pki_command_man(const pki_args *args)
{
  if (args->nword != 0) {
    pki_complain("man", "this command takes no words; its output is the manual page");
    return PKI_EXIT_USAGE;
  }
  pki_text page = {0};
  write_page(&page);
  const int code = pki_print_made(args, "page", &page);
  pki_text_free(&page);
  return code;
}

int pki_print_made(const pki_args *args, const char *key, const pki_text *text)
{
  if (text->failed || text->data == NULL) {
    pki_complain(args->command->name, "out of memory");
    return PKI_EXIT_FAILURE;
  }
  if (!args->json) {
    fputs(text->data, stdout);
    return PKI_EXIT_OK;
  }
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, key, text->data);
  return pki_json_print(o, true, args->command->name) ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}
