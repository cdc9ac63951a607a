#include "gait/stride.h"

#include <math.h>
#include <string.h>

#include "gait/locomotion.h"
#include "math/mat3.h"

/* s, in which the plan of the trunk comes back to its height and to a level attitude; m/s^2, how fast the speed rises. */
static const double settle_height = 0.2, settle_attitude = 0.15, acceleration = 0.5;

/* One update. */
typedef struct moment {
  const pki_stride_plan *p;
  pki_stride *s;
  const pk_observation *seen;
  double dt, tau, growth, lead; /* lambda, c */
  double velocity[2];           /* m/s, world: of the plan now */
  double yaw;
  pk_pose trunk;
  double com[3], com_vel[3];
  double foot[PKI_STRIDE_LEGS][3]; /* m, centres, world */
  double ground;                   /* m, height of the ground under the feet that stand */
  bool stands[PKI_STRIDE_LEGS];
  bool changes;       /* other feet stand than in the last step */
  double middle[2];   /* m, of the feet that stand */
  double across[2];   /* unit, across their line */
  double since, left; /* s, of the half cycle, at the start of the step */
  pk_pose ahead;      /* the trunk at the end of the step, as it is foreseen */
} moment;

/* ---- rotations ---- */

/* Q = exp(v) */
static void exp_so3(const double v[3], double Q[9])
{
  const double a2 = pki_dot3(v, v), a = sqrt(a2);
  const double s = a > 1e-6 ? sin(a) / a : 1 - a2 / 6, c = a > 1e-6 ? (1 - cos(a)) / a2 : 0.5 - a2 / 24;
  const double K[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      const double square = v[i] * v[k] - (i == k ? a2 : 0);
      Q[3 * i + k] = (i == k) + s * K[3 * i + k] + c * square;
    }
  }
}

/* The rotation vector of R, less than half a turn. */
static void log_so3(const double R[9], double v[3])
{
  const double axial[3] = {0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])};
  const double s = pki_length3(axial), c = 0.5 * (R[0] + R[4] + R[8] - 1);
  const double ratio = s > 1e-9 ? atan2(s, c) / s : 1;
  for (int k = 0; k < 3; k++) {
    v[k] = ratio * axial[k];
  }
}

static void about_z(double yaw, double R[9])
{
  const double c = cos(yaw), s = sin(yaw);
  memcpy(R, (const double[9]){c, -s, 0, s, c, 0, 0, 0, 1}, 9 * sizeof *R);
}

/* A B and A B'. */
static void multiply(const double A[9], const double B[9], double out[9])
{
  double C[9];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      C[3 * i + k] = A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k];
    }
  }
  memcpy(out, C, sizeof C);
}

static void multiply_transposed(const double A[9], const double B[9], double out[9])
{
  double C[9];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      C[3 * i + k] = pki_dot3(A + 3 * i, B + 3 * k);
    }
  }
  memcpy(out, C, sizeof C);
}

/* 10 s^3 - 15 s^4 + 6 s^5 */
static double smooth_way(double s)
{
  return s * s * s * (10 + s * (6 * s - 15));
}

/* ---- legs ---- */

pk_status pki_stride_init(pki_stride_plan *plan, const pk_model *model,
                          const char *const feet[PKI_STRIDE_LEGS], pk_error *err)
{
  pki_locomotion c = {.options = pk_locomotion_options_default()};
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    c.options.feet[i] = feet != NULL ? feet[i] : NULL;
  }
  pk_status status = pki_legs_find(&c, model, err);
  plan->trunk = c.trunk, plan->robot = c.robot;
  plan->gravity = pki_length3(model->gravity);
  for (int i = 0; i < PKI_STRIDE_LEGS && status == PK_OK; i++) {
    plan->radius[i] = c.legs[i].radius;
    status = pk_leg_init(&plan->legs[i], model, PK_LEG_POINT, c.legs[i].foot, c.legs[i].centre, err);
  }
  return status;
}

/* The inertia of the whole robot about its centre of mass, by unit of mass: its angular momentum when it turns as one. */
static void measure_inertia(pki_stride_plan *plan, pk_workspace *w, const double *q)
{
  const pk_model *model = pk_workspace_model(w);
  double u[PKI_STRIDE_NU] = {0}, momentum[6], com[3], velocity[3];
  const int first = model->robots[plan->robot].u;
  double mass = 0;
  for (int i = 0; i < model->nbody; i++) {
    mass += model->body_inertia[10 * i];
  }
  for (int k = 0; k < 3; k++) {
    u[first + 3 + k] = 1;
    pk_kinematics_compute(w, q, u);
    pk_momentum_compute(w, plan->robot, momentum);
    pk_com_compute(w, plan->robot, com, velocity);
    for (int i = 0; i < 3; i++) {
      plan->inertia[3 * i + k] = momentum[i] / mass;
    }
    u[first + 3 + k] = 0;
  }
}

void pki_stride_stand(pki_stride_plan *plan, pk_workspace *w, const double *q)
{
  plan->height = 0;
  pk_kinematics_compute(w, q, NULL);
  const pk_pose trunk = pk_link_pose(w, plan->trunk);
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    pk_leg_get(&plan->legs[i], q, plan->stance[i]);
    const pk_pose foot = pk_leg_foot(&plan->legs[i], plan->stance[i]);
    double at[3];
    pki_mat3_apply(trunk.rot, foot.pos, at);
    memcpy(plan->home[i], foot.pos, sizeof plan->home[i]);
    plan->height -= at[2] / PKI_STRIDE_LEGS;
  }
  measure_inertia(plan, w, q);
}

/* Angles of a leg with its foot at `place` (world) under a trunk; as near as it reaches. `angles` are where it is. */
static void bend_leg(const pki_stride_plan *p, int leg, const pk_pose *trunk, const double place[3],
                     double *angles)
{
  pk_pose foot = pk_leg_foot(&p->legs[leg], angles), nearest;
  double arm[3];
  pki_sub3(place, trunk->pos, arm);
  pki_mat3_apply_transposed(trunk->rot, arm, foot.pos);
  if (pk_leg_reach(&p->legs[leg], &foot, angles, &nearest, NULL) == PK_OK) {
    pk_leg_solve(&p->legs[leg], &nearest, PK_LEG_NEAREST, angles, NULL);
  }
}

/* ---- what there is ---- */

static bool on_ground(const moment *m, int leg)
{
  for (int i = 0; i < m->seen->ncontact; i++) {
    double impulse[3];
    if (pk_sim_contact_carries(&m->seen->contacts[i], m->seen->model, m->p->legs[leg].link, impulse, NULL) &&
        pki_dot3(impulse, impulse) > 0) {
      return true;
    }
  }
  return false;
}

static void look(moment *m)
{
  const pki_stride_plan *p = m->p;
  pk_workspace *w = m->seen->workspace;
  pk_kinematics_compute(w, m->seen->q, m->seen->u);
  m->trunk = pk_link_pose(w, p->trunk);
  pk_com_compute(w, p->robot, m->com, m->com_vel);
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    const pk_pose link = pk_link_pose(w, p->legs[i].link);
    pki_mat3_apply(link.rot, p->legs[i].point, m->foot[i]);
    for (int k = 0; k < 3; k++) {
      m->foot[i][k] += link.pos[k];
    }
  }
  m->yaw = atan2(m->trunk.rot[3], m->trunk.rot[0]);
}

/* Which feet stand in the step, by the clock half way through it. */
static void tell_time(moment *m)
{
  const pki_stride_plan *p = m->p;
  const double half = 0.5 * p->cycle, middle = m->seen->time + 0.5 * m->dt - p->start;
  const bool walks = middle >= 0;
  const double halves = walks ? floor(middle / half) : 0;
  const bool first = fmod(halves, 2) == 0; /* left fore and right hind stand */
  m->since = walks ? m->seen->time - p->start - halves * half : 0;
  m->left = half - m->since;
  m->changes = m->s->begun == 0;
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    m->stands[i] = !walks || (first == (i == 0 || i == 3));
    m->changes |= m->stands[i] != (m->s->stands[i] != 0);
  }
  const double rise =
      fmin(1, acceleration * fmax(0, m->seen->time - p->start) / fmax(hypot(p->forward, p->sideways), 1e-9));
  const double ahead[2] = {walks ? rise * p->forward : 0, walks ? rise * p->sideways : 0};
  m->velocity[0] = cos(m->yaw) * ahead[0] - sin(m->yaw) * ahead[1];
  m->velocity[1] = sin(m->yaw) * ahead[0] + cos(m->yaw) * ahead[1];
}

/* The line of the feet that stand, and the pendulum on it. */
static void find_support(moment *m)
{
  int n = 0, last = -1, first = -1;
  m->middle[0] = m->middle[1] = m->ground = 0;
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    if (m->stands[i]) {
      first = first < 0 ? i : first, last = i, n++;
      m->middle[0] += m->foot[i][0], m->middle[1] += m->foot[i][1];
      m->ground += m->foot[i][2] - m->p->radius[i];
    }
  }
  m->middle[0] /= n, m->middle[1] /= n, m->ground /= n;
  const double x = m->foot[last][0] - m->foot[first][0], y = m->foot[last][1] - m->foot[first][1],
               size = hypot(x, y);
  m->across[0] = n == 2 ? -y / size : 0, m->across[1] = n == 2 ? x / size : 0;
  /* the robot falls as one body: (m h^2 + I) phi'' = m g h phi */
  const double h = fmax(m->com[2] - m->ground, 1e-3), *I = m->p->inertia;
  const double c = cos(m->yaw), t = sin(m->yaw),
               axis[2] = {c * m->across[1] - t * m->across[0], -t * m->across[1] - c * m->across[0]};
  const double own = I[0] * axis[0] * axis[0] + 2 * I[1] * axis[0] * axis[1] + I[4] * axis[1] * axis[1];
  m->tau = sqrt((h + own / h) / m->p->gravity);
  const double s = m->dt / m->tau;
  m->growth = 1 + 0.5 * s * s + s * sqrt(1 + 0.25 * s * s);
  m->lead = m->dt / (m->growth - 1);
}

/* ---- the plan of the trunk ---- */

static void move_plan(moment *m)
{
  const pki_stride_plan *p = m->p;
  pki_stride *s = m->s;
  const double dt = m->dt;
  if (m->changes) {
    memcpy(s->pos, m->trunk.pos, sizeof s->pos);
    memcpy(s->rot, m->trunk.rot, sizeof s->rot);
    for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
      if (m->stands[i] != (s->stands[i] != 0) || s->begun == 0) {
        memcpy(s->at[i], m->foot[i], sizeof s->at[i]);
        if (m->stands[i] && !on_ground(m, i)) {
          s->at[i][2] = m->ground + p->radius[i];
        }
      }
    }
  }
  double level[9], apart[9], turn[3], Q[9];
  about_z(atan2(s->rot[3], s->rot[0]) + dt * p->turn, level);
  multiply_transposed(level, s->rot, apart);
  log_so3(apart, turn);
  const double part = fmin(1, dt / settle_attitude);
  for (int k = 0; k < 3; k++) {
    turn[k] *= part;
  }
  exp_so3(turn, Q);
  multiply(Q, s->rot, s->rot);
  s->pos[0] += dt * m->velocity[0], s->pos[1] += dt * m->velocity[1];
  double target = m->ground;
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    target += p->radius[i] / PKI_STRIDE_LEGS;
  }
  s->pos[2] += (target + p->height - s->pos[2]) * fmin(1, dt / settle_height);
}

/* Where the trunk will be at the end of the step: with the plan, and tilted about the line of its feet as a pendulum tilts. */
static void foresee(moment *m)
{
  const pki_stride *s = m->s;
  const double h = m->com[2] - m->ground;
  const double x = (m->com[0] - m->middle[0]) * m->across[0] + (m->com[1] - m->middle[1]) * m->across[1];
  const double v = m->com_vel[0] * m->across[0] + m->com_vel[1] * m->across[1];
  const double planned = m->velocity[0] * m->across[0] + m->velocity[1] * m->across[1];
  const double end = v + m->dt * x / (m->tau * m->tau), fall = m->dt * (end - planned);
  const double w[3] = {-fall / h * m->across[1], fall / h * m->across[0], 0}; /* z x across */
  double Q[9];
  exp_so3(w, Q);
  multiply(Q, m->trunk.rot, m->ahead.rot);
  (void)s;
  for (int k = 0; k < 2; k++) {
    m->ahead.pos[k] =
        m->trunk.pos[k] + m->dt * m->velocity[k] + fall * m->across[k] * (m->trunk.pos[2] - m->ground) / h;
  }
  m->ahead.pos[2] = m->trunk.pos[2] + (s->pos[2] - m->trunk.pos[2]) * 0 + 0;
}

/* ---- footholds ---- */

/* Where the foot of a leg should land, its centre. */
static void foothold(const moment *m, int leg, double out[3])
{
  const pki_stride_plan *p = m->p;
  const double half = 0.5 * p->cycle, grown = pow(m->growth, m->left / m->dt);
  const double behind = half / (pow(m->growth, half / m->dt) - 1);
  const double along[2] = {m->across[1], -m->across[0]};
  double x = 0, v = 0, y = 0, va = 0, vd = 0, wd = 0;
  for (int k = 0; k < 2; k++) {
    x += (m->com[k] - m->middle[k]) * m->across[k], v += m->com_vel[k] * m->across[k];
    y += (m->com[k] - m->middle[k]) * along[k], va += m->com_vel[k] * along[k];
    vd += m->velocity[k] * m->across[k], wd += m->velocity[k] * along[k];
  }
  const double to_across = (x + m->lead * v) * grown - behind * vd;
  const double to_along = y + (m->left + m->lead) * va - behind * wd;
  const double yaw = m->yaw + p->turn * m->left, c = cos(yaw), s = sin(yaw);
  for (int k = 0; k < 2; k++) {
    out[k] = m->middle[k] + to_across * m->across[k] + to_along * along[k];
  }
  double home[2] = {p->home[leg][0], p->home[leg][1]};
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    home[0] -= p->home[i][0] / PKI_STRIDE_LEGS, home[1] -= p->home[i][1] / PKI_STRIDE_LEGS;
  }
  out[0] += c * home[0] - s * home[1];
  out[1] += s * home[0] + c * home[1];
  out[2] = m->ground + p->radius[leg];
}

/* ---- consistent references ---- */

/* The foot of a leg stands: its ball rolls on the ground as the shank turns. */
static void stand_on(moment *m, int leg, double *angles)
{
  const pki_stride_plan *p = m->p;
  const pk_pose trunk = {.pos = {m->s->pos[0], m->s->pos[1], m->s->pos[2]}};
  pk_pose plan = trunk;
  memcpy(plan.rot, m->s->rot, sizeof plan.rot);
  enum { ROUNDS = 12 };
  double place[3], shank[9], turn[9], theta[3];
  memcpy(place, m->s->at[leg], sizeof place);
  for (int round = 0; round < ROUNDS; round++) {
    bend_leg(p, leg, &plan, place, angles);
    const pk_pose foot = pk_leg_foot(&p->legs[leg], angles);
    multiply(plan.rot, foot.rot, shank);
    multiply_transposed(shank, m->s->shank[leg], turn);
    log_so3(turn, theta); /* radius theta x z */
    place[0] = m->s->at[leg][0] + p->radius[leg] * theta[1];
    place[1] = m->s->at[leg][1] - p->radius[leg] * theta[0];
  }
}

/* The foot of a leg is on its way. */
static void swing_to(moment *m, int leg, double *angles)
{
  const pki_stride_plan *p = m->p;
  const double half = 0.5 * p->cycle, at = fmin(fmax((m->since + m->dt) / half, 0), 1), part = smooth_way(at);
  double target[3], place[3];
  foothold(m, leg, target);
  for (int k = 0; k < 3; k++) {
    place[k] = m->s->at[leg][k] + part * (target[k] - m->s->at[leg][k]);
  }
  place[2] += 16 * p->lift * at * at * (1 - at) * (1 - at);
  bend_leg(p, leg, &m->ahead, place, angles);
}

/* ---- sinusoids ---- */

static void follow_sinusoid(moment *m, int leg, double *angles)
{
  const pki_stride_plan *p = m->p;
  const double half = 0.5 * p->cycle, v = hypot(m->velocity[0], m->velocity[1]);
  const double phase = 3.14159265358979323846 * ((m->since + m->dt) / half + (m->stands[leg] ? 0 : 1));
  const double at = fmin(fmax((m->since + m->dt) / half, 0), 1), part = smooth_way(at);
  double *const shift = m->s->shift[leg];
  double moved[3], ahead[3], shifted[PK_LEG_HINGES], forth[PK_LEG_HINGES], up[PK_LEG_HINGES];
  /* the foothold of the sinusoid is a quarter of a stride ahead of the stance */
  if (!m->stands[leg]) {
    double target[3];
    foothold(m, leg, target);
    const double c = cos(m->yaw), s = sin(m->yaw);
    const double base[2] = {m->trunk.pos[0] + m->left * m->com_vel[0],
                            m->trunk.pos[1] + m->left * m->com_vel[1]};
    const double ox = target[0] - base[0], oy = target[1] - base[1];
    const double to[2] = {c * ox + s * oy - p->home[leg][0] - v * p->cycle / 4,
                          -s * ox + c * oy - p->home[leg][1]};
    for (int k = 0; k < 2; k++) {
      m->s->toward[leg][k] = fmin(fmax(to[k], -0.12), 0.12);
    }
  } else {
    memcpy(shift, m->s->toward[leg], sizeof m->s->toward[leg]);
  }
  const double now[2] = {m->stands[leg] ? shift[0] : shift[0] + part * (m->s->toward[leg][0] - shift[0]),
                         m->stands[leg] ? shift[1] : shift[1] + part * (m->s->toward[leg][1] - shift[1])};
  const pk_pose unit = {.rot = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  memcpy(shifted, p->stance[leg], sizeof shifted);
  memcpy(forth, p->stance[leg], sizeof forth);
  memcpy(up, p->stance[leg], sizeof up);
  memcpy(moved, p->home[leg], sizeof moved);
  moved[0] += now[0], moved[1] += now[1];
  bend_leg(p, leg, &unit, moved, shifted);
  memcpy(ahead, p->home[leg], sizeof ahead);
  ahead[2] += 0.5 * p->lift;
  bend_leg(p, leg, &unit, ahead, up);
  const double angle = atan(v * p->cycle / 4 / p->height);
  ahead[2] = p->home[leg][2];
  for (int k = 0; k < 3; k++) {
    angles[k] = shifted[k];
  }
  /* the whole leg turns about its second hinge, which turns it forward against its axis */
  angles[1] += (p->legs[leg].axis[1][1] > 0 ? -1 : 1) * angle * cos(phase);
  angles[2] += (up[2] - p->stance[leg][2]) * -sin(phase);
}

/* ---- all ---- */

/* What a foot that stands is remembered by: where it is planned to be, and its shank. */
static void keep_foot(moment *m, int leg, const double *angles)
{
  const pki_stride_plan *p = m->p;
  const pk_pose foot = pk_leg_foot(&p->legs[leg], angles);
  pki_mat3_apply(m->s->rot, foot.pos, m->s->at[leg]);
  for (int k = 0; k < 3; k++) {
    m->s->at[leg][k] += m->s->pos[k];
  }
  multiply(m->s->rot, foot.rot, m->s->shank[leg]);
}

void pki_stride_update(const pki_stride_plan *plan, pki_stride *s, const pk_observation *seen,
                       pki_stride_goal *goal)
{
  moment m = {.p = plan, .s = s, .seen = seen, .dt = seen->dt};
  look(&m);
  tell_time(&m);
  find_support(&m);
  const bool fresh = m.changes, begun = s->begun != 0;
  bool was[PKI_STRIDE_LEGS];
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    was[i] = s->stands[i] != 0 && begun;
    if (m.stands[i] && !was[i]) {
      const pk_pose link = pk_link_pose(seen->workspace, plan->legs[i].link);
      memcpy(s->shank[i], link.rot, sizeof link.rot);
    }
  }
  move_plan(&m);
  foresee(&m);
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    double angles[PK_LEG_HINGES];
    pk_leg_get(&plan->legs[i], seen->q, angles);
    if (!begun || (fresh && m.stands[i] != was[i])) {
      memcpy(s->last[i], angles, sizeof angles);
    }
    if (plan->kind == PKI_STRIDE_SINUSOIDS && seen->time + 0.5 * m.dt >= plan->start) {
      follow_sinusoid(&m, i, angles);
    } else if (m.stands[i]) {
      stand_on(&m, i, angles);
      keep_foot(&m, i, angles);
    } else {
      swing_to(&m, i, angles);
    }
    for (int k = 0; k < plan->legs[i].nhinge; k++) {
      goal->q[i][k] = angles[k];
      goal->u[i][k] = (angles[k] - s->last[i][k]) / m.dt;
      s->last[i][k] = angles[k];
    }
    goal->stands[i] = m.stands[i];
    s->stands[i] = m.stands[i];
  }
  s->begun = 1;
}
