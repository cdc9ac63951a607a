/* Compliant pairs of a world: two shapes whose surfaces give way where they overlap (pronk/compliance.h) instead of touching in
 * points. Each pair that overlaps is a patch (contact/compliant/patch.h) with a wrench w(V) of the relative twist V = J v.
 *
 *   soft_pairs.c  who is soft, the patches of a configuration
 *   soft_memory.c memory for them
 *   soft_rows.c   pairs of two moving bodies as rows of the step's problem
 *   soft_step.c   the implicit step: Newton on the velocity at the end
 *   soft_force.c  forces at a state, for explicit schemes; energies
 *   soft_show.c   patches as contacts, and their pressures
 *
 * docs/theory/stepping.md has the equations. */
#ifndef PKI_STEP_SOFT_H
#define PKI_STEP_SOFT_H

#include "contact/compliant/patch.h"
#include "contact/rows/twist_rows.h"
#include "step/world.h"

/* What is said of a pair of surfaces, or of a surface and a material (material -1: `with` is the other surface, not before the
 * first), whatever each of them has. */
typedef struct pki_soft_rule {
  int surface, material, with;
  bool hard;
  pk_compliance both;
} pki_soft_rule;

/* A pair that overlaps in a step, or may before its end. */
typedef struct pki_soft_patch {
  int geom[2], body[2]; /* as pki_contact has them */
  int collider[2];
  pk_pose pose[2]; /* of the two, when they were found */
  int material;
  pki_patch patch;
  pki_twist_rows rows; /* of the twist of the first body relative to the second, at patch.at */
  bool between;        /* two bodies that move: its slope is rows of the problem, not part of M~ */
  double extent;       /* m, from `at` to the farthest element */
  double start[6];     /* J u at the start of the step */
  double look;         /* s, as pki_soft.look */
  /* The law is w + C (V - twist) there; `wrench` is what a solution with that velocity had. */
  double twist[6], wrench[6];
  pki_press press;
  /* Of the last solution. */
  double end_twist[6], end_wrench[6];
  pki_press end;
  /* Of pairs of moving bodies: C = sum of G_i D_i G_i', rows G_i' V. */
  int nrow;
  double G[6][6], D[6];
  double *Y[2], *Z[2]; /* [depth][4] whitened rows, angular and linear */
} pki_soft_patch;

/* An element that presses. */
typedef struct pki_soft_spot {
  double arm[3], force[3]; /* m, N: as pki_patch has them */
  double place[2];         /* m, along the sides of a rectangle */
} pki_soft_spot;

/* What a search for patches is for. */
typedef enum pki_soft_search {
  PKI_SOFT_SEARCH_NONE,    /* nothing: soft pairs are left out */
  PKI_SOFT_SEARCH_PATCHES, /* the step's patches */
  PKI_SOFT_SEARCH_AHEAD,   /* the step's patches, and hard pairs are left out */
  PKI_SOFT_SEARCH_ENERGY,  /* the energy that is stored */
} pki_soft_search;

/* Allocated when a world gets its first compliance. */
struct pki_soft {
  /* ---- who is soft: changed by the user alone ---- */

  pk_compliance surface[PKI_SURFACE_MAX], material[PKI_MATERIAL_MAX];
  bool soft_surface[PKI_SURFACE_MAX], soft_material[PKI_MATERIAL_MAX];
  pki_soft_rule rules[PKI_PAIR_MAX];
  int nrule;

  /* ---- memory: made anew with what it depends on ---- */

  void *block;
  bool planned;        /* the memory has room for all that there is */
  bool checked;        /* there are laws for all pairs that are soft */
  char why[512];       /* which pair has none */
  int room, elements;  /* patches, elements of all patches together */
  pki_patch found;     /* of one pair */
  void *scratch;       /* of its search, */
  size_t scratch_size; /* bytes */
  pki_soft_patch *patches;
  void *pool; /* of the patches' elements, */
  size_t pool_size;
  pki_arena rest;       /* and what is left of it */
  double *M;            /* [nM] without slopes of patches */
  double *x;            /* [nu] scratch */
  double (*forces)[3];  /* [elements] N, of all patches of the last step, one after the other */
  pki_soft_spot *spots; /* scratch for the elements of one patch */

  /* ---- a step ---- */

  pki_soft_search search;
  int npatch;
  int used;        /* elements of the patches */
  bool unsearched; /* the step has not looked for its patches yet */
  bool full;       /* there was no room for all */
  double margin;   /* m, elements that are open by less are looked at, beside what bodies travel */
  double within;   /* m, that of the two bodies that travel most */
  bool ahead;    /* it is more than hard contacts are looked for in: soft pairs have a search of their own */
  double look;   /* s, forces are those of depths so much later; 0: of the depths as they are */
  double past;   /* s, from the start of the step to the configuration of the patches */
  double energy; /* J, of a search for it */
  int rounds;    /* of Newton */
  bool near;     /* the next solution needs no slopes */
  bool kept;     /* slopes are those of the round before, and the factor of M~ has them */
  bool settled;
  double residual, scale; /* m/s */
  /* Of schemes of smooth motion: */
  pk_status status;
  const char *term;  /* what is wrong */
  int body;          /* and with which body */
  double work, loss; /* J, as pk_step_info has them */
  bool shown;        /* `forces` are those of the last step, */
  int ncontact;      /* and so many contacts stand for its patches */
};

/* ---- who is soft ---- */

/* The surfaces of colliders i and j; false: the pair is hard. */
bool pki_soft_surfaces(const pk_sim *sim, int i, int j, const pk_compliance *out[2]);

/* Pairs of colliders that may meet and are soft, in a world with compliance; `visit` returns false to stop. */
typedef bool pki_soft_visitor(pk_sim *sim, int i, int j, const pk_compliance *const of[2], void *user);
void pki_soft_visit_pairs(pk_sim *sim, pki_soft_visitor *visit, void *user);

/* Whether some pair of colliders that may meet is hard, in a world with compliance. */
bool pki_soft_has_hard_pair(const pk_sim *sim);

/* The largest coefficient of friction that the law of a soft pair has, apart from viscous friction; false: it is hard. */
bool pki_soft_friction(const pki_scene *c, const pki_contact *f, double *mu);

/* Whether laws are there for all pairs of colliders that are soft; a message names one for which there is none. */
pk_status pki_soft_check(pk_sim *sim, pk_error *err);

/* The compliances of another sim of the same model, and whether two have the same (sim/sim_compliance.c). */
pk_status pki_sim_soft_like(pk_sim *sim, const pk_sim *other, pk_error *err);
bool pki_sim_soft_as(const pk_sim *sim, const pk_sim *other);

/* Compliances, shapes or the ground have changed: memory for them, whoever may collide. Does nothing in a world without compliance. */
pk_status pki_soft_plan(pk_sim *sim, pk_error *err);

/* Who may collide has changed, the memory has not. */
void pki_soft_refilter(pk_sim *sim);

/* Memory and laws are there for all pairs of a world that may have changed; if not, the info names a pair. */
pk_status pki_soft_ready(pk_sim *sim, pk_step_info *info);

/* The term of a step of smooth motion in which a hard pair touched. */
#define PKI_SOFT_HARD_CONTACT "a hard contact"

/* The term of a step that found more patches or elements than there is memory for. */
#define PKI_SOFT_FULL "memory of compliant pairs"

/* Twice as much memory; false: there is none. */
bool pki_soft_grow(pk_sim *sim);
void pki_soft_free(pk_sim *sim);

/* Soft pairs are taken from the world's search for contacts, or are no longer. */
void pki_soft_attach(pk_sim *sim, bool on);

/* ---- a step ---- */

/* Some patches have slopes in this step. */
static inline bool pki_soft_acts(const pk_sim *sim)
{
  const struct pki_soft *s = sim->scene.soft;
  return s != NULL && s->npatch > 0 && s->look > 0;
}

/* A search for the patches of an implicit step is still to come: M~ without them is of no use. */
static inline bool pki_soft_awaits(const pk_sim *sim, bool implicit)
{
  const pki_scene *c = &sim->scene;
  return c->soft != NULL && c->soft->unsearched && implicit && (c->terrain != NULL || c->bodies_touch);
}

/* Patches of the step are looked for by the next search for contacts, within `margin`, at the workspace's configuration, whose twists are
 * those of the bodies; the step began `past` before it. */
void pki_soft_begin_search(pk_sim *sim, double look, double past, double margin);

/* The search is over; false: there was no room. */
bool pki_soft_end_search(pk_sim *sim, pk_step_info *info);

/* Rows of all patches, and their forces at velocities u [nu], with slopes when `look` > 0. */
void pki_soft_press(pk_sim *sim, const double *u);

/* Slopes of the patches that are in M~ join the workspace's M, and dt times what all patches do apart from them x [nu]. */
void pki_soft_stiffen(pk_sim *sim, double *x);

/* Patches between moving bodies, how many rows they have, and these, behind bilateral rows. */
int pki_soft_between(const pk_sim *sim);
int pki_soft_row_count(const pk_sim *sim);
void pki_soft_add_rows(pk_sim *sim, const double *u_free);

/* Whether they are too many to be solved without the contact solver; and u [nu], the free velocity, becomes the one with them where the
 * problem has no other rows. False: there are none. What loops give for them is left in the plan (pki_bilateral_read). */
bool pki_soft_needs_rows(const pk_sim *sim);
bool pki_soft_correct(pk_sim *sim, double *u);

/* The velocities u_end [nu] of a solution: whether the patches' laws hold there. If not, they are taken anew at these velocities or on
 * the way to them: true. */
bool pki_soft_relinearise(pk_sim *sim, const double *u_end);

/* The step's velocities u_end stand: certificate, work, contacts. */
void pki_soft_finish(pk_sim *sim, const double *u_end, pk_step_info *info);

/* ---- forces at a state ---- */

/* out [nu] += J' w at a state, for a step that takes forces at its start. */
pk_status pki_soft_add_forces(pk_sim *sim, const double *q, const double *u, double *out, pk_step_info *info);

/* Schemes of smooth motion, which know no other contact: a step begins, or a stage that is tried; forces at a stage of it, which counts
 * with a weight in what the forces do in the step; what was wrong at the last stage; the step has ended, at its last stage. Does nothing
 * in a world without compliance. PK_ERROR_UNSUPPORTED: a pair that is hard touched. */
void pki_soft_begin_smooth(pk_sim *sim);
pk_status pki_soft_add_smooth(pk_sim *sim, const double *q, const double *u, double weight, double *out);
pk_status pki_soft_explain_smooth(const pk_sim *sim, pk_step_info *info);
pk_status pki_soft_end_smooth(pk_sim *sim, pk_step_info *info);

/* J, stored at the state of the sim; NAN where a pair has no law. */
double pki_soft_energy(pk_sim *sim);

/* ---- what one sees ---- */

/* The world was put elsewhere: there are no pressures of the last step. */
static inline void pki_soft_forget(pk_sim *sim)
{
  if (sim->scene.soft != NULL) {
    sim->scene.soft->shown = false;
  }
}

/* Patches become contacts of the last step: those of faces the four corners of the rectangle around the elements that press, two where
 * these lie on a line, always with the same ids; those of one or two elements, of Hertz, or where there is no room, one at the centre of
 * pressure. Forces sum to that of the pair. So do the moments of four where the patch is flat; what is left out is sum h n x F of elements
 * that lie higher than the plane of the corners by h. One contact has no moment about the normal. */
enum { PKI_SOFT_SHOWN = 4 };
void pki_soft_show(pk_sim *sim);

#endif
