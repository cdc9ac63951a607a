#include <math.h>
#include <string.h>

#include "bench/contact_pronk.h"
#include "bench/crowd.h"

pk_status pki_crowd_sim_create(pki_crowd_sim *s, const pki_crowd *crowd, int steps, pk_error *err)
{
  pk_sim_options o = pk_sim_options_default();
  o.tolerance = crowd->tolerance;
  *s = (pki_crowd_sim){.crowd = crowd, .steps = steps};
  return pki_contact_sim_create(crowd->scene, &o, &s->ground, &s->sim, err);
}

void pki_crowd_sim_destroy(pki_crowd_sim *s)
{
  pk_sim_destroy(s->sim);
  pk_terrain_destroy(s->ground);
  *s = (pki_crowd_sim){0};
}

static void start_world(pki_crowd_sim *s, int world)
{
  const pk_model *m = s->crowd->scene->model;
  pk_sim_reset(s->sim);
  memcpy(pk_sim_q(s->sim), s->crowd->q + (size_t)world * (size_t)m->nq, (size_t)m->nq * sizeof(double));
  memcpy(pk_sim_u(s->sim), s->crowd->u + (size_t)world * (size_t)m->nu, (size_t)m->nu * sizeof(double));
  pki_contact_set_gains(s->crowd->scene, pk_sim_commands(s->sim));
}

static void add_step(pk_batch_info *total, const pk_step_info *step, int world)
{
  if (step->certificate.relative > total->worst) {
    total->worst = step->certificate.relative;
    total->worst_world = world;
  }
  total->stepped++;
  total->uncertified += !step->certified;
  total->shifted += step->shifted > 0;
  total->shift = fmax(total->shift, step->shift);
  total->impulses_alone += step->impulses_alone;
  total->alone += step->left != PK_LANE_EXIT_NONE;
  total->left[step->left] += step->left != PK_LANE_EXIT_NONE;
}

/* info NULL: it is not wanted. */
static void step_worlds(pki_crowd_sim *s, pk_step_info *info)
{
  const pk_model *m = s->crowd->scene->model;
  for (int k = 0; k < s->crowd->n; k++) {
    pk_status status = PK_OK;
    start_world(s, k);
    for (int i = 0; i < s->steps && status == PK_OK; i++) {
      const double *target = pki_crowd_target(s->crowd, k, i);
      pk_command *commands = pk_sim_commands(s->sim);
      for (int j = 0; j < m->nu; j++) {
        commands[j].q_des = target[j];
      }
      status = pk_sim_step(s->sim, info);
      if (info && status == PK_OK) {
        add_step(&s->info, info, k);
      }
    }
    s->info.frozen += info && status != PK_OK;
    s->status = s->status == PK_OK ? status : s->status;
  }
}

void pki_crowd_sim_call(void *sim, int index)
{
  (void)index;
  step_worlds(sim, NULL);
}

void pki_crowd_sim_watch(pki_crowd_sim *s)
{
  pk_step_info info;
  s->info = (pk_batch_info){0};
  step_worlds(s, &info);
}
