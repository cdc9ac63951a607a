/* The figures of the study of solvers. */
#include "study/solvers/solvers_plots.h"

#include <math.h>
#include <stdlib.h>

#include "contact/solvers/solver.h"

/* A colour for each method; methods in velocities are dashed. */
static void style_series(pki_svg_series *s, const pki_solvers_data *d, int e)
{
  const bool linear = e >= PK_SOLVER_COUNT;
  int base = linear ? 0 : PK_SOLVER_COUNT - 1; /* the solver whose form in velocities this is */
  while (base > 0 && (int)pki_solvers[base]->velocity_form != e) {
    base--;
  }
  const bool dashed = base > 0;
  s->name = d->entrants[e].name;
  s->style = dashed ? PKI_SVG_DASHED : PKI_SVG_LINE;
  s->color = 1 + (linear ? e - PK_SOLVER_COUNT : dashed ? base : e);
}

/* Lines of one panel: contact solvers or LCP solvers, one start. */
typedef struct lines {
  bool linear;
  int start;
  double (*value)(const pki_solvers_data *d, int start, int entrant, double x);
  const double *x;
  int n;
} lines;

static void draw_lines(const pki_solvers_data *d, const lines *l, pki_solvers_plot *p)
{
  const int from = l->linear ? PK_SOLVER_COUNT : 0, to = l->linear ? PKI_SOLVERS : PK_SOLVER_COUNT;
  p->panel.series = p->series;
  p->panel.nseries = 0;
  for (int e = from; e < to; e++) {
    pki_svg_series *s = &p->series[p->panel.nseries];
    double *x = p->x[p->panel.nseries], *y = p->y[p->panel.nseries];
    bool any = false;
    for (int k = 0; k < l->n; k++) {
      x[k] = l->x[k];
      y[k] = l->value(d, l->start, e, l->x[k]);
      any |= isfinite(y[k]);
    }
    if (any) {
      *s = (pki_svg_series){.x = x, .y = y, .n = l->n};
      style_series(s, d, e);
      p->panel.nseries++;
    }
  }
}

static double percent_profile(const pki_solvers_data *d, int start, int e, double tau)
{
  return 100 * pki_solvers_profile(d, start, e, tau);
}

static double percent_reached(const pki_solvers_data *d, int start, int e, double residual)
{
  return 100 * pki_solvers_reached(d, start, e, residual);
}

static void fill_powers(double *x, int n, double from, double to)
{
  for (int k = 0; k < n; k++) {
    x[k] = pow(10, from + (to - from) * k / (n - 1));
  }
}

static void plot_profiles(const pki_solvers_data *d, pki_solvers_plots *all)
{
  double x[PKI_PLOT_POINTS];
  fill_powers(x, PKI_PLOT_POINTS, 0, 3);
  for (int start = 0; start < PKI_STARTS; start++) {
    pki_solvers_plot *p = &all->plots[PKI_PLOT_PROFILE][start];
    p->panel = (pki_svg_panel){.title = start == PKI_COLD ? "From zero" : "From the last step's impulses",
                               .x = {.label = "time over that of the fastest", .log = true},
                               .y = {.label = "problems solved", .unit = "%", .least = 0, .most = 100}};
    draw_lines(d, &(lines){false, start, percent_profile, x, PKI_PLOT_POINTS}, p);
  }
}

static void plot_accuracy(const pki_solvers_data *d, pki_solvers_plots *all)
{
  double x[PKI_PLOT_POINTS];
  fill_powers(x, PKI_PLOT_POINTS, -16, 1);
  for (int linear = 0; linear < 2; linear++) {
    pki_solvers_plot *p = &all->plots[PKI_PLOT_ACCURACY][linear];
    p->panel = (pki_svg_panel){.title = linear ? "LCP solvers" : "Contact solvers",
                               .x = {.label = "relative residual of Coulomb's law on the disc", .log = true},
                               .y = {.label = "problems at or below", .unit = "%", .least = 0, .most = 100}};
    draw_lines(d, &(lines){linear == 1, PKI_COLD, percent_reached, x, PKI_PLOT_POINTS}, p);
  }
}

/* --- along an axis of kinds ------------------------------------------------------------ */

/* A quantity of problems, in bins: the last edge that it is not below. */
typedef struct bins {
  double (*of)(const pki_solvers_kind *kind);
  const double *edges;
  int n;
} bins;

static double contacts_of(const pki_solvers_kind *kind)
{
  return kind->contacts;
}

static double excess_of(const pki_solvers_kind *kind)
{
  return kind->rows > 0 ? kind->excess / (3.0 * kind->contacts) : 0;
}

static double spread_of(const pki_solvers_kind *kind)
{
  return kind->spread;
}

static const double contact_edges[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
static const double excess_edges[] = {0, 1e-9, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
static const double spread_edges[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

static const bins by_contacts = {contacts_of, contact_edges, COUNT(contact_edges)},
                  by_excess = {excess_of, excess_edges, COUNT(excess_edges)},
                  by_spread = {spread_of, spread_edges, COUNT(spread_edges)};

static bool is_in(const bins *b, int bin, const pki_solvers_kind *kind)
{
  const double v = b->of(kind);
  return v >= b->edges[bin] * (1 - 1e-9) && (bin + 1 == b->n || v < b->edges[bin + 1] * (1 - 1e-9));
}

/* us, the median of a bin; and the share that is solved, %. NAN where fewer than FEW were tried. */
enum { FEW = 3 };

static void summarise_bin(const pki_solvers_data *d, int e, const bins *b, int bin, double *scratch,
                          double *time, double *share)
{
  int n = 0, solved = 0;
  for (int i = 0; i < d->n; i++) {
    const pki_solver_result *t = &d->records[i].tries[PKI_COLD][e];
    if (t->tried && is_in(b, bin, &d->records[i].kind)) {
      scratch[n++] = t->time;
      solved += t->solved;
    }
  }
  *time = *share = NAN;
  if (n >= FEW) {
    *time = 1e6 * pki_solvers_quantile(scratch, n, 0.5);
    *share = 100.0 * solved / n;
  }
}

/* Where a bin stands on its axis: the mean of its problems. */
static double bin_centre(const pki_solvers_data *d, const bins *b, int bin)
{
  double sum = 0;
  int n = 0;
  for (int i = 0; i < d->n; i++) {
    if (is_in(b, bin, &d->records[i].kind)) {
      sum += b->of(&d->records[i].kind);
      n++;
    }
  }
  return n > 0 ? sum / n : NAN;
}

static void draw_bins(const pki_solvers_data *d, const bins *b, bool linear, bool times, double *scratch,
                      pki_solvers_plot *p)
{
  const int from = linear ? PK_SOLVER_COUNT : 0, to = linear ? PKI_SOLVERS : PK_SOLVER_COUNT;
  p->panel.series = p->series;
  p->panel.nseries = to - from;
  for (int e = from; e < to; e++) {
    double *x = p->x[e - from], *y = p->y[e - from];
    int n = 0;
    for (int bin = 0; bin < b->n; bin++) {
      double time, share;
      summarise_bin(d, e, b, bin, scratch, &time, &share);
      x[n] = bin_centre(d, b, bin);
      y[n] = times ? time : share;
      n += isfinite(y[n]);
    }
    p->series[e - from] = (pki_svg_series){.x = x, .y = y, .n = n};
    style_series(&p->series[e - from], d, e);
  }
}

static void plot_kinds(const pki_solvers_data *d, double *scratch, pki_solvers_plots *all)
{
  const pki_svg_axis share = {.label = "problems solved", .unit = "%", .least = 0, .most = 100};
  for (int linear = 0; linear < 2; linear++) {
    pki_solvers_plot *p = &all->plots[PKI_PLOT_TIME][linear];
    p->panel = (pki_svg_panel){.title = linear ? "LCP solvers" : "Contact solvers",
                               .x = {.label = "contacts", .log = true},
                               .y = {.label = "time, median", .unit = "µs", .log = true}};
    draw_bins(d, &by_contacts, linear == 1, true, scratch, p);
  }
  pki_solvers_plot *p = all->plots[PKI_PLOT_KIND];
  p[0].panel = (pki_svg_panel){
      .title = "Hyperstatic", .x = {.label = "share of rows that W does not need"}, .y = share};
  draw_bins(d, &by_excess, false, false, scratch, &p[0]);
  p[1].panel = (pki_svg_panel){.title = "Ill-conditioned",
                               .x = {.label = "largest over smallest pivot of W", .log = true},
                               .y = share};
  draw_bins(d, &by_spread, false, false, scratch, &p[1]);
}

bool pki_solvers_plot_all(const pki_solvers_data *d, pki_solvers_plots *all)
{
  static const char *const ids[PKI_PLOTS] = {"profile", "accuracy", "time", "kind"};
  double *scratch = malloc((size_t)(d->n + 1) * sizeof *scratch);
  if (scratch == NULL) {
    return false;
  }
  plot_profiles(d, all);
  plot_accuracy(d, all);
  plot_kinds(d, scratch, all);
  free(scratch);
  for (int k = 0; k < PKI_PLOTS; k++) {
    all->panels[k][0] = all->plots[k][0].panel;
    all->panels[k][1] = all->plots[k][1].panel;
    all->figures[k] = (pki_svg_figure){.id = ids[k], .panels = all->panels[k], .npanels = 2, .height = 380};
  }
  return true;
}
