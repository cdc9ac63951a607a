/* What stands where: distances, rays and overlaps of a world as it is. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "sim/query.h"

void pki_sim_place(pk_sim *sim)
{
  pki_colliders *c = &sim->scene.colliders;
  pk_workspace *w = sim->workspace;
  const size_t size = (size_t)sim->model->nq * sizeof *sim->state.q;
  if (c->placed && memcmp(c->seen, sim->state.q, size) == 0) {
    return;
  }
  w->kernels->kinematics(&w->work, sim->state.q);
  pki_colliders_place(c, &w->work, 0);
  memcpy(c->seen, sim->state.q, size);
  c->placed = true;
}

bool pk_sim_distance(pk_sim *sim, int shape_a, int shape_b, double reach, pk_proximity *out)
{
  const pki_colliders *c = &sim->scene.colliders;
  const int a = pki_colliders_find(c, shape_a), b = pki_colliders_find(c, shape_b);
  if (a < 0 || b < 0) {
    return false;
  }
  pki_sim_place(sim);
  return pki_distance(c->of[a].geometry, &c->pose[a], c->of[b].geometry, &c->pose[b], reach, NULL, out);
}

/* Whether a ray comes within the ball around a collider. */
static bool meets_ball(const pki_colliders *c, int i, const double from[3], const double along[3],
                       double reach)
{
  const double bound = c->of[i].geometry->bound, *const x = c->centre[i];
  if (isinf(bound)) {
    return true;
  }
  const double arm[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
  const double along_it = pki_dot3(arm, along), nearest = fmin(fmax(along_it, 0), reach);
  const double off[3] = {arm[0] - nearest * along[0], arm[1] - nearest * along[1],
                         arm[2] - nearest * along[2]};
  /* a hair more: rounding must not lose a ray that grazes */
  return pki_dot3(off, off) <= bound * bound * (1 + 1e-9) + 1e-24 * pki_dot3(arm, arm);
}

/* A ray against one collider, up to *distance. */
static bool ray_at(const pki_colliders *c, int i, const double from[3], const double along[3], double reach,
                   double *distance, double normal[3])
{
  const pk_pose *pose = &c->pose[i];
  double x[3] = {from[0] - pose->pos[0], from[1] - pose->pos[1], from[2] - pose->pos[2]}, d[3];
  pki_mat3_apply_transposed(pose->rot, x, x);
  pki_mat3_apply_transposed(pose->rot, along, d);
  if (!pki_geometry_ray_local(c->of[i].geometry, x, d, reach, distance, normal)) {
    return false;
  }
  pki_mat3_apply(pose->rot, normal, normal);
  return true;
}

/* `along` with unit length; false: it has none, or something is not finite. */
static bool unit_direction(const double from[3], const double along[3], double reach, double out[3])
{
  const double size = fmax(fabs(along[0]), fmax(fabs(along[1]), fabs(along[2])));
  const bool sound = size > 0 && isfinite(size) && isfinite(along[0] + along[1] + along[2]) &&
                     isfinite(from[0] + from[1] + from[2]) && reach >= 0;
  if (!sound) {
    return false;
  }
  for (int k = 0; k < 3; k++) {
    out[k] = along[k] / size;
  }
  const double length = sqrt(pki_dot3(out, out));
  for (int k = 0; k < 3; k++) {
    out[k] /= length;
  }
  return true;
}

bool pk_sim_ray(pk_sim *sim, const double from[3], const double along[3], double reach, int skip_body,
                pk_ray_hit *out)
{
  const pki_colliders *c = &sim->scene.colliders;
  double direction[3], best = reach;
  int hit = -1;
  if (!unit_direction(from, along, reach, direction)) {
    return false;
  }
  pki_sim_place(sim);
  for (int i = 0; i < c->n; i++) {
    double distance, normal[3];
    const bool seen = c->of[i].body < 0 || c->of[i].body != skip_body;
    if (seen && meets_ball(c, i, from, direction, best) &&
        ray_at(c, i, from, direction, best, &distance, normal) && (hit < 0 || distance < best)) {
      best = distance, hit = i;
      memcpy(out->normal, normal, sizeof normal);
    }
  }
  if (hit < 0) {
    return false;
  }
  const pki_collider *at = &c->of[hit];
  out->distance = best;
  out->shape = at->link < 0 ? -1 : at->geom;
  out->link = at->link;
  out->solid = at->link < 0 ? at->geom - sim->model->nshape : -1;
  return true;
}

bool pki_sim_ground_height(pk_sim *sim, const double place[2], double *height)
{
  static const double sky = 1e4, down[3] = {0, 0, -1};
  const pki_colliders *c = &sim->scene.colliders;
  const double from[3] = {place[0], place[1], sky};
  double best = 2 * sky;
  bool hit = false;
  pki_sim_place(sim);
  for (int i = 0; i < c->n; i++) {
    double distance, normal[3];
    if (c->of[i].link < 0 && meets_ball(c, i, from, down, best) &&
        ray_at(c, i, from, down, best, &distance, normal) && (!hit || distance < best)) {
      best = distance, hit = true;
    }
  }
  *height = sky - best;
  return hit;
}

int pk_sim_overlap(pk_sim *sim, const pk_geometry *g, const pk_pose *pose, int *out, int most)
{
  const pki_colliders *c = &sim->scene.colliders;
  const int nshape = sim->model->nshape;
  pki_aabb box;
  pk_proximity near;
  int count = 0;
  pki_sim_place(sim);
  pki_geometry_bounds(g, pose, &box);
  for (int i = 0; i < c->n; i++) {
    const pki_collider *at = &c->of[i];
    if (!pki_aabb_overlap(&box, &c->box[i]) ||
        !pki_distance(g, pose, at->geometry, &c->pose[i], 0, NULL, &near)) {
      continue;
    }
    if (count < most) {
      out[count] = at->geom < nshape ? at->geom : nshape - 1 - at->geom;
    }
    count++;
  }
  return count;
}
