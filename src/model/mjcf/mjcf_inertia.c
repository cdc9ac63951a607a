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

/* All bodies that hang on one, in ten numbers in the world's frame. */
static void sum_tree(const pki_mjcf *m, int on, double sum[10])
{
  memset(sum, 0, 10 * sizeof *sum);
  for (int i = on; i < m->nbody; i++) {
    if (hangs_on(m, i, on)) {
      pki_inertia_add(sum, &m->bodies[i].inertia, &m->bodies[i].world);
    }
  }
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

double pki_mjcf_joint_mass(const pki_mjcf *m, int joint)
{
  const pki_mjcf_joint *j = &m->joints[joint];
  double I[10], angular[3], linear[3], p[3], L[3];
  sum_tree(m, j->body, I);
  joint_motion(m, j, 0, angular, linear);
  momentum(I, angular, linear, p, L);
  return pki_dot3(p, linear) + pki_dot3(L, angular) + j->armature;
}

/* One velocity of a robot. */
typedef struct speed {
  int joint, k;
  double angular[3], linear[3], p[3], L[3];
} speed;

static int list_speeds(const pki_mjcf *m, int robot, speed *out)
{
  static const int counts[] = {
      [PKI_MJCF_FREE] = 6, [PKI_MJCF_BALL] = 3, [PKI_MJCF_SLIDE] = 1, [PKI_MJCF_HINGE] = 1};
  int count = 0;
  for (int i = 0; i < m->njoint; i++) {
    const pki_mjcf_joint *j = &m->joints[i];
    if (m->bodies[j->body].robot != robot) {
      continue;
    }
    double I[10];
    sum_tree(m, j->body, I);
    for (int k = 0; k < counts[j->kind] && count < SPEED_MAX; k++, count++) {
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

/* Element i, i of the inverse of M, which is destroyed: the last pivot when row i is eliminated last. */
static double inverse_at(double *M, int n, int i)
{
  for (int step = 0; step < n; step++) {
    const int pivot = (i + 1 + step) % n; /* i comes last */
    if (pivot == i) {
      break;
    }
    for (int row = 0; row < n; row++) {
      const bool later = (row - i - 1 + 2 * n) % n > (pivot - i - 1 + 2 * n) % n;
      const double a = later ? M[row * n + pivot] / M[pivot * n + pivot] : 0;
      for (int column = 0; column < n && a != 0; column++) {
        M[row * n + column] -= a * M[pivot * n + column];
      }
    }
  }
  return 1 / M[i * n + i];
}

/* Stiffness and damping of a spring whose mass is what the joint feels when all others are free. */
static void resolve_spring(pki_mjcf *m, int joint, const speed *s, int n, const double *M, double *work)
{
  pki_mjcf_joint *j = &m->joints[joint];
  for (int i = 0; i < n; i++) {
    if (s[i].joint != joint) {
      continue;
    }
    memcpy(work, M, (size_t)n * (size_t)n * sizeof *work);
    const double mass = 1 / inverse_at(work, n, i), time = j->spring_damper[0], ratio = j->spring_damper[1];
    j->stiffness = m->off.springs ? 0 : mass / (time * time * ratio * ratio);
    j->damping = m->off.dampers ? 0 : 2 * mass / time;
    return;
  }
}

void pki_mjcf_resolve_springs(pki_mjcf *m)
{
  for (int robot = 0; robot < m->nrobot; robot++) {
    bool wanted = false;
    for (int i = 0; i < m->njoint; i++) {
      const pki_mjcf_joint *j = &m->joints[i];
      wanted |= m->bodies[j->body].robot == robot && j->spring_damper[0] > 0 && j->kind >= PKI_MJCF_SLIDE;
    }
    speed *s = wanted ? malloc(SPEED_MAX * sizeof *s) : NULL;
    const int n = s != NULL ? list_speeds(m, robot, s) : 0;
    double *M = n > 0 ? malloc(2 * (size_t)n * (size_t)n * sizeof *M) : NULL;
    if (M != NULL) {
      fill_matrix(m, s, n, M);
    }
    for (int i = 0; M != NULL && i < m->njoint; i++) {
      const pki_mjcf_joint *j = &m->joints[i];
      if (m->bodies[j->body].robot == robot && j->spring_damper[0] > 0 && j->kind >= PKI_MJCF_SLIDE) {
        resolve_spring(m, i, s, n, M, M + (size_t)n * (size_t)n);
      }
    }
    m->no_memory |= wanted && M == NULL;
    free(s), free(M);
  }
}
