/* Steps on chains (step/chain_rows.h) hold the problem that is assembled once more, densely, from the public API; they are the same in
 * minimal and in maximal coordinates, and where joints follow others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "step/contact.h"
#include "support/bounds.h"
#include "support/dense_step.h"
#include "support/fleet.h"
#include "support/pace.h"
#include "support/world.h"

enum { ROOM = DENSE_CONTACTS };

/* x <= most, or the test fails with both. */
static void at_most(const char *setting, const char *what, double x, double most)
{
  if (!(x <= most)) {
    fail_msg("%s: %s is %.3e, expected at most %.3e", setting, what, x, most);
  }
}

static double distance(const double *a, const double *b, int n)
{
  double most = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(a[k] - b[k]));
  }
  return most;
}

/* ---- the dense problem ---- */

/* What the steps of a world were. */
typedef struct seen {
  long long steps, uncertified, touching, self, slipping, sticking, limits, torques, holding, sliding;
  double certificate, apart, tau, broken, depth;
} seen;

/* Contacts at a configuration, in `probe`. */
static int search(pk_sim *probe, const double *q)
{
  const int n = dense_search(probe, q, probe->options.margin);
  assert_at_least(n, 0);
  return n;
}

/* m, how deep the velocities would push contacts that took no part. */
static double broken_contacts(pk_sim *probe, const pk_sim *sim, const dense_step *p, const double *u_end)
{
  const int n = search(probe, p->q);
  double most = 0;
  for (int i = 0; i < n; i++) {
    const pki_contact *c = &probe->contact.found[i];
    if (pki_contact_search(sim->state.last, sim->state.n.nlast, c) < 0) {
      most = fmax(most, dense_broken(p, dense_link(p->model, c->geom[0]), dense_link(p->model, c->geom[1]),
                                     c->point, c->normal, c->gap, u_end));
    }
  }
  return most;
}

/* How deep shapes and joint limits are at the end. */
static double depth_at_end(pk_sim *probe, pk_sim *sim)
{
  const pk_model *m = pk_sim_model(sim);
  const int n = search(probe, pk_sim_q(sim));
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, -probe->contact.found[i].gap);
  }
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0) {
      const double x = pk_sim_q(sim)[m->dof_q[k]];
      most = fmax(most, fmax(m->dof_lower[k] - x, x - m->dof_upper[k]));
    }
  }
  return most;
}

static void count_contacts(seen *s, const pk_sim_contact *c, int n)
{
  s->touching += n > 0;
  for (int i = 0; i < n; i++) {
    s->self += c[i].other_shape >= 0;
    s->slipping += c[i].slides != 0;
    s->sticking += !c[i].slides && c[i].impulse[2] != 0;
  }
}

/* A step that has been made from p, judged. */
static void judge(pk_sim *sim, pk_sim *probe, const dense_step *p, const pk_step_info *info, seen *s)
{
  pk_sim_contact c[ROOM];
  const int n = pk_sim_contacts(sim, c, ROOM);
  const double *u = pk_sim_u(sim);
  assert_at_most(n, ROOM);
  const double broken = broken_contacts(probe, sim, p, u);
  const dense_verdict v = dense_judge(p, c, n, sim->state.last_joint, u);
  count_contacts(s, c, n);
  s->steps++, s->uncertified += !info->certified;
  s->limits += v.limits, s->torques += v.torques, s->holding += v.holding, s->sliding += v.sliding;
  s->apart = fmax(s->apart, v.apart);
  for (int k = 0; k < p->model->nu; k++) {
    s->tau = fmax(s->tau, fabs(pk_sim_tau(sim)[k] - dense_force(p, k, u)));
  }
  s->depth = fmax(s->depth, depth_at_end(probe, sim));
  if (info->certified) {
    const double slack = 2 * sim->options.tolerance * v.scale * p->reach; /* rows without impulses */
    s->certificate = fmax(s->certificate, v.relative);
    s->broken = fmax(s->broken, fmax(broken, fmax(v.limit_broken, v.torque_broken)) - slack);
  }
}

static void print_seen(const char *name, const seen *s)
{
  print_message("%s: %lld steps, %lld uncertified, %lld touch; contacts of links %lld, that slip %lld, stick "
                "%lld; limits %lld, torques %lld, joints that hold %lld, slide %lld\n",
                name, s->steps, s->uncertified, s->touching, s->self, s->slipping, s->sticking, s->limits,
                s->torques, s->holding, s->sliding);
  print_message("  certificate %.1e u %.1e tau %.1e broken %.1e depth %.1e\n", s->certificate, s->apart,
                s->tau, s->broken, s->depth);
}

static void add_seen(seen *all, const seen *s)
{
  all->steps += s->steps, all->uncertified += s->uncertified, all->touching += s->touching;
  all->self += s->self, all->slipping += s->slipping, all->sticking += s->sticking;
  all->limits += s->limits, all->torques += s->torques;
  all->holding += s->holding, all->sliding += s->sliding;
}

/* Bounds of what was seen; `scale`: friction of joints that slide, and commands at their limits, are constants in the step and rows
 * here, so that |q| differs, which residuals are relative to. */
static void check_seen(const char *name, const seen *s, double tolerance, double scale)
{
  at_most(name, "the certificate", s->certificate, scale * tolerance);
  at_most(name, "the velocity of the impulses", s->apart, 1e-9);
  at_most(name, "the torque", s->tau, 1e-9);
  at_most(name, "what was broken", s->broken, 1e-12);
  at_most(name, "the depth", s->depth, 1e-6);
  at_most(name, "the part that is not certified", (double)s->uncertified / (double)s->steps, 0.01);
}

/* ---- robots on chains ---- */

static const fleet_setting on_anything[] = {
    {"limp", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 150, true},
    {"limp, slope, euler", FLEET_STARLETH, 0, FLEET_SLOPE, FLEET_LIMP, 0.3, PK_STEPPER_EULER, 0, 2e-3, 150,
     true},
    {"limp coman", FLEET_COMAN, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 150, true},
    {"weak motors", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_WEAK, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 150, true},
    {"weak coman, slope, euler", FLEET_COMAN, 0, FLEET_SLOPE, FLEET_WEAK, 0.6, PK_STEPPER_EULER, 0, 2e-3, 150,
     true},
    {"limp, joints that rub", FLEET_RUBBING, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3,
     150, true},
    {"weak motors, joints that rub, slope, euler", FLEET_RUBBING, 0, FLEET_SLOPE, FLEET_WEAK, 0.6,
     PK_STEPPER_EULER, 0, 2e-3, 150, true},
};

/* World k of a fleet for the setting's steps. */
static void run_world(const fleet *f, pk_sim *probe, pk_workspace *w, int k, seen *s)
{
  pk_sim *sim = fleet_sim(f, k);
  sim->single.chains_only = true;
  for (int step = 0; step < f->of->steps; step++) {
    dense_step p;
    dense_begin(&p, sim, &f->options, w);
    const pk_step_info info = must_step(sim);
    assert_int_equal(info.left, PK_LANE_EXIT_WORLD);
    judge(sim, probe, &p, &info, s);
  }
  pk_sim_destroy(sim);
}

static void steps_on_chains_solve_the_dense_problem(void **state)
{
  (void)state;
  seen all = {0};
  for (size_t i = 0; i < sizeof on_anything / sizeof on_anything[0]; i++) {
    seen s = {0};
    fleet f;
    fleet_make(&f, &on_anything[i]);
    pk_sim *probe = fleet_sim(&f, 0);
    pk_workspace *w;
    pk_workspace_create(f.model, &w, NULL);
    for (int k = 0; k < PACE(6, 1); k++) {
      run_world(&f, probe, w, k, &s);
    }
    print_seen(f.of->name, &s);
    check_seen(f.of->name, &s, f.options.tolerance, f.of->robot == FLEET_RUBBING ? 4 : 1.01);
    add_seen(&all, &s);
    pk_workspace_destroy(w);
    pk_sim_destroy(probe);
    fleet_free(&f);
  }
  assert_greater(all.limits, 0);
  assert_greater(all.torques, 0);
  assert_greater(all.self, 0);
  assert_greater(all.touching, 0);
  assert_greater(all.holding, 0);
  assert_greater(all.sliding, 0);
  assert_greater(all.slipping, 0);
  assert_greater(all.sticking, 0);
}

/* ---- minimal and maximal coordinates ---- */

/* StarLETH with all joints cut, which rub as those of FLEET_RUBBING. */
typedef struct cut_robot {
  pk_model *loaded;
  pk_model model, tree;
} cut_robot;

static void cut_joints(cut_robot *c, const fleet *like)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  assert_int_equal(pk_builder_add_urdf(b, PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, NULL), PK_OK);
  assert_int_equal(pk_builder_cut_joint(b, NULL, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(b, &c->loaded, NULL), PK_OK);
  pk_builder_destroy(b);
  c->model = *c->loaded, c->tree = *c->loaded->tree;
  c->tree.dof_friction = like->model->dof_friction;
  c->model.tree = &c->tree;
}

/* A world as `from` is, its velocities so small that their products, in which the coordinates differ, are nothing. Joint rows
 * remember what they do in `from`; contacts are met anew. */
static void place_like(pk_sim *sim, pk_sim *from)
{
  const int nu = from->model->nu;
  double q[DENSE_NQ], u[DENSE_NU];
  pk_sim_get_joints(from, q, u);
  const double most = distance(u, (const double[DENSE_NU]){0}, nu),
               slow = most > 0 ? fmin(1, 1e-3 / most) : 1;
  for (int k = 0; k < nu; k++) {
    u[k] *= slow;
  }
  pk_sim_reset(sim);
  pk_sim_set_joints(sim, q, u);
  memcpy(sim->state.commands, from->state.commands, (size_t)nu * sizeof *sim->state.commands);
  memcpy(sim->state.limited, from->state.limited, (size_t)nu * sizeof *sim->state.limited);
  memcpy(sim->state.last_joint, from->state.last_joint, PKI_JOINT_ROWS * (size_t)nu * sizeof(double));
}

/* What the two steps were. Friction can leave several solutions: those that agree are compared further. */
typedef struct met {
  long long steps, compared, agree, limits, torques, holding, sliding, touching;
  double certificate, apart, tau, u,
      q; /* of the cut joints in the dense problem of the tree; between the two */
} met;

static void count_rows(met *m, const pk_sim *sim)
{
  const int n = sim->joints.n;
  const double *r = sim->state.last_joint;
  for (int k = 0; k < n; k++) {
    const double rubs = sim->options.dt * sim->joints.model->dof_friction[k],
                 friction = fabs(r[PKI_ROW_FRICTION * n + k]);
    m->limits += r[PKI_ROW_LOWER * n + k] > 0 || r[PKI_ROW_UPPER * n + k] > 0;
    m->torques += r[PKI_ROW_TORQUE * n + k] != 0;
    m->sliding += rubs > 0 && friction >= PKI_STICKING * rubs;
    m->holding += rubs > 0 && friction < PKI_STICKING * rubs;
  }
  m->touching += sim->state.n.nlast > 0;
}

/* The step of the cut robot in the dense problem of the other one. */
static void judge_cut(pk_sim *maximal, const dense_step *p, const double *u, met *m)
{
  pk_sim_contact c[ROOM];
  const int n = pk_sim_contacts(maximal, c, ROOM);
  const dense_verdict v = dense_judge(p, c, n, maximal->state.last_joint, u);
  m->certificate = fmax(m->certificate, v.relative);
  m->apart = fmax(m->apart, v.apart);
  for (int k = 0; k < p->model->nu; k++) {
    m->tau = fmax(m->tau, fabs(pk_sim_tau(maximal)[k] - dense_force(p, k, u)));
  }
}

/* One step each from the state of `from`. */
static void step_both(pk_sim *from, pk_sim *minimal, pk_sim *maximal, pk_workspace *w, met *m)
{
  const pk_model *of = from->model;
  double q[2][DENSE_NQ], u[2][DENSE_NU];
  dense_step p;
  place_like(minimal, from), place_like(maximal, from);
  dense_begin(&p, minimal, &from->options, w);
  const pk_step_info a = must_step(minimal), b = must_step(maximal);
  m->steps++;
  if (!a.certified || !b.certified) {
    return;
  }
  pk_sim_get_joints(minimal, q[0], u[0]), pk_sim_get_joints(maximal, q[1], u[1]);
  judge_cut(maximal, &p, u[1], m);
  count_rows(m, maximal);
  m->compared++;
  if (distance(u[0], u[1], of->nu) <= 1e-6) {
    m->agree++;
    m->u = fmax(m->u, distance(u[0], u[1], of->nu));
    m->q = fmax(m->q, distance(q[0], q[1], of->nq));
  }
}

/* States along the falls of some worlds. */
static void fall_in_both(const fleet_setting *of, int worlds, met *m)
{
  fleet f;
  cut_robot cut;
  pk_sim *maximal;
  fleet_make(&f, of);
  cut_joints(&cut, &f);
  f.options.tolerance = 1e-10;
  pk_sim *minimal = fleet_sim(&f, 0);
  pk_workspace *w;
  pk_workspace_create(f.model, &w, NULL);
  minimal->single.chains_only = true;
  assert_int_equal(pk_sim_create(&cut.model, &f.options, &maximal, NULL), PK_OK);
  assert_int_equal(pk_sim_set_terrain(maximal, f.ground, &f.material, 1, NULL), PK_OK);
  for (int k = 0; k < worlds; k++) {
    pk_sim *from = fleet_sim(&f, k);
    for (int step = 0; step < of->steps; step++) {
      must_step(from);
      step_both(from, minimal, maximal, w, m);
    }
    pk_sim_destroy(from);
  }
  print_message(
      "%s: %lld steps, %lld compared, %lld agree, %lld touch; limits %lld, torques %lld, joints that "
      "hold %lld, slide %lld\n",
      of->name, m->steps, m->compared, m->agree, m->touching, m->limits, m->torques, m->holding, m->sliding);
  print_message("  cut joints: certificate %.1e u %.1e tau %.1e; off the others u %.1e q %.1e\n",
                m->certificate, m->apart, m->tau, m->u, m->q);
  pk_workspace_destroy(w);
  pk_sim_destroy(minimal), pk_sim_destroy(maximal);
  pk_model_destroy(cut.loaded);
  fleet_free(&f);
}

static void cut_joints_rub_drive_and_stop_as_those_of_a_tree_do(void **state)
{
  (void)state;
  static const fleet_setting falls[] = {
      {"moreau", FLEET_RUBBING, 0, FLEET_PLANE, FLEET_WEAK, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 150, true},
      {"euler", FLEET_RUBBING, 0, FLEET_SLOPE, FLEET_WEAK, 0.6, PK_STEPPER_EULER, 0, 2e-3, 150, true}};
  for (size_t i = 0; i < sizeof falls / sizeof falls[0]; i++) {
    const char *name = falls[i].name;
    met m = {0};
    fall_in_both(&falls[i], PACE(5, 1), &m);
    /* products of velocities are all that tells the coordinates apart */
    at_most(name, "the certificate of cut joints", m.certificate, 1e-8);
    at_most(name, "the velocity of their impulses", m.apart, 1e-7);
    at_most(name, "their torque", m.tau, 1e-8);
    at_most(name, "their coordinates off those of the tree", m.q, 5e-6);
    at_most(name, "the part that was not compared", 1 - (double)m.compared / (double)m.steps, 0.02);
    at_most(name, "the part that differs", 1 - (double)m.agree / (double)m.compared, 0.02);
    assert_greater(m.touching, 0);
    assert_greater(m.limits, 0);
    assert_greater(m.torques, 0);
    assert_greater(m.holding, 0);
    assert_greater(m.sliding, 0);
  }
}

/* A wheel on a hinge. */
static pk_model *wheel_model(bool cut)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  pk_joint_desc axle = pk_joint_desc_default();
  axle.name = "axle", axle.parent = "stand", axle.child = "wheel";
  const pk_link_desc wheel = {.name = "wheel", .inertia = {.mass = 1, .moment = {0.1, 0, 0, 0.1, 0, 0.1}}};
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &(pk_link_desc){.name = "stand"}, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &wheel, NULL), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &axle, NULL), PK_OK);
  assert_int_equal(cut ? pk_builder_cut_joint(b, "axle", NULL) : PK_OK, PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  pk_builder_destroy(b);
  return m;
}

static void a_cut_joint_counts_its_turns_also_from_a_state(void **state)
{
  (void)state;
  for (int cut = 0; cut < 2; cut++) {
    pk_model *m = wheel_model(cut);
    pk_sim *sim, *other;
    assert_int_equal(pk_sim_create(m, NULL, &sim, NULL), PK_OK);
    assert_int_equal(pk_sim_create(m, NULL, &other, NULL), PK_OK);
    void *half_way = malloc(pk_sim_state_size(sim));
    double q = 0, u = 20;
    pk_sim_set_joints(sim, &q, &u);
    for (int i = 0; i < 500; i++) {
      must_step(sim);
    }
    pk_sim_get_state(sim, half_way);
    assert_int_equal(pk_sim_set_state(other, half_way, pk_sim_state_size(other), NULL), PK_OK);
    for (int i = 0; i < 500; i++) {
      must_step(sim), must_step(other);
    }
    pk_sim_get_joints(other, &q, &u);
    assert_less(fabs(q - 20), 1e-9);
    pk_sim_get_joints(sim, &q, &u);
    assert_less(fabs(q - 20), 1e-9);
    assert_less(fabs(u - 20), 1e-9);
    free(half_way);
    pk_sim_destroy(sim), pk_sim_destroy(other);
    pk_model_destroy(m);
  }
}

/* ---- joints that follow others ---- */

enum { BASE, ARM, FOREARM, HAND, TAIL, LINKS };
enum { NU = 8, NQ = 9, FULL_NU = 10, FULL_NQ = 11 };

/* Links with a ball at their ends, each on a hinge: the hand, at the end of the arm, follows the shoulder, and the tail, on the other
 * side, the elbow. So some unknowns move a link from two places, and some from beside its way to the base. */
typedef struct part {
  const char *link, *joint;
  int parent, leads; /* leads: the link whose joint it follows */
  double mass, moment, out, at, lower, upper, friction, multiplier, offset;
} part;

static const part parts[LINKS] = {
    [BASE] = {.link = "base", .mass = 2, .moment = 8e-3},
    [ARM] = {"arm", "shoulder", BASE, 0, 0.5, 3e-3, 0.3, 0.15, -0.8, 0.9, 0.2, 0, 0},
    [FOREARM] = {"forearm", "elbow", ARM, 0, 0.4, 2e-3, 0.25, 0.35, -1, 0.5, 0.05, 0, 0},
    [HAND] = {"hand", "wrist", FOREARM, ARM, 0.3, 1e-3, 0.2, 0.3, -0.7, 2, 0.05, -1.5, 0.2},
    [TAIL] = {"tail", "rump", BASE, FOREARM, 0.4, 2e-3, -0.3, -0.15, -2, 2, 0.02, 0.7, -0.1},
};

static void add_part(pk_builder *b, const part *p, bool follows)
{
  pk_error err = {.message = ""};
  const double I = p->moment;
  const pk_link_desc link = {
      .name = p->link,
      .inertia = {.mass = p->mass, .com = {0.5 * p->out, 0.01, 0}, .moment = {I, 0, 0, I, 0, I}}};
  pk_shape_desc ball = {.link = p->link, .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity()};
  ball.pose.pos[0] = p->out, ball.size[0] = p->joint == NULL ? 0.1 : 0.04;
  assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &ball, &err), PK_OK);
  if (p->joint != NULL) {
    pk_joint_desc joint = pk_joint_desc_default();
    joint.name = p->joint, joint.kind = PK_JOINT_REVOLUTE;
    joint.parent = parts[p->parent].link, joint.child = p->link;
    joint.origin.pos[0] = p->at;
    joint.axis[0] = 0, joint.axis[1] = 1, joint.axis[2] = 5 * p->at * p->at;
    joint.lower = p->lower, joint.upper = p->upper;
    joint.friction = p->friction, joint.damping = 0.01, joint.armature = 2e-3;
    if (p->leads != BASE && follows) {
      joint.mimic = parts[p->leads].joint;
      joint.mimic_multiplier = p->multiplier, joint.mimic_offset = p->offset;
    }
    assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
  }
}

/* Followers follow, or are joints of their own. */
static pk_model *follower_model(bool follows)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  for (int i = 0; i < LINKS; i++) {
    add_part(b, &parts[i], follows);
  }
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

/* u = G u', q = G q' + offsets: u of all joints, u' of those that follow nobody. */
typedef struct reduction {
  const pk_model *all;
  pk_workspace *w;
  double G[FULL_NU][NU], G_q[FULL_NQ][NQ], offset[FULL_NQ];
} reduction;

static void make_reduction(reduction *r, const pk_model *m, const pk_model *all)
{
  *r = (reduction){.all = all};
  pk_workspace_create(all, &r->w, NULL);
  for (int k = 0; k < 7; k++) {
    r->G_q[k][k] = 1;
    r->G[k % 6][k % 6] = 1;
  }
  for (int i = ARM; i < LINKS; i++) {
    const part *p = &parts[i];
    const bool own = p->leads == BASE;
    const pk_model_joint *full = &all->joints[pk_model_find_joint(all, p->joint)],
                         *leader = &m->joints[pk_model_find_joint(m, own ? p->joint : parts[p->leads].joint)];
    r->G[full->u][leader->u] = r->G_q[full->q][leader->q] = own ? 1 : p->multiplier;
    r->offset[full->q] = own ? 0 : p->offset;
  }
}

/* (row G)_k */
static double times_column(const reduction *r, const double *row, int k)
{
  double sum = 0;
  for (int i = 0; i < FULL_NU; i++) {
    sum += row[i] * r->G[i][k];
  }
  return sum;
}

/* M, h and the Jacobians that the dense problem is made of, against those of all joints, reduced by G. */
static double check_reduction(const reduction *r, const dense_step *p)
{
  double q[FULL_NQ], u[FULL_NU], M[FULL_NU * FULL_NU], h[FULL_NU], J[6 * FULL_NU], mine[6 * NU], most = 0;
  for (int i = 0; i < FULL_NQ; i++) {
    q[i] = r->offset[i];
    for (int k = 0; k < NQ; k++) {
      q[i] += r->G_q[i][k] * p->q[k];
    }
  }
  for (int i = 0; i < FULL_NU; i++) {
    u[i] = 0;
    for (int k = 0; k < NU; k++) {
      u[i] += r->G[i][k] * p->u[k];
    }
  }
  pk_mass_matrix(r->w, q, M);
  pk_inverse_dynamics(r->w, q, u, NULL, h);
  for (int i = 0; i < NU * NU; i++) {
    double column[FULL_NU];
    for (int j = 0; j < FULL_NU; j++) {
      column[j] = times_column(r, M + FULL_NU * j, i % NU);
    }
    most = fmax(most, fabs(times_column(r, column, i / NU) - p->M[i]));
    most = fmax(most, fabs(times_column(r, h, i % NU) - p->h[i % NU]));
  }
  pk_kinematics_compute(r->w, q, u);
  for (int link = 0; link < LINKS; link++) {
    static const double point[3] = {0.1, 0.02, -0.03};
    pk_link_jacobian(r->w, link, point, J);
    pk_link_jacobian(p->w, link, point, mine);
    for (int i = 0; i < 6 * NU; i++) {
      most = fmax(most, fabs(times_column(r, J + FULL_NU * (i / NU), i % NU) - mine[i]));
    }
  }
  return most;
}

/* A force on a link's point, in the world and in the dense step that begins from it. */
static void push_both(pk_sim *sim, int link, const double point[3], const double force[3], dense_step *p,
                      const pk_sim_options *o)
{
  double J[6 * NU], arm[3];
  pk_kinematics_compute(p->w, pk_sim_q(sim), NULL);
  const pk_pose pose = pk_link_pose(p->w, link);
  for (int d = 0; d < 3; d++) {
    const double *R = pose.rot + 3 * d;
    arm[d] = R[0] * point[0] + R[1] * point[1] + R[2] * point[2];
  }
  const double moment[3] = {arm[1] * force[2] - arm[2] * force[1], arm[2] * force[0] - arm[0] * force[2],
                            arm[0] * force[1] - arm[1] * force[0]};
  assert_int_equal(pk_sim_push(sim, link, point, force), PK_OK);
  dense_begin(p, sim, o, p->w);
  pk_link_jacobian(p->w, link, (const double[3]){0}, J);
  for (int k = 0; k < NU; k++) {
    for (int d = 0; d < 3; d++) {
      p->push[k] += J[NU * d + k] * moment[d] + J[NU * (3 + d) + k] * force[d];
    }
  }
}

/* One fall of the robot, pushed here and there. */
static void fall_with_followers(pk_sim *sim, pk_sim *probe, pk_workspace *w, const reduction *r, int k,
                                seen *s, double *reduced)
{
  pk_sim_reset(sim);
  pk_sim_q(sim)[2] = 0.3, pk_sim_q(sim)[7] = 0.1 * (k % 5) - 0.2, pk_sim_q(sim)[8] = 0.1 * (k % 3);
  pk_sim_u(sim)[0] = 0.3 * k - 1, pk_sim_u(sim)[4] = 2 - 0.4 * k, pk_sim_u(sim)[6] = k % 2 ? 6 : -6;
  for (int i = 6; i < NU; i++) {
    pk_sim_commands(sim)[i] =
        (pk_command){.kp = 20, .kd = 0.1, .q_des = (k + i) % 3 - 1, .tau_max = (k + i) % 4 ? 0.5 : 8};
  }
  for (int step = 0; step < 250; step++) {
    const double way = sin(0.05 * step), force[3] = {8 * way, 3, -5 * way}, point[3] = {0.1, 0, 0.05};
    dense_step p = {.w = w};
    push_both(sim, step % LINKS, point, force, &p, &sim->options);
    *reduced = fmax(*reduced, check_reduction(r, &p));
    const pk_step_info info = must_step(sim);
    assert_int_equal(info.left, PK_LANE_EXIT_WORLD);
    judge(sim, probe, &p, &info, s);
  }
}

static void followers_on_the_ground_solve_the_dense_problem_of_all_joints(void **state)
{
  (void)state;
  pk_model *m = follower_model(true), *all = follower_model(false);
  pk_terrain *t = slope_terrain(0.1);
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 2e-3;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5}, &o);
  pk_sim *probe = start_world(m, t, (pk_material){.friction = 0.5}, &o);
  reduction r;
  seen s = {0};
  double reduced = 0;
  assert_true(m->nu == NU && m->has_mimic && all->nu == FULL_NU);
  make_reduction(&r, m, all);
  /* the wrist stops the shoulder at (-0.7 - 0.2) / -1.5, and rubs by 1.5 * 0.05 more */
  assert_less(fabs(m->dof_lower[6] + 0.8), 1e-15);
  assert_less(fabs(m->dof_upper[6] - 0.6), 1e-15);
  assert_less(fabs(m->dof_friction[6] - 0.275), 1e-15);
  for (int k = 0; k < PACE(12, 4); k++) {
    fall_with_followers(sim, probe, w, &r, k, &s, &reduced);
  }
  print_seen("followers", &s);
  print_message("  M, h and J off those of all joints by %.1e\n", reduced);
  check_seen("followers", &s, o.tolerance, 4);
  at_most("followers", "what tells them from all joints", reduced, 1e-12);
  assert_greater(s.limits, 0);
  assert_greater(s.torques, 0);
  assert_greater(s.holding, 0);
  assert_greater(s.sliding, 0);
  assert_greater(s.slipping, 0);
  assert_greater(s.sticking, 0);
  assert_greater(s.touching, 0);
  pk_sim_destroy(sim), pk_sim_destroy(probe);
  pk_workspace_destroy(w), pk_workspace_destroy(r.w);
  pk_terrain_destroy(t);
  pk_model_destroy(m), pk_model_destroy(all);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_on_chains_solve_the_dense_problem),
      cmocka_unit_test(cut_joints_rub_drive_and_stop_as_those_of_a_tree_do),
      cmocka_unit_test(a_cut_joint_counts_its_turns_also_from_a_state),
      cmocka_unit_test(followers_on_the_ground_solve_the_dense_problem_of_all_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
