#define _GNU_SOURCE
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

static bool is_program(const char *path)
{
  return pki_is_file(path) && access(path, X_OK) == 0;
}

bool pki_program_find(const char *name, char path[PKI_PATH_MAX])
{
  if (strchr(name, '/') != NULL) {
    const int n = snprintf(path, PKI_PATH_MAX, "%s", name);
    return n < PKI_PATH_MAX && is_program(path);
  }
  const char *folders = getenv("PATH");
  for (const char *at = folders; at != NULL && *at != '\0';) {
    const size_t size = strcspn(at, ":");
    const int n = snprintf(path, PKI_PATH_MAX, "%.*s/%s", (int)size, at, name);
    if (size > 0 && n < PKI_PATH_MAX && is_program(path)) {
      return true;
    }
    at += size + (at[size] == ':');
  }
  return false;
}

/* Signals as a fresh program expects them, whatever this one has blocked. */
static void set_signals(posix_spawnattr_t *attributes, bool own_group)
{
  sigset_t none, all;
  sigemptyset(&none);
  sigemptyset(&all);
  sigaddset(&all, SIGINT);
  sigaddset(&all, SIGTERM);
  sigaddset(&all, SIGPIPE);
  sigaddset(&all, SIGXFSZ);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setpgroup(attributes, 0);
  posix_spawnattr_setflags(attributes, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                               (own_group ? POSIX_SPAWN_SETPGROUP : 0)));
}

/* Our environment with one variable changed; NULL: out of memory. */
static const char **environment_with(const char *variable)
{
  size_t count = 0, n = 0;
  while (environ[count] != NULL) {
    count++;
  }
  const char **list = calloc(count + 2, sizeof *list);
  const size_t name = variable != NULL ? strcspn(variable, "=") + 1 : 0;
  for (size_t i = 0; list != NULL && i < count; i++) {
    if (name == 0 || strncmp(environ[i], variable, name) != 0) {
      list[n++] = environ[i];
    }
  }
  if (list != NULL && variable != NULL) {
    list[n++] = variable;
  }
  return list;
}

/* How a program is started. */
typedef struct manner {
  bool own_group;
  int folder;  /* to run in, -1: ours */
  int in, out; /* its stdin, what it says; -1: /dev/null */
} manner;

static bool spawn_process(const char *const *arguments, const char **environment, manner how, pid_t *id)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  set_signals(&attributes, how.own_group);
  if (how.in >= 0) {
    posix_spawn_file_actions_adddup2(&actions, how.in, STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  if (how.out >= 0) {
    posix_spawn_file_actions_adddup2(&actions, how.out, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  int code = how.folder >= 0 ? posix_spawn_file_actions_addfchdir_np(&actions, how.folder) : 0;
  code = code != 0 ? code
                   : posix_spawnp(id, arguments[0], &actions, &attributes, (char *const *)arguments,
                                  (char *const *)environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return code == 0;
}

bool pki_process_start(const char *const *arguments, bool pipe, const char *variable, pki_process *out)
{
  *out = (pki_process){.in = -1};
  int ends[2] = {-1, -1};
  const char **environment = environment_with(variable);
  if (environment == NULL || (pipe && pipe2(ends, O_CLOEXEC) != 0)) {
    free((void *)environment);
    return false;
  }
  const bool started = spawn_process(
      arguments, environment, (manner){.own_group = true, .folder = -1, .in = ends[0], .out = -1}, &out->id);
  free((void *)environment);
  if (pipe) {
    close(ends[0]);
    out->in = ends[1];
  }
  if (!started) {
    if (pipe) {
      close(ends[1]);
    }
    *out = (pki_process){.in = -1};
  }
  return started;
}

static int exit_status(int status)
{
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool pki_process_run(const char *const *arguments, const char *variable, int folder, int in, int out,
                     int *code)
{
  pid_t id = 0;
  int status = 0;
  const char **environment = environment_with(variable);
  const bool started =
      environment != NULL &&
      spawn_process(arguments, environment, (manner){.folder = folder, .in = in, .out = out}, &id);
  free((void *)environment);
  if (!started) {
    return false;
  }
  while (waitpid(id, &status, 0) != id) {
    if (errno != EINTR) {
      return false;
    }
  }
  *code = exit_status(status);
  return true;
}

bool pki_process_ended(pki_process *process, int *code)
{
  int status = 0;
  if (process->id <= 0) {
    return true;
  }
  if (waitpid(process->id, &status, WNOHANG) != process->id) {
    return false;
  }
  /* what it left running */
  kill(-process->id, SIGKILL);
  process->id = 0;
  *code = exit_status(status);
  return true;
}

static void close_input(pki_process *process)
{
  if (process->in >= 0) {
    close(process->in);
    process->in = -1;
  }
}

int pki_process_end(pki_process *process, double seconds)
{
  int code = -1;
  close_input(process);
  for (double waited = 0; process->id > 0 && !pki_process_ended(process, &code); waited += 0.01) {
    if (waited >= seconds) {
      pki_process_kill(process);
      return 128 + SIGKILL;
    }
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return code;
}

void pki_process_kill(pki_process *process)
{
  close_input(process);
  if (process->id > 0) {
    kill(-process->id, SIGKILL);
    while (waitpid(process->id, NULL, 0) < 0 && errno == EINTR) {}
    process->id = 0;
  }
}
