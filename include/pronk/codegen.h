/* A robot's dynamics as C code of its own: straight lines of arithmetic for one model, without a dependency
 * but libm.
 *
 *   pk_codegen_options o = pk_codegen_options_default();
 *   pk_codegen_info info;
 *   snprintf(o.functions, sizeof o.functions, "aba,crba");
 *   pk_codegen_write(model, &o, "ur10-code", &info, &err);
 *
 * writes NAME.h, NAME.c (or one file for each function), NAME_lanes.h, test_NAME.c, CMakeLists.txt and
 * README.md. Names of robot, links and joints stand in their comments; signs that could end a comment are _
 * there. docs/codegen.md shows how to use them; docs/theory/symbolic.md tells how they are made.
 *
 * Threads: all functions may run at the same time, as long as they write into different folders. */
#ifndef PRONK_CODEGEN_H
#define PRONK_CODEGEN_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_codegen_options {
  /* Of the files, and what functions' names begin with; "": the robot's name. Default "". */
  char name[49];
  /* Which ones, by comma (pk_codegen_function_name); "": all. Default "". */
  char functions[513];
  /* What stays an input, by comma: inertia, position, gravity, armature; "": nothing. Default "". */
  char parameters[129];
  /* How many states the self-test compares, 1 to 64. Default 4. */
  int states;
} pk_codegen_options;

/* Defaults, and the first option that is out of its range by name (functions are looked up when they are
 * written). */
PK_API pk_codegen_options pk_codegen_options_default(void);
PK_API pk_status pk_codegen_options_validate(const pk_codegen_options *options, pk_error *err);

/* The functions that there are: how many, their names, what they compute. */
PK_API int pk_codegen_function_count(void);
PK_API const char *pk_codegen_function_name(int function);
PK_API const char *pk_codegen_function_about(int function);

enum { PK_CODEGEN_FUNCTIONS = 16, PK_CODEGEN_FILES = 24 };

typedef struct pk_codegen_function {
  /* As pk_codegen_function_name. */
  char name[40];
  /* Additions, multiplications, divisions and roots of the algorithm as it is written. */
  int before;
  /* The same of the code. */
  int after;
  /* Statements of the code. */
  int statements;
} pk_codegen_function;

typedef struct pk_codegen_info {
  /* That was chosen for the files. */
  char name[49];
  /* How many files were written. */
  int nfile;
  /* [nfile] their names within the folder. */
  char files[PK_CODEGEN_FILES][96];
  /* How many functions they hold. */
  int nfunction;
  /* [nfunction] what became of each. */
  pk_codegen_function functions[PK_CODEGEN_FUNCTIONS];
} pk_codegen_info;

/* Write the code of a model into a folder, which is made when it is not there; files of these names are
 * replaced. options NULL: the defaults; info NULL: not wanted. PK_ERROR_UNSUPPORTED: the model has loops or
 * cut joints, or no velocity; PK_ERROR_ARGUMENT: no such function, parameter or name. */
PK_API pk_status pk_codegen_write(const pk_model *model, const pk_codegen_options *options,
                                  const char *folder, pk_codegen_info *info, pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
