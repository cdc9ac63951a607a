/* Pronk's own entry. The default takes gains implicitly; the paper's scheme knows only torques at the start
 * of the step. Where robots are their feet alone, the peers' have no joint limits, so this one has none either. */
#include "bench/contact_pronk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pronk/code.h"
#include "pronk/collision.h"

static const pki_contact_config configs[] = {
    {"auto 1e-8", "implicit", 0.5},
    {"preset gehring-2014", "explicit", 0.5},
    {"auto, compiled", "implicit", 0.5},
};

enum { PAPER = 1, COMPILED = 2 };

typedef struct world {
  const pki_contact_scene *scene;
  pk_terrain *ground;
  pk_sim *sim;
  pk_code *code; /* of COMPILED */
} world;

static void destroy_contact_world(void *object)
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

static pk_sim_options options_of(int config)
{
  return pk_sim_options_preset(config == PAPER ? PK_SIM_PRESET_GEHRING_2014 : PK_SIM_PRESET_DEFAULT);
}

void pki_contact_set_gains(const pki_contact_scene *s, pk_command *commands)
{
  for (int k = 0; k < s->model->nu; k++) {
    const bool held = s->model->dof_q[k] >= 0;
    commands[k] = (pk_command){
        .kp = held ? s->kp : 0, .kd = held ? s->kd : 0, .tau_max = s->tau_max ? s->tau_max[k] : INFINITY};
  }
}

/* Links of bodies that do not collide. */
static pk_status part_bodies(const pki_contact_scene *s, pk_sim *sim, pk_error *err)
{
  const pk_model *m = s->model;
  pk_status status = PK_OK;
  for (int i = 0; i < s->napart; i++) {
    for (int a = 0; a < m->nlink; a++) {
      for (int b = 0; b < m->nlink && status == PK_OK; b++) {
        if (m->links[a].body == s->apart[i][0] && m->links[b].body == s->apart[i][1]) {
          status = pk_sim_set_collision(sim, a, b, false, err);
        }
      }
    }
  }
  return status;
}

pk_status pki_contact_sim_create(const pki_contact_scene *s, const pk_sim_options *options,
                                 pk_terrain **ground, pk_sim **sim, pk_error *err)
{
  const pk_material rubber = {.friction = s->mu};
  pk_sim_options o = *options;
  o.dt = s->dt;
  o.joint_limits = s->whole;
  *sim = NULL;
  pk_terrain_create(ground, NULL);
  pk_status status =
      *ground ? PK_OK : pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for the ground");
  status =
      status == PK_OK ? pk_terrain_add_plane(*ground, (double[3]){0}, (double[3]){0, 0, 1}, 0, err) : status;
  status = status == PK_OK ? pk_sim_create(s->model, &o, sim, err) : status;
  if (status == PK_OK && (s->nfoot > 0 || s->whole)) {
    status = pk_sim_set_terrain(*sim, *ground, &rubber, 1, err);
  }
  if (status == PK_OK && s->whole) {
    status = pk_sim_set_body_material(*sim, &rubber, err);
    status = status == PK_OK ? part_bodies(s, *sim, err) : status;
  }
  if (status != PK_OK) {
    pk_sim_destroy(*sim);
    pk_terrain_destroy(*ground);
    *sim = NULL;
    *ground = NULL;
    return status;
  }
  memcpy(pk_sim_q(*sim), s->q, (size_t)s->model->nq * sizeof *s->q);
  pki_contact_set_gains(s, pk_sim_commands(*sim));
  return PK_OK;
}

static void *create_contact_world(const pki_contact_scene *s, int config, char *message, size_t size)
{
  pk_sim_options o = options_of(config);
  pk_error err = {0};
  world *w = calloc(1, sizeof *w);
  snprintf(message, size, "out of memory");
  if (!w) {
    return NULL;
  }
  w->scene = s;
  const bool coded = config != COMPILED || pk_code_open(s->model, NULL, &w->code, &err) == PK_OK;
  o.code = w->code;
  if (!coded || pki_contact_sim_create(s, &o, &w->ground, &w->sim, &err) != PK_OK) {
    if (err.message[0]) {
      snprintf(message, size, "%s", err.message);
    }
    destroy_contact_world(w);
    return NULL;
  }
  return w;
}

static bool step_contact_world(void *object, const double *q_des)
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

static void read_contact_sample(void *object, pki_contact_sample *out)
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
  static const pki_contact_peer table = {configs,
                                         sizeof configs / sizeof configs[0],
                                         create_contact_world,
                                         destroy_contact_world,
                                         step_contact_world,
                                         read_contact_sample,
                                         NULL,
                                         NULL,
                                         NULL,
                                         NULL,
                                         NULL};
  return &table;
}
