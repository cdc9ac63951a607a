/* The program of whole-body control on lanes, level by level: rows of tasks, their weighted squares, contact forces instead of
 * wrenches, the solution, and what follows from it. */
#include "control/kernels/cone_declare.h"
#include "control/kernels/whole_rows.h"

static const double upper_level =
    1e4;                  /* weight of what upper levels have reached, against the level's own tasks */
enum { KEEP_ROUNDS = 2 }; /* corrections of multipliers of upper levels */

/* Hw, upper triangle, and g in its last column: sum of weight r' (r, o - goal). Four rows at a time. */
static void square_rows(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const size_t pitch = (size_t)pki_whole_pitch(c);
  const int n = c->columns;
  pk_r *const H = pki_out(w->Hw), *const R = pki_out(w->R);
  const pk_r *const share = pki_reals(w->share), *const goal = pki_reals(w->goal);
  for (int i = 0; i < n; i++) {
    for (int k = i; k <= n; k++) {
      H[(size_t)i * pitch + (size_t)k] = pki_splat(0);
    }
  }
  /* the rows are padded to a multiple of four by rows without weight */
  for (int r = 0; r < c->rows; r += 4) {
    const pk_r *restrict r0 = R + (size_t)r * pitch, *restrict r1 = r0 + pitch, *restrict r2 = r1 + pitch,
                         *restrict r3 = r2 + pitch;
    const pk_r o0 = r0[n] - goal[r], o1 = r1[n] - goal[r + 1], o2 = r2[n] - goal[r + 2],
               o3 = r3[n] - goal[r + 3];
    for (int i = 0; i < n; i++) {
      const pk_r l0 = share[r] * r0[i], l1 = share[r + 1] * r1[i], l2 = share[r + 2] * r2[i],
                 l3 = share[r + 3] * r3[i];
      pk_r *restrict to = H + (size_t)i * pitch;
      for (int k = i; k < n; k++) {
        to[k] = to[k] + l0 * r0[k] + l1 * r1[k] + l2 * r2[k] + l3 * r3[k];
      }
      to[n] = to[n] + l0 * o0 + l1 * o1 + l2 * o2 + l3 * o3;
    }
  }
}

/* g alone, of other goals. */
static void pull_rows(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const size_t pitch = (size_t)pki_whole_pitch(c);
  const int n = c->columns;
  pk_r *const H = pki_out(w->Hw);
  const pk_r *const R = pki_reals(w->R);
  for (int i = 0; i < n; i++) {
    pk_r sum = pki_splat(0);
    for (int r = 0; r < c->rows; r++) {
      const pk_r *const row = R + (size_t)r * pitch;
      sum += pki_reals(w->share)[r] * row[i] * (row[n] - pki_reals(w->goal)[r]);
    }
    H[(size_t)i * pitch + (size_t)n] = sum;
  }
}

/* Axes of contact at a foot: its normal and two tangents. */
static void contact_axes(pki_v3 n, pki_v3 axes[3])
{
  const pk_r zero = pki_splat(0), one = pki_splat(1);
  const pk_i flat = pki_less(pki_abs(n.x), pki_splat(0.7));
  const pki_v3 aside = pki_v3_select(flat, (pki_v3){one, zero, zero}, (pki_v3){zero, one, zero});
  const pki_v3 t = pki_add_scaled(aside, -pki_dot(aside, n), n);
  axes[0] = n;
  axes[1] = pki_scale(1.0 / pki_sqrt(pki_dot(t, t)), t);
  axes[2] = pki_cross(n, axes[1]);
}

/* G: wrenches at the foot's middle of unit forces at its points. */
static void find_wrenches(const pki_whole_body *c, const pki_whole_lanes *w)
{
  for (int f = 0; f < c->nfoot; f++) {
    const pki_whole_foot *foot = &c->feet[f];
    pki_v3 axes[3];
    contact_axes(pki_v3_load(pki_reals(w->normal) + 3 * f), axes);
    for (int p = 0; p < foot->npoint; p++) {
      const double from[3] = {foot->point[p][0] - foot->middle[0], foot->point[p][1] - foot->middle[1],
                              foot->point[p][2] - foot->middle[2]};
      const pki_v3 arm = pki_m3_apply_plain(pki_poses(&w->work)[foot->body].R, from);
      for (int k = 0; k < 3; k++) {
        pk_r *const to = pki_out(w->G) + (size_t)(3 * (foot->cone + p) + k) * 6;
        pki_v3_store(pki_cross(arm, axes[k]), to);
        pki_v3_store(axes[k], to + 3);
      }
    }
  }
}

/* Column k of the contact forces: the wrench columns of its foot and its entries of G there. */
PKI_INLINE const pk_r *wrench_of(const pki_whole_lanes *w, const pki_whole_foot *foot, int column)
{
  return pki_reals(w->G) + (size_t)column * 6 + (6 - foot->width);
}

/* HG [columns][3 cones] = Hw G, Hw whole. */
static void respond_to_forces(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const size_t pitch = (size_t)pki_whole_pitch(c), wide = 3 * (size_t)c->cones;
  pk_r *const H = pki_out(w->Hw), *const HG = pki_out(w->HG);
  for (int i = 0; i < c->columns; i++) {
    for (int k = i + 1; k < c->columns; k++) {
      H[(size_t)k * pitch + (size_t)i] = H[(size_t)i * pitch + (size_t)k];
    }
  }
  for (int f = 0; f < c->nfoot; f++) {
    const pki_whole_foot *foot = &c->feet[f];
    for (int p = 3 * foot->cone; p < 3 * (foot->cone + foot->npoint); p++) {
      const pk_r *const G = wrench_of(w, foot, p);
      for (int i = 0; i < c->columns; i++) {
        const pk_r *const row = H + (size_t)i * pitch + foot->wrench;
        pk_r sum = pki_splat(0);
        for (int e = 0; e < foot->width; e++) {
          sum += row[e] * G[e];
        }
        HG[(size_t)i * wide + (size_t)p] = sum;
      }
    }
  }
}

/* H, upper triangle, in torques and contact forces: G' Hw G and weights of their own squares. */
static void expand_squares(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const size_t pitch = (size_t)pki_whole_pitch(c), wide = 3 * (size_t)c->cones, n = (size_t)c->unknowns;
  const pk_r *const Hw = pki_reals(w->Hw), *const HG = pki_reals(w->HG);
  pk_r *const H = pki_out(w->H);
  const double arm = c->mass * c->height, tau = c->options.effort_weight / (arm * arm),
               force = c->options.force_weight / (c->mass * c->mass);
  for (size_t i = 0; i < (size_t)c->nact; i++) {
    memcpy(H + i * n + i, Hw + i * pitch + i, ((size_t)c->nact - i) * sizeof *H);
    memcpy(H + i * n + (size_t)c->nact, HG + i * wide, wide * sizeof *H);
    H[i * n + i] += tau;
  }
  for (int f = 0; f < c->nfoot; f++) {
    const pki_whole_foot *foot = &c->feet[f];
    for (int p = 3 * foot->cone; p < 3 * (foot->cone + foot->npoint); p++) {
      const pk_r *const G = wrench_of(w, foot, p);
      const size_t i = (size_t)c->nact + (size_t)p;
      pk_r *restrict to = H + i * n + (size_t)c->nact;
      for (size_t k = (size_t)p; k < wide; k++) {
        to[k] = pki_splat(0);
      }
      for (int e = 0; e < foot->width; e++) {
        pki_cone_axpy(p, (int)wide, -G[e], HG + (size_t)(foot->wrench + e) * wide, to);
      }
      to[p] += force;
    }
  }
}

/* g in torques and contact forces. */
static void expand_pull(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const size_t pitch = (size_t)pki_whole_pitch(c);
  const pk_r *const Hw = pki_reals(w->Hw) + c->columns;
  pk_r *const g = pki_out(w->g);
  for (int i = 0; i < c->nact; i++) {
    g[i] = Hw[(size_t)i * pitch];
  }
  for (int f = 0; f < c->nfoot; f++) {
    const pki_whole_foot *foot = &c->feet[f];
    for (int p = 3 * foot->cone; p < 3 * (foot->cone + foot->npoint); p++) {
      const pk_r *const G = wrench_of(w, foot, p);
      pk_r sum = pki_splat(0);
      for (int e = 0; e < foot->width; e++) {
        sum += G[e] * Hw[(size_t)(foot->wrench + e) * pitch];
      }
      g[c->nact + p] = sum;
    }
  }
}

/* y = G x, and how far each row is from its target b. */
static void find_misses(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const size_t pitch = (size_t)pki_whole_pitch(c);
  const pk_r *const x = pki_reals(w->x);
  pk_r *const y = pki_out(w->y), *const missed = pki_out(w->missed);
  memcpy(y, x, (size_t)c->nact * sizeof *y);
  for (int f = 0; f < c->nfoot; f++) {
    const pki_whole_foot *foot = &c->feet[f];
    for (int e = 0; e < foot->width; e++) {
      pk_r sum = pki_splat(0);
      for (int p = 3 * foot->cone; p < 3 * (foot->cone + foot->npoint); p++) {
        sum += wrench_of(w, foot, p)[e] * x[c->nact + p];
      }
      y[foot->wrench + e] = sum;
    }
  }
  for (int r = 0; r < c->rows; r++) {
    const pk_r *const row = pki_reals(w->R) + (size_t)r * pitch;
    pk_r sum = row[c->columns];
    for (int e = 0; e < c->columns; e++) {
      sum += row[e] * y[e];
    }
    missed[r] = sum - pki_reals(w->b)[r];
  }
}

/* Solve the program as it stands; rounds add up over levels. */
static void solve_program(const pki_whole_body *c, pki_whole_lanes *w, bool *warm, pki_cone_result *out)
{
  const pki_cone_program program = {.boxes = c->nact,
                                    .cones = c->cones,
                                    .H = w->H,
                                    .g = w->g,
                                    .lower = w->lower,
                                    .upper = w->upper,
                                    .friction = w->friction,
                                    .limit = w->limit};
  pki_cone_result result;
  PKI_NAME(cone_solve)(&program, warm, w->x, w->program, &result);
  for (int l = 0; l < PKI_LANES; l++) {
    out->residual[l] = result.residual[l];
    out->rounds[l] += result.rounds[l];
    out->fallback[l] = out->fallback[l] || result.fallback[l];
    warm[l] = result.residual[l] <= PKI_CONE_PROGRAM_ACCURACY;
  }
  find_misses(c, w);
}

/* How hard limits pull at each unknown, in this level or one above: H x + g over the root of H's diagonal. Without the limit of that
 * unknown half the square of it could be saved, in weighted squares of rows. */
static void find_pulls(const pki_whole_body *c, const pki_whole_lanes *w, int level)
{
  const size_t n = (size_t)c->unknowns;
  const pk_r *const H = pki_reals(w->H), *const x = pki_reals(w->x), *const g = pki_reals(w->g);
  pk_r *const pull = pki_out(w->pull), *const slope = pki_out(w->slope);
  for (size_t i = 0; i < n; i++) {
    slope[i] = g[i];
  }
  for (size_t i = 0; i < n; i++) {
    const pk_r *const row = H + i * n;
    pk_r sum = slope[i] + row[i] * x[i];
    for (size_t k = i + 1; k < n; k++) {
      sum += row[k] * x[k];
      slope[k] += row[k] * x[i];
    }
    slope[i] = pki_abs(sum) / pki_sqrt(row[i]);
    pull[i] = level > 0 ? pki_max(pull[i], slope[i]) : slope[i];
  }
}

/* One level: its tasks, and what those above it have reached as rows that weigh more; their multipliers move the goals of these rows
 * until they are met (Hestenes 1969, Powell 1969). */
static void solve_level(const pki_whole_body *c, pki_whole_lanes *w, int level, bool *warm,
                        pki_cone_result *out)
{
  const pk_r *const b = pki_reals(w->b), *const of = pki_reals(w->level), zero = pki_splat(0);
  const pk_r here = pki_splat(level - 0.5), below = pki_splat(level + 0.5);
  pk_r *const goal = pki_out(w->goal), *const share = pki_out(w->share), *const reached = pki_out(w->reached);
  for (int r = 0; r < c->rows; r++) {
    const pk_i above = pki_less(of[r], here), later = pki_less(below, of[r]);
    reached[r] = b[r] + pki_where_set(above, pki_reals(w->missed)[r]);
    goal[r] = reached[r];
    share[r] = pki_select(later, zero,
                          pki_reals(w->weight)[r] * pki_select(above, pki_splat(upper_level), pki_splat(1)));
  }
  square_rows(c, w);
  respond_to_forces(c, w);
  expand_squares(c, w);
  expand_pull(c, w);
  solve_program(c, w, warm, out);
  find_pulls(c, w, level);
  for (int k = 0; k < KEEP_ROUNDS && level > 0; k++) {
    for (int r = 0; r < c->rows; r++) {
      const pk_r off = pki_reals(w->missed)[r] + b[r] - reached[r];
      goal[r] -= pki_where_set(pki_less(of[r], here), off);
    }
    pull_rows(c, w);
    expand_pull(c, w);
    solve_program(c, w, warm, out);
  }
}

/* a = X y + a_0 */
static void find_accelerations(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const size_t pitch = (size_t)pki_whole_pitch(c);
  const pk_r *const y = pki_reals(w->y);
  for (int k = 0; k < c->nu; k++) {
    const pk_r *const row = pki_reals(w->X) + (size_t)k * pitch;
    pk_r sum = row[c->columns];
    for (int e = 0; e < c->columns; e++) {
      sum += row[e] * y[e];
    }
    pki_out(w->a)[k] = sum;
  }
}

void PKI_NAME(whole_act)(const pki_whole_body *c, pki_whole_lanes *w, const bool *warm, pki_cone_result *out)
{
  bool guess[PKI_LANES];
  for (int l = 0; l < PKI_LANES; l++) {
    guess[l] = warm[l];
    out->rounds[l] = 0, out->fallback[l] = false;
  }
  for (int f = 0; f < c->nfoot; f++) {
    pki_whole_jacobian(c, w, f);
  }
  pki_whole_forces(c, w);
  pki_whole_respond(c, w);
  pki_whole_coordinate_rows(c, w);
  for (int f = 0; f < c->nfoot; f++) {
    pki_whole_foot_rows(c, w, f);
  }
  if (c->is_free) {
    pki_whole_momentum_rows(c, w);
  }
  find_wrenches(c, w);
  for (int level = 0; level < c->levels; level++) {
    solve_level(c, w, level, guess, out);
  }
  find_accelerations(c, w);
}
