/* <asset>: names of meshes, height fields, textures and materials. Files are read when something uses them. */
#include <string.h>

#include "model/mjcf/mjcf.h"

static void enter_mesh(pki_mjcf *m, const pki_mjcf_node *node)
{
  const char *name = pki_mjcf_own(node, "name"), *file = pki_mjcf_own(node, "file");
  if ((name == NULL || name[0] == '\0') && file != NULL) {
    name = pki_mjcf_stem(m, file);
  }
  pki_mjcf_mesh *mesh = pki_mjcf_alloc(m, sizeof *mesh);
  if (mesh == NULL || name == NULL) {
    if (!m->no_memory) {
      pki_mjcf_error(m, node, "name", PK_ERROR_SYNTAX, "<mesh> without a file needs the attribute \"name\"");
    }
    return;
  }
  *mesh = (pki_mjcf_mesh){.node = node, .name = name, .next = m->meshes};
  m->meshes = mesh;
  pki_mjcf_enter(m, node, "mesh", name, mesh);
}

/* Textures, materials and height fields: the element itself. */
static void enter_element(pki_mjcf *m, const pki_mjcf_node *node)
{
  const char *name = pki_mjcf_own(node, "name"), *file = pki_mjcf_own(node, "file");
  if ((name == NULL || name[0] == '\0') && file != NULL) {
    name = pki_mjcf_stem(m, file);
  }
  if (name != NULL && name[0] != '\0') {
    pki_mjcf_enter(m, node, node->tag, name, (void *)(size_t)node);
  } else if (!pki_mjcf_is(node, "texture") && !m->no_memory) {
    pki_mjcf_error(m, node, "name", PK_ERROR_SYNTAX, "<%s> needs the attribute \"name\"", node->tag);
  }
}

void pki_mjcf_read_assets(pki_mjcf *m)
{
  for (const pki_mjcf_node *node = NULL; (node = pki_mjcf_next_in(m, "asset", NULL, node)) != NULL;) {
    if (pki_mjcf_is(node, "mesh")) {
      enter_mesh(m, node);
    } else if (pki_mjcf_is(node, "texture") || pki_mjcf_is(node, "material") || pki_mjcf_is(node, "hfield")) {
      enter_element(m, node);
    } else if (pki_mjcf_is(node, "skin") && pki_mjcf_first_time(m, "skin", "")) {
      pki_mjcf_warn(m, node, NULL, "skin-dropped", "skins are not shown");
    }
  }
}
