/* Running build/pronk as a user would. */
#ifndef TESTS_CLI_RUN_H
#define TESTS_CLI_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <stdbool.h>

typedef struct run_result {
  int status; /* exit status, -1 after a signal */
  char *out;  /* what it wrote to stdout */
  char *err;  /* and to stderr */
} run_result;

/* `arguments` as a shell reads them. Colours, terminal and models folder are controlled. */
run_result run(const char *arguments);
void run_free(run_result *result);

/* Run, demand the status, and parse stdout as one JSON value; for cJSON_Delete(). */
cJSON *run_json(const char *arguments, int status);

/* The exit status of a shell's line, what it wrote in `out`. */
int shell(const char *line, char *out, size_t size);

/* Write a file of the test's own in the current folder. */
void write_file(const char *path, const char *text);

bool contains(const char *text, const char *part);

/* A robot of two links, with room for a mistake in its joint. */
void write_robot(const char *path, const char *joint_type, const char *axis);

#endif
