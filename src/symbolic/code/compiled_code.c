#define _GNU_SOURCE /* memfd_create */
#include "symbolic/code/compiled_code.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/sha256.h"
#include "dynamics/code.h"
#include "symbolic/code/code_cache.h"
#include "symbolic/code/code_compiler.h"
#include "symbolic/code/kernels_source.h"

/* Code that was loaded from shared objects. */
typedef struct loaded {
  pk_code code; /* first: it is what others see */
  void *library[PKI_LANE_COUNTS];
  /* The memory that each was loaded from. It stays open, since the loader knows a library by its name, which has
   * the number of the open file in it. */
  int memory[PKI_LANE_COUNTS];
  pk_code_info info;
} loaded;

/* All that opening takes. */
typedef struct opening {
  const pk_code_options *options;
  pki_compiler compiler;
  pki_cache cache;
  pki_text source;
  loaded *to;
} opening;

const pk_field pki_code_fields[] = {
    {"lanes", offsetof(pk_code_options, lanes), PK_FIELD_INT, "", 0, 0, 12, NULL,
     "lane counts besides one, added up: 4, 8 or 12; 0: one alone"},
    {"force", offsetof(pk_code_options, force), PK_FIELD_BOOL, "", 0, 0, 1, NULL,
     "compile even what is in the cache"},
};
const int pki_code_field_count = sizeof pki_code_fields / sizeof pki_code_fields[0];

pk_code_options pk_code_options_default(void)
{
  pk_code_options o;
  pki_fields_default(pki_code_fields, pki_code_field_count, &o, sizeof o);
  return o;
}

pk_status pk_code_options_validate(const pk_code_options *o, pk_error *err)
{
  const pk_status status = pki_fields_validate(pki_code_fields, pki_code_field_count, o, err);
  if (status == PK_OK && (o->lanes & ~(4 | 8)) != 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "lanes"},
                    "lanes is %d, expected 4, 8 or their sum, or 0", o->lanes);
  }
  return status;
}

/* ---- from source to bytes ---- */

/* A hash of all that the compiled code depends on. */
static bool make_key(const opening *o, int lanes, char key[65])
{
  pki_text text = {0};
  const char *arguments[PKI_COMPILER_ARGUMENTS];
  char define[32];
  pki_compiler_arguments(&o->compiler, lanes, PKI_CACHE_FILE, define, arguments);
  pki_text_addf(&text, "pronk %s\n%s\n", pk_version(), o->compiler.version);
  for (int i = 0; arguments[i] != NULL; i++) {
    pki_text_addf(&text, "%s\n", arguments[i]);
  }
  pki_compiler_add_processor(&text);
  pki_text_add_bytes(&text, o->source.data, o->source.size);
  const bool good = !text.failed;
  if (good) {
    pki_sha256_hex(text.data, text.size, key);
  }
  pki_text_free(&text);
  return good;
}

/* Compile, and keep it. */
static pk_status build_library(opening *o, int lanes, const char *key, pki_text *bytes, pk_error *err)
{
  pki_cache_build place;
  pk_code_info *info = &o->to->info;
  pk_status status = pki_cache_begin(&o->cache, &place, err);
  if (status != PK_OK) {
    return status;
  }
  const double start = pki_clock();
  if (o->options->compiling != NULL) {
    o->options->compiling(o->options->user, lanes);
  }
  status = pki_compile(&o->compiler, lanes, &o->source, place.folder, PKI_CACHE_FILE, err);
  if (status == PK_OK) {
    status = pki_cache_keep(&o->cache, key, &place, bytes, err);
  }
  pki_cache_end(&o->cache, &place);
  info->compile_seconds += pki_clock() - start;
  info->cached = false;
  return status;
}

/* The shared object's bytes, from the cache or the compiler. */
static pk_status obtain_library(opening *o, int lanes, pki_text *bytes, pk_error *err)
{
  char key[65], why[128];
  pk_code_info *info = &o->to->info;
  if (!make_key(o, lanes, key) || !pki_cache_name(&o->cache, key, info->path)) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for the code's key");
  }
  if (lanes == 1) {
    memcpy(info->key, key, sizeof key);
  }
  pki_cache_lock(&o->cache, key);
  pk_status status = PK_OK;
  if (o->options->force || !pki_cache_read(&o->cache, key, bytes, why, sizeof why)) {
    if (!o->options->force && why[0] != '\0') {
      snprintf(info->warning, sizeof info->warning, "%.400s %s: compiled anew", info->path, why);
    }
    status = build_library(o, lanes, key, bytes, err);
  }
  pki_cache_unlock(&o->cache);
  return status;
}

/* ---- from bytes to functions ---- */

/* A copy in memory that nobody can change, and the library in it. NULL: dlerror() tells why, else errno. */
static void *load_library(const pki_text *bytes, int *memory)
{
  char name[64];
  void *library = NULL;
  (void)dlerror(); /* of earlier calls */
  *memory = memfd_create("robot.so", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (*memory >= 0 && pki_write_all(*memory, bytes->data, bytes->size) &&
      fcntl(*memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0) {
    snprintf(name, sizeof name, "/proc/self/fd/%d", *memory);
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == NULL && *memory >= 0) {
    const int why = errno;
    close(*memory);
    *memory = -1;
    errno = why;
  }
  return library;
}

/* Every function of the list that the library has. */
static int find_functions(void *library, int lanes, pki_code_functions *out)
{
  int n = 0;
  for (int i = 0; i < pki_code_entry_count; i++) {
    char name[64];
    const int end = snprintf(name, sizeof name, "robot_%s", pki_code_entries[i].name);
    if (lanes > 1) {
      snprintf(name + end, sizeof name - (size_t)end, "_x%d", lanes);
    }
    /* POSIX promises that an object pointer of dlsym can hold a function. */
    void *found = dlsym(library, name);
    memcpy((char *)out + pki_code_entries[i].offset, &found, sizeof found);
    n += found != NULL;
  }
  return n;
}

static pk_status open_lanes(opening *o, int at, pk_error *err)
{
  const int lanes = pki_lane_counts[at];
  loaded *to = o->to;
  pki_text bytes = {0};
  int error = 0;
  const pk_status status = obtain_library(o, lanes, &bytes, err);
  if (status == PK_OK) {
    to->library[at] = load_library(&bytes, &to->memory[at]);
    error = errno;
  }
  pki_text_free(&bytes);
  if (status != PK_OK) {
    return status;
  }
  if (to->library[at] == NULL) {
    const char *why = dlerror();
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = to->info.path},
                    "the compiled code cannot be loaded: %s", why != NULL ? why : strerror(error));
  }
  to->info.functions = find_functions(to->library[at], lanes, &to->code.lanes[at].functions);
  to->info.lanes = lanes;
  pki_code_wrap(&to->code.lanes[at], lanes);
  return PK_OK;
}

/* ---- all together ---- */

static pk_status open_all(opening *o, const pk_model *model, pki_code_writer write, pk_error *err)
{
  pk_code_info *info = &o->to->info;
  const double start = pki_clock();
  pk_status status = write(model, &o->source, err);
  info->generate_seconds = pki_clock() - start;
  if (status == PK_OK && o->source.failed) {
    status = pki_fail_memory(err, "the source of the code");
  }
  status = status == PK_OK ? pki_compiler_find(o->options->compiler, &o->compiler, err) : status;
  snprintf(info->compiler, sizeof info->compiler, "%.240s, %.250s", o->compiler.path, o->compiler.version);
  status = status == PK_OK ? pki_cache_open(o->options->folder, &o->cache, err) : status;
  for (int i = 0; i < PKI_LANE_COUNTS && status == PK_OK; i++) {
    if (pki_lane_counts[i] == 1 || (pki_lane_counts[i] & o->options->lanes) != 0) {
      status = open_lanes(o, i, err);
    }
  }
  return status;
}

pk_status pki_code_open(const pk_model *model, const pk_code_options *options, pki_code_writer write,
                        pk_code **out, pk_error *err)
{
  const pk_code_options chosen = options != NULL ? *options : pk_code_options_default();
  *out = NULL;
  pk_status status = pk_code_options_validate(&chosen, err);
  if (status != PK_OK) {
    return status;
  }
  loaded *to = calloc(1, sizeof *to);
  if (to == NULL) {
    return pki_fail_memory(err, "the code of a model");
  }
  to->code.model = pk_model_hash(model);
  to->info.cached = true;
  for (int i = 0; i < PKI_LANE_COUNTS; i++) {
    to->memory[i] = -1;
  }
  opening o = {.options = &chosen, .cache = {.folder = -1, .lock = -1}, .to = to};
  status = open_all(&o, model, write, err);
  pki_cache_close(&o.cache);
  pki_text_free(&o.source);
  if (status != PK_OK) {
    pk_code_close(&to->code);
    return status;
  }
  *out = &to->code;
  return PK_OK;
}

pk_status pk_code_open(const pk_model *model, const pk_code_options *options, pk_code **out, pk_error *err)
{
  return pki_code_open(model, options, pki_kernels_source, out, err);
}

void pk_code_close(pk_code *code)
{
  loaded *l = (loaded *)code;
  if (l == NULL) {
    return;
  }
  for (int i = 0; i < PKI_LANE_COUNTS; i++) {
    if (l->library[i] != NULL) {
      dlclose(l->library[i]);
    }
    if (l->memory[i] >= 0) {
      close(l->memory[i]);
    }
  }
  free(l);
}

const pk_code_info *pk_code_get_info(const pk_code *code)
{
  return &((const loaded *)code)->info;
}
