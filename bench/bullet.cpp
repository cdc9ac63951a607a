/* Bullet as a peer: GJK and EPA of pairs of shapes (btGjkEpaSolver2), and its two broad phases. Built in double
 * precision; shapes have no margin. */
#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>

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

std::unique_ptr<btConvexShape> make_shape(const pki_collision_shape *s)
{
  const double *size = s->size;
  std::unique_ptr<btConvexShape> shape;
  switch (s->kind) {
  case PK_SHAPE_SPHERE: shape.reset(new btSphereShape(size[0])); return shape; /* its margin is its radius */
  case PK_SHAPE_CAPSULE: shape.reset(new btCapsuleShapeZ(size[0], size[1])); return shape; /* likewise */
  case PK_SHAPE_BOX: shape.reset(new btBoxShape(btVector3(size[0], size[1], size[2]) / 2)); break;
  case PK_SHAPE_CYLINDER: shape.reset(new btCylinderShapeZ(btVector3(size[0], size[0], size[1] / 2))); break;
  case PK_SHAPE_CONE: shape.reset(new btConeShapeZ(size[0], size[1])); break;
  case PK_SHAPE_CONVEX: {
    auto *hull = new btConvexHullShape;
    for (int i = 0; i < s->mesh->nvertex; i++) {
      const double *v = s->mesh->vertex + 3 * i;
      hull->addPoint(btVector3(v[0], v[1], v[2]), false);
    }
    hull->recalcLocalAabb();
    shape.reset(hull);
    break;
  }
  default: return nullptr;
  }
  shape->setMargin(0);
  return shape;
}

struct Pair {
  std::unique_ptr<btConvexShape> a, b;
  std::vector<btTransform> poses;
};

void *pair_create(const pki_collision_shape *a, const pki_collision_shape *b, int slots, char *message,
                  size_t size)
{
  std::unique_ptr<Pair> p(new Pair);
  p->a = make_shape(a);
  p->b = make_shape(b);
  if (!p->a || !p->b) {
    snprintf(message, size, "GJK needs convex shapes that it knows");
    return nullptr;
  }
  p->poses.resize(2 * static_cast<size_t>(slots));
  return p.release();
}

void pair_destroy(void *pair)
{
  delete static_cast<Pair *>(pair);
}

btTransform transform(const pk_pose *pose)
{
  const double *R = pose->rot;
  return btTransform(btMatrix3x3(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]),
                     btVector3(pose->pos[0], pose->pos[1], pose->pos[2]));
}

void pair_store(void *pair, int slot, const pk_pose *a, const pk_pose *b)
{
  auto *p = static_cast<Pair *>(pair);
  p->poses[2 * static_cast<size_t>(slot)] = transform(a);
  p->poses[2 * static_cast<size_t>(slot) + 1] = transform(b);
}

/* Spheres and capsules are a point and a segment with a margin around them, which Distance leaves out. */
double rounding(const btConvexShape &shape)
{
  const int type = shape.getShapeType();
  return type == SPHERE_SHAPE_PROXYTYPE || type == CAPSULE_SHAPE_PROXYTYPE ? shape.getMargin() : 0;
}

double pair_distance(void *pair, int slot)
{
  auto *p = static_cast<Pair *>(pair);
  const btTransform &a = p->poses[2 * static_cast<size_t>(slot)],
                    &b = p->poses[2 * static_cast<size_t>(slot) + 1];
  btGjkEpaSolver2::sResults results;
  const btVector3 guess = a.getOrigin() - b.getOrigin();
  if (btGjkEpaSolver2::Distance(p->a.get(), a, p->b.get(), b, guess, results)) {
    return results.distance - rounding(*p->a) - rounding(*p->b);
  }
  if (btGjkEpaSolver2::Penetration(p->a.get(), a, p->b.get(), b, guess, results, true)) {
    return results.distance;
  }
  return NAN;
}

/* ---- broad phases ---- */

struct Broad {
  std::unique_ptr<btBroadphaseInterface> way;
  std::vector<btBroadphaseProxy *> proxies;
  ~Broad()
  {
    for (auto *proxy : proxies) {
      way->destroyProxy(proxy, nullptr);
    }
  }
};

const char *const broads[] = {"btDbvtBroadphase", "bt32BitAxisSweep3"};

void *broad_create(int which, int n, const double (*boxes)[6])
{
  auto *b = new Broad;
  if (which == 0) {
    b->way.reset(new btDbvtBroadphase);
  } else {
    btVector3 low(1e30, 1e30, 1e30), high = -low;
    for (int i = 0; i < n; i++) {
      low.setMin(btVector3(boxes[i][0], boxes[i][1], boxes[i][2]));
      high.setMax(btVector3(boxes[i][3], boxes[i][4], boxes[i][5]));
    }
    const btVector3 room = (high - low) * 0.1 + btVector3(1, 1, 1);
    b->way.reset(new bt32BitAxisSweep3(low - room, high + room, static_cast<unsigned>(n) + 2));
  }
  for (int i = 0; i < n; i++) {
    b->proxies.push_back(b->way->createProxy(
        btVector3(boxes[i][0], boxes[i][1], boxes[i][2]), btVector3(boxes[i][3], boxes[i][4], boxes[i][5]),
        BOX_SHAPE_PROXYTYPE, reinterpret_cast<void *>(static_cast<intptr_t>(i)), 1, -1, nullptr));
  }
  b->way->calculateOverlappingPairs(nullptr);
  return b;
}

void broad_destroy(void *broad)
{
  delete static_cast<Broad *>(broad);
}

void broad_update(void *broad, const double (*boxes)[6])
{
  auto *b = static_cast<Broad *>(broad);
  for (size_t i = 0; i < b->proxies.size(); i++) {
    b->way->setAabb(b->proxies[i], btVector3(boxes[i][0], boxes[i][1], boxes[i][2]),
                    btVector3(boxes[i][3], boxes[i][4], boxes[i][5]), nullptr);
  }
  b->way->calculateOverlappingPairs(nullptr);
}

int broad_pairs(void *broad, int (*out)[2], int most)
{
  auto *b = static_cast<Broad *>(broad);
  const btBroadphasePairArray &pairs = b->way->getOverlappingPairCache()->getOverlappingPairArray();
  for (int i = 0; i < pairs.size() && i < most; i++) {
    out[i][0] = static_cast<int>(reinterpret_cast<intptr_t>(pairs[i].m_pProxy0->m_clientObject));
    out[i][1] = static_cast<int>(reinterpret_cast<intptr_t>(pairs[i].m_pProxy1->m_clientObject));
  }
  return pairs.size();
}

const pki_collision_peer collision = {"btGjkEpaSolver2::Distance, Penetration",
                                      pair_create,
                                      pair_destroy,
                                      pair_store,
                                      pair_distance,
                                      broads,
                                      2,
                                      broad_create,
                                      broad_destroy,
                                      broad_update,
                                      broad_pairs};

const void *interface(const char *name)
{
  return strcmp(name, PKI_COLLISION_INTERFACE) == 0 ? &collision : nullptr;
}

char version[16];
const pk_peer bullet = {"bullet", version, "double precision, shapes without margin", interface};

} // namespace

extern "C" __attribute__((visibility("default"))) const pk_peer *pk_peer_get(void)
{
  snprintf(version, sizeof version, "%d.%02d", BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100);
  return &bullet;
}
