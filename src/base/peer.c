/* Finding and loading peer plugins. A plugin stays loaded until the process ends. */
#define _GNU_SOURCE /* readlink and dlopen beside C17 */

#include "base/peer.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define PLUGIN_PREFIX "pronk_peer_"
#define PLUGIN_SUFFIX ".so"

enum { PATH_SIZE = 4096 };

/* The folder of the running program, without a slash at its end; false when it is not known. */
static bool program_folder(char *folder, size_t size)
{
  const ssize_t length = readlink("/proc/self/exe", folder, size - 1);
  if (length <= 0 || (size_t)length >= size - 1) {
    return false;
  }
  folder[length] = '\0';
  char *slash = strrchr(folder, '/');
  if (!slash) {
    return false;
  }
  *slash = '\0';
  return true;
}

/* The folder that holds the plugins: named by the user, beside the program, or installed. */
static bool plugin_folder(char *folder, size_t size)
{
  const char *chosen = getenv("PRONK_PEERS");
  if (chosen && *chosen) {
    return (size_t)snprintf(folder, size, "%s", chosen) < size && pki_is_folder(folder);
  }
  char program[PATH_SIZE];
  if (program_folder(program, sizeof program) && (size_t)snprintf(folder, size, "%s/peers", program) < size &&
      pki_is_folder(folder)) {
    return true;
  }
  return (size_t)snprintf(folder, size, "%s", PKI_PEERS_FOLDER) < size && pki_is_folder(folder);
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
  /* RTLD_LOCAL: engines bring the same third-party symbols and must not meet. */
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return NULL;
  }
  /* POSIX promises that an object pointer of dlsym can hold a function. */
  void *symbol = dlsym(library, "pk_peer_get");
  pk_peer_get_fn get = NULL;
  memcpy(&get, &symbol, sizeof get);
  const pk_peer *peer = get ? get() : NULL;
  if (!peer || !peer->name || !peer->interface) {
    dlclose(library);
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
  char folder[PATH_SIZE];
  if (!plugin_folder(folder, sizeof folder)) {
    return 0;
  }
  DIR *listing = opendir(folder);
  if (!listing) {
    return 0;
  }
  int count = 0;
  const struct dirent *entry;
  while (count < most && (entry = readdir(listing))) {
    char path[PATH_SIZE + 300];
    if (!is_plugin_name(entry->d_name) ||
        (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path) {
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
