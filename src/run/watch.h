/* What a run looks at after every step, and what it adds up. */
#ifndef PKI_RUN_WATCH_H
#define PKI_RUN_WATCH_H

#include "base/text.h"
#include "pronk/energy.h"
#include "pronk/stability.h"
#include "run/tracking_error.h"
#include "scenario/scenario.h"

/* What a run was like. The trunk is the first robot's (model/trunk_link.h); a world of objects alone has none.
 * Plain numbers come first: they are what a checkpoint keeps (pki_watch_save). */
typedef struct pki_run_result {
  long long steps;
  double wall; /* s spent in steps, controller included */

  /* contact */
  double worst_residual; /* relative; of the worst step */
  double worst_speed;    /* m/s, its residual */
  double worst_time;     /* s, when that step ended */
  long long worst_step;  /* counted from 1; 0: no step had contact */
  int worst_solver;      /* a pk_solver; of the law lcp-pyramid a pk_lcp_solver */
  int worst_contacts;
  double worst_coulomb; /* relative, of Coulomb's law, whatever law was judged; NAN: contacts are forces */
  long long fell_back;  /* steps in velocities where accelerations had no solution (pk_step_info.fell_back) */
  long long collisions; /* of the law impulse */
  long long uncertified; /* steps above the bound */
  long long shifted;     /* steps with rows that nothing can move (pk_step_info.shifted) */
  double shift;          /* m/s, by how much at most */
  long long contact_sum; /* contacts of all steps */
  int most_contacts;
  int most_hard;              /* contacts at a time that are not of compliant pairs */
  double penetration;         /* m, deepest */
  double compression;         /* m, of compliant pairs, deepest */
  double pressure;            /* Pa, of compliant pairs, largest */
  double stabilisation;       /* J, what projections changed of the potential energy, all counted up */
  double stabilisation_start; /* J, in the first step: large when a robot began in the ground */

  /* feet that slide: friction at its bound while they push */
  long long slips;      /* how often a foot began to */
  double slip_time;     /* s, summed over feet */
  double slip_distance; /* m, likewise */

  /* joints: work = sum dt tau . (u_start + u_end) / 2 over coordinates of joints */
  double energy_in;     /* J */
  double positive_work; /* J, the part that flowed from the motors */
  double push_work;     /* J, of pushes */
  double energy_start;  /* J, kinetic and potential */
  pki_tracking_error tracking;

  /* actuators, where there are any (nactuator) */
  pk_actuator_flow flow;   /* J, of all */
  pk_battery_flow battery; /* J */
  pk_effort effort;        /* costs of the gait, with the trunk's velocity in the plane */
  double hottest;          /* degrees C, of the hottest winding; NAN: none warms */
  double charge;           /* A s, taken from the battery */
  double empty_at;         /* s, when it had nothing left; less than 0: never */
  long long at_limit;      /* steps in which some actuator was at a limit of force, current or voltage */

  /* trunk */
  double distance, path;                 /* m in the plane: straight from start to end, along the way */
  double height, height_min, height_max; /* m; height: at the end */
  double height_start;
  double tilt_max;       /* rad, away from its upright at the start */
  pk_pose start;         /* where it began, */
  double last[2], up[3]; /* where it was last; what was up at the start, in its frame */
  double stature;        /* m over the lowest point that carried its robot, when one first did; 0: none has */
  double low_at;         /* s, since when it is below 0.6 of that; less than 0: it is not */
  double fell_at;        /* s */
  bool fell; /* tilted by more than 60 degrees, or low for half a second, or low when the run ended */

  /* the trunk as a controller sees it that sees sensors, against the truth: sums of squares over steps */
  long long estimate_steps; /* 0: it sees the truth */
  double estimate_velocity; /* (m/s)^2, of the velocity in the trunk's axes */
  double estimate_tilt;     /* rad^2 */
  double estimate_drift;    /* m, how far its place is off at the end */

  /* a robot under whole-body control */
  long long task_steps; /* 0: it is not */
  long long held_steps; /* limits kept it from what its tasks asked for */
  double mass_missed;   /* m/s^2, at most */

  /* stability of the first robot, where the scenario asks for it (has_stability) */
  pk_stability_sum stability;

  double bound; /* what steps were held to */

  /* not in a checkpoint */
  double duration;         /* s simulated */
  double real_time_factor; /* duration / wall */
  double mean_contacts;
  double energy_end;     /* J, kinetic and potential */
  int ndof;              /* velocities of the joint model */
  pk_contact_law law;    /* of contact */
  pk_judged_law judged;  /* of friction, in certificates */
  pk_stepper stepper;    /* how it was stepped */
  bool has_soft;         /* surfaces that give way */
  int nactuator, nmotor; /* actuators; of them, motors */
  bool has_battery;
  bool has_stability;
  int nrobot, nobject;           /* what the scenario's models and objects made */
  double mass;                   /* kg, of the robots in this world */
  double object_speed;           /* m/s, the fastest object's at the end */
  double *peak;                  /* [ndof] largest |tau| */
  const pk_model *model;         /* in joint coordinates; valid while the world is */
  const pk_actuation *actuation; /* NULL: none; likewise */
  unsigned long long model_hash; /* of the world's model */
  pk_status status;              /* of the last step */
  bool interrupted;              /* it was asked to stop */
  const char *dynamics;          /* who computed them: "generic", "compiled" */
  const char *not_compiled;      /* why not, when they were to be; valid while the world is */
  char stopped[320];             /* why it ended early, "" when it did not */
} pki_run_result;

/* N m or N, the largest force of a joint coordinate: by the model, and by its actuator. */
double pki_run_force_limit(const pki_run_result *result, int dof);

void pki_run_result_free(pki_run_result *result);

/* The world after a step. */
typedef struct pki_watch {
  pki_world *world;
  const pk_model *model;       /* joint coordinates */
  double *q, *u;               /* joint coordinates */
  double *q_before, *u_before; /* likewise, at the start of the last step */
  pk_step_info info;           /* of the last step */
  pk_sim_contact *contacts;    /* [room] of the last step */
  int room;                    /* for contacts: the world's, which may grow */
  int ncontact;
  int *feet, nfoot; /* links */
  double *force;    /* [nfoot + 1][3] N on each foot from outside its robot, and on all other links, world */
  double *normal;   /* [nfoot] N along the contact normals */
  bool *slides;     /* [nfoot] */
  pk_energy_meter *meter;         /* of actuators; NULL: there are none */
  pk_effort_joint *effort_joints; /* [nu] */
  double *effort_rates;           /* [nu] */
  pk_stability_meter *stability;  /* of the first robot; NULL: nobody asks */
  pk_pose now;                    /* of the trunk */
  double tilt;
} pki_watch;

/* Look at the world as it is; the result starts from nothing, held to `bound`. */
pk_status pki_watch_begin(pki_watch *w, pki_world *world, double bound, pki_run_result *result,
                          pk_error *err);

/* A step has been made, w->info tells how. */
void pki_watch_step(pki_watch *w, pki_run_result *result);

/* The trunk of the first robot alone, for callers without a pki_watch: where it starts, where it is at a
 * time, the end. `carried` is how high it is over the lowest point at which its robot pushes on something,
 * INFINITY: nowhere. How far it is tilted comes back. */
void pki_watch_start(const pk_pose *trunk, pki_run_result *result);
double pki_watch_trunk(const pk_pose *trunk, double carried, double time, pki_run_result *result);
void pki_watch_settle(pki_run_result *result);
double pki_watch_carried(const pk_model *model, const pk_sim_contact *contacts, int ncontact, double height);

/* Actuators (watch_actuators.c). None: NULL, and all else does nothing. */
const pk_actuation *pki_watch_actuation(const pki_watch *w);
bool pki_watch_has_battery(const pki_watch *w);
pk_status pki_watch_actuators_begin(pki_watch *w, pki_run_result *result, pk_error *err);
void pki_watch_actuators_step(pki_watch *w, const double trunk_before[3], pki_run_result *result);
void pki_watch_actuators_free(pki_watch *w);
size_t pki_watch_actuators_size(const pki_watch *w);
void pki_watch_actuators_save(const pki_watch *w, void *bytes);
void pki_watch_actuators_restore(pki_watch *w, const void *bytes);

/* Motors as JSON, for torque-speed lines and colours: [{"name", "kind", "constant", "resistance", "voltage", "current", "ambient",
 * "temperature"}, ...], all at the joint's side of the gear; limits that there are not are null. Nothing without motors. */
void pki_watch_motors_json(const pki_watch *w, pki_text *out);

/* watch_estimate.c: whether the first robot's trunk is seen by sensors; compare it with the truth after a step; root mean
 * squares of a run (m/s, rad), NAN: it was not. */
bool pki_watch_is_blind(const pki_watch *w);
void pki_watch_estimate(const pki_watch *w, pki_run_result *result);
double pki_run_velocity_error(const pki_run_result *result);
double pki_run_tilt_error(const pki_run_result *result);

/* watch_tasks.c: what limits cost whole-body control after a step; nothing under other controllers. */
void pki_watch_tasks(const pki_watch *w, pki_run_result *result);

/* watch_stability.c: measures of the first robot; nothing unless the scenario asks for them. The least and the mean margin of
 * a run, J_s1, its mean and J_s2; NAN: they were not taken. */
pk_status pki_watch_stability_begin(pki_watch *w, pki_run_result *result, pk_error *err);
void pki_watch_stability_step(const pki_watch *w, pki_run_result *result);
void pki_watch_stability_restore(const pki_watch *w, const pki_run_result *result);
double pki_run_least_margin(const pki_run_result *result, pk_stability_measure measure);
double pki_run_mean_margin(const pki_run_result *result, pk_stability_measure measure);
double pki_run_js1(const pki_run_result *result);
double pki_run_mean_js1(const pki_run_result *result);
double pki_run_js2(const pki_run_result *result);

/* Why the step that w->info tells of failed, in words. */
void pki_watch_explain(const pki_watch *w, const pki_run_result *result, pk_status status, char *out,
                       size_t size);

/* The world as a scene (record/scene.h). */
pk_status pki_watch_scene(const pki_watch *w, pki_text *out, pk_error *err);

/* What follows from all steps. */
void pki_watch_end(const pki_watch *w, pki_run_result *result);
void pki_watch_free(pki_watch *w);

/* What has been added up, as bytes; and going on from there. */
size_t pki_watch_size(const pki_watch *w);
void pki_watch_save(const pki_watch *w, const pki_run_result *result, void *bytes);
void pki_watch_restore(pki_watch *w, pki_run_result *result, const void *bytes);

#endif
