/* The robots of models/ for tests. */
#ifndef PK_TESTS_NAMED_MODEL_H
#define PK_TESTS_NAMED_MODEL_H

#include "pronk/model.h"

/* models/NAME/NAME.urdf, compiled; the test fails when it is not there. */
pk_model *named_model(const char *name);

#endif
