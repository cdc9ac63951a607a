/* A motion as stick figures: the robot at equal times, from the side and from above. A stick leads from each body's origin to those of
 * its children; feet end in a dot where they stand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/files/motion_report.h"
#include "pronk/dynamics.h"
#include "report/svg_frame.h"

enum { POSES = 8, WIDTH = 900 };

/* World to pixels of one view. */
typedef struct view {
  int up; /* 2: from the side, z upwards; 1: from above, y upwards */
  double left, top, scale;
  double x0, u1; /* of the left and of the upper edge, m */
} view;

static double across(const view *v, double x)
{
  return v->left + v->scale * (x - v->x0);
}

static double down(const view *v, const double p[3])
{
  return v->top + v->scale * (v->u1 - p[v->up]);
}

/* Where the frame of a body is, by its link. Massless helpers have none: they stand where their child does. */
static bool body_origin(const pk_model *m, const pk_workspace *w, int body, double out[3])
{
  const int link = m->body_link[body];
  if (link < 0) {
    return false;
  }
  const pk_pose pose = pk_link_pose(w, link);
  memcpy(out, pose.pos, sizeof pose.pos);
  return true;
}

static void add_line(const view *v, const double a[3], const double b[3], double shift, double width,
                     double opacity, pki_text *out)
{
  pki_text_addf(
      out,
      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#0072B2\" stroke-width=\"%.1f\" "
      "stroke-opacity=\"%.2f\" stroke-linecap=\"round\"/>",
      across(v, a[0] + shift), down(v, a), across(v, b[0] + shift), down(v, b), width, opacity);
}

/* The robot at one row, moved by `shift` along x. */
static void add_robot(const pki_course *c, pk_workspace *w, int row, const view *v, double shift,
                      pki_text *out)
{
  const pk_model *m = c->gait->model;
  const pki_motion_problem *p = &c->gait->problem;
  const pki_course_row *r = &c->rows[row];
  pk_kinematics_compute(w, r->point->q, NULL);
  for (int i = 0; i < m->nbody; i++) {
    double a[3], b[3];
    const int parent = m->body_parent[i];
    if (parent >= 0 && body_origin(m, w, i, b) && body_origin(m, w, parent, a)) {
      add_line(v, a, b, shift, 2.5, 0.9, out);
    }
  }
  for (int f = 0; f < p->nfoot; f++) {
    double knee[3];
    const bool stands = (r->stance >> f & 1) != 0;
    if (body_origin(m, w, p->feet[f].body, knee)) {
      add_line(v, knee, r->foot[f], shift, 2.5, 0.9, out);
    }
    pki_text_addf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>",
                  across(v, r->foot[f][0] + shift), down(v, r->foot[f]), stands ? "#D55E00" : "#56B4E9");
  }
  pki_text_addf(
      out,
      "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"none\" stroke=\"#D55E00\" stroke-width=\"1.5\"/>",
      across(v, r->com[0] + shift), down(v, r->com));
}

/* The row nearest to a time. */
static int row_at(const pki_course *c, double time)
{
  int best = 0;
  for (int i = 1; i < c->nrow; i++) {
    best = fabs(c->rows[i].time - time) < fabs(c->rows[best].time - time) ? i : best;
  }
  return best;
}

/* Extents of feet, trunk and mass over the whole motion; from[0] and to[0] are relative to the trunk. */
static void find_extent(const pki_course *c, double from[3], double to[3])
{
  for (int k = 0; k < 3; k++) {
    from[k] = INFINITY, to[k] = -INFINITY;
  }
  for (int i = 0; i < c->nrow; i++) {
    const pki_course_row *r = &c->rows[i];
    for (int f = -1; f < c->gait->problem.nfoot; f++) {
      const double *p = f < 0 ? r->position : r->foot[f];
      for (int k = 0; k < 3; k++) {
        const double x = k == 0 ? p[0] - r->position[0] : p[k];
        from[k] = fmin(from[k], x);
        to[k] = fmax(to[k], x);
      }
    }
  }
  for (int k = 0; k < 3; k++) {
    const double air = 0.08 * (to[0] - from[0]) + 0.05;
    from[k] -= air, to[k] += air;
  }
}

void pki_motion_page_figures(pki_motion_page *page)
{
  const pki_course *c = page->course;
  pk_workspace *w = NULL;
  pki_text *out = &page->report.html;
  if (pk_workspace_create(c->gait->model, &w, NULL) != PK_OK) {
    out->failed = true;
    return;
  }
  double from[3], to[3];
  find_extent(c, from, to);
  const double step = (to[0] - from[0]), scale = (double)WIDTH / (POSES * step);
  const double side = scale * (to[2] - from[2]), above = scale * (to[1] - from[1]);
  const view views[2] = {
      {.up = 2, .left = 0, .top = 18, .scale = scale, .x0 = from[0], .u1 = to[2]},
      {.up = 1, .left = 0, .top = 18 + side + 18, .scale = scale, .x0 = from[0], .u1 = to[1]}};
  pki_text_add(out, "<figure>");
  pki_svg_open(out, WIDTH, 18 + side + 18 + above, "Stick figures of the motion");
  for (int i = 0; i < POSES; i++) {
    const double end = c->start[c->whole.nphase] - c->start[0];
    const int row = row_at(c, end * i / POSES);
    const double shift = i * step - c->rows[row].position[0];
    pki_text_addf(out, "<text x=\"%.1f\" y=\"12\" font-size=\"11\" class=\"tick\">%.3f s</text>",
                  across(&views[0], i * step) - 16, c->rows[row].time);
    for (int v = 0; v < 2; v++) {
      add_robot(c, w, row, &views[v], shift, out);
    }
  }
  const double ground[3] = {0, 0, 0};
  pki_text_addf(out, "<line x1=\"0\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#888\"/>", WIDTH,
                down(&views[0], ground), down(&views[0], ground));
  pki_text_add(out,
               "</svg><figcaption>The motion at equal times, from the side and from above; standing feet are "
               "orange, the ring is the centre of mass.</figcaption></figure>\n");
  pk_workspace_destroy(w);
}
