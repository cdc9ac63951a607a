/* Loading MJCF: the way from a file to robots in a builder. */
#include "model/mjcf/mjcf.h"

#include <stdlib.h>
#include <string.h>

#include "model/load.h"

/* The sections that say nothing here, and those that cannot be done without. */
static void check_sections(pki_mjcf *m)
{
  for (const pki_mjcf_node *node = m->root->first; node != NULL; node = node->next) {
    if (pki_mjcf_is(node, "deformable")) {
      pki_mjcf_error(m, node, NULL, PK_ERROR_UNSUPPORTED,
                     "<deformable>: flexible bodies and skins are not simulated");
    } else if (pki_mjcf_is(node, "extension") && node->first != NULL) {
      pki_mjcf_warn(m, node->first, NULL, "plugin-dropped",
                    "plugins of MuJoCo are not run: what uses them is an error");
    }
  }
}

/* All sections of a tree whose structure is known to be right. */
static void read_model(pki_mjcf *m)
{
  m->model_name = pki_mjcf_own(m->root, "model");
  pki_mjcf_expand(m, m->root);
  pki_mjcf_read_classes(m);
  pki_mjcf_check_classes(m, m->root);
  check_sections(m);
  pki_mjcf_read_option(m);
  pki_mjcf_read_assets(m);
  pki_mjcf_read_world(m);
  if (m->no_memory) {
    return;
  }
  pki_mjcf_read_contact(m);
  pki_mjcf_check_tendons(m);
  pki_mjcf_read_actuators(m);
  pki_mjcf_resolve_springs(m);
  pki_mjcf_read_sensors(m);
  pki_mjcf_emit(m);
}

static void load_text(pki_mjcf *m, const char *text, size_t size)
{
  m->root = pki_mjcf_parse(m, text, size, m->file);
  if (m->root == NULL) {
    return;
  }
  pki_mjcf_check(m, m->root);
  pki_mjcf_read_settings(m, m->root);
  if (!m->no_memory) {
    read_model(m);
  }
}

static bool mjcf_init(pki_mjcf *m)
{
  pk_load_options folders = *m->options;
  folders.load_meshes = true; /* files are included from there whether meshes are read or not */
  m->files = xmlHashCreate(16);
  m->classes = xmlHashCreate(16);
  m->names = xmlHashCreate(64);
  m->remarks = xmlHashCreate(16);
  return m->files != NULL && m->classes != NULL && m->names != NULL && m->remarks != NULL &&
         pki_urdf_folders_init(&m->folders, m->file, &folders);
}

static void mjcf_free(pki_mjcf *m)
{
  pki_mesh_collider_free(&m->collider);
  pki_mjcf_free_meshes(m);
  pki_mjcf_free_hfields(m);
  xmlHashFree(m->files, NULL);
  xmlHashFree(m->classes, NULL);
  xmlHashFree(m->names, NULL);
  xmlHashFree(m->remarks, NULL);
  pki_urdf_folders_free(&m->folders);
  pki_mjcf_free_blocks(m);
  free(m->bodies), free(m->joints), free(m->geoms), free(m->sites), free(m->robots), free(m->actuators);
  free(m->sensors);
}

pk_status pk_builder_add_mjcf_memory(pk_builder *b, const char *text, size_t size, const char *file,
                                     const pk_load_options *options, pk_error *err)
{
  const pk_load_options standard = pk_load_options_default();
  pki_mjcf m = {.b = b, .file = file, .options = options != NULL ? options : &standard};
  const pki_builder_mark mark = pki_builder_get_mark(b);
  pk_load_options load = *m.options;
  load.balance_inertia = false; /* <compiler> decides, for each body by itself */
  pki_builder_begin_load(b, &load);
  if (mjcf_init(&m)) {
    load_text(&m, text, size);
  } else {
    m.no_memory = true;
  }
  if (m.no_memory) {
    pki_mjcf_error(&m, NULL, NULL, PK_ERROR_MEMORY, "out of memory");
  }
  mjcf_free(&m);
  pki_builder_end_load(b);
  if (m.nerror > 0) {
    pki_builder_rollback(b, mark);
    if (err != NULL) {
      *err = m.first;
    }
    return m.first.status;
  }
  return PK_OK;
}

pk_status pk_builder_add_mjcf(pk_builder *b, const char *path, const pk_load_options *options, pk_error *err)
{
  char *text;
  size_t size = 0;
  pk_status status = pki_load_bytes(b, path, PKI_URDF_MAX_BYTES, "xml", &text, &size, err);
  status = status == PK_OK ? pk_builder_add_mjcf_memory(b, text, size, path, options, err) : status;
  free(text);
  return status;
}
