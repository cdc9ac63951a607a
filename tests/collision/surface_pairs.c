/* Meshes and height fields with every kind of shape, in either order, proven over all of their triangles (facets.h).
 *
 * Every triangle is proven to be no nearer than an answer says; an answer whose points lie on the shape and on the surface
 * says no less than the distance: where both hold it is right. Whether one is inside the other is decided by the solid
 * angle under which the surface is seen. With an argument: PRONK_PAIRS random pairs of each combination. */
#include <stdio.h>

#include "collision/facets.h"
#include "pronk/collision.h"

static const pk_shape_kind kinds[KINDS] = {PK_SHAPE_SPHERE,   PK_SHAPE_CAPSULE, PK_SHAPE_ELLIPSOID,
                                           PK_SHAPE_CYLINDER, PK_SHAPE_CONE,    PK_SHAPE_BOX,
                                           PK_SHAPE_CONVEX};

static int asked; /* 0: few */

/* ---- pairs ---- */

/* A pair: a shape or a mesh, and a surface. */
typedef struct pair {
  certify_shape shape;
  surface mesh; /* without geometry: the shape it is */
  surface ground;
} pair;

typedef struct tally {
  double turned, normal; /* of the size, rad */
  int apart, over;
} tally;

static int body_count(const pair *p)
{
  return p->mesh.geometry != NULL ? p->mesh.count : 1;
}

static body body_of(const pair *p, int i)
{
  return p->mesh.geometry != NULL ? (body){NULL, &p->mesh.of[i]} : (body){&p->shape, NULL};
}

static void ball_of(const body *b, double middle[3], double *radius)
{
  memcpy(middle, b->shape != NULL ? b->shape->pose.pos : b->facet->middle, 3 * sizeof *middle);
  *radius = b->shape != NULL ? b->shape->size : b->facet->radius;
}

static const pk_pose *pose_of(const pair *p)
{
  return p->mesh.geometry != NULL ? &p->mesh.pose : &p->shape.pose;
}

static double size_of(const pair *p)
{
  return p->ground.size + (p->mesh.geometry != NULL ? p->mesh.size : p->shape.size);
}

/* Whether all facets are proven to be `enough` or more away: along n, or along what is found. */
static bool all_apart(const pair *p, const double n[3], double enough, double hair)
{
  for (int i = 0; i < body_count(p); i++) {
    const body a = body_of(p, i);
    double middle[3], radius;
    ball_of(&a, middle, &radius);
    for (int j = 0; j < p->ground.count; j++) {
      const body b = {NULL, &p->ground.of[j]};
      double way[3], x[3];
      pki_sub3(middle, b.facet->middle, way);
      lowest(&a, &b, n, x);
      if (!(sqrt(pki_dot3(way, way)) - radius - b.facet->radius > enough) && !(pki_dot3(n, x) >= enough) &&
          !(prove_apart(&a, &b, way, enough, hair) >= enough)) {
        return false;
      }
    }
  }
  return true;
}

/* Whether one contains the other without their surfaces crossing. */
static bool contains(const pair *p)
{
  double x[3], y[3];
  if (p->mesh.geometry == NULL) {
    certify_support(&p->shape, V3(1, 0, 0), x);
    certify_support(&p->shape, V3(-1, 0, 0), y);
    for (int k = 0; k < 3; k++) {
      x[k] = 0.5 * (x[k] + y[k]);
    }
    return is_inside(&p->ground, x);
  }
  bool in = false; /* meshes may have more than one part */
  for (int i = 0; i < p->mesh.count; i++) {
    in = in || is_inside(&p->ground, p->mesh.of[i].point[0]);
  }
  for (int i = 0; i < p->ground.count && p->ground.cell == 0; i++) {
    in = in || is_inside(&p->mesh, p->ground.of[i].point[0]);
  }
  return in;
}

static bool is_on(const facet *f, const double x[3], double hair)
{
  const facet point = {.n = 1, .point = {{x[0], x[1], x[2]}}};
  const body a = {NULL, &point}, b = {NULL, f};
  double way[3];
  pki_sub3(x, f->middle, way);
  return sqrt(pki_dot3(way, way)) <= f->radius + hair && !(prove_apart(&a, &b, way, hair, 0) >= hair);
}

/* By how much the way along the normal is shorter than the distance, of the best of the facets that hold the points. */
static double normal_gap(const pair *p, const pk_proximity *near, double hair)
{
  double best = INFINITY;
  for (int i = 0; i < body_count(p); i++) {
    const body a = body_of(p, i);
    if (a.facet != NULL ? !is_on(a.facet, near->point[0], hair)
                        : !(certify_outside(a.shape, near->point[0]) <= hair)) {
      continue;
    }
    for (int j = 0; j < p->ground.count; j++) {
      const body b = {NULL, &p->ground.of[j]};
      if (is_on(b.facet, near->point[1], hair)) {
        double x[3];
        lowest(&a, &b, near->normal, x);
        best = fmin(best, near->distance - pki_dot3(near->normal, x));
      }
    }
  }
  return best;
}

static void fail_pair(const char *what, const pair *p, const pk_proximity *near, int number)
{
  fail_msg("%s and %s, pair %d: %s (distance %.17g, normal %g %g %g)",
           p->mesh.geometry != NULL ? "mesh" : pk_shape_kind_name(p->shape.desc.kind),
           p->ground.cell > 0 ? "heights" : "mesh", number, what, near->distance, near->normal[0],
           near->normal[1], near->normal[2]);
}

static void check_pair(pair *p, int number, tally *t)
{
  const double size = size_of(p), hair = 1e-7 * size;
  pk_geometry *const a = p->mesh.geometry != NULL ? p->mesh.geometry : certify_geometry(&p->shape);
  assert_non_null(a);
  pk_proximity near = {.distance = NAN}, back = near;
  assert_true(pk_geometry_distance(a, pose_of(p), p->ground.geometry, &p->ground.pose, INFINITY, &near));
  assert_true(pk_geometry_distance(p->ground.geometry, &p->ground.pose, a, pose_of(p), INFINITY, &back));
  pk_touch_point touch[PK_TOUCH_MOST];
  const int n = pk_geometry_touch(a, pose_of(p), p->ground.geometry, &p->ground.pose, 0.01 * size, touch);
  check_touches(touch, n, 0.01 * size, size);
  if (p->mesh.geometry == NULL) {
    pk_geometry_destroy(a);
  }
  check_proximity(&near, size);
  check_proximity(&back, size);
  if (!(fabs(near.distance - back.distance) <= 1e-9 * size)) {
    fail_pair("the other order differs", p, &near, number);
  }
  t->turned = fmax(t->turned, fabs(near.distance - back.distance) / size);
  if (near.distance <= hair) { /* hardly apart is as good as touching */
    t->over++;
    if (all_apart(p, near.normal, fmax(near.distance, 0) + 2 * hair, hair) && !contains(p)) {
      fail_pair("they are apart", p, &near, number);
    }
    return;
  }
  t->apart++;
  if (!all_apart(p, near.normal, near.distance - hair, hair)) {
    fail_pair("a triangle is nearer", p, &near, number);
  }
  if (contains(p)) {
    fail_pair("one is inside the other", p, &near, number);
  }
  const double gap = normal_gap(p, &near, hair);
  if (!(gap < INFINITY)) {
    fail_pair("the points are not on shape and surface", p, &near, number);
  }
  if (near.distance > 1e-3 * size) { /* the angle to the true normal is at most this */
    t->normal = fmax(t->normal, sqrt(2 * fmax(gap, 0) / near.distance));
    if (t->normal > 1e-4) {
      fail_pair("not the normal", p, &near, number);
    }
  }
}

/* ---- random surfaces ---- */

/* Closed and not convex: a ball with dents. */
static mesh dented_ball(pki_random *rng)
{
  mesh m = mesh_ball(1, 5, 4);
  for (int i = 0; i < m.nvertex; i++) {
    const double r = pki_random_between(rng, 0.3, 1);
    for (int k = 0; k < 3; k++) {
      m.vertex[3 * i + k] *= r;
    }
  }
  return m;
}

static double ripple(double x, double y)
{
  return 0.3 * sin(4 * x) * cos(3 * y);
}

/* Torus, dented ball, two boxes, box, open sheet; about 1 m, stretched along the axes. */
static void random_mesh(pki_random *rng, double least, double most, surface *out)
{
  const int kind = (int)(pki_random_bits(rng) % 5);
  mesh m = kind == 0   ? mesh_torus(0.7, pki_random_between(rng, 0.1, 0.4), 6, 4)
           : kind == 1 ? dented_ball(rng)
           : kind == 2 ? mesh_join(mesh_box(0.3, 0.4, 0.2, -0.5, 0, 0), mesh_box(0.2, 0.3, 0.4, 0.5, 0.1, 0))
           : kind == 3 ? mesh_box(0.5, 0.7, 0.3, 0.1, 0, 0)
                       : mesh_sheet(0.7, 3, rng, ripple);
  double stretch[3];
  for (int k = 0; k < 3; k++) {
    stretch[k] = least * pow(most / least, pki_random_unit(rng));
  }
  for (int i = 0; i < 3 * m.nvertex; i++) {
    m.vertex[i] *= stretch[i % 3];
  }
  set_mesh(out, m, kind != 4);
}

static void random_heights(pki_random *rng, double least, double most, surface *out)
{
  double z[NX * NY];
  const double rough = least * pow(most / least, pki_random_unit(rng)) * 0.5,
               cell = least * pow(most / least, pki_random_unit(rng)) * 0.5;
  for (int i = 0; i < NX * NY; i++) {
    z[i] = pki_random_between(rng, -rough, rough);
  }
  set_heights(out, z, cell, 6 * most);
}

/* What stands on the surface: one of `kinds`, KINDS: a mesh. */
static void random_pair(pki_random *rng, int kind, bool heights, double least, double most, pair *p)
{
  *p = (pair){.shape = {.size = 0}};
  if (heights) {
    random_heights(rng, least, most, &p->ground);
  } else {
    random_mesh(rng, least, most, &p->ground);
  }
  pk_pose there = random_pose(rng, most);
  place(&p->ground, &there);
  double u[3], size;
  for (int k = 0; k < 3; k++) {
    u[k] = pki_random_normal(rng);
  }
  if (kind < KINDS) {
    certify_random(rng, kinds[kind], least, most, &p->shape);
    size = p->shape.size;
  } else {
    random_mesh(rng, least, most, &p->mesh);
    size = p->mesh.size;
  }
  /* from a corner of the surface, at most a little apart */
  const facet *const f = &p->ground.of[pki_random_bits(rng) % (unsigned)p->ground.count];
  const double far = pki_random_between(rng, 0, 1.5) * size / sqrt(pki_dot3(u, u));
  pk_pose here = random_pose(rng, 1);
  for (int k = 0; k < 3; k++) {
    here.pos[k] = f->point[0][k] + far * u[k];
  }
  if (kind < KINDS) {
    p->shape.pose = here;
  } else {
    place(&p->mesh, &here);
  }
}

static void destroy_pair(pair *p)
{
  pk_geometry_destroy(p->mesh.geometry);
  pk_geometry_destroy(p->ground.geometry);
}

/* ---- surfaces that touch, align and coincide ---- */

static void aligned_surface(pki_random *rng, bool heights, surface *out)
{
  certify_shape round;
  certify_aligned(rng, PK_SHAPE_BOX, 1, &round); /* for its pose */
  if (heights) {
    double z[NX * NY];
    for (int i = 0; i < NX * NY; i++) {
      z[i] = 0.5 * (double)(pki_random_bits(rng) % 3);
    }
    set_heights(out, z, pki_random_bits(rng) % 2 ? 0.5 : 1, 12);
  } else {
    const int kind = (int)(pki_random_bits(rng) % 4);
    set_mesh(out,
             kind == 0   ? mesh_box(0.5, 0.5, 0.5, 0, 0, 0)
             : kind == 1 ? mesh_join(mesh_box(0.5, 0.5, 0.5, 0, 0, 0), mesh_box(0.5, 0.25, 0.5, 1.5, 0, 0))
             : kind == 2 ? mesh_torus(1, 0.5, 4, 4)
                         : mesh_sheet(1, 2, rng, NULL),
             kind != 3);
  }
  place(out, &round.pose);
}

static void aligned_pair(pki_random *rng, int kind, bool heights, pair *p)
{
  *p = (pair){.shape = {.size = 0}};
  aligned_surface(rng, heights, &p->ground);
  if (kind < KINDS) {
    certify_aligned(rng, kinds[kind], 1, &p->shape);
    if (pki_random_bits(rng) % 8 == 0) {
      p->shape.pose = p->ground.pose;
    }
  } else {
    aligned_surface(rng, false, &p->mesh);
  }
}

/* Pairs of sizes from `least` to `most`, 0: aligned. */
static void check_all(double least, double most, int count, bool print)
{
  for (int heights = 0; heights < 2; heights++) {
    for (int kind = 0; kind <= KINDS; kind++) {
      pki_random rng = pki_random_seeded((uint64_t)(10 * kind + heights));
      tally t = {0};
      for (int n = 0; n < count; n++) {
        static pair p;
        if (least > 0) {
          random_pair(&rng, kind, heights, least, most, &p);
        } else {
          aligned_pair(&rng, kind, heights, &p);
        }
        check_pair(&p, n, &t);
        destroy_pair(&p);
      }
      if (print) {
        printf("%-9s %-9s %6d apart %6d over  turned %.1e  normal %.1e\n",
               kind < KINDS ? pk_shape_kind_name(kinds[kind]) : "mesh", heights ? "heights" : "mesh", t.apart,
               t.over, t.turned, t.normal);
        fflush(stdout);
      }
    }
  }
}

static void random_pairs_with_surfaces_are_proven_right(void **state)
{
  (void)state;
  check_all(0.2, 1, asked > 0 ? asked : PACE(300, 20), asked > 0);
}

static void needles_and_plates_are_no_harder(void **state)
{
  (void)state;
  check_all(1e-4, 1, asked > 0 ? asked / 10 : PACE(100, 10), asked > 0);
}

static void micrometres_and_megametres_are_as_exact(void **state)
{
  (void)state;
  check_all(1e-6, 1e-6, asked > 0 ? asked / 10 : PACE(50, 5), asked > 0);
  check_all(1e6, 1e6, asked > 0 ? asked / 10 : PACE(50, 5), asked > 0);
}

static void surfaces_that_touch_align_or_coincide_are_proven_right(void **state)
{
  (void)state;
  check_all(0, 0, asked > 0 ? asked / 10 : PACE(300, 20), asked > 0);
}

/* A half-space meets the lowest corner. */
static void half_spaces_meet_the_lowest_corner_of_a_mesh(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  pk_geometry *const plane = make_shape(PK_SHAPE_PLANE, 0, 0, 0);
  for (int n = 0; n < (asked > 0 ? asked : PACE(1000, 100)); n++) {
    static surface s;
    random_mesh(&rng, 0.2, 1, &s);
    const pk_pose pose = random_pose(&rng, 2), ground = random_pose(&rng, 2);
    const double up[3] = {ground.rot[2], ground.rot[5], ground.rot[8]};
    place(&s, &pose);
    double height = INFINITY;
    for (int i = 0; i < 3 * s.count; i++) {
      double d[3];
      pki_sub3(s.of[i / 3].point[i % 3], ground.pos, d);
      height = fmin(height, pki_dot3(up, d));
    }
    pk_proximity p;
    assert_true(pk_geometry_distance(s.geometry, &pose, plane, &ground, INFINITY, &p));
    assert_near(p.distance, height, 1e-12);
    assert_near3(p.normal, up, 1e-12);
    assert_true(pk_geometry_distance(plane, &ground, s.geometry, &pose, INFINITY, &p));
    assert_near(p.distance, height, 1e-12);
    assert_near3(p.normal, V3(-up[0], -up[1], -up[2]), 1e-12);
    pk_geometry_destroy(s.geometry);
  }
  pk_geometry_destroy(plane);
}

int main(int argc, char **argv)
{
  (void)argv;
  asked = argc > 1 ? asked_pairs() : 0;
  if (argc > 1 && asked == 0) {
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_pairs_with_surfaces_are_proven_right),
      cmocka_unit_test(needles_and_plates_are_no_harder),
      cmocka_unit_test(micrometres_and_megametres_are_as_exact),
      cmocka_unit_test(surfaces_that_touch_align_or_coincide_are_proven_right),
      cmocka_unit_test(half_spaces_meet_the_lowest_corner_of_a_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
