#include "scenario/on_ground.h"

#include <math.h>
#include <string.h>

#include "sim/query.h"

enum { PAIRS = 1024 }; /* of overlaps that are looked at */

/* Something that moves freely: its first body and where its position stands in q. */
typedef struct floater {
  int body, q;
  double up[3]; /* the world's z in the frame of that position */
} floater;

static int top_body(const pk_model *m, int body)
{
  while (body >= 0 && m->body_parent[body] >= 0) {
    body = m->body_parent[body];
  }
  return body;
}

/* A pair of the ground, or of what is fixed in the world, and a link that moves: that link, else -1. */
static int link_in_ground(const pk_model *m, const pk_sim_overlap_pair *pair)
{
  for (int k = 0; k < 2; k++) {
    const int link = pair->link[k], other = pair->link[1 - k];
    if (link >= 0 && m->links[link].body >= 0 && (other < 0 || m->links[other].body < 0)) {
      return link;
    }
  }
  return -1;
}

static bool is_in_ground(pk_sim *sim, int body)
{
  const pk_model *m = pk_sim_joint_model(sim);
  pk_sim_overlap_pair pairs[PAIRS];
  const int count = pki_sim_intrusions(sim, 0, pairs, PAIRS);
  for (int i = 0; i < count && i < PAIRS; i++) {
    const int link = link_in_ground(m, &pairs[i]);
    if (link >= 0 && top_body(m, m->links[link].body) == body) {
      return true;
    }
  }
  return false;
}

/* Lift it by `height` above where `start` has it. */
static void lift(pk_sim *sim, const floater *f, const double start[3], double height, double *q,
                 const double *u)
{
  for (int k = 0; k < 3; k++) {
    q[f->q + k] = start[k] + height * f->up[k];
  }
  pk_sim_set_joints(sim, q, u);
}

/* By growing steps to a height in the ground and one above it, then by halving. Where there is no ground within reach, it stays. */
static void place_floater(pk_sim *sim, const floater *f, bool keeps, double *q, const double *u)
{
  static const double reach = 1000, close_enough = 1e-7; /* m */
  double start[3], before = 0, at = 0, step = 0.01;
  memcpy(start, q + f->q, sizeof start);
  const bool down = !is_in_ground(sim, f->body);
  if (down && keeps) {
    return;
  }
  bool found = false;
  while (!found && fabs(at) < reach) {
    before = at;
    at += down ? -step : step;
    step *= 2;
    lift(sim, f, start, at, q, u);
    found = is_in_ground(sim, f->body) == down;
  }
  double low = down ? at : before, high = down ? before : at;
  while (found && high - low > close_enough) {
    const double middle = 0.5 * (low + high);
    lift(sim, f, start, middle, q, u);
    *(is_in_ground(sim, f->body) ? &low : &high) = middle;
  }
  lift(sim, f, start, found ? high : 0, q, u);
}

void pki_world_place_model(pki_world *world, int model, bool keeps, double *q, const double *u)
{
  const pk_model *m = pk_sim_joint_model(world->sim);
  for (int r = world->model_robot[model]; r < world->model_robot[model + 1]; r++) {
    const pk_model_robot *robot = &m->robots[r];
    for (int b = robot->body; b < robot->body + robot->nbody; b++) {
      const bool chain = robot->root == PK_ROOT_CHAIN && b == robot->body;
      if (m->body_parent[b] < 0 && (chain || m->body_motion[b] == PK_MOTION_FLOATING)) {
        const double *rot = m->body_rot + 9 * (size_t)b;
        const floater f = {.body = b, .q = m->body_q[b], .up = {rot[6], rot[7], rot[8]}};
        place_floater(world->sim, &f, keeps, q, u);
      }
    }
  }
}

/* ---- warnings ---- */

void pki_world_check_ground(const pki_world *world, pki_problems *warnings)
{
  const pki_scenario *s = world->scenario;
  const pk_model *m = world->model;
  pk_sim_overlap_pair pairs[PAIRS];
  const int count = pki_sim_intrusions(world->sim, 1e-3, pairs, PAIRS);
  for (int i = 0; i < s->nmodel; i++) {
    int deepest = -1, links = 0;
    for (int k = 0; k < count && k < PAIRS; k++) {
      const int link = link_in_ground(m, &pairs[k]), robot = link >= 0 ? m->links[link].robot : -1;
      if (robot >= world->model_robot[i] && robot < world->model_robot[i + 1]) {
        deepest = deepest < 0 || pairs[k].depth > pairs[deepest].depth ? k : deepest;
        links++;
      }
    }
    if (deepest < 0) {
      continue;
    }
    const int link = link_in_ground(m, &pairs[deepest]);
    const bool is_fixed = m->robots[m->links[link].robot].root == PK_ROOT_FIXED;
    pki_problem(
        warnings, s->models[i].node,
        "%s starts in the ground: its link %s by %.3g m, %d of its links in all; the first step throws "
        "it out. Raise its position by that%s",
        m->robots[m->links[link].robot].name, m->links[link].name, pairs[deepest].depth, links,
        is_fixed ? "" : ", or let on_ground: true find the height");
  }
}
