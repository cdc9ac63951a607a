/* A scenario: who is in the world, what they stand on, how it is stepped, who commands them, what disturbs them.
 *
 *   scenario.yaml -> document.c (nodes) -> read.c (by field tables) -> pki_scenario -> world.c -> pk_sim
 *
 * docs/formats/scenario.md describes the file; tables.c holds the tables that it follows. */
#ifndef PKI_SCENARIO_SCENARIO_H
#define PKI_SCENARIO_SCENARIO_H

#include "base/folders.h"
#include "gait/registry.h"
#include "pronk/sim.h"
#include "scenario/read.h"

/* One entry of `models`. */
typedef struct pki_scenario_model {
  char model[256], prefix[64];
  pk_root_kind root;
  double position[3], rpy[3], quaternion[4];
  const pki_node *node;
} pki_scenario_model;

/* One entry of `push`. */
typedef struct pki_scenario_push {
  char link[128];
  double at, duration; /* s */
  double force[3];     /* N, world */
  double point[3];     /* m, link frame */
  const pki_node *node;
} pki_scenario_push;

/* One entry of `materials`. */
typedef struct pki_scenario_material {
  const char *name;
  pk_material material;
} pki_scenario_material;

/* One entry of `pairs`. */
typedef struct pki_scenario_pair {
  char surface[64], material[64];
  pk_material law;
} pki_scenario_pair;

typedef struct pki_scenario {
  pki_document *document; /* names and nodes point into it */
  char file[PKI_PATH_MAX];
  char name[64], description[512];
  double gravity[3]; /* m/s^2 */
  double duration;   /* s */
  double certify;    /* bound on each step's relative residual; 0: none */
  int seed;

  pki_scenario_model *models; /* [nmodel] */
  int nmodel;
  const pki_node *coordinates; /* NULL: minimal */
  pk_terrain *terrain;         /* NULL: none */
  pki_scenario_material *materials;
  int nmaterial;
  const pki_node *pairs; /* NULL: none */
  pk_sim_options step;
  const pki_controller_row *controller; /* NULL: none */
  void *controller_options;             /* of the row's type */
  const pki_node *controller_node;
  pki_scenario_push *pushes; /* [npush] */
  int npush;
} pki_scenario;

/* Read a scenario from text, or from a file; `sets` are "a.b=c" overrides. On failure *out is NULL. */
pk_status pki_scenario_parse(const char *file, const char *text, size_t size, const char *const *sets,
                             int nset, pki_scenario **out, pk_error *err);
pk_status pki_scenario_load(const char *path, const char *const *sets, int nset, pki_scenario **out,
                            pk_error *err);
void pki_scenario_destroy(pki_scenario *scenario);

/* --- locate.c --- */

/* The file of `name`: a path, or the name of a scenario in one of the scenarios folders (./scenarios,
 * PRONK_SCENARIOS, beside the program, installed), with or without .yaml. */
pk_status pki_scenario_locate(const char *name, char path[PKI_PATH_MAX], pk_error *err);

/* It looks like the name of a scenario's file: it ends in .yaml or .yml. */
bool pki_is_scenario_name(const char *name);

typedef struct pki_scenario_entry {
  char name[64];
  char path[PKI_PATH_MAX];
} pki_scenario_entry;

/* All scenarios by name, for free(); NULL when there are none. */
pki_scenario_entry *pki_scenario_list(int *count);

/* --- world.c --- */

/* A world that is ready to step. */
typedef struct pki_world {
  const pki_scenario *scenario;
  pk_model *model;
  pk_sim *sim;
  pk_controller *controller;
  int *push_link; /* [npush] */
} pki_world;

/* Model, world, controller, initial pose. Names that the model does not have are failures with their line. */
pk_status pki_world_create(const pki_scenario *scenario, pki_world *out, pk_error *err);
void pki_world_free(pki_world *world);

/* One step, with the pushes that act in it. */
pk_status pki_world_step(pki_world *world, pk_step_info *info);

/* --- terrain.c --- */

/* The list at `terrain`; *out is NULL when the scenario has none. */
/* Which of the scenario's materials has that name; `node` is where it was asked for. */
pk_status pki_scenario_find_material(const pki_scenario *scenario, const pki_node *node, const char *name,
                                     int *out, pk_error *err);

pk_status pki_scenario_terrain(const pki_scenario *scenario, const pki_node *list, pk_terrain **out,
                               pk_error *err);

/* --- surfaces.c --- */

/* Surfaces of links and what they do on the ground. */
pk_status pki_scenario_surfaces(const pki_scenario *scenario, pk_sim *sim, pk_error *err);

/* --- tables.c: the schema --- */

typedef struct pki_schema_table {
  const char *name, *doc; /* where it applies */
  const pk_field *fields;
  const int *count;
} pki_schema_table;

extern const pki_schema_table pki_schema[];
extern const int pki_schema_count;

/* Kinds of ground. */
typedef enum pki_solid_kind {
  PKI_SOLID_PLANE,
  PKI_SOLID_BOX,
  PKI_SOLID_STAIRS,
  PKI_SOLID_HEIGHTS,
  PKI_SOLID_COUNT
} pki_solid_kind;

typedef struct pki_solid {
  pki_solid_kind shape;
  char material[64];
  double position[3], normal[3], rpy[3], size[3];
  double depth, height, width, cell;
  int count;
} pki_solid;

typedef struct pki_controller_name {
  char name[64];
} pki_controller_name;

extern const pk_field pki_scenario_fields[], pki_scenario_model_fields[], pki_scenario_push_fields[],
    pki_pair_fields[], pki_preset_fields[], pki_controller_name_fields[], pki_solid_shape_fields[],
    pki_plane_fields[], pki_box_fields[], pki_stairs_fields[], pki_heights_fields[];
extern const int pki_scenario_field_count, pki_scenario_model_field_count, pki_scenario_push_field_count,
    pki_pair_field_count, pki_preset_field_count, pki_controller_name_field_count,
    pki_solid_shape_field_count, pki_plane_field_count, pki_box_field_count, pki_stairs_field_count,
    pki_heights_field_count;

#endif
