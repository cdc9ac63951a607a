/* A world that is simulated while clients watch it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/channels.h"
#include "serve/hub.h"
#include "serve/live_parameters.h"
#include "serve/source.h"
#include "sim/sim_control.h"

static const double push_lasts = 0.25; /* s of the wall clock without a new one */

/* A push that a client holds. */
typedef struct held {
  int link; /* -1: none */
  double point[3], force[3];
  double until; /* wall clock */
} held;

/* A world with all that looks at it; made anew when a parameter changes. */
typedef struct stage {
  pki_scenario *scenario;
  pki_world world;
  pki_watch watch;
  pki_run_result result;
  pki_channel_reader *reader;
  void *start; /* its first state */
  size_t start_size;
  pki_scenario *steered; /* the scenario as sliders changed it while the world went on; NULL: they did not */
  pki_text scene;        /* scene.json */
  double *before;        /* [nu] velocities before the last step */
  bool stepped;          /* there was one */
} stage;

typedef struct live {
  pki_source source;
  stage *now;
  held held[PKI_HUB_CLIENTS];
  double residual; /* worst since it was asked for */
  pki_parameter *parameters;
  int nparameter;
  void (*compile)(pki_world *world);
} live;

/* ---- the stage ---- */

static void stage_destroy(stage *s)
{
  if (s == NULL) {
    return;
  }
  pki_channel_reader_destroy(s->reader);
  pki_watch_free(&s->watch);
  pki_run_result_free(&s->result);
  pki_world_free(&s->world);
  pki_scenario_destroy(s->scenario);
  pki_text_free(&s->scene);
  pki_scenario_destroy(s->steered);
  free(s->start);
  free(s->before);
  free(s);
}

/* Look at the world as it is now. */
static pk_status observe_world(stage *s, pk_error *err)
{
  pki_channel_reader_destroy(s->reader);
  s->reader = NULL;
  pki_watch_free(&s->watch);
  pki_run_result_free(&s->result);
  s->watch = (pki_watch){0};
  s->result = (pki_run_result){0};
  const pk_status status =
      pki_watch_begin(&s->watch, &s->world, s->scenario->step.tolerance, &s->result, err);
  return status == PK_OK ? pki_channel_reader_create(&s->watch, &s->result, NULL, 0, &s->reader, err)
                         : status;
}

/* Takes the scenario over, also when it fails. */
static pk_status stage_create(pki_scenario *scenario, void (*compile)(pki_world *world), stage **out,
                              pk_error *err)
{
  *out = NULL;
  stage *s = calloc(1, sizeof *s);
  if (s == NULL) {
    pki_scenario_destroy(scenario);
    return pki_fail_memory(err, "the viewer");
  }
  s->scenario = scenario;
  pk_status status = pki_world_create(scenario, &s->world, err);
  if (status == PK_OK) {
    compile(&s->world);
  }
  status = status == PK_OK ? observe_world(s, err) : status;
  status = status == PK_OK ? pki_watch_scene(&s->watch, &s->scene, err) : status;
  if (status == PK_OK) {
    s->start_size = pk_sim_state_size(s->world.sim);
    s->start = malloc(s->start_size);
    s->before = calloc(2 * (size_t)s->world.model->nu + 1, sizeof *s->before);
    status = s->start != NULL && s->before != NULL ? PK_OK : pki_fail_memory(err, "the viewer");
  }
  if (status != PK_OK) {
    stage_destroy(s);
    return status;
  }
  pk_sim_get_state(s->world.sim, s->start);
  *out = s;
  return PK_OK;
}

/* ---- steps ---- */

static pk_status live_advance(pki_source *self, double span, bool *ended, pk_error *err)
{
  (void)span;
  live *l = (live *)self;
  stage *s = l->now;
  const double now = pki_clock();
  for (int i = 0; i < PKI_HUB_CLIENTS; i++) {
    held *h = &l->held[i];
    if (h->link >= 0 && now < h->until) {
      pk_sim_push(s->world.sim, h->link, h->point, h->force);
    }
  }
  memcpy(s->before, pk_sim_u(s->world.sim), (size_t)s->world.model->nu * sizeof *s->before);
  s->watch.info = (pk_step_info){.body = -1, .term = "", .certified = true};
  const pk_status status = pki_world_step(&s->world, &s->watch.info);
  if (status != PK_OK) {
    char why[320];
    pki_watch_explain(&s->watch, &s->result, status, why, sizeof why);
    return pki_fail(err, status, (pki_where){0}, "%s", why);
  }
  s->stepped = true;
  pki_watch_step(&s->watch, &s->result);
  l->source.time = pk_sim_time(s->world.sim);
  l->residual = fmax(l->residual, s->watch.info.certificate.relative);
  *ended = false; /* a live world continues beyond its duration */
  return PK_OK;
}

static double live_span(const pki_source *self, double speed)
{
  (void)speed;
  return ((const live *)self)->now->scenario->step.dt;
}

static pk_status live_step(pki_source *self, int count, bool *ended, pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < count && status == PK_OK; i++) {
    status = live_advance(self, 0, ended, err);
  }
  return status;
}

static void release_pushes(live *l)
{
  for (int i = 0; i < PKI_HUB_CLIENTS; i++) {
    l->held[i].link = -1;
  }
}

/* What changed options of a controller change in its memory. */
static pk_status remember_options(stage *s, const pki_scenario *changed, pk_error *err)
{
  const pki_controller_row *row = changed->controller;
  return row != NULL && row->change != NULL
             ? row->change(s->world.sim, s->scenario->controller_options, changed->controller_options, err)
             : PK_OK;
}

static pk_status live_reset(pki_source *self, pk_error *err)
{
  live *l = (live *)self;
  stage *s = l->now;
  const pk_status status = pk_sim_set_state(s->world.sim, s->start, s->start_size, err);
  if (status != PK_OK) {
    return status;
  }
  release_pushes(l);
  s->stepped = false;
  l->source.time = 0;
  l->residual = 0;
  const pki_scenario *steered = s->steered; /* what was changed while it ran stays */
  const pk_status kept = steered != NULL ? remember_options(s, steered, err) : PK_OK;
  return kept == PK_OK ? observe_world(s, err) : kept;
}

/* ---- what clients do ---- */

static pk_status live_push(pki_source *self, int client, const pki_message *push, pk_error *err)
{
  live *l = (live *)self;
  held *h = &l->held[client];
  h->link = -1;
  if (push->body < 0) {
    return PK_OK;
  }
  const pk_model *m = pk_sim_model(l->now->world.sim);
  int link = push->body < m->nbody ? m->body_link[push->body] : -1;
  for (int i = 0; i < m->nlink && link < 0; i++) {
    link = m->links[i].body == push->body ? i : -1;
  }
  if (link < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "body"}, "%d, expected one of %d bodies",
                    push->body, m->nbody);
  }
  /* from the body's frame to the link's */
  const pk_pose *pose = &m->links[link].pose;
  double away[3];
  for (int k = 0; k < 3; k++) {
    away[k] = push->point[k] - pose->pos[k];
  }
  for (int k = 0; k < 3; k++) {
    h->point[k] = pose->rot[k] * away[0] + pose->rot[3 + k] * away[1] + pose->rot[6 + k] * away[2];
  }
  memcpy(h->force, push->force, sizeof h->force);
  h->until = pki_clock() + push_lasts;
  h->link = link;
  return PK_OK;
}

/* The present overrides with key=text in the place of an earlier one; the last is the new one, for free(). */
static const char **with_override(const pki_scenario *s, const char *key, const char *text, int *count)
{
  const size_t length = strlen(key), size = length + strlen(text) + 2;
  const char **sets = calloc((size_t)s->nset + 1, sizeof *sets);
  char *own = malloc(size);
  if (sets == NULL || own == NULL) {
    free((void *)sets);
    free(own);
    return NULL;
  }
  *count = 0;
  for (int i = 0; i < s->nset; i++) {
    if (strncmp(s->sets[i], key, length) != 0 || s->sets[i][length] != '=') {
      sets[(*count)++] = s->sets[i];
    }
  }
  snprintf(own, size, "%s=%s", key, text);
  sets[(*count)++] = own;
  return sets;
}

/* The same scenario with one key changed. */
static pk_status change_scenario_key(const pki_scenario *s, const char *key, const char *text,
                                     pki_scenario **out, pk_error *err)
{
  int count = 0;
  const char **sets = with_override(s, key, text, &count);
  if (sets == NULL) {
    return pki_fail_memory(err, "the viewer");
  }
  const pk_status status = pki_scenario_parse(s->file, s->text, s->text_size, sets, count, out, err);
  free((void *)sets[count - 1]);
  free((void *)sets);
  return status;
}

/* Robots that look different would need another scene: that takes a new start of the command. */
static pk_status check_alike(const live *l, const stage *s, pk_error *err)
{
  const pki_catalog *c = l->source.catalog;
  bool alike = s->reader->count == c->count;
  for (int i = 0; alike && i < c->count; i++) {
    alike = s->reader->channels[i].columns == c->channels[i].columns;
  }
  return alike ? PK_OK
               : pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0},
                          "the model's file has changed; start `pronk view` again");
}

/* A controller with the changed options goes on with what the present one remembers. */
static pk_status change_controller(stage *s, const pki_scenario *changed, pk_error *err)
{
  pk_sim *sim = s->world.sim;
  pk_controller *fresh = NULL;
  pk_status status =
      changed->controller->create(pk_sim_joint_model(sim), changed->controller_options, &fresh, err);
  status = status == PK_OK ? remember_options(s, changed, err) : status;
  status = status == PK_OK && fresh != NULL ? pki_control_replace(sim, fresh, err) : status;
  if (status != PK_OK) {
    pki_controller_destroy(fresh);
    return status;
  }
  pki_controller_destroy(s->world.controller);
  s->world.controller = fresh;
  return PK_OK;
}

/* The motors of an entry of `actuators` have another value from now on. Those are no part of the state: a reset keeps them. */
static pk_status change_motors(stage *s, const pki_parameter *p, double value, pk_error *err)
{
  int first = 0;
  const int count = pki_world_entry_actuators(&s->world, p->entry, &first);
  pk_status status = PK_OK;
  for (int i = first; i < first + count && status == PK_OK; i++) {
    status = pk_sim_scale_motor(s->world.sim, i, (pk_motor_value)p->motor, value / p->value, err);
  }
  return status;
}

/* The world goes on with its own scenario; the next one that is made starts from the changed overrides, and a reset applies the
 * change again. */
static pk_status change_running(live *l, const pki_parameter *p, double value, pki_scenario *changed,
                                pk_error *err)
{
  stage *s = l->now;
  const pk_status status =
      p->motor >= 0 ? change_motors(s, p, value, err) : change_controller(s, changed, err);
  if (status != PK_OK) {
    pki_scenario_destroy(changed);
    return status;
  }
  char **sets = s->scenario->sets;
  const int nset = s->scenario->nset;
  s->scenario->sets = changed->sets;
  s->scenario->nset = changed->nset;
  changed->sets = sets;
  changed->nset = nset;
  pki_scenario_destroy(s->steered);
  s->steered = changed;
  return PK_OK;
}

/* A world of the changed scenario, from its start. */
static pk_status restart_with_scenario(live *l, pki_scenario *changed, pk_error *err)
{
  stage *fresh = NULL;
  pk_status status = stage_create(changed, l->compile, &fresh, err);
  if (fresh == NULL) {
    return status;
  }
  status = check_alike(l, fresh, err);
  if (status != PK_OK) {
    stage_destroy(fresh);
    return status;
  }
  stage_destroy(l->now);
  l->now = fresh;
  l->source.time = 0;
  l->residual = 0;
  release_pushes(l);
  return PK_OK;
}

static pk_status live_set(pki_source *self, const char *key, const char *text, bool *restarted, pk_error *err)
{
  live *l = (live *)self;
  pki_parameter *p = NULL;
  pki_scenario *changed = NULL;
  double value = 0;
  *restarted = false;
  pk_status status = pki_parameters_find(l->parameters, l->nparameter, key, &p, err);
  status = status == PK_OK ? pki_parameter_read(p, text, &value, err) : status;
  status = status == PK_OK ? change_scenario_key(l->now->scenario, key, text, &changed, err) : status;
  if (status != PK_OK || p == NULL || changed == NULL) {
    return status;
  }
  const bool goes_on = pki_parameter_is_live(p, value);
  status = goes_on ? change_running(l, p, value, changed, err) : restart_with_scenario(l, changed, err);
  if (status == PK_OK) {
    p->value = value;
    p->live = pki_parameter_is_live(p, value);
    *restarted = !goes_on;
  }
  return status;
}

/* ---- what is seen ---- */

/* The stability of the first robot after the last step, its feet accelerated as they were. */
static void show_stability(const stage *s, pki_frame *frame)
{
  const int nu = s->world.model->nu;
  const double *u = pk_sim_u(s->world.sim), dt = s->scenario->step.dt;
  double *rate = s->before + nu;
  pk_stability_options o =
      s->scenario->has_stability ? s->scenario->stability : pk_stability_options_default();
  pk_stability now;
  o.measures = PKI_FRAME_MEASURES;
  for (int k = 0; k < nu; k++) {
    rate[k] = s->stepped ? (u[k] - s->before[k]) / dt : 0;
  }
  const bool known = s->world.model_robot[s->scenario->nmodel] > 0 &&
                     pk_sim_stability(s->world.sim, 0, rate, &o, &now, NULL) == PK_OK;
  pki_frame_put_stability(frame, known ? &now : NULL);
}

static pk_status live_show(pki_source *self, const bool *wanted, pki_frame *frame, pk_error *err)
{
  (void)err;
  live *l = (live *)self;
  const pki_catalog *c = l->source.catalog;
  for (int i = 0; i < c->count; i++) {
    if (wanted[i] || pki_catalog_is_drawn(c, i)) {
      int rows = 0;
      const double *values = pki_channel_reader_read(l->now->reader, i, &rows);
      pki_frame_put(frame, c, i, values, rows);
    }
  }
  show_stability(l->now, frame);
  frame->step = (double)l->now->result.steps;
  return PK_OK;
}

static pki_health live_health(pki_source *self)
{
  live *l = (live *)self;
  const pki_health h = {l->residual, l->now->watch.info.contacts, l->now->watch.now.pos[2]};
  l->residual = 0;
  return h;
}

static void live_parameters(const pki_source *self, pki_text *out)
{
  const live *l = (const live *)self;
  pki_text_add(out, "\"parameters\":");
  pki_parameters_json(l->parameters, l->nparameter, out);
  pki_text_add(out, ",\"duration\":");
  pki_text_add_json_number(out, l->now->scenario->duration);
  pki_text_add(out, ",\"dt\":");
  pki_text_add_json_number(out, l->now->scenario->step.dt);
  pki_text motors = {0};
  pki_watch_motors_json(&l->now->watch, &motors);
  pki_text_addf(out, ",\"motors\":%s", motors.size > 0 ? motors.data : "[]");
  out->failed = out->failed || motors.failed;
  pki_text_free(&motors);
}

static pk_status live_describe(const pki_source *self, pki_text *out, pk_error *err)
{
  (void)err;
  const live *l = (const live *)self;
  const pki_scenario *s = l->now->scenario;
  pki_text_add(out, "\"name\":");
  pki_text_add_json_string(out, s->name);
  pki_text_add(out, ",\"description\":");
  pki_text_add_json_string(out, s->description);
  pki_text_add(out, ",\"start\":0,");
  live_parameters(self, out);
  pki_text_add(out, ",\"scene\":");
  pki_text_add(out, l->now->scene.data);
  return PK_OK;
}

static void live_destroy(pki_source *self)
{
  live *l = (live *)self;
  stage_destroy(l->now);
  pki_catalog_destroy(l->source.catalog);
  free(l->parameters);
  free(l);
}

static const pki_source_kind live_kind = {.mode = "live",
                                          .advance = live_advance,
                                          .span = live_span,
                                          .step = live_step,
                                          .reset = live_reset,
                                          .push = live_push,
                                          .set = live_set,
                                          .parameters = live_parameters,
                                          .show = live_show,
                                          .health = live_health,
                                          .describe = live_describe,
                                          .destroy = live_destroy};

static void compile_in_silence(pki_world *world)
{
  pki_world_compile(world, NULL);
}

pk_status pki_live_show(pki_scenario *scenario, void (*compile)(pki_world *world), pki_source **out,
                        pk_error *err)
{
  *out = NULL;
  live *l = calloc(1, sizeof *l);
  if (l == NULL) {
    pki_scenario_destroy(scenario);
    return pki_fail_memory(err, "the viewer");
  }
  l->source.kind = &live_kind;
  l->compile = compile != NULL ? compile : compile_in_silence;
  release_pushes(l);
  pk_status status = stage_create(scenario, l->compile, &l->now, err);
  if (status == PK_OK && l->now != NULL) {
    status = pki_catalog_create(l->now->reader->channels, l->now->reader->count, &l->source.catalog, err);
  }
  if (status == PK_OK && l->now != NULL) {
    l->parameters = pki_parameters_create(l->now->scenario, &l->nparameter);
    status = l->parameters != NULL ? PK_OK : pki_fail_memory(err, "the viewer");
  }
  if (status != PK_OK) {
    live_destroy(&l->source);
    return status;
  }
  *out = &l->source;
  return PK_OK;
}

pk_status pki_live_create(const char *path, const char *const *sets, int nset, pki_source **out,
                          pk_error *err)
{
  pki_scenario *scenario = NULL;
  *out = NULL;
  const pk_status status = pki_scenario_load(path, sets, nset, &scenario, err);
  return status == PK_OK ? pki_live_show(scenario, NULL, out, err) : status;
}
