/* Models as files: what a builder holds, written as URDF, as MJCF or in Pronk's compiled form, and the compiled form
 * read back.
 *
 *   pk_builder *b;
 *   pk_builder_create(&b, &err);
 *   pk_builder_add_urdf(b, "models/starleth/starleth.urdf", NULL, &err);
 *   pk_builder_write(b, "starleth.xml", PK_MODEL_FORMAT_MJCF, NULL, &err);
 *   pk_builder_destroy(b);
 *
 * docs/formats/compiled.md says what each format holds of a model and what it loses.
 *
 * Threads: different builders may be used at the same time, one builder by one thread. */
#ifndef PRONK_CONVERT_H
#define PRONK_CONVERT_H

#include "builder.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pk_model_format {
  /* the Unified Robot Description Format, one robot in a file */
  PK_MODEL_FORMAT_URDF,
  /* MuJoCo's XML */
  PK_MODEL_FORMAT_MJCF,
  /* Pronk's own: everything that a builder holds, in one binary file */
  PK_MODEL_FORMAT_COMPILED,
  PK_MODEL_FORMAT_COUNT
} pk_model_format;

/* "urdf", "mjcf", "compiled". */
PK_API const char *pk_model_format_name(pk_model_format format);

/* How to write a model. Start from pk_write_options_default(). */
typedef struct pk_write_options {
  /* What the format cannot hold is an error, and nothing is written. Default false: it is a warning. */
  bool strict;
  /* Major version of MuJoCo that is to read the MJCF, 2 or 3. With 2 the efforts of joints become motors with limits,
   * because versions before 3 know no actuatorfrcrange. Default 3. */
  int mujoco;
} pk_write_options;

/* Losses are warnings; MJCF is for MuJoCo 3. */
PK_API pk_write_options pk_write_options_default(void);

/* Write all that the builder holds, which must compile. Each thing that the format loses is a warning among the
 * diagnostics of the builder. Meshes of URDF and MJCF go to the folder "meshes" beside `path`, as OBJ files; a file
 * there that holds something else is left as it is, and another name taken. options NULL: the defaults. */
PK_API pk_status pk_builder_write(pk_builder *b, const char *path, pk_model_format format,
                                  const pk_write_options *options, pk_error *err);

/* Add what a compiled file holds (or `size` bytes in memory, `file` naming them in messages). Root and pose of the
 * options are for files with one robot, what collision meshes become was decided when the file was written. On failure
 * nothing of it stays in the builder but the diagnostics. options NULL: the defaults. */
PK_API pk_status pk_builder_add_compiled(pk_builder *b, const char *path, const pk_load_options *options,
                                         pk_error *err);
PK_API pk_status pk_builder_add_compiled_memory(pk_builder *b, const void *data, size_t size,
                                                const char *file, const pk_load_options *options,
                                                pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
