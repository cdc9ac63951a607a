/* What of an HTTP request is checked before anything is answered: for whom it is, where it comes from, which file it
 * wants. Pure functions; http.c asks them. */
#ifndef PKI_SERVE_REQUEST_H
#define PKI_SERVE_REQUEST_H

#include <stdbool.h>

#include "base/folders.h"

/* Is `host` (a Host header) this server? A page of somebody else's whose name was made to point here (DNS rebinding)
 * shows by its name. Loopback: 127.0.0.1 or localhost. `address` is where the server listens: any other address than
 * loopback also goes by itself, and by the literal addresses of this machine, whichever they are. */
bool pki_host_is_own(const char *host, const char *address, int port);

/* Is `origin` (an Origin header) "http://" and that host? */
bool pki_origin_is_own(const char *origin, const char *host);

/* The file of a request's path ("/assets/main.js") in `folder`, with links followed; false when there is none, when
 * it lies outside, or when the path has parts that no file of the viewer has ("..", hidden names, "\"). "/" is
 * index.html. */
bool pki_request_file(const char *folder, const char *path, char file[PKI_PATH_MAX]);

/* "/" and "/index.html": the page, which needs the token. */
bool pki_request_is_page(const char *path);

/* By the end of the name; NULL: nothing that the viewer has. */
const char *pki_content_type(const char *file);

#endif
