/* What of a robot its trunk is, for whoever watches where it goes and whether it falls. */
#ifndef PKI_MODEL_TRUNK_LINK_H
#define PKI_MODEL_TRUNK_LINK_H

#include "pronk/model.h"

/* The link: the root, or, where that is fixed (a root called `world`), the first one that floats on it. */
int pki_model_trunk(const pk_model *model, int robot);

/* It can go nowhere: a fixed root on which nothing floats. */
bool pki_model_trunk_is_fixed(const pk_model *model, int robot);

#endif
