/* Contacts of a link: a switch under a foot, and the force on it. Contacts with other links of the same robot count, too. */
#include <string.h>

#include "math/mat3.h"
#include "sense/sensing.h"

/* Force on a link by all its contacts, world axes; what presses on it comes back. */
static double contact_force(const pk_sensor *s, const pk_sensing_input *in, double force[3])
{
  double pressed = 0;
  memset(force, 0, 3 * sizeof *force);
  for (int i = 0; i < in->ncontact; i++) {
    const pk_sim_contact *c = &in->contacts[i];
    const double sign = c->link == s->link ? 1 : c->other_link == s->link ? -1 : 0;
    if (sign != 0) {
      pressed += pki_dot3(c->impulse, c->normal) / in->dt;
      pki_along3(force, sign / in->dt, c->impulse, force);
    }
  }
  return pressed;
}

static void read_switch(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  double force[3];
  (void)memory;
  values[0] = contact_force(s, in, force);
}

static void compare_with_threshold(const pk_sensor *s, const pk_sensing_input *in, double *memory,
                                   double *values)
{
  (void)in, (void)memory;
  values[0] = values[0] > s->threshold ? 1 : 0;
}

static void read_force(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  (void)memory;
  contact_force(s, in, values);
  if (s->axes == PK_SENSOR_AXES_OWN) {
    const pk_pose pose = pki_sensor_pose(s, in);
    const double force[3] = {values[0], values[1], values[2]};
    pki_mat3_apply_transposed(pose.rot, force, values);
  }
}

static const char *const columns[] = {"fx", "fy", "fz"};
static const char *const units[] = {"N", "N", "N"};

const pk_sensing_kind pki_sense_switch = {
    .name = "switch",
    .doc = "1 where the normal forces on a link exceed a threshold, else 0",
    .values = 1,
    .unit = "",
    .linear = 1,
    .read = read_switch,
    .finish = compare_with_threshold};

const pk_sensing_kind pki_sense_contact_force = {
    .name = "contact-force",
    .doc = "force on a link by all its contacts, world axes or the sensor's own",
    .values = 3,
    .columns = columns,
    .units = units,
    .linear = 3,
    .read = read_force};
