/* Plots of a motion: joints and contacts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/files/motion_report.h"

enum { JOINTS_PER_PANEL = 7 };

/* ---- joints ---- */

/* How many joints from k on belong into one panel: those of one leg or arm, up to the next one that hangs on the trunk. */
static int count_limb(const pk_model *m, int k)
{
  const int trunk = m->links[m->robots[0].root_link].body;
  int n = 1;
  while (k + n < m->nu && n < JOINTS_PER_PANEL) {
    const int joint = m->dof_joint[k + n];
    if (joint >= 0 && m->body_parent[m->joints[joint].body] == trunk) {
      break;
    }
    n++;
  }
  return n;
}

/* One quantity of every joint, those of a limb in a panel. */
static void add_quantity(pki_motion_page *page, const char *id, const char *title, const char *unit,
                         const double *(*of)(const pki_motion_point *p))
{
  const pki_course *c = page->course;
  const pk_model *m = c->gait->model;
  for (int k = pki_gait_trunk(m), n; k < m->nu; k += n) {
    pki_svg_series series[JOINTS_PER_PANEL];
    char name[48];
    n = count_limb(m, k);
    for (int s = 0; s < n; s++) {
      for (int i = 0; i < c->nrow; i++) {
        page->value[s][i] = of(c->rows[i].point)[k + s];
      }
      series[s] = (pki_svg_series){
          .name = pki_gait_coordinate_name(m, k + s), .x = page->time, .y = page->value[s], .n = c->nrow};
    }
    snprintf(name, sizeof name, "%s-%d", id, k);
    pki_motion_page_panel(page, name, title, (pki_svg_axis){.label = title, .unit = unit}, series, n);
  }
}

static const double *q_of(const pki_motion_point *p)
{
  return p->q;
}

static const double *v_of(const pki_motion_point *p)
{
  return p->v;
}

static const double *tau_of(const pki_motion_point *p)
{
  return p->tau;
}

/* The edge of what a joint's motor can, in the plane of speed and torque: the largest torque, the largest speed, and the
 * line of the motor in both quadrants in which it drives. */
static int fill_edge(const pki_motion_problem *p, int k, double reach_v, double reach_t, double *x, double *y)
{
  /* what has no limit has one far outside of the picture */
  const double tau = fmin(p->tau_upper[k], 10 * reach_t), v = fmin(p->v_upper[k], 10 * reach_v);
  const pki_motion_motor *m = &p->motor[k];
  const bool line = isfinite(m->speed) && m->stall > 0;
  enum { STEPS = 40 };
  int n = 0;
  for (int i = 0; i <= STEPS;
       i++, n++) { /* above: from the largest speed backwards to the largest forwards */
    x[n] = -v + 2 * v * i / STEPS;
    y[n] = line ? fmin(tau, fmax(m->stall * (1 - fmax(x[n], 0) / m->speed), 0)) : tau;
  }
  for (int i = 0; i <= STEPS; i++, n++) { /* below: the same, turned by half a turn */
    x[n] = -x[i];
    y[n] = -y[i];
  }
  x[n] = x[0], y[n] = y[0];
  return n + 1;
}

static void add_planes(pki_motion_page *page)
{
  const pki_course *c = page->course;
  const pki_motion_problem *p = &c->gait->problem;
  const pk_model *m = c->gait->model;
  double x[128], y[128];
  for (int k = pki_gait_trunk(m); k < m->nu; k++) {
    char id[32];
    if (p->locked[k] || p->tau_upper[k] == 0) {
      continue;
    }
    for (int i = 0; i < c->nrow; i++) {
      page->value[0][i] = c->rows[i].point->motor_v[k];
      page->value[1][i] = c->rows[i].point->motor_tau[k];
    }
    /* the motion fills the picture; a limit that is far from it stays outside */
    const double reach_v = fmin(1.5 * page->figures.peak_speed[k] + 0.01, 1.05 * p->v_upper[k]);
    const double reach_t = fmin(1.5 * page->figures.peak_torque[k] + 0.01, 1.05 * p->tau_upper[k]);
    const int n = fill_edge(p, k, reach_v, reach_t, x, y);
    const pki_svg_series series[] = {
        {.name = "motion", .x = page->value[0], .y = page->value[1], .n = c->nrow, .color = 1},
        {.name = "limit", .x = x, .y = y, .n = n, .style = PKI_SVG_DASHED, .color = 2}};
    const pki_svg_panel panel = {.title = pki_gait_coordinate_name(m, k),
                                 .x = {.label = "speed", .unit = "rad/s", .least = -reach_v, .most = reach_v},
                                 .y = {.label = "torque", .unit = "N m", .least = -reach_t, .most = reach_t},
                                 .series = series,
                                 .nseries = 2};
    snprintf(id, sizeof id, "plane-%d", k);
    pki_report_panel(
        &page->report,
        &(pki_svg_figure){.id = id, .panels = &panel, .npanels = 1, .width = 300, .height = 240});
  }
}

static void add_joint_table(pki_motion_page *page)
{
  const pki_motion_problem *p = &page->course->gait->problem;
  const pk_model *m = page->course->gait->model;
  const pki_motion_figures *f = &page->figures;
  pki_table t;
  pki_table_begin(&t,
                  (const char *const[]){"joint", "largest torque N m", "limit", "root mean square",
                                        "largest speed rad/s", "limit"},
                  6);
  for (int k = pki_gait_trunk(m); k < m->nu; k++) {
    char cell[5][32];
    snprintf(cell[0], 32, "%.4g", f->peak_torque[k]);
    snprintf(cell[1], 32, isfinite(p->tau_upper[k]) ? "%.4g" : "-", p->tau_upper[k]);
    snprintf(cell[2], 32, "%.4g", f->rms_torque[k]);
    snprintf(cell[3], 32, "%.4g", f->peak_speed[k]);
    snprintf(cell[4], 32, isfinite(p->v_upper[k]) ? "%.4g" : "-", p->v_upper[k]);
    pki_table_row(&t, (const char *const[]){pki_gait_coordinate_name(m, k), cell[0], cell[1], cell[2],
                                            cell[3], cell[4]});
  }
  pki_report_table(&page->report, &t);
  pki_table_free(&t);
}

void pki_motion_page_joints(pki_motion_page *page)
{
  pki_report_section(&page->report, "joints", "Joints");
  add_joint_table(page);
  pki_report_panels_begin(&page->report);
  add_quantity(page, "angle", "Angle", "rad", q_of);
  add_quantity(page, "speed", "Speed", "rad/s", v_of);
  add_quantity(page, "torque", "Torque", "N m", tau_of);
  pki_report_panels_end(&page->report, "Angles, speeds and torques over the whole motion.");
  pki_report_panels_begin(&page->report);
  add_planes(page);
  pki_report_panels_end(&page->report,
                        "Torque against speed. Dashed: largest torque and speed, and the line of the "
                        "motor where there is one.");
}

/* ---- contacts ---- */

static void add_feet_panel(pki_motion_page *page, const char *id, const char *title, pki_svg_axis y,
                           double (*of)(const pki_motion_page *page, const pki_course_row *row, int foot))
{
  const pki_course *c = page->course;
  const pki_motion_problem *p = &c->gait->problem;
  pki_svg_series series[PKI_MOTION_FEET];
  for (int f = 0; f < p->nfoot; f++) {
    for (int i = 0; i < c->nrow; i++) {
      page->value[f][i] = of(page, &c->rows[i], f);
    }
    series[f] = (pki_svg_series){
        .name = p->feet[f].name, .x = page->time, .y = page->value[f], .n = c->nrow, .color = f + 1};
  }
  pki_motion_page_panel(page, id, title, y, series, p->nfoot);
}

/* The force along the normal of the ground. */
static double normal_force(const pki_motion_page *page, const pki_course_row *row, int foot)
{
  (void)page;
  return (row->stance >> foot & 1) != 0 ? row->point->force[foot][2] : NAN;
}

/* Its share of the cone: 1 is the edge. */
static double cone_share(const pki_motion_page *page, const pki_course_row *row, int foot)
{
  const double *f = row->point->force[foot], n = normal_force(page, row, foot);
  return n > 1e-9 ? hypot(f[0], f[1]) / (page->course->gait->problem.friction * n) : NAN;
}

static double foot_height(const pki_motion_page *page, const pki_course_row *row, int foot)
{
  (void)page;
  return row->foot[foot][2];
}

void pki_motion_page_contacts(pki_motion_page *page)
{
  if (page->course->gait->problem.nfoot == 0) {
    return;
  }
  pki_report_section(&page->report, "contacts", "Contacts");
  pki_report_panels_begin(&page->report);
  add_feet_panel(page, "normal", "Normal force", (pki_svg_axis){.label = "force", .unit = "N"}, normal_force);
  add_feet_panel(page, "cone", "Share of the friction cone",
                 (pki_svg_axis){.label = "|f_t| / (µ f_n)", .least = 0, .most = 1.05}, cone_share);
  add_feet_panel(page, "height", "Height of the feet", (pki_svg_axis){.label = "height", .unit = "m"},
                 foot_height);
  pki_report_panels_end(
      &page->report, "Forces of standing feet; 1 is the edge of the cone. Boundaries of phases are dashed.");
}
