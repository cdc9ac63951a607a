/* Outcomes over what the thesis does not publish. Single runs at the edge of stability are chaotic: a stiffness that differs
 * in its ninth digit, or another instruction set, ends otherwise. So a cell is many runs, and what is told is how many of
 * them end in each way. */
#include <math.h>
#include <stdio.h>

#include "study/thesis/thesis.h"

enum { TEXT = 128, FALLS = 2, MAP_SAMPLES = 8, MAP_SECONDS = 4, TILT_SAMPLES = 3, TILT_SECONDS = 6 };

const int pki_thesis_panels[PKI_THESIS_PANELS] = {PKI_THESIS_DROP_01, PKI_THESIS_DROP_05, PKI_THESIS_DROP_15,
                                                  PKI_THESIS_JUMP};

static const double SPREAD = 0.05, LIFT = 1e-3; /* of stiffnesses; m, of the start */

const pki_thesis_springs pki_thesis_own = {
    .cubic = 3.6e13, .tangential = 2.5e7, .damping_n = 1500, .damping_t = 700};
const double pki_thesis_soft[PKI_THESIS_SOFT] = {1e5, 1e6, 1e7};
const double pki_thesis_roll = 0.6;

/* --- samples --------------------------------------------------------------------------- */

/* How far sample i starts above its scene: spread over [0, 1) mm by the golden ratio. */
static double lift_of(int i)
{
  const double turns = 0.6180339887498949 * i;
  return LIFT * (turns - floor(turns));
}

/* A run that starts a little higher, `sets` having room for one more. */
static pk_status run_lifted(int scene, double lift, const char **sets, int nset, double seconds,
                            pki_thesis_run *out, pk_error *err)
{
  pki_thesis_scene s = pki_thesis_scenes[scene];
  char position[TEXT];
  snprintf(position, TEXT, "model.position=[0, 0, %.17g]", s.start + lift);
  s.ceiling += lift;
  sets[nset] = position;
  return pki_thesis_run_scene(&s, sets, nset + 1, seconds, NULL, NULL, out, err);
}

pk_status pki_thesis_run_springs(int scene, const pki_thesis_springs *s, double lift, double seconds,
                                 pki_thesis_run *out, pk_error *err)
{
  static const char *const keys[] = {"stiffness_n", "stiffness_cubic", "stiffness_t", "damping_n",
                                     "damping_t"};
  enum { KEYS = sizeof keys / sizeof keys[0] };
  const double values[KEYS] = {s->linear, s->cubic, s->tangential, s->damping_n, s->damping_t};
  char text[KEYS][TEXT];
  const char *sets[KEYS + 2] = {"step.law=penalty"};
  for (int i = 0; i < KEYS; i++) {
    snprintf(text[i], TEXT, "step.%s=%.17g", keys[i], values[i]);
    sets[i + 1] = text[i];
  }
  return run_lifted(scene, lift, sets, KEYS + 1, seconds, out, err);
}

pk_status pki_thesis_sample_springs(int scene, const pki_thesis_springs *s, int samples, double seconds,
                                    pki_thesis_shares *out, pk_error *err)
{
  pk_status status = PK_OK;
  *out = (pki_thesis_shares){0};
  for (int i = 0; i < samples && status == PK_OK; i++) {
    const double f = 1 + SPREAD * (2 * (i + 0.5) / samples - 1);
    const pki_thesis_springs near = {f * s->linear, f * s->cubic, f * s->tangential, s->damping_n,
                                     s->damping_t};
    pki_thesis_run run;
    status = pki_thesis_run_springs(scene, &near, lift_of(i), seconds, &run, err);
    out->n[run.outcome]++;
  }
  return status;
}

pk_status pki_thesis_sample_rolled(int scene, double roll, double restitution, int samples, double seconds,
                                   pki_thesis_shares *out, double *ends, pk_error *err)
{
  char rolled[TEXT], ground[TEXT];
  const char *sets[4] = {"step.law=lcp-pyramid", rolled, ground};
  pk_status status = PK_OK;
  *out = (pki_thesis_shares){0};
  snprintf(rolled, TEXT, "model.rpy=[%g, 0, 0]", roll);
  snprintf(ground, TEXT, "materials.ground={friction: 0.3, viscous: 0.4, restitution_n: %g}", restitution);
  for (int i = 0; i < samples && status == PK_OK; i++) {
    pki_thesis_run run;
    status = run_lifted(scene, lift_of(i), sets, 3, seconds, &run, err);
    out->n[run.outcome]++;
    if (ends != NULL) {
      ends[i] = run.end[2];
    }
  }
  return status;
}

int pki_thesis_sampled(const pki_thesis_shares *s)
{
  int count = 0;
  for (int o = 0; o < PKI_THESIS_OUTCOMES; o++) {
    count += s->n[o];
  }
  return count;
}

/* --- what the thesis saw --------------------------------------------------------------- */

int pki_thesis_agreeing(int panel, const pki_thesis_shares *s)
{
  return panel == 0 ? s->n[PKI_THESIS_STANDS] : s->n[PKI_THESIS_FLIES] + s->n[PKI_THESIS_BURSTS];
}

double pki_thesis_likelihood(const pki_thesis_map *map, int ix, int iy)
{
  double product = 1;
  for (int p = 0; p < map->npanel; p++) {
    const pki_thesis_shares *s = &map->cells[p][iy][ix];
    const int count = pki_thesis_sampled(s);
    product *= count > 0 ? (double)pki_thesis_agreeing(p, s) / count : 0;
  }
  return product;
}

double pki_thesis_best(const pki_thesis_map *map, int *ix, int *iy)
{
  double best = -1;
  for (int i = 0; i < map->nx * map->ny; i++) {
    const double here = pki_thesis_likelihood(map, i % map->nx, i / map->nx);
    if (here > best) {
      best = here;
      *ix = i % map->nx;
      *iy = i / map->nx;
    }
  }
  return best;
}

int pki_thesis_count(const pki_thesis_map *map, int panel, pki_thesis_outcome outcome)
{
  int count = 0;
  for (int i = 0; i < map->nx * map->ny; i++) {
    count += map->cells[panel][i / map->nx][i % map->nx].n[outcome];
  }
  return count;
}

int pki_thesis_runs_of(const pki_thesis_map *map, int panel)
{
  int count = 0;
  for (int o = 0; o < PKI_THESIS_OUTCOMES; o++) {
    count += pki_thesis_count(map, panel, (pki_thesis_outcome)o);
  }
  return count;
}

double pki_thesis_sharpness(const pki_thesis_data *d, int ix, int iy)
{
  return pki_thesis_dt * pki_thesis_dt * d->linear.x[ix] * d->foot_inverse_mass +
         2 * pki_thesis_dt * d->linear.y[iy] * d->foot_inverse_mass;
}

/* --- maps of springs ------------------------------------------------------------------- */

/* Quick: two cells, one well inside the edge and one well beyond it. */
static bool left_out(const pki_thesis_map *map, bool quick, int ix, int iy)
{
  return quick && !((ix == 1 || ix == map->nx - 1) && iy == 1);
}

/* The springs of a cell. */
typedef pki_thesis_springs springs_of_cell(double x, double y);

static pki_thesis_springs linear_springs(double k, double d)
{
  return (pki_thesis_springs){.linear = k, .tangential = k, .damping_n = d, .damping_t = d};
}

static pki_thesis_springs hardening_springs(double c, double d)
{
  pki_thesis_springs s = pki_thesis_own;
  s.cubic = c, s.damping_n = d;
  return s;
}

static pk_status fill_map(bool quick, springs_of_cell *springs, pki_thesis_map *map,
                          const pki_study_watch *watch, pk_error *err)
{
  const int runs = map->nx * map->ny * map->npanel;
  pk_status status = PK_OK;
  for (int i = 0; i < runs && status == PK_OK; i++) {
    const int p = i % map->npanel, cell = i / map->npanel, ix = cell % map->nx, iy = cell / map->nx;
    if (left_out(map, quick, ix, iy)) {
      continue;
    }
    const pki_thesis_springs s = springs(map->x[ix], map->y[iy]);
    status = pki_thesis_sample_springs(pki_thesis_panels[p], &s, quick ? 2 : MAP_SAMPLES, MAP_SECONDS,
                                       &map->cells[p][iy][ix], err);
    watch->tell(watch->user, (double)i / runs);
  }
  return status;
}

static void set_axes(pki_thesis_map *map, const double *x, int nx, const double *y, int ny, int npanel)
{
  *map = (pki_thesis_map){.nx = nx, .ny = ny, .npanel = npanel};
  for (int i = 0; i < nx; i++) {
    map->x[i] = x[i];
  }
  for (int i = 0; i < ny; i++) {
    map->y[i] = y[i];
  }
}

pk_status pki_thesis_map_linear(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err)
{
  static const double k[] = {1e6, 1e7, 3e7, 6e7, 1e8, 1.5e8, 4e8}, damping[] = {100, 1500, 5000};
  set_axes(&d->linear, k, sizeof k / sizeof *k, damping, sizeof damping / sizeof *damping, PKI_THESIS_PANELS);
  return fill_map(d->quick, linear_springs, &d->linear, watch, err);
}

pk_status pki_thesis_map_hardening(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err)
{
  static const double c[] = {3e12, 1e13, 2e13, 3.6e13, 8e13, 2e14}, damping[] = {500, 1500, 3000};
  set_axes(&d->hardening, c, sizeof c / sizeof *c, damping, sizeof damping / sizeof *damping,
           PKI_THESIS_PANELS);
  return fill_map(d->quick, hardening_springs, &d->hardening, watch, err);
}

pk_status pki_thesis_own_springs(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err)
{
  pk_status status = PK_OK;
  for (int p = 0; p < PKI_THESIS_PANELS && status == PK_OK; p++) {
    status = pki_thesis_sample_springs(pki_thesis_panels[p], &pki_thesis_own,
                                       d->quick ? 4 : PKI_THESIS_SAMPLES, MAP_SECONDS, &d->own[p], err);
    watch->tell(watch->user, (p + 1.0) / PKI_THESIS_PANELS);
  }
  return status;
}

/* --- rolled starts --------------------------------------------------------------------- */

pk_status pki_thesis_map_tilt(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err)
{
  static const double rolls[] = {0, 0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8}, restitutions[] = {0, 0.3};
  static const int falls[FALLS] = {PKI_THESIS_DROP_05, PKI_THESIS_DROP_15};
  pki_thesis_map *map = &d->tilt;
  set_axes(map, rolls, sizeof rolls / sizeof *rolls, restitutions, sizeof restitutions / sizeof *restitutions,
           FALLS);
  const int cells = map->nx * map->ny * FALLS;
  pk_status status = PK_OK;
  for (int i = 0; i < cells && status == PK_OK; i++) {
    const int p = i % FALLS, ix = i / FALLS % map->nx, iy = i / FALLS / map->nx;
    if (!d->quick || (p == 0 && iy == 0 && (ix == 0 || ix == 3))) {
      status = pki_thesis_sample_rolled(falls[p], map->x[ix], map->y[iy], d->quick ? 1 : TILT_SAMPLES,
                                        TILT_SECONDS, &map->cells[p][iy][ix], NULL, err);
      watch->tell(watch->user, (double)i / cells);
    }
  }
  return status;
}

/* The middle of a few numbers, which are sorted. */
static double median_of(double *v, int n)
{
  for (int i = 1; i < n; i++) {
    for (int k = i; k > 0 && v[k - 1] > v[k]; k--) {
      const double other = v[k];
      v[k] = v[k - 1], v[k - 1] = other;
    }
  }
  return 0.5 * (v[n / 2] + v[(n - 1) / 2]);
}

pk_status pki_thesis_rolled_falls(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err)
{
  static const int falls[FALLS] = {PKI_THESIS_DROP_05, PKI_THESIS_DROP_15};
  const int samples = d->quick ? 2 : PKI_THESIS_ROLLED;
  pk_status status = PK_OK;
  for (int p = 0; p < FALLS && status == PK_OK; p++) {
    double ends[PKI_THESIS_ROLLED];
    status = pki_thesis_sample_rolled(falls[p], pki_thesis_roll, 0, samples, TILT_SECONDS, &d->rolled[p],
                                      ends, err);
    d->rolled_end[p] = status == PK_OK ? median_of(ends, samples) : NAN;
    watch->tell(watch->user, (p + 1.0) / FALLS);
  }
  return status;
}
