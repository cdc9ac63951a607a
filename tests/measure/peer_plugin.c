/* A peer that offers one interface, "test/1": its own name. */
#include <string.h>

#include "measure/peer.h"

__attribute__((visibility("default"))) const pk_peer *pk_peer_get(void);

static const void *find_interface(const char *name)
{
  return strcmp(name, "test/1") == 0 ? TEST_PEER_NAME : NULL;
}

const pk_peer *pk_peer_get(void)
{
  static const pk_peer peer = {TEST_PEER_NAME, "1.0", "", find_interface};
  return &peer;
}
