/* motion.csv and track.txt: a motion as tables of numbers. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "optimize/files/motion_files.h"

static void add_real(pki_text *out, double value)
{
  char text[PKI_REAL_TEXT];
  pki_text_addf(out, ",%s", pki_format_real(value, text));
}

static void add_reals(pki_text *out, const double *values, int count)
{
  for (int i = 0; i < count; i++) {
    add_real(out, values[i]);
  }
}

/* A joint with a coordinate of its own: what a column can be of. */
static bool has_column(const pk_model_joint *j)
{
  return j->leader < 0 && j->nu == 1;
}

static void add_head(const pki_course *c, pki_text *out)
{
  static const char *const kinds[] = {"q", "u", "tau"};
  const pk_model *m = c->gait->model;
  const pki_motion_problem *p = &c->gait->problem;
  char number[3][PKI_REAL_TEXT];
  pki_text_addf(out, "# pronk motion 1\n# repeat: %s\n# travel: %s %s %s\n", c->repeats ? "yes" : "no",
                pki_format_real(c->travel[0], number[0]), pki_format_real(c->travel[1], number[1]),
                pki_format_real(c->travel[2], number[2]));
  pki_text_add(out, "time,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  for (int i = 0; i < m->njoint; i++) {
    for (int k = 0; k < 3 && has_column(&m->joints[i]); k++) {
      pki_text_addf(out, ",%s:%s", kinds[k], m->joints[i].name);
    }
  }
  for (int i = 0; i < p->nfoot; i++) {
    const char *foot = p->feet[i].name;
    pki_text_addf(out, ",stance:%s,fx:%s,fy:%s,fz:%s", foot, foot, foot, foot);
  }
  pki_text_add(out, "\n");
}

static void add_row(const pki_course *c, const pki_course_row *row, pki_text *out)
{
  const pk_model *m = c->gait->model;
  const double *const values[] = {row->point->q, row->point->v, row->point->tau};
  char time[PKI_REAL_TEXT];
  pki_text_add(out, pki_format_real(row->time, time));
  add_reals(out, row->position, 3);
  add_reals(out, row->quaternion, 4);
  add_reals(out, row->velocity, 3);
  add_reals(out, row->spin, 3);
  for (int i = 0; i < m->njoint; i++) {
    for (int k = 0; k < 3 && has_column(&m->joints[i]); k++) {
      add_real(out, values[k][m->joints[i].u]);
    }
  }
  for (int i = 0; i < c->gait->problem.nfoot; i++) {
    pki_text_addf(out, ",%u", row->stance >> i & 1);
    add_reals(out, row->point->force[i], 3);
  }
  pki_text_add(out, "\n");
}

pk_status pki_motion_csv_save(const pki_course *course, const char *path, pk_error *err)
{
  pki_text text = {0};
  add_head(course, &text);
  for (int i = 0; i < course->nrow; i++) {
    add_row(course, &course->rows[i], &text);
  }
  const pk_status status = pki_text_save(&text, path, err);
  pki_text_free(&text);
  return status;
}

/* ---- track.txt ---- */

/* A joint with a motor, which can follow a reference. */
static bool is_driven(const pki_course *c, const pk_model_joint *j)
{
  return has_column(j) && c->gait->problem.tau_upper[j->u] > 0;
}

/* Largest torques, where they are limited. */
static void add_torque_limits(const pki_course *c, pki_text *out)
{
  const pk_model *m = c->gait->model;
  char number[PKI_REAL_TEXT];
  pki_text_add(out, "tau_max");
  for (int i = 0; i < m->njoint; i++) {
    if (is_driven(c, &m->joints[i])) {
      const double limit = c->gait->problem.tau_upper[m->joints[i].u];
      pki_text_addf(out, ", %s", isfinite(limit) ? pki_format_real(limit, number) : "inf");
    }
  }
  pki_text_add(out, "\n");
}

pk_status pki_motion_track_save(const pki_course *course, const char *path, pk_error *err)
{
  const pk_model *m = course->gait->model;
  pki_text text = {0};
  double last = -1;
  pki_text_addf(&text, "# %s: joints of one repetition\ntime", course->gait->name);
  for (int i = 0; i < m->njoint; i++) {
    if (is_driven(course, &m->joints[i])) {
      pki_text_addf(&text, ", %s", m->joints[i].name);
    }
  }
  pki_text_add(&text, "\n");
  add_torque_limits(course, &text);
  for (int i = 0; i < course->nrow; i++) {
    const pki_motion_point *point = course->rows[i].point;
    const double time = course->rows[i].time;
    char number[PKI_REAL_TEXT];
    if (time <= last + 1e-9) {
      continue; /* the other side of a boundary of phases has the same pose */
    }
    last = time;
    pki_text_add(&text, pki_format_real(time, number));
    for (int k = 0; k < m->njoint; k++) {
      if (is_driven(course, &m->joints[k])) {
        pki_text_addf(&text, ", %s", pki_format_real(point->q[m->joints[k].u], number));
      }
    }
    pki_text_add(&text, "\n");
  }
  const pk_status status = pki_text_save(&text, path, err);
  pki_text_free(&text);
  return status;
}
