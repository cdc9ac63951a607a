/* One jump on the spot: crouch, push, flight, landing.
 *
 * The trunk's height over where it stands, z(t): down to -D in a smooth path; up from there with the constant acceleration a
 * until it has the speed v at z = e, where the feet leave; then ballistic; and the same backwards. With H the height of
 * the top,
 *
 *   v = sqrt(2 g (H - e)),   D + e = v^2/(2 a),   push v/a,   flight 2 v/g
 *
 * The phases are those of a pronk with one long stance, so that all that serves gaits serves the jump: the plan
 * follows z(t), which is a motion that gravity and the feet can make. */
#include <math.h>
#include <string.h>

#include "gait/foot_path.h"
#include "gait/locomotion.h"

static const double extend = 0.05;  /* e, in heights */
static const double deepest = 0.35; /* D, in heights, at most */
static const double crouch = 2;     /* time to crouch and to rise again, in sqrt(h/g) */
static const double share = 0.6;    /* of the legs' strength beyond the weight */
static const double hardest = 1.5;  /* a, in g, at most */
static const double softest = 0.05; /* and at least: legs that barely carry the robot where it stands now */

/* a/g */
static double push_acceleration(const pki_locomotion *c, double strength)
{
  return fmin(hardest, share * (c->leg_count * strength - 1));
}

/* H for the largest D: with D + e = v^2/(2 a), H = e + (D + e) a/g. */
double pki_jump_reach(const pki_locomotion *c, double strength)
{
  return c->height * (extend + (extend + deepest) * fmax(0, push_acceleration(c, strength)));
}

void pki_jump_start(const pki_locomotion *c, pki_walk *w)
{
  const double g = c->gravity, e = extend * c->height;
  pki_jump *j = &w->jump;
  w->jumping = true;
  j->speed = sqrt(2 * g * fmax(c->options.jump - e, e));
  /* no stronger than the legs, no deeper than they bend: the rest of the height is not to be had */
  j->push = g * fmax(softest, push_acceleration(c, w->strength));
  const double room = (extend + deepest) * c->height;
  j->speed = fmin(j->speed, sqrt(2 * j->push * room));
  j->deep = j->speed * j->speed / (2 * j->push) - e;
  j->down = crouch * c->tau;
  const double stance = j->down + j->speed / j->push, flight = 2 * j->speed / g;
  w->rhythm = (pki_rhythm){.duty = stance / (stance + flight), .cycle = stance + flight};
  pki_cpg_start(&w->cpg, c->leg_count, &w->rhythm);
  w->lift = 0.6 * (j->speed * j->speed / (2 * g) + e);
}

/* Landed, and up again. */
bool pki_jump_over(const pki_walk *w)
{
  const double since = (w->cpg.phase[0] - 1) * w->cpg.cycle;
  return since > w->jump.speed / w->jump.push + w->jump.down;
}

double pki_jump_height(const pki_locomotion *c, const pki_walk *w, double ahead, double *rate)
{
  const pki_jump *j = &w->jump;
  const double push = j->speed / j->push, top = j->speed * j->speed / (2 * j->push) - j->deep;
  const double flight = 2 * j->speed / c->gravity;
  double t = w->cpg.phase[0] * w->cpg.cycle + ahead;
  if (t < j->down) {
    const pki_path path = pki_quintic(t / j->down);
    *rate = -j->deep * path.rate / j->down;
    return -j->deep * path.s;
  }
  t -= j->down;
  if (t < push) {
    *rate = j->push * t;
    return -j->deep + 0.5 * j->push * t * t;
  }
  t -= push;
  if (t < flight) {
    *rate = j->speed - c->gravity * t;
    return top + j->speed * t - 0.5 * c->gravity * t * t;
  }
  t -= flight;
  if (t < push) {
    *rate = j->push * t - j->speed;
    return top - j->speed * t + 0.5 * j->push * t * t;
  }
  t = fmin(1, (t - push) / j->down);
  const pki_path path = pki_quintic(t);
  *rate = j->deep * path.rate / j->down;
  return -j->deep * (1 - path.s);
}
