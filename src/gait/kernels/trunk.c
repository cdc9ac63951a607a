/* The virtual model of the trunk: springs and dampers towards where it should be, above the ground that the feet
 * have felt. */
#include "gait/kernels/declare.h"
#include "gait/kernels/feet.h"

/* Gains by unit of mass and moment: stiffness in g/h, damping in sqrt(g/h). */
static const double height_k = 6.26911, height_d = 4.49759;
static const double place_k = 1.25382, place_d = 2.04436; /* standing */
static const double speed_d = 0.817744;                   /* trotting */
static const double tilt_k = 10.4485, tilt_d = 5.72421, yaw_k = 4.17941, yaw_d = 3.67985;
/* A trot is drawn to where it should be: sqrt(g/h), and h. */
static const double pull = 0.204436, pull_most = 0.05 / 0.41;
static const double tilted = 0.5, low = 0.4; /* has fallen: cosine of the tilt, of the height */
static const double flat = 3.53887e-5;       /* h^4: the feet's points are on a line */

/* Least squares z = a + b x + c y through the last points of contact; about their mean, so that the system is
 * 2 x 2. Three feet on a line leave the slope as it is. Returns the points' middle. */
static inline pki_v3 fit_ground_plane(const pki_gait_group *g, pki_gait_scene *s)
{
  pki_walk *const w = g->walk[0];
  const pki_v3 *point = s->ground;
  pki_v3 mean = pki_v3_zero();
  for (int i = 0; i < g->c->leg_count; i++) {
    mean = pki_add_scaled(mean, pki_splat(1.0 / g->c->leg_count), point[i]);
  }
  pk_r xx = pki_splat(0), xy = xx, yy = xx, xz = xx, yz = xx;
  for (int i = 0; i < g->c->leg_count; i++) {
    const pki_v3 d = pki_sub(point[i], mean);
    xx += d.x * d.x, xy += d.x * d.y, yy += d.y * d.y, xz += d.x * d.z, yz += d.y * d.z;
  }
  const pk_r det = xx * yy - xy * xy, one = pki_splat(1);
  const double h2 = g->c->height * g->c->height;
  const pk_i wide = pki_less(pki_splat(flat * h2 * h2), det);
  const pk_r share = 1.0 / pki_select(wide, det, one);
  const pk_r b = pki_select(wide, (yy * xz - xy * yz) * share, pki_pick(g, &w->plane[1]));
  const pk_r c = pki_select(wide, (xx * yz - xy * xz) * share, pki_pick(g, &w->plane[2]));
  pk_r *const plane = s->plane;
  plane[1] = pki_clamp(b, -one, one);
  plane[2] = pki_clamp(c, -one, one);
  plane[0] = mean.z - plane[1] * mean.x - plane[2] * mean.y;
  const pk_r scale = 1.0 / pki_sqrt(1.0 + plane[1] * plane[1] + plane[2] * plane[2]);
  s->normal = (pki_v3){-plane[1] * scale, -plane[2] * scale, scale};
  pki_put3(g, w->plane, pki_v3_load(plane));
  pki_put3(g, w->normal, s->normal);
  return mean;
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

static inline pk_r wrap_angle(pk_r angle)
{
  return angle - 6.283185307179586 * pki_round(angle * 0.15915494309189535);
}

/* One horizontal direction. A standing trunk belongs above the middle of its feet; a trotting one where its wanted speed
 * has brought it, but not farther from where it is than a leash. Planned gaits lean. */
static inline pk_r horizontal_acceleration(const pki_gait_group *g, pki_gait_scene *s, int k,
                                           const pki_gait_timing *b, pk_r middle, pk_r speed)
{
  pki_walk *const w = g->walk[0];
  const pk_r com = k == 0 ? s->com.x : s->com.y, rate = k == 0 ? s->com_vel.x : s->com_vel.y;
  const pk_r below = com - pki_pick(g, &w->leaning[k]);
  const pk_r way = pki_pick(g, &w->place[k]) + b->period * speed;
  const double pace = g->c->pace, most = pull_most * g->c->height;
  const pk_r ahead = pki_clamp(way - below, pki_splat(-most), pki_splat(most));
  const pk_r drawn = speed + pull * pace * ahead;
  pki_put(g, &w->place[k], pki_select(b->walking, below + ahead, com));
  s->velocity[k] = pki_select(b->walking, drawn, speed);
  return pki_select(b->walking, speed_d * pace * (drawn - rate),
                    place_k * pace * pace * (middle - com) - place_d * pace * rate);
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

/* Upright, and along the yaw, which has a leash too. Returns the turn to there. */
static inline pki_v3 attitude_error(const pki_gait_group *g, pki_gait_scene *s, const pki_gait_timing *b)
{
  pki_walk *const w = g->walk[0];
  const pk_r spin = pki_pick(g, &w->speed[2]), zero = pki_splat(0);
  const pk_r ahead = pki_select(b->walking, b->period * spin, zero);
  const pk_r off = wrap_angle(pki_pick(g, &w->yaw) + ahead - s->heading);
  const pk_r yaw = s->heading + pki_clamp(off, pki_splat(-0.2), pki_splat(0.2));
  const pki_v3 level = {zero, zero, pki_splat(1)};
  const pki_v3 error =
      turn_to(&s->R, g->c->options.attitude == PK_LOCOMOTION_ATTITUDE_SLOPE ? s->normal : level, yaw);
  const pki_v3 miss = pki_sub(pki_scale(spin, s->R.z), s->limbs[0].w);
  pki_put(g, &w->yaw, yaw);
  const double pace = g->c->pace, k = tilt_k * pace * pace, d = tilt_d * pace;
  s->acc.a = (pki_v3){k * error.x + d * miss.x, k * error.y + d * miss.y,
                      yaw_k * pace * pace * error.z + yaw_d * pace * miss.z};
  return error;
}

static inline void store_lane3(pki_v3 x, int lane, double out[3])
{
  out[0] = pki_lane(x.x, lane), out[1] = pki_lane(x.y, lane), out[2] = pki_lane(x.z, lane);
}

/* What a plan needs to know, for the robots that have one. */
static inline void copy_for_plan(const pki_gait_group *g, const pki_gait_scene *s, pki_v3 turn)
{
  for (int l = 0; l < PKI_LANES; l++) {
    pki_walk *const w = g->walk[l];
    if (w->planned) {
      store_lane3(s->R.x, l, w->R), store_lane3(s->R.y, l, w->R + 3), store_lane3(s->R.z, l, w->R + 6);
      store_lane3(s->pos, l, w->pos);
      store_lane3(s->limbs[0].w, l, w->omega);
      store_lane3(s->com, l, w->com), store_lane3(s->com_vel, l, w->com_vel);
      store_lane3(turn, l, w->turn);
      w->velocity[0] = pki_lane(s->velocity[0], l), w->velocity[1] = pki_lane(s->velocity[1], l);
    }
  }
}

void PKI_NAME(gait_refer)(const pki_gait_group *g, double *scratch)
{
  pki_walk *const w = g->walk[0];
  pki_gait_scene *const s = (pki_gait_scene *)(void *)scratch;
  const pki_v3 pos = s->pos, vel = s->vel, ahead = {s->R.x.x, s->R.y.x, s->R.z.x};
  const pki_gait_timing timing = pki_gait_timing_of(g);
  for (int i = 0; i < g->c->leg_count; i++) {
    pki_foot_schedule(g, s, &timing, i);
  }
  const pki_v3 middle = fit_ground_plane(g, s);
  const pk_r *plane = s->plane, height = pos.z - (plane[0] + plane[1] * pos.x + plane[2] * pos.y);
  note_fallen(g, s->R.z.z, height);
  /* the wanted speed along the heading, which is the trunk's x seen from above */
  const pk_r reach = pki_sqrt(ahead.x * ahead.x + ahead.y * ahead.y);
  const pk_i looks = pki_less(pki_splat(0), reach);
  const pk_r share = 1.0 / pki_select(looks, reach, pki_splat(1));
  const pk_r cosine = pki_select(looks, ahead.x * share, pki_splat(1)), sine = ahead.y * share;
  s->cosine = cosine, s->sine = sine;
  const pk_r forward = pki_pick(g, &w->speed[0]), aside = pki_pick(g, &w->speed[1]);
  s->acc.l.x = horizontal_acceleration(g, s, 0, &timing, middle.x, cosine * forward - sine * aside);
  s->acc.l.y = horizontal_acceleration(g, s, 1, &timing, middle.y, sine * forward + cosine * aside);
  /* above the ground by the legs' height */
  const pk_r climb = plane[1] * vel.x + plane[2] * vel.y;
  const double k = height_k * g->c->pace * g->c->pace, d = height_d * g->c->pace;
  s->acc.l.z = k * (g->c->height + g->c->legs[0].radius - height) + d * (climb - vel.z);
  const pki_v3 turn = attitude_error(g, s, &timing);
  copy_for_plan(g, s, turn);
}
