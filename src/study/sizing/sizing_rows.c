/* The study's values as rows. */
#include <math.h>

#include "size/ratio.h"
#include "study/sizing/sizing_study.h"
#include "study/study_verdict.h"

/* The ratio of least heat of a motor, if gears of any ratio could be had. */
static double free_ratio(const pki_sizing *z, const pki_drive_candidate *c)
{
  const pki_size_group *g = &z->groups[0];
  const pki_ratio_search search = {.drive = c->drive,
                                   .duty = &z->duty,
                                   .joints = (const char(*)[PKI_DUTY_NAME])g->joints,
                                   .count = g->njoint,
                                   .options = &z->options,
                                   .from = 5,
                                   .to = 500};
  return pki_ratio_best(&search, false);
}

static void add_paper_motor(const pki_sizing *z, pki_study_result *out)
{
  static const char section[] = "A motor of 2002: maxon RE 40, 150 W, wound for 24 V";
  const pki_size_group *g = &z->groups[0];
  const int best = pki_sizing_find(g, PKI_SIZING_MOTOR, 0, 0);
  const int high = pki_sizing_find(g, PKI_SIZING_MOTOR, PKI_SIZING_RATIO, PKI_SIZING_VOLTAGE);
  const int low = pki_sizing_find(g, PKI_SIZING_MOTOR, PKI_SIZING_RATIO, 24);
  if (best < 0 || high < 0 || low < 0) {
    return;
  }
  const pki_drive_candidate *b = &g->candidates[best], *h = &g->candidates[high], *l = &g->candidates[low];
  pki_study_put(out, section, "re40", "ratio", "", PKI_SIZING_RATIO, b->drive.gear.ratio, PKI_VERDICT_NONE,
                "best ratio of six");
  pki_study_hold_near(out, 0);
  pki_study_require(out, b->fits, "within all limits");
  pki_study_note(out, "by mass and energy; gears weigh the same, so by energy");
  pki_study_put(out, section, "re40", "voltage", "V", PKI_SIZING_VOLTAGE, b->drive.voltage, PKI_VERDICT_NONE,
                "best voltage of two");
  pki_study_hold_near(out, 0);
  pki_study_require(out, b->fits, "within all limits");
  pki_study_note(out, "energy is the same on both: the larger distance from the voltage's line decides");
  pki_study_put(out, section, "re40", "free-ratio", "", NAN, free_ratio(z, h), PKI_VERDICT_NONE,
                "ratio with the least heat, of any");
  pki_study_put(out, section, "re40", "voltage-42", "", 1, pki_line_used(&h->demand.lines[PKI_LINE_VOLTAGE]),
                PKI_VERDICT_NONE, "66:1: part of 42 V that is used");
  pki_study_hold_most(out, 1);
  pki_study_put(out, section, "re40", "voltage-24", "", NAN,
                pki_line_used(&l->demand.lines[PKI_LINE_VOLTAGE]), PKI_VERDICT_NONE,
                "66:1: part of 24 V that is used");
  pki_study_note(out, "what is left on 24 V is little for a controller that has to balance");
  pki_study_put(out, section, "re40", "continuous", "", 1,
                pki_line_used(&h->demand.lines[PKI_LINE_CONTINUOUS]), PKI_VERDICT_NONE,
                "66:1: part of the torque for long that is used");
  pki_study_hold_most(out, 1);
  pki_study_put(out, section, "re40", "winding", "°C", 155, h->demand.winding, PKI_VERDICT_NONE,
                "66:1: winding after an hour, its largest beside it");
  pki_study_hold_most(out, 155);
  pki_study_put(out, section, "re40", "power", "W", NAN, h->demand.power, PKI_VERDICT_NONE,
                "66:1: mean electrical power of both legs");
  pki_study_put(out, section, "re40", "input", "W", NAN, h->demand.input, PKI_VERDICT_NONE,
                "66:1: largest input power of one joint");
}

static void add_all_motors(const pki_size_result *r, pki_study_result *out)
{
  static const char section[] = "All motors of the list";
  const pki_sizing *z = &r->sizing;
  const pki_size_group *g = &z->groups[0];
  const pki_drive_candidate *c = pki_group_choice(g);
  const int place = pki_sizing_find(g, NULL, PKI_SIZING_RATIO, PKI_SIZING_VOLTAGE);
  pki_study_put(out, section, "all", "candidates", "", 40, g->ncandidate, PKI_VERDICT_NONE,
                "candidates, at least");
  pki_study_hold_least(out, 40);
  pki_study_put(out, section, "all", "seconds", "s", 30, r->choice_seconds, PKI_VERDICT_NONE,
                "clouds and ranking after the gaits, at most");
  pki_study_hold_most(out, 30);
  pki_study_put(out, section, "all", "gait-seconds", "s", NAN, r->motion_seconds, PKI_VERDICT_NONE,
                "optimising the gaits");
  if (c != NULL) {
    pki_study_put(out, section, "all", "ratio", "", PKI_SIZING_RATIO, c->drive.gear.ratio, PKI_VERDICT_NONE,
                  "ratio of the best: %s", c->drive.motor->id);
    pki_study_excuse(out, "a motor that is later than the paper");
    pki_study_note(out, "a later, lighter motor with a quarter of the rotor's inertia turns faster: its "
                        "matched ratio is higher");
    pki_study_put(out, section, "all", "voltage", "V", PKI_SIZING_VOLTAGE, c->drive.voltage, PKI_VERDICT_NONE,
                  "its voltage");
    pki_study_excuse(out, "a motor that is later than the paper");
    pki_study_note(out, "both have the same score, and its worst line is that of the torque for long, which "
                        "no voltage moves");
    pki_study_put(out, section, "all", "power", "W", NAN, c->demand.power, PKI_VERDICT_NONE,
                  "its mean electrical power");
    pki_study_put(out, section, "all", "mass", "kg", NAN, c->demand.mass, PKI_VERDICT_NONE,
                  "mass of its twelve drives");
  }
  pki_study_put(out, section, "all", "place", "", NAN, place + 1, PKI_VERDICT_NONE,
                "place of the first with 66:1 on 42 V");
  pki_study_put(out, section, "all", "input", "W", NAN, z->supply.input, PKI_VERDICT_NONE,
                "largest input power of all joints of the best");
}

static void add_simulated(const pki_sizing_check *check, pki_study_result *out)
{
  static const char section[] =
      "The best in the simulator: mass, rotor, `dc` actuators at all joints of the legs";
  const pki_sizing_walk *c = &check->chosen, *w = &check->weaker;
  if (!check->made) {
    return;
  }
  pki_study_put(out, section, "simulated", "limited", "steps", 0, c->limited, PKI_VERDICT_NONE,
                "on %g V: steps at a limit, of %.0f", c->voltage, c->steps);
  pki_study_hold_most(out, 0);
  pki_study_require(out, !c->fell, "no fall");
  pki_study_note(
      out,
      "four cycles at 1.8 km/h by the controller follow, gears without losses, of which it does not know");
  pki_study_put(out, section, "simulated", "volts", "V", check->needs, c->used, PKI_VERDICT_NONE,
                "largest voltage, beside that of the sizing");
  pki_study_hold_part(out, 0.25);
  pki_study_note(out, "that of the sizing is with the resistance of the warm winding and without feedback");
  pki_study_put(out, section, "simulated", "weaker", "steps", 1, w->limited, PKI_VERDICT_NONE,
                "on %g V, the next weaker battery: steps at a limit, at least", w->voltage);
  pki_study_hold_least(out, 1);
  pki_study_note(out, w->fell ? "it falls" : "it stays on its feet");
}

void pki_sizing_rows(const pki_size_result *result, const pki_sizing_check *check, pki_study_result *out)
{
  add_paper_motor(&result->sizing, out);
  add_all_motors(result, out);
  add_simulated(check, out);
}
