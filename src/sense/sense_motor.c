/* Motors: what their drives know. Angles are the rotor's own, N times those at the joint's side of the gear. */
#include <string.h>

#include "actuation/actuation.h"
#include "sense/sensing.h"

int pki_find_motor(const pk_actuation *a, int dof)
{
  for (int i = 0; a != NULL && i < a->count; i++) {
    const pk_actuator *m = &a->list[i].actuator;
    if (m->dof == dof && pki_is_motor(m->kind)) {
      return i;
    }
  }
  return -1;
}

/* What the motor of a sensor remembers, and its parameters. */
static const double *motor_of(const pk_sensor *s, const pk_sensing_input *in,
                              const pk_motor_parameters **parameters)
{
  const pki_actuator_entry *e = &in->actuation->list[pki_find_motor(in->actuation, s->dof)];
  *parameters = e->actuator.parameters;
  return in->actuator_states + e->state;
}

static void read_encoder(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  const pk_motor_parameters *p;
  const double *const state = motor_of(s, in, &p);
  const bool spring = p->spring > 0;
  (void)memory;
  /* of a rigid gear the rotor turns with the joint */
  values[0] = p->gear * (in->q[in->model->dof_q[s->dof]] + (spring ? state[PKI_MOTOR_STATE_DEFLECTION] : 0));
  values[1] = p->gear * (spring ? state[PKI_MOTOR_STATE_VELOCITY] : in->u[s->dof]);
}

static void read_current(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  const pk_motor_parameters *p;
  (void)memory;
  values[0] = motor_of(s, in, &p)[PKI_MOTOR_STATE_CURRENT];
}

static void read_temperature(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  const pk_motor_parameters *p;
  (void)memory;
  values[0] = motor_of(s, in, &p)[PKI_MOTOR_STATE_WINDING];
}

static const char *const columns[] = {"q", "u"};
static const char *const units[] = {"rad", "rad/s"};

const pk_sensing_kind pki_sense_motor_encoder = {.name = "motor-encoder",
                                                 .doc =
                                                     "angle of a motor's rotor, before the gear and the "
                                                     "spring, and its velocity from differences of samples",
                                                 .place = PK_SENSING_ON_JOINT,
                                                 .values = 2,
                                                 .columns = columns,
                                                 .units = units,
                                                 .linear = 1,
                                                 .memory = PKI_ENCODER_MEMORY,
                                                 .motor = true,
                                                 .read = read_encoder,
                                                 .finish = pki_difference_samples};

const pk_sensing_kind pki_sense_motor_current = {.name = "motor-current",
                                                 .doc = "current of a motor",
                                                 .place = PK_SENSING_ON_JOINT,
                                                 .values = 1,
                                                 .unit = "A",
                                                 .linear = 1,
                                                 .motor = true,
                                                 .read = read_current};

const pk_sensing_kind pki_sense_motor_temperature = {.name = "motor-temperature",
                                                     .doc = "temperature of a motor's winding",
                                                     .place = PK_SENSING_ON_JOINT,
                                                     .values = 1,
                                                     .unit = "degC",
                                                     .linear = 1,
                                                     .motor = true,
                                                     .read = read_temperature};
