/* Forces of feet within friction and torque limits are those of the dense cone program of whole-body control with the same tasks: its
 * unknowns are torques and forces, the joints' equations of motion are rows of a large weight. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "gait/kernels/limit.h"
#include "gait/walker.h"
#include "math/mat3.h"
#include "support/bounds.h"
#include "support/cone_programs.h"
#include "support/pace.h"

enum { NU = 18, LEGS = 4, TORQUES = 3 * LEGS };

static const char *const feet[LEGS] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};

/* StarLETH in a random pose and motion, some of its feet on a slope: the wrench that random accelerations need, and what its
 * joints need for them. */
typedef struct stance {
  pki_share share;
  pki_torque_limits limits;
} stance;

static double uniform(pki_random *random, double size)
{
  return pki_random_between(random, -size, size);
}

static pki_v3 vector(const double *x)
{
  return (pki_v3){x[0], x[1], x[2]};
}

static void take_pose(const pk_model *m, pki_random *random, double *q, double *u, double *a)
{
  double v[NU];
  memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
  for (int i = 0; i < TORQUES; i++) {
    q[7 + i] = (i < 6 ? 1 : -1) * walker_starleth.leg[i % 3];
  }
  for (int k = 0; k < NU; k++) {
    v[k] = uniform(random, 0.25);
    u[k] = uniform(random, 1);
    a[k] = uniform(random, k < 6 ? 8 : 30);
  }
  pk_config_add(m, q, v, q);
}

/* `scale` of the model's efforts is what the joints have. */
static stance draw_stance(const pk_model *m, pk_workspace *work, pki_random *random, int standing,
                          double scale)
{
  static const double S[6] = {0.1, 0.1, 1, 12, 12, 6};
  double q[32], u[NU], a[NU], tau[NU], J[6 * NU];
  const double rise[2] = {uniform(random, 0.3), uniform(random, 0.3)};
  const double size = sqrt(1 + rise[0] * rise[0] + rise[1] * rise[1]);
  const double n[3] = {-rise[0] / size, -rise[1] / size, 1 / size};
  stance out = {.share = {.normal = {n[0], n[1], n[2]}, .friction = 0.6}};
  take_pose(m, random, q, u, a);
  pk_inverse_dynamics(work, q, u, a, tau);
  pk_kinematics_compute(work, q, u);
  const pk_pose base = pk_link_pose(work, m->robots[0].root_link);
  pki_share *const s = &out.share;
  s->regular = pki_random_unit(random) < 0.5 ? 0.02 : 1e-3;
  s->b = (pki_v6){vector(tau + 3), vector(tau)};
  for (int r = 0; r < 6; r++) {
    s->S[r] = S[r], s->give[r] = 1 / S[r];
  }
  for (int i = 0; i < LEGS; i++) {
    if (!(standing >> i & 1)) {
      continue;
    }
    const int link = pk_model_find_link(m, feet[i]);
    const pk_pose foot = pk_link_pose(work, link);
    const double below[3] = {-0.025 * n[0], -0.025 * n[1], -0.025 * n[2]};
    double inside[3], arm[3], row[3];
    pki_mat3_apply_transposed(foot.rot, below, inside);
    pk_link_jacobian(work, link, inside, J);
    for (int k = 0; k < 3; k++) {
      arm[k] = foot.pos[k] + below[k] - base.pos[k];
    }
    pki_set_mask(&s->stands[i], 0, true);
    s->any[i] = true;
    s->limit[i] = 9.81 * m->mass * pki_random_between(random, 0.3, 1.2);
    for (int r = 0; r < 3; r++) {
      const double axis[3] = {base.rot[r], base.rot[3 + r], base.rot[6 + r]}; /* of the trunk */
      pki_cross3(axis, arm, row);
      s->C[i][r] = vector(row);
      const int joint = 6 + 3 * i + r;
      out.limits.G[i][r] = (pki_v3){J[3 * NU + joint], J[4 * NU + joint], J[5 * NU + joint]};
      out.limits.need[i][r] = tau[joint];
      out.limits.most[i][r] = scale * m->dof_effort[joint];
    }
    for (int k = 0; k < 3; k++) {
      row[k] = uniform(random, 60) + 80 * n[k];
    }
    s->prefer[i] = vector(row);
  }
  return out;
}

/* The dense program of the same tasks: torques, then forces (normal, two across). Joint rows tau + G f = need have a large weight
 * and multipliers, so that they hold. */
typedef struct dense {
  cone_programs p;
  int count, leg[LEGS];
  double axes[3][3];
  double rows[TORQUES][2 * TORQUES]; /* tau + G f */
} dense;

static const double heavy = 1e4;

static void add_square(double *H, int n, const double *row, double weight)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      H[i * n + k] += weight * row[i] * row[k];
    }
  }
}

/* A component of a foot's wrench by its unit force. */
static double wrench_by(const pki_share *s, int leg, int r, const double f[3])
{
  const pki_v3 c = r < 3 ? (pki_v3){r == 0, r == 1, r == 2} : s->C[leg][r - 3];
  return c.x * f[0] + c.y * f[1] + c.z * f[2];
}

static dense begin_dense(const stance *st)
{
  const pki_share *s = &st->share;
  dense d = {.count = 0};
  for (int i = 0; i < LEGS; i++) {
    if (s->any[i]) {
      d.leg[d.count++] = i;
    }
  }
  const int n3 = 3 * d.count, n = 2 * n3;
  d.p = make_cone_programs(n3, d.count, 1);
  const double normal[3] = {s->normal.x, s->normal.y, s->normal.z};
  const double level = hypot(normal[0], normal[2]);
  const double along[3] = {normal[2] / level, 0, -normal[0] / level};
  memcpy(d.axes[0], normal, sizeof normal), memcpy(d.axes[1], along, sizeof along);
  pki_cross3(normal, along, d.axes[2]);
  memset(d.p.H, 0, (size_t)n * n * sizeof(double));
  for (int r = 0; r < 6; r++) {
    double row[2 * TORQUES] = {0};
    for (int i = 0; i < n3; i++) {
      row[n3 + i] = wrench_by(s, d.leg[i / 3], r, d.axes[i % 3]);
    }
    add_square(d.p.H, n, row, s->S[r]);
  }
  for (int i = 0; i < n3; i++) {
    const int leg = d.leg[i / 3];
    const pki_v3 g = st->limits.G[leg][i % 3];
    d.rows[i][i] = 1;
    for (int k = 0; k < 3; k++) {
      d.rows[i][n3 + 3 * (i / 3) + k] = g.x * d.axes[k][0] + g.y * d.axes[k][1] + g.z * d.axes[k][2];
    }
    add_square(d.p.H, n, d.rows[i], heavy);
    d.p.H[(n3 + i) * n + n3 + i] += s->regular;
    const double most =
        fmax(st->limits.most[leg][i % 3],
             fabs(st->limits.need[leg][i % 3]) + 0.01 * st->limits.most[leg][i % 3]); /* as limit.h has it */
    d.p.lower[i] = -most, d.p.upper[i] = most;
    d.p.friction[i / 3] = s->friction, d.p.limit[i / 3] = s->limit[leg];
  }
  return d;
}

/* g for multipliers of the joint rows. */
static void set_slope(const stance *st, dense *d, const double *multiplier)
{
  const pki_share *s = &st->share;
  const int n3 = 3 * d->count, n = 2 * n3;
  const double b[6] = {s->b.l.x, s->b.l.y, s->b.l.z, s->b.a.x, s->b.a.y, s->b.a.z};
  memset(d->p.g, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < n3; i++) {
    const int leg = d->leg[i / 3];
    const pki_v3 p = s->prefer[leg];
    const double *axis = d->axes[i % 3];
    for (int r = 0; r < 6; r++) {
      d->p.g[n3 + i] -= s->S[r] * b[r] * wrench_by(s, leg, r, axis);
    }
    d->p.g[n3 + i] -= s->regular * (p.x * axis[0] + p.y * axis[1] + p.z * axis[2]);
    for (int k = 0; k < n; k++) {
      d->p.g[k] += d->rows[i][k] * (multiplier[i] - heavy * st->limits.need[leg][i % 3]);
    }
  }
}

/* Forces [LEGS][3] in the world, by the dense program; returns how many torques are at their limits. */
static int solve_dense(const stance *st, double force[LEGS][3], double torque[LEGS][3])
{
  dense d = begin_dense(st);
  const int n3 = 3 * d.count, n = 2 * n3;
  double multiplier[TORQUES] = {0}, off = 1;
  int at_limits = 0;
  for (int round = 0; round < 200 && off > 1e-10; round++) {
    set_slope(st, &d, multiplier);
    const pki_cone_program program = view_cone_programs(&d.p);
    pki_cone_result result;
    pki_cone_kernels_get(1)->solve(&program, (bool[PKI_CONE_PROGRAM_LANES]){round > 0}, d.p.x, d.p.memory,
                                   &result);
    assert_at_most(result.residual[0], PKI_CONE_PROGRAM_ACCURACY);
    off = 0;
    for (int i = 0; i < n3; i++) {
      double sum = -st->limits.need[d.leg[i / 3]][i % 3];
      for (int k = 0; k < n; k++) {
        sum += d.rows[i][k] * d.p.x[k];
      }
      multiplier[i] += heavy * sum;
      off = fmax(off, fabs(sum));
    }
  }
  assert_at_most(off, 1e-8);
  for (int i = 0; i < n3; i++) {
    const int leg = d.leg[i / 3];
    const double *f = d.p.x + n3 + 3 * (i / 3);
    torque[leg][i % 3] = d.p.x[i];
    at_limits += fabs(d.p.x[i]) >= d.p.upper[i];
    force[leg][i % 3] = f[0] * d.axes[0][i % 3] + f[1] * d.axes[1][i % 3] + f[2] * d.axes[2][i % 3];
  }
  free_cone_programs(&d.p);
  return at_limits;
}

static double torque_of(const stance *st, int leg, int k, pki_v3 f)
{
  return st->limits.need[leg][k] - pki_dot(st->limits.G[leg][k], f);
}

/* What share.h and limit.h give, as the controller calls them. */
static int solve_shared(const stance *st, pki_v3 *force)
{
  bool beyond = false;
  pki_share_solve(&st->share, force);
  for (int i = 0; i < 3 * LEGS; i++) {
    beyond = beyond || (st->share.any[i / 3] &&
                        fabs(torque_of(st, i / 3, i % 3, force[i / 3])) > st->limits.most[i / 3][i % 3]);
  }
  return beyond ? pki_limit_solve(&st->share, &st->limits, pki_mask_all(), force) : 0;
}

static void forces_and_torques_are_those_of_the_dense_program(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(5);
  pk_model *m = walker_model(&walker_starleth, false);
  pk_workspace *work;
  assert_int_equal(pk_workspace_create(m, &work, NULL), PK_OK);
  double worst = 0, worst_torque = 0;
  int limited = 0, most = 0, rounds = 0;
  const int trials = PACE(2000, 300);
  for (int trial = 0; trial < trials; trial++) {
    static const int standing[] = {15, 7, 9, 6, 3, 12, 1, 14};
    const stance st =
        draw_stance(m, work, &random, standing[trial % 8], pki_random_between(&random, 0.3, 1.2));
    pki_v3 found[PKI_LEGS];
    double force[LEGS][3], torque[LEGS][3];
    const int took = solve_shared(&st, found);
    limited += solve_dense(&st, force, torque) > 0;
    most = took > most ? took : most, rounds += took;
    for (int i = 0; i < LEGS; i++) {
      const double f[3] = {found[i].x, found[i].y, found[i].z};
      for (int k = 0; k < 3 && st.share.any[i]; k++) {
        worst = fmax(worst, fabs(f[k] - force[i][k]));
        worst_torque = fmax(worst_torque, fabs(torque_of(&st, i, k, found[i]) - torque[i][k]));
      }
    }
  }
  print_message("%d stances, %d with torques at limits: forces differ by %.1e N, torques by %.1e N m; "
                "rounds: %.1f on average, %d "
                "at most\n",
                trials, limited, worst, worst_torque, (double)rounds / limited, most);
  assert_greater(limited, trials / 4);
  assert_less(worst, 1e-6 * 9.81 * m->mass);
  assert_less(worst_torque, 1e-6 * 9.81 * m->mass * walker_starleth.height);
  assert_less(most, PKI_LIMIT_ROUNDS);
  pk_workspace_destroy(work);
  pk_model_destroy(m);
}

/* Where efforts are too small for the wrench, each limit is kept, and what the trunk gets is the nearest that they allow: no other
 * allowed forces come nearer. */
static double miss_of(const stance *st, const pki_v3 *force)
{
  const pki_share *s = &st->share;
  const pki_v6 given = pki_share_wrench(s, force);
  const double off[6] = {given.l.x - s->b.l.x, given.l.y - s->b.l.y, given.l.z - s->b.l.z,
                         given.a.x - s->b.a.x, given.a.y - s->b.a.y, given.a.z - s->b.a.z};
  double sum = 0;
  for (int r = 0; r < 6; r++) {
    sum += 0.5 * s->S[r] * off[r] * off[r];
  }
  for (int i = 0; i < LEGS; i++) {
    const pki_v3 d = pki_sub(force[i], s->prefer[i]);
    sum += s->any[i] ? 0.5 * s->regular * pki_dot(d, d) : 0;
  }
  return sum;
}

static bool allowed(const stance *st, const pki_v3 *force, double slack)
{
  const pki_share *s = &st->share;
  for (int i = 0; i < LEGS; i++) {
    const double n = pki_dot(s->normal, force[i]);
    const pki_v3 t = pki_add_scaled(force[i], -n, s->normal);
    bool fine = !s->any[i] || (sqrt(pki_dot(t, t)) <= s->friction * n + slack && n <= s->limit[i] + slack);
    for (int k = 0; k < 3 && s->any[i]; k++) {
      const double most = st->limits.most[i][k], need = fabs(st->limits.need[i][k]) + 0.01 * most;
      fine = fine && fabs(torque_of(st, i, k, force[i])) <= fmax(most, need) + slack;
    }
    if (!fine) {
      return false;
    }
  }
  return true;
}

static void every_limit_is_kept_and_no_allowed_forces_are_better(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(9);
  pk_model *m = walker_model(&walker_starleth, false);
  pk_workspace *work;
  assert_int_equal(pk_workspace_create(m, &work, NULL), PK_OK);
  int compared = 0;
  for (int trial = 0; trial < 200; trial++) {
    const stance st = draw_stance(m, work, &random, trial % 2 ? 15 : 9, 0.3);
    pki_v3 found[PKI_LEGS] = {{0}}, other[PKI_LEGS] = {{0}};
    pki_share_solve(&st.share, found);
    pki_limit_solve(&st.share, &st.limits, pki_mask_all(), found);
    assert_true(allowed(&st, found, 1e-9));
    for (int k = 0; k < 100; k++) {
      for (int i = 0; i < LEGS; i++) {
        other[i] = found[i];
        if (st.share.any[i]) {
          const pki_v3 off = {uniform(&random, 1), uniform(&random, 1), uniform(&random, 1)};
          other[i] = pki_add_scaled(found[i], k % 2 ? 5 : 0.05, off);
        }
      }
      if (allowed(&st, other, 0)) {
        compared++;
        assert_at_least(miss_of(&st, other), miss_of(&st, found) * (1 - 1e-9));
      }
    }
  }
  assert_greater(compared, 100);
  pk_workspace_destroy(work);
  pk_model_destroy(m);
}

/* Motion that needs more than the joints have, of legs that carry nothing: what forces add does not make it worse. */
static void a_leg_whose_motion_takes_all_its_effort_still_has_forces(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(3);
  pk_model *m = walker_model(&walker_starleth, false);
  pk_workspace *work;
  assert_int_equal(pk_workspace_create(m, &work, NULL), PK_OK);
  for (int trial = 0; trial < 100; trial++) {
    stance st = draw_stance(m, work, &random, 15, 1);
    pki_v3 found[PKI_LEGS];
    st.limits.need[1][2] = trial % 2 ? 45 : -45;
    pki_share_solve(&st.share, found);
    pki_limit_solve(&st.share, &st.limits, pki_mask_all(), found);
    assert_true(allowed(&st, found, 1e-9));
    assert_at_most(fabs(torque_of(&st, 1, 2, found[1])), 45 + 0.3 + 1e-9);
  }
  pk_workspace_destroy(work);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_and_torques_are_those_of_the_dense_program),
      cmocka_unit_test(every_limit_is_kept_and_no_allowed_forces_are_better),
      cmocka_unit_test(a_leg_whose_motion_takes_all_its_effort_still_has_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
