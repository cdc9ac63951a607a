/* What a gait file says of parts that keep away from the ground and from each other. */
#include <stdlib.h>

#include "optimize/files/gait_fields.h"

void pki_gait_read_gaps(pki_gait_file *g, pki_problems *problems)
{
  const pki_node *list = pki_node_find(pki_document_root(g->document), "gaps");
  void *read = NULL;
  int count = 0;
  pki_read_entries(list, pki_gait_gap_fields, pki_gait_gap_field_count, sizeof(pki_gait_gap), &read, &count,
                   problems);
  const pki_gait_gap *entries = read;
  for (int i = 0; i < count; i++) {
    const pki_gait_gap *e = &entries[i];
    pk_error err = {0};
    if (e->link[0] == '\0') {
      continue; /* told by the table */
    }
    const pk_status status = pki_motion_add_gap(
        &g->problem, e->link, e->at, e->from[0] != '\0' ? e->from : NULL, e->from_at, e->least, &err);
    pki_problems_note(problems, pki_node_place(status, e->node, "", &err), &err);
  }
  free(read);
}
