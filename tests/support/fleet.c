#include "support/fleet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/pose.h"
#include "pronk/collision.h"
#include "pronk/gait.h"

enum { ROOM = 48 }; /* contacts */

static void must(pk_status status, const pk_error *err)
{
  if (status != PK_OK) {
    fail_msg("%s: %s", pk_status_text(status), err->message);
  }
}

/* ---- models ---- */

static void add_object(pk_builder *b, const char *name, pk_shape_kind kind, const double size[3])
{
  pk_error err = {.message = ""};
  char prefix[32];
  snprintf(prefix, sizeof prefix, "%s_", name);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = name, robot.prefix = prefix, robot.root = PK_ROOT_FREE;
  const pk_link_desc link = {.name = "solid", .inertia = {.mass = 1, .moment = {2e-3, 0, 0, 2e-3, 0, 2e-3}}};
  pk_shape_desc shape = {.link = "solid", .kind = kind, .pose = pk_pose_identity()};
  memcpy(shape.size, size, sizeof shape.size);
  must(pk_builder_add_robot(b, &robot, &err), &err);
  must(pk_builder_add_link(b, &link, &err), &err);
  must(pk_builder_add_shape(b, &shape, &err), &err);
}

static pk_model *load(fleet_robot robot)
{
  static const char *const files[] = {[FLEET_ANYMAL] = PK_SOURCE_DIR "/models/anymal_b/anymal_b.urdf",
                                      [FLEET_UR10] = PK_SOURCE_DIR "/models/ur10/ur10.urdf",
                                      [FLEET_COMAN] = PK_SOURCE_DIR "/models/coman/coman.urdf"};
  const bool other = robot == FLEET_ANYMAL || robot == FLEET_UR10 || robot == FLEET_COMAN;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  must(pk_builder_add_urdf(b, other ? files[robot] : PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL,
                           &err),
       &err);
  if (robot == FLEET_MAXIMAL) {
    must(pk_builder_cut_joint(b, NULL, &err), &err);
  }
  if (robot == FLEET_LOOP) {
    pk_constraint_desc rod = pk_constraint_desc_default();
    rod.name = "rod", rod.kind = PK_CONSTRAINT_DISTANCE, rod.length = 0.37;
    rod.link[0] = "LF_FOOT", rod.link[1] = "RF_FOOT";
    must(pk_builder_add_constraint(b, &rod, &err), &err);
  }
  if (robot == FLEET_OBJECTS) {
    add_object(b, "crate", PK_SHAPE_BOX, (const double[3]){0.15, 0.15, 0.1});
    add_object(b, "ball", PK_SHAPE_SPHERE, (const double[3]){0.05});
  }
  must(pk_builder_compile(b, &m, &err), &err);
  pk_builder_destroy(b);
  return m;
}

/* The balls of the feet become the only shapes. */
static void keep_feet(fleet *f)
{
  static const char *const names[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  const pk_model *m = f->loaded;
  for (int k = 0; k < 4; k++) {
    const int link = pk_model_find_link(m, names[k]);
    for (int i = 0; i < m->nshape; i++) {
      if (m->shapes[i].link == link && !m->shapes[i].visual) {
        f->shapes[k] = m->shapes[i];
      }
    }
    assert_int_equal(f->shapes[k].kind, PK_SHAPE_SPHERE);
  }
  f->own = *m;
  f->own.shapes = f->shapes;
  f->own.nshape = 4;
  f->model = &f->own;
}

static void rub_joints(fleet *f)
{
  for (int k = 6; k < 18; k++) {
    f->joint_friction[k] = 1;
  }
  f->own = *f->loaded;
  f->own.dof_friction = f->joint_friction;
  f->model = &f->own;
}

static void spring_joints(fleet *f)
{
  for (int k = 6; k < 18; k++) {
    f->stiffness[k] = 20, f->spring_ref[k] = 0.1 * k - 1;
  }
  f->own = *f->loaded;
  f->own.dof_stiffness = f->stiffness, f->own.dof_spring_ref = f->spring_ref;
  f->model = &f->own;
}

/* ---- ground and controllers ---- */

static void lay_ground(fleet *f)
{
  static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1}, tilted[3] = {0.15, -0.1, 1};
  pk_error err = {.message = ""};
  pk_terrain_create(&f->ground, NULL);
  if (f->of->ground == FLEET_HEIGHTS) {
    enum { N = 41 };
    static const double corner[3] = {-2, -2, 0};
    double z[N * N];
    for (int i = 0; i < N * N; i++) {
      z[i] = 0.02 * sin(0.7 * (i % N)) * cos(0.5 * (i / N));
    }
    must(pk_terrain_add_heights(f->ground, corner, N, N, 0.1, z, 0, &err), &err);
  } else if (f->of->ground != FLEET_NOWHERE) {
    must(pk_terrain_add_plane(f->ground, origin, f->of->ground == FLEET_SLOPE ? tilted : up, 0, &err), &err);
  }
}

static void hire_driver(fleet *f)
{
  pk_error err = {.message = ""};
  const pk_model *m = f->model->tree != NULL ? f->model->tree : f->model;
  if (f->of->driver == FLEET_HOLD) {
    must(pk_hold_create(m, NULL, &f->controller, &err), &err);
  } else if (f->of->driver == FLEET_TROT) {
    pk_locomotion_options o = pk_locomotion_options_default();
    o.gait = PK_GAIT_TROT, o.forward = 0.2, o.start = 0.05;
    must(pk_locomotion_create(m, &o, &f->controller, &err), &err);
  }
}

void fleet_make(fleet *f, const fleet_setting *s)
{
  *f = (fleet){.of = s, .loaded = load(s->robot), .material = {.friction = s->friction}};
  f->model = f->loaded;
  if (s->robot == FLEET_FEET) {
    keep_feet(f);
  } else if (s->robot == FLEET_RUBBING) {
    rub_joints(f);
  } else if (s->robot == FLEET_SPRUNG) {
    spring_joints(f);
  }
  lay_ground(f);
  hire_driver(f);
  f->options = pk_sim_options_default();
  f->options.stepper = s->stepper, f->options.law = s->law, f->options.dt = s->dt;
  f->options.max_contacts = ROOM;
  f->options.joint_friction =
      s->stepper == PK_STEPPER_EULER || s->stepper == PK_STEPPER_MOREAU; /* else refused */
  f->options.max_latency = s->start == FLEET_VARIED ? 2 * s->dt : 0;
}

void fleet_compile(fleet *f)
{
  pk_error err = {.message = ""};
  pk_code_options o = pk_code_options_default();
  o.lanes = 4 + 8, o.folder = PK_BUILD_DIR "/test-code";
  must(pk_code_open(f->model, &o, &f->code, &err), &err);
  f->options.code = f->code;
}

void fleet_drive(fleet *f)
{
  enum { MOST = 64 };
  const pk_model *m = f->model->tree != NULL ? f->model->tree : f->model;
  pk_motor_parameters p[2];
  pk_actuator list[MOST + 1];
  pk_error err = {.message = ""};
  int n = 0;
  for (int i = 0; i < 2; i++) {
    p[i] = pk_motor_parameters_default();
    p[i].resistance = 0.3, p[i].inductance = 1e-4, p[i].constant = 0.06, p[i].gear = 9, p[i].inertia = 6e-5;
    p[i].voltage = 24, p[i].current = 25, p[i].friction = 0.01, p[i].damping = 1e-5;
    p[i].winding_resistance = 1, p[i].housing_resistance = 2, p[i].winding_capacity = 30,
    p[i].housing_capacity = 100;
    p[i].temperature = 120;
  }
  p[0].efficiency = 0.9;
  p[1].spring = 400, p[1].spring_damping = 1;
  for (int k = 0; k < m->nu && n < MOST; k++) {
    if (m->dof_joint[k] >= 0 && m->dof_q[k] >= 0) {
      list[n] = (pk_actuator){
          .dof = k, .kind = pk_actuator_kind_find(n % 2 ? "sea" : "dc"), .parameters = &p[n % 2]};
      n++;
    }
  }
  pk_parallel_spring_parameters spring = pk_parallel_spring_parameters_default();
  spring.stiffness = 20, spring.radius = 0.5, spring.damping = 0.1, spring.pretension = -1;
  list[n] = (pk_actuator){list[n - 1].dof, pk_actuator_kind_find("parallel-spring"), &spring, "spring"};
  const pk_battery battery = {
      .full = 29, .empty = 24, .resistance = 0.05, .capacity = 3600, .regeneration = 500};
  const bool smooth = f->options.stepper != PK_STEPPER_MOREAU && f->options.stepper != PK_STEPPER_EULER;
  must(pk_actuation_create(m, list, n + 1, smooth ? NULL : &battery, &f->actuation, &err), &err);
  f->options.actuation = f->actuation;
}

void fleet_free(fleet *f)
{
  if (f->of->driver == FLEET_HOLD) {
    pk_hold_destroy(f->controller);
  } else if (f->of->driver == FLEET_TROT) {
    pk_locomotion_destroy(f->controller);
  }
  pk_terrain_destroy(f->ground);
  pk_code_close(f->code);
  pk_actuation_destroy(f->actuation);
  pk_model_destroy(f->loaded);
}

/* ---- where worlds begin ---- */

static const double stance[3] = {0, 0.7343101344764329, -1.3411529067300831}; /* of a fore leg */

/* A quadruped over its stance, joints off by up to `off`, commands that hold the stance. */
static void stand(double *q, pk_command *c, pki_random *rng, double height, double off)
{
  q[2] = height;
  for (int i = 0; i < 12; i++) {
    const double at = (i < 6 ? 1 : -1) * stance[i % 3];
    q[7 + i] = at + pki_random_between(rng, -off, off);
    c[6 + i] = (pk_command){.kp = 150, .kd = 2, .q_des = at, .tau_max = 60};
  }
}

static void shake(double *u, int n, pki_random *rng, double by)
{
  for (int k = 0; k < n; k++) {
    u[k] = pki_random_between(rng, -by, by);
  }
}

/* On its back, in the air, sliding, with crossed legs, at joint limits, with motors that are too weak, standing, limp. */
static void mix(double *q, double *u, pk_command *c, pki_random *rng, double height, int kind)
{
  stand(q, c, rng, height, 0.02);
  switch (kind) {
  case 0: /* on its back */ q[2] = 0.2, q[3] = 0.05, q[4] = 1; break;
  case 1: /* in the air */
    q[2] = 1.2;
    shake(u, 18, rng, 1);
    break;
  case 2: /* sliding */ u[0] = 1, u[1] = -0.5; break;
  case 3: /* legs of one side against each other */
    q[2] = height + 0.1;
    c[7].q_des = 1.2, c[8].q_des = -0.3, c[13].q_des = -1.2, c[14].q_des = 0.3;
    break;
  case 4: /* knees at their limits */
    for (int leg = 0; leg < 4; leg++) {
      c[8 + 3 * leg].q_des = leg < 2 ? -2.6 : 2.6;
    }
    break;
  case 5: /* weak motors */
    for (int k = 6; k < 18; k++) {
      c[k].tau_max = 4;
    }
    break;
  case 6: /* it stands */ break;
  default: /* nobody holds it */
    for (int k = 6; k < 18; k++) {
      c[k] = (pk_command){.tau_max = INFINITY};
    }
    shake(u, 18, rng, 0.5);
  }
}

/* m, how far a shape reaches below the origin of its frame, which is turned by R. */
static double reach_below(const pk_model_shape *shape, const double R[9])
{
  const double *size = shape->size, up = fabs(R[8]);
  switch (shape->kind) {
  case PK_SHAPE_SPHERE: return size[0];
  case PK_SHAPE_BOX: return 0.5 * (fabs(R[6]) * size[0] + fabs(R[7]) * size[1] + up * size[2]);
  case PK_SHAPE_CYLINDER: return size[0] * sqrt(fmax(0, 1 - up * up)) + 0.5 * up * size[1];
  default: return size[0] + 0.5 * up * size[1]; /* a capsule */
  }
}

/* m, the height of the lowest point. */
static double lowest_point(const pk_model *m, pk_sim *sim)
{
  pk_workspace *w = pk_sim_workspace(sim);
  double lowest = INFINITY;
  pk_kinematics_compute(w, pk_sim_q(sim), NULL);
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *shape = &m->shapes[i];
    if (!shape->visual) {
      const pk_pose link = pk_link_pose(w, shape->link);
      const pk_pose back = pki_pose_invert(&m->links[shape->link].pose), body = pki_pose_mul(&link, &back);
      const pk_pose pose = pki_pose_mul(&body, &shape->pose);
      lowest = fmin(lowest, pose.pos[2] - reach_below(shape, pose.rot));
    }
  }
  return lowest;
}

/* Joints of a robot that is thrown or lies, drawn again while links are in each other; who collides stays as it was. */
static void draw_pose(const pk_model *m, pk_sim *sim, pki_random *rng, bool any_way, bool quadruped,
                      double off)
{
  double *const q = pk_sim_q(sim), initial[128];
  memcpy(initial, q, (size_t)m->nq * sizeof *q);
  do {
    for (int k = 6; k < m->nu; k++) {
      const double at = quadruped ? (k < 12 ? 1 : -1) * stance[k % 3] : 0;
      q[m->dof_q[k]] = fmin(fmax(at + pki_random_between(rng, -off, off), m->dof_lower[k]), m->dof_upper[k]);
    }
    if (any_way) {
      pki_random_quaternion(rng, q + 3);
    }
  } while (pk_sim_release_overlaps(sim, NULL, 0) != 0);
  double drawn[128];
  memcpy(drawn, q, (size_t)m->nq * sizeof *q);
  memcpy(q, initial, (size_t)m->nq * sizeof *q);
  pk_sim_release_overlaps(sim, NULL, 0);
  memcpy(q, drawn, (size_t)m->nq * sizeof *q);
}

/* The three starts of robots that fall: limp, held, weak. */
static void drop(const fleet *f, pk_sim *sim, double *q, double *u, pk_command *c, pki_random *rng)
{
  const pk_model *m = f->model;
  const fleet_start start = f->of->start;
  const bool limp = start == FLEET_LIMP, humanoid = f->of->robot == FLEET_COMAN;
  const double height = pki_random_between(rng, 0, limp ? 0.1 : 0.02);
  draw_pose(m, sim, rng, start != FLEET_HELD, !humanoid, limp ? 0.6 : 0.3);
  memcpy(q, pk_sim_q(sim), (size_t)m->nq * sizeof *q);
  q[2] += height - lowest_point(m, sim);
  shake(u, m->nu, rng, limp ? 1 : 0.1);
  for (int k = 6; k < m->nu; k++) {
    const double weak = humanoid ? 2 : 3;
    c[k] = (pk_command){.kp = humanoid ? 400 : 150,
                        .kd = humanoid ? 10 : 1,
                        .q_des = q[m->dof_q[k]],
                        .tau_max = start == FLEET_WEAK ? weak : 60};
    if (limp) {
      c[k] = (pk_command){.tau_max = INFINITY};
    } else if (start == FLEET_WEAK) { /* a pose that it cannot reach */
      c[k].q_des += pki_random_between(rng, -0.5, 0.5);
    }
  }
}

/* Masses, friction and latency of world k; every fourth is as the model says. */
static void differ(const fleet *f, pk_sim *sim, int k, pki_random *rng)
{
  pk_error err = {.message = ""};
  const bool plain = k % 4 == 0;
  for (int i = 0; i < f->model->nbody; i++) {
    const double factor = plain ? 1 : pki_random_between(rng, 0.8, 1.2);
    double inertia[10];
    for (int j = 0; j < 10; j++) {
      inertia[j] = factor * f->model->body_inertia[10 * i + j];
    }
    must(pk_sim_set_inertia(sim, i, inertia, &err), &err);
  }
  must(pk_sim_set_friction(sim, plain ? 1 : k % 5 == 0 ? 0 : pki_random_between(rng, 0.3, 1.2), &err), &err);
  must(pk_sim_set_latency(sim, f->of->dt * (plain ? 0 : k % 3), &err), &err);
}

void fleet_place(const fleet *f, pk_sim *sim, int k)
{
  enum { MOST = 128 };
  pki_random rng = pki_random_seeded(1000 + (uint64_t)k);
  double q[MOST], u[MOST];
  pk_command *c = pk_sim_commands(sim);
  const double height = f->of->robot == FLEET_ANYMAL ? 0.47 : 0.436;
  pk_sim_get_joints(sim, q, u);
  if (f->of->robot == FLEET_UR10) {
    for (int i = 0; i < 6; i++) {
      q[i] = pki_random_between(&rng, -1, 1), u[i] = pki_random_between(&rng, -1, 1);
      c[i] = (pk_command){.kp = 500, .kd = 20, .q_des = 0.3, .tau_max = k % 3 ? 300 : 40};
    }
  } else if (f->of->start == FLEET_LIMP || f->of->start == FLEET_HELD || f->of->start == FLEET_WEAK) {
    drop(f, sim, q, u, c, &rng);
  } else if (f->of->start == FLEET_MIX) {
    mix(q, u, c, &rng, height, k % 8);
  } else if (f->of->start == FLEET_DROP || f->of->start == FLEET_VARIED) {
    stand(q, c, &rng, height + pki_random_between(&rng, 0, 0.15), 0.15);
    shake(u, 18, &rng, 0.5);
    q[3] = 1, q[4] = pki_random_between(&rng, -0.15, 0.15), q[5] = pki_random_between(&rng, -0.15, 0.15);
  } else {
    const bool exact = f->of->robot == FLEET_LOOP;
    stand(q, c, &rng, height + (exact ? 0.02 : pki_random_between(&rng, 0, 0.02)), exact ? 0 : 0.03);
  }
  if (f->of->ground == FLEET_SLOPE || f->of->ground == FLEET_HEIGHTS) {
    q[2] += 0.08;
  }
  if (f->of->robot == FLEET_OBJECTS) { /* the robot comes first, then crate and ball */
    q[19] = 0.9, q[20] = 0.1 * (k % 5), q[21] = 0.06, q[26] = 0.3, q[27] = 0.02 * (k % 7), q[28] = 0.7;
  }
  pk_sim_set_joints(sim, q, u);
  if (f->of->start == FLEET_VARIED) {
    differ(f, sim, k, &rng);
  }
}

pk_sim *fleet_sim(const fleet *f, int k)
{
  pk_error err = {.message = ""};
  pk_sim *sim;
  must(pk_sim_create(f->model, &f->options, &sim, &err), &err);
  if (f->of->ground != FLEET_NOWHERE) {
    must(pk_sim_set_terrain(sim, f->ground, &f->material, 1, &err), &err);
  }
  must(pk_sim_set_controller(sim, f->controller, &err), &err);
  fleet_place(f, sim, k);
  return sim;
}

pk_batch *fleet_batch(const fleet *f, int count, int lanes, int threads)
{
  return fleet_batch_keeping(f, count, lanes, threads, 0);
}

pk_batch *fleet_batch_keeping(const fleet *f, int count, int lanes, int threads, int keep)
{
  pk_error err = {.message = ""};
  pk_batch *b;
  pk_batch_options o = pk_batch_options_default();
  o.worlds = count, o.lanes = lanes, o.threads = threads, o.keep = keep, o.sim = f->options;
  must(pk_batch_create(f->model, &o, &b, &err), &err);
  if (f->of->ground != FLEET_NOWHERE) {
    must(pk_batch_set_terrain(b, f->ground, &f->material, 1, &err), &err);
  }
  must(pk_batch_set_controller(b, f->controller, &err), &err);
  pk_sim *sim = fleet_sim(f, 0);
  for (int k = 0; k < count; k++) {
    pk_sim_reset(sim);
    fleet_place(f, sim, k);
    must(pk_batch_set(b, k, sim, &err), &err);
  }
  pk_sim_destroy(sim);
  return b;
}

/* ---- are they the same ---- */

static bool are_views_same(pk_batch *b, int k, pk_sim *sim)
{
  const pk_model *m = pk_sim_model(sim), *joints = pk_sim_joint_model(sim);
  const size_t real = sizeof(double), nu = (size_t)joints->nu;
  return memcmp(pk_batch_view_world(pk_batch_q(b), k), pk_sim_q(sim), (size_t)m->nq * real) == 0 &&
         memcmp(pk_batch_view_world(pk_batch_u(b), k), pk_sim_u(sim), (size_t)m->nu * real) == 0 &&
         memcmp(pk_batch_view_world(pk_batch_tau(b), k), pk_sim_tau(sim), nu * real) == 0 &&
         memcmp(pk_batch_view_world(pk_batch_commands(b), k), pk_sim_commands(sim),
                nu * sizeof(pk_command)) == 0 &&
         pk_batch_world_time(b, k) == pk_sim_time(sim);
}

static bool are_contacts_same(const pk_batch *b, int k, const pk_sim *sim)
{
  pk_sim_contact mine[ROOM], theirs[ROOM];
  const int n = pk_batch_contacts(b, k, mine, ROOM);
  return n == pk_sim_contacts(sim, theirs, ROOM) && memcmp(mine, theirs, (size_t)n * sizeof mine[0]) == 0;
}

bool fleet_is_same(const fleet *f, pk_batch *b, int k, pk_sim *sim, pk_sim *probe)
{
  (void)f;
  pk_error err = {.message = ""};
  must(pk_batch_get(b, k, probe, &err), &err);
  const size_t size = pk_sim_state_size(sim);
  assert_int_equal(pk_sim_state_size(probe), size);
  unsigned char *mine = malloc(size), *theirs = malloc(size);
  pk_sim_get_state(probe, mine);
  pk_sim_get_state(sim, theirs);
  const bool same = memcmp(mine, theirs, size) == 0;
  free(mine), free(theirs);
  return same && are_views_same(b, k, sim) && are_contacts_same(b, k, sim);
}
