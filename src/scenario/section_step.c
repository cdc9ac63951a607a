/* How the world is stepped. */
#include "scenario/section.h"
#include "step/world.h"

static const pk_field preset_fields[] = {
    {"preset", 0, PK_FIELD_RENAMED_ROW, "", PK_SIM_PRESET_DEFAULT, 0, 0, pki_presets,
     "what the other keys start from"},
};
static const int preset_field_count = PKI_COUNT(preset_fields);

static void read_step(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  if (map == NULL || pki_expect_kind(map, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  /* the preset comes first, wherever it stands; what is wrong with it is told below */
  int preset = PK_SIM_PRESET_DEFAULT;
  pki_read_field(pki_node_find(map, "preset"), preset_fields, &preset, NULL);
  s->step = pk_sim_options_preset((pk_sim_preset)preset);
  const pki_binding bindings[] = {{preset_fields, preset_field_count, &preset},
                                  {pki_sim_fields, pki_sim_field_count, &s->step}};
  pki_read_map(map, bindings, 2, problems);
}

static const pki_schema_table step_tables[] = {{"step", "`step`", pki_sim_fields, &pki_sim_field_count},
                                               {"step", "`step`", preset_fields, &preset_field_count},
                                               {NULL, NULL, NULL, NULL}};

const pki_section pki_section_step = {.name = "step",
                                      .doc = "how the world is stepped",
                                      .form = PKI_SECTION_IS_MAPPING,
                                      .tables = step_tables,
                                      .read = read_step};
