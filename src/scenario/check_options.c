/* Warnings about keys of `step` that nothing in the world reads. */
#include <string.h>

#include "scenario/section.h"

enum { MOST = 64 };

void pki_world_check_options(const pki_world *world, pki_problems *warnings)
{
  const pki_node *root = pki_document_root(world->scenario->document), *step = pki_node_find(root, "step");
  pk_error remarks[MOST];
  const int found = pk_sim_ignored(world->sim, remarks, MOST), count = found < MOST ? found : MOST;
  for (int i = 0; i < count; i++) {
    const char *field = remarks[i].field;
    const pki_node *node = step != NULL ? pki_node_find(step, field) : NULL;
    const bool of_joints = strcmp(field, "joint_limits") == 0; /* not the key, but what the models have */
    if (node != NULL || of_joints) { /* what a preset sets was not asked for by name */
      pki_problem(warnings, node != NULL ? node : step, "%s", remarks[i].message);
    }
  }
}
