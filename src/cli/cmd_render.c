/* pronk render: pictures and videos of a recording. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folders.h"
#include "cli/cmd_check.h"
#include "cli/cmd_view.h"
#include "cli/interrupt.h"
#include "cli/print_json.h"
#include "cli/sets.h"
#include "cli/terminal.h"
#include "run/run_output.h"

#ifdef PK_WITH_VIEWER
#include "serve/film.h"
#endif

const pki_option pki_options_render[] = {
    {"output", 'o', "FILE|DIR",
     "x.mp4: a video; x.png: one picture; else a folder of pictures (default: NAME.mp4)"},
    {"fps", 0, "N", "pictures in a second (default: 30)"},
    {"size", 0, "WxH", "in pixels (default: 1280x720)"},
    {"from", 0, "S", "where it begins (default: the start)"},
    {"to", 0, "S", "where it ends (default: the end)"},
    {"at", 0, "S", "one picture at that time"},
    {"camera", 0, "NAME", "iso, side, front, top, follow or below (default: iso)"},
    {"show", 0, "NAMES",
     "points, forces, cones, support, stability, pressure, com, trails, frames, collision, with commas "
     "between "
     "(default: points,forces)"},
    {"set", 0, "KEY=VALUE", "override a key of the scenario; may be repeated"},
    PKI_WORLD_OF_MODEL,
    PKI_MODEL_OPTIONS,
    {0},
};

#ifndef PK_WITH_VIEWER

int pki_command_render(const pki_args *args)
{
  (void)args;
  pki_complain("render",
               "this pronk was built without the viewer: install libwebsockets-dev and build it again");
  return PKI_EXIT_FAILURE;
}

#else

/* What was asked for. */
typedef struct wishes {
  pki_film_options film;
  char out[PKI_PATH_MAX], page[PKI_PATH_MAX];
  char recording[PKI_PATH_MAX];
  char show[128];               /* layers */
  char temporary[PKI_PATH_MAX]; /* folder of a run that was made for this; "": none */
  double at;                    /* NAN: not given */
} wishes;

/* ---- the command line ---- */

static bool read_size(const pki_args *args, int *width, int *height)
{
  const char *text = pki_args_value(args, "size");
  char rest = '\0';
  *width = 1280;
  *height = 720;
  if (text != NULL && (sscanf(text, "%5dx%5d%c", width, height, &rest) != 2 || *width < 16 || *height < 16 ||
                       *width > 8192 || *height > 8192)) {
    pki_complain("render", "--size is '%s', expected WIDTHxHEIGHT, as in 1280x720, each from 16 to 8192",
                 text);
    return false;
  }
  return true;
}

/* The layers of the picture by their names, which the page knows; "": none. */
static bool read_layers(const pki_args *args, wishes *w)
{
  static const char *const layers[] = {"points",   "forces", "cones",  "support", "stability",
                                       "pressure", "com",    "trails", "frames",  "collision"};
  const char *text = pki_args_value(args, "show");
  char copy[sizeof w->show];
  if (text == NULL) {
    return true;
  }
  if (strlen(text) >= sizeof w->show) {
    pki_complain("render", "--show is longer than %zu characters", sizeof w->show - 1);
    return false;
  }
  memcpy(copy, text, strlen(text) + 1);
  char *rest = NULL;
  for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
    if (pki_args_choice(args, "show", word, layers, sizeof layers / sizeof layers[0]) < 0) {
      return false;
    }
  }
  memcpy(w->show, text, strlen(text) + 1);
  w->film.show = w->show;
  return true;
}

static bool read_wishes(const pki_args *args, wishes *w)
{
  static const char *const cameras[] = {"iso", "side", "front", "top", "follow", "below"};
  const char *camera = pki_args_value(args, "camera"), *out = pki_args_value(args, "output");
  const int which = camera != NULL ? pki_args_choice(args, "camera", camera, cameras, 6) : 0;
  if (which < 0 || !pki_args_number(args, "fps", 0.01, 1000, 30, &w->film.fps) ||
      !pki_args_number(args, "from", -1e6, 1e6, NAN, &w->film.from) ||
      !pki_args_number(args, "to", -1e6, 1e6, NAN, &w->film.to) ||
      !pki_args_number(args, "at", -1e6, 1e6, NAN, &w->at) ||
      !read_size(args, &w->film.width, &w->film.height) || !read_layers(args, w)) {
    return false;
  }
  if (!isnan(w->at) && (!isnan(w->film.from) || !isnan(w->film.to))) {
    pki_complain("render", "--at is one picture, --from and --to are many; give one or the other");
    return false;
  }
  w->film.camera = cameras[which];
  w->film.kind = out == NULL                  ? (isnan(w->at) ? PKI_FILM_VIDEO : PKI_FILM_PICTURE)
                 : pki_ends_with(out, ".mp4") ? PKI_FILM_VIDEO
                 : pki_ends_with(out, ".png") ? PKI_FILM_PICTURE
                                              : PKI_FILM_FRAMES;
  const char *dot = out != NULL ? strrchr(out, '.') : NULL;
  if (w->film.kind == PKI_FILM_FRAMES && dot != NULL && strchr(dot, '/') == NULL && dot > out &&
      dot[1] != '\0' && dot[-1] != '/' && dot[-1] != '.') {
    pki_complain("render", "-o is '%s', expected a name that ends in .mp4 or .png, or a folder", out);
    return false;
  }
  snprintf(w->out, sizeof w->out, "%s", out != NULL ? out : "");
  return true;
}

/* ---- a scenario is run first ---- */

static pk_status run_first(const pki_args *args, wishes *w, const atomic_int *stop, pk_error *err)
{
  bool model_only = false;
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  pki_run_result result = {0};
  pk_status status = pki_view_scenario(args, &scenario, &model_only, err);
  status = status == PK_OK ? pki_world_create(scenario, &world, err) : status;
  w->temporary[0] = '\0';
  status = status == PK_OK ? pki_temporary_folder(NULL, "pronk-run", "the run", w->temporary, err) : status;
  if (status == PK_OK) {
    pki_warn_scenario("render", scenario, NULL, -1); /* it may end early: at the last picture */
    pki_progress progress = pki_progress_start();
    const double end = !isnan(w->at) ? w->at : w->film.to;
    const pki_run_options options = {.duration = isnan(end) ? -1 : fmax(end, 0),
                                     .folder = w->temporary,
                                     .no_report = true,
                                     .stop = stop,
                                     .progress = pki_progress_show,
                                     .user = &progress};
    status = pki_run(&world, &options, &result, err);
    pki_progress_end(&progress);
  }
  if (status == PK_OK && result.stopped[0] != '\0') {
    pki_complain("render", "the run stopped early: %s", result.stopped);
  }
  if (status == PK_OK && !pki_path_join(w->recording, w->temporary, PKI_RECORDING_FILE)) {
    status = pki_fail(err, PK_ERROR_FILE, (pki_where){.file = w->temporary}, "the path is too long");
  }
  pki_run_result_free(&result);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return status;
}

/* ---- the film ---- */

/* Times that were not given, and the name of the file. */
static bool complete_wishes(wishes *w, const pki_source *source, const pki_args *args)
{
  double start, end;
  pki_replay_span(source, &start, &end);
  if (w->film.kind == PKI_FILM_PICTURE || !isnan(w->at)) {
    w->film.from = w->film.to = !isnan(w->at) ? w->at : isnan(w->film.from) ? start : w->film.from;
  }
  w->film.from = isnan(w->film.from) ? start : w->film.from;
  w->film.to = isnan(w->film.to) ? end : w->film.to;
  const double slack = 0.5 / w->film.fps;
  if (w->film.from > w->film.to || w->film.from < start - slack || w->film.to > end + slack) {
    pki_complain("render", "from %g s to %g s, but the recording goes from %g s to %g s", w->film.from,
                 w->film.to, start, end);
    return false;
  }
  if (w->out[0] == '\0') {
    char name[128];
    const char *word = args->nword == 1 ? args->words[0] : pki_args_value(args, "model"),
               *slash = strrchr(word, '/');
    snprintf(name, sizeof name, "%.120s", slash != NULL && slash[1] != '\0' ? slash + 1 : word);
    name[strcspn(name, "./")] = '\0';
    snprintf(w->out, sizeof w->out, "%s%s", name[0] != '\0' ? name : "pronk",
             w->film.kind == PKI_FILM_PICTURE ? ".png" : ".mp4");
  }
  return true;
}

static int make_film(const pki_args *args, wishes *w, const atomic_int *stop)
{
  pki_source *source = NULL;
  pk_error err = {0};
  if (pki_replay_create(w->recording, &source, &err) != PK_OK) {
    pki_complain_error("render", &err);
    return PKI_EXIT_USAGE;
  }
  int code = PKI_EXIT_USAGE, count = 0;
  if (complete_wishes(w, source, args)) {
    pki_progress progress = pki_progress_start();
    w->film.out = w->out;
    w->film.folder = w->page;
    w->film.patience = 90;
    w->film.stop = stop;
    w->film.progress = pki_progress_show;
    w->film.user = &progress; /* cppcheck-suppress autoVariables */
    /* an encoder that ends early is a failed write, not the end of the program */
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    const pk_status status = pki_film_make(source, &w->film, &count, &err);
    signal(SIGPIPE, before);
    pki_progress_end(&progress);
    code = status == PK_OK ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
    if (status != PK_OK) {
      pki_complain_error("render", &err);
    }
  }
  source->kind->destroy(source);
  if (code == PKI_EXIT_OK && args->json) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "output", w->out);
    cJSON_AddNumberToObject(o, "pictures", count);
    pki_json_number(o, "from", w->film.from);
    pki_json_number(o, "to", w->film.to);
    pki_json_print(o, true, "render");
  } else if (code == PKI_EXIT_OK) {
    printf("%s: %d picture%s of %d x %d\n", w->out, count, count == 1 ? "" : "s", w->film.width,
           w->film.height);
  }
  return code;
}

int pki_command_render(const pki_args *args)
{
  if (!pki_one_world(args, "recording, scenario or model")) {
    return PKI_EXIT_USAGE;
  }
  wishes *w = calloc(1, sizeof *w);
  pk_error err = {0};
  if (w == NULL || !read_wishes(args, w)) {
    free(w);
    return PKI_EXIT_USAGE;
  }
  int code = PKI_EXIT_FAILURE;
  const atomic_int *stop = pki_interrupt_catch();
  if (pki_film_check(&w->film, &err) != PK_OK) {
    pki_complain_error("render", &err);
  } else if (pki_view_folder("render", w->page)) {
    const bool recorded = args->nword == 1 && pki_view_recording(args->words[0], w->recording);
    const pk_status status = recorded ? PK_OK : run_first(args, w, stop, &err);
    if (status != PK_OK) {
      err.status = status;
      pki_complain_error("render", &err);
      code = pki_exit_of_input(status);
    } else {
      code = make_film(args, w, stop);
    }
  }
  if (w->temporary[0] != '\0') {
    pki_folder_remove(w->temporary);
  }
  pki_interrupt_release();
  free(w);
  return code;
}

#endif
