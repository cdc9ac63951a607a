/* Small code of a model for tests of compiled robots: the factor of M and its solves, statement by statement. */
#ifndef PK_TESTS_ROBOT_SOURCE_H
#define PK_TESTS_ROBOT_SOURCE_H

#include "symbolic/code/compiled_code.h"

/* A pki_code_writer; for models without cut joints, loops and followers. */
pk_status robot_source(const pk_model *model, pki_text *out, pk_error *err);

#endif
