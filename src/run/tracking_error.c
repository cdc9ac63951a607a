#include "run/tracking_error.h"

#include <math.h>

/* A coordinate of its own, and a command that names a place for it. */
static bool has_reference(const pk_model *model, const pk_command *commands, int k)
{
  return model->dof_q[k] >= 0 && (commands[k].kp > 0 || commands[k].correction > 0 || commands[k].q_des != 0);
}

void pki_tracking_error_add(const pk_model *model, const pk_command *commands, const double *q_start,
                            const double *q_end, pki_tracking_error *error)
{
  for (int k = 0; k < model->nu; k++) {
    if (has_reference(model, commands, k)) {
      const double *const q = commands[k].correction > 0 ? q_end : q_start;
      const double e = fabs(commands[k].q_des - q[model->dof_q[k]]);
      error->sum += e;
      error->squares += e * e;
      error->most = e > error->most ? e : error->most;
      error->count++;
    }
  }
}

double pki_tracking_error_mean(const pki_tracking_error *error)
{
  return error->count > 0 ? error->sum / (double)error->count : NAN;
}

double pki_tracking_error_rms(const pki_tracking_error *error)
{
  return error->count > 0 ? sqrt(error->squares / (double)error->count) : NAN;
}

double pki_tracking_error_most(const pki_tracking_error *error)
{
  return error->count > 0 ? error->most : NAN;
}
