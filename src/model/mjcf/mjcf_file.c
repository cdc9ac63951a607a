/* Files: bytes to a tree, with what they include. A file lies in the folder of the first one, or below it or beside it
 * (urdf_path.h); each is included once. */
#include <errno.h>
#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/mjcf/mjcf.h"

static const pki_xml_format mjcf_format = {
    .name = "MJCF",
    .root = "<mujoco>",
    .max_depth = PKI_MJCF_MAX_DEPTH,
    .nested = "",
    .max_tag = PKI_MJCF_MAX_TAG,
};

static bool copy_children(pki_mjcf *m, pki_mjcf_node *to, const xmlNode *from, const char *file);

/* One element of libxml2's tree into ours. */
static bool copy_element(pki_mjcf *m, pki_mjcf_node *parent, const xmlNode *element, const char *file)
{
  const char *tag = pki_mjcf_copy_text(m, pki_urdf_name(element).text);
  const pki_mjcf_node here = {
      .tag = tag != NULL ? tag : "", .file = file, .line = pki_urdf_line(element), .parent = parent};
  pki_mjcf_node *node = tag != NULL ? pki_mjcf_add_node(m, parent, tag, &here) : NULL;
  if (node == NULL) {
    return false;
  }
  for (const xmlAttr *a = element->properties; a != NULL; a = a->next) {
    const bool text =
        a->children != NULL && a->children->type == XML_TEXT_NODE && a->children->content != NULL;
    const char *name = pki_mjcf_copy_text(m, (const char *)a->name);
    const char *value = pki_mjcf_copy_text(m, text ? (const char *)a->children->content : "");
    if (name == NULL || value == NULL || !pki_mjcf_set(m, node, name, value)) {
      return false;
    }
  }
  return copy_children(m, node, element, file);
}

/* Put the children of another file's root where <include> stands. */
static bool include_file(pki_mjcf *m, pki_mjcf_node *parent, const xmlNode *element, const char *file)
{
  pki_mjcf_node here = {.tag = "include", .file = file, .line = pki_urdf_line(element), .parent = parent};
  const char *name = pki_urdf_value(element, "file");
  if (name == NULL || name[0] == '\0') {
    pki_mjcf_error(m, &here, "file", PK_ERROR_SYNTAX, "<include> needs the attribute \"file\"");
    return true;
  }
  if (pki_urdf_child(element, NULL) != NULL) {
    pki_mjcf_error(m, &here, NULL, PK_ERROR_SYNTAX, "<include> holds other elements: it must be empty");
    return true;
  }
  const int base = m->base;
  m->base = parent->depth - 1; /* its root gives way to `parent` */
  pki_mjcf_node *root = pki_mjcf_load(m, &here, "file", name);
  m->base = base;
  for (pki_mjcf_node *child = root != NULL ? root->first : NULL; child != NULL; child = child->next) {
    child->parent = parent;
  }
  if (root != NULL && root->first != NULL) {
    *(parent->last != NULL ? &parent->last->next : &parent->first) = root->first;
    parent->last = root->last;
  }
  return !m->no_memory;
}

static bool copy_children(pki_mjcf *m, pki_mjcf_node *to, const xmlNode *from, const char *file)
{
  for (const xmlNode *child = pki_urdf_next(from->children, NULL); child != NULL;
       child = pki_urdf_next(child->next, NULL)) {
    const bool ok =
        pki_urdf_is(child, "include") ? include_file(m, to, child, file) : copy_element(m, to, child, file);
    if (!ok) {
      return false;
    }
  }
  return true;
}

/* Whose file this is, when it is not MJCF. */
static void check_root(pki_mjcf *m, const xmlNode *element, const char *file)
{
  const pki_mjcf_node here = {
      .tag = "mujoco", .file = file, .line = element != NULL ? pki_urdf_line(element) : 0};
  const char *found = element != NULL ? (const char *)element->name : "";
  pki_mjcf_error(m, &here, NULL, PK_ERROR_SYNTAX, "expected <mujoco>, found <%s>%s",
                 pki_urdf_quoted(found).text, strcmp(found, "robot") == 0 ? ": this is a URDF file" : "");
}

pki_mjcf_node *pki_mjcf_parse(pki_mjcf *m, const char *text, size_t size, const char *file)
{
  pki_urdf u = {.format = &mjcf_format, .b = m->b, .file = file, .options = m->options};
  xmlDoc *doc = pki_urdf_scan(&u, text, size) ? pki_urdf_parse(&u, text, size) : NULL;
  if (u.nerror > 0) {
    m->first = m->nerror == 0 ? u.first : m->first;
    m->nerror += u.nerror;
  }
  const xmlNode *element = doc != NULL ? xmlDocGetRootElement(doc) : NULL;
  pki_mjcf_node *root = NULL;
  const bool included = m->depth > 0; /* an included file may call its root anything */
  if (doc != NULL && (element == NULL || (!included && !pki_urdf_is(element, "mujoco")))) {
    check_root(m, element, file);
  } else if (doc != NULL) {
    pki_mjcf_node holder = {.depth = m->base};
    if (copy_element(m, &holder, element, file)) {
      root = holder.first;
      root->parent = NULL;
    }
  }
  xmlFreeDoc(doc);
  return root;
}

/* Read and parse the file at `path`, which belongs to the load from now on. */
static pki_mjcf_node *load_path(pki_mjcf *m, const pki_mjcf_node *at, const char *attribute, const char *path)
{
  size_t size = 0;
  char *text = pki_file_read(path, PKI_URDF_MAX_BYTES, &size);
  if (text == NULL) {
    const int cause = errno;
    m->no_memory |= cause == ENOMEM;
    pki_mjcf_error(m, at, attribute, cause == EFBIG ? PK_ERROR_LIMIT : PK_ERROR_FILE, "%s: %s", path,
                   cause == EFBIG ? PKI_URDF_TOO_LARGE
                                  : pki_read_cause(cause, "cannot read the file: it is a folder"));
    return NULL;
  }
  m->depth++;
  pki_mjcf_node *root = pki_mjcf_parse(m, text, size, path);
  m->depth--;
  free(text);
  return root;
}

pki_mjcf_node *pki_mjcf_load(pki_mjcf *m, const pki_mjcf_node *at, const char *attribute, const char *name)
{
  enum { DEPTH_MAX = 16 };
  if (m->depth >= DEPTH_MAX || m->nfile >= PKI_MJCF_MAX_FILES) {
    pki_mjcf_error(m, at, attribute, PK_ERROR_LIMIT, "more than %d files, or files in files deeper than %d",
                   PKI_MJCF_MAX_FILES, DEPTH_MAX);
    return NULL;
  }
  pk_error err;
  char *found = pki_urdf_resolve(&m->folders, name, &err);
  const char *path = found != NULL ? pki_mjcf_copy_text(m, found) : NULL;
  free(found);
  if (path == NULL) {
    pki_mjcf_error(m, at, attribute, err.status != PK_OK ? err.status : PK_ERROR_FILE,
                   "file \"%s\" cannot be read: it is not there, or not in the folder of the model",
                   pki_urdf_quoted(name).text);
    return NULL;
  }
  if (xmlHashAddEntry2(m->files, (const xmlChar *)path, (const xmlChar *)at->tag, m) != 0) {
    pki_mjcf_error(m, at, attribute, PK_ERROR_MODEL, "file \"%s\" is included twice: it may be once",
                   pki_urdf_quoted(name).text);
    return NULL;
  }
  m->nfile++;
  return load_path(m, at, attribute, path);
}
