/* Reading MJCF, MuJoCo's XML format: from bytes to descriptions in a builder. What is read and how it is translated
 * is docs/formats/mjcf.md; MuJoCo's XML reference is the authority.
 *
 *   bytes -> scan and parse (urdf_scan.c, urdf_xml.c)   shared with URDF: limits, encoding, well-formed XML
 *         -> nodes (mjcf_file.c, mjcf_node.c)           a tree of our own; <include> is replaced by what it names
 *         -> check (mjcf_check.c)                       structure and values against one table (mjcf_spec*.c)
 *         -> settings, classes (mjcf_settings.c, mjcf_default.c)
 *         -> copies (mjcf_attach.c, mjcf_replicate.c)   of what is attached and replicated
 *         -> bodies (mjcf_body.c, mjcf_joint.c, mjcf_geom.c, mjcf_mesh.c, mjcf_mass.c)   the lists below
 *         -> the builder (mjcf_emit.c, and a file for each section that follows <worldbody>)
 *
 * After the check every value is known to be of its type, so that reading a value cannot fail: what is wrong later is
 * what several values say together. Everything wrong is reported through the builder's diagnostics; the load goes on
 * to find more, and fails at its end.
 *
 * A value of an element is looked up in three places: its own attributes, those of its default class and of the
 * classes around it, what the format says where nothing is written. Vectors may be shorter than they could be, and
 * then leave the rest as the class has it.
 *
 * Bodies become links. A body with one joint at its own origin is one link. Otherwise each of its joints moves a link
 * of its own without mass, at the joint's point, and the body follows the last of them by a fixed joint:
 *
 *   parent -- origin at pos 1 -- joint 1 --> BODY:JOINT1 -- pos 2 - pos 1 -- joint 2 --> BODY:JOINT2 -- fixed, -pos 2 --> BODY
 *
 * so that the link called BODY has the body's frame, which sites, shapes and sensors refer to. */
#ifndef PKI_MODEL_MJCF_H
#define PKI_MODEL_MJCF_H

#include <libxml/hash.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/builder.h"
#include "model/mesh.h"
#include "model/mesh_collide.h"
#include "model/urdf.h"

/* Bounds on what a file may ask for, far above any real robot. */
enum {
  PKI_MJCF_MAX_DEPTH = 400,       /* of nested elements, with what is included and attached */
  PKI_MJCF_MAX_TAG = 8 << 20,     /* bytes from < to >: meshes may be written in place */
  PKI_MJCF_MAX_FILES = 200,       /* included and attached */
  PKI_MJCF_MAX_NODES = 2000000,   /* after all copies */
  PKI_MJCF_MAX_NUMBERS = 1000000, /* in one attribute */
  PKI_MJCF_MAX_ROBOTS = 10000,
  PKI_MJCF_MAX_NAME = 256 /* bytes of a name, prefixes included */
};

/* ---- the tree ---- */

typedef struct pki_mjcf_attribute {
  const char *name, *value;
  struct pki_mjcf_attribute *next;
} pki_mjcf_attribute;

struct pki_mjcf_row;

/* What <compiler> says, for all elements of one file and of those that it includes. */
typedef struct pki_mjcf_settings {
  bool degrees; /* angles are in degrees */
  char eulerseq[4];
  bool autolimits; /* a range limits without saying so */
  bool balance, discard_visual, strip_path, align_free, fit_aabb, exact_meshes;
  double bound_mass, bound_inertia, total_mass; /* total_mass <= 0: as it is */
  enum { PKI_MJCF_INERTIA_NEVER, PKI_MJCF_INERTIA_ALWAYS, PKI_MJCF_INERTIA_AUTO } from_geoms;
  int inertia_group[2];
  const char *mesh_dir;           /* "": the folder of the file */
  const char *main_class;         /* of an attached file; NULL: the main class of all */
  struct pki_mjcf_settings *copy; /* for the copy of the file that <attach> number `copied` makes */
  int copied;
} pki_mjcf_settings;

typedef struct pki_mjcf_node {
  const char *tag;
  pki_mjcf_attribute *attributes;
  struct pki_mjcf_node *parent, *first, *last, *next;
  const char *file; /* where it stands */
  int line;
  int depth;                      /* of the root: 1 */
  const struct pki_mjcf_row *row; /* what it may hold; NULL: not checked yet, or unknown */
  pki_mjcf_settings *settings;    /* of its file */
  const pk_pose *pose;            /* of a <frame> that <replicate> made; NULL: its attributes say */
} pki_mjcf_node;

/* ---- what was read ---- */

typedef enum pki_mjcf_joint_kind {
  PKI_MJCF_FREE,
  PKI_MJCF_BALL,
  PKI_MJCF_SLIDE,
  PKI_MJCF_HINGE
} pki_mjcf_joint_kind;

typedef struct pki_mjcf_joint {
  const pki_mjcf_node *node;
  const char *name;
  pki_mjcf_joint_kind kind;
  int body;
  double pos[3], axis[3]; /* in the body's frame; the axis has length 1 */
  double lower, upper;    /* -INFINITY, INFINITY: no limit */
  double effort;          /* INFINITY: no limit */
  double ref, spring_ref;
  double stiffness, damping, armature, friction;
  double
      spring_damper[2]; /* time constant and damping ratio of a spring that is still to be found; 0: none */
  int q, u;             /* first coordinate and velocity among those of the file */
  const char *link;     /* that it moves */
} pki_mjcf_joint;

typedef enum pki_mjcf_geom_kind {
  PKI_MJCF_PLANE,
  PKI_MJCF_HFIELD,
  PKI_MJCF_SPHERE,
  PKI_MJCF_CAPSULE,
  PKI_MJCF_ELLIPSOID,
  PKI_MJCF_CYLINDER,
  PKI_MJCF_BOX,
  PKI_MJCF_MESH,
  PKI_MJCF_SDF
} pki_mjcf_geom_kind;

/* A mesh of <asset>, read when it is first used. */
typedef struct pki_mjcf_mesh {
  const pki_mjcf_node *node;
  const char *name;
  bool tried, good; /* whether it was read, and could be */
  pki_mesh data;    /* placed and scaled */
  pk_mesh view;
  bool measured; /* whether the next three are known */
  double volume; /* or area, of a shell */
  double com[3];
  double moment[6]; /* about com, for density 1 */
  bool shell;
  struct pki_mjcf_mesh *next;
} pki_mjcf_mesh;

/* A height field of <asset>, read when it is first used (mjcf_hfield.c). */
typedef struct pki_mjcf_hfield pki_mjcf_hfield;

typedef struct pki_mjcf_geom {
  const pki_mjcf_node *node;
  const char *name; /* NULL: none */
  pki_mjcf_geom_kind kind;
  int body;
  pk_pose pose;   /* in the body's frame */
  double size[3]; /* as MJCF has it: half lengths */
  pki_mjcf_mesh *mesh;
  int contype, conaffinity, condim, priority, group;
  double friction;
  double rgba[4];
  bool paired; /* named by a <pair> */
  bool bad;    /* something is wrong with it, and reported */
} pki_mjcf_geom;

typedef struct pki_mjcf_site {
  const pki_mjcf_node *node;
  const char *name;
  int body;
  pk_pose pose;
  pki_mjcf_geom_kind kind;
  double size[3];
} pki_mjcf_site;

typedef struct pki_mjcf_body {
  const pki_mjcf_node *node; /* NULL: the world */
  const char *name;
  int parent;         /* -1: none, the world */
  pk_pose pose;       /* in the parent's frame, joints at their references */
  pk_pose world;      /* the same in the world */
  pk_inertia inertia; /* in the body's frame */
  int first_joint, njoint;
  int first_geom, ngeom, first_site, nsite;
  int top;      /* the child of the world that carries it, or it itself */
  int robot;    /* -1: not known yet */
  bool moves;   /* it or one that carries it has a joint */
  bool carries; /* of a child of the world: it or one that it carries moves */
} pki_mjcf_body;

/* A tree of bodies that becomes a robot. */
typedef struct pki_mjcf_robot {
  int body; /* its top body; 0: the world, with all that never moves */
} pki_mjcf_robot;

typedef struct pki_mjcf_actuator {
  const pki_mjcf_node *node;
  pk_actuator_desc desc;
  int joint;
} pki_mjcf_actuator;

typedef struct pki_mjcf_sensor {
  const pki_mjcf_node *node;
  pk_sensor_desc desc;
  int robot;
} pki_mjcf_sensor;

typedef struct pki_mjcf_block pki_mjcf_block;

/* One load under way. */
typedef struct pki_mjcf {
  pk_builder *b;
  const char *file;
  const pk_load_options *options;
  pki_urdf_folders folders;
  pki_mjcf_block *blocks; /* memory of nodes and names */
  bool no_memory;
  pki_mjcf_node *root; /* <mujoco>, all files together */
  const char *model_name;
  xmlHashTable *files;       /* that were included */
  xmlHashTable *classes;     /* name -> pki_mjcf_node of <default> */
  xmlHashTable *names;       /* kind, name -> index + 1 into the lists below, or the mesh, or the node */
  xmlHashTable *remarks;     /* warnings that were given */
  pki_mjcf_node *main_class; /* NULL: the file has no defaults */
  pki_mjcf_mesh *meshes;
  pki_mjcf_hfield *hfields;
  pki_mesh_collider collider; /* what they become where they collide */
  int nfile, nnode, depth;
  int base;                   /* how deep the file that is parsed stands in others */
  int nattach;                /* that were done */
  long long ntriangle, ncell; /* of all meshes; of all uses of height fields */
  pki_mjcf_body *bodies;
  pki_mjcf_joint *joints;
  pki_mjcf_geom *geoms;
  pki_mjcf_site *sites;
  pki_mjcf_robot *robots;
  pki_mjcf_actuator *actuators;
  pki_mjcf_sensor *sensors;
  int nbody, njoint, ngeom, nsite, nrobot, nactuator, nsensor;
  int body_cap, joint_cap, geom_cap, site_cap, robot_cap, actuator_cap, sensor_cap;
  int nq, nu;
  double *tree_sums; /* [nbody][10] mjcf_inertia.c */
  struct {
    bool equality, friction, limits, contact, springs, dampers, actuation, gravity;
  } off; /* what <flag> switches off */
  bool sets_gravity;
  double gravity[3], magnetic[3];
  int nerror;
  pk_error first; /* the first error */
} pki_mjcf;

/* ---- memory and names: mjcf_node.c ---- */

/* Zeroed bytes that live as long as the load; NULL, and m->no_memory, when there are none. */
void *pki_mjcf_alloc(pki_mjcf *m, size_t size);
void pki_mjcf_free_blocks(pki_mjcf *m);

/* A copy of a text; a printed one. NULL without memory. */
const char *pki_mjcf_copy_text(pki_mjcf *m, const char *text);
__attribute__((format(printf, 2, 3))) const char *pki_mjcf_print(pki_mjcf *m, const char *format, ...);

/* Room for one more element of a list; false, and m->no_memory, when there is none. */
bool pki_mjcf_grow(pki_mjcf *m, void **array, int count, int *cap, size_t size);

/* A new element at the end of `parent` (NULL: of nothing), in the place of `like`. NULL without memory, or beyond
 * PKI_MJCF_MAX_NODES or PKI_MJCF_MAX_DEPTH (reported). */
pki_mjcf_node *pki_mjcf_add_node(pki_mjcf *m, pki_mjcf_node *parent, const char *tag,
                                 const pki_mjcf_node *like);
bool pki_mjcf_set(pki_mjcf *m, pki_mjcf_node *node, const char *name, const char *value);

/* A copy of an element with all that is in it, at the end of `parent`. Every name and every reference gets `prefix`
 * before it; `suffix` goes behind those of the tree only, not behind classes and assets. */
pki_mjcf_node *pki_mjcf_copy(pki_mjcf *m, pki_mjcf_node *parent, const pki_mjcf_node *node,
                             const char *prefix, const char *suffix);

/* What an attribute of an element refers to ("joint", "body"); NULL: to nothing of the tree. */
const char *pki_mjcf_target(const pki_mjcf_node *node, const char *attribute);

/* The element's own attribute, NULL when it is missing. */
const char *pki_mjcf_own(const pki_mjcf_node *node, const char *attribute);
bool pki_mjcf_is(const pki_mjcf_node *node, const char *tag);

/* ---- remarks ---- */

/* At an element; `attribute` NULL: at the element itself; `node` NULL: at the file. A warning has a
 * short word for its kind, and is an error when the options are strict. */
__attribute__((format(printf, 5, 6))) void pki_mjcf_error(pki_mjcf *m, const pki_mjcf_node *node,
                                                          const char *attribute, pk_status status,
                                                          const char *format, ...);
__attribute__((format(printf, 5, 6))) void pki_mjcf_warn(pki_mjcf *m, const pki_mjcf_node *node,
                                                         const char *attribute, const char *kind,
                                                         const char *format, ...);

/* True the first time that it is asked about `kind`: `name`. */
bool pki_mjcf_first_time(pki_mjcf *m, const char *kind, const char *name);

/* ---- names: kinds are "body", "joint", "geom", "site", "mesh", "material", "hfield", "actuator", ... ---- */

/* Enter a name; false, and reported, when it is taken. */
bool pki_mjcf_enter(pki_mjcf *m, const pki_mjcf_node *node, const char *kind, const char *name, void *value);
void *pki_mjcf_find(const pki_mjcf *m, const char *kind, const char *name);

/* What an attribute of `node` names, from the lists; -1, and reported, when nothing has that name. */
int pki_mjcf_refer(pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, const char *kind);

void pki_mjcf_unknown(pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, const char *kind,
                      const char *name);

/* A name for something that has none: `stem` with a number behind it where it is taken. It can be referred to only when
 * it is entered as well. */
void pki_mjcf_note_names(pki_mjcf *m,
                         const pki_mjcf_node *node); /* those that are written, before any is made */
const char *pki_mjcf_invent(pki_mjcf *m, const char *kind, const char *stem);

/* ---- files: mjcf_file.c ---- */

/* The tree of a text, its includes replaced; NULL when it cannot be had (reported). */
pki_mjcf_node *pki_mjcf_parse(pki_mjcf *m, const char *text, size_t size, const char *file);
pki_mjcf_node *pki_mjcf_load(pki_mjcf *m, const pki_mjcf_node *at, const char *attribute, const char *name);

/* ---- structure: mjcf_check.c ---- */
void pki_mjcf_check(pki_mjcf *m, pki_mjcf_node *root);

/* ---- values: mjcf_default.c ---- */

/* The attribute of an element or of its class; NULL: neither has it. */
const char *pki_mjcf_text(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute);

/* Numbers of an attribute over those of the class, into the first of `out`; the others stay. Returns how many the
 * nearest place has that names the attribute, 0: nobody does. */
int pki_mjcf_reals(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, int most,
                   double *out);
double pki_mjcf_real(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, double otherwise);
int pki_mjcf_int(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, int otherwise);
bool pki_mjcf_flag(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, bool otherwise);
bool pki_mjcf_word_is(const pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, const char *word);

/* Numbers of one text; returns how many there are, at most `most` of them into `out` (NULL: none). */
int pki_mjcf_scan_reals(const char *text, int most, double *out);

/* The classes of an element from the outermost to its own; returns how many there are. */
enum { PKI_MJCF_LEVELS = 1024 }; /* more than nested ones and parts of the main class together */
int pki_mjcf_classes(const pki_mjcf *m, const pki_mjcf_node *node,
                     const pki_mjcf_node *classes[PKI_MJCF_LEVELS]);

/* The class of an element; NULL: none. */
const pki_mjcf_node *pki_mjcf_class(const pki_mjcf *m, const pki_mjcf_node *node);

/* Collect the classes of the whole tree. */
void pki_mjcf_read_classes(pki_mjcf *m);

/* Report names of classes that do not exist, at an element and in it. */
void pki_mjcf_check_classes(pki_mjcf *m, const pki_mjcf_node *node);

/* Whether a range limits: `word`, the value of `attribute`, is true, false, auto or NULL. `given`: the range is
 * written and not 0 0. */
bool pki_mjcf_limited(pki_mjcf *m, const pki_mjcf_node *node, const char *word, const char *attribute,
                      const char *range, bool given);

/* ---- poses: mjcf_pose.c ---- */

#define PKI_MJCF_DEGREE (3.14159265358979323846 / 180)

/* pos and the orientation that an element or its class gives. */
pk_pose pki_mjcf_pose(pki_mjcf *m, const pki_mjcf_node *node);

/* The rotation of an element; false when it gives none. */
bool pki_mjcf_rotation(pki_mjcf *m, const pki_mjcf_node *node, double rot[9]);

/* The frame of copy i of a <replicate> from that of the copy before: moved along its axes, and turned by i times the Euler
 * angles. With more than one angle that is not the turn of the copy before done once more; MuJoCo does it so. */
void pki_mjcf_replicate_next(const pki_mjcf_settings *s, const double offset[3], const double euler[3], int i,
                             pk_pose *pose);

/* fromto: the middle, and z from the second point to the first; half the length. False: none is given. */
bool pki_mjcf_fromto(pki_mjcf *m, const pki_mjcf_node *node, pk_pose *pose, double *half);

/* ---- sections ---- */
void pki_mjcf_read_settings(pki_mjcf *m, pki_mjcf_node *root);
void pki_mjcf_give_settings(pki_mjcf_node *node, pki_mjcf_settings *settings);
void pki_mjcf_read_option(pki_mjcf *m);
void pki_mjcf_read_assets(pki_mjcf *m);
void pki_mjcf_expand(pki_mjcf *m, pki_mjcf_node *root); /* attach and replicate, in one file */
/* What <attach> in the file `root` stands for; NULL: nothing. Sections of the attached file go to the end of `root`. */
pki_mjcf_node *pki_mjcf_attach(pki_mjcf *m, pki_mjcf_node *root, const pki_mjcf_node *attach);
void pki_mjcf_read_world(pki_mjcf *m);
void pki_mjcf_read_joint(pki_mjcf *m, const pki_mjcf_node *node, int body, const pk_pose *frame);
void pki_mjcf_read_geom(pki_mjcf *m, const pki_mjcf_node *node, int body, const pk_pose *frame);
void pki_mjcf_read_inertia(pki_mjcf *m, int body, const pki_mjcf_node *inertial, const pk_pose *frame);
void pki_mjcf_finish_masses(pki_mjcf *m);
void pki_mjcf_emit(pki_mjcf *m);

/* Sizes and place of a geom or site, fromto included; false, and reported, when they do not fit its kind. */
bool pki_mjcf_read_size(pki_mjcf *m, const pki_mjcf_node *node, pki_mjcf_geom_kind kind, double size[3],
                        pk_pose *pose);
bool pki_mjcf_check_size(pki_mjcf *m, const pki_mjcf_node *node, pki_mjcf_geom_kind kind,
                         const double size[3]);

/* A file's name without folders and ending; where a file of an asset lies, from the folder of the model. */
const char *pki_mjcf_stem(pki_mjcf *m, const char *file);
const char *pki_mjcf_asset_path(pki_mjcf *m, const pki_mjcf_node *node, const char *file);

/* mjcf_hull.c: triangles around the vertices of a mesh, in place of its own; false, and reported, when there are none. */
bool pki_mjcf_hull(pki_mjcf *m, const pki_mjcf_node *node, pki_mesh *mesh);

/* mjcf_solid.c: size and place of a primitive that takes both from a mesh. */
bool pki_mjcf_fit_mesh(pki_mjcf *m, pki_mjcf_geom *g);

/* mjcf_mesh.c: the mesh that a name of `node` means, read; NULL when it cannot be had (reported). Its volume, centre and
 * moments. */
pki_mjcf_mesh *pki_mjcf_get_mesh(pki_mjcf *m, const pki_mjcf_node *node);
bool pki_mjcf_measure_mesh(pki_mjcf *m, pki_mjcf_mesh *mesh);
void pki_mjcf_free_meshes(pki_mjcf *m);

/* mjcf_mass.c: mass properties of a geom in its body's frame; false when it has none. */
bool pki_mjcf_geom_inertia(pki_mjcf *m, const pki_mjcf_geom *geom, pk_inertia *out);

/* Principal moments and axes of a symmetric matrix (xx xy xz yy yz zz): columns of `axes`. */
void pki_mjcf_principal(const double moment[6], double lambda[3], double axes[9]);

/* mjcf_inertia.c: M_ii of a joint's coordinate at the reference pose, armature included. Springs that are given by a
 * time constant become stiffness and damping. */
double pki_mjcf_joint_mass(pki_mjcf *m, int joint);
void pki_mjcf_resolve_springs(pki_mjcf *m);

/* mjcf_hfield.c: the heights of a geom into a shape; false, and reported, when they cannot be had. */
void pki_mjcf_free_hfields(pki_mjcf *m);
bool pki_mjcf_heights(pki_mjcf *m, const pki_mjcf_geom *g, pk_shape_desc *shape);

/* The full name of a link or joint, with the prefix of the options. */
const char *pki_mjcf_full(pki_mjcf *m, const char *name);

/* Sections that refer to bodies. Those with a robot add what belongs to that one. */
void pki_mjcf_read_contact(pki_mjcf *m); /* before geoms are added */
void pki_mjcf_add_contact(pki_mjcf *m);
void pki_mjcf_add_equality(pki_mjcf *m);
void pki_mjcf_check_tendons(pki_mjcf *m);
bool pki_mjcf_is_actuator(const char *tag);
void pki_mjcf_read_actuators(
    pki_mjcf *m); /* before joints are added: they gain armature, damping and effort */
void pki_mjcf_add_actuators(pki_mjcf *m, int robot);
void pki_mjcf_read_sensors(pki_mjcf *m);
void pki_mjcf_add_sensors(pki_mjcf *m, int robot);
void pki_mjcf_add_keyframes(pki_mjcf *m);

/* The next element called `tag` in any section called `section`, after `node` (NULL: the first). */
const pki_mjcf_node *pki_mjcf_next_in(const pki_mjcf *m, const char *section, const char *tag,
                                      const pki_mjcf_node *node);

#endif
