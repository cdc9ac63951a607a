/* The channel of pressures on compliant surfaces. */
#include "run/channel_columns.h"
#include "sim/sim_pressure.h"

enum { COLUMNS = 16 };

void pki_describe_pressure(pki_channel_reader *t, int channel)
{
  if (pki_sim_pressure_room(t->watch->world->sim) > 0) {
    PKI_COLUMNS(t, channel, {"body", ""}, {"shape", ""}, {"face", ""}, {"pressure", "Pa"}, {"fx", "N"},
                {"fy", "N"}, {"fz", "N"}, {"ax", "m"}, {"ay", "m"}, {"az", "m"}, {"bx", "m"}, {"by", "m"},
                {"bz", "m"}, {"cx", "m"}, {"cy", "m"}, {"cz", "m"});
  }
}

int pki_pressure_rows(const pki_channel_reader *t)
{
  return pki_sim_pressure_room(t->watch->world->sim);
}

static void write_row(const pk_sim_pressure *p, double *out)
{
  out[0] = p->body, out[1] = p->shape, out[2] = p->face, out[3] = p->pressure;
  for (int k = 0; k < 3; k++) {
    out[4 + k] = p->force[k];
    out[7 + k] = p->corner[0][k], out[10 + k] = p->corner[1][k], out[13 + k] = p->corner[2][k];
  }
}

int pki_read_pressure(pki_channel_reader *t, int robot, double *out)
{
  enum { SOME = 32 };
  pk_sim_pressure some[SOME];
  const pk_sim *sim = t->watch->world->sim;
  int at = 0;
  (void)robot;
  for (int count = 1; at < count && at < t->pressures;) {
    count = pki_sim_pressures(sim, at, some, SOME);
    for (int i = 0; i < SOME && at < count && at < t->pressures; i++, at++) {
      write_row(&some[i], out + (size_t)COLUMNS * (size_t)at);
    }
  }
  return at;
}
