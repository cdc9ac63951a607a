/* `phases` of a gait file: which feet stand, and for how long. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/files/gait_fields.h"

/* Which foot has that name; -1 after a problem with the nearest one. */
static int find_foot(const pki_motion_problem *p, const pki_node *node, pki_problems *problems)
{
  const char *names[PKI_MOTION_FEET];
  int chosen = -1;
  pk_error err = {0};
  for (int i = 0; i < p->nfoot; i++) {
    names[i] = p->feet[i].name;
  }
  if (node->kind != PKI_NODE_SCALAR || pki_node_is_null(node)) {
    pki_problem(problems, node, "this is %s, expected the name of a foot", pki_node_what(node));
    return -1;
  }
  const pk_status status = pki_read_choice(node, "foot", node->text, names, p->nfoot, &chosen, &err);
  return pki_problems_note(problems, status, &err) == PK_OK ? chosen : -1;
}

static unsigned read_stance(const pki_motion_problem *p, const pki_gait_phase *e, pki_problems *problems)
{
  const pki_node *list = pki_node_find(e->node, "stance");
  unsigned stance = 0;
  if (list == NULL) {
    pki_problem(problems, e->node, "the key \"stance\" is missing: the feet that stand, [] in flight");
    return 0;
  }
  if (pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return 0;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    const int foot = find_foot(p, n, problems);
    stance |= foot >= 0 ? 1u << foot : 0;
  }
  return stance;
}

/* "LF_FOOT RH_FOOT", as far as there is room; of none "flight". */
static void name_by_feet(const pki_motion_problem *p, pki_motion_phase *phase)
{
  size_t used = 0;
  snprintf(phase->name, sizeof phase->name, "flight");
  for (int i = 0; i < p->nfoot; i++) {
    if ((phase->stance >> i & 1) != 0 && used < sizeof phase->name) {
      used += (size_t)snprintf(phase->name + used, sizeof phase->name - used, "%s%.30s", used > 0 ? " " : "",
                               p->feet[i].name);
    }
  }
}

static void read_phase(pki_gait_file *g, const pki_gait_phase *e, pki_problems *problems)
{
  pki_motion_problem *p = &g->problem;
  pki_motion_phase *phase = &p->phases[p->nphase++];
  const pki_node *duration = pki_node_find(e->node, "duration");
  *phase = (pki_motion_phase){.stance = read_stance(p, e, problems),
                              .intervals = e->intervals,
                              .shortest = 0.01,
                              .longest = 10,
                              .crossing = e->ends == 1,
                              .soft = e->landing == 1};
  snprintf(phase->name, sizeof phase->name, "%s", e->name);
  if (e->name[0] == '\0') {
    name_by_feet(p, phase);
  }
  if (duration == NULL) {
    pki_problem(problems, e->node, "the key \"duration\" is missing: s, a number or [least, most]");
    return;
  }
  pki_gait_read_range(duration, 1e-6, &phase->shortest, &phase->longest, problems);
  phase->guess = e->guess > 0 ? e->guess : (phase->shortest + phase->longest) / 2;
  if (phase->guess < phase->shortest || phase->guess > phase->longest) {
    pki_problem(problems, pki_node_find(e->node, "guess"), "found %g s, expected %g to %g", phase->guess,
                phase->shortest, phase->longest);
  }
}

void pki_gait_read_phases(pki_gait_file *g, const pki_node *list, pki_problems *problems)
{
  void *read = NULL;
  int count = 0;
  pki_read_entries(list, pki_gait_phase_fields, pki_gait_phase_field_count, sizeof(pki_gait_phase), &read,
                   &count, problems);
  const pki_gait_phase *entries = read;
  if (count > PKI_MOTION_PHASES) {
    pki_problem(problems, list, "%d phases, expected at most %d", count, PKI_MOTION_PHASES);
  } else {
    for (int i = 0; i < count; i++) {
      read_phase(g, &entries[i], problems);
    }
  }
  free(read);
}
