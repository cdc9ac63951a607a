/* The schema of scenarios: one table for each mapping of the file. */
#include <math.h>

#include "record/recording.h"
#include "scenario/scenario.h"
#include "step/world.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))
#define PART(name, doc) \
  { \
    name, 0, PK_FIELD_PART, "", 0, 0, 0, NULL, doc \
  }
#define TEXT(name, type, member, least, doc) \
  { \
    name, offsetof(type, member), PK_FIELD_TEXT, "", 0, least, sizeof((type *)0)->member - 1, NULL, doc \
  }

const char *const pki_dynamics_words[PKI_DYNAMICS_COUNT] = {"generic", "compiled"};

const pk_field pki_scenario_fields[] = {
    TEXT("name", pki_scenario, name, 0, "what it is called; default: the file's name"),
    TEXT("description", pki_scenario, description, 0, "one line about it"),
    PART("model", "the robot: a name, a path or a mapping"),
    PART("models", "several of them, as a list"),
    PART("objects", "shapes that move freely: a list"),
    {"gravity", offsetof(pki_scenario, gravity), PK_FIELD_VEC3, "m/s^2", 0, -1000, 1000, NULL,
     "of the world; default: [0, 0, -9.81]"},
    PART("coordinates", "what the world is computed in: minimal, maximal, or a list of joints to cut"),
    PART("terrain", "the ground: a list of solids"),
    PART("materials", "materials of the ground by name"),
    PART("bodies", "what robots and objects do to each other where no pair says more: a material"),
    PART("pairs", "what surfaces of robots do on materials of the ground and to each other: a list"),
    PART("collide", "which links collide, beside what is usual"),
    PART("step", "how the world is stepped"),
    {"dynamics", offsetof(pki_scenario, dynamics), PK_FIELD_ENUM, "", PKI_DYNAMICS_GENERIC, 0,
     PKI_DYNAMICS_COUNT - 1, pki_dynamics_words,
     "who computes them: kernels for all robots, or this one's own code"},
    PART("controller", "who sets the commands; default: nobody"),
    PART("actuators", "what joints can do, instead of what the model says: a list"),
    PART("constraints", "what holds links together beside their joints: a list"),
    PART("push", "forces on links: a list"),
    PART("disturb", "random forces on links, drawn from the seed: a list"),
    PART("vary", "what differs from world to world of a batch: a list"),
    {"world", offsetof(pki_scenario, world), PK_FIELD_INT, "", -1, -1, 2147483647, NULL,
     "which of the varied worlds this is, -1: the one as it is written"},
    PART("record", "what of a run is kept"),
    {"duration", offsetof(pki_scenario, duration), PK_FIELD_REAL, "s", NAN, 0, 1e6, NULL, "how long it runs"},
    {"certify", offsetof(pki_scenario, certify), PK_FIELD_REAL, "", 0, 0, 1, NULL,
     "largest relative residual that a step may have, 0: no bound"},
    {"seed", offsetof(pki_scenario, seed), PK_FIELD_INT, "", 0, 0, 2147483647, NULL,
     "of what is drawn: vary, the directions of disturb, jitter and tumble of objects"},
};
const int pki_scenario_field_count = COUNT(pki_scenario_fields);

static const char *const root_words[] = {"auto", "free", "fixed", "chain"};
_Static_assert(PK_ROOT_AUTO == 0 && PK_ROOT_FREE == 1 && PK_ROOT_FIXED == 2 && PK_ROOT_CHAIN == 3, "words");

#define MODEL(name) #name, offsetof(pki_scenario_model, name)
const pk_field pki_scenario_model_fields[] = {
    TEXT("model", pki_scenario_model, model, 1, "a model's name, or a path from the scenario's folder"),
    TEXT("prefix", pki_scenario_model, prefix, 0, "put before its link and joint names"),
    {MODEL(root), PK_FIELD_ENUM, "", PK_ROOT_AUTO, 0, PK_ROOT_KIND_COUNT - 1, root_words,
     "how its root meets the world"},
    {MODEL(position), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "of its root"},
    {MODEL(rpy), PK_FIELD_VEC3, "rad", 0, -1e6, 1e6, NULL, "roll, pitch, yaw of its root"},
    {MODEL(quaternion), PK_FIELD_VEC4, "", 0, -1e6, 1e6, NULL, "of its root (w, x, y, z), instead of rpy"},
    PART("joints", "initial pose: a value for each joint that is named"),
    TEXT("srdf", pki_scenario_model, srdf, 0,
         "a path from the scenario's folder: pairs of its links that do not collide"),
    PART("surfaces", "surfaces by link, for pairs; default: the ground's material alone decides"),
};
const int pki_scenario_model_field_count = COUNT(pki_scenario_model_fields);

#define PUSH(member) offsetof(pki_scenario_push, member)
const pk_field pki_scenario_push_fields[] = {
    TEXT("link", pki_scenario_push, link, 1, "what is pushed, with its prefix"),
    {"at", PUSH(at), PK_FIELD_REAL, "s", NAN, 0, 1e6, NULL, "when it begins"},
    {"for", PUSH(duration), PK_FIELD_REAL, "s", NAN, 0, 1e6, NULL, "how long it lasts"},
    {"force", PUSH(force), PK_FIELD_VEC3, "N", NAN, -1e9, 1e9, NULL, "world axes"},
    {"point", PUSH(point), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "where, in the link's frame"},
};
const int pki_scenario_push_field_count = COUNT(pki_scenario_push_fields);

#define DISTURB(member) offsetof(pki_scenario_disturb, member)
const pk_field pki_disturb_fields[] = {
    TEXT("link", pki_scenario_disturb, link, 1, "what is pushed, with its prefix"),
    {"every", DISTURB(every), PK_FIELD_REAL, "s", NAN, 1e-9, 1e6, NULL, "time from one push to the next"},
    {"for", DISTURB(duration), PK_FIELD_REAL, "s", NAN, 0, 1e6, NULL, "how long each lasts"},
    {"force", DISTURB(force), PK_FIELD_REAL, "N", NAN, 0, 1e9, NULL,
     "of each, in a random horizontal direction"},
    {"from", DISTURB(from), PK_FIELD_REAL, "s", 0, 0, 1e6, NULL, "when the first begins"},
    {"to", DISTURB(to), PK_FIELD_REAL, "s", 1e6, 0, 1e6, NULL, "none begins at this time or later"},
    {"point", DISTURB(point), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "where, in the link's frame"},
};
const int pki_disturb_field_count = COUNT(pki_disturb_fields);

static const char *const vary_words[] = {"mass", "payload", "friction", "latency", "position",
                                         "yaw",  "joint",   "velocity", "push"};
_Static_assert(PKI_VARY_MASS == 0 && PKI_VARY_YAW == 5 && PKI_VARY_PUSH == 8 && PKI_VARY_COUNT == 9, "words");
static const char *const axis_words[] = {"all", "x", "y", "z"};
static const char *const distribution_words[] = {"uniform", "normal", "log-uniform"};
_Static_assert(PKI_NORMAL == 1 && PKI_LOG_UNIFORM == 2, "words");

#define VARY(name) #name, offsetof(pki_scenario_vary, name)
const pk_field pki_vary_fields[] = {
    {VARY(what), PK_FIELD_ENUM, "", -1, 0, PKI_VARY_COUNT - 1, vary_words, "what differs"},
    TEXT("link", pki_scenario_vary, link, 0,
         "of mass and payload: a link with its prefix, or a pattern with *"),
    TEXT("joints", pki_scenario_vary, joints, 0, "of joint: a joint with its prefix, or a pattern with *"),
    {VARY(point), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "of a payload: where, in the link's frame"},
    {VARY(axis), PK_FIELD_ENUM, "", 0, 0, 3, axis_words, "of position (all: x and y) and velocity (x, y, z)"},
    {VARY(distribution), PK_FIELD_ENUM, "", PKI_UNIFORM, 0, PKI_DISTRIBUTION_COUNT - 1, distribution_words,
     "how its numbers are spread"},
    {VARY(from), PK_FIELD_REAL, "", 0, -1e6, 1e6, NULL, "least; of normal numbers: what they are cut off at"},
    {VARY(to), PK_FIELD_REAL, "", 0, -1e6, 1e6, NULL, "largest; likewise"},
    {VARY(mean), PK_FIELD_REAL, "", 0, -1e6, 1e6, NULL, "of normal numbers"},
    {VARY(deviation), PK_FIELD_REAL, "", 0, 0, 1e6, NULL, "of normal numbers: their standard deviation"},
};
const int pki_vary_field_count = COUNT(pki_vary_fields);

static const char *const object_words[] = {"sphere", "box",       "cylinder", "capsule",
                                           "mesh",   "ellipsoid", "cone",     "convex"};
_Static_assert(PK_SHAPE_SPHERE == 0 && PK_SHAPE_BOX == 1 && PK_SHAPE_CYLINDER == 2 && PK_SHAPE_CAPSULE == 3 &&
                   PK_SHAPE_MESH == 4 && PK_SHAPE_ELLIPSOID == 5 && PK_SHAPE_CONE == 6 &&
                   PK_SHAPE_CONVEX == 7,
               "words");

#define OBJECT(name) #name, offsetof(pki_scenario_object, name)
const pk_field pki_object_fields[] = {
    {OBJECT(shape), PK_FIELD_ENUM, "", -1, 0, PK_SHAPE_CONVEX, object_words,
     "what it is (pronk list shapes)"},
    TEXT("name", pki_scenario_object, name, 0,
         "of its link, numbered when there are several; default: shape and entry"),
    PART("size", "as `pronk list shapes` says: one number, or a list, m"),
    TEXT("file", pki_scenario_object, file, 0,
         "of a mesh or convex shape: a path from the scenario's folder"),
    {OBJECT(scale), PK_FIELD_REAL, "", 1, 1e-9, 1e9, NULL, "of the file's lengths"},
    {OBJECT(mass), PK_FIELD_REAL, "kg", 1, 1e-9, 1e9, NULL, "spread evenly over its volume"},
    {OBJECT(position), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL,
     "of its frame; of several: the middle of the lowest layer"},
    {OBJECT(rpy), PK_FIELD_VEC3, "rad", 0, -1e6, 1e6, NULL, "its roll, pitch, yaw"},
    {OBJECT(velocity), PK_FIELD_VEC3, "m/s", 0, -1e6, 1e6, NULL, "at the start"},
    {OBJECT(spin), PK_FIELD_VEC3, "rad/s", 0, -1e6, 1e6, NULL, "angular velocity at the start, world axes"},
    {OBJECT(count), PK_FIELD_VEC3, "", 1, 1, 20000, NULL, "how many along x, y, z"},
    {OBJECT(spacing), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "from one to the next along x, y, z"},
    {OBJECT(jitter), PK_FIELD_REAL, "m", 0, 0, 1e6, NULL, "random shift of each, up to this along each axis"},
    {OBJECT(tumble), PK_FIELD_BOOL, "", 0, 0, 1, NULL, "each is turned at random"},
    {OBJECT(color), PK_FIELD_VEC3, "", 0, 0, 1, NULL,
     "red, green, blue, 0 to 1; default: one for each entry"},
    TEXT("surface", pki_scenario_object, surface, 0, "a surface's name, for pairs"),
};
const int pki_object_field_count = COUNT(pki_object_fields);

#define ACTUATOR(name, unit, doc) \
  { \
#name, offsetof(pki_scenario_actuator, name), PK_FIELD_REAL, unit, 0, 0, INFINITY, NULL, \
        doc "; default: the model's" \
  }
const pk_field pki_actuator_fields[] = {
    TEXT("joints", pki_scenario_actuator, joints, 1, "a joint with its prefix, or a pattern with *"),
    ACTUATOR(effort, "N m", "largest torque, or force in N"),
    ACTUATOR(velocity, "rad/s", "largest speed, or in m/s"),
    ACTUATOR(damping, "N m s/rad", "viscous, or in N s/m"),
    ACTUATOR(friction, "N m", "Coulomb's, or in N"),
    ACTUATOR(armature, "kg m^2", "inertia of the rotor at the joint, or mass in kg"),
};
const int pki_actuator_field_count = COUNT(pki_actuator_fields);

static const char *const constraint_words[] = {"weld", "ball", "hinge", "slider", "distance"};
_Static_assert(PK_CONSTRAINT_WELD == 0 && PK_CONSTRAINT_BALL == 1 && PK_CONSTRAINT_HINGE == 2 &&
                   PK_CONSTRAINT_SLIDER == 3 && PK_CONSTRAINT_DISTANCE == 4,
               "words");

#define HELD(name) #name, offsetof(pki_scenario_constraint, name)
const pk_field pki_constraint_fields[] = {
    {HELD(kind), PK_FIELD_ENUM, "", -1, 0, PK_CONSTRAINT_KIND_COUNT - 1, constraint_words, "what it holds"},
    TEXT("name", pki_scenario_constraint, name, 0,
         "for messages; default: constraints.0, constraints.1, ..."),
    TEXT("link", pki_scenario_constraint, link, 1, "a link, with its prefix"),
    {HELD(position), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "of the frame in this link"},
    {HELD(rpy), PK_FIELD_VEC3, "rad", 0, -1e6, 1e6, NULL, "roll, pitch, yaw of the frame in this link"},
    TEXT("to", pki_scenario_constraint, to, 0, "the other link, with its prefix; default: the world"),
    {HELD(to_position), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "of the frame in the other link"},
    {HELD(to_rpy), PK_FIELD_VEC3, "rad", 0, -1e6, 1e6, NULL,
     "roll, pitch, yaw of the frame in the other link"},
    {HELD(length), PK_FIELD_REAL, "m", 0, 0, 1e6, NULL,
     "between the frames' origins; of a distance, and required there"},
};
const int pki_constraint_field_count = COUNT(pki_constraint_fields);

#define RECORD(name) #name, offsetof(pki_scenario_record, name)
const pk_field pki_record_fields[] = {
    {RECORD(rate), PK_FIELD_REAL, "Hz", 1000, 0, 1e6, NULL,
     "samples of states, forces and contacts, at most one in each step; 0: nothing is recorded"},
    {RECORD(view_rate), PK_FIELD_REAL, "Hz", 30, 0, 1e6, NULL,
     "samples of poses, energy and centre of mass, at most one in each step; 0: none"},
    PART("channels", "names of channels, or patterns with *, as a list; default: all (pronk list channels)"),
    {RECORD(compression), PK_FIELD_ENUM, "", PK_RECORDING_COMPRESSION_LZ4, 0,
     PK_RECORDING_COMPRESSION_COUNT - 1, pki_compression_words,
     "of the recording's chunks: zstd is smallest, lz4 takes least time"},
};
const int pki_record_field_count = COUNT(pki_record_fields);

const pk_field pki_pair_fields[] = {
    TEXT("surface", pki_scenario_pair, surface, 1, "of a robot: a name from a model's surfaces"),
    TEXT("material", pki_scenario_pair, material, 0, "of the ground: a name from materials; this or with"),
    TEXT("with", pki_scenario_pair, with, 0, "another surface, or the same: a name from a model's surfaces"),
};
const int pki_pair_field_count = COUNT(pki_pair_fields);

const pk_field pki_collide_fields[] = {
    PART("ignore",
         "pairs of links that do not collide, with their prefixes, or patterns with *: a list of lists"),
    PART("force", "pairs that do, though they are joined, or overlap at the start: likewise"),
};
const int pki_collide_field_count = COUNT(pki_collide_fields);

static const char *const preset_words[] = {"default", "paper"};
_Static_assert(PK_SIM_PRESET_COUNT == 2 && PK_SIM_PRESET_PAPER == 1, "words");

const pk_field pki_preset_fields[] = {
    {"preset", 0, PK_FIELD_ENUM, "", PK_SIM_PRESET_DEFAULT, 0, PK_SIM_PRESET_COUNT - 1, preset_words,
     "what the other keys start from"},
};
const int pki_preset_field_count = COUNT(pki_preset_fields);

const pk_field pki_controller_name_fields[] = {
    TEXT("name", pki_controller_name, name, 1, "which one (pronk list controllers)"),
};
const int pki_controller_name_field_count = COUNT(pki_controller_name_fields);

/* ---- the ground ---- */

static const char *const ground_words[PKI_GROUND_COUNT] = {"plane",   "box",       "stairs", "heights",
                                                           "mesh",    "convex",    "sphere", "cylinder",
                                                           "capsule", "ellipsoid", "cone"};

#define SOLID(name) #name, offsetof(pki_ground_solid, name)
#define SHAPE \
  { \
    SOLID(shape), PK_FIELD_ENUM, "", -1, 0, PKI_GROUND_COUNT - 1, ground_words, "what it is" \
  }
#define SURFACE \
  TEXT("material", pki_ground_solid, material, 0, "a name from materials; default: the first of them")
#define POSITION(doc) \
  { \
    SOLID(position), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, doc \
  }
#define TURNED \
  { \
    SOLID(rpy), PK_FIELD_VEC3, "rad", 0, -1e6, 1e6, NULL, "its roll, pitch, yaw" \
  }
#define LENGTH(name, doc) \
  { \
    SOLID(name), PK_FIELD_REAL, "m", NAN, 1e-6, 1e6, NULL, doc \
  }

const pk_field pki_solid_shape_fields[] = {SHAPE};
const int pki_solid_shape_field_count = COUNT(pki_solid_shape_fields);

const pk_field pki_plane_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("a point of it"),
    {SOLID(normal), PK_FIELD_VEC3, "", 0, -1e6, 1e6, NULL, "out of the ground; default: [0, 0, 1]"},
};
const int pki_plane_field_count = COUNT(pki_plane_fields);

const pk_field pki_box_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("of its centre"),
    TURNED,
    {SOLID(size), PK_FIELD_VEC3, "m", NAN, 1e-6, 1e6, NULL, "full lengths along x, y, z"},
};
const int pki_box_field_count = COUNT(pki_box_fields);

const pk_field pki_stairs_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("middle of the foot of the first riser; they go up along x"),
    LENGTH(depth, "of a step, along x"),
    LENGTH(height, "of a step"),
    LENGTH(width, "along y"),
    {SOLID(count), PK_FIELD_INT, "", 0, 1, 10000, NULL, "number of steps"},
};
const int pki_stairs_field_count = COUNT(pki_stairs_fields);

/* with those of its file and function (collision/shapes/heights_file.h) */
const pk_field pki_heights_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("corner of the first height"),
    TURNED,
    PART("heights", "rows along y, each a list of heights along x, m"),
    TEXT("file", pki_ground_solid, file, 0, "instead of heights: a path from the scenario's folder"),
};
const int pki_heights_field_count = COUNT(pki_heights_fields);

const pk_field pki_ground_mesh_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("of the file's origin"),
    TURNED,
    TEXT("file", pki_ground_solid, file, 1, "STL, OBJ or COLLADA: a path from the scenario's folder"),
    {SOLID(scale), PK_FIELD_REAL, "", 1, 1e-6, 1e6, NULL, "what the file's lengths are multiplied by"},
};
const int pki_ground_mesh_field_count = COUNT(pki_ground_mesh_fields);

const pk_field pki_ground_shape_fields[] = {
    SHAPE,
    SURFACE,
    POSITION("of its centre"),
    TURNED,
    PART("size", "sphere: radius; cylinder, capsule, cone: radius, length along z; ellipsoid: half axes; m"),
};
const int pki_ground_shape_field_count = COUNT(pki_ground_shape_fields);

/* ---- all of them ---- */

const pki_schema_table pki_schema[] = {
    {"scenario", "the whole file", pki_scenario_fields, &pki_scenario_field_count},
    {"model", "`model`, and each entry of `models`", pki_scenario_model_fields,
     &pki_scenario_model_field_count},
    {"plane", "terrain: a half-space", pki_plane_fields, &pki_plane_field_count},
    {"box", "terrain: a box", pki_box_fields, &pki_box_field_count},
    {"stairs", "terrain: steps", pki_stairs_fields, &pki_stairs_field_count},
    {"heights", "terrain: a height field", pki_heights_fields, &pki_heights_field_count},
    {"heights", "its file", pki_heights_file_fields, &pki_heights_file_field_count},
    {"heights", "its function", pki_heights_pattern_fields, &pki_heights_pattern_field_count},
    {"mesh", "terrain: triangles from a file", pki_ground_mesh_fields, &pki_ground_mesh_field_count},
    {"convex", "terrain: the convex hull of a file", pki_ground_mesh_fields, &pki_ground_mesh_field_count},
    {"sphere", "terrain: a ball", pki_ground_shape_fields, &pki_ground_shape_field_count},
    {"cylinder", "terrain: a cylinder", pki_ground_shape_fields, &pki_ground_shape_field_count},
    {"capsule", "terrain: a capsule", pki_ground_shape_fields, &pki_ground_shape_field_count},
    {"ellipsoid", "terrain: an ellipsoid", pki_ground_shape_fields, &pki_ground_shape_field_count},
    {"cone", "terrain: a cone", pki_ground_shape_fields, &pki_ground_shape_field_count},
    {"object", "each entry of `objects`", pki_object_fields, &pki_object_field_count},
    {"material", "each entry of `materials`", pki_material_fields, &pki_material_field_count},
    {"pair", "each entry of `pairs`, with the keys of a material", pki_pair_fields, &pki_pair_field_count},
    {"collide", "`collide`", pki_collide_fields, &pki_collide_field_count},
    {"preset", "`step`", pki_preset_fields, &pki_preset_field_count},
    {"step", "`step`", pki_sim_fields, &pki_sim_field_count},
    {"controller", "`controller`", pki_controller_name_fields, &pki_controller_name_field_count},
    {"push", "each entry of `push`", pki_scenario_push_fields, &pki_scenario_push_field_count},
    {"disturb", "each entry of `disturb`", pki_disturb_fields, &pki_disturb_field_count},
    {"vary", "each entry of `vary`", pki_vary_fields, &pki_vary_field_count},
    {"actuator", "each entry of `actuators`", pki_actuator_fields, &pki_actuator_field_count},
    {"constraint", "each entry of `constraints`", pki_constraint_fields, &pki_constraint_field_count},
    {"record", "`record`", pki_record_fields, &pki_record_field_count},
};
const int pki_schema_count = COUNT(pki_schema);
