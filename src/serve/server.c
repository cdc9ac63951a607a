#define _DEFAULT_SOURCE
#include "serve/server.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/context.h"
#include "serve/player.h"

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = pki_http_callback, .rx_buffer_size = PKI_SESSION_CHUNK},
    {.name = "pronk-1",
     .callback = pki_session_callback,
     .per_session_data_size = sizeof(pki_session),
     .rx_buffer_size = PKI_SESSION_CHUNK},
    {.name = NULL},
};

static const struct lws_protocols gate_protocols[] = {
    {.name = "gate", .callback = pki_gate_callback, .rx_buffer_size = PKI_SESSION_CHUNK},
    {.name = NULL},
};

/* Called by the player's thread. */
static void wake_server(void *user)
{
  lws_cancel_service(((pki_server *)user)->context);
}

static void *serve_loop(void *user)
{
  pki_server *s = user;
  while (!atomic_load(&s->stop) && lws_service(s->context, 0) >= 0) {}
  return NULL;
}

static void ignore_log(int level, const char *line)
{
  (void)level, (void)line;
}

static pk_status fail_listen(const pki_server *s, const char *why, pk_error *err)
{
  return pki_fail(
      err, PK_ERROR_FILE, (pki_where){0},
      "cannot listen at %s, port %d: %s; --port 0 takes any that is free, --host an address of this machine",
      s->host, s->options.port, why);
}

/* The address in digits, when this machine has it and the port is free: a failure with its reason. */
static pk_status find_address(const pki_server *s, char digits[64], pk_error *err)
{
  char port[16];
  struct addrinfo *found = NULL;
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  snprintf(port, sizeof port, "%d", s->options.port);
  const int code = getaddrinfo(s->host, port, &hints, &found);
  if (code != 0 || found == NULL) {
    return fail_listen(s, gai_strerror(code), err);
  }
  const int yes = 1, probe = socket(found->ai_family, SOCK_STREAM, 0);
  const bool good = probe >= 0 && setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                    bind(probe, found->ai_addr, found->ai_addrlen) == 0 && listen(probe, 1) == 0;
  const int cause = errno;
  if (probe >= 0) {
    close(probe);
  }
  const bool named = getnameinfo(found->ai_addr, found->ai_addrlen, digits, 64, NULL, 0, NI_NUMERICHOST) == 0;
  freeaddrinfo(found);
  return good && named ? PK_OK : fail_listen(s, strerror(cause), err);
}

/* Clients arrive at one virtual host, as bytes; another, which does not listen, gets what the gate lets through. */
static bool create_hosts(pki_server *s, const char *digits)
{
  struct lws_context_creation_info info = {0};
  info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
  info.vhost_name = "pages";
  info.protocols = protocols;
  info.user = s;
  info.gid = (gid_t)-1;
  info.uid = (uid_t)-1;
  info.server_string = "pronk";
  info.timeout_secs = 10;
  info.options = LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
  if (strchr(digits, ':') == NULL) {
    info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
  }
  s->context = lws_create_context(&info);
  s->pages = s->context != NULL ? lws_get_vhost_by_name(s->context, "pages") : NULL;
  if (s->pages == NULL) {
    return false;
  }
  info.port = s->options.port;
  info.iface = digits;
  info.vhost_name = "listener";
  info.protocols = gate_protocols;
  info.listen_accept_role = "raw-skt";
  info.listen_accept_protocol = "gate";
  info.options |= LWS_SERVER_OPTION_ADOPT_APPLY_LISTEN_ACCEPT_CONFIG;
  info.ka_time = 60; /* s; clients whose machine is gone are noticed */
  info.ka_probes = 3;
  info.ka_interval = 10;
  s->listener = lws_create_vhost(s->context, &info);
  return s->listener != NULL;
}

static pk_status listen_at(pki_server *s, pk_error *err)
{
  char digits[64];
  const pk_status status = find_address(s, digits, err);
  if (status != PK_OK) {
    return status;
  }
  lws_set_log_level(0, ignore_log);
  s->port = create_hosts(s, digits) ? lws_get_vhost_listen_port(s->listener) : 0;
  return s->port > 0 ? PK_OK : fail_listen(s, "the server could not be made", err);
}

static pk_status start_server(pki_server *s, pki_source *source, pk_error *err)
{
  const pki_player_options play = {s->options.paused, s->options.render, s->options.read_only};
  pk_status status = pki_token_create(s->token, err);
  s->hub = status == PK_OK ? calloc(1, sizeof *s->hub) : NULL;
  if (status == PK_OK && s->hub == NULL) {
    status = pki_fail_memory(err, "the viewer");
  }
  if (status == PK_OK) {
    status = pki_hub_init(s->hub, source->catalog, err);
    if (status != PK_OK) {
      free(s->hub);
      s->hub = NULL;
    }
  }
  status = status == PK_OK ? listen_at(s, err) : status;
  if (status != PK_OK) {
    return status;
  }
  s->hub->notify = wake_server;
  s->hub->user = s;
  status = pki_player_start(source, s->hub, &play, &s->player, err);
  if (status == PK_OK) {
    s->threaded = pthread_create(&s->thread, NULL, serve_loop, s) == 0;
    status = s->threaded ? PK_OK : pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no thread for the viewer");
  }
  return status;
}

pk_status pki_server_start(pki_source *source, const pki_server_options *options, pki_server **out,
                           pk_error *err)
{
  *out = NULL;
  pki_server *s = calloc(1, sizeof *s);
  if (s == NULL) {
    return pki_fail_memory(err, "the viewer");
  }
  s->options = *options;
  s->catalog = source->catalog;
  snprintf(s->host, sizeof s->host, "%s", options->host != NULL ? options->host : "127.0.0.1");
  const pk_status status = start_server(s, source, err);
  if (status != PK_OK) {
    pki_server_stop(s);
    return status;
  }
  *out = s;
  return PK_OK;
}

void pki_server_stop(pki_server *server)
{
  if (server == NULL) {
    return;
  }
  atomic_store(&server->stop, true);
  if (server->threaded) {
    lws_cancel_service(server->context);
    pthread_join(server->thread, NULL);
  }
  pki_player_stop(server->player);
  if (server->context != NULL) {
    lws_context_destroy(server->context);
  }
  if (server->hub != NULL) {
    pki_hub_free(server->hub);
    free(server->hub);
  }
  free(server);
}

int pki_server_port(const pki_server *server)
{
  return server->port;
}

uint64_t pki_server_clients(const pki_server *server)
{
  return server->clients;
}

const char *pki_server_token(const pki_server *server)
{
  return server->token;
}

void pki_server_url(const pki_server *server, const char *query, char *out, size_t size)
{
  const bool all = strcmp(server->host, "0.0.0.0") == 0 || strcmp(server->host, "::") == 0;
  const char *host = all ? "127.0.0.1" : server->host;
  snprintf(out, size, strchr(host, ':') != NULL ? "http://[%s]:%d/?token=%s%s" : "http://%s:%d/?token=%s%s",
           host, server->port, server->token, query);
}
