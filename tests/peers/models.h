/* The models on which engines are compared. */
#ifndef TESTS_PEERS_MODELS_H
#define TESTS_PEERS_MODELS_H

#include "pronk/model.h"

/* A robot of models/ by its name; NULL after printing why. */
pk_model *load_robot(const char *name);

/* A free-floating tree of `links` links: random topology, hinges, slides and balls, and planar and
 * floating joints when asked for; random inertias, axes and armature; the same for the same seed. NULL
 * after printing why. */
pk_model *grow_tree(int links, bool planar_and_floating, unsigned seed);

#endif
