/* Where trunk, feet and joints are at any time of the first guess. */
#include "optimize/motion/guess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/smooth_step.h"
#include "optimize/motion/guess_forces.h"

/* The phases of a whole cycle, or of a motion that does not repeat. */
typedef struct timeline {
  int count;
  double start[2 * PKI_MOTION_PHASES + 1];
  unsigned stance[2 * PKI_MOTION_PHASES];
  double period;
  bool closes;
} timeline;

typedef struct guesser {
  pki_motion_program *program;
  timeline line;
  double speed;                 /* m/s, of the trunk along x */
  double from[PKI_MOTION_DOFS]; /* the pose at the start */
  double to[PKI_MOTION_DOFS];   /* and at the end, of a motion that does not repeat */
  double leave, arrive;         /* s, between which it goes from one to the other */
} guesser;

static timeline draw_timeline(const pki_motion_program *program)
{
  const pki_motion_problem *p = program->problem;
  timeline line = {.closes = p->closure != PKI_MOTION_ONCE};
  const int halves = p->closure == PKI_MOTION_HALF ? 2 : 1;
  for (int half = 0; half < halves; half++) {
    for (int k = 0; k < p->nphase; k++) {
      line.stance[line.count] = half == 0
                                    ? p->phases[k].stance
                                    : pki_motion_mirror_feet(&program->mirror, p->nfoot, p->phases[k].stance);
      line.start[line.count + 1] = line.start[line.count] + p->phases[k].guess;
      line.count++;
    }
  }
  line.period = line.start[line.count];
  return line;
}

/* The phase of a time, and how many periods before it there were. */
static int find_phase(const timeline *line, double time, double *laps)
{
  *laps = line->closes ? floor(time / line->period) : 0;
  const double t = time - *laps * line->period;
  int k = 0;
  while (k + 1 < line->count && line->start[k + 1] <= t) {
    k++;
  }
  return k;
}

/* When the stance or swing that a foot is in began and when it ends. */
static void find_span(const timeline *line, int foot, double time, double *begin, double *end, bool *stands)
{
  double laps;
  const int k = find_phase(line, time, &laps);
  const double base = laps * line->period;
  const int n = line->count;
  *stands = (line->stance[k] >> foot & 1u) != 0;
  *begin = base + line->start[k];
  *end = base + line->start[k + 1];
  for (int step = 1; step < n; step++) {
    const int j = k - step;
    const bool there = line->closes || j >= 0;
    const int wrapped = (j + n) % n;
    if (!there || ((line->stance[wrapped] >> foot & 1u) != 0) != *stands) {
      break;
    }
    *begin -= line->start[wrapped + 1] - line->start[wrapped];
  }
  for (int step = 1; step < n; step++) {
    const int j = k + step;
    const bool there = line->closes || j < n;
    const int wrapped = j % n;
    if (!there || ((line->stance[wrapped] >> foot & 1u) != 0) != *stands) {
      break;
    }
    *end += line->start[wrapped + 1] - line->start[wrapped];
  }
}

/* ---- the trunk ---- */

/* At rest before 0 and after 1. */
static double clamped_step(double x)
{
  return pki_smooth_step(fmin(fmax(x, 0), 1));
}

/* Coordinates before any foot asks for something. */
static void place_trunk(const guesser *g, double time, double *q)
{
  const pki_motion_problem *p = g->program->problem;
  const timeline *line = &g->line;
  memcpy(q, g->from, (size_t)g->program->robot->n * sizeof *q);
  if (line->closes) {
    if (p->along >= 0) {
      q[p->along] += g->speed * time;
    }
    return;
  }
  const double part = clamped_step((time - g->leave) / (g->arrive - g->leave));
  for (int k = 0; k < g->program->robot->n; k++) {
    q[k] += part * (g->to[k] - g->from[k]);
  }
  for (int k = 0; k < line->count; k++) { /* a flight rises and falls */
    const double up = time - line->start[k], down = line->start[k + 1] - time;
    if (p->nfoot > 0 && line->stance[k] == 0 && up > 0 && down > 0 && p->height >= 0) {
      q[p->height] += g->program->robot->gravity / 2 * up * down;
    }
  }
}

/* The place of a foot under the robot that stands as in its pose, with its trunk where it is at a time. */
static void place_under(const guesser *g, int foot, double time, double out[3])
{
  const pki_motion_problem *p = g->program->problem;
  double q[PKI_MOTION_DOFS], chain[PKI_MOTION_DOFS];
  const pki_motion_foot_functions *f = &g->program->robot->feet[foot];
  place_trunk(g, time, q);
  for (int k = 0; k < f->nchain; k++) {
    chain[k] = q[f->chain[k]];
  }
  double design[PKI_MOTION_DESIGNS];
  pki_motion_read_design(g->program, design);
  if (!pki_motion_value(p, design, f->place, chain, out)) {
    memcpy(out, p->feet[foot].stand, 3 * sizeof *out);
  }
}

/* Where a foot stands that stands from `begin` to `end`. */
static void place_stance(const guesser *g, int foot, double begin, double end, double out[3])
{
  const bool first = !g->line.closes && begin <= 1e-9, last = !g->line.closes && end >= g->line.period - 1e-9;
  place_under(g, foot, first ? 0 : last ? g->line.period : (begin + end) / 2, out);
  out[2] = 0;
}

static void place_foot(const guesser *g, int foot, double time, double out[3])
{
  const double lift = fmax(g->program->problem->clearance * 1.5, 0.05 * g->program->robot->length);
  double begin, end;
  bool stands;
  find_span(&g->line, foot, time, &begin, &end, &stands);
  if (stands) {
    place_stance(g, foot, begin, end, out);
    return;
  }
  double a[3], b[3], from, to, before, after;
  bool unused;
  find_span(&g->line, foot, begin - 1e-6, &from, &before, &unused);
  find_span(&g->line, foot, end + 1e-6, &after, &to, &unused);
  if (!g->line.closes && begin <= 1e-9) { /* it was never on the ground */
    place_under(g, foot, time, out);
    return;
  }
  place_stance(g, foot, from, before, a);
  if (!g->line.closes && end >= g->line.period - 1e-9) {
    memcpy(b, a, sizeof b);
  } else {
    place_stance(g, foot, after, to, b);
  }
  const double part = (time - begin) / (end - begin), along = clamped_step(part), up = sin(acos(-1.0) * part);
  for (int k = 0; k < 3; k++) {
    out[k] = a[k] + along * (b[k] - a[k]);
  }
  double under[3], fly = 0;
  place_under(g, foot, time, under);
  fly = fmax(under[2], 0); /* in a flight feet rise with the trunk */
  out[2] = fmax(lift * up * up, fly);
}

/* ---- joints ---- */

/* Damped least squares steps of the joints of one leg towards the place of its foot; soles stay level. The distance that is left. */
static double reach_with_leg(const guesser *g, int foot, const double target[3], double *q)
{
  const pki_motion_problem *p = g->program->problem;
  const pki_motion_foot_functions *f = &g->program->robot->feet[foot];
  double left = 0;
  for (int step = 0; step < 30; step++) {
    double chain[PKI_MOTION_DOFS], error[5] = {0}, jacobian[5][PKI_MOTION_DOFS] = {{0}};
    for (int k = 0; k < f->nchain; k++) {
      chain[k] = q[f->chain[k]];
    }
    const int rows = pki_motion_leg_errors(g->program, f, chain, target, error, jacobian);
    left = sqrt(error[0] * error[0] + error[1] * error[1] + error[2] * error[2]);
    bool joint[PKI_MOTION_DOFS];
    for (int k = 0; k < f->nchain; k++) {
      joint[k] = p->tau_upper[f->chain[k]] > 0 && !p->locked[f->chain[k]];
    }
    double change[PKI_MOTION_DOFS], most = 0;
    pki_motion_damped_step(rows, f->nchain, joint, error, jacobian, change);
    for (int k = 0; k < f->nchain; k++) {
      const int dof = f->chain[k];
      const double next = q[dof] + fmin(fmax(change[k], -0.3), 0.3);
      most = fmax(most, fabs(change[k]));
      q[dof] = fmin(fmax(next, p->q_lower[dof]), p->q_upper[dof]);
    }
    if (most < 1e-12) {
      break;
    }
  }
  return left;
}

/* The pose at a time; how far the feet are from where they should be, at most. */
static double place_robot(const guesser *g, double time, double *q)
{
  double worst = 0;
  place_trunk(g, time, q);
  for (int i = 0; i < g->program->problem->nfoot; i++) {
    double target[3];
    place_foot(g, i, time, target);
    worst = fmax(worst, reach_with_leg(g, i, target, q));
  }
  return worst;
}

/* Long strides need bent legs: the trunk is lowered until all feet reach their places at all times. */
static void lower_trunk(guesser *g)
{
  enum { SAMPLES = 24, STEPS = 16 };
  const pki_motion_problem *p = g->program->problem;
  const double length = g->program->robot->length, height = p->height >= 0 ? g->from[p->height] : 0;
  double q[PKI_MOTION_DOFS], best = INFINITY, least = height;
  for (int step = 0; step < STEPS && p->height >= 0 && g->line.closes && best > 1e-3 * length; step++) {
    double worst = 0;
    g->from[p->height] = height - 0.03 * step * length;
    for (int k = 0; k < SAMPLES; k++) {
      worst = fmax(worst, place_robot(g, g->line.period * k / SAMPLES, q));
    }
    least = worst < best ? g->from[p->height] : least;
    best = fmin(best, worst);
  }
  if (p->height >= 0 && g->line.closes) {
    g->from[p->height] = least;
  }
}

/* ---- points ---- */

static void set_value(pki_nlp *nlp, int variable, double value)
{
  nlp->x[variable] = fmin(fmax(value, nlp->lower[variable]), nlp->upper[variable]);
}

/* q, v and a of one point by differences of the guess in time; forces and torques for them. */
static void guess_point(const guesser *g, int phase, int point, double time)
{
  const pki_motion_program *program = g->program;
  const pki_point_variables *at = &program->points[phase][point];
  const int n = program->robot->n;
  const double t = program->time_scale, d = 0.03 * t, most = 10 / (t * t); /* legs that barely reach jerk */
  double q[3][PKI_MOTION_DOFS], v[PKI_MOTION_DOFS], a[PKI_MOTION_DOFS];
  for (int k = 0; k < 3; k++) {
    (void)place_robot(g, time + (k - 1) * d, q[k]);
  }
  for (int k = 0; k < n; k++) {
    const bool locked = program->problem->locked[k];
    v[k] = locked ? 0 : (q[2][k] - q[0][k]) / (2 * d);
    a[k] = locked ? 0 : (q[2][k] - 2 * q[1][k] + q[0][k]) / (d * d);
    v[k] = fmin(fmax(v[k], -10 / t), 10 / t);
    a[k] = fmin(fmax(a[k], -most), most);
    set_value(program->nlp, at->q + k, q[1][k]);
    set_value(program->nlp, at->v + k, v[k]);
    set_value(program->nlp, at->a + k, a[k]);
  }
  pki_motion_guess_forces(program, at, q[1], v, a);
  pki_motion_guess_series(program, at);
}

static void guess_boundary(const pki_motion_program *program, int b)
{
  const pki_boundary_variables *at = &program->boundaries[b];
  if (!at->jump) {
    return;
  }
  const pki_point_variables *before = &program->points[b - 1][pki_motion_points(program->grid, b - 1) - 1];
  for (int k = 0; k < program->robot->n; k++) {
    set_value(program->nlp, at->after + k, program->nlp->x[before->v + k]);
  }
  for (int i = 0; i < program->problem->nfoot; i++) {
    if (at->impulse[i] >= 0) {
      set_value(program->nlp, at->impulse[i] + 2, 1e-3 * program->force_scale * program->time_scale);
    }
  }
}

/* p_1 is the least of all branches. */
static pk_status guess_stability(const pki_motion_program *program, pk_error *err)
{
  pki_nlp *const nlp = program->nlp;
  if (program->stability < 0) {
    return PK_OK;
  }
  double *values = malloc(((size_t)nlp->ng + 1) * sizeof *values), least = INFINITY;
  if (values == NULL) {
    return pki_fail_memory(err, "the first guess of a motion");
  }
  nlp->x[program->stability] = 0;
  if (pki_nlp_constraints(nlp, nlp->x, values)) {
    for (int i = 0; i < nlp->ng; i++) {
      least = strcmp(nlp->row_label[i].what, "S_H") == 0 ? fmin(least, values[i]) : least;
    }
  }
  free(values);
  set_value(nlp, program->stability, isfinite(least) ? least : 0);
  return PK_OK;
}

static guesser begin_guess(pki_motion_program *program)
{
  const pki_motion_problem *p = program->problem;
  guesser g = {.program = program, .line = draw_timeline(program)};
  double stride = 0;
  if (!isnan(p->stride_shortest)) {
    stride = (p->stride_shortest + p->stride_longest) / 2;
  }
  g.speed = isnan(p->speed) ? stride / g.line.period : p->speed;
  for (int k = 0; k < program->robot->n; k++) {
    g.from[k] = isnan(p->q_start[k]) ? p->pose[k] : p->q_start[k];
    g.to[k] = isnan(p->q_end[k]) ? g.from[k] : p->q_end[k];
  }
  g.leave = 0;
  g.arrive = g.line.period;
  for (int k = 0; k < g.line.count && p->nfoot > 0; k++) {
    if (g.line.stance[k] == 0) {
      g.leave = g.leave == 0 ? g.line.start[k] : g.leave;
      g.arrive = g.line.start[k + 1];
    }
  }
  return g;
}

pk_status pki_motion_guess(pki_motion_program *program, pk_error *err)
{
  const pki_motion_problem *p = program->problem;
  pki_motion_guess_design(program);
  guesser g = begin_guess(program);
  lower_trunk(&g);
  pki_nlp *const nlp = program->nlp;
  double start = 0;
  for (int phase = 0; phase < p->nphase; phase++) {
    const double T = p->phases[phase].guess;
    set_value(nlp, program->duration[phase], T);
    for (int point = 0; point < pki_motion_points(program->grid, phase); point++) {
      guess_point(&g, phase, point, start + T * pki_motion_grid_at(program->grid, phase, point));
    }
    start += T;
  }
  for (int b = 1; b <= p->nphase; b++) {
    guess_boundary(program, b);
  }
  const bool per_metre = p->objective.joule != 0 || p->objective.work != 0;
  const double way = p->along >= 0 && per_metre ? g.to[p->along] - g.from[p->along] : 0;
  set_value(nlp, program->distance, g.line.closes ? g.speed * start : way);
  return guess_stability(program, err);
}
