/* Warnings about keys of `step` that nothing in the world reads. */
#include <stdio.h>
#include <string.h>

#include "scenario/section.h"

enum { MOST = 64 };

/* Where the part of a remark begins that is the same for all options of one reader; the whole where it has none. */
static const char *reason_of(const pk_error *remark)
{
  const char *at = strstr(remark->message, ", which ");
  return at != NULL ? at : remark->message;
}

/* What is said of remark `first` and of those after it for the same reason, which are crossed out: "alpha is 0.5, stop is
 * \"change\", which ...". */
static void warn_together(const pki_node *node, pk_error *all, int count, int first, pki_problems *warnings)
{
  const char *reason = reason_of(&all[first]);
  char asked[400] = "";
  size_t used = 0;
  for (int i = first; i < count; i++) {
    const char *own = reason_of(&all[i]);
    if (all[i].field[0] != '\0' && strcmp(own, reason) == 0 && used < sizeof asked) {
      used += (size_t)snprintf(asked + used, sizeof asked - used, "%s%.*s", used > 0 ? ", " : "",
                               (int)(own - all[i].message), all[i].message);
      all[i].field[0] = '\0';
    }
  }
  pki_problem(warnings, node, "%s%s", asked, reason);
}

void pki_world_check_options(const pki_world *world, pki_problems *warnings)
{
  const pki_node *root = pki_document_root(world->scenario->document), *step = pki_node_find(root, "step");
  pk_error all[MOST];
  const int found = pk_sim_ignored(world->sim, all, MOST), count = found < MOST ? found : MOST;
  const pki_node *at[MOST];
  for (int i = 0; i < count; i++) {
    const bool of_joints =
        strcmp(all[i].field, "joint_limits") == 0; /* not the key, but what the models have */
    at[i] = step != NULL ? pki_node_find(step, all[i].field) : NULL;
    at[i] = at[i] == NULL && of_joints ? step : at[i];
    if (at[i] == NULL) { /* what a preset sets was not asked for by name */
      all[i].field[0] = '\0';
    }
  }
  for (int i = 0; i < count; i++) {
    if (all[i].field[0] != '\0') {
      warn_together(at[i], all, count, i, warnings);
    }
  }
}
