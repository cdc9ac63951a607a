/* From the name of a mesh in a URDF to a file on this machine, see urdf_path.h. */
#define _XOPEN_SOURCE 700

#include "model/urdf_path.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* printf into memory of the right size; NULL when there is none. */
__attribute__((format(printf, 1, 2))) static char *format_new(const char *format, ...)
{
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
  if (text != NULL) {
    vsnprintf(text, (size_t)length + 1, format, again);
  }
  va_end(again);
  va_end(args);
  return text;
}

/* The folder that holds an absolute path; "/" holds itself. */
static char *parent_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  const int length = slash == NULL || slash == path ? 1 : (int)(slash - path);
  return format_new("%.*s", length, path);
}

static const char *last_part(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Whether canonical `path` lies in canonical `folder`. */
static bool lies_in(const char *path, const char *folder)
{
  const size_t n = strlen(folder);
  return strncmp(path, folder, n) == 0 && (path[n] == '/' || (n > 0 && folder[n - 1] == '/'));
}

static bool has_manifest(const char *folder)
{
  char *path = format_new("%s/package.xml", folder);
  const bool found = pki_is_file(path);
  free(path);
  return found;
}

/* ---- the folders of a load ---- */

/* The nearest folder above with a package.xml, else the parent; never the whole file system. */
static char *find_package(const char *folder)
{
  char *at = format_new("%s", folder);
  while (at != NULL && strcmp(at, "/") != 0) {
    if (has_manifest(at)) {
      return at;
    }
    char *up = parent_of(at);
    free(at);
    at = up;
  }
  free(at);
  char *parent = parent_of(folder);
  if (parent != NULL && strcmp(parent, "/") == 0) {
    free(parent);
    return format_new("%s", folder);
  }
  return parent;
}

bool pki_urdf_folders_init(pki_urdf_folders *folders, const char *file, const pk_load_options *options)
{
  *folders = (pki_urdf_folders){.extra_names = options->package_paths, .nextra = options->npackage_paths};
  if (!options->load_meshes) {
    folders->nextra = 0;
    return true;
  }
  if (file != NULL) {
    const char *slash = strrchr(file, '/');
    char *name = slash != NULL ? format_new("%.*s/", (int)(slash - file), file) : format_new("./");
    folders->folder = name != NULL ? realpath(name, NULL) : NULL;
    free(name);
    if (folders->folder != NULL) {
      folders->package = find_package(folders->folder);
      if (folders->package == NULL) {
        return false;
      }
    }
  }
  if (folders->nextra > 0) {
    folders->extra = calloc((size_t)folders->nextra, sizeof *folders->extra);
    if (folders->extra == NULL) {
      folders->nextra = 0;
      return false;
    }
    for (int i = 0; i < folders->nextra; i++) {
      folders->extra[i] =
          pki_is_folder(folders->extra_names[i]) ? realpath(folders->extra_names[i], NULL) : NULL;
    }
  }
  return true;
}

void pki_urdf_folders_free(pki_urdf_folders *folders)
{
  for (int i = 0; folders->extra != NULL && i < folders->nextra; i++) {
    free(folders->extra[i]);
  }
  free(folders->extra);
  free(folders->folder);
  free(folders->package);
  *folders = (pki_urdf_folders){0};
}

/* ---- one search ---- */

typedef struct search {
  const pki_urdf_folders *folders;
  char *found;      /* the file, when there is one */
  char *outside;    /* a file that is there but in no allowed folder */
  char places[400]; /* where was looked, for the message */
  size_t used;
} search;

/* Remember a place that was looked at. */
static void note_searched_place(search *s, const char *path)
{
  const size_t room = sizeof s->places - s->used, need = strlen(path) + 2;
  if (strstr(s->places, path) != NULL) {
    return;
  }
  if (need + 4 < room) {
    s->used += (size_t)snprintf(s->places + s->used, room, "%s%s", s->used > 0 ? ", " : "", path);
  } else if (room > 5 && (s->used < 3 || strcmp(s->places + s->used - 3, "...") != 0)) {
    s->used += (size_t)snprintf(s->places + s->used, room, "%s...", s->used > 0 ? " " : "");
  }
}

static bool is_allowed(const pki_urdf_folders *folders, const char *path, const char *also)
{
  if ((also != NULL && lies_in(path, also)) ||
      (folders->package != NULL && lies_in(path, folders->package))) {
    return true;
  }
  for (int i = 0; i < folders->nextra; i++) {
    if (folders->extra[i] != NULL && lies_in(path, folders->extra[i])) {
      return true;
    }
  }
  return false;
}

/* Try one candidate (taken over and freed). `also` is a folder that is allowed for it. */
static void try_file(search *s, char *path, const char *also)
{
  if (path == NULL || s->found != NULL) {
    free(path);
    return;
  }
  note_searched_place(s, path);
  char *real = pki_is_file(path) ? realpath(path, NULL) : NULL;
  if (real != NULL && is_allowed(s->folders, real, also)) {
    s->found = path; /* by its own name, whose ending says what it is */
    path = NULL;
  } else if (real != NULL && s->outside == NULL) {
    s->outside = real;
    real = NULL;
  }
  free(real);
  free(path);
}

/* A package folder at or beside a folder above the URDF. A folder counts as a package when it
 * has a package.xml, when it holds the URDF (but not as a top folder like /home), or when it
 * stands beside or inside the URDF's own package. */
static void try_above(search *s, const char *name, const char *rest)
{
  const pki_urdf_folders *f = s->folders;
  char *beside = f->package != NULL ? parent_of(f->package) : NULL;
  char *at = f->folder != NULL ? format_new("%s", f->folder) : NULL;
  while (at != NULL && s->found == NULL) {
    const bool top = strrchr(at, '/') == at;
    if (strcmp(last_part(at), name) == 0 && (!top || has_manifest(at))) {
      try_file(s, format_new("%s/%s", at, rest), at);
    }
    const bool near =
        beside != NULL && strcmp(at, "/") != 0 && (strcmp(at, beside) == 0 || lies_in(at, beside));
    char *package = format_new("%s%s%s", at, strcmp(at, "/") == 0 ? "" : "/", name);
    if (package != NULL && pki_is_folder(package) && (near || has_manifest(package))) {
      char *real = realpath(package, NULL);
      try_file(s, format_new("%s/%s", package, rest), real);
      free(real);
    }
    free(package);
    char *up = strcmp(at, "/") != 0 ? parent_of(at) : NULL;
    free(at);
    at = up;
  }
  free(at);
  free(beside);
}

static void try_package(search *s, const char *rest, const char *uri, pk_error *err)
{
  const size_t length = strcspn(rest, "/");
  char *name = format_new("%.*s", (int)length, rest);
  if (name == NULL || length == 0 || rest[length] == '\0' || strcmp(name, ".") == 0 ||
      strcmp(name, "..") == 0) {
    pki_fail(err, PK_ERROR_SYNTAX, (pki_where){0}, "\"%s\": expected package://NAME/PATH", uri);
    free(name);
    return;
  }
  rest += length + strspn(rest + length, "/");
  for (int i = 0; i < s->folders->nextra; i++) {
    const char *folder = s->folders->extra[i];
    if (folder == NULL) {
      note_searched_place(s, s->folders->extra_names[i]);
      continue;
    }
    try_file(s, format_new("%s/%s/%s", folder, name, rest), folder);
    try_file(s, format_new("%s/%s", folder, rest), folder);
  }
  try_above(s, name, rest);
  if (s->used == 0 && s->folders->folder != NULL) {
    char *message = format_new("no folder %s beside or above %s", name, s->folders->folder);
    note_searched_place(s, message != NULL ? message : "");
    free(message);
  }
  free(name);
}

static int hex_value(char c)
{
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* %20 and its like, in place; what would become NUL stays as it is. */
static void decode_percent(char *text)
{
  char *out = text;
  for (; *text != '\0'; text++) {
    const int high = text[0] == '%' ? hex_value(text[1]) : -1;
    const int low = high >= 0 ? hex_value(text[2]) : -1;
    if (low >= 0 && high + low > 0) {
      *out++ = (char)(16 * high + low);
      text += 2;
    } else {
      *out++ = *text;
    }
  }
  *out = '\0';
}

/* The way to a file as Windows writes it, in place: "meshes\\a.stl". */
static void turn_slashes(char *text)
{
  for (; *text != '\0'; text++) {
    *text = *text == '\\' ? '/' : *text;
  }
}

/* Look in all places for `uri`; `err` stays PK_OK unless the name itself is wrong. */
static void search_places(search *s, const char *uri, pk_error *err)
{
  const char *scheme = strstr(uri, "://");
  if (scheme == NULL) {
    if (uri[0] == '/') {
      try_file(s, format_new("%s", uri), NULL);
    } else if (s->folders->folder != NULL) {
      try_file(s, format_new("%s/%s", s->folders->folder, uri), NULL);
    }
    return;
  }
  const size_t length = (size_t)(scheme - uri);
  char *rest = format_new("%s", scheme + 3);
  if (rest == NULL) {
    pki_fail_memory(err, NULL);
    return;
  }
  decode_percent(rest);
  /* package:///a/b: the first name is the package's all the same */
  const char *named = rest + (length != 4 ? strspn(rest, "/") : 0);
  if ((length == 7 && strncmp(uri, "package", 7) == 0) || (length == 5 && strncmp(uri, "model", 5) == 0)) {
    try_package(s, named, uri, err);
  } else if (length == 4 && strncmp(uri, "file", 4) == 0) {
    const bool absolute = rest[0] == '/';
    if (absolute || s->folders->folder != NULL) {
      try_file(s, absolute ? format_new("%s", rest) : format_new("%s/%s", s->folders->folder, rest), NULL);
    }
  } else {
    pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0},
             "\"%s\": nothing is fetched from elsewhere; save the file beside the URDF and name it by a "
             "relative path",
             uri);
  }
  free(rest);
}

char *pki_urdf_resolve(const pki_urdf_folders *folders, const char *uri, pk_error *err)
{
  search s = {.folders = folders};
  *err = (pk_error){.status = PK_OK};
  if (strlen(uri) > 4096) {
    pki_fail(err, PK_ERROR_LIMIT, (pki_where){0}, "the name of a mesh is longer than 4096 bytes");
    return NULL;
  }
  search_places(&s, uri, err);
  if (s.found == NULL && err->status == PK_OK && strchr(uri, '\\') != NULL) {
    char *turned = format_new("%s", uri);
    if (turned != NULL) {
      turn_slashes(turned);
      search_places(&s, turned, err);
    }
    free(turned);
  }
  if (s.found == NULL && err->status == PK_OK) {
    if (s.outside != NULL) {
      pki_fail(err, PK_ERROR_FILE, (pki_where){0},
               "mesh \"%.180s\" is %.180s, outside the folder of the robot (%.100s): to allow it, name its "
               "folder with "
               "--package-path DIR",
               uri, s.outside, folders->package != NULL ? folders->package : "none");
    } else {
      pki_fail(err, PK_ERROR_FILE, (pki_where){0},
               "mesh \"%.120s\" is not there (%s%s): name the folder of its package with "
               "--package-path DIR",
               uri, s.used > 0 && s.places[0] == '/' ? "looked at " : "",
               s.used > 0 ? s.places : "no folder is known");
    }
  }
  free(s.outside);
  return s.found;
}
