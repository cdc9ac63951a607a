/* A warning about tracked joints in steps that are longer than their scheme is made for. */
#include "control/registry.h"
#include "scenario/section.h"

/* s: in shorter steps the arcs of legs are as good as straight. */
static const double short_step = 5e-3;

void pki_world_check_tracking(const pki_world *world, pki_problems *warnings)
{
  const pki_scenario *s = world->scenario;
  const pk_model *m = world->model;
  bool stands = false;
  for (int i = 0; i < m->nrobot; i++) {
    stands |= m->robots[i].root == PK_ROOT_FREE;
  }
  const bool tracks =
      s->controller != NULL && s->controller->tracks != NULL && s->controller->tracks(s->controller_options);
  if (tracks && s->step.implicit == PK_IMPLICIT_FORCES_NONE) {
    pki_problem(warnings, s->controller_node,
                "targets of the step need forces at its end: set \"implicit: all\" in \"step\"");
  }
  if (stands && tracks && s->step.dt > short_step && s->step.relinearise == 0) {
    pki_problem(
        warnings, s->controller_node,
        "steps are %g s long and their contact rows do not follow the motion, so that feet leave their "
        "places: set \"stepper: euler, relinearise: 4, landing_friction: false\" in \"step\"",
        s->step.dt);
  }
}
