/* pronk view: a world or a recording in a browser. */
#define _XOPEN_SOURCE 700
#include "cli/cmd_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/print_json.h"
#include "cli/sets.h"
#include "cli/terminal.h"

#ifdef PK_WITH_VIEWER
#include "base/process.h"
#include "cli/cmd_check.h"
#include "serve/server.h"
#endif

const pki_option pki_options_view[] = {
    {"set", 0, "KEY=VALUE", "override a key of the scenario; may be repeated"},
    PKI_WORLD_OF_MODEL,
    PKI_MODEL_OPTIONS,
    {"port", 0, "N", "where the server listens (default: 0, any that is free)"},
    {"host", 0, "ADDRESS", "an address of this machine to listen at, instead of 127.0.0.1"},
    {"read-only", 0, NULL, "viewers may look, and change nothing"},
    {"no-browser", 0, NULL, "print the address, open nothing"},
    {"paused", 0, NULL, "start paused"},
    {0},
};

#ifndef PK_WITH_VIEWER

int pki_command_view(const pki_args *args)
{
  (void)args;
  pki_complain("view",
               "this pronk was built without the viewer: install libwebsockets-dev and build it again");
  return PKI_EXIT_FAILURE;
}

#else

static void compile_view_robot(pki_world *world)
{
  pki_compile_world("view", world, 1);
}

/* The scenario, model or recording that was asked for; *model_only: a model. */
static pk_status open_source(const pki_args *args, pki_source **out, bool *model_only, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pki_scenario *scenario = NULL;
  if (args->nword == 1 && pki_view_recording(args->words[0], path)) {
    return pki_replay_create(path, out, err);
  }
  const pk_status status = pki_view_scenario(args, &scenario, model_only, err);
  if (status == PK_OK) {
    pki_warn_scenario("view", scenario, NULL, -1);
  }
  return status == PK_OK ? pki_live_show(scenario, compile_view_robot, out, err) : status;
}

/* The address on stdout at once: a calling program waits for it. */
static void print_address(const pki_args *args, const pki_server *server, const char *url)
{
  if (args->json) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "url", url);
    cJSON_AddStringToObject(o, "token", pki_server_token(server));
    cJSON_AddNumberToObject(o, "port", pki_server_port(server));
    pki_json_print(o, false, "view");
  } else {
    const pki_palette p = pki_palette_for(stdout);
    printf("%s%s%s\n", p.bold, url, p.plain);
    printf("Open it in a browser; Ctrl-C ends.\n");
  }
  fflush(stdout);
}

/* On a desktop the browser opens by itself. */
static void open_browser(const pki_args *args, const char *url)
{
  const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  const bool desktop = (x != NULL && x[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
  char program[PKI_PATH_MAX];
  if (pki_args_has(args, "no-browser") || args->json || !isatty(STDOUT_FILENO) || !desktop ||
      !pki_program_find("xdg-open", program)) {
    return;
  }
  const char *const arguments[] = {program, url, NULL};
  pki_process process;
  pki_process_start(arguments, false, NULL, &process); /* it outlives us where it wants to */
}

static int serve_view(const pki_args *args, pki_source *source, const pki_server_options *options)
{
  pk_error err = {0};
  pki_server *server = NULL;
  static const char *const own[] = {"127.0.0.1", "localhost", "::1"};
  bool loopback = options->host == NULL;
  for (size_t i = 0; i < sizeof own / sizeof own[0] && !loopback; i++) {
    loopback = strcmp(options->host, own[i]) == 0;
  }
  if (!loopback) {
    pki_complain("view", "warning: others can reach %s; the address with its token lets them in, unencrypted",
                 options->host);
  }
  const atomic_int *asked = pki_interrupt_catch();
  if (pki_server_start(source, options, &server, &err) != PK_OK) {
    pki_interrupt_release();
    pki_complain_error("view", &err);
    return PKI_EXIT_FAILURE;
  }
  char url[512];
  pki_server_url(server, "", url, sizeof url);
  print_address(args, server, url);
  open_browser(args, url);
  while (*asked == 0) {
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  pki_server_stop(server);
  pki_interrupt_release();
  return PKI_EXIT_OK;
}

int pki_command_view(const pki_args *args)
{
  if (!pki_one_world(args, "scenario, recording or model (pronk list shows scenarios and models)")) {
    return PKI_EXIT_USAGE;
  }
  double port;
  char folder[PKI_PATH_MAX];
  if (!pki_args_number(args, "port", 0, 65535, 0, &port)) {
    return PKI_EXIT_USAGE;
  }
  pki_source *source = NULL;
  pk_error err = {0};
  bool model_only = false;
  const pk_status status = open_source(args, &source, &model_only, &err);
  if (status != PK_OK) {
    pki_complain_error("view", &err);
    return pki_exit_of_input(status);
  }
  int code = PKI_EXIT_FAILURE;
  if (pki_view_folder("view", folder)) {
    const pki_server_options options = {.host = pki_args_value(args, "host"),
                                        .port = (int)port,
                                        .folder = folder,
                                        .paused = model_only || pki_args_has(args, "paused"),
                                        .read_only = pki_args_has(args, "read-only")};
    code = serve_view(args, source, &options);
  }
  source->kind->destroy(source);
  return code;
}

#endif
