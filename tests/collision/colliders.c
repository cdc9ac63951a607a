/* Who collides with whom, and shapes made ready. */
#include "collision/rig.h"
#include "support/bounds.h"

#include <stdio.h>

/* ---- robots ---- */

static void add_link(pk_builder *b, const char *name)
{
  const pk_link_desc link = {.name = name, .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
  pk_shape_desc shape = shape_of(PK_SHAPE_SPHERE, 0.1, 0, 0);
  shape.link = name;
  assert_int_equal(pk_builder_add_link(b, &link, NULL), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
}

static void add_joint(pk_builder *b, pk_joint_kind kind, const char *parent, const char *child)
{
  pk_joint_desc joint = pk_joint_desc_default();
  pk_error err = {.message = ""};
  joint.name = child, joint.kind = kind, joint.parent = parent, joint.child = child;
  joint.origin.pos[0] = 1;
  if (pk_builder_add_joint(b, &joint, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
}

/* trunk - hip - shank - foot (fixed to the shank), trunk - sled (planar), trunk - head (fixed). */
static void add_robot(pk_builder *b, const char *prefix, pk_root_kind root)
{
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = "robot", robot.prefix = prefix, robot.root = root;
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  static const char *const links[] = {"trunk", "hip", "shank", "foot", "sled", "head"};
  for (int i = 0; i < 6; i++) {
    add_link(b, links[i]);
  }
  add_joint(b, PK_JOINT_REVOLUTE, "trunk", "hip");
  add_joint(b, PK_JOINT_REVOLUTE, "hip", "shank");
  add_joint(b, PK_JOINT_FIXED, "shank", "foot");
  add_joint(b, PK_JOINT_PLANAR, "trunk", "sled");
  add_joint(b, PK_JOINT_FIXED, "trunk", "head");
}

static int collider(const rig *r, const char *link)
{
  const int index = pk_model_find_link(r->model, link);
  assert_at_least(index, 0);
  for (int i = 0; i < r->colliders.nshape; i++) {
    if (r->colliders.of[i].link == index) {
      return i;
    }
  }
  fail_msg("%s has no shape", link);
  return -1;
}

static bool wants(const rig *r, const char *a, const char *b)
{
  const int i = collider(r, a), j = collider(r, b);
  assert_int_equal(pki_colliders_want(&r->colliders, i, j), pki_colliders_want(&r->colliders, j, i));
  return pki_colliders_want(&r->colliders, i, j);
}

static void say(rig *r, const char *a, const char *b, pki_rule_kind kind)
{
  const int i = pk_model_find_link(r->model, a), j = pk_model_find_link(r->model, b);
  assert_int_equal(pki_filter_set(&r->colliders.filter, i, j, kind, NULL), PK_OK);
  pki_colliders_refilter(&r->colliders);
}

static rig *one_robot(pk_root_kind root)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  add_robot(b, "", root);
  return rig_make(compile(b), PK_BROAD_PHASE_AUTO, MOST);
}

static void links_that_a_joint_joins_do_not_collide(void **state)
{
  (void)state;
  const pk_root_kind roots[] = {PK_ROOT_FREE, PK_ROOT_FIXED};
  for (int k = 0; k < 2; k++) {
    rig *r = one_robot(roots[k]);
    assert_false(wants(r, "trunk", "hip"));
    assert_false(wants(r, "head", "hip")); /* welded to the trunk */
    assert_false(wants(r, "hip", "shank"));
    assert_false(wants(r, "hip", "foot"));
    assert_false(wants(r, "trunk", "sled")); /* across a helper */
    assert_false(wants(r, "trunk", "head")); /* one body */
    assert_false(wants(r, "shank", "foot"));
    assert_true(wants(r, "trunk", "shank"));
    assert_true(wants(r, "head", "foot"));
    assert_true(wants(r, "hip", "sled"));
    rig_free(r);
  }
}

static void a_free_body_collides_with_what_is_fixed(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  add_robot(b, "a_", PK_ROOT_FIXED);
  add_robot(b, "b_", PK_ROOT_FREE);
  add_robot(b, "c_", PK_ROOT_FIXED);
  rig *r = rig_make(compile(b), PK_BROAD_PHASE_AUTO, MOST);
  assert_true(wants(r, "a_trunk", "b_trunk"));
  assert_true(wants(r, "a_trunk", "b_hip"));
  assert_true(wants(r, "a_hip", "b_hip"));
  assert_true(wants(r, "a_trunk", "c_hip")); /* not its own trunk */
  assert_false(wants(r, "a_trunk", "a_hip"));
  assert_false(wants(r, "a_trunk", "c_trunk")); /* both fixed */
  rig_free(r);
}

static void cut_joints_and_closed_loops_join_links(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  add_robot(b, "", PK_ROOT_FREE);
  pk_constraint_desc loop = {.name = "loop", .kind = PK_CONSTRAINT_BALL, .link = {"trunk", "foot"}};
  pk_constraint_desc rod = {
      .name = "rod", .kind = PK_CONSTRAINT_DISTANCE, .link = {"hip", "sled"}, .length = 1};
  loop.frame[0] = loop.frame[1] = rod.frame[0] = rod.frame[1] = pk_pose_identity();
  loop.frame[0].pos[0] = 3;
  assert_int_equal(pk_builder_add_constraint(b, &loop, NULL), PK_OK);
  assert_int_equal(pk_builder_add_constraint(b, &rod, NULL), PK_OK);
  assert_int_equal(pk_builder_cut_joint(b, NULL, NULL), PK_OK);
  rig *r = rig_make(compile(b), PK_BROAD_PHASE_AUTO, MOST);
  assert_false(wants(r, "trunk", "hip"));
  assert_false(wants(r, "hip", "foot"));
  assert_false(wants(r, "trunk", "sled"));
  assert_false(wants(r, "trunk", "shank"));
  assert_false(wants(r, "head", "foot"));
  assert_true(wants(r, "hip", "sled"));
  assert_true(wants(r, "shank", "sled"));
  rig_free(r);
}

static void named_pairs_win(void **state)
{
  (void)state;
  rig *r = one_robot(PK_ROOT_FREE);
  say(r, "hip", "trunk", PKI_RULE_ON);
  assert_true(wants(r, "trunk", "hip"));
  assert_false(wants(r, "head", "hip")); /* another link of the same body */
  say(r, "trunk", "head", PKI_RULE_ON);
  assert_false(wants(r, "trunk", "head")); /* one body never */
  say(r, "trunk", "foot", PKI_RULE_OFF);
  assert_false(wants(r, "trunk", "foot"));
  say(r, "trunk", "foot", PKI_RULE_RELEASED);
  say(r, "sled", "foot", PKI_RULE_RELEASED);
  assert_false(wants(r, "trunk", "foot"));
  pki_filter_unrelease(&r->colliders.filter);
  assert_true(wants(r, "trunk", "foot"));
  assert_true(wants(r, "sled", "foot"));
  assert_true(wants(r, "trunk", "hip"));
  /* without self-collision only what was named */
  r->colliders.filter.self_collision = false;
  assert_true(wants(r, "trunk", "hip"));
  assert_false(wants(r, "trunk", "foot"));
  /* whatever the groups */
  r->colliders.of[collider(r, "trunk")].mask = 0;
  assert_true(wants(r, "trunk", "hip"));
  rig_free(r);
}

static void many_rules_are_found_again(void **state)
{
  (void)state;
  enum { N = 60 };
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const pk_shape_desc ball = shape_of(PK_SHAPE_SPHERE, 0.1, 0, 0);
  for (int i = 0; i < N; i++) {
    char name[8];
    snprintf(name, sizeof name, "b%d", i);
    add_body(b, name, PK_ROOT_FREE, &ball, 1);
  }
  rig *r = rig_make(compile(b), PK_BROAD_PHASE_AUTO, MOST);
  static bool off[N][N];
  pki_random rng = pki_random_seeded(3);
  for (int k = 0; k < 3000; k++) {
    const int i = (int)(pki_random_unit(&rng) * N), j = (int)(pki_random_unit(&rng) * N);
    const bool now = pki_random_unit(&rng) < 0.5;
    if (i != j) {
      const int a = r->colliders.of[i].link, c = r->colliders.of[j].link;
      assert_int_equal(pki_filter_set(&r->colliders.filter, a, c, now ? PKI_RULE_OFF : PKI_RULE_ON, NULL),
                       PK_OK);
      off[i][j] = off[j][i] = now;
    }
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      assert_int_equal(pki_colliders_want(&r->colliders, i, j), i != j && !off[i][j]);
    }
  }
  rig_free(r);
}

static void groups_and_masks_speak_both_ways(void **state)
{
  (void)state;
  rig *r = one_robot(PK_ROOT_FREE);
  pki_collider *foot = &r->colliders.of[collider(r, "foot")], *trunk = &r->colliders.of[collider(r, "trunk")];
  assert_int_equal(pk_terrain_add_plane(r->terrain, V3(0, 0, 0), V3(0, 0, 1), 0, NULL), PK_OK);
  const int ground = r->colliders.nshape;
  foot->group = 4, foot->mask = 8;
  assert_false(wants(r, "foot", "trunk"));
  trunk->group = 8;
  assert_true(wants(r, "foot", "trunk"));
  trunk->mask = 2;
  assert_false(wants(r, "foot", "trunk"));
  /* groups stay when the ground changes, and the ground meets all of them */
  rig_ground(r);
  assert_int_equal(r->colliders.of[collider(r, "foot")].group, 4);
  assert_true(pki_colliders_want(&r->colliders, collider(r, "foot"), ground));
  r->colliders.of[collider(r, "foot")].mask = 0;
  assert_false(pki_colliders_want(&r->colliders, collider(r, "foot"), ground));
  rig_free(r);
}

/* ---- shapes made ready ---- */

static void equal_shapes_share_a_geometry(void **state)
{
  (void)state;
  const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int sides[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const pk_mesh mesh = {.name = "m", .nvertex = 4, .ntriangle = 4, .vertex = corner[0], .triangle = sides[0]};
  pk_shape_desc shapes[6] = {shape_of(PK_SHAPE_MESH, 1, 1, 1),   shape_of(PK_SHAPE_CONVEX, 1, 1, 1),
                             shape_of(PK_SHAPE_SPHERE, 1, 0, 0), shape_of(PK_SHAPE_SPHERE, 1, 0, 0),
                             shape_of(PK_SHAPE_SPHERE, 2, 0, 0), shape_of(PK_SHAPE_MESH, 1, 1, 1)};
  shapes[0].mesh = shapes[1].mesh = shapes[5].mesh = &mesh;
  shapes[4].visual = true;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  add_body(b, "r", PK_ROOT_FREE, shapes, 6);
  rig *r = rig_make(compile(b), PK_BROAD_PHASE_AUTO, MOST);
  const pk_geometry *const *of = r->geometries->of;
  int sphere = -1, visual = -1;
  for (int i = 0; i < r->model->nshape; i++) {
    sphere = of[i] != NULL && of[i]->kind == PK_SHAPE_SPHERE ? i : sphere;
    visual = r->model->shapes[i].visual ? i : visual;
  }
  assert_null(of[visual]);
  assert_at_least(sphere, 0);
  assert_int_equal(r->geometries->nmade, r->model->nmesh == 1 ? 3 : 4);
  assert_int_equal(r->colliders.nshape, 5);
  assert_int_equal(pki_colliders_find(&r->colliders, visual), -1);
  rig_free(r);
}

static void a_shape_that_cannot_be_made_is_named(void **state)
{
  (void)state;
  const double corner[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const int sides[1][3] = {{0, 1, 2}};
  const pk_mesh mesh = {.name = "m", .nvertex = 3, .ntriangle = 1, .vertex = corner[0], .triangle = sides[0]};
  pk_shape_desc shape = shape_of(PK_SHAPE_MESH, 1, 1, 1);
  shape.mesh = &mesh, shape.name = "needle";
  pk_builder *b;
  pk_builder_create(&b, NULL);
  add_body(b, "r", PK_ROOT_FREE, &shape, 1);
  pk_model *m = compile(b);
  pki_geometries *g = (pki_geometries *)1;
  pk_error err = {.message = ""};
  assert_int_equal(pki_geometries_create(m, &g, &err), PK_ERROR_MESH);
  assert_null(g);
  assert_string_equal(err.field, "rl");
  if (strstr(err.message, "shape 0 \"needle\" (mesh) of the link \"rl\": ") != err.message) {
    fail_msg("%s", err.message);
  }
  pk_model_destroy(m);
}

static void the_hash_knows_what_collides(void **state)
{
  (void)state;
  rig *a = rig_with(shape_of(PK_SHAPE_BOX, 1, 2, 3)), *same = rig_with(shape_of(PK_SHAPE_BOX, 1, 2, 3)),
      *other = rig_with(shape_of(PK_SHAPE_BOX, 1, 2, 3.5));
  assert_true(pki_colliders_hash(&a->colliders) == pki_colliders_hash(&same->colliders));
  assert_true(pki_colliders_hash(&a->colliders) != pki_colliders_hash(&other->colliders));
  rig_free(a);
  rig_free(same);
  rig_free(other);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_that_a_joint_joins_do_not_collide),
      cmocka_unit_test(a_free_body_collides_with_what_is_fixed),
      cmocka_unit_test(cut_joints_and_closed_loops_join_links),
      cmocka_unit_test(named_pairs_win),
      cmocka_unit_test(many_rules_are_found_again),
      cmocka_unit_test(groups_and_masks_speak_both_ways),
      cmocka_unit_test(equal_shapes_share_a_geometry),
      cmocka_unit_test(a_shape_that_cannot_be_made_is_named),
      cmocka_unit_test(the_hash_knows_what_collides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
