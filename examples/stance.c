/* StarLETH stands on four feet: joint angles by inverse kinematics, torques that carry its weight, and the motion that
 * follows from them while the feet stay in place.
 *
 *   stance models/starleth/starleth.urdf
 */
#include <stdio.h>
#include <string.h>

#include <pronk/pronk.h>

enum { NU = 18, NQ = 19 };

static const char *const feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};

static int give_up(const pk_error *err)
{
  fprintf(stderr, "%s: %s\n", err->field, err->message);
  return 2;
}

/* Torques that put a quarter of the weight on each foot: tau = h - J' f in the rows of the hinges; nothing pushes the trunk. */
static bool carry(const pk_model *model, const pk_leg *legs, const double *q, double *tau)
{
  const double rest[NU] = {0};
  double J[6 * NU];
  pk_workspace *work;
  if (pk_workspace_create(model, &work, NULL) != PK_OK) {
    return false;
  }
  pk_inverse_dynamics(work, q, rest, NULL, tau);
  for (int i = 0; i < 4; i++) {
    pk_link_jacobian(work, legs[i].link, legs[i].point, J);
    for (int k = 6; k < NU; k++) {
      tau[k] -= J[5 * NU + k] * model->mass * 9.81 / 4;
    }
  }
  memset(tau, 0, 6 * sizeof *tau);
  pk_workspace_destroy(work);
  return true;
}

/* Each foot 0.4 m below its hip, the knees inwards. */
static pk_status place_feet(const pk_model *model, pk_leg *legs, double *q, pk_error *err)
{
  pk_status status = PK_OK;
  memcpy(q, model->q0, NQ * sizeof *q);
  for (int i = 0; i < 4 && status == PK_OK; i++) {
    const double fore = i < 2 ? 1 : -1;
    double angles[PK_LEG_HINGES] = {0, 0.6 * fore, -1.2 * fore}; /* the way to bend */
    pk_pose foot = pk_pose_identity();
    status = pk_leg_init(&legs[i], model, PK_LEG_POINT, pk_model_find_link(model, feet[i]), NULL, err);
    if (status == PK_OK) {
      memcpy(foot.pos, legs[i].at[0], sizeof foot.pos);
      foot.pos[2] -= 0.4;
      status = pk_leg_solve(&legs[i], &foot, PK_LEG_NEAREST, angles, err);
    }
    if (status == PK_OK) {
      pk_leg_set(&legs[i], angles, q);
      printf("%s: angles %.4f %.4f %.4f\n", feet[i], angles[0], angles[1], angles[2]);
    }
  }
  return status;
}

/* With the feet held, what moves is the trunk: 6 states instead of 18. */
static pk_status move(pk_reduced *reduced, const double *q, const double *tau, pk_error *err)
{
  const double u[NU] = {0};
  double q1[NQ], u1[NU], a1[NU], force[4][6];
  pk_status status = pk_reduced_stand(reduced, 0xf, NULL, q, err);
  if (status == PK_OK) {
    pk_reduced_take(reduced, q, u, q1, u1);
    status = pk_reduced_forward(reduced, q1, u1, tau, a1, NULL, force[0], err);
  }
  if (status != PK_OK) {
    return status;
  }
  printf("%d velocities; the trunk accelerates by %.4f %.4f %.4f m/s^2\n", pk_reduced_nu(reduced), a1[0],
         a1[1], a1[2]);
  for (int i = 0; i < 4; i++) {
    printf("%s: force %.3f %.3f %.3f N\n", feet[i], force[i][3], force[i][4], force[i][5]);
  }
  return PK_OK;
}

static int stand(const pk_model *model)
{
  double q[NQ], tau[NU];
  pk_leg legs[4];
  pk_reduced *reduced = NULL;
  pk_error err;
  if (model->nu != NU) {
    fprintf(stderr, "this robot has %d velocities, not %d\n", model->nu, NU);
    return 2;
  }
  if (place_feet(model, legs, q, &err) != PK_OK) {
    return give_up(&err);
  }
  if (!carry(model, legs, q, tau)) {
    fprintf(stderr, "out of memory\n");
    return 2;
  }
  pk_status status = pk_reduced_create(model, 4, legs, &reduced, &err);
  status = status == PK_OK ? move(reduced, q, tau, &err) : status;
  pk_reduced_destroy(reduced);
  return status == PK_OK ? 0 : give_up(&err);
}

int main(int argc, char **argv)
{
  pk_error err;
  pk_model *model = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: stance models/starleth/starleth.urdf\n");
    return 2;
  }
  if (pk_model_load_urdf(argv[1], NULL, &model, &err) != PK_OK) {
    return give_up(&err);
  }
  const int code = stand(model);
  pk_model_destroy(model);
  return code;
}
