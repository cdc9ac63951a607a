/* Files of drives: the entries of `actuators` that belong to a robot, a list in `drives.yaml` beside the robot's own file. */
#ifndef PKI_SCENARIO_DRIVES_FILE_H
#define PKI_SCENARIO_DRIVES_FILE_H

#include "scenario/scenario.h"

/* The document of the drives that a node names: a model's name, or a file whose path begins at the scenario's folder. It is a list. NULL: it cannot
 * be had, which is noted. */
pki_document *pki_drives_load(pki_scenario *s, const pki_node *node, pki_problems *problems);

#endif
