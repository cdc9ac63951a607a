/* What pushed links in the step: entries of `push`, then those of `disturb`. */
#include <string.h>

#include "run/channel_columns.h"

void pki_describe_pushes(pki_channel_reader *t, int channel)
{
  static const char *const parts[][2] = {{"fx", "N"},   {"fy", "N"},   {"fz", "N"},
                                         {"tx", "N m"}, {"ty", "N m"}, {"tz", "N m"}};
  const pki_world *world = t->watch->world;
  const pki_scenario *s = world->scenario;
  for (int i = 0; i < s->npush + s->ndisturb; i++) {
    const bool random = i >= s->npush;
    const int entry = random ? i - s->npush : i;
    const char *link = random ? s->disturbs[entry].link : s->pushes[entry].link;
    for (int k = 0; k < 6; k++) {
      pki_add_column(t, channel, parts[k][1], "%s%d.%s.%s", random ? "disturb" : "push", entry, link,
                     parts[k][0]);
    }
  }
}

int pki_read_pushes(pki_channel_reader *t, int robot, double *out)
{
  const pki_world *world = t->watch->world;
  (void)robot;
  memset(out, 0, 6 * (size_t)(world->scenario->npush + world->scenario->ndisturb) * sizeof *out);
  for (int i = 0; i < world->nacting; i++) {
    double *const to = out + 6 * (size_t)world->acting_entry[i];
    memcpy(to, world->acting[i].force, sizeof world->acting[i].force);
    memcpy(to + 3, world->acting[i].torque, sizeof world->acting[i].torque);
  }
  return 1;
}
