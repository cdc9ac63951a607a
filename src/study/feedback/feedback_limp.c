/* Controls of the experiment: the arm that nothing drives, at 0.1 s, and the arm that is moved without dynamics.
 *
 * The paper could simulate the arm without control "stably" at 0.1 s and says no more of what that is. Two readings:
 *
 *   it goes on           steps do not fail, numbers stay numbers
 *   it is an arm still   no more than nine times the kinetic energy of the same fall at small steps (tune/step_limit.h): its wrist, which spins
 *                        freely at 85 rad/s, turns by 8.5 rad in such a step, and nothing resolves that
 *
 * The first is what doubling of steps until a simulator breaks finds; our largest stable steps are by the second, for all methods. Here is the
 * first, from random poses at rest and for long, by Moreau's scheme and by the semi-implicit Euler scheme that velocity-level
 * simulators such as the paper's have. What goes on need not be right: the gain is the largest of T + V - (T + V at the start), over
 * the span of V, 2 g sum m |c| with c the centres of mass stretched away from the base. An arm has at most 1. Explicit Runge-Kutta is
 * infinite after 1 s. */
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "pronk/dynamics.h"
#include "study/feedback/feedback.h"
#include "study/study_verdict.h"

/* J, between the lowest and the highest that its links can hang: each as far from the world's origin as its joints are long. */
static double span_of(const pk_model *m)
{
  double span = 0;
  const double *g = m->gravity, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  for (int i = 0; i < m->nbody; i++) {
    const double *inertia = m->body_inertia + 10 * (size_t)i;
    double reach =
        sqrt(inertia[1] * inertia[1] + inertia[2] * inertia[2] + inertia[3] * inertia[3]) / inertia[0];
    for (int b = i; b >= 0; b = m->body_parent[b]) {
      const double *r = m->body_pos + 3 * (size_t)b;
      reach += b == 0 ? 0 : sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]); /* the base stays where it is */
    }
    span += 2 * size * inertia[0] * reach;
  }
  return span;
}

static double energy_of(pk_sim *sim)
{
  pk_workspace *w = pk_sim_workspace(sim);
  pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
  const pk_energy e = pk_energy_compute(w, pk_sim_u(sim));
  return e.kinetic + e.potential;
}

/* One fall: from joints within a radian of the scenario's. */
static void fall_once(pki_world *world, const pki_feedback_terms *terms, int start, pki_feedback_limp *out)
{
  pki_random random = pki_random_seeded(100 + (unsigned)start);
  const pk_model *m = world->model;
  for (int u = 0; u < m->nu; u++) {
    pk_sim_q(world->sim)[m->dof_q[u]] += start > 0 ? pki_random_between(&random, -1, 1) : 0;
  }
  const double before = energy_of(world->sim), span = span_of(m);
  const long long steps = llround(terms->seconds / terms->dt);
  bool good = true;
  for (long long i = 0; i < steps && good; i++) {
    good = pki_world_step(world, NULL) == PK_OK;
    const double gain = good ? (energy_of(world->sim) - before) / span : INFINITY;
    out->gain = fmax(out->gain, gain);
    for (int u = 0; u < m->nu; u++) {
      out->speed = fmax(out->speed, fabs(pk_sim_u(world->sim)[u]));
    }
  }
  out->ended += good;
}

pk_status pki_feedback_limp_fall(const pki_feedback_terms *terms, int scheme, int starts,
                                 pki_feedback_limp *out, pk_error *err)
{
  static const char *const schemes[PKI_FEEDBACK_SCHEMES] = {"step.stepper=moreau", "step.stepper=euler"};
  char path[PKI_PATH_MAX], step[48];
  pki_feedback_case c = pki_feedback_arm_case(PKI_ARM_LIMP);
  snprintf(step, sizeof step, "step.dt=%.17g", terms->dt);
  c.sets[c.nset++] = step;
  c.sets[c.nset++] = schemes[scheme];
  *out = (pki_feedback_limp){.dt = terms->dt, .seconds = terms->seconds, .starts = starts};
  pk_status status = pki_scenario_locate(c.scenario, path, err);
  for (int k = 0; k < starts && status == PK_OK; k++) {
    pki_scenario *scenario = NULL;
    pki_world world = {0};
    status = pki_scenario_load(path, c.sets, c.nset, &scenario, err);
    status = status == PK_OK ? pki_world_create(scenario, &world, err) : status;
    if (status == PK_OK) {
      fall_once(&world, terms, k, out);
    }
    pki_world_free(&world);
    pki_scenario_destroy(scenario);
  }
  return status;
}

/* ---- rows ---- */

void pki_feedback_baseline_rows(const pki_feedback_data *d, pki_study_result *out)
{
  static const char section[] = "Controls of the experiment: UR10";
  static const char *const names[PKI_FEEDBACK_SCHEMES] = {"moreau", "euler"};
  for (int i = 0; i < PKI_FEEDBACK_SCHEMES; i++) {
    const pki_feedback_limp *l = &d->limp[i];
    char group[48];
    snprintf(group, sizeof group, "ur10/limp/%s", names[i]);
    pki_study_put(out, section, group, "goes-on", "falls", l->starts, l->ended, PKI_VERDICT_NONE,
                  "nothing drives it, %s at 0.1 s: falls that go on", names[i]);
    pki_study_note(out,
                   "all of %d, %g s each, from random poses: the paper's \"stable\" as far as it is told. "
                   "True to the motion (nine "
                   "times its kinetic energy at most) steps are up to %.2g s",
                   l->starts, l->seconds, d->arm[PKI_ARM_LIMP].limit);
    pki_study_hold_near(out, 0);
    pki_study_put(out, section, group, "gain", "", NAN, l->gain, PKI_VERDICT_NONE,
                  "%s: most energy above that of the start, over gravity's span", names[i]);
    pki_study_note(out,
                   "an arm has at most 1: what goes on is no motion of an arm; joints turn at up to %.3g "
                   "rad/s, %.2g rad in a step",
                   l->speed, l->speed * l->dt);
  }
  pki_study_put(out, section, "ur10/kinematic", "error", "rad", NAN, d->kinematic_error, PKI_VERDICT_NONE,
                "kinematic simulation at 1 ms: mean absolute error");
  pki_study_note(out, "Euler's sums of accelerations; PD at 1 ms: %.2g rad",
                 d->arm[PKI_ARM_PD].cells[0].error);
  pki_study_put(out, section, "ur10/kinematic", "speedup", "", NAN, d->turns[0] / d->kinematic,
                PKI_VERDICT_NONE, "kinematic simulation at 1 ms: times the speed of explicit PD at 1 ms");
  pki_study_note(out, "the fast baseline of section II-E: no contact, no torques, no limits");
}
