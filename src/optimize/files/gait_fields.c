#include "optimize/files/gait_fields.h"

#include <math.h>

#include "optimize/motion/design.h"
#include "scenario/section.h"

static const char *const closure_words[] = {"once", "cycle", "half"};
static const char *const scheme_words[] = {"linear", "hermite-simpson"};
static const char *const tip_words[] = {"horizontal", "perpendicular"};
static const char *const end_words[] = {"time", "crossing"};
static const char *const landing_words[] = {"impact", "soft"};
static const char *const mass_words[] = {"proportional", "constant"};

#define FILE_TEXT(member, doc) PKI_TEXT(#member, pki_gait_file, member, 0, doc)
#define SETTING(name, member) name, offsetof(pki_gait_file, settings.member)
#define LARGE 1e9

const pk_field pki_gait_fields[] = {
    FILE_TEXT(name, "what it is called; default: the file's name"),
    FILE_TEXT(description, "one line about it"),
    PKI_PART("model",
             "the robot: a name, a path or a mapping, as in a scenario; its pose is the first guess"),
    {SETTING("gravity", gravity), PK_FIELD_VEC3, "m/s^2", 0, -1000, 1000, NULL,
     "of the world; default: [0, 0, -9.81]"},
    PKI_PART("feet", "links that may touch the ground: a list"),
    PKI_PART("gait", "phases from a pattern of footfalls, instead of `phases`"),
    PKI_PART("phases", "which feet stand, in the order of time: a list"),
    {SETTING("closure", closure), PK_FIELD_ENUM, "", PKI_MOTION_CYCLE, 0, PKI_MOTION_HALF, closure_words,
     "what the end of the phases is: a state of its own, the start of the next cycle, or its mirror image; "
     "default: cycle, with `gait` half where the pattern is symmetric"},
    {SETTING("scheme", scheme), PK_FIELD_ENUM, "", PKI_MOTION_HERMITE_SIMPSON, 0, PKI_MOTION_HERMITE_SIMPSON,
     scheme_words, "how controls go between the points of the grid"},
    {SETTING("speed", speed), PK_FIELD_REAL, "m/s", 0, -100, 100, NULL, "along x, on average; default: free"},
    PKI_PART("stride", "m along x in a whole cycle: a number or [least, most]; default: free"),
    PKI_PART("period", "s of a whole cycle: a number or [least, most]; default: free"),
    PKI_PART("limits", "of joints, instead of those of the model: a list"),
    PKI_PART("lock",
             "joints that keep their pose: names or patterns; x, y, z, roll, pitch, yaw of the trunk"),
    {SETTING("planar", planar), PK_FIELD_BOOL, "", false, 0, 1, NULL,
     "motion in x and z alone: what leaves that plane is locked"},
    PKI_PART("actuators",
             "damping, friction, armature and mass of drives, instead of those of the model: a list, "
             "as in a scenario"),
    PKI_PART("motors", "what drives the joints: a list"),
    {SETTING("motor_lines", motor_lines), PK_FIELD_BOOL, "", false, 0, 1, NULL,
     "torques stay below the torque-speed lines of the motors"},
    PKI_PART("design", "numbers of the robot that are chosen together with the motion: a list"),
    PKI_PART("ground", "what the feet stand on"),
    {SETTING("clearance", clearance), PK_FIELD_REAL, "m", 0.02, -10, 10, NULL,
     "of a foot in the middle of its swing, at least; below 0 it may pass through the ground"},
    {SETTING("least_force", least_force), PK_FIELD_REAL, "", 0, 0, 1, NULL,
     "share of the weight that every standing foot carries at least"},
    PKI_PART("gaps", "parts of the robot that keep away from the ground and from each other: a list"),
    PKI_PART("stability", "what S_H is measured by, and its bound"),
    PKI_PART("objective", "the weights of what is minimised; default: torque alone"),
    PKI_PART("start", "the state at the start of a motion that closes `once`"),
    PKI_PART("end", "the state at its end"),
    PKI_PART("solver", "when the solver of nonlinear programs ends"),
    PKI_PART("grid", "how the grid is refined"),
};
const int pki_gait_field_count = PKI_COUNT(pki_gait_fields);

#define GROUND(member) #member, offsetof(pki_gait_settings, member)
const pk_field pki_gait_ground_fields[] = {
    {GROUND(friction), PK_FIELD_REAL, "", 0.7, 0, 100, NULL, "Coulomb's coefficient"},
    {GROUND(friction_share), PK_FIELD_REAL, "", 1, 0.01, 1, NULL,
     "share of the friction cone that the motion uses; the rest is for the controller that follows it"},
    {GROUND(spin_friction), PK_FIELD_REAL, "m", 0.02, 0, 10, NULL,
     "largest moment about the normal of a sole for each N of its force"},
    {GROUND(slope), PK_FIELD_REAL, "rad", 0, -1.5, 1.5, NULL, "the ground rises along x by its tangent"},
};
const int pki_gait_ground_field_count = PKI_COUNT(pki_gait_ground_fields);

const pk_field pki_gait_stability_fields[] = {
    {GROUND(tip_speed), PK_FIELD_REAL, "m/s", 2, 0, 100, NULL, "speed of the mass from which H_max follows"},
    {GROUND(tip), PK_FIELD_ENUM, "", 0, 0, 1, tip_words,
     "direction of that speed: level, or at right angles to the arm from the edge to the mass"},
    {"least", offsetof(pki_gait_settings, least_stability), PK_FIELD_REAL, "kg m^2/s", 0, -1e6, 1e6, NULL,
     "bound below S_H during the whole motion; default: none"},
};
const int pki_gait_stability_field_count = PKI_COUNT(pki_gait_stability_fields);

#define WEIGHT(member, doc) \
  { \
#member, offsetof(pki_motion_objective, member), PK_FIELD_REAL, "", 0, 0, 1e12, NULL, doc \
  }
const pk_field pki_gait_objective_fields[] = {
    WEIGHT(torque, "of the integral of the sum of squared torques, 1/(N^2 m^2 s)"),
    WEIGHT(joule, "of J_e1, the Joule heat of the motors for each metre, m/J"),
    WEIGHT(work, "of J_e2, the work |torque times speed| for each unit of weight and metre"),
    WEIGHT(time, "of the time of the motion, 1/s"),
    WEIGHT(polygon,
           "of J_s1, the integral of the squared distance of the mass from where the forces act, 1/(m^2 s)"),
    WEIGHT(stability, "of J_s2, the negative of the least S_H, s/(kg m^2)"),
    WEIGHT(acceleration, "of the integral of the sum of squared accelerations of the joints, s^3/rad^2"),
};
const int pki_gait_objective_field_count = PKI_COUNT(pki_gait_objective_fields);

const pk_field pki_gait_solver_fields[] = {
    {GROUND(tolerance), PK_FIELD_REAL, "", 1e-6, 1e-12, 1e-1, NULL,
     "of the conditions of optimality, scaled"},
    {GROUND(iterations), PK_FIELD_INT, "", 500, 1, 1e6, NULL, "of each problem of the ladder, at most"},
    {GROUND(plane_first), PK_FIELD_BOOL, "", false, 0, 1, NULL,
     "a gait in space begins with the same gait in the plane"},
};
const int pki_gait_solver_field_count = PKI_COUNT(pki_gait_solver_fields);

const pk_field pki_gait_grid_fields[] = {
    {"tolerance", offsetof(pki_gait_settings, grid_tolerance), PK_FIELD_REAL, "", 1e-3, 1e-12, 1e3, NULL,
     "largest relative error of an interval; default: the grid stays as it is"},
    {"rounds", offsetof(pki_gait_settings, grid_rounds), PK_FIELD_INT, "", 3, 0, 20, NULL,
     "refinements, at most"},
    {"most", offsetof(pki_gait_settings, most_intervals), PK_FIELD_INT, "", 400, 1, 10000, NULL,
     "intervals in all"},
};
const int pki_gait_grid_field_count = PKI_COUNT(pki_gait_grid_fields);

const pk_field pki_gait_pattern_fields[] = {
    {GROUND(pattern), PK_FIELD_ROW, "", -1, 0, 0, pki_gaits, "order of the footfalls"},
    {GROUND(duty), PK_FIELD_REAL, "", 0.5, 0.05, 0.99, NULL,
     "part of the cycle that a foot stands; default: that of the pattern"},
    {GROUND(lag), PK_FIELD_REAL, "", 0, -0.5, 1, NULL,
     "part of the cycle by which a fore foot follows the hind foot of its side; default: that of the "
     "pattern"},
    {GROUND(slack), PK_FIELD_REAL, "", 0, 0, 0.95, NULL,
     "part by which each phase may be shorter or longer than the pattern has it"},
    {GROUND(intervals), PK_FIELD_INT, "", 20, 1, 2000, NULL, "of all phases together"},
    {GROUND(landing), PK_FIELD_ENUM, "", 0, 0, 1, landing_words, "how feet touch down"},
};
const int pki_gait_pattern_field_count = PKI_COUNT(pki_gait_pattern_fields);

const pk_field pki_gait_foot_fields[] = {
    PKI_TEXT("link", pki_gait_foot, link, 1, "the link that touches the ground"),
    {"ankle", offsetof(pki_gait_foot, ankle), PK_FIELD_REAL, "N m", 0, 0, LARGE, NULL,
     "largest torque of an ankle about y on a foot without mass that stays on the ground, 0: there is none"},
    {"radius", offsetof(pki_gait_foot, radius), PK_FIELD_REAL, "m", 0, 0, 10, NULL,
     "of the ball on which it rolls, 0: a point; default: that of its shape"},
};
const int pki_gait_foot_field_count = PKI_COUNT(pki_gait_foot_fields);

#define PHASE(member) #member, offsetof(pki_gait_phase, member)
const pk_field pki_gait_phase_fields[] = {
    PKI_TEXT("name", pki_gait_phase, name, 0, "for messages and reports; default: the feet that stand"),
    PKI_PART("stance", "the feet that stand: a list; an empty one is flight"),
    {PHASE(intervals), PK_FIELD_INT, "", 10, 1, 2000, NULL, "of the first grid"},
    PKI_PART("duration", "s: a number or [least, most]"),
    {PHASE(guess), PK_FIELD_REAL, "s", 0, 0, 1e3, NULL, "of the duration; default: the middle of its range"},
    {PHASE(ends), PK_FIELD_ENUM, "", 0, 0, 1, end_words,
     "after its duration, or when the mass crosses the edge between its two feet"},
    {PHASE(landing), PK_FIELD_ENUM, "", 0, 0, 1, landing_words,
     "how feet touch down at its start: with an impact, or without speed"},
};
const int pki_gait_phase_field_count = PKI_COUNT(pki_gait_phase_fields);

#define LIMIT(member) #member, offsetof(pki_gait_limit, member)
const pk_field pki_gait_limit_fields[] = {
    PKI_TEXT("joints", pki_gait_limit, joints, 1, "a joint, or a pattern with *"),
    {LIMIT(torque), PK_FIELD_REAL, "N m", 0, 0, LARGE, NULL, "largest; default: the model's effort"},
    {LIMIT(speed), PK_FIELD_REAL, "rad/s", 0, 0, LARGE, NULL, "largest; default: the model's velocity"},
    {LIMIT(rate), PK_FIELD_REAL, "N m/s", 0, 0, LARGE, NULL, "largest, of the torque; default: none"},
    {LIMIT(lower), PK_FIELD_REAL, "rad", 0, -LARGE, LARGE, NULL, "least position; default: the model's"},
    {LIMIT(upper), PK_FIELD_REAL, "rad", 0, -LARGE, LARGE, NULL, "largest position; default: the model's"},
    {LIMIT(margin), PK_FIELD_REAL, "rad", 0, 0, LARGE, NULL, "that is kept from both ends of the range"},
};
const int pki_gait_limit_field_count = PKI_COUNT(pki_gait_limit_fields);

#define MOTOR(member) #member, offsetof(pki_gait_motor, member)
const pk_field pki_gait_motor_fields[] = {
    PKI_TEXT("joints", pki_gait_motor, joints, 1, "a joint, or a pattern with *"),
    PKI_TEXT("motor", pki_gait_motor, motor, 1, "of the catalogue, or a path from the file's folder"),
    {MOTOR(gear), PK_FIELD_REAL, "", 0, 0, 1e6, NULL,
     "turns of the rotor for one of the joint; default: the motor's"},
    {MOTOR(voltage), PK_FIELD_REAL, "V", 0, 0, 1e5, NULL, "largest; default: the motor's"},
    {MOTOR(efficiency), PK_FIELD_REAL, "", 0, 0, 1, NULL, "of the gear; default: the motor's"},
};
const int pki_gait_motor_field_count = PKI_COUNT(pki_gait_motor_fields);

#define GAP(member) #member, offsetof(pki_gait_gap, member)
const pk_field pki_gait_gap_fields[] = {
    PKI_TEXT("link", pki_gait_gap, link, 1, "the link with the ball"),
    {GAP(at), PK_FIELD_VEC3, "m", 0, -100, 100, NULL, "its centre in the link"},
    PKI_TEXT("from", pki_gait_gap, from, 0, "the link with another ball; default: the ground"),
    {GAP(from_at), PK_FIELD_VEC3, "m", 0, -100, 100, NULL, "the centre of that"},
    {GAP(least), PK_FIELD_REAL, "m", 0, 0, 100, NULL, "height of the centre, or distance of both"},
};
const int pki_gait_gap_field_count = PKI_COUNT(pki_gait_gap_fields);

#define DESIGN(member) #member, offsetof(pki_gait_design, member)
const pk_field pki_gait_design_fields[] = {
    {DESIGN(what), PK_FIELD_ENUM, "", 0, 0, PKI_DESIGN_KINDS - 1, pki_design_words,
     "what is chosen; it has to be given"},
    PKI_PART("joints", "that have it, all with one value: a joint, a pattern with *, or a list of such"),
    PKI_PART("links", "the same of a length: a link, a pattern with *, or a list of such"),
    PKI_PART("opposite", "those of them whose rest angle counts with the opposite sign; likewise"),
    {DESIGN(mass), PK_FIELD_ENUM, "", 0, 0, 1, mass_words,
     "of links whose length is chosen: grows with it, or stays what it is"},
    {DESIGN(lower), PK_FIELD_REAL, "", 0, -1e6, 1e9, NULL, "least value; it has to be given"},
    {DESIGN(upper), PK_FIELD_REAL, "", 0, -1e6, 1e9, NULL, "largest value; it has to be given"},
    {DESIGN(start), PK_FIELD_REAL, "", 0, -1e6, 1e9, NULL,
     "the first guess; default: the middle of the range"},
    {DESIGN(scan), PK_FIELD_REAL, "", 0.1, 0, 0.9, NULL,
     "share of the value found (of a rest angle, rad) by which it is changed to see how flat the optimum is, "
     "0: not"},
    PKI_TEXT("name", pki_gait_design, name, 0, "for messages and reports; default: the joints"),
};
const int pki_gait_design_field_count = PKI_COUNT(pki_gait_design_fields);

#define END(member) #member, offsetof(pki_gait_end, member)
#define STATE_FIELDS \
  {END(rest), PK_FIELD_BOOL, "", false, 0, 1, NULL, "no coordinate has a speed"}, \
      {END(pose), PK_FIELD_BOOL, "", false, 0, 1, NULL, "joints are where the model's pose has them"}, \
      PKI_PART("joints", "positions of joints, and z, roll, pitch, yaw of the trunk, by name"), \
      PKI_PART("velocities", "of joints, and x, y, z, roll, pitch, yaw of the trunk, by name")
const pk_field pki_gait_start_fields[] = {STATE_FIELDS};
const int pki_gait_start_field_count = PKI_COUNT(pki_gait_start_fields);

const pk_field pki_gait_end_fields[] = {
    STATE_FIELDS,
    PKI_PART("travel", "m along x and y from the start: a list of two"),
    {END(turn), PK_FIELD_REAL, "rad", 0, -100, 100, NULL, "of the trunk about z; default: free"},
};
const int pki_gait_end_field_count = PKI_COUNT(pki_gait_end_fields);

bool pki_gait_table(int index, pki_schema_table *out)
{
  static const pki_schema_table tables[] = {
      {"motion", "the whole file", pki_gait_fields, &pki_gait_field_count},
      {"gait", "`gait`", pki_gait_pattern_fields, &pki_gait_pattern_field_count},
      {"foot", "an entry of `feet` that is a mapping", pki_gait_foot_fields, &pki_gait_foot_field_count},
      {"phase", "each entry of `phases`", pki_gait_phase_fields, &pki_gait_phase_field_count},
      {"limit", "each entry of `limits`", pki_gait_limit_fields, &pki_gait_limit_field_count},
      {"motor", "each entry of `motors`", pki_gait_motor_fields, &pki_gait_motor_field_count},
      {"gap", "each entry of `gaps`", pki_gait_gap_fields, &pki_gait_gap_field_count},
      {"design", "each entry of `design`", pki_gait_design_fields, &pki_gait_design_field_count},
      {"ground", "`ground`", pki_gait_ground_fields, &pki_gait_ground_field_count},
      {"stability", "`stability`", pki_gait_stability_fields, &pki_gait_stability_field_count},
      {"objective", "`objective`", pki_gait_objective_fields, &pki_gait_objective_field_count},
      {"start", "`start`", pki_gait_start_fields, &pki_gait_start_field_count},
      {"end", "`end`", pki_gait_end_fields, &pki_gait_end_field_count},
      {"solver", "`solver`", pki_gait_solver_fields, &pki_gait_solver_field_count},
      {"grid", "`grid`", pki_gait_grid_fields, &pki_gait_grid_field_count},
  };
  const bool good = index >= 0 && index < PKI_COUNT(tables);
  *out = tables[good ? index : 0];
  return good;
}
