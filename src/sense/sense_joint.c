/* Joints: encoders, tachometers, torque sensors. */
#include "sense/sensing.h"

static void read_encoder(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  (void)memory;
  values[0] = in->q[in->model->dof_q[s->dof]];
  values[1] = in->u[s->dof];
}

/* A drive knows speeds from what it counted, in the time between its samples. */
void pki_difference_samples(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  const double steps = (double)in->step - memory[PKI_ENCODER_STEP];
  if (s->velocity == PK_ENCODER_VELOCITY_DIFFERENCED && !in->anew && steps > 0) {
    values[1] = (values[0] - memory[PKI_ENCODER_POSITION]) / (steps * in->dt);
  }
  memory[PKI_ENCODER_POSITION] = values[0];
  memory[PKI_ENCODER_STEP] = (double)in->step;
}

static void read_tachometer(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  (void)memory;
  values[0] = in->u[s->dof];
}

static void read_torque(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  (void)memory;
  values[0] = in->tau[s->dof];
}

static const char *const encoder_columns[] = {"q", "u"};
static const char *const encoder_units[] = {"rad", "rad/s"};

const pk_sensing_kind pki_sense_encoder = {
    .name = "encoder",
    .doc = "coordinate of a joint, and its velocity from differences of samples",
    .place = PK_SENSING_ON_JOINT,
    .values = 2,
    .columns = encoder_columns,
    .units = encoder_units,
    .linear = 1,
    .memory = PKI_ENCODER_MEMORY,
    .read = read_encoder,
    .finish = pki_difference_samples};

const pk_sensing_kind pki_sense_tachometer = {.name = "tachometer",
                                              .doc = "velocity of a joint",
                                              .place = PK_SENSING_ON_JOINT,
                                              .values = 1,
                                              .unit = "rad/s",
                                              .linear = 1,
                                              .read = read_tachometer};

const pk_sensing_kind pki_sense_torque = {.name = "torque",
                                          .doc = "force that drives a joint: that of commands or actuators",
                                          .place = PK_SENSING_ON_JOINT,
                                          .values = 1,
                                          .unit = "N m",
                                          .linear = 1,
                                          .read = read_torque};
