/* Worlds of loose bodies, and of many robots. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/robots_scene.h"

static const double RADIUS = 0.05;                                      /* m, of balls; 0.5 kg */
static const double BOX[3] = {0.12, 0.1, 0.08};                         /* m, of boxes; 1 kg */
static const double BLOCK[3] = {0.3, 0.2, 0.1};                         /* m, of the stack; 2 kg */
static const double BALL_PITCH = 0.12, BOX_PITCH = 0.2, JITTER = 0.009; /* m, of the lattice */
static const double STACK_DT = 1e-3, LARGE_LIFE = 0.4;                  /* s */

enum { BLOCKS = 10 };

/* A free ball or box of even density at a place; size NULL: a ball. */
static pk_status add_body(pk_builder *b, int index, double mass, const double *size, const double *place,
                          pk_error *err)
{
  char prefix[16];
  snprintf(prefix, sizeof prefix, "%d/", index);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = size ? "box" : "ball", robot.prefix = prefix, robot.root = PK_ROOT_FREE;
  memcpy(robot.pose.pos, place, sizeof robot.pose.pos);
  pk_link_desc link = {.name = "solid", .inertia = {.mass = mass}};
  pk_shape_desc shape = {
      .link = "solid", .kind = size ? PK_SHAPE_BOX : PK_SHAPE_SPHERE, .pose = pk_pose_identity()};
  static const int diagonal[3] = {0, 3, 5};
  for (int i = 0; i < 3; i++) {
    const double y = size ? size[(i + 1) % 3] : 0, z = size ? size[(i + 2) % 3] : 0;
    link.inertia.moment[diagonal[i]] = size ? mass / 12 * (y * y + z * z) : 0.4 * mass * RADIUS * RADIUS;
    shape.size[i] = size ? size[i] : i == 0 ? RADIUS : 0;
  }
  pk_status status = pk_builder_add_robot(b, &robot, err);
  status = status == PK_OK ? pk_builder_add_link(b, &link, err) : status;
  return status == PK_OK ? pk_builder_add_shape(b, &shape, err) : status;
}

static pk_status add_bodies(const pki_robots_scene *s, pk_builder *b, pk_error *err)
{
  const pki_robots_work *work = s->work;
  pk_status status = PK_OK;
  for (int k = 0; k < work->size && status == PK_OK; k++) {
    const bool block = work->motion == PKI_ROBOTS_STACK && k < BLOCKS;
    const double *size = block ? BLOCK : work->motion == PKI_ROBOTS_BOXES ? BOX : NULL;
    status = add_body(b, k, block ? 2 : size ? 1 : 0.5, size, s->scene.q + 7 * (size_t)k, err);
  }
  return status;
}

/* As wide as it is deep, half as high, the lowest layer just above the ground. Boxes are turned any way. */
static void place_lattice(const pki_robots_scene *s)
{
  const bool boxes = s->work->motion == PKI_ROBOTS_BOXES;
  const double wide = boxes ? BOX_PITCH : BALL_PITCH, high = boxes ? BOX_PITCH : 2.2 * RADIUS;
  const double lowest = boxes ? 0.5 * BOX_PITCH : 1.1 * RADIUS;
  pki_random random = pki_random_seeded(1);
  const int n = s->work->size, side = (int)ceil(cbrt(2.0 * n));
  for (int k = 0; k < n; k++) {
    double *q = s->scene.q + 7 * (size_t)k;
    const int layer = k / (side * side), row = k / side % side;
    q[0] = wide * (k % side) + pki_random_between(&random, -JITTER, JITTER);
    q[1] = wide * row + pki_random_between(&random, -JITTER, JITTER);
    q[2] = high * layer + lowest;
    q[3] = 1;
    if (boxes) {
      pki_random_quaternion(&random, q + 3);
    }
  }
}

/* Blocks at rest on each other, balls at rest in two rows beside them. */
static void place_stack(const pki_robots_scene *s)
{
  for (int k = 0; k < s->work->size; k++) {
    double *q = s->scene.q + 7 * (size_t)k;
    const int ball = k - BLOCKS;
    q[3] = 1;
    if (ball < 0) {
      q[2] = BLOCK[2] * (k + 0.5);
    } else {
      const int column = ball % 10, row = ball / 10;
      q[0] = 0.12 * column - 0.5, q[1] = 0.3 + 0.12 * row, q[2] = RADIUS;
    }
  }
}

pk_status pki_objects_create(pki_robots_scene *s, pk_error *err)
{
  const bool stack = s->work->motion == PKI_ROBOTS_STACK;
  const size_t n = (size_t)s->work->size;
  s->scene.dt = stack ? STACK_DT : s->scene.dt;
  s->life = n >= 1000 || stack ? LARGE_LIFE : s->life;
  s->scene.q = calloc(7 * n, sizeof *s->scene.q);
  s->targets = calloc(6 * n, sizeof *s->targets);
  s->ntarget = 1;
  if (!s->scene.q || !s->targets) {
    return pki_fail_memory(err, NULL);
  }
  if (stack) {
    place_stack(s);
  } else {
    place_lattice(s);
  }
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_status status = b ? add_bodies(s, b, err) : pki_fail_memory(err, NULL);
  status = status == PK_OK ? pk_builder_compile(b, &s->model, err) : status;
  pk_builder_destroy(b);
  s->scene.model = s->model;
  return status;
}

/* The world of `pronk bench scaling`: feet alone. */
pk_status pki_many_create(pki_robots_scene *s, pk_error *err)
{
  s->many = malloc(sizeof *s->many);
  if (!s->many) {
    return pki_fail_memory(err, NULL);
  }
  const pk_status status = pki_scaling_scene_create(s->many, PKI_GROWTH_ROBOTS, s->work->size, err);
  if (status != PK_OK) {
    free(s->many);
    s->many = NULL;
    return status;
  }
  const size_t nu = (size_t)s->many->model.nu;
  s->scene = s->many->scene;
  s->life = LARGE_LIFE;
  s->ntarget = s->many->period;
  s->targets = calloc((size_t)s->ntarget * nu, sizeof *s->targets);
  if (!s->targets) {
    return pki_fail_memory(err, NULL);
  }
  for (int k = 0; k < s->ntarget; k++) {
    memcpy(s->targets + (size_t)k * nu, pki_scaling_target(s->many, k), nu * sizeof *s->targets);
  }
  return PK_OK;
}
