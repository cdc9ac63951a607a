/* Feedback that keeps the balance along a motion: where feet land, and where the pressure of those that stand is
 * (follow_balance.c has the equations). */
#ifndef PKI_GAIT_FOLLOW_BALANCE_H
#define PKI_GAIT_FOLLOW_BALANCE_H

#include "gait/motion_file.h"

enum {
  PKI_BALANCE_STEPS = 128, /* of a repetition */
  PKI_BALANCE_STATES = 4 + 2 * PKI_WHOLE_MOTION_FEET
};

/* Weights of squares, all without unit. */
typedef struct pki_balance_weights {
  double place, speed; /* of errors of the mass over h and sqrt(g h), in each sqrt(h/g) */
  double pressure,
      foothold; /* of shifts of the pressure over the support's size, in each sqrt(h/g); of footholds over h */
} pki_balance_weights;

/* The motion at one of the steps, as the pendulum sees it. */
typedef struct pki_balance_sample {
  double rate;                         /* 1/s, sqrt((g + acceleration)/height); 0: no foot stands */
  bool stands[PKI_WHOLE_MOTION_FEET];  /* until the next sample */
  double share[PKI_WHOLE_MOTION_FEET]; /* part of the load on each foot */
  double spread
      [3]; /* m, xx, xy, yy: root of the mean square distance of the points that carry from their middle, a symmetric matrix */
} pki_balance_sample;

/* States: error of the mass's place (2), of its velocity (2), of each foot's place (2), m and m/s, axes of the motion. */
typedef struct pki_balance {
  int feet, states;
  double length;                     /* s, of all steps */
  const pki_balance_sample *samples; /* [PKI_BALANCE_STEPS] */
  double *
      gains; /* [PKI_BALANCE_STEPS][1 + feet][2][states]: of the pressure's shift (in spreads), then of each foot's place when it lands next */
} pki_balance;

/* How many numbers its gains are. */
size_t pki_balance_size(int feet);

/* Gains for samples [PKI_BALANCE_STEPS] of a motion of a length; what repeats goes on with the first sample after the last, other
 * motions end with the last one for ever. `height` and `gravity` are scales. `gains` has room for pki_balance_size numbers; they and
 * the samples must outlive what comes out. */
void pki_balance_design(const pki_balance_sample *samples, int feet, double length, bool repeats,
                        double height, double gravity, const pki_balance_weights *weights, double *gains,
                        pki_balance *out);

/* At a time of a repetition and with errors [states]: acceleration of the mass less that of the motion, m/s^2; where feet that swing
 * should land, as errors of their places, m. */
void pki_balance_at(const pki_balance *b, double time, const double *errors, double acceleration[2],
                    double (*places)[2]);

#endif
