/* Sections of a scenario: what the keys of its file with lists and mappings of their own stand for.
 *
 * A section is a row, const pki_section pki_section_NAME in its file section_NAME.c: its tables, how it is read into the
 * scenario, and what it does to a world. The file's keys, the JSON schema and the check of the documentation come from them. */
#ifndef PKI_SCENARIO_SECTION_H
#define PKI_SCENARIO_SECTION_H

#include "scenario/scenario.h"

/* What the value of the key is; the schema follows it. */
typedef enum pki_section_form {
  /* Something that the schema has a function for. */
  PKI_SECTION_IS_OWN,
  /* A mapping by the first of the tables. */
  PKI_SECTION_IS_MAPPING,
  /* A list of such mappings. */
  PKI_SECTION_IS_LIST
} pki_section_form;

typedef struct pki_section {
  const char *name, *doc;
  pki_section_form form;
  /* Its mappings, up to one without a name; tables of one name add up. NULL: none. */
  const pki_schema_table *tables;
  /* Does not change results: no part of the scenario's hash. */
  bool unhashed;
  /* Into the scenario, which is zero where nothing was read; node NULL: the key is not there. NULL: read by another section. */
  void (*read)(pki_scenario *scenario, const pki_node *node, pki_problems *problems);
  /* Free what was read. NULL: nothing to free. */
  void (*release)(pki_scenario *scenario);
  /* Into the description of a world, after the models. NULL: nothing. */
  void (*build)(const pki_scenario *scenario, pk_builder *builder, pki_problems *problems);
  /* Parts of a world that its options point to, after its model was compiled and before there is a sim. NULL: nothing. */
  void (*equip)(pki_world *world, pk_sim_options *options, pki_problems *problems);
  /* To a world that has been made, before its robots take their initial pose; and after. NULL: nothing. */
  void (*set)(pki_world *world, pki_problems *problems);
  void (*start)(pki_world *world, pki_problems *problems);
} pki_section;

/* Every section, by the name of its row, in the order in which they are read and act: what others need comes first. */
#define PKI_SECTION_LIST(X) \
  X(model) \
  X(models) \
  X(objects) \
  X(coordinates) \
  X(actuators) \
  X(battery) \
  X(constraints) \
  X(compliance) \
  X(materials) \
  X(terrain) \
  X(bodies) \
  X(pairs) \
  X(collide) \
  X(step) \
  X(sensors) \
  X(estimator) \
  X(controller) \
  X(push) \
  X(disturb) \
  X(vary) \
  X(stability) \
  X(record)

/* Ends with NULL. */
extern const pki_section *const pki_sections[];

/* The section of that name; NULL: there is none. */
const pki_section *pki_section_find(const char *name);

/* The actuators of a world whose model has been made, into world->actuation (section_actuators.c). */
void pki_world_make_actuation(pki_world *world, pki_problems *problems);

/* Whether a later entry of `actuators` takes that entry's actuator away from a joint (`undriven`). */
bool pki_scenario_is_undriven(const pki_scenario *scenario, int entry, const char *joint);

/* For tables of fields. */
#define PKI_COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))
#define PKI_PART(name, doc) \
  { \
    name, 0, PK_FIELD_PART, "", 0, 0, 0, NULL, doc \
  }
#define PKI_TEXT(name, type, member, least, doc) \
  { \
    name, offsetof(type, member), PK_FIELD_TEXT, "", 0, least, sizeof((type *)0)->member - 1, NULL, doc \
  }

#endif
