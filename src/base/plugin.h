/* Shared objects that are loaded when they are wanted: peers (measure/peer.h), ways to reach other machines. */
#ifndef PKI_BASE_PLUGIN_H
#define PKI_BASE_PLUGIN_H

#include <stdbool.h>

#include "base/folders.h"

/* Any function; to be copied into a pointer of its own type. */
typedef void (*pki_plugin_function)(void);

/* The folder of plugins of one kind: the one that the environment variable `chosen` names, else KIND/ beside the
 * running program, else `installed`; false when it is not there. */
bool pki_plugin_folder(const char *kind, const char *chosen, const char *installed, char out[PKI_PATH_MAX]);

/* Load a file and find a symbol in it. `global`: its libraries may be seen by plugins that it loads in turn. NULL with
 * *library NULL when it cannot be loaded or has no such symbol. */
pki_plugin_function pki_plugin_load(const char *path, const char *symbol, bool global, void **library);
void pki_plugin_unload(void *library); /* NULL is fine */

/* Why the last load failed, of this thread; "" when it did not. */
const char *pki_plugin_error(void);

#endif
