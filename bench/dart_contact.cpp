/* DART with contact: its default constraint solver (a boxed LCP by Dantzig's method, projected
 * Gauss-Seidel when that fails) and its own collision detector, the ground a large box, which that
 * detector has for balls. The gains are the joints' springs and dampers, which DART takes implicitly.
 * Contacts are found at the start of the step. */
#include "dart_contact.h"

#include <dart/collision/CollisionObject.hpp>
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include <cstdio>
#include <cstring>
#include <memory>

#include "dart_model.h"

using namespace dart::dynamics;

namespace {

const pki_contact_config configs[] = {{"boxed LCP (dantzig)", "implicit", 0}};

struct Robot {
  const pki_contact_scene *scene = nullptr;
  dart::simulation::WorldPtr world;
  SkeletonPtr skeleton;
  skeleton::Bodies bodies;
  const ShapeFrame *feet[PKI_FEET] = {};
};

ShapeNode *add_shape(BodyNode *body, const ShapePtr &shape, double mu)
{
  ShapeNode *node = body->createShapeNodeWith<CollisionAspect, DynamicsAspect>(shape);
  node->getDynamicsAspect()->setFrictionCoeff(mu);
  node->getDynamicsAspect()->setRestitutionCoeff(0.0);
  return node;
}

void add_ground(Robot &r)
{
  const double size = 200.0;
  SkeletonPtr ground = Skeleton::create("ground");
  BodyNode *body = ground->createJointAndBodyNodePair<WeldJoint>().second;
  ShapeNode *node =
      add_shape(body, std::make_shared<BoxShape>(Eigen::Vector3d(size, size, 1.0)), r.scene->mu);
  node->setRelativeTranslation(Eigen::Vector3d(0.0, 0.0, -0.5));
  ground->setMobile(false);
  r.world->addSkeleton(ground);
}

void set_state(Robot &r)
{
  const pki_contact_scene *s = r.scene;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(s->model->nu);
  Eigen::Isometry3d base = Eigen::Isometry3d::Identity();
  base.linear() = Eigen::Quaterniond(s->q[3], s->q[4], s->q[5], s->q[6]).toRotationMatrix();
  base.translation() = Eigen::Map<const Eigen::Vector3d>(s->q);
  q.head<6>() = FreeJoint::convertToPositions(base);
  for (int i = 1; i < s->model->nbody; i++) {
    Joint *joint = r.bodies[static_cast<size_t>(i)]->getParentJoint();
    q[static_cast<Eigen::Index>(joint->getIndexInSkeleton(0))] = s->q[s->model->body_q[i]];
    joint->setSpringStiffness(0, s->kp);
    joint->setDampingCoefficient(0, s->kd);
  }
  r.skeleton->setPositions(q);
}

void *create(const pki_contact_scene *s, int, char *message, size_t size)
{
  if (s->nfoot != PKI_FEET || s->whole) {
    snprintf(message, size, "one robot on its feet at a time");
    return nullptr;
  }
  auto r = std::make_unique<Robot>();
  r->scene = s;
  r->world = dart::simulation::World::create();
  r->world->setTimeStep(s->dt);
  r->world->setGravity(Eigen::Map<const Eigen::Vector3d>(s->model->gravity));
  r->world->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
  r->skeleton = Skeleton::create("robot");
  r->skeleton->disableSelfCollisionCheck();
  for (int i = 0; i < s->model->nbody; i++) {
    skeleton::add_body(s->model, r->skeleton, r->bodies, i);
  }
  if (r->skeleton->getNumDofs() != static_cast<size_t>(s->model->nu)) {
    snprintf(message, size, "the translated model has other coordinates");
    return nullptr;
  }
  for (int f = 0; f < PKI_FEET; f++) {
    const pki_contact_foot &foot = s->feet[f];
    ShapeNode *node = add_shape(r->bodies[static_cast<size_t>(foot.body)],
                                std::make_shared<SphereShape>(foot.radius), s->mu);
    node->setRelativeTranslation(Eigen::Map<const Eigen::Vector3d>(foot.centre));
    r->feet[f] = node;
  }
  set_state(*r);
  add_ground(*r);
  r->world->addSkeleton(r->skeleton);
  return r.release();
}

void destroy(void *world)
{
  delete static_cast<Robot *>(world);
}

bool step(void *world, const double *q_des)
{
  Robot &r = *static_cast<Robot *>(world);
  for (int i = 1; i < r.scene->model->nbody; i++) {
    r.bodies[static_cast<size_t>(i)]->getParentJoint()->setRestPosition(0, q_des[r.scene->model->body_u[i]]);
  }
  r.world->step();
  return true;
}

void read(void *world, pki_contact_sample *out)
{
  const Robot &r = *static_cast<Robot *>(world);
  const pk_model *model = r.scene->model;
  const BodyNode *base = r.bodies[0];
  const Eigen::Isometry3d pose = base->getWorldTransform();
  const Eigen::Quaterniond turn(pose.linear());
  const double quat[4] = {turn.w(), turn.x(), turn.y(), turn.z()};
  const Eigen::Vector3d v = base->getLinearVelocity(), spin = base->getAngularVelocity(Frame::World(), base);
  for (int i = 0; i < 3; i++) {
    out->q[i] = pose.translation()[i];
    out->u[i] = v[i];
    out->u[3 + i] = spin[i];
  }
  memcpy(out->q + 3, quat, sizeof quat);
  for (int i = 1; i < model->nbody; i++) {
    const Joint *joint = r.bodies[static_cast<size_t>(i)]->getParentJoint();
    out->q[model->body_q[i]] = joint->getPosition(0);
    out->u[model->body_u[i]] = joint->getVelocity(0);
  }
  out->has_feet = false;
  memset(out->force, 0, sizeof out->force);
  for (const dart::collision::Contact &c : r.world->getLastCollisionResult().getContacts()) {
    for (int f = 0; f < PKI_FEET; f++) {
      /* The force acts on the first object. */
      const double sign = c.collisionObject1->getShapeFrame() == r.feet[f]   ? 1.0
                          : c.collisionObject2->getShapeFrame() == r.feet[f] ? -1.0
                                                                             : 0.0;
      for (int i = 0; i < 3 && sign != 0.0; i++) {
        out->force[f][i] += sign * c.force[i];
      }
    }
  }
}

} /* namespace */

const pki_contact_peer *dart_contact()
{
  static const pki_contact_peer table = {configs, sizeof configs / sizeof configs[0],
                                         create,  destroy,
                                         step,    read,
                                         nullptr, nullptr,
                                         nullptr, nullptr,
                                         nullptr};
  return &table;
}
