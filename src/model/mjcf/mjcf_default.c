/* Default classes, and the values of attributes with them. */
#include <stdint.h>
#include <string.h>

#include "base/number.h"
#include "model/mjcf/mjcf.h"

/* ---- classes ---- */

/* Parts that the main class may be written in; actuators of one class, each of which acts on what those before it said. */
enum { PARTS_MAX = 200, ACTUATORS_MAX = 100 };

/* The element called `tag` in a class; NULL: none. Its elements stand before the classes in it. */
static pki_mjcf_node *find_element(const pki_mjcf_node *class, const char *tag)
{
  pki_mjcf_node *child = class->first;
  while (child != NULL && !pki_mjcf_is(child, "default") && !pki_mjcf_is(child, tag)) {
    child = child->next;
  }
  return child != NULL && pki_mjcf_is(child, tag) ? child : NULL;
}

/* The values of an element over those of an earlier one; a vector that is shorter leaves the rest. */
static void merge_element(pki_mjcf *m, pki_mjcf_node *into, const pki_mjcf_node *from)
{
  enum { MOST = 16 };
  for (const pki_mjcf_attribute *a = from->attributes; a != NULL && !m->no_memory; a = a->next) {
    double values[MOST];
    const char *older = pki_mjcf_own(into, a->name), *text = a->value;
    const int count = pki_mjcf_scan_reals(text, 0, NULL),
              before = older != NULL ? pki_mjcf_scan_reals(older, MOST, values) : 0;
    for (int i = count; count > 0 && i < before && i < MOST && text != NULL; i++) {
      text = pki_mjcf_print(m, "%s %.17g", text, values[i]);
    }
    pki_mjcf_set(m, into, a->name, text != NULL ? text : a->value);
  }
}

static void append_child(pki_mjcf_node *parent, pki_mjcf_node *child)
{
  *(parent->last != NULL ? &parent->last->next : &parent->first) = child;
  parent->last = child;
}

/* One element of each kind, then the classes inside: values are looked up often. */
static void sort_class(pki_mjcf *m, pki_mjcf_node *class)
{
  pki_mjcf_node inner = {0}, *next = NULL, *child = class->first;
  int nactuator = 0;
  class->first = class->last = NULL;
  for (; child != NULL; child = next) {
    next = child->next;
    child->next = NULL;
    const bool actuator = pki_mjcf_is_actuator(child->tag), nested = pki_mjcf_is(child, "default");
    pki_mjcf_node *older = actuator || nested ? NULL : find_element(class, child->tag);
    nactuator += actuator;
    if (older != NULL) {
      merge_element(m, older, child);
    } else if (!actuator || nactuator <= ACTUATORS_MAX) {
      append_child(nested ? &inner : class, child);
    } else if (nactuator == ACTUATORS_MAX + 1) {
      pki_mjcf_error(m, child, NULL, PK_ERROR_LIMIT, "a default class has more than %d actuators",
                     ACTUATORS_MAX);
    }
  }
  if (inner.first != NULL) {
    append_child(class, inner.first);
    class->last = inner.last;
  }
}

/* Enter <default> and those in it. */
static void enter_classes(pki_mjcf *m, pki_mjcf_node *node, bool top)
{
  sort_class(m, node);
  const char *name = pki_mjcf_own(node, "class");
  if (!top && (name == NULL || name[0] == '\0')) {
    pki_mjcf_error(m, node, "class", PK_ERROR_SYNTAX,
                   "<default> inside <default> needs the attribute \"class\"");
  } else if (name != NULL && name[0] != '\0' &&
             xmlHashAddEntry(m->classes, (const xmlChar *)name, node) != 0 && !top) {
    pki_mjcf_error(m, node, "class", PK_ERROR_NAME, "default class \"%s\" is there twice",
                   pki_urdf_quoted(name).text);
  }
  for (pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    if (pki_mjcf_is(child, "default")) {
      enter_classes(m, child, false);
    }
  }
}

/* The main class may be written in several parts, each of which adds to those before it. A class inside one of them has
 * what the main class was then: later parts do not change it. */
void pki_mjcf_read_classes(pki_mjcf *m)
{
  int nparts = 0;
  for (pki_mjcf_node *node = m->root->first; node != NULL; node = node->next) {
    if (pki_mjcf_is(node, "default") && ++nparts > PARTS_MAX) {
      pki_mjcf_error(m, node, NULL, PK_ERROR_LIMIT,
                     "the main class is in more than %d <default>: put them into one", PARTS_MAX);
      break;
    }
    if (pki_mjcf_is(node, "default")) {
      enter_classes(m, node, true);
      node->parent = m->main_class != NULL ? m->main_class : m->root;
      m->main_class = node;
    }
  }
  for (const pki_mjcf_node *attached = m->root->first; attached != NULL; attached = attached->next) {
    for (pki_mjcf_node *node = pki_mjcf_is(attached, "attached") ? attached->first : NULL; node != NULL;
         node = node->next) {
      enter_classes(m, node, true);
    }
  }
}

static const pki_mjcf_node *find_class(const pki_mjcf *m, const char *name)
{
  const pki_mjcf_node *found = xmlHashLookup(m->classes, (const xmlChar *)name);
  const bool main_part = found != NULL && found->parent != NULL && pki_mjcf_is(found, "default") &&
                         (found->parent == m->root || strcmp(name, "main") == 0);
  return found != NULL && !main_part ? found : m->main_class;
}

const pki_mjcf_node *pki_mjcf_class(const pki_mjcf *m, const pki_mjcf_node *node)
{
  const char *name = pki_mjcf_own(node, "class");
  for (const pki_mjcf_node *at = node->parent; at != NULL && name == NULL && at->settings == node->settings;
       at = at->parent) {
    name = pki_mjcf_own(at, "childclass");
  }
  if (name == NULL && node->settings != NULL) {
    name = node->settings->main_class;
  }
  return name != NULL ? find_class(m, name) : m->main_class;
}

/* Report names of classes that do not exist, in the whole tree. */
void pki_mjcf_check_classes(pki_mjcf *m, const pki_mjcf_node *node)
{
  static const char *const words[] = {"class", "childclass"};
  for (int i = 0; i < 2 && !pki_mjcf_is(node, "default"); i++) {
    const char *name = pki_mjcf_own(node, words[i]);
    if (name != NULL && strcmp(name, "main") != 0 &&
        xmlHashLookup(m->classes, (const xmlChar *)name) == NULL) {
      pki_mjcf_error(m, node, words[i], PK_ERROR_NAME, "there is no default class \"%s\"",
                     pki_urdf_quoted(name).text);
    }
  }
  for (const pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    pki_mjcf_check_classes(m, child);
  }
}

/* What an element is called inside <default>. */
static const char *default_tag(const pki_mjcf_node *node)
{
  const char *section = node->parent != NULL ? node->parent->tag : "";
  return strcmp(section, "equality") == 0 ? "equality"
         : strcmp(section, "tendon") == 0 ? "tendon"
                                          : node->tag;
}

int pki_mjcf_classes(const pki_mjcf *m, const pki_mjcf_node *node,
                     const pki_mjcf_node *classes[PKI_MJCF_LEVELS])
{
  int count = 0;
  for (const pki_mjcf_node *at = pki_mjcf_class(m, node);
       at != NULL && pki_mjcf_is(at, "default") && count < PKI_MJCF_LEVELS; at = at->parent) {
    classes[count++] = at;
  }
  for (int i = 0; i < count / 2; i++) {
    const pki_mjcf_node *swap = classes[i];
    classes[i] = classes[count - 1 - i];
    classes[count - 1 - i] = swap;
  }
  return count;
}

/* The elements whose values count, the nearest first: the element itself, then those of its classes. */
typedef struct level_cursor {
  const pki_mjcf_node *class;
  const char *tag;
} level_cursor;

static const pki_mjcf_node *next_level(const pki_mjcf *m, const pki_mjcf_node *node, level_cursor *c)
{
  if (c->tag == NULL) {
    c->tag = default_tag(node);
    c->class = pki_mjcf_is(node, "body") || pki_mjcf_is(node, "frame") || pki_mjcf_is(node, "inertial")
                   ? NULL
                   : pki_mjcf_class(m, node);
    return node;
  }
  while (c->class != NULL && pki_mjcf_is(c->class, "default")) {
    const pki_mjcf_node *found = find_element(c->class, c->tag);
    c->class = c->class->parent;
    if (found != NULL) {
      return found;
    }
  }
  return NULL;
}

/* ---- values ---- */

const char *pki_mjcf_text(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute)
{
  const pki_mjcf_node *level;
  for (level_cursor c = {0}; (level = next_level(m, node, &c)) != NULL;) {
    const char *text = pki_mjcf_own(level, attribute);
    if (text != NULL) {
      return text;
    }
  }
  return NULL;
}

int pki_mjcf_scan_reals(const char *text, int most, double *out)
{
  int count = 0;
  const char *cursor = text, *end = text + strlen(text);
  for (pki_skip_blanks(&cursor, end); cursor < end; pki_skip_blanks(&cursor, end), count++) {
    double value = 0;
    if (!pki_parse_real(&cursor, end, &value)) {
      break;
    }
    if (count < most) {
      out[count] = value;
    }
  }
  return count;
}

int pki_mjcf_reals(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, int most, double *out)
{
  int nearest = 0, written = 0;
  const pki_mjcf_node *level;
  for (level_cursor c = {0}; (level = next_level(m, node, &c)) != NULL;) {
    const char *text = pki_mjcf_own(level, attribute);
    double value[16];
    const int room = most < 16 ? most : 16;
    const int count = text != NULL ? pki_mjcf_scan_reals(text, room, value) : 0;
    for (; written < count && written < room; written++) {
      out[written] = value[written]; /* what nearer places left open */
    }
    nearest = nearest == 0 ? count : nearest;
  }
  return nearest;
}

double pki_mjcf_real(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, double otherwise)
{
  double value = otherwise;
  pki_mjcf_reals(m, node, attribute, 1, &value);
  return value;
}

int pki_mjcf_int(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, int otherwise)
{
  return (int)pki_mjcf_real(m, node, attribute, otherwise);
}

bool pki_mjcf_word_is(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, const char *word)
{
  const char *text = pki_mjcf_text(m, node, attribute);
  return text != NULL && strcmp(text, word) == 0;
}

bool pki_mjcf_flag(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, bool otherwise)
{
  const char *text = pki_mjcf_text(m, node, attribute);
  return text != NULL ? strcmp(text, "true") == 0 : otherwise;
}

bool pki_mjcf_limited(pki_mjcf *m, const pki_mjcf_node *node, const char *word, const char *attribute,
                      const char *range, bool given)
{
  if (word != NULL && strcmp(word, "auto") != 0) {
    return strcmp(word, "true") == 0;
  }
  if (given && !node->settings->autolimits) {
    pki_mjcf_error(m, node, attribute, PK_ERROR_SYNTAX,
                   "<%s> has %s but not %s, and autolimits is false: say whether it is limited", node->tag,
                   range, attribute);
  }
  return given;
}
