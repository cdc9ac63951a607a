/* The sections of compiled files: each field of each description that a builder keeps. Files and lines are left out,
 * they tell where a robot was read from. A new field is a row, at any place; it is known by its name. */
#include <limits.h>
#include <string.h>

#include "model/convert/compiled.h"
#include "model/joint_type.h"
#include "model/pose.h"

/* Rows of a table: the name in files, the struct, its member; how many numbers, or values of an enumeration. */
#define REAL(name, type, member, count) \
  { \
    name, PKI_ITEM_REAL, offsetof(type, member), count, 0 \
  }
#define INT(name, type, member) \
  { \
    name, PKI_ITEM_INT, offsetof(type, member), 1, 0 \
  }
#define WORD(name, type, member, values) \
  { \
    name, PKI_ITEM_WORD, offsetof(type, member), values, 0 \
  }
#define BOOL(name, type, member) \
  { \
    name, PKI_ITEM_BOOL, offsetof(type, member), 1, 0 \
  }
#define TEXT(name, type, member) \
  { \
    name, PKI_ITEM_TEXT, offsetof(type, member), 1, 0 \
  }
#define NAME(name, type, member) \
  { \
    name, PKI_ITEM_NAME, offsetof(type, member), 1, 0 \
  }
#define HEIGHTS(name, type, member) \
  { \
    name, PKI_ITEM_HEIGHTS, offsetof(type, member), 1, 0 \
  }
#define REALS(name, type, member, each, groups) \
  { \
    name, PKI_ITEM_REALS, offsetof(type, member), each, offsetof(type, groups) \
  }
#define INTS(name, type, member, each, groups) \
  { \
    name, PKI_ITEM_INTS, offsetof(type, member), each, offsetof(type, groups) \
  }
#define POSE(name, type, member) \
  REAL(name ".position", type, member.pos, 3), REAL(name ".rotation", type, member.rot, 9)

/* A table's fields and their number. */
#define FIELDS(table) table, sizeof(table) / sizeof(table)[0]

/* Where a builder keeps an array and its count. */
#define KEPT(array, count) offsetof(pk_builder, array), offsetof(pk_builder, count)

/* ---- the world and meshes ---- */

static const pki_record_field world_fields[] = {
    REAL("gravity", pk_builder, gravity, 3),
    REAL("magnetic", pk_builder, magnetic, 3),
    BOOL("cut_all", pk_builder, cut_all),
};

static void start_world(void *record)
{
  pk_builder_set_gravity(record, pki_usual_gravity);
}

static pk_status set_world(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  (void)source;
  const pk_builder *world = record;
  if (memcmp(b->gravity, pki_usual_gravity, sizeof b->gravity) == 0) {
    pk_builder_set_gravity(b, world->gravity);
  }
  if (b->magnetic[0] == 0 && b->magnetic[1] == 0 && b->magnetic[2] == 0) {
    pk_builder_set_magnetic_field(b, world->magnetic);
  }
  return world->cut_all ? pk_builder_cut_joint(b, NULL, err) : PK_OK;
}

const pki_record_kind pki_world_kind = {"world", FIELDS(world_fields), sizeof(pk_builder), 0, 0, SIZE_MAX,
                                        0,       start_world,          set_world};

static const pki_record_field mesh_fields[] = {
    TEXT("name", pk_mesh, name),
    REALS("vertex", pk_mesh, vertex, 3, nvertex),
    INTS("triangle", pk_mesh, triangle, 3, ntriangle),
};

const pki_record_kind pki_mesh_kind = {
    "meshes", FIELDS(mesh_fields), sizeof(pk_mesh), KEPT(meshes, nmesh), SIZE_MAX, 0, NULL, NULL};

/* ---- robots ---- */

static const pki_record_field robot_fields[] = {
    TEXT("name", pki_robot, desc.name),
    TEXT("prefix", pki_robot, desc.prefix),
    WORD("root", pki_robot, desc.root, PK_ROOT_KIND_COUNT),
    POSE("pose", pki_robot, desc.pose),
};

static void start_robot(void *record)
{
  ((pki_robot *)record)->desc = pk_robot_desc_default();
}

static pk_status add_robot(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  pk_robot_desc desc = ((const pki_robot *)record)->desc;
  const pk_load_options *o = source->options;
  bool ok = true;
  const size_t before = o->prefix != NULL ? strlen(o->prefix) : 0;
  char *prefix = NULL;
  if (before > 0) {
    pki_text text = {0};
    pki_text_addf(&text, "%s%s", o->prefix, desc.prefix != NULL ? desc.prefix : "");
    ok = !text.failed;
    desc.prefix = prefix = text.data;
  }
  desc.file = source->file;
  if (source->alone) {
    desc.root = o->root != PK_ROOT_AUTO ? o->root : desc.root;
    const pk_pose identity = pk_pose_identity();
    /* to the bit as it was, where nothing moves it */
    desc.pose =
        memcmp(&o->pose, &identity, sizeof identity) == 0 ? desc.pose : pki_pose_mul(&o->pose, &desc.pose);
  }
  const pk_status status = ok ? pk_builder_add_robot(b, &desc, err) : pki_builder_no_memory(err);
  pki_builder_free_text(prefix);
  return status;
}

static const pki_record_field link_fields[] = {
    INT("robot", pki_link, robot),
    TEXT("name", pki_link, desc.name),
    REAL("mass", pki_link, desc.inertia.mass, 1),
    REAL("com", pki_link, desc.inertia.com, 3),
    REAL("moment", pki_link, desc.inertia.moment, 6),
};

static pk_status add_link(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  (void)source;
  return pk_builder_add_link(b, &((const pki_link *)record)->desc, err);
}

static const pki_record_field joint_fields[] = {
    INT("robot", pki_joint, robot),
    TEXT("name", pki_joint, desc.name),
    WORD("kind", pki_joint, desc.kind, INT_MAX), /* kinds are the business of the builder */
    TEXT("parent", pki_joint, desc.parent),
    TEXT("child", pki_joint, desc.child),
    POSE("origin", pki_joint, desc.origin),
    REAL("axis", pki_joint, desc.axis, 3),
    REAL("lower", pki_joint, desc.lower, 1),
    REAL("upper", pki_joint, desc.upper, 1),
    REAL("velocity", pki_joint, desc.velocity, 1),
    REAL("effort", pki_joint, desc.effort, 1),
    REAL("damping", pki_joint, desc.damping, 1),
    REAL("friction", pki_joint, desc.friction, 1),
    REAL("armature", pki_joint, desc.armature, 1),
    REAL("stiffness", pki_joint, desc.stiffness, 1),
    REAL("spring_ref", pki_joint, desc.spring_ref, 1),
    REAL("ref", pki_joint, desc.ref, 1),
    TEXT("mimic", pki_joint, desc.mimic),
    REAL("mimic_multiplier", pki_joint, desc.mimic_multiplier, 1),
    REAL("mimic_offset", pki_joint, desc.mimic_offset, 1),
};

static void start_joint(void *record)
{
  ((pki_joint *)record)->desc = pk_joint_desc_default();
}

static pk_status add_joint(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  (void)source;
  return pk_builder_add_joint(b, &((const pki_joint *)record)->desc, err);
}

/* ---- shapes ---- */

static const pki_record_field shape_fields[] = {
    INT("robot", pki_shape, robot),
    TEXT("link", pki_shape, desc.link),
    TEXT("name", pki_shape, desc.name),
    WORD("kind", pki_shape, desc.kind, PK_SHAPE_KIND_COUNT),
    BOOL("visual", pki_shape, desc.visual),
    POSE("pose", pki_shape, desc.pose),
    REAL("size", pki_shape, desc.size, 3),
    INT("mesh", pki_shape, mesh),
    HEIGHTS("heights", pki_shape, desc.heights),
    REAL("rgba", pki_shape, desc.rgba, 4),
    INT("group", pki_shape, desc.group),
    INT("mask", pki_shape, desc.mask),
    BOOL("pairs_only", pki_shape, desc.pairs_only),
    REAL("friction", pki_shape, desc.friction, 1),
    INT("priority", pki_shape, desc.priority),
};

static void start_shape(void *record)
{
  pki_shape *shape = record;
  shape->desc.pose = pk_pose_identity();
  shape->mesh = -1;
}

static pk_status add_shape(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  const pki_shape *shape = record;
  pk_shape_desc desc = shape->desc;
  if (shape->mesh >= 0 && !source->options->load_meshes) {
    return PK_OK;
  }
  if (shape->mesh < -1 || shape->mesh >= source->nmesh) {
    return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.field = "mesh"},
                    "a shape has mesh %d, expected -1 to %d", shape->mesh, source->nmesh - 1);
  }
  desc.mesh = shape->mesh >= 0 ? &source->meshes[shape->mesh] : NULL;
  return pk_builder_add_shape(b, &desc, err);
}

/* ---- constraints and cuts ---- */

static const pki_record_field constraint_fields[] = {
    TEXT("name", pki_constraint, desc.name),
    WORD("kind", pki_constraint, desc.kind, PK_CONSTRAINT_KIND_COUNT),
    NAME("link0", pki_constraint, desc.link[0]),
    NAME("link1", pki_constraint, desc.link[1]),
    POSE("frame0", pki_constraint, desc.frame[0]),
    POSE("frame1", pki_constraint, desc.frame[1]),
    REAL("length", pki_constraint, desc.length, 1),
    NAME("joint0", pki_constraint, desc.joint[0]),
    NAME("joint1", pki_constraint, desc.joint[1]),
    REAL("polynomial", pki_constraint, desc.polynomial, 5),
};

static void start_constraint(void *record)
{
  ((pki_constraint *)record)->desc = pk_constraint_desc_default();
}

static pk_status add_constraint(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  (void)source;
  return pk_builder_add_constraint(b, &((const pki_constraint *)record)->desc, err);
}

static const pki_record_field cut_fields[] = {NAME("joint", pki_cut, joint)};

static pk_status add_cut(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  (void)source;
  const char *joint = ((const pki_cut *)record)->joint;
  return joint != NULL ? pk_builder_cut_joint(b, joint, err)
                       : pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.field = "cuts"}, "a cut names no joint");
}

/* ---- sites, actuators, sensors, keyframes, pairs ---- */

static const pki_record_field site_fields[] = {
    INT("robot", pki_site, robot),
    TEXT("name", pki_site, desc.name),
    TEXT("link", pki_site, desc.link),
    POSE("pose", pki_site, desc.pose),
    WORD("kind", pki_site, desc.kind, PK_SHAPE_KIND_COUNT),
    REAL("size", pki_site, desc.size, 3),
};

static void start_site(void *record)
{
  ((pki_site *)record)->desc = pk_site_desc_default();
}

static pk_status add_site(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  (void)source;
  return pk_builder_add_site(b, &((const pki_site *)record)->desc, err);
}

static const pki_record_field actuator_fields[] = {
    INT("robot", pki_actuator, robot),
    TEXT("name", pki_actuator, desc.name),
    TEXT("joint", pki_actuator, desc.joint),
    REAL("gear", pki_actuator, desc.gear, 1),
    REAL("gain", pki_actuator, desc.gain, 3),
    REAL("bias", pki_actuator, desc.bias, 3),
    REAL("ctrl_lower", pki_actuator, desc.ctrl_lower, 1),
    REAL("ctrl_upper", pki_actuator, desc.ctrl_upper, 1),
    REAL("force_lower", pki_actuator, desc.force_lower, 1),
    REAL("force_upper", pki_actuator, desc.force_upper, 1),
    BOOL("integrates", pki_actuator, desc.integrates),
    REAL("act_lower", pki_actuator, desc.act_lower, 1),
    REAL("act_upper", pki_actuator, desc.act_upper, 1),
};

static void start_actuator(void *record)
{
  ((pki_actuator *)record)->desc = pk_actuator_desc_default();
}

static pk_status add_actuator(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  (void)source;
  return pk_builder_add_actuator(b, &((const pki_actuator *)record)->desc, err);
}

static const pki_record_field sensor_fields[] = {
    INT("robot", pki_sensor, robot),
    TEXT("name", pki_sensor, desc.name),
    WORD("kind", pki_sensor, desc.kind, PK_SENSOR_KIND_COUNT),
    WORD("place", pki_sensor, desc.place, PK_SENSOR_PLACE_COUNT),
    TEXT("at", pki_sensor, desc.at),
    WORD("reference", pki_sensor, desc.reference, PK_SENSOR_PLACE_COUNT),
    TEXT("relative_to", pki_sensor, desc.relative_to),
    REAL("cutoff", pki_sensor, desc.cutoff, 1),
    REAL("noise", pki_sensor, desc.noise, 1),
};

static pk_status add_sensor(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  (void)source;
  return pk_builder_add_sensor(b, &((const pki_sensor *)record)->desc, err);
}

static const pki_record_field keyframe_fields[] = {
    INT("end", pki_keyframe, end),
    TEXT("name", pki_keyframe, desc.name),
    INT("nrobot", pki_keyframe, desc.nrobot),
    REALS("q", pki_keyframe, desc.q, 1, desc.nq),
    REALS("u", pki_keyframe, desc.u, 1, desc.nu),
    REALS("ctrl", pki_keyframe, desc.ctrl, 1, desc.nctrl),
};

static pk_status add_keyframe(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  (void)source;
  return pk_builder_add_keyframe(b, &((const pki_keyframe *)record)->desc, err);
}

static const pki_record_field pair_fields[] = {
    NAME("name0", pki_pair, desc.name[0]),        NAME("name1", pki_pair, desc.name[1]),
    BOOL("shapes", pki_pair, desc.shapes),        BOOL("collides", pki_pair, desc.collide),
    REAL("friction", pki_pair, desc.friction, 1),
};

static pk_status add_pair(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err)
{
  (void)source;
  return pk_builder_add_pair(b, &((const pki_pair *)record)->desc, err);
}

/* ---- all of them ---- */

const pki_record_kind pki_record_kinds[] = {
    {"robots", FIELDS(robot_fields), sizeof(pki_robot), KEPT(robots, nrobot), SIZE_MAX, 0, start_robot,
     add_robot},
    {"links", FIELDS(link_fields), sizeof(pki_link), KEPT(links, nlink), offsetof(pki_link, robot), 0, NULL,
     add_link},
    {"joints", FIELDS(joint_fields), sizeof(pki_joint), KEPT(joints, njoint), offsetof(pki_joint, robot), 0,
     start_joint, add_joint},
    {"shapes", FIELDS(shape_fields), sizeof(pki_shape), KEPT(shapes, nshape), offsetof(pki_shape, robot), 0,
     start_shape, add_shape},
    {"sites", FIELDS(site_fields), sizeof(pki_site), KEPT(equipment.sites, equipment.nsite),
     offsetof(pki_site, robot), 0, start_site, add_site},
    {"actuators", FIELDS(actuator_fields), sizeof(pki_actuator),
     KEPT(equipment.actuators, equipment.nactuator), offsetof(pki_actuator, robot), 0, start_actuator,
     add_actuator},
    {"sensors", FIELDS(sensor_fields), sizeof(pki_sensor), KEPT(equipment.sensors, equipment.nsensor),
     offsetof(pki_sensor, robot), 0, NULL, add_sensor},
    {"keyframes", FIELDS(keyframe_fields), sizeof(pki_keyframe),
     KEPT(equipment.keyframes, equipment.nkeyframe), offsetof(pki_keyframe, end), 1, NULL, add_keyframe},
    {"pairs", FIELDS(pair_fields), sizeof(pki_pair), KEPT(equipment.pairs, equipment.npair), SIZE_MAX, 0,
     NULL, add_pair},
    {"constraints", FIELDS(constraint_fields), sizeof(pki_constraint), KEPT(constraints, nconstraint),
     SIZE_MAX, 0, start_constraint, add_constraint},
    {"cuts", FIELDS(cut_fields), sizeof(pki_cut), KEPT(cuts, ncut), SIZE_MAX, 0, NULL, add_cut},
};

const int pki_record_kind_count = sizeof pki_record_kinds / sizeof pki_record_kinds[0];
