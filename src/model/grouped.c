#include "model/grouped.h"

#include <string.h>

#include "model/inertia.h"

/* Where I_ij stands among the ten numbers. */
static int moment_index(int i, int j)
{
  static const int at[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
  return at[i][j];
}

/* J is chosen such that rho_k^2 sums up to nothing in what is left. */
static void give_to_parent(const pk_model *m, int i, double *inertia)
{
  const int motion = m->body_motion[i], p = m->body_parent[i], k = m->body_axis[i];
  double *const own = inertia + 10 * (size_t)i, given[10] = {0};
  pk_pose pose;
  memcpy(pose.pos, m->body_pos + 3 * (size_t)i, sizeof pose.pos);
  memcpy(pose.rot, m->body_rot + 9 * (size_t)i, sizeof pose.rot);
  if (motion == PK_MOTION_REVOLUTE) {
    const int a = moment_index((k + 1) % 3, (k + 1) % 3), b = moment_index((k + 2) % 3, (k + 2) % 3);
    given[0] = own[0];
    given[1 + k] = own[1 + k];
    given[a] = given[b] = 0.5 * (own[a] + own[b] - own[moment_index(k, k)]);
    own[0] = own[1 + k] = 0;
    own[a] -= given[a], own[b] -= given[b];
  } else if (motion == PK_MOTION_PRISMATIC) {
    memcpy(given + 4, own + 4, 6 * sizeof *given);
    memset(own + 4, 0, 6 * sizeof *given);
  }
  const pk_inertia central = pki_inertia_central(given);
  if (p >= 0 && motion <= PK_MOTION_PRISMATIC) {
    pki_inertia_add(inertia + 10 * (size_t)p, &central, &pose);
  }
}

void pki_group_inertias(const pk_model *m, const double *inertia, double *grouped)
{
  memcpy(grouped, inertia, 10 * (size_t)m->nbody * sizeof *grouped);
  for (int i = m->nbody - 1; i >= 0; i--) {
    give_to_parent(m, i, grouped);
  }
}
