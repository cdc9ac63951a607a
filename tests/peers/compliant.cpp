// Compliant surfaces against Simbody: wrenches and energies of random overlaps, moving and turning. Both engines get the same
// triangles. The law elastic-foundation meets CompliantContactSubsystem, elastic-mesh ElasticFoundationForce, hertz both
// CompliantContactSubsystem and HuntCrossleyForce. Wrenches are compared at the origin of each body: the point at which
// Simbody reports a patch's own is another one. PRONK_PAIRS sets how many overlaps each pair of shapes gets. Times are medians for
// one evaluation, Simbody's with its realisation of the two bodies' positions and velocities.
#include <Simbody.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "base/random.h"
#include "contact/compliant/patch.h"
#include "model/mesh.h"
#include "support/soft_shapes.h"
}

using namespace SimTK;

namespace {

enum class Kind { HALF_SPACE, BALL, ELLIPSOID, BALL_MESH, BRICK_MESH, SLAB_MESH, FOOT_MESH, COMAN_FOOT };
const char *const kind_names[] = {"plane",      "sphere",    "ellipsoid", "ball mesh",
                                  "brick mesh", "slab mesh", "foot mesh", "COMAN foot"};

std::string coman_foot()
{
  const char *models = std::getenv("PRONK_MODELS");
  return std::string(models != nullptr ? models : PK_SOURCE_DIR "/models") + "/coman/meshes/foot.obj";
}

// One shape in both engines.
struct Shape {
  Kind kind;
  pk_geometry *ours = nullptr;
  std::unique_ptr<ContactGeometry> theirs;
  Transform offset; // of theirs in the frame of ours

  explicit Shape(Kind of) : kind(of)
  {
    static const double brick[3] = {0.075, 0.075, 0.075}, slab[3] = {0.1, 0.12, 0.03};
    switch (kind) {
    case Kind::HALF_SPACE:
      make({PK_SHAPE_PLANE, {0, 0, 0}, nullptr, 0, 0, 0, nullptr});
      theirs = std::make_unique<ContactGeometry::HalfSpace>();
      offset = Transform(Rotation(Pi / 2, YAxis)); // theirs is x > 0
      break;
    case Kind::BALL:
      make({PK_SHAPE_SPHERE, {0.05, 0, 0}, nullptr, 0, 0, 0, nullptr});
      theirs = std::make_unique<ContactGeometry::Sphere>(0.05);
      break;
    case Kind::ELLIPSOID:
      make({PK_SHAPE_ELLIPSOID, {0.05, 0.08, 0.03}, nullptr, 0, 0, 0, nullptr});
      theirs = std::make_unique<ContactGeometry::Ellipsoid>(Vec3(0.05, 0.08, 0.03));
      break;
    case Kind::BALL_MESH: take(soft_ball(0.06, 3)); break;
    case Kind::BRICK_MESH: take(soft_brick(brick, 7)); break;
    case Kind::SLAB_MESH: take(soft_brick(slab, 5)); break;
    case Kind::FOOT_MESH: take(soft_foot()); break;
    case Kind::COMAN_FOOT: {
      pki_mesh mesh;
      if (pki_mesh_load(coman_foot().c_str(), &mesh, nullptr) == PK_OK) {
        take({mesh.nvertex, mesh.ntriangle, mesh.vertex, mesh.triangle});
      }
      break;
    }
    }
  }
  Shape(const Shape &) = delete;
  ~Shape()
  {
    pk_geometry_destroy(ours);
  }

private:
  void make(const pk_geometry_desc &desc)
  {
    pk_geometry_create(&desc, &ours, nullptr);
  }

  void take(soft_mesh mesh)
  {
    Array_<Vec3> vertices;
    Array_<int> faces;
    for (int i = 0; i < mesh.nvertex; i++) {
      vertices.push_back(Vec3(mesh.vertex[3 * i], mesh.vertex[3 * i + 1], mesh.vertex[3 * i + 2]));
    }
    for (int i = 0; i < 3 * mesh.ntriangle; i++) {
      faces.push_back(mesh.triangle[i]);
    }
    theirs = std::make_unique<ContactGeometry::TriangleMesh>(vertices, faces, false);
    ours = soft_geometry(&mesh);
    soft_mesh_free(&mesh);
  }
};

enum class Engine { LAYERS, SPRINGS, HERTZ_LAYERS, HERTZ_SPRINGS };

bool is_subsystem(Engine force)
{
  return force == Engine::LAYERS || force == Engine::HERTZ_LAYERS;
}

// Two free bodies with a shape each.
struct World {
  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  std::unique_ptr<ContactTrackerSubsystem> tracker;
  std::unique_ptr<CompliantContactSubsystem> layers;
  std::unique_ptr<GeneralContactSubsystem> contacts;
  MobilizedBody::Free body[2];
  State state;

  World(const Shape *const shape[2], const pk_compliance surface[2], Engine force)
      : matter(system), forces(system)
  {
    if (is_subsystem(force)) {
      tracker = std::make_unique<ContactTrackerSubsystem>(system);
      layers = std::make_unique<CompliantContactSubsystem>(system, *tracker);
      layers->setTransitionVelocity(surface[0].transition_speed);
    } else {
      contacts = std::make_unique<GeneralContactSubsystem>(system);
    }
    for (int i = 0; i < 2; i++) {
      Body::Rigid rigid(MassProperties(1, Vec3(0), Inertia(1)));
      const pk_compliance &s = surface[i];
      if (is_subsystem(force)) {
        const ContactMaterial material(s.stiffness, s.dissipation, s.static_friction, s.dynamic_friction,
                                       s.viscous_friction);
        rigid.addContactSurface(shape[i]->offset, ContactSurface(*shape[i]->theirs, material, s.layer));
      }
      body[i] = MobilizedBody::Free(matter.Ground(), Transform(), rigid, Transform());
    }
    if (!is_subsystem(force)) {
      add_forces(shape, surface, force);
    }
    state = system.realizeTopology();
  }

  void add_forces(const Shape *const shape[2], const pk_compliance surface[2], Engine force)
  {
    const ContactSetIndex set = contacts->createContactSet();
    for (int i = 0; i < 2; i++) {
      contacts->addBody(set, body[i], *shape[i]->theirs, shape[i]->offset);
    }
    ElasticFoundationForce *springs = nullptr;
    HuntCrossleyForce *round = nullptr;
    if (force == Engine::SPRINGS) {
      springs = new ElasticFoundationForce(forces, *contacts, set);
      springs->setTransitionVelocity(surface[0].transition_speed);
    } else {
      round = new HuntCrossleyForce(forces, *contacts, set);
      round->setTransitionVelocity(surface[0].transition_speed);
    }
    for (int i = 0; i < 2; i++) {
      const pk_compliance &s = surface[i];
      if (springs != nullptr && shape[i]->kind >= Kind::BALL_MESH) {
        springs->setBodyParameters(ContactSurfaceIndex(i), s.stiffness, s.dissipation, s.static_friction,
                                   s.dynamic_friction, s.viscous_friction);
      } else if (round != nullptr) {
        round->setBodyParameters(ContactSurfaceIndex(i), s.stiffness, s.dissipation, s.static_friction,
                                 s.dynamic_friction, s.viscous_friction);
      }
    }
    delete springs; // handles: the forces stay
    delete round;
  }

  // Wrenches at the bodies' origins, and the energy.
  double evaluate(const pk_pose pose[2], const double twist[2][6], SpatialVec out[2])
  {
    for (int i = 0; i < 2; i++) {
      const double *R = pose[i].rot;
      const Rotation turn(Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), true);
      body[i].setQToFitTransform(state,
                                 Transform(turn, Vec3(pose[i].pos[0], pose[i].pos[1], pose[i].pos[2])));
    }
    system.realize(state, Stage::Position);
    for (int i = 0; i < 2; i++) {
      const double *t = twist[i];
      body[i].setUToFitVelocity(state, SpatialVec(Vec3(t[0], t[1], t[2]), Vec3(t[3], t[4], t[5])));
    }
    system.realize(state, Stage::Dynamics);
    const Vector_<SpatialVec> &all = system.getRigidBodyForces(state, Stage::Dynamics);
    for (int i = 0; i < 2; i++) {
      out[i] = all[body[i].getMobilizedBodyIndex()];
    }
    return system.calcPotentialEnergy(state);
  }
};

// Pronk's side of it.
struct Patch {
  pki_soft_side side[2];
  pki_patch patch;
  void *memory, *scratch;

  Patch(const Shape *const shape[2], const pk_compliance surface[2])
  {
    for (int i = 0; i < 2; i++) {
      side[i] = {shape[i]->ours, pk_pose_identity(), &surface[i]};
    }
    pki_arena arena = pki_arena_over(nullptr, 0);
    const int room = pki_patch_room(shape[0]->ours, shape[1]->ours);
    pki_patch_carve(&patch, room, &arena);
    const size_t size = arena.used;
    memory = pki_aligned_alloc(size);
    arena = pki_arena_over(memory, size);
    pki_patch_carve(&patch, room, &arena);
    scratch = pki_aligned_alloc(pki_patch_scratch(shape[0]->ours, shape[1]->ours) + 64);
  }
  Patch(const Patch &) = delete;
  ~Patch()
  {
    pki_aligned_free(memory);
    pki_aligned_free(scratch);
  }

  double evaluate(const pk_pose pose[2], const double twist[2][6], SpatialVec out[2])
  {
    side[0].pose = pose[0], side[1].pose = pose[1];
    pki_patch_find(&side[0], &side[1], scratch, &patch);
    const Vec3 at(patch.at[0], patch.at[1], patch.at[2]);
    Vec3 turn(0), move(0);
    for (int i = 0; i < 2; i++) {
      const Vec3 w(twist[i][0], twist[i][1], twist[i][2]), v(twist[i][3], twist[i][4], twist[i][5]);
      const Vec3 arm = at - Vec3(pose[i].pos[0], pose[i].pos[1], pose[i].pos[2]);
      turn += (i == 0 ? 1 : -1) * w, move += (i == 0 ? 1 : -1) * (v + w % arm);
    }
    const double relative[6] = {turn[0], turn[1], turn[2], move[0], move[1], move[2]};
    pki_press press;
    pki_patch_press(&patch, relative, 0, false, &press, nullptr);
    const double *p = press.wrench;
    for (int i = 0; i < 2; i++) {
      const double sign = i == 0 ? 1 : -1;
      const Vec3 moment = sign * Vec3(p[0], p[1], p[2]), force = sign * Vec3(p[3], p[4], p[5]);
      const Vec3 arm = at - Vec3(pose[i].pos[0], pose[i].pos[1], pose[i].pos[2]);
      out[i] = SpatialVec(moment + arm % force, force);
    }
    return press.energy;
  }
};

void store_rotation(const Rotation &turn, pk_pose *pose)
{
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      pose->rot[3 * i + k] = turn[i][k];
    }
  }
}

Rotation random_rotation(pki_random *random)
{
  double q[4];
  pki_random_quaternion(random, q);
  return Rotation(Quaternion(Vec4(q[0], q[1], q[2], q[3])));
}

// A quarter turn or none about a random axis of the frame, then about z anyhow, tilted by up to 2 degrees: face on face.
Rotation nearly_aligned(pki_random *random)
{
  const CoordinateAxis axis = pki_random_unit(random) < 0.5 ? CoordinateAxis(XAxis) : CoordinateAxis(YAxis);
  const int quarters = static_cast<int>(4 * pki_random_unit(random));
  const Rotation side(quarters * Pi / 2, axis), about(pki_random_between(random, -Pi, Pi), ZAxis);
  const Rotation tilt(pki_random_between(random, -0.035, 0.035), UnitVec3(random_rotation(random).col(0)));
  return tilt * about * side;
}

bool overlap(const Shape *const shape[2], const pk_pose pose[2])
{
  pk_proximity near;
  return pk_geometry_distance(shape[0]->ours, &pose[0], shape[1]->ours, &pose[1], 0, &near) &&
         near.distance <= 0;
}

// The second somewhere, the first pushed into it from a random side, 0.05 to 10 mm deep; half of them face on face.
void random_overlap(const Shape *const shape[2], pki_random *random, pk_pose pose[2])
{
  const bool aligned = pki_random_unit(random) < 0.5;
  const Rotation second = random_rotation(random);
  store_rotation(second, &pose[1]);
  store_rotation(aligned ? second * nearly_aligned(random) : random_rotation(random), &pose[0]);
  double from[3], length = 0;
  for (int k = 0; k < 3; k++) {
    pose[1].pos[k] = pki_random_between(random, -0.5, 0.5);
    from[k] = pki_random_normal(random);
    if (aligned || shape[1]->kind == Kind::HALF_SPACE) { // along its normal
      from[k] = second[k][2];
    }
    length += from[k] * from[k];
  }
  double inside = 0, outside = 0.5;
  const auto put = [&](double away) {
    for (int k = 0; k < 3; k++) {
      pose[0].pos[k] = pose[1].pos[k] + away * from[k] / std::sqrt(length);
    }
  };
  for (int step = 0; step < 40; step++) {
    const double middle = 0.5 * (inside + outside);
    put(middle);
    (overlap(shape, pose) ? inside : outside) = middle;
  }
  put(inside - std::exp(pki_random_between(random, std::log(5e-5), std::log(1e-2))));
}

double largest(const SpatialVec &a)
{
  return std::max(a[0].norm() / 0.1, a[1].norm()); // moments over a length of the shapes
}

// What each of Simbody's forces is called, and which law and friction are the same.
const struct {
  const char *name;
  pk_compliance_law law;
  pk_compliance_friction friction;
} engines[] = {
    {"CompliantContactSubsystem", PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, PK_COMPLIANCE_FRICTION_STRIBECK},
    {"ElasticFoundationForce", PK_COMPLIANCE_LAW_ELASTIC_MESH, PK_COMPLIANCE_FRICTION_HOLLARS},
    {"CompliantContactSubsystem, Hertz", PK_COMPLIANCE_LAW_HERTZ, PK_COMPLIANCE_FRICTION_STRIBECK},
    {"HuntCrossleyForce", PK_COMPLIANCE_LAW_HERTZ, PK_COMPLIANCE_FRICTION_HOLLARS}};

struct Trial {
  Engine engine;
  Kind first, second;
  double bound;
};

double median(std::vector<double> &x)
{
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

// The largest difference of all overlaps, relative to the forces.
bool run(const Trial &trial, int pairs)
{
  pki_random random = pki_random_seeded(22);
  const Shape first(trial.first), second(trial.second);
  const auto &engine = engines[static_cast<int>(trial.engine)];
  const Shape *const shape[2] = {&first, &second};
  pk_compliance surface[2];
  for (int i = 0; i < 2; i++) {
    pk_compliance &s = surface[i];
    s = pk_compliance_default();
    s.law = engine.law, s.friction = engine.friction;
    s.stiffness = i == 0 ? 1e6 : 3e6, s.layer = i == 0 ? 2e-3 : 5e-3, s.dissipation = i == 0 ? 0.7 : 2;
    s.static_friction = i == 0 ? 1.1 : 0.7, s.dynamic_friction = i == 0 ? 0.9 : 0.5,
    s.viscous_friction = 0.3 + i;
    s.transition_speed = 0.02;
  }
  World world(shape, surface, trial.engine);
  Patch patch(shape, surface);
  double worst = 0, worst_energy = 0;
  int pressed = 0, elements = 0;
  std::vector<double> times[2];
  for (int n = 0; pressed < pairs && n < 100 * pairs; n++) {
    pk_pose pose[2];
    double twist[2][6];
    random_overlap(shape, &random, pose);
    const double speed = std::pow(10, pki_random_between(&random, -3, 0));
    for (auto &one : twist) {
      for (int k = 0; k < 6; k++) {
        one[k] = speed * pki_random_between(&random, -1, 1) * (k < 3 ? 5 : 0.3);
      }
    }
    SpatialVec theirs[2], ours[2];
    const auto start = std::chrono::steady_clock::now();
    const double energy = world.evaluate(pose, twist, theirs);
    const auto middle = std::chrono::steady_clock::now();
    const double energy_ours = patch.evaluate(pose, twist, ours);
    const auto end = std::chrono::steady_clock::now();
    times[0].push_back(std::chrono::duration<double>(middle - start).count());
    times[1].push_back(std::chrono::duration<double>(end - middle).count());
    const double size = std::max(largest(theirs[0]), largest(ours[0]));
    pressed += size > 0, elements += patch.patch.n;
    for (int i = 0; i < 2 && size > 0; i++) {
      const double error = std::max(largest(theirs[i] - ours[i]), 0.0) / size;
      worst = std::max(worst, error);
    }
    worst_energy = std::max(worst_energy, energy > 0 ? std::abs(energy - energy_ours) / energy : 0.0);
  }
  std::printf("%-34s %-11s on %-11s %5d overlaps, %5.1f elements: wrench %.1e, energy %.1e; %.1f us, Simbody "
              "%.1f us\n",
              engine.name, kind_names[static_cast<int>(trial.first)],
              kind_names[static_cast<int>(trial.second)], pressed, static_cast<double>(elements) / pressed,
              worst, worst_energy, 1e6 * median(times[1]), 1e6 * median(times[0]));
  return worst <= trial.bound && worst_energy <= trial.bound && pressed == pairs;
}

} // namespace

int main()
{
  const char *given = std::getenv("PRONK_PAIRS");
  const int pairs = given != nullptr ? std::atoi(given) : 1000;
  // Simbody's axes of contact ellipses have six digits: theirs are not the roots of Hertz's equation, ours are.
  const Trial trials[] = {
      {Engine::LAYERS, Kind::BALL_MESH, Kind::HALF_SPACE, 1e-8},
      {Engine::LAYERS, Kind::BRICK_MESH, Kind::HALF_SPACE, 1e-8},
      {Engine::LAYERS, Kind::FOOT_MESH, Kind::HALF_SPACE, 1e-8},
      {Engine::LAYERS, Kind::COMAN_FOOT, Kind::HALF_SPACE, 1e-8},
      {Engine::LAYERS, Kind::BRICK_MESH, Kind::BALL, 1e-8},
      {Engine::LAYERS, Kind::BALL, Kind::FOOT_MESH, 1e-8},
      {Engine::LAYERS, Kind::BRICK_MESH, Kind::SLAB_MESH, 1e-8},
      {Engine::LAYERS, Kind::FOOT_MESH, Kind::SLAB_MESH, 1e-8},
      {Engine::LAYERS, Kind::BALL_MESH, Kind::FOOT_MESH, 1e-8},
      {Engine::LAYERS, Kind::COMAN_FOOT, Kind::SLAB_MESH, 1e-8},
      {Engine::SPRINGS, Kind::BALL_MESH, Kind::HALF_SPACE, 1e-8},
      {Engine::SPRINGS, Kind::BRICK_MESH, Kind::HALF_SPACE, 1e-8},
      {Engine::SPRINGS, Kind::FOOT_MESH, Kind::HALF_SPACE, 1e-8},
      {Engine::SPRINGS, Kind::BRICK_MESH, Kind::BALL, 1e-8},
      {Engine::SPRINGS, Kind::BRICK_MESH, Kind::SLAB_MESH, 1e-8},
      {Engine::SPRINGS, Kind::FOOT_MESH, Kind::SLAB_MESH, 1e-8},
      {Engine::HERTZ_LAYERS, Kind::BALL, Kind::HALF_SPACE, 1e-8},
      {Engine::HERTZ_LAYERS, Kind::BALL, Kind::BALL, 1e-8},
      {Engine::HERTZ_LAYERS, Kind::ELLIPSOID, Kind::HALF_SPACE, 1e-5},
      {Engine::HERTZ_LAYERS, Kind::ELLIPSOID, Kind::BALL, 1e-5},
      {Engine::HERTZ_LAYERS, Kind::ELLIPSOID, Kind::ELLIPSOID, 1e-5},
      {Engine::HERTZ_SPRINGS, Kind::BALL, Kind::HALF_SPACE, 1e-8},
      {Engine::HERTZ_SPRINGS, Kind::BALL, Kind::BALL, 1e-8},
  };
  bool good = true;
  for (const Trial &trial : trials) {
    if (trial.first == Kind::COMAN_FOOT && Shape(Kind::COMAN_FOOT).ours == nullptr) {
      std::printf("%s is not there\n", coman_foot().c_str());
      continue;
    }
    good = run(trial, pairs) && good;
  }
  return good ? 0 : 1;
}
