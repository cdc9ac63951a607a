/* What a fallible function returns, and the message that goes with it.
 *
 * Threads: all functions return constant texts and may run at any time. A pk_error belongs to its caller. */
#ifndef PRONK_STATUS_H
#define PRONK_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PK_API __attribute__((visibility("default")))
#else
#define PK_API
#endif

/* The version of these headers, for #if; pk_version is that of the library. */
#define PK_VERSION_MAJOR 0
#define PK_VERSION_MINOR 1
#define PK_VERSION_PATCH 0

/* Every status with its text. PK_OK is zero; all others are failures. */
#define PK_STATUS_LIST(X) \
  X(PK_OK, "ok") \
  X(PK_ERROR_ARGUMENT, "an argument is out of its range") \
  X(PK_ERROR_MEMORY, "out of memory") \
  X(PK_ERROR_FILE, "a file cannot be read or written") \
  X(PK_ERROR_SYNTAX, "a file is not well formed") \
  X(PK_ERROR_MODEL, "the model cannot be built as it is described") \
  X(PK_ERROR_UNSUPPORTED, "this combination is not offered") \
  X(PK_ERROR_LIMIT, "the input is larger than the limit") \
  X(PK_ERROR_NONFINITE, "a value became infinite or not a number") \
  X(PK_ERROR_CONVERGENCE, "an iteration did not reach its tolerance") \
  X(PK_ERROR_REACH, "a leg does not reach the place of its foot") \
  X(PK_ERROR_SINGULAR, "a leg cannot move its foot in every direction") \
  X(PK_ERROR_NAME, "a name is unknown, or is there twice") \
  X(PK_ERROR_MASS, "a body has masses or moments that no body can move with") \
  X(PK_ERROR_MESH, "a mesh is no shape that can collide")

#define PK_STATUS_ENUM(name, text) name,
typedef enum pk_status { PK_STATUS_LIST(PK_STATUS_ENUM) PK_STATUS_COUNT } pk_status;
#undef PK_STATUS_ENUM

/* A failure that a user can act on. Functions that take a `pk_error *` accept NULL. */
typedef struct pk_error {
  /* What the function returned. */
  pk_status status;
  /* 1-based line in `file`; 0 when there is none. */
  int line;
  /* Element, attribute or option at fault; "" when there is none. */
  char field[96];
  /* Path as the user gave it; "" when there is none. */
  char file[256];
  /* What was found, what was expected, what to do. */
  char message[640];
} pk_error;

/* The one-line text of a status; never NULL. */
PK_API const char *pk_status_text(pk_status status);

/* The version of the library, "MAJOR.MINOR.PATCH". */
PK_API const char *pk_version(void);

#ifdef __cplusplus
}
#endif
#endif
