/* The keys of a scenario: numbers and texts by one table, all others by their sections. */
#include "scenario/section.h"

#include <math.h>
#include <string.h>

const char *const pki_dynamics_words[PKI_DYNAMICS_COUNT] = {"generic", "compiled"};

const pk_field pki_scenario_fields[] = {
    PKI_TEXT("name", pki_scenario, name, 0, "what it is called; default: the file's name"),
    PKI_TEXT("description", pki_scenario, description, 0, "one line about it"),
    {"gravity", offsetof(pki_scenario, gravity), PK_FIELD_VEC3, "m/s^2", 0, -1000, 1000, NULL,
     "of the world; default: [0, 0, -9.81]"},
    {"dynamics", offsetof(pki_scenario, dynamics), PK_FIELD_ENUM, "", PKI_DYNAMICS_GENERIC, 0,
     PKI_DYNAMICS_COUNT - 1, pki_dynamics_words,
     "which code computes them: kernels for all robots, or this robot's own"},
    {"world", offsetof(pki_scenario, world), PK_FIELD_INT, "", -1, -1, 2147483647, NULL,
     "which of the varied worlds this is, -1: the one as it is written"},
    {"duration", offsetof(pki_scenario, duration), PK_FIELD_REAL, "s", NAN, 0, 1e6, NULL, "how long it runs"},
    {"certify", offsetof(pki_scenario, certify), PK_FIELD_REAL, "", 0, 0, 1, NULL,
     "largest relative residual that a step may have, 0: no bound"},
    {"seed", offsetof(pki_scenario, seed), PK_FIELD_INT, "", 0, 0, 2147483647, NULL,
     "of what is drawn: vary, the directions of disturb, jitter and tumble of objects"},
};
const int pki_scenario_field_count = PKI_COUNT(pki_scenario_fields);

const pki_section *pki_section_find(const char *name)
{
  const int row = pki_row_find(pki_sections, name);
  return row >= 0 ? pki_sections[row] : NULL;
}

int pki_section_fields(pk_field out[PKI_SECTIONS_MAX])
{
  int count = 0;
  for (; count < PKI_SECTIONS_MAX && pki_sections[count] != NULL; count++) {
    out[count] = (pk_field)PKI_PART(pki_sections[count]->name, pki_sections[count]->doc);
  }
  return count;
}

bool pki_schema_get(int index, pki_schema_table *out)
{
  static const pki_schema_table whole = {"scenario", "the whole file", pki_scenario_fields,
                                         &pki_scenario_field_count};
  *out = whole;
  int at = 0;
  for (int i = 0; at < index && pki_sections[i] != NULL; i++) {
    for (const pki_schema_table *t = pki_sections[i]->tables; at < index && t != NULL && t->name != NULL;
         t++) {
      at++;
      *out = *t;
    }
  }
  return at == index;
}

void pki_scenario_sections(pki_scenario *s, pki_problems *problems)
{
  const pki_node *root = pki_document_root(s->document);
  pk_field keys[PKI_SECTIONS_MAX];
  const pki_binding bindings[] = {{pki_scenario_fields, pki_scenario_field_count, s},
                                  {keys, pki_section_fields(keys), s}};
  if (pki_expect_kind(root, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  pki_read_map(root, bindings, 2, problems);
  for (int i = 0; pki_sections[i] != NULL; i++) {
    if (pki_sections[i]->read != NULL) {
      pki_sections[i]->read(s, pki_node_find(root, pki_sections[i]->name), problems);
    }
  }
}
