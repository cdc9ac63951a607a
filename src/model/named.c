#include "model/named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/chain.h"

/* chain:N */
static pk_status add_chain(pk_builder *b, const char *name, const pk_load_options *options, pk_error *err)
{
  const pki_where where = {.file = name};
  const pk_pose origin = pk_pose_identity();
  const char *text = name + strlen("chain:");
  char *end;
  const long links = strtol(text, &end, 10);
  const int most = pki_chain_limit(options->root);
  if (end == text || *end != '\0' || links < 1 || links > most) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "a chain has 1 to %d links, as in chain:10", most);
  }
  bool moved = false; /* -0 is no move */
  for (int i = 0; i < 9; i++) {
    moved |= options->pose.rot[i] != origin.rot[i] || options->pose.pos[i % 3] != origin.pos[i % 3];
  }
  if ((options->prefix != NULL && options->prefix[0] != '\0') || moved) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "a generated chain takes no prefix and no pose");
  }
  pk_chain_options chain = pk_chain_options_default();
  chain.links = (int)links;
  if (options->root != PK_ROOT_AUTO) {
    chain.root = options->root;
  }
  return pk_builder_add_chain(b, &chain, err);
}

pk_status pki_builder_add_named(pk_builder *b, const char *name, const pk_load_options *options,
                                char path[PKI_PATH_MAX], pk_error *err)
{
  if (strncmp(name, "chain:", strlen("chain:")) == 0) {
    snprintf(path, PKI_PATH_MAX, "%s", name);
    return add_chain(b, name, options, err);
  }
  const pk_status status = pki_model_locate(name, path, err);
  if (status != PK_OK) {
    snprintf(path, PKI_PATH_MAX, "%s", name);
    return status;
  }
  return pk_builder_add_file(b, path, options, err);
}
