/* Readings of a world's sensors. */
#include <string.h>

#include "run/channel_columns.h"

/* Of a joint that slides lengths stand for angles, but a motor's rotor turns there, too. */
static const char *unit_of(const pk_model *m, const pk_sensor *s, const char *unit)
{
  static const char *const linear[][2] = {{"rad", "m"}, {"rad/s", "m/s"}, {"N m", "N"}};
  const bool slides = s->kind->place == PK_SENSING_ON_JOINT && !s->kind->motor && pki_is_length(m, s->dof);
  for (int i = 0; i < 3 && slides; i++) {
    unit = strcmp(unit, linear[i][0]) == 0 ? linear[i][1] : unit;
  }
  return unit;
}

void pki_describe_sensors(pki_channel_reader *t, int channel)
{
  const pk_sensing *sensing = t->watch->world->sensing;
  for (int i = 0; sensing != NULL && i < pk_sensing_count(sensing); i++) {
    const pk_sensor s = pk_sensing_get(sensing, i);
    const int width = pk_sensing_width(sensing, i);
    for (int k = 0; k < width; k++) {
      const char *unit = s.kind->units != NULL ? s.kind->units[k] : s.kind->unit != NULL ? s.kind->unit : "";
      unit = unit_of(t->watch->model, &s, unit);
      if (s.kind->columns != NULL) {
        pki_add_column(t, channel, unit, "%s.%s", s.name, s.kind->columns[k]);
      } else if (width > 1) {
        pki_add_column(t, channel, unit, "%s.%d", s.name, k);
      } else {
        pki_add_column(t, channel, unit, "%s", s.name);
      }
    }
  }
}

int pki_read_sensors(pki_channel_reader *t, int robot, double *out)
{
  (void)robot, (void)out;
  pk_sim_sense(t->watch->world->sim); /* before the first step */
  t->found = pk_sim_readings(t->watch->world->sim);
  return 1;
}
