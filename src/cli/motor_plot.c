#include "cli/motor_plot.h"

#include <math.h>
#include <string.h>

#include "scenario/motor_line.h"

enum { WIDTH = PKI_MOTOR_PLOT_WIDTH, HEIGHT = PKI_MOTOR_PLOT_HEIGHT };

typedef struct picture {
  char cell[HEIGHT][WIDTH];
  double speed, torque; /* at the ends of the axes */
} picture;

/* The row of a torque, 0 on top; -1: above the picture. */
static int row_of(const picture *p, double torque)
{
  const double row = (HEIGHT - 1) * (1 - torque / p->torque);
  return row > -0.5 ? (int)lround(row) : -1;
}

static double speed_of(const picture *p, int column)
{
  return p->speed * column / (WIDTH - 1);
}

static void put_mark(picture *p, int column, double torque, char mark)
{
  const int row = isfinite(torque) ? row_of(p, torque) : -1;
  if (row >= 0 && row < HEIGHT) {
    p->cell[row][column] = mark;
  }
}

/* What it can do, without gaps where the line is steep. */
static void draw_limit(picture *p, const pki_motor_entry *m)
{
  int before = -1;
  for (int c = 0; c < WIDTH; c++) {
    const int row = row_of(p, pki_motor_line_at(m, speed_of(p, c)));
    for (int r = before >= 0 && before + 1 < row ? before + 1 : row; r >= 0 && r <= row; r++) {
      p->cell[r][c] = '*';
    }
    before = row;
  }
}

static void draw_lines(picture *p, const pki_motor_entry *m, const pki_motor_line *line)
{
  const double lasting = isnan(line->continuous_torque) ? line->heat_torque : line->continuous_torque;
  for (int c = 0; c < WIDTH; c++) {
    const double u = speed_of(p, c);
    put_mark(p, c, lasting <= pki_motor_line_at(m, u) ? lasting : NAN, '-');
    put_mark(p, c, line->current_torque, '.');
    put_mark(p, c, pki_motor_voltage_line_at(m, u), '.');
  }
  draw_limit(p, m);
}

void pki_motor_plot(const pki_motor_entry *motor, pki_text *out)
{
  const pki_motor_line line = pki_motor_line_of(motor);
  if (isnan(line.no_load_speed)) {
    pki_text_addf(out, "  Its line is not drawn: %s not known.\n",
                  motor->kind == PKI_MOTOR_KIND_DC ? "its voltage is" : "the speed at no load is");
    return;
  }
  /* Some of the voltage's line above the limit of current shows, not all of it. */
  picture p = {.speed = line.no_load_speed, .torque = line.peak_torque};
  if (line.stall_torque > line.peak_torque) {
    p.torque = fmin(line.stall_torque, 1.4 * line.peak_torque);
  }
  memset(p.cell, ' ', sizeof p.cell);
  draw_lines(&p, motor, &line);
  pki_text_add(out, "  N m\n");
  for (int r = 0; r < HEIGHT; r++) {
    int size = WIDTH;
    while (size > 0 && p.cell[r][size - 1] == ' ') {
      size--;
    }
    /* A number at every fifth row, from the top down to zero. */
    if (r % 5 == 0) {
      pki_text_addf(out, "%9.3g ┤%.*s\n", p.torque * (HEIGHT - 1 - r) / (HEIGHT - 1), size, p.cell[r]);
    } else {
      pki_text_addf(out, "%9s │%.*s\n", "", size, p.cell[r]);
    }
  }
  pki_text_addf(out, "%9s └", "");
  for (int c = 0; c < WIDTH; c++) {
    pki_text_add(out, "─");
  }
  pki_text_addf(out, "\n%11s0%*.4g rad/s\n", "", WIDTH - 1, p.speed);
  pki_text_addf(out, "  * what it can do%s%s\n",
                line.stall_torque > line.peak_torque ? "   . voltage or current alone" : "",
                isnan(line.continuous_torque) && isnan(line.heat_torque) ? "" : "   - for long");
}
