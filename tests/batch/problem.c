/* The step in slots is the step: it solves the problem that the step on chains solves (chain_rows.h), from the same states to the
 * same end, and its certificate is that of a problem that is assembled once more, densely, from the public API. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batch/batch.h"
#include "pronk/collision.h"
#include "step/contact.h"
#include "support/bounds.h"
#include "support/dense_step.h"
#include "support/fleet.h"
#include "support/pace.h"

enum { ROOM = DENSE_CONTACTS };

/* Feet alone: the solution is unique. */
static const fleet_setting on_feet[] = {
    {"level", FLEET_FEET, 0, FLEET_PLANE, FLEET_DROP, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"slippery", FLEET_FEET, 0, FLEET_PLANE, FLEET_DROP, 0.1, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"slope", FLEET_FEET, 0, FLEET_SLOPE, FLEET_DROP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"slippery slope", FLEET_FEET, 0, FLEET_SLOPE, FLEET_DROP, 0.05, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"without friction", FLEET_FEET, 0, FLEET_SLOPE, FLEET_DROP, 0, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"euler", FLEET_FEET, 0, FLEET_PLANE, FLEET_DROP, 0.5, PK_STEPPER_EULER, 0, 2e-3, 120, true},
    {"euler, slope", FLEET_FEET, 0, FLEET_SLOPE, FLEET_DROP, 0.3, PK_STEPPER_EULER, 0, 2e-3, 120, true},
};

/* Contacts of all shapes, joint limits, saturated commands: more rows than the robot has ways to move. */
static const fleet_setting on_anything[] = {
    {"limp", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 200, true},
    {"limp, slope, euler", FLEET_STARLETH, 0, FLEET_SLOPE, FLEET_LIMP, 0.3, PK_STEPPER_EULER, 0, 2e-3, 200,
     true},
    {"limp coman", FLEET_COMAN, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 200, true},
    {"coman that holds its pose", FLEET_COMAN, 0, FLEET_PLANE, FLEET_HELD, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3,
     150, true},
    {"weak motors", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_WEAK, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 200, true},
    {"weak coman", FLEET_COMAN, 0, FLEET_SLOPE, FLEET_WEAK, 0.6, PK_STEPPER_EULER, 0, 2e-3, 150, true},
    {"rough ground", FLEET_STARLETH, 0, FLEET_HEIGHTS, FLEET_WEAK, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 200,
     true},
    {"limp, joints that rub", FLEET_RUBBING, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3,
     200, true},
    {"weak motors, joints that rub, euler", FLEET_RUBBING, 0, FLEET_SLOPE, FLEET_WEAK, 0.6, PK_STEPPER_EULER,
     0, 2e-3, 200, true},
    {"limp on rough ground", FLEET_STARLETH, 0, FLEET_HEIGHTS, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3,
     200, true},
};

/* Two worlds of one kind: one on lanes, one that never is. */
typedef struct twins {
  fleet f;
  pk_batch *lanes;
  pk_sim *general, *probe;
  pk_workspace *w;
  pk_geometry *ball; /* a small one */
} twins;

/* m, of the small ball, which finds the shapes that a point belongs to. */
static const double SMALL = 1e-6;

static void begin(twins *t, const fleet_setting *s, double tolerance)
{
  pk_error err = {.message = ""};
  fleet_make(&t->f, s);
  t->f.options.tolerance = tolerance;
  t->lanes = fleet_batch(&t->f, 1, 1, 1);
  t->general = fleet_sim(&t->f, 0);
  t->probe = fleet_sim(&t->f, 0);
  pk_workspace_create(t->f.model, &t->w, NULL);
  const pk_geometry_desc ball = {.kind = PK_SHAPE_SPHERE, .size = {SMALL}};
  assert_int_equal(pk_geometry_create(&ball, &t->ball, &err), PK_OK);
}

static void end(twins *t)
{
  pk_batch_destroy(t->lanes);
  pk_sim_destroy(t->general);
  pk_sim_destroy(t->probe);
  pk_workspace_destroy(t->w);
  pk_geometry_destroy(t->ball);
  fleet_free(&t->f);
}

/* The general world as the other one is. */
static void follow(twins *t)
{
  pk_error err = {.message = ""};
  assert_int_equal(pk_batch_get(t->lanes, 0, t->general, &err), PK_OK);
  assert_int_equal(pk_batch_get(t->lanes, 0, t->probe, &err), PK_OK);
  t->general->single.chains_only = true;
}

static double distance(const double *a, const double *b, int n)
{
  double most = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(a[k] - b[k]));
  }
  return most;
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

/* ---- what the step did not look at ---- */

/* All contacts within the margin at q by the general search, in t->probe. */
static int search(twins *t, const double *q)
{
  const int n = dense_search(t->probe, q, t->probe->options.margin);
  assert_at_least(n, 0);
  return n;
}

/* Whether a contact of the search is one of the step's: by name, or the same place of a foot, which has one contact without a
 * name on a height field. */
static bool took_part(const twins *t, const pki_contact *c)
{
  const int n = pki_head_of(t->lanes, 0)->n.nlast;
  const pki_contact *last =
      (const pki_contact *)(const void *)(pki_block_of(t->lanes, 0) + t->lanes->row_at[PKI_MEMORY_LAST]);
  bool same = pki_contact_search(last, n, c) >= 0;
  for (int i = 0; i < n && !same; i++) {
    same = last[i].geom[0] == c->geom[0] && last[i].geom[1] == c->geom[1] &&
           distance(last[i].normal, c->normal, 3) < 1e-9 && fabs(last[i].gap - c->gap) < 1e-9;
  }
  return same;
}

/* m, how deep the velocities would push contacts of the general search that took no part. *sides: the same of balls on a height field,
 * of which lanes know the nearest side alone; what they push through another one the projection takes back. */
static double broken_contacts(twins *t, const dense_step *s, const double *u_end, double *sides)
{
  const pk_model *m = s->model;
  const int n = search(t, s->q);
  double most = 0;
  *sides = 0;
  for (int i = 0; i < n; i++) {
    const pki_contact *c = &t->probe->contact.found[i];
    const bool ball = m->shapes[c->geom[0]].kind == PK_SHAPE_SPHERE && t->f.of->ground == FLEET_HEIGHTS;
    double *to = ball && c->other < 0 ? sides : &most;
    if (!took_part(t, c)) {
      *to = fmax(*to, dense_broken(s, dense_link(m, c->geom[0]), dense_link(m, c->geom[1]), c->point,
                                   c->normal, c->gap, u_end));
    }
  }
  return most;
}

/* m, the least gap of the contacts of the last search that a contact shares its shapes and its normal with: its point is in the plane of that one. */
static double deepest_gap(const twins *t, const pk_sim_contact *c)
{
  double least = c->gap;
  for (int i = 0; i < t->probe->contact.nfound; i++) {
    const pki_contact *f = &t->probe->contact.found[i];
    if (f->geom[0] == c->shape && (c->other_shape < 0 ? f->other < 0 : f->geom[1] == c->other_shape) &&
        dot(f->normal, c->normal, 3) > 1 - 1e-12) {
      least = fmin(least, f->gap);
    }
  }
  return least;
}

/* The shapes of a contact are at its point, or half its gap away; it may be moved along its normal into the plane of the deepest one. */
static void check_place(twins *t, const pk_sim_contact *c)
{
  int shapes[16];
  const bool plane = t->f.of->ground != FLEET_HEIGHTS && c->other_shape < 0;
  const double height = dot(c->point, t->lanes->plan.normal, 3);
  const double moved = c->gap - (plane ? height : deepest_gap(t, c));
  bool first = false, second = c->other_shape < 0;
  for (int try = 0; try < 9; try++) {
    const int side = try % 3 - 1, way = try / 3 - 1;
    pk_pose at = pk_pose_identity();
    for (int k = 0; k < 3; k++) {
      const double along = c->other_shape >= 0 ? 0.5 * (side * c->gap + way * moved) : way * moved;
      at.pos[k] = c->point[k] + along * c->normal[k];
    }
    const int found = pk_sim_overlap(t->probe, t->ball, &at, shapes, 16);
    for (int i = 0; i < found && i < 16; i++) {
      first |= shapes[i] == c->shape;
      second |= shapes[i] == c->other_shape;
    }
  }
  if (!first || !second) {
    fail_msg("%s: shapes %d and %d are not at their contact, gap %g m", t->f.of->name, c->shape,
             c->other_shape, c->gap);
  }
  if (plane && moved < -t->lanes->plan.touching) {
    fail_msg("%s: a point of shape %d is %g m above the plane, its gap is %g m", t->f.of->name, c->shape,
             height, c->gap);
  }
}

/* ---- both ways ---- */

/* What the steps were, so that the test knows that it has seen all kinds, and how far apart. */
typedef struct seen {
  long long steps, alone, uncertified, touching, slipping, sticking, landing, leaving, projected;
  long long compared, agree, limits, torques, holding, sliding, self,
      others; /* rows; contacts of links, of shapes that are no feet */
  long long
      roundabout; /* projections that are half as long again as the shortest, and by more than 1e-6 kg^1/2 m */
  double u, q, tau, certificate, told, apart, broken, sides, gain, depth, longer;
  double other; /* the certificate of the step on chains' impulses, where they are others */
} seen;

/* How far a configuration is from another, in the measure of M~. */
static double way(const dense_step *s, const double *A, const double *q1, const double *q0)
{
  const int nu = s->model->nu;
  double v[DENSE_NU], sum = 0;
  pk_config_subtract(s->model, q1, q0, v);
  for (int i = 0; i < nu; i++) {
    sum += dot(A + nu * i, v, nu) * v[i];
  }
  return sqrt(fmax(sum, 0));
}

/* The certificate of the step on chains' impulses in the problem that is assembled here. */
static double judge_general(twins *t, const dense_step *p)
{
  pk_sim_contact c[ROOM];
  const int n = pk_sim_contacts(t->general, c, ROOM);
  return dense_judge(p, c, n, t->general->state.last_joint, pk_sim_u(t->general)).relative;
}

/* The ends of both: velocities, configurations, and the way that projections took. */
static void compare_ends(twins *t, const dense_step *p, const double *A, seen *s)
{
  const pk_model *m = t->f.model;
  const double *u = pk_batch_view_world(pk_batch_u(t->lanes), 0),
               *q = pk_batch_view_world(pk_batch_q(t->lanes), 0);
  double moved[DENSE_NU], q_end[DENSE_NQ];
  for (int k = 0; k < m->nu; k++) {
    moved[k] = p->reach * u[k];
  }
  pk_config_add(m, p->q, moved, q_end);
  const double mine = way(p, A, q, q_end), general = way(p, A, pk_sim_q(t->general), q_end);
  const double apart = distance(u, pk_sim_u(t->general), m->nu);
  s->compared++, s->agree += apart <= 1e-5;
  s->u = fmax(s->u, apart);
  if (apart > 1e-5) { /* another solution of the same problem */
    s->other = fmax(s->other, judge_general(t, p));
    return;
  }
  if (general > 1e-9) { /* kg^1/2 m: positions were projected, by the shortest way */
    s->projected++, s->roundabout += mine > 1.5 * general + 1e-6;
    s->longer = fmax(s->longer, mine / general - 1);
  } else {
    s->q = fmax(s->q, distance(q, pk_sim_q(t->general), m->nq));
  }
}

/* How deep shapes and joint limits are at the end. */
static double depth_at_end(twins *t)
{
  const pk_model *m = t->f.model;
  const double *q = pk_batch_view_world(pk_batch_q(t->lanes), 0);
  const int n = search(t, q);
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, -t->probe->contact.found[i].gap);
  }
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0) {
      const double x = q[m->dof_q[k]];
      most = fmax(most, fmax(m->dof_lower[k] - x, x - m->dof_upper[k]));
    }
  }
  return most;
}

static void count(const fleet *f, seen *s, const pk_sim_contact *c, int n, int before)
{
  bool slips = false, sticks = false;
  for (int i = 0; i < n; i++) {
    slips |= c[i].slides != 0;
    sticks |= !c[i].slides && dot(c[i].impulse, c[i].normal, 3) > 0;
    s->self += c[i].other_shape >= 0;
    s->others += c[i].other_shape < 0 && f->model->shapes[c[i].shape].kind != PK_SHAPE_SPHERE;
  }
  s->touching += n > 0, s->slipping += slips, s->sticking += sticks;
  s->landing += n > before, s->leaving += n < before;
}

/* The problem of a step that lanes did, and the impulses that they found. */
static void judge(twins *t, const dense_step *p, const pk_sim_contact *c, int n, const pk_batch_info *how,
                  bool general, seen *s)
{
  const double *u = pk_batch_view_world(pk_batch_u(t->lanes), 0),
               *tau = pk_batch_view_world(pk_batch_tau(t->lanes), 0);
  memcpy(pk_sim_q(t->probe), p->q, (size_t)p->model->nq * sizeof(double));
  search(t, p->q);
  for (int i = 0; i < n; i++) {
    check_place(t, &c[i]);
  }
  double sides;
  const double broken = broken_contacts(t, p, u, &sides);
  assert_int_equal(pk_batch_get(t->lanes, 0, t->probe, NULL), PK_OK);
  const dense_verdict v = dense_judge(p, c, n, t->probe->state.last_joint, u);
  s->limits += v.limits, s->torques += v.torques;
  s->holding += v.holding, s->sliding += v.sliding;
  s->apart = fmax(s->apart, v.apart);
  s->gain = fmax(s->gain, v.torques > 0 ? 0 : v.gain); /* motors that are rows may drive */
  for (int k = 0; k < p->model->nu; k++) {
    s->tau = fmax(s->tau, fabs(tau[k] - dense_force(p, k, u)));
  }
  s->depth = fmax(s->depth, depth_at_end(t));
  s->uncertified += how->uncertified;
  if (how->uncertified == 0) {
    const double slack = 2 * t->f.options.tolerance * v.scale * p->reach; /* rows without impulses */
    /* commands that are pinned at their limits are rows here, with scales of their own, so that more may be told */
    s->certificate = fmax(s->certificate, v.relative), s->told = fmax(s->told, v.relative - how->worst);
    s->sides = fmax(s->sides, sides);
    s->broken = fmax(s->broken, fmax(broken, fmax(v.limit_broken, v.torque_broken)) - slack);
    if (general) {
      compare_ends(t, p, v.A, s);
    }
  }
}

/* One step both ways from the state of the lanes; how many contacts it had comes back. */
static int step_both(twins *t, seen *s, int before)
{
  pk_batch_info how;
  pk_step_info info;
  pk_sim_contact c[ROOM];
  dense_step p;
  follow(t);
  dense_begin(&p, t->general, &t->f.options, t->w);
  assert_int_equal(pk_sim_step(t->general, &info), PK_OK);
  assert_int_equal(info.left, PK_LANE_EXIT_WORLD);
  assert_int_equal(pk_batch_step(t->lanes, 1, &how), PK_OK);
  assert_int_equal(how.frozen, 0);
  const int n = pk_batch_contacts(t->lanes, 0, c, ROOM);
  assert_at_most(n, ROOM);
  s->steps++, s->alone += how.alone;
  if (how.alone == 0) {
    count(&t->f, s, c, n, before);
    judge(t, &p, c, n, &how, info.certified, s);
  }
  return n;
}

static void run_both(const fleet_setting *of, double tolerance, int worlds, seen *s)
{
  twins t;
  *s = (seen){0};
  begin(&t, of, tolerance);
  for (int k = 0; k < worlds; k++) {
    pk_sim_reset(t.probe);
    fleet_place(&t.f, t.probe, k);
    assert_int_equal(pk_batch_set(t.lanes, 0, t.probe, NULL), PK_OK);
    for (int step = 0, n = 0; step < of->steps; step++) {
      n = step_both(&t, s, n);
    }
  }
  print_message("%s: %lld steps, %lld left, %lld uncertified, %lld touch, %lld stick, %lld slip, %lld land, "
                "%lld leave, %lld projected (longer by %.1e, %lld roundabout)\n",
                of->name, s->steps, s->alone, s->uncertified, s->touching, s->sticking, s->slipping,
                s->landing, s->leaving, s->projected, s->longer, s->roundabout);
  print_message(
      "  contacts of links %lld, of other shapes than balls %lld, limits %lld, torques %lld, joints that "
      "hold %lld, that slide %lld\n",
      s->self, s->others, s->limits, s->torques, s->holding, s->sliding);
  print_message("  on chains: %lld of %lld agree, u %.1e q %.1e; problem: certificate %.1e (above what "
                "was told by %.1e) u "
                "%.1e tau %.1e broken %.1e (other sides %.1e) gain %.1e; depth %.1e\n",
                s->agree, s->compared, s->u, s->q, s->certificate, s->told, s->apart, s->tau, s->broken,
                s->sides, s->gain, s->depth);
  end(&t);
}

/* x <= most, or the test fails with both. */
static void at_most(const char *setting, const char *what, double x, double most)
{
  if (!(x <= most)) {
    fail_msg("%s: %s is %.3e, expected at most %.3e", setting, what, x, most);
  }
}

static void feet_on_lanes_solve_the_problem_of_the_step(void **state)
{
  (void)state;
  seen all = {0};
  for (size_t i = 0; i < sizeof on_feet / sizeof on_feet[0]; i++) {
    const char *name = on_feet[i].name;
    seen s;
    run_both(&on_feet[i], 1e-10, PACE(16, 4), &s);
    /* the same problem: the certificate bounds what velocities can be wrong by */
    at_most(name, "the certificate", s.certificate, 1.01e-10);
    at_most(name, "the certificate less what was told", s.told, 1e-12);
    at_most(name, "the velocity of the impulses", s.apart, 1e-11);
    at_most(name, "the torque", s.tau, 1e-10);
    at_most(name, "the step on chains' velocity", s.u, 1e-7);
    at_most(name, "the step on chains' configuration", s.q, 1e-10);
    at_most(name, "what was broken", s.broken, 1e-13);
    at_most(name, "the energy of impulses", s.gain, 1e-12);
    /* projections end on the ground, and are hardly longer than the shortest */
    at_most(name, "the depth", s.depth, 1.001e-9);
    at_most(name, "the longer way out", s.longer, 0.05);
    /* all kinds of steps were seen, most of them on lanes */
    assert_int_equal(s.uncertified, 0);
    if (!PK_TEST_SLOW) {
      assert_greater(s.touching, 0);
      assert_greater(s.landing, 0);
      assert_greater(s.leaving, 0);
      assert_greater(s.projected, 0);
      assert_greater(s.slipping, 0);
      assert_true(s.sticking > 0 || on_feet[i].friction == 0);
    }
    all.touching += s.touching, all.landing += s.landing, all.leaving += s.leaving,
        all.projected += s.projected;
    all.slipping += s.slipping, all.sticking += s.sticking;
    at_most(name, "the part that left", (double)s.alone / (double)s.steps, 0.01);
  }
  /* in one setting at least, where fewer worlds run */
  assert_greater(all.touching, 0);
  assert_greater(all.landing, 0);
  assert_greater(all.leaving, 0);
  assert_greater(all.projected, 0);
  assert_greater(all.slipping, 0);
  assert_greater(all.sticking, 0);
}

static void anything_on_lanes_solves_the_problem_of_the_step(void **state)
{
  (void)state;
  seen all = {0};
  for (size_t i = 0; i < sizeof on_anything / sizeof on_anything[0]; i++) {
    const char *name = on_anything[i].name;
    const double tolerance = pk_sim_options_default().tolerance;
    seen s;
    run_both(&on_anything[i], tolerance, PACE(6, 2), &s);
    /* friction of joints that slide is part of u_f in the step and a row here, so that |q| differs, which residuals are relative to */
    const double scales = on_anything[i].robot == FLEET_RUBBING ? 4 : 1.01;
    at_most(name, "the certificate", s.certificate, scales * tolerance);
    at_most(name, "the velocity of the impulses", s.apart, 1e-9);
    at_most(name, "the torque", s.tau, 1e-9);
    at_most(name, "what was broken", s.broken, 1e-12);
    at_most(name, "what was broken of other sides", s.sides, 5e-5);
    at_most(name, "the depth", s.depth, 1e-6);
    at_most(name, "the energy of impulses", s.gain, 1e-9);
    assert_int_equal(s.roundabout, 0);
    at_most(name, "the part that is not certified", (double)s.uncertified / (double)s.steps, 0.01);
    /* several solutions: most steps find the one that the step on chains finds */
    at_most(name, "the part that differs from the step on chains",
            (double)(s.compared - s.agree) / (double)s.compared, 0.1);
    at_most(name, "the certificate of the step on chains where it differs", s.other, scales * tolerance);
    at_most(name, "the part that left", (double)s.alone / (double)s.steps,
            on_anything[i].ground == FLEET_HEIGHTS ? 0.6 : 0.02);
    all.limits += s.limits, all.torques += s.torques, all.self += s.self, all.others += s.others;
    all.holding += s.holding, all.sliding += s.sliding;
    all.slipping += s.slipping, all.sticking += s.sticking, all.projected += s.projected;
  }
  assert_greater(all.limits, 0);
  assert_greater(all.torques, 0);
  assert_greater(all.self, 0);
  assert_greater(all.others, 0);
  assert_greater(all.holding, 0);
  assert_greater(all.sliding, 0);
  assert_greater(all.slipping, 0);
  assert_greater(all.sticking, 0);
  assert_greater(all.projected, 0);
}

/* A push on lanes does what it does in the step on chains, to rounding: on trunks and on feet, in the air and on the ground. */
static void pushes_on_lanes_are_those_of_the_step_on_chains(void **state)
{
  (void)state;
  twins t;
  double apart = 0, moved = 0;
  begin(&t, &on_feet[0], 1e-10);
  const int nu = t.f.model->nu, links = t.f.model->nlink;
  for (int i = 0; i < PACE(200, 40); i++) {
    const double at[3] = {0.1, 0.02 * (i % 3), 0.05}, force[3] = {20, -30 + i % 7, 10};
    const double *u = pk_batch_view_world(pk_batch_u(t.lanes), 0);
    const int link = 3 * i % links;
    pk_batch_info how;
    pk_step_info info;
    follow(&t); /* the probe is not pushed */
    assert_int_equal(pk_batch_push(t.lanes, 0, link, at, force), PK_OK);
    assert_int_equal(pk_sim_push(t.general, link, at, force), PK_OK);
    assert_int_equal(pk_batch_step(t.lanes, 1, &how), PK_OK);
    assert_int_equal(pk_sim_step(t.general, &info), PK_OK);
    assert_int_equal(pk_sim_step(t.probe, NULL), PK_OK);
    assert_int_equal(how.alone, 0);
    assert_int_equal(info.left, PK_LANE_EXIT_WORLD);
    apart = fmax(apart, distance(u, pk_sim_u(t.general), nu));
    moved = fmax(moved, distance(u, pk_sim_u(t.probe), nu));
  }
  print_message("pushes: %.1e off the step on chains, which they change by %.1e\n", apart, moved);
  at_most("pushes", "the step on chains' velocity", apart, 1e-7);
  assert_greater(moved, 0.1);
  end(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(feet_on_lanes_solve_the_problem_of_the_step),
      cmocka_unit_test(anything_on_lanes_solves_the_problem_of_the_step),
      cmocka_unit_test(pushes_on_lanes_are_those_of_the_step_on_chains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
