/* A pk_model as a DART skeleton. */
#ifndef BENCH_DART_MODEL_H
#define BENCH_DART_MODEL_H

#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <string>
#include <vector>

#include "rigid.h"

namespace skeleton {

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Bodies = std::vector<dart::dynamics::BodyNode *>;

template <class Kind>
void add(const pk_model *model, const dart::dynamics::SkeletonPtr &to, Bodies &bodies, int i,
         typename Kind::Properties joint)
{
  const int parent = model->body_parent[i];
  joint.mName = "j" + std::to_string(i);
  joint.mT_ParentBodyToJoint.linear() = Eigen::Map<const Matrix3>(model->body_rot + 9 * i);
  joint.mT_ParentBodyToJoint.translation() = Eigen::Map<const Eigen::Vector3d>(model->body_pos + 3 * i);

  const rigid::Central c = rigid::central_of(model->body_inertia + 10 * i);
  dart::dynamics::BodyNode::Properties body;
  body.mName = "b" + std::to_string(i);
  Eigen::Matrix3d moment;
  moment << c.inertia[0], c.inertia[1], c.inertia[2], c.inertia[1], c.inertia[3], c.inertia[4], c.inertia[2],
      c.inertia[4], c.inertia[5];
  body.mInertia = dart::dynamics::Inertia(c.mass, Eigen::Vector3d(c.com[0], c.com[1], c.com[2]), moment);
  dart::dynamics::BodyNode *above = parent < 0 ? nullptr : bodies[static_cast<size_t>(parent)];
  bodies.push_back(to->createJointAndBodyNodePair<Kind>(above, joint, body).second);
}

/* Body i of the model; its parent is there already. */
inline void add_body(const pk_model *model, const dart::dynamics::SkeletonPtr &to, Bodies &bodies, int i)
{
  using namespace dart::dynamics;
  const Eigen::Vector3d axis = Eigen::Vector3d::Unit(model->body_axis[i]);
  switch (model->body_motion[i]) {
  case PK_MOTION_REVOLUTE: {
    RevoluteJoint::Properties joint;
    joint.mAxis = axis;
    add<RevoluteJoint>(model, to, bodies, i, joint);
    break;
  }
  case PK_MOTION_PRISMATIC: {
    PrismaticJoint::Properties joint;
    joint.mAxis = axis;
    add<PrismaticJoint>(model, to, bodies, i, joint);
    break;
  }
  case PK_MOTION_SPHERICAL: add<BallJoint>(model, to, bodies, i, BallJoint::Properties()); break;
  default: add<FreeJoint>(model, to, bodies, i, FreeJoint::Properties());
  }
}

} /* namespace skeleton */

#endif
