/* Fig. 7: the time of one step, a bar for each configuration, its parts one after another. */
#include <math.h>

#include "study/starleth/starleth.h"

enum { PARTS = PK_STEP_PART_COUNT - 1, LEFT = 80, TOP = 46, BAR = 18, PITCH = 27, PLOT = 600, WIDTH = 860 };

/* Okabe and Ito's colours, as in the other plots. */
static const char *const colours[PARTS] = {"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9"};
static const char *const labels[PARTS] = {"M and h",    "collision", "factor of M and bilateral rows",
                                          "rows and G", "impulses",  "positions"};

/* What the axis shows, us: prox in maximal coordinates would hide all others, so its bars are cut. */
static double axis_end(const pki_starleth_data *d)
{
  double most = 1e-3;
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    const pki_starleth_config *c = &pki_starleth_configs[i];
    if (!(c->set == PKI_STARLETH_MAXIMAL && c->prox)) {
      most = fmax(most, 1e6 * (d->trots[i].step.mean + d->trots[i].step.deviation));
    }
  }
  return 1.05 * most;
}

static void draw_legend(pki_text *out)
{
  double x = LEFT;
  for (int p = 0; p < PARTS; p++) {
    static const double wide[PARTS] = {80, 85, 210, 95, 85, 90};
    pki_text_addf(
        out,
        "<rect x=\"%g\" y=\"12\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%g\" y=\"22\">%s</text>\n",
        x, colours[p], x + 17, labels[p]);
    x += wide[p];
  }
  pki_text_addf(
      out,
      "<path d=\"M%g 11 v14\" stroke=\"#c00\" stroke-width=\"2\"/><text x=\"%g\" y=\"22\">paper</text>\n",
      x + 5, x + 12);
}

/* Round steps of the axis: 1, 2 or 5 times a power of ten, about six of them. */
static void draw_axis(double end, double bottom, pki_text *out)
{
  const double raw = end / 6, power = pow(10, floor(log10(raw))), rest = raw / power;
  const double tick = power * (rest < 2 ? 2 : rest < 5 ? 5 : 10);
  for (double t = 0; t <= end; t += tick) {
    const double x = LEFT + PLOT * t / end;
    pki_text_addf(out,
                  "<path d=\"M%.1f %d V%.1f\" stroke=\"#e4e4e4\"/><text x=\"%.1f\" y=\"%.1f\" "
                  "text-anchor=\"middle\">%g</text>\n",
                  x, TOP - 6, bottom, x, bottom + 15, t);
  }
  pki_text_addf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">time of one step, µs</text>\n",
                LEFT + PLOT / 2, bottom + 34);
}

static void draw_bar(const pki_starleth_data *d, int i, double end, pki_text *out)
{
  const pki_starleth_trot *t = &d->trots[i];
  const double y = TOP + PITCH * i, middle = y + 0.5 * BAR;
  const double mean = 1e6 * t->step.mean, deviation = 1e6 * t->step.deviation;
  double from = 0;
  pki_text_addf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, middle + 4,
                pki_starleth_configs[i].name);
  for (int p = 0; p < PARTS && from < end; p++) {
    const double to = fmin(end, from + 1e6 * t->parts[p + 1].mean);
    pki_text_addf(out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n",
                  LEFT + PLOT * from / end, y, PLOT * (to - from) / end, BAR, colours[p]);
    from = to;
  }
  const double low = fmin(end, fmax(0, mean - deviation)), high = fmin(end, mean + deviation);
  if (mean < end) {
    pki_text_addf(
        out, "<path d=\"M%.2f %.1f H%.2f M%.2f %.1f v8 M%.2f %.1f v8\" stroke=\"#222\" fill=\"none\"/>\n",
        LEFT + PLOT * low / end, middle, LEFT + PLOT * high / end, LEFT + PLOT * low / end, middle - 4,
        LEFT + PLOT * high / end, middle - 4);
  }
  const double paper = 1e6 * d->trots[PKI_STARLETH_HMJ].step.mean *
                       pki_starleth_configs[PKI_STARLETH_HMJ].rate / pki_starleth_configs[i].rate;
  if (paper < end) {
    pki_text_addf(out, "<path d=\"M%.2f %.1f v%d\" stroke=\"#c00\" stroke-width=\"2\"/>\n",
                  LEFT + PLOT * paper / end, y - 2, BAR + 4);
  }
  pki_text_addf(out, "<text x=\"%.1f\" y=\"%.1f\">%s%.*f ± %.*f</text>\n",
                LEFT + PLOT * fmin(1, high / end) + 8, middle + 4, mean < end ? "" : "… ", mean < 100, mean,
                mean < 100, deviation);
}

void pki_starleth_bars(const pki_starleth_data *d, pki_text *out)
{
  const double end = axis_end(d), bottom = TOP + PITCH * PKI_STARLETH_CONFIGS;
  pki_text_addf(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
      "font-family=\"system-ui,'DejaVu Sans',sans-serif\" font-size=\"12\" fill=\"#222\">\n"
      "<title>Time of one step by part</title>\n",
      WIDTH, bottom + 44, WIDTH, bottom + 44);
  draw_legend(out);
  draw_axis(end, bottom, out);
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    draw_bar(d, i, end, out);
  }
  pki_text_add(out, "</svg>\n");
}
