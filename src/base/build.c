#include "base/build.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *pki_build_compiler(void)
{
#if defined(__clang__)
  return "clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "." TEXT(__clang_patchlevel__);
#else
  return "gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__) "." TEXT(__GNUC_PATCHLEVEL__);
#endif
}
