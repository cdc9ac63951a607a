/* Rows in slots, as a row store: several worlds at once, dense over all lanes.
 *
 * Feet have slots of their own, with the same body in all lanes. Other contacts take the next free slot of their lane in the order in
 * which they join, and joint rows the next free box slot. A world that does not fit is left to the fallback, with a reason.
 *
 *   find.h             contacts of a group (ground.h, guard.h)
 *   slot_feet.h        which feet are active, and those that land
 *   slot_velocities.h  what takes a slot, the problem (rows.h), its impulses (sweep.h, newton.h, scalar_fallback.h)
 *   slot_positions.h   projections
 *   slot_keep.h        what worlds remember from step to step */
#ifndef PKI_STEP_SLOTS_H
#define PKI_STEP_SLOTS_H

#include "step/kernels/row_store.h"
#include "step/kernels/slot_keep.h"
#include "step/kernels/slot_positions.h"
#include "step/kernels/slot_velocities.h"

/* Worlds with compliant pairs have their rows on chains. */
static bool pki_slots_press(pki_lanes *f)
{
  (void)f;
  return false;
}

static const pki_row_store pki_slots = {.recall = pki_slots_recall,
                                        .free_velocity = pki_slots_free_velocity,
                                        .find_contacts = pki_slots_find_contacts,
                                        .join_contacts = pki_slots_join_contacts,
                                        .add_joint_rows = pki_slots_add_joint_rows,
                                        .with_rows = pki_slots_with_rows,
                                        .assemble = pki_slots_assemble,
                                        .invalidate = pki_slots_invalidate,
                                        .solve = pki_slots_solve,
                                        .respond = pki_slots_respond,
                                        .press = pki_slots_press,
                                        .take_rows = pki_slots_take_rows,
                                        .restart = pki_slots_restart,
                                        .load = pki_slots_load,
                                        .impacts_gain = pki_slots_impacts_gain,
                                        .finish = pki_slots_finish,
                                        .find_at_end = pki_slots_find_at_end,
                                        .project = pki_slots_project,
                                        .keep = pki_slots_keep};

#endif
