/* Names and topology: who hangs on whom, which link is the root, in which order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/compile.h"
#include "model/name_table.h"

/* prefix + name of something of a robot, owned by the caller. */
static char *full_name(const pk_builder *b, int robot, const char *name)
{
  return pki_full_name(b->robots[robot].desc.prefix, name);
}

/* Index of `name` within `robot`, -1 when unknown, -2 without memory. */
static int table_find(const pki_name_table *t, const pk_builder *b, int robot, const char *name)
{
  return pki_name_table_find(t, b->robots[robot].desc.prefix, name);
}

/* Links and joints are looked up within one robot: a full name may lead to another one's. */
static int find_link(const pki_draft *d, const pki_name_table *t, int robot, const char *name)
{
  const int found = table_find(t, d->b, robot, name);
  return found >= 0 && d->b->links[found].robot != robot ? -1 : found;
}

static int find_joint(const pki_draft *d, const pki_name_table *t, int robot, const char *name)
{
  const int found = table_find(t, d->b, robot, name);
  return found >= 0 && d->b->joints[found].robot != robot ? -1 : found;
}

enum { FIRST_MAX = 48 };

/* " (first at line 7)", nothing where there is no line. */
static const char *first_at(int line, char text[FIRST_MAX])
{
  snprintf(text, FIRST_MAX, " (first at line %d)", line);
  return line > 0 ? text : "";
}

/* Enter all names; a name that is taken is an error. */
static void enter_links(pki_draft *d, pki_name_table *t)
{
  pk_builder *b = d->b;
  for (int i = 0; i < b->nlink; i++) {
    int *slot = pki_name_table_at(t, d->link_name[i]);
    if (*slot < 0) {
      *slot = i;
      continue;
    }
    const bool other_robot = b->links[*slot].robot != b->links[i].robot;
    char first[FIRST_MAX];
    pki_builder_error(b, PK_ERROR_NAME, pki_link_where(d, i), "link \"%s\" is there twice%s%s",
                      d->link_name[i], other_robot ? ": give each robot its own prefix" : "",
                      first_at(b->links[*slot].desc.line, first));
  }
}

static void enter_joints(pki_draft *d, pki_name_table *t)
{
  pk_builder *b = d->b;
  for (int i = 0; i < b->njoint; i++) {
    int *slot = pki_name_table_at(t, d->joint_name[i]);
    if (*slot < 0) {
      *slot = i;
      continue;
    }
    const bool other_robot = b->joints[*slot].robot != b->joints[i].robot;
    char first[FIRST_MAX];
    pki_builder_error(b, PK_ERROR_NAME, pki_joint_where(d, i), "joint \"%s\" is there twice%s%s",
                      d->joint_name[i], other_robot ? ": give each robot its own prefix" : "",
                      first_at(b->joints[*slot].desc.line, first));
  }
}

enum { NEAR_MAX = 4096 }; /* how many names are searched for the nearest one */

/* The nearest name in a robot, as its description writes it; none for errors beyond those kept. */
static const char *nearest_link(const pk_builder *b, int robot, const char *name)
{
  const char *names[NEAR_MAX];
  int count = 0;
  for (int i = 0; i < b->nlink && count < NEAR_MAX && b->nerror < PKI_DIAGNOSTIC_MAX; i++) {
    if (b->links[i].robot == robot) {
      names[count++] = b->links[i].desc.name;
    }
  }
  return pki_nearest_word(name, names, count);
}

static const char *nearest_joint(const pk_builder *b, int robot, const char *name)
{
  const char *names[NEAR_MAX];
  int count = 0;
  for (int j = 0; j < b->njoint && count < NEAR_MAX && b->nerror < PKI_DIAGNOSTIC_MAX; j++) {
    if (b->joints[j].robot == robot) {
      names[count++] = b->joints[j].desc.name;
    }
  }
  return pki_nearest_word(name, names, count);
}

/* A link by name, with an error that offers the nearest one. */
static int resolve_link(pki_draft *d, const pki_name_table *t, int joint, const char *role, const char *name)
{
  pk_builder *b = d->b;
  const int robot = b->joints[joint].robot, found = find_link(d, t, robot, name);
  if (found != -1) {
    return found;
  }
  const char *near = nearest_link(b, robot, name);
  pki_builder_error(b, PK_ERROR_NAME, pki_joint_where(d, joint),
                    "%s link \"%s\" of joint \"%s\" does not exist%s%s%s", role, name,
                    b->joints[joint].desc.name, near ? "; did you mean \"" : "", near ? near : "",
                    near ? "\"?" : "");
  return -1;
}

/* Parents and children of all joints; each link has at most one joint above it. */
static bool resolve_joints(pki_draft *d, const pki_name_table *links)
{
  pk_builder *b = d->b;
  for (int j = 0; j < b->njoint; j++) {
    const pk_joint_desc *desc = &b->joints[j].desc;
    const int parent = resolve_link(d, links, j, "parent", desc->parent);
    const int child = resolve_link(d, links, j, "child", desc->child);
    if (parent == -2 || child == -2) {
      return false;
    }
    d->joint_parent[j] = parent, d->joint_child[j] = child;
    if (child < 0) {
      continue;
    }
    if (parent == child) {
      pki_builder_error(b, PK_ERROR_MODEL, pki_joint_where(d, j), "joint \"%s\" joins link \"%s\" to itself",
                        desc->name, desc->child);
    } else if (d->link_joint[child] >= 0) {
      pki_builder_error(
          b, PK_ERROR_MODEL, pki_joint_where(d, j),
          "link \"%s\" is the child of joint \"%s\" and of joint \"%s\": a link has one parent, loops "
          "are closed by constraints",
          desc->child, b->joints[d->link_joint[child]].desc.name, desc->name);
    } else {
      d->link_joint[child] = j;
    }
  }
  return true;
}

/* Every shape sits on a link of its robot. */
static bool resolve_shapes(pki_draft *d, const pki_name_table *links)
{
  pk_builder *b = d->b;
  for (int s = 0; s < b->nshape; s++) {
    const pki_shape *shape = &b->shapes[s];
    const int link = find_link(d, links, shape->robot, shape->desc.link);
    if (link == -2) {
      return false;
    }
    d->shape_link[s] = link;
    if (link < 0) {
      pki_builder_error(b, PK_ERROR_NAME,
                        (pki_where){.file = b->robots[shape->robot].desc.file,
                                    .line = shape->desc.line,
                                    .field = shape->desc.link},
                        "a shape sits on link \"%s\", which does not exist", shape->desc.link);
    }
  }
  return true;
}

/* One root for each robot. */
static void find_roots(pki_draft *d)
{
  pk_builder *b = d->b;
  for (int r = 0; r < b->nrobot; r++) {
    d->robot_root[r] = -1;
  }
  for (int i = 0; i < b->nlink; i++) {
    const int robot = b->links[i].robot;
    if (d->link_joint[i] >= 0) {
      continue;
    }
    const int first = d->robot_root[robot];
    if (first < 0) {
      d->robot_root[robot] = i;
    } else {
      pki_builder_error(b, PK_ERROR_MODEL, pki_link_where(d, i),
                        "robot \"%s\" has two roots, links \"%s\" and \"%s\": join one to the rest",
                        b->robots[robot].desc.name, b->links[first].desc.name, b->links[i].desc.name);
    }
  }
  for (int r = 0; r < b->nrobot; r++) {
    if (d->robot_root[r] < 0) {
      pki_builder_error(b, PK_ERROR_MODEL,
                        (pki_where){.file = b->robots[r].desc.file, .field = b->robots[r].desc.name},
                        "robot \"%s\" has no root link: %s", b->robots[r].desc.name,
                        "it has no link, or every link is some joint's child, in a loop");
    }
  }
}

/* Preorder over all robots; links that no root reaches stand in a loop. */
static bool find_order(pki_draft *d)
{
  pk_builder *b = d->b;
  int *first = malloc((size_t)b->nlink * sizeof *first);
  int *next = malloc(((size_t)b->njoint + 1) * sizeof *next);
  int *stack = malloc((size_t)b->nlink * sizeof *stack);
  bool *seen = calloc((size_t)b->nlink, sizeof *seen);
  const bool ok = first != NULL && next != NULL && stack != NULL && seen != NULL;
  if (ok) {
    memset(first, -1, (size_t)b->nlink * sizeof *first);
    /* Lists in order of description; the stack below turns each around. */
    for (int j = 0; j < b->njoint; j++) {
      next[j] = first[d->joint_parent[j]];
      first[d->joint_parent[j]] = j;
    }
    for (int r = 0; r < b->nrobot; r++) {
      int depth = 0;
      stack[depth++] = d->robot_root[r];
      while (depth > 0) {
        const int link = stack[--depth];
        seen[link] = true;
        d->order[d->norder++] = link;
        for (int j = first[link]; j >= 0; j = next[j]) {
          stack[depth++] = d->joint_child[j];
        }
      }
    }
    for (int i = 0; i < b->nlink && d->norder < b->nlink; i++) {
      if (!seen[i]) {
        pki_builder_error(b, PK_ERROR_MODEL, pki_link_where(d, i),
                          "link \"%s\" hangs in a loop of joints: no root reaches it", b->links[i].desc.name);
        break;
      }
    }
  }
  free(first), free(next), free(stack), free(seen);
  return ok;
}

enum { MIMIC_MAX = 100 }; /* longest mimic chain */

/* Follow mimic chains to the joint that has a coordinate: q = multiplier q_leader + offset. */
static bool resolve_mimics(pki_draft *d, const pki_name_table *joints)
{
  pk_builder *b = d->b;
  for (int j = 0; j < b->njoint; j++) {
    int leader = -1, steps = 0, at = j;
    double multiplier = 1, offset = 0;
    while (at >= 0 && b->joints[at].desc.mimic != NULL) {
      const pk_joint_desc *desc = &b->joints[at].desc;
      leader = find_joint(d, joints, b->joints[at].robot, desc->mimic);
      if (leader == -2) {
        return false;
      }
      if (leader < 0 && at == j) {
        const char *near = nearest_joint(b, b->joints[j].robot, desc->mimic);
        pki_builder_error(b, PK_ERROR_NAME, pki_joint_where(d, j),
                          "joint \"%s\" mimics \"%s\", which does not exist%s%s%s", desc->name, desc->mimic,
                          near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
      }
      offset += multiplier * desc->mimic_offset;
      multiplier *= desc->mimic_multiplier;
      at = leader;
      if (leader == j || ++steps > MIMIC_MAX) {
        pki_builder_error(b, PK_ERROR_MODEL, pki_joint_where(d, j),
                          "joint \"%s\" mimics itself in a circle%s", b->joints[j].desc.name,
                          leader == j ? "" : ", or through too many joints");
        leader = -1;
        break;
      }
    }
    d->joint_leader[j] = leader, d->joint_multiplier[j] = multiplier, d->joint_offset[j] = offset;
    d->has_mimic |= leader >= 0;
  }
  return true;
}

static bool make_names(pki_draft *d)
{
  pk_builder *b = d->b;
  for (int i = 0; i < b->nlink; i++) {
    d->link_name[i] = full_name(b, b->links[i].robot, b->links[i].desc.name);
    if (d->link_name[i] == NULL) {
      return false;
    }
  }
  for (int j = 0; j < b->njoint; j++) {
    d->joint_name[j] = full_name(b, b->joints[j].robot, b->joints[j].desc.name);
    if (d->joint_name[j] == NULL) {
      return false;
    }
  }
  return true;
}

static bool allocate_tree(pki_draft *d)
{
  const size_t nlink = (size_t)d->b->nlink, njoint = (size_t)d->b->njoint + 1, nrobot = (size_t)d->b->nrobot;
  d->link_name = calloc(nlink, sizeof *d->link_name);
  d->joint_name = calloc(njoint, sizeof *d->joint_name);
  d->joint_parent = malloc(njoint * sizeof *d->joint_parent);
  d->joint_child = malloc(njoint * sizeof *d->joint_child);
  d->link_joint = malloc(nlink * sizeof *d->link_joint);
  d->robot_root = malloc(nrobot * sizeof *d->robot_root);
  d->order = malloc(nlink * sizeof *d->order);
  d->shape_link = malloc(((size_t)d->b->nshape + 1) * sizeof *d->shape_link);
  d->joint_leader = malloc(njoint * sizeof *d->joint_leader);
  d->joint_multiplier = malloc(njoint * sizeof *d->joint_multiplier);
  d->joint_offset = malloc(njoint * sizeof *d->joint_offset);
  d->joint_cut = calloc(njoint, sizeof *d->joint_cut);
  if (d->link_name == NULL || d->joint_name == NULL || d->joint_parent == NULL || d->joint_child == NULL ||
      d->link_joint == NULL || d->robot_root == NULL || d->order == NULL || d->shape_link == NULL ||
      d->joint_leader == NULL || d->joint_multiplier == NULL || d->joint_offset == NULL ||
      d->joint_cut == NULL) {
    return false;
  }
  memset(d->link_joint, -1, nlink * sizeof *d->link_joint);
  return true;
}

bool pki_compile_tree(pki_draft *d)
{
  pk_builder *b = d->b;
  const int before = b->nerror;
  bool ok = allocate_tree(d) && make_names(d) &&
            pki_name_table_init(&d->links, (const char *const *)d->link_name, b->nlink) &&
            pki_name_table_init(&d->joints, (const char *const *)d->joint_name, b->njoint);
  if (ok) {
    enter_links(d, &d->links);
    enter_joints(d, &d->joints);
    ok = resolve_joints(d, &d->links) && resolve_mimics(d, &d->joints) && resolve_shapes(d, &d->links);
  }
  if (ok && b->nerror == before) {
    find_roots(d);
  }
  if (ok && b->nerror == before) {
    ok = find_order(d);
  }
  return ok;
}
