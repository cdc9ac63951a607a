/* Who finds out where a trunk is, for a controller that sees sensors. */
#include <stdlib.h>
#include <string.h>

#include "gait/estimator.h"
#include "pronk/sensing.h"
#include "scenario/section.h"
#include "step/world.h"

/* How many feet are named; their names are among the scenario's. */
static const pk_field feet_fields[] = {
    PKI_PART("feet", "four links: left fore, right fore, left hind, right hind; default: LF_FOOT, RF_FOOT, "
                     "LH_FOOT, RH_FOOT"),
};
static const int feet_field_count = PKI_COUNT(feet_fields);

static void read_estimator(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  int count = 0;
  if (map == NULL) {
    return;
  }
  s->estimator_node = map;
  s->estimator = pk_base_estimator_options_default();
  const pki_binding bindings[] = {{feet_fields, feet_field_count, NULL},
                                  {pki_base_estimator_fields, pki_base_estimator_field_count, &s->estimator}};
  pki_read_map(map, bindings, 2, problems);
  pki_read_names(pki_node_find(map, "feet"), PK_BASE_ESTIMATOR_FEET, PK_BASE_ESTIMATOR_FEET,
                 &s->estimator_feet, &count, problems);
  for (int i = 0; i < count; i++) {
    s->estimator.feet[i] = s->estimator_feet[i];
  }
}

static void release_estimator(pki_scenario *s)
{
  free(s->estimator_feet);
}

static void equip_estimator(pki_world *world, pk_sim_options *options, pki_problems *problems)
{
  const pki_scenario *s = world->scenario;
  pk_error err = {0};
  if (s->estimator_node == NULL) {
    return;
  }
  if (options->sensing == NULL) {
    pki_problem(problems, s->estimator_node,
                "the estimator has nothing to read: add \"sensors\" with an imu on the trunk, an encoder on "
                "each joint of the legs and a switch on each foot");
    return;
  }
  const pk_status status = pk_base_estimator_create_sensing(pki_joint_model(world->model), world->sensing,
                                                            &s->estimator, &world->estimator, &err);
  const pki_node *key = status != PK_OK ? pki_node_find(s->estimator_node, err.field) : NULL;
  pki_problems_note(problems, pki_node_place(status, key != NULL ? key : s->estimator_node, "", &err), &err);
  if (status == PK_OK) {
    pk_sensing_set_estimator(world->sensing, world->estimator);
  }
}

static const pki_schema_table estimator_tables[] = {
    {"estimator", "`estimator`", feet_fields, &feet_field_count},
    {"estimator", "noise that it expects", pki_base_estimator_fields, &pki_base_estimator_field_count},
    {NULL, NULL, NULL, NULL}};

const pki_section pki_section_estimator = {
    .name = "estimator",
    .doc = "finds the pose and velocity of a quadruped's trunk from its sensors; {}: as it is tuned",
    .form = PKI_SECTION_IS_MAPPING,
    .tables = estimator_tables,
    .read = read_estimator,
    .release = release_estimator,
    .equip = equip_estimator};
