/* Contact points of feet, and sums over the robot's bodies. */
#include "optimize/motion/foot_motion.h"

#include <stdlib.h>
#include <string.h>

#include "symbolic/robot/robot_parts.h"

/* ---- drafts ---- */

pki_drafted_robot pki_draft_robot(const pki_motion_problem *problem)
{
  pki_drafted_robot d = {
      .problem = problem, .g = pki_graph_create(false), .nlength = pki_lengths_count(problem)};
  d.good = d.g != NULL && pki_lengths_draft(problem, d.g, &d.robot, d.lengths);
  return d;
}

void pki_drop_robot(pki_drafted_robot *draft)
{
  if (draft->good) {
    pki_robot_free(&draft->robot);
  }
  pki_graph_destroy(draft->g);
}

pk_status pki_drafted_function(const pki_drafted_robot *draft, const char *name, int n, const pki_x *inputs,
                               int np, const pki_x *parameters, int ny, const pki_x *values,
                               pki_nlp_function **out, pk_error *err)
{
  pki_x all[4 * PKI_MOTION_DOFS + PKI_MOTION_DESIGNS];
  memcpy(all, inputs, (size_t)n * sizeof *all);
  memcpy(all + n, draft->lengths, (size_t)draft->nlength * sizeof *all);
  return pki_nlp_function_create(draft->g, name, n + draft->nlength, all, np, parameters, ny, values, out,
                                 err);
}

/* ---- feet ---- */

static pki_x3 vector_in_world(pki_graph *g, const pki_x *pose, pki_x3 v)
{
  pki_x33 R;
  for (int k = 0; k < 9; k++) {
    R.m[k] = pose[k];
  }
  return pki_x33_apply(g, &R, v);
}

bool pki_motion_of_foot(const pki_drafted_robot *draft, const pki_motion_foot *foot, pki_foot_motion *out)
{
  const pki_robot *const robot = &draft->robot;
  pki_graph *const g = robot->g;
  const size_t n = (size_t)robot->m->nbody, body = (size_t)foot->body;
  pki_x *world = calloc(21 * n, sizeof *world);
  if (world == NULL || !pki_robot_world(robot, robot->u, world, world + 12 * n, world + 15 * n)) {
    free(world);
    return false;
  }
  const pki_x *pose = world + 12 * body, *origin = world + 12 * n + 3 * body,
              *twist = world + 15 * n + 6 * body;
  const pki_x3 arm =
      vector_in_world(g, pose, pki_lengths_point(draft->problem, g, draft->lengths, foot->body, foot->at));
  const pki_x3 down = pki_x3_const(g, (const double[3]){0, 0, -foot->radius});
  const pki_x3 touch = pki_x3_plus(g, arm, down); /* from the body's origin to the lowest point of the ball */
  out->turn = (pki_x3){{twist[0], twist[1], twist[2]}};
  out->point = pki_x3_plus(g, (pki_x3){{origin[0], origin[1], origin[2]}}, touch);
  for (int k = 0; k < 3; k++) {
    out->axes[k] = vector_in_world(
        g, pose, pki_x3_const(g, (const double[3]){foot->rot[k], foot->rot[3 + k], foot->rot[6 + k]}));
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
