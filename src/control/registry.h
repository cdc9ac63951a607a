/* The controllers that come with Pronk, as rows: name, options, how to make one.
 *
 * Options blocks are zeroed, then preset from their fields (pki_fields_preset), then changed by their user. A part
 * (PK_FIELD_PART) among the fields is the row's list of entries, or a list of `least` to `most` names (`least` 0: as many
 * as `most`): `const char *` at its offset, NULL: the defaults. */
#ifndef PKI_CONTROL_REGISTRY_H
#define PKI_CONTROL_REGISTRY_H

#include "base/field.h"
#include "pronk/gait.h"

/* A list of mappings among the options: an array of structs and how many there are. */
typedef struct pki_controller_list {
  const char *name;
  const pk_field *fields;
  const int *nfield;
  size_t size, offset, count; /* of an entry; in the options: of the array, of the int */
  int most;
} pki_controller_list;

typedef struct pki_controller_row {
  const char *name, *doc;
  const pk_field *fields;
  int nfield;
  size_t options_size;
  /* options are checked; what comes out is freed by pki_controller_destroy */
  pk_status (*create)(const pk_model *model, const void *options, pk_controller **out, pk_error *err);
  const pki_controller_list *list; /* NULL: none */
  /* Fields that can change while a world runs, up to NULL: a controller that is made with the changed options goes on with
   * what the present one remembers. NULL: a world with other options starts anew. */
  const char *const *live;
  /* What these options, which are checked, change in the memory of a world whose controller is of this row; `before` are those
   * that the world began with. NULL: nothing. */
  pk_status (*change)(pk_sim *sim, const void *before, const void *options, pk_error *err);
  /* With these options it asks for targets at the end of the step (docs/theory/tracking.md). NULL: never. */
  bool (*tracks)(const void *options);
} pki_controller_row;

/* Every controller, by the name of its row: const pki_controller_row pki_controller_NAME, in the file that controls. */
#define PKI_CONTROLLER_LIST(X) \
  X(hold) \
  X(track) \
  X(computed_torque) \
  X(inverse_dynamics) X(actuators) X(locomotion) X(gait_track) X(whole_body) X(biped) X(follow)

/* Ends with NULL. */
extern const pki_controller_row *const pki_controllers[];

/* Each controller is one block that starts with its pk_controller; NULL is fine. */
void pki_controller_destroy(pk_controller *controller);

/* `function` needs a world whose controller comes from `maker`, and `by` (NULL: none) is another one. */
pk_status pki_fail_controller(pk_error *err, const char *function, const pk_controller *by,
                              const char *maker);

#endif
