/* Emitted code, compiled by the system's compilers and loaded. */
#ifndef PK_TESTS_SYMBOLIC_COMPILE_H
#define PK_TESTS_SYMBOLIC_COMPILE_H

#include <stdbool.h>

/* Is there such a command? */
bool found(const char *command);

/* Source as a shared object, loaded: without a warning under -std=c17 -Wall -Wextra -O2 and these flags. What the compiler
 * says is printed. NULL: it failed. Closed by dlclose; nothing stays on the disk. */
void *compiled(const char *source, const char *compiler, const char *flags);

#endif
