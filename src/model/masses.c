/* Parts that cannot move.
 *
 * A joint can move when the inertia of what it moves is positive along its motion, everything that
 * hangs on it being free to give way. In a tree that is the articulated inertia, D = S' IA S > 0
 * (Featherstone 2008, section 7.3). Where followers share a velocity it is that velocity's pivot in
 * the factorisation of G' M G. Both are computed here at one configuration in general position: only
 * a part that cannot move anywhere fails there. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/compile.h"
#include "model/motion.h"

/* A pivot below this part of the inertia that the joint moves is rounding, not mass. */
static const double PIVOT_TOLERANCE = 1e-12;

/* A pivot below this has no useful inverse: forces of 1e15 would not be finite accelerations. */
static const double PIVOT_LEAST = DBL_MIN / DBL_EPSILON;

typedef struct articulated {
  double R[9], r[3];     /* pose in the world; offset from the parent's origin */
  double IA[36], IC[36]; /* articulated and composite inertia, world axes, body origin */
} articulated;

/* [I h~; h~' m 1] in world axes. */
static void spatial_inertia(const double inertia[10], const double R[9], double out[36])
{
  double I[6], h[3], full[9];
  pki_sym3_rotate(R, inertia + 4, I);
  pki_mat3_apply(R, inertia + 1, h);
  pki_mat3_from_sym(I, full);
  const double hx[9] = {0, -h[2], h[1], h[2], 0, -h[0], -h[1], h[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out[6 * i + j] = full[3 * i + j];
      out[6 * i + 3 + j] = hx[3 * i + j];
      out[6 * (3 + i) + j] = hx[3 * j + i];
      out[6 * (3 + i) + 3 + j] = i == j ? inertia[0] : 0;
    }
  }
}

/* to += X' from X, X the shift of motion vectors by r: (w, v) -> (w, v + w x r). */
static void add_shifted(const double from[36], const double r[3], double to[36])
{
  const double X[36] = {1, 0,    0,     0, 0, 0, 0,     1, 0,    0, 0, 0, 0,    0,     1, 0, 0, 0,
                        0, r[2], -r[1], 1, 0, 0, -r[2], 0, r[0], 0, 1, 0, r[1], -r[0], 0, 0, 0, 1};
  double T[36];
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) {
        sum += from[6 * i + k] * X[6 * k + j];
      }
      T[6 * i + j] = sum;
    }
  }
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      for (int k = 0; k < 6; k++) {
        to[6 * i + j] += X[6 * k + i] * T[6 * k + j];
      }
    }
  }
}

/* The coordinate of a body in general position; followers have their leader's. */
static double sample_coordinate(const pki_body *body)
{
  const double q = 0.3 + 1.7 * fmod(body->u * 0.6180339887498949, 1.0);
  return body->gain * (body->motion == PK_MOTION_PRISMATIC ? 0.1 * q : q) + body->offset;
}

static void place_body(const pki_body *body, const articulated *parent, articulated *out)
{
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double *Rp = parent ? parent->R : identity;
  const double q = sample_coordinate(body), c = cos(q), s = sin(q);
  double turn[9];
  memcpy(turn, identity, sizeof turn);
  const int k = body->axis, i = (k + 1) % 3, j = (k + 2) % 3;
  if (body->motion == PK_MOTION_REVOLUTE) {
    turn[4 * i] = turn[4 * j] = c, turn[3 * i + j] = -s, turn[3 * j + i] = s;
  }
  pki_mat3_mul(Rp, body->rot, out->R);
  pki_mat3_mul(out->R, turn, out->R);
  pki_mat3_apply(Rp, body->pos, out->r);
  for (int e = 0; e < 3 && body->motion == PK_MOTION_PRISMATIC; e++) {
    out->r[e] += q * out->R[3 * e + k];
  }
}

/* Columns of the motion subspace, world axes. */
static int motion_subspace(const pki_body *body, const double R[9], double S[6][6])
{
  memset(S, 0, 36 * sizeof(double));
  switch (body->motion) {
  case PK_MOTION_REVOLUTE:
  case PK_MOTION_PRISMATIC:
    for (int e = 0; e < 3; e++) {
      S[0][(body->motion == PK_MOTION_PRISMATIC ? 3 : 0) + e] = R[3 * e + body->axis];
    }
    return 1;
  default:
    for (int i = 0; i < 6; i++) {
      S[i][i] = 1;
    }
    return body->motion == PK_MOTION_SPHERICAL ? 3 : 6;
  }
}

/* ---- what is said ---- */

/* Where a velocity's joint stands, and what its messages begin with: the joint, or the root link. */
typedef struct subject {
  pki_where where;
  char name[128];
  const char *link; /* that it moves */
  const char *cut;  /* the joint whose cut freed it; NULL: none */
  bool is_root, is_led;
  bool is_heavy; /* the body that it moves has mass of its own */
} subject;

/* The joint whose cut freed the body that a velocity moves; -1: none. */
static int cut_of(const pki_draft *d, int u)
{
  for (int i = 0; i < d->nbody && d->ncut > 0; i++) {
    const pki_body *body = &d->bodies[i];
    if (body->cut >= 0 && u >= body->u && u < body->u + pki_motion_nu(body->motion)) {
      return body->cut;
    }
  }
  return -1;
}

static subject subject_of(const pki_draft *d, int u, int robot)
{
  const int joint = d->dof_joint[u], cut = cut_of(d, u);
  if (cut >= 0) {
    return (subject){.where = pki_joint_where(d, cut),
                     .link = d->b->joints[cut].desc.child,
                     .cut = d->b->joints[cut].desc.name};
  }
  if (joint < 0) {
    const int root = d->robot_root[robot];
    subject s = {.where = pki_link_where(d, root),
                 .link = d->b->links[root].desc.name,
                 .is_root = true,
                 .is_heavy = d->bodies[d->link_body[root]].inertia[0] > 0};
    snprintf(s.name, sizeof s.name, "free root \"%s\"", s.link);
    return s;
  }
  subject s = {.where = pki_joint_where(d, joint),
               .link = d->b->joints[joint].desc.child,
               .is_heavy = d->bodies[d->joint_body[joint]].inertia[0] > 0};
  for (int j = 0; j < d->b->njoint && !s.is_led; j++) {
    s.is_led = d->joint_leader[j] == joint;
  }
  snprintf(s.name, sizeof s.name, "joint \"%s\"", d->b->joints[joint].desc.name);
  return s;
}

/* Is D, left of C when all that can give way does, an inertia that a force can move? If not, say so. */
static bool check_pivot(pki_draft *d, int u, int robot, double D, double C)
{
  if (D > PIVOT_TOLERANCE * C && D >= PIVOT_LEAST && isfinite(C)) {
    return true;
  }
  const subject s = subject_of(d, u, robot);
  if (s.cut != NULL) {
    pki_builder_error(
        d->b, PK_ERROR_MASS, s.where,
        "link \"%s\" has too little mass or inertia of its own to move alone when joint \"%s\" is cut: "
        "give it more, or do not cut the joint",
        s.link, s.cut);
  } else if (!isfinite(C) || !isfinite(D)) {
    pki_builder_error(d->b, PK_ERROR_MASS, s.where,
                      "%s moves an inertia that is not finite: masses or distances beyond it are too large",
                      s.name);
  } else if (D > PIVOT_TOLERANCE * C) {
    pki_builder_error(d->b, PK_ERROR_MASS, s.where,
                      "%s moves an inertia of %g, too little to compute with: give link \"%s\" more mass",
                      s.name, D, s.link);
  } else if (s.is_root && s.is_heavy) {
    pki_builder_error(
        d->b, PK_ERROR_MASS, s.where,
        "link \"%s\" is a free root that has mass but no moments of inertia about some axis, so it "
        "cannot turn: give it moments, or fix the root",
        s.link);
  } else if (s.is_root) {
    pki_builder_error(d->b, PK_ERROR_MASS, s.where,
                      "link \"%s\" is a free root without mass or inertia: give it mass, or fix the root",
                      s.link);
  } else if (s.is_led && C > 0) {
    pki_builder_error(
        d->b, PK_ERROR_MASS, s.where,
        "%s and the joints that mimic it cancel: together they move nothing that has inertia; give link "
        "\"%s\" mass, or change a multiplier",
        s.name, s.link);
  } else if (s.is_heavy) {
    pki_builder_error(
        d->b, PK_ERROR_MASS, s.where,
        "%s turns a mass on its axis that has no moments of inertia about it: give link \"%s\" moments, "
        "or make the joint fixed",
        s.name, s.link);
  } else {
    pki_builder_error(
        d->b, PK_ERROR_MASS, s.where,
        "%s moves nothing that has inertia: give link \"%s\" or what hangs on it mass, or make the "
        "joint fixed",
        s.name, s.link);
  }
  return false;
}

/* ---- trees ---- */

/* Eliminate one direction from IA; D is the inertia along it, C that of all the joint carries. */
static void eliminate_direction(articulated *a, const double s[6], double armature, double *D, double *C)
{
  double U[6];
  *D = *C = armature;
  for (int i = 0; i < 6; i++) {
    U[i] = 0;
    for (int j = 0; j < 6; j++) {
      U[i] += a->IA[6 * i + j] * s[j];
      *C += s[i] * a->IC[6 * i + j] * s[j];
    }
  }
  for (int i = 0; i < 6; i++) {
    *D += s[i] * U[i];
  }
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      a->IA[6 * i + j] -= U[i] * (U[j] / *D);
    }
  }
}

/* Every joint from the leaves up to the first shared coordinate: true when all can move. A body with a
 * shared coordinate in its subtree hands on its inertia whole. */
static bool check_trees(pki_draft *d, const bool *shared, articulated *all)
{
  for (int i = d->nbody - 1; i >= 0; i--) {
    const pki_body *body = &d->bodies[i];
    double S[6][6];
    const int n = motion_subspace(body, all[i].R, S);
    for (int k = 0; k < n && !shared[i]; k++) {
      double D, C;
      eliminate_direction(&all[i], S[k], d->dof[PKI_DOF_ARMATURE * (size_t)d->nu + (size_t)(body->u + k)], &D,
                          &C);
      if (!check_pivot(d, body->u + k, body->robot, D, C)) {
        return false;
      }
    }
    if (body->parent >= 0) {
      add_shifted(all[i].IA, all[i].r, all[body->parent].IA);
    }
  }
  return true;
}

/* ---- followers ---- */

/* Work beyond this many products is not done before the first step, which then says what is wrong. */
static const double PRODUCTS_MAX = 4e9;

/* G' M G in the elimination plan, of the velocities that check_trees has left over. */
typedef struct reduced {
  double *M;   /* [nM] */
  double *all; /* [nu] the diagonal if nothing gave way or cancelled */
  int *robot;  /* [nu] -1: not left over */
} reduced;

/* Bodies with a leader or a follower in their subtree, themselves included. */
static void find_shared(const pki_draft *d, bool *shared)
{
  for (int i = 0; i < d->nbody; i++) {
    shared[i] = d->bodies[i].follows;
  }
  for (int j = 0; j < d->b->njoint; j++) {
    if (d->joint_leader[j] >= 0) {
      shared[d->joint_body[d->joint_leader[j]]] = true;
    }
  }
  for (int i = d->nbody - 1; i >= 0; i--) {
    if (shared[i] && d->bodies[i].parent >= 0) {
      shared[d->bodies[i].parent] = true;
    }
  }
}

/* The pair of velocities a, b. */
static double *mass_entry(const pki_draft *d, const reduced *m, int a, int b)
{
  return &m->M[pki_plan_find(d->M_row, d->M_col, d->plan_u[a], d->plan_u[b])];
}

/* One column of a body's force, f = IA s: its products with the body's motion and all ancestors'. */
static void add_column(const pki_draft *d, const articulated *all, int body, int k, const double s[6],
                       reduced *m)
{
  const pki_body *own = &d->bodies[body];
  const int u = own->u + k;
  double f[6], S[6][6];
  for (int i = 0; i < 6; i++) {
    f[i] = 0;
    for (int j = 0; j < 6; j++) {
      f[i] += own->gain * all[body].IA[6 * i + j] * s[j];
      m->all[u] += own->gain * own->gain * s[i] * all[body].IC[6 * i + j] * s[j];
    }
  }
  for (int at = body; at >= 0; at = d->bodies[at].parent) {
    const int n = motion_subspace(&d->bodies[at], all[at].R, S);
    for (int b = 0; b < (at == body ? k + 1 : n); b++) {
      const int other = d->bodies[at].u + b;
      double product = 0;
      for (int i = 0; i < 6; i++) {
        product += d->bodies[at].gain * S[b][i] * f[i];
      }
      /* a leader above its follower meets it on the diagonal from both sides */
      *mass_entry(d, m, u, other) += at != body && other == u ? 2 * product : product;
    }
    double moment[3];
    pki_cross3(all[at].r, f + 3, moment);
    for (int i = 0; i < 3; i++) {
      f[i] += moment[i];
    }
  }
}

static void fill_reduced(const pki_draft *d, const bool *shared, const articulated *all, reduced *m)
{
  for (int u = 0; u < d->nu; u++) {
    m->all[u] = *mass_entry(d, m, u, u) = d->dof[PKI_DOF_ARMATURE * (size_t)d->nu + (size_t)u];
    m->robot[u] = -1;
  }
  for (int i = 0; i < d->nbody; i++) {
    double S[6][6];
    const int n = motion_subspace(&d->bodies[i], all[i].R, S);
    for (int k = 0; k < n && shared[i]; k++) {
      m->robot[d->bodies[i].u + k] = d->bodies[i].robot;
      add_column(d, all, i, k, S[k], m);
    }
  }
}

/* Row k of M = L' D L is done: take its part from the rows of its columns, which hold all of them. */
static void eliminate_row(const pki_draft *d, double *M, int k)
{
  const int first = d->M_row[k], last = d->M_row[k + 1] - 1;
  for (int e = first; e < last; e++) {
    const double a = M[e] / M[last];
    int at = d->M_row[d->M_col[e]];
    for (int c = first; c <= e && a != 0; c++, at++) {
      while (d->M_col[at] != d->M_col[c]) {
        at++;
      }
      M[at] -= a * M[c];
    }
  }
}

static bool is_too_long(const pki_draft *d, const reduced *m)
{
  double products = 0;
  for (int k = 0; k < d->nu; k++) {
    const double length = d->M_row[d->plan_u[k] + 1] - d->M_row[d->plan_u[k]];
    products += m->robot[k] >= 0 ? 0.5 * length * length : 0;
  }
  return products > PRODUCTS_MAX;
}

/* The velocities that are left over, from the last to the first, until one cannot move. False: out of
 * memory. */
static bool check_followers(pki_draft *d, const bool *shared, const articulated *all)
{
  reduced m = {.M = calloc((size_t)d->nM + 1, sizeof *m.M),
               .all = calloc((size_t)d->nu + 1, sizeof *m.all),
               .robot = calloc((size_t)d->nu + 1, sizeof *m.robot)};
  const bool ok = m.M != NULL && m.all != NULL && m.robot != NULL;
  if (ok) {
    fill_reduced(d, shared, all, &m);
  }
  for (int k = ok && !is_too_long(d, &m) ? d->nu - 1 : -1; k >= 0; k--) {
    if (m.robot[k] >= 0) {
      if (!check_pivot(d, k, m.robot[k], *mass_entry(d, &m, k, k), m.all[k])) {
        break;
      }
      eliminate_row(d, m.M, d->plan_u[k]);
    }
  }
  free(m.M), free(m.all), free(m.robot);
  return ok;
}

/* Poses in general position, and the inertias of bodies and of all that they carry. */
static void gather_inertias(const pki_draft *d, articulated *all)
{
  for (int i = 0; i < d->nbody; i++) {
    const pki_body *body = &d->bodies[i];
    place_body(body, body->parent >= 0 ? &all[body->parent] : NULL, &all[i]);
    spatial_inertia(body->inertia, all[i].R, all[i].IA);
    memcpy(all[i].IC, all[i].IA, sizeof all[i].IC);
  }
  for (int i = d->nbody - 1; i >= 0; i--) {
    if (d->bodies[i].parent >= 0) {
      add_shifted(all[i].IC, all[i].r, all[d->bodies[i].parent].IC);
    }
  }
}

bool pki_check_masses(pki_draft *d)
{
  articulated *all = malloc(((size_t)d->nbody + 1) * sizeof *all);
  bool *shared = calloc((size_t)d->nbody + 1, sizeof *shared);
  bool ok = all != NULL && shared != NULL;
  if (ok) {
    gather_inertias(d, all);
    find_shared(d, shared);
    if (check_trees(d, shared, all) && d->has_mimic) {
      ok = check_followers(d, shared, all);
    }
  }
  free(all), free(shared);
  return ok;
}
