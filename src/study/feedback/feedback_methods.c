/* Control methods as scenarios with overrides, and the gains that were found for them:
 *
 *   UR10       scripts/ur10-gains
 *   links      pronk tune links-sine --set step.implicit=none --set 'controller={name: inverse-dynamics, method: pd, motion: table,
 *              file: links/sine.csv, ramp: 0.5}' --vary controller.kp=1:300:log --vary controller.kd=0.003:3:log --metric tracking_error_rms
 *              --duration 5 --evaluations 80
 *   StarLETH   pronk tune starleth-large-steps --set step.dt=1e-3 --set step.margin=0.02 --set step.implicit=none --set step.relinearise=0
 *              --set controller.method=pd --set controller.tau_max=30 --vary controller.kp=50:30000:log --vary controller.kd=0.5:30:log --metric
 *              tracking_error_rms --duration 5 --evaluations 100, with --set controller.lift=0.05 for the trot, and --set
 *              controller.motion=sinusoids --set controller.lift=0.04
 *
 * The paper minimised the same, joint errors alone, at 1 ms. */
#include <math.h>

#include "study/feedback/feedback.h"

const double pki_feedback_steps[PKI_FEEDBACK_STEPS] = {0.001, 0.0025, 0.01, 0.05, 0.1};

const pki_feedback_name pki_arm_names[PKI_ARM_METHODS] = {
    {"pd", "PD, explicit"},
    {"pd-implicit", "PD, implicit"},
    {"pd-geared", "PD, explicit, geared"},
    {"torque", "inverse dynamics as controller"},
    {"constraint", "inverse dynamics as constraint"},
    {"limp", "no control"},
};

const pki_feedback_name pki_leg_names[PKI_LEG_METHODS] = {
    {"pd", "PD, explicit"},
    {"pd-implicit", "PD, implicit"},
    {"torque", "inverse dynamics as controller"},
    {"mlcp", "constraint, the paper's MLCP"},
    {"qp", "constraint, the paper's QP"},
    {"constraint", "constraint, motors yield"},
    {"two-stage", "constraint, two stages"},
};

const pki_feedback_name pki_scene_names[PKI_SCENES] = {
    {"links", "links, sinusoids in its joints"},
    {"trot", "StarLETH, consistent trot"},
    {"sinusoids", "StarLETH, trot of sinusoids"},
};

#define ADD(c, text) ((c).sets[(c).nset++] = (text))

pki_feedback_case pki_feedback_arm_case(pki_feedback_arm_method method)
{
  pki_feedback_case c = {.scenario = "ur10-sine", .tolerated = method == PKI_ARM_LIMP ? INFINITY : 0.2};
  ADD(c, "step.self_collision=false"); /* it touches nothing, itself neither */
  ADD(c, "step.swept=false");
  switch (method) {
  case PKI_ARM_PD:
  case PKI_ARM_PD_IMPLICIT:
    ADD(c, "controller.file=ur10/sine-pd.csv");
    ADD(c, method == PKI_ARM_PD ? "step.implicit=none" : "step.implicit=all");
    break;
  case PKI_ARM_PD_GEARED: /* kg m^2: rotors of 1.15e-4 and 3.4e-5 (motors/tq-ilm85x26, tq-ilm70x18) behind gears of 101 */
    ADD(c, "controller.file=ur10/sine-geared.csv");
    ADD(c, "step.implicit=none");
    ADD(c, "actuators=[{joints: 'shoulder*', armature: 1.173}, {joints: 'elbow*', armature: 1.173}, {joints: "
           "'wrist*', armature: 0.3468}]");
    break;
  case PKI_ARM_TORQUE: ADD(c, "controller.name=computed-torque"); break;
  case PKI_ARM_CONSTRAINT:
    ADD(c, "controller.correction=1e-3");
    ADD(c, "step.stepper=euler");
    break;
  default: ADD(c, "controller={name: hold, kp: 0, kd: 0}"); break;
  }
  return c;
}

/* StarLETH: its scheme, and what each method leaves of it. */
static void add_starleth(pki_feedback_case *c, pki_feedback_scene scene, pki_feedback_leg_method method)
{
  const bool trot = scene == PKI_SCENE_TROT;
  c->scenario = "starleth-large-steps";
  ADD(*c, "controller.tau_max=30");
  ADD(*c, trot ? "controller.motion=trot" : "controller.motion=sinusoids");
  ADD(*c, trot ? "controller.lift=0.05" : "controller.lift=0.04");
  if (method == PKI_LEG_PD || method == PKI_LEG_PD_IMPLICIT) {
    ADD(*c, trot ? "controller.kp=8631.82" : "controller.kp=30000");
    ADD(*c, trot ? "controller.kd=0.784099" : "controller.kd=20.2979");
  }
}

static void add_links(pki_feedback_case *c, pki_feedback_leg_method method)
{
  const bool gains = method == PKI_LEG_PD || method == PKI_LEG_PD_IMPLICIT;
  c->scenario = "links-sine";
  ADD(*c, "controller={name: inverse-dynamics, motion: table, file: links/sine.csv, ramp: 0.5}");
  ADD(*c, "step.stepper=euler");
  ADD(*c, "step.landing_friction=false");
  ADD(*c, gains ? "step.relinearise=0" : "step.relinearise=4");
  if (gains) {
    ADD(*c, "controller.kp=187.099");
    ADD(*c, "controller.kd=0.36148");
  }
}

bool pki_feedback_is_dense(pki_feedback_leg_method method)
{
  return method == PKI_LEG_MLCP || method == PKI_LEG_QP;
}

pki_feedback_case pki_feedback_leg_case(pki_feedback_scene scene, pki_feedback_leg_method method)
{
  static const char *const words[PKI_LEG_METHODS] = {
      [PKI_LEG_PD] = "controller.method=pd",
      [PKI_LEG_PD_IMPLICIT] = "controller.method=pd",
      [PKI_LEG_TORQUE] = "controller.method=torque",
      [PKI_LEG_MLCP] = "controller.method=constraint",
      [PKI_LEG_QP] = "controller.method=constraint",
      [PKI_LEG_CONSTRAINT] = "controller.method=constraint",
      [PKI_LEG_TWO_STAGE] = "controller.method=two-stage",
  };
  pki_feedback_case c = {.legs = true, .tolerated = 0.2};
  if (scene == PKI_SCENE_LINKS) {
    add_links(&c, method);
  } else {
    add_starleth(&c, scene, method);
  }
  ADD(c, words[method]);
  if (method == PKI_LEG_PD) {
    ADD(c, "step.implicit=none");
    ADD(c, "step.relinearise=0");
  }
  return c;
}
