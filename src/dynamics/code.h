/* A model's own code in place of the generic kernels.
 *
 * The symbolic stage writes C for one model, has it compiled and loads it (symbolic/code/compiled_code.h); a workspace and a step only know
 * what came of it: for each lane count a table of its functions, and a kernel table in which those that exist stand for
 * the generic ones.
 *
 *   robot_inertial, robot_inertial_x4, ...  ->  pki_code_functions.inertial  ->  pki_kernels.inertial (a wrapper)
 *
 * The wrappers hand the arrays of pki_work over, so that what the generic kernel leaves for others to read is there after
 * the compiled one, too; where code gives less than that it has an entry of its own in the table (acceleration,
 * inverse). A missing function means the generic kernel. Lengths, gravity and damping are constants of the code; inertias are
 * read from the parameter block, regrouped (params.grouped). Accelerations and inverse dynamics are there twice: with the
 * model's inertias as constants, which zeros in them make up to half as long, and open, for worlds whose inertias vary.
 *
 * Arrays as in kernels.h, but bodies from body 0 on: the world in front of them is not the code's business. */
#ifndef PKI_DYNAMICS_CODE_H
#define PKI_DYNAMICS_CODE_H

#include <stdbool.h>

#include "dynamics/kernels.h"
#include "pronk/dynamics.h"

/* What code can hold, each NULL when it does not. */
typedef struct pki_code_functions {
  void (*kinematics)(const double *q, double *pose, double *origin);
  void (*inertial)(const double *q, const double *u, const double *inertia, const double *diag, double *pose,
                   double *origin, double *twist, double *h, double *M);
  void (*free_velocity)(const double *q, const double *u, const double *inertia, const double *diag,
                        const double *force, const double *gain, const double *dt, double *pose,
                        double *origin, double *twist, double *L, double *x);
  void (*factor)(const double *M, double *L);                  /* L may be M */
  void (*solve)(const double *L, const double *b, double *x);  /* x may be b */
  void (*finish)(const double *L, const double *b, double *x); /* likewise */
  /* with the model's inertias, and nothing but its armature on the diagonal of M */
  void (*acceleration)(const double *q, const double *u, const double *tau, double *a);
  void (*bias)(const double *q, const double *u, double *h);
  void (*rnea)(const double *q, const double *u, const double *a, double *tau);
  /* with any; diag is zero where the model has no armature */
  void (*acceleration_open)(const double *q, const double *u, const double *tau, const double *inertia,
                            const double *diag, double *a);
  void (*rnea_open)(const double *q, const double *u, const double *a, const double *inertia,
                    const double *armature, double *tau);
  const pki_kernels *generic; /* what stands in where code knows less; never NULL once wrapped */
} pki_code_functions;

/* The list of them: "kinematics" is robot_kinematics in the code. */
typedef struct pki_code_entry {
  const char *name;
  size_t offset; /* in pki_code_functions */
} pki_code_entry;

extern const pki_code_entry pki_code_entries[];
extern const int pki_code_entry_count;

/* The code of one lane count. */
typedef struct pki_code_lanes {
  int lanes; /* 0: there is none */
  pki_code_functions functions;
  pki_kernels kernels; /* the generic ones of this machine, but for what the functions do */
} pki_code_lanes;

enum { PKI_LANE_COUNTS = 3 };
extern const int pki_lane_counts[PKI_LANE_COUNTS]; /* 1, 4, 8 */

struct pk_code {
  unsigned long long model;              /* its hash */
  pki_code_lanes lanes[PKI_LANE_COUNTS]; /* as pki_lane_counts */
};

/* The kernel table of functions that are filled in, for so many lanes. */
void pki_code_wrap(pki_code_lanes *code, int lanes);

/* The code for so many lanes; NULL: there is none, or code is NULL. */
const pki_code_lanes *pki_code_find(const pk_code *code, int lanes);

/* It is code of this model, and for so many lanes; else the message tells. NULL is fine. */
pk_status pki_code_check(const pk_code *code, const pk_model *model, int lanes, pk_error *err);

/* A lane group works with code from now on, NULL: the generic kernels. Returns the kernels to call. */
const pki_kernels *pki_work_use(pki_work *work, const pki_code_lanes *code);

#endif
