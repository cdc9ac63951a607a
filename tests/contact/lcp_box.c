/* Boxes and friction bounds: what a solver calls solved satisfies the conditions, row by row. */
#include "contact/lcp_help.h"

#include "support/bounds.h"
#include "support/pace.h"

enum { CASES = PACE(10000, 500) };

static lcp_case c;

/* The conditions as the header states them, with sums of its own and without the judge. */
static void assert_conditions(const lcp_answer *a, const char *who, int k, double tolerance)
{
  const pk_lcp *p = &c.p;
  for (int i = 0; i < p->n; i++) {
    const int f = p->findex != NULL ? p->findex[i] : -1;
    const double by = f >= 0 ? a->z[f] : 1;
    const double lower = f >= 0 ? p->lower[i] * by : p->lower[i],
                 upper = f >= 0 ? p->upper[i] * by : p->upper[i];
    double w = p->q[i], size = 1;
    for (int j = 0; j < p->n; j++) {
      w += p->M[i * p->n + j] * a->z[j], size += fabs(p->M[i * p->n + j] * a->z[j]);
    }
    const double z = a->z[i], slack = tolerance * size;
    const bool inside = z >= lower - slack && z <= upper + slack;
    const bool at_lower = z <= lower + slack, at_upper = z >= upper - slack;
    if (!inside || (w > slack && !at_lower) || (w < -slack && !at_upper)) {
      fail_msg("case %d of size %d, %s, row %d: z %g in %g to %g, w %g", k, p->n, who, i, z, lower, upper, w);
    }
  }
}

static void random_bounds(pki_random *random)
{
  for (int i = 0; i < c.p.n; i++) {
    const double kind = pki_random_unit(random), a = pki_random_normal(random), b = pki_random_normal(random);
    c.lower[i] = kind < 0.2 || (kind > 0.4 && kind < 0.5) ? -INFINITY : kind > 0.95 ? a : fmin(a, b);
    c.upper[i] = kind < 0.1 || (kind > 0.5 && kind < 0.7) ? INFINITY : kind > 0.95 ? a : fmax(a, b);
  }
  c.p.lower = c.lower, c.p.upper = c.upper;
}

static void all_solvers_agree_within_boxes(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(11);
  double worst[2] = {0, 0};
  for (int k = 0; k < CASES; k++) {
    lcp_begin(&c, lcp_size(&random, k));
    lcp_add_gram(&c, &random, c.p.n, false);
    lcp_add_diagonal(&c, 0.1);
    if (k % 2 == 1) {
      lcp_add_skew(&c, &random, 1);
    }
    lcp_random_q(&c, &random);
    random_bounds(&random);
    assert_int_equal(pk_lcp_validate(&c.p, NULL), PK_OK);
    const lcp_answer l = lcp_solve(&c.p, PK_LCP_SOLVER_LEMKE), d = lcp_solve(&c.p, PK_LCP_SOLVER_DANTZIG),
                     g = lcp_solve(&c.p, PK_LCP_SOLVER_PGS);
    if (l.status != PK_OK || d.status != PK_OK || (k % 2 == 0 && g.status != PK_OK)) {
      fail_msg("case %d of size %d: lemke '%s', dantzig '%s', pgs '%s'", k, c.p.n,
               pk_lcp_outcome_text(l.result.outcome), pk_lcp_outcome_text(d.result.outcome),
               pk_lcp_outcome_text(g.result.outcome));
    }
    assert_conditions(&l, "lemke", k, 1e-11);
    assert_conditions(&d, "dantzig", k, 1e-11);
    assert_less(lcp_apart(l.z, d.z, c.p.n), 1e-10);
    worst[0] = fmax(worst[0], lcp_apart(l.z, d.z, c.p.n));
    if (g.status == PK_OK) {
      assert_conditions(&g, "pgs", k, 1e-10);
      assert_less(lcp_apart(l.z, g.z, c.p.n), 1e-8);
      worst[1] = fmax(worst[1], lcp_apart(l.z, g.z, c.p.n));
    }
  }
  print_message("  boxes: lemke and dantzig apart %.1e, lemke and pgs %.1e\n", worst[0], worst[1]);
}

/* Contacts of rows normal, tangent, tangent: M = J inv(D) J' + compliance, friction within mu times the normal. */
static void make_contacts(pki_random *random, int contacts, double mu)
{
  lcp_begin(&c, 3 * contacts);
  lcp_add_gram(&c, random, c.p.n, false);
  lcp_add_diagonal(&c, 0.2);
  lcp_random_q(&c, random);
  for (int i = 0; i < c.p.n; i++) {
    const bool normal = i % 3 == 0;
    c.lower[i] = normal ? 0 : -mu;
    c.upper[i] = normal ? INFINITY : mu;
    c.findex[i] = normal ? -1 : i - i % 3;
  }
  c.p.lower = c.lower, c.p.upper = c.upper, c.p.findex = c.findex;
}

static void friction_bounds_move_with_the_normal_force(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(12);
  int solved[PK_LCP_SOLVER_COUNT] = {0}, same = 0, both = 0;
  for (int k = 0; k < CASES; k++) {
    make_contacts(&random, 1 + (int)(pki_random_unit(&random) * 7), pki_random_between(&random, 0, 1));
    assert_int_equal(pk_lcp_validate(&c.p, NULL), PK_OK);
    lcp_answer a[PK_LCP_SOLVER_COUNT];
    for (int s = 0; s < PK_LCP_SOLVER_COUNT; s++) {
      a[s] = lcp_solve(&c.p, (pk_lcp_solver)s);
      if (a[s].status == PK_OK) {
        solved[s]++;
        assert_conditions(&a[s], pk_lcp_solver_name((pk_lcp_solver)s), k, 1e-10);
      }
    }
    if (a[PK_LCP_SOLVER_LEMKE].status == PK_OK && a[PK_LCP_SOLVER_DANTZIG].status == PK_OK) {
      both++, same += lcp_apart(a[PK_LCP_SOLVER_LEMKE].z, a[PK_LCP_SOLVER_DANTZIG].z, c.p.n) < 1e-9;
    }
  }
  print_message("  friction: of %d lemke %d, dantzig %d, pgs %d solved; %d of %d the same\n", (int)CASES,
                solved[PK_LCP_SOLVER_LEMKE], solved[PK_LCP_SOLVER_DANTZIG], solved[PK_LCP_SOLVER_PGS], same,
                both);
  for (int s = 0; s < PK_LCP_SOLVER_COUNT; s++) {
    assert_greater(solved[s], CASES * 98 / 100);
  }
}

/* Row `axis` of a contact at p on a body of six velocities: normal z, tangents x and y. */
static void contact_row(const double p[3], int axis, double J[6])
{
  const double d[3] = {axis == 1, axis == 2, axis == 0};
  for (int i = 0; i < 3; i++) {
    J[i] = d[i], J[3 + i] = p[(i + 1) % 3] * d[(i + 2) % 3] - p[(i + 2) % 3] * d[(i + 1) % 3];
  }
}

/* A body on 4 to 11 points, often several at the same place: 12 to 33 rows of rank 6, as a robot's foot or trunk
 * makes them. z is not unique; whoever calls it solved is held to the conditions. */
static void dependent_contacts_with_friction_are_solved(void **state)
{
  (void)state;
  enum { BODIES = PACE(4000, 200) };
  pki_random random = pki_random_seeded(13);
  int solved[PK_LCP_SOLVER_COUNT] = {0};
  for (int k = 0; k < BODIES; k++) {
    double J[LCP_MAX][6], inverse[6], v[6];
    make_contacts(&random, 4 + (int)(pki_random_unit(&random) * 8), k % 2 ? 0.3 : 0.9);
    for (int i = 0; i < 6; i++) {
      inverse[i] = pki_random_between(&random, 0.3, 3), v[i] = pki_random_normal(&random);
    }
    for (int contact = 0; contact < c.p.n / 3; contact++) {
      double p[3] = {pki_random_between(&random, -1, 1), pki_random_between(&random, -1, 1), -0.5};
      for (int i = 0; i < 2 && k % 4 < 2; i++) {
        p[i] = p[i] > 0 ? 1 : -1; /* corners */
      }
      for (int axis = 0; axis < 3; axis++) {
        contact_row(p, axis, J[3 * contact + axis]);
      }
    }
    for (int i = 0; i < c.p.n; i++) {
      c.q[i] = 0;
      for (int l = 0; l < 6; l++) {
        c.q[i] += J[i][l] * v[l];
      }
      for (int j = 0; j < c.p.n; j++) {
        c.M[i * c.p.n + j] = 0;
        for (int l = 0; l < 6; l++) {
          c.M[i * c.p.n + j] += J[i][l] * inverse[l] * J[j][l];
        }
      }
    }
    for (int s = 0; s < PK_LCP_SOLVER_COUNT; s++) {
      pk_lcp_options o = pk_lcp_options_default();
      o.solver = (pk_lcp_solver)s, o.max_iterations = 2000;
      const lcp_answer a = lcp_solve_with(&c.p, o);
      solved[s] += a.status == PK_OK;
      if (a.status == PK_OK) {
        assert_conditions(&a, pk_lcp_solver_name((pk_lcp_solver)s), k, 1e-6);
      }
    }
  }
  print_message("  dependent contacts: of %d lemke %d, dantzig %d, pgs %d solved\n", (int)BODIES,
                solved[PK_LCP_SOLVER_LEMKE], solved[PK_LCP_SOLVER_DANTZIG], solved[PK_LCP_SOLVER_PGS]);
  for (int s = 0; s < PK_LCP_SOLVER_COUNT; s++) {
    assert_greater(solved[s], BODIES * 98 / 100);
  }
}

/* A block of mass 1 that is pushed sideways: it sticks within mu times its weight, and slides beyond. */
static void a_block_sticks_and_slides(void **state)
{
  (void)state;
  const double M[] = {1, 0, 0, 1}, lower[] = {0, -0.5}, upper[] = {INFINITY, 0.5};
  const int findex[] = {-1, 0};
  for (int s = 0; s < PK_LCP_SOLVER_COUNT; s++) {
    for (int push = -20; push <= 20; push++) {
      const double q[] = {-10, 0.5 * push};
      const pk_lcp p = {.n = 2, .M = M, .q = q, .lower = lower, .upper = upper, .findex = findex};
      const lcp_answer a = lcp_solve(&p, (pk_lcp_solver)s);
      assert_int_equal(a.status, PK_OK);
      assert_less(fabs(a.z[0] - 10), 1e-9);
      assert_less(fabs(a.z[1] - fmin(fmax(-q[1], -5), 5)), 1e-9);
    }
  }
}

/* Painleve's rod: friction couples to the normal row so strongly that in sliding, z_1 = -2 z_0, more normal force
 * presses deeper: w_0 = (1 - 2) z_0 - 1. Where nothing stops the slip there is no solution, though there are z that
 * meet the signs, so no proof either; where friction can stop it the contact jams at z = (10001, -10000). */
static void painleve_ends_with_a_status(void **state)
{
  (void)state;
  const double q[] = {-1, 100}, lower[] = {0, -2}, upper[] = {INFINITY, 2};
  const int findex[] = {-1, 0};
  for (int s = 0; s < PK_LCP_SOLVER_COUNT; s++) {
    const double slides[] = {1, 1, 0, 0}, jams[] = {1, 1, 0, 0.01};
    pk_lcp p = {.n = 2, .M = slides, .q = q, .lower = lower, .upper = upper, .findex = findex};
    const lcp_answer a = lcp_solve(&p, (pk_lcp_solver)s);
    assert_int_equal(a.status, PK_ERROR_CONVERGENCE);
    assert_int_equal(a.result.outcome,
                     s == PK_LCP_SOLVER_PGS ? PK_LCP_OUTCOME_STALLED : PK_LCP_OUTCOME_RAY); /* pgs diverges */
    p.M = jams;
    const lcp_answer b = lcp_solve(&p, (pk_lcp_solver)s);
    assert_true(b.status == PK_OK || b.result.certificate.relative > 1e-8);
    assert_true(b.status != PK_OK || (fabs(b.z[0] - 10001) < 1e-3 && fabs(b.z[1] + 10000) < 1e-3));
  }
}

static void infeasible_boxes_are_proven(void **state)
{
  (void)state;
  /* z_0 free with w_0 = 1 whatever z is; z_1 at most 2 with w_1 <= 0 asked: w_1 = 3 */
  const double M[] = {0, 0, 0, 0}, q[] = {1, 0}, lower[] = {-INFINITY, 0}, upper[] = {INFINITY, 1};
  const pk_lcp p = {.n = 2, .M = M, .q = q, .lower = lower, .upper = upper};
  const lcp_answer a = lcp_solve(&p, PK_LCP_SOLVER_LEMKE);
  assert_int_equal(a.result.outcome, PK_LCP_OUTCOME_INFEASIBLE);
  assert_true(a.has_ray);
  assert_less(a.ray[0], 0);
  assert_true(a.ray[1] == 0); /* v w_0 >= 0 is asked of both signs, but w_0 = 1 */
  const double q2[] = {0, 3}, lower2[] = {0, -INFINITY}, upper2[] = {INFINITY, 2};
  const pk_lcp p2 = {.n = 2, .M = M, .q = q2, .lower = lower2, .upper = upper2};
  const lcp_answer b = lcp_solve(&p2, PK_LCP_SOLVER_LEMKE);
  assert_int_equal(b.result.outcome, PK_LCP_OUTCOME_INFEASIBLE);
  assert_true(b.has_ray && b.ray[0] == 0);
  assert_less(b.ray[1], 0);
  /* and what proves nothing is refused */
  assert_false(pk_lcp_proves_infeasible(&p2, (const double[]){0, 1}));
  assert_false(pk_lcp_proves_infeasible(&p2, (const double[]){1, 0}));
  assert_false(pk_lcp_proves_infeasible(&p2, (const double[]){0, -NAN}));
  assert_true(pk_lcp_proves_infeasible(&p2, (const double[]){0, -5}));
  const double one[] = {1}, minus[] = {-1};
  assert_false(pk_lcp_proves_infeasible(&(pk_lcp){.n = 1, .M = one, .q = minus}, one)); /* M'v > 0: z = 1 */
  assert_true(pk_lcp_proves_infeasible(&(pk_lcp){.n = 1, .M = minus, .q = minus}, one));
  /* within a box even M'v > 0 can prove: w = z - 3 < 0 up to z_1 = 2, if w of z_0 must not be negative */
  const double N[] = {0, 1, 0, 1}, far[] = {-3, 0}, zeros[] = {0, 0}, box[] = {INFINITY, 2},
               wide[] = {INFINITY, 4};
  const pk_lcp near_box = {.n = 2, .M = N, .q = far, .lower = zeros, .upper = box};
  const pk_lcp wide_box = {.n = 2, .M = N, .q = far, .lower = zeros, .upper = wide};
  assert_true(pk_lcp_proves_infeasible(&near_box, (const double[]){1, 0}));
  assert_false(pk_lcp_proves_infeasible(&wide_box, (const double[]){1, 0}));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_solvers_agree_within_boxes),
      cmocka_unit_test(friction_bounds_move_with_the_normal_force),
      cmocka_unit_test(dependent_contacts_with_friction_are_solved),
      cmocka_unit_test(a_block_sticks_and_slides),
      cmocka_unit_test(painleve_ends_with_a_status),
      cmocka_unit_test(infeasible_boxes_are_proven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
