/* Postural stability: how far a robot is from tipping over, by the measures of the literature.
 *
 *   pk_stability_options o = pk_stability_options_default();
 *   pk_stability s;
 *   pk_sim_step(sim, NULL);
 *   pk_sim_stability(sim, 0, NULL, &o, &s, &err);      of robot 0
 *   printf("static margin %g m, S_H %g kg m^2/s over %d edges\n", s.static_margin, s.s_h, s.nedge);
 *
 * A meter adds up what a run comes to:
 *
 *   pk_stability_meter *meter;
 *   pk_stability_meter_create(sim, 0, &o, &meter, &err);
 *   while (...) {
 *     pk_sim_step(sim, NULL);
 *     pk_stability_meter_step(meter);
 *   }
 *   const pk_stability_sum *sum = pk_stability_meter_sum(meter);
 *   printf("J_s1 %g m^2 s, J_s2 %g\n", sum->js1, pk_stability_js2(sum));
 *
 * Up is against gravity; horizontal is across it. The ground under the robot is the horizontal plane at the mean height of its
 * supporting contacts: points "on the ground" lie there, and on flat ground it is the ground. A margin is negative outside of
 * what it bounds. What has no meaning in a state (a robot in flight has no support) is NAN. docs/theory/stability.md has the
 * definitions and their sources; equation numbers are those of Hardt and von Stryk 2003.
 *
 * Nothing allocates but pk_stability_meter_create.
 *
 * Threads: pk_stability_compute and the functions of sums may run at the same time; the others belong to the thread of their sim,
 * observation or batch. */
#ifndef PRONK_STABILITY_H
#define PRONK_STABILITY_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every measure with the name of its row (pki_stability_NAME, in the file that computes it) and the unit of its margin. */
#define PK_STABILITY_MEASURE_LIST(X) \
  /* distance of the centre of mass, seen from above, from the edge of the support */ \
  X(PK_STABILITY_STATIC_MARGIN, static_margin, "m") \
  /* zero-moment point: where the ground reaction acts */ \
  X(PK_STABILITY_ZMP, zmp, "m") \
  /* foot rotation indicator (8): where it would have to act so that no foot turned */ \
  X(PK_STABILITY_FRI, fri, "m") \
  /* S_H (10): angular momentum about support edges against what tips the robot over them */ \
  X(PK_STABILITY_S_H, s_h, "kg m^2/s") \
  /* divergent component of motion, and the capture point under it */ \
  X(PK_STABILITY_DCM, dcm, "m") \
  /* energy that it takes to tip the robot over an edge (Messuri and Klein 1985) */ \
  X(PK_STABILITY_ENERGY_MARGIN, energy_margin, "J") \
  /* force-angle measure (Papadopoulos and Rey 1996) */ \
  X(PK_STABILITY_FORCE_ANGLE, force_angle, "N m rad") \
  /* depth of the wrench that contacts have to give in the cone of those that they can give */ \
  X(PK_STABILITY_WRENCH_MARGIN, wrench_margin, "N")

#define PK_STABILITY_MEASURE_ENUM(id, row, unit) id,
typedef enum pk_stability_measure {
  PK_STABILITY_MEASURE_LIST(PK_STABILITY_MEASURE_ENUM) PK_STABILITY_MEASURE_COUNT
} pk_stability_measure;
#undef PK_STABILITY_MEASURE_ENUM

/* Direction of the largest velocity of a swing leg's tip in H_max, which the paper leaves open. */
typedef enum pk_tip_direction {
  PK_TIP_DIRECTION_HORIZONTAL,    /* H_max = m r_z v */
  PK_TIP_DIRECTION_PERPENDICULAR, /* across r: H_max = m r v */
  PK_TIP_DIRECTION_COUNT
} pk_tip_direction;

typedef struct pk_stability_options {
  /* m/s, largest velocity of the tip of a swing leg; 0: swing legs catch nothing. Default 2. */
  double tip_speed;
  /* Default PK_TIP_DIRECTION_HORIZONTAL. */
  pk_tip_direction tip_direction;
  /* N, a contact supports when its force along the normal is above this. Default 0. */
  double least_force;
  /* Edges of the pyramid that stands for the friction cone in the wrench margin, within the cone; 0: the cone itself. Default
   * 0. */
  int friction_sides;
  /* Bits 1 << pk_stability_measure of the measures that are computed; others are NAN. 0: all. Default: all. */
  int measures;
} pk_stability_options;

/* Defaults, and the first option that is out of its range by name. */
PK_API pk_stability_options pk_stability_options_default(void);
PK_API pk_status pk_stability_options_validate(const pk_stability_options *options, pk_error *err);

/* The name of a measure, as "s_h", and the unit of its margin; NULL: there is none. */
PK_API const char *pk_stability_measure_name(pk_stability_measure measure);
PK_API const char *pk_stability_measure_unit(pk_stability_measure measure);

/* ---- what the measures are computed from ---- */

/* A point at which the robot touches something that is not part of it. */
typedef struct pk_stability_contact {
  /* m, world. */
  double point[3];
  /* Unit, world, towards the robot. */
  double normal[3];
  /* N, on the robot, world. */
  double force[3];
  /* Coulomb's coefficient. */
  double friction;
  /* Contacts of one foot have the same number. */
  int foot;
  /* Where that foot's leg hangs on the trunk: 1 front, -1 rear, 0 neither. */
  int front;
  /* Likewise: 1 left, -1 right, 0 neither. */
  int left;
} pk_stability_contact;

/* A robot at one time. */
typedef struct pk_stability_input {
  /* kg. */
  double mass;
  /* m/s^2, world. */
  double gravity[3];
  /* m, centre of mass, world. */
  double com[3];
  /* m/s, its velocity. */
  double velocity[3];
  /* kg m^2/s, about the centre of mass, world. */
  double angular_momentum[3];
  /* Direction of travel, world; its horizontal part counts, and its length does not. */
  double heading[3];
  /* [ncontact] */
  const pk_stability_contact *contacts;
  /* How many. */
  int ncontact;
  /* [6] rate of the angular momentum about the centre of mass (N m), then of the linear momentum (N): what contacts have to give
   * besides the weight. All contacts support then, whatever their forces. NULL: what their forces give. */
  const double *rate;
  /* [6] rate of the momentum of the feet that are down, angular about the world's origin (N m), then linear (N): what sets the FRI
   * apart from the ZMP. NULL: they have no mass. */
  const double *foot_rate;
} pk_stability_input;

/* ---- what comes of it ---- */

/* Corners and edges of a support polygon, at most. Of more corners (feet of fine meshes) those farthest in as many directions are taken,
 * a polygon within the true one. */
enum { PK_STABILITY_EDGES = 32 };

typedef enum pk_edge_kind {
  PK_EDGE_KIND_SIDE,     /* non-diagonal */
  PK_EDGE_KIND_DIAGONAL, /* from a front foot of one side to a rear foot of the other */
  PK_EDGE_KIND_COUNT
} pk_edge_kind;

/* Which of the formulas of (10) an edge has. */
typedef enum pk_edge_branch {
  PK_EDGE_BRANCH_SIDE,   /* non-diagonal: H_ref - H */
  PK_EDGE_BRANCH_BEFORE, /* diagonal, two feet, GCoM before the edge: min(H - H_ref, H_max - H) */
  PK_EDGE_BRANCH_PAST,   /* diagonal, two feet, GCoM past it: H_max - H */
  PK_EDGE_BRANCH_BEHIND, /* diagonal, the third foot behind the edge: H_max - H */
  PK_EDGE_BRANCH_FRONT,  /* diagonal, the third foot in front of it: H_ref - H */
  PK_EDGE_BRANCH_COUNT
} pk_edge_branch;

/* An edge of the support. Positive angular momentum about its direction, `from` to `to`, tips the robot outward: polygons go
 * counterclockwise, seen from above. Where two feet support, it is one edge: a diagonal one runs so that positive momentum goes
 * with the direction of travel, one between feet of the same side (left, right, front, rear) so that it leaves the robot on that
 * side, any other one so that the robot is inside. */
typedef struct pk_stability_edge {
  /* m, its ends, world. */
  double from[3];
  double to[3];
  /* `foot` of the contacts at its ends. */
  int feet[2];
  pk_edge_kind kind;
  /* Which formula gave s_h. */
  pk_edge_branch branch;
  /* m, horizontal distance of the centre of mass from the edge's line; negative outside. */
  double r_h;
  /* m, its height over the edge, across it. */
  double r_z;
  /* kg m^2/s, angular momentum about the edge. */
  double H;
  /* kg m^2/s, the least that brings a point mass over the edge; negative when it is outside already. */
  double H_ref;
  /* kg m^2/s, the largest that the tip of a swing leg can catch. */
  double H_max;
  /* kg m^2/s, the edge's part of (10). */
  double s_h;
  /* J, energy that brings the centre of mass over the edge; negative outside. */
  double energy;
  /* N m rad, force-angle measure of the edge; zero: it tips. */
  double force_angle;
} pk_stability_edge;

typedef struct pk_stability {
  /* Feet that support. */
  int feet;
  /* Contacts that do. */
  int ncontact;
  /* Corners of the support, seen from above: 1 a point, 2 a line, 3 and more a polygon, counterclockwise. */
  int ncorner;
  /* Edges: as many as corners of a polygon; 1 of a line; 0 else. */
  int nedge;
  /* m, world, [ncorner]. */
  double corners[PK_STABILITY_EDGES][3];
  /* [nedge] */
  pk_stability_edge edges[PK_STABILITY_EDGES];
  /* Unit, against gravity, world. */
  double up[3];
  /* m, centre of mass, world. */
  double com[3];
  /* m, centre of mass on the ground (GCoM), world. */
  double gcom[3];
  /* m, its least distance from an edge of the support, negative outside. */
  double static_margin;
  /* m, zero-moment point on the ground, world. */
  double zmp[3];
  /* m, its margin within the support, as the static one. */
  double zmp_margin;
  /* m, foot rotation indicator on the ground, world. */
  double fri[3];
  /* m, its margin: negative, feet turn. */
  double fri_margin;
  /* kg m^2/s, S_H (10): the least of all edges. */
  double s_h;
  /* Edge that has it; -1: none. */
  int s_h_edge;
  /* m, divergent component of motion: com + velocity sqrt(h/g), h the height over the ground; world. */
  double dcm[3];
  /* m, capture point: where the DCM is on the ground, world. */
  double capture_point[3];
  /* m, its margin within the support. */
  double capture_margin;
  /* J, energy margin: the least of all edges. */
  double energy_margin;
  /* N m rad, force-angle margin: the least of all edges, both ways of a line; 0: tipping. */
  double force_angle;
  /* N, by how much the normal force of every contact could fall with the friction kept; negative: contacts cannot give the wrench
   * that they would have to; -INFINITY: whatever they were pressed with; INFINITY: they hold any wrench. */
  double wrench_margin;
  /* N, the wrench margin is exact to this. */
  double wrench_gap;
} pk_stability;

/* All measures that the options ask for. options NULL: the defaults. PK_ERROR_ARGUMENT: an option is out of its range, the mass is not
 * above zero, there is no gravity, a number is not finite, a normal has not unit length. */
PK_API pk_status pk_stability_compute(const pk_stability_input *input, const pk_stability_options *options,
                                      pk_stability *out, pk_error *err);

/* The margin of a measure: static_margin, zmp_margin, fri_margin, s_h, capture_margin, energy_margin, force_angle,
 * wrench_margin. */
PK_API double pk_stability_margin(const pk_stability *stability, pk_stability_measure measure);

/* Of a robot of a world after a step. Contacts are those of the last step, with something that is not part of the robot; a foot is the
 * link that touches, with its own mass and inertia as described. Which legs are front, rear, left and right is read from where they
 * hang on the trunk; the direction of travel is the trunk's x axis. a: [nu] du/dt, by which feet move; NULL: feet stand still, and
 * the FRI is the ZMP. Leaves pk_sim_workspace at the state. PK_ERROR_ARGUMENT: there is no such robot. */
PK_API pk_status pk_sim_stability(pk_sim *sim, int robot, const double *a,
                                  const pk_stability_options *options, pk_stability *out, pk_error *err);

/* The same as a controller sees it, in its update: with the model's masses, in the observation's workspace. */
PK_API pk_status pk_observation_stability(const pk_observation *seen, int robot, const double *a,
                                          const pk_stability_options *options, pk_stability *out,
                                          pk_error *err);

/* The same of worlds first .. first + count - 1 of a batch into out [count]; feet stand still. Masses and momenta are computed
 * on lanes, the rest for each world, all on the batch's threads. */
PK_API pk_status pk_batch_stability(pk_batch *batch, int first, int count, int robot,
                                    const pk_stability_options *options, pk_stability *out, pk_error *err);

/* ---- the FRI by its own equation ---- */

/* A foot that is down, for (8). */
typedef struct pk_stability_foot {
  /* m, where the rest of the robot hangs on it, world. */
  double joint[3];
  /* N, of the foot on the rest there, world. */
  double force[3];
  /* N m, likewise. */
  double moment[3];
  /* kg. */
  double mass;
  /* m, its centre of mass, world. */
  double com[3];
} pk_stability_foot;

/* (8) on the plane z = height, with gravity g along -z: point [3]. Its terms are moments (the paper calls them forces); the inertia of
 * feet is not in it. NAN: no force is carried. */
PK_API void pk_fri_compute(const pk_stability_foot *feet, int count, double g, double height,
                           double point[3]);

/* ---- where the centre of mass may be ---- */

/* Joint torques of a standing robot, as contact forces f_i make them: torque k is bias_k - sum_i row_ki . f_i, within +-limit_k. */
typedef struct pk_stability_torques {
  /* How many, PK_STABILITY_EDGES at most. */
  int count;
  /* [count] N m or N, without contact forces: what holds the limbs. */
  const double *bias;
  /* [count] N m or N, zero or more; INFINITY: none. */
  const double *limit;
  /* [count][ncontact][3] m or 1, world: the rows of the contacts' Jacobians. */
  const double *row;
} pk_stability_torques;

/* Horizontal places of the centre of mass at which a robot can stand still. */
typedef struct pk_feasible_region {
  /* Corners, counterclockwise from above; 0: there is no such place, or they have no bound (`margin` tells). */
  int ncorner;
  /* m, on the ground, world. */
  double corners[PK_STABILITY_EDGES][3];
  /* m, of the GCoM within it, negative outside; -INFINITY: there is no such place; INFINITY: it has no bound. */
  double margin;
  /* m, the region reaches beyond the polygon by this at most. */
  double gap;
} pk_feasible_region;

/* The feasible region (Orsolino 2020): for all places in it there are contact forces in their friction cones that carry the weight with torques
 * within limits, the limbs being where they are. torques NULL: motors are strong, and on flat ground it is the support. Forces, momenta and rates
 * of the input do not count, beside which contacts support. It takes tens of linear programs, 10 ms in all for a quadruped: for planning, not for each step.
 * PK_ERROR_LIMIT: more than PK_STABILITY_EDGES torques. */
PK_API pk_status pk_feasible_region_compute(const pk_stability_input *input,
                                            const pk_stability_torques *torques,
                                            const pk_stability_options *options, pk_feasible_region *out,
                                            pk_error *err);

/* Of a robot of a world after a step, with the effort limits of its model on the joints between trunk and contacts. Leaves pk_sim_workspace at the
 * configuration, at rest. PK_ERROR_UNSUPPORTED: joints are cut. PK_ERROR_LIMIT: more than PK_STABILITY_EDGES contacts or such joints. */
PK_API pk_status pk_sim_feasible_region(pk_sim *sim, int robot, const pk_stability_options *options,
                                        pk_feasible_region *out, pk_error *err);

/* ---- sums over a motion ---- */

/* What a motion comes to; all zeros is an empty one. */
typedef struct pk_stability_sum {
  /* s, of all samples. */
  double time;
  /* s, of those that have a FRI: with support. */
  double supported;
  /* m^2 s, J_s1 (9): the integral of |GCoM - FRI|^2. */
  double js1;
  /* [measure] the least margin; of no meaning where `counted` is zero. */
  double least[PK_STABILITY_MEASURE_COUNT];
  /* [measure] s, when that was. */
  double least_at[PK_STABILITY_MEASURE_COUNT];
  /* [measure] integral of the margin over the time in which it is finite. */
  double integral[PK_STABILITY_MEASURE_COUNT];
  /* [measure] s, in which the margin was a number, infinite ones included. */
  double counted[PK_STABILITY_MEASURE_COUNT];
  /* [measure] s, in which it was finite. */
  double finite[PK_STABILITY_MEASURE_COUNT];
} pk_stability_sum;

/* A sample at `time` (s) that stands for dt seconds. */
PK_API void pk_stability_add(pk_stability_sum *sum, const pk_stability *stability, double time, double dt);

/* m^2, J_s1 over the time with support: the mean square distance of the GCoM from the FRI; NAN without support. */
PK_API double pk_stability_mean_js1(const pk_stability_sum *sum);

/* kg m^2/s, J_s2 (11): minus the least S_H; NAN where there was none. */
PK_API double pk_stability_js2(const pk_stability_sum *sum);

/* The least and the mean margin, the mean of those that are finite; NAN where there was none. */
PK_API double pk_stability_least(const pk_stability_sum *sum, pk_stability_measure measure);
PK_API double pk_stability_mean(const pk_stability_sum *sum, pk_stability_measure measure);

/* ---- a meter of a sim ---- */

typedef struct pk_stability_meter pk_stability_meter;

/* A meter of a robot of a sim, which must outlive it. options NULL: the defaults. */
PK_API pk_status pk_stability_meter_create(pk_sim *sim, int robot, const pk_stability_options *options,
                                           pk_stability_meter **out, pk_error *err);
PK_API void pk_stability_meter_destroy(pk_stability_meter *meter);

/* The sim was put elsewhere by other means than a step: go on from there. Sums stay. */
PK_API void pk_stability_meter_begin(pk_stability_meter *meter);

/* The sim has made a step: the measures at its end, valid until the next call. Accelerations are differences of velocities over
 * the step. */
PK_API const pk_stability *pk_stability_meter_step(pk_stability_meter *meter);

/* The measures of the last such call; NAN before the first. */
PK_API const pk_stability *pk_stability_meter_last(const pk_stability_meter *meter);

/* What all steps came to; write to set it. */
PK_API pk_stability_sum *pk_stability_meter_sum(pk_stability_meter *meter);

#ifdef __cplusplus
}
#endif
#endif
