/* What a walking biped does when: it stands, its pressure goes from one foot to the other, a foot swings. */
#include <math.h>
#include <string.h>

#include "gait/biped.h"
#include "math/mat3.h"

static const double awake = 0.6; /* part of a swing after which its foot can have landed */

static const double pace = 0.5; /* part of the double support by which it can be shorter or longer */

/* ---- the first update ---- */

/* Heading of a rotation whose axes at heading zero are `flat`. */
static double heading_of(const double R[9], const double flat[9])
{
  double back[9], turn[9];
  pki_mat3_transpose(flat, back);
  pki_mat3_mul(R, back, turn);
  return atan2(turn[3], turn[0]);
}

void pki_biped_start(const pki_whole_body *c, const pki_whole_lanes *w, int l, pki_whole_state *whole)
{
  const pki_biped *b = c->plan;
  pki_biped_state *s = pki_whole_body_memory(c, whole);
  const pki_whole_goals g = pki_whole_goals_at(c, whole->since, whole, w, l);
  const double heading = atan2(g.R[3], g.R[0]);
  const double back[9] = {cos(heading), sin(heading), 0, -sin(heading), cos(heading), 0, 0, 0, 1};
  double ground = 0, apart[2];
  s->phase = PK_BIPED_STANDS;
  s->heading = heading;
  pki_mat3_mul(back, g.R, s->trunk);
  for (int f = 0; f < 2; f++) {
    const pki_whole_foot_now now = pki_whole_foot_at(&g, f);
    pki_mat3_mul(back, now.R, s->flat[f]);
    s->feet[f] = (pki_footstep){.at = {now.at[0], now.at[1]}, .yaw = heading};
    ground += 0.5 * now.at[2];
  }
  pki_footstep_between(s->feet[PKI_RIGHT].at, s->feet[PKI_LEFT].at, heading, apart);
  s->width = b->options.width > 0 ? b->options.width : fabs(apart[1]);
  s->ground = ground;
  s->height = b->options.height > 0 ? b->options.height : g.mass[2] - ground;
  s->target = s->feet[PKI_LEFT];
}

/* ---- speeds ---- */

/* What the schedule asks for now. */
static void find_wanted(pki_biped_now *n)
{
  const pk_biped_options *o = &n->b->options;
  const double *asked = n->s->asked;
  double *to = n->wanted;
  to[0] = o->forward, to[1] = o->sideways, to[2] = o->turn;
  for (int i = 0; i < o->change_count && o->changes[i].at <= n->time; i++) {
    to[0] = o->changes[i].forward, to[1] = o->changes[i].sideways, to[2] = o->changes[i].turn;
  }
  for (int k = 0; k < 3 && n->s->has_speed; k++) {
    to[k] = asked[k];
  }
  for (int k = 0; k < 3 && (n->time < o->start || n->time >= o->stop); k++) {
    to[k] = 0;
  }
}

static bool wants_to_go(const pki_biped_now *n)
{
  return n->wanted[0] != 0 || n->wanted[1] != 0 || n->wanted[2] != 0;
}

static bool is_slow(const pki_biped_state *s)
{
  return s->speed[0] == 0 && s->speed[1] == 0 && s->speed[2] == 0;
}

/* The speed of the plan goes to the wanted one, and the heading with it. */
static void change_speed(pki_biped_now *n)
{
  pki_biped_state *s = n->s;
  const double most = n->b->options.acceleration * n->period;
  for (int k = 0; k < 3; k++) {
    s->speed[k] += fmin(fmax(n->wanted[k] - s->speed[k], -most), most);
  }
  s->heading += s->speed[2] * n->period;
}

/* ---- phases ---- */

static void enter_phase(pki_biped_now *n, pk_biped_phase phase, double length)
{
  n->s->phase = phase;
  n->s->since = 0;
  n->s->length = length;
}

/* A foot stands where it is now. */
static void set_down(pki_biped_now *n, int foot)
{
  pki_biped_state *s = n->s;
  const pki_whole_foot_now *now = &n->foot[foot];
  s->feet[foot].at[0] = now->at[0], s->feet[foot].at[1] = now->at[1];
  s->feet[foot].yaw = pki_nearest_angle(heading_of(now->R, s->flat[foot]), s->heading);
}

/* From standing: the foot on the side to which it goes swings first. */
static void begin_walk(pki_biped_now *n)
{
  pki_biped_state *s = n->s;
  set_down(n, PKI_LEFT);
  set_down(n, PKI_RIGHT);
  const bool left = n->wanted[1] > 0 || (n->wanted[1] == 0 && n->wanted[2] >= 0);
  s->stance = left ? PKI_RIGHT : PKI_LEFT;
  s->last = false;
  memcpy(s->from, n->s->report.pressure, sizeof s->from);
  enter_phase(n, PK_BIPED_SHIFTS, n->b->options.shift);
}

static void begin_swing(pki_biped_now *n)
{
  pki_biped_state *s = n->s;
  const int foot = !s->stance;
  set_down(n, PKI_LEFT);
  set_down(n, PKI_RIGHT);
  s->closes = !wants_to_go(n) && is_slow(s);
  enter_phase(n, PK_BIPED_SWINGS, n->b->options.swing);
  pki_biped_swing_begin(n, foot);
}

static void land_foot(pki_biped_now *n)
{
  pki_biped_state *s = n->s;
  const pk_biped_options *o = &n->b->options;
  const pk_biped_report *r = &s->report;
  const double way = hypot(r->target[0] - r->planned[0], r->target[1] - r->planned[1]);
  s->report.steps++;
  s->report.moved += way > 0.01 || fabs(s->length - o->swing) > 0.05;
  pki_biped_pressure_of(n, &s->feet[s->stance], s->stance, s->from);
  s->stance = !s->stance;
  set_down(n, s->stance);
  s->last = s->closes && !wants_to_go(n);
  /* who lands early or late has more or less time on both feet, so that the pace stays */
  const double early = fmin(fmax(s->length - s->since, -pace * o->support), pace * o->support);
  enter_phase(n, PK_BIPED_SHIFTS, s->last ? o->shift : o->support + early);
}

static bool has_landed(const pki_biped_now *n)
{
  const pki_biped_state *s = n->s;
  return s->since > awake * s->length && n->load[!s->stance] > n->b->options.touch * n->weight;
}

void pki_biped_tick(pki_biped_now *n)
{
  pki_biped_state *s = n->s;
  find_wanted(n);
  s->since += n->period;
  switch (s->phase) {
  case PK_BIPED_STANDS:
    memset(s->speed, 0, sizeof s->speed);
    if (wants_to_go(n)) {
      begin_walk(n);
    }
    break;
  case PK_BIPED_SHIFTS:
    if (!s->last) {
      change_speed(n);
    }
    if (s->since >= s->length) {
      if (s->last) {
        enter_phase(n, PK_BIPED_STANDS, 0);
      } else {
        begin_swing(n);
      }
    }
    break;
  case PK_BIPED_SWINGS:
    change_speed(n);
    if (has_landed(n)) {
      land_foot(n);
    }
    break;
  case PK_BIPED_FALLEN:
  case PK_BIPED_PHASE_COUNT: break;
  }
}
