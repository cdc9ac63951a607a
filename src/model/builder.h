/* What a builder collects: descriptions in the order they came, and remarks. Loaders add
 * to it through the public functions; the compiler (compile.c) reads it. */
#ifndef PKI_MODEL_BUILDER_H
#define PKI_MODEL_BUILDER_H

#include "base/error.h"
#include "model/equipment.h"
#include "pronk/builder.h"

/* Bounds on what a world may hold; beyond them loading is an error. */
enum { PKI_DIAGNOSTIC_MAX = 1000, PKI_LINK_MAX = 1000000 };

/* The gravity of a world for which nobody has set another, m/s^2. */
extern const double pki_usual_gravity[3];

/* Descriptions with names resolved to owned strings, and the robot they belong to. */
typedef struct pki_robot {
  pk_robot_desc desc;
  bool strict;          /* its warnings are errors */
  bool balance_inertia; /* moments that no body has are mended; else an error */
} pki_robot;

typedef struct pki_link {
  pk_link_desc desc;
  int robot;
} pki_link;

typedef struct pki_joint {
  pk_joint_desc desc;
  int robot;
} pki_joint;

typedef struct pki_constraint {
  pk_constraint_desc desc;
} pki_constraint;

/* A joint to cut, by its full name. */
typedef struct pki_cut {
  const char *joint;
} pki_cut;

typedef struct pki_shape {
  pk_shape_desc desc; /* desc.mesh is unused: `mesh` indexes the builder's meshes; desc.heights is owned */
  int robot, mesh;
} pki_shape;

struct pk_builder {
  double gravity[3], magnetic[3];
  bool strict, balance_inertia; /* of robots that are added now: those of the load under way */
  pki_robot *robots;
  pki_link *links;
  pki_joint *joints;
  pki_shape *shapes;
  pki_constraint *constraints;
  pki_cut *cuts;
  bool cut_all;
  pki_equipment equipment;
  pk_mesh *meshes;           /* owned copies, each once: added again when the pointer was seen before */
  const pk_mesh **mesh_keys; /* the caller's pointers, valid within one loader's run */
  bool loading;              /* a file is being read; of that load: */
  int load_mesh;             /* its first mesh */
  long long mesh_uses;       /* vertices and triangles so far, each as often as shapes use it */
  pk_builder_diagnostic *diagnostics;
  int nrobot, nlink, njoint, nshape, nmesh, ndiagnostic, nconstraint, ncut;
  int constraint_cap, cut_cap, robot_cap, link_cap, joint_cap, shape_cap, mesh_cap, diagnostic_cap;
  int nerror, nwarning; /* remarks made, those beyond PKI_DIAGNOSTIC_MAX included */
};

/* From here to pki_builder_end_load, robots and remarks are those of a file read with these options. Robots that are
 * described in code are neither strict nor balanced. */
void pki_builder_begin_load(pk_builder *b, const pk_load_options *options);
void pki_builder_end_load(pk_builder *b);

/* The robot of a remark that a loader makes, which may come before the robot is added. */
enum { PKI_ROBOT_LOADING = -1 };

/* A remark at a place in the user's input. `kind` is a short word for what was found, static; `status` that of the
 * error that the warning becomes when its robot is read strictly. Errors, and likewise warnings, beyond
 * PKI_DIAGNOSTIC_MAX only count. */
__attribute__((format(printf, 6, 7))) void pki_builder_warn(pk_builder *b, int robot, const char *kind,
                                                            pk_status status, pki_where where,
                                                            const char *format, ...);
__attribute__((format(printf, 4, 5))) void pki_builder_error(pk_builder *b, pk_status status, pki_where where,
                                                             const char *format, ...);

/* How many errors have been reported so far. */
int pki_builder_error_count(const pk_builder *b);

/* PK_OK when no error came after the first `before` ones; else that error in `err`, and its status. */
pk_status pki_builder_verdict(const pk_builder *b, int before, pk_error *err);

/* Shared by the files that add to a builder: room for one more element, false without memory; a copy of a text,
 * NULL for NULL, `ok` turning false without memory; freeing one; the error for no memory. */
bool pki_builder_grow(void **array, int count, int *cap, size_t size);
const char *pki_builder_copy(const char *text, bool *ok);
void pki_builder_free_text(const char *text);
pk_status pki_builder_no_memory(pk_error *err);

/* The name of a `what` is there, and a robot was started that it belongs to. */
pk_status pki_builder_check_name(const pk_builder *b, const char *what, const char *name, pk_error *err);

/* A friction of a description: a coefficient, 0 for none of its own, or -1 for ice. */
bool pki_is_friction(double friction);

/* The index of a shape's mesh, which is checked and copied when it is new; free all but the first meshes. */
pk_status pki_builder_keep_mesh(pk_builder *b, const pk_shape_desc *shape, int *index, pk_error *err);
void pki_builder_drop_meshes(pk_builder *b, int keep);

/* Free the descriptions of constraints and cuts beyond the first ones. */
void pki_builder_drop_constraints(pk_builder *b, int keep, int keep_cuts);

/* Remember how much there is; go back to it, keeping the diagnostics (a loader that fails). */
typedef struct pki_builder_mark {
  int nrobot, nlink, njoint, nshape, nmesh, nconstraint, ncut;
  bool cut_all;
  double gravity[3], magnetic[3];
  pki_equipment_mark equipment;
} pki_builder_mark;

pki_builder_mark pki_builder_get_mark(const pk_builder *b);
void pki_builder_rollback(pk_builder *b, pki_builder_mark mark);

/* How many sizes shapes of a kind have. */
int pki_shape_sizes(pk_shape_kind kind);

#endif
