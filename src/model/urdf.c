/* Loading a URDF: the way from a file to a robot in a builder. */
#include "model/urdf.h"

#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "model/load.h"

pk_load_options pk_load_options_default(void)
{
  return (pk_load_options){
      .root = PK_ROOT_AUTO, .pose = pk_pose_identity(), .load_meshes = true, .balance_inertia = true};
}

/* The robot's name and how it meets the world. */
static void start_robot(pki_urdf *u, const xmlNode *robot)
{
  const char *name = pki_urdf_value(robot, "name");
  if (name == NULL || name[0] == '\0') {
    pki_urdf_warn(u, robot, "name", PK_ERROR_SYNTAX, "name-missing",
                  "<robot> has no name: it is called \"robot\"");
  }
  const pk_robot_desc desc = {.name = name != NULL && name[0] != '\0' ? name : "robot",
                              .prefix = u->options->prefix,
                              .file = u->file,
                              .root = u->options->root,
                              .pose = u->options->pose};
  pk_error err;
  if (pk_builder_add_robot(u->b, &desc, &err) != PK_OK) {
    pki_urdf_error(u, robot, NULL, err.status, "%s", err.message);
  }
}

/* Whose file this is, when it is not a URDF. */
static const char *other_format(const char *root)
{
  static const char *const known[][2] = {{"mujoco", ": this is an MJCF file"},
                                         {"sdf", ": this is an SDF file"},
                                         {"COLLADA", ": this is a mesh"},
                                         {"launch", ": this is a ROS launch file"},
                                         {"package", ": this is a ROS package file"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(root, known[i][0]) == 0) {
      return known[i][1];
    }
  }
  return "";
}

/* Files that were made for Gazebo hang robots on a link "world" that they do not write down. */
static void add_world(pki_urdf *u, const xmlNode *robot)
{
  for (const xmlNode *l = pki_urdf_child(robot, "link"); l != NULL; l = pki_urdf_next(l->next, "link")) {
    const char *name = pki_urdf_value(l, "name");
    if (name != NULL && strcmp(name, "world") == 0) {
      return;
    }
  }
  for (const xmlNode *j = pki_urdf_child(robot, "joint"); j != NULL; j = pki_urdf_next(j->next, "joint")) {
    const xmlNode *parent = pki_urdf_child(j, "parent");
    const char *link = parent != NULL ? pki_urdf_value(parent, "link") : NULL;
    if (link != NULL && strcmp(link, "world") == 0) {
      pk_error err;
      pki_urdf_warn(u, parent, "link", PK_ERROR_NAME, "world-added",
                    "there is no link \"world\": it is added, without mass");
      if (pk_builder_add_link(u->b, &(pk_link_desc){.name = link, .line = pki_urdf_line(parent)}, &err) !=
          PK_OK) {
        pki_urdf_error(u, parent, NULL, err.status, "%s", err.message);
      }
      return;
    }
  }
}

static void read_robot(pki_urdf *u, const xmlNode *robot)
{
  if (robot == NULL || !pki_urdf_is(robot, "robot")) {
    pki_urdf_error(u, robot, NULL, PK_ERROR_SYNTAX, "expected <robot>, found <%s>%s",
                   robot != NULL ? pki_urdf_name(robot).text : "",
                   robot != NULL ? other_format((const char *)robot->name) : "");
    return;
  }
  if (pki_urdf_is_macro(u, robot)) {
    return;
  }
  pki_urdf_check(u, robot);
  if (pki_urdf_child(robot, "link") == NULL) {
    pki_urdf_error(u, robot, NULL, PK_ERROR_MODEL, "<robot> has no <link>");
    return;
  }
  start_robot(u, robot);
  pki_urdf_read_materials(u, robot);
  pki_urdf_note_joints(u, robot);
  add_world(u, robot);
  for (const xmlNode *child = pki_urdf_next(robot->children, NULL); child != NULL;
       child = pki_urdf_next(child->next, NULL)) {
    if (pki_urdf_is(child, "link")) {
      pki_urdf_check(u, child);
      pki_urdf_read_link(u, child);
    } else if (pki_urdf_is(child, "joint")) {
      pki_urdf_check(u, child);
      pki_urdf_read_joint(u, child);
    } else if (pki_urdf_is(child, "material")) {
      pki_urdf_check(u, child);
    }
  }
}

/* The tables and folders of a load; false when out of memory. */
static bool urdf_init(pki_urdf *u)
{
  u->materials = xmlHashCreate(16);
  u->meshes = xmlHashCreate(16);
  u->remarks = xmlHashCreate(16);
  u->joints = xmlHashCreate(16);
  return u->materials != NULL && u->joints != NULL && u->meshes != NULL && u->remarks != NULL &&
         pki_urdf_folders_init(&u->folders, u->file, u->options);
}

static void urdf_free(pki_urdf *u)
{
  pki_mesh_collider_free(&u->collider);
  pki_urdf_free_meshes(u);
  xmlHashFree(u->materials, NULL);
  xmlHashFree(u->remarks, NULL);
  xmlHashFree(u->joints, NULL);
  pki_urdf_folders_free(&u->folders);
}

static void parse_urdf_text(pki_urdf *u, const char *text, size_t size)
{
  xmlDoc *doc = pki_urdf_scan(u, text, size) ? pki_urdf_parse(u, text, size) : NULL;
  if (doc != NULL) {
    read_robot(u, xmlDocGetRootElement(doc));
    xmlFreeDoc(doc);
  }
}

static void load_urdf_text(pki_urdf *u, const char *text, size_t size)
{
  char *mended = pki_urdf_mend(u, text, size, &size);
  if (mended != NULL) {
    parse_urdf_text(u, mended, size);
  }
  free(mended);
}

pk_status pk_builder_add_urdf_memory(pk_builder *b, const char *text, size_t size, const char *file,
                                     const pk_load_options *options, pk_error *err)
{
  const pk_load_options standard = pk_load_options_default();
  pki_urdf u = {.b = b, .file = file, .options = options != NULL ? options : &standard};
  const pki_builder_mark mark = pki_builder_get_mark(b);
  pki_builder_begin_load(b, u.options);
  if (urdf_init(&u)) {
    load_urdf_text(&u, text, size);
  } else {
    pki_urdf_error_at(&u, 0, "", PK_ERROR_MEMORY, "out of memory");
  }
  urdf_free(&u);
  pki_builder_end_load(b);
  if (u.nerror > 0) {
    pki_builder_rollback(b, mark);
    if (err != NULL) {
      *err = u.first;
    }
    return u.first.status;
  }
  return PK_OK;
}

/* ---- files ---- */

pk_status pk_builder_add_urdf(pk_builder *b, const char *path, const pk_load_options *options, pk_error *err)
{
  char *text;
  size_t size = 0;
  pk_status status = pki_load_bytes(b, path, PKI_URDF_MAX_BYTES, "urdf", &text, &size, err);
  status = status == PK_OK ? pk_builder_add_urdf_memory(b, text, size, path, options, err) : status;
  free(text);
  return status;
}

pk_status pk_model_load_urdf(const char *path, const pk_load_options *options, pk_model **out, pk_error *err)
{
  *out = NULL;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  if (b == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.file = path}, "out of memory");
  }
  pk_status status = pk_builder_add_urdf(b, path, options, err);
  if (status == PK_OK) {
    status = pk_builder_compile(b, out, err);
  }
  pk_builder_destroy(b);
  return status;
}
