/* The pendulum study: Zobova, Habra, Van der Noot, Dallali, Tsagarakis, Fisette, Ronsse,
 * "Multi-physics modelling of a compliant humanoid robot", section 3.1.
 *
 * One and two rigid bodies swing about horizontal axes, lengths, masses and gravity scaled to
 * one. Table 1: how well a simulation keeps the energy over 10 time units. Fig. 3: how well
 * it keeps the period of a rotation over 300.
 *
 * What the paper leaves open, and what stands here:
 *
 * - The mass of the second body. Bodies that turn as one (relative angle zero for ever) need the
 *   same ratio of gravity's moment to inertia for the second body as for the whole:
 *     m2 l2 / (I2 + m2 l2^2 + m2 l2 L) = (m1 l1 + m2 (L + l2)) / (I1 + m1 l1^2 + I2 + m2 (L + l2)^2).
 *   With l1 = 1, L = 2, l2 = 2.5, I1 = 5.5, I2 = 2 and m1 = 1 only m2 = 2 gives it: k = 10/49.
 * - The initial state and the potential's zero in Table 1. ODE pulls its constraints back by
 *   the fraction ERP in a step, so a body that turns at w hangs too far out by
 *   (w dt)^2 / (2 ERP): the paper's 1e-3, 1e-7 and 1e-11 mean w = 2. Hanging straight down and
 *   turning at 2.1, the state of Fig. 3, with zero potential at the fixed axis, today's ODE
 *   gives the digits of the paper's energy column; with the zero at the lowest point it
 *   does not.
 */
#ifndef PKI_STUDY_PENDULUM_PENDULUM_H
#define PKI_STUDY_PENDULUM_PENDULUM_H

#include "measure/peer.h"
#include "pronk/code.h"
#include "pronk/sim.h"
#include "study/pendulum/pendulum_peer.h"
#include "study/study.h"

enum { PKI_PENDULUM_STEPS = 3 }; /* time steps of Table 1: 1e-2, 1e-4, 1e-6 */

/* One cell group of Table 1; NAN: not measured. */
typedef struct pki_pendulum_cell {
  double energy;    /* largest |E(t) - E(0)| / |E(t)| */
  double violation; /* of the constraints, peers only */
  double rtf;       /* simulated time over computing time */
} pki_pendulum_cell;

/* The history of one engine's rotation. */
typedef struct pki_pendulum_history {
  int n;
  double *time, *height, *energy_error, *angle; /* [n] height and unwrapped angle of the first body */
  int nperiod;
  double *period_time, *period; /* [nperiod] end of each revolution and how long it took */
} pki_pendulum_history;

typedef struct pki_pendulum_data {
  const pk_peer *peer; /* NULL: none installed */
  const pki_pendulum_peer *peer_functions;
  pki_pendulum_cell pronk[2][PKI_PENDULUM_STEPS], other[2][PKI_PENDULUM_STEPS];
  double swing_energy[2]; /* at 1e-2 and 1e-4: both bodies free, released at rest, folded to the side */
  pki_pendulum_history rotation, other_rotation;
  double period_agm, period_quadrature;
  double period_error; /* largest |T_k - T| of Pronk's revolutions */
  double other_period; /* the peer's last revolution */
  double height_gap;   /* Fig. 3, right: largest gap of the heights up to t = 80, over their span of 2 l */
  double antiphase;    /* when the engines are half a turn apart */
  bool quick;          /* the smallest step was left out */
} pki_pendulum_data;

/* Table 1 as printed. */
typedef struct pki_pendulum_paper {
  double energy, rtf;                              /* Robotran */
  double other_energy, other_violation, other_rtf; /* ODE */
} pki_pendulum_paper;

/* What is said where there is no value: the other engine is missing, the step was skipped. */
extern const char pki_pendulum_no_peer[], pki_pendulum_left_out[];
extern const double pki_pendulum_dt[PKI_PENDULUM_STEPS];
extern const pki_pendulum_paper pki_pendulum_table[2][PKI_PENDULUM_STEPS];

/* pendulum_run.c: one motion of Pronk's, and of a peer's. State: the angles of the joints and
 * their velocities. */
typedef struct pki_pendulum_case {
  int bodies;
  double angle[PKI_PENDULUM_MAX], rate[PKI_PENDULUM_MAX]; /* of the joints */
  double zero; /* added to the energy: potential zero moved down from the axis */
  double dt, duration;
  int stride;          /* steps between looks at the energy */
  const pk_code *code; /* Pronk's accelerations by generated code; NULL: by the generic kernels */
} pki_pendulum_case;

/* The motions of Table 1 and of Fig. 3; the period of the latter in theory. */
pki_pendulum_case pki_pendulum_table_case(int bodies, int step);
pki_pendulum_case pki_pendulum_rotation_case(void);
double pki_pendulum_rotation_period(void);

/* Largest |T_k - T| of a history's revolutions; NAN: there are none. */
double pki_pendulum_period_error(const pki_pendulum_history *history, double period);

/* The models, checked against the paper's numbers. Gravity (0, 0, -1). */
pk_status pki_pendulum_load(int bodies, pk_model **out, pk_error *err);

pk_status pki_pendulum_measure(const pk_model *model, const pki_pendulum_case *c,
                               const pki_study_watch *watch, pki_pendulum_cell *out,
                               pki_pendulum_history *history, pk_error *err);
pk_status pki_pendulum_measure_peer(const pki_pendulum_peer *peer, const pki_pendulum_case *c,
                                    const pki_study_watch *watch, pki_pendulum_cell *out,
                                    pki_pendulum_history *history, pk_error *err);

pk_status pki_pendulum_history_create(pki_pendulum_history *history, int n, pk_error *err);
void pki_pendulum_history_free(pki_pendulum_history *history);

/* pendulum_period.c: the period of the rigid whole that starts at the lowest point with
 * `rate`: d^2(angle)/dt^2 = -k sin(angle). By the arithmetic-geometric mean and, independently,
 * by quadrature. */
double pki_pendulum_period_agm(double k, double rate);
double pki_pendulum_period_quadrature(double k, double rate);

/* When an angle with its first and second derivatives at both ends of a step crosses
 * `target`, as a fraction of the step: the root of the quintic through all six. */
double pki_pendulum_crossing(const double start[3], const double end[3], double dt, double target);

/* pendulum_report.c: plots and the HTML report into the folder. */
pk_status pki_pendulum_report(const pki_pendulum_data *data, const pki_study_options *options,
                              pki_study_result *result, pk_error *err);

#endif
