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

static void find_standing(const pki_whole_body *c, const pk_observation *seen, pki_whole_state *s)
{
  const int move = move_at(c, seen->time);
  for (int f = 0; f < c->nfoot; f++) {
    const bool lifted = move >= 0 && c->lifted[move] >> f & 1;
    s->feet[f].stands =
        !lifted && (c->options.stance == PK_WHOLE_BODY_STANCE_ALL || s->feet[f].quiet < patience);
  }
}

/* ---- where things are ---- */

static void start_references(const pki_whole_body *c, const pki_whole_lanes *w, int l, pki_whole_state *s)
{
  pki_whole_read(w, w->mass_at, l, 3, s->mass_from);
  pki_whole_read(w, w->trunk_turn, l, 9, s->trunk);
  pki_whole_read(w, w->trunk_at, l, 3, s->place);
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

/* ---- targets ---- */

static void aim_foot(const pki_whole_goals *g, int f)
{
  const pki_whole_body *c = g->c;
  pki_whole_foot_state *s = &g->s->feet[f];
  const pk_whole_body_task task = s->stands ? PK_WHOLE_BODY_STANCE : PK_WHOLE_BODY_SWING;
  const pk_whole_body_gains *gain = &c->options.tasks[task];
  const pki_whole_foot_now now = pki_whole_foot_at(g, f);
  pki_whole_foot_goal to = {.stands = s->stands};
  ease up = {0};
  if (s->stands) {
    memcpy(s->home, now.at, sizeof now.at);
    memcpy(s->turn, now.R, sizeof now.R);
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
  }
  for (int k = 0; k < 3; k++) {
    const double high = k == 2 ? c->options.lift : 0;
    to.at[k] = s->home[k] + high * up.x;
    to.ahead[3 + k] = high * (gain->kd * up.rate + up.acc);
  }
  memcpy(to.turn, s->turn, sizeof to.turn);
  pki_whole_ask_foot(g, f, &now, &to);
}

/* Whether the robot stands on two points, and the line between them; p: one of them. */
static bool find_line(pki_whole_goals *g, double p[3])
{
  const pki_whole_body *c = g->c;
  double at[2][3];
  int count = 0;
  bool points = true;
  for (int f = 0; f < c->nfoot; f++) {
    if (g->s->feet[f].stands) {
      points = points && c->feet[f].width == 3;
      pki_whole_read(g->w, g->w->foot_at + 3 * f * g->w->lanes, g->l, 3, at[count < 2 ? count : 1]);
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
static double balance_on_line(const pki_whole_goals *g, const double p[3], double tilt)
{
  const pki_whole_body *c = g->c;
  const double *e = g->line, n[3] = {-e[1], e[0], 0};
  double spin[3], I[6], Im[9], Ie[3], arm[3], about[3];
  pki_whole_read(g->w, g->w->spin, g->l, 3, spin);
  pki_whole_read(g->w, g->w->inertia, g->l, 6, I);
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

/* Attitude of the trunk and its place; `tilt`: by how much it is turned from where it should be, world. */
static void aim_trunk(const pki_whole_goals *g, const path *offset, const path *angles, double tilt[3])
{
  const pki_whole_body *c = g->c;
  const pk_whole_body_gains *place = &c->options.tasks[PK_WHOLE_BODY_PLACE];
  const pki_whole_lanes *w = g->w;
  const pk_pose by = pk_pose_from_xyz_rpy((double[3]){0}, angles->x);
  double to[9], at[3];
  pki_mat3_mul(g->s->trunk, by.rot, to);
  /* rates of roll, pitch, yaw as an angular velocity, in the axes of the reference */
  const double sr = sin(angles->x[0]), cr = cos(angles->x[0]), sp = sin(angles->x[1]), cp = cos(angles->x[1]);
  const double spun[3] = {angles->rate[0] - sp * angles->rate[2],
                          cr * angles->rate[1] + sr * cp * angles->rate[2],
                          -sr * angles->rate[1] + cr * cp * angles->rate[2]};
  pki_whole_ask_turn(g, to, spun, tilt);
  pki_whole_read(w, w->trunk_at, g->l, 3, at);
  for (int k = 0; k < 3; k++) {
    const double speed = w->u[(c->u + k) * w->lanes + g->l];
    pki_whole_ask_row(g, k, PK_WHOLE_BODY_PLACE,
                      place->kp * (g->s->place[k] + offset->x[k] - at[k]) +
                          place->kd * (offset->rate[k] - speed) + offset->acc[k]);
  }
}

/* Mass and angular momentum. */
static void aim_mass(pki_whole_goals *g, const path *offset, const double tilt[3], const double p[3],
                     bool line)
{
  const pki_whole_body *c = g->c;
  const pk_whole_body_gains *gain = &c->options.tasks[PK_WHOLE_BODY_MASS];
  const pki_whole_lanes *w = g->w;
  const ease e = ease_at(g->time - g->s->since, settle);
  path to = *offset;
  add_path(&e, g->s->mass_from, g->s->mass_home, &to);
  double b[3];
  for (int k = 0; k < 3; k++) {
    b[k] = gain->kp * (to.x[k] - g->mass[k]) + gain->kd * (to.rate[k] - g->rate[k]) + to.acc[k];
  }
  if (line) {
    const double n[3] = {-g->line[1], g->line[0], 0};
    const double across = balance_on_line(g, p, -pki_dot3(tilt, g->line));
    pki_along3(b, across - pki_dot3(b, n), n, b);
  }
  pki_whole_ask_mass(g, b);
  for (int k = 0; k < 3 && line; k++) {
    w->weight[(c->mass_row + 3 + k) * w->lanes + g->l] = 0;
  }
}

static void aim_joints(const pki_whole_goals *g)
{
  const pki_whole_body *c = g->c;
  const pki_reference *table = &c->reference;
  const pki_reference_place at = pki_reference_find(table, g->time);
  for (int j = 0; j < c->nact; j++) {
    const double start = g->s->numbers[j];
    const pki_goal rest = {.q = start};
    const pki_goal to = c->column[j] < 0
                            ? rest
                            : pki_reference_from(table, at, pki_reference_at(table, at, c->column[j]), start);
    pki_whole_ask_joint(g, j, &to);
  }
}

static void aim_tasks(const pki_whole_body *c, const pk_observation *seen, pki_whole_state *s,
                      const pki_whole_lanes *w, int l)
{
  pki_whole_goals g = pki_whole_goals_at(c, seen->time, s, w, l);
  aim_joints(&g);
  for (int f = 0; f < c->nfoot; f++) {
    aim_foot(&g, f);
  }
  if (!c->is_free) {
    return;
  }
  path offset = {.x = {0}}, angles = {.x = {0}};
  double tilt[3], p[3] = {0};
  find_offsets(c, seen->time, &offset, &angles);
  turn_by_heading(s->heading, offset.x);
  turn_by_heading(s->heading, offset.rate);
  turn_by_heading(s->heading, offset.acc);
  const bool line = find_line(&g, p);
  aim_trunk(&g, &offset, &angles, tilt);
  aim_mass(&g, &offset, tilt, p, line);
}

const pki_whole_planner pki_whole_body_planner = {
    .name = "whole-body", .stand = find_standing, .start = start_references, .aim = aim_tasks};
