/* The feasible region of Orsolino 2020: horizontal places c of the centre of mass at which contact forces f_i in their friction cones
 * carry the weight F with joint torques within limits,
 *
 *   sum f_i = F up,   up . sum p_i x f_i = 0,   bias_k - limit_k <= sum_i row_ki . f_i <= bias_k + limit_k
 *
 * c follows from the horizontal moments: with arms from a point o, sum arm_i x f_i = (c - o) x F up. The region is convex; its
 * farthest point in a direction is a linear program (column_simplex.h), and the polygon grows by the farthest point beyond its edges
 * until none is farther than a hair (Bretl and Lall 2008). */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/trunk_link.h"
#include "stability/column_simplex.h"
#include "stability/friction_cone.h"
#include "stability/robot_stance.h"
#include "step/world.h"

enum { BALANCE = 4, TORQUES = PK_STABILITY_EDGES, ROWS_MOST = BALANCE + 2 * TORQUES };

/* Kinds of columns: forces, what is left up to the upper limit of a torque, and up to the lower one. */
enum { COLUMN_FORCE = 1, COLUMN_BELOW, COLUMN_ABOVE };

typedef struct region_program {
  const pki_stance *stance;
  const pk_stability_torques *torques; /* NULL: none */
  int sides;
  int limited[TORQUES], nlimited; /* torques with a limit */
  double length, size;            /* m and N: scales */
  double lever[2][3]; /* (c - o) along the direction in which it is to be far, and across it to the left, is
                                   * sum lever . (arm x f) / F */
} region_program;

/* ---- the farthest point in a direction ---- */

static const double *torque_row(const region_program *r, int torque, int contact)
{
  return r->torques->row + 3 * ((size_t)torque * (size_t)r->stance->in->ncontact + (size_t)contact);
}

static void arm_of(const region_program *r, int contact, double arm[3])
{
  pki_sub3(r->stance->in->contacts[contact].point, r->stance->in->com, arm);
  for (int k = 0; k < 3; k++) {
    arm[k] /= r->length;
  }
}

/* The column of a unit of force v at a contact, with what it does to c. */
static pki_column force_column(const region_program *r, int contact, const double v[3], double *a)
{
  const pki_stance *s = r->stance;
  double arm[3], moment[3];
  arm_of(r, contact, arm);
  pki_cross3(arm, v, moment);
  a[0] = pki_dot3(v, s->x), a[1] = pki_dot3(v, s->y), a[2] = pki_dot3(v, s->up);
  a[3] = pki_dot3(moment, s->up);
  for (int k = 0; k < r->nlimited; k++) {
    a[BALANCE + 2 * k] = pki_dot3(torque_row(r, r->limited[k], contact), v) / r->length;
    a[BALANCE + 2 * k + 1] = 0;
  }
  return (pki_column){
      .kind = COLUMN_FORCE, .cost = -pki_dot3(moment, r->lever[0]), .note = pki_dot3(moment, r->lever[1])};
}

/* What multipliers y say of a force at a contact: z . v is y . a, and in the second phase less the cost. */
static void value_of_force(const region_program *r, int contact, const double *y, bool optimises, double z[3])
{
  const pki_stance *s = r->stance;
  double arm[3], turn[3], around[3];
  arm_of(r, contact, arm);
  for (int k = 0; k < 3; k++) {
    z[k] = y[0] * s->x[k] + y[1] * s->y[k] + y[2] * s->up[k];
    turn[k] = y[3] * s->up[k] + (optimises ? r->lever[0][k] : 0);
  }
  pki_cross3(turn, arm, around); /* u . (arm x v) = (u x arm) . v */
  pki_along3(z, 1, around, z);
  for (int k = 0; k < r->nlimited; k++) {
    pki_along3(z, y[BALANCE + 2 * k] / r->length, torque_row(r, r->limited[k], contact), z);
  }
}

static double price_forces(const pki_column_program *p, const double *y, double *a, pki_column *column)
{
  const region_program *r = p->user;
  const pki_stance *s = r->stance;
  double best = 0;
  int slack = -1;
  for (int i = 0; i < s->in->ncontact; i++) {
    double z[3], v[3];
    if (!pki_stance_supports(s, i)) {
      continue;
    }
    value_of_force(r, i, y, p->optimises, z);
    const double promise = pki_best_generator(&s->in->contacts[i], r->sides, z, v);
    if (promise > best) {
      best = promise;
      *column = force_column(r, i, v, a);
    }
  }
  for (int k = 0; k < r->nlimited; k++) {
    const double *mine = y + BALANCE + 2 * k;
    for (int above = 0; above < 2; above++) {
      const double promise = above ? mine[1] : mine[0] + mine[1];
      if (promise > best) {
        best = promise;
        slack = 2 * k + above;
      }
    }
  }
  if (slack >= 0) {
    memset(a, 0, (size_t)p->rows * sizeof *a);
    a[BALANCE + slack / 2 * 2] = slack % 2 == 0;
    a[BALANCE + slack / 2 * 2 + 1] = 1;
    *column = (pki_column){.kind = slack % 2 == 0 ? COLUMN_BELOW : COLUMN_ABOVE};
  }
  return best;
}

/* The farthest place of the centre of mass in a direction of the stance's horizontal axes, from o in these axes, m. */
static pki_column_outcome farthest_place(region_program *r, const double direction[2], double *memory,
                                         double place[2])
{
  static const double none = 1e-7; /* of the weight */
  const pki_stance *s = r->stance;
  const int rows = BALANCE + 2 * r->nlimited;
  double promise, along = 0, across = 0;
  pki_column_program p;
  pki_column_program_init(&p, rows, memory);
  p.price = price_forces, p.user = r;
  p.rhs[2] = 1;
  for (int k = 0; k < r->nlimited; k++) {
    const double scale = r->size * r->length, limit = r->torques->limit[r->limited[k]];
    p.rhs[BALANCE + 2 * k] = (r->torques->bias[r->limited[k]] + limit) / scale;
    p.rhs[BALANCE + 2 * k + 1] = 2 * limit / scale;
  }
  /* (c - o) . x = -sum (arm x f) . y / F, (c - o) . y = sum (arm x f) . x / F */
  for (int k = 0; k < 3; k++) {
    r->lever[0][k] = direction[1] * s->x[k] - direction[0] * s->y[k];
    r->lever[1][k] = direction[0] * s->x[k] + direction[1] * s->y[k];
  }
  const pki_column_outcome outcome = pki_column_program_solve(&p, none, &promise);
  for (int k = 0; k < rows && outcome == PKI_COLUMN_SOLVED; k++) {
    along -= p.column[k].cost * p.value[k];
    across += p.column[k].note * p.value[k];
  }
  place[0] = r->length * (direction[0] * along - direction[1] * across);
  place[1] = r->length * (direction[1] * along + direction[0] * across);
  return outcome;
}

/* ---- the polygon ---- */

/* Corners so far, counterclockwise, from o in the stance's axes; and what is known of the edge from each corner to the next. */
typedef struct region_polygon {
  int n;
  double at[PK_STABILITY_EDGES][2];
  bool known[PK_STABILITY_EDGES];
  double farthest[PK_STABILITY_EDGES][2]; /* point of the region beyond the edge */
  double beyond[PK_STABILITY_EDGES];      /* m, how far it is */
} region_polygon;

static double outward_of(const region_polygon *p, int i, double n[2])
{
  const double *a = p->at[i], *b = p->at[(i + 1) % p->n];
  const double d[2] = {b[0] - a[0], b[1] - a[1]}, length = hypot(d[0], d[1]);
  n[0] = length > 0 ? d[1] / length : 0, n[1] = length > 0 ? -d[0] / length : 0;
  return length;
}

/* A corner between two others: of both edges at it nothing is known. */
static void insert_corner(region_polygon *p, int at, const double place[2])
{
  for (int k = p->n; k > at; k--) {
    memcpy(p->at[k], p->at[k - 1], sizeof p->at[k]);
    memcpy(p->farthest[k], p->farthest[k - 1], sizeof p->farthest[k]);
    p->known[k] = p->known[k - 1];
    p->beyond[k] = p->beyond[k - 1];
  }
  memcpy(p->at[at], place, sizeof p->at[at]);
  p->n++;
  p->known[at] = p->known[(at + p->n - 1) % p->n] = false;
}

/* Corners in four directions, each once. */
static pki_column_outcome first_corners(region_program *r, double *memory, region_polygon *p)
{
  static const double directions[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  pki_column_outcome outcome = PKI_COLUMN_SOLVED;
  for (int i = 0; i < 4 && outcome == PKI_COLUMN_SOLVED; i++) {
    double place[2];
    outcome = farthest_place(r, directions[i], memory, place);
    bool known = outcome != PKI_COLUMN_SOLVED;
    for (int k = 0; k < p->n && !known; k++) {
      known = hypot(place[0] - p->at[k][0], place[1] - p->at[k][1]) < 1e-7 * r->length;
    }
    if (!known) {
      insert_corner(p, p->n, place);
    }
  }
  return outcome;
}

/* What is beyond the edges of which nothing is known. */
static pki_column_outcome look_beyond(region_program *r, double *memory, region_polygon *p)
{
  pki_column_outcome outcome = PKI_COLUMN_SOLVED;
  for (int i = 0; i < p->n && outcome == PKI_COLUMN_SOLVED; i++) {
    double n[2];
    if (p->known[i]) {
      continue;
    }
    p->known[i] = true;
    p->beyond[i] = 0;
    if (outward_of(p, i, n) > 1e-7 * r->length) {
      outcome = farthest_place(r, n, memory, p->farthest[i]);
      p->beyond[i] = n[0] * (p->farthest[i][0] - p->at[i][0]) + n[1] * (p->farthest[i][1] - p->at[i][1]);
    }
  }
  return outcome;
}

/* The farthest point beyond an edge becomes a corner, while there is room; how far the region then reaches beyond at most. */
static pki_column_outcome grow_polygon(region_program *r, double *memory, region_polygon *p, double *gap)
{
  pki_column_outcome outcome = PKI_COLUMN_SOLVED;
  *gap = 0;
  while (p->n > 1) {
    outcome = look_beyond(r, memory, p);
    int best = 0;
    for (int i = 1; i < p->n; i++) {
      best = p->beyond[i] > p->beyond[best] ? i : best;
    }
    *gap = fmax(p->beyond[best], 0);
    if (outcome != PKI_COLUMN_SOLVED || *gap <= 1e-6 * r->length || p->n == PK_STABILITY_EDGES) {
      break;
    }
    const double place[2] = {p->farthest[best][0], p->farthest[best][1]};
    insert_corner(p, best + 1, place);
  }
  return outcome;
}

/* m, margin of o, which is the origin, in the polygon. */
static double margin_in(const region_polygon *p)
{
  double least = INFINITY;
  for (int i = 0; i < p->n && p->n > 2; i++) {
    double n[2];
    if (outward_of(p, i, n) > 0) {
      least = fmin(least, n[0] * p->at[i][0] + n[1] * p->at[i][1]);
    }
  }
  if (p->n > 2) {
    return least;
  }
  const double *a = p->at[0], *b = p->at[p->n - 1], d[2] = {b[0] - a[0], b[1] - a[1]};
  const double length2 = d[0] * d[0] + d[1] * d[1];
  const double t = length2 > 0 ? fmin(fmax(-(a[0] * d[0] + a[1] * d[1]) / length2, 0), 1) : 0;
  return -hypot(a[0] + t * d[0], a[1] + t * d[1]);
}

static pk_status find_limited(region_program *r, pk_error *err)
{
  const pk_stability_torques *t = r->torques;
  if (t != NULL && t->count > TORQUES) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "torques"},
                    "there are %d torques, expected %d at most", t->count, TORQUES);
  }
  for (int k = 0; t != NULL && k < t->count; k++) {
    if (!(t->limit[k] >= 0) || !isfinite(t->bias[k])) {
      return pki_fail(
          err, PK_ERROR_ARGUMENT, (pki_where){.field = "torques"},
          "torque %d has the limit %g and the bias %g, expected a limit of zero or more and a number", k,
          t->limit[k], t->bias[k]);
    }
    if (isfinite(t->limit[k])) {
      r->limited[r->nlimited++] = k;
    }
  }
  return PK_OK;
}

pk_status pk_feasible_region_compute(const pk_stability_input *input, const pk_stability_torques *torques,
                                     const pk_stability_options *options, pk_feasible_region *out,
                                     pk_error *err)
{
  const pk_stability_options o = options != NULL ? *options : pk_stability_options_default();
  double memory[PKI_COLUMN_PROGRAM_SIZE(ROWS_MOST)];
  pki_stance stance;
  region_polygon polygon = {.n = 0};
  *out = (pk_feasible_region){.margin = NAN, .gap = NAN};
  pk_status status = pk_stability_options_validate(&o, err);
  status = status == PK_OK ? pki_stance_init(&stance, input, &o, err) : status;
  region_program r = {.stance = &stance, .torques = torques, .sides = o.friction_sides, .length = 1e-9};
  status = status == PK_OK ? find_limited(&r, err) : status;
  if (status != PK_OK) {
    return status;
  }
  r.size = input->mass * stance.g;
  for (int i = 0; i < input->ncontact; i++) {
    double arm[3];
    pki_sub3(input->contacts[i].point, input->com, arm);
    r.length = fmax(r.length, pki_length3(arm));
  }
  pki_column_outcome outcome = first_corners(&r, memory, &polygon);
  double gap = 0;
  outcome = outcome == PKI_COLUMN_SOLVED ? grow_polygon(&r, memory, &polygon, &gap) : outcome;
  out->gap = outcome == PKI_COLUMN_BROKEN ? NAN : gap;
  out->margin = outcome == PKI_COLUMN_SOLVED       ? margin_in(&polygon)
                : outcome == PKI_COLUMN_INFEASIBLE ? -INFINITY
                : outcome == PKI_COLUMN_UNBOUNDED  ? INFINITY
                                                   : NAN;
  out->ncorner = outcome == PKI_COLUMN_SOLVED ? polygon.n : 0;
  for (int i = 0; i < out->ncorner; i++) {
    double place[3];
    pki_along3(input->com, polygon.at[i][0], stance.x, place);
    pki_along3(place, polygon.at[i][1], stance.y, place);
    pki_stance_on_ground(&stance, place, out->corners[i]);
  }
  return PK_OK;
}

/* ---- of a robot ---- */

/* Torques that the model limits, of joints between the trunk and contacts. */
typedef struct leg_torques {
  int count, dof[TORQUES];
  double bias[TORQUES], limit[TORQUES];
  double row[TORQUES * PK_STABILITY_EDGES * 3];
} leg_torques;

/* Joints on the way from a contact's link to the trunk; false: there are too many. */
static bool add_joints(const pk_model *m, int trunk, int link, leg_torques *t)
{
  for (int body = m->links[link].body; body >= 0 && body != m->links[trunk].body;
       body = m->body_parent[body]) {
    const int dof = m->body_u[body];
    const bool limited = m->dof_joint[dof] >= 0 && isfinite(m->dof_effort[dof]);
    bool known = !limited;
    for (int k = 0; k < t->count && !known; k++) {
      known = t->dof[k] == dof;
    }
    if (!known && t->count == TORQUES) {
      return false;
    }
    if (!known) {
      t->limit[t->count] = m->dof_effort[dof];
      t->dof[t->count++] = dof;
    }
  }
  return true;
}

/* Gravity and Jacobians. After this the workspace is at q, at rest. */
static void find_rows(pk_workspace *w, const double *q, const pki_robot_stance *s, leg_torques *t)
{
  const pk_model *m = w->model;
  const size_t nu = (size_t)m->nu;
  w->kernels->rnea(&w->work, q, w->work.zero, NULL, w->scratch);
  pki_update_origins(&w->work);
  for (int k = 0; k < t->count; k++) {
    t->bias[k] = w->scratch[t->dof[k]];
  }
  for (int i = 0; i < s->input.ncontact; i++) {
    const pk_pose link = pk_link_pose(w, s->contacts[i].foot);
    double point[3];
    pki_sub3(s->contacts[i].point, link.pos, point);
    pki_mat3_apply_transposed(link.rot, point, point);
    pk_link_jacobian(w, s->contacts[i].foot, point, w->scratch);
    for (int k = 0; k < t->count; k++) {
      for (size_t c = 0; c < 3; c++) {
        t->row[3 * ((size_t)k * (size_t)s->input.ncontact + (size_t)i) + c] =
            w->scratch[(3 + c) * nu + (size_t)t->dof[k]];
      }
    }
  }
}

pk_status pk_sim_feasible_region(pk_sim *sim, int robot, const pk_stability_options *options,
                                 pk_feasible_region *out, pk_error *err)
{
  const pk_model *m = sim->model;
  pk_sim_contact *contacts = sim->control.contacts;
  pki_robot_stance s;
  leg_torques t = {.count = 0};
  double sums[12];
  *out = (pk_feasible_region){.margin = NAN, .gap = NAN};
  if (robot < 0 || robot >= m->nrobot) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "robot"}, "robot is %d, expected 0 to %d",
                    robot, m->nrobot - 1);
  }
  if (sim->joints.cut) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "robot"},
                    "joints of robot \"%s\" are cut: the feasible region needs joint coordinates",
                    m->robots[robot].name);
  }
  const int count = pk_sim_contacts(sim, contacts, sim->options.max_contacts),
            trunk = pki_model_trunk(m, robot);
  pk_kinematics_compute(sim->workspace, sim->state.q, sim->state.u);
  sim->workspace->kernels->sums(&sim->workspace->work, m->robots[robot].body, m->robots[robot].nbody, sums);
  const pk_pose pose = pk_link_pose(sim->workspace, trunk);
  const double heading[3] = {pose.rot[0], pose.rot[3], pose.rot[6]};
  pk_status status =
      pki_robot_stance_init(&s, m, robot, sums, heading, contacts, count, sim->options.dt, err);
  bool fits = s.input.ncontact <= PK_STABILITY_EDGES;
  for (int i = 0; i < s.input.ncontact && fits && status == PK_OK; i++) {
    fits = add_joints(m, trunk, s.contacts[i].foot, &t);
  }
  if (status == PK_OK && !fits) {
    status = pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "robot"},
                      "robot \"%s\" has more than %d contacts or joints that carry them",
                      m->robots[robot].name, PK_STABILITY_EDGES);
  }
  if (status != PK_OK) {
    return status;
  }
  find_rows(sim->workspace, sim->state.q, &s, &t);
  const pk_stability_torques torques = {t.count, t.bias, t.limit, t.row};
  return pk_feasible_region_compute(&s.input, &torques, options, out, err);
}
