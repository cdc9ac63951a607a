#define _XOPEN_SOURCE 700
#include "serve/request.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* ---- hosts ---- */

/* "NAME:PORT" is this name and port; port 80 may be left out. */
static bool is_at(const char *host, const char *name, int port)
{
  char wanted[300];
  const bool bracketed = strchr(name, ':') != NULL;
  snprintf(wanted, sizeof wanted, bracketed ? "[%s]:%d" : "%s:%d", name, port);
  if (strcmp(host, wanted) == 0) {
    return true;
  }
  snprintf(wanted, sizeof wanted, bracketed ? "[%s]" : "%s", name);
  return port == 80 && strcmp(host, wanted) == 0;
}

/* Digits instead of a name: nobody can make them point elsewhere. */
static bool is_literal(const char *host, int port)
{
  char name[128];
  const char *colon = strrchr(host, ':');
  const size_t size = colon != NULL ? (size_t)(colon - host) : strlen(host);
  unsigned char bytes[16];
  if (size >= sizeof name || size == 0) {
    return false;
  }
  memcpy(name, host, size);
  name[size] = '\0';
  if (name[0] == '[' && name[size - 1] == ']') {
    name[size - 1] = '\0';
    memmove(name, name + 1, size - 1);
    return inet_pton(AF_INET6, name, bytes) == 1 && is_at(host, name, port);
  }
  return inet_pton(AF_INET, name, bytes) == 1 && is_at(host, name, port);
}

bool pki_host_is_own(const char *host, const char *address, int port)
{
  if (host == NULL) {
    return false;
  }
  const bool loopback = strcmp(address, "127.0.0.1") == 0 || strcmp(address, "localhost") == 0;
  return is_at(host, "127.0.0.1", port) || is_at(host, "localhost", port) ||
         (!loopback && (is_at(host, address, port) || is_literal(host, port)));
}

bool pki_origin_is_own(const char *origin, const char *host)
{
  return origin != NULL && host != NULL && strncmp(origin, "http://", 7) == 0 &&
         strcmp(origin + 7, host) == 0;
}

/* ---- files ---- */

bool pki_request_is_page(const char *path)
{
  return strcmp(path, "/") == 0 || strcmp(path, "/index.html") == 0;
}

/* Letters, digits and a few signs; no part is empty or starts with a dot. */
static bool is_plain_path(const char *path)
{
  if (path[0] != '/' || path[1] == '\0') {
    return false;
  }
  for (const char *c = path; *c != '\0'; c++) {
    const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    if (!letter && strchr("/._-", *c) == NULL) {
      return false;
    }
    if (*c == '/' && (c[1] == '/' || c[1] == '.' || c[1] == '\0')) {
      return false;
    }
  }
  return true;
}

bool pki_request_file(const char *folder, const char *path, char file[PKI_PATH_MAX])
{
  char joined[PKI_PATH_MAX];
  path = strcmp(path, "/") == 0 ? "/index.html" : path;
  if (!is_plain_path(path) || pki_content_type(path) == NULL || !pki_path_join(joined, folder, path + 1)) {
    return false;
  }
  char *root = realpath(folder, NULL), *real = realpath(joined, NULL);
  const size_t size = root != NULL ? strlen(root) : 0;
  const bool inside = root != NULL && real != NULL && strncmp(real, root, size) == 0 && real[size] == '/' &&
                      strlen(real) < PKI_PATH_MAX && pki_is_file(real);
  if (inside) {
    memcpy(file, real, strlen(real) + 1);
  }
  free(root);
  free(real);
  return inside;
}

const char *pki_content_type(const char *file)
{
  static const struct {
    const char *end, *type;
  } types[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".wasm", "application/wasm"},
      {".txt", "text/plain; charset=utf-8"},
  };
  const char *dot = strrchr(file, '.');
  for (size_t i = 0; dot != NULL && i < sizeof types / sizeof types[0]; i++) {
    if (strcmp(dot, types[i].end) == 0) {
      return types[i].type;
    }
  }
  return NULL;
}
