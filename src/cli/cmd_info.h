/* What `pronk info` knows about a model. */
#ifndef PKI_CLI_CMD_INFO_H
#define PKI_CLI_CMD_INFO_H

#include <stdbool.h>

#include "cli/load_model.h"
#include "pronk/dynamics.h"

typedef struct pki_info {
  const pk_model *model;
  const char *path;
  int warnings;

  /* at the initial pose */
  double com[3]; /* of everything that moves, m */
  bool has_extent;
  double least[3], most[3]; /* box around the shapes (collision, or visual where there are none), m */

  /* counts */
  int fixed_links; /* merged into a body, or fixed in the world */
  int massless_links;
  int collision_shapes, visual_shapes;
  long triangles;

  /* of each body */
  int *joint;  /* that moves it, -1 for a root or a helper */
  int *parent; /* as users see it: helpers of planar joints and chain roots skipped; -1: the world */
  int *merged; /* links fixed to it, its own not counted */
} pki_info;

/* info_measure.c; false when out of memory. */
bool pki_info_measure(const pki_loaded *loaded, pki_info *out);
void pki_info_free(pki_info *info);

/* Mass, centre of mass and moments about it (xx xy xz yy yz zz) in the frame of the body's link. */
pk_inertia pki_info_inertia(const pk_model *model, int body);

/* info_text.c, info_json.c; false after a complaint when memory is out. */
bool pki_info_print_text(const pki_info *info);
bool pki_info_print_json(const pki_info *info);

/* info_legs.c: the limbs of the first robot, as text or JSON; the exit status. */
int pki_info_print_legs(const pki_info *info, bool json);

/* The same for a recording; the exit status. */
/* The same of a motor, by its name or its file. */
int pki_info_motor(const pki_args *args, const char *name);

int pki_info_recording(const pki_args *args, const char *path);

#endif
