/* <link>: mass, shapes and colours. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/urdf.h"

/* A light grey for what has no colour of its own. */
static const double plain[4] = {0.7, 0.7, 0.7, 1};

/* ---- poses ---- */

pk_pose pki_urdf_origin(pki_urdf *u, const xmlNode *parent)
{
  const xmlNode *origin = pki_urdf_child(parent, "origin");
  double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0}, xyzw[4];
  if (origin == NULL) {
    return pk_pose_identity();
  }
  pki_urdf_numbers(u, origin, "xyz", 3, xyz);
  const bool angles = pki_urdf_numbers(u, origin, "rpy", 3, rpy);
  pk_pose pose = pk_pose_from_xyz_rpy(xyz, rpy);
  if (pki_urdf_numbers(u, origin, "quat_xyzw", 4, xyzw)) {
    const double q[4] = {xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (angles) {
      pki_urdf_warn(u, origin, "quat_xyzw", PK_ERROR_SYNTAX, "rotation-repeated",
                    "<origin> has rpy and quat_xyzw: rpy counts, as for tools that do not know quat_xyzw");
    } else if (!(fabs(norm - 1) < 1e-3)) {
      pki_urdf_error(u, origin, "quat_xyzw", PK_ERROR_SYNTAX, "quat_xyzw has length %g, expected 1", norm);
    } else {
      pki_quat_to_mat3(q, pose.rot);
    }
  }
  return pose;
}

/* ---- mass ---- */

/* Moments about the axes of the inertial frame; what is missing is zero. */
static void read_moments(pki_urdf *u, const xmlNode *inertia, double moment[6])
{
  static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  int missing = 0;
  const char *first = NULL;
  for (int i = 0; i < 6; i++) {
    const bool on_diagonal = i == 0 || i == 3 || i == 5;
    pki_urdf_numbers(u, inertia, names[i], 1, &moment[i]);
    if (on_diagonal && pki_urdf_value(inertia, names[i]) == NULL) {
      first = missing++ == 0 ? names[i] : first;
    }
  }
  if (missing > 0) {
    pki_urdf_warn(u, inertia, first, PK_ERROR_SYNTAX, "attribute-missing",
                  "<inertia> has no attribute \"%s\"%s: it is taken as 0", first,
                  missing > 1 ? " and lacks others" : "");
  }
}

static pk_inertia read_inertial(pki_urdf *u, const xmlNode *inertial)
{
  pk_inertia out = {.mass = 0};
  if (inertial == NULL) {
    return out;
  }
  const xmlNode *mass = pki_urdf_child(inertial, "mass"), *inertia = pki_urdf_child(inertial, "inertia");
  const pk_pose pose = pki_urdf_origin(u, inertial);
  if (mass != NULL) {
    pki_urdf_numbers(u, mass, "value", 1, &out.mass);
  } else {
    pki_urdf_warn(u, inertial, NULL, PK_ERROR_SYNTAX, "mass-missing",
                  "<inertial> has no <mass>: the link has none");
  }
  if (inertia != NULL) {
    double moment[6] = {0};
    read_moments(u, inertia, moment);
    /* given about the axes of the inertial frame, wanted about the link's */
    pki_sym3_rotate(pose.rot, moment, out.moment);
  } else if (out.mass != 0) {
    pki_urdf_warn(u, inertial, NULL, PK_ERROR_SYNTAX, "inertia-missing",
                  "<inertial> has a mass but no <inertia>: its moments are taken as 0");
  }
  memcpy(out.com, pose.pos, sizeof out.com);
  return out;
}

/* ---- colours ---- */

/* The first colour given under a name counts. */
static void define_material(pki_urdf *u, const xmlNode *material, bool global)
{
  const char *name = pki_urdf_value(material, "name");
  const xmlNode *color = pki_urdf_child(material, "color");
  if (name == NULL || name[0] == '\0' || color == NULL) {
    if (global && (name == NULL || name[0] == '\0')) {
      pki_urdf_warn(u, material, "name", PK_ERROR_SYNTAX, "name-missing",
                    "<material> in <robot> has no name: nothing can refer to it");
    }
    return;
  }
  void *entry = (void *)(size_t)color;
  if (xmlHashAddEntry(u->materials, (const xmlChar *)name, entry) != 0 && global) {
    pki_urdf_warn(u, material, NULL, PK_ERROR_SYNTAX, "material-repeated",
                  "material \"%s\" is defined twice: the first colour counts", pki_urdf_quoted(name).text);
  }
}

void pki_urdf_read_materials(pki_urdf *u, const xmlNode *robot)
{
  for (const xmlNode *m = pki_urdf_child(robot, "material"); m != NULL;
       m = pki_urdf_next(m->next, "material")) {
    define_material(u, m, true);
  }
  /* a colour inside one visual may be named by others */
  for (const xmlNode *l = pki_urdf_child(robot, "link"); l != NULL; l = pki_urdf_next(l->next, "link")) {
    for (const xmlNode *v = pki_urdf_child(l, "visual"); v != NULL; v = pki_urdf_next(v->next, "visual")) {
      const xmlNode *m = pki_urdf_child(v, "material");
      if (m != NULL) {
        define_material(u, m, false);
      }
    }
  }
}

static void read_color(pki_urdf *u, const xmlNode *visual, double rgba[4])
{
  const xmlNode *material = pki_urdf_child(visual, "material");
  if (material == NULL) {
    return;
  }
  const char *name = pki_urdf_value(material, "name");
  const xmlNode *color = pki_urdf_child(material, "color");
  if (color == NULL && name != NULL && name[0] != '\0') {
    color = xmlHashLookup(u->materials, (const xmlChar *)name);
    const bool textured = pki_urdf_child(material, "texture") != NULL;
    if (color == NULL && !textured && pki_urdf_first_time(u, "material name", name)) {
      pki_urdf_warn(u, material, "name", PK_ERROR_MODEL, "material-unknown",
                    "no material \"%s\" has a colour: the shape stays grey", pki_urdf_quoted(name).text);
    }
  }
  if (color == NULL || !pki_urdf_numbers(u, color, "rgba", 4, rgba)) {
    return;
  }
  bool inside = true;
  for (int i = 0; i < 4; i++) {
    inside = inside && rgba[i] >= 0 && rgba[i] <= 1;
    rgba[i] = fmin(fmax(rgba[i], 0), 1);
  }
  if (!inside && pki_urdf_first_time(u, "rgba range", name != NULL ? name : "")) {
    pki_urdf_warn(u, color, "rgba", PK_ERROR_SYNTAX, "colour-clipped",
                  "rgba goes from 0 to 1: values outside are clipped");
  }
}

/* ---- shapes ---- */

const char *pki_urdf_left_out(bool visual)
{
  return visual ? "the visual is left out" : "the collision shape is left out, nothing collides there";
}

/* A size above zero; a shape of no size is nothing and is left out with a warning. */
static bool read_size(pki_urdf *u, const xmlNode *node, const char *attribute, int count, bool visual,
                      double *out)
{
  const char *tag = (const char *)node->name;
  if (!pki_urdf_numbers(u, node, attribute, count, out)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    const bool may_be_zero = pki_urdf_is(node, "capsule") && strcmp(attribute, "length") == 0;
    if (out[i] > 0 || (may_be_zero && out[i] == 0)) {
      continue;
    }
    if (out[i] == 0) {
      pki_urdf_warn(u, node, attribute, PK_ERROR_MODEL, "shape-empty", "%s of <%s> is 0: %s", attribute, tag,
                    pki_urdf_left_out(visual));
    } else {
      pki_urdf_error(u, node, attribute, PK_ERROR_MODEL, "%s of <%s> is %g, expected a positive length",
                     attribute, tag, out[i]);
    }
    return false;
  }
  return true;
}

/* Kind and size from <geometry>; false when there is no shape to add. */
static bool read_geometry(pki_urdf *u, const xmlNode *geometry, pk_shape_desc *shape)
{
  const xmlNode *node = pki_urdf_shape(geometry);
  if (node == NULL) {
    return false; /* reported by the check */
  }
  if (pki_urdf_is(node, "box")) {
    shape->kind = PK_SHAPE_BOX;
    return read_size(u, node, "size", 3, shape->visual, shape->size);
  }
  if (pki_urdf_is(node, "sphere")) {
    shape->kind = PK_SHAPE_SPHERE;
    return read_size(u, node, "radius", 1, shape->visual, shape->size);
  }
  if (pki_urdf_is(node, "mesh")) {
    shape->kind = PK_SHAPE_MESH;
    shape->mesh = pki_urdf_load_mesh(u, node, shape->visual);
    return shape->mesh != NULL;
  }
  shape->kind = pki_urdf_is(node, "cylinder") ? PK_SHAPE_CYLINDER : PK_SHAPE_CAPSULE;
  const bool radius = read_size(u, node, "radius", 1, shape->visual, &shape->size[0]);
  return read_size(u, node, "length", 1, shape->visual, &shape->size[1]) && radius;
}

/* Into the builder, a mesh that collides as what the options make of it. */
static void add_shape(pki_urdf *u, const xmlNode *node, const pk_shape_desc *shape)
{
  pk_error err;
  pki_mesh_remark remark = {.kind = NULL};
  const bool mesh = shape->kind == PK_SHAPE_MESH && !shape->visual;
  const pk_status status = mesh ? pki_builder_add_collision_mesh(u->b, &u->collider, shape,
                                                                 u->options->collision_meshes, &remark, &err)
                                : pk_builder_add_shape(u->b, shape, &err);
  if (status != PK_OK) {
    pki_urdf_error(u, node, NULL, err.status, "%s", err.message);
  } else if (remark.kind != NULL) {
    pki_urdf_warn(u, node, NULL, PK_ERROR_MESH, remark.kind, "%s", remark.text);
  }
}

static void read_shape(pki_urdf *u, const xmlNode *node, const char *link, bool visual)
{
  const xmlNode *geometry = pki_urdf_child(node, "geometry");
  pk_shape_desc shape = {
      .link = link, .name = pki_urdf_value(node, "name"), .visual = visual, .line = pki_urdf_line(node)};
  shape.pose = pki_urdf_origin(u, node);
  memcpy(shape.rgba, plain, sizeof plain);
  if (visual) {
    read_color(u, node, shape.rgba);
  }
  if (geometry == NULL) {
    pki_urdf_warn(u, node, NULL, PK_ERROR_SYNTAX, "shape-unknown", "<%s> has no <geometry>: %s",
                  (const char *)node->name, pki_urdf_left_out(visual));
    return;
  }
  if (!read_geometry(u, geometry, &shape) || link == NULL) {
    return;
  }
  add_shape(u, node, &shape);
}

void pki_urdf_read_link(pki_urdf *u, const xmlNode *node)
{
  const char *name = pki_urdf_value(node, "name");
  name = name != NULL && name[0] != '\0' ? name : NULL;
  const pk_link_desc link = {.name = name,
                             .inertia = read_inertial(u, pki_urdf_child(node, "inertial")),
                             .line = pki_urdf_line(node)};
  pk_error err;
  if (name != NULL && pk_builder_add_link(u->b, &link, &err) != PK_OK) {
    pki_urdf_error(u, node, NULL, err.status, "%s", err.message);
  }
  for (const xmlNode *child = pki_urdf_next(node->children, NULL); child != NULL;
       child = pki_urdf_next(child->next, NULL)) {
    const bool visual = pki_urdf_is(child, "visual");
    if (visual || pki_urdf_is(child, "collision")) {
      read_shape(u, child, name, visual);
    }
  }
}
