#include "cli/exclusions.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAMED_MOST = 12 }; /* pairs that are told by name */

pki_exclusions pki_exclusions_find(const pk_model *model)
{
  pki_exclusions e = {.count = 0};
  pk_sim *sim = NULL;
  if (pk_sim_create(model, NULL, &sim, NULL) != PK_OK) {
    return e;
  }
  const int count = pk_sim_exclusions(sim, NULL, 0);
  e.pairs = calloc((size_t)count + 1, sizeof *e.pairs);
  if (e.pairs != NULL) {
    e.count = pk_sim_exclusions(sim, e.pairs, count);
  }
  for (int i = 0; i < e.count; i++) {
    e.of[e.pairs[i].reason]++;
  }
  pk_sim_destroy(sim);
  return e;
}

void pki_exclusions_free(pki_exclusions *e)
{
  free(e->pairs);
  *e = (pki_exclusions){0};
}

static void print_pairs(const pki_exclusions *e, const pk_model *m, pk_exclusion_reason reason,
                        const char *when)
{
  const int count = e->of[reason];
  if (count == 0) {
    return;
  }
  printf("  %d pair%s of links overlap%s %s by design and do%s not collide:", count, count == 1 ? "" : "s",
         count == 1 ? "s" : "", when, count == 1 ? "es" : "");
  int told = 0;
  for (int i = 0; i < e->count && told < NAMED_MOST; i++) {
    if (e->pairs[i].reason == reason) {
      const int *link = e->pairs[i].link;
      printf("%s %s and %s", told++ > 0 ? "," : "", m->links[link[0]].name, m->links[link[1]].name);
    }
  }
  printf("%s\n", count > told ? ", ..." : "");
}

void pki_exclusions_print(const pki_exclusions *e, const pk_model *model)
{
  print_pairs(e, model, PK_EXCLUSION_REASON_NEUTRAL, "in the initial pose");
  print_pairs(e, model, PK_EXCLUSION_REASON_ALWAYS, "in nearly all poses");
}

void pki_exclusions_print_total(const pki_exclusions *e)
{
  static const char *const what[PK_EXCLUSION_REASON_COUNT] = {"named", "joined", "overlapping at the start",
                                                              "overlapping in the initial pose",
                                                              "overlapping in nearly all poses"};
  if (e->count == 0) {
    return;
  }
  printf("  not colliding       %d pair%s of links of one robot:", e->count, e->count == 1 ? "" : "s");
  for (int reason = 0, told = 0; reason < PK_EXCLUSION_REASON_COUNT; reason++) {
    if (e->of[reason] > 0) {
      printf("%s %d %s", told++ > 0 ? "," : "", e->of[reason], what[reason]);
    }
  }
  printf("\n");
}

void pki_exclusions_add(const pki_exclusions *e, const pk_model *model, cJSON *to)
{
  cJSON *list = cJSON_AddArrayToObject(to, "exclusions");
  for (int i = 0; i < e->count; i++) {
    cJSON *pair = cJSON_CreateObject(), *links = cJSON_AddArrayToObject(pair, "links");
    for (int k = 0; k < 2; k++) {
      cJSON_AddItemToArray(links, cJSON_CreateString(model->links[e->pairs[i].link[k]].name));
    }
    cJSON_AddStringToObject(pair, "reason", pk_exclusion_reason_name(e->pairs[i].reason));
    cJSON_AddItemToArray(list, pair);
  }
}
