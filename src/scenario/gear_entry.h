/* Gears as parts: what a motor's file offers, and what a sizing study chooses from. */
#ifndef PKI_SCENARIO_GEAR_ENTRY_H
#define PKI_SCENARIO_GEAR_ENTRY_H

#include "base/field.h"
#include "scenario/read.h"

/* One gear; 0 where nothing is said: not known, or no limit. */
typedef struct pki_gear {
  char name[64];
  double ratio;       /* turns of the rotor for one of the output; 0: any between `from` and `to` */
  double from, to;    /* of a ratio that is to be found */
  double efficiency;  /* when the motor drives; its load is divided by it, and multiplied when it brakes */
  double inertia;     /* kg m^2, at its input */
  double mass;        /* kg */
  double price;       /* EUR */
  double torque;      /* N m at the output, for long */
  double peak_torque; /* N m at the output, for a short time */
  double speed;       /* rad/s of its input, largest */
} pki_gear;

extern const pk_field pki_gear_fields[];
extern const int pki_gear_field_count;

/* A gear of that ratio without losses, inertia and limits. */
pki_gear pki_gear_of_ratio(double ratio);

/* A list of up to `most` gears, each a ratio or a mapping, into `out`; *count: how many. NULL: there are none. */
void pki_gears_read(const pki_node *list, pki_gear *out, int most, int *count, pki_problems *problems);

#endif
