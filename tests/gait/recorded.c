#include "gait/recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gait/motion_file.h"
#include "math/mat3.h"

enum { TRUNK = 14, CONTACTS = 64 };

/* Rows of numbers in the order time, trunk, q, u, tau of the joints, stance and force of each foot. */
typedef struct recording {
  pk_sim *sim;
  const pk_model *m;
  int joints, feet, width, rows;
  int dof[PKI_WHOLE_MOTION_JOINTS], link[PKI_WHOLE_MOTION_FEET];
  double start;
  double *value;
} recording;

static void note_state(const recording *r, double *row)
{
  const double *q = pk_sim_q(r->sim), *u = pk_sim_u(r->sim);
  row[0] = pk_sim_time(r->sim) - r->start;
  memcpy(row + 1, q, 7 * sizeof *q);
  memcpy(row + 8, u, 6 * sizeof *u);
  for (int k = 0; k < r->joints; k++) {
    row[TRUNK + k] = q[r->m->dof_q[r->dof[k]]];
    row[TRUNK + r->joints + k] = u[r->dof[k]];
  }
}

/* Torques and forces of the step that began in the row. */
static void note_forces(const recording *r, double dt, double *row)
{
  pk_sim_contact contacts[CONTACTS];
  const int found = pk_sim_contacts(r->sim, contacts, CONTACTS);
  for (int k = 0; k < r->joints; k++) {
    row[TRUNK + 2 * r->joints + k] = pk_sim_tau(r->sim)[r->dof[k]];
  }
  for (int f = 0; f < r->feet; f++) {
    double *foot = row + TRUNK + 3 * r->joints + 4 * f;
    for (int k = 0; k < found && k < CONTACTS; k++) {
      for (int e = 0; e < 3 && contacts[k].link == r->link[f]; e++) {
        foot[1 + e] += contacts[k].impulse[e] / dt;
      }
    }
    foot[0] = foot[3] > 0.01 * r->m->mass * 9.81;
  }
}

/* Roll, pitch and yaw of a row. */
static void attitude_of(const double *row, double rpy[3])
{
  double R[9];
  pki_quat_to_mat3(row + 4, R);
  pki_mat3_to_rpy(R, rpy);
}

/* Begin at the origin, heading along x; what repeats is led from its end into its beginning: numbers change linearly by what they miss. */
static double close_motion(const recording *r, bool repeats)
{
  double *first = r->value, *last = first + (size_t)(r->rows - 1) * (size_t)r->width, a[3], b[3];
  const double place[2] = {first[1], first[2]},
               way[3] = {last[1] - first[1], last[2] - first[2], last[3] - first[3]};
  const double length = last[0];
  double missed[PKI_WHOLE_MOTION_JOINTS] = {0};
  attitude_of(first, a);
  attitude_of(last, b);
  for (int k = 0; k < r->joints; k++) {
    missed[k] = last[TRUNK + k] - first[TRUNK + k];
  }
  for (int i = 0; i < r->rows; i++) {
    double *row = r->value + (size_t)i * (size_t)r->width, rpy[3];
    const double part = repeats ? row[0] / length : 0, origin[3] = {0, 0, 0};
    attitude_of(row, rpy);
    row[1] -= place[0], row[2] -= place[1] + part * way[1], row[3] -= part * way[2];
    for (int k = 0; k < 3; k++) {
      rpy[k] -= part * (b[k] - a[k]) + (k == 2 ? a[2] : 0);
    }
    const pk_pose turned = pk_pose_from_xyz_rpy(origin, rpy);
    pki_quat_from_mat3(turned.rot, row + 4);
    for (int k = 0; k < r->joints; k++) {
      row[TRUNK + k] -= part * missed[k];
    }
  }
  return way[0];
}

static void print_names(const recording *r, FILE *out)
{
  static const char *const kinds[3] = {"q", "u", "tau"};
  fputs("time,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", out);
  for (int k = 0; k < 3 * r->joints; k++) {
    fprintf(out, ",%s:%s", kinds[k / r->joints], r->m->joints[r->m->dof_joint[r->dof[k % r->joints]]].name);
  }
  for (int f = 0; f < r->feet; f++) {
    const char *name = r->m->links[r->link[f]].name;
    fprintf(out, ",stance:%s,fx:%s,fy:%s,fz:%s", name, name, name, name);
  }
  fputc('\n', out);
}

static bool print_file(const recording *r, bool repeats, double travel, const char *path)
{
  FILE *out = fopen(path, "w");
  if (out == NULL) {
    return false;
  }
  fprintf(out, "# pronk motion 1\n# repeat: %s\n# travel: %.17g 0 0\n", repeats ? "yes" : "no", travel);
  print_names(r, out);
  for (int i = 0; i < r->rows; i++) {
    for (int k = 0; k < r->width; k++) {
      fprintf(out, "%s%.12g", k > 0 ? "," : "", r->value[(size_t)i * (size_t)r->width + (size_t)k]);
    }
    fputc('\n', out);
  }
  return fclose(out) == 0;
}

/* Steps of the world as rows; false: one failed. */
static bool record_rows(recording *r, double time, int most)
{
  while (r->rows < most - 1 && pk_sim_time(r->sim) - r->start < time - 1e-9) {
    double *row = r->value + (size_t)r->rows * (size_t)r->width;
    const double now = pk_sim_time(r->sim);
    note_state(r, row);
    if (pk_sim_step(r->sim, NULL) != PK_OK) {
      return false;
    }
    note_forces(r, pk_sim_time(r->sim) - now, row);
    r->rows++;
  }
  return true;
}

bool recorded_write(pk_sim *sim, const char *const *feet, int nfeet, double time, bool repeats,
                    const char *path)
{
  enum { MOST = 8192 };
  recording r = {.sim = sim, .m = pk_sim_model(sim), .feet = nfeet, .start = pk_sim_time(sim)};
  for (int u = 6; u < r.m->robots[0].nu; u++) {
    r.dof[r.joints++] = u;
  }
  for (int f = 0; f < nfeet; f++) {
    r.link[f] = pk_model_find_link(r.m, feet[f]);
  }
  r.width = TRUNK + 3 * r.joints + 4 * nfeet;
  r.value = calloc((size_t)MOST * (size_t)r.width, sizeof(double));
  bool done = r.value != NULL && record_rows(&r, time, MOST);
  if (done) {
    double *last = r.value + (size_t)r.rows * (size_t)r.width;
    /* torques, stances and forces of the end: those of the beginning, or of the row before */
    memcpy(last, repeats ? r.value : last - r.width, (size_t)r.width * sizeof *last);
    note_state(&r, last);
    r.rows++;
    done = print_file(&r, repeats, close_motion(&r, repeats), path);
  }
  free(r.value);
  return done;
}

void recorded_begin(pk_sim *sim, const char *path)
{
  const pk_model *m = pk_sim_model(sim);
  pki_whole_motion motion;
  pk_error err = {.message = ""};
  if (pki_whole_motion_read(path, m, &motion, &err) != PK_OK) {
    fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.message);
    abort();
  }
  double *q = pk_sim_q(sim), *u = pk_sim_u(sim);
  memcpy(q, motion.values + PKI_WHOLE_MOTION_PLACE, 7 * sizeof *q);
  memcpy(u, motion.values + PKI_WHOLE_MOTION_VELOCITY, 6 * sizeof *u);
  for (int k = 0; k < motion.joints; k++) {
    q[m->dof_q[motion.dof[k]]] = motion.values[pki_whole_motion_q_at(k)];
    u[motion.dof[k]] = motion.values[pki_whole_motion_u_at(&motion, k)];
  }
  pki_whole_motion_free(&motion);
}

pk_controller *recorded_follow(pk_sim *sim, const pk_follow_options *options)
{
  pk_error err = {.message = ""};
  pk_controller *follow;
  if (pk_follow_create(pk_sim_model(sim), options, &follow, &err) != PK_OK ||
      pk_sim_set_controller(sim, follow, &err) != PK_OK) {
    fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.message);
    abort();
  }
  recorded_begin(sim, options->file);
  return follow;
}

pk_controller *recorded_follow_file(pk_sim *sim, const char *path)
{
  pk_follow_options options = pk_follow_options_default();
  snprintf(options.file, sizeof options.file, "%s", path);
  return recorded_follow(sim, &options);
}
