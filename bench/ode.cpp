/* The Open Dynamics Engine as a peer: the pendulums of the study `pendulum`, in absolute
 * coordinates with hinge constraints, by ODE's own integrator (contact: ode_contact.cpp). */
#include <ode/ode.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <new>

extern "C" {
#include "measure/peer.h"
#include "study/pendulum/pendulum_peer.h"
}
#include "ode_contact.h"

namespace {

struct World {
  dWorldID world = nullptr;
  int count = 0;
  dBodyID body[PKI_PENDULUM_MAX] = {};
  pki_pendulum_body chain[PKI_PENDULUM_MAX] = {};
  dReal dt = 0;

  World() = default;
  World(const World &) = delete;
  World &operator=(const World &) = delete;
  ~World()
  {
    if (world != nullptr) {
      dWorldDestroy(world); /* bodies and joints with it */
    }
  }
};

/* ODE is set up once and stays until the process ends, like the plugin. */
bool start_ode()
{
  static const bool started = dInitODE2(0) != 0;
  return started;
}

void *create(const pki_pendulum_body *bodies, int count, double dt)
{
  if (count < 1 || count > PKI_PENDULUM_MAX || !start_ode()) {
    return nullptr;
  }
  std::unique_ptr<World> w(new (std::nothrow) World);
  if (!w) {
    return nullptr;
  }
  w->world = dWorldCreate();
  w->count = count;
  w->dt = dt;
  dWorldSetGravity(w->world, 0, 0, -1);
  /* The values of Zobova et al. 2016, which are ODE's defaults in double precision. */
  dWorldSetERP(w->world, 0.2);
  dWorldSetCFM(w->world, 1e-10);

  /* The axis of the next body and its velocity, in the plane of motion. */
  dReal x = 0, z = 0, vx = 0, vz = 0;
  for (int i = 0; i < count; i++) {
    const pki_pendulum_body &b = bodies[i];
    w->chain[i] = b;
    /* A body at angle a points along (sin a, -cos a); it turns there about -y. */
    const dReal s = std::sin(b.angle), c = std::cos(b.angle);
    const dBodyID body = w->body[i] = dBodyCreate(w->world);
    dMass mass;
    dMassSetParameters(&mass, b.mass, 0, 0, 0, b.moment, b.moment, b.moment, 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x + b.com * s, 0, z - b.com * c);
    dMatrix3 R;
    dRFromAxisAndAngle(R, 0, -1, 0, b.angle);
    dBodySetRotation(body, R);
    dBodySetLinearVel(body, vx + b.rate * b.com * c, 0, vz + b.rate * b.com * s);
    dBodySetAngularVel(body, 0, -b.rate, 0);

    const dJointID hinge = dJointCreateHinge(w->world, nullptr);
    dJointAttach(hinge, body, i > 0 ? w->body[i - 1] : nullptr);
    dJointSetHingeAnchor(hinge, x, 0, z);
    dJointSetHingeAxis(hinge, 0, 1, 0);

    x += b.length * s;
    z -= b.length * c;
    vx += b.rate * b.length * c;
    vz += b.rate * b.length * s;
  }
  return w.release();
}

void destroy(void *world)
{
  delete static_cast<World *>(world);
}

void step(void *world, long steps)
{
  const World *w = static_cast<World *>(world);
  for (long i = 0; i < steps; i++) {
    dWorldStep(w->world, w->dt);
  }
}

void read(const void *world, pki_pendulum_sample *out)
{
  const World *w = static_cast<const World *>(world);
  std::memset(out, 0, sizeof *out);
  double axis_x = 0, axis_z = 0; /* where the previous body holds the axis of this one */
  for (int i = 0; i < w->count; i++) {
    const pki_pendulum_body &b = w->chain[i];
    const dReal *p = dBodyGetPosition(w->body[i]), *v = dBodyGetLinearVel(w->body[i]);
    const dReal *rate = dBodyGetAngularVel(w->body[i]), *R = dBodyGetRotation(w->body[i]);
    out->energy += 0.5 * b.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                   0.5 * b.moment * (rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2]) +
                   b.mass * p[2];
    const double distance = std::hypot(p[0] - axis_x, p[2] - axis_z);
    out->violation = std::fmax(out->violation, std::fabs(distance - b.com) / b.com);
    /* Rows of R are padded to four; its third column is the body's upward axis. */
    const double s = -R[2], c = R[10];
    out->angle[i] = std::atan2(s, c);
    out->height[i] = p[2];
    axis_x = p[0] + (b.length - b.com) * s;
    axis_z = p[2] - (b.length - b.com) * c;
  }
}

const pki_pendulum_peer pendulum = {
    "dWorldStep, ERP 0.2, CFM 1e-10, double precision", 7, 6, create, destroy, step, read,
};

const void *get_interface(const char *name)
{
  if (std::strcmp(name, PKI_CONTACT_INTERFACE) == 0) {
    return ode_contact();
  }
  return std::strcmp(name, PKI_PENDULUM_INTERFACE) == 0 ? &pendulum : nullptr;
}

/* ODE cannot be asked for its version; the build knows it. */
#ifdef PK_ODE_VERSION
const char version[] = PK_ODE_VERSION;
#else
const char version[] = "";
#endif

} /* namespace */

extern "C" __attribute__((visibility("default"))) const pk_peer *pk_peer_get(void)
{
  static const pk_peer peer = {"ode", version, "absolute coordinates, constraints stabilised by ERP",
                               get_interface};
  /* A library of another precision than these headers cannot be called. */
  return dCheckConfiguration("ODE_double_precision") != 0 ? &peer : nullptr;
}
