/* A step written a second time, from the public API and with dense matrices: the problem that its contacts, joint limits and
 * saturated commands pose, judged with the impulses that the step found. Slow, and knows no lanes.
 *
 *   dense_step s;
 *   dense_begin(&s, sim, workspace);                     before the step
 *   ...                                                  the step
 *   dense_verdict v = dense_judge(&s, contacts, n, joint_impulses, u_end);
 *
 * M~ = M + dt (d + g) with the gains g of commands that are no rows, u_f = u + inv(M~) dt (a - (g + d) u - h + J_p' f); the rows of
 * contacts and boxes are those of step/contact.h. */
#ifndef PK_TESTS_DENSE_STEP_H
#define PK_TESTS_DENSE_STEP_H

#include "pronk/sim.h"

enum { DENSE_NU = 32, DENSE_NQ = 40, DENSE_CONTACTS = 48, DENSE_BOXES = 48, DENSE_KINDS = 4 };
enum { DENSE_ROWS = 3 * DENSE_CONTACTS + DENSE_BOXES };

/* What a step begins with. */
typedef struct dense_step {
  const pk_model *model;
  pk_workspace *w;
  bool limits;                                     /* joint limits act */
  double dt, reach;                                /* reach: the time that u_E moves the configuration */
  double q[DENSE_NQ];                              /* where M, h and gaps are taken */
  double u[DENSE_NU], h[DENSE_NU];                 /* h without pushes */
  double M[DENSE_NU * DENSE_NU];                   /* without gains and damping */
  double a[DENSE_NU], g[DENSE_NU], most[DENSE_NU]; /* commands: a - g u_E, within +-most */
  double push[DENSE_NU]; /* generalised forces of pushes; 0 unless the caller sets them */
} dense_step;

/* What the impulses of a step are in that problem. */
typedef struct dense_verdict {
  int contacts, limits, torques; /* rows: contacts, joint limits, commands at their limit, */
  int holding, sliding;          /* friction of joints, within its bounds and at one of them */
  double relative;               /* residual of the certificate */
  double scale;                  /* m/s, largest |q| of the problem, 1e-3 at least */
  double apart;                  /* of the step's velocities and those that the impulses give */
  double limit_broken;           /* rad or m, how far u_E goes beyond joint limits that are no rows */
  double torque_broken; /* N m, how far forces of commands that are no rows are beyond their limits */
  double gain;          /* J, energy in M~ that impulses brought in */
  double A[DENSE_NU * DENSE_NU]; /* M~ */
} dense_verdict;

/* The state, commands and options of a sim that is about to be stepped. */
void dense_begin(dense_step *s, pk_sim *sim, const pk_sim_options *options, pk_workspace *w);

/* The contacts of the step, and its impulses of joint rows [DENSE_KINDS][nu] in the order of PKI_ROW_LOWER and so on. The
 * workspace must be where dense_begin left it. */
dense_verdict dense_judge(const dense_step *s, const pk_sim_contact *contacts, int n, const double *joint,
                          const double *u_end);

/* How far a point that `link` (and `other`, -1: the ground) has in common would be below zero after the step: a contact that took
 * no part is broken by that much, m. */
double dense_broken(const dense_step *s, int link, int other, const double point[3], const double normal[3],
                    double gap, const double *u_end);

/* All contacts within a margin at a configuration, by the search of all pairs, into probe->contact.found: how many; -1: no room. */
int dense_search(pk_sim *probe, const double *q, double margin);

/* The link of one of the two shapes of a contact; -1: the ground. */
int dense_link(const pk_model *model, int shape);

/* The force of command k at the end of a step, N m or N. */
double dense_force(const dense_step *s, int k, const double *u_end);

#endif
