/* The step on lanes is the step: it solves the problem that the general step solves (contact.h), from the same states to the
 * same end, and its certificate is that of a problem that is assembled here once more, from the public API. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batch/batch.h"
#include "support/fleet.h"

enum { NU = 18, NQ = 19, FEET = 4, ROWS = 3 * FEET };

static const fleet_setting settings[] = {
    {"level", FLEET_FEET, 0, FLEET_PLANE, FLEET_DROP, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"slippery", FLEET_FEET, 0, FLEET_PLANE, FLEET_DROP, 0.1, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"slope", FLEET_FEET, 0, FLEET_SLOPE, FLEET_DROP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"slippery slope", FLEET_FEET, 0, FLEET_SLOPE, FLEET_DROP, 0.05, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"without friction", FLEET_FEET, 0, FLEET_SLOPE, FLEET_DROP, 0, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"euler", FLEET_FEET, 0, FLEET_PLANE, FLEET_DROP, 0.5, PK_STEPPER_EULER, 0, 2e-3, 120, true},
    {"euler, slope", FLEET_FEET, 0, FLEET_SLOPE, FLEET_DROP, 0.3, PK_STEPPER_EULER, 0, 2e-3, 120, true},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* Two worlds of one kind: one on lanes, one that never is. */
typedef struct twins {
  fleet f;
  pk_batch *lanes;
  pk_sim *general, *probe;
} twins;

static void begin(twins *t, const fleet_setting *s)
{
  fleet_make(&t->f, s);
  t->f.options.tolerance = 1e-10;
  t->lanes = fleet_batch(&t->f, 1, 1, 1);
  t->general = fleet_sim(&t->f, 0);
  t->probe = fleet_sim(&t->f, 0);
}

static void end(twins *t)
{
  pk_batch_destroy(t->lanes);
  pk_sim_destroy(t->general);
  pk_sim_destroy(t->probe);
  fleet_free(&t->f);
}

/* The general world as the other one is. */
static void follow(twins *t)
{
  pk_error err = {.message = ""};
  assert_int_equal(pk_batch_get(t->lanes, 0, t->general, &err), PK_OK);
  t->general->alone.stale = false;
  t->general->alone.plan.usable = false;
}

/* ---- the problem once more ---- */

static double distance(const double *a, const double *b, int n)
{
  double most = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(a[k] - b[k]));
  }
  return most;
}

/* A foot: the ball's centre in its link. */
typedef struct foot {
  int link;
  double radius;
} foot;

/* All that a step of StarLETH on a plane is about, computed anew from the state before it. */
typedef struct problem {
  double reach, q[NQ]; /* where M and h are taken */
  double A[NU * NU];   /* M~ */
  double u_free[NU];
  double gap[FEET], J[FEET][3][NU], normal[3], axes[3][3];
} problem;

/* x = inv(A) b, A symmetric and positive definite: Cholesky, dense. */
static void solve_dense(const double *A, const double *b, double *x)
{
  double L[NU * NU] = {0};
  for (int i = 0; i < NU; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = A[NU * i + j];
      for (int k = 0; k < j; k++) {
        sum -= L[NU * i + k] * L[NU * j + k];
      }
      L[NU * i + j] = i == j ? sqrt(sum) : sum / L[NU * j + j];
    }
  }
  for (int i = 0; i < NU; i++) {
    x[i] = b[i];
    for (int k = 0; k < i; k++) {
      x[i] -= L[NU * i + k] * x[k];
    }
    x[i] /= L[NU * i + i];
  }
  for (int i = NU - 1; i >= 0; i--) {
    for (int k = i + 1; k < NU; k++) {
      x[i] -= L[NU * k + i] * x[k];
    }
    x[i] /= L[NU * i + i];
  }
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

static foot foot_of(const fleet *f, int k)
{
  const pk_model_shape *s = &f->model->shapes[k];
  return (foot){.link = s->link, .radius = s->size[0]};
}

/* Feet at the workspace's configuration: gaps, and rows of their lowest points along the axes. */
static void see_feet(const fleet *f, const pk_workspace *w, problem *p)
{
  for (int k = 0; k < FEET; k++) {
    const foot at = foot_of(f, k);
    const pk_pose pose = pk_link_pose(w, at.link);
    double low[3], J[6 * NU];
    for (int d = 0; d < 3; d++) { /* out of the ball's centre along -normal, in the link's axes */
      low[d] = -at.radius *
               (pose.rot[d] * p->normal[0] + pose.rot[3 + d] * p->normal[1] + pose.rot[6 + d] * p->normal[2]);
    }
    p->gap[k] = dot(pose.pos, p->normal, 3) - at.radius;
    pk_link_jacobian(w, at.link, low, J);
    for (int d = 0; d < 3; d++) {
      for (int c = 0; c < NU; c++) {
        const double v[3] = {J[3 * NU + c], J[4 * NU + c], J[5 * NU + c]};
        p->J[k][d][c] = dot(v, p->axes[d], 3);
      }
    }
  }
}

/* u_f = u + inv(M~) dt (a - (g + d) u - h) */
static void assemble(const fleet *f, pk_workspace *w, pk_sim *sim, problem *p)
{
  const pk_model *m = f->model;
  const double dt = f->options.dt, *u = pk_sim_u(sim);
  const bool midpoint = f->options.stepper == PK_STEPPER_MOREAU;
  double half[NU], h[NU], force[NU];
  p->reach = midpoint ? 0.5 * dt : dt;
  for (int k = 0; k < NU; k++) {
    half[k] = midpoint ? 0.5 * dt * u[k] : 0;
  }
  pk_config_add(m, pk_sim_q(sim), half, p->q);
  pk_mass_matrix(w, p->q, p->A);
  pk_inverse_dynamics(w, p->q, u, NULL, h);
  for (int k = 0; k < NU; k++) {
    const pk_command *c = &pk_sim_commands(sim)[k];
    const double kp = m->dof_q[k] >= 0 ? c->kp : 0, x = m->dof_q[k] >= 0 ? p->q[m->dof_q[k]] : 0;
    const double gain = kp * p->reach + c->kd + m->dof_damping[k];
    p->A[NU * k + k] += dt * gain;
    force[k] = dt * (c->tau + kp * (c->q_des - x) + c->kd * c->u_des - gain * u[k] - h[k]);
  }
  solve_dense(p->A, force, p->u_free);
  for (int k = 0; k < NU; k++) {
    p->u_free[k] += u[k];
  }
  pk_kinematics_compute(w, p->q, u);
  see_feet(f, w, p);
}

/* The contacts of a step in that problem: their certificate, and the velocities that their impulses give. */
typedef struct verdict {
  double relative; /* of the certificate */
  double apart;    /* of the step's velocities */
  double broken;   /* m, how deep the velocities would push a foot that took no part */
  double gain;     /* J, energy in M~ that impulses brought in */
} verdict;

static verdict judge(const fleet *f, const problem *p, const pk_sim_contact *c, int n, const double *u_end)
{
  double W[ROWS * ROWS], q[ROWS], mu[FEET], r[ROWS], scratch[ROWS], response[ROWS][NU], u[NU];
  bool in[FEET] = {false};
  const double *rows[ROWS];
  verdict v = {.broken = 0};
  memcpy(u, p->u_free, sizeof u);
  for (int i = 0; i < n; i++) {
    const int k = c[i].shape;
    in[k] = true;
    mu[i] = f->material.friction;
    for (int d = 0; d < 3; d++) {
      rows[3 * i + d] = p->J[k][d];
      r[3 * i + d] = dot(c[i].impulse, p->axes[d], 3);
      q[3 * i + d] = dot(p->J[k][d], p->u_free, NU) + (d == 0 ? fmax(p->gap[k], 0) / p->reach : 0);
      solve_dense(p->A, p->J[k][d], response[3 * i + d]);
    }
  }
  for (int i = 0; i < 3 * n; i++) {
    for (int j = 0; j < 3 * n; j++) {
      W[3 * n * i + j] = dot(rows[i], response[j], NU);
    }
    for (int k = 0; k < NU; k++) {
      u[k] += response[i][k] * r[i];
    }
  }
  const pk_contact_problem all = {.ncontact = n, .W = W, .q = q, .mu = mu};
  v.relative = n > 0 ? pk_contact_certify(&all, r, scratch).relative : 0;
  v.apart = distance(u, u_end, NU);
  for (int k = 0; k < FEET; k++) {
    v.broken = in[k] ? v.broken : fmax(v.broken, -(p->gap[k] + p->reach * dot(p->J[k][0], u_end, NU)));
  }
  for (int i = 0; i < NU; i++) {
    v.gain +=
        0.5 * (dot(p->A + NU * i, u_end, NU) * u_end[i] - dot(p->A + NU * i, p->u_free, NU) * p->u_free[i]);
  }
  return v;
}

/* ---- both ways ---- */

/* What the steps were, so that the test knows that it has seen all kinds, and how far apart. */
typedef struct seen {
  long long steps, alone, touching, slipping, sticking, landing, leaving, projected;
  double u, q, certificate, told, apart, broken, gain, depth, longer;
} seen;

/* How far a configuration is from another, in the measure of M~. */
static double way(const fleet *f, const problem *p, const double *q1, const double *q0)
{
  double v[NU], sum = 0;
  pk_config_subtract(f->model, q1, q0, v);
  for (int i = 0; i < NU; i++) {
    sum += dot(p->A + NU * i, v, NU) * v[i];
  }
  return sqrt(fmax(sum, 0));
}

/* The ends of both: velocities, configurations, and the way that projections took. */
static void compare_ends(twins *t, pk_workspace *w, const problem *p, seen *s)
{
  const double *u = pk_world_of(pk_batch_u(t->lanes), 0), *q = pk_world_of(pk_batch_q(t->lanes), 0);
  double moved[NU], q_end[NQ];
  problem end = *p;
  for (int k = 0; k < NU; k++) {
    moved[k] = p->reach * u[k];
  }
  pk_config_add(t->f.model, p->q, moved, q_end);
  const double mine = way(&t->f, p, q, q_end), general = way(&t->f, p, pk_sim_q(t->general), q_end);
  s->u = fmax(s->u, distance(u, pk_sim_u(t->general), NU));
  if (general > 1e-9) { /* kg^1/2 m: positions were projected, by the shortest way */
    s->projected++;
    s->longer = fmax(s->longer, mine / general - 1);
  } else {
    s->q = fmax(s->q, distance(q, pk_sim_q(t->general), NQ));
  }
  pk_kinematics_compute(w, q, u);
  see_feet(&t->f, w, &end);
  for (int k = 0; k < FEET; k++) {
    s->depth = fmax(s->depth, -end.gap[k]);
  }
}

static void count(seen *s, const pk_sim_contact *c, int n, int before)
{
  bool slips = false, sticks = false;
  for (int i = 0; i < n; i++) {
    slips |= c[i].slides != 0;
    sticks |= !c[i].slides && dot(c[i].impulse, c[i].normal, 3) > 0;
  }
  s->touching += n > 0, s->slipping += slips, s->sticking += sticks;
  s->landing += n > before, s->leaving += n < before;
}

/* One step both ways from the state of the lanes; how many contacts it had comes back. */
static int step_both(twins *t, pk_workspace *w, seen *s, int before)
{
  pk_batch_info how;
  pk_step_info info;
  pk_sim_contact c[FEET];
  problem p;
  const pki_group_plan *plan = &t->lanes->plan;
  memcpy(p.normal, plan->normal, sizeof p.normal);
  memcpy(p.axes[0], plan->normal, sizeof p.normal);
  memcpy(p.axes[1], plan->tangent1, sizeof p.normal);
  memcpy(p.axes[2], plan->tangent2, sizeof p.normal);
  follow(t);
  assemble(&t->f, w, t->general, &p);
  assert_int_equal(pk_sim_step(t->general, &info), PK_OK);
  assert_int_equal(pk_batch_step(t->lanes, 1, &how), PK_OK);
  assert_int_equal(how.frozen, 0);
  assert_true(info.certified && how.uncertified == 0);
  const int n = pk_batch_contacts(t->lanes, 0, c, FEET);
  s->steps++, s->alone += how.alone;
  if (how.alone == 0) {
    const verdict v = judge(&t->f, &p, c, n, pk_world_of(pk_batch_u(t->lanes), 0));
    count(s, c, n, before);
    compare_ends(t, w, &p, s);
    s->certificate = fmax(s->certificate, v.relative), s->told = fmax(s->told, fabs(v.relative - how.worst));
    s->apart = fmax(s->apart, v.apart), s->broken = fmax(s->broken, v.broken),
    s->gain = fmax(s->gain, v.gain);
  }
  return n;
}

static void run_both(const fleet_setting *of, seen *s)
{
  twins t;
  *s = (seen){0};
  begin(&t, of);
  pk_workspace *w = pk_workspace_create(t.f.model);
  for (int k = 0; k < 16; k++) {
    pk_sim_reset(t.probe);
    fleet_place(&t.f, t.probe, k);
    assert_int_equal(pk_batch_set(t.lanes, 0, t.probe, NULL), PK_OK);
    for (int step = 0, n = 0; step < of->steps; step++) {
      n = step_both(&t, w, s, n);
    }
  }
  print_message("%s: %lld steps, %lld alone, %lld touch, %lld stick, %lld slip, %lld land, %lld leave, %lld "
                "projected (longer by %.1e)\n",
                of->name, s->steps, s->alone, s->touching, s->sticking, s->slipping, s->landing, s->leaving,
                s->projected, s->longer);
  print_message(
      "  general step: u %.1e q %.1e; problem: certificate %.1e (told %.1e apart) u %.1e broken %.1e gain "
      "%.1e; depth %.1e\n",
      s->u, s->q, s->certificate, s->told, s->apart, s->broken, s->gain, s->depth);
  pk_workspace_destroy(w);
  end(&t);
}

static void lanes_solve_the_problem_of_the_step(void **state)
{
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    seen s;
    run_both(&settings[i], &s);
    /* the same problem: the certificate bounds what velocities can be wrong by */
    assert_true(s.certificate <= 1.01e-10 && s.told <= 1e-12);
    assert_true(s.apart <= 1e-11 && s.u <= 1e-8 && s.q <= 1e-10);
    assert_true(s.broken <= 1e-13 && s.gain <= 1e-12);
    /* projections end on the ground, and are hardly longer than the shortest */
    assert_true(s.depth <= 1.001e-9 && s.longer <= 0.05);
    /* all kinds of steps were seen, most of them on lanes */
    assert_true(s.touching > 0 && s.landing > 0 && s.leaving > 0 && s.projected > 0);
    assert_true(s.slipping > 0 && (s.sticking > 0 || settings[i].friction == 0));
    assert_true(4 * s.alone < s.steps);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_solve_the_problem_of_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
