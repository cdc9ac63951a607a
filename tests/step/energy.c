/* The energy of every step. With one coefficient eps in all contacts and both directions, explicit forces h and
 * M du = h dt + W Lambda at the midpoint,
 *
 *   dT - dt h' u_eps = Lambda' xi / (1 + eps) - (1 - eps) / (2 (1 + eps)) |u_E - u_S|_M^2 <= 0,
 *   u_eps = (u_E + eps u_S) / (1 + eps),   xi = gamma_E + eps gamma_S.
 *
 * Both sides are computed here from the public functions alone: M, h and Jacobians at q_M, and the contacts that the
 * step reports. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/world.h"

static const double DT = 1e-3;
enum { NU = 18, NQ = 19, CONTACTS = 64 };

static double product(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* a' M b */
static double form(const double *M, const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * product(M + i * n, b, n);
  }
  return sum;
}

/* v += sign times the velocity of a world point of a link under u, at the workspace's configuration. */
static void add_velocity(const pk_workspace *w, int link, const double point[3], const double *u, int n,
                         double sign, double v[3])
{
  double J[6 * NU], local[3];
  const pk_pose pose = pk_link_pose(w, link);
  for (int k = 0; k < 3; k++) {
    local[k] = 0;
    for (int e = 0; e < 3; e++) {
      local[k] += pose.rot[3 * e + k] * (point[e] - pose.pos[e]);
    }
  }
  pk_link_jacobian(w, link, local, J);
  for (int k = 0; k < 3; k++) {
    v[k] += sign * product(J + (3 + k) * n, u, n);
  }
}

/* Velocity of a contact's link relative to the ground or to the other link. */
static void point_velocity(const pk_workspace *w, const pk_sim_contact *c, const double *u, int n,
                           double v[3])
{
  memset(v, 0, 3 * sizeof *v);
  add_velocity(w, c->link, c->point, u, n, 1, v);
  if (c->other_link >= 0) {
    add_velocity(w, c->other_link, c->point, u, n, -1, v);
  }
}

/* Lambda' xi over the contacts of the last step. */
static double contact_work(pk_sim *sim, pk_workspace *w, const double *u_start, double eps)
{
  pk_sim_contact contacts[CONTACTS];
  const int n = pk_sim_contacts(sim, contacts, CONTACTS), nu = pk_sim_model(sim)->nu;
  double work = 0;
  assert_at_most(n, CONTACTS);
  for (int i = 0; i < n; i++) {
    double start[3], end[3];
    point_velocity(w, &contacts[i], u_start, nu, start);
    point_velocity(w, &contacts[i], pk_sim_u(sim), nu, end);
    for (int k = 0; k < 3; k++) {
      work += contacts[i].impulse[k] * (end[k] + eps * start[k]);
    }
  }
  return work;
}

typedef struct balance {
  double worst, highest; /* J: difference of the two sides, left side, over all steps */
  double lost;           /* J, sum of the left sides */
  int contacts;          /* most in one step */
} balance;

/* One step, both sides of the identity. */
static void step_and_check(pk_sim *sim, pk_workspace *w, double eps, balance *b)
{
  const pk_model *m = pk_sim_model(sim);
  double u[NU], q_mid[NQ], move[NU], h[NU], M[NU * NU], du[NU], u_eps[NU];
  memcpy(u, pk_sim_u(sim), (size_t)m->nu * sizeof *u);
  for (int k = 0; k < m->nu; k++) {
    move[k] = 0.5 * DT * u[k];
  }
  pk_config_add(m, pk_sim_q(sim), move, q_mid);
  const pk_step_info info = must_step(sim);
  assert_true(info.certified);
  b->contacts = info.contacts > b->contacts ? info.contacts : b->contacts;
  pk_inverse_dynamics(w, q_mid, u, NULL, h);
  pk_mass_matrix(w, q_mid, M);
  pk_kinematics_compute(w, q_mid, NULL);
  for (int k = 0; k < m->nu; k++) {
    h[k] = pk_sim_tau(sim)[k] - m->dof_damping[k] * u[k] - h[k];
    du[k] = pk_sim_u(sim)[k] - u[k];
    u_eps[k] = (pk_sim_u(sim)[k] + eps * u[k]) / (1 + eps);
  }
  const double *end = pk_sim_u(sim);
  const double dT = 0.5 * (form(M, end, end, m->nu) - form(M, u, u, m->nu));
  const double left = dT - DT * product(h, u_eps, m->nu);
  const double right =
      contact_work(sim, w, u, eps) / (1 + eps) - (1 - eps) / (2 * (1 + eps)) * form(M, du, du, m->nu);
  b->worst = fmax(b->worst, fabs(left - right));
  b->highest = fmax(b->highest, left);
  b->lost -= left;
}

static const double EPS[3] = {0, 0.3, 1};

static pk_sim_options plain_options(void)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = DT, o.contact = PK_CONTACT_GEHRING_2014, o.implicit = PK_IMPLICIT_FORCES_NONE;
  o.joint_limits = o.joint_friction = false;
  o.tolerance = 1e-10;
  return o;
}

static void check_run(const char *name, pk_sim *sim, double eps, int steps)
{
  balance b = {.highest = -1};
  pk_workspace *w;
  pk_workspace_create(pk_sim_model(sim), &w, NULL);

  for (int i = 0; i < steps; i++) {
    step_and_check(sim, w, eps, &b);
  }
  print_message("%s, eps %g: sides differ by %.1g J, largest %.1g J, lost %.3g J, %d contacts at once\n",
                name, eps, b.worst, b.highest, b.lost, b.contacts);
  assert_greater(b.contacts, 0);
  assert_less(b.worst, 1e-10);
  assert_less(b.highest, 1e-8); /* what the solver's tolerance leaves */
  assert_greater(b.lost, 0);
  pk_workspace_destroy(w);
}

static const double BOX[3] = {0.4, 0.3, 0.1}, MOMENT[3] = {0.025, 0.043, 0.0625};

static void a_tumbling_box_obeys_the_energy_identity_in_every_step(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, 3, MOMENT);
  pk_terrain *t = slope_terrain(0.2);
  const pk_sim_options o = plain_options();
  for (int k = 0; k < 3; k++) {
    pk_sim *sim = start_world(
        m, t, (pk_material){.friction = 0.4, .restitution_n = EPS[k], .restitution_t = EPS[k]}, &o);
    const double turn[4] = {cos(0.4), 0.6 * sin(0.4), 0.8 * sin(0.4), 0}, speed[6] = {1, 0.5, -1, 2, -3, 4};
    pk_sim_q(sim)[2] = 0.6;
    memcpy(pk_sim_q(sim) + 3, turn, sizeof turn);
    memcpy(pk_sim_u(sim), speed, sizeof speed);
    check_run("tumbling box", sim, EPS[k], 3000);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void a_sliding_box_obeys_the_energy_identity_in_every_step(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, 3, MOMENT);
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = plain_options();
  for (int k = 0; k < 3; k++) {
    pk_sim *sim = start_world(
        m, t, (pk_material){.friction = 0.4, .restitution_n = EPS[k], .restitution_t = EPS[k]}, &o);
    pk_sim_q(sim)[2] = 0.05, pk_sim_u(sim)[0] = 2, pk_sim_u(sim)[1] = 1, pk_sim_u(sim)[5] = 3;
    check_run("sliding box", sim, EPS[k], 1000);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void a_dropped_starleth_obeys_the_energy_identity_in_every_step(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = plain_options();
  for (int k = 0; k < 3; k++) {
    for (int held = 0; held < 2; held++) {
      pk_sim *sim = start_world(
          m, t, (pk_material){.friction = 0.8, .restitution_n = EPS[k], .restitution_t = EPS[k]}, &o);
      starleth_pose(sim, 0.6, false);
      const double turn[4] = {cos(0.15), sin(0.15), 0, 0};
      memcpy(pk_sim_q(sim) + 3, turn, sizeof turn);
      for (int j = 6; held && j < m->nu; j++) {
        pk_sim_commands(sim)[j] =
            (pk_command){.kp = 60, .kd = 0.5, .q_des = pk_sim_q(sim)[j + 1], .tau_max = INFINITY};
      }
      check_run(held ? "StarLETH held" : "StarLETH limp", sim, EPS[k], 600);
      pk_sim_destroy(sim);
    }
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tumbling_box_obeys_the_energy_identity_in_every_step),
      cmocka_unit_test(a_sliding_box_obeys_the_energy_identity_in_every_step),
      cmocka_unit_test(a_dropped_starleth_obeys_the_energy_identity_in_every_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
