/* URDF from descriptions. One robot is written as it is; several, or one that has to say how its root meets the world,
 * hang on a link "world" by fixed and floating joints. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/convert/writer.h"

/* What stands for no limit where URDF demands one: m, rad, N, N m, m/s, rad/s. */
static const double NO_LIMIT = 1e9;

static void put_origin(pki_writer *w, const pk_pose *pose)
{
  double rpy[3] = {0, 0, 0};
  if (pki_is_zero(pose->pos, 3) && pki_is_identity(pose->rot)) {
    return;
  }
  pki_exact_rpy(pose->rot, rpy);
  pki_text_add(&w->text, "      <origin");
  if (!pki_is_zero(pose->pos, 3)) {
    pki_xml_reals(&w->text, "xyz", pose->pos, 3);
  }
  if (!pki_is_zero(rpy, 3)) {
    pki_xml_reals(&w->text, "rpy", rpy, 3);
  }
  pki_text_add(&w->text, "/>\n");
}

/* ---- links ---- */

static void put_inertial(pki_writer *w, const pk_inertia *inertia)
{
  static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  if (inertia->mass == 0 && pki_is_zero(inertia->moment, 6)) {
    return;
  }
  pki_text_add(&w->text, "    <inertial>\n      <origin");
  pki_xml_reals(&w->text, "xyz", inertia->com, 3);
  pki_text_add(&w->text, "/>\n      <mass");
  pki_xml_reals(&w->text, "value", &inertia->mass, 1);
  pki_text_add(&w->text, "/>\n      <inertia");
  for (int i = 0; i < 6; i++) {
    pki_xml_reals(&w->text, names[i], &inertia->moment[i], 1);
  }
  pki_text_add(&w->text, "/>\n    </inertial>\n");
}

/* <geometry> of a shape; the kind is one that URDF has. */
static void put_geometry(pki_writer *w, const pki_shape *shape)
{
  const double *size = shape->desc.size;
  pki_text_add(&w->text, "      <geometry><");
  switch (shape->desc.kind) {
  case PK_SHAPE_SPHERE: pki_text_add(&w->text, "sphere"), pki_xml_reals(&w->text, "radius", size, 1); break;
  case PK_SHAPE_BOX: pki_text_add(&w->text, "box"), pki_xml_reals(&w->text, "size", size, 3); break;
  case PK_SHAPE_CYLINDER:
  case PK_SHAPE_CAPSULE:
    pki_text_add(&w->text, pk_shape_kind_name(shape->desc.kind));
    pki_xml_reals(&w->text, "radius", size, 1);
    pki_xml_reals(&w->text, "length", size + 1, 1);
    break;
  default: pki_text_add(&w->text, "mesh"); pki_xml_text(&w->text, "filename", pki_write_mesh(w, shape->mesh));
  }
  pki_text_add(&w->text, "/></geometry>\n");
}

static void put_material(pki_writer *w, const double rgba[4])
{
  const double plain[4] = {0.7, 0.7, 0.7, 1}; /* what has no colour is read as this */
  if (memcmp(rgba, plain, sizeof plain) == 0) {
    return;
  }
  /* equal colours, equal names */
  pki_text_add(&w->text, "      <material");
  pki_text_addf(&w->text, " name=\"rgba_%.6g_%.6g_%.6g_%.6g\"><color", rgba[0], rgba[1], rgba[2], rgba[3]);
  pki_xml_reals(&w->text, "rgba", rgba, 4);
  pki_text_add(&w->text, "/></material>\n");
}

static bool urdf_has_shape(pk_shape_kind kind)
{
  return kind == PK_SHAPE_SPHERE || kind == PK_SHAPE_BOX || kind == PK_SHAPE_CYLINDER ||
         kind == PK_SHAPE_CAPSULE || kind == PK_SHAPE_MESH || kind == PK_SHAPE_CONVEX;
}

static void lose_shape(pki_writer *w, const pki_shape *shape)
{
  const pk_shape_desc *s = &shape->desc;
  if (!s->visual && s->kind == PK_SHAPE_MESH) {
    pki_write_lose(w, "that a mesh collides with its triangles: readers of URDF take its convex hull",
                   s->link);
  }
  if (!s->visual && (s->group != 0 || s->mask != 0 || s->pairs_only)) {
    pki_write_lose(w, "groups of shapes that collide: URDF has none", s->link);
  }
  if (!s->visual && (s->friction != 0 || s->priority != 0)) {
    pki_write_lose(w, "friction of shapes: URDF has none", s->link);
  }
}

static void put_shape(pki_writer *w, const pki_shape *shape)
{
  const pk_shape_desc *s = &shape->desc;
  const char *tag = s->visual ? "visual" : "collision";
  if (!urdf_has_shape(s->kind)) {
    pki_write_lose(w,
                   s->kind == PK_SHAPE_ELLIPSOID ? "ellipsoids are left out: URDF has none"
                   : s->kind == PK_SHAPE_CONE
                       ? "cones are left out: URDF has none"
                       : "ground (planes and height fields) is left out: URDF has none",
                   s->link);
    return;
  }
  lose_shape(w, shape);
  pki_text_addf(&w->text, "    <%s", tag);
  if (s->name != NULL && s->name[0] != '\0') {
    pki_xml_text(&w->text, "name", s->name);
  }
  pki_text_add(&w->text, ">\n");
  put_origin(w, &s->pose);
  put_geometry(w, shape);
  if (s->visual) {
    put_material(w, s->rgba);
  }
  pki_text_addf(&w->text, "    </%s>\n", tag);
}

static void put_links(pki_writer *w)
{
  const pk_builder *b = w->b;
  int *first = w->shape_first, *next = w->shape_next;
  for (int i = 0; i < b->nlink; i++) {
    pki_text_add(&w->text, "  <link");
    pki_xml_text(&w->text, "name", w->tree->link_name[i]);
    const bool empty =
        b->links[i].desc.inertia.mass == 0 && pki_is_zero(b->links[i].desc.inertia.moment, 6) && first[i] < 0;
    if (empty) {
      pki_text_add(&w->text, "/>\n");
      continue;
    }
    pki_text_add(&w->text, ">\n");
    put_inertial(w, &b->links[i].desc.inertia);
    for (int s = first[i]; s >= 0; s = next[s]) {
      put_shape(w, &b->shapes[s]);
    }
    pki_text_add(&w->text, "  </link>\n");
  }
}

/* ---- joints ---- */

static double or_limit(double value)
{
  return fmin(fmax(value, -NO_LIMIT), NO_LIMIT);
}

/* URDF demands all four of joints with limits, and effort and velocity of a limit that is there. */
static void put_limit(pki_writer *w, const pk_joint_desc *j, bool bounded)
{
  if (!bounded && isinf(j->effort) && isinf(j->velocity)) {
    return;
  }
  const double values[4] = {or_limit(j->lower), or_limit(j->upper), or_limit(j->effort),
                            or_limit(j->velocity)};
  static const char *const names[4] = {"lower", "upper", "effort", "velocity"};
  if (isinf(j->effort) || isinf(j->velocity) || (bounded && (isinf(j->lower) || isinf(j->upper)))) {
    pki_write_lose(
        w, "that a joint has no limit of travel, effort or velocity: written as 1e9, URDF demands a number",
        j->name);
  }
  pki_text_add(&w->text, "    <limit");
  for (int i = bounded ? 0 : 2; i < 4; i++) {
    pki_xml_reals(&w->text, names[i], &values[i], 1);
  }
  pki_text_add(&w->text, "/>\n");
}

static void put_dynamics(pki_writer *w, const pk_joint_desc *j)
{
  if (j->damping == 0 && j->friction == 0 && j->armature == 0) {
    return;
  }
  pki_text_add(&w->text, "    <dynamics");
  pki_xml_reals(&w->text, "damping", &j->damping, 1);
  pki_xml_reals(&w->text, "friction", &j->friction, 1);
  if (j->armature != 0) { /* an extension that Pronk reads */
    pki_xml_reals(&w->text, "armature", &j->armature, 1);
  }
  pki_text_add(&w->text, "/>\n");
}

static void put_mimic(pki_writer *w, int joint)
{
  const pk_joint_desc *j = &w->b->joints[joint].desc;
  if (j->mimic == NULL) {
    return;
  }
  pki_text_add(&w->text, "    <mimic joint=\"");
  const char *prefix = w->b->robots[w->b->joints[joint].robot].desc.prefix;
  pki_text_add_escaped(&w->text, prefix != NULL ? prefix : "");
  pki_text_add_escaped(&w->text, j->mimic);
  pki_text_add(&w->text, "\"");
  pki_xml_reals(&w->text, "multiplier", &j->mimic_multiplier, 1);
  pki_xml_reals(&w->text, "offset", &j->mimic_offset, 1);
  pki_text_add(&w->text, "/>\n");
}

static void put_ends(pki_writer *w, const char *name, const char *type, const char *parent, const char *child)
{
  pki_text_add(&w->text, "  <joint");
  pki_xml_text(&w->text, "name", name);
  pki_xml_text(&w->text, "type", type);
  pki_text_add(&w->text, ">\n    <parent");
  pki_xml_text(&w->text, "link", parent);
  pki_text_add(&w->text, "/>\n    <child");
  pki_xml_text(&w->text, "link", child);
  pki_text_add(&w->text, "/>\n");
}

/* URDF counts from 0: the frame in which the child stands there, when the joint stands in its own at `ref`. */
static pk_pose zero_origin(pki_writer *w, const pk_joint_desc *j)
{
  const pki_joint_type *type = pki_joint_type_of(j->kind);
  if (j->ref == 0) {
    return j->origin;
  }
  pk_pose back = pk_pose_identity();
  double axis[3] = {0, 0, 0};
  const bool turns = type->nparts == 1 && type->parts[0].motion == PK_MOTION_REVOLUTE;
  if (turns || (type->nparts == 1 && type->parts[0].motion == PK_MOTION_PRISMATIC)) {
    pki_joint_part_axis(j, 0, axis);
  } else {
    pki_write_lose(w, "the coordinate at which a joint stands in its frame (ref): URDF begins at 0", j->name);
  }
  const double way = -j->ref * type->parts[0].gain;
  if (turns) {
    const double s = sin(way / 2), q[4] = {cos(way / 2), s * axis[0], s * axis[1], s * axis[2]};
    pki_quat_to_mat3(q, back.rot);
  } else {
    pki_along3(back.pos, way, axis, back.pos);
  }
  return pki_pose_mul(&j->origin, &back);
}

static void put_joint(pki_writer *w, int joint)
{
  const pk_joint_desc *j = &w->b->joints[joint].desc;
  const pki_draft *t = w->tree;
  const pki_joint_type *type = pki_joint_type_of(j->kind);
  const bool open_ended = isinf(j->lower) && isinf(j->upper) && type->unlimited != NULL;
  const char *word = type->has_limits && open_ended ? type->unlimited : type->urdf[0];
  if (word == NULL) {
    pki_write_refuse(w, "joint \"%s\" is of kind %s, which URDF has no word for", j->name, type->name);
    return;
  }
  put_ends(w, t->joint_name[joint], word, t->link_name[t->joint_parent[joint]],
           t->link_name[t->joint_child[joint]]);
  const pk_pose origin = zero_origin(w, j);
  put_origin(w, &origin);
  if (pki_joint_has_axis(j->kind)) {
    pki_text_add(&w->text, "    <axis");
    pki_xml_reals(&w->text, "xyz", j->axis, 3);
    pki_text_add(&w->text, "/>\n");
  }
  if (pki_joint_moves(j->kind)) {
    put_limit(w, j, type->has_limits && !open_ended);
    put_dynamics(w, j);
    put_mimic(w, joint);
  }
  if (j->stiffness != 0) {
    pki_write_lose(w, "springs of joints: URDF has none", j->name);
  }
  pki_text_add(&w->text, "  </joint>\n");
}

/* A site is a link without mass that a fixed joint holds. */
static void put_sites(pki_writer *w)
{
  for (int i = 0; i < w->b->equipment.nsite; i++) {
    const pki_site *site = &w->b->equipment.sites[i];
    const char *prefix = w->b->robots[site->robot].desc.prefix;
    pki_text name = {0}, joint = {0}, link = {0};
    pki_text_addf(&name, "%s%s", prefix != NULL ? prefix : "", site->desc.name);
    pki_text_addf(&link, "%s%s", prefix != NULL ? prefix : "", site->desc.link);
    pki_text_addf(&joint, "%s_site", name.data != NULL ? name.data : "");
    const bool ok = !name.failed && !joint.failed && !link.failed;
    if (!ok) {
      w->text.failed = true;
    } else if (pk_model_find_link(w->model, name.data) >= 0 ||
               pk_model_find_joint(w->model, joint.data) >= 0) {
      pki_write_lose(w, "sites whose names links or joints have are left out", site->desc.name);
    } else {
      pki_write_lose(w, "sites became links without mass: URDF has none", site->desc.name);
      pki_text_add(&w->text, "  <link");
      pki_xml_text(&w->text, "name", name.data);
      pki_text_add(&w->text, "/>\n");
      put_ends(w, joint.data, "fixed", link.data, name.data);
      put_origin(w, &site->desc.pose);
      pki_text_add(&w->text, "  </joint>\n");
    }
    pki_text_free(&name), pki_text_free(&joint), pki_text_free(&link);
  }
}

/* ---- roots ---- */

static bool is_at_origin(const pk_pose *pose)
{
  return pki_is_zero(pose->pos, 3) && pki_is_identity(pose->rot);
}

/* How a reader that is told nothing lets the only robot meet the world. */
static pk_root_kind automatic_root(pki_writer *w)
{
  pk_robot_desc *robot = &w->b->robots[0].desc;
  pk_root_kind kind = PK_ROOT_AUTO;
  pk_root_reason reason;
  const pk_root_kind asked = robot->root;
  pki_draft question = *w->tree; /* what the tree owns stays the tree's */
  question.robot_kind = &kind, question.robot_reason = &reason;
  robot->root = PK_ROOT_AUTO;
  const bool answered = pki_choose_roots(&question);
  robot->root = asked;
  w->text.failed = w->text.failed || !answered;
  return kind;
}

/* Whether such a reader puts the root where it is; a chain takes a word of the user's. */
static bool root_follows(pki_writer *w)
{
  const pk_root_kind root = w->model->robots[0].root;
  return w->b->nrobot == 1 && (root == PK_ROOT_CHAIN || automatic_root(w) == root) &&
         (root != PK_ROOT_FIXED || is_at_origin(&w->b->robots[0].desc.pose));
}

/* The link "world", and a joint from it to each root. */
static void put_world(pki_writer *w)
{
  if (pk_model_find_link(w->model, "world") >= 0) {
    pki_write_refuse(
        w, "a link is called \"world\", which is the name that URDF needs for what robots stand on; "
           "load the model with another root or pose");
    return;
  }
  pki_text_add(&w->text, "  <link name=\"world\"/>\n");
  for (int r = 0; r < w->b->nrobot; r++) {
    const pk_model_robot *robot = &w->model->robots[r];
    pki_text name = {0};
    pki_text_addf(&name, "world_to_%s", w->tree->link_name[w->tree->robot_root[r]]);
    if (name.failed) {
      w->text.failed = true;
      return;
    }
    if (robot->root == PK_ROOT_CHAIN) {
      pki_write_lose(w, "roots that are chains of six joints became floating joints", robot->name);
    }
    put_ends(w, name.data, robot->root == PK_ROOT_FIXED ? "fixed" : "floating", "world",
             w->tree->link_name[w->tree->robot_root[r]]);
    put_origin(w, &w->b->robots[r].desc.pose);
    pki_text_add(&w->text, "  </joint>\n");
    pki_text_free(&name);
  }
}

static void lose_root(pki_writer *w)
{
  const pk_model_robot *robot = &w->model->robots[0];
  if (robot->root == PK_ROOT_CHAIN) {
    pki_write_lose(w, "that the root is a chain of six joints: read the file with --root chain", robot->name);
  }
  if (!is_at_origin(&w->b->robots[0].desc.pose)) {
    pki_write_lose(w, "the pose in which the root starts: URDF has none", robot->name);
  }
}

/* ---- what URDF lacks ---- */

static void lose_world(pki_writer *w)
{
  const pk_builder *b = w->b;
  const pki_equipment *e = &b->equipment;
  if (memcmp(b->gravity, pki_usual_gravity, sizeof b->gravity) != 0) {
    pki_write_lose(w, "the gravity of the world: URDF has none", NULL);
  }
  if (!pki_is_zero(b->magnetic, 3)) {
    pki_write_lose(w, "the magnetic field of the world: URDF has none", NULL);
  }
  for (int i = 0; i < b->nconstraint; i++) {
    pki_write_lose(w, "constraints (loops and couplings): URDF has none", b->constraints[i].desc.name);
  }
  for (int i = 0; i < e->nactuator; i++) {
    pki_write_lose(w, "actuators: URDF has none", e->actuators[i].desc.name);
  }
  for (int i = 0; i < e->nsensor; i++) {
    pki_write_lose(w, "sensors: URDF has none", e->sensors[i].desc.name);
  }
  for (int i = 0; i < e->nkeyframe; i++) {
    pki_write_lose(w, "keyframes: URDF has none", e->keyframes[i].desc.name);
  }
  for (int i = 0; i < e->npair; i++) {
    pki_write_lose(w, "which pairs collide: URDF leaves that to an SRDF file", e->pairs[i].desc.name[0]);
  }
  if (b->cut_all || b->ncut > 0) {
    pki_write_lose(w, "that joints are cut: they are joints again", NULL);
  }
}

void pki_write_urdf(pki_writer *w)
{
  pki_text_add(&w->text, "<?xml version=\"1.0\"?>\n<robot");
  pki_xml_text(&w->text, "name", w->b->nrobot == 1 ? w->b->robots[0].desc.name : "world");
  pki_text_add(&w->text, ">\n");
  if (root_follows(w)) {
    lose_root(w);
  } else {
    put_world(w);
  }
  put_links(w);
  for (int j = 0; j < w->b->njoint; j++) {
    put_joint(w, j);
  }
  put_sites(w);
  lose_world(w);
  pki_text_add(&w->text, "</robot>\n");
}
