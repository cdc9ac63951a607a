#include "symbolic/code/limbs.h"

#include <stdlib.h>
#include <string.h>

#include "symbolic/emit/emit.h"
#include "symbolic/robot/robot_parts.h"

enum { TRUNK_Q = 7, TRUNK_U = 6, TRUNK_M = 21, MOST_JOINTS = 8, NUMBERS = 14 };

/* ---- which models ---- */

/* Body i, the k-th of its chain, hangs and moves as the k-th of the first chain does. */
static bool is_alike(const pk_model *m, int n, int i)
{
  const int k = (i - 1) % n, j = 1 + k;
  return m->body_parent[i] == (k == 0 ? 0 : i - 1) && m->body_motion[i] == m->body_motion[j] &&
         m->body_motion[i] <= PK_MOTION_PRISMATIC && m->body_axis[i] == m->body_axis[j] &&
         m->body_gain[i] == m->body_gain[j] && m->body_turned[i] == m->body_turned[j] &&
         m->body_u[i] == TRUNK_U + i - 1 && m->body_q[i] == TRUNK_Q + i - 1;
}

int pki_limbs_find(const pk_model *m)
{
  const int n = (m->nbody - 1) / PKI_LIMBS;
  bool alike = n >= 1 && n <= MOST_JOINTS && m->nbody == 1 + PKI_LIMBS * n && !m->has_mimic &&
               m->nconstraint == 0 && m->body_parent[0] < 0 && m->body_motion[0] == PK_MOTION_FLOATING &&
               !m->body_turned[0];
  for (int i = 1; i < m->nbody && alike; i++) {
    alike = is_alike(m, n, i);
  }
  return alike ? n : 0;
}

/* ---- the numbers of limbs ---- */

/* What is known of a limb's body: joint frame (3, 9), offset, damping. */
static void numbers_of(const pk_model *m, int i, double out[NUMBERS])
{
  for (int k = 0; k < 3; k++) {
    out[k] = pki_round_near_integer(m->body_pos[3 * i + k]);
  }
  for (int k = 0; k < 9; k++) {
    out[3 + k] = pki_round_near_integer(m->body_rot[9 * i + k]);
  }
  out[12] = m->body_offset[i];
  out[13] = m->dof_damping[m->body_u[i]];
}

typedef struct limbs {
  const pk_model *m;
  int n;
  double (*of)[PKI_LIMBS];             /* [nk] numbers in which limbs differ */
  int nk, place[MOST_JOINTS][NUMBERS]; /* where a number stands there, -1: it is the same in all */
  double same[MOST_JOINTS][NUMBERS];
} limbs;

static bool compare_limbs(limbs *l, const pk_model *m, int n)
{
  *l = (limbs){.m = m, .n = n};
  l->of = malloc((size_t)(MOST_JOINTS * NUMBERS) * sizeof *l->of);
  if (l->of == NULL) {
    return false;
  }
  for (int j = 0; j < n; j++) {
    double x[PKI_LIMBS][NUMBERS];
    for (int limb = 0; limb < PKI_LIMBS; limb++) {
      numbers_of(m, 1 + limb * n + j, x[limb]);
    }
    for (int k = 0; k < NUMBERS; k++) {
      const bool same = x[0][k] == x[1][k] && x[0][k] == x[2][k] && x[0][k] == x[3][k];
      l->same[j][k] = x[0][k];
      l->place[j][k] = same ? -1 : l->nk;
      for (int limb = 0; limb < PKI_LIMBS && !same; limb++) {
        l->of[l->nk][limb] = x[limb][k];
      }
      l->nk += !same;
    }
  }
  return true;
}

/* ---- functions ---- */

/* Trunk and one limb, which are the first bodies of the model, or the trunk alone; the inputs of each have ports of their own. */
typedef struct part {
  pki_graph *g;
  pk_model sub;
  pki_robot robot;
  pki_function f;
  pki_x *damping; /* [nu] */
} part;

static bool begin_limb_part(part *p, const limbs *l, bool limb, const char *name, const char *about)
{
  *p = (part){.g = pki_graph_create(false), .sub = *l->m};
  p->sub.nbody = limb ? 1 + l->n : 1;
  p->sub.nu = limb ? TRUNK_U + l->n : TRUNK_U;
  p->sub.nq = limb ? TRUNK_Q + l->n : TRUNK_Q;
  p->damping = calloc((size_t)p->sub.nu, sizeof *p->damping);
  if (p->g == NULL || p->damping == NULL || !pki_robot_init(&p->robot, p->g, &p->sub, NULL)) {
    return false;
  }
  pki_function_init(&p->f, p->g, name, about);
  pki_function_read(&p->f, "q", TRUNK_Q, "of the trunk", p->robot.q);
  return true;
}

/* Poses of the trunk, and of the limb from its numbers: those in which limbs differ are inputs. */
static void place_limb(part *p, const limbs *l)
{
  pki_graph *const g = p->g;
  pki_robot *const robot = &p->robot;
  const pki_x33 one = pki_x33_identity(g);
  const pki_x3 at = pki_x3_const(g, l->m->body_pos);
  pki_robot_place(robot, 0, at.v, one.m, pki_const(g, 0));
  if (p->sub.nbody == 1) {
    return;
  }
  const int port = pki_graph_port(g, "k", l->nk, "numbers in which limbs differ");
  p->f.ports |= 1u << port;
  for (int j = 0; j < l->n; j++) {
    pki_x x[NUMBERS];
    for (int k = 0; k < NUMBERS; k++) {
      x[k] = l->place[j][k] < 0 ? pki_const(g, l->same[j][k]) : pki_input(g, port, l->place[j][k]);
    }
    pki_robot_place(robot, 1 + j, x, x + 3, x[12]);
    p->damping[TRUNK_U + j] = x[13];
  }
}

/* Inertias are inputs: of the limb, for which the trunk has none, or of the trunk. */
static void read_inertias(part *p)
{
  pki_x in[10 * MOST_JOINTS] = {0}; /* node 0 is zero */
  const int count = p->sub.nbody > 1 ? p->sub.nbody - 1 : 1;
  p->robot.grouped[0] = pki_inertia_in(p->g, in);
  pki_function_read(&p->f, "inertia", 10 * count, "[body][10] regrouped inertias", in);
  for (int i = 0; i < count; i++) {
    const int body = p->sub.nbody - count + i;
    p->robot.grouped[body] = pki_inertia_grouped(p->g, &p->sub, body, in + 10 * (size_t)i);
  }
}

/* Velocities and forces of coordinates `from` on; force and gain [nu]. */
static void read_motion(part *p, int from, pki_x *force, pki_x *gain, pki_x *dt)
{
  const int count = p->sub.nu - from;
  read_inertias(p);
  pki_function_read(&p->f, "diag", count, "added to the diagonal of M", p->robot.diag + from);
  pki_function_read(&p->f, "force", count, "joint forces at rest", force + from);
  pki_function_read(&p->f, "gain", count, "what they lose by velocity", gain + from);
  pki_function_read(&p->f, "dt", 1, "s", dt);
}

/* dt (force - (gain + damping) u - h), h in the place of x; for coordinates without force -dt h. */
static void right_side(part *p, int from, const pki_x *force, const pki_x *gain, pki_x dt, pki_x *x)
{
  pki_graph *const g = p->g;
  for (int i = 0; i < p->sub.nu; i++) {
    const pki_x slope = pki_plus(g, gain[i], p->damping[i]);
    const pki_x given = i >= from ? pki_minus_times(g, force[i], slope, p->robot.u[i]) : pki_const(g, 0);
    x[i] = pki_times(g, dt, pki_minus(g, given, x[i]));
  }
}

/* The lower triangle of rows [from, to). */
static void put_rows(const pki_x *M, int n, int from, int to, pki_x *out)
{
  for (int i = from; i < to; i++) {
    for (int j = 0; j <= i; j++) {
      *out++ = M[i * n + j];
    }
  }
}

static int triangle_size(int from, int to)
{
  return (to * (to + 1) - from * (from + 1)) / 2;
}

static void free_velocity_of_limb(part *p, const limbs *l)
{
  const int nu = p->sub.nu;
  pki_x dt = 0, *all = calloc((size_t)(nu * nu + 3 * nu), sizeof *all);
  if (all == NULL) {
    p->f.failed = true;
    return;
  }
  pki_x *const M = all, *const x = M + nu * nu, *const force = x + nu, *const gain = force + nu;
  pki_function_read(&p->f, "u", TRUNK_U, "of the trunk", p->robot.u);
  pki_function_read(&p->f, "ql", l->n, "coordinates of the limb", p->robot.q + TRUNK_Q);
  pki_function_read(&p->f, "ul", l->n, "its velocities", p->robot.u + TRUNK_U);
  read_motion(p, TRUNK_U, force, gain, &dt);
  for (int i = 0; i < TRUNK_U; i++) {
    p->robot.diag[i] = pki_const(p->g, 0);
  }
  place_limb(p, l);
  p->f.failed |= !pki_robot_add_world(&p->robot, &p->f, 1, true);
  pki_x *const L = pki_function_add(&p->f, "L", triangle_size(TRUNK_U, nu), "its rows of the factor");
  pki_x *const y = pki_function_add(&p->f, "y", l->n, "its part of the solution, up to the trunk's");
  pki_x *const B =
      pki_function_add(&p->f, "B", TRUNK_M + TRUNK_U, "what it leaves to the trunk: matrix, right side");
  if (!p->f.failed && pki_robot_rnea(&p->robot, p->robot.u, NULL, x) && pki_robot_crba(&p->robot, M)) {
    right_side(p, TRUNK_U, force, gain, dt, x);
    pki_robot_factor(p->g, nu, TRUNK_U, M);
    pki_robot_begin(p->g, nu, TRUNK_U, M, x);
    put_rows(M, nu, TRUNK_U, nu, L);
    put_rows(M, nu, 0, TRUNK_U, B);
    memcpy(B + TRUNK_M, x, TRUNK_U * sizeof *x);
    memcpy(y, x + TRUNK_U, (size_t)l->n * sizeof *x);
  } else {
    p->f.failed = true;
  }
  free(all);
}

static void free_velocity_of_trunk(part *p, const limbs *l)
{
  pki_x M[TRUNK_U * TRUNK_U], x[TRUNK_U], force[TRUNK_U], gain[TRUNK_U], left[TRUNK_M + TRUNK_U], dt = 0;
  pki_function_read(&p->f, "u", TRUNK_U, "of the trunk", p->robot.u);
  read_motion(p, 0, force, gain, &dt);
  pki_function_read(&p->f, "B", TRUNK_M + TRUNK_U, "what limbs leave to it, added up", left);
  for (int i = 0; i < TRUNK_U; i++) {
    p->damping[i] = pki_const(p->g, l->m->dof_damping[i]);
  }
  place_limb(p, l);
  p->f.failed |= !pki_robot_add_world(&p->robot, &p->f, 0, true);
  pki_x *const L = pki_function_add(&p->f, "L", TRUNK_M, "its rows of the factor");
  pki_x *const change = pki_function_add(&p->f, "change", TRUNK_U, "of its velocity");
  pki_x *const end = pki_function_add(&p->f, "x", TRUNK_U, "its velocity at the end");
  if (p->f.failed || !pki_robot_rnea(&p->robot, p->robot.u, NULL, x) || !pki_robot_crba(&p->robot, M)) {
    p->f.failed = true;
    return;
  }
  right_side(p, 0, force, gain, dt, x);
  for (int i = 0, e = 0; i < TRUNK_U; i++) {
    for (int j = 0; j <= i; j++) {
      M[i * TRUNK_U + j] = pki_plus(p->g, M[i * TRUNK_U + j], left[e++]);
    }
    x[i] = pki_plus(p->g, x[i], left[TRUNK_M + i]);
  }
  pki_robot_factor(p->g, TRUNK_U, 0, M);
  pki_robot_solve(p->g, TRUNK_U, M, x);
  put_rows(M, TRUNK_U, 0, TRUNK_U, L);
  for (int i = 0; i < TRUNK_U; i++) {
    change[i] = x[i];
    end[i] = pki_plus(p->g, x[i], p->robot.u[i]);
  }
}

/* The limb's velocities at the end from those of the trunk. */
static void land_limb(part *p, const limbs *l)
{
  const int nu = p->sub.nu;
  pki_x *all = calloc((size_t)(nu * nu + nu + triangle_size(TRUNK_U, nu)), sizeof *all);
  pki_x *const end = pki_function_add(&p->f, "x", l->n, "velocities of the limb at the end");
  if (all == NULL || end == NULL) {
    p->f.failed = true;
    free(all);
    return;
  }
  pki_x *const L = all, *const x = L + nu * nu, *const rows = x + nu;
  p->f.ports = 0;
  pki_function_read(&p->f, "ul", l->n, "velocities of the limb", p->robot.u + TRUNK_U);
  pki_function_read(&p->f, "L", triangle_size(TRUNK_U, nu), "its rows of the factor", rows);
  pki_function_read(&p->f, "y", l->n, "what free_velocity has left", x + TRUNK_U);
  pki_function_read(&p->f, "change", TRUNK_U, "of the trunk's velocity", x);
  for (int i = TRUNK_U, e = 0; i < nu; i++) {
    for (int j = 0; j <= i; j++) {
      L[i * nu + j] = rows[e++];
    }
  }
  pki_robot_finish(p->g, nu, TRUNK_U, L, x);
  for (int i = 0; i < l->n; i++) {
    end[i] = pki_plus(p->g, x[TRUNK_U + i], p->robot.u[TRUNK_U + i]);
  }
  free(all);
}

static void stand_limb(part *p, const limbs *l)
{
  pki_function_read(&p->f, "ql", l->n, "coordinates of the limb", p->robot.q + TRUNK_Q);
  place_limb(p, l);
  p->f.failed |= !pki_robot_add_world(&p->robot, &p->f, 1, false);
}

static void stand_trunk(part *p, const limbs *l)
{
  place_limb(p, l);
  p->f.failed |= !pki_robot_add_world(&p->robot, &p->f, 0, false);
}

/* ---- C ---- */

static const struct {
  const char *name, *about;
  bool limb;
  void (*build)(part *p, const limbs *l);
} functions[] = {
    {"stand", "Where a limb is.", true, stand_limb},
    {"free_velocity", "A limb's part of a step without contacts, up to the trunk's.", true,
     free_velocity_of_limb},
    {"land", "A limb's velocities, the trunk's being known.", true, land_limb},
    {"trunk_stand", "Where the trunk is.", false, stand_trunk},
    {"trunk_free_velocity", "The trunk's part of a step without contacts.", false, free_velocity_of_trunk},
};

static bool emit_part(const limbs *l, int i, pki_text *source)
{
  part p;
  bool good = begin_limb_part(&p, l, functions[i].limb, functions[i].name, functions[i].about);
  if (good) {
    functions[i].build(&p, l);
    good = !p.f.failed && !pki_graph_failed(p.g) &&
           pki_emit_simplified(&p.f, functions[i].limb ? "limb" : "robot", source);
  }
  pki_function_free(&p.f);
  pki_robot_free(&p.robot);
  pki_graph_destroy(p.g);
  free(p.damping);
  return good;
}

/* The numbers in which limbs differ: side by side for limbs in lanes, else one limb after the other. */
static void emit_numbers(const limbs *l, pki_text *source)
{
  pki_text_addf(source, "\nstatic const double limb_k[%d][%d] __attribute__((aligned(64))) = {\n",
                l->nk > 0 ? l->nk : 1, PKI_LIMBS);
  for (int k = 0; k < l->nk; k++) {
    pki_text_add(source, "    {");
    for (int limb = 0; limb < PKI_LIMBS; limb++) {
      pki_emit_number(l->of[k][limb], source);
      pki_text_add(source, limb < PKI_LIMBS - 1 ? ", " : "},\n");
    }
  }
  pki_text_add(source, l->nk > 0 ? "};\n" : "    {0.0, 0.0, 0.0, 0.0}};\n");
}

/* Between arrays of one robot and lanes that hold its limbs: limb after limb to side by side, and back. */
static const char moving[] =
    "\n#if ROBOT_LANES == 1\n"
    "/* Four numbers of each of four limbs, the other way round. */\n"
    "static inline void limb_turn(limb_r x[4])\n"
    "{\n"
    "  const limb_r a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);\n"
    "  const limb_r b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);\n"
    "  const limb_r c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);\n"
    "  const limb_r d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);\n"
    "  x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);\n"
    "  x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);\n"
    "  x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);\n"
    "  x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);\n"
    "}\n"
    "\n"
    "/* n numbers of each limb, those of the next limb `stride` later, into lanes. */\n"
    "static inline void limb_take(const double *from, int n, int stride, limb_r *to)\n"
    "{\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    to[i] = (limb_r){from[i], from[i + stride], from[i + 2 * stride], from[i + 3 * stride]};\n"
    "  }\n"
    "}\n"
    "\n"
    "static inline void limb_give(const limb_r *from, int n, int stride, double *to)\n"
    "{\n"
    "  int i = 0;\n"
    "  for (; i + 4 <= n; i += 4) {\n"
    "    limb_r x[4] = {from[i], from[i + 1], from[i + 2], from[i + 3]};\n"
    "    limb_turn(x);\n"
    "    for (int l = 0; l < 4; l++) {\n"
    "      memcpy(to + i + l * stride, &x[l], sizeof x[l]);\n"
    "    }\n"
    "  }\n"
    "  for (; i < n; i++) {\n"
    "    for (int l = 0; l < 4; l++) {\n"
    "      to[i + l * stride] = from[i][l];\n"
    "    }\n"
    "  }\n"
    "}\n"
    "\n"
    "static inline void limb_spread(const double *from, int n, limb_r *to)\n"
    "{\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    to[i] = limb_splat(from[i]);\n"
    "  }\n"
    "}\n"
    "\n"
    "/* What all limbs leave; room for whole fours. */\n"
    "static inline void limb_total(const limb_r *of, int n, double *sum)\n"
    "{\n"
    "  for (int i = 0; i < n; i += 4) {\n"
    "    limb_r x[4] = {of[i], of[i + 1], of[i + 2], of[i + 3]};\n"
    "    limb_turn(x);\n"
    "    x[0] = (x[0] + x[1]) + (x[2] + x[3]);\n"
    "    memcpy(sum + i, &x[0], sizeof x[0]);\n"
    "  }\n"
    "}\n"
    "#else\n"
    "static inline void limb_numbers(int limb, limb_r *to)\n"
    "{\n"
    "  for (int i = 0; i < LIMB_NUMBERS; i++) {\n"
    "    to[i] = limb_splat(limb_k[i][limb]);\n"
    "  }\n"
    "}\n"
    "#endif\n";

/* The whole from its parts: limbs in lanes, or one limb after the other. */
static const char whole[] =
    "\n#if ROBOT_LANES == 1\n"
    "void robot_kinematics(const double *restrict q, double *restrict pose, double *restrict origin)\n"
    "{\n"
    "  limb_r trunk[7], ql[LIMB_N], lp[12 * LIMB_N], lo[3 * LIMB_N];\n"
    "  limb_spread(q, 7, trunk);\n"
    "  limb_take(q + 7, LIMB_N, LIMB_N, ql);\n"
    "  robot_trunk_stand(q, pose, origin);\n"
    "  LIMB_FN(stand)(trunk, ql, (const limb_r *)limb_k, lp, lo);\n"
    "  limb_give(lp, 12 * LIMB_N, 12 * LIMB_N, pose + 12);\n"
    "  limb_give(lo, 3 * LIMB_N, 3 * LIMB_N, origin + 3);\n"
    "}\n"
    "\n"
    "void robot_free_velocity(const double *restrict q, const double *restrict u, const double *restrict "
    "inertia,\n"
    "                const double *restrict diag, const double *restrict force, const double *restrict "
    "gain,\n"
    "                const double *restrict dt, double *restrict pose, double *restrict origin,\n"
    "                double *restrict twist, double *restrict L, double *restrict x)\n"
    "{\n"
    "  enum { N = LIMB_N, ROWS = LIMB_ROWS };\n"
    "  limb_r tq[7], tu[6], time[1], ql[N], ul[N], li[10 * N], ld[N], lf[N], lg[N], lp[12 * N], lo[3 * N], "
    "lt[6 * N], "
    "lL[ROWS],\n"
    "      y[N], B[28], change[6], lx[N];\n"
    "  double sum[28], move[6];\n"
    "  limb_spread(q, 7, tq);\n"
    "  limb_spread(u, 6, tu);\n"
    "  limb_spread(dt, 1, time);\n"
    "  limb_take(q + 7, N, N, ql);\n"
    "  limb_take(u + 6, N, N, ul);\n"
    "  limb_take(inertia + 10, 10 * N, 10 * N, li);\n"
    "  limb_take(diag + 6, N, N, ld);\n"
    "  limb_take(force + 6, N, N, lf);\n"
    "  limb_take(gain + 6, N, N, lg);\n"
    "  LIMB_FN(free_velocity)(tq, tu, ql, ul, li, ld, lf, lg, time, (const limb_r *)limb_k, lp, lo, lt, lL, "
    "y, B);\n"
    "  B[27] = limb_splat(0.0);\n"
    "  limb_total(B, 27, sum);\n"
    "  robot_trunk_free_velocity(q, u, inertia, diag, force, gain, dt, sum, pose, origin, twist, L, move, "
    "x);\n"
    "  limb_spread(move, 6, change);\n"
    "  LIMB_FN(land)(ul, lL, y, change, lx);\n"
    "  limb_give(lp, 12 * N, 12 * N, pose + 12);\n"
    "  limb_give(lo, 3 * N, 3 * N, origin + 3);\n"
    "  limb_give(lt, 6 * N, 6 * N, twist + 6);\n"
    "  limb_give(lL, ROWS, ROWS, L + 21);\n"
    "  limb_give(lx, N, N, x + 6);\n"
    "}\n"
    "#else\n"
    "void ROBOT_FN(kinematics)(const robot_r *restrict q, robot_r *restrict pose, robot_r *restrict origin)\n"
    "{\n"
    "  ROBOT_FN(trunk_stand)(q, pose, origin);\n"
    "  for (int l = 0; l < 4; l++) {\n"
    "    limb_r k[LIMB_NUMBERS + 1];\n"
    "    limb_numbers(l, k);\n"
    "    LIMB_FN(stand)(q, q + 7 + l * LIMB_N, k, pose + 12 * (1 + l * LIMB_N), origin + 3 * (1 + l * "
    "LIMB_N));\n"
    "  }\n"
    "}\n"
    "\n"
    "void ROBOT_FN(free_velocity)(const robot_r *restrict q, const robot_r *restrict u, const robot_r "
    "*restrict "
    "inertia,\n"
    "                    const robot_r *restrict diag,\n"
    "                    const robot_r *restrict force, const robot_r *restrict gain, const robot_r "
    "*restrict dt,\n"
    "                    robot_r *restrict pose, robot_r *restrict origin, robot_r *restrict twist,\n"
    "                    robot_r *restrict L, robot_r *restrict x)\n"
    "{\n"
    "  enum { N = LIMB_N, ROWS = LIMB_ROWS };\n"
    "  limb_r y[4][N], B[4][27], sum[27], change[6];\n"
    "  for (int l = 0; l < 4; l++) {\n"
    "    limb_r k[LIMB_NUMBERS + 1];\n"
    "    const int at = 6 + l * N, body = 1 + l * N;\n"
    "    limb_numbers(l, k);\n"
    "    LIMB_FN(free_velocity)(q, u, q + 1 + at, u + at, inertia + 10 * body, diag + at, force + at, gain + "
    "at, dt, "
    "k,\n"
    "                  pose + 12 * body,\n"
    "                  origin + 3 * body, twist + 6 * body, L + 21 + l * ROWS, y[l], B[l]);\n"
    "  }\n"
    "  for (int i = 0; i < 27; i++) {\n"
    "    sum[i] = (B[0][i] + B[1][i]) + (B[2][i] + B[3][i]);\n"
    "  }\n"
    "  ROBOT_FN(trunk_free_velocity)(q, u, inertia, diag, force, gain, dt, sum, pose, origin, twist, L, "
    "change, x);\n"
    "  for (int l = 0; l < 4; l++) {\n"
    "    LIMB_FN(land)(u + 6 + l * N, L + 21 + l * ROWS, y[l], change, x + 6 + l * N);\n"
    "  }\n"
    "}\n"
    "#endif\n";

bool pki_limbs_emit(const pk_model *m, pki_text *source)
{
  limbs l;
  const int n = pki_limbs_find(m);
  bool good = compare_limbs(&l, m, n);
  pki_text_add(source, "\n/* Limbs of one robot in lanes, or of as many robots as there are lanes. */\n"
                       "#define LIMB_LANES (ROBOT_LANES == 1 ? 4 : ROBOT_LANES)\n");
  pki_text_addf(source, "#define LIMB_N %d\n#define LIMB_ROWS %d\n#define LIMB_NUMBERS %d\n\n", n,
                triangle_size(TRUNK_U, TRUNK_U + n), l.nk);
  pki_emit_lanes("limb", source);
  for (size_t i = 0; i < sizeof functions / sizeof functions[0] && good; i++) {
    pki_text_add(source, "\n");
    good = emit_part(&l, (int)i, source);
  }
  if (good) {
    emit_numbers(&l, source);
    pki_text_add(source, moving);
    pki_text_add(source, whole);
  }
  free(l.of);
  return good && !source->failed;
}
