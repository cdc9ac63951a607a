/* Pages, and who may come in. The page and the WebSocket need the token; the scripts and pictures that the page is made
 * of are the program's own and no secret. Everything needs the server's own name in Host. */
#include <stdio.h>
#include <string.h>

#include "serve/context.h"
#include "serve/request.h"

static pki_server *server_of(struct lws *wsi)
{
  return lws_context_user(lws_get_context(wsi));
}

static bool copy_header(struct lws *wsi, enum lws_token_indexes which, char *out, int size)
{
  out[0] = '\0';
  return lws_hdr_total_length(wsi, which) > 0 && lws_hdr_copy(wsi, out, size, which) > 0;
}

static bool has_token(struct lws *wsi, const pki_server *s)
{
  char buffer[128];
  return pki_token_equal(s->token, lws_get_urlarg_by_name(wsi, "token=", buffer, sizeof buffer));
}

/* The Host header when it is this server's; Origin, when there is one or there must be one, fits it. */
static bool is_own(struct lws *wsi, const pki_server *s, bool needs_origin, char *host, int size)
{
  char origin[300];
  if (!copy_header(wsi, WSI_TOKEN_HOST, host, size) || !pki_host_is_own(host, s->host, s->port)) {
    return false;
  }
  if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) <= 0) {
    return !needs_origin;
  }
  return copy_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin) && pki_origin_is_own(origin, host);
}

static int answer_status(struct lws *wsi, unsigned int code, const char *text)
{
  if (lws_return_http_status(wsi, code, text) != 0 || lws_http_transaction_completed(wsi) != 0) {
    return -1;
  }
  return 0;
}

static int serve_file(struct lws *wsi, const pki_server *s, const char *host, const char *path)
{
  char file[PKI_PATH_MAX], headers[1024];
  if (s->options.folder == NULL || !pki_request_file(s->options.folder, path, file)) {
    return answer_status(wsi, HTTP_STATUS_NOT_FOUND, "there is no such file");
  }
  const int n = snprintf(
      headers, sizeof headers,
      "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
      "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws://%s; worker-src 'self' "
      "blob:; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
      "x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n"
      "cross-origin-resource-policy: same-origin\r\ncross-origin-opener-policy: same-origin\r\n",
      host);
  const int code = lws_serve_http_file(wsi, file, pki_content_type(file), headers, n);
  return code < 0 || (code > 0 && lws_http_transaction_completed(wsi) != 0) ? -1 : 0;
}

static int serve_get(struct lws *wsi, const char *path)
{
  const pki_server *s = server_of(wsi);
  char host[256];
  pki_gate_take(server_of(wsi), wsi);
  if (!is_own(wsi, s, false, host, sizeof host)) {
    return answer_status(wsi, HTTP_STATUS_FORBIDDEN, "this server is known by another name");
  }
  if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) {
    return answer_status(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET");
  }
  if (pki_request_is_page(path) && !has_token(wsi, s)) {
    return answer_status(wsi, HTTP_STATUS_FORBIDDEN,
                         "the address lacks its token: use the one that pronk printed");
  }
  return serve_file(wsi, s, host, path);
}

/* 0: the WebSocket may open; 1: refused, and answered. */
static int confirm_websocket(struct lws *wsi, const char *what)
{
  const pki_server *s = server_of(wsi);
  char host[256], path[64], protocol[64];
  int clients = 0;
  pki_gate_take(server_of(wsi), wsi);
  for (int i = 0; i < PKI_HUB_CLIENTS; i++) {
    clients += s->sessions[i] != NULL;
  }
  const char *why = NULL;
  unsigned int code = HTTP_STATUS_FORBIDDEN;
  if (!is_own(wsi, s, true, host, sizeof host)) {
    why = "the page is not this server's";
  } else if (!has_token(wsi, s)) {
    why = "the token is wrong";
  } else if (what == NULL || strcmp(what, "websocket") != 0 ||
             !copy_header(wsi, WSI_TOKEN_GET_URI, path, sizeof path) || strcmp(path, "/ws") != 0 ||
             !copy_header(wsi, WSI_TOKEN_PROTOCOL, protocol, sizeof protocol) ||
             strcmp(protocol, "pronk-1") != 0) {
    why = "expected the protocol pronk-1 at /ws";
    code = HTTP_STATUS_BAD_REQUEST;
  } else if (clients >= (s->options.render ? 1 : PKI_HUB_CLIENTS)) {
    why = "too many viewers";
    code = HTTP_STATUS_SERVICE_UNAVAILABLE;
  }
  if (why == NULL) {
    return 0;
  }
  return lws_return_http_status(wsi, code, why) != 0 ? -1 : 1;
}

int pki_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
  (void)user, (void)size;
  switch (reason) {
  case LWS_CALLBACK_HTTP: return serve_get(wsi, in != NULL ? in : "/");
  case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return confirm_websocket(wsi, in);
  case LWS_CALLBACK_HTTP_FILE_COMPLETION: return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
  case LWS_CALLBACK_ESTABLISHED: return -1; /* no client without its protocol */
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED: pki_sessions_wake(server_of(wsi)); return 0;
  default: return 0;
  }
}
