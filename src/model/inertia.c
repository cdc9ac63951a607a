#include "model/inertia.h"

#include "math/mat3.h"

/* Files print few digits: moments may break the rules of solid bodies by this much of the
 * largest one. */
static const double MOMENT_TOLERANCE = 1e-3;

static const int row[6] = {0, 0, 0, 1, 1, 2}, col[6] = {0, 1, 2, 1, 2, 2};

void pki_inertia_add(double body[10], const pk_inertia *inertia, const pk_pose *pose)
{
  double c[3], I[6];
  pki_mat3_apply(pose->rot, inertia->com, c);
  for (int i = 0; i < 3; i++) {
    c[i] += pose->pos[i];
  }
  pki_sym3_rotate(pose->rot, inertia->moment, I);
  const double m = inertia->mass;
  const double cc = pki_dot3(c, c);
  body[0] += m;
  for (int i = 0; i < 3; i++) {
    body[1 + i] += m * c[i];
  }
  /* parallel axes: I_o = I_c + m (c'c 1 - c c') */
  for (int e = 0; e < 6; e++) {
    const double diagonal = row[e] == col[e] ? cc : 0;
    body[4 + e] += I[e] + m * (diagonal - c[row[e]] * c[col[e]]);
  }
}

pk_inertia pki_inertia_central(const double body[10])
{
  pk_inertia out = {.mass = body[0]};
  for (int i = 0; i < 3; i++) {
    out.com[i] = body[0] != 0 ? body[1 + i] / body[0] : 0;
  }
  const double *c = out.com, cc = pki_dot3(c, c);
  for (int e = 0; e < 6; e++) {
    const double diagonal = row[e] == col[e] ? cc : 0;
    out.moment[e] = body[4 + e] - body[0] * (diagonal - c[row[e]] * c[col[e]]);
  }
  return out;
}

pki_moments pki_check_moments(const double moment[6], double lambda[3])
{
  pki_sym3_eigenvalues(moment, lambda);
  const double slack = MOMENT_TOLERANCE * fmax(fabs(lambda[0]), fabs(lambda[2]));
  return lambda[0] < -slack                          ? PKI_MOMENTS_NEGATIVE
         : lambda[0] + lambda[1] < lambda[2] - slack ? PKI_MOMENTS_UNEQUAL
                                                     : PKI_MOMENTS_SOUND;
}
