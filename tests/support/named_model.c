#include "support/named_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

pk_model *named_model(const char *name)
{
  char path[512];
  pk_error err = {.message = ""};
  pk_model *model = NULL;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  assert_non_null(b);
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  if (pk_builder_add_urdf(b, path, NULL, &err) != PK_OK || pk_builder_compile(b, &model, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return model;
}
