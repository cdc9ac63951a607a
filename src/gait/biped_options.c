/* Options of walking bipeds. */
#include <math.h>
#include <string.h>

#include "control/task_fields.h"
#include "gait/biped.h"

const double pki_biped_turn = 0.6;

#define CHANGE(name) #name, offsetof(pk_biped_change, name)
static const pk_field change_fields[] = {
    {CHANGE(at), PK_FIELD_REAL, "s", -1, 0, 1e9, NULL, "from when on"},
    {CHANGE(forward), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed, forward"},
    {CHANGE(sideways), PK_FIELD_REAL, "m/s", 0, -1, 1, NULL, "wanted speed, to the left"},
    {CHANGE(turn), PK_FIELD_REAL, "rad/s", 0, -3, 3, NULL,
     "wanted yaw rate, to the left; a step turns by 0.6 rad at most"},
};
static const int change_field_count = sizeof change_fields / sizeof change_fields[0];

#define BIPED(name) #name, offsetof(pk_biped_options, name)
#define WEIGHT(name, task, preset, doc) PKI_TASK_WEIGHT(pk_biped_options, name, task, preset, doc)
#define KP(name, task, preset) PKI_TASK_KP(pk_biped_options, name, task, preset)
#define KD(name, task, preset) PKI_TASK_KD(pk_biped_options, name, task, preset)

const pk_field pki_biped_fields[] = {
    {BIPED(period), PK_FIELD_REAL, "s", 2e-3, 0, 0.02, NULL,
     "time between updates, whole steps; 0: each step"},
    {BIPED(feet), PK_FIELD_PART, "", 0, 0, 2, NULL, "two links: the left foot, the right foot"},
    {BIPED(arms), PK_FIELD_PART, "", 0, 0, 2, NULL,
     "two joints that swing the left and the right arm; default: none"},
    {BIPED(forward), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed, forward"},
    {BIPED(sideways), PK_FIELD_REAL, "m/s", 0, -1, 1, NULL, "wanted speed, to the left"},
    {BIPED(turn), PK_FIELD_REAL, "rad/s", 0, -3, 3, NULL,
     "wanted yaw rate, to the left; a step turns by 0.6 rad at most"},
    {BIPED(start), PK_FIELD_REAL, "s", 0.5, 0, 1e9, NULL, "when it starts; it stands before"},
    {BIPED(stop), PK_FIELD_REAL, "s", 1e9, 0, 1e9, NULL,
     "when it stops: it puts its feet together and stands"},
    {"speeds", offsetof(pk_biped_options, changes), PK_FIELD_PART, "", 0, 0, PK_BIPED_CHANGES, NULL,
     "changes of the wanted speed: a list of entries with at, forward, sideways, turn"},
    {BIPED(acceleration), PK_FIELD_REAL, "m/s^2", 0.3, 1e-3, 1e3, NULL,
     "how fast the wanted speed may change"},
    {BIPED(swing), PK_FIELD_REAL, "s", 0.5, 0.05, 10, NULL, "time in which a foot swings"},
    {BIPED(support), PK_FIELD_REAL, "s", 0.2, 0.01, 10, NULL, "time on both feet between two swings"},
    {BIPED(shift), PK_FIELD_REAL, "s", 0.8, 0.01, 10, NULL,
     "time on both feet before the first swing and after the last one"},
    {BIPED(width), PK_FIELD_REAL, "m", 0, 0, 2, NULL, "between the feet; 0: as they stand at the start"},
    {BIPED(lift), PK_FIELD_REAL, "m", 0.03, 0, 1, NULL, "of a swinging foot"},
    {BIPED(height), PK_FIELD_REAL, "m", 0, 0, 10, NULL,
     "of the centre of mass over the soles; 0: as at the start"},
    {BIPED(descent), PK_FIELD_REAL, "m/s", 0.1, 0, 10, NULL,
     "of a foot that finds no ground where it should land"},
    {BIPED(touch), PK_FIELD_REAL, "", 0.05, 0, 1, NULL, "part of the weight on a foot that has landed"},
    {BIPED(lean), PK_FIELD_REAL, "rad", 0, -1, 1, NULL, "of the trunk, forward"},
    {BIPED(arm_swing), PK_FIELD_REAL, "rad", 0.5, -10, 10, NULL,
     "of an arm, for each height by which the foot of its side is behind the other one"},
    {BIPED(pressure_forward), PK_FIELD_REAL, "m", 0, -1, 1, NULL,
     "of the planned pressure from the middle of a sole"},
    {BIPED(pressure_inward), PK_FIELD_REAL, "m", 0.005, -1, 1, NULL, "likewise, towards the other foot"},
    {BIPED(margin), PK_FIELD_REAL, "m", 0.012, 0, 1, NULL, "the pressure stays this far within the soles"},
    {BIPED(hips), PK_FIELD_REAL, "m", 0.03, 0, 1, NULL,
     "the pressure that is asked for goes this far beyond them: turns of trunk and arms make up for it"},
    {BIPED(gain), PK_FIELD_REAL, "1/s", 4, 0, 1000, NULL,
     "errors of the divergent component vanish at this rate"},
    {BIPED(integral), PK_FIELD_REAL, "1/s", 0, 0, 1000, NULL, "gain of their integral"},
    {BIPED(integral_limit), PK_FIELD_REAL, "m", 0.02, 0, 1, NULL, "most of the integral's part"},
    {BIPED(adjust), PK_FIELD_BOOL, "", 1, 0, 1, NULL, "steps move when the robot is pushed"},
    {BIPED(reach), PK_FIELD_REAL, "m", 0.3, 0, 5, NULL, "most of a step ahead and behind"},
    {BIPED(narrow), PK_FIELD_REAL, "m", 0.11, 0, 5, NULL, "least distance of the feet to the side"},
    {BIPED(wide), PK_FIELD_REAL, "m", 0.35, 0, 5, NULL, "most distance of the feet to the side"},
    {BIPED(soonest), PK_FIELD_REAL, "s", 0.35, 0.01, 10, NULL, "shortest swing"},
    {BIPED(latest), PK_FIELD_REAL, "s", 0.9, 0.01, 10, NULL, "longest swing"},
    {BIPED(time_weight), PK_FIELD_REAL, "m^2", 0.01, 1e-9, 1e9, NULL, "of changes of a step's time"},
    {BIPED(offset_weight), PK_FIELD_REAL, "", 100, 0, 1e9, NULL,
     "of what a step leaves of the divergent component's error"},
    {BIPED(friction), PK_FIELD_REAL, "", 0.6, 0, 10, NULL, "contact forces stay within this friction cone"},
    WEIGHT(stance, STANCE, 100, "feet that stand keep still"),
    KD(stance, STANCE, 20),
    WEIGHT(swing, SWING, 10, "the swinging foot follows its path"),
    KP(swing, SWING, 400),
    KD(swing, SWING, 40),
    WEIGHT(mass, MASS, 10, "acceleration and height of the centre of mass"),
    KP(mass, MASS, 60),
    KD(mass, MASS, 14),
    WEIGHT(momentum, MOMENTUM, 0.01, "angular momentum about the mass dies out"),
    KD(momentum, MOMENTUM, 5),
    WEIGHT(trunk, TRUNK, 1, "attitude of the trunk"),
    KP(trunk, TRUNK, 100),
    KD(trunk, TRUNK, 20),
    WEIGHT(posture, POSTURE, 0.1, "joints stay at their angles of the start, arms swing"),
    KP(posture, POSTURE, 60),
    KD(posture, POSTURE, 14),
    {BIPED(legs), PK_FIELD_REAL, "", 0.01, 0, 1e6, NULL,
     "posture weight of joints between trunk and feet, as part of that of others"},
    {BIPED(effort_weight), PK_FIELD_REAL, "", 1e-5, 1e-12, 1e6, NULL,
     "weight of torques over mass times height"},
    {BIPED(force_weight), PK_FIELD_REAL, "", 1e-4, 1e-12, 1e6, NULL, "weight of contact forces over mass"},
    {BIPED(damping), PK_FIELD_REAL, "N m s/rad", -1, -1, 1e6, NULL,
     "of commands about the wanted rates; below 0: by mass and height"},
    {BIPED(drive_damping), PK_FIELD_REAL, "N m s/rad", 0, 0, 1e6, NULL,
     "torque that drives take for each rad/s of their joint, which commands add"},
};
_Static_assert(sizeof pki_biped_fields / sizeof pki_biped_fields[0] == PKI_BIPED_FIELDS,
               "a row for each field");

const pki_controller_list pki_biped_changes = {"speeds",
                                               change_fields,
                                               &change_field_count,
                                               sizeof(pk_biped_change),
                                               offsetof(pk_biped_options, changes),
                                               offsetof(pk_biped_options, change_count),
                                               PK_BIPED_CHANGES};

pk_biped_options pk_biped_options_default(void)
{
  pk_biped_options options;
  pki_fields_default(pki_biped_fields, PKI_BIPED_FIELDS, &options, sizeof options);
  return options;
}

static pk_status validate_turn(const pk_biped_options *o, double turn, pk_error *err)
{
  const double most = pki_biped_turn / (o->swing + o->support);
  return fabs(turn) <= most
             ? PK_OK
             : pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "turn"},
                        "turn is %g rad/s, expected at most %.3g: %g rad in swing and support, %g s", turn,
                        most, pki_biped_turn, o->swing + o->support);
}

static pk_status validate_changes(const pk_biped_options *o, pk_error *err)
{
  const pki_where where = {.field = "speeds"};
  if (o->change_count < 0 || o->change_count > PK_BIPED_CHANGES) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "there are %d changes of the speed, expected at most %d",
                    o->change_count, PK_BIPED_CHANGES);
  }
  pk_status status = PK_OK;
  for (int i = 0; status == PK_OK && i < o->change_count; i++) {
    status = pki_fields_validate(change_fields, change_field_count, &o->changes[i], err);
    status = status == PK_OK ? validate_turn(o, o->changes[i].turn, err) : status;
    if (status == PK_OK && i > 0 && o->changes[i].at < o->changes[i - 1].at) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where,
                      "the change of the speed at %g s comes after one at %g s, expected times that rise",
                      o->changes[i].at, o->changes[i - 1].at);
    }
  }
  return status;
}

pk_status pki_biped_validate(const pk_biped_options *o, pk_error *err)
{
  const pk_status status = pki_fields_validate(pki_biped_fields, PKI_BIPED_FIELDS, o, err);
  if (status != PK_OK) {
    return status;
  }
  if (o->feet[0] == NULL || o->feet[1] == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "feet"},
                    "there are no feet, expected two links: the left foot, the right foot");
  }
  if (o->wide < o->narrow) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "wide"},
                    "wide is %g m, expected narrow, %g, or more", o->wide, o->narrow);
  }
  if (o->soonest > o->swing || o->latest < o->swing) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "swing"},
                    "swing is %g s, expected soonest, %g, to latest, %g", o->swing, o->soonest, o->latest);
  }
  const pk_status turns = validate_turn(o, o->turn, err);
  return turns == PK_OK ? validate_changes(o, err) : turns;
}

pk_whole_body_options pki_biped_whole(const pk_biped_options *o)
{
  pk_whole_body_options whole = pk_whole_body_options_default();
  whole.period = o->period;
  whole.feet[0] = o->feet[0], whole.feet[1] = o->feet[1];
  whole.friction = o->friction;
  memcpy(whole.tasks, o->tasks, sizeof whole.tasks);
  whole.legs = o->legs;
  whole.effort_weight = o->effort_weight, whole.force_weight = o->force_weight;
  whole.damping = o->damping;
  return whole;
}
