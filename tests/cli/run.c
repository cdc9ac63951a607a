#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"
#include "support/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command, unless a test is built with one of its own. */
#ifndef PK_COMMAND
#define PK_COMMAND PK_BUILD_DIR "/pronk"
#endif

static char *read_all(FILE *file)
{
  size_t size = 0, capacity = 4096;
  char *text = malloc(capacity);
  assert_non_null(text);
  for (size_t n; (n = fread(text + size, 1, capacity - size - 1, file)) > 0;) {
    size += n;
    if (capacity - size < 2) {
      capacity *= 2;
      text = realloc(text, capacity);
      assert_non_null(text);
    }
  }
  text[size] = '\0';
  return text;
}

run_result run(const char *arguments)
{
  char errors[64], command[4096];
  snprintf(errors, sizeof errors, "stderr.%ld", (long)getpid());
  const int n = snprintf(command, sizeof command, "PRONK_MODELS='%s' '%s' %s 2>%s", PK_SOURCE_DIR "/models",
                         PK_COMMAND, arguments, errors);
  assert_greater(n, 0);
  assert_less((size_t)n, sizeof command);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  run_result result = {.out = read_all(pipe)};
  const int code = pclose(pipe);
  result.status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
  FILE *file = fopen(errors, "r");
  assert_non_null(file);
  result.err = read_all(file);
  fclose(file);
  remove(errors);
  return result;
}

void run_free(run_result *result)
{
  free(result->out);
  free(result->err);
}

cJSON *run_json(const char *arguments, int status)
{
  run_result r = run(arguments);
  if (r.status != status) {
    fprintf(stderr, "pronk %s: status %d\n%s%s", arguments, r.status, r.out, r.err);
  }
  assert_int_equal(r.status, status);
  const char *end = NULL;
  cJSON *json = cJSON_ParseWithOpts(r.out, &end, 0);
  assert_non_null(json);
  assert_int_equal(strspn(end, " \n"), strlen(end)); /* and nothing after it */
  run_free(&r);
  return json;
}

void write_file(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_at_least(fputs(text, file), 0);
  assert_int_equal(fclose(file), 0);
}

bool contains(const char *text, const char *part)
{
  if (strstr(text, part) == NULL) {
    fprintf(stderr, "'%s' is not in:\n%s\n", part, text);
    return false;
  }
  return true;
}

void write_robot(const char *path, const char *joint_type, const char *axis)
{
  static const char inertial[] =
      "    <inertial><mass value=\"2\"/>\n"
      "      <inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>\n";
  char text[2048];
  snprintf(text, sizeof text,
           "<?xml version=\"1.0\"?>\n<robot name=\"two\">\n  <link name=\"base\">\n%s  </link>\n  <link "
           "name=\"arm\">\n%s"
           "  </link>\n  <joint name=\"hinge\" type=\"%s\">\n    <parent link=\"base\"/>\n    <child "
           "link=\"arm\"/>\n"
           "    <axis xyz=\"%s\"/>\n  </joint>\n</robot>\n",
           inertial, inertial, joint_type, axis);
  write_file(path, text);
}

int shell(const char *line, char *out, size_t size)
{
  FILE *pipe = popen(line, "r");
  assert_non_null(pipe);
  const size_t n = fread(out, 1, size - 1, pipe);
  out[n] = '\0';
  return pclose(pipe);
}
