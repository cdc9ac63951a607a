/* Six-axis force/torque sensor in the joint of a link: what holds the link and all that hangs on it.
 *
 *   F = sum (m (dv - g)) - sum of forces from outside,    tau likewise about the sensor's place
 *
 * over what hangs on it, itself included, with accelerations du/dt = (u_E - u_S) / dt. Forces from outside are contacts, pushes and
 * constraints that close loops; mass that a world adds counts, too (sense/loads.h). */
#include "math/mat3.h"
#include "sense/loads.h"
#include "sense/sensing.h"

static void read_wrench(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  const pk_pose pose = pki_sensor_pose(s, in);
  double sum[6];
  (void)memory;
  pki_held_wrench(in->workspace, in->contacts, in->ncontact, in->dt, s->link, pose.pos, sum);
  pki_mat3_apply_transposed(pose.rot, sum + 3, values);
  pki_mat3_apply_transposed(pose.rot, sum, values + 3);
}

static const char *const columns[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
static const char *const units[] = {"N", "N", "N", "N m", "N m", "N m"};

const pk_sensing_kind pki_sense_force_torque = {
    .name = "force-torque",
    .doc = "force and torque by which a link is held, at a place on it, its own axes",
    .values = 6,
    .columns = columns,
    .units = units,
    .linear = 3,
    .angular = 3,
    .dynamics = true,
    .read = read_wrench};
