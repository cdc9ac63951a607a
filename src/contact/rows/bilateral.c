#include "contact/rows/bilateral.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/joint_type.h"
#include "model/motion.h"

/* Velocities on the way from a body to the world. */
static int chain_length(const pk_model *m, int body)
{
  int n = 0;
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    n += pki_motion_nu(m->body_motion[i]);
  }
  return n;
}

void pki_bilateral_carve(pki_bilateral *b, const pk_model *model, pki_arena *arena)
{
  int stride = 0;
  bool has_loops = false;
  for (int i = 0; i < model->nconstraint; i++) {
    const int n = chain_length(model, model->constraints[i].body[0]) +
                  chain_length(model, model->constraints[i].body[1]);
    stride = n > stride ? n : stride;
    has_loops |= model->constraints[i].joint < 0;
  }
  const size_t n = (size_t)(model->nbilateral + model->ndrive), room = n * (size_t)stride;
  *b = (pki_bilateral){.model = model, .n = (int)n, .stride = stride, .has_loops = has_loops};
  b->count = pki_arena_take(arena, n, sizeof *b->count);
  b->col = pki_arena_take(arena, room, sizeof *b->col);
  b->J = pki_arena_take(arena, room, sizeof *b->J);
  b->plan = pki_arena_take(arena, n, sizeof *b->plan);
  b->of = pki_arena_take(arena, (size_t)model->nbilateral, sizeof *b->of);
  b->gap = pki_arena_take(arena, (size_t)model->nbilateral, sizeof *b->gap);
  b->rest = pki_arena_take(arena, (size_t)model->nbilateral, sizeof *b->rest);
  b->solved = pki_arena_take(arena, (size_t)model->nbilateral, sizeof *b->solved);
  b->change = pki_arena_take(arena, (size_t)model->nu, sizeof *b->change);
  for (int i = 0; i < model->nconstraint && arena->base != NULL && !arena->overflow; i++) {
    const pk_model_constraint *c = &model->constraints[i];
    for (int k = 0; k < c->nrow; k++) {
      b->plan[c->row + k] = c->plan + k;
      b->of[c->row + k] = i;
    }
    for (int k = 0; k < c->ndrive; k++) {
      b->plan[model->nbilateral + c->drive + k] = c->plan + c->nrow + k;
    }
  }
}

/* ---- rows ---- */

/* Both frames in the world. */
typedef struct frames {
  double Ra[9], Rb[9]; /* axes as columns */
  double pb[3], d[3];  /* origin of b; from the origin of a */
  double theta[3];     /* the turn that takes a to b, world axes, small */
} frames;

void pki_frame_in_world(const pki_work *w, int body, const pk_pose *frame, double p[3], double R[9])
{
  if (body < 0) {
    memcpy(p, frame->pos, sizeof frame->pos), memcpy(R, frame->rot, sizeof frame->rot);
    return;
  }
  const double *pose = w->pose + 12 * ((size_t)body + 1), *o = w->origin + 3 * ((size_t)body + 1);
  pki_mat3_apply(pose, frame->pos, p);
  pki_mat3_mul(pose, frame->rot, R);
  for (int k = 0; k < 3; k++) {
    p[k] += o[k];
  }
}

static void matrix_column(const double R[9], int k, double out[3])
{
  out[0] = R[k], out[1] = R[3 + k], out[2] = R[6 + k];
}

/* The turn that takes unit vector a to b, by the shortest way. */
static void turn_between(const double a[3], const double b[3], double out[3])
{
  pki_cross3(a, b, out);
  const double sine = sqrt(pki_dot3(out, out)), angle = atan2(sine, pki_dot3(a, b));
  const double scale = sine > 1e-8 ? angle / sine : 1;
  for (int k = 0; k < 3; k++) {
    out[k] *= scale;
  }
  if (sine <= 1e-8 && angle > 1) { /* against each other: about any axis across */
    const double across[3] = {fabs(a[0]) < 0.9, fabs(a[0]) >= 0.9, 0};
    pki_cross3(a, across, out);
    const double size = sqrt(pki_dot3(out, out));
    for (int k = 0; k < 3; k++) {
      out[k] *= angle / size;
    }
  }
}

/* The turn that takes frame a to frame b, world axes. */
static void turn_of_frames(const double Ra[9], const double Rb[9], double out[3])
{
  double T[9], R[9], q[4];
  pki_mat3_transpose(Ra, T);
  pki_mat3_mul(Rb, T, R);
  pki_quat_from_mat3(R, q);
  const double sign = q[0] < 0 ? -1 : 1, size = sqrt(pki_dot3(q + 1, q + 1));
  const double scale = size > 1e-12 ? 2 * atan2(size, sign * q[0]) / size : 2;
  for (int k = 0; k < 3; k++) {
    out[k] = sign * scale * q[1 + k];
  }
}

/* Where the frames are, and the turn between them; with one free axis that of the axis alone. */
static frames frames_of(const pki_work *w, const pk_model_constraint *c)
{
  frames f;
  double pa[3];
  pki_frame_in_world(w, c->body[0], &c->frame[0], pa, f.Ra);
  pki_frame_in_world(w, c->body[1], &c->frame[1], f.pb, f.Rb);
  memset(f.theta, 0, sizeof f.theta);
  for (int k = 0; k < 3; k++) {
    f.d[k] = f.pb[k] - pa[k];
    if (c->turn != 7 && c->turn != 0 && (c->turn >> k & 1) == 0) {
      double a[3], b[3];
      matrix_column(f.Ra, k, a), matrix_column(f.Rb, k, b);
      turn_between(a, b, f.theta);
    }
  }
  if (c->turn == 7) {
    turn_of_frames(f.Ra, f.Rb, f.theta);
  }
  return f;
}

/* Columns of one side: the body's chain feels a force along `force` at `point` and a moment. */
static void add_side(pki_bilateral *b, const pki_work *w, int row, int body, double sign,
                     const double point[3], const double force[3], const double moment[3])
{
  const pk_model *m = b->model;
  int *col = b->col + (size_t)row * (size_t)b->stride;
  double *J = b->J + (size_t)row * (size_t)b->stride;
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    const double *o = w->origin + 3 * ((size_t)i + 1);
    double arm[3], turn[3], columns[6];
    for (int k = 0; k < 3; k++) {
      arm[k] = point[k] - o[k];
    }
    pki_cross3(arm, force, turn);
    for (int k = 0; k < 3; k++) {
      turn[k] += moment[k];
    }
    pki_body_columns(w, i, turn, force, columns);
    for (int k = 0; k < pki_motion_nu(m->body_motion[i]); k++) {
      col[b->count[row]] = m->body_u[i] + k;
      J[b->count[row]++] = sign * columns[k];
    }
  }
}

/* One row: b against a along a direction, as a travel or as a turn. */
static void set_row(pki_bilateral *b, const pki_work *w, int row, const pk_model_constraint *c,
                    const frames *f, const double along[3], bool turns)
{
  static const double none[3] = {0, 0, 0};
  b->count[row] = 0;
  add_side(b, w, row, c->body[1], 1, f->pb, turns ? none : along, turns ? along : none);
  add_side(b, w, row, c->body[0], -1, f->pb, turns ? none : along, turns ? along : none);
}

/* Locked rows and their gaps. */
static void set_locks(pki_bilateral *b, const pki_work *w, const pk_model_constraint *c, const frames *f)
{
  double e[3];
  int row = c->row;
  if (c->length > 0) {
    const double size = fmax(sqrt(pki_dot3(f->d, f->d)), 1e-300);
    for (int k = 0; k < 3; k++) {
      e[k] = f->d[k] / size;
    }
    b->gap[row] = size - c->length;
    set_row(b, w, row, c, f, e, false);
    return;
  }
  for (int part = 0; part < 2; part++) {
    for (int k = 0; k < 3; k++) {
      if (((part ? c->turn : c->travel) >> k & 1) == 0) {
        continue;
      }
      matrix_column(f->Ra, k, e);
      b->gap[row] = pki_dot3(e, part ? f->theta : f->d);
      set_row(b, w, row++, c, f, e, part == 1);
    }
  }
}

/* The coordinates of a cut joint: travels along axes of a; turns about an axis of a, or about all of b's. */
static void set_drives(pki_bilateral *b, const pki_work *w, const pk_model_constraint *c, const frames *f)
{
  const pki_joint_type *type = pki_joint_type_of(b->model->joints[c->joint].kind);
  int row = b->model->nbilateral + c->drive;
  double e[3];
  for (int p = 0; p < type->nparts; p++) {
    const pki_joint_part *part = &type->parts[p];
    const int n = pki_motion_nu(part->motion), quaternion = pki_motion_quaternion(part->motion);
    for (int k = 0; k < n; k++) {
      const bool turns = n == 1 ? part->motion == PK_MOTION_REVOLUTE : k >= quaternion;
      matrix_column(turns && n > 1 ? f->Rb : f->Ra, n == 1 ? (c->axis + part->axis) % 3 : k % 3, e);
      for (int i = 0; i < 3; i++) {
        e[i] *= n == 1 && part->axis == 0 ? c->sign : 1;
      }
      set_row(b, w, row++, c, f, e, turns);
    }
  }
}

/* y - p(x) and its row, by Horner's rule. */
static void set_coupling(pki_bilateral *b, const pk_model_constraint *c, const double *q)
{
  const pk_model *m = b->model;
  const int y = c->dof[0], x = c->dof[1], row = c->row;
  int *col = b->col + (size_t)row * (size_t)b->stride;
  double *J = b->J + (size_t)row * (size_t)b->stride;
  const double at = x >= 0 ? q[m->dof_q[x]] : 0;
  double value = 0, slope = 0;
  for (int k = 4; k >= 0; k--) {
    slope = slope * at + value;
    value = value * at + c->polynomial[k];
  }
  b->gap[row] = q[m->dof_q[y]] - value;
  b->count[row] = x >= 0 ? 2 : 1;
  col[0] = y, J[0] = 1;
  if (x >= 0) {
    col[1] = x, J[1] = -slope;
  }
}

void pki_bilateral_update(pki_bilateral *b, const pki_work *w, const double *q)
{
  for (int i = 0; i < b->model->nconstraint; i++) {
    const pk_model_constraint *c = &b->model->constraints[i];
    if (c->dof[0] >= 0) {
      set_coupling(b, c, q);
      continue;
    }
    const frames f = frames_of(w, c);
    set_locks(b, w, c, &f);
    if (c->joint >= 0) {
      set_drives(b, w, c, &f);
    }
  }
}

/* Where a part of a cut joint is; angles stay near what `x` holds. Attitudes are left alone. */
static void part_coordinate(const pki_joint_part *part, const pk_model_constraint *c, const frames *f,
                            double *x)
{
  const int k = (c->axis + part->axis) % 3, i1 = (k + 1) % 3, i2 = (k + 2) % 3;
  const double sign = part->axis == 0 ? c->sign : 1;
  double a[3], a1[3], a2[3], b1[3];
  if (part->motion == PK_MOTION_PRISMATIC) {
    matrix_column(f->Ra, k, a);
    x[0] = sign * pki_dot3(a, f->d);
  } else if (part->motion == PK_MOTION_FLOATING) {
    pki_mat3_apply_transposed(f->Ra, f->d, x);
  } else if (part->motion == PK_MOTION_REVOLUTE) {
    matrix_column(f->Ra, i1, a1), matrix_column(f->Ra, i2, a2), matrix_column(f->Rb, i1, b1);
    const double turn = sign * atan2(pki_dot3(a2, b1), pki_dot3(a1, b1)), whole = 6.283185307179586;
    x[0] = turn + whole * nearbyint((x[0] - turn) / whole);
  }
}

void pki_bilateral_coordinates(const pk_model *model, const pki_work *w, double *out)
{
  for (int i = 0; i < model->nconstraint; i++) {
    const pk_model_constraint *c = &model->constraints[i];
    if (c->joint < 0) {
      continue;
    }
    const pki_joint_type *type = pki_joint_type_of(model->joints[c->joint].kind);
    const frames f = frames_of(w, c);
    for (int p = 0; p < type->nparts; p++) {
      part_coordinate(&type->parts[p], c, &f, out + c->drive + type->parts[p].coordinate);
    }
  }
}

void pki_bilateral_force(const pki_work *w, const pk_model_constraint *c, const double *rows, double point[3],
                         double force[3], double moment[3])
{
  const frames f = frames_of(w, c);
  double e[3];
  memset(force, 0, 3 * sizeof *force), memset(moment, 0, 3 * sizeof *moment);
  memcpy(point, f.pb, 3 * sizeof *point);
  if (c->length > 0) {
    const double size = fmax(sqrt(pki_dot3(f.d, f.d)), 1e-300);
    for (int i = 0; i < 3; i++) {
      force[i] = rows[0] * f.d[i] / size;
    }
    return;
  }
  int row = 0;
  for (int part = 0; part < 2; part++) {
    double *const sum = part ? moment : force;
    for (int k = 0; k < 3; k++) {
      if (((part ? c->turn : c->travel) >> k & 1) == 0) {
        continue;
      }
      matrix_column(f.Ra, k, e);
      for (int i = 0; i < 3; i++) {
        sum[i] += rows[row] * e[i];
      }
      row++;
    }
  }
}

/* ---- in the factor ---- */

/* The pair of unknowns a, b of the plan. */
static double *mass_entry(const pki_work *w, int a, int b)
{
  return &w->M[pki_plan_find(w->model->M_row, w->model->M_col, a, b)];
}

static void write_row(const pki_bilateral *b, const pki_work *w, int row, double scale)
{
  const size_t at = (size_t)row * (size_t)b->stride;
  for (int e = 0; e < b->count[row]; e++) {
    *mass_entry(w, b->plan[row], w->model->plan_u[b->col[at + (size_t)e]]) += scale * b->J[at + (size_t)e];
  }
}

/* What the rows of a loop respond with, to the order of magnitude: the largest J inv(diag M) J'. A row that moves nothing,
 * such as one across the plane of a mechanism, has none of its own. */
static double row_response(const pki_bilateral *b, const pki_work *w, const pk_model_constraint *c)
{
  const pk_model *m = w->model;
  double most = 0;
  for (int row = c->row; row < c->row + c->nrow; row++) {
    const size_t at = (size_t)row * (size_t)b->stride;
    double sum = 0;
    for (int e = 0; e < b->count[row]; e++) {
      const double J = b->J[at + (size_t)e];
      sum += J * J / w->M[m->M_row[m->plan_u[b->col[at + (size_t)e]] + 1] - 1];
    }
    most = fmax(most, sum);
  }
  return most > 0 ? most : 1;
}

void pki_bilateral_factor(const pki_bilateral *b, pk_workspace *w, const double *s, bool direct)
{
  static const double redundancy = 1e-11;
  const pk_model *m = b->model;
  pki_work *work = &w->work;
  for (int i = 0; i < m->nconstraint && direct; i++) {
    const pk_model_constraint *c = &m->constraints[i];
    const double soft = c->joint >= 0 ? 0 : redundancy * row_response(b, work, c);
    for (int row = c->row; row < c->row + c->nrow; row++) {
      *mass_entry(work, b->plan[row], b->plan[row]) = -soft;
      write_row(b, work, row, 1);
    }
  }
  for (int k = 0; k < m->ndrive && s != NULL; k++) {
    if (s[k] > 0) {
      const int row = m->nbilateral + k;
      *mass_entry(work, b->plan[row], b->plan[row]) = -1;
      write_row(b, work, row, sqrt(s[k]));
    }
  }
  w->kernels->ltl_factor(work);
}

void pki_bilateral_solve(pki_bilateral *b, pk_workspace *w, double *x, const double *rows)
{
  const pk_model *m = b->model;
  double *const y = w->work.plan;
  pki_plan_spread(m, x, y);
  for (int row = 0; row < m->nbilateral && rows != NULL; row++) {
    y[b->plan[row]] = rows[row];
  }
  w->kernels->ltl_solve(&w->work, y);
  pki_plan_collect(m, y, x);
  pki_bilateral_read(b, w);
}

void pki_bilateral_read(pki_bilateral *b, const pk_workspace *w)
{
  for (int row = 0; row < b->model->nbilateral; row++) {
    b->solved[row] = -w->work.plan[b->plan[row]];
  }
}

void pki_bilateral_refine(pki_bilateral *b, pk_workspace *w, double *u)
{
  const pk_model *m = b->model;
  if (!b->has_loops) {
    return;
  }
  for (int row = 0; row < m->nbilateral; row++) {
    b->rest[row] = -pki_bilateral_velocity(b, row, u);
  }
  memset(b->change, 0, (size_t)m->nu * sizeof *b->change);
  pki_bilateral_solve(b, w, b->change, b->rest);
  for (int k = 0; k < m->nu; k++) {
    u[k] += b->change[k];
  }
}

double pki_bilateral_velocity(const pki_bilateral *b, int row, const double *u)
{
  const size_t at = (size_t)row * (size_t)b->stride;
  double sum = 0;
  for (int e = 0; e < b->count[row]; e++) {
    sum += b->J[at + (size_t)e] * u[b->col[at + (size_t)e]];
  }
  return sum;
}

void pki_bilateral_add(const pki_bilateral *b, int row, double f, double *out)
{
  const size_t at = (size_t)row * (size_t)b->stride;
  for (int e = 0; e < b->count[row]; e++) {
    out[b->col[at + (size_t)e]] += f * b->J[at + (size_t)e];
  }
}
