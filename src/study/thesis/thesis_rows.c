/* Every value of the study as a row beside the thesis'. */
#include <math.h>
#include <stdio.h>

#include "study/study_verdict.h"
#include "study/thesis/thesis.h"

static const double REFERENCE = 0.975; /* m, the way of the trot's reference by itself */
static const char own_reference[] = "the thesis' reference is not published; ours goes 0.975 m by itself";

/* --- words ----------------------------------------------------------------------------- */

bool pki_thesis_agrees(int scene, int law, const pki_thesis_run *run)
{
  return (pki_thesis_scenes[scene].expected[law] >> run->outcome & 1) != 0;
}

/* The panel of a scene in the maps of springs; -1: none. */
static int panel_of(int scene)
{
  for (int p = 0; p < PKI_THESIS_PANELS; p++) {
    if (pki_thesis_panels[p] == scene) {
      return p;
    }
  }
  return -1;
}

void pki_thesis_explain(const pki_thesis_data *d, int scene, int law, char *out, size_t size)
{
  const bool agrees = pki_thesis_agrees(scene, law, &d->runs[scene][law]);
  const int panel = panel_of(scene), fall = scene - PKI_THESIS_DROP_05;
  const int n = snprintf(out, size, "%s", agrees ? "As in the thesis" : "Not as in the thesis");
  char *rest = out + n;
  size -= (size_t)n;
  if (scene == PKI_THESIS_TROT) {
    snprintf(rest, size, "; %s", own_reference);
  } else if (law == PKI_THESIS_PENALTY) {
    snprintf(rest, size, "; so are %d of %d runs with stiffnesses within 5 %% and starts within 1 mm",
             pki_thesis_agreeing(panel, &d->own[panel]), pki_thesis_sampled(&d->own[panel]));
  } else if (fall == 0 || fall == 1) {
    snprintf(rest, size,
             "; from upright it lands on four feet, rolled by %g rad %d of %d end upside down, at %.2f m",
             pki_thesis_roll, d->rolled[fall].n[PKI_THESIS_INVERTED], pki_thesis_sampled(&d->rolled[fall]),
             d->rolled_end[fall]);
  }
}

/* Outcomes and how often: "13 flies up, 3 blows up". */
static void tell_shares(const pki_thesis_shares *shares, char *out, size_t size)
{
  const char *comma = "";
  out[0] = '\0';
  for (int o = 0; o < PKI_THESIS_OUTCOMES; o++) {
    if (shares->n[o] > 0) {
      const int n = snprintf(out, size, "%s%d %s", comma, shares->n[o], pki_thesis_outcome_names[o]);
      out += n, size -= (size_t)n, comma = ", ";
    }
  }
}

static void excuse_quick(const pki_thesis_data *d, pki_study_result *out)
{
  if (d->quick) {
    pki_study_excuse(out, "%s", pki_study_quick);
  }
}

/* --- the ten runs ---------------------------------------------------------------------- */

static void add_trot(const pki_thesis_data *d, int law, const char *group, const char *section,
                     pki_study_result *out)
{
  static const double forward[2] = {0.9, 0.7}, side[2] = {0.1, 0.18};
  const pki_thesis_run *r = &d->runs[PKI_THESIS_TROT][law];
  pki_study_put(out, section, group, "forward", "m", forward[law], r->end[0], PKI_VERDICT_NONE,
                "%s: forward in %g s", pki_thesis_laws[law], d->seconds);
  pki_study_excuse(out, "%s", d->quick ? pki_study_quick : own_reference);
  pki_study_put(out, section, group, "side", "m", side[law], fabs(r->end[1]), PKI_VERDICT_NONE,
                "%s: to the side", pki_thesis_laws[law]);
  pki_study_excuse(out, "%s",
                   "the thesis: from references that are not symmetric in the beginning, and not published");
  pki_study_put(out, section, group, "slip", "m", NAN, r->slip, PKI_VERDICT_NONE,
                "%s: way of sliding feet, all legs", pki_thesis_laws[law]);
}

static void add_top(const pki_thesis_data *d, int scene, int law, const char *group, pki_study_result *out)
{
  const pki_thesis_run *r = &d->runs[scene][law];
  const bool jump = scene == PKI_THESIS_JUMP && law == PKI_THESIS_EXACT;
  pki_study_put(out, pki_thesis_scenes[scene].title, group, "top", "m", jump ? 2.2 : NAN, r->top,
                PKI_VERDICT_NONE, "%s: highest point of the trunk", pki_thesis_laws[law]);
  if (jump) {
    pki_study_hold_near(out, 0.05);
  }
  pki_study_note(out, "%s (after %.3g s); the thesis: %s", pki_thesis_outcome_names[r->outcome], r->ended,
                 pki_thesis_scenes[scene].said[law]);
}

/* A single run on springs that are made to fail is chaotic: what is held is how many of many do (rows springs/...). */
static void add_end(const pki_thesis_data *d, int scene, int law, const char *group, pki_study_result *out)
{
  const pki_thesis_run *r = &d->runs[scene][law];
  const bool exact = law == PKI_THESIS_EXACT;
  const bool inverts = exact && (scene == PKI_THESIS_DROP_05 || scene == PKI_THESIS_DROP_15);
  char explained[192];
  pki_study_put(out, pki_thesis_scenes[scene].title, group, "end", "m", inverts ? -0.6 : NAN,
                r->finite ? r->end[2] : NAN, PKI_VERDICT_NONE, "%s: height of the trunk at the end",
                pki_thesis_laws[law]);
  pki_thesis_explain(d, scene, law, explained, sizeof explained);
  pki_study_note(out, "%s. %s", pki_thesis_outcome_names[r->outcome], explained);
  if (inverts) {
    pki_study_excuse(out, "from upright, which is not published; rows rolled/... are held");
  } else if (exact || scene == PKI_THESIS_TROT) {
    pki_study_require(out, pki_thesis_agrees(scene, law, r), "ends as in the thesis");
  }
}

static void add_runs(const pki_thesis_data *d, pki_study_result *out)
{
  for (int i = 0; i < PKI_THESIS_RUNS * PKI_THESIS_LAWS; i++) {
    const int s = i / PKI_THESIS_LAWS, law = i % PKI_THESIS_LAWS;
    const pki_thesis_scene *scene = &pki_thesis_scenes[s];
    const pki_thesis_run *r = &d->runs[s][law];
    char group[48];
    snprintf(group, sizeof group, "%s/%s", scene->id, pki_thesis_laws[law]);
    if (s == PKI_THESIS_TROT) {
      add_trot(d, law, group, scene->title, out);
    } else {
      add_top(d, s, law, group, out);
    }
    add_end(d, s, law, group, out);
    pki_study_put(out, scene->title, group, "peak", "kN", NAN, 1e-3 * r->peak, PKI_VERDICT_NONE,
                  "%s: largest normal force of a leg", pki_thesis_laws[law]);
    pki_study_note(out, "%s",
                   law == PKI_THESIS_EXACT
                       ? "an impact's impulse over one step: twice as high at half the step"
                       : "of the spring");
  }
}

/* --- certificates and energy ----------------------------------------------------------- */

static void add_certificates(const pki_thesis_data *d, pki_study_result *out)
{
  static const char section[] = "Every step is certified";
  for (int s = 0; s < PKI_THESIS_RUNS; s++) {
    const pki_thesis_run *a = &d->runs[s][PKI_THESIS_EXACT], *b = &d->large[s];
    pki_study_put(out, section, "certified/lcp-pyramid", pki_thesis_scenes[s].id, "steps", NAN,
                  (double)a->uncertified, PKI_VERDICT_NONE,
                  "%s, lcp-pyramid at 0.5 ms: steps without a certificate", pki_thesis_scenes[s].title);
    pki_study_hold_most(out, 0);
    pki_study_require(out, a->finite, "to the end");
    pki_study_note(out, "of %lld; largest relative residual %.1e", a->steps, a->residual);
    pki_study_put(out, section, "certified/ten-times", pki_thesis_scenes[s].id, "steps", NAN,
                  (double)b->uncertified, PKI_VERDICT_NONE,
                  "%s, default law at 5 ms, PD implicit: steps without a certificate",
                  pki_thesis_scenes[s].title);
    pki_study_hold_most(out, 0);
    pki_study_require(out, b->finite, "to the end");
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
        pki_study_put(out, section, group, "step", "J", NAN, r->work_most, PKI_VERDICT_NONE,
                      "%s, lcp-pyramid: largest work of contacts in a step", pki_thesis_scenes[s].title);
        pki_study_hold_most(out, 1e-6);
        pki_study_note(out, "never above zero but for the solver's tolerance");
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

/* --- why the trot differs -------------------------------------------------------------- */

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
    pki_study_hold_between(out, 0.9 * REFERENCE, 1.1 * REFERENCE);
    pki_study_note(out, "the reference goes %g m; held to 10 %% of it", REFERENCE);
    if (!done) {
      excuse_quick(d, out);
    }
  }
  for (int i = 0; i < PKI_THESIS_SOFT; i++) {
    static const char *const ids[PKI_THESIS_SOFT] = {"penalty/1e5", "penalty/1e6", "penalty/1e7"};
    pki_study_put(out, section, "why/trot", ids[i], "m", 0.7, d->quick ? NAN : d->soft[i].end[0],
                  PKI_VERDICT_NONE, "penalty, k = %.0e N/m, d = 1000 N s/m: forward", pki_thesis_soft[i]);
    pki_study_excuse(out, "%s", d->quick ? pki_study_quick : own_reference);
    pki_study_note(out, "linear springs: feet on soft ones slip");
  }
}

/* --- penalty: how likely is what the thesis saw? --------------------------------------- */

static const char *scene_of(int panel)
{
  return pki_thesis_scenes[pki_thesis_panels[panel]].id;
}

/* m, how deep a foot goes in one step after a fall by the trunk from `start`. */
static double landing_depth(int scene)
{
  const double fall = pki_thesis_scenes[scene].start - pki_thesis_scenes[PKI_THESIS_TROT].start;
  return pki_thesis_dt * sqrt(2 * 9.81 * fall);
}

static void add_springs(const pki_thesis_data *d, pki_study_result *out)
{
  static const char section[] = "Penalty: the scenarios' springs, which harden";
  const double dt = pki_thesis_dt, W = d->foot_inverse_mass;
  const double depth =
      sqrt((4 - 2 * dt * pki_thesis_own.damping_n * W) / (3 * pki_thesis_own.cubic * dt * dt * W));
  for (int p = 0; p < PKI_THESIS_PANELS; p++) {
    const int count = pki_thesis_sampled(&d->own[p]);
    char shares[96];
    tell_shares(&d->own[p], shares, sizeof shares);
    pki_study_put(out, section, "springs", scene_of(p), "runs", NAN, pki_thesis_agreeing(p, &d->own[p]),
                  PKI_VERDICT_NONE, "%s: runs of %d that end as in the thesis", scene_of(p), count);
    pki_study_hold_least(out, 0.5 * count);
    pki_study_note(out, "%s; stiffnesses within 5 %%, starts within 1 mm", shares);
    excuse_quick(d, out);
  }
  pki_study_put(out, section, "springs", "depth", "mm", NAN, 1e3 * depth, PKI_VERDICT_NONE,
                "depth at which one foot alone becomes unstable");
  pki_study_hold_between(out, 1e3 * landing_depth(PKI_THESIS_DROP_01),
                         1e3 * landing_depth(PKI_THESIS_DROP_05));
  pki_study_note(out,
                 "3 c x^2 dt^2 W + 2 dt d W = 4; held to the depths of one step after 0.1 m and after 0.5 m");
}

static void add_map(const pki_thesis_map *map, const char *name, const char *section, pki_study_result *out)
{
  static const char *const ids[PKI_THESIS_OUTCOMES] = {"stands", "falls", "inverted", "flies", "bursts"};
  int ix = 0, iy = 0;
  const double best = pki_thesis_best(map, &ix, &iy);
  char group[48];
  snprintf(group, sizeof group, "map/%s", name);
  pki_study_put(out, section, group, "best", "%", NAN, 100 * best, PKI_VERDICT_NONE,
                "%s: how likely four runs show what the thesis saw, at best", name);
  pki_study_note(out, "stands after 0.1 m, flies up or blows up in the others; at stiffness %.3g, damping %g",
                 map->x[ix], map->y[iy]);
  for (int p = 0; p < map->npanel; p++) {
    snprintf(group, sizeof group, "map/%s/%s", name, scene_of(p));
    for (int o = 0; o < PKI_THESIS_OUTCOMES; o++) {
      pki_study_put(out, section, group, ids[o], "runs", NAN, pki_thesis_count(map, p, (pki_thesis_outcome)o),
                    PKI_VERDICT_NONE, "%s, %s: %s", name, scene_of(p), pki_thesis_outcome_names[o]);
      pki_study_note(out, "of %d", pki_thesis_runs_of(map, p));
    }
  }
}

/* Percent of the runs of cells with a sharpness from `least` to `most` that end in some outcomes. */
static double percent_of(const pki_thesis_data *d, double least, double most, int panels, unsigned outcomes)
{
  int count = 0, good = 0;
  for (int i = 0; i < d->linear.nx * d->linear.ny * panels; i++) {
    const int p = i % panels, ix = i / panels % d->linear.nx, iy = i / panels / d->linear.nx;
    const double sharpness = pki_thesis_sharpness(d, ix, iy);
    const pki_thesis_shares *s = &d->linear.cells[p][iy][ix];
    for (int o = 0; o < PKI_THESIS_OUTCOMES && sharpness >= least && sharpness <= most; o++) {
      count += s->n[o];
      good += (outcomes >> o & 1) != 0 ? s->n[o] : 0;
    }
  }
  return count > 0 ? 100.0 * good / count : NAN;
}

static void add_linear(const pki_thesis_data *d, pki_study_result *out)
{
  static const char section[] = "Penalty: linear springs over k and d";
  const double dt = pki_thesis_dt, W = d->foot_inverse_mass;
  add_map(&d->linear, "linear", section, out);
  pki_study_put(out, section, "map/linear", "inside", "%", NAN,
                percent_of(d, 0, 1, PKI_THESIS_PANELS - 1, 1 << PKI_THESIS_STANDS), PKI_VERDICT_NONE,
                "falls that end standing, dt^2 k W + 2 dt d W below 1");
  pki_study_hold_least(out, 95);
  pki_study_put(out, section, "map/linear", "outside", "%", NAN,
                percent_of(d, 6, INFINITY, PKI_THESIS_PANELS, 1 << PKI_THESIS_FLIES | 1 << PKI_THESIS_BURSTS),
                PKI_VERDICT_NONE, "runs that fly up or blow up, the same above 6");
  pki_study_hold_least(out, 95);
  pki_study_put(out, section, "map/limit", "k", "N/m", NAN, 4 / (dt * dt * W), PKI_VERDICT_NONE,
                "stiffness at which one foot alone becomes unstable, d = 0");
  pki_study_note(out, "dt^2 k W + 2 dt d W = 4 with W = %.3g 1/kg of a standing foot", W);
  pki_study_put(out, section, "map/limit", "d", "N s/m", NAN, 2 / (dt * W), PKI_VERDICT_NONE,
                "damping at which one foot alone becomes unstable, k = 0");
}

/* --- exact contact from other starts --------------------------------------------------- */

static void add_tilts(const pki_thesis_data *d, pki_study_result *out)
{
  static const char section[] = "Exact contact: falls that start rolled";
  static const char *const ids[2] = {"drop-05", "drop-15"};
  static const char *const names[PKI_THESIS_OUTCOMES] = {"stands", "falls", "inverted", "flies", "bursts"};
  for (int p = 0; p < 2; p++) {
    const int count = pki_thesis_sampled(&d->rolled[p]);
    char group[48];
    snprintf(group, sizeof group, "rolled/%s", ids[p]);
    pki_study_put(out, section, group, "inverted", "runs", NAN, d->rolled[p].n[PKI_THESIS_INVERTED],
                  PKI_VERDICT_NONE, "%s, rolled by %g rad: runs of %d that end upside down", ids[p],
                  pki_thesis_roll, count);
    pki_study_hold_least(out, 0.75 * count);
    pki_study_put(out, section, group, "end", "m", -0.6, d->rolled_end[p], PKI_VERDICT_NONE,
                  "%s, rolled by %g rad: height of the trunk at the end, median", ids[p], pki_thesis_roll);
    pki_study_hold_part(out, 0.25);
    pki_study_note(
        out,
        "it stands below the ground, which only feet feel; the pose of the thesis' legs is not published");
    snprintf(group, sizeof group, "tilt/%s", ids[p]);
    for (int o = 0; o < PKI_THESIS_OUTCOMES; o++) {
      pki_study_put(out, section, group, names[o], "runs", NAN,
                    pki_thesis_count(&d->tilt, p, (pki_thesis_outcome)o), PKI_VERDICT_NONE,
                    "%s, all rolls and restitutions: %s", ids[p], pki_thesis_outcome_names[o]);
      pki_study_note(out, "of %d", pki_thesis_runs_of(&d->tilt, p));
    }
  }
}

void pki_thesis_rows(const pki_thesis_data *d, pki_study_result *result)
{
  add_runs(d, result);
  add_certificates(d, result);
  add_energy(d, result);
  add_trots(d, result);
  add_springs(d, result);
  add_linear(d, result);
  add_map(&d->hardening, "hardening", "Penalty: springs that harden over c and d", result);
  add_tilts(d, result);
}
