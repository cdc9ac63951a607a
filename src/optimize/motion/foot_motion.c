/* Contact points of feet, and sums over the robot's bodies. */
#include "optimize/motion/foot_motion.h"

#include <stdlib.h>

#include "symbolic/robot/robot_parts.h"

static pki_x3 vector_in_world(pki_graph *g, const pki_x *pose, const double v[3])
{
  pki_x33 R;
  for (int k = 0; k < 9; k++) {
    R.m[k] = pose[k];
  }
  return pki_x33_apply(g, &R, pki_x3_const(g, v));
}

bool pki_motion_of_foot(const pki_robot *robot, const pki_motion_foot *foot, pki_foot_motion *out)
{
  pki_graph *const g = robot->g;
  const size_t n = (size_t)robot->m->nbody, body = (size_t)foot->body;
  pki_x *world = calloc(21 * n, sizeof *world);
  if (world == NULL || !pki_robot_world(robot, robot->u, world, world + 12 * n, world + 15 * n)) {
    free(world);
    return false;
  }
  const pki_x *pose = world + 12 * body, *origin = world + 12 * n + 3 * body,
              *twist = world + 15 * n + 6 * body;
  const pki_x3 arm = vector_in_world(g, pose, foot->at);
  const pki_x3 down = pki_x3_const(g, (const double[3]){0, 0, -foot->radius});
  const pki_x3 touch = pki_x3_plus(g, arm, down); /* from the body's origin to the lowest point of the ball */
  out->turn = (pki_x3){{twist[0], twist[1], twist[2]}};
  out->point = pki_x3_plus(g, (pki_x3){{origin[0], origin[1], origin[2]}}, touch);
  for (int k = 0; k < 3; k++) {
    out->axes[k] =
        vector_in_world(g, pose, (const double[3]){foot->rot[k], foot->rot[3 + k], foot->rot[6 + k]});
  }
  const pki_x3 v = pki_x3_plus_cross(g, (pki_x3){{twist[3], twist[4], twist[5]}}, out->turn, touch);
  for (int k = 0; k < 3; k++) {
    out->w[k] = v.v[k];
    out->w[3 + k] = out->turn.v[k];
  }
  free(world);
  return true;
}

bool pki_motion_mass(const pki_robot *robot, pki_x3 *c, pki_x3 momentum[2])
{
  pki_function f;
  pki_function_init(&f, robot->g, "momentum", "");
  const bool good = pki_robot_momentum(robot, &f) && !f.failed;
  for (int k = 0; k < 3 && good; k++) {
    c->v[k] = f.outputs[0].values[k];
    momentum[0].v[k] = f.outputs[1].values[k];
    momentum[1].v[k] = f.outputs[1].values[3 + k];
  }
  pki_function_free(&f);
  return good;
}
