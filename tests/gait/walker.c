#include "gait/walker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"

static void flat(pk_terrain *terrain)
{
  static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  pk_error err;
  pk_terrain_add_plane(terrain, origin, up, 0, &err);
}

/* The tests have nothing to go on with when one of these fails. */
static void need(pk_status status, const pk_error *err)
{
  if (status != PK_OK) {
    fprintf(stderr, "%s\n", err->message);
    abort();
  }
}

const walker_robot walker_starleth = {"starleth", 0.435, {0, 0.7343101344764329, -1.3411529067300831}, false};
const walker_robot walker_anymal = {"anymal_b", 0.474, {0, 0.7639646365417663, -1.022815259237885}, false};
const walker_robot walker_quadruped15 = {
    "quadruped15", 0.356434, {0, 0.6680081840779306, -1.3360163681558612}, true};

static void add_arm(pk_builder *b)
{
  static const char *const parents[3] = {"base", "ARM_1", "ARM_2"}, *const names[3] = {"ARM_1", "ARM_2",
                                                                                       "ARM_3"};
  static const pk_joint_kind kinds[3] = {PK_JOINT_CONTINUOUS, PK_JOINT_PRISMATIC, PK_JOINT_SPHERICAL};
  pk_error err;
  for (int i = 0; i < 3; i++) {
    const double at[3] = {0.05, 0.02 * i, 0.1}, turned[3] = {0.3, 0.2 * i - 0.5, 0.7};
    const pk_link_desc link = {.name = names[i],
                               .inertia = {.mass = 0.8,
                                           .com = {0.03, -0.02, 0.06},
                                           .moment = {4e-3, 2e-4, -3e-4, 5e-3, 1e-4, 2e-3}}};
    pk_joint_desc joint = pk_joint_desc_default();
    joint.name = names[i], joint.kind = kinds[i], joint.parent = parents[i], joint.child = names[i];
    joint.origin = pk_pose_from_xyz_rpy(at, turned);
    joint.axis[0] = 1, joint.axis[1] = 2, joint.axis[2] = -1;
    need(pk_builder_add_link(b, &link, &err), &err);
    need(pk_builder_add_joint(b, &joint, &err), &err);
  }
}

pk_model *walker_model(const walker_robot *robot, bool arm)
{
  pk_error err = {.message = ""};
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *model;
  char path[512];
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", robot->model, robot->model);
  need(pk_builder_add_urdf(b, path, NULL, &err), &err);
  if (arm) {
    add_arm(b);
  }
  need(pk_builder_compile(b, &model, &err), &err);
  pk_builder_destroy(b);
  return model;
}

walker walker_create(const pk_sim_options *sim, const pk_locomotion_options *options, walker_ground *ground)
{
  return walker_create_robot(&walker_starleth, sim, options, ground);
}

walker walker_create_robot(const walker_robot *robot, const pk_sim_options *sim,
                           const pk_locomotion_options *options, walker_ground *ground)
{
  static const char *const feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  walker w;
  memset(&w, 0, sizeof w);
  w.robot = robot;
  pk_sim_options chosen = pk_sim_options_default();
  chosen.dt = 2.5e-3;
  pk_error err = {.message = ""};
  w.model = walker_model(robot, false);
  pk_terrain_create(&w.terrain, NULL);
  (ground ? ground : flat)(w.terrain);
  need(pk_locomotion_create(w.model, options, &w.controller, &err), &err);
  need(pk_sim_create(w.model, sim ? sim : &chosen, &w.sim, &err), &err);
  need(pk_sim_set_terrain(w.sim, w.terrain, NULL, 0, &err), &err);
  need(pk_sim_set_controller(w.sim, w.controller, &err), &err);
  w.base = w.model->robots[0].root_link;
  for (int i = 0; i < 4; i++) {
    w.feet[i] = pk_model_find_link(w.model, feet[i]);
  }
  walker_place(&w, 0, 0);
  return w;
}

void walker_destroy(walker *w)
{
  pk_sim_destroy(w->sim);
  pk_locomotion_destroy(w->controller);
  pk_terrain_destroy(w->terrain);
  pk_model_destroy(w->model);
}

void walker_place(walker *w, double pitch, double roll)
{
  const double *leg = w->robot->leg;
  double *q = pk_sim_q(w->sim);
  /* rising along x turns about -y, rising along y about +x */
  const double half = 0.5 * (pitch != 0 ? pitch : roll), R = w->robot->height;
  q[3] = cos(half), q[4] = pitch != 0 ? 0 : sin(half), q[5] = pitch != 0 ? -sin(half) : 0, q[6] = 0;
  q[0] = -R * sin(pitch), q[1] = -R * sin(roll), q[2] = R * cos(pitch) * cos(roll);
  for (int i = 0; i < 12; i++) {
    q[7 + i] = (i < 6 || w->robot->alike ? 1 : -1) * leg[i % 3];
  }
}

/* ---- running ---- */

typedef struct foot_record {
  bool down;
  double since;
  double sum[2]; /* s in the air and on the ground, of whole phases */
  int count[2];
} foot_record;

static pk_pose pose_of(walker *w, int link)
{
  pk_kinematics_compute(pk_sim_workspace(w->sim), pk_sim_q(w->sim), NULL);
  return pk_link_pose(pk_sim_workspace(w->sim), link);
}

/* The speed along the ground of the point that touches: a ball that rolls does not slip. */
static double slide(walker *w, const pk_sim_contact *contact)
{
  pk_workspace *work = pk_sim_workspace(w->sim);
  pk_kinematics_compute(work, pk_sim_q(w->sim), pk_sim_u(w->sim));
  double vel[3];
  pk_link_point_velocity(work, contact->link, contact->point, vel);
  const double normal = pki_dot3(vel, contact->normal);
  return sqrt(fmax(0, pki_dot3(vel, vel) - normal * normal));
}

/* Forces, slip and the times of steps of one foot. */
static void watch_foot(walker *w, int foot, double dt, foot_record *r, const pk_sim_contact *contacts, int n,
                       walker_facts *facts)
{
  double load = 0;
  for (int k = 0; k < n; k++) {
    load += contacts[k].link == w->feet[foot] && contacts[k].other_link < 0
                ? pki_dot3(contacts[k].normal, contacts[k].impulse) / dt
                : 0;
  }
  const bool down = load > 3;
  facts->peak = fmax(facts->peak, load / (w->model->mass * 9.81));
  for (int k = 0; k < n && down && r->down; k++) {
    if (contacts[k].link == w->feet[foot] && contacts[k].other_link < 0) {
      facts->slip += dt * slide(w, &contacts[k]);
    }
  }
  if (down != r->down && r->since > 0.02) {
    r->sum[r->down] += r->since;
    r->count[r->down]++;
  }
  r->since = down != r->down ? 0 : r->since + dt;
  r->down = down;
}

static void watch_joints(walker *w, walker_facts *facts)
{
  const pk_model *m = w->model;
  for (int k = 6; k < m->nu; k++) {
    const double q = pk_sim_q(w->sim)[m->dof_q[k]];
    const double margin = fmin(q - m->dof_lower[k], m->dof_upper[k] - q);
    facts->tight = margin < facts->margin ? k : facts->tight;
    facts->margin = fmin(facts->margin, margin);
    facts->torque = fmax(facts->torque, fabs(pk_sim_tau(w->sim)[k]));
  }
}

static void push_now(walker *w, const walker_push *push, double time)
{
  static const double origin[3] = {0, 0, 0};
  if (push != NULL && time >= push->start && time < push->start + push->length) {
    pk_sim_push(w->sim, w->base, origin, push->force);
  }
}

static bool watch_trunk(walker *w, const double start[3], walker_facts *facts)
{
  const pk_pose base = pose_of(w, w->base);
  double feet = 0, off[3];
  for (int i = 0; i < 4; i++) {
    feet += 0.25 * pose_of(w, w->feet[i]).pos[2];
  }
  for (int k = 0; k < 3; k++) {
    off[k] = base.pos[k] - start[k];
  }
  facts->height[0] = fmin(facts->height[0], base.pos[2]);
  facts->height[1] = fmax(facts->height[1], base.pos[2]);
  facts->tilt = fmax(facts->tilt, acos(fmin(1, base.rot[8])));
  facts->drift = fmax(facts->drift, sqrt(pki_dot3(off, off)));
  return base.pos[2] - feet > 0.2 && base.rot[8] > 0.5;
}

/* Contacts of anything but feet, and certificates. */
static void watch_step(const walker *w, const pk_sim_contact *contacts, int n, const pk_step_info *info,
                       walker_facts *facts)
{
  bool other = false;
  for (int k = 0; k < n; k++) {
    bool foot = false;
    for (int i = 0; i < 4; i++) {
      foot = foot || contacts[k].link == w->feet[i];
    }
    other = other || (!foot && pki_dot3(contacts[k].normal, contacts[k].impulse) > 0);
  }
  facts->others += other;
  facts->steps++;
  facts->uncertified += !info->certified;
  facts->saturated += info->saturated;
  facts->worst = fmax(facts->worst, info->certificate.relative);
}

/* Ways along the heading, and turns, add up from step to step. */
static void watch_way(const pk_pose *last, const pk_pose *base, walker_facts *facts)
{
  static const double circle = 6.283185307179586;
  const double heading = atan2(base->rot[3], base->rot[0]);
  const double turned = heading - atan2(last->rot[3], last->rot[0]);
  const double dx = base->pos[0] - last->pos[0], dy = base->pos[1] - last->pos[1];
  facts->speed[0] += cos(heading) * dx + sin(heading) * dy;
  facts->speed[1] += cos(heading) * dy - sin(heading) * dx;
  facts->speed[2] += turned - circle * round(turned / circle);
}

/* Sums become means. */
static void finish(const foot_record feet[4], double time, walker_facts *facts)
{
  for (int k = 0; k < 2; k++) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < 4; i++) {
      sum += feet[i].sum[k], count += feet[i].count[k];
    }
    *(k ? &facts->stance : &facts->swing) = count ? sum / count : 0;
  }
  for (int k = 0; k < 3; k++) {
    facts->speed[k] /= time;
  }
  facts->slip /= 4 * time;
}

bool walker_run(walker *w, double time, const walker_push *push, walker_facts *facts)
{
  memset(facts, 0, sizeof *facts);
  facts->height[0] = facts->margin = 1e9;
  foot_record feet[4];
  memset(feet, 0, sizeof feet);
  const pk_pose start = pose_of(w, w->base);
  pk_pose last = start;
  const double begin = pk_sim_time(w->sim);
  bool up = true;
  while (up && pk_sim_time(w->sim) - begin < time - 1e-9) {
    const double now = pk_sim_time(w->sim);
    pk_step_info info;
    push_now(w, push, now);
    if (pk_sim_step(w->sim, &info) != PK_OK) {
      return false;
    }
    pk_sim_contact contacts[WALKER_CONTACTS];
    const int found = pk_sim_contacts(w->sim, contacts, WALKER_CONTACTS);
    const int n = found < WALKER_CONTACTS ? found : WALKER_CONTACTS;
    watch_step(w, contacts, n, &info, facts);
    for (int i = 0; i < 4; i++) {
      watch_foot(w, i, pk_sim_time(w->sim) - now, &feet[i], contacts, n, facts);
    }
    watch_joints(w, facts);
    up = watch_trunk(w, start.pos, facts);
    const pk_pose base = pose_of(w, w->base);
    watch_way(&last, &base, facts);
    last = base;
  }
  finish(feet, time, facts);
  return up;
}

void walker_print(const char *what, const walker_facts *f)
{
  printf(
      "%-28s speed %+.3f %+.3f m/s %+.3f rad/s, height %.4f..%.4f m, tilt %.2f deg, drift %.4f m\n"
      "%-28s peak %.2f weights, stance %.3f s, swing %.3f s, slip %.2f mm/s, torque %.1f N m (%d at limits), "
      "limits %.3f rad, "
      "%d of %d steps not certified (worst %.1e), %d with other contacts\n",
      what, f->speed[0], f->speed[1], f->speed[2], f->height[0], f->height[1], f->tilt * 57.29577951,
      f->drift, "", f->peak, f->stance, f->swing, 1e3 * f->slip, f->torque, f->saturated, f->margin,
      f->uncertified, f->steps, f->worst, f->others);
}
