/* What the tasks of whole-body control ask of one world now: which feet stand, where mass, trunk and feet should be, and the
 * accelerations that bring them there. */
#include <math.h>
#include <string.h>

#include "control/whole_body.h"
#include "math/mat3.h"

static const double settle = 1;      /* s, from where the mass is at the start to its reference */
static const double patience = 0.02; /* s, a foot without contact is still taken to stand */
static const double descent = 0.1;   /* m/s, of a foot that finds no ground where it was */

/* A number that goes from 0 to 1 as a polynomial of the fifth degree, at rest at both ends, with its rates. */
typedef struct ease {
  double x, rate, acc;
} ease;

static ease ease_at(double time, double length)
{
  const double s = time / length;
  if (s <= 0 || s >= 1) {
    return (ease){.x = s > 0};
  }
  return (ease){s * s * s * (10 + s * (-15 + 6 * s)), 30 * s * s * (1 - s) * (1 - s) / length,
                60 * s * (1 - s) * (1 - 2 * s) / (length * length)};
}

/* The last move that has begun; -1: none. */
static int move_at(const pki_whole_body *c, double time)
{
  int k = c->options.move_count - 1;
  while (k >= 0 && c->options.moves[k].at > time) {
    k--;
  }
  return k;
}

/* ---- feet ---- */

void pki_whole_body_feel(const pki_whole_body *c, const pk_observation *seen, pki_whole_state *s)
{
  const double period = c->controller.period > 0 ? c->controller.period : seen->dt;
  const int move = move_at(c, seen->time);
  for (int f = 0; f < c->nfoot; f++) {
    pki_whole_foot_state *foot = &s->feet[f];
    double sum[3] = {0};
    foot->touches = false;
    for (int k = 0; k < seen->ncontact; k++) {
      double impulse[3], normal[3];
      if (pk_sim_contact_carries(&seen->contacts[k], seen->model, c->feet[f].link, impulse, normal)) {
        const double push = fmax(pki_dot3(impulse, normal), 1e-9);
        foot->touches = true;
        pki_along3(sum, push, normal, sum);
      }
    }
    foot->quiet = foot->touches || !s->awake ? 0 : foot->quiet + period;
    const double size = pki_length3(sum);
    for (int e = 0; e < 3 && (size > 0 || !s->awake); e++) {
      foot->normal[e] = size > 0 ? sum[e] / size : e == 2;
    }
    const bool lifted = move >= 0 && c->lifted[move] >> f & 1;
    foot->stands = !lifted && (c->options.stance == PK_WHOLE_BODY_STANCE_ALL || foot->quiet < patience);
  }
}

/* ---- where things are ---- */

static void read_numbers(const pki_whole_lanes *w, const double *from, int l, int count, double *to)
{
  for (int k = 0; k < count; k++) {
    to[k] = from[k * w->lanes + l];
  }
}

void pki_whole_body_start(const pki_whole_body *c, const pki_whole_lanes *w, int l, pki_whole_state *s)
{
  s->awake = true;
  for (int j = 0; j < c->nact; j++) {
    s->numbers[j] = w->q[w->work.model->dof_q[c->u + c->act[j]] * w->lanes + l];
  }
  if (!c->is_free) {
    return;
  }
  read_numbers(w, w->mass_at, l, 3, s->mass_from);
  read_numbers(w, w->trunk_turn, l, 9, s->trunk);
  read_numbers(w, w->trunk_at, l, 3, s->place);
  s->heading = atan2(s->trunk[3], s->trunk[0]);
  memcpy(s->mass_home, s->mass_from, sizeof s->mass_home);
  for (int k = 0; k < 2 && c->nfoot > 0; k++) {
    s->mass_home[k] = 0;
    for (int f = 0; f < c->nfoot; f++) {
      s->mass_home[k] += w->foot_at[(3 * f + k) * w->lanes + l] / c->nfoot;
    }
  }
}

/* ---- references ---- */

/* Value, rate and acceleration along three axes. */
typedef struct path {
  double x[3], rate[3], acc[3];
} path;

static void add_path(const ease *e, const double from[3], const double to[3], path *p)
{
  for (int k = 0; k < 3; k++) {
    p->x[k] += from[k] + e->x * (to[k] - from[k]);
    p->rate[k] += e->rate * (to[k] - from[k]);
    p->acc[k] += e->acc * (to[k] - from[k]);
  }
}

/* Offset of the mass by moves, sway and squat, along heading, left and up; and the trunk's angles. */
static void find_offsets(const pki_whole_body *c, double time, path *mass, path *angles)
{
  const pk_whole_body_options *o = &c->options;
  const int k = move_at(c, time);
  if (k >= 0) {
    const pk_whole_body_move none = {0}, *to = &o->moves[k], *from = k > 0 ? to - 1 : &none;
    const ease e = ease_at(time - to->at, to->time);
    add_path(&e, (double[3]){from->forward, from->left, from->up}, (double[3]){to->forward, to->left, to->up},
             mass);
    add_path(&e, (double[3]){from->roll, from->pitch, from->yaw}, (double[3]){to->roll, to->pitch, to->yaw},
             angles);
  }
  const double t = time - o->start, w = 2 * acos(-1.0) / o->cycle;
  if (t <= 0 || (o->sway == 0 && o->squat == 0)) {
    return;
  }
  /* from rest to the full width within the first cycle */
  const ease e = ease_at(t, o->cycle);
  const double sine = sin(w * t), cosine = cos(w * t), deep = -0.5 * o->squat;
  const double side[3] = {o->sway * sine, o->sway * w * cosine, -o->sway * w * w * sine};
  const double up[3] = {deep * (1 - cosine), deep * w * sine, deep * w * w * cosine};
  mass->x[1] += e.x * side[0];
  mass->rate[1] += e.x * side[1] + e.rate * side[0];
  mass->acc[1] += e.x * side[2] + 2 * e.rate * side[1] + e.acc * side[0];
  mass->x[2] += up[0], mass->rate[2] += up[1], mass->acc[2] += up[2];
}

/* From axes of the heading to the world's. */
static void turn_by_heading(double heading, double v[3])
{
  const double s = sin(heading), c = cos(heading), x = v[0], y = v[1];
  v[0] = c * x - s * y, v[1] = s * x + c * y;
}

/* The rotation vector from R to `to`, in the axes of R. */
static void find_turn(const double R[9], const double to[9], double out[3])
{
  double back[9], turn[9], q[4];
  pki_mat3_transpose(R, back);
  pki_mat3_mul(back, to, turn);
  pki_quat_from_mat3(turn, q);
  const double size = pki_length3(q + 1), scale = size > 1e-12 ? 2 * atan2(size, q[0]) / size : 2;
  for (int k = 0; k < 3; k++) {
    out[k] = scale * q[1 + k];
  }
}

/* ---- targets ---- */

/* One world's numbers for its rows. */
typedef struct goals {
  const pki_whole_body *c;
  pki_whole_state *s;
  const pki_whole_lanes *w;
  int l;
  double time;
  double mass[3], rate[3], R[9];
  double line[3]; /* unit, between the two points on which it stands; zero: it does not stand so */
} goals;

static void set_row(const goals *g, int row, pk_whole_body_task task, double b)
{
  const pki_whole_lanes *w = g->w;
  const int at = row * w->lanes + g->l;
  w->b[at] = b;
  w->weight[at] = g->c->options.tasks[task].weight;
  w->level[at] = g->c->level_of[task];
}

static void aim_foot(const goals *g, int f)
{
  const pki_whole_body *c = g->c;
  const pki_whole_foot *foot = &c->feet[f];
  pki_whole_foot_state *s = &g->s->feet[f];
  const pk_whole_body_task task = s->stands ? PK_WHOLE_BODY_STANCE : PK_WHOLE_BODY_SWING;
  const pk_whole_body_gains *gain = &c->options.tasks[task];
  double at[3], R[9], rate[6], off[3], turn[3] = {0}, about[3] = {0};
  read_numbers(g->w, g->w->foot_at + 3 * f * g->w->lanes, g->l, 3, at);
  read_numbers(g->w, g->w->foot_turn + 9 * f * g->w->lanes, g->l, 9, R);
  read_numbers(g->w, g->w->foot_rate + 6 * f * g->w->lanes, g->l, 6, rate);
  ease up = {0};
  if (s->stands) {
    memcpy(s->home, at, sizeof at);
    memcpy(s->turn, R, sizeof R);
  } else {
    const int k = move_at(c, g->time);
    const bool lifted = k >= 0 && c->lifted[k] >> f & 1;
    int first = k;
    while (lifted && first > 0 && c->lifted[first - 1] >> f & 1) {
      first--;
    }
    const pk_whole_body_move *move = k >= 0 ? &c->options.moves[first] : NULL;
    if (lifted) {
      up = ease_at(g->time - move->at, move->time);
    } else {
      const bool was = k > 0 && c->lifted[k - 1] >> f & 1;
      const ease down = was ? ease_at(g->time - move->at, move->time) : (ease){.x = 1};
      const double late = was ? fmax(0, g->time - move->at - move->time) : s->quiet;
      up = (ease){1 - down.x - descent / fmax(c->options.lift, 1e-3) * late, -down.rate, -down.acc};
    }
    find_turn(R, s->turn, turn);
    pki_mat3_apply(R, turn, about);
  }
  for (int k = 0; k < 3; k++) {
    const double high = k == 2 ? c->options.lift : 0;
    off[k] =
        s->stands ? 0 : gain->kp * (s->home[k] + high * up.x - at[k]) + high * (gain->kd * up.rate + up.acc);
    if (foot->width == 6) {
      set_row(g, foot->row + k, task, gain->kp * about[k] * !s->stands - gain->kd * rate[k]);
    }
    set_row(g, foot->row + foot->width - 3 + k, task, off[k] - gain->kd * rate[3 + k]);
  }
  for (int p = foot->cone; p < foot->cone + foot->npoint; p++) {
    g->w->friction[p * g->w->lanes + g->l] = s->stands ? c->options.friction : 0;
    g->w->limit[p * g->w->lanes + g->l] = s->stands ? c->options.load : 0;
  }
}

/* Whether the robot stands on two points, and the line between them; p: one of them. */
static bool find_line(goals *g, double p[3])
{
  const pki_whole_body *c = g->c;
  double at[2][3];
  int count = 0;
  bool points = true;
  for (int f = 0; f < c->nfoot; f++) {
    if (g->s->feet[f].stands) {
      points = points && c->feet[f].width == 3;
      read_numbers(g->w, g->w->foot_at + 3 * f * g->w->lanes, g->l, 3, at[count < 2 ? count : 1]);
      count++;
    }
  }
  memset(g->line, 0, sizeof g->line);
  if (count != 2 || !points) {
    return false;
  }
  pki_sub3(at[1], at[0], g->line);
  g->line[2] = 0;
  const double size = pki_length3(g->line);
  for (int k = 0; k < 3; k++) {
    g->line[k] = size > 1e-3 ? g->line[k] / size : 0;
    p[k] = at[0][k];
  }
  return size > 1e-3;
}

/* Balance on a line, e along it and n across. Nothing but gravity turns the robot about it: its angular momentum L about the line
 * has the rate -m g d, d the mass's distance from the plane above the line. With L = I w - m h d' (w the rate of the trunk's tilt, I
 * the robot's inertia about the mass, h the mass's height), y = I tilt - m h d has the rates
 *
 *   y' = L,   y'' = -m g d,   y''' = -m g d',   y'''' = -m g d''
 *
 * a chain of four integrators, and d'' = -a3 d' - a2 d + (a1 L + a0 y)/(m g) with a of (s + balance)^4 brings all of them to
 * zero: mass over the line, no momentum, no tilt (after Azad and Featherstone 2016). `tilt`: of the trunk from where it should be. */
static double balance_on_line(const goals *g, const double p[3], double tilt)
{
  const pki_whole_body *c = g->c;
  const double *e = g->line, n[3] = {-e[1], e[0], 0};
  double spin[3], I[6], Im[9], Ie[3], arm[3], about[3];
  read_numbers(g->w, g->w->spin, g->l, 3, spin);
  read_numbers(g->w, g->w->inertia, g->l, 6, I);
  pki_mat3_from_sym(I, Im);
  pki_mat3_apply(Im, e, Ie);
  pki_sub3(g->mass, p, arm);
  pki_cross3(arm, g->rate, about);
  const double weight = c->mass * c->gravity, h = fmax(arm[2], 0.05), d = pki_dot3(arm, n),
               rate = pki_dot3(g->rate, n);
  const double L = pki_dot3(spin, e) + c->mass * pki_dot3(about, e),
               y = pki_dot3(e, Ie) * tilt - c->mass * h * d;
  const double a = c->options.balance > 0 ? c->options.balance : sqrt(c->gravity / h);
  return -4 * a * rate - 6 * a * a * d + (4 * a * a * a * L + a * a * a * a * y) / weight;
}

/* Attitude of the trunk, in its own axes, and its place; `tilt`: by how much it is turned from where it should be, world. */
static void aim_trunk(goals *g, const path *offset, const path *angles, double tilt[3])
{
  const pki_whole_body *c = g->c;
  const pk_whole_body_gains *turn = &c->options.tasks[PK_WHOLE_BODY_TRUNK],
                            *place = &c->options.tasks[PK_WHOLE_BODY_PLACE];
  const pki_whole_lanes *w = g->w;
  const pk_pose by = pk_pose_from_xyz_rpy((double[3]){0}, angles->x);
  double to[9], e[3], at[3], b[3], local[3], keep[9], rates[3], back[9], rel[9];
  pki_mat3_mul(g->s->trunk, by.rot, to);
  find_turn(g->R, to, e);
  pki_mat3_apply(g->R, e, tilt);
  /* rates of roll, pitch, yaw as an angular velocity, in the axes of the reference, then of the trunk */
  const double sr = sin(angles->x[0]), cr = cos(angles->x[0]), sp = sin(angles->x[1]), cp = cos(angles->x[1]);
  const double spun[3] = {angles->rate[0] - sp * angles->rate[2],
                          cr * angles->rate[1] + sr * cp * angles->rate[2],
                          -sr * angles->rate[1] + cr * cp * angles->rate[2]};
  pki_mat3_transpose(g->R, back);
  pki_mat3_mul(back, to, rel);
  pki_mat3_apply(rel, spun, rates);
  pki_mat3_apply_transposed(g->R, g->line, local);
  read_numbers(w, w->trunk_at, g->l, 3, at);
  for (int k = 0; k < 3; k++) {
    const double omega = w->u[(c->u + 3 + k) * w->lanes + g->l], speed = w->u[(c->u + k) * w->lanes + g->l];
    b[k] = turn->kp * e[k] + turn->kd * (rates[k] - omega);
    set_row(g, k, PK_WHOLE_BODY_PLACE,
            place->kp * (g->s->place[k] + offset->x[k] - at[k]) + place->kd * (offset->rate[k] - speed) +
                offset->acc[k]);
  }
  /* on a line the tilt about it is the balance's */
  const double along = pki_dot3(local, b);
  for (int k = 0; k < 3; k++) {
    set_row(g, 3 + k, PK_WHOLE_BODY_TRUNK, b[k] - along * local[k]);
    for (int j = 0; j < 3; j++) {
      keep[3 * k + j] = (k == j) - local[k] * local[j];
      w->keep[(3 * k + j) * w->lanes + g->l] = keep[3 * k + j];
    }
  }
}

/* Mass and angular momentum. */
static void aim_mass(goals *g, const path *offset, const double tilt[3], const double p[3], bool line)
{
  const pki_whole_body *c = g->c;
  const pk_whole_body_gains *gain = &c->options.tasks[PK_WHOLE_BODY_MASS],
                            *spin = &c->options.tasks[PK_WHOLE_BODY_MOMENTUM];
  const pki_whole_lanes *w = g->w;
  const ease e = ease_at(g->time - g->s->since, settle);
  path to = *offset;
  add_path(&e, g->s->mass_from, g->s->mass_home, &to);
  double b[3], I[6], now[3];
  for (int k = 0; k < 3; k++) {
    b[k] = gain->kp * (to.x[k] - g->mass[k]) + gain->kd * (to.rate[k] - g->rate[k]) + to.acc[k];
  }
  if (line) {
    const double n[3] = {-g->line[1], g->line[0], 0};
    const double across = balance_on_line(g, p, -pki_dot3(tilt, g->line));
    pki_along3(b, across - pki_dot3(b, n), n, b);
  }
  read_numbers(w, w->inertia, g->l, 6, I);
  read_numbers(w, w->spin, g->l, 3, now);
  for (int k = 0; k < 3; k++) {
    set_row(g, c->mass_row + k, PK_WHOLE_BODY_MASS, b[k]);
    set_row(g, c->mass_row + 3 + k, PK_WHOLE_BODY_MOMENTUM, -spin->kd * now[k] * 3 / (I[0] + I[3] + I[5]));
    if (line) {
      w->weight[(c->mass_row + 3 + k) * w->lanes + g->l] = 0;
    }
  }
}

static void aim_joints(const goals *g)
{
  const pki_whole_body *c = g->c;
  const pk_whole_body_gains *gain = &c->options.tasks[PK_WHOLE_BODY_POSTURE];
  const pki_reference *table = &c->reference;
  const pki_reference_place at = pki_reference_find(table, g->time);
  for (int j = 0; j < c->nact; j++) {
    const int u = c->u + c->act[j], row = c->posture_row + j;
    const double q = g->w->q[g->w->work.model->dof_q[u] * g->w->lanes + g->l],
                 rate = g->w->u[u * g->w->lanes + g->l], start = g->s->numbers[j];
    const pki_goal rest = {.q = start};
    const pki_goal to = c->column[j] < 0
                            ? rest
                            : pki_reference_from(table, at, pki_reference_at(table, at, c->column[j]), start);
    set_row(g, row, PK_WHOLE_BODY_POSTURE, gain->kp * (to.q - q) + gain->kd * (to.u - rate) + to.a);
    g->w->weight[row * g->w->lanes + g->l] *= c->carries[j] ? c->options.legs : 1;
  }
}

void pki_whole_body_aim(const pki_whole_body *c, const pk_observation *seen, pki_whole_state *s,
                        const pki_whole_lanes *w, int l)
{
  goals g = {.c = c, .s = s, .w = w, .l = l, .time = seen->time};
  aim_joints(&g);
  for (int f = 0; f < c->nfoot; f++) {
    aim_foot(&g, f);
  }
  if (!c->is_free) {
    return;
  }
  path offset = {.x = {0}}, angles = {.x = {0}};
  double tilt[3], p[3] = {0};
  read_numbers(w, w->mass_at, l, 3, g.mass);
  read_numbers(w, w->mass_rate, l, 3, g.rate);
  read_numbers(w, w->trunk_turn, l, 9, g.R);
  find_offsets(c, seen->time, &offset, &angles);
  turn_by_heading(s->heading, offset.x);
  turn_by_heading(s->heading, offset.rate);
  turn_by_heading(s->heading, offset.acc);
  const bool line = find_line(&g, p);
  aim_trunk(&g, &offset, &angles, tilt);
  aim_mass(&g, &offset, tilt, p, line);
}
