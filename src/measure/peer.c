/* Finding and loading peer plugins. A plugin stays loaded until the process ends. */
#define _POSIX_C_SOURCE 200809L
#include "measure/peer.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/folders.h"
#include "base/plugin.h"

#define PLUGIN_PREFIX "pronk_peer_"
#define PLUGIN_SUFFIX ".so"

/* The folder that holds the plugins: named by the user, beside the program, or installed. */
static bool plugin_folder(char folder[PKI_PATH_MAX])
{
  return pki_plugin_folder("peers", "PRONK_PEERS", PKI_PEERS_FOLDER, folder);
}

static bool is_plugin_name(const char *name)
{
  const size_t length = strlen(name), prefix = strlen(PLUGIN_PREFIX), suffix = strlen(PLUGIN_SUFFIX);
  return length > prefix + suffix && strncmp(name, PLUGIN_PREFIX, prefix) == 0 &&
         strcmp(name + length - suffix, PLUGIN_SUFFIX) == 0;
}

/* NULL when the file is no plugin or its engine's libraries are missing. */
static const pk_peer *load_plugin(const char *path)
{
  /* local: engines bring the same third-party symbols and must not meet */
  void *library = NULL;
  pk_peer_get_fn get = NULL;
  pki_plugin_function symbol = pki_plugin_load(path, "pk_peer_get", false, &library);
  memcpy(&get, &symbol, sizeof get);
  const pk_peer *peer = get ? get() : NULL;
  if (!peer || !peer->name || !peer->interface) {
    pki_plugin_unload(library);
    return NULL;
  }
  return peer;
}

/* Insert by name; of two plugins with one name the first stays. */
static int insert_peer(const pk_peer **peers, int count, const pk_peer *peer)
{
  int at = count;
  while (at > 0 && strcmp(peers[at - 1]->name, peer->name) > 0) {
    at--;
  }
  if (at > 0 && strcmp(peers[at - 1]->name, peer->name) == 0) {
    return count;
  }
  memmove(&peers[at + 1], &peers[at], (size_t)(count - at) * sizeof *peers);
  peers[at] = peer;
  return count + 1;
}

int pki_peers_load(const pk_peer **peers, int most)
{
  char folder[PKI_PATH_MAX];
  if (!plugin_folder(folder)) {
    return 0;
  }
  DIR *listing = opendir(folder);
  if (!listing) {
    return 0;
  }
  int count = 0;
  const struct dirent *entry;
  while (count < most && (entry = readdir(listing))) {
    char path[PKI_PATH_MAX];
    if (!is_plugin_name(entry->d_name) || !pki_path_join(path, folder, entry->d_name)) {
      continue;
    }
    const pk_peer *peer = load_plugin(path);
    if (peer) {
      count = insert_peer(peers, count, peer);
    }
  }
  closedir(listing);
  return count;
}
