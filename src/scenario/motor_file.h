/* The catalogue of motors: one YAML file for each, by name in motors/, or a user's own.
 *
 * A file of the kind `dc` has what "dc" and "sea" actuators are made of (pk_motor_parameters); one of the kind `torque`
 * has the torque-speed envelope of a drive whose motor is not published (pk_torque_parameters). docs/formats/motor.md
 * is the page for users. */
#ifndef PKI_SCENARIO_MOTOR_FILE_H
#define PKI_SCENARIO_MOTOR_FILE_H

#include "base/field.h"
#include "pronk/actuation.h"
#include "scenario/gear_entry.h"
#include "scenario/problems.h"
#include "scenario/scenario.h"

/* What a file describes; the words are names of kinds of actuators. */
typedef enum pki_motor_kind { PKI_MOTOR_KIND_DC, PKI_MOTOR_KIND_TORQUE, PKI_MOTOR_KIND_COUNT } pki_motor_kind;
extern const char *const pki_motor_kind_words[];

/* Where the numbers of a file come from. */
typedef enum pki_motor_data {
  PKI_MOTOR_DATA_SHEET,      /* the maker's sheet, catalogue or manual */
  PKI_MOTOR_DATA_SHEET_COPY, /* such a sheet at second hand */
  PKI_MOTOR_DATA_IDENTIFIED, /* measured on the part by others */
  PKI_MOTOR_DATA_ROBOT_CODE, /* the public code or paper of a robot that has it */
  PKI_MOTOR_DATA_OWN,        /* anything else */
  PKI_MOTOR_DATA_COUNT
} pki_motor_data;
extern const char *const pki_motor_data_words[];

/* What the source says of the line, at the output, to compare with; 0: nothing. */
typedef struct pki_motor_published {
  /* rad/s */
  double no_load_speed;
  /* N m, at standstill without a limit of current, for long, for a short time */
  double stall_torque, continuous_torque, peak_torque;
} pki_motor_published;

enum { PKI_MOTOR_GEARS = 16 }; /* at most, of a file */

typedef struct pki_motor_entry {
  char id[64]; /* as it is called in scenarios: its file's name without .yaml */
  char path[PKI_PATH_MAX];
  char name[96], maker[64], about[160];
  pki_motor_kind kind;
  pki_motor_data data;
  pk_motor_parameters motor;   /* of the kind dc; defaults elsewhere */
  pk_torque_parameters torque; /* of the kind torque; defaults elsewhere */
  /* kg m^2, N m s/rad, N m at the output. Of the kind dc they are those of `motor` behind its gear, which the actuator
   * brings itself; of the kind torque it does not: they belong into the joint. 0: unknown. */
  double armature, damping, friction;
  double continuous_current;       /* A; 0: unknown */
  double bus;                      /* V of the supply that gives the motor its voltage; 0: not known */
  double mass;                     /* kg; 0: unknown */
  double price;                    /* EUR, of one; 0: unknown */
  double speed;                    /* rad/s of the rotor, what its bearings allow; 0: unknown */
  pki_gear gears[PKI_MOTOR_GEARS]; /* that the maker offers for the bare motor */
  int ngear;
  pki_motor_published published;
  char sources[4096]; /* "key: source" on each line */
} pki_motor_entry;

/* The keys of all files, and those of each kind. */
extern const pk_field pki_motor_fields[], pki_motor_dc_fields[], pki_motor_torque_fields[],
    pki_motor_published_fields[];
extern const int pki_motor_field_count, pki_motor_dc_field_count, pki_motor_torque_field_count,
    pki_motor_published_field_count;

/* motors/, PRONK_MOTORS. */
extern const pki_yaml_kind pki_motor_files;

/* The motor that a name ("maxon-re40", "motors/maxon-re40") or the path of a file means. An unknown name gets the
 * nearest one. */
pk_status pki_motor_load(const char *name, pki_motor_entry *out, pk_error *err);

/* The path of that file. */
pk_status pki_motor_locate(const char *name, char path[PKI_PATH_MAX], pk_error *err);

/* The motor of a file, with all that is wrong. */
pk_status pki_motor_read(const char *path, pki_motor_entry *out, pki_problems *problems);

/* The same from text, `file` names it. */
pk_status pki_motor_parse(const char *file, const char *text, size_t size, pki_motor_entry *out,
                          pki_problems *problems);

/* The name begins with motors/ and is no file, or it is a YAML file that has the key `kind`, which no scenario has. */
bool pki_is_motor_file(const char *name);

#endif
