/* Pronk's own entry. The default takes gains implicitly; the paper's scheme knows only torques at the start
 * of the step. The peers' robots have no joint limits, so this one has none either. */
#include "bench/contact_pronk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pronk/code.h"
#include "pronk/sim.h"

static const pki_contact_config configs[] = {
    {"auto 1e-8", "implicit", 0.5},
    {"preset paper", "explicit", 0.5},
    {"auto, compiled", "implicit", 0.5},
};

enum { PAPER = 1, COMPILED = 2 };

typedef struct world {
  const pki_contact_scene *scene;
  pk_terrain *ground;
  pk_sim *sim;
  pk_code *code; /* of COMPILED */
} world;

static void destroy(void *object)
{
  world *w = object;
  if (!w) {
    return;
  }
  pk_sim_destroy(w->sim);
  pk_code_close(w->code);
  pk_terrain_destroy(w->ground);
  free(w);
}

static pk_sim_options options_of(const pki_contact_scene *s, int config)
{
  pk_sim_options o = pk_sim_options_preset(config == PAPER ? PK_PRESET_PAPER : PK_PRESET_DEFAULT);
  o.dt = s->dt;
  o.joint_limits = false;
  return o;
}

static void *create(const pki_contact_scene *s, int config, char *message, size_t size)
{
  pk_sim_options o = options_of(s, config);
  const pk_material rubber = {.friction = s->mu};
  pk_error err = {0};
  world *w = calloc(1, sizeof *w);
  snprintf(message, size, "out of memory");
  if (!w) {
    return NULL;
  }
  w->scene = s;
  w->ground = pk_terrain_create();
  const bool coded = config != COMPILED || pk_code_open(s->model, NULL, &w->code, &err) == PK_OK;
  o.code = w->code;
  if (!coded || !w->ground ||
      pk_terrain_add_plane(w->ground, (double[3]){0, 0, 0}, (double[3]){0, 0, 1}, 0, &err) != PK_OK ||
      pk_sim_create(s->model, &o, &w->sim, &err) != PK_OK ||
      (s->nfoot > 0 && pk_sim_set_terrain(w->sim, w->ground, &rubber, 1, &err) != PK_OK)) {
    if (err.message[0]) {
      snprintf(message, size, "%s", err.message);
    }
    destroy(w);
    return NULL;
  }
  memcpy(pk_sim_q(w->sim), s->q, (size_t)s->model->nq * sizeof *s->q);
  for (int k = 0; k < s->model->nu; k++) {
    if (s->model->dof_q[k] >= 0) {
      pk_sim_commands(w->sim)[k] = (pk_command){.kp = s->kp, .kd = s->kd, .tau_max = INFINITY};
    }
  }
  return w;
}

static bool step(void *object, const double *q_des)
{
  const world *w = object;
  pk_command *commands = pk_sim_commands(w->sim);
  const pk_model *m = w->scene->model;
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0) {
      commands[k].q_des = q_des[k];
    }
  }
  return pk_sim_step(w->sim, NULL) == PK_OK;
}

static void read(void *object, pki_contact_sample *out)
{
  const world *w = object;
  const pk_model *m = w->scene->model;
  memcpy(out->q, pk_sim_q(w->sim), (size_t)m->nq * sizeof *out->q);
  memcpy(out->u, pk_sim_u(w->sim), (size_t)m->nu * sizeof *out->u);
  out->has_feet = false;
  memset(out->force, 0, sizeof out->force);
  pk_sim_contact contacts[PKI_FEET];
  const int count = pk_sim_contacts(w->sim, contacts, PKI_FEET);
  for (int i = 0; i < count && i < PKI_FEET; i++) {
    for (int f = 0; f < PKI_FEET; f++) {
      double impulse[3];
      const bool carries = pk_sim_contact_carries(&contacts[i], m, w->scene->feet[f].link, impulse, NULL);
      for (int k = 0; k < 3 && carries; k++) {
        out->force[f][k] += impulse[k] / w->scene->dt;
      }
    }
  }
}

const pki_contact_peer *pki_contact_pronk(void)
{
  static const pki_contact_peer table = {
      configs, sizeof configs / sizeof configs[0], create, destroy, step, read, NULL, NULL, NULL, NULL};
  return &table;
}
