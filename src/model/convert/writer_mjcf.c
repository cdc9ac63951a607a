/* The bodies of MJCF: every link is one, those that fixed joints hold without a joint of their own. Joints are written by
 * their elementary motions, in the order in which bodies go through them, which is the order of coordinates in
 * both engines. */
#include "model/convert/writer_mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/mat3.h"

/* What stands for no limit on one side, rad or m. */
static const double NO_LIMIT = 1e9;

void pki_put_mjcf_pose(pki_text *text, const pk_pose *pose)
{
  if (!pki_is_zero(pose->pos, 3)) {
    pki_xml_reals(text, "pos", pose->pos, 3);
  }
  if (!pki_is_identity(pose->rot)) {
    double quat[4];
    pki_quat_from_mat3(pose->rot, quat);
    pki_xml_reals(text, "quat", quat, 4);
  }
}

void pki_put_mjcf_name(pki_writer *w, const char *attribute, int robot, const char *name)
{
  const char *prefix = w->b->robots[robot].desc.prefix;
  pki_text_addf(&w->text, " %s=\"", attribute);
  pki_text_add_escaped(&w->text, prefix != NULL ? prefix : "");
  pki_text_add_escaped(&w->text, name);
  pki_text_add(&w->text, "\"");
}

bool pki_is_mjcf_world(const pki_writer *w, int link)
{
  return w->tree->link_joint[link] < 0 && w->model->robots[w->b->links[link].robot].root == PK_ROOT_FIXED &&
         strcmp(w->tree->link_name[link], "world") == 0;
}

/* ---- mass ---- */

static void put_inertial(pki_writer *w, const pk_inertia *inertia, int depth)
{
  const double *m = inertia->moment;
  if (inertia->mass == 0 && pki_is_zero(m, 6)) {
    return;
  }
  pki_xml_indent(&w->text, depth);
  pki_text_add(&w->text, "<inertial");
  pki_xml_reals(&w->text, "pos", inertia->com, 3);
  pki_xml_reals(&w->text, "mass", &inertia->mass, 1);
  if (m[1] == 0 && m[2] == 0 && m[4] == 0) {
    const double diagonal[3] = {m[0], m[3], m[5]};
    pki_xml_reals(&w->text, "diaginertia", diagonal, 3);
  } else {
    const double full[6] = {m[0], m[3], m[5], m[1], m[2], m[4]};
    pki_xml_reals(&w->text, "fullinertia", full, 6);
  }
  pki_text_add(&w->text, "/>\n");
}

/* ---- joints ---- */

/* Losses and limits of a one-axis joint; one side alone, or none to go, needs numbers that MJCF takes. */
static void put_range(pki_writer *w, const pk_joint_desc *j)
{
  const double lower = fmax(j->lower, -NO_LIMIT), upper = fmin(j->upper, NO_LIMIT);
  if (isinf(j->lower) && isinf(j->upper)) {
    return;
  }
  const double range[2] = {lower, upper > lower ? upper : nextafter(lower, INFINITY)};
  pki_text_add(&w->text, " limited=\"true\"");
  pki_xml_reals(&w->text, "range", range, 2);
}

static void put_positive(pki_writer *w, const char *attribute, double value)
{
  if (value != 0) {
    pki_xml_reals(&w->text, attribute, &value, 1);
  }
}

/* What one-axis joints have and others share by all their coordinates. */
static void put_losses(pki_writer *w, const pk_joint_desc *j)
{
  put_positive(w, "damping", j->damping);
  put_positive(w, "frictionloss", j->friction);
  put_positive(w, "armature", j->armature);
}

static void put_one_axis(pki_writer *w, int joint)
{
  const pk_joint_desc *j = &w->b->joints[joint].desc;
  put_range(w, j);
  put_losses(w, j);
  put_positive(w, "stiffness", j->stiffness);
  put_positive(w, "springref", j->spring_ref);
  put_positive(w, "ref", j->ref);
  if (w->options->mujoco >= 3 && isfinite(j->effort)) {
    const double effort[2] = {-j->effort, j->effort};
    if (j->effort > 0) {
      pki_text_add(&w->text, " actuatorfrclimited=\"true\"");
      pki_xml_reals(&w->text, "actuatorfrcrange", effort, 2);
    }
  }
}

static void put_joint_start(pki_writer *w, const char *type, const char *name, int number, int depth)
{
  pki_xml_indent(&w->text, depth);
  pki_text_add(&w->text, "<joint name=\"");
  pki_text_add_escaped(&w->text, name);
  if (number > 0) {
    pki_text_addf(&w->text, "_%d", number);
  }
  pki_text_addf(&w->text, "\" type=\"%s\"", type);
}

static void put_axis(pki_writer *w, const double axis[3])
{
  pki_xml_reals(&w->text, "axis", axis, 3);
}

static const double AXES[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* Three travels and a ball have the coordinates of a floating joint, and go where a free joint may not. */
static void put_floating(pki_writer *w, const pk_joint_desc *j, const char *name, int depth)
{
  for (int k = 0; k < 3; k++) {
    put_joint_start(w, "slide", name, k + 1, depth);
    put_axis(w, AXES[k]);
    put_losses(w, j);
    pki_text_add(&w->text, "/>\n");
  }
  put_joint_start(w, "ball", name, 4, depth);
  put_losses(w, j);
  pki_text_add(&w->text, "/>\n");
  pki_write_lose(w, "floating joints became three slides and a ball: a free joint stands on the world alone",
                 name);
}

/* What MJCF has no place for. */
static void lose_joint(pki_writer *w, const pk_joint_desc *j, const char *name)
{
  const pki_joint_type *type = pki_joint_type_of(j->kind);
  if (isfinite(j->velocity)) {
    pki_write_lose(w, "velocity limits of joints: MJCF has none", name);
  }
  if (type->nparts > 1) {
    pki_write_lose(w, "joints of several motions (planar ones) became several joints of one body", name);
  }
  if (j->lower == j->upper) {
    pki_write_lose(w, "joints that are locked by equal limits may move by a rounding", name);
  }
  if (isfinite(j->effort) && (w->options->mujoco < 3 || j->effort == 0 || pki_joint_nu(j->kind) > 1)) {
    pki_write_lose(w,
                   j->effort == 0 ? "that joints have no motor (effort 0): MJCF limits no joint to 0"
                   : pki_joint_nu(j->kind) > 1
                       ? "efforts of joints of several motions"
                       : "efforts of joints became motors (MuJoCo 2 has no actuatorfrcrange)",
                   name);
  }
  if (j->mimic != NULL) {
    pki_write_lose(
        w, "mimic joints became joints of their own with an equality constraint, which MuJoCo keeps softly",
        name);
  }
}

static void put_joint(pki_writer *w, int joint, int depth)
{
  const pk_joint_desc *j = &w->b->joints[joint].desc;
  const pki_joint_type *type = pki_joint_type_of(j->kind);
  const char *name = w->tree->joint_name[joint];
  for (int p = 0; p < type->nparts; p++) {
    const pki_joint_part *part = &type->parts[p];
    const int number = type->nparts > 1 ? p + 1 : 0;
    const bool one_axis = part->motion == PK_MOTION_REVOLUTE || part->motion == PK_MOTION_PRISMATIC;
    if (pki_joint_part_shares(type, p) || (one_axis && part->gain != 1)) {
      pki_write_refuse(w, "joint \"%s\" is of kind %s, which MJCF cannot hold", name, type->name);
      return;
    }
    if (part->motion == PK_MOTION_FLOATING) {
      put_floating(w, j, name, depth);
    } else if (part->motion == PK_MOTION_SPHERICAL) {
      put_joint_start(w, "ball", name, number, depth);
      put_losses(w, j);
      pki_text_add(&w->text, "/>\n");
    } else {
      double axis[3];
      pki_joint_part_axis(j, p, axis);
      put_joint_start(w, part->motion == PK_MOTION_REVOLUTE ? "hinge" : "slide", name, number, depth);
      put_axis(w, axis);
      if (type->nparts == 1) {
        put_one_axis(w, joint);
      } else {
        put_losses(w, j);
      }
      pki_text_add(&w->text, "/>\n");
    }
  }
  if (type->nparts > 0) {
    lose_joint(w, j, name);
  }
}

/* How the root of a robot meets the world. */
static void put_root(pki_writer *w, int robot, int depth)
{
  const pk_root_kind root = w->model->robots[robot].root;
  if (root == PK_ROOT_FREE) {
    pki_xml_indent(&w->text, depth);
    pki_text_add(&w->text, "<freejoint/>\n");
  }
  for (int k = 0; root == PK_ROOT_CHAIN && k < 6; k++) {
    pki_xml_indent(&w->text, depth);
    pki_text_addf(&w->text, "<joint type=\"%s\"", k < 3 ? "slide" : "hinge");
    put_axis(w, AXES[k % 3]);
    pki_text_add(&w->text, "/>\n");
  }
}

/* ---- bodies ---- */

static void open_body(pki_writer *w, int link, int depth)
{
  const pki_draft *t = w->tree;
  const int joint = t->link_joint[link], robot = w->b->links[link].robot;
  /* a chain of joints starts at the world's origin; its coordinates say where the robot is */
  const bool chain = joint < 0 && w->model->robots[robot].root == PK_ROOT_CHAIN;
  const pk_pose here = pk_pose_identity();
  const pk_pose *pose = joint >= 0 ? &w->b->joints[joint].desc.origin
                        : chain    ? &here
                                   : &w->b->robots[robot].desc.pose;
  if (chain && !pki_is_zero(w->b->robots[robot].desc.pose.pos, 3)) {
    pki_write_lose(w, "the pose in which a chain root starts: MuJoCo starts it at the origin",
                   t->link_name[link]);
  }
  pki_xml_indent(&w->text, depth);
  pki_text_add(&w->text, "<body");
  pki_xml_text(&w->text, "name", t->link_name[link]);
  pki_put_mjcf_pose(&w->text, pose);
  pki_text_add(&w->text, ">\n");
  put_inertial(w, &w->inertia[link], depth + 1);
  if (joint >= 0) {
    put_joint(w, joint, depth + 1);
  } else {
    put_root(w, robot, depth + 1);
  }
  pki_put_mjcf_shapes(w, link, &here, depth + 1);
  pki_put_mjcf_sites(w, link, &here, depth + 1);
}

static void close_bodies(pki_writer *w, int *depth, int to)
{
  while (*depth > to) {
    pki_xml_indent(&w->text, --*depth);
    pki_text_add(&w->text, "</body>\n");
  }
}

/* Links come parents first and subtrees whole: a link's body stands in that of its parent. */
static void put_bodies(pki_writer *w)
{
  enum { TOP = 2 };
  const pki_draft *t = w->tree;
  int depth = TOP;
  for (int k = 0; k < t->norder; k++) {
    const int link = t->order[k], joint = t->link_joint[link];
    const int parent = joint >= 0 ? t->joint_parent[joint] : -1;
    const int at = parent >= 0 ? w->link_depth[parent] + (pki_is_mjcf_world(w, parent) ? 0 : 1) : TOP;
    close_bodies(w, &depth, at);
    w->link_depth[link] = at;
    if (pki_is_mjcf_world(w, link)) {
      const pk_pose *pose = &w->b->robots[w->b->links[link].robot].desc.pose;
      if (!pki_is_zero(pose->pos, 3) || !pki_is_identity(pose->rot)) {
        pki_write_refuse(
            w, "the link \"world\" lies elsewhere than the world of MJCF; load the model without a pose");
      }
      pki_put_mjcf_shapes(w, link, pose, depth);
      pki_put_mjcf_sites(w, link, pose, depth);
      continue;
    }
    open_body(w, link, depth);
    depth = at + 1;
  }
  close_bodies(w, &depth, TOP);
}

void pki_write_mjcf(pki_writer *w)
{
  pki_text_add(&w->text, "<mujoco");
  pki_xml_text(&w->text, "model", w->b->nrobot == 1 ? w->b->robots[0].desc.name : "world");
  /* masses are written; a body without any has none, whatever its shapes */
  pki_text_add(&w->text, ">\n  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n  <option");
  pki_xml_reals(&w->text, "gravity", w->b->gravity, 3);
  if (!pki_is_zero(w->b->magnetic, 3)) {
    pki_xml_reals(&w->text, "magnetic", w->b->magnetic, 3);
  }
  pki_text_add(&w->text, "/>\n");
  pki_choose_mjcf_masses(w);
  if (w->text.failed) {
    return;
  }
  pki_put_mjcf_assets(w);
  pki_text_add(&w->text, "  <worldbody>\n");
  put_bodies(w);
  pki_text_add(&w->text, "  </worldbody>\n");
  pki_put_mjcf_parts(w);
  if (w->b->cut_all || w->b->ncut > 0) {
    pki_write_lose(w, "that joints are cut: they are joints again", NULL);
  }
  pki_text_add(&w->text, "</mujoco>\n");
}
