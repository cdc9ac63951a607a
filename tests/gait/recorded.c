#include "gait/recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gait/motion_file.h"
#include "math/mat3.h"

enum { MOST_ROWS = 4096, COLUMNS = 14 + 36 + 16 };

/* A row in the file's order: time, place, quaternion, rates, q, u and tau of twelve joints, stance and force of four feet. */
typedef struct recorded_row {
  double value[COLUMNS];
} recorded_row;

static void note_state(walker *w, double start, recorded_row *row)
{
  const double *q = pk_sim_q(w->sim), *u = pk_sim_u(w->sim);
  row->value[0] = pk_sim_time(w->sim) - start;
  memcpy(row->value + 1, q, 7 * sizeof *q);
  memcpy(row->value + 8, u, 6 * sizeof *u);
  memcpy(row->value + 14, q + 7, 12 * sizeof *q);
  memcpy(row->value + 26, u + 6, 12 * sizeof *u);
}

/* Torques and forces of the step that began in the row. */
static void note_forces(walker *w, double dt, recorded_row *row)
{
  pk_sim_contact contacts[WALKER_CONTACTS];
  const int found = pk_sim_contacts(w->sim, contacts, WALKER_CONTACTS);
  memcpy(row->value + 38, pk_sim_tau(w->sim) + 6, 12 * sizeof(double));
  for (int f = 0; f < 4; f++) {
    double *foot = row->value + 50 + 4 * f;
    for (int k = 0; k < found && k < WALKER_CONTACTS; k++) {
      for (int e = 0; e < 3 && contacts[k].link == w->feet[f]; e++) {
        foot[1 + e] += contacts[k].impulse[e] / dt;
      }
    }
    foot[0] = foot[3] > 0.01 * w->model->mass * 9.81;
  }
}

/* Lead the end into the beginning: places and joints change linearly by what they missed. */
static void close_motion(recorded_row *rows, int count, double travel[3])
{
  const recorded_row first = rows[0], last = rows[count - 1];
  double R0[9], R1[9], a[3], b[3];
  pki_quat_to_mat3(first.value + 4, R0);
  pki_quat_to_mat3(last.value + 4, R1);
  pki_mat3_to_rpy(R0, a);
  pki_mat3_to_rpy(R1, b);
  travel[0] = last.value[1] - first.value[1], travel[1] = 0, travel[2] = 0;
  for (int i = 0; i < count; i++) {
    const double part = rows[i].value[0] / last.value[0];
    double R[9], rpy[3];
    pki_quat_to_mat3(rows[i].value + 4, R);
    pki_mat3_to_rpy(R, rpy);
    for (int k = 0; k < 3; k++) {
      rpy[k] -= part * (b[k] - a[k]) + (k == 2 ? a[2] : 0);
      rows[i].value[1 + k] -=
          first.value[1 + k] * (k < 2) + (k > 0 ? part * (last.value[1 + k] - first.value[1 + k]) : 0);
    }
    const pk_pose turned = pk_pose_from_xyz_rpy((double[3]){0, 0, 0}, rpy);
    pki_quat_from_mat3(turned.rot, rows[i].value + 4);
    for (int k = 14; k < 26; k++) {
      rows[i].value[k] -= part * (last.value[k] - first.value[k]);
    }
  }
}

static void print_names(const pk_model *m, const walker *w, FILE *out)
{
  static const char *const kinds[3] = {"q", "u", "tau"};
  fputs("time,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", out);
  for (int k = 0; k < 36; k++) {
    fprintf(out, ",%s:%s", kinds[k / 12], m->joints[m->dof_joint[6 + k % 12]].name);
  }
  for (int f = 0; f < 4; f++) {
    const char *name = m->links[w->feet[f]].name;
    fprintf(out, ",stance:%s,fx:%s,fy:%s,fz:%s", name, name, name, name);
  }
  fputc('\n', out);
}

bool recorded_write(walker *w, double period, const char *path)
{
  static recorded_row rows[MOST_ROWS];
  const double start = pk_sim_time(w->sim);
  double travel[3];
  int count = 0;
  memset(rows, 0, sizeof rows);
  while (count < MOST_ROWS - 1 && pk_sim_time(w->sim) - start < period - 1e-9) {
    const double now = pk_sim_time(w->sim);
    note_state(w, start, &rows[count]);
    if (pk_sim_step(w->sim, NULL) != PK_OK) {
      return false;
    }
    note_forces(w, pk_sim_time(w->sim) - now, &rows[count++]);
  }
  memcpy(rows[count].value, rows[0].value,
         sizeof rows[0].value); /* forces and stances of the end are those of the beginning */
  note_state(w, start, &rows[count++]);
  close_motion(rows, count, travel);
  FILE *out = fopen(path, "w");
  if (out == NULL) {
    return false;
  }
  fprintf(out, "# pronk motion 1\n# repeat: yes\n# travel: %.17g %.17g %.17g\n", travel[0], travel[1],
          travel[2]);
  print_names(w->model, w, out);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < COLUMNS; k++) {
      fprintf(out, "%s%.12g", k > 0 ? "," : "", rows[i].value[k]);
    }
    fputc('\n', out);
  }
  return fclose(out) == 0;
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

void recorded_follow(walker *w, const pk_follow_options *options)
{
  pk_error err = {.message = ""};
  pk_controller *follow;
  if (pk_follow_create(w->model, options, &follow, &err) != PK_OK ||
      pk_sim_set_controller(w->sim, follow, &err) != PK_OK) {
    fprintf(stderr, "%s\n", err.message);
    abort();
  }
  pk_locomotion_destroy(w->controller);
  w->controller = follow;
  recorded_begin(w->sim, options->file);
}
