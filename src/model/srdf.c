#include "model/srdf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "model/urdf.h"

enum { PAIRS_MAX = 1000000, VALUES_MAX = 1000000 };

void pki_srdf_destroy(pki_srdf *srdf)
{
  if (srdf == NULL) {
    return;
  }
  for (int i = 0; i < srdf->npair; i++) {
    free(srdf->pairs[i].link[0]);
    free(srdf->pairs[i].link[1]);
  }
  for (int i = 0; i < srdf->nvalue; i++) {
    free(srdf->values[i].state);
    free(srdf->values[i].joint);
  }
  free(srdf->values);
  free(srdf->pairs);
  free(srdf->robot);
  free(srdf);
}

/* The name of a link, NULL and reported when it is missing. */
static const char *link_of(pki_urdf *u, const xmlNode *node, const char *attribute)
{
  const char *name = pki_urdf_value(node, attribute);
  if (name == NULL) {
    pki_urdf_error(u, node, NULL, PK_ERROR_SYNTAX,
                   "<disable_collisions> has no %s, expected the name of a link", attribute);
  } else if (name[0] == '\0') {
    pki_urdf_error(u, node, attribute, PK_ERROR_SYNTAX,
                   "%s of <disable_collisions> is empty, expected the name of a link", attribute);
    name = NULL;
  }
  return name;
}

static void read_pair(pki_urdf *u, const xmlNode *node, pki_srdf *srdf)
{
  const char *const first = link_of(u, node, "link1"), *const second = link_of(u, node, "link2");
  if (first == NULL || second == NULL) {
    return;
  }
  if (strcmp(first, second) == 0) {
    pki_urdf_error(u, node, "link2", PK_ERROR_SYNTAX,
                   "<disable_collisions> names the link \"%s\" twice, expected two links",
                   pki_urdf_quoted(first).text);
    return;
  }
  pki_srdf_pair *pair = &srdf->pairs[srdf->npair++];
  *pair = (pki_srdf_pair){.link = {pki_text_copy(first), pki_text_copy(second)}, .line = pki_urdf_line(node)};
  if (pair->link[0] == NULL || pair->link[1] == NULL) {
    pki_urdf_error(u, node, NULL, PK_ERROR_MEMORY, "out of memory");
  }
}

/* ---- named poses ---- */

/* How many numbers an attribute seems to hold. */
static int count_words(const char *text)
{
  static const char blanks[] = " \t\r\n";
  int count = 0;
  for (text += strspn(text, blanks); *text != '\0'; text += strspn(text, blanks)) {
    text += strcspn(text, blanks);
    count++;
  }
  return count;
}

/* An attribute that is there and not empty; NULL and reported otherwise. */
static const char *name_of(pki_urdf *u, const xmlNode *node, const char *what)
{
  const char *name = pki_urdf_value(node, "name");
  if (name == NULL || name[0] == '\0') {
    pki_urdf_error(u, node, name != NULL ? "name" : NULL, PK_ERROR_SYNTAX, "%s", what);
    return NULL;
  }
  return name;
}

static void read_value(pki_urdf *u, const xmlNode *node, const char *state, pki_srdf *srdf)
{
  const char *joint = name_of(u, node, "<joint> of <group_state> has no name, expected the name of a joint");
  const char *text = pki_urdf_value(node, "value");
  pki_srdf_value v = {.count = text != NULL ? count_words(text) : 0, .line = pki_urdf_line(node)};
  const int most = (int)(sizeof v.value / sizeof v.value[0]);
  if (joint == NULL) {
    return;
  }
  if (v.count < 1 || v.count > most) {
    pki_urdf_error(u, node, text != NULL ? "value" : NULL, PK_ERROR_SYNTAX,
                   "value of <joint> in <group_state> has %d numbers, expected 1 to %d", v.count, most);
    return;
  }
  if (!pki_urdf_numbers(u, node, "value", v.count, v.value)) {
    return;
  }
  v.state = pki_text_copy(state);
  v.joint = pki_text_copy(joint);
  srdf->values[srdf->nvalue++] = v;
  if (v.state == NULL || v.joint == NULL) {
    pki_urdf_error(u, node, NULL, PK_ERROR_MEMORY, "out of memory");
  }
}

/* Every <joint> of every <group_state>. */
static void read_states(pki_urdf *u, const xmlNode *robot, pki_srdf *srdf)
{
  int count = 0;
  for (const xmlNode *n = pki_urdf_child(robot, "group_state"); n != NULL;
       n = pki_urdf_next(n->next, "group_state")) {
    for (const xmlNode *j = pki_urdf_child(n, "joint"); j != NULL && count <= VALUES_MAX;
         j = pki_urdf_next(j->next, "joint")) {
      count++;
    }
  }
  srdf->values = count <= VALUES_MAX ? calloc((size_t)count + 1, sizeof *srdf->values) : NULL;
  if (srdf->values == NULL) {
    pki_urdf_error(u, robot, NULL, count > VALUES_MAX ? PK_ERROR_LIMIT : PK_ERROR_MEMORY,
                   count > VALUES_MAX ? "more than a million joints in <group_state>" : "out of memory");
    return;
  }
  for (const xmlNode *n = pki_urdf_child(robot, "group_state"); n != NULL;
       n = pki_urdf_next(n->next, "group_state")) {
    const char *state = name_of(u, n, "<group_state> has no name, expected the name of a pose");
    for (const xmlNode *j = pki_urdf_child(n, "joint"); j != NULL && state != NULL;
         j = pki_urdf_next(j->next, "joint")) {
      read_value(u, j, state, srdf);
    }
  }
}

/* ---- the file ---- */

static void read_robot(pki_urdf *u, const xmlNode *robot, pki_srdf *srdf)
{
  if (robot == NULL || !pki_urdf_is(robot, "robot")) {
    pki_urdf_error(u, robot, NULL, PK_ERROR_SYNTAX, "expected <robot>, found <%s>",
                   robot != NULL ? pki_urdf_name(robot).text : "");
    return;
  }
  if (pki_urdf_is_macro(u, robot)) {
    return;
  }
  if (pki_urdf_child(robot, "link") != NULL || pki_urdf_child(robot, "joint") != NULL) {
    pki_urdf_error(u, robot, NULL, PK_ERROR_SYNTAX,
                   "<robot> has links or joints: this is a URDF file, expected an SRDF file");
    return;
  }
  int count = 0;
  for (const xmlNode *n = pki_urdf_child(robot, "disable_collisions"); n != NULL && count <= PAIRS_MAX;
       n = pki_urdf_next(n->next, "disable_collisions")) {
    count++;
  }
  if (count > PAIRS_MAX) {
    pki_urdf_error(u, robot, NULL, PK_ERROR_LIMIT, "more than %d <disable_collisions>", PAIRS_MAX);
    return;
  }
  const char *name = pki_urdf_value(robot, "name");
  srdf->robot = pki_text_copy(name != NULL ? name : "");
  srdf->pairs = calloc((size_t)count + 1, sizeof *srdf->pairs);
  if (srdf->robot == NULL || srdf->pairs == NULL) {
    pki_urdf_error(u, robot, NULL, PK_ERROR_MEMORY, "out of memory");
    return;
  }
  for (const xmlNode *n = pki_urdf_child(robot, "disable_collisions"); n != NULL;
       n = pki_urdf_next(n->next, "disable_collisions")) {
    read_pair(u, n, srdf);
  }
  read_states(u, robot, srdf);
}

pk_status pki_srdf_parse(const char *text, size_t size, const char *file, pki_srdf **out, pk_error *err)
{
  *out = NULL;
  pki_srdf *srdf = calloc(1, sizeof *srdf);
  pk_builder *b; /* where the reader of XML leaves its remarks */
  pk_builder_create(&b, NULL);
  const pk_load_options options = pk_load_options_default(); /* warnings are passed over */
  pki_urdf u = {.b = b, .file = file, .options = &options};
  u.remarks = xmlHashCreate(16);
  if (srdf == NULL || b == NULL || u.remarks == NULL) {
    pki_fail(&u.first, PK_ERROR_MEMORY, (pki_where){.file = file}, "out of memory");
    u.nerror = 1;
  } else if (pki_urdf_scan(&u, text, size)) {
    xmlDoc *doc = pki_urdf_parse(&u, text, size);
    if (doc != NULL) {
      read_robot(&u, xmlDocGetRootElement(doc), srdf);
      xmlFreeDoc(doc);
    }
  }
  xmlHashFree(u.remarks, NULL);
  pk_builder_destroy(b);
  if (u.nerror > 0) {
    pki_srdf_destroy(srdf);
    if (err != NULL) {
      *err = u.first;
    }
    return u.first.status;
  }
  *out = srdf;
  return PK_OK;
}

pk_status pki_srdf_load(const char *path, pki_srdf **out, pk_error *err)
{
  size_t size = 0;
  char *text = pki_file_read(path, PKI_URDF_MAX_BYTES, &size);
  *out = NULL;
  if (text == NULL) {
    const int cause = errno;
    const pki_where where = {.file = path};
    return cause == ENOMEM ? pki_fail(err, PK_ERROR_MEMORY, where, "out of memory")
           : cause == EFBIG
               ? pki_fail(err, PK_ERROR_LIMIT, where, "%s", PKI_URDF_TOO_LARGE)
               : pki_fail(err, PK_ERROR_FILE, where, "%s",
                          pki_read_cause(cause,
                                         "cannot read the file: it is a folder, name the .srdf file in it"));
  }
  const pk_status status = pki_srdf_parse(text, size, path, out, err);
  free(text);
  return status;
}
