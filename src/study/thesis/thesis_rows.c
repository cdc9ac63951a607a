/* Every value of the study as a row beside the thesis'. */
#include <math.h>
#include <stdio.h>

#include "study/thesis/thesis.h"

static const char quick_note[] = "left out by --quick";

/* --- the ten runs ---------------------------------------------------------------------- */

static void add_trot(const pki_thesis_data *d, int law, const char *group, const char *section,
                     pki_study_result *out)
{
  static const double forward[2] = {0.9, 0.7}, side[2] = {0.1, 0.18};
  const pki_thesis_run *r = &d->runs[PKI_THESIS_TROT][law];
  const bool whole = !d->quick;
  pki_study_put(out, section, group, "forward", "m", whole ? forward[law] : NAN, r->end[0], PKI_VERDICT_NONE,
                "%s: forward in %g s", pki_thesis_laws[law], d->seconds);
  pki_study_note(out, "%s", pki_thesis_scenes[PKI_THESIS_TROT].difference[law]);
  pki_study_put(out, section, group, "side", "m", whole ? side[law] : NAN, fabs(r->end[1]), PKI_VERDICT_NONE,
                "%s: to the side", pki_thesis_laws[law]);
  pki_study_note(out, "the thesis: from references that are not symmetric in the beginning; ours are");
  pki_study_put(out, section, group, "slip", "m", NAN, r->slip, PKI_VERDICT_NONE,
                "%s: way of sliding feet, all legs", pki_thesis_laws[law]);
}

/* Held to the jump alone: springs at the edge of stability are chaotic, so what they show is held on the map as a whole. */
static void add_top(const pki_thesis_data *d, int scene, int law, const char *group, pki_study_result *out)
{
  const pki_thesis_run *r = &d->runs[scene][law];
  const bool jump = scene == PKI_THESIS_JUMP && law == PKI_THESIS_EXACT;
  pki_study_put(out, pki_thesis_scenes[scene].title, group, "top", "m", jump ? 2.2 : NAN, r->top,
                jump ? pki_verdict_of(fabs(r->top - 2.2) < 0.05) : PKI_VERDICT_NONE,
                "%s: highest point of the trunk", pki_thesis_laws[law]);
  pki_study_note(out, "%s (after %.3g s); the thesis: %s", pki_thesis_outcome_names[r->outcome], r->ended,
                 pki_thesis_scenes[scene].said[law]);
}

static void add_runs(const pki_thesis_data *d, pki_study_result *out)
{
  for (int s = 0; s < PKI_THESIS_RUNS; s++) {
    const pki_thesis_scene *scene = &pki_thesis_scenes[s];
    for (int law = 0; law < PKI_THESIS_LAWS; law++) {
      const pki_thesis_run *r = &d->runs[s][law];
      char group[48];
      snprintf(group, sizeof group, "%s/%s", scene->id, pki_thesis_laws[law]);
      if (s == PKI_THESIS_TROT) {
        add_trot(d, law, group, scene->title, out);
      } else {
        add_top(d, s, law, group, out);
      }
      pki_study_put(out, scene->title, group, "end", "m",
                    s >= PKI_THESIS_DROP_05 && s <= PKI_THESIS_DROP_15 && law == PKI_THESIS_EXACT ? -0.6
                                                                                                  : NAN,
                    r->finite ? r->end[2] : NAN, PKI_VERDICT_NONE, "%s: height of the trunk at the end",
                    pki_thesis_laws[law]);
      pki_study_note(out, "%s: %s", pki_thesis_outcome_names[r->outcome], scene->difference[law]);
      pki_study_put(out, scene->title, group, "peak", "kN", NAN, 1e-3 * r->peak, PKI_VERDICT_NONE,
                    "%s: largest normal force of a leg", pki_thesis_laws[law]);
      pki_study_note(out, "%s",
                     law == PKI_THESIS_EXACT
                         ? "an impact's impulse over one step: twice as high at half the step"
                         : "of the spring");
    }
  }
}

/* --- certificates and energy ----------------------------------------------------------- */

static void add_certificates(const pki_thesis_data *d, pki_study_result *out)
{
  static const char section[] = "Every step is certified";
  for (int s = 0; s < PKI_THESIS_RUNS; s++) {
    const pki_thesis_run *a = &d->runs[s][PKI_THESIS_EXACT], *b = &d->large[s];
    pki_study_put(out, section, "certified/lcp-pyramid", pki_thesis_scenes[s].id, "steps", NAN,
                  (double)a->uncertified, pki_verdict_of(a->uncertified == 0 && a->finite),
                  "%s, lcp-pyramid at 0.5 ms: steps without a certificate", pki_thesis_scenes[s].title);
    pki_study_note(out, "of %lld; largest relative residual %.1e", a->steps, a->residual);
    pki_study_put(out, section, "certified/ten-times", pki_thesis_scenes[s].id, "steps", NAN,
                  (double)b->uncertified, pki_verdict_of(b->uncertified == 0 && b->finite),
                  "%s, default law at 5 ms, PD implicit: steps without a certificate",
                  pki_thesis_scenes[s].title);
    pki_study_note(out, "of %lld; the trunk ends at %.3f, %.3f, %.3f m, its highest point is %.3f m",
                   b->steps, b->end[0], b->end[1], b->end[2], b->top);
  }
}

static void add_energy(const pki_thesis_data *d, pki_study_result *out)
{
  static const char section[] = "Contacts never add energy";
  for (int s = 0; s < PKI_THESIS_RUNS; s++) {
    for (int law = 0; law < PKI_THESIS_LAWS; law++) {
      const pki_thesis_run *r = &d->runs[s][law];
      const bool exact = law == PKI_THESIS_EXACT;
      char group[48];
      snprintf(group, sizeof group, "energy/%s/%s", pki_thesis_scenes[s].id, pki_thesis_laws[law]);
      if (exact) {
        pki_study_put(out, section, group, "step", "J", NAN, r->work_most,
                      pki_verdict_of(r->work_most < 1e-6),
                      "%s, lcp-pyramid: largest work of contacts in a step", pki_thesis_scenes[s].title);
        pki_study_note(out, "never above zero but for the solver's tolerance; held to 1e-6 J");
      }
      pki_study_put(out, section, group, "given", "J", NAN, r->given_most, PKI_VERDICT_NONE,
                    "%s, %s: the most that contacts had given by any time", pki_thesis_scenes[s].title,
                    pki_thesis_laws[law]);
      pki_study_note(out, "%s; %.3g J at the end",
                     exact ? "of the order of the step: contact points turn within it"
                           : "what is above zero was made by the law",
                     r->given);
      pki_study_put(out, section, group, "rise", "J", NAN, r->rise, PKI_VERDICT_NONE,
                    "%s, %s: largest rise of the energy less the joints' work", pki_thesis_scenes[s].title,
                    pki_thesis_laws[law]);
      pki_study_note(
          out,
          "projections of positions: %.1e J; the rest is Euler's own error in the air and in ringing joints",
          r->stabilisation);
    }
  }
}

/* --- differences ----------------------------------------------------------------------- */

static void add_trots(const pki_thesis_data *d, pki_study_result *out)
{
  static const char section[] = "Why the trot differs";
  const struct {
    const char *id, *what;
    const pki_thesis_run *run;
  } rows[] = {{"hard", "law hard at 0.5 ms: forward", &d->hard},
              {"damped/lcp-pyramid", "lcp-pyramid, joint damping 100 N m s/rad: forward", &d->damped[0]},
              {"damped/hard", "hard, joint damping 100 N m s/rad: forward", &d->damped[1]},
              {"ten-times", "hard at 5 ms, PD implicit: forward", &d->large[PKI_THESIS_TROT]}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const bool done = rows[i].run->steps > 0;
    pki_study_put(out, section, "why/trot", rows[i].id, "m", NAN, done ? rows[i].run->end[0] : NAN,
                  PKI_VERDICT_NONE, "%s", rows[i].what);
    pki_study_note(out, "%s", done ? "the reference goes 0.975 m" : quick_note);
  }
  for (int i = 0; i < PKI_THESIS_SOFT; i++) {
    static const char *const ids[PKI_THESIS_SOFT] = {"penalty/1e5", "penalty/1e6", "penalty/1e7"};
    pki_study_put(out, section, "why/trot", ids[i], "m", d->quick ? NAN : 0.7,
                  d->quick ? NAN : d->soft[i].end[0], PKI_VERDICT_NONE,
                  "penalty, k = %.0e N/m, d = 1000 N s/m: forward", pki_thesis_soft[i]);
    pki_study_note(out, "%s", d->quick ? quick_note : "stable springs: the softer, the more feet slip");
  }
}

static void add_survival(const pki_thesis_data *d, pki_study_result *out)
{
  static const char section[] = "Penalty: survival over k and d";
  static const char *const panels[PKI_THESIS_PANELS] = {"drop-01", "drop-05", "drop-15", "jump"};
  static const char *const ids[PKI_THESIS_OUTCOMES] = {"stands", "falls", "inverted", "flies", "bursts"};
  const int agree = pki_thesis_cells_that_agree(&d->survival);
  int near[PKI_THESIS_PANELS] = {0};
  for (int p = 0; p < PKI_THESIS_PANELS; p++) {
    char group[48];
    snprintf(group, sizeof group, "map/%s", panels[p]);
    for (int o = 0; o < PKI_THESIS_OUTCOMES; o++) {
      pki_study_put(out, section, group, ids[o], "pairs", NAN,
                    pki_thesis_count(&d->survival, p, (pki_thesis_outcome)o), PKI_VERDICT_NONE, "%s: %s",
                    panels[p], pki_thesis_outcome_names[o]);
    }
    for (int i = 0; i < PKI_THESIS_NEAR; i++) {
      const pki_thesis_outcome o = d->near[p][i];
      near[p] += p == 0 ? o == PKI_THESIS_STANDS : o == PKI_THESIS_FLIES || o == PKI_THESIS_BURSTS;
    }
  }
  pki_study_put(out, section, "map", "thesis", "pairs", NAN, agree,
                d->quick ? PKI_VERDICT_NONE : pki_verdict_of(agree > 0),
                "pairs that show what the thesis saw");
  pki_study_note(out, "fine at 0.1 m, flies up or blows up at 0.5 m, 1.5 m and in the jump; of %d",
                 d->survival.nx * d->survival.ny);
  for (int p = 0; p < PKI_THESIS_PANELS; p++) {
    pki_study_put(out, section, "map/near", panels[p], "runs", NAN, d->quick ? NAN : near[p],
                  PKI_VERDICT_NONE, "%s: as in the thesis with k within 4 %% of 8e7", panels[p]);
    pki_study_note(out, "%s",
                   d->quick ? quick_note : "of 9, d = 2000: the pair is not robust where this is less");
  }
  const double dt = 5e-4, W = d->foot_inverse_mass;
  pki_study_put(out, section, "map/limit", "k", "N/m", NAN, 4 / (dt * dt * W), PKI_VERDICT_NONE,
                "stiffness at which one foot alone becomes unstable, d = 0");
  pki_study_note(out, "dt^2 k W + 2 dt d W = 4 with W = %.3g 1/kg of a standing foot", W);
  pki_study_put(out, section, "map/limit", "d", "N s/m", NAN, 2 / (dt * W), PKI_VERDICT_NONE,
                "damping at which one foot alone becomes unstable, k = 0");
}

static void add_tilts(const pki_thesis_data *d, pki_study_result *out)
{
  static const char section[] = "Why the falls differ: lcp-pyramid over tilt and restitution";
  static const char *const ids[2] = {"drop-05", "drop-15"};
  for (int p = 0; p < 2; p++) {
    char group[48];
    snprintf(group, sizeof group, "tilt/%s", ids[p]);
    const int runs = d->tilt.nx * d->tilt.ny - pki_thesis_count(&d->tilt, p, PKI_THESIS_NOT_RUN);
    for (int o = 0; o < PKI_THESIS_OUTCOMES; o++) {
      static const char *const names[PKI_THESIS_OUTCOMES] = {"stands", "falls", "inverted", "flies",
                                                             "bursts"};
      pki_study_put(out, section, group, names[o], "runs", NAN,
                    pki_thesis_count(&d->tilt, p, (pki_thesis_outcome)o), PKI_VERDICT_NONE, "%s: %s", ids[p],
                    pki_thesis_outcome_names[o]);
      pki_study_note(out, "of %d", runs);
    }
  }
}

void pki_thesis_rows(const pki_thesis_data *d, pki_study_result *result)
{
  add_runs(d, result);
  add_certificates(d, result);
  add_energy(d, result);
  add_trots(d, result);
  add_survival(d, result);
  add_tilts(d, result);
}
