/* What joints carry, where the scenario asks for it. */
#include "run/channel_columns.h"

void pki_describe_loads(pki_channel_reader *t, int channel)
{
  static const char *const parts[][2] = {{"fx", "N"},   {"fy", "N"},   {"fz", "N"},
                                         {"mx", "N m"}, {"my", "N m"}, {"mz", "N m"}};
  const pk_model *m = t->watch->model;
  for (int j = 0; t->watch->world->scenario->record.loads && j < m->njoint; j++) {
    for (int k = 0; k < 6; k++) {
      pki_add_column(t, channel, parts[k][1], "%s.%s", m->joints[j].name, parts[k][0]);
    }
  }
}

int pki_read_loads(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  pk_sim_joint_loads(t->watch->world->sim, out);
  t->moved = t->result->steps; /* it leaves the workspace at the state, velocities included */
  return 1;
}
