/* Copying a draft into a model: shared by the files that do it. */
#ifndef PKI_MODEL_LAYOUT_H
#define PKI_MODEL_LAYOUT_H

#include "base/arena.h"
#include "model/compile.h"

/* Copies of arrays in the arena; with a counting arena they only count, and NULL comes back. */
const void *pki_copy_into_arena(pki_arena *arena, const void *data, size_t count, size_t size);

/* A string in the block through which `text` walks: strings are packed without padding. */
const char *pki_keep_text(char **text, const char *string);

/* Bytes of the names of sites, actuators, sensors and keyframes. */
size_t pki_equipment_text_size(const pki_draft *d);

/* The model's sites, actuators, sensors, keyframes and pairs; `index` numbers the joints. text NULL: only count. */
void pki_carve_equipment(const pki_draft *d, const int *index, pki_arena *arena, pk_model *m, char **text);

/* Heights of a shape. */
const pk_heights *pki_carve_heights(pki_arena *arena, const pk_heights *from);

#endif
