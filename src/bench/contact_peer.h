/* The interface "contact/3" of peers (measure/peer.h): a robot on the ground.
 *
 * Every engine builds the same world from the numbers of one pk_model: a free base, hinges, and four
 * balls (the feet), which alone touch the plane z = 0. Every hinge is held by
 *
 *   tau = kp (q_des - q) - kd u
 *
 * with the same gains; whether an engine takes that at the start or at the end of the step is its own
 * choice, and its configuration says so. A slope is a gravity that is not vertical. Pronk stands behind
 * the same table.
 *
 * `pronk bench scaling` asks for other numbers of robots, balls and hinges in one world, `pronk bench batch` for very many
 * worlds, `pronk bench robots` for models as a whole: all their collision shapes, limits and losses. An engine need not take
 * any of these.
 */
#ifndef PKI_BENCH_CONTACT_PEER_H
#define PKI_BENCH_CONTACT_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include "pronk/model.h"

#define PKI_CONTACT_INTERFACE "contact/3"

enum { PKI_FEET = 4 }; /* of one robot */

/* A ball in a body. */
typedef struct pki_contact_foot {
  int link, body;
  double centre[3]; /* body frame, m */
  double radius;    /* m */
} pki_contact_foot;

typedef struct pki_contact_scene {
  const pk_model *model; /* free bodies, and hinges with gain 1 and offset 0; of one robot, body 0 floats */
  const pki_contact_foot *feet; /* [nfoot] */
  int nfoot;                    /* PKI_FEET: one robot */
  double dt;                    /* s */
  double mu;                    /* friction of every foot; no restitution */
  double kp, kd;                /* of every hinge, N m/rad and N m s/rad */
  double *q;                    /* [nq] where it starts, at rest */
  /* The model as a whole instead of its feet (which are then none): all its collision shapes touch the ground and each
   * other, but for those of one body, of bodies that a joint joins and of those in `apart`; friction is mu everywhere;
   * joint limits, damping, friction and armature act. */
  bool whole;
  const int (*apart)[2]; /* [napart] bodies */
  int napart;
  const double *tau_max; /* [nu] largest torque of the gains, N m; NULL: none */
  bool
      damped; /* kd is more than links bear as an explicit torque: joint damping, in engines that take that implicitly */
} pki_contact_scene;

/* A world after its last step, in Pronk's conventions. */
typedef struct pki_contact_sample {
  double *q, *u;             /* [nq], [nu] */
  double force[PKI_FEET][3]; /* N, on the robot, world axes; mean over the step */
  /* Engines whose joints can come apart say where their feet are; the others leave it false. */
  bool has_feet;
  double foot[PKI_FEET][3];     /* m, centres */
  double velocity[PKI_FEET][3]; /* m/s, of the lowest points */
} pki_contact_sample;

/* One way to run an engine. */
typedef struct pki_contact_config {
  const char *name;  /* "newton pyramidal" */
  const char *gains; /* how the gains are taken: "kp explicit, kd implicit" */
  double contact_at; /* where in the step contact is looked at: 0 its start, 0.5 its middle */
} pki_contact_config;

typedef struct pki_contact_peer {
  const pki_contact_config *configs;
  int nconfig;

  /* A world; NULL when the engine cannot make it, `message` then says why. The scene outlives it. */
  void *(*create)(const pki_contact_scene *scene, int config, char *message, size_t size);
  void (*destroy)(void *world);

  /* One step with the hinges' targets q_des [nu] (those of the base mean nothing). False: it failed. */
  bool (*step)(void *world, const double *q_des);
  /* Its forces are those of the first PKI_FEET feet. */
  void (*read)(void *world, pki_contact_sample *out);

  /* Many worlds; NULL: not offered. A world like this one, which must outlive it and shares with it what never changes;
   * two of them may step in two threads at once. All that the next step of a world depends on is state_size numbers,
   * q [nq] and u [nu] first: out of it and into it. */
  void *(*clone)(void *world);
  int (*state_size)(void *world);
  void (*get_state)(void *world, double *state);
  void (*set_state)(void *world, const double *state);
  /* kg, of all that moves; NULL: not offered. */
  double (*mass)(void *world);
} pki_contact_peer;

#endif
