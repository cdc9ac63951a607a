/* The virtual model of the trunk: springs and dampers towards where it should be, above the ground that the feet
 * have felt. */
#include "gait/kernels/declare.h"
#include "gait/kernels/limb.h"

/* Gains by unit of mass and moment: 1/s^2 and 1/s. */
static const double height_k = 150, height_d = 22;
static const double place_k = 30, place_d = 10; /* standing */
static const double speed_d = 4;                /* trotting */
static const double tilt_k = 250, tilt_d = 28, yaw_k = 100, yaw_d = 18;
static const double pull = 1, pull_most = 0.05; /* 1/s, m: a trot is drawn to where it should be */
static const double tilted = 0.5, low = 0.4;    /* has fallen: cosine of the tilt, of the height */

typedef struct ground {
  pki_v3 middle; /* of the points */
  pk_r plane[3];
  pki_v3 normal;
} ground;

/* Least squares z = a + b x + c y through the last points of contact; about their mean, so that the system is
 * 2 x 2. Three feet on a line leave the slope as it is. */
static inline ground fit(const pki_gait_group *g)
{
  pki_walk *const w = g->walk[0];
  pki_v3 point[PKI_LEGS], mean = pki_v3_zero();
  for (int i = 0; i < PKI_LEGS; i++) {
    point[i] = pki_pick3(g, w->feet[i].ground);
    mean = pki_add_scaled(mean, pki_splat(1.0 / PKI_LEGS), point[i]);
  }
  pk_r xx = pki_splat(0), xy = xx, yy = xx, xz = xx, yz = xx;
  for (int i = 0; i < PKI_LEGS; i++) {
    const pki_v3 d = pki_sub(point[i], mean);
    xx += d.x * d.x, xy += d.x * d.y, yy += d.y * d.y, xz += d.x * d.z, yz += d.y * d.z;
  }
  const pk_r det = xx * yy - xy * xy, one = pki_splat(1);
  const pk_i wide = pki_less(pki_splat(1e-6), det);
  const pk_r share = 1.0 / pki_select(wide, det, one);
  const pk_r b = pki_select(wide, (yy * xz - xy * yz) * share, pki_pick(g, &w->plane[1]));
  const pk_r c = pki_select(wide, (xx * yz - xy * xz) * share, pki_pick(g, &w->plane[2]));
  ground out = {.middle = mean};
  out.plane[1] = pki_clamp(b, -one, one);
  out.plane[2] = pki_clamp(c, -one, one);
  out.plane[0] = mean.z - out.plane[1] * mean.x - out.plane[2] * mean.y;
  const pk_r scale = 1.0 / pki_sqrt(1.0 + out.plane[1] * out.plane[1] + out.plane[2] * out.plane[2]);
  out.normal = (pki_v3){-out.plane[1] * scale, -out.plane[2] * scale, scale};
  pki_put3(g, w->plane, pki_v3_load(out.plane));
  pki_put3(g, w->normal, out.normal);
  return out;
}

/* Upside down, on its side or on its belly: nothing that feet could mend. */
static inline void note_fallen(const pki_gait_group *g, pk_r upright, pk_r height)
{
  const pk_i down = pki_less(upright, pki_splat(tilted)) | pki_less(height, pki_splat(low * g->c->height));
  const pk_r mark = pki_select(down, pki_splat(1), pki_splat(0));
  for (int l = 0; l < PKI_LANES; l++) {
    g->walk[l]->fallen = g->walk[l]->fallen || pki_lane(mark, l) > 0;
  }
}

static inline pk_r wrap(pk_r angle)
{
  return angle - 6.283185307179586 * pki_round(angle * 0.15915494309189535);
}

/* One horizontal direction. A standing trunk belongs above the middle of its feet; a trotting one where its wanted speed
 * has brought it, but not farther from where it is than a leash. Planned gaits lean. */
static inline pk_r horizontal(const pki_gait_group *g, int k, pk_i walking, pk_r middle, pk_r speed)
{
  pki_walk *const w = g->walk[0];
  const pk_r com = pki_pick(g, &w->com[k]), rate = pki_pick(g, &w->com_vel[k]);
  const pk_r below = com - pki_pick(g, &w->leaning[k]);
  const pk_r way = pki_pick(g, &w->place[k]) + pki_pick(g, &w->period) * speed;
  const pk_r ahead = pki_clamp(way - below, pki_splat(-pull_most), pki_splat(pull_most));
  const pk_r drawn = speed + pull * ahead;
  pki_put(g, &w->place[k], pki_select(walking, below + ahead, com));
  pki_put(g, &w->velocity[k], pki_select(walking, drawn, speed));
  return pki_select(walking, speed_d * (drawn - rate), place_k * (middle - com) - place_d * rate);
}

/* The rotation vector from R to the wanted attitude, in the axes of R: z is `up`, x looks along the yaw. Of the matrix
 * D = R' wanted, the angle by sine and cosine: 2 sin = |D - D'|, 2 cos = tr D - 1. */
static inline pki_v3 turn_to(const pki_m3 *R, pki_v3 up, pk_r yaw)
{
  pk_r sine, cosine;
  pki_sincos(yaw, &sine, &cosine);
  const pki_v3 left = {-sine, cosine, pki_splat(0)}, along = pki_cross(left, up);
  const pki_v3 x = pki_scale(1.0 / pki_sqrt(pki_dot(along, along)), along), y = pki_cross(up, x);
  const pki_v3 a = pki_m3_apply_t(*R, x), b = pki_m3_apply_t(*R, y), c = pki_m3_apply_t(*R, up);
  const pki_v3 twice = {b.z - c.y, c.x - a.z, a.y - b.x};
  const pk_r size = pki_sqrt(pki_dot(twice, twice)), tiny = pki_splat(1e-12);
  const pk_i some = pki_less(tiny, size);
  const pk_r angle = pki_atan2(size, a.x + b.y + c.z - 1.0);
  return pki_scale(pki_select(some, angle / pki_select(some, size, tiny), pki_splat(0.5)), twice);
}

/* Upright, and along the yaw, which has a leash too. */
static inline void attitude(const pki_gait_group *g, const pki_m3 *R, pk_i walking, pki_v3 normal)
{
  pki_walk *const w = g->walk[0];
  const pk_r spin = pki_pick(g, &w->speed[2]), heading = pki_pick(g, &w->heading), zero = pki_splat(0);
  const pk_r ahead = pki_select(walking, pki_pick(g, &w->period) * spin, zero);
  const pk_r off = wrap(pki_pick(g, &w->yaw) + ahead - heading);
  const pk_r yaw = heading + pki_clamp(off, pki_splat(-0.2), pki_splat(0.2));
  const pki_v3 level = {zero, zero, pki_splat(1)};
  const pki_v3 error = turn_to(R, g->c->options.attitude == PK_ATTITUDE_SLOPE ? normal : level, yaw);
  const pki_v3 miss = pki_sub(pki_scale(spin, R->z), pki_pick3(g, w->omega));
  pki_put(g, &w->yaw, yaw);
  pki_put3(g, w->turn, error);
  pki_put(g, &w->acc[3], tilt_k * error.x + tilt_d * miss.x);
  pki_put(g, &w->acc[4], tilt_k * error.y + tilt_d * miss.y);
  pki_put(g, &w->acc[5], yaw_k * error.z + yaw_d * miss.z);
}

void PKI_NAME(gait_refer)(const pki_gait_group *g)
{
  pki_walk *const w = g->walk[0];
  const pki_m3 R = {pki_pick3(g, w->R), pki_pick3(g, w->R + 3), pki_pick3(g, w->R + 6)};
  const pki_v3 pos = pki_pick3(g, w->pos), vel = pki_pick3(g, w->vel);
  const pk_i walking = pki_pick_flag(g, &w->walking);
  const ground on = fit(g);
  const pk_r height = pos.z - (on.plane[0] + on.plane[1] * pos.x + on.plane[2] * pos.y);
  note_fallen(g, R.z.z, height);
  /* the wanted speed along the heading, which is the trunk's x seen from above */
  const pk_r reach = pki_sqrt(R.x.x * R.x.x + R.y.x * R.y.x);
  const pk_i looks = pki_less(pki_splat(0), reach);
  const pk_r share = 1.0 / pki_select(looks, reach, pki_splat(1));
  const pk_r cosine = pki_select(looks, R.x.x * share, pki_splat(1)), sine = R.y.x * share;
  const pk_r forward = pki_pick(g, &w->speed[0]), aside = pki_pick(g, &w->speed[1]);
  pki_put(g, &w->acc[0], horizontal(g, 0, walking, on.middle.x, cosine * forward - sine * aside));
  pki_put(g, &w->acc[1], horizontal(g, 1, walking, on.middle.y, sine * forward + cosine * aside));
  /* above the ground by the legs' height */
  const pk_r climb = on.plane[1] * vel.x + on.plane[2] * vel.y;
  pki_put(g, &w->acc[2],
          height_k * (g->c->height + g->c->legs[0].radius - height) + height_d * (climb - vel.z));
  attitude(g, &R, walking, on.normal);
}
