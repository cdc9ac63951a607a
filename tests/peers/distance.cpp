// Random pairs of all convex shapes: distances against FCL, depths against libccd's EPA (FCL's own ends the program by an
// assertion on some pairs). Where they disagree with Pronk the certificate of support/certify.h decides who is wrong.
// PRONK_PAIRS sets how many pairs each combination gets.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <vector>

#include <ccd/ccd.h>
#include <fcl/fcl.h>

extern "C" {
#include "support/certify.h"
}

namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

constexpr double tolerance = 1e-6; // of both engines' distances, relative to the shapes

// Faces are the planes of the certificate, corners in turn around each.
Geometry convex(const certify_shape &s)
{
  auto points = std::make_shared<std::vector<fcl::Vector3d>>();
  for (int i = 0; i < s.npoint; i++) {
    points->emplace_back(s.points[3 * i], s.points[3 * i + 1], s.points[3 * i + 2]);
  }
  auto faces = std::make_shared<std::vector<int>>();
  for (int f = 0; f < s.nplane; f++) {
    const fcl::Vector3d n(s.planes[4 * f], s.planes[4 * f + 1], s.planes[4 * f + 2]);
    int corner[3], count = 0; // random points: every face is a triangle
    for (int i = 0; i < s.npoint && count < 3; i++) {
      if (std::abs(n.dot((*points)[i]) - s.planes[4 * f + 3]) < 1e-12) {
        corner[count++] = i;
      }
    }
    const fcl::Vector3d &p = (*points)[corner[0]], &q = (*points)[corner[1]], &r = (*points)[corner[2]];
    const bool outward = (q - p).cross(r - p).dot(n) > 0;
    faces->insert(faces->end(), {3, corner[0], corner[outward ? 1 : 2], corner[outward ? 2 : 1]});
  }
  return std::make_shared<fcl::Convexd>(points, s.nplane, faces);
}

Geometry make(const certify_shape &s)
{
  const double *const x = s.desc.size;
  switch (s.desc.kind) {
  case PK_SHAPE_SPHERE: return std::make_shared<fcl::Sphered>(x[0]);
  case PK_SHAPE_BOX: return std::make_shared<fcl::Boxd>(x[0], x[1], x[2]);
  case PK_SHAPE_CYLINDER: return std::make_shared<fcl::Cylinderd>(x[0], x[1]);
  case PK_SHAPE_CAPSULE: return std::make_shared<fcl::Capsuled>(x[0], x[1]);
  case PK_SHAPE_ELLIPSOID: return std::make_shared<fcl::Ellipsoidd>(x[0], x[1], x[2]);
  case PK_SHAPE_CONE: return std::make_shared<fcl::Coned>(x[0], x[1]);
  default: return convex(s);
  }
}

fcl::Transform3d place(const pk_pose &pose)
{
  fcl::Transform3d t = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; i++) {
    t.translation()[i] = pose.pos[i];
    for (int j = 0; j < 3; j++) {
      t.linear()(i, j) = pose.rot[3 * i + j];
    }
  }
  return t;
}

void support(const void *shape, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
  certify_support(static_cast<const certify_shape *>(shape), direction->v, out->v);
}

// NaN: libccd found no depth.
double depth(const certify_shape s[2])
{
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support;
  const bool polytopes = (s[0].desc.kind == PK_SHAPE_BOX || s[0].desc.kind == PK_SHAPE_CONVEX) &&
                         (s[1].desc.kind == PK_SHAPE_BOX || s[1].desc.kind == PK_SHAPE_CONVEX);
  ccd.max_iterations = polytopes ? 1000 : 100; // on round shapes it only gets slower
  ccd.epa_tolerance = 1e-7;
  double found;
  ccd_vec3_t direction, where;
  return ccdGJKPenetration(&s[0], &s[1], &ccd, &found, &direction, &where) == 0 ? -found : NAN;
}

// NaN: FCL gave up.
double distance(const certify_shape s[2])
{
  fcl::CollisionObjectd a(make(s[0]), place(s[0].pose)), b(make(s[1]), place(s[1].pose));
  fcl::DistanceRequestd request(true, false);
  request.distance_tolerance = 1e-9;
  fcl::DistanceResultd result;
  try {
    return fcl::distance(&a, &b, request, result);
  } catch (const std::exception &) {
    return NAN;
  }
}

struct Tally {
  int apart = 0, overlapping = 0, agree = 0, gave_up = 0, theirs_wrong_apart = 0, theirs_wrong_deep = 0,
      ours_wrong = 0;
  double worst = 0, far = 0; // difference where both are right, where theirs is wrong
};

void compare(pki_random *rng, pk_shape_kind first, pk_shape_kind second, Tally &t)
{
  certify_shape s[2];
  certify_random(rng, first, 0.05, 1, &s[0]);
  certify_random(rng, second, 0.05, 1, &s[1]);
  double u[3], square = 0;
  for (double &x : u) {
    x = pki_random_normal(rng);
    square += x * x;
  }
  const double size = s[0].size + s[1].size, far = pki_random_between(rng, 0, 1.1) * size / std::sqrt(square);
  for (int k = 0; k < 3; k++) {
    s[0].pose.pos[k] = pki_random_between(rng, -1, 1);
    s[1].pose.pos[k] = s[0].pose.pos[k] + far * u[k];
  }
  pk_geometry *a = certify_geometry(&s[0]), *b = certify_geometry(&s[1]);
  pk_proximity p;
  const bool near = pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, INFINITY, &p);
  pk_geometry_destroy(a);
  pk_geometry_destroy(b);
  (p.distance > 0 ? t.apart : t.overlapping)++;
  const double d = p.distance > 0 ? distance(s) : depth(s), difference = std::abs(d - p.distance);
  if (near && difference <= tolerance * size) {
    t.agree++;
    t.worst = std::max(t.worst, difference / size);
    return;
  }
  const certificate c = certify(&s[0], &s[1], &p, 1e-7 * size);
  if (!near || !(c.outside <= tolerance * size) || !(c.gap <= tolerance * size) ||
      !(c.better <= tolerance * size)) {
    t.ours_wrong++;
  } else if (std::isnan(d)) {
    t.gave_up++;
  } else {
    t.far = std::max(t.far, difference / size);
    (p.distance > 0 ? t.theirs_wrong_apart : t.theirs_wrong_deep)++;
  }
}

} // namespace

int main()
{
  const pk_shape_kind kinds[] = {PK_SHAPE_SPHERE, PK_SHAPE_CAPSULE, PK_SHAPE_ELLIPSOID, PK_SHAPE_CYLINDER,
                                 PK_SHAPE_CONE,   PK_SHAPE_BOX,     PK_SHAPE_CONVEX};
  const char *const text = std::getenv("PRONK_PAIRS");
  const int count = text != nullptr && std::atoi(text) > 0 ? std::atoi(text) : 300;
  int wrong = 0;
  long agree = 0, all = 0;
  std::printf("%-20s %7s %7s %8s %10s   theirs wrong: %5s %7s %7s %8s   Pronk wrong\n", "pair", "apart",
              "deep", "agree", "worst", "apart", "deep", "gave up", "by");
  for (const pk_shape_kind &first : kinds) {
    for (const pk_shape_kind *second = &first; second != kinds + 7; second++) {
      pki_random rng = pki_random_seeded(static_cast<uint64_t>(100 * first + *second));
      Tally t;
      for (int n = 0; n < count; n++) {
        compare(&rng, first, *second, t);
      }
      std::printf("%-9s %-10s %7d %7d %8d %10.1e              %7d %7d %7d %8.1e   %d\n",
                  pk_shape_kind_name(first), pk_shape_kind_name(*second), t.apart, t.overlapping, t.agree,
                  t.worst, t.theirs_wrong_apart, t.theirs_wrong_deep, t.gave_up, t.far, t.ours_wrong);
      std::fflush(stdout);
      wrong += t.ours_wrong;
      agree += t.agree;
      all += count;
    }
  }
  std::printf("%ld of %ld agree\n", agree, all);
  return wrong == 0 && agree > all / 2 ? 0 : 1;
}
