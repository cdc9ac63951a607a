#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "math/rotation.h"
#include "study/feedback/feedback.h"

/* m, a foot that is nearer to the ground touches it. */
static const double touching = 1e-6;

static void find_ball(const pk_model *m, int link, pki_slip_foot *f)
{
  *f = (pki_slip_foot){.link = link};
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *s = &m->shapes[i];
    if (s->link == link && !s->visual && s->kind == PK_SHAPE_SPHERE) {
      const pk_pose *frame = &m->links[link].pose;
      const double apart[3] = {s->pose.pos[0] - frame->pos[0], s->pose.pos[1] - frame->pos[1],
                               s->pose.pos[2] - frame->pos[2]};
      pki_mat3_apply_transposed(frame->rot, apart, f->at);
      f->radius = s->size[0];
    }
  }
}

/* Where the ball is at the workspace's state. */
static void see_ball(const pk_workspace *w, pki_slip_foot *f)
{
  const pk_pose pose = pk_link_pose(w, f->link);
  pki_mat3_apply(pose.rot, f->at, f->centre);
  for (int k = 0; k < 3; k++) {
    f->centre[k] += pose.pos[k];
  }
  memcpy(f->turn, pose.rot, sizeof f->turn);
  f->down = f->centre[2] - f->radius < touching;
}

/* m, the way of the ball along the ground less its rolling: of the rotation vector theta that is theta x r z. */
static double step_slip(const pki_slip_foot *before, const pki_slip_foot *after)
{
  double turn[9], theta[3];
  pki_rotation_mul_transposed(after->turn, before->turn, turn);
  pki_rotation_log(turn, theta);
  const double r = before->radius, x = after->centre[0] - before->centre[0] - r * theta[1],
               y = after->centre[1] - before->centre[1] + r * theta[0];
  return hypot(x, y);
}

static void close_stance(pki_slip_meter *m, pki_slip_foot *f)
{
  if (f->stood) {
    m->stances++;
    m->bad += f->way > 1e-3;
    m->sum += f->way;
    m->most = fmax(m->most, f->way);
  }
  f->stood = false;
  f->way = 0;
}

void pki_slip_begin(pki_slip_meter *m, const pk_workspace *w, const int *links, int count, double dt)
{
  static const double loaded = 0.05, gravity = 9.81; /* of the weight; m/s^2 */
  const pk_model *model = pk_workspace_model(w);
  double mass = 0;
  for (int i = 0; i < model->nlink; i++) {
    mass += model->links[i].body >= 0 ? model->links[i].inertia.mass : 0;
  }
  *m = (pki_slip_meter){.feet = count < PKI_FEEDBACK_FEET ? count : PKI_FEEDBACK_FEET,
                        .least = loaded * mass * gravity * dt};
  for (int i = 0; i < m->feet; i++) {
    find_ball(model, links[i], &m->foot[i]);
    see_ball(w, &m->foot[i]);
  }
}

void pki_slip_step(pki_slip_meter *m, const pk_workspace *w, const double *push)
{
  for (int i = 0; i < m->feet; i++) {
    pki_slip_foot *const f = &m->foot[i];
    const pki_slip_foot before = *f;
    see_ball(w, f);
    f->down = f->down || push[i] > 0;
    if (before.down && push[i] > m->least) {
      f->way += step_slip(&before, f);
      f->stood = true;
    }
    if (!f->down) {
      close_stance(m, f);
    }
  }
}

void pki_slip_end(pki_slip_meter *m)
{
  for (int i = 0; i < m->feet; i++) {
    close_stance(m, &m->foot[i]);
  }
}

void pki_slip_restart(pki_slip_meter *m)
{
  m->stances = m->bad = 0;
  m->most = m->sum = 0;
  for (int i = 0; i < m->feet; i++) {
    m->foot[i].way = 0;
  }
}
