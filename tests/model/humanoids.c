/* COMAN and WALK-MAN as files: what their READMEs say of masses, mirror images and the meshes of their feet. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/mat3.h"
#include "pronk/dynamics.h"
#include "pronk/model.h"
#include "support/bounds.h"

static pk_model *load(const char *name, bool triangles)
{
  char path[256];
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  pk_load_options o = pk_load_options_default();
  o.strict = true;
  o.collision_meshes = triangles ? PK_MESH_COLLISION_TRIANGLES : PK_MESH_COLLISION_HULL;
  pk_model *model = NULL;
  pk_error err = {0};
  if (pk_model_load_urdf(path, &o, &model, &err) != PK_OK) {
    fail_msg("%s:%d: %s: %s", path, err.line, err.field, err.message);
  }
  return model;
}

static int link_of(const pk_model *m, const char *name)
{
  for (int l = 0; l < m->nlink; l++) {
    if (strcmp(m->links[l].name, name) == 0) {
      return l;
    }
  }
  fail_msg("no link %s", name);
  return -1;
}

/* The collision shape of a link that has one. */
static const pk_model_shape *shape_of(const pk_model *m, const char *link)
{
  const pk_model_shape *found = NULL;
  for (int s = 0; s < m->nshape; s++) {
    if (m->shapes[s].link == link_of(m, link) && !m->shapes[s].visual) {
      assert_null(found);
      found = &m->shapes[s];
    }
  }
  assert_non_null(found);
  return found;
}

static void walkman_has_36_degrees_of_freedom_and_the_mass_of_its_description(void **state)
{
  (void)state;
  pk_model *m = load("walkman", false);
  assert_true(m->robots[0].root == PK_ROOT_FREE);
  assert_string_equal(m->links[m->robots[0].root_link].name, "Waist");
  assert_int_equal(m->nbody, 31);
  assert_int_equal(m->nq, 37);
  assert_int_equal(m->nu, 36);
  assert_near(m->mass, 93.5585564, 1e-7);
  pk_model_destroy(m);
}

/* The box of a foot reaches down to the sole's frame, which is as far below the waist as the lengths of the leg add up to. */
static void walkman_stands_on_boxes_at_its_soles(void **state)
{
  (void)state;
  pk_model *m = load("walkman", false);
  static const char *const feet[2] = {"RFoot", "LFoot"}, *const soles[2] = {"r_sole", "l_sole"};
  const double q[37] = {[3] = 1.0}, u[36] = {0.0};
  pk_workspace *w = NULL;
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  pk_kinematics_compute(w, q, u);
  for (int side = 0; side < 2; side++) {
    const pk_model_shape *box = shape_of(m, feet[side]);
    assert_true(box->kind == PK_SHAPE_BOX);
    assert_near(box->pose.pos[2] - 0.5 * box->size[2], -0.1435, 1e-12);
    const pk_pose pose = pk_link_pose(w, link_of(m, soles[side]));
    assert_near(pose.pos[2], -(0.108 + 0.217872 + 0.356 + 0.4 + 0.1435), 1e-9);
    assert_near(pose.pos[1], (side == 0 ? -1.0 : 1.0) * (0.06 + 0.121032), 1e-9);
  }
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

/* Every R link has an L link that is its image in the plane y = 0, to the last bit; but for one product of inertia, 1e-7 kg m^2 of the
 * wrists, whose sign the robot's description does not turn. */
static void walkman_is_its_own_mirror_image(void **state)
{
  (void)state;
  static const double flip[6] = {1.0, -1.0, 1.0, 1.0, -1.0, 1.0};
  pk_model *m = load("walkman", false);
  int pairs = 0;
  for (int l = 0; l < m->nlink; l++) {
    if (m->links[l].name[0] != 'R') {
      continue;
    }
    char name[64];
    snprintf(name, sizeof name, "L%s", m->links[l].name + 1);
    const pk_inertia *r = &m->links[l].inertia, *left = &m->links[link_of(m, name)].inertia;
    assert_near(left->mass, r->mass, 0.0);
    for (int i = 0; i < 3; i++) {
      assert_near(left->com[i], i == 1 ? -r->com[i] : r->com[i], 0.0);
    }
    for (int i = 0; i < 6; i++) {
      assert_near(left->moment[i], flip[i] * r->moment[i], strcmp(name, "LWrMot3") == 0 ? 2e-7 : 0.0);
    }
    pairs++;
  }
  assert_int_equal(pairs, 14);
  pk_model_destroy(m);
}

/* Area vector of a triangle. */
static void area_of(const pk_mesh *mesh, const int *corner, double area[3])
{
  double a[3], b[3];
  for (int i = 0; i < 3; i++) {
    a[i] = mesh->vertex[3 * corner[1] + i] - mesh->vertex[3 * corner[0] + i];
    b[i] = mesh->vertex[3 * corner[2] + i] - mesh->vertex[3 * corner[0] + i];
  }
  pki_cross3(a, b, area);
  for (int i = 0; i < 3; i++) {
    area[i] *= 0.5;
  }
}

typedef struct sole {
  int faces;
  double area;
  double low[3], high[3]; /* of the vertices in it */
} sole;

static sole measure_sole(const pk_mesh *mesh, double height)
{
  sole s = {.low = {1.0, 1.0, 1.0}, .high = {-1.0, -1.0, -1.0}};
  for (int t = 0; t < mesh->ntriangle; t++) {
    const int *corner = mesh->triangle + 3 * (size_t)t;
    bool flat = true;
    for (int k = 0; k < 3; k++) {
      flat = flat && fabs(mesh->vertex[3 * corner[k] + 2] - height) < 1e-9;
    }
    if (!flat) {
      continue;
    }
    double area[3];
    area_of(mesh, corner, area);
    assert_less(area[2], 0.0); /* it faces the ground */
    s.area -= area[2], s.faces++;
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < 3; i++) {
        s.low[i] = fmin(s.low[i], mesh->vertex[3 * corner[k] + i]);
        s.high[i] = fmax(s.high[i], mesh->vertex[3 * corner[k] + i]);
      }
    }
  }
  return s;
}

/* Each edge once in each direction: a closed manifold, turned alike all over. */
static void assert_manifold(const pk_mesh *mesh)
{
  const int n = mesh->ntriangle;
  for (int e = 0; e < 3 * n; e++) {
    const int a = mesh->triangle[e], b = mesh->triangle[e % 3 == 2 ? e - 2 : e + 1];
    int same = 0, opposite = 0;
    for (int f = 0; f < 3 * n; f++) {
      const int c = mesh->triangle[f], d = mesh->triangle[f % 3 == 2 ? f - 2 : f + 1];
      same += c == a && d == b, opposite += c == b && d == a;
    }
    assert_int_equal(same, 1);
    assert_int_equal(opposite, 1);
  }
}

/* The numbers that the READMEs state of both meshes; the areas of all faces of a closed surface add up to zero. */
static void soles_are_flat_and_feet_are_closed_meshes_of_504_triangles(void **state)
{
  (void)state;
  static const struct {
    const char *model;
    double sole, area, low[2], high[2]; /* of the right foot */
  } expected[2] = {{"coman_mesh_feet", -0.1, 0.01272, {-0.06, -0.05}, {0.13, 0.05}},
                   {"walkman_mesh_feet", -0.1435, 0.04995, {-0.155, -0.09}, {0.165, 0.07}}};
  for (int k = 0; k < 2; k++) {
    pk_model *m = load(expected[k].model, true);
    for (int side = 0; side < 2; side++) {
      const pk_model_shape *foot = shape_of(m, side == 0 ? "RFoot" : "LFoot");
      assert_true(foot->kind == PK_SHAPE_MESH);
      const pk_mesh *mesh = &m->meshes[foot->mesh];
      assert_int_equal(mesh->ntriangle, 504);
      assert_manifold(mesh);
      const sole s = measure_sole(mesh, expected[k].sole);
      assert_int_equal(s.faces, 80);
      assert_near(s.area, expected[k].area, 1e-5);
      for (int i = 0; i < 2; i++) {
        const bool turned = i == 1 && side == 1;
        assert_near(s.low[i], turned ? -expected[k].high[i] : expected[k].low[i], 1e-9);
        assert_near(s.high[i], turned ? -expected[k].low[i] : expected[k].high[i], 1e-9);
      }
      double sum[3] = {0.0};
      for (int t = 0; t < mesh->ntriangle; t++) {
        double area[3];
        area_of(mesh, mesh->triangle + 3 * (size_t)t, area);
        for (int i = 0; i < 3; i++) {
          sum[i] += area[i];
        }
      }
      for (int i = 0; i < 3; i++) {
        assert_near(sum[i], 0.0, 1e-15);
      }
    }
    pk_model_destroy(m);
  }
}

static void robots_on_meshes_of_their_feet_are_the_same_bodies(void **state)
{
  (void)state;
  static const char *const names[2] = {"coman", "walkman"};
  for (int k = 0; k < 2; k++) {
    char variant[64];
    snprintf(variant, sizeof variant, "%s_mesh_feet", names[k]);
    pk_model *a = load(names[k], false), *b = load(variant, false);
    assert_int_equal(a->nlink, b->nlink);
    assert_int_equal(a->njoint, b->njoint);
    for (int l = 0; l < a->nlink; l++) {
      assert_string_equal(a->links[l].name, b->links[l].name);
      assert_memory_equal(&a->links[l].inertia, &b->links[l].inertia, sizeof a->links[l].inertia);
    }
    assert_true(shape_of(b, "RFoot")->kind == PK_SHAPE_CONVEX);
    pk_model_destroy(a), pk_model_destroy(b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walkman_has_36_degrees_of_freedom_and_the_mass_of_its_description),
      cmocka_unit_test(walkman_stands_on_boxes_at_its_soles),
      cmocka_unit_test(walkman_is_its_own_mirror_image),
      cmocka_unit_test(soles_are_flat_and_feet_are_closed_meshes_of_504_triangles),
      cmocka_unit_test(robots_on_meshes_of_their_feet_are_the_same_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
