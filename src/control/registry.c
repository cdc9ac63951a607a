#include "control/registry.h"

#include <math.h>
#include <stdlib.h>

static pk_status create_hold(const pk_model *model, const void *options, pk_controller **out, pk_error *err)
{
  return pk_hold_create(model, options, out, err);
}

static pk_status create_track(const pk_model *model, const void *options, pk_controller **out, pk_error *err)
{
  return pk_track_create(model, options, out, err);
}

static pk_status create_locomotion(const pk_model *model, const void *options, pk_controller **out,
                                   pk_error *err)
{
  return pk_locomotion_create(model, options, out, err);
}

static const char *const gait_words[] = {"stand", "trot",   "crawl",  "walk",  "pace", "amble",
                                         "bound", "canter", "gallop", "pronk", "jump"};
_Static_assert(sizeof gait_words / sizeof gait_words[0] == PK_GAIT_COUNT, "words");
static const char *const attitude_words[] = {"level", "slope"};

#define HOLD(name) #name, offsetof(pk_hold_options, name)
const pk_field pki_hold_fields[] = {
    {HOLD(period), PK_FIELD_REAL, "s", 0, 0, 1, NULL, "time between updates, whole steps; 0: each step"},
    {HOLD(kp), PK_FIELD_REAL, "N m/rad", 100, 0, 1e9, NULL, "stiffness"},
    {HOLD(kd), PK_FIELD_REAL, "N m s/rad", 2, 0, 1e9, NULL, "damping"},
    {HOLD(tau_max), PK_FIELD_REAL, "N m", INFINITY, 0, INFINITY, NULL,
     "largest torque, beside the model's effort limits; 0: none"},
};
enum { HOLD_FIELDS = sizeof pki_hold_fields / sizeof pki_hold_fields[0] };
const int pki_hold_field_count = HOLD_FIELDS;

#define TRACK(name) #name, offsetof(pk_track_options, name)
const pk_field pki_track_fields[] = {
    {TRACK(period), PK_FIELD_REAL, "s", 0, 0, 1, NULL, "time between updates, whole steps; 0: each step"},
    {TRACK(file), PK_FIELD_TEXT, "", 0, 0, sizeof((pk_track_options *)0)->file - 1, NULL,
     "a table of joint references; default: the pose at the first update"},
    {TRACK(loop), PK_FIELD_REAL, "s", -1, -1, 1e9, NULL,
     "time of the line that the table goes back to after its last one; below 0: it stays there"},
    {TRACK(kp), PK_FIELD_REAL, "N m/rad", 100, 0, 1e9, NULL, "stiffness, where the table has none"},
    {TRACK(kd), PK_FIELD_REAL, "N m s/rad", 2, 0, 1e9, NULL, "damping, where the table has none"},
    {TRACK(ki), PK_FIELD_REAL, "N m/(rad s)", 0, 0, 1e9, NULL, "of the integral, where the table has none"},
    {TRACK(tau_max), PK_FIELD_REAL, "N m", INFINITY, 0, INFINITY, NULL,
     "largest torque, beside the model's effort limits, where the table has none; 0: none"},
};
enum { TRACK_FIELDS = sizeof pki_track_fields / sizeof pki_track_fields[0] };
const int pki_track_field_count = TRACK_FIELDS;

#define CHANGE(name) #name, offsetof(pk_gait_change, name)
const pk_field pki_gait_change_fields[] = {
    {CHANGE(at), PK_FIELD_REAL, "s", -1, 0, 1e9, NULL, "from when on"},
    {CHANGE(gait), PK_FIELD_ENUM, "", PK_GAIT_STAND, 0, PK_GAIT_COUNT - 1, gait_words, "what the feet do"},
    {CHANGE(forward), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed of the trunk, along its x"},
    {CHANGE(sideways), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed of the trunk, to the left"},
    {CHANGE(turn), PK_FIELD_REAL, "rad/s", 0, -3, 3, NULL, "wanted yaw rate, to the left"},
};
const int pki_gait_change_field_count = sizeof pki_gait_change_fields / sizeof pki_gait_change_fields[0];

#define WALK(name) #name, offsetof(pk_locomotion_options, name)
const pk_field pki_locomotion_fields[] = {
    {WALK(period), PK_FIELD_REAL, "s", 2.5e-3, 0, 0.02, NULL,
     "time between updates, whole steps; 0: each step"},
    {WALK(feet), PK_FIELD_PART, "", 0, 0, 4, NULL,
     "four links: left fore, right fore, left hind, right hind; default: LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT"},
    {WALK(gait), PK_FIELD_ENUM, "", PK_GAIT_STAND, 0, PK_GAIT_COUNT - 1, gait_words, "what the feet do"},
    {WALK(forward), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed of the trunk, along its x"},
    {WALK(sideways), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed of the trunk, to the left"},
    {WALK(turn), PK_FIELD_REAL, "rad/s", 0, -3, 3, NULL, "wanted yaw rate, to the left"},
    {WALK(start), PK_FIELD_REAL, "s", 0.5, 0, 1e9, NULL, "when it starts"},
    {WALK(stop), PK_FIELD_REAL, "s", 1e9, 0, 1e9, NULL, "when it ends: it trots on the spot and stands"},
    {"gaits", offsetof(pk_locomotion_options, changes), PK_FIELD_PART, "", 0, 0, PK_GAIT_CHANGES, NULL,
     "changes of the gait: a list of entries with at, gait, forward, sideways, turn"},
    {WALK(jump), PK_FIELD_REAL, "m", 0.15, 0, 10, NULL, "top of a jump: the trunk over where it stands"},
    {WALK(cycle), PK_FIELD_REAL, "s", 0, 0, 10, NULL, "time of one gait cycle; 0: the gait's own"},
    {WALK(duty), PK_FIELD_REAL, "", 0, 0, 0.95, NULL,
     "part of the cycle that a foot is planned to be on the ground; 0: the gait's own"},
    {WALK(acceleration), PK_FIELD_REAL, "m/s^2", 0.5, 1e-3, 1e3, NULL,
     "how fast the wanted speed may change"},
    {WALK(attitude), PK_FIELD_ENUM, "", PK_LOCOMOTION_ATTITUDE_SLOPE, 0, PK_LOCOMOTION_ATTITUDE_COUNT - 1,
     attitude_words, "what the trunk aligns with"},
    {WALK(height), PK_FIELD_REAL, "m", 0, 0, 10, NULL,
     "of the trunk's origin above the feet's points; 0: legs bent to 0.785 of their length"},
    {WALK(lift), PK_FIELD_REAL, "m", 0, 0, 1, NULL, "of a swinging foot; 0: the gait's own"},
    {WALK(friction), PK_FIELD_REAL, "", 0.6, 0.01, 10, NULL, "stance forces stay within this friction cone"},
};
enum { LOCOMOTION_FIELDS = sizeof pki_locomotion_fields / sizeof pki_locomotion_fields[0] };
const int pki_locomotion_field_count = LOCOMOTION_FIELDS;

static const pki_controller_list changes = {"gaits",
                                            pki_gait_change_fields,
                                            &pki_gait_change_field_count,
                                            sizeof(pk_gait_change),
                                            offsetof(pk_locomotion_options, changes),
                                            offsetof(pk_locomotion_options, change_count),
                                            PK_GAIT_CHANGES};

const pki_controller_row pki_controllers[] = {
    {"hold", "PD to the pose at the first update", pki_hold_fields, HOLD_FIELDS, sizeof(pk_hold_options),
     create_hold, NULL},
    {"track", "PID along a table of joint references", pki_track_fields, TRACK_FIELDS,
     sizeof(pk_track_options), create_track, NULL},
    {"locomotion",
     "a quadruped stands, walks in nine gaits, jumps: forces by prediction, footholds by velocity feedback",
     pki_locomotion_fields, LOCOMOTION_FIELDS, sizeof(pk_locomotion_options), create_locomotion, &changes},
};
const int pki_controller_count = sizeof pki_controllers / sizeof pki_controllers[0];

void pki_controller_destroy(pk_controller *controller)
{
  free(controller);
}
