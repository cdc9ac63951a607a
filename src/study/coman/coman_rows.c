/* Rows of the study: what the paper prints, and what is held. */
#include <math.h>
#include <stdio.h>

#include "study/coman/coman.h"
#include "study/study_verdict.h"

/* One lift that is to succeed: Figs. 9 and 10. */
static void add_lift(const pki_coman_data *d, pki_coman_case which, pki_study_result *out)
{
  const pki_coman_variant *v = &pki_coman_variants[which];
  const pki_coman_lift *r = &d->lifts[which];
  char section[96], group[40];
  snprintf(section, sizeof section, "Section 6, Figs. 9 and 10: the lift, %s", v->text);
  snprintf(group, sizeof group, "lift/%s", v->id);
  pki_study_put(out, section, group, "touch", "s", 1.06, r->touch, PKI_VERDICT_NONE,
                "both wrists touch the box");
  pki_study_hold_near(out, 0.02);
  pki_study_put(out, section, group, "before", "N", 14.715, r->before, PKI_VERDICT_NONE,
                "force on the box before, from the table");
  pki_study_hold_part(out, 0.01);
  pki_study_put(out, section, group, "after", "N", 14.715, r->after, PKI_VERDICT_NONE,
                "force on the box after, from the wrists, less what accelerates it");
  pki_study_hold_part(out, 0.01);
  pki_study_put(out, section, group, "leave", "s", NAN, r->leave, PKI_VERDICT_NONE,
                "the table carries nothing any more");
  pki_study_put(out, section, group, "lifted", "m", NAN, r->lifted, PKI_VERDICT_NONE,
                "how far the box is lifted at 2 s");
  pki_study_hold_least(out, 0.02);
  pki_study_require(out, !r->fell, "no fall");
  pki_study_note(
      out,
      "the reference goes up by 0.05 m; the springs of the arms give way; the box is turned by %.3g degrees",
      r->tilt);
  if (which == PKI_COMAN_SOFT || which == PKI_COMAN_RK4_CALM) {
    pki_study_put(out, section, group, "creep", "mm/s", 1e3 * r->creep_of_law, 1e3 * r->creep,
                  PKI_VERDICT_NONE, "slip of the wrists on the box in the last 0.2 s");
    pki_study_hold_part(out, 0.3);
    pki_study_note(
        out,
        "beside it the creep that the smooth friction of the law needs to hold half the weight at %.3g N, "
        "without what the box turns; %.3g mm since the table",
        r->grasp, 1e3 * r->slid);
  } else if (which == PKI_COMAN_CONVEX) {
    pki_study_put(out, section, group, "slid", "mm", 0, 1e3 * r->slid, PKI_VERDICT_NONE,
                  "way of the wrists on the box after the table");
    pki_study_hold_most(out, 0.5);
    pki_study_note(
        out, "in %.2g s, held to 1 %% of the 50 mm of the reference; with the friction of the paper %.3g mm",
        2 - r->leave, 1e3 * d->lifts[PKI_COMAN_SOFT].slid);
  } else {
    pki_study_put(out, section, group, "sliding", "s", 0, r->sliding, PKI_VERDICT_NONE,
                  "time after the table in which a wrist slides on the box");
    pki_study_hold_most(out, 0);
  }
  pki_study_put(out, section, group, "feet", "N", NAN, r->feet, PKI_VERDICT_NONE,
                "vertical force on both feet, mean of the last 0.2 s");
  pki_study_note(out, "robot and box weigh %.4g N; the waist tilts by %.3g degrees at most",
                 (28.3574 + 1.5) * 9.81, r->sway);
}

/* Fig. 10, first: the box on the table's layer, which decays as exp(-g c t/2), c the mean of both surfaces' 10 and 0.1 s/m. */
static void add_settling(const pki_coman_data *d, pki_study_result *out)
{
  static const char section[] = "Fig. 10: the oscillation of the box on the table at the start";
  static const pki_coman_case cases[] = {PKI_COMAN_LOCKED, PKI_COMAN_SOFT};
  const double theory = log(100) / (0.5 * 9.81 * 5.05);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const pki_coman_lift *r = &d->lifts[cases[i]];
    if (!r->ran) {
      continue;
    }
    pki_study_put(out, section, "settled", pki_coman_variants[cases[i]].id, "s", 0.2, r->settled,
                  PKI_VERDICT_NONE, "within 1 %% of the weight, %s", pki_coman_variants[cases[i]].text);
    pki_study_hold_most(out, 1.1 * theory);
    pki_study_note(out, "exp(-g c t/2) is 1 %% at %.2g s; implicit steps damp more", theory);
  }
}

/* Fig. 11: the elbows' springs. */
static void add_elbows(const pki_coman_data *d, pki_coman_case stiff, pki_coman_case soft,
                       pki_study_result *out)
{
  const pki_coman_lift *a = &d->lifts[stiff], *b = &d->lifts[soft];
  char section[96], group[40];
  snprintf(section, sizeof section, "Fig. 11: springs of the elbows, %s", pki_coman_variants[stiff].text);
  snprintf(group, sizeof group, "elbows/%s", pki_coman_variants[stiff].id);
  pki_study_put(out, section, group, "stiff-grasp", "N", NAN, a->grasp, PKI_VERDICT_NONE,
                "grasping force, K_s 120 N m/rad, mean of the last 0.2 s");
  pki_study_put(out, section, group, "soft-grasp", "N", NAN, b->grasp, PKI_VERDICT_NONE,
                "grasping force, K_s 1.2e-3 N m/rad");
  pki_study_hold_most(out, a->grasp);
  pki_study_note(out, "smaller, as in the paper%s", isnan(b->leave) ? "; the box stays on the table" : "");
  pki_study_put(out, section, group, "stiff-deflection", "rad", NAN, a->deflection, PKI_VERDICT_NONE,
                "motor less joint, largest after the touch, K_s 120 N m/rad");
  pki_study_put(out, section, group, "soft-deflection", "rad", NAN, b->deflection, PKI_VERDICT_NONE,
                "motor less joint, largest after the touch, K_s 1.2e-3 N m/rad");
  pki_study_hold_least(out, a->deflection);
}

static void add_factors(const pki_coman_data *d, pki_study_result *out)
{
  static const char section[] = "Real-time factors: simulated over computing time on one core";
  for (int i = 0; i < PKI_COMAN_CASES; i++) {
    const pki_coman_variant *v = &pki_coman_variants[i];
    const pki_coman_lift *r = &d->lifts[i];
    if (!r->ran) {
      continue;
    }
    pki_study_put(out, section, "factor", v->id, "", v->paper_factor, r->factor, PKI_VERDICT_NONE, "%s",
                  v->text);
    pki_study_excuse(out, "%s", pki_study_other_machine);
    const bool chatters = i == PKI_COMAN_RK4 || i == PKI_COMAN_LOCKED;
    char wanted[64] = "";
    if (v->least_factor > 0) {
      snprintf(wanted, sizeof wanted, "; wanted on a quiet core: more than %g", v->least_factor);
    }
    pki_study_note(out, "step %.3g ms%s%s", 1e3 * r->dt, wanted,
                   chatters ? "; friction of the wrists chatters after the touch: see the limits" : "");
  }
}

static void add_limits(const pki_coman_data *d, pki_study_result *out)
{
  static const char section[] = "Where the paper's largest step comes from: RK4 limits of the linear model";
  const pki_coman_limits *l = &d->limits;
  const pki_coman_mode *least = &l->modes[0];
  for (int i = 1; i < l->nmode; i++) {
    least = l->modes[i].limit < least->limit ? &l->modes[i] : least;
  }
  pki_study_put(out, section, "limit", "whole", "s", 9e-4, l->whole, PKI_VERDICT_NONE,
                "all motors, springs and joints, waist fixed");
  pki_study_hold_part(out, 0.05);
  pki_study_note(out, "eigenvalue %.4g +- %.4g i 1/s; the paper: the largest stable step with feet locked",
                 l->whole_value[0], l->whole_value[1]);
  pki_study_put(out, section, "limit", "joint", "s", 9e-4, least->limit, PKI_VERDICT_NONE,
                "the joint that limits it, alone: %s", least->joint);
  pki_study_hold_part(out, 0.05);
  pki_study_note(out, "spring %.4g N m/rad on %.3g kg m^2: %.4g +- %.4g i 1/s", least->spring, least->inertia,
                 least->fastest[0], least->fastest[1]);
  if (!isnan(l->measured_stable)) {
    pki_study_put(out, section, "limit", "measured", "s", 9e-4, l->measured_stable, PKI_VERDICT_NONE,
                  "the largest stable step, by runs with the feet locked");
    pki_study_hold_part(out, 0.05);
    pki_study_note(out, "unstable at %.4g s", l->measured_unstable);
  }
  pki_study_put(out, section, "limit", "wrist", "s", 9e-4, l->wrist_limit, PKI_VERDICT_NONE,
                "after the touch: the steepest slope of friction at a wrist, 15 N");
  pki_study_excuse(out, "a limit of the sliding wrist, which the paper does not name");
  pki_study_note(
      out,
      "%.3g 1/s on %.3g kg, the forearm having no mass in the model: RK4 chatters there at 0.1 ms and "
      "diverges at 0.9 ms, where the paper calls it stable",
      l->wrist_rate, l->wrist_mass);
  pki_study_put(out, section, "limit", "friction", "s", 1e-4, l->friction_limit, PKI_VERDICT_NONE,
                "feet free: the steepest slope of friction under a sole");
  pki_study_excuse(out,
                   "a limit of the sliding sole, which the paper does not name; its step stands beside it");
  pki_study_note(out,
                 "%.3g 1/s on %.3g kg along the ground; only while the sole slides at half the "
                 "transition speed. The paper takes 1e-4 s",
                 l->friction_rate, l->sole_mass[0]);
  pki_study_put(out, section, "limit", "layer", "s", 1e-4, l->layer_limit, PKI_VERDICT_NONE,
                "feet free: the elastic layer under a sole");
  pki_study_hold_least(out, 1e-4);
  pki_study_note(out, "%.3g 1/s on %.3g kg upwards: stiffness of contact asks for nothing", l->layer_rate,
                 l->sole_mass[1]);
}

static void add_squat(const pki_coman_data *d, pki_study_result *out)
{
  static const char section[] = "Section 7, Fig. 12: WALK-MAN squats";
  const pki_coman_squat *s = &d->squat;
  pki_study_put(out, section, "squat", "depth", "m", 0.3, s->depth, PKI_VERDICT_NONE,
                "how far the waist goes down, %.3g s", s->duration);
  pki_study_hold_part(out, 0.1);
  pki_study_require(out, !s->fell, "no fall");
  pki_study_put(out, section, "squat", "hip", "rad", NAN, s->hip_error, PKI_VERDICT_NONE,
                "mean distance of the hip from its reference");
  pki_study_hold_most(out, 0.05);
  pki_study_put(out, section, "squat", "knee-least", "N m", NAN, s->knee_least, PKI_VERDICT_NONE,
                "least torque of a knee after the first second");
  pki_study_put(out, section, "squat", "knee-most", "N m", NAN, s->knee_most, PKI_VERDICT_NONE,
                "largest torque of a knee after the first second");
  pki_study_put(out, section, "squat", "balance", "", 1e-5, s->balance, PKI_VERDICT_NONE,
                "feet's vertical force less m (g + a), over m g, largest after the first second");
  pki_study_hold_most(out, 1e-5);
  pki_study_note(out, "%.4g kg; the paper prints no values", s->mass);
}

void pki_coman_rows(const pki_coman_data *d, pki_study_result *result)
{
  static const pki_coman_case lifts[] = {PKI_COMAN_SOFT, PKI_COMAN_CONVEX, PKI_COMAN_HARD,
                                         PKI_COMAN_HARD_LONG};
  for (size_t i = 0; i < sizeof lifts / sizeof lifts[0]; i++) {
    if (d->lifts[lifts[i]].ran) {
      add_lift(d, lifts[i], result);
    }
  }
  add_settling(d, result);
  add_elbows(d, PKI_COMAN_SOFT, PKI_COMAN_SOFT_LIMP, result);
  add_elbows(d, PKI_COMAN_HARD, PKI_COMAN_HARD_LIMP, result);
  add_factors(d, result);
  add_limits(d, result);
  add_squat(d, result);
}
