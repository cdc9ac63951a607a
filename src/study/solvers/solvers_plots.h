/* The figures of the study of solvers (solvers.h): two panels each. */
#ifndef PKI_STUDY_SOLVERS_SOLVERS_PLOTS_H
#define PKI_STUDY_SOLVERS_SOLVERS_PLOTS_H

#include "report/svg.h"
#include "study/solvers/solvers.h"

enum { PKI_PLOT_POINTS = 61 };

typedef enum pki_solvers_figure {
  PKI_PLOT_PROFILE,  /* problems solved within tau times the best time: cold, warm */
  PKI_PLOT_ACCURACY, /* residuals reached: contact solvers, LCP solvers */
  PKI_PLOT_TIME,     /* time against contacts: the same */
  PKI_PLOT_KIND,     /* problems solved: hyperstatic, unequal masses */
  PKI_PLOTS
} pki_solvers_figure;

/* One panel and what it points at. */
typedef struct pki_solvers_plot {
  pki_svg_panel panel;
  pki_svg_series series[PK_SOLVER_COUNT];
  double x[PK_SOLVER_COUNT][PKI_PLOT_POINTS], y[PK_SOLVER_COUNT][PKI_PLOT_POINTS];
} pki_solvers_plot;

typedef struct pki_solvers_plots {
  pki_solvers_plot plots[PKI_PLOTS][2];
  pki_svg_panel panels[PKI_PLOTS][2];
  pki_svg_figure figures[PKI_PLOTS];
} pki_solvers_plots;

/* All of them; false when memory is out. They stay where they are: panels point at them. */
bool pki_solvers_plot_all(const pki_solvers_data *d, pki_solvers_plots *all);

#endif
