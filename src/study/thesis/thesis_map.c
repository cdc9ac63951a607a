/* Outcomes over parameters that the thesis does not publish. */
#include <math.h>
#include <stdio.h>

#include "study/thesis/thesis.h"

enum { TEXT = 128 };

/* Falls and the jump: panels of the map of springs and dampers. */
static const int panels[PKI_THESIS_PANELS] = {PKI_THESIS_DROP_01, PKI_THESIS_DROP_05, PKI_THESIS_DROP_15,
                                              PKI_THESIS_JUMP};

const double pki_thesis_soft[PKI_THESIS_SOFT] = {1e5, 1e6, 1e7};

pk_status pki_thesis_springs(int scene, double k, double d, double seconds, pki_thesis_run *out,
                             pk_error *err)
{
  static const char *const keys[4] = {"stiffness_n", "stiffness_t", "damping_n", "damping_t"};
  char text[4][TEXT];
  const char *sets[5] = {"step.law=penalty"};
  for (int i = 0; i < 4; i++) {
    snprintf(text[i], TEXT, "step.%s=%.17g", keys[i], i < 2 ? k : d);
    sets[i + 1] = text[i];
  }
  return pki_thesis_run_scene(&pki_thesis_scenes[scene], sets, 5, seconds, NULL, NULL, out, err);
}

static void clear_map(pki_thesis_map *map, int nx, int ny, int npanel)
{
  *map = (pki_thesis_map){.nx = nx, .ny = ny, .npanel = npanel};
  for (int p = 0; p < npanel; p++) {
    for (int i = 0; i < nx * ny; i++) {
      map->cells[p][i / nx][i % nx] = PKI_THESIS_NOT_RUN;
    }
  }
}

/* Quick: four corners of the middle, at steps of two decades. */
static bool left_out(bool quick, int ix, int iy)
{
  return quick && !((ix == 4 || ix == 8) && (iy == 2 || iy == 6));
}

pk_status pki_thesis_survive(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err)
{
  pki_thesis_map *map = &d->survival;
  pk_status status = PK_OK;
  clear_map(map, PKI_THESIS_K, PKI_THESIS_D, PKI_THESIS_PANELS);
  for (int i = 0; i < PKI_THESIS_K; i++) {
    map->x[i] = pow(10, 4 + 0.5 * i);
  }
  for (int i = 0; i < PKI_THESIS_D; i++) {
    map->y[i] = pow(10, 1 + 0.5 * i);
  }
  for (int i = 0; i < map->nx * map->ny * map->npanel && status == PK_OK; i++) {
    const int p = i % map->npanel, cell = i / map->npanel, ix = cell % map->nx, iy = cell / map->nx;
    pki_thesis_run run;
    if (left_out(d->quick, ix, iy)) {
      continue;
    }
    status = pki_thesis_springs(panels[p], map->x[ix], map->y[iy], d->seconds, &run, err);
    map->cells[p][iy][ix] = (unsigned char)run.outcome;
    watch->tell(watch->user, (double)i / (map->nx * map->ny * map->npanel));
  }
  return status;
}

bool pki_thesis_cell_agrees(const pki_thesis_map *map, int ix, int iy)
{
  bool agrees = map->cells[0][iy][ix] == PKI_THESIS_STANDS;
  for (int p = 1; p < map->npanel; p++) {
    const int c = map->cells[p][iy][ix];
    agrees &= c == PKI_THESIS_FLIES || c == PKI_THESIS_BURSTS;
  }
  return agrees;
}

int pki_thesis_cells_that_agree(const pki_thesis_map *map)
{
  int count = 0;
  for (int i = 0; i < map->nx * map->ny; i++) {
    count += pki_thesis_cell_agrees(map, i % map->nx, i / map->nx);
  }
  return count;
}

int pki_thesis_count(const pki_thesis_map *map, int panel, pki_thesis_outcome outcome)
{
  int count = 0;
  for (int i = 0; i < map->nx * map->ny; i++) {
    count += map->cells[panel][i / map->nx][i % map->nx] == outcome;
  }
  return count;
}

pk_status pki_thesis_perturb(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < PKI_THESIS_NEAR; i++) {
    const int from_middle = i - PKI_THESIS_NEAR / 2;
    d->near_k[i] = pki_thesis_stiffness * (1 + 0.01 * from_middle);
    for (int p = 0; p < PKI_THESIS_PANELS; p++) {
      d->near[p][i] = PKI_THESIS_NOT_RUN;
      if (!d->quick && status == PK_OK) {
        pki_thesis_run run;
        status = pki_thesis_springs(panels[p], d->near_k[i], pki_thesis_damping, d->seconds, &run, err);
        d->near[p][i] = run.outcome;
        watch->tell(watch->user, (double)(PKI_THESIS_PANELS * i + p) / (PKI_THESIS_NEAR * PKI_THESIS_PANELS));
      }
    }
  }
  return status;
}

pk_status pki_thesis_tilt(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err)
{
  static const double tilts[PKI_THESIS_TILTS] = {0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8};
  static const int falls[2] = {PKI_THESIS_DROP_05, PKI_THESIS_DROP_15};
  pki_thesis_map *map = &d->tilt;
  pk_status status = PK_OK;
  clear_map(map, PKI_THESIS_TILTS, PKI_THESIS_EPS, 2);
  for (int i = 0; i < PKI_THESIS_TILTS; i++) {
    map->x[i] = tilts[i];
  }
  for (int i = 0; i < PKI_THESIS_EPS; i++) {
    map->y[i] = 0.2 * i;
  }
  for (int i = 0; i < map->nx * map->ny * 2 && status == PK_OK; i++) {
    const int p = i % 2, ix = i / 2 % map->nx, iy = i / 2 / map->nx;
    char roll[TEXT], ground[TEXT];
    const char *const sets[2] = {roll, ground};
    pki_thesis_run run;
    if (d->quick && !(p == 0 && (ix == 0 || ix == 4) && (iy == 0 || iy == 2))) {
      continue;
    }
    snprintf(roll, TEXT, "model.rpy=[%g, 0, 0]", map->x[ix]);
    snprintf(ground, TEXT, "materials.ground={friction: 0.3, viscous: 0.4, restitution_n: %g}", map->y[iy]);
    status = pki_thesis_run_scene(&pki_thesis_scenes[falls[p]], sets, 2, d->seconds, NULL, NULL, &run, err);
    map->cells[p][iy][ix] = (unsigned char)run.outcome;
    watch->tell(watch->user, (double)i / (2 * map->nx * map->ny));
  }
  return status;
}
