/* One case of the study: the gait file sony-amble with its changes, solved. */
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "study/hardt/hardt.h"

#define SLOW_PHASES \
  "phases.0.duration=[0.2, 0.5]", "phases.0.guess=0.3125", "phases.1.duration=[0.08, 0.4]", \
      "phases.1.guess=0.15625", "phases.2.duration=[0.08, 0.4]", "phases.2.guess=0.15625"

const pki_hardt_variant pki_hardt_variants[PKI_HARDT_CASES] = {
    [PKI_HARDT_JS2] = {"js2", "J_s2, reading B", {NULL}, true},
    [PKI_HARDT_JE1] = {"je1", "J_e1 instead", {"objective={joule: 0.05, acceleration: 1e-6}"}, false},
    [PKI_HARDT_JE2] = {"je2",
                       "J_e2 instead",
                       {"objective={work: 0.3, torque: 0.02, acceleration: 1e-6}"},
                       false},
    [PKI_HARDT_READING_A] = {"reading-a",
                             "J_s2, reading A",
                             {"period=1.25", SLOW_PHASES, "solver.iterations=60"},
                             true},
    [PKI_HARDT_READING_C] = {"reading-c",
                             "J_s2, reading C",
                             {"period=1.25", "speed=0.3333333333333333", SLOW_PHASES},
                             true},
    [PKI_HARDT_LINES] = {"lines",
                         "with the line of the servos",
                         {"motor_lines=true", "solver.iterations=60"},
                         false},
    [PKI_HARDT_SLIPPERY] = {"friction-0.5",
                            "friction used up to 0.5 instead of 0.6",
                            {"ground.friction_share=0.625"},
                            false},
    [PKI_HARDT_ROUGH] = {"friction-0.8", "friction used up to 0.8", {"ground.friction_share=1"}, false},
    [PKI_HARDT_LEVEL] = {"tilt-0.08",
                         "attitude within 0.08 rad instead of 0.12",
                         {"limits.0.lower=-0.08", "limits.0.upper=0.08", "limits.1.lower=-0.08",
                          "limits.1.upper=0.08", "limits.2.lower=-0.08", "limits.2.upper=0.08"},
                         false},
    [PKI_HARDT_TILTED] = {"tilt-0.2",
                          "attitude within 0.2 rad",
                          {"limits.0.lower=-0.2", "limits.0.upper=0.2", "limits.1.lower=-0.2",
                           "limits.1.upper=0.2", "limits.2.lower=-0.2", "limits.2.upper=0.2"},
                          false},
    [PKI_HARDT_EAGER] = {"weight-0.25",
                         "torques and accelerations weigh a quarter",
                         {"objective.stability=2"},
                         false},
    [PKI_HARDT_TIP] = {"tip", "v_tip at right angles to the arm", {"stability={tip: perpendicular}"}, false},
};

static bool tell_solver(void *user, int stage, const char *name, const pki_nlp_progress *progress,
                        double fraction)
{
  const pki_study_watch *watch = user;
  (void)stage, (void)name, (void)progress;
  watch->tell(watch->user, fraction);
  return true;
}

/* S_H over the cycle; its mean by trapezia. */
static void read_curve(const pki_course *course, pki_hardt_motion *out)
{
  double sum = 0, time = 0;
  out->least = INFINITY;
  for (int i = 0; i < course->nrow; i++) {
    const double t = course->rows[i].time, s = course->rows[i].edges.least;
    if (out->n < PKI_HARDT_CURVE) {
      out->time[out->n] = t;
      out->phase[out->n] = course->rows[i].point->phase;
      out->margin[out->n++] = s;
    }
    out->least = fmin(out->least, s);
    if (i > 0) {
      const double h = t - course->rows[i - 1].time;
      sum += h * (s + course->rows[i - 1].edges.least) / 2;
      time += h;
    }
  }
  out->mean = sum / time;
}

void pki_hardt_switch(const pki_hardt_motion *m, int phase, double *before, double *after)
{
  *before = *after = NAN;
  for (int i = 0; i + 1 < m->n; i++) {
    if (m->phase[i] == phase && m->phase[i + 1] == phase + 1) {
      *before = m->margin[i];
      *after = m->margin[i + 1];
    }
  }
}

static void read_ladder(const pki_motion_solution *s, int from, pki_hardt_motion *out)
{
  out->tried = true;
  out->solved = s->solved;
  out->joule = s->joule;
  out->work = s->work;
  for (int i = from; i < s->nstage; i++) {
    const pki_motion_stage *stage = &s->stages[i];
    out->seconds += stage->result.seconds;
    out->iterations += stage->result.iterations;
    out->slowest = i > from ? fmax(out->slowest, stage->result.seconds) : out->slowest;
    out->violation = stage->result.violation;
    out->grid_error = stage->grid_error;
    snprintf(out->end, sizeof out->end, "%s", pki_nlp_end_word(stage->result.end));
    snprintf(out->worst, sizeof out->worst, "%s", stage->worst);
    out->problems++;
  }
}

static pk_status save_motion(const pki_hardt_data *d, const char *id, const pki_course *course, pk_error *err)
{
  char folder[PKI_PATH_MAX], path[PKI_PATH_MAX];
  const bool fits = pki_path_join(folder, d->folder, id) && pki_path_join(path, folder, "motion.csv");
  pk_status status =
      fits ? pki_folder_create(folder, err)
           : pki_fail(err, PK_ERROR_FILE, (pki_where){.file = d->folder}, "the path is too long");
  status = status == PK_OK ? pki_motion_csv_save(course, path, err) : status;
  if (status == PK_OK && pki_path_join(path, folder, "scenario.yaml")) {
    status = pki_motion_scenario_save(course, path, err);
  }
  return status;
}

static pk_status load_gait(const pki_hardt_variant *variant, pki_gait_file **gait, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pki_problems problems = {0};
  int nset = 0;
  while (nset < PKI_HARDT_SETS && variant->sets[nset] != NULL) {
    nset++;
  }
  *gait = NULL;
  const pk_status status = pki_yaml_locate(&pki_gait_kind, "sony-amble", path, err);
  if (status != PK_OK) {
    return status;
  }
  pki_gait_file_load(path, variant->sets, nset, gait, &problems);
  return pki_problems_first(&problems, err);
}

pk_status pki_hardt_solve(pki_hardt_data *d, pki_hardt_case which, const pki_study_watch *watch,
                          pk_error *err)
{
  const pki_hardt_variant *variant = &pki_hardt_variants[which];
  pki_hardt_motion *out = &d->motions[which];
  const bool warm = !variant->cold && d->best.solved;
  const pki_motion_options options = {
      .progress = tell_solver, .user = (void *)watch, .start = warm ? &d->best : NULL};
  pki_gait_file *gait;
  pki_motion_solution solution = {0};
  pki_course course = {0};
  pk_status status = load_gait(variant, &gait, err);
  status = status == PK_OK ? pki_motion_solve(&gait->problem, &options, &solution, err) : status;
  if (status == PK_OK) {
    read_ladder(&solution, warm ? d->best.nstage : 0, out);
  }
  if (status == PK_OK && out->solved) {
    status = pki_course_make(gait, &solution, &course, err);
    if (status == PK_OK) {
      read_curve(&course, out);
      status = which <= PKI_HARDT_JE2 ? save_motion(d, variant->id, &course, err) : PK_OK;
    }
    pki_course_free(&course);
  }
  if (status == PK_OK && which == PKI_HARDT_JS2) {
    d->best = solution;
  } else {
    pki_motion_solution_free(&solution);
  }
  if (gait != NULL) {
    pki_gait_file_destroy(gait);
  }
  return status;
}
