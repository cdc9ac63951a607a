/* Forces of the feet that stand, torques of all joints.
 *
 * The trunk should accelerate as in the motion and back to it (p, R: place and axes of the trunk; v, w: its velocities; w_0 =
 * trunk sqrt(g/h), z = trunk_damping):
 *
 *   dv/dt = dv_ref/dt + w_0^2 (p_ref - p) + 2 z w_0 (v_ref - v)                  vertical
 *   dv/dt = dv_ref/dt + w^2 (e - d)                                               horizontal, by follow_balance.c
 *   dw/dt = dw_ref/dt + w_0^2 log(R' R_ref) + 2 z w_0 (R' R_ref w_ref - w)
 *
 * joints of legs that stand so that their feet stay, the others as in the motion and back to it. The dynamics of the whole robot then ask
 * for a force F and a moment N about the mass, and the feet that stand give the nearest that their cones allow,
 *
 *   min |W ((F, N) - sum (f, (x - c) x f))|^2 + e |f - f_ref|^2,   |f_T| <= mu f_N, f_N >= 0
 *
 * (a cone program; Gehring et al. 2013 share a virtual wrench alike). On two feet the moment about the line through them cannot be
 * chosen: height, attitude and the way of the mass count alike, and what is missed of them is for the next foothold. What is missing accelerates the trunk by its
 * composite inertia, and torques are those of that motion: tau = M a + h - J' f. */
#include <math.h>
#include <string.h>

#include "actuation/actuation.h"
#include "control/effort.h"
#include "gait/follow.h"
#include "math/mat3.h"
#include "math/rotation.h"

/* Weights of force along x, y, z and of moments about the trunk's x, y, z. */
static const double weights[6] = {1, 1, 1, 1, 1, 0.5};
static const double inside = 0.95;         /* of the friction of contacts, where none is given */
static const double stance_damping = 0.02; /* h, of accelerations that keep feet at rest */
static const double closeness = 1e-2;      /* of forces to those of the motion, root of their weight */

/* A point at which a foot stands. */
typedef struct contact_point {
  int foot;
  double arm[3];     /* m, from the middle of the foot, world */
  double axes[3][3]; /* normal and two tangents */
} contact_point;

typedef struct stance {
  int count;
  contact_point points[PKI_FOLLOW_POINTS];
} stance;

/* ---- wanted accelerations ---- */

static void find_trunk_acceleration(pki_follow_now *now)
{
  const pki_follow *c = now->c;
  const pki_whole_motion_point *want = &now->want;
  const double *u = now->seen->u + c->u, w0 = c->options.trunk * c->pace, stiff = w0 * w0,
               damp = 2 * c->options.trunk_damping * w0;
  double turn[9], back[9], error[3], spin[3], change[3];
  pki_mat3_transpose(now->rot, back);
  pki_mat3_mul(back, want->rot, turn);
  pki_rotation_log(turn, error);
  pki_mat3_apply(turn, want->turn_rate, spin);
  pki_mat3_apply(turn, want->acceleration + 3, change);
  for (int k = 0; k < 3; k++) {
    now->trunk[k] = want->acceleration[k];
    now->trunk[k] +=
        k < 2 ? now->push[k]
              : stiff * (want->place[2] + now->s->ground - now->place[2]) + damp * (want->velocity[2] - u[2]);
    now->trunk[3 + k] = change[k] + stiff * error[k] + damp * (spin[k] - u[3 + k]);
  }
}

static void joint_gains(const pki_follow *c, int k, double *kp, double *kd)
{
  const double w0 = c->options.joints * c->pace;
  *kp = w0 * w0 * c->inertia[k];
  *kd = 2 * c->options.joints_damping * w0 * c->inertia[k];
}

/* Accelerations of the joints of a leg that keep its foot where it stands. */
static void hold_foot(const pki_follow_now *now, int f, double *a)
{
  const pki_follow *c = now->c;
  const pki_follow_foot *foot = &c->feet[f];
  const int nu = now->seen->model->nu;
  const double *J = pki_follow_jacobian(now, f), *bias = now->bias + 6 * (size_t)f;
  double missing[6], change[PKI_FOLLOW_LEG];
  for (int i = 0; i < 6; i++) {
    missing[i] = -bias[i];
    for (int k = 0; k < 6; k++) {
      missing[i] -= J[i * nu + c->u + k] * a[c->u + k];
    }
    for (int k = 0; k < foot->joints; k++) {
      missing[i] -= J[i * nu + c->motion.dof[foot->joint[k]]] * a[c->motion.dof[foot->joint[k]]];
    }
  }
  pki_follow_leg_solve(now, f, J, missing, stance_damping, change);
  for (int k = 0; k < foot->joints; k++) {
    a[c->motion.dof[foot->joint[k]]] += change[k];
  }
}

/* a for a trunk's acceleration. */
static void set_accelerations(const pki_follow_now *now, const double trunk[6])
{
  const pki_follow *c = now->c;
  const pk_model *m = now->seen->model;
  const double w0 = c->options.joints * c->pace;
  double *const a = now->a;
  memset(a, 0, (size_t)m->nu * sizeof *a);
  memcpy(a + c->u, trunk, 6 * sizeof *a);
  for (int k = 0; k < c->motion.joints; k++) {
    const int dof = c->motion.dof[k];
    a[dof] = now->want.a[k] + now->lead[k] + w0 * w0 * (now->q[k] - now->seen->q[m->dof_q[dof]]) +
             2 * c->options.joints_damping * w0 * (now->u[k] - now->seen->u[dof]);
  }
  for (int f = 0; f < c->motion.feet; f++) {
    if (now->s->feet[f].mode == PKI_FOLLOW_STANCE) {
      hold_foot(now, f, a);
    }
  }
}

/* ---- forces ---- */

static void set_axes(const double normal[3], double axes[3][3])
{
  const int least = fabs(normal[0]) < 0.7 ? 0 : 1;
  double along[3] = {0, 0, 0};
  along[least] = 1;
  memcpy(axes[0], normal, sizeof axes[0]);
  pki_along3(along, -pki_dot3(along, normal), normal, axes[1]);
  const double size = pki_length3(axes[1]);
  for (int k = 0; k < 3; k++) {
    axes[1][k] /= size;
  }
  pki_cross3(axes[0], axes[1], axes[2]);
}

/* Points of the feet that stand. Jacobians of balls become those of the points below. */
static void list_points(const pki_follow_now *now, stance *out)
{
  const pki_follow *c = now->c;
  const int nu = now->seen->model->nu;
  out->count = 0;
  for (int f = 0; f < c->motion.feet; f++) {
    const pki_whole_foot *sole = &c->feet[f].sole;
    const double *normal = now->s->feet[f].normal;
    if (now->s->feet[f].mode != PKI_FOLLOW_STANCE) {
      continue;
    }
    if (sole->radius > 0) {
      double *J = pki_follow_jacobian(now, f), *bias = now->bias + 6 * (size_t)f;
      const double arm[3] = {-sole->radius * normal[0], -sole->radius * normal[1], -sole->radius * normal[2]};
      for (int k = 0; k <= nu; k++) {
        double *at = k < nu ? J + k : bias;
        const int pitch = k < nu ? nu : 1;
        const double turn[3] = {at[0], at[pitch], at[2 * pitch]};
        double cross[3];
        pki_cross3(turn, arm, cross);
        for (int i = 0; i < 3; i++) {
          at[(3 + i) * pitch] += cross[i];
        }
      }
    }
    for (int p = 0; p < sole->npoint; p++) {
      contact_point *point = &out->points[out->count++];
      double in[3];
      point->foot = f;
      pki_sub3(sole->point[p], sole->middle, in);
      pki_mat3_apply(now->feet[f].rot, in, point->arm);
      set_axes(normal, point->axes);
    }
  }
}

/* Where a point is, world. */
static void point_place(const pki_follow_now *now, const contact_point *p, double out[3])
{
  pki_along3(now->feet[p->foot].at, 1, p->arm, out);
  pki_along3(out, -now->c->feet[p->foot].sole.radius, p->axes[0], out);
}

/* Acceleration by a force and a moment about the mass (trunk's axes), weighted: of a rotation that at the radius of gyration. */
static void weigh_wrench(const pki_follow *c, const double force[3], const double moment[3], double out[6])
{
  for (int k = 0; k < 3; k++) {
    out[k] = weights[k] * force[k] / c->mass;
    out[3 + k] = weights[3 + k] * moment[k] / (c->mass * c->gyration[k]);
  }
}

/* A force and a moment about the trunk's origin, with the moment about the mass instead; trunk's axes. */
static void move_moment(const pki_follow_now *now, const double root[6], double moment[3])
{
  double arm[3], cross[3];
  pki_sub3(now->mass, now->place, arm);
  pki_cross3(arm, root, cross);
  pki_mat3_apply_transposed(now->rot, cross, cross);
  pki_sub3(root + 3, cross, moment);
}

/* The force of a point in the motion, along its axes. */
static void planned_force(const pki_follow_now *now, const contact_point *p, double out[3])
{
  const double *force = now->want.force[p->foot], c = cos(now->heading), s = sin(now->heading);
  const double turned[3] = {c * force[0] - s * force[1], s * force[0] + c * force[1], force[2]};
  for (int e = 0; e < 3; e++) {
    out[e] = pki_dot3(turned, p->axes[e]) / now->c->feet[p->foot].sole.npoint;
  }
}

/* The forces that come nearest to what the dynamics ask of the trunk. */
static void share_forces(pki_follow_now *now, const stance *on, const double root[6])
{
  const pki_follow *c = now->c;
  const int n = 3 * on->count;
  double B[PKI_FOLLOW_FORCES][6], target[6], moment[3];
  const double keep = closeness * closeness / (c->mass * c->mass);
  move_moment(now, root, moment);
  weigh_wrench(c, root, moment, target);
  for (int i = 0; i < on->count; i++) {
    const contact_point *p = &on->points[i];
    double at[3], arm[3];
    point_place(now, p, at);
    pki_sub3(at, now->mass, arm);
    for (int e = 0; e < 3; e++) {
      double cross[3];
      pki_cross3(arm, p->axes[e], cross);
      pki_mat3_apply_transposed(now->rot, cross, cross);
      weigh_wrench(c, p->axes[e], cross, B[3 * i + e]);
    }
    now->friction[i] =
        c->options.friction > 0 ? c->options.friction : inside * now->s->feet[p->foot].friction;
    now->limit[i] = INFINITY;
  }
  for (int i = 0; i < n; i++) {
    double planned[3];
    planned_force(now, &on->points[i / 3], planned);
    now->g[i] = -keep * planned[i % 3];
    for (int e = 0; e < 6; e++) {
      now->g[i] -= B[i][e] * target[e];
    }
    for (int k = i; k < n; k++) {
      double sum = i == k ? keep : 0;
      for (int e = 0; e < 6; e++) {
        sum += B[i][e] * B[k][e];
      }
      now->H[i * n + k] = sum;
    }
  }
  const pki_cone_program program = {
      .cones = on->count, .H = now->H, .g = now->g, .friction = now->friction, .limit = now->limit};
  const bool warm = now->s->warm && now->s->cones == on->count;
  pki_cone_result how;
  memcpy(now->x, now->s->force, sizeof now->s->force);
  c->cones->solve(&program, &warm, now->x, now->program, &how);
  now->s->warm = how.residual[0] <= PKI_CONE_PROGRAM_ACCURACY, now->s->cones = on->count;
  memcpy(now->s->force, now->x, (size_t)n * sizeof(double));
}

/* Joint forces of the feet's forces, taken from tau: tau -= J' f, of all rows, the trunk's among them. */
static void take_forces(const pki_follow_now *now, const stance *on)
{
  const int nu = now->seen->model->nu;
  for (int i = 0; i < on->count; i++) {
    const contact_point *p = &on->points[i];
    const double *J = pki_follow_jacobian(now, p->foot), *x = now->x + 3 * (size_t)i;
    double force[3], moment[3];
    for (int k = 0; k < 3; k++) {
      force[k] = x[0] * p->axes[0][k] + x[1] * p->axes[1][k] + x[2] * p->axes[2][k];
    }
    pki_cross3(p->arm, force, moment);
    for (int u = 0; u < nu; u++) {
      for (int k = 0; k < 3; k++) {
        now->tau[u] -= J[k * nu + u] * moment[k] + J[(3 + k) * nu + u] * force[k];
      }
    }
  }
}

/* ---- torques ---- */

/* x of M x = b, M the trunk's six rows of the mass matrix; b becomes x. */
static void solve_trunk(const pki_follow_now *now, double b[6])
{
  const int nu = now->seen->model->nu, u = now->c->u;
  double L[6][6];
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = now->M[(u + i) * nu + u + j];
      for (int k = 0; k < j; k++) {
        sum -= L[i][k] * L[j][k];
      }
      L[i][j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / L[j][j];
    }
    for (int k = 0; k < i; k++) {
      b[i] -= L[i][k] * b[k];
    }
    b[i] /= L[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    for (int k = i + 1; k < 6; k++) {
      b[i] -= L[k][i] * b[k];
    }
    b[i] /= L[i][i];
  }
}

/* Torques of the wanted accelerations as far as the feet give the forces for them. */
static void find_torques(pki_follow_now *now)
{
  const pki_follow *c = now->c;
  const pk_observation *seen = now->seen;
  double trunk[6];
  stance on;
  list_points(now, &on);
  memcpy(trunk, now->trunk, sizeof trunk);
  pk_mass_matrix(seen->workspace, seen->q, now->M);
  set_accelerations(now, trunk);
  pk_inverse_dynamics(seen->workspace, seen->q, seen->u, now->a, now->tau);
  share_forces(now, &on, now->tau + c->u);
  /* what the forces do not give the trunk, it does not do */
  for (int round = 0; round < 2; round++) {
    double missing[6];
    take_forces(now, &on);
    memcpy(missing, now->tau + c->u, sizeof missing);
    solve_trunk(now, missing);
    for (int k = 0; k < 6; k++) {
      trunk[k] -= missing[k];
    }
    set_accelerations(now, trunk);
    pk_inverse_dynamics(seen->workspace, seen->q, seen->u, now->a, now->tau);
  }
  take_forces(now, &on);
}

/* Whether a joint is of a leg that stands. */
static bool is_standing(const pki_follow_now *now, int joint)
{
  bool stands = false;
  for (int f = 0; f < now->c->motion.feet; f++) {
    const pki_follow_foot *foot = &now->c->feet[f];
    for (int k = 0; k < foot->joints && now->s->feet[f].mode == PKI_FOLLOW_STANCE; k++) {
      stands = stands || foot->joint[k] == joint;
    }
  }
  return stands;
}

/* The torque of springs beside the motor of a joint: what it need not do itself. */
static double parallel_springs(const pk_observation *seen, int dof, double q)
{
  const pk_actuation *a = seen->actuation;
  double tau = 0;
  for (int i = 0; a != NULL && i < a->count; i++) {
    const pk_actuator *own = &a->list[i].actuator;
    if (own->dof == dof && strcmp(own->kind->name, "parallel-spring") == 0) {
      const pk_parallel_spring_parameters *p = own->parameters;
      const double stretch = seen->actuator_states[a->list[i].state + 1] - p->radius * q;
      tau += p->both_ways || stretch < 0 ? p->radius * p->stiffness * stretch : 0;
    }
  }
  return tau;
}

/* Torques of the motion, joints by their gains alone. */
static void command_motion(const pki_follow_now *now, pk_command *commands)
{
  const pki_follow *c = now->c;
  for (int k = 0; k < c->motion.joints; k++) {
    const int dof = c->motion.dof[k];
    double kp, kd;
    joint_gains(c, k, &kp, &kd);
    commands[dof] =
        (pk_command){.tau = now->want.tau[k], .q_des = now->q[k], .u_des = now->u[k], .kp = kp, .kd = kd};
    pki_command_limit(&commands[dof], c->most[k]);
  }
}

void pki_follow_act(pki_follow_now *now, pk_command *commands)
{
  const pki_follow *c = now->c;
  const pk_observation *seen = now->seen;
  const pk_model *m = seen->model;
  if (!(c->options.trunk > 0)) {
    command_motion(now, commands);
    return;
  }
  find_trunk_acceleration(now);
  find_torques(now);
  for (int k = 0; k < c->motion.joints; k++) {
    const int dof = c->motion.dof[k];
    const bool stands = is_standing(now, k);
    const double q = seen->q[m->dof_q[dof]], u = seen->u[dof], next = u + now->dt * now->a[dof];
    double kp = 0, kd = c->damping;
    if (!stands) {
      joint_gains(c, k, &kp, &kd);
    }
    /* the gains act about where the joint is to be at the end of the step: they answer to what was not foreseen */
    commands[dof] = (pk_command){.q_des = now->q[k], .u_des = stands ? next : now->u[k], .kp = kp, .kd = kd};
    const double spring =
        (m->dof_stiffness[dof] > 0 ? m->dof_stiffness[dof] * (q - m->dof_spring_ref[dof]) : 0) -
        parallel_springs(seen, dof, q);
    commands[dof].tau = now->tau[dof] + m->dof_damping[dof] * next + spring -
                        kp * (now->q[k] - q - now->dt * next) - kd * (commands[dof].u_des - next);
    pki_command_limit(&commands[dof], c->most[k]);
  }
}
