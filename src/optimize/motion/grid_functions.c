/* Small functions of the grid, each written on a graph of its own. */
#include "optimize/motion/grid_functions.h"

#include "symbolic/robot/vec.h"

enum { MOST_INPUTS = 8, MOST_RESULTS = 4 };

/* Writes results of inputs w and parameters p. */
typedef void (*writer)(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y);

static void write_simpson(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x ends = pki_plus(g, w[2], w[4]), sum = pki_plus_times(g, ends, pki_const(g, 4), w[3]);
  const pki_x step = pki_times(g, pki_times(g, pki_const(g, 1.0 / 6), p[0]), w[5]);
  y[0] = pki_minus_times(g, pki_minus(g, w[1], w[0]), step, sum);
}

static void write_middle(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x mean = pki_times(g, pki_const(g, 0.5), pki_plus(g, w[1], w[2]));
  const pki_x step = pki_times(g, pki_times(g, pki_const(g, 0.125), p[0]), w[5]);
  y[0] = pki_minus_times(g, pki_minus(g, w[0], mean), step, pki_minus(g, w[3], w[4]));
}

static void write_scaled(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  y[0] = pki_times(g, p[0], w[0]);
}

static void write_cone(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x most = pki_times(g, p[0], w[2]);
  const pki_x side = pki_plus_times(g, pki_times(g, w[0], w[0]), w[1], w[1]);
  y[0] = pki_minus(g, pki_times(g, most, most), side);
}

static void write_line(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  y[0] = pki_plus_times(g, w[0], p[0], w[1]);
  y[1] = pki_minus_times(g, w[0], p[0], w[1]);
}

static void write_rate(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x most = pki_times(g, p[0], w[2]), change = pki_minus(g, w[1], w[0]);
  y[0] = pki_minus(g, most, change);
  y[1] = pki_plus(g, most, change);
}

static void write_power(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  (void)p;
  y[0] = pki_minus_times(g, w[0], w[1], w[2]);
  y[1] = pki_plus_times(g, w[0], w[1], w[2]);
}

static void write_heat(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  y[0] = pki_times(g, pki_times(g, p[0], w[0]), pki_times(g, w[1], w[1]));
}

static void write_heat_per_metre(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x time = pki_times(g, pki_times(g, p[0], w[0]), pki_inverse(g, w[1]));
  y[0] = pki_times(g, time, pki_times(g, w[2], w[2]));
}

static void write_work_per_metre(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  y[0] = pki_times(g, pki_times(g, pki_times(g, p[0], w[0]), pki_inverse(g, w[1])), w[2]);
}

/* ---- design parameters ---- */

static void write_spring(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  y[0] = pki_times(g, w[1], pki_minus_times(g, w[0], p[0], w[2]));
}

static void write_spring_at(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  y[0] = pki_times(g, w[1], pki_minus(g, w[0], p[0]));
}

static void write_rotor(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x squared = pki_times(g, w[0], w[0]);
  const pki_x inertia = pki_minus(g, pki_times(g, squared, p[0]), p[2]);
  y[0] = pki_plus_times(g, pki_times(g, inertia, w[2]), pki_times(g, squared, p[1]), w[1]);
}

static void write_rotor_jump(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x inertia = pki_minus(g, pki_times(g, pki_times(g, w[0], w[0]), p[0]), p[1]);
  y[0] = pki_times(g, inertia, pki_minus(g, w[2], w[1]));
}

static void write_series_speed(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  (void)p;
  y[0] = pki_minus_times(g, pki_minus(g, w[0], w[1]), w[2], pki_inverse(g, w[3]));
}

/* t - tau - I (a + s/k) - D w of w = t, tau, a, s, w, k */
static pki_x balance_rotor(pki_graph *g, const pki_x *w, pki_x inertia, pki_x damping)
{
  const pki_x turns = pki_plus_times(g, w[2], w[3], pki_inverse(g, w[5]));
  const pki_x left = pki_minus_times(g, pki_minus(g, w[0], w[1]), inertia, turns);
  return pki_minus_times(g, left, damping, w[4]);
}

static void write_series_torque(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  y[0] = balance_rotor(g, w, p[0], p[1]);
}

static void write_series_geared(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x squared = pki_times(g, w[6], w[6]);
  y[0] = balance_rotor(g, w, pki_times(g, squared, p[0]), pki_times(g, squared, p[1]));
}

static void write_series_boundary(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x inverse = pki_inverse(g, w[4]);
  const pki_x after = pki_plus_times(g, w[0], w[1], inverse), before = pki_plus_times(g, w[2], w[3], inverse);
  y[0] = pki_minus_times(g, after, p[0], before);
}

static void write_geared_heat(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x current = pki_times(g, w[2], pki_inverse(g, w[3]));
  const pki_x time = pki_times(g, pki_times(g, p[0], w[0]), pki_inverse(g, w[1]));
  y[0] = pki_times(g, time, pki_times(g, current, current));
}

static void write_geared_line(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x most = pki_times(g, p[0], w[2]);
  const pki_x back = pki_times(g, pki_times(g, p[1], pki_times(g, w[2], w[2])), w[1]);
  const pki_x with = pki_plus(g, w[0], back), against = pki_minus(g, w[0], back);
  y[0] = pki_minus(g, most, with);
  y[1] = pki_plus(g, most, with);
  y[2] = pki_minus(g, most, against);
  y[3] = pki_plus(g, most, against);
}

static void write_geared_limit(pki_graph *g, const pki_x *w, const pki_x *p, pki_x *y)
{
  const pki_x most = pki_times(g, p[0], w[1]);
  y[0] = pki_minus(g, most, w[0]);
  y[1] = pki_plus(g, most, w[0]);
}

/* ---- all of them ---- */

static pk_status create_function(const char *name, int nw, int np, int ny, writer write,
                                 pki_nlp_function **out, pk_error *err)
{
  pki_graph *g = pki_graph_create(false);
  pki_x w[MOST_INPUTS], p[MOST_INPUTS], y[MOST_RESULTS];
  if (g == NULL) {
    return pki_fail_memory(err, name);
  }
  const int inputs = pki_graph_port(g, "w", nw, "variables"),
            parameters = pki_graph_port(g, "p", np > 0 ? np : 1, "numbers");
  for (int k = 0; k < nw; k++) {
    w[k] = pki_input(g, inputs, k);
  }
  for (int k = 0; k < np; k++) {
    p[k] = pki_input(g, parameters, k);
  }
  write(g, w, p, y);
  const pk_status status = pki_nlp_function_create(g, name, nw, w, np, p, ny, y, out, err);
  pki_graph_destroy(g);
  return status;
}

pk_status pki_grid_functions_create(pki_grid_functions *out, pk_error *err)
{
  const struct {
    const char *name;
    int nw, np, ny;
    writer write;
    pki_nlp_function **out;
  } rows[] = {
      {"Simpson's rule", 6, 1, 1, write_simpson, &out->simpson},
      {"middle of an interval", 6, 1, 1, write_middle, &out->middle},
      {"linear", 1, 1, 1, write_scaled, &out->scaled},
      {"friction cone", 3, 1, 1, write_cone, &out->cone},
      {"motor line", 2, 1, 2, write_line, &out->line},
      {"torque rate", 3, 1, 2, write_rate, &out->rate},
      {"power", 3, 0, 2, write_power, &out->power},
      {"squares", 2, 1, 1, write_heat, &out->heat},
      {"heat for each metre", 3, 1, 1, write_heat_per_metre, &out->heat_per_metre},
      {"work for each metre", 3, 1, 1, write_work_per_metre, &out->work_per_metre},
      {"parallel spring", 3, 1, 1, write_spring, &out->spring},
      {"parallel spring at rest", 2, 1, 1, write_spring_at, &out->spring_at},
      {"rotor behind a gear", 3, 3, 1, write_rotor, &out->rotor},
      {"impact of a rotor", 3, 2, 1, write_rotor_jump, &out->rotor_jump},
      {"speed behind a spring", 4, 0, 1, write_series_speed, &out->series_speed},
      {"torque behind a spring", 6, 2, 1, write_series_torque, &out->series_torque},
      {"torque behind a spring and a gear", 7, 2, 1, write_series_geared, &out->series_geared},
      {"rotor between phases", 5, 1, 1, write_series_boundary, &out->series_boundary},
      {"heat behind a gear", 4, 1, 1, write_geared_heat, &out->geared_heat},
      {"motor line behind a gear", 3, 2, 4, write_geared_line, &out->geared_line},
      {"largest torque behind a gear", 2, 1, 2, write_geared_limit, &out->geared_limit},
  };
  *out = (pki_grid_functions){0};
  pk_status status = PK_OK;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == PK_OK; i++) {
    status =
        create_function(rows[i].name, rows[i].nw, rows[i].np, rows[i].ny, rows[i].write, rows[i].out, err);
  }
  return status;
}

void pki_grid_functions_free(pki_grid_functions *functions)
{
  pki_nlp_function *const all[] = {
      functions->simpson,        functions->middle,        functions->scaled,
      functions->cone,           functions->line,          functions->rate,
      functions->power,          functions->heat,          functions->heat_per_metre,
      functions->work_per_metre, functions->spring,        functions->spring_at,
      functions->rotor,          functions->rotor_jump,    functions->series_speed,
      functions->series_torque,  functions->series_geared, functions->series_boundary,
      functions->geared_heat,    functions->geared_line,   functions->geared_limit};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    pki_nlp_function_destroy(all[i]);
  }
  *functions = (pki_grid_functions){0};
}
