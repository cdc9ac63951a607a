/* The controller `whole-body`, in parts: options (whole_body_options.c), the robot and its feet (whole_body_feet.c), what tasks ask for
 * now (whole_body_goals.c), dynamics, tasks and the program on lanes (kernels/), and the update that joins them (whole_body.c).
 *
 *   contacts -> state of trunk, mass and feet (sense) -> targets of tasks (goals) -> program and commands (act)
 *
 * Tasks are rows on the accelerations a of the robot's coordinates. With unknown torques and wrenches at the feet y = (tau, w),
 *
 *   a = X y + a_0,   X = inv(M) [S' J'],   a_0 = -inv(M) (h + damping u + springs)
 *
 * so that each row is r y + o = b with a weight. A wrench (moment and force at the middle of a foot; the force alone at a
 * point) comes from the forces x at the foot's points, y = G x, and the program is in x = (tau, forces). */
#ifndef PKI_CONTROL_WHOLE_BODY_H
#define PKI_CONTROL_WHOLE_BODY_H

#include "control/cone_program.h"
#include "control/reference.h"
#include "control/registry.h"
#include "dynamics/kernels.h"

enum {
  PKI_WHOLE_U = 96,     /* velocities of a robot, at most */
  PKI_WHOLE_POINTS = 4, /* of a foot, at most */
  PKI_WHOLE_LANES = PKI_CONE_PROGRAM_LANES
};

/* A foot of the model. */
typedef struct pki_whole_foot {
  int link, body;
  int npoint;                        /* 1: a point */
  double point[PKI_WHOLE_POINTS][3]; /* m, body axes; of a ball its centre */
  double middle[3];                  /* m, body axes, of the points */
  double radius;                     /* m, of a ball; 0: no ball */
  int width;                         /* numbers of its wrench: 3 or 6 */
  int wrench;                        /* first of them among the columns */
  int cone;                          /* first of its points among the cones */
  int row;                           /* first of its rows */
  int path[PKI_WHOLE_U], npath;      /* velocities that move it, of the robot */
} pki_whole_foot;

struct pki_whole_kernels;
struct pki_whole_planner;

typedef struct pki_whole_body {
  pk_controller controller;
  pk_whole_body_options options;
  const struct pki_whole_planner *planner;
  void *plan; /* what the planner knows of the robot, in the same block */
  const struct pki_whole_kernels *one, *wide;
  int robot, root; /* root: its body */
  bool is_free;    /* trunk on a floating joint */
  int u, nu;       /* its velocities */
  double mass, gravity;
  double height;  /* m, of the mass above the feet at the model's pose, for scales */
  double damping; /* N m s/rad */
  int nact;
  int act[PKI_WHOLE_U];      /* velocities with a motor, of the robot */
  bool carries[PKI_WHOLE_U]; /* [nact] it lies between the trunk and a foot */
  pki_reference reference;   /* of the posture */
  int column[PKI_WHOLE_U];   /* [nact] of the table; -1: it does not name the joint */
  int nfoot;
  pki_whole_foot feet[PK_WHOLE_BODY_FEET];
  unsigned lifted[PK_WHOLE_BODY_MOVES]; /* bits of feet, by each move */
  int columns;                          /* of X: nact and wrenches */
  int cones, unknowns;
  int rows;
  int posture_row,
      mass_row; /* first rows: of joints, of the mass and of momentum; trunk's rows are the first six */
  int levels, level_of[PK_WHOLE_BODY_TASK_COUNT]; /* 0 .. levels-1 */
  double memory[];                                /* of the reference */
} pki_whole_body;

/* What is remembered of a foot. */
typedef struct pki_whole_foot_state {
  double home[3], turn[9]; /* where its middle stood last, m; axes of its body then */
  double normal[3];        /* of the ground below, world */
  double load;             /* N, along the normals of its contacts in the last step */
  double quiet;            /* s, without contact */
  int stands, touches;
} pki_whole_foot_state;

/* What is remembered of a world; followed by q of the joints at the start [nact], the last x [unknowns] and what the planner
 * remembers. */
typedef struct pki_whole_state {
  int awake, warm;
  double since;        /* s, of the first update */
  double mass_from[3]; /* m, where the mass was then, */
  double mass_home[3]; /* and where it should be */
  double heading;      /* rad */
  double trunk[9];     /* rotation at the start */
  double place[3];     /* m, of the trunk then */
  pki_whole_foot_state feet[PK_WHOLE_BODY_FEET];
  pk_whole_body_report report;
  double numbers[];
} pki_whole_state;

/* Arrays of a lane group, 64-byte aligned, entry e of lane l at [e * lanes + l]. */
typedef struct pki_whole_lanes {
  int lanes;
  pki_work work;
  double *q, *u, *h;
  /* by `sense`: */
  double *mass_at, *mass_rate;   /* [3] m, m/s */
  double *spin;                  /* [3] N m s, angular momentum about the mass */
  double *inertia;               /* [6] kg m^2, about the mass, world: xx xy xz yy yz zz */
  double *trunk_turn, *trunk_at; /* [9], [3] */
  double *foot_at, *foot_turn;   /* [nfoot][3], [nfoot][9] of the middle; of a ball where it touches */
  double *foot_rate;             /* [nfoot][6] angular, linear */
  double *foot_bias;             /* [nfoot][6] acceleration by velocities alone */
  /* for `sense`: */
  double *normal; /* [nfoot][3] */
  /* for `act`: */
  double *b, *weight, *level; /* [rows] targets, weights, and levels of their tasks as numbers */
  double *keep;               /* [9] of rotations of the trunk those that are tasks: a projection, its axes */
  double *friction, *limit;   /* [cones] */
  /* of `act`: */
  double *x;             /* [unknowns] */
  double *a;             /* [nu] accelerations */
  double *missed;        /* [rows] r y + o - b */
  double *pull;          /* [unknowns] H x + g over the root of H's diagonal */
  double *slope;         /* [unknowns] */
  double *lower, *upper; /* [nact] */
  double *J;             /* [columns - nact][nu] */
  double *X;             /* [nu][pitch] and a_0 in column `columns` */
  double *R;             /* [rows][pitch], o in column `columns` */
  double *Hw;            /* [columns][pitch], g in column `columns` */
  double *G;             /* [cones][3][6] */
  double *HG;            /* [columns][3 cones] */
  double *H, *g;         /* [unknowns][unknowns], [unknowns] */
  double *y;             /* [columns] */
  double *goal, *share,
      *reached;  /* [rows] targets and weights in the program of a level, what upper levels have reached */
  void *program; /* scratch of the cone program */
} pki_whole_lanes;

/* What one thread keeps: a group of one lane and a wide one, made at the first update. */
typedef struct pki_whole_scratch {
  int made;
  pki_whole_lanes one, wide;
} pki_whole_scratch;

typedef struct pki_whole_kernels {
  const char *isa;
  int lanes;
  void (*sense)(const pki_whole_body *c, pki_whole_lanes *w);
  /* Solve the program of each lane; `warm`: of lanes whose x is a guess. */
  void (*act)(const pki_whole_body *c, pki_whole_lanes *w, const bool *warm, pki_cone_result *out);
} pki_whole_kernels;

/* Numbers of a row of X, R and Hw: whole cache lines. */
static inline int pki_whole_pitch(const pki_whole_body *c)
{
  return (c->columns + 1 + 7) / 8 * 8;
}

const pki_whole_kernels *pki_whole_kernels_get(int lanes);
const pki_whole_kernels *pki_whole_kernels_find(const char *isa, int lanes);

/* Who says what tasks ask for: the references of `whole-body` itself (whole_body_goals.c), or another controller that has this
 * program. An update calls `stand`, at the first one `start`, then `aim`. */
typedef struct pki_whole_planner {
  const char *name;         /* of the controller */
  size_t plan_size, memory; /* bytes of pki_whole_body.plan, and those that it remembers in each world */
  /* Which feet stand (pki_whole_foot_state.stands), from contacts; NULL: `aim` says so. */
  void (*stand)(const pki_whole_body *c, const pk_observation *seen, pki_whole_state *s);
  /* Where things are at the first update of a robot on a free trunk, lane l. */
  void (*start)(const pki_whole_body *c, const pki_whole_lanes *w, int l, pki_whole_state *s);
  /* Targets and weights of all rows of lane l, cones of all feet, after `sense`. */
  void (*aim)(const pki_whole_body *c, const pk_observation *seen, pki_whole_state *s,
              const pki_whole_lanes *w, int l);
  /* Last changes of the commands, lane l; may be NULL. */
  void (*finish)(const pki_whole_body *c, const pki_whole_lanes *w, int l, pki_whole_state *s,
                 pk_command *commands);
} pki_whole_planner;

/* whole_body_options.c */
enum { PKI_WHOLE_BODY_FIELDS = 45 };
extern const pk_field pki_whole_body_fields[];
extern const pki_controller_list pki_whole_body_moves;
pk_status pki_whole_body_validate(const pk_whole_body_options *o, pk_error *err);

/* whole_body_feet.c: robot, motors, feet, rows and columns. */
pk_status pki_whole_body_find(pki_whole_body *c, const pk_model *model, pk_error *err);

/* What a foot, of which link and body are set, stands on at a pose of its body whose axes are `turn`: one ball is a point, boxes and
 * several balls an area with up to PKI_WHOLE_POINTS corners; without any of these the lowest side of a mesh. */
pk_status pki_whole_foot_points(const pk_model *m, const double turn[9], pki_whole_foot *foot, pk_error *err);

/* whole_body.c: a controller with this planner, its plan zero; the world's memory of the planner; whether a controller is of these. */
pk_status pki_whole_body_make(const pk_model *model, const pk_whole_body_options *options,
                              const pki_whole_planner *planner, pki_whole_body **out, pk_error *err);
void *pki_whole_body_memory(const pki_whole_body *c, pki_whole_state *s);
const pki_whole_body *pki_whole_body_of(const pk_controller *controller);

/* whole_body_goals.c */
extern const pki_whole_planner pki_whole_body_planner;

/* whole_body_tasks.c: one world's numbers for its rows, on lane l. */
typedef struct pki_whole_goals {
  const pki_whole_body *c;
  pki_whole_state *s;
  const pki_whole_lanes *w;
  int l;
  double time;
  double mass[3], rate[3], R[9]; /* of the centre of mass; axes of the trunk */
  double line[3]; /* unit, between the two points on which it stands; zero: it does not stand so */
} pki_whole_goals;

/* Where a foot is. */
typedef struct pki_whole_foot_now {
  double at[3], R[9], rate[6];
} pki_whole_foot_now;

/* Where a foot should be. */
typedef struct pki_whole_foot_goal {
  bool stands;
  double at[3], turn[9]; /* m, of its middle; axes of its body; not read while it stands */
  double ahead[6];       /* kd times the rate of the reference and its acceleration, angular first */
} pki_whole_foot_goal;

void pki_whole_read(const pki_whole_lanes *w, const double *from, int l, int count, double *to);
pki_whole_goals pki_whole_goals_at(const pki_whole_body *c, double time, pki_whole_state *s,
                                   const pki_whole_lanes *w, int l);
pki_whole_foot_now pki_whole_foot_at(const pki_whole_goals *g, int f);
/* The rotation vector from R to `to`, in the axes of R; up to half a turn, where that of a matrix (pki_rotation_log) has no axis any more. */
void pki_whole_turn_between(const double R[9], const double to[9], double out[3]);
void pki_whole_ask_row(const pki_whole_goals *g, int row, pk_whole_body_task task, double b);
void pki_whole_ask_foot(const pki_whole_goals *g, int f, const pki_whole_foot_now *now,
                        const pki_whole_foot_goal *to);
/* The attitude `to` of the trunk, whose rates are in the axes of the reference; `tilt`: by how much it is turned from it, world. */
void pki_whole_ask_turn(const pki_whole_goals *g, const double to[9], const double rates[3], double tilt[3]);
/* Acceleration of the mass; its angular momentum dies out. */
void pki_whole_ask_mass(const pki_whole_goals *g, const double acceleration[3]);
/* Joint j with a motor. */
void pki_whole_ask_joint(const pki_whole_goals *g, int j, const pki_goal *to);

/* What feet feel: contacts, load, the ground's normal. */
void pki_whole_body_feel(const pki_whole_body *c, const pk_observation *seen, pki_whole_state *s);

#endif
