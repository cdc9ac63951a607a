/* The order of the stages and of their rooms, checked on the text of every file under src/.
 *
 * src/stages.txt lists the stages and, indented below a stage, its rooms: sub-folders with an order of their own. A file
 * may include headers of its own place, of places listed before it, and of the public API ("pronk/..."). No two .c
 * files have the same name. The checker takes the root of a source tree, so that the tests can also show it small
 * trees that break each rule. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/bounds.h"

enum {
  PLACE_MAX = 128,
  FILE_MAX = 2048,
  NAME_SIZE = 64,
  PATH_SIZE = 2048,
  LINE_SIZE = 4096,
  REPORT_SIZE = 8192
};

typedef struct checker {
  char root[PATH_SIZE];              /* the folder that holds src/ and include/ */
  char places[PLACE_MAX][NAME_SIZE]; /* "stage" or "stage/room", in their order */
  int nplace;
  char names[FILE_MAX][NAME_SIZE]; /* of the .c files seen so far */
  int nname;
  int nfile, ninclude;      /* how much was looked at */
  int nviolation;           /* how much was wrong */
  char report[REPORT_SIZE]; /* one line for each violation */
} checker;

__attribute__((format(printf, 2, 3))) static void violate(checker *c, const char *format, ...)
{
  c->nviolation++;
  const size_t used = strlen(c->report);
  va_list args;
  va_start(args, format);
  vsnprintf(c->report + used, sizeof c->report - used, format, args);
  va_end(args);
}

static bool ends_with(const char *text, const char *end)
{
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_source(const char *name)
{
  return ends_with(name, ".c") || ends_with(name, ".h");
}

/* "a/b" from two parts; a path that does not fit ends the test. */
static void join(char path[PATH_SIZE], const char *folder, const char *name)
{
  assert_in_range(snprintf(path, PATH_SIZE, "%s/%s", folder, name), 1, PATH_SIZE - 1);
}

static bool file_exists(const char *folder, const char *name)
{
  char path[PATH_SIZE];
  join(path, folder, name);
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Position of a place in the list, -1 when it is not there. */
static int place_index(const checker *c, const char *name, size_t length)
{
  for (int i = 0; i < c->nplace; i++) {
    if (strlen(c->places[i]) == length && memcmp(c->places[i], name, length) == 0) {
      return i;
    }
  }
  return -1;
}

/* The place of a file, given by its path below src/: its room where it has one, else its stage; -1: none. */
static int place_of_file(const checker *c, const char *path)
{
  const char *slash = strchr(path, '/');
  if (slash == NULL) {
    return -1;
  }
  const char *second = strchr(slash + 1, '/');
  return place_index(c, path, (size_t)((second ? second : slash) - path));
}

/* How long the stage's part of a place is. */
static size_t stage_length(const char *place)
{
  return strcspn(place, "/");
}

static bool same_stage(const char *a, const char *b)
{
  return stage_length(a) == stage_length(b) && strncmp(a, b, stage_length(a)) == 0;
}

static void add_place(checker *c, const char *name)
{
  if (place_index(c, name, strlen(name)) >= 0 || strlen(name) >= NAME_SIZE || c->nplace == PLACE_MAX) {
    violate(c, "src/stages.txt: \"%s\" is there twice, or is too much\n", name);
    return;
  }
  memcpy(c->places[c->nplace++], name, strlen(name) + 1);
}

/* "." below a stage: files in the stage's own folder come here, after the rooms above the line. */
static void move_stage_here(checker *c, const char *stage)
{
  const int at = place_index(c, stage, strlen(stage));
  memmove(c->places[at], c->places[at + 1], (size_t)(c->nplace - 1 - at) * NAME_SIZE);
  c->nplace--;
  add_place(c, stage);
}

static void read_stages(checker *c)
{
  char path[PATH_SIZE], line[LINE_SIZE], stage[NAME_SIZE] = "", place[LINE_SIZE + NAME_SIZE];
  join(path, c->root, "src/stages.txt");
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    violate(c, "%s: cannot be read\n", path);
    return;
  }
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\r\n")] = '\0';
    const char *word = line + strspn(line, " ");
    if (*word == '#' || *word == '\0') {
      continue;
    }
    if (word == line) {
      snprintf(stage, sizeof stage, "%.*s", NAME_SIZE - 1, line);
      add_place(c, line);
    } else if (strcmp(word, ".") == 0) {
      move_stage_here(c, stage);
    } else {
      snprintf(place, sizeof place, "%s/%s", stage, word);
      add_place(c, place);
    }
  }
  fclose(file);
}

/* One #include "target" of a file (path below root) that belongs to place `own`. */
static void check_include(checker *c, const char *folder, const char *file, int line, int own,
                          const char *target)
{
  char base[PATH_SIZE];
  const char *slash = strchr(target, '/');
  if (strstr(target, "..") != NULL) {
    violate(c, "%s:%d: \"%s\" climbs; start with a stage\n", file, line, target);
    return;
  }
  if (strncmp(target, "pronk/", 6) == 0) {
    join(base, c->root, "include");
    if (!file_exists(base, target)) {
      violate(c, "%s:%d: there is no public header \"%s\"\n", file, line, target);
    }
    return;
  }
  if (slash == NULL) {
    if (!file_exists(folder, target)) {
      violate(c, "%s:%d: \"%s\" is not beside the file; write \"stage/%s\"\n", file, line, target, target);
    }
    return;
  }
  if (place_index(c, target, (size_t)(slash - target)) < 0) {
    violate(c, "%s:%d: \"%s\" does not start with a stage\n", file, line, target);
    return;
  }
  const int other = place_of_file(c, target);
  join(base, c->root, "src");
  if (other < 0 || !file_exists(base, target)) {
    violate(c, "%s:%d: there is no \"%s\"\n", file, line, target);
  } else if (other > own) {
    violate(c, "%s:%d: \"%s\" is of a later %s than %s\n", file, line, target,
            same_stage(c->places[other], c->places[own]) ? "room" : "stage", c->places[own]);
  }
}

static const char *skip_blanks(const char *text)
{
  return text + strspn(text, " \t");
}

/* What stands after `#include`, NULL when the line is no such line. */
static const char *after_include(const char *line)
{
  const char *at = skip_blanks(line);
  if (*at != '#') {
    return NULL;
  }
  at = skip_blanks(at + 1);
  return strncmp(at, "include", 7) == 0 ? skip_blanks(at + 7) : NULL;
}

/* Every #include of one file; `folder` holds it, `file` is its path below root. */
static void check_file(checker *c, const char *folder, const char *file, int own)
{
  char path[PATH_SIZE], line[LINE_SIZE];
  join(path, c->root, file);
  FILE *stream = fopen(path, "r");
  if (stream == NULL) {
    violate(c, "%s: cannot be read\n", file);
    return;
  }
  c->nfile++;
  for (int number = 1; fgets(line, sizeof line, stream); number++) {
    const char *at = after_include(line);
    if (at == NULL || *at == '<') {
      continue;
    }
    c->ninclude++;
    const size_t length = *at == '"' ? strcspn(at + 1, "\"\n") : 0;
    if (length == 0) {
      violate(c, "%s:%d: an include must be written out\n", file, number);
      continue;
    }
    char target[LINE_SIZE];
    memcpy(target, at + 1, length);
    target[length] = '\0';
    check_include(c, folder, file, number, own, target);
  }
  fclose(stream);
}

/* No two .c files have the same name: a backtrace and a search name one file. */
static void check_name(checker *c, const char *name, const char *path)
{
  if (!ends_with(name, ".c")) {
    return;
  }
  for (int i = 0; i < c->nname; i++) {
    if (strcmp(c->names[i], name) == 0) {
      violate(c, "%s: another .c file has this name\n", path);
      return;
    }
  }
  assert_less(c->nname, FILE_MAX);
  snprintf(c->names[c->nname++], NAME_SIZE, "%s", name);
}

/* All files at and below `below`, a path under root. */
static void check_folder(checker *c, const char *below)
{
  char folder[PATH_SIZE];
  join(folder, c->root, below);
  DIR *listing = opendir(folder);
  if (listing == NULL) {
    violate(c, "%s: cannot be read\n", below);
    return;
  }
  const struct dirent *entry;
  while ((entry = readdir(listing))) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    char path[PATH_SIZE], full[PATH_SIZE];
    struct stat info;
    join(path, below, entry->d_name);
    join(full, folder, entry->d_name);
    const int own = place_of_file(c, path + strlen("src/"));
    if (stat(full, &info) != 0) {
      violate(c, "%s: cannot be read\n", path);
    } else if (S_ISDIR(info.st_mode)) {
      check_folder(c, path);
    } else if (is_source(entry->d_name) && own < 0) {
      violate(c, "%s: its folder is not a room in src/stages.txt\n", path);
    } else if (is_source(entry->d_name)) {
      check_name(c, entry->d_name, path);
      check_file(c, folder, path, own);
    }
  }
  closedir(listing);
}

/* The whole tree: each folder of src/ is a stage of the list, and keeps the order. */
static void check_tree(checker *c, const char *root)
{
  memset(c, 0, sizeof *c);
  assert_in_range(snprintf(c->root, sizeof c->root, "%s", root), 1, (int)sizeof c->root - 1);
  read_stages(c);

  char folder[PATH_SIZE];
  join(folder, root, "src");
  DIR *listing = opendir(folder);
  assert_non_null(listing);
  const struct dirent *entry;
  while ((entry = readdir(listing))) {
    char path[PATH_SIZE], full[PATH_SIZE];
    struct stat info;
    join(path, "src", entry->d_name);
    join(full, folder, entry->d_name);
    if (entry->d_name[0] == '.' || stat(full, &info) != 0) {
      continue;
    }
    const bool is_stage = place_index(c, entry->d_name, strlen(entry->d_name)) >= 0;
    if (!S_ISDIR(info.st_mode)) {
      if (is_source(entry->d_name)) {
        violate(c, "%s: code belongs to a stage\n", path);
      }
    } else if (!is_stage) {
      violate(c, "%s: not a stage of src/stages.txt\n", path);
    } else {
      check_folder(c, path);
    }
  }
  closedir(listing);
}

/* ---- the tree itself ---- */

static void every_include_of_the_tree_keeps_the_order_of_the_stages(void **state)
{
  (void)state;
  static checker c;
  check_tree(&c, PK_SOURCE_DIR);
  if (c.nviolation > 0) {
    print_error("%s", c.report);
  }
  assert_int_equal(c.nviolation, 0);
  assert_greater(c.nfile, 5);
  assert_greater(c.ninclude, 5);
}

static void the_whole_api_header_includes_every_public_header(void **state)
{
  (void)state;
  static char text[LINE_SIZE];
  FILE *file = fopen(PK_SOURCE_DIR "/include/pronk/pronk.h", "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);

  DIR *listing = opendir(PK_SOURCE_DIR "/include/pronk");
  assert_non_null(listing);
  const struct dirent *entry;
  while ((entry = readdir(listing))) {
    char wanted[PATH_SIZE];
    if (!ends_with(entry->d_name, ".h") || strcmp(entry->d_name, "pronk.h") == 0) {
      continue;
    }
    snprintf(wanted, sizeof wanted, "#include \"%s\"", entry->d_name);
    if (strstr(text, wanted) == NULL) {
      print_error("include/pronk/pronk.h lacks %s\n", wanted);
      fail();
    }
  }
  closedir(listing);
}

/* ---- small trees that break one rule each ---- */

static char small_root[PATH_SIZE];

static void write_file(const char *name, const char *text)
{
  char path[PATH_SIZE];
  join(path, small_root, name);
  for (char *slash = path + strlen(small_root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = '\0';
    assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
  }
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

/* Two stages, a public header, and includes that are all in order. */
static int make_small_tree(void **state)
{
  (void)state;
  snprintf(small_root, sizeof small_root, "%s/include_order_XXXXXX", PK_BUILD_DIR);
  if (mkdtemp(small_root) == NULL) {
    return -1;
  }
  write_file("src/stages.txt", "# order\nearly\n  one\n  two\nlate\n  below\n  .\n");
  write_file("include/pronk/api.h", "\n");
  write_file("src/early/a.h", "#include <math.h>\n#include \"pronk/api.h\"\n");
  write_file("src/early/a.c", "#include \"early/a.h\"\n");
  write_file("src/late/b.c", "#include \"early/a.h\"\n  #  include \"b.h\"\n");
  write_file("src/late/b.h", "\n");
  write_file("src/early/one/c.h", "#include \"early/a.h\"\n");
  write_file("src/early/two/d.c", "#include \"early/one/c.h\"\n");
  write_file("src/late/below/e.h", "#include \"early/one/c.h\"\n");
  return 0;
}

static int remove_small_tree(void **state)
{
  (void)state;
  char command[PATH_SIZE + 16];
  snprintf(command, sizeof command, "rm -rf '%s'", small_root);
  return system(command);
}

/* The small tree has exactly one thing wrong, and the report says what. */
static void expect_violation(const char *text)
{
  static checker c;
  check_tree(&c, small_root);
  if (c.nviolation != 1 || strstr(c.report, text) == NULL) {
    print_error("expected \"%s\", got %d: %s\n", text, c.nviolation, c.report);
    fail();
  }
}

static void a_tree_in_order_has_no_violation(void **state)
{
  (void)state;
  static checker c;
  check_tree(&c, small_root);
  assert_string_equal(c.report, "");
  assert_int_equal(c.nviolation, 0);
  assert_int_equal(c.nfile, 7);
  assert_int_equal(c.ninclude, 7);
}

static void an_include_of_a_later_stage_is_found(void **state)
{
  (void)state;
  write_file("src/early/a.c", "\n#include \"late/b.h\"\n");
  expect_violation("src/early/a.c:2: \"late/b.h\" is of a later stage than early");
}

static void an_include_of_a_later_stage_in_a_room_is_found(void **state)
{
  (void)state;
  write_file("src/early/one/er.c", "#include \"late/b.h\"\n");
  expect_violation("src/early/one/er.c:1: \"late/b.h\" is of a later stage than early/one");
}

static void an_include_of_a_later_room_is_found(void **state)
{
  (void)state;
  write_file("src/early/two/f.h", "\n");
  write_file("src/early/one/c.h", "#include \"early/two/f.h\"\n");
  expect_violation("src/early/one/c.h:1: \"early/two/f.h\" is of a later room than early/one");
}

static void files_of_a_stage_come_before_its_rooms_or_where_the_dot_stands(void **state)
{
  (void)state;
  write_file("src/late/b.c", "#include \"late/below/e.h\"\n");
  write_file("src/early/a.c", "#include \"early/one/c.h\"\n");
  expect_violation("src/early/a.c:1: \"early/one/c.h\" is of a later room than early");
}

static void a_folder_below_a_stage_that_is_no_room_is_found(void **state)
{
  (void)state;
  write_file("src/early/deep/g.c", "\n");
  expect_violation("src/early/deep/g.c: its folder is not a room");
}

static void two_files_of_one_name_are_found(void **state)
{
  (void)state;
  write_file("src/early/one/b.c", "\n");
  expect_violation("b.c: another .c file has this name");
}

static void a_folder_that_is_no_stage_is_found(void **state)
{
  (void)state;
  write_file("src/other/x.c", "\n");
  expect_violation("src/other: not a stage");
}

static void code_outside_all_stages_is_found(void **state)
{
  (void)state;
  write_file("src/x.c", "\n");
  expect_violation("src/x.c: code belongs to a stage");
}

static void a_path_that_climbs_is_found(void **state)
{
  (void)state;
  write_file("src/late/b.c", "#include \"../early/a.h\"\n");
  expect_violation("\"../early/a.h\" climbs");
  write_file("src/late/b.c", "\n");
  write_file("src/early/a.c", "#include \"early/../late/b.h\"\n");
  expect_violation("\"early/../late/b.h\" climbs");
}

static void a_path_that_starts_with_no_stage_is_found(void **state)
{
  (void)state;
  write_file("src/late/b.c", "#include \"other/a.h\"\n");
  expect_violation("\"other/a.h\" does not start with a stage");
}

static void a_public_header_that_is_not_there_is_found(void **state)
{
  (void)state;
  write_file("src/late/b.c", "#include \"pronk/none.h\"\n");
  expect_violation("there is no public header \"pronk/none.h\"");
}

static void a_private_header_that_is_not_there_is_found(void **state)
{
  (void)state;
  write_file("src/late/b.c", "#include \"early/none.h\"\n");
  expect_violation("there is no \"early/none.h\"");
}

static void a_bare_name_of_another_folder_is_found(void **state)
{
  (void)state;
  write_file("src/late/b.c", "#include \"a.h\"\n");
  expect_violation("\"a.h\" is not beside the file");
}

static void an_include_by_macro_is_found(void **state)
{
  (void)state;
  write_file("src/late/b.c", "#include WHICH\n");
  expect_violation("src/late/b.c:1: an include must be written out");
}

static void a_stage_listed_twice_is_found(void **state)
{
  (void)state;
  write_file("src/stages.txt", "early\n  one\n  two\nlate\n  below\n  .\nearly\n");
  expect_violation("src/stages.txt: \"early\" is there twice");
}

#define IN_SMALL_TREE(test) cmocka_unit_test_setup_teardown(test, make_small_tree, remove_small_tree)

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_include_of_the_tree_keeps_the_order_of_the_stages),
      cmocka_unit_test(the_whole_api_header_includes_every_public_header),
      IN_SMALL_TREE(a_tree_in_order_has_no_violation),
      IN_SMALL_TREE(an_include_of_a_later_stage_is_found),
      IN_SMALL_TREE(an_include_of_a_later_stage_in_a_room_is_found),
      IN_SMALL_TREE(an_include_of_a_later_room_is_found),
      IN_SMALL_TREE(files_of_a_stage_come_before_its_rooms_or_where_the_dot_stands),
      IN_SMALL_TREE(a_folder_below_a_stage_that_is_no_room_is_found),
      IN_SMALL_TREE(two_files_of_one_name_are_found),
      IN_SMALL_TREE(a_folder_that_is_no_stage_is_found),
      IN_SMALL_TREE(code_outside_all_stages_is_found),
      IN_SMALL_TREE(a_path_that_climbs_is_found),
      IN_SMALL_TREE(a_path_that_starts_with_no_stage_is_found),
      IN_SMALL_TREE(a_public_header_that_is_not_there_is_found),
      IN_SMALL_TREE(a_private_header_that_is_not_there_is_found),
      IN_SMALL_TREE(a_bare_name_of_another_folder_is_found),
      IN_SMALL_TREE(an_include_by_macro_is_found),
      IN_SMALL_TREE(a_stage_listed_twice_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
