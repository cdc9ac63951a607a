/* PID along joint references that are computed from a gait.
 *
 * gait_way.c gives the ways of trunk and feet; seen from the trunk, which stays level and at its height, each foot has a
 * place that three hinges of its leg reach (legs.h). A fourth hinge about the axis of the third keeps the tilt of the foot in the plane of the leg:
 * the sum of the angles about that axis stays what it is in the stance, found by secants. From start to the first cycle that repeats itself all of
 * it is one table, which is followed as by `track`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/registry.h"
#include "control/track.h"
#include "gait/gait_way.h"
#include "gait/gaits.h"
#include "gait/locomotion.h"
#include "math/mat3.h"
#include "pronk/legs.h"

#define GAIT(name) #name, offsetof(pk_gait_track_options, name)
static const pk_field gait_track_fields[] = {
    {GAIT(period), PK_FIELD_REAL, "s", 0, 0, 1, NULL, "time between updates, whole steps; 0: each step"},
    {GAIT(file), PK_FIELD_TEXT, "", 0, 0, sizeof((pk_gait_track_options *)0)->file - 1, NULL,
     "a table of joint references: its first line is the stance; default: the model's initial pose"},
    {GAIT(feet), PK_FIELD_PART, "", 0, 0, 4, NULL,
     "four links: left fore, right fore, left hind, right hind; default: LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT"},
    {GAIT(references), PK_FIELD_ENUM, "", PK_GAIT_REFERENCES_AUTO, 0, PK_GAIT_REFERENCES_COUNT - 1,
     pki_references_words, "where references of the trunk come from; auto: zmp"},
    {GAIT(gait), PK_FIELD_ROW, "", PK_GAIT_TROT, 0, 0, pki_gaits, "what the feet do"},
    {GAIT(forward), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "speed of the trunk, along its x"},
    {GAIT(sideways), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "speed of the trunk, to the left"},
    {GAIT(start), PK_FIELD_REAL, "s", 0.5, 0, 1e3, NULL, "when the first foot lifts"},
    {GAIT(ramp), PK_FIELD_REAL, "s", 0, 0, 60, NULL, "time to the wanted speed; 0: two cycles"},
    {GAIT(cycle), PK_FIELD_REAL, "s", 0, 0, 10, NULL, "time of one gait cycle; 0: the gait's own"},
    {GAIT(duty), PK_FIELD_REAL, "", 0, 0, 0.95, NULL,
     "part of the cycle that a foot is on the ground; 0: the gait's own"},
    {GAIT(lift), PK_FIELD_REAL, "m", 0, 0, 1, NULL, "of a swinging foot; 0: the gait's own"},
    {GAIT(height), PK_FIELD_REAL, "m", 0, 0, 10, NULL,
     "of the mass over the feet in the preview; 0: of the model's mass in the stance"},
    {GAIT(kp), PK_FIELD_REAL, "N m/rad", 100, 0, 1e9, NULL, "stiffness, where the table has none"},
    {GAIT(kd), PK_FIELD_REAL, "N m s/rad", 2, 0, 1e9, NULL, "damping, where the table has none"},
    {GAIT(ki), PK_FIELD_REAL, "N m/(rad s)", 0, 0, 1e9, NULL, "of the integral, where the table has none"},
    {GAIT(tau_max), PK_FIELD_REAL, "N m", INFINITY, 0, INFINITY, NULL,
     "largest torque, beside the model's effort limits, where the table has none; 0: none"},
};
enum { GAIT_TRACK_FIELDS = sizeof gait_track_fields / sizeof gait_track_fields[0] };

/* A leg, its stance, and where its joints are in the table. */
typedef struct limb {
  pk_leg leg;
  const char *name;
  double stance[PK_LEG_HINGES];
  double place[3]; /* m, of the foot in the stance, in the trunk */
  int column[PK_LEG_HINGES];
  /* +-1: the fourth hinge keeps the foot's tilt, by this sign of its axis; 0: it keeps its angle */
  double level;
} limb;

typedef struct plan {
  const pk_model *model;
  const pk_gait_track_options *o;
  pki_reference_table table;
  limb limbs[PKI_TRACK_LEGS];
  double *q; /* [nq] the stance */
} plan;

/* ---- the stance ---- */

/* Coordinates of the stance: the model's own, and those of the table's first line. */
static pk_status read_stance(plan *p, pk_error *err)
{
  const pk_model *m = p->model;
  pk_status status = pki_reference_read(p->o->file, m, &p->table, err);
  p->q = status == PK_OK ? malloc((size_t)m->nq * sizeof *p->q) : NULL;
  if (status != PK_OK || p->q == NULL) {
    return status != PK_OK ? status : pki_fail_memory(err, "a stance");
  }
  memcpy(p->q, m->q0, (size_t)m->nq * sizeof *p->q);
  for (int k = 0; k < p->table.joints && p->table.rows > 0; k++) {
    p->q[m->dof_q[p->table.dof[k]]] = p->table.q[k];
  }
  return p->table.harmonics == 0
             ? PK_OK
             : pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.file = p->o->file, .field = "file"},
                        "the file has sinusoids, expected a line with a time: the stance");
}

static pk_status find_columns(const plan *p, limb *l, pk_error *err)
{
  for (int j = 0; j < l->leg.nhinge; j++) {
    l->column[j] = -1;
    for (int k = 0; k < p->table.joints; k++) {
      l->column[j] = p->table.dof[k] == l->leg.u[j] ? k : l->column[j];
    }
    if (l->column[j] < 0) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.file = p->o->file, .field = "file"},
                      "the table has no column for hinge %d of the leg of \"%s\"", j + 1, l->name);
    }
  }
  return PK_OK;
}

static pk_status find_limb(plan *p, int i, pk_error *err)
{
  limb *l = &p->limbs[i];
  int link = -1;
  pk_status status = pki_foot_find(p->model, PKI_TRACK_LEGS, i, p->o->feet[i], &link, err);
  if (status != PK_OK) {
    return status;
  }
  double point[3];
  l->name = p->model->links[link].name;
  pki_foot_ball(p->model, link, point);
  status = pk_leg_init(&l->leg, p->model, PK_LEG_POINT, link, point, err);
  status = status == PK_OK ? find_columns(p, l, err) : status;
  if (status == PK_OK) {
    pk_leg_get(&l->leg, p->q, l->stance);
    const pk_pose foot = pk_leg_foot(&l->leg, l->stance);
    memcpy(l->place, foot.pos, sizeof l->place);
    const double along = l->leg.nhinge > 3 ? pki_dot3(l->leg.axis[2], l->leg.axis[3]) : 0;
    l->level = fabs(along) > 1 - 1e-9 ? copysign(1, along) : 0;
  }
  return status;
}

/* ---- angles ---- */

/* Angles of a leg with its foot at a place, the fourth hinge at `ankle`; how far the foot is tilted from its stance. */
static pk_status bend_leg(const limb *l, const double place[3], double ankle, double *angles, double *tilt)
{
  pk_error err;
  pk_pose foot = pk_pose_identity();
  memcpy(foot.pos, place, sizeof foot.pos);
  angles[3] = l->level != 0 ? ankle : angles[3];
  const pk_status status = pk_leg_solve(&l->leg, &foot, PK_LEG_NEAREST, angles, &err);
  *tilt = l->level * (angles[3] - l->stance[3]);
  for (int j = 1; j < 3; j++) {
    *tilt += copysign(1, pki_dot3(l->leg.axis[j], l->leg.axis[2])) * (angles[j] - l->stance[j]);
  }
  return status;
}

/* The same with a foot that keeps its tilt: secants from the ankle's angle of the row before. */
static pk_status solve_leg(const limb *l, const double place[3], double *angles)
{
  enum { ROUNDS = 50 };
  double ankle = angles[3], tilt, last, last_tilt;
  pk_status status = bend_leg(l, place, ankle, angles, &tilt);
  if (status != PK_OK || l->level == 0) {
    return status;
  }
  last = ankle, last_tilt = tilt;
  ankle -= 0.5 * l->level * tilt;
  for (int round = 0; round < ROUNDS && status == PK_OK && ankle != last; round++) {
    status = bend_leg(l, place, ankle, angles, &tilt);
    if (fabs(tilt) < 1e-12) {
      return status;
    }
    const double next = tilt != last_tilt ? ankle - tilt * (ankle - last) / (tilt - last_tilt) : ankle;
    last = ankle, last_tilt = tilt, ankle = next;
  }
  return fabs(tilt) < 1e-9 ? status : PK_ERROR_REACH;
}

static pk_status solve_row(const plan *p, const pki_gait_way *way, int row, double angles[][PK_LEG_HINGES],
                           double *q, pk_error *err)
{
  for (int i = 0; i < PKI_TRACK_LEGS; i++) {
    const limb *l = &p->limbs[i];
    double place[3] = {0, 0, l->place[2] + way->foot[row][i][2]};
    for (int k = 0; k < 2; k++) {
      place[k] = way->foot[row][i][k] - way->trunk[row][k];
    }
    if (solve_leg(l, place, angles[i]) != PK_OK) {
      return pki_fail(
          err, PK_ERROR_REACH, (pki_where){.field = "forward"},
          "the leg of \"%s\" does not reach (%.3g, %.3g, %.3g) m from the trunk at %g s, expected shorter "
          "steps or a lower stance",
          l->name, place[0], place[1], place[2], way->begin + row * way->step);
    }
    for (int j = 0; j < l->leg.nhinge; j++) {
      q[l->column[j]] = angles[i][j];
    }
  }
  return PK_OK;
}

/* ---- the table ---- */

/* The stance, then the way; its last row is the one that it goes back to. */
static pk_status fill_table(plan *p, const pki_gait_way *way, pk_error *err)
{
  pki_reference_table *t = &p->table;
  const int extra = way->begin > 0;
  const size_t rows = (size_t)(way->rows + extra), joints = (size_t)t->joints;
  double *time = malloc(rows * sizeof *time), *q = malloc(rows * joints * sizeof *q);
  free(t->time), free(t->q);
  t->time = time, t->q = q, t->rows = (int)rows;
  if (time == NULL || q == NULL) {
    return pki_fail_memory(err, "a table of joint references");
  }
  double angles[PKI_TRACK_LEGS][PK_LEG_HINGES];
  for (int i = 0; i < PKI_TRACK_LEGS; i++) {
    memcpy(angles[i], p->limbs[i].stance, sizeof angles[i]);
  }
  pk_status status = PK_OK;
  for (size_t r = 0; r < rows && status == PK_OK; r++) {
    const int row = (int)r - extra;
    time[r] = row < 0 ? 0 : way->begin + row * way->step;
    for (size_t k = 0; k < joints; k++) {
      q[r * joints + k] = p->q[p->model->dof_q[t->dof[k]]];
    }
    status = row < 0 ? PK_OK : solve_row(p, way, row, angles, q + r * joints, err);
  }
  memcpy(q + (rows - 1) * joints, q + (size_t)(way->loop + extra) * joints, joints * sizeof *q);
  return status;
}

/* Height of the mass over the feet and its place, in the stance. */
static pk_status weigh_stance(const plan *p, pki_gait_way_options *way, double *trunk_height, pk_error *err)
{
  pk_workspace *work;
  const pk_status status = pk_workspace_create(p->model, &work, err);
  if (status != PK_OK) {
    return status;
  }
  double com[3], velocity[3], off[3], ground = 0;
  pk_kinematics_compute(work, p->q, NULL);
  const int trunk = p->limbs[0].leg.trunk;
  const pk_pose at = pk_link_pose(work, trunk);
  pk_com_compute(work, p->model->links[trunk].robot, com, velocity);
  pki_sub3(com, at.pos, off);
  pki_mat3_apply_transposed(at.rot, off, com);
  for (int i = 0; i < PKI_TRACK_LEGS; i++) {
    ground += p->limbs[i].place[2] / PKI_TRACK_LEGS;
    memcpy(way->stance[i], p->limbs[i].place, sizeof way->stance[i]);
  }
  way->com[0] = com[0], way->com[1] = com[1];
  way->height = p->o->height > 0 ? p->o->height : com[2] - ground;
  *trunk_height = -ground;
  pk_workspace_destroy(work);
  return PK_OK;
}

static pk_status describe_way(const plan *p, pki_gait_way_options *way, pk_error *err)
{
  const pk_gait_track_options *o = p->o;
  const double *g = p->model->gravity;
  double trunk = 0;
  way->gravity = pki_length3(g);
  pk_status status = weigh_stance(p, way, &trunk, err);
  if (status == PK_OK && !(trunk > 0 && way->height > 0 && way->gravity > 0)) {
    status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "file"},
                      "the trunk is %g m and the mass %g m above the feet under %g m/s^2, expected a stance",
                      trunk, way->height, way->gravity);
  }
  status = status == PK_OK
               ? pk_rhythm_of_gait(o->gait, PKI_TRACK_LEGS, sqrt(trunk / way->gravity), &way->rhythm, err)
               : status;
  way->rhythm.cycle = o->cycle > 0 ? o->cycle : way->rhythm.cycle;
  way->rhythm.duty = o->duty > 0 ? o->duty : way->rhythm.duty;
  way->speed[0] = o->forward, way->speed[1] = o->sideways;
  way->start = o->start;
  way->ramp = o->ramp > 0 ? o->ramp : 2 * way->rhythm.cycle;
  way->lift = o->lift > 0 ? o->lift : pki_gaits[o->gait]->lift * trunk;
  way->preview = o->references != PK_GAIT_REFERENCES_CPG;
  return status;
}

static pk_status make_table(plan *p, double *loop, pk_error *err)
{
  pki_gait_way_options of = {.lift = 0};
  pki_gait_way way = {.rows = 0};
  pk_status status = read_stance(p, err);
  for (int i = 0; i < PKI_TRACK_LEGS && status == PK_OK; i++) {
    status = find_limb(p, i, err);
  }
  status = status == PK_OK ? describe_way(p, &of, err) : status;
  status = status == PK_OK ? pki_gait_way_create(&of, &way, err) : status;
  status = status == PK_OK ? fill_table(p, &way, err) : status;
  *loop = way.begin + way.loop * way.step;
  pki_gait_way_free(&way);
  return status;
}

/* ---- making one ---- */

pk_gait_track_options pk_gait_track_options_default(void)
{
  pk_gait_track_options options;
  pki_fields_default(gait_track_fields, GAIT_TRACK_FIELDS, &options, sizeof options);
  return options;
}

static pk_status validate(const pk_gait_track_options *o, pk_error *err)
{
  const pk_status status = pki_fields_validate(gait_track_fields, GAIT_TRACK_FIELDS, o, err);
  if (status == PK_OK && o->cycle > 0 && o->cycle < 0.1) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "cycle"},
                    "cycle is %g s, expected 0 (the gait's own) or 0.1 to 10", o->cycle);
  }
  return status;
}

pk_status pk_gait_track_create(const pk_model *model, const pk_gait_track_options *options,
                               pk_controller **out, pk_error *err)
{
  *out = NULL;
  const pk_gait_track_options o = options != NULL ? *options : pk_gait_track_options_default();
  pk_status status = validate(&o, err);
  if (status != PK_OK) {
    return status;
  }
  plan p = {.model = model, .o = &o};
  pk_track_options track = pk_track_options_default();
  track.period = o.period;
  track.kp = o.kp, track.kd = o.kd, track.ki = o.ki, track.tau_max = o.tau_max;
  status = make_table(&p, &track.loop, err);
  status = status == PK_OK ? pki_track_pack(&p.table, &track, pk_model_hash(model), out, err) : status;
  if (status == PK_OK) {
    (*out)->name = "gait-track";
  }
  pki_reference_free(&p.table);
  free(p.q);
  return status;
}

void pk_gait_track_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}

static pk_status create_gait_track(const pk_model *model, const void *options, pk_controller **out,
                                   pk_error *err)
{
  return pk_gait_track_create(model, options, out, err);
}

const pki_controller_row pki_controller_gait_track = {
    .name = "gait-track",
    .doc = "PID along joint references of a gait, from oscillators or a preview of the zero moment point",
    .fields = gait_track_fields,
    .nfield = GAIT_TRACK_FIELDS,
    .options_size = sizeof(pk_gait_track_options),
    .create = create_gait_track};
