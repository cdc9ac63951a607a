/* The ways of trunk and feet in a gait on level ground.
 *
 * The trunk should be at X(t) = V ramp S(s), s = (t - start)/ramp, with S the integral of the smooth step that the speed
 * rises by. Oscillators (cpg.c) say when feet land and leave. A foot that leaves goes to where the trunk should be in the middle of the coming
 * stance, X(t_land + duty T/2), under its place in the stance; on a cycloid, so that it has no speed where it leaves and
 * lands:
 *
 *   x = from + (to - from) (s - sin(2 pi s)/(2 pi)),   z = lift (1 - cos(2 pi s))/2,   s the part of the swing.
 *
 * By oscillators alone the trunk goes X(t). With the preview the zero moment point is the mean of the feet that stand, by
 * weights which rise from zero in the first quarter of a stance and fall to it in the last one: it never leaves their support, and the mass goes
 * as the cart on a table does that follows it (preview.c). At the start the mass is at rest over its own place. */
#include "gait/gait_way.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gait/cpg.h"

static const double finest = 0.0125; /* s, between rows, at most */
static const double edge = 0.25;     /* of a stance, until a foot counts fully */
static const double hair = 1e-9;     /* cycles: phases are sums */
static const double horizon = 8;     /* sqrt(h/g), of the preview */
static const double settling = 24;   /* sqrt(h/g), in which the start is forgotten */
static const double repeated = 1e-7; /* m, between the same moments of two cycles */
static const double pi = 3.141592653589793;

/* A foot on its way. */
typedef struct step {
  bool air;
  double at[2], from[2], to[2];
} step;

typedef struct walk {
  const pki_gait_way_options *o;
  pki_cpg cpg;
  step legs[PKI_TRACK_LEGS];
} walk;

static void nominal(const pki_gait_way_options *o, double t, double out[2])
{
  const double s = fmax(0, (t - o->start) / o->ramp);
  const double way = s < 1 ? s * s * s * s * (2.5 + s * (s - 3)) : s - 0.5;
  out[0] = o->speed[0] * o->ramp * way, out[1] = o->speed[1] * o->ramp * way;
}

static double place_of(const pki_cpg *g, int leg)
{
  return fmax(0, g->phase[leg] - floor(g->phase[leg] + hair));
}

static bool stands(const pki_cpg *g, int leg)
{
  return g->phase[leg] + hair < 1 && g->late[leg] ? true : place_of(g, leg) < g->duty - hair;
}

/* The foot of a leg at time t. */
static void move_foot(walk *w, int leg, double t, double out[3])
{
  const pki_gait_way_options *o = w->o;
  step *f = &w->legs[leg];
  const double place = place_of(&w->cpg, leg), duty = o->rhythm.duty;
  const bool air = !stands(&w->cpg, leg);
  if (air && !f->air) {
    memcpy(f->from, f->at, sizeof f->from);
    nominal(o, t + (1 - place + 0.5 * duty) * o->rhythm.cycle, f->to);
    f->to[0] += o->stance[leg][0], f->to[1] += o->stance[leg][1];
  }
  const double s = fmax(0, (place - duty) / (1 - duty)), part = s - sin(2 * pi * s) / (2 * pi);
  for (int k = 0; k < 2; k++) {
    f->at[k] = air ? f->from[k] + part * (f->to[k] - f->from[k]) : f->air ? f->to[k] : f->at[k];
    out[k] = f->at[k];
  }
  out[2] = air ? 0.5 * o->lift * (1 - cos(2 * pi * s)) : 0;
  f->air = air;
}

/* The weight of a foot in the zero moment point: what has stood since the start is loaded. */
static double load_of(const walk *w, int leg)
{
  const pki_cpg *g = &w->cpg;
  if (!stands(g, leg)) {
    return 0;
  }
  if (g->late[leg]) {
    return 1;
  }
  const double place = place_of(g, leg), ramp = edge * g->duty, leave = (g->duty - place) / ramp;
  const bool first = g->phase[leg] + hair < 1;
  return fmin(1, first ? leave : fmin(leave, place / ramp));
}

/* Whether no foot is on the ground. Where one lands as another one leaves none is loaded, and yet they carry; with a duty below half a
 * cycle none does about that moment. */
static bool flies(const walk *w)
{
  bool lands = false;
  for (int i = 0; i < PKI_TRACK_LEGS; i++) {
    lands = lands || stands(&w->cpg, i);
  }
  return !lands || w->o->rhythm.duty < 0.5;
}

/* False: no foot is loaded. */
static bool mean_of_feet(const walk *w, bool all, double out[2])
{
  double sum = 0, mean[2] = {0, 0};
  for (int i = 0; i < PKI_TRACK_LEGS; i++) {
    const double load = all ? 1 : load_of(w, i);
    sum += load;
    mean[0] += load * w->legs[i].at[0], mean[1] += load * w->legs[i].at[1];
  }
  if (sum > 0) {
    out[0] = mean[0] / sum, out[1] = mean[1] / sum;
  }
  return sum > 0;
}

/* ---- rows ---- */

static pk_status allocate_rows(pki_gait_way *way, int rows, pk_error *err)
{
  const size_t n = (size_t)rows;
  way->rows = rows;
  way->trunk = calloc(n, sizeof *way->trunk);
  way->foot = calloc(n, sizeof *way->foot);
  way->zmp = calloc(n, sizeof *way->zmp);
  return way->trunk != NULL && way->foot != NULL && way->zmp != NULL ? PK_OK : pki_fail_memory(err, "a gait");
}

/* Feet and their zero moment point in all rows; the first lifts after row `before`. */
static pk_status walk_rows(const pki_gait_way_options *o, int before, pki_gait_way *way, pk_error *err)
{
  walk w = {.o = o};
  pki_cpg_start(&w.cpg, PKI_TRACK_LEGS, &o->rhythm);
  for (int i = 0; i < PKI_TRACK_LEGS; i++) {
    memcpy(w.legs[i].at, o->stance[i], sizeof w.legs[i].at);
  }
  for (int k = 0; k < way->rows; k++) {
    const double t = way->begin + k * way->step;
    if (k > before) {
      pki_cpg_step(&w.cpg, &o->rhythm, way->step);
    }
    for (int i = 0; i < PKI_TRACK_LEGS; i++) {
      move_foot(&w, i, t, way->foot[k][i]);
    }
    nominal(o, t, way->trunk[k]);
    memcpy(way->zmp[k], way->zmp[k > 0 ? k - 1 : 0], sizeof way->zmp[k]);
    if (!mean_of_feet(&w, k < before, way->zmp[k]) && k > 0 && flies(&w)) {
      return pki_fail(
          err, PK_ERROR_ARGUMENT, (pki_where){.field = "gait"},
          "at %g s no foot would be on the ground, expected a gait without flight: trot, crawl, walk, "
          "pace or amble, with a duty of 0.5 or more",
          t);
    }
  }
  return PK_OK;
}

/* The mass by preview, and the trunk with it. `seen` rows are ahead of each. */
static pk_status preview_mass(const pki_gait_way_options *o, int seen, pki_gait_way *way, pk_error *err)
{
  pk_preview_options p = pk_preview_options_default();
  p.height = o->height, p.gravity = o->gravity, p.step = way->step, p.count = seen;
  pk_preview *preview = NULL;
  const size_t n = (size_t)way->rows;
  double *zmp = malloc(4 * n * sizeof *zmp), *com = zmp + n;
  pk_status status = zmp != NULL ? pk_preview_create(&p, &preview, err) : pki_fail_memory(err, "a preview");
  for (int axis = 0; axis < 2 && status == PK_OK; axis++) {
    for (int k = 0; k < way->rows; k++) {
      zmp[k] = k > 0 ? way->zmp[k][axis] : o->com[axis];
    }
    pk_preview_plan(preview, zmp, way->rows, com);
    for (int k = 0; k < way->rows; k++) {
      way->trunk[k][axis] = com[3 * (size_t)k] - o->com[axis];
    }
  }
  memcpy(way->zmp[0], o->com, sizeof way->zmp[0]);
  pk_preview_destroy(preview);
  free(zmp);
  return status;
}

/* How far two rows differ, seen from the trunk. */
static double difference(const pki_gait_way *way, int a, int b)
{
  double most = 0;
  for (int i = 0; i < PKI_TRACK_LEGS; i++) {
    for (int k = 0; k < 3; k++) {
      const double x = way->foot[a][i][k] - (k < 2 ? way->trunk[a][k] : 0);
      const double y = way->foot[b][i][k] - (k < 2 ? way->trunk[b][k] : 0);
      most = fmax(most, fabs(x - y));
    }
  }
  return most;
}

/* Rows end with the first cycle that repeats the one before. */
static pk_status find_loop(int before, int cycle, int last, pki_gait_way *way, pk_error *err)
{
  for (int end = before + 2 * cycle; end <= last; end += cycle) {
    double most = 0;
    for (int k = end - cycle; k <= end; k++) {
      most = fmax(most, difference(way, k, k - cycle));
    }
    if (most <= repeated) {
      way->rows = end + 1, way->loop = end - cycle;
      return PK_OK;
    }
  }
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "ramp"},
                  "the gait does not come to repeat itself within %g s, expected a shorter ramp",
                  way->begin + last * way->step);
}

pk_status pki_gait_way_create(const pki_gait_way_options *o, pki_gait_way *out, pk_error *err)
{
  const int cycle = (int)ceil(o->rhythm.cycle / finest - 1e-9);
  const double dt = o->rhythm.cycle / cycle, tau = sqrt(o->height / o->gravity);
  const int seen = (int)fmin(PK_PREVIEW_MOST, ceil(horizon * tau / dt));
  const int before = (int)fmin(floor(o->start / dt + 1e-9), seen);
  const int cycles = (int)ceil((o->ramp + settling * tau) / o->rhythm.cycle) + 3;
  const int last = before + cycles * cycle;
  *out = (pki_gait_way){.step = dt, .begin = o->start - before * dt};
  pk_status status = allocate_rows(out, last + 1 + seen, err);
  status = status == PK_OK ? walk_rows(o, before, out, err) : status;
  status = status == PK_OK && o->preview ? preview_mass(o, seen, out, err) : status;
  status = status == PK_OK ? find_loop(before, cycle, last, out, err) : status;
  if (status != PK_OK) {
    pki_gait_way_free(out);
  }
  return status;
}

void pki_gait_way_free(pki_gait_way *way)
{
  free(way->trunk);
  free(way->foot);
  free(way->zmp);
  *way = (pki_gait_way){0};
}
