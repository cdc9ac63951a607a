/* The clock of the gait: which gait, how fast, and how the phases of the legs advance. */
#include <math.h>
#include <string.h>

#include "gait/locomotion.h"

static const double longest = 0.733;        /* sqrt(h/g), that the clock waits for a foot to land */
static const double ending = 0.55;          /* least duty of the trot in which a robot comes to a stand */
static const double lift_speed = 0.0498624; /* sqrt(g h), how fast the lift follows that of the gait */
static const double settled = 0.03; /* cycles, legs this near to their places have changed their gait */

static double approach_limited(double value, double goal, double most)
{
  const double off = goal - value;
  return off == 0 || fabs(off) <= most ? goal : value + copysign(most, off);
}

static bool any_foot_reaches(const pki_walk *w)
{
  bool any = false;
  for (int i = 0; i < w->cpg.legs; i++) {
    any = any || w->feet[i].mode == PKI_FOOT_REACH;
  }
  return any;
}

/* All feet are planned to stand. */
static bool all_feet_in_stance(const pki_walk *w)
{
  bool all = true;
  for (int i = 0; i < w->cpg.legs; i++) {
    all = all && pki_cpg_stance(&w->cpg, i);
  }
  return all;
}

/* The rhythm of a gait on this robot; the options' own numbers count for the options' gait. */
static pki_rhythm rhythm_of(const pki_locomotion *c, pk_gait gait, double *lift)
{
  const pk_locomotion_options *o = &c->options;
  const pki_gait_row *row = pki_gaits[gait];
  const bool own = gait == o->gait;
  pki_rhythm r = {.duty = own && o->duty > 0 ? o->duty : row->duty,
                  .cycle = own && o->cycle > 0 ? o->cycle : row->cycle * c->tau};
  pki_gait_footfall(row, c->leg_count, r.footfall);
  *lift = own && o->lift > 0 ? o->lift : row->lift * c->height;
  return r;
}

/* The last change whose time has come counts, before that the options; what was asked of this world counts more; after
 * `stop` nothing. */
static pk_gait_change goal_now(const pki_locomotion *c, const pki_gait_request *request, double time)
{
  const pk_locomotion_options *o = &c->options;
  const bool own =
      request->has_gait && (unsigned)request->gait < PK_GAIT_COUNT; /* states come from files, too */
  pk_gait_change goal = {
      .gait = o->gait, .forward = o->forward, .sideways = o->sideways, .turn = o->turn, .at = o->start};
  goal.gait = own ? request->gait : goal.gait;
  goal.gait = time >= o->start ? goal.gait : PK_GAIT_STAND;
  for (int i = 0; i < o->change_count && o->changes[i].at <= time && !own; i++) {
    goal = o->changes[i];
  }
  if (request->has_speed) {
    goal.forward = request->forward, goal.sideways = request->sideways, goal.turn = request->turn;
  }
  if (goal.gait == PK_GAIT_STAND || time >= o->stop) {
    goal = (pk_gait_change){.gait = PK_GAIT_STAND, .at = goal.at};
  }
  return goal;
}

static void start_walking(const pki_locomotion *c, pki_walk *w, const pk_gait_change *goal, double lift)
{
  w->walking = true;
  w->lift = lift;
  w->wait = 0;
  if (goal->gait == PK_GAIT_JUMP) {
    pki_jump_start(c, w);
    w->jumped = goal->at;
  } else {
    pki_cpg_start(&w->cpg, c->leg_count, &w->rhythm);
  }
}

/* Advance the phases. While a foot still searches for the ground after its swing, the clock waits: the others keep carrying. */
static void advance_gait(const pki_locomotion *c, pki_walk *w)
{
  w->wait = w->cpg.duty > 0.5 && all_feet_in_stance(w) && any_foot_reaches(w) ? w->wait + w->period : 0;
  if (w->wait == 0 || w->wait >= longest * c->tau) {
    pki_cpg_step(&w->cpg, &w->rhythm, w->period);
  }
}

/* Wanted speeds, and whether the robot walks. It stops when it has trotted in place for a cycle. A jump is done before
 * anything else begins, once for each time that it is asked for; it starts from a stand. */
void pki_clock_tick(const pki_locomotion *c, pki_walk *w)
{
  pk_gait_change goal = goal_now(c, &w->request, w->time);
  if (goal.gait != PK_GAIT_JUMP && !w->jumping) {
    w->jumped = -1; /* the next one is a new one, even when it is asked for since the same time */
  }
  const bool done = goal.gait == PK_GAIT_JUMP && w->jumped == goal.at;
  const bool jump = goal.gait == PK_GAIT_JUMP && !done;
  const bool go = goal.gait != PK_GAIT_STAND && !done && !(jump && w->walking);
  const double wanted[3] = {goal.forward, goal.sideways, goal.turn},
               most = c->options.acceleration * w->period;
  const bool moves = go && w->walking && !jump;
  bool still = true;
  for (int k = 0; k < 3; k++) {
    w->speed[k] = approach_limited(w->speed[k], moves ? wanted[k] : 0, most);
    still = still && w->speed[k] == 0;
  }
  w->still = !go && still ? w->still + w->period : 0;
  if (w->jumping) {
    advance_gait(c, w);
    w->walking = w->jumping = !pki_jump_over(w);
  } else {
    double lift;
    w->rhythm = rhythm_of(c, go && !jump ? goal.gait : PK_GAIT_TROT, &lift);
    if (!go || jump) {
      w->rhythm.duty = fmax(w->rhythm.duty, ending); /* all feet must stand at once for an end */
    }
    if (!w->walking && go) {
      start_walking(c, w, &goal, lift);
    } else if (w->walking) {
      w->lift = approach_limited(w->lift, lift, lift_speed * c->height * c->pace * w->period);
      advance_gait(c, w);
      w->walking = !(w->still > w->cpg.cycle && all_feet_in_stance(w));
    }
  }
  /* a trot whose feet always carry is a pendulum on two feet, and needs no plan */
  const bool trots = c->options.references != PK_GAIT_REFERENCES_ZMP && !w->jumping &&
                     (goal.gait == PK_GAIT_TROT || !go) && w->cpg.duty > 0.52 &&
                     pki_cpg_distance(&w->cpg, &w->rhythm) < settled &&
                     fabs(w->cpg.cycle - w->rhythm.cycle) < 0.05 * w->rhythm.cycle;
  w->planned = w->walking && !trots;
}
