/* pk_sim: one world in motion. State, commands and the step.
 *
 *   pk_sim_options o = pk_sim_options_default();
 *   o.dt = 1e-3;
 *   pk_sim *sim;
 *   pk_sim_create(model, &o, &sim, &err);
 *   pk_sim_commands(sim)[3].tau = 1.5;
 *   pk_sim_step(sim, NULL);
 *
 * Stepping allocates nothing, unless contacts outgrow the room that was left to the model (max_contacts), or faces of compliant pairs that
 * press outgrow theirs. The adaptive steppers leave their memory to SUNDIALS, outside pk_sim_memsize. A
 * step that fails leaves the state as it was. Joint limits, dry joint friction and the laws of contact that solve
 * for impulses act in the schemes `euler` and `moreau`. The others integrate forces: those of joints, and contacts
 * of the laws of springs and of compliant surfaces. What a world asks for and its scheme cannot do is refused; an
 * option that nothing reads is told by pk_sim_ignored.
 *
 * Threads: different sims may be used at the same time, also when they share a model, a terrain, a controller
 * or code. One sim belongs to one thread at a time; functions that take a const pk_sim may run on it together
 * while no other function does. */
#ifndef PRONK_SIM_H
#define PRONK_SIM_H

#include "actuation.h"
#include "compliance.h"
#include "contact.h"
#include "control.h"
#include "lcp.h"
#include "terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_sim pk_sim;

/* Every stepper with the name of its row (pki_stepper_NAME, in the file that steps). */
#define PK_STEPPER_LIST(X) \
  /* semi-implicit Euler, order 1 */ \
  X(PK_STEPPER_EULER, euler) \
  /* Moreau's midpoint scheme, order 1 (2 for constant M and h(q)) */ \
  X(PK_STEPPER_MOREAU, moreau) \
  /* Munthe-Kaas Runge-Kutta, order 4 */ \
  X(PK_STEPPER_RK4, rk4) \
  /* adaptive, ARKODE's explicit scheme of order 5, to rtol and atol */ \
  X(PK_STEPPER_ARK_EXPLICIT, ark_explicit) \
  /* adaptive, ARKODE diagonally implicit, for stiff models */ \
  X(PK_STEPPER_ARK_IMPLICIT, ark_implicit)

#define PK_STEPPER_ENUM(id, row) id,
typedef enum pk_stepper { PK_STEPPER_LIST(PK_STEPPER_ENUM) PK_STEPPER_COUNT } pk_stepper;
#undef PK_STEPPER_ENUM

/* Which forces the one-step schemes (Euler, Moreau) take at the end of the step. */
typedef enum pk_implicit_forces {
  PK_IMPLICIT_FORCES_ALL,  /* joint damping and the PD part of commands */
  PK_IMPLICIT_FORCES_NONE, /* nothing: all forces at the start of the step */
  PK_IMPLICIT_FORCES_COUNT
} pk_implicit_forces;

/* How contact is stepped (euler and moreau; the other steppers take contacts of springs as forces). */
typedef enum pk_contact_scheme {
  /* feet stop at the ground and stay there: gaps enter the law, positions are projected */
  PK_CONTACT_STABILISED,
  /* Moreau's scheme as published: closed contacts only, velocities only, cold starts */
  PK_CONTACT_GEHRING_2014,
  PK_CONTACT_SCHEME_COUNT
} pk_contact_scheme;

/* Every law of contact with the name of its row (pki_law_NAME, in the file of the law). */
#define PK_CONTACT_LAW_LIST(X) \
  /* unilateral contact, Coulomb friction and impacts as inequalities: no compliance */ \
  X(PK_CONTACT_LAW_HARD, hard) \
  /* springs and dampers to an anchor, with a memory of stick and slip; explicit forces */ \
  X(PK_CONTACT_LAW_COMPLIANT, compliant) \
  /* the same springs without that memory: friction is a spring that gives way at mu times the normal \
   * force; explicit forces */ \
  X(PK_CONTACT_LAW_PENALTY, penalty) \
  /* penalty with an integral of the depth in its normal force, so that what rests does not sink in \
   * (Drumwright 2008) */ \
  X(PK_CONTACT_LAW_PENALTY_INTEGRAL, penalty_integral) \
  /* a linear complementarity problem: impulses with restitution, Coulomb friction on a pyramid along the \
   * slip, viscous friction (Ayit 2015) */ \
  X(PK_CONTACT_LAW_LCP_PYRAMID, lcp_pyramid) \
  /* every contact a train of collisions, one after the other, each with its own impulse (Mirtich 1996) */ \
  X(PK_CONTACT_LAW_IMPULSE, impulse)

#define PK_CONTACT_LAW_ENUM(id, row) id,
typedef enum pk_contact_law { PK_CONTACT_LAW_LIST(PK_CONTACT_LAW_ENUM) PK_CONTACT_LAW_COUNT } pk_contact_law;
#undef PK_CONTACT_LAW_ENUM

/* Resting contact of the law lcp-pyramid. */
typedef enum pk_contact_resting {
  /* velocities at the end of the step, collisions in the same problem */
  PK_CONTACT_RESTING_VELOCITY,
  /* collisions as impulses without friction, then a problem in accelerations, which can have no solution
   * (Painleve): the step is then made in velocities (pk_step_info.fell_back) */
  PK_CONTACT_RESTING_ACCELERATION,
  PK_CONTACT_RESTING_COUNT
} pk_contact_resting;

/* Friction of the law lcp-pyramid: which r_T a normal impulse r_n allows. */
typedef enum pk_friction_cone {
  /* |r_t| <= mu r_n along the slip at the start of the step, and across it */
  PK_FRICTION_CONE_PYRAMID,
  /* the same along two tangents of the surface, whatever the slip */
  PK_FRICTION_CONE_SQUARE,
  /* |r_T| <= mu r_n + dt mu_v |v_T|, as Ayit 2015 lists it: both tangents in one step of the sweep, then the
   * clip of the norm (4.42), (4.43). No linear problem: pgs alone solves it */
  PK_FRICTION_CONE_NORM,
  PK_FRICTION_CONE_COUNT
} pk_friction_cone;

/* Which method solves the problems of the law lcp-pyramid: one of the solvers of PK_LCP_SOLVER_LIST, or
 * PK_LCP_CHOICE_AUTO: pgs from the last impulses, then lemke, dantzig and pgs again until the tolerance is
 * met; with PK_FRICTION_CONE_NORM pgs. */
#define PK_LCP_CHOICE_ENUM(solver, choice, row) choice,
typedef enum pk_lcp_choice {
  PK_LCP_CHOICE_AUTO,
  PK_LCP_SOLVER_LIST(PK_LCP_CHOICE_ENUM) PK_LCP_CHOICE_COUNT
} pk_lcp_choice;
#undef PK_LCP_CHOICE_ENUM

/* Newton's restitution where contacts differ in it (hard law). Contacts that one robot's motion couples are
 * one impact group; bodies that touch each other are in one group. */
typedef enum pk_impact_law {
  /* the group's smallest coefficient in each direction, and where that would gain energy the smaller one in
   * both: no impact gains energy */
  PK_IMPACT_LAW_GROUP,
  /* each contact its own coefficients, which can gain energy: pk_step_info.impact_gain */
  PK_IMPACT_LAW_NEWTON,
  PK_IMPACT_LAW_COUNT
} pk_impact_law;

/* How bilateral constraints are solved: cut joints and loops. */
typedef enum pk_bilateral_method {
  PK_BILATERAL_METHOD_DIRECT, /* eliminated with M, exactly, before the contact solver */
  PK_BILATERAL_METHOD_PROX,   /* rows that the contact solver iterates over */
  PK_BILATERAL_METHOD_SWEEP, /* rows that jor and sor solve exactly in each sweep; other solvers iterate over them */
  PK_BILATERAL_METHOD_COUNT
} pk_bilateral_method;

/* Which shapes may touch at all is found by their boxes. All ways give the same pairs. */
typedef enum pk_broad_phase {
  PK_BROAD_PHASE_AUTO,       /* by the number of shapes */
  PK_BROAD_PHASE_EXHAUSTIVE, /* all pairs */
  PK_BROAD_PHASE_SWEEP,      /* sweep and prune along three axes, sorted from step to step */
  PK_BROAD_PHASE_GRID,       /* a hash grid of several levels */
  PK_BROAD_PHASE_TREE,       /* a tree of boxes that follows them */
  PK_BROAD_PHASE_COUNT
} pk_broad_phase;

/* How two shapes that are near are measured, and where they touch. Each way takes the pairs that it can
 * (docs/theory/collision.md#narrow-methods); what it cannot is taken as by PK_NARROW_METHOD_AUTO. */
typedef enum pk_narrow_method {
  PK_NARROW_METHOD_AUTO,     /* the quickest exact one for each pair */
  PK_NARROW_METHOD_GJK,      /* simplices: GJK, and EPA where shapes overlap */
  PK_NARROW_METHOD_FEATURES, /* a walk from feature to feature, after Lin and Canny, by V-Clip's rules */
  PK_NARROW_METHOD_VOLUMES,  /* signed distances on grids */
  PK_NARROW_METHOD_TREES,    /* trees of bounding volumes over triangles */
  PK_NARROW_METHOD_COUNT
} pk_narrow_method;

/* Where the time of a step goes. */
typedef enum pk_step_part {
  PK_STEP_PART_CONTROL,   /* the controller */
  PK_STEP_PART_DYNAMICS,  /* M and h; with compiled dynamics the free velocity, too */
  PK_STEP_PART_COLLISION, /* contacts found; those of laws of springs are part of the dynamics */
  PK_STEP_PART_FACTOR,    /* M and bilateral constraints factored, the free velocity */
  PK_STEP_PART_ASSEMBLY,  /* rows and the Delassus matrix */
  PK_STEP_PART_SOLVE,     /* impulses, and the velocity at the end */
  PK_STEP_PART_PROJECT,   /* positions */
  PK_STEP_PART_COUNT
} pk_step_part;

/* What controllers see of a world. */
typedef enum pk_sees {
  PK_SEES_TRUTH,   /* the world as it is; readings of sensors are beside it */
  PK_SEES_SENSORS, /* what its sensors show (sensing.h) */
  PK_SEES_COUNT
} pk_sees;

typedef struct pk_sim_options {
  /* s, time step (adaptive steppers: between outputs). Default 1e-3. */
  double dt;
  /* Default PK_STEPPER_MOREAU. */
  pk_stepper stepper;
  /* Default PK_IMPLICIT_FORCES_ALL. */
  pk_implicit_forces implicit;
  /* Relative tolerance of adaptive steppers. Default 1e-8. */
  double rtol;
  /* Absolute tolerance of adaptive steppers. Default 1e-10. */
  double atol;
  /* Adaptive steppers: internal steps in one step; more is PK_ERROR_CONVERGENCE. Default 100000. */
  int max_internal;
  /* Joint limits act (euler and moreau; the others end with PK_ERROR_UNSUPPORTED, term "a joint limit", in a step that passes one,
   * unless this is false). Default true. */
  bool joint_limits;
  /* Dry joint friction acts, that of motors too (euler and moreau; the others refuse it, unless this is false). Default true. */
  bool joint_friction;
  /* Default PK_CONTACT_STABILISED. */
  pk_contact_scheme contact;
  /* Room for contacts; one more is PK_ERROR_LIMIT and leaves the state as it was. 0: 128, or 24 for each
   * robot and object where that is more, and when a step has more than that the room is doubled and the step
   * made again (not in memory that the caller gave, pk_sim_init). Default 0. */
  int max_contacts;
  /* Rounds, at most, in which the rows of contacts are taken anew at the motion that they were solved for, so that at the end
   * of a long step feet are where they stood, and nothing is left to project (docs/theory/tracking.md). Needs
   * PK_STEPPER_EULER, PK_CONTACT_STABILISED and the hard law. Default 0. */
  int relinearise;
  /* A contact that is open at the start of the step and closes within it has friction over all of it. False: it has none, so that a
   * foot that lands is not held on its way. Default true. */
  bool landing_friction;
  /* Where a contact that stood at the start of the step would slide, the motors of tracked joints (pk_command.correction) that move it
   * give way, as far as it takes to let it stand. Default true. */
  bool yield;
  /* m, contacts nearer than this are looked at: more than a step's travel. Default 0.02. */
  double margin;
  /* Pairs that move by more than their thickness in a step are met on their way (hard law, stabilised).
   * Default true. */
  bool swept;
  /* Threads that measure the faces of compliant meshes, where a pair has some hundreds; no bit of a result depends on it. Worlds of a
   * batch that has several threads itself take one. Default 1. */
  int threads;
  /* Of contact problems. Default PK_SOLVER_AUTO. */
  pk_solver solver;
  /* Its relative residual; some problems need thousands of iterations to go below. Default 1e-8. */
  double tolerance;
  /* Of one solve, of which a step has one for each round and projection. Default 5000. */
  int max_iterations;
  /* Relaxation of jor and sor; 0: chosen from W. Default 0. */
  double alpha;
  /* Default PK_BILATERAL_METHOD_DIRECT. */
  pk_bilateral_method bilateral;
  /* When jor, sor and bgs stop. Default PK_SOLVER_STOP_RESIDUAL. */
  pk_solver_stop stop;
  /* Of PK_SOLVER_STOP_CHANGE. Default 1e-6. */
  double change_rel;
  /* N s, of PK_SOLVER_STOP_CHANGE. Default 1e-6. */
  double change_abs;
  /* Of jor and sor. Default PK_SOLVER_SUCCESSION_FINE. */
  pk_solver_succession succession;
  /* Default PK_CONTACT_LAW_HARD. */
  pk_contact_law law;
  /* Default PK_IMPACT_LAW_GROUP. */
  pk_impact_law impact;
  /* Of lcp-pyramid. Default PK_CONTACT_RESTING_VELOCITY. */
  pk_contact_resting resting;
  /* Of lcp-pyramid. Default PK_LCP_CHOICE_AUTO; PK_FRICTION_CONE_NORM needs this or PK_LCP_CHOICE_PGS. */
  pk_lcp_choice lcp;
  /* Of lcp-pyramid. Default PK_FRICTION_CONE_PYRAMID; PK_FRICTION_CONE_SQUARE needs
   * PK_CONTACT_RESTING_VELOCITY. */
  pk_friction_cone cone;
  /* N/m, of compliant contacts, normal. Default 30000. */
  double stiffness_n;
  /* N/m, tangential. Default 30000. */
  double stiffness_t;
  /* N/m^3, normal: hardens the spring, whose force is stiffness_n x + stiffness_cubic x^3 at a depth of x. Default 0. */
  double stiffness_cubic;
  /* N s/m, of compliant contacts, normal. Default 50. */
  double damping_n;
  /* N s/m, tangential. Default 50. */
  double damping_t;
  /* N/(m s), of penalty-integral: force that a depth adds in each second. Default 30000. */
  double integral_n;
  /* How pairs that may touch are found; it changes no result. Default PK_BROAD_PHASE_AUTO. */
  pk_broad_phase broad;
  /* How near pairs are measured. Default PK_NARROW_METHOD_AUTO. */
  pk_narrow_method narrow;
  /* m, between the nodes of the grids of PK_NARROW_METHOD_VOLUMES; 0: a 32nd of each shape's longest side. Default 0. */
  double volume_cell;
  /* Links of one robot collide with each other. Default true. */
  bool self_collision;
  /* s, room for commands that act late: pk_sim_set_latency. Default 0. */
  double max_latency;
  /* What stands between commands and joint forces (actuation.h), which must outlive the sim; NULL: nothing, commands are
   * forces. Default NULL. */
  const pk_actuation *actuation;
  /* The model's own code for its dynamics (code.h), which must outlive the sim; NULL: generic kernels.
   * Default NULL. */
  const pk_code *code;
  /* Sensors of its robots (sensing.h), which must outlive the sim; NULL: none. Default NULL. */
  const pk_sensing *sensing;
  /* Needs `sensing`, when it is not the truth. Default PK_SEES_TRUTH. */
  pk_sees sees;
  /* Measure the parts of a step: pk_step_info.seconds. Default false. */
  bool timing;
} pk_sim_options;

/* Named sets of options. */
typedef enum pk_sim_preset {
  /* no drift, no sinking in, warm starts, every solver */
  PK_SIM_PRESET_DEFAULT,
  /* the scheme of Gehring et al. 2014 as published: Moreau at 2.5 ms, explicit forces, closed contacts only,
   * cold starts, projected Jacobi with alpha 0.6 until impulses change by less than 1e-6 */
  PK_SIM_PRESET_GEHRING_2014,
  PK_SIM_PRESET_COUNT
} pk_sim_preset;

/* Defaults, a named set, and the first option that is out of its range by name. */
PK_API pk_sim_options pk_sim_options_default(void);
PK_API pk_sim_options pk_sim_options_preset(pk_sim_preset preset);
PK_API pk_status pk_sim_options_validate(const pk_sim_options *options, pk_error *err);

/* The name of a part. */
PK_API const char *pk_step_part_name(pk_step_part part);

/* Why a step could not be made on vector lanes, where a world shares its arithmetic with others
 * (docs/theory/batch.md). It was made for that world alone then, to the same laws. */
typedef enum pk_lane_exit {
  /* lanes made it */
  PK_LANE_EXIT_NONE,
  /* "world": the model, the ground or the options are not made for lanes */
  PK_LANE_EXIT_WORLD,
  /* "command": a command that is none */
  PK_LANE_EXIT_COMMAND,
  /* "fast": a shape moves so far in the step that it may have passed another, or came from out of reach */
  PK_LANE_EXIT_FAST,
  /* "contacts": more contacts or rows than lanes have room for */
  PK_LANE_EXIT_CONTACTS,
  /* "sides": a foot meets two sides of a height field */
  PK_LANE_EXIT_SIDES,
  /* "rounds": the active set did not settle, or impulses did not meet the tolerance */
  PK_LANE_EXIT_ROUNDS,
  /* "numbers": something is not finite */
  PK_LANE_EXIT_NUMBERS,
  PK_LANE_EXIT_COUNT
} pk_lane_exit;

/* What happened in a step. */
typedef struct pk_step_info {
  /* Rounds to find the active set (contacts, limits, commands), or internal steps of adaptive steppers. */
  int iterations;
  /* Coordinates at their torque limit. */
  int saturated;
  /* Body whose state is not finite, or whose command is wrong; -1: none. */
  int body;
  /* What is wrong there: "q", "u", "command" before the step, "q_end", "u_end", "actuation" after it; "" when nothing
   * is. Of two surfaces without a law a sentence, which the sim keeps until its next step or its end. */
  const char *term;
  /* Contacts in the active set. */
  int contacts;
  /* Of the contact solver, all solves of the step. */
  int solver_iterations;
  /* Which solver found the impulses of the last solve; auto: the step on lanes itself, a first guess that was
   * good, or the laws lcp-pyramid and impulse. */
  pk_solver solver;
  /* The same of the law lcp-pyramid. */
  pk_lcp_solver lcp_solver;
  /* Of the step's contact problems (velocities, then projections): the worst. Where lanes made the step it
   * is that of velocities; of positions `penetration` tells. */
  pk_contact_certificate certificate;
  /* Every one of them met the tolerance; see pk_sim_step. Never when the step failed. */
  bool certified;
  /* m/s, the residual of Coulomb's law on the disc for the impulses of the step, where certificate.law is another; that of the
   * certificate where it is coulomb; NAN where contacts are forces. */
  double coulomb;
  /* The same, relative. */
  double coulomb_relative;
  /* Resting contact in accelerations had no solution, or none was found, and the step was made in velocities. */
  bool fell_back;
  /* Collisions that the law impulse resolved one by one. */
  int collisions;
  /* m, deepest gap below zero at the end of the step, contacts and joint limits; NAN after
   * PK_ERROR_NONFINITE. */
  double penetration;
  /* rad or m, how far the worst tracked coordinate ends from where its command wanted it in this step: what motors gave
   * way to limits and contact; 0 where nothing is tracked. */
  double tracking;
  /* m, the farthest that the point of a contact moved along the surface between the start of the step, where it stood, and
   * its end, where it still carries; counted with `relinearise`. */
  double slip;
  /* Rounds of `relinearise` that the step took. */
  int relinearised;
  /* Newton rounds that the laws of compliant pairs took, beside the first solution. */
  int newton;
  /* Rounds in which motors of tracked joints gave way. */
  int yielded;
  /* m or rad, largest gap of a bilateral constraint at the end of the step; NAN likewise. */
  double closure;
  /* Rows that nothing in the world can move (a joint limit or a contact of what constraints hold still).
   * They were given a small response of their own so that the others could be solved, and the step is not
   * certified: `body` and `term` name one. */
  int shifted;
  /* m/s, the largest velocity that such a response stood for; of a projection the gap, m. */
  double shift;
  /* J, what the projection of positions added to the potential energy. */
  double stabilisation;
  /* J, of the pushes in the step; counted when info is asked for. */
  double push_work;
  /* J, work of compliant pairs on the bodies in the step (not adaptive steppers): less than nothing while they store energy. */
  double compliant_work;
  /* J, what their dissipation and friction turned into heat. What the work has taken beside it and has not stored
   * (pk_sim_elastic_energy), the scheme has. */
  double compliant_loss;
  /* J, energy that impacts with unequal restitution brought in; 0 unless impact is newton. */
  double impact_gain;
  /* [part] s, time of each part, when the options ask for it. */
  double seconds[PK_STEP_PART_COUNT];
  /* Why lanes could not make the step. */
  pk_lane_exit left;
  /* Lanes made it, but the scalar solvers found its impulses. */
  bool impulses_alone;
} pk_step_info;

/* The name of a reason, as "fast". */
PK_API const char *pk_lane_exit_name(pk_lane_exit left);

/* What two surfaces do to each other. */
typedef struct pk_material {
  /* Coulomb's coefficient, zero or more; left out of an initialiser it is 0: ice. Default 0.8. */
  double friction;
  /* Coefficient along the normal, 0 to 1: Newton's (laws hard and lcp-pyramid), of energies Stronge's (law impulse). Default 0. */
  double restitution_n;
  /* Newton's coefficient along the surface, 0 to 1 (laws hard and lcp-pyramid). Default 0. */
  double restitution_t;
  /* N s/m, friction that grows with the slip, beside Coulomb's (laws compliant, penalty, penalty-integral and lcp-pyramid).
   * Default 0. */
  double viscous;
} pk_material;

/* Defaults, and the first value that is out of its range by name. */
PK_API pk_material pk_material_default(void);
PK_API pk_status pk_material_validate(const pk_material *material, pk_error *err);

/* A world of its own at the model's initial pose: in memory of the caller's (of pk_sim_memsize bytes, 64-byte
 * aligned, otherwise PK_ERROR_ARGUMENT), or allocated. options NULL: the defaults. The model must outlive it.
 *
 * What steps write lies in that memory: state, contacts, rows, scratch. pk_sim_init still allocates what is
 * made ready once: the geometries of the model's shapes (hulls and trees), the lists of links that do not
 * collide and, for an adaptive stepper, what SUNDIALS needs. pk_sim_set_controller allocates the controller's
 * block, pk_sim_set_terrain and the functions that say who collides (collision.h) lists of their own. The patches
 * of compliant pairs have memory of their own, too: the functions that set compliances, surfaces and the ground allocate it, and a step
 * that finds more faces pressing than it has room for makes it larger. All of it is freed by pk_sim_destroy, which therefore must be called in both cases, before the memory is freed. */
PK_API size_t pk_sim_memsize(const pk_model *model, const pk_sim_options *options);
PK_API pk_status pk_sim_init(const pk_model *model, const pk_sim_options *options, void *memory, pk_sim **out,
                             pk_error *err);
PK_API pk_status pk_sim_create(const pk_model *model, const pk_sim_options *options, pk_sim **out,
                               pk_error *err);

/* Options of the world, off their defaults, that its stepper, law, scheme or solver does not read and that change nothing
 * therefore: one for each, at most `most` of them into `out`; returns how many there are. `field` is the option, the message
 * says who does not read it and who does. Bodies that could touch and pass through each other are told likewise (field
 * "stepper"), and limits of joints that the stepper cannot hold (field "joint_limits"). Options that motion itself would miss are not among them: they are refused with PK_ERROR_UNSUPPORTED or
 * PK_ERROR_ARGUMENT where they are set, with such a message. `pronk list options` has the table. */
PK_API int pk_sim_ignored(const pk_sim *sim, pk_error *out, int most);

/* Free it; memory of the caller's stays the caller's. */
PK_API void pk_sim_destroy(pk_sim *sim);

/* The ground, which must outlive the sim; NULL: none. Solids that are added to it later do not collide.
 * materials [count] are what its solids refer to; NULL: friction 0.8, no restitution, for all. Joint limits
 * and joint friction act with or without ground. PK_ERROR_UNSUPPORTED: a material has a number that the world's law does not
 * read (field "restitution_n", "restitution_t" or "viscous"), or the stepper knows no contact (field "stepper"); materials of
 * pairs and of bodies are held to the same. */
PK_API pk_status pk_sim_set_terrain(pk_sim *sim, const pk_terrain *terrain, const pk_material *materials,
                                    int count, pk_error *err);

/* Material pairs. A robot's collision shapes have surfaces, 0 unless set: small numbers that the user gives
 * meaning to (rubber feet, steel body). A pair says what a surface does on a material of the ground; without
 * one the ground's material alone decides. Terrain, surfaces and pairs may be set in any order, and a reset
 * keeps them.
 *
 *   pk_sim_set_surface(sim, foot_shape, 1, &err);
 *   pk_sim_set_pair(sim, 1, 0, &(pk_material){.friction = 1.1}, &err);    feet on material 0 */
PK_API pk_status pk_sim_set_surface(pk_sim *sim, int shape, int surface, pk_error *err);
PK_API pk_status pk_sim_set_pair(pk_sim *sim, int surface, int material, const pk_material *pair,
                                 pk_error *err);

/* What bodies do to each other where they touch: the defaults (friction 0.8, no restitution) unless another
 * material is set here, and a law of its own for two surfaces, in any order, a surface with itself too.
 *
 *   pk_sim_set_body_material(sim, &(pk_material){.friction = 0.3}, &err);
 *   pk_sim_set_surface_pair(sim, 1, 2, &(pk_material){.friction = 0.1}, &err);    surface 1 on surface 2 */
PK_API pk_status pk_sim_set_body_material(pk_sim *sim, const pk_material *material, pk_error *err);
PK_API pk_status pk_sim_set_surface_pair(pk_sim *sim, int surface_a, int surface_b, const pk_material *pair,
                                         pk_error *err);

/* Compliance: surfaces that give way (compliance.h). A pair of shapes of which both surfaces have a compliance, or a shape and a material
 * of the ground that both have one, do not touch in points: they press each other where they overlap. All other pairs obey the world's
 * law. NULL takes a compliance away. A pair may be told apart: NULL makes it hard, a compliance is then that of both surfaces. The first
 * compliance, and what changes who is soft, allocate; steps do not, unless more faces press than there is room for: the room then grows.
 *
 *   pk_compliance rubber = pk_compliance_default();
 *   pk_sim_set_surface(sim, foot_shape, 1, &err);
 *   pk_sim_set_surface_compliance(sim, 1, &rubber, &err);
 *   pk_sim_set_material_compliance(sim, 0, &rubber, &err);
 *
 * With a stepper that knows no contact else (rk4) compliances are set before the ground. */
PK_API pk_status pk_sim_set_surface_compliance(pk_sim *sim, int surface, const pk_compliance *compliance,
                                               pk_error *err);
PK_API pk_status pk_sim_set_material_compliance(pk_sim *sim, int material, const pk_compliance *compliance,
                                                pk_error *err);
PK_API pk_status pk_sim_set_pair_compliance(pk_sim *sim, int surface, int material,
                                            const pk_compliance *compliance, pk_error *err);
PK_API pk_status pk_sim_set_surface_pair_compliance(pk_sim *sim, int surface_a, int surface_b,
                                                    const pk_compliance *compliance, pk_error *err);

/* Whether there are laws for all pairs of shapes that are soft: PK_ERROR_UNSUPPORTED and PK_ERROR_MESH name two links and say what the law
 * takes. A step asks the same of a world that has changed: its info names the pair. */
PK_API pk_status pk_sim_check_compliance(pk_sim *sim, pk_error *err);

/* J, stored in all compliant pairs at the sim's state; NAN where pk_sim_check_compliance fails. */
PK_API double pk_sim_elastic_energy(pk_sim *sim);

/* One face that presses, or the one ellipse of round bodies. */
typedef struct pk_sim_pressure {
  /* Index into the model's shapes; -1: the ground. */
  int shape;
  /* The shape that it presses; -1: the ground. */
  int other;
  /* The body that its corners are fixed in; -1: the world. */
  int body;
  /* A number that it has among the faces of `shape`, the same in every step; -1: it is the ellipse of round bodies. */
  int face;
  /* m^2, that the face stands for. */
  double area;
  /* Pa, normal. */
  double pressure;
  /* m, world: where its force acts. */
  double point[3];
  /* N, on `shape`, world axes. */
  double force[3];
  /* m, its corners in the frame of `body`; of an ellipse its centre, and two points of a disc of its area. */
  double corner[3][3];
} pk_sim_pressure;

/* Faces of compliant pairs that press at the end of the last step, at most `most` of them into `out`; returns how many there were. None
 * after a reset, and where a state was set. An implicit `moreau` finds pairs at the middle of the step and takes depths a whole step beyond:
 * its forces, pressures and compliant_work are those of depths half a step after the end. `euler` has those of the end. */
PK_API int pk_sim_pressures(const pk_sim *sim, pk_sim_pressure *out, int most);

/* Parameters: what may differ from world to world of one model. A reset keeps them; pk_sim_get_state does not
 * hold them, as it does not hold the ground and the materials: set them again in a world that goes on from a
 * state.
 *
 *   pk_sim_scale_mass(sim, trunk_body, 1.15, &err);                         everything about it 15 % heavier
 *   pk_sim_add_mass(sim, trunk_link, 2, (const double[]){0, 0, 0.1}, &err);   2 kg on its back
 *   pk_sim_set_friction(sim, 0.5, &err);                                    half the friction, everywhere
 *   pk_sim_set_latency(sim, 0.005, &err);                                   commands act 5 ms late
 *
 * Inertia of a body: as pk_model.body_inertia, in the body's frame. PK_ERROR_ARGUMENT: no such body or link,
 * numbers that no body has, or a body that is lighter in some direction than a thousandth of the model's
 * (what the model can move must stay movable). Controllers compute with the model's masses, not with these:
 * what differs in a world is what they do not know. */
PK_API pk_status pk_sim_set_inertia(pk_sim *sim, int body, const double inertia[10], pk_error *err);
PK_API pk_status pk_sim_get_inertia(const pk_sim *sim, int body, double inertia[10]);

/* A body's mass and moments times a factor; its centre of mass stays. */
PK_API pk_status pk_sim_scale_mass(pk_sim *sim, int body, double factor, pk_error *err);

/* A point mass (kg) at a point of a link (link frame, m) from now on, or less mass there when it is negative.
 * Adding mass several times adds up. */
PK_API pk_status pk_sim_add_mass(pk_sim *sim, int link, double mass, const double at[3], pk_error *err);

/* kg, of one robot as it is in this world, or of all that moves (robot -1); NAN: there is no such robot. */
PK_API double pk_sim_mass(const pk_sim *sim, int robot);

/* All coefficients of friction of contacts times a factor of zero or more; 1 at first. */
PK_API pk_status pk_sim_set_friction(pk_sim *sim, double factor, pk_error *err);
PK_API double pk_sim_get_friction(const pk_sim *sim);

/* Which value of a motor differs in a world. */
typedef enum pk_motor_value {
  PK_MOTOR_VALUE_CONSTANT,   /* torque and back-EMF */
  PK_MOTOR_VALUE_RESISTANCE, /* of the winding */
  PK_MOTOR_VALUE_FRICTION,   /* dry, of the rotor */
  PK_MOTOR_VALUE_SPRING,     /* stiffness of a sea's */
  PK_MOTOR_VALUE_COUNT
} pk_motor_value;

/* A value of a motor ("dc" or "sea") times a factor above zero, in this world alone; factors multiply. `actuator` counts the list
 * of pk_actuation_create. */
PK_API pk_status pk_sim_scale_motor(pk_sim *sim, int actuator, pk_motor_value what, double factor,
                                    pk_error *err);

/* Commands act late by a whole number of steps, at most the option max_latency: what stands in
 * pk_sim_commands when step k begins acts in step k + n. In the first n steps after a reset no command acts.
 * 0 at first. The commands on their way are part of the state. */
PK_API pk_status pk_sim_set_latency(pk_sim *sim, double seconds, pk_error *err);
PK_API double pk_sim_get_latency(const pk_sim *sim);

/* The controller that sets the commands from now on, at the start of a step whenever its period has passed;
 * NULL: none. The controller and what it points to must outlive its use. Its state block is allocated here.
 * PK_ERROR_ARGUMENT: it has no update, a period that is no whole number of steps, or was made for another
 * model; who was set before then stays. */
PK_API pk_status pk_sim_set_controller(pk_sim *sim, const pk_controller *controller, pk_error *err);

/* A force and a torque on a link. */
typedef struct pk_push {
  /* Index into the model's links. */
  int link;
  /* m, where the force acts, in the link's frame. */
  double point[3];
  /* N. */
  double force[3];
  /* N m. */
  double torque[3];
  /* true: force and torque are in the link's axes; false: in the world's. */
  bool own_axes;
} pk_push;

/* A push acts during the next step; several add up. The second form is a force in world axes. PK_ERROR_ARGUMENT: no such link, or numbers
 * that are not finite. */
PK_API pk_status pk_sim_add_push(pk_sim *sim, const pk_push *push);
PK_API pk_status pk_sim_push(pk_sim *sim, int link, const double point[3], const double force[3]);

/* Forces of the user's own that depend on the state: springs, wind, drag. The function is called within the step, by `euler` and `moreau` once, at
 * its start, by `rk4` and the adaptive schemes at each of their stages, and adds pushes (pk_sim_push, pk_sim_add_push) that act there. `time`, q
 * and u are those of the stage; pk_sim_workspace has kinematics and velocities there, for pk_link_pose and pk_link_point_velocity; the
 * sim's own state is that of the start of the step. It must do nothing else to the sim. NULL: none. It is no part of the state; a batch has
 * none. Forces that are stiff need short steps in `euler` and `moreau`, which hold them over the step.
 *
 *   static void blow(void *user, pk_sim *sim, double time, const double *q, const double *u)
 *   {
 *     const wind *w = user;
 *     double v[3], force[3];
 *     pk_link_point_velocity(pk_sim_workspace(sim), w->link, w->centre, v);
 *     for (int k = 0; k < 3; k++) {
 *       force[k] = w->drag * (w->speed[k] - v[k]);
 *     }
 *     pk_sim_push(sim, w->link, w->centre, force);
 *   }
 *
 *   pk_sim_set_force(sim, blow, &breeze); */
typedef void (*pk_force_function)(void *user, pk_sim *sim, double time, const double *q, const double *u);
PK_API void pk_sim_set_force(pk_sim *sim, pk_force_function function, void *user);

/* The world in joint coordinates: every joint its own coordinate, as controllers see it and logs keep it.
 * Without cut joints that is the model and its state. With them pk_sim_get_joints computes in
 * pk_sim_workspace and leaves it at the world's state. */
PK_API const pk_model *pk_sim_joint_model(const pk_sim *sim);
PK_API void pk_sim_get_joints(pk_sim *sim, double *q, double *u);
PK_API void pk_sim_set_joints(pk_sim *sim, const double *q, const double *u);

/* Back to the model's initial pose, at rest, time zero, no commands; the controller forgets. */
PK_API void pk_sim_reset(pk_sim *sim);

/* All that the next step depends on, as bytes: configuration, velocities, commands (also those on their way),
 * pushes, time, what contacts remember, the controller's block. Into a world of the same model, options and
 * controller, this one or another, it goes back to the bit: the steps that follow are the same. The ground,
 * materials, who collides, the world's parameters and the controller's are not in it.
 *
 *   void *state = malloc(pk_sim_state_size(sim));
 *   pk_sim_get_state(sim, state);
 *   ...
 *   pk_sim_set_state(sim, state, pk_sim_state_size(sim), &err);    as it was
 *
 * The size changes with the controller, and with the room for contacts (pk_sim_max_contacts), which may grow in
 * a step: ask for it before each pk_sim_get_state, unless max_contacts is given. A state from before goes back
 * all the same. The bytes hold no pointers, may lie anywhere, and are for the same build on the same kind of
 * machine. pk_sim_set_state allocates nothing unless the state needs more room for contacts than there is,
 * checks everything, and leaves the world as it was when they do not fit: PK_ERROR_ARGUMENT for a state of another world, PK_ERROR_SYNTAX
 * for bytes that are none. */
PK_API size_t pk_sim_state_size(const pk_sim *sim);
PK_API void pk_sim_get_state(const pk_sim *sim, void *state);
PK_API pk_status pk_sim_set_state(pk_sim *sim, const void *state, size_t size, pk_error *err);

/* One time step. info may be NULL. A step that fails leaves state, contacts and time as they were; the
 * controller has been asked by then, and pushes are spent. A contact problem that does not meet the tolerance
 * within max_iterations does not stop the world: the step goes on with the best impulses found, returns PK_OK
 * and says so in info->certified and info->certificate; pk_sim_uncertified counts such steps. PK_ERROR_LIMIT
 * (term "max_contacts"): more contacts than there is room for, where the room cannot grow. PK_ERROR_CONVERGENCE (term
 * "collision"): the law lcp-pyramid in accelerations found no impulse. */
PK_API pk_status pk_sim_step(pk_sim *sim, pk_step_info *info);

/* Steps since the last reset whose certificate was not met, whether or not their info was asked for: a
 * program that steps with info NULL looks here in the end. It is part of the state: a world that goes on from
 * a checkpoint goes on counting. Worlds of a batch count, too: pk_batch_world_uncertified. */
PK_API long long pk_sim_uncertified(const pk_sim *sim);

/* Time is the number of steps times dt. */
PK_API double pk_sim_time(const pk_sim *sim);

/* Contacts of the last step's active set, at most `most` of them into `out`; returns how many there were. */
PK_API int pk_sim_contacts(const pk_sim *sim, pk_sim_contact *out, int most);

/* [njoint of the joint model][6] What each joint carried in the last step: force (N), then moment (N m), that the parent puts on the child
 * through the joint, in the child's axes, at the child's origin, which lies in the joint. By inverse dynamics with contacts, pushes, constraints
 * that close loops, mass that the world adds; means over the step. Along the axis it is what the motor makes less what its rotor's
 * inertia and friction take; the other components load the bearing. Zeros before the first step, after a reset, and where a state was
 * set. docs/theory/dynamics.md has the equations. */
PK_API void pk_sim_joint_loads(pk_sim *sim, double *loads);

/* Room for contacts in one step: the option, or what was chosen for the model and has grown to since. */
PK_API int pk_sim_max_contacts(const pk_sim *sim);

/* [nq] Configuration; write to set it. q of a free body: position, quaternion (w, x, y, z), which is read as
 * if it had unit length. A model's initial pose is no stance: put the robot where it can stand before the
 * first step. */
PK_API double *pk_sim_q(pk_sim *sim);

/* [nu] Velocities; write to set them. */
PK_API double *pk_sim_u(pk_sim *sim);

/* [nu of the joint model] Commands, kept until changed. */
PK_API pk_command *pk_sim_commands(pk_sim *sim);

/* [nu of the joint model] N m or N, joint forces of commands in the last step. */
PK_API const double *pk_sim_tau(const pk_sim *sim);

/* [pk_actuation_state_size] What actuators remember: those of actuator i begin at pk_actuation_state_at(actuation, i); write to
 * set them. NULL: there are none. */
PK_API double *pk_sim_actuation(pk_sim *sim);

/* Scratch of the world's model, for queries between steps. */
PK_API pk_workspace *pk_sim_workspace(pk_sim *sim);

PK_API const pk_model *pk_sim_model(const pk_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
