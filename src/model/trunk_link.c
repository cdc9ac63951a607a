#include "model/trunk_link.h"

/* The first link on the robot's fixed root that floats; -1: there is none. Cut joints let bodies float, too: the uncut
 * model tells what does by its description. Links have the same numbers in both. */
static int find_floating(const pk_model *model, int robot)
{
  const pk_model *m = model->tree != NULL ? model->tree : model;
  const pk_model_robot *r = &m->robots[robot];
  for (int i = r->body; i < r->body + r->nbody && r->root == PK_ROOT_FIXED; i++) {
    if (m->body_parent[i] < 0 && m->body_motion[i] == PK_MOTION_FLOATING && m->body_link[i] >= 0) {
      return m->body_link[i];
    }
  }
  return -1;
}

int pki_model_trunk(const pk_model *model, int robot)
{
  const int floating = find_floating(model, robot);
  return floating >= 0 ? floating : model->robots[robot].root_link;
}

bool pki_model_trunk_is_fixed(const pk_model *model, int robot)
{
  return model->robots[robot].root == PK_ROOT_FIXED && find_floating(model, robot) < 0;
}
