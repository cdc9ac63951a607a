/* Which stability measures a run takes of its first robot, and how. */
#include <stdlib.h>

#include "scenario/section.h"
#include "stability/stability.h"

static const pk_field measures_fields[] = {
    PKI_PART("measures", "names of measures, as a list; default: all (pronk list measures)"),
};
static const int measures_field_count = PKI_COUNT(measures_fields);

/* The bits of the measures that are named. */
static int read_measures(const pki_node *list, pki_problems *problems)
{
  char(*names)[64] = NULL;
  int count = 0, bits = 0;
  const char *words[PK_STABILITY_MEASURE_COUNT];
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    words[i] = pki_stability_rows[i]->name;
  }
  pki_read_names(list, 1, PK_STABILITY_MEASURE_COUNT, &names, &count, problems);
  for (int i = 0; i < count; i++) {
    pk_error err = {0};
    int which = 0;
    const pk_status status =
        pki_read_choice(list, "measure", names[i], words, PK_STABILITY_MEASURE_COUNT, &which, &err);
    pki_problems_note(problems, status, &err);
    bits |= status == PK_OK ? 1 << which : 0;
  }
  free(names);
  return bits;
}

static void read_stability(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  if (map == NULL) {
    return;
  }
  s->has_stability = true;
  s->stability = pk_stability_options_default();
  const pki_binding bindings[] = {{measures_fields, measures_field_count, NULL},
                                  {pki_stability_fields, pki_stability_scenario_fields, &s->stability}};
  pki_read_map(map, bindings, 2, problems);
  const pki_node *list = pki_node_find(map, "measures");
  s->stability.measures = list != NULL ? read_measures(list, problems) : s->stability.measures;
}

static const pki_schema_table stability_tables[] = {
    {"stability", "`stability`", measures_fields, &measures_field_count},
    {"stability", "how they are taken", pki_stability_fields, &pki_stability_scenario_fields},
    {NULL, NULL, NULL, NULL}};

const pki_section pki_section_stability = {
    .name = "stability",
    .doc = "stability measures of the first robot: channels stability/*, metrics, report; {}: all of them",
    .form = PKI_SECTION_IS_MAPPING,
    .tables = stability_tables,
    .read = read_stability};
