/* The options of stability measures. */
#include "stability/stability.h"

static const char *const direction_words[] = {"horizontal", "perpendicular"};

enum { ALL_MEASURES = (1 << PK_STABILITY_MEASURE_COUNT) - 1 };

const pk_field pki_stability_fields[] = {
    {"tip_speed", offsetof(pk_stability_options, tip_speed), PK_FIELD_REAL, "m/s", 2, 0, 1e3, NULL,
     "largest velocity of the tip of a swing leg, in H_max"},
    {"tip_direction", offsetof(pk_stability_options, tip_direction), PK_FIELD_ENUM, "",
     PK_TIP_DIRECTION_HORIZONTAL, 0, PK_TIP_DIRECTION_COUNT - 1, direction_words,
     "its direction: H_max is m r_z v or m r v"},
    {"least_force", offsetof(pk_stability_options, least_force), PK_FIELD_REAL, "N", 0, 0, 1e9, NULL,
     "a contact supports when its normal force is above this"},
    {"friction_sides", offsetof(pk_stability_options, friction_sides), PK_FIELD_INT, "", 0, 0, 1000, NULL,
     "edges of the pyramid in the friction cone of the wrench margin; 0: the cone itself"},
    {"measures", offsetof(pk_stability_options, measures), PK_FIELD_INT, "", ALL_MEASURES, 0, ALL_MEASURES,
     NULL, "bits of the measures that are computed; 0: all"},
};
const int pki_stability_field_count = sizeof pki_stability_fields / sizeof pki_stability_fields[0];
const int pki_stability_scenario_fields = sizeof pki_stability_fields / sizeof pki_stability_fields[0] - 1;

pk_stability_options pk_stability_options_default(void)
{
  pk_stability_options o;
  pki_fields_default(pki_stability_fields, pki_stability_field_count, &o, sizeof o);
  return o;
}

pk_status pk_stability_options_validate(const pk_stability_options *options, pk_error *err)
{
  return pki_fields_validate(pki_stability_fields, pki_stability_field_count, options, err);
}
