/* The options of a world: field tables, defaults, presets. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collision/broad/broad.h"
#include "collision/narrow/method.h"
#include "contact/lcp/lcp.h"
#include "contact/solvers/solver.h"
#include "sim/reads.h"
#include "step/law.h"
#include "step/world.h"

static const char *const resting_words[] = {"velocity", "acceleration"};
static const char *const cone_words[] = {"pyramid", "square", "norm"};
static const char *const impact_words[] = {"group", "newton"};
static const char *const implicit_words[] = {"all", "none"};
static const char *const bilateral_words[] = {"direct", "prox", "sweep"};

/* By pk_contact_scheme. */
static const pki_contact_scheme stabilised = {"stabilised", NULL,
                                              "relinearise landing_friction margin swept"},
                                gehring_2014 = {"gehring-2014", "paper", NULL};
const pki_contact_scheme *const pki_contact_schemes[PK_CONTACT_SCHEME_COUNT + 1] = {
    [PK_CONTACT_STABILISED] = &stabilised, [PK_CONTACT_GEHRING_2014] = &gehring_2014};

const pk_field pki_sim_fields[] = {
    {"dt", offsetof(pk_sim_options, dt), PK_FIELD_REAL, "s", 1e-3, 1e-9, 10, NULL, "time step"},
    {"stepper", offsetof(pk_sim_options, stepper), PK_FIELD_ROW, "", PK_STEPPER_MOREAU, 0, 0, pki_steppers,
     "integration scheme"},
    {"implicit", offsetof(pk_sim_options, implicit), PK_FIELD_ENUM, "", PK_IMPLICIT_FORCES_ALL, 0,
     PK_IMPLICIT_FORCES_COUNT - 1, implicit_words, "forces taken at the end of the step"},
    {"rtol", offsetof(pk_sim_options, rtol), PK_FIELD_REAL, "", 1e-8, 1e-14, 0.1, NULL,
     "relative tolerance of adaptive steppers"},
    {"atol", offsetof(pk_sim_options, atol), PK_FIELD_REAL, "", 1e-10, 1e-16, 0.1, NULL,
     "absolute tolerance of adaptive steppers"},
    {"max_internal", offsetof(pk_sim_options, max_internal), PK_FIELD_INT, "", 100000, 1, 1e9, NULL,
     "internal steps of adaptive steppers in one step"},
    {"joint_limits", offsetof(pk_sim_options, joint_limits), PK_FIELD_BOOL, "", 1, 0, 1, NULL,
     "joint limits act; steppers of forces alone end where one is passed"},
    {"joint_friction", offsetof(pk_sim_options, joint_friction), PK_FIELD_BOOL, "", 1, 0, 1, NULL,
     "dry joint friction acts; steppers of forces alone refuse a model that has some"},
    {"contact", offsetof(pk_sim_options, contact), PK_FIELD_RENAMED_ROW, "", PK_CONTACT_STABILISED, 0, 0,
     pki_contact_schemes, "how contact is stepped"},
    {"max_contacts", offsetof(pk_sim_options, max_contacts), PK_FIELD_INT, "", 0, 0, 100000, NULL,
     "room for contacts; 0: 128, or 24 for each robot and object where that is more"},
    {"relinearise", offsetof(pk_sim_options, relinearise), PK_FIELD_INT, "", 0, 0, 20, NULL,
     "rounds in which contact rows follow the motion of the step, stepper euler; 0: none"},
    {"landing_friction", offsetof(pk_sim_options, landing_friction), PK_FIELD_BOOL, "", 1, 0, 1, NULL,
     "a contact that closes within the step has friction in it"},
    {"yield", offsetof(pk_sim_options, yield), PK_FIELD_BOOL, "", 1, 0, 1, NULL,
     "motors of tracked joints give way where a standing foot would slide"},
    {"margin", offsetof(pk_sim_options, margin), PK_FIELD_REAL, "m", 0.02, 0, 10, NULL,
     "contacts nearer than this are looked at"},
    {"swept", offsetof(pk_sim_options, swept), PK_FIELD_BOOL, "", 1, 0, 1, NULL,
     "pairs that move by more than their thickness in a step are met on their way"},
    {"threads", offsetof(pk_sim_options, threads), PK_FIELD_INT, "", 1, 1, 1024, NULL,
     "threads that measure the faces of big compliant meshes; results are the same"},
    {"solver", offsetof(pk_sim_options, solver), PK_FIELD_ROW, "", PK_SOLVER_AUTO, 0, 0, pki_solvers,
     "method for contact problems"},
    {"tolerance", offsetof(pk_sim_options, tolerance), PK_FIELD_REAL, "", 1e-8, 1e-15, 1, NULL,
     "relative residual at which the solver stops"},
    {"max_iterations", offsetof(pk_sim_options, max_iterations), PK_FIELD_INT, "", 5000, 1, 1e9, NULL,
     "sweeps or Newton steps of the solver"},
    {"alpha", offsetof(pk_sim_options, alpha), PK_FIELD_REAL, "", 0, 0, 2, NULL,
     "relaxation of jor and sor, 0: chosen from W"},
    {"bilateral", offsetof(pk_sim_options, bilateral), PK_FIELD_ENUM, "", PK_BILATERAL_METHOD_DIRECT, 0,
     PK_BILATERAL_METHOD_COUNT - 1, bilateral_words, "how bilateral constraints are solved"},
    {"stop", offsetof(pk_sim_options, stop), PK_FIELD_ENUM, "", PK_SOLVER_STOP_RESIDUAL, 0,
     PK_SOLVER_STOP_COUNT - 1, pki_stop_words, "when jor, sor and bgs stop"},
    {"change_rel", offsetof(pk_sim_options, change_rel), PK_FIELD_REAL, "", 1e-6, 0, 1, NULL,
     "stop: change, part of an impulse that a sweep may change"},
    {"change_abs", offsetof(pk_sim_options, change_abs), PK_FIELD_REAL, "N s", 1e-6, 0, 1, NULL,
     "stop: change, what it may change besides"},
    {"succession", offsetof(pk_sim_options, succession), PK_FIELD_ENUM, "", PK_SOLVER_SUCCESSION_FINE, 0,
     PK_SOLVER_SUCCESSION_COUNT - 1, pki_succession_words, "order in which jor and sor project"},
    {"law", offsetof(pk_sim_options, law), PK_FIELD_RENAMED_ROW, "", PK_CONTACT_LAW_HARD, 0, 0, pki_laws,
     "law of contact"},
    {"impact", offsetof(pk_sim_options, impact), PK_FIELD_ENUM, "", PK_IMPACT_LAW_GROUP, 0,
     PK_IMPACT_LAW_COUNT - 1, impact_words, "restitution where contacts differ in it"},
    {"resting", offsetof(pk_sim_options, resting), PK_FIELD_ENUM, "", PK_CONTACT_RESTING_VELOCITY, 0,
     PK_CONTACT_RESTING_COUNT - 1, resting_words, "law lcp-pyramid: what its resting contact is solved in"},
    {"lcp", offsetof(pk_sim_options, lcp), PK_FIELD_ROW, "", PK_LCP_CHOICE_AUTO, 0, 0, pki_lcp_choices,
     "law lcp-pyramid: method for its problems"},
    {"cone", offsetof(pk_sim_options, cone), PK_FIELD_ENUM, "", PK_FRICTION_CONE_PYRAMID, 0,
     PK_FRICTION_CONE_COUNT - 1, cone_words, "law lcp-pyramid: which friction a normal impulse allows"},
    {"stiffness_n", offsetof(pk_sim_options, stiffness_n), PK_FIELD_REAL, "N/m", 30000, 0, 1e12, NULL,
     "normal stiffness of the springs of compliant, penalty and penalty-integral contacts"},
    {"stiffness_t", offsetof(pk_sim_options, stiffness_t), PK_FIELD_REAL, "N/m", 30000, 0, 1e12, NULL,
     "tangential stiffness of the springs of compliant, penalty and penalty-integral contacts"},
    {"stiffness_cubic", offsetof(pk_sim_options, stiffness_cubic), PK_FIELD_REAL, "N/m^3", 0, 0, 1e18, NULL,
     "normal force of these springs for the third power of the depth, beside the linear one"},
    {"damping_n", offsetof(pk_sim_options, damping_n), PK_FIELD_REAL, "N s/m", 50, 0, 1e12, NULL,
     "normal damping of the springs of compliant, penalty and penalty-integral contacts"},
    {"damping_t", offsetof(pk_sim_options, damping_t), PK_FIELD_REAL, "N s/m", 50, 0, 1e12, NULL,
     "tangential damping of the springs of compliant, penalty and penalty-integral contacts"},
    {"integral_n", offsetof(pk_sim_options, integral_n), PK_FIELD_REAL, "N/(m s)", 30000, 0, 1e15, NULL,
     "law penalty-integral: force that a depth adds in each second"},
    {"broad", offsetof(pk_sim_options, broad), PK_FIELD_ROW, "", PK_BROAD_PHASE_AUTO, 0, 0, pki_broads,
     "how pairs of shapes that may touch are found"},
    {"narrow", offsetof(pk_sim_options, narrow), PK_FIELD_ROW, "", PK_NARROW_METHOD_AUTO, 0, 0, pki_narrows,
     "how shapes that are near are measured"},
    {"volume_cell", offsetof(pk_sim_options, volume_cell), PK_FIELD_REAL, "m", 0, 0, 1e3, NULL,
     "narrow: volumes, between the nodes of its grids; 0: by the shape"},
    {"self_collision", offsetof(pk_sim_options, self_collision), PK_FIELD_BOOL, "", 1, 0, 1, NULL,
     "links of one robot collide with each other"},
    {"max_latency", offsetof(pk_sim_options, max_latency), PK_FIELD_REAL, "s", 0, 0, 1, NULL,
     "room for commands that act late"},
    {"timing", offsetof(pk_sim_options, timing), PK_FIELD_BOOL, "", 0, 0, 1, NULL,
     "measure the parts of a step"},
};
const int pki_sim_field_count = sizeof pki_sim_fields / sizeof pki_sim_fields[0];

const pk_field pki_command_fields[] = {
    {"tau", offsetof(pk_command, tau), PK_FIELD_REAL, "N m or N", 0, -1e300, 1e300, NULL, "force"},
    {"q_des", offsetof(pk_command, q_des), PK_FIELD_REAL, "rad or m", 0, -1e300, 1e300, NULL,
     "desired coordinate"},
    {"u_des", offsetof(pk_command, u_des), PK_FIELD_REAL, "rad/s or m/s", 0, -1e300, 1e300, NULL,
     "desired velocity"},
    {"kp", offsetof(pk_command, kp), PK_FIELD_REAL, "N m/rad or N/m", 0, 0, 1e300, NULL, "stiffness"},
    {"kd", offsetof(pk_command, kd), PK_FIELD_REAL, "N m s/rad or N s/m", 0, 0, 1e300, NULL, "damping"},
    {"tau_max", offsetof(pk_command, tau_max), PK_FIELD_REAL, "N m or N", 0, 0, INFINITY, NULL,
     "largest force; 0: no limit"},
    {"correction", offsetof(pk_command, correction), PK_FIELD_REAL, "s", 0, 0, 1e300, NULL,
     "time in which the error of a tracked coordinate vanishes; 0: it is not tracked"},
};
const int pki_command_field_count = sizeof pki_command_fields / sizeof pki_command_fields[0];

pk_status pk_command_validate(const pk_command *command, pk_error *err)
{
  return pki_fields_validate(pki_command_fields, pki_command_field_count, command, err);
}

const char *pk_step_part_name(pk_step_part part)
{
  static const char *const names[] = {"control",  "dynamics", "collision", "factor",
                                      "assembly", "solve",    "project"};
  return (unsigned)part < PK_STEP_PART_COUNT ? names[part] : "unknown";
}

pk_sim_options pk_sim_options_default(void)
{
  pk_sim_options options;
  pki_fields_default(pki_sim_fields, pki_sim_field_count, &options, sizeof options);
  return options;
}

/* Gehring et al. 2014: equations 6 to 8, configuration HmJ of table 1, T_rel = T_abs = 1e-6. */
static void set_gehring_2014(pk_sim_options *o)
{
  o->dt = 2.5e-3;
  o->stepper = PK_STEPPER_MOREAU;
  o->implicit = PK_IMPLICIT_FORCES_NONE;
  o->contact = PK_CONTACT_GEHRING_2014;
  o->impact = PK_IMPACT_LAW_NEWTON;
  o->solver = PK_SOLVER_JOR;
  o->alpha = 0.6;
  o->stop = PK_SOLVER_STOP_CHANGE;
  o->change_rel = o->change_abs = 1e-6;
  o->succession = PK_SOLVER_SUCCESSION_CONTACT;
  o->tolerance = 1e-3; /* what the certificate is held to: such a stop leaves about 1e-4 */
}

static const pki_preset preset_default = {"default", NULL, "no drift, no sinking in, warm starts", NULL};
static const pki_preset preset_gehring_2014 = {
    "gehring-2014", "paper", "the scheme of Gehring et al. 2014 as published", set_gehring_2014};

const pki_preset *const pki_presets[PK_SIM_PRESET_COUNT + 1] = {
    [PK_SIM_PRESET_DEFAULT] = &preset_default, [PK_SIM_PRESET_GEHRING_2014] = &preset_gehring_2014};

pk_sim_options pk_sim_options_preset(pk_sim_preset preset)
{
  pk_sim_options options = pk_sim_options_default();
  if (pki_presets[preset]->set != NULL) {
    pki_presets[preset]->set(&options);
  }
  return options;
}

/* Rows that follow the motion are those of hard contacts in a scheme whose step is one motion. */
static pk_status check_relinearise(const pk_sim_options *o, pk_error *err)
{
  const pki_readers *unread = o->relinearise > 0 ? pki_unread_by(o, false, "relinearise") : NULL;
  if (unread != NULL) {
    char asked[60];
    snprintf(asked, sizeof asked, "relinearise is %d", o->relinearise);
    return pki_fail_unread(unread, o, "relinearise", asked, PK_ERROR_ARGUMENT, err);
  }
  return PK_OK;
}

/* A bound on a norm is no linear problem, and what slides in accelerations has its friction along the slip. */
static pk_status check_cone(const pk_sim_options *o, pk_error *err)
{
  if (o->law != PK_CONTACT_LAW_LCP_PYRAMID) {
    return PK_OK;
  }
  if (o->cone == PK_FRICTION_CONE_NORM && o->lcp != PK_LCP_CHOICE_AUTO && o->lcp != PK_LCP_CHOICE_PGS) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, (pki_where){.field = "lcp"},
        "lcp is \"%s\" with the cone \"norm\", expected \"auto\" or \"pgs\": a bound on a norm is "
        "no linear problem",
        pki_lcp_choices[o->lcp]->name);
  }
  if (o->cone == PK_FRICTION_CONE_SQUARE && o->resting == PK_CONTACT_RESTING_ACCELERATION) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, (pki_where){.field = "cone"},
        "cone is \"square\" with resting \"acceleration\", expected \"pyramid\" or \"norm\": what "
        "slides there has its friction along the slip");
  }
  return PK_OK;
}

pk_status pk_sim_options_validate(const pk_sim_options *options, pk_error *err)
{
  const pk_status status = pki_fields_validate(pki_sim_fields, pki_sim_field_count, options, err);
  if (status != PK_OK) {
    return status;
  }
  const pk_status cone = check_cone(options, err);
  return cone == PK_OK ? check_relinearise(options, err) : cone;
}
