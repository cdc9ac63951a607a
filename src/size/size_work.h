/* A sizing study at work: its motions are read, run or optimised, drives are chosen, and with rounds the robot carries what was chosen and moves
 * again, until the choice is the one that it carries. */
#ifndef PKI_SIZE_SIZE_WORK_H
#define PKI_SIZE_SIZE_WORK_H

#include <stdatomic.h>

#include "size/size_study.h"

/* What was chosen for a joint. */
typedef struct pki_size_carried {
  char joint[PKI_DUTY_NAME];
  char drive[160]; /* in words */
  double mass;     /* kg; 0: not known */
  double added;    /* kg that its link gains: mass less that of the present drive; 0: the mass is not known */
  double armature; /* kg m^2 */
} pki_size_carried;

/* What the robot has at a joint before the rounds, and has no more in them. */
typedef struct pki_size_replaced {
  char joint[PKI_DUTY_NAME];
  double mass;         /* kg of the present drive, as the study has it; 0: nothing is taken away */
  double armature;     /* kg m^2 of rotors in the motions of round 0, the largest */
  char actuators[256]; /* of scenarios, in words; "": none */
} pki_size_replaced;

/* One round: what the robot carried in it, and what was chosen then. */
typedef struct pki_size_round {
  pki_size_carried *chosen; /* [njoint] */
  int njoint;
  double carried;            /* kg of chosen drives on the robot in this round's motions */
  double added;              /* kg that the robot weighs more than the model */
  double mass, power, input; /* of the choice: kg, W, W */
  double seconds;            /* of computing */
  bool complete;             /* every group had a drive */
} pki_size_round;

typedef struct pki_size_work_options {
  const char *folder;     /* for solutions and recordings; it exists */
  int rounds;             /* negative: the study's */
  const atomic_int *stop; /* not 0: end; NULL: never */
  void (*progress)(void *user, double fraction, const char *what); /* NULL: none */
  void *user;
} pki_size_work_options;

typedef struct pki_size_result {
  pki_sizing sizing; /* of the last round */
  pki_size_round *rounds;
  int nround;
  pki_size_replaced *replaced; /* [nreplaced] in rounds; joints that had nothing are left out */
  int nreplaced;
  bool agreed;           /* the last choice is what the robot carried; true without rounds */
  int swings;            /* the round before whose choice has come back after another one; -1: none */
  double motion_seconds; /* of computing motions, in all rounds */
  double choice_seconds; /* of judging candidates, in all rounds */
} pki_size_result;

/* PK_OK also where a group has no drive (pki_sizing_is_complete). Free the result in any case. */
pk_status pki_size_work(const pki_size_study *study, const pki_size_work_options *options,
                        pki_size_result *out, pki_problems *problems);
/* The round whose choice is that of the last one, with others between them; -1: none. What follows would be as before. */
int pki_size_find_swing(const pki_size_round *rounds, int count);
void pki_size_result_free(pki_size_result *result);

/* ---- size_motions.c ---- */

/* The duty of all motions of the study; the robot carries what is listed (count 0: nothing). */
pk_status pki_size_make_duty(const pki_size_study *study, const pki_size_work_options *options, int round,
                             const pki_size_carried *carried, int count, pki_duty *out,
                             pki_problems *problems);

/* What the actuators of the study's scenarios are at a joint, in words, each once: "dc maxon-re40". Scenarios that cannot be read say nothing
 * here. */
void pki_size_name_actuators(const pki_size_study *study, const char *joint, char *out, size_t size);

#endif
