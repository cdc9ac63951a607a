/* A scenario: what is in the world, what it stands on, how it is stepped, what commands and what disturbs it.
 *
 *   scenario.yaml -> document.c (nodes) -> read.c (by field tables) -> pki_scenario -> world.c -> pk_sim
 *
 * docs/formats/scenario.md describes the file; section.h says what a section is. */
#ifndef PKI_SCENARIO_SCENARIO_H
#define PKI_SCENARIO_SCENARIO_H

#include "base/folders.h"
#include "collision/shapes/heights_file.h"
#include "control/registry.h"
#include "pronk/base_estimator.h"
#include "pronk/code.h"
#include "pronk/collision.h"
#include "pronk/record.h"
#include "pronk/sensing.h"
#include "pronk/sim.h"
#include "pronk/stability.h"
#include "scenario/push_table.h"
#include "scenario/read.h"

/* One entry of `models`. */
typedef struct pki_scenario_model {
  char model[PKI_PATH_MAX], prefix[64], srdf[PKI_PATH_MAX], pose[128], motion[PKI_PATH_MAX];
  pk_root_kind root;
  double position[3], rpy[3], quaternion[4];
  bool on_ground;
  bool meshes, strict, balance_inertia;
  pk_mesh_collision collision_meshes;
  const pki_node *node;
} pki_scenario_model;

/* Entries of lists begin with their node (pki_read_entries). */

/* How a push comes and goes. */
typedef enum pki_push_shape { PKI_PUSH_CONSTANT, PKI_PUSH_HALF_SINE, PKI_PUSH_SHAPE_COUNT } pki_push_shape;

/* In whose axes it is. */
typedef enum pki_push_axes { PKI_PUSH_AXES_WORLD, PKI_PUSH_AXES_LINK, PKI_PUSH_AXES_COUNT } pki_push_axes;

/* One entry of `push`. */
typedef struct pki_scenario_push {
  const pki_node *node;
  char link[128], file[PKI_PATH_MAX];
  double at, duration; /* s */
  double force[3];     /* N */
  double torque[3];    /* N m */
  double point[3];     /* m, link frame */
  pki_push_axes axes;
  pki_push_shape shape;
  pki_push_table table; /* of the file */
} pki_scenario_push;

/* One entry of `disturb`: pushes at equal times in random horizontal directions. */
typedef struct pki_scenario_disturb {
  const pki_node *node;
  char link[128];
  double every, duration; /* s */
  double force;           /* N */
  double from, to;        /* s, when they may begin */
  double point[3];        /* m, link frame */
} pki_scenario_disturb;

/* What a number of `vary` changes. */
typedef enum pki_vary_what {
  PKI_VARY_MASS,
  PKI_VARY_PAYLOAD,
  PKI_VARY_FRICTION,
  PKI_VARY_LATENCY,
  PKI_VARY_POSITION,
  PKI_VARY_YAW,
  PKI_VARY_JOINT,
  PKI_VARY_VELOCITY,
  PKI_VARY_PUSH,
  PKI_VARY_MOTOR,
  PKI_VARY_WINDING,
  PKI_VARY_SPRING,
  PKI_VARY_COUNT
} pki_vary_what;

typedef enum pki_distribution {
  PKI_UNIFORM,
  PKI_NORMAL,
  PKI_LOG_UNIFORM,
  PKI_DISTRIBUTION_COUNT
} pki_distribution;

/* One entry of `vary`: numbers that differ from world to world. */
typedef struct pki_scenario_vary {
  const pki_node *node;
  pki_vary_what what;
  char link[128], joints[128]; /* patterns */
  double point[3];             /* m, link frame, of a payload */
  int axis;                    /* 0: all, 1: x, 2: y, 3: z */
  pki_distribution distribution;
  double from, to, mean, deviation;
} pki_scenario_vary;

/* One entry of `actuators`. Without a kind, what is given replaces what the model says of the joints that match. With one, each of
 * them has such an actuator. */
typedef struct pki_scenario_actuator {
  const pki_node *node;
  char joints[128];
  double effort, velocity, damping, friction, armature;
  double mass;   /* kg, of what drives the joint; added to the link that it hangs on */
  bool undriven; /* actuators of the entries before it are taken away, springs beside them are not */
  const struct pki_actuator_row *row; /* NULL: no actuator */
  char motor[PKI_PATH_MAX];           /* of the catalogue, or a file; "": none */
  void *parameters;                   /* of the kind; owned */
} pki_scenario_actuator;

/* One entry of `sensors`: one sensor, or one on each link or joint that matches. */
typedef struct pki_scenario_sensor {
  const pki_node *node;
  int kind;                                /* row of pki_sensing_kinds */
  char name[64];                           /* "": the kind and what it is on */
  char links[128], joints[128], site[128]; /* patterns of what it is on; a site */
  char part[64];                           /* "": none */
  pk_sensor as;                            /* all else */
} pki_scenario_sensor;

/* One entry of `objects`: a shape that moves freely, or a lattice of them. */
typedef struct pki_scenario_object {
  const pki_node *node;
  char name[64];
  pk_shape_kind shape;
  char file[256];             /* of a mesh */
  double size[3], scale;      /* m; scale: of a mesh */
  double mass;                /* kg */
  double position[3], rpy[3]; /* of the frame; of a lattice: the middle of its lowest layer */
  double velocity[3];         /* m/s */
  double spin[3];             /* rad/s, world axes */
  double count[3];            /* whole numbers along x, y, z */
  double spacing[3], jitter;  /* m */
  bool tumble;
  double color[3]; /* red, green, blue, 0 to 1 */
  char surface[64], compliance[64];
} pki_scenario_object;

/* One entry of `constraints`. */
typedef struct pki_scenario_constraint {
  const pki_node *node;
  pk_constraint_kind kind;
  char name[64], link[128], to[128]; /* to "": the world */
  double position[3], rpy[3];        /* of the frame in link */
  double to_position[3], to_rpy[3];  /* of the frame in `to` */
  double length;                     /* m, of a distance */
} pki_scenario_constraint;

/* One entry of `compliance`, and the word for pairs that do not give way. */
typedef struct pki_scenario_compliance {
  const char *name;
  pk_compliance compliance;
} pki_scenario_compliance;
#define PKI_COMPLIANCE_HARD "hard"

/* One entry of `materials`. */
typedef struct pki_scenario_material {
  const char *name;
  const pki_node *node;
  pk_material material;
  char compliance[64]; /* "": it is hard */
} pki_scenario_material;

/* One entry of `pairs`. */
typedef struct pki_scenario_pair {
  char surface[64], material[64], with[64]; /* material or with; "": not given */
  pk_material law;
  char compliance[64]; /* "": what the surfaces have */
} pki_scenario_pair;

/* `record`: what of a run is kept. */
typedef struct pki_scenario_record {
  double rate;      /* Hz, of states, forces, contacts; 0: nothing */
  double view_rate; /* Hz, of poses, energy, centre of mass */
  pk_recording_compression compression;
  bool loads; /* what joints carry, too */
} pki_scenario_record;

/* What computes the dynamics: the generic kernels, or code that is compiled for the robot (pronk/code.h). */
typedef enum pki_dynamics { PKI_DYNAMICS_GENERIC, PKI_DYNAMICS_COMPILED, PKI_DYNAMICS_COUNT } pki_dynamics;
extern const char *const pki_dynamics_words[PKI_DYNAMICS_COUNT];

typedef struct pki_scenario {
  pki_document *document; /* names and nodes point into it */
  pki_document **drives;  /* [ndrives] and those of actuators into these */
  int ndrives;
  char *text; /* the file as it was read, with a zero after its end */
  size_t text_size;
  char **sets; /* [nset] its overrides, "a.b=c" */
  int nset;
  char file[PKI_PATH_MAX];
  char name[64], description[512];
  double gravity[3]; /* m/s^2 */
  double duration;   /* s */
  double certify;    /* bound on each step's relative residual; 0: none */
  int seed;
  int world; /* which of the varied worlds; -1: the one as it is written */

  pki_scenario_model *models; /* [nmodel] */
  int nmodel;
  const pki_node *coordinates;     /* NULL: minimal */
  pk_terrain *terrain;             /* NULL: none */
  uint64_t files_hash;             /* of what files of ground, objects and SRDF hold; PKI_HASH_START: none */
  const pki_node *compliance_node; /* NULL: none */
  pki_scenario_compliance *compliances;
  int ncompliance;
  pki_scenario_material *materials;
  int nmaterial;
  pk_material bodies;      /* among each other */
  const pki_node *pairs;   /* NULL: none */
  const pki_node *collide; /* NULL: as it is */
  pk_sim_options step;
  int dynamics;                         /* a pki_dynamics */
  const pki_controller_row *controller; /* NULL: none */
  void *controller_options;             /* of the row's type */
  const pki_node *controller_node;
  const pki_node *estimator_node;       /* NULL: there is none */
  pk_base_estimator_options estimator;  /* of the trunk, for controllers that see sensors */
  char (*estimator_feet)[64];           /* names among its options point here; NULL: none */
  char (**controller_names)[64];        /* by field: lists of names that its options point to; NULL: none */
  pki_scenario_object *objects;         /* [nobject] */
  pki_scenario_actuator *actuators;     /* [nactuator] */
  pki_scenario_constraint *constraints; /* [nconstraint] */
  pki_scenario_push *pushes;            /* [npush] */
  pki_scenario_disturb *disturbs;       /* [ndisturb] */
  pki_scenario_vary *varies;            /* [nvary] */
  pki_scenario_sensor *sensors;         /* [nsensor] */
  int nobject, nactuator, nconstraint, npush, ndisturb, nvary, nsensor;
  bool has_battery;
  pk_battery battery;
  bool has_stability;             /* stability of the first robot is measured */
  pk_stability_options stability; /* how */
  pki_scenario_record record;
  char (*record_channels)[64]; /* [nrecord_channel] names, or patterns with '*'; none: all channels */
  int nrecord_channel;
  /* What is allowed and yet hardly meant. Reading notes words that have another name now; the functions
   * pki_scenario_check_* and pki_world_check_* find more. */
  pki_problems warnings;
} pki_scenario;

/* Read a scenario from text, or from a file; `sets` are "a.b=c" overrides. On failure *out is NULL, and `err` tells the
 * first of what is wrong. */
pk_status pki_scenario_parse(const char *file, const char *text, size_t size, const char *const *sets,
                             int nset, pki_scenario **out, pk_error *err);
pk_status pki_scenario_load(const char *path, const char *const *sets, int nset, pki_scenario **out,
                            pk_error *err);
void pki_scenario_destroy(pki_scenario *scenario);

/* The same, with all that is wrong. */
pk_status pki_scenario_parse_all(const char *file, const char *text, size_t size, const char *const *sets,
                                 int nset, pki_scenario **out, pki_problems *problems);
pk_status pki_scenario_load_all(const char *path, const char *const *sets, int nset, pki_scenario **out,
                                pki_problems *problems);

/* A hash of what changes results: the document after its overrides, in the order in which it is written, without
 * name, description, record, duration and certify; and what files of ground, objects and SRDF hold. Comments and layout
 * do not count; keys in another order and numbers in another spelling do. */
uint64_t pki_scenario_hash(const pki_scenario *scenario);

/* --- scenario_locate.c --- */

/* The file of `name`: a path, or the name of a scenario in one of the scenarios folders (./scenarios,
 * PRONK_SCENARIOS, beside the program, installed), with or without .yaml. */
pk_status pki_scenario_locate(const char *name, char path[PKI_PATH_MAX], pk_error *err);

/* A path from the scenario's folder; false when it is too long. */
bool pki_scenario_path(const pki_scenario *scenario, const char *name, char out[PKI_PATH_MAX]);

/* It looks like the name of a scenario's file: it ends in .yaml or .yml. */
bool pki_is_scenario_name(const char *name);

typedef struct pki_scenario_entry {
  char name[64];
  char path[PKI_PATH_MAX];
} pki_scenario_entry;

/* All scenarios by name, for free(); NULL when there are none. */
pki_scenario_entry *pki_scenario_list(int *count);

/* The same for other files that are known by name. */
typedef struct pki_yaml_kind {
  const char *folder; /* "scenarios" */
  const char *chosen; /* the environment variable that names another one */
  const char *word;   /* one of them, in messages */
} pki_yaml_kind;

pki_scenario_entry *pki_yaml_list(const pki_yaml_kind *kind, int *count);
pk_status pki_yaml_locate(const pki_yaml_kind *kind, const char *name, char path[PKI_PATH_MAX],
                          pk_error *err);

/* --- world.c --- */

/* One number that differs from world to world (section_vary.c). */
typedef struct pki_varied {
  int entry, part;  /* of `vary`; which of its numbers */
  int target;       /* body, link, velocity coordinate or axis */
  char name[144];   /* "mass base", "position x" */
  const char *unit; /* "" when it has none */
} pki_varied;

/* Pairs of links that overlap in the start pose, as a world remembers them. */
enum { PKI_OVERLAPS_TOLD = 64 };

/* A world that is ready to step. */
typedef struct pki_world {
  const pki_scenario *scenario;
  pk_model *model;
  pk_actuation *actuation; /* NULL: commands are forces */
  pk_sim *sim;
  pk_controller *controller;
  pk_sensing *sensing;     /* NULL: none */
  pk_estimator *estimator; /* of its trunk; NULL: none */
  int *
      model_robot; /* [nmodel + 1] first robot of each model, which may hold several; the last: robots of all models */
  int remarks;        /* warnings about the files of its models */
  pk_error remark;    /* the first of them */
  int *push_link;     /* [npush] */
  int *disturb_link;  /* [ndisturb] */
  pk_push *acting;    /* [npush + ndisturb] pushes of a step */
  int nacting;        /* of them, those of the last step */
  int *acting_entry;  /* [npush + ndisturb] whose they are: entries of `push`, then of `disturb` */
  pki_varied *varied; /* [nvaried] */
  int nvaried;
  int number;  /* which of the varied worlds it is; -1: the one as it is written */
  double push; /* factor on pushes */
  /* Links that overlap in the pose as it is written, and therefore do not collide, in varied worlds neither; all of them, and the
   * first of them. */
  int noverlap;
  pk_sim_overlap_pair overlaps[PKI_OVERLAPS_TOLD];
  pk_code *code; /* of the model; NULL: generic kernels */
  char not_compiled
      [512];   /* why there is none although the scenario asks for it; "": it does not, or there is one */
  void *start; /* state and parameters as they are written, for pki_world_vary; NULL: nothing varies */
  size_t start_size; /* of the state */
} pki_world;

/* Model, world, controller, initial pose. Names that the model does not have are failures with their line. */
pk_status pki_world_create(const pki_scenario *scenario, pki_world *out, pk_error *err);
pk_status pki_world_create_all(const pki_scenario *scenario, pki_world *out, pki_problems *problems);
void pki_world_free(pki_world *world);

/* What the scenario's `dynamics` asks for: code of the model for one lane and those in `options`, compiled or from the
 * cache. Where it cannot be had, the world goes on with the generic kernels, and world->not_compiled says why. For those who
 * step it; a scenario that asks for nothing costs nothing. */
void pki_world_compile(pki_world *world, const pk_code_options *options);

/* What computes its dynamics: "generic", "compiled". */
const char *pki_world_dynamics(const pki_world *world);

/* A number that is another one for code whose results may differ; 0: generic. */
uint32_t pki_world_code(const pki_world *world);

/* How many actuators the entry of `actuators` has in the world, and the first of them in the list of pk_actuation_create. */
int pki_world_entry_actuators(const pki_world *world, int entry, int *first);

/* One step, with the pushes that act in it. */
pk_status pki_world_step(pki_world *world, pk_step_info *info);

/* --- sections.c --- */

/* All sections; those that are wrong keep what was right of them. */
void pki_scenario_sections(pki_scenario *scenario, pki_problems *problems);

/* --- section_terrain.c --- */

/* The scenario's compliance of that name, likewise. */
pk_status pki_scenario_find_compliance(const pki_scenario *scenario, const pki_node *node, const char *name,
                                       const pk_compliance **out, pk_error *err);

/* Which of the scenario's materials has that name; `node` is where it was asked for. */
pk_status pki_scenario_find_material(const pki_scenario *scenario, const pki_node *node, const char *name,
                                     int *out, pk_error *err);

/* --- size.c --- */

/* The key `size` of an entry whose shape has sizes, m. */
pk_status pki_read_size(const pki_node *entry, pk_shape_kind shape, double size[3], pk_error *err);

/* --- section_objects.c --- */

/* How many an entry stands for. */
int pki_object_number(const pki_scenario_object *object);

/* --- section_collide.c --- */

/* Warn of links of one robot that overlap in the start pose: they were released; and of objects that start in something else. */
void pki_world_check_overlaps(const pki_world *world, pki_problems *warnings);

/* Warn that files of models have warnings, with the first of them. */
void pki_world_check_files(const pki_world *world, pki_problems *warnings);

/* --- section_joints.c --- */

/* Warn of constraints that the initial pose does not hold. */
void pki_world_check_constraints(const pki_world *world, pki_problems *warnings);

/* --- check_sensing.c --- */

/* Warn of trunks that a controller does not see, of estimators that nobody uses, and of rates and delays of sensors that steps
 * do not have. */
void pki_world_check_sensing(const pki_world *world, pki_problems *warnings);

/* Warn of tracked joints in schemes with explicit forces, and of those of legged robots in long steps whose contact rows do not follow the motion. */
void pki_world_check_tracking(const pki_world *world, pki_problems *warnings);

/* --- check_options.c --- */

/* Warnings about keys of `step` that nothing in the world reads, and what else the stepper leaves out. */
void pki_world_check_options(const pki_world *world, pki_problems *warnings);

/* --- check_compliance.c --- */

/* Who has a compliance by what the file says: links, objects, materials and pairs, each by its kind ("link", "object", "material",
 * "pair") and name, in this order. How many there are comes back; `visit` NULL: that alone. */
typedef void pki_compliance_visitor(const char *kind, const char *name, void *user);
int pki_compliance_users(const pki_scenario *scenario, const char *compliance, pki_compliance_visitor *visit,
                         void *user);

/* Warn of compliances that nobody has or that no pair that may meet has on both sides, and of what a material says beside its
 * compliance that does not act. */
void pki_world_check_compliance(const pki_world *world, pki_problems *warnings);

/* --- section_pushes.c --- */

/* What would push world number `number` in a step that begins at `time`, its forces times `factor`, into world->acting; how many.
 * When somebody pushes does not depend on the number. */
int pki_world_pushes(pki_world *world, int number, double factor, double time);

/* What pushes the world in its next step. */
void pki_world_push(pki_world *world);

/* The horizontal direction of push k of entry `entry` of `disturb` in a world: a function of these four alone. */
void pki_disturb_direction(int seed, int world, int entry, long long k, double direction[2]);

/* --- section_vary.c: world k of many --- */

/* Words, units and meanings of what can vary, for listings. */
typedef struct pki_vary_row {
  const char *name, *unit, *doc;
  double least, most; /* that its numbers may have */
  bool link, joints;  /* it needs one, or them */
} pki_vary_row;

/* By pki_vary_what; ends with NULL. */
extern const pki_vary_row *const pki_vary_rows[];

/* A number in world k, as it acts there: a function of the scenario, its seed, k, entry and part alone. */
double pki_varied_value(const pki_scenario *scenario, const pki_varied *varied, int k);

/* Make it world k (-1: as it is written) at its start, whatever it was before. A failure, as of a place beyond the ground or mass that a body
 * cannot have, leaves it as it is written. */
pk_status pki_world_vary(pki_world *world, int k, pk_error *err);

/* Warn of pushes that never act in a run of `duration` s, and of entries of the controller's list that never
 * come to count. */
void pki_scenario_check_times(const pki_scenario *scenario, double duration, pki_problems *warnings);

/* --- sections.c: the schema --- */

typedef struct pki_schema_table {
  const char *name, *doc; /* where it applies */
  const pk_field *fields;
  const int *count;
} pki_schema_table;

/* Every table by number, the whole file's first; false: there is none. */
bool pki_schema_get(int index, pki_schema_table *out);

/* The keys of the sections as fields; how many there are. */
enum { PKI_SECTIONS_MAX = 64 };
int pki_section_fields(pk_field out[PKI_SECTIONS_MAX]);

/* Kinds of ground. */
typedef enum pki_ground_kind {
  PKI_GROUND_PLANE,
  PKI_GROUND_BOX,
  PKI_GROUND_STAIRS,
  PKI_GROUND_HEIGHTS,
  PKI_GROUND_MESH,
  PKI_GROUND_CONVEX,
  PKI_GROUND_SPHERE,
  PKI_GROUND_CYLINDER,
  PKI_GROUND_CAPSULE,
  PKI_GROUND_ELLIPSOID,
  PKI_GROUND_CONE,
  PKI_GROUND_COUNT
} pki_ground_kind;

/* One entry of `terrain`. */
typedef struct pki_ground_solid {
  pki_ground_kind shape;
  char material[64];
  char file[256]; /* of a mesh, of heights */
  double position[3], normal[3], rpy[3], size[3];
  double depth, height, width;
  double scale; /* of a mesh */
  int count;
  pk_heights_options heights;
  pk_heights_pattern pattern;
} pki_ground_solid;

typedef struct pki_controller_name {
  char name[64];
  pk_sees sees;
} pki_controller_name;

/* The file's own numbers and texts; what a controller, a solid of the ground and a constraint are told by; entries of `actuators`
 * without a kind. */
extern const pk_field pki_scenario_fields[], pki_controller_name_fields[], pki_solid_shape_fields[],
    pki_constraint_fields[], pki_actuator_change_fields[];
extern const int pki_scenario_field_count, pki_controller_name_field_count, pki_actuator_change_field_count;

#endif
