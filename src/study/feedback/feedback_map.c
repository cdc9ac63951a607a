/* The map: random starts and friction. */
#include <stdlib.h>

#include "study/feedback/feedback.h"

const double pki_feedback_frictions[PKI_FEEDBACK_FRICTIONS] = {0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4};
const pki_feedback_panel pki_feedback_panels[PKI_FEEDBACK_PANELS] = {
    {PKI_SCENE_TROT, 0.05, "trot-50", "Consistent trot, 50 ms"},
    {PKI_SCENE_TROT, 0.1, "trot-100", "Consistent trot, 100 ms"},
    {PKI_SCENE_SINUSOIDS, 0.1, "sinusoids-100", "Sinusoids, 100 ms"},
};

/* All starts of one cell. */
typedef struct map_job {
  pki_feedback_data *d;
  int panel, friction;
  pk_status status;
  pk_error err;
} map_job;

static void do_map_job(void *job)
{
  map_job *const j = job;
  const pki_feedback_panel *p = &pki_feedback_panels[j->panel];
  const pki_feedback_case c = pki_feedback_leg_case(p->scene, PKI_LEG_TWO_STAGE);
  pki_feedback_terms terms = {
      .dt = p->dt, .seconds = 5, .settle = 1.2, .friction = pki_feedback_frictions[j->friction]};
  for (int i = 0; i < j->d->starts && j->status == PK_OK; i++) {
    pki_feedback_run run;
    pki_feedback_start *const out = &j->d->map[j->panel][j->friction][i];
    terms.start = i + 1;
    j->status = pki_feedback_simulate(&c, &terms, &run, &j->err);
    if (j->status == PK_OK) {
      out->fell = run.fell || run.failed;
      out->certified = run.uncertified == 0;
      out->slip = run.slip;
      out->held = !out->fell && out->certified && run.slip < 1e-3;
    }
  }
}

int pki_feedback_held(const pki_feedback_data *d, int panel, int friction)
{
  int count = 0;
  for (int i = 0; i < d->starts; i++) {
    count += d->map[panel][friction][i].held;
  }
  return count;
}

pk_status pki_feedback_chart(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err)
{
  map_job jobs[PKI_FEEDBACK_FRICTIONS];
  pk_status status = PK_OK;
  for (int panel = 0; panel < PKI_FEEDBACK_PANELS && status == PK_OK; panel++) {
    for (int i = 0; i < PKI_FEEDBACK_FRICTIONS; i++) {
      jobs[i] = (map_job){.d = d, .panel = panel, .friction = i};
    }
    watch->tell(watch->user, (double)panel / PKI_FEEDBACK_PANELS);
    pki_feedback_share(do_map_job, jobs, sizeof *jobs, PKI_FEEDBACK_FRICTIONS);
    for (int i = 0; i < PKI_FEEDBACK_FRICTIONS && status == PK_OK; i++) {
      status = jobs[i].status;
      *err = status != PK_OK ? jobs[i].err : *err;
    }
  }
  return status;
}
