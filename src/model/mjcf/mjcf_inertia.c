/* The joint-space inertia at the reference pose, where every joint is at its reference: what dampratio and springdamper
 * are relative to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/inertia.h"
#include "model/mjcf/mjcf.h"
#include "model/pose.h"

/* Most velocities of a robot whose matrix is inverted for springdamper. */
enum { SPEED_MAX = 500 };

/* Whether a body moves with a joint's body. */
static bool hangs_on(const pki_mjcf *m, int body, int on)
{
  while (body > on) { /* whoever carries a body comes before it */
    body = m->bodies[body].parent;
  }
  return body == on;
}

/* Each body with all that hang on it, in ten numbers in the world's frame: computed once, from the leaves on. */
static const double *sum_tree(pki_mjcf *m, int body)
{
  if (m->tree_sums == NULL) {
    m->tree_sums = pki_mjcf_alloc(m, (size_t)m->nbody * 10 * sizeof *m->tree_sums);
    for (int i = m->nbody - 1; i > 0 && m->tree_sums != NULL; i--) {
      double *sum = m->tree_sums + 10 * (size_t)i, *parent = m->tree_sums + 10 * (size_t)m->bodies[i].parent;
      pki_inertia_add(sum, &m->bodies[i].inertia, &m->bodies[i].world);
      for (int k = 0; k < 10; k++) {
        parent[k] += sum[k];
      }
    }
  }
  return m->tree_sums != NULL ? m->tree_sums + 10 * (size_t)body : NULL;
}

/* Angular velocity, and the linear velocity of what is at the world's origin, for one unit of a velocity of a joint. */
static void joint_motion(const pki_mjcf *m, const pki_mjcf_joint *j, int k, double angular[3],
                         double linear[3])
{
  const pk_pose *body = &m->bodies[j->body].world;
  double axis[3] = {0, 0, 0}, anchor[3];
  pki_mat3_apply(body->rot, j->pos, anchor);
  pki_along3(anchor, 1, body->pos, anchor);
  if (j->kind == PKI_MJCF_SLIDE || j->kind == PKI_MJCF_HINGE) {
    pki_mat3_apply(body->rot, j->axis, axis);
  } else {
    axis[k % 3] = 1;
  }
  const bool slides = j->kind == PKI_MJCF_SLIDE || (j->kind == PKI_MJCF_FREE && k < 3);
  memset(angular, 0, 3 * sizeof *angular);
  if (slides) {
    memcpy(linear, axis, sizeof axis);
  } else {
    memcpy(angular, axis, sizeof axis);
    pki_cross3(anchor, axis, linear);
  }
}

/* Momentum of ten numbers of inertia that move so: linear, and angular about the origin. */
static void momentum(const double I[10], const double angular[3], const double linear[3], double p[3],
                     double L[3])
{
  double turn[3], arm[3];
  const double moment[9] = {I[4], I[5], I[6], I[5], I[7], I[8], I[6], I[8], I[9]};
  pki_cross3(angular, I + 1, turn);
  pki_cross3(I + 1, linear, arm);
  pki_mat3_apply(moment, angular, L);
  for (int i = 0; i < 3; i++) {
    p[i] = I[0] * linear[i] + turn[i];
    L[i] += arm[i];
  }
}

double pki_mjcf_joint_mass(pki_mjcf *m, int joint)
{
  const pki_mjcf_joint *j = &m->joints[joint];
  double angular[3], linear[3], p[3], L[3];
  const double *I = sum_tree(m, j->body);
  if (I == NULL) {
    return 0; /* without memory */
  }
  joint_motion(m, j, 0, angular, linear);
  momentum(I, angular, linear, p, L);
  return pki_dot3(p, linear) + pki_dot3(L, angular) + j->armature;
}

/* One velocity of a robot. */
typedef struct speed {
  int joint, k;
  double angular[3], linear[3], p[3], L[3];
} speed;

static const int counts[] = {
    [PKI_MJCF_FREE] = 6, [PKI_MJCF_BALL] = 3, [PKI_MJCF_SLIDE] = 1, [PKI_MJCF_HINGE] = 1};

static int list_speeds(pki_mjcf *m, int robot, speed *out)
{
  int count = 0;
  for (int i = 0; i < m->njoint; i++) {
    const pki_mjcf_joint *j = &m->joints[i];
    if (m->bodies[j->body].robot != robot) {
      continue;
    }
    const double *I = sum_tree(m, j->body);
    for (int k = 0; I != NULL && k < counts[j->kind] && count < SPEED_MAX; k++, count++) {
      speed *s = &out[count];
      *s = (speed){.joint = i, .k = k};
      joint_motion(m, j, k, s->angular, s->linear);
      momentum(I, s->angular, s->linear, s->p, s->L);
    }
  }
  return count;
}

/* Row by row: the inertia that both velocities move is that of the body farther out. */
static void fill_matrix(const pki_mjcf *m, const speed *s, int n, double *M)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k <= i; k++) {
      const int outer = m->joints[s[i].joint].body, inner = m->joints[s[k].joint].body;
      const bool both = hangs_on(m, outer, inner);
      const double value = both ? pki_dot3(s[i].p, s[k].linear) + pki_dot3(s[i].L, s[k].angular) : 0;
      M[i * n + k] = M[k * n + i] = value + (i == k ? m->joints[s[i].joint].armature : 0);
    }
  }
}

/* The inverse of a symmetric, positive definite matrix in its place (Gauss-Jordan). */
static void invert(double *M, int n)
{
  for (int k = 0; k < n; k++) {
    double *pivot = M + (size_t)k * (size_t)n;
    const double scale = 1 / pivot[k];
    pivot[k] = 1;
    for (int column = 0; column < n; column++) {
      pivot[column] *= scale;
    }
    for (int i = 0; i < n; i++) {
      double *row = M + (size_t)i * (size_t)n;
      const double factor = i != k ? row[k] : 0;
      row[k] = i != k ? 0 : row[k];
      for (int column = 0; column < n && factor != 0; column++) {
        row[column] -= factor * pivot[column];
      }
    }
  }
}

static bool wants_spring(const pki_mjcf_joint *j)
{
  return j->spring_damper[0] > 0 && j->kind >= PKI_MJCF_SLIDE;
}

/* Stiffness and damping of springs whose mass is what the joint feels when all others of the robot are free. */
static void resolve_robot(pki_mjcf *m, int robot)
{
  speed *s = malloc(SPEED_MAX * sizeof *s);
  const int n = s != NULL ? list_speeds(m, robot, s) : 0;
  double *M = n > 0 ? malloc((size_t)n * (size_t)n * sizeof *M) : NULL;
  m->no_memory |= M == NULL;
  if (M != NULL) {
    fill_matrix(m, s, n, M);
    invert(M, n);
  }
  for (int i = 0; M != NULL && i < n; i++) {
    pki_mjcf_joint *j = &m->joints[s[i].joint];
    if (wants_spring(j)) {
      const double mass = 1 / M[i * n + i], time = j->spring_damper[0], ratio = j->spring_damper[1];
      j->stiffness = m->off.springs ? 0 : mass / (time * time * ratio * ratio);
      j->damping = m->off.dampers ? 0 : 2 * mass / time;
    }
  }
  free(s), free(M);
}

void pki_mjcf_resolve_springs(pki_mjcf *m)
{
  int *speeds = pki_mjcf_alloc(m, ((size_t)m->nrobot + 1) * sizeof *speeds);
  for (int i = 0; speeds != NULL && i < m->njoint; i++) {
    speeds[m->bodies[m->joints[i].body].robot] += counts[m->joints[i].kind];
  }
  for (int i = 0; speeds != NULL && i < m->njoint; i++) {
    const pki_mjcf_joint *j = &m->joints[i];
    const int robot = m->bodies[j->body].robot;
    if (!wants_spring(j) || speeds[robot] == 0) {
      continue;
    }
    if (speeds[robot] > SPEED_MAX) {
      pki_mjcf_error(
          m, j->node, "springdamper", PK_ERROR_LIMIT,
          "springdamper in a tree of %d velocities, expected at most %d: give stiffness and damping",
          speeds[robot], SPEED_MAX);
    } else {
      resolve_robot(m, robot);
    }
    speeds[robot] = 0; /* it is done */
  }
}
