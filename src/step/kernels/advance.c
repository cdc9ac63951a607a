/* One step of a group (step/group.h). */
#include "step/kernels/declare.h"
#include "step/kernels/positions.h"

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
    inertia[l] = g->dynamics->fall != NULL ? s->grouped : s->inertia; /* a model's own code reads these */
    own |= inertia[l] != NULL;
  }
  pki_gather(q, m->nq, g->q);
  pki_gather(u, m->nu, g->u);
  pki_gather(c, 6 * m->nu, g->command);
  pki_gather(guard, p->npair > 0 ? m->nu + 1 : 0, g->guard);
  if (own) {
    pki_params *params = &g->work->params;
    params->varied = true;
    pki_gather(inertia, 10 * m->nbody, g->dynamics->fall != NULL ? params->grouped : params->inertia);
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
static void drive(pki_flight *f, const double *q)
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
    f->going &= pki_less(pki_abs(c[0]) + pki_abs(c[1]) + pki_abs(c[2]), pki_splat(1e300));
    a[k] = pki_select(pki_less(pki_splat(0), slope), line, free);
    gain[k] = slope;
    diag[k] = pki_reals(g->work->params.armature)[k] + dt * (m->dof_damping[k] + slope);
  }
}

/* u_f = u + inv(M~) dt (a - (g + d) u - h) */
static void fall_freely(pki_flight *f)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  pk_r *const x = pki_out(g->u_free);
  const pk_r *const u = pki_reals(g->u), *const h = pki_reals(g->h);
  for (int k = 0; k < m->nu; k++) {
    x[k] = f->p->dt * (pki_reals(g->a)[k] - (pki_reals(g->g)[k] + m->dof_damping[k]) * u[k] - h[k]);
  }
  g->dynamics->ltl_solve(g->work, g->u_free);
  for (int k = 0; k < m->nu; k++) {
    x[k] += u[k];
  }
}

/* Command forces at the end; lanes in which one leaves its limits fall out, and those in which a joint does. */
static void hold_limits(pki_flight *f, const double *q)
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
static void leave(const pki_flight *f, const pki_seat *seats, int count, pki_lane_info *out)
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
  pki_flight f = {.g = g, .p = p, .going = pki_mask_all()};
  double *const none[] = {g->relative, g->penetration, g->sweeps, g->rounds, g->lift};
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
  if (g->dynamics->fall != NULL) {
    g->dynamics->fall(g->work, q, g->u, g->a, g->g, p->dt, g->u_free);
    lap(g, PK_PART_DYNAMICS);
  } else {
    g->dynamics->inertial(g->work, q, g->u, g->h);
    lap(g, PK_PART_DYNAMICS);
    g->dynamics->ltl_factor(g->work);
    fall_freely(&f);
    lap(g, PK_PART_FACTOR);
  }
  pki_look(g, g->gap, g->point);
  f.going &= ~pki_fast(&f);
  lap(g, PK_PART_COLLISION);
  pki_collide(&f);
  hold_limits(&f, q);
  lap(g, PK_PART_SOLVE);
  PKI_NAME(config_add)(m, q, p->reach, g->u_end, g->q_end);
  pki_arrive(&f);
  pki_check_end(&f);
  pki_keep_away(&f);
  lap(g, PK_PART_PROJECT);
  leave(&f, seats, count, out);
}

const pki_group_kernels PKI_NAME(group_kernels) = {
    .isa = PKI_ISA_NAME, .lanes = PKI_LANES, .advance = PKI_NAME(group_advance)};
