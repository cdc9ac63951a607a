#include "actuation/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/hinge.h"

rig rig_make(const char *kind, const void *parameters, double damping, pk_stepper stepper, double dt)
{
  rig r = {0};
  pk_error err = {0};
  pk_joint_desc joint = hinge_joint();
  joint.damping = damping;
  r.model = hinge_model(&joint);
  const pk_actuator one = {.dof = 0, .kind = pk_actuator_kind_find(kind), .parameters = parameters};
  if (pk_actuation_create(r.model, &one, 1, NULL, &r.actuation, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt, o.stepper = stepper, o.actuation = r.actuation;
  if (pk_sim_create(r.model, &o, &r.sim, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return r;
}

void rig_free(rig *r)
{
  pk_sim_destroy(r->sim);
  pk_actuation_destroy(r->actuation);
  pk_model_destroy(r->model);
}

pk_step_info rig_run(rig *r, int steps)
{
  pk_step_info info = {0};
  for (int i = 0; i < steps; i++) {
    if (pk_sim_step(r->sim, &info) != PK_OK) {
      fail_msg("step %d failed: %s", i, info.term);
    }
  }
  return info;
}
