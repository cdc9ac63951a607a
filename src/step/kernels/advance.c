/* One step of a group (step/group.h). */
#include <stdbool.h>

#include "collision/terrain.h"
#include "dynamics/kernels/declare.h"
#include "step/contact.h"
#include "step/kernels/declare.h"
#include "step/kernels/guard.h"
#include "step/kernels/sweep.h"

enum { ROUNDS = 4, PROJECTIONS = 4, POSITION_SWEEPS = 4 };

/* A group under way. */
typedef struct flight {
  pki_group *g;
  const pki_group_plan *p;
  pk_i going;    /* lanes that are still fit for this */
  unsigned rows; /* balls whose J is there, as bits */
  unsigned in;   /* balls that take part in some lane */
  bool looked;   /* at all pairs of shapes */
} flight;

/* ---- in and out ---- */

/* Who pushed in the last step, and how. */
static void recall(pki_group *g, const pki_seat *seat, int lane)
{
  const pki_group_plan *p = g->plan;
  for (int i = 0, b = 0; i < *seat->nlast; i++) { /* both by shapes */
    while (b < p->nball && p->shape[b] < seat->last[i].geom[0]) {
      b++;
    }
    if (b < p->nball && p->shape[b] == seat->last[i].geom[0] && seat->last[i].geom[1] == p->geom) {
      for (int d = 0; d < 3; d++) {
        g->r[(3 * b + d) * PKI_LANES + lane] = seat->last_r[3 * i + d];
      }
    }
  }
}

static void board(pki_group *g, const pki_seat *seats, int count)
{
  const pki_group_plan *p = g->plan;
  const pk_model *m = p->model;
  const double *q[PKI_LANES], *u[PKI_LANES], *c[PKI_LANES], *inertia[PKI_LANES], *guard[PKI_LANES];
  bool own = false;
  for (int l = 0; l < PKI_LANES; l++) {
    const pki_seat *s = &seats[l < count ? l : 0]; /* empty lanes do as the first */
    q[l] = s->q, u[l] = s->u, c[l] = &s->commands[0].tau, guard[l] = s->guard;
    inertia[l] = s->inertia != NULL ? s->inertia : m->body_inertia;
    own |= s->inertia != NULL;
  }
  pki_gather(q, m->nq, g->q);
  pki_gather(u, m->nu, g->u);
  pki_gather(c, 6 * m->nu, g->command);
  pki_gather(guard, p->npair > 0 ? m->nu + 1 : 0, g->guard);
  if (own) {
    pki_gather(inertia, 10 * m->nbody, g->work->params.inertia);
  }
  for (int b = 0; b < 3 * p->nball; b++) {
    pki_out(g->r)[b] = pki_splat(0);
  }
  for (int l = 0; l < PKI_LANES; l++) {
    const pki_seat *s = &seats[l < count ? l : 0];
    recall(g, s, l);
    for (int b = 0; b < p->nball; b++) {
      g->mu[b * PKI_LANES + l] = s->friction * p->friction[b];
    }
  }
}

/* ---- velocities ---- */

/* Command forces a - g u_E (force.c), and what they add to M; lanes with commands that are none fall out. */
static void drive(flight *f, const double *q)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pk_model *m = p->model;
  const double dt = p->dt, reach = p->reach;
  pk_r *const a = pki_out(g->a), *const gain = pki_out(g->g), *const diag = pki_out(g->work->diag);
  for (int k = 0; k < m->nu; k++) {
    const pk_r *const c = pki_reals(g->command) + 6 * k;
    const int at = m->dof_q[k];
    const pk_r x = at >= 0 ? pki_reals(q)[at] : pki_splat(0), kp = at >= 0 ? c[3] : pki_splat(0);
    const pk_r line = c[0] + kp * (c[1] - x) + c[4] * c[2], slope = kp * reach + c[4];
    const pk_r free = pki_max(pki_min(line, c[5]), -c[5]);
    f->going &=
        pki_at_most(pki_splat(0), c[3]) & pki_at_most(pki_splat(0), c[4]) & pki_at_most(pki_splat(0), c[5]);
    a[k] = pki_select(pki_less(pki_splat(0), slope), line, free);
    gain[k] = slope;
    diag[k] = pki_reals(g->work->params.armature)[k] + dt * (m->dof_damping[k] + slope);
  }
}

/* u_f = u + inv(M~) dt (a - (g + d) u - h) */
static void fall_freely(flight *f)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  pk_r *const x = pki_out(g->u_free);
  const pk_r *const u = pki_reals(g->u), *const h = pki_reals(g->h);
  for (int k = 0; k < m->nu; k++) {
    x[k] = f->p->dt * (pki_reals(g->a)[k] - (pki_reals(g->g)[k] + m->dof_damping[k]) * u[k] - h[k]);
  }
  PKI_NAME(ltl_solve)(g->work, g->u_free);
  for (int k = 0; k < m->nu; k++) {
    x[k] += u[k];
  }
}

/* ---- balls ---- */

/* A ball on a height field, in one lane: its gap, and its nearest point and axes when asked for. */
static void look_at_field(const pki_group *g, int b, int lane, const double centre[3], double *gap,
                          double *point)
{
  const pki_group_plan *p = g->plan;
  const double r = p->radius[b];
  pk_terrain_hit hit = {.normal = {0, 0, 1}};
  const bool high = centre[2] - r > p->at[2] + p->near; /* above all of it */
  const bool found = !high && pki_solid_query(p->field, centre, r + p->near, &hit);
  gap[b * PKI_LANES + lane] = found ? hit.distance - r : 1;
  if (point == NULL) {
    return;
  }
  double axes[9];
  memcpy(axes, hit.normal, sizeof hit.normal);
  if (found) {
    pki_tangents(axes, axes + 3, axes + 6);
  } else {
    memcpy(axes, (const double[9]){0, 0, 1, 1, 0, 0, 0, 1, 0}, sizeof axes);
  }
  for (int k = 0; k < 9; k++) {
    g->axes[(9 * b + k) * PKI_LANES + lane] = axes[k];
  }
  for (int k = 0; k < 3; k++) {
    point[(3 * b + k) * PKI_LANES + lane] = centre[k] - r * axes[k];
  }
}

/* Gaps of all balls at the work's configuration, and their lowest points when asked for. */
static void look(const pki_group *g, double *gap, double *point)
{
  const pki_group_plan *p = g->plan;
  const pki_pose_r *const pose = pki_poses(g->work);
  const pki_v3 *const origin = pki_origins(g->work);
  for (int b = 0; b < p->nball; b++) {
    const pki_v3 c = pki_add(origin[p->body[b]], pki_m3_apply_plain(pose[p->body[b]].R, p->centre[b]));
    if (p->field != NULL) {
      for (int l = 0; l < PKI_LANES; l++) {
        look_at_field(g, b, l, (const double[3]){pki_lane(c.x, l), pki_lane(c.y, l), pki_lane(c.z, l)}, gap,
                      point);
      }
      continue;
    }
    const pk_r r =
        pki_splat(p->radius[b]); /* a product of two plain numbers would round before it is spread */
    const double *n = p->normal, *o = p->at;
    pki_out(gap)[b] = (c.x - o[0]) * n[0] + (c.y - o[1]) * n[1] + (c.z - o[2]) * n[2] - r;
    if (point != NULL) {
      pki_v3_store((pki_v3){c.x - r * n[0], c.y - r * n[1], c.z - r * n[2]}, pki_out(point) + 3 * b);
    }
  }
}

/* Lanes in which balls are so fast that they may have to be met on their way. */
static pk_i fast(const flight *f)
{
  const pki_group_plan *p = f->p;
  pk_i bad = pki_mask_none();
  for (int b = 0; b < p->nball && p->swept; b++) {
    const pki_v6 t = pki_v6s(f->g->work->twist)[p->body[b]];
    const double e = p->extent[b], most = 0.5 * p->radius[b] / p->dt; /* (x + y)^2 <= 2 (x^2 + y^2) */
    bad |= pki_less(pki_splat(most * most), 2.0 * (pki_dot(t.l, t.l) + e * e * pki_dot(t.a, t.a)));
  }
  return bad;
}

/* Balls that the velocities x would push below ground begin to take part: as bits, those that are new in some lane. */
static unsigned choose(flight *f, const double *x, bool first)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  pk_i *const active = pki_masks(g->active);
  unsigned more = 0;
  for (int b = 0; b < p->nball; b++) {
    const pk_r gap = pki_reals(g->gap)[b];
    if (!(f->rows >> b & 1)) {
      active[b] = pki_mask_none();
      pki_v3_store(pki_v3_zero(), pki_out(g->r) + 3 * b);
      continue;
    }
    const pki_v3 all = pki_ball_velocity(g, b, x);
    const pk_r v = all.x;
    pk_i wants = pki_at_most(gap, pki_splat(0)) | pki_less(gap + p->reach * v, pki_splat(0));
    if (first) {
      const pk_i pushed = pki_less(pki_splat(0), pki_reals(g->r)[3 * b]);
      wants |= pushed & pki_less(gap, pki_splat(PKI_TOUCHING));
      active[b] = pki_mask_none();
      const pk_r open = pki_max(gap, pki_splat(0)) * (1 / p->reach);
      pki_v3_store((pki_v3){all.x + open, all.y, all.z}, pki_out(g->fixed) + 3 * b);
    }
    wants &= f->going & pki_at_most(gap, pki_splat(p->near)) & ~active[b];
    active[b] |= wants;
    more |= (unsigned)(pki_any(wants) != 0) << b;
    /* whoever did not push begins with nothing */
    const pki_v3 r = pki_v3_load(pki_reals(g->r) + 3 * b);
    pki_v3_store(pki_v3_select(active[b], r, pki_v3_zero()), pki_out(g->r) + 3 * b);
  }
  return more;
}

/* Rows of the balls that are near the ground in some lane. */
static void make_rows(flight *f)
{
  for (int b = 0; b < f->p->nball; b++) {
    if (pki_any(pki_at_most(pki_reals(f->g->gap)[b], pki_splat(f->p->near)) & f->going)) {
      pki_ball_rows(f->g, b);
      f->rows |= 1u << b;
    }
  }
}

/* W and its diagonal's inverse, for balls that are new. */
static void join(flight *f, unsigned more)
{
  pki_group *g = f->g;
  for (int b = 0; b < f->p->nball; b++) {
    if (!(more >> b & 1) || f->in >> b & 1) {
      continue;
    }
    pki_ball_whiten(g, b);
    f->in |= 1u << b;
    pki_out(g->slip)[b] = pki_splat(0);
    for (int c = 0; c < f->p->nball; c++) {
      if (f->in >> c & 1) { /* the same way round whoever came first: W_ij rounds differently from W_ji' */
        pki_ball_block(g, b > c ? b : c, b > c ? c : b);
      }
    }
    ((pki_m3 *)(void *)g->K)[b] = pki_invert_symmetric(*pki_block(g, b, b));
  }
}

/* u of all balls: q + W r, q (which choose has left) being J u_f and what the gap allows. The largest |q| comes back. */
static pk_r begin_sweeps(flight *f)
{
  pki_group *g = f->g;
  pk_r scale = pki_splat(1e-3);
  for (int b = 0; b < f->p->nball; b++) {
    if (!(f->in >> b & 1)) {
      continue;
    }
    pki_v3 q = pki_v3_load(pki_reals(g->fixed) + 3 * b);
    const pk_r size = pki_max(pki_abs(q.x), pki_max(pki_abs(q.y), pki_abs(q.z)));
    scale = pki_max(scale, pki_where_set(pki_masks(g->active)[b], size));
    for (int c = 0; c < f->p->nball; c++) {
      if (f->in >> c & 1) {
        q = pki_add(q, pki_m3_apply(*pki_block(g, b, c), pki_v3_load(pki_reals(g->r) + 3 * c)));
      }
    }
    pki_v3_store(q, pki_out(g->v) + 3 * b);
  }
  return scale;
}

/* A ball's impulses become r in the lanes of a mask, and all velocities follow. */
PKI_INLINE void change(flight *f, int b, pk_i mask, pki_v3 r)
{
  pki_group *g = f->g;
  pk_r *const at = pki_out(g->r) + 3 * b;
  const pki_v3 old = pki_v3_load(at), now = pki_v3_select(mask, r, old), dr = pki_sub(now, old);
  pki_v3_store(now, at);
  for (int c = 0; c < f->p->nball; c++) {
    if (f->in >> c & 1) {
      pk_r *const v = pki_out(g->v) + 3 * c;
      pki_v3_store(pki_add(pki_v3_load(v), pki_m3_apply(*pki_block(g, c, b), dr)), v);
    }
  }
}

/* The residual of each lane's contacts. */
static pk_r judge(const flight *f)
{
  const pki_group *g = f->g;
  pk_r worst = pki_splat(0);
  for (int b = 0; b < f->p->nball; b++) {
    if (f->in >> b & 1) {
      const pki_m3 *W = pki_block(g, b, b);
      const pk_r left = pki_contact_left(pki_reals(g->mu)[b], pki_v3_load(pki_reals(g->r) + 3 * b),
                                         pki_v3_load(pki_reals(g->v) + 3 * b), W->x.x + W->y.y + W->z.z);
      const pk_r mine = pki_where_set(pki_masks(g->active)[b], left);
      worst = pki_select(pki_at_most(mine, worst), worst, mine); /* a NaN stays */
    }
  }
  return worst;
}

/* Sweeps in the lanes of `open` until they meet the tolerance; those that do not fall out. */
static void solve(flight *f, pk_i open)
{
  pki_group *g = f->g;
  const pk_r scale = begin_sweeps(f), goal = f->p->tolerance * scale;
  for (int sweep = 0; sweep < f->p->sweeps && pki_any(open); sweep++) {
    for (int b = 0; b < f->p->nball; b++) {
      const pk_i mask = open & pki_masks(g->active)[b];
      if (f->in >> b & 1 && pki_any(mask)) {
        const pki_v3 r =
            pki_contact_impulse(*pki_block(g, b, b), ((pki_m3 *)(void *)g->K)[b], pki_reals(g->mu)[b],
                                pki_v3_load(pki_reals(g->v) + 3 * b), pki_v3_load(pki_reals(g->r) + 3 * b),
                                mask, pki_out(g->slip) + b);
        change(f, b, mask, r);
      }
    }
    const pk_r worst = judge(f), one = pki_splat(1);
    pk_r *const residual = pki_out(g->residual), *const relative = pki_out(g->relative);
    *residual = pki_select(open, worst, *residual);
    *relative = pki_select(open, worst / scale, *relative);
    *pki_out(g->sweeps) += pki_where_set(open, one);
    open &= ~pki_at_most(worst, goal);
  }
  f->going &= ~open;
}

/* u_E = u_f + inv(M~) J' r */
static void respond(flight *f)
{
  pki_group *g = f->g;
  pki_balls_response(g, f->in, g->r, g->u_end);
  for (int k = 0; k < f->p->model->nu; k++) {
    pki_out(g->u_end)[k] += pki_reals(g->u_free)[k];
  }
}

/* Impulses, and the velocities at the end. */
static void collide(flight *f)
{
  pki_group *g = f->g;
  make_rows(f);
  unsigned more = choose(f, g->u_free, true);
  pk_i open = f->going;
  if (more == 0) {
    for (int k = 0; k < f->p->model->nu; k++) {
      pki_out(g->u_end)[k] = pki_reals(g->u_free)[k];
    }
    return;
  }
  for (int round = 0; more != 0 && round < ROUNDS; round++) {
    join(f, more);
    solve(f, open);
    respond(f);
    pk_i before[PKI_BALLS];
    for (int b = 0; b < f->p->nball; b++) {
      before[b] = pki_masks(g->active)[b];
    }
    more = choose(f, g->u_end, false);
    open = pki_mask_none();
    for (int b = 0; b < f->p->nball; b++) {
      open |= pki_masks(g->active)[b] & ~before[b];
    }
    *pki_out(g->rounds) += pki_where_set(open, pki_splat(1));
  }
  f->going &= ~open; /* there was always one more */
}

/* Command forces at the end; lanes in which one leaves its limits fall out, and those in which a joint does. */
static void hold_limits(flight *f, const double *q)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  for (int k = 0; k < m->nu; k++) {
    const pk_r v = pki_reals(g->u_end)[k], most = pki_reals(g->command)[6 * k + 5];
    const pk_r force = pki_reals(g->a)[k] - pki_reals(g->g)[k] * v;
    pki_out(g->tau)[k] = force;
    f->going &= pki_at_most(pki_abs(force), most);
    if (f->p->limits && m->dof_q[k] >= 0 && (isfinite(m->dof_lower[k]) || isfinite(m->dof_upper[k]))) {
      const pk_r x = pki_reals(q)[m->dof_q[k]], end = x + f->p->reach * v;
      f->going &= pki_less(pki_splat(m->dof_lower[k]), pki_min(x, end)) &
                  pki_less(pki_max(x, end), pki_splat(m->dof_upper[k]));
    }
  }
}

/* ---- positions ---- */

/* How deep each lane's deepest ball is. */
static pk_r depth_of(const pki_group *g)
{
  pk_r deepest = pki_splat(0);
  for (int b = 0; b < g->plan->nball; b++) {
    deepest = pki_max(deepest, -pki_reals(g->gap_end)[b]);
  }
  return deepest;
}

/* Feet that stick: their friction is within the cone. */
PKI_INLINE pk_i sticks(const pki_group *g, int b)
{
  const pki_v3 r = pki_v3_load(pki_reals(g->r) + 3 * b);
  const pk_r limit = (1 - 1e-6) * pki_reals(g->mu)[b] * r.x;
  return pki_less(pki_splat(0), r.x) & pki_less(r.y * r.y + r.z * r.z, limit * limit);
}

/* The shortest way out of the ground (project.c), by sweeps over the balls in W: r and v are impulses and gaps of positions
 * from here on. `deep` are the lanes that need it. */
static void push_out(flight *f, pk_i deep, pk_r band, const pk_i *stuck, double *move)
{
  static const double soft = 1.01; /* tangents of feet that stick may yield a little */
  pki_group *g = f->g;
  const pk_r zero = pki_splat(0);
  pk_r *const r = pki_out(g->r), *const v = pki_out(g->v);
  for (int b = 0; b < f->p->nball; b++) {
    pki_v3_store(pki_v3_zero(), r + 3 * b);
    pki_v3_store((pki_v3){pki_reals(g->gap_end)[b], zero, zero}, v + 3 * b);
  }
  for (int sweep = 0; sweep < POSITION_SWEEPS; sweep++) {
    for (int b = 0; b < f->p->nball; b++) {
      if (!(f->in >> b & 1)) {
        continue;
      }
      const pki_m3 W = *pki_block(g, b, b);
      const pki_v3 old = pki_v3_load(r + 3 * b);
      const pki_v3 q = pki_sub(pki_v3_load(v + 3 * b), pki_m3_apply(W, old));
      const pki_m3 S = {W.x, {W.y.x, soft * W.y.y, W.y.z}, {W.z.x, W.z.y, soft * W.z.z}};
      const pki_v3 held = pki_scale(pki_splat(-1), pki_m3_apply(pki_invert_symmetric(S), q));
      const pk_r inv = 1.0 / (S.y.y * S.z.z - S.y.z * S.y.z);
      const pki_v3 lifted = {zero, -inv * (S.z.z * q.y - S.y.z * q.z), -inv * (S.y.y * q.z - S.y.z * q.y)};
      const pki_v3 slides = {pki_max(-q.x / W.x.x, zero), zero, zero};
      const pki_v3 next =
          pki_v3_select(stuck[b], pki_v3_select(pki_less(zero, held.x), held, lifted), slides);
      change(f, b, deep & pki_at_most(pki_reals(g->gap_end)[b], band), next);
    }
  }
  pki_balls_response(g, f->in, g->r, move);
}

/* Energy in the field of gravity at the work's configuration. */
static pk_r potential(const pki_group *g)
{
  pk_r sums[12];
  PKI_NAME(sums)(g->work, 0, g->plan->model->nbody, (double *)(void *)sums);
  return sums[11];
}

/* The configuration at the end: what is below ground is projected out, where it has to be. */
static void arrive(flight *f)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pk_model *m = p->model;
  pk_i stuck[PKI_BALLS];
  for (int b = 0; b < p->nball; b++) {
    stuck[b] = sticks(g, b) & pki_masks(g->active)[b];
    pki_v3_store(pki_v3_load(pki_reals(g->r) + 3 * b), pki_out(g->impulse) + 3 * b);
    pki_v3_store(pki_v3_load(pki_reals(g->v) + 3 * b), pki_out(g->velocity) + 3 * b);
  }
  for (int round = 0; round <= PROJECTIONS; round++) {
    PKI_NAME(kinematics)(g->work, g->q_end);
    look(g, g->gap_end, NULL);
    const pk_r depth = depth_of(g);
    *pki_out(g->penetration) = depth;
    pk_i deep = f->going & ~pki_at_most(depth, pki_splat(PKI_PENETRATION));
    if (round == PROJECTIONS || !pki_any(deep)) {
      f->going &= ~deep;
      *pki_out(g->lift) += round > 0 && g->watched ? potential(g) : pki_splat(0);
      return;
    }
    *pki_out(g->lift) -= round == 0 && g->watched ? potential(g) : pki_splat(0);
    const pk_r band = pki_max(8.0 * depth, pki_splat(PKI_TOUCHING));
    unsigned more = 0;
    for (int b = 0; b < p->nball; b++) {
      const pk_i near = deep & pki_at_most(pki_reals(g->gap_end)[b], band);
      const pk_i far = pki_less(pki_splat(p->near), pki_reals(g->gap)[b]); /* it came from nowhere */
      more |= (unsigned)(pki_any(near & ~far) != 0) << b;
      f->going &= ~(near & far);
    }
    deep &= f->going;
    join(f, more);
    push_out(f, deep, band, stuck, g->move);
    PKI_NAME(config_add)(m, g->q_end, 1, g->move, g->q_try);
    for (int k = 0; k < m->nq; k++) {
      pk_r *const q = pki_out(g->q_end) + k;
      *q = pki_select(deep, pki_reals(g->q_try)[k], *q);
    }
    *pki_out(g->projections) += pki_where_set(deep, pki_splat(1));
  }
}

/* How far anything can have moved against the trunk: in this step, or since all pairs were looked at. */
static pk_r swung(const pki_group *g, bool in_step)
{
  const pki_group_plan *p = g->plan;
  const pk_model *m = p->model;
  pk_r *const far = pki_out(g->swung), most = pki_splat(0);
  far[0] = most;
  for (int i = 1; i < m->nbody; i++) {
    const int u = m->body_u[i], q = m->dof_q[u];
    const pk_r from = in_step ? pki_reals(g->q)[q] : pki_reals(g->guard)[u];
    far[i] = far[m->body_parent[i]] + p->swing[i] * pki_abs(pki_reals(g->q_end)[q] - from);
    most = pki_max(most, far[i]);
  }
  return most;
}

/* Lanes in which other shapes touch at the end fall out: the plane, or each other. */
static void keep_away(flight *f)
{
  static const double slack = PKI_COVER_SLACK;
  static const double hair =
      1e-5; /* m, for distances of parallel segments, so that a look that is not due would change nothing */
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pk_model *m = p->model;
  for (int i = 0; i < p->ncover; i++) {
    f->going &= ~pki_cover_in_plane(g, &p->covers[i]);
  }
  pk_r *const apart = pki_out(g->guard) + m->nu;
  const pk_i due =
      p->npair > 0 ? f->going & ~pki_less(2.0 * swung(g, false) + (slack + hair), *apart) : pki_mask_none();
  if (!pki_any(due)) {
    return;
  }
  *apart = pki_select(due, pki_covers_apart(g), *apart);
  f->looked = true;
  f->going &= ~due | pki_less(pki_splat(slack), *apart);
  /* nothing has passed through anything: to do so in a step it would have come this far past it */
  f->going &= ~due | pki_less(2.0 * swung(g, true), *apart + 2.0 * p->thin);
  for (int k = 0; k < m->nu; k++) {
    pk_r *const at = pki_out(g->guard) + k;
    *at = m->dof_q[k] >= 0 ? pki_select(due, pki_reals(g->q_end)[m->dof_q[k]], *at) : pki_splat(0);
  }
}

/* Joint limits at the end, and numbers that are not finite: lanes fall out. */
static void check_end(flight *f)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->model;
  pk_r sum = pki_splat(0);
  for (int k = 0; k < m->nq; k++) {
    sum += pki_abs(pki_reals(g->q_end)[k]);
  }
  for (int k = 0; k < m->nu; k++) {
    sum += pki_abs(pki_reals(g->u_end)[k]);
    if (f->p->limits && m->dof_q[k] >= 0) {
      const pk_r x = pki_reals(g->q_end)[m->dof_q[k]];
      f->going &= pki_at_most(pki_splat(m->dof_lower[k]), x) & pki_at_most(x, pki_splat(m->dof_upper[k]));
    }
  }
  f->going &= pki_less(sum, pki_splat(1e300));
}

/* ---- out ---- */

/* The contacts that took part. What of a contact of the last step stays is left alone: all but where it is. */
static void keep_contacts(const pki_group *g, const pki_seat *seat, int lane)
{
  const pki_group_plan *p = g->plan;
  int n = 0;
  for (int b = 0; b < p->nball; b++) {
    if (g->active[b * PKI_LANES + lane] == 0) {
      continue;
    }
    pki_contact *c = &seat->last[n];
    double *const r = seat->last_r + 3 * n;
    if (n >= *seat->nlast || c->geom[0] != p->shape[b] || c->geom[1] != p->geom) {
      *c = (pki_contact){
          .geom = {p->shape[b], p->geom}, .body = p->body[b], .other = -1, .material = p->material};
      memcpy(c->normal, p->normal, sizeof c->normal);
      memcpy(c->tangent1, p->tangent1, sizeof c->tangent1);
      memcpy(c->tangent2, p->tangent2, sizeof c->tangent2);
    }
    c->gap = g->gap[b * PKI_LANES + lane];
    for (int k = 0; k < 3 && p->field != NULL; k++) {
      c->normal[k] = g->axes[(9 * b + k) * PKI_LANES + lane];
      c->tangent1[k] = g->axes[(9 * b + 3 + k) * PKI_LANES + lane];
      c->tangent2[k] = g->axes[(9 * b + 6 + k) * PKI_LANES + lane];
    }
    for (int d = 0; d < 3; d++) {
      c->point[d] = g->point[(3 * b + d) * PKI_LANES + lane];
      r[d] = g->impulse[(3 * b + d) * PKI_LANES + lane];
    }
    const double limit = (1 - 1e-6) * g->mu[b * PKI_LANES + lane] * r[0];
    seat->last_sticks[n] = r[0] > 0 && r[1] * r[1] + r[2] * r[2] < limit * limit;
    n++;
  }
  *seat->nlast = n;
}

/* Worlds that are done get what they came for; the others' lanes go nowhere. */
static void leave(const flight *f, const pki_seat *seats, int count, pki_lane_info *out)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  double *q[PKI_LANES], *u[PKI_LANES], *tau[PKI_LANES], *guard[PKI_LANES];
  for (int l = 0; l < PKI_LANES; l++) {
    const bool done = l < count && pki_lane(pki_where_set(f->going, pki_splat(1)), l) > 0;
    const pki_seat *s = &seats[l < count ? l : 0];
    q[l] = done ? s->q_next : g->nowhere, u[l] = done ? s->u_next : g->nowhere;
    tau[l] = done ? s->tau : g->nowhere, guard[l] = done ? s->guard : g->nowhere;
    if (l < count) {
      out[l] = (pki_lane_info){.done = done,
                               .rounds = (int)g->rounds[l],
                               .sweeps = (int)g->sweeps[l],
                               .projections = (int)g->projections[l],
                               .residual = g->residual[l],
                               .relative = g->relative[l],
                               .penetration = g->penetration[l]};
    }
    if (done) {
      keep_contacts(g, s, l);
    }
  }
  pki_scatter(g->q_end, m->nq, q);
  pki_scatter(g->u_end, m->nu, u);
  pki_scatter(g->tau, m->nu, tau);
  pki_scatter(g->guard, f->looked ? m->nu + 1 : 0, guard);
}

static void lap(const pki_group *g, pk_part part)
{
  if (g->lap != NULL) {
    g->lap(g->user, part);
  }
}

void PKI_NAME(group_advance)(pki_group *g, const pki_seat *seats, int count, pki_lane_info *out)
{
  const pki_group_plan *p = g->plan;
  const pk_model *m = p->model;
  flight f = {.g = g, .p = p, .going = pki_mask_all()};
  double *const none[] = {g->residual, g->relative,    g->penetration, g->sweeps,
                          g->rounds,   g->projections, g->lift};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    *pki_out(none[i]) = pki_splat(0);
  }
  board(g, seats, count);
  const double *q = g->q;
  if (p->midpoint) {
    PKI_NAME(config_add)(m, g->q, p->dt - p->reach, g->u, g->q_mid);
    q = g->q_mid;
  }
  drive(&f, q);
  PKI_NAME(inertial)(g->work, q, g->u, g->h);
  lap(g, PK_PART_DYNAMICS);
  PKI_NAME(ltl_factor)(g->work);
  fall_freely(&f);
  lap(g, PK_PART_FACTOR);
  look(g, g->gap, g->point);
  f.going &= ~fast(&f);
  lap(g, PK_PART_COLLISION);
  collide(&f);
  hold_limits(&f, q);
  lap(g, PK_PART_SOLVE);
  PKI_NAME(config_add)(m, q, p->reach, g->u_end, g->q_end);
  arrive(&f);
  check_end(&f);
  keep_away(&f);
  lap(g, PK_PART_PROJECT);
  leave(&f, seats, count, out);
}

#define PKI_TEXT_(x) #x
#define PKI_TEXT(x) PKI_TEXT_(x)

const pki_group_kernels PKI_NAME(group_kernels) = {
    .isa = PKI_TEXT(PKI_ISA), .lanes = PKI_LANES, .advance = PKI_NAME(group_advance)};
