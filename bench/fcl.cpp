/* FCL as a peer: signed distances by its libccd solver, and its broad phases. */
#include <fcl/broadphase/broadphase_SSaP.h>
#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/config.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision_object.h>
#include <fcl/narrowphase/distance.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

extern "C" {
#include "bench/collision_peer.h"
#include "measure/peer.h"
}

namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

Geometry make_shape(const pki_collision_shape *s)
{
  const double *size = s->size;
  switch (s->kind) {
  case PK_SHAPE_SPHERE: return Geometry(new fcl::Sphered(size[0]));
  case PK_SHAPE_CAPSULE: return Geometry(new fcl::Capsuled(size[0], size[1]));
  case PK_SHAPE_BOX: return Geometry(new fcl::Boxd(size[0], size[1], size[2]));
  case PK_SHAPE_CYLINDER: return Geometry(new fcl::Cylinderd(size[0], size[1]));
  case PK_SHAPE_CONE: return Geometry(new fcl::Coned(size[0], size[1]));
  case PK_SHAPE_ELLIPSOID: return Geometry(new fcl::Ellipsoidd(size[0], size[1], size[2]));
  case PK_SHAPE_MESH: {
    auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    for (int i = 0; i < s->mesh->nvertex; i++) {
      const double *v = s->mesh->vertex + 3 * i;
      points.emplace_back(v[0], v[1], v[2]);
    }
    for (int i = 0; i < s->mesh->ntriangle; i++) {
      const int *t = s->mesh->triangle + 3 * i;
      triangles.emplace_back(t[0], t[1], t[2]);
    }
    model->beginModel(s->mesh->ntriangle, s->mesh->nvertex);
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
  }
  default: return nullptr;
  }
}

fcl::Transform3d transform(const pk_pose *pose)
{
  fcl::Transform3d out = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out.linear()(i, j) = pose->rot[3 * i + j];
    }
    out.translation()(i) = pose->pos[i];
  }
  return out;
}

struct Pair {
  Geometry a, b;
  std::vector<fcl::Transform3d, Eigen::aligned_allocator<fcl::Transform3d>> poses;
  fcl::DistanceRequestd request;
};

void *pair_create(const pki_collision_shape *a, const pki_collision_shape *b, int slots, char *message,
                  size_t size)
{
  std::unique_ptr<Pair> p(new Pair);
  p->a = make_shape(a);
  p->b = make_shape(b);
  if (!p->a || !p->b) {
    snprintf(message, size, "it has no such shape");
    return nullptr;
  }
  const bool meshes = a->kind == PK_SHAPE_MESH || b->kind == PK_SHAPE_MESH;
  p->poses.resize(2 * static_cast<size_t>(slots));
  p->request.enable_nearest_points = true;
  p->request.enable_signed_distance = !meshes; /* depths of meshes it does not know */
  p->request.gjk_solver_type = fcl::GST_LIBCCD;
  p->request.distance_tolerance = 1e-6;
  return p.release();
}

void pair_destroy(void *pair)
{
  delete static_cast<Pair *>(pair);
}

void pair_store(void *pair, int slot, const pk_pose *a, const pk_pose *b)
{
  auto *p = static_cast<Pair *>(pair);
  p->poses[2 * static_cast<size_t>(slot)] = transform(a);
  p->poses[2 * static_cast<size_t>(slot) + 1] = transform(b);
}

double pair_distance(void *pair, int slot)
{
  auto *p = static_cast<Pair *>(pair);
  fcl::DistanceResultd result;
  try {
    fcl::distance(p->a.get(), p->poses[2 * static_cast<size_t>(slot)], p->b.get(),
                  p->poses[2 * static_cast<size_t>(slot) + 1], p->request, result);
  } catch (const std::exception &) {
    return NAN; /* its polytope became degenerate */
  }
  return !p->request.enable_signed_distance && result.min_distance <= 0 ? NAN : result.min_distance;
}

/* ---- broad phases: boxes as geometries at poses without rotation ---- */

struct Broad {
  std::unique_ptr<fcl::BroadPhaseCollisionManagerd> way;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
  std::vector<std::pair<int, int>> pairs;
};

const char *const broads[] = {"DynamicAABBTreeCollisionManager", "SaPCollisionManager",
                              "SSaPCollisionManager"};

bool note_pair(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data)
{
  static_cast<Broad *>(data)->pairs.emplace_back(
      static_cast<int>(reinterpret_cast<intptr_t>(a->getUserData())),
      static_cast<int>(reinterpret_cast<intptr_t>(b->getUserData())));
  return false;
}

void place(fcl::CollisionObjectd *object, const double box[6])
{
  object->setTranslation(fcl::Vector3d((box[0] + box[3]) / 2, (box[1] + box[4]) / 2, (box[2] + box[5]) / 2));
  object->computeAABB();
}

void *broad_create(int which, int n, const double (*boxes)[6])
{
  auto *b = new Broad;
  if (which == 0) {
    b->way.reset(new fcl::DynamicAABBTreeCollisionManagerd);
  } else if (which == 1) {
    b->way.reset(new fcl::SaPCollisionManagerd);
  } else {
    b->way.reset(new fcl::SSaPCollisionManagerd);
  }
  std::vector<fcl::CollisionObjectd *> all;
  for (int i = 0; i < n; i++) {
    const double *box = boxes[i];
    Geometry g(new fcl::Boxd(box[3] - box[0], box[4] - box[1], box[5] - box[2]));
    b->objects.emplace_back(new fcl::CollisionObjectd(g));
    b->objects.back()->setUserData(reinterpret_cast<void *>(static_cast<intptr_t>(i)));
    place(b->objects.back().get(), box);
    all.push_back(b->objects.back().get());
  }
  b->way->registerObjects(all);
  b->way->setup();
  return b;
}

void broad_destroy(void *broad)
{
  delete static_cast<Broad *>(broad);
}

void broad_update(void *broad, const double (*boxes)[6])
{
  auto *b = static_cast<Broad *>(broad);
  for (size_t i = 0; i < b->objects.size(); i++) {
    place(b->objects[i].get(), boxes[i]);
  }
  b->pairs.clear();
  b->way->update();
  b->way->collide(b, note_pair);
}

int broad_pairs(void *broad, int (*out)[2], int most)
{
  const auto *b = static_cast<const Broad *>(broad);
  for (size_t i = 0; i < b->pairs.size() && i < static_cast<size_t>(most); i++) {
    out[i][0] = b->pairs[i].first, out[i][1] = b->pairs[i].second;
  }
  return static_cast<int>(b->pairs.size());
}

const pki_collision_peer collision = {
    "fcl::distance, libccd", pair_create,  pair_destroy, pair_store, pair_distance, broads, 3, broad_create,
    broad_destroy,           broad_update, broad_pairs};

const void *interface(const char *name)
{
  return strcmp(name, PKI_COLLISION_INTERFACE) == 0 ? &collision : nullptr;
}

const pk_peer fcl_peer = {"fcl", FCL_VERSION, "", interface};

} // namespace

extern "C" __attribute__((visibility("default"))) const pk_peer *pk_peer_get(void)
{
  return &fcl_peer;
}
