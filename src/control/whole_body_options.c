/* Options of whole-body control. */
#include <math.h>

#include "control/task_fields.h"
#include "control/whole_body.h"

static const char *const stance_words[] = {"contact", "all"};

#define MOVE(name) #name, offsetof(pk_whole_body_move, name)
static const pk_field move_fields[] = {
    {MOVE(at), PK_FIELD_REAL, "s", -1, 0, 1e9, NULL, "when it begins"},
    {MOVE(time), PK_FIELD_REAL, "s", 1, 1e-3, 1e9, NULL, "how long it takes"},
    {MOVE(forward), PK_FIELD_REAL, "m", 0, -10, 10, NULL,
     "of the mass from the middle of the feet, along the heading"},
    {MOVE(left), PK_FIELD_REAL, "m", 0, -10, 10, NULL,
     "of the mass from the middle of the feet, to the left"},
    {MOVE(up), PK_FIELD_REAL, "m", 0, -10, 10, NULL, "of the mass from its first height"},
    {MOVE(roll), PK_FIELD_REAL, "rad", 0, -3, 3, NULL, "of the trunk from its first attitude, about its x"},
    {MOVE(pitch), PK_FIELD_REAL, "rad", 0, -1.5, 1.5, NULL, "likewise, about its y"},
    {MOVE(yaw), PK_FIELD_REAL, "rad", 0, -3, 3, NULL, "likewise, about its z"},
    {MOVE(lift), PK_FIELD_TEXT, "", 0, 0, sizeof((pk_whole_body_move *)0)->lift - 1, NULL,
     "names of the feet that are off the ground from then on, separated by spaces"},
};
static const int move_field_count = sizeof move_fields / sizeof move_fields[0];

#define WHOLE(name) #name, offsetof(pk_whole_body_options, name)
#define WEIGHT(name, task, preset, doc) PKI_TASK_WEIGHT(pk_whole_body_options, name, task, preset, doc)
#define LEVEL(name, task) PKI_TASK_LEVEL(pk_whole_body_options, name, task)
#define KP(name, task, preset) PKI_TASK_KP(pk_whole_body_options, name, task, preset)
#define KD(name, task, preset) PKI_TASK_KD(pk_whole_body_options, name, task, preset)

const pk_field pki_whole_body_fields[] = {
    {WHOLE(period), PK_FIELD_REAL, "s", 2.5e-3, 0, 0.1, NULL,
     "time between updates, whole steps; 0: each step"},
    {WHOLE(feet), PK_FIELD_PART, "", 1, 1, PK_WHOLE_BODY_FEET, NULL,
     "links that can stand; default: LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT, where there are these"},
    {WHOLE(stance), PK_FIELD_ENUM, "", PK_WHOLE_BODY_STANCE_CONTACT, 0, PK_WHOLE_BODY_STANCE_COUNT - 1,
     stance_words, "which feet stand: those that touch something, or all that are not lifted"},
    {WHOLE(friction), PK_FIELD_REAL, "", 0.6, 0, 10, NULL, "contact forces stay within this friction cone"},
    {WHOLE(load), PK_FIELD_REAL, "N", INFINITY, 0, INFINITY, NULL,
     "largest normal force at each point of contact"},
    WEIGHT(stance, STANCE, 100, "feet that stand keep still"),
    KD(stance, STANCE, 20),
    LEVEL(stance, STANCE),
    WEIGHT(swing, SWING, 1, "lifted feet stay over where they stood"),
    KP(swing, SWING, 400),
    KD(swing, SWING, 40),
    LEVEL(swing, SWING),
    WEIGHT(mass, MASS, 10, "the centre of mass follows its reference"),
    KP(mass, MASS, 60),
    KD(mass, MASS, 14),
    LEVEL(mass, MASS),
    WEIGHT(momentum, MOMENTUM, 0.01, "angular momentum about the mass dies out"),
    KD(momentum, MOMENTUM, 5),
    LEVEL(momentum, MOMENTUM),
    WEIGHT(trunk, TRUNK, 1, "attitude of the trunk"),
    KP(trunk, TRUNK, 100),
    KD(trunk, TRUNK, 20),
    LEVEL(trunk, TRUNK),
    WEIGHT(place, PLACE, 0, "the trunk stays where it was at the start"),
    KP(place, PLACE, 60),
    KD(place, PLACE, 14),
    LEVEL(place, PLACE),
    WEIGHT(posture, POSTURE, 0.1, "joints stay at their angles of the start"),
    KP(posture, POSTURE, 60),
    KD(posture, POSTURE, 14),
    LEVEL(posture, POSTURE),
    {WHOLE(legs), PK_FIELD_REAL, "", 0.01, 0, 1e6, NULL,
     "posture weight of joints between trunk and feet, as part of that of others"},
    {WHOLE(effort_weight), PK_FIELD_REAL, "", 1e-5, 1e-12, 1e6, NULL,
     "weight of torques over mass times height"},
    {WHOLE(force_weight), PK_FIELD_REAL, "", 1e-4, 1e-12, 1e6, NULL, "weight of contact forces over mass"},
    {WHOLE(damping), PK_FIELD_REAL, "N m s/rad", -1, -1, 1e6, NULL,
     "of commands about the wanted rates; below 0: by mass and height"},
    {WHOLE(balance), PK_FIELD_REAL, "1/s", 0, 0, 100, NULL,
     "how fast the balance on two points comes back; 0: sqrt(g/h)"},
    {WHOLE(lift), PK_FIELD_REAL, "m", 0.05, 0, 1, NULL, "of lifted feet over where they stood"},
    {WHOLE(sway), PK_FIELD_REAL, "m", 0, 0, 1, NULL, "the mass goes from side to side, this far"},
    {WHOLE(squat), PK_FIELD_REAL, "m", 0, 0, 1, NULL, "the mass goes down and up, this deep"},
    {WHOLE(cycle), PK_FIELD_REAL, "s", 3, 0.1, 1e6, NULL, "time of a cycle of sway and squat"},
    {WHOLE(start), PK_FIELD_REAL, "s", 0.5, 0, 1e9, NULL, "when sway and squat begin"},
    {WHOLE(file), PK_FIELD_TEXT, "", 0, 0, sizeof((pk_whole_body_options *)0)->file - 1, NULL,
     "a table of joint references that the posture follows"},
    {WHOLE(loop), PK_FIELD_REAL, "s", -1, -1, 1e9, NULL,
     "time of the line that the table goes back to after its last one; below 0: it stays there"},
    {WHOLE(ramp), PK_FIELD_REAL, "s", 0, 0, 1e9, NULL,
     "time in which the posture goes over from that of the start"},
    {WHOLE(moves), PK_FIELD_PART, "", 0, 0, PK_WHOLE_BODY_MOVES, NULL,
     "where mass and trunk go: a list of entries with at, time, forward, left, up, roll, pitch, yaw, lift"},
};
_Static_assert(sizeof pki_whole_body_fields / sizeof pki_whole_body_fields[0] == PKI_WHOLE_BODY_FIELDS,
               "a row for each field");

const pki_controller_list pki_whole_body_moves = {"moves",
                                                  move_fields,
                                                  &move_field_count,
                                                  sizeof(pk_whole_body_move),
                                                  offsetof(pk_whole_body_options, moves),
                                                  offsetof(pk_whole_body_options, move_count),
                                                  PK_WHOLE_BODY_MOVES};

pk_whole_body_options pk_whole_body_options_default(void)
{
  pk_whole_body_options options;
  pki_fields_default(pki_whole_body_fields, PKI_WHOLE_BODY_FIELDS, &options, sizeof options);
  return options;
}

pk_status pki_whole_body_validate(const pk_whole_body_options *o, pk_error *err)
{
  pk_status status = pki_fields_validate(pki_whole_body_fields, PKI_WHOLE_BODY_FIELDS, o, err);
  const pki_where where = {.field = "moves"};
  if (status == PK_OK && (o->move_count < 0 || o->move_count > PK_WHOLE_BODY_MOVES)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "there are %d moves, expected at most %d", o->move_count,
                    PK_WHOLE_BODY_MOVES);
  }
  for (int i = 0; status == PK_OK && i < o->move_count; i++) {
    const pk_whole_body_move *move = &o->moves[i];
    status = pki_fields_validate(move_fields, move_field_count, move, err);
    if (status == PK_OK && i > 0 && move->at < move[-1].at + move[-1].time) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where,
                      "the move at %g s begins before the one at %g s has ended, expected %g s or later",
                      move->at, move[-1].at, move[-1].at + move[-1].time);
    }
  }
  return status;
}
