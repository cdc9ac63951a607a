/* A demand: what a duty asks of a drive, line by line. Torques and speeds are those of the rotor. */
#ifndef PKI_SIZE_DEMAND_H
#define PKI_SIZE_DEMAND_H

#include "size/drive.h"

/* The lines that a drive must stay below. */
typedef enum pki_line {
  PKI_LINE_CONTINUOUS, /* rms torque, N m */
  PKI_LINE_PEAK,       /* largest torque by the limit of current, N m */
  PKI_LINE_VOLTAGE,    /* V */
  PKI_LINE_HEAT,       /* rise of the winding above the air, K */
  PKI_LINE_SPEED,      /* rad/s */
  PKI_LINE_GEAR,       /* rms torque at the gear's output, N m */
  PKI_LINE_GEAR_PEAK,  /* largest torque there, N m */
  PKI_LINE_COUNT
} pki_line;
extern const char *const pki_line_words[PKI_LINE_COUNT]; /* for JSON and messages */

/* How long, and in what air. */
typedef struct pki_duty_options {
  double duration;     /* s of work, over which the motor warms up */
  double ambient;      /* degrees C; NAN: that of the motor's file */
  double regeneration; /* share of the power that a motor generates which the bus takes, 0 to 1 */
  double margin;       /* least distance from every line, as a part of it */
} pki_duty_options;
pki_duty_options pki_duty_options_default(void);

/* How much of a line is needed. */
typedef struct pki_line_use {
  double has, needs; /* in the line's unit; NAN: there is no such line */
  int joint;         /* of the group */
  int motion;        /* -1: of all of them */
  double time;       /* s, in the motion; NAN: at no time in particular */
} pki_line_use;

typedef struct pki_demand {
  pki_line_use lines[PKI_LINE_COUNT];
  double distance[3];      /* N m at the rotor that are left to the first three lines; NAN: no such line */
  double rms, peak;        /* N m */
  double speed;            /* rad/s, largest */
  double joule;            /* W, mean heat of the winding, of all joints */
  double power;            /* W, mean electrical power: drawn less what is taken back, of all joints */
  double input;            /* W, largest electrical power of one joint */
  double winding, housing; /* degrees C, at the end of the work: largest in the last cycle; NAN: not known */
  double armature;         /* kg m^2 at the joint */
  double mass, price;      /* of all joints' drives; NAN: not known */
} pki_demand;

/* needs/has; NAN where there is no such line. */
double pki_line_used(const pki_line_use *use);

/* Least of 1 - needs/has over all lines, and which one; INFINITY without lines. */
double pki_demand_margin(const pki_demand *demand, pki_line *worst);

/* Whether it stays below all lines with that margin. */
bool pki_demand_fits(const pki_demand *demand, double margin);

/* Of one drive at each of `count` joints. */
pki_demand pki_demand_of(const pki_drive *drive, const pki_duty *duty, const char (*joints)[PKI_DUTY_NAME],
                         int count, const pki_duty_options *options);

/* Electrical power of a joint's sample, W, with the winding's resistance `factor` times that at 25 degrees C. */
double pki_drive_power(const pki_drive *drive, const pki_rotor_point *point, double factor);

/* Resistance over that at 25 degrees C: that of the demand's warmest winding, not above what it may become. */
double pki_drive_warmth(const pki_drive *drive, const pki_demand *demand);

/* Why it fails, in words: the worst line, what it needs and has, where. "": it does not. */
void pki_demand_reason(const pki_demand *demand, const pki_duty *duty, const char (*joints)[PKI_DUTY_NAME],
                       double margin, char *out, size_t size);

#endif
