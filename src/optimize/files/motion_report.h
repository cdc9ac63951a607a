/* Parts of the report of a motion, each in a file of its own. */
#ifndef PKI_OPTIMIZE_FILES_MOTION_REPORT_H
#define PKI_OPTIMIZE_FILES_MOTION_REPORT_H

#include "optimize/files/motion_files.h"
#include "report/report.h"

typedef struct pki_motion_page {
  const pki_course *course;
  const pki_motion_solution *solution; /* with the ladder and its iterations */
  pki_motion_figures figures;
  pki_report report;
  double *time;      /* [nrow] s, from the start of the motion */
  double *bound_x;   /* [3 nphase] verticals at the boundaries of phases, with gaps between them */
  double *value[16]; /* [nrow] room for what is drawn */
} pki_motion_page;

/* The motion itself: stick figures from the side and from above (motion_figures.c). */
void pki_motion_page_figures(pki_motion_page *page);

/* Joints: angles, speeds, torques against their limits and lines; contact forces, feet (motion_plots.c). */
void pki_motion_page_joints(pki_motion_page *page);
void pki_motion_page_contacts(pki_motion_page *page);

/* A panel of series over the time of the motion, with the boundaries of phases dashed from `least` to `most`. */
void pki_motion_page_panel(pki_motion_page *page, const char *id, const char *title, pki_svg_axis y,
                           const pki_svg_series *series, int nseries);

#endif
