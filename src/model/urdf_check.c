/* Structure against the table of elements: what is missing, what is there twice, what is
 * unknown. Only what is needed and missing is an error; the rest is left unread with a warning, as other
 * readers leave it without one. */
#include <string.h>

#include "model/urdf.h"
#include "model/urdf_spec.h"

/* ---- attributes ---- */

/* A nearest word from the two lists of attributes. */
static const char *attribute_slip(const pki_urdf_spec *spec, const char *name)
{
  const char *slip = pki_urdf_misspelt(spec->needed, name);
  return slip != NULL ? slip : pki_urdf_misspelt(spec->optional, name);
}

/* An attribute that the table does not have; an error when it stands for one that is needed. */
static void check_unknown_attribute(pki_urdf *u, const xmlNode *node, const pki_urdf_spec *spec,
                                    const char *name)
{
  const char *slip = attribute_slip(spec, name);
  const pki_urdf_quote quote = pki_urdf_quoted(name);
  const char *shown = quote.text;
  if (slip != NULL && pki_urdf_listed(spec->needed, slip) && pki_urdf_value(node, slip) == NULL) {
    pki_urdf_error(u, node, name, PK_ERROR_SYNTAX, "unknown attribute \"%s\" of <%s>; did you mean \"%s\"?",
                   shown, spec->tag, slip);
  } else if (slip != NULL) {
    pki_urdf_warn(u, node, name, PK_ERROR_SYNTAX, "misspelt",
                  "unknown attribute \"%s\" of <%s> is not read; did you mean \"%s\"?", shown, spec->tag,
                  slip);
  } else if (pki_urdf_first_time(u, spec->tag, name)) {
    pki_urdf_warn(u, node, name, PK_ERROR_SYNTAX, "unknown-attribute",
                  "attribute \"%s\" of <%s> is not read (said once for all of them)", shown, spec->tag);
  }
}

/* Whether a misspelt attribute has been reported in place of the one that is missing. */
static bool is_misspelt(const xmlNode *node, const pki_urdf_spec *spec, const char *missing)
{
  for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
    const char *name = (const char *)a->name;
    const char *slip = pki_urdf_listed(spec->needed, name) ? NULL : attribute_slip(spec, name);
    if (slip != NULL && strcmp(slip, missing) == 0) {
      return true;
    }
  }
  return false;
}

static void check_attributes(pki_urdf *u, const xmlNode *node, const pki_urdf_spec *spec)
{
  for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
    const char *name = (const char *)a->name;
    if (a->ns == NULL && strchr(name, ':') == NULL && !pki_urdf_listed(spec->needed, name) &&
        !pki_urdf_listed(spec->optional, name)) {
      check_unknown_attribute(u, node, spec, name);
    }
  }
  for (const char *const *name = spec->needed; *name != NULL; name++) {
    const char *value = pki_urdf_value(node, *name);
    if (value != NULL && value[strspn(value, " \t\r\n")] == '\0') {
      pki_urdf_error(u, node, *name, PK_ERROR_SYNTAX, "attribute \"%s\" of <%s> is empty", *name, spec->tag);
    } else if (value == NULL && !is_misspelt(node, spec, *name)) {
      pki_urdf_error(u, node, *name, PK_ERROR_SYNTAX, "<%s> needs the attribute \"%s\"", spec->tag, *name);
    }
  }
}

/* ---- children ---- */

static const char *child_slip(const pki_urdf_spec *spec, const char *name)
{
  const char *slip = pki_urdf_misspelt(spec->one, name);
  slip = slip != NULL ? slip : pki_urdf_misspelt(spec->maybe, name);
  return slip != NULL ? slip : pki_urdf_misspelt(spec->many, name);
}

/* The first element of the table that may hold `tag`. */
static const char *home_of(const char *tag)
{
  const pki_urdf_spec *spec;
  for (int i = 0; (spec = pki_urdf_spec_at(i)) != NULL; i++) {
    if (pki_urdf_listed(spec->one, tag) || pki_urdf_listed(spec->maybe, tag) ||
        pki_urdf_listed(spec->many, tag)) {
      return spec->tag;
    }
  }
  return NULL;
}

/* A child that its parent does not list. */
static void check_unknown(pki_urdf *u, const xmlNode *child, const pki_urdf_spec *spec)
{
  const char *name = (const char *)child->name;
  const pki_urdf_quote shown = pki_urdf_name(child);
  if (pki_urdf_has_prefix(child)) {
    if (pki_urdf_first_time(u, "", shown.text)) {
      pki_urdf_warn(u, child, NULL, PK_ERROR_SYNTAX, "unknown-element",
                    "<%s> belongs to another tool and is not read (said once for all of them)", shown.text);
    }
    return;
  }
  const char *home = home_of(name);
  const char *slip = home == NULL ? child_slip(spec, name) : NULL;
  if (slip != NULL && pki_urdf_listed(spec->one, slip) && pki_urdf_child(child->parent, slip) == NULL) {
    pki_urdf_error(u, child, NULL, PK_ERROR_SYNTAX, "unknown element <%s> in <%s>; did you mean <%s>?",
                   shown.text, spec->tag, slip);
  } else if (slip != NULL) {
    pki_urdf_warn(u, child, NULL, PK_ERROR_SYNTAX, "misspelt",
                  "unknown element <%s> in <%s> is not read; did you mean <%s>?", shown.text, spec->tag,
                  slip);
  } else if (home != NULL) {
    pki_urdf_warn(u, child, NULL, PK_ERROR_SYNTAX, "misplaced",
                  "<%s> does not belong in <%s>, but for example in <%s>: it is not read", name, spec->tag,
                  home);
  } else if (!spec->closed && pki_urdf_first_time(u, spec->tag, shown.text)) {
    pki_urdf_warn(u, child, NULL, PK_ERROR_SYNTAX, "unknown-element",
                  "<%s> in <%s> is not read (said once for all of them)", shown.text, spec->tag);
  }
}

/* A child that may come once came before: the first counts, as for all readers that ask for the first of its name. */
static bool check_once(pki_urdf *u, const xmlNode *child, const xmlNode *parent)
{
  const char *name = (const char *)child->name;
  const xmlNode *first = pki_urdf_child(parent, name);
  if (first == child) {
    return true;
  }
  if (pki_urdf_next(first->next, name) == child) {
    pki_urdf_warn(u, child, NULL, PK_ERROR_SYNTAX, "repeated",
                  "a second <%s> in <%s> is not read: the first is on line %d", name,
                  (const char *)parent->name, pki_urdf_line(first));
  }
  return false;
}

/* Whether a misspelt element has been reported in place of the one that is missing. */
static bool is_misspelt_child(const xmlNode *node, const pki_urdf_spec *spec, const char *missing)
{
  int budget = 64; /* comparing words costs */
  for (const xmlNode *child = pki_urdf_next(node->children, NULL); child != NULL && budget-- > 0;
       child = pki_urdf_next(child->next, NULL)) {
    const char *name = (const char *)child->name;
    const char *slip = pki_urdf_has_prefix(child) || home_of(name) != NULL ? NULL : child_slip(spec, name);
    if (slip != NULL && strcmp(slip, missing) == 0) {
      return true;
    }
  }
  return false;
}

static void check_children(pki_urdf *u, const xmlNode *node, const pki_urdf_spec *spec)
{
  int budget = 64; /* elements looked at for being there twice: their search is not linear */
  for (const xmlNode *child = pki_urdf_next(node->children, NULL); child != NULL;
       child = pki_urdf_next(child->next, NULL)) {
    const char *name = (const char *)child->name;
    const bool plain = !pki_urdf_has_prefix(child);
    if (plain && (pki_urdf_listed(spec->one, name) || pki_urdf_listed(spec->maybe, name))) {
      if (budget-- > 0 && !spec->closed && check_once(u, child, node)) {
        pki_urdf_check(u, child);
      }
    } else if (plain && pki_urdf_listed(spec->many, name)) {
      if (strcmp(spec->tag, "robot") != 0) { /* what a robot holds is checked as it is read */
        pki_urdf_check(u, child);
      }
    } else if (!plain || !pki_urdf_listed(spec->ignored, name)) {
      check_unknown(u, child, spec);
    }
  }
  for (const char *const *name = spec->one; *name != NULL; name++) {
    if (pki_urdf_child(node, *name) == NULL && !is_misspelt_child(node, spec, *name)) {
      pki_urdf_error(u, node, NULL, PK_ERROR_SYNTAX, "<%s> needs a <%s>", spec->tag, *name);
    }
  }
}

const xmlNode *pki_urdf_shape(const xmlNode *geometry)
{
  const pki_urdf_spec *spec = pki_urdf_find_spec("geometry");
  for (const xmlNode *child = pki_urdf_next(geometry->children, NULL); child != NULL;
       child = pki_urdf_next(child->next, NULL)) {
    if (!pki_urdf_has_prefix(child) && pki_urdf_listed(spec->maybe, (const char *)child->name)) {
      return child;
    }
  }
  return NULL;
}

/* A geometry is exactly one shape: the first counts. */
static void check_geometry(pki_urdf *u, const xmlNode *node, const pki_urdf_spec *spec)
{
  const xmlNode *first = pki_urdf_shape(node);
  if (first == NULL) {
    const xmlNode *other = pki_urdf_next(node->children, NULL);
    const bool collides = node->parent != NULL && pki_urdf_is(node->parent, "collision");
    pki_urdf_warn(u, node, NULL, PK_ERROR_UNSUPPORTED, "shape-unknown",
                  "<geometry> holds %s%s%s, expected box, cylinder, sphere, capsule or mesh: %s",
                  other != NULL ? "<" : "no shape", other != NULL ? pki_urdf_name(other).text : "",
                  other != NULL ? ">" : "", collides ? "nothing collides here" : "nothing is drawn here");
    return;
  }
  pki_urdf_check(u, first);
  for (const xmlNode *child = pki_urdf_next(first->next, NULL); child != NULL;
       child = pki_urdf_next(child->next, NULL)) {
    if (!pki_urdf_has_prefix(child) && pki_urdf_listed(spec->maybe, (const char *)child->name)) {
      pki_urdf_warn(
          u, child, NULL, PK_ERROR_SYNTAX, "repeated",
          "<geometry> holds <%s> and <%s>: the first counts; write one <visual> or <collision> for each",
          (const char *)first->name, (const char *)child->name);
      return;
    }
  }
}

void pki_urdf_check(pki_urdf *u, const xmlNode *node)
{
  const pki_urdf_spec *spec = pki_urdf_find_spec((const char *)node->name);
  if (spec == NULL) {
    return;
  }
  check_attributes(u, node, spec);
  check_children(u, node, spec);
  if (spec->closed) {
    check_geometry(u, node, spec);
  }
}

/* ---- macros ---- */

static bool holds_macro(const xmlNode *node)
{
  const char *prefix = node->ns != NULL ? (const char *)node->ns->prefix : NULL;
  if ((prefix != NULL && strcmp(prefix, "xacro") == 0) ||
      strncmp((const char *)node->name, "xacro:", 6) == 0) {
    return true;
  }
  for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
    const char *value = a->children != NULL ? (const char *)a->children->content : NULL;
    if (value != NULL && (strstr(value, "${") != NULL || strstr(value, "$(") != NULL)) {
      return true;
    }
  }
  return false;
}

/* The first element of a subtree, in document order, that holds a macro. */
static const xmlNode *find_macro(const xmlNode *top)
{
  const xmlNode *node = top;
  while (node != NULL) {
    if (node->type == XML_ELEMENT_NODE && holds_macro(node)) {
      return node;
    }
    if (node->children != NULL && node->type == XML_ELEMENT_NODE) {
      node = node->children;
      continue;
    }
    while (node != top && node->next == NULL) {
      node = node->parent;
    }
    node = node == top ? NULL : node->next;
  }
  return NULL;
}

bool pki_urdf_is_macro(pki_urdf *u, const xmlNode *robot)
{
  const xmlNode *found = holds_macro(robot) ? robot : NULL;
  for (const xmlNode *child = pki_urdf_next(robot->children, NULL); child != NULL && found == NULL;
       child = pki_urdf_next(child->next, NULL)) {
    /* what is not read may say ${...} for reasons of its own */
    const bool read =
        pki_urdf_is(child, "link") || pki_urdf_is(child, "joint") || pki_urdf_is(child, "material");
    found = read ? find_macro(child) : holds_macro(child) && pki_urdf_has_prefix(child) ? child : NULL;
  }
  if (found != NULL) {
    pki_urdf_error(u, found, NULL, PK_ERROR_UNSUPPORTED,
                   "this file has xacro macros: expand it first with `xacro file.xacro > file.urdf`");
  }
  return found != NULL;
}
