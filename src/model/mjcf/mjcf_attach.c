/* <attach>: a body of another file, which <model> of <asset> names, with all that refers to it. The prefix of <attach>
 * stands before every name, so that one model can be attached several times. */
#include <string.h>

#include "model/mjcf/mjcf.h"

/* The file of a model, read and checked once; NULL when it cannot be had (reported). */
static pki_mjcf_node *find_model(pki_mjcf *m, const pki_mjcf_node *attach, const char *name)
{
  pki_mjcf_node *loaded = pki_mjcf_find(m, "loaded model", name);
  if (loaded != NULL) {
    return loaded;
  }
  const pki_mjcf_node *model = NULL;
  for (const pki_mjcf_node *node = NULL; (node = pki_mjcf_next_in(m, "asset", "model", node)) != NULL;) {
    const char *file = pki_mjcf_own(node, "file"), *own = pki_mjcf_own(node, "name");
    const char *called = own != NULL ? own : file != NULL ? pki_mjcf_stem(m, file) : NULL;
    model = called != NULL && strcmp(called, name) == 0 ? node : model;
  }
  const char *file = model != NULL ? pki_mjcf_own(model, "file") : NULL;
  if (file == NULL) {
    pki_mjcf_error(m, attach, "model", PK_ERROR_NAME, "<asset> has no <model> \"%s\" with a file",
                   pki_urdf_quoted(name).text);
    return NULL;
  }
  pki_mjcf_node *root = pki_mjcf_load(m, model, "file", file);
  if (root == NULL) {
    return NULL;
  }
  pki_mjcf_check(m, root);
  pki_mjcf_read_settings(m, root);
  pki_mjcf_expand(m, root);
  xmlHashAddEntry2(m->names, (const xmlChar *)"loaded model", (const xmlChar *)name, root);
  return root;
}

/* The body (or frame) called `name`, in a subtree. */
static pki_mjcf_node *find_named(pki_mjcf_node *node, const char *tag, const char *name)
{
  for (pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    const char *own = pki_mjcf_own(child, "name");
    if (pki_mjcf_is(child, tag) && own != NULL && strcmp(own, name) == 0) {
      return child;
    }
    if (pki_mjcf_is(child, "worldbody") || pki_mjcf_is(child, "body") || pki_mjcf_is(child, "frame")) {
      pki_mjcf_node *found = find_named(child, tag, name);
      if (found != NULL) {
        return found;
      }
    }
  }
  return NULL;
}

/* Its default classes, beside those of the model: its main class has a name, and values of its own. */
static bool copy_classes(pki_mjcf *m, const pki_mjcf_node *root, const char *prefix, const char *main_name)
{
  for (const pki_mjcf_node *node = root->first; node != NULL; node = node->next) {
    if (pki_mjcf_is(node, "default")) {
      pki_mjcf_node *copy = pki_mjcf_copy(m, &m->attached, node, prefix, "");
      if (copy == NULL || !pki_mjcf_set(m, copy, "class", main_name)) {
        return false;
      }
    }
  }
  return true;
}

/* Assets, contacts, constraints, actuators, sensors: with the prefix, behind those of the model. */
static bool copy_sections(pki_mjcf *m, const pki_mjcf_node *root, const char *prefix,
                          const pki_mjcf_settings *settings)
{
  static const char *const sections[] = {"asset", "contact", "tendon", "equality", "actuator", "sensor"};
  for (const pki_mjcf_node *node = root->first; node != NULL; node = node->next) {
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
      if (!pki_mjcf_is(node, sections[i])) {
        continue;
      }
      pki_mjcf_node *copy = pki_mjcf_copy(m, m->root, node, prefix, "");
      if (copy == NULL) {
        return false;
      }
      pki_mjcf_give_settings(copy, settings);
    }
  }
  return true;
}

/* The body that is attached, or all of the world's children in a frame where none is named. */
static pki_mjcf_node *copy_bodies(pki_mjcf *m, const pki_mjcf_node *attach, const pki_mjcf_node *root,
                                  const pki_mjcf_node *body, const char *prefix)
{
  pki_mjcf_node holder = {0};
  if (body != NULL) {
    return pki_mjcf_copy(m, &holder, body, prefix, "");
  }
  pki_mjcf_node *frame = pki_mjcf_add_node(m, &holder, "frame", attach);
  for (const pki_mjcf_node *world = root->first; frame != NULL && world != NULL; world = world->next) {
    for (const pki_mjcf_node *child = world->first; pki_mjcf_is(world, "worldbody") && child != NULL;
         child = child->next) {
      pki_mjcf_copy(m, frame, child, prefix, "");
    }
  }
  return frame;
}

pki_mjcf_node *pki_mjcf_attach(pki_mjcf *m, const pki_mjcf_node *attach)
{
  const char *name = pki_mjcf_own(attach, "model"), *prefix = pki_mjcf_own(attach, "prefix");
  const char *body = pki_mjcf_own(attach, "body");
  if (name == NULL || prefix == NULL || pki_mjcf_own(attach, "frame") != NULL) {
    pki_mjcf_error(m, attach, "model", PK_ERROR_UNSUPPORTED,
                   "<attach> needs a model and a prefix here; attaching a frame, or a part of the same "
                   "model, is not read");
    return NULL;
  }
  pki_mjcf_node *root = find_model(m, attach, name);
  const pki_mjcf_node *found = root != NULL && body != NULL ? find_named(root, "body", body) : NULL;
  if (root != NULL && body != NULL && found == NULL) {
    pki_mjcf_error(m, attach, "body", PK_ERROR_NAME, "model \"%s\" has no body \"%s\"",
                   pki_urdf_quoted(name).text, pki_urdf_quoted(body).text);
  }
  pki_mjcf_settings *settings = pki_mjcf_alloc(m, sizeof *settings);
  if (root == NULL || (body != NULL && found == NULL) || settings == NULL) {
    return NULL;
  }
  *settings = *root->settings;
  settings->main_class = pki_mjcf_print(m, "%smain", prefix);
  pki_mjcf_node *copy = copy_bodies(m, attach, root, found, prefix);
  if (copy == NULL || settings->main_class == NULL || !copy_classes(m, root, prefix, settings->main_class) ||
      !copy_sections(m, root, prefix, settings)) {
    return NULL;
  }
  pki_mjcf_give_settings(copy, settings);
  return copy;
}
