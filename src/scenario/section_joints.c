/* Actuators and constraints: what a scenario says of joints and links, put into the description of the world before it
 * is compiled. Names are full names, prefixes included. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "model/builder.h"
#include "model/inertia.h"
#include "model/joint_type.h"
#include "model/kind_words.h"
#include "scenario/section.h"

/* Names with their prefixes. */
typedef struct names {
  const char **words;
  char *text;
  int count;
} names;

static void free_names(names *n)
{
  free(n->words);
  free(n->text);
}

/* One more, of a robot. */
static void add_name(const pk_builder *b, names *n, int robot, const char *name, size_t *used)
{
  const char *prefix = b->robots[robot].desc.prefix != NULL ? b->robots[robot].desc.prefix : "";
  n->words[n->count] = n->text + *used;
  *used += (size_t)sprintf(n->text + *used, "%s%s", prefix, name) + 1;
  n->count++;
}

static size_t room_for(const pk_builder *b, int robot, const char *name)
{
  const char *prefix = b->robots[robot].desc.prefix;
  return strlen(name) + (prefix != NULL ? strlen(prefix) : 0) + 1;
}

/* The names of all joints, or of all links; false without memory. */
static bool list_names(const pk_builder *b, bool joints, names *out)
{
  const int count = joints ? b->njoint : b->nlink;
  size_t size = 1, used = 0;
  for (int i = 0; i < count; i++) {
    size += joints ? room_for(b, b->joints[i].robot, b->joints[i].desc.name)
                   : room_for(b, b->links[i].robot, b->links[i].desc.name);
  }
  *out = (names){.words = calloc((size_t)count + 1, sizeof *out->words), .text = malloc(size)};
  if (out->words == NULL || out->text == NULL) {
    free_names(out);
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (joints) {
      add_name(b, out, b->joints[i].robot, b->joints[i].desc.name, &used);
    } else {
      add_name(b, out, b->links[i].robot, b->links[i].desc.name, &used);
    }
  }
  return true;
}

/* ---- actuators ---- */

/* What is given replaces what the model says; an actuator's inertia, damping and friction that it does not bring itself are added. */
static void apply_joint_changes(const pki_scenario_actuator *a, pk_joint_desc *joint)
{
  if (a->row != NULL) {
    joint->armature += a->armature, joint->damping += a->damping, joint->friction += a->friction;
    return;
  }
  const struct {
    const char *key;
    double value, *to;
  } values[] = {{"effort", a->effort, &joint->effort},
                {"velocity", a->velocity, &joint->velocity},
                {"damping", a->damping, &joint->damping},
                {"friction", a->friction, &joint->friction},
                {"armature", a->armature, &joint->armature}};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    if (pki_node_find(a->node, values[i].key) != NULL) {
      *values[i].to = values[i].value;
    }
  }
}

/* A point in the origin of a joint, on the link that it hangs on. */
static void add_drive_mass(pk_builder *b, int joint, double mass)
{
  const pki_joint *j = &b->joints[joint];
  const pk_inertia point = {.mass = mass};
  const pk_pose same = pk_pose_identity();
  for (int i = 0; i < b->nlink && mass != 0; i++) {
    if (b->links[i].robot == j->robot && strcmp(b->links[i].desc.name, j->desc.parent) == 0) {
      double body[10] = {0};
      pki_inertia_add(body, &b->links[i].desc.inertia, &same);
      pki_inertia_add(body, &point, &j->desc.origin);
      b->links[i].desc.inertia = pki_inertia_central(body);
    }
  }
}

/* A joint that can have an actuator: one with a single coordinate, which follows no other. */
static bool is_driven(const pk_joint_desc *joint)
{
  return joint->mimic == NULL && pki_joint_nu(joint->kind) == 1;
}

static void set_actuator(const pki_scenario *s, int entry, pk_builder *b, const names *joints,
                         pki_problems *problems)
{
  const pki_scenario_actuator *a = &s->actuators[entry];
  int found = 0;
  for (int i = 0; i < joints->count; i++) {
    pk_joint_desc *const desc = &b->joints[i].desc;
    if (pki_joint_moves(desc->kind) && pki_pattern_matches(a->joints, joints->words[i])) {
      if (a->row == NULL || (is_driven(desc) && !pki_scenario_is_undriven(s, entry, joints->words[i]))) {
        apply_joint_changes(a, desc);
        add_drive_mass(b, i, a->mass);
      }
      found++;
    }
  }
  if (found == 0) {
    pk_error err = {0};
    const char *movable[256];
    int count = 0, chosen;
    for (int i = 0; i < joints->count && count < 256; i++) {
      if (pki_joint_moves(b->joints[i].desc.kind)) {
        movable[count++] = joints->words[i];
      }
    }
    const pk_status status =
        pki_read_choice(pki_node_find(a->node, "joints"), "joint", a->joints, movable, count, &chosen, &err);
    pki_problems_note(problems, status, &err);
  }
}

/* Whether an entry takes mass away from that link. */
static const pki_scenario_actuator *find_taker(const pki_scenario *s, const pk_builder *b,
                                               const names *joints, int link)
{
  for (int i = 0; i < s->nactuator; i++) {
    const pki_scenario_actuator *a = &s->actuators[i];
    for (int k = 0; k < joints->count && a->mass < 0; k++) {
      const pki_joint *j = &b->joints[k];
      if (j->robot == b->links[link].robot && strcmp(j->desc.parent, b->links[link].desc.name) == 0 &&
          pki_joint_moves(j->desc.kind) && pki_pattern_matches(a->joints, joints->words[k])) {
        return a;
      }
    }
  }
  return NULL;
}

/* What is left of a link from which drives were taken is a body: it has mass, and moments about its centre that a body can have. */
static void check_links(const pki_scenario *s, const pk_builder *b, const names *joints,
                        pki_problems *problems)
{
  for (int i = 0; i < b->nlink; i++) {
    const pki_scenario_actuator *a = find_taker(s, b, joints, i);
    const pk_inertia *left = &b->links[i].desc.inertia;
    double lambda[3] = {0};
    if (a == NULL) {
      continue;
    }
    if (!(left->mass > 0)) {
      pki_problem(problems, a->node,
                  "the masses that are taken away leave %.4g kg of the link %s, expected more than 0",
                  left->mass, b->links[i].desc.name);
    } else if (pki_check_moments(left->moment, lambda) != PKI_MOMENTS_SOUND || !(lambda[0] > 0)) {
      pki_problem(problems, a->node,
                  "the masses that are taken away leave the link %s with %.4g kg and principal moments of "
                  "%.3g, %.3g, %.3g kg m^2, which no body has",
                  b->links[i].desc.name, left->mass, lambda[0], lambda[1], lambda[2]);
    }
  }
}

/* ---- constraints ---- */

static void add_constraint(const pki_scenario_constraint *c, int index, pk_builder *b, const names *links,
                           pki_problems *problems)
{
  char name[96];
  pk_error err = {0};
  int chosen;
  pk_constraint_desc desc = pk_constraint_desc_default();
  snprintf(name, sizeof name, "constraints.%d", index);
  desc.name = c->name[0] != '\0' ? c->name : name;
  desc.kind = c->kind;
  desc.length = c->length;
  desc.link[0] = c->link;
  desc.link[1] = c->to[0] != '\0' ? c->to : NULL;
  desc.frame[0] = pk_pose_from_xyz_rpy(c->position, c->rpy);
  desc.frame[1] = pk_pose_from_xyz_rpy(c->to_position, c->to_rpy);
  pk_status status = pki_read_choice(pki_node_find(c->node, "link"), "link", c->link, links->words,
                                     links->count, &chosen, &err);
  if (status == PK_OK && desc.link[1] != NULL) {
    status = pki_read_choice(pki_node_find(c->node, "to"), "link", c->to, links->words, links->count, &chosen,
                             &err);
  }
  if (status == PK_OK) {
    status = pki_node_place(pk_builder_add_constraint(b, &desc, &err), c->node, "", &err);
  }
  pki_problems_note(problems, status, &err);
}

/* A link of an earlier robot that has the name of one of this robot's; -1: none. */
static int find_twin(const pk_builder *b, const names *links, int robot)
{
  for (int i = 0; i < links->count; i++) {
    for (int k = 0; b->links[i].robot == robot && k < i && b->links[k].robot < robot; k++) {
      if (strcmp(links->words[i], links->words[k]) == 0) {
        return k;
      }
    }
  }
  return -1;
}

/* Robots that share names are the scenario's mistake, not their files'. */
static void check_prefixes(const pki_scenario *s, const pk_builder *b, const names *links,
                           pki_problems *problems)
{
  for (int i = 1; i < s->nmodel && b->nrobot >= s->nmodel; i++) {
    const int twin = find_twin(b, links, i);
    if (twin >= 0) {
      pki_problem(problems, s->models[i].node,
                  "models.%d has a link \"%s\", too: give each robot its own prefix", b->links[twin].robot,
                  links->words[twin]);
    }
  }
}

static void build_joints(const pki_scenario *scenario, pk_builder *builder, pki_problems *problems)
{
  names joints, links;
  if (!list_names(builder, true, &joints)) {
    pki_problem_memory(problems);
    return;
  }
  for (int i = 0; i < scenario->nactuator; i++) {
    set_actuator(scenario, i, builder, &joints, problems);
  }
  check_links(scenario, builder, &joints, problems);
  free_names(&joints);
  if (!list_names(builder, false, &links)) {
    pki_problem_memory(problems);
    return;
  }
  check_prefixes(scenario, builder, &links, problems);
  for (int i = 0; i < scenario->nconstraint; i++) {
    add_constraint(&scenario->constraints[i], i, builder, &links, problems);
  }
  free_names(&links);
}

/* ---- warnings ---- */

/* Where a frame's origin is in the world. */
static void place_frame(const pki_world *w, const char *link, const double position[3], double out[3],
                        pk_pose *pose)
{
  *pose = link[0] != '\0' ? pk_link_pose(pk_sim_workspace(w->sim), pk_model_find_link(w->model, link))
                          : pk_pose_identity();
  for (int i = 0; i < 3; i++) {
    out[i] = pose->pos[i];
    for (int k = 0; k < 3; k++) {
      out[i] += pose->rot[3 * i + k] * position[k];
    }
  }
}

/* How far a constraint is from being held, m. */
static double open_by(const pki_world *w, const pki_scenario_constraint *c)
{
  double from[3], to[3], d[3], along = 0, square = 0;
  pk_pose first, second;
  place_frame(w, c->link, c->position, from, &first);
  place_frame(w, c->to, c->to_position, to, &second);
  const pk_pose frame = pk_pose_from_xyz_rpy(c->position, c->rpy);
  for (int i = 0; i < 3; i++) {
    double z = 0; /* the frame's z axis in the world, along which a slider travels */
    for (int k = 0; k < 3; k++) {
      z += first.rot[3 * i + k] * frame.rot[3 * k + 2];
    }
    d[i] = to[i] - from[i];
    along += d[i] * z;
    square += d[i] * d[i];
  }
  if (c->kind == PK_CONSTRAINT_DISTANCE) {
    return fabs(sqrt(square) - c->length);
  }
  return c->kind == PK_CONSTRAINT_SLIDER ? sqrt(fmax(0, square - along * along)) : sqrt(square);
}

void pki_world_check_constraints(const pki_world *world, pki_problems *warnings)
{
  const pki_scenario *s = world->scenario;
  pk_kinematics_compute(pk_sim_workspace(world->sim), pk_sim_q(world->sim), pk_sim_u(world->sim));
  for (int i = 0; i < s->nconstraint; i++) {
    const double gap = open_by(world, &s->constraints[i]);
    if (gap > 1e-6) {
      pki_problem(warnings, s->constraints[i].node,
                  "this constraint starts open by %.3g m; the first step closes it", gap);
    }
  }
}

/* ---- the sections ---- */

#define HELD(name) #name, offsetof(pki_scenario_constraint, name)
const pk_field pki_constraint_fields[] = {
    {HELD(kind), PK_FIELD_ENUM, "", -1, 0, PK_CONSTRAINT_DISTANCE, pki_constraint_words, "what it holds"},
    PKI_TEXT("name", pki_scenario_constraint, name, 0,
             "for messages; default: constraints.0, constraints.1, ..."),
    PKI_TEXT("link", pki_scenario_constraint, link, 1, "a link, with its prefix"),
    {HELD(position), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "of the frame in this link"},
    {HELD(rpy), PK_FIELD_VEC3, "rad", 0, -1e6, 1e6, NULL, "roll, pitch, yaw of the frame in this link"},
    PKI_TEXT("to", pki_scenario_constraint, to, 0, "the other link, with its prefix; default: the world"),
    {HELD(to_position), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "of the frame in the other link"},
    {HELD(to_rpy), PK_FIELD_VEC3, "rad", 0, -1e6, 1e6, NULL,
     "roll, pitch, yaw of the frame in the other link"},
    {HELD(length), PK_FIELD_REAL, "m", 0, 0, 1e6, NULL,
     "between the frames' origins; of a distance, and required there"},
};
static const int constraint_field_count = PKI_COUNT(pki_constraint_fields);

/* A distance has a length, nothing else has one. */
static void read_constraints(pki_scenario *s, const pki_node *list, pki_problems *problems)
{
  void *entries = NULL;
  pki_read_entries(list, pki_constraint_fields, constraint_field_count, sizeof *s->constraints, &entries,
                   &s->nconstraint, problems);
  s->constraints = entries;
  for (int i = 0; i < s->nconstraint; i++) {
    pki_scenario_constraint *c = &s->constraints[i];
    const pki_node *length = pki_node_find(c->node, "length");
    if (c->kind == PK_CONSTRAINT_DISTANCE && !(c->length > 0)) {
      pki_problem(problems, length != NULL ? length : c->node,
                  "a distance needs a length above 0 m; a ball holds two points together");
    } else if (c->kind != PK_CONSTRAINT_DISTANCE && (int)c->kind >= 0 && length != NULL) {
      pki_problem(problems, length, "a %s has no length; kind: distance has one",
                  pki_field_word(&pki_constraint_fields[0], c->kind));
    }
  }
}

static void release_constraints(pki_scenario *s)
{
  free(s->constraints);
}

/* builds both */
static const pki_schema_table constraints_tables[] = {
    {"constraint", "each entry of `constraints`", pki_constraint_fields, &constraint_field_count},
    {NULL, NULL, NULL, NULL}};

const pki_section pki_section_constraints = {.name = "constraints",
                                             .doc = "what holds links together beside their joints: a list",
                                             .form = PKI_SECTION_IS_LIST,
                                             .tables = constraints_tables,
                                             .read = read_constraints,
                                             .release = release_constraints,
                                             .build = build_joints};
