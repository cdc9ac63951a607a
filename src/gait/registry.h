/* The controllers that come with Pronk, as rows: name, options, how to make one.
 *
 * Options blocks are zeroed, then preset from their fields (pki_fields_preset), then changed by their user. A part
 * (PK_FIELD_PART) among the fields is a list of `most` names: `const char *` at its offset, NULL: the defaults. */
#ifndef PKI_GAIT_REGISTRY_H
#define PKI_GAIT_REGISTRY_H

#include "base/field.h"
#include "pronk/gait.h"

typedef struct pki_controller_row {
  const char *name, *doc;
  const pk_field *fields;
  int nfield;
  size_t options_size;
  /* options are checked; what comes out is freed by pki_controller_destroy */
  pk_status (*create)(const pk_model *model, const void *options, pk_controller **out, pk_error *err);
} pki_controller_row;

extern const pki_controller_row pki_controllers[];
extern const int pki_controller_count;

/* What the feet of a legged robot do; the words of `gait`. */
typedef struct pki_gait_row {
  const char *name, *doc;
} pki_gait_row;

extern const pki_gait_row pki_gaits[PK_GAIT_COUNT];

/* What a controller sees: the parts of pk_observation. Widths are those of joint coordinates. */
typedef struct pki_sensor_row {
  const char *name, *unit, *width, *doc;
} pki_sensor_row;

extern const pki_sensor_row pki_sensors[];
extern const int pki_sensor_count;

/* Each controller is one block that starts with its pk_controller; NULL is fine. */
void pki_controller_destroy(pk_controller *controller);

extern const pk_field pki_hold_fields[], pki_track_fields[], pki_locomotion_fields[];
extern const int pki_hold_field_count, pki_track_field_count, pki_locomotion_field_count;

#endif
