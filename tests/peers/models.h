/* The models on which engines are compared. */
#ifndef TESTS_PEERS_MODELS_H
#define TESTS_PEERS_MODELS_H

#include "pronk/model.h"

/* A robot of models/ by its name; NULL after printing why. */
pk_model *load_robot(const char *name);

/* A free-floating tree of `links` links: random topology, joints of one and of three
 * coordinates, inertias, axes and armature; the same for the same seed. NULL after printing why. */
pk_model *grow_tree(int links, unsigned seed);

#endif
