/* Choosing drives: for groups of joints that have the same one, every motor with every gear on every voltage, what the duty asks of each, and
 * which is best. */
#ifndef PKI_SIZE_SIZING_H
#define PKI_SIZE_SIZING_H

#include "size/demand.h"

enum { PKI_CANDIDATE_REASON = 200, PKI_SIZE_VOLTAGES = 32, PKI_SIZE_GEARS = 64 };

/* What makes a drive good: weights of its numbers, each over the least of all that fit. */
typedef struct pki_size_rank {
  double mass, energy, price, heat;
} pki_size_rank;

typedef struct pki_drive_candidate {
  pki_drive drive;
  pki_demand demand;
  bool fits;
  double margin; /* to the worst line, as a part of it */
  pki_line worst;
  double
      score; /* of one that fits: the less the better; INFINITY: a number that it is ranked by is not known */
  bool front;                        /* none that fits is better in mass, energy and price at once */
  char reason[PKI_CANDIDATE_REASON]; /* why it does not fit, or what of its rank is not known; "": it fits */
} pki_drive_candidate;

/* Joints with the same drive, and the parts that it may be made of. */
typedef struct pki_size_group {
  char name[PKI_DUTY_NAME];
  char (*joints)[PKI_DUTY_NAME]; /* [njoint] */
  int njoint;
  pki_motor_entry *motors; /* [nmotor] of the kind dc */
  int nmotor;
  pki_gear gears[PKI_SIZE_GEARS]; /* for bare motors; none: those of each motor's file */
  int ngear;
  double voltages[PKI_SIZE_VOLTAGES]; /* V; none: that of each motor's file */
  int nvoltage;
  pki_drive_candidate
      *candidates; /* [ncandidate] those that fit first, the best of them first; then by how much they fail */
  int ncandidate;
  int chosen; /* -1: none fits */
} pki_size_group;

/* What feeds the drives that were chosen. */
typedef struct pki_size_supply {
  double voltage;     /* V; 0: they have several */
  double power;       /* W, mean, with what is taken back between the joints and by the bus */
  double input;       /* W, largest of all joints at once */
  int motion;         /* in which motion, and when */
  double time;        /* s */
  double current;     /* A at that power; NAN: several voltages */
  double energy;      /* J over the duration */
  double mass, price; /* of all drives; NAN: not known */
} pki_size_supply;

typedef struct pki_sizing {
  pki_duty duty;
  pki_duty_options options;
  pki_size_rank rank;
  bool one_voltage; /* all groups are on the same bus */
  pki_size_group *groups;
  int ngroup;
  pki_size_supply supply;
} pki_sizing;

/* All candidates of all groups, their demands, order and choice; and the supply. `progress` (NULL: none) hears the fraction that is done; false
 * from it stops. */
pk_status pki_sizing_run(pki_sizing *sizing, bool (*progress)(void *user, double fraction, const char *what),
                         void *user, pk_error *err);

/* Whether every group has a drive. */
bool pki_sizing_is_complete(const pki_sizing *sizing);

/* The drive of a joint; NULL: it has none. */
const pki_drive_candidate *pki_sizing_choice(const pki_sizing *sizing, const char *joint);

/* The candidate that was chosen in a group; NULL: none. */
const pki_drive_candidate *pki_group_choice(const pki_size_group *group);

/* Free groups and duty. */
void pki_sizing_free(pki_sizing *sizing);

/* ---- ranking.c ---- */

/* Scores, the front and the order of a group's candidates. */
void pki_group_rank(pki_size_group *group, const pki_size_rank *rank);

/* The choice of each group, on one voltage where that is asked for. */
void pki_sizing_choose(pki_sizing *sizing);

/* ---- supply.c ---- */

void pki_sizing_add_supply(pki_sizing *sizing);

#endif
