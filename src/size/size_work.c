#include "size/size_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* ---- rounds ---- */

/* The drive of a joint: the present one's mass goes where that of the chosen one is known. */
static void note_drive(const pki_size_study *study, const pki_drive_candidate *c, pki_size_carried *one)
{
  const pki_size_present *present = pki_size_find_present(study, one->joint);
  const double mass = pki_drive_mass(&c->drive);
  pki_drive_words(&c->drive, one->drive, sizeof one->drive);
  one->mass = isnan(mass) ? 0 : mass;
  one->added = isnan(mass) ? 0 : mass - (present != NULL ? present->mass : 0);
  one->armature = c->demand.armature;
}

/* What a robot carries after a choice: mass and rotor of the drive of each joint. */
static pk_status note_round(const pki_size_study *study, const pki_size_round *robot, double seconds,
                            pki_size_result *out, pki_problems *problems)
{
  const pki_sizing *z = &out->sizing;
  pki_size_round *list = realloc(out->rounds, (size_t)(out->nround + 1) * sizeof *list);
  int count = 0;
  for (int i = 0; i < z->ngroup; i++) {
    count += z->groups[i].njoint;
  }
  pki_size_carried *chosen = calloc((size_t)count + 1, sizeof *chosen);
  out->rounds = list != NULL ? list : out->rounds;
  if (list == NULL || chosen == NULL) {
    free(chosen);
    return pki_problem_memory(problems);
  }
  pki_size_round *r = &list[out->nround++];
  *r = (pki_size_round){.chosen = chosen,
                        .carried = robot->carried,
                        .added = robot->added,
                        .mass = z->supply.mass,
                        .power = z->supply.power,
                        .input = z->supply.input,
                        .seconds = seconds,
                        .complete = pki_sizing_is_complete(z)};
  for (int i = 0; i < z->ngroup; i++) {
    const pki_drive_candidate *c = pki_group_choice(&z->groups[i]);
    for (int k = 0; k < z->groups[i].njoint; k++) {
      pki_size_carried *one = &chosen[r->njoint++];
      snprintf(one->joint, sizeof one->joint, "%s", z->groups[i].joints[k]);
      if (c != NULL) {
        note_drive(study, c, one);
      }
    }
  }
  return PK_OK;
}

/* What the robot had at the joints that get drives, from the motions of round 0. */
static pk_status note_replaced(const pki_size_study *study, pki_size_result *out, pki_problems *problems)
{
  const pki_size_round *r = &out->rounds[0];
  out->replaced = calloc((size_t)r->njoint + 1, sizeof *out->replaced);
  if (out->replaced == NULL) {
    return pki_problem_memory(problems);
  }
  for (int i = 0; i < r->njoint; i++) {
    pki_size_replaced *one = &out->replaced[out->nreplaced];
    const pki_size_present *present = pki_size_find_present(study, r->chosen[i].joint);
    *one = (pki_size_replaced){.mass = present != NULL ? present->mass : 0};
    snprintf(one->joint, sizeof one->joint, "%s", r->chosen[i].joint);
    for (int k = 0; k < out->sizing.duty.count; k++) {
      const pki_joint_duty *j = pki_duty_joint(&out->sizing.duty.motions[k], one->joint);
      one->armature = fmax(one->armature, j != NULL ? j->armature : 0);
    }
    pki_size_name_actuators(study, one->joint, one->actuators, sizeof one->actuators);
    out->nreplaced += one->mass > 0 || one->armature > 0 || one->actuators[0] != '\0';
  }
  return PK_OK;
}

/* The same drive at every joint; ratios that are found agree to 1e-3. */
static bool is_same(const pki_size_round *a, const pki_size_round *b)
{
  bool same = a->njoint == b->njoint;
  for (int i = 0; same && i < a->njoint; i++) {
    const double scale = fmax(fabs(a->chosen[i].armature), 1e-12);
    same = strcmp(a->chosen[i].joint, b->chosen[i].joint) == 0 && a->chosen[i].mass == b->chosen[i].mass &&
           fabs(a->chosen[i].armature - b->chosen[i].armature) <= 2e-3 * scale;
  }
  return same;
}

int pki_size_find_swing(const pki_size_round *rounds, int count)
{
  for (int i = count - 3; i >= 0; i--) {
    if (is_same(&rounds[i], &rounds[count - 1])) {
      return i;
    }
  }
  return -1;
}

/* Progress of the rounds that there may be at most. */
typedef struct tell {
  const pki_size_work_options *options;
  int round, rounds;
} tell;

static void tell_motions(void *user, double fraction, const char *what)
{
  const tell *t = user;
  char text[200];
  if (t->options->progress != NULL) {
    if (t->rounds > 0) {
      snprintf(text, sizeof text, "round %d: %.160s", t->round, what);
    } else {
      snprintf(text, sizeof text, "%.180s", what);
    }
    t->options->progress(t->options->user, (t->round + 0.9 * fraction) / (t->rounds + 1), text);
  }
}

static bool tell_choice(void *user, double fraction, const char *what)
{
  const tell *t = user;
  if (t->options->progress != NULL) {
    t->options->progress(t->options->user, (t->round + 0.9 + 0.1 * fraction) / (t->rounds + 1), what);
  }
  return t->options->stop == NULL || *t->options->stop == 0;
}

static pk_status run_round(const pki_size_study *study, const pki_size_work_options *options, tell *t,
                           const pki_size_round *last, pki_size_result *out, pki_problems *problems)
{
  const pki_size_work_options inner = {.folder = options->folder,
                                       .rounds = options->rounds,
                                       .stop = options->stop,
                                       .progress = tell_motions,
                                       .user = t};
  const pki_size_carried *carried = last != NULL ? last->chosen : NULL;
  const int count = last != NULL ? last->njoint : 0;
  const double begun = pki_clock();
  pki_size_round robot = {0};
  pk_error err = {0};
  for (int i = 0; i < count; i++) {
    robot.carried += carried[i].mass;
    robot.added += carried[i].added;
  }
  pki_sizing_free(&out->sizing);
  pki_size_make_duty(study, &inner, t->round, carried, count, &out->sizing.duty, problems);
  const double moved = pki_clock();
  if (problems->status != PK_OK || pki_size_make_groups(study, &out->sizing, problems) != PK_OK) {
    return problems->status;
  }
  const pk_status status = pki_sizing_run(&out->sizing, tell_choice, t, &err);
  out->motion_seconds += moved - begun;
  out->choice_seconds += pki_clock() - moved;
  if (pki_problems_note(problems, status, &err) != PK_OK) {
    return problems->status;
  }
  return note_round(study, &robot, pki_clock() - begun, out, problems);
}

pk_status pki_size_work(const pki_size_study *study, const pki_size_work_options *options,
                        pki_size_result *out, pki_problems *problems)
{
  const int rounds = options->rounds >= 0 ? options->rounds : study->rounds;
  tell t = {.options = options, .rounds = rounds};
  *out = (pki_size_result){.agreed = rounds == 0, .swings = -1};
  for (t.round = 0; t.round <= rounds && problems->status == PK_OK; t.round++) {
    /* a copy, because the list of rounds grows */
    const pki_size_round last = out->nround > 0 ? out->rounds[out->nround - 1] : (pki_size_round){0};
    run_round(study, options, &t, t.round > 0 ? &last : NULL, out, problems);
    if (problems->status != PK_OK || !out->rounds[out->nround - 1].complete) {
      break;
    }
    if (t.round > 0 && is_same(&last, &out->rounds[out->nround - 1])) {
      out->agreed = true;
      break;
    }
    out->swings = pki_size_find_swing(out->rounds, out->nround);
    if (out->swings >= 0) {
      break;
    }
    if (t.round == 0 && rounds > 0) {
      note_replaced(study, out, problems);
    }
  }
  return problems->status;
}

void pki_size_result_free(pki_size_result *result)
{
  pki_sizing_free(&result->sizing);
  for (int i = 0; i < result->nround; i++) {
    free(result->rounds[i].chosen);
  }
  free(result->rounds);
  free(result->replaced);
  *result = (pki_size_result){0};
}
