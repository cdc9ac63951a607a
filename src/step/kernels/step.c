/* One step of a group (step/group.h): a page of named stages. */
#include <stddef.h>

#include "step/kernels/declare.h"
#include "step/kernels/positions.h"

/* ---- gather ---- */

/* How feet pushed in the last step. */
static void recall_feet(pki_group *g, const pki_seat *seat, int lane)
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

/* Commands that were at their limit in the last step, and joints whose friction was, and on which side. The friction of a joint that
 * hardly moves is better begun as a row: its sign is not known. */
static void recall_limits(pki_group *g, const pki_seat *seat, int lane)
{
  const pki_group_plan *p = g->plan;
  const int n = p->joints->nu;
  const double *const rate = PKI_LANES == 1 && p->cut ? g->world->joints.u : seat->u;
  for (int k = 0; k < n && !*seat->plain; k++) {
    pki_set_mask(&pki_masks(g->limited)[k], lane, seat->limited[k]);
    g->pin[k * PKI_LANES + lane] = seat->last_joint[PKI_ROW_TORQUE * n + k];
    if (pki_rubs(p, k)) {
      const double last = seat->last_joint[PKI_ROW_FRICTION * n + k], most = p->joints->dof_friction[k];
      const bool slides = fabs(last) >= PKI_STICKING * p->dt * most && last * rate[k] < 0;
      pki_set_mask(&pki_masks(g->sliding)[k], lane, slides && fabs(rate[k]) > PKI_SPEED_FLOOR);
      g->drag[k * PKI_LANES + lane] = last < 0 ? -most : most;
    }
  }
}

static void gather_worlds(pki_lanes *f)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pk_model *m = p->model;
  const double *q[PKI_LANES], *u[PKI_LANES], *c[PKI_LANES], *guard[PKI_LANES];
  const double *inertia[PKI_LANES], *grouped[PKI_LANES];
  bool own = false, coded = false;
  for (int l = 0; l < PKI_LANES; l++) {
    const pki_seat *s = &f->seats[l < f->count ? l : 0]; /* empty lanes do as the first */
    q[l] = s->q, u[l] = s->u, c[l] = &s->commands[0].tau, guard[l] = s->guard;
    inertia[l] = s->inertia, grouped[l] = s->grouped;
    own |= s->inertia != NULL, coded |= s->grouped != NULL;
    pki_set_mask(&f->going, l, l < f->count);
  }
  pki_gather(q, m->nq, g->q);
  pki_gather(u, m->nu, g->u);
  pki_gather(c, 6 * p->joints->nu, g->command);
  pki_gather(guard, p->hinged && p->free ? pki_guard_size(m) : 0, g->guard);
  if (own) {
    g->work->params.varied = true;
    pki_gather(inertia, 10 * m->nbody, g->work->params.inertia);
    pki_gather(grouped, coded ? 10 * m->nbody : 0,
               g->work->params.grouped); /* what a model's own code reads */
  }
  for (int b = 0; b < 3 * p->nball; b++) {
    pki_out(g->r)[b] = pki_splat(0);
  }
  for (int k = 0; k < p->joints->nu; k++) {
    pki_masks(g->limited)[k] = pki_masks(g->sliding)[k] = pki_mask_none();
    pki_out(g->pin)[k] = pki_out(g->drag)[k] = pki_splat(0);
  }
  for (int l = 0; l < PKI_LANES; l++) {
    const pki_seat *s = &f->seats[l < f->count ? l : 0];
    recall_feet(g, s, l);
    for (int b = 0; b < p->nball; b++) {
      g->mu[b * PKI_LANES + l] = s->friction * p->friction[b];
    }
    if (l < f->count) {
      recall_limits(g, s, l);
    }
  }
  double *const none[] = {g->relative, g->penetration, g->sweeps, g->rounds, g->lift};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    *pki_out(none[i]) = pki_splat(0);
  }
}

/* ---- scatter ---- */

/* A contact of a world's list becomes that of foot b; what stays of one of the last step is left alone. */
static void begin_foot(const pki_group_plan *p, pki_contact *c, int b, bool known)
{
  if (!known || c->geom[0] != p->shape[b] || c->geom[1] != p->geom || c->body != p->body[b] ||
      c->other != -1) {
    *c = (pki_contact){
        .geom = {p->shape[b], p->geom}, .body = p->body[b], .other = -1, .material = p->material};
    memcpy(c->normal, p->normal, sizeof c->normal);
    memcpy(c->tangent1, p->tangent1, sizeof c->tangent1);
    memcpy(c->tangent2, p->tangent2, sizeof c->tangent2);
  }
}

/* Foot b as contact n of a world's list. */
static void keep_foot(const pki_lanes *f, int lane, int b, int n)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  pki_contact *c = &f->seats[lane].last[n];
  begin_foot(p, c, b, n < *f->seats[lane].nlast);
  c->id = 0;
  c->gap = g->gap[b * PKI_LANES + lane];
  for (int k = 0; k < 3; k++) {
    c->point[k] = g->point[(3 * b + k) * PKI_LANES + lane];
    if (p->field != NULL) {
      c->normal[k] = g->axes[(9 * b + k) * PKI_LANES + lane];
      c->tangent1[k] = g->axes[(9 * b + 3 + k) * PKI_LANES + lane];
      c->tangent2[k] = g->axes[(9 * b + 6 + k) * PKI_LANES + lane];
    }
  }
}

/* Impulses and the state of friction of slot s as those of contact n of a world's list. */
PKI_INLINE void keep_impulse(const pki_lanes *f, int lane, int s, int n)
{
  const pki_group *g = f->g;
  const pki_seat *seat = &f->seats[lane];
  for (int d = 0; d < 3; d++) {
    seat->last_r[3 * n + d] = g->impulse[(3 * s + d) * PKI_LANES + lane];
  }
  seat->last_sticks[n] = g->stuck[s * PKI_LANES + lane] != 0;
}

/* The contacts that took part, in their order: feet and others merged. */
static void keep_contacts(const pki_lanes *f, int lane)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pki_seat *seat = &f->seats[lane];
  int n = 0, i = 0;
  for (int b = 0; b <= p->nball; b++) {
    if (b < p->nball && g->took[b * PKI_LANES + lane] == 0) {
      continue;
    }
    const int foot[2] = {b < p->nball ? p->shape[b] : 0, p->geom};
    for (; i < f->nfound[lane]; i++) { /* others that come before this foot, or after the last */
      const pki_contact *other = &g->found[lane][i];
      if (b < p->nball && pki_contact_order(foot, 0, other) < 0) {
        break;
      }
      if (g->slot_of[lane][i] >= 0) {
        seat->last[n] = *other;
        keep_impulse(f, lane, g->slot_of[lane][i], n++);
      }
    }
    if (b < p->nball) {
      keep_foot(f, lane, b, n);
      keep_impulse(f, lane, b, n++);
    }
  }
  *seat->nlast = n;
}

/* How many contacts a lane would keep. */
static int count_contacts(const pki_lanes *f, int lane)
{
  int n = 0;
  for (int b = 0; b < f->p->nball; b++) {
    n += f->g->took[b * PKI_LANES + lane] != 0;
  }
  for (int i = 0; i < f->nfound[lane]; i++) {
    n += f->g->slot_of[lane][i] >= 0;
  }
  return n;
}

/* Some command of a lane was pinned at its limit, or a joint slid against its friction. */
static bool is_pinned(const pki_lanes *f, int lane)
{
  bool any = false;
  for (int k = 0; k < f->p->joints->nu; k++) {
    any |= f->g->pinned[k * PKI_LANES + lane] != 0 || f->g->sliding[k * PKI_LANES + lane] != 0;
  }
  return any;
}

/* Impulses of commands at their limits and of friction, where they are no rows. */
static void keep_pins(const pki_lanes *f, int lane)
{
  const pki_group *g = f->g;
  const pki_seat *seat = &f->seats[lane];
  const int n = f->p->joints->nu;
  for (int k = 0; k < n; k++) {
    const int at = k * PKI_LANES + lane;
    seat->limited[k] = g->limited[at] != 0;
    if (g->pinned[at] != 0) {
      seat->last_joint[PKI_ROW_TORQUE * n + k] = f->p->dt * g->pin[at];
    }
    if (g->sliding[at] != 0) {
      seat->last_joint[PKI_ROW_FRICTION * n + k] = f->p->dt * g->drag[at];
    }
  }
}

/* Impulses of joint rows and of commands at their limits. On chains those of rows are kept already. */
static void keep_joints(const pki_lanes *f, int lane, int *saturated)
{
  const pki_group *g = f->g;
  const pki_seat *seat = &f->seats[lane];
  const int n = f->p->joints->nu;
  const bool plain = f->nkept[lane] == 0 && !(f->pins && is_pinned(f, lane)) && !pki_on_chains(f);
  *saturated = 0;
  if (!*seat->plain || !plain) {
    if (!pki_on_chains(f)) {
      memset(seat->last_joint, 0, PKI_JOINT_ROWS * (size_t)n * sizeof *seat->last_joint);
    }
    keep_pins(f, lane);
  }
  for (int b = 0; b < f->nkept[lane]; b++) {
    const pki_lane_box *box = &f->kept[lane][b];
    seat->last_joint[box->kind * n + box->k] = g->box_impulse[b * PKI_LANES + lane];
  }
  for (int k = 0; k < n && g->watched; k++) {
    *saturated += fabs(pki_entry_of(g->tau, k, lane)) >= pki_entry_of(g->command, 6 * k + 5, lane);
  }
  *seat->plain = plain;
}

/* Contacts and what pairs of shapes remember. On chains the world keeps them itself. */
static void keep_contacts_and_pairs(const pki_lanes *f, int lane)
{
  const pki_seat *s = &f->seats[lane];
  if (!pki_on_chains(f)) {
    keep_contacts(f, lane);
    *s->nmemory = f->nmemory[lane] < s->keep ? f->nmemory[lane] : s->keep; /* the rest is found anew */
    memcpy(s->memory, f->g->memory[lane], (size_t)*s->nmemory * sizeof *s->memory);
  }
}

/* Worlds that are done get what they came for; other lanes are discarded. */
static void scatter_worlds(pki_lanes *f, pki_lane_info *out)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  double *q[PKI_LANES], *u[PKI_LANES], *tau[PKI_LANES], *guard[PKI_LANES];
  for (int l = 0; l < f->count; l++) {
    if (!pki_on_chains(f) && pki_is_set(f->going, l) && count_contacts(f, l) > f->seats[l].keep) {
      pki_leave_lane(f, l, PK_LEFT_CONTACTS);
    }
  }
  for (int l = 0; l < PKI_LANES; l++) {
    const bool done = l < f->count && pki_is_set(f->going, l);
    const pki_seat *s = &f->seats[l < f->count ? l : 0];
    q[l] = done ? s->q_next : g->nowhere, u[l] = done ? s->u_next : g->nowhere;
    tau[l] = done ? s->tau : g->nowhere, guard[l] = done ? s->guard : g->nowhere;
    if (l >= f->count) {
      continue;
    }
    out[l] = (pki_lane_info){.done = done,
                             .status = f->status,
                             .unsettled = f->unsettled,
                             .rows = f->has_rows,
                             .left = done ? PK_LEFT_NOT : f->left[l],
                             .alone = f->alone >> l & 1,
                             .rounds = (int)g->rounds[l],
                             .sweeps = (int)g->sweeps[l],
                             .solver = f->solver[l],
                             .relative = g->relative[l],
                             .penetration = g->penetration[l]};
    if (done) {
      keep_contacts_and_pairs(f, l);
      keep_joints(f, l, &out[l].saturated);
    }
  }
  pki_scatter(g->q_end, m->nq, q);
  pki_scatter(g->u_end, m->nu, u);
  pki_scatter(g->tau, f->p->joints->nu, tau);
  pki_scatter(g->guard, f->looked ? pki_guard_size(m) : 0, guard);
}

/* ---- the step ---- */

/* The whole certificate of lane 0, for who asked for it. On chains the solver's is there. */
static void certify_impulses(pki_lanes *f)
{
  pki_group *g = f->g;
  f->has_rows = f->in != 0 || f->box_in != 0;
  if (g->watched && f->has_rows) {
    const pki_lane_rows s = pki_gather_problem(f, 0, g->r, g->box_r);
    g->certificate = pk_contact_certify(&s.p, s.r, s.u);
  } else {
    g->certificate = (pk_certificate){.worst = -1};
  }
}

/* Collisions come before all else under some laws: forces, velocities and contacts are then those after them. */
static void collide_first(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  const pki_law *law = pki_on_chains(f) ? pki_law_of(&g->world->options) : NULL;
  bool any = false;
  if (law == NULL || law->collide == NULL || !pki_any(f->going)) {
    return;
  }
  if (!law->collide(g->world, g->u, g->info, &any)) {
    g->info->term = "collision";
    pki_fail_step(f, PK_ERROR_CONVERGENCE);
  } else if (any) {
    pki_actuate(f, q);
    pki_free_velocity(f, q);
    pki_find_contacts(f, q);
  }
}

/* What stands in the configuration q of the step, and moves it on. */
static void move_lanes(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  pki_impulses(f, q);
  if (!pki_any(f->going)) {
    return;
  }
  pki_set_forces(f);
  certify_impulses(f);
  pki_lap_lanes(g, PK_PART_SOLVE);
  PKI_NAME(config_add)(f->p->model, q, f->p->reach, g->u_end, g->q_end);
  pki_project(f);
  pki_check_passing(f);
  pki_check_end(f);
  pki_lap_lanes(g, PK_PART_PROJECT);
}

void PKI_NAME(group_advance)(pki_group *g, const pki_seat *seats, int count, pki_lane_info *out)
{
  const pki_group_plan *p = g->plan;
  pki_lanes f;
  memset(&f, 0, offsetof(pki_lanes, kept));
  f.g = g, f.p = p, f.seats = seats, f.count = count;
  gather_worlds(&f);
  const double *q = g->q;
  if (p->midpoint) {
    PKI_NAME(config_add)(p->model, g->q, p->dt - p->reach, g->u, g->q_mid);
    q = g->q_mid;
  }
  pki_actuate(&f, q);
  pki_act_from_outside(&f, q);
  pki_free_velocity(&f, q);
  pki_find_contacts(&f, q);
  collide_first(&f, q);
  pki_lap_lanes(g, PK_PART_COLLISION);
  if (pki_any(f.going)) {
    move_lanes(&f, q);
  }
  scatter_worlds(&f, out);
}

const pki_group_kernels PKI_NAME(group_kernels) = {
    .isa = PKI_ISA_NAME, .lanes = PKI_LANES, .advance = PKI_NAME(group_advance)};
