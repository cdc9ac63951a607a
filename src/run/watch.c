#include "run/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/trunk_link.h"
#include "pronk/sensing.h"
#include "record/scene.h"
#include "sim/sim_pressure.h"
#include "step/world.h"

/* ---- feet ---- */

/* Where a link's collision shapes reach farthest from the body's origin; negative: it has none. */
static double reach_of(const pk_model *m, int link)
{
  double farthest = -1;
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *s = &m->shapes[i];
    if (s->link == link && !s->visual) {
      const double *p = s->pose.pos;
      farthest = fmax(farthest, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
  }
  return farthest;
}

static bool is_leaf(const pk_model *m, int body)
{
  bool parent = m->body_parent[body] < 0; /* a body alone is no leg */
  for (int i = 0; i < m->nbody; i++) {
    parent = parent || m->body_parent[i] == body;
  }
  return !parent;
}

/* A foot is the outermost link with a collision shape of a body at the end of a limb. */
static void find_feet(pki_watch *w)
{
  const pk_model *m = w->model;
  for (int body = 0; body < m->nbody; body++) {
    int foot = -1;
    double farthest = -1;
    for (int i = 0; is_leaf(m, body) && i < m->nlink; i++) {
      const double reach = m->links[i].body == body ? reach_of(m, i) : -1;
      foot = reach > farthest ? i : foot;
      farthest = fmax(farthest, reach);
    }
    if (foot >= 0) {
      w->feet[w->nfoot++] = foot;
    }
  }
}

/* ---- the trunk ---- */

static pk_pose trunk_pose(const pki_watch *w)
{
  pk_workspace *workspace = pk_sim_workspace(w->world->sim);
  pk_kinematics_compute(workspace, pk_sim_q(w->world->sim), NULL);
  return pk_link_pose(workspace, pki_model_trunk(w->model, 0));
}

/* Kinetic and potential, springs and compliant surfaces included. */
static double energy_of(const pki_watch *w)
{
  pk_sim *sim = w->world->sim;
  pk_workspace *workspace = pk_sim_workspace(sim);
  pk_kinematics_compute(workspace, pk_sim_q(sim), pk_sim_u(sim));
  const pk_energy e = pk_energy_compute(workspace, pk_sim_u(sim));
  return e.kinetic + e.potential + (pk_spring_energy(w->model, w->q) + pk_sim_elastic_energy(w->world->sim));
}

/* ---- begin, end ---- */

pk_status pki_watch_begin(pki_watch *w, pki_world *world, double bound, pki_run_result *result, pk_error *err)
{
  const pk_model *m = pk_sim_joint_model(world->sim);
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu, nbody = (size_t)m->nbody;
  *result = (pki_run_result){.bound = bound};
  *w = (pki_watch){.world = world, .model = m, .info = {.body = -1, .term = "", .certified = true}};
  w->q = calloc(2 * nq + 2 * nu + 4 * nbody + 4, sizeof *w->q);
  w->room = pk_sim_max_contacts(world->sim);
  w->contacts = calloc((size_t)w->room, sizeof *w->contacts);
  w->feet = calloc(nbody + 1, sizeof *w->feet);
  w->slides = calloc(nbody + 1, sizeof *w->slides);
  result->peak = calloc(nu + 1, sizeof *result->peak);
  if (w->q == NULL || w->contacts == NULL || w->feet == NULL || w->slides == NULL || result->peak == NULL) {
    return pki_fail_memory(err, "the run");
  }
  w->u = w->q + nq;
  w->u_before = w->u + nu;
  w->q_before = w->u_before + nu;
  w->force = w->q_before + nq;
  w->normal = w->force + 3 * (nbody + 1);
  find_feet(w);
  pk_sim_sense(world->sim); /* what is seen at the start is recorded, too */
  pk_sim_get_joints(world->sim, w->q, w->u);
  w->now = trunk_pose(w);
  pki_watch_start(&w->now, result);
  result->model = m;
  result->model_hash = pk_model_hash(world->model);
  result->ndof = m->nu;
  result->dynamics = pki_world_dynamics(world);
  result->not_compiled = world->not_compiled;
  result->law = world->scenario->step.law;
  result->judged = pki_judged_law(&world->scenario->step);
  result->stepper = world->scenario->step.stepper;
  result->has_soft = world->sim->scene.soft != NULL;
  result->nrobot = world->model_robot[world->scenario->nmodel];
  result->nobject = m->nrobot - result->nrobot;
  for (int i = 0; i < result->nrobot; i++) {
    result->mass += pk_sim_mass(world->sim, i);
  }
  result->energy_start = energy_of(w);
  const pk_status status = pki_watch_actuators_begin(w, result, err);
  return status == PK_OK ? pki_watch_stability_begin(w, result, err) : status;
}

void pki_watch_free(pki_watch *w)
{
  free(w->q);
  free(w->contacts);
  free(w->feet);
  free(w->slides);
  pki_watch_actuators_free(w);
  pk_stability_meter_destroy(w->stability);
}

void pki_run_result_free(pki_run_result *result)
{
  free(result->peak);
  result->peak = NULL;
}

/* ---- every step ---- */

/* How fast the bodies at a contact slide on each other, m/s. */
static double slip_speed(const pki_watch *w, const pk_sim_contact *c)
{
  pk_workspace *workspace = pk_sim_workspace(w->world->sim);
  pk_kinematics_compute(workspace, pk_sim_q(w->world->sim), pk_sim_u(w->world->sim));
  double v[3], second[3] = {0, 0, 0};
  pk_link_point_velocity(workspace, c->link, c->point, v);
  if (c->other_link >= 0) {
    pk_link_point_velocity(workspace, c->other_link, c->point, second);
  }
  for (int k = 0; k < 3; k++) {
    v[k] -= second[k];
  }
  const double along = pki_dot3(v, c->normal);
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += (v[k] - along * c->normal[k]) * (v[k] - along * c->normal[k]);
  }
  return sqrt(sum);
}

/* Feet whose friction is at its bound. One that rests there without moving does not slide. */
static void watch_slips(pki_watch *w, pki_run_result *r)
{
  static const double least = 1e-3; /* m/s */
  const double dt = w->world->scenario->step.dt;
  for (int foot = 0; foot < w->nfoot; foot++) {
    double fastest = 0;
    for (int i = 0; i < w->ncontact; i++) {
      const pk_sim_contact *c = &w->contacts[i];
      const bool slides = c->slides && pk_sim_contact_carries(c, w->model, w->feet[foot], NULL, NULL);
      fastest = slides ? fmax(fastest, slip_speed(w, c)) : fastest;
    }
    const bool slides = fastest > least;
    r->slips += slides && !w->slides[foot];
    r->slip_time += slides ? dt : 0;
    r->slip_distance += slides ? fastest * dt : 0;
    w->slides[foot] = slides;
  }
}

/* The force of a contact on a link, when it carries it from outside, goes to its foot or to the rest; true when it
 * is one of a foot and slides. */
static bool add_force(pki_watch *w, const pk_sim_contact *c, int link, double per_second)
{
  double impulse[3], normal[3];
  if (link < 0 || !pk_sim_contact_carries(c, w->model, link, impulse, normal)) {
    return false;
  }
  int foot = 0;
  while (foot < w->nfoot && w->feet[foot] != link) {
    foot++;
  }
  for (int k = 0; k < 3; k++) {
    w->force[3 * foot + k] += impulse[k] * per_second;
  }
  if (foot == w->nfoot) {
    return false;
  }
  w->normal[foot] += pki_dot3(impulse, normal) * per_second;
  return c->slides;
}

/* As much room for contacts as the world has; without memory those that have none are not seen. */
static void follow_room(pki_watch *w)
{
  const int room = pk_sim_max_contacts(w->world->sim);
  if (room > w->room) {
    pk_sim_contact *more = realloc(w->contacts, (size_t)room * sizeof *more);
    if (more != NULL) {
      w->contacts = more;
      w->room = room;
    }
  }
}

/* Contacts of the last step and the forces on feet; true when one of a foot slides. */
static bool find_forces(pki_watch *w)
{
  follow_room(w);
  const int most = w->room;
  const double per_second = 1 / w->world->scenario->step.dt;
  const int found = pk_sim_contacts(w->world->sim, w->contacts, most);
  w->ncontact = found < most ? found : most;
  memset(w->force, 0, 3 * (size_t)(w->nfoot + 1) * sizeof *w->force);
  memset(w->normal, 0, (size_t)w->nfoot * sizeof *w->normal);
  bool any = false;
  for (int i = 0; i < w->ncontact; i++) {
    const pk_sim_contact *c = &w->contacts[i];
    const bool first = add_force(w, c, c->link, per_second),
               second = add_force(w, c, c->other_link, per_second);
    any = any || first || second;
  }
  return any;
}

/* The larger one; what is not a number counts as larger than any, and stays. */
static double larger_real(double a, double b)
{
  return isnan(a) || b <= a ? a : b;
}

/* What compliant pairs do; the other contacts are hard or by `law`. */
static void watch_pressures(const pki_watch *w, pki_run_result *r)
{
  const pk_sim *sim = w->world->sim;
  const int hard = w->ncontact - pki_sim_soft_contacts(sim);
  double depth, pressure;
  r->most_hard = hard > r->most_hard ? hard : r->most_hard;
  if (r->has_soft) {
    pki_sim_pressed(sim, &depth, &pressure);
    r->compression = larger_real(r->compression, depth);
    r->pressure = larger_real(r->pressure, pressure);
  }
}

static void watch_contacts(pki_watch *w, pki_run_result *r)
{
  const pk_step_info *info = &w->info;
  if (find_forces(w)) {
    watch_slips(w, r);
  } else {
    memset(w->slides, 0, (size_t)w->nfoot * sizeof *w->slides);
  }
  r->contact_sum += info->contacts;
  r->most_contacts = info->contacts > r->most_contacts ? info->contacts : r->most_contacts;
  r->penetration = larger_real(r->penetration, info->penetration);
  watch_pressures(w, r);
  r->stabilisation += fabs(info->stabilisation);
  r->stabilisation_start = r->steps == 1 ? fabs(info->stabilisation) : r->stabilisation_start;
}

static void watch_certificate(const pki_watch *w, pki_run_result *r)
{
  const pk_step_info *info = &w->info;
  const double relative = info->certificate.relative;
  const bool own = r->bound == w->world->scenario->step.tolerance;
  r->judged = info->certificate.law;
  r->worst_coulomb = larger_real(r->worst_coulomb, info->coulomb_relative);
  r->fell_back += info->fell_back;
  r->collisions += info->collisions;
  r->shifted += info->shifted > 0;
  r->shift = larger_real(r->shift, info->shift);
  r->uncertified += own ? !info->certified : !(relative <= r->bound) || info->shifted > 0;
  const bool worse =
      larger_real(r->worst_residual, relative) != r->worst_residual && !isnan(r->worst_residual);
  if (worse || (r->worst_step == 0 && info->certificate.worst >= 0)) {
    r->worst_residual = relative;
    r->worst_speed = info->certificate.residual;
    r->worst_step = r->steps;
    r->worst_time = pk_sim_time(w->world->sim);
    r->worst_solver =
        pki_laws[w->world->scenario->step.law]->linear ? (int)info->lcp_solver : (int)info->solver;
    r->worst_contacts = info->contacts;
  }
}

/* A constant force over a step does the work dt tau . (mean velocity) on rigid bodies. References are those of the commands
 * that acted in it, which latency may have delayed. */
static void watch_joints(pki_watch *w, pki_run_result *r)
{
  const pk_model *m = w->model;
  const double dt = w->world->scenario->step.dt, *tau = pk_sim_tau(w->world->sim);
  memcpy(w->u_before, w->u, (size_t)m->nu * sizeof *w->u);
  memcpy(w->q_before, w->q, (size_t)m->nq * sizeof *w->q);
  pk_sim_get_joints(w->world->sim, w->q, w->u);
  pki_tracking_error_add(m, w->world->sim->acting, w->q_before, w->q, &r->tracking);
  r->push_work += w->info.push_work;
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_joint[k] >= 0) {
      const double work = dt * tau[k] * 0.5 * (w->u_before[k] + w->u[k]);
      r->energy_in += work;
      r->positive_work += fmax(work, 0);
      r->peak[k] = fmax(r->peak[k], fabs(tau[k]));
    }
  }
}

double pki_watch_carried(const pk_model *model, const pk_sim_contact *contacts, int ncontact, double height)
{
  double lowest = INFINITY;
  for (int i = 0; i < ncontact; i++) {
    const pk_sim_contact *c = &contacts[i];
    const int links[2] = {c->link, c->other_link};
    for (int k = 0; k < 2; k++) {
      double impulse[3], normal[3];
      const bool mine = links[k] >= 0 && model->links[links[k]].robot == 0 &&
                        pk_sim_contact_carries(c, model, links[k], impulse, normal);
      lowest = mine && pki_dot3(impulse, normal) > 0 ? fmin(lowest, c->point[2]) : lowest;
    }
  }
  return isinf(lowest) ? INFINITY : height - lowest;
}

static void note_fall(pki_run_result *r, double time)
{
  r->fell_at = r->fell ? r->fell_at : time;
  r->fell = true;
}

/* A trunk that is low and stays so has fallen; landings and crouches come up again. Flight says nothing. */
static void watch_height(double height, double time, pki_run_result *r)
{
  static const double part = 0.6, patience = 0.5; /* of the stature; s */
  if (isinf(height)) {
    return;
  }
  r->stature = r->stature > 0 ? r->stature : height;
  if (height >= part * r->stature) {
    r->low_at = -1;
  } else if (r->low_at < 0) {
    r->low_at = time;
  }
  if (r->low_at >= 0 && time - r->low_at >= patience) {
    note_fall(r, r->low_at);
  }
}

void pki_watch_start(const pk_pose *trunk, pki_run_result *r)
{
  r->start = *trunk;
  r->low_at = -1;
  memcpy(r->last, trunk->pos, sizeof r->last);
  memcpy(r->up, trunk->rot + 6, sizeof r->up); /* R' z */
  r->height = r->height_start = r->height_min = r->height_max = trunk->pos[2];
}

double pki_watch_trunk(const pk_pose *trunk, double carried, double time, pki_run_result *r)
{
  static const double sixty_degrees = 1.0471975511965976;
  const double *p = trunk->pos;
  double up[3];
  pki_mat3_apply(trunk->rot, r->up, up);
  const double tilt = acos(fmax(-1, fmin(1, up[2])));
  r->path += hypot(p[0] - r->last[0], p[1] - r->last[1]);
  memcpy(r->last, p, sizeof r->last);
  r->distance = hypot(p[0] - r->start.pos[0], p[1] - r->start.pos[1]);
  r->height = p[2];
  r->height_min = fmin(r->height_min, p[2]);
  r->height_max = fmax(r->height_max, p[2]);
  r->tilt_max = fmax(r->tilt_max, tilt);
  if (r->nrobot > 0) {
    watch_height(carried, time, r);
    if (tilt > sixty_degrees) {
      note_fall(r, r->low_at >= 0 ? r->low_at : time);
    }
  }
  return tilt;
}

void pki_watch_settle(pki_run_result *r)
{
  if (r->low_at >= 0 && !r->interrupted) {
    note_fall(r, r->low_at);
  }
}

static void watch_trunk(pki_watch *w, pki_run_result *r)
{
  w->now = trunk_pose(w);
  const double carried = pki_watch_carried(w->model, w->contacts, w->ncontact, w->now.pos[2]);
  w->tilt = pki_watch_trunk(&w->now, carried, pk_sim_time(w->world->sim), r);
}

void pki_watch_step(pki_watch *w, pki_run_result *result)
{
  result->steps++;
  watch_contacts(w, result);
  watch_certificate(w, result);
  watch_joints(w, result);
  const pk_pose before = w->now;
  watch_trunk(w, result);
  pki_watch_actuators_step(w, before.pos, result);
  if (pki_watch_is_blind(w)) {
    pki_watch_estimate(w, result);
  }
  pki_watch_tasks(w, result);
  pki_watch_stability_step(w, result);
}

/* The speed of the fastest object, by its frame. */
static double object_speed(const pki_watch *w, const pki_run_result *r)
{
  double most = 0;
  for (int i = r->nrobot; i < w->model->nrobot; i++) {
    const double *u = w->u + w->model->robots[i].u;
    most = fmax(most, sqrt(pki_dot3(u, u)));
  }
  return most;
}

void pki_watch_end(const pki_watch *w, pki_run_result *result)
{
  result->object_speed = object_speed(w, result);
  pki_watch_settle(result);
  result->duration = (double)result->steps * w->world->scenario->step.dt;
  result->energy_end = energy_of(w);
  result->mean_contacts = result->steps > 0 ? (double)result->contact_sum / (double)result->steps : 0;
  result->real_time_factor = result->wall > 0 ? result->duration / result->wall : 0;
}

/* ---- in words, in pictures ---- */

void pki_watch_explain(const pki_watch *w, const pki_run_result *result, pk_status status, char *out,
                       size_t size)
{
  const pk_step_info *info = &w->info;
  const char *term = info->term != NULL ? info->term : "";
  const bool joint = strcmp(term, "command") == 0;
  const pk_model *m = joint ? pk_sim_joint_model(w->world->sim) : pk_sim_model(w->world->sim);
  const int link = info->body >= 0 && info->body < m->nbody ? m->body_link[info->body] : -1;
  char room[160];
  snprintf(room, sizeof room,
           ": there are more than %d contacts in this step; leave step.max_contacts out, and the room grows",
           pk_sim_max_contacts(w->world->sim));
  const char *hint =
      strcmp(term, "max_contacts") == 0 ? room
      : strcmp(term, PKI_SOFT_HARD_CONTACT) == 0
          ? "; give both surfaces a compliance, step by moreau, or shorten step.dt where it is unstable"
      : strcmp(term, PKI_JOINT_LIMIT) == 0
          ? "; step.stepper=moreau holds it, step.joint_limits=false leaves all of them out"
          : "";
  snprintf(out, size, "step %lld at %g s: %s%s%s%s%s%s", result->steps + 1, pk_sim_time(w->world->sim),
           pk_status_text(status), term[0] != '\0' ? ", in " : "", term, link >= 0 ? ", at " : "",
           link >= 0 ? m->links[link].name : "", hint);
}

pk_status pki_watch_scene(const pki_watch *w, pki_text *out, pk_error *err)
{
  const pki_scenario *s = w->world->scenario;
  const char *names[PKI_MATERIAL_MAX];
  double frictions[PKI_MATERIAL_MAX];
  const int n = s->nmaterial < PKI_MATERIAL_MAX ? s->nmaterial : PKI_MATERIAL_MAX;
  for (int i = 0; i < n; i++) {
    names[i] = s->materials[i].name;
    frictions[i] = s->materials[i].material.friction;
  }
  const pki_scene_source source = {.name = s->name,
                                   .world = w->world->model,
                                   .joints = w->model,
                                   .terrain = s->terrain,
                                   .materials = names,
                                   .frictions = frictions,
                                   .nmaterial = n,
                                   .dt = s->step.dt,
                                   .feet = w->feet,
                                   .nfoot = w->nfoot};
  return pki_scene_json(&source, out, err);
}

/* ---- checkpoints ---- */

/* The result's numbers | the last step's info | peaks | energies of actuators | feet that slide */
enum { PLAIN = offsetof(pki_run_result, duration), INFO = sizeof(pk_step_info) };

size_t pki_watch_size(const pki_watch *w)
{
  return PLAIN + INFO + (size_t)w->model->nu * sizeof(double) + pki_watch_actuators_size(w) +
         (size_t)w->nfoot;
}

void pki_watch_save(const pki_watch *w, const pki_run_result *result, void *bytes)
{
  unsigned char *at = bytes;
  const size_t peaks = (size_t)w->model->nu * sizeof *result->peak;
  pk_step_info info = w->info;
  info.term = NULL; /* a step that failed is not saved */
  memcpy(at, result, PLAIN);
  memcpy(at + PLAIN, &info, INFO);
  memcpy(at + PLAIN + INFO, result->peak, peaks);
  at += PLAIN + INFO + peaks;
  pki_watch_actuators_save(w, at);
  at += pki_watch_actuators_size(w);
  for (int i = 0; i < w->nfoot; i++) {
    at[i] = w->slides[i];
  }
}

void pki_watch_restore(pki_watch *w, pki_run_result *result, const void *bytes)
{
  const unsigned char *at = bytes;
  const size_t peaks = (size_t)w->model->nu * sizeof *result->peak;
  memcpy(result, at, PLAIN);
  memcpy(&w->info, at + PLAIN, INFO);
  w->info.term = "";
  memcpy(result->peak, at + PLAIN + INFO, peaks);
  at += PLAIN + INFO + peaks;
  pki_watch_actuators_restore(w, at);
  at += pki_watch_actuators_size(w);
  for (int i = 0; i < w->nfoot; i++) {
    w->slides[i] = at[i] != 0;
  }
  pk_sim_get_joints(w->world->sim, w->q, w->u);
  find_forces(w);
  w->now = trunk_pose(w);
  pki_watch_stability_restore(w, result);
}
