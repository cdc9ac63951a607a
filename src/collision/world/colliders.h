/* What of a world can collide: the model's collision shapes and the solids of the ground.
 *
 *   colliders.c  geometry of shapes, and their poses
 *   filter.c     which pairs may collide at all
 *   near.c       which pairs may touch now
 *   contacts.c   where they touch
 *
 * Colliders stand in the order: shapes that move, shapes fixed in the world, solids; shapes among each other by their
 * index in the model. A pair (i, j) has i < j, so that its first one moves. */
#ifndef PKI_COLLISION_WORLD_COLLIDERS_H
#define PKI_COLLISION_WORLD_COLLIDERS_H

#include <stdint.h>

#include "collision/broad/broad.h"
#include "collision/narrow/method.h"
#include "collision/world/filter.h"
#include "dynamics/kernels.h"

/* The collision shapes of a model made ready. Immutable: worlds of the same model may share it. */
typedef struct pki_geometries {
  const pk_geometry **of; /* [nshape] NULL: to look at, or a mesh that was not read */
  pk_geometry **made;     /* [nmade] each once; owned */
  int nmade;
} pki_geometries;

/* Shapes with the same mesh have the same geometry. An error names the link and the shape. */
pk_status pki_geometries_create(const pk_model *model, pki_geometries **out, pk_error *err);
void pki_geometries_destroy(pki_geometries *g); /* NULL is fine */

/* Whether pki_geometries_create would do: `report` is called with what it would say of each shape that cannot collide. */
typedef void (*pki_shape_report)(const pk_error *err, void *user);
void pki_geometries_check(const pk_model *model, pki_shape_report report, void *user);

typedef struct pki_collider {
  const pk_geometry *geometry;
  const pki_narrow_form *form; /* that the narrow method needs of it; NULL: none */
  int geom;                    /* the model's shape; solids are counted after all shapes */
  int body;                    /* -1: fixed in the world */
  int link;                    /* -1: the ground */
  int robot;                   /* likewise */
  int material;                /* the ground's; -1: a shape of the model */
  unsigned group, mask;        /* a and b collide when group_a & mask_b and group_b & mask_a */
  pk_pose pose;                /* in the body */
  double centre[3];            /* of the ball around it, in the body; its radius is the geometry's bound */
} pki_collider;

/* What a pair of colliders remembers. */
typedef struct pki_remembered {
  int pair[2];
  pki_pair_memory memory;
} pki_remembered;

/* How much of a collider's placement is computed since its body's last move: nothing, its ball, its pose, its box. */
enum { PKI_PLACED_NOTHING, PKI_PLACED_BALL, PKI_PLACED_POSE, PKI_PLACED_BOX };

/* The order of pairs. */
static inline bool pki_pair_before(const int a[2], const int b[2])
{
  return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
}

typedef struct pki_colliders {
  const pk_model *model;
  const pki_geometries *geometries;
  const pk_terrain *ground; /* NULL: none */
  pki_filter filter;
  pk_broad_phase broad_kind;
  pk_narrow_method narrow;
  pki_narrow_form_options form_options;
  pki_narrow_form *shape_forms;  /* [geometries->nmade] of methods that need forms; NULL: none. Owned */
  pki_narrow_form *ground_forms; /* [ground->nsolid] likewise */
  int nmoving, nshape, n;        /* shapes that move, all shapes, all colliders */
  uint64_t hash;                 /* of the shapes */
  void *block;                   /* of what follows, owned: it is made anew with the ground */
  pki_collider *of;              /* [n] */
  /* at the last update: */
  double (*centre)[3];  /* [n] of the ball, world */
  pk_pose *pose;        /* [n] world; of moving ones where they are PKI_PLACED_POSE */
  pki_aabb *box;        /* [n] world; where they are PKI_PLACED_BOX */
  unsigned char *ready; /* [n] */
  /* who may touch: */
  bool listed;         /* all wanted pairs are in the list, */
  bool stale;          /* which the filter has outgrown */
  pki_box_pair *pairs; /* [room]: that list, or what the broad phase finds */
  int npair, room;
  double *wake;       /* [room] the clock at which a pair of that list could touch without a margin */
  int *start, *fixed; /* [nmoving+1] where a shape's pairs begin, and among them those with what is fixed */
  double (
      *first_wake)[2]; /* [nmoving] the earliest of each shape's, with what moves and with what is fixed */
  int *body; /* [n] families of the broad phase: shapes of one body, and all that is fixed, never meet */
  pki_aabb *reach;    /* [n] boxes of the broad phase, */
  double reach_of;    /* m, the margin that its pairs hold for; -1: none */
  double skin, built; /* m, and what they allow for travel, from this time of the clock on */
  pki_broad broad;
  /* how bodies move: */
  double *rim;        /* [nbody] m, how far from its origin a body's shapes reach */
  double (*last)[12]; /* [nbody] rotation and origin at the last move */
  double clock;       /* m, by how much two bodies can have come nearer since it began, at most */
  /* what pairs remember, sorted; from the sim's memory */
  pki_remembered *memory, *next, *kept; /* [memory_room] */
  int nmemory, nkept, memory_room;
  /* Pairs that are no matter of points: true: they are taken. `taken` is whose they are then. NULL: none. */
  bool (*takes)(void *taken, int i, int j);
  void *taken;
  /* the configuration that queries see */
  double *seen; /* [nq] */
  bool placed;  /* everything is where `seen` says */
} pki_colliders;

/* From the sim's arena: what does not depend on the room for contacts, and room for that many pairs to remember. The rest is
 * made by pki_colliders_init. */
void pki_colliders_carve(pki_colliders *c, const pk_model *model, pki_arena *arena);
void pki_colliders_carve_memory(pki_colliders *c, int max_contacts, pki_arena *arena);

/* Room for the pairs of as many contacts as there is memory for now; false: there is none, all stays as it was. */
bool pki_colliders_grow(pki_colliders *c);

/* Over geometries, which must outlive it; no ground. */
pk_status pki_colliders_init(pki_colliders *c, const pk_model *model, const pki_geometries *geometries,
                             pk_broad_phase broad, bool self_collision, pk_error *err);

/* The narrow method from now on; first of all after pki_colliders_init. PK_NARROW_METHOD_AUTO needs no call. */
pk_status pki_colliders_set_narrow(pki_colliders *c, pk_narrow_method narrow, pki_narrow_form_options options,
                                   pk_error *err);
void pki_colliders_free(pki_colliders *c);

/* The ground; NULL: none. Only solids that are there now collide. On failure all stays as it was. */
pk_status pki_colliders_set_ground(pki_colliders *c, const pk_terrain *ground, pk_error *err);

/* The collider of a shape of the model, -1: it has none. */
int pki_colliders_find(const pki_colliders *c, int shape);

/* All that moves follows pose and origin of a lane; balls, poses and boxes when they are asked for. */
void pki_colliders_move(pki_colliders *c, const pki_work *w, int lane);
void pki_colliders_ball(pki_colliders *c, const pki_work *w, int lane, int i);
void pki_colliders_pose(pki_colliders *c, const pki_work *w, int lane, int i);
void pki_colliders_box(pki_colliders *c, const pki_work *w, int lane, int i);

/* Everything at the workspace's configuration, for queries. */
void pki_colliders_place(pki_colliders *c, const pki_work *w, int lane);

/* Whether i and j collide at all, by filters. */
bool pki_colliders_want(const pki_colliders *c, int i, int j);

/* The filter has changed. */
void pki_colliders_refilter(pki_colliders *c);

/* Whether shapes of the model can touch each other at all. */
bool pki_colliders_touch(pki_colliders *c);

/* The pairs whose boxes are near each other (`margin` apart and more), sorted; -1: there is no room for them. They are in
 * c->pairs. */
int pki_colliders_pairs(pki_colliders *c, const pki_work *w, int lane, double margin);

/* Whether i and j may be within a margin; the poses of both are there then. */
bool pki_colliders_near(pki_colliders *c, const pki_work *w, int lane, int i, int j, double margin);

/* The same for pair `pair` of c->pairs; when it cannot, it sleeps until wake[pair] is reached by clock + margin. */
bool pki_colliders_awake(pki_colliders *c, const pki_work *w, int lane, int pair, double margin);

/* A hash of what collides in the model: shapes and where they are. */
static inline uint64_t pki_colliders_hash(const pki_colliders *c)
{
  return c->hash;
}

/* What pairs remember: forget it; keep it before a step that may fail, and go back to it. */
void pki_colliders_forget(pki_colliders *c);
void pki_colliders_keep(pki_colliders *c);
void pki_colliders_restore(pki_colliders *c);

/* Memory i of nmemory as plain numbers, geoms and features, and back; loading begins with i = 0 after a forget. Whether
 * this world can have such numbers behind those of the pair `last`, (-1, -1) at first, which becomes theirs. */
enum { PKI_MEMORY_INTS = 4 };
void pki_colliders_save(const pki_colliders *c, int i, int32_t out[PKI_MEMORY_INTS]);
void pki_colliders_load(pki_colliders *c, int i, const int32_t in[PKI_MEMORY_INTS]);
bool pki_colliders_check(const pki_colliders *c, const int32_t in[PKI_MEMORY_INTS], int last[2]);

#endif
