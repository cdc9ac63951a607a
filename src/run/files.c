/* states.csv: one row for each step, in joint coordinates whatever the world is computed in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "run/run.h"

static pk_status fail_file(const char *path, pk_error *err)
{
  return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "cannot be written: %s", strerror(errno));
}

/* "q.KNEE", or "q.BALL.0", "q.BALL.1", ... */
static void head_joints(const pki_csv *csv, const pk_model *m, const char *what, bool of_q)
{
  for (int i = 0; i < m->njoint; i++) {
    const pk_model_joint *j = &m->joints[i];
    const int count = of_q ? j->nq : j->nu;
    for (int k = 0; k < count; k++) {
      if (count == 1) {
        fprintf(csv->file, ",%s.%s", what, j->name);
      } else {
        fprintf(csv->file, ",%s.%s.%d", what, j->name, k);
      }
    }
  }
}

static void head(const pki_csv *csv, const pki_watch *w)
{
  static const char *const parts[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                      "vx", "vy", "vz", "wx", "wy", "wz"};
  const pk_model *m = w->model;
  fputs("time", csv->file);
  for (int i = 0; i < m->nrobot; i++) {
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
      fprintf(csv->file, ",%s.%s", m->links[m->robots[i].root_link].name, parts[k]);
    }
  }
  head_joints(csv, m, "q", true);
  head_joints(csv, m, "u", false);
  head_joints(csv, m, "tau", false);
  for (int i = 0; i <= w->nfoot; i++) {
    for (int k = 0; k < 3; k++) {
      fprintf(csv->file, ",force.%s.%c", i < w->nfoot ? m->links[w->feet[i]].name : "other", "xyz"[k]);
    }
  }
  fputc('\n', csv->file);
}

pk_status pki_csv_begin(pki_csv *csv, const pki_watch *w, const char *folder, pk_error *err)
{
  if (!pki_path_join(csv->path, folder, "states.csv") ||
      !pki_path_join(csv->partial, folder, "states.csv.part")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  csv->file = fopen(csv->partial, "w");
  if (csv->file == NULL) {
    return fail_file(csv->partial, err);
  }
  head(csv, w);
  pki_csv_row(csv, w);
  return PK_OK;
}

/* Numbers read back to the same bits. */
static void put(const pki_csv *csv, const double *values, int count)
{
  for (int i = 0; i < count; i++) {
    fprintf(csv->file, ",%.17g", values[i]);
  }
}

/* Pose of a robot's root link; its velocity: linear in world axes, angular in its own. */
static void put_root(const pki_csv *csv, const pk_workspace *workspace, int link)
{
  const pk_pose pose = pk_link_pose(workspace, link);
  double quaternion[4], velocity[6], linear[3];
  pki_quat_from_mat3(pose.rot, quaternion);
  pk_link_velocity(workspace, link, velocity);
  pki_mat3_apply(pose.rot, velocity + 3, linear);
  put(csv, pose.pos, 3);
  put(csv, quaternion, 4);
  put(csv, linear, 3);
  put(csv, velocity, 3);
}

void pki_csv_row(pki_csv *csv, const pki_watch *w)
{
  const pk_model *m = w->model;
  pk_sim *sim = w->world->sim;
  pk_workspace *workspace = pk_sim_workspace(sim);
  const double *tau = pk_sim_tau(sim);
  pk_kinematics_compute(workspace, pk_sim_q(sim), pk_sim_u(sim));
  fprintf(csv->file, "%.17g", pk_sim_time(sim));
  for (int i = 0; i < m->nrobot; i++) {
    put_root(csv, workspace, m->robots[i].root_link);
  }
  /* a follower's coordinate is its leader's: it is written as the joint's own angle */
  for (int i = 0; i < m->njoint; i++) {
    const pk_model_joint *j = &m->joints[i];
    const double own = j->leader >= 0 ? j->multiplier * w->q[j->q] + j->offset : 0;
    put(csv, j->leader >= 0 ? &own : w->q + j->q, j->nq);
  }
  for (int i = 0; i < m->njoint; i++) {
    const pk_model_joint *j = &m->joints[i];
    const double own = j->leader >= 0 ? j->multiplier * w->u[j->u] : 0;
    put(csv, j->leader >= 0 ? &own : w->u + j->u, j->nu);
  }
  for (int i = 0; i < m->njoint; i++) {
    const pk_model_joint *j = &m->joints[i];
    const double none = 0; /* a follower has no motor */
    put(csv, j->leader >= 0 ? &none : tau + j->u, j->nu);
  }
  put(csv, w->force, 3 * (w->nfoot + 1));
  fputc('\n', csv->file);
}

pk_status pki_csv_end(pki_csv *csv, bool keep, pk_error *err)
{
  const bool bad = ferror(csv->file) != 0;
  const bool closed = fclose(csv->file) == 0;
  csv->file = NULL;
  if (bad || !closed) {
    const pk_status status = fail_file(csv->partial, err);
    remove(csv->partial);
    return status;
  }
  if (!keep) {
    remove(csv->partial);
    return PK_OK;
  }
  return rename(csv->partial, csv->path) == 0 ? PK_OK : fail_file(csv->path, err);
}
