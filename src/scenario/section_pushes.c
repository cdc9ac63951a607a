/* What pushes a world: forces at their times, and random ones.
 *
 * The middle of a step decides whether a push acts in it, so that a push lasts as many steps whatever rounding does to
 * the time. Random pushes come from (seed, world, entry, number of the push) alone: nothing is remembered between steps, so
 * that checkpoints need nothing, and what else happens in a step does not change them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scenario/files.h"
#include "scenario/section.h"

static const double PI = 3.14159265358979323846;

static void find_link(const pk_model *m, const char *const *words, const pki_node *entry, const char *name,
                      int *out, pki_problems *problems)
{
  pk_error err = {0};
  const pk_status status =
      pki_read_choice(pki_node_find(entry, "link"), "link", name, words, m->nlink, out, &err);
  pki_problems_note(problems, status, &err);
}

static void find_pushed(pki_world *world, pki_problems *problems)
{
  const pki_scenario *s = world->scenario;
  const pk_model *m = world->model;
  const char **words = calloc((size_t)m->nlink + 1, sizeof *words);
  world->push_link = calloc((size_t)s->npush + 1, sizeof *world->push_link);
  world->disturb_link = calloc((size_t)s->ndisturb + 1, sizeof *world->disturb_link);
  world->acting = calloc((size_t)(s->npush + s->ndisturb) + 1, sizeof *world->acting);
  world->acting_entry = calloc((size_t)(s->npush + s->ndisturb) + 1, sizeof *world->acting_entry);
  if (words == NULL || world->push_link == NULL || world->disturb_link == NULL || world->acting == NULL ||
      world->acting_entry == NULL) {
    free(words);
    pki_problem_memory(problems);
    return;
  }
  for (int i = 0; i < m->nlink; i++) {
    words[i] = m->links[i].name;
  }
  for (int i = 0; i < s->npush; i++) {
    find_link(m, words, s->pushes[i].node, s->pushes[i].link, &world->push_link[i], problems);
  }
  for (int i = 0; i < s->ndisturb; i++) {
    find_link(m, words, s->disturbs[i].node, s->disturbs[i].link, &world->disturb_link[i], problems);
  }
  free(words);
}

void pki_disturb_direction(int seed, int world, int entry, long long k, double direction[2])
{
  const uint64_t place[4] = {(uint64_t)seed, (uint64_t)entry, (uint64_t)k, (uint64_t)world};
  pki_random random = pki_random_at(place, world >= 0 ? 4 : 3);
  const double angle = pki_random_between(&random, 0, 2 * PI);
  direction[0] = cos(angle);
  direction[1] = sin(angle);
}

/* The push of an entry that acts at a time; -1: none. */
static long long disturb_at(const pki_scenario_disturb *d, double time)
{
  if (time < d->from) {
    return -1;
  }
  const double k = floor((time - d->from) / d->every), begin = d->from + k * d->every;
  return begin < d->to && time < begin + d->duration ? (long long)k : -1;
}

/* The force and the torque of an entry at a time within it, times a factor. */
static pk_push push_at(const pki_scenario_push *p, int link, double time, double factor)
{
  pk_push push = {.link = link, .own_axes = p->axes == PKI_PUSH_AXES_LINK};
  double wrench[6];
  memcpy(push.point, p->point, sizeof p->point);
  memcpy(wrench, p->force, sizeof p->force), memcpy(wrench + 3, p->torque, sizeof p->torque);
  if (p->file[0] != '\0') {
    pki_push_table_at(&p->table, time - p->at, wrench);
  } else if (p->shape == PKI_PUSH_HALF_SINE) {
    factor *= sin(PI * (time - p->at) / p->duration);
  }
  for (int k = 0; k < 3; k++) {
    push.force[k] = factor * wrench[k], push.torque[k] = factor * wrench[3 + k];
  }
  return push;
}

int pki_world_pushes(pki_world *world, int number, double factor, double time)
{
  const pki_scenario *s = world->scenario;
  const double middle = time + 0.5 * s->step.dt;
  int n = 0;
  for (int i = 0; i < s->npush; i++) {
    const pki_scenario_push *p = &s->pushes[i];
    if (middle >= p->at && middle < p->at + p->duration) {
      world->acting_entry[n] = i;
      world->acting[n++] = push_at(p, world->push_link[i], middle, factor);
    }
  }
  for (int i = 0; i < s->ndisturb; i++) {
    const pki_scenario_disturb *d = &s->disturbs[i];
    const double force = factor * d->force;
    const long long k = disturb_at(d, middle);
    if (k >= 0) {
      double direction[2];
      pki_disturb_direction(s->seed, number, i, k, direction);
      world->acting_entry[n] = s->npush + i;
      pk_push *out = &world->acting[n++];
      *out =
          (pk_push){.link = world->disturb_link[i], .force = {force * direction[0], force * direction[1], 0}};
      memcpy(out->point, d->point, sizeof d->point);
    }
  }
  return n;
}

void pki_world_push(pki_world *world)
{
  const int n = pki_world_pushes(world, world->number, world->push, pk_sim_time(world->sim));
  world->nacting = n;
  for (int i = 0; i < n; i++) {
    pk_sim_add_push(world->sim, &world->acting[i]);
  }
}

/* ---- warnings ---- */

/* No step's middle lies in [at, at + length). */
static bool is_missed(double dt, double at, double length)
{
  const double next = ceil(at / dt - 0.5);
  return !((next + 0.5) * dt < at + length);
}

/* Entries of a controller's list that have a time, `at`, after the end. */
static void check_controller(const pki_scenario *s, double end, pki_problems *warnings)
{
  const pki_controller_list *list = s->controller != NULL ? s->controller->list : NULL;
  const pk_field *at = list != NULL ? pki_fields_find(list->fields, *list->nfield, "at") : NULL;
  const pki_node *node = at != NULL && s->controller_node->kind == PKI_NODE_MAP
                             ? pki_node_find(s->controller_node, list->name)
                             : NULL;
  const char *entry = node != NULL ? (const char *)s->controller_options + list->offset : NULL;
  for (const pki_node *n = node != NULL ? node->first : NULL; n != NULL; n = n->next) {
    double time;
    memcpy(&time, entry + at->offset, sizeof time);
    entry += list->size;
    if (time > end) {
      pki_problem(warnings, n, "this never comes: it begins at %g s, and the run ends at %g s", time, end);
    }
  }
}

void pki_scenario_check_times(const pki_scenario *scenario, double duration, pki_problems *warnings)
{
  const pki_scenario *s = scenario;
  const double dt = s->step.dt, end = duration;
  for (int i = 0; i < s->npush; i++) {
    const pki_scenario_push *p = &s->pushes[i];
    if (p->at + 0.5 * dt > end) {
      pki_problem(warnings, p->node, "this push never acts: it begins at %g s, and the run ends at %g s",
                  p->at, end);
    } else if (is_missed(dt, p->at, p->duration)) {
      pki_problem(warnings, p->node,
                  "this push never acts: no step of %g s has its middle in the %g s after %g s", dt,
                  p->duration, p->at);
    }
  }
  for (int i = 0; i < s->ndisturb; i++) {
    const pki_scenario_disturb *d = &s->disturbs[i];
    if (d->from + 0.5 * dt > end || d->from >= d->to) {
      pki_problem(warnings, d->node, "these pushes never act: the first begins at %g s, and %s at %g s",
                  d->from, d->from >= d->to ? "none may" : "the run ends", d->from >= d->to ? d->to : end);
    } else if (d->duration < dt) {
      pki_problem(warnings, d->node, "some of these pushes may never act: they last %g s, a step is %g s",
                  d->duration, dt);
    }
  }
  check_controller(s, end, warnings);
}

/* ---- the sections ---- */

static const char *const axes_words[PKI_PUSH_AXES_COUNT] = {"world", "link"};
static const char *const shape_words[PKI_PUSH_SHAPE_COUNT] = {"constant", "half-sine"};

#define PUSH(member) offsetof(pki_scenario_push, member)
static const pk_field push_fields[] = {
    PKI_TEXT("link", pki_scenario_push, link, 1, "what is pushed, with its prefix"),
    {"at", PUSH(at), PK_FIELD_REAL, "s", NAN, 0, 1e6, NULL, "when it begins"},
    {"for", PUSH(duration), PK_FIELD_REAL, "s", INFINITY, 0, INFINITY, NULL,
     "how long it lasts; default: as long as its file, or for ever"},
    {"force", PUSH(force), PK_FIELD_VEC3, "N", 0, -1e9, 1e9, NULL, "force at the point"},
    {"torque", PUSH(torque), PK_FIELD_VEC3, "N m", 0, -1e9, 1e9, NULL, "torque beside it"},
    {"axes", PUSH(axes), PK_FIELD_ENUM, "", PKI_PUSH_AXES_WORLD, 0, PKI_PUSH_AXES_COUNT - 1, axes_words,
     "of force and torque: the world's, or those that turn with the link"},
    {"shape", PUSH(shape), PK_FIELD_ENUM, "", PKI_PUSH_CONSTANT, 0, PKI_PUSH_SHAPE_COUNT - 1, shape_words,
     "over its time: the same all along, or a half sine, whose peak is what is given"},
    PKI_TEXT("file", pki_scenario_push, file, 0,
             "force and torque over time from a table, instead of `force`, `torque` and `shape`"),
    {"point", PUSH(point), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "where, in the link's frame"},
};
static const int push_field_count = PKI_COUNT(push_fields);

#define DISTURB(member) offsetof(pki_scenario_disturb, member)
static const pk_field disturb_fields[] = {
    PKI_TEXT("link", pki_scenario_disturb, link, 1, "what is pushed, with its prefix"),
    {"every", DISTURB(every), PK_FIELD_REAL, "s", NAN, 1e-9, 1e6, NULL, "time from one push to the next"},
    {"for", DISTURB(duration), PK_FIELD_REAL, "s", NAN, 0, 1e6, NULL, "how long each lasts"},
    {"force", DISTURB(force), PK_FIELD_REAL, "N", NAN, 0, 1e9, NULL,
     "of each, in a random horizontal direction"},
    {"from", DISTURB(from), PK_FIELD_REAL, "s", 0, 0, 1e6, NULL, "when the first begins"},
    {"to", DISTURB(to), PK_FIELD_REAL, "s", 1e6, 0, 1e6, NULL, "none begins at this time or later"},
    {"point", DISTURB(point), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "where, in the link's frame"},
};
static const int disturb_field_count = PKI_COUNT(disturb_fields);

/* The table of an entry that has one; it lasts as long as the table where nothing else is said. */
static void read_table(pki_scenario *s, pki_scenario_push *p, pki_problems *problems)
{
  static const char *const others[] = {"force", "torque", "shape"};
  const pki_node *node = pki_node_find(p->node, "file");
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  for (int k = 0; k < 3; k++) {
    const pki_node *other = pki_node_find(p->node, others[k]);
    if (other != NULL) {
      pki_problem(problems, other, "%s stands beside a file, which has the forces: leave one of them out",
                  others[k]);
    }
  }
  pk_status status = pki_scenario_find_file(s, node, p->file, path, &err);
  if (status == PK_OK) {
    pki_scenario_hash_file(s, p->file);
    status = pki_push_table_load(path, &p->table, &err);
    status = pki_scenario_place_file(status, node, p->file, &err);
  }
  pki_problems_note(problems, status, &err);
  if (status == PK_OK && isinf(p->duration)) {
    p->duration = p->table.time[p->table.rows - 1];
  }
}

static void check_push(const pki_scenario_push *p, pki_problems *problems)
{
  if (pki_node_find(p->node, "force") == NULL && pki_node_find(p->node, "torque") == NULL) {
    pki_problem(problems, p->node, "a push has no force: give `force`, `torque` or `file`");
  }
  if (p->shape == PKI_PUSH_HALF_SINE && isinf(p->duration)) {
    pki_problem(problems, p->node, "a half sine has no end: give `for`");
  }
}

static void read_push(pki_scenario *s, const pki_node *list, pki_problems *problems)
{
  void *pushes = NULL;
  pki_read_entries(list, push_fields, push_field_count, sizeof *s->pushes, &pushes, &s->npush, problems);
  s->pushes = pushes;
  for (int i = 0; i < s->npush; i++) {
    if (s->pushes[i].file[0] != '\0') {
      read_table(s, &s->pushes[i], problems);
    } else {
      check_push(&s->pushes[i], problems);
    }
  }
}

static void read_disturb(pki_scenario *s, const pki_node *list, pki_problems *problems)
{
  void *disturbs = NULL;
  pki_read_entries(list, disturb_fields, disturb_field_count, sizeof *s->disturbs, &disturbs, &s->ndisturb,
                   problems);
  s->disturbs = disturbs;
  for (int i = 0; i < s->ndisturb; i++) {
    const pki_scenario_disturb *d = &s->disturbs[i];
    if (d->duration > d->every) {
      pki_problem(problems, pki_node_find(d->node, "for"),
                  "for is %g s, expected at most every, which is %g s: one push at a time", d->duration,
                  d->every);
    }
  }
}

static void release_push(pki_scenario *s)
{
  for (int i = 0; i < s->npush; i++) {
    pki_push_table_free(&s->pushes[i].table);
  }
  free(s->pushes);
}

static void release_disturb(pki_scenario *s)
{
  free(s->disturbs);
}

/* finds the links of both */
static const pki_schema_table push_tables[] = {
    {"push", "each entry of `push`", push_fields, &push_field_count}, {NULL, NULL, NULL, NULL}};

const pki_section pki_section_push = {.name = "push",
                                      .doc = "forces on links: a list",
                                      .form = PKI_SECTION_IS_LIST,
                                      .tables = push_tables,
                                      .read = read_push,
                                      .release = release_push,
                                      .start = find_pushed};

static const pki_schema_table disturb_tables[] = {
    {"disturb", "each entry of `disturb`", disturb_fields, &disturb_field_count}, {NULL, NULL, NULL, NULL}};

const pki_section pki_section_disturb = {.name = "disturb",
                                         .doc = "random forces on links, drawn from the seed: a list",
                                         .form = PKI_SECTION_IS_LIST,
                                         .tables = disturb_tables,
                                         .read = read_disturb,
                                         .release = release_disturb};
