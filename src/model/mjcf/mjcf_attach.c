/* <attach>: a body of another file, which <model> of <asset> names, with all that refers to it. The prefix of <attach>
 * stands before every name, so that one model can be attached several times. */
#include <string.h>

#include "model/mjcf/mjcf.h"

/* ---- models and their bodies, by name ---- */

/* Names belong to a file: m->names has them by what they are, the file and the name. */
static void *find_in_file(const pki_mjcf *m, const char *what, const pki_mjcf_node *root, const char *name)
{
  return xmlHashLookup3(m->names, (const xmlChar *)what, (const xmlChar *)root->file, (const xmlChar *)name);
}

static void enter_in_file(pki_mjcf *m, const char *what, const pki_mjcf_node *root, const char *name,
                          void *value)
{
  xmlHashAddEntry3(m->names, (const xmlChar *)what, (const xmlChar *)root->file, (const xmlChar *)name,
                   value);
}

/* The models of a file, when it is first asked for one. */
static void enter_models(pki_mjcf *m, const pki_mjcf_node *root)
{
  if (find_in_file(m, "models of", root, "") != NULL) {
    return;
  }
  enter_in_file(m, "models of", root, "", m);
  for (const pki_mjcf_node *asset = root->first; asset != NULL; asset = asset->next) {
    for (pki_mjcf_node *node = pki_mjcf_is(asset, "asset") ? asset->first : NULL; node != NULL;
         node = node->next) {
      const char *file = pki_mjcf_is(node, "model") ? pki_mjcf_own(node, "file") : NULL,
                 *own = pki_mjcf_own(node, "name");
      const char *name = file == NULL ? NULL : own != NULL ? own : pki_mjcf_stem(m, file);
      if (name != NULL) {
        enter_in_file(m, "model of", root, name, node);
      }
    }
  }
}

/* Bodies of a file, the first of each name. */
static void enter_bodies(pki_mjcf *m, const pki_mjcf_node *root, pki_mjcf_node *node)
{
  for (pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    const char *name = pki_mjcf_own(child, "name");
    if (pki_mjcf_is(child, "body") && name != NULL) {
      enter_in_file(m, "body of", root, name, child);
    }
    if (pki_mjcf_is(child, "worldbody") || pki_mjcf_is(child, "body") || pki_mjcf_is(child, "frame")) {
      enter_bodies(m, root, child);
    }
  }
}

/* The file of a model, read and checked once; NULL when it cannot be had (reported). */
static pki_mjcf_node *find_model(pki_mjcf *m, const pki_mjcf_node *root, const pki_mjcf_node *attach,
                                 const char *name)
{
  pki_mjcf_node *loaded = find_in_file(m, "loaded model of", root, name);
  if (loaded != NULL) {
    return loaded;
  }
  enter_models(m, root);
  const pki_mjcf_node *model = find_in_file(m, "model of", root, name);
  if (model == NULL) {
    pki_mjcf_error(m, attach, "model", PK_ERROR_NAME, "<asset> has no <model> \"%s\" with a file",
                   pki_urdf_quoted(name).text);
    return NULL;
  }
  const int base = m->base;
  m->base = attach->depth;
  loaded = pki_mjcf_load(m, model, "file", pki_mjcf_own(model, "file"));
  m->base = base;
  if (loaded == NULL) {
    return NULL;
  }
  pki_mjcf_check(m, loaded);
  pki_mjcf_read_settings(m, loaded);
  if (loaded->settings == NULL) {
    return NULL; /* without memory */
  }
  pki_mjcf_expand(m, loaded);
  enter_bodies(m, loaded, loaded);
  enter_in_file(m, "loaded model of", root, name, loaded);
  return loaded;
}

/* ---- copies ---- */

/* The settings of a file for its copy. What it attached itself has settings of its own, whose main class gets the prefix
 * as all names do. */
static pki_mjcf_settings *copy_settings(pki_mjcf *m, pki_mjcf_settings *settings, const char *prefix)
{
  if (settings->copied != m->nattach) {
    settings->copy = pki_mjcf_alloc(m, sizeof *settings->copy);
    settings->copied = m->nattach;
    if (settings->copy != NULL) {
      *settings->copy = *settings;
      settings->copy->copied = 0;
      settings->copy->main_class =
          pki_mjcf_print(m, "%s%s", prefix, settings->main_class != NULL ? settings->main_class : "main");
    }
  }
  return settings->copy;
}

static void give_copied_settings(pki_mjcf *m, pki_mjcf_node *node, const char *prefix)
{
  node->settings = copy_settings(m, node->settings, prefix);
  for (pki_mjcf_node *child = node->first; child != NULL && !m->no_memory; child = child->next) {
    give_copied_settings(m, child, prefix);
  }
}

/* Where a file keeps the classes of those that it attaches. */
static pki_mjcf_node *attached_classes(pki_mjcf *m, pki_mjcf_node *into)
{
  pki_mjcf_node *classes = find_in_file(m, "attached", into, "");
  if (classes == NULL) {
    classes = pki_mjcf_add_node(m, into, "attached", NULL);
    enter_in_file(m, "attached", into, "", classes);
  }
  return classes;
}

/* Its default classes, beside those of the model: its main class has a name, and values of its own or none. */
static bool copy_classes(pki_mjcf *m, pki_mjcf_node *into, const pki_mjcf_node *root, const char *prefix)
{
  const char *main_name = pki_mjcf_print(m, "%smain", prefix);
  pki_mjcf_node *classes = attached_classes(m, into);
  bool has_main = false;
  for (const pki_mjcf_node *node = root->first; node != NULL && classes != NULL; node = node->next) {
    if (pki_mjcf_is(node, "default")) {
      pki_mjcf_node *copy = pki_mjcf_copy(m, classes, node, prefix, "");
      if (copy == NULL || !pki_mjcf_set(m, copy, "class", main_name)) {
        return false;
      }
      has_main = true;
    }
    for (const pki_mjcf_node *inner = pki_mjcf_is(node, "attached") ? node->first : NULL; inner != NULL;
         inner = inner->next) {
      if (pki_mjcf_copy(m, classes, inner, prefix, "") == NULL) {
        return false;
      }
    }
  }
  pki_mjcf_node *none = has_main || classes == NULL ? NULL : pki_mjcf_add_node(m, classes, "default", root);
  return has_main || (none != NULL && pki_mjcf_set(m, none, "class", main_name));
}

/* Assets, contacts, constraints, actuators, sensors: with the prefix, behind those of the file that attaches. */
static bool copy_sections(pki_mjcf *m, pki_mjcf_node *into, const pki_mjcf_node *root, const char *prefix)
{
  static const char *const sections[] = {"asset", "contact", "tendon", "equality", "actuator", "sensor"};
  for (const pki_mjcf_node *node = root->first; node != NULL; node = node->next) {
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
      if (!pki_mjcf_is(node, sections[i])) {
        continue;
      }
      pki_mjcf_node *copy = pki_mjcf_copy(m, into, node, prefix, "");
      if (copy == NULL) {
        return false;
      }
      give_copied_settings(m, copy, prefix);
    }
  }
  return true;
}

/* The body that is attached, or all of the world's children in a frame where none is named. */
static pki_mjcf_node *copy_bodies(pki_mjcf *m, const pki_mjcf_node *attach, const pki_mjcf_node *root,
                                  const pki_mjcf_node *body, const char *prefix)
{
  pki_mjcf_node holder = {.depth = attach->depth - 1};
  if (body != NULL) {
    return pki_mjcf_copy(m, &holder, body, prefix, "");
  }
  pki_mjcf_node *frame = pki_mjcf_add_node(m, &holder, "frame", attach);
  if (frame != NULL) {
    frame->settings = root->settings; /* it is part of what is attached */
  }
  for (const pki_mjcf_node *world = root->first; frame != NULL && world != NULL; world = world->next) {
    for (const pki_mjcf_node *child = world->first; pki_mjcf_is(world, "worldbody") && child != NULL;
         child = child->next) {
      pki_mjcf_copy(m, frame, child, prefix, "");
    }
  }
  return frame;
}

pki_mjcf_node *pki_mjcf_attach(pki_mjcf *m, pki_mjcf_node *root, const pki_mjcf_node *attach)
{
  const char *name = pki_mjcf_own(attach, "model"), *prefix = pki_mjcf_own(attach, "prefix");
  const char *body = pki_mjcf_own(attach, "body");
  if (name == NULL || prefix == NULL || pki_mjcf_own(attach, "frame") != NULL) {
    pki_mjcf_error(m, attach, "model", PK_ERROR_UNSUPPORTED,
                   "<attach> needs a model and a prefix here; attaching a frame, or a part of the same "
                   "model, is not read");
    return NULL;
  }
  pki_mjcf_node *model = find_model(m, root, attach, name);
  const pki_mjcf_node *found = model != NULL && body != NULL ? find_in_file(m, "body of", model, body) : NULL;
  if (model != NULL && body != NULL && found == NULL) {
    pki_mjcf_error(m, attach, "body", PK_ERROR_NAME, "model \"%s\" has no body \"%s\"",
                   pki_urdf_quoted(name).text, pki_urdf_quoted(body).text);
  }
  if (model == NULL || (body != NULL && found == NULL)) {
    return NULL;
  }
  m->nattach++;
  pki_mjcf_node *copy = copy_bodies(m, attach, model, found, prefix);
  if (copy == NULL || !copy_classes(m, root, model, prefix) || !copy_sections(m, root, model, prefix)) {
    return NULL;
  }
  give_copied_settings(m, copy, prefix);
  return copy;
}
