/* The interface "pendulum/1" of peers (measure/peer.h): a chain of one or two rigid bodies that
 * swing about parallel horizontal axes, in an engine that describes every body by absolute
 * coordinates and holds joints by constraints.
 *
 * The chain hangs from the world's origin, axes along y, gravity (0, 0, -1). Angles are
 * measured from hanging straight down, each body's own against the vertical. */
#ifndef PKI_STUDY_PENDULUM_PENDULUM_PEER_H
#define PKI_STUDY_PENDULUM_PENDULUM_PEER_H

#define PKI_PENDULUM_INTERFACE "pendulum/1"

enum { PKI_PENDULUM_MAX = 2 };

typedef struct pki_pendulum_body {
  double mass;
  double com;    /* from its axis to its centre of mass */
  double length; /* from its axis to the next one */
  double moment; /* about the centre of mass, the same about all axes */
  double angle;  /* at the start */
  double rate;   /* at the start, absolute angular velocity */
} pki_pendulum_body;

/* What the engine shows after a step. */
typedef struct pki_pendulum_sample {
  double energy;                   /* kinetic and potential, zero potential at the first axis */
  double violation;                /* largest relative error of the distance from a body's axis to its COM */
  double angle[PKI_PENDULUM_MAX];  /* in (-pi, pi] */
  double height[PKI_PENDULUM_MAX]; /* of the centres of mass above the first axis */
} pki_pendulum_sample;

typedef struct pki_pendulum_peer {
  const char *settings;         /* the engine's call and parameters, for the reader */
  int coordinates, constraints; /* of one body */

  /* NULL when it cannot be built. */
  void *(*create)(const pki_pendulum_body *bodies, int count, double dt);
  void (*destroy)(void *world);
  void (*step)(void *world, long steps);
  void (*read)(const void *world, pki_pendulum_sample *out);
} pki_pendulum_peer;

#endif
